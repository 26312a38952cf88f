/// proto/control.h - the reliable messages of channel 0: join, map, text, leave.
//
// Units:   ms, qu; ticks as in usercmd_t.
// Memory:  plain structs, no pointers.
// Errors:  CTL_Read rejects what does not decode to the last bit, with a reason. The receiver then
//          drops the sender.
//
// A session: the client sends HELLO. The server sends WELCOME, PLAYER_INFO of each player, and MAP.
// The client sends READY with the epoch of that MAP. Then the server sends snapshots, the client
// sends usercmds, and both send texts. A map change is another MAP with the next epoch. The session
// ends with LEAVE or GOODBYE, then the transport disconnects. README.md lists every message.

#ifndef EDICTD_PROTO_CONTROL_H
#define EDICTD_PROTO_CONTROL_H

#include "base/err.h"
#include "base/limits.h"
#include "math/vec3.h"
#include "state/entity_state.h"
#include "state/movevars.h"

/// The first number of each HELLO: "EDCT" in the bytes.
#define PROTO_MAGIC 0x54434445u

/// Version of all three channels. Each change of a layout raises it, and an end rejects the
/// other's.
#define PROTO_VERSION 4

/// Range of a server tick on the wire, ms.
#define CTL_MIN_TICK_MS 8
#define CTL_MAX_TICK_MS 100

/// Number on the wire, name, direction: C = client to server, S = server to client.
typedef enum {
    CTL_HELLO = 1, ///< C: joins
    CTL_READY = 2, ///< C: the map is loaded, or missing (the client then plays without prediction)
    CTL_SAY = 3,   ///< C: chat line
    CTL_COMMAND = 4,      ///< C: command for the game
    CTL_LEAVE = 5,        ///< C: leaves
    CTL_WELCOME = 16,     ///< S: accepts, with the client slot
    CTL_REFUSED = 17,     ///< S: rejects, with the reason
    CTL_MAP = 18,         ///< S: the map and its movevars
    CTL_MOVEVARS = 19,    ///< S: the movevars changed
    CTL_PRINT = 20,       ///< S: line for the screen
    CTL_CHAT = 21,        ///< S: chat line of a player or the operator
    CTL_EFFECT = 22,      ///< S: effect at a position
    CTL_PLAYER_INFO = 23, ///< S: the player in a slot, or that the slot is empty
    CTL_GOODBYE = 24,     ///< S: drops the client, with the reason
    CTL_CENTER = 25,      ///< S: line for the middle of the screen
    CTL_STAT_NAMES = 26,  ///< S: names of the player stats the game publishes; after each MAP
    CTL_STATS = 27,       ///< S: changed stats of one player
    CTL_MODELS = 28       ///< S: the game's models with bones, if any; after each MAP
} control_type_t;

/// A HELLO of another version is read up to `version`; the rest is zero.
typedef struct {
    uint32_t version; ///< 16 bits
    bool spectator;
    char name[MAX_NAME_BYTES];
} ctl_hello_t;

typedef struct {
    uint32_t epoch; ///< of the answered MAP
    bool has_map;   ///< false: the client has no file of that name and hash
} ctl_ready_t;

/// SAY, COMMAND, PRINT, CENTER, GOODBYE.
typedef struct {
    char text[MAX_TEXT_BYTES];
} ctl_text_t;

typedef struct {
    uint32_t version;
    int32_t slot;        ///< 0..max_clients-1; the player is edict slot + 1
    int32_t max_clients; ///< 1..MAX_CLIENTS
    char server[MAX_TEXT_BYTES];
} ctl_welcome_t;

/// A refusal. This layout never changes, so a client of any version can show the reason.
typedef struct {
    uint32_t version; ///< the server's, 16 bits
    char text[MAX_TEXT_BYTES];
} ctl_refused_t;

