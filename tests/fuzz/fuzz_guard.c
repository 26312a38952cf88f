// fuzz_guard.c - any sequence of datagrams against the guard and the client's half of the
// handshake.
//
// Input:      u8 flags (1 server, 2 checksum, 4 write a valid cookie into long enough datagrams, 8
//             pass sealed ones), u32 host and u16 port of the sender, then datagrams: u16 ms since
//             the one before, u16 size, bytes.
// Invariants: a reply is never longer than its datagram; a CONNECT passes only with the cookie of
//             this or the last epoch, a sealed one only with the connectID, too; the same request
//             gets the same reply; a client accepts the server's reply to its own request.

#include "base/assert.h"
#include "net/handshake.h"
#include "net/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const guard_t *make_guard(uint8_t flags, guard_t *guard) {
    *guard = (guard_t){.max_peers = 64,
                       .is_server = flags & 1,
                       .has_checksum = flags & 2,
                       .is_sealing = flags & 8};
    memset(guard->key, 0x5a, sizeof guard->key);
    return guard;
}

/// Returns the offset of the cookie in a CONNECT.
static size_t cookie_at(const guard_t *guard) {
    return 4u + (guard->has_checksum ? 4u : 0u) + WIRE_CONNECT_DATA_AT;
}

static void check_connect(const guard_t *guard, const guard_datagram_t *in) {
    int64_t epoch = in->now_ms / GUARD_EPOCH_MS;
    uint32_t cookie = Wire_ReadU32(in->data + cookie_at(guard));
    ASSERT(guard->is_server && in->size >= cookie_at(guard) + 4);
    ASSERT(cookie == Guard_Cookie(guard, in->from.host, epoch) ||
           cookie == Guard_Cookie(guard, in->from.host, epoch - 1));
    uint8_t reply[GUARD_MAX_REPLY];
    size_t size = Guard_Refuse(guard, in, NET_REASON_FULL, reply);
    ASSERT(size <= in->size);
    handshake_t client = {.to = in->from, .has_cookie = true};
    guard_datagram_t back = {.data = reply, .size = size, .from = in->from};
    net_reason_t reason = NET_REASON_NONE;
    ASSERT(Handshake_TakeRefusal(&client, &back, Guard_ConnectID(guard, in), &reason));
    ASSERT(reason == NET_REASON_FULL);
}

static void check_sealed(const guard_t *guard, const guard_datagram_t *in) {
    seal_connect_t connect;
    int64_t epoch = in->now_ms / GUARD_EPOCH_MS;
    int32_t num_right = 0;
    ASSERT(guard->is_server && guard->is_sealing);
    ASSERT(Seal_ReadConnect(in->data, in->size, &connect));
    for (int64_t made = epoch - 1; made <= epoch; made++) {
        uint32_t off = connect.connect_id ^ Guard_GivenID(guard, in->from, made);
        num_right += connect.cookie == Guard_Cookie(guard, in->from.host, made) &&
                     (off & ~GUARD_ID_FREE_BITS) == 0;
    }
    ASSERT(num_right > 0);
}

/// Sends a client's request from this address and passes the reply back to the client.
static void check_round_trip(const guard_t *guard, netaddr_t from, int64_t now_ms, uint32_t nonce) {
    static guard_buckets_t buckets;
    uint8_t request[GUARD_REQUEST_BYTES];
    guard_verdict_t verdict;
    handshake_t client;
    handshake_cookie_t reply;
    memset(&buckets, 0, sizeof buckets);
    Handshake_Start(&client, from, nonce);
    ASSERT(Handshake_Advance(&client, now_ms) == HANDSHAKE_ASK);
    Handshake_WriteRequest(&client, request);
    guard_datagram_t in = {.data = request, .size = sizeof request, .from = from, .now_ms = now_ms};
    Guard_Check(guard, &buckets, &in, &verdict);
    if (verdict.action == GUARD_REPLY) {
        guard_datagram_t back = {.data = verdict.reply, .size = verdict.reply_size, .from = from};
        ASSERT(Handshake_TakeCookie(&client, &back, &reply));
        ASSERT(reply.cookie == Guard_Cookie(guard, from.host, now_ms / GUARD_EPOCH_MS));
        ASSERT(((reply.connect_id ^ Guard_GivenID(guard, from, now_ms / GUARD_EPOCH_MS)) &
                ~0xffu) == 0);
        // A cookie is accepted only once.
        ASSERT(!Handshake_TakeCookie(&client, &back, &reply));
    } else {
        ASSERT(!guard->is_server || from.port == 0 || verdict.why == GUARD_MARTIAN);
    }
}

