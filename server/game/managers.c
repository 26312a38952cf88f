/// game/managers.c - multi_manager: fires many targets, each after its own delay.
//
// Each key of the entity that is no field names a target; its value is the delay in seconds. Keys
// must differ, so maps write the same target as "bell", "bell#1", "bell#2". Each target is an edict
// with `target` and `delay`; `chain` leads from the manager to all of them.

#include "base/str.h"
#include "game/game.h"

#include <stdio.h>
#include <string.h>

#define MAX_MANAGED 64 // targets of a manager: the maximum keys of an entity

bool Game_OtherKey(sv_context_t *sv, edict_t *self, const char *key, const char *value) {
    char name[128];
    float delay = 0.0f;
    if (self->classname != sv->engine->string(sv, "multi_manager") || key[0] == '_') {
        return false;
    }
    if (!Str_ToFloat(value, &delay)) {
        sv->engine->warn(sv, self, "%.64s: expected a delay in seconds, found \"%.64s\"", key,
                         value);
        return true;
    }
    edict_t *part = sv->engine->spawn(sv);
    if (!part) {
        return true; // the engine counts failed spawns
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "#"), key);
    part->classname = sv->engine->string(sv, "multi_manager_target");
    part->target = sv->engine->string(sv, name);
    part->visibility = VISIBLE_NOBODY;
    Game_Fields(part)->delay = delay > 0.0f ? delay : 0.0f;
    Game_Fields(part)->chain = Game_Fields(self)->chain;
    Game_Fields(self)->chain = sv->engine->ref(sv, part);
    return true;
}

void Game_ManagerUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    edict_t *part = self;
    for (int32_t i = 0; i < MAX_MANAGED; i++) {
        part = sv->engine->deref(sv, Game_Fields(part)->chain);
        if (!part || !Game_MayUse(sv, part)) {
            return;
        }
        Game_UseTargets(sv, part, activator);
    }
}

void Game_SpawnManager(sv_context_t *sv, edict_t *self) {
    self->visibility = VISIBLE_NOBODY;
    self->use = GAME_CALLBACK(sv, Game_ManagerUse);
    if (!sv->engine->deref(sv, Game_Fields(self)->chain)) {
        sv->engine->warn(sv, self, "has no key that names a target, so it has no effect");
    }
}
