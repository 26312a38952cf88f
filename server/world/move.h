/// world/move.h - sweeps, overlap tests and contents of the map together with all edicts.
//
// Repeat:  a cache changes no result.

#ifndef EDICTD_WORLD_MOVE_H
#define EDICTD_WORLD_MOVE_H

#include "state/contact.h"
#include "world/world.h"

typedef enum {
    MOVE_NORMAL,
    MOVE_NOMONSTERS, ///< stops at the map and at brush models only
    MOVE_MISSILE,    ///< uses a box of +-15 qu against monsters and players
    MOVE_HITBOXES    ///< edicts with a skeleton: only hitboxes inside the linked box stop it
} move_type_t;

/// Sweeps a box through the map and all edicts. Ignores `pass` (NULL = none), its owner and the
/// edicts it owns. trace.entnum is the number of the edict that was hit.
trace_t SV_Move(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                move_type_t type, const edict_t *pass);

/// Like SV_Move with MOVE_NORMAL or MOVE_HITBOXES, but judges edicts where the client of `shooter`
/// shows them (unlag.h). Ignores `shooter` as `pass`.
trace_t SV_MoveUnlagged(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                        move_type_t type, const edict_t *shooter);

struct unlag_view_s;

/// Like SV_Move for the box of `edict`, but judges other edicts in a view (unlag.h).
trace_t SV_MoveInView(sv_context_t *sv, const struct unlag_view_s *view, const edict_t *edict,
                      vec3_t end, move_type_t type);

/// Parameters of repeated queries near one point. Fill the cache from sv->map with the current
/// sv_solids. The cache lacks monster clip brushes, so pass NULL for a monster.
typedef struct {
    const edict_t *pass; ///< as for SV_Move; NULL = none
    move_type_t type;
    struct cm_cache_s *cache;        ///< NULL = none
    const struct neighbours_s *near; ///< edicts near the point; NULL = none
} sv_query_t;

/// Logs an edict whose box fits no hull, once per class. Returns false if mins and maxs are not the
/// edict's box; then nothing is checked.
bool SV_CheckHull(sv_context_t *sv, const edict_t *edict, vec3_t mins, vec3_t maxs);

/// Like SV_Move, with a query cache, and without SV_CheckHull.
trace_t SV_MoveCached(sv_context_t *sv, const sv_query_t *query, vec3_t start, vec3_t mins,
                      vec3_t maxs, vec3_t end);

/// Finds what a resting box overlaps. Writes at most MAX_CONTACTS contacts, deepest first, and the
/// edict number of each (0 = the map). Returns the number of contacts.
int32_t SV_Overlap(const sv_context_t *sv, const sv_query_t *query, bounds_t box,
                   cm_contact_t contacts[MAX_CONTACTS], int32_t entnums[MAX_CONTACTS]);

/// Returns the contents at a point. Solid edicts take precedence over the map, the map over
/// volumes (triggers with `contents`).
contents_t SV_PointContents(const sv_context_t *sv, vec3_t point);

/// Like SV_PointContents, with a query cache.
contents_t SV_PointContentsCached(const sv_context_t *sv, const sv_query_t *query, vec3_t point);

/// Returns an edict that `edict` overlaps at its origin (edict 0 for the map), or NULL.
edict_t *SV_TestEdictPosition(sv_context_t *sv, edict_t *edict);

/// Moves a stuck player to a free position. Returns true if the player was stuck and was moved.
/// Stores the position of a player that is not stuck. `query`: for the place where it is; may be
/// NULL.
bool SV_CheckStuck(sv_context_t *sv, edict_t *edict, const sv_query_t *query);

#endif
