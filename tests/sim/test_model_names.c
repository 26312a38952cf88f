// Everything that the reference game shows has a class, and a model that clients can draw, on every
// project map and in a match with monsters.

#include "core/core_local.h"
#include "game/players.h"
#include "lib/match_fixture.h"
#include "lib/testing.h"

#include <glob.h>
#include <string.h>

#define MAX_SEEN    256
#define MATCH_TICKS 1250 // 20 s

typedef struct {
    const test_match_t *match;
    int32_t models[MAX_SEEN], classes[MAX_SEEN]; // string ids
    int32_t num_models, num_classes;
} seen_t;

static void note(int32_t list[MAX_SEEN], int32_t *count, int32_t id) {
    for (int32_t i = 0; i < *count; i++) {
        if (list[i] == id) {
            return;
        }
    }
    assert_true(*count < MAX_SEEN);
    list[(*count)++] = id;
}

static void check(seen_t *seen) {
    const world_t *world = seen->match->world;
    for (int32_t i = 1; i < world->num_edicts; i++) {
        const edict_t *edict = World_Edict(world, i);
        if (!World_IsLive(edict) || edict->visibility == VISIBLE_NOBODY) {
            continue;
        }
        const char *name = World_Text(world, edict->classname);
        if (!Names_IsValid(name) || (edict->model == 0 && edict->modelindex == 0)) {
            fail_msg("edict %d of class \"%s\" has no model or class", i, name);
        }
        note(seen->classes, &seen->num_classes, edict->classname);
        if (edict->modelindex > 0) {
            assert_true(edict->modelindex <= world->name_counts[NAMES_MODELS]);
            note(seen->models, &seen->num_models, world->name_ids[NAMES_MODELS][edict->modelindex]);
        }
    }
}

static bool has_seen(const seen_t *seen, const int32_t list[MAX_SEEN], int32_t count,
                     const char *name) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(World_Text(seen->match->world, list[i]), name) == 0) {
            return true;
        }
    }
    return false;
}

// Arms every player with one weapon after another.
static void arm(test_match_t *match, int32_t weapon) {
    for (int32_t slot = 0; slot < MATCH_PLAYERS; slot++) {
        player_fields_t *fields = Game_PlayerFields(World_Client(match->world, slot));
        fields->weapons = (1 << WEAPON_COUNT) - 1;
        fields->weapon = weapon;
        for (int32_t i = 0; i < AMMO_COUNT; i++) {
            fields->ammo[i] = 100;
        }
    }
}

typedef struct {
    test_match_config_t config;
    const char *models[12], *classes[12]; ///< all of them are seen
} play_t;

static const play_t plays[] = {
    {.config = {.gametype = 1},
     .models = {"players/player", "corpses/player", "missiles/rocket", "missiles/nail",
                "missiles/grenade", "items/backpack", "flags/red", "flags/blue", "items/quad",
                "items/health", "weapons/nailgun"},
     .classes = {"player", "rocket", "nail", "grenade", "item_backpack", "ctf_flag", "item_health",
                 "item_artifact_super_damage", "weapon_nailgun"}},
    {.config = {.map = "monsters", .monsters = true},
     .models = {"monsters/dog", "monsters/wizard", "corpses/dog"},
     .classes = {"monster_dog", "monster_wizard", "monster_fish"}}};

static void kill_monsters(test_match_t *match) {
    sv_context_t sv = TestMatch_Context(match);
    for (int32_t i = 1; i < match->world->num_edicts; i++) {
        edict_t *edict = World_Edict(match->world, i);
        if (World_IsLive(edict) && (edict->flags & FL_MONSTER)) {
            Game_HurtMonster(&sv, edict, NULL, Game_Fields(edict)->health);
        }
    }
}

static void test_matches(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNTOF(plays); n++) {
        test_match_t match;
        seen_t seen = {.match = &match};
        if (!TestMatch_Start(&match, &plays[n].config)) {
            skip();
        }
        for (int32_t tick = 0; tick < MATCH_TICKS; tick++) {
            if (tick % 50 == 0) {
                arm(&match, WEAPON_NAILGUN + tick / 50 % (WEAPON_LIGHTNING - WEAPON_NAILGUN));
            }
            if (tick == 100) {
                kill_monsters(&match);
            }
            TestMatch_Play(&match, 1);
            check(&seen);
        }
        for (const char *const *name = plays[n].models; *name; name++) {
            if (!has_seen(&seen, seen.models, seen.num_models, *name)) {
                fail_msg("no edict had the model %s", *name);
            }
        }
        for (const char *const *name = plays[n].classes; *name; name++) {
            if (!has_seen(&seen, seen.classes, seen.num_classes, *name)) {
                fail_msg("no edict had the class %s", *name);
            }
        }
        assert_int_equal(match.world->counters.names_refused, 0);
        TestMatch_Free(&match);
    }
}

static void test_every_map(void **state) {
    (void)state;
    glob_t found;
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s/maps/*.bsp", Test_BuildFolder());
    if (glob(pattern, 0, NULL, &found) != 0) {
        skip();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        test_match_t match;
        seen_t seen = {.match = &match};
        const test_match_config_t config = {.map = found.gl_pathv[i], .monsters = true};
        assert_true(TestMatch_Start(&match, &config));
        for (int32_t tick = 0; tick < 200; tick++) {
            TestMatch_Play(&match, 1);
            check(&seen);
        }
        TestMatch_Free(&match);
    }
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_every_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
