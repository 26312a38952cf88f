/// playing_fixture.h - clients of net_fixture.h that play: walk, shoot, and keep the text they
/// received. They know the world only from their snapshots.

#ifndef EDICTD_TESTS_PLAYING_FIXTURE_H
#define EDICTD_TESTS_PLAYING_FIXTURE_H

#include "game/game.h"
#include "lib/net_fixture.h"

#define PLAYING_CLIENTS    8
#define PLAYING_HEARD_SIZE 16384

typedef struct {
    test_net_t net;
    char heard[PLAYING_CLIENTS][PLAYING_HEARD_SIZE]; ///< prints, one per line
    int32_t maps[PLAYING_CLIENTS];                   ///< number of MAP messages
    int32_t drops;                                   ///< disconnects of any client
} test_playing_t;

/// Runs `ms`; keeps received text.
void TestPlaying_Run(test_playing_t *play, int32_t ms);

/// Runs until client `n` receives a line that contains `text`; returns false after limit_ms.
bool TestPlaying_WaitFor(test_playing_t *play, int32_t n, const char *text, int32_t limit_ms);

/// Returns how many lines with `text` client n received since the last Forget.
int32_t TestPlaying_Heard(const test_playing_t *play, int32_t n, const char *text);
void TestPlaying_Forget(test_playing_t *play);

/// Sets the input that client n holds. Yaw is in map space; teleporters do not change it.
void TestPlaying_Press(test_playing_t *play, int32_t n, cl_input_t input);

/// Walks straight to a spot and stops. Returns false if the client is not there after limit_ms.
bool TestPlaying_Goto(test_playing_t *play, int32_t n, float x, float y, int32_t limit_ms);

/// Turns to the place where `victim` is seen and shoots until it is dead. Returns false after
/// limit_ms.
bool TestPlaying_Kill(test_playing_t *play, int32_t n, int32_t victim, int32_t limit_ms);

/// Writes the origin of an edict as client n sees it. Returns false if it does not see it.
bool TestPlaying_Sees(const test_playing_t *play, int32_t n, int32_t number, vec3_t *origin);

/// Presses a button until the player is alive. Returns false after limit_ms.
bool TestPlaying_Respawn(test_playing_t *play, int32_t n, int32_t limit_ms);

/// Returns the client of this slot in the running world.
client_t *TestPlaying_Client(const test_playing_t *play, int32_t n);

/// Returns a stat of the game as client n knows it. Aborts if there is no stat of that name.
int32_t TestPlaying_Stat(const test_playing_t *play, int32_t n, int32_t about, const char *name);

/// Waits until all clients are active, see themselves alive with full health, and have walked away
/// from the middle.
bool TestPlaying_AllPlay(test_playing_t *play, int32_t limit_ms);

#endif
