/// world/callbacks.h - the functions of a game that the engine calls: think, touch, use, blocked.
//
// Memory:  the caller owns the binding. The world block contains names and ids, no pointers.

#ifndef EDICTD_WORLD_CALLBACKS_H
#define EDICTD_WORLD_CALLBACKS_H

#include "state/trace.h"
#include "world/edict.h"

typedef struct sv_context_s sv_context_t;

typedef void (*think_fn)(sv_context_t *sv, edict_t *self);
/// Called when `self` touches `other`. `trace` is the hit, or NULL if the two overlap.
typedef void (*touch_fn)(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);
typedef void (*use_fn)(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator);
/// Called when `obstacle` blocks the pusher `self`. All edicts are back where they were before.
typedef void (*blocked_fn)(sv_context_t *sv, edict_t *self, edict_t *obstacle);

/// A named callback. Exactly one of the four functions is set.
typedef struct {
    const char *name; ///< at most 31 bytes
    think_fn think;
    touch_fn touch;
    use_fn use;
    blocked_fn blocked;
} callback_t;

/// The callbacks of a game by id. Id 0 is no callback.
typedef struct callback_binding_s {
    const callback_t *by_id[MAX_CALLBACKS];
} callback_binding_t;

/// Returns the callback of an id, or NULL if the id is 0, out of range or not bound.
static inline const callback_t *Callbacks_Get(const callback_binding_t *binding, int32_t id) {
    return id > 0 && id < MAX_CALLBACKS ? binding->by_id[id] : NULL;
}

#endif
