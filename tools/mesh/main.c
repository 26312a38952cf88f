// edict-mesh - compiles OBJ, glTF and Half-Life models to .emesh files.
#include "base/file.h"
#include "base/limits.h"
#include "base/option.h"
#include "base/str.h"
#include "mesh/guard.h"
#include "mesh/info.h"
#include "mesh/parts.h"
#include "model/emesh_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXIT_USAGE 2

typedef struct {
    const char *input, *output;
    bool quiet, info, no_bones;
    me_import_t import;
    me_build_t build;
} arguments_t;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const char help[] =
    "usage: edict-mesh IN.obj|IN.gltf|IN.glb|IN.mdl [-o OUT.emesh] [options]\n"
    "       edict-mesh --info FILE.emesh\n"
    "  -o, --output FILE      output file (default: IN.emesh)\n"
    "      --scale S          game units per unit of the file (default 1)\n"
    "      --up y|z           axis that points up (default: y for glTF, z for OBJ)\n"
    "      --yaw DEGREES      rotate the model, counter-clockwise seen from above\n"
    "      --move X,Y,Z       move the model, after the rotation\n"
    "      --one-sided        triangles stop movement only from their front\n"
    "      --volume CONTENTS  import all triangles as one closed volume; ignore materials\n"
    "                         CONTENTS: solid, water, slime, lava, sky, clip or ladder\n"
    "      --hitboxes HOW     auto   one per node hit_head, hit_left_arm, ...; without such\n"
    "                                nodes, one per bone (default)\n"
    "                         named  only one per node\n"
    "                         none   no hitboxes\n"
    "      --controller NAME=BONE:MOVE:MIN:MAX\n"
    "                         let the game move or turn a bone; at most 4 times\n"
    "                         MOVE: move_x, move_y, move_z (qu along the bone's axis)\n"
    "                               turn_x, turn_y, turn_z (degrees about the bone's axis)\n"
    "                         MIN, MAX: limits of the controller\n"
    "      --fps N            frames per second (default: rate of the keys, or 20)\n"
    "      --once ANIMATION   do not loop this animation; may be repeated\n"
    "      --only SEQUENCE    .mdl: import only this sequence; may be repeated\n"
    "      --no-bones         import only triangles\n"
    "      --no-triangles     import only bones, hitboxes and animations\n"
    "      --info             print the contents of an .emesh file\n"
    "  -q, --quiet            print only warnings and errors\n"
    "  -h, --help             print this text\n"
    "  -V, --version          print the version\n"
    "Without --volume, material names select the contents, as textures do in edict-mapc:\n"
    "*lava, *slime, *water, sky, clip, ladder, hint; all others are solid.\n";

enum {
    OPT_SCALE = 256,
    OPT_UP,
    OPT_YAW,
    OPT_MOVE,
    OPT_ONE_SIDED,
    OPT_VOLUME,
    OPT_HITBOXES,
    OPT_CONTROLLER,
    OPT_FPS,
    OPT_ONCE,
    OPT_ONLY,
    OPT_NO_BONES,
    OPT_NO_TRIANGLES,
    OPT_INFO
};

static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                      {"scale", required_argument, NULL, OPT_SCALE},
                                      {"up", required_argument, NULL, OPT_UP},
                                      {"one-sided", no_argument, NULL, OPT_ONE_SIDED},
                                      {"volume", required_argument, NULL, OPT_VOLUME},
                                      {"yaw", required_argument, NULL, OPT_YAW},
                                      {"move", required_argument, NULL, OPT_MOVE},
                                      {"hitboxes", required_argument, NULL, OPT_HITBOXES},
                                      {"controller", required_argument, NULL, OPT_CONTROLLER},
                                      {"fps", required_argument, NULL, OPT_FPS},
                                      {"once", required_argument, NULL, OPT_ONCE},
                                      {"only", required_argument, NULL, OPT_ONLY},
                                      {"no-bones", no_argument, NULL, OPT_NO_BONES},
                                      {"no-triangles", no_argument, NULL, OPT_NO_TRIANGLES},
                                      {"info", no_argument, NULL, OPT_INFO},
                                      {"quiet", no_argument, NULL, 'q'},
                                      OPTION_END};

static const program_t program = {"edict-mesh", help, "o:qhV", longs, EXIT_USAGE};

static void expect(bool is_valid, const char *expected, const char *value) {
    if (!is_valid) {
        Option_Fail(&program, "%s, found \"%s\"", expected, value);
    }
}

