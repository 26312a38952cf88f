/// world/move.c - sweeps and point contents in the map and all edicts.
//
// Repeat:  the nearest hit wins. Ties go to a solid that the sweep starts in, then to the lowest
//          edict number. So the result does not depend on the order of the tests.

#include "world/move.h"

#include "collide/cache.h"
#include "move/meet.h"
#include "world/events.h"
#include "world/hitboxes.h"
#include "world/link.h"
#include "world/neighbours.h"
#include "world/shape.h"
#include "world/strings.h"
#include "world/unlag.h"
#include "world/world_local.h"

#define MISSILE_REACH   15.0f  // qu; half the size of a missile against monsters, players
#define PIECE_LENGTH    512.0f // qu; a longer sweep makes several area queries
#define MAX_SWEEP_COORD (4.0f * MAX_WORLD_COORD)
#define MAX_PIECES      64

/// One sweep in progress.
typedef struct {
    const sv_context_t *sv;
    vec3_t start, end, mins, maxs;
    move_type_t type;
    const edict_t *pass;
    int32_t pass_number;
    bool for_monster; // the box of a monster
    const neighbours_t *near;
    const unlag_view_t *view; // NULL = now
    sweep_bounds_t bounds;    // with `view`: up to the nearest hit
    pm_nearest_t hits;
} sweep_t;

// ---- edicts ----

// Sweeps against an edict's hitboxes. First tests the edict's box, because bone poses are costly.
static trace_t trace_hitboxes(const sweep_t *sweep, const edict_t *edict, const model_t *model,
                              bounds_t box) {
    const bounds_t swept = {sweep->mins, sweep->maxs};
    trace_t trace = CM_BoxBoxTrace(box, sweep->start, sweep->end, swept.mins, swept.maxs);
    if (trace.fraction < 1.0f || trace.startsolid) {
        trace = SV_HitboxTrace(sweep->sv, edict, model, sweep->start, sweep->end, swept);
    }
    return trace;
}

// Returns the box that is swept against an edict.
static bounds_t swept_box(const sweep_t *sweep, const edict_t *edict) {
    const vec3_t reach = {MISSILE_REACH, MISSILE_REACH, MISSILE_REACH};
    return sweep->type == MOVE_MISSILE && (edict->flags & (FL_MONSTER | FL_CLIENT))
               ? (bounds_t){VectorNegate(reach), reach}
               : (bounds_t){sweep->mins, sweep->maxs};
}

// Sweeps against an edict in the shooter's view.
static void clip_to_shown(sweep_t *sweep, const edict_t *edict, int32_t number) {
    const bounds_t swept = swept_box(sweep, edict);
    unlag_shown_t shown;
    if (!Unlag_Show(sweep->sv->world, sweep->view, edict, &sweep->bounds, &shown)) {
        return;
    }
    trace_t trace =
        sweep->type == MOVE_HITBOXES
            ? Unlag_HitboxTrace(sweep->sv, sweep->view, &shown, sweep->start, sweep->end, swept)
            : CM_BoxBoxTrace(shown.box, sweep->start, sweep->end, swept.mins, swept.maxs);
    PM_NearestAdd(&sweep->hits, trace, number);
}

// Receives edicts of History_Visit.
static void clip_to_recent(void *context, int32_t number) {
    sweep_t *sweep = context;
    const edict_t *edict = World_Edict(sweep->sv->world, number);
    if (Unlag_Rewinds(edict) &&
        !World_PassesThrough(sweep->pass, sweep->pass_number, edict, number)) {
        clip_to_shown(sweep, edict, number);
    }
}

