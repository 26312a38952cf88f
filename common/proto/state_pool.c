#include "proto/state_pool.h"

#include "base/assert.h"
#include "proto/pool_local.h"

#include <stdlib.h>

state_pool_t *StatePool_Create(int32_t states) {
    ASSERT(states >= 1 && states <= 1 << 24);
    const size_t align = _Alignof(pool_state_t);
    const size_t one = sizeof(pool_state_t) + sizeof(pool_hold_t);
    state_pool_t *pool = calloc(1, sizeof *pool + align + (size_t)states * one);
    if (pool) {
        uint8_t *end = (uint8_t *)(pool + 1);
        pool->states = (pool_state_t *)(void *)(end + -(uintptr_t)end % align);
        pool->holds = (pool_hold_t *)(pool->states + states);
        pool->num_states = states;
        pool->first_free = NO_STATE;
    }
    return pool;
}

void StatePool_Destroy(state_pool_t *pool) {
    free(pool);
}

int32_t StatePool_Add(state_pool_t *pool, int64_t tick, const entity_state_t *state) {
    int32_t index = pool->first_free;
    if (index == NO_STATE && pool->num_touched == pool->num_states) {
        return NO_STATE;
    }
    if (index == NO_STATE) {
        index = pool->num_touched++;
    } else {
        ASSERT(pool->holds[index].refs <= 0);
        pool->first_free = -1 - pool->holds[index].refs;
    }
    pool->holds[index] = (pool_hold_t){0};
    pool_state_t *entry = &pool->states[index];
    entry->tick = tick;
    entry->change_tick = 0;
    Entity_Copy(&entry->state, state);
    return index;
}

int32_t StatePool_Find(const state_pool_t *pool, int64_t tick, const entity_state_t *state) {
    const int32_t index = pool->newest[state->number];
    const pool_state_t *entry = &pool->states[index];
    bool is_same = state->number < MAX_EDICTS
                       ? entry->tick == tick && entry->change_tick == tick && entry->to == state
                       : Entity_Equal(&entry->state, state);
    return pool->holds[index].refs > 0 && is_same ? index : NO_STATE;
}

void StatePool_Share(state_pool_t *pool, int32_t index, const entity_state_t *state) {
    pool_state_t *entry = &pool->states[index];
    entry->change_tick = entry->tick;
    entry->to = state;
    entry->length = 0;
    pool->newest[state->number] = index;
}

void StatePool_Release(state_pool_t *pool, int32_t index) {
    ASSERT(pool->holds[index].refs > 0);
    if (--pool->holds[index].refs == 0) {
        pool->holds[index].refs = -1 - pool->first_free;
        pool->first_free = index;
    }
}
