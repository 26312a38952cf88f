/// physics/physics.c - SV_Physics: runs each awake edict by movetype.

#include "physics/physics_local.h"

bool SV_MaySleep(const edict_t *edict) {
    return edict->solid != SOLID_NOT || edict->groundentity.index == EDICT_WORLD;
}

// Puts an edict to rest, then runs it. A link, touch or think wakes the edict again. So only an
// edict without any event in a tick stays asleep.
void SV_PhysicsEdict(sv_context_t *sv, edict_t *edict) {
    World_Rest(sv->world, edict);
    if (!SV_RunThink(sv, edict, MAX_THINKS_TICK)) {
        return;
    }
    switch (edict->movetype) {
    case MOVETYPE_NONE:
    case MOVETYPE_FOLLOW:
        break; // followers move last, in SV_Followers
    case MOVETYPE_NOCLIP:
        SV_Physics_Noclip(sv, edict);
        break;
    case MOVETYPE_WALK:
        SV_Physics_Walk(sv, edict);
        break;
    case MOVETYPE_TOSS:
    case MOVETYPE_BOUNCE:
    case MOVETYPE_FLY:
    case MOVETYPE_FLYMISSILE:
    case MOVETYPE_BOUNCEMISSILE:
        SV_Physics_Toss(sv, edict);
        break;
    case MOVETYPE_STEP:
        SV_Physics_Step(sv, edict);
        break;
    default:
        SV_QuarantineEdict(sv, edict, "its movetype is out of range");
        break;
    }
}

static void visit(sv_context_t *sv, int32_t number) {
    world_t *world = sv->world;
    edict_t *edict = World_Edict(world, number);
    if (number <= world->max_clients || !World_IsLive(edict)) {
        World_Rest(world, edict);
        World_SyncTimer(world, edict); // step 3 runs client edicts
        return;
    }
    if (edict->movetype == MOVETYPE_PUSH) {
        World_Rest(world, edict);
        SV_WakeEdict(sv, edict); // step 2 of the next tick runs it
        World_SyncTimer(world, edict);
        return;
    }
    if (World_SpawnedNow(world, edict)) {
        World_SyncTimer(world, edict);
        return; // runs from the next tick on
    }
    SV_PhysicsEdict(sv, edict);
}

void SV_Physics(sv_context_t *sv) {
    ASSERT(sv->tick_seconds > 0.0f);
    World_WakeDue(sv);
    for (int32_t number = World_NextActive(sv->world, -1); number >= 0;
         number = World_NextActive(sv->world, number)) {
        visit(sv, number);
    }
}
