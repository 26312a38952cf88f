/// proto/control.h - the reliable messages of channel 0: join, map, text, leave.
//
// Floor:   proto.
// Units:   ms, qu; ticks as in usercmd_t.
// Memory:  plain structs, no pointers.
// Errors:  CTL_Read refuses what does not decode to the last bit, with a reason. The sender of such
//          bytes is dropped.
//
// A session:  client HELLO -> server WELCOME, PLAYER_INFO of everybody, MAP -> client READY with
// the map's epoch -> server snapshots, client usercmds, texts both ways. A map change is another
// MAP with the next epoch. It ends with LEAVE or GOODBYE, then the transport's disconnect.
// common/proto/README.md draws every message.

#ifndef EDICTD_PROTO_CONTROL_H
#define EDICTD_PROTO_CONTROL_H

#include "base/err.h"
#include "base/limits.h"
#include "math/vec3.h"
#include "state/entity_state.h"
#include "state/movevars.h"

/// First number of every HELLO: "EDCT".
#define PROTO_MAGIC 0x54434445u

/// Of all three channels. Any change of a layout raises it; nobody talks across versions.
#define PROTO_VERSION 4

/// A server tick on the wire, ms.
#define CTL_MIN_TICK_MS 8
#define CTL_MAX_TICK_MS 100

/// Number on the wire, name, direction: C = client to server, S = server to client.
typedef enum {
    CTL_HELLO = 1,        ///< C: who joins
    CTL_READY = 2,        ///< C: the map is loaded (or not there: he plays without prediction)
    CTL_SAY = 3,          ///< C: chat
    CTL_COMMAND = 4,      ///< C: a command of his for the game
    CTL_LEAVE = 5,        ///< C: goodbye
    CTL_WELCOME = 16,     ///< S: the slot
    CTL_REFUSED = 17,     ///< S: no, because
    CTL_MAP = 18,         ///< S: the map and the numbers to predict with
    CTL_MOVEVARS = 19,    ///< S: those numbers changed
    CTL_PRINT = 20,       ///< S: a line for the screen
    CTL_CHAT = 21,        ///< S: somebody said
    CTL_EFFECT = 22,      ///< S: something happened at a place
    CTL_PLAYER_INFO = 23, ///< S: who is in a slot, or that it is empty now
    CTL_GOODBYE = 24,     ///< S: why he is dropped
    CTL_CENTER = 25,      ///< S: a line for the middle of the screen
    CTL_STAT_NAMES = 26,  ///< S: which numbers of the players the game tells; after each MAP
    CTL_STATS = 27,       ///< S: some of those numbers of one player changed
    CTL_MODELS = 28       ///< S: the game's models with bones, if it has any; after each MAP
} control_type_t;

/// A HELLO of another version is read as far as `version`; the rest is zero.
typedef struct {
    uint32_t version; ///< 16 bits
    bool spectator;
    char name[MAX_NAME_BYTES];
} ctl_hello_t;

typedef struct {
    uint32_t epoch; ///< of the MAP it answers
    bool has_map;   ///< false: he has no such map, or another one of that name
} ctl_ready_t;

/// SAY, COMMAND, PRINT, CENTER, GOODBYE.
typedef struct {
    char text[MAX_TEXT_BYTES];
} ctl_text_t;

typedef struct {
    uint32_t version;
    int32_t slot;        ///< 0..max_clients-1; he plays edict slot + 1
    int32_t max_clients; ///< 1..MAX_CLIENTS
    char server[MAX_TEXT_BYTES];
} ctl_welcome_t;

/// Its layout never changes, so that a client of any version can show the reason.
typedef struct {
    uint32_t version; ///< the server's, 16 bits
    char text[MAX_TEXT_BYTES];
} ctl_refused_t;

typedef struct {
    uint32_t epoch;  ///< 1.. and up by one with each map; packets carry its low 8 bits
    uint64_t hash;   ///< cmap_t.hash
    int64_t tick;    ///< ticks this world has run so far
    int32_t tick_ms; ///< 8..100
    char name[MAX_MAP_NAME_BYTES]; ///< letters, digits, _ - + and dots inside: never a path
    movevars_t vars;
} ctl_map_t;

typedef struct {
    int64_t tick; ///< the first tick they hold in
    movevars_t vars;
} ctl_movevars_t;

typedef struct {
    int32_t slot; ///< who spoke: 0..MAX_CLIENTS-1, or -1 = the operator
    char text[MAX_TEXT_BYTES];
} ctl_chat_t;

typedef struct {
    int64_t tick;              ///< ticks run when it happened
    int32_t number;            ///< edict it happened to, 0..MAX_EDICTS-1
    vec3_t origin;             ///< finite, within +-MAX_WORLD_COORD
    char text[MAX_TEXT_BYTES]; ///< names it
} ctl_effect_t;

typedef struct {
    int32_t slot; ///< 0..MAX_CLIENTS-1
    bool inuse;   ///< false: he left, the rest is zero
    bool spectator;
    char name[MAX_NAME_BYTES];
} ctl_player_info_t;

/// Numbers of a player that a game can tell: scores, ammunition, armour.
#define CTL_MAX_STATS       32
#define CTL_STAT_NAME_BYTES 32

typedef struct {
    int32_t count; ///< 0..CTL_MAX_STATS
    char names[CTL_MAX_STATS][CTL_STAT_NAME_BYTES];
} ctl_stat_names_t;

typedef struct {
    int32_t slot;                  ///< 0..MAX_CLIENTS-1: whose
    uint32_t changed;              ///< bit i: values[i] is told; all start at 0
    int32_t values[CTL_MAX_STATS]; ///< in the order of the names
} ctl_stats_t;

/// Models with bones that a game has: numbers 1 and up of entity_state_t.skeleton.
#define CTL_MAX_MODELS       (FIRST_MAP_SKELETON - 1)
#define CTL_MODEL_NAME_BYTES 32

typedef struct {
    int32_t count;                   ///< 0..CTL_MAX_MODELS
    uint64_t hashes[CTL_MAX_MODELS]; ///< model_t.hash: of what is in the file
    char names[CTL_MAX_MODELS][CTL_MODEL_NAME_BYTES];
} ctl_models_t;

/// One message: `type` says which member holds.
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

/// Writes a message into a buffer of MAX_MESSAGE_BYTES (any message fits). Returns its size. Texts
/// are cut and cleaned as MSG_WriteString does, an effect's origin is held within the world; other
/// numbers out of range are a bug.
size_t CTL_Write(const control_msg_t *msg, uint8_t data[MAX_MESSAGE_BYTES]);

/// Reads a message. `from_client` says which direction's types are allowed. False with the reason;
/// *msg is then zeroed.
bool CTL_Read(control_msg_t *msg, bool from_client, const uint8_t *data, size_t size, err_t *err);

/// "HELLO", "MAP", ...; "?" for a number that is no type.
const char *CTL_TypeName(control_type_t type);

/// True when a map's name is one that may be looked for in a folder: not empty, shorter than
/// MAX_MAP_NAME_BYTES, letters, digits, _ - + and dots, no dot in front.
bool CTL_MapNameIsSafe(const char *name);

#endif
