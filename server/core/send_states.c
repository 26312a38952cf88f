/// core/send_states.c - makes the entity states of a tick, as clients receive them.
//
// Reads the world between ticks, never writes it.

#include "base/hash.h"
#include "bsp/map.h"
#include "core/server_local.h"
#include "model/pose.h"
#include "move/body.h"
#include "move/pusher.h"
#include "proto/entity_fields.h"
#include "state/shown.h"
#include "world/area.h"
#include "world/bits.h"
#include "world/history.h"
#include "world/hitboxes.h"
#include "world/link.h"
#include "world/pushers.h"
#include "world/tick_time.h"

#include <string.h>

#define CLAMPED_WINDOW_MS 5000
#define WAS_CLAMPED       16     // in private_words: the state, too, was out of range
#define CRATE_REACH       256.0f // qu; nobody reaches a crate further away in a round trip

static bool is_volume(const edict_t *edict) {
    return edict->solid == SOLID_TRIGGER && edict->model >= 1 &&
           (edict->contents == CONTENTS_EMPTY ||
            (edict->contents <= CONTENTS_WATER && edict->contents >= CONTENTS_LADDER) ||
            Contents_IsPad(edict->contents) || Contents_IsControls(edict->contents));
}

static bool is_brush(const edict_t *edict) {
    return edict->type == ENTITY_BRUSH || edict->solid == SOLID_BSP || is_volume(edict);
}

static bool has_record(const edict_t *edict) {
    return edict->movetype == MOVETYPE_PUSH || is_volume(edict) ||
           (edict->solid == SOLID_BSP && edict->model >= 1);
}

// Writes the edict's motion record if the record yields the current pose, otherwise only the pose.
static void write_motion(entity_state_t *state, const world_t *world, const edict_t *edict) {
    const pose_t here = {edict->origin, edict->angles};
    const motion_t stands = {.kind = MOTION_NONE, .base = here};
    const edict_t *parent = edict->movetype == MOVETYPE_PUSH ? Pushers_Parent(world, edict) : NULL;
    if (edict->movetype == MOVETYPE_PUSH && (parent || edict->motion.kind != MOTION_NONE)) {
        motion_t motion = edict->motion;
        int64_t lag_ms = World_PusherLag(edict);
        pose_t parent_pose = here;
        motion.parent = 0;
        if (parent) {
            motion.parent = World_EdictNumber(world, parent);
            parent_pose = (pose_t){parent->origin, parent->angles};
        }
        pose_t pose = PM_PusherPose(&motion, world->time_ms - lag_ms, parent ? &parent_pose : NULL);
        if (VectorCompare(pose.origin, here.origin) && VectorCompare(pose.angles, here.angles)) {
            int64_t world_ms = Ticks_EndMs(World_TickRate(world), world->tick);
            Entity_SetMotion(state, &motion, motion.start_ms + lag_ms + world_ms - world->time_ms);
            state->velocity[0] = state->velocity[1] = state->velocity[2] = 0;
            if (!parent && edict->next.wait_ms > 0) {
                Entity_SetNext(state, &edict->next);
            }
            return;
        }
    }
    Entity_SetMotion(state, &stands, 0);
}

static const model_t *skeleton_of(const server_t *server, const edict_t *edict) {
    int32_t of_map = edict->skeleton - FIRST_MAP_SKELETON;
    if (of_map >= 0) {
        return Map_Skeleton(server->map, of_map);
    }
    bool is_known = edict->skeleton >= 1 && edict->skeleton < server->game.num_models;
    return is_known ? &server->game.models[edict->skeleton] : NULL;
}

// Returns true if clients receive the skeleton of an edict.
static bool sends_bones(const server_t *server, const edict_t *edict) {
    bool is_player = edict->flags & FL_CLIENT;
    return skeleton_of(server, edict) &&
           server->config.send_bones >= (is_player ? SEND_PLAYERS_BONES : SEND_BONES);
}

