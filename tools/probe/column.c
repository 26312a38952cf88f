#include "probe/column.h"

// Step of the downward search for free space, qu. A sweep from there finds the exact floor.
#define SEARCH_STEP     8.0f
#define MAX_SEARCH      65536 // maximum steps of the search
#define MIN_FLOOR_UP    0.7f  // minimum z of the normal of a floor
#define MAX_BOX_CLIMB   40.0f // qu; maximum height of a box's feet above the floor at its centre
#define MAX_LIQUID_SCAN 512   // maximum steps of 1 qu

static bool is_blocked(contents_t contents) {
    return contents == CONTENTS_SOLID || contents == CONTENTS_SKY;
}

static bool is_liquid(contents_t contents) {
    return contents == CONTENTS_WATER || contents == CONTENTS_SLIME || contents == CONTENTS_LAVA;
}

static const cm_object_t world = {.model = 0};

static trace_t sweep_point(const cmap_t *map, vec3_t from, vec3_t to) {
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    return CM_BoxTrace(map, &world, from, to, none, none);
}

/// Returns true if a player's box fits at (x, y), with the feet at most MAX_BOX_CLIMB above
/// `floor`.
static bool player_stands(const cmap_t *map, float x, float y, float floor) {
    bounds_t box = CM_HullSize(CM_Info(map).hullset, 1);
    float feet = floor - box.mins.z;
    vec3_t end = {x, y, feet - 1.0f};
    vec3_t low = {x, y, feet + 0.25f};
    trace_t trace = CM_BoxTrace(map, &world, low, end, box.mins, box.maxs);
    if (trace.startsolid) {
        trace =
            CM_BoxTrace(map, &world, Vector(x, y, feet + MAX_BOX_CLIMB), end, box.mins, box.maxs);
    }
    return !trace.startsolid && trace.fraction < 1.0f && trace.plane.normal.z >= MIN_FLOOR_UP;
}

static void find_surface(const cmap_t *map, float x, float y, column_t *column) {
    float z = column->floor + 1.0f;
    column->liquid = CM_PointContents(map, 0, Vector(x, y, z));
    column->surface = column->floor;
    if (!is_liquid(column->liquid)) {
        column->liquid = CONTENTS_EMPTY;
        return;
    }
    for (int32_t i = 0; i < MAX_LIQUID_SCAN; i++) {
        if (!is_liquid(CM_PointContents(map, 0, Vector(x, y, z + 1.0f)))) {
            break;
        }
        z += 1.0f;
    }
    column->surface = z;
}

column_t Probe_SampleColumn(const cmap_t *map, float x, float y, float z_min, float z_max) {
    column_t column = {.liquid = CONTENTS_EMPTY};
    float z = z_max;
    for (int32_t i = 0; i < MAX_SEARCH && z > z_min; i++) {
        if (is_blocked(CM_PointContents(map, 0, Vector(x, y, z)))) {
            z -= SEARCH_STEP;
            continue;
        }
        trace_t trace = sweep_point(map, Vector(x, y, z), Vector(x, y, z_min - SEARCH_STEP));
        if (trace.fraction == 1.0f) {
            break;
        }
        float floor = trace.endpos.z - CM_DIST_EPSILON;
        bool floating = CM_PointContents(map, 0, trace.endpos) == CONTENTS_SKY;
        if (!floating && floor >= z_min) {
            column.found = true;
            column.floor = floor;
            column.stands = player_stands(map, x, y, floor);
            find_surface(map, x, y, &column);
            break;
        }
        z = trace.endpos.z - SEARCH_STEP;
    }
    return column;
}

section_t Probe_SampleSection(const cmap_t *map, vec3_t point, float max_depth) {
    section_t section = {.contents = CM_PointContents(map, 0, point), .depth = 0.0f};
    if (!is_blocked(section.contents)) {
        vec3_t end = {point.x, point.y + max_depth, point.z};
        section.depth = sweep_point(map, point, end).endpos.y - point.y;
    }
    return section;
}
