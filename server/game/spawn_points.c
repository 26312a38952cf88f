/// game/spawn_points.c - finds a free position at which a player can spawn.

#include "game/game.h"
#include "game/players.h"

#include <stdio.h>

#define MAX_SPAWN_POINTS MAX_CLIENTS
#define TEAM_COUNT       3 // none, red, blue
#define CLASS_COUNT      3
#define SPAWN_RINGS      6
#define SPAWN_RING_STEP  40.0f // qu; players are 32 wide
#define MAX_STUCK_LOGGED 8
#define WAITING_SPOTS    16   // spawn points that a waiting player tries
#define TESTS_A_TICK     4096 // positions that all players of a tick may test, 1 to 2 us each
#define TESTS_OF_A_LIST  16   // positions that could be tested while a list is collected

// Spawn point classes of each team; the first row also serves teams without spawn points.
static const char *const spawn_classes[TEAM_COUNT][CLASS_COUNT] = {
    {"info_player_deathmatch", "info_player_start", NULL},
    {"info_player_team1", "team_CTF_redspawn", "team_CTF_redplayer"},
    {"info_player_team2", "team_CTF_bluespawn", "team_CTF_blueplayer"}};

// Writes the numbers of the first MAX_SPAWN_POINTS edicts of a class to `list`. Returns the count
// of all edicts of the class, which may be higher.
static int32_t collect_spawns(sv_context_t *sv, const char *classname, int32_t *list) {
    int32_t count = 0;
    const edict_t *spot = NULL;
    while ((spot = sv->engine->find_class(sv, spot, classname)) != NULL) {
        if (count < MAX_SPAWN_POINTS) {
            list[count] = sv->engine->number(sv, spot);
        }
        count++;
    }
    return count;
}

// Finds a player's origin at a spawn point. Raises the origin out of a floor by the smallest free
// step. Returns false if no step is free.
static bool standing_place(sv_context_t *sv, const edict_t *spot, bounds_t box, vec3_t *place) {
    static const float raises[] = {1.0f, 5.0f, 9.0f, 18.0f}; // qu; at most a step
    bool fits = false;
    for (size_t i = 0; i < COUNTOF(raises) && !fits; i++) {
        vec3_t at = VectorAdd(spot->origin, Vector(0.0f, 0.0f, raises[i]));
        fits = !sv->engine->trace(sv, at, box.mins, box.maxs, at, false, spot).startsolid;
        *place = at;
    }
    return fits;
}

// Logs spawn points where a player would be in solid, at most MAX_STUCK_LOGGED. `before`: number
// logged by earlier calls. Returns the number of such points in the list.
static int32_t check_room(sv_context_t *sv, const int32_t *list, int32_t count, int32_t before) {
    bounds_t box = sv->engine->player_box(sv);
    int32_t stuck = 0;
    for (int32_t i = 0; i < count; i++) {
        const edict_t *spot = sv->engine->edict(sv, list[i]);
        vec3_t place;
        if (!standing_place(sv, spot, box, &place) && before + stuck++ < MAX_STUCK_LOGGED) {
            sv->engine->warn(sv, spot,
                             "something solid is in the player's box, so no player can "
                             "appear there");
        }
    }
    return stuck;
}

void Game_CheckSpawns(sv_context_t *sv) {
    int32_t list[MAX_SPAWN_POINTS];
    int32_t found[TEAM_COUNT] = {0};
    int32_t stuck = 0;
    for (int32_t at = 0; at < TEAM_COUNT * CLASS_COUNT; at++) {
        const char *name = spawn_classes[at / CLASS_COUNT][at % CLASS_COUNT];
        int32_t count = name ? collect_spawns(sv, name, list) : 0;
        found[at / CLASS_COUNT] += count;
        stuck += check_room(sv, list, Q_MinI(count, MAX_SPAWN_POINTS), stuck);
        if (count > MAX_SPAWN_POINTS) {
            char line[MAX_TEXT_BYTES];
            snprintf(line, sizeof line, "%d %s: a map can use at most %d; the others are ignored",
                     count, name, MAX_SPAWN_POINTS);
            sv->engine->log(sv, LOG_WARN, line);
        }
    }
    if (found[0] == 0) {
        sv->engine->log(sv, LOG_WARN,
                        "no info_player_start and no info_player_deathmatch: nobody can appear "
                        "on this map");
    }
}

// Takes tests from those of this tick. Returns false if they are used up: the player waits.
static bool take_tests(sv_context_t *sv, int32_t count) {
    game_vars_t *vars = Game_Vars(sv);
    if (vars->spawns_ms != sv->engine->time_ms(sv)) {
        vars->spawns_ms = sv->engine->time_ms(sv);
        vars->spawn_tests = 0;
    }
    vars->spawn_tests += vars->spawn_tests < TESTS_A_TICK ? count : 0;
    return vars->spawn_tests < TESTS_A_TICK;
}

