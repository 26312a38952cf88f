/// physics/chase.c - turns a monster and chooses its direction towards its goal.
//
// Source:  docs/physics.md; the rules of Quake's monsters.

#include "physics/physics_local.h"

#include "math/angles.h"
#include "physics/actions.h"

#define CHASE_DEAD_ZONE 10.0f // qu; a goal nearer than this along an axis gives no direction
#define NO_DIRECTION    (-1.0f)
#define TURN_TOO_FAR    45.0f // degrees off ideal_yaw; beyond it the monster turns on the spot

void SV_ChangeYaw(edict_t *edict) {
    float now = AngleMod(edict->angles.y);
    float turn = AngleNormalize180(edict->ideal_yaw - now);
    float limit = fabsf(edict->yaw_speed);
    turn = turn > limit ? limit : turn < -limit ? -limit : turn;
    edict->angles.y = AngleMod(now + turn);
}

static vec3_t move_along(float yaw, float dist) {
    float sine = 0.0f;
    float cosine = 0.0f;
    SinCos(yaw, &sine, &cosine);
    return Vector(cosine * dist, sine * dist, 0.0f);
}

bool SV_WalkMove(sv_context_t *sv, edict_t *edict, float yaw, float dist, trace_t *blocked) {
    SV_ClearBlocked(blocked, edict);
    if (!(edict->flags & (FL_ONGROUND | FL_FLY | FL_SWIM))) {
        return false;
    }
    return SV_StepTowards(sv, edict, move_along(yaw, dist), NULL, true, blocked);
}

static bool step_direction(sv_context_t *sv, edict_t *edict, const vec3_t *goal, float yaw,
                           float dist, trace_t *blocked) {
    edict->ideal_yaw = AngleMod(yaw);
    SV_ChangeYaw(edict);
    vec3_t origin = edict->origin;
    uint32_t flags = edict->flags;
    edict_ref_t ground = edict->groundentity;
    bool moved = SV_StepTowards(sv, edict, move_along(yaw, dist), goal, false, blocked);
    float off = fabsf(AngleNormalize180(edict->angles.y - edict->ideal_yaw));
    if (moved && off > TURN_TOO_FAR) { // a monster does not walk sideways
        edict->origin = origin;
        edict->flags = flags;
        edict->groundentity = ground;
    }
    SV_LinkEdict(sv, edict, true);
    return moved;
}

bool SV_StepDirection(sv_context_t *sv, edict_t *edict, float yaw, float dist, trace_t *blocked) {
    SV_ClearBlocked(blocked, edict);
    return step_direction(sv, edict, NULL, yaw, dist, blocked);
}

/// Yaws towards the goal along x (0 or 180) and along y (90 or 270).
typedef struct {
    float x, y;
} directions_t;

static directions_t directions_to(const edict_t *edict, vec3_t goal) {
    vec3_t d = VectorSubtract(goal, edict->origin);
    return (directions_t){.x = d.x > CHASE_DEAD_ZONE    ? 0.0f
                               : d.x < -CHASE_DEAD_ZONE ? 180.0f
                                                        : NO_DIRECTION,
                          .y = d.y > CHASE_DEAD_ZONE    ? 90.0f
                               : d.y < -CHASE_DEAD_ZONE ? 270.0f
                                                        : NO_DIRECTION};
}

// Returns the diagonal yaw. 215 instead of 225 as in Quake, because maps depend on it.
static float diagonal(directions_t to) {
    if (to.x == 0.0f) {
        return to.y == 90.0f ? 45.0f : 315.0f;
    }
    return to.y == 90.0f ? 135.0f : 215.0f;
}

/// One choice of a direction.
typedef struct {
    sv_context_t *sv;
    edict_t *edict;
    vec3_t goal;
    float dist;
    trace_t *blocked;  ///< receives the first obstacle; may be NULL
    float turn_around; ///< yaw to try only if every other direction is blocked
} chase_t;

static bool try_yaw(const chase_t *chase, float yaw) {
    return yaw != NO_DIRECTION && yaw != chase->turn_around && World_IsLive(chase->edict) &&
           step_direction(chase->sv, chase->edict, &chase->goal, yaw, chase->dist, chase->blocked);
}

