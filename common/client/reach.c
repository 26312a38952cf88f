#include "client/reach.h"

#include "math/angles.h"

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
#define DIRECTIONS   9 // of the grid, with NO_DIRECTION in the middle
#define NO_DIRECTION 4
#define WAIST_UP     4.0f // pmove looks for water level 2 there
#define LETHAL       100.0f
#define CELL_UP      8.0f  // qu between two places above each other
#define EXIT_UP      27.0f // height that a destination adds to the player's origin

static bounds_t player_box(const cmap_t *map) {
    return CM_HullSize(CM_Info(map).hullset, 1);
}

trace_t Reach_Trace(const cmap_t *map, const map_entities_t *entities, vec3_t start, vec3_t end) {
    bounds_t box = player_box(map);
    trace_t total =
        CM_BoxTrace(map, &(cm_object_t){.origin = Vector(0, 0, 0)}, start, end, box.mins, box.maxs);
    for (int32_t i = 0; i < entities->count; i++) {
        const map_entity_t *at = &entities->list[i];
        if (at->model > 0 && at->is_wall) {
            const cm_object_t wall = {
                .model = at->model, .origin = at->wall_origin, .angles = at->wall_angles};
            trace_t one = CM_BoxTrace(map, &wall, start, end, box.mins, box.maxs);
            CM_CombineTrace(&total, &one);
        }
    }
    return total;
}

bool Reach_IsFree(const cmap_t *map, const map_entities_t *entities, vec3_t origin) {
    return !Reach_Trace(map, entities, origin, origin).startsolid;
}

