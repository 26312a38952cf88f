/// game/ctf.c - capture the flag. A flag is at home, held by a player, or dropped on the floor.
//
// Fields of a flag: skin = team, state = flag_state_t, activator = player with it, pos1 = home.

#include "game/game.h"
#include "game/match.h"
#include "game/players.h"

#include <stdio.h>

typedef enum { FLAG_HOME, FLAG_CARRIED, FLAG_DROPPED } flag_state_t;

#define RETURN_MS      30000 // a dropped flag returns home after this time
#define CAPTURE_FRAGS  5     // frags for the player with the flag
#define CARRIED_HEIGHT 24.0f // qu above the origin of the player with the flag

static const char *const team_names[3] = {"no", "red", "blue"};

bool Game_IsCtf(sv_context_t *sv) {
    return Game_Vars(sv)->gametype == 1;
}

int32_t Game_SmallerTeam(sv_context_t *sv) {
    int32_t count[3] = {0, 0, 0};
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        if (!client->spectator) {
            count[Q_ClampI(Game_PlayerFields(client)->team, 0, 2)]++;
        }
    }
    return count[2] < count[1] ? 2 : 1;
}

// Prints and logs what a player did with a flag.
static void announce(sv_context_t *sv, const edict_t *player, const char *what, int32_t team) {
    char line[MAX_TEXT_BYTES], name[32];
    const log_field_t fields[] = {{.key = "flag", .text = team_names[team]},
                                  {.key = "red", .number = Game_Vars(sv)->captures[1]},
                                  {.key = "blue", .number = Game_Vars(sv)->captures[2]}};
    snprintf(line, sizeof line, "%s %s the %s flag", sv->engine->client(sv, player)->name, what,
             team_names[team]);
    sv->engine->print(sv, EVENT_TO_ALL, line);
    snprintf(name, sizeof name, "flag_%s", what);
    sv->engine->log_event(sv, name, player, fields, (int32_t)COUNTOF(fields));
}

// Puts a flag down at a position where players can touch it.
static void lay_down(sv_context_t *sv, edict_t *flag, vec3_t origin, flag_state_t state) {
    Game_Fields(flag)->state = (int32_t)state;
    Game_Fields(flag)->activator = (edict_ref_t){0, 0};
    flag->movetype = MOVETYPE_TOSS;
    flag->solid = SOLID_TRIGGER;
    flag->origin = origin;
    flag->velocity = vec3_zero;
    flag->angles = vec3_zero;
    flag->flags &= ~FL_ONGROUND;
    flag->groundentity = (edict_ref_t){0, 0};
    sv->engine->next_think(sv, flag,
                           state == FLAG_DROPPED ? sv->engine->time_ms(sv) + RETURN_MS : 0);
    sv->engine->link(sv, flag, false);
}

static void go_home(sv_context_t *sv, edict_t *flag) {
    lay_down(sv, flag, Game_Fields(flag)->pos1, FLAG_HOME);
    Game_Show(sv, flag, flag->origin, "flag");
}

static edict_t *carried_flag(sv_context_t *sv, const edict_t *player) {
    edict_t *flag = NULL;
    while ((flag = sv->engine->find_class(sv, flag, "ctf_flag")) != NULL) {
        if (sv->engine->deref(sv, Game_Fields(flag)->activator) == player) {
            return flag;
        }
    }
    return NULL;
}

static void let_go(sv_context_t *sv, edict_t *player, client_t *client, edict_t *flag) {
    Game_PlayerFields(client)->flag = 0;
    player->effects &= ~EFFECT_FLAG;
    sv->engine->follow(sv, flag, NULL, vec3_zero, vec3_zero);
}

void Game_DropFlag(sv_context_t *sv, edict_t *player, client_t *client) {
    int32_t team = Game_PlayerFields(client)->flag;
    edict_t *flag = team != 0 ? carried_flag(sv, player) : NULL;
    if (flag) {
        let_go(sv, player, client, flag);
        lay_down(sv, flag, player->origin, FLAG_DROPPED);
        announce(sv, player, "lost", team);
    }
}

void Game_ReturnFlag(sv_context_t *sv, edict_t *player, client_t *client) {
    int32_t team = Game_PlayerFields(client)->flag;
    edict_t *flag = team != 0 ? carried_flag(sv, player) : NULL;
    if (flag) {
        let_go(sv, player, client, flag);
        go_home(sv, flag);
        announce(sv, player, "lost", team);
    }
}

static void take(sv_context_t *sv, edict_t *flag, edict_t *player, client_t *client) {
    fields_t *fields = Game_Fields(flag);
    fields->state = FLAG_CARRIED;
    fields->activator = sv->engine->ref(sv, player);
    flag->solid = SOLID_NOT;
    sv->engine->next_think(sv, flag, 0);
    sv->engine->follow(sv, flag, player, Vector(0.0f, 0.0f, CARRIED_HEIGHT), vec3_zero);
    Game_PlayerFields(client)->flag = fields->skin;
    player->effects |= EFFECT_FLAG;
    announce(sv, player, "took", fields->skin);
}

static void capture(sv_context_t *sv, edict_t *player, client_t *client, edict_t *flag) {
    player_fields_t *fields = Game_PlayerFields(client);
    int32_t team = Game_Fields(flag)->skin;
    let_go(sv, player, client, flag);
    go_home(sv, flag);
    Game_Vars(sv)->captures[Q_ClampI(fields->team, 0, 2)]++;
    fields->frags += CAPTURE_FRAGS;
    announce(sv, player, "captured", team);
}

void Game_FlagTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    client_t *client = sv->engine->client(sv, other);
    const fields_t *fields = Game_Fields(self);
    if (!client || !Game_IsAlive(sv, other) || fields->state == FLAG_CARRIED) {
        return;
    }
    const player_fields_t *who = Game_PlayerFields(client);
    if (who->team != fields->skin) {
        if (who->team != 0 && who->flag == 0) {
            take(sv, self, other, client);
        }
        return;
    }
    edict_t *brought = who->flag != 0 ? carried_flag(sv, other) : NULL;
    if (fields->state == FLAG_DROPPED) {
        go_home(sv, self);
        announce(sv, other, "returned", fields->skin);
    } else if (brought) {
        capture(sv, other, client, brought);
    }
}

// Returns a dropped flag home after RETURN_MS.
void Game_FlagThink(sv_context_t *sv, edict_t *self) {
    go_home(sv, self);
}

static void spawn_flag(sv_context_t *sv, edict_t *self, int32_t team) {
    if (!Game_IsCtf(sv)) {
        sv->engine->remove(sv, self);
        return;
    }
    self->origin.z += 1.0f; // because maps place flags exactly on the floor
    self->classname = sv->engine->string(sv, "ctf_flag");
    Game_BeBox(self, Vector(-15.0f, -15.0f, -15.0f), Vector(15.0f, 15.0f, 40.0f));
    Game_SetModel(sv, self, "flags", team_names[team]);
    self->flags |= FL_ITEM;
    self->touch = GAME_CALLBACK(sv, Game_FlagTouch);
    self->think = GAME_CALLBACK(sv, Game_FlagThink);
    Game_Fields(self)->skin = team;
    Game_Fields(self)->pos1 = self->origin;
    lay_down(sv, self, self->origin, FLAG_HOME);
}

void Game_SpawnFlagRed(sv_context_t *sv, edict_t *self) {
    spawn_flag(sv, self, 1);
}

void Game_SpawnFlagBlue(sv_context_t *sv, edict_t *self) {
    spawn_flag(sv, self, 2);
}
