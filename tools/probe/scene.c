#include "probe/scene.h"

#include "base/assert.h"
#include "base/file.h"
#include "bsp/map.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 32

bool Scene_ReadArgs(scene_args_t *args, const probe_option_t *options, size_t count, int argc,
                    char **argv) {
    const probe_option_t shared[] = {
        {"MAP", &args->map, NULL, 0, NULL},
        {"-o", &args->out, NULL, 0, NULL},
        {"--points", &args->points, NULL, 0, NULL},
        {"--path", &args->path, NULL, 0, NULL},
        {"--box", NULL, &args->box, 1, NULL},
        {"--hitboxes", NULL, NULL, 0, &args->hitboxes},
        {"--animation", &args->figures.animation, NULL, 0, NULL},
        {"--controllers", &args->figures.controllers, NULL, 0, NULL},
        {"--time", NULL, &args->figures.time_ms, 1, NULL},
    };
    probe_option_t all[MAX_OPTIONS];
    ASSERT(COUNTOF(shared) + count <= MAX_OPTIONS);
    memcpy(all, shared, sizeof shared);
    memcpy(all + COUNTOF(shared), options, count * sizeof *options);
    return Probe_ReadOptions(all, COUNTOF(shared) + count, argc, argv);
}

bool Scene_CheckArgs(const scene_args_t *args, const char *command) {
    const probe_rule_t rules[] = {
        {args->box == 0.0f || args->box == 1.0f || args->box == 2.0f, "--box 0, 1 or 2"},
        {args->figures.time_ms >= 0.0f, "--time of at least 0"},
        {!args->hitboxes || (args->points && args->out), "--hitboxes with --points and -o"},
        {!args->out || !File_IsSame(args->map, args->out), "a file other than the map after -o"}};
    return Probe_CheckRules(rules, COUNTOF(rules), command);
}

sweep_rule_t Scene_Rule(const scene_t *scene, const scene_args_t *args) {
    static const bounds_t point = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    int32_t hull = Q_ToInt(args->box, 0, 2);
    return (sweep_rule_t){.map = scene->map,
                          .box = hull == 0 ? point : CM_HullSize(HULLSET_QUAKE, hull),
                          .figures = args->hitboxes ? &scene->things : NULL};
}

#define MARGIN 1.0f // qu between a figure without triangles and the picture's border

/// Returns true if a file starts like an .emesh file. Loading reports an unreadable file later.
static bool is_emesh(const char *path) {
    uint8_t bytes[64] = {0};
    FILE *in = fopen(path, "rb");
    size_t got = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (in) {
        fclose(in);
    }
    return got == sizeof bytes && EMesh_IsOne(bytes, sizeof bytes);
}

static void add_own_figure(scene_t *scene, const char *name) {
    things_t *things = &scene->things;
    if (scene->model.num_hitboxes > 0 && things->num_figures < MAX_FIGURES) {
        figure_t *figure = &things->figures[things->num_figures++];
        *figure = (figure_t){.model = &scene->model};
        strlcpy(figure->name, name, sizeof figure->name);
        Figure_Stand(figure);
    }
}

static bool load(scene_t *scene, const char *path, const figure_options_t *options, err_t *err) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (is_emesh(path) && (!EMesh_Load(&scene->file, path, err) ||
                           !Model_Read(&scene->model, &scene->file, path, err))) {
        return false;
    }
    bool is_bare = scene->model.num_hitboxes > 0 && scene->file.num_parts == 0;
    if (!is_bare) {
        scene->map = Map_Load(path, err);
        if (!scene->map || !Probe_ReadThings(scene->map, &scene->things, err)) {
            return false;
        }
    }
    add_own_figure(scene, name);
    if (!Figure_Apply(scene->things.figures, scene->things.num_figures, options, err)) {
        return false;
    }
    if (is_bare) {
        const vec3_t margin = {MARGIN, MARGIN, MARGIN};
        bounds_t box = scene->things.figures[0].bounds;
        box = (bounds_t){VectorSubtract(box.mins, margin), VectorAdd(box.maxs, margin)};
        scene->map = Map_MakeEmpty(name, box);
    }
    return scene->map || Err_Set(err, "%s: out of memory", path);
}

scene_t *Scene_Open(const char *path, const figure_options_t *options, err_t *err) {
    scene_t *scene = calloc(1, sizeof *scene);
    if (!scene) {
        Err_Set(err, "%s: out of memory", path);
        return NULL;
    }
    if (!load(scene, path, options, err)) {
        Scene_Close(scene);
        return NULL;
    }
    if (scene->things.dropped > 0) {
        fprintf(stderr,
                "edict-probe: %s: %d entities are not drawn; the limits are %d entities, and %d "
                "with hitboxes\n",
                CM_Info(scene->map).name, scene->things.dropped, MAX_THINGS, MAX_FIGURES);
    }
    return scene;
}

void Scene_Close(scene_t *scene) {
    if (scene) {
        Map_Free(scene->map);
        EMesh_Free(&scene->file);
        free(scene);
    }
}

// ---- sweeps ----

figure_hit_t Scene_Sweep(const sweep_rule_t *rule, vec3_t start, vec3_t end) {
    const cm_object_t world = {.model = 0, .solids = rule->solids};
    figure_hit_t hit = {
        .trace = CM_BoxTrace(rule->map, &world, start, end, rule->box.mins, rule->box.maxs)};
    if (rule->figures) {
        figure_hit_t other =
            Figure_Sweep(rule->figures->figures, rule->figures->num_figures, start, end, rule->box);
        bool is_nearer = other.trace.fraction < hit.trace.fraction;
        bool is_inside = other.trace.fraction == hit.trace.fraction && other.trace.startsolid;
        hit = is_nearer || is_inside ? other : hit;
    }
    return hit;
}

void Scene_PrintHeader(FILE *out) {
    fputs("id,fraction,endx,endy,endz,met,hitgroup,bone,bonename\n", out);
}

void Scene_PrintHit(FILE *out, const char *id, const figure_hit_t *hit) {
    const trace_t *trace = &hit->trace;
    fprintf(out, "%s,%.9g,%.9g,%.9g,%.9g,", id, (double)trace->fraction, (double)trace->endpos.x,
            (double)trace->endpos.y, (double)trace->endpos.z);
    if (hit->figure) {
        const model_hitbox_t *box = &hit->figure->model->hitboxes[hit->hitbox];
        fprintf(out, "%s,%s,%d,%s\n", hit->figure->name, Figure_GroupName(box->group), box->bone,
                hit->figure->model->bones[box->bone].name);
    } else {
        fprintf(out, "%s,,,\n", trace->fraction < 1.0f || trace->startsolid ? "worldspawn" : "");
    }
}

const char *Scene_RowName(const csv_t *csv) {
    int32_t label = Csv_Column(csv, "label");
    int32_t column = label >= 0 ? label : Csv_Column(csv, "id");
    return column >= 0 ? Csv_Text(csv, column) : "";
}
