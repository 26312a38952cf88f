// Tables of names on a whole server: what joins receive, when they grow, when they are full,
// and a map change.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "client/cl_local.h"
#include "core/server_local.h"

#include <string.h>

#define FAR_MS  50 // one direction
#define CLASSES 2000

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv;
    client->player.health = 100;
    player->origin = Vector(0.0f, 0.0f, 100.0f);
}

static void register_everything(sv_context_t *sv) {
    char name[NAME_TEXT_BYTES];
    const int32_t room = (NAMES_GAME_BYTES - sv->world->name_bytes) / 65;
    for (int32_t i = 1; i <= 100000; i++) {
        snprintf(name, sizeof name, "%063d", i);
        assert_int_equal(sv->engine->model_index(sv, name), i <= room ? i : 0);
    }
}

static void register_few(sv_context_t *sv) {
    assert_int_equal(sv->engine->model_index(sv, "items/quad"), 1);
    assert_int_equal(sv->engine->sound_index(sv, "door"), 1);
    assert_int_equal(sv->engine->effect_index(sv, "spark"), 3); // after two of the engine
}

static const game_export_t greedy = {.api_version = GAME_API_VERSION,
                                     .name = "greedy",
                                     .client_join = join,
                                     .map_started = register_everything};
static const game_export_t modest = {.api_version = GAME_API_VERSION,
                                     .name = "modest",
                                     .client_join = join,
                                     .map_started = register_few};
static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 512}}};

typedef struct {
    test_net_t net;
    sv_context_t sv;
} play_t;

static void start_on(play_t *play, const game_export_t *game, sim_conditions_t conditions,
                     bool is_udp) {
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 6,
                                                  .is_udp = is_udp,
                                                  .conditions = conditions,
                                                  .max_clients = 4,
                                                  .map = &room,
                                                  .game = game});
    server_t *server = play->net.server;
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
}

static void start(play_t *play, const game_export_t *game, sim_conditions_t conditions) {
    start_on(play, game, conditions, false);
}

static void run(play_t *play, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
    }
}

static edict_t *add(play_t *play, const char *classname) {
    edict_t *edict = play->sv.engine->spawn(&play->sv);
    assert_non_null(edict);
    edict->origin = Vector(0.0f, 0.0f, 50.0f);
    edict->classname = play->sv.engine->string(&play->sv, classname);
    play->sv.engine->link(&play->sv, edict, false);
    return edict;
}

// Returns the class of an edict as a client has it, "?" without the edict.
static const char *class_at(const play_t *play, int32_t client, const edict_t *edict) {
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    const cl_t *cl = play->net.clients[client];
    int32_t count = CL_Entities(cl, list, MAX_SNAPSHOT_ENTS);
    for (int32_t i = 0; i < count; i++) {
        if (list[i].number == World_EdictNumber(play->sv.world, edict)) {
            return CL_ClassName(cl, &list[i]);
        }
    }
    return "?";
}

static void test_classes(void **state) {
    (void)state;
    play_t play;
    start(&play, &modest, (sim_conditions_t){.delay_ms = 30, .loss = 0.1f, .reorder = 0.1f});
    TestNet_AddClient(&play.net, "ann");
    assert_true(TestNet_WaitActive(&play.net, 10000));
    edict_t *quad = add(&play, "item_quad");
    edict_t *secret = add(&play, "secret_boss");
    edict_t *odd = add(&play, "two\nlines");
    edict_t *none = add(&play, "");
    secret->visibility = VISIBLE_NOBODY;
    quad->modelindex = 1;
    run(&play, 1000);
    TestNet_AddClient(&play.net, "bob");
    assert_true(TestNet_WaitActive(&play.net, 10000));
    run(&play, 1000); // names that were lost come again
    for (int32_t i = 0; i < 2; i++) {
        const cl_t *cl = play.net.clients[i];
        const entity_state_t drawn = {.model = 1};
        assert_string_equal(class_at(&play, i, quad), "item_quad");
        assert_string_equal(class_at(&play, i, secret), "?");
        assert_string_equal(class_at(&play, i, odd), "");
        assert_string_equal(class_at(&play, i, none), "");
        assert_string_equal(class_at(&play, i, World_Edict(play.sv.world, 2 - i)), "player");
        assert_string_equal(CL_ModelName(cl, &drawn), "items/quad");
        assert_string_equal(CL_SoundName(cl, 1), "door");
        assert_string_equal(CL_EffectName(cl, 3), "spark");
        for (int32_t n = 1; n <= cl->names.counts[NAMES_CLASSES]; n++) {
            assert_string_not_equal(Client_Name(cl, NAMES_CLASSES, n), "secret_boss");
        }
    }
    quad->classname = play.sv.engine->string(&play.sv, "item_suit"); // the tables grow
    assert_int_equal(play.sv.engine->sound_index(&play.sv, "horn"), 2);
    run(&play, 1000);
    for (int32_t i = 0; i < 2; i++) {
        assert_string_equal(class_at(&play, i, quad), "item_suit");
        assert_string_equal(CL_SoundName(play.net.clients[i], 2), "horn");
    }
    TestNet_Free(&play.net);
}

