// A match with monsters: sixteen players that run at the nearest monster, and monsters that fight
// back. No edict is quarantined, no player gets stuck or leaves the world, monsters kill and are
// killed.
//
// Players do not find paths around walls. So every few seconds each one is put beside a monster
// where there is room.

#include "lib/events_fixture.h"
#include "lib/match_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "world/link.h"
#include "world/move.h"

#include <string.h>

#define PUT_TICKS 250 // about 4 s

typedef struct {
    int32_t at_start, at_end; ///< living monsters
    int32_t killed, killers;  ///< killed monsters; players killed by monsters
    int32_t puts;
    int32_t stuck;           ///< ticks that monsters were inside something solid
    int32_t stuck_row[2048]; ///< ticks in a row, per monster
    int32_t stuck_longest;
    int32_t outside;
} outcome_t;

static bool is_monster(const edict_t *edict) {
    return edict->inuse && (edict->flags & FL_MONSTER) && edict->solid == SOLID_SLIDEBOX;
}

static int32_t count_monsters(const test_match_t *match) {
    int32_t count = 0;
    for (int32_t i = 1; i < match->world->num_edicts; i++) {
        count += is_monster(World_Edict(match->world, i));
    }
    return count;
}

static bool has_room(sv_context_t *sv, edict_t *player, vec3_t from, vec3_t to) {
    trace_t trace = sv->engine->trace(sv, from, player->mins, player->maxs, to, true, player);
    return !trace.startsolid && trace.fraction == 1.0f;
}

// Puts a player beside a monster, on any of eight sides.
static bool put_beside(sv_context_t *sv, edict_t *player, const edict_t *monster) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    for (int32_t i = 0; i < 9; i++) {
        vec3_t side = {(float)(i % 3 - 1) * 100.0f, (float)(i / 3 - 1) * 100.0f, 8.0f};
        vec3_t place = VectorAdd(monster->origin, side);
        trace_t seen = sv->engine->trace(sv, monster->origin, zero, zero, place, true, monster);
        if (i != 4 && seen.fraction == 1.0f && has_room(sv, player, place, place)) {
            sv->engine->teleport(sv, player, place, zero, zero);
            sv->engine->link(sv, player, true);
            return true;
        }
    }
    return false;
}

static void put_players(test_match_t *match, outcome_t *outcome) {
    sv_context_t sv = TestMatch_Context(match);
    for (int32_t slot = 0; slot < MATCH_PLAYERS; slot++) {
        edict_t *player = World_Edict(match->world, slot + 1);
        int32_t count = match->world->num_edicts;
        int32_t from = (int32_t)Rng_Below(&match->rng, (uint32_t)count);
        for (int32_t i = 0; Game_IsAlive(&sv, player) && i < count; i++) {
            const edict_t *monster = World_Edict(match->world, (from + i) % count);
            if (is_monster(monster) && put_beside(&sv, player, monster)) {
                outcome->puts++;
                break;
            }
        }
    }
}

static void note_events(const test_match_t *match, outcome_t *outcome) {
    static const char *const why[] = {"was bitten", "was fed to the fish", "was spat"};
    outcome->killed += TestEvents_Effects(match->world, match->events, "monster_death");
    for (int32_t i = 0; i < match->events->count; i++) {
        const event_t *event = &match->events->list[i];
        for (size_t w = 0; w < COUNTOF(why); w++) {
            outcome->killers += event->type == EVENT_PRINT && strstr(event->text, why[w]) != NULL;
        }
    }
}

static void look(test_match_t *match, outcome_t *outcome) {
    sv_context_t sv = TestMatch_Context(match);
    for (int32_t i = 1; i < match->world->num_edicts; i++) {
        edict_t *edict = World_Edict(match->world, i);
        bool lives = is_monster(edict) || (i <= MATCH_PLAYERS && edict->solid == SOLID_SLIDEBOX);
        bool stuck = lives && SV_TestEdictPosition(&sv, edict);
        outcome->stuck += stuck;
        outcome->stuck_row[i] = stuck ? outcome->stuck_row[i] + 1 : 0;
        outcome->stuck_longest = Q_MaxI(outcome->stuck_longest, outcome->stuck_row[i]);
        bounds_t box = match->map.models[0].bounds;
        outcome->outside += lives && !BoundsTouch(box, (bounds_t){edict->origin, edict->origin});
    }
}

static void play(const char *map, int32_t least_killed) {
    static outcome_t outcome;
    test_match_t match;
    outcome = (outcome_t){.at_start = 0};
    if (!TestMatch_Start(&match, &(test_match_config_t){.map = map, .monsters = true})) {
        skip();
    }
    outcome.at_start = count_monsters(&match);
    int32_t ticks = (Test_IsLong() ? 600000 : 24000) / MATCH_TICK_MS;
    for (int32_t t = 0; t < ticks; t++) {
        if (t % PUT_TICKS == PUT_TICKS - 1) {
            put_players(&match, &outcome);
        }
        TestMatch_Play(&match, 1);
        note_events(&match, &outcome);
        look(&match, &outcome);
    }
    outcome.at_end = count_monsters(&match);
    print_message("%s: %d monsters, %d left, %d seen dying; %d deaths of players, %d by monsters; "
                  "put %d times, in something %d ticks (%d in a row), outside %d\n",
                  match.map.name, outcome.at_start, outcome.at_end, outcome.killed,
                  TestMatch_Deaths(&match), outcome.killers, outcome.puts, outcome.stuck,
                  outcome.stuck_longest, outcome.outside);
    assert_int_equal(match.world->counters.quarantined, 0);
    assert_int_equal(outcome.outside, 0);
    assert_int_equal(outcome.stuck, 0);
    assert_true(outcome.at_start - outcome.at_end >= least_killed);
    assert_true(outcome.killed > 0);
    assert_true(outcome.killers > 0);
    TestMatch_Free(&match);
}

static void test_on_our_map(void **state) {
    (void)state;
    play("monsters", 3);
}

static void test_on_a_real_map(void **state) {
    (void)state;
    play("../shared/data/bsp/lq_e0m1.bsp", 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_our_map),
        cmocka_unit_test(test_on_a_real_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
