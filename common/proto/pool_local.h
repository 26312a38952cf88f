/// proto/pool_local.h - the structs of a state pool. Private to proto/.

#ifndef EDICTD_PROTO_POOL_LOCAL_H
#define EDICTD_PROTO_POOL_LOCAL_H

#include "proto/entity_fields.h"
#include "proto/state_pool.h"

#define NO_STATE    (-1)
#define CHANGE_LONG (-1) // length of a change that does not fit into pool_state_t

/// A state that a packet sent, and its change to a shared state of the current tick.
typedef struct {
    _Alignas(64) int64_t tick; ///< of the packet: the record tick
    int64_t change_tick;       ///< tick of the change, 0 = none
    const entity_state_t *to;  ///< new state of the change
    uint64_t code[2];
    int32_t length; ///< bits of `code`, 0 = `to` is as expected; CHANGE_LONG
    entity_state_t state;
} pool_state_t;

/// Kept apart from the states, so that counting does not load those into the CPU's cache.
typedef struct {
    int32_t refs;     ///< records that hold the state; free: -1 less the next free one, or 0
    uint32_t settled; ///< version of a shared state that it equals without motion; 0 = none
} pool_hold_t;

struct state_pool_s {
    int32_t num_states;
    int32_t num_touched;               ///< states that were ever used
    int32_t first_free;                ///< NO_STATE = none
    int32_t newest[RECORD_WORLD + 1];  ///< by number: the state that was shared last
    uint16_t places[RECORD_WORLD + 1]; ///< for Snapshot_Write; zeros in between
    pool_state_t *states;
    pool_hold_t *holds; ///< of each state
};

/// Stores a state of a packet's tick, without records. Returns NO_STATE if the pool is full.
int32_t StatePool_Add(state_pool_t *pool, int64_t tick, const entity_state_t *state);

/// Returns the state that another ring stored for the same shared entity state in this tick, or for
/// an equal info record; otherwise NO_STATE.
int32_t StatePool_Find(const state_pool_t *pool, int64_t tick, const entity_state_t *state);

/// Lets StatePool_Find find a state.
void StatePool_Share(state_pool_t *pool, int32_t index, const entity_state_t *state);

/// Frees a state that no record holds any more.
void StatePool_Release(state_pool_t *pool, int32_t index);

#endif
