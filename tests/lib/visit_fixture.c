#include "lib/visit_fixture.h"
#include "lib/events_fixture.h"

#include "base/file.h"
#include "bsp/bsp.h"
#include "core/core_local.h"
#include "game/players.h"
#include "math/angles.h"
#include "world/block.h"
#include "world/link.h"
#include "world/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SPOTS    512
#define FAR_AWAY      300.0f // qu from the visited edict
#define LAST_BIT      0.001f // qu; players that slide along each other may overlap by this ...
#define CROWDED_TICKS 64     // ... in the middle of a crowd, until one moves aside
#define SPOT_REACH    64.0f
#define DROP          160.0f // qu; a spot has ground at most this far below

// ---- the game's callbacks, counted ----

static test_visit_t *visit_of(const sv_context_t *sv) {
    const uint8_t *at = (const uint8_t *)sv->callbacks;
    size_t offset = offsetof(test_visit_t, game) + offsetof(game_binding_t, callbacks);
    return (test_visit_t *)((uintptr_t)at - offset);
}

static void counted_use(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    test_visit_t *visit = visit_of(sv);
    visit->used[World_EdictNumber(sv->world, self)]++;
    visit->own[self->use]->use(sv, self, other, activator);
}

static void counted_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    test_visit_t *visit = visit_of(sv);
    visit->touched[World_EdictNumber(sv->world, self)]++;
    visit->own[self->touch]->touch(sv, self, other, trace);
}

static void counted_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    test_visit_t *visit = visit_of(sv);
    visit->blocked[World_EdictNumber(sv->world, self)]++;
    visit->own[self->blocked]->blocked(sv, self, obstacle);
}

static void count_calls(test_visit_t *visit) {
    for (int32_t i = 0; i < MAX_CALLBACKS; i++) {
        const callback_t *own = visit->game.callbacks.by_id[i];
        if (!own) {
            continue;
        }
        visit->own[i] = own;
        visit->counted[i] = (callback_t){.name = own->name,
                                         .think = own->think,
                                         .touch = own->touch ? counted_touch : NULL,
                                         .use = own->use ? counted_use : NULL,
                                         .blocked = own->blocked ? counted_blocked : NULL};
        visit->game.callbacks.by_id[i] = &visit->counted[i];
    }
}

// ---- the map ----

sv_context_t TestVisit_Context(test_visit_t *visit) {
    return SV_Context(visit->world, &visit->map, &visit->game, visit->events);
}

static bool start_map(test_visit_t *visit, err_t *err) {
    const world_params_t params = {.max_edicts = VISIT_EDICTS,
                                   .max_clients = VISIT_PLAYERS,
                                   .seed = 1,
                                   .map_hash = visit->map.hash,
                                   .bounds = visit->map.models[0].bounds};
    visit->bytes = World_Bytes(&params);
    size_t room = (visit->bytes + 63) / 64 * 64;
    visit->world = World_Init(aligned_alloc(64, room), &params);
    visit->fresh = aligned_alloc(64, room);
    visit->inputs = calloc(1, sizeof *visit->inputs);
    visit->events = calloc(1, sizeof *visit->events);
    if (!SV_BindGame(visit->world, Game_Export(), &visit->game, err)) {
        return false;
    }
    count_calls(visit);
    if (!SV_SpawnEntities(visit->world, &visit->map, &visit->game, visit->events, err)) {
        return false;
    }
    memcpy(visit->fresh, visit->world, visit->bytes);
    return true;
}

bool TestVisit_Load(test_visit_t *visit, const char *path, err_t *err) {
    memset(visit, 0, sizeof *visit);
    visit->rng.state = 7;
    if (!BSP_Load(&visit->map, path, err)) {
        return false;
    }
    if (!start_map(visit, err)) {
        TestVisit_Free(visit);
        return false;
    }
    return true;
}

void TestVisit_Free(test_visit_t *visit) {
    CM_FreeMap(&visit->map);
    free(visit->world);
    free(visit->fresh);
    free(visit->inputs);
    free(visit->events);
}

void TestVisit_Reset(test_visit_t *visit) {
    memcpy(visit->world, visit->fresh, visit->bytes);
    memset(visit->used, 0, sizeof visit->used);
    memset(visit->touched, 0, sizeof visit->touched);
    memset(visit->blocked, 0, sizeof visit->blocked);
    memset(visit->inside_ticks, 0, sizeof visit->inside_ticks);
    visit->here = 0;
    visit->stuck = 0;
    visit->teleported = 0;
    visit->outside = 0;
    visit->quarantined = 0;
    visit->fault[0] = '\0';
    Inputs_Clear(visit->inputs);
}

