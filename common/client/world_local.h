/// client/world_local.h - functions that the files of the world of prediction have in common.

#ifndef EDICTD_CLIENT_WORLD_LOCAL_H
#define EDICTD_CLIENT_WORLD_LOCAL_H

#include "client/world.h"
#include "move/push.h"

/// Distance at which the server finds edicts near a pusher. Linking widens both boxes by 1 qu, and
/// Push_FindNear adds 1 qu.
#define CL_PUSH_MARGIN 3.0f // qu

/// Returns the solid with this edict number, or NULL.
const cl_solid_t *Client_FindSolid(const cl_world_t *world, int32_t number);

/// Returns true if a solid stops boxes.
bool Client_Stops(const cl_world_t *world, const cl_solid_t *solid);

/// Returns the callbacks for move/push.h; parts are indexes into world->list.
pm_push_world_t Client_WorldForPush(cl_world_t *world);

/// Writes the velocity of the last push pad that a box touches. Returns false if it touches none.
bool Client_TouchPads(cl_world_t *world, bounds_t box, vec3_t *velocity);

/// Makes the solid added last a crate or vehicle, with the state of its record.
void Client_AddCrate(cl_world_t *world, const entity_state_t *state);

/// Returns true if a crate or vehicle is in the world, and not driven.
bool Client_CrateIsSolid(const cl_world_t *world, const cl_crate_t *crate);

/// Puts a crate or vehicle where its body is, or takes it out of the world. Wakes what rests on it.
void Client_PutCrate(cl_world_t *world, cl_crate_t *crate, bool is_solid, player_state_t *player);

/// Moves all crates by the tick that ends. Takes the player's ground from below it.
void Client_RunCrates(cl_world_t *world, player_state_t *player);

/// Moves the crates that rest on pushers that moved. Call Client_PushCrates when the player was
/// moved, too.
void Client_CarryCrates(cl_world_t *world);

/// Moves carried crates to where there is room, and other crates out of the path of pushers.
void Client_PushCrates(cl_world_t *world, player_state_t *player);

#endif
