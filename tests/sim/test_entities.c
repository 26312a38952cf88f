// Every map, with the reference game on it. Sixteen players visit every door, lift, button, train,
// trigger, teleporter and other entity that can be activated, each from a fresh start of the map.
// No edict is quarantined. No player gets stuck or leaves the world. Every pusher moves and returns
// as its keys say. Every teleporter and pad takes effect. Every target is fired.
//
// A visit takes two simulated seconds with players, then the time the entity needs to return
// without them. Targets with a delay of more than half a minute are skipped. EDICTD_LONG=1: a
// minute with players, and every delay.

#include "lib/testing.h"
#include "lib/visit_fixture.h"

#include "core/core_local.h"

#include <glob.h>
#include <math.h>
#include <string.h>

#define MOST_MS      180000 // longest time without players, until it has returned
#define MOST_DELAY_S 30.0f  // longest delay of a target, except with EDICTD_LONG
#define MOVED        1.0f   // qu or degrees
#define PASSES       8.0f
#define DOOR_TOGGLE  32
#define OPEN_ONCE    1

/// The visited edict, as it was before.
typedef struct {
    test_visit_t *visit;
    edict_t before;
    fields_t keys;
    int32_t number;
    const char *classname;
    float moved;   ///< largest distance moved, qu + degrees
    bool was_back; ///< it moved and has been at its start since
    int32_t here;  ///< number of players placed
    int32_t *faults;
} station_t;

typedef struct {
    int32_t maps, stations, pushers, links, teleports, triggers, empty, unwaited, faults;
    int64_t ticks, player_ticks, places, deaths, crowded, unstuck;
} totals_t;

static edict_t *edict_of(const station_t *station) {
    edict_t *edict = World_Edict(station->visit->world, station->number);
    return edict->generation == station->before.generation && edict->inuse ? edict : NULL;
}

static bool is_class(const station_t *station, const char *prefix) {
    return strncmp(station->classname, prefix, strlen(prefix)) == 0;
}

static const char *text_of(const station_t *station, int32_t id) {
    return World_Text(station->visit->world, id);
}

static void note_fault(const station_t *station, const char *what) {
    ++*station->faults;
    print_message("FAULT: %s: %s %d (targetname \"%s\", target \"%s\", %d players): %s\n",
                  station->visit->map.name, station->classname, station->number,
                  text_of(station, station->before.targetname),
                  text_of(station, station->before.target), station->here, what);
}

// ---- activation ----

static float how_far(const edict_t *edict, const edict_t *from) {
    return VectorLength(VectorSubtract(edict->origin, from->origin)) +
           VectorLength(VectorSubtract(edict->angles, from->angles));
}

static void watch(station_t *station) {
    const edict_t *edict = edict_of(station);
    if (edict) {
        float moved = how_far(edict, &station->before);
        station->moved = fmaxf(station->moved, moved);
        // A train passes its first corner between two ticks.
        bool is_train = strstr(station->classname, "train") != NULL;
        station->was_back |= is_train ? station->moved > 4.0f * PASSES && moved < PASSES
                                      : station->moved > MOVED && moved < 0.1f;
    }
}

static void tick(station_t *station) {
    TestVisit_Tick(station->visit);
    watch(station);
}

// Shoots or fires an edict that touch does not activate.
static void set_off(station_t *station) {
    test_visit_t *visit = station->visit;
    sv_context_t sv = TestVisit_Context(visit);
    edict_t *edict = edict_of(station);
    edict_t *player = visit->here > 0 ? World_Edict(visit->world, 1) : NULL;
    if (!edict) {
        return;
    }
    if (Game_Fields(edict)->max_health > 0) {
        Game_Damage(&sv, edict, player, Game_Fields(edict)->max_health, "was in the way");
        return;
    }
    bool by_touch = edict->touch != 0 && !edict->targetname;
    bool has_field = is_class(station, "func_door") || is_class(station, "func_plat");
    bool goes = edict->motion.kind == MOTION_SPIN || edict->motion.kind == MOTION_SWING;
    bool train = is_class(station, "func_train") && !edict->targetname;
    if (by_touch || goes || train || (has_field && !edict->targetname)) {
        return;
    }
    if (is_class(station, "momentary_door")) { // follows its valve
        edict = sv.engine->find_class(&sv, NULL, "momentary_rot_button");
        assert_non_null(edict);
    }
    int32_t times = is_class(station, "trigger_counter") ? Game_Fields(edict)->count : 1;
    for (int32_t i = 0; i < times; i++) {
        sv.engine->use(&sv, edict, player ? player : edict, player);
    }
}

