/// game/damage.c - whatever has health can be hurt.
//
// Floor:   game.

#include "game/game.h"

// What was shot is whole again before it is used: using it may hurt it again.
static void set_off(sv_context_t *sv, edict_t *target, edict_t *attacker) {
    fields_t *fields = Game_Fields(target);
    fields->health = fields->max_health;
    sv->engine->use(sv, target, attacker ? attacker : target, attacker);
}

void Game_Damage(sv_context_t *sv, edict_t *target, edict_t *attacker, int32_t damage,
                 const char *why) {
    if (sv->engine->client(sv, target)) {
        Game_Hurt(sv, target, damage, why);
        return;
    }
    fields_t *fields = Game_Fields(target);
    if (fields->max_health <= 0 || damage <= 0) {
        return; // takes none
    }
    edict_t *master = sv->engine->deref(sv, fields->master);
    if (master && master != target) { // one of a pair of doors: the first one counts
        target = master;
        fields = Game_Fields(target);
    }
    fields->health -= Q_ClampI(damage, 0, fields->health);
    if (fields->health <= 0) {
        set_off(sv, target, attacker);
    }
}