const edict_t *TestVisit_Named(const test_visit_t *visit, int32_t name) {
    for (int32_t i = 1; name != 0 && i < visit->fresh->num_edicts; i++) {
        const edict_t *edict = World_Edict(visit->fresh, i);
        if (edict->inuse && edict->targetname == name) {
            return edict;
        }
    }
    return NULL;
}

// ---- spots ----

static vec3_t middle_of(bounds_t box) {
    return VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
}

static float distance_to(bounds_t box, vec3_t point) {
    vec3_t nearest = VectorMin(VectorMax(point, box.mins), box.maxs);
    return VectorLength(VectorSubtract(point, nearest));
}

typedef struct {
    vec3_t list[MOST_SPOTS];
    int32_t count;
} spots_t;

static void add_spot(spots_t *spots, float x, float y, float z) {
    if (spots->count < MOST_SPOTS) {
        spots->list[spots->count++] = Vector(x, y, z);
    }
}

static float between(test_visit_t *visit, float low, float high) {
    return low + (high - low) * Rng_Float(&visit->rng);
}

// Collects spots on it, in it, under it and around it.
static void collect_spots(test_visit_t *visit, spots_t *spots) {
    const bounds_t *box = &visit->box;
    spots->count = 0;
    for (int32_t i = 0; i < MOST_SPOTS; i++) {
        float reach = i % 4 == 0 ? 0.0f : i % 4 == 1 ? 24.0f : SPOT_REACH;
        float x = between(visit, box->mins.x - reach, box->maxs.x + reach);
        float y = between(visit, box->mins.y - reach, box->maxs.y + reach);
        float low = box->mins.z - 24.0f;
        float high = box->maxs.z + 25.0f;
        float z = i % 4 == 0 ? high : i % 4 == 1 ? low + 49.0f : between(visit, low, high);
        add_spot(spots, x, y, z);
    }
}

// Returns true if nothing is between the player and the visited edict.
static bool sees_it(test_visit_t *visit, const edict_t *player, vec3_t place) {
    sv_context_t sv = TestVisit_Context(visit);
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    vec3_t nearest = VectorMin(VectorMax(place, visit->box.mins), visit->box.maxs);
    trace_t trace = sv.engine->trace(&sv, place, zero, zero, nearest, false, player);
    return distance_to(visit->box, trace.endpos) < 2.0f;
}

static void put(test_visit_t *visit, int32_t slot, vec3_t place) {
    sv_context_t sv = TestVisit_Context(visit);
    edict_t *edict = World_Edict(visit->world, slot + 1);
    client_t *client = World_Client(visit->world, slot);
    edict->solid = SOLID_SLIDEBOX;
    edict->visibility = VISIBLE_ALL;
    client->player.pm_type = PM_NORMAL;
    client->player.health = PLAYER_HEALTH;
    Game_PlayerFields(client)->waiting = 0;
    Game_PlayerFields(client)->keys = KEY_GOLD | KEY_SILVER;
    sv.engine->next_think(&sv, edict, 0);
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    sv.engine->teleport(&sv, edict, place, zero, zero);
    visit->inside_ticks[slot] = 0;
    visit->places++;
}

// Returns true if the spot is free with ground below; writes where the player then stands.
static bool stands_at(test_visit_t *visit, const edict_t *player, vec3_t spot, vec3_t *place) {
    sv_context_t sv = TestVisit_Context(visit);
    vec3_t below = VectorSubtract(spot, Vector(0.0f, 0.0f, DROP));
    trace_t down = sv.engine->trace(&sv, spot, player->mins, player->maxs, below, true, player);
    *place = down.endpos;
    return !down.startsolid && down.fraction < 1.0f;
}

// Returns true if the player's box meets the visited box, or at least the player sees it.
static bool is_wanted(test_visit_t *visit, const edict_t *player, vec3_t place, bool in_it) {
    if (!in_it) {
        return sees_it(visit, player, place);
    }
    vec3_t low = VectorAdd(place, player->mins);
    vec3_t high = VectorAdd(place, player->maxs);
    return low.x < visit->box.maxs.x && low.y < visit->box.maxs.y && low.z < visit->box.maxs.z &&
           high.x > visit->box.mins.x && high.y > visit->box.mins.y && high.z > visit->box.mins.z;
}

