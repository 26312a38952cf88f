// match_checks.c - what must be true in every match.

#include "client/cl_local.h"
#include "core/delay.h"
#include "core/server_local.h"
#include "game/players.h"
#include "lib/match_run.h"
#include "lib/sim_local.h"
#include "proto/entity_fields.h"
#include "proto/ring_local.h"
#include "state/shown.h"
#include "world/block.h"
#include "world/strings.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <string.h>

const session_t *Match_Session(const match_t *match, const match_client_t *client) {
    const server_t *server = match->server;
    for (int32_t i = 0; i < server->num_sessions; i++) {
        const session_t *session = &server->sessions[i];
        if (session->ring && session->slot == CL_Slot(client->cl) &&
            session->address.host == client->address.host &&
            session->address.port == client->address.port) {
            return session;
        }
    }
    return NULL;
}

// ---- snapshots of client and server ----

static bool same_snapshot(const snapshot_t *a, const snapshot_t *b) {
    return a->tick == b->tick && a->cmd_tick == b->cmd_tick && a->cmd_ran_ms == b->cmd_ran_ms &&
           a->cmd_queued_ms == b->cmd_queued_ms && a->filled_ms == b->filled_ms &&
           a->dropped_cmds == b->dropped_cmds &&
           memcmp(&a->report, &b->report, sizeof a->report) == 0 &&
           memcmp(&a->player, &b->player, sizeof a->player) == 0;
}

static void compare_entities(match_t *match, const cl_t *cl, const session_t *session, int32_t n,
                             int64_t tick) {
    match_house_t *house = match->house;
    const entity_state_t **own = house->lists[0], **sent = house->lists[1];
    const int32_t count = SnapshotRing_Entities(cl->ring, tick, own, house->moved[0]);
    const int32_t num_sent = SnapshotRing_Entities(session->ring, tick, sent, house->moved[1]);
    if (count != num_sent) {
        Match_Fault(match, "client %d, tick %lld: %d entities, the server sent %d", n,
                    (long long)tick, count, num_sent);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        if (memcmp(own[i], sent[i], sizeof *own[i]) != 0 && !Entity_Equal(own[i], sent[i])) {
            Match_Fault(match, "client %d, tick %lld: entity %d differs from that of the server", n,
                        (long long)tick, sent[i]->number);
        }
    }
    house->counts.entities += (uint64_t)count;
}

static bool has_infos(const snapshot_ring_t *ring, int64_t tick) {
    const int32_t slot = Ring_FindSlot(ring, tick);
    return slot >= 0 && ring->slots[slot].has_infos;
}

static void compare_infos(match_t *match, const cl_t *cl, const session_t *session, int32_t n,
                          int64_t tick) {
    if (!has_infos(cl->ring, tick) || !has_infos(session->ring, tick)) {
        return; // older than the baseline
    }
    for (int32_t i = 0; i <= match->plan->num_slots; i++) {
        const int32_t number = i < match->plan->num_slots ? RECORD_CLIENT(i) : RECORD_WORLD;
        const entity_state_t *own = SnapshotRing_Record(cl->ring, tick, number, NULL);
        const entity_state_t *sent = SnapshotRing_Record(session->ring, tick, number, NULL);
        if (!own != !sent || (own && !Entity_Equal(own, sent))) {
            Match_Fault(match, "client %d, tick %lld: record %d differs from that of the server", n,
                        (long long)tick, i);
        }
    }
}

// Returns false if the server has dropped the snapshot.
static bool compare(match_t *match, const cl_t *cl, const session_t *session, int32_t n,
                    int64_t tick) {
    const snapshot_t *own = SnapshotRing_Find(cl->ring, tick);
    const snapshot_t *sent = SnapshotRing_Find(session->ring, tick);
    if (!own || !sent) {
        return false;
    }
    if (!same_snapshot(own, sent)) {
        Match_Fault(match, "client %d, tick %lld: the player differs from that of the server", n,
                    (long long)tick);
    }
    compare_entities(match, cl, session, n, tick);
    compare_infos(match, cl, session, n, tick);
    return true;
}

static bool is_same_epoch(const cl_t *cl, const session_t *session) {
    return cl->has_map_info && cl->ring->epoch == session->ring->epoch &&
           (cl->state == CL_LOADING || cl->state == CL_ACTIVE);
}

