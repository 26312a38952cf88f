/// game/match.h - matches, teams and flags.

#ifndef EDICTD_GAME_MATCH_H
#define EDICTD_GAME_MATCH_H

#include "game/game.h"

// ctf.c
bool Game_IsCtf(sv_context_t *sv);
/// Returns the flag that a player holds, if any, to the home position.
void Game_ReturnFlag(sv_context_t *sv, edict_t *player, client_t *client);
/// Drops the flag that a player holds, if any, to the floor.
void Game_DropFlag(sv_context_t *sv, edict_t *player, client_t *client);
/// Returns the team with fewer players, 1 or 2.
int32_t Game_SmallerTeam(sv_context_t *sv);

// deathmatch.c
/// Shows the effects of a player's running powerups, and ends the others.
void Game_ShowPowers(sv_context_t *sv, edict_t *player, client_t *client);
/// Tests the limits, ends the match and starts the next map; called once a tick.
void Game_Frame(sv_context_t *sv);
/// Counts a death, and a frag for the killer.
void Game_Score(sv_context_t *sv, client_t *victim, client_t *killer);
/// Returns true in a match with teams: capture the flag, or teamplay.
bool Game_HasTeams(sv_context_t *sv);
/// Returns true for two players of one team, in a match with teams.
bool Game_AreFriends(sv_context_t *sv, const client_t *a, const client_t *b);
/// Freezes a player when the match is over.
void Game_Freeze(sv_context_t *sv, edict_t *player, client_t *client);
/// Writes game type, time and limits for the operator's `status`.
void Game_Describe(sv_context_t *sv, char *line, size_t bytes);

/// Runs "spectate", "join", "team red", "team blue" and "score". Returns false for other commands.
bool Game_MatchCommand(sv_context_t *sv, edict_t *player, client_t *client, const char *text);

/// Run the operator's commands match_end and match_restart.
void Game_EndMatch(sv_context_t *sv, int32_t argc, const char *const *argv);
void Game_RestartMatch(sv_context_t *sv, int32_t argc, const char *const *argv);

#endif
