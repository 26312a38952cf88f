#include "collide/cache.h"

#include "collide/cmap.h"
#include "collide/kind.h"

static lanes_t in_lanes(vec3_t v) {
    // Load x and y together, because gcc would otherwise load x, y and z one by one.
    typedef int64_t word2_t __attribute__((vector_size(16)));
    int64_t xy;
    uint32_t z;
    memcpy(&xy, &v.x, sizeof xy);
    memcpy(&z, &v.z, sizeof z);
    return (lanes_t)(word2_t){xy, z};
}

static lanes_mask_t same_bits(lanes_t a, lanes_t b) {
    return (lanes_mask_t)a == (lanes_mask_t)b;
}

void CM_CacheBegin(cm_cache_t *cache, const cmap_t *map, int32_t solids) {
    cache->map = map;
    cache->solids = solids;
    cache->is_filled = false;
    cache->mins = Lanes_All(1.0f);
    cache->maxs = Lanes_All(1.0f);
    cache->last.start = Lanes_All(1.0f);
    cache->last_point = Lanes_All(1.0f);
}

void CM_CacheFill(cm_cache_t *cache, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
                  vec3_t maxs) {
    const lanes_t box_mins = in_lanes(mins);
    const lanes_t box_maxs = in_lanes(maxs);
    const lanes_mask_t same_box = (box_mins == cache->mins) & (box_maxs == cache->maxs);
    if (cache->map != map || cache->solids != solids || Lanes_Bits(same_box) != 15) {
        CM_CacheBegin(cache, map, solids);
        cache->mins = box_mins;
        cache->maxs = box_maxs;
    }
    if (!cache->is_filled) {
        cache->kind = CM_KindOf(map, 0);
    }
    cache->kind->cache_fill(cache, origin);
    cache->is_filled = true;
}

bool CM_CacheFillRegion(cm_cache_t *cache, const cmap_t *map, int32_t solids, bounds_t region) {
    CM_CacheBegin(cache, map, solids);
    cache->kind = CM_KindOf(map, 0);
    cache->is_filled = cache->kind->cache_fill_region(cache, region);
    return cache->is_filled;
}

static trace_t trace_map(const cm_cache_t *cache) {
    const cm_object_t world = {.model = 0, .solids = cache->solids};
    const cm_sweep_t *sweep = &cache->last;
    return CM_BoxTrace(cache->map, &world, CM_SweepVec(sweep->start), CM_SweepVec(sweep->end),
                       CM_SweepVec(sweep->mins), CM_SweepVec(sweep->maxs));
}

trace_t CM_CacheTrace(cm_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs) {
    const cm_sweep_t sweep = {in_lanes(start), in_lanes(end), in_lanes(mins), in_lanes(maxs)};
    const cm_sweep_t *last = &cache->last;
    const lanes_mask_t again = same_bits(sweep.start, last->start) &
                               same_bits(sweep.end, last->end) & same_bits(sweep.mins, last->mins) &
                               same_bits(sweep.maxs, last->maxs);
    if (Lanes_Bits(again) != 15) {
        cache->last = sweep;
        if (!cache->is_filled || !cache->kind->cache_trace(cache)) {
            cache->last_trace = trace_map(cache);
        }
    }
    return cache->last_trace;
}

contents_t CM_CacheContents(cm_cache_t *cache, vec3_t point) {
    const lanes_t p = in_lanes(point);
    if (Lanes_Bits(same_bits(p, cache->last_point)) != 15) {
        cache->last_point = p;
        cache->last_contents = cache->is_filled ? cache->kind->cache_contents(cache, point)
                                                : CM_PointContents(cache->map, 0, point);
    }
    return cache->last_contents;
}

int32_t CM_CacheOverlap(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts,
                        int32_t max) {
    const cm_object_t world = {.model = 0, .solids = cache->solids};
    return cache->is_filled ? cache->kind->cache_overlap(cache, box, contacts, max)
                            : CM_Overlap(cache->map, &world, box, contacts, max);
}
