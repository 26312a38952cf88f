// The tables of a game: every fault is refused with the table, the entry and the expected value;
// text cvars of a game.

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include "core/choices.h"
#include "core/game_tables.h"
#include "core/sent_fields.h"
#include "game/game.h"

#include <string.h>

static void nothing(sv_context_t *sv, edict_t *self) {
    (void)sv;
    (void)self;
}

static const callback_t callbacks[] = {{.name = "nothing", .think = nothing}};
static const game_field_t fields[] = {{"one", FIELD_INT, 0, 0, NULL, 0, 0, 0},
                                      {"two", FIELD_TIME, 8, 0, NULL, 0, 0, 0}};
static const game_spawn_t spawns[] = {{.classname = "worldspawn", .spawn = nothing},
                                      {.classname = "light"}};

static game_export_t good_game(void) {
    return (game_export_t){.api_version = GAME_API_VERSION,
                           .name = "good",
                           .callbacks = callbacks,
                           .num_callbacks = 1,
                           .edict_fields = {fields, 2},
                           .client_fields = {fields, 2},
                           .world_fields = {fields, 2},
                           .spawns = spawns,
                           .num_spawns = 2};
}

static void refuses(const game_export_t *game, const char *why) {
    err_t err = {{0}};
    assert_false(SV_CheckGame(game, &err));
    if (!strstr(err.text, why)) {
        fail_msg("expected \"%s\", found \"%s\"", why, err.text);
    }
}

static void test_a_game_without_faults(void **state) {
    (void)state;
    err_t err = {{0}};
    game_export_t game = good_game();
    assert_true(SV_CheckGame(&game, &err));
    assert_true(SV_CheckGame(Game_Export(), &err));
}

static void test_heads(void **state) {
    (void)state;
    game_export_t game = good_game();
    game.api_version++;
    char why[64];
    snprintf(why, sizeof why, "expected game interface version %d, found %d", GAME_API_VERSION,
             GAME_API_VERSION + 1);
    refuses(&game, why);
    game = good_game();
    game.name = "";
    refuses(&game, "expected a name");
    game = good_game();
    game.callbacks = NULL;
    refuses(&game,
            "callbacks: expected a list and a count of 0 or more, found count 1 and no list");
    game = good_game();
    game.num_spawns = -1;
    refuses(&game, "classes: expected a list and a count of 0 or more, found count -1");
}

