#include "core/sight.h"

#include "base/pages.h"
#include "bsp/map.h"
#include "core/interest.h"
#include "world/shape.h"
#include "world/tick_time.h"

#include <stdlib.h>
#include <string.h>

#define TELEPORT_QU    128.0f // a longer move within a tick is a teleport
#define PUSHED         1.5f   // more speed than that, times that of the last tick: an explosion
#define PAIR_RAYS      4      // a test of a pair without rays costs about as much
#define MAX_LATE_TICKS 8192   // then, a later test counts as so late: its tick has 16 bits
#define CALM_TICKS     64     // without strain, the interval of tests becomes shorter
#define OVER_STRAIN    4      // of a tick in which the rays run out
#define LOG_WINDOW_MS  5000

/// Knowledge of a pair of players. Ticks count from the start of the map, from 1.
typedef struct {
    int32_t tested, near, seen; // ticks: last test, last clear one, last clear one without reach
    int32_t occluders[OCCLUDERS];
    int16_t hidden_ms; // until the next test, if the last one found the pair hidden
    bool by_model;     // a brush model blocked a ray of the last test
} pair_t;

enum { IS_SEEN = 1, BY_MODEL = 2, IS_KNOWN = 4 };

/// Result of the last test, for one of both. A row of them is read for each list.
typedef struct {
    uint16_t due;  // low bits of the tick of the next test
    uint8_t flags; // BY_MODEL: a brush model blocked a ray
} view_t;

typedef struct {
    sight_body_t body; // without reach
    int32_t lead_ms;   // without the interval of tests
    uint32_t flags;
    int64_t joined_tick;
    vec3_t origin;
} looker_t;

struct sight_s {
    int32_t max_clients, tick, tick_ms;
    int32_t max_lead_ms;
    int32_t retest_ms;        // SIGHT_RETEST_MS, or more if the rays run out
    int32_t rays_left;        // of this tick
    int32_t num_over;         // pairs of this tick without a test
    int32_t strain;           // grows with each tick in which the rays run out
    int32_t changed;          // tick in which the blockers last changed
    uint64_t mark, next_mark; // of the blockers
    int32_t num_used;
    int32_t used[MAX_CLIENTS]; // slots with a player, in this tick
    int32_t num_blockers;
    log_burst_t burst;
    bool see_through[MAX_MAP_MODELS]; // by brush model
    looker_t lookers[MAX_CLIENTS];
    sight_blocker_t blockers[MAX_MAP_MODELS];
    view_t *views; // [max_clients][max_clients]
    size_t num_pairs;
    pair_t pairs[]; // (a, b) with a > b is a * (a - 1) / 2 + b
};

sight_t *Sight_Create(int32_t max_clients) {
    const size_t clients = (size_t)max_clients;
    const size_t pairs = clients * (clients - 1) / 2;
    sight_t *sight = calloc(1, sizeof *sight + pairs * sizeof sight->pairs[0]);
    view_t *views = calloc(clients * clients, sizeof *views);
    if (!sight || !views) {
        free(sight);
        free(views);
        return NULL;
    }
    sight->max_clients = max_clients;
    sight->num_pairs = pairs;
    sight->views = views;
    return sight;
}

void Sight_Free(sight_t *sight) {
    if (sight) {
        free(sight->views);
        free(sight);
    }
}

static pair_t *pair_of(sight_t *sight, int32_t slot, int32_t other) {
    const size_t a = (size_t)Q_MaxI(slot, other);
    return &sight->pairs[a * (a - 1) / 2 + (size_t)Q_MinI(slot, other)];
}

static view_t *view_of(const sight_t *sight, int32_t slot, int32_t other) {
    return &sight->views[(size_t)slot * (size_t)sight->max_clients + (size_t)other];
}

// Forgets the tests of a player.
static void forget(sight_t *sight, int32_t slot) {
    for (int32_t i = 0; i < sight->num_used; i++) {
        const int32_t other = sight->used[i];
        if (other != slot) {
            const view_t now = {.due = (uint16_t)sight->tick};
            *pair_of(sight, slot, other) = (pair_t){0};
            *view_of(sight, slot, other) = *view_of(sight, other, slot) = now;
        }
    }
}

// Repeats the tests of a player in this tick. Late tests stay late.
static void test_again(sight_t *sight, int32_t slot) {
    for (int32_t i = 0; i < sight->num_used; i++) {
        view_t *view = view_of(sight, slot, sight->used[i]);
        if ((int16_t)(uint16_t)(view->due - sight->tick) > 0) {
            view->due = view_of(sight, sight->used[i], slot)->due = (uint16_t)sight->tick;
        }
    }
}

// Repeats old entries of one player before the bits of their ticks wrap.
static void refresh(sight_t *sight, int32_t slot) {
    for (int32_t i = 0; i < sight->num_used; i++) {
        view_t *view = view_of(sight, slot, sight->used[i]);
        const int32_t late = (uint16_t)(sight->tick - view->due);
        if (late > MAX_LATE_TICKS && late < UINT16_MAX - MAX_LATE_TICKS) {
            view->due = (uint16_t)(sight->tick - MAX_LATE_TICKS);
        }
    }
}

