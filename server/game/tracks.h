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

/// Finds a path_track by its targetname. Returns NULL if there is none.
edict_t *Track_Find(sv_context_t *sv, const char *name);
/// Ends the track before a path_track, or lets it go on.
void Track_Disable(edict_t *track, bool disabled);
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

// track_trains.c
typedef enum {
    BOARD_ELSEWHERE, ///< the train is not on the platform
    BOARD_MOVES,     ///< it moves there
    BOARD_ABOARD     ///< it stood there, and rides on the platform now
} board_t;

/// Lets a train ride on a platform if the train stands on it, beside the path_track `here`.
board_t Game_BoardTrain(sv_context_t *sv, edict_t *train, edict_t *platform, const edict_t *here);
/// Ends the ride: puts the train on the track of `track`. `starts`: it moves off.
void Game_LandTrain(sv_context_t *sv, edict_t *train, edict_t *track, bool starts);

// track_changes.c
/// Fires the func_trackautochange of a train that reached the end of its track.
void Game_TrainAtEnd(sv_context_t *sv, edict_t *train, const edict_t *track);

#endif
