/// core/delay.c - the feed of sv_spectate_delay_s.
//
// The feed is a ring of bytes: snapshots in the protocol's code, messages, sounds and effects. Two
// private snapshot rings encode and decode; each packet is a delta to the one before.
// Reads the world between ticks, never writes it.

#include "core/delay.h"

#include "math/angles.h"
#include "proto/entity_fields.h"
#include "state/shown.h"
#include "world/bits.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEED_BYTES_S   (256 * 1024)  // of the feed, per second of delay
#define PLAYER_BYTES_S 512           // of the feed, per second and client slot
#define FEED_BYTES     (1024 * 1024) // of the feed, for the bursts of a short delay
#define TEXTS_BYTES    (64 * 1024)   // at the end of a full feed, for texts only
#define LOG_WINDOW_MS  5000
#define EVERYBODY      (-1) // in place of the slot that an edict is hidden from
#define HIDDEN         (-2)

typedef enum { HELD_SNAPSHOT, HELD_TEXT, HELD_EMISSION } held_kind_t;

typedef struct {
    int64_t tick; // ticks that had run
    int64_t ms;   // time of the server
    int32_t kind; // held_kind_t
    int32_t size; // bytes that follow
} held_t;

typedef struct {
    client_mask_t clients;
    uint8_t data[MAX_MESSAGE_BYTES];
} held_text_t;

struct delay_s {
    int32_t delay_s;
    int64_t shift_ms;             // the delay in world time
    snapshot_ring_t *feed, *past; // of the writer and of the reader
    int32_t num_states;
    entity_state_t states[MAX_SNAPSHOT_ENTS];       // decoded, for delayed spectators
    int32_t hidden_from[MAX_SNAPSHOT_ENTS];         // slot that does not receive it, or EVERYBODY
    const entity_state_t *records[MAX_CLIENTS + 1]; // decoded info records: clients, the world
    const entity_state_t *infos[MAX_CLIENTS + 1];   // for one spectator
    entity_state_t marked[MAX_SNAPSHOT_ENTS];       // states of a tick, changed for the feed
    const entity_state_t *order[MAX_SNAPSHOT_ENTS]; // states of a tick, for the feed
    log_burst_t burst;
    size_t size, first, used; // of bytes[], a ring
    uint8_t bytes[];
};

// ---- the feed ----

static void put(delay_t *delay, const void *data, size_t size) {
    size_t at = (delay->first + delay->used) % delay->size;
    size_t part = size < delay->size - at ? size : delay->size - at;
    memcpy(delay->bytes + at, data, part);
    memcpy(delay->bytes, (const uint8_t *)data + part, size - part);
    delay->used += size;
}

static void take(delay_t *delay, void *data, size_t size) {
    size_t part = size < delay->size - delay->first ? size : delay->size - delay->first;
    ASSERT(size <= delay->used);
    memcpy(data, delay->bytes + delay->first, part);
    memcpy((uint8_t *)data + part, delay->bytes, size - part);
    delay->first = (delay->first + size) % delay->size;
    delay->used -= size;
}

// Returns true if a record fits. Otherwise counts it as dropped, and logs that once per burst.
static bool has_room(server_t *server, held_kind_t kind, size_t size) {
    delay_t *delay = server->delay;
    size_t end = delay->size - (kind == HELD_TEXT ? 0 : TEXTS_BYTES);
    if (delay->used + sizeof(held_t) + size <= end) {
        return true;
    }
    server->stats.delayed_dropped++;
    if (Log_BurstAllows(&delay->burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "sv_spectate_delay_s %d: the feed of %zu bytes is full; delayed spectators miss "
                  "snapshots or events%s",
                  delay->delay_s, delay->size, delay->burst.more);
    }
    return false;
}

static void hold(server_t *server, held_kind_t kind, const void *data, size_t size) {
    const held_t head = {server->world->tick, server->now_ms, (int32_t)kind, (int32_t)size};
    if (has_room(server, kind, size)) {
        put(server->delay, &head, sizeof head);
        put(server->delay, data, size);
    }
}

void Delay_HoldText(server_t *server, const control_msg_t *msg, const client_mask_t *clients) {
    held_text_t text;
    text.clients = *clients;
    hold(server, HELD_TEXT, &text, offsetof(held_text_t, data) + CTL_Write(msg, text.data));
}

