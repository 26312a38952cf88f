/// collide/mesh/mesh_check.c - checks the arrays of a mesh from a file.
//
// Memory:  one byte per triangle and block, during the check.

#include "base/limits.h"
#include "collide/mesh/mesh_build.h"
#include "collide/mesh/mesh_layout.h"

#include <stdlib.h>

typedef struct {
    const mesh_t *mesh;
    uint8_t *seen_triangles;
    uint8_t *seen_blocks;
    int32_t num_seen, num_blocks;
    err_t *err;
} check_t;

/// A node to check, and its box in the parent.
typedef struct {
    int32_t node, depth;
    bounds_t box;
} visit_t;

static bool is_inside(bounds_t inner, bounds_t outer) {
    return inner.mins.x >= outer.mins.x && inner.mins.y >= outer.mins.y &&
           inner.mins.z >= outer.mins.z && inner.maxs.x <= outer.maxs.x &&
           inner.maxs.y <= outer.maxs.y && inner.maxs.z <= outer.maxs.z;
}

static bounds_t lane_box(const mesh_node_t *node, int32_t lane) {
    return (bounds_t){
        {node->bounds[0][lane], node->bounds[1][lane], node->bounds[2][lane]},
        {node->bounds[3][lane], node->bounds[4][lane], node->bounds[5][lane]},
    };
}

static vec3_t block_corner(const mesh_block_t *block, int32_t corner, int32_t lane) {
    return Vector(block->corners[corner][0][lane], block->corners[corner][1][lane],
                  block->corners[corner][2][lane]);
}

static bool is_empty_lane(const mesh_node_t *node, int32_t lane) {
    bounds_t box = lane_box(node, lane);
    const vec3_t far = {MESH_EMPTY_LANE, MESH_EMPTY_LANE, MESH_EMPTY_LANE};
    return VectorCompare(box.mins, far) && VectorCompare(box.maxs, VectorNegate(far));
}

bool Mesh_CheckSource(const mesh_source_t *source, err_t *err) {
    if (source->num_triangles < 1 || source->num_triangles > MAX_MESH_TRIANGLES) {
        return Err_Set(err, "mesh: expected 1..%d triangles, found %d", MAX_MESH_TRIANGLES,
                       source->num_triangles);
    }
    if (source->num_vertices < 1) {
        return Err_Set(err, "mesh: expected at least 1 vertex, found %d", source->num_vertices);
    }
    for (int32_t i = 0; i < source->num_vertices; i++) {
        vec3_t v = source->vertices[i];
        if (!VectorWithin(v, MAX_WORLD_COORD)) {
            return Err_Set(err, "mesh: vertex %d: expected coordinates within +-%d, found %g %g %g",
                           i, MAX_WORLD_COORD, (double)v.x, (double)v.y, (double)v.z);
        }
    }
    for (int32_t i = 0; i < source->num_triangles; i++) {
        for (int32_t j = 0; j < 3; j++) {
            int32_t index = source->indices[i][j];
            if (index < 0 || index >= source->num_vertices) {
                return Err_Set(err, "mesh: triangle %d: expected vertices 0..%d, found %d", i,
                               source->num_vertices - 1, index);
            }
        }
    }
    return true;
}

static bool check_counts(const mesh_t *mesh, err_t *err) {
    const mesh_source_t source = {.vertices = mesh->vertices,
                                  .indices = mesh->indices,
                                  .num_vertices = mesh->num_vertices,
                                  .num_triangles = mesh->num_triangles};
    if (!Mesh_CheckSource(&source, err)) {
        return false;
    }
    if (mesh->num_nodes < 1 || mesh->num_nodes > mesh->num_triangles) {
        return Err_Set(err, "mesh: expected 1..%d nodes, found %d", mesh->num_triangles,
                       mesh->num_nodes);
    }
    if (mesh->num_blocks < 1 || mesh->num_blocks > mesh->num_triangles) {
        return Err_Set(err, "mesh: expected 1..%d blocks, found %d", mesh->num_triangles,
                       mesh->num_blocks);
    }
    if (mesh->flags & ~(uint32_t)(MESH_ONE_SIDED | MESH_VOLUME)) {
        return Err_Set(err, "mesh: expected only flags in 0x%x, found 0x%x",
                       (uint32_t)(MESH_ONE_SIDED | MESH_VOLUME), mesh->flags);
    }
    return true;
}

