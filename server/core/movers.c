/// core/movers.c - the choice of a mover (move/body.h) by a game or a map.

#include "core/core_local.h"
#include "move/body.h"

#include <string.h>

#define MAX_TILT        89.0f  // degrees
#define MAX_STEP_HEIGHT 256.0f // qu

// Returns `value`, or 0 with a warning if it is out of range or NaN.
static float limit_of(sv_context_t *sv, const edict_t *edict, const char *name, float value,
                      float max) {
    if (value >= 0.0f && value < max) {
        return value;
    }
    SV_WarnEdict(sv, edict, "%s: expected 0 (default) to below %g, found %g", name, (double)max,
                 (double)value);
    return 0.0f;
}

bool SV_SetMover(sv_context_t *sv, edict_t *edict, const char *name, const mover_limits_t *limits) {
    static const char *const names[MOVER_COUNT] = {"step", "ray", "sweep", "drop"};
    int32_t mover = 0;
    while (mover < MOVER_COUNT && strcmp(names[mover], name) != 0) {
        mover++;
    }
    if (mover == MOVER_COUNT) {
        SV_WarnEdict(sv, edict, "mover: expected step, ray, sweep or drop, found \"%.40s\"", name);
    }
    edict->mover = (int16_t)(mover < MOVER_COUNT ? mover : MOVER_STEP);
    edict->max_pitch = limit_of(sv, edict, "max_pitch", limits->max_pitch, MAX_TILT);
    edict->max_roll = limit_of(sv, edict, "max_roll", limits->max_roll, MAX_TILT);
    edict->step_height = limit_of(sv, edict, "step_height", limits->step_height, MAX_STEP_HEIGHT);
    edict->flags = limits->upright ? edict->flags | FL_UPRIGHT : edict->flags & ~FL_UPRIGHT;
    return mover < MOVER_COUNT && edict->max_pitch == limits->max_pitch &&
           edict->max_roll == limits->max_roll && edict->step_height == limits->step_height;
}
