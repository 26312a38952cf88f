#include "ops/host_cvars.h"

#include "base/limits.h"
#include "core/download.h"
#include "core/rate.h"
#include "proto/control.h"

// clang-format off
#define INT(name, flags, def, min, max, unit, help) \
    {#name, CVAR_INT, flags, def, min, max, unit, help, offsetof(host_cvars_t, name)}
#define TEXT(name, flags, def, help) \
    {#name, CVAR_STRING, flags, def, 0, 0, "", help, offsetof(host_cvars_t, name)}

static const cvar_def_t host_cvar_defs[] = {
    INT(net_port, CVAR_INIT, "27500", 0, 65535, "", "UDP port; 0 = any free port"),
    TEXT(net_ip, CVAR_INIT, "0.0.0.0", "IPv4 address to listen on; 0.0.0.0 = all addresses"),
    INT(sv_maxclients, CVAR_INIT, "32", 1, MAX_CLIENTS, "", "maximum number of players"),
    INT(sv_maxperaddress, CVAR_INIT, "8", 0, MAX_CLIENTS, "",
        "maximum connections from one address that is not in sv_proxies; 0 = no limit"),
    TEXT(sv_proxies, 0, "127.0.0.1",
         "addresses or ranges, separated by spaces, that many players share, such as relays: "
         "without limits of connections and joins per address"),
    INT(sv_idle_s, 0, "300", 0, 86400, "s",
        "a player idle for so long is removed when another one needs the slot; 0 = never"),
    INT(sv_grace_ms, 0, "10000", 0, CTL_MAX_GRACE_MS, "ms",
        "a player whose connection was lost waits so long for its client; 0 = it leaves"),
    INT(bots, 0, "0", 0, MAX_BOTS, "",
        "players to fill the server up to with bots, which leave when people join; 0 = no bots"),
    INT(sv_spectate_delay_s, 0, "0", 0, 60, "s",
        "spectators receive the match so much later, with sv_spectate 2; 0 = at once"),
    INT(net_checksum, CVAR_INIT, "1", 0, 1, "",
        "1 = ENet packets carry a checksum; 0 = they carry none, for clients "
        "without checksums; packets are then easier to forge"),
    {"sv_seal", CVAR_STRING, CVAR_INIT, "offered", 0, 0, "off|offered|required",
        "encrypted sessions: offered = clients without the seal may join, too",
        offsetof(host_cvars_t, sv_seal)},
    TEXT(sv_keyfile, CVAR_INIT, "",
         "file with the server's secret key (edict-ctl key new); empty = a new key at each start"),
    INT(sv_maxedicts, CVAR_INIT, "4096", 2, MAX_EDICTS, "",
        "maximum number of edicts; must be greater than sv_maxclients"),
    INT(sv_snapshot_ticks, 0, "1", 1, 32, "ticks", "interval between two snapshots to a client"),
    INT(sv_minrate, 0, "16000", 1000, RATE_MAX, "bytes/s",
        "least rate of a client's snapshots, even on a bad connection; sv_maxrate wins"),
    INT(sv_maxrate, 0, "100000", 1000, RATE_MAX, "bytes/s",
        "maximum rate of a client's snapshots, with 64 bytes of headers each; a client may wish "
        "less (its setting rate)"),
    INT(sv_allowdownload, 0, "1", 0, 1, "",
        "1 = clients that lack a map can download it, from its start on; 0 = they cannot"),
    INT(sv_download_rate, 0, "500000", DOWNLOAD_MIN_RATE, DOWNLOAD_MAX_RATE, "bytes/s",
        "maximum rate of a client's download; it has no snapshots meanwhile"),
    TEXT(sv_downloadurl, 0, "",
         "http or https folder with the same maps, for clients that can load them from there; "
         "empty = none"),
    INT(sv_cull_los, 0, "1", 0, 1, "",
        "1 = clients receive only the players that they may soon see, and their team; "
        "0 = also those behind walls, if the map's visibility has them"),
    INT(sv_send_bones, 0, "1", 0, 2, "",
        "animations sent to clients: 0 = none, 1 = of all edicts but players, 2 = of all"),
    INT(sv_seed, CVAR_INIT, "1", 0, 2147483647, "", "seed of the world's random numbers"),
    INT(sv_watchdog_ms, 0, "5000", 0, 3600000, "ms",
        "a tick that runs longer is logged and ends the server with status 3; 0 = off"),
    INT(sv_gamecheck, 0, "0", 0, 1, "",
        "for authors of games: 1 = log what the game writes to the wrong place or does not link; "
        "slow"),
    INT(sv_sandbox, CVAR_INIT, "1", 0, 1, "",
        "1 = once it runs, the server starts no program and opens no socket or other files"),
    INT(log_level, 0, "2", 0, 3, "", "0 = errors, 1 = warnings, 2 = information, 3 = debug"),
    TEXT(log_file, CVAR_INIT, "", "file to append log lines to; empty = standard error only"),
    {"log_format", CVAR_STRING, 0, "text", 0, 0, "text|json",
        "json = a log line is a JSON object, after the configuration was read",
        offsetof(host_cvars_t, log_format)},
    TEXT(net_control, CVAR_INIT, "auto",
         "control socket for edict-ctl: auto, off or a path; auto = PORT.sock in /run/edictd for "
         "root, otherwise in $XDG_RUNTIME_DIR/edictd or /tmp/edictd-UID"),
    TEXT(ctl_users, CVAR_INIT, "",
         "other users of the control socket with their roles, as \"alice=operate bob=watch\"; "
         "roles: watch, operate, admin"),
    TEXT(sv_hostname, 0, "edictd", "the server's name"),
    {"sv_password", CVAR_STRING, CVAR_SECRET, "", 0, CTL_PASSWORD_BYTES - 1, "",
        "password that a join needs; empty = none; encrypted in sealed sessions only",
        offsetof(host_cvars_t, sv_password)},
    {"sv_auth", CVAR_STRING, CVAR_INIT, "password", 0, 0, "open|password|token",
        "what a join needs: nothing, sv_password, or a token (docs/tokens.md)",
        offsetof(host_cvars_t, sv_auth)},
    TEXT(sv_authkeys, 0, "",
         "up to 4 public keys that sign tokens, separated by spaces (edict-ctl key sign)"),
    INT(sv_ticket_s, 0, "3600", 0, 604800, "s",
        "for so long, a player who joined with a token may join again without one"),
    TEXT(sv_botscript, CVAR_INIT, "",
         "Lua script of the bots (man edict-bot); empty = examples/fighter.lua of this version"),
    TEXT(sv_banfile, CVAR_INIT, "", "file that keeps the bans; empty = they end with the server"),
    TEXT(sv_mappath, 0, "maps",
         "folders with compiled maps, separated by ':'; by default also the installed ones"),
    TEXT(sv_maplist, 0, "",
         "maps to play in turn, separated by spaces; empty = the game chooses the next map"),
};
// clang-format on

const cvar_def_t *HostCvars_Defs(int32_t *count) {
    *count = (int32_t)COUNTOF(host_cvar_defs);
    return host_cvar_defs;
}
