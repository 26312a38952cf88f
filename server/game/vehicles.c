/// game/vehicles.c - misc_buggy: a player gets in with the use button, drives, and gets out again.
//
// Units:   qu, qu/s, degrees, ms.
// Repeat:  evaluated after each sub-step, so how input is split into commands changes no result.
//
// A driver becomes the vehicle: the driver's edict has the buggy's box and moves with PM_DRIVING.
// The buggy's edict follows the driver, is not solid and tilts with the ground. Fields of the
// buggy: `activator` = driver, `until_ms` = next time that it hurts. A driver cannot shoot.

#include "game/vehicles.h"
#include "game/game.h"
#include "game/near.h"
#include "game/players.h"
#include "math/angles.h"

#define HALF_WIDTH  32.0f
#define HALF_HEIGHT 20.0f
#define REACH       24.0f  // qu between the boxes within which a player can get in
#define ENTER_FALL  300.0f // qu/s; faster players cannot get in to break a fall
#define WHEEL_AHEAD 24.0f  // qu; wheels are this far ahead of or behind the vehicle's middle
#define WHEEL_ASIDE 20.0f  // qu to the side; inside the vehicle's box at any yaw
#define WHEEL_DROP  32.0f  // qu below the box within which a wheel finds the ground
#define LEAN_RATE   240.0f // maximum change of the tilt, degrees a second
#define REST_MS     100    // ms between two updates of a rolling buggy without driver
#define EXIT_GAP    1.0f   // qu between the box of the buggy and that of the player beside it
#define EXIT_STEP   18.0f  // qu; a player steps this high when getting out
#define EXIT_FALL   72.0f  // qu; ground further down is avoided
#define LEFT_SHARE  0.5f   // fraction of the vehicle's velocity kept when the driver gets out
#define HIT_SHARE   0.7f   // fraction of the vehicle's velocity kept when it hits a player
#define HIT_MS      500    // ms between two hits

/// Damage of being run over, by speed.
typedef struct {
    float speed; ///< qu/s, minimum
    int32_t damage;
} hit_t;

static const hit_t hits[] = {{560.0f, 100}, {400.0f, 60}, {280.0f, 30}, {180.0f, 12}};

static const vec3_t box_mins = {-HALF_WIDTH, -HALF_WIDTH, -HALF_HEIGHT};
static const vec3_t box_maxs = {HALF_WIDTH, HALF_WIDTH, HALF_HEIGHT};

bool Game_IsDriving(const client_t *client) {
    return client->player.pm_type == PM_DRIVING;
}

// ---- tilt ----

// Returns the position of the wheel below a point, and counts the wheels that touch the ground.
static vec3_t wheel_below(sv_context_t *sv, const edict_t *body, vec3_t top, int32_t *touching) {
    vec3_t low = VectorSubtract(top, Vector(0.0f, 0.0f, HALF_HEIGHT + WHEEL_DROP));
    trace_t trace = Game_Ray(sv, top, low, body);
    *touching += trace.fraction < 1.0f && !trace.startsolid ? 1 : 0;
    return trace.startsolid ? low : trace.endpos;
}

// Returns the angles of a body with four wheels on the ground, or `now` if no wheel touches it.
static vec3_t lean_of(sv_context_t *sv, const edict_t *body, float yaw, vec3_t now) {
    vec3_t forward, right;
    int32_t touching = 0;
    vec3_t wheels[4];
    AngleVectors(Vector(0.0f, yaw, 0.0f), &forward, &right, NULL);
    for (int32_t i = 0; i < 4; i++) {
        vec3_t axle = VectorMA(body->origin, i & 2 ? WHEEL_AHEAD : -WHEEL_AHEAD, forward);
        vec3_t top = VectorMA(axle, i & 1 ? WHEEL_ASIDE : -WHEEL_ASIDE, right);
        wheels[i] = wheel_below(sv, body, top, &touching);
    }
    if (touching == 0) {
        return now;
    }
    vec3_t ahead = VectorSubtract(VectorAdd(wheels[2], wheels[3]), VectorAdd(wheels[0], wheels[1]));
    vec3_t aside = VectorSubtract(VectorAdd(wheels[1], wheels[3]), VectorAdd(wheels[0], wheels[2]));
    vec3_t up = VectorNormalize(CrossProduct(aside, ahead), NULL);
    return sv->engine->align_angles(sv, yaw, up);
}

