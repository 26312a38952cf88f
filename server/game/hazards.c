/// game/hazards.c - damage by the world itself: lava, slime, drowning, falls. Monsters do not drown
/// or burn, as in Quake, because they cannot find a path out of a liquid.
//
// Units:   ms, points of health, qu/s.
// Repeat:  evaluated after each sub-step, so how input is split into commands changes no result.

#include "game/game.h"

/// A liquid that hurts. A waterlevel of 1, 2, 3 (feet, waist, eyes) costs 1, 2, 3 times `hurt`.
typedef struct {
    int32_t contents; ///< contents_t
    int32_t every_ms;
    int32_t hurt;
    const char *why;
} liquid_t;

static const liquid_t liquids[] = {
    {CONTENTS_LAVA, 200, 8, "burned in lava"},
    {CONTENTS_SLIME, 1000, 4, "was eaten by slime"},
};

#define AIR_MS     12000 // time with the eyes under water before drowning starts
#define DROWN_MS   1000  // time between two hits by drowning
#define DROWN_HURT 2     // damage of the first hit, and the increase for each further hit
#define DROWN_MOST 14    // maximum damage of a hit

#define FALL_SPEED 650.0f // qu/s; faster landings hurt; reached by a fall of 264 qu
#define FALL_HURT  5      // points of damage at that speed
#define FALL_PER   50.0f  // qu/s for each further point

#define DEEPEST (16.0f - (float)MAX_WORLD_COORD) // qu; a player below fell out of the world

static bool has_suit(player_fields_t *fields, int64_t now_ms) {
    return fields->power_ms[POWER_SUIT] > now_ms;
}

static void burn(sv_context_t *sv, edict_t *player, client_t *client) {
    player_fields_t *fields = Game_PlayerFields(client);
    const player_state_t *state = &client->player;
    int64_t now_ms = sv->engine->time_ms(sv);
    if (state->waterlevel == 0 || now_ms < fields->burn_ms || has_suit(fields, now_ms)) {
        return;
    }
    for (size_t i = 0; i < COUNTOF(liquids); i++) {
        if (state->watertype == liquids[i].contents) {
            fields->burn_ms = now_ms + liquids[i].every_ms;
            Game_Hurt(sv, player, liquids[i].hurt * state->waterlevel, liquids[i].why);
        }
    }
}

static void drown(sv_context_t *sv, edict_t *player, client_t *client) {
    player_fields_t *fields = Game_PlayerFields(client);
    int64_t now_ms = sv->engine->time_ms(sv);
    if (client->player.waterlevel < 3 || has_suit(fields, now_ms)) {
        fields->drown_ms = 0;
        fields->drown_hurt = 0;
    } else if (fields->drown_ms == 0) {
        fields->drown_ms = now_ms + AIR_MS;
    } else if (now_ms >= fields->drown_ms) {
        fields->drown_ms = now_ms + DROWN_MS;
        fields->drown_hurt = Q_ClampI(fields->drown_hurt + DROWN_HURT, 0, DROWN_MOST);
        Game_Hurt(sv, player, fields->drown_hurt, "drowned");
    }
}

// Hurts a player that lands, by the speed of the previous sub-step. Water breaks a fall.
static void fall(sv_context_t *sv, edict_t *player, client_t *client) {
    player_fields_t *fields = Game_PlayerFields(client);
    float speed = fields->fall_speed;
    bool lands = (player->flags & FL_ONGROUND) != 0;
    bool flies = !lands && client->player.waterlevel == 0 && player->velocity.z < 0.0f;
    fields->fall_speed = flies ? -player->velocity.z : 0.0f;
    if (lands && client->player.waterlevel == 0 && speed > FALL_SPEED) {
        int32_t more = Q_ToInt((speed - FALL_SPEED) / FALL_PER, 0, 1000);
        Game_Hurt(sv, player, FALL_HURT + more, "fell and died");
    }
}

// Kills a player below the world. Ignores armour.
static void fall_out(sv_context_t *sv, edict_t *player, client_t *client) {
    player_fields_t *fields = Game_PlayerFields(client);
    if (player->origin.z > DEEPEST) {
        return;
    }
    fields->armour = 0;
    fields->power_ms[POWER_SHIELD] = 0;
    Game_Hurt(sv, player, client->player.health, "fell out of the world");
}

void Game_HazardStep(sv_context_t *sv, edict_t *player, client_t *client) {
    fall(sv, player, client);
    drown(sv, player, client);
    burn(sv, player, client);
    fall_out(sv, player, client);
}
