/// game/plats.c - func_plat: a lift. Maps place a lift at the top. It waits at the bottom and rises
/// when a player steps on it.

#include "game/game.h"
#include "game/pushers.h"

#define LOW_TRIGGER  1 // only a player at the bottom starts the plat
#define TOGGLES      2 // only moves when fired, and stays there
#define ROLLS        64
#define PITCHES      128
#define FIELD_INSET  25.0f // qu; a player beside the plat does not start it
#define FIELD_HEIGHT 8.0f
#define WAIT_AT_TOP  3.0f    // s
#define MAX_ROTATION 3600.0f // degrees
#define STAY_AT_TOP  1.0f    // s after the last player stood on it

static const flag_t plat_flags[] = {
    {1, 0, LOW_TRIGGER}, {0, 1, TOGGLES}, {64, 64, ROLLS}, {128, 128, PITCHES}};

static void go_up(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_GOING_UP;
    Game_Sound(sv, self, "plat_start");
    Game_MoveTo(sv, self, (pose_t){fields->pos2, fields->turn2}, fields->speed,
                GAME_CALLBACK(sv, Game_PlatAtTop));
}

void Game_PlatGoDown(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_GOING_DOWN;
    Game_Sound(sv, self, "plat_start");
    Game_MoveTo(sv, self, (pose_t){fields->pos1, fields->turn1}, fields->speed,
                GAME_CALLBACK(sv, Game_PlatAtBottom));
}

void Game_PlatAtTop(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_AT_TOP;
    Game_Sound(sv, self, "plat_stop");
    if (!(fields->spawnflags & TOGGLES)) {
        Game_ThinkIn(sv, self, fields->wait, GAME_CALLBACK(sv, Game_PlatGoDown));
    }
}

void Game_PlatAtBottom(sv_context_t *sv, edict_t *self) {
    Game_Fields(self)->state = PUSHER_AT_BOTTOM;
    Game_Sound(sv, self, "plat_stop");
}

void Game_PlatFieldTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    edict_t *plat = sv->engine->deref(sv, Game_Fields(self)->master);
    if (!plat) {
        sv->engine->remove(sv, self);
        return;
    }
    client_t *client = sv->engine->client(sv, other);
    if (!client || client->player.health <= 0) {
        return;
    }
    fields_t *fields = Game_Fields(plat);
    if (fields->state == PUSHER_AT_BOTTOM) {
        go_up(sv, plat);
    } else if (fields->state == PUSHER_AT_TOP) {
        Game_ThinkIn(sv, plat, STAY_AT_TOP, GAME_CALLBACK(sv, Game_PlatGoDown));
    }
}

// Starts a plat with a targetname. The plat waits at the top until it is first fired.
void Game_PlatUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    fields_t *fields = Game_Fields(self);
    if (fields->state == PUSHER_AT_TOP) {
        Game_PlatGoDown(sv, self);
    } else if (fields->state == PUSHER_AT_BOTTOM) {
        go_up(sv, self);
    }
}

void Game_PlatBlocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    Game_PusherBlocked(sv, self, obstacle);
    if (Game_Fields(self)->state == PUSHER_GOING_UP) {
        Game_PlatGoDown(sv, self);
    } else {
        go_up(sv, self);
    }
}

static float inset(float low, float high, float by) {
    return high - low > 2.0f * by + 2.0f ? low + by : 0.5f * (low + high) - 1.0f;
}

// Spawns the trigger that starts a plat. The trigger covers all heights of the plat, but is
// narrower.
static void give_field(sv_context_t *sv, edict_t *self) {
    const fields_t *fields = Game_Fields(self);
    float low = fields->pos1.z < fields->pos2.z ? fields->pos1.z : fields->pos2.z;
    float high = fields->pos1.z < fields->pos2.z ? fields->pos2.z : fields->pos1.z;
    vec3_t mins = VectorAdd(fields->pos1, self->mins);
    vec3_t maxs = VectorAdd(fields->pos2, self->maxs);
    bounds_t box = {{inset(mins.x, maxs.x, FIELD_INSET), inset(mins.y, maxs.y, FIELD_INSET),
                     low + self->maxs.z},
                    {maxs.x - (inset(mins.x, maxs.x, FIELD_INSET) - mins.x),
                     maxs.y - (inset(mins.y, maxs.y, FIELD_INSET) - mins.y),
                     high + self->maxs.z + FIELD_HEIGHT}};
    if (fields->spawnflags & LOW_TRIGGER) {
        box.maxs.z = box.mins.z + FIELD_HEIGHT;
    }
    Game_SpawnField(sv, self, box, GAME_CALLBACK(sv, Game_PlatFieldTouch));
}

void Game_SpawnPlat(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    self->angles = vec3_zero;
    Game_ReadFlags(sv, self, plat_flags, COUNTOF(plat_flags));
    fields->speed = fabsf(Game_Default(sv, fields->speed, 150.0f, 50.0f));
    fields->wait = fields->wait != 0.0f ? fields->wait : WAIT_AT_TOP;
    fields->damage = fields->damage != 0.0f ? fields->damage : 1.0f;
    fields->lip = fields->lip != 0.0f ? fields->lip : 8.0f;
    float thick = self->maxs.z - self->mins.z;
    float height = fields->height != 0.0f ? fields->height : thick - fields->lip;
    if (height <= 0.0f && !(fields->height < 0.0f && Game_IsHalfLife(sv))) {
        sv->engine->warn(sv, self, "height: expected more than 0, found %g", (double)height);
    }
    fields->pos2 = self->origin;
    fields->pos1 = VectorSubtract(self->origin, Vector(0.0f, 0.0f, height));
    self->use = GAME_CALLBACK(sv, Game_PlatUse);
    self->blocked = GAME_CALLBACK(sv, Game_PlatBlocked);
    fields->state = self->targetname ? PUSHER_AT_TOP : PUSHER_AT_BOTTOM;
    self->origin = self->targetname ? fields->pos2 : fields->pos1;
    sv->engine->link(sv, self, false);
    if (!(fields->spawnflags & TOGGLES)) {
        give_field(sv, self);
    }
}

// Spawns a plat that turns by `rotation` degrees (the field distance) while it rises.
void Game_SpawnPlatRot(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    float degrees = fields->distance;
    fields->distance = 0.0f;
    Game_SpawnPlat(sv, self);
    vec3_t turn = Game_Axis((fields->spawnflags & ROLLS) != 0, (fields->spawnflags & PITCHES) != 0,
                            Q_ClampF(degrees, -MAX_ROTATION, MAX_ROTATION));
    if (fields->state == PUSHER_AT_TOP) {
        fields->turn1 = VectorNegate(turn);
    } else {
        fields->turn2 = turn;
    }
}
