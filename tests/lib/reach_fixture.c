#include "lib/reach_fixture.h"

#include <stdlib.h>

/// Marks all places that lead to `start` (backward) or that `start` leads to. Returns NULL if out
/// of memory.
static bool *mark(const reach_t *reach, int32_t start, bool backward) {
    bool *seen = calloc((size_t)reach->num_places + 1, sizeof(bool));
    int32_t *first = calloc((size_t)reach->num_places + 2, sizeof(int32_t));
    int32_t *next = calloc((size_t)reach->num_edges + 1, sizeof(int32_t));
    int32_t *queue = calloc((size_t)reach->num_places + 1, sizeof(int32_t));
    if (seen && first && next && queue) {
        for (int32_t i = 0; i < reach->num_edges; i++) {
            first[(backward ? reach->edges[i].to : reach->edges[i].from) + 1]++;
        }
        for (int32_t i = 0; i < reach->num_places; i++) {
            first[i + 1] += first[i];
        }
        for (int32_t i = reach->num_edges - 1; i >= 0; i--) {
            int32_t key = backward ? reach->edges[i].to : reach->edges[i].from;
            next[--first[key + 1]] = backward ? reach->edges[i].from : reach->edges[i].to;
        }
        // Filling has moved each list's start down: list k is next[first[k + 1]..first[k + 2]).
        first[reach->num_places + 1] = reach->num_edges;
        int32_t count = 0;
        seen[start] = true;
        queue[count++] = start;
        for (int32_t head = 0; head < count; head++) {
            for (int32_t i = first[queue[head] + 1]; i < first[queue[head] + 2]; i++) {
                if (!seen[next[i]]) {
                    seen[next[i]] = true;
                    queue[count++] = next[i];
                }
            }
        }
    }
    bool good = first && next && queue;
    free(first);
    free(next);
    free(queue);
    if (!good) {
        free(seen);
        return NULL;
    }
    return seen;
}

int32_t TestReach_DeadEnds(const reach_t *reach, int32_t to, int32_t *list, int32_t max) {
    bool *seen = mark(reach, to, true);
    int32_t count = 0;
    for (int32_t i = 0; seen && i < reach->num_places; i++) {
        if (!seen[i]) {
            if (count < max) {
                list[count] = i;
            }
            count++;
        }
    }
    bool good = seen != NULL;
    free(seen);
    return good ? count : -1;
}

int32_t TestReach_Unreached(const reach_t *reach, int32_t from, int32_t *list, int32_t max) {
    bool *seen = mark(reach, from, false);
    int32_t count = 0;
    for (int32_t i = 0; seen && i < reach->num_spawns; i++) {
        if (reach->spawns[i] < 0 || !seen[reach->spawns[i]]) {
            if (count < max) {
                list[count] = i;
            }
            count++;
        }
    }
    bool good = seen != NULL;
    free(seen);
    return good ? count : -1;
}

int32_t TestReach_CountPlaces(const reach_t *reach, reach_kind_t kind, float z_min, float z_max) {
    int32_t count = 0;
    for (int32_t i = 0; i < reach->num_places; i++) {
        float feet = reach->places[i].origin.z + reach->box.mins.z;
        count += reach->places[i].kind == kind && feet >= z_min && feet <= z_max;
    }
    return count;
}

int32_t TestEntities_Count(const map_entities_t *entities, const char *prefix) {
    int32_t count = 0;
    for (const map_entity_t *at = MapEntities_Next(entities, NULL, prefix); at;
         at = MapEntities_Next(entities, at, prefix)) {
        count++;
    }
    return count;
}
