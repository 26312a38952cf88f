/// game/spawn_points.c - where a player may appear: a free place, never in somebody else.
//
// Floor:   game.

#include "game/game.h"

#define MAX_SPAWN_POINTS 256
#define SPAWN_RINGS      6
#define SPAWN_RING_STEP  40.0f // qu; players are 32 wide

static int32_t collect_spawns(sv_context_t *sv, const char *classname, int32_t *list) {
    int32_t count = 0;
    const edict_t *spot = NULL;
    while (count < MAX_SPAWN_POINTS &&
           (spot = sv->engine->find_class(sv, spot, classname)) != NULL) {
        list[count++] = sv->engine->number(sv, spot);
    }
    return count;
}

// Free: nothing solid there, and nothing solid between it and the spawn point itself.
static bool is_free(sv_context_t *sv, const edict_t *player, vec3_t from, vec3_t place) {
    trace_t way = sv->engine->trace(sv, from, player->mins, player->maxs, place, false, player);
    if (way.startsolid || way.fraction < 1.0f) {
        return false;
    }
    trace_t there = sv->engine->trace(sv, place, player->mins, player->maxs, place, true, player);
    return !there.startsolid;
}

// A place on a ring around a spawn point, so that a crowd that joins at once fits.
static bool find_place_around(sv_context_t *sv, const edict_t *player, vec3_t spot, vec3_t *place) {
    static const vec3_t around[8] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                     {1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}};
    for (int32_t ring = 1; ring <= SPAWN_RINGS; ring++) {
        for (size_t i = 0; i < COUNTOF(around); i++) {
            *place = VectorMA(spot, SPAWN_RING_STEP * (float)ring, around[i]);
            if (is_free(sv, player, spot, *place)) {
                return true;
            }
        }
    }
    return false;
}

// The spawn points of a team, else those for everybody: their number.
static int32_t collect_player_spawns(sv_context_t *sv, int32_t team, int32_t *list) {
    static const char *const of_team[3][3] = {
        {NULL, NULL, NULL},
        {"info_player_team1", "team_CTF_redspawn", "team_CTF_redplayer"},
        {"info_player_team2", "team_CTF_bluespawn", "team_CTF_blueplayer"}};
    for (size_t i = 0; team > 0 && i < COUNTOF(of_team[0]); i++) {
        int32_t found = collect_spawns(sv, of_team[team][i], list);
        if (found > 0) {
            return found;
        }
    }
    int32_t count = collect_spawns(sv, "info_player_deathmatch", list);
    return count > 0 ? count : collect_spawns(sv, "info_player_start", list);
}

const edict_t *Game_AnySpawn(sv_context_t *sv) {
    int32_t list[MAX_SPAWN_POINTS];
    return collect_player_spawns(sv, 0, list) > 0 ? sv->engine->edict(sv, list[0]) : NULL;
}

// A spawn point that nobody stands on, from a random one on; only then a place beside one. Who
// waits already looks beside one point at a time: a crowd on a full map must not stop the server.
bool Game_FindSpawn(sv_context_t *sv, const edict_t *player, int32_t team, bool waits,
                    vec3_t *place, vec3_t *angles) {
    int32_t list[MAX_SPAWN_POINTS];
    int32_t count = collect_player_spawns(sv, team, list);
    if (count == 0) {
        return false;
    }
    int32_t first = Q_ToInt(sv->engine->random(sv) * (float)count, 0, count - 1);
    int32_t tries = count + (waits ? 1 : count);
    for (int32_t i = 0; i < tries; i++) {
        const edict_t *spot = sv->engine->edict(sv, list[(first + i) % count]);
        vec3_t raised = VectorAdd(spot->origin, Vector(0.0f, 0.0f, 1.0f));
        *angles = Vector(0.0f, spot->angles.y, 0.0f);
        *place = raised;
        if (i < count ? is_free(sv, player, raised, raised)
                      : find_place_around(sv, player, raised, place)) {
            return true;
        }
    }
    return false;
}
