#include "mesh/parts.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    contents_t contents;
} contents_name_t;

static const contents_name_t names[] = {
    {"solid", CONTENTS_SOLID},   {"water", CONTENTS_WATER}, {"slime", CONTENTS_SLIME},
    {"lava", CONTENTS_LAVA},     {"sky", CONTENTS_SKY},     {"clip", CONTENTS_CLIP},
    {"ladder", CONTENTS_LADDER},
};

_Static_assert(COUNTOF(names) <= MAX_EMESH_PARTS, "a file has room for a mesh of each contents");

bool ME_ContentsNamed(const char *name, contents_t *contents) {
    for (size_t i = 0; i < COUNTOF(names); i++) {
        if (strcmp(names[i].name, name) == 0) {
            *contents = names[i].contents;
            return true;
        }
    }
    return false;
}

const char *ME_ContentsName(int32_t contents) {
    for (size_t i = 0; i < COUNTOF(names); i++) {
        if ((int32_t)names[i].contents == contents) {
            return names[i].name;
        }
    }
    return "other";
}

// ---- closed volumes ----

/// An edge of a triangle; the vertex with the lower number is `low`.
typedef struct {
    int32_t low, high, triangle;
    int32_t direction; // 1: the triangle goes from low to high; -1: from high to low
} edge_t;

static int compare_edges(const void *a, const void *b) {
    const edge_t *x = a;
    const edge_t *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high < y->high ? -1 : 1;
    }
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/// Returns the sorted edges of a source, or NULL if out of memory.
static edge_t *sorted_edges(const mesh_source_t *source, size_t *count) {
    edge_t *edges = malloc((size_t)source->num_triangles * 3 * sizeof *edges);
    *count = 0;
    for (int32_t i = 0; edges && i < source->num_triangles; i++) {
        for (int32_t j = 0; j < 3; j++) {
            int32_t a = source->indices[i][j];
            int32_t b = source->indices[i][(j + 1) % 3];
            if (a != b) {
                edges[(*count)++] = (edge_t){a < b ? a : b, a < b ? b : a, i, a < b ? 1 : -1};
            }
        }
    }
    if (edges) {
        qsort(edges, *count, sizeof *edges, compare_edges);
    }
    return edges;
}

static bool check_closed(const char *name, const mesh_source_t *source, err_t *err) {
    size_t count = 0;
    edge_t *edges = sorted_edges(source, &count);
    if (!edges) {
        return Err_Set(err, "%s: no memory for the edges of %d triangles", name,
                       source->num_triangles);
    }
    edge_t open = {0};
    int32_t num_open = 0;
    for (size_t i = 0; i < count;) {
        size_t first = i;
        int32_t sum = 0;
        for (; i < count && edges[i].low == edges[first].low && edges[i].high == edges[first].high;
             i++) {
            sum += edges[i].direction;
        }
        if (sum != 0 && num_open++ == 0) {
            open = edges[first];
        }
    }
    free(edges);
    if (num_open == 0) {
        return true;
    }
    vec3_t a = source->vertices[open.low];
    vec3_t b = source->vertices[open.high];
    return Err_Set(err,
                   "%s: %s: expected a closed volume, found %d open edges, the first from (%g %g "
                   "%g) to (%g %g %g)",
                   name, ME_ContentsName(source->contents), num_open, (double)a.x, (double)a.y,
                   (double)a.z, (double)b.x, (double)b.y, (double)b.z);
}

/// Returns six times the enclosed volume; negative if the triangles face inwards.
static double signed_volume(const mesh_source_t *source) {
    double sum = 0.0;
    vec3_t o = source->vertices[0]; // a nearby origin loses less precision
    for (int32_t i = 0; i < source->num_triangles; i++) {
        vec3_t a = VectorSubtract(source->vertices[source->indices[i][0]], o);
        vec3_t b = VectorSubtract(source->vertices[source->indices[i][1]], o);
        vec3_t c = VectorSubtract(source->vertices[source->indices[i][2]], o);
        sum += (double)a.x * ((double)b.y * (double)c.z - (double)b.z * (double)c.y) +
               (double)a.y * ((double)b.z * (double)c.x - (double)b.x * (double)c.z) +
               (double)a.z * ((double)b.x * (double)c.y - (double)b.y * (double)c.x);
    }
    return sum;
}