// Returns the pose of a follower of a bone in the leader's space, while the leader is in its bind
// pose.
static pose_t on_bind_pose(const model_t *model, int32_t bone, pose_t offset) {
    const pose_request_t bind = {.animations = {-1, -1}};
    const cm_object_t here = {0};
    const cm_pose_t place = CM_MakePose(&here);
    model_pose_t all;
    Pose_Evaluate(NULL, model, &bind, &all);
    return PM_PoseOnBone(Pose_OfBone(&all.bones[bone], &place), offset);
}

static bool box_is_exact(const entity_state_t *state, const edict_t *edict) {
    return VectorCompare(Shown_Vector(state->mins), edict->mins) &&
           VectorCompare(Shown_Vector(state->maxs), edict->maxs);
}

// Writes the leader of a follower. Other followers are sent by pose: players, those whose
// collisions clients predict, and those whose leader or its bones the receivers may lack. A player
// whose bones are not sent counts as in its bind pose, because its followers must not trail.
static void write_leader(const server_t *server, entity_state_t *state, const edict_t *edict) {
    const world_t *world = server->world;
    const edict_t *leader = World_Deref(world, edict->aiment);
    if (edict->movetype != MOVETYPE_FOLLOW || edict->solid >= SOLID_BBOX || !leader ||
        edict->flags & FL_CLIENT || leader->flags & (FL_QUARANTINED | FL_KILLME) ||
        (leader->visibility != VISIBLE_ALL &&
         (leader->visibility != edict->visibility || leader->visible_to != edict->visible_to))) {
        return;
    }
    int32_t bone = -1;
    pose_t offset = {edict->follow_offset, edict->follow_angles};
    if (edict->follow_bone > 0) {
        const model_t *model = skeleton_of(server, leader);
        bool is_sent = sends_bones(server, leader);
        bone = model ? Model_FindBone(model, World_Text(world, edict->follow_bone)) : -1;
        if (bone < 0 || (!is_sent && !(leader->flags & FL_CLIENT))) {
            return;
        }
        offset = is_sent ? offset : on_bind_pose(model, bone, offset);
        bone = is_sent ? bone : -1;
    }
    Entity_Follow(state, World_EdictNumber(world, leader), bone, offset);
    if ((edict->flags & FL_VEHICLE) && (leader->flags & FL_CLIENT) && box_is_exact(state, edict)) {
        state->surface_velocity = edict->surface_velocity;
        state->friction = edict->friction;
        (void)Entity_SetDriven(state, edict->gravity);
    }
}

_Static_assert(ENTITY_MAX_GENERATION == SHOWN_TELEPORTS * SHOWN_TELEPORT - 1 &&
                   FL_TELEPORT == (SHOWN_TELEPORTS - 1) * FL_TELEPORT_STEP,
               "states have room for the count of teleports");

_Static_assert(ENTITY_MAX_ANIMATIONS == MAX_ANIMATIONS && ENTITY_MAX_BONES == MAX_BONES,
               "the protocol must be able to send the number of every animation and bone");

// Writes skeleton and animations.
static void write_bones(const server_t *server, entity_state_t *state, const edict_t *edict) {
    if (sends_bones(server, edict)) {
        const entity_bones_t bones =
            SV_ShownBones(edict, SV_ShownShift(server->world, server->world->tick));
        Entity_SetBones(state, &bones);
    }
}

