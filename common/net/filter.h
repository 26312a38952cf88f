/// net/filter.h - judges the commands of a peer's datagram before ENet reads them.
//
// Units:   us of the transport's clock; ms where the name says so.
// Memory:  about 2 kB per peer, owned by the transport.
// Repeat:  a pure function of state, connection and datagram.
// Source:  <enet/protocol.h>; docs/enet.md, "Hostile peers".
//
// A connected peer may send any bytes. Illegal bytes are a breach: the peer is dropped. Useless or
// too frequent commands are cut out. ENet does not acknowledge them, so an honest sender repeats
// them. A replay of an honest peer's datagrams costs no connection.

#ifndef EDICTD_NET_FILTER_H
#define EDICTD_NET_FILTER_H

#include "net/transport.h"

EXTERN_C_BEGIN

#define FILTER_MAX_COMMANDS  32 // commands in a datagram; ENet sends no more
#define FILTER_MAX_FRAGMENTS 16 // fragments of MAX_MESSAGE_BYTES
#define FILTER_MIN_FRAGMENT  512
/// Reliable messages of a channel that may wait for an earlier one. ENet visits all of them for
/// each new message.
#define FILTER_CLIENT_WINDOW 64   // a client sends few messages
#define FILTER_SERVER_WINDOW 2560 // NET_MAX_QUEUED_MESSAGES plus fragments
/// Sent messages per channel that may await an acknowledgement.
#define FILTER_SENT 4096

// Limits of a client: messages a second, and at once. A server may send more: 64 players cause
// hundreds of sounds and effects a second.
#define FILTER_SERVER_FACTOR    16
#define FILTER_DATAGRAMS_S      500 // snapshots or usercmds: at most 125 a second
#define FILTER_DATAGRAMS_BURST  1000
#define FILTER_UNRELIABLE_S     256 // new unreliable messages; honest peers send one a datagram
#define FILTER_UNRELIABLE_BURST 512
#define FILTER_RELIABLE_S       512 // new reliable messages
#define FILTER_RELIABLE_BURST   1024
#define FILTER_OWN_S            64 // ENet's own commands: pings, settings
#define FILTER_OWN_BURST        128
#define FILTER_REPEATS_S        64 // repeated commands
#define FILTER_REPEATS_BURST    128

// Settings that keep ENet's throttle from dropping packets. Peers must not change them.
#define NET_THROTTLE_MS   5000
#define NET_THROTTLE_UP   32 // maximum: a lowered throttle recovers at once
#define NET_THROTTLE_DOWN 0

/// Results of Filter_Check. The peer is dropped from FILTER_FIRST_BREACH on.
#define FILTER_TABLE(X)                                                                            \
    X(FILTER_OK, "ok")                                                                             \
    X(FILTER_WRONG_PEER, "not from the peer it names")                                             \
    X(FILTER_LONG, "longer than a peer's datagrams may be")                                        \
    X(FILTER_CHECKSUM, "wrong checksum")                                                           \
    X(FILTER_FLOOD, "too many datagrams")                                                          \
    X(FILTER_AHEAD, "reliable message beyond the window")                                          \
    X(FILTER_RATE, "too many messages")                                                            \
    X(FILTER_OWN, "too many pings or settings")                                                    \
    X(FILTER_REPEATS, "too many repeated commands")                                                \
    X(FILTER_EARLY, "message out of its time")                                                     \
    X(FILTER_OLD, "unreliable message older than the last")                                        \
    X(FILTER_STALE_ACK, "acknowledgement of nothing sent, or too late")                            \
    X(FILTER_COMMANDS, "too many commands in a datagram")                                          \
    X(FILTER_CUT, "cut command or stray bytes")                                                    \
    X(FILTER_UNKNOWN, "command that this protocol never uses")                                     \
    X(FILTER_CHANNEL, "channel that does not exist")                                               \
    X(FILTER_NO_TIME, "reliable command without the time it was sent")                             \
    X(FILTER_SIZE, "message too long")                                                             \
    X(FILTER_FRAGMENT, "impossible fragment")                                                      \
    X(FILTER_VERIFY, "impossible answer to a connect")                                             \
    X(FILTER_OVERLAP, "reliable messages that overlap")

#define FILTER_AS_ENUM(name, text) name,
typedef enum { FILTER_TABLE(FILTER_AS_ENUM) FILTER_WHY_COUNT } filter_why_t;
#define FILTER_FIRST_BREACH FILTER_COMMANDS

/// The filter's state of a connection; zero at first.
typedef struct {
    /// Leaky buckets of the limits: times at which they are empty.
    int64_t datagrams_us, unreliable_us, reliable_us, own_us, repeats_us;
    uint16_t own_sequence;  ///< newest sequence number of the peer's own commands
    int32_t rtt_eighths_ms; ///< smoothed round trip, times 8; 0 = none yet
    int64_t arrived_ns;     ///< guard_datagram_t.arrived_ns of the newest datagram that passed
    /// One bit per sent reliable command that awaits an acknowledgement, by channel; the last is
    /// for ENet's own commands.
    uint64_t sent[NET_NUM_CHANNELS + 1][FILTER_SENT / 64];
} filter_t;

/// The connection, as ENet at the receiver knows it.
typedef struct {
    int64_t now_ms;
    uint32_t clock_ms; ///< ENet's clock
    int32_t waited_ms; ///< time for which the datagram waited in the kernel; 0 = unknown
    bool from_client;  ///< the receiver is a server
    bool is_open;      ///< connected, and not disconnecting
    bool is_opening;   ///< an acknowledgement of the connect makes it open
    size_t room;       ///< bytes of messages that may still wait for earlier ones
    uint16_t delivered[NET_NUM_CHANNELS];  ///< last reliable number delivered
    uint16_t unreliable[NET_NUM_CHANNELS]; ///< last unreliable number after `delivered`
} filter_link_t;

/// A datagram with verified sender and checksum. Filter_Check may shorten and change it.
typedef struct {
    uint8_t *data;
    size_t size;
    size_t start; ///< offset of the first command
} filter_datagram_t;

/// Judges a datagram, and counts what it rejects. FILTER_OK: pass it to ENet, without the commands
/// that were cut out. Otherwise drop it.
filter_why_t Filter_Check(filter_t *filter, const filter_link_t *link, filter_datagram_t *in,
                          uint64_t counts[FILTER_WHY_COUNT]);

/// Remembers the reliable commands of a sent datagram, for later acknowledgements.
void Filter_Sent(filter_t *filter, const uint8_t *data, size_t size, size_t start);

/// Returns the text of a result.
const char *Filter_WhyText(filter_why_t why);

EXTERN_C_END

#endif
