/// core/exits.h - triggers that take players to another place, as the game says.
//
// A client learns of a teleport from a snapshot. It shows its player at the exit at once, and the
// other players as they were some ticks before. They must be in the snapshots of these ticks, so a
// player who may touch a trigger within them also sees from its exit (sight.h).
//
// Memory:  none; exits_t is part of sight_t. A map without such triggers costs a search a second.

#ifndef EDICTD_CORE_EXITS_H
#define EDICTD_CORE_EXITS_H

#include "core/game_api.h"
#include "math/bounds.h"

#define MAX_EXITS   128 // of a map; players appear late at further ones
#define EXITS_NEAR  2   // of a player; the first ones by number
#define EXITS_TICKS 64  // from one search for the triggers to the next

struct server_s;

/// A trigger, and the answer of the game in a tick.
typedef struct {
    edict_ref_t trigger;
    int64_t tick; ///< of the answer; 0 = none
    game_exit_t exit;
    bool is_open;
} exit_trigger_t;

/// Zero it when a map starts.
typedef struct {
    int32_t count;
    int32_t left_out; ///< triggers beyond MAX_EXITS, as last logged
    bool is_refused;  ///< exit_of changed the world
    exit_trigger_t triggers[MAX_EXITS];
} exits_t;

/// Searches all edicts for the triggers.
void Exits_Find(struct server_s *server, exits_t *exits);

/// Writes the exits that players take when they touch a box. Returns their number, at most
/// EXITS_NEAR.
int32_t Exits_Near(struct server_s *server, exits_t *exits, bounds_t box, game_exit_t *near);

#endif