static bool try_towards(const chase_t *chase) {
    directions_t to = directions_to(chase->edict, chase->goal);
    if (to.x != NO_DIRECTION && to.y != NO_DIRECTION && try_yaw(chase, diagonal(to))) {
        return true;
    }
    vec3_t d = VectorSubtract(chase->goal, chase->edict->origin);
    uint32_t roll = Rng_Below(&chase->sv->world->rng, 4);
    bool y_first = (roll & 1) != 0 || fabsf(d.y) > fabsf(d.x);
    return try_yaw(chase, y_first ? to.y : to.x) || try_yaw(chase, y_first ? to.x : to.y);
}

static bool try_all_around(const chase_t *chase) {
    bool upwards = Rng_Below(&chase->sv->world->rng, 2) != 0;
    for (int i = 0; i < 8; i++) {
        if (try_yaw(chase, 45.0f * (float)(upwards ? i : 7 - i))) {
            return true;
        }
    }
    return false;
}

static bool new_direction(sv_context_t *sv, edict_t *edict, vec3_t goal, float dist,
                          trace_t *blocked) {
    float old_yaw = 45.0f * floorf(AngleMod(edict->ideal_yaw) / 45.0f);
    const chase_t chase = {sv, edict, goal, dist, blocked, AngleMod(old_yaw + 180.0f)};
    if (try_towards(&chase) || try_yaw(&chase, old_yaw) || try_all_around(&chase) ||
        !World_IsLive(edict)) {
        return true;
    }
    if (step_direction(sv, edict, &goal, chase.turn_around, dist, blocked)) {
        return true;
    }
    edict->ideal_yaw = old_yaw; // every direction is blocked
    if (!(edict->flags & (FL_FLY | FL_SWIM)) && !SV_CheckBottom(sv, edict)) {
        edict->flags |= FL_PARTIALGROUND; // the monster is at an edge and may walk off it
    }
    return false;
}

static bool is_close(const edict_t *edict, bounds_t goal, float dist) {
    bounds_t reach = {VectorSubtract(edict->absmin, Vector(dist, dist, dist)),
                      VectorAdd(edict->absmax, Vector(dist, dist, dist))};
    return BoundsTouch(reach, goal);
}

static bool may_walk(const edict_t *edict, float dist) {
    return World_IsLive(edict) && (edict->flags & (FL_ONGROUND | FL_FLY | FL_SWIM)) && dist > 0.0f;
}

static bool chase(sv_context_t *sv, edict_t *edict, vec3_t goal, float dist, trace_t *blocked) {
    bool replan = Rng_Below(&sv->world->rng, 4) == 1;
    if (!replan && step_direction(sv, edict, &goal, edict->ideal_yaw, dist, blocked)) {
        return true;
    }
    return World_IsLive(edict) && new_direction(sv, edict, goal, dist, blocked);
}

void SV_MoveToGoal(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist,
                   trace_t *blocked) {
    SV_ClearBlocked(blocked, edict);
    if (may_walk(edict, dist) && !is_close(edict, (bounds_t){goal->absmin, goal->absmax}, dist)) {
        chase(sv, edict, goal->origin, dist, blocked);
    }
}

bool SV_MoveToPoint(sv_context_t *sv, edict_t *edict, vec3_t point, float dist, trace_t *blocked) {
    SV_ClearBlocked(blocked, edict);
    bounds_t goal = {point, point};
    if (!(edict->flags & (FL_FLY | FL_SWIM))) { // a walker has arrived below or above the point
        goal.mins.z = edict->absmin.z;
        goal.maxs.z = edict->absmax.z;
    }
    if (!may_walk(edict, dist) || !VectorWithin(point, MAX_WORLD_COORD) ||
        is_close(edict, goal, dist)) {
        return false;
    }
    vec3_t origin = edict->origin;
    float yaw = edict->angles.y;
    return chase(sv, edict, point, dist, blocked) && World_IsLive(edict) &&
           (!VectorCompare(origin, edict->origin) || yaw != edict->angles.y);
}

bool SV_Strafe(sv_context_t *sv, edict_t *edict, vec3_t point, float dist, trace_t *blocked) {
    SV_ClearBlocked(blocked, edict);
    if (!may_walk(edict, dist) || !VectorWithin(point, MAX_WORLD_COORD)) {
        return false;
    }
    vec3_t move = VectorSubtract(point, edict->origin);
    move.z = 0.0f;
    float length = VectorLength(move);
    if (length == 0.0f) {
        return false;
    }
    move = VectorScale(move, length > dist ? dist / length : 1.0f);
    return SV_StepTowards(sv, edict, move, &point, true, blocked);
}
