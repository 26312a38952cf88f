// Units:   qu, degrees, ms.
// Repeat:  sines are floats of SinCos, corrected to the unit circle in double precision. So a rider
//          does not drift inwards or outwards over many ticks.

#include "move/pusher.h"

#include "base/assert.h"
#include "math/angles.h"

#define DEG_TO_RAD 0.017453292519943295769
#define MAX_TURNS  1000000.0f // of a yaw from outside; more turns stay

// ---- poses ----

static bool is_moving_kind(const motion_t *motion) {
    return motion->kind > MOTION_NONE && motion->kind < MOTION_COUNT && motion->duration_ms > 0;
}

// Returns the time since the start, 0 before it; unsigned against overflow.
static uint64_t elapsed_ms(const motion_t *motion, int64_t ltime_ms) {
    return ltime_ms > motion->start_ms ? (uint64_t)ltime_ms - (uint64_t)motion->start_ms : 0;
}

static float along(float base, float delta, double fraction) {
    return (float)((double)base + (double)delta * fraction);
}

static vec3_t vector_along(vec3_t base, vec3_t delta, double fraction) {
    return Vector(along(base.x, delta.x, fraction), along(base.y, delta.y, fraction),
                  along(base.z, delta.z, fraction));
}

// Interpolates along a parabola; its middle is `bend` off the line.
static vec3_t bent(vec3_t base, vec3_t delta, vec3_t bend, double fraction) {
    double off = 4.0 * fraction * (1.0 - fraction);
    return Vector((float)((double)base.x + (double)delta.x * fraction + (double)bend.x * off),
                  (float)((double)base.y + (double)delta.y * fraction + (double)bend.y * off),
                  (float)((double)base.z + (double)delta.z * fraction + (double)bend.z * off));
}

static pose_t moved(const motion_t *motion, uint64_t t_ms) {
    if (t_ms >= (uint64_t)motion->duration_ms) {
        return (pose_t){VectorAdd(motion->base.origin, motion->delta),
                        VectorAdd(motion->base.angles, motion->delta_angles)};
    }
    double fraction = (double)t_ms / (double)motion->duration_ms;
    ASSERT(fraction >= 0.0 && fraction < 1.0);
    return (pose_t){bent(motion->base.origin, motion->delta, motion->bend, fraction),
                    vector_along(motion->base.angles, motion->delta_angles, fraction)};
}

// Returns an angle after a number of turns. Drops full turns, so that long spins stay exact.
static float spun(float base, float delta, uint64_t times, double fraction) {
    double whole = (double)delta * (double)times;
    if (!(fabs(whole) < 4e15)) {
        return base; // too large for a fraction of 360
    }
    whole -= 360.0 * (double)(int64_t)(whole / 360.0);
    double degrees = (double)base + whole + (double)delta * fraction;
    if (fabs(degrees) >= 360.0 && fabs(degrees) < 4e15) {
        degrees -= 360.0 * (double)(int64_t)(degrees / 360.0);
    }
    return (float)degrees;
}

static pose_t spinning(const motion_t *motion, uint64_t t_ms) {
    uint64_t times = t_ms / (uint64_t)motion->duration_ms;
    double fraction = (double)(t_ms % (uint64_t)motion->duration_ms) / (double)motion->duration_ms;
    vec3_t base = motion->base.angles;
    vec3_t delta = motion->delta_angles;
    return (pose_t){motion->base.origin, Vector(spun(base.x, delta.x, times, fraction),
                                                spun(base.y, delta.y, times, fraction),
                                                spun(base.z, delta.z, times, fraction))};
}

static pose_t swinging(const motion_t *motion, uint64_t t_ms) {
    uint64_t rest_ms = t_ms % (uint64_t)motion->duration_ms;
    float sine, cosine;
    SinCos((float)((double)rest_ms * 360.0 / (double)motion->duration_ms), &sine, &cosine);
    return (pose_t){vector_along(motion->base.origin, motion->delta, (double)sine),
                    vector_along(motion->base.angles, motion->delta_angles, (double)sine)};
}

static pose_t own_pose(const motion_t *motion, int64_t ltime_ms) {
    if (!is_moving_kind(motion)) {
        return motion->base;
    }
    uint64_t t_ms = elapsed_ms(motion, ltime_ms);
    return motion->kind == MOTION_MOVE   ? moved(motion, t_ms)
           : motion->kind == MOTION_SPIN ? spinning(motion, t_ms)
                                         : swinging(motion, t_ms);
}

pose_t PM_PusherPose(const motion_t *motion, int64_t ltime_ms, const pose_t *parent) {
    pose_t own = own_pose(motion, ltime_ms);
    if (!parent) {
        return own;
    }
    pm_carry_t carry = PM_Carry(motion->parent_base, *parent);
    return (pose_t){PM_CarryPoint(&carry, own.origin), PM_CarryAngles(&carry, own.angles)};
}

