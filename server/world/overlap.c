/// world/overlap.c - contacts of a resting box with the map and all edicts.
//
// Repeat:  deepest contact first; on a tie the map's, then that of the lowest edict number.

#include "world/move.h"

#include "collide/cache.h"
#include "collide/contact.h"
#include "world/area.h"
#include "world/link.h"
#include "world/shape.h"
#include "world/world_local.h"

#define MAX_OVERLAP_COORD (4.0f * MAX_WORLD_COORD)

typedef struct {
    const sv_context_t *sv;
    bounds_t box;
    move_type_t type;
    const edict_t *pass;
    int32_t pass_number;
    cm_contact_t *contacts;
    int32_t *entnums;
    int32_t count, max;
} overlap_t;

static void add(overlap_t *overlap, const cm_contact_t *contact, int32_t number) {
    int32_t at = overlap->count;
    while (at > 0 && (overlap->contacts[at - 1].depth < contact->depth ||
                      (overlap->contacts[at - 1].depth == contact->depth &&
                       overlap->entnums[at - 1] > number))) {
        at--;
    }
    if (at >= overlap->max) {
        return;
    }
    overlap->count += overlap->count < overlap->max ? 1 : 0;
    for (int32_t i = overlap->count - 1; i > at; i--) {
        overlap->contacts[i] = overlap->contacts[i - 1];
        overlap->entnums[i] = overlap->entnums[i - 1];
    }
    overlap->contacts[at] = *contact;
    overlap->entnums[at] = number;
}

static void add_model(overlap_t *overlap, const cm_object_t *object, int32_t number) {
    cm_contact_t contacts[MAX_CONTACTS];
    int32_t count = CM_Overlap(overlap->sv->map, object, overlap->box, contacts, MAX_CONTACTS);
    for (int32_t i = 0; i < count; i++) {
        add(overlap, &contacts[i], number);
    }
}

static void add_map(overlap_t *overlap, const cm_cache_t *cache) {
    const edict_t *pass = overlap->pass;
    const cm_object_t world = {.model = 0,
                               .solids = overlap->sv->world->cvars.move.sv_solids,
                               .for_monster = pass && pass->flags & FL_MONSTER};
    cm_contact_t contacts[MAX_CONTACTS];
    if (!cache) {
        add_model(overlap, &world, EDICT_WORLD);
        return;
    }
    int32_t count = CM_CacheOverlap(cache, overlap->box, contacts, MAX_CONTACTS);
    for (int32_t i = 0; i < count; i++) {
        add(overlap, &contacts[i], EDICT_WORLD);
    }
}

/// Adds the contact with another box, along the axis with the smallest penetration depth.
static void add_box(overlap_t *overlap, bounds_t other, int32_t number) {
    cm_contact_t contact = {.depth = INFINITY, .surface = -1};
    for (int32_t axis = 0; axis < 3; axis++) {
        float up = VectorAxis(other.maxs, axis) - VectorAxis(overlap->box.mins, axis);
        float down = VectorAxis(overlap->box.maxs, axis) - VectorAxis(other.mins, axis);
        float depth = up < down ? up : down;
        float sign = up < down ? 1.0f : -1.0f;
        if (depth < contact.depth) {
            contact.depth = depth;
            contact.normal =
                Vector(axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f);
        }
    }
    if (contact.depth > 0.0f) {
        add(overlap, &contact, number);
    }
}

static void add_edict(void *context, int32_t number) {
    overlap_t *overlap = context;
    const edict_t *edict = World_Edict(overlap->sv->world, number);
    bool is_brush = edict->solid == SOLID_BSP;
    if (!World_IsLive(edict) || edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER ||
        (overlap->type == MOVE_NOMONSTERS && !is_brush) ||
        World_PassesThrough(overlap->pass, overlap->pass_number, edict, number)) {
        return;
    }
    if (!is_brush) {
        add_box(overlap,
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
    overlap_t overlap = {.sv = sv,
                         .box = box,
                         .type = query->type,
                         .pass = query->pass,
                         .pass_number = query->pass ? World_EdictNumber(sv->world, query->pass) : 0,
                         .contacts = contacts,
                         .entnums = entnums,
                         .max = MAX_CONTACTS};
    add_map(&overlap, query->cache);
    Area_Visit(sv->world, box, AREA_SOLID, add_edict, &overlap);
    return overlap.count;
}
