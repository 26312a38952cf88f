/// physics/push.c - MOVETYPE_PUSH: a set of pushers moves with its riders, or stays where it is.
//
// Repeat:  edicts found by area are handled in order of their numbers.
//
//   1 All parts (pushers of the set that move) go to their new poses, parents first. The state of
//     every edict nearby is saved.
//   2 Each part carries its riders, their riders and so on by one rigid motion.
//   3 Each rider is moved to where there is room (push_fit.c).
//   4 An edict that a part ran into is pushed until it just touches the part.
//   5 If an edict is stuck for good, every saved state is restored, and `blocked` of the part is
//     called once. Otherwise every edict that moved touches the triggers around it.
//
// Invariants: docs/physics.md, "Invariants".

#include "physics/actions.h"
#include "physics/push_local.h"
#include "world/client.h"
#include "world/history.h"

// ---- saved states ----

push_save_t *Push_Save(push_t *push, edict_t *edict) {
    world_t *world = push->sv->world;
    int32_t number = World_EdictNumber(world, edict);
    push_save_t *save = World_PushSave(world, number); // asserts that it is not the world
    if (save->next != 0) {
        return save;
    }
    *save = (push_save_t){.origin = edict->origin,
                          .angles = edict->angles,
                          .velocity = edict->velocity,
                          .ground = edict->groundentity,
                          .flags = edict->flags,
                          .next = -1};
    if (push->saved.last > 0) {
        World_PushSave(world, push->saved.last)->next = number;
    } else {
        push->saved.first = number;
    }
    push->saved.last = number;
    return save;
}

bool Push_IsPart(const push_t *push, int32_t number) {
    return number > 0 && World_PushSave(push->sv->world, number)->carrier == number;
}

const pm_carry_t *Push_CarryOf(push_t *push, int32_t part) {
    ASSERT(Push_IsPart(push, part));
    if (push->carrier != part) {
        const edict_t *pusher = World_Edict(push->sv->world, part);
        const push_save_t *save = World_PushSave(push->sv->world, part);
        push->carry = PM_Carry((pose_t){save->origin, save->angles},
                               (pose_t){pusher->origin, pusher->angles});
        push->carrier = part;
    }
    return &push->carry;
}

// Removes the first saved state from the list and returns it.
static push_save_t take_save(push_t *push) {
    push_save_t *save = World_PushSave(push->sv->world, push->saved.first);
    const push_save_t taken = *save;
    ASSERT(taken.next != 0); // saved exactly once
    *save = (push_save_t){.next = 0};
    push->saved.first = taken.next;
    return taken;
}

static void roll_back(push_t *push) {
    while (push->saved.first > 0) {
        edict_t *edict = World_Edict(push->sv->world, push->saved.first);
        const push_save_t save = take_save(push);
        bool has_moved = !VectorCompare(edict->origin, save.origin) ||
                         !VectorCompare(edict->angles, save.angles);
        edict->origin = save.origin;
        edict->angles = save.angles;
        edict->velocity = save.velocity;
        edict->groundentity = save.ground;
        edict->flags = save.flags;
        if (has_moved) {
            SV_RelinkEdict(push->sv, edict);
        }
    }
}

// ---- the end of a push ----

// Turns a player's view through delta_yaw, because usercmds contain absolute view angles.
static void turn_view(sv_context_t *sv, const edict_t *edict, int32_t yaw_short) {
    client_t *client = World_ClientOf(sv->world, edict);
    if (yaw_short == 0 || !client) {
        return;
    }
    player_state_t *player = &client->player;
    uint32_t steps = (uint32_t)yaw_short;
    player->delta_yaw = (int32_t)(((uint32_t)player->delta_yaw + steps) & 0xffffu);
    player->angles.y = ShortToAngle((uint16_t)(AngleToShort(player->angles.y) + steps));
}

// Wakes an edict that was pushed or only partly carried, to find ground again.
static void wake_moved(push_t *push, edict_t *edict, const push_save_t *save) {
    sv_context_t *sv = push->sv;
    bool is_carried = false;
    if (save->carrier > 0) {
        const pm_carry_t *carry = Push_CarryOf(push, save->carrier);
        is_carried = VectorCompare(edict->origin, PM_CarryPoint(carry, save->origin));
        turn_view(sv, edict, save->yaw_short);
    }
    if (is_carried) {
        return;
    }
    vec3_t back = VectorSubtract(save->origin, edict->origin);
    bounds_t was = {VectorAdd(edict->absmin, back), VectorAdd(edict->absmax, back)};
    SV_WakeRiders(sv, edict, was);
    // A walking edict and any client find their ground in each step.
    if (edict->movetype != MOVETYPE_WALK && !World_ClientOf(sv->world, edict)) {
        SV_SetGround(sv, edict, NULL);
    }
    SV_WakeEdict(sv, edict);
}

