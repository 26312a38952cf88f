#include "lib/mass_fixture.h"

#include "base/assert.h"
#include "game/game.h"
#include "lib/map_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPACING    112
#define PER_ROW    32
#define TURN_TICKS 32 // in which a client walks straight

// ---- the transport ----

static void mass_poll(transport_t *net, int64_t now_ms, net_event_t *event) {
    mass_t *mass = (mass_t *)net;
    (void)now_ms;
    *event = mass->next;
    mass->next = (net_event_t){.type = NET_NONE, .peer = -1};
}

static void hear(mass_t *mass, int32_t peer, const void *data, size_t size) {
    control_msg_t msg;
    err_t err;
    bool good = CTL_Read(&msg, false, data, size, &err);
    ASSERT(good);
    mass->clients[peer].is_ready = mass->clients[peer].is_ready || msg.type == CTL_MAP;
}

static bool mass_send(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                      const void *data, size_t size) {
    mass_t *mass = (mass_t *)net;
    mass_client_t *client = &mass->clients[peer];
    (void)reliable;
    if (channel == NET_CHANNEL_CONTROL) {
        hear(mass, peer, data, size);
    } else if (size > SNAPSHOT_BUSY_BYTES) {
        const bool is_lost = Rng_Float(&mass->rng) < client->loss;
        client->snapshots++;
        client->bytes += (int32_t)size;
        client->ticks[client->num_ticks++ % MASS_KEPT] = is_lost ? 0 : mass->server->world->tick;
    }
    return true;
}

static bool mass_send_oob(transport_t *net, netaddr_t to, const void *data, size_t size) {
    (void)net, (void)to, (void)data;
    return size > 0;
}

static void mass_drop(transport_t *net, int32_t peer, net_reason_t reason) {
    (void)peer, (void)reason;
    ((mass_t *)net)->num_dropped++;
}

static void mass_flush(transport_t *net) {
    (void)net;
}

static netaddr_t mass_address(transport_t *net, int32_t peer) {
    (void)net;
    return (netaddr_t){.host = 0x0a320001u + (uint32_t)peer, .port = 4000};
}

static int32_t mass_rtt_ms(transport_t *net, int32_t peer) {
    return ((mass_t *)net)->clients[peer].delay_ticks * 16;
}

static bool mass_is_sealed(transport_t *net, int32_t peer) {
    (void)net, (void)peer;
    return false;
}

static const uint8_t *mass_server_key(transport_t *net) {
    (void)net;
    return NULL;
}

static int64_t mass_half_open_ms(transport_t *net, int32_t peer, netaddr_t *from) {
    (void)net, (void)peer, (void)from;
    return -1;
}

static int64_t mass_silence_ms(transport_t *net, int32_t peer) {
    (void)net, (void)peer;
    return 0;
}

static void mass_admit(transport_t *net, int32_t peer, int32_t silence_ms) {
    (void)net, (void)peer, (void)silence_ms;
}

static net_counters_t mass_counters(transport_t *net) {
    (void)net;
    return (net_counters_t){0};
}

static const char *mass_drops(transport_t *net, int32_t i, uint64_t *count) {
    (void)net, (void)i, (void)count;
    return NULL;
}

static int mass_descriptor(transport_t *net) {
    (void)net;
    return -1;
}

static const transport_more_t more_functions = {
    .send_oob = mass_send_oob,
    .address = mass_address,
    .half_open_ms = mass_half_open_ms,
    .admit = mass_admit,
    .counters = mass_counters,
    .drops = mass_drops,
};

static const transport_t functions = {.poll = mass_poll,
                                      .send = mass_send,
                                      .drop = mass_drop,
                                      .flush = mass_flush,
                                      .rtt_ms = mass_rtt_ms,
                                      .silence_ms = mass_silence_ms,
                                      .is_sealed = mass_is_sealed,
                                      .server_key = mass_server_key,
                                      .descriptor = mass_descriptor,
                                      .more = &more_functions};

// ---- the server ----

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test mass: %s\n", what);
        abort();
    }
}

// Makes a hall with a start for each client.
static void write_map(mass_t *mass) {
    const float half = SPACING * PER_ROW / 2 + 64;
    char *text = malloc(128 * 1024);
    must(text != NULL, "no memory");
    size_t used = (size_t)sprintf(text, "{ \"classname\" \"worldspawn\" }\n");
    for (int32_t i = 0; i < mass->num_clients; i++) {
        used += (size_t)sprintf(
            text + used, "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"%d %d 24\" }\n",
            i % PER_ROW * SPACING - PER_ROW * SPACING / 2,
            i / PER_ROW * SPACING - PER_ROW * SPACING / 2);
    }
    const test_map_t hall = {.room = {{-half, -half, 0.0f}, {half, half, 256.0f}},
                             .entities = text};
    mass->map_file = TestMap_File(&hall, mass->map_path);
    free(text);
}

static void print_line(void *context, log_level_t level, const char *line) {
    (void)context;
    printf("%s: %s\n", Log_LevelName(level), line);
}

