/// game/track_trains.c - func_tracktrain: a train on path_tracks that a player can drive.
//
// Units:   qu, qu/s, degrees, ms of the train's local time.
//
// The rear axle is `height` above the track, the front axle `wheels` ahead: the train points from
// one to the other. Between two breakpoints (an axle passes a path_track, or a part of a turn) the
// train moves by one motion record, so clients predict it and a straight costs one record.
// Fields: `master`, `chain` = the path_tracks behind and ahead; `track_from`, `track_to` =
// distances of the present motion after `master`, `track_from` -1 = it crosses a path_track. Of
// func_traincontrols: `master` = the train.
//
// A driver's lever works `g_train_react_ms` late: by then, all clients have received the next leg,
// so the driver's and all riders' predictions are exact.

#include "game/players.h"
#include "game/pushers.h"
#include "game/tracks.h"
#include "game/vehicles.h"
#include "math/angles.h"

#define NO_PITCH     1 // spawnflags
#define NO_CONTROL   2
#define FORWARD_ONLY 4
#define PASSABLE     8

#define TRACK_FIRE_ONCE 2 // spawnflags of a path_track
#define TRACK_RUNAWAY   8

#define DEFAULT_SPEED  64.0f
#define DEFAULT_WHEELS 50.0f
#define MAX_SPEED      2000.0f
#define MAX_LENGTH     4096.0f // of height and wheels, qu
#define MAX_BANK       45.0f
#define FULL_BANK_TURN 30.0f // degrees that the track turns within `wheels` for the whole bank
#define SHORTEST_S     0.24f // s; with a round trip of 150 ms, clients know the next leg in time
#define LEAST_BEND     0.1f  // qu; a smaller bend costs bytes that nobody sees
#define LONGEST_S      10.0f
#define TURN_PARTS     8.0f // motions while the axles are on different segments
#define NOTCHES        4.0f // steps of the driver up to the full speed
#define AHEAD_MS       500  // a record lasts this much longer, for clients without the next one

// Returns how late a driver's lever works.
static int32_t react_ms(sv_context_t *sv) {
    return Game_Vars(sv)->train_react_ms;
}

// Returns the time of a leg without length, in which the train stands. A lever moved at rest starts
// such a leg and works at its end, so both times are equal. After its last leg, a train stands as
// long before it rests.
static int32_t standing_ms(sv_context_t *sv) {
    return react_ms(sv);
}

// ---- poses ----

static pose_t pose_at(sv_context_t *sv, const edict_t *self, const track_spot_t *spot,
                      vec3_t angles_now) {
    const fields_t *fields = Game_ConstFields(self);
    vec3_t rear = Track_Point(spot);
    vec3_t front = Track_PointAhead(sv, *spot, fields->wheels);
    vec3_t axis = VectorSubtract(front, rear);
    pose_t pose = {VectorAdd(rear, Vector(0.0f, 0.0f, fields->height)), angles_now};
    if (VectorLength(axis) <= 0.0f) {
        return pose;
    }
    pose.angles = VectorAngles(axis);
    if (fields->spawnflags & NO_PITCH) {
        pose.angles.x = 0.0f;
    }
    if (fields->bank != 0.0f) {
        vec3_t next = VectorSubtract(Track_PointAhead(sv, *spot, 2.0f * fields->wheels), front);
        float turn = AngleNormalize180(VectorAngles(next).y - pose.angles.y);
        pose.angles.z = -fields->bank * Q_ClampF(turn / FULL_BANK_TURN, -1.0f, 1.0f);
    }
    return pose;
}

// ---- legs ----

/// A leg: the movement from one think to the next.
typedef struct {
    track_spot_t from, to;
    track_walk_t walk; ///< path_tracks that it passes; the first `entered` of them at its start
    int32_t entered;
    float pace;     ///< qu/s; below 0 = backwards
    float distance; ///< qu
    bool is_at_end; ///< there is no leg: the train is at the end of the track
} leg_plan_t;