void Match_CheckReceived(match_t *match, int32_t n) {
    match_client_t *client = &match->clients[n];
    const cl_t *cl = client->cl;
    const int64_t tick = SnapshotRing_Newest(cl->ring);
    if (tick == 0 || (tick == client->seen_tick && cl->ring->epoch == client->epoch)) {
        return;
    }
    match_counts_t *counts = &match->house->counts;
    const session_t *session = Match_Session(match, client);
    client->seen_tick = tick;
    client->epoch = cl->ring->epoch;
    counts->snapshots++;
    const bool is_in = session && is_same_epoch(cl, session);
    if (is_in) {
        Match_CheckNoises(match, n, session->slot);
        Match_CheckEvents(match, n, session->slot, tick);
    }
    if (is_in && compare(match, cl, session, n, tick)) {
        counts->compared++;
    } else {
        counts->not_kept++;
    }
}

void Match_CheckAcked(match_t *match) {
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        match_client_t *client = &match->clients[n];
        const session_t *session = client->cl ? Match_Session(match, client) : NULL;
        const int64_t base = session ? SnapshotRing_Base(session->ring) : 0;
        if (base > 0 && base != client->acked_tick && is_same_epoch(client->cl, session)) {
            client->acked_tick = base;
            if (!compare(match, client->cl, session, n, base)) {
                Match_Fault(match,
                            "client %d: the server's baseline is of tick %lld, which the client "
                            "does not have; its newest snapshot is of tick %lld",
                            n, (long long)base, (long long)SnapshotRing_Newest(client->cl->ring));
            }
            match->house->counts.acked++;
        }
    }
}

// ---- snapshots and the world ----

static bool is_in_world(const server_t *server, const entity_state_t *shown) {
    const edict_t *edict = World_Edict(server->world, shown->number);
    if (!edict->inuse || !Shown_IsSameEdict(shown->generation, edict->generation)) {
        return false;
    }
    for (int32_t i = 0; i < server->num_states; i++) {
        const entity_state_t *state = &server->states[i];
        if (state->number == shown->number) {
            entity_state_t plain = *state;
            memcpy(plain.fields, shown->fields, sizeof plain.fields);
            plain.field_mask = shown->field_mask;
            if (server->private_words[i] != 0 || Entity_Equal(&plain, shown)) {
                return true;
            }
        }
    }
    return false;
}

static void check_truth(match_t *match, const session_t *session) {
    server_t *server = match->server;
    const world_t *world = server->world;
    const snapshot_t *sent = SnapshotRing_Find(session->ring, world->tick);
    if (!sent || sent->num_deferred > 0 || Delay_Is(server, session) ||
        SV_ViewSlot(world, session->slot) != session->slot) {
        return;
    }
    player_state_t player = World_Client(world, session->slot)->player;
    player.groundentity = sent->player.groundentity; // hidden edicts are sent as the world
    player.carrier = sent->player.carrier;
    if (memcmp(&player, &sent->player, sizeof player) != 0) {
        Match_Fault(match, "slot %d: the snapshot has another player than the world",
                    session->slot);
    }
    match_house_t *house = match->house;
    const int32_t count =
        SnapshotRing_Entities(session->ring, world->tick, house->lists[0], house->moved[0]);
    for (int32_t i = 0; i < count; i++) {
        const entity_state_t *shown = house->lists[0][i];
        if (shown->number != session->slot + 1 && !is_in_world(server, shown)) {
            Match_Fault(match, "slot %d: the snapshot has another entity %d than the world",
                        session->slot, shown->number);
        }
    }
    house->counts.truths++;
}

void Match_CheckTruth(match_t *match) {
    const server_t *server = match->server;
    for (int32_t i = 0; i < server->max_sessions && i < server->num_sessions; i++) {
        if ((server->world->tick + i) % 8 == 0 && server->sessions[i].state == SESSION_ACTIVE) {
            check_truth(match, &server->sessions[i]);
        }
    }
}

// ---- the end ----

static bool is_full(const match_t *match, const match_client_t *client) {
    return strstr(client->reason, "full") &&
           Server_NumPlayers(match->server) == match->plan->num_slots;
}

// Returns true if reliable messages of open connections wait for an acknowledgement.
static bool is_waiting(const transport_t *base) {
    const sim_transport_t *net = (const sim_transport_t *)base;
    for (int32_t i = 0; i < net->max_peers; i++) {
        const sim_peer_t *peer = &net->peers[i];
        for (const sim_message_t *at = peer->first; at && peer->state == SIM_CONNECTED;
             at = at->next) {
            // A client whose program died never answers.
            if (at->kind == SIM_RELIABLE && net->sim->now_ms - peer->heard_ms < 3000) {
                return true;
            }
        }
    }
    return false;
}

// Returns true if the server had no command of a client for some time since the last call.
static bool is_filled(match_t *match, int32_t n) {
    match_client_t *client = &match->clients[n];
    const client_t *player = World_Client(match->server->world, CL_Slot(client->cl));
    const uint32_t before_ms = client->filled_ms;
    client->filled_ms = player->filled_ms;
    return player->filled_ms != before_ms;
}

