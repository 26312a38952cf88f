#include "net/handshake.h"

#include "net/wire.h"

#include <string.h>

void Handshake_Start(handshake_t *handshake, netaddr_t to, uint32_t nonce) {
    *handshake = (handshake_t){.to = to, .nonce = nonce};
}

handshake_step_t Handshake_Advance(handshake_t *handshake, int64_t now_ms) {
    if (!handshake->started) {
        handshake->started = true;
        handshake->next_ms = now_ms;
        handshake->give_up_ms = now_ms + HANDSHAKE_GIVE_UP_MS;
    }
    if (now_ms >= handshake->give_up_ms) {
        return HANDSHAKE_FAILED;
    }
    if (now_ms < handshake->next_ms) {
        return HANDSHAKE_WAIT;
    }
    handshake->has_cookie = false;
    bool is_new = handshake->give_up_ms - now_ms > HANDSHAKE_GIVE_UP_MS - HANDSHAKE_QUICK_MS;
    handshake->next_ms = now_ms + (is_new ? HANDSHAKE_QUICK_ASK_MS : HANDSHAKE_ASK_MS);
    return HANDSHAKE_ASK;
}

void Handshake_WriteRequest(const handshake_t *handshake, uint8_t request[GUARD_REQUEST_BYTES]) {
    memset(request, 0, GUARD_REQUEST_BYTES);
    memset(request, 0xff, WIRE_OOB_BYTES);
    memcpy(request + WIRE_OOB_BYTES, WIRE_GETCOOKIE, sizeof WIRE_GETCOOKIE - 1);
    request[WIRE_VERSION_AT] = GUARD_VERSION;
    Wire_WriteU32(request + WIRE_NONCE_AT, handshake->nonce);
}

/// Returns true for an out-of-band datagram of this size and first word.
static bool is_answer(const guard_datagram_t *in, size_t size, const char *word) {
    return in->size == size && Wire_ReadU32(in->data) == 0xffffffffu &&
           memcmp(in->data + WIRE_OOB_BYTES, word, strlen(word)) == 0;
}

static bool is_from(const guard_datagram_t *in, netaddr_t from) {
    return in->from.host == from.host && in->from.port == from.port;
}

bool Handshake_IsAnswer(const guard_datagram_t *in) {
    return is_answer(in, GUARD_COOKIE_BYTES, WIRE_COOKIE) ||
           is_answer(in, GUARD_REFUSAL_BYTES, WIRE_REFUSED);
}

bool Handshake_TakeCookie(handshake_t *handshake, const guard_datagram_t *in,
                          handshake_cookie_t *out) {
    if (handshake->has_cookie || !is_answer(in, GUARD_COOKIE_BYTES, WIRE_COOKIE) ||
        !is_from(in, handshake->to) ||
        Wire_ReadU32(in->data + WIRE_REPLY_NONCE_AT) != handshake->nonce) {
        return false;
    }
    out->cookie = Wire_ReadU32(in->data + WIRE_REPLY_COOKIE_AT);
    out->connect_id = (Wire_ReadU32(in->data + WIRE_REPLY_ID_AT) & ~GUARD_ID_FREE_BITS) |
                      (handshake->nonce & GUARD_ID_FREE_BITS);
    memcpy(&out->offer, in->data + WIRE_REPLY_OFFER_AT, sizeof out->offer);
    handshake->has_cookie = true;
    handshake->next_ms = in->now_ms + HANDSHAKE_CONNECT_MS;
    return true;
}

bool Handshake_TakeRefusal(const handshake_t *handshake, const guard_datagram_t *in,
                           uint32_t connect_id, net_reason_t *reason) {
    if (!handshake->has_cookie || !is_answer(in, GUARD_REFUSAL_BYTES, WIRE_REFUSED) ||
        !is_from(in, handshake->to) || Wire_ReadU32(in->data + WIRE_REFUSED_ID_AT) != connect_id) {
        return false;
    }
    uint32_t given = Wire_ReadU16(in->data + WIRE_REFUSED_REASON_AT);
    *reason = given < NET_REASON_COUNT ? (net_reason_t)given : NET_REASON_NONE;
    return true;
}
