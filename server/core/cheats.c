/// core/cheats.c - commands of clients for mappers who test a map. They need sv_cheats 1.

#include "core/core_local.h"
#include "core/server.h"

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
    char answer[MAX_TEXT_BYTES];
} cheat_run_t;

static const char *expected(cheat_run_t *run, const char *what) {
    snprintf(run->answer, sizeof run->answer, "expected %s, found \"%.60s\"", what, run->arguments);
    return run->answer;
}

// Sets *on by the argument 0 or 1; toggles it without argument. Returns false for other arguments.
static bool read_switch(const cheat_run_t *run, bool *on) {
    const char *argument = run->arguments;
    *on = argument[0] == '\0' ? !*on : argument[0] == '1';
    return argument[0] == '\0' || strcmp(argument, "0") == 0 || strcmp(argument, "1") == 0;
}

static const char *switch_movetype(cheat_run_t *run, int32_t movetype) {
    bool was_on = run->edict->movetype == movetype;
    bool on = was_on;
    if (!read_switch(run, &on)) {
        return expected(run, "0, 1 or nothing");
    }
    if (on != was_on) {
        run->edict->movetype = on ? movetype : MOVETYPE_WALK;
        run->client->cheats &= ~CHEAT_MOVETYPE;
        run->client->cheats |= on ? (uint32_t)movetype : 0u;
    }
    return on ? "on" : "off";
}

static const char *switch_flag(cheat_run_t *run, uint32_t flag) {
    bool on = (run->edict->flags & flag) != 0;
    if (!read_switch(run, &on)) {
        return expected(run, "0, 1 or nothing");
    }
    run->edict->flags = on ? run->edict->flags | flag : run->edict->flags & ~flag;
    run->client->cheats = on ? run->client->cheats | flag : run->client->cheats & ~flag;
    return on ? "on" : "off";
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

static const char *noclip(cheat_run_t *run) {
    return switch_movetype(run, MOVETYPE_NOCLIP);
}

static const char *fly(cheat_run_t *run) {
    return switch_movetype(run, MOVETYPE_FLY);
}

static const char *god(cheat_run_t *run) {
    return switch_flag(run, FL_GODMODE);
}

static const char *notarget(cheat_run_t *run) {
    return switch_flag(run, FL_NOTARGET);
}

static bool read_pose(const char *text, vec3_t *to, float *yaw) {
    int used = 0;
    if (sscanf(text, "%f %f %f %f %n", &to->x, &to->y, &to->z, yaw, &used) == 4) {
        return text[used] == '\0';
    }
    return sscanf(text, "%f %f %f %n", &to->x, &to->y, &to->z, &used) == 3 && text[used] == '\0';
}

static const char *setpos(cheat_run_t *run) {
    sv_context_t *sv = run->sv;
    edict_t *edict = run->edict;
    vec3_t to = {0.0f, 0.0f, 0.0f};
    vec3_t angles = run->client->player.angles;
    if (!read_pose(run->arguments, &to, &angles.y) || !VectorWithin(to, MAX_WORLD_COORD) ||
        !(fabsf(angles.y) <= MAX_YAW)) {
        return expected(run, "a position in the world and a yaw or none, as in "
                             "\"setpos 64 0 24 90\"");
    }
    bool collides = edict->movetype != MOVETYPE_NOCLIP;
    if (collides &&
        sv->engine->trace(sv, to, edict->mins, edict->maxs, to, true, edict).startsolid) {
        return "the player's box would be inside something solid there";
    }
    vec3_t last_free = edict->oldorigin;
    sv->engine->teleport(sv, edict, to, angles, Vector(0.0f, 0.0f, 0.0f));
    edict->oldorigin = collides ? to : last_free; // SV_CheckStuck returns the player there
    snprintf(run->answer, sizeof run->answer, "moved to %g %g %g, yaw %g", (double)to.x,
             (double)to.y, (double)to.z, (double)angles.y);
    return run->answer;
}

typedef struct {
    const char *name;
    const char *(*run)(cheat_run_t *run); ///< returns the answer; NULL: the game runs the command
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

bool Server_IsCheat(const char *name) {
    return find_cheat(name) != NULL;
}

bool SV_RunCheat(sv_context_t *sv, edict_t *edict, client_t *client, const char *text) {
    char line[MAX_TEXT_BYTES];
    const cheat_t *cheat = find_cheat(text);
    const char *answer = "";
    cheat_run_t run = {sv, edict, client, text + strcspn(text, " "), ""};
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
        run.arguments += strspn(run.arguments, " ");
        answer = cheat->run(&run);
        World_MarkWritten(sv->world, edict);
    }
    snprintf(line, sizeof line, "%s: %.200s", cheat->name, answer);
    sv->engine->print(sv, World_EdictNumber(sv->world, edict) - 1, line);
    return true;
}
