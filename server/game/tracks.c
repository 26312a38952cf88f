/// game/tracks.c - path_track: the points of a track, with branches, for func_tracktrain.
//
// Fields of a path_track: `chain` = next, `master` = previous, `activator` = branch (altpath).

#include "game/tracks.h"
#include "game/vehicles.h"

#define DISABLED       1 // spawnflag: ends the track
#define BRANCH_REVERSE 4 // spawnflag: the branch is for trains that move backwards

#define BRANCH_ON 1 // state: the branch replaces the next (or previous) path_track

// ---- the points ----

edict_t *Track_Find(sv_context_t *sv, const char *name) {
    int32_t classname = sv->engine->string(sv, "path_track");
    edict_t *track = NULL;
    while ((track = sv->engine->find_target(sv, track, name)) != NULL) {
        if (track->classname == classname) {
            return track;
        }
    }
    return NULL;
}

// Finds the path_track that a key names; warns and returns NULL if there is none.
static edict_t *find_linked(sv_context_t *sv, edict_t *self, const char *key, int32_t name) {
    if (!name) {
        return NULL;
    }
    edict_t *track = Track_Find(sv, sv->engine->text(sv, name));
    if (!track || track == self) {
        sv->engine->warn(sv, self, "%s \"%.64s\": expected another path_track, found %s", key,
                         sv->engine->text(sv, name), track ? "this one" : "none");
        return NULL;
    }
    return track;
}

static void link_track(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    edict_t *next = find_linked(sv, self, "target", self->target);
    edict_t *branch = find_linked(sv, self, "altpath", fields->altpath);
    if (next) {
        fields->chain = sv->engine->ref(sv, next);
        Game_Fields(next)->master = sv->engine->ref(sv, self);
    }
    if (branch) {
        fields->activator = sv->engine->ref(sv, branch);
    }
}

// A train that leaves a branch backwards returns to the path_track that has the branch. Runs after
// all targets are linked, which come first.
static void link_branch(sv_context_t *sv, edict_t *self) {
    edict_t *branch = sv->engine->deref(sv, Game_Fields(self)->activator);
    if (!branch) {
        return;
    }
    edict_ref_t *back = (Game_Fields(self)->spawnflags & BRANCH_REVERSE)
                            ? &Game_Fields(branch)->chain
                            : &Game_Fields(branch)->master;
    if (!sv->engine->deref(sv, *back)) {
        *back = sv->engine->ref(sv, self);
    }
}

void Game_LinkTracks(sv_context_t *sv) {
    edict_t *track = NULL;
    while ((track = sv->engine->find_class(sv, track, "path_track")) != NULL) {
        link_track(sv, track);
    }
    while ((track = sv->engine->find_class(sv, track, "path_track")) != NULL) {
        link_branch(sv, track);
    }
}

// Switches the branch, or disables and enables a path_track without one.
void Game_TrackUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    fields_t *fields = Game_Fields(self);
    bool has_branch = sv->engine->deref(sv, fields->activator) != NULL;
    bool is_on = has_branch ? fields->state & BRANCH_ON : !(fields->spawnflags & DISABLED);
    if (!Game_Switches(sv, is_on)) {
        return;
    }
    if (has_branch) {
        fields->state ^= BRANCH_ON;
    } else {
        fields->spawnflags ^= DISABLED;
    }
}

void Track_Disable(edict_t *track, bool disabled) {
    fields_t *fields = Game_Fields(track);
    fields->spawnflags = (fields->spawnflags & ~DISABLED) | (disabled ? DISABLED : 0);
}

void Game_SpawnTrack(sv_context_t *sv, edict_t *self) {
    self->visibility = VISIBLE_NOBODY;
    self->use = GAME_CALLBACK(sv, Game_TrackUse);
}

// ---- positions ----

