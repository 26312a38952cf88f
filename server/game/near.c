/// game/near.c - walks over all solid edicts near a box.

#include "game/near.h"
#include "base/assert.h"
#include "game/game.h"

near_t Game_NearStart(sv_context_t *sv, bounds_t box) {
    near_t near;
    near.box = box;
    near.at = 0;
    near.count = sv->engine->area(sv, box, near.list, NEAR_LISTED);
    // A full list may be incomplete. Then all edicts are visited, in the same order.
    near.all = near.count == NEAR_LISTED;
    ASSERT(near.count >= 0 && near.count <= NEAR_LISTED);
    near.count = near.all ? sv->engine->num_edicts(sv) : near.count;
    return near;
}

edict_t *Game_NearNext(sv_context_t *sv, near_t *near) {
    while (near->at < near->count) {
        int32_t at = near->at++;
        ASSERT(near->all || at < NEAR_LISTED);
        edict_t *edict = sv->engine->edict(sv, near->all ? at : near->list[at]);
        bool is_solid = edict && edict->solid != SOLID_NOT && edict->solid != SOLID_TRIGGER;
        bounds_t box = is_solid ? (bounds_t){edict->absmin, edict->absmax} : near->box;
        if (is_solid && BoundsTouch(box, near->box)) {
            return edict;
        }
    }
    return NULL;
}
