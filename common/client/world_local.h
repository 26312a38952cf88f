/// client/world_local.h - functions that the files of the world of prediction have in common.

#ifndef EDICTD_CLIENT_WORLD_LOCAL_H
#define EDICTD_CLIENT_WORLD_LOCAL_H

#include "client/world.h"
#include "move/push.h"

/// Distance of linked boxes at which the server finds edicts near a pusher: that of Push_FindNear.
#define CL_PUSH_MARGIN 1.0f // qu

/// Returns the solid with this edict number, or NULL.
const cl_solid_t *Client_FindSolid(const cl_world_t *world, int32_t number);

/// Returns true if a solid stops boxes.
bool Client_Stops(const cl_world_t *world, const cl_solid_t *solid);

/// Returns the pose of a solid at `to_ms`, or where the legs end that end after from_ms and until
/// then. Client_HasCorner returns true if the solid's own leg does.
pose_t Client_PoseInWorld(const cl_world_t *world, int32_t index, int64_t from_ms, int64_t to_ms);
bool Client_HasCorner(const cl_solid_t *solid, int64_t from_ms, int64_t to_ms);

/// Computes solid->box and solid->linked from the pose.
void Client_FindBox(const cl_world_t *world, cl_solid_t *solid);

/// Sweeps a box against one solid.
trace_t Client_TraceSolid(const cl_world_t *world, const cl_solid_t *solid, bounds_t box,
                          vec3_t start, vec3_t end);

/// Writes the velocity of the last push pad that a box touches. Returns false if it touches none.
bool Client_TouchPads(cl_world_t *world, bounds_t box, vec3_t *velocity);

/// Returns the first controls with these contents that are on a pusher and around a point, or NULL.
cl_solid_t *Client_FindControls(cl_world_t *world, int32_t contents, int32_t pusher, vec3_t at);

/// Makes the solid added last a crate or vehicle, with the state of its record. If there are
/// CL_MAX_CRATES, the one that is furthest from the player is left out. Call Client_NumberCrates
/// after the last one.
void Client_AddCrate(cl_world_t *world, const entity_state_t *state);
void Client_NumberCrates(cl_world_t *world);

/// Returns true if a crate or vehicle is in the world, and not driven.
bool Client_CrateIsSolid(const cl_world_t *world, const cl_crate_t *crate);

/// Puts a crate or vehicle where its body is, or takes it out of the world. Wakes crates on it.
void Client_PutCrate(cl_world_t *world, cl_crate_t *crate, bool is_solid);

/// Moves all crates by the tick that ends.
void Client_RunCrates(cl_world_t *world, player_state_t *player);

/// Returns the crate or vehicle with this number, or NULL.
cl_crate_t *Client_FindCrate(cl_world_t *world, int32_t number);

/// Puts a crate's solid where the body is. Returns true if it moved.
bool Client_LinkCrate(cl_world_t *world, const cl_crate_t *crate);

/// Throws a crate by the push pads that it touches.
void Client_TouchCratePads(cl_world_t *world, cl_crate_t *crate);

/// Takes the ground from crates and the player that rest on an edict.
void Client_WakeRiders(cl_world_t *world, int32_t number, player_state_t *player);

/// Makes traces those of a crate among other edicts, until Client_EndAs.
void Client_BeginAs(cl_world_t *world, const cl_crate_t *crate, const player_state_t *player);
void Client_EndAs(cl_world_t *world);

#endif
