// fuzz_play.c - a mutated map file that loads must also be playable: entities spawn, players walk,
// jump and shoot, and the world stays valid. BSP29 with recovered brushes, IBSP 38 and 46, .emesh.
//
// Input:      u8 seed of the players' input, then the file. An .emesh gets valid checksums.
// Invariants: World_Check accepts the world after each tick; the same input gives the same hash.

#include "base/assert.h"
#include "base/rng.h"
#include "bsp/map.h"
#include "core/frame.h"
#include "game/game.h"
#include "model/emesh.h"
#include "model/emesh_layout.h"
#include "model/emesh_write.h"
#include "move/profiles.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NUM_PLAYERS 3
#define NUM_TICKS   40
#define TICK_MS     16

typedef struct {
    const cmap_t *map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
} play_t;

static bool start(play_t *play) {
    const world_params_t params = {.max_edicts = 256,
                                   .max_clients = NUM_PLAYERS,
                                   .seed = 5,
                                   .map_hash = CM_Info(play->map).hash,
                                   .bounds = CM_ModelBounds(play->map, 0)};
    err_t err = {""};
    play->world = World_Init(malloc(World_Bytes(&params)), &params);
    ASSERT(play->world);
    bool good = SV_BindGame(play->world, Game_Export(), &play->game, &err);
    ASSERT(good);
    if (!SV_SpawnEntities(play->world, play->map, &play->game, play->events, &err)) {
        ASSERT(err.text[0] != '\0');
        return false;
    }
    for (int32_t i = 0; i < NUM_PLAYERS; i++) {
        input_t *input = Inputs_Add(play->inputs, INPUT_JOIN, i);
        snprintf(input->text, sizeof input->text, "p%d", i);
        input->value = i == NUM_PLAYERS - 1; // makes the last player a spectator
    }
    return true;
}

static void tick(play_t *play) {
    err_t err = {""};
    for (int32_t i = 0; i < NUM_PLAYERS && play->world->tick > 0; i++) {
        input_t *input = Inputs_Add(play->inputs, INPUT_USERCMD, i);
        uint32_t random = Rng_Below(&play->rng, 1u << 16);
        input->cmd = (usercmd_t){.tick = play->world->tick,
                                 .msec = TICK_MS,
                                 .yaw = (uint16_t)random,
                                 .pitch = (uint16_t)(random << 8),
                                 .forward = 320,
                                 .side = (int16_t)(random % 640) - 320,
                                 .up = (int16_t)(random % 3 == 0 ? 320 : 0),
                                 .impulse = (uint8_t)(random % 9),
                                 .buttons = (uint8_t)(random >> 8 & 15)};
    }
    SV_Frame(play->world, play->map, &play->game, play->inputs, play->events);
    Inputs_Clear(play->inputs);
    Events_Clear(play->events);
    bool good = World_Check(play->world, play->world->bytes, &err);
    ASSERT(good);
}

/// Plays the map. Returns the hash of the world at the end.
static uint64_t run(const cmap_t *map, uint8_t seed) {
    static play_t play;
    memset(&play, 0, sizeof play);
    play.map = map;
    play.rng = (rng_t){seed};
    play.inputs = calloc(1, sizeof *play.inputs);
    play.events = calloc(1, sizeof *play.events);
    ASSERT(play.inputs && play.events);
    uint64_t hash = 0;
    if (start(&play)) {
        for (int32_t i = 0; i < NUM_TICKS; i++) {
            tick(&play);
        }
        hash = World_Hash(play.world);
    }
    free(play.world);
    free(play.inputs);
    free(play.events);
    return hash;
}

static cmap_t *load(const uint8_t *data, size_t size) {
    char path[64];
    err_t err = {""};
    int fd = memfd_create("map", MFD_CLOEXEC);
    ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    cmap_t *map = Map_Load(path, &err);
    ASSERT(map || err.text[0] != '\0');
    close(fd);
    return map;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < sizeof(emesh_header_t) + 1) {
        return 0;
    }
    uint8_t *bytes = malloc(size - 1);
    ASSERT(bytes);
    memcpy(bytes, data + 1, size - 1);
    if (EMesh_IsOne(bytes, size - 1)) {
        EMesh_Seal(bytes, size - 1);
    }
    cmap_t *map = load(bytes, size - 1);
    if (map) {
        uint64_t hash = run(map, data[0]);
        ASSERT(run(map, data[0]) == hash);
    }
    Map_Free(map);
    free(bytes);
    return 0;
}
