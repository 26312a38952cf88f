// Writes BSP29, BSP2 and BSP30 files.
#include "bsp/lumps.h"
#include "mapc/miptex.h"
#include "mapc/output.h"

#define BSPX_HEAD     ((size_t)8 + 32) // "BSPX", lump count; one lump: name[24], offset, length
#define BSP2_MAGIC    "BSP2"
#define BSP29_VERSION 29
#define BSP30_VERSION 30
#define AMBIENT_BYTES 4
#define NO_STYLE      255  // of a face: no light map
#define FULL_BRIGHT   (-1) // light offset of a face without a light map

typedef struct {
    mc_bytes_t *file;
    const mc_output_t *out;
    mc_format_t format;
    int32_t *plane_number; ///< per plane of the table: its number in the file, or -1
    int32_t *planes;       ///< per plane of the file: its number in the table
    int32_t num_planes;
} writer_t;

static bool is_wide(const writer_t *w) {
    return w->format == MC_FORMAT_BSP2;
}

/// Writes a count or a child: 32 bits in BSP2, otherwise 16.
static void put_index(const writer_t *w, int32_t value) {
    if (is_wide(w)) {
        MC_PutI32(w->file, value);
    } else {
        MC_PutI16(w->file, value);
    }
}

static void put_coord(const writer_t *w, double value) {
    if (is_wide(w)) {
        MC_PutFloat(w->file, value);
    } else {
        MC_PutI16(w->file, (int32_t)fmin(fmax(value, -32768.0), 32767.0));
    }
}

/// Writes a box, rounded outward to integers. An empty box is written as zeros.
static void put_box(const writer_t *w, const dbounds_t *box) {
    bool none = DB_IsEmpty(box);
    for (int32_t axis = 0; axis < 3; axis++) {
        put_coord(w, none ? 0.0 : floor(DV_Axis(box->mins, axis)));
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        put_coord(w, none ? 0.0 : ceil(DV_Axis(box->maxs, axis)));
    }
}

static void use_plane(writer_t *w, int32_t plane) {
    if (w->plane_number[plane] < 0) {
        w->plane_number[plane] = w->num_planes;
        w->planes[w->num_planes++] = plane;
    }
}

/// Numbers the planes of nodes and clip nodes in the order of first use.
static void number_planes(writer_t *w, mc_pool_t *pool) {
    const mc_output_t *out = w->out;
    size_t count = out->table->count;
    w->plane_number = MC_Alloc(pool, count, sizeof *w->plane_number);
    w->planes = MC_Alloc(pool, count, sizeof *w->planes);
    for (size_t i = 0; i < count; i++) {
        w->plane_number[i] = -1;
    }
    for (size_t i = 0; i < out->num_nodes; i++) {
        use_plane(w, out->nodes[i].plane);
    }
    for (size_t i = 0; i < out->num_clipnodes; i++) {
        use_plane(w, out->clipnodes[i].plane);
    }
}

static void put_planes(const writer_t *w) {
    for (int32_t i = 0; i < w->num_planes; i++) {
        const dplane_t *plane = &w->out->table->planes[w->planes[i]];
        MC_PutFloat(w->file, plane->normal.x);
        MC_PutFloat(w->file, plane->normal.y);
        MC_PutFloat(w->file, plane->normal.z);
        MC_PutFloat(w->file, plane->dist);
        MC_PutI32(w->file, MC_PlaneType(plane));
    }
}

static void put_nodes(const writer_t *w) {
    for (size_t i = 0; i < w->out->num_nodes; i++) {
        const mc_outnode_t *node = &w->out->nodes[i];
        MC_PutI32(w->file, w->plane_number[node->plane]);
        put_index(w, node->children[0]);
        put_index(w, node->children[1]);
        put_box(w, &node->bounds);
        put_index(w, node->first_face);
        put_index(w, node->num_faces);
    }
}

