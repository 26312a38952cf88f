/// move/profiles.c - see profiles.h.
//
// Units:   as in movevars.h.
// Source:  docs/physics.md, "Profiles". Each function sets only differences from QuakeWorld.

#include "move/profiles.h"

#include "base/types.h"

#include <string.h>

static void set_quake2(movevars_t *vars) {
    vars->sv_maxspeed = 300.0f;
    vars->sv_friction = 6.0f;
    vars->sv_airaccelerate = 1.0f;
    vars->sv_airmode = 1;
    vars->sv_waterfriction = 1.0f;
    vars->sv_edgefriction = 1.0f;
    vars->sv_frictionmode = 1;
    vars->sv_swimscale = 0.5f;
    vars->sv_currentspeed = 133.0f;
    vars->sv_overclip = 1.01f;
    vars->sv_groundprobe = 0.25f;
    vars->sv_jumpmode = 1;
    vars->sv_waterjumpmode = 1;
    vars->sv_duckmode = 1;
    vars->sv_duckscale = 1.0f / 3.0f;
    vars->sv_laddermode = 2;
    vars->sv_slidemode = 1;
}

static void set_halflife(movevars_t *vars) {
    vars->sv_waterfriction = 1.0f;
    vars->sv_frictionmode = 2;
    vars->sv_swimscale = 0.8f;
    vars->sv_groundprobe = 2.0f;
    vars->sv_gravitymode = 1;
    vars->sv_jumpspeed = 268.32816f; // sqrt(2 * 800 * 45): jumps 45 qu high at gravity 800
    vars->sv_jumpmode = 2;
    vars->sv_waterjumpmode = 2;
    vars->sv_bunnycap = 1.7f;
    vars->sv_duckmode = 2;
    vars->sv_duckscale = 0.333f;
    vars->sv_laddermode = 1;
    vars->sv_tossrules = 1;
    vars->sv_standmins = -36.0f;
    vars->sv_standmaxs = 36.0f;
    vars->sv_standview = 28.0f;
    vars->sv_duckmins = -18.0f;
    vars->sv_duckmaxs = 18.0f;
    vars->sv_duckview = 12.0f;
}

static void set_quake(movevars_t *vars) {
    (void)vars;
}

static void set_sweep(movevars_t *vars) {
    vars->sv_movemode = 1;
}

static void set_drop(movevars_t *vars) {
    vars->sv_movemode = 2;
}

typedef struct {
    const char *name;
    void (*set)(movevars_t *vars);
} profile_t;

static const profile_t profiles[] = {
    {"quake", set_quake}, {"quake2", set_quake2}, {"halflife", set_halflife},
    {"sweep", set_sweep}, {"drop", set_drop},
};

static void copy_body(movevars_t *to, const movevars_t *from) {
#define COPY(type, name, def, min, max, unit, help) to->name = from->name;
    MOVEVARS_BODY(COPY)
#undef COPY
}

static bool same_body(const movevars_t *a, const movevars_t *b) {
#define SAME(type, name, def, min, max, unit, help) &&a->name == b->name
    return true MOVEVARS_BODY(SAME);
#undef SAME
}

void PM_FitBody(movevars_t *vars, bool halflife_hulls) {
    const movevars_t quake = MoveVars_Default();
    movevars_t halflife = quake;
    set_halflife(&halflife);
    if (same_body(vars, &quake) || same_body(vars, &halflife)) {
        copy_body(vars, halflife_hulls ? &halflife : &quake);
    }
}

bool PM_Profile(const char *name, movevars_t *vars) {
    for (size_t i = 0; i < COUNTOF(profiles); i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            *vars = MoveVars_Default();
            profiles[i].set(vars);
            return true;
        }
    }
    return false;
}

const char *PM_ProfileName(int32_t number) {
    return number >= 0 && number < (int32_t)COUNTOF(profiles) ? profiles[number].name : NULL;
}
