#include "collide/hull/piece.h"

#include "collide/segment.h"

float CM_PieceSlack(float largest) {
    return CM_GRAZING + 0.0625f + largest / 65536.0f;
}

/// How far the box reaches on either side of a node's plane: *lo of its nearest, *hi of its
/// farthest point along the normal.
static void box_diffs(const plane_t *planes, const clipnode_t *node, const piece_side_t *box,
                      float *lo, float *hi) {
    int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        *lo = box->mins[type] - node->dist;
        *hi = box->maxs[type] - node->dist;
        return;
    }
    vec3_t normal = planes[CM_ClipNodePlane(node)].normal;
    const float n[3] = {normal.x, normal.y, normal.z};
    *lo = -node->dist;
    *hi = -node->dist;
    for (int32_t i = 0; i < 3; i++) {
        *lo += n[i] * (n[i] >= 0.0f ? box->mins[i] : box->maxs[i]);
        *hi += n[i] * (n[i] >= 0.0f ? box->maxs[i] : box->mins[i]);
    }
}

static void set_link(piece_cut_t *cut, int32_t *root, const piece_side_t *at, int32_t num) {
    if (at->parent < 0) {
        *root = num;
    } else {
        cut->nodes[at->parent].children[at->side] = num;
    }
}

/// Both sides of a node that cuts the box: they share what lies within the slack of an axial plane.
static void cut_box(const clipnode_t *node, float slack, piece_side_t *front, piece_side_t *back) {
    int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        float lo = node->dist - slack;
        float hi = node->dist + slack;
        front->mins[type] = front->mins[type] < lo ? lo : front->mins[type];
        back->maxs[type] = back->maxs[type] > hi ? hi : back->maxs[type];
    }
}

int32_t CM_CutPiece(piece_cut_t *cut, bounds_t box) {
    int32_t root = PIECE_NONE;
    int32_t num_waiting = 0;
    piece_side_t at = {.num = cut->root,
                       .parent = -1,
                       .mins = {box.mins.x, box.mins.y, box.mins.z},
                       .maxs = {box.maxs.x, box.maxs.y, box.maxs.z}};
    cut->num_nodes = 0;
    for (;;) {
        if (at.num < 0) {
            set_link(cut, &root, &at, at.num);
            if (num_waiting == 0) {
                return root;
            }
            at = cut->waiting[--num_waiting];
            continue;
        }
        const clipnode_t *node = &cut->from[at.num];
        float lo;
        float hi;
        cut->looks_left--;
        box_diffs(cut->planes, node, &at, &lo, &hi);
        if (lo >= cut->slack || hi < -cut->slack) {
            at.num = node->children[lo >= cut->slack ? 0 : 1];
            continue;
        }
        if (cut->num_nodes == cut->max_nodes || num_waiting == cut->max_waiting ||
            cut->looks_left < 0) {
            return PIECE_NONE;
        }
        int32_t copy = cut->num_nodes++;
        cut->nodes[copy] = *node;
        set_link(cut, &root, &at, copy);
        at.parent = copy;
        piece_side_t *back = &cut->waiting[num_waiting++];
        *back = at;
        back->num = node->children[1];
        back->side = 1;
        at.num = node->children[0];
        at.side = 0;
        cut_box(node, cut->slack, &at, back);
    }
}
