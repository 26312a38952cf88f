// Classes and texts that not every client may know: the others receive a placeholder at most.

#include "lib/net_fixture.h"
#include "lib/spectate_fixture.h"
#include "lib/testing.h"

#include "client/cl_local.h"
#include "core/server_local.h"

#include <stdlib.h>
#include <string.h>

#define ANN     0 // slots; team 1
#define BOB     1 // team 2
#define EYE     2 // a spectator
#define CLIENTS 4
#define NEWS_MS 400 // longer than the round trip

typedef struct {
    int32_t title, secret, orders; // to all, to the owner, to the owner's team
} texts_t;

#define TEXT(member, flags)                                                                        \
    { #member, FIELD_STRING, (uint32_t)offsetof(texts_t, member), flags, NULL, 0, 0, 0 }

static const game_field_t fields[] = {TEXT(title, FIELD_ALL), TEXT(secret, FIELD_OWNER),
                                      TEXT(orders, FIELD_TEAM)};

static bool command(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    (void)client;
    return TestSpectate_Command(sv, player, text);
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    const int32_t number = sv->engine->number(sv, player);
    client->player.health = 100;
    player->origin = Vector(100.0f * (float)number - 250.0f, 0.0f, 32.0f);
    sv->engine->set_team(sv, player, number == ANN + 1 ? 1 : 2);
}

static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "hidden",
                                   .edict_fields = {fields, COUNTOF(fields)},
                                   .client_fields = {fields, COUNTOF(fields)},
                                   .world_fields = {fields, 1},
                                   .client_command = command,
                                   .client_join = join};
static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

typedef struct {
    test_net_t net;
    sv_context_t sv;
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
    uint64_t hashes[CLIENTS]; // of the bytes to each peer
    int32_t controls[CLIENTS];
} play_t;

static play_t *the_play; // of send_noted()

static bool send_noted(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                       const void *data, size_t size) {
    const uint8_t *bytes = data;
    uint64_t *hash = &the_play->hashes[peer];
    for (size_t i = 0; i < size; i++) {
        *hash = (*hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    *hash = (*hash ^ size) * UINT64_C(1099511628211) + channel;
    the_play->controls[peer] += channel == NET_CHANNEL_CONTROL ? 1 : 0;
    return the_play->send(net, peer, channel, reliable, data, size);
}

static void run(play_t *play, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
    }
}

static void add_client(play_t *play) {
    TestNet_AddClient(&play->net, "player");
    assert_true(TestNet_WaitActive(&play->net, 10000));
}

static void use_world(play_t *play) {
    server_t *server = play->net.server;
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
}

// Two players.
static play_t *begin(sim_conditions_t conditions) {
    play_t *play = calloc(1, sizeof *play);
    assert_non_null(play);
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 8,
                                                  .conditions = conditions,
                                                  .max_clients = CLIENTS,
                                                  .map = &room,
                                                  .game = &game});
    the_play = play;
    play->send = play->net.server_net->send;
    play->net.server_net->send = send_noted;
    add_client(play);
    add_client(play);
    use_world(play);
    return play;
}

static void end(play_t *play) {
    TestNet_Free(&play->net);
    free(play);
}

static int32_t string(play_t *play, const char *text) {
    return play->sv.engine->string(&play->sv, text);
}

static edict_t *add(play_t *play, const char *classname, int16_t visibility, uint16_t visible_to) {
    edict_t *edict = play->sv.engine->spawn(&play->sv);
    assert_non_null(edict);
    edict->origin = Vector(0.0f, 50.0f, 50.0f);
    edict->classname = string(play, classname);
    edict->visibility = visibility;
    edict->visible_to = visible_to;
    play->sv.engine->link(&play->sv, edict, false);
    return edict;
}

static texts_t *texts_of(edict_t *edict) {
    return (texts_t *)(void *)edict->game;
}

// Returns true if a client has received a name, in any table.
static bool knows(const play_t *play, int32_t client, const char *name) {
    const cl_t *cl = play->net.clients[client];
    for (int32_t table = NAMES_CLASSES; table < NAMES_TABLES; table++) {
        for (int32_t n = 1; n <= cl->names.counts[table]; n++) {
            if (strcmp(Client_Name(cl, (names_table_t)table, n), name) == 0) {
                return true;
            }
        }
    }
    return false;
}

