// A client that knows no game lists everything on foundry by class, position and state, during a
// capture-the-flag fight with monsters. Its list agrees with the server's, edict by edict.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "core/server_local.h"
#include "game/players.h"
#include "math/angles.h"
#include "state/entity_state.h"
#include "state/shown.h"
#include "world/block.h"
#include "world/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUM_BOTS   8
#define NUM_TICKS  2500     // 40 s
#define CLIENT     NUM_BOTS // the client that lists; it stands and looks
#define NUM_EXTRAS 6

// Kinds of things that the test must have met.
typedef enum { AN_ITEM, A_WEAPON, A_MISSILE, A_MONSTER, A_FLAG, A_CORPSE, A_PLAYER, KINDS } kind_t;

static const char *const kind_names[KINDS] = {"item", "weapon", "missile", "monster",
                                              "flag", "corpse", "player"};

static kind_t kind_of(const char *class, int32_t health) {
    static const struct {
        const char *start;
        kind_t kind;
    } starts[] = {{"item_", AN_ITEM},    {"weapon_", A_WEAPON},  {"missile", A_MISSILE},
                  {"rocket", A_MISSILE}, {"grenade", A_MISSILE}, {"nail", A_MISSILE},
                  {"spike", A_MISSILE},  {"spit", A_MISSILE},    {"ctf_flag", A_FLAG},
                  {"player", A_PLAYER},  {"gib", A_CORPSE}};
    if (strncmp(class, "monster_", 8) == 0) {
        return health > 0 ? A_MONSTER : A_CORPSE;
    }
    for (size_t i = 0; i < COUNTOF(starts); i++) {
        if (strncmp(class, starts[i].start, strlen(starts[i].start)) == 0) {
            return starts[i].kind;
        }
    }
    return KINDS;
}

// ---- the fight ----

static void add_monsters(server_t *server) {
    static const char *const classes[NUM_EXTRAS] = {"monster_dog",    "monster_wizard",
                                                    "monster_ogre",   "monster_crawler",
                                                    "monster_knight", "monster_zombie"};
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    const edict_t *spot = NULL;
    for (int32_t i = 0; i < NUM_EXTRAS; i++) {
        spot = sv.engine->find_class(&sv, spot, "info_player_deathmatch");
        edict_t *monster = SV_SpawnEdict(&sv);
        assert_true(spot && monster);
        monster->origin = VectorAdd(spot->origin, Vector(0.0f, 0.0f, 1.0f));
        monster->classname = sv.engine->string(&sv, classes[i]);
        SV_FindSpawn(server->game.game, classes[i])->spawn(&sv, monster);
    }
}

static void aim(cl_t *cl, int32_t tick) {
    entity_state_t list[MAX_SNAPSHOT_ENTS];
    player_state_t self;
    int32_t count = CL_Entities(cl, list, MAX_SNAPSHOT_ENTS);
    vec3_t best = {0.0f, 0.0f, 0.0f};
    float nearest = INFINITY;
    if (!CL_Self(cl, &self)) {
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        vec3_t at = {(float)list[i].origin[0] / 16.0f, (float)list[i].origin[1] / 16.0f,
                     (float)list[i].origin[2] / 16.0f};
        vec3_t to = VectorSubtract(at, self.origin);
        if (list[i].solid == SOLID_SLIDEBOX && VectorLength(to) < nearest) {
            nearest = VectorLength(to);
            best = to;
        }
    }
    vec3_t angles = VectorAngles(best);
    CL_SetInput(cl,
                &(cl_input_t){.forward = 320.0f,
                              .side = tick / 40 % 2 ? 200.0f : -200.0f,
                              .yaw = angles.y,
                              .pitch = -angles.x,
                              .buttons = (uint8_t)(BUTTON_ATTACK | (tick % 30 ? 0 : BUTTON_JUMP))});
}

static void arm(const server_t *server, int32_t slot) {
    player_fields_t *fields = Game_PlayerFields(World_Client(server->world, slot));
    static const int32_t weapons[3] = {WEAPON_ROCKETS, WEAPON_NAILGUN, WEAPON_GRENADES};
    fields->weapon = weapons[slot % 3];
    fields->weapons |= 1 << fields->weapon;
    fields->ammo[AMMO_ROCKETS] = fields->ammo[AMMO_NAILS] = 100;
}

// ---- the two lists ----

static int32_t field(const cl_t *cl, int32_t number, const char *name) {
    cl_value_t value;
    assert_true(CL_EntityField(cl, number, name, &value));
    return value.number;
}

static void expect_near(vec3_t found, vec3_t expected, const char *class, int32_t number) {
    vec3_t off = VectorSubtract(found, expected);
    if (!(VectorLength(off) < 0.1f)) {
        fail_msg("%s, edict %d: expected at %g %g %g, found at %g %g %g", class, (int)number,
                 (double)expected.x, (double)expected.y, (double)expected.z, (double)found.x,
                 (double)found.y, (double)found.z);
    }
}

static void compare_player(const cl_t *cl, const server_t *server, int32_t slot) {
    client_t *client = World_Client(server->world, slot);
    const player_fields_t *fields = Game_PlayerFields(client);
    cl_value_t weapon, frags, team, flag;
    assert_true(CL_PlayerField(cl, slot, "weapon", &weapon) &&
                CL_PlayerField(cl, slot, CL_ScoreField(cl), &frags) &&
                CL_PlayerField(cl, slot, "team", &team) && CL_PlayerField(cl, slot, "flag", &flag));
    assert_int_equal(weapon.number, fields->weapon);
    assert_int_equal(frags.number, fields->frags);
    assert_int_equal(team.number, fields->team);
    assert_int_equal(flag.number, fields->flag);
    assert_string_equal(CL_PlayerName(cl, slot), client->name);
}

