/// world/link.c - linking and unlinking, ground and riders, quarantine.

#include "world/link.h"

#include "move/meet.h"
#include "world/area_local.h"
#include "world/edict_timers.h"
#include "world/events.h"
#include "world/faults.h"
#include "world/gamecheck.h"
#include "world/history.h"
#include "world/pushers.h"
#include "world/shape.h"
#include "world/world_local.h"

#include <stdio.h>
#include <string.h>

#define MAX_BOX_SIDE  (2 * MAX_WORLD_COORD) // qu; a box corner beyond this is impossible
#define ITEM_MARGIN   15.0f // qu; margin of items along x and y, so that they are easy to pick up
#define REST_DISTANCE 1.0f  // qu; maximum distance of a rider's linked box from its ground's

#define QUARANTINE_BYTES 160 // text of an edict's state; longer ones are cut

// ---- quarantine ----

// Zeroes a NaN or huge vector. The bits of a NaN would differ between CPUs.
static void make_finite(vec3_t *v) {
    if (!VectorWithin(*v, 4.0f * MAX_WORLD_COORD)) {
        *v = (vec3_t){0.0f, 0.0f, 0.0f};
    }
}

// Writes the fields that can be at fault.
static void write_state(const edict_t *edict, char text[QUARANTINE_BYTES]) {
    const vec3_t at = edict->origin, v = edict->velocity, lo = edict->mins, hi = edict->maxs;
    snprintf(text, QUARANTINE_BYTES,
             "origin %g %g %g, velocity %g %g %g, box %g %g %g to %g %g %g, movetype %d",
             (double)at.x, (double)at.y, (double)at.z, (double)v.x, (double)v.y, (double)v.z,
             (double)lo.x, (double)lo.y, (double)lo.z, (double)hi.x, (double)hi.y, (double)hi.z,
             (int)edict->movetype);
}

void SV_QuarantineEdict(sv_context_t *sv, edict_t *edict, const char *why) {
    world_t *world = sv->world;
    int32_t number = World_EdictNumber(world, edict);
    if (number == EDICT_WORLD || !World_IsLive(edict)) {
        return;
    }
    char state[QUARANTINE_BYTES];
    write_state(edict, state);
    SV_UnlinkEdict(sv, edict);
    World_ClearTimers(world, edict);
    SV_SetNextThink(sv, edict, 0);
    edict->flags |= FL_QUARANTINED;
    World_Rest(world, edict);
    World_MarkWritten(world, edict);
    make_finite(&edict->origin);
    make_finite(&edict->velocity);
    make_finite(&edict->angles);
    make_finite(&edict->avelocity);
    make_finite(&edict->mins);
    make_finite(&edict->maxs);
    make_finite(&edict->oldorigin);
    edict->gravity = fabsf(edict->gravity) <= MAX_WORLD_COORD ? edict->gravity : 0.0f;
    world->counters.quarantined++;
    Pushers_Wake(world, edict); // the set continues without the edict
    char place[FAULT_PLACE_BYTES];
    SV_WritePlace(sv, place);
    Events_Log(sv->events, LOG_WARN, "edict %d (%s) is quarantined: %s%s%s (%s)", number,
               World_Text(world, edict->classname), why, place[0] ? "; found by " : "", place,
               state);
}

// ---- ground and riders ----

static void lose_ground(edict_t *edict) {
    edict->flags &= ~FL_ONGROUND;
    edict->groundentity = (edict_ref_t){0, 0};
}

void SV_SetGround(sv_context_t *sv, edict_t *edict, const edict_t *ground) {
    if (!ground) {
        lose_ground(edict);
        return;
    }
    ASSERT(edict != ground);
    edict->flags |= FL_ONGROUND;
    edict->groundentity = World_Ref(sv->world, ground);
    Bits_Set(World_GroundBits(sv->world), World_EdictNumber(sv->world, ground));
}

