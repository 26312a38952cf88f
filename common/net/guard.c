#include "net/guard.h"

#include "base/bucket.h"
#include "net/wire.h"

#include <sodium/crypto_shorthash.h>
#include <string.h>

_Static_assert(crypto_shorthash_KEYBYTES == GUARD_KEY_BYTES,
               "a guard's key must have the size of a SipHash key");
_Static_assert(GUARD_COOKIE_BYTES < GUARD_REQUEST_BYTES && GUARD_COOKIE_BYTES <= GUARD_MAX_REPLY,
               "a cookie reply must not be longer than its request");
_Static_assert(GUARD_REFUSAL_BYTES <= WIRE_CONNECT_BYTES,
               "a refusal must not be longer than the CONNECT");
_Static_assert((GUARD_NUM_BUCKETS & (GUARD_NUM_BUCKETS - 1)) == 0,
               "GUARD_NUM_BUCKETS - 1 is used as a mask");

/// Kinds of request with separate limits.
typedef enum {
    BUCKET_COOKIE = 1,
    BUCKET_GUESS,
    BUCKET_OOB,
    BUCKET_SEAL,
    BUCKET_FEW_SEALS
} bucket_kind_t;

static uint64_t siphash(const guard_t *guard, const uint8_t *bytes, size_t size) {
    uint8_t out[crypto_shorthash_BYTES];
    crypto_shorthash(out, bytes, size, guard->key);
    uint64_t hash = 0;
    memcpy(&hash, out, sizeof hash);
    return hash;
}

uint32_t Guard_Cookie(const guard_t *guard, uint32_t host, int64_t epoch) {
    // A cookie hashes 12 bytes, a bucket 5: never the same input.
    uint8_t bytes[12];
    Wire_WriteU32(bytes, host);
    Wire_WriteU32(bytes + 4, (uint32_t)((uint64_t)epoch >> 32));
    Wire_WriteU32(bytes + 8, (uint32_t)epoch);
    return (uint32_t)siphash(guard, bytes, sizeof bytes);
}

uint32_t Guard_GivenID(const guard_t *guard, netaddr_t from, int64_t epoch) {
    uint8_t bytes[14];
    Wire_WriteU32(bytes, from.host);
    Wire_WriteU32(bytes + 4, (uint32_t)((uint64_t)epoch >> 32));
    Wire_WriteU32(bytes + 8, (uint32_t)epoch);
    Wire_WriteU16(bytes + 12, from.port);
    return (uint32_t)siphash(guard, bytes, sizeof bytes);
}

/// Returns the bucket of a /24 for a kind of request.
static int64_t *bucket_of(const guard_t *guard, guard_buckets_t *buckets,
                          const guard_datagram_t *in, bucket_kind_t kind) {
    uint8_t bytes[5];
    Wire_WriteU32(bytes, in->from.host & 0xffffff00u);
    bytes[4] = (uint8_t)kind;
    return &buckets->empty_at_us[siphash(guard, bytes, sizeof bytes) & (GUARD_NUM_BUCKETS - 1)];
}

static bool has_room(int64_t empty_at_us, int64_t now_ms, int64_t cost_us, int64_t burst) {
    return Bucket_HasRoom(empty_at_us, now_ms * 1000, (burst - 1) * cost_us);
}

static void charge(int64_t *empty_at_us, int64_t now_ms, int64_t cost_us) {
    Bucket_Add(empty_at_us, now_ms * 1000, cost_us);
}

/// Returns true for an address of no single host. Loopback is allowed: the kernel accepts it from
/// this machine only.
static bool is_martian(uint32_t host) {
    return host >> 24 == 0 || host >= 0xE0000000u; // 0/8; 224/4 multicast; 240/4 and broadcast
}

static void drop(guard_verdict_t *out, guard_why_t why) {
    out->action = GUARD_DROP;
    out->why = why;
}

static bool has_word(const guard_datagram_t *in, const char *word) {
    size_t size = strlen(word);
    return in->size >= WIRE_OOB_BYTES + size && memcmp(in->data + WIRE_OOB_BYTES, word, size) == 0;
}

_Static_assert(sizeof(guard_offer_t) == GUARD_COOKIE_BYTES - WIRE_REPLY_OFFER_AT,
               "an offer is copied as it is");

void Guard_SetOffer(guard_verdict_t *reply, const guard_offer_t *offer) {
    memcpy(reply->reply + WIRE_REPLY_OFFER_AT, offer, sizeof *offer);
}

