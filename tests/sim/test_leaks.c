// Nothing about a player's place leaves the server for a client that can neither see nor hear the
// player. All bytes of a match are recorded, decoded and judged by exact lines of sight.

#include "lib/crowd_fixture.h"
#include "lib/testing.h"

#include "base/hash.h"
#include "core/server_local.h"
#include "physics/actions.h"
#include "proto/entity_fields.h"

#include <stdlib.h>
#include <string.h>

#define BOTS       16
#define DELAY_MS   25
#define HOLD_TICKS 20                              // 300 ms, and a tick
#define SPEED      320.0f                          // qu/s: sv_maxspeed
#define LEAD_S     (0.001f * (2 * DELAY_MS + 170)) // see core/sight.h
#define DRIFT_S    0.084f                          // of a box until the next test
#define EXIT_S     0.055f // 50 ms, 1.1 times as fast: before a teleport, see core/interest.h
#define EXIT_QU    2.0f   // boxes are linked as larger ones
#define PLACES     1000   // random ones of an eye
#define NEAR       16.0f  // qu: an event so near a player's origin is at the player
#define HEARING    (1024.0f + 1.0f) // and the rounding on the wire
#define EVERY      4                // ticks between counts of useless records

#define MANY_PLACES  50000 // of an eye, before a leak is reported
#define MAX_SEARCHED 10    // leaks; more are reported without that

#define WATCHER   (BOTS - 1) // follows a player
#define SPECTATOR (BOTS - 2) // flies freely
#define FRIENDS   2          // slots below are a team
#define CARRIERS  8          // slots below have a follower

typedef struct {
    test_crowd_t crowd;
    rng_t rng;
    bool is_judged;
    snapshot_ring_t *rings[BOTS]; // by peer, as the schemas
    field_schema_t schemas[BOTS];
    event_window_t received[BOTS];
    int64_t allowed[BOTS][BOTS], tested[BOTS][BOTS]; // newest ticks, by viewed slot and player
    // Counts:
    int64_t records, followers, useless, counted, heard, texts, leaks, deaths;
    char first[256]; // the first leak
} leaks_t;

static leaks_t *the_leaks; // of judge()

// ---- the oracle ----

static bounds_t box_of(const crowd_player_t *player) {
    return (bounds_t){VectorAdd(player->origin, player->mins),
                      VectorAdd(player->origin, player->maxs)};
}

static float speed_of(const crowd_player_t *player) {
    const float speed = VectorLength(player->velocity);
    return speed > SPEED ? speed : SPEED;
}

// Returns a random place that an eye may soon reach, on a straight line.
static vec3_t reached(leaks_t *leaks, vec3_t eye, float speed) {
    rng_t *rng = &leaks->rng;
    const cm_object_t world = {.model = 0};
    const vec3_t toward = Vector(Rng_Range(rng, -1.0f, 1.0f), Rng_Range(rng, -1.0f, 1.0f),
                                 Rng_Range(rng, -1.0f, 1.0f));
    const vec3_t to = VectorMA(eye, LEAD_S * speed, toward);
    return CM_BoxTrace(&leaks->crowd.map, &world, eye, to, vec3_zero, vec3_zero).endpos;
}

// Returns true if an eye may soon see a player, as of one tick. Tries `places` random lines.
static bool sees_from(leaks_t *leaks, const crowd_scene_t *scene, vec3_t eye, float speed,
                      int32_t player, int32_t places) {
    const bounds_t box = box_of(&scene->players[player]);
    const vec3_t drift = {DRIFT_S * SPEED, DRIFT_S * SPEED, 0.0f};
    const vec3_t step = VectorScale(scene->players[player].velocity, DRIFT_S);
    const bounds_t moved = {VectorAdd(box.mins, VectorMin(VectorNegate(drift), step)),
                            VectorAdd(box.maxs, VectorMax(drift, step))};
    bool sees = TestCrowd_SeesBox(&leaks->crowd, scene, eye, box, false);
    for (int32_t i = 0; i < places && !sees; i++) {
        const vec3_t from = reached(leaks, eye, speed);
        const vec3_t to = Vector(Rng_Range(&leaks->rng, moved.mins.x, moved.maxs.x),
                                 Rng_Range(&leaks->rng, moved.mins.y, moved.maxs.y),
                                 Rng_Range(&leaks->rng, moved.mins.z, moved.maxs.z));
        sees = TestCrowd_SeesBox(&leaks->crowd, scene, from, i % 2 ? moved : box, false) ||
               TestCrowd_IsClear(&leaks->crowd, scene, from, to, false);
    }
    return sees;
}

