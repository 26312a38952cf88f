#include "edict/client.h"

#include "bsp/map.h"
#include "client/cl_local.h"
#include "model/model.h"
#include "net/key_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WELCOME_TIMEOUT_MS 20000
#define RETURN_TRY_MS      2000 // first attempt to reconnect; each is twice as long as the last
#define RETURN_TRY_MAX_MS  8000
#define INFOS_AT_ONCE      8
#define MAX_CLOCK_MS       (INT64_C(1) << 50) // 35,000 years
#define MAX_WAITED_US      1000000            // maximum wait of a message for its frame
#define MAX_EVENTS_FRAME   4096 // transport events per CL_Frame; the next call handles the rest

// ---- create and destroy ----

cl_t *CL_Create(const cl_config_t *config) {
    bool is_good = config->net && config->cmd_ms >= 0 && config->cmd_ms <= MAX_CMD_MSEC &&
                   config->interp_ms <= CL_MAX_INTERP_MS && config->silence_ms >= 0 &&
                   config->smooth_ms >= 0;
    cl_t *cl = is_good ? calloc(1, sizeof *cl) : NULL;
    if (!cl) {
        return NULL;
    }
    cl->ring = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    if (!cl->ring) {
        free(cl);
        return NULL;
    }
    cl->config = *config;
    cl->peer = -1;
    cl->slot = -1;
    return cl;
}

void Client_ReleaseMap(cl_t *cl) {
    CL_MapsRelease(cl->config.maps, cl->cmap);
    cl->cmap = NULL;
}

void CL_Destroy(cl_t *cl) {
    if (cl) {
        Client_ReleaseMap(cl);
        Client_EndDownload(cl);
        SnapshotRing_Destroy(cl->ring);
        free(cl);
    }
}

// ---- the connection ----

static void end_session(cl_t *cl, const char *text) {
    cl->state = CL_DISCONNECTED;
    cl->peer = -1;
    cl->slot = -1;
    cl->has_map_info = false;
    Client_ReleaseMap(cl);
    Client_EndDownload(cl);
    cl->skeletons.count = 0;
    Client_ResetNames(cl);
    memset(&cl->schema, 0, sizeof cl->schema);
    memset(&cl->next_schema, 0, sizeof cl->next_schema);
    for (int32_t slot = 0; slot < PROTO_MAX_CLIENTS; slot++) {
        if (cl->players[slot].inuse) { // a write would make the page resident
            cl->players[slot].inuse = false;
        }
    }
    snprintf(cl->reason, sizeof cl->reason, "%s", text);
}

void Client_Drop(cl_t *cl, net_reason_t reason, const char *text) {
    transport_t *net = cl->config.net;
    if (cl->peer >= 0) {
        net->drop(net, cl->peer, reason);
    }
    Client_Event(cl, CL_EVENT_DROPPED, 0, text);
    end_session(cl, text);
}

static bool is_loss(net_reason_t reason) {
    return reason == NET_REASON_NONE || reason == NET_REASON_TIMEOUT ||
           reason == NET_REASON_OVERFLOW;
}

void Client_Lose(cl_t *cl, net_reason_t reason, const char *text) {
    transport_t *net = cl->config.net;
    const bool is_joined = cl->state == CL_LOADING || cl->state == CL_ACTIVE;
    if (cl->peer >= 0) {
        net->drop(net, cl->peer, reason);
    }
    cl->peer = -1;
    const bool is_crowded = reason == NET_REASON_FULL || reason == NET_REASON_ADDRESS;
    if (cl->state == CL_RECONNECTING && (is_loss(reason) || is_crowded)) {
        return; // the next attempt follows; lost connections may still count at the server
    }
    if (!is_joined || !is_loss(reason) || cl->config.no_reconnect || cl->back.grace_ms == 0) {
        Client_Event(cl, CL_EVENT_DROPPED, 0, text);
        end_session(cl, text);
        return;
    }
    cl->state = CL_RECONNECTING;
    cl->is_busy = false;
    cl->back.tries = 0;
    cl->back.end_ms = cl->now_ms + cl->back.grace_ms;
    cl->deadline_ms = cl->now_ms;
    for (int32_t slot = 0; slot < PROTO_MAX_CLIENTS; slot++) {
        if (cl->players[slot].inuse) {
            cl->players[slot].is_stale = true;
        }
    }
    snprintf(cl->reason, sizeof cl->reason, "%s", text);
    Client_Event(cl, CL_EVENT_RECONNECTING, 0, text);
}