// ---- parts ----

/// The triangles and vertices of one contents, in malloc'ed arrays.
typedef struct {
    vec3_t *vertices;
    int32_t (*indices)[3];
    int32_t *numbers; // per vertex of the soup: its number in this part
    int32_t num_vertices, num_triangles;
} pick_t;

static void free_pick(pick_t *pick) {
    free(pick->vertices);
    free(pick->indices);
    free(pick->numbers);
}

static bool pick_contents(pick_t *pick, const me_soup_t *soup, bool all, contents_t contents) {
    size_t num_vertices = (size_t)soup->num_vertices;
    *pick = (pick_t){.vertices = malloc(num_vertices * sizeof *pick->vertices),
                     .indices = malloc((size_t)soup->num_triangles * sizeof *pick->indices),
                     .numbers = malloc(num_vertices * sizeof *pick->numbers)};
    if (!pick->vertices || !pick->indices || !pick->numbers) {
        free_pick(pick);
        return false;
    }
    memset(pick->numbers, 0xff, num_vertices * sizeof *pick->numbers);
    for (int32_t i = 0; i < soup->num_triangles; i++) {
        if (!all && soup->contents[i] != contents) {
            continue;
        }
        for (int32_t j = 0; j < 3; j++) {
            int32_t vertex = soup->indices[i][j];
            if (pick->numbers[vertex] < 0) {
                pick->numbers[vertex] = pick->num_vertices;
                pick->vertices[pick->num_vertices++] = soup->vertices[vertex];
            }
            pick->indices[pick->num_triangles][j] = pick->numbers[vertex];
        }
        pick->num_triangles++;
    }
    return true;
}

static bool is_volume(contents_t contents) {
    return contents != CONTENTS_SOLID && contents != CONTENTS_SKY && contents != CONTENTS_CLIP;
}

static bool build_part(me_parts_t *out, const char *name, const mesh_source_t *source, err_t *err) {
    err_t why;
    if (source->flags & MESH_VOLUME) {
        if (!check_closed(name, source, err)) {
            return false;
        }
        out->faces_in = out->faces_in || signed_volume(source) < 0.0;
    }
    ASSERT(out->num_parts < MAX_EMESH_PARTS);
    return Mesh_Build(&out->parts[out->num_parts], source, &why)
               ? ++out->num_parts > 0
               : Err_Set(err, "%s: %s: %s", name, ME_ContentsName(source->contents), why.text);
}

static bool build_contents(me_parts_t *out, const char *name, const me_soup_t *soup,
                           const me_build_t *options, contents_t contents, err_t *err) {
    pick_t pick;
    if (!pick_contents(&pick, soup, options->is_volume, contents)) {
        return Err_Set(err, "%s: no memory for %d triangles", name, soup->num_triangles);
    }
    bool closed = options->is_volume || is_volume(contents);
    uint32_t flags =
        (closed ? MESH_VOLUME : 0u) | (options->one_sided && !closed ? MESH_ONE_SIDED : 0u);
    const mesh_source_t source = {.vertices = pick.vertices,
                                  .indices = (const int32_t(*)[3])pick.indices,
                                  .num_vertices = pick.num_vertices,
                                  .num_triangles = pick.num_triangles,
                                  .flags = flags,
                                  .contents = contents};
    bool good = pick.num_triangles == 0 || build_part(out, name, &source, err);
    free_pick(&pick);
    return good;
}

bool ME_Build(me_parts_t *out, const char *name, const me_soup_t *soup, const me_build_t *options,
              err_t *err) {
    *out = (me_parts_t){0};
    if (soup->num_triangles == 0) {
        return true;
    }
    if (options->is_volume) {
        return build_contents(out, name, soup, options, options->contents, err);
    }
    for (size_t i = 0; i < COUNTOF(names); i++) {
        if (!build_contents(out, name, soup, options, names[i].contents, err)) {
            ME_FreeParts(out);
            return false;
        }
    }
    return true;
}

void ME_FreeParts(me_parts_t *parts) {
    for (int32_t i = 0; i < parts->num_parts; i++) {
        Mesh_Free(&parts->parts[i]);
    }
    *parts = (me_parts_t){0};
}
