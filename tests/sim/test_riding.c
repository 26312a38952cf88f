// Riding: players with real usercmds, through SV_Frame, on lifts, trains, turning platforms and
// pushers on pushers, in water and under low ceilings. No player gets stuck, is crushed, shaken or
// falls through, however its usercmds arrive: in time, split, in bursts, late, lost, or not at all.
//
// A trip is one player's ride from one end of a path to the other. EDICTD_LONG=1 rides a million.

#include "lib/map_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/core_local.h"
#include "math/angles.h"
#include "move/pmove.h"
#include "move/pusher.h"
#include "physics/actions.h"
#include "physics/physics.h"
#include "world/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS     16
#define MOST_RIDERS 16
#define SETTLE_MS   256    // before and after a trip
#define IDLE_MOVES  0.02f  // qu; an idle rider may drift this far on the pusher ...
#define WET_MOVES   0.04f  // ... or this far out of water: an epsilon, onto the ground
#define PLATFORM    112.0f // qu; half its side

// ---- a game with riders only ----

static void stop_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)sv;
    (void)obstacle;
    self->effects++;
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv;
    client->player.health = 100;
    player->origin = Vector(0.0f, 0.0f, 200.0f);
}

static const callback_t functions[] = {{.name = "stop", .blocked = stop_blocked}};

static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "riding",
                                   .callbacks = functions,
                                   .num_callbacks = COUNTOF(functions),
                                   .client_join = join};

// ---- scenes ----

typedef enum {
    RIDE_LIFT,
    RIDE_WATER,
    RIDE_CEILING,
    RIDE_TRAIN,
    RIDE_TURN,
    RIDE_SPIN,
    RIDE_LIFT_ON_TRAIN,
    RIDE_TURN_ON_LIFT,
    RIDE_COUNT
} ride_t;

static const char *const ride_names[RIDE_COUNT] = {
    "lift in a shaft",          "lift in water",
    "lift under a low ceiling", "train on a curve",
    "turning platform",         "spinning platform",
    "lift on a train",          "turning platform on a lift"};

typedef struct {
    int64_t trips, ticks, player_ticks, blocked, jumps;
    float idle_moved; ///< largest distance that an idle rider drifted on its pusher
    int32_t stuck, fell, off, unstuck, crowded;
} counts_t;

/// Arrival pattern of a player's usercmds.
typedef enum {
    COME_STEADY, ///< one per tick
    COME_CUT,    ///< several of odd lengths per tick
    COME_BURSTS, ///< none for some ticks, then all of them
    COME_LATE,   ///< some late, some lost
    COME_NEVER,  ///< the server fills in the time
    COME_COUNT
} coming_t;

typedef struct {
    coming_t coming;
    bool is_idle;
    int32_t owed_ms; ///< of usercmds not made yet
    int32_t burst;   ///< ticks until the next
    int16_t forward;
    uint16_t yaw;
    uint8_t buttons;
    vec3_t place; ///< position on the pusher when the trip began
    bool was_on;
} rider_t;

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t binding;
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
    ride_t ride;
    edict_t *base;   ///< the pusher below, or NULL
    edict_t *pusher; ///< pusher that carries the riders
    vec3_t low;      ///< start position
    rider_t riders[MOST_RIDERS];
    int32_t num_riders;
    counts_t counts;
} scene_t;

static test_block_t model_box(int32_t model) {
    return (test_block_t){.box = {{-PLATFORM, -PLATFORM, -16.0f}, {PLATFORM, PLATFORM, 0.0f}},
                          .contents = CONTENTS_SOLID,
                          .model = model};
}

static void build_map(scene_t *scene) {
    const float wall = PLATFORM + 2.0f;
    bool is_shaft = scene->ride <= RIDE_CEILING;
    bounds_t shaft = {{-wall, -wall, 0.0f}, {wall, wall, 640.0f}};
    bounds_t hall = {{-1500.0f, -1500.0f, 0.0f}, {1500.0f, 1500.0f, 1024.0f}};
    test_block_t blocks[4] = {model_box(1), model_box(2)};
    int32_t count = 2;
    if (scene->ride == RIDE_WATER) {
        blocks[count++] = (test_block_t){.box = {{-wall, -wall, 0.0f}, {wall, wall, 220.0f}},
                                         .contents = CONTENTS_WATER};
    }
    if (scene->ride == RIDE_CEILING) {
        // A ceiling over one half, 90 above the lift's stop.
        blocks[count++] = TestMap_Box(Vector(-wall, -wall, 130.0f), Vector(0.0f, wall, 200.0f));
    }
    const test_map_t map = {
        .room = is_shaft ? shaft : hall, .blocks = blocks, .num_blocks = count, .brush_list = true};
    assert_true(TestMap_Build(&scene->map, &map));
}