static float turn_towards(float now, float wanted, float most) {
    float difference = AngleMod(wanted - now + 180.0f) - 180.0f;
    return AngleMod(now + Q_ClampF(difference, -most, most));
}

void Game_BuggyThink(sv_context_t *sv, edict_t *self) {
    self->angles = lean_of(sv, self, self->angles.y, self->angles);
    sv->engine->link(sv, self, false);
    if (!(self->flags & FL_ONGROUND)) {
        sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + REST_MS);
    }
}

void Game_LeanVehicles(sv_context_t *sv) {
    float most = LEAN_RATE / sv->engine->cvar(sv, "sv_tickrate");
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        const edict_t *driver = sv->engine->player(sv, client);
        edict_t *buggy = sv->engine->deref(sv, Game_PlayerFields(client)->vehicle);
        if (buggy && Game_IsDriving(client)) {
            vec3_t now = buggy->follow_angles;
            vec3_t lean = lean_of(sv, driver, driver->angles.y, now);
            buggy->follow_angles =
                Vector(turn_towards(now.x, lean.x, most), 0.0f, turn_towards(now.z, lean.z, most));
        }
    }
}

// ---- getting in ----

// Returns true if no wall, floor or ceiling of the map is between player and buggy.
static bool can_reach(sv_context_t *sv, const edict_t *player, const edict_t *buggy) {
    vec3_t from = sv->engine->eyes(sv, player);
    return Game_Ray(sv, from, buggy->origin, player).fraction == 1.0f;
}

static edict_t *find_buggy(sv_context_t *sv, const edict_t *player) {
    const vec3_t reach = {REACH, REACH, REACH};
    int32_t classname = sv->engine->string(sv, "misc_buggy");
    near_t near = Game_NearStart(
        sv, (bounds_t){VectorSubtract(player->absmin, reach), VectorAdd(player->absmax, reach)});
    edict_t *edict;
    while ((edict = Game_NearNext(sv, &near)) != NULL) {
        if (edict->classname == classname && can_reach(sv, player, edict)) {
            return edict; // a driven buggy is not solid
        }
    }
    return NULL;
}

static void become(sv_context_t *sv, edict_t *player, vec3_t mins, vec3_t maxs, vec3_t origin) {
    player->mins = mins;
    player->maxs = maxs;
    player->origin = origin;
    player->flags &= ~FL_ONGROUND;
    player->groundentity = (edict_ref_t){0, 0};
    sv->engine->link(sv, player, false);
}

static void get_in(sv_context_t *sv, edict_t *player, client_t *client, edict_t *buggy) {
    player_fields_t *fields = Game_PlayerFields(client);
    vec3_t lean = {buggy->angles.x, 0.0f, buggy->angles.z};
    fields->vehicle = sv->engine->ref(sv, buggy);
    fields->drive_velocity = buggy->velocity;
    fields->hazard.fall_speed = 0.0f;
    Game_Fields(buggy)->activator = sv->engine->ref(sv, player);
    buggy->solid = SOLID_NOT;
    sv->engine->next_think(sv, buggy, 0);
    player->angles = Vector(0.0f, buggy->angles.y, 0.0f);
    player->velocity = buggy->velocity;
    player->touch = GAME_CALLBACK(sv, Game_DriveTouch);
    player->movetype = MOVETYPE_WALK;
    sv->engine->set_pm_type(sv, player, PM_DRIVING);
    sv->engine->follow(sv, buggy, player, vec3_zero, lean);
    sv->engine->link(sv, buggy, false);
    become(sv, player, box_mins, box_maxs, buggy->origin);
    Game_Play(sv, player, "buggy_in");
}

