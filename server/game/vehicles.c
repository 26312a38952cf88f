/// game/vehicles.c - misc_buggy: a player gets in with the use button, drives, and gets out again.
//
// Units:   qu, qu/s, degrees, ms.
// Repeat:  evaluated after each sub-step, so how input is split into commands changes no result.
//
// Clients predict getting in and out (move/vehicle.h). Fields of the buggy: `activator` = driver,
// `until_ms` = next time that it hurts. A driver cannot shoot.

#include "game/vehicles.h"
#include "game/game.h"
#include "game/players.h"
#include "math/angles.h"

#define HALF_WIDTH  32.0f
#define HALF_HEIGHT 20.0f
#define WHEEL_AHEAD 24.0f  // qu; wheels are this far ahead of or behind the vehicle's middle
#define WHEEL_ASIDE 20.0f  // qu to the side; inside the vehicle's box at any yaw
#define WHEEL_DROP  32.0f  // qu below the box within which a wheel finds the ground
#define LEAN_RATE   240.0f // maximum change of the tilt, degrees a second
#define REST_MS     100    // ms between two updates of a rolling buggy without driver
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

// ---- getting in and out ----

static void get_in(sv_context_t *sv, edict_t *player, client_t *client, edict_t *buggy) {
    player_fields_t *fields = Game_PlayerFields(client);
    if (!sv->engine->enter_vehicle(sv, player, buggy)) {
        return;
    }
    fields->vehicle = sv->engine->ref(sv, buggy);
    fields->drive_velocity = player->velocity;
    fields->hazard.fall_speed = 0.0f;
    Game_Fields(buggy)->activator = sv->engine->ref(sv, player);
    sv->engine->next_think(sv, buggy, 0);
    player->touch = GAME_CALLBACK(sv, Game_DriveTouch);
    Game_Play(sv, player, "buggy_in");
}

void Game_LeaveVehicle(sv_context_t *sv, edict_t *driver, client_t *client, bool must) {
    Game_LeaveControls(sv, driver, client);
    if (!Game_IsDriving(client)) {
        return;
    }
    // A dead driver may keep the position, because a dead player blocks nobody.
    edict_t *buggy = sv->engine->deref(sv, Game_PlayerFields(client)->vehicle);
    if (!sv->engine->leave_vehicle(sv, driver, buggy, must)) {
        Game_CenterPrint(sv, driver, "There is no room to get out");
        return;
    }
    Game_PlayerFields(client)->vehicle = (edict_ref_t){0, 0};
    driver->touch = 0;
    if (buggy) {
        Game_Fields(buggy)->activator = (edict_ref_t){0, 0};
        buggy->visibility = VISIBLE_ALL;
        sv->engine->next_think(sv, buggy, sv->engine->time_ms(sv) + REST_MS);
    }
    Game_Play(sv, driver, "buggy_out");
}

// ---- driving ----

void Game_VehicleStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd) {
    player_fields_t *fields = Game_PlayerFields(client);
    bool held = (cmd->buttons & BUTTON_USE) != 0;
    bool pressed = held && !(client->player.flags & PMF_USE_HELD);
    bool is_on_train = Game_TrainStep(sv, player, client, cmd, pressed);
    fields->forward_held = (cmd->forward > 0) - (cmd->forward < 0);
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
    edict_t *buggy = sv->engine->find_vehicle(sv, player);
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
    self->flags |= FL_VEHICLE;
    Game_BeBox(self, box_mins, box_maxs);
    Game_SetModel(sv, self, "vehicles", "buggy");
    self->origin.z += 1.0f; // because maps place buggies exactly on the floor
    self->angles = Vector(0.0f, self->angles.y, 0.0f);
    Game_After(sv, self, GAME_CALLBACK(sv, Game_BuggyThink), REST_MS);
    sv->engine->link(sv, self, false);
}
