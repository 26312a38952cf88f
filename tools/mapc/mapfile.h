/// mapc/mapfile.h - reads a .map source: entities, keys and brushes.
//
// Units:   qu; lines count from 1.
// Memory:  allocated from the caller's pool.
// Errors:  "file.map:LINE: error: expected ..., found ...". The first error ends the parsing.

#ifndef EDICTD_MAPC_MAPFILE_H
#define EDICTD_MAPC_MAPFILE_H

#include "mapc/geom.h"
#include "mapc/pool.h"
#include "mapc/report.h"

#define MC_MAX_ENTITIES    65536 // entities of a map
#define MC_MAX_BRUSHES     65536 // brushes of the whole map
#define MC_MAX_FACES       128   // sides of one brush
#define MC_MAX_TEXTURE     64    // bytes of a texture name with its NUL
#define MC_MAX_PAIRS       1024  // keys of one entity in the source
#define MC_MAX_PLANE_POINT 1.0e6 // qu; coordinate of a point that defines a plane
#define MC_MAX_TEXT        65536 // bytes of a key or value in the source

typedef struct {
    const char *key, *value;
    int32_t line;
} mc_pair_t;

/// The placement of a texture on a side. Standard: `rotation` in degrees, no axes. Valve 220: axes.
typedef struct {
    bool has_axes;
    dvec_t axes[2];
    double offset[2], rotation, scale[2];
} mc_placement_t;

/// A side of a brush in the source: three points, clockwise as seen from outside.
typedef struct {
    dvec_t points[3];
    const char *texture;
    mc_placement_t placement;
    int32_t line;
} mc_face_t;

typedef struct {
    mc_face_t *faces;
    int32_t num_faces;
    int32_t line; ///< line of its {
} mc_mapbrush_t;

typedef struct {
    mc_pair_t *pairs;
    mc_mapbrush_t *brushes;
    int32_t num_pairs, num_brushes;
    int32_t line; ///< line of its {
} mc_entity_t;

typedef struct {
    mc_entity_t *entities; ///< [0] is worldspawn
    int32_t num_entities;
    int32_t num_brushes;
} mc_map_t;

/// Parses a map in Standard or Valve 220 format. Returns false after it reported an error.
bool MC_ReadMap(mc_map_t *map, mc_pool_t *pool, mc_report_t *report, const char *text, size_t size);

/// Returns the value of a key, or NULL if the entity does not have the key.
const char *MC_ValueOf(const mc_entity_t *entity, const char *key);

/// Returns the value of "classname", or "" if there is none.
const char *MC_ClassOf(const mc_entity_t *entity);

/// Parses three numbers. Returns false for any other text.
bool MC_ParseVector(const char *value, dvec_t *out);

#endif
