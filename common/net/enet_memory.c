#include "net/enet_memory.h"

#include <enet/enet.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// Writable statics, because ENet's callbacks have no user pointer.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static err_t init_error; // empty if ENet is initialised
// Negative if ENet frees blocks from before.
static atomic_ptrdiff_t used_bytes;
static atomic_size_t limit_bytes = ENET_MEMORY_LIMIT;
static atomic_uint_fast64_t num_failures;
static _Thread_local bool receiving;

static void *bounded_malloc(size_t size) {
    size_t limit = atomic_load(&limit_bytes);
    limit -= receiving ? limit / ENET_MEMORY_RESERVE : 0;
    // Tests first, so each thread may exceed the limit by one block.
    if (size > limit || atomic_load(&used_bytes) > (ptrdiff_t)(limit - size)) {
        return NULL;
    }
    void *block = malloc(size);
    if (block) {
        atomic_fetch_add(&used_bytes, (ptrdiff_t)malloc_usable_size(block));
    }
    return block;
}

static void counted_free(void *block) {
    if (block) {
        atomic_fetch_sub(&used_bytes, (ptrdiff_t)malloc_usable_size(block));
        free(block);
    }
}

/// Counts a failed allocation. ENet 1.3.17 then drops only that packet or peer; its default aborts.
static void count_no_memory(void) {
    atomic_fetch_add(&num_failures, 1);
}

static void init_once(void) {
    ENetCallbacks callbacks = {
        .malloc = bounded_malloc, .free = counted_free, .no_memory = count_no_memory};
    if (EnetSeam_Check(&init_error) &&
        enet_initialize_with_callbacks(ENET_VERSION, &callbacks) != 0) {
        Err_Set(&init_error, "network: ENet failed to initialise");
    }
}

bool EnetMemory_Init(err_t *err) {
    pthread_once(&once, init_once);
    return !init_error.text[0] || Err_Set(err, "%s", init_error.text);
}

size_t EnetMemory_Used(void) {
    ptrdiff_t used = atomic_load(&used_bytes);
    return used > 0 ? (size_t)used : 0;
}

uint64_t EnetMemory_Failures(void) {
    return atomic_load(&num_failures);
}

void EnetMemory_SetReceiving(bool is_receiving) {
    receiving = is_receiving;
}

void EnetMemory_SetLimit(size_t bytes) {
    atomic_store(&limit_bytes, bytes);
}
