/// net/handshake.h - the client's part of the cookie exchange: its bytes and its timing.
//
// Floor:   net. Used by the ENet transport, and by the simulated network of the tests.
// Units:   ms of the caller's monotonic clock.
// Memory:  none; the caller owns the state.
//
//   requesting --cookie--> connecting --accepted--> connected
//     ^  every 250 ms          | not accepted within 4 s: the cookie is too old, or the server has
//     +------------------------+ restarted, so it requests a new one. Fails after 10 s.

#ifndef EDICTD_NET_HANDSHAKE_H
#define EDICTD_NET_HANDSHAKE_H

#include "net/guard.h"

#define HANDSHAKE_ASK_MS     250
#define HANDSHAKE_CONNECT_MS 4000
#define HANDSHAKE_GIVE_UP_MS 10000

typedef struct {
    netaddr_t to;
    uint32_t nonce;     ///< repeated in the reply, so that a blind sender cannot forge one
    int64_t next_ms;    ///< time of the next step
    int64_t give_up_ms; ///< time at which the handshake fails
    bool has_cookie;    ///< true while connecting
    bool started;       ///< true after the first Handshake_Advance
} handshake_t;

typedef enum {
    HANDSHAKE_WAIT,
    HANDSHAKE_ASK, ///< send the request, and abandon a pending connect
    HANDSHAKE_FAILED
} handshake_step_t;

/// Starts a handshake with `to`. `nonce` must be unpredictable.
void Handshake_Start(handshake_t *handshake, netaddr_t to, uint32_t nonce);

/// Returns the step due at now_ms. Timing starts at the first call.
handshake_step_t Handshake_Advance(handshake_t *handshake, int64_t now_ms);

/// Writes the cookie request of GUARD_REQUEST_BYTES.
void Handshake_WriteRequest(const handshake_t *handshake, uint8_t request[GUARD_REQUEST_BYTES]);

/// Returns true for a reply to any handshake, even a finished one. The transport consumes such
/// replies.
bool Handshake_IsAnswer(const guard_datagram_t *in);

/// Returns true if the datagram is the awaited cookie. *cookie then receives the `data` for the
/// CONNECT, and the handshake waits until the CONNECT is accepted.
bool Handshake_TakeCookie(handshake_t *handshake, const guard_datagram_t *in, uint32_t *cookie);

/// Returns true if the datagram refuses the CONNECT with `connect_id`. *reason then receives the
/// reason.
bool Handshake_TakeRefusal(const handshake_t *handshake, const guard_datagram_t *in,
                           uint32_t connect_id, net_reason_t *reason);

#endif
