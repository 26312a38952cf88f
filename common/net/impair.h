/// net/impair.h - a bad network from a seed: loses, delays, repeats and reorders datagrams.
//
// Applied by enet_impair.c and edict-relay.
//
//     loss, bursts -> queue -> bandwidth, outages -> delay, jitter, reordering, duplicates
//
// Units:   ms of the caller's clock; probabilities in [0, 1].
// Memory:  one malloc'ed block per datagram in flight.
// Repeat:  the same seed and calls lose, delay and repeat the same datagrams.

#ifndef EDICTD_NET_IMPAIR_H
#define EDICTD_NET_IMPAIR_H

#include "base/err.h"
#include "net/transport.h"

EXTERN_C_BEGIN

/// Maximum number of datagrams in flight; more are lost and counted.
#define IMPAIR_MAX_FLYING 4096

#define IMPAIR_HEADERS 28 // bytes of IP and UDP, which also use bandwidth

/// Conditions in one direction. Jitter alone keeps the order.
typedef struct {
    uint64_t seed;
    float loss;                  ///< probability of a loss
    float burst;                 ///< probability that a burst of losses starts
    int32_t burst_length;        ///< datagrams lost in a burst
    float duplicate;             ///< probability of a duplicate
    float reorder;               ///< probability of an extra delay, 10 ms to 20 ms + delay + jitter
    int32_t delay_ms, jitter_ms; ///< delay of each datagram: delay_ms +- jitter_ms
    int32_t rate_kbit_s;         ///< bandwidth; 0 = unlimited
    int32_t queue_ms;            ///< maximum wait for bandwidth or the end of an outage; 0 = lost
    /// Mean length of outages, and of the time between two; each is drawn from +-50 %. 0 = none.
    int32_t outage_ms, outage_every_ms;
    uint64_t outage_seed; ///< equal in both directions: both stop at the same time
} impair_conditions_t;

/// Conditions of a client's network: `up` of what it sends, `down` of what it receives.
typedef struct {
    impair_conditions_t up, down;
} net_conditions_t;

#define NET_PRESETS "dsl, wifi, mobile, satellite, train"

/// Parses "PRESET", "KEY=VALUE,..." or "PRESET,KEY=VALUE,...". Presets are NET_PRESETS. Keys: loss,
/// burst, duplicate, reorder (in %), burst-length (datagrams), delay, jitter, queue, outage,
/// outage-every (ms), rate (kbit/s); "up-" or "down-" before a key sets one direction only. Returns
/// false with the reason.
bool Net_Conditions(const char *text, uint64_t seed, net_conditions_t *out, err_t *err);

typedef struct {
    netaddr_t address; ///< as given to Impair_Push
    uint8_t *data;
    size_t size;
} impair_datagram_t;

/// Counters since Impair_Create.
typedef struct {
    uint64_t taken, lost, duplicated, reordered;
    uint64_t jammed;     ///< lost because the wait was longer than queue_ms
    uint64_t overflowed; ///< lost for lack of memory or above IMPAIR_MAX_FLYING
} impair_counters_t;

typedef struct impair_s impair_t;

/// Creates a model, or NULL if out of memory.
impair_t *Impair_Create(const impair_conditions_t *conditions);

/// Frees the model; NULL is allowed.
void Impair_Destroy(impair_t *impair);

/// Copies a datagram and decides whether and when it arrives.
void Impair_Push(impair_t *impair, int64_t now_ms, netaddr_t address, const void *data,
                 size_t size);

/// Returns the next datagram due, or NULL. Valid until the next call.
const impair_datagram_t *Impair_Pop(impair_t *impair, int64_t now_ms);

/// Returns the number of datagrams due.
int32_t Impair_NumDue(const impair_t *impair, int64_t now_ms);

/// Returns the time at which the next datagram is due, or INT64_MAX if none is in flight.
int64_t Impair_NextMs(const impair_t *impair);

/// Returns the memory of all datagrams in flight, bytes.
size_t Impair_Bytes(const impair_t *impair);

impair_counters_t Impair_Counters(const impair_t *impair);

EXTERN_C_END

#endif
