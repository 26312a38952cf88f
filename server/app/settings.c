/// app/settings.c - turns cvars into the configurations of the network and of the server.

#include "app/app.h"
#include "app/clock.h"
#include "core/token.h"
#include "net/enet_transport.h"
#include "net/key_file.h"
#include "net/key_text.h"

#include <errno.h>
#include <netinet/in.h>
#include <sodium.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Checks that a UDP socket can be bound to `address`. Accepts a port in use by a running server.
static bool check_bind(netaddr_t address, err_t *err) {
    const struct sockaddr_in name = {.sin_family = AF_INET,
                                     .sin_port = htons(address.port),
                                     .sin_addr.s_addr = htonl(address.host)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good = fd >= 0 &&
                (bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 || errno == EADDRINUSE);
    if (!good) {
        char text[32];
        Net_FormatAddress(address, text, sizeof text);
        Err_Set(err, "net_ip, net_port: %s cannot be bound: %s; choose an address of this machine",
                text, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

static bool is_drain_over(void *context) {
    return Clock_Ns() >= ((const app_t *)context)->drain_until_ns;
}

bool App_ReadKey(app_t *app, err_t *err) {
    const char *path = app->console.host.sv_keyfile;
    if (path[0] == '\0') {
        return true;
    }
    app->secret_key = sodium_init() >= 0 ? sodium_malloc(KEY_BYTES) : NULL;
    err_t why = {"out of memory"};
    bool good = app->secret_key && KeyFile_Read(path, app->secret_key, &why);
    return good || Err_Set(err, "sv_keyfile: %s", why.text);
}

// Logs how sessions are sealed, and the key that clients may expect.
static void log_seal(app_t *app) {
    const uint8_t *key = app->net->server_key(app->net);
    char text[KEY_TEXT_BYTES] = "";
    if (key) {
        Key_Format(key, text);
        Log_Print(&app->log, LOG_INFO, "network: seal %s, server key %s%s",
                  app->console.host.sv_seal, text,
                  app->secret_key ? "" : "; set sv_keyfile to keep it after a restart");
    }
}

static net_seal_t seal_mode(const host_cvars_t *host) {
    bool is_off = strcmp(host->sv_seal, "off") == 0;
    bool is_required = strcmp(host->sv_seal, "required") == 0;
    return is_off ? NET_SEAL_OFF : is_required ? NET_SEAL_REQUIRED : NET_SEAL_OFFERED;
}

static auth_mode_t auth_mode(const host_cvars_t *host) {
    bool is_open = strcmp(host->sv_auth, "open") == 0;
    bool is_token = strcmp(host->sv_auth, "token") == 0;
    return is_open ? AUTH_OPEN : is_token ? AUTH_TOKEN : AUTH_PASSWORD;
}

bool App_OpenTransport(app_t *app, err_t *err) {
    host_cvars_t *host = &app->console.host;
    if (auth_mode(host) == AUTH_OPEN && host->sv_password[0] != '\0') {
        Log_Print(&app->log, LOG_WARN,
                  "sv_auth open: joins need no sv_password; set sv_auth password to use it");
    }
    if (auth_mode(host) == AUTH_TOKEN) {
        if (seal_mode(host) == NET_SEAL_OFF) {
            Log_Print(&app->log, LOG_WARN, "sv_seal off: has no effect, because sv_auth is token");
        }
        strlcpy(host->sv_seal, "required", sizeof host->sv_seal);
    }
    enet_transport_config_t config = {.max_peers = host->sv_maxclients + SERVER_SPARE_PEERS,
                                      .is_server = true,
                                      .log = &app->log,
                                      .max_peers_per_address = host->sv_maxperaddress,
                                      .exempt = &app->console.proxies,
                                      .max_waiting = SERVER_SPARE_PEERS,
                                      .is_late = is_drain_over,
                                      .late_context = app,
                                      .allows = Bans_Allow,
                                      .allow_context = &app->bans,
                                      .seal = seal_mode(host),
                                      .secret_key = app->secret_key,
                                      .is_real_time = true,
                                      .without_checksum = host->net_checksum == 0};
    if (strchr(host->net_ip, ':') ||
        !Net_ParseAddress(host->net_ip, (uint16_t)host->net_port, &config.bind, err)) {
        return Err_Set(err,
                       "net_ip: expected an IPv4 address without a port, found \"%.200s\"; "
                       "net_port or -p sets the port",
                       host->net_ip);
    }
    if (app->options.check_only) {
        return check_bind(config.bind, err);
    }
    app->net = EnetTransport_Create(&config, err);
    if (app->net) {
        log_seal(app);
    }
    return app->net != NULL;
}

bool App_CreateServer(app_t *app, err_t *err) {
    const host_cvars_t *host = &app->console.host;
    if (app->console.start_map[0] == '\0' && host->sv_maplist[0] == '\0') {
        return Err_Set(err, "no map: name one with +map NAME, or in the config (map, sv_maplist)");
    }
    uint8_t ticket_key[KEY_BYTES];
    if (app->secret_key) {
        Ticket_Key(app->secret_key, ticket_key);
    }
    const server_config_t config = {.game = app->module.game,
                                    .game_values = app->console.game_values,
                                    .net = app->net,
                                    .exempt = &app->console.proxies,
                                    .log = &app->log,
                                    .max_clients = host->sv_maxclients,
                                    .max_edicts = host->sv_maxedicts,
                                    .snapshot_ticks = host->sv_snapshot_ticks,
                                    .cull_los = host->sv_cull_los != 0,
                                    .send_bones = host->sv_send_bones,
                                    .rates = {host->sv_minrate, host->sv_maxrate},
                                    .allow_download = host->sv_allowdownload != 0,
                                    .download_rate = host->sv_download_rate,
                                    .download_url = host->sv_downloadurl,
                                    .idle_s = host->sv_idle_s,
                                    .grace_ms = host->sv_grace_ms,
                                    .max_per_address = host->sv_maxperaddress,
                                    .seed = (uint64_t)host->sv_seed,
                                    .hostname = host->sv_hostname,
                                    .password = host->sv_password,
                                    .auth = auth_mode(host),
                                    .auth_keys = host->sv_authkeys,
                                    .ticket_key = app->secret_key ? ticket_key : NULL,
                                    .ticket_s = host->sv_ticket_s,
                                    .allows = Bans_AllowId,
                                    .allow_context = &app->bans,
                                    .map_path = host->sv_mappath,
                                    .map_list = host->sv_maplist,
                                    .cvars = app->console.game};
    app->server = Server_Create(&config, err);
    sodium_memzero(ticket_key, sizeof ticket_key);
    if (!app->server || !Server_SetSpectateDelay(app->server, host->sv_spectate_delay_s, err) ||
        !Server_SetGameCheck(app->server, host->sv_gamecheck != 0, err)) {
        return false;
    }
    app->crash.running = Server_Running(app->server);
    return app->console.start_map[0] != '\0'
               ? Server_StartMap(app->server, app->console.start_map, err)
               : Server_NextMap(app->server, err);
}