/// Checks that a lane has its triangle's corners, within the block's box.
static bool check_triangle(check_t *check, int32_t number, int32_t lane, bounds_t box) {
    const mesh_t *mesh = check->mesh;
    const mesh_block_t *block = &mesh->blocks[number];
    int32_t triangle = block->triangles[lane];
    bool used = triangle >= 0;
    // Unused lanes are copies of the first triangle.
    int32_t like = used ? triangle : block->triangles[0];
    if (triangle < -1 || like < 0 || like >= mesh->num_triangles) {
        return Err_Set(check->err, "mesh: block %d: expected triangle 0..%d in lane %d, found %d",
                       number, mesh->num_triangles - 1, lane, triangle);
    }
    vec3_t corners[3];
    for (int32_t i = 0; i < 3; i++) {
        corners[i] = mesh->vertices[mesh->indices[like][i]];
        if (!VectorCompare(corners[i], block_corner(block, i, lane))) {
            return Err_Set(check->err, "mesh: block %d: corner %d of triangle %d is not vertex %d",
                           number, i, like, mesh->indices[like][i]);
        }
        if (!is_inside((bounds_t){corners[i], corners[i]}, box)) {
            return Err_Set(check->err,
                           "mesh: block %d: corner %d of triangle %d is outside of the node's box",
                           number, i, like);
        }
    }
    vec3_t n = Mesh_TriangleNormal(corners[0], corners[1], corners[2]);
    vec3_t found =
        Vector(block->normals[0][lane], block->normals[1][lane], block->normals[2][lane]);
    if (!VectorCompare(n, found) || !Mesh_HasArea(n)) {
        return Err_Set(check->err,
                       "mesh: block %d: the normal of triangle %d is not that of its corners",
                       number, like);
    }
    if (used && check->seen_triangles[triangle]) {
        return Err_Set(check->err, "mesh: triangle %d: expected it in one block, found it in two",
                       triangle);
    }
    if (used) {
        check->seen_triangles[triangle] = 1;
        check->num_seen++;
    }
    return true;
}

static bool check_block(check_t *check, int32_t number, bounds_t box) {
    if (number >= check->mesh->num_blocks || check->seen_blocks[number]) {
        return Err_Set(check->err, "mesh: expected blocks 0..%d, each in one node; found block %d",
                       check->mesh->num_blocks - 1, number);
    }
    check->seen_blocks[number] = 1;
    check->num_blocks++;
    for (int32_t lane = 0; lane < MESH_WIDTH; lane++) {
        if (!check_triangle(check, number, lane, box)) {
            return false;
        }
    }
    return true;
}

/// Checks a node and its blocks, and pushes its child nodes.
static bool check_node(check_t *check, const visit_t *visit, visit_t *stack, int32_t *count) {
    const mesh_node_t *node = &check->mesh->nodes[visit->node];
    for (int32_t lane = 0; lane < MESH_WIDTH; lane++) {
        int32_t child = node->children[lane];
        bounds_t box = lane_box(node, lane);
        if (child == MESH_NO_CHILD) {
            if (!is_empty_lane(node, lane)) {
                return Err_Set(check->err, "mesh: node %d: lane %d has a box but no child",
                               visit->node, lane);
            }
            continue;
        }
        if (!VectorWithin(box.mins, MAX_WORLD_COORD) || !VectorWithin(box.maxs, MAX_WORLD_COORD)) {
            return Err_Set(check->err, "mesh: node %d: the box of lane %d is not within +-%d",
                           visit->node, lane, MAX_WORLD_COORD);
        }
        if (!is_inside(box, visit->box)) {
            return Err_Set(check->err, "mesh: node %d: the box of lane %d exceeds the node's box",
                           visit->node, lane);
        }
        if (child < 0) {
            if (!check_block(check, -1 - child, box)) {
                return false;
            }
        } else if (child <= visit->node || child >= check->mesh->num_nodes) {
            return Err_Set(check->err, "mesh: node %d: expected children %d..%d, found %d",
                           visit->node, visit->node + 1, check->mesh->num_nodes - 1, child);
        } else if (visit->depth + 1 >= MESH_MAX_DEPTH) {
            return Err_Set(check->err,
                           "mesh: node %d: expected at most %d levels of nodes, found more",
                           visit->node, MESH_MAX_DEPTH);
        } else {
            stack[(*count)++] = (visit_t){child, visit->depth + 1, box};
        }
    }
    return true;
}

/// Checks that a walk visits every node once. Children follow their parents: no loop.
static bool check_tree(check_t *check, visit_t *stack) {
    const mesh_t *mesh = check->mesh;
    int32_t count = 0;
    int32_t visits = 0;
    stack[count++] = (visit_t){0, 0, mesh->bounds};
    while (count > 0) {
        visit_t visit = stack[--count];
        if (++visits > mesh->num_nodes) {
            return Err_Set(check->err, "mesh: expected one parent per node, found a node with two");
        }
        if (!check_node(check, &visit, stack, &count)) {
            return false;
        }
    }
    if (visits != mesh->num_nodes || check->num_blocks != mesh->num_blocks ||
        check->num_seen != mesh->num_triangles) {
        return Err_Set(
            check->err,
            "mesh: expected a tree of all parts, found %d of %d nodes, %d of %d blocks and %d "
            "of %d triangles",
            visits, mesh->num_nodes, check->num_blocks, mesh->num_blocks, check->num_seen,
            mesh->num_triangles);
    }
    return true;
}

bool Mesh_Check(const mesh_t *mesh, err_t *err) {
    if (!check_counts(mesh, err)) {
        return false;
    }
    check_t check = {.mesh = mesh,
                     .seen_triangles = calloc((size_t)mesh->num_triangles, 1),
                     .seen_blocks = calloc((size_t)mesh->num_blocks, 1),
                     .err = err};
    visit_t *stack = malloc((MESH_WIDTH * MESH_MAX_DEPTH + 1) * sizeof *stack);
    bool good =
        check.seen_triangles && check.seen_blocks && stack
            ? check_tree(&check, stack)
            : Err_Set(err, "mesh: out of memory to check %d triangles", mesh->num_triangles);
    free(check.seen_triangles);
    free(check.seen_blocks);
    free(stack);
    return good;
}
