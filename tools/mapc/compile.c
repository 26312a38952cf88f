#include "mapc/compile.h"

#include "base/limits.h"
#include "mapc/cells.h"
#include "mapc/entities.h"
#include "mapc/fill.h"
#include "mapc/hull.h"
#include "mapc/leak.h"
#include "mapc/miptex.h"
#include "mapc/output.h"
#include "mapc/portal.h"
#include "mapc/texture.h"
#include "mapc/tree.h"

#include <stdlib.h>
#include <string.h>

/// One compilation. `pools` lasts as long as the compilation, `hull` as long as one hull of one
/// model.
typedef struct {
    mc_fail_t fail;
    size_t budget_bytes;
    mc_pools_t pools, hull;
    const mc_options_t *options;
    mc_report_t *report;
    const char *text;
    size_t size;
    mc_map_t map;
    mc_planes_t table;
    mc_scene_t scene;
    mc_output_t output;
    mc_wads_t wads;
    bool leaked; ///< hull 0 of the world is open to the void
    mc_result_t *result;
} compiler_t;

/// Returns true if brushes of these contents are part of a hull.
static bool in_hull(contents_t contents, int32_t hull) {
    if (hull == 0) {
        return MC_ContentsRank(contents) > 0;
    }
    return contents == CONTENTS_SOLID || contents == CONTENTS_SKY || contents == CONTENTS_CLIP;
}

/// Returns the brushes of a model for a hull: unchanged for hull 0, expanded for clip hulls.
static mc_brush_t *hull_brushes(compiler_t *c, const mc_model_t *model, int32_t hull,
                                int32_t *count) {
    mc_brush_t *brushes = MC_Alloc(&c->hull.keep, (size_t)model->num_brushes, sizeof *brushes);
    *count = 0;
    for (int32_t i = 0; i < model->num_brushes; i++) {
        const mc_brush_t *brush = &model->brushes[i];
        if (!in_hull(brush->contents, hull)) {
            continue;
        }
        if (hull == 0) {
            brushes[(*count)++] = *brush;
            continue;
        }
        dbounds_t box = MC_HullBox(c->options->halflife, hull);
        if (MC_GrowBrush(&c->hull, &c->table, brush, box, &brushes[*count])) {
            brushes[(*count)++].contents = CONTENTS_SOLID;
        }
    }
    return brushes;
}

/// Removes entities outside the map from the scene's seeds and warns about each entity. An enclosed
/// entity may be in a room that leaks: writes the path to the void. --leaktest makes that an error.
static void take_outside(compiler_t *c, mc_tree_t *tree, const mc_portals_t *portals) {
    mc_seeds_t *seeds = &c->scene.seeds;
    mc_seed_t *outside = MC_Alloc(&c->hull.keep, (size_t)seeds->count, sizeof *outside);
    int32_t count = MC_TakeOutside(seeds, outside, &c->hull, tree, portals);
    for (int32_t i = 0; i < count; i++) {
        mc_leak_t leak = {0};
        if (outside[i].enclosed && !c->result->leak_points) {
            MC_FillOutside(&leak, &c->hull, tree, portals, &(mc_seeds_t){&outside[i], 1});
            MC_LeakPoints(&leak, &c->result->leak_points, &c->result->leak_size);
        }
        if (outside[i].enclosed && c->options->leaktest && !c->leaked) {
            c->leaked = true;
            MC_ReportLeak(c->report, &leak, true);
        } else {
            MC_WarnOutside(c->report, &outside[i]);
        }
    }
}

/// Makes the outside of the world's hull solid. If the hull leaks, reports that and returns false.
static bool fill_world(compiler_t *c, mc_tree_t *tree, int32_t hull) {
    mc_portals_t portals;
    mc_leak_t leak;
    MC_FindPortals(&portals, &c->hull, tree, MC_MIN_PORTAL_WIDTH);
    if (hull == 0) {
        take_outside(c, tree, &portals);
        if (c->leaked) {
            return false;
        }
    }
    MC_FillOutside(&leak, &c->hull, tree, &portals, &c->scene.seeds);
    if (leak.seed && hull == 0) {
        MC_ReportLeak(c->report, &leak, c->options->leaktest);
        MC_LeakPoints(&leak, &c->result->leak_points, &c->result->leak_size);
        c->leaked = true;
        return false;
    }
    if (leak.seed) {
        MC_Warn(c->report, leak.seed->entity->line,
                "hull %d leaks although hull 0 does not, so its outside stays open; the map works, "
                "but has more clip nodes; thicken the wall where this hull leaks",
                hull);
        return false;
    }
    if (leak.num_inside == 0 && hull == 0) {
        MC_Warn(
            c->report, c->map.entities[0].line,
            "no point entity is inside the map, so closed spaces outside its rooms are not filled; "
            "place an entity such as info_player_start in a room");
    }
    return true;
}

