/// game/buttons.c - func_button and func_rot_button: when pressed, shot or fired, moves or turns,
/// fires the target, returns.

#include "game/game.h"
#include "game/pushers.h"

#define BUTTON_FIXED   (1 << 0) // does not move
#define BUTTON_TOGGLE  (1 << 1) // stays pressed until it is pressed again
#define BUTTON_REVERSE (1 << 2)
#define BUTTON_ROLLS   (1 << 3)
#define BUTTON_PITCHES (1 << 4)

static const flag_t button_flags[] = {
    {1, 1, BUTTON_FIXED}, {32, 32, BUTTON_TOGGLE}, {0, -256, FLAG_BY_HAND}};
static const flag_t rot_flags[] = {{1, 1, BUTTON_FIXED},       {2, 2, BUTTON_REVERSE},
                                   {32, 32, BUTTON_TOGGLE},    {64, 64, BUTTON_ROLLS},
                                   {128, 128, BUTTON_PITCHES}, {-256, -256, FLAG_BY_HAND}};

static void press(sv_context_t *sv, edict_t *self, edict_t *activator) {
    fields_t *fields = Game_Fields(self);
    bool is_toggled = fields->state == PUSHER_AT_TOP && (fields->spawnflags & BUTTON_TOGGLE);
    if (Game_IsLocked(sv, self) || fields->state == PUSHER_GOING_UP ||
        (fields->state == PUSHER_AT_TOP && !is_toggled)) {
        return;
    }
    fields->activator = Game_RefTo(sv, activator);
    if (is_toggled) {
        Game_ButtonReturn(sv, self);
        return;
    }
    fields->state = PUSHER_GOING_UP;
    Game_Sound(sv, self, "button");
    Game_MoveTo(sv, self, (pose_t){fields->pos2, fields->turn2}, fields->speed,
                GAME_CALLBACK(sv, Game_ButtonAtTop));
}

// Gives the entities that the button fires another target, by the key changetarget.
static void change_targets(sv_context_t *sv, edict_t *self) {
    int32_t changed = Game_Fields(self)->altpath;
    edict_t *other = NULL;
    while (changed && self->target &&
           (other = sv->engine->find_target(sv, other, sv->engine->text(sv, self->target)))) {
        other->target = changed;
    }
}

void Game_ButtonAtTop(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_AT_TOP;
    self->effects |= 1; // clients draw the button lit
    if (!(fields->spawnflags & BUTTON_TOGGLE)) {
        Game_ThinkIn(sv, self, fields->wait, GAME_CALLBACK(sv, Game_ButtonReturn));
    }
    change_targets(sv, self);
    Game_UseTargets(sv, self, sv->engine->deref(sv, fields->activator));
}

void Game_ButtonReturn(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_GOING_DOWN;
    Game_MoveTo(sv, self, (pose_t){fields->pos1, fields->turn1}, fields->speed,
                GAME_CALLBACK(sv, Game_ButtonAtBottom));
}

void Game_ButtonAtBottom(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_AT_BOTTOM;
    self->effects &= ~1;
    if (fields->spawnflags & BUTTON_TOGGLE) {
        Game_UseTargets(sv, self, sv->engine->deref(sv, fields->activator));
    }
}

void Game_ButtonTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    client_t *client = sv->engine->client(sv, other);
    if (client && client->player.health > 0) {
        press(sv, self, other);
    }
}

void Game_ButtonUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    press(sv, self, activator);
}

static void finish_button(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->max_health = fields->health;
    fields->state = PUSHER_AT_BOTTOM;
    self->use = GAME_CALLBACK(sv, Game_ButtonUse);
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    if (fields->max_health > 0) {
        fields->spawnflags &= ~FLAG_BY_HAND;
    } else if (!(fields->spawnflags & FLAG_BY_HAND)) {
        self->touch = GAME_CALLBACK(sv, Game_ButtonTouch);
    }
    sv->engine->link(sv, self, false);
}

void Game_SpawnButton(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_ReadFlags(sv, self, button_flags, COUNTOF(button_flags));
    fields->speed = fields->speed != 0.0f ? fabsf(fields->speed) : 40.0f;
    fields->wait = Game_Default(sv, fields->wait, 1.0f, 3.0f);
    fields->lip = fields->lip != 0.0f ? fields->lip : 4.0f;
    Game_SetMovedir(self);
    fields->pos1 = self->origin;
    float distance = fields->spawnflags & BUTTON_FIXED ? 0.0f : Game_MoveDistance(self);
    fields->pos2 = VectorMA(self->origin, distance, fields->movedir);
    finish_button(sv, self);
}

void Game_SpawnRotButton(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_ReadFlags(sv, self, rot_flags, COUNTOF(rot_flags));
    fields->speed = fields->speed != 0.0f ? fabsf(fields->speed) : 40.0f;
    fields->wait = fields->wait != 0.0f ? fields->wait : 3.0f;
    fields->distance = fields->distance != 0.0f ? fields->distance : 90.0f;
    float turn = fields->spawnflags & BUTTON_FIXED     ? 0.0f
                 : fields->spawnflags & BUTTON_REVERSE ? -fields->distance
                                                       : fields->distance;
    fields->pos1 = fields->pos2 = self->origin;
    fields->turn1 = self->angles;
    fields->turn2 =
        VectorAdd(self->angles, Game_Axis((fields->spawnflags & BUTTON_ROLLS) != 0,
                                          (fields->spawnflags & BUTTON_PITCHES) != 0, turn));
    finish_button(sv, self);
}
