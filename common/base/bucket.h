/// base/bucket.h - a leaky bucket limits a rate and allows bursts.
//
// Units:   all times of a bucket in the same unit, ms or us.

#ifndef EDICTD_BASE_BUCKET_H
#define EDICTD_BASE_BUCKET_H

#include "base/types.h"

/// Returns true if the bucket holds at most `room`. `empty`: time at which it will be empty.
static inline bool Bucket_HasRoom(int64_t empty, int64_t now, int64_t room) {
    return empty - now <= room;
}

/// Adds a cost to a bucket.
static inline void Bucket_Add(int64_t *empty, int64_t now, int64_t cost) {
    *empty = (*empty > now ? *empty : now) + cost;
}

/// Adds a cost. If the bucket holds more than `room`, returns false and adds nothing.
static inline bool Bucket_Charge(int64_t *empty, int64_t now, int64_t cost, int64_t room) {
    if (!Bucket_HasRoom(*empty, now, room)) {
        return false;
    }
    Bucket_Add(empty, now, cost);
    return true;
}

#endif
