// sv_spectate_delay_s: spectators receive the match as it was, and nothing newer leaves the server.

#include "lib/net_fixture.h"
#include "lib/spectate_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"
#include "math/angles.h"
#include "physics/actions.h"
#include "proto/entity_fields.h"
#include "world/block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELAY_S     2
#define DELAY_TICKS 125 // at 62.5 Hz
#define MAX_PATH    4000
#define WALKER      0 // slots
#define OTHER       1
#define EYE         2
#define CLIENTS     3
#define HIDDEN_BIT  0x40 // effects of test edicts
#define UNIT        (1.0f / 16.0f)

static bool command(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    (void)client;
    if (TestSpectate_Command(sv, player, text)) {
        return true;
    }
    if (strncmp(text, "team ", 5) == 0) {
        sv->engine->set_team(sv, player, atoi(text + 5));
        return true;
    }
    if (strcmp(text, "score") == 0) {
        game_event_t event = {.kind = GAME_EFFECT,
                              .number = sv->engine->effect_index(sv, "boom"),
                              .entity = sv->engine->number(sv, player),
                              .has_origin = true,
                              .origin = player->origin,
                              .volume = 1.0f};
        sv->engine->print(sv, EVENT_TO_ALL, "a point");
        sv->engine->center_print(sv, EVENT_TO_ALL, "a point\nfor red");
        sv->engine->event(sv, &event, NULL, false); // reliable: for all, without range
        event.range = 4000;
        sv->engine->event(sv, &event, NULL, false);
        return true;
    }
    return false;
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    client->player.health = 100;
    player->origin = Vector(64.0f * (float)sv->engine->number(sv, player) - 256.0f, 0.0f, 32.0f);
}

static void map_started(sv_context_t *sv) {
    (void)sv->engine->effect_index(sv, "boom");
}

typedef struct {
    int32_t credits; // for the owner
    int32_t score;
} player_t;

typedef struct {
    int32_t round;
} match_t;

static const game_field_t player_fields[] = {
    {"credits", FIELD_INT, (uint32_t)offsetof(player_t, credits), FIELD_OWNER, NULL, 0, 0, 0},
    {"score", FIELD_INT, (uint32_t)offsetof(player_t, score), FIELD_ALL, NULL, 0, 0, 0}};
static const game_field_t match_fields[] = {
    {"round", FIELD_INT, (uint32_t)offsetof(match_t, round), FIELD_ALL, NULL, 0, 0, 0}};

static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "delay",
                                   .client_fields = {player_fields, COUNTOF(player_fields)},
                                   .world_fields = {match_fields, COUNTOF(match_fields)},
                                   .map_started = map_started,
                                   .client_command = command,
                                   .client_join = join};

static const test_block_t blocks[] = {
    {.box = {{-64, -64, -16}, {64, 64, 0}}, .contents = CONTENTS_SOLID, .model = 1}};
static const test_map_t map = {.room = {{-2048, -2048, 0}, {2048, 2048, 1024}},
                               .blocks = blocks,
                               .num_blocks = COUNTOF(blocks),
                               .brush_list = true};

typedef struct {
    test_net_t net;
    sv_context_t sv;
    edict_t *pusher;
    vec3_t path[MAX_PATH];  // of the walker, by tick
    pose_t poses[MAX_PATH]; // of the pusher
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
    uint64_t eye_bytes;           // hash of what was sent to the spectator
    int64_t heard_ms[CLIENTS][4]; // last print, centre text, chat, effect
    int32_t heard[CLIENTS][4];
    cl_event_t effect; // last that the spectator received
    int32_t log_lines;
    float yaw; // the walker's turn per ms
} play_t;

static play_t *the_play; // of send_noted()

static bool send_noted(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                       const void *data, size_t size) {
    const uint8_t *bytes = data;
    if (peer == EYE) {
        for (size_t i = 0; i < size; i++) {
            the_play->eye_bytes = (the_play->eye_bytes ^ bytes[i]) * UINT64_C(1099511628211);
        }
    }
    return the_play->send(net, peer, channel, reliable, data, size);
}

