#include "mapc/bytes.h"

#include <string.h>

void MC_PutBytes(mc_bytes_t *bytes, const void *data, size_t size) {
    if (bytes->room - bytes->size < size) {
        size_t room = (bytes->size + size) * 2;
        uint8_t *larger = MC_Alloc(bytes->pool, room, 1);
        if (bytes->size) {
            memcpy(larger, bytes->data, bytes->size);
        }
        bytes->data = larger;
        bytes->room = room;
    }
    if (size) {
        memcpy(bytes->data + bytes->size, data, size);
    }
    bytes->size += size;
}

void MC_PutI16(mc_bytes_t *bytes, int32_t value) {
    uint8_t b[2] = {(uint8_t)value, (uint8_t)((uint32_t)value >> 8)};
    MC_PutBytes(bytes, b, sizeof b);
}

void MC_PutI32(mc_bytes_t *bytes, int32_t value) {
    uint32_t v = (uint32_t)value;
    uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    MC_PutBytes(bytes, b, sizeof b);
}

void MC_PutFloat(mc_bytes_t *bytes, double value) {
    float narrow = (float)value + 0.0f; // no -0, so that equal maps have equal bytes
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    MC_PutI32(bytes, (int32_t)bits);
}

void MC_PatchI32(mc_bytes_t *bytes, size_t at, size_t value) {
    uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                    (uint8_t)(value >> 24)};
    memcpy(bytes->data + at, b, sizeof b);
}
