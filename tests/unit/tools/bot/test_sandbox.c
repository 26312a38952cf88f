// Tests of the sandbox: functions that scripts may use, functions they may not, and scripts that
// try to hang or kill the program.

#include "bot/sandbox.h"

#include <lauxlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MEMORY (1024u * 1024)
#define STEPS  200000

/// Yields to the program, like bot:wait.
static int yield_here(lua_State *lua) {
    return lua_yield(lua, 0);
}

static int add_yield(lua_State *lua) {
    lua_pushcfunction(lua, yield_here);
    lua_setglobal(lua, "wait");
    return 0;
}

static void make(sandbox_t *box) {
    err_t err = {""};
    if (!Sandbox_Create(box, (sandbox_limits_t){MEMORY, STEPS, 7}, NULL, &err) ||
        !Sandbox_Setup(box, add_yield, &err)) {
        fail_msg("%s", err.text);
    }
}

/// Runs a script through all its waits (at most 1,000).
static sandbox_result_t run(const char *text, err_t *err) {
    sandbox_t box;
    make(&box);
    *err = (err_t){""};
    sandbox_result_t result = SANDBOX_FAILED;
    if (Sandbox_Load(&box, "dir/test.lua", text, strlen(text), err)) {
        int32_t resumes = 0;
        do {
            result = Sandbox_Resume(&box, err);
        } while (result == SANDBOX_WAITING && ++resumes < 1000);
    }
    Sandbox_Free(&box);
    return result;
}

static void expect_holds(const char *text) {
    err_t err;
    if (run(text, &err) != SANDBOX_FINISHED) {
        fail_msg("%s: expected it to finish, found \"%s\"", text, err.text);
    }
}

/// Expects an error that starts with `start` (file and line) and contains `what`.
static void expect_error(const char *text, const char *start, const char *what) {
    err_t err;
    sandbox_result_t result = run(text, &err);
    if (result != SANDBOX_FAILED || strncmp(err.text, start, strlen(start)) != 0 ||
        !strstr(err.text, what)) {
        fail_msg("%s: expected \"%s ... %s\", found result %d \"%s\"", text, start, what,
                 (int)result, err.text);
    }
}

static void runs_scripts(void **state) {
    (void)state;
    expect_holds("");
    expect_holds("local t = {} for i = 1, 100 do t[i] = i * i end assert(#t == 100)");
    expect_holds("wait() wait() local ok, e = pcall(error, 'x') assert(not ok and e == 'x')");
    expect_holds("assert(select('#', pcall(function() return 1, nil, nil end)) == 4)");
    expect_holds("local ok, a = pcall(function() wait() return 5 end) assert(ok and a == 5)");
    expect_holds(
        "local ok, e = pcall(function() wait() error({1}) end) assert(not ok and e[1] == 1)");
    expect_holds("local c = coroutine.wrap(function(a) local b = coroutine.yield(a + 1)"
                 " return b * 2 end) assert(c(1) == 2 and c(5) == 10)");
    expect_holds("local c = coroutine.create(function() error('no', 0) end)"
                 " local ok, e = coroutine.resume(c) assert(not ok and e == 'no')");
    expect_holds("local m = setmetatable({}, {__index = function(_, k) return k .. '!' end})"
                 " assert(m.a == 'a!' and getmetatable(m).__index)");
    expect_holds("assert(string.format('%5.1f', math.pi) == '  3.1' and ('x'):rep(3) == 'xxx')");
    expect_holds("local t = {3, 1, 2} table.sort(t) assert(table.concat(t, ',') == '1,2,3')");
}

// Tests the whole list: a new library function that appears by itself fails the test.
static void offers_exactly_these_globals(void **state) {
    (void)state;
    expect_holds(
        "local allowed = {}\n"
        "for w in ([[_G _VERSION assert error getmetatable ipairs next pairs pcall rawequal rawget"
        "  rawlen rawset select setmetatable tonumber tostring type coroutine math string table"
        "  wait]]):gmatch('%S+') do allowed[w] = true end\n"
        "for k in pairs(_G) do assert(allowed[k], k) allowed[k] = nil end\n"
        "assert(next(allowed) == nil, next(allowed))");
    expect_holds("for _, n in ipairs{'io', 'os', 'debug', 'package', 'require', 'load', 'dofile',"
                 " 'loadfile', 'loadstring', 'collectgarbage', 'xpcall', 'warn', 'utf8', 'print'}"
                 " do assert(_G[n] == nil, n) end");
    expect_holds("assert(string.dump == nil and ('').dump == nil and coroutine.close == nil)");
}

