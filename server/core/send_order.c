/// core/send_order.c - lists the entities of a client's snapshot and orders them.
//
// Reads the world between ticks, never writes it.

#include "core/delay.h"
#include "core/interest.h"
#include "math/angles.h"
#include "proto/entity_fields.h"
#include "world/bits.h"
#include "world/tick_time.h"

#include <string.h>

// Needs of an entity. Each turn adds them, and what its distance and the view add (priority.c).
#define NEED_ANY    4
#define NEED_PLAYER 4
#define NEED_PUSHER 8 // players ride on it
#define NEED_FIGHT  4 // fires, or was just hit

// In server->spots only: the state has a motion. add_all sets NEED_FIRST instead if the receiver is
// within REACH.
#define NEED_EXACT 0x4000

// In server->spots only: the state has a velocity, so its news depend on the length of the tick.
#define NEED_MOVES 0x2000

#define REACH 192.0f // qu; nobody moves further until the next snapshots

#define NUM_DISTANCES 2048
#define FLOAT_SHIFT   20 // keeps a float's top bits: eight buckets per doubling

static vec3_t origin_of(const world_t *world, const entity_state_t *state) {
    if (state->motion != ENTITY_NO_MOTION) {
        const edict_t *edict = World_Edict(world, state->number);
        return VectorScale(VectorAdd(edict->absmin, edict->absmax), 0.5f);
    }
    const vec3_t units = {(float)state->origin[0], (float)state->origin[1],
                          (float)state->origin[2]};
    return VectorScale(units, 1.0f / (float)ENTITY_ORIGIN_SCALE);
}

static spot_t spot_of(const world_t *world, const entity_state_t *state) {
    const bool is_player = state->type == ENTITY_PLAYER;
    const bool is_pusher = (Entity_HasRecord(state) && state->motion != 1 + MOTION_NONE) ||
                           state->motion == ENTITY_LOOSE;
    const bool is_exact = state->motion != ENTITY_NO_MOTION;
    const bool moves = (state->velocity[0] | state->velocity[1] | state->velocity[2]) != 0;
    const int32_t need = NEED_ANY + (is_player ? NEED_PLAYER : 0) + (is_pusher ? NEED_PUSHER : 0) +
                         (is_exact ? NEED_EXACT : 0) + (moves ? NEED_MOVES : 0);
    return (spot_t){.origin = origin_of(world, state),
                    .number = (uint16_t)state->number,
                    .need = (uint16_t)need};
}

// Returns how far an entity is from where its last tick expects it: 0 = exact, 2, 4, 6 = far.
static int32_t surprise(const entity_state_t *state, const moved_t *before, int32_t tick_ms) {
    const int32_t limits[] = {8, 64, 512}; // 1/16 qu
    int32_t most = 0;
    int32_t steps = 0;
    for (int32_t axis = 0; axis < 3; axis++) {
        const int32_t moved = before->velocity[axis] * ENTITY_ORIGIN_SCALE * tick_ms / 1000;
        const int32_t off = state->origin[axis] - before->origin[axis] - moved;
        most = Q_MaxI(most, off < 0 ? -off : off);
    }
    for (size_t i = 0; i < COUNTOF(limits); i++) {
        steps += most >= limits[i] ? 2 : 0;
    }
    return steps;
}

// Returns the need that an entity's last ticks add: changes of its motion and fights.
static int32_t news_of(server_t *server, const entity_state_t *state, int32_t tick_ms) {
    moved_t *before = &server->moved[state->number];
    const bool is_player = state->number <= server->config.max_clients;
    const client_t *client = is_player ? World_Client(server->world, state->number - 1) : NULL;
    const int32_t health = client ? client->player.health : 0;
    int32_t news = Q_MaxI(surprise(state, before, tick_ms), before->news - 1);
    if (client && (health < before->health || (client->last_cmd.buttons & BUTTON_ATTACK))) {
        news = Q_MaxI(news, NEED_FIGHT) + NEED_FIGHT;
    }
    memcpy(before->origin, state->origin, sizeof before->origin);
    memcpy(before->velocity, state->velocity, sizeof before->velocity);
    before->health = health;
    before->news = news;
    return news;
}

void SendOrder_Build(server_t *server) {
    const int32_t tick_ms = World_TickMs(server->world);
    for (int32_t i = 0; i < server->num_states; i++) {
        spot_t *spot = &server->spots[i];
        const int32_t number = server->numbers[i];
        const bool is_second = i > 0 && number == server->numbers[i - 1]; // other audience
        // A kept edict had this state in the last three ticks. If it had no news in the last tick,
        // it has none now, because NEED_MOVES is not set.
        if (Bits_Get(server->kept, number) && spot->number == number &&
            (spot->need & ~NEED_EXACT) == NEED_ANY) {
            continue;
        }
        *spot = spot_of(server->world, &server->states[i]);
        if (!is_second) {
            spot->need = (uint16_t)(spot->need + news_of(server, &server->states[i], tick_ms));
        }
    }
    for (int32_t i = server->num_states; i < server->num_spots; i++) {
        server->spots[i].number = 0; // unused now; must not match when a later tick uses it again
    }
    server->num_spots = server->num_states;
}

