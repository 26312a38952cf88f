// Tests of bots against a whole server on a simulated network, in virtual time: the Lua calls,
// their errors, and the verdict on how a bot ended.

#include "bot/bot.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define MAX_BOTS   8
#define LIMIT_MS   60000 // of virtual time
#define NOTE_BYTES 4096

static const char *const room_entities =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 0 24\" \"angle\" \"90\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"256 0 24\" \"angle\" \"90\" }\n";

typedef struct {
    test_net_t net;
    bot_t *bots[MAX_BOTS];
    int32_t num_bots;
    int64_t seed;
    meetings_t meetings;
    char notes[NOTE_BYTES];
} stage_t;

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}},
                                .entities = room_entities};

static void note(void *context, int32_t index, const char *text) {
    stage_t *stage = context;
    size_t used = strlen(stage->notes);
    snprintf(stage->notes + used, sizeof stage->notes - used, "%d:%s\n", index, text);
}

static stage_t *open_stage(int32_t max_clients) {
    stage_t *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    const sim_conditions_t clean = {.delay_ms = 5};
    TestNet_Init(&stage->net,
                 &(test_net_config_t){
                     .seed = 1, .conditions = clean, .max_clients = max_clients, .map = &room});
    stage->seed = 1;
    return stage;
}

static void close_stage(stage_t *stage) {
    for (int32_t i = 0; i < stage->num_bots; i++) {
        Bot_Destroy(stage->bots[i]);
        free(stage->bots[i]);
    }
    TestNet_Free(&stage->net);
    free(stage);
}

/// Makes the next bot. Returns false, with the reason, if its script does not compile.
static bool add_bot(stage_t *stage, const char *script, err_t *err) {
    int32_t n = stage->num_bots;
    assert_true(n < MAX_BOTS);
    const netaddr_t address = {0x0a000200u + (uint32_t)n, 4000, 0};
    const bot_config_t config = {.index = n + 1,
                                 .count = MAX_BOTS,
                                 .limit_s = 60,
                                 .seed = stage->seed,
                                 .server = {0x0a000001, 27500, 0},
                                 .net = SimNet_Transport(stage->net.sim, address, 4, false),
                                 .maps = stage->net.maps,
                                 .meetings = &stage->meetings,
                                 .script_name = "scripts/test.lua",
                                 .script = script,
                                 .script_size = strlen(script),
                                 .note = note,
                                 .note_context = stage};
    bot_t *bot = calloc(1, sizeof *bot);
    assert_non_null(bot);
    if (!Bot_Create(bot, &config, err)) {
        free(bot);
        return false;
    }
    stage->bots[stage->num_bots++] = bot;
    return true;
}

static bot_t *add(stage_t *stage, const char *script) {
    err_t err = {""};
    if (!add_bot(stage, script, &err)) {
        fail_msg("%s", err.text);
    }
    return stage->bots[stage->num_bots - 1];
}

static bool step(stage_t *stage) {
    bool all_over = true;
    TestNet_Step(&stage->net);
    for (int32_t i = 0; i < stage->num_bots; i++) {
        Bot_Step(stage->bots[i], stage->net.now_ms);
        all_over = all_over && stage->bots[i]->phase == BOT_OVER;
    }
    return !all_over;
}

static void run_for(stage_t *stage, int64_t ms) {
    for (int64_t end = stage->net.now_ms + ms; stage->net.now_ms < end;) {
        step(stage);
    }
}

static void run(stage_t *stage) {
    for (int64_t end = stage->net.now_ms + LIMIT_MS; step(stage);) {
        assert_true(stage->net.now_ms < end);
    }
}

static void expect_outcome(const bot_t *bot, bot_outcome_t outcome, const char *verdict) {
    if (bot->outcome != outcome || !strstr(bot->verdict, verdict)) {
        fail_msg("expected outcome %d \"%s\", found %d \"%s\" (%d failures, first \"%s\")",
                 (int)outcome, verdict, (int)bot->outcome, bot->verdict, bot->num_failures,
                 bot->failures[0]);
    }
}

/// Runs one script to its end, with a single bot.
static void expect_alone(const char *script, bot_outcome_t outcome, const char *verdict) {
    stage_t *stage = open_stage(4);
    bot_t *bot = add(stage, script);
    run(stage);
    expect_outcome(bot, outcome, verdict);
    close_stage(stage);
}