/// Builds the tree again from the leafs that are not solid. This drops planes of outward sides.
static void rebuild_tree(compiler_t *c, mc_tree_t *tree) {
    mc_brushset_t set = {.background = CONTENTS_SOLID};
    mc_brush_t *cells;
    MC_FindCells(tree, &c->hull, &c->table, &cells, &set.count);
    set.brushes = cells;
    MC_BuildTree(tree, &c->hull, &c->table, set);
}

/// Finds what can be seen from each leaf of the world. A map that leaks has no visibility.
static void find_vis(compiler_t *c, mc_tree_t *tree) {
    if (c->leaked) {
        MC_Note(c->report, "no visibility, because the map leaks: everything is visible");
        return;
    }
    mc_vis_t vis;
    mc_vis_options_t options = c->options->vis;
    options.threads = Q_MinI(Q_MaxI(options.threads, 1), MC_MAX_THREADS);
    MC_FindVis(&vis, &c->hull, tree, &options, c->report);
    if (vis.num_clusters == 0 && vis.num_portals > 0) {
        MC_Warn(c->report, 0,
                "%d portals need too much memory: no visibility, so everything is visible; "
                "simplify the map",
                vis.num_portals / 2);
    } else if (vis.num_limited > 0) {
        MC_Note(c->report, "%d of %d portals took too many steps: base visibility used for them",
                vis.num_limited, vis.num_portals);
    }
    MC_PackVis(&c->output, &vis, tree);
}

static void compile_hull(compiler_t *c, int32_t number, int32_t hull) {
    mc_mark_t mark = MC_Mark(&c->hull.keep);
    mc_brushset_t set = {.background = CONTENTS_EMPTY};
    set.brushes = hull_brushes(c, &c->scene.models[number], hull, &set.count);
    mc_tree_t tree;
    MC_BuildTree(&tree, &c->hull, &c->table, set);
    mc_surfaces_t surfaces = tree.surfaces;
    if (number == 0 && !c->leaked && fill_world(c, &tree, hull)) {
        rebuild_tree(c, &tree);
    }
    if (hull == 0) {
        MC_FindCells(&tree, &c->hull, &c->table, NULL, NULL);
    }
    MC_PruneTree(&tree, &c->hull);
    if (number == 0 && hull == 0) {
        find_vis(c, &tree);
    }
    MC_AddTree(&c->output, &tree, hull);
    if (hull == 0) {
        dvec_t origin = c->scene.models[number].origin;
        MC_DrawModel(&c->output, &c->hull, &(mc_solid_t){&tree, set.brushes, surfaces, origin});
    }
    MC_Release(&c->hull.keep, mark);
}

/// Compiles all hulls of all models. Returns false after a leak with --leaktest.
static bool compile_models(compiler_t *c) {
    int32_t hulls = MC_NumHulls(c->options->halflife);
    MC_InitOutput(&c->output, &c->pools.keep, &c->table);
    MC_InitTexinfos(&c->output.drawing.texinfos, &c->pools.keep, c->report, c->options->halflife);
    for (int32_t i = 0; i < c->scene.num_models; i++) {
        MC_AddModel(&c->output, &c->scene.models[i]);
        for (int32_t hull = 0; hull < hulls; hull++) {
            MC_Progress(c->report, "hulls", i * hulls + hull, c->scene.num_models * hulls);
            compile_hull(c, i, hull);
            if (c->leaked && c->options->leaktest) {
                return false;
            }
        }
    }
    return true;
}

/// Chooses the file format. Returns false with an error if the map fits no format.
static bool choose_format(compiler_t *c, mc_format_t *format) {
    char why[128];
    const char *problem = MC_FormatProblem(&c->output, why, sizeof why);
    *format = c->options->halflife ? MC_FORMAT_BSP30
              : c->options->bsp2   ? MC_FORMAT_BSP2
                                   : MC_FORMAT_BSP29;
    if (problem && *format == MC_FORMAT_BSP30) {
        return MC_Error(c->report, 0, "too large for BSP30: %s; make the map smaller", problem);
    }
    if (problem && *format == MC_FORMAT_BSP29) {
        MC_Note(c->report, "too large for BSP29: %s; writing BSP2", problem);
        *format = MC_FORMAT_BSP2;
    }
    return true;
}