motion_t PM_NextMotion(const motion_t *motion, const leg_t *leg) {
    const int64_t start_ms = (int64_t)((uint64_t)motion->start_ms + (uint64_t)leg->wait_ms);
    pose_t base = PM_PusherPose(motion, start_ms, NULL);
    if (fabsf(base.angles.y) < MAX_TURNS * 360.0f) {
        base.angles.y -= 360.0f * (float)(int32_t)(base.angles.y / 360.0f);
    }
    return (motion_t){.kind = MOTION_MOVE,
                      .start_ms = start_ms,
                      .duration_ms = leg->duration_ms,
                      .base = base,
                      .delta = leg->delta,
                      .delta_angles = leg->delta_angles,
                      .bend = leg->bend};
}

pose_t PM_FollowerPose(pose_t leader, bool is_player, pose_t offset) {
    vec3_t turn = is_player ? Vector(0.0f, leader.angles.y, 0.0f) : leader.angles;
    vec3_t forward, right, up;
    AngleVectors(turn, &forward, &right, &up);
    vec3_t origin = VectorMA(leader.origin, offset.origin.x, forward);
    origin = VectorMA(origin, -offset.origin.y, right);
    origin = VectorMA(origin, offset.origin.z, up);
    return (pose_t){origin, VectorAdd(turn, offset.angles)};
}

pose_t PM_PoseOnBone(pose_t bone, pose_t offset) {
    pm_carry_t carry = PM_Carry((pose_t){vec3_zero, vec3_zero}, bone);
    return (pose_t){PM_CarryPoint(&carry, offset.origin), PM_CarryAngles(&carry, offset.angles)};
}

bool PM_PusherGoesOn(const motion_t *motion, int64_t ltime_ms) {
    if (!is_moving_kind(motion)) {
        return false;
    }
    return motion->kind != MOTION_MOVE ||
           elapsed_ms(motion, ltime_ms) < (uint64_t)motion->duration_ms;
}

// ---- rigid motions ----

typedef struct {
    double sine, cosine;
} unit_t;

// Returns sine and cosine, within 1e-14 of the unit circle.
static unit_t unit_of(float degrees) {
    float sine, cosine;
    SinCos(degrees, &sine, &cosine);
    double s = (double)sine;
    double c = (double)cosine;
    double scale = 1.5 - 0.5 * (s * s + c * c);
    return (unit_t){s * scale, c * scale};
}

// Writes a rotation matrix with the columns forward, left and up.
static void matrix_of(vec3_t angles, double m[3][3]) {
    unit_t p = unit_of(angles.x);
    unit_t y = unit_of(angles.y);
    unit_t r = unit_of(angles.z);
    m[0][0] = p.cosine * y.cosine;
    m[1][0] = p.cosine * y.sine;
    m[2][0] = -p.sine;
    m[0][1] = r.sine * p.sine * y.cosine - r.cosine * y.sine;
    m[1][1] = r.sine * p.sine * y.sine + r.cosine * y.cosine;
    m[2][1] = r.sine * p.cosine;
    m[0][2] = r.cosine * p.sine * y.cosine + r.sine * y.sine;
    m[1][2] = r.cosine * p.sine * y.sine - r.sine * y.cosine;
    m[2][2] = r.cosine * p.cosine;
}

// Returns the yaw of a rotation matrix, degrees, without the tilt.
static float twist_of(double turn[3][3]) {
    return Atan2((float)(turn[1][0] - turn[0][1]), (float)(turn[0][0] + turn[1][1]));
}

static float yaw_between(float from, float to) {
    float yaw = to - from;
    return fabsf(yaw) < 180.0f ? yaw : AngleNormalize180(yaw);
}

// Wraps an angle in steps of a short to -32768..32767.
static int32_t as_signed_short(int32_t steps) {
    return (int32_t)(((uint32_t)steps + 32768u) & 0xffffu) - 32768;
}

pm_carry_t PM_Carry(pose_t from, pose_t to) {
    pm_carry_t carry = {.from = from.origin, .to = to.origin};
    if (VectorCompare(from.angles, to.angles)) {
        return carry;
    }
    carry.is_turned = true;
    carry.is_tilted = from.angles.x != 0.0f || from.angles.z != 0.0f || to.angles.x != 0.0f ||
                      to.angles.z != 0.0f;
    double a[3][3], b[3][3];
    bool is_level = from.angles.x == to.angles.x && from.angles.z == to.angles.z;
    // Leave out unchanged pitch and roll: rounding must not tilt an edict.
    matrix_of(is_level ? Vector(0.0f, from.angles.y, 0.0f) : from.angles, a);
    matrix_of(is_level ? Vector(0.0f, to.angles.y, 0.0f) : to.angles, b);
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            carry.turn[i][j] = b[i][0] * a[j][0] + b[i][1] * a[j][1] + b[i][2] * a[j][2];
        }
    }
    if (is_level) {
        carry.yaw = yaw_between(from.angles.y, to.angles.y);
        carry.yaw_short = as_signed_short((int32_t)AngleToShort(to.angles.y) -
                                          (int32_t)AngleToShort(from.angles.y));
    } else {
        carry.yaw = twist_of(carry.turn);
        carry.yaw_short = as_signed_short((int32_t)AngleToShort(carry.yaw));
    }
    return carry;
}

