/// physics/push_fit.c - the edicts of a push, for move/fit.h, which finds room for them.

#include "collide/cmodel.h"
#include "physics/push_local.h"
#include "world/area.h"

#define MAX_RIDERS 16 // of an edict that is pushed; further riders stay behind

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

/// The riders of an edict that is pushed.
typedef struct {
    push_t *push;
    const edict_t *ground; ///< whose riders are searched now: the edict, then each rider
    edict_t *list[MAX_RIDERS];
    int32_t count;
} load_t;

static void add_load(void *context, int32_t number) {
    load_t *load = context;
    const world_t *world = load->push->sv->world;
    edict_t *edict = World_Edict(world, number);
    bool rests =
        (edict->flags & FL_ONGROUND) && World_Deref(world, edict->groundentity) == load->ground;
    if (rests && Push_IsPushed(edict) && load->count < MAX_RIDERS &&
        World_PushSave(world, number)->carrier <= 0) {
        load->list[load->count++] = edict;
    }
}

// Moves the direct and indirect riders of a pushed edict by the same displacement if there is room.
static void move_riders(push_t *push, const edict_t *edict, vec3_t delta) {
    load_t load = {.push = push, .ground = edict};
    for (int32_t next = 0;; next++) {
        vec3_t from = VectorSubtract(load.ground->origin, delta);
        bounds_t box = BoundsOfSweep(from, from, load.ground->mins, load.ground->maxs, 2.0f);
        Area_Visit(push->sv->world, box, AREA_SOLID, add_load, &load);
        if (next >= load.count) {
            return;
        }
        edict_t *rider = load.list[next];
        vec3_t was = rider->origin;
        Push_Save(push, rider);
        const int32_t number = World_EdictNumber(push->sv->world, rider);
        PM_PutThroughMap(&push->world, number, was, VectorAdd(was, delta));
        if (!VectorCompare(rider->origin, was) &&
            stuck_at(push, number, rider->origin) != PM_FREE) {
            put(push, number, was);
        }
        load.ground = rider;
    }
}

// Pushes an obstacle out of the part that overlaps it. Other parts of the set may then overlap it.
static bool push_away(push_t *push, edict_t *edict, int32_t part) {
    const vec3_t was = edict->origin;
    if (!PM_PushObstacle(&push->world, World_EdictNumber(push->sv->world, edict), part,
                         push->num_parts == 1)) {
        return block(push, edict, part);
    }
    if (edict->solid >= SOLID_BBOX && !VectorCompare(edict->origin, was)) {
        move_riders(push, edict, VectorSubtract(edict->origin, was));
    }
    return true;
}

bool Push_MoveObstacles(push_t *push) {
    world_t *world = push->sv->world;
    for (int32_t i = push->saved.first; i > 0; i = World_PushSave(world, i)->next) {
        int32_t carrier = World_PushSave(world, i)->carrier;
        if (carrier < 0 && !push_away(push, World_Edict(world, i), -carrier)) {
            return false;
        }
    }
    return true;
}
