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
    handshake->next_ms = now_ms + HANDSHAKE_ASK_MS;
    return HANDSHAKE_ASK;
}

void Handshake_WriteRequest(const handshake_t *handshake, uint8_t request[GUARD_REQUEST_BYTES]) {
    memset(request, 0, GUARD_REQUEST_BYTES);
    memset(request, 0xff, WIRE_OOB_BYTES);
    memcpy(request + WIRE_OOB_BYTES, WIRE_GETCOOKIE, sizeof WIRE_GETCOOKIE - 1);
    request[WIRE_VERSION_AT] = GUARD_VERSION;
    Wire_WriteU32(request + WIRE_NONCE_AT, handshake->nonce);
}

static bool is_answer(const handshake_t *handshake, const guard_datagram_t *in, size_t size,
                      const char *word) {
    return in->size == size && in->from.host == handshake->to.host &&
           in->from.port == handshake->to.port && Wire_ReadU32(in->data) == 0xffffffffu &&
           memcmp(in->data + WIRE_OOB_BYTES, word, strlen(word)) == 0;
}

bool Handshake_TakeCookie(handshake_t *handshake, const guard_datagram_t *in, uint32_t *cookie) {
    if (handshake->has_cookie || !is_answer(handshake, in, GUARD_COOKIE_BYTES, WIRE_COOKIE) ||
        Wire_ReadU32(in->data + WIRE_REPLY_NONCE_AT) != handshake->nonce) {
        return false;
    }
    *cookie = Wire_ReadU32(in->data + WIRE_REPLY_COOKIE_AT);
    handshake->has_cookie = true;
    handshake->next_ms = in->now_ms + HANDSHAKE_CONNECT_MS;
    return true;
}

bool Handshake_TakeRefusal(const handshake_t *handshake, const guard_datagram_t *in,
                           uint32_t connect_id, net_reason_t *reason) {
    if (!handshake->has_cookie || !is_answer(handshake, in, GUARD_REFUSAL_BYTES, WIRE_REFUSED) ||
        Wire_ReadU32(in->data + WIRE_REFUSED_ID_AT) != connect_id) {
        return false;
    }
    uint32_t given = Wire_ReadU16(in->data + WIRE_REFUSED_REASON_AT);
    *reason = given < NET_REASON_COUNT ? (net_reason_t)given : NET_REASON_NONE;
    return true;
}