static int64_t ms(const station_t *station) {
    return station->visit->world->time_ms;
}

// ---- checks ----

static bool is_glued(const edict_t *edict) {
    return edict->motion.parent != 0;
}

static bool is_at(const edict_t *edict, vec3_t origin, vec3_t angles) {
    return VectorLength(VectorSubtract(edict->origin, origin)) < 0.1f &&
           VectorLength(VectorSubtract(edict->angles, angles)) < 0.1f;
}

static bool stays_open(const station_t *station) {
    const fields_t *keys = &station->keys;
    bool secret = is_class(station, "func_door_secret");
    bool toggles = is_class(station, "func_door") && !secret && (keys->spawnflags & DOOR_TOGGLE);
    return keys->wait < 0.0f || toggles || (secret && (keys->spawnflags & OPEN_ONCE));
}

// Returns true if a train passes its first corner again without being fired: the corner's
// predecessors lead back to a passed corner, and none of them stops the train for good.
static bool goes_round(const station_t *station) {
    const test_visit_t *visit = station->visit;
    const edict_t *first =
        TestVisit_Named(visit, World_Edict(visit->fresh, station->number)->target);
    const edict_t *at = first;
    for (int32_t i = 0; at && i < 64; i++) {
        const fields_t *keys = (const fields_t *)(const void *)at->game;
        at = TestVisit_Named(visit, at->target);
        if (keys->wait < 0.0f || !at) {
            return false;
        }
        if (at == first) {
            return true;
        }
    }
    return false;
}

// Returns true if the pusher is at its final position.
static bool has_come_back(const station_t *station) {
    const edict_t *edict = edict_of(station);
    const fields_t *keys = &station->keys;
    if (!edict || edict->movetype != MOVETYPE_PUSH || is_glued(edict)) {
        return true;
    }
    if (is_class(station, "func_door_secret")) {
        vec3_t end = stays_open(station) ? keys->velocity : keys->pos1;
        return is_at(edict, end, keys->turn1);
    }
    if (is_class(station, "func_door") || is_class(station, "func_water") ||
        is_class(station, "func_button")) {
        bool at_start = is_at(edict, keys->pos1, keys->turn1);
        bool at_end =
            is_at(edict, keys->pos2, is_class(station, "func_button") ? keys->turn1 : keys->turn2);
        return stays_open(station) ? at_end || (at_start && station->was_back) : at_start;
    }
    if (is_class(station, "func_plat")) {
        return is_at(edict, keys->pos1, keys->turn1);
    }
    if (is_class(station, "func_train") || is_class(station, "misc_teleporttrain")) {
        return station->was_back || (!goes_round(station) && station->moved > MOVED);
    }
    return !is_class(station, "func_pendulum") || station->was_back;
}

// Returns true if it moves there and back within one tick, so that no move is visible.
static bool is_short(const station_t *station) {
    const fields_t *keys = &station->keys;
    float distance = VectorLength(VectorSubtract(keys->pos2, keys->pos1));
    return is_class(station, "func_button") && keys->wait >= 0.0f &&
           2.0f * distance / keys->speed + keys->wait < 0.002f * (float)VISIT_TICK_MS;
}

static void check_pusher(const station_t *station) {
    char text[128];
    if (!(station->moved > MOVED) && !is_short(station)) {
        snprintf(text, sizeof text, "expected that it moves, it did by %g, blocked %d times",
                 (double)station->moved, station->visit->blocked[station->number]);
        note_fault(station, text);
    }
    if (!has_come_back(station)) {
        const edict_t *edict = edict_of(station);
        snprintf(text, sizeof text, "it stays at %g %g %g, state %d", (double)edict->origin.x,
                 (double)edict->origin.y, (double)edict->origin.z,
                 ((const fields_t *)(const void *)edict->game)->state);
        note_fault(station, text);
    }
}

static bool fires(const station_t *station) {
    static const char *const others[] = {
        "path_corner",        "path_track",       "func_train",  "func_tracktrain",
        "misc_teleporttrain", "trigger_teleport", "trigger_push"};
    for (size_t i = 0; i < COUNTOF(others); i++) {
        if (is_class(station, others[i])) {
            return false;
        }
    }
    return station->before.target != 0;
}