// ---- getting out ----

// Returns true if the position beside the vehicle is free and reachable. `step`: height, qu.
static bool is_exit(sv_context_t *sv, const edict_t *driver, bounds_t box, vec3_t aside, float step,
                    vec3_t *place) {
    float widest = fabsf(aside.x) > fabsf(aside.y) ? fabsf(aside.x) : fabsf(aside.y);
    float far = (HALF_WIDTH + box.maxs.x + EXIT_GAP) / widest;
    vec3_t beside = VectorMA(driver->origin, far, aside);
    // Sweeps the part of the player's box that is inside the vehicle's: no wall may be between.
    vec3_t mins = {box.mins.x, box.mins.y, -HALF_HEIGHT + step + EXIT_GAP};
    vec3_t maxs = {box.maxs.x, box.maxs.y, HALF_HEIGHT};
    trace_t path = sv->engine->trace(sv, driver->origin, mins, maxs, beside, true, driver);
    if (path.startsolid || path.fraction < 1.0f) {
        return false;
    }
    *place = beside;
    place->z = driver->origin.z - HALF_HEIGHT + step + EXIT_GAP - box.mins.z;
    trace_t there = sv->engine->trace(sv, *place, box.mins, box.maxs, *place, true, driver);
    return !there.startsolid;
}

static bool has_ground(sv_context_t *sv, const edict_t *driver, bounds_t box, vec3_t place) {
    vec3_t below = VectorSubtract(place, Vector(0.0f, 0.0f, EXIT_FALL));
    return sv->engine->trace(sv, place, box.mins, box.maxs, below, true, driver).fraction < 1.0f;
}

// Tries left, right, back and front with ground, then without ground, then the roof.
static bool find_exit(sv_context_t *sv, const edict_t *driver, bounds_t box, vec3_t *place) {
    vec3_t forward, right;
    AngleVectors(Vector(0.0f, driver->angles.y, 0.0f), &forward, &right, NULL);
    const vec3_t sides[4] = {VectorNegate(right), right, VectorNegate(forward), forward};
    for (int32_t any = 0; any < 2; any++) {
        for (int32_t i = 0; i < 8; i++) {
            float step = i < 4 ? 0.0f : EXIT_STEP;
            if (is_exit(sv, driver, box, sides[i % 4], step, place) &&
                (any == 1 || has_ground(sv, driver, box, *place))) {
                return true;
            }
        }
    }
    *place = driver->origin;
    place->z += HALF_HEIGHT + EXIT_GAP - box.mins.z;
    return !sv->engine->trace(sv, *place, box.mins, box.maxs, *place, true, driver).startsolid;
}

static void leave_buggy(sv_context_t *sv, edict_t *driver, client_t *client) {
    edict_t *buggy = sv->engine->deref(sv, Game_PlayerFields(client)->vehicle);
    Game_PlayerFields(client)->vehicle = (edict_ref_t){0, 0};
    driver->touch = 0;
    if (!buggy) {
        return;
    }
    vec3_t angles = {buggy->follow_angles.x, driver->angles.y, buggy->follow_angles.z};
    sv->engine->follow(sv, buggy, NULL, vec3_zero, vec3_zero);
    Game_Fields(buggy)->activator = (edict_ref_t){0, 0};
    buggy->movetype = MOVETYPE_STEP;
    buggy->solid = SOLID_BBOX;
    buggy->visibility = VISIBLE_ALL;
    buggy->origin = driver->origin;
    buggy->angles = angles;
    buggy->velocity = VectorScale(driver->velocity, LEFT_SHARE);
    sv->engine->next_think(sv, buggy, sv->engine->time_ms(sv) + REST_MS);
}

