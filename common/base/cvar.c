#include "base/cvar.h"

#include "base/assert.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

const cvar_def_t *Cvar_Find(const cvar_def_t *defs, int32_t count, const char *name) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(defs[i].name, name) == 0) {
            return &defs[i];
        }
    }
    return NULL;
}

static bool parse_number(const cvar_def_t *def, const char *text, double *out, err_t *err) {
    float real = 0.0f;
    int64_t whole = 0;
    bool good = false;
    if (def->type == CVAR_INT) {
        good = Str_ToInt(text, (int64_t)def->min, (int64_t)def->max, &whole);
        *out = (double)whole;
    } else {
        good = Str_ToFloat(text, &real) && (double)real >= def->min && (double)real <= def->max;
        *out = (double)real;
    }
    if (!good) {
        return Err_Set(err, "%s: expected a %s in %.10g..%.10g%s%s, found \"%s\"", def->name,
                       def->type == CVAR_INT ? "whole number" : "number", def->min, def->max,
                       def->unit[0] ? " " : "", def->unit, text);
    }
    return true;
}

// Returns true if `text` is one of the words of "text|json".
static bool is_listed(const char *words, const char *text) {
    size_t length = strchr(text, '|') ? 0 : strlen(text); // 0 = no word
    for (const char *at = words; length > 0 && (at = strstr(at, text)) != NULL; at++) {
        bool is_start = at == words || at[-1] == '|';
        if (is_start && (at[length] == '|' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

bool Cvar_Check(const cvar_def_t *def, const char *text, err_t *err) {
    double ignored = 0.0;
    if (def->type != CVAR_STRING) {
        return parse_number(def, text, &ignored, err);
    }
    size_t most =
        def->max > 0.0 && def->max < CVAR_STRING_BYTES ? (size_t)def->max : CVAR_STRING_BYTES - 1;
    if (strlen(text) > most) {
        return Err_Set(err, "%s: expected at most %zu characters, found %zu", def->name, most,
                       strlen(text));
    }
    return def->unit[0] == '\0' || is_listed(def->unit, text) ||
           Err_Set(err, "%s: expected %s, found \"%s\"", def->name, def->unit, text);
}

bool Cvar_Set(const cvar_def_t *def, void *values, const char *text, err_t *err) {
    if (!Cvar_Check(def, text, err)) {
        return false;
    }
    uint8_t *at = (uint8_t *)values + def->offset;
    if (def->type == CVAR_STRING) {
        memset(at, 0, CVAR_STRING_BYTES);
        memcpy(at, text, strlen(text));
        return true;
    }
    double number = 0.0;
    bool good = parse_number(def, text, &number, err);
    ASSERT(good);
    if (def->type == CVAR_INT) {
        int32_t whole = (int32_t)number;
        memcpy(at, &whole, sizeof whole);
    } else {
        float real = (float)number;
        memcpy(at, &real, sizeof real);
    }
    return true;
}

void Cvar_Format(const cvar_def_t *def, const void *values, char *text, size_t size) {
    const uint8_t *at = (const uint8_t *)values + def->offset;
    int32_t whole = 0;
    float real = 0.0f;
    switch (def->type) {
    case CVAR_INT:
        memcpy(&whole, at, sizeof whole);
        snprintf(text, size, "%d", whole);
        break;
    case CVAR_FLOAT:
        memcpy(&real, at, sizeof real);
        snprintf(text, size, "%.9g", (double)real);
        break;
    default:
        snprintf(text, size, "%.*s", CVAR_STRING_BYTES - 1, (const char *)at);
        break;
    }
}

void Cvar_Reset(const cvar_def_t *defs, int32_t count, void *values) {
    for (int32_t i = 0; i < count; i++) {
        bool good = Cvar_Set(&defs[i], values, defs[i].def, NULL);
        ASSERT(good); // fails if the table has a default out of range
    }
}
