#include "lib/match_plan.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool chance(rng_t *rng, uint32_t percent) {
    return Rng_Below(rng, 100) < percent;
}

static int32_t between(rng_t *rng, int32_t lo, int32_t hi) {
    return lo + (int32_t)Rng_Below(rng, (uint32_t)(hi - lo + 1));
}

// Draws one direction of a network. `badness`: 0..3.
static int draw_direction(rng_t *rng, char *text, size_t size, const char *prefix,
                          int32_t badness) {
    static const int32_t losses[] = {1, 5, 20, 40}, delays[] = {20, 60, 200, 500};
    const int32_t delay = between(rng, 0, delays[badness]);
    const int32_t jitter = chance(rng, 60) ? between(rng, 0, Q_MinI(delay, 150)) : 0;
    int written = snprintf(text, size, "%sloss=%d,%sdelay=%d,%sjitter=%d", prefix,
                           between(rng, 0, losses[badness]), prefix, delay, prefix, jitter);
    if (chance(rng, 40)) {
        written += snprintf(text + written, size - (size_t)written, ",%sduplicate=%d,%sreorder=%d",
                            prefix, between(rng, 0, 20), prefix, between(rng, 0, 20));
    }
    if (badness >= 1 && chance(rng, 30)) {
        written += snprintf(text + written, size - (size_t)written, ",%sburst=%d,%sburst-length=%d",
                            prefix, between(rng, 1, 3), prefix, between(rng, 2, 20));
    }
    return written;
}

static void draw_network(rng_t *rng, char *text, size_t size) {
    const int32_t badness = between(rng, 0, 3);
    int written = draw_direction(rng, text, size, "up-", badness);
    text[written++] = ',';
    draw_direction(rng, text + written, size - (size_t)written, "down-", badness);
}

static void draw_client(plan_t *plan, rng_t *rng, int32_t number) {
    plan_client_t *client = &plan->clients[number];
    static const int32_t rates[] = {0, 0, 2000, 5000, 20000};
    static const int32_t frames[] = {7, 16, 16, 33, 33, 50};
    *client = (plan_client_t){.join_ms = number == 0 ? 0 : between(rng, 0, 1000),
                              .is_spectator = chance(rng, 10),
                              .rate = rates[Rng_Below(rng, COUNTOF(rates))],
                              .frame_ms = frames[Rng_Below(rng, COUNTOF(frames))],
                              .silence_ms = between(rng, 300, chance(rng, 50) ? 1000 : 2800),
                              .offset_ms = chance(rng, 50) ? between(rng, 0, 1000000) : 0,
                              .drift_ppm = chance(rng, 30) ? between(rng, -200, 200) : 0,
                              .has_no_map = chance(rng, 5),
                              .lacks_maps = chance(rng, 12)};
    // Most clients join before their network becomes bad, or the whole match would be the join.
    client->network_ms = chance(rng, 20)   ? -1
                         : chance(rng, 25) ? 0
                                           : client->join_ms + between(rng, 100, 1000);
    draw_network(rng, client->network, sizeof client->network);
}

// Plain rooms load faster than compiled maps.
static int32_t draw_map(rng_t *rng) {
    return between(rng, 0, chance(rng, 60) ? PLAN_ROOMS - 1 : PLAN_MAPS - 1);
}

static int32_t draw_value(rng_t *rng, plan_act_t act) {
    static const int32_t rates[] = {20, 25, 30, 40, 60};
    switch (act) {
    case ACT_CUT:
    case ACT_CUT_UP:
    case ACT_CUT_DOWN:
        return chance(rng, 15) ? between(rng, 3000, 11000) : between(rng, 100, 2500);
    case ACT_HANG:
    case ACT_OVERRUN:
        return between(rng, 50, chance(rng, 20) ? 2000 : 400);
    case ACT_MAP:
        return draw_map(rng);
    case ACT_RATE:
        return rates[Rng_Below(rng, COUNTOF(rates))];
    case ACT_GRAVITY:
        return between(rng, 0, 1600);
    case ACT_SNAPSHOTS:
        return between(rng, 1, 4);
    case ACT_GRACE:
        return chance(rng, 50) ? 0 : between(rng, 500, 10000);
    case ACT_RATES:
        return between(rng, 2000, 20000);
    case ACT_DELAY:
        return between(rng, 0, 1);
    case ACT_RELOAD:
    case ACT_CULL:
        return between(rng, 0, 1);
    default:
        return between(rng, 0, 9);
    }
}

