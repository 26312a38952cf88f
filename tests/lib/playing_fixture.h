/// test_playing.h - clients of test_net.h who play: they walk somewhere, shoot somebody, and keep
/// what they were told. All they know of the world they have from their snapshots.

#ifndef EDICTD_TESTS_TEST_PLAYING_H
#define EDICTD_TESTS_TEST_PLAYING_H

#include "game/game.h"
#include "lib/net_fixture.h"

#define PLAYING_CLIENTS    8
#define PLAYING_HEARD_SIZE 16384

typedef struct {
    test_net_t net;
    char heard[PLAYING_CLIENTS][PLAYING_HEARD_SIZE]; ///< prints, a line each
    int32_t maps[PLAYING_CLIENTS];                   ///< maps that began for him
    int32_t drops;                                   ///< of anybody
} test_playing_t;

/// Time; what is heard is kept.
void TestPlaying_Run(test_playing_t *play, int32_t ms);

/// Runs until client `n` was told a line with that text in it; false after limit_ms.
bool TestPlaying_WaitFor(test_playing_t *play, int32_t n, const char *text, int32_t limit_ms);

/// How many lines with that text client n was told since the last Forget.
int32_t TestPlaying_Heard(const test_playing_t *play, int32_t n, const char *text);
void TestPlaying_Forget(test_playing_t *play);

/// What he holds pressed from now on; the yaw is the map's, whatever teleports turned him by.
void TestPlaying_Press(test_playing_t *play, int32_t n, cl_input_t input);

/// He walks straight to a place, and stands. False when he is not there after limit_ms.
bool TestPlaying_Goto(test_playing_t *play, int32_t n, float x, float y, int32_t limit_ms);

/// He turns to where `victim` is seen and shoots until that one is dead. False after limit_ms.
bool TestPlaying_Kill(test_playing_t *play, int32_t n, int32_t victim, int32_t limit_ms);

/// Where he sees an edict, by its number. False when he does not.
bool TestPlaying_Sees(const test_playing_t *play, int32_t n, int32_t number, vec3_t *origin);

/// He presses a key until he lives. False after limit_ms.
bool TestPlaying_Respawn(test_playing_t *play, int32_t n, int32_t limit_ms);

/// The client of his slot, in the world that runs.
client_t *TestPlaying_Client(const test_playing_t *play, int32_t n);

/// A number of the game, as client n knows it. Aborts when there is none of that name.
int32_t TestPlaying_Stat(const test_playing_t *play, int32_t n, int32_t about, const char *name);

/// All are active, see themselves alive with full health, and can walk away from the middle: the
/// map works for them.
bool TestPlaying_AllPlay(test_playing_t *play, int32_t limit_ms);

#endif