// Compares an entity with its edict. Returns its kind, KINDS for another.
static kind_t compare(const cl_t *cl, const server_t *server, const entity_state_t *entity) {
    edict_t *edict = World_Edict(server->world, entity->number);
    const char *class = World_Text(server->world, edict->classname);
    const fields_t *fields = Game_Fields(edict);
    pose_t pose;
    assert_true(World_IsLive(edict));
    if (!SV_IsVisible(server->world, edict, CLIENT)) {
        assert_string_equal(CL_ClassName(cl, entity), ""); // only sent for prediction
        return KINDS;
    }
    assert_string_equal(CL_ClassName(cl, entity), class);
    assert_int_equal(entity->generation, Shown_Generation(edict->generation, SV_Teleports(edict)));
    assert_int_equal(entity->type, edict->type);
    if (edict->type != ENTITY_BRUSH && edict->solid != SOLID_BSP && entity->contents == 0) {
        int32_t name = server->world->name_ids[NAMES_MODELS][edict->modelindex];
        assert_string_equal(CL_ModelName(cl, entity), World_Text(server->world, name));
        assert_true(kind_of(class, fields->health) == KINDS || CL_ModelName(cl, entity)[0] != '\0');
    }
    assert_int_equal(entity->solid, edict->solid);
    assert_int_equal(entity->effects, edict->effects);
    assert_true(CL_EntityPose(cl, entity->number, CL_ServerTick(cl), 0, &pose));
    expect_near(pose.origin, edict->origin, class, entity->number);
    assert_int_equal(field(cl, entity->number, "health"), fields->health);
    assert_int_equal(field(cl, entity->number, "state"), fields->state);
    assert_int_equal(field(cl, entity->number, "skin"), fields->skin);
    if (edict->flags & FL_CLIENT) {
        compare_player(cl, server, entity->number - 1);
        return A_PLAYER;
    }
    return kind_of(class, fields->health);
}

static void compare_all(const test_net_t *net, int32_t seen[KINDS]) {
    const cl_t *cl = net->clients[CLIENT];
    const server_t *server = net->server;
    entity_state_t list[MAX_SNAPSHOT_ENTS];
    int32_t count = CL_Entities(cl, list, MAX_SNAPSHOT_ENTS);
    int32_t at = 0;
    for (int32_t number = 1; number < server->world->num_edicts; number++) {
        const edict_t *edict = World_Edict(server->world, number);
        bool is_listed = at < count && list[at].number == number;
        if (number == CLIENT + 1) {
            continue; // its own player
        }
        if (World_IsLive(edict) && SV_IsVisible(server->world, edict, CLIENT) && !is_listed) {
            fail_msg("edict %d (%s) is not in the client's list", (int)number,
                     World_Text(server->world, edict->classname));
        }
        if (is_listed) {
            kind_t kind = compare(cl, server, &list[at++]);
            seen[kind < KINDS ? kind : 0] += kind < KINDS ? 1 : 0;
        }
    }
    assert_int_equal(at, count);
}

static void test_both_lists_agree(void **state) {
    (void)state;
    static test_net_t net;
    char path[512];
    err_t err;
    int32_t seen[KINDS] = {0};
    int32_t compared = 0;
    snprintf(path, sizeof path, "%s/maps/foundry.bsp", Test_BuildFolder());
    if (access(path, R_OK) != 0) {
        skip();
    }
    TestNet_Init(&net, &(test_net_config_t){.seed = 13, .max_clients = 16, .map_file = path});
    assert_true(Server_SetCvar(net.server, "g_gametype", "1", &err));
    assert_true(Server_SetCvar(net.server, "g_monsters", "1", &err));
    assert_true(Server_StartMap(net.server, "testmap", &err));
    TestNet_ShowAll(&net);
    for (int32_t i = 0; i <= CLIENT; i++) {
        TestNet_AddClient(&net, i < CLIENT ? "bot" : "lister");
        assert_true(TestNet_WaitActive(&net, 20000));
    }
    add_monsters(net.server);
    uint64_t deferred = 0;
    int64_t last = 0;
    for (int32_t tick = 0; tick < NUM_TICKS;) {
        TestNet_Step(&net);
        const cl_t *cl = net.clients[CLIENT];
        int64_t now = CL_ServerTick(cl);
        if (now == last || now != net.server->world->tick) {
            continue;
        }
        last = now;
        cl_stats_t stats;
        CL_Stats(net.clients[CLIENT], &stats);
        if (stats.deferred_entities == deferred) { // the snapshot has everything
            compare_all(&net, seen);
            compared++;
        }
        deferred = stats.deferred_entities;
        for (int32_t i = 0; i < NUM_BOTS; i++) {
            arm(net.server, i);
            aim(net.clients[i], tick + i);
        }
        tick++;
    }
    for (int32_t i = 0; i < KINDS; i++) {
        print_message("%s %d  ", kind_names[i], (int)seen[i]);
    }
    print_message("in %d snapshots\n", (int)compared);
    assert_true(compared > NUM_TICKS * 9 / 10);
    for (int32_t i = 0; i < KINDS; i++) {
        assert_true(seen[i] > 0);
    }
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_lists_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
