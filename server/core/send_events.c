/// core/send_events.c - sends the events of a tick to the clients: texts, sounds and effects.
//
// Reads the world between ticks, never writes it.

#include "base/bucket.h"
#include "base/str.h"
#include "collide/vis.h"
#include "core/delay.h"
#include "core/interest.h"
#include "state/shown.h"
#include "world/bits.h"
#include "world/followers.h"
#include "world/history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RELIABLE_BURST    32 // reliable sounds and effects of a client at once ...
#define RELIABLE_EVERY_MS 50 // ... and one more in this time; others go in snapshots
#define LOG_WINDOW_MS     5000
#define NEAR_2            ((float)GAME_SOUND_RANGE * (float)GAME_SOUND_RANGE)
#define AWAY_QU           64.0f  // farther away, an effect of a player is not at the player
#define MAX_PRINTS        512    // prints of a tick for everybody; a client's queue holds 2,048
#define MAX_PRINTS_SENT   16384  // copies in a second: 16 lines for 1,000 clients
#define PRINTS_BURST_US   250000 // of that rate at once
#define NOTE_PRINTS_MS    1000   // between two lines that count those that were left out

// ---- texts, log lines, changes of map ----

// Returns false for a print to all that a client caused by a command, if the client is muted or
// sends too many.
static bool is_within_rate(server_t *server, const event_t *event) {
    int32_t slot = event->number - 1;
    bool is_text = event->type == EVENT_PRINT || event->type == EVENT_CENTERPRINT;
    bool is_caused = is_text && event->client == EVENT_TO_ALL && slot >= 0 &&
                     slot < server->config.max_clients && server->peer_of_slot[slot] >= 0;
    return !is_caused ||
           Chat_ChargeLine(server, &server->sessions[server->peer_of_slot[slot]], event->text);
}

// Returns true if a session is of a client's team. Spectators are a team of their own, as are
// players without a team.
static bool is_in_team(const server_t *server, const session_t *session, int32_t slot) {
    const client_t *speaker = World_Client(server->world, slot);
    const client_t *client = World_Client(server->world, session->slot);
    return client->inuse && session->joined && client->team == speaker->team &&
           client->spectator == speaker->spectator;
}

// Sends a message to all clients or to a team: to delayed spectators later, unless one of them
// speaks.
static void send_to_many(server_t *server, const event_t *event, const control_msg_t *msg) {
    client_mask_t held = {{0}};
    uint8_t data[MAX_MESSAGE_BYTES];
    const size_t size = CTL_Write(msg, data);
    bool any = false;
    bool is_chat = msg->type == CTL_CHAT && event->number >= 0;
    int32_t from = is_chat ? server->peer_of_slot[event->number] : -1;
    bool is_late = from < 0 || !Delay_Is(server, &server->sessions[from]);
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        if (peer < 0 || (event->client == EVENT_TO_TEAM &&
                         !is_in_team(server, &server->sessions[peer], event->number))) {
            continue;
        }
        if (is_late && Delay_Is(server, &server->sessions[peer])) {
            Bits_Set(held.bits, slot);
            any = true;
        } else {
            Session_SendBytes(server, peer, data, size);
        }
    }
    if (any) {
        Delay_HoldText(server, msg, &held);
    }
}

static void send_text(server_t *server, const event_t *event) {
    control_msg_t msg = {.type = event->type == EVENT_CENTERPRINT ? CTL_CENTER : CTL_PRINT};
    if (event->type == EVENT_PRINT || event->type == EVENT_CENTERPRINT) {
        snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", event->text);
    } else {
        msg.type = CTL_CHAT;
        msg.u.chat.slot = event->number;
        msg.u.chat.team = event->client == EVENT_TO_TEAM;
        snprintf(msg.u.chat.text, sizeof msg.u.chat.text, "%s", event->text);
    }
    if (event->client == EVENT_TO_ALL || event->client == EVENT_TO_TEAM) {
        send_to_many(server, event, &msg);
    } else if (event->client >= 0 && event->client < server->config.max_clients) {
        int32_t peer = server->peer_of_slot[event->client];
        if (peer >= 0 && server->sessions[peer].joined) { // otherwise the client has left
            Session_Send(server, peer, &msg);
        }
    }
}

