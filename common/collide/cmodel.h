/// collide/cmodel.h - a loaded collision map and its queries: sweeps, overlaps, contents, leaves.
//
// Floor:   collide. Loaded by bsp/; queried by server/world, client/ and tools.
// Units:   qu; the model's own space, or the world's if a function takes an origin or pose.
// Memory:  of the loader (bsp/map.h); const after loading, shared by any number of worlds.
// Repeat:  bit-identical on every supported compiler.

#ifndef EDICTD_COLLIDE_CMODEL_H
#define EDICTD_COLLIDE_CMODEL_H

#include "collide/contact.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

/// The boxes of a map's hulls.
typedef enum {
    HULLSET_QUAKE,   ///< point; -16 -16 -24..16 16 32; -32 -32 -24..32 32 64
    HULLSET_HALFLIFE ///< point; +-16 +-16 +-36; +-32 +-32 +-32; +-16 +-16 +-18
} hullset_t;

struct brush_list_s; // collide/brush/brush.h
struct hull_s;       // collide/hull/hull.h
struct mesh_t;       // collide/mesh/mesh.h

/// A loaded map, whose fields are private to collide/ and bsp/ (cmap.h). Read only. Model 0 is the
/// world, n is the submodel "*n"; the models that a map places follow.
typedef struct cmap_s cmap_t;

/// Facts about a map. The texts are the map's own.
typedef struct {
    const char *name;      ///< file name without folder and ending
    const char *format;    ///< "BSP29", "2PSB", "BSP2", "BSP30", "IBSP38", "IBSP46" or "EMESH"
    const char *remark;    ///< parts of the file that were left out, one line; "" = none
    const char *entities;  ///< entity text, NUL-terminated
    size_t entities_bytes; ///< without the NUL
    uint64_t hash;         ///< of the whole file and the meshes that it places
    hullset_t hullset;
    bool has_clip_hulls; ///< false: hulls 1 and up are empty, boxes collide with brushes
    bool brushes_only;   ///< Quake II and III: no hulls, no nodes, one leaf, no visibility
    bool stops_boxes;    ///< false: boxes fall through everything, as hulls and brushes are missing
} cm_info_t;

cm_info_t CM_Info(const cmap_t *map);

int32_t CM_NumModels(const cmap_t *map);

bounds_t CM_ModelBounds(const cmap_t *map, int32_t model);

/// Returns the hull of a model; the model is no mesh, `hull` below CM_NumHulls.
const struct hull_s *CM_Hull(const cmap_t *map, int32_t model, int32_t hull);

/// Returns the brushes of a model, or NULL if the map has no list for it.
const struct brush_list_s *CM_Brushes(const cmap_t *map, int32_t model);

/// Returns the meshes of a model, each of other contents. *count is 0 if the model is no mesh.
const struct mesh_t *CM_Meshes(const cmap_t *map, int32_t model, int32_t *count);

/// Returns true if the model is made of triangles, which have no hulls or brushes.
bool CM_IsMesh(const cmap_t *map, int32_t model);

/// Returns the number of hulls of a hull set: 3 for Quake, 4 for Half-Life.
int32_t CM_NumHulls(hullset_t hullset);

/// Returns the box of hull `hull` of the set.
bounds_t CM_HullSize(hullset_t hullset, int32_t hull);

/// Returns the hull for a box in a model, chosen by size as Quake does. The hull's origin is the
/// box's origin plus *offset. *fits is false if the hull's box has another size; the caller logs
/// that once per class. offset and fits may be NULL.
const struct hull_s *CM_HullForBox(const cmap_t *map, int32_t model, vec3_t mins, vec3_t maxs,
                                   vec3_t *offset, bool *fits);

/// Sweeps an axis-aligned box through a model. A turned model with brushes is exact for any
/// `solids`; one with hulls only is approximate (docs/physics.md, "Collision"). endpos and plane
/// are in world space. entnum is TRACE_NOTHING, since only the caller knows the model's edict.
trace_t CM_BoxTrace(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs);

/// Returns true if a box at `origin` overlaps anything but empty space of a model: a trigger,
/// ladder or water of any shape. Tests the brushes for any `solids`; without brushes the box's
/// hull, or hull 0 if that hull is all empty.
bool CM_BoxTouches(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                   vec3_t maxs);

/// Returns the unit normal of the side of a ladder model that faces a box which touches it. If that
/// is an upper or lower side, returns the level direction off the ladder. The model may be turned.
vec3_t CM_LadderNormal(const cmap_t *map, const cm_object_t *object, bounds_t box);

/// Returns true if a box touches a ladder of the map itself: CONTENTS_LADDER in model 0, by brushes
/// or else by hull 0. *normal is then the unit normal of the ladder's side that faces the box.
bool CM_WorldLadder(const cmap_t *map, bounds_t box, vec3_t *normal);

/// Returns the contents of a model at a point of the world.
contents_t CM_Contents(const cmap_t *map, const cm_object_t *object, vec3_t point);

/// Writes the contacts of a box with the solids of a model: the `max` deepest, at most
/// MAX_CONTACTS, deepest first. Returns their number. A hull gives one contact: the nearest plane
/// with free space after it.
int32_t CM_Overlap(const cmap_t *map, const cm_object_t *object, bounds_t box,
                   cm_contact_t *contacts, int32_t max);

/// Returns true if this box collides with brushes or triangles of unturned models, not a hull.
bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs);

/// Sweeps a box through the box `target` (an edict without a model), which is in world space.
/// The contents inside the target are CONTENTS_SOLID.
trace_t CM_BoxBoxTrace(bounds_t target, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Merges the trace of one more object into the total. The nearer hit wins; on a tie, the first.
/// startsolid is kept. If `next` starts in solid and hits nothing afterwards, it replaces a total
/// without a hit, so that entnum names the solid.
void CM_CombineTrace(trace_t *total, const trace_t *next);

/// Returns the contents of a model at a point; the model is not turned or moved.
contents_t CM_PointContents(const cmap_t *map, int32_t model, vec3_t point);

/// Returns the leaf of model 0 that contains a point; 0 is the solid outside. A point exactly on a
/// plane counts as behind it.
int32_t CM_PointLeaf(const cmap_t *map, vec3_t point);

/// Returns the world bounds of a model's box at this origin and these angles.
bounds_t CM_TurnedBounds(vec3_t origin, vec3_t angles, vec3_t mins, vec3_t maxs);

#endif
