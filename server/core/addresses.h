/// core/addresses.h - remembers mutes and rate limits of IP addresses after a player has left.
//
// Units:   ms of the server's clock.
// Memory:  fixed. In a full list, a new address replaces the one whose limits end first.

#ifndef EDICTD_CORE_ADDRESSES_H
#define EDICTD_CORE_ADDRESSES_H

#include "base/bucket.h"

#define MAX_ADDRESSES       256
#define MAX_MUTED_ADDRESSES 128 // leaves half of the entries for rate limits
#define MUTED_THIS_MAP      INT64_MAX

/// The limits of one address. Leaky buckets limit rates. *_empty_ms: time when a bucket is empty.
typedef struct {
    uint32_t host;          ///< 0 = unused
    int64_t muted_until_ms; ///< 0 = not muted; MUTED_THIS_MAP = until the map changes
    int64_t chat_empty_ms;  ///< chat bucket of sessions that have left
    int64_t joins_empty_ms;
    int64_t wrong_empty_ms;
} address_t;

typedef struct {
    address_t list[MAX_ADDRESSES];
} addresses_t;

/// Returns the entry of an address, or a new one. The pointer is valid until the next call.
address_t *Addresses_Get(addresses_t *book, uint32_t host);

/// Mutes an address until a time; 0 ends the mute. Returns false if too many addresses are muted.
bool Addresses_Mute(addresses_t *book, uint32_t host, int64_t until_ms, int64_t now_ms);

/// Ends the mutes that last until the map changes.
void Addresses_MapChanged(addresses_t *book);

#endif
