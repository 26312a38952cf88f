/// game/buttons.c - func_button: when pressed, shot or fired, moves in, fires the target, returns.

#include "game/game.h"
#include "game/pushers.h"

#define BUTTON_FIXED  1  // spawnflag: does not move
#define BUTTON_TOGGLE 32 // spawnflag: stays pressed until it is pressed again

static void press(sv_context_t *sv, edict_t *self, edict_t *activator) {
    fields_t *fields = Game_Fields(self);
    bool is_toggled = fields->state == PUSHER_AT_TOP && (fields->spawnflags & BUTTON_TOGGLE);
    if (Game_IsLocked(sv, self) || fields->state == PUSHER_GOING_UP ||
        (fields->state == PUSHER_AT_TOP && !is_toggled)) {
        return;
    }
    fields->activator = activator ? sv->engine->ref(sv, activator) : (edict_ref_t){0, 0};
    if (is_toggled) {
        Game_ButtonReturn(sv, self);
        return;
    }
    fields->state = PUSHER_GOING_UP;
    Game_Sound(sv, self, "button");
    Game_MoveTo(sv, self, (pose_t){fields->pos2, fields->turn1}, fields->speed,
                GAME_CALLBACK(sv, Game_ButtonAtTop));
}

void Game_ButtonAtTop(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_AT_TOP;
    self->effects |= 1; // clients draw the button lit
    if (!(fields->spawnflags & BUTTON_TOGGLE)) {
        Game_ThinkIn(sv, self, fields->wait, GAME_CALLBACK(sv, Game_ButtonReturn));
    }
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

void Game_SpawnButton(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    fields->speed = fields->speed != 0.0f ? fabsf(fields->speed) : 40.0f;
    fields->wait = fields->wait != 0.0f ? fields->wait : 1.0f;
    fields->lip = fields->lip != 0.0f ? fields->lip : 4.0f;
    fields->max_health = fields->health;
    Game_SetMovedir(self);
    fields->pos1 = self->origin;
    float distance = fields->spawnflags & BUTTON_FIXED ? 0.0f : Game_MoveDistance(self);
    fields->pos2 = VectorMA(self->origin, distance, fields->movedir);
    fields->state = PUSHER_AT_BOTTOM;
    self->use = GAME_CALLBACK(sv, Game_ButtonUse);
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    if (fields->max_health <= 0) {
        self->touch = GAME_CALLBACK(sv, Game_ButtonTouch);
    }
    sv->engine->link(sv, self, false);
}