static bool sees_soon(leaks_t *leaks, const crowd_scene_t *scene, int32_t view, int32_t player,
                      int32_t places) {
    const crowd_player_t *viewer = &scene->players[view];
    return sees_from(leaks, scene, TestCrowd_Eye(viewer->origin), speed_of(viewer), player, places);
}

// Returns true if a player may soon touch a teleporter, and see another one from its exit.
static bool sees_from_exit(leaks_t *leaks, const crowd_scene_t *scene, int32_t view, int32_t player,
                           int32_t places) {
    const crowd_player_t *viewer = &scene->players[view];
    const float reach = EXIT_S * speed_of(viewer) + EXIT_QU;
    const vec3_t margin = {reach, reach, reach};
    const bounds_t box = box_of(viewer);
    const bounds_t wide = {VectorSubtract(box.mins, margin), VectorAdd(box.maxs, margin)};
    bool sees = false;
    for (int32_t i = 0; i < leaks->crowd.num_exits && !sees; i++) {
        const crowd_exit_t *exit = &leaks->crowd.exits[i];
        sees =
            BoundsTouch(exit->trigger, wide) &&
            sees_from(leaks, scene, TestCrowd_Eye(exit->origin), speed_of(viewer), player, places);
    }
    return sees;
}

// Returns the first tick whose sight still counts now.
static int64_t first_tick(const crowd_scene_t *now, int32_t view, int32_t player) {
    int64_t first = now->tick - HOLD_TICKS;
    first = first < now->players[view].put_tick ? now->players[view].put_tick : first;
    return first < now->players[player].put_tick ? now->players[player].put_tick : first;
}

// Searches the ticks after `after` for one in which one of two players may soon see the other, or
// `view` may see the other from an exit.
static void search(leaks_t *leaks, int32_t view, int32_t player, int64_t after, int32_t places) {
    const crowd_scene_t *now = TestCrowd_Note(&leaks->crowd);
    const int64_t first = first_tick(now, view, player);
    int64_t *allowed = &leaks->allowed[view][player];
    for (int64_t at = now->tick; *allowed < first && at >= first && at > after; at--) {
        const crowd_scene_t *scene = TestCrowd_Scene(&leaks->crowd, at);
        bool sees = scene && (sees_soon(leaks, scene, view, player, places) ||
                              sees_soon(leaks, scene, player, view, places) ||
                              sees_from_exit(leaks, scene, view, player, places));
        *allowed = sees ? at : *allowed;
    }
}

// Returns true if a client could know where a player is as of an earlier tick, by the sight of that
// tick and of those that counted then.
static bool knew(leaks_t *leaks, const crowd_scene_t *before, int32_t view, int32_t player) {
    bool sees = false;
    for (int64_t at = before->tick; at >= first_tick(before, view, player) && !sees; at--) {
        const crowd_scene_t *scene = TestCrowd_Scene(&leaks->crowd, at);
        sees = scene && (sees_soon(leaks, scene, view, player, PLACES) ||
                         sees_soon(leaks, scene, player, view, PLACES));
    }
    return sees;
}

// Returns true if a client that views slot `view` may know where a player is.
static bool may_know(leaks_t *leaks, int32_t view, int32_t player) {
    const crowd_scene_t *now = TestCrowd_Note(&leaks->crowd);
    const int64_t first = first_tick(now, view, player);
    const int64_t *allowed = &leaks->allowed[view][player];
    int64_t *tested = &leaks->tested[view][player];
    if (view == player ||
        (now->players[view].team != 0 && now->players[view].team == now->players[player].team)) {
        return true;
    }
    if (*allowed >= first) {
        return true; // the ticks since then are tested when they matter
    }
    search(leaks, view, player, *tested, PLACES);
    if (*allowed < first && leaks->leaks < MAX_SEARCHED) {
        search(leaks, view, player, 0, MANY_PLACES); // a narrow gap, or a leak
    }
    *tested = now->tick;
    return *allowed >= first;
}

static void note_leak(leaks_t *leaks, int32_t slot, int32_t player, const char *what) {
    const crowd_scene_t *scene = TestCrowd_Note(&leaks->crowd);
    const vec3_t from = scene->players[scene->players[slot].view].origin;
    const vec3_t to = scene->players[player].origin;
    if (leaks->leaks++ == 0) {
        snprintf(leaks->first, sizeof leaks->first,
                 "tick %lld: client %d at (%g %g %g) learns of player %d at (%g %g %g): %s",
                 (long long)scene->tick, slot, (double)from.x, (double)from.y, (double)from.z,
                 player, (double)to.x, (double)to.y, (double)to.z, what);
    }
}