// Returns the length of the leg from inside a segment: to the next breakpoint of the pose, or a
// part of a turn. The last part ends at the path_track, unless the segment is too short.
static float leg_distance(const fields_t *fields, const track_spot_t *spot, float speed,
                          bool is_back) {
    float least = speed * SHORTEST_S;
    float reach = fields->bank != 0.0f ? 2.0f * fields->wheels : fields->wheels;
    float rear = is_back ? spot->distance : spot->length - spot->distance;
    float front = spot->length - spot->distance - reach; // left to the front axle in this segment
    if (front >= least || (is_back && front > 0.0f)) {
        return fmaxf(is_back ? rear : front, least);
    }
    float parts = floorf(rear / fmaxf(least, reach / TURN_PARTS));
    return parts >= 1.0f ? rear / parts : least;
}

// Returns the speed after the path_tracks passed[first..end-1]. A driver decides alone.
static float pace_after(sv_context_t *sv, const edict_t *self, float pace, const track_walk_t *walk,
                        int32_t first, int32_t end) {
    bool is_driven = sv->engine->deref(sv, Game_ConstFields(self)->activator) != NULL;
    for (int32_t i = first; i < end && !is_driven && pace != 0.0f; i++) {
        const fields_t *track = Game_Fields(walk->passed[i]);
        if (track->speed > 0.0f) {
            float speed = fminf(track->speed, MAX_SPEED);
            pace = pace < 0.0f ? -speed : speed;
        }
    }
    return pace;
}

// Plans the leg from `spot` at this speed; 0 = a leg without length. Changes nothing.
static leg_plan_t plan_leg(sv_context_t *sv, const edict_t *self, track_spot_t spot, float pace) {
    leg_plan_t leg = {.pace = pace, .from = spot, .to = spot};
    if (pace == 0.0f) {
        return leg;
    }
    Track_Enter(sv, &spot, pace < 0.0f, false, &leg.walk);
    leg.entered = leg.walk.count;
    leg.pace = pace_after(sv, self, pace, &leg.walk, 0, leg.entered);
    leg.from = leg.to = spot;
    leg.is_at_end = leg.walk.end != NULL;
    float speed = fabsf(leg.pace);
    float distance = fminf(leg_distance(Game_ConstFields(self), &spot, speed, pace < 0.0f),
                           fmaxf(speed * LONGEST_S, 0.001f));
    if (!leg.is_at_end) {
        Track_Walk(sv, &leg.to, pace < 0.0f ? -distance : distance, false, &leg.walk);
        leg.distance = distance - leg.walk.left;
    }
    return leg;
}

// Returns the bend of a leg that passes path_tracks. Half the distance of the track from the line
// between both ends makes a curve that leaves and arrives along the track at an even speed.
static vec3_t bend_of(sv_context_t *sv, const leg_plan_t *leg) {
    track_spot_t middle = leg->from;
    track_walk_t walk = {.count = 0};
    if (leg->walk.count == leg->entered) {
        return vec3_zero; // a straight
    }
    Track_Walk(sv, &middle, leg->pace < 0.0f ? -0.5f * leg->distance : 0.5f * leg->distance, false,
               &walk);
    vec3_t ends = VectorAdd(Track_Point(&leg->from), Track_Point(&leg->to));
    vec3_t bend = VectorScale(VectorMA(Track_Point(&middle), -0.5f, ends), 0.5f);
    return VectorLength(bend) < LEAST_BEND ? vec3_zero : bend;
}

// Returns how long the motion to `spot`, a copy, continues beyond it: at most to the track's end.
static int32_t ahead_ms(sv_context_t *sv, track_spot_t spot, float pace) {
    track_walk_t walk = {.count = 0};
    float distance = pace * (float)AHEAD_MS / 1000.0f;
    Track_Walk(sv, &spot, distance, false, &walk);
    return Q_ToInt((fabsf(distance) - walk.left) / fabsf(pace) * 1000.0f, 0, AHEAD_MS);
}

