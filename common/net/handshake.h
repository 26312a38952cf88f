/// net/handshake.h - the client's side of the cookie exchange: its bytes and its timing.
//
// Floor:   net. Used by the ENet transport, and by the simulated network of the tests.
// Units:   ms of the caller's monotonic clock.
// Memory:  none; the caller owns the state.
//
//   requesting --cookie--> connecting --accepted--> connected
//     ^  every 50 ms, after    | not accepted within 4 s, because the cookie expired or the server
//     |  2 s every 250 ms      | restarted: requests a new cookie. Fails after 10 s.
//     +------------------------+

#ifndef EDICTD_NET_HANDSHAKE_H
#define EDICTD_NET_HANDSHAKE_H

#include "net/guard.h"

// A flooded server replies to some requests only, so the first ones follow quickly.
#define HANDSHAKE_QUICK_ASK_MS 50    // time between cookie requests at first
#define HANDSHAKE_QUICK_MS     2000  // length of that period
#define HANDSHAKE_ASK_MS       250   // time between cookie requests later
#define HANDSHAKE_CONNECT_MS   4000  // time for the CONNECT before a new cookie is requested
#define HANDSHAKE_GIVE_UP_MS   10000 // time before the handshake fails

typedef struct {
    netaddr_t to;
    uint32_t nonce;     ///< random; an attacker who cannot see it cannot forge the reply
    int64_t next_ms;    ///< time of the next request
    int64_t give_up_ms; ///< time at which the handshake fails
    bool has_cookie;    ///< true after the cookie arrived, while connecting
    bool started;       ///< true after the first Handshake_Advance
} handshake_t;

typedef enum {
    HANDSHAKE_WAIT,
    HANDSHAKE_ASK, ///< send a cookie request and abandon a pending connect
    HANDSHAKE_FAILED
} handshake_step_t;

/// Starts a handshake with `to`. `nonce` must be unpredictable.
void Handshake_Start(handshake_t *handshake, netaddr_t to, uint32_t nonce);

/// Returns the step due at now_ms. Timing starts at the first call.
handshake_step_t Handshake_Advance(handshake_t *handshake, int64_t now_ms);

/// Writes the cookie request of GUARD_REQUEST_BYTES.
void Handshake_WriteRequest(const handshake_t *handshake, uint8_t request[GUARD_REQUEST_BYTES]);

/// Returns true if the datagram is a reply to any handshake, even a finished one.
bool Handshake_IsAnswer(const guard_datagram_t *in);

/// Returns true if the datagram is the awaited cookie. Then writes the cookie and connectID for the
/// CONNECT, and starts the time limit of the CONNECT.
bool Handshake_TakeCookie(handshake_t *handshake, const guard_datagram_t *in, uint32_t *cookie,
                          uint32_t *connect_id);

/// Returns true if the datagram refuses the CONNECT with `connect_id`, and writes the reason.
bool Handshake_TakeRefusal(const handshake_t *handshake, const guard_datagram_t *in,
                           uint32_t connect_id, net_reason_t *reason);

#endif