static mc_outcome_t write_result(compiler_t *c) {
    mc_format_t format;
    size_t text_size;
    char *text = MC_EntityText(&c->scene, &c->pools, c->report, &c->map, &text_size);
    if (!text || !choose_format(c, &format)) {
        return MC_FAILED;
    }
    MC_LoadWads(&c->wads, &c->options->wads, c->report, &c->map.entities[0], c->options->halflife);
    MC_AddFrames(&c->output.drawing.texinfos, &c->wads);
    c->output.drawing.wads = &c->wads;
    mc_bytes_t file = {.pool = &c->pools.keep};
    MC_WriteBsp(&file, &c->output, &c->scene, format, text, text_size);
    if (file.size > MAX_MAP_BYTES) {
        MC_Error(c->report, 0, "expected a compiled map of at most %d bytes, found %zu",
                 MAX_MAP_BYTES, file.size);
        return MC_FAILED;
    }
    c->result->bsp = malloc(file.size);
    if (!c->result->bsp) {
        MC_Fail(&c->fail, "out of memory");
    }
    memcpy(c->result->bsp, file.data, file.size);
    c->result->bsp_size = file.size;
    MC_Note(c->report, "%d brushes, %zu models, %zu nodes, %zu leafs, %zu clipnodes, %zu bytes",
            c->map.num_brushes, c->output.num_models, c->output.num_nodes, c->output.num_leafs,
            c->output.num_clipnodes, file.size);
    return c->leaked ? MC_LEAKED : MC_COMPILED;
}

static mc_outcome_t compile(compiler_t *c) {
    if (!MC_ReadMap(&c->map, &c->pools.keep, c->report, c->text, c->size)) {
        return MC_FAILED;
    }
    MC_InitPlanes(&c->table, &c->pools.keep);
    MC_FindPlane(&c->table, (dplane_t){{1, 0, 0}, 0}); // plane 0 serves nodes that need no plane
    MC_MakeScene(&c->scene, &c->pools, &c->table, c->report, &c->map, c->options->halflife);
    if (c->scene.num_models > MAX_MAP_MODELS) {
        MC_Error(c->report, 0, "expected at most %d models, found %d", MAX_MAP_MODELS,
                 c->scene.num_models);
        return MC_FAILED;
    }
    if (!MC_CheckBrushList(c->report, &c->table, &c->scene)) {
        return MC_FAILED;
    }
    if (!compile_models(c)) {
        return MC_FAILED;
    }
    return write_result(c);
}

/// Runs a compilation. Must have no locals, because of the longjmp of MC_Fail.
static mc_outcome_t run(compiler_t *c) {
    if (setjmp(c->fail.where) == 0) {
        return compile(c);
    }
    MC_Error(c->report, 0, "%s", c->fail.text);
    return MC_FAILED;
}

mc_outcome_t MC_Compile(mc_result_t *result, const mc_options_t *options, mc_report_t *report,
                        const char *text, size_t size) {
    *result = (mc_result_t){0};
    compiler_t *c = calloc(1, sizeof *c);
    if (!c) {
        MC_Error(report, 0, "out of memory");
        return MC_FAILED;
    }
    c->budget_bytes = options->memory_bytes ? options->memory_bytes : MC_DEFAULT_MEMORY;
    mc_pool_t *pools[] = {&c->pools.keep, &c->pools.temp, &c->hull.keep, &c->hull.temp};
    for (size_t i = 0; i < COUNTOF(pools); i++) {
        *pools[i] = (mc_pool_t){.budget_bytes = &c->budget_bytes, .fail = &c->fail};
    }
    c->options = options;
    c->report = report;
    c->text = text;
    c->size = size;
    c->result = result;
    mc_outcome_t outcome = run(c);
    for (size_t i = 0; i < COUNTOF(pools); i++) {
        MC_FreePool(pools[i]);
    }
    MC_FreeWads(&c->wads);
    free(c);
    if (report->num_warnings > MC_MAX_WARNINGS) {
        MC_Note(report, "%d more warnings", report->num_warnings - MC_MAX_WARNINGS);
    }
    return outcome;
}

void MC_FreeResult(mc_result_t *result) {
    free(result->bsp);
    free(result->leak_points);
    *result = (mc_result_t){0};
}
