// fuzz_client.c - a hostile server against the whole client library, its map included.
//
// Input:      records: u8 kind % 8, then
//             0 u8 channel % 3, u16 size, bytes: any message
//             1 u16 size, bytes: an out-of-band datagram during a handshake of its own
//             2 u8 ms: a frame of the client so much later, and every question it answers
//             3 u8 count, u16 flip, count * 16 bytes: a valid snapshot of so many entities; one bit
//               is flipped if flip is within it
//             4 u8 map % 3, u8 tick rate, u8 pm_step_ms: WELCOME and MAP of a real map
//             5 6 bytes: input of the player
//             6 u8 reason: the transport reports that the server has left
//             7 nothing: connects again
// Invariants: the client plays, or is disconnected with a reason. A frame sends at most one packet
//             and as many control messages as it received, plus 2; shown poses are finite.

#include "base/assert.h"
#include "base/err.h"
#include "base/limits.h"
#include "bsp/map.h"
#include "edict/client.h"
#include "net/handshake.h"
#include "net/transport.h"
#include "net/wire.h"
#include "proto/control.h"
#include "proto/entity_fields.h"
#include "proto/player_codec.h"
#include "proto/snapshot_codec.h"
#include "state/entity_state.h"
#include "state/player_state.h"
#include "state/ticks.h"
#include "state/usercmd.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER      "tests/fuzz/corpus/bsp"
#define NUM_MAPS    3
#define MAX_RECORDS 400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const map_names[NUM_MAPS] = {"brushes", "bsp29", "bsp30"};
static const netaddr_t server_address = {0x0a000001, 27500, 0};

/// The rest of the input.
typedef struct {
    const uint8_t *at;
    size_t left;
} input_t;

/// The server, and the transport by which the client hears of it.
typedef struct {
    transport_t base;
    net_event_t event; ///< the next one
    uint8_t *copy;     ///< its message, of exact size, so that the sanitizer sees its end
    int32_t sent_control, sent_cmds;
    int64_t now_ms, heard_ms;
    snapshot_ring_t *ring; ///< of the snapshots sent
    uint32_t epoch;
    int64_t tick;
} hostile_t;

static uint8_t take_u8(input_t *in) {
    uint8_t value = in->left > 0 ? in->at[0] : 0;
    in->at += in->left > 0;
    in->left -= in->left > 0;
    return value;
}

static uint32_t take_u16(input_t *in) {
    uint32_t high = take_u8(in);
    return high << 8 | take_u8(in);
}

static const uint8_t *take_bytes(input_t *in, size_t *size) {
    const uint8_t *at = in->at;
    *size = *size < in->left ? *size : in->left;
    in->at += *size;
    in->left -= *size;
    return at;
}

// --- the transport ---------------------------------------------------------------------------

static void hostile_poll(transport_t *base, int64_t now_ms, net_event_t *event) {
    hostile_t *server = (hostile_t *)base;
    ASSERT(now_ms == server->now_ms);
    *event = server->event;
    server->event = (net_event_t){.type = NET_NONE, .peer = -1};
}

static bool hostile_send(transport_t *base, int32_t peer, uint8_t channel, bool reliable,
                         const void *data, size_t size) {
    hostile_t *server = (hostile_t *)base;
    ASSERT(peer == 0 && data && size > 0 && size <= MAX_REQUEST_BYTES);
    ASSERT(reliable == (channel == NET_CHANNEL_CONTROL));
    server->sent_control += reliable;
    server->sent_cmds += !reliable;
    return true;
}

static void hostile_drop(transport_t *base, int32_t peer, net_reason_t reason) {
    ASSERT(base && peer == 0 && reason > NET_REASON_NONE && reason < NET_REASON_COUNT);
}

static void hostile_flush(transport_t *base) {
    (void)base;
}

static void hostile_set_seal(transport_t *base, net_seal_t seal, const uint8_t *server_key) {
    (void)base, (void)seal, (void)server_key;
}

static bool hostile_is_sealed(transport_t *base, int32_t peer) {
    (void)base, (void)peer;
    return true;
}