/// Parses "X,Y,Z". Returns false for any other text, or for a point outside the world.
static bool read_move(vec3_t *move, const char *value) {
    char text[96];
    float *parts[3] = {&move->x, &move->y, &move->z};
    if (strlen(value) >= sizeof text) {
        return false;
    }
    memcpy(text, value, strlen(value) + 1);
    char *at = text;
    for (int32_t i = 0; i < 3; i++) {
        char *part = strsep(&at, ",");
        if (!part || !Str_ToFloat(part, parts[i])) {
            return false;
        }
    }
    return !at && VectorWithin(*move, MAX_WORLD_COORD);
}

static bool read_hitboxes(me_rig_options_t *rig, const char *value) {
    static const char *const names[] = {
        [ME_HITBOXES_AUTO] = "auto", [ME_HITBOXES_NAMED] = "named", [ME_HITBOXES_NONE] = "none"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        if (strcmp(names[i], value) == 0) {
            rig->hitboxes = (me_hitboxes_t)i;
            return true;
        }
    }
    return false;
}

static void add_text(const char **texts, int32_t *count, int32_t max, const char *value) {
    if (*count == max) {
        Option_Fail(&program, "expected this option at most %d times, found one more: \"%s\"", max,
                    value);
    }
    texts[(*count)++] = value;
}

static void read_option(arguments_t *args, int option, const char *value) {
    me_import_t *import = &args->import;
    me_rig_options_t *rig = &import->rig;
    float scale = 0.0f;
    switch (option) {
    case 'o':
        args->output = value;
        break;
    case 'q':
        args->quiet = true;
        break;
    case OPT_SCALE:
        expect(Str_ToFloat(value, &scale) && scale >= 1e-6f && scale <= 1e6f,
               "--scale: expected 0.000001 to 1000000", value);
        import->scale = (double)scale;
        break;
    case OPT_UP:
        expect(strcmp(value, "y") == 0 || strcmp(value, "z") == 0, "--up: expected y or z", value);
        import->any_up = false;
        import->z_up = value[0] == 'z';
        break;
    case OPT_YAW:
        expect(Str_ToFloat(value, &import->yaw) && fabsf(import->yaw) <= 360.0f,
               "--yaw: expected -360 to 360", value);
        break;
    case OPT_MOVE:
        expect(read_move(&import->move, value), "--move: expected X,Y,Z within the world", value);
        break;
    case OPT_INFO:
        args->info = true;
        break;
    case OPT_ONE_SIDED:
        args->build.one_sided = true;
        break;
    case OPT_VOLUME:
        args->build.is_volume = true;
        expect(ME_ContentsNamed(value, &args->build.contents),
               "--volume: expected solid, water, slime, lava, sky, clip or ladder", value);
        break;
    case OPT_HITBOXES:
        expect(read_hitboxes(rig, value), "--hitboxes: expected auto, named or none", value);
        break;
    case OPT_CONTROLLER:
        add_text(rig->controllers, &rig->num_controllers, MAX_CONTROLLERS, value);
        break;
    case OPT_ONCE:
        add_text(rig->once, &rig->num_once, MAX_ANIMATIONS, value);
        break;
    case OPT_ONLY:
        add_text(rig->only, &rig->num_only, MAX_ANIMATIONS, value);
        break;
    case OPT_FPS:
        expect(Str_ToDouble(value, &rig->fps) && rig->fps >= 0.1 && rig->fps <= 1000.0,
               "--fps: expected 0.1 to 1000", value);
        break;
    case OPT_NO_BONES:
        args->no_bones = true;
        break;
    case OPT_NO_TRIANGLES:
        import->no_triangles = true;
        break;
    }
}

static void read_arguments(arguments_t *args, int argc, char **argv) {
    *args = (arguments_t){.import = {.scale = 1.0, .any_up = true}};
    for (int option; (option = Option_Next(&program, argc, argv)) != -1;) {
        read_option(args, option, optarg);
    }
    if (argc - optind != 1) {
        Option_Fail(&program, "expected one input file, found %d", argc - optind);
    }
    args->input = argv[optind];
    bool has_rig_options = args->import.rig.num_once > 0 || args->import.rig.num_controllers > 0;
    if (args->no_bones && (args->import.no_triangles || has_rig_options)) {
        Option_Fail(&program, "--no-bones excludes --no-triangles, --once and --controller");
    }
}

/// Writes the input's path with the ending .emesh. Returns false if the result is too long.
static bool default_output(const char *input, char path[MAX_PATH_BYTES]) {
    const char *dot = strrchr(input, '.');
    const char *slash = strrchr(input, '/');
    int length = (int)(dot && dot > slash ? (size_t)(dot - input) : strlen(input));
    int written = snprintf(path, MAX_PATH_BYTES, "%.*s.emesh", length, input);
    return written > 0 && written < MAX_PATH_BYTES;
}