static void holds(const char *script) {
    expect_alone(script, BOT_PASSED, "");
}

static void a_bot_joins_looks_and_leaves(void **state) {
    (void)state;
    holds("assert(bot:join('anna') == true) bot:wait(10)\n"
          "local s = bot:self()\n"
          "assert(s.name == 'anna' and s.slot == 1 and s.onground and s.health == 100)\n"
          "assert(s.origin.z == s.origin[3] and math.abs(s.origin.z - 24) < 0.1, s.origin.z)\n"
          "assert(math.abs(s.yaw - 90) < 0.1, 'looks as the spawn point does: ' .. s.yaw)\n"
          "assert(#bot:others() == 0 and bot:map() == 'testmap' and bot:tick_ms() == 16)\n"
          "assert(bot.index == 1 and bot.count == 8 and bot.seconds == 60)\n"
          "assert(select(2, bot:map()) and bot:predicted().health == 100)\n"
          "bot:leave() assert(not bot:joined() and not pcall(bot.self, bot))");
    holds("assert(bot:join()) bot:wait(1) assert(bot:self().name == 'bot1')");
    holds("bot:join('g',{spectator=true}) s=bot:self() assert(s.type=='spectator' and not s.dead)");
}

static void keys_are_held_until_changed(void **state) {
    (void)state;
    holds("assert(bot:join('w')) bot:wait(10)\n"
          "bot:move{forward = 1, yaw = 0} bot:wait(40)\n"
          "assert(math.abs(bot:self().velocity.x - 320) < 1, bot:self().velocity.x)\n"
          "bot:move{yaw = 90} bot:wait(40)\n"
          "local v = bot:self().velocity assert(math.abs(v.y - 320) < 1 and math.abs(v.x) < 1)\n"
          "bot:move{forward = 0.5, pitch = 20} bot:wait(40)\n"
          "assert(math.abs(bot:self().speed - 160) < 1 and math.abs(bot:self().pitch - 20) < 0.1)\n"
          "bot:move{} bot:wait(60) assert(bot:self().speed == 0)\n"
          "assert(math.abs(bot:self().yaw - 90) < 0.1, 'the view stays')\n"
          "bot:move{impulse = 1} bot:move{} bot:wait(9) assert(bot:player().fields.weapon == 1)\n"
          "bot:move{jump = true} bot:wait(8) assert(not bot:self().onground)");
    stage_t *stage = open_stage(4);
    err_t err;
    assert_true(Server_SetCvar(stage->net.server, "sv_duckmode", "1", &err));
    bot_t *bot = add(stage, "bot:join() bot:move{duck=true} bot:wait(9) assert(bot:self().ducked)");
    run(stage);
    expect_outcome(bot, BOT_PASSED, "");
    close_stage(stage);
}

static void waits_are_counted_in_server_ticks(void **state) {
    (void)state;
    // Before the join, waits follow the clock.
    holds("bot:wait(10) assert(bot:tick() == 0) assert(bot:join('w'))\n"
          "for n = 0, 30 do local t = bot:tick() bot:wait(n)\n"
          "  local d = bot:tick() - t assert(d >= n and d <= n + 1, d .. ' for ' .. n) end");
}

static void goto_point_arrives_or_says_not(void **state) {
    (void)state;
    holds("assert(bot:join('g')) bot:wait(5)\n"
          "assert(bot:goto_point(-400, 400, 24, 400) == true)\n"
          "local o = bot:self().origin assert(math.abs(o.x + 400) < 17 and math.abs(o.y - 400) < "
          "17)\n"
          "local t = bot:tick() assert(bot:goto_point(900, 0, 24, 200) == false and bot:tick() - t "
          ">= 200)\n"
          "bot:wait(60) assert(bot:self().speed == 0, 'lets go of forward')\n"
          "assert(bot:goto_point(bot:self().origin.x, bot:self().origin.y, 200, 20) == false)");
}

