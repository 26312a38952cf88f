#include "model/emesh.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/limits.h"
#include "collide/mesh/mesh_build.h"
#include "model/emesh_layout.h"
#include "state/contents.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    const uint8_t *data;
    size_t size;
    err_t *err;
} reader_t;

/// Sets the error to "name: byte N: reason" and returns false.
static bool fail(const reader_t *reader, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const reader_t *reader, size_t at, const char *format, ...) {
    char reason[384];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return Err_Set(reader->err, "%s: byte %zu: %s", reader->name, at, reason);
}

static bool check_zero(const reader_t *reader, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (reader->data[i] != 0) {
            return fail(reader, i, "expected 0 in a gap of the file, found %d", reader->data[i]);
        }
    }
    return true;
}

static bool read_header(const reader_t *reader, emesh_header_t *head) {
    if (!EMesh_IsOne(reader->data, reader->size)) {
        return fail(reader, 0, "header: expected \"%s\"; this is not an .emesh file", EMESH_MAGIC);
    }
    if (reader->size < sizeof *head) {
        return fail(reader, reader->size, "header: expected %zu bytes, found the file's end",
                    sizeof *head);
    }
    memcpy(head, reader->data, sizeof *head);
    if (head->version != EMESH_VERSION) {
        return fail(reader, offsetof(emesh_header_t, version),
                    "header: expected version %d, found %u", EMESH_VERSION, head->version);
    }
    if (head->size != reader->size) {
        return fail(reader, offsetof(emesh_header_t, size),
                    "header: expected the file's size, %zu bytes, found %llu", reader->size,
                    (unsigned long long)head->size);
    }
    uint64_t sum =
        Hash_Bytes(reader->data + EMESH_SUMMED_FROM, reader->size - EMESH_SUMMED_FROM, 0);
    if (head->checksum != sum) {
        return fail(reader, offsetof(emesh_header_t, checksum),
                    "header: expected the checksum %016llx (of byte 24 to the end), found %016llx; "
                    "the file is damaged",
                    (unsigned long long)sum, (unsigned long long)head->checksum);
    }
    if (head->num_sections < 1 || head->num_sections > MAX_EMESH_SECTIONS) {
        return fail(reader, offsetof(emesh_header_t, num_sections),
                    "header: expected 1..%d sections, found %u", MAX_EMESH_SECTIONS,
                    head->num_sections);
    }
    return check_zero(reader, offsetof(emesh_header_t, zero), sizeof *head);
}

/// Reads the directory. Sections must be in order, with gaps only for alignment.
static bool read_directory(const reader_t *reader, int32_t count, emesh_t *file) {
    size_t end = sizeof(emesh_header_t) + (size_t)count * sizeof(emesh_entry_t);
    if (end > reader->size) {
        return fail(reader, sizeof(emesh_header_t),
                    "directory: expected %d sections, found the file's end at byte %zu", count,
                    reader->size);
    }
    for (int32_t i = 0; i < count; i++) {
        size_t at = sizeof(emesh_header_t) + (size_t)i * sizeof(emesh_entry_t);
        size_t begin = EMesh_Align(end);
        emesh_entry_t entry;
        memcpy(&entry, reader->data + at, sizeof entry);
        if (entry.kind < EMESH_COLLISION || entry.kind > EMESH_ANIMATIONS) {
            return fail(reader, at, "section %d: expected a kind %d..%d, found %u", i,
                        EMESH_COLLISION, EMESH_ANIMATIONS, entry.kind);
        }
        if (entry.zero1 != 0 || entry.zero2 != 0) {
            return fail(reader, at, "section %d: expected 0 in unused fields, found %u and %llu", i,
                        entry.zero1, (unsigned long long)entry.zero2);
        }
        if (entry.offset != begin) {
            return fail(reader, at, "section %d: expected a start at byte %zu, found %llu", i,
                        begin, (unsigned long long)entry.offset);
        }
        if (begin > reader->size || entry.bytes > reader->size - begin) {
            return fail(reader, at,
                        "section %d: expected %llu bytes at %zu, found the file's end at %zu", i,
                        (unsigned long long)entry.bytes, begin, reader->size);
        }
        if (!check_zero(reader, end, begin)) {
            return false;
        }
        end = begin + (size_t)entry.bytes;
        file->sections[i] = (emesh_section_t){.kind = (int32_t)entry.kind,
                                              .data = reader->data + begin,
                                              .bytes = (size_t)entry.bytes};
    }
    file->num_sections = count;
    return end == reader->size ||
           fail(reader, end, "expected the file's end, found %zu more bytes", reader->size - end);
}

