// Fields of a game at clients: every type, ranges and steps, deltas under loss, owner and team,
// refs to hidden edicts, a flood of changes, and a reload.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/server_local.h"
#include "world/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANN, BOB, CAT, NUM_CLIENTS }; // ann and bob are team 1, cat is team 2

// ---- a game whose state the test writes ----

typedef struct {
    int32_t level; // -100..100
    float exact;
    float steps; // 0..10 by 0.25
    int32_t title;
    edict_ref_t enemy;
    int32_t secret, orders; // of the owner; of the team
} thing_t;

typedef struct {
    int32_t score, ammo; // to all; to the owner
    float armour;        // to the team
    int32_t title;
    edict_ref_t target;
} player_t;

typedef struct {
    int32_t round;
    float wind; // -1..1 by 0.5
    int32_t phase;
    edict_ref_t leader;
} match_t;

#define OF(type, kind, member, flags, min, max, step)                                              \
    { #member, kind, (uint32_t)offsetof(type, member), flags, NULL, min, max, step }

static const game_field_t thing_fields[] = {
    OF(thing_t, FIELD_INT, level, FIELD_ALL, -100, 100, 0),
    OF(thing_t, FIELD_FLOAT, exact, FIELD_ALL, 0, 0, 0),
    OF(thing_t, FIELD_FLOAT, steps, FIELD_ALL, 0, 10, 0.25f),
    OF(thing_t, FIELD_STRING, title, FIELD_ALL, 0, 0, 0),
    OF(thing_t, FIELD_REF, enemy, FIELD_ALL, 0, 0, 0),
    OF(thing_t, FIELD_INT, secret, FIELD_OWNER, 0, 0, 0),
    OF(thing_t, FIELD_INT, orders, FIELD_TEAM, 0, 0, 0),
};
static const game_field_t player_fields[] = {
    OF(player_t, FIELD_INT, score, FIELD_ALL | FIELD_SCORE, 0, 0, 0),
    OF(player_t, FIELD_INT, ammo, FIELD_OWNER, 0, 0, 0),
    OF(player_t, FIELD_FLOAT, armour, FIELD_TEAM, 0, 0, 0),
    OF(player_t, FIELD_STRING, title, FIELD_ALL, 0, 0, 0),
    OF(player_t, FIELD_REF, target, FIELD_ALL, 0, 0, 0),
};
static const game_field_t match_fields[] = {
    OF(match_t, FIELD_INT, round, FIELD_ALL, 0, 0, 0),
    OF(match_t, FIELD_FLOAT, wind, FIELD_ALL, -1, 1, 0.5f),
    OF(match_t, FIELD_STRING, phase, FIELD_ALL, 0, 0, 0),
    OF(match_t, FIELD_REF, leader, FIELD_ALL, 0, 0, 0),
};

static void started(sv_context_t *sv) {
    for (int32_t i = 0; i < 2; i++) {
        edict_t *thing = sv->engine->spawn(sv);
        thing->classname = sv->engine->string(sv, "thing");
        thing->origin = Vector(100.0f, 0.0f, 40.0f + 20.0f * (float)i);
        thing->solid = SOLID_NOT;
        sv->engine->link(sv, thing, false);
    }
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    client->player.health = 100;
    player->origin = Vector(0.0f, 40.0f * (float)sv->engine->number(sv, player), 40.0f);
    sv->engine->set_team(sv, player, sv->engine->number(sv, player) <= 2 ? 1 : 2);
}

static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "fields",
                                   .edict_fields = {thing_fields, COUNTOF(thing_fields)},
                                   .client_fields = {player_fields, COUNTOF(player_fields)},
                                   .world_fields = {match_fields, COUNTOF(match_fields)},
                                   .map_started = started,
                                   .client_join = join};

// ---- the stage ----

typedef struct {
    test_net_t net;
    world_t *world;
    int32_t thing; // edict numbers; the second comes after the first
} stage_t;

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

static void run(stage_t *stage, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(&stage->net);
    }
}

