/// probe/view.c - edict-probe view: draws a map as a camera sees it, with sweeps and paths, as PNG.

#include "probe/camera.h"
#include "probe/probe.h"
#include "probe/scene.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define OVERSAMPLE 2 // rays per pixel along each side

static const vec3_t sweep_colour = {0.90f, 0.05f, 0.25f};
static const vec3_t stop_colour = {1.0f, 0.75f, 0.05f};
static const vec3_t path_colour = {0.05f, 0.35f, 0.95f};
static const vec3_t dot_colour = {0.75f, 0.0f, 0.75f};

typedef struct {
    scene_args_t show;
    float eye[3], at[3], size[2], fov, cut;
    bool has_eye, has_at, has_cut, solids;
} view_args_t;

static bool is_size(float pixels) {
    return pixels >= 16.0f && pixels <= 2048.0f;
}

/// Parses the arguments. Reports a wrong option and returns false.
static bool parse_args(int argc, char **argv, view_args_t *args) {
    *args = (view_args_t){.size = {1000.0f, 700.0f}, .fov = 70.0f};
    const probe_option_t options[] = {
        {"--eye", NULL, args->eye, 3, &args->has_eye},  {"--at", NULL, args->at, 3, &args->has_at},
        {"--size", NULL, args->size, 2, NULL},          {"--fov", NULL, &args->fov, 1, NULL},
        {"--cut", NULL, &args->cut, 1, &args->has_cut}, {"--solids", NULL, NULL, 0, &args->solids},
    };
    if (!Scene_ReadArgs(&args->show, options, COUNTOF(options), argc, argv)) {
        return false;
    }
    const probe_rule_t rules[] = {
        {args->show.out != NULL, "-o OUT.png"},
        {is_size(args->size[0]) && is_size(args->size[1]), "--size W H, each 16 to 2048"},
        {args->fov >= 1.0f && args->fov <= 150.0f, "--fov of 1 to 150 degrees"}};
    return Probe_CheckRules(rules, COUNTOF(rules), "view") && Scene_CheckArgs(&args->show, "view");
}

// ---- tables ----

typedef struct {
    sweep_rule_t rule;
    const camera_t *camera;
    image_t *image;
    csv_t csv;
    bool is_path;
    int32_t cols[6], traj;
    vec3_t last; // last point of the path
    bool has_last;
    char last_traj[32];
} overlay_t;

static void draw_sweep(overlay_t *o, vec3_t start, vec3_t end) {
    const camera_t *camera = o->camera;
    figure_hit_t hit = Scene_Sweep(&o->rule, start, end);
    vec3_t stop = hit.trace.endpos;
    if (hit.figure) {
        Camera_Box(camera, o->image, &hit.figure->boxes[hit.hitbox], 3.0f, stop_colour);
    }
    Camera_Line(camera, o->image, start, stop, 2.0f, sweep_colour);
    if (hit.trace.fraction < 1.0f) {
        Camera_Line(camera, o->image, stop, end, 0.8f, sweep_colour);
        Camera_Line(camera, o->image, stop, stop, 6.0f, stop_colour);
    }
    if (o->rule.figures) {
        Scene_PrintHit(stdout, Scene_RowName(&o->csv), &hit);
    }
}

/// Draws a line from the previous row's point if both rows have the same text in column traj.
static void draw_path(overlay_t *o, vec3_t at) {
    const char *traj = o->traj >= 0 ? Csv_Text(&o->csv, o->traj) : "";
    bool goes_on = o->has_last && strcmp(traj, o->last_traj) == 0;
    Camera_Line(o->camera, o->image, goes_on ? o->last : at, at, 2.5f, path_colour);
    strlcpy(o->last_traj, traj, sizeof o->last_traj);
    o->last = at;
    o->has_last = true;
}

static bool draw_row(overlay_t *o, err_t *err) {
    vec3_t start = {0};
    vec3_t end = {0};
    if (!Csv_Vector(&o->csv, o->cols, PROBE_MAX_COORD, &start, err) ||
        (o->cols[3] >= 0 && !Csv_Vector(&o->csv, &o->cols[3], PROBE_MAX_COORD, &end, err))) {
        return false;
    }
    if (o->is_path) {
        draw_path(o, start);
    } else if (o->cols[3] >= 0) {
        draw_sweep(o, start, end);
    } else {
        Camera_Line(o->camera, o->image, start, start, 5.0f, dot_colour);
    }
    return true;
}

