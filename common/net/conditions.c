/// net/conditions.c - conditions of a network by name, for impair.h.

#include "base/str.h"
#include "net/impair.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MAX_TEXT      256
#define USUAL_QUEUE   200     // ms; usual buffer of a home router, where no queue is given
#define USUAL_BURST   4       // datagrams, where no length is given
#define USUAL_EVERY   10000   // ms between outages, where no time is given
#define MAX_MS        60000   // longest delay, queue or outage
#define MAX_EVERY_MS  3600000 // longest time between two outages
#define MAX_RATE      10000000
#define MAX_BURST     10000
#define MIN_EVERY_MS  100
#define KEYS_EXPECTED "expected KEY=VALUE or one of " NET_PRESETS

typedef struct {
    const char *name;
    net_conditions_t conditions;
} preset_t;

// In this order: loss, burst, burst_length, delay_ms, jitter_ms, rate_kbit_s, queue_ms.
// clang-format off
#define LINK(a, b, c, d, e, f, g) .loss = a, .burst = b, .burst_length = c, .delay_ms = d, \
                                  .jitter_ms = e, .rate_kbit_s = f, .queue_ms = g

static const preset_t presets[] = {
    // WebPageTest's profile "DSL": 1.5 Mbit/s down, 384 kbit/s up, 50 ms of round trip.
    // Loss and jitter of an interleaved line.
    {"dsl", {.up   = {LINK(0.001f, 0.0f, 1, 25, 2, 384, 400)},
             .down = {LINK(0.001f, 0.0f, 1, 25, 2, 1500, 200)}}},
    // Apple's Network Link Conditioner "Wi-Fi": 33 Mbit/s up, 40 down; a line of 12 ms follows.
    // Neighbours on the channel cause the jitter and the short bursts of losses.
    {"wifi", {.up   = {LINK(0.005f, 0.0005f, 4, 7, 5, 33000, 200)},
              .down = {LINK(0.005f, 0.0005f, 4, 7, 5, 40000, 200)}}},
    // WebPageTest's profile "LTE": 12 Mbit/s, 70 ms of round trip; the uplink is that of a cell's
    // edge. The radio repeats lost blocks every 8 ms, which is jitter.
    {"mobile", {.up   = {LINK(0.010f, 0.0005f, 6, 38, 16, 2000, 800)},
                .down = {LINK(0.005f, 0.0005f, 6, 32, 12, 12000, 500)}}},
    // A geostationary orbit: four times 35,786 km at the speed of light are 477 ms of round trip;
    // time slots and a gateway on the ground add 80 ms. Rain fades in bursts.
    {"satellite", {.up   = {LINK(0.005f, 0.0003f, 12, 285, 15, 3000, 500)},
                   .down = {LINK(0.005f, 0.0003f, 12, 272, 10, 25000, 500)}}},
    // A shared LTE link that changes cells: at 200 km/h, a cell of 2 km lasts 36 s, and the change
    // is about 0.6 s of silence. The uplink is narrow, and its queue long.
    {"train", {.up   = {LINK(0.020f, 0.002f, 8, 55, 30, 500, 1000), .duplicate = 0.001f,
                        .reorder = 0.002f, .outage_ms = 600, .outage_every_ms = 36000},
               .down = {LINK(0.015f, 0.002f, 8, 45, 25, 3000, 1000), .duplicate = 0.001f,
                        .reorder = 0.002f, .outage_ms = 600, .outage_every_ms = 36000}}}};
// clang-format on

typedef struct {
    const char *name;
    size_t offset;
    bool is_percent; ///< a float, given in %
    int32_t lo, hi;  ///< of an integer
} condition_key_t;

#define KEY_OF(name, lo, hi) offsetof(impair_conditions_t, name), false, lo, hi
#define PERCENT_OF(name)     offsetof(impair_conditions_t, name), true, 0, 100

