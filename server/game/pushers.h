/// game/pushers.h - what doors, lifts, buttons and trains share.

#ifndef EDICTD_GAME_PUSHERS_H
#define EDICTD_GAME_PUSHERS_H

#include "game/game.h"

/// State of a door, plat or button. Bottom: a closed door, a lowered plat.
typedef enum { PUSHER_AT_BOTTOM, PUSHER_GOING_UP, PUSHER_AT_TOP, PUSHER_GOING_DOWN } pusher_state_t;

// pushers.c
/// Sets up a solid pusher with a brush model. Returns false without a model.
bool Game_InitPusher(sv_context_t *sv, edict_t *self);
/// Sets movedir from the angles, then clears the angles.
void Game_SetMovedir(edict_t *self);
/// Returns the distance of a pusher's movement: the size along movedir minus lip.
float Game_MoveDistance(const edict_t *self);
/// Returns the fraction of the present MOTION_MOVE that is done; 1 without one.
float Game_ShareDone(sv_context_t *sv, const edict_t *self);
/// Returns the pose of a pusher's own MOTION_MOVE, as if the pusher that carries it had not moved.
pose_t Game_PresentPose(sv_context_t *sv, const edict_t *self);
/// Returns `degrees` as angles about the x axis (`rolls`), y axis (`pitches`) or z axis.
vec3_t Game_Axis(bool rolls, bool pitches, float degrees);
/// Moves a pusher to a pose, then calls the think callback `think`. `speed`: qu/s, or degrees/s for
/// a pure rotation.
void Game_MoveTo(sv_context_t *sv, edict_t *self, pose_t to, float speed, int32_t think);
/// Calls the think callback `think` after `seconds` of a pusher's local time; negative = never.
void Game_ThinkIn(sv_context_t *sv, edict_t *self, float seconds, int32_t think);
/// Spawns an invisible trigger that starts a pusher when touched. Both ride on the same parent.
edict_t *Game_SpawnField(sv_context_t *sv, edict_t *pusher, bounds_t box, int32_t touch);
/// Links doors and attaches pushers to parents. Call after all entities are spawned.
void Game_JoinPushers(sv_context_t *sv);

/// Plays a sound. Its argument is the entity's key `sounds`, if it is not 0: the set to use.
void Game_Sound(sv_context_t *sv, edict_t *self, const char *name);

// doors.c
/// Joins touching doors into groups and spawns the invisible triggers that open doors.
void Game_LinkDoors(sv_context_t *sv);

#endif
