#include "core/sight.h"

#include "base/hash.h"
#include "base/pages.h"
#include "core/exits.h"
#include "core/interest.h"
#include "world/shape.h"
#include "world/tick_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TELEPORT_QU    128.0f // a longer move within a tick is a teleport
#define PUSHED         2.0f   // times the acceleration: friction, and other ways to accelerate
#define SPEED_UP       1.1f // a player becomes faster than sv_maxspeed by that until the next test
#define PAIR_RAYS      4    // a test of a pair without rays costs about as much
#define MAX_LATE_TICKS 8192 // then, a later test counts as so late: its tick has 16 bits
#define CALM_TICKS     64   // without strain, the interval of tests becomes shorter
#define OVER_STRAIN    4    // of a tick in which the rays run out
#define LOG_WINDOW_MS  5000
#define WALLS_TICKS    8   // ticks for which the walls around a player are kept
#define MOMENTS        32  // ticks for which a proof that a pair is hidden lasts
#define SPREAD         16  // ticks by which that time differs between pairs
#define REACHES        8   // cached reaches of a player, by ms / 16
#define LONG_MS        64  // maximum interval of tests of a pair that stays hidden for so long
#define LONG_STEPS     24  // to hide a pair for longer; then, the time is shorter
#define WAITS          6   // tests at the minimum interval after a longer one failed
#define STRAINED_MS    256 // LONG_MS while rays run out
#define EXIT_MS        50  // minimum time in which a player may reach a trigger

/// Knowledge of a pair of players. Ticks count from the start of the map, from 1.
typedef struct {
    int32_t tested; // tick of the last test
    int32_t occluders[OCCLUDERS];
    int16_t hidden_ms; // time for which the last test hid the pair; 0 = it did not
    uint8_t waits;     // tests until one tries to hide the pair for longer
    bool by_model;     // a brush model blocked a ray of the last test
} pair_t;

enum { IS_SEEN = 1, BY_MODEL = 2, IS_KNOWN = 4 };

/// Result of the last test, for one of both. A row of them is read for each list.
typedef struct {
    uint16_t due;  // low bits of the tick of the next test
    uint8_t flags; // BY_MODEL: a brush model blocked a ray
} view_t;

// A player in a tick.
typedef struct {
    vec3_t eye, velocity;
    float speed;     // maximum horizontal speed
    float jump;      // maximum speed upwards
    int32_t lead_ms; // without the interval of tests
} moment_t;

// Places that the eye of a player may reach within `ms` from a tick on.
typedef struct {
    int32_t tick, ms;
    sight_places_t places;
} reach_t;

typedef struct {
    sight_body_t body;
    moment_t moments[MOMENTS]; // by tick % MOMENTS
    int32_t walls_tick;        // in which body.walls were found
    reach_t reaches[REACHES];
    exits_near_t exits;
    uint32_t flags;
    int64_t joined_tick;
    vec3_t origin;
} looker_t;