static void set_delay(play_t *play, int32_t delay_s) {
    err_t err = {{0}};
    assert_true(Server_SetSpectateDelay(play->net.server, delay_s, &err));
}

static void note_tick(play_t *play) {
    const world_t *world = Server_World(play->net.server);
    int64_t tick = world->tick;
    assert_true(tick < MAX_PATH);
    play->path[tick] = World_Edict(world, WALKER + 1)->origin;
    if (play->pusher) {
        play->poses[tick] = (pose_t){play->pusher->origin, play->pusher->angles};
    }
}

static void hear(play_t *play, int32_t slot) {
    cl_event_t event;
    while (CL_NextEvent(play->net.clients[slot], &event)) {
        int32_t kind = event.type == CL_EVENT_PRINT    ? 0
                       : event.type == CL_EVENT_CENTER ? 1
                       : event.type == CL_EVENT_CHAT   ? 2
                       : event.type == CL_EVENT_EFFECT ? 3
                                                       : -1;
        if (kind >= 0) {
            play->heard_ms[slot][kind] = play->net.now_ms;
            play->heard[slot][kind]++;
        }
        if (kind == 3 && slot == EYE) {
            play->effect = event;
        }
    }
}

static void run(play_t *play, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        player_state_t player;
        cl_input_t walk = {.forward = 300.0f, .yaw = AngleMod(play->yaw * (float)play->net.now_ms)};
        CL_SetInput(play->net.clients[WALKER], &walk);
        TestNet_Step(&play->net);
        note_tick(play);
        for (int32_t slot = 0; slot < play->net.num_clients; slot++) {
            hear(play, slot);
            (void)CL_Predicted(play->net.clients[slot], &player);
        }
    }
}

static void note_line(void *context, log_level_t level, const char *line) {
    (void)level;
    ((play_t *)context)->log_lines += strstr(line, "sv_spectate_delay_s") ? 1 : 0;
}

static void add_pusher(play_t *play) {
    server_t *server = play->net.server;
    const motion_t swing = {.kind = MOTION_SWING,
                            .duration_ms = 3000,
                            .base = {{600.0f, 600.0f, 200.0f}, {0}},
                            .delta = {0, 0, 200.0f}};
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
    play->pusher = play->sv.engine->spawn(&play->sv);
    assert_non_null(play->pusher);
    play->pusher->origin = swing.base.origin;
    play->pusher->movetype = MOVETYPE_PUSH;
    play->pusher->solid = SOLID_BSP;
    play->pusher->type = ENTITY_BRUSH;
    assert_true(play->sv.engine->set_model(&play->sv, play->pusher, 1));
    play->sv.engine->link(&play->sv, play->pusher, false);
    assert_true(SV_PusherStart(&play->sv, play->pusher, &swing));
}

// A walker, another player and a spectator.
static play_t *begin(int32_t delay_s) {
    static const char *const names[CLIENTS] = {"walker", "other", "eye"};
    play_t *play = calloc(1, sizeof *play);
    assert_non_null(play);
    const test_net_config_t config = {.seed = 1, .max_clients = 4, .map = &map, .game = &game};
    TestNet_Init(&play->net, &config);
    play->net.log = (log_t){note_line, play, LOG_WARN};
    the_play = play;
    play->send = play->net.server_net->send;
    play->net.server_net->send = send_noted;
    play->yaw = 0.1f;
    set_delay(play, delay_s);
    for (int32_t i = 0; i < CLIENTS; i++) {
        TestNet_AddClient(&play->net, names[i]);
        assert_true(TestNet_WaitActive(&play->net, 2000));
        assert_int_equal(CL_Slot(play->net.clients[i]), i);
    }
    CL_Command(play->net.clients[EYE], "spectate");
    add_pusher(play);
    run(play, 400);
    return play;
}

