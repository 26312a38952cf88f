/// mesh/gltf_check.c - finds references to missing bytes and vertices in .gltf and .glb files.
//
// Memory:  the JSON and the buffers of accessors, freed when the check ends.
//
// libassimp also rejects files with such references, but does not report their position. All other
// faults are left to libassimp: invalid JSON, missing objects, unreadable buffers, sparse indices.
//
//   .glb:  "glTF" version bytes | bytes "JSON" text, to a multiple of 4 | bytes "BIN\0" buffer 0
//          version and bytes are little-endian uint32

#include "base/file.h"
#include "collide/mesh/mesh.h"
#include "mesh/soup.h"

#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Maximum bytes of all buffers of a file.
#define MAX_BUFFER_BYTES ((size_t)1 << 30)

/// Maximum number of indices to check. A file above this limit exceeds MAX_MESH_TRIANGLES and is
/// rejected later.
#define MAX_INDICES ((int64_t)4 * MAX_MESH_TRIANGLES)

/// Maximum offset, count or size, so that offset + stride * count + value bytes fits in int64_t.
#define MAX_NUMBER INT32_MAX

typedef struct {
    uint8_t *owned;       // malloc'ed bytes; NULL for the buffer inside of a .glb
    const uint8_t *bytes; // NULL if unreadable
    int64_t size;
    bool is_open;
} buffer_t;

typedef struct {
    const char *path;
    const json_t *accessors, *views, *sources; // sources: the array "buffers"
    const uint8_t *inside;                     // the bytes of a .glb's buffer 0
    size_t inside_bytes;
    buffer_t *buffers;
    size_t bytes_left;    // bytes that may still be read (MAX_BUFFER_BYTES)
    int64_t indices_left; // indices that may still be checked (MAX_INDICES)
    err_t *err;
} gltf_t;

/// The values of an accessor.
typedef struct {
    const uint8_t *bytes; // NULL if unknown
    int64_t count, stride;
    int32_t component_bytes, components; // 0 if unknown
    bool is_sparse;
} values_t;

static uint32_t read_uint(const uint8_t *at, int32_t bytes) {
    uint32_t value = 0;
    for (int32_t i = bytes; i > 0; i--) {
        value = value << 8 | at[i - 1];
    }
    return value;
}

/// Returns the array element whose index is `number`, or NULL if there is none.
static const json_t *element(const json_t *array, const json_t *number) {
    json_int_t value = json_is_integer(number) ? json_integer_value(number) : -1;
    return value < 0 ? NULL : json_array_get(array, (size_t)value);
}

// ---- buffers ----

static void decode(gltf_t *gltf, buffer_t *buffer, const char *uri) {
    static const char mark[] = ";base64,";
    const char *text = strstr(uri, mark);
    if (!text) {
        return;
    }
    text += strlen(mark);
    size_t length = strlen(text);
    size_t room = length / 4 * 3 + 3;
    size_t size = 0;
    bool is_padded = length > 0 && text[length - 1] == '=';
    uint8_t *bytes = room <= gltf->bytes_left ? malloc(room) : NULL;
    if (!bytes || sodium_base642bin(bytes, room, text, length, NULL, &size, NULL,
                                    is_padded ? sodium_base64_VARIANT_ORIGINAL
                                              : sodium_base64_VARIANT_ORIGINAL_NO_PADDING) != 0) {
        free(bytes);
        return;
    }
    buffer->bytes = buffer->owned = bytes;
    buffer->size = (int64_t)size;
}

/// Reads a buffer from a file in the folder of the checked file.
static void read_beside(gltf_t *gltf, buffer_t *buffer, const char *uri) {
    const char *slash = strrchr(gltf->path, '/');
    char *path = NULL;
    size_t size = 0;
    err_t ignored;
    if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - gltf->path) : 0, gltf->path, uri) < 0) {
        return;
    }
    buffer->bytes = buffer->owned = File_Read(path, gltf->bytes_left, &size, &ignored);
    buffer->size = (int64_t)size;
    free(path);
}

/// Returns the buffer with that number, or NULL. The first call reads the bytes.
static const buffer_t *open_buffer(gltf_t *gltf, const json_t *number) {
    const json_t *source = element(gltf->sources, number);
    if (!source) {
        return NULL;
    }
    buffer_t *buffer = &gltf->buffers[json_integer_value(number)];
    if (buffer->is_open) {
        return buffer;
    }
    const char *uri = json_string_value(json_object_get(source, "uri"));
    if (uri && strncmp(uri, "data:", 5) == 0) {
        decode(gltf, buffer, uri);
    } else if (uri) {
        read_beside(gltf, buffer, uri);
    } else if (buffer == gltf->buffers) {
        buffer->bytes = gltf->inside;
        buffer->size = (int64_t)gltf->inside_bytes;
    }
    gltf->bytes_left -= buffer->owned ? (size_t)buffer->size : 0;
    const json_t *said = json_object_get(source, "byteLength");
    double most = json_is_number(said) ? json_number_value(said) : (double)MAX_NUMBER;
    int64_t limit = most >= 0.0 && most <= (double)MAX_NUMBER ? (int64_t)most : MAX_NUMBER;
    buffer->size = buffer->bytes && buffer->size < limit ? buffer->size : limit;
    buffer->is_open = true;
    return buffer;
}