static int32_t hostile_connect(transport_t *base, netaddr_t to, err_t *err) {
    (void)base, (void)to, (void)err;
    return 0;
}

static int32_t hostile_rtt_ms(transport_t *base, int32_t peer) {
    (void)peer;
    return (int32_t)(((hostile_t *)base)->now_ms % 50000);
}

static int64_t hostile_silence_ms(transport_t *base, int32_t peer) {
    (void)peer;
    return ((hostile_t *)base)->now_ms - ((hostile_t *)base)->heard_ms;
}

static void hostile_traffic(transport_t *base, cl_traffic_t *traffic) {
    (void)base;
    *traffic = (cl_traffic_t){0};
}

// --- the client's questions ------------------------------------------------------------------

static bool is_finite(vec3_t v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static void ask_everything(cl_t *cl) {
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    player_state_t player;
    cl_stats_t stats;
    cl_event_t event;
    int64_t tick = 0;
    uint16_t frac = 0;
    ASSERT(CL_State(cl) != CL_DISCONNECTED || CL_Reason(cl));
    if (CL_Predicted(cl, &player)) {
        ASSERT(is_finite(player.origin) && is_finite(player.velocity));
    }
    int32_t count = CL_Entities(cl, list, MAX_SNAPSHOT_ENTS);
    bool has_time = CL_ViewTime(cl, &tick, &frac);
    for (int32_t i = 0; i < count; i++) {
        pose_t pose;
        cl_bones_t bones;
        ASSERT(i == 0 || list[i - 1].number < list[i].number);
        entity_state_t again;
        ASSERT(CL_Entity(cl, list[i].number, &again) && Entity_Equal(&again, &list[i]));
        if (has_time && CL_EntityPose(cl, list[i].number, tick, frac, &pose)) {
            ASSERT(is_finite(pose.origin) && is_finite(pose.angles));
        }
        if (has_time && CL_EntityBones(cl, list[i].number, tick, frac, &bones)) {
            ASSERT(CL_SkeletonName(cl, bones.skeleton, NULL));
        }
    }
    for (int32_t i = 0; i < 256 && CL_NextEvent(cl, &event); i++) {
        ASSERT(memchr(event.text, 0, sizeof event.text));
    }
    ASSERT(!CL_NextEvent(cl, &event)); // no more wait
    for (int32_t i = 0; i < CL_NumFields(cl, CL_SCOPE_PLAYER); i++) {
        cl_value_t value;
        ASSERT(CL_PlayerField(cl, 0, CL_Field(cl, CL_SCOPE_PLAYER, i), &value) && value.text);
        ASSERT(isfinite(value.real));
    }
    for (int32_t i = 0; i < CL_NumFields(cl, CL_SCOPE_WORLD); i++) {
        cl_value_t value;
        ASSERT(CL_WorldField(cl, CL_Field(cl, CL_SCOPE_WORLD, i), &value) && value.text);
        ASSERT(isfinite(value.real));
    }
    for (int32_t i = 0; i < CL_NumFields(cl, CL_SCOPE_ENTITY) && count > 0; i++) {
        cl_value_t value;
        ASSERT(CL_EntityField(cl, list[0].number, CL_Field(cl, CL_SCOPE_ENTITY, i), &value));
        ASSERT(isfinite(value.real) && value.text);
    }
    CL_Stats(cl, &stats);
}

static void run_frame(hostile_t *server, cl_t *cl, int32_t ms) {
    bool has_message = server->event.type == NET_MESSAGE;
    server->now_ms += ms;
    server->heard_ms = server->event.type != NET_NONE ? server->now_ms : server->heard_ms;
    server->sent_control = server->sent_cmds = 0;
    CL_Frame(cl, server->now_ms);
    ASSERT(server->sent_cmds <= 1 && server->sent_control <= has_message + 2);
    ASSERT(server->event.type == NET_NONE);
    free(server->copy);
    server->copy = NULL;
}

static void send_message(hostile_t *server, cl_t *cl, uint8_t channel, const uint8_t *data,
                         size_t size) {
    server->copy = malloc(size > 0 ? size : 1);
    ASSERT(server->copy);
    memcpy(server->copy, data, size);
    server->event =
        (net_event_t){.type = NET_MESSAGE, .channel = channel, .data = server->copy, .size = size};
    run_frame(server, cl, 0);
}

static void send_control(hostile_t *server, cl_t *cl, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    send_message(server, cl, NET_CHANNEL_CONTROL, data, CTL_Write(msg, data));
}

// --- the records -----------------------------------------------------------------------------

/// Fields of every type, in each scope.
static const field_schema_t *schema(void) {
    static const sent_field_t list[] = {
        {.name = "int", .type = SENT_INT, .flags = SENT_SCORE, .lo = -9, .hi = 200},
        {.name = "float", .type = SENT_FLOAT},
        {.name = "steps", .type = SENT_STEPS, .lo = 0, .hi = 100, .step = 0.5f},
        {.name = "text", .type = SENT_TEXT},
        {.name = "edict", .type = SENT_EDICT}};
    static field_schema_t fields;
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        fields.scopes[scope].count = COUNTOF(list);
        memcpy(fields.scopes[scope].list, list, sizeof list);
    }
    return &fields;
}

