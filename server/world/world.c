/// world/world.c - the block as a whole: layout, initial contents, hashes.

#include "world/world.h"

#include "base/cvar.h"
#include "base/hash.h"
#include "base/pages.h"
#include "world/area.h"
#include "world/client.h"
#include "world/edict_timers.h"
#include "world/history.h"
#include "world/names.h"
#include "world/pushers.h"
#include "world/world_local.h"

#include <string.h>

_Static_assert(sizeof(client_t) % 8 == 0, "no padding at the end");

#define PART_ALIGN 64u // bytes; parts start on a cache line

#define COUNT_CVAR(type, name, def, min, max, unit, help) +4
_Static_assert(sizeof(game_cvars_t) == 0 SIM_CVARS(COUNT_CVAR) MOVEVARS(COUNT_CVAR), "no padding");
#undef COUNT_CVAR
_Static_assert(sizeof(game_cvars_t) <= CVARS_ROOM_BYTES, "the cvars must fit");
_Static_assert(sizeof(world_counters_t) == 19 * 8, "no padding");
// 24 members of 8 bytes, 18 of 4 bytes, and the arrays add up to the struct if it has no padding.
_Static_assert(sizeof(world_t) == 8 * 24 + 4 * 18 + sizeof(world_counters_t) + CVARS_ROOM_BYTES +
                                      2 * STRING_BUCKETS + 2 * NAMES_OF_GAME * NAMES_MAX +
                                      32 * MAX_CALLBACKS + MAX_STRINGS_BYTES + WORLD_GAME_BYTES,
               "no padding");
_Static_assert(sizeof(client_t) == 8 * 3 + 4 * 13 + sizeof(usercmd_t) * (MAX_CMD_QUEUE + 1) +
                                       sizeof(player_state_t) + MAX_NAME_BYTES +
                                       CLIENT_INFOS * MAX_INFO_BYTES + CLIENT_GAME_BYTES,
               "no padding");

// ---- layout ----

static uint64_t place(uint64_t *end, uint64_t bytes) {
    uint64_t start = (*end + PART_ALIGN - 1) & ~(uint64_t)(PART_ALIGN - 1);
    *end = start + bytes;
    return start;
}

world_layout_t World_Layout(const world_params_t *params) {
    uint64_t edicts = (uint64_t)params->max_edicts;
    uint64_t words = (uint64_t)Bits_Words(params->max_edicts);
    uint64_t end = sizeof(world_t);
    world_layout_t layout = {0};
    layout.edicts = place(&end, edicts * sizeof(edict_t));
    layout.clients = place(&end, (uint64_t)params->max_clients * sizeof(client_t));
    layout.area = place(&end, Area_Bytes(params->max_edicts, params->bounds));
    layout.active = place(&end, words * 8);
    uint64_t timers = (uint64_t)World_MaxTimers(params->max_edicts);
    layout.timers =
        place(&end, (edicts + 1) * sizeof(timer_entry_t) + (timers + 1) * sizeof(edict_timer_t) +
                        edicts * sizeof(int32_t));
    layout.written = place(&end, words * 8 + edicts * sizeof(int32_t));
    layout.grounds = place(&end, words * 8);
    layout.pushers = place(&end, words * 8);
    layout.pushes = place(&end, edicts * (sizeof(push_save_t) + sizeof(pusher_links_t)));
    layout.history = place(&end, History_Bytes(params->max_edicts, params->max_clients));
    layout.bytes = place(&end, 0);
    return layout;
}

static void check_params(const world_params_t *params) {
    ASSERT(params->max_clients >= 1 && params->max_clients <= MAX_CLIENTS);
    ASSERT(params->max_edicts > params->max_clients && params->max_edicts <= MAX_EDICTS);
}

client_t *World_Client(const world_t *world, int32_t slot) {
    ASSERT(slot >= 0 && slot < world->max_clients);
    return (client_t *)((uintptr_t)world + world->ofs_clients) + slot;
}

client_t *World_ClientOf(const world_t *world, const edict_t *edict) {
    int32_t number = World_EdictNumber(world, edict);
    if (number < 1 || number > world->max_clients) {
        return NULL;
    }
    client_t *client = World_Client(world, number - 1);
    return client->inuse ? client : NULL;
}

size_t World_Bytes(const world_params_t *params) {
    check_params(params);
    return World_Layout(params).bytes;
}

static game_cvars_t default_cvars(void) {
    return (game_cvars_t){
#define CVAR_DEFAULT(type, name, def, min, max, unit, help) .name = (def),
        SIM_CVARS(CVAR_DEFAULT)
#undef CVAR_DEFAULT
            .move = MoveVars_Default(),
    };
}

