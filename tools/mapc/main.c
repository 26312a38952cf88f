// edict-mapc - compiles .map sources to .bsp files that Quake and Half-Life engines can load.
#include "base/file.h"
#include "base/limits.h"
#include "base/option.h"
#include "base/str.h"
#include "mapc/compile.h"
#include "mapc/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXIT_USAGE         2
#define PROGRESS_WAIT_MS   500
#define PROGRESS_PERIOD_MS 100

typedef struct {
    const char *input, *output;
    bool quiet;
    mc_options_t compile;
    char folder[MAX_PATH_BYTES];                               ///< of the map
    const char *folders[MC_MAX_WADS + 1], *files[MC_MAX_WADS]; ///< folders[0]: of the map
} arguments_t;

/// The state of the progress line on a terminal.
typedef struct {
    int64_t started_ms, drawn_ms;
    bool terminal, shown;
} progress_t;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void clear_progress(progress_t *progress) {
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        progress->shown = false;
    }
}

static void print_line(void *context, const char *text) {
    clear_progress(context);
    fprintf(stderr, "%s\n", text);
}

static void show_progress(void *context, const char *what, int32_t done, int32_t all) {
    progress_t *progress = context;
    int64_t now = now_ms();
    if (!progress->terminal || now - progress->started_ms < PROGRESS_WAIT_MS ||
        now - progress->drawn_ms < PROGRESS_PERIOD_MS) {
        return;
    }
    progress->drawn_ms = now;
    progress->shown = true;
    fprintf(stderr, "\r\033[K%s %d of %d", what, done, all);
}

static const char help[] =
    "usage: edict-mapc IN.map [-o OUT.bsp] [--hl] [--bsp2] [--leaktest]\n"
    "                  [--fast] [--threads N] [--wadpath PATH]... [-q]\n"
    "  -o, --output FILE  output file, NAME.bsp or NAME (default: IN.bsp)\n"
    "      --hl           write a Half-Life map: BSP30 with hulls 1 to 3\n"
    "      --bsp2         write BSP2 even if the map fits BSP29\n"
    "      --leaktest     treat a leak as an error: write no map, exit with status 1\n"
    "      --fast         find visibility roughly: the map compiles sooner, but hides less\n"
    "      --threads N    threads that find visibility (default: one for each CPU)\n"
    "      --wadpath PATH a WAD file with textures, or a folder with those that the map names\n"
    "  -q, --quiet        print only warnings and errors\n"
    "  -h, --help         print this text\n"
    "  -V, --version      print the version\n"
    "A map that leaks is written with its outside open; OUT.pts has the path of the leak.\n";

/// Takes a WAD file, or a folder of WAD files.
static void take_wads(const program_t *program, arguments_t *args, const char *path) {
    mc_wad_places_t *wads = &args->compile.wads;
    struct stat status;
    if (stat(path, &status) != 0) {
        Option_Fail(program, "--wadpath: expected a WAD file or a folder, found no \"%s\"", path);
    }
    bool folder = S_ISDIR(status.st_mode);
    if ((folder ? wads->num_folders : wads->num_files) >= MC_MAX_WADS) {
        Option_Fail(program, "--wadpath: expected at most %d paths, found more", MC_MAX_WADS);
    }
    if (folder) {
        args->folders[++wads->num_folders] = path;
    } else {
        args->files[wads->num_files++] = path;
    }
}

/// Sets folders[0] to the folder of the map.
static void take_map_folder(arguments_t *args) {
    mc_wad_places_t *wads = &args->compile.wads;
    const char *slash = strrchr(args->input, '/');
    size_t length = slash == args->input ? 1 : slash ? (size_t)(slash - args->input) : 0;
    snprintf(args->folder, sizeof args->folder, "%.*s", (int)length, args->input);
    args->folders[0] = length ? args->folder : ".";
    wads->folders = args->folders;
    wads->files = args->files;
    wads->num_folders++;
}

static int32_t default_threads(void) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus < 1 ? 1 : cpus > MC_MAX_THREADS ? MC_MAX_THREADS : (int32_t)cpus;
}

