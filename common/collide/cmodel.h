/// collide/cmodel.h - queries of a loaded map: sweeps, overlap tests, contents, leaves.
//
// Loaded by bsp/; queried by server/world, client/ and tools.
// Units:   qu; model space, or world space if a function takes an origin or pose.
// Memory:  owned by the loader (bsp/map.h); const, so any number of worlds may use it.
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

/// A loaded map. Model 0 is the world, model n is submodel "*n". Models that entities place follow.
typedef struct cmap_s cmap_t;

/// Facts about a map. The map owns the texts.
typedef struct {
    const char *name;      ///< file name without folder and ending
    const char *format;    ///< "BSP29", "2PSB", "BSP2", "BSP30", "IBSP38", "IBSP46" or "EMESH"
    const char *remark;    ///< parts of the file that the loader skipped, one line; "" = none
    const char *entities;  ///< entity text, NUL-terminated
    size_t entities_bytes; ///< without the NUL
    uint64_t hash;         ///< hash of the file and the placed meshes
    hullset_t hullset;
    int32_t num_recovered; ///< brushes made from the hulls, because the file lacks them
    bool has_clip_hulls;   ///< if false, boxes collide with brushes
    bool brushes_only;     ///< Quake II or III: no hulls
    bool stops_boxes;      ///< false = no hulls and no brushes: boxes fall through
} cm_info_t;

cm_info_t CM_Info(const cmap_t *map);

int32_t CM_NumModels(const cmap_t *map);

/// Returns a model's bounds in its own space.
bounds_t CM_ModelBounds(const cmap_t *map, int32_t model);

/// Returns where a model's space starts in the map. It is zero, except for turning models without
/// an ORIGIN brush (bsp/map.h).
vec3_t CM_ModelPivot(const cmap_t *map, int32_t model);

/// Returns the transform from the geometry of a model, as CM_Hull, CM_Brushes and CM_Meshes return
/// it, to the world.
cm_pose_t CM_ModelPose(const cmap_t *map, const cm_object_t *object);

/// Returns a hull of a model that is no mesh. `hull`: 0..CM_NumHulls-1.
const struct hull_s *CM_Hull(const cmap_t *map, int32_t model, int32_t hull);

/// Returns the brushes of a model, or NULL if it has no list.
const struct brush_list_s *CM_Brushes(const cmap_t *map, int32_t model);

/// Returns the meshes of a model, each with other contents. *count is 0 if there are none.
const struct mesh_t *CM_Meshes(const cmap_t *map, int32_t model, int32_t *count);

/// Returns true if the model consists of triangles.
bool CM_IsMesh(const cmap_t *map, int32_t model);

/// Returns 3 for Quake, 4 for Half-Life.
int32_t CM_NumHulls(hullset_t hullset);

/// Returns the box size of a hull.
bounds_t CM_HullSize(hullset_t hullset, int32_t hull);

/// Returns the hull for a box, chosen by size as in Quake. Sweep the point (origin of the box +
/// *offset) through it. *fits is false if the hull was made for another size. `offset` and `fits`
/// may be NULL.
const struct hull_s *CM_HullForBox(const cmap_t *map, int32_t model, vec3_t mins, vec3_t maxs,
                                   vec3_t *offset, bool *fits);

/// Sweeps an axis-aligned box through a model. Exact, unless a turned model has only hulls. The
/// result is in world space, without entnum.
trace_t CM_BoxTrace(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs);

/// Returns true if a box at `origin` overlaps solid, water, a ladder or a trigger of a model.
bool CM_BoxTouches(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                   vec3_t maxs);

/// Returns the unit normal of the ladder side that faces a box. For top or bottom, returns the
/// horizontal direction off the ladder.
vec3_t CM_LadderNormal(const cmap_t *map, const cm_object_t *object, bounds_t box);

/// Returns true if a box touches a ladder of the world model. *normal: as in CM_LadderNormal.
bool CM_WorldLadder(const cmap_t *map, bounds_t box, vec3_t *normal);

contents_t CM_Contents(const cmap_t *map, const cm_object_t *object, vec3_t point);

/// Writes the contacts of a box with the solids of a model, deepest first. Returns their number: at
/// most `max`, at most MAX_CONTACTS, and 1 with a hull.
int32_t CM_Overlap(const cmap_t *map, const cm_object_t *object, bounds_t box,
                   cm_contact_t *contacts, int32_t max);

/// Returns true if this box collides with brushes or triangles, not with a hull. Holds for unturned
/// models.
bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs);

/// Sweeps a box against the solid box `target`, both in world space.
trace_t CM_BoxBoxTrace(bounds_t target, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// Merges a trace into the total. The nearer hit wins; on a tie, `total`. startsolid is set if
/// either trace has it.
void CM_CombineTrace(trace_t *total, const trace_t *next);

/// Like CM_Contents, for an unturned model at 0 0 0.
contents_t CM_PointContents(const cmap_t *map, int32_t model, vec3_t point);

/// Returns true if a box in model space may touch glass or a grate that the file marks as such:
/// Quake II and III.
bool CM_IsSeeThrough(const cmap_t *map, int32_t model, bounds_t box);

/// Returns the leaf of model 0 that contains a point. Leaf 0 is the solid outside. A point on a
/// plane is behind it.
int32_t CM_PointLeaf(const cmap_t *map, vec3_t point);

/// Returns the world bounds of a turned box.
bounds_t CM_TurnedBounds(vec3_t origin, vec3_t angles, vec3_t mins, vec3_t maxs);

#endif
