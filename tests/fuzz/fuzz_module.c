// fuzz_module.c - the checks of a game module before its code runs: the file, and the tables.
//
// Input:      u8 kind; 0: the rest is a file; 1: patches of the reference game's tables, each u8
//             table, u8 entry, u8 member and 4 bytes.
// Invariants: every range that the headers of an accepted file name is in the file; a game whose
//             tables are accepted binds to a world; a refusal has a reason.

#include "base/assert.h"
#include "core/frame.h"
#include "core/game_models.h"
#include "core/game_tables.h"
#include "game/game.h"
#include "ops/elf_size.h"
#include "world/block.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ENTRIES 256

static void check_file(const uint8_t *data, size_t size) {
    ElfW(Ehdr) header;
    err_t err = {""};
    if (!Elf_IsWhole(data, size, &err)) {
        ASSERT(err.text[0] != '\0');
        return;
    }
    ASSERT(size >= sizeof header);
    memcpy(&header, data, sizeof header);
    for (uint32_t i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) segment;
        uint64_t at = header.e_phoff + (uint64_t)i * sizeof segment;
        ASSERT(at <= size && size - at >= sizeof segment);
        memcpy(&segment, data + at, sizeof segment);
        if (segment.p_type != PT_NULL) {
            ASSERT(segment.p_offset <= size && size - segment.p_offset >= segment.p_filesz);
        }
    }
}

// Stores a copy of the reference game's tables, which patches may change.
typedef struct {
    game_export_t game;
    callback_t callbacks[MAX_ENTRIES];
    game_field_t fields[3][MAX_ENTRIES];
    cvar_def_t cvars[MAX_ENTRIES];
    game_spawn_t spawns[MAX_ENTRIES];
} tables_t;

static void copy(void *to, const void *from, int32_t count, size_t bytes) {
    ASSERT(count >= 0 && count <= MAX_ENTRIES);
    memcpy(to, from, (size_t)count * bytes);
}

static void copy_fields(game_fields_t *table, game_field_t *list) {
    copy(list, table->list, table->count, sizeof *list);
    table->list = list;
}

static void copy_tables(tables_t *out) {
    game_export_t *game = &out->game;
    *game = *Game_Export();
    copy(out->callbacks, game->callbacks, game->num_callbacks, sizeof out->callbacks[0]);
    copy(out->cvars, game->cvars.list, game->cvars.count, sizeof out->cvars[0]);
    copy(out->spawns, game->spawns, game->num_spawns, sizeof out->spawns[0]);
    copy_fields(&game->edict_fields, out->fields[0]);
    copy_fields(&game->client_fields, out->fields[1]);
    copy_fields(&game->world_fields, out->fields[2]);
    game->callbacks = out->callbacks;
    game->cvars.list = out->cvars;
    game->spawns = out->spawns;
}

// Returns a text that a name may become: empty, blank, too long, of another table, with odd
// characters.
static const char *text_of(uint32_t value) {
    static const char *const texts[] = {
        "",
        " ",
        "health",
        "a b",
        "sv_gravity",
        "\xff\xfe",
        "classname",
        "=",
        "x=1",
        "1 a, 2 b",
        "name_that_is_much_longer_than_any_table_of_a_game_would_ever_need_it_to_be_in_its_life",
        "door",
    };
    return value % 16 < COUNTOF(texts) ? texts[value % 16] : NULL;
}

static void patch_field(game_field_t *field, uint8_t member, uint32_t value) {
    float real;
    memcpy(&real, &value, sizeof real);
    switch (member % 7) {
    case 0:
        field->name = text_of(value);
        break;
    case 1:
        field->type = (game_field_type_t)(value % 64);
        break;
    case 2:
        field->offset = value;
        break;
    case 4:
        field->min = real;
        break;
    case 5:
        field->max = real;
        break;
    case 6:
        field->step = real;
        break;
    default:
        field->flags = value;
    }
}

static void patch_cvar(cvar_def_t *def, uint8_t member, uint32_t value) {
    float real;
    memcpy(&real, &value, sizeof real);
    switch (member % 7) {
    case 0:
        def->name = text_of(value);
        break;
    case 1:
        def->type = (cvar_type_t)(value % 8);
        break;
    case 2:
        def->flags = value;
        break;
    case 3:
        def->def = text_of(value);
        break;
    case 4:
        def->min = (double)real;
        break;
    case 5:
        def->max = (double)real;
        break;
    default:
        def->offset = value;
    }
}

static void patch_game(game_export_t *game, uint8_t member, int32_t value) {
    int32_t *const counts[] = {&game->num_callbacks,       &game->num_spawns,
                               &game->cvars.count,         &game->edict_fields.count,
                               &game->client_fields.count, &game->world_fields.count};
    int32_t *count = counts[member % COUNTOF(counts)];
    // A larger count would claim memory that does not exist.
    *count = value < *count ? value : *count;
}

static void patch(tables_t *tables, const uint8_t in[7]) {
    uint32_t value;
    memcpy(&value, in + 3, sizeof value);
    int32_t entry = in[1];
    switch (in[0] % 8) {
    case 0:
    case 1:
    case 2:
        patch_field(&tables->fields[in[0] % 8][entry % 32], in[2], value);
        break;
    case 3:
        patch_cvar(&tables->cvars[entry % 32], in[2], value);
        break;
    case 4:
        tables->callbacks[entry % 64].name = text_of(value);
        break;
    case 5:
        tables->spawns[entry % 64].classname = text_of(value);
        break;
    case 6:
        *(in[2] % 2 ? &tables->spawns[entry % 64].keys : &tables->spawns[entry % 64].flags) =
            text_of(value);
        break;
    default:
        patch_game(&tables->game, in[2], (int32_t)value);
    }
}

static void check_tables(const uint8_t *data, size_t size) {
    static tables_t tables;
    static game_binding_t binding;
    const world_params_t params = {
        .max_edicts = 8, .max_clients = 1, .bounds = {{-9.0f, -9.0f, -9.0f}, {9.0f, 9.0f, 9.0f}}};
    err_t err = {""};
    memset(&tables, 0, sizeof tables);
    copy_tables(&tables);
    for (; size >= 7; data += 7, size -= 7) {
        patch(&tables, data);
    }
    if (!SV_CheckGame(&tables.game, &err)) {
        ASSERT(err.text[0] != '\0');
        return;
    }
    (void)SV_GameLayout(&tables.game);
    (void)SV_SameLayout(Game_Export(), &tables.game, &err);
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    ASSERT(world);
    bool good = SV_BindGame(world, &tables.game, &binding, &err);
    ASSERT(good);
    good = World_Check(world, world->bytes, &err);
    ASSERT(good);
    free(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) {
        return 0;
    }
    uint8_t *rest = malloc(size); // the last byte is missing, and nobody may read it
    ASSERT(rest);
    memcpy(rest, data + 1, size - 1);
    if (data[0] % 2 == 0) {
        check_file(rest, size - 1);
    } else {
        check_tables(rest, size - 1);
    }
    free(rest);
    return 0;
}
