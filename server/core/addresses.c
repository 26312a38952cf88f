#include "core/addresses.h"

// Returns the time at which the last limit of an entry ends.
static int64_t end_of(const address_t *address) {
    int64_t end = address->muted_until_ms;
    end = address->chat_empty_ms > end ? address->chat_empty_ms : end;
    end = address->joins_empty_ms > end ? address->joins_empty_ms : end;
    return address->wrong_empty_ms > end ? address->wrong_empty_ms : end;
}

address_t *Addresses_Get(addresses_t *book, uint32_t host) {
    address_t *oldest = &book->list[0];
    for (int32_t i = 0; i < MAX_ADDRESSES; i++) {
        address_t *address = &book->list[i];
        if (address->host == host) {
            return address;
        }
        if (end_of(address) < end_of(oldest)) {
            oldest = address;
        }
    }
    *oldest = (address_t){.host = host};
    return oldest;
}

bool Addresses_Mute(addresses_t *book, uint32_t host, int64_t until_ms, int64_t now_ms) {
    int32_t muted = 0;
    for (int32_t i = 0; i < MAX_ADDRESSES; i++) {
        const address_t *address = &book->list[i];
        muted += address->host != host && address->muted_until_ms > now_ms ? 1 : 0;
    }
    if (until_ms > 0 && muted >= MAX_MUTED_ADDRESSES) {
        return false;
    }
    Addresses_Get(book, host)->muted_until_ms = until_ms;
    return true;
}

void Addresses_MapChanged(addresses_t *book) {
    for (int32_t i = 0; i < MAX_ADDRESSES; i++) {
        int64_t *until_ms = &book->list[i].muted_until_ms;
        *until_ms = *until_ms == MUTED_THIS_MAP ? 0 : *until_ms;
    }
}
