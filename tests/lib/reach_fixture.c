#include "lib/reach_fixture.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PLACES   (1 << 18)
#define MAX_EDGES    (1 << 23)
#define TABLE_SIZE   (1 << 20)
#define MAX_DROP     8192.0f
#define SCAN         8 // qu between two probes for water
#define MAX_SLIDES   128
#define MAX_CHAIN    8 // teleporters and pads that lead to each other
#define STEP_UP      18.0f
#define JUMP_UP      45.0f
#define WATER_JUMP   48.0f // from floating: feet come 20 over the surface
#define RUN_SPEED    320.0f
#define JUMP_SPEED   270.0f
#define GRAVITY      800.0f
#define FLIGHT_S     0.01f
#define FLIGHT_STEPS 1000
#define FLOOR_UP     0.7f
#define WAIST_UP     4.0f // pmove looks for water level 2 there
#define LETHAL       100.0f
#define FEET         24.0f
#define EXIT_UP      27.0f // height that a destination adds to the player's origin

static const vec3_t player_mins = {-16.0f, -16.0f, -24.0f};
static const vec3_t player_maxs = {16.0f, 16.0f, 32.0f};

trace_t TestReach_Trace(const cmap_t *map, const test_entities_t *entities, vec3_t start,
                        vec3_t end) {
    trace_t total = CM_BoxTrace(map, &(cm_object_t){.origin = Vector(0, 0, 0)}, start, end,
                                player_mins, player_maxs);
    for (int32_t i = 0; i < entities->count; i++) {
        const test_entity_t *at = &entities->list[i];
        if (at->model > 0 && strcmp(at->classname, "func_wall") == 0) {
            trace_t one = CM_BoxTrace(map, &(cm_object_t){.model = at->model, .origin = at->origin},
                                      start, end, player_mins, player_maxs);
            CM_CombineTrace(&total, &one);
        }
    }
    return total;
}

bool TestReach_IsFree(const cmap_t *map, const test_entities_t *entities, vec3_t origin) {
    return !TestReach_Trace(map, entities, origin, origin).startsolid;
}

static trace_t sweep(const reach_t *reach, vec3_t start, vec3_t end) {
    return TestReach_Trace(reach->map, reach->entities, start, end);
}

static bool is_clear(const reach_t *reach, vec3_t start, vec3_t end) {
    trace_t trace = sweep(reach, start, end);
    return trace.fraction == 1.0f && !trace.startsolid;
}

static vec3_t raised(vec3_t origin, float by) {
    origin.z += by;
    return origin;
}

static bool waist_is_wet(const reach_t *reach, vec3_t origin) {
    contents_t contents = CM_PointContents(reach->map, 0, raised(origin, WAIST_UP));
    return contents == CONTENTS_WATER || contents == CONTENTS_SLIME || contents == CONTENTS_LAVA;
}

/// Returns the trigger of a class that a player at `origin` touches, or NULL.
static const test_entity_t *touched(const reach_t *reach, vec3_t origin, const char *classname) {
    bounds_t box = {VectorAdd(origin, player_mins), VectorAdd(origin, player_maxs)};
    for (int32_t i = 0; i < reach->entities->count; i++) {
        const test_entity_t *at = &reach->entities->list[i];
        if (at->model > 0 && BoundsTouch(box, at->bounds) &&
            strcmp(at->classname, classname) == 0) {
            return at;
        }
    }
    return NULL;
}

static int32_t grid_of(float coordinate) {
    return Q_ToInt(floorf(coordinate / REACH_GRID + 0.5f), -65536, 65536);
}

/// Returns the place at `origin`, found or added; -1 if the graph is full.
static int32_t find_or_add(reach_t *reach, vec3_t origin, reach_kind_t kind) {
    int32_t x = grid_of(origin.x);
    int32_t y = grid_of(origin.y);
    int32_t z = Q_ToInt(floorf(origin.z / 8.0f + 0.5f), -65536, 65536);
    uint32_t at =
        ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u) % TABLE_SIZE;
    for (; reach->table[at] >= 0; at = (at + 1) % TABLE_SIZE) {
        const reach_place_t *place = &reach->places[reach->table[at]];
        if (place->kind == kind && grid_of(place->origin.x) == x && grid_of(place->origin.y) == y &&
            fabsf(place->origin.z - origin.z) < 8.0f) {
            return reach->table[at];
        }
    }
    if (reach->num_places == MAX_PLACES) {
        reach->overflow = true;
        return -1;
    }
    reach->places[reach->num_places] = (reach_place_t){origin, kind};
    reach->table[at] = reach->num_places;
    return reach->num_places++;
}