// ---- accessors ----

/// Reads an integer member of an object; an absent member is 0. Fails for other numbers.
static bool number_of(const gltf_t *gltf, size_t accessor, const json_t *object, const char *key,
                      int64_t *number) {
    const json_t *json = json_object_get(object, key);
    double value = json_is_number(json) ? json_number_value(json) : (double)NAN;
    *number = 0;
    if (!json) {
        return true;
    }
    if (!(value >= 0.0 && value <= (double)MAX_NUMBER && value == floor(value))) {
        return Err_Set(gltf->err,
                       "%s: accessor %zu: expected \"%s\" as a whole number 0..%d, found %.17g",
                       gltf->path, accessor, key, MAX_NUMBER, value);
    }
    *number = (int64_t)value;
    return true;
}

static void take_type(values_t *values, const json_t *accessor) {
    static const struct {
        const char *name;
        int32_t components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    static const int32_t bytes[] = {1, 1, 2, 2, 4, 4, 4}; // of component types 5120..5126
    const char *type = json_string_value(json_object_get(accessor, "type"));
    json_int_t component = json_integer_value(json_object_get(accessor, "componentType"));
    if (component >= 5120 && component < 5120 + (json_int_t)COUNTOF(bytes)) {
        values->component_bytes = bytes[component - 5120];
    }
    for (size_t i = 0; type && i < COUNTOF(types); i++) {
        if (strcmp(type, types[i].name) == 0) {
            values->components = types[i].components;
        }
    }
}

/// Finds the values of an accessor. Fails if they exceed the bufferView or the buffer.
static bool take_accessor(gltf_t *gltf, size_t number, values_t *values) {
    const json_t *accessor = json_array_get(gltf->accessors, number);
    const json_t *view_number = json_object_get(accessor, "bufferView");
    const json_t *view = element(gltf->views, view_number);
    int64_t offset, view_offset, view_bytes;
    *values = (values_t){.is_sparse = json_object_get(accessor, "sparse") != NULL};
    take_type(values, accessor);
    if (!number_of(gltf, number, accessor, "byteOffset", &offset) ||
        !number_of(gltf, number, accessor, "count", &values->count) ||
        !number_of(gltf, number, view, "byteOffset", &view_offset) ||
        !number_of(gltf, number, view, "byteLength", &view_bytes) ||
        !number_of(gltf, number, view, "byteStride", &values->stride)) {
        return false;
    }
    int64_t value_bytes = (int64_t)values->component_bytes * values->components;
    const json_t *buffer_number = json_object_get(view, "buffer");
    const buffer_t *buffer = open_buffer(gltf, buffer_number);
    if (!buffer || value_bytes == 0 || values->count == 0) {
        return true;
    }
    values->stride = values->stride > 0 ? values->stride : value_bytes;
    int64_t end = offset + values->stride * (values->count - 1) + value_bytes;
    if (end > view_bytes) {
        return Err_Set(
            gltf->err,
            "%s: accessor %zu: expected an end within the %lld bytes of bufferView %lld, "
            "found it at byte %lld",
            gltf->path, number, (long long)view_bytes, (long long)json_integer_value(view_number),
            (long long)end);
    }
    int64_t view_end = view_offset + view_bytes;
    if (view_end > buffer->size) {
        return Err_Set(gltf->err,
                       "%s: accessor %zu: bufferView %lld: expected an end within the %lld bytes "
                       "of buffer %lld, found it at byte %lld",
                       gltf->path, number, (long long)json_integer_value(view_number),
                       (long long)buffer->size, (long long)json_integer_value(buffer_number),
                       (long long)view_end);
    }
    values->bytes = buffer->bytes ? buffer->bytes + view_offset + offset : NULL;
    return true;
}

static bool check_accessors(gltf_t *gltf) {
    for (size_t i = 0; i < json_array_size(gltf->accessors); i++) {
        values_t values;
        if (!take_accessor(gltf, i, &values)) {
            return false;
        }
    }
    return true;
}

// ---- meshes ----

/// The indices of a primitive: its first shape (point, line or triangle) takes `first` indices,
/// each further shape `next` more.
typedef struct {
    const char *name;
    int64_t first, next;
} shape_t;

static int64_t count_shapes(const shape_t *shape, int64_t indices) {
    return indices < shape->first ? 0 : (indices - shape->first) / shape->next + 1;
}

/// Returns the position of the first index that refers to no vertex, or -1.
static int64_t find_bad_index(const values_t *values, int64_t count, int64_t vertices) {
    const uint8_t *at = values->bytes;
    for (int64_t i = 0; i < count; i++) {
        if (read_uint(at + i * values->stride, values->component_bytes) >= vertices) {
            return i;
        }
    }
    return -1;
}

static bool check_primitive(gltf_t *gltf, const json_t *primitive, const char *place) {
    static const shape_t shapes[] = {{"point", 1, 1},   {"line", 2, 2},     {"line", 2, 1},
                                     {"line", 2, 1},    {"triangle", 3, 3}, {"triangle", 3, 1},
                                     {"triangle", 3, 1}}; // indexed by mode
    const json_t *attributes = json_object_get(primitive, "attributes");
    const json_t *vertices_number = json_object_get(attributes, "POSITION");
    const json_t *indices_number = json_object_get(primitive, "indices");
    const json_t *mode_json = json_object_get(primitive, "mode");
    json_int_t mode = mode_json ? json_integer_value(mode_json) : 4;
    values_t vertices, indices;
    if (!element(gltf->accessors, vertices_number) || !element(gltf->accessors, indices_number) ||
        mode < 0 || mode >= (json_int_t)COUNTOF(shapes)) {
        return true;
    }
    if (!take_accessor(gltf, (size_t)json_integer_value(vertices_number), &vertices) ||
        !take_accessor(gltf, (size_t)json_integer_value(indices_number), &indices)) {
        return false;
    }
    const shape_t *shape = &shapes[mode];
    int64_t count = count_shapes(shape, indices.count);
    count = count > 0 ? shape->first + (count - 1) * shape->next : 0; // leaves out unused indices
    if (!indices.bytes || indices.components != 1 || indices.is_sparse ||
        count > gltf->indices_left) {
        return true;
    }
    gltf->indices_left -= count;
    int64_t bad = find_bad_index(&indices, count, vertices.count);
    if (bad < 0) {
        return true;
    }
    return Err_Set(gltf->err, "%s: %s: %s %lld: expected vertices 0..%lld, found %u", gltf->path,
                   place, shape->name, (long long)count_shapes(shape, bad),
                   (long long)vertices.count - 1,
                   read_uint(indices.bytes + bad * indices.stride, indices.component_bytes));
}

static bool check_mesh(gltf_t *gltf, const json_t *mesh, size_t number) {
    const char *name = json_string_value(json_object_get(mesh, "name"));
    const json_t *primitives = json_object_get(mesh, "primitives");
    for (size_t i = 0; i < json_array_size(primitives); i++) {
        char place[160];
        const char *quote = name ? "\"" : "";
        snprintf(place, sizeof place, "mesh %zu%s%s%.64s%s: primitive %zu", number, name ? " " : "",
                 quote, name ? name : "", quote, i);
        if (!check_primitive(gltf, json_array_get(primitives, i), place)) {
            return false;
        }
    }
    return true;
}

static bool check_meshes(gltf_t *gltf, const json_t *meshes) {
    for (size_t i = 0; i < json_array_size(meshes); i++) {
        if (!check_mesh(gltf, json_array_get(meshes, i), i)) {
            return false;
        }
    }
    return true;
}

// ---- files ----

/// Narrows *text to the JSON of a .glb and sets gltf->inside. Leaves other files unchanged.
static void find_text(gltf_t *gltf, const uint8_t **text, size_t *length) {
    enum { HEADER = 12, CHUNK = 8 };
    if (*length < HEADER + CHUNK || memcmp(*text, "glTF", 4) != 0) {
        return;
    }
    size_t left = *length - HEADER - CHUNK;
    size_t said = read_uint(*text + HEADER, 4);
    *text += HEADER + CHUNK;
    *length = said < left ? said : left;
    size_t start = (*length + 3) / 4 * 4;
    if (start > left || left - start < CHUNK) {
        return;
    }
    const uint8_t *chunk = *text + start;
    if (memcmp(chunk + 4, "BIN", 4) != 0) {
        return;
    }
    left -= start + CHUNK;
    said = read_uint(chunk, 4);
    gltf->inside = chunk + CHUNK;
    gltf->inside_bytes = said < left ? said : left;
}

bool ME_CheckGltf(const char *path, const uint8_t *bytes, size_t size, err_t *err) {
    gltf_t gltf = {
        .path = path, .bytes_left = MAX_BUFFER_BYTES, .indices_left = MAX_INDICES, .err = err};
    find_text(&gltf, &bytes, &size);
    // Duplicate members are rejected: libassimp reads the first, jansson would read the last.
    // Trailing bytes are allowed, because zeros may pad the text of a .glb.
    json_t *root =
        json_loadb((const char *)bytes, size,
                   JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL);
    if (!root) {
        return true;
    }
    gltf.accessors = json_object_get(root, "accessors");
    gltf.views = json_object_get(root, "bufferViews");
    gltf.sources = json_object_get(root, "buffers");
    size_t count = json_array_size(gltf.sources);
    gltf.buffers = calloc(count + 1, sizeof *gltf.buffers);
    bool good = gltf.buffers
                    ? check_accessors(&gltf) && check_meshes(&gltf, json_object_get(root, "meshes"))
                    : Err_Set(err, "%s: no memory for %zu buffers", path, count);
    for (size_t i = 0; gltf.buffers && i < count; i++) {
        free(gltf.buffers[i].owned);
    }
    free(gltf.buffers);
    json_decref(root);
    return good;
}
