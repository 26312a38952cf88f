/// physics/push_fit.c - the edicts of a push, for move/fit.h, which finds room for them.

#include "collide/cmodel.h"
#include "physics/push_local.h"
#include "world/area.h"

#define REST_DISTANCE 2.0f // qu; riders of an edict that is pushed are at most so far from it

/// A search for riders.
typedef struct {
    const push_t *push;
    const edict_t *ground;
    int32_t *list;
    int32_t count, max;
} load_t;

// ---- the world of move/fit.h ----

static bool never_blocks(const edict_t *edict) {
    return (edict->flags & (FL_CORPSE | FL_ITEM)) || edict->solid == SOLID_NOT ||
           edict->solid == SOLID_TRIGGER;
}

static int32_t stuck_at(void *context, int32_t number, vec3_t origin) {
    const push_t *push = context;
    const edict_t *edict = World_Edict(push->sv->world, number);
    bool is_soft = edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER;
    trace_t trace = SV_Move(push->sv, origin, edict->mins, edict->maxs, origin,
                            is_soft ? MOVE_NOMONSTERS : MOVE_NORMAL, edict);
    return trace.startsolid ? Q_MaxI(trace.entnum, EDICT_WORLD) : PM_FREE;
}

static trace_t trace_map(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end) {
    const push_t *push = context;
    const cm_object_t object = {.solids = push->sv->world->cvars.move.sv_solids};
    return CM_BoxTrace(push->sv->map, &object, start, end, box->mins, box->maxs);
}

static trace_t trace_part(void *context, int32_t number, const pm_pushed_t *box, vec3_t start,
                          vec3_t end) {
    const push_t *push = context;
    const sv_context_t *sv = push->sv;
    const edict_t *part = World_Edict(sv->world, number);
    if (part->solid == SOLID_BSP && part->model >= 1 && part->model < CM_NumModels(sv->map)) {
        const cm_object_t object = {.model = part->model,
                                    .solids = sv->world->cvars.move.sv_solids,
                                    .origin = part->origin,
                                    .angles = part->angles};
        return CM_BoxTrace(sv->map, &object, start, end, box->mins, box->maxs);
    }
    bounds_t part_box = {VectorAdd(part->origin, part->mins), VectorAdd(part->origin, part->maxs)};
    return CM_BoxBoxTrace(part_box, start, end, box->mins, box->maxs);
}

static bool is_free(void *context, const pm_pushed_t *box, vec3_t origin) {
    return stuck_at(context, box->number, origin) == PM_FREE;
}

static pm_fit_box_t box_of(void *context, int32_t number) {
    const push_t *push = context;
    const edict_t *edict = World_Edict(push->sv->world, number);
    return (pm_fit_box_t){.origin = edict->origin,
                          .mins = edict->mins,
                          .maxs = edict->maxs,
                          .is_pushed = Push_IsPushed(edict),
                          .is_corpse = (edict->flags & FL_CORPSE) != 0,
                          .never_blocks = never_blocks(edict),
                          .is_pusher = edict->movetype == MOVETYPE_PUSH};
}

static void put(void *context, int32_t number, vec3_t origin) {
    const push_t *push = context;
    edict_t *edict = World_Edict(push->sv->world, number);
    edict->origin = origin;
    SV_RelinkEdict(push->sv, edict);
}

static const pm_carry_t *motion_of(void *context, int32_t number) {
    push_t *push = context;
    return Push_IsPart(push, number) ? Push_CarryOf(push, number) : NULL;
}

static const vec3_t *origin_before(void *context, int32_t number) {
    const push_t *push = context;
    const push_save_t *save = World_PushSave(push->sv->world, number);
    return save->next != 0 ? &save->origin : NULL;
}

static void note(void *context, int32_t number) {
    push_t *push = context;
    (void)Push_Save(push, World_Edict(push->sv->world, number));
}

