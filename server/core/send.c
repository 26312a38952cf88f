/// core/send.c - sends the snapshots of a tick to the clients.
//
// Reads the world between ticks, never writes it.

#include "core/delay.h"
#include "core/interest.h"
#include "math/angles.h"
#include "world/tick_time.h"

#define REPORT_MS      1000 // between two reports to a client
#define POOL_WINDOW_MS 5000 // of the log
#define BATCHES        4    // of the snapshots of a tick
#define MIN_BATCH      4    // snapshots
#define CROWDED_EVENTS 8    // sounds and effects of a snapshot that lacks space for entities

// Returns a number of an edict below or carrying a player; 0 = the world, if the client may not see
// the edict. Such an edict is not solid at the client either.
static int32_t ground_for(const world_t *world, int32_t number, int32_t view) {
    bool is_edict = number > 0 && number < world->num_edicts;
    return is_edict && !SV_IsVisible(world, World_Edict(world, number), view) ? 0 : number;
}

// Returns the part of a snapshot that only the client in `slot` receives. `view`: SV_ViewSlot.
static snapshot_t owner_part(const world_t *world, int32_t slot, int32_t view) {
    const client_t *client = World_Client(world, slot);
    bool filled = client->floor_tick >= client->last_cmd_tick;
    snapshot_t now = {.tick = world->tick,
                      .cmd_tick = filled ? client->floor_tick + 1 : client->last_cmd_tick,
                      .cmd_ran_ms = filled ? 0 : Q_MinI(client->ran_ms, MAX_RAN_MS),
                      .filled_ms = client->filled_ms,
                      .dropped_cmds = client->dropped_late + client->dropped_queue,
                      .player = World_Client(world, view)->player};
    now.player.groundentity = ground_for(world, now.player.groundentity, view);
    now.player.carrier = ground_for(world, now.player.carrier, view);
    if (view != slot) {
        now.player.flags |= PMF_WATCHED;
        now.player.carrier = view + 1;
    }
    for (int32_t i = 0; i < client->queue_count; i++) {
        now.cmd_queued_ms += client->queue[(client->queue_first + i) % MAX_CMD_QUEUE].msec;
    }
    return now;
}

// Returns the bytes of a client's snapshot in this turn; 0 = none.
static int32_t bytes_for(const server_t *server, session_t *session) {
    const int32_t wish = Rate_Wish(session->infos[INFO_RATE - 1]);
    const int32_t interval_ms = server->snapshot_ticks * World_TickMs(server->world);
    return Rate_Bytes(&session->rate, wish, server->config.rates, interval_ms, server->now_ms);
}

// Counts the snapshot, and makes a new report if the last one is a second old.
static snapshot_report_t report(const server_t *server, session_t *session) {
    const int64_t tick = server->world->tick;
    const int32_t rate_mhz = World_TickRate(server->world);
    session->sent_snapshots++;
    if (Ticks_EndMs(rate_mhz, tick) - Ticks_EndMs(rate_mhz, session->report.tick) >= REPORT_MS) {
        session->report = (snapshot_report_t){.tick = tick,
                                              .snapshots = session->sent_snapshots,
                                              .cmd_packets = session->cmd_packets,
                                              .next_cmd = session->next_seq,
                                              .tick_mean = server->tick_times.mean,
                                              .tick_worst = server->tick_times.worst};
    }
    return session->report;
}

static void begin_turn(const server_t *server, const session_t *session,
                       const player_state_t *player, turn_t *turn) {
    turn->count = turn->num_aside = turn->num_current = 0;
    turn->aside = NULL;
    turn->eye = player->origin;
    AngleVectors(player->angles, &turn->forward, NULL, NULL);
    turn->tick = server->world->tick;
    turn->base_tick = SnapshotRing_Base(session->ring);
    turn->rate_mhz = World_TickRate(server->world);
}

// Notes which entities wait. While some do, the next snapshots have fewer events.
static void note_waits(server_t *server, int32_t slot, const turn_t *turn) {
    priority_t *priority = &server->priorities[slot];
    event_queue_t *queue = &server->event_queues[slot];
    Priority_Note(priority, &server->round, turn);
    if (priority->count > 0) {
        queue->room = Q_MinI(queue->room, CROWDED_EVENTS);
    }
    if (server->stats.longest_wait_ms < (uint64_t)priority->longest_wait_ms) {
        server->stats.longest_wait_ms = (uint64_t)priority->longest_wait_ms;
    }
}