// Stores the map that the game requests, and its landmark.
static void set_next_map(server_t *server, const event_t *event) {
    landmark_t *landmark = &server->next_landmark;
    size_t length = event->number == 2 ? strcspn(event->text, " ") : strlen(event->text);
    memset(landmark, 0, sizeof *landmark);
    snprintf(server->next_map, sizeof server->next_map, "%.*s", (int)length, event->text);
    if (event->text[length] != '\0') {
        snprintf(landmark->name, sizeof landmark->name, "%s", event->text + length + 1);
        landmark->origin = event->origin;
    }
}

// Writes a line to the operator who entered the last command of the game, or to the log.
static void reply(const server_t *server, const char *text) {
    char line[4 * MAX_TEXT_BYTES];
    Str_Printable(line, sizeof line, text);
    if (server->reply) {
        server->reply(server->reply_context, line);
    } else {
        Log_Print(server->config.log, LOG_INFO, "%s", line);
    }
}

// Sets a cvar that the game cannot set in its tick.
static void set_cvar(server_t *server, const char *text) {
    char name[MAX_TEXT_BYTES];
    err_t err;
    size_t length = strcspn(text, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!Server_SetCvar(server, name, text + length + (text[length] ? 1 : 0), &err)) {
        Log_Print(server->config.log, LOG_WARN, "set_cvar: %s", err.text);
    }
}

// Charges the bucket of prints for everybody with one of them. Returns false if it has no room.
static bool charge_print(server_t *server, int32_t players) {
    const int64_t cost_us = INT64_C(1000000) * Q_MaxI(players, 1) / MAX_PRINTS_SENT;
    const int64_t room_us = PRINTS_BURST_US > cost_us ? PRINTS_BURST_US - cost_us : 0;
    return Bucket_Charge(&server->prints_empty_us, 1000 * server->now_ms, cost_us, room_us);
}

// Sends and logs how many prints for everybody were left out.
static void note_prints(server_t *server, int32_t players) {
    event_t event = {.type = EVENT_PRINT, .client = EVENT_TO_ALL};
    const int32_t left_out = players > 0 ? server->prints_left_out : 0;
    server->prints_left_out = left_out;
    if (left_out == 0 || server->now_ms - server->prints_noted_ms < NOTE_PRINTS_MS) {
        return;
    }
    server->prints_left_out = 0;
    server->prints_noted_ms = server->now_ms;
    snprintf(event.text, sizeof event.text, "and %d more lines", left_out);
    send_text(server, &event);
    if (Log_BurstAllows(&server->prints_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "left out %d prints for everybody (maximum %d in a tick, and with %d players %d "
                  "in a second)%s",
                  left_out, MAX_PRINTS, players, Q_MaxI(MAX_PRINTS_SENT / players, 1),
                  server->prints_burst.more);
    }
}

// Sends the texts of a tick and writes its log lines.
static void send_texts(server_t *server, int32_t max_lines) {
    events_t *events = server->events;
    int32_t lost = 0;
    int32_t prints = 0;
    const int32_t players = Server_NumPlayers(server);
    int32_t lines[LOG_EVENT] = {0}; // by level, so that no information displaces a warning
    for (int32_t i = 0; i < events->count; i++) {
        const event_t *event = &events->list[i];
        if (event->type == EVENT_CHANGEMAP) {
            server->wants_map = true;
            server->wants_list = event->number == 1;
            set_next_map(server, event);
        } else if (event->type == EVENT_REPLY) {
            reply(server, event->text);
        } else if (event->type == EVENT_CVAR) {
            set_cvar(server, event->text);
        } else if (event->type != EVENT_LOG) {
            bool is_print = event->type != EVENT_CHAT && event->client == EVENT_TO_ALL;
            prints += is_print ? 1 : 0;
            if (is_print && !(prints <= MAX_PRINTS && charge_print(server, players))) {
                server->prints_left_out++;
            } else if (is_within_rate(server, event)) {
                send_text(server, event);
            }
        } else if (event->level == LOG_EVENT) {
            MatchLog_Game(server, event->text);
        } else if (lines[event->level]++ < max_lines) {
            Log_Print(server->config.log, event->level, "%s", event->text);
        } else {
            lost++;
        }
    }
    note_prints(server, players);
    if (lost > 0 || events->dropped > 0) {
        Log_Print(server->config.log, LOG_WARN,
                  "dropped %d log lines (maximum %d of a level in a tick) and %u events (maximum "
                  "%d a tick)",
                  lost, max_lines, events->dropped, MAX_EVENTS);
    }
}

// ---- sounds and effects ----

