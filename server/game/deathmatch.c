/// game/deathmatch.c - scores, limits, the end of a match, the next map; players and spectators.
//
// The next map comes from sv_maplist. If sv_maplist is empty, a trigger_changelevel of this map
// names the next map. Without a trigger, this map starts again.

#include "game/game.h"
#include "game/match.h"
#include "game/players.h"
#include "game/vehicles.h"

#include <stdio.h>
#include <string.h>

#define END_MS     8000 // time for which the scores are shown
#define RETRY_MS   2000
#define MS_PER_MIN 60000.0f

bool Game_HasTeams(sv_context_t *sv) {
    return Game_IsCtf(sv) || Game_Vars(sv)->teamplay != 0;
}

bool Game_AreFriends(sv_context_t *sv, const client_t *a, const client_t *b) {
    const player_fields_t *one = (const player_fields_t *)(const void *)a->game;
    const player_fields_t *two = (const player_fields_t *)(const void *)b->game;
    return a != b && one->team != 0 && one->team == two->team && Game_HasTeams(sv);
}

void Game_Score(sv_context_t *sv, client_t *victim, client_t *killer) {
    Game_PlayerFields(victim)->deaths++;
    bool earned = killer && killer != victim && !Game_AreFriends(sv, victim, killer);
    if (earned) {
        Game_PlayerFields(killer)->frags++;
    } else {
        Game_PlayerFields(killer ? killer : victim)->frags--;
    }
}

// ---- end of a match ----

void Game_Freeze(sv_context_t *sv, edict_t *player, client_t *client) {
    const edict_t *spot = sv->engine->find_class(sv, NULL, "info_intermission");
    if (!spot) {
        spot = sv->engine->find_class(sv, NULL, "info_player_intermission");
    }
    if (client->spectator) {
        return;
    }
    Game_LeaveVehicle(sv, player, client, true);
    player->solid = SOLID_NOT;
    player->visibility = VISIBLE_NOBODY;
    sv->engine->next_think(sv, player, 0);
    sv->engine->set_pm_type(sv, player, PM_FROZEN);
    if (spot) {
        sv->engine->teleport(sv, player, spot->origin, spot->angles, vec3_zero);
    }
    sv->engine->link(sv, player, false);
}

static void show_scores(sv_context_t *sv, int32_t to) {
    char line[MAX_TEXT_BYTES];
    client_t *client = NULL;
    if (Game_IsCtf(sv)) {
        snprintf(line, sizeof line, "red %d, blue %d", Game_Vars(sv)->captures[1],
                 Game_Vars(sv)->captures[2]);
        sv->engine->print(sv, to, line);
    }
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        if (!client->spectator) {
            const player_fields_t *fields = Game_PlayerFields(client);
            snprintf(line, sizeof line, "%s: %d frags, %d deaths", client->name, fields->frags,
                     fields->deaths);
            sv->engine->print(sv, to, line);
        }
    }
}

// Returns the player with the most frags, or NULL. Sets *players to the number of players.
static edict_t *find_best(sv_context_t *sv, int32_t *players) {
    edict_t *best = NULL;
    client_t *client = NULL;
    int32_t best_frags = 0;
    *players = 0;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        if (!client->spectator) {
            ++*players;
            if (!best || Game_PlayerFields(client)->frags > best_frags) {
                best = sv->engine->player(sv, client);
                best_frags = Game_PlayerFields(client)->frags;
            }
        }
    }
    return best;
}

static int32_t frags_of(sv_context_t *sv, const edict_t *player) {
    return player ? Game_PlayerFields(sv->engine->client(sv, player))->frags : 0;
}

// Logs the reason for the end of the match, and the best player.
static void log_end(sv_context_t *sv, const char *why) {
    int32_t players;
    const edict_t *best = find_best(sv, &players);
    const log_field_t fields[] = {{.key = "reason", .text = why},
                                  {.key = "players", .number = players},
                                  {.key = "frags", .number = frags_of(sv, best)},
                                  {.key = "red", .number = Game_Vars(sv)->captures[1]},
                                  {.key = "blue", .number = Game_Vars(sv)->captures[2]}};
    sv->engine->log_event(sv, "match_end", best, fields, Game_IsCtf(sv) ? 5 : 3);
}

static void end_match(sv_context_t *sv, const char *why) {
    client_t *client = NULL;
    Game_Vars(sv)->end_ms = sv->engine->time_ms(sv) + END_MS;
    sv->engine->print(sv, EVENT_TO_ALL, why);
    show_scores(sv, EVENT_TO_ALL);
    log_end(sv, why);
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        Game_Freeze(sv, sv->engine->player(sv, client), client);
    }
}

