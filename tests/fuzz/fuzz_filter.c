// fuzz_filter.c - any sequence of datagrams against the command filter alone.
//
// Input:      u8 flags (1 from a client, 2 open, 4 opening), three u16 delivered numbers, then
//             datagrams: u8 ms since the one before, u8 flags (1 it is sent, not received; 2 the
//             clock jumps a second), u16 size, bytes.
// Invariants: a datagram never grows; what passes is made of whole commands of the datagram, in
//             their order; it passes the same filter again in a state that was never used, except
//             for repeats and acknowledgements, whose number is limited.

#include "base/assert.h"
#include "net/filter.h"
#include "net/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define START 8

/// Returns true if all but the changed settings of `kept` are in `data`, in their order.
static bool is_part_of(const uint8_t *kept, size_t size, const uint8_t *data, size_t whole) {
    size_t at = 0;
    for (size_t i = 0; i + 4 <= size;) {
        // Each step finds the next command by its first four bytes.
        while (at + 4 <= whole && memcmp(data + at, kept + i, 4) != 0) {
            at++;
        }
        if (at + 4 > whole) {
            return false;
        }
        static const uint8_t sizes[16] = {0, 8, 48, 44, 8, 4, 6, 8, 24, 0, 12, 16};
        static const uint8_t lengths[16] = {0, 0, 0, 0, 0, 0, 4, 6, 6};
        uint8_t kind = kept[i] & 15;
        size_t step = sizes[kind];
        ASSERT(step > 0 && i + step <= size);
        step += lengths[kind] ? Wire_ReadU16(kept + i + lengths[kind]) : 0;
        ASSERT(i + step <= size && at + step <= whole);
        at += step;
        i += step;
    }
    return true;
}

static void receive(filter_t *filter, const filter_link_t *link, const uint8_t *data, size_t size) {
    uint64_t counts[FILTER_WHY_COUNT] = {0};
    uint8_t *bytes = malloc(START + size);
    ASSERT(bytes);
    memset(bytes, 0, START);
    bytes[0] = 0x80;
    memcpy(bytes + START, data, size);
    filter_datagram_t in = {.data = bytes, .size = START + size, .start = START};
    filter_why_t why = Filter_Check(filter, link, &in, counts);
    uint64_t total = 0;
    for (int32_t i = 0; i < FILTER_WHY_COUNT; i++) {
        total += counts[i];
    }
    ASSERT(why >= 0 && why < FILTER_WHY_COUNT && counts[FILTER_OK] == 0);
    ASSERT(total <= FILTER_MAX_COMMANDS + 1 && (why == FILTER_OK || counts[why] > 0));
    ASSERT(in.size <= START + size);
    if (why == FILTER_OK) {
        ASSERT(in.size > START);
        bool good = is_part_of(bytes + START, in.size - START, data, size);
        ASSERT(good);
        filter_t fresh = {0};
        memset(fresh.sent, 0xff, sizeof fresh.sent);
        why = Filter_Check(&fresh, link, &in, counts);
        ASSERT(why == FILTER_OK);
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static filter_t filter;
    if (size < 7) {
        return 0;
    }
    memset(&filter, 0, sizeof filter);
    filter_link_t link = {.now_ms = 1000,
                          .from_client = data[0] & 1,
                          .is_open = data[0] & 2,
                          .is_opening = (data[0] & 6) == 4,
                          .room = (size_t)(255 - data[0]) * 64};
    for (int32_t i = 0; i < NET_NUM_CHANNELS; i++) {
        link.delivered[i] = (uint16_t)Wire_ReadU16(data + 1 + 2 * i);
    }
    for (size_t at = 7; at + 4 <= size;) {
        size_t left = size - at - 4;
        size_t length = Wire_ReadU16(data + at + 2) % 2048;
        length = length < left ? length : left;
        link.now_ms += data[at] + (data[at + 1] & 2 ? 1000 : 0);
        link.clock_ms = (uint32_t)link.now_ms;
        if (data[at + 1] & 1) {
            // ENet sends only well-formed commands of these three: a message, a ping, a goodbye.
            uint8_t sent[START + 6] = {0x80, 0, 0, 0, 0, 0, 0, 0, 0x86, data[at] % 3};
            Wire_WriteU16(sent + START + 2, Wire_ReadU16(data + at + 2));
            Filter_Sent(&filter, sent, sizeof sent, START);
        } else {
            receive(&filter, &link, data + at + 4, length);
        }
        at += 4 + length;
    }
    return 0;
}
