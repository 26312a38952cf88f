/// world/client.h - a client slot: player state, queued commands, time credit.
//
// Memory:  plain data without padding or pointers, in the world block.

#ifndef EDICTD_WORLD_CLIENT_H
#define EDICTD_WORLD_CLIENT_H

#include "base/limits.h"
#include "state/player_state.h"
#include "state/usercmd.h"

#define EVENT_TO_ALL    (-1) // in place of a client slot: every client
#define EVENT_TO_NOBODY (-2) // in place of a client slot: the receiver has left
#define EVENT_TO_TEAM   (-3) // EVENT_CHAT: the clients of the speaker's team

/// Bytes of one client that belong to the game.
#define CLIENT_GAME_BYTES 256

/// Settings of a client: colour, rate and those of the game.
#define MAX_GAME_INFOS 11
#define CLIENT_INFOS   (2 + MAX_GAME_INFOS)

#define MAX_LANDMARK_BYTES 64

/// How a client left the map before, through a landmark. See change_map_at in game_api.h.
typedef struct {
    char landmark[MAX_LANDMARK_BYTES]; ///< "" = not through a landmark
    vec3_t offset;                     ///< of the player from the landmark
    vec3_t angles, velocity;
    int32_t health;
    int32_t cmd_yaw; ///< yaw of the last usercmd, 0..65535
    int32_t is_ducked;
} arrival_t;

/// A client slot. Slot n plays edict n + 1.
typedef struct client_s {
    int64_t last_cmd_tick; ///< tick of the newest command that ran (in part or whole), for acks
    int64_t floor_tick;    ///< commands for this tick or earlier are too late
    int64_t joined_tick;
    uint16_t inuse;      ///< 1 = the slot is taken
    uint16_t watches;    ///< slot + 1 of the player whose view the client receives; 0 = its own
    uint16_t spectator;  ///< 1 = flies through everything, touches nothing
    uint16_t team;       ///< 0 = none; set by set_team
    int32_t credit_ms;   ///< command time that may still run
    int32_t starved_ms;  ///< time since the last command, in whole ticks
    int32_t queue_first; ///< ring: queue[(queue_first + n) % MAX_CMD_QUEUE]
    int32_t queue_count;
    int32_t ran_ms; ///< how much of the command of last_cmd_tick ran
    /// Counters: dropped usercmds, and ms filled because no usercmd arrived.
    uint32_t dropped_late, dropped_credit_ms, dropped_queue, filled_ms;
    uint32_t cheats;    ///< cheats that are on: FL_GODMODE, FL_NOTARGET, low 8 bits a movetype
    usercmd_t last_cmd; ///< runs again, without movement and buttons, to fill missing time
    usercmd_t queue[MAX_CMD_QUEUE];
    player_state_t player;
    int32_t refused_tick; ///< low 31 bits of the last tick in which the game gave the player a
                          ///< movetype that clients cannot have; 0 = never
    char name[MAX_NAME_BYTES];
    /// Settings of the player, by number of the key less 1; see SV_InfoKey. `name` is setting 0.
    char infos[CLIENT_INFOS][MAX_INFO_BYTES];
    uint8_t game[CLIENT_GAME_BYTES];
} client_t;

#endif
