/// attack/attack.h - what all attacks share: the clock, the pace, sockets, counters.
//
// Everything goes to a server on 127.0.0.1 and comes from 127.0.0.0/8. Each attack ends at its
// deadline and sends at a fixed pace, so a run is bounded in time and in number.

#ifndef EDICTD_TESTS_ATTACK_H
#define EDICTD_TESTS_ATTACK_H

#include "wire.h"

#include <netinet/in.h>

#define LOOPBACK(b, c, d) (127u << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

#define ATTACK_REASONS 32 // of a disconnect: net_reason_t; unknown ones count as 0

typedef struct {
    uint16_t port; ///< of the server on 127.0.0.1
    int64_t start_ns, end_ns;
    uint64_t sent, sent_bytes; ///< datagrams to the server, and their bytes
    uint64_t received, received_bytes;
    uint64_t largest;                 ///< bytes of the largest datagram received
    uint64_t connected;               ///< connections that were accepted
    uint64_t dropped;                 ///< connections that the server ended
    int64_t first_drop_ms;            ///< time of the first of them, of the monotonic clock
    uint64_t reasons[ATTACK_REASONS]; ///< the same, by the reason that the server sent
    bool polite;      ///< argument: peers disconnect at the end, otherwise they just fall silent
    uint32_t victims; ///< arguments: addresses of players, for forged senders
    struct sockaddr_in victim[64];
} attack_t;

int64_t Clock_Ns(void);
uint32_t Clock_Ms(void);

/// Returns false after the deadline. Sleeps for `pause_ms` otherwise.
bool Attack_Runs(const attack_t *attack, int pause_ms);

/// A rate, and how often it was used.
typedef struct {
    double per_s;
    uint64_t done;
} pace_t;

/// Returns how many are due now, at most `max`, and counts them as done. Any backlog beyond that is
/// left out.
uint32_t Pace_Take(pace_t *pace, const attack_t *attack, uint32_t max);

/// Returns a random number (xorshift; the same in each run).
uint32_t Attack_Random(void);

/// Opens a non-blocking socket on an address of 127/8, any port, connected to the server.
int Socket_From(const attack_t *attack, uint32_t host);

/// Opens a non-blocking socket that sends from any address of 127/8 (Socket_SendAs).
int Socket_Any(void);

void Socket_Send(attack_t *attack, int fd, const void *data, size_t size);
void Socket_SendAs(attack_t *attack, int fd, uint32_t host, const void *data, size_t size);

/// Reads a datagram into `in`. Returns false if none waits.
bool Socket_Receive(attack_t *attack, int fd, datagram_t *in);

/// Reads and counts all that waits.
void Socket_Drain(attack_t *attack, int fd);

/// Opens a raw socket for forged senders, which needs root: -1 without it.
int Raw_Open(void);
void Raw_Send(attack_t *attack, int fd, struct sockaddr_in from, const void *data, size_t size);

/// A row of a table of attacks.
typedef struct {
    const char *name;
    void (*run)(attack_t *attack);
} attack_row_t;

extern const attack_row_t flood_rows[], order_rows[], crowd_rows[], abuse_rows[], spoof_rows[],
    proxy_rows[], control_rows[];

#endif
