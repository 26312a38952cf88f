/// collide/mesh/mesh_build.c - builds a mesh: drops empty triangles, builds the tree, fills the
/// blocks.
//
// Memory:  one arena for each mesh.

#include "collide/mesh/mesh_build.h"

#include "collide/mesh/mesh_tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    vec3_t a, b, c;
} corners_t;

static corners_t corners_of(const vec3_t *vertices, const int32_t index[3]) {
    return (corners_t){vertices[index[0]], vertices[index[1]], vertices[index[2]]};
}

static tree_box_t box_of(const corners_t *t) {
    vec3_t lo = VectorMin(VectorMin(t->a, t->b), t->c);
    vec3_t hi = VectorMax(VectorMax(t->a, t->b), t->c);
    return (tree_box_t){{lo.x, lo.y, lo.z, 0.0f}, {hi.x, hi.y, hi.z, 0.0f}};
}

static void set_corner(mesh_block_t *block, int32_t corner, int32_t lane, vec3_t v) {
    block->corners[corner][0][lane] = v.x;
    block->corners[corner][1][lane] = v.y;
    block->corners[corner][2][lane] = v.z;
}

static void set_triangle(mesh_block_t *block, int32_t lane, const corners_t *t, int32_t number) {
    vec3_t n = Mesh_TriangleNormal(t->a, t->b, t->c);
    set_corner(block, 0, lane, t->a);
    set_corner(block, 1, lane, t->b);
    set_corner(block, 2, lane, t->c);
    block->normals[0][lane] = n.x;
    block->normals[1][lane] = n.y;
    block->normals[2][lane] = n.z;
    block->triangles[lane] = number;
}

/// Copies triangles that have an area, with bounds. Returns their number.
static int32_t copy_triangles(const mesh_source_t *source, int32_t (*indices)[3],
                              mesh_tree_t *tree) {
    int32_t count = 0;
    for (int32_t i = 0; i < source->num_triangles; i++) {
        corners_t t = corners_of(source->vertices, source->indices[i]);
        if (Mesh_HasArea(Mesh_TriangleNormal(t.a, t.b, t.c))) {
            memcpy(indices[count], source->indices[i], sizeof indices[count]);
            tree->boxes[count++] = box_of(&t);
        }
    }
    tree->num_triangles = count;
    return count;
}

static void fill_blocks(mesh_block_t *blocks, const mesh_tree_t *tree, const vec3_t *vertices,
                        const int32_t (*indices)[3]) {
    for (int32_t i = 0; i < tree->num_leafs; i++) {
        tree_leaf_t leaf = tree->leafs[i];
        for (int32_t lane = 0; lane < MESH_WIDTH; lane++) {
            bool used = lane < leaf.count;
            int32_t number = tree->order[leaf.first + (used ? lane : 0)];
            corners_t t = corners_of(vertices, indices[number]);
            set_triangle(&blocks[i], lane, &t, used ? number : -1);
        }
    }
}

/// Returns the maximum bytes of an array, with alignment.
static size_t array_bytes(size_t count, size_t size) {
    return count * size + 2 * MESH_ALIGN;
}

/// Allocates an array at a multiple of MESH_ALIGN.
static void *alloc_aligned(arena_t *arena, size_t count, size_t size) {
    uint8_t *bytes = Arena_Alloc(arena, count * size + MESH_ALIGN, 1);
    return bytes ? bytes + (MESH_ALIGN - (uintptr_t)bytes % MESH_ALIGN) % MESH_ALIGN : NULL;
}

/// Copies all arrays into one arena. Returns false if out of memory.
static bool store(built_mesh_t *built, const mesh_source_t *source, const int32_t (*indices)[3],
                  const mesh_tree_t *tree) {
    size_t num_vertices = (size_t)source->num_vertices;
    size_t num_triangles = (size_t)tree->num_triangles;
    size_t num_nodes = (size_t)tree->num_nodes;
    size_t num_blocks = (size_t)tree->num_leafs;
    if (!Arena_Init(&built->arena, array_bytes(num_vertices, sizeof(vec3_t)) +
                                       array_bytes(num_triangles, sizeof *indices) +
                                       array_bytes(num_nodes, sizeof(mesh_node_t)) +
                                       array_bytes(num_blocks, sizeof(mesh_block_t)))) {
        return false;
    }
    vec3_t *vertices = Arena_Alloc(&built->arena, num_vertices, sizeof *vertices);
    int32_t(*stored)[3] = Arena_Alloc(&built->arena, num_triangles, sizeof *stored);
    mesh_node_t *nodes = alloc_aligned(&built->arena, num_nodes, sizeof *nodes);
    mesh_block_t *blocks = alloc_aligned(&built->arena, num_blocks, sizeof *blocks);
    memcpy(vertices, source->vertices, num_vertices * sizeof *vertices);
    memcpy(stored, indices, num_triangles * sizeof *stored);
    memcpy(nodes, tree->nodes, num_nodes * sizeof *nodes);
    fill_blocks(blocks, tree, vertices, indices);
    built->mesh = (mesh_t){.flags = source->flags,
                           .contents = source->contents,
                           .num_vertices = source->num_vertices,
                           .num_triangles = tree->num_triangles,
                           .num_nodes = tree->num_nodes,
                           .num_blocks = tree->num_leafs,
                           .vertices = vertices,
                           .indices = (const int32_t(*)[3])stored,
                           .nodes = nodes,
                           .blocks = blocks};
    return true;
}

static bounds_t root_bounds(const mesh_node_t *node) {
    vec3_t lo = Vector(node->bounds[0][0], node->bounds[1][0], node->bounds[2][0]);
    vec3_t hi = Vector(node->bounds[3][0], node->bounds[4][0], node->bounds[5][0]);
    for (int32_t i = 1; i < MESH_WIDTH; i++) {
        lo = VectorMin(lo, Vector(node->bounds[0][i], node->bounds[1][i], node->bounds[2][i]));
        hi = VectorMax(hi, Vector(node->bounds[3][i], node->bounds[4][i], node->bounds[5][i]));
    }
    return (bounds_t){lo, hi};
}

bool Mesh_Build(built_mesh_t *built, const mesh_source_t *source, err_t *err) {
    *built = (built_mesh_t){0};
    if (!Mesh_CheckSource(source, err)) {
        return false;
    }
    mesh_tree_t tree = {0};
    int32_t(*indices)[3] = malloc((size_t)source->num_triangles * sizeof *indices);
    bool good = indices && MeshTree_Init(&tree, source->num_triangles);
    bool any = good && copy_triangles(source, indices, &tree) > 0;
    if (any) {
        built->num_dropped = source->num_triangles - tree.num_triangles;
        good = MeshTree_Make(&tree) && store(built, source, (const int32_t(*)[3])indices, &tree);
    }
    MeshTree_Free(&tree);
    free(indices);
    if (!good || !any) {
        Mesh_Free(built);
        return good ? Err_Set(err, "mesh: none of the %d triangles has an area",
                              source->num_triangles)
                    : Err_Set(err, "mesh: out of memory for %d triangles", source->num_triangles);
    }
    built->mesh.bounds = root_bounds(built->mesh.nodes);
    return true;
}

void Mesh_Free(built_mesh_t *built) {
    Arena_Free(&built->arena);
    *built = (built_mesh_t){0};
}
