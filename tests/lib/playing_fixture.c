#include "lib/playing_fixture.h"

#include "game/players.h"
#include "math/angles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR    12.0f // qu: distance that counts as arrived
#define RUNNING 320.0f
#define CLOSE   100.0f // qu: distance to walk up to before shooting

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test playing: %s\n", what);
        abort();
    }
}

static void hear(test_playing_t *play, int32_t n) {
    cl_event_t event;
    while (CL_NextEvent(play->net.clients[n], &event)) {
        if (event.type == CL_EVENT_PRINT) {
            char *heard = play->heard[n];
            size_t used = strlen(heard);
            must(used + MAX_TEXT_BYTES + 2 < PLAYING_HEARD_SIZE, "too many lines");
            snprintf(heard + used, PLAYING_HEARD_SIZE - used, "%s\n", event.text);
        }
        play->maps[n] += event.type == CL_EVENT_MAP;
        play->drops += event.type == CL_EVENT_DROPPED;
    }
}

static void step(test_playing_t *play) {
    TestNet_Step(&play->net);
    for (int32_t i = 0; i < play->net.num_clients; i++) {
        hear(play, i);
    }
}

void TestPlaying_Run(test_playing_t *play, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        step(play);
    }
}

int32_t TestPlaying_Heard(const test_playing_t *play, int32_t n, const char *text) {
    int32_t count = 0;
    for (const char *at = play->heard[n]; (at = strstr(at, text)) != NULL; at++) {
        count++;
    }
    return count;
}

void TestPlaying_Forget(test_playing_t *play) {
    for (int32_t i = 0; i < PLAYING_CLIENTS; i++) {
        play->heard[i][0] = '\0';
    }
}

bool TestPlaying_WaitFor(test_playing_t *play, int32_t n, const char *text, int32_t limit_ms) {
    for (int32_t at = 0; at < limit_ms && TestPlaying_Heard(play, n, text) == 0;
         at += TEST_NET_STEP_MS) {
        step(play);
    }
    return TestPlaying_Heard(play, n, text) > 0;
}

void TestPlaying_Press(test_playing_t *play, int32_t n, cl_input_t input) {
    player_state_t self;
    if (CL_Predicted(play->net.clients[n], &self)) {
        input.yaw -= ShortToAngle((uint16_t)self.delta_yaw);
    }
    CL_SetInput(play->net.clients[n], &input);
}

static void let_go(test_playing_t *play, int32_t n, float yaw) {
    TestPlaying_Press(play, n, (cl_input_t){.yaw = yaw});
}

bool TestPlaying_Goto(test_playing_t *play, int32_t n, float x, float y, int32_t limit_ms) {
    float yaw = 0.0f;
    bool there = false;
    for (int32_t at = 0; at < limit_ms && !there; at += TEST_NET_STEP_MS) {
        player_state_t self;
        if (CL_Predicted(play->net.clients[n], &self)) {
            vec3_t to = {x - self.origin.x, y - self.origin.y, 0.0f};
            float distance = VectorLength(to);
            float speed = distance * 4.0f < RUNNING ? distance * 4.0f : RUNNING;
            yaw = VectorAngles(to).y;
            there = distance < NEAR;
            TestPlaying_Press(play, n, (cl_input_t){.forward = speed, .yaw = yaw});
        }
        step(play);
    }
    let_go(play, n, yaw);
    TestPlaying_Run(play, 500);
    return there;
}

bool TestPlaying_Sees(const test_playing_t *play, int32_t n, int32_t number, vec3_t *origin) {
    entity_state_t list[64];
    int32_t count = CL_Entities(play->net.clients[n], list, 64);
    for (int32_t i = 0; i < count; i++) {
        if (list[i].number == number) {
            const int32_t *at = list[i].origin;
            *origin = Vector((float)at[0] / 16.0f, (float)at[1] / 16.0f, (float)at[2] / 16.0f);
            return true;
        }
    }
    return false;
}

