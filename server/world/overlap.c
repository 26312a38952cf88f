/// world/overlap.c - contacts of a resting box with the map and all edicts.
//
// Repeat:  deepest contact first; on a tie the map's, then that of the lowest edict number.

#include "world/move.h"

#include "collide/cache.h"
#include "collide/contact.h"
#include "move/meet.h"
#include "world/link.h"
#include "world/neighbours.h"
#include "world/shape.h"
#include "world/world_local.h"

#define MAX_OVERLAP_COORD (4.0f * MAX_WORLD_COORD)

typedef struct {
    const sv_context_t *sv;
    move_type_t type;
    const edict_t *pass;
    int32_t pass_number;
    bool for_monster;
    pm_contacts_t found;
} overlap_t;

static void add_model(overlap_t *overlap, const cm_object_t *object, int32_t number) {
    cm_contact_t contacts[MAX_CONTACTS];
    int32_t count =
        CM_Overlap(overlap->sv->map, object, overlap->found.box, contacts, MAX_CONTACTS);
    for (int32_t i = 0; i < count; i++) {
        PM_AddContact(&overlap->found, &contacts[i], number);
    }
}

static void add_map(overlap_t *overlap, const cm_cache_t *cache) {
    const cm_object_t world = {.model = 0,
                               .solids = overlap->sv->world->cvars.move.sv_solids,
                               .for_monster = overlap->for_monster};
    cm_contact_t contacts[MAX_CONTACTS];
    if (!cache) {
        add_model(overlap, &world, EDICT_WORLD);
        return;
    }
    int32_t count = CM_CacheOverlap(cache, overlap->found.box, contacts, MAX_CONTACTS);
    for (int32_t i = 0; i < count; i++) {
        PM_AddContact(&overlap->found, &contacts[i], EDICT_WORLD);
    }
}

static void add_edict(void *context, int32_t number) {
    overlap_t *overlap = context;
    const edict_t *edict = World_Edict(overlap->sv->world, number);
    bool is_brush = edict->solid == SOLID_BSP;
    if (!World_IsLive(edict) || edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER ||
        (overlap->type == MOVE_NOMONSTERS && !is_brush) ||
        (!overlap->for_monster && World_IsMonsterClip(edict)) ||
        World_PassesThrough(overlap->pass, overlap->pass_number, edict, number)) {
        return;
    }
    if (!is_brush) {
        PM_AddBoxContact(&overlap->found,
                         (bounds_t){VectorAdd(edict->origin, edict->mins),
                                    VectorAdd(edict->origin, edict->maxs)},
                         number);
    } else if (World_IsBrushModel(overlap->sv, edict)) {
        cm_object_t object = World_Object(overlap->sv, edict);
        add_model(overlap, &object, number);
    }
}

int32_t SV_Overlap(const sv_context_t *sv, const sv_query_t *query, bounds_t box,
                   cm_contact_t contacts[MAX_CONTACTS], int32_t entnums[MAX_CONTACTS]) {
    if (!VectorWithin(box.mins, MAX_OVERLAP_COORD) || !VectorWithin(box.maxs, MAX_OVERLAP_COORD)) {
        return 0;
    }
    overlap_t overlap = {
        .sv = sv,
        .type = query->type,
        .pass = query->pass,
        .pass_number = query->pass ? World_EdictNumber(sv->world, query->pass) : 0,
        .for_monster = query->pass && (query->pass->flags & FL_MONSTER),
        .found = {.box = box, .contacts = contacts, .entnums = entnums, .max = MAX_CONTACTS}};
    add_map(&overlap, query->cache);
    Neighbours_Visit(query->near, sv->world, box, AREA_SOLID, add_edict, &overlap);
    return overlap.found.count;
}