// Computes the motion of a leg from a pose. Returns its time, ms. A straight record lasts longer
// than the leg, so that clients do not predict a stop before they receive the next.
static int32_t leg_motion(sv_context_t *sv, const edict_t *self, const leg_plan_t *leg, pose_t from,
                          motion_t *motion) {
    if (leg->pace == 0.0f) {
        *motion = (motion_t){.kind = MOTION_MOVE, .duration_ms = standing_ms(sv), .base = from};
        return standing_ms(sv);
    }
    pose_t to = pose_at(sv, self, &leg->to, from.angles);
    int32_t ms = Q_ToInt(leg->distance / fabsf(leg->pace) * 1000.0f + 0.5f, 1, 1000000);
    vec3_t bend = bend_of(sv, leg);
    bool is_bent = !VectorCompare(bend, vec3_zero);
    int32_t record_ms = ms + (is_bent ? 0 : ahead_ms(sv, leg->to, leg->pace));
    float share = (float)record_ms / (float)ms;
    vec3_t turn = {AngleNormalize180(to.angles.x - from.angles.x),
                   AngleNormalize180(to.angles.y - from.angles.y),
                   AngleNormalize180(to.angles.z - from.angles.z)};
    *motion = (motion_t){.kind = MOTION_MOVE,
                         .duration_ms = record_ms,
                         .base = from,
                         .delta = VectorScale(VectorSubtract(to.origin, from.origin), share),
                         .delta_angles = VectorScale(turn, share),
                         .bend = bend};
    return ms;
}

// Returns the pose of a motion after `ms`, which is less than a float's rounding off.
static pose_t pose_after(const motion_t *motion, int64_t ms) {
    float share = (float)ms / (float)motion->duration_ms;
    vec3_t at = VectorMA(motion->base.origin, share, motion->delta);
    return (pose_t){VectorMA(at, 4.0f * share * (1.0f - share), motion->bend),
                    VectorMA(motion->base.angles, share, motion->delta_angles)};
}

static void stop(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->pace = fields->next_pace = fields->wanted_pace = 0.0f;
    sv->engine->next_think(sv, self, 0);
    sv->engine->pusher_stop(sv, self);
    Game_Sound(sv, self, "train_stop");
}

// Decides the speed of the leg after the present one, and announces that leg for clients. `ms`:
// time of the present leg.
static void announce(sv_context_t *sv, edict_t *self, int32_t ms) {
    fields_t *fields = Game_Fields(self);
    track_spot_t spot;
    motion_t motion;
    fields->next_pace = fields->wanted_pace;
    if (!Track_SpotOf(sv, fields->master, fields->chain, fields->track_to, &spot)) {
        return;
    }
    const leg_plan_t next = plan_leg(sv, self, spot, fields->next_pace);
    if (!next.is_at_end) {
        (void)leg_motion(sv, self, &next, pose_after(&self->motion, ms), &motion);
        sv->engine->pusher_next(sv, self, &motion, ms);
    }
}

// Ends the present leg, a straight, `ms` after its start.
static void cut_leg(sv_context_t *sv, edict_t *self, int64_t ms) {
    fields_t *fields = Game_Fields(self);
    const float share = (float)ms / (float)(self->nextthink_ms - self->motion.start_ms);
    fields->track_to = fields->track_from + share * (fields->track_to - fields->track_from);
    sv->engine->next_think(sv, self, self->motion.start_ms + ms);
}

