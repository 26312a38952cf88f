#include "net/filter.h"

#include "base/assert.h"
#include "base/bucket.h"
#include "base/limits.h"
#include "net/wire.h"

#include <string.h>

#define OWN_CHANNEL 0xff // of ENet's own commands
#define MUST_ACK    0x80 // command flag: requests an acknowledgement
#define SECOND_US   1000000

typedef enum {
    KIND_ACK,
    KIND_VERIFY,
    KIND_DISCONNECT,
    KIND_PING,
    KIND_BANDWIDTH,
    KIND_THROTTLE,
    KIND_RELIABLE,
    KIND_UNRELIABLE,
    KIND_FRAGMENT
} kind_t;

/// A legal command: the whole first byte, with flags.
typedef struct {
    uint8_t byte;
    kind_t kind;
    uint8_t size;
    uint8_t length_at; ///< offset of the u16 length of data; 0 = no data
} command_t;

static const command_t commands[] = {
    {0x01, KIND_ACK, 8, 0},        {0x83, KIND_VERIFY, 44, 0},   {0x84, KIND_DISCONNECT, 8, 0},
    {0x44, KIND_DISCONNECT, 8, 0}, {0x85, KIND_PING, 4, 0},      {0x86, KIND_RELIABLE, 6, 4},
    {0x07, KIND_UNRELIABLE, 8, 6}, {0x88, KIND_FRAGMENT, 24, 6}, {0x8a, KIND_BANDWIDTH, 12, 0},
    {0x8b, KIND_THROTTLE, 16, 0},
};

// Offsets from the command byte.
#define SEQUENCE_AT         2
#define UNRELIABLE_AT       4
#define ACK_SEQUENCE_AT     4
#define ACK_TIME_AT         6
#define RATES_AT            4
#define FRAGMENT_START_AT   4
#define FRAGMENT_COUNT_AT   8
#define FRAGMENT_NUMBER_AT  12
#define FRAGMENT_TOTAL_AT   16
#define FRAGMENT_OFFSET_AT  20
#define VERIFY_CHANNELS_AT  16
#define VERIFY_BANDWIDTH_AT 20

/// A command of the datagram being read.
typedef struct {
    const command_t *is;
    uint8_t *at;
    size_t size;   ///< with data
    size_t length; ///< of the data
} found_t;

/// State of the check of one datagram.
typedef struct {
    filter_t *filter;
    const filter_link_t *link;
    bool is_open;
    // As those of `link`, advanced by the messages of this datagram:
    size_t room;
    uint16_t delivered[NET_NUM_CHANNELS];
    uint16_t unreliable[NET_NUM_CHANNELS];
} pass_t;

/// Charges a leaky bucket. Returns false if it is full.
static bool take(int64_t *empty_at_us, const filter_link_t *link, int32_t per_second,
                 int32_t burst) {
    int32_t factor = link->from_client ? 1 : FILTER_SERVER_FACTOR;
    int64_t cost_us = SECOND_US / (per_second * factor);
    return Bucket_Charge(empty_at_us, link->now_ms * 1000, cost_us, (burst * factor - 1) * cost_us);
}

static filter_why_t take_repeat(const pass_t *pass) {
    return take(&pass->filter->repeats_us, pass->link, FILTER_REPEATS_S, FILTER_REPEATS_BURST)
               ? FILTER_OK
               : FILTER_REPEATS;
}

/// Judges a ping or setting by number: replays must not use up the limit of new ones.
static filter_why_t take_own(const pass_t *pass, const found_t *found) {
    filter_t *filter = pass->filter;
    uint32_t sequence = Wire_ReadU16(found->at + SEQUENCE_AT);
    uint32_t ahead = (sequence - filter->own_sequence) & 0xffffu;
    if (ahead == 0 || ahead >= 0x8000u) {
        return take_repeat(pass);
    }
    if (!take(&filter->own_us, pass->link, FILTER_OWN_S, FILTER_OWN_BURST)) {
        return FILTER_OWN;
    }
    filter->own_sequence = (uint16_t)sequence;
    return FILTER_OK;
}

