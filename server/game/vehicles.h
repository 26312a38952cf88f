/// game/vehicles.h - buggies, and the controls of trains and valves.

#ifndef EDICTD_GAME_VEHICLES_H
#define EDICTD_GAME_VEHICLES_H

#include "game/game.h"

// vehicles.c
bool Game_IsDriving(const client_t *client);
/// Lets a living player get in or out of a vehicle after a sub-step.
void Game_VehicleStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd);
/// Takes a driver out of the vehicle. Without room beside the vehicle, the driver stays inside and
/// receives a message, unless `must` is true. Does nothing to other players.
void Game_LeaveVehicle(sv_context_t *sv, edict_t *driver, client_t *client, bool must);
/// Tilts vehicles with drivers to the slope of the ground, once a tick.
void Game_LeanVehicles(sv_context_t *sv);

// tracks.c
/// Links path_tracks to each other. Call after all entities are spawned.
void Game_LinkTracks(sv_context_t *sv);

// track_trains.c
/// Attaches all func_traincontrols to their trains. Removes those that nobody can use.
void Game_JoinControls(sv_context_t *sv);
/// Lets a living player take or leave the controls of a train after a sub-step, and drive it.
/// `pressed`: the use button went down. Returns true if the player is or was at the controls.
bool Game_TrainStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                    bool pressed);
/// Takes a player from the controls of a train. Does nothing to other players.
void Game_LeaveControls(sv_context_t *sv, edict_t *player, client_t *client);

// momentary.c
/// Uses the button, door or valve nearby that a player looks at. Call while the use button is held.
/// `pressed`: it went down in this sub-step; later only valves are used.
void Game_UseNear(sv_context_t *sv, edict_t *player, bool pressed);

#endif
