/// core/priority.c - chooses and orders the entities of a client's snapshot.
//
// Reads the world between ticks, never writes it.

#include "core/delay.h"
#include "core/interest.h"
#include "proto/entity_fields.h"

#include <string.h>

#define WEIGHT_BUCKETS 2048
#define WEIGHT_SHIFT   20 // keeps a float's top bits: eight buckets per doubling of the weight

// Returns the bucket of a weight: the top bits, because positive floats sort like their bits.
static uint32_t bucket_of(float weight) {
    uint32_t bits = 0;
    memcpy(&bits, &weight, sizeof bits);
    return bits >> WEIGHT_SHIFT & (WEIGHT_BUCKETS - 1);
}

// Writes the states to `order` by weight (stable bucket sort).
static void order_by_weight(const server_t *server, const entity_state_t *states,
                            const entity_state_t **order, int32_t count) {
    int32_t starts[WEIGHT_BUCKETS + 1];
    uint32_t first = WEIGHT_BUCKETS;
    uint32_t last = 0;
    const priority_t *list = server->priorities;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t bucket = bucket_of(list[i].weight);
        first = bucket < first ? bucket : first;
        last = bucket > last ? bucket : last;
    }
    for (uint32_t i = first; i <= last + 1; i++) { // most lists use few buckets
        starts[i] = 0;
    }
    for (int32_t i = 0; i < count; i++) {
        starts[bucket_of(list[i].weight) + 1]++;
    }
    for (uint32_t i = first; i < last; i++) {
        starts[i + 1] += starts[i];
    }
    for (int32_t i = 0; i < count; i++) {
        order[starts[bucket_of(list[i].weight)]++] = &states[list[i].index];
    }
}

static float distance_to_box(const edict_t *edict, vec3_t eye) {
    vec3_t nearest = VectorMax(edict->absmin, VectorMin(edict->absmax, eye));
    vec3_t to = VectorSubtract(nearest, eye);
    return DotProduct(to, to);
}

static float distance_to(const world_t *world, const entity_state_t *state, vec3_t eye) {
    const float scale = 1.0f / (float)ENTITY_ORIGIN_SCALE;
    if (state->motion != ENTITY_NO_MOTION) {
        return distance_to_box(World_Edict(world, state->number), eye);
    }
    vec3_t to = {(float)state->origin[0] * scale - eye.x, (float)state->origin[1] * scale - eye.y,
                 (float)state->origin[2] * scale - eye.z};
    return DotProduct(to, to);
}

// Writes the indexes of the decoded states that a delayed spectator receives.
static int32_t list_late(const server_t *server, const session_t *session, int32_t *indexes) {
    int32_t num_states = 0;
    int32_t count = 0;
    const entity_state_t *states = Delay_States(server, &num_states);
    for (int32_t i = 0; i < num_states; i++) {
        if (states[i].number != session->slot + 1 && Delay_Shows(server, session, i)) {
            indexes[count++] = i;
        }
    }
    return count;
}

// An entity counts as nearer for each snapshot that had no room for it.
int32_t Priority_Order(server_t *server, const session_t *session, int32_t view,
                       const entity_state_t *own, vec3_t eye) {
    int32_t num_states = 0;
    bool is_late = Delay_Is(server, session);
    const entity_state_t *states = is_late ? Delay_States(server, &num_states) : server->states;
    int32_t *indexes = server->candidates;
    const int32_t count = is_late ? list_late(server, session, indexes)
                                  : Interest_List(server, session, view, indexes);
    server->order[0] = own;
    for (int32_t i = 0; i < count; i++) {
        const entity_state_t *state = &states[indexes[i]];
        int32_t age = SnapshotRing_DeferredAge(session->ring, state->number);
        float weight = distance_to(server->world, state, eye);
        if (age > 0) {
            float factor = 1.0f / (1.0f + (float)age);
            weight = weight * factor * factor;
        }
        server->priorities[i] = (priority_t){weight, indexes[i]};
    }
    order_by_weight(server, states, &server->order[1], count);
    return 1 + count;
}