// Inserts a rider into the sorted list. A full list keeps the lowest numbers, as clients do.
static void add_load(void *context, int32_t number) {
    load_t *load = context;
    const world_t *world = load->push->sv->world;
    const edict_t *edict = World_Edict(world, number);
    bool rests =
        (edict->flags & FL_ONGROUND) && World_Deref(world, edict->groundentity) == load->ground;
    bool has_room =
        load->count < load->max || (load->max > 0 && number < load->list[load->max - 1]);
    if (rests && Push_IsPushed(edict) && has_room && World_PushSave(world, number)->carrier <= 0) {
        load->count = Q_MinI(load->count + 1, load->max);
        int32_t at = load->count - 1;
        for (; at > 0 && load->list[at - 1] > number; at--) {
            load->list[at] = load->list[at - 1];
        }
        load->list[at] = number;
    }
}

static int32_t riders_of(void *context, int32_t number, vec3_t origin, int32_t *list, int32_t max) {
    const push_t *push = context;
    const edict_t *ground = World_Edict(push->sv->world, number);
    load_t load = {.push = push, .ground = ground, .list = list, .max = max};
    if (ground->solid >= SOLID_BBOX) {
        const bounds_t box =
            BoundsOfSweep(origin, origin, ground->mins, ground->maxs, REST_DISTANCE);
        Area_Visit(push->sv->world, box, AREA_SOLID, add_load, &load);
    }
    return load.count;
}

// Records an edict to touch when the push is complete.
static void hit(void *context, int32_t number, int32_t other) {
    const push_t *push = context;
    World_PushSave(push->sv->world, number)->hit = 1 + other;
}

pm_fit_world_t Push_World(push_t *push) {
    return (pm_fit_world_t){.push = {push, trace_map, trace_part, is_free},
                            .box = box_of,
                            .stuck_at = stuck_at,
                            .put = put,
                            .trace_box = CM_BoxBoxTrace,
                            .motion_of = motion_of,
                            .origin_before = origin_before,
                            .note = note,
                            .riders_of = riders_of,
                            .hit = hit};
}

static bool block(push_t *push, edict_t *edict, int32_t part) {
    push->part = World_Edict(push->sv->world, part);
    push->obstacle = edict;
    return false;
}

// ---- riders ----

static void carry(push_t *push, edict_t *edict, push_save_t *save) {
    const pm_carry_t *by = Push_CarryOf(push, save->carrier);
    PM_CarryRider(&push->world, World_EdictNumber(push->sv->world, edict), save->carrier);
    if (!by->is_turned) {
        return;
    }
    edict->velocity = PM_CarryVector(by, edict->velocity);
    save->yaw_short = by->yaw_short;
    if (edict->flags & FL_CLIENT) {
        uint16_t yaw = (uint16_t)(AngleToShort(edict->angles.y) + (uint32_t)by->yaw_short);
        edict->angles.y = ShortToAngle(yaw);
    } else {
        float yaw = edict->angles.y + by->yaw;
        edict->angles.y = fabsf(yaw) > MAX_TURN ? AngleMod(yaw) : yaw;
    }
    World_MarkWritten(push->sv->world, edict);
}

// Carries all riders before testing the first, so that riders do not block each other.
bool Push_CarryRiders(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = push->riders.first; i > 0; i = World_PushSave(world, i)->next_rider) {
        carry(push, World_Edict(world, i), World_PushSave(world, i));
    }
    for (int32_t i = push->riders.first; i > 0; i = World_PushSave(world, i)->next_rider) {
        edict_t *edict = World_Edict(world, i);
        int32_t carrier = World_PushSave(world, i)->carrier;
        int32_t ground = (int32_t)edict->groundentity.index;
        if (!PM_FitRider(&push->world, i, carrier, ground)) {
            return block(push, edict, carrier);
        }
    }
    return true;
}

// ---- obstacles ----

bool Push_MoveObstacles(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = push->saved.first; i > 0; i = World_PushSave(world, i)->next) {
        int32_t carrier = World_PushSave(world, i)->carrier;
        if (carrier < 0 && !PM_PushObstacle(&push->world, i, -carrier, push->num_parts == 1)) {
            return block(push, World_Edict(world, i), -carrier);
        }
    }
    return true;
}