static edict_t *spawn_pusher(scene_t *scene, sv_context_t *sv, int32_t model, vec3_t origin) {
    edict_t *edict = SV_SpawnEdict(sv);
    edict->movetype = MOVETYPE_PUSH;
    edict->solid = SOLID_BSP;
    edict->model = model;
    edict->mins = scene->map.models[model].bounds.mins;
    edict->maxs = scene->map.models[model].bounds.maxs;
    edict->origin = origin;
    edict->blocked = Callbacks_Find(scene->world, "stop");
    SV_LinkEdict(sv, edict, false);
    return edict;
}

static sv_context_t context(scene_t *scene) {
    return SV_Context(scene->world, &scene->map, &scene->binding, scene->events);
}

static void init_scene(scene_t *scene, ride_t ride, uint64_t seed) {
    memset(scene, 0, sizeof *scene);
    scene->ride = ride;
    scene->rng.state = seed;
    build_map(scene);
    const world_params_t params = {.max_edicts = 64,
                                   .max_clients = MOST_RIDERS,
                                   .seed = seed,
                                   .map_hash = scene->map.hash,
                                   .bounds = scene->map.models[0].bounds};
    scene->world = World_Init(malloc(World_Bytes(&params)), &params);
    scene->inputs = calloc(1, sizeof *scene->inputs);
    scene->events = calloc(1, sizeof *scene->events);
    err_t err = {{0}};
    assert_true(SV_BindGame(scene->world, &game, &scene->binding, &err));
    sv_context_t sv = context(scene);
    scene->low = ride == RIDE_WATER ? Vector(0.0f, 0.0f, 40.0f) : Vector(0.0f, 0.0f, 17.0f);
    scene->pusher = spawn_pusher(scene, &sv, 1, scene->low);
    if (ride >= RIDE_LIFT_ON_TRAIN) {
        vec3_t below = Vector(scene->low.x, scene->low.y, scene->low.z);
        scene->low.z += 60.0f;
        scene->pusher->origin = scene->low;
        SV_LinkEdict(&sv, scene->pusher, false);
        scene->base = spawn_pusher(scene, &sv, 2, below);
        assert_true(SV_PusherGlue(&sv, scene->pusher, scene->base));
    }
}

static void free_scene(scene_t *scene) {
    CM_FreeMap(&scene->map);
    free(scene->world);
    free(scene->inputs);
    free(scene->events);
}

// ---- riders ----

static client_t *client_of(scene_t *scene, int32_t slot) {
    return World_Client(scene->world, slot);
}

static edict_t *edict_of(scene_t *scene, int32_t slot) {
    return World_Edict(scene->world, slot + 1);
}

// Converts a point of the world to where it was before the pusher moved and turned.
static vec3_t on_pusher(const scene_t *scene, vec3_t point) {
    const pose_t zero = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    pm_carry_t carry = PM_Carry((pose_t){scene->pusher->origin, scene->pusher->angles}, zero);
    return PM_CarryPoint(&carry, point);
}

static vec3_t off_pusher(const scene_t *scene, vec3_t point) {
    const pose_t zero = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    pm_carry_t carry = PM_Carry(zero, (pose_t){scene->pusher->origin, scene->pusher->angles});
    return PM_CarryPoint(&carry, point);
}

