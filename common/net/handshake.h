/// net/handshake.h - the client's side of the cookie exchange: its bytes and its timing.
//
// Also used by the simulated network of the tests.
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

// A flooded server skips some requests, so the first ones follow quickly.
#define HANDSHAKE_QUICK_ASK_MS 50    // interval of cookie requests at first
#define HANDSHAKE_QUICK_MS     2000  // duration of the quick requests
#define HANDSHAKE_ASK_MS       250   // interval of cookie requests later
#define HANDSHAKE_CONNECT_MS   4000  // maximum wait for the CONNECT; a new cookie request follows
#define HANDSHAKE_GIVE_UP_MS   10000 // time until the handshake fails

typedef struct {
    netaddr_t to;
    uint32_t nonce;     ///< random; protects from forged replies
    int64_t next_ms;    ///< time of the next request
    int64_t give_up_ms; ///< time at which the handshake fails
    bool has_cookie;    ///< cookie received; connecting
    bool started;       ///< Handshake_Advance was called
} handshake_t;

typedef enum {
    HANDSHAKE_WAIT,
    HANDSHAKE_ASK, ///< send a cookie request; abandon a pending connect
    HANDSHAKE_FAILED
} handshake_step_t;

/// The contents of a cookie reply.
typedef struct {
    uint32_t cookie, connect_id; ///< for the CONNECT
    guard_offer_t offer;
} handshake_cookie_t;

/// Starts a handshake with `to`. `nonce` must be unpredictable.
void Handshake_Start(handshake_t *handshake, netaddr_t to, uint32_t nonce);

/// Returns the step due at now_ms. The first call starts the timing.
handshake_step_t Handshake_Advance(handshake_t *handshake, int64_t now_ms);

/// Writes the cookie request of GUARD_REQUEST_BYTES.
void Handshake_WriteRequest(const handshake_t *handshake, uint8_t request[GUARD_REQUEST_BYTES]);

/// Returns true if the datagram replies to any handshake, even a finished one.
bool Handshake_IsAnswer(const guard_datagram_t *in);

/// Returns true for the awaited cookie, and writes the contents of the reply. If the CONNECT stays
/// unanswered for HANDSHAKE_CONNECT_MS, Handshake_Advance requests a new cookie.
bool Handshake_TakeCookie(handshake_t *handshake, const guard_datagram_t *in,
                          handshake_cookie_t *out);

/// Returns true if the datagram refuses this CONNECT, and writes the reason.
bool Handshake_TakeRefusal(const handshake_t *handshake, const guard_datagram_t *in,
                           uint32_t connect_id, net_reason_t *reason);

#endif