static const condition_key_t keys[] = {
    {"loss", PERCENT_OF(loss)},
    {"burst", PERCENT_OF(burst)},
    {"duplicate", PERCENT_OF(duplicate)},
    {"reorder", PERCENT_OF(reorder)},
    {"burst-length", KEY_OF(burst_length, 1, MAX_BURST)},
    {"delay", KEY_OF(delay_ms, 0, MAX_MS)},
    {"jitter", KEY_OF(jitter_ms, 0, MAX_MS)},
    {"rate", KEY_OF(rate_kbit_s, 0, MAX_RATE)},
    {"queue", KEY_OF(queue_ms, 0, MAX_MS)},
    {"outage", KEY_OF(outage_ms, 0, MAX_MS)},
    {"outage-every", KEY_OF(outage_every_ms, MIN_EVERY_MS, MAX_EVERY_MS)},
};

static const preset_t *find_preset(const char *name) {
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return &presets[i];
        }
    }
    return NULL;
}

static const condition_key_t *find_key(const char *name) {
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

// Sets a key of one direction. Returns false if the value is no number or out of range.
static bool set_value(impair_conditions_t *conditions, const condition_key_t *key,
                      const char *text) {
    char *at = (char *)conditions + key->offset;
    float percent = 0.0f;
    int64_t number = 0;
    if (key->is_percent) {
        if (!Str_ToFloat(text, &percent) || !(percent >= 0.0f && percent <= 100.0f)) {
            return false;
        }
        percent /= 100.0f;
        memcpy(at, &percent, sizeof percent);
        return true;
    }
    if (!Str_ToInt(text, key->lo, key->hi, &number)) {
        return false;
    }
    int32_t value = (int32_t)number;
    memcpy(at, &value, sizeof value);
    return true;
}

// Applies "KEY=VALUE".
static bool set_key(net_conditions_t *out, const char *part, char *name, const char *value,
                    err_t *err) {
    bool is_up = strncmp(name, "up-", 3) == 0, is_down = strncmp(name, "down-", 5) == 0;
    const condition_key_t *key = find_key(name + (is_up ? 3 : is_down ? 5 : 0));
    if (!key) {
        return Err_Set(err,
                       "network: unknown key in \"%s\"; keys: loss, burst, burst-length, "
                       "duplicate, reorder, delay, jitter, rate, queue, outage, outage-every",
                       part);
    }
    if ((!is_down && !set_value(&out->up, key, value)) ||
        (!is_up && !set_value(&out->down, key, value))) {
        return Err_Set(err, "network: \"%s\": expected a %s in %d..%d", part,
                       key->is_percent ? "percentage" : "whole number", key->lo, key->hi);
    }
    return true;
}

// Completes one direction.
static void complete(impair_conditions_t *conditions, uint64_t seed, uint64_t outage_seed) {
    conditions->seed = seed;
    conditions->outage_seed = outage_seed;
    if (conditions->burst_length == 0) {
        conditions->burst_length = USUAL_BURST;
    }
    if (conditions->outage_every_ms == 0) {
        conditions->outage_every_ms = USUAL_EVERY;
    }
}

bool Net_Conditions(const char *text, uint64_t seed, net_conditions_t *out, err_t *err) {
    char copy[MAX_TEXT];
    *out = (net_conditions_t){.up.queue_ms = USUAL_QUEUE, .down.queue_ms = USUAL_QUEUE};
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy) {
        return Err_Set(err, "network: expected at most %d bytes", MAX_TEXT - 1);
    }
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        char whole[MAX_TEXT];
        snprintf(whole, sizeof whole, "%s", part);
        const preset_t *preset = part == copy ? find_preset(part) : NULL;
        char *value = part;
        char *name = strsep(&value, "=");
        if (preset) {
            *out = preset->conditions;
        } else if (!value) {
            return Err_Set(err, "network: \"%s\": " KEYS_EXPECTED "; a preset comes first", whole);
        } else if (!set_key(out, whole, name, value, err)) {
            return false;
        }
    }
    complete(&out->up, ~seed, seed);
    complete(&out->down, seed, seed);
    return true;
}