static int fail_with(const err_t *err) {
    fprintf(stderr, "%s\n", err->text);
    return EXIT_FAILURE;
}

static void report_rig(const me_rig_t *rig) {
    if (rig->num_bones == 0) {
        return;
    }
    fprintf(stderr,
            "%d bones, %d hitboxes%s, %d animations with %d frames in total, "
            "%d controllers (see --info)\n",
            rig->num_bones, rig->num_hitboxes,
            rig->boxes_are_made ? " made from the vertices, because there are no nodes hit_..."
                                : "",
            rig->num_animations, rig->num_frames, rig->num_controllers);
    for (int32_t i = 0; rig->boxes_are_made && i < rig->num_hitboxes; i++) {
        const model_hitbox_t *one = &rig->hitboxes[i];
        vec3_t size = VectorSubtract(one->box.maxs, one->box.mins);
        fprintf(stderr, "  %-10s %-31s %.4g x %.4g x %.4g\n", ME_GroupName(one->group),
                rig->bones[one->bone].name, (double)size.x, (double)size.y, (double)size.z);
    }
    if (rig->num_flat > 0) {
        fprintf(stderr, "without a hitbox: %d bones whose vertices are too close together\n",
                rig->num_flat);
    }
    if (rig->num_left_out > 0) {
        fprintf(stderr, "left out: %d animation channels that move no bone\n", rig->num_left_out);
    }
}

/// Prints what a .mdl file has besides: blends, and parts that were left out.
static void report_mdl(const me_rig_t *rig) {
    for (int32_t i = 0; i < rig->num_blends; i++) {
        const me_blend_t *blend = &rig->blends[i];
        fprintf(stderr, "  %d blends from %g to %g: animations %s to %s\n", blend->count,
                (double)blend->start, (double)blend->end, rig->animations[blend->first].name,
                rig->animations[blend->first + blend->count - 1].name);
    }
    if (rig->num_controllers_out > 0) {
        fprintf(stderr, "left out: %d controllers (that of the mouth, and more than %d)\n",
                rig->num_controllers_out, MAX_CONTROLLERS);
    }
    if (rig->num_groups_unknown > 0) {
        fprintf(stderr, "%d hitboxes of unknown groups became generic\n", rig->num_groups_unknown);
    }
}

static void report(const me_soup_t *soup, const me_parts_t *parts, const me_rig_t *rig) {
    for (int32_t i = 0; i < parts->num_parts; i++) {
        const built_mesh_t *part = &parts->parts[i];
        const mesh_t *mesh = &part->mesh;
        vec3_t lo = mesh->bounds.mins;
        vec3_t hi = mesh->bounds.maxs;
        fprintf(stderr,
                "%s%s: %d triangles (%d without area left out), %d vertices, %d nodes, %d blocks, "
                "(%g %g %g) to (%g %g %g)\n",
                ME_ContentsName(mesh->contents), (mesh->flags & MESH_VOLUME) ? " volume" : "",
                mesh->num_triangles, part->num_dropped, mesh->num_vertices, mesh->num_nodes,
                mesh->num_blocks, (double)lo.x, (double)lo.y, (double)lo.z, (double)hi.x,
                (double)hi.y, (double)hi.z);
    }
    if (soup->num_other > 0 || soup->num_by_material > 0) {
        fprintf(stderr, "left out: %d points and lines, %d triangles by their material\n",
                soup->num_other, soup->num_by_material);
    }
    report_rig(rig);
    report_mdl(rig);
}

/// Prints warnings, each with the position of the first case.
static void warn(const char *input, const me_soup_t *soup, const me_rig_t *rig, bool faces_in) {
    vec3_t at;
    if (rig->num_elsewhere > 0) {
        fprintf(stderr,
                "%s: warning: %d sequences left out: their frames are in other files, such as %s\n",
                input, rig->num_elsewhere, rig->elsewhere);
    }
    int32_t crowd = ME_Crowd(soup, &at);
    if (soup->flats.count > 0) {
        fprintf(stderr, "%s: warning: triangle without area left out (%d in all)\n",
                soup->flats.place, soup->flats.count);
    }
    if (soup->doubles.count > 0) {
        fprintf(stderr, "%s: warning: duplicate triangle left out (%d in all)\n",
                soup->doubles.place, soup->doubles.count);
    }
    if (crowd > 0) {
        fprintf(stderr,
                "%s: warning: expected at most %d triangles within %d units, found %d around (%g "
                "%g %g): each sweep there tests all of them\n",
                input, ME_CROWD, ME_CROWD_QU, crowd, (double)at.x, (double)at.y, (double)at.z);
    }
    if (faces_in) {
        fprintf(stderr, "%s: warning: the triangles of a volume face inward; flip them\n", input);
    }
}