// Starts a leg. Returns its time, ms, or 0 if the motion was refused.
static int32_t start_leg(sv_context_t *sv, edict_t *self, const leg_plan_t *leg) {
    const int64_t gone_ms = sv->engine->pusher_time(sv, self) - self->motion.start_ms;
    bool is_announced = self->next.wait_ms > 0 && gone_ms == self->next.wait_ms;
    pose_t from = is_announced ? pose_after(&self->motion, gone_ms) : Game_PresentPose(sv, self);
    motion_t motion;
    const int32_t ms = leg_motion(sv, self, leg, from, &motion);
    motion.base = Game_PresentPose(sv, self); // if it was not announced
    motion.base.angles.y -= 360.0f * (float)Q_ToInt(motion.base.angles.y / 360.0f, -1000, 1000);
    return sv->engine->pusher_start(sv, self, &motion) ? ms : 0;
}

// ---- path_tracks on the route ----

// Removes the controls of a train for the rest of the match.
static void end_control(sv_context_t *sv, edict_t *self) {
    edict_t *controls = NULL;
    Game_Fields(self)->spawnflags |= NO_CONTROL;
    while ((controls = sv->engine->find_class(sv, controls, "func_traincontrols")) != NULL) {
        if (sv->engine->deref(sv, Game_Fields(controls)->master) == self) {
            sv->engine->remove(sv, controls);
        }
    }
}

// Takes over speed and flags of the path_tracks passed[first..end-1].
static void obey_tracks(sv_context_t *sv, edict_t *self, const track_walk_t *walk, int32_t first,
                        int32_t end) {
    fields_t *fields = Game_Fields(self);
    fields->wanted_pace = pace_after(sv, self, fields->wanted_pace, walk, first, end);
    for (int32_t i = first; i < end; i++) {
        if (Game_Fields(walk->passed[i])->spawnflags & TRACK_RUNAWAY) {
            end_control(sv, self);
        }
    }
}

static void fire_tracks(sv_context_t *sv, edict_t *self, const track_walk_t *walk) {
    edict_t *driver = sv->engine->deref(sv, Game_Fields(self)->activator);
    for (int32_t i = 0; i < walk->count; i++) {
        fields_t *track = Game_Fields(walk->passed[i]);
        int32_t message = track->message;
        if (track->spawnflags & TRACK_FIRE_ONCE) {
            track->message = 0;
        }
        Game_FireName(sv, walk->passed[i], driver, message);
    }
}

static void end_of_track(sv_context_t *sv, edict_t *self, const track_walk_t *walk) {
    stop(sv, self);
    if (walk->is_loop) {
        sv->engine->warn(sv, self, "passed %d path_tracks at one position, so it stops there",
                         MAX_TRACKS_PASSED);
    }
    fire_tracks(sv, self, walk);
    Game_FireName(sv, walk->end, sv->engine->deref(sv, Game_Fields(self)->activator),
                  Game_Fields(walk->end)->netname);
    Game_TrainAtEnd(sv, self, walk->end);
}

void Game_TrackTrainNext(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    track_spot_t spot;
    if (fields->pace == 0.0f && fields->next_pace == 0.0f && fields->wanted_pace == 0.0f) {
        stop(sv, self);
        return;
    }
    if (!Track_SpotOf(sv, fields->master, fields->chain, fields->track_to, &spot)) {
        sv->engine->warn(sv, self, "its path_track was removed, so it stops");
        stop(sv, self);
        return;
    }
    const leg_plan_t leg = plan_leg(sv, self, spot, fields->next_pace);
    const bool is_straight = leg.walk.count == leg.entered;
    obey_tracks(sv, self, &leg.walk, 0, leg.entered);
    fields->pace = leg.pace;
    fields->master = sv->engine->ref(sv, leg.to.behind);
    fields->chain = sv->engine->ref(sv, leg.to.ahead);
    fields->track_from = is_straight ? leg.from.distance : -1.0f;
    fields->track_to = leg.to.distance;
    if (leg.is_at_end) {
        end_of_track(sv, self, &leg.walk);
        return;
    }
    const int32_t ms = start_leg(sv, self, &leg);
    if (ms == 0) {
        stop(sv, self);
        return;
    }
    Game_After(sv, self, GAME_CALLBACK(sv, Game_TrackTrainNext), ms);
    obey_tracks(sv, self, &leg.walk, leg.entered, leg.walk.count);
    const bool is_cut = is_straight && ms > react_ms(sv) && fields->wanted_pace != leg.pace;
    if (is_cut) {
        cut_leg(sv, self, react_ms(sv));
    }
    announce(sv, self, is_cut ? react_ms(sv) : ms);
    fire_tracks(sv, self, &leg.walk);
}

