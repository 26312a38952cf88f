/// probe/thing.h - the entities of a map that a picture shows.
//
// Memory:  a list of fixed size in the caller's memory.

#ifndef EDICTD_PROBE_THING_H
#define EDICTD_PROBE_THING_H

#include "base/err.h"
#include "collide/cmodel.h"
#include "probe/figure.h"

#define MAX_THINGS           2048
#define MAX_THING_NAME_BYTES 64
#define MAX_FIGURES          256

typedef enum {
    THING_SPAWN,       ///< info_player_*
    THING_DESTINATION, ///< info_teleport_destination
    THING_PROJECTILE,  ///< projectile_*
    THING_TRIGGER,     ///< trigger_*: a box
    THING_SOLID,       ///< other brush entities: a box
    THING_TELEPORT,    ///< trigger_teleport: a box and a destination
    THING_PUSH         ///< trigger_push: a box and the velocity of thrown players
} thing_kind_t;

/// One entity. Without a brush model, `bounds` is a point.
typedef struct {
    thing_kind_t kind;
    char name[MAX_THING_NAME_BYTES];       ///< class, without a prefix such as "func_"
    char target[MAX_THING_NAME_BYTES];     ///< "" if there is none
    char targetname[MAX_THING_NAME_BYTES]; ///< "" if there is none
    bounds_t bounds;
    int32_t model;         ///< number of the brush model; 0 = none
    vec3_t origin, angles; ///< pose of the brush model
    vec3_t velocity;       ///< of the entity or of thrown players; for spawns the view direction
} thing_t;

typedef struct {
    thing_t list[MAX_THINGS];
    int32_t count;
    int32_t dropped;               ///< entities that did not fit (MAX_THINGS, MAX_FIGURES)
    figure_t figures[MAX_FIGURES]; ///< entities whose model has hitboxes; may also be in `list`
    int32_t num_figures;
} things_t;

/// Reads the entities of a map. Skips all classes that thing_kind_t does not list. Returns false
/// if the entity text cannot be parsed.
bool Probe_ReadThings(const cmap_t *map, things_t *things, err_t *err);

vec3_t Probe_ThingCentre(const thing_t *thing);

/// Returns the teleport destination with this targetname, or NULL.
const thing_t *Probe_FindDestination(const things_t *things, const char *targetname);

#endif
