#include "core/sight.h"

#include "bsp/map.h"
#include "core/interest.h"
#include "world/shape.h"
#include "world/tick_time.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PAIR_BLOCKERS 32     // further brush models near a pair block nothing
#define TELEPORT_QU       128.0f // a longer move within a tick is a teleport
#define LOG_WINDOW_MS     5000

/// Knowledge of a pair of players. Ticks count from the start of the map, from 1.
typedef struct {
    int32_t tested, seen; // ticks of the last test, and of the last clear one; 0 = never
    uint8_t ray;          // that was clear last
    bool was_model;       // a brush model blocked a ray of the last test
} pair_t;

typedef struct {
    sight_body_t body; // without reach
    float speed;
    int32_t lead_ms;
    int32_t since; // tick in which the player was last put to another place
    uint32_t flags;
    int64_t joined_tick;
    vec3_t origin;
} looker_t;

struct sight_s {
    int32_t tick;
    int32_t retest_ticks, seen_ticks, hold_ticks;
    int32_t max_lead_ms;
    int32_t rays_left;        // of this tick
    int32_t changed;          // tick in which the blockers last changed
    uint64_t mark, next_mark; // of the blockers
    int32_t num_blockers;
    log_burst_t burst;
    bool see_through[MAX_MAP_MODELS]; // by brush model
    looker_t lookers[MAX_CLIENTS];
    sight_blocker_t blockers[MAX_MAP_MODELS];
    size_t num_pairs;
    pair_t pairs[]; // (a, b) with a > b is a * (a - 1) / 2 + b
};

// ---- one test ----

typedef struct {
    sight_query_t *query;
    sight_blocker_t near[MAX_PAIR_BLOCKERS];
    int32_t num_near;
    vec3_t points[2][SIGHT_POINTS];
    bool has_sides;
} test_t;

static bool is_free(test_t *test, vec3_t from, vec3_t to, vec3_t *end) {
    const cm_object_t world = {.model = 0};
    test->query->num_rays++;
    trace_t trace = CM_BoxTrace(test->query->map, &world, from, to, vec3_zero, vec3_zero);
    *end = trace.startsolid ? from : trace.endpos;
    return trace.fraction >= 1.0f || trace.startsolid;
}

static bool is_clear(test_t *test, vec3_t from, vec3_t to) {
    vec3_t end;
    if (!is_free(test, from, to, &end)) {
        return false;
    }
    const bounds_t box = BoundsOfSweep(from, to, vec3_zero, vec3_zero, 1.0f);
    for (int32_t i = 0; i < test->num_near; i++) {
        const sight_blocker_t *blocker = &test->near[i];
        if (BoundsTouch(blocker->box, box) &&
            CM_BoxTrace(test->query->map, &blocker->object, from, to, vec3_zero, vec3_zero)
                    .fraction < 1.0f) {
            test->query->was_model = true;
            return false;
        }
    }
    return true;
}

enum { POINT_EYE, POINT_FEET, POINT_LEFT, POINT_RIGHT, POINT_ABOVE };

static void add_sides(test_t *test) {
    const sight_body_t *a = &test->query->bodies[0];
    const sight_body_t *b = &test->query->bodies[1];
    vec3_t along = VectorSubtract(b->eye, a->eye);
    vec3_t left = VectorNormalize(Vector(-along.y, along.x, 0.0f), NULL);
    for (int32_t i = 0; i < 2; i++) {
        const sight_body_t *body = &test->query->bodies[i];
        vec3_t *points = test->points[i];
        const float side = body->half + body->reach;
        is_free(test, body->eye, VectorMA(body->eye, side, left), &points[POINT_LEFT]);
        is_free(test, body->eye, VectorMA(body->eye, -side, left), &points[POINT_RIGHT]);
        is_free(test, body->eye, VectorAdd(body->eye, Vector(0.0f, 0.0f, body->reach)),
                &points[POINT_ABOVE]);
    }
    test->has_sides = true;
}

static bool test_ray(test_t *test, int32_t ray) {
    const int32_t from = ray / SIGHT_POINTS;
    const int32_t to = ray % SIGHT_POINTS;
    if (!test->has_sides && (from > POINT_FEET || to > POINT_FEET)) {
        add_sides(test);
    }
    return is_clear(test, test->points[0][from], test->points[1][to]);
}

// Lists the blockers near a pair.
static void list_near(test_t *test) {
    const sight_query_t *query = test->query;
    const sight_body_t *a = &query->bodies[0];
    const sight_body_t *b = &query->bodies[1];
    const float margin = (a->reach > b->reach ? a->reach : b->reach) + a->half + b->half;
    bounds_t box = BoundsOfSweep(a->eye, b->eye, vec3_zero, vec3_zero, margin);
    box = BoundsUnion(box, BoundsOfSweep(a->feet, b->feet, vec3_zero, vec3_zero, margin));
    for (int32_t i = 0; i < query->num_blockers && test->num_near < MAX_PAIR_BLOCKERS; i++) {
        if (BoundsTouch(query->blockers[i].box, box)) {
            test->near[test->num_near++] = query->blockers[i];
        }
    }
}

