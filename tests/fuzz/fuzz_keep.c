// fuzz_keep.c - hostile values that survive a change of map enter a new world of the reference
// game, as a damaged host or replay would send them. The players then walk, jump and shoot.
//
// Input:      the numbers of an arrival_t (bit 0 of the first byte: ducked), u8 count, that many
//             bytes for a client, the rest for the world. Each value is u8 field and its bytes.
// Invariants: World_Check accepts the world after each tick; the same input gives the same hash.

#include "base/assert.h"
#include "core/core_local.h"
#include "core/game_tables.h"
#include "game/game.h"
#include "lib/world_fixture.h"
#include "world/block.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NUM_TICKS 12
#define TICK_MS   16
#define MAX_VALUE 64 // bytes

static const char entities[] =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-100 0 25\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"100 0 25\" }\n"
    "{ \"classname\" \"info_landmark\" \"targetname\" \"gate\" \"origin\" \"0 0 64\" }\n";

// Moves at most `most` bytes from the input. Returns how many.
static int32_t take(const uint8_t **data, size_t *size, void *to, size_t most) {
    size_t bytes = *size < most ? *size : most;
    memcpy(to, *data, bytes);
    *data += bytes;
    *size -= bytes;
    return (int32_t)bytes;
}

// Writes values of any fields, as SV_PackKept writes those with FIELD_KEEP. The last is cut off.
static void keep(input_t *input, const game_fields_t *fields, const uint8_t *data, size_t size) {
    int32_t used = 0;
    while (size > 1 && used + 3 + MAX_VALUE <= KEEP_BYTES) {
        const game_field_t *field = &fields->list[data[0] % fields->count];
        size_t bytes =
            field->type == FIELD_STRING ? 1u + data[1] % 64u : SV_FieldBytes(field->type);
        input->kept[used++] = (uint8_t)(field->offset & 0xff);
        input->kept[used++] = (uint8_t)(field->offset >> 8);
        data++, size--;
        used += take(&data, &size, input->kept + used, bytes);
    }
    input->num_kept = used;
}

static void join(test_world_t *test, const uint8_t *data, size_t size) {
    const game_export_t *game = Game_Export();
    uint8_t count = 0;
    input_t *input = Inputs_Add(test->inputs, INPUT_JOIN, 0);
    memset(&input->from, 0, sizeof input->from);
    strcpy(input->name, "traveller");
    arrival_t *from = &input->from;
    bool is_ducked = size > 0 && (data[0] & 1);
    take(&data, &size, &from->offset, sizeof from->offset);
    take(&data, &size, &from->angles, sizeof from->angles);
    take(&data, &size, &from->velocity, sizeof from->velocity);
    take(&data, &size, &from->health, sizeof from->health);
    take(&data, &size, &from->cmd_yaw, sizeof from->cmd_yaw);
    from->is_ducked = is_ducked ? 1 : 0;
    memcpy(from->landmark, "gate", sizeof "gate");
    take(&data, &size, &count, sizeof count);
    size_t own = size < count ? size : count;
    keep(input, &game->client_fields, data, own);
    input_t other = {.num_kept = 0};
    keep(&other, &game->world_fields, data + own, size - own);
    SV_UnpackKept(test->world, &game->world_fields, other.kept, other.num_kept, test->world->game);
}

// Makes a small world, which each run begins with.
static void *make_world(test_world_t *test) {
    static const test_map_t map = {.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                                   .entities = entities,
                                   .brush_list = true};
    ASSERT(TestMap_Build(&test->map, &map));
    TestWorld_Start(test, 64, 2, NULL, NULL);
    void *copy = malloc(test->world->bytes);
    memcpy(copy, test->world, test->world->bytes);
    return copy;
}

static uint64_t run(const uint8_t *data, size_t size) {
    static test_world_t test;
    static void *first;
    err_t err;
    if (!first) {
        first = make_world(&test);
    }
    memcpy(test.world, first, test.world->bytes);
    join(&test, data, size);
    TestWorld_Join(&test, 1, "other");
    for (int32_t i = 0; i < NUM_TICKS; i++) {
        TestWorld_Tick(&test);
        bool good = World_Check(test.world, test.world->bytes, &err);
        ASSERT(good);
        for (int32_t client = 0; client < 2; client++) {
            TestWorld_Cmd(&test, client,
                          (usercmd_t){.tick = test.world->tick,
                                      .msec = TICK_MS,
                                      .forward = 320,
                                      .impulse = (uint8_t)i,
                                      .buttons = (uint8_t)(i * 5 % 16)});
        }
    }
    Inputs_Clear(test.inputs);
    return World_Hash(test.world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t hash = run(data, size);
    ASSERT(run(data, size) == hash);
    return 0;
}