void Game_LeaveVehicle(sv_context_t *sv, edict_t *driver, client_t *client, bool must) {
    bounds_t box = sv->engine->player_box(sv);
    vec3_t place;
    Game_LeaveControls(sv, driver, client);
    if (!Game_IsDriving(client)) {
        return;
    }
    if (!find_exit(sv, driver, box, &place)) {
        if (!must) {
            Game_CenterPrint(sv, driver, "There is no room to get out");
            return;
        }
        // A dead driver keeps the position, because a dead player blocks nobody.
        place = driver->origin;
        place.z += -HALF_HEIGHT - box.mins.z;
    }
    edict_t *buggy = sv->engine->deref(sv, Game_PlayerFields(client)->vehicle);
    leave_buggy(sv, driver, client);
    sv->engine->set_pm_type(sv, driver, PM_NORMAL);
    driver->angles = client->player.angles;
    driver->velocity = Vector(0.0f, 0.0f, driver->velocity.z); // keeps the falling speed
    become(sv, driver, box.mins, box.maxs, place);
    if (buggy) {
        sv->engine->link(sv, buggy, false);
    }
    Game_Play(sv, driver, "buggy_out");
}

// ---- driving ----

void Game_VehicleStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd) {
    player_fields_t *fields = Game_PlayerFields(client);
    bool held = (cmd->buttons & BUTTON_USE) != 0;
    bool pressed = held && !(fields->use_held & HELD_USE);
    bool is_on_train = Game_TrainStep(sv, player, client, cmd, pressed);
    fields->use_held = (held ? HELD_USE : 0) | (cmd->forward > 0 ? HELD_FORWARD : 0) |
                       (cmd->forward < 0 ? HELD_BACK : 0);
    if (held && !is_on_train) {
        Game_UseNear(sv, player, pressed);
    }
    fields->drive_velocity = player->velocity;
    if (!pressed || is_on_train) {
        return;
    }
    if (Game_IsDriving(client)) {
        Game_LeaveVehicle(sv, player, client, false);
        return;
    }
    edict_t *buggy = fields->hazard.fall_speed <= ENTER_FALL ? find_buggy(sv, player) : NULL;
    if (buggy) {
        get_in(sv, player, client, buggy);
    }
}

// Hurts the edict that the driver ran into, by the driver's speed before the impact.
void Game_DriveTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    client_t *client = sv->engine->client(sv, self);
    edict_t *buggy = client ? sv->engine->deref(sv, Game_PlayerFields(client)->vehicle) : NULL;
    int64_t now_ms = sv->engine->time_ms(sv);
    bool can_be_hurt = sv->engine->client(sv, other) || (other->flags & FL_MONSTER);
    if (!buggy || !can_be_hurt || now_ms < Game_Fields(buggy)->until_ms) {
        return;
    }
    vec3_t velocity = Game_PlayerFields(client)->drive_velocity;
    vec3_t offset = VectorSubtract(other->origin, self->origin);
    offset = VectorNormalize(Vector(offset.x, offset.y, 0.0f), NULL);
    float speed = DotProduct(velocity, offset);
    for (size_t i = 0; i < COUNTOF(hits); i++) {
        if (speed >= hits[i].speed) {
            Game_Fields(buggy)->until_ms = now_ms + HIT_MS;
            Game_Knock(sv, other, self->origin, hits[i].damage);
            Game_Damage(sv, other, self, hits[i].damage, "was run over");
            self->velocity = VectorScale(velocity, HIT_SHARE);
            return;
        }
    }
}

void Game_SpawnBuggy(sv_context_t *sv, edict_t *self) {
    self->solid = SOLID_BBOX;
    self->movetype = MOVETYPE_STEP;
    Game_BeBox(self, box_mins, box_maxs);
    Game_SetModel(sv, self, "vehicles", "buggy");
    self->origin.z += 1.0f; // because maps place buggies exactly on the floor
    self->angles = Vector(0.0f, self->angles.y, 0.0f);
    Game_After(sv, self, GAME_CALLBACK(sv, Game_BuggyThink), REST_MS);
    sv->engine->link(sv, self, false);
}
