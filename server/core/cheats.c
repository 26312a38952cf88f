/// core/cheats.c - commands of clients for mappers who test a map. They need sv_cheats 1.

#include "core/core_local.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_YAW        3600.0f // degrees
#define CHEAT_MOVETYPE 0xffu   // bits of client_t.cheats

typedef struct {
    sv_context_t *sv;
    edict_t *edict;
    client_t *client;
    const char *arguments;
} cheat_run_t;

static const char *toggle_movetype(const cheat_run_t *run, int32_t movetype) {
    bool was_on = run->edict->movetype == movetype;
    run->edict->movetype = was_on ? MOVETYPE_WALK : movetype;
    run->client->cheats &= ~CHEAT_MOVETYPE;
    run->client->cheats |= was_on ? 0u : (uint32_t)movetype;
    return was_on ? "off" : "on";
}

static const char *toggle_flag(const cheat_run_t *run, uint32_t flag) {
    run->edict->flags ^= flag;
    run->client->cheats = (run->client->cheats & ~flag) | (run->edict->flags & flag);
    return run->edict->flags & flag ? "on" : "off";
}

void SV_EndCheats(world_t *world, client_t *client, edict_t *edict) {
    if (client->cheats == 0 || world->cvars.sv_cheats) {
        return;
    }
    int32_t movetype = (int32_t)(client->cheats & CHEAT_MOVETYPE);
    if (movetype != MOVETYPE_NONE && edict->movetype == movetype) {
        edict->movetype = MOVETYPE_WALK;
    }
    edict->flags &= ~(client->cheats & (FL_GODMODE | FL_NOTARGET));
    client->cheats = 0;
    World_MarkWritten(world, edict);
}

static const char *noclip(const cheat_run_t *run) {
    return toggle_movetype(run, MOVETYPE_NOCLIP);
}

static const char *fly(const cheat_run_t *run) {
    return toggle_movetype(run, MOVETYPE_FLY);
}

static const char *god(const cheat_run_t *run) {
    return toggle_flag(run, FL_GODMODE);
}

static const char *notarget(const cheat_run_t *run) {
    return toggle_flag(run, FL_NOTARGET);
}

static bool read_pose(const char *text, vec3_t *to, float *yaw) {
    int used = 0;
    if (sscanf(text, "%f %f %f %f %n", &to->x, &to->y, &to->z, yaw, &used) == 4) {
        return text[used] == '\0';
    }
    return sscanf(text, "%f %f %f %n", &to->x, &to->y, &to->z, &used) == 3 && text[used] == '\0';
}

static const char *setpos(const cheat_run_t *run) {
    sv_context_t *sv = run->sv;
    edict_t *edict = run->edict;
    vec3_t to = {0.0f, 0.0f, 0.0f};
    vec3_t angles = run->client->player.angles;
    if (!read_pose(run->arguments, &to, &angles.y) || !VectorWithin(to, MAX_WORLD_COORD) ||
        !(fabsf(angles.y) <= MAX_YAW)) {
        return "expected a position in the world and a yaw or none, as in \"setpos 64 0 24 90\"";
    }
    bool collides = edict->movetype != MOVETYPE_NOCLIP;
    if (collides &&
        sv->engine->trace(sv, to, edict->mins, edict->maxs, to, true, edict).startsolid) {
        return "the player's box would be inside something solid there";
    }
    vec3_t last_free = edict->oldorigin;
    sv->engine->teleport(sv, edict, to, angles, Vector(0.0f, 0.0f, 0.0f));
    edict->oldorigin = collides ? to : last_free; // SV_CheckStuck returns the player there
    return NULL;
}

typedef struct {
    const char *name;
    /// Returns the answer, or NULL for none. NULL: the game runs the command.
    const char *(*run)(const cheat_run_t *run);
} cheat_t;

static const cheat_t cheats[] = {{"noclip", noclip},     {"fly", fly},       {"god", god},
                                 {"notarget", notarget}, {"setpos", setpos}, {"give", NULL}};

static const cheat_t *find_cheat(const char *text) {
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < COUNTOF(cheats); i++) {
        if (strlen(cheats[i].name) == length && strncmp(cheats[i].name, text, length) == 0) {
            return &cheats[i];
        }
    }
    return NULL;
}

// Returns false for a player that the game froze, knocked out or seated.
static bool is_free(const edict_t *edict) {
    return edict->movetype == MOVETYPE_WALK || edict->movetype == MOVETYPE_FLY ||
           edict->movetype == MOVETYPE_NOCLIP;
}

bool SV_RunCheat(sv_context_t *sv, edict_t *edict, client_t *client, const char *text) {
    const cheat_t *cheat = find_cheat(text);
    const char *answer = NULL;
    if (!cheat) {
        return false;
    }
    if (!sv->world->cvars.sv_cheats) {
        answer = "needs sv_cheats 1 on the server";
    } else if (client->player.pm_type != PM_NORMAL || !World_IsLive(edict) || !is_free(edict)) {
        answer = "only a living player that the game lets move can do this";
    } else if (!cheat->run) {
        return false;
    } else {
        const char *arguments = text + strlen(cheat->name);
        answer = cheat->run(&(cheat_run_t){sv, edict, client, arguments});
        World_MarkWritten(sv->world, edict);
    }
    if (answer) {
        char line[MAX_TEXT_BYTES];
        snprintf(line, sizeof line, "%s: %s", cheat->name, answer);
        sv->engine->print(sv, World_EdictNumber(sv->world, edict) - 1, line);
    }
    return true;
}
