#include "world/callbacks.h"

#include "base/hash.h"
#include "world/world_local.h"

#include <stdio.h>
#include <string.h>

#define NAME_BYTES ((size_t)sizeof((world_t){0}.callback_names[0]))

uint64_t World_NamesHash(const world_t *world) {
    return Hash_Bytes(world->callback_names, sizeof world->callback_names, WORLD_HASH_SEED);
}

int32_t Callbacks_Find(const world_t *world, const char *name) {
    for (int32_t id = 1; id < world->num_callbacks; id++) {
        if (strcmp(world->callback_names[id], name) == 0) {
            return id;
        }
    }
    return 0;
}

static const callback_t *find_in_table(const callback_t *table, int32_t count, const char *name) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static bool check_entry(const callback_t *table, int32_t at, err_t *err) {
    const callback_t *entry = &table[at];
    if (!entry->name || entry->name[0] == '\0' || strlen(entry->name) >= NAME_BYTES) {
        return Err_Set(err, "callback %d: expected a name of 1..%zu bytes, found \"%s\"", at,
                       NAME_BYTES - 1, entry->name ? entry->name : "");
    }
    if ((entry->think != NULL) + (entry->touch != NULL) + (entry->use != NULL) +
            (entry->blocked != NULL) !=
        1) {
        return Err_Set(err, "callback \"%s\": expected exactly one of think, touch, use, blocked",
                       entry->name);
    }
    if (find_in_table(table, at, entry->name)) {
        return Err_Set(err, "callback \"%s\" appears twice in the table", entry->name);
    }
    return true;
}

bool Callbacks_CheckTable(const callback_t *table, int32_t count, err_t *err) {
    for (int32_t i = 0; i < count; i++) {
        if (!check_entry(table, i, err)) {
            return false;
        }
    }
    return true;
}

// Fails if the table lacks callbacks of the world. The error lists the missing names.
static bool check_missing(const world_t *world, const callback_t *table, int32_t count,
                          err_t *err) {
    char names[400] = "";
    for (int32_t id = 1; id < world->num_callbacks; id++) {
        if (!find_in_table(table, count, world->callback_names[id])) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s\"%s\"", used ? ", " : "",
                     world->callback_names[id]);
        }
    }
    return names[0] == '\0' ||
           Err_Set(err, "the new game lacks callbacks that the running world uses: %s", names);
}

// Checks a game's table before anything is written to the block.
static bool check_table(const world_t *world, const callback_t *table, int32_t count, err_t *err) {
    int32_t num_new = 0;
    if (!Callbacks_CheckTable(table, count, err) || !check_missing(world, table, count, err)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        num_new += Callbacks_Find(world, table[i].name) == 0 ? 1 : 0;
    }
    if (world->num_callbacks + num_new > MAX_CALLBACKS) {
        return Err_Set(err, "callbacks: expected at most %d, found %d", MAX_CALLBACKS - 1,
                       world->num_callbacks - 1 + num_new);
    }
    return true;
}

bool Callbacks_Bind(world_t *world, const callback_t *table, int32_t count,
                    callback_binding_t *binding, err_t *err) {
    if (!check_table(world, table, count, err)) {
        return false;
    }
    memset(binding, 0, sizeof *binding);
    for (int32_t i = 0; i < count; i++) {
        int32_t id = Callbacks_Find(world, table[i].name);
        if (id == 0) {
            id = world->num_callbacks++;
            memcpy(world->callback_names[id], table[i].name, strlen(table[i].name));
        }
        binding->by_id[id] = &table[i];
    }
    world->names_hash = World_NamesHash(world);
    return true;
}