// Returns the class of an edict as a client has it, "?" without the edict.
static const char *class_at(const play_t *play, int32_t client, const edict_t *edict) {
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    const cl_t *cl = play->net.clients[client];
    const int32_t count = CL_Entities(cl, list, MAX_SNAPSHOT_ENTS);
    for (int32_t i = 0; i < count; i++) {
        if (list[i].number == World_EdictNumber(play->sv.world, edict)) {
            return CL_ClassName(cl, &list[i]);
        }
    }
    return "?";
}

static const char *text_at(const play_t *play, int32_t client, int32_t number, const char *field) {
    cl_value_t value;
    const cl_t *cl = play->net.clients[client];
    return CL_EntityField(cl, number, field, &value) ? value.text : "?";
}

// ---- identical bytes ----

typedef struct {
    uint64_t hashes[CLIENTS];
} bytes_t;

// Plays a match with hidden names that begin with `prefix`.
static bytes_t play_with(const char *prefix, int32_t delay_s, int32_t spectate) {
    char name[NAME_TEXT_BYTES];
    char value[8];
    err_t err;
    bytes_t bytes;
    play_t *play = begin((sim_conditions_t){.delay_ms = 20});
    snprintf(value, sizeof value, "%d", spectate);
    assert_true(Server_SetCvar(play->net.server, "sv_spectate", value, &err));
    assert_true(Server_SetSpectateDelay(play->net.server, delay_s, &err));
    add_client(play);
    CL_Command(play->net.clients[EYE], "spectate");
    run(play, NEWS_MS);
    edict_t *shown = add(play, "item", VISIBLE_ALL, 0);
    edict_t *hidden[] = {add(play, "", VISIBLE_TEAM, 1), add(play, "", VISIBLE_NOBODY, 0),
                         add(play, "", VISIBLE_CLIENT, ANN)};
    shown->owner = World_Ref(play->sv.world, World_Edict(play->sv.world, ANN + 1));
    for (int32_t i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%s_%d", prefix, i);
        hidden[i % 3]->classname = string(play, name);
        texts_of(hidden[i % 3])->title = string(play, name);
        texts_of(shown)->secret = string(play, name);
        ((texts_t *)(void *)World_Client(play->sv.world, ANN)->game)->orders = string(play, name);
        if (i % 7 == 0) { // numbers after those of hidden names
            snprintf(name, sizeof name, "open_%d", i);
            shown->classname = string(play, name);
            texts_of(shown)->title = shown->classname;
        }
        run(play, 100);
    }
    assert_string_equal(text_at(play, ANN, World_EdictNumber(play->sv.world, shown), "secret"),
                        World_Text(play->sv.world, texts_of(shown)->secret));
    assert_string_equal(class_at(play, ANN, hidden[0]),
                        World_Text(play->sv.world, hidden[0]->classname));
    assert_string_equal(class_at(play, BOB, shown), "open_14");
    memcpy(bytes.hashes, play->hashes, sizeof bytes.hashes);
    end(play);
    return bytes;
}

static void test_no_bit_of_a_hidden_name(void **state) {
    (void)state;
    for (int32_t delay_s = 0; delay_s < 2; delay_s++) {
        for (int32_t spectate = 1; spectate <= 2; spectate++) {
            const bytes_t a = play_with("dragon", delay_s, spectate);
            const bytes_t b = play_with("wyvern_of_the_north", delay_s, spectate);
            assert_true(a.hashes[BOB] == b.hashes[BOB]);
            assert_true(a.hashes[EYE] == b.hashes[EYE]);
            assert_true(a.hashes[ANN] != b.hashes[ANN]);
        }
    }
}

// ---- who receives which name ----

typedef struct {
    int16_t visibility;
    uint16_t visible_to;
    int32_t seen; // bit i: client i receives the name
} case_t;

static const case_t cases[] = {{VISIBLE_NOBODY, 0, 0}, {VISIBLE_CLIENT, BOB, 2},
                               {VISIBLE_TEAM, 1, 1},   {VISIBLE_BUT_CLIENT, BOB, 1},
                               {VISIBLE_ALL, 0, 3},    {VISIBLE_TEAM, 2, 2}};

// Waits until a client has the edict with its names, because lost names come again.
static void wait_for(play_t *play, int32_t client, const edict_t *edict, const char *classname,
                     const char *title) {
    const int32_t number = World_EdictNumber(play->sv.world, edict);
    for (int32_t ms = 0; strcmp(class_at(play, client, edict), classname) != 0 ||
                         strcmp(text_at(play, client, number, "title"), title) != 0;
         ms += TEST_NET_STEP_MS) {
        assert_true(ms < 20000);
        run(play, TEST_NET_STEP_MS);
    }
}