static stage_t *open_stage(uint64_t seed, sim_conditions_t conditions) {
    static const char *const names[NUM_CLIENTS] = {"ann", "bob", "cat"};
    stage_t *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    TestNet_Init(
        &stage->net,
        &(test_net_config_t){
            .seed = seed, .conditions = conditions, .max_clients = 8, .map = &room, .game = &game});
    for (int32_t i = 0; i < NUM_CLIENTS; i++) {
        TestNet_AddClient(&stage->net, names[i]);
        assert_true(TestNet_WaitActive(&stage->net, 20000)); // slot i
    }
    stage->world = stage->net.server->world;
    stage->thing = 9;
    assert_string_equal(World_Text(stage->world, World_Edict(stage->world, 9)->classname), "thing");
    return stage;
}

static void close_stage(stage_t *stage) {
    TestNet_Free(&stage->net);
    free(stage);
}

static thing_t *thing_of(const stage_t *stage) {
    return (thing_t *)(void *)World_Edict(stage->world, stage->thing)->game;
}

static player_t *player_of(const stage_t *stage, int32_t slot) {
    return (player_t *)(void *)World_Client(stage->world, slot)->game;
}

static match_t *match_of(const stage_t *stage) {
    return (match_t *)(void *)stage->world->game;
}

static edict_ref_t ref_to(const stage_t *stage, int32_t number) {
    return World_Ref(stage->world, World_Edict(stage->world, number));
}

static cl_value_t thing_value(const stage_t *stage, int32_t n, const char *name) {
    cl_value_t value = {.text = NULL};
    assert_true(CL_EntityField(stage->net.clients[n], stage->thing, name, &value));
    return value;
}

static cl_value_t player_value(const stage_t *stage, int32_t n, int32_t slot, const char *name) {
    cl_value_t value = {.text = NULL};
    assert_true(CL_PlayerField(stage->net.clients[n], slot, name, &value));
    return value;
}

static cl_value_t match_value(const stage_t *stage, int32_t n, const char *name) {
    cl_value_t value = {.text = NULL};
    assert_true(CL_WorldField(stage->net.clients[n], name, &value));
    return value;
}