// ---- judging what was decoded ----

// Returns the slot of the player that an edict is or follows, or -1.
static int32_t player_of(const world_t *world, int32_t number) {
    const edict_t *at = World_Edict(world, number);
    for (int32_t i = 0; i < 8 && at && at->movetype == MOVETYPE_FOLLOW; i++) {
        at = World_Deref(world, at->aiment);
    }
    const int32_t slot = at ? World_EdictNumber(world, at) - 1 : -1;
    return slot >= 0 && slot < world->max_clients ? slot : -1;
}

static void judge_record(leaks_t *leaks, int32_t slot, int32_t number) {
    const server_t *server = leaks->crowd.net.server;
    const crowd_scene_t *scene = TestCrowd_Note(&leaks->crowd);
    const int32_t view = scene->players[slot].view;
    const int32_t player = player_of(server->world, number);
    const bool is_free = scene->players[slot].is_spectator && view == slot;
    if (player < 0 || player == view || player == slot || is_free) {
        return;
    }
    const crowd_player_t *target = &scene->players[player];
    const bool is_friend = target->team != 0 && target->team == scene->players[view].team;
    leaks->records++;
    leaks->followers += number != player + 1;
    if (target->is_spectator || !may_know(leaks, view, player)) {
        note_leak(leaks, slot, player, number == player + 1 ? "an entity" : "a follower");
    }
    if (scene->tick % EVERY == 0 && !is_friend && number == player + 1) {
        const vec3_t eye = TestCrowd_Eye(scene->players[view].origin);
        leaks->counted++;
        leaks->useless += !TestCrowd_SeesBox(&leaks->crowd, scene, eye, box_of(target), true);
    }
}

// The server chooses who receives an event before it tests the sight of the event's tick. A viewer
// that is put to another place in this tick may know a player whom it saw from the old place: until
// its next test, the moves of that player counted as seen from there. It learns nothing new.
// `place`: where the client puts the event; NULL = nowhere.
static void judge_event(leaks_t *leaks, int32_t slot, const game_event_t *event, int64_t tick,
                        const vec3_t *place) {
    const crowd_scene_t *scene = TestCrowd_Scene(&leaks->crowd, tick);
    if (!place || !scene) {
        assert_true(scene || tick + CROWD_HISTORY < TestCrowd_Note(&leaks->crowd)->tick);
        return;
    }
    const crowd_scene_t *before = TestCrowd_Scene(&leaks->crowd, tick - 1);
    const int32_t view = scene->players[slot].view;
    const int32_t viewed = before ? before->players[slot].view : view; // in the last snapshot
    const bool is_free = scene->players[slot].is_spectator && view == slot;
    const bool put_now = before && scene->players[view].put_tick == tick;
    const float far = VectorLength(VectorSubtract(*place, scene->players[view].origin));
    leaks->heard++;
    for (int32_t player = 0; player < BOTS; player++) {
        const vec3_t off = VectorSubtract(*place, scene->players[player].origin);
        if (!is_free && player != view && player != slot && scene->players[player].is_in &&
            !scene->players[player].is_spectator && VectorLength(off) < NEAR && far > HEARING &&
            !may_know(leaks, view, player) && !may_know(leaks, viewed, player) &&
            !(put_now && knew(leaks, before, view, player))) {
            note_leak(leaks, slot, player, event->kind == GAME_SOUND ? "a sound" : "an effect");
        }
    }
}

static void judge_snapshot(leaks_t *leaks, int32_t peer, const uint8_t *data, size_t size) {
    entity_state_t moved;
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    snapshot_ring_t *ring = leaks->rings[peer];
    const int32_t slot = leaks->crowd.net.server->sessions[peer].slot;
    msg_reader_t msg = MSG_Reader(data, size);
    err_t err;
    if (size == SNAPSHOT_BUSY_BYTES) {
        return;
    }
    if (Snapshot_Read(&msg, ring, &err) != SNAPSHOT_OK) {
        fail_msg("a snapshot of client %d does not decode", slot);
    }
    const int64_t tick = SnapshotRing_Newest(ring);
    const int32_t count = SnapshotRing_Entities(ring, tick, list, NULL);
    if (!leaks->is_judged) {
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        judge_record(leaks, slot, list[i]->number);
    }
    const snapshot_events_t *events = SnapshotRing_Events(ring);
    for (int32_t i = 0; i < events->count; i++) {
        const game_event_t *event = &events->list[i].event;
        const entity_state_t *state = SnapshotRing_Record(ring, tick, event->entity, &moved);
        vec3_t place = event->origin;
        if (state && !event->has_origin) {
            place = Vector((float)state->origin[0] / 16.0f, (float)state->origin[1] / 16.0f,
                           (float)state->origin[2] / 16.0f);
        }
        if (EventWindow_Accept(&leaks->received[peer], events->list[i].seq)) {
            judge_event(leaks, slot, event, events->list[i].tick,
                        event->has_origin || (state && state->type == ENTITY_PLAYER) ? &place
                                                                                     : NULL);
        }
    }
}

