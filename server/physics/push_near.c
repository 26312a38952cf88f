/// physics/push_near.c - finds direct and indirect riders of parts, and obstacles near parts.

#include "physics/push_local.h"
#include "world/area.h"
#include "world/bits.h"

#include <string.h>

#define REST_DISTANCE 1.0f // qu; linked boxes of a rider and its ground are at most this apart

bool Push_IsPushed(const edict_t *edict) {
    return World_IsLive(edict) && MoveType_IsPushed(edict->movetype);
}

static bool rests_on(const world_t *world, const edict_t *edict, const edict_t *ground) {
    return (edict->flags & FL_ONGROUND) &&
           edict->groundentity.index == (uint32_t)World_EdictNumber(world, ground) &&
           edict->groundentity.generation == ground->generation;
}

static void add_rider(push_t *push, edict_t *edict, int32_t carrier) {
    world_t *world = push->sv->world;
    ASSERT(Push_IsPart(push, carrier));
    push_save_t *save = Push_Save(push, edict);
    int32_t number = World_EdictNumber(world, edict);
    if (save->carrier > 0) {
        return;
    }
    save->carrier = carrier;
    save->next_rider = -1;
    if (push->riders.last > 0) {
        World_PushSave(world, push->riders.last)->next_rider = number;
    } else {
        push->riders.first = number;
    }
    push->riders.last = number;
}

static bounds_t widened(bounds_t box) {
    return BoundsOfSweep(vec3_zero, vec3_zero, box.mins, box.maxs, REST_DISTANCE);
}

static void note_number(void *context, int32_t number) {
    uint64_t *found = context;
    Bits_Set(found, number);
}

void Push_FindNear(push_t *push, edict_t *part, bounds_t box) {
    world_t *world = push->sv->world;
    uint64_t found[MAX_EDICTS / 64];
    memset(found, 0, (size_t)Bits_Words(world->num_edicts) * sizeof *found);
    box = widened(box);
    Area_Visit(world, box, AREA_SOLID, note_number, found);
    Area_Visit(world, box, AREA_TRIGGERS, note_number, found);
    int32_t part_number = World_EdictNumber(world, part);
    for (int32_t i = -1; (i = Bits_Next(found, i, world->num_edicts)) >= 0;) {
        edict_t *edict = World_Edict(world, i);
        if (!Push_IsPushed(edict)) {
            continue;
        }
        if (rests_on(world, edict, part)) {
            add_rider(push, edict, part_number);
        } else if (World_PushSave(world, i)->next == 0) {
            Push_Save(push, edict)->carrier = -part_number;
        }
    }
}

void Push_FindUnlinked(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = 1; i <= world->max_clients; i++) {
        edict_t *edict = World_Edict(world, i);
        if (edict->solid != SOLID_NOT || !(edict->flags & FL_ONGROUND) || !Push_IsPushed(edict)) {
            continue;
        }
        const edict_t *ground = World_Deref(world, edict->groundentity);
        int32_t number = (int32_t)edict->groundentity.index;
        if (ground && Push_IsPart(push, number)) {
            add_rider(push, edict, number);
        }
    }
}

typedef struct {
    push_t *push;
    const edict_t *ground;
    int32_t carrier;
} stack_t;

static void add_if_resting(void *context, int32_t number) {
    const stack_t *stack = context;
    edict_t *edict = World_Edict(stack->push->sv->world, number);
    if (rests_on(stack->push->sv->world, edict, stack->ground) && Push_IsPushed(edict)) {
        add_rider(stack->push, edict, stack->carrier);
    }
}

// The list grows during the loop, because add_rider appends to it.
void Push_FindStacks(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = push->riders.first; i > 0; i = World_PushSave(world, i)->next_rider) {
        const edict_t *rider = World_Edict(world, i);
        if (rider->solid < SOLID_BBOX || !SV_MayCarry(push->sv, rider)) {
            continue;
        }
        stack_t stack = {push, rider, World_PushSave(world, i)->carrier};
        bounds_t box = widened((bounds_t){rider->absmin, rider->absmax});
        Area_Visit(world, box, AREA_SOLID, add_if_resting, &stack);
        Area_Visit(world, box, AREA_TRIGGERS, add_if_resting, &stack);
    }
}
