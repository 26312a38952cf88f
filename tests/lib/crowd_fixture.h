/// crowd_fixture.h - bots that walk through maps/sight.map, and exact lines of sight between them.
//
// The bots are clients of net_fixture.h. A line is clear if the world and the doors do not cut it;
// grates and the map's visibility do not count.

#ifndef EDICTD_TESTS_CROWD_FIXTURE_H
#define EDICTD_TESTS_CROWD_FIXTURE_H

#include "base/rng.h"
#include "collide/cmap.h"
#include "lib/net_fixture.h"

#define CROWD_BOTS    32
#define CROWD_DOORS   32
#define CROWD_EXITS   16
#define CROWD_HISTORY 64 // ticks
#define CROWD_STEP_MS 16

typedef bool crowd_send_fn(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                           const void *data, size_t size);

typedef struct {
    const char *map; ///< file, or name of one of maps/; NULL = sight
    int32_t bots, delay_ms;
    uint64_t seed;
    crowd_send_fn *tap; ///< receives all that the server sends; calls crowd->send. NULL = none
} crowd_config_t;

/// A player in a tick.
typedef struct {
    bool is_in, is_spectator, lives;
    int32_t view; ///< slot whose view the client receives
    int32_t team;
    vec3_t origin, velocity, mins, maxs;
    int64_t put_tick; ///< tick in which it was last put to another place
} crowd_player_t;

/// A brush model that blocks sight.
typedef struct {
    int32_t number; ///< of its edict
    cm_object_t object;
    bool moves;
} crowd_door_t;

/// A teleporter, and where it takes players.
typedef struct {
    bounds_t trigger;
    vec3_t origin; ///< of the player, after that
} crowd_exit_t;

/// The world in a tick.
typedef struct {
    int64_t tick;
    crowd_player_t players[CROWD_BOTS];
    crowd_door_t doors[CROWD_DOORS];
    int32_t num_doors;
} crowd_scene_t;

typedef struct {
    test_net_t net;
    cmap_t map;
    rng_t rng;
    crowd_exit_t exits[CROWD_EXITS];
    int32_t num_exits;
    float yaws[CROWD_BOTS];
    bool shoots;
    bool stands;                         ///< the test sets the inputs
    crowd_send_fn *send;                 ///< the transport's, with a tap
    crowd_scene_t scenes[CROWD_HISTORY]; ///< by tick % CROWD_HISTORY
} test_crowd_t;

/// Starts a server and joins the bots. Returns false and prints why if the map is missing.
bool TestCrowd_Start(test_crowd_t *crowd, const crowd_config_t *config);

/// Runs a tick: the network, the server, the inputs of the bots.
void TestCrowd_Step(test_crowd_t *crowd);

/// Stores the scene of the last tick, if that was not done, and returns it.
const crowd_scene_t *TestCrowd_Note(test_crowd_t *crowd);

/// Returns the scene of a tick, or NULL if it is too old.
const crowd_scene_t *TestCrowd_Scene(const test_crowd_t *crowd, int64_t tick);

/// Returns true if nothing cuts a line. `moving`: doors that move cut it, too.
bool TestCrowd_IsClear(const test_crowd_t *crowd, const crowd_scene_t *scene, vec3_t from,
                       vec3_t to, bool moving);

/// Returns true if a line from an eye to the middle of a box or to one of its corners is clear.
/// `moving`: as above.
bool TestCrowd_SeesBox(const test_crowd_t *crowd, const crowd_scene_t *scene, vec3_t eye,
                       bounds_t box, bool moving);

/// Returns the eye of a player at an origin.
vec3_t TestCrowd_Eye(vec3_t origin);

void TestCrowd_Free(test_crowd_t *crowd);

#endif
