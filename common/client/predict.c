/// client/predict.c - the player as he will be once the server has run all commands made so far.
//
// Floor:   client.
// Repeat:  the server's own code on the server's own bits; what differs is what the client cannot
//          know: triggers, the game, and where others will be.

#include "client/cl_local.h"
#include "state/movetype.h"

// What the player moves through: the map, and the entities of the newest snapshot.
typedef struct {
    const cmap_t *map;
    const entity_state_t *solids[MAX_SNAPSHOT_ENTS]; // by number
    int32_t num_solids;
} cl_world_t;

static vec3_t from_wire(const int32_t v[3]) {
    const float scale = 1.0f / (float)ENTITY_ORIGIN_SCALE;
    return Vector((float)v[0] * scale, (float)v[1] * scale, (float)v[2] * scale);
}

static bool stops_players(const cl_t *cl, const entity_state_t *state) {
    if (state->number == cl->slot + 1 || state->type == ENTITY_PROJECTILE) {
        return false;
    }
    if (state->solid == SOLID_BSP) {
        return state->model >= 1 && state->model < cl->cmap->num_models;
    }
    return state->solid == SOLID_BBOX || state->solid == SOLID_SLIDEBOX;
}

static void collect_solids(const cl_t *cl, cl_world_t *world) {
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(cl->ring, SnapshotRing_Newest(cl->ring), list);
    world->map = cl->cmap;
    world->num_solids = 0;
    for (int32_t i = 0; i < count; i++) {
        if (stops_players(cl, list[i])) {
            world->solids[world->num_solids++] = list[i];
        }
    }
}

static bounds_t box_of(const entity_state_t *state) {
    vec3_t origin = from_wire(state->origin);
    return (bounds_t){VectorAdd(origin, from_wire(state->mins)),
                      VectorAdd(origin, from_wire(state->maxs))};
}

// The nearer one; at the same distance what the sweep starts in, then the lower number (the first
// one asked). The server decides the same way.
static void take_nearer(trace_t *nearest, const trace_t *next, int32_t number) {
    bool is_hit = next->fraction < 1.0f || next->startsolid;
    bool is_solid_first = next->startsolid && !nearest->startsolid;
    if (is_hit && (next->fraction < nearest->fraction ||
                   (next->fraction == nearest->fraction && is_solid_first))) {
        *nearest = *next;
        nearest->entnum = number;
    }
}

static trace_t trace_world(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const cl_world_t *world = context;
    const bounds_t around = BoundsOfSweep(start, end, mins, maxs, 1.0f);
    const trace_t first =
        CM_BoxTrace(world->map, &(cm_place_t){.model = 0}, start, end, mins, maxs);
    trace_t nearest = {
        .fraction = 1.0f, .endpos = end, .contents = first.contents, .entnum = TRACE_NOTHING};
    bool startsolid = first.startsolid;
    take_nearer(&nearest, &first, 0);
    for (int32_t i = 0; i < world->num_solids; i++) {
        const entity_state_t *state = world->solids[i];
        bounds_t box = box_of(state);
        if (!BoundsTouch(box, around)) {
            continue;
        }
        trace_t trace = state->solid == SOLID_BSP
                            ? CM_BoxTrace(world->map,
                                          &(cm_place_t){.model = state->model,
                                                        .origin = from_wire(state->origin)},
                                          start, end, mins, maxs)
                            : CM_BoxBoxTrace(box, start, end, mins, maxs);
        startsolid = startsolid || trace.startsolid;
        take_nearer(&nearest, &trace, state->number);
    }
    nearest.startsolid = startsolid;
    return nearest;
}

static contents_t contents_of_world(void *context, vec3_t point) {
    const cl_world_t *world = context;
    contents_t contents = CM_PointContents(world->map, 0, point);
    for (int32_t i = 0; i < world->num_solids && contents != CONTENTS_SOLID; i++) {
        const entity_state_t *state = world->solids[i];
        vec3_t local = VectorSubtract(point, from_wire(state->origin));
        if (state->solid == SOLID_BSP &&
            CM_PointContents(world->map, state->model, local) == CONTENTS_SOLID) {
            contents = CONTENTS_SOLID;
        }
    }
    return contents;
}

// Runs what the server had not run of one command.
static void run_cmd(cl_t *cl, cl_cmd_t *made, int64_t cmd_tick, const pm_world_t *world) {
    cl_prediction_t *prediction = &cl->prediction;
    int32_t msec = made->cmd.msec;
    if (made->cmd.tick < cmd_tick) {
        return; // done with, run or not
    }
    if (made->cmd.tick == cmd_tick) {
        int32_t ran_ms = Q_MinI(prediction->ran_ms, msec);
        prediction->ran_ms -= ran_ms;
        msec -= ran_ms;
        if (msec == 0) {
            return;
        }
    }
    PM_RunCommand(&prediction->player, &made->cmd, msec, &cl->map.vars, world, NULL);
    made->origin = prediction->player.origin;
    made->velocity = prediction->player.velocity;
    made->predicted = true;
}

bool CL_Predicted(cl_t *cl, player_state_t *player) {
    const snapshot_t *snapshot = Cl_Newest(cl);
    if (!snapshot) {
        return false;
    }
    if (!cl->cmap) {
        *player = snapshot->player;
        return true;
    }
    cl_prediction_t *prediction = &cl->prediction;
    if (prediction->tick != snapshot->tick) {
        *prediction = (cl_prediction_t){.tick = snapshot->tick,
                                        .upto = cl->cmds.first,
                                        .ran_ms = snapshot->cmd_ran_ms,
                                        .player = snapshot->player};
    }
    if ((int32_t)(cl->cmds.first - prediction->upto) > 0) {
        prediction->upto = cl->cmds.first; // the ring of commands ran over
    }
    if (prediction->upto != cl->cmds.made) {
        cl_world_t world;
        collect_solids(cl, &world);
        const pm_world_t pm_world = {
            .context = &world, .trace = trace_world, .point_contents = contents_of_world};
        while (prediction->upto != cl->cmds.made) {
            run_cmd(cl, Cl_Cmd(cl, prediction->upto++), snapshot->cmd_tick, &pm_world);
        }
    }
    *player = prediction->player;
    return true;
}
