/// probe/draw.c - edict-probe draw: a map's collision as an SVG picture, with its entities.
//
// Floor:   tools.

#include "base/str.h"
#include "bsp/map.h"
#include "probe/mark.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

#define PICTURE_WIDTH_PX 1000

typedef struct {
    const char *map, *out, *points;
    bool has_z, has_section;
    picture_options_t picture;
} draw_args_t;

static bool number_arg(const char *text, float *out) {
    return text && Str_ToFloat(text, out) && *out >= -PROBE_MAX_COORD && *out <= PROBE_MAX_COORD;
}

/// Takes the option at argv[i] and what belongs to it; returns how many words, 0 = not understood.
static int take_option(int argc, char **argv, int i, draw_args_t *args) {
    const char *first = i + 1 < argc ? argv[i + 1] : NULL;
    const char *second = i + 2 < argc ? argv[i + 2] : NULL;
    if (strcmp(argv[i], "-o") == 0 && first) {
        args->out = first;
        return 2;
    }
    if (strcmp(argv[i], "--points") == 0 && first) {
        args->points = first;
        return 2;
    }
    if (strcmp(argv[i], "--side") == 0) {
        args->picture.side = true;
        return 1;
    }
    if (strcmp(argv[i], "--y") == 0) {
        args->has_section = number_arg(first, &args->picture.section_y);
        return args->has_section ? 2 : 0;
    }
    if (strcmp(argv[i], "--step") == 0) {
        return number_arg(first, &args->picture.step) && args->picture.step >= 1.0f ? 2 : 0;
    }
    if (strcmp(argv[i], "--z") == 0) {
        args->has_z = number_arg(first, &args->picture.z_min) &&
                      number_arg(second, &args->picture.z_max) &&
                      args->picture.z_min < args->picture.z_max;
        return args->has_z ? 3 : 0;
    }
    if (argv[i][0] != '-' && !args->map) {
        args->map = argv[i];
        return 1;
    }
    return 0;
}

static bool parse_args(int argc, char **argv, draw_args_t *args) {
    *args = (draw_args_t){0};
    for (int i = 1; i < argc;) {
        int taken = take_option(argc, argv, i, args);
        if (taken == 0) {
            return false;
        }
        i += taken;
    }
    return args->map != NULL;
}

/// Colours and line widths; the widths go with the size of the map.
static void begin_picture(FILE *out, const picture_t *picture) {
    double extent = Picture_Extent(picture);
    char css[1536];
    snprintf(css, sizeof(css),
             "path,rect,circle{stroke-width:%g}.edge{fill:none;stroke:#222;stroke-width:.16}"
             ".solid{fill:#5558;stroke:#111}.wide{fill:none;stroke:#a0c}.trigger{fill:#c3f2;stroke:"
             "#a0c;stroke-dasharray:%g}"
             ".arrow{stroke:#a0c}.flight{stroke:#e60}.tip{fill:#fff;stroke:#a0c}"
             ".look{stroke:#062}.spawn{fill:#3d5;stroke:#062}.exit{fill:#d8f;stroke:#507}"
             ".shot{fill:#fd3;stroke:#630}.dot{fill:#f06}.sweep{stroke:#f06}"
             ".name{font:%gpx sans-serif;fill:#000;stroke:#fff;stroke-width:%g;paint-order:stroke}",
             extent / 600.0, extent / 150.0, extent / 80.0, extent / 500.0);
    double margin = extent / 40.0;
    double step = (double)picture->options.step;
    svg_box_t box = {picture->corner.x - margin, picture->corner.y - 2.0 * margin,
                     (double)picture->columns * step + 5.0 * margin, // names stand to the right
                     (double)picture->rows * step + 3.0 * margin};
    Svg_Begin(out, box, PICTURE_WIDTH_PX, css);
}

static bool draw_points(FILE *out, const picture_t *picture, const char *path, err_t *err) {
    FILE *in = fopen(path, "r");
    if (!in) {
        return Err_Set(err, "%s: cannot be opened", path);
    }
    csv_t csv;
    bool good = Csv_Open(&csv, in, path, err) && Mark_Points(out, picture, &csv, err);
    fclose(in);
    return good;
}

static bool draw_map(FILE *out, const cmap_t *map, const draw_args_t *args, err_t *err) {
    things_t *things = calloc(1, sizeof(*things));
    picture_t picture;
    if (!things || !Probe_ReadThings(map, things, err) ||
        !Picture_Open(&picture, map, &args->picture, err)) {
        bool good = things ? false : Err_Set(err, "%s: no memory", map->name);
        free(things);
        return good;
    }
    begin_picture(out, &picture);
    bool good = Picture_Write(&picture, out) || Err_Set(err, "%s: no memory", map->name);
    if (good) {
        Mark_Things(out, &picture, map, things);
        good = !args->points || draw_points(out, &picture, args->points, err);
    }
    Svg_End(out);
    if (things->dropped > 0) {
        fprintf(stderr, "edict-probe: %s: %d entities beyond %d are not drawn\n", map->name,
                things->dropped, MAX_THINGS);
    }
    Picture_Close(&picture);
    free(things);
    return good;
}

static bool draw_file(const cmap_t *map, const draw_args_t *args, err_t *err) {
    if (!args->out) {
        return draw_map(stdout, map, args, err);
    }
    FILE *out = fopen(args->out, "w");
    if (!out) {
        return Err_Set(err, "%s: cannot be written", args->out);
    }
    bool good = draw_map(out, map, args, err);
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    if (!good) {
        remove(args->out); // half a picture looks like one
    }
    return good && failed ? Err_Set(err, "%s: write error", args->out) : good;
}

int Probe_Draw(int argc, char **argv) {
    draw_args_t args;
    if (!parse_args(argc, argv, &args)) {
        return PROBE_USAGE;
    }
    err_t err;
    cmap_t map;
    if (!Map_Load(&map, args.map, &err)) {
        return Probe_Fail("%s", err.text);
    }
    if (map.models[0].kind != MODEL_BSP) {
        CM_FreeMap(&map);
        return Probe_Fail("%s: a mesh has no hulls to draw; edict-probe view shows it", args.map);
    }
    picture_options_t whole = Picture_WholeMap(&map);
    if (!args.has_z) {
        args.picture.z_min = whole.z_min;
        args.picture.z_max = whole.z_max;
    }
    if (!args.has_section) {
        args.picture.section_y = whole.section_y;
    }
    bool good = draw_file(&map, &args, &err);
    CM_FreeMap(&map);
    return good ? PROBE_OK : Probe_Fail("%s", err.text);
}
