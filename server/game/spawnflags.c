/// game/spawnflags.c - spawnflags and defaults that differ between Quake's and Half-Life's maps.
//
// The map's format decides. Worldspawn's key `flags_of` (a field of the name `map`) overrides it,
// because edict-mapc writes Quake's format.

#include "game/game.h"

#include <string.h>

static const char *flags_of(sv_context_t *sv) {
    edict_t *world = sv->engine->edict(sv, EDICT_WORLD);
    return world ? sv->engine->text(sv, Game_Fields(world)->map) : "";
}

bool Game_IsHalfLife(sv_context_t *sv) {
    const char *name = flags_of(sv);
    return name[0] != '\0' ? strcmp(name, "halflife") == 0
                           : sv->engine->map_format(sv) == MAP_HALFLIFE;
}

float Game_Default(sv_context_t *sv, float value, float quake, float halflife) {
    return value != 0.0f ? value : Game_IsHalfLife(sv) ? halflife : quake;
}

void Game_ReadFlags(sv_context_t *sv, edict_t *self, const flag_t *flags, size_t count) {
    bool is_halflife = Game_IsHalfLife(sv);
    int32_t *has = &Game_Fields(self)->spawnflags;
    int32_t means = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t bit = is_halflife ? flags[i].halflife : flags[i].quake;
        bool is_set = bit < 0 ? (*has & -bit) == 0 : (*has & bit) != 0;
        means |= is_set ? flags[i].means : 0;
    }
    *has = means;
}

void Game_SpawnWorld(sv_context_t *sv, edict_t *self) {
    const char *name = flags_of(sv);
    if (name[0] != '\0' && strcmp(name, "quake") != 0 && strcmp(name, "halflife") != 0) {
        sv->engine->warn(sv, self, "flags_of: expected quake or halflife, found \"%.64s\"", name);
        Game_Fields(self)->map = 0;
    }
    Game_RegisterNames(sv);
    self->solid = SOLID_BSP;
    self->visibility = VISIBLE_NOBODY;
}
