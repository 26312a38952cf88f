// edict-mesh - compiles OBJ and glTF models to the .emesh files that worlds are made of.
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "mesh/parts.h"
#include "model/emesh_write.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXIT_USAGE 2

typedef struct {
    const char *input, *output;
    bool quiet;
    me_import_t import;
    me_build_t build;
} arguments_t;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void print_usage(FILE *to) {
    fputs("usage: edict-mesh IN.obj|IN.gltf|IN.glb [-o OUT.emesh] [options]\n"
          "  -o, --output FILE      where to write; default: IN with .emesh for its ending\n"
          "      --scale S          units for one of the file; default 1\n"
          "      --up y|z           which axis is up there; default y for glTF, z for OBJ\n"
          "      --one-sided        triangles stop only what comes from their front\n"
          "      --volume CONTENTS  one closed volume of solid, water, slime, lava, sky, clip or\n"
          "                         ladder, whatever its materials are\n"
          "  -q, --quiet            only warnings and errors\n"
          "  -h, --help             this text\n"
          "Without --volume the materials' names say what triangles are, as mapc's textures do:\n"
          "*lava, *slime, *water, sky, clip, ladder, hint; all others are solid.\n",
          to);
}

static bool usage_error(const char *text, const char *value) {
    fprintf(stderr, "edict-mesh: %s, found \"%s\"\n", text, value);
    return false;
}

enum { OPT_SCALE = 256, OPT_UP, OPT_ONE_SIDED, OPT_VOLUME };

/// False: a wrong value, which was told.
static bool read_option(arguments_t *args, int option, const char *value) {
    float scale = 0.0f;
    switch (option) {
    case 'o':
        args->output = value;
        return true;
    case 'q':
        args->quiet = true;
        return true;
    case OPT_SCALE:
        if (!Str_ToFloat(value, &scale) || !(scale >= 1e-6f && scale <= 1e6f)) {
            return usage_error("--scale: expected 0.000001 to 1000000", value);
        }
        args->import.scale = (double)scale;
        return true;
    case OPT_UP:
        if (strcmp(value, "y") != 0 && strcmp(value, "z") != 0) {
            return usage_error("--up: expected y or z", value);
        }
        args->import.any_up = false;
        args->import.z_up = value[0] == 'z';
        return true;
    case OPT_ONE_SIDED:
        args->build.one_sided = true;
        return true;
    case OPT_VOLUME:
        args->build.is_volume = true;
        return ME_ContentsNamed(value, &args->build.contents) ||
               usage_error("--volume: expected solid, water, slime, lava, sky, clip or ladder",
                           value);
    default: // getopt told what is wrong
        fputs("edict-mesh --help tells the options\n", stderr);
        return false;
    }
}

/// Exit status to leave with, or -1 to go on.
static int read_arguments(arguments_t *args, int argc, char **argv) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"scale", required_argument, NULL, OPT_SCALE},
                                            {"up", required_argument, NULL, OPT_UP},
                                            {"one-sided", no_argument, NULL, OPT_ONE_SIDED},
                                            {"volume", required_argument, NULL, OPT_VOLUME},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    *args = (arguments_t){.import = {.scale = 1.0, .any_up = true}};
    int option;
    while ((option = getopt_long(argc, argv, "o:qh", options, NULL)) != -1) {
        if (option == 'h') {
            print_usage(stdout);
            return EXIT_SUCCESS;
        }
        if (!read_option(args, option, optarg)) {
            return EXIT_USAGE;
        }
    }
    if (argc - optind != 1) {
        fputs("edict-mesh: expected one input file\n", stderr);
        print_usage(stderr);
        return EXIT_USAGE;
    }
    args->input = argv[optind];
    return -1;
}

/// The input's path with .emesh for its ending.
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

static void report(const me_soup_t *soup, const me_parts_t *parts) {
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
}

static int write_file(const char *path, const me_parts_t *parts, size_t *size) {
    mesh_t meshes[MAX_EMESH_PARTS];
    err_t err = {{0}};
    for (int32_t i = 0; i < parts->num_parts; i++) {
        meshes[i] = parts->parts[i].mesh;
    }
    uint8_t *bytes = EMesh_MeshBytes(meshes, parts->num_parts, size);
    bool good = bytes ? *size <= MAX_EMESH_BYTES ||
                            Err_Set(&err, "%s: expected at most %zu bytes, found %zu", path,
                                    MAX_EMESH_BYTES, *size)
                      : Err_Set(&err, "%s: no memory to write it", path);
    good = good && File_Write(path, bytes, *size, &err);
    free(bytes);
    return good ? EXIT_SUCCESS : fail_with(&err);
}

static int compile(const arguments_t *args, const char *output) {
    me_soup_t soup;
    me_parts_t parts;
    err_t err = {{0}};
    size_t size = 0;
    int64_t started_ms = now_ms();
    if (!ME_Import(&soup, args->input, &args->import, &err)) {
        return fail_with(&err);
    }
    int64_t read_ms = now_ms();
    if (!ME_Build(&parts, args->input, &soup, &args->build, &err)) {
        ME_FreeSoup(&soup);
        return fail_with(&err);
    }
    int64_t built_ms = now_ms();
    int status = write_file(output, &parts, &size);
    if (parts.faces_in) {
        fprintf(stderr, "%s: warning: triangles of a volume face its inside\n", args->input);
    }
    if (status == EXIT_SUCCESS && !args->quiet) {
        report(&soup, &parts);
        fprintf(stderr, "%s: %zu bytes; read in %lld ms, built in %lld ms\n", output, size,
                (long long)(read_ms - started_ms), (long long)(built_ms - read_ms));
    }
    ME_FreeParts(&parts);
    ME_FreeSoup(&soup);
    return status;
}

int main(int argc, char **argv) {
    arguments_t args;
    char path[MAX_PATH_BYTES];
    int status = read_arguments(&args, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (!args.output && !default_output(args.input, path)) {
        fputs("edict-mesh: the path is too long\n", stderr);
        return EXIT_FAILURE;
    }
    return compile(&args, args.output ? args.output : path);
}