static void names_file_and_line(void **state) {
    (void)state;
    expect_error("x = = 1", "test.lua:1:", "unexpected symbol");
    expect_error("\n\nlocal a\na.b = 1", "test.lua:4:", "index a nil value");
    expect_error("\nerror('oh')", "test.lua:2: oh", "oh");
    expect_error("\nerror('oh', 0)", "test.lua:2: oh", "oh");
    expect_error("\n\nerror({})", "test.lua:3:", "an error value that is a table");
    expect_error("error()", "test.lua:1:", "an error value that is a nil");
    expect_error("error(setmetatable({}, {__tostring = function() while true do end end}))",
                 "test.lua:1:", "an error value that is a table");
    expect_error("local function f()\n error('deep')\nend\n\nf()", "test.lua:2: deep",
                 "(called from line 5)");
    expect_error("wait()\nwait()\nassert(false, 'late')", "test.lua:3: late", "late");
    expect_error("string.rep()", "test.lua:1:", "bad argument");
}

static void refuses_bytecode(void **state) {
    (void)state;
    // The text is a valid header of a Lua 5.4 binary, and nothing else: only text is ever parsed.
    expect_error("\x1bLuaT", "test.lua:", "attempt to load a binary chunk");
    expect_error("#!/usr/bin/lua\nx = 1", "test.lua:1:", "unexpected symbol");
}

static void stops_what_never_waits(void **state) {
    (void)state;
    static const char *const scripts[] = {
        "while true do end",
        "repeat until false",
        "::a:: goto a",
        "for i = 1, math.huge do end",
        "local function f() return f() end f()",
        "while true do pcall(function() while true do end end) end",
        "local function f(n) while true do if n > 0 then pcall(f, n - 1) end end end f(50)",
        "pcall(pcall, function() while true do end end) while true do end",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "while true do pcall(coroutine.wrap(function() while true do end end)) end",
        "local function f() local c = coroutine.wrap(f) pcall(c) end while true do f() end",
        "local t = setmetatable({}, {__index = function(t, k) while true do end end}) "
        "while true do pcall(function() return t.x end) end",
        "table.sort({1, 2, 3}, function() while true do end end)",
        "local t <close> = setmetatable({}, {__close = function() while true do end end})"
        " while true do end",
        "('x'):rep(10):gsub('.', function() while true do end end)",
        "tostring(setmetatable({}, {__tostring = function() while true do end end}))",
        "wait() while true do end",
    };
    for (size_t i = 0; i < COUNTOF(scripts); i++) {
        expect_error(scripts[i], "test.lua:1: ran 0.2 million instructions without a wait", "");
    }
}

// Tests that each wait gives a new budget: a script may run for ever if it waits.
static void waiting_gives_a_new_budget(void **state) {
    (void)state;
    expect_holds("for i = 1, 100 do for j = 1, 10000 do end wait() end");
    err_t err;
    assert_int_equal(run("while true do wait() end", &err), SANDBOX_WAITING);
}

static void bounds_memory(void **state) {
    (void)state;
    static const char *const scripts[] = {
        "local s = string.rep('x', 1 << 30)",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} for i = 1, 1e9 do t[i] = i end",
        "local t = {} while true do t = {t} end",
        "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
        "local t = table.pack(string.byte(('x'):rep(200000), 1, -1))",
        "local a = ('x'):rep(500000) local b = a:gsub('x', 'yyyyyyyy')",
        "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
    };
    for (size_t i = 0; i < COUNTOF(scripts); i++) {
        err_t err;
        sandbox_result_t result = run(scripts[i], &err);
        bool memory = strstr(err.text, "not enough memory: a script may use 1024 KiB") != NULL;
        bool stack = strstr(err.text, "string slice too long") != NULL;
        if (result != SANDBOX_FAILED || !(memory || stack) ||
            strncmp(err.text, "test.lua:1:", 11) != 0) {
            fail_msg("%s: expected a memory error, found result %d \"%s\"", scripts[i], (int)result,
                     err.text);
        }
    }
    // A script that frees its memory continues, and so does a script that catches the error.
    expect_holds("for i = 1, 100 do local s = ('x'):rep(500000) end");
    expect_holds("local ok = pcall(string.rep, 'x', 1 << 30) assert(not ok) wait()");
}

