/// world/gamecheck.h - sv_gamecheck: finds what a game writes to the wrong place or does not link.
//
// Reports these faults (world/faults.h) with the callback that made them: a struct larger than its
// room, bytes of a room that no field covers, writes to edicts not in use, and edicts whose origin,
// box or solid changed without a link.
//
// Memory:  shadows of edicts and clients, outside the world; the caller owns them.
// Cost:    two walks over all edicts for each call of the game.
// Repeat:  reads the world only.

#ifndef EDICTD_WORLD_GAMECHECK_H
#define EDICTD_WORLD_GAMECHECK_H

#include "world/client.h"
#include "world/running.h"

/// The state of an edict when the game was last called or returned.
typedef struct {
    uint32_t generation, inuse;
    int32_t solid, model;
    vec3_t origin, mins, maxs, angles;
    bool is_dirty;      ///< a byte is not zero that should be; this was reported
    sv_running_t moved; ///< callback that changed the edict and has not linked it; kind NULL = none
} edict_shadow_t;

/// Values of a client slot that never change while the game runs.
typedef struct {
    int64_t last_cmd_tick, floor_tick, joined_tick;
    uint16_t inuse;
    bool is_dirty;
} client_shadow_t;

typedef struct gamecheck_s {
    const world_t *world; ///< that the shadows are of; NULL = none yet
    bool is_world_dirty;
    bool are_gaps_dirty[3]; ///< after the world, the edicts and the clients
    bounds_t area_bounds;   ///< the first bytes after the clients
    /// 0xff for each byte of a room that no field covers.
    _Alignas(8) uint8_t edict_free[EDICT_GAME_BYTES];
    _Alignas(8) uint8_t client_free[CLIENT_GAME_BYTES];
    _Alignas(8) uint8_t world_free[WORLD_GAME_BYTES];
    client_shadow_t clients[MAX_CLIENTS];
    edict_shadow_t edicts[]; ///< [max_edicts]
} gamecheck_t;

/// Reports what the function of the game that runs has written wrongly since the last call, and
/// updates the shadows. Without such a function, only updates them.
void GameCheck_Look(const sv_context_t *sv);

/// Reports the edicts that were changed and not linked until now.
void GameCheck_EndTick(const sv_context_t *sv);

/// Returns true if an edict is linked as its origin, box and solid require.
bool SV_IsLinkedRight(const sv_context_t *sv, const edict_t *edict);

#endif