// Checks that every edict named by its target was used.
static int32_t check_targets(const station_t *station) {
    const test_visit_t *visit = station->visit;
    int32_t links = 0;
    for (int32_t i = 1; fires(station) && i < visit->fresh->num_edicts; i++) {
        const edict_t *target = World_Edict(visit->fresh, i);
        if (!target->inuse || target->targetname != station->before.target || target->use == 0 ||
            i == station->number) {
            continue;
        }
        if (visit->used[i] == 0) {
            char text[128];
            snprintf(text, sizeof text, "expected that it fires %s %d",
                     World_Text(visit->fresh, target->classname), i);
            note_fault(station, text);
        }
        links++;
    }
    return links;
}

static int32_t check_killed(const station_t *station) {
    const test_visit_t *visit = station->visit;
    const char *name = World_Text(visit->fresh, station->keys.killtarget);
    int32_t links = 0;
    for (int32_t i = 1; name[0] && i < visit->fresh->num_edicts; i++) {
        const edict_t *target = World_Edict(visit->fresh, i);
        if (target->inuse && strcmp(World_Text(visit->fresh, target->targetname), name) == 0) {
            const edict_t *now = World_Edict(visit->world, i);
            if (now->inuse && now->generation == target->generation) {
                note_fault(station, "expected that it kills what killtarget names");
            }
            links++;
        }
    }
    return links;
}

static void check_other(const station_t *station) {
    const test_visit_t *visit = station->visit;
    const edict_t *before = &station->before;
    bool was_set_off = visit->touched[station->number] > 0 || visit->used[station->number] > 0;
    if (before->touch != 0 && !was_set_off) {
        note_fault(station, "expected that something touches it, nothing did");
    }
    if (is_class(station, "trigger_teleport") && station->here > 0 && visit->teleported == 0) {
        note_fault(station, "expected that it teleports somebody, it did not");
    }
    if (is_class(station, "func_breakable") && edict_of(station)) {
        note_fault(station, "expected that it breaks, it did not");
    }
    if ((before->flags & FL_PUSHABLE) && station->here > 0 && !(station->moved > MOVED)) {
        note_fault(station, "expected that it can be pushed, it was not moved");
    }
}

static void check_visit(const station_t *station) {
    const test_visit_t *visit = station->visit;
    if (visit->quarantined != 0) {
        note_fault(station, "something was quarantined");
    }
    if (visit->stuck != 0 || visit->outside != 0) {
        note_fault(station, visit->fault);
    }
}

// ---- a visit ----

// Returns true for what a player sets off by being there. The train of controls is one of its own.
static bool is_station(const edict_t *edict) {
    return edict->inuse && !(edict->flags & FL_ITEM) && !Contents_IsControls(edict->contents) &&
           (edict->use != 0 || edict->touch != 0 || edict->movetype == MOVETYPE_PUSH ||
            edict->contents != 0 || (edict->flags & FL_PUSHABLE));
}

static bounds_t box_of(const edict_t *edict) {
    bounds_t box = {edict->absmin, edict->absmax};
    if (box.maxs.x - box.mins.x < 1.0f) { // a point: not linked
        box = (bounds_t){edict->origin, edict->origin};
    }
    return box;
}

static void start_visit(station_t *station, test_visit_t *visit, int32_t number, int32_t *faults) {
    TestVisit_Reset(visit);
    const edict_t *edict = World_Edict(visit->world, number);
    bounds_t box = box_of(edict);
    TestVisit_Arrive(visit, box);
    *station = (station_t){.visit = visit,
                           .before = *World_Edict(visit->world, number),
                           .number = number,
                           .here = visit->here,
                           .faults = faults,
                           .classname = World_Text(visit->fresh, edict->classname)};
    memcpy(&station->keys, station->before.game, sizeof station->keys);
}

// A train jumps to its first corner in its first tick; measure from there.
static void settle(station_t *station) {
    for (int32_t i = 0; i < 9; i++) {
        TestVisit_Tick(station->visit);
    }
    const edict_t *edict = edict_of(station);
    if (edict && strstr(station->classname, "train")) {
        station->visit->box = box_of(edict);
        station->before = *edict;
    }
}

// Throws a small object in, if no player fits.
static void throw_in(station_t *station) {
    test_visit_t *visit = station->visit;
    bounds_t box = box_of(&station->before);
    if (station->before.solid != SOLID_TRIGGER || station->before.targetname ||
        TestVisit_HasRoom(visit, box)) {
        return;
    }
    sv_context_t sv = TestVisit_Context(visit);
    edict_t *pebble = sv.engine->spawn(&sv);
    assert_non_null(pebble);
    pebble->movetype = MOVETYPE_BOUNCE;
    pebble->solid = SOLID_BBOX;
    pebble->origin = VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
    sv.engine->link(&sv, pebble, true);
}