/// Returns the bit of a sent command, and its *word.
static uint64_t sent_bit(filter_t *filter, uint32_t channel, uint32_t sequence, uint64_t **word) {
    uint32_t row = channel == OWN_CHANNEL ? NET_NUM_CHANNELS : channel;
    *word = &filter->sent[row][sequence % FILTER_SENT / 64];
    return (uint64_t)1 << (sequence % 64);
}

/// Finds the command at `at` and its extent, or returns a breach.
static filter_why_t find(uint8_t *at, size_t left, found_t *found) {
    const command_t *is = commands;
    while (is < commands + COUNTOF(commands) && is->byte != at[0]) {
        is++;
    }
    if (is == commands + COUNTOF(commands)) {
        return FILTER_UNKNOWN;
    }
    *found = (found_t){.is = is, .at = at, .size = is->size};
    if (left < is->size) {
        return FILTER_CUT;
    }
    if (is->length_at != 0) {
        found->length = Wire_ReadU16(at + is->length_at);
        found->size += found->length;
    }
    return found->size <= left ? FILTER_OK : FILTER_CUT;
}

static bool has_channel(const found_t *found) {
    bool is_data = found->is->length_at != 0;
    uint8_t channel = found->at[1];
    return (!is_data && channel == OWN_CHANNEL) ||
           ((is_data || found->is->kind == KIND_ACK) && channel < NET_NUM_CHANNELS);
}

/// Judges the number of a reliable message: repeated, new or impossible. `start`: its first
/// fragment, or `sequence`. `size`: bytes that ENet stores for the whole message.
static filter_why_t check_sequence(pass_t *pass, uint32_t channel, uint32_t sequence,
                                   uint32_t start, size_t size) {
    uint32_t ahead = (sequence - pass->delivered[channel]) & 0xffffu;
    if (!pass->is_open) {
        return FILTER_EARLY;
    }
    if (ahead == 0 || ahead >= 0x8000u) {
        return take_repeat(pass);
    }
    if (ahead > (pass->link->from_client ? FILTER_CLIENT_WINDOW : FILTER_SERVER_WINDOW)) {
        return FILTER_AHEAD;
    }
    // ENet at its limit also refuses the message for which all others wait. Keep room for that one.
    bool must_wait = start != ((pass->delivered[channel] + 1u) & 0xffffu);
    if (must_wait && size >= pass->room) {
        return FILTER_AHEAD;
    }
    pass->room -= must_wait ? size : 0;
    return take(&pass->filter->reliable_us, pass->link, FILTER_RELIABLE_S, FILTER_RELIABLE_BURST)
               ? FILTER_OK
               : FILTER_RATE;
}

static filter_why_t check_reliable(pass_t *pass, const found_t *found) {
    uint32_t channel = found->at[1];
    uint32_t sequence = Wire_ReadU16(found->at + SEQUENCE_AT);
    if (found->length >
        (pass->link->from_client ? MAX_REQUEST_BYTES : NET_LENGTH_BYTES + MAX_MESSAGE_BYTES)) {
        return FILTER_SIZE;
    }
    filter_why_t why = check_sequence(pass, channel, sequence, sequence, found->length);
    if (why == FILTER_OK && sequence == ((pass->delivered[channel] + 1u) & 0xffffu)) {
        pass->delivered[channel] = (uint16_t)sequence;
        pass->unreliable[channel] = 0;
    }
    return why;
}

/// Cuts out an unreliable message that ENet would queue or discard.
static filter_why_t check_unreliable(pass_t *pass, const found_t *found) {
    uint32_t channel = found->at[1];
    uint32_t number = Wire_ReadU16(found->at + UNRELIABLE_AT);
    if (found->length > MAX_PACKET_BYTES) {
        return FILTER_SIZE;
    }
    if (!pass->is_open || Wire_ReadU16(found->at + SEQUENCE_AT) != pass->delivered[channel]) {
        return FILTER_EARLY;
    }
    if (number <= pass->unreliable[channel]) {
        return FILTER_OLD;
    }
    if (!take(&pass->filter->unreliable_us, pass->link, FILTER_UNRELIABLE_S,
              FILTER_UNRELIABLE_BURST)) {
        return FILTER_RATE;
    }
    pass->unreliable[channel] = (uint16_t)number;
    return FILTER_OK;
}