mass_t *TestMass_Create(int32_t clients, int32_t snapshot_ticks) {
    err_t err = {{0}};
    int32_t count = 0;
    mass_t *mass = calloc(1, sizeof *mass);
    must(mass != NULL, "no memory");
    mass->base = functions;
    mass->next.peer = -1;
    mass->now_ms = 1000;
    mass->rng.state = 1;
    mass->num_clients = clients;
    mass->log = (log_t){print_line, NULL, getenv("EDICTD_TEST_LOG") ? LOG_INFO : LOG_ERROR};
    write_map(mass);
    server_config_t config = {.game = Game_Export(),
                              .net = &mass->base,
                              .log = &mass->log,
                              .max_clients = clients,
                              .max_edicts = 4096,
                              .snapshot_ticks = snapshot_ticks,
                              .rates = {RATE_MAX, RATE_MAX},
                              .seed = 1,
                              .hostname = "mass",
                              .map_path = "."};
    const cvar_def_t *defs = GameCvars_Defs(&count);
    Cvar_Reset(defs, count, &config.cvars);
    mass->server = Server_Create(&config, &err);
    must(mass->server && Server_StartMap(mass->server, mass->map_path, &err), err.text);
    for (int32_t i = 0; i < clients; i++) {
        mass->clients[i].delay_ticks = 4;
    }
    return mass;
}

static void deliver(mass_t *mass, int32_t peer, net_event_type_t type, uint8_t channel,
                    const void *data, size_t size) {
    mass->next = (net_event_t){.type = type,
                               .peer = peer,
                               .channel = channel,
                               .from = mass_address(&mass->base, peer),
                               .data = data,
                               .size = size};
    Server_Drain(mass->server, mass->now_ms);
}

static void control(mass_t *mass, int32_t peer, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    deliver(mass, peer, NET_MESSAGE, NET_CHANNEL_CONTROL, data, CTL_Write(msg, data));
}

int64_t TestMass_Sent(const mass_t *mass, int32_t client, int32_t n) {
    const mass_client_t *c = &mass->clients[client];
    return n < MASS_KEPT && n < c->num_ticks ? c->ticks[(c->num_ticks - 1 - n) % MASS_KEPT] : 0;
}

// Notes the snapshots that have arrived.
static void receive(mass_t *mass, int32_t i) {
    mass_client_t *client = &mass->clients[i];
    for (int32_t n = 0; n < MASS_KEPT && n < client->num_ticks; n++) {
        const int64_t tick = TestMass_Sent(mass, i, n);
        if (tick > 0 && tick <= client->newest) {
            break;
        }
        if (tick > 0 && tick + client->delay_ticks <= mass->server->world->tick) {
            client->newest = tick;
            break;
        }
    }
}

// Sends a command: the client walks, and turns now and then.
static void command(mass_t *mass, int32_t i) {
    mass_client_t *client = &mass->clients[i];
    const int64_t tick = mass->server->world->tick;
    const uint32_t turn = (uint32_t)((tick + i * 7) / TURN_TICKS + i * 37) * 2654435761u;
    receive(mass, i);
    usercmd_packet_t packet = {.epoch = mass->server->epoch & 0xffu,
                               .ack_tick = client->acks ? client->acks(mass, i) : client->newest,
                               .first_seq = client->next_seq++,
                               .count = 1};
    packet.cmds[0] =
        (usercmd_t){.tick = tick + 1, .msec = 16, .forward = 320, .yaw = (uint16_t)(turn >> 16)};
    uint8_t data[MAX_PACKET_BYTES];
    msg_writer_t msg = MSG_Writer(data, sizeof data);
    UserCmd_Write(&msg, &packet);
    deliver(mass, i, NET_MESSAGE, NET_CHANNEL_USERCMD, data, MSG_Finish(&msg));
}

void TestMass_Run(mass_t *mass, int32_t ticks) {
    for (int32_t n = 0; n < ticks; n++) {
        mass->now_ms += Server_TickMs(mass->server);
        for (int32_t i = 0; i < mass->num_clients; i++) {
            if (mass->clients[i].num_ticks > 0) {
                command(mass, i);
            }
        }
        Server_Tick(mass->server, mass->now_ms);
    }
}

void TestMass_JoinSome(mass_t *mass, int32_t first, int32_t end) {
    for (int32_t i = first; i < end; i++) {
        mass_client_t *client = &mass->clients[i];
        control_msg_t msg = {.type = CTL_HELLO, .u.hello.version = PROTO_VERSION};
        sprintf(msg.u.hello.name, "client %d", i);
        deliver(mass, i, NET_CONNECTED, 0, NULL, 0);
        control(mass, i, &msg);
        must(client->is_ready, "no MAP");
        msg = (control_msg_t){.type = CTL_READY};
        msg.u.ready.epoch = mass->server->epoch;
        msg.u.ready.has_map = true;
        control(mass, i, &msg);
        if (client->rate) {
            snprintf(mass->server->sessions[i].infos[INFO_RATE - 1], MAX_INFO_BYTES, "%s",
                     client->rate);
        }
    }
}

void TestMass_Join(mass_t *mass) {
    TestMass_JoinSome(mass, 0, mass->num_clients);
    TestMass_Run(mass, 40);
    must(mass->num_dropped == 0, "a client was dropped");
}

void TestMass_Free(mass_t *mass) {
    Server_Destroy(mass->server);
    close(mass->map_file);
    free(mass);
}