// A new build of the game keeps the numbers; clients keep the names.
static void test_reload(void **state) {
    (void)state;
    play_t play;
    err_t err;
    game_export_t build = modest;
    start(&play, &modest, (sim_conditions_t){.delay_ms = 10});
    TestNet_AddClient(&play.net, "ann");
    assert_true(TestNet_WaitActive(&play.net, 10000));
    assert_int_equal(play.sv.engine->sound_index(&play.sv, "horn"), 2);
    run(&play, 100);
    assert_true(Server_SetGame(play.net.server, &build, false, &err));
    play.sv = SV_Context(play.net.server->world, play.net.server->map, &play.net.server->game,
                         play.net.server->events);
    assert_int_equal(play.sv.engine->sound_index(&play.sv, "siren"), 3);
    assert_int_equal(play.sv.engine->sound_index(&play.sv, "horn"), 2);
    run(&play, 100);
    assert_string_equal(CL_SoundName(play.net.clients[0], 2), "horn");
    assert_string_equal(CL_SoundName(play.net.clients[0], 3), "siren");
    assert_int_equal(CL_State(play.net.clients[0]), CL_ACTIVE);
    TestNet_Free(&play.net);
}

static void test_map_change(void **state) {
    (void)state;
    play_t play;
    err_t err;
    start(&play, &modest, (sim_conditions_t){.delay_ms = 10});
    TestNet_AddClient(&play.net, "ann");
    assert_true(TestNet_WaitActive(&play.net, 10000));
    add(&play, "item_quad");
    assert_int_equal(play.sv.engine->sound_index(&play.sv, "horn"), 2);
    run(&play, 200);
    const cl_t *cl = play.net.clients[0];
    assert_int_equal(cl->names.counts[NAMES_CLASSES], 2);
    assert_true(Server_StartMap(play.net.server, "testmap", &err));
    run(&play, 1000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(cl->names.counts[NAMES_CLASSES], 1);
    assert_string_equal(Client_Name(cl, NAMES_CLASSES, 1), "player");
    assert_int_equal(cl->names.counts[NAMES_SOUNDS], 1);
    assert_string_equal(CL_SoundName(cl, 1), "door");
    TestNet_Free(&play.net);
}

// Fills the table of models on maps with an even number, otherwise that of sounds.
static void register_by_map(sv_context_t *sv) {
    static int32_t maps;
    char name[NAME_TEXT_BYTES];
    const bool is_even = maps++ % 2 == 0;
    for (int32_t i = 0; i < 370; i++) {
        snprintf(name, sizeof name, "%063d", i);
        (void)(is_even ? sv->engine->model_index : sv->engine->sound_index)(sv, name);
    }
}

static const game_export_t changing = {.api_version = GAME_API_VERSION,
                                       .name = "changing",
                                       .client_join = join,
                                       .map_started = register_by_map};

// Two maps whose tables together exceed the limit of a client.
static void test_other_tables_on_the_next_map(void **state) {
    (void)state;
    play_t play;
    err_t err;
    char name[NAME_TEXT_BYTES];
    start(&play, &changing, (sim_conditions_t){.delay_ms = 10});
    TestNet_AddClient(&play.net, "ann");
    assert_true(TestNet_WaitActive(&play.net, 10000));
    for (int32_t i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "class_%057d", i);
        add(&play, name);
    }
    run(&play, 200);
    assert_true(Server_StartMap(play.net.server, "testmap", &err));
    run(&play, 1000);
    const cl_t *cl = play.net.clients[0];
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(cl->names.counts[NAMES_MODELS], 0);
    assert_int_equal(cl->names.counts[NAMES_SOUNDS], 370);
    TestNet_Free(&play.net);
}

static void count_line(void *context, log_level_t level, const char *line) {
    if (level == LOG_WARN && strstr(line, "class \"class_")) {
        ++*(int32_t *)context;
    }
}

static bool has_all(const cl_t *cl, const server_t *server) {
    return cl->names.counts[NAMES_MODELS] == server->world->name_counts[NAMES_MODELS] &&
           cl->names.counts[NAMES_CLASSES] == server->made_names.counts[0];
}