static void leave_map(sv_context_t *sv) {
    edict_t *exit = sv->engine->find_class(sv, NULL, "trigger_changelevel");
    const char *next = exit ? sv->engine->text(sv, Game_Fields(exit)->map) : "";
    // If the next map cannot be loaded, this map continues, and the next attempt restarts it.
    bool again = Game_Vars(sv)->tried_next != 0;
    Game_Vars(sv)->tried_next = 1;
    Game_Vars(sv)->end_ms = sv->engine->time_ms(sv) + RETRY_MS;
    sv->engine->next_map(sv, again ? "" : next);
}

static const char *mode_of(sv_context_t *sv) {
    return Game_IsCtf(sv)      ? "capture the flag"
           : Game_HasTeams(sv) ? "team deathmatch"
                               : "deathmatch";
}

// Returns the time limit in ms; 0 if there is none.
static int64_t limit_ms(sv_context_t *sv) {
    return Q_ToInt(Game_Vars(sv)->timelimit * MS_PER_MIN, 0, 600000000);
}

// Returns the seconds until the time limit, rounded up; 0 if it has passed or there is none.
static int32_t seconds_left(sv_context_t *sv) {
    int64_t left_ms = limit_ms(sv) - sv->engine->time_ms(sv);
    return left_ms > 0 ? (int32_t)((left_ms + 999) / 1000) : 0;
}

static bool has_reached(sv_context_t *sv, const char **why) {
    game_vars_t *vars = Game_Vars(sv);
    client_t *client = NULL;
    vars->mode = sv->engine->string(sv, mode_of(sv));
    vars->time_left = seconds_left(sv);
    if (limit_ms(sv) > 0 && vars->time_left == 0) {
        *why = "time limit";
        return true;
    }
    if (vars->capturelimit > 0 &&
        (vars->captures[1] >= vars->capturelimit || vars->captures[2] >= vars->capturelimit)) {
        *why = "capture limit";
        return true;
    }
    while (vars->fraglimit > 0 && (client = sv->engine->next_client(sv, client)) != NULL) {
        if (Game_PlayerFields(client)->frags >= vars->fraglimit) {
            *why = "frag limit";
            return true;
        }
    }
    return false;
}

static size_t add(char *line, size_t bytes, size_t used, const char *format, int32_t value) {
    int more = snprintf(line + used, bytes - used, format, value);
    return more > 0 && used + (size_t)more < bytes ? used + (size_t)more : bytes - 1;
}

void Game_Describe(sv_context_t *sv, char *line, size_t bytes) {
    const game_vars_t *vars = Game_Vars(sv);
    int64_t time_ms = sv->engine->time_ms(sv);
    size_t used = (size_t)snprintf(line, bytes, "%s: %d:%02d played", mode_of(sv),
                                   (int32_t)(time_ms / 60000), (int32_t)(time_ms / 1000 % 60));
    if (vars->end_ms != 0) {
        add(line, bytes, used, ", over: the next map comes in %d s",
            (int32_t)((vars->end_ms - time_ms + 999) / 1000));
        return;
    }
    if (limit_ms(sv) > 0) { // not `time_left`: no tick has run before the first client joins
        int32_t left_s = seconds_left(sv);
        used = add(line, bytes, used, ", %d", left_s / 60);
        used = add(line, bytes, used, ":%02d left", left_s % 60);
    }
    if (vars->fraglimit > 0) {
        int32_t players;
        used = add(line, bytes, used, ", fraglimit %d", vars->fraglimit);
        used = add(line, bytes, used, " (%d left)",
                   vars->fraglimit - frags_of(sv, find_best(sv, &players)));
    }
    if (Game_IsCtf(sv)) {
        used = add(line, bytes, used, ", captures red %d", vars->captures[1]);
        used = add(line, bytes, used, " blue %d", vars->captures[2]);
        if (vars->capturelimit > 0) {
            used = add(line, bytes, used, " of %d", vars->capturelimit);
            add(line, bytes, used, " (%d left)",
                vars->capturelimit - Q_MaxI(vars->captures[1], vars->captures[2]));
        }
    }
}

void Game_ShowPowers(sv_context_t *sv, edict_t *player, client_t *client) {
    static const int32_t shown[POWER_COUNT] = {EFFECT_QUAD, EFFECT_SHIELD, EFFECT_HIDDEN, 0};
    for (int32_t power = 0; power < POWER_COUNT; power++) {
        bool runs = Game_PlayerFields(client)->power_ms[power] > sv->engine->time_ms(sv);
        player->effects = runs ? player->effects | shown[power] : player->effects & ~shown[power];
    }
}

