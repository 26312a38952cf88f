/// core/delay.h - sv_spectate_delay_s: spectators receive the match as it was some seconds ago.
//
// A feed records each tick as a spectator may see it, and the texts, sounds and effects.
// Old records are decoded again and sent.
// Memory:  allocated by Server_SetSpectateDelay: 5 MiB, and at most 768 KiB per second of delay.
// Limits:  a full feed drops the newest record. The delay is never shorter.

#ifndef EDICTD_CORE_DELAY_H
#define EDICTD_CORE_DELAY_H

#include "core/server_local.h"
#include "world/events.h"

typedef struct delay_s delay_t;

/// Frees the feed.
void Delay_Free(server_t *server);

/// Empties the feed for a new map. Sends the texts that it holds.
void Delay_StartMap(server_t *server);

/// Returns true for a spectator that receives the past: with sv_spectate 2 and a delay.
bool Delay_Is(const server_t *server, const session_t *session);

/// Returns the tick that a client sees.
int64_t Delay_Tick(const server_t *server, const session_t *session);

/// Records a message for the clients in a mask.
void Delay_HoldText(server_t *server, const control_msg_t *msg, const client_mask_t *clients);

/// Records the sounds and effects of this tick.
void Delay_HoldEmissions(server_t *server);

/// Records the states of this tick, after SendFields_Build.
void Delay_Record(server_t *server);

/// Sends texts, sounds and effects that are old enough, and decodes the newest such states.
void Delay_Release(server_t *server);

/// Returns the decoded states, as delayed spectators receive them now.
const entity_state_t *Delay_States(const server_t *server, int32_t *count);

/// Returns true if the spectator receives decoded state `index`.
bool Delay_Shows(const server_t *server, const session_t *session, int32_t index);

/// Returns true if the decoded states have an edict.
bool Delay_Has(const server_t *server, int32_t number, uint32_t generation);

/// Replaces a spectator's player by the past one that it follows, if any.
void Delay_View(const server_t *server, const session_t *session, player_state_t *player);

/// Replaces the info records of all but the spectator itself by decoded ones.
void Delay_Infos(server_t *server, const session_t *session, snapshot_parts_t *parts);

/// Runs the command "follow" of a delayed spectator. Returns false for others.
bool Delay_Follow(server_t *server, session_t *session, const char *text);

#endif