// Returns the fraction of the motion to the next think that is done.
static float share_done(sv_context_t *sv, const edict_t *self) {
    int64_t total_ms = self->nextthink_ms - self->motion.start_ms;
    int64_t gone_ms = sv->engine->pusher_time(sv, self) - self->motion.start_ms;
    bool moves = self->motion.kind == MOTION_MOVE && gone_ms < total_ms;
    return moves ? (float)gone_ms / (float)total_ms : 1.0f;
}

// Changes the speed now, or after the present leg where the train crosses a path_track.
static void set_pace(sv_context_t *sv, edict_t *self, float pace) {
    fields_t *fields = Game_Fields(self);
    bool was_still = fields->pace == 0.0f;
    float share = share_done(sv, self);
    if (pace == fields->wanted_pace || fields->master.generation == 0) {
        return; // or not on the track yet
    }
    fields->next_pace = fields->wanted_pace = pace;
    if (was_still) {
        Game_Sound(sv, self, "train_start");
    } else if (share < 1.0f && fields->track_from < 0.0f) {
        return;
    } else {
        fields->track_to = fields->track_from + share * (fields->track_to - fields->track_from);
    }
    fields->pace = pace;
    Game_TrackTrainNext(sv, self);
}

// Changes the speed `g_train_react_ms` later, or after the leg that clients know as the next one.
static void set_wanted_pace(sv_context_t *sv, edict_t *self, float pace) {
    fields_t *fields = Game_Fields(self);
    const int64_t gone_ms = sv->engine->pusher_time(sv, self) - self->motion.start_ms;
    const int64_t left_ms = self->nextthink_ms - sv->engine->pusher_time(sv, self);
    if (pace == fields->wanted_pace || fields->master.generation == 0) {
        return;
    }
    fields->wanted_pace = pace;
    if (self->nextthink_ms == 0) {
        Game_Sound(sv, self, "train_start");
        Game_TrackTrainNext(sv, self);
    } else if (left_ms > react_ms(sv) && fields->track_from >= 0.0f) {
        cut_leg(sv, self, gone_ms + react_ms(sv));
        announce(sv, self, (int32_t)(gone_ms + react_ms(sv)));
    }
}

void Game_TrackTrainUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    const fields_t *fields = Game_Fields(self);
    bool moves = fields->wanted_pace != 0.0f;
    if (Game_Switches(sv, moves)) {
        set_pace(sv, self, moves ? 0.0f : fields->speed);
    }
}

// ---- rides on platforms ----

static bool is_train(sv_context_t *sv, const edict_t *edict) {
    return edict->use == GAME_CALLBACK(sv, Game_TrackTrainUse);
}

static void put_on(sv_context_t *sv, edict_t *self, const track_spot_t *spot) {
    fields_t *fields = Game_Fields(self);
    fields->master = sv->engine->ref(sv, spot->behind);
    fields->chain = sv->engine->ref(sv, spot->ahead);
    fields->track_from = fields->track_to = spot->distance;
}

board_t Game_BoardTrain(sv_context_t *sv, edict_t *train, edict_t *platform, const edict_t *here) {
    fields_t *fields = Game_Fields(train);
    const vec3_t at = train->origin, mins = platform->absmin, maxs = platform->absmax;
    bool is_over = at.x >= mins.x && at.x <= maxs.x && at.y >= mins.y && at.y <= maxs.y;
    if (!is_train(sv, train) || !is_over ||
        (sv->engine->deref(sv, fields->master) != here &&
         sv->engine->deref(sv, fields->chain) != here)) {
        return BOARD_ELSEWHERE;
    }
    if (fields->pace != 0.0f || train->nextthink_ms != 0) {
        return BOARD_MOVES;
    }
    if (!sv->engine->pusher_glue(sv, train, platform)) {
        return BOARD_ELSEWHERE;
    }
    fields->master = (edict_ref_t){0, 0}; // on no track: it cannot start
    return BOARD_ABOARD;
}

