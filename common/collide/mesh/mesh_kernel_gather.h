/// collide/mesh/mesh_kernel_gather.h - gathers made and asked; see mesh_kernel.h. Inside of collide/
/// only.
//
// Floor:   collide.

#ifndef EDICTD_COLLIDE_MESH_KERNEL_GATHER_H
#define EDICTD_COLLIDE_MESH_KERNEL_GATHER_H

#include "collide/mesh/mesh_gather.h"
#include "collide/mesh/mesh_kernel_stand.h"

/// The boxes of a block's triangles, wider by a margin; as in nodes.
MESH_INLINE void bound_triangles(float bounds[6][MESH_WIDTH], const mesh_block_t *block,
                                 float margin) {
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        MESH_UNROLL
        for (int32_t axis = 0; axis < 3; axis++) {
            lanes_t a = Lanes_Load(&block->corners[0][axis][first]);
            lanes_t b = Lanes_Load(&block->corners[1][axis][first]);
            lanes_t c = Lanes_Load(&block->corners[2][axis][first]);
            lanes_t lo = Lanes_Min(Lanes_Min(a, b), c) - Lanes_All(margin);
            lanes_t hi = Lanes_Max(Lanes_Max(a, b), c) + Lanes_All(margin);
            Lanes_Store(&bounds[axis][first], lo);
            Lanes_Store(&bounds[axis + 3][first], hi);
        }
    }
}

/// Which triangles of a block of the gather a box comes near: a bit for each lane.
MESH_INLINE uint32_t near_triangles(const mesh_gather_t *gather, int32_t i, const bounds_t *box) {
    return touch_boxes(gather->bounds[i], box);
}

MESH_TARGET static bool collect(mesh_gather_t *gather, bounds_t box, float margin) {
    const vec3_t more = {margin, margin, margin};
    const bounds_t wide = {VectorSubtract(box.mins, more), VectorAdd(box.maxs, more)};
    mesh_query_t q;
    touched_t touched;
    q.mesh = gather->mesh;
    gather->num_blocks = 0;
    start_touching(&touched);
    int32_t leaf = next_touched(&q, &wide, &touched);
    for (; leaf != MESH_NO_CHILD; leaf = next_touched(&q, &wide, &touched)) {
        const mesh_block_t *block = &gather->mesh->blocks[-1 - leaf];
        int32_t n = gather->num_blocks;
        if (n == MAX_GATHER_BLOCKS) {
            return false;
        }
        bound_triangles(gather->bounds[n], block, margin);
        gather->blocks[n] = block;
        gather->num_blocks += near_triangles(gather, n, &box) != 0;
    }
    return true;
}

MESH_TARGET static uint32_t near(const mesh_gather_t *gather, const bounds_t *box) {
    uint32_t blocks = 0;
    for (int32_t i = 0; i < gather->num_blocks; i++) {
        blocks |= (uint32_t)(near_triangles(gather, i, box) != 0) << i;
    }
    return blocks;
}

/// Remembers the triangles of a block that are met on the way. False: they are more than fit.
MESH_INLINE bool meet_block(mesh_query_t *q, const mesh_block_t *block) {
    for (int32_t first = 0; first < MESH_WIDTH; first += MESH_LANES) {
        facing_t t;
        load_facing(&t, q, block, first, false);
        uint32_t lanes = may_meet(q, &t, false);
        if (lanes != 0) {
            remember_close(q, block);
        }
        if (lanes != 0 && q->one_sided) {
            lanes &= facing_lanes(q, &t);
        }
        if (lanes == 0) {
            continue;
        }
        timing_t time;
        float enter[MESH_LANES];
        float leave[MESH_LANES];
        float axis[MESH_LANES];
        time_overlap(&time, q, &t, false);
        uint32_t met = ~Lanes_Bits(time.outside) & Lanes_Bits(time.enter <= time.leave) & lanes;
        Lanes_Store(enter, time.enter);
        Lanes_Store(leave, time.leave);
        Lanes_Store(axis, time.axis);
        for (; met != 0; met &= met - 1) {
            int32_t lane = __builtin_ctz(met);
            if (block->triangles[first + lane] < 0) {
                continue;
            }
            if (q->num_met == MESH_MAX_MET) {
                return false;
            }
            q->met[q->num_met++] =
                (mesh_met_t){block, first + lane, enter[lane], leave[lane], axis[lane]};
        }
    }
    return true;
}

/// A sweep whose start is in solid is walked several times; what it meets is looked for once.
MESH_INLINE void meet_blocks(mesh_query_t *q) {
    q->num_met = 0;
    for (uint32_t left = q->near_blocks; left != 0; left &= left - 1) {
        if (!meet_block(q, q->gather->blocks[__builtin_ctz(left)])) {
            q->num_met = MESH_MAX_MET + 1;
            break;
        }
    }
    q->num_met_close = q->num_close;
}

MESH_TARGET static void sweep_near(mesh_query_t *q) {
    if (q->num_met < 0) {
        meet_blocks(q);
    }
    if (q->num_met <= MESH_MAX_MET) {
        q->num_close = q->num_met_close;
        for (int32_t i = 0; i < q->num_met; i++) {
            const mesh_met_t *met = &q->met[i];
            if (take_overlap(q, met->block, met->lane, met->enter, met->leave, met->axis)) {
                return;
            }
        }
        return;
    }
    q->num_close = 0;
    for (uint32_t left = q->near_blocks; left != 0; left &= left - 1) {
        if (sweep_block(q, q->gather->blocks[__builtin_ctz(left)], false)) {
            return;
        }
    }
}

MESH_TARGET static void ray_near(mesh_query_t *q) {
    ray_t ray;
    prepare_ray(&ray, q);
    for (uint32_t left = q->near_blocks; left != 0; left &= left - 1) {
        ray_block(q, &ray, q->gather->blocks[__builtin_ctz(left)]);
    }
}

MESH_TARGET static bool touches_near(const mesh_query_t *q) {
    for (uint32_t left = q->near_blocks; left != 0; left &= left - 1) {
        if (touches_block(q, q->gather->blocks[__builtin_ctz(left)], false)) {
            return true;
        }
    }
    return false;
}

MESH_TARGET static int32_t overlap_near(const mesh_query_t *q, cm_contact_t *contacts,
                                        int32_t max) {
    int32_t count = 0;
    for (uint32_t left = q->near_blocks; left != 0; left &= left - 1) {
        const mesh_block_t *block = q->gather->blocks[__builtin_ctz(left)];
        count = block_contacts(q, block, false, contacts, count, max);
    }
    return count;
}

/// The row of mesh_ops_t.
#define MESH_OPS                                                                                   \
    {                                                                                              \
        sweep, ray, cast, touches, touches_close, overlap, inside, collect, near, sweep_near,      \
            ray_near, touches_near, overlap_near                                                   \
    }

#endif