bool Sight_IsClear(sight_query_t *query) {
    test_t test;
    test.query = query;
    test.num_near = 0;
    test.has_sides = false;
    query->was_model = false;
    for (int32_t i = 0; i < 2; i++) {
        test.points[i][POINT_EYE] = query->bodies[i].eye;
        test.points[i][POINT_FEET] = query->bodies[i].feet;
    }
    list_near(&test);
    if (test_ray(&test, query->ray)) {
        return true;
    }
    for (int32_t ray = 0; ray < SIGHT_POINTS * SIGHT_POINTS; ray++) {
        if (ray != query->ray && test_ray(&test, ray)) {
            query->ray = ray;
            return true;
        }
    }
    return false;
}

// ---- the pairs of a server ----

sight_t *Sight_Create(int32_t max_clients) {
    const size_t pairs = (size_t)max_clients * (size_t)(max_clients - 1) / 2;
    sight_t *sight = calloc(1, sizeof *sight + pairs * sizeof sight->pairs[0]);
    if (sight) {
        sight->num_pairs = pairs;
    }
    return sight;
}

void Sight_Free(sight_t *sight) {
    free(sight);
}

static bool has_word(const char *text, const char *word) {
    return text && strstr(text, word);
}

// Returns true if the entity of a brush model says that it is see-through.
static bool is_see_through(const entity_def_t *entity) {
    return BSP_EntityNumber(entity, "rendermode", 0.0f) != 0.0f ||
           BSP_EntityNumber(entity, "alpha", 1.0f) < 1.0f ||
           BSP_EntityNumber(entity, "see_through", 0.0f) != 0.0f ||
           has_word(BSP_EntityValue(entity, "classname"), "glass");
}

void Sight_StartMap(sight_t *sight, const cmap_t *map) {
    const cm_info_t info = CM_Info(map);
    entity_parser_t parser = {info.entities, info.entities + info.entities_bytes, 1};
    entity_def_t entity;
    err_t err;
    memset(sight->see_through, 0, sizeof sight->see_through);
    memset(sight->pairs, 0, sight->num_pairs * sizeof sight->pairs[0]);
    memset(sight->lookers, 0, sizeof sight->lookers);
    sight->tick = sight->changed = 0;
    while (BSP_ParseEntity(&parser, &entity, &err) == ENTITY_PARSED) {
        const char *model = BSP_EntityValue(&entity, "model");
        const int32_t number = model ? Map_FindModel(map, model) : -1;
        if (number > 0 && number < MAX_MAP_MODELS && is_see_through(&entity)) {
            sight->see_through[number] = true;
        }
    }
}

// Returns the eye, feet and width of a player.
static sight_body_t body_of(const edict_t *edict) {
    const float top = edict->maxs.z - SIGHT_DROP;
    const vec3_t eye = {0.0f, 0.0f, top < PM_VIEW_HEIGHT ? top : PM_VIEW_HEIGHT};
    const vec3_t feet = {0.0f, 0.0f, edict->mins.z + SIGHT_DROP};
    return (sight_body_t){.eye = VectorAdd(edict->origin, eye),
                          .feet = VectorAdd(edict->origin, feet),
                          .half = edict->maxs.x};
}

static void look(const server_t *server, sight_t *sight, int32_t slot) {
    const world_t *world = server->world;
    const client_t *client = World_Client(world, slot);
    const edict_t *edict = World_Edict(world, slot + 1);
    const int32_t peer = server->peer_of_slot[slot];
    const int32_t ping_ms = peer >= 0 ? server->sessions[peer].ping_ms : 0;
    const int32_t tick_ms = World_TickMs(world);
    looker_t *looker = &sight->lookers[slot];
    vec3_t moved = VectorSubtract(edict->origin, looker->origin);
    if (client->joined_tick != looker->joined_tick || !VectorWithin(moved, TELEPORT_QU) ||
        ((client->player.flags ^ looker->flags) & PMF_TELEPORT)) {
        looker->since = sight->tick;
    }
    looker->joined_tick = client->joined_tick;
    looker->origin = edict->origin;
    looker->flags = client->player.flags;
    looker->body = body_of(edict);
    looker->speed = VectorLength(edict->velocity);
    if (!(looker->speed > world->cvars.move.sv_maxspeed)) {
        looker->speed = world->cvars.move.sv_maxspeed;
    }
    looker->lead_ms = Q_ClampI((ping_ms < 0 ? SIGHT_DEFAULT_PING : ping_ms) + SIGHT_RETEST_MS +
                                   (server->config.snapshot_ticks + 1) * tick_ms,
                               SIGHT_MIN_LEAD_MS, SIGHT_MAX_LEAD_MS);
}