// Puts a rider on its own square of the platform. Boxes do not turn, so on a turning pusher they
// need room at the corners.
static void place_rider(scene_t *scene, int32_t slot) {
    float x = -84.0f + 56.0f * (float)(slot % 4) + Rng_Range(&scene->rng, -5.0f, 5.0f);
    float y = -84.0f + 56.0f * (float)(slot / 4 % 4) + Rng_Range(&scene->rng, -5.0f, 5.0f);
    edict_t *edict = edict_of(scene, slot);
    sv_context_t sv = context(scene);
    edict->origin = off_pusher(scene, Vector(x, y, 24.5f));
    edict->oldorigin = edict->origin;
    edict->velocity = Vector(0.0f, 0.0f, 0.0f);
    SV_LinkEdict(&sv, edict, false);
    SV_PlayerFromEdict(&sv, edict);
}

static void choose_input(scene_t *scene, rider_t *rider) {
    if (rider->is_idle) {
        return;
    }
    rng_t *rng = &scene->rng;
    if (Rng_Below(rng, 16) == 0) {
        rider->forward = (int16_t)(Rng_Below(rng, 3) == 0 ? 0 : 320);
        rider->yaw = (uint16_t)Rng_Below(rng, 65536);
        rider->buttons = Rng_Below(rng, 4) == 0 ? BUTTON_JUMP : 0;
    }
}

static void send(scene_t *scene, int32_t slot, int64_t tick, int32_t msec) {
    rider_t *rider = &scene->riders[slot];
    input_t *input = Inputs_Add(scene->inputs, INPUT_USERCMD, slot);
    input->cmd = (usercmd_t){.tick = tick,
                             .msec = (uint8_t)msec,
                             .forward = rider->forward,
                             .yaw = rider->yaw,
                             .buttons = rider->buttons};
}

// Sends the part of a player's input that arrives before this tick.
static void send_commands(scene_t *scene, int32_t slot) {
    rider_t *rider = &scene->riders[slot];
    int64_t tick = scene->world->tick;
    rng_t *rng = &scene->rng;
    choose_input(scene, rider);
    rider->owed_ms = Q_MinI(rider->owed_ms + TICK_MS, 200);
    switch (rider->coming) {
    case COME_STEADY:
        send(scene, slot, tick, TICK_MS);
        break;
    case COME_CUT:
        while (rider->owed_ms > 0) {
            int32_t msec = Q_MinI(1 + (int32_t)Rng_Below(rng, 20), rider->owed_ms);
            rider->owed_ms -= msec;
            send(scene, slot, tick, msec);
        }
        break;
    case COME_BURSTS:
        if (--rider->burst > 0) {
            break;
        }
        rider->burst = 1 + (int32_t)Rng_Below(rng, 12);
        for (; rider->owed_ms >= TICK_MS; rider->owed_ms -= TICK_MS) {
            send(scene, slot, tick, TICK_MS);
        }
        break;
    case COME_LATE:
        if (Rng_Below(rng, 8) != 0) { // otherwise lost
            send(scene, slot, tick - (int64_t)Rng_Below(rng, 6), TICK_MS);
        }
        break;
    default:
        break;
    }
}

static bool stands_on_pusher(scene_t *scene, int32_t slot) {
    const edict_t *edict = edict_of(scene, slot);
    return (edict->flags & FL_ONGROUND) &&
           World_Deref(scene->world, edict->groundentity) == scene->pusher;
}

static bool is_over_pusher(vec3_t place) {
    const float inside = PLATFORM - 17.0f;
    return fabsf(place.x) < inside && fabsf(place.y) < inside;
}

static void check_rider(scene_t *scene, int32_t slot) {
    counts_t *counts = &scene->counts;
    rider_t *rider = &scene->riders[slot];
    edict_t *edict = edict_of(scene, slot);
    sv_context_t sv = context(scene);
    counts->player_ticks++;
    const edict_t *in = SV_TestEdictPosition(&sv, edict);
    // Players that slide along each other in the air may overlap by a last bit; no pusher causes
    // that.
    bool is_crowded = in && (in->flags & FL_CLIENT) && !rider->is_idle;
    counts->crowded += is_crowded ? 1 : 0;
    counts->stuck += in && !is_crowded ? 1 : 0;
    vec3_t place = on_pusher(scene, edict->origin);
    if (rider->was_on && is_over_pusher(place) && place.z < 24.0f) {
        counts->fell++;
    }
    rider->was_on = is_over_pusher(place) && place.z >= 24.0f;
    counts->jumps += edict->velocity.z > 200.0f ? 1 : 0;
    if (!rider->is_idle) {
        return;
    }
    float moved = VectorLength(VectorSubtract(place, rider->place));
    counts->idle_moved = fmaxf(counts->idle_moved, moved);
    counts->off += stands_on_pusher(scene, slot) ? 0 : 1;
}

