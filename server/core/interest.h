/// core/interest.h - which entities a client may receive: those that it may soon see.
//
//   edicts -> visibility of the map -> line of sight (players and their followers) -> client
//
// Moves:   an eye moves within the lead and the interval of tests, a box within the interval.
//          Lead: the round trip (the longer one of two players) plus the interval of snapshots and
//          two ticks, within bounds.
// Area:    visible from the clusters of the player's box, grown by speed * lead.
// Exits:   a player who may touch a teleporter within the interval of snapshots and two ticks, at
//          least 50 ms, is also at its exit, from where it moves within the lead. Only its own
//          client receives more by that. A player who may reach a push pad within the lead may also
//          move as fast as the pad throws.
// Sight:   sight.h. Always sent: the own and the watched player, and those of its team.
// Hold:    a visible pair stays visible until its next test.
// Memory:  0.5 KiB an edict, 8 KiB a client, 32 bytes a pair of clients, and 6 MiB.

#ifndef EDICTD_CORE_INTEREST_H
#define EDICTD_CORE_INTEREST_H

#include "core/server_local.h"

#define SIGHT_RETEST_MS     32   // interval of tests of a hidden pair; doubled while rays run out
#define SIGHT_MAX_RETEST_MS 800  // maximum of that
#define SIGHT_SEEN_MS       96   // interval of tests of a visible pair
#define SIGHT_MIN_LEAD_MS   50   // bounds of the lead
#define SIGHT_MAX_LEAD_MS   500  //
#define SIGHT_DEFAULT_PING  200  // ms; until it is measured
#define SIGHT_RAYS_TICK     4096 // then, pairs keep their last answer; new ones count as visible
#define SIGHT_STALE_MS      400  // a pair whose test is so late counts as visible, too

typedef struct interest_s interest_t;

/// Returns NULL if out of memory.
interest_t *Interest_Create(int32_t max_clients, int32_t max_edicts);
void Interest_Free(interest_t *interest);

/// Begins a map. Logs if the map has no visibility.
void Interest_StartMap(server_t *server);

/// Returns true if a place in cluster `to` may be visible from cluster `from`. CM_NO_CLUSTER sees
/// everything, and everything sees it.
bool Interest_Sees(server_t *server, int32_t from, int32_t to);

/// Returns a bit per cluster: 0 = the player in a slot cannot see any place in it now. Cheaper than
/// to find the clusters of its eye. Returns NULL if the map has no visibility.
const uint64_t *Interest_EyeRow(server_t *server, int32_t slot);

/// Returns true if a client that views slot `view` may soon see the player in another slot, as of
/// the last Interest_Tick. A crowd's client may keep a player whom it no longer sees.
bool Interest_SeesPlayer(server_t *server, int32_t view, int32_t slot);

/// Returns true if nothing hides a place from the player in slot `view`, or if its client receives
/// all players.
bool Interest_SeesPlace(server_t *server, int32_t view, vec3_t place);

/// Finds where the edicts are, after SendStates_Build.
void Interest_Tick(server_t *server);

/// Writes the indexes into server->states of what a client may receive, ascending, without its own
/// player. `view`: SV_ViewSlot. Returns their number, at most max_edicts. In a crowd, leaves out
/// what Priority_SetAside sets aside, without a test of its line of sight.
int32_t Interest_List(server_t *server, const session_t *session, int32_t view, turn_t *turn,
                      int32_t *indexes);

#endif