static void visit_station(test_visit_t *visit, int32_t number, totals_t *totals) {
    station_t station;
    start_visit(&station, visit, number, &totals->faults);
    settle(&station);
    set_off(&station);
    throw_in(&station);
    int64_t until = ms(&station) + (Test_IsLong() ? 60000 : Test_IsSlow() ? 1000 : 2000);
    while (ms(&station) < until) {
        tick(&station);
    }
    totals->empty += visit->here == 0 ? 1 : 0;
    TestVisit_Leave(visit);
    bool is_pusher = station.before.movetype == MOVETYPE_PUSH;
    bool waits = station.keys.delay <= MOST_DELAY_S || Test_IsLong();
    until = ms(&station) + 500 + (waits ? (int64_t)(station.keys.delay * 1000.0f) : 0);
    int64_t last = ms(&station) + MOST_MS;
    while (ms(&station) < until || (is_pusher && !has_come_back(&station) && ms(&station) < last)) {
        tick(&station);
    }
    check_visit(&station);
    if (is_pusher) {
        check_pusher(&station);
        totals->pushers++;
    } else {
        check_other(&station);
        totals->teleports += is_class(&station, "trigger_teleport") ? 1 : 0;
        totals->triggers++;
    }
    if (waits) {
        totals->links += check_targets(&station) + check_killed(&station);
    }
    totals->unwaited += waits ? 0 : 1;
    totals->stations++;
}

static void add_counts(totals_t *totals, const test_visit_t *visit) {
    totals->ticks += visit->ticks;
    totals->player_ticks += visit->player_ticks;
    totals->places += visit->places;
    totals->deaths += visit->deaths;
    totals->crowded += visit->crowded;
    totals->unstuck += visit->unstuck;
}

static void print_totals(const char *name, const totals_t *totals) {
    print_message("%s: %d visits (%d pushers, %d others, %d teleporters), %d targets fired or "
                  "killed, %lld ticks, %lld of players, %lld times put there, %lld deaths, %lld "
                  "ticks crowded, %lld unstuck, %d without room, %d with longer delays\n",
                  name, totals->stations, totals->pushers, totals->triggers, totals->teleports,
                  totals->links, (long long)totals->ticks, (long long)totals->player_ticks,
                  (long long)totals->places, (long long)totals->deaths, (long long)totals->crowded,
                  (long long)totals->unstuck, totals->empty, totals->unwaited);
}

static void sum(totals_t *all, const totals_t *one) {
    all->maps++;
    all->stations += one->stations;
    all->pushers += one->pushers;
    all->triggers += one->triggers;
    all->teleports += one->teleports;
    all->links += one->links;
    all->empty += one->empty;
    all->unwaited += one->unwaited;
    all->faults += one->faults;
    all->ticks += one->ticks;
    all->player_ticks += one->player_ticks;
    all->places += one->places;
    all->deaths += one->deaths;
    all->crowded += one->crowded;
    all->unstuck += one->unstuck;
}

static void visit_map(const char *path, totals_t *all) {
    static test_visit_t visit;
    totals_t totals = {0};
    err_t err;
    if (!TestVisit_Load(&visit, path, &err)) {
        print_message("%s: not a map for us: %s\n", path, err.text);
        return;
    }
    for (int32_t i = visit.world->max_clients + 1; i < visit.fresh->num_edicts; i++) {
        if (is_station(World_Edict(visit.fresh, i))) {
            visit_station(&visit, i, &totals);
        }
    }
    add_counts(&totals, &visit);
    print_totals(visit.map.name, &totals);
    sum(all, &totals);
    TestVisit_Free(&visit);
}

static int32_t visit_all(const char *pattern, totals_t *totals) {
    glob_t found;
    int32_t count = 0;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            visit_map(found.gl_pathv[i], totals);
            count++;
        }
        globfree(&found);
    }
    return count;
}

static void test_players_use_everything(void **state) {
    (void)state;
    totals_t totals = {0};
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s/maps/*.bsp", Test_BuildFolder());
    if (visit_all(pattern, &totals) == 0) {
        print_message("SKIPPED: no compiled maps of ours (make maps)\n");
    }
    if (visit_all("../shared/data/bsp/*.bsp", &totals) == 0) {
        print_message("SKIPPED: no maps in ../shared/data/bsp\n");
    }
    print_totals("all maps", &totals);
    assert_int_equal(totals.faults, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_players_use_everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
