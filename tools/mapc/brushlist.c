// Writes the BSPX lump BRUSHLIST: the brushes themselves, for engines that sweep boxes of any size.
#include "mapc/output.h"

#define BRUSHLIST_VERSION 1

static bool is_axial(const dplane_t *plane) {
    return MC_PlaneType(plane) <= 2;
}

static int32_t count_oblique(const mc_planes_t *table, const mc_brush_t *brush) {
    int32_t count = 0;
    for (int32_t i = 0; i < brush->num_sides; i++) {
        count += is_axial(&table->planes[brush->sides[i].plane / 2]) ? 0 : 1;
    }
    return count;
}

static void put_vector(mc_bytes_t *bytes, dvec_t v) {
    MC_PutFloat(bytes, v.x);
    MC_PutFloat(bytes, v.y);
    MC_PutFloat(bytes, v.z);
}

static void put_brush(mc_bytes_t *bytes, const mc_planes_t *table, const mc_brush_t *brush) {
    put_vector(bytes, brush->bounds.mins);
    put_vector(bytes, brush->bounds.maxs);
    MC_PutI16(bytes, (int32_t)brush->contents);
    MC_PutI16(bytes, count_oblique(table, brush));
    for (int32_t i = 0; i < brush->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(table, brush->sides[i].plane);
        if (!is_axial(&plane)) {
            put_vector(bytes, plane.normal);
            MC_PutFloat(bytes, plane.dist);
        }
    }
}

void MC_WriteBrushList(mc_bytes_t *bytes, const mc_planes_t *table, const mc_scene_t *scene) {
    for (int32_t m = 0; m < scene->num_models; m++) {
        const mc_model_t *model = &scene->models[m];
        int32_t planes = 0;
        for (int32_t i = 0; i < model->num_brushes; i++) {
            planes += count_oblique(table, &model->brushes[i]);
        }
        MC_PutI32(bytes, BRUSHLIST_VERSION);
        MC_PutI32(bytes, m);
        MC_PutI32(bytes, model->num_brushes);
        MC_PutI32(bytes, planes);
        for (int32_t i = 0; i < model->num_brushes; i++) {
            put_brush(bytes, table, &model->brushes[i]);
        }
    }
}