static void put_clipnodes(const writer_t *w) {
    for (size_t i = 0; i < w->out->num_clipnodes; i++) {
        const mc_outnode_t *node = &w->out->clipnodes[i];
        MC_PutI32(w->file, w->plane_number[node->plane]);
        put_index(w, node->children[0]);
        put_index(w, node->children[1]);
    }
}

/// Returns the contents to write for a leaf. Ladders become empty except in Half-Life maps, because
/// Quake engines treat a ladder as water.
static contents_t written_contents(const writer_t *w, contents_t contents) {
    bool ladder = contents == CONTENTS_LADDER && w->format != MC_FORMAT_BSP30;
    return ladder ? CONTENTS_EMPTY : contents;
}

static void put_leafs(const writer_t *w) {
    static const uint8_t ambient[AMBIENT_BYTES] = {0};
    for (size_t i = 0; i < w->out->num_leafs; i++) {
        const mc_leaf_t *leaf = &w->out->leafs[i];
        MC_PutI32(w->file, (int32_t)written_contents(w, leaf->contents));
        MC_PutI32(w->file, leaf->vis_row);
        put_box(w, &leaf->bounds);
        put_index(w, leaf->first_mark);
        put_index(w, leaf->num_marks);
        MC_PutBytes(w->file, ambient, sizeof ambient);
    }
}

/// Writes bounds that are 1 qu smaller on each side, because engines widen bounds on loading.
static void put_model_box(const writer_t *w, const dbounds_t *box) {
    for (int32_t axis = 0; axis < 3; axis++) {
        MC_PutFloat(w->file, DV_Axis(box->mins, axis) + 1.0);
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        MC_PutFloat(w->file, DV_Axis(box->maxs, axis) - 1.0);
    }
}

static void put_models(const writer_t *w) {
    for (size_t i = 0; i < w->out->num_models; i++) {
        const mc_outmodel_t *model = &w->out->models[i];
        put_model_box(w, &model->bounds);
        for (int32_t axis = 0; axis < 3; axis++) {
            MC_PutFloat(w->file, 0.0); // the origin comes from a key of the entity
        }
        for (int32_t hull = 0; hull < 4; hull++) {
            MC_PutI32(w->file, model->headnodes[hull]);
        }
        MC_PutI32(w->file, model->num_visleafs);
        MC_PutI32(w->file, model->first_face);
        MC_PutI32(w->file, model->num_faces);
    }
}

static void put_faces(const writer_t *w) {
    static const uint8_t styles[4] = {NO_STYLE, NO_STYLE, NO_STYLE, NO_STYLE};
    const mc_drawing_t *drawing = &w->out->drawing;
    for (size_t i = 0; i < drawing->num_faces; i++) {
        const mc_outface_t *face = &drawing->faces[i];
        put_index(w, w->plane_number[face->plane / 2]);
        put_index(w, face->plane & 1);
        MC_PutI32(w->file, face->first_edge);
        put_index(w, face->num_edges);
        put_index(w, face->texinfo);
        MC_PutBytes(w->file, styles, sizeof styles);
        MC_PutI32(w->file, FULL_BRIGHT);
    }
}

static void put_texinfos(const writer_t *w) {
    const mc_texinfos_t *table = &w->out->drawing.texinfos;
    for (size_t i = 0; i < table->count; i++) {
        const mc_texinfo_t *info = &table->infos[i];
        for (int32_t axis = 0; axis < 2; axis++) {
            MC_PutFloat(w->file, info->axes[axis].x);
            MC_PutFloat(w->file, info->axes[axis].y);
            MC_PutFloat(w->file, info->axes[axis].z);
            MC_PutFloat(w->file, info->offset[axis]);
        }
        MC_PutI32(w->file, info->texture);
        MC_PutI32(w->file, info->special ? 1 : 0);
    }
}