static void bots_see_and_hear_each_other(void **state) {
    (void)state;
    static const char script[] =
        "assert(bot:join('p' .. bot.index)) bot:wait(40)\n"
        "local others = bot:others() assert(#others == 1, #others) local other = others[1]\n"
        "assert(other.class == 'player' and other.model == 'players/player')\n"
        "assert(other.name == 'p' .. 3 - bot.index and other.type == 'player')\n"
        "assert(other.slot == other.number and other.slot ~= bot:self().slot)\n"
        "assert(#bot:entities() > 0 and not bot:ground() and bot:world('no such') == nil)\n"
        "assert(bot:world('mode') == 'deathmatch' and bot:world('time_left') == 0)\n"
        "assert(other.fields.weapon > 1 and bot:player().fields.shells > 0)\n"
        "assert(other.fields.shells == 0 and bot:player().score == 0)\n"
        "assert(bot:player(9) == nil and bot:player(other.slot).name == other.name)\n"
        "assert(bot:say('hello from ' .. bot.index)) bot:wait(20)\n"
        "local heard = {} for _, e in ipairs(bot:events()) do\n"
        "  if e.type == 'chat' then heard[e.name] = e.text assert(e.slot > 0) end end\n"
        "assert(heard.p1 == 'hello from 1' and heard.p2 == 'hello from 2')\n"
        "assert(#bot:events() == 0) bot:wait(20)\n"
        "if bot.index == 1 then bot:set_info('name', 'q') end bot:wait(20)\n"
        "local e = bot:events()[1] assert(e.type == 'info' and e.slot == 1)\n"
        "assert(e.before == 'p1' and e.name == 'q')";
    stage_t *stage = open_stage(4);
    add(stage, script);
    add(stage, script);
    run(stage);
    expect_outcome(stage->bots[0], BOT_PASSED, "");
    expect_outcome(stage->bots[1], BOT_PASSED, "");
    close_stage(stage);
}

static void events_are_bounded(void **state) {
    (void)state;
    stage_t *stage = open_stage(4);
    bot_t *bot = add(stage, "assert(bot:join('deaf')) bot:wait(400) local e, lost = bot:events()\n"
                            "assert(lost >= 44 and bot:stats().events_lost == lost and "
                            "select(2, bot:events()) == 0)\n"
                            "assert(#e == 256 and e[256].text == 'line 300', e[#e].text)");
    run_for(stage, 1000);
    for (int i = 1; i <= 300; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %d", i);
        Server_Say(stage->net.server, line);
        run_for(stage, 8);
    }
    run(stage);
    expect_outcome(bot, BOT_PASSED, "");
    assert_true(bot->events_seen >= 300);
    close_stage(stage);
}

