#include "world/names.h"

#include "base/hash.h"
#include "world/context.h"
#include "world/faults.h"
#include "world/world_local.h"

#include <string.h>

static const char *const table_names[NAMES_OF_GAME] = {"model", "sound", "effect"};

uint64_t Names_Hash(const world_t *world) {
    return Hash_Bytes(world->name_ids, sizeof world->name_ids, WORLD_HASH_SEED);
}

static int32_t refuse(sv_context_t *sv, names_table_t table, const char *name, const char *why) {
    world_t *world = sv->world;
    char shown[NAME_TEXT_BYTES];
    world->counters.names_refused++;
    Str_Printable(shown, sizeof shown, name);
    SV_ReportFault(sv, "", "%s \"%s\" has no number, clients receive none: %s", table_names[table],
                   shown, why);
    return 0;
}

int32_t Names_Index(sv_context_t *sv, names_table_t table, const char *name) {
    world_t *world = sv->world;
    uint16_t *ids = world->name_ids[table];
    int32_t *count = &world->name_counts[table];
    int32_t id = World_FindString(world, name);
    for (int32_t i = 1; id != 0 && i <= *count; i++) {
        if (ids[i] == id) {
            return i;
        }
    }
    if (!Names_IsValid(name)) {
        return refuse(sv, table, name,
                      "expected a name of 1 to 63 bytes of UTF-8 without control characters");
    }
    if (*count == NAMES_MAX - 1) {
        return refuse(sv, table, name, "the table is full, it has at most 1023 names");
    }
    if (world->name_bytes + Names_Cost(name) > NAMES_GAME_BYTES) {
        return refuse(sv, table, name, "models, sounds and effects have at most 24576 bytes");
    }
    id = World_String(world, name);
    if (id == 0) {
        return refuse(sv, table, name, "the string table is full");
    }
    ids[++*count] = (uint16_t)id;
    world->name_bytes += Names_Cost(name);
    world->name_hash = Names_Hash(world);
    return *count;
}

bool Names_Check(const world_t *world, err_t *err) {
    int32_t bytes = 0;
    for (int32_t table = 0; table < NAMES_OF_GAME; table++) {
        const int32_t count = world->name_counts[table];
        if (count < 0 || count >= NAMES_MAX) {
            return Err_Set(err, "world: names: expected 0..%d of a %s, found %d", NAMES_MAX - 1,
                           table_names[table], count);
        }
        for (int32_t i = 0; i < NAMES_MAX; i++) {
            const char *name = World_Text(world, world->name_ids[table][i]);
            const bool is_used = i >= 1 && i <= count;
            const int32_t id = is_used ? World_FindString(world, name) : 0;
            if ((is_used && !Names_IsValid(name)) || world->name_ids[table][i] != id) {
                return Err_Set(err, "world: names: expected %s for %s %d",
                               is_used ? "a valid name" : "no name", table_names[table], i);
            }
            bytes += is_used ? Names_Cost(name) : 0;
        }
    }
    if (bytes != world->name_bytes || bytes > NAMES_GAME_BYTES) {
        return Err_Set(err, "world: names: expected %d bytes (at most %d), found %d", bytes,
                       NAMES_GAME_BYTES, world->name_bytes);
    }
    return world->name_hash == Names_Hash(world) ||
           Err_Set(err, "world: the names of models, sounds and effects do not match their hash");
}
