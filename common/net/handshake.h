/// net/handshake.h - the client's half of the cookie exchange: its bytes, and when to ask again.
//
// Floor:   net. Used by both transports.
// Units:   ms of the caller's monotonic clock.
// Memory:  none; the state is the caller's.
//
//   asking --cookie--> connecting --accepted--> (the transport's business)
//     ^  every 250 ms      | not accepted within 4 s: the cookie may have aged, or the server
//     +--------------------+ was started again: ask for a new one. Given up after 10 s.

#ifndef EDICTD_NET_HANDSHAKE_H
#define EDICTD_NET_HANDSHAKE_H

#include "net/guard.h"

#define HANDSHAKE_ASK_MS     250
#define HANDSHAKE_CONNECT_MS 4000
#define HANDSHAKE_GIVE_UP_MS 10000

typedef struct {
    netaddr_t to;
    uint32_t nonce;     ///< the reply must repeat it: nobody off the path can forge one
    int64_t next_ms;    ///< when something is due
    int64_t give_up_ms; ///< when it has failed
    bool has_cookie;    ///< connecting, not asking any more
    bool started;       ///< the clock has been seen
} handshake_t;

typedef enum {
    HANDSHAKE_WAIT,
    HANDSHAKE_ASK, ///< (again) send the request; an attempt to connect under way is abandoned
    HANDSHAKE_FAILED
} handshake_step_t;

/// Starts asking `to`. `nonce` is unpredictable.
void Handshake_Start(handshake_t *handshake, netaddr_t to, uint32_t nonce);

/// What is due at now_ms. The clock of the handshake starts at the first call.
handshake_step_t Handshake_Advance(handshake_t *handshake, int64_t now_ms);

/// Writes the cookie request of GUARD_REQUEST_BYTES.
void Handshake_WriteRequest(const handshake_t *handshake, uint8_t request[GUARD_REQUEST_BYTES]);

/// Whether a datagram is an answer to some handshake, perhaps to one that is over: nobody above a
/// client's transport needs to see it.
bool Handshake_IsAnswer(const guard_datagram_t *in);

/// Whether a datagram is the cookie this handshake waits for; then *cookie is the `data` for the
/// CONNECT, and the handshake waits for that to be accepted.
bool Handshake_TakeCookie(handshake_t *handshake, const guard_datagram_t *in, uint32_t *cookie);

/// Whether a datagram refuses the CONNECT that was sent with connect_id; then *reason says why.
bool Handshake_TakeRefusal(const handshake_t *handshake, const guard_datagram_t *in,
                           uint32_t connect_id, net_reason_t *reason);

#endif