bool SV_MayCarry(const sv_context_t *sv, const edict_t *ground) {
    return Bits_Get(World_GroundBits(sv->world), World_EdictNumber(sv->world, ground));
}

typedef struct {
    sv_context_t *sv;
    edict_ref_t ground;
    bool keeps_clients; // clients find their ground in each step
    bool has_client;
} riders_t;

static void wake_rider(void *context, int32_t number) {
    riders_t *riders = context;
    edict_t *edict = World_Edict(riders->sv->world, number);
    edict_ref_t ground = edict->groundentity;
    if (ground.index != riders->ground.index || ground.generation != riders->ground.generation) {
        return;
    }
    if (riders->keeps_clients && World_ClientOf(riders->sv->world, edict)) {
        riders->has_client = true;
    } else {
        lose_ground(edict);
        World_MarkWritten(riders->sv->world, edict);
        SV_WakeEdict(riders->sv, edict);
    }
}

static void visit_riders(riders_t *riders, bounds_t box) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    box = BoundsOfSweep(zero, zero, box.mins, box.maxs, REST_DISTANCE);
    Area_Visit(riders->sv->world, box, AREA_SOLID, wake_rider, riders);
    Area_Visit(riders->sv->world, box, AREA_TRIGGERS, wake_rider, riders);
}

void SV_WakeRiders(sv_context_t *sv, const edict_t *ground, bounds_t box) {
    riders_t riders = {.sv = sv, .ground = World_Ref(sv->world, ground)};
    visit_riders(&riders, box);
}

// Wakes the riders of `ground`. Skips the search if no edict came to rest on `ground` since the
// last search.
static void wake_riders(sv_context_t *sv, const edict_t *ground) {
    riders_t riders = {.sv = sv, .ground = World_Ref(sv->world, ground), .keeps_clients = true};
    const int32_t number = World_EdictNumber(sv->world, ground);
    if (SV_MayCarry(sv, ground)) {
        Bits_Clear(World_GroundBits(sv->world), number);
        visit_riders(&riders, (bounds_t){ground->absmin, ground->absmax});
    }
    if (riders.has_client) {
        Bits_Set(World_GroundBits(sv->world), number);
    }
}

// ---- link ----

// Returns the reason why an edict cannot be linked, or NULL.
static const char *link_fault(const sv_context_t *sv, const edict_t *edict) {
    if (!VectorWithin(edict->origin, MAX_WORLD_COORD)) {
        return "its origin is outside the world";
    }
    if (!VectorWithin(edict->mins, MAX_BOX_SIDE) || !VectorWithin(edict->maxs, MAX_BOX_SIDE) ||
        edict->mins.x > edict->maxs.x || edict->mins.y > edict->maxs.y ||
        edict->mins.z > edict->maxs.z) {
        return "its box is inverted or too large";
    }
    if (edict->solid < 0 || edict->solid >= SOLID_COUNT) {
        return "its solid is out of range";
    }
    if (edict->solid == SOLID_BSP && (edict->model < 1 || edict->model >= CM_NumModels(sv->map))) {
        return "it is SOLID_BSP without a brush model";
    }
    return NULL;
}

static float sum_of_sizes(vec3_t v) {
    return fabsf(v.x) + fabsf(v.y) + fabsf(v.z);
}

// Returns true if an edict surely has no link fault. If false, link_fault must decide.
static inline bool is_plain(const edict_t *edict) {
    float sum =
        sum_of_sizes(edict->origin) + (sum_of_sizes(edict->mins) + sum_of_sizes(edict->maxs));
    return sum <= MAX_WORLD_COORD && edict->mins.x <= edict->maxs.x &&
           edict->mins.y <= edict->maxs.y && edict->mins.z <= edict->maxs.z && edict->solid >= 0 &&
           edict->solid < SOLID_BSP;
}