void Game_LandTrain(sv_context_t *sv, edict_t *train, edict_t *track, bool starts) {
    track_spot_t spot;
    const fields_t *fields = Game_Fields(train);
    sv->engine->pusher_unglue(sv, train);
    if (!track || !Track_SpotAt(sv, track, &spot)) {
        sv->engine->warn(sv, train,
                         "expected a path_track that leads to another where its "
                         "platform arrived, so it stays there");
        return;
    }
    put_on(sv, train, &spot);
    if (starts) { // backwards from the last path_track of a track
        set_pace(sv, train, spot.behind == track ? fields->speed : -fields->speed);
    }
}

// ---- the controls ----

static bool take_controls(sv_context_t *sv, edict_t *player, client_t *client) {
    edict_t *controls = sv->engine->find_controls(sv, player);
    edict_t *train = controls ? sv->engine->deref(sv, Game_Fields(controls)->master) : NULL;
    if (!train || sv->engine->deref(sv, Game_Fields(train)->activator) ||
        !sv->engine->take_controls(sv, player, controls)) {
        return false;
    }
    Game_Fields(train)->activator = sv->engine->ref(sv, player);
    Game_PlayerFields(client)->vehicle = sv->engine->ref(sv, train);
    Game_PlayerFields(client)->controls = sv->engine->ref(sv, controls);
    return true;
}

static edict_t *driven_train(sv_context_t *sv, const client_t *client) {
    const player_fields_t *fields = (const player_fields_t *)(const void *)client->game;
    edict_t *train = sv->engine->deref(sv, fields->vehicle);
    return train && is_train(sv, train) ? train : NULL;
}

void Game_LeaveControls(sv_context_t *sv, edict_t *player, client_t *client) {
    edict_t *train = driven_train(sv, client);
    player_fields_t *fields = Game_PlayerFields(client);
    if (train) {
        Game_Fields(train)->activator = (edict_ref_t){0, 0};
    }
    if (fields->controls.generation != 0) {
        sv->engine->leave_controls(sv, player, sv->engine->deref(sv, fields->controls));
        fields->vehicle = fields->controls = (edict_ref_t){0, 0};
    }
}

static void drive(sv_context_t *sv, edict_t *train, float notches) {
    const fields_t *fields = Game_Fields(train);
    float least = (fields->spawnflags & FORWARD_ONLY) ? 0.0f : -fields->speed;
    float step = notches * fields->speed / NOTCHES;
    set_wanted_pace(sv, train, Q_ClampF(fields->wanted_pace + step, least, fields->speed));
}

bool Game_TrainStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                    bool pressed) {
    edict_t *train = driven_train(sv, client);
    int32_t held = Game_PlayerFields(client)->forward_held;
    if (!train) {
        Game_LeaveControls(sv, player, client);
        return pressed && take_controls(sv, player, client);
    }
    const edict_t *controls = sv->engine->deref(sv, Game_PlayerFields(client)->controls);
    if (pressed || (cmd->buttons & BUTTON_JUMP) || !controls ||
        !sv->engine->is_at_controls(sv, player, controls)) {
        Game_LeaveControls(sv, player, client);
        return true;
    }
    if (cmd->forward > 0 && held <= 0) {
        drive(sv, train, 1.0f);
    } else if (cmd->forward < 0 && held >= 0) {
        drive(sv, train, -1.0f);
    }
    return true;
}

void Game_SpawnTrainControls(sv_context_t *sv, edict_t *self) {
    if (Game_HasModel(sv, self)) {
        self->visibility = VISIBLE_NOBODY;
        self->solid = SOLID_NOT;
    }
}

