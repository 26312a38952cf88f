#include "proto/state_pool.h"

#include "base/assert.h"
#include "proto/pool_local.h"

#include <stdlib.h>
#include <string.h>

state_pool_t *StatePool_New(int32_t states, bool is_shared) {
    ASSERT(states >= 1 && states <= 1 << 24);
    const size_t align = _Alignof(pool_state_t);
    const size_t one = sizeof(pool_state_t) + sizeof(pool_hold_t) + 3 * sizeof(int32_t);
    const size_t head = sizeof(state_pool_t) + (is_shared ? sizeof(pool_tick_t) : 0);
    const size_t size = head + align + (size_t)states * one;
    // In WebAssembly, calloc writes zeros, so that all of the block would take memory.
    state_pool_t *pool = is_shared ? calloc(1, size) : malloc(size);
    if (pool) {
        if (!is_shared) {
            memset(pool, 0, sizeof *pool);
        }
        uint8_t *end = (uint8_t *)pool + head;
        pool->now = is_shared ? (pool_tick_t *)(pool + 1) : NULL;
        pool->states = (pool_state_t *)(void *)(end + -(uintptr_t)end % align);
        pool->holds = (pool_hold_t *)(pool->states + states);
        pool->numbers = (int32_t *)(pool->holds + states);
        pool->settled = (uint32_t *)(pool->numbers + states);
        pool->refs = (int32_t *)(pool->settled + states);
        pool->num_states = states;
        pool->first_free = NO_STATE;
    }
    return pool;
}

_Static_assert(sizeof(state_pool_t) % _Alignof(pool_tick_t) == 0, "pool_tick_t is aligned");

state_pool_t *StatePool_Create(int32_t states) {
    return StatePool_New(states, true);
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
        memset(&pool->states[index].state, 0, sizeof pool->states[index].state);
    } else {
        ASSERT(pool->refs[index] <= 0);
        pool->first_free = -1 - pool->refs[index];
    }
    pool->num_used++;
    pool->refs[index] = 0;
    pool->settled[index] = 0;
    pool->numbers[index] = state->number;
    pool->holds[index] = (pool_hold_t){.tick = tick, .change = -1, .place = NO_PLACE};
    Entity_Copy(&pool->states[index].state, state);
    return index;
}

void StatePool_Begin(state_pool_t *pool, int64_t tick, uint32_t epoch, const entity_state_t *shared,
                     int32_t num_shared) {
    pool_tick_t *now = pool->now;
    if (!now || (now->tick == tick && now->epoch == epoch && now->shared == shared)) {
        return;
    }
    now->serial++;
    now->tick = tick;
    now->epoch = epoch;
    now->shared = shared;
    now->num_places = Q_MinI(MAX_SNAPSHOT_INFOS + num_shared, POOL_PLACES);
    now->num_changes = now->code_bytes = 0;
}

msg_writer_t StatePool_Coder(state_pool_t *pool) {
    pool_tick_t *now = pool->now;
    return MSG_Writer(now->code + now->code_bytes, sizeof now->code - (size_t)now->code_bytes);
}

const pool_change_t *StatePool_AddChange(state_pool_t *pool, int32_t from, int32_t place,
                                         msg_writer_t *coder, bool is_new) {
    pool_tick_t *now = pool->now;
    const int32_t length = is_new ? (int32_t)MSG_BitsWritten(coder) : 0;
    const size_t bytes = MSG_Finish(coder);
    if (coder->overflowed || now->num_changes == POOL_CHANGES) {
        return NULL;
    }
    pool_change_t *change = &now->changes[now->num_changes];
    *change = (pool_change_t){from, place, now->code_bytes, length};
    if (from == NO_STATE) {
        now->fresh[place] = now->num_changes + 1;
    } else {
        pool->holds[from].change = now->num_changes;
    }
    now->num_changes++;
    now->code_bytes += is_new ? (int32_t)bytes : 0;
    return change;
}

int32_t StatePool_Find(state_pool_t *pool, int32_t place, const entity_state_t *state) {
    const int32_t made = StatePool_Made(pool, place);
    if (made != NO_STATE || place >= MAX_SNAPSHOT_INFOS) {
        return made;
    }
    const int32_t last = pool->infos[place];
    if (pool->refs[last] <= 0 || !Entity_Equal(&pool->states[last].state, state)) {
        return NO_STATE;
    }
    StatePool_Share(pool, last, place);
    return last;
}

void StatePool_Share(state_pool_t *pool, int32_t index, int32_t place) {
    pool->now->made[place] = index + 1;
    pool->holds[index].place = place;
    pool->holds[index].serial = pool->now->serial;
    if (place < MAX_SNAPSHOT_INFOS) {
        pool->infos[place] = index;
    }
}
