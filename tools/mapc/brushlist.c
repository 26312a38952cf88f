// Writes the BSPX lump BRUSHLIST: the brushes, for servers that sweep boxes of any size.
#include "mapc/output.h"

#include "collide/brush/brush_build.h"

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

// ---- the checks that the server makes on loading ----

static vec3_t narrow(dvec_t v) {
    return Vector((float)v.x, (float)v.y, (float)v.z);
}

static brush_added_t load_brush(brushes_t *loaded, const mc_planes_t *table,
                                const mc_brush_t *brush) {
    brush_plane_t planes[MAX_BRUSH_SIDES];
    int32_t count = 0;
    for (int32_t i = 0; i < brush->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(table, brush->sides[i].plane);
        if (!is_axial(&plane) && count < MAX_BRUSH_SIDES) {
            planes[count++] = (brush_plane_t){narrow(plane.normal), (float)plane.dist};
        }
    }
    bounds_t bounds = {narrow(brush->bounds.mins), narrow(brush->bounds.maxs)};
    return Brushes_Add(loaded, bounds, (int32_t)brush->contents, planes, count);
}

/// Returns false if the server would reject the brush, and then reports the reason.
static bool judge_brush(mc_report_t *report, const brushes_t *loaded, brush_added_t added,
                        const mc_brush_t *brush) {
    if (added == BRUSH_NO_MEMORY) {
        MC_Error(report, brush->line, "out of memory");
    } else if (added == BRUSH_TOO_COMPLEX && loaded->work > MAX_BRUSH_WORK) {
        MC_Error(report, brush->line,
                 "the brushes are too complex for servers: the sum of (number of sides)^2 over all "
                 "brushes exceeds %d; simplify this brush or delete some",
                 MAX_BRUSH_WORK);
    } else if (added == BRUSH_TOO_COMPLEX) {
        MC_Error(report, brush->line,
                 "a brush of %d sides is too complex for servers; split or simplify it",
                 brush->num_sides);
    } else if (added == BRUSH_EMPTY) {
        MC_Warn(report, brush->line,
                "the brush is too thin for the brush list: only boxes of a hull's size stop at it; "
                "make it thicker");
    }
    return added == BRUSH_ADDED || added == BRUSH_EMPTY;
}

bool MC_CheckBrushList(mc_report_t *report, const mc_planes_t *table, const mc_scene_t *scene) {
    brushes_t loaded = {0};
    bool good = true;
    for (int32_t m = 0; m < scene->num_models && good; m++) {
        const mc_model_t *model = &scene->models[m];
        for (int32_t i = 0; i < model->num_brushes && good; i++) {
            const mc_brush_t *brush = &model->brushes[i];
            good = judge_brush(report, &loaded, load_brush(&loaded, table, brush), brush);
        }
    }
    Brushes_Free(&loaded);
    return good;
}