typedef struct {
    uint32_t epoch;  ///< 1 for the first map, then one more each; packets carry its low 8 bits
    uint64_t hash;   ///< cmap_t.hash
    int64_t tick;    ///< ticks that this world has run
    int32_t tick_ms; ///< 8..100
    char name[MAX_MAP_NAME_BYTES]; ///< passes CTL_MapNameIsSafe
    movevars_t vars;
} ctl_map_t;

typedef struct {
    int64_t tick; ///< first tick that uses them
    movevars_t vars;
} ctl_movevars_t;

typedef struct {
    int32_t slot; ///< speaker: 0..MAX_CLIENTS-1, or -1 = the operator
    char text[MAX_TEXT_BYTES];
} ctl_chat_t;

typedef struct {
    int64_t tick;              ///< ticks run before it
    int32_t number;            ///< edict it belongs to, 0..MAX_EDICTS-1
    vec3_t origin;             ///< finite, within +-MAX_WORLD_COORD
    char text[MAX_TEXT_BYTES]; ///< name of the effect
} ctl_effect_t;

typedef struct {
    int32_t slot; ///< 0..MAX_CLIENTS-1
    bool inuse;   ///< false: the player left, the rest is zero
    bool spectator;
    char name[MAX_NAME_BYTES];
} ctl_player_info_t;

/// Stats are numbers of a player that a game publishes: score, ammunition, armour.
#define CTL_MAX_STATS       32
#define CTL_STAT_NAME_BYTES 32

typedef struct {
    int32_t count; ///< 0..CTL_MAX_STATS
    char names[CTL_MAX_STATS][CTL_STAT_NAME_BYTES];
} ctl_stat_names_t;

typedef struct {
    int32_t slot;                  ///< of the player, 0..MAX_CLIENTS-1
    uint32_t changed;              ///< bit i: values[i] is sent; all start at 0
    int32_t values[CTL_MAX_STATS]; ///< in the order of the names
} ctl_stats_t;

/// The game's models with bones have the numbers 1 and up in entity_state_t.skeleton.
#define CTL_MAX_MODELS       (FIRST_MAP_SKELETON - 1)
#define CTL_MODEL_NAME_BYTES 32

typedef struct {
    int32_t count;                   ///< 0..CTL_MAX_MODELS
    uint64_t hashes[CTL_MAX_MODELS]; ///< model_t.hash: of the file's contents
    char names[CTL_MAX_MODELS][CTL_MODEL_NAME_BYTES];
} ctl_models_t;

/// One message; `type` selects the union member.
typedef struct {
    control_type_t type;
    union {
        ctl_hello_t hello;
        ctl_ready_t ready;
        ctl_text_t text;
        ctl_welcome_t welcome;
        ctl_refused_t refused;
        ctl_map_t map;
        ctl_movevars_t movevars;
        ctl_chat_t chat;
        ctl_effect_t effect;
        ctl_player_info_t player_info;
        ctl_stat_names_t stat_names;
        ctl_stats_t stats;
        ctl_models_t models;
    } u;
} control_msg_t;

/// Writes a message into a buffer of MAX_MESSAGE_BYTES, which any message fits. Returns its size.
/// Texts are cut and cleaned as MSG_String does, unsafe map names get '_', and an effect's
/// origin is clamped to the world. Any other number out of range is a bug.
size_t CTL_Write(const control_msg_t *msg, uint8_t data[MAX_MESSAGE_BYTES]);

/// Reads a message of a client (`from_client`) or of a server. On failure returns false with the
/// reason and zeroes *msg.
bool CTL_Read(control_msg_t *msg, bool from_client, const uint8_t *data, size_t size, err_t *err);

/// Returns "HELLO", "MAP", ...; "?" for a number that is no type.
const char *CTL_TypeName(control_type_t type);

/// Returns true for a name that is safe as a file name in a map folder: not empty, shorter than
/// MAX_MAP_NAME_BYTES, of letters, digits, `_ - + .`, and without a leading dot.
bool CTL_MapNameIsSafe(const char *name);

#endif
