/// proto/control.h - the reliable messages of channel 0: join, map, texts, leave.
//
// Units:   ms, qu; ticks as in usercmd_t.
// Errors:  CTL_Read rejects a message with missing or extra bits; then disconnect the sender.
//
// A session: the client sends HELLO. The server sends WELCOME, a PLAYER_INFO per player, and MAP.
// The client sends READY with the epoch of the MAP. Then snapshots, usercmds and texts flow. Each
// new map is a MAP with the next epoch. LEAVE or GOODBYE ends the session. README.md lists all
// messages.

#ifndef EDICTD_PROTO_CONTROL_H
#define EDICTD_PROTO_CONTROL_H

#include "base/err.h"
#include "base/limits.h"
#include "proto/fields.h"
#include "state/entity_state.h"
#include "state/game_event.h"
#include "state/movevars.h"
#include "state/names.h"
#include "state/ticks.h"

/// First number of a HELLO: the bytes "EDCT".
#define PROTO_MAGIC 0x54434445u

/// Version of the protocol. Raise it with every change of a layout. Clients and servers of
/// different versions reject each other.
#define PROTO_VERSION 18

/// Types of messages. C: from a client, at most MAX_REQUEST_BYTES. S: from the server, at most
/// MAX_MESSAGE_BYTES.
typedef enum {
    CTL_HELLO = 1,        ///< C: join
    CTL_READY = 2,        ///< C: the map is loaded, or missing (no prediction)
    CTL_SAY = 3,          ///< C: a chat line
    CTL_COMMAND = 4,      ///< C: a command for the game
    CTL_LEAVE = 5,        ///< C: leave
    CTL_USERINFO = 6,     ///< C: settings of the player: name, colour, ...
    CTL_GET = 7,          ///< C: asks for the map, and confirms its bytes
    CTL_WELCOME = 16,     ///< S: accepted, with a slot
    CTL_REFUSED = 17,     ///< S: rejected, with the reason
    CTL_MAP = 18,         ///< S: the map and its movevars
    CTL_MOVEVARS = 19,    ///< S: the movevars changed
    CTL_PRINT = 20,       ///< S: a text for the screen
    CTL_CHAT = 21,        ///< S: a chat line of a player or the operator
    CTL_PLAYER_INFO = 23, ///< S: the player in a slot, or that the slot is empty
    CTL_GOODBYE = 24,     ///< S: disconnected, with the reason
    CTL_CENTER = 25,      ///< S: a text for the middle of the screen
    CTL_TICKET = 27,      ///< S: a ticket to join again without a new token
    CTL_SKELETONS = 28,   ///< S: the game's models with bones; may follow a MAP
    CTL_NAMES = 29,       ///< S: names of a table, after MAP and when the table grows
    CTL_FIELDS = 30,      ///< S: the game's sent fields; precedes the MAP
    CTL_EVENT = 31,       ///< S: a reliable sound or effect
    CTL_PIECE = 32        ///< S: some bytes of the map
} control_type_t;

#define CTL_PASSWORD_BYTES 64
#define CTL_TOKEN_BYTES    1025
#define CTL_MAX_GRACE_MS   600000

/// A secret of a session. A client that lost the connection returns to its player with it; zeros =
/// none.
typedef struct {
    uint64_t words[2];
} rejoin_key_t;

/// A HELLO. If `version` is not PROTO_VERSION, all other members are zero.
typedef struct {
    uint32_t version; ///< 16 bits on the wire
    bool spectator;
    char name[MAX_NAME_BYTES];
    char password[CTL_PASSWORD_BYTES]; ///< "" = none
    char token[CTL_TOKEN_BYTES];       ///< a token or a ticket; "" = none
    rejoin_key_t rejoin;
} ctl_hello_t;

typedef struct {
    uint32_t epoch; ///< epoch of the loaded MAP
    bool has_map;   ///< false: no file with this name and hash
} ctl_ready_t;

/// A text: SAY, COMMAND, PRINT, CENTER, TICKET or GOODBYE.
typedef struct {
    bool team; ///< SAY: only for the team of the player
    char text[MAX_TEXT_BYTES];
} ctl_text_t;

typedef struct {
    uint32_t version;
    int32_t slot;        ///< 0..max_clients-1; the player is edict slot + 1
    int32_t max_clients; ///< 1..PROTO_MAX_CLIENTS
    char server[MAX_TEXT_BYTES];
    bool is_back;        ///< the client plays the player that waited for it
    int32_t grace_ms;    ///< how long a lost player waits, 0..CTL_MAX_GRACE_MS
    rejoin_key_t rejoin; ///< for the next HELLO
} ctl_welcome_t;

/// A refusal. This layout must never change: clients of all versions show the reason.
typedef struct {
    uint32_t version; ///< of the server; 16 bits on the wire
    char text[MAX_TEXT_BYTES];
} ctl_refused_t;

