// The table of classes is consistent, and agrees with README.md and with real maps. GOLDEN=1 writes
// the table of README.md.

#include "base/file.h"
#include "base/str.h"
#include "game/classes.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"

#include <ctype.h>
#include <glob.h>
#include <string.h>

#define README     "server/game/README.md"
#define BEGIN      "<!-- classes: written by the test of this table, GOLDEN=1 -->\n"
#define END        "<!-- end of classes -->\n"
#define MAX_BYTES  262144
#define LEAST_MAPS 3

static const char *const engine_keys[] = {"origin",      "angles",    "angle",     "model",
                                          "targetname",  "target",    "classname", "animation",
                                          "controllers", "turn_about"};

static bool is_in(const char *word, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const game_field_t *find_key(const char *name) {
    const game_fields_t *fields = &Game_Export()->edict_fields;
    for (int32_t i = 0; i < fields->count; i++) {
        if ((fields->list[i].flags & FIELD_KEY) && strcmp(fields->list[i].name, name) == 0) {
            return &fields->list[i];
        }
    }
    return NULL;
}

static const game_spawn_t *find_class(const char *name) {
    const game_export_t *game = Game_Export();
    for (int32_t i = 0; i < game->num_spawns; i++) {
        if (strcmp(game->spawns[i].classname, name) == 0) {
            return &game->spawns[i];
        }
    }
    return NULL;
}

static void test_every_key_of_a_class_is_a_field(void **state) {
    (void)state;
    const game_export_t *game = Game_Export();
    for (int32_t i = 0; i < game->num_spawns; i++) {
        const game_spawn_t *spawn = &game->spawns[i];
        assert_non_null(spawn->help);
        assert_ptr_equal(find_class(spawn->classname), spawn); // each name occurs once
        char keys[512];
        snprintf(keys, sizeof keys, "%s", spawn->keys ? spawn->keys : "");
        for (char *key = strtok(keys, " "); key; key = strtok(NULL, " ")) {
            key[strcspn(key, "=")] = '\0';
            if (!find_key(key) && !is_in(key, engine_keys, COUNTOF(engine_keys))) {
                fail_msg("%s: \"%s\" is no field of the table", spawn->classname, key);
            }
        }
    }
}

// ---- defaults of a class ----

static const test_block_t room_blocks[] = {
    {.box = {{-32, -32, 0}, {32, 32, 64}}, .contents = CONTENTS_SOLID, .model = 1}};

#define SPOT_X 100.0f
#define SPOT_Z 40.0f

// Returns the edict that an entity with no keys except its class becomes.
static edict_t *spawn_bare(test_world_t *test, const char *classname) {
    char entities[256];
    bool is_brush = strncmp(classname, "func_", 5) == 0 || strncmp(classname, "trigger_", 8) == 0 ||
                    strncmp(classname, "momentary_", 10) == 0;
    bool is_monster = strncmp(classname, "monster_", 8) == 0;
    snprintf(entities, sizeof entities,
             "{ \"classname\" \"worldspawn\" } { \"classname\" \"%s\" \"origin\" \"%g 0 %g\" %s}",
             classname, (double)SPOT_X, (double)SPOT_Z, is_brush ? "\"model\" \"*1\"" : "");
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .blocks = room_blocks,
                            .num_blocks = (int32_t)COUNTOF(room_blocks),
                            .entities = entities};
    TestWorld_InitGame(test, &map, 1, is_monster ? "g_monsters" : "g_gametype", "1");
    edict_t *edict = World_Edict(test->world, 2);
    if (!World_IsLive(edict)) {
        fail_msg("%s: is not there", classname);
    }
    return edict;
}

static int32_t check_defaults(const game_spawn_t *spawn, edict_t *edict) {
    char keys[512];
    int32_t count = 0;
    snprintf(keys, sizeof keys, "%s", spawn->keys);
    for (char *key = strtok(keys, " "); key; key = strtok(NULL, " ")) {
        char *value = strchr(key, '=');
        if (!value) {
            continue;
        }
        *value++ = '\0';
        const game_field_t *field = find_key(key);
        float real = 0.0f;
        int32_t whole = 0;
        memcpy(&real, edict->game + field->offset, sizeof real);
        memcpy(&whole, edict->game + field->offset, sizeof whole);
        float found = field->type == FIELD_INT ? (float)whole : real;
        if (found != strtof(value, NULL)) {
            fail_msg("%s: expected %s=%s, found %g", spawn->classname, key, value, (double)found);
        }
        count++;
    }
    return count;
}

