/// proto/pool_local.h - the structs of a state pool. Private to proto/.

#ifndef EDICTD_PROTO_POOL_LOCAL_H
#define EDICTD_PROTO_POOL_LOCAL_H

#include "base/assert.h"
#include "proto/entity_fields.h"
#include "proto/snapshot_ring.h"
#include "proto/state_pool.h"

#define NO_STATE (-1)
#define NO_PLACE (-1) // of a state that no other ring receives

/// A state that a packet sent.
typedef struct {
    _Alignas(64) entity_state_t state;
} pool_state_t;

/// Facts about a stored state. They are apart from the states, so that a snapshot need not load
/// those into the CPU's cache.
typedef struct {
    int64_t tick;    ///< of the packet: the record tick
    int32_t change;  ///< index of its change; may be old, see StatePool_Change
    int32_t place;   ///< place of the shared state that it stores, NO_PLACE = none
    uint64_t serial; ///< tick (pool_tick_t.serial) of the last StatePool_Share
} pool_hold_t;

/// Ages at which rings drop snapshots, with a full and with an empty pool. The former exceeds most
/// round trips: a client that loses its baseline sooner than it acknowledges never has one again.
#define POOL_FULL_KEEP_MS  1000
#define POOL_EMPTY_KEEP_MS 8000

#define POOL_CHANGES    (1 << 15)
#define POOL_CODE_BYTES (1 << 19)
#define POOL_PLACES     (MAX_SNAPSHOT_INFOS + 2 * MAX_EDICTS)

/// A change to a shared state, coded once.
typedef struct {
    int32_t from;   ///< NO_STATE = a new record
    int32_t place;  ///< of the new state
    int32_t offset; ///< of the code, bytes
    int32_t length; ///< of the code, bits; 0 = the new state is as expected
} pool_change_t;

/// States and changes that the rings share in one tick. The used part is small and stays in the
/// CPU's cache. A place is an index in the lists of snapshot_parts_t: info records, then `shared`.
typedef struct {
    int64_t tick;
    uint32_t epoch;
    uint64_t serial; ///< number of the tick, counted by StatePool_Begin
    const entity_state_t *shared;
    int32_t num_places, num_changes, code_bytes;
    /// Index of the state in the pool + 1; may be of an older tick: use StatePool_Made.
    int32_t made[POOL_PLACES];
    /// Index of the change from nothing + 1; may be of an older tick: use StatePool_Change.
    int32_t fresh[POOL_PLACES];
    pool_change_t changes[POOL_CHANGES];
    uint8_t code[POOL_CODE_BYTES];
} pool_tick_t;

struct state_pool_s {
    _Alignas(pool_tick_t) int32_t num_states; ///< a pool_tick_t may follow the struct
    int32_t num_touched;                      ///< states that were ever used
    int32_t first_free;                       ///< NO_STATE = none
    int32_t num_used;                         ///< states that are not free
    int32_t infos[MAX_SNAPSHOT_INFOS];        ///< info records that were shared last
    int32_t rest[MAX_EDICTS];                 ///< by number: shared state of an entity at rest
    uint16_t places[RECORD_WORLD + 1];        ///< for Snapshot_Write; zeros in between
    pool_tick_t *now;                         ///< NULL = the pool of one ring
    pool_state_t *states;
    pool_hold_t *holds; ///< of each state
    int32_t *numbers;   ///< of each state, as in it
    uint32_t *settled;  ///< version of a shared state that it equals without motion; 0 = none
    int32_t *refs;      ///< records that hold the state; free: -1 less the next free one, or 0
};

/// As StatePool_Create. `is_shared`: false = for one ring.
state_pool_t *StatePool_New(int32_t states, bool is_shared);

/// Returns how long a ring of a shared pool keeps a snapshot: shorter, the fuller the pool is.
static inline int32_t StatePool_KeepMs(const state_pool_t *pool) {
    const int64_t keep_ms =
        (int64_t)POOL_EMPTY_KEEP_MS * (pool->num_states - pool->num_used) / pool->num_states;
    return keep_ms > POOL_FULL_KEEP_MS ? (int32_t)keep_ms : POOL_FULL_KEEP_MS;
}

/// Begins a tick, if it has not begun yet: forgets the changes and places of the last one.
void StatePool_Begin(state_pool_t *pool, int64_t tick, uint32_t epoch, const entity_state_t *shared,
                     int32_t num_shared);

/// Returns the change from a held state, or from NO_STATE, to the shared state in `place`. Returns
/// NULL if it is not coded yet.
static inline const pool_change_t *StatePool_Change(const state_pool_t *pool, int32_t from,
                                                    int32_t place) {
    const pool_tick_t *now = pool->now;
    const int32_t index = from == NO_STATE ? now->fresh[place] - 1 : pool->holds[from].change;
    const bool is_valid = index >= 0 && index < now->num_changes &&
                          now->changes[index].from == from && now->changes[index].place == place;
    return is_valid ? &now->changes[index] : NULL;
}

/// Returns a writer for the code of a change.
msg_writer_t StatePool_Coder(state_pool_t *pool);

/// Stores a change that StatePool_Coder has coded. `is_new`: false = the new state is as expected.
/// Returns NULL if there is no space.
const pool_change_t *StatePool_AddChange(state_pool_t *pool, int32_t from, int32_t place,
                                         msg_writer_t *coder, bool is_new);

/// Stores a state of a packet's tick, without records. Returns NO_STATE if the pool is full.
int32_t StatePool_Add(state_pool_t *pool, int64_t tick, const entity_state_t *state);

/// Returns the state that another ring stored for the same place in this tick, or NO_STATE.
static inline int32_t StatePool_Made(const state_pool_t *pool, int32_t place) {
    const int32_t index = pool->now->made[place] - 1;
    const bool is_valid = index >= 0 && pool->refs[index] > 0 &&
                          pool->holds[index].place == place &&
                          pool->holds[index].serial == pool->now->serial;
    return is_valid ? index : NO_STATE;
}

/// As StatePool_Made, or the state that another ring stored before for an equal info record.
int32_t StatePool_Find(state_pool_t *pool, int32_t place, const entity_state_t *state);

/// Lets StatePool_Find find a state.
void StatePool_Share(state_pool_t *pool, int32_t index, int32_t place);

/// Ends a record's hold on a state. Frees a state that no record holds any more.
static inline void StatePool_Release(state_pool_t *pool, int32_t index) {
    const int32_t left = --pool->refs[index];
    ASSERT(left >= 0);
    if (left == 0) {
        pool->refs[index] = -1 - pool->first_free;
        pool->first_free = index;
        pool->num_used--;
    }
}

#endif
