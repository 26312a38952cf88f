// fuzz_cvar.c - any text as the value of any cvar of the daemon, the simulation and the game.
//
// Input:      u8 table, u8 cvar, then the value.
// Invariants: a value that is refused changes nothing, and the reason names the cvar; an accepted
//             one is within its range, and its text gives the same bits again.

#include "base/assert.h"
#include "game/game.h"
#include "ops/host_cvars.h"
#include "world/game_cvars.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_VALUES_BYTES 16384

static void check_range(const cvar_def_t *def, const uint8_t *values) {
    int32_t number;
    float real;
    if (def->type == CVAR_INT) {
        memcpy(&number, values + def->offset, sizeof number);
        ASSERT(number >= def->min && number <= def->max);
    } else if (def->type == CVAR_FLOAT) {
        memcpy(&real, values + def->offset, sizeof real);
        ASSERT((double)real >= def->min && (double)real <= def->max); // no NaN either
    } else {
        const char *text = (const char *)values + def->offset;
        size_t length = strnlen(text, CVAR_STRING_BYTES);
        ASSERT(length < CVAR_STRING_BYTES);
        ASSERT(def->max <= 0.0 || (double)length <= def->max);
    }
}

static void check_set(const cvar_def_t *defs, int32_t count, const cvar_def_t *def,
                      const char *value) {
    static _Alignas(16) uint8_t values[MAX_VALUES_BYTES], before[MAX_VALUES_BYTES];
    char text[CVAR_STRING_BYTES];
    err_t err = {""};
    memset(values, 0, sizeof values);
    Cvar_Reset(defs, count, values);
    memcpy(before, values, sizeof before);
    bool good = Cvar_Set(def, values, value, &err);
    ASSERT(good == Cvar_Check(def, value, &err));
    if (!good) {
        ASSERT(strncmp(err.text, def->name, strlen(def->name)) == 0);
        ASSERT(memcmp(values, before, sizeof values) == 0);
        return;
    }
    check_range(def, values);
    memcpy(before, values, sizeof before);
    Cvar_Format(def, values, text, sizeof text);
    good = Cvar_Set(def, values, text, &err);
    ASSERT(good);
    if (def->type == CVAR_STRING) { // bytes after the NUL do not count
        ASSERT(strcmp((char *)values + def->offset, (char *)before + def->offset) == 0);
    } else {
        ASSERT(memcmp(values, before, sizeof values) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) {
        return 0;
    }
    int32_t count = 0;
    const cvar_def_t *defs = NULL;
    if (data[0] % 3 == 0) {
        defs = HostCvars_Defs(&count);
    } else if (data[0] % 3 == 1) {
        defs = GameCvars_Defs(&count);
    } else {
        defs = Game_Export()->cvars.list;
        count = Game_Export()->cvars.count;
    }
    const cvar_def_t *def = &defs[data[1] % count];
    ASSERT(def->offset + CVAR_STRING_BYTES <= MAX_VALUES_BYTES);
    char *value = malloc(size - 1); // of exact size, with its NUL
    ASSERT(value);
    memcpy(value, data + 2, size - 2);
    value[size - 2] = '\0';
    check_set(defs, count, def, value);
    free(value);
    return 0;
}