typedef struct {
    uint32_t epoch;   ///< 1 for the first map, +1 for each; packets have the low 8 bits
    uint64_t hash;    ///< hash of the map: cm_info_t.hash
    int64_t tick;     ///< number of ticks run
    int32_t rate_mhz; ///< ticks in 1,000 s, TICKS_MIN_RATE_MHZ..TICKS_MAX_RATE_MHZ
    char name[MAX_MAP_NAME_BYTES]; ///< passes CTL_MapNameIsSafe
    int32_t packed;                ///< bytes of the download: one zstd frame; 0 = none
    int32_t size;                  ///< bytes after decompression: the files of bsp/map_pack.h
    uint64_t pack_hash;            ///< Hash_Bytes of them
    char url[MAX_URL_BYTES];       ///< of the map's only file; "" = none
    movevars_t vars;
} ctl_map_t;

/// Asks for the download of a MAP, from `offset` on. Later ones confirm the bytes before `offset`,
/// so that the server sends more.
typedef struct {
    uint32_t epoch; ///< epoch of the MAP
    int32_t offset; ///< 0..MAX_DOWNLOAD_BYTES
} ctl_get_t;

#define CTL_PIECE_BYTES 1024

/// The next bytes of the download. They follow those of the last piece.
typedef struct {
    int32_t offset; ///< 0..MAX_DOWNLOAD_BYTES
    int32_t size;   ///< 1..CTL_PIECE_BYTES
    uint8_t data[CTL_PIECE_BYTES];
} ctl_piece_t;

typedef struct {
    int64_t tick; ///< first tick with these movevars
    movevars_t vars;
} ctl_movevars_t;

typedef struct {
    int32_t slot; ///< slot of the speaker, 0..PROTO_MAX_CLIENTS-1; -1 = the operator
    bool team;    ///< only the team of the speaker receives it
    char text[MAX_TEXT_BYTES];
} ctl_chat_t;

typedef struct {
    int64_t tick; ///< number of ticks run
    game_event_t event;
} ctl_event_t;

#define CTL_INFO_KEY_BYTES 32

typedef struct {
    char key[CTL_INFO_KEY_BYTES];
    char value[MAX_INFO_BYTES];
} ctl_info_t;

/// Settings of a player. A USERINFO has those that change.
typedef struct {
    int32_t count; ///< 0..MAX_INFO_KEYS
    ctl_info_t list[MAX_INFO_KEYS];
} ctl_infos_t;

typedef struct {
    int32_t slot; ///< 0..PROTO_MAX_CLIENTS-1
    bool inuse;   ///< false: the player left, the members below are zero
    bool spectator;
    bool is_lost; ///< lost the connection, and waits for its client
    char name[MAX_NAME_BYTES];
    ctl_infos_t infos; ///< all settings of the player that have a value; without name and rate
} ctl_player_info_t;

/// Numbers 1..CTL_MAX_SKELETONS in entity_state_t.skeleton are the game's models.
#define CTL_MAX_SKELETONS       (FIRST_MAP_SKELETON - 1)
#define CTL_SKELETON_NAME_BYTES 32

typedef struct {
    int32_t count;                      ///< 0..CTL_MAX_SKELETONS
    uint64_t hashes[CTL_MAX_SKELETONS]; ///< model_t.hash of each model
    char names[CTL_MAX_SKELETONS][CTL_SKELETON_NAME_BYTES];
} ctl_skeletons_t;

/// Maximum of Names_Cost of all names in a message, so that it fits in one datagram.
#define CTL_NAMES_BYTES 1100

/// Names number first, first + 1, ... of a table.
typedef struct {
    int32_t table; ///< names_table_t
    int32_t first; ///< at most 1 + number of the names that were sent before
    int32_t count; ///< 1..NAMES_MAX - first
    /// Each with its NUL, each passes Names_IsValid. A class or a text may be empty: a placeholder.
    char texts[CTL_NAMES_BYTES];
} ctl_names_t;

/// A message. `type` selects the union's member.
typedef struct {
    control_type_t type;
    union {
        ctl_hello_t hello;
        ctl_ready_t ready;
        ctl_text_t text;
        ctl_welcome_t welcome;
        ctl_refused_t refused;
        ctl_map_t map;
        ctl_get_t get;
        ctl_piece_t piece;
        ctl_movevars_t movevars;
        ctl_chat_t chat;
        ctl_event_t event;
        ctl_player_info_t player_info;
        ctl_infos_t userinfo;
        ctl_skeletons_t skeletons;
        ctl_names_t names;
        field_schema_t fields;
    } u;
} control_msg_t;

/// Writes a message and returns its size. Cuts long texts, replaces invalid characters and clamps
/// an event. All other values must be in range (ASSERT).
size_t CTL_Write(const control_msg_t *msg, uint8_t data[MAX_MESSAGE_BYTES]);

/// Reads a message. If it is invalid, returns false with the reason and zeroes *msg.
bool CTL_Read(control_msg_t *msg, bool from_client, const uint8_t *data, size_t size, err_t *err);

/// Returns the name of a type, such as "HELLO", or "?".
const char *CTL_TypeName(control_type_t type);

/// Returns true if a map name is a safe file name. It must have 1 to MAX_MAP_NAME_BYTES - 1
/// letters, digits or `_ - + .`, and no leading dot.
bool CTL_MapNameIsSafe(const char *name);

/// Returns true for an http or https address of at most MAX_URL_BYTES - 1 visible ASCII characters.
bool CTL_UrlIsSafe(const char *url);

#endif