void Delay_HoldEmissions(server_t *server) {
    for (int32_t i = 0; server->delay && i < server->events->num_emissions; i++) {
        hold(server, HELD_EMISSION, &server->events->emissions[i], sizeof(emission_t));
    }
}

// ---- writing states ----

// Returns the only slot that an edict is hidden from, EVERYBODY if it is hidden from nobody, or
// HIDDEN.
static int32_t hidden_from(const world_t *world, const edict_t *edict) {
    int32_t slot = EVERYBODY;
    const edict_t *at = edict;
    for (int32_t i = 0; i < world->max_edicts && at; i++) {
        bool is_but = at->visibility == VISIBLE_BUT_CLIENT && at->visible_to < MAX_CLIENTS;
        if (is_but && (slot == EVERYBODY || slot == at->visible_to)) {
            slot = at->visible_to;
        } else if (at->visibility != VISIBLE_ALL) {
            return HIDDEN;
        }
        if (at->movetype != MOVETYPE_FOLLOW) {
            return slot;
        }
        at = World_Deref(world, at->aiment);
    }
    return at ? HIDDEN : slot;
}

// Returns state `index` of this tick for the feed, or NULL. Marks an edict that one client may not
// see with that client as owner, which only players have.
static const entity_state_t *fed_state(server_t *server, int32_t index, int32_t *num_marked) {
    const entity_state_t *state = &server->states[index];
    if (SendStates_IsPublic((audience_t)server->audiences[index])) {
        return server->audiences[index] == AUDIENCE_NEAR ? NULL : state;
    }
    int32_t slot = hidden_from(server->world, World_Edict(server->world, state->number));
    bool is_player = state->number <= server->config.max_clients;
    bool is_seen = slot >= 0 && (!is_player || slot == state->number - 1);
    if (is_seen != (server->audiences[index] == AUDIENCE_SEES)) {
        return NULL;
    }
    if (!is_seen || is_player) {
        return state;
    }
    if (*num_marked == MAX_SNAPSHOT_ENTS) {
        return NULL; // does not fit either
    }
    entity_state_t *marked = &server->delay->marked[(*num_marked)++];
    *marked = *state;
    marked->owner = slot + 1;
    return marked;
}

// Returns the pass in which a state is chosen.
static int32_t pass_of(const server_t *server, const entity_state_t *state) {
    return state->number <= server->config.max_clients ? 0 : Entity_HasRecord(state) ? 1 : 2;
}

// Lists the states for the feed: players, pushers and brush models, then others. Returns their
// count. `*over`: states that do not fit.
static int32_t list_states(server_t *server, int32_t *over) {
    delay_t *delay = server->delay;
    int32_t num_marked = 0;
    int32_t count = 0;
    for (int32_t pass = 0; pass < 3; pass++) {
        for (int32_t i = 0; i < server->num_states; i++) {
            const entity_state_t *state = pass_of(server, &server->states[i]) == pass
                                              ? fed_state(server, i, &num_marked)
                                              : NULL;
            if (state && count < MAX_SNAPSHOT_ENTS) {
                delay->order[count++] = state;
            } else if (state) {
                (*over)++;
            }
        }
    }
    return count;
}

void Delay_Record(server_t *server) {
    delay_t *delay = server->delay;
    if (!delay || !has_room(server, HELD_SNAPSHOT, MAX_MESSAGE_BYTES)) {
        return;
    }
    uint8_t data[MAX_MESSAGE_BYTES];
    msg_writer_t msg = MSG_Writer(data, sizeof data);
    snapshot_stats_t stats;
    int32_t over = 0;
    const int64_t tick = server->world->tick;
    const snapshot_t now = {.tick = tick, .cmd_tick = tick};
    int32_t num_infos = 0;
    for (int32_t i = 0; i < MAX_SNAPSHOT_INFOS; i++) {
        if (server->shared_infos.list[i]) {
            delay->infos[num_infos++] = server->shared_infos.list[i];
        }
    }
    snapshot_parts_t parts = {
        .now = &now, .entities = delay->order, .infos = delay->infos, .num_infos = num_infos};
    parts.num_entities = list_states(server, &over);
    Snapshot_Write(&msg, delay->feed, &parts, &stats);
    SnapshotRing_Ack(delay->feed, tick);
    server->stats.entities_deferred += (uint64_t)(stats.num_deferred + over);
    hold(server, HELD_SNAPSHOT, data, MSG_Finish(&msg));
}