bool Match_IsSettled(match_t *match) {
    if (is_waiting(match->server_net)) {
        return false;
    }
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        const match_client_t *client = &match->clients[n];
        const cl_t *cl = client->cl;
        if (cl && is_waiting(client->net)) {
            return false;
        }
        const bool is_in = cl && CL_State(cl) == CL_ACTIVE && Match_Session(match, client) &&
                           Match_Session(match, client)->state == SESSION_ACTIVE &&
                           cl->map.epoch == match->server->epoch;
        if (client->wanted == WANTED_IN && !is_in && !is_full(match, client)) {
            return false;
        }
        if (is_in && is_filled(match, n)) {
            return false;
        }
        if (client->wanted == WANTED_ANY && cl && CL_State(cl) != CL_DISCONNECTED && !is_in) {
            return false;
        }
    }
    return true;
}

static void check_players(match_t *match, int32_t n) {
    const server_t *server = match->server;
    const cl_t *cl = match->clients[n].cl;
    for (int32_t slot = 0; slot < match->plan->num_slots; slot++) {
        cl_player_row_t row = {.name = ""};
        const bool is_listed = CL_Player(cl, slot, &row);
        const int32_t peer = server->peer_of_slot[slot];
        const session_t *session = peer >= 0 ? &server->sessions[peer] : NULL;
        if (is_listed != (session != NULL)) {
            Match_Fault(match, "client %d: slot %d is %s, at the server the opposite", n, slot,
                        is_listed ? "taken" : "empty");
        } else if (session && (strcmp(row.name, session->name) != 0 ||
                               row.is_lost != (session->state == SESSION_LOST) ||
                               row.is_spectator != session->spectator)) {
            Match_Fault(match, "client %d: slot %d is \"%s\"%s%s, at the server \"%s\"%s%s", n,
                        slot, row.name, row.is_lost ? ", lost" : "",
                        row.is_spectator ? ", spectator" : "", session->name,
                        session->state == SESSION_LOST ? ", lost" : "",
                        session->spectator ? ", spectator" : "");
        }
    }
}

static void check_names(match_t *match, int32_t n) {
    const world_t *world = match->server->world;
    const cl_t *cl = match->clients[n].cl;
    entity_state_t list[64];
    const int32_t count = CL_Entities(cl, list, COUNTOF(list));
    for (int32_t i = 0; i < count; i++) {
        const edict_t *edict = World_Edict(world, list[i].number);
        const char *name = World_Text(world, edict->classname);
        const bool is_same =
            edict->inuse && Shown_IsSameEdict(list[i].generation, edict->generation);
        const char *known = CL_ClassName(cl, &list[i]);
        if (is_same && edict->visibility == VISIBLE_ALL && strcmp(known, name) != 0) {
            Match_Fault(match, "client %d: entity %d is a \"%s\", at the server a \"%s\"", n,
                        list[i].number, known, name);
        }
    }
}

// Returns true if a client must have the map.
static bool has_map(match_t *match, int32_t n) {
    const plan_client_t *plan = &match->plan->clients[n];
    const cl_t *cl = match->clients[n].cl;
    if (plan->lacks_maps && !plan->has_no_map) {
        match->house->counts.downloads += (uint64_t)match->clients[n].num_files;
        const bool is_excused = !match->plan->allows_downloads ||
                                strstr(CL_MapFault(cl), "too fast") ||
                                match->clients[n].num_files == MATCH_FILES;
        return is_excused ? CL_HasMap(cl) : true;
    }
    return !plan->has_no_map;
}

// Returns true if commands may have made a spectator of a client, or the opposite.
static bool has_commands(const plan_t *plan, int32_t n) {
    bool any = false;
    for (int32_t i = 0; i < plan->num_events; i++) {
        const plan_event_t *event = &plan->events[i];
        any = any || (event->act == ACT_COMMAND && event->client == n);
    }
    return any;
}

static void check_role(match_t *match, int32_t n, int32_t slot) {
    const bool is_spectator = World_Client(match->server->world, slot)->spectator != 0;
    if (!has_commands(match->plan, n) && is_spectator != match->plan->clients[n].is_spectator) {
        Match_Fault(match, "client %d joined as a %s, but is none", n,
                    is_spectator ? "player" : "spectator");
    }
}

#define ACK_LATE_MS 300 // maximum time from the arrival of a snapshot to its acknowledgement