static void bounds_recursion(void **state) {
    (void)state;
    // Lua's stack grows until the memory is used up.
    expect_error("local function f() return 1 + f() end f()", "test.lua:1:", "not enough memory");
    expect_error("local f f = function() return ('x'):gsub('x', f) end f()",
                 "test.lua:1:", "stack overflow");
    char text[600] = "return ";
    for (size_t n = strlen(text); n < sizeof text - 1; n++) {
        text[n] = '(';
    }
    expect_error(text, "test.lua: C stack overflow", ""); // the parser gives no line number
}

static void refuses_finalizers(void **state) {
    (void)state;
    expect_error("setmetatable({}, {__gc = function() while true do end end})",
                 "test.lua:1:", "__gc (a finalizer) is not available");
    expect_error("setmetatable({}, {__gc = true})",
                 "test.lua:1:", "__gc (a finalizer) is not available");
    // Set later, __gc is only a field, because Lua looks for it when the metatable is set.
    expect_holds("local m = {} for i = 1, 1000 do setmetatable({}, m) end"
                 " m.__gc = function() while true do end end"
                 " for i = 1, 10 do local s = ('x'):rep(500000) end");
    expect_error("local t = setmetatable({}, {__metatable = 1}) setmetatable(t, {})",
                 "test.lua:1:", "cannot change a protected metatable");
    expect_error("setmetatable(1, {})", "test.lua:1:", "bad argument #1");
}

static void seeds_are_repeatable(void **state) {
    (void)state;
    expect_holds("assert(math.random(1 << 30) == math.random(1 << 30) == false)");
    char texts[2][64];
    for (int i = 0; i < 2; i++) {
        sandbox_t box;
        err_t err = {""};
        static const char script[] = "error(tostring(math.random(1 << 60)), 0)";
        make(&box);
        assert_true(Sandbox_Load(&box, "r", script, strlen(script), &err));
        assert_int_equal(Sandbox_Resume(&box, &err), SANDBOX_FAILED);
        snprintf(texts[i], sizeof texts[i], "%.63s", err.text);
        Sandbox_Free(&box);
    }
    assert_string_equal(texts[0], texts[1]);
}

static void tells_where_it_waits(void **state) {
    (void)state;
    sandbox_t box;
    err_t err = {""};
    char where[64];
    static const char script[] = "local function f()\n  wait()\nend\nf()\nwait()";
    make(&box);
    assert_true(Sandbox_Load(&box, "w.lua", script, strlen(script), &err));
    Sandbox_Where(&box, NULL, where, sizeof where);
    assert_string_equal(where, "w.lua");
    assert_int_equal(Sandbox_Resume(&box, &err), SANDBOX_WAITING);
    Sandbox_Where(&box, NULL, where, sizeof where);
    assert_string_equal(where, "w.lua:2");
    assert_int_equal(Sandbox_Resume(&box, &err), SANDBOX_WAITING);
    Sandbox_Where(&box, NULL, where, sizeof where);
    assert_string_equal(where, "w.lua:5");
    assert_int_equal(Sandbox_Resume(&box, &err), SANDBOX_FINISHED);
    Sandbox_Free(&box);
}

// Tests every memory limit: making a sandbox either works or fails with a reason, without leaks
// (ASan).
static void every_memory_limit_is_survived(void **state) {
    (void)state;
    int32_t made = 0;
    for (size_t limit = 0; limit < 64 * 1024; limit += 61) {
        sandbox_t box;
        err_t err = {""};
        if (!Sandbox_Create(&box, (sandbox_limits_t){limit, STEPS, 0}, NULL, &err)) {
            assert_non_null(strstr(err.text, "not enough memory"));
            assert_null(box.lua);
            continue;
        }
        made++;
        static const char script[] = "local t = {} for i = 1, 100 do t[i] = {i} end";
        if (Sandbox_Load(&box, "m.lua", script, strlen(script), &err)) {
            (void)Sandbox_Resume(&box, &err);
        } else {
            assert_non_null(strstr(err.text, "not enough memory"));
        }
        assert_true(box.memory_used <= limit);
        Sandbox_Free(&box);
    }
    assert_in_range(made, 100, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_scripts),           cmocka_unit_test(offers_exactly_these_globals),
        cmocka_unit_test(names_file_and_line),    cmocka_unit_test(refuses_bytecode),
        cmocka_unit_test(stops_what_never_waits), cmocka_unit_test(waiting_gives_a_new_budget),
        cmocka_unit_test(bounds_memory),          cmocka_unit_test(bounds_recursion),
        cmocka_unit_test(refuses_finalizers),     cmocka_unit_test(seeds_are_repeatable),
        cmocka_unit_test(tells_where_it_waits),   cmocka_unit_test(every_memory_limit_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
