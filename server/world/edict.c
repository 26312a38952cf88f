/// world/edict.c - edict slots: spawn, remove, free, handles, timers, the set of awake edicts.
//
// Memory:  slots 1..max_clients belong to the clients and are never on the free list. Other slots
//          come from the free list, last freed first, and then from the slots never used.

#include "world/area.h"
#include "world/edict_timers.h"
#include "world/faults.h"
#include "world/followers.h"
#include "world/link.h"
#include "world/pushers.h"
#include "world/world_local.h"

#include <string.h>

// 43 numbers or pairs of 4 bytes, 15 vectors, 7 times and handles of 8 bytes, the motion, the leg
// and the game's part add up to the struct if it has no padding, whose bytes would make hashes
// differ.
_Static_assert(sizeof(edict_t) == 43 * 4 + 15 * sizeof(vec3_t) + 7 * 8 + sizeof(motion_t) +
                                      sizeof(leg_t) + EDICT_GAME_BYTES,
               "no padding");
_Static_assert(sizeof(edict_t) % 8 == 0, "no padding at the end");

edict_t *World_Deref(const world_t *world, edict_ref_t ref) {
    if (ref.generation == 0 || ref.index >= (uint32_t)world->num_edicts) {
        return NULL;
    }
    edict_t *edict = World_Edict(world, (int32_t)ref.index);
    return edict->inuse && edict->generation == ref.generation ? edict : NULL;
}

static edict_t *make_live(world_t *world, int32_t number) {
    edict_t *edict = World_Edict(world, number);
    ASSERT(edict->inuse == 0 && !Area_IsLinked(world, number));
    uint32_t generation = edict->generation;
    memset(edict, 0, sizeof *edict);
    edict->generation = generation == 0 ? 1 : generation;
    edict->inuse = 1;
    edict->spawn_tick_lo = (int32_t)(world->tick & 0x7fffffff);
    Bits_Set(World_ActiveBits(world), number);
    World_MarkWritten(world, edict);
    return edict;
}

edict_t *SV_SpawnEdict(sv_context_t *sv) {
    world_t *world = sv->world;
    int32_t number = world->first_free;
    if (number >= 0) {
        ASSERT(number > world->max_clients && number < world->num_edicts);
        world->first_free = World_Edict(world, number)->next_free;
    } else if (world->num_edicts < world->max_edicts) {
        number = world->num_edicts++;
    } else {
        world->counters.edicts_full++;
        SV_ReportFault(sv, "", "no free edict: all %d are in use; raise sv_maxedicts",
                       world->max_edicts);
        return NULL;
    }
    return make_live(world, number);
}

edict_t *SV_SpawnEdictAt(sv_context_t *sv, int32_t number) {
    world_t *world = sv->world;
    ASSERT(number >= 1 && number <= world->max_clients);
    edict_t *edict = World_Edict(world, number);
    if (edict->inuse) {
        SV_FreeEdict(sv, edict);
    }
    return make_live(world, number);
}

void SV_FreeEdict(sv_context_t *sv, edict_t *edict) {
    world_t *world = sv->world;
    int32_t number = World_EdictNumber(world, edict);
    ASSERT(number > EDICT_WORLD && edict->inuse);
    SV_UnlinkEdict(sv, edict);
    Followers_Unlink(world, edict);
    Pushers_Leave(world, edict);
    World_ClearTimers(world, edict);
    Timers_Set(world, number, 0);
    World_Rest(world, edict);
    World_MarkWritten(world, edict);
    uint32_t generation = edict->generation + 1;
    world->num_killed -= (edict->flags & FL_KILLME) ? 1 : 0;
    memset(edict, 0, sizeof *edict);
    edict->generation = generation == 0 ? 1 : generation;
    if (number > world->max_clients) {
        edict->next_free = world->first_free;
        world->first_free = number;
    }
}

void SV_RemoveEdict(sv_context_t *sv, edict_t *edict) {
    world_t *world = sv->world;
    int32_t number = World_EdictNumber(world, edict);
    if (number == EDICT_WORLD || !edict->inuse || (edict->flags & FL_KILLME)) {
        return;
    }
    SV_UnlinkEdict(sv, edict);
    Pushers_Leave(world, edict);
    World_ClearTimers(world, edict);
    SV_SetNextThink(sv, edict, 0);
    edict->flags |= FL_KILLME;
    World_Rest(world, edict);
    World_MarkWritten(world, edict);
    world->num_killed++;
}

static void free_if_removed(sv_context_t *sv, int32_t number) {
    edict_t *edict = World_Edict(sv->world, number);
    if (edict->inuse && (edict->flags & FL_KILLME)) {
        SV_FreeEdict(sv, edict);
    }
}

void SV_FreeRemoved(sv_context_t *sv) {
    world_t *world = sv->world;
    // Removed edicts are marked as written, so the written list has all edicts removed in a tick.
    for (int32_t i = 0; i < world->num_written && world->num_killed > 0; i++) {
        free_if_removed(sv, World_WrittenList(world)[i]);
    }
    // The tick hash empties that list, so edicts removed after it are searched among all edicts.
    for (int32_t i = 1; i < world->num_edicts && world->num_killed > 0; i++) {
        free_if_removed(sv, i);
    }
    ASSERT(world->num_killed == 0);
}

void SV_SetNextThink(sv_context_t *sv, edict_t *edict, int64_t time_ms) {
    if (World_IsLive(edict)) {
        edict->nextthink_ms = time_ms > 0 ? time_ms : 0;
        World_SyncTimer(sv->world, edict);
        World_MarkWritten(sv->world, edict);
    }
}

int64_t World_NextDue(const world_t *world, const edict_t *edict) {
    int64_t think_ms = edict->nextthink_ms > 0 ? edict->nextthink_ms : 0;
    int32_t timer = World_FirstTimer(world, edict);
    int64_t timer_ms = timer != 0 ? World_EdictTimer(world, timer)->time_ms : 0;
    return timer_ms > 0 && (think_ms == 0 || timer_ms < think_ms) ? timer_ms : think_ms;
}

void World_SyncTimer(world_t *world, const edict_t *edict) {
    int64_t time_ms = World_IsLive(edict) ? World_ThinkTime(world, edict) : 0;
    Timers_Set(world, World_EdictNumber(world, edict), time_ms);
}

// Marks an edict for step 4 of the tick, or a pusher for step 2 (frame.h).
static void wake(world_t *world, int32_t number) {
    bool is_pusher = World_Edict(world, number)->movetype == MOVETYPE_PUSH;
    Bits_Set(is_pusher ? World_PusherBits(world) : World_ActiveBits(world), number);
}

void SV_WakeEdict(sv_context_t *sv, edict_t *edict) {
    if (World_IsLive(edict)) {
        wake(sv->world, World_EdictNumber(sv->world, edict));
    }
}

void World_Rest(world_t *world, const edict_t *edict) {
    int32_t number = World_EdictNumber(world, edict);
    Bits_Clear(World_ActiveBits(world), number);
    Bits_Clear(World_PusherBits(world), number);
}

int32_t World_NextActive(const world_t *world, int32_t after) {
    return Bits_Next(World_ActiveBits(world), after, world->num_edicts);
}

void World_WakeDue(sv_context_t *sv) {
    world_t *world = sv->world;
    int32_t number = -1;
    while ((number = Timers_PopDue(world, world->time_ms)) >= 0) {
        wake(world, number);
    }
}
