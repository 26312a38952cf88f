// The project's compiled maps: they load, spawns and exits are free, and every spawn can be reached
// from every place that a player can reach.

#include "base/file.h"
#include "bsp/bsp.h"
#include "lib/reach_fixture.h"
#include "lib/testing.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LISTED 10

typedef struct {
    cmap_t map;
    map_entities_t *entities;
} loaded_t;

/// Writes the path of a compiled project map.
static void compiled_path(const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/maps/%s.bsp", Test_BuildFolder(), name);
}

/// Loads a compiled map. Returns false and prints why if it is not compiled; a faulty file fails
/// the test.
static bool load(loaded_t *loaded, const char *name) {
    char path[512];
    err_t err;
    compiled_path(name, path, sizeof(path));
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not compiled (make maps)\n", path);
        return false;
    }
    *loaded = (loaded_t){.entities = calloc(1, sizeof(map_entities_t))};
    assert_non_null(loaded->entities);
    if (!BSP_Load(&loaded->map, path, &err) ||
        !MapEntities_Read(loaded->entities, &loaded->map, &err)) {
        fail_msg("%s: %s", name, err.text);
    }
    return true;
}

static void unload(loaded_t *loaded) {
    free(loaded->entities);
    CM_FreeMap(&loaded->map);
}

/// Calls `check` for every maps/*.map that is compiled; skips the test if none is.
static void for_each_map(void (*check)(const char *name, const loaded_t *loaded)) {
    glob_t found;
    assert_int_equal(glob("maps/*.map", 0, NULL, &found), 0);
    int32_t checked = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[64];
        const char *base = strrchr(found.gl_pathv[i], '/') + 1;
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
        loaded_t loaded;
        if (load(&loaded, name)) {
            check(name, &loaded);
            unload(&loaded);
            checked++;
        }
    }
    globfree(&found);
    if (checked == 0) {
        skip();
    }
    print_message("%d maps checked\n", checked);
}

/// Checks that a player at `origin` is free there and has ground within `depth` below.
static void check_place(const char *name, const loaded_t *loaded, const map_entity_t *entity,
                        float up, float depth) {
    vec3_t origin = {entity->origin.x, entity->origin.y, entity->origin.z + up};
    vec3_t below = {origin.x, origin.y, origin.z - depth};
    if (!Reach_IsFree(&loaded->map, loaded->entities, origin)) {
        fail_msg("%s: %s at %g %g %g is in something solid", name, entity->classname,
                 (double)entity->origin.x, (double)entity->origin.y, (double)entity->origin.z);
    }
    trace_t down = Reach_Trace(&loaded->map, loaded->entities, origin, below);
    if (down.fraction == 1.0f || down.plane.normal.z < 0.7f) {
        fail_msg("%s: %s at %g %g %g has no floor within %g", name, entity->classname,
                 (double)entity->origin.x, (double)entity->origin.y, (double)entity->origin.z,
                 (double)depth);
    }
}

static void check_spawns(const char *name, const loaded_t *loaded) {
    const map_entities_t *entities = loaded->entities;
    assert_int_equal(TestEntities_Count(entities, "info_player_start"), 1);
    if (TestEntities_Count(entities, "info_player_deathmatch") < 2) {
        fail_msg("%s: expected at least 2 info_player_deathmatch", name);
    }
    for (const map_entity_t *at = MapEntities_Next(entities, NULL, "info_player_"); at;
         at = MapEntities_Next(entities, at, "info_player_")) {
        check_place(name, loaded, at, 1.0f, 8.0f);
        for (const map_entity_t *other = MapEntities_Next(entities, at, "info_player_"); other;
             other = MapEntities_Next(entities, other, "info_player_")) {
            vec3_t apart = VectorSubtract(at->origin, other->origin);
            if (fabsf(apart.x) < 33.0f && fabsf(apart.y) < 33.0f && fabsf(apart.z) < 57.0f) {
                fail_msg("%s: two spawns in one place at %g %g %g", name, (double)at->origin.x,
                         (double)at->origin.y, (double)at->origin.z);
            }
        }
    }
}