static void test_fields(void **state) {
    (void)state;
    static const struct {
        game_field_t field; // next to "one" at offset 0
        const char *why;
    } cases[] = {
        {{"one", FIELD_INT, 16, 0, NULL, 0, 0, 0}, "field \"one\" appears twice in the table"},
        {{"", FIELD_INT, 16, 0, NULL, 0, 0, 0}, "expected a name of 1..31 letters"},
        {{"with space", FIELD_INT, 16, 0, NULL, 0, 0, 0}, "expected a name of 1..31 letters"},
        {{"x", FIELD_TYPE_COUNT, 16, 0, NULL, 0, 0, 0}, "expected a type of 0..5, found 6"},
        {{"x", FIELD_INT, 2, 0, NULL, 0, 0, 0}, "at 2: expected a multiple of 4"},
        {{"x", FIELD_TIME, 12, 0, NULL, 0, 0, 0}, "at 12: expected a multiple of 8"},
        {{"x", FIELD_FLOAT, 0, 0, NULL, 0, 0, 0}, "\"x\" at 0 overlaps \"one\" at 0"},
        {{"x", FIELD_VECTOR, 312, 0, NULL, 0, 0, 0}, "at 312 does not fit into 320 bytes"},
        {{"x", FIELD_INT, UINT32_MAX, 0, NULL, 0, 0, 0}, "does not fit into 320 bytes"},
        {{"x", FIELD_INT, 16, FIELD_KEEP, NULL, 0, 0, 0}, "FIELD_KEEP is not for edict fields"},
        {{"x", FIELD_TIME, 16, FIELD_KEY, NULL, 0, 0, 0}, "a map key cannot set a time"},
        {{"origin", FIELD_VECTOR, 16, FIELD_KEY, NULL, 0, 0, 0},
         "the engine reads the map key \"origin\"; rename it"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const game_field_t table[] = {fields[0], cases[i].field};
        game_export_t game = good_game();
        game.edict_fields = (game_fields_t){table, 2};
        refuses(&game, cases[i].why);
    }
}

static void test_sent_fields(void **state) {
    (void)state;
    static const struct {
        game_field_t field;
        const char *why; // NULL: the field is valid
    } cases[] = {
        {{"x", FIELD_INT, 0, FIELD_ALL | FIELD_SCORE, NULL, 0, 0, 0}, NULL},
        {{"x", FIELD_FLOAT, 0, FIELD_OWNER, NULL, -1, 1, 0.25f}, NULL},
        {{"x", FIELD_FLOAT, 0, FIELD_TEAM, NULL, 0, 1e30f, 0}, NULL},
        {{"x", FIELD_INT, 0, FIELD_ALL, NULL, -16777216, 16777216, 0}, NULL},
        {{"x", FIELD_STRING, 0, FIELD_ALL, NULL, 0, 0, 0}, NULL},
        {{"x", FIELD_REF, 0, FIELD_TEAM, NULL, 0, 0, 0}, NULL},
        {{"x", FIELD_STRING, 0, FIELD_OWNER, NULL, 0, 0, 0}, NULL},
        {{"x", FIELD_STRING, 0, FIELD_TEAM, NULL, 0, 0, 0}, NULL},
        {{"x", FIELD_TIME, 0, FIELD_ALL, NULL, 0, 0, 0}, "string or ref to send, found time"},
        {{"x", FIELD_VECTOR, 0, FIELD_TEAM, NULL, 0, 0, 0}, "string or ref to send, found vector"},
        {{"x", FIELD_INT, 0, FIELD_ALL | FIELD_OWNER, NULL, 0, 0, 0}, "found several"},
        {{"x", FIELD_INT, 0, FIELD_TEAM | FIELD_OWNER, NULL, 0, 0, 0}, "found several"},
        {{"x", FIELD_INT, 0, FIELD_OWNER | FIELD_SCORE, NULL, 0, 0, 0}, "needs FIELD_ALL and an"},
        {{"x", FIELD_FLOAT, 0, FIELD_ALL | FIELD_SCORE, NULL, 0, 0, 0}, "needs FIELD_ALL and an"},
        {{"x", FIELD_INT, 0, FIELD_ALL, NULL, 5, 4, 0}, "expected min < max"},
        {{"x", FIELD_INT, 0, FIELD_ALL, NULL, 0, 0.5f, 0}, "found 0..0.5 for a int"},
        {{"x", FIELD_INT, 0, FIELD_ALL, NULL, 0, 2e9f, 0}, "within +-16777216"},
        {{"x", FIELD_FLOAT, 0, FIELD_ALL, NULL, NAN, 1, 0}, "expected min < max"},
        {{"x", FIELD_FLOAT, 0, FIELD_ALL, NULL, 0, INFINITY, 0}, "expected min < max"},
        {{"x", FIELD_STRING, 0, FIELD_ALL, NULL, 0, 1, 0}, "expected min < max of a number"},
        {{"x", FIELD_INT, 0, FIELD_ALL, NULL, 0, 9, 1}, "expected a step of 0"},
        {{"x", FIELD_FLOAT, 0, FIELD_ALL, NULL, 0, 0, 1}, "expected a step of 0"},
        {{"x", FIELD_FLOAT, 0, FIELD_ALL, NULL, 0, 1, -1}, "expected a step of 0"},
        {{"x", FIELD_FLOAT, 0, FIELD_ALL, NULL, 0, 1, NAN}, "expected a step of 0"},
        {{"x", FIELD_FLOAT, 0, FIELD_ALL, NULL, 0, 1, 1e-9f}, "a range of at most"},
        {{"ping", FIELD_INT, 0, FIELD_ALL, NULL, 0, 0, 0}, "the engine sends a field of that name"},
        {{"ping", FIELD_INT, 0, 0, NULL, 0, 0, 0}, NULL},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        err_t err = {{0}};
        game_export_t game = good_game();
        game.client_fields = (game_fields_t){&cases[i].field, 1};
        if (cases[i].why) {
            refuses(&game, cases[i].why);
        } else if (!SV_CheckGame(&game, &err)) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
    game_export_t game = good_game();
    static const game_field_t of_owner = {"x", FIELD_INT, 0, FIELD_OWNER, NULL, 0, 0, 0};
    game.world_fields = (game_fields_t){&of_owner, 1};
    refuses(&game, "world field \"x\": FIELD_OWNER is not for world fields");
    static const game_field_t of_future = {"x", FIELD_INT, 0, 1u << 31, NULL, 0, 0, 0};
    game.world_fields = (game_fields_t){&of_future, 1};
    refuses(&game, "world field \"x\": an unknown flag is not for world fields");
}

// 32 edict fields and 29 client fields may be sent, and one score.
static void test_number_of_sent_fields(void **state) {
    (void)state;
    static char names[MAX_SENT_FIELDS + 1][8];
    game_field_t list[MAX_SENT_FIELDS + 1];
    err_t err;
    for (int32_t i = 0; i <= MAX_SENT_FIELDS; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        list[i] = (game_field_t){
            .name = names[i], .type = FIELD_INT, .offset = (uint32_t)i * 4, .flags = FIELD_ALL};
    }
    game_export_t game = good_game();
    game.edict_fields = (game_fields_t){list, MAX_SENT_FIELDS};
    game.client_fields = (game_fields_t){list, MAX_SENT_FIELDS - 3};
    assert_true(SV_CheckGame(&game, &err));
    game.edict_fields.count++;
    refuses(&game, "edict fields: expected at most 32 that are sent and 1 score, found one more, "
                   "\"f32\"");
    list[MAX_SENT_FIELDS].flags = 0;
    assert_true(SV_CheckGame(&game, &err));
    game.client_fields.count++;
    refuses(&game, "client fields: expected at most 29 that are sent and 1 score, found one more, "
                   "\"f29\"");
    game = good_game();
    list[0].flags = list[1].flags = FIELD_ALL | FIELD_SCORE;
    game.client_fields = (game_fields_t){list, 2};
    refuses(&game, "1 score, found one more, \"f1\"");
}

static void test_classes(void **state) {
    (void)state;
    static const game_spawn_t twice[] = {{.classname = "door"}, {.classname = "door"}};
    static const game_spawn_t unnamed[] = {{.classname = ""}};
    game_export_t game = good_game();
    game.spawns = twice;
    refuses(&game, "class \"door\" appears twice in the table");
    game.spawns = unnamed;
    game.num_spawns = 1;
    refuses(&game, "class 0: expected a name");
}

// The cvars are next to world fields at 0 to 15 and a text at 256 to 511.
static void test_cvars(void **state) {
    (void)state;
    static const cvar_def_t text = {"g_text", CVAR_STRING, 0, "", 0, 64, "", "a text", 256};
    static const struct {
        cvar_def_t def;
        const char *why; // NULL: the cvar is valid
    } cases[] = {
        {{"g_x", CVAR_INT, 0, "1", 0, 9, "", "help", 512}, NULL},
        {{"g_x", CVAR_FLOAT, 0, "1", 0, 9, "", "help", 252}, NULL},
        {{"g_x", CVAR_STRING, 0, "abc", 0, 3, "", "help", 512}, NULL},
        {{"g_x", CVAR_STRING, 0, "", 0, 220, "", "help", 4096 - 256}, NULL},
        {{"g_x", CVAR_INT, 0, "1", 0, 9, "", "help", 8}, "overlaps the world field \"two\""},
        {{"g_x", CVAR_INT, 0, "1", 0, 9, "", "help", 256}, "at 256 overlaps \"g_text\""},
        {{"g_x", CVAR_INT, 0, "1", 0, 9, "", "help", 508}, "at 508 overlaps \"g_text\""},
        {{"g_x", CVAR_STRING, 0, "", 0, 9, "", "help", 16}, "at 16 overlaps \"g_text\""},
        {{"g_x", CVAR_STRING, 0, "", 0, 9, "", "help", 4096 - 252}, "at most 3840"},
        {{"g_x", CVAR_INT, 0, "1", 0, 9, "", "help", 4096}, "at most 4092"},
        {{"g_x", CVAR_INT, 0, "1", 0, 9, "", "help", 514}, "expected an offset divisible by 4"},
        {{"g_x", CVAR_STRING, 0, "", 0, 0, "", "help", 512}, "a max of 1..220 characters, found 0"},
        {{"g_x", CVAR_STRING, 0, "", 0, 221, "", "help", 512}, "characters, found 221"},
        {{"g_x", CVAR_STRING, 0, "abcd", 0, 3, "", "help", 512}, "expected at most 3 characters"},
        {{"g_x", (cvar_type_t)3, 0, "", 0, 9, "", "help", 512}, "expected a type of 0..2, found 3"},
        {{"g_x", CVAR_INT, 0, "10", 0, 9, "", "help", 512}, "its default"},
        {{"g_x", CVAR_INT, 0, "5", 9, 0, "", "help", 512}, "min <= max within 32 bits"},
        {{"g_x", CVAR_INT, 0, "5", 0, 1e30, "", "help", 512}, "min <= max within 32 bits"},
        {{"g_x", CVAR_FLOAT, 0, "5", (double)NAN, 9, "", "help", 512}, "expected min <= max"},
        {{"g_x", CVAR_INT, CVAR_INIT, "1", 0, 9, "", "help", 512}, "no flag but CVAR_LATCH"},
        {{"g_text", CVAR_INT, 0, "1", 0, 9, "", "help", 512}, "appears twice in the table"},
        {{"sv_gravity", CVAR_INT, 0, "1", 0, 9, "", "help", 512},
         "the engine has a cvar of that name"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const cvar_def_t table[] = {text, cases[i].def};
        game_export_t game = good_game();
        err_t err = {{0}};
        game.cvars = (game_cvar_table_t){table, 2};
        if (cases[i].why) {
            refuses(&game, cases[i].why);
        } else if (!SV_CheckGame(&game, &err)) {
            fail_msg("%s", err.text);
        }
    }
}

static void test_layouts(void **state) {
    (void)state;
    static const cvar_def_t text = {"g_text", CVAR_STRING, 0, "", 0, 64, "", "a text", 256};
    static const cvar_def_t number = {"g_text", CVAR_INT, 0, "1", 0, 64, "", "a number", 256};
    game_export_t one = good_game();
    game_export_t two = good_game();
    err_t err = {{0}};
    one.cvars = (game_cvar_table_t){&text, 1};
    two.cvars = (game_cvar_table_t){&text, 1};
    assert_true(SV_SameLayout(&one, &two, &err));
    assert_true(SV_GameLayout(&one) == SV_GameLayout(&two));
    two.cvars = (game_cvar_table_t){&number, 1};
    assert_false(SV_SameLayout(&one, &two, &err));
    assert_non_null(strstr(err.text, "cvar \"g_text\" has another type or offset"));
    assert_true(SV_GameLayout(&one) != SV_GameLayout(&two));
    static uint8_t from[WORLD_GAME_BYTES];
    static uint8_t to[WORLD_GAME_BYTES];
    memset(from, 'x', sizeof from);
    SV_CopyGameCvars(&one, to, from);
    for (size_t i = 0; i < sizeof to; i++) {
        assert_int_equal(to[i], i >= 256 && i < 512 ? 'x' : 0);
    }
}

// Two builds whose clients would read the snapshots otherwise are not alike; a field that goes to
// other clients is alike.
static void test_sent_otherwise(void **state) {
    (void)state;
    static const game_field_t now[] = {{"a", FIELD_FLOAT, 0, FIELD_ALL, NULL, 0, 9, 1},
                                       {"b", FIELD_INT, 4, FIELD_ALL, NULL, 0, 0, 0}};
    game_export_t one = good_game();
    one.client_fields = (game_fields_t){now, 2};
    for (int32_t i = 0; i < 6; i++) {
        err_t err;
        game_field_t next[] = {now[0], now[1]};
        game_export_t two = one;
        two.client_fields.list = next;
        next[0].max = i == 1 ? 8.0f : 9.0f;
        next[0].step = i == 2 ? 0.5f : 1.0f;
        next[1].flags = i == 3 ? 0u : i == 4 ? FIELD_ALL | FIELD_SCORE : FIELD_OWNER;
        if (i == 5) {
            next[0] = now[1];
            next[1] = now[0];
        }
        assert_true(SV_SameLayout(&one, &two, &err) == (i == 0));
        assert_true(i == 0 ||
                    strstr(err.text, i == 3 || i == 4 ? "client field \"b\" is sent otherwise"
                                                      : "client field \"a\" is sent otherwise"));
    }
}

// ---- under a running server ----

static const char *motd_of(const test_net_t *net) {
    return ((const game_vars_t *)(const void *)Server_World(net->server)->game)->motd;
}

static void test_a_text_of_the_game(void **state) {
    (void)state;
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    test_net_t net;
    test_peer_t ann;
    err_t err = {{0}};
    char longest[GAME_CVAR_MAX_TEXT + 2];
    memset(longest, 'y', sizeof longest);
    longest[GAME_CVAR_MAX_TEXT + 1] = '\0';
    TestNet_Init(&net, &(test_net_config_t){.seed = 1, .max_clients = 4, .map = &room});
    assert_true(Server_SetCvar(net.server, "g_motd", "be  nice, all: \"fun\"", &err));
    assert_string_equal(motd_of(&net), ""); // the change is an input of the next tick
    Server_Tick(net.server, net.now_ms);
    assert_string_equal(motd_of(&net), "be  nice, all: \"fun\"");
    TestPeer_Join(&ann, &net, 0, "ann");
    assert_string_equal(ann.last[CTL_PRINT].u.text.text, "be  nice, all: \"fun\"");
    assert_true(Server_StartMap(net.server, "testmap", &err));
    assert_string_equal(motd_of(&net), "be  nice, all: \"fun\"");
    assert_false(Server_SetCvar(net.server, "g_motd", longest, &err));
    assert_non_null(strstr(err.text, "g_motd: expected at most 220 characters, found 221"));
    longest[GAME_CVAR_MAX_TEXT] = '\0';
    assert_true(Server_SetCvar(net.server, "g_motd", longest, &err));
    Server_Tick(net.server, net.now_ms);
    assert_string_equal(motd_of(&net), longest);
    assert_true(Server_SetCvar(net.server, "g_motd", "", &err));
    Server_Tick(net.server, net.now_ms);
    assert_string_equal(motd_of(&net), "");
    const game_vars_t *vars = (const void *)Server_World(net.server)->game;
    for (size_t i = 0; i < sizeof vars->motd; i++) {
        assert_int_equal(vars->motd[i], 0); // no byte of the old text is left
    }
    assert_true(Server_SetCvar(net.server, "timelimit", "2.5", &err)); // numbers work as before
    Server_Tick(net.server, net.now_ms);
    assert_true(vars->timelimit == 2.5f);
    TestPeer_Free(&ann);
    TestNet_Free(&net);
}

static void test_unknown_callbacks_and_keys(void **state) {
    (void)state;
    const callback_t nameless = {.name = "coin_touch"};
    const game_field_t keys[] = {{"health", FIELD_INT, 0, FIELD_KEY, NULL, 0, 0, 0},
                                 {"inner", FIELD_INT, 4, 0, NULL, 0, 0, 0}};
    game_spawn_t coin = {.classname = "coin", .keys = "health=3 target origin"};
    game_export_t game = good_game();
    game.callbacks = &nameless;
    game.num_callbacks = 1;
    refuses(&game, "callback \"coin_touch\": expected exactly one of think, touch, use, blocked");
    game = good_game();
    game.edict_fields = (game_fields_t){keys, 2};
    game.spawns = &coin;
    game.num_spawns = 1;
    err_t err;
    assert_true(SV_CheckGame(&game, &err));
    coin.keys = "health=3 haelth";
    refuses(&game, "class \"coin\": keys: expected edict fields, found \"haelth\"; did you mean "
                   "\"health\"?");
    coin.keys = "inner"; // not a key of a map
    refuses(&game, "keys: expected edict fields, found \"inner\"");
}

// Every difference is named, not only the first.
static void test_all_differences_are_named(void **state) {
    (void)state;
    const game_field_t ours[] = {{"a", FIELD_INT, 0, 0, NULL, 0, 0, 0},
                                 {"b", FIELD_INT, 4, 0, NULL, 0, 0, 0}};
    const game_field_t theirs[] = {{"b", FIELD_FLOAT, 8, 0, NULL, 0, 0, 0},
                                   {"c", FIELD_INT, 4, 0, NULL, 0, 0, 0}};
    game_export_t one = good_game();
    game_export_t two = good_game();
    err_t err;
    one.edict_fields = (game_fields_t){ours, 2};
    two.edict_fields = (game_fields_t){theirs, 2};
    assert_false(SV_SameLayout(&one, &two, &err));
    assert_string_equal(err.text,
                        "edict field \"a\" of the running game is missing; edict field "
                        "\"b\" expected int at byte 4, found float at byte 8; edict field \"c\" is "
                        "new");
}

// A class names its spawnflags in a list of single bits.
static void test_lists_of_spawnflags(void **state) {
    (void)state;
    static const struct {
        const char *flags;
        bool good;
    } cases[] = {{"1 starts open", true},
                 {"1 a, 2 b, 1024 c", true},
                 {"", true},
                 {"1", false},
                 {"1 ", false},
                 {"3 two bits", false},
                 {"0 none", false},
                 {"2 b, 1 a", false},
                 {"1 a,2 b", false},
                 {"1 a, ", false},
                 {"x", false},
                 {"-1 a", false},
                 {"99999999999999 a", false}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const game_spawn_t door = {.classname = "door", .flags = cases[i].flags};
        game_export_t game = good_game();
        game.spawns = &door;
        game.num_spawns = 1;
        if (cases[i].good) {
            err_t err;
            assert_true(SV_CheckGame(&game, &err));
        } else {
            refuses(&game, "class \"door\": spawnflags: expected");
        }
    }
}

static void test_lists_of_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int32_t count;
        const char *values, *names; // of the last entry
    } cases[] = {{"-3 water, -5 lava", 2, "-5", "lava"},
                 {"step | ray slides", 2, "ray", "slides"},
                 {"1 | 2", 2, "2", "2"},
                 {"4 a", 1, "4", "a"},
                 {"1 or 2", 1, "1", "or 2"},
                 {"1 a, 1 b", 0, "", ""},
                 {"1 a, the default", 0, "", ""},
                 {"1 a,2 b", 0, "", ""},
                 {"1 a, ", 0, "", ""},
                 {"a | ", 0, "", ""},
                 {"a |  | b", 0, "", ""},
                 {"-", 0, "", ""},
                 {"- a", 0, "", ""},
                 {"1234567890 a, 1 b", 0, "", ""},
                 {"", 0, "", ""}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        choice_t list[MAX_CHOICES];
        int32_t count = SV_ReadChoices(cases[i].text, list);
        assert_int_equal(count, cases[i].count);
        if (count > 0) {
            const choice_t *last = &list[count - 1];
            assert_int_equal(last->value_length, strlen(cases[i].values));
            assert_memory_equal(last->value, cases[i].values, strlen(cases[i].values));
            assert_int_equal(last->name_length, strlen(cases[i].names));
            assert_memory_equal(last->name, cases[i].names, strlen(cases[i].names));
            assert_int_equal(last->number, atoi(cases[i].values));
        }
    }
    char many[512] = "0 a";
    for (int32_t i = 1; i <= MAX_CHOICES; i++) {
        choice_t list[MAX_CHOICES];
        assert_int_equal(SV_ReadChoices(many, list), i);
        snprintf(many + strlen(many), sizeof many - strlen(many), ", %d a", i);
    }
    assert_int_equal(SV_ReadChoices(many, (choice_t[MAX_CHOICES]){{0}}), 0);
    assert_int_equal(SV_ReadChoices(NULL, NULL), 0);
}

// A help text that looks like a list of values must be one: the editor would show something else.
static void test_help_that_looks_like_values(void **state) {
    (void)state;
    static const struct {
        const char *help;
        game_field_type_t type;
        bool good;
    } cases[] = {{"1 or 2", FIELD_INT, false},
                 {"team: 1 or 2", FIELD_INT, false},
                 {"0 = off", FIELD_INT, false},
                 {"1 red", FIELD_INT, false},
                 {"low | high", FIELD_INT, false},
                 {"1 red, 2 blue", FIELD_INT, true},
                 {"1 | 2", FIELD_INT, true},
                 {"points; 0 = none", FIELD_INT, true},
                 {"low | high", FIELD_STRING, true},
                 {"0 off, 1 on", FIELD_STRING, true},
                 {"low |  | high", FIELD_STRING, false},
                 {"1 or 2", FIELD_FLOAT, true},
                 {NULL, FIELD_INT, true}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const game_field_t field = {
            .name = "side", .type = cases[i].type, .flags = FIELD_KEY, .help = cases[i].help};
        game_export_t game = good_game();
        game.edict_fields = (game_fields_t){&field, 1};
        err_t err = {{0}};
        if (cases[i].good) {
            assert_true(SV_CheckGame(&game, &err));
        } else {
            refuses(&game, "edict field \"side\": help: expected a list of values");
        }
    }
    const game_field_t field = {
        .name = "side", .type = FIELD_INT, .flags = FIELD_KEY, .help = "1 red, 2 blue"};
    game_spawn_t flag = {.classname = "flag", .keys = "side=2"};
    game_export_t game = good_game();
    err_t err = {{0}};
    game.edict_fields = (game_fields_t){&field, 1};
    game.spawns = &flag;
    game.num_spawns = 1;
    assert_true(SV_CheckGame(&game, &err));
    flag.keys = "side=0 angle";
    refuses(&game, "class \"flag\": keys: expected one of \"1 red, 2 blue\", found \"side=0\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_game_without_faults),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_sent_fields),
        cmocka_unit_test(test_number_of_sent_fields),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_lists_of_spawnflags),
        cmocka_unit_test(test_lists_of_values),
        cmocka_unit_test(test_help_that_looks_like_values),
        cmocka_unit_test(test_unknown_callbacks_and_keys),
        cmocka_unit_test(test_all_differences_are_named),
        cmocka_unit_test(test_cvars),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_sent_otherwise),
        cmocka_unit_test(test_a_text_of_the_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
