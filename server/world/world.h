/// world/world.h - the world: one flat block without pointers that holds everything a tick reads
/// or writes. Copying it is a snapshot, writing it a checkpoint, hashing it its identity.
//
// Floor:   world.
// Units:   time in ms and ticks, int64.
// Memory:  World_Bytes tells the size, the caller owns the block, World_Init lays it out. Parts of
//          variable size lie behind the fixed part at byte offsets stored in it:
//
//          +---------+--------------------+----------------------+-----------+---------+--------+
//          | world_t | edicts[max_edicts] | clients[max_clients] | area tree | actives | timers |
//          +---------+--------------------+----------------------+-----------+---------+--------+
//          | written: a bit and a list entry per edict | grounds: a bit per edict |
//          +-------------------------+-----------------+--------+-----------------+---------+
//          | pushers: a bit per edict | pushes: a save per edict | links of pushers per edict |
//          +-------------------------+--------------------------+---------------------------+
//
// Repeat:  same block + same inputs = same bits.

#ifndef EDICTD_WORLD_WORLD_H
#define EDICTD_WORLD_WORLD_H

#include "base/assert.h"
#include "base/rng.h"
#include "collide/cache.h"
#include "model/pose.h"
#include "world/callbacks.h"
#include "world/client.h"
#include "world/edict.h"
#include "world/events.h"
#include "world/game_cvars.h"

/// X(name, help): everything a tick counts. In the block, so a replay counts the same.
#define WORLD_COUNTERS(X)                                                                          \
    X(edicts_full, "spawns refused: no free edict")                                                \
    X(strings_full, "texts refused: string table full")                                            \
    X(quarantined, "edicts with an impossible state, taken out")                                   \
    X(pushers_stranded, "pushers that stopped because what they rode on was taken out")            \
    X(velocity_clamped, "velocities over sv_maxvelocity")                                          \
    X(thinks_over_budget, "thinks put off to the next tick")                                       \
    X(touches_dropped, "touches beyond the limit of one link, of depth, or of a tick")             \
    X(hull_misfit, "boxes that no hull of the map fits")                                           \
    X(cmds_late, "usercmds that came after their time was filled")                                 \
    X(cmds_over_credit_ms, "ms of usercmds beyond the time credit")                                \
    X(cmds_queue_full, "usercmds beyond the queue")                                                \
    X(filled_ms, "ms of player time filled because no usercmd came")                               \
    X(inputs_dropped, "inputs beyond the limit of a tick")                                         \
    X(unstuck, "players put back to their last good place")                                        \
    X(unknown_classes, "map entities of unknown class")

typedef struct {
#define WORLD_COUNTER_FIELD(name, help) uint64_t name;
    WORLD_COUNTERS(WORLD_COUNTER_FIELD)
#undef WORLD_COUNTER_FIELD
} world_counters_t;

typedef struct {
    int32_t max_edicts;  ///< max_clients + 1 .. MAX_EDICTS
    int32_t max_clients; ///< 1..MAX_CLIENTS
    uint64_t seed;
    uint64_t map_hash;
    bounds_t bounds; ///< of map model 0: where the area tree lies
} world_params_t;

/// Bytes of the world that belong to the game.
#define WORLD_GAME_BYTES 4096

/// Bytes of the gameplay cvars.
#define CVARS_ROOM_BYTES 1024

/// Chains of the string table, by hash.
#define STRING_BUCKETS 1024

/// Named by `world_t`; also the start of the block.
typedef struct world_s {
    uint64_t magic; ///< "edictwld" and the layout's version
    uint64_t bytes; ///< of the whole block
    uint64_t map_hash;
    int64_t tick;       ///< ticks run so far; the tick being run is tick (0-based)
    int64_t time_ms;    ///< world time at the end of this tick's movement
    uint64_t tick_hash; ///< of the last tick
    rng_t rng;
    int32_t max_edicts, max_clients;
    int32_t num_edicts; ///< highest edict number ever used + 1
    int32_t first_free; ///< free list head, -1 = none
    uint64_t ofs_edicts, ofs_clients, ofs_area, ofs_active, ofs_timers, ofs_written, ofs_grounds;
    uint64_t ofs_pushers, ofs_pushes;
    int64_t think_time_ms; ///< what the think that runs sees as the time; 0 = none runs
    int64_t touch_tick;    ///< tick that touches_done counts in
    uint64_t names_hash;   ///< of callback_names: stands for them in the tick hash
    uint64_t strings_hash; ///< of the texts in the order they were interned: the same for strings
    world_counters_t counters;
    union {
        game_cvars_t cvars;
        uint8_t cvars_room[CVARS_ROOM_BYTES]; ///< new ones move nothing; unused bytes are zero
    };
    int32_t num_timers;  ///< entries of the timer heap
    int32_t num_written; ///< entries of the list of edicts written in this tick
    int32_t num_callbacks;
    int32_t strings_bytes;                   ///< used bytes of strings
    int32_t num_killed;                      ///< edicts flagged FL_KILLME in this tick
    int32_t touches_done;                    ///< touches run in tick touch_tick
    int32_t touch_depth;                     ///< touches running inside each other; 0 between ticks
    int32_t first_follower;                  ///< chain of followers (followers.h), 0 = none
    uint16_t string_buckets[STRING_BUCKETS]; ///< newest string id of each hash, 0 = none
    uint64_t game_layout; ///< hash of where the game's fields lie: set when a game is bound
    uint64_t game_models; ///< hash of the game's models: set with it
    char callback_names[MAX_CALLBACKS][32]; ///< [0] is unused
    char strings[MAX_STRINGS_BYTES];        ///< interned texts; a string id is an offset, 0 = ""
    uint8_t game[WORLD_GAME_BYTES];         ///< the game's own variables
} world_t;