// Returns true if the snapshot of a tick, sent before, has an edict.
static bool has_entity(const snapshot_ring_t *ring, int64_t tick, const emitted_t *what) {
    const entity_state_t *state = SnapshotRing_Record(ring, tick, what->event.entity, NULL);
    return state && Shown_IsSameEdict(state->generation, what->generation);
}

// Writes what a client receives of an event: its edict only if the client, or the player that it
// watches, may see it; a position unless the client has the edict there, or the event has none.
// An event that is heard everywhere has only the position that the game gave. `in_snapshot`: the
// event is sent in a snapshot, which has the edict.
static game_event_t fit(const server_t *server, const session_t *session, const emitted_t *from,
                        bool in_snapshot) {
    const world_t *world = server->world;
    game_event_t event = from->event;
    const int64_t base = SnapshotRing_Base(session->ring);
    const edict_t *edict =
        World_Deref(world, (edict_ref_t){(uint32_t)event.entity, from->generation});
    bool has_edict = false;
    if (Delay_Is(server, session)) {
        bool is_there = event.entity > 0 && Delay_Has(server, event.entity, from->generation);
        has_edict = is_there && in_snapshot && has_entity(session->ring, base, from);
        event.entity = is_there ? event.entity : 0;
    } else if (event.entity > 0 &&
               (!edict || !SV_IsVisible(world, edict, SV_ViewSlot(world, session->slot)))) {
        event.entity = 0;
    } else if (event.entity > 0) {
        const vec3_t off = VectorSubtract(SV_PlaceOf(edict), event.origin);
        has_edict = in_snapshot && (!event.has_origin || VectorWithin(off, 1.0f)) &&
                    (event.entity == session->slot + 1 || has_entity(session->ring, base, from));
        event.has_origin = event.has_origin && !has_edict;
    }
    if (!event.has_origin && !has_edict && from->event.entity > 0 && event.range > 0) {
        event.origin = from->place;
        event.has_origin = true;
    }
    (void)GameEvent_Clamp(&event); // true: SV_Emit clamped it
    return event;
}

static bool send_reliably(server_t *server, int32_t peer, const emitted_t *from) {
    session_t *session = &server->sessions[peer];
    if (!Bucket_Charge(&session->events_empty_ms, server->now_ms, RELIABLE_EVERY_MS,
                       (RELIABLE_BURST - 1) * RELIABLE_EVERY_MS)) {
        return false;
    }
    control_msg_t msg = {.type = CTL_EVENT};
    msg.u.event = (ctl_event_t){server->world->tick, fit(server, session, from, false)};
    Session_Send(server, peer, &msg);
    return true;
}

// Where a client hears and sees: the origin of the viewed player.
typedef struct {
    vec3_t origin;
    int32_t peer;
    int32_t view;         // slot of that player now, or -1
    int32_t clusters[2];  // of the feet and of the eye, once they are needed
    int32_t num_clusters; // that are known
    const uint64_t *row;  // with `has_row`: Interest_EyeRow of the view; NULL = all
    bool has_row;
    bool is_blind; // receives nothing that has a place
} ear_t;

// Returns true if a place in a cluster may be visible from a player's feet or eye.
static bool sees_cluster(server_t *server, ear_t *ear, int32_t cluster) {
    if (cluster != CM_NO_CLUSTER && ear->view >= 0 && !ear->has_row) {
        ear->row = Interest_EyeRow(server, ear->view);
        ear->has_row = true;
    }
    if (cluster != CM_NO_CLUSTER && ear->row && !Bits_Get(ear->row, cluster)) {
        return false; // cheaper than to find the clusters of the feet and the eye
    }
    for (int32_t i = 0; i < 2; i++) {
        if (i == ear->num_clusters) {
            const float height = i == 0 ? 0.0f : PM_VIEW_HEIGHT;
            const vec3_t at = VectorAdd(ear->origin, Vector(0.0f, 0.0f, height));
            ear->clusters[ear->num_clusters++] = CM_PointCluster(server->map, at);
        }
        if (Interest_Sees(server, ear->clusters[i], cluster)) {
            return true;
        }
    }
    return false;
}

// A copy of the parts of an emission and its edict that each client is compared with. Compact,
// because every client of a crowd reads all of them.
typedef struct {
    vec3_t place;
    float range_2;   // infinity = everywhere
    int32_t cluster; // of an effect's place
    int32_t root; // what walls can hide: a player, or a follower's root; 0 = none, -1 = it is gone
    uint32_t root_generation;
    uint8_t root_teleports;
    bool is_for_all : 1; // clients
    bool is_must : 1;    // not dropped for nearer ones
    bool fades : 1;      // an effect with a range: farther than sounds, it must be in view
    bool is_away : 1;    // an effect far from its player or follower, such as a hit
} reach_t;

