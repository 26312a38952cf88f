/// world/block.h - creates, checks and hashes a world block, and binds callbacks to it.
//
// Memory:  the caller owns the block. Parts of variable size follow the fixed part (world_t) at
//          byte offsets stored in it:
//
//          +---------+--------------------+----------------------+-----------+---------+--------+
//          | world_t | edicts[max_edicts] | clients[max_clients] | area tree | actives | timers |
//          +---------+--------------------+----------------------+-----------+---------+--------+
//          | written: a bit and a list entry per edict | grounds: a bit per edict |
//          +-------------------------+-----------------+--------+-----------------+---------+
//          | pushers: a bit per edict | pushes: a save per edict | links of pushers per edict |
//          +-------------------------+--------------------------+---------------------------+
//          | history: recent states of edicts (history.h) |
//          +----------------------------------------------+
//
// Repeat:  the same parameters give the same bytes.

#ifndef EDICTD_WORLD_BLOCK_H
#define EDICTD_WORLD_BLOCK_H

#include "base/err.h"
#include "world/world.h"

typedef struct {
    int32_t max_edicts;  ///< max_clients + 1 .. MAX_EDICTS
    int32_t max_clients; ///< 1..MAX_CLIENTS
    uint64_t seed;
    uint64_t map_hash;
    bounds_t bounds; ///< bounds of map model 0, for the area tree
} world_params_t;

/// Returns the size of a block with these parameters, bytes.
size_t World_Bytes(const world_params_t *params);

/// Initialises a block of World_Bytes bytes at tick 0. Only edict 0 (the map) is in use. The block
/// must be aligned to 8 bytes. Align it to 64 bytes for the fastest queries.
world_t *World_Init(void *block, const world_params_t *params);

/// Checks a block from an untrusted source. Returns false with the reason.
bool World_Check(const world_t *world, size_t bytes, err_t *err);

/// Returns a hash of the whole block.
uint64_t World_Hash(const world_t *world);

/// Returns a hash for comparing two runs of the same tick. It includes only the edicts that
/// were written since the last call.
uint64_t World_TickHash(world_t *world);

// ---- callbacks ----

/// Checks a game's callbacks: each needs a unique name of 1..31 bytes and exactly one function.
bool Callbacks_CheckTable(const callback_t *table, int32_t count, err_t *err);

/// Gives each callback of a game an id. A name in the block keeps its id. Returns false if the
/// table lacks a name of the block, has a name twice, or has too many names.
bool Callbacks_Bind(world_t *world, const callback_t *table, int32_t count,
                    callback_binding_t *binding, err_t *err);

/// Returns the id of the callback with this name, or 0.
int32_t Callbacks_Find(const world_t *world, const char *name);

#endif
