/// state/ticks.h - when ticks end, at any tick rate.
//
// Units:   ms; rates in millihertz (62.5 Hz = 62500). 1,000 s hold exactly `rate_mhz` ticks.
// Repeat:  integers only. All functions accept negative ticks and times.
//
//   tick      |-- 0 --|-- 1 --|-- 2 --|      at 64 Hz: 15, 16, 16 ms ...
//   ends at           15      31      47     floor(1000 n / rate)

#ifndef EDICTD_STATE_TICKS_H
#define EDICTD_STATE_TICKS_H

#include "base/types.h"

#include <math.h>

#define TICKS_MIN_RATE_HZ  20
#define TICKS_MAX_RATE_HZ  128
#define TICKS_MIN_RATE_MHZ (1000 * TICKS_MIN_RATE_HZ)
#define TICKS_MAX_RATE_MHZ (1000 * TICKS_MAX_RATE_HZ)
#define TICKS_MAX_COUNT    (INT64_C(1) << 42) // 1,000 years at the highest rate
#define TICKS_PERIOD_MS    1000000            // shortest time that is whole in ticks at every rate

/// Returns `value` / `by`, rounded down. `by` > 0.
static inline int64_t Ticks_Floor(int64_t value, int64_t by) {
    return value / by - (value % by < 0 ? 1 : 0);
}

/// Returns a rate in Hz, rounded to 1/1000 Hz.
static inline int32_t Ticks_Rate(float rate_hz) {
    return (int32_t)floorf(rate_hz * 1000.0f + 0.5f);
}

/// Returns the time at which the first `count` ticks have ended.
static inline int64_t Ticks_EndMs(int32_t rate_mhz, int64_t count) {
    int64_t periods = Ticks_Floor(count, rate_mhz); // two parts, so that no product overflows
    return periods * TICKS_PERIOD_MS + (count - periods * rate_mhz) * TICKS_PERIOD_MS / rate_mhz;
}

/// Returns the length of tick `tick`, the first one being 0.
static inline int32_t Ticks_LengthMs(int32_t rate_mhz, int64_t tick) {
    return (int32_t)(Ticks_EndMs(rate_mhz, tick + 1) - Ticks_EndMs(rate_mhz, tick));
}

/// Returns the length of the longest tick.
static inline int32_t Ticks_MaxMs(int32_t rate_mhz) {
    return (TICKS_PERIOD_MS + rate_mhz - 1) / rate_mhz;
}

/// Returns how many ticks have ended at a time: the inverse of Ticks_EndMs.
static inline int64_t Ticks_At(int32_t rate_mhz, int64_t time_ms) {
    int64_t periods = Ticks_Floor(time_ms, TICKS_PERIOD_MS);
    int64_t rest_ms = time_ms - periods * TICKS_PERIOD_MS;
    return periods * rate_mhz + ((rest_ms + 1) * rate_mhz - 1) / TICKS_PERIOD_MS;
}

/// Returns the part of its tick that has passed at a time, in 1/65536, rounded up.
static inline uint16_t Ticks_Frac(int32_t rate_mhz, int64_t time_ms) {
    int64_t tick = Ticks_At(rate_mhz, time_ms);
    int64_t length_ms = Ticks_LengthMs(rate_mhz, tick);
    int64_t passed_ms = time_ms - Ticks_EndMs(rate_mhz, tick);
    return (uint16_t)((passed_ms * 65536 + length_ms - 1) / length_ms);
}

/// Returns the time at frac / 65536 of tick `tick`: the inverse of Ticks_At and Ticks_Frac.
static inline int64_t Ticks_TimeMs(int32_t rate_mhz, int64_t tick, uint16_t frac) {
    return Ticks_EndMs(rate_mhz, tick) + frac * Ticks_LengthMs(rate_mhz, tick) / 65536;
}

#endif