static void wrong_calls_are_errors_with_a_line(void **state) {
    (void)state;
    static const struct {
        const char *script, *error;
    } cases[] = {
        {"bot.wait(1)", "test.lua:1: expected a method call with a colon, bot:wait(...)"},
        {"bot.route(1, 2, 3)", "expected a method call with a colon, bot:route(...)"},
        {"bot:self()", "test.lua:1: bot:self: not joined"},
        {"bot:move{}", "bot:move: not joined"},
        {"bot:others()", "bot:others: not joined"},
        {"bot:say('x')", "bot:say: not joined"},
        {"bot:goto_point(1, 2, 3, 4)", "bot:goto_point: not joined"},
        {"bot:place(1, 2, 3)", "bot:place: not joined"},
        {"bot:meet('', 1)", "bot:meet: expected a name of 1 to 47 bytes, found 0 bytes: \"\""},
        {"bot:meet('lift', 9)", "bot:meet: expected 1..8 bots (option -n), found 9"},
        {"bot:meet('lift', 0)", "bot:meet: expected 1..8 bots (option -n), found 0"},
        {"for i = 1, 65 do bot:meet('m' .. i, 1) end", "\"m65\": at most 64 names are possible"},
        {"coroutine.wrap(function() bot:meet('a', 2) end)()",
         "bot:meet cannot wait inside a coroutine"},
        {"bot:expect_eq(1)", "value expected"},
        {"bot:console('status')", "test.lua:1: bot:console: no control socket"},
        {"assert(bot:join('a'))\nbot:move{impulse = 256}",
         "test.lua:2: bot:move: impulse: expected 0..255, found 256"},
        {"assert(bot:join('a'))\nbot:place(1/0, 0, 0)",
         "bot:place: x: expected a number within +-1e30"},
        {"assert(bot:join('a'))\nbot:place(0, 0, 64)",
         "test.lua:2: bot:place: needs sv_cheats 1 on the server"},
        {"bot:no_such_call()", "test.lua:1: attempt to call a nil value (method 'no_such_call')"},
        {"bot:wait()", "test.lua:1: bad argument #1 to 'wait' (number expected, got no value)"},
        {"bot:wait(-1)", "bot:wait: expected 0..1000000000 ticks, found -1"},
        {"bot:wait(1.5)", "number has no integer representation"},
        {"bot:wait('soon')", "number expected, got string"},
        {"bot:expect()", "value expected"},
        {"bot:random(0)", "bot:random: expected a first number up to the last, found 1..0"},
        {"bot:random(1, 1 << 40)", "expected numbers within -2^31..2^31-1 that are less than"},
        {"assert(bot:join('a'))\nbot:join('a')", "test.lua:2: bot:join: already joined"},
        {"assert(bot:join('a'))\nbot:move(1)", "test.lua:2: bad argument #1 to 'move'"},
        {"assert(bot:join('a'))\nbot:move{foward = 1}", "found \"foward\""},
        {"assert(bot:join('a'))\nbot:move{1}", "expected names, as in {forward=1}, found a list"},
        {"assert(bot:join('a'))\nbot:move{forward = 2}", "forward: expected -1..1 of full speed"},
        {"assert(bot:join('a'))\nbot:move{forward = true}", "number expected, got boolean"},
        {"assert(bot:join('a'))\nbot:move{jump = 1}", "boolean expected, got number"},
        {"assert(bot:join('a'))\nbot:move{yaw = 0/0}", "yaw: expected a number within +-1e30"},
        {"assert(bot:join('a'))\nbot:goto_point(1/0, 0, 0, 9)",
         "x: expected a number within +-1e30"},
        {"assert(bot:join('a'))\nbot:goto_point(1e6, 0, 0, 9)", "expected a point within"},
        {"assert(bot:join('a'))\nbot:goto_point(1, 2, 3)", "bad argument #4"},
        {"coroutine.wrap(function() bot:wait(1) end)()",
         "bot:wait cannot wait inside a coroutine of the script"},
        {"coroutine.wrap(function() bot:join('a') end)()",
         "bot:join cannot wait inside a coroutine"},
        {"while true do end", "ran 10.0 million instructions without a wait"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        expect_alone(cases[i].script, BOT_FAILED, cases[i].error);
    }
}

static void a_script_that_does_not_compile_makes_no_bot(void **state) {
    (void)state;
    stage_t *stage = open_stage(4);
    err_t err = {""};
    assert_false(add_bot(stage, "x = 1\ny = = 2", &err));
    assert_string_equal(err.text, "test.lua:2: unexpected symbol near '='");
    close_stage(stage);
}

static void failed_expects_do_not_stop_a_script(void **state) {
    (void)state;
    stage_t *stage = open_stage(4);
    bot_t *bot = add(stage, "assert(bot:expect(1) == 1)\nassert(bot:expect(nil, 'a') == nil)\n"
                            "for i = 1, 20 do\n  bot:expect(i < 0, 'no ' .. i)\nend\n"
                            "bot:join('a')\nbot:note('done')");
    run(stage);
    expect_outcome(bot, BOT_FAILED, "");
    assert_string_equal(bot->verdict, "");
    assert_int_equal(bot->expects, 22);
    assert_int_equal(bot->expects_failed, 21);
    assert_int_equal(bot->num_failures, BOT_MAX_FAILURES);
    assert_string_equal(bot->failures[0], "test.lua:2: expected: a (not in a map)");
    assert_string_equal(bot->failures[1], "test.lua:4: expected: no 1 (not in a map)");
    assert_string_equal(stage->notes, "1:done\n");
    close_stage(stage);
}

static void failed_expects_show_both_values(void **state) {
    (void)state;
    static const char script[] =
        "bot:expect_eq(1, 1) bot:expect_eq('a', 'a') bot:expect_eq(1, 1.4, 'x', 0.5)\n"
        "bot:expect_eq({x = 1, y = 2, z = 3}, {x = 1, y = 2, z = 3})\n"
        "bot:expect_eq(1, 2, 'frags') bot:expect_eq('1', 1) bot:expect_eq(nil, false, 'b')\n"
        "assert(bot:join('a')) bot:wait(30) local at = bot:self().origin\n"
        "assert(bot:expect_eq(at, {x = at.x, y = 0, z = 24}, 'start', 0.1))\n"
        "assert(not bot:expect_eq(at, {x = 16, y = 16, z = 32}, 'start', 0.1))\n"
        "assert(bot:expect_eq(at, {at.x, 0, 24}, 'list', 0.1))\n"
        "assert(not bot:expect_eq({1, 2, 3}, {1, 2, 4}, 'lists', 0.5))\n"
        "assert(not bot:expect_eq({1, 2, 3, 4}, {1, 2, 3}))\n"
        "bot:note('v ' .. bot:self().velocity) print(bot:self().mins)\n"
        "bot:note(bot:self().maxs) assert(getmetatable(at) == 'vector')";
    stage_t *stage = open_stage(4);
    bot_t *bot = add(stage, script);
    run(stage);
    assert_string_equal(bot->verdict, "");
    assert_int_equal(bot->expects, 12);
    assert_int_equal(bot->expects_failed, 6);
    assert_string_equal(bot->failures[0], "test.lua:3: frags: expected 2, found 1 (not in a map)");
    assert_string_equal(bot->failures[1], "test.lua:3: value: expected 1, found 1 (not in a map)");
    assert_string_equal(bot->failures[2],
                        "test.lua:3: b: expected false, found nil (not in a map)");
    char expected[256];
    int tick = 0;
    float x = 0.0f;
    float z = 0.0f;
    const char *failure = bot->failures[3];
    assert_int_equal(sscanf(strstr(failure, "tick "), "tick %d, at (%f 0 %f)", &tick, &x, &z), 3);
    assert_true(tick > 20);
    assert_true(z > 23.9f);
    assert_true(z < 24.1f);
    snprintf(expected, sizeof expected,
             "test.lua:6: start: expected (16 16 32), found (%g 0 %g) (map testmap, tick %d, at "
             "(%g 0 %g), velocity (0 0 0))",
             (double)x, (double)z, tick, (double)x, (double)z);
    assert_string_equal(failure, expected);
    assert_string_equal(stage->notes, "1:v (0 0 0)\n1:(-16 -16 -24)\n1:(16 16 32)\n");
    close_stage(stage);
}

static void place_needs_cheats_and_space(void **state) {
    (void)state;
    stage_t *stage = open_stage(4);
    err_t err = {""};
    assert_true(Server_SetCvar(stage->net.server, "sv_cheats", "1", &err));
    bot_t *bot = add(stage, "assert(bot:join('a')) bot:wait(5)\n"
                            "bot:place(200, -100, 24.5)\n"
                            "local at = bot:self().origin\n"
                            "bot:expect_eq(at.x, 200) bot:expect_eq(at.y, -100)\n"
                            "local ok, why = pcall(bot.place, bot, 0, 0, -10)\n"
                            "bot:expect(not ok and why:find('inside something solid'), why)");
    run(stage);
    expect_outcome(bot, BOT_PASSED, "");
    close_stage(stage);
}

static void bots_meet(void **state) {
    (void)state;
    stage_t *stage = open_stage(4);
    for (int i = 0; i < 3; i++) {
        add(stage,
            "assert(bot:join()) bot:wait(bot.index * 20)\n"
            "for round = 1, 2 do\n"
            "  bot:note('before ' .. round) bot:meet('lift', 3) bot:note('after ' .. round)\n"
            "end bot:meet('alone', 1)");
    }
    run(stage);
    for (int i = 0; i < 3; i++) {
        expect_outcome(stage->bots[i], BOT_PASSED, "");
    }
    const char *last_before = strstr(stage->notes, "3:before 1");
    const char *first_after = strstr(stage->notes, "after 1");
    assert_true(last_before);
    assert_true(first_after);
    assert_true(last_before < first_after);
    assert_non_null(strstr(strstr(first_after, "1:before 2"), "after 2"));
    close_stage(stage);
}

static void a_meeting_that_fails_says_how_many_came(void **state) {
    (void)state;
    stage_t *stage = open_stage(4);
    add(stage, "assert(bot:join())\nbot:meet('lift', 3, 100)");
    add(stage, "assert(bot:join()) bot:wait(10)\nbot:meet('lift', 3)");
    add(stage, "assert(bot:join()) bot:wait(20)\nbot:meet('lift', 2)");
    int64_t from = stage->net.now_ms;
    run(stage);
    assert_true(stage->net.now_ms - from < BOT_MEET_MS + 2000);
    expect_outcome(stage->bots[0], BOT_FAILED,
                   "test.lua:2: bot:meet: \"lift\": only 2 of 3 bots arrived in time");
    expect_outcome(stage->bots[1], BOT_FAILED,
                   "bot:meet: \"lift\": only 1 of 3 bots arrived in time");
    expect_outcome(stage->bots[2], BOT_FAILED,
                   "bot:meet: \"lift\": other bots wait for 3 bots, this bot for 2; use one count");
    close_stage(stage);
}

static void time_left_counts_down(void **state) {
    (void)state;
    stage_t *stage = open_stage(1);
    bot_t *bot = add(stage, "assert(bot:time_left() == bot.seconds) assert(bot:join('a'))\n"
                            "while bot:time_left() > 50 do bot:wait(10) end\n"
                            "assert(bot:time_left() > 49)");
    run(stage);
    expect_outcome(bot, BOT_PASSED, "");
    assert_true(bot->ended_ms - bot->start_ms >= 10000);
    assert_true(bot->ended_ms - bot->start_ms < 10500);
    close_stage(stage);
}

static void print_is_a_note(void **state) {
    (void)state;
    stage_t *stage = open_stage(4);
    add(stage, "print('a', 1, nil, true) print() bot:note('b\\nc')");
    run(stage);
    assert_string_equal(stage->notes, "1:a 1 nil true\n1:\n1:b\nc\n");
    close_stage(stage);
}

static void a_join_that_fails_cannot_be_overlooked(void **state) {
    (void)state;
    static const struct {
        const char *script;
        bot_outcome_t outcome;
        const char *verdict;
    } cases[] = {
        {"bot:wait(5)", BOT_FAILED, "test.lua: never joined; call bot:join()"},
        {"bot:expect(true)", BOT_FAILED, "test.lua: never joined"},
        {"bot:join('b')", BOT_NOT_CONNECTED, "test.lua: could not join: "},
        {"bot:join('b') bot:wait(1)", BOT_NOT_CONNECTED, "could not join: "},
        {"assert(bot:join('b'))", BOT_NOT_CONNECTED, "test.lua:1: "},
        {"bot:join('b') bot:move{}", BOT_NOT_CONNECTED, "bot:move: not joined: "},
        {"local ok, why = bot:join('b') bot:expect(not ok and #why > 3, 'full')", BOT_PASSED, ""},
        {"bot:expect(bot:join('b'), 'joins')", BOT_FAILED, ""},
        // Bot 1 leaves after 100 ticks.
        {"while not bot:join('b') do bot:wait(20) end bot:wait(5)", BOT_PASSED, ""},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        stage_t *stage = open_stage(1);
        add(stage, "assert(bot:join('a')) bot:wait(100) bot:leave()");
        run_for(stage, 500);
        bot_t *bot = add(stage, cases[i].script);
        run(stage);
        expect_outcome(stage->bots[0], BOT_PASSED, "");
        expect_outcome(bot, cases[i].outcome, cases[i].verdict);
        close_stage(stage);
    }
}

static void no_server_is_a_failed_join(void **state) {
    (void)state;
    stage_t *stage = open_stage(1);
    SimNet_SetConditions(stage->net.sim, (sim_conditions_t){.loss = 1.0f});
    bot_t *bot = add(stage, "bot:join('b')");
    run(stage);
    expect_outcome(bot, BOT_NOT_CONNECTED, "could not join: ");
    assert_true(stage->net.now_ms <= BOT_JOIN_MS + 1000);
    close_stage(stage);
}

static void a_drop_is_an_error_at_the_next_wait(void **state) {
    (void)state;
    static const struct {
        const char *script;
        bot_outcome_t outcome;
        const char *verdict;
    } cases[] = {
        {"assert(bot:join('a')) bot:wait(10000)", BOT_FAILED, "test.lua:1: dropped: "},
        {"assert(bot:join('a'))\nbot:goto_point(900, 0, 24, 10000)", BOT_FAILED,
         "test.lua:2: dropped: "},
        {"assert(bot:join('a')) local ok, why = pcall(bot.wait, bot, 10000)\n"
         "bot:expect(not ok and why:find('dropped: .*naughty') and not bot:joined(), why)\n"
         "local list = bot:events() local last = list[#list] bot:expect(last.type == 'dropped' and "
         "last.text:find('naughty'), 'heard it')\n"
         "bot:expect(bot:join('a') and bot:self().name == 'a', 'and may come back')",
         BOT_PASSED, ""},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        stage_t *stage = open_stage(1);
        bot_t *bot = add(stage, cases[i].script);
        run_for(stage, 1000);
        assert_true(bot->joined);
        assert_true(Server_Kick(stage->net.server, 0, "naughty"));
        run(stage);
        expect_outcome(bot, cases[i].outcome, cases[i].verdict);
        close_stage(stage);
    }
}

static void a_new_map_in_mid_wait(void **state) {
    (void)state;
    stage_t *stage = open_stage(2);
    bot_t *bot = add(stage, "assert(bot:join('a')) local t = bot:tick() bot:wait(100)\n"
                            "bot:note('waited') assert(bot:self().health == 100)\n"
                            "local n = 0 for _, e in ipairs(bot:events()) do\n"
                            "  n = n + (e.type == 'map' and 1 or 0) end assert(n == 2, n)");
    run_for(stage, 1000);
    err_t err = {""};
    TestNet_WriteMap(&stage->net, &room, "second");
    assert_true(Server_StartMap(stage->net.server, "second", &err));
    int64_t from = stage->net.now_ms;
    run(stage);
    expect_outcome(bot, BOT_PASSED, "");
    assert_string_equal(stage->notes, "1:waited\n");
    assert_true(stage->net.now_ms - from < 3000); // the wait did not start again
    close_stage(stage);
}

static void stopping_says_where_it_stood(void **state) {
    (void)state;
    stage_t *stage = open_stage(1);
    bot_t *bot = add(stage, "assert(bot:join('a'))\n\nbot:wait(100000)");
    run_for(stage, 1000);
    Bot_Stop(bot, "still running after 1 s");
    expect_outcome(bot, BOT_FAILED, "test.lua:3: still running after 1 s");
    run(stage);
    run_for(stage, 500);
    assert_int_equal(Server_NumClients(stage->net.server), 0); // the bot said goodbye
    close_stage(stage);
}

static void same_seed_same_dice(void **state) {
    (void)state;
    static const char script[] = "bot:note(bot:random(1000000) .. ' ' .. math.random(1000000))";
    char notes[3][NOTE_BYTES];
    for (int i = 0; i < 3; i++) {
        stage_t *stage = open_stage(1);
        stage->seed = i < 2 ? 7 : 8;
        add(stage, script);
        add(stage, script);
        run(stage);
        memcpy(notes[i], stage->notes, NOTE_BYTES);
        close_stage(stage);
    }
    assert_string_equal(notes[0], notes[1]);
    assert_string_not_equal(notes[0], notes[2]);
    const char *second = strchr(notes[0], '\n') + 1;
    // Each bot has its own random numbers.
    assert_int_not_equal(strncmp(notes[0] + 2, second + 2, 4), 0);
    holds("assert(bot:join('a'))\n"
          "local n, lo, hi = 0, 9, 0 for _ = 1, 1000 do local r = bot:random(3, 8)\n"
          " lo, hi = math.min(lo, r), math.max(hi, r) n = n + bot:random() end\n"
          "assert(lo == 3 and hi == 8 and n > 450 and n < 550)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bot_joins_looks_and_leaves),
        cmocka_unit_test(keys_are_held_until_changed),
        cmocka_unit_test(waits_are_counted_in_server_ticks),
        cmocka_unit_test(goto_point_arrives_or_says_not),
        cmocka_unit_test(bots_see_and_hear_each_other),
        cmocka_unit_test(events_are_bounded),
        cmocka_unit_test(wrong_calls_are_errors_with_a_line),
        cmocka_unit_test(a_script_that_does_not_compile_makes_no_bot),
        cmocka_unit_test(failed_expects_do_not_stop_a_script),
        cmocka_unit_test(failed_expects_show_both_values),
        cmocka_unit_test(place_needs_cheats_and_space),
        cmocka_unit_test(bots_meet),
        cmocka_unit_test(a_meeting_that_fails_says_how_many_came),
        cmocka_unit_test(time_left_counts_down),
        cmocka_unit_test(print_is_a_note),
        cmocka_unit_test(a_join_that_fails_cannot_be_overlooked),
        cmocka_unit_test(no_server_is_a_failed_join),
        cmocka_unit_test(a_drop_is_an_error_at_the_next_wait),
        cmocka_unit_test(a_new_map_in_mid_wait),
        cmocka_unit_test(stopping_says_where_it_stood),
        cmocka_unit_test(same_seed_same_dice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