static bool draw_rows(overlay_t *o, err_t *err) {
    static const char *const dots[] = {"x", "y", "z"};
    static const char *const sweeps[] = {"sx", "sy", "sz", "ex", "ey", "ez"};
    o->cols[3] = -1;
    bool is_sweeps = !o->is_path && Csv_Column(&o->csv, "sx") >= 0;
    if (!Csv_Columns(&o->csv, is_sweeps ? sweeps : dots, is_sweeps ? 6 : 3, o->cols, err)) {
        return false;
    }
    o->traj = Csv_Column(&o->csv, "traj");
    if (is_sweeps && o->rule.figures) {
        Scene_PrintHeader(stdout);
    }
    csv_read_t got;
    while ((got = Csv_Next(&o->csv, err)) == CSV_ROW) {
        if (!draw_row(o, err)) {
            return false;
        }
    }
    return got == CSV_END;
}

static bool draw_table(const camera_t *camera, const sweep_rule_t *rule, image_t *image,
                       const char *path, bool is_path, err_t *err) {
    if (!path) {
        return true;
    }
    overlay_t o = {.rule = *rule, .camera = camera, .image = image, .is_path = is_path};
    FILE *in = fopen(path, "r");
    if (!in) {
        return Err_Set(err, "%s: %s", path, strerror(errno));
    }
    bool good = Csv_Open(&o.csv, in, path, err) && draw_rows(&o, err);
    fclose(in);
    return good;
}

// ---- the picture ----

static camera_t camera_of(const view_args_t *args, const cmap_t *map, const image_t *image) {
    bounds_t world = CM_ModelBounds(map, 0);
    vec3_t at = args->has_at ? Vector(args->at[0], args->at[1], args->at[2])
                             : VectorLerp(world.mins, world.maxs, 0.5f);
    camera_t camera =
        args->has_eye
            ? Camera_LookAt(Vector(args->eye[0], args->eye[1], args->eye[2]), at, args->fov, image)
            : Camera_Overview(world, args->fov, image);
    camera.cut_z = args->has_cut ? args->cut : INFINITY;
    return camera;
}

/// Loads the faces of a map file. A view of solids or of a mesh needs none. Faces with a fault are
/// reported and not drawn.
static void load_faces(bsp_faces_t *faces, const scene_t *scene, const view_args_t *args) {
    err_t err;
    *faces = (bsp_faces_t){0};
    bool is_mesh = scene->model.num_hitboxes > 0 || CM_IsMesh(scene->map, 0);
    if (!is_mesh && !args->solids && args->show.box == 0.0f &&
        !Faces_Load(faces, args->show.map, &err)) {
        Probe_Fail("%s; drawing what stops a point instead", err.text);
    }
}

static bool view_scene(const scene_t *scene, const view_args_t *args, err_t *err) {
    bsp_faces_t faces;
    load_faces(&faces, scene, args);
    image_t image = {0};
    bool good = Image_Open(&image, OVERSAMPLE * Q_ToInt(args->size[0], 16, 2048),
                           OVERSAMPLE * Q_ToInt(args->size[1], 16, 2048), err);
    if (good) {
        camera_t camera = camera_of(args, scene->map, &image);
        sweep_rule_t rule = Scene_Rule(scene, &args->show);
        camera.box = rule.box;
        camera.faces = faces.num_faces > 0 ? &faces : NULL;
        rule.solids = camera.solids;
        Camera_Draw(&camera, scene->map, &scene->things, &image);
        good = draw_table(&camera, &rule, &image, args->show.points, false, err) &&
               draw_table(&camera, &rule, &image, args->show.path, true, err) &&
               Image_Write(&image, OVERSAMPLE, args->show.out, err);
    }
    Image_Close(&image);
    Faces_Free(&faces);
    return good;
}

int Probe_View(int argc, char **argv) {
    view_args_t args;
    if (!parse_args(argc, argv, &args)) {
        return PROBE_USAGE;
    }
    err_t err;
    scene_t *scene = Scene_Open(args.show.map, &args.show.figures, &err);
    bool good = scene && view_scene(scene, &args, &err);
    Scene_Close(scene);
    return good ? PROBE_OK : Probe_Fail("%s", err.text);
}