// ---- reading states ----

static int64_t later(const delay_t *delay, int64_t ms) {
    return (int64_t)((uint64_t)ms + (uint64_t)delay->shift_ms); // a game may write any time
}

// Moves what a state has of world time from the past to now.
static void shift(const delay_t *delay, entity_state_t *state) {
    if (Entity_HasRecord(state) && state->motion != 1 + MOTION_NONE) {
        const motion_t motion = Entity_Motion(state);
        Entity_SetMotion(state, &motion, later(delay, motion.start_ms));
    }
    if (state->skeleton > 0) {
        entity_bones_t bones = Entity_Bones(state);
        bones.start_ms[0] = later(delay, bones.start_ms[0]);
        bones.start_ms[1] = later(delay, bones.start_ms[1]);
        Entity_SetBones(state, &bones);
    }
    (void)Entity_Clamp(state);
}

static int64_t delay_ticks(const server_t *server) {
    const int32_t rate_mhz = World_TickRate(server->world);
    int64_t ticks = Ticks_At(rate_mhz, server->delay->delay_s * 1000) + 1;
    return ticks - (Ticks_EndMs(rate_mhz, ticks - 1) == server->delay->delay_s * 1000 ? 1 : 0);
}

int64_t Delay_Tick(const server_t *server, const session_t *session) {
    return server->world->tick - (Delay_Is(server, session) ? delay_ticks(server) : 0);
}

// Copies the newest decoded snapshot for the spectators.
static void show(server_t *server) {
    delay_t *delay = server->delay;
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    entity_state_t moved[MAX_SNAPSHOT_ENTS];
    const int64_t tick = SnapshotRing_Newest(delay->past);
    delay->shift_ms = Ticks_EndMs(World_TickRate(server->world), delay_ticks(server));
    delay->num_states = SnapshotRing_Entities(delay->past, tick, list, moved);
    for (int32_t i = 0; i < delay->num_states; i++) {
        entity_state_t *state = &delay->states[i];
        *state = *list[i];
        bool is_marked = state->owner != 0 && state->number > server->config.max_clients;
        delay->hidden_from[i] = is_marked ? state->owner - 1 : EVERYBODY;
        state->owner = is_marked ? 0 : state->owner;
        shift(delay, state);
    }
    for (int32_t slot = 0; slot <= server->config.max_clients; slot++) {
        int32_t number = slot == server->config.max_clients ? RECORD_WORLD : RECORD_CLIENT(slot);
        delay->records[slot] = SnapshotRing_Record(delay->past, tick, number, NULL);
    }
}

static void decode(delay_t *delay, const uint8_t *data, size_t size) {
    msg_reader_t msg = MSG_Reader(data, size);
    err_t err;
    snapshot_result_t result = Snapshot_Read(&msg, delay->past, &err);
    ASSERT(result == SNAPSHOT_OK); // our own packet, and none is lost
}

const entity_state_t *Delay_States(const server_t *server, int32_t *count) {
    *count = server->delay->num_states;
    return server->delay->states;
}

// Returns the decoded state of an edict, or NULL.
static const entity_state_t *find(const server_t *server, int32_t number) {
    const delay_t *delay = server->delay;
    for (int32_t i = 0; i < delay->num_states && delay->states[i].number <= number; i++) {
        if (delay->states[i].number == number) {
            return &delay->states[i];
        }
    }
    return NULL;
}

bool Delay_Has(const server_t *server, int32_t number, uint32_t generation) {
    const entity_state_t *state = find(server, number);
    return state && Shown_IsSameEdict(state->generation, generation);
}

bool Delay_Shows(const server_t *server, const session_t *session, int32_t index) {
    int32_t view = session->follows > 0 ? session->follows - 1 : session->slot;
    return server->delay->hidden_from[index] != view;
}

