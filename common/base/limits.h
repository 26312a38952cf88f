/// base/limits.h - limits of the whole program. Exceeding one is counted and logged.
//
// Units:   as the suffix says; a name without suffix is a count.

#ifndef EDICTD_BASE_LIMITS_H
#define EDICTD_BASE_LIMITS_H

// The world.
#define MAX_EDICTS        65536 // edicts of a world; sv_maxedicts may lower it
#define MAX_CLIENTS       1024  // client slots of a world; sv_maxclients may lower it
#define MAX_WORLD_COORD   65536 // qu; an edict with an origin beyond +- this is quarantined
#define MAX_STRINGS_BYTES 65536 // interned strings of a world (class names, targets)
#define MAX_CALLBACKS     256   // think, touch, use and blocked functions bound by name
#define MAX_THINKS_TICK   8     // thinks of one edict in one tick
#define MAX_EDICT_TIMERS  8192  // timers of all edicts, besides their thinks
#define MAX_TOUCHES       1024  // triggers that one link may touch; others are skipped and counted
#define MAX_EVENTS        8192  // texts and log lines of one tick
#define MAX_GAME_EVENTS   16384 // sounds and effects of one tick
#define MAX_INPUTS        98304 // inputs of one tick; enough for queues and texts of all clients

// Players and their commands.
#define MAX_NAME_BYTES  32   // player name with its NUL
#define MAX_TEXT_BYTES  256  // chat line, print, client command, with its NUL
#define MAX_INFO_KEYS   16   // settings of a player in a message
#define MAX_INFO_BYTES  64   // value of a setting with its NUL
#define MAX_CMD_QUEUE   64   // usercmds that wait in a client's queue
#define MAX_CMD_MSEC    100  // duration of a usercmd, ms
#define MAX_CMDS_PACKET 32   // usercmds in one packet
#define MAX_CREDIT_MS   1000 // maximum of sv_maxcredit_ms, ms

// The wire.
#define MAX_PACKET_BYTES    1200 // maximum of a snapshot or usercmd packet
#define MAX_MESSAGE_BYTES   8192 // maximum of a reliable control message
#define MAX_REQUEST_BYTES   1200 // maximum of a client's control message; fits in one datagram
#define SNAPSHOT_BACKUP     128  // possible baselines of a client: 1 s at 128 Hz
#define MAX_SNAPSHOT_ENTS   2048 // edicts in one snapshot
#define MAX_SNAPSHOT_EVENTS 128  // sounds and effects in one snapshot
#define MAX_QUEUED_EVENTS   256  // sounds and effects that wait for a client
#define PROTO_MAX_CLIENTS   1024 // client slots that fit in the numbers of the protocol
#define NAMES_MAX           1024 // names of a table, of which number 0 means none
#define NAMES_BYTES         (48 * 1024)       // of all tables of names; a name counts length + 2
#define NAMES_GAME_BYTES    (NAMES_BYTES / 2) // of the tables that the game registers

// Maps and files.
#define MAX_MAP_BYTES      (64 * 1024 * 1024) // maximum size of a map file
#define MAX_CONFIG_BYTES   (1024 * 1024)      // maximum size of a config file
#define MAX_SCRIPT_BYTES   (1024 * 1024)      // maximum size of a bot script
#define MAX_MAP_MODELS     4096
#define MAX_MAP_HULLS      4
#define MAX_MAP_MESHES     1024              // .emesh files that a map places
#define MAX_MAP_SKELETONS  256               // .emesh files with bones that a map places
#define MAX_MESHES_BYTES   ((size_t)1 << 30) // of all .emesh files that a map places
#define MAX_MAP_NAME_BYTES 64
#define MAX_DOWNLOAD_BYTES (128 * 1024 * 1024) // of all files of a map that clients can download
#define MAX_URL_BYTES      256                 // address of a map with its NUL
#define MAX_ENTITY_KEYS    64                  // keys of one entity of a map
#define MAX_KEY_BYTES      64                  // key of an entity with its NUL
#define MAX_VALUE_BYTES    1024                // value of an entity key with its NUL
#define MAX_PATH_BYTES     1024

// The console.
#define MAX_CMD_ARGS   64
#define MAX_CMD_LINE   1024 // one command line with its NUL
#define MAX_EXEC_DEPTH 8    // config files that execute each other

#endif