static void write_cookie(const guard_t *guard, const guard_datagram_t *in, guard_verdict_t *out) {
    int64_t epoch = in->now_ms / GUARD_EPOCH_MS;
    memset(out->reply, 0xff, WIRE_OOB_BYTES);
    memcpy(out->reply + WIRE_OOB_BYTES, WIRE_COOKIE, sizeof WIRE_COOKIE - 1);
    memcpy(out->reply + WIRE_REPLY_NONCE_AT, in->data + WIRE_NONCE_AT, 4);
    Wire_WriteU32(out->reply + WIRE_REPLY_COOKIE_AT, Guard_Cookie(guard, in->from.host, epoch));
    Wire_WriteU32(out->reply + WIRE_REPLY_ID_AT, Guard_GivenID(guard, in->from, epoch));
    out->reply_size = GUARD_COOKIE_BYTES;
    out->action = GUARD_REPLY;
}

/// Judges a cookie request. Above the total limit, chance decides; clients repeat.
static void check_request(const guard_t *guard, guard_buckets_t *buckets,
                          const guard_datagram_t *in, guard_verdict_t *out) {
    if (in->size != GUARD_REQUEST_BYTES || in->data[WIRE_VERSION_AT] != GUARD_VERSION) {
        drop(out, GUARD_BAD_OOB);
        return;
    }
    int64_t *own = bucket_of(guard, buckets, in, BUCKET_COOKIE);
    if (!has_room(*own, in->now_ms, GUARD_NETWORK_COOKIE_US, GUARD_NETWORK_BURST)) {
        drop(out, GUARD_RATE);
        return;
    }
    if (!has_room(buckets->cookies_empty_at_us, in->now_ms, GUARD_TOTAL_COOKIE_US,
                  GUARD_TOTAL_BURST)) {
        drop(out, GUARD_COOKIE_RATE);
        return;
    }
    charge(own, in->now_ms, GUARD_NETWORK_COOKIE_US);
    charge(&buckets->cookies_empty_at_us, in->now_ms, GUARD_TOTAL_COOKIE_US);
    write_cookie(guard, in, out);
}

/// Returns the offset of the first command of a datagram.
static size_t commands_at(const guard_t *guard, uint32_t header) {
    return (header & WIRE_FLAG_SENT_TIME ? 4u : 2u) +
           (guard->has_checksum ? WIRE_CHECKSUM_BYTES : 0u);
}

/// How much of a cookie reply a CONNECT repeats.
typedef enum { GIVEN_NOTHING, GIVEN_COOKIE, GIVEN_BOTH } given_t;

static given_t find_given(const guard_t *guard, const guard_datagram_t *in, uint32_t cookie,
                          uint32_t connect_id) {
    int64_t epoch = in->now_ms / GUARD_EPOCH_MS;
    given_t given = GIVEN_NOTHING;
    for (int64_t made = epoch; made >= epoch - 1 && given != GIVEN_BOTH; made--) {
        if (cookie == Guard_Cookie(guard, in->from.host, made)) {
            uint32_t off = connect_id ^ Guard_GivenID(guard, in->from, made);
            given = (off & ~GUARD_ID_FREE_BITS) == 0 ? GIVEN_BOTH : GIVEN_COOKIE;
        }
    }
    return given;
}

/// Judges a sealed CONNECT. Cookie and connectID together cannot be guessed. The limits protect the
/// processor: opening it is the most expensive step of a join. A flood from some networks cannot
/// use the reserve, so the server still takes the few CONNECTs of another one.
static void check_sealed(const guard_t *guard, guard_buckets_t *buckets, const guard_datagram_t *in,
                         guard_verdict_t *out) {
    seal_connect_t connect;
    if (!guard->is_sealing || !Seal_ReadConnect(in->data, in->size, &connect)) {
        drop(out, GUARD_BAD_OOB);
        return;
    }
    if (find_given(guard, in, connect.cookie, connect.connect_id) != GIVEN_BOTH) {
        drop(out, GUARD_BAD_COOKIE);
        return;
    }
    int64_t *own = bucket_of(guard, buckets, in, BUCKET_SEAL);
    int64_t *few = bucket_of(guard, buckets, in, BUCKET_FEW_SEALS);
    const bool is_few = has_room(*few, in->now_ms, GUARD_FEW_SEALS_US, GUARD_FEW_SEALS);
    const int64_t burst = GUARD_SEAL_BURST + (is_few ? GUARD_SEAL_RESERVE : 0);
    if (!has_room(*own, in->now_ms, GUARD_NETWORK_SEAL_US, GUARD_SEAL_BURST)) {
        drop(out, GUARD_RATE);
    } else if (!has_room(buckets->seals_empty_at_us, in->now_ms, GUARD_TOTAL_SEAL_US, burst)) {
        drop(out, GUARD_SEAL_RATE);
    } else {
        charge(own, in->now_ms, GUARD_NETWORK_SEAL_US);
        charge(&buckets->seals_empty_at_us, in->now_ms, GUARD_TOTAL_SEAL_US);
        charge(few, in->now_ms, is_few ? GUARD_FEW_SEALS_US : 0);
        out->action = GUARD_SEALED;
    }
}