void Delay_Infos(server_t *server, const session_t *session, snapshot_parts_t *parts) {
    delay_t *delay = server->delay;
    const entity_state_t *own = server->shared_infos.list[session->slot];
    int32_t count = 0;
    for (int32_t i = 0; i < parts->num_infos; i++) {
        own = parts->infos[i]->number == RECORD_CLIENT(session->slot) ? parts->infos[i] : own;
    }
    for (int32_t slot = 0; slot <= server->config.max_clients; slot++) {
        const entity_state_t *info = slot == session->slot ? own : delay->records[slot];
        if (info) {
            delay->infos[count++] = info;
        }
    }
    parts->infos = delay->infos;
    parts->num_infos = count;
    parts->shared_infos = NULL;
}

// ---- spectators ----

bool Delay_Is(const server_t *server, const session_t *session) {
    const world_t *world = server->world;
    if (!server->delay || !world || session->slot < 0 || world->cvars.sv_spectate != 2) {
        return false;
    }
    const client_t *client = World_Client(world, session->slot);
    return session->spectator || (client->inuse && client->spectator);
}

// Returns the decoded state of a player that may be followed, or NULL.
static const entity_state_t *past_player(const server_t *server, int32_t slot) {
    const entity_state_t *state = find(server, slot + 1);
    const entity_state_t *record = server->delay->records[slot];
    bool is_player = state && state->type == ENTITY_PLAYER && state->motion == ENTITY_NO_MOTION;
    return is_player && !(record && record->fields[SENT_ROW_spectator]) ? state : NULL;
}

static bool may_watch(const void *context, int32_t slot, int32_t other) {
    return other != slot && past_player(context, other);
}

bool Delay_Follow(server_t *server, session_t *session, const char *text) {
    control_msg_t msg = {.type = CTL_PRINT};
    const follow_rules_t rules = {server->world, server, may_watch};
    if (!Delay_Is(server, session) ||
        !SV_FollowCommand(&rules, session->slot, &session->follows, text, msg.u.text.text)) {
        return false;
    }
    Session_Send(server, server->peer_of_slot[session->slot], &msg);
    return true;
}

static vec3_t scaled(const int32_t from[3], int32_t scale) {
    return VectorScale(Vector((float)from[0], (float)from[1], (float)from[2]), 1.0f / (float)scale);
}

static float angle(const entity_state_t *state, int32_t axis) {
    return ShortToAngle((uint16_t)state->angles[axis]);
}

void Delay_View(const server_t *server, const session_t *session, player_state_t *player) {
    const entity_state_t *state =
        session->follows > 0 ? past_player(server, session->follows - 1) : NULL;
    if (!state) {
        return;
    }
    player->origin = scaled(state->origin, ENTITY_ORIGIN_SCALE);
    player->velocity = scaled(state->velocity, 1);
    player->mins = scaled(state->mins, ENTITY_ORIGIN_SCALE);
    player->maxs = scaled(state->maxs, ENTITY_ORIGIN_SCALE);
    player->angles = Vector(angle(state, 0), angle(state, 1), angle(state, 2));
    player->pm_type = PM_NORMAL;
    player->flags = PMF_WATCHED | Shown_Teleports(state->generation) * PMF_TELEPORT_STEP;
    player->carrier = state->number;
}

// Ends what a spectator follows in the present, and followed players that are gone.
static void check_follower(server_t *server, session_t *session) {
    const client_t *client = World_Client(server->world, session->slot);
    bool is_late = Delay_Is(server, session);
    if (is_late && client->inuse && client->watches > 0) {
        input_t *input = Inputs_Add(server->inputs, INPUT_TEXT, session->slot);
        if (input) { // if NULL, the next tick tries again
            snprintf(input->text, sizeof input->text, "follow off");
        }
    }
    if (!is_late || (session->follows > 0 && !past_player(server, session->follows - 1))) {
        session->follows = 0;
    }
}

// ---- the end of the delay ----

static void send_text(server_t *server, const held_t *head, const held_text_t *text) {
    transport_t *net = server->config.net;
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        // A later client in the slot is not the receiver.
        if (Bits_Get(text->clients.bits, slot) && peer >= 0 && peer < server->max_sessions &&
            server->sessions[peer].connected_ms <= head->ms) {
            net->send(net, peer, NET_CHANNEL_CONTROL, true, text->data,
                      (size_t)head->size - offsetof(held_text_t, data));
        }
    }
}