void Sight_Tick(server_t *server, sight_t *sight) {
    const int32_t tick_ms = World_TickMs(server->world);
    sight->tick++;
    sight->retest_ticks = Q_MaxI(SIGHT_RETEST_MS / tick_ms, 1);
    sight->seen_ticks = Q_MaxI(SIGHT_SEEN_MS / tick_ms, 1);
    sight->hold_ticks = Q_MaxI(INTEREST_HOLD_MS / tick_ms, 1);
    sight->rays_left = SIGHT_RAYS_TICK;
    sight->max_lead_ms = 0;
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        if (World_Client(server->world, slot)->inuse) {
            look(server, sight, slot);
            sight->max_lead_ms = Q_MaxI(sight->max_lead_ms, sight->lookers[slot].lead_ms);
        }
    }
    sight->next_mark = 0;
    sight->num_blockers = 0;
}

void Sight_EndTick(sight_t *sight) {
    sight->changed = sight->mark != sight->next_mark ? sight->tick : sight->changed;
    sight->mark = sight->next_mark;
}

void Sight_AddModel(sight_t *sight, const sv_context_t *sv, const edict_t *edict) {
    if (World_IsLive(edict) && edict->solid == SOLID_BSP && World_IsBrushModel(sv, edict) &&
        !sight->see_through[edict->model] && !World_IsMonsterClip(edict) &&
        edict->visibility == VISIBLE_ALL && sight->num_blockers < MAX_MAP_MODELS) {
        sight->blockers[sight->num_blockers++] =
            (sight_blocker_t){World_Box(sv, edict), World_Object(sv, edict)};
        sight->next_mark += (uint64_t)World_EdictNumber(sv->world, edict) << 32 | edict->generation;
    }
}

float Sight_Reach(const sight_t *sight, int32_t slot, bool of_target) {
    const looker_t *looker = &sight->lookers[slot];
    const int32_t lead_ms = of_target ? sight->max_lead_ms : looker->lead_ms;
    return looker->speed * (float)lead_ms * 0.001f;
}

static bool test_pair(server_t *server, sight_t *sight, pair_t *pair, int32_t a, int32_t b) {
    const looker_t *lookers[2] = {&sight->lookers[a], &sight->lookers[b]};
    const int32_t lead_ms = Q_MaxI(lookers[0]->lead_ms, lookers[1]->lead_ms);
    sight_query_t query = {.map = server->map,
                           .blockers = sight->blockers,
                           .num_blockers = sight->num_blockers,
                           .ray = pair->ray};
    for (int32_t i = 0; i < 2; i++) {
        query.bodies[i] = lookers[i]->body;
        query.bodies[i].reach = lookers[i]->speed * (float)lead_ms * 0.001f;
    }
    bool is_clear = Sight_IsClear(&query);
    pair->ray = (uint8_t)query.ray;
    pair->was_model = query.was_model;
    pair->tested = sight->tick;
    sight->rays_left -= query.num_rays;
    server->stats.sight_rays += (uint64_t)query.num_rays;
    return is_clear;
}

static void note_over(server_t *server, sight_t *sight) {
    server->stats.sight_over++;
    if (Log_BurstAllows(&sight->burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(
            server->config.log, LOG_WARN,
            "sv_cull_los: %d rays in a tick are not enough; clients receive players whom they "
            "perhaps do not see%s",
            SIGHT_RAYS_TICK, sight->burst.more);
    }
}

bool Sight_Sees(server_t *server, sight_t *sight, int32_t slot, int32_t other) {
    const int32_t a = Q_MaxI(slot, other);
    const int32_t b = Q_MinI(slot, other);
    pair_t *pair = &sight->pairs[(size_t)a * (size_t)(a - 1) / 2 + (size_t)b];
    const int32_t since = Q_MaxI(sight->lookers[a].since, sight->lookers[b].since);
    const int32_t age = sight->tick - pair->tested;
    const int32_t wait = pair->tested == pair->seen ? sight->seen_ticks : sight->retest_ticks;
    if (age >= wait || pair->tested < since || (pair->was_model && pair->tested < sight->changed)) {
        if (sight->rays_left <= 0) {
            note_over(server, sight);
            return true;
        }
        if (test_pair(server, sight, pair, a, b)) {
            pair->seen = sight->tick;
        }
    }
    return pair->seen >= since && pair->seen > 0 && sight->tick - pair->seen < sight->hold_ticks;
}