static void check_oob(const guard_t *guard, guard_buckets_t *buckets, const guard_datagram_t *in,
                      guard_verdict_t *out) {
    if (in->size > GUARD_MAX_OOB) {
        drop(out, GUARD_LONG);
        return;
    }
    bool asks = has_word(in, WIRE_GETCOOKIE);
    bool joins = has_word(in, WIRE_SEALED);
    if (!guard->is_server) {
        if (asks || joins) {
            drop(out, GUARD_NOT_SERVER);
        } else {
            out->action = GUARD_OOB;
        }
        return;
    }
    // Drop replies of a server: the request had a forged sender.
    if (has_word(in, WIRE_COOKIE) || has_word(in, WIRE_REFUSED)) {
        drop(out, GUARD_BAD_OOB);
        return;
    }
    if (asks) {
        check_request(guard, buckets, in, out);
        return;
    }
    if (joins) {
        check_sealed(guard, buckets, in, out);
        return;
    }
    int64_t *own = bucket_of(guard, buckets, in, BUCKET_OOB);
    if (!has_room(*own, in->now_ms, GUARD_NETWORK_OOB_US, GUARD_NETWORK_BURST)) {
        drop(out, GUARD_RATE);
        return;
    }
    charge(own, in->now_ms, GUARD_NETWORK_OOB_US);
    out->action = GUARD_OOB;
}

/// Judges the cookie of a CONNECT. With the connectID of the reply, the cookie cannot be guessed,
/// so no rate limit applies. Clients may choose another connectID; then a sender could guess the
/// 32-bit cookie. So wrong cookies are limited to 1,000 a second. With 2 valid cookies of 2^32, one
/// guess succeeds every 25 days, and holds one half-open peer for 3 s.
static void check_cookie(const guard_t *guard, guard_buckets_t *buckets, const guard_datagram_t *in,
                         guard_verdict_t *out) {
    given_t given =
        find_given(guard, in, Guard_ConnectCookie(guard, in), Guard_ConnectID(guard, in));
    if (given == GIVEN_BOTH) {
        out->action = GUARD_CONNECT;
        return;
    }
    int64_t *own = bucket_of(guard, buckets, in, BUCKET_GUESS);
    if (!has_room(*own, in->now_ms, GUARD_NETWORK_GUESS_US, GUARD_NETWORK_BURST)) {
        drop(out, GUARD_RATE);
    } else if (!has_room(buckets->guesses_empty_at_us, in->now_ms, GUARD_TOTAL_GUESS_US,
                         GUARD_TOTAL_BURST)) {
        drop(out, GUARD_GUESS_RATE);
    } else if (given == GIVEN_COOKIE) {
        out->action = GUARD_CONNECT;
    } else {
        charge(own, in->now_ms, GUARD_NETWORK_GUESS_US);
        charge(&buckets->guesses_empty_at_us, in->now_ms, GUARD_TOTAL_GUESS_US);
        drop(out, GUARD_BAD_COOKIE);
    }
}

bool Guard_IsConnect(const guard_t *guard, const guard_datagram_t *in) {
    size_t start = commands_at(guard, WIRE_CONNECT_HEADER);
    if (in->size < start + WIRE_CONNECT_BYTES) {
        return false;
    }
    const uint8_t *command = in->data + start;
    uint32_t num_channels = Wire_ReadU32(command + WIRE_CONNECT_CHANNELS_AT);
    return Wire_ReadU16(in->data) == WIRE_CONNECT_HEADER && command[0] == WIRE_CONNECT_COMMAND &&
           Wire_ReadU16(command + WIRE_CONNECT_PEER_AT) < WIRE_PEER_NONE &&
           num_channels >= NET_NUM_CHANNELS && num_channels <= 255;
}

/// Judges a datagram without peer number. ENet tests only the peer bits, so drop any other header
/// than exactly a CONNECT's.
static void check_connect(const guard_t *guard, guard_buckets_t *buckets,
                          const guard_datagram_t *in, guard_verdict_t *out) {
    if (!guard->is_server) {
        drop(out, GUARD_NOT_SERVER);
        return;
    }
    if (in->size < commands_at(guard, WIRE_CONNECT_HEADER) + WIRE_CONNECT_BYTES) {
        drop(out, GUARD_SHORT);
    } else if (!Guard_IsConnect(guard, in)) {
        drop(out, GUARD_BAD_CONNECT);
    } else {
        check_cookie(guard, buckets, in, out);
    }
}

