/// net/ranges.h - ranges of IPv4 addresses, and the addresses without per-address limits.
//
// Units:   addresses in host byte order.

#ifndef EDICTD_NET_RANGES_H
#define EDICTD_NET_RANGES_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

#define NET_MAX_RANGES  32 // entries of a list
#define NET_RANGE_BYTES 24 // "255.255.255.255/32" with its NUL, and room

typedef struct {
    uint32_t host; ///< the bits after the prefix are 0
    int32_t bits;  ///< length of the prefix, 0..32
} netrange_t;

typedef struct {
    int32_t count;
    netrange_t list[NET_MAX_RANGES];
} netranges_t;

/// Parses "a.b.c.d" or "a.b.c.d/bits". Clears the bits after the prefix.
bool Net_ParseRange(const char *text, netrange_t *range, err_t *err);

/// Writes "a.b.c.d" or "a.b.c.d/bits".
void Net_FormatRange(netrange_t range, char text[NET_RANGE_BYTES]);

/// Returns the mask of a prefix length.
static inline uint32_t Net_RangeMask(int32_t bits) {
    return bits == 0 ? 0 : UINT32_MAX << (32 - bits);
}

static inline bool Net_InRange(netrange_t range, uint32_t host) {
    return (host & Net_RangeMask(range.bits)) == range.host;
}

/// Parses ranges separated by blanks. Returns false with the faulty entry, and changes nothing.
bool Net_ParseRanges(const char *text, netranges_t *ranges, err_t *err);

/// Returns true for an address that many players may share, which therefore has no per-address
/// limits. `exempt`: the list; NULL = only 127.0.0.1.
bool Net_IsExempt(const netranges_t *exempt, uint32_t host);

EXTERN_C_END

#endif