static bool same_float(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

// ---- tests ----

static void test_every_type(void **state) {
    (void)state;
    stage_t *stage = open_stage(1, (sim_conditions_t){0});
    const cl_t *cl = stage->net.clients[CAT];
    cl_value_t value;
    assert_int_equal(CL_NumFields(cl, CL_SCOPE_ENTITY), COUNTOF(thing_fields));
    assert_int_equal(CL_NumFields(cl, CL_SCOPE_PLAYER), SENT_NUM_ROWS + COUNTOF(player_fields));
    assert_string_equal(CL_Field(cl, CL_SCOPE_PLAYER, 1), "team");
    assert_string_equal(CL_Field(cl, CL_SCOPE_WORLD, 3), "leader");
    assert_string_equal(CL_Field(cl, CL_SCOPE_WORLD, 4), "");
    assert_string_equal(CL_ScoreField(cl), "score");
    *thing_of(stage) = (thing_t){.level = -100,
                                 .exact = -1.0f / 3.0f,
                                 .steps = 7.3f,
                                 .title = World_String(stage->world, "a thing"),
                                 .enemy = ref_to(stage, 2)};
    *player_of(stage, ANN) = (player_t){.score = INT32_MIN, .target = ref_to(stage, 3)};
    player_of(stage, ANN)->title = World_String(stage->world, "the first");
    *match_of(stage) = (match_t){.round = 3,
                                 .wind = -0.6f,
                                 .phase = World_String(stage->world, "warm-up"),
                                 .leader = ref_to(stage, 1)};
    run(stage, 200);
    assert_int_equal(thing_value(stage, CAT, "level").number, -100);
    assert_true(same_float(thing_value(stage, CAT, "exact").real, -1.0f / 3.0f));
    assert_true(same_float(thing_value(stage, CAT, "steps").real, 7.25f));
    assert_string_equal(thing_value(stage, CAT, "title").text, "a thing");
    assert_int_equal(thing_value(stage, CAT, "enemy").number, 2);
    assert_int_equal(thing_value(stage, CAT, "enemy").type, CL_VALUE_ENTITY);
    assert_int_equal(player_value(stage, CAT, ANN, "score").number, INT32_MIN);
    assert_int_equal(player_value(stage, ANN, ANN, "score").number, INT32_MIN);
    assert_int_equal(player_value(stage, CAT, ANN, "target").number, 3);
    assert_string_equal(player_value(stage, CAT, ANN, "title").text, "the first");
    assert_int_equal(player_value(stage, ANN, CAT, "team").number, 2);
    assert_int_equal(player_value(stage, ANN, CAT, "spectator").number, 0);
    assert_int_equal(match_value(stage, CAT, "round").number, 3);
    assert_true(same_float(match_value(stage, CAT, "wind").real, -0.5f));
    assert_string_equal(match_value(stage, CAT, "phase").text, "warm-up");
    assert_int_equal(match_value(stage, CAT, "leader").number, 1);
    assert_false(CL_WorldField(cl, "score", &value) || CL_PlayerField(cl, ANN, "round", &value) ||
                 CL_PlayerField(cl, -1, "score", &value) || CL_EntityField(cl, 0, "level", &value));
    // Fields of a thing that is gone, and of a player who left, are 0.
    sv_context_t sv = SV_Context(stage->world, stage->net.server->map, &stage->net.server->game,
                                 stage->net.server->events);
    SV_FreeEdict(&sv, World_Edict(stage->world, stage->thing));
    CL_Disconnect(stage->net.clients[ANN]);
    run(stage, 200);
    assert_int_equal(thing_value(stage, CAT, "level").number, 0);
    assert_string_equal(thing_value(stage, CAT, "title").text, "");
    assert_int_equal(player_value(stage, CAT, ANN, "score").number, 0);
    assert_int_equal(match_value(stage, CAT, "leader").number, 0);
    close_stage(stage);
}

static void test_values_out_of_range(void **state) {
    (void)state;
    stage_t *stage = open_stage(2, (sim_conditions_t){0});
    const server_stats_t *stats = &stage->net.server->stats;
    static const struct {
        thing_t thing;
        int32_t level;
        float exact, steps;
    } cases[] = {
        {{.level = 300, .exact = NAN, .steps = 11.0f}, 100, 0.0f, 10.0f},
        {{.level = INT32_MIN, .exact = INFINITY, .steps = -3.0f}, -100, 0.0f, 0.0f},
        {{.level = 101, .exact = -INFINITY, .steps = NAN}, 100, 0.0f, 0.0f},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        uint64_t clamped = stats->fields_clamped;
        *thing_of(stage) = cases[i].thing;
        run(stage, 200);
        assert_int_equal(thing_value(stage, BOB, "level").number, cases[i].level);
        assert_true(same_float(thing_value(stage, BOB, "exact").real, cases[i].exact));
        assert_true(same_float(thing_value(stage, BOB, "steps").real, cases[i].steps));
        assert_true(stats->fields_clamped > clamped);
    }
    *thing_of(stage) = (thing_t){.level = 100, .exact = -0.0f, .steps = 10.0f};
    run(stage, 20);
    uint64_t clamped = stats->fields_clamped;
    run(stage, 200);
    assert_int_equal(stats->fields_clamped, clamped);
    assert_true(same_float(thing_value(stage, BOB, "exact").real, 0.0f));
    close_stage(stage);
}

// Every value that a client sees is that of its snapshot's tick.
static void test_deltas_under_loss(void **state) {
    (void)state;
    stage_t *stage = open_stage(
        3, (sim_conditions_t){
               .loss = 0.2f, .duplicate = 0.1f, .reorder = 0.1f, .delay_ms = 40, .jitter_ms = 20});
    static thing_t history[1024];
    static int32_t rounds[1024];
    rng_t rng = {5};
    int64_t tick = stage->world->tick;
    const int64_t first = tick + 1;
    int32_t checks = 0;
    for (int32_t i = 0; i < 4000; i++) {
        if (stage->world->tick > tick) {
            thing_t *thing = thing_of(stage);
            tick = stage->world->tick;
            thing->level = Rng_Below(&rng, 4) ? thing->level : (int32_t)Rng_Below(&rng, 201) - 100;
            thing->exact = Rng_Below(&rng, 3) ? thing->exact : Rng_Range(&rng, -1e9f, 1e9f);
            thing->steps = Rng_Below(&rng, 5) ? thing->steps : Rng_Range(&rng, 0.0f, 10.0f);
            match_of(stage)->round += Rng_Below(&rng, 6) ? 0 : 7;
            history[(tick + 1) % 1024] = *thing; // the next snapshot
            rounds[(tick + 1) % 1024] = match_of(stage)->round;
        }
        TestNet_Step(&stage->net);
        int64_t seen = CL_ServerTick(stage->net.clients[BOB]);
        const thing_t *was = &history[seen % 1024];
        if (seen > first) {
            assert_int_equal(thing_value(stage, BOB, "level").number, was->level);
            assert_true(same_float(thing_value(stage, BOB, "exact").real, was->exact));
            assert_true(fabsf(thing_value(stage, BOB, "steps").real - was->steps) <= 0.125f);
            assert_int_equal(match_value(stage, BOB, "round").number, rounds[seen % 1024]);
            checks++;
        }
    }
    assert_true(checks > 3000);
    close_stage(stage);
}

static void test_owner_and_team(void **state) {
    (void)state;
    stage_t *stage = open_stage(4, (sim_conditions_t){0});
    static const int32_t secrets[NUM_CLIENTS] = {77, 0, 0};
    static const int32_t orders[NUM_CLIENTS] = {88, 88, 0};
    World_Edict(stage->world, stage->thing)->owner = ref_to(stage, ANN + 1);
    thing_of(stage)->secret = 77;
    thing_of(stage)->orders = 88;
    player_of(stage, ANN)->ammo = 5;
    player_of(stage, ANN)->armour = 6.5f;
    ((thing_t *)(void *)World_Edict(stage->world, ANN + 1)->game)->secret = 9; // her own edict
    run(stage, 200);
    for (int32_t n = 0; n < NUM_CLIENTS; n++) {
        cl_value_t own;
        assert_int_equal(thing_value(stage, n, "secret").number, secrets[n]);
        assert_int_equal(thing_value(stage, n, "orders").number, orders[n]);
        assert_int_equal(player_value(stage, n, ANN, "ammo").number, n == ANN ? 5 : 0);
        assert_true(same_float(player_value(stage, n, ANN, "armour").real, n == CAT ? 0.0f : 6.5f));
        assert_true(CL_EntityField(stage->net.clients[n], ANN + 1, "secret", &own));
        assert_int_equal(own.number, n == ANN ? 9 : 0);
    }
    // Without a team, the fields of the team are the owner's. Another owner takes the secret over.
    World_Client(stage->world, ANN)->team = World_Client(stage->world, CAT)->team = 0;
    run(stage, 200);
    assert_int_equal(thing_value(stage, ANN, "orders").number, 88);
    assert_int_equal(thing_value(stage, BOB, "orders").number, 0);
    assert_int_equal(thing_value(stage, CAT, "orders").number, 0);
    World_Edict(stage->world, stage->thing)->owner = ref_to(stage, CAT + 1);
    run(stage, 200);
    assert_int_equal(thing_value(stage, CAT, "secret").number, 77);
    assert_int_equal(thing_value(stage, ANN, "secret").number, 0);
    close_stage(stage);
}

static void test_refs_to_hidden_edicts(void **state) {
    (void)state;
    stage_t *stage = open_stage(5, (sim_conditions_t){0});
    edict_t *other = World_Edict(stage->world, stage->thing + 1);
    thing_of(stage)->enemy = match_of(stage)->leader = ref_to(stage, stage->thing + 1);
    static const struct {
        int16_t visibility;
        uint16_t to;
        bool sees[NUM_CLIENTS];
    } cases[] = {{VISIBLE_ALL, 0, {true, true, true}},
                 {VISIBLE_NOBODY, 0, {false, false, false}},
                 {VISIBLE_CLIENT, BOB, {false, true, false}},
                 {VISIBLE_BUT_CLIENT, BOB, {true, false, true}},
                 {VISIBLE_TEAM, 1, {true, true, false}}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        other->visibility = cases[i].visibility;
        other->visible_to = cases[i].to;
        run(stage, 200);
        for (int32_t n = 0; n < NUM_CLIENTS; n++) {
            int32_t number = cases[i].sees[n] ? stage->thing + 1 : 0;
            assert_int_equal(thing_value(stage, n, "enemy").number, number);
            assert_int_equal(match_value(stage, n, "leader").number, number);
        }
    }
    close_stage(stage);
}

static void test_a_hidden_volume_has_no_fields(void **state) {
    (void)state;
    stage_t *stage = open_stage(11, (sim_conditions_t){0});
    edict_t *volume = World_Edict(stage->world, stage->thing);
    volume->solid = SOLID_TRIGGER;
    volume->model = 1;
    volume->contents = CONTENTS_WATER;
    World_Edict(stage->world, stage->thing + 1)->visibility = VISIBLE_NOBODY;
    *thing_of(stage) = (thing_t){.level = 7, .enemy = ref_to(stage, stage->thing + 1)};
    run(stage, 200);
    assert_int_equal(thing_value(stage, BOB, "level").number, 7);
    volume->visibility = VISIBLE_NOBODY;
    run(stage, 200);
    entity_state_t entity;
    assert_true(CL_Entity(stage->net.clients[BOB], stage->thing, &entity) && entity.contents < 0);
    assert_int_equal(thing_value(stage, BOB, "level").number, 0);
    close_stage(stage);
}

// A spectator that may see nobody receives no ref. One that watches a player receives what is sent
// to the player.
static void test_spectators(void **state) {
    (void)state;
    stage_t *stage = open_stage(10, (sim_conditions_t){0});
    err_t err;
    World_Client(stage->world, CAT)->spectator = 1;
    World_Client(stage->world, CAT)->team = 1;
    match_of(stage)->leader = player_of(stage, ANN)->target = ref_to(stage, BOB + 1);
    player_of(stage, ANN)->ammo = 7;
    for (int32_t allowed = 0; allowed <= 2; allowed += 2) {
        char text[2] = {(char)('0' + allowed), 0};
        assert_true(Server_SetCvar(stage->net.server, "sv_spectate", text, &err));
        run(stage, 200);
        const int32_t number = allowed == 2 ? BOB + 1 : 0;
        assert_int_equal(match_value(stage, CAT, "leader").number, number);
        assert_int_equal(player_value(stage, CAT, ANN, "target").number, number);
        assert_int_equal(player_value(stage, CAT, ANN, "ammo").number, 0);
        assert_int_equal(player_value(stage, CAT, CAT, "spectator").number, 1);
    }
    assert_true(CL_Command(stage->net.clients[CAT], "follow 0"));
    run(stage, 200);
    assert_int_equal(player_value(stage, CAT, ANN, "ammo").number, 7);
    close_stage(stage);
}

// ---- what leaves the server ----

#define MAX_RECORDED (1 << 20)

static struct {
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
    int32_t peer; // only messages to this peer are recorded
    size_t used;
    uint8_t bytes[MAX_RECORDED];
} record;

static bool send_recorded(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                          const void *data, size_t size) {
    if (peer == record.peer && record.used + size + 1 <= MAX_RECORDED) {
        record.bytes[record.used++] = channel;
        memcpy(record.bytes + record.used, data, size);
        record.used += size;
    }
    return record.send(net, peer, channel, reliable, data, size);
}

// Records what is sent to one client while private fields of ann and her team change. `secret`: a
// factor of the values.
static size_t recorded(int32_t to, int32_t secret, uint8_t *bytes) {
    stage_t *stage = open_stage(6, (sim_conditions_t){.loss = 0.1f, .delay_ms = 20});
    transport_t *net = stage->net.server->config.net;
    rng_t rng = {9};
    record.send = net->send;
    record.peer = stage->net.server->peer_of_slot[to];
    record.used = 0;
    net->send = send_recorded;
    World_Edict(stage->world, stage->thing)->owner = ref_to(stage, ANN + 1);
    for (int32_t i = 0; i < 200; i++) {
        int32_t value = 1 + (int32_t)Rng_Below(&rng, 1000000);
        thing_of(stage)->level = i % 100;
        thing_of(stage)->secret = value * secret;
        thing_of(stage)->orders = i * secret;
        player_of(stage, ANN)->ammo = value % 100 * secret;
        player_of(stage, ANN)->armour = (float)(value * secret) / 3.0f;
        player_of(stage, ANN)->target = ref_to(stage, 1 + i % 3);
        run(stage, 16);
    }
    net->send = record.send;
    assert_true(record.used < MAX_RECORDED - 2000);
    memcpy(bytes, record.bytes, record.used);
    close_stage(stage);
    return record.used;
}

// The bytes to cat do not depend on values that cat may not have. Those to bob depend on the values
// of the team of bob.
static void test_private_values_stay_at_the_server(void **state) {
    (void)state;
    static uint8_t one[MAX_RECORDED];
    static uint8_t two[MAX_RECORDED];
    size_t size = recorded(CAT, 1, one);
    assert_true(size > 1000);
    assert_int_equal(recorded(CAT, 3, two), size);
    assert_memory_equal(one, two, size);
    assert_int_equal(recorded(CAT, 0, two), size); // as if there were no private values
    assert_memory_equal(one, two, size);
    size = recorded(BOB, 1, one);
    assert_true(recorded(BOB, 3, two) != size || memcmp(one, two, size) != 0);
}

// ---- a flood ----

#define FLOOD_CLIENTS 32
#define FLOOD_FIELDS  (MAX_SENT_FIELDS - SENT_NUM_ROWS)

static char flood_names[FLOOD_FIELDS][8];
static game_field_t flood_fields[FLOOD_FIELDS];
static game_export_t flood_game;

static void make_flood_game(void) {
    for (int32_t i = 0; i < FLOOD_FIELDS; i++) {
        snprintf(flood_names[i], sizeof flood_names[i], "f%d", i);
        flood_fields[i] = (game_field_t){.name = flood_names[i],
                                         .type = FIELD_INT,
                                         .offset = 4 * (uint32_t)i,
                                         .flags = FIELD_ALL};
    }
    flood_game = game;
    flood_game.client_fields = (game_fields_t){flood_fields, FLOOD_FIELDS};
}

static size_t largest_packet;

static bool send_measured(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                          const void *data, size_t size) {
    if (channel == NET_CHANNEL_SNAPSHOT && size > largest_packet) {
        largest_packet = size;
    }
    return record.send(net, peer, channel, reliable, data, size);
}

// 29 fields of 32 clients change in every tick, which no packet can hold. The records take turns.
static void test_a_flood_of_changes(void **state) {
    (void)state;
    static test_net_t net;
    make_flood_game();
    TestNet_Init(&net,
                 &(test_net_config_t){
                     .seed = 7, .max_clients = FLOOD_CLIENTS, .map = &room, .game = &flood_game});
    for (int32_t i = 0; i < FLOOD_CLIENTS; i++) {
        TestNet_AddClient(&net, "p");
    }
    assert_true(TestNet_WaitActive(&net, 20000));
    record.send = net.server->config.net->send;
    net.server->config.net->send = send_measured;
    largest_packet = 0;
    world_t *world = net.server->world;
    int64_t tick = world->tick;
    const int64_t first = tick;
    int64_t oldest = 0;
    for (int32_t i = 0; i < 1500; i++) {
        if (world->tick > tick) {
            tick = world->tick;
            for (int32_t slot = 0; slot < FLOOD_CLIENTS; slot++) {
                int32_t *values = (int32_t *)(void *)World_Client(world, slot)->game;
                for (int32_t f = 0; f < FLOOD_FIELDS; f++) {
                    values[f] = (int32_t)(tick + 1) * 1000 + slot; // differs by 1000 a tick
                }
            }
        }
        TestNet_Step(&net);
        const cl_t *cl = net.clients[5];
        int64_t seen = CL_ServerTick(cl);
        for (int32_t slot = 0; slot < FLOOD_CLIENTS && seen > first + 150; slot++) {
            cl_value_t value, last;
            assert_true(CL_PlayerField(cl, slot, "f0", &value));
            assert_true(CL_PlayerField(cl, slot, "f28", &last));
            assert_int_equal(value.number, last.number); // a record comes whole
            assert_int_equal(value.number % 1000, slot);
            oldest = seen - value.number / 1000 > oldest ? seen - value.number / 1000 : oldest;
        }
    }
    print_message("oldest value %d ticks, largest packet %zu bytes\n", (int)oldest, largest_packet);
    assert_true(largest_packet <= MAX_PACKET_BYTES);
    assert_true(oldest > 0 && oldest < 8);
    assert_true(net.server->stats.entities_deferred > 1000);
    net.server->config.net->send = record.send;
    TestNet_Free(&net);
}

// ---- reload ----

// A build with another schema needs a restart; a build that sends a field to others does not.
static void test_reload(void **state) {
    (void)state;
    stage_t *stage = open_stage(8, (sim_conditions_t){0});
    server_t *server = stage->net.server;
    game_export_t next = game;
    game_field_t fields[COUNTOF(match_fields)];
    err_t err;
    memcpy(fields, match_fields, sizeof fields);
    next.world_fields.list = fields;
    fields[1].step = 0.25f;
    match_of(stage)->wind = -0.75f;
    run(stage, 200);
    assert_true(same_float(match_value(stage, CAT, "wind").real, -0.5f)); // halves round upwards
    assert_false(Server_SetGame(server, &next, false, &err));
    assert_non_null(strstr(err.text, "world field \"wind\" is sent otherwise"));
    assert_true(Server_SetGame(server, &next, true, &err));
    run(stage, 2000);
    stage->world = server->world;
    match_of(stage)->wind = -0.75f;
    run(stage, 200);
    assert_true(same_float(match_value(stage, CAT, "wind").real, -0.75f));
    player_of(stage, ANN)->ammo = 4;
    game_field_t of_players[COUNTOF(player_fields)];
    memcpy(of_players, player_fields, sizeof of_players);
    of_players[1].flags = FIELD_ALL;
    game_export_t open = next;
    open.client_fields.list = of_players;
    run(stage, 200);
    assert_int_equal(player_value(stage, CAT, ANN, "ammo").number, 0);
    assert_true(Server_SetGame(server, &open, false, &err));
    run(stage, 200);
    assert_int_equal(player_value(stage, CAT, ANN, "ammo").number, 4);
    assert_true(Server_SetGame(server, &game, true, &err)); // `next` and `open` end here
    run(stage, 500);
    close_stage(stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_values_out_of_range),
        cmocka_unit_test(test_deltas_under_loss),
        cmocka_unit_test(test_owner_and_team),
        cmocka_unit_test(test_refs_to_hidden_edicts),
        cmocka_unit_test(test_a_hidden_volume_has_no_fields),
        cmocka_unit_test(test_spectators),
        cmocka_unit_test(test_private_values_stay_at_the_server),
        cmocka_unit_test(test_a_flood_of_changes),
        cmocka_unit_test(test_reload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
