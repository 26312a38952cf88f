/// filter_fixture.h - writes datagrams command by command, and has the command filter judge them.

#ifndef EDICTD_TESTS_FILTER_FIXTURE_H
#define EDICTD_TESTS_FILTER_FIXTURE_H

#include "lib/testing.h"
#include "net/filter.h"
#include "net/wire.h"

#include <string.h>

#define START 8 // bytes of header, sent time and checksum

/// Stores a filter, what it knows about its connection, and the datagram being written.
typedef struct {
    filter_t filter;
    filter_link_t link;
    uint64_t counts[FILTER_WHY_COUNT];
    uint8_t data[4096];
    size_t size;
    uint16_t unreliable; // number of the next unreliable message
    uint16_t own;        // number of the last ping
} play_t;

static inline play_t begin(bool from_client) {
    play_t play = {.link = {.now_ms = 100000,
                            .clock_ms = 101000,
                            .from_client = from_client,
                            .is_open = true,
                            .room = 65536,
                            .delivered = {1000, 2000, 65530}},
                   .unreliable = 1};
    play.data[0] = 0x80;
    play.size = START;
    return play;
}

static inline uint8_t *add(play_t *play, uint8_t byte, uint8_t channel, uint32_t sequence,
                           size_t size) {
    uint8_t *at = play->data + play->size;
    memset(at, 0, size);
    at[0] = byte;
    at[1] = channel;
    Wire_WriteU16(at + 2, sequence);
    play->size += size;
    return at;
}

static inline void add_reliable(play_t *play, uint8_t channel, uint32_t sequence, size_t length) {
    Wire_WriteU16(add(play, 0x86, channel, sequence, 6 + length) + 4, (uint32_t)length);
}

static inline void add_unreliable(play_t *play, uint8_t channel, uint32_t sequence, size_t length) {
    uint8_t *at = add(play, 0x07, channel, sequence, 8 + length);
    Wire_WriteU16(at + 4, play->unreliable);
    Wire_WriteU16(at + 6, (uint32_t)length);
}

static inline void add_ping(play_t *play) {
    add(play, 0x85, 0xff, ++play->own, 4);
}

static inline void add_ack(play_t *play, uint8_t channel, uint32_t sequence, uint32_t sent_ms) {
    uint8_t *at = add(play, 0x01, channel, sequence, 8);
    Wire_WriteU16(at + 4, sequence);
    Wire_WriteU16(at + 6, sent_ms & 0xffffu);
}

typedef struct {
    uint32_t start, count, number, total, offset, length;
} fragment_t;

static inline void add_fragment(play_t *play, uint8_t channel, fragment_t is) {
    uint8_t *at = add(play, 0x88, channel, is.start + is.number, 24 + is.length);
    Wire_WriteU16(at + 4, is.start);
    Wire_WriteU16(at + 6, is.length);
    Wire_WriteU32(at + 8, is.count);
    Wire_WriteU32(at + 12, is.number);
    Wire_WriteU32(at + 16, is.total);
    Wire_WriteU32(at + 20, is.offset);
}

/// Judges the datagram and starts the next one. Its size after the filter is stored in *left.
static inline filter_why_t judge(play_t *play, size_t *left) {
    filter_datagram_t in = {.data = play->data, .size = play->size, .start = START};
    filter_why_t why = Filter_Check(&play->filter, &play->link, &in, play->counts);
    if (left) {
        *left = in.size - START;
    }
    play->data[0] = 0x80;
    play->size = START;
    return why;
}

#define assert_verdict(play, why)                                                                  \
    assert_string_equal(Filter_WhyText(judge(play, NULL)), Filter_WhyText(why))

static inline void send_reliable(play_t *play, uint8_t channel, uint32_t sequence) {
    add_reliable(play, channel, sequence, 3);
    Filter_Sent(&play->filter, play->data, play->size, START);
    play->size = START;
}

#endif