static reach_t reach_of(const world_t *world, const emission_t *emission) {
    const emitted_t *what = &emission->what;
    const float range = (float)what->event.range;
    const edict_t *edict =
        World_Deref(world, (edict_ref_t){(uint32_t)what->event.entity, what->generation});
    reach_t reach = {.place = what->place,
                     .range_2 = range > 0.0f ? range * range : INFINITY,
                     .cluster = emission->cluster,
                     .is_for_all = Emission_IsForAll(emission),
                     .is_must = emission->is_reliable || what->event.range == 0,
                     .fades = what->event.kind != GAME_SOUND && range > 0.0f};
    if (edict && (edict->flags & FL_CLIENT || edict->movetype == MOVETYPE_FOLLOW)) {
        const edict_t *root = Followers_Leaders(world, edict).root;
        reach.root = root ? World_EdictNumber(world, root) : -1;
        reach.root_generation = root ? root->generation : 0;
        reach.root_teleports = root ? (uint8_t)SV_Teleports(root) : 0;
        reach.is_away = !VectorWithin(VectorSubtract(what->place, SV_PlaceOf(edict)), AWAY_QU);
    }
    return reach;
}

// Returns true if the client's newest snapshot has an edict where an effect of it is: not before a
// teleport of it or of its root, unless the effect is at the old place.
static bool has_place_of(const session_t *session, const emitted_t *what, const reach_t *reach) {
    const snapshot_ring_t *ring = session->ring;
    const int64_t newest = SnapshotRing_Newest(ring);
    const entity_state_t *state = SnapshotRing_Record(ring, newest, what->event.entity, NULL);
    if (!state || !Shown_IsSameEdict(state->generation, what->generation)) {
        return false;
    }
    if (reach->root == session->slot + 1) {
        return true; // a follower of the client's own player
    }
    const entity_state_t *root = reach->root == what->event.entity ? state : NULL;
    if (!root && reach->root > 0) {
        root = SnapshotRing_Record(ring, newest, reach->root, NULL);
    }
    if (root && Shown_IsSameEdict(root->generation, reach->root_generation)) {
        if (Shown_Teleports(root->generation) == reach->root_teleports) {
            return true;
        }
        state = root;
    }
    // Without the root, the client shows the follower at the origin of its own state.
    return VectorWithin(VectorSubtract(what->place, Shown_Vector(state->origin)), SHOWN_MAX_JUMP);
}

// Returns true if walls do not hide the player that an effect belongs to, nor the place of a hit,
// because another player may be there.
static bool sees_root(server_t *server, const session_t *session, const reach_t *reach,
                      const ear_t *ear) {
    const bool is_player = reach->root > 0 && reach->root <= server->config.max_clients;
    return ear->view < 0 || !is_player || reach->root == session->slot + 1 ||
           (Interest_SeesPlayer(server, ear->view, reach->root - 1) &&
            (!reach->is_away || Interest_SeesPlace(server, ear->view, reach->place)));
}

// Returns true if an effect that is too far away to be heard may be in view. The client's newest
// snapshot must have a player and what follows it, because walls can hide them. In a crowd, the
// snapshot may also have players that went behind a wall after their last turn.
static bool is_in_view(server_t *server, const session_t *session, const emitted_t *what,
                       const reach_t *reach, ear_t *ear) {
    return sees_cluster(server, ear, reach->cluster) &&
           (reach->root == 0 || what->event.entity == session->slot + 1 ||
            (has_place_of(session, what, reach) && sees_root(server, session, reach, ear)));
}

// An emission that a client receives.
typedef struct {
    uint16_t index;
    bool is_distant; // an effect that is not near, but in view
    bool is_dropped; // for nearer ones
    float distance_2;
} heard_t;

_Static_assert(MAX_GAME_EVENTS <= UINT16_MAX + 1, "the index of an emission has 16 bits");

// Returns true if an emission is for a client and within its range. *distance_2 receives the
// distance.
static bool is_in_range(const server_t *server, const emission_t *emission, const reach_t *reach,
                        const ear_t *ear, float *distance_2) {
    const vec3_t to = VectorSubtract(reach->place, ear->origin);
    *distance_2 = DotProduct(to, to);
    return *distance_2 <= reach->range_2 &&
           (reach->is_for_all ||
            Bits_Get(emission->clients.bits, server->sessions[ear->peer].slot));
}