/// Makes fields of 3 bytes.
static void make_fields(const uint8_t raw[3], entity_state_t *state) {
    float real = (float)raw[1] / 3.0f;
    int32_t word = 0;
    memcpy(&word, &real, sizeof word);
    Fields_Set(state, 0, raw[0]);
    Fields_Set(state, 1, word);
    Fields_Set(state, 2, raw[1]);
    Fields_Set(state, 3, raw[2]);
    Fields_Set(state, 4, raw[2] % 32);
    (void)Fields_Clamp(&schema()->scopes[Fields_Scope(state->number)], state);
}

static void welcome_and_map(hostile_t *server, cl_t *cl, input_t *in) {
    static cmap_t *maps[NUM_MAPS];
    char path[128];
    int32_t n = take_u8(in) % NUM_MAPS;
    snprintf(path, sizeof path, FOLDER "/%s.bsp", map_names[n]);
    maps[n] = maps[n] ? maps[n] : Map_Load(path, NULL);
    control_msg_t msg = {.type = CTL_WELCOME};
    msg.u.welcome.version = PROTO_VERSION;
    msg.u.welcome.max_clients = 32;
    msg.u.welcome.grace_ms = 5000;
    msg.u.welcome.is_back = CL_State(cl) == CL_RECONNECTING;
    if (CL_State(cl) == CL_CONNECTING || CL_State(cl) == CL_RECONNECTING) {
        send_control(server, cl, &msg);
    }
    msg = (control_msg_t){.type = CTL_FIELDS};
    msg.u.fields = *schema();
    if (CL_State(cl) == CL_LOADING || CL_State(cl) == CL_ACTIVE) {
        send_control(server, cl, &msg);
    }
    msg = (control_msg_t){.type = CTL_MAP};
    msg.u.map.epoch = ++server->epoch;
    msg.u.map.hash = maps[n] ? CM_Info(maps[n]).hash : 1;
    msg.u.map.tick = server->tick;
    msg.u.map.rate_mhz = TICKS_PERIOD_MS / (8 + take_u8(in) % 43);
    msg.u.map.vars = MoveVars_Default();
    msg.u.map.vars.pm_step_ms = take_u8(in) % 17;
    snprintf(msg.u.map.name, sizeof msg.u.map.name, "%s", map_names[n]);
    SnapshotRing_Reset(server->ring, server->epoch, msg.u.map.rate_mhz, schema());
    if (CL_State(cl) == CL_LOADING || CL_State(cl) == CL_ACTIVE) {
        send_control(server, cl, &msg);
        ASSERT(CL_State(cl) == CL_LOADING);
    }
}

