// fuzz_csv.c - any bytes as a table of edict-probe: starts or commands of moves, or a path.
//
// Input:      u8 kind, then the file.
// Invariants: a refusal has a reason with name and line; each accepted row has all its fields, and
//             each number is within the requested limits.

#include "base/assert.h"
#include "collide/cmap.h"
#include "probe/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char starts[] = "traj,x,y,z\na,0,0,0\nb,100,0,0\nc,-100,20,5\n";

static void check_reason(const char *name, const err_t *err) {
    size_t length = strlen(name);
    ASSERT(strncmp(err->text, name, length) == 0 && err->text[length] == ':');
    ASSERT(err->text[length + 1] >= '0' && err->text[length + 1] <= '9');
}

static void check_row(const csv_t *csv) {
    err_t err = {""};
    int64_t number = 0;
    vec3_t point;
    ASSERT(csv->num_fields == csv->num_columns);
    for (int32_t i = 0; i < csv->num_columns; i++) {
        ASSERT(strlen(Csv_Text(csv, i)) < MAX_CSV_LINE_BYTES);
        if (Csv_Int(csv, i, -5, 1000, &number, &err)) {
            ASSERT(number >= -5 && number <= 1000);
        } else {
            check_reason(csv->name, &err);
        }
    }
    const int32_t columns[3] = {0, csv->num_columns / 2, csv->num_columns - 1};
    if (Csv_Vector(csv, columns, 100.0f, &point, &err)) {
        ASSERT(VectorWithin(point, 100.0f));
    } else {
        check_reason(csv->name, &err);
    }
}

static void read_table(FILE *in, const char *name) {
    csv_t csv;
    err_t err = {""};
    if (!Csv_Open(&csv, in, name, &err)) {
        check_reason(name, &err);
        return;
    }
    for (int32_t i = 0; i < csv.num_columns; i++) {
        ASSERT(Csv_Column(&csv, csv.names[i]) == i);
    }
    csv_read_t got = CSV_END;
    while ((got = Csv_Next(&csv, &err)) == CSV_ROW) {
        check_row(&csv);
    }
    if (got == CSV_ERROR) {
        check_reason(name, &err);
    }
}

static bool take_row(void *context, const move_start_t *start) {
    int32_t *rows = context;
    ASSERT(VectorWithin(start->player.origin, 1e9f) && start->num_cmds > 0);
    return ++*rows < 50;
}

// Runs players in a map of one leaf, all of it empty.
static void run_moves(FILE *in, bool is_starts) {
    cmodel_t model = {.bounds = {{-500.0f, -500.0f, -500.0f}, {500.0f, 500.0f, 500.0f}}};
    char text[] = "";
    cleaf_t leaf = {.contents = CONTENTS_EMPTY, .cluster = CM_NO_CLUSTER};
    const cmap_t map = {
        .num_models = 1, .num_leafs = 1, .models = &model, .leafs = &leaf, .entities = text};
    static moves_t moves;
    err_t err = {""};
    int32_t rows = 0;
    for (int32_t i = 0; i < MAX_MAP_HULLS; i++) {
        model.hulls[i].root = CONTENTS_EMPTY;
    }
    memset(&moves, 0, sizeof moves);
    if (!Moves_Init(&moves, &map, &err)) {
        abort();
    }
    if (is_starts) {
        if (!Moves_ReadStarts(&moves, in, "table", &err)) {
            ASSERT(strncmp(err.text, "table", 5) == 0);
        }
    } else {
        FILE *first = fmemopen((void *)(uintptr_t)starts, sizeof starts - 1, "r");
        bool good = first && Moves_ReadStarts(&moves, first, "starts", &err);
        ASSERT(good);
        fclose(first);
        if (!Moves_Run(&moves, in, "table", take_row, &rows, &err) && rows < 50) {
            ASSERT(strncmp(err.text, "table", 5) == 0);
        }
    }
    Moves_Free(&moves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) {
        return 0;
    }
    FILE *in = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    ASSERT(in);
    switch (data[0] % 4) {
    case 0:
        read_table(in, "table.csv");
        break;
    case 1:
        read_table(in, "leak.pts");
        break;
    case 2:
        run_moves(in, true);
        break;
    default:
        run_moves(in, false);
    }
    fclose(in);
    return 0;
}