static void end(play_t *play) {
    TestNet_Free(&play->net);
    free(play);
}

// Writes the state of an edict in the spectator's newest snapshot. Returns false if it has none.
static bool shown(const play_t *play, int32_t number, entity_state_t *state) {
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    int32_t count = CL_Entities(play->net.clients[EYE], list, MAX_SNAPSHOT_ENTS);
    for (int32_t i = 0; i < count; i++) {
        if (list[i].number == number) {
            *state = list[i];
            return true;
        }
    }
    return false;
}

static vec3_t origin_of(const entity_state_t *state) {
    return VectorScale(
        Vector((float)state->origin[0], (float)state->origin[1], (float)state->origin[2]), UNIT);
}

// Fails unless a position is on the walker's path `ticks` ago.
static void assert_walked(const play_t *play, vec3_t at, int32_t ticks) {
    vec3_t then = play->path[CL_ServerTick(play->net.clients[EYE]) - ticks];
    assert_true(VectorWithin(VectorSubtract(at, then), UNIT));
}

static void assert_shows(const play_t *play, int32_t ticks) {
    entity_state_t state;
    assert_true(shown(play, WALKER + 1, &state));
    assert_walked(play, origin_of(&state), ticks);
}

// `every`: sv_snapshot_ticks.
static void check_positions(int32_t every, int32_t steps) {
    play_t *play = begin(DELAY_S);
    entity_state_t unused;
    float path = 0.0f;
    Server_SetHost(play->net.server, "delay", play->net.folder, "", every);
    assert_false(shown(play, WALKER + 1, &unused)); // the past is empty yet
    run(play, 3000);
    for (int32_t i = 0; i < steps; i++) {
        pose_t pose;
        cl_t *eye = play->net.clients[EYE];
        run(play, TEST_NET_STEP_MS);
        int64_t tick = CL_ServerTick(eye);
        assert_shows(play, DELAY_TICKS);
        assert_true(
            CL_EntityPose(eye, World_EdictNumber(play->sv.world, play->pusher), tick, 0, &pose));
        vec3_t off = VectorSubtract(pose.origin, play->poses[tick - DELAY_TICKS].origin);
        assert_true(VectorWithin(off, 0.001f));
        path += VectorLength(VectorSubtract(play->path[tick], play->path[tick - 1]));
    }
    assert_true(path > 100.0f);
    cl_stats_t stats;
    CL_Stats(play->net.clients[EYE], &stats);
    assert_int_equal(stats.mispredictions, 0); // its own flight is of now
    end(play);
}

static void test_positions_are_those_of_the_past(void **state) {
    (void)state;
    check_positions(1, 300);
    check_positions(4, 200); // in the turns of the spectator's slot
}

// Two matches that differ from a moment on: the spectator's bytes differ no sooner than the delay.
static uint64_t bytes_after(int32_t ms, bool differs) {
    play_t *play = begin(DELAY_S);
    run(play, 3000);
    if (differs) {
        play->yaw = -0.07f;
        CL_Say(play->net.clients[WALKER], "I turn");
        CL_Command(play->net.clients[OTHER], "score");
        CL_Command(play->net.clients[OTHER], "team 2");
        SV_PusherStop(&play->sv, play->pusher);
    }
    play->eye_bytes = 0;
    run(play, ms);
    uint64_t hash = play->eye_bytes;
    assert_true(hash != 0);
    end(play);
    return hash;
}

static void test_nothing_newer_is_sent(void **state) {
    (void)state;
    assert_true(bytes_after(1980, false) == bytes_after(1980, true));
    assert_true(bytes_after(2100, false) != bytes_after(2100, true));
}

