/// world/link.h - links edicts into the area tree, finds edicts by box, and runs touches.
//
// Repeat:  queries return edicts in index order.

#ifndef EDICTD_WORLD_LINK_H
#define EDICTD_WORLD_LINK_H

#include "world/world.h"

typedef enum { AREA_SOLID, AREA_TRIGGERS } area_kind_t;

/// Limits of touches: nesting, when one touch callback causes another touch, and number in a tick.
/// Further touches are dropped and counted.
#define MAX_TOUCH_DEPTH  8
#define MAX_TOUCHES_TICK 262144

/// Makes an edict visible to queries at its current position. Call after its origin, angles, box or
/// solid changed. Wakes edicts that rest on it if it moved. `touch_triggers`: also calls
/// SV_TouchLinks. Quarantines an edict with a bad origin, box or solid.
void SV_LinkEdict(sv_context_t *sv, edict_t *edict, bool touch_triggers);

/// Like SV_LinkEdict, but wakes no resting edicts and calls no touch callbacks.
void SV_RelinkEdict(sv_context_t *sv, edict_t *edict);

/// Wakes the edicts that rest on `ground` and clears groundentity. `box`: box of `ground`.
void SV_WakeRiders(sv_context_t *sv, const edict_t *ground, bounds_t box);

/// Removes an edict from the area tree. Does nothing if the edict is not linked.
void SV_UnlinkEdict(sv_context_t *sv, edict_t *edict);

/// Makes an edict rest on `ground`, or be in the air if `ground` is NULL. When the ground moves, is
/// removed or stops being solid, the edict loses its ground and wakes, unless it is a client's.
void SV_SetGround(sv_context_t *sv, edict_t *edict, const edict_t *ground);

/// Returns false if no edict rests on `ground`; true if one may.
bool SV_MayCarry(const sv_context_t *sv, const edict_t *ground);

/// Calls the touch callback of `self` for `other`. Returns false if one of the two was removed.
bool SV_CallTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);

/// Calls the touch callback of every trigger that the edict overlaps (SV_Touches), in index order.
/// Stops when the edict is removed.
void SV_TouchLinks(sv_context_t *sv, edict_t *edict);

struct neighbours_s;

/// Like SV_TouchLinks. `near`: the edicts around it (neighbours.h); NULL = none.
void SV_TouchNear(sv_context_t *sv, edict_t *edict, const struct neighbours_s *near);

/// Writes the numbers of the linked edicts that touch `box`, in ascending order, at most `max`.
/// Returns how many. *dropped (may be NULL) receives how many did not fit.
int32_t SV_AreaEdicts(const world_t *world, bounds_t box, area_kind_t kind, int32_t *list,
                      int32_t max, int32_t *dropped);

/// Writes the numbers of the live edicts, linked or not, whose boxes are within `radius` of a
/// point, in ascending order, at most `max`. Skips edict 0. Returns how many.
int32_t SV_EdictsInRadius(const sv_context_t *sv, vec3_t point, float radius, int32_t *list,
                          int32_t max);

/// Returns true if two edicts overlap. Tests their linked boxes, and the exact shape of a brush
/// model.
bool SV_Touches(const sv_context_t *sv, const edict_t *a, const edict_t *b);

/// Takes an edict with an impossible state out of the simulation: logs it and unlinks it.
void SV_QuarantineEdict(sv_context_t *sv, edict_t *edict, const char *why);

#endif