// Returns true if a client receives an emission that is in range. It receives each sound, but an
// effect only if that is near or in view.
static bool is_received(server_t *server, const emission_t *emission, const reach_t *reach,
                        ear_t *ear, heard_t *heard) {
    heard->is_distant = reach->fades && !(heard->distance_2 <= NEAR_2);
    return !heard->is_distant ||
           is_in_view(server, &server->sessions[ear->peer], &emission->what, reach, ear);
}

static bool has_place(const emitted_t *what) {
    return what->event.entity > 0 || what->event.has_origin;
}

// Queues or sends an emission. Logs its event for the first client that waits for it.
static void deliver(server_t *server, int32_t peer, emission_t *emission, bool is_distant) {
    event_queue_t *queue = &server->event_queues[server->sessions[peer].slot];
    if (emission->is_reliable && send_reliably(server, peer, &emission->what)) {
        return;
    }
    if (!emission->is_logged) {
        emission->number = EventLog_Add(server->event_log, &emission->what);
        emission->is_logged = true;
    }
    if (!EventQueue_Add(queue, emission->number, is_distant, server->world->tick)) {
        server->stats.events_dropped++;
    }
}

void Send_Emission(server_t *server, int32_t peer, emission_t *emission, vec3_t origin) {
    ear_t ear = {.origin = origin, .peer = peer, .view = -1};
    const reach_t reach = reach_of(server->world, emission);
    heard_t heard;
    if (is_in_range(server, emission, &reach, &ear, &heard.distance_2) &&
        is_received(server, emission, &reach, &ear, &heard)) {
        deliver(server, peer, emission, heard.is_distant);
    }
}

// Returns how many emissions of a tick a client's snapshots can carry, at least 1.
static int32_t most_heard(const server_t *server, int32_t slot) {
    const event_queue_t *queue = &server->event_queues[slot];
    const int32_t share = Q_MaxI(queue->room / server->snapshot_ticks, 1); // of one tick
    return Q_MaxI(queue->room - queue->count, share);
}

// Adds emission `at` to the nearest ones, sorted by distance. If that exceeds `room`, drops the
// farthest. Returns their number.
static int32_t add_nearest(heard_t *heard, uint16_t nearest[MAX_SNAPSHOT_EVENTS + 1], int32_t count,
                           int32_t room, int32_t at) {
    int32_t lo = 0;
    int32_t hi = count;
    while (lo < hi) {
        const int32_t middle = (lo + hi) / 2;
        const bool is_after = heard[nearest[middle]].distance_2 <= heard[at].distance_2;
        lo = is_after ? middle + 1 : lo;
        hi = is_after ? hi : middle;
    }
    memmove(&nearest[lo + 1], &nearest[lo], (size_t)(count - lo) * sizeof nearest[0]);
    nearest[lo] = (uint16_t)at;
    if (count < room) {
        return count + 1;
    }
    heard[nearest[count]].is_dropped = true;
    return count;
}

// Lists the emissions that a client receives. If not all fit, drops the farthest, but none that
// must be sent. If the near ones take all space, does not test the view of others. Returns the
// number of those listed.
static int32_t list_heard(server_t *server, const reach_t *reaches, ear_t *ear, heard_t *heard) {
    const emission_t *emissions = server->events->emissions;
    int32_t in_range = 0;
    int32_t near = 0;
    int32_t count = 0;
    uint16_t nearest[MAX_SNAPSHOT_EVENTS + 1];
    int32_t num_nearest = 0;
    for (int32_t i = 0; i < server->events->num_emissions; i++) {
        heard_t *next = &heard[in_range];
        if (is_in_range(server, &emissions[i], &reaches[i], ear, &next->distance_2)) {
            next->index = (uint16_t)i;
            in_range++;
            near += next->distance_2 <= NEAR_2 && !reaches[i].is_must ? 1 : 0;
        }
    }
    const int32_t room = in_range > 1 ? most_heard(server, server->sessions[ear->peer].slot) : 1;
    float limit_2 = near >= room && !ear->is_blind ? NEAR_2 + 1.0f : INFINITY;
    ASSERT(room >= 1 && room <= MAX_SNAPSHOT_EVENTS);
    for (int32_t i = 0; i < in_range; i++) {
        heard_t one = heard[i];
        const reach_t *reach = &reaches[one.index];
        const emission_t *emission = &emissions[one.index];
        if (one.distance_2 >= limit_2 && !reach->is_must) {
            server->stats.events_dropped++;
        } else if (!(ear->is_blind && has_place(&emission->what)) &&
                   is_received(server, emission, reach, ear, &one)) {
            one.is_dropped = false;
            heard[count] = one;
            if (!reach->is_must) {
                num_nearest = add_nearest(heard, nearest, num_nearest, room, count);
                const float farthest_2 = heard[nearest[num_nearest - 1]].distance_2;
                limit_2 = num_nearest == room && farthest_2 < limit_2 ? farthest_2 : limit_2;
            }
            count++;
        }
    }
    return count;
}