static plan_act_t draw_act(rng_t *rng) {
    // How often each happens, in the order of PLAN_ACTS.
    static const uint8_t weights[ACT_COUNT] = {6, 4, 14, 8, 4, 8, 6, 4, 2, 5, 3, 2,
                                               3, 6, 6,  6, 3, 2, 3, 2, 1, 1, 2};
    uint32_t sum = 0;
    for (int32_t i = 0; i < ACT_COUNT; i++) {
        sum += weights[i];
    }
    uint32_t at = Rng_Below(rng, sum);
    int32_t act = 0;
    while (at >= weights[act]) {
        at -= weights[act++];
    }
    return (plan_act_t)act;
}

static int compare_events(const void *a, const void *b) {
    const plan_event_t *left = a, *right = b;
    return left->at_ms != right->at_ms ? (left->at_ms < right->at_ms ? -1 : 1)
                                       : (left->act > right->act) - (left->act < right->act);
}

void Plan_Draw(plan_t *plan, uint64_t seed) {
    static const float rates[] = {20.0f, 20.0f, 20.0f, 25.0f, 25.0f,
                                  30.0f, 30.0f, 40.0f, 62.5f, 128.0f};
    rng_t rng = {Hash_Bytes(&seed, sizeof seed, 0)}; // streams of two seeds must not overlap
    const int32_t clients = Q_MinI(between(&rng, 1, PLAN_CLIENTS), between(&rng, 1, PLAN_CLIENTS));
    *plan = (plan_t){.seed = seed,
                     .num_clients = clients,
                     .num_slots = Q_MaxI(2, clients + between(&rng, -1, 4)),
                     .map = draw_map(&rng),
                     .rate_hz = rates[Rng_Below(&rng, COUNTOF(rates))],
                     .step_ms = between(&rng, 5, 10),
                     .snapshot_ticks = chance(&rng, 60) ? 1 : between(&rng, 2, 4),
                     .min_rate = chance(&rng, 50) ? 16000 : between(&rng, 1000, 20000),
                     .max_rate = chance(&rng, 50) ? 100000 : between(&rng, 2000, 50000),
                     .cull_los = chance(&rng, 70),
                     .grace_ms = chance(&rng, 20) ? 0 : between(&rng, 500, 10000),
                     .maxunlag_ms = between(&rng, 0, 4) * 100,
                     .delay_s = chance(&rng, 5) ? 1 : 0,
                     .end_ms = between(&rng, 1000, chance(&rng, 20) ? 5000 : 2200),
                     .allows_downloads = chance(&rng, 85),
                     .shuts_down = chance(&rng, 15)};
    for (int32_t i = 0; i < clients; i++) {
        draw_client(plan, &rng, i);
    }
    plan->num_events = between(&rng, 0, PLAN_EVENTS);
    for (int32_t i = 0; i < plan->num_events; i++) {
        plan_event_t *event = &plan->events[i];
        event->at_ms = between(&rng, 200, plan->end_ms);
        event->act = draw_act(&rng);
        event->client = between(&rng, 0, clients - 1);
        event->value = draw_value(&rng, event->act);
    }
    qsort(plan->events, (size_t)plan->num_events, sizeof plan->events[0], compare_events);
}

void Plan_Print(const plan_t *plan) {
    static const char *const names[] = {
#define PLAN_NAME(name) #name,
        PLAN_ACTS(PLAN_NAME)
#undef PLAN_NAME
    };
    printf("seed %llu: %d clients of %d slots, map %d, %g Hz, steps of %d ms, a snapshot every %d "
           "ticks, rates %d to %d, cull_los %d, grace %d ms, unlag %d ms, delay %d s, heals at "
           "%d ms%s\n",
           (unsigned long long)plan->seed, plan->num_clients, plan->num_slots, plan->map,
           (double)plan->rate_hz, plan->step_ms, plan->snapshot_ticks, plan->min_rate,
           plan->max_rate, plan->cull_los, plan->grace_ms, plan->maxunlag_ms, plan->delay_s,
           plan->end_ms, plan->shuts_down ? ", the server shuts down" : "");
    for (int32_t i = 0; i < plan->num_clients; i++) {
        const plan_client_t *client = &plan->clients[i];
        printf("  client %d: joins at %d ms%s, rate %d, frames of %d ms, silence %d ms, clock %d "
               "ms %d ppm%s, network from %d ms: %s\n",
               i, client->join_ms, client->is_spectator ? " as a spectator" : "", client->rate,
               client->frame_ms, client->silence_ms, client->offset_ms, client->drift_ppm,
               client->has_no_map   ? ", no map"
               : client->lacks_maps ? ", downloads"
                                    : "",
               client->network_ms, client->network);
    }
    for (int32_t i = 0; i < plan->num_events; i++) {
        const plan_event_t *event = &plan->events[i];
        printf("  %5d ms: %s, client %d, value %d\n", event->at_ms, names[event->act],
               event->client, event->value);
    }
}