// Checks the box where the edict is solid or touched, before it has moved.
static void check_box(const game_spawn_t *spawn, const edict_t *edict) {
    vec3_t least;
    vec3_t most;
    assert_int_equal(sscanf(spawn->box, "%f %f %f, %f %f %f", &least.x, &least.y, &least.z, &most.x,
                            &most.y, &most.z),
                     6);
    bool falls = edict->movetype == MOVETYPE_NONE; // the spawn put the edict on the floor
    vec3_t spot = {SPOT_X, 0.0f, falls ? edict->origin.z : SPOT_Z};
    vec3_t low = VectorSubtract(VectorAdd(edict->origin, edict->mins), VectorAdd(spot, least));
    vec3_t high = VectorSubtract(VectorAdd(edict->origin, edict->maxs), VectorAdd(spot, most));
    // 1 qu: it stands slightly above the floor.
    if (!VectorWithin(low, 1.0f) || !VectorWithin(high, 1.0f)) {
        fail_msg("%s: its box is not %s", spawn->classname, spawn->box);
    }
}

static void test_defaults_and_boxes_are_so(void **state) {
    (void)state;
    const game_export_t *game = Game_Export();
    int32_t defaults = 0;
    int32_t boxes = 0;
    for (int32_t i = 0; i < game->num_spawns; i++) {
        const game_spawn_t *spawn = &game->spawns[i];
        bool has_default = spawn->keys && strchr(spawn->keys, '=');
        if (!spawn->spawn || (!spawn->box && !has_default)) {
            continue;
        }
        test_world_t test;
        edict_t *edict = spawn_bare(&test, spawn->classname);
        defaults += has_default ? check_defaults(spawn, edict) : 0;
        if (spawn->box && spawn->spawn != Game_SpawnPoint && spawn->spawn != Game_SpawnStart) {
            check_box(spawn, edict);
            boxes++;
        }
        TestWorld_Free(&test);
    }
    print_message("%d defaults, %d boxes\n", defaults, boxes);
    assert_true(defaults > 50);
    assert_true(boxes > 50);
}

// ---- README.md ----

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

// Returns true if two classes share a row: equal help, keys and spawnflags. The table leaves out
// ignored classes.
static bool share_row(const game_spawn_t *a, const game_spawn_t *b) {
    return a->spawn && b->spawn && strcmp(a->help, b->help) == 0 &&
           is_same_text(a->keys, b->keys) && is_same_text(a->flags, b->flags);
}

// Appends keys, without movewith. The FIRE_KEYS, which many classes have, are written as one word.
static size_t print_keys(char *text, size_t size, const char *keys) {
    char words[512];
    const char *separator = "";
    size_t at = 0;
    const char *fire = keys ? strstr(keys, FIRE_KEYS) : NULL;
    if (fire) {
        snprintf(words, sizeof words, "%.*sFIRE%s", (int)(fire - keys), keys,
                 fire + strlen(FIRE_KEYS));
    } else {
        snprintf(words, sizeof words, "%s", keys ? keys : "");
    }
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        if (strcmp(word, "movewith") != 0) {
            at += (size_t)snprintf(text + at, size - at, "%s%s", separator, word);
            separator = " ";
        }
    }
    return at;
}

static char *write_table(void) {
    char *text = calloc(1, MAX_BYTES);
    assert_non_null(text);
    const game_export_t *game = Game_Export();
    size_t at = (size_t)snprintf(text, MAX_BYTES, "class|what it is|keys|spawnflags\n-|-|-|-\n");
    for (int32_t i = 0; i < game->num_spawns; i++) {
        const game_spawn_t *spawn = &game->spawns[i];
        int32_t first = 0;
        while (first < i && !share_row(&game->spawns[first], spawn)) {
            first++;
        }
        if (first < i || !spawn->spawn) {
            continue; // in the row of `first`, or ignored
        }
        const char *separator = "`";
        for (int32_t k = i; k < game->num_spawns; k++) {
            if (share_row(&game->spawns[k], spawn)) {
                at += (size_t)snprintf(text + at, MAX_BYTES - at, "%s%s", separator,
                                       game->spawns[k].classname);
                separator = " ";
            }
        }
        at += (size_t)snprintf(text + at, MAX_BYTES - at, "`|%s|", spawn->help);
        at += print_keys(text + at, MAX_BYTES - at, spawn->keys);
        at +=
            (size_t)snprintf(text + at, MAX_BYTES - at, "|%s\n", spawn->flags ? spawn->flags : "");
    }
    assert_true(at < MAX_BYTES);
    return text;
}