static bool check_contents(const reader_t *reader, size_t at, int32_t contents) {
    bool good =
        contents <= CONTENTS_SOLID && contents >= CONTENTS_LADDER && contents != CONTENTS_ORIGIN;
    return good || fail(reader, at + offsetof(emesh_collision_t, contents),
                        "mesh: expected contents %d..%d (not %d), found %d", CONTENTS_LADDER,
                        CONTENTS_SOLID, CONTENTS_ORIGIN, contents);
}

/// Checks that the bounds are those of the root's children.
static bool check_bounds(const reader_t *reader, size_t at, const mesh_t *mesh) {
    const mesh_node_t *root = mesh->nodes;
    vec3_t lo = {MESH_EMPTY_LANE, MESH_EMPTY_LANE, MESH_EMPTY_LANE};
    vec3_t hi = VectorNegate(lo);
    for (int32_t i = 0; i < MESH_WIDTH; i++) {
        lo = VectorMin(lo, Vector(root->bounds[0][i], root->bounds[1][i], root->bounds[2][i]));
        hi = VectorMax(hi, Vector(root->bounds[3][i], root->bounds[4][i], root->bounds[5][i]));
    }
    return (VectorCompare(lo, mesh->bounds.mins) && VectorCompare(hi, mesh->bounds.maxs)) ||
           fail(reader, at + offsetof(emesh_collision_t, bounds),
                "mesh: expected the bounds of its tree, (%g %g %g)..(%g %g %g), found "
                "(%g %g %g)..(%g %g %g)",
                (double)lo.x, (double)lo.y, (double)lo.z, (double)hi.x, (double)hi.y, (double)hi.z,
                (double)mesh->bounds.mins.x, (double)mesh->bounds.mins.y,
                (double)mesh->bounds.mins.z, (double)mesh->bounds.maxs.x,
                (double)mesh->bounds.maxs.y, (double)mesh->bounds.maxs.z);
}

/// Checks that the gaps between arrays are zero.
static bool check_gaps(const reader_t *reader, size_t at, const mesh_t *mesh,
                       const emesh_arrays_t *arrays) {
    size_t vertices = arrays->vertices + (size_t)mesh->num_vertices * sizeof *mesh->vertices;
    size_t indices = arrays->indices + (size_t)mesh->num_triangles * sizeof *mesh->indices;
    size_t nodes = arrays->nodes + (size_t)mesh->num_nodes * sizeof *mesh->nodes;
    return check_zero(reader, at + offsetof(emesh_collision_t, zero),
                      at + sizeof(emesh_collision_t)) &&
           check_zero(reader, at + vertices, at + arrays->indices) &&
           check_zero(reader, at + indices, at + arrays->nodes) &&
           check_zero(reader, at + nodes, at + arrays->blocks);
}

/// Returns an array of a section. Its address is a multiple of 16.
static const void *array_at(const emesh_section_t *section, size_t offset) {
    return section->data + offset;
}

static const int32_t (*indices_at(const emesh_section_t *section, size_t offset))[3] {
    // C17 adds const to pointers to arrays only through an integer.
    return (const int32_t(*)[3])(uintptr_t)array_at(section, offset);
}