// A text must not have two numbers that are a player's x and y.
static void judge_text(leaks_t *leaks, int32_t slot, const char *text) {
    const crowd_scene_t *scene = TestCrowd_Note(&leaks->crowd);
    leaks->texts++;
    for (int32_t player = 0; player < BOTS; player++) {
        bool has[2] = {false, false};
        for (const char *at = text; *at != '\0'; at += strspn(at, "-0123456789.") + 1) {
            char *end = NULL;
            const float value = strtof(at, &end);
            has[0] = has[0] || (end > at && fabsf(value - scene->players[player].origin.x) < 1.0f);
            has[1] = has[1] || (end > at && fabsf(value - scene->players[player].origin.y) < 1.0f);
            if (at[strspn(at, "-0123456789.")] == '\0') {
                break;
            }
        }
        if (has[0] && has[1] && player != slot) {
            note_leak(leaks, slot, player, "a text");
        }
    }
}

static void judge_control(leaks_t *leaks, int32_t peer, const uint8_t *data, size_t size) {
    control_msg_t msg;
    err_t err;
    const int32_t slot = leaks->crowd.net.server->sessions[peer].slot;
    if (!CTL_Read(&msg, false, data, size, &err)) {
        fail_msg("a message does not decode: %s", err.text);
    }
    if (msg.type == CTL_FIELDS) {
        leaks->schemas[peer] = msg.u.fields;
    } else if (msg.type == CTL_MAP) {
        SnapshotRing_Reset(leaks->rings[peer], msg.u.map.epoch, msg.u.map.rate_mhz,
                           &leaks->schemas[peer]);
    } else if (leaks->is_judged && msg.type == CTL_EVENT) {
        const game_event_t *event = &msg.u.event.event;
        judge_event(leaks, slot, event, msg.u.event.tick,
                    event->has_origin ? &event->origin : NULL);
    } else if (leaks->is_judged && (msg.type == CTL_PRINT || msg.type == CTL_CENTER)) {
        judge_text(leaks, slot, msg.u.text.text);
    }
}

static bool judge(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                  size_t size) {
    if (channel == NET_CHANNEL_CONTROL) {
        judge_control(the_leaks, peer, data, size);
    } else {
        judge_snapshot(the_leaks, peer, data, size);
    }
    return the_leaks->crowd.send(net, peer, channel, reliable, data, size);
}

// ---- the match ----

// Gives players followers, and makes two of them a team.
static void prepare(leaks_t *leaks) {
    server_t *server = leaks->crowd.net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t slot = 0; slot < CARRIERS; slot++) {
        edict_t *edict = sv.engine->spawn(&sv);
        assert_non_null(edict);
        edict->modelindex = 7;
        assert_true(SV_Follow(&sv, edict, World_Edict(server->world, slot + 1),
                              Vector(0.0f, 0.0f, 20.0f), vec3_zero));
    }
    for (int32_t slot = 0; slot < FRIENDS; slot++) {
        sv.engine->set_team(&sv, World_Edict(server->world, slot + 1), 1);
    }
    CL_Command(leaks->crowd.net.clients[SPECTATOR], "spectate");
    CL_Command(leaks->crowd.net.clients[WATCHER], "spectate");
}

static void play(leaks_t *leaks, int32_t ticks) {
    cl_t **clients = leaks->crowd.net.clients;
    for (int32_t i = 0; i < ticks; i++) {
        if (i % 100 == 50) {
            CL_Command(clients[2 + Rng_Below(&leaks->rng, SPECTATOR - 2)], "kill");
            CL_Command(clients[WATCHER], "follow next");
        }
        TestCrowd_Step(&leaks->crowd);
    }
}