static void test_spawns_are_free_and_on_ground(void **state) {
    (void)state;
    for_each_map(check_spawns);
}

static void check_teleporters(const char *name, const loaded_t *loaded) {
    const map_entities_t *entities = loaded->entities;
    for (const map_entity_t *at = MapEntities_Next(entities, NULL, "trigger_teleport"); at;
         at = MapEntities_Next(entities, at, "trigger_teleport")) {
        const map_entity_t *exit = MapEntities_Destination(entities, at->target);
        if (!exit) {
            fail_msg("%s: a trigger_teleport's target \"%s\" is no destination", name, at->target);
            return;
        }
        check_place(name, loaded, exit, 27.0f, 64.0f);
    }
    for (const map_entity_t *at = MapEntities_Next(entities, NULL, "trigger_"); at;
         at = MapEntities_Next(entities, at, "trigger_")) {
        bool is_point = strcmp(at->classname, "trigger_counter") == 0 ||
                        strcmp(at->classname, "trigger_relay") == 0;
        if (at->model == 0 && !is_point) {
            fail_msg("%s: a %s has no brushes", name, at->classname);
        }
    }
}

static void test_teleporters_lead_to_free_places(void **state) {
    (void)state;
    for_each_map(check_teleporters);
}

/// Prints the first places of a list.
static void print_places(const char *name, const char *what, const reach_t *reach,
                         const int32_t *list, int32_t count) {
    print_message("%s: %d %s\n", name, count, what);
    for (int32_t i = 0; i < Q_MinI(count, MAX_LISTED); i++) {
        const reach_place_t *place = &reach->places[list[i]];
        print_message("    %g %g %g%s\n", (double)place->origin.x, (double)place->origin.y,
                      (double)place->origin.z, place->kind == REACH_SWIM ? " (in the water)" : "");
    }
}

/// Every spawn is reached from the first, and the first from everywhere. Returns the number of
/// faults.
static int32_t count_faults(const char *name, const loaded_t *loaded) {
    reach_t reach;
    int32_t list[MAX_LISTED];
    if (!Reach_Explore(&reach, &loaded->map, loaded->entities)) {
        fail_msg("%s: %d places, %d edges: too many", name, reach.num_places, reach.num_edges);
    }
    assert_true(reach.num_spawns > 0);
    for (int32_t i = 0; i < reach.num_spawns; i++) {
        if (reach.spawns[i] < 0) {
            fail_msg("%s: a player at spawn %d never comes to rest", name, i);
        }
    }
    int32_t unreached = TestReach_Unreached(&reach, reach.spawns[0], list, MAX_LISTED);
    for (int32_t i = 0; i < Q_MinI(unreached, MAX_LISTED); i++) {
        const vec3_t at = reach.places[reach.spawns[list[i]]].origin;
        print_message("%s: spawn %d at %g %g %g is not reached from spawn 0\n", name, list[i],
                      (double)at.x, (double)at.y, (double)at.z);
    }
    int32_t dead_ends = TestReach_DeadEnds(&reach, reach.spawns[0], list, MAX_LISTED);
    if (dead_ends > 0) {
        print_places(name, "places without a path back to a spawn", &reach, list, dead_ends);
    }
    print_message("%s: %d places, %d edges, %d spawns\n", name, reach.num_places, reach.num_edges,
                  reach.num_spawns);
    assert_true(unreached >= 0);
    assert_true(dead_ends >= 0);
    Reach_Free(&reach);
    return unreached + dead_ends;
}

static void check_reach(const char *name, const loaded_t *loaded) {
    if (count_faults(name, loaded) != 0) {
        fail_msg("%s: not everything is connected", name);
    }
}

static void test_every_spawn_is_reached_from_everywhere(void **state) {
    (void)state;
    for_each_map(check_reach);
}