static void run_tick(scene_t *scene, bool checks) {
    for (int32_t i = 0; i < scene->num_riders; i++) {
        send_commands(scene, i);
    }
    Events_Clear(scene->events);
    SV_Frame(scene->world, &scene->map, &scene->binding, scene->inputs, scene->events);
    Inputs_Clear(scene->inputs);
    scene->counts.ticks++;
    for (int32_t i = 0; checks && i < scene->num_riders; i++) {
        check_rider(scene, i);
    }
}

// ---- trips ----

static float random_speed(rng_t *rng) {
    // Random speed of 30 to 1000, more slow ones than fast ones.
    float share = Rng_Float(rng);
    return 30.0f + 970.0f * share * share;
}

static void seat_riders(scene_t *scene) {
    int32_t count = 1 + (int32_t)Rng_Below(&scene->rng, MOST_RIDERS);
    // Start with new players, so that no usercmds wait from the last trip.
    scene->num_riders = 0;
    for (int32_t i = 0; i < MOST_RIDERS; i++) {
        if (client_of(scene, i)->inuse) {
            Inputs_Add(scene->inputs, INPUT_LEAVE, i);
        }
    }
    run_tick(scene, false);
    for (int32_t i = 0; i < count; i++) {
        Inputs_Add(scene->inputs, INPUT_JOIN, i);
    }
    run_tick(scene, false);
    scene->num_riders = count;
    bool is_roomy = scene->ride == RIDE_LIFT || scene->ride == RIDE_WATER;
    // A rider that walks about falls off a pusher without walls, and pushes others.
    bool is_idle = !is_roomy || Rng_Below(&scene->rng, 2) == 0;
    for (int32_t i = 0; i < count; i++) {
        scene->riders[i] = (rider_t){.coming = (coming_t)Rng_Below(&scene->rng, COME_COUNT),
                                     .is_idle = is_idle,
                                     .yaw = (uint16_t)Rng_Below(&scene->rng, 65536)};
        place_rider(scene, i);
    }
}

static void start_motion(scene_t *scene, edict_t *pusher, vec3_t delta, float degrees,
                         float speed) {
    sv_context_t sv = context(scene);
    float length = fmaxf(VectorLength(delta), fabsf(degrees) * 2.0f);
    int32_t ms = Q_MaxI((int32_t)(length / speed * 1000.0f), 1);
    motion_t motion = {.kind = MOTION_MOVE, .duration_ms = ms, .delta = delta};
    bool has_moved = pusher->motion.kind != MOTION_NONE;
    vec3_t base =
        has_moved ? VectorAdd(pusher->motion.base.origin, pusher->motion.delta) : pusher->origin;
    motion.base = (pose_t){base, pusher->angles};
    if (has_moved) {
        motion.base.angles = VectorAdd(pusher->motion.base.angles, pusher->motion.delta_angles);
    }
    motion.delta_angles.y = degrees;
    if (scene->ride == RIDE_TRAIN) {
        motion.bend = Vector(delta.y * 0.3f, -delta.x * 0.3f, 20.0f);
    }
    assert_true(SV_PusherStart(&sv, pusher, &motion));
}