// Begins the next attempt to return when the last one has failed.
static void try_return(cl_t *cl) {
    transport_t *net = cl->config.net;
    char text[MAX_TEXT_BYTES];
    err_t err;
    if (cl->now_ms >= cl->back.end_ms) {
        snprintf(text, sizeof text, "%.160s, and no attempt to reconnect succeeded within %d ms",
                 cl->reason, cl->back.grace_ms);
        Client_Drop(cl, NET_REASON_TIMEOUT, text);
        return;
    }
    if (cl->now_ms < cl->deadline_ms) {
        return;
    }
    if (cl->peer >= 0) {
        net->drop(net, cl->peer, NET_REASON_TIMEOUT);
    }
    cl->peer = net->connect(net, cl->back.server, &err); // -1 while older ones end
    if (cl->peer >= 0) {
        cl->deadline_ms =
            cl->now_ms + Q_MinI(RETURN_TRY_MS << Q_MinI(cl->back.tries, 4), RETURN_TRY_MAX_MS);
        cl->back.tries++;
    }
}

bool CL_Connect(cl_t *cl, netaddr_t server, const char *name, bool spectator, err_t *err) {
    transport_t *net = cl->config.net;
    if (cl->state != CL_DISCONNECTED) {
        return Err_Set(err, "client: already connected; call CL_Disconnect first");
    }
    if (strlen(name) >= MAX_NAME_BYTES) {
        return Err_Set(err, "player name: expected at most %d bytes, found %zu", MAX_NAME_BYTES - 1,
                       strlen(name));
    }
    int32_t peer = net->connect(net, server, err);
    if (peer < 0) {
        return false;
    }
    cl->peer = peer;
    cl->back = (cl_return_t){.server = server};
    cl->state = CL_CONNECTING;
    cl->deadline_ms = INT64_MAX; // the transport limits the time to connect
    cl->spectator = spectator;
    cl->is_busy = false;
    cl->reason[0] = '\0';
    cl->map = (ctl_map_t){0};
    snprintf(cl->name, sizeof cl->name, "%s", name);
    SnapshotRing_Reset(cl->ring, 0, TICKS_MIN_RATE_MHZ, NULL);
    Client_ViewReset(cl);
    cl->clock = (cl_clock_t){0};
    Client_ResetRoundTrip(cl);
    Client_ResetCmds(cl, true);
    return true;
}

bool CL_SetSeal(cl_t *cl, uint32_t seal, const char *server_key, err_t *err) {
    transport_t *net = cl->config.net;
    uint8_t key[KEY_BYTES];
    if (seal > CL_SEAL_OFF) {
        return Err_Set(err, "seal: expected a value of CL_SEAL_*, found %u", seal);
    }
    if (server_key && !Key_Parse("server key", server_key, key, err)) {
        return false;
    }
    net->set_seal(net, seal, server_key ? key : NULL);
    return true;
}

bool CL_IsSealed(const cl_t *cl) {
    transport_t *net = cl->config.net;
    return cl->peer >= 0 && net->is_sealed(net, cl->peer);
}

bool CL_SetPassword(cl_t *cl, const char *password, err_t *err) {
    if (strlen(password) >= sizeof cl->password) {
        return Err_Set(err, "password of %zu bytes: expected at most %zu", strlen(password),
                       sizeof cl->password - 1);
    }
    snprintf(cl->password, sizeof cl->password, "%s", password);
    return true;
}