static void clip_to_edict(void *context, int32_t number) {
    sweep_t *sweep = context;
    const edict_t *edict = World_Edict(sweep->sv->world, number);
    bool is_brush = edict->solid == SOLID_BSP;
    if (sweep->hits.nearest.allsolid && number > sweep->hits.nearest.entnum) {
        return; // cannot win: on a tie, the lower number wins. Keeps dense crowds cheap
    }
    // Test the edict again, because the game may have changed it since the last link.
    if (!World_IsLive(edict) || edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER ||
        (sweep->type == MOVE_NOMONSTERS && !is_brush) ||
        (!sweep->for_monster && World_IsMonsterClip(edict)) ||
        World_PassesThrough(sweep->pass, sweep->pass_number, edict, number)) {
        return;
    }
    if (sweep->view && Unlag_Rewinds(edict)) {
        if (!History_IsRecent(sweep->sv->world, edict)) {
            clip_to_shown(sweep, edict, number);
        }
        return;
    }
    const bounds_t swept = swept_box(sweep, edict);
    trace_t trace;
    const model_t *model = sweep->type == MOVE_HITBOXES ? SV_Skeleton(sweep->sv, edict) : NULL;
    if (is_brush && !World_IsBrushModel(sweep->sv, edict)) {
        return; // the next link will quarantine the edict
    }
    if (is_brush && model) {
        trace = trace_hitboxes(sweep, edict, model, (bounds_t){edict->absmin, edict->absmax});
    } else if (is_brush) {
        cm_object_t object = World_Object(sweep->sv, edict);
        trace =
            CM_BoxTrace(sweep->sv->map, &object, sweep->start, sweep->end, swept.mins, swept.maxs);
    } else {
        bounds_t box = {VectorAdd(edict->origin, edict->mins),
                        VectorAdd(edict->origin, edict->maxs)};
        trace = model ? trace_hitboxes(sweep, edict, model, box)
                      : CM_BoxBoxTrace(box, sweep->start, sweep->end, swept.mins, swept.maxs);
    }
    PM_NearestAdd(&sweep->hits, trace, number);
}

static float largest_step(vec3_t from, vec3_t to) {
    vec3_t d = VectorSubtract(to, from);
    float x = fabsf(d.x);
    float y = fabsf(d.y);
    float z = fabsf(d.z);
    float xy = x > y ? x : y;
    return xy > z ? xy : z;
}

// Returns the box that is swept against edicts.
static bounds_t widest_box(const sweep_t *sweep) {
    const vec3_t reach = {MISSILE_REACH, MISSILE_REACH, MISSILE_REACH};
    const bounds_t box = {sweep->mins, sweep->maxs};
    return sweep->type == MOVE_MISSILE ? BoundsUnion(box, (bounds_t){VectorNegate(reach), reach})
                                       : box;
}

// Tests the edicts near the sweep, up to the nearest hit so far. Splits a long sweep, because the
// box around a long diagonal contains too many edicts.
static void clip_to_edicts(sweep_t *sweep) {
    const bounds_t swept = widest_box(sweep);
    float length = largest_step(sweep->start, sweep->end);
    int32_t pieces = Q_ToInt(length / PIECE_LENGTH, 0, MAX_PIECES - 1) + 1;
    for (int32_t i = 0; i < pieces; i++) {
        float from = (float)i / (float)pieces;
        float to = (float)(i + 1) / (float)pieces;
        float reach = sweep->hits.nearest.fraction;
        if (reach < from) {
            return;
        }
        vec3_t a = VectorLerp(sweep->start, sweep->end, from);
        vec3_t b = VectorLerp(sweep->start, sweep->end, to < reach ? to : reach);
        bounds_t box = BoundsOfSweep(a, b, swept.mins, swept.maxs, PM_SWEEP_MARGIN);
        Neighbours_Visit(sweep->near, sweep->sv->world, box, AREA_SOLID, clip_to_edict, sweep);
    }
}

