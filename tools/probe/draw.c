/// probe/draw.c - edict-probe draw: draws a map's collision and entities as an SVG picture.

#include "probe/mark.h"
#include "probe/probe.h"
#include "probe/slice.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PICTURE_WIDTH_PX 1000

typedef struct {
    scene_args_t show;
    float z[2], section_y, step, near[4], slice_at, hull;
    bool has_z, has_section, side, has_slice, has_near, has_hull, has_step, brushes;
    const char *axis; // axis of the slice
} draw_args_t;

static bool is_axis(const char *text) {
    return text[0] >= 'x' && text[0] <= 'z' && text[1] == '\0';
}

/// Parses the arguments. Reports a wrong option and returns false.
static bool parse_args(int argc, char **argv, draw_args_t *args) {
    *args = (draw_args_t){.axis = "x"};
    const probe_option_t options[] = {
        {"--slice", &args->axis, &args->slice_at, 1, &args->has_slice},
        {"--y", NULL, &args->section_y, 1, &args->has_section},
        {"--step", NULL, &args->step, 1, &args->has_step},
        {"--z", NULL, args->z, 2, &args->has_z},
        {"--near", NULL, args->near, 4, &args->has_near},
        {"--hull", NULL, &args->hull, 1, &args->has_hull},
        {"--side", NULL, NULL, 0, &args->side},
        {"--brushes", NULL, NULL, 0, &args->brushes},
    };
    if (!Scene_ReadArgs(&args->show, options, COUNTOF(options), argc, argv)) {
        return false;
    }
    const probe_rule_t rules[] = {
        {is_axis(args->axis), "--slice x, y or z"},
        {args->has_slice || !(args->brushes || args->has_hull), "--slice with --brushes or --hull"},
        {!(args->has_slice && args->side), "--slice or --side, not both"},
        {!(args->brushes && args->has_hull), "--brushes or --hull, not both"},
        {!args->has_step || args->step >= 1.0f, "--step of at least 1"},
        {!args->has_z || args->z[0] < args->z[1], "--z MIN MAX with MIN below MAX"},
        {!args->has_near || args->near[3] > 0.0f, "--near X Y Z R with R above 0"},
        {args->hull >= 0.0f && args->hull <= 3.0f && args->hull == floorf(args->hull),
         "--hull 0, 1, 2 or 3"}};
    return Probe_CheckRules(rules, COUNTOF(rules), "draw") && Scene_CheckArgs(&args->show, "draw");
}

/// Starts the picture with a style sheet. Line widths are in proportion to the map.
static void begin_picture(FILE *out, const picture_t *picture) {
    double extent = Picture_Extent(picture);
    char css[4096];
    int used = snprintf(
        css, sizeof(css),
        "path,rect,circle{stroke-width:%g}.edge{fill:none;stroke:#222;stroke-width:.16}"
        ".solid{fill:#5558;stroke:#111}.wide{fill:none;stroke:#a0c}.trigger{fill:#c3f2;stroke:"
        "#a0c;stroke-dasharray:%g}"
        ".arrow{stroke:#a0c}.flight{stroke:#e60}.tip{fill:#fff;stroke:#a0c}"
        ".look{stroke:#062}.spawn{fill:#3d5;stroke:#062}.exit{fill:#d8f;stroke:#507}"
        ".shot{fill:#fd3;stroke:#630}.dot{fill:#f06}.sweep{stroke:#f06}"
        ".missed{stroke:#f068;stroke-dasharray:%g}.stop{fill:#fb0;stroke:#630}"
        ".way{fill:none;stroke:#04d}.stone{fill:#77777f;stroke:#2b2b33}.sky{fill:#a8c4e0;"
        "stroke:#5580aa}.clip{fill:#c3f3;stroke:#a0c}.water{fill:#4682dc88;stroke:#4682dc}"
        ".slime{fill:#5ab43c88;stroke:#5ab43c}.lava{fill:#e24a2288;stroke:#e24a22}"
        ".ladder{fill:#b80;stroke:#640}.facet{fill:#77777f;stroke:#2b2b33}"
        ".pusher .stone,.pusher .facet{fill:#c9a24a;stroke:#7a5a10}"
        ".name{font:%gpx sans-serif;fill:#000;stroke:#fff;stroke-width:%g;paint-order:stroke}"
        ".hit{fill:#fb04;stroke:#c00;stroke-width:%g}",
        extent / 600.0, extent / 150.0, extent / 150.0, extent / 80.0, extent / 500.0,
        extent / 300.0);
    for (int32_t i = 0; i < NUM_HIT_GROUPS; i++) {
        used += snprintf(css + used, sizeof(css) - (size_t)used, ".%s{fill:#%06xc0;stroke:#222}",
                         Figure_GroupName(i), Figure_GroupColour(i));
    }
    double margin = extent / 40.0;
    double step = (double)picture->options.step;
    svg_box_t box = {picture->corner.x - margin, picture->corner.y - 2.0 * margin,
                     (double)picture->columns * step + 5.0 * margin, // room for names at the right
                     (double)picture->rows * step + 3.0 * margin};
    Svg_Begin(out, box, PICTURE_WIDTH_PX, css);
}