bool CL_SetToken(cl_t *cl, const char *token, err_t *err) {
    transport_t *net = cl->config.net;
    if (token[0] != '\0' && !net->server_key(net)) {
        return Err_Set(err, "a token needs the public key of its server: set server_key of the "
                            "transport");
    }
    if (strlen(token) >= sizeof cl->token) {
        return Err_Set(err, "token of %zu bytes: expected at most %zu", strlen(token),
                       sizeof cl->token - 1);
    }
    snprintf(cl->token, sizeof cl->token, "%s", token);
    return true;
}

void CL_Disconnect(cl_t *cl) {
    transport_t *net = cl->config.net;
    if (cl->state == CL_DISCONNECTED) {
        return;
    }
    const control_msg_t leave = {.type = CTL_LEAVE};
    if (cl->state == CL_LOADING || cl->state == CL_ACTIVE) {
        (void)Client_Send(cl, &leave);
    }
    if (cl->peer >= 0) {
        net->drop(net, cl->peer, NET_REASON_LEFT);
    }
    end_session(cl, "left");
}

_Static_assert(2 + INFOS_AT_ONCE * (4 + CTL_INFO_KEY_BYTES + MAX_INFO_BYTES) <= MAX_REQUEST_BYTES,
               "a message with so many settings is one datagram");

static bool send_infos(cl_t *cl, int32_t first, int32_t max) {
    control_msg_t msg = {.type = CTL_USERINFO};
    msg.u.userinfo.count = Q_MinI(cl->infos.count - first, max);
    memcpy(msg.u.userinfo.list, &cl->infos.list[first],
           (size_t)msg.u.userinfo.count * sizeof cl->infos.list[0]);
    return Client_Send(cl, &msg);
}

bool CL_SetInfo(cl_t *cl, const char *key, const char *value, err_t *err) {
    ctl_infos_t *infos = &cl->infos;
    int32_t at = 0;
    while (at < infos->count && strcmp(infos->list[at].key, key) != 0) {
        at++;
    }
    if (strlen(key) >= CTL_INFO_KEY_BYTES || strlen(value) >= MAX_INFO_BYTES) {
        return Err_Set(err, "setting: expected a key of at most %d and a value of at most %d bytes",
                       CTL_INFO_KEY_BYTES - 1, MAX_INFO_BYTES - 1);
    }
    if (at == MAX_INFO_KEYS) {
        return Err_Set(err, "setting \"%s\": expected at most %d settings", key, MAX_INFO_KEYS);
    }
    infos->count += at == infos->count ? 1 : 0;
    snprintf(infos->list[at].key, CTL_INFO_KEY_BYTES, "%s", key);
    snprintf(infos->list[at].value, MAX_INFO_BYTES, "%s", value);
    bool is_joined = cl->state == CL_LOADING || cl->state == CL_ACTIVE;
    return !is_joined || send_infos(cl, at, 1) || Err_Set(err, "setting \"%s\": not sent", key);
}

static void connected(cl_t *cl) {
    control_msg_t hello = {.type = CTL_HELLO};
    transport_t *net = cl->config.net;
    if (cl->token[0] != '\0' && !(net->is_sealed(net, cl->peer) && net->server_key(net))) {
        Client_Drop(cl, NET_REASON_SEAL,
                    "the token was not sent: it needs a sealed session and the key of its server");
        return;
    }
    hello.u.hello.version = PROTO_VERSION;
    hello.u.hello.spectator = cl->spectator;
    memcpy(hello.u.hello.name, cl->name, sizeof hello.u.hello.name);
    memcpy(hello.u.hello.password, cl->password, sizeof hello.u.hello.password);
    memcpy(hello.u.hello.token, cl->token, sizeof hello.u.hello.token);
    if (cl->state == CL_RECONNECTING && (!cl->back.was_sealed || CL_IsSealed(cl))) {
        hello.u.hello.rejoin = cl->back.key;
    }
    (void)Client_Send(cl, &hello); // fails only if the connection is lost
    for (int32_t first = 0; first < cl->infos.count; first += INFOS_AT_ONCE) {
        (void)send_infos(cl, first, INFOS_AT_ONCE);
    }
    if (cl->state == CL_CONNECTING) {
        cl->deadline_ms = cl->now_ms + WELCOME_TIMEOUT_MS;
    }
}