static trace_t sweep(const reach_t *reach, vec3_t start, vec3_t end) {
    return Reach_Trace(reach->map, reach->entities, start, end);
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
static const map_entity_t *touched(const reach_t *reach, vec3_t origin, const char *classname) {
    bounds_t box = {VectorAdd(origin, reach->box.mins), VectorAdd(origin, reach->box.maxs)};
    for (int32_t i = 0; i < reach->entities->count; i++) {
        const map_entity_t *at = &reach->entities->list[i];
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
    int32_t z = Q_ToInt(floorf(origin.z / CELL_UP + 0.5f), -65536, 65536);
    uint32_t at =
        ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u) % TABLE_SIZE;
    for (; reach->table[at] >= 0; at = (at + 1) % TABLE_SIZE) {
        const reach_place_t *place = &reach->places[reach->table[at]];
        if (place->kind == kind && grid_of(place->origin.x) == x && grid_of(place->origin.y) == y &&
            fabsf(place->origin.z - origin.z) < CELL_UP) {
            return reach->table[at];
        }
    }
    if (reach->num_places == MAX_PLACES) {
        reach->overflow = true;
        return -1;
    }
    contents_t contents = CM_PointContents(reach->map, 0, raised(origin, WAIST_UP));
    bool burns = contents == CONTENTS_SLIME || contents == CONTENTS_LAVA;
    reach->places[reach->num_places] =
        (reach_place_t){origin, kind, burns || touched(reach, origin, "trigger_hurt"), false};
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
/// none. *how becomes REACH_CARRIED if a trigger moves the player.
static int32_t arrive(reach_t *reach, vec3_t origin, reach_edge_kind_t *how) {
    for (int32_t chain = 0; chain < MAX_CHAIN; chain++) {
        reach_kind_t kind = REACH_STAND;
        const map_entity_t *exit = NULL;
        if (!settle(reach, &origin, &kind)) {
            return -1;
        }
        const map_entity_t *hurt = touched(reach, origin, "trigger_hurt");
        if (hurt && hurt->damage >= LETHAL) {
            return find_or_add(reach, origin, REACH_DIE);
        }
        const map_entity_t *teleport = touched(reach, origin, "trigger_teleport");
        const map_entity_t *push = touched(reach, origin, "trigger_push");
        if (teleport) {
            exit = MapEntities_Destination(reach->entities, teleport->target);
        }
        if (exit) {
            origin = raised(exit->origin, EXIT_UP);
        } else if (push) {
            origin = fly(reach, origin, push->throws);
        } else {
            return find_or_add(reach, origin, kind);
        }
        *how = REACH_CARRIED;
    }
    return -1;
}

/// Adds an edge. `to`: -1 = none.
static void add_edge(reach_t *reach, reach_edge_t edge) {
    if (edge.to < 0 || edge.to == edge.from) {
        return;
    }
    if (reach->num_edges == MAX_EDGES) {
        reach->overflow = true;
        return;
    }
    reach->edges[reach->num_edges++] = edge;
}

/// Adds an edge to where a player released at `over` comes to rest. Returns that place, or -1.
static int32_t go(reach_t *reach, int32_t from, vec3_t over, reach_edge_kind_t kind,
                  int32_t direction) {
    int32_t to = arrive(reach, over, &kind);
    add_edge(reach, (reach_edge_t){from, to, (int16_t)kind, (int16_t)direction});
    return to;
}

/// Returns the grid point `steps` from a place in a direction, at its height.
static vec3_t beside(vec3_t origin, int32_t direction, int32_t steps) {
    int32_t dx = direction % 3 - 1;
    int32_t dy = direction / 3 - 1;
    return Vector((float)((grid_of(origin.x) + dx * steps) * REACH_GRID),
                  (float)((grid_of(origin.y) + dy * steps) * REACH_GRID), origin.z);
}

/// Walks or swims to the next grid point, up a step if needed; returns the place reached, or -1.
static int32_t walk(reach_t *reach, int32_t from, int32_t direction) {
    vec3_t origin = reach->places[from].origin;
    vec3_t next = beside(origin, direction, 1);
    if (is_clear(reach, origin, next)) {
        return go(reach, from, next, REACH_WALK, direction);
    }
    vec3_t up = sweep(reach, origin, raised(origin, STEP_UP)).endpos;
    next.z = up.z;
    return is_clear(reach, up, next) ? go(reach, from, next, REACH_WALK, direction) : -1;
}

/// Returns how high above the ground a running jump can land after `distance`.
static float jump_height(float distance) {
    float time_s = distance / RUN_SPEED;
    float height = JUMP_SPEED * time_s - 0.5f * GRAVITY * time_s * time_s;
    return time_s < JUMP_SPEED / GRAVITY ? JUMP_UP : fminf(height, JUMP_UP);
}

/// Jumps in a direction: lands on the first floor in reach that is not far below.
static void jump(reach_t *reach, int32_t from, int32_t direction) {
    vec3_t origin = reach->places[from].origin;
    vec3_t up = sweep(reach, origin, raised(origin, JUMP_UP)).endpos;
    float stride = direction % 2 == 0 ? REACH_GRID * 1.41422f : REACH_GRID;
    for (int32_t steps = 1; jump_height(stride * (float)steps) >= 0.0f; steps++) {
        vec3_t over = beside(up, direction, steps);
        if (!is_clear(reach, up, over)) {
            return;
        }
        trace_t down = sweep(reach, over, raised(over, -MAX_DROP));
        float climbed = down.endpos.z - origin.z;
        if (climbed > jump_height(stride * (float)steps)) {
            return;
        }
        if (climbed > -STEP_UP) {
            go(reach, from, over, REACH_JUMP, direction);
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
    for (int32_t i = 0; i < DIRECTIONS; i++) {
        vec3_t over = beside(up, i, 2);
        if (i != NO_DIRECTION && is_clear(reach, up, over)) {
            go(reach, from, over, REACH_JUMP, i);
        }
    }
}

static void expand(reach_t *reach, int32_t from) {
    reach_place_t place = reach->places[from];
    if (place.kind == REACH_DIE) {
        for (int32_t i = 0; i < reach->num_spawns; i++) {
            add_edge(reach, (reach_edge_t){from, reach->spawns[i], REACH_CARRIED, NO_DIRECTION});
        }
        return;
    }
    reach->places[from].is_open = true;
    for (int32_t i = 0; i < DIRECTIONS; i++) {
        if (i == NO_DIRECTION) {
            continue;
        }
        int32_t to = walk(reach, from, i);
        if (to < 0) {
            reach->places[from].is_open = false;
        }
        bool level = to >= 0 && reach->places[to].origin.z > place.origin.z - STEP_UP - 1.0f;
        if (place.kind == REACH_STAND && !level) {
            jump(reach, from, i);
        }
    }
    if (place.kind == REACH_SWIM) {
        for (int32_t sign = -1; sign <= 1; sign += 2) {
            vec3_t next = raised(place.origin, (float)(sign * REACH_GRID));
            if (waist_is_wet(reach, next) && is_clear(reach, place.origin, next)) {
                go(reach, from, next, REACH_WALK, NO_DIRECTION);
            }
        }
        if (!waist_is_wet(reach, raised(place.origin, REACH_GRID))) {
            climb_out(reach, from);
        }
    }
}

bool Reach_Begin(reach_t *reach, const cmap_t *map, const map_entities_t *entities) {
    *reach = (reach_t){.map = map, .entities = entities, .box = player_box(map)};
    reach->places = calloc(MAX_PLACES, sizeof(reach_place_t));
    reach->edges = malloc(MAX_EDGES * sizeof(reach_edge_t));
    reach->table = malloc(TABLE_SIZE * sizeof(int32_t));
    if (!reach->places || !reach->edges || !reach->table) {
        return false;
    }
    memset(reach->table, 0xff, TABLE_SIZE * sizeof(int32_t));
    for (const map_entity_t *at = MapEntities_Next(entities, NULL, "info_player_"); at;
         at = MapEntities_Next(entities, at, "info_player_")) {
        reach_edge_kind_t how = REACH_WALK;
        reach->spawns[reach->num_spawns++] = arrive(reach, raised(at->origin, 1.0f), &how);
    }
    return true;
}

bool Reach_Continue(reach_t *reach, int32_t max) {
    for (; max > 0 && reach->num_expanded < reach->num_places && !reach->overflow; max--) {
        expand(reach, reach->num_expanded++);
    }
    return reach->num_expanded == reach->num_places || reach->overflow;
}

bool Reach_Explore(reach_t *reach, const cmap_t *map, const map_entities_t *entities) {
    return Reach_Begin(reach, map, entities) && Reach_Continue(reach, INT32_MAX) &&
           !reach->overflow;
}

void Reach_Free(reach_t *reach) {
    free(reach->places);
    free(reach->edges);
    free(reach->table);
    *reach = (reach_t){0};
}

// ---- routes ----

#define TENTHS       10     // costs are in 1/10 qu of walking
#define HURT_COST    8000   // to enter a place that hurts
#define JUMP_COST    640    // jumps can fail
#define SLOW_FACTOR  2      // in water, and along walls, where doors and corners are in the path
#define CARRIED_COST 1280   // the flight takes about as long as this walk
#define START_SNAP   256.0f // qu to the nearest place, level
#define END_SNAP     32.0f
#define HEIGHT_SNAP  128.0f // qu
#define NEAR_HEIGHT  4.0f   // a place so much higher or lower counts as farther by this factor

/// A search: places by cost, in a binary heap without removal of outdated entries.
typedef struct {
    int32_t *costs; ///< by place, INT32_MAX = not reached
    int32_t *came;  ///< by place: the edge it was reached by
    struct {
        int32_t cost, place;
    } * heap;
    int32_t count;
} search_t;

static void heap_push(search_t *search, int32_t cost, int32_t place) {
    int32_t at = search->count++;
    for (; at > 0 && search->heap[(at - 1) / 2].cost > cost; at = (at - 1) / 2) {
        search->heap[at] = search->heap[(at - 1) / 2];
    }
    search->heap[at].cost = cost;
    search->heap[at].place = place;
}

/// Removes the cheapest entry. Returns its place, -1 for an empty heap.
static int32_t heap_pop(search_t *search, int32_t *cost) {
    if (search->count == 0) {
        return -1;
    }
    int32_t place = search->heap[0].place;
    *cost = search->heap[0].cost;
    search->count--;
    int32_t last = search->heap[search->count].cost;
    int32_t at = 0;
    for (int32_t child = 1; child < search->count; child = 2 * at + 1) {
        child +=
            child + 1 < search->count && search->heap[child + 1].cost < search->heap[child].cost;
        if (search->heap[child].cost >= last) {
            break;
        }
        search->heap[at] = search->heap[child];
        at = child;
    }
    search->heap[at] = search->heap[search->count];
    return place;
}

static int32_t edge_cost(const reach_t *reach, const reach_edge_t *edge) {
    const reach_place_t *to = &reach->places[edge->to];
    vec3_t apart = VectorSubtract(to->origin, reach->places[edge->from].origin);
    float length = edge->kind == REACH_CARRIED ? 0.0f : VectorLength(apart);
    int32_t cost = Q_ToInt(length * TENTHS, 1, MAX_WORLD_COORD * TENTHS);
    cost *= to->kind == REACH_SWIM || !to->is_open ? SLOW_FACTOR : 1;
    return cost + (to->hurts ? HURT_COST : 0) + (edge->kind == REACH_JUMP ? JUMP_COST : 0) +
           (edge->kind == REACH_CARRIED ? CARRIED_COST : 0);
}

static int32_t nearest_place(const reach_t *reach, vec3_t origin, float snap) {
    int32_t best = -1;
    float best_distance = 0.0f;
    for (int32_t i = 0; i < reach->num_places; i++) {
        vec3_t apart = VectorSubtract(reach->places[i].origin, origin);
        float level = fabsf(apart.x) + fabsf(apart.y);
        float distance = level + NEAR_HEIGHT * fabsf(apart.z);
        bool is_near = level <= snap && fabsf(apart.z) <= HEIGHT_SNAP;
        if (is_near && (best < 0 || distance < best_distance) &&
            reach->places[i].kind != REACH_DIE) {
            best_distance = distance;
            best = i;
        }
    }
    return best;
}

/// Returns the first edge of a place, or of the next place that has edges.
static int32_t first_edge(const reach_t *reach, int32_t place) {
    int32_t low = 0;
    for (int32_t high = reach->num_edges; low < high;) {
        int32_t middle = low + (high - low) / 2;
        if (reach->edges[middle].from < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Searches from `from` until `to` has its final cost. Returns false if no route leads there.
static bool find_route(const reach_t *reach, search_t *search, int32_t from, int32_t to) {
    int32_t cost = 0;
    for (int32_t i = 0; i < reach->num_places; i++) {
        search->costs[i] = INT32_MAX;
    }
    search->costs[from] = 0;
    heap_push(search, 0, from);
    for (int32_t place; (place = heap_pop(search, &cost)) >= 0 && place != to;) {
        if (cost > search->costs[place] || reach->places[place].kind == REACH_DIE) {
            continue;
        }
        for (int32_t i = first_edge(reach, place);
             i < reach->num_edges && reach->edges[i].from == place; i++) {
            int32_t next = reach->edges[i].to;
            int32_t total = cost + edge_cost(reach, &reach->edges[i]);
            if (total < search->costs[next]) {
                search->costs[next] = total;
                search->came[next] = i;
                heap_push(search, total, next);
            }
        }
    }
    return search->costs[to] < INT32_MAX;
}

/// Writes the corners of a route, from its end to its start, then turns their order around.
static int32_t write_route(const reach_t *reach, const search_t *search, int32_t from, int32_t to,
                           cl_corner_t *list, int32_t max) {
    int32_t count = 0;
    int32_t before = -1; // kind and direction of the corner's edge
    for (int32_t at = to; at != from;) {
        const reach_edge_t *edge = &reach->edges[search->came[at]];
        int32_t now = edge->kind * DIRECTIONS + edge->direction;
        bool straight = now == before && edge->kind == REACH_WALK;
        if (!straight) {
            memmove(&list[1], &list[0], (size_t)Q_MinI(count, max - 1) * sizeof *list);
            vec3_t step = beside(vec3_zero, edge->direction, 1);
            list[0] = (cl_corner_t){reach->places[at].origin, edge->kind, VectorAngles(step).y};
            count = Q_MinI(count + 1, max);
        }
        before = now;
        at = edge->from;
    }
    return count;
}

int32_t Reach_Route(const reach_t *reach, vec3_t from, vec3_t to, cl_corner_t *list, int32_t max) {
    int32_t start = nearest_place(reach, from, START_SNAP);
    int32_t end = nearest_place(reach, to, END_SNAP);
    int32_t count = 0;
    size_t places = (size_t)reach->num_places;
    search_t search = {.costs = malloc(places * sizeof *search.costs + 1),
                       .came = malloc(places * sizeof *search.came + 1),
                       .heap = malloc((size_t)reach->num_edges * sizeof *search.heap + 64)};
    if (search.costs && search.came && search.heap && start >= 0 && end >= 0 &&
        find_route(reach, &search, start, end)) {
        count = write_route(reach, &search, start, end, list, max);
    }
    free(search.costs);
    free(search.came);
    free(search.heap);
    return count;
}
