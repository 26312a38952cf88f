// fuzz_world.c - a damaged world block: World_Check refuses it, or it can be run. The input is a
// list of patches of five bytes each: offset (four) and value (one).
//
// An accepted block gives the same result in two runs, and World_Check still accepts it afterwards.

#include "collide/cmap.h"
#include "physics/actions.h"
#include "physics/physics.h"
#include "world/block.h"
#include "world/client.h"
#include "world/tick_time.h"

#include <stdlib.h>
#include <string.h>

#define NUM_TICKS 3

// Makes a map of one leaf, all of it empty.
static cmap_t make_map(cmodel_t *model, cleaf_t *leaf) {
    cmap_t map = {.num_models = 1, .num_leafs = 1, .models = model, .leafs = leaf};
    *leaf = (cleaf_t){.contents = CONTENTS_EMPTY, .cluster = CM_NO_CLUSTER};
    *model = (cmodel_t){.bounds = {{-500.0f, -500.0f, -500.0f}, {500.0f, 500.0f, 500.0f}}};
    for (int32_t i = 0; i < MAX_MAP_HULLS; i++) {
        model->hulls[i].root = CONTENTS_EMPTY;
    }
    return map;
}

static void jump_think(sv_context_t *sv, edict_t *self) {
    self->velocity.z = 200.0f;
    SV_SetNextThink(sv, self, SV_Time(sv) + 20);
}

static void push_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    other->velocity.x += 10.0f;
    if (++self->effects > 3) {
        SV_RemoveEdict(sv, self);
    }
}

static const callback_t functions[] = {
    {.name = "jump", .think = jump_think},
    {.name = "push", .touch = push_touch},
};

static void tick(sv_context_t *sv) {
    world_t *world = sv->world;
    world->time_ms += World_TickMs(world);
    SV_Pushers(sv);
    SV_Physics(sv);
    SV_Followers(sv);
    SV_RefuseSpeeds(sv);
    SV_FreeRemoved(sv);
    world->tick_hash = World_TickHash(world);
    world->tick++;
}

// Joins two sets, one of them three deep, and makes a chain of followers.
static void join(sv_context_t *sv) {
    edict_t *pushers[6];
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    for (int32_t i = 0; i < 6; i++) {
        pushers[i] = SV_SpawnEdict(sv);
        pushers[i]->movetype = MOVETYPE_PUSH;
        pushers[i]->origin = Vector(0.0f, 100.0f + 20.0f * (float)i, 0.0f);
        edict_t *follower = SV_SpawnEdict(sv);
        SV_Follow(sv, follower, i ? World_Edict(sv->world, 1) : pushers[i], zero, zero);
    }
    SV_PusherGlue(sv, pushers[1], pushers[0]);
    SV_PusherGlue(sv, pushers[2], pushers[1]);
    SV_PusherGlue(sv, pushers[3], pushers[0]);
    SV_PusherTeam(sv, pushers[5], pushers[4]);
    SV_PusherMoveTo(sv, pushers[0], (pose_t){Vector(0.0f, 0.0f, 50.0f), zero}, 100);
}

static void populate(sv_context_t *sv) {
    for (int32_t i = 0; i < 20; i++) {
        edict_t *edict = SV_SpawnEdict(sv);
        edict->classname = World_String(sv->world, i % 2 ? "box" : "pad");
        edict->movetype = i % MOVETYPE_COUNT;
        edict->solid = i % 5 == 0 ? SOLID_TRIGGER : SOLID_BBOX;
        edict->origin = Vector((float)i * 10.0f, 0.0f, (float)(i % 3) * 20.0f);
        edict->mins = Vector(-8.0f, -8.0f, -8.0f);
        edict->maxs = Vector(8.0f, 8.0f, 8.0f);
        edict->think = Callbacks_Find(sv->world, "jump");
        edict->touch = Callbacks_Find(sv->world, "push");
        SV_SetNextThink(sv, edict, 10 + i * 7);
        SV_LinkEdict(sv, edict, true);
    }
    SV_FreeEdict(sv, World_Edict(sv->world, 9));
    World_Client(sv->world, 0)->inuse = 1;
    SV_SpawnEdictAt(sv, 1);
    join(sv);
    for (int32_t i = 0; i < 4; i++) {
        tick(sv);
    }
}

static void patch(world_t *world, size_t bytes, const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 5 <= size; i += 5) {
        uint32_t at = 0;
        memcpy(&at, data + i, sizeof at);
        ((uint8_t *)world)[at % bytes] = data[i + 4];
    }
}

static uint64_t run(sv_context_t *sv, size_t bytes) {
    err_t err;
    for (int32_t i = 0; i < NUM_TICKS; i++) {
        tick(sv);
    }
    if (!World_Check(sv->world, bytes, &err)) {
        abort();
    }
    return World_Hash(sv->world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const world_params_t params = {
        .max_edicts = 40,
        .max_clients = 1,
        .seed = 9,
        .bounds = {{-500.0f, -500.0f, -500.0f}, {500.0f, 500.0f, 500.0f}}};
    cmodel_t model;
    cleaf_t leaf;
    const cmap_t map = make_map(&model, &leaf);
    size_t bytes = World_Bytes(&params);
    callback_binding_t callbacks;
    err_t err;
    sv_context_t sv = {
        .world = World_Init(malloc(bytes), &params), .map = &map, .callbacks = &callbacks};
    sv.tick_seconds = World_TickSeconds(sv.world);
    if (!Callbacks_Bind(sv.world, functions, COUNTOF(functions), &callbacks, &err)) {
        abort();
    }
    populate(&sv);
    patch(sv.world, bytes, data, size);
    if (World_Check(sv.world, bytes, &err)) {
        world_t *copy = malloc(bytes);
        memcpy(copy, sv.world, bytes);
        uint64_t hash = run(&sv, bytes);
        memcpy(sv.world, copy, bytes);
        if (run(&sv, bytes) != hash) {
            abort();
        }
        free(copy);
    } else if (size < 5) {
        abort(); // the undamaged block must be accepted
    }
    free(sv.world);
    return 0;
}