static void test_texts_and_events_come_late(void **state) {
    (void)state;
    play_t *play = begin(DELAY_S);
    run(play, 2400);
    memset(play->heard, 0, sizeof play->heard);
    int64_t start_ms = play->net.now_ms;
    CL_Command(play->net.clients[WALKER], "score");
    CL_Say(play->net.clients[WALKER], "hello");
    run(play, 3000);
    for (int32_t kind = 0; kind < 4; kind++) {
        assert_int_equal(play->heard[OTHER][kind], kind == 3 ? 2 : 1);
        assert_int_equal(play->heard[EYE][kind], kind == 3 ? 2 : 1);
        assert_in_range(play->heard_ms[OTHER][kind] - start_ms, 0, 100);
        assert_in_range(play->heard_ms[EYE][kind] - start_ms, 2000, 2100);
    }
    assert_int_equal(play->effect.entity, WALKER + 1);
    // Answers to the spectator, and what it says itself, come at once.
    start_ms = play->net.now_ms;
    CL_Command(play->net.clients[EYE], "follow 99");
    CL_Say(play->net.clients[EYE], "good match");
    run(play, 200);
    assert_int_equal(play->heard[EYE][0], 2);
    assert_int_equal(play->heard[EYE][2], 2);
    assert_in_range(play->heard_ms[EYE][0] - start_ms, 0, 100);
    end(play);
}

// Waits until the spectator receives the view of nobody, at most `ms`. Returns the time.
static int32_t until_alone(play_t *play, int32_t ms) {
    int32_t at = 0;
    while (at < ms && CL_Followed(play->net.clients[EYE]) >= 0) {
        run(play, TEST_NET_STEP_MS);
        at += TEST_NET_STEP_MS;
    }
    return at;
}

static void test_following_shows_the_past(void **state) {
    (void)state;
    play_t *play = begin(DELAY_S);
    cl_t *eye = play->net.clients[EYE];
    player_state_t self, before;
    CL_Command(eye, "follow 0");
    run(play, 200);
    assert_int_equal(CL_Followed(eye), -1); // not yet in the past
    run(play, 2400);
    assert_true(CL_Self(eye, &before));
    CL_Command(eye, "follow next");
    run(play, 200);
    assert_int_equal(CL_Followed(eye), WALKER);
    for (int32_t i = 0; i < 200; i++) {
        run(play, TEST_NET_STEP_MS);
        assert_true(CL_Self(eye, &self));
        assert_walked(play, self.origin, DELAY_TICKS);
        assert_int_equal(World_Client(play->sv.world, EYE)->watches, 0);
    }
    assert_true(VectorLength(self.velocity) > 100.0f);
    CL_Command(eye, "follow off");
    run(play, 200);
    assert_true(CL_Self(eye, &self));
    assert_true(VectorCompare(self.origin, before.origin)); // not where the walker is now
    // The end of the followed player is in the past, too.
    CL_Command(eye, "follow 0");
    run(play, 200);
    assert_int_equal(CL_Followed(eye), WALKER);
    CL_Command(play->net.clients[WALKER], "spectate");
    assert_in_range(until_alone(play, 4000), 1900, 2200);
    CL_Command(play->net.clients[WALKER], "play");
    run(play, 2400);
    assert_int_equal(CL_Followed(eye), -1);
    end(play);
}

// A player that follows in the very tick in which it becomes a spectator.
static void test_nobody_follows_the_present(void **state) {
    (void)state;
    play_t *play = begin(DELAY_S);
    cl_t *eye = play->net.clients[EYE];
    CL_Command(eye, "play");
    run(play, 3000);
    assert_shows(play, 0); // a player has no delay
    CL_Command(eye, "spectate");
    CL_Command(eye, "follow 0");
    for (int32_t i = 0; i < 100; i++) {
        run(play, TEST_NET_STEP_MS);
        assert_int_equal(World_Client(play->sv.world, EYE)->watches, 0);
    }
    assert_shows(play, DELAY_TICKS); // at once
    // A follow from before the delay ends.
    set_delay(play, 0);
    CL_Command(eye, "follow 0");
    run(play, 200);
    assert_int_equal(CL_Followed(eye), WALKER);
    assert_int_equal(World_Client(play->sv.world, EYE)->watches, WALKER + 1);
    set_delay(play, DELAY_S);
    run(play, 100);
    assert_int_equal(CL_Followed(eye), -1);
    assert_int_equal(World_Client(play->sv.world, EYE)->watches, 0);
    end(play);
}

