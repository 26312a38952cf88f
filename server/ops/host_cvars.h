/// ops/host_cvars.h - cvars of the daemon. The simulation does not read these cvars.

#ifndef EDICTD_OPS_HOST_CVARS_H
#define EDICTD_OPS_HOST_CVARS_H

#include "base/cvar.h"

#define MAX_BOTS 64 // child processes

typedef struct {
    int32_t net_port;
    int32_t sv_maxclients;
    int32_t sv_maxperaddress;
    int32_t sv_idle_s;
    int32_t sv_grace_ms;
    int32_t sv_ticket_s;
    int32_t bots;
    int32_t sv_spectate_delay_s;
    int32_t net_checksum;
    int32_t sv_maxedicts;
    int32_t sv_snapshot_ticks;
    int32_t sv_minrate;
    int32_t sv_maxrate;
    int32_t sv_allowdownload;
    int32_t sv_download_rate;
    int32_t sv_cull_los;
    int32_t sv_send_bones;
    int32_t sv_seed;
    int32_t sv_watchdog_ms;
    int32_t sv_gamecheck;
    int32_t sv_sandbox;
    int32_t log_level;
    char net_ip[CVAR_STRING_BYTES];
    char net_control[CVAR_STRING_BYTES];
    char ctl_users[CVAR_STRING_BYTES];
    char sv_hostname[CVAR_STRING_BYTES];
    char sv_password[CVAR_STRING_BYTES];
    char sv_seal[CVAR_STRING_BYTES];
    char sv_keyfile[CVAR_STRING_BYTES];
    char sv_auth[CVAR_STRING_BYTES];
    char sv_authkeys[CVAR_STRING_BYTES];
    char sv_proxies[CVAR_STRING_BYTES];
    char sv_botscript[CVAR_STRING_BYTES];
    char sv_banfile[CVAR_STRING_BYTES];
    char sv_downloadurl[CVAR_STRING_BYTES];
    char sv_mappath[CVAR_STRING_BYTES];
    char sv_maplist[CVAR_STRING_BYTES];
    char log_file[CVAR_STRING_BYTES];
    char log_format[CVAR_STRING_BYTES];
} host_cvars_t;

/// Returns the table of cvars, with offsets into a host_cvars_t.
const cvar_def_t *HostCvars_Defs(int32_t *count);

#endif
