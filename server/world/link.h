/// world/link.h - linking, sweeping, touching: the area tree and the questions asked of it.
//
// Floor:   world.
// Units:   qu.
// Repeat:  queries return edicts in index order.

#ifndef EDICTD_WORLD_LINK_H
#define EDICTD_WORLD_LINK_H

#include "collide/cache.h"
#include "move/pmove.h"
#include "world/world.h"

typedef enum {
    MOVE_NORMAL,
    MOVE_NOMONSTERS, ///< stops at the map and brush models only
    MOVE_MISSILE,    ///< a box of +-15 against monsters and players
    MOVE_HITBOXES ///< what has a skeleton is met by its hitboxes alone, inside of its box (of a brush
                  ///< model the box it is linked with)
} move_type_t;

typedef enum { AREA_SOLID, AREA_TRIGGERS } area_kind_t;

/// Touch functions may link, and so touch: so deep, and so often in a tick. The rest is counted.
#define MAX_TOUCH_DEPTH  8
#define MAX_TOUCHES_TICK 262144

/// Puts an edict where its origin is: sets absmin and absmax (of a brush model those around it as it
/// is turned), links it into the area tree. With
/// touch_triggers, SV_TouchLinks follows. What rests on it wakes when it moved, stops nothing any
/// more, or is a conveyor that runs. An impossible origin, box or solid quarantines it.
void SV_LinkEdict(sv_context_t *sv, edict_t *edict, bool touch_triggers);

/// SV_LinkEdict for what moves together with all that rests on it: nothing wakes, nothing is
/// touched. The caller sees to what rests on it.
void SV_RelinkEdict(sv_context_t *sv, edict_t *edict);

/// What rested on an edict when that was linked at `box` loses its ground and wakes.
void SV_WakeRiders(sv_context_t *sv, const edict_t *ground, bounds_t box);

/// Takes it out of the area tree. Twice is fine.
void SV_UnlinkEdict(sv_context_t *sv, edict_t *edict);

/// The edict stands on `ground` from now on (FL_ONGROUND, groundentity), or on nothing when NULL.
/// When the ground moves, goes or stops being solid, the edict loses it and wakes.
void SV_SetGround(sv_context_t *sv, edict_t *edict, const edict_t *ground);

/// False: nothing rests on it, and no area has to be searched for that.
bool SV_MayCarry(const sv_context_t *sv, const edict_t *ground);

/// Calls one touch function: `self` is touched by `other`. False when one of the two was removed.
bool SV_CallTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);

/// Calls touch of every trigger the edict overlaps (SV_Touches), in index order. Stops when it was
/// removed.
void SV_TouchLinks(sv_context_t *sv, edict_t *edict);

/// Numbers of linked edicts whose absmin..absmax touches the box, in index order; at most `max`.
/// *dropped (may be NULL) gets how many more there were.
int32_t SV_AreaEdicts(const world_t *world, bounds_t box, area_kind_t kind, int32_t *list,
                      int32_t max, int32_t *dropped);

/// Sweeps a box through the map and all edicts. `pass` (NULL = none) is not hit, nor what it owns,
/// nor its owner. entnum says what was hit.
trace_t SV_Move(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                move_type_t type, const edict_t *pass);

/// For callers that trace often around one place: the world model is queried through `cache`, which
/// must have been filled from `sv->map` with the current `sv_solids`. A cache ignores monster clip:
/// a monster that monster clip may stop needs NULL.
typedef struct {
    const edict_t *pass; ///< as SV_Move says; NULL = none
    move_type_t type;
    cm_cache_t *cache;
} sv_asker_t;

/// As SV_Move.
trace_t SV_MoveCached(sv_context_t *sv, const sv_asker_t *asker, vec3_t start, vec3_t mins,
                      vec3_t maxs, vec3_t end);

/// What a box that stands somewhere overlaps of what SV_Move stops at, deepest first, and the edict
/// numbers of that (0 = the map). Returns how many; of more than MAX_CONTACTS the deepest.
int32_t SV_Overlap(const sv_context_t *sv, bounds_t box, move_type_t type, const edict_t *pass,
                   cm_contact_t contacts[MAX_CONTACTS], int32_t entnums[MAX_CONTACTS]);

/// SV_Overlap with a query cache.
int32_t SV_OverlapCached(const sv_context_t *sv, const sv_asker_t *asker, bounds_t box,
                         cm_contact_t contacts[MAX_CONTACTS], int32_t entnums[MAX_CONTACTS]);

/// Contents at a point: solid in the map's hull 0 or a SOLID_BSP edict; else what the map has there;
/// else, where it is empty, those of the volume that holds the point (a SOLID_TRIGGER edict with
/// `contents` and a brush model; of several the lowest number).
contents_t SV_PointContents(const sv_context_t *sv, vec3_t point);

/// SV_PointContents with a query cache, as in SV_MoveCached.
contents_t SV_PointContentsCached(const sv_context_t *sv, const cm_cache_t *cache, vec3_t point);

/// True when two edicts overlap. Two boxes do where their linked boxes touch (wider by 1, an item's by
/// 15). A brush model does by its true shape, turned as it is, against the other's own box.
bool SV_Touches(const sv_context_t *sv, const edict_t *a, const edict_t *b);

/// Ladders and what flows, of all volumes whose true shape a box touches (the lowest numbered ladder).
pm_volume_t SV_VolumesOf(const sv_context_t *sv, bounds_t box);

/// What standing on an edict at a place does: conveyors, its friction, how fast it moves there.
pm_surface_t SV_SurfaceOf(const sv_context_t *sv, int32_t number, vec3_t at);

/// The edict is inside something solid where it stands: that edict (the world for the map), else
/// NULL.
edict_t *SV_TestEdictPosition(sv_context_t *sv, edict_t *edict);

/// Keeps the last good place of a player, and puts him back when he is stuck: there, else nearby.
/// True when he was stuck and moved.
bool SV_CheckStuck(sv_context_t *sv, edict_t *edict);

/// Takes an edict with an impossible state out of the world: unlinked, no think, no movement,
/// logged and counted.
void SV_QuarantineEdict(sv_context_t *sv, edict_t *edict, const char *why);

#endif