// Returns true if the position is free, and nothing solid is between it and the spawn point. Far
// outside the map there are no brushes that stop a box, but the contents are solid.
static bool is_free(sv_context_t *sv, const edict_t *player, vec3_t from, vec3_t place) {
    if (!take_tests(sv, 1)) {
        return false;
    }
    trace_t way = sv->engine->trace(sv, from, player->mins, player->maxs, place, false, player);
    if (way.startsolid || way.fraction < 1.0f) {
        return false;
    }
    trace_t there = sv->engine->trace(sv, place, player->mins, player->maxs, place, true, player);
    return !there.startsolid && sv->engine->contents(sv, place) != CONTENTS_SOLID;
}

// Finds a position on rings `first` to `last` around a spawn point, so that many players can spawn
// at once.
static bool find_place_around(sv_context_t *sv, const edict_t *player, vec3_t spot, int32_t first,
                              int32_t last, vec3_t *place) {
    static const vec3_t around[8] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                     {1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}};
    for (int32_t ring = first; ring <= last; ring++) {
        for (size_t i = 0; i < COUNTOF(around); i++) {
            *place = VectorMA(spot, SPAWN_RING_STEP * (float)ring, around[i]);
            if (is_free(sv, player, spot, *place)) {
                return true;
            }
        }
    }
    return false;
}

bool Game_FindRoom(sv_context_t *sv, const edict_t *player, vec3_t *place) {
    static const float raises[] = {0.0f, 1.0f, 5.0f, 9.0f, 18.0f}; // qu; at most a step
    vec3_t wanted = *place;
    for (size_t i = 0; i < 2 * COUNTOF(raises); i++) {
        vec3_t at = VectorAdd(wanted, Vector(0.0f, 0.0f, raises[i % COUNTOF(raises)]));
        *place = at;
        if (i < COUNTOF(raises) ? is_free(sv, player, at, at)
                                : find_place_around(sv, player, at, 1, SPAWN_RINGS, place)) {
            return true;
        }
    }
    return false;
}

static int32_t collect_of_team(sv_context_t *sv, int32_t team, int32_t *list) {
    int32_t count = 0;
    for (int32_t i = 0; i < CLASS_COUNT && count == 0; i++) {
        const char *name = spawn_classes[Q_ClampI(team, 0, TEAM_COUNT - 1)][i];
        count = name ? collect_spawns(sv, name, list) : 0;
    }
    return Q_MinI(count, MAX_SPAWN_POINTS);
}

// Writes the spawn points of a team, or the common points if the team has none. Returns the number
// of points.
static int32_t collect_player_spawns(sv_context_t *sv, int32_t team, int32_t *list) {
    int32_t count = collect_of_team(sv, team, list);
    return count > 0 ? count : collect_of_team(sv, 0, list);
}

const edict_t *Game_AnySpawn(sv_context_t *sv) {
    int32_t list[MAX_SPAWN_POINTS];
    return collect_player_spawns(sv, 0, list) > 0 ? sv->engine->edict(sv, list[0]) : NULL;
}

// Tries free spawn points, from a random point on, then positions beside spawn points. To limit the
// cost, a waiting player tries few points, and one ring around one of them.
bool Game_FindSpawn(sv_context_t *sv, const edict_t *player, int32_t team, bool waits,
                    vec3_t *place, vec3_t *angles) {
    int32_t list[MAX_SPAWN_POINTS];
    int32_t count = take_tests(sv, TESTS_OF_A_LIST) ? collect_player_spawns(sv, team, list) : 0;
    if (count == 0) {
        return false;
    }
    int32_t first = Q_ToInt(sv->engine->random(sv) * (float)count, 0, count - 1);
    int32_t spots = waits ? Q_MinI(count, WAITING_SPOTS) : count;
    int32_t tries = spots + (waits ? 1 : count);
    int32_t ring = waits ? 1 + (int32_t)(sv->engine->time_ms(sv) / 16 % SPAWN_RINGS) : 1;
    for (int32_t i = 0; i < tries; i++) {
        const edict_t *spot = sv->engine->edict(sv, list[(first + i) % count]);
        vec3_t raised;
        if (!standing_place(sv, spot, (bounds_t){player->mins, player->maxs}, &raised)) {
            continue;
        }
        *angles = Vector(0.0f, spot->angles.y, 0.0f);
        *place = raised;
        if (i < spots
                ? is_free(sv, player, raised, raised)
                : find_place_around(sv, player, raised, ring, waits ? ring : SPAWN_RINGS, place)) {
            return true;
        }
    }
    return false;
}