// Returns true if the entity of a brush model says that it is see-through.
static bool is_see_through(const entity_def_t *entity) {
    const char *classname = BSP_EntityValue(entity, "classname");
    return BSP_EntityNumber(entity, "rendermode", 0.0f) != 0.0f ||
           BSP_EntityNumber(entity, "alpha", 1.0f) < 1.0f ||
           BSP_EntityNumber(entity, "see_through", 0.0f) != 0.0f ||
           (classname && strstr(classname, "glass"));
}

void Sight_StartMap(sight_t *sight, const cmap_t *map) {
    const cm_info_t info = CM_Info(map);
    entity_parser_t parser = {info.entities, info.entities + info.entities_bytes, 1};
    entity_def_t entity;
    err_t err;
    const size_t clients = (size_t)sight->max_clients;
    memset(sight->see_through, 0, sizeof sight->see_through);
    Pages_Zero(sight->pairs, sight->num_pairs * sizeof sight->pairs[0]);
    Pages_Zero(sight->views, clients * clients * sizeof sight->views[0]);
    Pages_Zero(sight->lookers, sizeof sight->lookers);
    sight->tick = sight->changed = 0;
    sight->retest_ms = SIGHT_RETEST_MS;
    sight->rays_left = SIGHT_RAYS_TICK;
    sight->strain = 0;
    for (int32_t i = 1; i < CM_NumModels(map) && i < MAX_MAP_MODELS; i++) {
        sight->see_through[i] = CM_IsSeeThrough(map, i, CM_ModelBounds(map, i));
    }
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
    looker_t *looker = &sight->lookers[slot];
    vec3_t moved = VectorSubtract(edict->origin, looker->origin);
    if (client->joined_tick != looker->joined_tick || !VectorWithin(moved, TELEPORT_QU) ||
        ((client->player.flags ^ looker->flags) & PMF_TELEPORT)) {
        forget(sight, slot);
    }
    const float speed = looker->body.speed;
    looker->joined_tick = client->joined_tick;
    looker->origin = edict->origin;
    looker->flags = client->player.flags;
    looker->body = body_of(edict);
    looker->body.velocity = edict->velocity;
    looker->body.speed = VectorLength(edict->velocity);
    if (!(looker->body.speed > world->cvars.move.sv_maxspeed)) {
        looker->body.speed = world->cvars.move.sv_maxspeed;
    }
    if (looker->body.speed > PUSHED * speed) {
        test_again(sight, slot);
    }
    looker->lead_ms = Q_ClampI((ping_ms < 0 ? SIGHT_DEFAULT_PING : ping_ms) +
                                   (server->snapshot_ticks + 2) * sight->tick_ms,
                               SIGHT_MIN_LEAD_MS, SIGHT_MAX_LEAD_MS);
}