static void take_threads(const program_t *program, arguments_t *args, const char *text) {
    int64_t count = 0;
    if (!Str_ToInt(text, 1, MC_MAX_THREADS, &count)) {
        Option_Fail(program, "--threads: expected 1..%d, found \"%s\"", MC_MAX_THREADS, text);
    }
    args->compile.vis.threads = (int32_t)count;
}

static void read_arguments(arguments_t *args, int argc, char **argv) {
    enum { OPT_HL = 256, OPT_BSP2, OPT_LEAKTEST, OPT_WADPATH, OPT_FAST, OPT_THREADS };
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"hl", no_argument, NULL, OPT_HL},
                                          {"bsp2", no_argument, NULL, OPT_BSP2},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"leaktest", no_argument, NULL, OPT_LEAKTEST},
                                          {"wadpath", required_argument, NULL, OPT_WADPATH},
                                          {"fast", no_argument, NULL, OPT_FAST},
                                          {"threads", required_argument, NULL, OPT_THREADS},
                                          OPTION_END};
    static const program_t program = {"edict-mapc", help, "o:qhV", longs, EXIT_USAGE};
    *args = (arguments_t){.compile.vis.threads = default_threads()};
    for (int i = 1; i < argc; i++) { // other compilers take -wadpath
        argv[i] = strcmp(argv[i], "-wadpath") == 0 ? "--wadpath" : argv[i];
    }
    for (int option; (option = Option_Next(&program, argc, argv)) != -1;) {
        switch (option) {
        case 'o':
            args->output = optarg;
            break;
        case OPT_HL:
            args->compile.halflife = true;
            break;
        case OPT_BSP2:
            args->compile.bsp2 = true;
            break;
        case OPT_LEAKTEST:
            args->compile.leaktest = true;
            break;
        case OPT_FAST:
            args->compile.vis.fast = true;
            break;
        case OPT_THREADS:
            take_threads(&program, args, optarg);
            break;
        case OPT_WADPATH:
            take_wads(&program, args, optarg);
            break;
        default:
            args->quiet = true;
        }
    }
    if (argc - optind != 1) {
        Option_Fail(&program, "expected one input file, found %d", argc - optind);
    }
    if (args->compile.halflife && args->compile.bsp2) {
        Option_Fail(&program, "expected --hl or --bsp2, found both");
    }
    args->input = argv[optind];
    take_map_folder(args);
}

static int fail_with(const err_t *err) {
    fprintf(stderr, "%s\n", err->text);
    return EXIT_FAILURE;
}

/// Writes the results and returns the exit status. If a file cannot be written completely, the old
/// file stays.
static int write_files(mc_outcome_t outcome, const mc_result_t *result, const mc_paths_t *paths) {
    err_t err;
    if (result->leak_points) {
        if (!File_Write(paths->pts, result->leak_points, result->leak_size, &err)) {
            return fail_with(&err);
        }
        fprintf(stderr, "Leak file written to %s\n", paths->pts);
    }
    if (outcome == MC_FAILED) {
        return EXIT_FAILURE;
    }
    if (!File_Write(paths->bsp, result->bsp, result->bsp_size, &err)) {
        return fail_with(&err);
    }
    if (!result->leak_points) {
        unlink(paths->pts); // from an earlier compilation with a leak
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    arguments_t args;
    read_arguments(&args, argc, argv);
    mc_paths_t paths;
    err_t err;
    if (!MC_OutputPaths(args.input, args.output, &paths, &err)) {
        fprintf(stderr, "edict-mapc: %s\n", err.text);
        return EXIT_USAGE;
    }
    size_t size;
    uint8_t *text = File_Read(args.input, MAX_MAP_BYTES, &size, &err);
    if (!text) {
        return fail_with(&err);
    }
    int64_t started_ms = now_ms();
    progress_t progress = {.started_ms = started_ms, .terminal = isatty(STDERR_FILENO) == 1};
    mc_report_t report = {.line = print_line,
                          .progress = show_progress,
                          .context = &progress,
                          .name = args.input,
                          .quiet = args.quiet};
    mc_result_t result;
    mc_outcome_t outcome = MC_Compile(&result, &args.compile, &report, (const char *)text, size);
    clear_progress(&progress);
    int status = write_files(outcome, &result, &paths);
    MC_FreeResult(&result);
    free(text);
    return status;
}
