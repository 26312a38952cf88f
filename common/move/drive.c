/// move/drive.c - PM_DRIVING: moves the player as a vehicle that rolls along its heading.
//
// Source:  single-track model: turn rate = speed * tan(wheel angle) / wheelbase.
//
// Forward wish: throttle; side wish: steering; jump: handbrake. The game sets the box, which does
// not turn. Steps, slopes, walls and falls are as in walking.

#include "math/angles.h"
#include "move/pm_local.h"

#define FULL_WISH  320.0f  // wish for full throttle or a fully turned wheel, qu/s
#define TOP_SPEED  640.0f  // top speed forwards, qu/s
#define REVERSE    200.0f  // top speed backwards, qu/s
#define ENGINE     500.0f  // acceleration by the engine, qu/s^2
#define BRAKES     1400.0f // deceleration by throttle against the rolling direction, qu/s^2
#define HANDBRAKE  500.0f  // deceleration by the handbrake, qu/s^2
#define ROLLING    80.0f   // deceleration by rolling resistance, qu/s^2
#define GRIP       8.0f    // decay of the sideways speed, 1/s
#define HAND_GRIP  1.5f    // decay of the sideways speed with the handbrake, 1/s
#define MAX_STEER  32.0f   // wheel angle at rest, degrees
#define FAST_STEER 10.0f   // wheel angle at top speed, degrees
#define STEER_RATE 180.0f  // speed of the steering, degrees/s
#define WHEELBASE  72.0f   // distance between the axles, qu

static float fraction_of(float wish) {
    return Q_ClampF(wish / FULL_WISH, -1.0f, 1.0f);
}

static float towards(float value, float target, float step) {
    return value < target ? (value + step < target ? value + step : target)
                          : (value - step > target ? value - step : target);
}

static void steer(pm_step_t *pm) {
    player_state_t *player = pm->player;
    float speed = fabsf(player->velocity.x) + fabsf(player->velocity.y);
    float fast = speed < TOP_SPEED ? speed / TOP_SPEED : 1.0f;
    float limit = MAX_STEER + (FAST_STEER - MAX_STEER) * fast;
    float target = -limit * fraction_of(pm->input.side); // right reduces the yaw
    player->steer = towards(player->steer, target, STEER_RATE * pm->dt);
}

/// Returns the forward speed after engine, brakes and rolling resistance.
static float drive_speed(const pm_step_t *pm, float speed) {
    float throttle = pm->player->waterlevel < 2 ? fraction_of(pm->input.forward) : 0.0f;
    bool handbrake = (pm->input.buttons & BUTTON_JUMP) != 0;
    float slowed = towards(speed, 0.0f, (ROLLING + (handbrake ? HANDBRAKE : 0.0f)) * pm->dt);
    if (throttle == 0.0f || handbrake) {
        return slowed;
    }
    if (throttle * speed < 0.0f) {
        return towards(speed, 0.0f, BRAKES * fabsf(throttle) * pm->dt);
    }
    float top = throttle > 0.0f ? TOP_SPEED * throttle : REVERSE * throttle;
    // Downhill, a vehicle may exceed the engine's top speed.
    return fabsf(speed) > fabsf(top) ? slowed
                                     : towards(speed, top, ENGINE * fabsf(throttle) * pm->dt);
}

static void roll(pm_step_t *pm) {
    player_state_t *player = pm->player;
    float sine, cosine;
    SinCos(player->heading, &sine, &cosine);
    vec3_t ahead = {cosine, sine, 0.0f};
    vec3_t aside = {sine, -cosine, 0.0f};
    float forward = drive_speed(pm, DotProduct(player->velocity, ahead));
    float grip = pm->input.buttons & BUTTON_JUMP ? HAND_GRIP : GRIP;
    float kept = 1.0f - grip * pm->dt;
    float sideways = DotProduct(player->velocity, aside) * (kept > 0.0f ? kept : 0.0f);
    SinCos(player->steer, &sine, &cosine);
    float turn_rad = forward * sine / (cosine * WHEELBASE) * pm->dt;
    player->heading = AngleMod(player->heading + turn_rad * (180.0f / 3.14159265f));
    // Forward speed turns with the heading; sideways speed keeps its direction.
    SinCos(player->heading, &sine, &cosine);
    vec3_t v = VectorScale(Vector(cosine, sine, 0.0f), forward);
    player->velocity = VectorMA(v, sideways, aside);
}

/// Sweeps down a steep plane, at most sv_groundprobe, to find the next plane.
static trace_t trace_down_slope(const pm_step_t *pm, vec3_t normal) {
    const player_state_t *player = pm->player;
    vec3_t down = VectorMA(Vector(0.0f, 0.0f, -1.0f), normal.z, normal);
    down = VectorNormalize(down, NULL);
    return PM_PlayerTrace(pm, player->origin,
                          VectorMA(player->origin, pm->vars->sv_groundprobe, down));
}

void PM_FindFooting(pm_step_t *pm) {
    player_state_t *player = pm->player;
    if (PM_OnGround(pm) || player->velocity.z > PM_LEAVE_GROUND) {
        return;
    }
    vec3_t below = player->origin;
    below.z -= pm->vars->sv_groundprobe;
    trace_t steep = PM_PlayerTrace(pm, player->origin, below);
    if (steep.startsolid || steep.fraction >= 1.0f || steep.plane.normal.z <= 0.0f) {
        return;
    }
    trace_t other = trace_down_slope(pm, steep.plane.normal);
    if (other.startsolid || other.fraction >= 1.0f || other.plane.normal.z < 0.0f) {
        return;
    }
    vec3_t both = VectorNormalize(VectorAdd(steep.plane.normal, other.plane.normal), NULL);
    if (both.z >= PM_MIN_STEP_NORMAL) {
        player->flags |= PMF_ONGROUND;
        player->groundentity = other.entnum;
        pm->ground_normal = both;
        PM_AddTouch(pm, other.entnum);
    }
}

static void fall_slide(pm_step_t *pm) {
    PM_SlideMove(pm, NULL);
}

void PM_DriveMove(pm_step_t *pm) {
    player_state_t *player = pm->player;
    steer(pm);
    if (PM_OnGround(pm)) {
        roll(pm);
    } else {
        player->velocity.z -= PM_Fall(pm);
    }
    PM_MoveCarried(pm, PM_OnGround(pm) ? PM_GroundMove : fall_slide);
}