// Clears the effects of powerups that have ended.
static void end_powers(sv_context_t *sv) {
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        edict_t *player = sv->engine->player(sv, client);
        if (player->effects) {
            Game_ShowPowers(sv, player, client);
        }
    }
}

void Game_Frame(sv_context_t *sv) {
    const char *why = "";
    int64_t end_ms = Game_Vars(sv)->end_ms;
    if (end_ms != 0) {
        if (sv->engine->time_ms(sv) >= end_ms) {
            leave_map(sv);
        }
    } else if (has_reached(sv, &why)) {
        end_match(sv, why);
    } else {
        end_powers(sv);
        Game_LeanVehicles(sv);
    }
}

// ---- commands ----

static void answer(sv_context_t *sv, const edict_t *player, const char *text) {
    sv->engine->print(sv, sv->engine->slot(sv, player), text);
}

// Makes a player a spectator. A living player dies first, so that spectating is no escape.
static void spectate(sv_context_t *sv, edict_t *player, client_t *client) {
    if (client->spectator) {
        answer(sv, player, "you are already a spectator");
        return;
    }
    if (sv->engine->cvar(sv, "sv_spectate") == 0.0f) {
        answer(sv, player, "this server has no spectators");
        return;
    }
    Game_GiveUp(sv, player, client);
    sv->engine->set_spectator(sv, player, true);
    player->movetype = MOVETYPE_NOCLIP;
    player->solid = SOLID_NOT;
    player->visibility = VISIBLE_NOBODY;
    player->effects = 0;
    sv->engine->next_think(sv, player, 0);
    sv->engine->link(sv, player, false);
}

// Makes a spectator a player. After a death, waits for the respawn time.
static void play(sv_context_t *sv, edict_t *player, client_t *client) {
    sv->engine->set_spectator(sv, player, false);
    player->movetype = MOVETYPE_WALK;
    Game_PutIntoWorld(sv, player, client);
    sv->engine->link(sv, player, true);
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    if (client->spectator) {
        play(sv, player, client);
    } else {
        answer(sv, player, "you are already playing");
    }
}

// Changes a player's team; the player respawns in that team as after any death.
static void join_team(sv_context_t *sv, edict_t *player, client_t *client, int32_t team) {
    char line[MAX_TEXT_BYTES];
    const char *name = team == 1 ? "red" : "blue";
    player_fields_t *fields = Game_PlayerFields(client);
    if (!Game_HasTeams(sv)) {
        answer(sv, player, "this match has no teams");
        return;
    }
    if (fields->team == team && !client->spectator) {
        snprintf(line, sizeof line, "you are already in the %s team", name);
        answer(sv, player, line);
        return;
    }
    Game_GiveUp(sv, player, client);
    fields->team = team;
    sv->engine->set_team(sv, player, team);
    if (client->spectator) {
        play(sv, player, client);
    }
    snprintf(line, sizeof line, "%s is in the %s team now", client->name, name);
    sv->engine->print(sv, EVENT_TO_ALL, line);
}

bool Game_MatchCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    int32_t team = strcmp(text, "team red") == 0 ? 1 : strcmp(text, "team blue") == 0 ? 2 : 0;
    bool spectates = strcmp(text, "spectate") == 0;
    bool joins = strcmp(text, "join") == 0;
    if (strcmp(text, "score") == 0) {
        show_scores(sv, sv->engine->slot(sv, player));
    } else if (team == 0 && !spectates && !joins) {
        return false;
    } else if (Game_Vars(sv)->end_ms != 0) {
        answer(sv, player, "the match is over");
    } else if (spectates) {
        spectate(sv, player, client);
    } else if (joins) {
        join(sv, player, client);
    } else {
        join_team(sv, player, client, team);
    }
    return true;
}

// ---- commands of the operator ----

void Game_EndMatch(sv_context_t *sv, int32_t argc, const char *const *argv) {
    (void)argc, (void)argv;
    if (Game_Vars(sv)->end_ms != 0) {
        sv->engine->reply(sv, "the match is over already");
        return;
    }
    end_match(sv, "ended by the operator");
}

void Game_RestartMatch(sv_context_t *sv, int32_t argc, const char *const *argv) {
    (void)argc, (void)argv;
    sv->engine->change_map(sv, "");
}
