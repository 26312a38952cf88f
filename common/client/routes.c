/// client/routes.c - queries of the loaded map: traces, contents and routes.
//
// Memory:  cl_routes_t owns the graph of one map.

#include "client/cl_local.h"
#include "client/reach.h"
#include "math/bounds.h"

#include <stdlib.h>

#define PLACES_A_CALL 1000    // about 10 ms, so that no command is late
#define MAX_BOX       4096.0f // qu; clamps the sides of the box of a trace

struct cl_routes_s {
    uint64_t hash;            // of the map; 0 = none
    map_entities_t *entities; // owned
    reach_t reach;
};

static_assert((int)CL_ROUTE_WALK == (int)REACH_WALK && (int)CL_ROUTE_JUMP == (int)REACH_JUMP &&
                  (int)CL_ROUTE_CARRIED == (int)REACH_CARRIED,
              "CL_ROUTE_* must have the values of reach_edge_kind_t");

static vec3_t clamp_point(vec3_t point) {
    return VectorClamp(point, MAX_WORLD_COORD);
}

bool CL_MapTrace(const cl_t *cl, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs,
                 cl_trace_t *trace) {
    const vec3_t lo = VectorClamp(mins, MAX_BOX), hi = VectorClamp(maxs, MAX_BOX);
    *trace = (cl_trace_t){.fraction = 1.0f, .end = clamp_point(end)};
    if (!cl->cmap) {
        return false;
    }
    trace_t hit = CM_BoxTrace(cl->cmap, &(cm_object_t){.model = 0}, clamp_point(start), trace->end,
                              VectorMin(lo, hi), VectorMax(lo, hi));
    *trace = (cl_trace_t){hit.fraction, hit.endpos, hit.plane.normal, hit.startsolid};
    return true;
}

int32_t CL_MapContents(const cl_t *cl, vec3_t point) {
    return cl->cmap ? (int32_t)CM_PointContents(cl->cmap, 0, clamp_point(point)) : CONTENTS_EMPTY;
}

cl_routes_t *CL_RoutesCreate(void) {
    return calloc(1, sizeof(cl_routes_t));
}

static void empty(cl_routes_t *routes) {
    Reach_Free(&routes->reach);
    free(routes->entities);
    *routes = (cl_routes_t){.entities = NULL};
}

void CL_RoutesDestroy(cl_routes_t *routes) {
    if (routes) {
        empty(routes);
        free(routes);
    }
}

// Begins the graph of a map. Returns false if out of memory.
static bool begin(cl_routes_t *routes, const cmap_t *map) {
    err_t ignored;
    empty(routes);
    routes->entities = calloc(1, sizeof *routes->entities);
    if (!routes->entities) {
        return false;
    }
    (void)MapEntities_Read(routes->entities, map, &ignored); // a part of them is good enough
    if (!Reach_Begin(&routes->reach, map, routes->entities)) {
        empty(routes);
        return false;
    }
    routes->hash = CM_Info(map).hash;
    return true;
}

int32_t CL_Route(cl_routes_t *routes, const cl_t *cl, vec3_t from, vec3_t to, cl_corner_t *list,
                 int32_t max) {
    const cmap_t *map = cl->cmap;
    if (!map || max <= 0) {
        return 0;
    }
    const bool is_same = routes->entities && routes->hash == CM_Info(map).hash;
    if (!is_same && !begin(routes, map)) {
        return -1;
    }
    routes->reach.map = map; // the client may have loaded the same map again
    if (!Reach_Continue(&routes->reach, PLACES_A_CALL)) {
        return -1;
    }
    return Reach_Route(&routes->reach, clamp_point(from), clamp_point(to), list, max);
}