/// Everything a function of the simulation may reach. One per SV_Frame, on the host's stack.
struct sv_context_s {
    world_t *world;
    const cmap_t *map;
    const callback_binding_t *callbacks;
    events_t *events;                   ///< may be NULL
    const struct game_import_s *engine; ///< the game's way back in; core/ sets it
    const struct game_export_s *game;   ///< the game's table; core/ sets it
    const model_t *models;              ///< of the game's table; [0] is none. NULL = there are none
    int32_t num_models;                 ///< with [0]
    pose_cache_t *poses;                ///< memory of poses; NULL = none, with the same answers
    struct sv_running_s *running;       ///< world/running.h; NULL = no report is wanted
    cm_cache_t *caches;                 ///< of the map around each client slot's player, the same
};

/// Bytes of a block for these parameters.
size_t World_Bytes(const world_params_t *params);

/// Lays out a block of World_Bytes bytes (any content): no edict but the world's, tick 0. It must lie
/// on 8 bytes; on 64 (aligned_alloc) queries are fastest.
world_t *World_Init(void *block, const world_params_t *params);

/// Checks a block that came from outside: magic, size, offsets, ranges, links.
bool World_Check(const world_t *world, size_t bytes, err_t *err);

/// The hash of the whole block.
uint64_t World_Hash(const world_t *world);

/// Edict by number; must be below max_edicts.
static inline edict_t *World_Edict(const world_t *world, int32_t number) {
    ASSERT(number >= 0 && number < world->max_edicts);
    return (edict_t *)((uintptr_t)world + world->ofs_edicts) + number;
}

static inline int32_t World_EdictNumber(const world_t *world, const edict_t *edict) {
    return (int32_t)(edict - (const edict_t *)((uintptr_t)world + world->ofs_edicts));
}

static inline client_t *World_Client(const world_t *world, int32_t slot) {
    ASSERT(slot >= 0 && slot < world->max_clients);
    return (client_t *)((uintptr_t)world + world->ofs_clients) + slot;
}

/// A handle to an edict that lives.
static inline edict_ref_t World_Ref(const world_t *world, const edict_t *edict) {
    return (edict_ref_t){(uint32_t)World_EdictNumber(world, edict), edict->generation};
}

/// The edict of a handle, or NULL when it is none or gone.
edict_t *World_Deref(const world_t *world, edict_ref_t ref);

/// A new edict, zeroed but for its generation. NULL (counted) when all are taken. It thinks and
/// moves from the next tick on.
edict_t *SV_SpawnEdict(sv_context_t *sv);

/// Makes edict `number` (a client's) live, zeroed.
edict_t *SV_SpawnEdictAt(sv_context_t *sv, int32_t number);

/// Frees at once: unlinked, zeroed, generation raised. Only between ticks and in core.
void SV_FreeEdict(sv_context_t *sv, edict_t *edict);

/// Marks it to be freed at the end of this tick; from now on it neither thinks, moves, touches nor
/// stops anything. Safe inside its own think or touch.
void SV_RemoveEdict(sv_context_t *sv, edict_t *edict);

/// Frees all that were removed in this tick. Step 6 of the tick.
void SV_FreeRemoved(sv_context_t *sv);

/// Sets when it thinks next (0 = never; a pusher's in its local time) and puts it on the timer heap.
void SV_SetNextThink(sv_context_t *sv, edict_t *edict, int64_t time_ms);

/// It moves or may move: visit it in step 4, a pusher in step 2, until it rests.
void SV_WakeEdict(sv_context_t *sv, edict_t *edict);

/// Interns a text; the id is stable. 0 (counted) when the table is full.
int32_t World_String(world_t *world, const char *text);

/// The id of a text that is interned; 0 when it is not.
int32_t World_FindString(const world_t *world, const char *text);

/// The text of a string id; "" for 0 and for an id out of range.
const char *World_Text(const world_t *world, int32_t id);

/// Notes that an edict was written in this tick, for the tick hash. Cheap; twice is fine.
void World_MarkWritten(world_t *world, const edict_t *edict);

/// The tick hash: the sum of the hashes of the edicts written since the last call, of the fixed
/// part (texts by their running hash), the game's variables and the clients in use. Everything else
/// of the block follows from these.
uint64_t World_TickHash(world_t *world);

/// The next edict after `after` that is awake, or -1. In index order when called with the last
/// answer; start with -1.
int32_t World_NextActive(const world_t *world, int32_t after);

/// Takes an edict off the awake ones, until SV_WakeEdict, a link or its timer wakes it.
void World_Rest(world_t *world, const edict_t *edict);

/// Wakes every edict whose think is due, at most max_edicts.
void World_WakeDue(sv_context_t *sv);

/// Brings the timer heap in line with edict->nextthink_ms, in case it was written directly.
void World_SyncTimer(world_t *world, const edict_t *edict);

/// True from SV_SpawnEdict to the end of that tick.
static inline bool World_SpawnedNow(const world_t *world, const edict_t *edict) {
    return edict->spawn_tick_lo == (int32_t)(world->tick & 0x7fffffff);
}

/// It lives, and neither was removed in this tick nor is quarantined.
static inline bool World_IsLive(const edict_t *edict) {
    return edict->inuse && !(edict->flags & (FL_KILLME | FL_QUARANTINED));
}

#endif