/// Returns the file's bytes: meshes, then skeleton sections. Returns NULL if out of memory.
static uint8_t *file_bytes(const me_parts_t *parts, const me_rig_t *rig, size_t *size) {
    emesh_section_t sections[MAX_EMESH_PARTS + 3];
    uint8_t *owned[MAX_EMESH_PARTS + 3] = {NULL};
    int32_t count = 0;
    bool good = true;
    for (int32_t i = 0; i < parts->num_parts; i++) {
        size_t bytes = 0;
        owned[count] = EMesh_CollisionBytes(&parts->parts[i].mesh, &bytes);
        good = good && owned[count];
        sections[count] = (emesh_section_t){EMESH_COLLISION, owned[count], bytes};
        count++;
    }
    model_t model = ME_ModelOf(rig);
    int32_t more = good ? Model_Sections(&model, sections + count, owned + count) : -1;
    count += more > 0 ? more : 0;
    uint8_t *bytes = more >= 0 ? EMesh_Bytes(sections, count, size) : NULL;
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
    return bytes;
}

static int write_file(const char *path, const me_parts_t *parts, const me_rig_t *rig,
                      size_t *size) {
    err_t err = {{0}};
    uint8_t *bytes = file_bytes(parts, rig, size);
    bool good = bytes ? *size <= MAX_EMESH_BYTES ||
                            Err_Set(&err, "%s: expected at most %zu bytes, found %zu", path,
                                    MAX_EMESH_BYTES, *size)
                      : Err_Set(&err, "%s: out of memory", path);
    good = good && File_Write(path, bytes, *size, &err);
    free(bytes);
    return good ? EXIT_SUCCESS : fail_with(&err);
}

static int compile_into(const arguments_t *args, me_soup_t *soup, me_rig_t *rig) {
    me_parts_t parts;
    err_t err = {{0}};
    size_t size = 0;
    int64_t started_ms = now_ms();
    if (!ME_Import(soup, args->no_bones ? NULL : rig, args->input, &args->import, &err)) {
        return fail_with(&err);
    }
    int64_t read_ms = now_ms();
    if (!ME_Build(&parts, args->input, soup, &args->build, &err)) {
        return fail_with(&err);
    }
    int64_t built_ms = now_ms();
    int status = write_file(args->output, &parts, rig, &size);
    warn(args->input, soup, rig, parts.faces_in);
    if (status == EXIT_SUCCESS && !args->quiet) {
        report(soup, &parts, rig);
        fprintf(stderr, "%s: %zu bytes; read in %lld ms, built in %lld ms\n", args->output, size,
                (long long)(read_ms - started_ms), (long long)(built_ms - read_ms));
    }
    ME_FreeParts(&parts);
    return status;
}

/// Compiles the model. Runs in the child process, because only the child has libassimp's data.
static int compile(void *context) {
    const arguments_t *args = context;
    me_soup_t soup = {0};
    me_rig_t *rig = calloc(1, sizeof *rig);
    if (!rig) {
        fprintf(stderr, "%s: out of memory\n", args->input);
        return EXIT_FAILURE;
    }
    int status = compile_into(args, &soup, rig);
    ME_FreeSoup(&soup);
    ME_FreeRig(rig);
    free(rig);
    return status;
}

static int print_info(const char *path) {
    err_t err = {{0}};
    return ME_PrintInfo(stdout, path, &err) ? EXIT_SUCCESS : fail_with(&err);
}

int main(int argc, char **argv) {
    arguments_t args;
    char path[MAX_PATH_BYTES];
    read_arguments(&args, argc, argv);
    if (args.info) {
        return print_info(args.input);
    }
    if (!args.output && !default_output(args.input, path)) {
        fputs("edict-mesh: the output path is too long; give another one with -o\n", stderr);
        return EXIT_FAILURE;
    }
    args.output = args.output ? args.output : path;
    if (File_IsSame(args.input, args.output)) {
        fprintf(stderr, "edict-mesh: -o: expected another file than the source, found %s\n",
                args.output);
        return EXIT_FAILURE;
    }
    int signal_number = 0;
    int status = ME_Guard(compile, &args, &signal_number);
    if (status < 0 && signal_number == 0) {
        fputs("edict-mesh: cannot start a child process\n", stderr);
    } else if (status < 0) {
        fprintf(
            stderr,
            "%s: libassimp crashed on this file (signal %d). Usual causes: a damaged file, a skin "
            "without inverseBindMatrices, or nodes nested too deeply\n",
            args.input, signal_number);
    }
    return status < 0 ? EXIT_FAILURE : status;
}