// Returns a field of a player, or of the match with slot -1, as the spectator has it.
static int32_t field(const play_t *play, int32_t slot, const char *name) {
    cl_value_t value = {.number = -1};
    const cl_t *eye = play->net.clients[EYE];
    assert_true(slot < 0 ? CL_WorldField(eye, name, &value)
                         : CL_PlayerField(eye, slot, name, &value));
    return value.number;
}

// A spectator receives its own fields as they are now, those of others as they were, and no private
// ones.
static void test_fields(void **state) {
    (void)state;
    play_t *play = begin(DELAY_S);
    run(play, 2400);
    for (int32_t slot = 0; slot < CLIENTS; slot++) {
        client_t *client = World_Client(play->sv.world, slot);
        *(player_t *)(void *)client->game = (player_t){.credits = 7 + slot, .score = 70 + slot};
    }
    ((match_t *)(void *)play->sv.world->game)->round = 3;
    for (int32_t turn = 0; turn < 2; turn++) {
        run(play, turn == 0 ? 1500 : 1000);
        assert_int_equal(field(play, EYE, "credits"), 7 + EYE);
        assert_int_equal(field(play, EYE, "score"), 70 + EYE);
        assert_int_equal(field(play, -1, "round"), turn == 0 ? 0 : 3);
        for (int32_t slot = WALKER; slot <= OTHER; slot++) {
            assert_int_equal(field(play, slot, "credits"), 0);
            assert_int_equal(field(play, slot, "score"), turn == 0 ? 0 : 70 + slot);
        }
    }
    end(play);
}

static void test_changes_of_the_delay(void **state) {
    (void)state;
    play_t *play = begin(0);
    entity_state_t unused;
    assert_shows(play, 0);
    set_delay(play, DELAY_S);
    run(play, 1900);
    assert_false(shown(play, WALKER + 1, &unused));
    run(play, 300);
    assert_shows(play, DELAY_TICKS);
    set_delay(play, 4);
    run(play, 3800);
    assert_false(shown(play, WALKER + 1, &unused));
    run(play, 400);
    assert_shows(play, 2 * DELAY_TICKS);
    memset(play->heard, 0, sizeof play->heard);
    CL_Say(play->net.clients[WALKER], "hello");
    run(play, 100);
    assert_int_equal(play->heard[EYE][2], 0);
    set_delay(play, 0);
    run(play, 100);
    assert_shows(play, 0);
    assert_int_equal(play->heard[EYE][2], 1); // no text is lost
    end(play);
}

static void test_a_change_of_map_empties_the_feed(void **state) {
    (void)state;
    play_t *play = begin(DELAY_S);
    entity_state_t unused;
    err_t err = {{0}};
    run(play, 2400);
    memset(play->heard, 0, sizeof play->heard);
    CL_Say(play->net.clients[WALKER], "the last word");
    CL_Command(play->net.clients[WALKER], "score");
    run(play, 100);
    play->pusher = NULL;
    assert_true(Server_StartMap(play->net.server, "testmap", &err));
    run(play, 600);
    assert_int_equal(play->heard[EYE][2], 1);
    CL_Command(play->net.clients[EYE], "spectate");
    run(play, 200);
    assert_false(shown(play, WALKER + 1, &unused));
    run(play, 3000);
    assert_shows(play, DELAY_TICKS);
    assert_int_equal(play->heard[EYE][2], 1);
    assert_int_equal(play->heard[EYE][3], 0); // effects of the old map
    end(play);
}