// Touches the triggers around an edict, and edict hit - 1, into which it was carried. Remove the
// saved state first, because a callback may push again.
static void touch(sv_context_t *sv, edict_t *edict, int32_t hit) {
    if (!World_IsLive(edict)) {
        return;
    }
    if (edict->solid != SOLID_NOT) {
        SV_TouchLinks(sv, edict);
    }
    edict_t *other = hit > 0 ? World_Edict(sv->world, hit - 1) : NULL;
    if (other && other->inuse) {
        SV_Impact(sv, edict, other, NULL);
    }
}

static void commit(push_t *push) {
    sv_context_t *sv = push->sv;
    world_t *world = sv->world;
    for (int32_t number = push->saved.first; number > 0;
         number = World_PushSave(world, number)->next) {
        edict_t *edict = World_Edict(world, number);
        const push_save_t *save = World_PushSave(world, number);
        bool is_moved = !VectorCompare(edict->origin, save->origin);
        bool stays_behind = save->carrier > 0 && !is_moved;
        if (save->carrier != number && stays_behind) {
            History_Link(world, edict); // views show it where the part has carried it
        }
        if (save->carrier != number && (stays_behind || is_moved || save->yaw_short != 0)) {
            wake_moved(push, edict, save);
        }
    }
    while (push->saved.first > 0) {
        int32_t number = push->saved.first;
        edict_t *edict = World_Edict(world, number);
        const push_save_t save = take_save(push);
        if (save.carrier != number && !VectorCompare(edict->origin, save.origin)) {
            touch(sv, edict, save.hit);
        }
    }
}

// ---- parts ----

static pose_t target_of(const sv_context_t *sv, const edict_t *part, bool capped) {
    int64_t ltime_ms = SV_PusherTime(sv, part);
    if (capped && part->nextthink_ms > 0 && part->nextthink_ms < ltime_ms) {
        ltime_ms = part->nextthink_ms;
    } else if (capped) {
        int64_t timer_ms = World_NextDue(sv->world, part);
        ltime_ms = timer_ms > 0 && timer_ms < ltime_ms ? timer_ms : ltime_ms;
    }
    return Pusher_PoseAt(sv, part, ltime_ms);
}

static void move_part(push_t *push, edict_t *part, bool capped) {
    sv_context_t *sv = push->sv;
    pose_t to = target_of(sv, part, capped);
    if (VectorCompare(to.origin, part->origin) && VectorCompare(to.angles, part->angles)) {
        return;
    }
    push_save_t *save = Push_Save(push, part);
    save->carrier = World_EdictNumber(sv->world, part);
    bounds_t was = {part->absmin, part->absmax};
    part->origin = to.origin;
    part->angles = to.angles;
    SV_RelinkEdict(sv, part); // quarantines a part outside the world
    push->num_parts++;
    if (World_IsLive(part) && part->solid >= SOLID_BBOX) {
        Push_FindNear(push, part, BoundsUnion(was, (bounds_t){part->absmin, part->absmax}));
    }
}

bool SV_PushMove(sv_context_t *sv, edict_t *root, bool capped, edict_t **part, edict_t **obstacle) {
    push_t push = {.sv = sv, .saved = {-1, -1}, .riders = {-1, -1}};
    push.world = Push_World(&push);
    ASSERT(Pushers_Root(sv->world, root) == root);
    for (edict_t *member = root; member; member = Pushers_Next(sv->world, member)) {
        if (Pusher_IsMoved(sv, member)) {
            move_part(&push, member, capped);
        }
    }
    if (push.num_parts == 0) {
        return true;
    }
    Push_FindUnlinked(&push);
    Push_FindStacks(&push);
    if (!Push_CarryRiders(&push) || !Push_MoveObstacles(&push)) {
        *part = push.part;
        *obstacle = push.obstacle;
        roll_back(&push);
        return false;
    }
    for (edict_t *member = root; member; member = Pushers_Next(sv->world, member)) {
        const push_save_t *save = World_PushSave(sv->world, World_EdictNumber(sv->world, member));
        if (save->next != 0) { // a tick may have two pushes: speeds add up
            PM_AddPusherSpeed((pose_t){save->origin, save->angles},
                              (pose_t){member->origin, member->angles}, sv->tick_seconds,
                              &member->velocity, &member->avelocity);
            member->pushed_velocity = member->velocity;
            member->pushed_avelocity = member->avelocity;
        }
    }
    commit(&push);
    return true;
}