/// Makes an entity of 16 bytes.
static entity_state_t make_entity(const uint8_t raw[16], int32_t number) {
    entity_state_t state = {.number = number,
                            .type = raw[0],
                            .model = raw[1] % 8,
                            .solid = raw[2],
                            .owner = raw[3],
                            .origin = {raw[4] * 64 - 8192, raw[5] * 64 - 8192, raw[6] * 32},
                            .mins = {-raw[7] * 8, -raw[7] * 8, 0},
                            .maxs = {raw[7] * 8, raw[8] * 8, raw[9] * 8}};
    const motion_t motion = {.kind = raw[10] % MOTION_COUNT,
                             .duration_ms = 1 + raw[11] * 20,
                             .delta = {(float)raw[12], (float)raw[13], 40.0f},
                             .delta_angles = {0.0f, (float)raw[14], 0.0f},
                             .parent = raw[15] % 32};
    if (raw[10] & 0x80) {
        Entity_SetMotion(&state, &motion, raw[11]);
    } else if (raw[10] & 0x20) {
        const pose_t offset = {{(float)raw[12], (float)raw[13], 8.0f},
                               {0.0f, (float)raw[14], 0.0f}};
        Entity_Follow(&state, 1 + raw[15] % 32, raw[11] % 4 - 1, offset);
    } else if (raw[10] & 0x40) {
        const entity_bones_t bones = {.skeleton = raw[11],
                                      .animations = {raw[12], raw[13]},
                                      .start_ms = {raw[14] * 100, 0},
                                      .blend = (float)raw[15] / 255.0f};
        Entity_SetBones(&state, &bones);
    }
    (void)Entity_Clamp(&state);
    make_fields(&raw[12], &state);
    return state;
}

static void snapshot(hostile_t *server, cl_t *cl, input_t *in) {
    static entity_state_t states[255];
    const entity_state_t *order[255];
    static const uint8_t nothing[16];
    int32_t count = take_u8(in);
    size_t flip = take_u16(in);
    for (int32_t i = 0; i < count; i++) {
        size_t size = 16;
        const uint8_t *raw = take_bytes(in, &size);
        states[i] = make_entity(size == 16 ? raw : nothing, i + 1);
        order[i] = &states[i];
    }
    uint8_t data[MAX_PACKET_BYTES];
    snapshot_stats_t stats;
    snapshot_t now = {.tick = ++server->tick, .cmd_tick = server->tick - 1};
    now.player = Player_Default();
    msg_writer_t out = MSG_Writer(data, sizeof data);
    entity_state_t world = {.number = RECORD_WORLD};
    make_fields((const uint8_t[3]){(uint8_t)count, (uint8_t)flip, 1}, &world);
    const entity_state_t *const infos[1] = {&world};
    const snapshot_parts_t parts = {
        .now = &now, .entities = order, .num_entities = count, .infos = infos, .num_infos = 1};
    Snapshot_Write(&out, server->ring, &parts, &stats);
    size_t size = MSG_Finish(&out);
    if (flip < 8 * size) {
        data[flip / 8] ^= (uint8_t)(1u << flip % 8);
    } else {
        SnapshotRing_Ack(server->ring, now.tick); // the client holds it
    }
    send_message(server, cl, NET_CHANNEL_SNAPSHOT, data, size);
}

/// A datagram during a handshake: only the server's exact answer counts.
static void handshake(const uint8_t *data, size_t size, int64_t now_ms) {
    const guard_t guard = {.max_peers = 1, .has_checksum = true};
    static guard_buckets_t buckets;
    guard_verdict_t verdict;
    handshake_t client;
    handshake_cookie_t reply;
    net_reason_t reason = NET_REASON_NONE;
    guard_datagram_t in = {.data = data, .size = size, .from = server_address, .now_ms = now_ms};
    Guard_Check(&guard, &buckets, &in, &verdict);
    ASSERT(verdict.reply_size == 0 && verdict.action != GUARD_CONNECT); // clients answer nothing
    if (verdict.action != GUARD_OOB) {
        return;
    }
    Handshake_Start(&client, server_address, 0x61626364);
    ASSERT(Handshake_Advance(&client, now_ms) == HANDSHAKE_ASK);
    bool taken = Handshake_TakeCookie(&client, &in, &reply);
    ASSERT(!taken || (size == GUARD_COOKIE_BYTES && memcmp(data + 10, "abcd", 4) == 0));
    ASSERT(!taken || !Handshake_TakeCookie(&client, &in, &reply));
    client.has_cookie = true;
    taken = Handshake_TakeRefusal(&client, &in, 0x61626364, &reason);
    ASSERT(!taken || (size == GUARD_REFUSAL_BYTES && reason >= 0 && reason < NET_REASON_COUNT));
}