// Tests more events than the feed holds: the spectator misses some, and receives none too early.
static void test_a_full_feed(void **state) {
    (void)state;
    play_t *play = begin(DELAY_S);
    int32_t boom = play->sv.engine->effect_index(&play->sv, "boom");
    run(play, 2400);
    for (int32_t i = 0; i < 500; i++) {
        game_event_t event = {.kind = GAME_EFFECT, .number = boom, .has_origin = true, .range = 1};
        for (int32_t n = 0; n < 1000; n++) {
            play->sv.engine->event(&play->sv, &event, NULL, false);
        }
        if (i == 250) {
            CL_Say(play->net.clients[WALKER], "texts have room");
        }
        run(play, TEST_NET_STEP_MS);
        entity_state_t walker;
        assert_true(shown(play, WALKER + 1, &walker));
        int64_t tick = CL_ServerTick(play->net.clients[EYE]) - DELAY_TICKS;
        float nearest = 1e9f;
        for (int64_t past = tick; past > 0 && past > tick - DELAY_TICKS; past--) {
            vec3_t off = VectorSubtract(origin_of(&walker), play->path[past]);
            nearest = fminf(nearest, VectorLength(off));
        }
        assert_true(nearest < 2 * UNIT);
    }
    assert_true(Server_Stats(play->net.server).delayed_dropped > 0);
    assert_int_equal(play->log_lines, 1);
    run(play, 5000);
    assert_int_equal(play->heard[EYE][2], 1);
    assert_shows(play, DELAY_TICKS);
    end(play);
}

static void test_hidden_edicts(void **state) {
    (void)state;
    static const struct {
        visibility_t visibility;
        uint16_t to;
        bool flying, following;
    } rows[] = {{VISIBLE_ALL, 0, true, true},
                {VISIBLE_BUT_CLIENT, WALKER, true, false},
                {VISIBLE_BUT_CLIENT, OTHER, true, true},
                {VISIBLE_CLIENT, WALKER, false, false},
                {VISIBLE_CLIENT, EYE, false, false},
                {VISIBLE_TEAM, 1, false, false},
                {VISIBLE_NOBODY, 0, false, false}};
    play_t *play = begin(DELAY_S);
    int32_t numbers[COUNTOF(rows)];
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        edict_t *edict = play->sv.engine->spawn(&play->sv);
        edict->effects = HIDDEN_BIT;
        edict->visibility = (int16_t)rows[i].visibility;
        edict->visible_to = rows[i].to;
        play->sv.engine->link(&play->sv, edict, false);
        numbers[i] = World_EdictNumber(play->sv.world, edict);
    }
    run(play, 2400);
    for (int32_t follows = 0; follows < 2; follows++) {
        for (size_t i = 0; i < COUNTOF(rows); i++) {
            entity_state_t seen = {0};
            assert_int_equal(shown(play, numbers[i], &seen),
                             follows ? rows[i].following : rows[i].flying);
            assert_int_equal(seen.owner, 0);
        }
        CL_Command(play->net.clients[EYE], "follow 0");
        run(play, 200);
    }
    assert_int_equal(CL_Followed(play->net.clients[EYE]), WALKER);
    end(play);
}

static uint64_t world_hash(int32_t delay_s) {
    play_t *play = begin(delay_s);
    CL_Command(play->net.clients[OTHER], "score");
    run(play, 4000);
    uint64_t hash = World_Hash(play->sv.world);
    end(play);
    return hash;
}

static void test_the_world_is_the_same(void **state) {
    (void)state;
    assert_true(world_hash(0) == world_hash(DELAY_S));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions_are_those_of_the_past),
        cmocka_unit_test(test_nothing_newer_is_sent),
        cmocka_unit_test(test_texts_and_events_come_late),
        cmocka_unit_test(test_following_shows_the_past),
        cmocka_unit_test(test_nobody_follows_the_present),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_changes_of_the_delay),
        cmocka_unit_test(test_a_change_of_map_empties_the_feed),
        cmocka_unit_test(test_a_full_feed),
        cmocka_unit_test(test_hidden_edicts),
        cmocka_unit_test(test_the_world_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
