/// core/exits.h - triggers that teleport players, as the game says, and push pads.
//
// A client learns of a teleport from a snapshot. It shows its player at the exit at once, and the
// other players as they were some ticks before. The snapshots of these ticks must have the players
// who are visible from the exit. So a player who may touch a trigger within that time also sees
// from its exit (sight.h). A client predicts push pads: it shows its player in the air before the
// server throws the player.
//
// Each tick visits a few edicts to find such triggers. EXITS_WORK bounds the calls of exit_of in a
// tick. If they run out, the search continues in the next tick, and a trigger near a player keeps
// its last answer.
//
// Memory:  none; exits_t is part of sight_t.
// Cost:    at most 40 us a tick for 4,096 edicts with the reference game.

#ifndef EDICTD_CORE_EXITS_H
#define EDICTD_CORE_EXITS_H

#include "core/game_api.h"
#include "math/bounds.h"

#define MAX_EXITS    128   // of a map; players appear late at further ones
#define EXITS_NEAR   2     // of a player; the first ones by number
#define EXITS_EDICTS 16    // that the search visits in a tick
#define EXITS_WORK   40960 // calls of exit_of in a tick, times edicts; half are for players

struct server_s;

/// A trigger, and the answer of the game in a tick. A push pad has no exit.
typedef struct {
    edict_ref_t trigger;
    int64_t tick; ///< of the answer
    game_exit_t exit;
    bool is_open;
} exit_trigger_t;

/// The triggers that were found. Zero it when a map starts.
typedef struct {
    int32_t count;
    int32_t next;      ///< edict at which the search continues
    int32_t asks_left; ///< calls of exit_of that this tick may still make
    int32_t left_out;  ///< exits near players that this tick left out
    bool is_full;      ///< a trigger beyond MAX_EXITS was logged
    bool is_refused;   ///< exit_of changed the world
    log_burst_t burst;
    exit_trigger_t triggers[MAX_EXITS]; ///< by number
} exits_t;

/// Begins a tick: continues the search for the triggers. Counts and logs the exits that the tick
/// before left out.
void Exits_Tick(struct server_s *server, exits_t *exits);

/// Exits that a player may reach, and push pads.
typedef struct {
    int32_t count;
    game_exit_t list[EXITS_NEAR];
    float up;    ///< highest speed upwards of a pad, qu/s; 0 = none
    float level; ///< highest horizontal speed of a pad, qu/s
} near_exits_t;

/// Returns the exits and pads that a player may reach. `moves`, `pad_moves`: how far it may move
/// until it shows an exit, and until it shows a throw. Exits beyond EXITS_NEAR are counted as left
/// out, for each player and tick.
near_exits_t Exits_Near(struct server_s *server, exits_t *exits, const edict_t *player,
                        bounds_t moves, bounds_t pad_moves);

#endif
