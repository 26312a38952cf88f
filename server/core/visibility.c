/// core/visibility.c - which edicts a client may know of.

#include "core/core_local.h"

static bool is_shown(const world_t *world, const edict_t *edict, int32_t slot) {
    switch (edict->visibility) {
    case VISIBLE_ALL:
        return true;
    case VISIBLE_CLIENT:
        return slot >= 0 && edict->visible_to == slot;
    case VISIBLE_BUT_CLIENT:
        return slot >= 0 && edict->visible_to != slot;
    case VISIBLE_TEAM:
        return slot >= 0 && edict->visible_to != 0 &&
               edict->visible_to == World_Client(world, slot)->team;
    default:
        return false;
    }
}

bool SV_IsVisible(const world_t *world, const edict_t *edict, int32_t slot) {
    const edict_t *at = edict;
    if (edict->visibility == VISIBLE_ALL && edict->movetype != MOVETYPE_FOLLOW) {
        return true; // most edicts
    }
    for (int32_t i = 0; i < world->max_edicts && at && is_shown(world, at, slot); i++) {
        if (at->movetype != MOVETYPE_FOLLOW) {
            return true;
        }
        at = World_Deref(world, at->aiment);
    }
    return !at; // the leader is gone
}