/// Checks a fragment. Only servers fragment. All fragments but the last are equally long, with a
/// sequence number each.
static filter_why_t check_fragment(pass_t *pass, const found_t *found) {
    const uint8_t *at = found->at;
    uint32_t start = Wire_ReadU16(at + FRAGMENT_START_AT);
    uint32_t count = Wire_ReadU32(at + FRAGMENT_COUNT_AT);
    uint32_t number = Wire_ReadU32(at + FRAGMENT_NUMBER_AT);
    uint32_t total = Wire_ReadU32(at + FRAGMENT_TOTAL_AT);
    uint32_t offset = Wire_ReadU32(at + FRAGMENT_OFFSET_AT);
    uint32_t sequence = Wire_ReadU16(at + SEQUENCE_AT);
    uint32_t length = (uint32_t)found->length;
    if (pass->link->from_client || length == 0 || total > NET_LENGTH_BYTES + MAX_MESSAGE_BYTES ||
        count < 2 || count > FILTER_MAX_FRAGMENTS || number >= count || offset >= total ||
        length > total - offset || sequence != ((start + number) & 0xffffu)) {
        return FILTER_FRAGMENT;
    }
    bool is_last = number == count - 1;
    uint32_t each = is_last ? offset / number : length;
    if (each < FILTER_MIN_FRAGMENT || offset != number * each ||
        (total + each - 1) / each != count || (is_last && length != total - offset)) {
        return FILTER_FRAGMENT;
    }
    return check_sequence(pass, at[1], sequence, start, total);
}

/// Smooths round trips like ENet.
static void note_round_trip(filter_t *filter, int32_t ms) {
    const int32_t before = filter->rtt_eighths_ms;
    filter->rtt_eighths_ms = before == 0 ? 8 * ms : before + ms - before / 8;
}

static filter_why_t check_ack(pass_t *pass, const found_t *found) {
    uint64_t *word = NULL;
    uint64_t bit =
        sent_bit(pass->filter, found->at[1], Wire_ReadU16(found->at + ACK_SEQUENCE_AT), &word);
    uint32_t age_ms = (pass->link->clock_ms - Wire_ReadU16(found->at + ACK_TIME_AT)) & 0xffffu;
    if ((*word & bit) == 0 || age_ms > NET_TIMEOUT_MS) {
        return FILTER_STALE_ACK;
    }
    *word &= ~bit;
    note_round_trip(pass->filter, Q_MaxI((int32_t)age_ms - pass->link->waited_ms, 1));
    // The datagram that completes a connection may contain a message.
    pass->is_open |= pass->link->is_opening && found->at[1] == OWN_CHANNEL;
    return FILTER_OK;
}

/// Overwrites settings that would slow our sending.
static void neutralise(const found_t *found) {
    if (found->is->kind == KIND_THROTTLE) {
        Wire_WriteU32(found->at + RATES_AT, NET_THROTTLE_MS);
        Wire_WriteU32(found->at + RATES_AT + 4, NET_THROTTLE_UP);
        Wire_WriteU32(found->at + RATES_AT + 8, NET_THROTTLE_DOWN);
    } else {
        memset(found->at + (found->is->kind == KIND_VERIFY ? VERIFY_BANDWIDTH_AT : RATES_AT), 0, 8);
    }
}