/// Drops a player from `origin` until it stands or floats. Returns false if there is no ground.
static bool settle(const reach_t *reach, vec3_t *origin, reach_kind_t *kind) {
    for (int32_t slide = 0; slide < MAX_SLIDES; slide++) {
        trace_t down = sweep(reach, *origin, raised(*origin, -MAX_DROP));
        int32_t depth = Q_ToInt(origin->z - down.endpos.z, 0, (int32_t)MAX_DROP) + SCAN;
        for (int32_t deep = 0; deep < depth; deep += SCAN) {
            vec3_t at = {origin->x, origin->y, fmaxf(origin->z - (float)deep, down.endpos.z)};
            if (waist_is_wet(reach, at)) {
                *origin = at;
                *kind = REACH_SWIM;
                return true;
            }
        }
        if (down.fraction == 1.0f || down.allsolid) {
            return false;
        }
        *origin = down.endpos;
        *kind = REACH_STAND;
        vec3_t away = {down.plane.normal.x, down.plane.normal.y, 0.0f};
        away = VectorNormalize(away, NULL);
        vec3_t next = VectorMA(raised(*origin, 1.0f), REACH_GRID, away);
        if (down.plane.normal.z >= FLOOR_UP || !is_clear(reach, raised(*origin, 1.0f), next)) {
            return true; // ground, or a crease between two steep slopes
        }
        *origin = next;
    }
    return true;
}

/// Flies a player that a pad throws from `origin`; returns where it lands.
static vec3_t fly(const reach_t *reach, vec3_t origin, vec3_t velocity) {
    for (int32_t i = 0; i < FLIGHT_STEPS; i++) {
        velocity.z -= GRAVITY * FLIGHT_S;
        trace_t trace = sweep(reach, origin, VectorMA(origin, FLIGHT_S, velocity));
        origin = trace.endpos;
        if (trace.plane.normal.z >= FLOOR_UP || waist_is_wet(reach, origin)) {
            break;
        }
        if (trace.fraction < 1.0f) {
            float into = DotProduct(velocity, trace.plane.normal);
            velocity = VectorMA(velocity, -into, trace.plane.normal);
        }
    }
    return origin;
}

/// Returns the place where a player released at `origin` comes to rest, after all triggers; -1 =
/// none.
static int32_t arrive(reach_t *reach, vec3_t origin) {
    for (int32_t chain = 0; chain < MAX_CHAIN; chain++) {
        reach_kind_t kind = REACH_STAND;
        const test_entity_t *exit = NULL;
        if (!settle(reach, &origin, &kind)) {
            return -1;
        }
        const test_entity_t *hurt = touched(reach, origin, "trigger_hurt");
        if (hurt && hurt->damage >= LETHAL) {
            return find_or_add(reach, origin, REACH_DIE);
        }
        const test_entity_t *teleport = touched(reach, origin, "trigger_teleport");
        const test_entity_t *push = touched(reach, origin, "trigger_push");
        if (teleport) {
            exit = TestEntities_Destination(reach->entities, teleport->target);
        }
        if (exit) {
            origin = raised(exit->origin, EXIT_UP);
        } else if (push) {
            origin = fly(reach, origin, push->throws);
        } else {
            return find_or_add(reach, origin, kind);
        }
    }
    return -1;
}

static void add_edge(reach_t *reach, int32_t from, int32_t to) {
    if (to < 0 || to == from) {
        return;
    }
    if (reach->num_edges == MAX_EDGES) {
        reach->overflow = true;
        return;
    }
    reach->edges[reach->num_edges++] = (reach_edge_t){from, to};
}

/// Returns the grid point `steps` from a place in a direction, at its height.
static vec3_t beside(vec3_t origin, int32_t dx, int32_t dy, int32_t steps) {
    return Vector((float)((grid_of(origin.x) + dx * steps) * REACH_GRID),
                  (float)((grid_of(origin.y) + dy * steps) * REACH_GRID), origin.z);
}

/// Walks or swims to the next grid point, up a step if needed; returns the place reached, or -1.
static int32_t walk(reach_t *reach, vec3_t origin, int32_t dx, int32_t dy) {
    vec3_t next = beside(origin, dx, dy, 1);
    if (is_clear(reach, origin, next)) {
        return arrive(reach, next);
    }
    vec3_t up = sweep(reach, origin, raised(origin, STEP_UP)).endpos;
    next.z = up.z;
    return is_clear(reach, up, next) ? arrive(reach, next) : -1;
}

