/// game/tracks.h - a position on a track of path_tracks, and movement along the track.
//
// Memory:  a position is valid within one call; the train keeps its two path_tracks as handles.

#ifndef EDICTD_GAME_TRACKS_H
#define EDICTD_GAME_TRACKS_H

#include "game/game.h"

#define MAX_TRACKS_PASSED 32 // path_tracks passed in one movement; ends loops of length 0

/// A position between two linked path_tracks.
typedef struct {
    edict_t *behind, *ahead;
    float length;   ///< from `behind` to `ahead`, qu
    float distance; ///< from `behind`, [0, length]
} track_spot_t;

/// The path_tracks that a movement passed, in order, and the one at which the track ended.
typedef struct {
    edict_t *passed[MAX_TRACKS_PASSED];
    int32_t count;
    edict_t *end; ///< NULL = the track goes on
    float left;   ///< distance beyond the end, qu
    bool is_loop; ///< more than MAX_TRACKS_PASSED were passed
} track_walk_t;

/// Returns the position at a path_track, or false if the track leads nowhere from it.
bool Track_SpotAt(sv_context_t *sv, edict_t *track, track_spot_t *spot);
/// Returns the position `distance` after `behind`. Returns false if a handle is invalid.
bool Track_SpotOf(sv_context_t *sv, edict_ref_t behind, edict_ref_t ahead, float distance,
                  track_spot_t *spot);
/// At the end of a segment, enters the next. `all`: enters segments to disabled path_tracks too.
void Track_Enter(sv_context_t *sv, track_spot_t *spot, bool is_back, bool all, track_walk_t *walk);
/// Moves along the track by `distance`, backwards if negative. Passes a path_track when the
/// movement continues beyond it. Adds to `walk`, which is zeroed before the first movement.
void Track_Walk(sv_context_t *sv, track_spot_t *spot, float distance, bool all, track_walk_t *walk);
vec3_t Track_Point(const track_spot_t *spot);
/// Returns the point `distance` ahead. Beyond the end of the track, continues straight.
vec3_t Track_PointAhead(sv_context_t *sv, track_spot_t spot, float distance);

#endif