// A new class and a new title with each visibility, which then changes to another one.
static void test_names_come_with_the_edict(void **state) {
    (void)state;
    char first[32], title[32];
    play_t *play = begin((sim_conditions_t){.delay_ms = 40, .loss = 0.2f, .reorder = 0.2f});
    for (int32_t i = 0; i < (int32_t)(COUNTOF(cases) * COUNTOF(cases)); i++) {
        const case_t *from = &cases[i / (int32_t)COUNTOF(cases)];
        const case_t *to = &cases[i % (int32_t)COUNTOF(cases)];
        snprintf(first, sizeof first, "class_%d", i);
        snprintf(title, sizeof title, "title_%d", i);
        edict_t *edict = add(play, first, from->visibility, from->visible_to);
        texts_of(edict)->title = string(play, title);
        for (int32_t turn = 0; turn < 2; turn++) {
            const case_t *now = turn == 0 ? from : to;
            const int32_t known = from->seen | (turn == 0 ? 0 : to->seen);
            run(play, NEWS_MS);
            for (int32_t client = ANN; client <= BOB; client++) {
                const bool sees = now->seen >> client & 1;
                wait_for(play, client, edict, sees ? first : "?", sees ? title : "");
                assert_int_equal(knows(play, client, first), known >> client & 1);
                assert_int_equal(knows(play, client, title), known >> client & 1);
            }
            edict->visibility = to->visibility;
            edict->visible_to = to->visible_to;
        }
        play->sv.engine->remove(&play->sv, edict);
    }
    // A late client has only public names. All numbers begin anew on the next map.
    err_t err;
    add_client(play);
    run(play, NEWS_MS);
    for (int32_t i = 0; i < (int32_t)(COUNTOF(cases) * COUNTOF(cases)); i++) {
        snprintf(first, sizeof first, "class_%d", i);
        const bool is_public = cases[i / (int32_t)COUNTOF(cases)].seen == 3 ||
                               cases[i % (int32_t)COUNTOF(cases)].seen == 3;
        assert_int_equal(knows(play, EYE, first), is_public);
    }
    assert_true(Server_StartMap(play->net.server, "testmap", &err));
    assert_true(TestNet_WaitActive(&play->net, 10000));
    use_world(play);
    run(play, NEWS_MS);
    edict_t *both[] = {add(play, "class_0", VISIBLE_CLIENT, ANN),
                       add(play, "open", VISIBLE_ALL, 0)};
    run(play, NEWS_MS);
    for (int32_t client = ANN; client <= EYE; client++) {
        wait_for(play, client, both[0], client == ANN ? "class_0" : "?", "");
        wait_for(play, client, both[1], "open", "");
        assert_int_equal(knows(play, client, "class_0"), client == ANN);
        assert_int_equal(play->net.clients[client]->names.counts[NAMES_CLASSES], 3);
    }
    end(play);
}

// A whole table of hidden names is revealed at once. Afterwards, no further message is sent.
static void test_many_names_at_once(void **state) {
    (void)state;
    char name[NAME_TEXT_BYTES];
    play_t *play = begin((sim_conditions_t){.delay_ms = 20});
    edict_t *secret = add(play, "secret", VISIBLE_TEAM, 2);
    edict_t *open = add(play, "open", VISIBLE_ALL, 0);
    for (int32_t i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "text_%d", i);
        texts_of(secret)->title = string(play, name);
        run(play, 20);
    }
    texts_of(open)->title = string(play, "the last");
    run(play, NEWS_MS);
    assert_int_equal(play->net.clients[ANN]->names.counts[NAMES_TEXTS], 301);
    assert_false(knows(play, ANN, "text_0"));
    assert_true(knows(play, BOB, "text_299"));
    assert_true(knows(play, ANN, "the last"));
    const int32_t before[] = {play->controls[ANN], play->controls[BOB]};
    for (int32_t i = 0; i < 500; i++) { // the order of numbers, then against it
        snprintf(name, sizeof name, "text_%d", i < 250 ? i : 549 - i);
        texts_of(open)->title = string(play, name);
        run(play, 20);
    }
    run(play, NEWS_MS);
    for (int32_t i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "text_%d", i);
        assert_true(knows(play, ANN, name));
    }
    assert_int_equal(play->controls[ANN] - before[ANN], 300);
    assert_int_equal(play->controls[BOB] - before[BOB], 0);
    end(play);
}

