#include "ops/host_cvars.h"

#include "base/limits.h"

// clang-format off
#define INT(name, flags, def, min, max, unit, help) \
    {#name, CVAR_INT, flags, def, min, max, unit, help, offsetof(host_cvars_t, name)}
#define TEXT(name, flags, def, help) \
    {#name, CVAR_STRING, flags, def, 0, 0, "", help, offsetof(host_cvars_t, name)}

static const cvar_def_t host_cvar_defs[] = {
    INT(net_port, CVAR_INIT, "27500", 0, 65535, "", "UDP port; 0 = any free one"),
    TEXT(net_ip, CVAR_INIT, "0.0.0.0", "address to listen on; 0.0.0.0 = all"),
    INT(sv_maxclients, CVAR_INIT, "32", 1, MAX_CLIENTS, "", "client slots"),
    INT(sv_maxperaddress, CVAR_INIT, "0", 0, MAX_CLIENTS, "",
        "connections one address may hold; 0 = no limit"),
    INT(net_checksum, CVAR_INIT, "1", 0, 1, "",
        "0 = for clients whose ENet has no checksum: forged goodbyes get easier"),
    INT(sv_maxedicts, CVAR_INIT, "4096", 2, MAX_EDICTS, "", "edicts of a world"),
    INT(sv_snapshot_ticks, 0, "1", 1, 32, "ticks", "a snapshot to each client every so many ticks"),
    INT(sv_tell_bones, 0, "1", 0, 2, "",
        "what models with bones do is told to clients: 0 of none, 1 of all but players, 2 of all"),
    INT(sv_seed, CVAR_INIT, "1", 0, 2147483647, "", "of the world's random numbers"),
    INT(sv_watchdog_ms, 0, "5000", 0, 3600000, "ms",
        "a tick that runs longer is logged and ends the server with status 3; 0 = off"),
    INT(log_level, 0, "2", 0, 3, "", "0 errors, 1 warnings, 2 information, 3 debug"),
    TEXT(log_file, CVAR_INIT, "", "file that log lines are added to; empty = standard error only"),
    TEXT(sv_hostname, 0, "edictd", "the server's name"),
    TEXT(sv_mappath, 0, "maps", "folders with compiled maps, joined by ':'"),
    TEXT(sv_maplist, 0, "",
         "maps of one match after the other, joined by spaces; empty = what the game says"),
};
// clang-format on

const cvar_def_t *HostCvars_Defs(int32_t *count) {
    *count = (int32_t)COUNTOF(host_cvar_defs);
    return host_cvar_defs;
}