// Starts the pusher, there or back. Returns the longest time the trip may take.
static int32_t set_off(scene_t *scene, bool there) {
    rng_t *rng = &scene->rng;
    float speed = random_speed(rng);
    float sign = there ? 1.0f : -1.0f;
    vec3_t up = {0.0f, 0.0f, sign * 128.0f};
    vec3_t along = {sign * 160.0f, sign * 100.0f, 0.0f};
    edict_t *pusher = scene->pusher;
    edict_t *base = scene->base;
    switch (scene->ride) {
    case RIDE_TRAIN:
        start_motion(scene, pusher, along, 0.0f, speed);
        break;
    case RIDE_TURN:
        start_motion(scene, pusher, Vector(0.0f, 0.0f, 0.0f), sign * 110.0f, speed);
        break;
    case RIDE_SPIN:
        start_motion(scene, pusher, up, sign * 200.0f, speed);
        break;
    case RIDE_CEILING: { // from its present position: on the ride up it may have been stopped
        sv_context_t sv = context(scene);
        vec3_t end = there ? VectorAdd(scene->low, up) : scene->low;
        assert_true(SV_PusherMoveTo(&sv, pusher, (pose_t){end, pusher->angles},
                                    Q_MaxI((int32_t)(128.0f / speed * 1000.0f), 1)));
        break;
    }
    case RIDE_LIFT_ON_TRAIN:
        start_motion(scene, base, along, sign * 50.0f, random_speed(rng));
        start_motion(scene, pusher, up, 0.0f, speed);
        break;
    case RIDE_TURN_ON_LIFT:
        start_motion(scene, base, up, 0.0f, random_speed(rng));
        start_motion(scene, pusher, Vector(0.0f, 0.0f, 0.0f), sign * 90.0f, speed);
        break;
    default:
        start_motion(scene, pusher, up, 0.0f, speed);
        break;
    }
    int32_t ms = pusher->motion.duration_ms;
    return base ? Q_MaxI(ms, base->motion.duration_ms) : ms;
}

static void run_ms(scene_t *scene, int32_t ms, bool checks) {
    for (int32_t t = 0; t < ms; t += TICK_MS) {
        run_tick(scene, checks);
    }
}

// Carries all riders from one end to the other and back.
static void ride_there_and_back(scene_t *scene) {
    seat_riders(scene);
    run_ms(scene, SETTLE_MS, false);
    for (int32_t i = 0; i < scene->num_riders; i++) {
        assert_true(!scene->riders[i].is_idle || stands_on_pusher(scene, i));
        scene->riders[i].place = on_pusher(scene, edict_of(scene, i)->origin);
        scene->riders[i].was_on = true;
    }
    for (int32_t delta = 0; delta < 2; delta++) {
        run_ms(scene, (int32_t)Rng_Below(&scene->rng, 4) * TICK_MS, true);
        int32_t ms = set_off(scene, delta == 0);
        int32_t effects = scene->pusher->effects;
        run_ms(scene, ms + 4 * TICK_MS, true);
        bool is_low = scene->ride == RIDE_CEILING && delta == 0;
        scene->counts.blocked += scene->pusher->effects - effects;
        if (!is_low) {
            assert_int_equal(scene->pusher->effects, effects); // no player blocks it
        }
        scene->counts.trips += scene->num_riders;
    }
}

static void ride(ride_t kind, int64_t trips, uint64_t seed) {
    scene_t *scene = malloc(sizeof *scene);
    init_scene(scene, kind, seed);
    while (scene->counts.trips < trips) {
        ride_there_and_back(scene);
    }
    const counts_t *c = &scene->counts;
    scene->counts.unstuck = (int32_t)scene->world->counters.unstuck;
    printf("%-27s %7lld trips, %8lld player ticks, %lld blocked; stuck %d, put back %d, fell "
           "through %d, off %d, crowded %d; idle moved %.5f\n",
           ride_names[kind], (long long)c->trips, (long long)c->player_ticks, (long long)c->blocked,
           c->stuck, c->unstuck, c->fell, c->off, c->crowded, (double)c->idle_moved);
    assert_int_equal(c->stuck, 0);
    // Where riders walk about, two of them may have overlapped in the air.
    assert_true(c->unstuck <= (kind <= RIDE_WATER ? 1 + c->trips / 1000 : 0));
    assert_int_equal(c->fell, 0);
    assert_int_equal(c->off, 0);
    assert_int_equal(scene->world->counters.quarantined, 0);
    assert_true(c->idle_moved <= (kind == RIDE_WATER ? WET_MOVES : IDLE_MOVES));
    free_scene(scene);
    free(scene);
}

static void test_every_ride(void **state) {
    (void)state;
    int64_t trips = Test_IsLong() ? 1000000 : Test_IsSlow() ? 800 : 4000;
    for (int32_t kind = 0; kind < RIDE_COUNT; kind++) {
        ride((ride_t)kind, trips / RIDE_COUNT, 1000 + (uint64_t)kind);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_ride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
