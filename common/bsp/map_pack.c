#include "bsp/map_pack.h"

#include "bsp/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIN_ROOM 65536

static bool ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name);
    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

// Returns true for a path that a client may store: below its folder, of a kind of file that maps
// have, without characters that a shell or a file system could take for something else.
static bool path_is_safe(const char *path) {
    static const char characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./";
    return path[strspn(path, characters)] == '\0' && !Map_PathFault(path) &&
           (ends_with(path, ".bsp") || ends_with(path, ".emesh") || ends_with(path, ".ent"));
}

// ---- recording ----

// Appends bytes. Returns false and sets the fault above the limit or without memory.
static bool append(map_pack_t *pack, const void *data, size_t size) {
    if (size > MAX_DOWNLOAD_BYTES - pack->size) {
        pack->fault = "its files are larger than a download may be";
        return false;
    }
    if (pack->size + size > pack->room) {
        const size_t twice = pack->room * 2 > MIN_ROOM ? pack->room * 2 : MIN_ROOM;
        const size_t room = pack->size + size > twice ? pack->size + size : twice;
        uint8_t *block = realloc(pack->data, room);
        if (!block) {
            pack->fault = "there is no memory for a copy of its files";
            return false;
        }
        pack->data = block;
        pack->room = room;
    }
    memcpy(pack->data + pack->size, data, size);
    pack->size += size;
    return true;
}

void MapPack_Add(map_pack_t *pack, const char *path, const uint8_t *data, size_t size) {
    const char *slash = strrchr(path, '/');
    if (pack->num_files++ == 0) {
        pack->folder = slash ? (size_t)(slash - path) + 1 : 0;
    }
    const char *name = strlen(path) > pack->folder ? path + pack->folder : "";
    const size_t length = strlen(name);
    if (length >= MAP_PACK_MAX_PATH || !path_is_safe(name)) {
        pack->fault = "a file's path has other characters than letters, digits and _ - + . /";
        return;
    }
    const uint8_t head[2] = {(uint8_t)length, (uint8_t)(length >> 8)};
    const uint8_t sizes[4] = {(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16),
                              (uint8_t)(size >> 24)};
    (void)(append(pack, head, sizeof head) && append(pack, name, length) &&
           append(pack, sizes, sizeof sizes) && append(pack, data, size));
}

static uint8_t *record(void *context, const char *path, size_t max_bytes, size_t *size,
                       err_t *err) {
    map_pack_t *pack = context;
    uint8_t *data = File_Read(path, max_bytes, size, err);
    if (!data && access(path, F_OK) == 0) {
        pack->unread = *err;
    }
    if (data && !pack->fault) {
        MapPack_Add(pack, path, data, *size);
    }
    if (pack->fault && pack->data) {
        free(pack->data);
        pack->data = NULL;
        pack->size = pack->room = 0;
    }
    return data;
}

file_reader_t MapPack_Recorder(map_pack_t *pack) {
    return (file_reader_t){record, pack};
}

void MapPack_Free(map_pack_t *pack) {
    free(pack->data);
    *pack = (map_pack_t){0};
}

// ---- reading ----

bool MapPack_Next(const uint8_t *pack, size_t size, size_t *at, packed_file_t *file) {
    const uint8_t *from = pack + *at;
    const size_t left = size - *at;
    const size_t length = left >= 2 ? from[0] | (size_t)from[1] << 8 : 0;
    if (length == 0 || length >= MAP_PACK_MAX_PATH || left < 2 + length + 4) {
        return false;
    }
    memcpy(file->path, from + 2, length);
    file->path[length] = '\0';
    from += 2 + length;
    file->size = from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
    file->data = from + 4;
    if (strlen(file->path) != length || !path_is_safe(file->path) ||
        file->size > left - 2 - length - 4) {
        return false;
    }
    *at += 2 + length + 4 + file->size;
    return true;
}

bool MapPack_Check(const uint8_t *pack, size_t size, const char *name, err_t *err) {
    packed_file_t file;
    const size_t length = strlen(name);
    size_t at = 0;
    for (int32_t i = 0; at < size; i++) {
        const size_t start = at;
        if (i > 1 + MAX_MAP_MESHES || !MapPack_Next(pack, size, &at, &file)) {
            return Err_Set(err, "map %s: file %d at byte %zu of the download is not valid", name, i,
                           start);
        }
        if (i == 0 && (strncmp(file.path, name, length) != 0 ||
                       (strcmp(file.path + length, ".bsp") != 0 &&
                        strcmp(file.path + length, ".emesh") != 0))) {
            return Err_Set(err, "map %s: the download starts with another file", name);
        }
    }
    return at > 0 || Err_Set(err, "map %s: the download is empty", name);
}

typedef struct {
    const uint8_t *pack;
    size_t size;
} reader_t;

// Finds a file in the pack and copies it as File_Read does.
static uint8_t *read_file(void *context, const char *path, size_t max_bytes, size_t *size,
                          err_t *err) {
    const reader_t *reader = context;
    packed_file_t file;
    size_t at = 0;
    while (at < reader->size && MapPack_Next(reader->pack, reader->size, &at, &file)) {
        if (strcmp(file.path, path) != 0) {
            continue;
        }
        uint8_t *block = file.size <= max_bytes
                             ? aligned_alloc(FILE_ALIGN, (file.size / FILE_ALIGN + 1) * FILE_ALIGN)
                             : NULL;
        if (!block) {
            Err_Set(err, "%s: %zu bytes are more than %zu, or than the memory", path, file.size,
                    max_bytes);
            return NULL;
        }
        memcpy(block, file.data, file.size);
        block[file.size] = 0;
        *size = file.size;
        return block;
    }
    Err_Set(err, "%s: the download has no such file", path);
    return NULL;
}

cmap_t *MapPack_Load(const uint8_t *pack, size_t size, err_t *err) {
    reader_t reader = {pack, size};
    const file_reader_t files = {read_file, &reader};
    packed_file_t file;
    size_t at = 0;
    if (!MapPack_Next(pack, size, &at, &file)) {
        Err_Set(err, "the download has no file");
        return NULL;
    }
    return Map_LoadFrom(&files, file.path, err);
}