bool TestPlaying_Kill(test_playing_t *play, int32_t n, int32_t victim, int32_t limit_ms) {
    int32_t number = CL_Slot(play->net.clients[victim]) + 1;
    cl_input_t input = {.buttons = BUTTON_ATTACK};
    bool dead = false;
    for (int32_t at = 0; at < limit_ms && !dead; at += TEST_NET_STEP_MS) {
        player_state_t self;
        player_state_t target;
        vec3_t origin;
        if (CL_Self(play->net.clients[n], &self) && TestPlaying_Sees(play, n, number, &origin)) {
            vec3_t eye = VectorAdd(self.origin, Vector(0.0f, 0.0f, PM_VIEW_HEIGHT));
            vec3_t view = VectorAngles(VectorSubtract(origin, eye)); // aim at the victim's middle
            input.yaw = view.y;
            input.pitch = view.x;
            // A hit throws the victim back. From afar a shotgun spreads, and its ammunition runs
            // out.
            vec3_t delta = VectorSubtract(origin, self.origin);
            input.forward = VectorLength(delta) > CLOSE ? RUNNING : 0.0f;
            TestPlaying_Press(play, n, input);
        }
        step(play);
        dead = CL_Self(play->net.clients[victim], &target) && target.health <= 0;
    }
    let_go(play, n, input.yaw);
    return dead;
}

bool TestPlaying_Respawn(test_playing_t *play, int32_t n, int32_t limit_ms) {
    player_state_t self;
    bool lives = false;
    TestPlaying_Press(play, n, (cl_input_t){.buttons = BUTTON_JUMP});
    for (int32_t at = 0; at < limit_ms && !lives; at += TEST_NET_STEP_MS) {
        step(play);
        lives = CL_Self(play->net.clients[n], &self) && self.pm_type == PM_NORMAL;
    }
    let_go(play, n, 0.0f);
    TestPlaying_Run(play, 500);
    return lives;
}

client_t *TestPlaying_Client(const test_playing_t *play, int32_t n) {
    return World_Client(Server_World(play->net.server), CL_Slot(play->net.clients[n]));
}

int32_t TestPlaying_Stat(const test_playing_t *play, int32_t n, int32_t about, const char *name) {
    cl_value_t value;
    must(CL_PlayerField(play->net.clients[n], CL_Slot(play->net.clients[about]), name, &value),
         "no field of that name");
    return value.number;
}

static bool walks(test_playing_t *play, int32_t n) {
    player_state_t before;
    player_state_t after;
    if (!CL_Self(play->net.clients[n], &before) || before.pm_type != PM_NORMAL ||
        before.health != PLAYER_HEALTH) {
        return false;
    }
    // Walk away from the middle, where no player is in the path.
    float yaw = VectorAngles(Vector(before.origin.x, before.origin.y, 0.0f)).y;
    TestPlaying_Press(play, n, (cl_input_t){.forward = RUNNING, .yaw = yaw});
    TestPlaying_Run(play, 600);
    let_go(play, n, yaw);
    TestPlaying_Run(play, 300);
    return CL_Self(play->net.clients[n], &after) &&
           VectorLength(VectorSubtract(after.origin, before.origin)) > 60.0f;
}

bool TestPlaying_AllPlay(test_playing_t *play, int32_t limit_ms) {
    bool all = false;
    for (int32_t at = 0; at < limit_ms && !all; at += TEST_NET_STEP_MS) {
        step(play);
        all = true;
        for (int32_t i = 0; i < play->net.num_clients; i++) {
            player_state_t self;
            all = all && CL_State(play->net.clients[i]) == CL_ACTIVE &&
                  CL_Self(play->net.clients[i], &self) && self.health == PLAYER_HEALTH;
        }
    }
    for (int32_t i = 0; i < play->net.num_clients && all; i++) {
        all = walks(play, i);
    }
    return all;
}
