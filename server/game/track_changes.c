/// game/track_changes.c - func_trackchange, func_trackautochange: a platform that carries a train
/// from one track to another.
//
// The map draws it at the top. A train that stands on it, at the path_track of the present end,
// goes along; otherwise the platform moves alone. Keys: `train`, `toptrack`, `bottomtrack` = fields
// landmark, altpath, netname. Fields: `master` = train aboard.

#include "game/pushers.h"
#include "game/tracks.h"

#define STARTS_TRAIN (1 << 0)
#define RELINKS      (1 << 1) // ends the track at which the platform is not
#define AT_BOTTOM    (1 << 2)
#define TURNS_ONLY   (1 << 3)
#define ROLLS        (1 << 4)
#define PITCHES      (1 << 5)
static const flag_t change_flags[] = {{1, 1, STARTS_TRAIN}, {2, 2, RELINKS}, {8, 8, AT_BOTTOM},
                                      {16, 16, TURNS_ONLY}, {64, 64, ROLLS}, {128, 128, PITCHES}};

#define FIRST_LINK_S 0.05f // before trains find their tracks

static edict_t *end_track(sv_context_t *sv, const edict_t *self, bool is_top) {
    const fields_t *fields = Game_ConstFields(self);
    return Track_Find(sv, sv->engine->text(sv, is_top ? fields->altpath : fields->netname));
}

// Ends or opens the track at one end.
static void set_track(sv_context_t *sv, edict_t *self, bool is_top, bool is_open) {
    edict_t *track = end_track(sv, self, is_top);
    if (track && (Game_Fields(self)->spawnflags & RELINKS)) {
        Track_Disable(track, !is_open);
    }
}

void Game_TrackChangeStart(sv_context_t *sv, edict_t *self) {
    set_track(sv, self, Game_Fields(self)->state == PUSHER_AT_BOTTOM, false);
}

void Game_TrackChangeArrived(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    bool is_top = fields->state == PUSHER_GOING_UP;
    edict_t *train = sv->engine->deref(sv, fields->master);
    fields->state = is_top ? PUSHER_AT_TOP : PUSHER_AT_BOTTOM;
    fields->master = (edict_ref_t){0, 0};
    Game_Sound(sv, self, "plat_stop");
    set_track(sv, self, is_top, true);
    if (train) {
        Game_LandTrain(sv, train, end_track(sv, self, is_top),
                       (fields->spawnflags & STARTS_TRAIN) != 0);
    }
}

void Game_TrackChangeUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    fields_t *fields = Game_Fields(self);
    bool is_top = fields->state == PUSHER_AT_TOP;
    const edict_t *here = end_track(sv, self, is_top);
    if (!is_top && fields->state != PUSHER_AT_BOTTOM) {
        return;
    }
    edict_t *train = sv->engine->find_target(sv, NULL, sv->engine->text(sv, fields->landmark));
    board_t boards = train && here && end_track(sv, self, !is_top)
                         ? Game_BoardTrain(sv, train, self, here)
                         : BOARD_ELSEWHERE;
    if (boards == BOARD_MOVES) {
        return; // the train moves onto the platform or off it
    }
    fields->master = boards == BOARD_ABOARD ? sv->engine->ref(sv, train) : (edict_ref_t){0, 0};
    fields->state = is_top ? PUSHER_GOING_DOWN : PUSHER_GOING_UP;
    set_track(sv, self, is_top, false);
    Game_Sound(sv, self, "plat_start");
    Game_MoveTo(
        sv, self,
        (pose_t){is_top ? fields->pos1 : fields->pos2, is_top ? fields->turn1 : fields->turn2},
        fields->speed, GAME_CALLBACK(sv, Game_TrackChangeArrived));
}

void Game_TrainAtEnd(sv_context_t *sv, edict_t *train, const edict_t *track) {
    edict_t *self = NULL;
    while ((self = sv->engine->find_class(sv, self, "func_trackautochange")) != NULL) {
        bool is_its = train->targetname && Game_Fields(self)->landmark == train->targetname;
        if (is_its && (end_track(sv, self, true) == track || end_track(sv, self, false) == track)) {
            sv->engine->use(sv, self, train, NULL);
        }
    }
}

void Game_SpawnTrackChange(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_ReadFlags(sv, self, change_flags, COUNTOF(change_flags));
    bool is_low = (fields->spawnflags & AT_BOTTOM) != 0;
    float travel = fields->spawnflags & TURNS_ONLY ? 0.0f : fields->height;
    fields->pos2 = self->origin;
    fields->pos1 = VectorSubtract(self->origin, Vector(0.0f, 0.0f, travel));
    fields->turn2 = self->angles;
    fields->turn1 =
        VectorAdd(self->angles, Game_Axis((fields->spawnflags & ROLLS) != 0,
                                          (fields->spawnflags & PITCHES) != 0, fields->distance));
    fields->state = is_low ? PUSHER_AT_BOTTOM : PUSHER_AT_TOP;
    self->origin = is_low ? fields->pos1 : fields->pos2;
    self->angles = is_low ? fields->turn1 : fields->turn2;
    self->use = GAME_CALLBACK(sv, Game_TrackChangeUse);
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    sv->engine->link(sv, self, false);
    Game_ThinkIn(sv, self, FIRST_LINK_S, GAME_CALLBACK(sv, Game_TrackChangeStart));
}