void Guard_Check(const guard_t *guard, guard_buckets_t *buckets, const guard_datagram_t *in,
                 guard_verdict_t *out) {
    *out = (guard_verdict_t){.action = GUARD_DROP, .why = GUARD_OK};
    if (in->size < 2) {
        drop(out, GUARD_SHORT);
        return;
    }
    if (in->size > GUARD_MAX_DATAGRAM) {
        drop(out, GUARD_LONG);
        return;
    }
    if (in->from.port == 0) {
        drop(out, GUARD_PORT_ZERO);
        return;
    }
    if (is_martian(in->from.host)) {
        drop(out, GUARD_MARTIAN);
        return;
    }
    // No valid ENet datagram starts with FF FF FF FF: its header would mean "compressed, no peer".
    if (in->size > WIRE_OOB_BYTES && Wire_ReadU32(in->data) == 0xffffffffu) {
        check_oob(guard, buckets, in, out);
        return;
    }
    uint32_t header = Wire_ReadU16(in->data);
    bool is_sealed = (header & WIRE_FLAG_COMPRESSED) != 0;
    bool is_connect = (header & WIRE_PEER_MASK) == WIRE_PEER_NONE;
    if (is_sealed && (is_connect || !guard->is_sealing)) {
        drop(out, GUARD_COMPRESSED);
        return;
    }
    if (is_connect) {
        check_connect(guard, buckets, in, out);
        return;
    }
    if ((int32_t)(header & WIRE_PEER_MASK) >= guard->max_peers) {
        drop(out, GUARD_NO_PEER);
        return;
    }
    // ENet 1.3.17 reads the checksum without a size test.
    if (in->size < commands_at(guard, header) + (is_sealed ? SEAL_EXTRA_BYTES : 0)) {
        drop(out, GUARD_SHORT);
        return;
    }
    out->action = GUARD_PASS;
}

uint32_t Guard_ConnectID(const guard_t *guard, const guard_datagram_t *connect) {
    return Wire_ReadU32(connect->data + commands_at(guard, WIRE_CONNECT_HEADER) +
                        WIRE_CONNECT_ID_AT);
}

uint32_t Guard_ConnectCookie(const guard_t *guard, const guard_datagram_t *connect) {
    return Wire_ReadU32(connect->data + commands_at(guard, WIRE_CONNECT_HEADER) +
                        WIRE_CONNECT_DATA_AT);
}

size_t Guard_Refuse(const guard_t *guard, const guard_datagram_t *connect, net_reason_t reason,
                    uint8_t reply[GUARD_MAX_REPLY]) {
    memset(reply, 0xff, WIRE_OOB_BYTES);
    memcpy(reply + WIRE_OOB_BYTES, WIRE_REFUSED, sizeof WIRE_REFUSED - 1);
    Wire_WriteU32(reply + WIRE_REFUSED_ID_AT, Guard_ConnectID(guard, connect));
    Wire_WriteU16(reply + WIRE_REFUSED_REASON_AT, (uint32_t)reason);
    return GUARD_REFUSAL_BYTES;
}

const char *Guard_WhyText(guard_why_t why) {
    static const char *const texts[GUARD_WHY_COUNT] = {
        [GUARD_OK] = "ok",
        [GUARD_SHORT] = "too short",
        [GUARD_LONG] = "too long",
        [GUARD_PORT_ZERO] = "from port 0",
        [GUARD_MARTIAN] = "from an impossible address",
        [GUARD_COMPRESSED] = "compressed",
        [GUARD_NO_PEER] = "for a peer that does not exist",
        [GUARD_NOT_SERVER] = "a request that only a server answers",
        [GUARD_BAD_CONNECT] = "malformed connect",
        [GUARD_BAD_COOKIE] = "connect without a valid cookie",
        [GUARD_BAD_OOB] = "malformed out-of-band exchange",
        [GUARD_RATE] = "too many from its network",
        [GUARD_COOKIE_RATE] = "too many cookie requests from all networks",
        [GUARD_GUESS_RATE] = "too many connects without a valid cookie from all networks",
        [GUARD_SEAL_RATE] = "too many sealed connects from all networks",
    };
    return why >= 0 && why < GUARD_WHY_COUNT ? texts[why] : "unknown";
}
