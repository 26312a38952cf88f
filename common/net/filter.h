/// net/filter.h - judges the commands of a peer's datagram before ENet reads them.
//
// Floor:   net. Units: us of the transport's clock; ms where the name says so.
// Memory:  filter_t, about 2 kB per peer; owned by the transport.
// Repeat:  a pure function of state, connection and datagram.
// Source:  <enet/protocol.h>; docs/enet.md, "Hostile peers".
//
// A connected peer may send any bytes. Bytes that no honest end sends are a breach: the peer is
// dropped. Some commands are legal but useless, or come too often. They are cut out of the
// datagram. ENet then does not acknowledge them, so an honest sender repeats what it needs. A
// replay of an honest peer's datagrams therefore costs nobody the connection.

#ifndef EDICTD_NET_FILTER_H
#define EDICTD_NET_FILTER_H

#include "net/transport.h"

EXTERN_C_BEGIN

#define FILTER_MAX_COMMANDS  32 // commands in a datagram; ENet sends at most as many
#define FILTER_MAX_FRAGMENTS 16 // of MAX_MESSAGE_BYTES; at least FILTER_MIN_FRAGMENT bytes each
#define FILTER_MIN_FRAGMENT  512
/// Maximum of a channel's reliable messages that wait for an earlier one. ENet visits all of them
/// for each new message, so this limits its work.
#define FILTER_CLIENT_WINDOW 64   // messages of a client are few
#define FILTER_SERVER_WINDOW 2560 // NET_MAX_QUEUED_MESSAGES, and the fragments of long ones
/// Number of sent messages per channel that the filter remembers until they are acknowledged.
#define FILTER_SENT 4096

// Rates that a client may reach for long, a second, and what it may send at once. A server may
// send more: in a match of 64, effects and sounds alone are hundreds of messages a second.
#define FILTER_SERVER_FACTOR    16
#define FILTER_DATAGRAMS_S      500 // snapshots and usercmds come at 125 a second at most
#define FILTER_DATAGRAMS_BURST  1000
#define FILTER_UNRELIABLE_S     256 // new unreliable messages; an honest datagram has one
#define FILTER_UNRELIABLE_BURST 512
#define FILTER_RELIABLE_S       512 // new reliable messages
#define FILTER_RELIABLE_BURST   1024
#define FILTER_OWN_S            64 // new commands of ENet's own: pings, settings
#define FILTER_OWN_BURST        128
#define FILTER_REPEATS_S        64 // repeated commands, all of which ENet acknowledges again
#define FILTER_REPEATS_BURST    128

// Settings of ENet's packet throttle with which it drops no packet. A peer may not change them.
#define NET_THROTTLE_MS   5000
#define NET_THROTTLE_UP   32 // the full scale, so that a lowered throttle recovers at once
#define NET_THROTTLE_DOWN 0

/// Results of Filter_Check. From FILTER_FIRST_BREACH on, the peer is dropped.
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

/// The state of a connection that the filter remembers. All zero at first.
typedef struct {
    /// Leaky buckets of the rate limits: the times at which they will be empty.
    int64_t datagrams_us, unreliable_us, reliable_us, own_us, repeats_us;
    uint16_t own_sequence; ///< newest number of the peer's own commands
    /// Sent reliable commands that await an acknowledgement: a bit per sequence number, for each
    /// channel and, last, for ENet's own commands.
    uint64_t sent[NET_NUM_CHANNELS + 1][FILTER_SENT / 64];
} filter_t;

/// State of the connection at the receiving end.
typedef struct {
    int64_t now_ms;
    uint32_t clock_ms; ///< ENet's clock
    bool from_client;  ///< the receiver is a server
    bool is_open;      ///< false while it connects or disconnects
    bool is_opening;   ///< an acknowledgement of the connect opens it, within a datagram even
    uint16_t delivered[NET_NUM_CHANNELS];  ///< last reliable number that ENet delivered
    uint16_t unreliable[NET_NUM_CHANNELS]; ///< last unreliable number since then
} filter_link_t;

/// A datagram whose sender and checksum were verified. Check may shorten and change `data`.
typedef struct {
    uint8_t *data;
    size_t size;
    size_t start; ///< offset of the first command
} filter_datagram_t;

/// Judges a datagram. FILTER_OK: give it to ENet; commands to ignore were cut out and counted in
/// `counts`. Any other result: drop the datagram; it was counted, too.
filter_why_t Filter_Check(filter_t *filter, const filter_link_t *link, filter_datagram_t *in,
                          uint64_t counts[FILTER_WHY_COUNT]);

/// Remembers the reliable commands of a sent datagram, which the peer may acknowledge.
void Filter_Sent(filter_t *filter, const uint8_t *data, size_t size, size_t start);

/// Returns a text for a result of Filter_Check.
const char *Filter_WhyText(filter_why_t why);

EXTERN_C_END

#endif