/// Draws the rows of a table as a path (if `path` is args->show.path) or as points.
static bool draw_table(FILE *out, const picture_t *picture, const scene_t *scene,
                       const draw_args_t *args, const char *path, err_t *err) {
    if (!path) {
        return true;
    }
    FILE *in = fopen(path, "r");
    if (!in) {
        return Err_Set(err, "%s: %s", path, strerror(errno));
    }
    csv_t csv;
    const sweep_rule_t rule = Scene_Rule(scene, &args->show);
    bool good = Csv_Open(&csv, in, path, err) &&
                (path == args->show.path ? Mark_Path(out, picture, &csv, err)
                                         : Mark_Points(out, picture, &rule, stdout, &csv, err));
    fclose(in);
    return good;
}

static bool draw_picture(FILE *out, const picture_t *picture, const scene_t *scene,
                         const draw_args_t *args, err_t *err) {
    const cmap_t *map = scene->map;
    if (!Picture_Write(picture, out)) {
        return Err_Set(err, "%s: out of memory", CM_Info(map).name);
    }
    if (picture->options.kind == PICTURE_SLICE && picture->options.hull < 0) {
        Slice_Write(out, picture, map, &scene->things);
    }
    Mark_Figures(out, picture, &scene->things);
    Mark_Things(out, picture, map, &scene->things);
    return draw_table(out, picture, scene, args, args->show.path, err) &&
           draw_table(out, picture, scene, args, args->show.points, err);
}

/// Sets the part of the map and the kind of picture from the arguments.
static bool choose_options(const cmap_t *map, const draw_args_t *args, picture_options_t *options,
                           err_t *err) {
    *options = Picture_WholeMap(map);
    options->step = args->step;
    if (args->has_near) {
        vec3_t middle = Vector(args->near[0], args->near[1], args->near[2]);
        vec3_t reach = Vector(args->near[3], args->near[3], args->near[3]);
        options->window = (bounds_t){VectorSubtract(middle, reach), VectorAdd(middle, reach)};
    }
    if (args->has_z) {
        options->window.mins.z = args->z[0];
        options->window.maxs.z = args->z[1];
    }
    bounds_t world = CM_ModelBounds(map, 0);
    if (args->side) {
        options->kind = PICTURE_SECTION;
        options->axis = 1;
        options->at = args->has_section ? args->section_y : (world.mins.y + world.maxs.y) * 0.5f;
    }
    if (args->has_slice) {
        options->kind = PICTURE_SLICE;
        options->axis = args->axis[0] - 'x';
        options->at = args->slice_at;
        options->hull = Slice_HasShapes(map, args->brushes) ? -1 : Q_ToInt(args->hull, 0, 3);
        if (args->has_hull && options->hull < 0) {
            return Err_Set(err, "%s: --hull: the map has no hulls", CM_Info(map).name);
        }
        if (options->hull >= CM_NumHulls(CM_Info(map).hullset)) {
            return Err_Set(err, "%s: --hull: expected 0..%d, found %d", CM_Info(map).name,
                           CM_NumHulls(CM_Info(map).hullset) - 1, options->hull);
        }
        if (args->brushes && options->hull >= 0) {
            return Err_Set(err, "%s: --brushes: the map has no brush list", CM_Info(map).name);
        }
    }
    return true;
}

static bool draw_scene(FILE *out, const scene_t *scene, const draw_args_t *args, err_t *err) {
    picture_options_t options;
    picture_t picture;
    if (!choose_options(scene->map, args, &options, err) ||
        !Picture_Open(&picture, scene->map, &options, err)) {
        return false;
    }
    begin_picture(out, &picture);
    bool good = draw_picture(out, &picture, scene, args, err);
    Svg_End(out);
    Picture_Close(&picture);
    return good;
}

static bool draw_file(const scene_t *scene, const draw_args_t *args, err_t *err) {
    if (!args->show.out) {
        return draw_scene(stdout, scene, args, err);
    }
    FILE *out = fopen(args->show.out, "w");
    if (!out) {
        return Err_Set(err, "%s: %s", args->show.out, strerror(errno));
    }
    bool good = draw_scene(out, scene, args, err);
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    if (!good) {
        remove(args->show.out); // an incomplete picture would look like a result
    }
    return good && failed ? Err_Set(err, "%s: write error", args->show.out) : good;
}

int Probe_Draw(int argc, char **argv) {
    draw_args_t args;
    if (!parse_args(argc, argv, &args)) {
        return PROBE_USAGE;
    }
    err_t err;
    scene_t *scene = Scene_Open(args.show.map, &args.show.figures, &err);
    bool good = scene && draw_file(scene, &args, &err);
    Scene_Close(scene);
    return good ? PROBE_OK : Probe_Fail("%s", err.text);
}
