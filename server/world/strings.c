/// world/strings.c - the string table: interned texts, so that equal texts have equal ids.
//
// Memory:  world_t.strings. Before each text are two bytes with the previous id of its bucket, and
//          a mark byte for Strings_MarkOnce. Id 0 is "".
//
//          | 0 | next lo | next hi | marks | t e x t 0 | next lo | ...
//                                            ^ id
//
// Repeat:  ids depend only on the order of interning.

#include "world/strings.h"
#include "base/hash.h"
#include "world/world_local.h"

#include <string.h>

#define STRING_HEAD 3 // bytes before a text

_Static_assert(MAX_STRINGS_BYTES <= 65536, "an id must fit 16 bits");

static int32_t next_in_bucket(const world_t *world, int32_t id) {
    const uint8_t *head = (const uint8_t *)world->strings + id - STRING_HEAD;
    return head[0] | head[1] << 8;
}

static uint32_t bucket_of(const char *text, size_t length) {
    return (uint32_t)(Hash_Bytes(text, length, WORLD_HASH_SEED) % STRING_BUCKETS);
}

static int32_t find(const world_t *world, uint32_t bucket, const char *text) {
    int32_t id = world->string_buckets[bucket];
    while (id != 0 && strcmp(world->strings + id, text) != 0) {
        id = next_in_bucket(world, id);
    }
    return id;
}

static int32_t add(world_t *world, uint16_t *bucket, const char *text, size_t length) {
    int32_t id = world->strings_bytes + STRING_HEAD;
    ASSERT(length > 0 && (size_t)id + length < MAX_STRINGS_BYTES);
    uint8_t *head = (uint8_t *)world->strings + id - STRING_HEAD;
    head[0] = (uint8_t)(*bucket & 0xff);
    head[1] = (uint8_t)(*bucket >> 8);
    head[2] = 0;
    memcpy(world->strings + id, text, length + 1);
    world->strings_bytes = id + (int32_t)length + 1;
    world->strings_hash = Hash_Bytes(text, length + 1, world->strings_hash);
    *bucket = (uint16_t)id;
    return id;
}

int32_t World_String(world_t *world, const char *text) {
    size_t length = strlen(text);
    if (length == 0) {
        return 0;
    }
    uint32_t bucket = bucket_of(text, length);
    int32_t id = find(world, bucket, text);
    if (id != 0) {
        return id;
    }
    size_t left = (size_t)(MAX_STRINGS_BYTES - world->strings_bytes);
    if (length + 1 + STRING_HEAD > left) {
        world->counters.strings_full++;
        return 0;
    }
    return add(world, &world->string_buckets[bucket], text, length);
}

int32_t World_FindString(const world_t *world, const char *text) {
    return text[0] == '\0' ? 0 : find(world, bucket_of(text, strlen(text)), text);
}

const char *World_Text(const world_t *world, int32_t id) {
    return id > 0 && id < world->strings_bytes ? world->strings + id : "";
}

// Returns true if an id is the start of a text. A faulty game may pass any id.
static bool is_id(const world_t *world, int32_t id) {
    const char *text = World_Text(world, id);
    int32_t at = world->string_buckets[bucket_of(text, strlen(text))];
    while (at != 0 && at != id) {
        at = next_in_bucket(world, at);
    }
    return at != 0;
}

// An id that is not the start of a text counts as id 0.
bool Strings_MarkOnce(world_t *world, int32_t id) {
    bool in_range = id > STRING_HEAD && id < world->strings_bytes;
    uint8_t *marks = (uint8_t *)world->strings + (in_range ? id - 1 : 0);
    if (*marks) {
        return false;
    }
    if (in_range && !is_id(world, id)) {
        return Strings_MarkOnce(world, 0);
    }
    *marks = 1;
    return true;
}

bool Strings_Check(const world_t *world, err_t *err) {
    int32_t used = world->strings_bytes;
    if (used < 1 || used > MAX_STRINGS_BYTES) {
        return Err_Set(err, "strings: expected 1..%d bytes used, found %d", MAX_STRINGS_BYTES,
                       used);
    }
    // Byte 0 holds the mark of id 0, which need not be NUL.
    if (used > 1 && world->strings[used - 1] != '\0') {
        return Err_Set(err, "strings: expected a NUL at the end of %d bytes, found none", used);
    }
    for (int32_t i = 0; i < STRING_BUCKETS; i++) {
        int32_t limit = used;
        for (int32_t id = world->string_buckets[i]; id != 0; id = next_in_bucket(world, id)) {
            // Each chain leads to older texts only, so it ends.
            if (id <= STRING_HEAD || id >= limit) {
                return Err_Set(
                    err, "strings: chain %d leads to byte %d, which is not the start of a text", i,
                    id);
            }
            limit = id;
        }
    }
    return true;
}