// Finds a spot where a player can stand. Every fourth is inside the visited box, the others in
// sight of it. If there is no such spot, takes one near it. Returns false if there is no room.
static bool find_place(test_visit_t *visit, const edict_t *player, vec3_t *place) {
    spots_t spots;
    bool found = false;
    bool in_it = World_EdictNumber(visit->world, player) % 4 == 1;
    collect_spots(visit, &spots);
    for (int32_t i = 0; i < spots.count; i++) {
        vec3_t at;
        if (!stands_at(visit, player, spots.list[i], &at)) {
            continue;
        }
        if (is_wanted(visit, player, at, in_it)) {
            *place = at;
            return true;
        }
        *place = found ? *place : at;
        found = true;
    }
    return found;
}

static bool bring(test_visit_t *visit, int32_t slot) {
    vec3_t place;
    if (!find_place(visit, World_Edict(visit->world, slot + 1), &place)) {
        return false;
    }
    put(visit, slot, place);
    return true;
}

bool TestVisit_HasRoom(test_visit_t *visit, bounds_t box) {
    static const vec3_t mins = {-16.0f, -16.0f, -24.0f};
    static const vec3_t maxs = {16.0f, 16.0f, 32.0f};
    sv_context_t sv = TestVisit_Context(visit);
    box = (bounds_t){VectorSubtract(box.mins, maxs), VectorSubtract(box.maxs, mins)};
    for (int32_t i = 0; i < MOST_SPOTS; i++) {
        vec3_t at = {between(visit, box.mins.x, box.maxs.x), between(visit, box.mins.y, box.maxs.y),
                     between(visit, box.mins.z, box.maxs.z)};
        if (!sv.engine->trace(&sv, at, mins, maxs, at, false, NULL).startsolid) {
            return true;
        }
    }
    return false;
}

// ---- players ----

static bool is_alive(const test_visit_t *visit, int32_t slot) {
    const client_t *client = World_Client(visit->world, slot);
    return client->inuse && client->player.pm_type == PM_NORMAL && client->player.health > 0;
}

// One player in four stands still, one walks to the visited edict, one jumps around it, one walks
// at random.
static usercmd_t command_of(test_visit_t *visit, int32_t slot) {
    const client_t *client = World_Client(visit->world, slot);
    const edict_t *edict = World_Edict(visit->world, slot + 1);
    usercmd_t cmd = client->last_cmd;
    cmd = (usercmd_t){.tick = visit->world->tick,
                      .msec = VISIT_TICK_MS,
                      .yaw = cmd.yaw,
                      .buttons = cmd.buttons & BUTTON_JUMP};
    if (!is_alive(visit, slot)) {
        cmd.buttons = visit->world->tick % 2 ? BUTTON_ATTACK : 0;
        return cmd;
    }
    cmd.buttons = 0;
    vec3_t delta = VectorSubtract(middle_of(visit->box), edict->origin);
    uint16_t to_it = (uint16_t)(AngleToShort(VectorAngles(delta).y) - client->player.delta_yaw);
    switch (slot % 4) {
    case 0:
        break;
    case 1:
        cmd.yaw = to_it;
        cmd.forward = 320;
        break;
    case 2:
        cmd.yaw = Rng_Below(&visit->rng, 4) == 0 ? to_it : cmd.yaw;
        cmd.forward = 200;
        cmd.buttons = Rng_Below(&visit->rng, 8) == 0 ? BUTTON_JUMP : 0;
        break;
    default:
        cmd.yaw =
            Rng_Below(&visit->rng, 20) == 0 ? (uint16_t)Rng_Below(&visit->rng, 65536) : cmd.yaw;
        cmd.forward = 320;
        break;
    }
    return cmd;
}

static void note_fault(test_visit_t *visit, int32_t slot, const char *what, const edict_t *in) {
    const edict_t *edict = World_Edict(visit->world, slot + 1);
    if (visit->fault[0]) {
        return;
    }
    snprintf(visit->fault, sizeof visit->fault, "tick %lld: player %d at %g %g %g is %s %s %d",
             (long long)visit->world->tick, slot, (double)edict->origin.x, (double)edict->origin.y,
             (double)edict->origin.z, what, in ? World_Text(visit->world, in->classname) : "",
             in ? World_EdictNumber(visit->world, in) : 0);
}

