/// world/world.h - the world: all state of the simulation, in one block of memory without pointers.
//
// Units:   time in ms and ticks, int64.
// Memory:  the caller owns the block. block.h draws its layout.
// Repeat:  same block + same inputs = same bits.

#ifndef EDICTD_WORLD_WORLD_H
#define EDICTD_WORLD_WORLD_H

#include "base/assert.h"
#include "base/rng.h"
#include "state/names.h"
#include "world/context.h"
#include "world/edict.h"
#include "world/game_cvars.h"

/// X(name, help): counters in the world block. A replay counts the same.
#define WORLD_COUNTERS(X)                                                                          \
    X(edicts_full, "spawns refused because no edict was free")                                     \
    X(strings_full, "texts refused because the string table was full")                             \
    X(quarantined, "edicts quarantined because of an impossible state")                            \
    X(pushers_stranded, "pushers stopped because the pusher under them was quarantined")           \
    X(velocity_clamped, "velocities clamped to sv_maxvelocity")                                    \
    X(thinks_over_budget, "thinks delayed to the next tick")                                       \
    X(touches_dropped, "touches dropped beyond a limit: per link, of nesting or per tick")         \
    X(hull_misfit, "boxes that no hull of the map fits")                                           \
    X(cmds_late, "usercmds that arrived after their time was filled")                              \
    X(cmds_over_credit_ms, "ms of usercmds beyond the time credit")                                \
    X(cmds_queue_full, "usercmds refused because the queue was full")                              \
    X(filled_ms, "ms of player time filled because no usercmd arrived")                            \
    X(timers_full, "timers refused because all were in use")                                       \
    X(names_refused, "models, sounds or effects that could not be registered")                     \
    X(inputs_dropped, "inputs dropped beyond the limit of a tick")                                 \
    X(unstuck, "stuck players moved to a free position")                                           \
    X(unknown_classes, "map entities of unknown class")                                            \
    X(history_full, "changes not recorded for sv_maxunlag_ms because no track was free")           \
    X(history_short, "changes lost before sv_maxunlag_ms had passed")

typedef struct {
#define WORLD_COUNTER_FIELD(name, help) uint64_t name;
    WORLD_COUNTERS(WORLD_COUNTER_FIELD)
#undef WORLD_COUNTER_FIELD
} world_counters_t;

/// Bytes reserved for the gameplay cvars.
#define CVARS_ROOM_BYTES 1024

/// Number of hash chains of the string table.
#define STRING_BUCKETS 1024

/// The start of the world block. Arrays such as the edicts follow it (block.h).
struct world_s {
    uint64_t magic; ///< WORLD_MAGIC
    uint64_t bytes; ///< size of the whole block
    uint64_t map_hash;
    int64_t tick;       ///< number of ticks run; during a tick, the number of that tick (from 0)
    int64_t time_ms;    ///< world time at the end of this tick's movement
    uint64_t tick_hash; ///< World_TickHash of the last tick
    rng_t rng;
    int32_t max_edicts, max_clients;
    int32_t num_edicts; ///< highest edict number ever used + 1
    int32_t first_free; ///< head of the free list, -1 = none
    uint64_t ofs_edicts, ofs_clients, ofs_area, ofs_active, ofs_timers, ofs_written, ofs_grounds;
    uint64_t ofs_pushers, ofs_pushes, ofs_history;
    int64_t think_time_ms; ///< time that the running think sees; 0 = no think runs
    int64_t touch_tick;    ///< tick that touches_done belongs to
    uint64_t names_hash;   ///< hash of callback_names, for the tick hash
    uint64_t strings_hash; ///< hash of the texts in order of interning, for the tick hash
    world_counters_t counters;
    union {
        game_cvars_t cvars;
        uint8_t
            cvars_room[CVARS_ROOM_BYTES]; ///< so that a new cvar moves no other field; unused = 0
    };
    int32_t num_timers;  ///< entries of the timer heap
    int32_t timers_used; ///< timers of edicts that were ever used
    int32_t timers_free; ///< first free timer of edicts below timers_used; 0 = none
    int32_t num_written; ///< entries of the list of edicts written in this tick
    int32_t num_callbacks;
    int32_t strings_bytes;                   ///< used bytes of strings
    int32_t num_killed;                      ///< edicts flagged FL_KILLME in this tick
    int32_t touches_done;                    ///< touches run in tick touch_tick
    int32_t touch_depth;                     ///< nesting of running touches; 0 between ticks
    int32_t first_follower;                  ///< chain of followers (followers.h), 0 = none
    int32_t name_counts[NAMES_OF_GAME];      ///< entries of name_ids, see names.h
    int32_t name_bytes;                      ///< sum of Names_Cost
    uint64_t name_hash;                      ///< hash of name_ids, for the tick hash
    uint16_t string_buckets[STRING_BUCKETS]; ///< newest string id of each hash, 0 = none
    uint64_t game_layout; ///< hash of the offsets of the game's fields; set when a game is bound
    uint64_t game_models; ///< hash of the game's models; set when a game is bound
    char callback_names[MAX_CALLBACKS][32];      ///< [0] is unused
    uint16_t name_ids[NAMES_OF_GAME][NAMES_MAX]; ///< string ids by number; [0] is unused
    char strings[MAX_STRINGS_BYTES]; ///< interned texts; a string id is an offset, 0 = ""
    uint8_t game[WORLD_GAME_BYTES];  ///< the game's own variables
};