// Reports the pairs of the last tick for which no rays were left.
static void note_over(server_t *server, sight_t *sight) {
    server->stats.sight_over += (uint64_t)sight->num_over;
    if (sight->num_over > 0 && Log_BurstAllows(&sight->burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(
            server->config.log, LOG_WARN,
            "sv_cull_los: %d rays in a tick are not enough; clients may receive players late, or "
            "players whom they do not see%s",
            SIGHT_RAYS_TICK, sight->burst.more);
    }
    sight->num_over = 0;
}

void Sight_Tick(server_t *server, sight_t *sight) {
    note_over(server, sight);
    sight->tick++;
    sight->tick_ms = World_TickMs(server->world);
    sight->strain += sight->rays_left <= 0 ? OVER_STRAIN : -1;
    if (sight->strain >= CALM_TICKS && sight->retest_ms < SIGHT_MAX_RETEST_MS) {
        sight->retest_ms = Q_MinI(2 * sight->retest_ms, SIGHT_MAX_RETEST_MS);
        sight->strain = 0;
    } else if (sight->strain <= -CALM_TICKS) {
        sight->retest_ms = Q_MaxI(sight->retest_ms / 2, SIGHT_RETEST_MS);
        sight->strain = 0;
    }
    sight->rays_left = SIGHT_RAYS_TICK;
    sight->max_lead_ms = 0;
    sight->num_used = 0;
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        if (World_Client(server->world, slot)->inuse) {
            sight->used[sight->num_used++] = slot;
        }
    }
    for (int32_t i = 0; i < sight->num_used; i++) {
        look(server, sight, sight->used[i]);
        sight->max_lead_ms = Q_MaxI(sight->max_lead_ms, sight->lookers[sight->used[i]].lead_ms);
    }
    if (World_Client(server->world, sight->tick % sight->max_clients)->inuse) {
        refresh(sight, sight->tick % sight->max_clients);
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
    return looker->body.speed * (float)lead_ms * 0.001f;
}

// Sets the reach of a pair, with the movement of `ms` more than the lead.
static void set_reach(sight_query_t *query, const looker_t *const lookers[2], int32_t ms) {
    const int32_t drift_ms = ms;
    ms += Q_MaxI(lookers[0]->lead_ms, lookers[1]->lead_ms);
    for (int32_t i = 0; i < 2; i++) {
        query->bodies[i].reach = lookers[i]->body.speed * (float)ms * 0.001f;
        query->bodies[i].drift = lookers[i]->body.speed * (float)drift_ms * 0.001f;
    }
}

// Returns the longest interval of tests, in ms.
static int32_t max_wait_ms(const sight_t *sight) {
    return Q_MaxI(SIGHT_HIDDEN_MS, SIGHT_MAX_RETESTS * sight->retest_ms);
}

// Returns for how long a pair stays hidden, in ms; 0 = it is not. The time doubles from test to
// test. Until then, both may move as far as the test allows; doors and pushes test again.
static int32_t hidden_ms(const sight_t *sight, sight_query_t *query,
                         const looker_t *const lookers[2], int32_t last_ms) {
    const int32_t least_ms = sight->retest_ms;
    int32_t ms = Q_MinI(Q_MaxI(2 * last_ms, 2 * least_ms), max_wait_ms(sight));
    for (;; ms = Q_MaxI(ms / 4, least_ms)) {
        set_reach(query, lookers, ms);
        if (!Sight_IsClear(query)) {
            return ms;
        }
        if (ms == least_ms) {
            return 0;
        }
    }
}

// Tests a pair. Returns the time until the next test, in ms.
static int32_t test_pair(server_t *server, sight_t *sight, pair_t *pair, int32_t a, int32_t b) {
    const looker_t *lookers[2] = {&sight->lookers[a], &sight->lookers[b]};
    sight_query_t query = {.map = server->map,
                           .blockers = sight->blockers,
                           .num_blockers = sight->num_blockers,
                           .bodies = {lookers[0]->body, lookers[1]->body}};
    int32_t wait_ms = 0;
    memcpy(query.occluders, pair->occluders, sizeof query.occluders);
    set_reach(&query, lookers, sight->retest_ms);
    if (!Sight_EyesMeet(&query)) {
        wait_ms = hidden_ms(sight, &query, lookers, pair->hidden_ms);
    }
    pair->hidden_ms = (int16_t)wait_ms;
    if (wait_ms == 0) {
        pair->near = sight->tick;
        pair->seen = query.is_now ? sight->tick : pair->seen;
        wait_ms = query.is_now ? SIGHT_SEEN_MS : sight->retest_ms;
    }
    memcpy(pair->occluders, query.occluders, sizeof query.occluders);
    pair->tested = sight->tick;
    pair->by_model = query.was_model;
    sight->rays_left -= query.num_rays + PAIR_RAYS;
    server->stats.sight_rays += (uint64_t)query.num_rays;
    return wait_ms;
}

bool Sight_Sees(server_t *server, sight_t *sight, int32_t slot, int32_t other) {
    view_t *view = view_of(sight, slot, other);
    const bool is_due = (int16_t)(uint16_t)(view->due - sight->tick) <= 0;
    if (!is_due && !(view->flags & BY_MODEL)) {
        return view->flags & IS_SEEN;
    }
    const int32_t kept = view->flags & IS_SEEN ? SIGHT_RAYS_TICK / 2 : 0; // for hidden players
    if (is_due && sight->rays_left <= kept) { // before the pair is read: it may not be cached
        const int32_t late = (uint16_t)(sight->tick - view->due);
        sight->num_over++;
        return (view->flags & (IS_KNOWN | IS_SEEN)) != IS_KNOWN ||
               late * sight->tick_ms > SIGHT_STALE_MS;
    }
    pair_t *pair = pair_of(sight, slot, other);
    if (!is_due && pair->tested >= sight->changed) {
        return view->flags & IS_SEEN;
    }
    if (sight->rays_left <= 0) {
        sight->num_over++;
        return true;
    }
    int32_t wait = Q_MaxI(test_pair(server, sight, pair, slot, other) / sight->tick_ms, 1);
    const int32_t hold = pair->seen > 0 ? pair->seen + INTEREST_HOLD_MS / sight->tick_ms : 0;
    const bool is_seen = hold > sight->tick || pair->near == sight->tick;
    wait -= (slot * 5 + other * 3 + sight->tick) % (wait / 4 + 1); // spreads the tests
    if (is_seen && pair->near < sight->tick) {
        wait = Q_MinI(wait, hold - sight->tick);
    }
    view->due = (uint16_t)(sight->tick + wait);
    view->flags = (uint8_t)(IS_KNOWN | (is_seen ? IS_SEEN : 0) | (pair->by_model ? BY_MODEL : 0));
    *view_of(sight, other, slot) = *view;
    return is_seen;
}
