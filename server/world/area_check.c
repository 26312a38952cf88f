/// world/area_check.c - checks the area tree of an untrusted block.

#include "world/area_local.h"

#include <string.h>

static bool check_cell(const world_t *world, int32_t cell, int32_t *linked, err_t *err) {
    const area_t *area = area_of(world);
    const area_node_t *nodes = area_nodes(area);
    int32_t prev = 0;
    int32_t number = area_heads(area)[cell];
    area_place_t place = Area_PlaceOfCell(area, cell);
    if ((number != 0) != Bits_Get(&area_rows(area)[place.row], place.bit)) {
        return Err_Set(err, "area tree: cell %d: expected row bit %d (first edict %d), found %d",
                       cell, number != 0, number, number == 0);
    }
    while (number != 0) {
        if (number < 0 || number >= world->num_edicts || (*linked)++ >= world->num_edicts) {
            return Err_Set(err, "area tree: cell %d: expected edicts 0..%d, each once, found %d",
                           cell, world->num_edicts - 1, number);
        }
        const area_node_t *node = &nodes[number];
        vec3_t size = VectorSubtract(node->box.maxs, node->box.mins);
        int32_t level = area_level_for(area, size);
        int32_t expected = place.kind * area->num_cells +
                           area_cell_for(area, &area->levels[level], node->box.mins);
        if (node->prev != prev || area_cells(area)[number] != cell + 1 || expected != cell) {
            return Err_Set(err,
                           "area tree: edict %d is in cell %d after edict %d, expected cell %d "
                           "after edict %d",
                           number, cell, prev, expected, node->prev);
        }
        prev = number;
        number = node->next;
    }
    return true;
}

static bool check_stock(const world_t *world, err_t *err) {
    const area_t *area = area_of(world);
    int32_t counts[AREA_KINDS][AREA_LEVELS] = {{0}};
    for (int32_t i = 0; i < world->num_edicts; i++) {
        int32_t cell = area_cells(area)[i];
        if (cell == 0) {
            continue;
        }
        area_place_t place = Area_PlaceOfCell(area, cell - 1);
        bounds_t box = area_nodes(area)[i].box;
        vec3_t size = VectorSubtract(box.maxs, box.mins);
        vec3_t extent = area->stock[place.kind][place.level].extent;
        counts[place.kind][place.level]++;
        if (!World_Edict(world, i)->inuse) {
            return Err_Set(err, "area tree: edict %d is linked, but free", i);
        }
        if (!(size.x < extent.x && size.y < extent.y && size.z < extent.z)) {
            return Err_Set(err, "area tree: edict %d is larger than the extent of its level", i);
        }
    }
    for (int32_t kind = 0; kind < AREA_KINDS; kind++) {
        for (int32_t level = 0; level < AREA_LEVELS; level++) {
            if (counts[kind][level] != area->stock[kind][level].count) {
                return Err_Set(err, "area tree: level %d: expected %d edicts, found %d", level,
                               area->stock[kind][level].count, counts[kind][level]);
            }
        }
    }
    return true;
}

bool Area_Check(const world_t *world, err_t *err) {
    const area_t *area = area_of(world);
    area_t expected;
    Area_MakeLayout(&expected, world->max_edicts, area->bounds);
    memcpy(expected.stock, area->stock, sizeof expected.stock);
    if (memcmp(&expected, area, sizeof expected) != 0) {
        return Err_Set(err, "area tree: the layout differs from the one for its bounds");
    }
    int32_t num_links = 0;
    for (int32_t i = 0; i < world->max_edicts; i++) {
        int32_t cell = area_cells(area)[i];
        if (cell < 0 || cell > AREA_KINDS * area->num_cells) {
            return Err_Set(err, "area tree: edict %d: expected a cell 0..%d, found %d", i,
                           AREA_KINDS * area->num_cells, cell);
        }
        num_links += cell != 0 ? 1 : 0;
    }
    int32_t linked = 0;
    for (int32_t cell = 0; cell < AREA_KINDS * area->num_cells; cell++) {
        if (!check_cell(world, cell, &linked, err)) {
            return false;
        }
    }
    if (linked != num_links) {
        return Err_Set(err, "area tree: %d edicts are linked, but the cells list %d", num_links,
                       linked);
    }
    return check_stock(world, err);
}