// Writes all but the class, so that classes of hidden edicts get no number.
static void entity_from_edict(const server_t *server, entity_state_t *state, int32_t number) {
    const world_t *world = server->world;
    const edict_t *edict = World_Edict(world, number);
    const float scale = (float)ENTITY_ORIGIN_SCALE;
    const int32_t corner = MAX_WORLD_COORD * ENTITY_ORIGIN_SCALE;
    const int32_t model = is_brush(edict) ? edict->model : edict->modelindex;
    *state =
        (entity_state_t){.number = number,
                         .generation = Shown_Generation(edict->generation, SV_Teleports(edict)),
                         .type = edict->type,
                         .model = (uint16_t)Q_ClampI(model, 0, ENTITY_MAX_MODEL),
                         .solid = edict->solid,
                         .effects = edict->effects,
                         .owner = (edict->flags & FL_CLIENT) ? number : 0};
    Shown_RoundVector(edict->origin, scale, corner, state->origin);
    Shown_RoundVector(edict->velocity, 1.0f, 16383, state->velocity);
    Shown_RoundVector(edict->mins, scale, corner, state->mins);
    Shown_RoundVector(edict->maxs, scale, corner, state->maxs);
    state->angles[0] = AngleToShort(edict->angles.x);
    state->angles[1] = AngleToShort(edict->angles.y);
    state->angles[2] = AngleToShort(edict->angles.z);
    if (has_record(edict)) {
        state->contents = is_volume(edict) ? edict->contents : 0;
        state->surface_velocity = edict->surface_velocity;
        state->friction = edict->friction;
        write_motion(state, world, edict);
    } else {
        write_leader(server, state, edict);
    }
    if (state->motion == ENTITY_NO_MOTION) {
        const edict_t *ground = SV_ShownGround(world, edict);
        state->ground = ground ? World_EdictNumber(world, ground) : 0;
    }
    write_bones(server, state, edict);
}

// ---- crates ----

bool SendStates_IsPublic(audience_t audience) {
    return audience == AUDIENCE_ALL || audience == AUDIENCE_FAR || audience == AUDIENCE_NEAR;
}

// Returns the space from which a player may reach a crate.
static bounds_t reach_of(const edict_t *crate) {
    const vec3_t reach = {CRATE_REACH, CRATE_REACH, CRATE_REACH};
    return (bounds_t){VectorSubtract(crate->absmin, reach), VectorAdd(crate->absmax, reach)};
}

bool SendStates_MayPush(const world_t *world, const edict_t *crate, int32_t slot) {
    const client_t *client = World_Client(world, slot);
    const edict_t *player = World_Edict(world, slot + 1);
    return client->inuse && !client->spectator && World_IsLive(player) &&
           BoundsTouch(reach_of(crate), (bounds_t){player->absmin, player->absmax});
}

// Returns true if clients can predict the crate or vehicle: no callback and no other speed moves
// it.
static bool is_loose(const edict_t *edict) {
    const bool is_box = edict->solid == SOLID_BBOX || edict->solid == SOLID_SLIDEBOX;
    return (edict->flags & (FL_PUSHABLE | FL_VEHICLE)) &&
           !(edict->flags & (FL_FLY | FL_SWIM | FL_CLIENT)) && edict->movetype == MOVETYPE_STEP &&
           edict->mover == MOVER_STEP && is_box && edict->type != ENTITY_PROJECTILE;
}

typedef struct {
    int32_t max_clients;
    bool has_player;
} seekers_t;

static void note_player(void *context, int32_t number) {
    seekers_t *seekers = context;
    seekers->has_player = seekers->has_player || number <= seekers->max_clients;
}

static bool anyone_may_push(const server_t *server, const edict_t *crate) {
    seekers_t seekers = {.max_clients = server->config.max_clients};
    Area_Visit(server->world, reach_of(crate), AREA_SOLID, note_player, &seekers);
    return seekers.has_player;
}

// Adds the exact part to the state. Returns false if it does not fit.
static bool write_crate(const server_t *server, entity_state_t *state, const edict_t *edict) {
    const sv_context_t sv = SV_Context(server->world, server->map, &server->game, NULL);
    const entity_loose_t loose = {
        .origin = edict->origin,
        .velocity = edict->velocity,
        .gravity = edict->gravity,
        .yaw = edict->angles.y,
        .ground = edict->flags & FL_ONGROUND ? (int32_t)edict->groundentity.index : -1,
        .carries = SV_MayCarry(&sv, edict),
        .is_vehicle = (edict->flags & (FL_PUSHABLE | FL_VEHICLE)) == FL_VEHICLE};
    if (!box_is_exact(state, edict)) {
        return false;
    }
    state->surface_velocity = edict->surface_velocity;
    state->friction = edict->friction;
    return Entity_SetLoose(state, &loose);
}

