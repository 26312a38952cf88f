/// mesh/parts.h - builds the meshes of an .emesh file: one for solid, one for water, and so on.
//
// Memory:  ME_Build allocates the meshes, ME_FreeParts frees them.

#ifndef EDICTD_MESH_PARTS_H
#define EDICTD_MESH_PARTS_H

#include "collide/mesh/mesh_build.h"
#include "mesh/soup.h"
#include "model/emesh.h"

typedef struct {
    bool one_sided; ///< triangles without volume stop movement only from the front
    bool is_volume; ///< all triangles enclose one volume of `contents`; materials are ignored
    contents_t contents;
} me_build_t;

typedef struct {
    built_mesh_t parts[MAX_EMESH_PARTS];
    int32_t num_parts;
    bool faces_in; ///< the triangles of a volume face inward
} me_parts_t;

/// Builds one mesh for each value of contents. Fails if Mesh_Build fails or a volume has a hole.
/// Liquids and ladders are always volumes. `name`: prefix of the errors.
bool ME_Build(me_parts_t *out, const char *name, const me_soup_t *soup, const me_build_t *options,
              err_t *err);

void ME_FreeParts(me_parts_t *parts);

/// Parses the argument of --volume: "solid", "water", ... Returns false for any other word.
bool ME_ContentsNamed(const char *name, contents_t *contents);

/// Returns the name of contents as --volume spells it, otherwise "other".
const char *ME_ContentsName(int32_t contents);

#endif
