#include "lib/course_fixture.h"

static const char course[] =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-400 0 24\" \"angle\" \"0\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-400 200 24\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-400 -200 24\" }\n"
    "{ \"classname\" \"trigger_push\" \"model\" \"*1\" \"angle\" \"-1\" \"speed\" \"40\" }\n"
    "{ \"classname\" \"trigger_teleport\" \"model\" \"*2\" \"target\" \"back\" }\n"
    "{ \"classname\" \"info_teleport_destination\" \"origin\" \"-300 0 0\" \"angle\" \"90\""
    " \"targetname\" \"back\" }\n"
    "{ \"classname\" \"trigger_multiple\" \"model\" \"*3\" \"message\" \"tripped\" \"wait\" \"1\" "
    "}\n"
    "{ \"classname\" \"trigger_hurt\" \"model\" \"*4\" \"dmg\" \"40\" }\n"
    "{ \"classname\" \"monster_that_nobody_knows\" \"origin\" \"0 0 0\" }\n";

// Places along +x a step, a push pad, a pool and a teleporter; a hurt field beside them.
void TestCourse_Init(test_world_t *test) {
    static const test_block_t blocks[] = {
        {.box = {{-250, -100, 0}, {-200, 100, 16}}, .contents = CONTENTS_SOLID},
        {.box = {{100, -500, 0}, {300, 500, 60}}, .contents = CONTENTS_WATER},
        {.box = {{-100, -64, 0}, {-60, 64, 8}}, .contents = CONTENTS_SOLID, .model = 1},
        {.box = {{400, -500, 0}, {420, 500, 128}}, .contents = CONTENTS_SOLID, .model = 2},
        {.box = {{-330, -500, 0}, {-320, 500, 64}}, .contents = CONTENTS_SOLID, .model = 3},
        {.box = {{-450, 300, 0}, {-350, 400, 64}}, .contents = CONTENTS_SOLID, .model = 4},
    };
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .entities = course};
    TestWorld_Init(test, &map, 4);
}

void TestCourse_Open(test_world_t *test) {
    TestCourse_Init(test);
    TestWorld_Join(test, 0, "ann");
    for (int32_t i = 0; i < 40; i++) {
        TestWorld_Tick(test);
    }
}

usercmd_t TestCourse_Forward(int32_t msec) {
    return (usercmd_t){.msec = (uint8_t)msec, .forward = 400};
}

void TestCourse_Put(test_world_t *test, vec3_t origin) {
    edict_t *edict = World_Edict(test->world, 1);
    edict->origin = origin;
    edict->oldorigin = origin;
    edict->velocity = Vector(0, 0, 0);
}