// Tests the edicts that changed lately where the view shows them.
static void clip_to_history(sweep_t *sweep) {
    const vec3_t end = VectorLerp(sweep->start, sweep->end, sweep->hits.nearest.fraction);
    sweep->bounds = Bounds_Sweep(sweep->start, end, widest_box(sweep), PM_SWEEP_MARGIN);
    History_Visit(sweep->sv->world, sweep->view->from, sweep->view->to, &sweep->bounds,
                  clip_to_recent, sweep);
}

// ---- the sweep ----

bool SV_CheckHull(sv_context_t *sv, const edict_t *edict, vec3_t mins, vec3_t maxs) {
    if (!VectorCompare(mins, edict->mins) || !VectorCompare(maxs, edict->maxs)) {
        return false;
    }
    if (CM_UsesBrushes(sv->map, sv->world->cvars.move.sv_solids, mins, maxs)) {
        return true;
    }
    bool fits = true;
    vec3_t offset;
    const hull_t *hull = CM_HullForBox(sv->map, 0, mins, maxs, &offset, &fits);
    if (fits || !Strings_MarkOnce(sv->world, edict->classname)) {
        return true;
    }
    sv->world->counters.hull_misfit++;
    vec3_t a = VectorSubtract(maxs, mins);
    vec3_t b = VectorSubtract(hull->clip_maxs, hull->clip_mins);
    Events_Log(sv->events, LOG_WARN,
               "%s: its box of %g x %g x %g fits no hull of the map, so it moves as %g x %g x %g",
               World_Text(sv->world, edict->classname), (double)a.x, (double)a.y, (double)a.z,
               (double)b.x, (double)b.y, (double)b.z);
    return true;
}

// Returns true if the sweep is finite and inside the world; a game may pass any values.
static bool is_possible(vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const float limit = MAX_SWEEP_COORD;
    return VectorWithin(start, limit) && VectorWithin(end, limit) && VectorWithin(mins, limit) &&
           VectorWithin(maxs, limit);
}

static trace_t trace_map(const sv_context_t *sv, cm_cache_t *cache, const sweep_t *sweep) {
    if (cache) {
        return CM_CacheTrace(cache, sweep->start, sweep->end, sweep->mins, sweep->maxs);
    }
    const cm_object_t object = {
        .model = 0, .solids = sv->world->cvars.move.sv_solids, .for_monster = sweep->for_monster};
    return CM_BoxTrace(sv->map, &object, sweep->start, sweep->end, sweep->mins, sweep->maxs);
}

static trace_t run_sweep(sv_context_t *sv, cm_cache_t *cache, sweep_t *sweep) {
    vec3_t start = sweep->start;
    if (!is_possible(start, sweep->mins, sweep->maxs, sweep->end)) {
        trace_t trace = Trace_AllSolid(VectorWithin(start, MAX_SWEEP_COORD) ? start : vec3_zero);
        trace.entnum = EDICT_WORLD;
        return trace;
    }
    if (sweep->pass) {
        sweep->pass_number = World_EdictNumber(sv->world, sweep->pass);
    }
    sweep->sv = sv;
    sweep->for_monster = sweep->pass && (sweep->pass->flags & FL_MONSTER) &&
                         !VectorCompare(sweep->mins, sweep->maxs);
    trace_t trace = trace_map(sv, cache, sweep);
    sweep->hits = PM_NearestBegin(sweep->end, trace.contents);
    PM_NearestAdd(&sweep->hits, trace, EDICT_WORLD);
    if (sweep->view) {
        clip_to_history(sweep);
    }
    clip_to_edicts(sweep);
    return PM_NearestResult(&sweep->hits);
}

trace_t SV_Move(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                move_type_t type, const edict_t *pass) {
    sweep_t sweep = {
        .start = start, .end = end, .mins = mins, .maxs = maxs, .type = type, .pass = pass};
    if (pass && is_possible(start, mins, maxs, end)) {
        SV_CheckHull(sv, pass, mins, maxs);
    }
    return run_sweep(sv, NULL, &sweep);
}