/// Removes all entities of a class from a loaded map.
static void take_out(loaded_t *loaded, const char *classname) {
    for (int32_t i = 0; i < loaded->entities->count; i++) {
        if (strcmp(loaded->entities->list[i].classname, classname) == 0) {
            loaded->entities->list[i].classname[0] = '\0';
        }
    }
}

static void test_a_map_without_its_way_out_is_caught(void **state) {
    (void)state;
    static const struct {
        const char *map, *classname;
    } cases[] = {
        {"teleport", "trigger_teleport"}, // separates two rooms
        {"push", "trigger_push"},         // no path up to the shelf
        {"hurt", "trigger_hurt"},         // the pit traps players that it does not kill
        {"arena", "trigger_teleport"},    // no path out of this pit either
    };
    int32_t checked = 0;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        loaded_t loaded;
        if (!load(&loaded, cases[i].map)) {
            continue;
        }
        checked++;
        print_message("%s without its %s: faults are expected\n", cases[i].map, cases[i].classname);
        take_out(&loaded, cases[i].classname);
        if (count_faults(cases[i].map, &loaded) == 0) {
            fail_msg("%s without its %s: expected dead ends, found none", cases[i].map,
                     cases[i].classname);
        }
        unload(&loaded);
    }
    if (checked == 0) {
        skip();
    }
}

/// Counts brushes of a .map source: braces at depth two.
static int32_t count_brushes(const char *path) {
    err_t err;
    size_t size = 0;
    uint8_t *text = File_Read(path, MAX_MAP_BYTES, &size, &err);
    if (!text) {
        fail_msg("%s", err.text);
        return 0;
    }
    int32_t depth = 0;
    int32_t count = 0;
    for (size_t i = 0; i < size; i++) {
        if ((i == 0 || text[i - 1] == '\n') && (text[i] == '{' || text[i] == '}')) {
            depth += text[i] == '{' ? 1 : -1;
            count += text[i] == '{' && depth == 2;
        }
    }
    free(text);
    return count;
}

static void test_arena_has_what_an_arena_needs(void **state) {
    (void)state;
    loaded_t loaded;
    if (!load(&loaded, "arena")) {
        skip();
        return;
    }
    static const struct {
        const char *prefix;
        int32_t least;
    } needs[] = {{"info_player_deathmatch", 8}, {"trigger_teleport", 2}, {"trigger_push", 2},
                 {"trigger_hurt", 1},           {"light", 16},           {"func_wall", 1},
                 {"func_illusionary", 1}};
    for (size_t i = 0; i < COUNTOF(needs); i++) {
        int32_t count = TestEntities_Count(loaded.entities, needs[i].prefix);
        if (count < needs[i].least) {
            fail_msg("arena: expected %d %s, found %d", needs[i].least, needs[i].prefix, count);
        }
    }
    int32_t brushes = count_brushes("maps/arena.map");
    print_message("arena: %d brushes\n", brushes);
    assert_true(brushes >= 150);

    reach_t reach;
    assert_true(Reach_Explore(&reach, &loaded.map, loaded.entities));
    static const float floors[] = {0.0f, 160.0f, 320.0f};
    for (size_t i = 0; i < COUNTOF(floors); i++) {
        int32_t places =
            TestReach_CountPlaces(&reach, REACH_STAND, floors[i] - 2.0f, floors[i] + 2.0f);
        print_message("arena: %d places on the floor at %g\n", places, (double)floors[i]);
        assert_true(places >= 800);
    }
    int32_t wet = TestReach_CountPlaces(&reach, REACH_SWIM, -200.0f, 0.0f);
    print_message("arena: %d places in the water\n", wet);
    assert_true(wet >= 200);
    Reach_Free(&reach);
    unload(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spawns_are_free_and_on_ground),
        cmocka_unit_test(test_teleporters_lead_to_free_places),
        cmocka_unit_test(test_every_spawn_is_reached_from_everywhere),
        cmocka_unit_test(test_a_map_without_its_way_out_is_caught),
        cmocka_unit_test(test_arena_has_what_an_arena_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
