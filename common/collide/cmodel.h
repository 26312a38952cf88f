/// collide/cmodel.h - queries of a loaded map: sweeps, overlap tests, contents, leaves.
//
// Floor:   collide. Loaded by bsp/; queried by server/world, client/ and tools.
// Units:   qu; the model's own space, or the world's if a function takes an origin or pose.
// Memory:  owned by the loader (bsp/map.h); const after loading, used by any number of worlds.
// Repeat:  bit-identical on every supported compiler.

#ifndef EDICTD_COLLIDE_CMODEL_H
#define EDICTD_COLLIDE_CMODEL_H

#include "collide/contact.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

/// The boxes for which the hulls of a map are made.
typedef enum {
    HULLSET_QUAKE,   ///< point; -16 -16 -24..16 16 32; -32 -32 -24..32 32 64
    HULLSET_HALFLIFE ///< point; +-16 +-16 +-36; +-32 +-32 +-32; +-16 +-16 +-18
} hullset_t;

struct brush_list_s; // collide/brush/brush.h
struct hull_s;       // collide/hull/hull.h
struct mesh_t;       // collide/mesh/mesh.h

/// A loaded map. It does not change. Model 0 is the world, model n is submodel "*n". After them
/// follow the models that the map's entities place.
typedef struct cmap_s cmap_t;

/// Facts about a map. The map owns the texts.
typedef struct {
    const char *name;      ///< file name without folder and ending
    const char *format;    ///< "BSP29", "2PSB", "BSP2", "BSP30", "IBSP38", "IBSP46" or "EMESH"
    const char *remark;    ///< what the loader skipped in the file, one line; "" = nothing
    const char *entities;  ///< entity text, NUL-terminated
    size_t entities_bytes; ///< without the NUL
    uint64_t hash;         ///< hash of the file and of the meshes that it places
    hullset_t hullset;
    bool has_clip_hulls; ///< if false, hulls 1 and up are empty, so boxes collide with brushes
    bool brushes_only;   ///< map of Quake II or III: no hulls, no nodes, one leaf, no visibility
    bool stops_boxes;    ///< false without hulls and brushes: boxes fall through everything
} cm_info_t;

cm_info_t CM_Info(const cmap_t *map);

int32_t CM_NumModels(const cmap_t *map);

bounds_t CM_ModelBounds(const cmap_t *map, int32_t model);

/// Returns a hull of a model. The model must not be a mesh, and `hull` must be below CM_NumHulls.
const struct hull_s *CM_Hull(const cmap_t *map, int32_t model, int32_t hull);

/// Returns the brushes of a model, or NULL if the map has no list for it.
const struct brush_list_s *CM_Brushes(const cmap_t *map, int32_t model);

/// Returns the meshes of a model, each with other contents. *count is 0 if the model has no meshes.
const struct mesh_t *CM_Meshes(const cmap_t *map, int32_t model, int32_t *count);

/// Returns true if the model consists of triangles, so that it has no hulls or brushes.
bool CM_IsMesh(const cmap_t *map, int32_t model);

/// Returns the number of hulls of a hull set: 3 for Quake, 4 for Half-Life.
int32_t CM_NumHulls(hullset_t hullset);

/// Returns the box for which a hull of this set is made.
bounds_t CM_HullSize(hullset_t hullset, int32_t hull);

/// Returns the hull for a box in a model, chosen by size as in Quake. The hull's origin is the
/// box's origin plus *offset. *fits is false if the hull was made for another size. offset and fits
/// may be NULL.
const struct hull_s *CM_HullForBox(const cmap_t *map, int32_t model, vec3_t mins, vec3_t maxs,
                                   vec3_t *offset, bool *fits);

/// Sweeps an axis-aligned box through a model. Exact, except for a turned model that has only
/// hulls. endpos and plane are in world space. The caller sets entnum.
trace_t CM_BoxTrace(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs);

/// Returns true if a box at `origin` overlaps solid, water, a ladder or a trigger of a model. Tests
/// brushes if the model has any, otherwise a hull.
bool CM_BoxTouches(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                   vec3_t maxs);

/// Returns the unit normal of the side of a ladder that faces a box. If that side is the top or
/// bottom, returns the level direction off the ladder.
vec3_t CM_LadderNormal(const cmap_t *map, const cm_object_t *object, bounds_t box);

/// Returns true if a box touches a ladder of the world model. *normal is then the unit normal of
/// the side that faces the box.
bool CM_WorldLadder(const cmap_t *map, bounds_t box, vec3_t *normal);

contents_t CM_Contents(const cmap_t *map, const cm_object_t *object, vec3_t point);

/// Writes the contacts of a box with the solids of a model, deepest first: at most `max` and at
/// most MAX_CONTACTS. Returns their number. A hull gives one contact.
int32_t CM_Overlap(const cmap_t *map, const cm_object_t *object, bounds_t box,
                   cm_contact_t *contacts, int32_t max);

/// Returns true if this box collides with brushes or triangles, not with a hull, in models that are
/// not turned.
bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs);

/// Sweeps a box against the box `target` (an edict without a model), both in world space. The
/// target's inside is solid.
trace_t CM_BoxBoxTrace(bounds_t target, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Merges the trace of one more object into the total. The nearer hit wins; on a tie, the earlier
/// trace. startsolid is set if either trace has it.
void CM_CombineTrace(trace_t *total, const trace_t *next);

/// Returns the contents of a model at 0 0 0, not turned, at a point.
contents_t CM_PointContents(const cmap_t *map, int32_t model, vec3_t point);

/// Returns the leaf of model 0 that contains a point, or leaf 0 for the solid outside. A point
/// exactly on a plane is behind it.
int32_t CM_PointLeaf(const cmap_t *map, vec3_t point);

/// Returns the bounds in world space of a turned box.
bounds_t CM_TurnedBounds(vec3_t origin, vec3_t angles, vec3_t mins, vec3_t maxs);

#endif