static void check_one(const guard_t *guard, guard_buckets_t *buckets, const guard_datagram_t *in) {
    static guard_buckets_t before;
    guard_verdict_t verdict;
    guard_verdict_t again;
    before = *buckets;
    Guard_Check(guard, buckets, in, &verdict);
    Guard_Check(guard, &before, in, &again);
    ASSERT(memcmp(&verdict, &again, sizeof verdict) == 0);
    ASSERT(memcmp(&before, buckets, sizeof before) == 0);
    ASSERT(verdict.reply_size <= in->size);
    ASSERT((verdict.action == GUARD_REPLY) == (verdict.reply_size > 0));
    ASSERT((verdict.action == GUARD_DROP) == (verdict.why != GUARD_OK));
    if (verdict.action == GUARD_CONNECT) {
        check_connect(guard, in);
    }
    if (verdict.action == GUARD_SEALED) {
        check_sealed(guard, in);
    }
    handshake_t client = {.to = in->from, .nonce = 0x61626364};
    handshake_cookie_t reply;
    net_reason_t reason = NET_REASON_NONE;
    if (verdict.action == GUARD_OOB) {
        Handshake_TakeCookie(&client, in, &reply);
        client.has_cookie = true;
        Handshake_TakeRefusal(&client, in, 0x61626364, &reason);
        ASSERT(reason >= 0 && reason < NET_REASON_COUNT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static guard_buckets_t buckets;
    guard_t guard;
    if (size < 7) {
        return 0;
    }
    memset(&buckets, 0, sizeof buckets);
    make_guard(data[0], &guard);
    bool help = data[0] & 4;
    netaddr_t from = {.host = Wire_ReadU32(data + 1), .port = (uint16_t)Wire_ReadU16(data + 5)};
    int64_t now_ms = 1000000;
    check_round_trip(&guard, from, now_ms, Wire_ReadU32(data + 1) * 3);
    for (data += 7, size -= 7; size >= 4;) {
        size_t length = Wire_ReadU16(data + 2);
        now_ms += (int64_t)Wire_ReadU16(data);
        data += 4;
        size -= 4;
        length = length < size ? length : size;
        // Pass a copy of exact size, so that ASan reports a read beyond its end.
        uint8_t *copy = malloc(length + 1);
        ASSERT(copy);
        memcpy(copy, data, length);
        if (help && length >= 20 && copy[0] == 0xff) {
            int64_t epoch = now_ms / GUARD_EPOCH_MS;
            Wire_WriteU32(copy + 12, Guard_Cookie(&guard, from.host, epoch));
            Wire_WriteU32(copy + 16, Guard_GivenID(&guard, from, epoch));
        } else if (help && length >= cookie_at(&guard) + 4) {
            Wire_WriteU32(copy + cookie_at(&guard),
                          Guard_Cookie(&guard, from.host, now_ms / GUARD_EPOCH_MS));
        }
        uint8_t *exact = realloc(copy, length ? length : 1);
        guard_datagram_t in = {
            .data = exact ? exact : copy, .size = length, .from = from, .now_ms = now_ms};
        check_one(&guard, &buckets, &in);
        free(exact ? exact : copy);
        data += length;
        size -= length;
    }
    return 0;
}