/// Returns edict `number`, which must be below max_edicts.
static inline edict_t *World_Edict(const world_t *world, int32_t number) {
    ASSERT(number >= 0 && number < world->max_edicts);
    return (edict_t *)((uintptr_t)world + world->ofs_edicts) + number;
}

/// Returns the client in `slot`, which must be below max_clients.
struct client_s *World_Client(const world_t *world, int32_t slot);

/// Returns the client that plays an edict, or NULL.
struct client_s *World_ClientOf(const world_t *world, const edict_t *edict);

static inline int32_t World_EdictNumber(const world_t *world, const edict_t *edict) {
    return (int32_t)(edict - (const edict_t *)((uintptr_t)world + world->ofs_edicts));
}

/// Returns a handle to a live edict.
static inline edict_ref_t World_Ref(const world_t *world, const edict_t *edict) {
    edict_ref_t ref = {(uint32_t)World_EdictNumber(world, edict), edict->generation};
    return ref;
}

/// Returns the edict of a handle, or NULL if there is none or it was freed.
edict_t *World_Deref(const world_t *world, edict_ref_t ref);

/// Creates an edict with all fields zero. It thinks and moves from the next tick on. Returns NULL
/// if none is free.
edict_t *SV_SpawnEdict(sv_context_t *sv);

/// Creates the edict of a client with all fields zero. Frees the edict first if it is in use.
edict_t *SV_SpawnEdictAt(sv_context_t *sv, int32_t number);

/// Frees an edict at once. Call only between ticks; inside a tick use SV_RemoveEdict.
void SV_FreeEdict(sv_context_t *sv, edict_t *edict);

/// Marks an edict to be freed at the end of this tick. From now on, the edict does not think, move,
/// touch or block. May be called inside a callback of the edict.
void SV_RemoveEdict(sv_context_t *sv, edict_t *edict);

/// Frees all edicts that SV_RemoveEdict marked in this tick. Step 6 of the tick.
void SV_FreeRemoved(sv_context_t *sv);

/// Sets the time of an edict's next think; 0 = never. For a pusher, in local time.
void SV_SetNextThink(sv_context_t *sv, edict_t *edict, int64_t time_ms);

/// Sets a timer of an edict: the think callback with this id runs once at `time_ms`, besides the
/// edict's think; 0 = not any more. For a pusher, in local time. Replaces the timer with the same
/// callback. Logs and returns false if `think` is no think callback, the edict is not live, or all
/// MAX_EDICT_TIMERS are in use.
bool SV_SetTimer(sv_context_t *sv, edict_t *edict, int32_t think, int64_t time_ms);

/// Returns the time of an edict's next think or timer, for a pusher in local time; 0 = never.
int64_t World_NextDue(const world_t *world, const edict_t *edict);

/// Wakes an edict: each tick runs its movement until it rests again.
void SV_WakeEdict(sv_context_t *sv, edict_t *edict);

/// Stores a text and returns the id. Equal texts have equal ids. Returns 0 if the table is full.
int32_t World_String(world_t *world, const char *text);

/// Returns the id of a text that World_String stored, or 0.
int32_t World_FindString(const world_t *world, const char *text);

/// Returns the text of a string id; "" for 0 and for an id out of range.
const char *World_Text(const world_t *world, int32_t id);

/// Records that an edict was written in this tick, for the tick hash. May be called repeatedly.
void World_MarkWritten(world_t *world, const edict_t *edict);

/// Returns the numbers of the edicts written in this tick, world->num_written of them.
int32_t *World_WrittenList(const world_t *world);

/// Returns the lowest awake edict above `after`, or -1. Start with -1, continue with the result.
int32_t World_NextActive(const world_t *world, int32_t after);

/// Puts an edict to sleep. SV_WakeEdict, SV_LinkEdict or the think time wakes the edict.
void World_Rest(world_t *world, const edict_t *edict);

/// Wakes every edict whose think is due.
void World_WakeDue(sv_context_t *sv);

/// Applies edict->nextthink_ms. Call after a game may have written the field directly.
void World_SyncTimer(world_t *world, const edict_t *edict);

/// Returns true if the edict was spawned in the current tick.
static inline bool World_SpawnedNow(const world_t *world, const edict_t *edict) {
    return edict->spawn_tick_lo == (int32_t)(world->tick & 0x7fffffff);
}

/// Returns true if an edict is in use, not removed in this tick and not quarantined.
static inline bool World_IsLive(const edict_t *edict) {
    return edict->inuse && !(edict->flags & (FL_KILLME | FL_QUARANTINED));
}

#endif
