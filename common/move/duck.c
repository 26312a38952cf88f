/// move/duck.c - ducking and standing up.
//
// Units:   qu, ms.
// Source:  Quake II ducks at once; Half-Life within 0.4 s, in the air at once.
//
// The feet keep their position. In Half-Life's mode in the air the middle does, so a ducked jump
// clears higher obstacles. Standing up needs space for the standing box.

#include "move/pm_local.h"

// values of sv_duckmode
#define DUCK_NONE  0
#define DUCK_TIMED 2

#define DUCK_MS     400 // time to duck on the ground in Half-Life's mode
#define MAX_UNSTICK 36  // maximum lift out of a solid, qu

bounds_t PM_PlayerBox(const movevars_t *vars, bool ducked) {
    return (bounds_t){Vector(-16.0f, -16.0f, ducked ? vars->sv_duckmins : vars->sv_standmins),
                      Vector(16.0f, 16.0f, ducked ? vars->sv_duckmaxs : vars->sv_standmaxs)};
}

float PM_ViewHeight(const player_state_t *player, const movevars_t *vars) {
    if (player->flags & PMF_DUCKED) {
        return vars->sv_duckview;
    }
    if (player->flags & PMF_DUCKING) {
        // Height of the ducked view above the standing origin.
        float down = vars->sv_duckview - (vars->sv_duckmins - vars->sv_standmins);
        float fraction = (float)Q_ClampI(player->duck_ms, 0, DUCK_MS) / (float)DUCK_MS;
        return vars->sv_standview + fraction * (down - vars->sv_standview);
    }
    return vars->sv_standview;
}

float PM_PostureScale(const pm_step_t *pm) {
    bool creeps = (pm->player->flags & PMF_DUCKED) != 0;
    return creeps ? pm->vars->sv_duckscale : 1.0f;
}

static void set_box(pm_step_t *pm, bool ducked) {
    bounds_t box = PM_PlayerBox(pm->vars, ducked);
    pm->player->mins = box.mins;
    pm->player->maxs = box.maxs;
}

// Returns how far the origin rises for a new box.
static float shift_to(const pm_step_t *pm, bounds_t box) {
    const player_state_t *player = pm->player;
    if (PM_OnGround(pm) || pm->vars->sv_duckmode != DUCK_TIMED) {
        return player->mins.z - box.mins.z;
    }
    return 0.5f * ((player->mins.z + player->maxs.z) - (box.mins.z + box.maxs.z));
}

// Raises a player out of solid. Without brushes, the hull for the ducked box may be larger than the
// box.
static void unstick(pm_step_t *pm) {
    const vec3_t origin = pm->player->origin;
    for (int32_t up = 0; up <= MAX_UNSTICK; up++) {
        if (PM_TryOrigin(pm, Vector(origin.x, origin.y, origin.z + (float)up))) {
            return;
        }
    }
}

static void finish_duck(pm_step_t *pm) {
    player_state_t *player = pm->player;
    float feet = player->origin.z + player->mins.z;
    player->origin.z += shift_to(pm, PM_PlayerBox(pm->vars, true));
    set_box(pm, true);
    player->flags = (player->flags | PMF_DUCKED) & ~PMF_DUCKING;
    player->duck_ms = 0;
    if (!PM_PositionIsFree(player, pm->world)) {
        player->origin.z = feet - player->mins.z;
        unstick(pm);
    }
}

static void go_down(pm_step_t *pm) {
    player_state_t *player = pm->player;
    if (player->flags & PMF_DUCKED) {
        return;
    }
    if (pm->vars->sv_duckmode != DUCK_TIMED || !PM_OnGround(pm)) {
        finish_duck(pm);
        return;
    }
    player->flags |= PMF_DUCKING;
    player->duck_ms += pm->step_ms;
    if (player->duck_ms >= DUCK_MS) {
        finish_duck(pm);
    }
}

static void stand_up(pm_step_t *pm) {
    player_state_t *player = pm->player;
    player->flags &= ~PMF_DUCKING;
    player->duck_ms = 0;
    if (!(player->flags & PMF_DUCKED)) {
        return;
    }
    const player_state_t crouched = *player;
    player->origin.z += shift_to(pm, PM_PlayerBox(pm->vars, false));
    set_box(pm, false);
    player->flags &= ~PMF_DUCKED;
    if (!PM_PositionIsFree(player, pm->world)) {
        *player = crouched;
    }
}

void PM_Duck(pm_step_t *pm) {
    bool wants = (pm->input.buttons & BUTTON_DUCK) && pm->vars->sv_duckmode != DUCK_NONE;
    if (wants && pm->player->pm_type == PM_NORMAL) {
        go_down(pm);
    } else {
        stand_up(pm);
    }
}