// Joins, and returns the time from the answer to HELLO until the client has all names.
static int64_t join_ms(play_t *play, int32_t n) {
    TestNet_AddClient(&play->net, "late");
    const cl_t *cl = play->net.clients[n];
    while (CL_Slot(cl) < 0) {
        TestNet_Step(&play->net);
    }
    const int64_t answered_ms = play->net.now_ms;
    while (!has_all(cl, play->net.server)) {
        TestNet_Step(&play->net);
        assert_true(play->net.now_ms - answered_ms < 10000);
    }
    return play->net.now_ms - answered_ms;
}

// A game that registers 100,000 models, and 2,000 classes: the server stays up, clients play, full
// tables are logged once a burst, and late joiners receive all names at most one round trip after
// the answer to their HELLO. On the simulated network, and with ENet.
static void test_full_tables(void **state) {
    (void)state;
    for (int32_t is_udp = 0; is_udp < 2; is_udp++) {
        play_t play;
        char name[NAME_TEXT_BYTES];
        int32_t lines = 0;
        start_on(&play, &greedy, (sim_conditions_t){.delay_ms = FAR_MS}, is_udp);
        assert_int_equal(play.sv.world->counters.names_refused,
                         100000 - play.sv.world->name_counts[NAMES_MODELS]);
        play.net.log = (log_t){count_line, &lines, LOG_WARN};
        edict_t *edict = add(&play, "class_0");
        for (int32_t i = 0; i < CLASSES; i++) {
            snprintf(name, sizeof name, "class_%04d_of_many", i);
            edict->classname = play.sv.engine->string(&play.sv, name);
            run(&play, 20);
        }
        const int32_t num_classes = play.net.server->made_names.counts[0];
        assert_true(num_classes > 1000);
        assert_true(num_classes < NAMES_MAX);
        assert_in_range(lines, 1, CLASSES * 20 / 5000); // one each 5 s
        for (int32_t n = 0; n < 3; n++) {
            const int64_t took_ms = join_ms(&play, n);
            print_message("%s: %d bytes of names, %d ms after the answer to HELLO\n",
                          is_udp ? "ENet" : "simulated", play.net.clients[n]->names.cost,
                          (int)took_ms);
            assert_true(play.net.clients[n]->names.cost > 40000);
            assert_true(took_ms <= 2 * FAR_MS);
        }
        run(&play, 1000);
        assert_int_equal(CL_State(play.net.clients[0]), CL_ACTIVE);
        assert_string_equal(class_at(&play, 0, edict), ""); // beyond the table
        TestNet_Free(&play.net);
    }
}

static void spawn_thing(sv_context_t *sv, edict_t *self) {
    self->solid = SOLID_NOT;
    sv->engine->link(sv, self, false);
}

// A map with 2,000 entities, each of its own class.
static void test_a_map_of_many_classes(void **state) {
    (void)state;
    static game_spawn_t spawns[CLASSES + 1];
    static char names[CLASSES][32];
    static char text[CLASSES * 80];
    static test_net_t net;
    size_t used = (size_t)sprintf(text, "{\n\"classname\" \"worldspawn\"\n}\n");
    for (int32_t i = 0; i < CLASSES; i++) {
        snprintf(names[i], sizeof names[i], "thing_number_%04d", i);
        spawns[i] = (game_spawn_t){.classname = names[i], .spawn = spawn_thing};
        used += (size_t)sprintf(text + used, "{\n\"classname\" \"%s\"\n\"origin\" \"0 0 64\"\n}\n",
                                names[i]);
    }
    game_export_t game = modest;
    game.spawns = spawns;
    game.num_spawns = CLASSES;
    const test_map_t map = {.room = {{-512, -512, 0}, {512, 512, 512}}, .entities = text};
    TestNet_Init(&net,
                 &(test_net_config_t){
                     .seed = 6, .max_clients = 2, .max_edicts = 4096, .map = &map, .game = &game});
    TestNet_AddClient(&net, "ann");
    assert_true(TestNet_WaitActive(&net, 10000));
    for (int32_t i = 0; i < 500; i++) {
        TestNet_Step(&net);
    }
    const cl_t *cl = net.clients[0];
    const made_names_t *made = &net.server->made_names;
    assert_int_equal(net.server->world->num_edicts, CLASSES + 3);
    assert_int_equal(made->counts[0], NAMES_MAX - 1);
    assert_int_equal(cl->names.counts[NAMES_CLASSES], NAMES_MAX - 1);
    assert_string_equal(Client_Name(cl, NAMES_CLASSES, NAMES_MAX - 1), "thing_number_1022");
    assert_string_equal(CL_SoundName(cl, 1), "door");
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),     cmocka_unit_test(test_reload),
        cmocka_unit_test(test_map_change),  cmocka_unit_test(test_other_tables_on_the_next_map),
        cmocka_unit_test(test_full_tables), cmocka_unit_test(test_a_map_of_many_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