// Returns true if glued pushers ride on a pusher. Clients need the pusher for prediction, even if
// it is hidden.
static bool is_parent(const world_t *world, int32_t number) {
    int32_t child = World_PusherLinks(world, number)->child;
    while (child > 0 && World_Edict(world, child)->movetype != MOVETYPE_PUSH) { // by the game
        child = World_Edict(world, child)->chain_next;
    }
    return child > 0;
}

void SendStates_NoteClamped(server_t *server, const char *whose, int32_t count) {
    server->stats.states_clamped += (uint64_t)count;
    if (count > 0 && Log_BurstAllows(&server->clamped_burst, server->now_ms, CLAMPED_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "snapshot for %s: %d entity states clamped to the range of the protocol%s", whose,
                  count, server->clamped_burst.more);
    }
}

// Removes all that clients do not need to predict a volume, or what is glued to a pusher.
static void mask(entity_state_t *state) {
    if (state->contents == 0) {
        state->type = ENTITY_GENERAL;
        state->solid = SOLID_NOT;
        state->model = 0;
    }
    state->effects = 0;
    Entity_SetBones(state, &(entity_bones_t){0});
}

static int32_t class_of(server_t *server, int32_t number, bool is_public) {
    return NameTables_Number(server, NAMES_CLASSES, World_Edict(server->world, number)->classname,
                             is_public);
}

// ---- edicts that stay as they are ----

// Returns true if a state for all clients depends on nothing but its edict.
static bool is_settled(const edict_t *edict, const entity_state_t *state, uint8_t private_words) {
    const bool is_pushed = edict->movetype == MOVETYPE_PUSH &&
                           (edict->motion.kind != MOTION_NONE || edict->pusher_up > 0);
    return edict->movetype != MOVETYPE_FOLLOW && !is_pushed && edict->skeleton == 0 &&
           !(edict->flags & (FL_CLIENT | FL_PUSHABLE | FL_VEHICLE)) &&
           edict->groundentity.index == 0 && state->ground == 0 && private_words == 0;
}

// Returns a hash of everything in the edict that its state, is_settled and its place in interest.c
// depend on, except `pushed_velocity`, which place_edict reads. If nothing else changes, that can
// only become zero. Then the place keeps a box that is too large, which is safe.
static uint64_t hash_of(const server_t *server, const edict_t *edict) {
    const sent_tables_t *sent = &server->sent;
    const int32_t motion = edict->movetype == MOVETYPE_PUSH ? edict->motion.kind : 0;
    const uint64_t seed = (uint64_t)(uint32_t)edict->skeleton << 32 | (uint32_t)motion;
    const uint64_t hash = Hash_Bytes(edict, offsetof(edict_t, targetname), seed);
    return Hash_Bytes(edict->game + sent->edict_first, sent->edict_end - sent->edict_first, hash);
}

// Returns true if the edict has kept its state since the last tick.
static bool is_unchanged(const server_t *server, int32_t number) {
    const settled_t *settled = &server->settled[number];
    return settled->epoch == server->epoch && settled->tick == server->world->tick - 1 &&
           settled->hash == hash_of(server, World_Edict(server->world, number));
}

// Marks an edict as settled if its state depends on nothing else. The next tick then reuses the
// state.
static void note_settled(server_t *server, int32_t index) {
    const int32_t number = server->states[index].number;
    const edict_t *edict = World_Edict(server->world, number);
    if (is_settled(edict, &server->states[index], server->private_words[index])) {
        server->settled[number] =
            (settled_t){server->world->tick, hash_of(server, edict), server->epoch};
    }
}