// Returns the longest possible wait of a message: the time since a poll left none. A longer wait
// comes from a step of the system's clock.
static int32_t longest_wait_us(const cl_t *cl) {
    const int64_t us = (cl->now_ms - cl->drained_ms + 1) * 1000; // times are rounded to ms
    return us < MAX_WAITED_US ? (int32_t)us : MAX_WAITED_US;
}

static void transport_event(cl_t *cl, const net_event_t *event) {
    if (event->peer != cl->peer || cl->state == CL_DISCONNECTED) {
        return; // an event of an earlier session
    }
    if (event->type == NET_CONNECTED) {
        connected(cl);
    } else if (event->type == NET_LEFT) {
        cl->peer = -1;
        Client_Lose(cl, (net_reason_t)event->reason, Net_ReasonText((net_reason_t)event->reason));
    } else if (event->type == NET_MESSAGE) {
        cl->waited_us = Q_ClampI(event->waited_us, 0, longest_wait_us(cl));
        Client_Message(cl, event->channel, event->data, event->size);
    }
}

/// Ends the session if the server is dead or out of reach.
static void check_silence(cl_t *cl) {
    transport_t *net = cl->config.net;
    int32_t limit_ms = cl->config.silence_ms > 0 ? cl->config.silence_ms : CL_SILENCE_MS;
    limit_ms = cl->is_busy ? Q_MaxI(limit_ms, NET_BUSY_MS) : limit_ms;
    if (cl->peer >= 0 && net->silence_ms(net, cl->peer) > limit_ms) {
        char text[MAX_TEXT_BYTES];
        snprintf(text, sizeof text, "the server sent nothing for %d ms", limit_ms);
        Client_Lose(cl, NET_REASON_TIMEOUT, text);
    }
}

void CL_Frame(cl_t *cl, int64_t now_ms) {
    transport_t *net = cl->config.net;
    net_event_t event;
    // The clock never runs backwards, and its sums stay far from the limits of a number.
    now_ms = now_ms > MAX_CLOCK_MS ? MAX_CLOCK_MS : now_ms;
    now_ms = now_ms > cl->now_ms ? now_ms : cl->now_ms;
    cl->now_ms = now_ms;
    for (int32_t i = 0; i < MAX_EVENTS_FRAME; i++) {
        net->poll(net, now_ms, &event);
        if (event.type == NET_NONE) {
            cl->drained_ms = now_ms;
            break;
        }
        transport_event(cl, &event);
    }
    check_silence(cl);
    Client_DownloadFrame(cl);
    if (cl->state == CL_RECONNECTING) {
        try_return(cl);
    }
    if ((cl->state == CL_CONNECTING || cl->state == CL_LOADING) && now_ms > cl->deadline_ms) {
        Client_Drop(cl, NET_REASON_TIMEOUT,
                    cl->state == CL_CONNECTING ? "the server did not accept the connection in time"
                                               : "the server sent no snapshot in time");
    }
    if (cl->state == CL_ACTIVE) {
        Client_SendCmds(cl); // of a player who saw the last frame
        Client_ViewFrame(cl);
    }
    net->flush(net);
}

// ---- input ----