// Returns how deep one box is inside the other.
static float overlap(const edict_t *a, const edict_t *b) {
    vec3_t low = VectorMax(VectorAdd(a->origin, a->mins), VectorAdd(b->origin, b->mins));
    vec3_t high = VectorMin(VectorAdd(a->origin, a->maxs), VectorAdd(b->origin, b->maxs));
    vec3_t deep = VectorSubtract(high, low);
    return fminf(deep.x, fminf(deep.y, deep.z));
}

static void check_player(test_visit_t *visit, int32_t slot) {
    sv_context_t sv = TestVisit_Context(visit);
    edict_t *edict = World_Edict(visit->world, slot + 1);
    visit->player_ticks++;
    if (!is_alive(visit, slot) || edict->solid != SOLID_SLIDEBOX) {
        visit->inside_ticks[slot] = 0;
        return;
    }
    const bounds_t *room = &visit->map.models[0].bounds;
    if (distance_to(*room, edict->origin) > 1.0f) {
        visit->outside++;
        note_fault(visit, slot, "outside of the world", NULL);
    }
    const edict_t *in = SV_TestEdictPosition(&sv, edict);
    bool by_player = in && (in->flags & FL_CLIENT) && overlap(edict, in) < LAST_BIT;
    visit->inside_ticks[slot] = in ? visit->inside_ticks[slot] + 1 : 0;
    visit->crowded += by_player ? 1 : 0;
    if ((in && !by_player) || visit->inside_ticks[slot] > CROWDED_TICKS) {
        visit->stuck++;
        note_fault(visit, slot, "stuck in", in);
    }
}

static void note_events(test_visit_t *visit) {
    visit->deaths += TestEvents_Effects(visit->world, visit->events, "death");
    visit->teleported += TestEvents_Effects(visit->world, visit->events, "teleport_in");
    for (int32_t i = 0; i < visit->events->count; i++) {
        const event_t *event = &visit->events->list[i];
        visit->changes += event->type == EVENT_CHANGEMAP ? 1 : 0;
    }
}

void TestVisit_Tick(test_visit_t *visit) {
    bool brings = visit->world->tick % 32 == 0;
    for (int32_t i = 0; i < visit->here; i++) {
        const edict_t *edict = World_Edict(visit->world, i + 1);
        if (brings && is_alive(visit, i) && distance_to(visit->box, edict->origin) > FAR_AWAY) {
            (void)bring(visit, i);
        }
        input_t *input = Inputs_Add(visit->inputs, INPUT_USERCMD, i);
        input->cmd = command_of(visit, i);
    }
    uint64_t unstuck = visit->world->counters.unstuck;
    uint64_t quarantined = visit->world->counters.quarantined;
    Events_Clear(visit->events);
    SV_Frame(visit->world, &visit->map, &visit->game, visit->inputs, visit->events);
    Inputs_Clear(visit->inputs);
    visit->ticks++;
    visit->unstuck += (int64_t)(visit->world->counters.unstuck - unstuck);
    visit->quarantined += (int64_t)(visit->world->counters.quarantined - quarantined);
    note_events(visit);
    for (int32_t i = 0; i < visit->here; i++) {
        check_player(visit, i);
    }
}

void TestVisit_Arrive(test_visit_t *visit, bounds_t box) {
    visit->box = box;
    for (int32_t i = 0; i < VISIT_PLAYERS; i++) {
        input_t *input = Inputs_Add(visit->inputs, INPUT_JOIN, i);
        snprintf(input->text, sizeof input->text, "player %d", i);
    }
    SV_Frame(visit->world, &visit->map, &visit->game, visit->inputs, visit->events);
    Inputs_Clear(visit->inputs);
    // Move all players far apart, so that none blocks the spot of another.
    for (int32_t i = 0; i < VISIT_PLAYERS; i++) {
        World_Edict(visit->world, i + 1)->solid = SOLID_NOT;
    }
    while (visit->here < VISIT_PLAYERS && bring(visit, visit->here)) {
        visit->here++;
    }
    for (int32_t i = visit->here; i < VISIT_PLAYERS; i++) { // no room for these players
        (void)Inputs_Add(visit->inputs, INPUT_LEAVE, i);
    }
}

void TestVisit_Leave(test_visit_t *visit) {
    for (int32_t i = 0; i < visit->here; i++) {
        (void)Inputs_Add(visit->inputs, INPUT_LEAVE, i);
    }
    visit->here = 0;
}
