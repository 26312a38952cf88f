/// probe/thing.h - the entities of a map that a picture shows.
//
// Memory:  a list of fixed size; the caller's.

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
    THING_TELEPORT,    ///< trigger_teleport: a box and its destination
    THING_PUSH         ///< trigger_push: a box and the velocity it gives
} thing_kind_t;

/// One entity. bounds is a point for those without brushes.
typedef struct {
    thing_kind_t kind;
    char name[MAX_THING_NAME_BYTES];       ///< class, shortened
    char target[MAX_THING_NAME_BYTES];     ///< empty when there is none
    char targetname[MAX_THING_NAME_BYTES]; ///< empty when there is none
    bounds_t bounds;
    int32_t model;         ///< of the map, for those with brushes
    vec3_t origin, angles; ///< pose of the model
    vec3_t velocity; ///< its own or the one it gives; view direction of spawns and destinations
} thing_t;

typedef struct {
    thing_t list[MAX_THINGS];
    int32_t count;
    int32_t dropped; ///< entities beyond MAX_THINGS or MAX_FIGURES
    figure_t
        figures[MAX_FIGURES]; ///< entities whose model has hitboxes; those with triangles, too,
                              ///< are in the list as well
    int32_t num_figures;
} things_t;

/// Reads a map's entities. Skips lights and all kinds that are not listed above. Figures have the
/// first bone pose of their entities. False when the entity text cannot be read.
bool Probe_ReadThings(const cmap_t *map, things_t *things, err_t *err);

/// Returns the centre of a thing.
vec3_t Probe_ThingCentre(const thing_t *thing);

/// Returns the destination with this name, or NULL.
const thing_t *Probe_FindDestination(const things_t *things, const char *targetname);

#endif
