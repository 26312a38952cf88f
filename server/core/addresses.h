/// core/addresses.h - limits of an address that outlive its connections: mutes, and the rates of
/// chat, joins and wrong passwords.
//
// Units:   ms of the server's clock.
// Memory:  fixed. A full book forgets the address whose limits end first.

#ifndef EDICTD_CORE_ADDRESSES_H
#define EDICTD_CORE_ADDRESSES_H

#include "base/types.h"

#define MAX_ADDRESSES       256
#define MAX_MUTED_ADDRESSES 128 // half of the entries, so that the others are always free for rates
#define MUTED_THIS_MAP      INT64_MAX

/// The limits of one address. Each field _empty_ms is the time at which a leaky bucket is empty.
typedef struct {
    uint32_t host;          ///< 0 = unused
    int64_t muted_until_ms; ///< 0 = not muted; MUTED_THIS_MAP = until the map changes
    int64_t chat_empty_ms;  ///< chat bucket of sessions that have left
    int64_t joins_empty_ms;
    int64_t passwords_empty_ms;
} address_t;

typedef struct {
    address_t list[MAX_ADDRESSES];
} addresses_t;

/// Adds cost_ms to a bucket. If the bucket holds more than room_ms, returns false and adds nothing.
bool Bucket_Charge(int64_t *empty_ms, int64_t now_ms, int64_t cost_ms, int64_t room_ms);

/// Returns an address's entry, valid until the next call. A new entry is zero except for its host.
address_t *Addresses_Get(addresses_t *book, uint32_t host);

/// Mutes an address; `until_ms` 0 unmutes it. Returns false if MAX_MUTED_ADDRESSES are muted.
bool Addresses_Mute(addresses_t *book, uint32_t host, int64_t until_ms, int64_t now_ms);

/// Ends the mutes that last until the map changes.
void Addresses_MapChanged(addresses_t *book);

#endif
