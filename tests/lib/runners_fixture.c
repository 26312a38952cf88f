#include "lib/runners_fixture.h"

#include "math/angles.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Chooses anew about once per second: run or stand, turn or not, jump.
static void decide(rng_t *rng, runner_t *runner) {
    runner->busy_ticks = 20 + (int32_t)Rng_Below(rng, 80);
    runner->runs = Rng_Below(rng, 5) > 0;
    runner->turn = Rng_Below(rng, 2) ? Rng_Range(rng, -4.0f, 4.0f) : 0.0f;
    if (Rng_Below(rng, 3) == 0 && runner->origin.z <= 0.0f) {
        runner->velocity.z = 270.0f;
    }
}

// Moves roughly as pmove does on a plane: friction, acceleration, gravity.
void Runner_Run(rng_t *rng, runner_t *runner) {
    const float dt = RUNNERS_TICK_MS * 0.001f;
    if (runner->busy_ticks-- <= 0) {
        decide(rng, runner);
    }
    runner->yaw = AngleMod(runner->yaw + runner->turn);
    vec3_t forward;
    AngleVectors(Vector(0.0f, runner->yaw, 0.0f), &forward, NULL, NULL);
    vec3_t wish = VectorScale(forward, runner->runs ? 320.0f : 0.0f);
    float grip = runner->origin.z <= 0.0f ? 0.1f : 0.01f;
    runner->velocity.x += (wish.x - runner->velocity.x) * grip;
    runner->velocity.y += (wish.y - runner->velocity.y) * grip;
    if (!runner->runs && fabsf(runner->velocity.x) + fabsf(runner->velocity.y) < 4.0f) {
        runner->velocity.x = runner->velocity.y = 0.0f;
    }
    runner->velocity.z -= runner->origin.z > 0.0f || runner->velocity.z > 0.0f ? 800.0f * dt : 0.0f;
    runner->origin = VectorMA(runner->origin, dt, runner->velocity);
    if (runner->origin.z < 0.0f) {
        runner->origin.z = 0.0f;
        runner->velocity.z = 0.0f;
    }
    if (fabsf(runner->origin.x) > 3000.0f || fabsf(runner->origin.y) > 3000.0f) {
        runner->yaw = AngleMod(runner->yaw + 180.0f);
        runner->velocity = VectorNegate(runner->velocity);
        runner->origin = VectorScale(runner->origin, 0.99f);
    }
}

static int32_t quantised(float value, float scale) {
    return Q_ToInt(floorf(value * scale + 0.5f), -(1 << 24), 1 << 24);
}

static entity_state_t entity_of(const runner_t *runner, int32_t number) {
    return (entity_state_t){
        .number = number,
        .type = ENTITY_PLAYER,
        .solid = 3,
        .owner = number,
        .origin = {quantised(runner->origin.x, 16.0f), quantised(runner->origin.y, 16.0f),
                   quantised(runner->origin.z, 16.0f)},
        .velocity = {quantised(runner->velocity.x, 1.0f), quantised(runner->velocity.y, 1.0f),
                     quantised(runner->velocity.z, 1.0f)},
        .angles = {0, AngleToShort(runner->yaw), 0},
        .mins = {-256, -256, -384},
        .maxs = {256, 256, 512},
    };
}

// ---- fields and sounds ----

#define SECOND 62 // ticks

static const field_schema_t schema = {
    .scopes = {[SCOPE_EDICT] = {2,
                                {{"weapon", SENT_INT, 0, 0, 31, 0.0f},
                                 {"armour", SENT_INT, 0, 0, 200, 0.0f}}},
               [SCOPE_CLIENT] = {3,
                                 {{"ping", SENT_INT, 0, 0, 10000, 0.0f},
                                  {"team", SENT_INT, 0, 0, 255, 0.0f},
                                  {"score", SENT_INT, 0, INT32_MIN, INT32_MAX, 0.0f}}},
               [SCOPE_WORLD] = {1, {{"clock", SENT_INT, 0, 0, INT32_MAX, 0.0f}}}}};

// Changes the fields about as often as in a match.
static void change_fields(rng_t *rng, entity_state_t *player, entity_state_t *info) {
    player->classname = 1;
    if (Rng_Below(rng, 3 * SECOND) == 0) {
        Fields_Set(player, 0, (int32_t)Rng_Below(rng, 8));
    }
    if (Rng_Below(rng, 5 * SECOND) == 0) {
        Fields_Set(player, 1, (int32_t)Rng_Below(rng, 200));
    }
    if (Rng_Below(rng, SECOND) == 0) {
        Fields_Set(info, 0, 40 + (int32_t)Rng_Below(rng, 8));
    }
    if (Rng_Below(rng, 20 * SECOND) == 0) {
        Fields_Set(info, 2, info->fields[2] + 1);
    }
}

#define REPEAT_TICKS 3 // ticks between two sendings of a sound

_Static_assert(2 * REPEAT_TICKS + 1 == RUNNERS_SOUND_TICKS,
               "sounds are kept until the third sending");

static void add_fields(runners_t *match, int64_t tick) {
    for (int32_t i = 0; i < match->count; i++) {
        change_fields(&match->rng, &match->fields[i], &match->infos[i]);
        match->states[i].classname = match->fields[i].classname;
        match->states[i].field_mask = match->fields[i].field_mask;
        memcpy(match->states[i].fields, match->fields[i].fields, sizeof match->fields[i].fields);
    }
    Fields_Set(&match->infos[match->count], 0, 1 + (int32_t)(tick / SECOND));
}