trace_t SV_MoveUnlagged(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                        move_type_t type, const edict_t *shooter) {
    unlag_view_t view;
    sweep_t sweep = {
        .start = start, .end = end, .mins = mins, .maxs = maxs, .type = type, .pass = shooter};
    sweep.view = Unlag_View(sv->world, shooter, &view) ? &view : NULL;
    const trace_t trace = run_sweep(sv, NULL, &sweep);
    if (sweep.view && trace.entnum > EDICT_WORLD) {
        Unlag_Emit(sv, &view, shooter, trace.entnum);
    }
    return trace;
}

trace_t SV_MoveInView(sv_context_t *sv, const unlag_view_t *view, const edict_t *edict, vec3_t end,
                      move_type_t type) {
    sweep_t sweep = {.start = edict->origin,
                     .end = end,
                     .mins = edict->mins,
                     .maxs = edict->maxs,
                     .type = type,
                     .pass = edict,
                     .view = view};
    return run_sweep(sv, NULL, &sweep);
}

// Returns what run_sweep does if no edict is near.
static trace_t sweep_map(cm_cache_t *cache, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    trace_t trace = CM_CacheTrace(cache, start, end, mins, maxs);
    Trace_SetEntnum(&trace, EDICT_WORLD);
    return trace.entnum == TRACE_NOTHING ? PM_NearestBegin(end, trace.contents).nearest : trace;
}

trace_t SV_MoveCached(sv_context_t *sv, const sv_query_t *query, vec3_t start, vec3_t mins,
                      vec3_t maxs, vec3_t end) {
    const bounds_t box = BoundsOfSweep(start, end, mins, maxs, PM_SWEEP_MARGIN);
    if (query->cache && query->type == MOVE_NORMAL &&
        Neighbours_AreNone(query->near, sv->world, box, AREA_SOLID) &&
        is_possible(start, mins, maxs, end)) {
        return sweep_map(query->cache, start, mins, maxs, end);
    }
    sweep_t sweep = {.start = start,
                     .end = end,
                     .mins = mins,
                     .maxs = maxs,
                     .type = query->type,
                     .pass = query->pass,
                     .near = query->near};
    return run_sweep(sv, query->cache, &sweep);
}

// ---- points ----

typedef struct {
    const sv_context_t *sv;
    vec3_t point;
    bool is_solid;
    int32_t volume; ///< lowest number of a volume at the point; 0 = none
} point_t;

static void test_solid(void *context, int32_t number) {
    point_t *at = context;
    const edict_t *edict = World_Edict(at->sv->world, number);
    if (!at->is_solid && World_IsLive(edict) && edict->solid == SOLID_BSP &&
        !World_IsMonsterClip(edict) && World_IsBrushModel(at->sv, edict)) {
        cm_object_t object = World_Object(at->sv, edict);
        at->is_solid = CM_Contents(at->sv->map, &object, at->point) == CONTENTS_SOLID;
    }
}

// Returns true for a volume with a liquid or ladder; a game may write any other contents.
static bool is_volume(const edict_t *edict) {
    return edict->contents <= CONTENTS_WATER && edict->contents >= CONTENTS_LADDER &&
           edict->solid == SOLID_TRIGGER && World_IsLive(edict);
}

// Tests the whole model, clip brushes included: the contents are the edict's, not the brushes'.
static bool volume_contains(const point_t *at, const edict_t *edict) {
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    cm_object_t object = World_Object(at->sv, edict);
    return CM_BoxTouches(at->sv->map, &object, at->point, none, none);
}

static void test_volume(void *context, int32_t number) {
    point_t *at = context;
    const edict_t *edict = World_Edict(at->sv->world, number);
    if (is_volume(edict) && (at->volume == 0 || number < at->volume) &&
        World_IsBrushModel(at->sv, edict) && volume_contains(at, edict)) {
        at->volume = number;
    }
}

