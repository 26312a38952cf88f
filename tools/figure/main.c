// edict-figure - writes the game's models as .emesh files, or as C sources for the game.
#include "base/option.h"
#include "figure/figure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Names that the generated C source of a model uses.
typedef struct {
    const char *what, *file, *array, *bytes;
} figure_names_t;

static const figure_names_t player_names = {"player", "figure_data.c", "game_figure",
                                            "GAME_FIGURE_BYTES"};
static const figure_names_t dog_names = {"dog", "dog_data.c", "game_dog", "GAME_DOG_BYTES"};

static void write_c(FILE *to, const figure_names_t *names, const uint8_t *bytes, size_t size) {
    fprintf(to,
            "/// game/%s - the %s model. Written by edict-figure --c; do not edit.\n"
            "\n"
            "#include \"game/figure_data.h\"\n"
            "\n"
            "// clang-format off\n",
            names->file, names->what);
    fprintf(to, "_Static_assert(%s == %zu, \"wrong size in figure_data.h\");\n\n", names->bytes,
            size);
    fprintf(to, "_Alignas(16) const uint32_t %s[%zu] = {", names->array, (size + 3) / 4);
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + i, size - i < 4 ? size - i : 4);
        fprintf(to, "%s%#x,", i % 32 == 0 ? "\n    " : " ", word);
    }
    fputs("\n};\n", to);
}

typedef struct {
    bool as_c, is_dog;
    const char *path;
} wanted_t;

static void read_arguments(wanted_t *wanted, int argc, char **argv) {
    static const struct option longs[] = {
        {"c", no_argument, NULL, 'c'}, {"dog", no_argument, NULL, 'd'}, OPTION_END};
    static const program_t program = {"edict-figure", "usage: edict-figure [--c] [--dog] OUT\n",
                                      "hV", longs, 2};
    *wanted = (wanted_t){0};
    for (int option; (option = Option_Next(&program, argc, argv)) != -1;) {
        wanted->as_c = wanted->as_c || option == 'c';
        wanted->is_dog = wanted->is_dog || option == 'd';
    }
    if (argc - optind != 1) {
        Option_Fail(&program, "expected one output file, found %d", argc - optind);
    }
    wanted->path = argv[optind];
}

int main(int argc, char **argv) {
    wanted_t wanted;
    read_arguments(&wanted, argc, argv);
    const figure_names_t *names = wanted.is_dog ? &dog_names : &player_names;
    size_t size = 0;
    uint8_t *bytes = wanted.is_dog ? Figure_DogBytes(&size) : Figure_Bytes(&size);
    FILE *to = bytes ? fopen(wanted.path, "wb") : NULL;
    if (!to) {
        fprintf(stderr, "edict-figure: %s: %s\n", wanted.path,
                bytes ? strerror(errno) : "out of memory");
        free(bytes);
        return EXIT_FAILURE;
    }
    if (wanted.as_c) {
        write_c(to, names, bytes, size);
    } else {
        fwrite(bytes, 1, size, to);
    }
    free(bytes);
    bool good = !ferror(to);
    good = fclose(to) == 0 && good;
    if (!good) {
        fprintf(stderr, "edict-figure: %s: write error; the file is incomplete\n", wanted.path);
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