static void send_emissions(server_t *server) {
    heard_t heard[MAX_GAME_EVENTS];
    reach_t reaches[MAX_GAME_EVENTS];
    const world_t *world = server->world;
    emission_t *emissions = server->events->emissions;
    for (int32_t i = 0; i < server->events->num_emissions; i++) {
        reaches[i] = reach_of(world, &emissions[i]);
    }
    for (int32_t peer = 0; server->events->num_emissions > 0 && peer < server->num_sessions;
         peer++) {
        const session_t *session = &server->sessions[peer];
        if (session->state != SESSION_ACTIVE || !World_Client(world, session->slot)->inuse ||
            Delay_Is(server, session)) {
            continue; // the client joins in the next tick, or receives the events later
        }
        const int32_t view = SV_ViewSlot(world, session->slot);
        ear_t ear = {.origin = World_Client(world, view)->player.origin,
                     .peer = peer,
                     .view = view,
                     .is_blind = SV_IsBlind(world, session->slot)};
        const int32_t count = list_heard(server, reaches, &ear, heard);
        for (int32_t i = 0; i < count; i++) {
            if (heard[i].is_dropped) {
                server->stats.events_dropped++;
            } else {
                deliver(server, peer, &emissions[heard[i].index], heard[i].is_distant);
            }
        }
    }
}

// Counts and logs sounds and effects that did not fit. `before`: the counter before this tick.
static void note_dropped(server_t *server, uint64_t before) {
    server->stats.events_dropped += server->events->emissions_dropped;
    if (server->stats.events_dropped > before &&
        Log_BurstAllows(&server->events_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(
            server->config.log, LOG_WARN,
            "dropped %llu sounds and effects (maximum %d a tick, %d waiting for a client; the "
            "farthest first)%s",
            (unsigned long long)(server->stats.events_dropped - before), MAX_GAME_EVENTS,
            MAX_QUEUED_EVENTS, server->events_burst.more);
    }
}

void Send_Events(server_t *server, int32_t max_lines) {
    uint64_t before = server->stats.events_dropped;
    NameTables_SendAll(server); // before events that use new names
    Delay_Release(server);
    for (int32_t i = 0; i < server->events->num_emissions; i++) {
        emission_t *emission = &server->events->emissions[i];
        const bool is_sound = emission->what.event.kind == GAME_SOUND;
        emission->is_logged = false;
        emission->cluster =
            is_sound ? CM_NO_CLUSTER : CM_PointCluster(server->map, emission->what.place);
    }
    Delay_HoldEmissions(server);
    send_texts(server, max_lines);
    send_emissions(server);
    note_dropped(server, before);
    Events_Clear(server->events);
}

// Returns true if the next snapshot has an edict.
static bool is_listed(const turn_t *turn, int32_t number) {
    int32_t lo = 0;
    int32_t hi = turn->count;
    while (lo < hi) {
        const int32_t middle = (lo + hi) / 2;
        if (turn->spots[middle].number < number) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return (lo < turn->count && turn->spots[lo].number == number) ||
           (turn->aside && Bits_Get(turn->aside, number));
}

void Send_ChooseEvents(server_t *server, const session_t *session, const turn_t *turn,
                       snapshot_events_t *events, queued_event_t *chosen[MAX_SNAPSHOT_EVENTS]) {
    const event_log_t *log = server->event_log;
    events->count =
        EventQueue_Choose(&server->event_queues[session->slot], log->next, server->world->tick,
                          session->ping_ms, chosen, &server->stats.events_stale);
    for (int32_t i = 0; i < events->count; i++) {
        const emitted_t *what = EventLog_Get(log, chosen[i]->number);
        const bool is_there = chosen[i]->is_distant || is_listed(turn, what->event.entity);
        events->list[i] = (snapshot_event_t){chosen[i]->seq, chosen[i]->tick,
                                             fit(server, session, what, is_there)};
    }
}