// Writes the indexes of the decoded states that a delayed spectator receives.
static int32_t list_late(const server_t *server, const session_t *session, int32_t *indexes) {
    int32_t num_states = 0;
    int32_t count = 0;
    const entity_state_t *states = Delay_States(server, &num_states);
    for (int32_t i = 0; i < num_states; i++) {
        if (states[i].number != session->slot + 1 && Delay_Shows(server, session, i)) {
            indexes[count++] = i;
        }
    }
    return count;
}

// Returns the bucket of the distance to a point: the top bits, because positive floats sort like
// their bits.
static uint32_t distance_bucket(const world_t *world, const entity_state_t *state, vec3_t eye) {
    const vec3_t to = VectorSubtract(origin_of(world, state), eye);
    const float square = DotProduct(to, to);
    uint32_t bits = 0;
    memcpy(&bits, &square, sizeof bits);
    return bits >> FLOAT_SHIFT & (NUM_DISTANCES - 1);
}

// Keeps the nearest `max` entities, in their order. Returns their number.
static int32_t keep_nearest(const server_t *server, const entity_state_t *states, vec3_t eye,
                            int32_t *indexes, int32_t count, int32_t max) {
    int32_t sizes[NUM_DISTANCES] = {0};
    uint32_t edge = 0; // bucket that is kept in part
    int32_t room = max;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        sizes[distance_bucket(server->world, &states[indexes[i]], eye)]++;
    }
    while (sizes[edge] <= room) {
        room -= sizes[edge++];
    }
    for (int32_t i = 0; i < count; i++) {
        const uint32_t bucket = distance_bucket(server->world, &states[indexes[i]], eye);
        if (bucket < edge || (bucket == edge && room-- > 0)) {
            indexes[kept++] = indexes[i];
        }
    }
    return kept;
}

// Returns true if the receiver may touch the entity, stand on it, or drive it.
static bool is_within_reach(const server_t *server, const turn_t *turn, int32_t number) {
    const vec3_t reach = {REACH, REACH, REACH};
    const bounds_t around = {VectorSubtract(turn->eye, reach), VectorAdd(turn->eye, reach)};
    const edict_t *edict = World_Edict(server->world, number);
    return BoundsTouch((bounds_t){edict->absmin, edict->absmax}, around);
}

// Adds entities of this tick, or of the one that delayed spectators receive.
static void add_all(server_t *server, turn_t *turn, const entity_state_t *states,
                    const int32_t *indexes, int32_t count) {
    const bool is_late = states != server->states;
    const entity_state_t **order = &server->order[turn->count];
    spot_t *spots = &server->turn_spots[turn->count];
    for (int32_t i = 0; i < count; i++) {
        spot_t spot =
            is_late ? spot_of(server->world, &states[indexes[i]]) : server->spots[indexes[i]];
        if (spot.need & NEED_EXACT) { // for the receiver's prediction
            const bool is_first = is_within_reach(server, turn, spot.number);
            spot.need = (uint16_t)((spot.need & ~NEED_EXACT) | (is_first ? NEED_FIRST : 0));
        }
        spot.need = (uint16_t)(spot.need & ~NEED_MOVES);
        order[i] = &states[indexes[i]];
        spots[i] = spot;
    }
    turn->count += count;
}

void SendOrder_List(server_t *server, const session_t *session, int32_t view,
                    const entity_state_t *own, turn_t *turn) {
    const bool is_late = Delay_Is(server, session);
    int32_t num_states = 0;
    const entity_state_t *states = is_late ? Delay_States(server, &num_states) : server->states;
    int32_t *indexes = server->candidates;
    int32_t count = is_late ? list_late(server, session, indexes)
                            : Interest_List(server, session, view, turn, indexes);
    if (count > MAX_SNAPSHOT_ENTS - 1) {
        server->stats.entities_deferred += (uint64_t)(count - (MAX_SNAPSHOT_ENTS - 1));
        count = keep_nearest(server, states, turn->eye, indexes, count, MAX_SNAPSHOT_ENTS - 1);
    }
    int32_t before = 0; // entities before the client's own
    while (before < count && states[indexes[before]].number < own->number) {
        before++;
    }
    turn->own = before;
    add_all(server, turn, states, indexes, before);
    server->order[turn->count] = own;
    server->turn_spots[turn->count++] = (spot_t){.number = (uint16_t)own->number, .need = 1};
    add_all(server, turn, states, indexes + before, count - before);
    turn->spots = server->turn_spots;
    Priority_Order(&server->priorities[session->slot], turn);
}