static filter_why_t check_command(pass_t *pass, const found_t *found) {
    switch (found->is->kind) {
    case KIND_ACK:
        return check_ack(pass, found);
    case KIND_RELIABLE:
        return check_reliable(pass, found);
    case KIND_UNRELIABLE:
        return check_unreliable(pass, found);
    case KIND_FRAGMENT:
        return check_fragment(pass, found);
    case KIND_VERIFY:
        if (pass->link->from_client ||
            Wire_ReadU32(found->at + VERIFY_CHANNELS_AT) != NET_NUM_CHANNELS) {
            return FILTER_VERIFY;
        }
        neutralise(found);
        return take_own(pass, found);
    case KIND_BANDWIDTH:
    case KIND_THROTTLE:
        neutralise(found);
        return take_own(pass, found);
    case KIND_PING:
        return take_own(pass, found);
    case KIND_DISCONNECT:
        break;
    }
    return FILTER_OK;
}

/// Judges the next command, form before contents.
static filter_why_t check_next(pass_t *pass, const filter_datagram_t *in, size_t at,
                               found_t *found) {
    filter_why_t why = find(in->data + at, in->size - at, found);
    if (why != FILTER_OK) {
        return why;
    }
    if (!has_channel(found)) {
        return FILTER_CHANNEL;
    }
    if ((found->is->byte & MUST_ACK) && !(in->data[0] & WIRE_FLAG_SENT_TIME >> 8)) {
        return FILTER_NO_TIME;
    }
    return check_command(pass, found);
}

filter_why_t Filter_Check(filter_t *filter, const filter_link_t *link, filter_datagram_t *in,
                          uint64_t counts[FILTER_WHY_COUNT]) {
    pass_t pass = {.filter = filter, .link = link, .is_open = link->is_open, .room = link->room};
    memcpy(pass.delivered, link->delivered, sizeof pass.delivered);
    memcpy(pass.unreliable, link->unreliable, sizeof pass.unreliable);
    size_t kept = in->start;
    filter_why_t why = in->start < in->size ? FILTER_OK : FILTER_CUT;
    int32_t num_commands = 0;
    for (size_t at = in->start; at < in->size && why < FILTER_FIRST_BREACH;) {
        found_t found = {.size = 0};
        why = ++num_commands > FILTER_MAX_COMMANDS ? FILTER_COMMANDS
                                                   : check_next(&pass, in, at, &found);
        if (why == FILTER_OK) {
            memmove(in->data + kept, in->data + at, found.size);
            kept += found.size;
        } else if (why < FILTER_FIRST_BREACH) {
            counts[why]++;
        }
        at += found.size;
    }
    // Datagrams without new commands, such as replays, end here.
    in->size = why < FILTER_FIRST_BREACH ? kept : in->size;
    if (why < FILTER_FIRST_BREACH && kept > in->start) {
        bool is_taken =
            take(&filter->datagrams_us, link, FILTER_DATAGRAMS_S, FILTER_DATAGRAMS_BURST);
        counts[FILTER_FLOOD] += !is_taken;
        return is_taken ? FILTER_OK : FILTER_FLOOD;
    }
    counts[why] += why >= FILTER_FIRST_BREACH;
    return why;
}

void Filter_Sent(filter_t *filter, const uint8_t *data, size_t size, size_t start) {
    found_t found;
    for (size_t at = start; at < size; at += found.size) {
        // ENet made these commands. A CONNECT is not in the table, but always alone.
        if (find((uint8_t *)(uintptr_t)data + at, size - at, &found) != FILTER_OK) {
            return;
        }
        ASSERT(has_channel(&found));
        if (found.at[0] & MUST_ACK) {
            uint64_t *word = NULL;
            uint64_t bit =
                sent_bit(filter, found.at[1], Wire_ReadU16(found.at + SEQUENCE_AT), &word);
            *word |= bit;
        }
    }
}

const char *Filter_WhyText(filter_why_t why) {
#define AS_TEXT(name, text) [name] = text,
    static const char *const texts[FILTER_WHY_COUNT] = {FILTER_TABLE(AS_TEXT)};
    return why >= 0 && why < FILTER_WHY_COUNT ? texts[why] : "unknown";
}
