/// mesh/obj_check.c - checks the lines of an .obj file, and finds the lines of faces.

#include "base/types.h"
#include "mesh/soup.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    int32_t line;
    int64_t num_vertices;    // of the whole file
    int64_t vertices, faces; // read so far
    err_t *err;
} check_t;

// Separators of words. ME_JoinLines writes '\v' where a line continues on the next.
#define BLANKS " \t\r\v"

static const char *skip_blanks(const char *at) {
    return at + strspn(at, BLANKS);
}

static bool is_end(char c) {
    return c == '\0' || c == '\n';
}

/// Replaces a backslash and newline by ' ' and '\v', so that line_end can still count lines.
void ME_JoinLines(char *text) {
    for (char *at = strchr(text, '\\'); at; at = strchr(at + 1, '\\')) {
        char *end = at[1] == '\r' ? at + 2 : at + 1;
        if (*end == '\n') {
            *at = ' ';
            *end = '\v';
        }
    }
}

/// Returns the end of a joined line. Adds to *lines how many lines of the file it has.
static const char *line_end(const char *at, int32_t *lines) {
    for (*lines += 1; *at != '\0' && *at != '\n'; at++) {
        *lines += *at == '\v' ? 1 : 0;
    }
    return at;
}

static bool check_vertex(check_t *check, const char *at) {
    for (int32_t i = 0; i < 3; i++) {
        char *end;
        at = skip_blanks(at);
        double value = strtod(at, &end);
        // libassimp stores coordinates as floats.
        if (is_end(*at) || end == at || !isfinite(value) || fabs(value) > (double)FLT_MAX) {
            return Err_Set(check->err,
                           "%s:%d: vertex %lld: expected three finite numbers, found \"%.*s\"",
                           check->name, check->line, (long long)check->vertices + 1,
                           is_end(*at) ? 0 : (int)strcspn(at, BLANKS "\n"), at);
        }
        at = end;
    }
    check->vertices++;
    return true;
}

/// Checks one corner: "v", "v/vt", "v//vn" or "v/vt/vn". Vertices count from 1, or backwards from
/// -1.
static bool check_corner(const check_t *check, const char *at, int32_t corner) {
    char *end;
    long long number = strtoll(at, &end, 10);
    long long lowest = -(long long)check->vertices;
    if (end == at || number == 0 || number < lowest || number > check->num_vertices ||
        (*end != '/' && !is_end(*end) && !strchr(BLANKS, *end))) {
        return Err_Set(check->err,
                       "%s:%d: corner %d: expected a vertex 1..%lld, or -1..%lld backwards, found "
                       "\"%.*s\"",
                       check->name, check->line, corner, (long long)check->num_vertices, lowest,
                       (int)strcspn(at, BLANKS "\n"), at);
    }
    return true;
}

static bool check_face(check_t *check, const char *at) {
    int32_t corners = 0;
    for (at = skip_blanks(at); !is_end(*at); at = skip_blanks(at)) {
        if (!check_corner(check, at, ++corners)) {
            return false;
        }
        at += strcspn(at, BLANKS "\n");
    }
    check->faces++;
    return corners >= 3 || Err_Set(check->err, "%s:%d: face: expected at least 3 corners, found %d",
                                   check->name, check->line, corners);
}

static bool begins(const char *at, const char *word) {
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\t');
}

static int64_t count_vertices(const char *text) {
    int64_t count = 0;
    int32_t lines = 0;
    for (const char *at = text;; at++) {
        count += begins(skip_blanks(at), "v") ? 1 : 0;
        at = line_end(at, &lines);
        if (*at == '\0') {
            return count;
        }
    }
}

bool ME_CheckObj(const char *name, char *text, err_t *err) {
    ME_JoinLines(text);
    check_t check = {.name = name, .line = 1, .num_vertices = count_vertices(text), .err = err};
    for (const char *at = text;; at++) {
        const char *word = skip_blanks(at);
        if ((begins(word, "v") && !check_vertex(&check, word + 1)) ||
            (begins(word, "f") && !check_face(&check, word + 1))) {
            return false;
        }
        at = line_end(at, &check.line);
        if (*at == '\0') {
            break;
        }
    }
    return check.faces > 0 ||
           Err_Set(err, "%s: expected faces (lines \"f ...\"), found none", name);
}

// ---- the line of a face ----

/// The vertices of a file, read a second time: libassimp reports a faulty face only by its corners,
/// and the error needs the line.
typedef struct {
    dvec_t *vertices;
    int64_t count; // read so far
} again_t;

static void take_vertex(again_t *again, const char *at) {
    char *end;
    dvec_t v;
    v.x = strtod(at, &end);
    v.y = strtod(end, &end);
    v.z = strtod(end, &end);
    again->vertices[again->count++] = v;
}

/// Compares with a tolerance, because libassimp does not always read the nearest float.
static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-6 * fmax(1.0, fmax(fabs(a), fabs(b)));
}

/// Returns true if each of the three positions (some may be equal) is a corner of the face.
static bool has_places(const again_t *again, const char *at, const dvec_t places[3]) {
    uint32_t found = 0; // one bit for each position
    int32_t corners = 0;
    for (at = skip_blanks(at); !is_end(*at); at = skip_blanks(at)) {
        long long number = strtoll(at, NULL, 10);
        const dvec_t *v = &again->vertices[number > 0 ? number - 1 : again->count + number];
        uint32_t here = 0;
        for (int32_t i = 0; i < 3; i++) {
            if (is_near(v->x, places[i].x) && is_near(v->y, places[i].y) &&
                is_near(v->z, places[i].z)) {
                here |= 1u << i;
            }
        }
        found |= here;
        corners += here != 0 ? 1 : 0;
        at += strcspn(at, BLANKS "\n");
    }
    return found == 7u && corners >= 3;
}

int32_t ME_ObjFaceLine(const char *text, const dvec_t places[3], int32_t nth) {
    // The first pass reads all vertices, because faces can refer to later ones.
    again_t again = {.vertices = calloc((size_t)count_vertices(text) + 1, sizeof(dvec_t))};
    int32_t last = 0;
    for (int32_t pass = 0; again.vertices && pass < 2; pass++) {
        int32_t line = 1;
        again.count = 0;
        for (const char *at = text; *at != '\0' && nth >= 0; at += *at != '\0' ? 1 : 0) {
            const char *word = skip_blanks(at);
            if (begins(word, "v")) {
                take_vertex(&again, word + 1);
            } else if (pass == 1 && begins(word, "f") && has_places(&again, word + 1, places)) {
                last = line;
                nth--;
            }
            at = line_end(at, &line);
        }
    }
    free(again.vertices);
    return last;
}
