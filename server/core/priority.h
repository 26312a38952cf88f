/// core/priority.h - which changed entities a client receives first when a snapshot is full.
//
//   need of a turn, added up while the entity waits ──▶ weight ──▶ order of the snapshot's records
//                                   waits URGENT_MS ──▶ before all others, longest wait first
//
// Crowd:   while snapshots of more than PRIORITY_CROWD entities are full, a turn has only new ones,
//          near ones (interest.c), those that wait since their turn, and the next ones in a round
//          by number. The client keeps the others as they are. So a turn costs what it sends, not
//          what is in view. Entities at rest have no turns once the client has them as they are.
// Round:   one for all clients. Clients with turns in the same ticks receive the same entities and
//          hold the same states, so each change is coded once. Between two turns, the round passes
//          as many entities as leave an eighth of the records to near ones. A client takes the
//          entities by number, up to where the round is, and skips none. So each entity has a turn
//          in each round of a client, however slow the client is. If more are due than fit, the
//          client falls behind. It is in step again when it has more room, or is a whole round
//          behind. If a whole round passes between two of its turns, all entities are due.
// Memory:  fixed; only used pages take memory.
// Repeat:  ties by index.
// Cost:    linear in the entities of the turn; nothing while every change fits.

#ifndef EDICTD_CORE_PRIORITY_H
#define EDICTD_CORE_PRIORITY_H

#include "base/limits.h"
#include "math/vec3.h"
#include "proto/snapshot_codec.h"

#define PRIORITY_URGENT_MS 500 // no entity may wait for 1 s
#define PRIORITY_AGAIN_MS  800 // a longer wait comes before the entities that are sent again
#define PRIORITY_CROWD     192 // entities that are all in each turn
#define PRIORITY_BLOCK     16  // a round ends between blocks of so many numbers

/// A need that comes before all others, except the client's own entity. For what the client
/// predicts by: an old state of it would move the player wrongly.
#define NEED_FIRST 0x8000

/// Where an entity is, and its need for any client: at least 1.
typedef struct {
    vec3_t origin;
    uint16_t number;
    uint16_t need;
} spot_t;

/// An entity that did not fit, or that was sent beside others that did not fit. One that was sent
/// is sent again in each turn until an acknowledgement, because a snapshot without it shows its old
/// state.
typedef struct {
    uint16_t number;
    uint16_t weight;
    uint32_t since; ///< low bits of the tick in which it first did not fit; 0 = it did
    uint32_t sent;  ///< low bits of the tick of its snapshot; 0 = it did not fit
} waiting_t;

/// The priorities of one client. All zero = a new client.
typedef struct {
    int32_t count;
    int32_t num_seen; ///< entities of the last snapshot
    int32_t longest_wait_ms;
    bool is_crowd;         ///< the next turn is one of a crowd
    int32_t room;          ///< entities that would have fit into the last turn
    int32_t backlog;       ///< entities that did not fit, without near ones
    int32_t taken;         ///< entities of the round in the last turn
    int32_t next;          ///< first number of the round that the client has not taken
    uint32_t round_passed; ///< round_t.passed in the last turn
    bool is_behind;        ///< more entities were due than the last turn took
    float near_qu;         ///< entities of a crowd within it are in each turn
    uint32_t all_tick;     ///< low bits of the last tick in which all were in the turn
    int32_t num_blocks;
    uint32_t passed[MAX_EDICTS / PRIORITY_BLOCK]; ///< low bits of the tick of a block's last turn
    waiting_t list[MAX_SNAPSHOT_ENTS];            ///< by number
} priority_t;

/// The round that the crowds of a server share. Zeros before the first tick.
typedef struct {
    int32_t next;    ///< number of the first entity that is not due yet
    uint32_t passed; ///< total of blocks that have become due; wraps
    float pace;      ///< entities that become due between two turns of a client
    float credit;    ///< entities that should be due already, but whose block is larger
    int32_t turns;   ///< turns of crowds since the last tick
    float excess;    ///< entities by which the round may be faster, summed over those turns
} round_t;

/// A turn of one client.
typedef struct {
    vec3_t eye, forward;
    int64_t tick, base_tick; ///< of now, and of the baseline
    int32_t rate_mhz;
    int32_t urgent_ticks, again_ticks; ///< set by Priority_Order
    const uint64_t *aside;             ///< set of the entities that the client keeps; NULL = none
    int32_t num_aside;                 ///< of those, entities that wait
    int32_t num_current;               ///< of those, entities that the client has as they are
    int32_t first, end; ///< numbers taken of the round: `first` to before `end`, which may be lower
    bool is_slow;       ///< more entities were due, and the turn takes fewer than the round's pace
    bool was_behind;    ///< the turn begins with entities that were due in the one before
    int32_t round_ticks; ///< maximum ticks since the last turn of these numbers
    const spot_t *spots; ///< of its entities, by rising number
    int32_t count;       ///< at most MAX_SNAPSHOT_ENTS
    int32_t own;         ///< index of its own entity, which comes first
    uint16_t weights[MAX_SNAPSHOT_ENTS];
    int16_t entries[MAX_SNAPSHOT_ENTS]; ///< indexes in the list of those that wait; -1 = none
    uint16_t order[MAX_SNAPSHOT_ENTS];  ///< indexes of spots, most important first
    uint8_t fates[MAX_SNAPSHOT_ENTS];   ///< as Snapshot_Write reports them
    int32_t num_spare;                  ///< records for which the snapshot has space left
    bool is_near[MAX_SNAPSHOT_ENTS];    ///< while there is a crowd
} turn_t;

/// Begins a map.
void Priority_Reset(priority_t *priority);

/// Begins a tick of the round. `patient`: set of the entities that may wait, by number.
/// `turn_ticks`: from one turn of a client to the next.
void Priority_Advance(round_t *round, int32_t turn_ticks, const uint64_t *patient,
                      int32_t num_words);

/// Begins a turn of a crowd. `aside`: set of the entities that may wait, by number, of which the
/// function removes those of this turn. It must last until Priority_Note; the caller may add
/// the turn->num_current entities that the client has as they are. `turn`: ticks are set.
void Priority_SetAside(priority_t *priority, const round_t *round, turn_t *turn, uint64_t *aside,
                       int32_t num_words);

/// Writes order[]. `turn`: all but the arrays at its end.
void Priority_Order(const priority_t *priority, turn_t *turn);

/// Stores which entities wait, after Snapshot_Write has set fates[].
void Priority_Note(priority_t *priority, round_t *round, const turn_t *turn);

#endif