static void connect_again(hostile_t *server, cl_t *cl) {
    if (CL_State(cl) == CL_DISCONNECTED) {
        ASSERT(CL_Connect(cl, server_address, "victim", false, NULL));
    }
    if (CL_State(cl) == CL_CONNECTING || CL_State(cl) == CL_RECONNECTING) {
        server->event = (net_event_t){.type = NET_CONNECTED};
        run_frame(server, cl, 1);
    }
}

static void handle(hostile_t *server, cl_t *cl, input_t *in) {
    uint8_t kind = take_u8(in) % 8;
    uint8_t channel = kind == 0 ? take_u8(in) % NET_NUM_CHANNELS : 0;
    size_t size = kind < 2 ? take_u16(in) : 0;
    const uint8_t *bytes = take_bytes(in, &size);
    cl_input_t input = {0};
    switch (kind) {
    case 0:
        send_message(server, cl, channel, bytes,
                     size < MAX_MESSAGE_BYTES ? size : MAX_MESSAGE_BYTES);
        break;
    case 1:
        handshake(bytes, size, server->now_ms);
        break;
    case 2:
        run_frame(server, cl, take_u8(in));
        ask_everything(cl);
        break;
    case 3:
        snapshot(server, cl, in);
        break;
    case 4:
        welcome_and_map(server, cl, in);
        break;
    case 5:
        input.forward = (float)take_u8(in) * 4.0f;
        input.side = (float)take_u8(in) - 128.0f;
        input.up = (float)take_u8(in) - 128.0f;
        input.pitch = (float)take_u8(in) - 128.0f;
        input.yaw = (float)take_u8(in) * 2.0f;
        input.buttons = take_u8(in);
        CL_SetInput(cl, &input);
        break;
    case 6:
        server->event = (net_event_t){.type = NET_LEFT,
                                      .reason = (net_reason_t)(take_u8(in) % NET_REASON_COUNT)};
        run_frame(server, cl, 1);
        break;
    default:
        connect_again(server, cl);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static cl_maps_t *maps;
    static snapshot_ring_t *ring;
    hostile_t server = {.base = {.poll = hostile_poll,
                                 .send = hostile_send,
                                 .drop = hostile_drop,
                                 .flush = hostile_flush,
                                 .connect = hostile_connect,
                                 .set_seal = hostile_set_seal,
                                 .is_sealed = hostile_is_sealed,
                                 .rtt_ms = hostile_rtt_ms,
                                 .silence_ms = hostile_silence_ms,
                                 .traffic = hostile_traffic},
                        .event = {.type = NET_NONE, .peer = -1},
                        .now_ms = 1000,
                        .heard_ms = 1000,
                        .tick = 100};
    input_t in = {data, size};
    maps = maps ? maps : CL_MapsCreate(FOLDER);
    ring = ring ? ring : SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    server.ring = ring;
    SnapshotRing_Reset(ring, 0, TICKS_MAX_RATE_MHZ, NULL);
    cl_t *cl = CL_Create(&(cl_config_t){.net = &server.base, .maps = maps});
    ASSERT(cl && maps && ring);
    connect_again(&server, cl);
    for (int32_t i = 0; i < MAX_RECORDS && in.left > 0; i++) {
        handle(&server, cl, &in);
    }
    run_frame(&server, cl, 20);
    ask_everything(cl);
    CL_Destroy(cl);
    return 0;
}