// Returns an edict's box in the world plus the margin.
static bounds_t link_box(const sv_context_t *sv, const edict_t *edict) {
    float side = (edict->flags & FL_ITEM) ? ITEM_MARGIN : PM_LINK_MARGIN;
    vec3_t margin = {side, side, PM_LINK_MARGIN};
    bounds_t box = {VectorAdd(edict->origin, edict->mins), VectorAdd(edict->origin, edict->maxs)};
    if (edict->model != 0) {
        box = World_Box(sv, edict);
    }
    return (bounds_t){VectorSubtract(box.mins, margin), VectorAdd(box.maxs, margin)};
}

// Returns true if an edict can be linked. Quarantines an edict in an impossible state.
static bool may_link(sv_context_t *sv, edict_t *edict) {
    if (World_EdictNumber(sv->world, edict) == EDICT_WORLD || !World_IsLive(edict)) {
        return false;
    }
    const char *fault = is_plain(edict) ? NULL : link_fault(sv, edict);
    if (fault) {
        SV_QuarantineEdict(sv, edict, fault);
    }
    return !fault;
}

static void link_at(sv_context_t *sv, edict_t *edict, bounds_t box) {
    world_t *world = sv->world;
    int32_t number = World_EdictNumber(world, edict);
    ASSERT(number != EDICT_WORLD && World_IsLive(edict));
    ASSERT(box.mins.x < box.maxs.x && box.mins.y < box.maxs.y && box.mins.z < box.maxs.z);
    edict->absmin = box.mins;
    edict->absmax = box.maxs;
    World_MarkNumber(world, number);
    History_Link(world, edict);
    sv->num_links++;
    if (edict->solid == SOLID_NOT) {
        Area_Unlink(world, number);
        return;
    }
    area_link(world, number, box.mins, box.maxs,
              edict->solid == SOLID_TRIGGER ? AREA_TRIGGERS : AREA_SOLID);
}

void SV_LinkEdict(sv_context_t *sv, edict_t *edict, bool touch_triggers) {
    if (!may_link(sv, edict)) {
        return;
    }
    world_t *world = sv->world;
    int32_t number = World_EdictNumber(world, edict);
    bounds_t box = link_box(sv, edict);
    if (Bits_Get(World_GroundBits(world), number)) {
        bool stays =
            VectorCompare(box.mins, edict->absmin) && VectorCompare(box.maxs, edict->absmax);
        bool is_conveyor = // which may have just started
            !VectorCompare(edict->surface_velocity, (vec3_t){0.0f, 0.0f, 0.0f});
        if (!stays || is_conveyor || edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER) {
            wake_riders(sv, edict);
        }
    }
    Bits_Set(World_ActiveBits(world), number);
    link_at(sv, edict, box);
    if (touch_triggers && edict->solid != SOLID_NOT) {
        SV_TouchLinks(sv, edict);
    }
}

void SV_RelinkEdict(sv_context_t *sv, edict_t *edict) {
    if (may_link(sv, edict)) {
        link_at(sv, edict, link_box(sv, edict));
    }
}

bool SV_IsLinkedRight(const sv_context_t *sv, const edict_t *edict) {
    const int32_t number = World_EdictNumber(sv->world, edict);
    const area_t *area = area_of(sv->world);
    const int32_t cell = area_cells(area)[number] - 1;
    if (number == EDICT_WORLD || !World_IsLive(edict)) {
        return true;
    }
    if (edict->solid == SOLID_NOT || cell < 0) {
        return edict->solid == SOLID_NOT && cell < 0;
    }
    const bounds_t box = link_box(sv, edict);
    return (cell >= area->num_cells) == (edict->solid == SOLID_TRIGGER) &&
           VectorCompare(box.mins, edict->absmin) && VectorCompare(box.maxs, edict->absmax);
}

void SV_UnlinkEdict(sv_context_t *sv, edict_t *edict) {
    int32_t number = World_EdictNumber(sv->world, edict);
    if (Area_IsLinked(sv->world, number)) {
        wake_riders(sv, edict);
        sv->num_links++;
        Area_Unlink(sv->world, number);
        World_MarkNumber(sv->world, number);
    }
}