typedef struct {
    double x, y, z;
} offset_t;

static offset_t turned(const pm_carry_t *carry, offset_t v) {
    const double(*m)[3] = carry->turn;
    return (offset_t){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                      m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                      m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

vec3_t PM_CarryPoint(const pm_carry_t *carry, vec3_t point) {
    if (!carry->is_turned && VectorCompare(carry->from, carry->to)) {
        return point;
    }
    offset_t offset = {(double)point.x - (double)carry->from.x,
                       (double)point.y - (double)carry->from.y,
                       (double)point.z - (double)carry->from.z};
    if (carry->is_turned) {
        offset = turned(carry, offset);
    }
    return Vector((float)((double)carry->to.x + offset.x), (float)((double)carry->to.y + offset.y),
                  (float)((double)carry->to.z + offset.z));
}

vec3_t PM_CarryVector(const pm_carry_t *carry, vec3_t v) {
    if (!carry->is_turned) {
        return v;
    }
    offset_t out = turned(carry, (offset_t){(double)v.x, (double)v.y, (double)v.z});
    return Vector((float)out.x, (float)out.y, (float)out.z);
}

vec3_t PM_CarryAngles(const pm_carry_t *carry, vec3_t angles) {
    if (!carry->is_turned) {
        return angles;
    }
    if (carry->turn[2][2] == 1.0 && carry->turn[2][0] == 0.0 && carry->turn[2][1] == 0.0) {
        return Vector(angles.x, angles.y + carry->yaw, angles.z);
    }
    double own[3][3], all[3][3];
    matrix_of(angles, own);
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            all[i][j] = carry->turn[i][0] * own[0][j] + carry->turn[i][1] * own[1][j] +
                        carry->turn[i][2] * own[2][j];
        }
    }
    return MatrixAngles(all);
}

// ---- riders ----

pose_t PM_CarryPose(const pm_carry_t *carry, pose_t rider, bool is_player) {
    const vec3_t turned = {rider.angles.x, rider.angles.y + carry->yaw, rider.angles.z};
    return (pose_t){PM_CarryPoint(carry, rider.origin),
                    is_player ? turned : PM_CarryAngles(carry, rider.angles)};
}

void PM_CarryPlayer(const pm_carry_t *carry, player_state_t *player) {
    player->origin = PM_CarryPoint(carry, player->origin);
    if (!carry->is_turned) {
        return;
    }
    player->velocity = PM_CarryVector(carry, player->velocity);
    if (carry->yaw_short != 0) {
        uint32_t steps = (uint32_t)carry->yaw_short;
        player->delta_yaw = (int32_t)(((uint32_t)player->delta_yaw + steps) & 0xffffu);
        player->angles.y = ShortToAngle((uint16_t)(AngleToShort(player->angles.y) + steps));
    }
}

vec3_t PM_PusherVelocity(pose_t pose, vec3_t velocity, vec3_t avelocity, vec3_t point) {
    if (VectorCompare(avelocity, vec3_zero)) {
        return velocity;
    }
    // Yaw turns about the vertical, then pitch about left, then roll about forward.
    unit_t y = unit_of(pose.angles.y);
    unit_t p = unit_of(pose.angles.x);
    double pitch = (double)avelocity.x * DEG_TO_RAD;
    double yaw = (double)avelocity.y * DEG_TO_RAD;
    double roll = (double)avelocity.z * DEG_TO_RAD;
    double wx = -y.sine * pitch + p.cosine * y.cosine * roll;
    double wy = y.cosine * pitch + p.cosine * y.sine * roll;
    double wz = yaw - p.sine * roll;
    double rx = (double)point.x - (double)pose.origin.x;
    double ry = (double)point.y - (double)pose.origin.y;
    double rz = (double)point.z - (double)pose.origin.z;
    return Vector((float)((double)velocity.x + (wy * rz - wz * ry)),
                  (float)((double)velocity.y + (wz * rx - wx * rz)),
                  (float)((double)velocity.z + (wx * ry - wy * rx)));
}

static float turn_speed(float from, float to, float dt) {
    float turn = to - from;
    return (fabsf(turn) <= 180.0f ? turn : AngleNormalize180(turn)) / dt;
}

void PM_AddPusherSpeed(pose_t from, pose_t to, float dt, vec3_t *velocity, vec3_t *avelocity) {
    *velocity = VectorMA(*velocity, 1.0f / dt, VectorSubtract(to.origin, from.origin));
    *avelocity = VectorAdd(*avelocity, Vector(turn_speed(from.angles.x, to.angles.x, dt),
                                              turn_speed(from.angles.y, to.angles.y, dt),
                                              turn_speed(from.angles.z, to.angles.z, dt)));
}