// Runs a match on a map of maps/. Returns the share of records of players that the viewer does not
// see, in %.
static double run_match(const char *map, int32_t ticks) {
    leaks_t *leaks = calloc(1, sizeof *leaks);
    assert_non_null(leaks);
    the_leaks = leaks;
    leaks->rng.state = 1;
    for (int32_t i = 0; i < BOTS; i++) {
        leaks->rings[i] = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
        assert_non_null(leaks->rings[i]);
    }
    if (!TestCrowd_Start(&leaks->crowd, &(crowd_config_t){map, BOTS, DELAY_MS, 2, judge})) {
        skip();
    }
    prepare(leaks);
    play(leaks, 60);
    leaks->crowd.shoots = true;
    leaks->is_judged = true;
    play(leaks, ticks);
    const double useless = 100.0 * (double)leaks->useless / (double)leaks->counted;
    print_message("%s: %lld player records, %lld of followers, %lld events, %lld texts; "
                  "useless %.1f %%\n",
                  map, (long long)leaks->records, (long long)leaks->followers,
                  (long long)leaks->heard, (long long)leaks->texts, useless);
    if (leaks->leaks > 0) {
        fail_msg("%lld leaks; the first: %s", (long long)leaks->leaks, leaks->first);
    }
    assert_true(leaks->followers > 100 && leaks->heard > 100 && leaks->texts > 5);
    TestCrowd_Free(&leaks->crowd);
    for (int32_t i = 0; i < BOTS; i++) {
        SnapshotRing_Destroy(leaks->rings[i]);
    }
    free(leaks);
    return useless;
}

// Matches of 20,000 ticks have shares of 15 to 21 %.
static void test_nothing_leaks(void **state) {
    (void)state;
    const double useless = run_match("sight", Test_IsLong() ? 80000 : Test_IsSlow() ? 200 : 800);
    assert_true(Test_IsSlow() || useless <= 20.0);
}

// Rooms that see each other only from the exits of teleporters.
static void test_exits(void **state) {
    (void)state;
    (void)run_match("teleport", Test_IsLong() ? 10000 : Test_IsSlow() ? 100 : 800);
}

// ---- the same bytes, wherever a hidden player is ----

#define SEER   0
#define FRIEND 1 // in the seer's view
#define HIDDEN 2

static struct {
    test_crowd_t crowd;
    uint64_t hash; // of the bytes to the seer
    int64_t bytes;
} the_run;

static bool hash_bytes(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                       const void *data, size_t size) {
    if (the_run.crowd.net.server->sessions[peer].slot == SEER) {
        the_run.hash = Hash_Bytes(data, size, the_run.hash + channel);
        the_run.bytes += (int64_t)size;
    }
    return the_run.crowd.send(net, peer, channel, reliable, data, size);
}

// Returns the hash of what the seer receives while the hidden player walks in a circle, jumps and
// shoots, or stands.
static uint64_t run_hidden(bool walks, float x) {
    memset(&the_run, 0, sizeof the_run);
    if (!TestCrowd_Start(&the_run.crowd, &(crowd_config_t){NULL, 3, DELAY_MS, 2, hash_bytes})) {
        skip();
    }
    test_net_t *net = &the_run.crowd.net;
    server_t *server = net->server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    const vec3_t places[] = {{384.0f, 384.0f, 26.0f}, {448.0f, 448.0f, 26.0f}, {x, 700.0f, 26.0f}};
    for (int32_t slot = SEER; slot <= HIDDEN; slot++) {
        sv.engine->teleport(&sv, World_Edict(server->world, slot + 1), places[slot], vec3_zero,
                            vec3_zero);
    }
    the_run.crowd.stands = true;
    for (int32_t tick = 0; tick < 200; tick++) {
        const float yaw = (float)(tick * 5);
        const cl_input_t input = {.forward = 200.0f, .yaw = yaw};
        const cl_input_t wild = {.forward = 300.0f, .yaw = yaw, .pitch = -30.0f, .buttons = 3};
        CL_SetInput(net->clients[SEER], &input);
        CL_SetInput(net->clients[FRIEND], &input);
        CL_SetInput(net->clients[HIDDEN], walks ? &wild : &(cl_input_t){0});
        TestCrowd_Step(&the_run.crowd);
    }
    const uint64_t hash = the_run.hash;
    assert_true(the_run.bytes > 5000);
    TestCrowd_Free(&the_run.crowd);
    return hash;
}

static void test_the_same_bytes(void **state) {
    (void)state;
    const uint64_t hash = run_hidden(false, 3300.0f);
    assert_true(hash == run_hidden(false, 3700.0f));
    assert_true(hash == run_hidden(true, 3300.0f));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_leaks),
                                       cmocka_unit_test(test_exits),
                                       cmocka_unit_test(test_the_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