static bool read_collision(const reader_t *reader, const emesh_section_t *section, mesh_t *mesh) {
    size_t at = (size_t)(section->data - reader->data);
    emesh_collision_t head;
    if (section->bytes < sizeof head) {
        return fail(reader, at, "mesh: expected at least %zu bytes, found %zu", sizeof head,
                    section->bytes);
    }
    memcpy(&head, section->data, sizeof head);
    if (head.num_vertices < 0 || head.num_triangles < 0 || head.num_nodes < 0 ||
        head.num_blocks < 0) {
        return fail(reader, at + offsetof(emesh_collision_t, num_vertices),
                    "mesh: expected counts of at least 0, found %d vertices, %d triangles, %d "
                    "nodes, %d blocks",
                    head.num_vertices, head.num_triangles, head.num_nodes, head.num_blocks);
    }
    emesh_arrays_t arrays = EMesh_Arrays(&head);
    if (arrays.end != section->bytes) {
        return fail(reader, at,
                    "mesh: %d vertices, %d triangles, %d nodes and %d blocks need %zu bytes, found "
                    "%zu",
                    head.num_vertices, head.num_triangles, head.num_nodes, head.num_blocks,
                    arrays.end, section->bytes);
    }
    *mesh = (mesh_t){.bounds = head.bounds,
                     .flags = head.flags,
                     .contents = head.contents,
                     .num_vertices = head.num_vertices,
                     .num_triangles = head.num_triangles,
                     .num_nodes = head.num_nodes,
                     .num_blocks = head.num_blocks,
                     .vertices = array_at(section, arrays.vertices),
                     .indices = indices_at(section, arrays.indices),
                     .nodes = array_at(section, arrays.nodes),
                     .blocks = array_at(section, arrays.blocks)};
    err_t why = {{0}};
    if (!check_contents(reader, at, head.contents) || !check_gaps(reader, at, mesh, &arrays)) {
        return false;
    }
    return Mesh_Check(mesh, &why) ? check_bounds(reader, at, mesh)
                                  : fail(reader, at, "%s", why.text);
}

static bool parse(const reader_t *reader, emesh_t *file) {
    emesh_header_t head = {0};
    if (!read_header(reader, &head) || !read_directory(reader, (int32_t)head.num_sections, file)) {
        return false;
    }
    for (int32_t i = 0; i < file->num_sections; i++) {
        const emesh_section_t *section = &file->sections[i];
        if (section->kind != EMESH_COLLISION) {
            continue;
        }
        if (file->num_parts == MAX_EMESH_PARTS) {
            return fail(reader, (size_t)(section->data - reader->data),
                        "section %d: expected at most %d meshes, found more", i, MAX_EMESH_PARTS);
        }
        if (!read_collision(reader, section, &file->parts[file->num_parts++])) {
            return false;
        }
    }
    file->size = reader->size;
    file->hash = Hash_Bytes(reader->data, reader->size, 0);
    return true;
}

bool EMesh_IsOne(const uint8_t *data, size_t size) {
    return size >= strlen(EMESH_MAGIC) && memcmp(data, EMESH_MAGIC, strlen(EMESH_MAGIC)) == 0;
}

bool EMesh_Parse(emesh_t *file, const char *name, const uint8_t *data, size_t size, err_t *err) {
    ASSERT(((uintptr_t)data & 15) == 0);
    const reader_t reader = {name, data, size, err};
    *file = (emesh_t){0};
    if (parse(&reader, file)) {
        return true;
    }
    *file = (emesh_t){0};
    return false;
}

bool EMesh_LoadFrom(emesh_t *file, const file_reader_t *files, const char *path, err_t *err) {
    _Static_assert((FILE_ALIGN & (EMESH_ALIGN - 1)) == 0,
                   "arrays are used in place, so FILE_ALIGN must be a multiple of EMESH_ALIGN");
    *file = (emesh_t){0};
    size_t size = 0;
    uint8_t *block = File_ReadFrom(files, path, MAX_EMESH_BYTES, &size, err);
    if (!block) {
        return false;
    }
    if (!EMesh_Parse(file, path, block, size, err)) {
        free(block);
        return false;
    }
    file->block = block;
    return true;
}

bool EMesh_Load(emesh_t *file, const char *path, err_t *err) {
    return EMesh_LoadFrom(file, NULL, path, err);
}

void EMesh_Free(emesh_t *file) {
    free(file->block);
    *file = (emesh_t){0};
}