// ---- the list of states ----
//
// One array holds both lists. States `next_last` to `end_last` - 1 of the last tick may still be
// reused. The new list never overwrites them.
//
//     new states | free | states of the last tick

// Begins a tick: all states become those of the last tick, and the new list is empty.
static void turn_over(server_t *server) {
    server->next_last = 0;
    server->end_last = server->num_states;
    server->num_states = 0;
    server->last_version += server->last_version == UINT32_MAX ? 2 : 1;
}

// Returns the index of the first state that an edict had in the last tick, or -1. Edict numbers
// must ascend from call to call.
static int32_t find_last(server_t *server, int32_t number) {
    while (server->next_last < server->end_last && server->numbers[server->next_last] < number) {
        server->next_last++;
    }
    const bool is_found =
        server->next_last < server->end_last && server->numbers[server->next_last] == number;
    return is_found ? server->next_last : -1;
}

// Moves the states of the last tick to the end of the arrays, so that one more fits before them.
static void make_room(server_t *server) {
    const int32_t first = server->next_last;
    const int32_t count = server->end_last - first;
    server->end_last = 2 * server->config.max_edicts;
    server->next_last = server->end_last - count;
    memmove(&server->states[server->next_last], &server->states[first],
            (size_t)count * sizeof server->states[0]);
    memmove(&server->versions[server->next_last], &server->versions[first],
            (size_t)count * sizeof server->versions[0]);
    memmove(&server->numbers[server->next_last], &server->numbers[first],
            (size_t)count * sizeof server->numbers[0]);
}

// Appends a state. `state` may point into the list of the last tick.
static void append(server_t *server, int32_t number, const entity_state_t *state,
                   audience_t audience, uint8_t private_words, uint32_t version) {
    const int32_t index = server->num_states++;
    if (index == server->next_last && index < server->end_last) {
        if (server->numbers[index] > number) {
            make_room(server);
        } else {
            server->next_last++;
        }
    }
    if (state != &server->states[index]) {
        Entity_Copy(&server->states[index], state);
    }
    server->numbers[index] = (uint16_t)number;
    server->versions[index] = version;
    server->private_words[index] = private_words;
    server->audiences[index] = (uint8_t)audience;
}

// Asserts that a kept state is as made anew, without logs and counts of what is clamped.
static void check_kept(server_t *server, const entity_state_t *state) {
    static const log_t silent;
    const server_stats_t stats = server->stats;
    const log_burst_t names_burst = server->made_names.burst;
    const log_burst_t fields_burst = server->fields_burst;
    const log_t *log = server->config.log;
    entity_state_t made;
    server->config.log = &silent;
    entity_from_edict(server, &made, state->number);
    made.classname = class_of(server, state->number, true);
    const uint8_t private_words = SendFields_Public(server, &made, true);
    ASSERT(private_words == 0 && made.parent == 0 && Entity_Equal(&made, state));
    server->config.log = log;
    server->fields_burst = fields_burst;
    server->made_names.burst = names_burst;
    server->stats = stats;
}

// Appends the last tick's state of an edict that has not changed since.
static void add_unchanged(server_t *server, int32_t number) {
    const int32_t last = find_last(server, number);
    ASSERT(last >= 0);
    server->settled[number].tick = server->world->tick;
    Bits_Set(server->kept, number);
    append(server, number, &server->states[last], AUDIENCE_ALL, 0, server->versions[last]);
    if (VALIDATE) {
        check_kept(server, &server->states[server->num_states - 1]);
    }
}

// Appends a state for all clients. Gives it a new version if it differs from the last tick's.
static void add_public(server_t *server, const entity_state_t *state, uint8_t private_words) {
    const int32_t number = state->number;
    const int32_t last = find_last(server, number);
    const bool is_same =
        last >= 0 && server->versions[last] != 0 && Entity_Equal(&server->states[last], state);
    append(server, number, is_same ? &server->states[last] : state, AUDIENCE_ALL, private_words,
           is_same ? server->versions[last] : server->last_version);
    if (is_same) {
        note_settled(server, server->num_states - 1);
    }
}