void CL_SetInput(cl_t *cl, const cl_input_t *input) {
    uint8_t impulse = input->impulse ? input->impulse : cl->input.impulse;
    cl->input = *input;
    cl->input.impulse = impulse;
    cl->pressed |= input->buttons;
}

static bool send_text(cl_t *cl, control_type_t type, bool team, const char *text) {
    control_msg_t msg = {.type = type};
    if (cl->state != CL_LOADING && cl->state != CL_ACTIVE) {
        return false;
    }
    msg.u.text.team = team;
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", text);
    return Client_Send(cl, &msg);
}

bool CL_Say(cl_t *cl, const char *text) {
    return send_text(cl, CTL_SAY, false, text);
}

bool CL_SayTeam(cl_t *cl, const char *text) {
    return send_text(cl, CTL_SAY, true, text);
}

bool CL_Command(cl_t *cl, const char *text) {
    return send_text(cl, CTL_COMMAND, false, text);
}

// ---- state ----

const snapshot_t *Client_Newest(const cl_t *cl) {
    return cl->state == CL_DISCONNECTED
               ? NULL
               : SnapshotRing_Find(cl->ring, SnapshotRing_Newest(cl->ring));
}

cl_state_t CL_State(const cl_t *cl) {
    return cl->state;
}

const char *CL_Reason(const cl_t *cl) {
    bool is_out = cl->state == CL_DISCONNECTED || cl->state == CL_RECONNECTING;
    return is_out ? cl->reason : "";
}

int32_t CL_Slot(const cl_t *cl) {
    return cl->slot;
}

int64_t CL_ServerTick(const cl_t *cl) {
    const snapshot_t *snapshot = Client_Newest(cl);
    return snapshot ? snapshot->tick : 0;
}

int32_t CL_TickRate(const cl_t *cl) {
    return cl->map.rate_mhz;
}

float CL_MaxSpeed(const cl_t *cl) {
    player_state_t self;
    bool is_spectator =
        CL_Self(cl, &self) && (self.pm_type == PM_SPECTATOR || self.movetype == MOVETYPE_NOCLIP);
    return is_spectator ? cl->map.vars.sv_spectatormaxspeed : cl->map.vars.sv_maxspeed;
}

const char *CL_MapName(const cl_t *cl) {
    return cl->map.name;
}

const cmap_t *CL_LoadedMap(const cl_t *cl) {
    return cl->cmap;
}

bool CL_HasMap(const cl_t *cl) {
    return cl->cmap != NULL;
}

const char *CL_MapFault(const cl_t *cl) {
    return cl->cmap ? "" : cl->map_fault.text;
}

bool CL_Self(const cl_t *cl, player_state_t *player) {
    const snapshot_t *snapshot = Client_Newest(cl);
    if (snapshot) {
        *player = snapshot->player;
    }
    return snapshot != NULL;
}

const char *CL_SkeletonName(const cl_t *cl, int32_t skeleton, uint64_t *hash) {
    uint64_t none = 0;
    hash = hash ? hash : &none;
    *hash = 0;
    if (skeleton < 1) {
        return "";
    }
    int32_t of_game = skeleton - 1;
    int32_t of_map = skeleton - FIRST_MAP_SKELETON;
    const model_t *model = cl->cmap ? Map_Skeleton(cl->cmap, of_map) : NULL;
    if (model) {
        *hash = model->hash;
        return Map_SkeletonFile(cl->cmap, of_map);
    }
    if (of_game >= 0 && of_game < cl->skeletons.count) {
        *hash = cl->skeletons.hashes[of_game];
        return cl->skeletons.names[of_game];
    }
    return "";
}

void CL_Stats(cl_t *cl, cl_stats_t *stats) {
    transport_t *net = cl->config.net;
    *stats = cl->stats;
    stats->rtt_ms = cl->peer >= 0 ? Client_RoundTrip(cl) : 0;
    stats->lead_ms = cl->clock.lead_ms;
    net->traffic(net, &stats->net);
}