static void check_client(match_t *match, int32_t n) {
    const match_client_t *client = &match->clients[n];
    const server_t *server = match->server;
    const world_t *world = server->world;
    cl_t *cl = client->cl;
    const session_t *session = Match_Session(match, client);
    // A snapshot may wait until the client's rate has paid for a full one.
    const int64_t wait_ms = (MAX_PACKET_BYTES + RATE_HEADERS) * 1000 / session->rate.rate +
                            match->plan->clients[n].frame_ms;
    const int64_t late = world->tick - CL_ServerTick(cl);
    const int64_t max_late = 2 * server->config.snapshot_ticks + 4 + wait_ms / World_TickMs(world);
    player_state_t self, predicted;
    if (late > max_late) {
        Match_Fault(match,
                    "client %d: the newest snapshot is %lld ticks old; rate %d, spent %d, "
                    "acknowledged %lld of %lld",
                    n, (long long)late, session->rate.rate, session->rate.spent,
                    (long long)SnapshotRing_Base(session->ring),
                    (long long)SnapshotRing_Newest(session->ring));
    }
    const int64_t unacked = world->tick - SnapshotRing_Base(session->ring);
    if (unacked > max_late + ACK_LATE_MS / World_TickMs(world)) {
        Match_Fault(match, "client %d: acknowledged no snapshot of the last %lld ticks", n,
                    (long long)unacked);
    }
    if (strcmp(CL_MapName(cl), CM_Info(server->map).name) != 0 ||
        CL_HasMap(cl) != has_map(match, n)) {
        Match_Fault(match, "client %d: map \"%s\" (%s), the server runs \"%s\"", n, CL_MapName(cl),
                    CL_MapFault(cl), CM_Info(server->map).name);
    }
    if (memcmp(&cl->map.vars, &world->cvars.move, sizeof cl->map.vars) != 0) {
        Match_Fault(match, "client %d: other movement cvars than the server's", n);
    }
    if (!CL_Self(cl, &self) || !CL_Predicted(cl, &predicted)) {
        Match_Fault(match, "client %d: has no player", n);
    }
    if (!World_Client(world, session->slot)->inuse) {
        Match_Fault(match, "client %d: its player is not in the world", n);
    }
    check_role(match, n, session->slot);
    check_players(match, n);
    check_names(match, n);
}

void Match_CheckSettled(match_t *match) {
    const server_t *server = match->server;
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        const cl_t *cl = match->clients[n].cl;
        if (cl && CL_State(cl) == CL_ACTIVE) {
            check_client(match, n);
        }
    }
    int32_t players = 0;
    for (int32_t slot = 0; slot < match->plan->num_slots; slot++) {
        const int32_t peer = server->peer_of_slot[slot];
        players += peer >= 0 ? 1 : 0;
        if (peer >= 0 && server->sessions[peer].slot != slot) {
            Match_Fault(match, "slot %d: its session has slot %d", slot,
                        server->sessions[peer].slot);
        }
    }
    for (int32_t i = 0; i < server->num_sessions; i++) {
        players -= server->sessions[i].slot >= 0 ? 1 : 0;
    }
    if (players != 0) {
        Match_Fault(match, "%d slots more than sessions with a slot", players);
    }
}

void Match_CheckEmpty(match_t *match) {
    const server_t *server = match->server;
    const world_t *world = server->world;
    const server_stats_t stats = Server_Stats(server);
    const state_pool_t *pool = server->pool;
    int32_t held = 0;
    for (int32_t i = 0; i < pool->num_touched; i++) {
        held += pool->refs[i] > 0 ? 1 : 0;
    }
    if (Server_NumClients(server) != 0 || server->num_sessions != 0 ||
        Server_NumPlayers(server) != 0) {
        Match_Fault(match, "the empty server has %d clients, %d sessions and %d players",
                    Server_NumClients(server), server->num_sessions, Server_NumPlayers(server));
    }
    if (held != 0) {
        Match_Fault(match, "the empty server holds %d states of snapshots", held);
    }
    for (int32_t slot = 0; slot < match->plan->num_slots; slot++) {
        if (World_Client(world, slot)->inuse) {
            Match_Fault(match, "the empty server has a player in slot %d", slot);
        }
    }
    if (stats.joins != stats.leaves) {
        Match_Fault(match, "the empty server counts %llu joins and %llu leaves",
                    (unsigned long long)stats.joins, (unsigned long long)stats.leaves);
    }
    if (stats.bad_packets != 0 || stats.unknown_oob != 0 || world->counters.quarantined != 0 ||
        world->counters.edicts_full != 0 || stats.states_clamped + stats.fields_clamped != 0) {
        Match_Fault(match, "%llu bad packets, %llu unknown words, %llu quarantined edicts",
                    (unsigned long long)stats.bad_packets, (unsigned long long)stats.unknown_oob,
                    (unsigned long long)world->counters.quarantined);
    }
}