// A client that changes its team receives the names of the team in as few messages as possible.
static void test_a_change_of_team(void **state) {
    (void)state;
    char name[NAME_TEXT_BYTES];
    play_t *play = begin((sim_conditions_t){.delay_ms = 20});
    edict_t *edicts[100];
    for (int32_t i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "class_%d", i);
        edicts[i] = add(play, name, VISIBLE_TEAM, 2);
    }
    (void)add(play, "open", VISIBLE_ALL, 0);
    run(play, NEWS_MS);
    assert_string_equal(class_at(play, ANN, edicts[50]), "?");
    assert_false(knows(play, ANN, "class_50"));
    const int32_t before = play->controls[ANN];
    play->sv.engine->set_team(&play->sv, World_Edict(play->sv.world, ANN + 1), 2);
    for (int32_t i = 0; i < NEWS_MS / TEST_NET_STEP_MS; i++) {
        TestNet_Step(&play->net);
        assert_string_not_equal(class_at(play, ANN, edicts[50]), ""); // not before its name
    }
    for (int32_t i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "class_%d", i);
        assert_string_equal(class_at(play, ANN, edicts[i]), name);
    }
    assert_in_range(play->controls[ANN] - before, 1, 2); // 100 names of 10 bytes
    end(play);
}

// ---- spectators ----

static void test_delayed_spectators(void **state) {
    (void)state;
    err_t err;
    play_t *play = begin((sim_conditions_t){.delay_ms = 20});
    assert_true(Server_SetSpectateDelay(play->net.server, 1, &err));
    add_client(play);
    CL_Command(play->net.clients[EYE], "spectate");
    run(play, 1500);
    edict_t *open = add(play, "open", VISIBLE_ALL, 0);
    edict_t *weapon = add(play, "weapon", VISIBLE_BUT_CLIENT, ANN);
    edict_t *secret = add(play, "secret", VISIBLE_TEAM, 1);
    texts_of(open)->title = string(play, "a title");
    run(play, 900);
    const cl_t *eye = play->net.clients[EYE];
    assert_true(knows(play, ANN, "open"));
    assert_true(knows(play, ANN, "a title"));
    assert_false(knows(play, EYE, "open"));
    assert_false(knows(play, EYE, "a title"));
    assert_int_equal(eye->names.counts[NAMES_TEXTS], 0); // not even the number
    run(play, NEWS_MS);
    assert_string_equal(class_at(play, EYE, open), "open");
    assert_string_equal(class_at(play, EYE, weapon), "weapon");
    assert_string_equal(class_at(play, EYE, secret), "?");
    assert_false(knows(play, EYE, "secret"));
    assert_string_equal(text_at(play, EYE, World_EdictNumber(play->sv.world, open), "title"),
                        "a title");
    open->classname = string(play, "newer"); // the spectator plays, and needs no past any more
    CL_Command(play->net.clients[EYE], "play");
    run(play, NEWS_MS);
    assert_string_equal(class_at(play, EYE, open), "newer");
    end(play);
}

static void test_blind_spectators(void **state) {
    (void)state;
    err_t err;
    play_t *play = begin((sim_conditions_t){.delay_ms = 20});
    assert_true(Server_SetCvar(play->net.server, "sv_spectate", "1", &err));
    add_client(play);
    CL_Command(play->net.clients[EYE], "spectate");
    run(play, NEWS_MS);
    edict_t *open = add(play, "open", VISIBLE_ALL, 0);
    ((texts_t *)(void *)World_Client(play->sv.world, BOB)->game)->title = string(play, "chief");
    run(play, NEWS_MS);
    assert_false(knows(play, EYE, "open"));
    assert_true(knows(play, EYE, "chief")); // all receive the fields of clients
    assert_true(Server_SetCvar(play->net.server, "sv_spectate", "2", &err));
    run(play, NEWS_MS);
    assert_string_equal(class_at(play, EYE, open), "open");
    end(play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_bit_of_a_hidden_name),
        cmocka_unit_test(test_names_come_with_the_edict),
        cmocka_unit_test(test_many_names_at_once),
        cmocka_unit_test(test_a_change_of_team),
        cmocka_unit_test(test_delayed_spectators),
        cmocka_unit_test(test_blind_spectators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