static void make_world_edict(world_t *world) {
    edict_t *edict = World_Edict(world, EDICT_WORLD);
    edict->inuse = 1;
    edict->generation = 1;
    edict->solid = SOLID_BSP;
    edict->movetype = MOVETYPE_NONE;
}

world_t *World_Init(void *block, const world_params_t *params) {
    check_params(params);
    world_layout_t layout = World_Layout(params);
    Pages_Zero(block, layout.bytes);
    world_t *world = block;
    world->magic = WORLD_MAGIC;
    world->bytes = layout.bytes;
    world->map_hash = params->map_hash;
    world->rng.state = params->seed;
    world->max_edicts = params->max_edicts;
    world->max_clients = params->max_clients;
    world->num_edicts = params->max_clients + 1;
    world->first_free = -1;
    world->ofs_edicts = layout.edicts;
    world->ofs_clients = layout.clients;
    world->ofs_area = layout.area;
    world->ofs_active = layout.active;
    world->ofs_timers = layout.timers;
    world->ofs_written = layout.written;
    world->ofs_grounds = layout.grounds;
    world->ofs_pushers = layout.pushers;
    world->ofs_pushes = layout.pushes;
    world->ofs_history = layout.history;
    world->touch_tick = -1;
    world->cvars = default_cvars();
    world->num_callbacks = 1;
    world->strings_bytes = 1;
    world->strings_hash = WORLD_HASH_SEED;
    world->names_hash = World_NamesHash(world);
    world->name_hash = Names_Hash(world);
    Area_Init((area_t *)((uintptr_t)world + world->ofs_area), params->max_edicts, params->bounds);
    make_world_edict(world);
    History_Init(world);
    return world;
}

// ---- hashes ----

uint64_t World_Hash(const world_t *world) {
    return Hash_Bytes(world, world->bytes, WORLD_HASH_SEED);
}

void World_MarkWritten(world_t *world, const edict_t *edict) {
    World_MarkNumber(world, World_EdictNumber(world, edict));
}

int32_t *World_WrittenList(const world_t *world) {
    return (int32_t *)(World_WrittenBits(world) + Bits_Words(world->max_edicts));
}

// Hashes the fixed part except tick_hash. Stored hashes in the fixed part stand for names and
// texts, which are append-only.
static uint64_t hash_fixed(const world_t *world) {
    const uint8_t *start = (const uint8_t *)world;
    const size_t before = offsetof(world_t, tick_hash);
    const size_t after = before + sizeof world->tick_hash;
    uint64_t hash = Hash_Bytes(start, before, WORLD_HASH_SEED);
    hash = Hash_Bytes(start + after, offsetof(world_t, string_buckets) - after, hash);
    return Hash_Bytes(world->game, sizeof world->game, hash);
}

// Hashes a client without unused entries of the queue, and without name and settings, which only
// inputs change.
static uint64_t hash_client(const client_t *client, int32_t slot) {
    const uint8_t *start = (const uint8_t *)client;
    const size_t after = offsetof(client_t, player);
    uint64_t hash = Hash_Bytes(start, offsetof(client_t, queue), (uint64_t)slot);
    hash = Hash_Bytes(start + after, offsetof(client_t, name) - after, hash);
    hash = Hash_Bytes(client->game, sizeof client->game, hash);
    for (int32_t i = 0; i < client->queue_count; i++) {
        const usercmd_t *cmd = &client->queue[(client->queue_first + i) % MAX_CMD_QUEUE];
        hash = Hash_Bytes(cmd, sizeof *cmd, hash);
    }
    return hash;
}

uint64_t World_TickHash(world_t *world) {
    if (VALIDATE && world->tick % (VALIDATE ? VALIDATE : 1) == 0) {
        err_t err;
        ASSERT(World_Check(world, world->bytes, &err));
    }
    uint64_t sum = hash_fixed(world);
    for (int32_t i = 0; i < world->max_clients; i++) {
        const client_t *client = World_Client(world, i);
        if (client->inuse) {
            sum += hash_client(client, i);
        }
    }
    const int32_t *list = World_WrittenList(world);
    for (int32_t i = 0; i < world->num_written; i++) {
        const edict_t *edict = World_Edict(world, list[i]);
        sum += Hash_Bytes(edict, sizeof *edict, (uint64_t)list[i]);
        for (int32_t timer = edict->timers; timer != 0;) {
            const edict_timer_t *at = World_EdictTimer(world, timer);
            sum += Hash_Bytes(at, sizeof *at, (uint64_t)timer);
            timer = at->next;
        }
        Bits_Clear(World_WrittenBits(world), list[i]);
    }
    world->num_written = 0;
    return sum;
}