// Returns the contents at a point, from the map's contents there and the edicts.
static contents_t contents_with(const sv_context_t *sv, const neighbours_t *near,
                                contents_t contents, vec3_t point) {
    if (contents == CONTENTS_SOLID) {
        return contents;
    }
    point_t at = {sv, point, false, 0};
    bounds_t box = {point, point};
    Neighbours_Visit(near, sv->world, box, AREA_SOLID, test_solid, &at);
    if (at.is_solid) {
        return CONTENTS_SOLID;
    }
    if (contents == CONTENTS_EMPTY) {
        Neighbours_Visit(near, sv->world, box, AREA_TRIGGERS, test_volume, &at);
    }
    return at.volume ? (contents_t)World_Edict(sv->world, at.volume)->contents : contents;
}

contents_t SV_PointContents(const sv_context_t *sv, vec3_t point) {
    if (!VectorWithin(point, MAX_SWEEP_COORD)) {
        return CONTENTS_SOLID;
    }
    return contents_with(sv, NULL, CM_PointContents(sv->map, 0, point), point);
}

contents_t SV_PointContentsCached(const sv_context_t *sv, const sv_query_t *query, vec3_t point) {
    if (!VectorWithin(point, MAX_SWEEP_COORD)) {
        return CONTENTS_SOLID;
    }
    return contents_with(sv, query->near, CM_CacheContents(query->cache, point), point);
}

edict_t *SV_TestEdictPosition(sv_context_t *sv, edict_t *edict) {
    trace_t trace =
        SV_Move(sv, edict->origin, edict->mins, edict->maxs, edict->origin, MOVE_NORMAL, edict);
    return trace.startsolid ? World_Edict(sv->world, Q_MaxI(trace.entnum, EDICT_WORLD)) : NULL;
}

// ---- stuck ----

#define UNSTUCK_HEIGHT 18 // number of heights to try, 1 qu apart
// First distance that SV_CheckStuck tries, qu. In a crowd, the only free space is the gap
// CM_DIST_EPSILON that sweeps keep from solids.
#define CROWD_STEP (0.25f * CM_DIST_EPSILON)

static bool try_place(sv_context_t *sv, edict_t *edict, vec3_t origin) {
    vec3_t was = edict->origin;
    edict->origin = origin;
    if (!SV_TestEdictPosition(sv, edict)) {
        return true;
    }
    edict->origin = was;
    return false;
}

static bool try_around(sv_context_t *sv, edict_t *edict, float step, int32_t height) {
    vec3_t center = edict->origin;
    for (int32_t z = 0; z < height; z++) {
        for (int32_t x = -1; x <= 1; x++) {
            for (int32_t y = -1; y <= 1; y++) {
                vec3_t offset = {step * (float)x, step * (float)y, step * (float)z};
                if (try_place(sv, edict, VectorAdd(center, offset))) {
                    return true;
                }
            }
        }
    }
    return false;
}

// Like SV_TestEdictPosition.
static bool is_stuck(sv_context_t *sv, edict_t *edict, const sv_query_t *query) {
    if (!query) {
        return SV_TestEdictPosition(sv, edict) != NULL;
    }
    SV_CheckHull(sv, edict, edict->mins, edict->maxs);
    return SV_MoveCached(sv, query, edict->origin, edict->mins, edict->maxs, edict->origin)
        .startsolid;
}

bool SV_CheckStuck(sv_context_t *sv, edict_t *edict, const sv_query_t *query) {
    if (!World_IsLive(edict)) {
        return false;
    }
    if (!is_stuck(sv, edict, query)) {
        edict->oldorigin = edict->origin;
        return false;
    }
    if (!try_place(sv, edict, edict->oldorigin) && !try_around(sv, edict, CROWD_STEP, 2) &&
        !try_around(sv, edict, 1.0f, UNSTUCK_HEIGHT)) {
        return false;
    }
    sv->world->counters.unstuck++;
    SV_LinkEdict(sv, edict, true);
    return true;
}