struct sight_s {
    int32_t max_clients, tick, tick_ms;
    int32_t max_lead_ms;
    float acceleration, gravity, jump; // of players, at most; qu/s2, qu/s2 and qu/s
    int32_t retest_ms;                 // SIGHT_RETEST_MS, or more if the rays run out
    int32_t rays_left;                 // of this tick
    int32_t num_over;                  // pairs of this tick without a test
    int32_t strain;                    // grows with each tick in which the rays run out
    int32_t changed;                   // tick in which the blockers last changed
    uint64_t mark, next_mark;          // of the blockers
    int32_t num_used;
    int32_t used[MAX_CLIENTS]; // slots with a player, in this tick
    int32_t num_blockers;
    log_burst_t burst;
    bool see_through[MAX_MAP_MODELS]; // by brush model
    exits_t exits;
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

void Sight_StartMap(sight_t *sight, const cmap_t *map) {
    const size_t clients = (size_t)sight->max_clients;
    Pages_Zero(sight->pairs, sight->num_pairs * sizeof sight->pairs[0]);
    Pages_Zero(sight->views, clients * clients * sizeof sight->views[0]);
    Pages_Zero(sight->lookers, sizeof sight->lookers);
    sight->exits = (exits_t){0};
    sight->tick = sight->changed = 0;
    sight->retest_ms = SIGHT_RETEST_MS;
    sight->rays_left = SIGHT_RAYS_TICK;
    sight->strain = 0;
    Sight_FindSeeThrough(map, sight->see_through);
}

// Moves a player to a place. Keeps the walls around it.
static void place_body(sight_body_t *body, const edict_t *edict, vec3_t origin) {
    const float top = edict->maxs.z - SIGHT_DROP;
    const vec3_t eye = {0.0f, 0.0f, top < PM_VIEW_HEIGHT ? top : PM_VIEW_HEIGHT};
    body->eye = VectorAdd(origin, eye);
    body->box = (bounds_t){VectorAdd(origin, edict->mins), VectorAdd(origin, edict->maxs)};
    body->velocity = edict->velocity;
}

// Returns how far a player may move along one axis within some time.
static void find_moves(const sight_t *sight, const moment_t *at, int32_t axis, float s,
                       float range[2]) {
    const float v = VectorAxis(at->velocity, axis);
    const float most = at->speed * s;
    const float more = 0.5f * sight->acceleration * s * s;
    const float jump = axis == 2 ? at->jump * s : 0.0f;
    const float low = v * s - more;
    const float high = v * s + more;
    range[0] = v < 0.0f ? (low > -most ? low : -most) : (-more > -most ? -more : -most);
    range[1] = v > 0.0f ? (high < most ? high : most) : (more < most ? more : most);
    range[1] = range[1] > jump ? range[1] : jump;
    const float fall = axis == 2 ? v * s - 0.5f * sight->gravity * s * s : 0.0f;
    range[0] = range[0] < fall ? range[0] : fall;
}

static moment_t *moment_of(looker_t *looker, int32_t tick) {
    return &looker->moments[tick % MOMENTS];
}

static bounds_t moves_of(const sight_t *sight, const moment_t *at, int32_t ms) {
    const float s = (float)ms * 0.001f;
    float x[2], y[2], z[2];
    find_moves(sight, at, 0, s, x);
    find_moves(sight, at, 1, s, y);
    find_moves(sight, at, 2, s, z);
    return (bounds_t){Vector(x[0], y[0], z[0]), Vector(x[1], y[1], z[1])};
}

// Returns true if a player accelerated in the last tick more than its tests expect.
static bool is_pushed(const sight_t *sight, const moment_t *before, vec3_t velocity) {
    const bounds_t moves = moves_of(sight, before, sight->tick_ms);
    const float s = 0.001f * (float)sight->tick_ms;
    const vec3_t slack = {PUSHED * sight->acceleration * s, PUSHED * sight->acceleration * s,
                          PUSHED * sight->acceleration * s};
    const bounds_t wide = {VectorSubtract(VectorScale(moves.mins, 1.0f / s), slack),
                           VectorAdd(VectorScale(moves.maxs, 1.0f / s), slack)};
    return !BoundsContain(wide, (bounds_t){velocity, velocity});
}

static sight_query_t query_of(const server_t *server, const sight_t *sight,
                              const sight_body_t *from, const sight_body_t *to) {
    return (sight_query_t){.map = server->map,
                           .blockers = sight->blockers,
                           .num_blockers = sight->num_blockers,
                           .bodies = {from, to},
                           .max_steps = SIGHT_MAX_STEPS};
}

// Counts the rays of a query.
static void pay(server_t *server, sight_t *sight, const sight_query_t *query) {
    sight->rays_left -= query->num_rays;
    server->stats.sight_rays += (uint64_t)query->num_rays;
}

// Copies the walls around an exit that was near in the last tick. Returns false if it was not.
static bool knows_walls(const exits_near_t *before, vec3_t origin, sight_body_t *body) {
    for (int32_t i = 0; i < before->count; i++) {
        if (VectorCompare(before->origins[i], origin)) {
            body->walls = before->bodies[i].walls;
            return true;
        }
    }
    return false;
}

// Expects that a push pad throws a player. Returns true if the last tick did not expect that.
static bool expect_throw(const sight_t *sight, looker_t *looker, const near_exits_t *near) {
    moment_t *now = moment_of(looker, sight->tick);
    const moment_t *before = moment_of(looker, sight->tick - 1);
    now->jump = near->up > now->jump ? near->up : now->jump;
    now->speed = near->level > now->speed ? near->level : now->speed;
    return near->up > before->jump || near->level > before->speed;
}

// Finds the exits that a player may reach before its client shows it there. A new one repeats the
// tests of the player, unless the rays of this tick are half used: other players need them.
static void look_for_exits(server_t *server, sight_t *sight, int32_t slot) {
    looker_t *looker = &sight->lookers[slot];
    const edict_t *edict = World_Edict(server->world, slot + 1);
    const int32_t ms = Q_MaxI((server->snapshot_ticks + 2) * sight->tick_ms, EXIT_MS);
    const moment_t *now = moment_of(looker, sight->tick);
    const near_exits_t near =
        Exits_Near(server, &sight->exits, edict, moves_of(sight, now, ms),
                   moves_of(sight, now, Q_MaxI(ms, now->lead_ms))); // clients predict pads
    bool is_new = expect_throw(sight, looker, &near);
    const exits_near_t before = near.count > 0 ? looker->exits : (exits_near_t){0};
    looker->exits.count = 0;
    for (int32_t i = 0; i < near.count; i++) {
        const game_exit_t *exit = &near.list[i];
        sight_body_t body = {0};
        place_body(&body, edict, exit->origin);
        body.velocity = exit->velocity;
        if (!knows_walls(&before, exit->origin, &body)) {
            if (sight->rays_left < SIGHT_RAYS_TICK / 2) {
                sight->num_over++;
                continue;
            }
            sight_query_t query = {.map = server->map};
            Sight_FindWalls(&query, &body);
            pay(server, sight, &query);
            is_new = true;
        }
        looker->exits.origins[looker->exits.count] = exit->origin;
        looker->exits.bodies[looker->exits.count++] = body;
    }
    if (is_new) {
        test_again(sight, slot);
    }
}

static void look(server_t *server, sight_t *sight, int32_t slot) {
    const world_t *world = server->world;
    const movevars_t *vars = &world->cvars.move;
    const client_t *client = World_Client(world, slot);
    const edict_t *edict = World_Edict(world, slot + 1);
    const int32_t peer = server->peer_of_slot[slot];
    const int32_t ping_ms = peer >= 0 ? server->sessions[peer].ping_ms : 0;
    looker_t *looker = &sight->lookers[slot];
    vec3_t moved = VectorSubtract(edict->origin, looker->origin);
    if (client->joined_tick != looker->joined_tick || !VectorWithin(moved, TELEPORT_QU) ||
        ((client->player.flags ^ looker->flags) & PMF_TELEPORT) ||
        edict->movetype == MOVETYPE_NOCLIP) { // passes the walls that limit moves
        forget(sight, slot);
        looker->walls_tick = 0;
    } else if (is_pushed(sight, moment_of(looker, sight->tick - 1), edict->velocity)) {
        test_again(sight, slot);
    }
    looker->joined_tick = client->joined_tick;
    looker->origin = edict->origin;
    looker->flags = client->player.flags;
    place_body(&looker->body, edict, edict->origin);
    const int32_t lead_ms = (ping_ms < 0 ? SIGHT_DEFAULT_PING : ping_ms) +
                            (server->snapshot_ticks + 2) * sight->tick_ms;
    *moment_of(looker, sight->tick) =
        (moment_t){looker->body.eye, edict->velocity,
                   SPEED_UP * fmaxf(VectorLength(edict->velocity), vars->sv_maxspeed), sight->jump,
                   Q_ClampI(lead_ms, SIGHT_MIN_LEAD_MS, SIGHT_MAX_LEAD_MS)};
    sight->max_lead_ms = Q_MaxI(sight->max_lead_ms, moment_of(looker, sight->tick)->lead_ms);
    if (sight->exits.count > 0 && edict->solid != SOLID_NOT) {
        look_for_exits(server, sight, slot);
    } else {
        looker->exits.count = 0;
    }
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

static void find_acceleration(sight_t *sight, const movevars_t *vars) {
    sight->acceleration = fmaxf(vars->sv_accelerate, vars->sv_airaccelerate) * vars->sv_maxspeed;
    sight->jump = vars->sv_jumpspeed;
    sight->gravity = vars->sv_gravity;
}

void Sight_Tick(server_t *server, sight_t *sight) {
    note_over(server, sight);
    sight->tick++;
    sight->tick_ms = World_TickMs(server->world);
    find_acceleration(sight, &server->world->cvars.move);
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
    Exits_Tick(server, &sight->exits);
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        if (World_Client(server->world, slot)->inuse) {
            sight->used[sight->num_used++] = slot;
        }
    }
    for (int32_t i = 0; i < sight->num_used; i++) {
        look(server, sight, sight->used[i]);
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
        const uint64_t models[] = {(uint64_t)World_EdictNumber(sv->world, edict), edict->generation,
                                   (uint64_t)edict->model};
        sight->next_mark = Hash_Bytes(models, sizeof models, sight->next_mark);
    }
}

float Sight_Reach(const sight_t *sight, int32_t slot, bool of_target) {
    const moment_t *now = &sight->lookers[slot].moments[sight->tick % MOMENTS];
    const int32_t ms = of_target ? sight->max_lead_ms : now->lead_ms;
    return fmaxf(now->speed, now->jump) * (float)ms * 0.001f;
}

// Returns the lead of a pair, as of a tick.
static int32_t lead_of(looker_t *const lookers[2], int32_t tick) {
    return Q_MaxI(moment_of(lookers[0], tick)->lead_ms, moment_of(lookers[1], tick)->lead_ms);
}

static sight_places_t places_of(const sight_t *sight, const sight_body_t *body, const moment_t *at,
                                int32_t ms) {
    const bounds_t moves = moves_of(sight, at, ms);
    return (sight_places_t){Sight_LimitMoves(body, &moves), at->speed * (float)ms * 0.001f};
}

// Returns the places that a player may reach within `ms`. Finds them once for all pairs of a tick.
static sight_places_t reach_of(const sight_t *sight, looker_t *looker, int32_t ms) {
    reach_t *reach = &looker->reaches[ms / 16 % REACHES];
    if (reach->tick != sight->tick || reach->ms != ms) {
        *reach = (reach_t){sight->tick, ms,
                           places_of(sight, &looker->body, moment_of(looker, sight->tick), ms)};
    }
    return reach->places;
}

// Finds the walls around a player. Keeps them for some ticks and all pairs.
static void find_walls(const sight_t *sight, sight_query_t *query, looker_t *looker) {
    if (looker->walls_tick == 0 || sight->tick - looker->walls_tick >= WALLS_TICKS) {
        Sight_FindWalls(query, &looker->body);
        looker->walls_tick = sight->tick;
    }
}

// Returns true if a pair stays hidden for `ms`, unless a door moves or a player is pushed. With
// less than SIGHT_MAX_STEPS, a pair that needs more counts as visible.
static bool is_hidden(const sight_t *sight, sight_query_t *query, looker_t *const lookers[2],
                      int32_t ms, int32_t max_steps) {
    const int32_t lead_ms = lead_of(lookers, sight->tick);
    query->is_long = max_steps < SIGHT_MAX_STEPS;
    query->is_far = lead_ms > SIGHT_FAR_LEAD_MS;
    query->max_steps = query->is_far && !query->is_long ? 2 * max_steps : max_steps;
    for (int32_t i = 0; i < 2; i++) {
        query->ahead[i] = reach_of(sight, lookers[i], ms + lead_ms);
        query->drift[i] = reach_of(sight, lookers[i], ms);
    }
    return !Sight_IsClear(query);
}

// Returns for how long a pair stays hidden, in ms; 0 = it is not. First tries twice the time of the
// last test. If that fails, the next WAITS tests try only the minimum.
static int32_t hidden_ms(const sight_t *sight, sight_query_t *query, looker_t *const lookers[2],
                         pair_t *pair) {
    const int32_t least_ms = sight->retest_ms;
    const bool is_strained = least_ms > SIGHT_RETEST_MS || sight->strain > 0;
    const int32_t max_ms = Q_MaxI(is_strained ? STRAINED_MS : LONG_MS, least_ms);
    const int32_t ms = Q_ClampI(2 * pair->hidden_ms, least_ms, pair->waits > 0 ? least_ms : max_ms);
    if (ms > least_ms && is_hidden(sight, query, lookers, ms, LONG_STEPS)) {
        return ms;
    }
    const bool hides = is_hidden(sight, query, lookers, least_ms, SIGHT_MAX_STEPS);
    pair->waits = (uint8_t)(ms > least_ms || !hides ? WAITS : Q_MaxI(pair->waits - 1, 0));
    return hides ? least_ms : 0;
}

// Returns true if a player cannot leave, within `ms`, what the last test of a pair assumed.
static bool is_within(const sight_t *sight, looker_t *looker, const pair_t *pair,
                      const int32_t leads_ms[2], int32_t ms) {
    const moment_t *then = moment_of(looker, pair->tested);
    const moment_t *now = moment_of(looker, sight->tick);
    const bounds_t proven = moves_of(sight, then, pair->hidden_ms + leads_ms[0]);
    const bounds_t moves = moves_of(sight, now, ms + leads_ms[1]);
    const vec3_t moved = VectorSubtract(now->eye, then->eye);
    const float way = sqrtf(moved.x * moved.x + moved.y * moved.y) +
                      now->speed * (float)(ms + leads_ms[1]) * 0.001f;
    return way <= then->speed * (float)(pair->hidden_ms + leads_ms[0]) * 0.001f &&
           BoundsContain(proven,
                         (bounds_t){VectorAdd(moves.mins, moved), VectorAdd(moves.maxs, moved)});
}

// Returns for how long the proof of the last test still hides a pair, in ms; 0 = it does not.
// `spread`: a number of the pair, so that proofs do not end in the same tick.
static int32_t proven_ms(const sight_t *sight, looker_t *const lookers[2], const pair_t *pair,
                         int32_t spread) {
    static const int32_t none[2] = {0, 0};
    if (pair->hidden_ms == 0 || sight->tick - pair->tested >= MOMENTS - spread % SPREAD ||
        sight->changed > pair->tested) {
        return 0;
    }
    const int32_t leads_ms[2] = {lead_of(lookers, pair->tested), lead_of(lookers, sight->tick)};
    int32_t proven = 0;
    for (int32_t ms = sight->retest_ms; ms <= 4 * sight->retest_ms; ms *= 2) {
        for (int32_t i = 0; i < 4; i++) {
            if (!is_within(sight, lookers[i / 2], pair, i % 2 ? leads_ms : none, ms)) {
                return proven;
            }
        }
        proven = ms;
    }
    return proven;
}

// Tests a pair. Returns the time for which it stays hidden, in ms; 0 = it is not.
static int32_t test_pair(server_t *server, sight_t *sight, pair_t *pair, int32_t a, int32_t b) {
    looker_t *lookers[2] = {&sight->lookers[a], &sight->lookers[b]};
    sight_query_t query = query_of(server, sight, &lookers[0]->body, &lookers[1]->body);
    int32_t wait_ms = proven_ms(sight, lookers, pair, a * 5 + b * 3);
    if (wait_ms > 0) {
        return wait_ms;
    }
    memcpy(query.occluders, pair->occluders, sizeof query.occluders);
    if (pair->hidden_ms > 0 || !Sight_EyesMeet(&query)) {
        find_walls(sight, &query, lookers[0]);
        find_walls(sight, &query, lookers[1]);
        wait_ms = hidden_ms(sight, &query, lookers, pair);
    }
    memcpy(pair->occluders, query.occluders, sizeof query.occluders);
    pair->tested = sight->tick;
    pair->hidden_ms = (int16_t)wait_ms;
    pair->by_model = query.was_model;
    sight->rays_left -= query.num_rays + PAIR_RAYS;
    server->stats.sight_rays += (uint64_t)query.num_rays;
    return wait_ms;
}

int32_t Sight_Exits(const sight_t *sight, int32_t slot, bounds_t boxes[EXITS_NEAR]) {
    const looker_t *looker = &sight->lookers[slot];
    for (int32_t i = 0; i < looker->exits.count; i++) {
        boxes[i] = looker->exits.bodies[i].box;
    }
    return looker->exits.count;
}

// Returns true if a player may see another one, within `ms`, from an exit near it.
static bool sees_from_exit(server_t *server, sight_t *sight, int32_t slot, int32_t other,
                           pair_t *pair, int32_t ms) {
    looker_t *looker = &sight->lookers[slot];
    bool sees = false;
    for (int32_t i = 0; i < looker->exits.count && !sees; i++) {
        const sight_body_t *body = &looker->exits.bodies[i];
        sight_query_t query = query_of(server, sight, body, &sight->lookers[other].body);
        moment_t there = *moment_of(looker, sight->tick);
        there.velocity = body->velocity;
        find_walls(sight, &query, &sight->lookers[other]);
        query.ahead[0] = places_of(sight, body, &there, ms + there.lead_ms);
        query.drift[1] = reach_of(sight, &sight->lookers[other], ms);
        sees = Sight_EyesMeet(&query) || Sight_SeesSoon(&query);
        pair->by_model = pair->by_model || query.was_model;
        pay(server, sight, &query);
    }
    return sees;
}

bool Sight_SeesPlace(server_t *server, const sight_t *sight, int32_t slot, vec3_t place) {
    const edict_t *edict = World_Edict(server->world, slot + 1);
    const cm_object_t world = {.model = 0};
    sight_body_t body, target;
    place_body(&body, edict, edict->origin);
    const vec3_t back = VectorNormalize(VectorSubtract(body.eye, place), NULL);
    target.eye = VectorAdd(place, back); // by 1 qu: it may be on a wall
    sight_query_t query = query_of(server, sight, &body, &target);
    const bool sees = Sight_EyesMeet(&query);
    server->stats.sight_rays += (uint64_t)query.num_rays;
    return sees || CM_Contents(server->map, &world, body.eye) == CONTENTS_SOLID;
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
    int32_t hidden = test_pair(server, sight, pair, slot, other);
    bool sees[2] = {hidden == 0, hidden == 0};
    if (hidden > 0 && sight->lookers[slot].exits.count + sight->lookers[other].exits.count > 0) {
        hidden = Q_MinI(hidden, sight->retest_ms);
        sees[0] = sees_from_exit(server, sight, slot, other, pair, hidden);
        sees[1] = sees_from_exit(server, sight, other, slot, pair, hidden);
    }
    int32_t wait = Q_MaxI((hidden > 0 ? hidden : SIGHT_SEEN_MS) / sight->tick_ms, 1);
    wait -= (slot * 5 + other * 3 + sight->tick) % Q_MaxI(wait / 2, 1); // spreads the tests
    view->due = (uint16_t)(sight->tick + wait);
    const int32_t known = IS_KNOWN | (pair->by_model ? BY_MODEL : 0);
    view->flags = (uint8_t)(known | (sees[0] ? IS_SEEN : 0));
    *view_of(sight, other, slot) = (view_t){view->due, (uint8_t)(known | (sees[1] ? IS_SEEN : 0))};
    return sees[0];
}