// Counts and logs what the pool of states has not kept.
static void note_pool(server_t *server, const session_t *session, bool lost_base,
                      int32_t num_unstored) {
    server->stats.baselines_dropped += lost_base ? 1 : 0;
    server->stats.states_unstored += (uint64_t)num_unstored;
    if ((lost_base || num_unstored > 0) &&
        Log_BurstAllows(&server->pool_burst, server->now_ms, POOL_WINDOW_MS)) {
        Log_Print(server->config.log, num_unstored > 0 ? LOG_WARN : LOG_INFO,
                  "snapshot for %s: %s%s", session->name,
                  num_unstored > 0
                      ? "the pool of all clients' states is full: entities are deferred"
                      : "no acknowledgement for 8 s, or less if the pool of all clients' states is "
                        "filling up: the client receives all entities anew",
                  server->pool_burst.more);
    }
}

static void send_snapshot(server_t *server, int32_t peer) {
    session_t *session = &server->sessions[peer];
    transport_t *net = server->config.net;
    if (!World_Client(server->world, session->slot)->inuse) {
        return; // the client joins in the next tick
    }
    const bool is_late = Delay_Is(server, session);
    const int32_t view = is_late ? session->slot : SV_ViewSlot(server->world, session->slot);
    uint8_t data[MAX_PACKET_BYTES];
    const int32_t max_bytes = bytes_for(server, session);
    if (max_bytes == 0) {
        server->stats.snapshots_skipped++;
        return;
    }
    msg_writer_t msg = MSG_Writer(data, (size_t)max_bytes);
    snapshot_stats_t stats;
    snapshot_t now = owner_part(server->world, session->slot, view);
    now.report = report(server, session);
    if (is_late) {
        Delay_View(server, session, &now.player);
    }
    const entity_state_t own = SendStates_Own(server, session->slot + 1);
    snapshot_events_t events;
    queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
    turn_t turn;
    const bool lost_base = SnapshotRing_DropOld(session->ring, now.tick);
    begin_turn(server, session, &now.player, &turn);
    SendOrder_List(server, session, view, &own, &turn);
    Send_ChooseEvents(server, session, &turn, &events, chosen);
    snapshot_parts_t parts = {.now = &now,
                              .events = &events,
                              .entities = server->order,
                              .num_entities = turn.count,
                              .order = turn.order,
                              .fates = turn.fates,
                              .kept = turn.aside,
                              .num_current = turn.num_current,
                              .shared = server->states,
                              .num_shared = server->num_states,
                              .versions = server->versions,
                              .is_crowded = server->priorities[session->slot].count > 0};
    SendFields_Infos(server, view, &parts);
    if (is_late) {
        Delay_Infos(server, session, &parts);
    } else {
        SendFields_Entities(server, view, turn.count, turn.own);
    }
    NameTables_Send(server, peer, &parts);
    Snapshot_Write(&msg, session->ring, &parts, &stats);
    // The client keeps what it has of the entities set aside.
    ASSERT(turn.num_aside + turn.num_current == 0 || stats.base_tick > 0);
    size_t size = MSG_Finish(&msg);
    ASSERT(size > 0); // the codec stays within the buffer
    SendStates_NoteClamped(server, session->name, stats.num_clamped);
    note_pool(server, session, lost_base, stats.num_unstored);
    net->send(net, peer, NET_CHANNEL_SNAPSHOT, false, data, size);
    Rate_NoteSent(&session->rate, now.tick, (int32_t)size);
    Views_Sent(&session->views, now.tick);
    EventQueue_NoteSent(&server->event_queues[session->slot], now.tick, chosen, stats.num_events);
    turn.num_spare = (max_bytes - (int32_t)size) * stats.num_written / (int32_t)size;
    note_waits(server, session->slot, &turn);
    server->stats.events_sent += (uint64_t)stats.num_events;
    server->stats.event_bytes += stats.num_events > 0 ? (uint64_t)(stats.event_bits + 7) / 8 : 0;
    server->stats.snapshots++;
    server->stats.snapshot_bytes += size;
    server->stats.entities_deferred += (uint64_t)(stats.num_deferred + stats.num_over);
}

// Returns true if a client receives a snapshot in this tick. Turns are spread over the slots, so
// that no tick carries all snapshots.
static bool has_turn(const server_t *server, const session_t *session) {
    return session->state == SESSION_ACTIVE &&
           (server->world->tick + session->slot) % server->snapshot_ticks == 0;
}

void Send_Prepare(server_t *server) {
    SendStates_Build(server);
    Interest_Tick(server);
    SendOrder_Build(server);
    SendFields_Build(server);
    Delay_Record(server);
}

// Sends the snapshots in batches, so that the first clients do not wait for the last ones, whose
// snapshots take longer in some ticks. Uses few batches, because each flush is a system call.
void Send_Snapshots(server_t *server) {
    const int32_t turns = server->num_clients / server->snapshot_ticks;
    const int32_t batch = Q_MaxI(turns / BATCHES, MIN_BATCH);
    int32_t queued = 0;
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        if (has_turn(server, &server->sessions[peer])) {
            send_snapshot(server, peer);
            queued++;
        }
        if (queued == batch) {
            server->config.net->flush(server->config.net);
            queued = 0;
        }
    }
}