/// Returns how high above the ground a running jump can land after `distance`.
static float jump_height(float distance) {
    float time_s = distance / RUN_SPEED;
    float height = JUMP_SPEED * time_s - 0.5f * GRAVITY * time_s * time_s;
    return time_s < JUMP_SPEED / GRAVITY ? JUMP_UP : fminf(height, JUMP_UP);
}

/// Jumps in a direction: lands on the first floor in reach that is not far below.
static void jump(reach_t *reach, int32_t from, int32_t dx, int32_t dy) {
    vec3_t origin = reach->places[from].origin;
    vec3_t up = sweep(reach, origin, raised(origin, JUMP_UP)).endpos;
    float stride = dx != 0 && dy != 0 ? REACH_GRID * 1.41422f : REACH_GRID;
    for (int32_t steps = 1; jump_height(stride * (float)steps) >= 0.0f; steps++) {
        vec3_t over = beside(up, dx, dy, steps);
        if (!is_clear(reach, up, over)) {
            return;
        }
        trace_t down = sweep(reach, over, raised(over, -MAX_DROP));
        float climbed = down.endpos.z - origin.z;
        if (climbed > jump_height(stride * (float)steps)) {
            return;
        }
        if (climbed > -STEP_UP) {
            add_edge(reach, from, arrive(reach, over));
            return;
        }
    }
}

/// Climbs out of the water in every direction from where a swimmer floats.
static void climb_out(reach_t *reach, int32_t from) {
    vec3_t floating = reach->places[from].origin;
    while (waist_is_wet(reach, raised(floating, 1.0f)) &&
           is_clear(reach, floating, raised(floating, 1.0f))) {
        floating.z += 1.0f;
    }
    vec3_t up = sweep(reach, floating, raised(floating, WATER_JUMP)).endpos;
    for (int32_t i = 0; i < 9; i++) {
        vec3_t over = beside(up, i % 3 - 1, i / 3 - 1, 2);
        if (i != 4 && is_clear(reach, up, over)) {
            add_edge(reach, from, arrive(reach, over));
        }
    }
}

static void expand(reach_t *reach, int32_t from) {
    reach_place_t place = reach->places[from];
    if (place.kind == REACH_DIE) {
        for (int32_t i = 0; i < reach->num_spawns; i++) {
            add_edge(reach, from, reach->spawns[i]);
        }
        return;
    }
    for (int32_t i = 0; i < 9; i++) {
        int32_t dx = i % 3 - 1;
        int32_t dy = i / 3 - 1;
        if (i == 4) {
            continue;
        }
        int32_t to = walk(reach, place.origin, dx, dy);
        add_edge(reach, from, to);
        bool level = to >= 0 && reach->places[to].origin.z > place.origin.z - STEP_UP - 1.0f;
        if (place.kind == REACH_STAND && !level) {
            jump(reach, from, dx, dy);
        }
    }
    if (place.kind == REACH_SWIM) {
        for (int32_t sign = -1; sign <= 1; sign += 2) {
            vec3_t next = raised(place.origin, (float)(sign * REACH_GRID));
            if (waist_is_wet(reach, next) && is_clear(reach, place.origin, next)) {
                add_edge(reach, from, arrive(reach, next));
            }
        }
        if (!waist_is_wet(reach, raised(place.origin, REACH_GRID))) {
            climb_out(reach, from);
        }
    }
}

bool TestReach_Explore(reach_t *reach, const cmap_t *map, const test_entities_t *entities) {
    *reach = (reach_t){.map = map, .entities = entities};
    reach->places = calloc(MAX_PLACES, sizeof(reach_place_t));
    reach->edges = malloc(MAX_EDGES * sizeof(reach_edge_t));
    reach->table = malloc(TABLE_SIZE * sizeof(int32_t));
    if (!reach->places || !reach->edges || !reach->table) {
        return false;
    }
    memset(reach->table, 0xff, TABLE_SIZE * sizeof(int32_t));
    for (const test_entity_t *at = TestEntities_Next(entities, NULL, "info_player_"); at;
         at = TestEntities_Next(entities, at, "info_player_")) {
        reach->spawns[reach->num_spawns++] = arrive(reach, raised(at->origin, 1.0f));
    }
    for (int32_t i = 0; i < reach->num_places && !reach->overflow; i++) {
        expand(reach, i);
    }
    return !reach->overflow;
}

void TestReach_Free(reach_t *reach) {
    free(reach->places);
    free(reach->edges);
    free(reach->table);
    *reach = (reach_t){0};
}

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
        float feet = reach->places[i].origin.z - FEET;
        count += reach->places[i].kind == kind && feet >= z_min && feet <= z_max;
    }
    return count;
}