// Appends the state of an edict for one audience. Returns 1 if the state was clamped, otherwise 0.
static int32_t add_state(server_t *server, int32_t number, audience_t audience) {
    entity_state_t state;
    uint8_t private_words = 0;
    entity_from_edict(server, &state, number);
    if (audience == AUDIENCE_BLIND) {
        mask(&state);
    } else {
        state.classname = class_of(server, number, audience == AUDIENCE_ALL);
        private_words = SendFields_Public(server, &state, audience == AUDIENCE_ALL);
        if (number <= server->config.max_clients) {
            server->own_states[number - 1] = server->num_states;
        }
    }
    const bool is_clamped = Entity_Clamp(&state);
    private_words |= is_clamped ? WAS_CLAMPED : 0;
    if (audience == AUDIENCE_ALL) {
        add_public(server, &state, private_words);
    } else {
        append(server, number, &state, audience, private_words, 0);
    }
    return is_clamped ? 1 : 0;
}

// Appends the exact state of a crate or vehicle that someone may reach. The state before becomes
// that of all others.
static void add_exact(server_t *server, int32_t number) {
    const edict_t *edict = World_Edict(server->world, number);
    if (!is_loose(edict) || !anyone_may_push(server, edict)) {
        return;
    }
    const int32_t last = server->num_states - 1;
    entity_state_t state = server->states[last];
    if (write_crate(server, &state, edict)) {
        server->audiences[last] = AUDIENCE_FAR;
        server->versions[last] = 0;
        append(server, number, &state, AUDIENCE_NEAR, server->private_words[last], 0);
    }
}

void SendStates_Build(server_t *server) {
    const world_t *world = server->world;
    int32_t clamped = 0;
    turn_over(server);
    memset(server->kept, 0, (size_t)Bits_Words(world->num_edicts) * sizeof server->kept[0]);
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        server->own_states[slot] = -1;
    }
    for (int32_t number = 1; number < world->num_edicts; number++) {
        const edict_t *edict = World_Edict(world, number);
        if (!World_IsLive(edict)) {
            continue;
        }
        if (SV_IsVisible(world, edict, EVENT_TO_ALL)) {
            if (is_unchanged(server, number)) {
                add_unchanged(server, number);
            } else {
                clamped += add_state(server, number, AUDIENCE_ALL);
                add_exact(server, number);
            }
            continue;
        }
        if (edict->visibility != VISIBLE_NOBODY) {
            clamped += add_state(server, number, AUDIENCE_SEES);
        }
        if (is_volume(edict) || is_parent(world, number)) {
            clamped += add_state(server, number, AUDIENCE_BLIND);
        }
    }
    SendStates_NoteClamped(server, "all clients", clamped);
}

entity_state_t SendStates_Own(server_t *server, int32_t number) {
    entity_state_t made;
    const int32_t built = server->own_states[number - 1];
    const entity_state_t *state = built >= 0 ? &server->states[built] : &made;
    if (built < 0) {
        entity_from_edict(server, &made, number);
        (void)Entity_Clamp(&made);
        made.classname = class_of(server, number, false);
    }
    entity_state_t own = {.number = number,
                          .field_mask = state->field_mask,
                          .generation = state->generation,
                          .type = state->type,
                          .model = state->model,
                          .skeleton = state->skeleton,
                          .solid = state->solid,
                          .effects = state->effects,
                          .owner = state->owner,
                          .classname = state->classname};
    if (state->skeleton != 0) {
        memcpy(own.animations, state->animations,
               offsetof(entity_state_t, fields) - offsetof(entity_state_t, animations));
    }
    for (uint32_t left = state->field_mask; left != 0; left &= left - 1) {
        const int32_t i = __builtin_ctz(left);
        own.fields[i] = state->fields[i];
    }
    if (built < 0 || server->private_words[built] != 0) {
        SendFields_Own(server, &own);
    }
    return own;
}
