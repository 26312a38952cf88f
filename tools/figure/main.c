// edict-figure - writes our player model, as an .emesh file or as C for a game's table of models.
#include "figure/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_c(FILE *to, const uint8_t *bytes, size_t size) {
    fputs("/// game/figure_data.c - the player model. Written by edict-figure --c; do not edit.\n"
          "\n"
          "#include \"game/figure_data.h\"\n"
          "\n"
          "// clang-format off\n",
          to);
    fprintf(to, "_Static_assert(GAME_FIGURE_BYTES == %zu, \"as it was made\");\n\n", size);
    fprintf(to, "_Alignas(16) const uint32_t game_figure[%zu] = {", (size + 3) / 4);
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + i, size - i < 4 ? size - i : 4);
        fprintf(to, "%s%#x,", i % 32 == 0 ? "\n    " : " ", word);
    }
    fputs("\n};\n", to);
}

int main(int argc, char **argv) {
    bool as_c = argc == 3 && strcmp(argv[1], "--c") == 0;
    if (argc != 2 && !as_c) {
        fputs("usage: edict-figure [--c] OUT\n", stderr);
        return 2;
    }
    const char *path = argv[argc - 1];
    size_t size = 0;
    uint8_t *bytes = Figure_Bytes(&size);
    FILE *to = bytes ? fopen(path, "wb") : NULL;
    if (!to) {
        fprintf(stderr, "edict-figure: %s: cannot be written\n", path);
        free(bytes);
        return EXIT_FAILURE;
    }
    if (as_c) {
        write_c(to, bytes, size);
    } else {
        fwrite(bytes, 1, size, to);
    }
    free(bytes);
    bool good = !ferror(to);
    good = fclose(to) == 0 && good;
    if (!good) {
        fprintf(stderr, "edict-figure: %s: not all of it could be written\n", path);
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