static char *read_text(const char *path) {
    err_t err;
    size_t size = 0;
    uint8_t *bytes = File_Read(path, MAX_BYTES, &size, &err);
    if (!bytes) {
        fail_msg("%s", err.text);
        return NULL;
    }
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    free(bytes);
    return text;
}

static void rewrite(char *readme, char *from, char *to, const char *table) {
    FILE *file = fopen(README, "w");
    assert_non_null(file);
    fwrite(readme, 1, (size_t)(from - readme), file);
    fputs(table, file);
    fputs(to, file);
    assert_int_equal(fclose(file), 0);
    print_message("%s: written\n", README);
}

static void test_the_readme_has_this_table(void **state) {
    (void)state;
    char *readme = read_text(README);
    char *table = write_table();
    char *from = strstr(readme, BEGIN);
    char *to = strstr(readme, END);
    assert_non_null(from);
    assert_non_null(to);
    from += strlen(BEGIN);
    bool same = (size_t)(to - from) == strlen(table) && memcmp(from, table, strlen(table)) == 0;
    if (!same && getenv("GOLDEN")) {
        rewrite(readme, from, to, table);
        same = true;
    }
    free(table);
    free(readme);
    if (!same) {
        fail_msg("%s: its table of classes is out of date; GOLDEN=1 writes it", README);
    }
}

// ---- classes and keys of real maps ----

// Returns true for keys of compilers, clients, and another game's shops and quests.
static bool is_others_key(const char *key) {
    static const char *const others[] = {
        "light",     "alpha",       "rendermode", "renderamt",  "takedamage",
        "th_die",    "cost",        "cost2",      "weapon",     "teddyremovetarget",
        "wayTarget", "sequence",    "name",       "currentmag", "currentammo",
        "noise",     "round_delay", "points"};
    return is_in(key, others, COUNTOF(others)) || strncmp(key, "zhlt_", 5) == 0;
}

typedef struct {
    int32_t classes, keys, missing;
} found_t;

// Checks that each key that is used often enough is known. `keys`: "targetname(944: t16|t27),
// target(942: ...)".
static void check_keys(const char *classname, const char *keys, found_t *found) {
    for (const char *at = keys; at;) {
        char key[64];
        const char *open = strchr(at, '(');
        if (!open || (size_t)(open - at) >= sizeof key) {
            return;
        }
        snprintf(key, sizeof key, "%.*s", (int)(open - at), at);
        if (strtol(open + 1, NULL, 10) >= LEAST_MAPS) {
            bool is_known = find_key(key) || is_others_key(key) ||
                            is_in(key, engine_keys, COUNTOF(engine_keys));
            found->keys++;
            found->missing += is_known ? 0 : 1;
            if (!is_known) {
                print_message("%s: key \"%s\" is not known\n", classname, key);
            }
        }
        at = strstr(open, "), ");
        at = at ? at + 3 : NULL;
    }
}

// Checks a line such as "- **func_door** 749 in 35 maps: keys".
static void check_line(char *line, found_t *found) {
    char classname[64];
    int count = 0;
    int maps = 0;
    int length = 0;
    if (sscanf(line, "- **%63[^*]** %d in %d maps: %n", classname, &count, &maps, &length) != 3 ||
        maps < LEAST_MAPS) {
        return;
    }
    found->classes++;
    if (!find_class(classname)) {
        found->missing++;
        print_message("class \"%s\" of %d maps is not known\n", classname, maps);
    }
    if (length > 0) {
        check_keys(classname, line + length, found);
    }
}

static void test_what_three_maps_use_is_known(void **state) {
    (void)state;
    glob_t files;
    found_t found = {0};
    if (glob("../shared/data/entities/*.md", 0, NULL, &files) != 0) {
        print_message("SKIPPED: no counts in ../shared/data/entities\n");
        skip();
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = read_text(files.gl_pathv[i]);
        char *rest = text;
        for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
            check_line(line, &found);
        }
        free(text);
    }
    globfree(&files);
    print_message("%d classes and %d of their keys that real maps use, %d not known\n",
                  found.classes, found.keys, found.missing);
    assert_true(found.classes > 50);
    assert_int_equal(found.missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_of_a_class_is_a_field),
        cmocka_unit_test(test_defaults_and_boxes_are_so),
        cmocka_unit_test(test_the_readme_has_this_table),
        cmocka_unit_test(test_what_three_maps_use_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