// Attaches controls to their train. Returns false if nobody can use them.
static bool join_controls(sv_context_t *sv, edict_t *self) {
    const char *name = sv->engine->text(sv, self->target);
    edict_t *train = self->target ? sv->engine->find_target(sv, NULL, name) : NULL;
    if (!train || !is_train(sv, train)) {
        sv->engine->warn(sv, self, "target \"%.64s\": expected a func_tracktrain", name);
        return false;
    }
    self->movetype = MOVETYPE_PUSH;
    if ((Game_Fields(train)->spawnflags & NO_CONTROL) ||
        !sv->engine->pusher_glue(sv, self, train)) {
        return false;
    }
    Game_Fields(self)->master = sv->engine->ref(sv, train);
    self->solid = SOLID_TRIGGER;
    self->contents = CONTENTS_CONTROLS;
    sv->engine->link(sv, self, false);
    return true;
}

void Game_JoinControls(sv_context_t *sv) {
    edict_t *self = NULL;
    while ((self = sv->engine->find_class(sv, self, "func_traincontrols")) != NULL) {
        if (!join_controls(sv, self)) {
            sv->engine->remove(sv, self);
        }
    }
}

// ---- spawning ----

// Puts the train on its first path_track. Runs as a think, when all are linked.
void Game_TrackTrainFind(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    const char *name = sv->engine->text(sv, self->target);
    edict_t *track = self->target ? sv->engine->find_target(sv, NULL, name) : NULL;
    track_spot_t spot;
    if (!track || !track->use || track->use != GAME_CALLBACK(sv, Game_TrackUse) ||
        !Track_SpotAt(sv, track, &spot)) {
        sv->engine->warn(sv, self,
                         "target \"%.64s\": expected a path_track that leads to another, so it "
                         "stays where it is",
                         name);
        return;
    }
    put_on(sv, self, &spot);
    sv->engine->pusher_move_to(sv, self, pose_at(sv, self, &spot, self->angles), 0);
    fields->pace = Q_ClampF(fields->lip, -fields->speed, fields->speed);
    fields->next_pace = fields->wanted_pace = fields->pace;
    if (fields->pace != 0.0f) {
        Game_ThinkIn(sv, self, 0.1f, GAME_CALLBACK(sv, Game_TrackTrainNext));
    }
}

static float key_within(sv_context_t *sv, const edict_t *self, const char *key, float value,
                        float least, float most) {
    if (value >= least && value <= most) {
        return value;
    }
    sv->engine->warn(sv, self, "%s: expected %g to %g, found %g", key, (double)least, (double)most,
                     (double)value);
    return value > most ? most : least;
}

void Game_SpawnTrackTrain(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    fields->next_pace = fields->wanted_pace = 0.0f; // which are keys of other classes
    self->solid = (fields->spawnflags & PASSABLE) ? SOLID_NOT : SOLID_BSP;
    fields->speed = fields->speed != 0.0f ? fields->speed : DEFAULT_SPEED;
    fields->wheels = fields->wheels != 0.0f ? fields->wheels : DEFAULT_WHEELS;
    fields->height = fields->height != 0.0f ? fields->height : 4.0f;
    fields->speed = key_within(sv, self, "speed", fields->speed, 1.0f, MAX_SPEED);
    fields->wheels = key_within(sv, self, "wheels", fields->wheels, 1.0f, MAX_LENGTH);
    fields->height = key_within(sv, self, "height", fields->height, -MAX_LENGTH, MAX_LENGTH);
    fields->bank = key_within(sv, self, "bank", fields->bank, -MAX_BANK, MAX_BANK);
    self->use = GAME_CALLBACK(sv, Game_TrackTrainUse);
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    sv->engine->link(sv, self, false);
    Game_ThinkIn(sv, self, 0.1f, GAME_CALLBACK(sv, Game_TrackTrainFind));
}
