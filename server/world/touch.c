/// world/touch.c - touches of the triggers that an edict overlaps.
//
// A touch callback may link, remove or teleport any edict, and so start further touches. Depth and
// number per tick are limited, and each result of a query is checked again before its use.

#include "world/link.h"

#include "world/faults.h"
#include "world/neighbours.h"
#include "world/shape.h"
#include "world/world_local.h"

static bool is_same(const world_t *world, const edict_t *edict, edict_ref_t ref) {
    return edict->inuse && World_Ref(world, edict).generation == ref.generation &&
           !(edict->flags & (FL_KILLME | FL_QUARANTINED));
}

// Counts one more touch in this tick. Returns false if a limit is reached.
static bool take_touch(const sv_context_t *sv, const edict_t *self, const callback_t *callback) {
    world_t *world = sv->world;
    if (world->touch_tick != world->tick) {
        world->touch_tick = world->tick;
        world->touches_done = 0;
    }
    if (world->touches_done >= MAX_TOUCHES_TICK || world->touch_depth >= MAX_TOUCH_DEPTH) {
        world->counters.touches_dropped++;
        SV_ReportFaultOf(sv, self, "touch", callback->name,
                         "expected at most %d touches inside each other and %d in a tick, found "
                         "more",
                         MAX_TOUCH_DEPTH, MAX_TOUCHES_TICK);
        return false;
    }
    world->touches_done++;
    return true;
}

// Wakes an edict after a callback, which may have changed velocity or origin.
static void note_change(sv_context_t *sv, edict_t *edict) {
    World_MarkWritten(sv->world, edict);
    if (World_EdictNumber(sv->world, edict) != EDICT_WORLD) {
        SV_WakeEdict(sv, edict);
    }
}

bool SV_CallTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    world_t *world = sv->world;
    if (self->touch == 0) {
        return true;
    }
    const callback_t *callback = Callbacks_Get(sv->callbacks, self->touch);
    if (!callback || !callback->touch) {
        SV_QuarantineEdict(sv, self, "its touch is not a touch callback");
        return World_IsLive(self);
    }
    if (!take_touch(sv, self, callback)) {
        return true;
    }
    edict_ref_t self_ref = World_Ref(world, self);
    edict_ref_t other_ref = World_Ref(world, other);
    world->touch_depth++;
    sv_running_t outer = SV_EnterGame(sv, "touch", callback->name, self);
    callback->touch(sv, self, other, trace);
    SV_LeaveGame(sv, outer);
    ASSERT(world->touch_depth > 0 && world->touch_depth <= MAX_TOUCH_DEPTH);
    world->touch_depth--;
    note_change(sv, self);
    note_change(sv, other);
    return is_same(world, self, self_ref) && is_same(world, other, other_ref);
}

static bool model_touches(const sv_context_t *sv, const edict_t *edict, const edict_t *other) {
    if (!World_IsBrushModel(sv, edict)) {
        return true;
    }
    cm_object_t object = World_Object(sv, edict);
    bounds_t box = World_Box(sv, other);
    return CM_BoxTouches(sv->map, &object, (vec3_t){0.0f, 0.0f, 0.0f}, box.mins, box.maxs);
}

bool SV_Touches(const sv_context_t *sv, const edict_t *a, const edict_t *b) {
    return BoundsTouch((bounds_t){a->absmin, a->absmax}, (bounds_t){b->absmin, b->absmax}) &&
           model_touches(sv, a, b) && model_touches(sv, b, a);
}

static bool still_touches(const sv_context_t *sv, const edict_t *trigger, const edict_t *edict) {
    bool for_it = !(trigger->flags & FL_PLAYERTOUCH) || (edict->flags & FL_CLIENT);
    return World_IsLive(trigger) && trigger->solid == SOLID_TRIGGER && trigger->touch != 0 &&
           for_it && trigger != edict && SV_Touches(sv, trigger, edict);
}

void SV_TouchLinks(sv_context_t *sv, edict_t *edict) {
    SV_TouchNear(sv, edict, NULL);
}

void SV_TouchNear(sv_context_t *sv, edict_t *edict, const neighbours_t *near) {
    world_t *world = sv->world;
    edict_ref_t ref = World_Ref(world, edict);
    bounds_t box = {edict->absmin, edict->absmax};
    int32_t list[MAX_TOUCHES];
    int32_t dropped = 0;
    int32_t count = Neighbours_Triggers(near, world, box, list, MAX_TOUCHES, &dropped);
    world->counters.touches_dropped += (uint64_t)dropped;
    for (int32_t i = 0; i < count; i++) {
        edict_t *trigger = World_Edict(world, list[i]);
        if (still_touches(sv, trigger, edict)) {
            SV_CallTouch(sv, trigger, edict, NULL);
            if (!is_same(world, edict, ref) || edict->solid == SOLID_NOT) {
                return;
            }
        }
    }
}
