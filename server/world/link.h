/// world/link.h - links edicts into the area tree, finds them by box, and runs their touches.
//
// Repeat:  queries return edicts in index order.

#ifndef EDICTD_WORLD_LINK_H
#define EDICTD_WORLD_LINK_H

#include "world/world.h"

typedef enum { AREA_SOLID, AREA_TRIGGERS } area_kind_t;

/// Maximum nesting of touches (a touch callback may link and so touch again), and maximum number in
/// a tick. Further touches are dropped and counted.
#define MAX_TOUCH_DEPTH  8
#define MAX_TOUCHES_TICK 262144

/// Computes absmin and absmax from origin, angles and box, and inserts the edict into the area
/// tree. With `touch_triggers`, SV_TouchLinks follows. Wakes the edict's riders if it moved, became
/// non-solid, or is a running conveyor. Quarantines an edict with a bad origin, box or solid.
void SV_LinkEdict(sv_context_t *sv, edict_t *edict, bool touch_triggers);

/// Like SV_LinkEdict, but wakes no riders and calls no touches: the caller moves the riders.
void SV_RelinkEdict(sv_context_t *sv, edict_t *edict);

/// Clears the ground of the edicts that rest on `ground` and wakes them. `box`: its linked box.
void SV_WakeRiders(sv_context_t *sv, const edict_t *ground, bounds_t box);

/// Removes an edict from the area tree. Does nothing if the edict is not linked.
void SV_UnlinkEdict(sv_context_t *sv, edict_t *edict);

/// Puts an edict on `ground` (FL_ONGROUND, groundentity), or in the air if `ground` is NULL. When
/// the ground moves, is removed or stops being solid, the edict loses its ground and wakes.
void SV_SetGround(sv_context_t *sv, edict_t *edict, const edict_t *ground);

/// Returns false if no edict rests on `ground`, so that the search for riders can be skipped.
bool SV_MayCarry(const sv_context_t *sv, const edict_t *ground);

/// Calls the touch callback of `self` for `other`. Returns false if one of the two was removed.
bool SV_CallTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);

/// Calls the touch callback of every trigger that the edict overlaps (SV_Touches), in index order.
/// Stops when the edict is removed.
void SV_TouchLinks(sv_context_t *sv, edict_t *edict);

/// Writes the numbers of linked edicts whose absmin..absmax touches `box`, in index order, at most
/// `max`, and returns how many. *dropped (may be NULL) receives how many did not fit.
int32_t SV_AreaEdicts(const world_t *world, bounds_t box, area_kind_t kind, int32_t *list,
                      int32_t max, int32_t *dropped);

/// Returns true if two edicts overlap. For two boxes, tests the linked boxes, which have margins.
/// For a brush model, also tests its true, turned shape against the other edict's box.
bool SV_Touches(const sv_context_t *sv, const edict_t *a, const edict_t *b);

/// Unlinks, logs and counts an edict in an impossible state. It no longer thinks or moves.
void SV_QuarantineEdict(sv_context_t *sv, edict_t *edict, const char *why);

#endif
