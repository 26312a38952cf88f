/// game/hazards.c - damage by the world itself: lava, slime, drowning, falls.
//
// Units:   ms, points of health, qu/s.
// Repeat:  evaluated after each sub-step of a player, so how input is split into commands changes
//          no result; and in each think of a monster.

#include "game/game.h"
#include "game/players.h"

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

/// A player or monster that hazards may hurt.
typedef struct {
    sv_context_t *sv;
    edict_t *edict;
    hazard_t *hazard;
    int32_t waterlevel, watertype;
    float landing_speed; ///< qu/s; 0 = did not land
    uint32_t hazards;    ///< HAZARD_*
} body_t;

static void burn(const body_t *body) {
    int64_t now_ms = body->sv->engine->time_ms(body->sv);
    if (body->waterlevel == 0 || now_ms < body->hazard->burn_ms || !(body->hazards & HAZARD_BURN)) {
        return;
    }
    for (size_t i = 0; i < COUNTOF(liquids); i++) {
        if (body->watertype == liquids[i].contents) {
            body->hazard->burn_ms = now_ms + liquids[i].every_ms;
            Game_Damage(body->sv, body->edict, NULL, liquids[i].hurt * body->waterlevel,
                        liquids[i].why);
        }
    }
}

static void drown(const body_t *body) {
    hazard_t *hazard = body->hazard;
    int64_t now_ms = body->sv->engine->time_ms(body->sv);
    if (body->waterlevel < 3 || !(body->hazards & HAZARD_DROWN)) {
        hazard->drown_ms = 0;
        hazard->drown_hurt = 0;
    } else if (hazard->drown_ms == 0) {
        hazard->drown_ms = now_ms + AIR_MS;
    } else if (now_ms >= hazard->drown_ms) {
        hazard->drown_ms = now_ms + DROWN_MS;
        hazard->drown_hurt = Q_ClampI(hazard->drown_hurt + DROWN_HURT, 0, DROWN_MOST);
        Game_Damage(body->sv, body->edict, NULL, hazard->drown_hurt, "drowned");
    }
}

// Water breaks a fall.
static void fall(const body_t *body) {
    float speed = body->landing_speed;
    if (body->waterlevel == 0 && speed > FALL_SPEED && (body->hazards & HAZARD_FALL)) {
        int32_t more = Q_ToInt((speed - FALL_SPEED) / FALL_PER, 0, 1000);
        Game_Damage(body->sv, body->edict, NULL, FALL_HURT + more, "fell and died");
    }
}

// Returns the speed of a player that lands in this step, which is that of the previous step, or 0.
static float take_landing(const edict_t *player, hazard_t *hazard, int32_t waterlevel) {
    float speed = hazard->fall_speed;
    bool lands = (player->flags & FL_ONGROUND) != 0;
    bool flies = !lands && waterlevel == 0 && player->velocity.z < 0.0f;
    hazard->fall_speed = flies ? -player->velocity.z : 0.0f;
    return lands ? speed : 0.0f;
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
    player_fields_t *fields = Game_PlayerFields(client);
    bool has_suit = fields->power_ms[POWER_SUIT] > sv->engine->time_ms(sv);
    const body_t body = {.sv = sv,
                         .edict = player,
                         .hazard = &fields->hazard,
                         .waterlevel = client->player.waterlevel,
                         .watertype = client->player.watertype,
                         .landing_speed =
                             take_landing(player, &fields->hazard, client->player.waterlevel),
                         .hazards = has_suit ? HAZARD_FALL : HAZARD_ALL};
    fall(&body);
    drown(&body);
    burn(&body);
    fall_out(sv, player, client);
}

bool Game_MonsterHazards(sv_context_t *sv, edict_t *self, uint32_t hazards) {
    const body_t body = {.sv = sv,
                         .edict = self,
                         .hazard = &Game_Fields(self)->hazard,
                         .waterlevel = self->waterlevel,
                         .watertype = self->watertype,
                         .landing_speed = self->landing_speed,
                         .hazards = hazards};
    edict_ref_t ref = sv->engine->ref(sv, self);
    self->landing_speed = 0.0f;
    void (*const all[])(const body_t *) = {fall, drown, burn};
    for (size_t i = 0; i < COUNTOF(all); i++) {
        all[i](&body);
        if (sv->engine->deref(sv, ref) != self || !(self->flags & FL_MONSTER)) {
            return false;
        }
    }
    if (self->origin.z <= DEEPEST) {
        Game_Damage(sv, self, NULL, PASSES_ALL, "fell out of the world");
        return false;
    }
    return true;
}