static void put_drawing(const writer_t *w, bsp_lump_t lump) {
    const mc_drawing_t *drawing = &w->out->drawing;
    switch (lump) {
    case LUMP_TEXTURES:
        MC_PutTextures(w->file, &drawing->texinfos, drawing->wads);
        break;
    case LUMP_TEXINFO:
        put_texinfos(w);
        break;
    case LUMP_FACES:
        put_faces(w);
        break;
    case LUMP_VERTEXES:
        for (size_t i = 0; i < drawing->num_vertices; i++) {
            for (int32_t axis = 0; axis < 3; axis++) {
                MC_PutFloat(w->file, DV_Axis(drawing->vertices[i], axis));
            }
        }
        break;
    case LUMP_EDGES:
        for (size_t i = 0; i < drawing->num_edges; i++) {
            put_index(w, drawing->edges[i].vertices[0]);
            put_index(w, drawing->edges[i].vertices[1]);
        }
        break;
    case LUMP_SURFEDGES:
        for (size_t i = 0; i < drawing->num_surfedges; i++) {
            MC_PutI32(w->file, drawing->surfedges[i]);
        }
        break;
    case LUMP_MARKSURFACES:
        for (size_t i = 0; i < drawing->num_marks; i++) {
            put_index(w, drawing->marks[i]);
        }
        break;
    default:
        break;
    }
}

static void put_lump(const writer_t *w, bsp_lump_t lump, const char *entities, size_t size) {
    switch (lump) {
    case LUMP_ENTITIES:
        MC_PutBytes(w->file, entities, size + 1); // with the NUL at its end
        break;
    case LUMP_PLANES:
        put_planes(w);
        break;
    case LUMP_VISIBILITY:
        MC_PutBytes(w->file, w->out->vis.data, w->out->vis.size);
        break;
    case LUMP_NODES:
        put_nodes(w);
        break;
    case LUMP_CLIPNODES:
        put_clipnodes(w);
        break;
    case LUMP_LEAFS:
        put_leafs(w);
        break;
    case LUMP_MODELS:
        put_models(w);
        break;
    default:
        put_drawing(w, lump);
        break;
    }
}

static void align(mc_bytes_t *file) {
    static const uint8_t zeros[4] = {0};
    MC_PutBytes(file, zeros, (4 - file->size % 4) % 4);
}

static void put_bspx(const writer_t *w, const mc_scene_t *scene) {
    char name[24] = "BRUSHLIST";
    size_t head = w->file->size;
    MC_PutBytes(w->file, "BSPX", 4);
    MC_PutI32(w->file, 1);
    MC_PutBytes(w->file, name, sizeof name);
    MC_PutI32(w->file, 0);
    MC_PutI32(w->file, 0);
    MC_WriteBrushList(w->file, w->out->table, scene);
    size_t start = head + BSPX_HEAD;
    MC_PatchI32(w->file, start - 8, start);
    MC_PatchI32(w->file, start - 4, w->file->size - start);
}

void MC_WriteBsp(mc_bytes_t *file, const mc_output_t *out, const mc_scene_t *scene,
                 mc_format_t format, const char *entities, size_t entities_size) {
    writer_t w = {.file = file, .out = out, .format = format};
    number_planes(&w, out->pool);
    if (format == MC_FORMAT_BSP2) {
        MC_PutBytes(file, BSP2_MAGIC, 4);
    } else {
        MC_PutI32(file, format == MC_FORMAT_BSP30 ? BSP30_VERSION : BSP29_VERSION);
    }
    static const uint8_t zeros[NUM_LUMPS * 8] = {0};
    MC_PutBytes(file, zeros, sizeof zeros);
    for (int32_t lump = 0; lump < NUM_LUMPS; lump++) {
        size_t start = file->size;
        put_lump(&w, (bsp_lump_t)lump, entities, entities_size);
        MC_PatchI32(file, 4 + (size_t)lump * 8, start);
        MC_PatchI32(file, 8 + (size_t)lump * 8, file->size - start);
        align(file);
    }
    put_bspx(&w, scene);
}