static void send_emission(server_t *server, const held_t *head, emission_t *emission) {
    const bool is_for_all = Emission_IsForAll(emission);
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        const session_t *session = &server->sessions[peer];
        if (session->state == SESSION_ACTIVE && Delay_Is(server, session) &&
            World_Client(server->world, session->slot)->inuse &&
            (is_for_all || session->connected_ms <= head->ms)) {
            player_state_t player = World_Client(server->world, session->slot)->player;
            Delay_View(server, session, &player);
            Send_Emission(server, peer, emission, player.origin);
        }
    }
}

// Takes all records up to a tick from the feed. Sends the texts; sends the others, if not `ends`.
static void release(server_t *server, int64_t tick, bool ends) {
    delay_t *delay = server->delay;
    held_t head;
    union {
        held_text_t text;
        emission_t emission;
        uint8_t snapshot[MAX_MESSAGE_BYTES];
    } body;
    bool is_new = false;
    while (delay->used > 0) {
        size_t first = delay->first;
        take(delay, &head, sizeof head);
        if (head.tick > tick) {
            delay->first = first;
            delay->used += sizeof head;
            break;
        }
        take(delay, &body, (size_t)head.size);
        if (head.kind == HELD_TEXT) {
            send_text(server, &head, &body.text);
        } else if (head.kind == HELD_EMISSION && !ends) {
            send_emission(server, &head, &body.emission);
        } else if (head.kind == HELD_SNAPSHOT && !ends) {
            decode(delay, body.snapshot, (size_t)head.size);
            is_new = true;
        }
    }
    if (is_new) {
        show(server);
    }
}

void Delay_Release(server_t *server) {
    if (!server->delay) {
        return;
    }
    release(server, server->world->tick - delay_ticks(server), false);
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        if (server->sessions[peer].state == SESSION_ACTIVE) {
            check_follower(server, &server->sessions[peer]);
        }
    }
}

// Empties the feed.
static void restart(server_t *server) {
    delay_t *delay = server->delay;
    const int32_t rate_mhz = World_TickRate(server->world);
    release(server, INT64_MAX, true);
    delay->num_states = 0;
    memset(delay->records, 0, sizeof delay->records);
    SnapshotRing_Reset(delay->feed, server->epoch, rate_mhz, &server->sent.schema);
    SnapshotRing_Reset(delay->past, server->epoch, rate_mhz, &server->sent.schema);
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        server->sessions[peer].follows = 0;
    }
}

void Delay_StartMap(server_t *server) {
    if (server->delay) {
        restart(server);
    }
}

static void destroy(delay_t *delay) {
    if (delay) {
        SnapshotRing_Destroy(delay->feed);
        SnapshotRing_Destroy(delay->past);
        free(delay);
    }
}

void Delay_Free(server_t *server) {
    destroy(server->delay);
    server->delay = NULL;
}

bool Server_SetSpectateDelay(server_t *server, int32_t delay_s, err_t *err) {
    delay_t *next = NULL;
    if (delay_s == (server->delay ? server->delay->delay_s : 0)) {
        return true;
    }
    if (delay_s > 0) {
        size_t per_second = FEED_BYTES_S + (size_t)server->config.max_clients * PLAYER_BYTES_S;
        size_t size = FEED_BYTES + (size_t)delay_s * per_second;
        next = calloc(1, sizeof *next + size);
        if (next) {
            next->delay_s = delay_s;
            next->size = size;
            next->feed = SnapshotRing_Create(3, NULL);
            next->past = SnapshotRing_Create(3, NULL);
        }
        if (!next || !next->feed || !next->past) {
            destroy(next);
            return Err_Set(err, "sv_spectate_delay_s %d: no memory for a feed of %zu bytes",
                           delay_s, size);
        }
    }
    if (server->delay) {
        release(server, INT64_MAX, true);
    }
    Delay_Free(server);
    server->delay = next;
    if (server->world) {
        Delay_StartMap(server);
    }
    return true;
}
