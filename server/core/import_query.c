/// core/import_query.c - the functions of game_import_t that find edicts: sweeps, contents, areas.

#include "core/import_local.h"
#include "world/faults.h"
#include "world/link.h"
#include "world/move.h"
#include "world/unlag.h"

// Logs a sweep that is not finite; SV_Move then returns a trace that starts in solid. Returns the
// edict to ignore.
static const edict_t *check_sweep(const sv_context_t *sv, const char *function, vec3_t start,
                                  vec3_t end, bounds_t box, const edict_t *pass) {
    (void)(Import_Vector(sv, function, "start", start) && Import_Vector(sv, function, "end", end) &&
           Import_Vector(sv, function, "mins", box.mins) &&
           Import_Vector(sv, function, "maxs", box.maxs));
    return Import_MayBeNull(sv, function, pass) ? pass : NULL;
}

trace_t Import_Trace(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                     bool monsters, const edict_t *pass) {
    pass = check_sweep(sv, "trace", start, end, (bounds_t){mins, maxs}, pass);
    return SV_Move(sv, start, mins, maxs, end, monsters ? MOVE_NORMAL : MOVE_NOMONSTERS, pass);
}

trace_t Import_TraceHitboxes(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                             const edict_t *pass) {
    pass = check_sweep(sv, "trace_hitboxes", start, end, (bounds_t){mins, maxs}, pass);
    return SV_Move(sv, start, mins, maxs, end, MOVE_HITBOXES, pass);
}

trace_t Import_TraceUnlagged(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                             bool hitboxes, const edict_t *shooter) {
    shooter = check_sweep(sv, "trace_unlagged", start, end, (bounds_t){mins, maxs}, shooter);
    return SV_MoveUnlagged(sv, start, mins, maxs, end, hitboxes ? MOVE_HITBOXES : MOVE_NORMAL,
                           shooter);
}

contents_t Import_Contents(const sv_context_t *sv, vec3_t point) {
    (void)Import_Vector(sv, "contents", "point", point); // then they are solid
    return SV_PointContents(sv, point);
}

static bool check_area(const sv_context_t *sv, const char *function, bounds_t box,
                       const int32_t *list, int32_t max) {
    return Import_Given(sv, function, "a list", list) &&
           Import_Range(sv, function, "max", max, 0, INT32_MAX) &&
           Import_Vector(sv, function, "mins", box.mins) &&
           Import_Vector(sv, function, "maxs", box.maxs);
}

static int32_t find_area(const sv_context_t *sv, const char *function, bounds_t box,
                         area_kind_t kind, int32_t *list, int32_t max) {
    const bool good = check_area(sv, function, box, list, max);
    return good ? SV_AreaEdicts(sv->world, box, kind, list, max, NULL) : 0;
}

int32_t Import_InRadius(const sv_context_t *sv, vec3_t point, float radius, int32_t *list,
                        int32_t max) {
    const char *function = "in_radius";
    if (!Import_Given(sv, function, "a list", list) ||
        !Import_Range(sv, function, "max", max, 0, INT32_MAX) ||
        !Import_Vector(sv, function, "point", point)) {
        return 0;
    }
    if (!(radius >= 0.0f)) {
        SV_ReportFault(sv, function, "radius: expected 0 or more, found %g", (double)radius);
        return 0;
    }
    return SV_EdictsInRadius(sv, point, radius, list, max);
}

int32_t Import_Area(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max) {
    return find_area(sv, "area", box, AREA_SOLID, list, max);
}

int32_t Import_AreaTriggers(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max) {
    return find_area(sv, "area_triggers", box, AREA_TRIGGERS, list, max);
}

int32_t Import_AreaUnlagged(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max,
                            const edict_t *shooter) {
    const char *function = "area_unlagged";
    unlag_view_t view;
    if (!check_area(sv, function, box, list, max) || !Import_MayBeNull(sv, function, shooter)) {
        return 0;
    }
    return Unlag_View(sv->world, shooter, &view)
               ? Unlag_AreaEdicts(sv->world, &view, box, list, max)
               : SV_AreaEdicts(sv->world, box, AREA_SOLID, list, max, NULL);
}

bounds_t Import_BoxUnlagged(const sv_context_t *sv, const edict_t *edict, const edict_t *shooter) {
    const char *function = "box_unlagged";
    unlag_view_t view;
    unlag_shown_t shown;
    if (!Import_Edict(sv, function, edict) || !Import_MayBeNull(sv, function, shooter)) {
        return (bounds_t){vec3_zero, vec3_zero};
    }
    return Unlag_View(sv->world, shooter, &view) && Unlag_Rewinds(edict) &&
                   Unlag_Show(sv->world, &view, edict, NULL, &shown)
               ? shown.box
               : (bounds_t){edict->absmin, edict->absmax};
}

bool Import_IsStuck(sv_context_t *sv, edict_t *edict) {
    return Import_Edict(sv, "is_stuck", edict) && SV_TestEdictPosition(sv, edict) != NULL;
}

bool Import_Touches(const sv_context_t *sv, const edict_t *a, const edict_t *b) {
    const char *function = "touches";
    return Import_Edict(sv, function, a) && Import_Edict(sv, function, b) && SV_Touches(sv, a, b);
}