// Makes the sounds of a tick, and lists those to send.
static void add_sounds(runners_t *match, int64_t tick) {
    const int64_t kept = (int64_t)COUNTOF(match->made);
    snapshot_events_t *made = &match->made[tick % kept];
    made->count = 0;
    match->events.count = 0;
    for (int32_t i = 0; i < match->count; i++) {
        if (Rng_Below(&match->rng, 2 * SECOND) < 3) {
            const game_event_t sound = {.kind = GAME_SOUND,
                                        .number = 1 + (int32_t)Rng_Below(&match->rng, 60),
                                        .entity = i + 1,
                                        .range = GAME_SOUND_RANGE,
                                        .volume = 1.0f};
            made->list[made->count++] = (snapshot_event_t){match->seq++, tick, sound};
        }
    }
    for (int64_t age = 2 * REPEAT_TICKS; age >= 0; age -= REPEAT_TICKS) {
        made = &match->made[(tick + kept - age) % kept];
        for (int32_t i = 0; i < made->count; i++) {
            match->events.list[match->events.count++] = made->list[i];
        }
    }
}

// ---- the match ----

void Runners_Move(runners_t *match) {
    for (int32_t i = 0; i < match->count; i++) {
        Runner_Run(&match->rng, &match->runners[i]);
        match->states[i] = entity_of(&match->runners[i], i + 1);
    }
}

// Returns the part of a snapshot for the first player.
static snapshot_t own_part(const runner_t *self, int64_t tick) {
    return (snapshot_t){.tick = tick,
                        .cmd_tick = tick - 1,
                        .cmd_ran_ms = RUNNERS_TICK_MS,
                        .cmd_queued_ms = 2 * RUNNERS_TICK_MS,
                        .player = {.origin = self->origin,
                                   .velocity = self->velocity,
                                   .mins = PM_PLAYER_MINS,
                                   .maxs = PM_PLAYER_MAXS,
                                   .angles = {0.0f, ShortToAngle(AngleToShort(self->yaw)), 0.0f},
                                   .watertype = -1,
                                   .health = 100}};
}

// Writes and reads the snapshot of a tick. Returns its size.
static size_t send_snapshot(runners_t *match, int64_t tick, snapshot_stats_t *stats) {
    uint8_t data[MAX_PACKET_BYTES];
    const snapshot_t now = own_part(&match->runners[0], tick);
    const snapshot_parts_t parts = {.now = &now,
                                    .events = &match->events,
                                    .entities = match->order,
                                    .num_entities = match->count - 1,
                                    .infos = match->info_order,
                                    .num_infos = match->has_all ? match->count + 1 : 0};
    const int64_t start = now_ns();
    msg_writer_t out = MSG_Writer(data, sizeof data);
    Snapshot_Write(&out, match->server, &parts, stats);
    const size_t size = MSG_Finish(&out);
    const int64_t written = now_ns();
    msg_reader_t in = MSG_Reader(data, size);
    if (Snapshot_Read(&in, match->client, NULL) != SNAPSHOT_OK) {
        abort();
    }
    match->write_ns = written - start;
    match->read_ns = now_ns() - written;
    return size;
}

void Runners_Tick(runners_t *match, int64_t tick) {
    snapshot_stats_t stats;
    Runners_Move(match);
    for (int32_t i = 1; i < match->count; i++) {
        match->order[i - 1] = &match->states[i];
        match->moving += VectorCompare(match->runners[i].velocity, vec3_zero) ? 0 : 1;
    }
    if (match->has_all) {
        add_fields(match, tick);
        add_sounds(match, tick);
    }
    match->bytes += send_snapshot(match, tick, &stats);
    match->entities += (uint64_t)stats.num_written;
    match->deferred += (uint64_t)stats.num_deferred;
    if (tick > RUNNERS_RTT) {
        SnapshotRing_Ack(match->server, tick - RUNNERS_RTT);
    }
}

runners_t *Runners_Create(int32_t count, bool has_all) {
    runners_t *match = calloc(1, sizeof *match);
    if (!match) {
        abort();
    }
    match->rng.state = 1;
    match->count = count;
    match->has_all = has_all;
    for (int32_t i = 0; i <= count; i++) {
        match->infos[i].number = i < count ? RECORD_CLIENT(i) : RECORD_WORLD;
        match->info_order[i] = &match->infos[i];
        Fields_Set(&match->infos[i], i < count ? 1 : 0, 1 + i % 2);
    }
    match->server = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    match->client = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    if (!match->server || !match->client) {
        abort();
    }
    SnapshotRing_Reset(match->server, 1, RUNNERS_RATE_MHZ, &schema);
    SnapshotRing_Reset(match->client, 1, RUNNERS_RATE_MHZ, &schema);
    for (int32_t i = 0; i < count; i++) {
        match->runners[i].origin = Vector(Rng_Range(&match->rng, -2000.0f, 2000.0f),
                                          Rng_Range(&match->rng, -2000.0f, 2000.0f), 0.0f);
    }
    return match;
}

void Runners_Destroy(runners_t *match) {
    SnapshotRing_Destroy(match->server);
    SnapshotRing_Destroy(match->client);
    free(match);
}