static edict_t *neighbour(sv_context_t *sv, edict_t *track, bool is_back) {
    const fields_t *fields = Game_Fields(track);
    bool branches_back = (fields->spawnflags & BRANCH_REVERSE) != 0;
    if ((fields->state & BRANCH_ON) && branches_back == is_back) {
        edict_t *branch = sv->engine->deref(sv, fields->activator);
        if (branch) {
            return branch;
        }
    }
    return sv->engine->deref(sv, is_back ? fields->master : fields->chain);
}

static void set_segment(track_spot_t *spot, edict_t *behind, edict_t *ahead) {
    spot->behind = behind;
    spot->ahead = ahead;
    spot->length = VectorLength(VectorSubtract(ahead->origin, behind->origin));
}

bool Track_SpotAt(sv_context_t *sv, edict_t *track, track_spot_t *spot) {
    edict_t *next = neighbour(sv, track, false);
    edict_t *previous = neighbour(sv, track, true);
    if (next) {
        set_segment(spot, track, next);
        spot->distance = 0.0f;
    } else if (previous) { // the end of a track
        set_segment(spot, previous, track);
        spot->distance = spot->length;
    }
    return next || previous;
}

bool Track_SpotOf(sv_context_t *sv, edict_ref_t behind, edict_ref_t ahead, float distance,
                  track_spot_t *spot) {
    edict_t *from = sv->engine->deref(sv, behind);
    edict_t *to = sv->engine->deref(sv, ahead);
    if (!from || !to) {
        return false;
    }
    set_segment(spot, from, to);
    spot->distance = Q_ClampF(distance, 0.0f, spot->length);
    return true;
}

// Enters the next segment. Returns false at the end of the track.
static bool enter_next(sv_context_t *sv, track_spot_t *spot, bool is_back, bool all) {
    edict_t *here = is_back ? spot->behind : spot->ahead;
    edict_t *there = neighbour(sv, here, is_back);
    if (!there || (!all && (Game_Fields(there)->spawnflags & DISABLED))) {
        return false;
    }
    if (is_back) {
        set_segment(spot, there, here);
        spot->distance = spot->length;
    } else {
        set_segment(spot, here, there);
        spot->distance = 0.0f;
    }
    return true;
}

static float room_of(const track_spot_t *spot, bool is_back) {
    return is_back ? spot->distance : spot->length - spot->distance;
}

void Track_Enter(sv_context_t *sv, track_spot_t *spot, bool is_back, bool all, track_walk_t *walk) {
    while (room_of(spot, is_back) <= 0.0f && !walk->end) {
        edict_t *here = is_back ? spot->behind : spot->ahead;
        walk->is_loop = walk->count == MAX_TRACKS_PASSED;
        if (walk->is_loop || !enter_next(sv, spot, is_back, all)) {
            walk->end = here;
        } else {
            walk->passed[walk->count++] = here;
        }
    }
}

void Track_Walk(sv_context_t *sv, track_spot_t *spot, float distance, bool all,
                track_walk_t *walk) {
    bool is_back = distance < 0.0f;
    walk->left = fabsf(distance);
    while (walk->left > 0.0f) {
        Track_Enter(sv, spot, is_back, all, walk);
        if (walk->end) {
            return;
        }
        float room = room_of(spot, is_back);
        if (walk->left < room) {
            spot->distance += is_back ? -walk->left : walk->left;
            walk->left = 0.0f;
        } else {
            spot->distance = is_back ? 0.0f : spot->length;
            walk->left -= room;
        }
    }
}

vec3_t Track_Point(const track_spot_t *spot) {
    float share = spot->length > 0.0f ? spot->distance / spot->length : 0.0f;
    vec3_t segment = VectorSubtract(spot->ahead->origin, spot->behind->origin);
    return VectorMA(spot->behind->origin, share, segment);
}

vec3_t Track_PointAhead(sv_context_t *sv, track_spot_t spot, float distance) {
    track_walk_t walk = {.count = 0};
    Track_Walk(sv, &spot, distance, true, &walk);
    vec3_t segment = VectorSubtract(spot.ahead->origin, spot.behind->origin);
    return VectorMA(Track_Point(&spot), walk.left, VectorNormalize(segment, NULL));
}
