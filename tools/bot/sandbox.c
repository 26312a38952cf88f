#include "bot/sandbox.h"

#include "base/assert.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_PER_HOOK 10000 // instructions; at this interval the hook costs almost nothing
#define MAX_CALLERS    4     // callers that an error message lists

sandbox_t *Sandbox_Of(lua_State *lua) {
    return *(sandbox_t **)lua_getextraspace(lua);
}

/// Allocates memory for Lua (see lua_Alloc) up to a limit. Above the limit, the script fails with
/// "not enough memory".
static void *bounded_alloc(void *context, void *block, size_t old_size, size_t new_size) {
    sandbox_t *box = context;
    size_t old = block ? old_size : 0; // without a block, Lua passes a type in old_size
    ASSERT(box->memory_used >= old);
    if (new_size == 0) {
        free(block);
        box->memory_used -= old;
        return NULL;
    }
    if (new_size > old && new_size - old > box->limits.memory_max - box->memory_used) {
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved) {
        box->memory_used += new_size - old;
    } else if (new_size < old) {
        return block; // Lua requires that shrinking succeeds; the old block is large enough
    }
    return moved;
}

/// Writes "script.lua:12" for the innermost Lua function from `level` outwards. Returns false if
/// there is none.
static bool format_where(lua_State *lua, int level, char *text, size_t size) {
    lua_Debug ar;
    for (; lua_getstack(lua, level, &ar); level++) {
        lua_getinfo(lua, "Sl", &ar);
        if (ar.currentline > 0) {
            snprintf(text, size, "%s:%d", ar.short_src, ar.currentline);
            return true;
        }
    }
    return false;
}

void Sandbox_Where(const sandbox_t *box, lua_State *lua, char *text, size_t size) {
    if (!format_where(lua ? lua : box->thread, 0, text, size)) {
        snprintf(text, size, "%s", box->name);
    }
}

/// Runs as a hook every STEPS_PER_HOOK instructions of any coroutine. Raises an error at steps_max.
static void count_steps(lua_State *lua, lua_Debug *ar) {
    (void)ar;
    sandbox_t *box = Sandbox_Of(lua);
    box->steps += STEPS_PER_HOOK;
    if (box->steps < box->limits.steps_max) {
        return;
    }
    box->overrun = true;
    char where[128];
    Sandbox_Where(box, lua, where, sizeof where);
    lua_pushfstring(lua,
                    "%s: ran %f million instructions without a wait; call bot:wait in the loop",
                    where, (lua_Number)box->limits.steps_max / 1e6);
    lua_error(lua);
}

/// Returns `results`. If the script exceeded steps_max, raises the error again, so that the script
/// cannot catch the error.
static int rethrow_overrun(lua_State *lua, int results) {
    if (Sandbox_Of(lua)->overrun) {
        lua_settop(lua, -1);
        return lua_error(lua);
    }
    return results;
}

static int finish_pcall(lua_State *lua, int status, lua_KContext context) {
    (void)context;
    if (status != LUA_OK && status != LUA_YIELD) {
        if (Sandbox_Of(lua)->overrun) {
            return lua_error(lua);
        }
        lua_pushboolean(lua, 0);
        lua_insert(lua, -2);
        return 2;
    }
    return lua_gettop(lua); // `true` and the results of the called function
}

/// Implements pcall, except that it raises the error for exceeding steps_max again.
static int safe_pcall(lua_State *lua) {
    luaL_checkany(lua, 1);
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    int status = lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, finish_pcall);
    return finish_pcall(lua, status, 0);
}

/// Implements coroutine.resume (the upvalue), except that it raises the error for
/// exceeding steps_max again.
static int safe_resume(lua_State *lua) {
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    return rethrow_overrun(lua, lua_gettop(lua));
}

/// Implements setmetatable (the upvalue), except that __gc is refused: hooks are off in finalizers.
static int safe_setmetatable(lua_State *lua) {
    if (lua_istable(lua, 2)) {
        lua_pushliteral(lua, "__gc");
        if (lua_rawget(lua, 2) != LUA_TNIL) {
            return luaL_error(lua, "setmetatable: __gc (a finalizer) is not available in scripts");
        }
        lua_pop(lua, 1);
    }
    lua_settop(lua, 2);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 2, 1);
    return 1;
}

/// Replaces field `name` of the table on top of the stack by `function`, with the old value as
/// upvalue.
static void wrap_field(lua_State *lua, const char *name, lua_CFunction function) {
    lua_getfield(lua, -1, name);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, name);
}

/// Removes every field that `allowed` lacks from the table on top of the stack. `allowed`: names
/// between blanks.
static void keep_only(lua_State *lua, const char *allowed) {
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        lua_pop(lua, 1);
        char word[32];
        snprintf(word, sizeof word, " %s ", lua_tostring(lua, -1)); // library keys are strings
        if (!strstr(allowed, word)) {
            lua_pushvalue(lua, -1);
            lua_pushnil(lua);
            lua_rawset(lua, -4); // lua_next allows removals during the loop
        }
    }
}

static int open_libraries(lua_State *lua) {
    static const struct {
        const char *name;
        lua_CFunction open;
        const char *allowed;
    } libraries[] = {
        {LUA_GNAME, luaopen_base,
         " _G _VERSION assert error getmetatable ipairs next pairs pcall rawequal rawget rawlen "
         "rawset select setmetatable tonumber tostring type "},
        {LUA_COLIBNAME, luaopen_coroutine, " create isyieldable resume running status wrap yield "},
        {LUA_MATHLIBNAME, luaopen_math,
         " abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger "
         "modf pi rad random randomseed sin sqrt tan tointeger type ult "},
        {LUA_STRLIBNAME, luaopen_string,
         " byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack "
         "upper "},
        {LUA_TABLIBNAME, luaopen_table, " concat insert move pack remove sort unpack "},
    };
    for (size_t i = 0; i < COUNTOF(libraries); i++) {
        luaL_requiref(lua, libraries[i].name, libraries[i].open, 1);
        lua_pop(lua, 1);
    }
    // The global table comes last, because the libraries are found through it.
    for (size_t i = 1; i < COUNTOF(libraries); i++) {
        lua_getglobal(lua, libraries[i].name);
        keep_only(lua, libraries[i].allowed);
        lua_pop(lua, 1);
    }
    lua_pushglobaltable(lua);
    char globals[512];
    snprintf(globals, sizeof globals, "%scoroutine math string table ", libraries[0].allowed);
    keep_only(lua, globals);
    lua_pushcfunction(lua, safe_pcall);
    lua_setfield(lua, -2, "pcall");
    wrap_field(lua, "setmetatable", safe_setmetatable);
    lua_getfield(lua, -1, "coroutine");
    wrap_field(lua, "resume", safe_resume);
    lua_getfield(lua, -2, "math");
    lua_getfield(lua, -1, "randomseed");
    lua_pushinteger(lua, Sandbox_Of(lua)->limits.seed);
    lua_call(lua, 1, 0);
    return 0;
}

static int make_thread(lua_State *lua) {
    sandbox_t *box = Sandbox_Of(lua);
    box->thread = lua_newthread(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, box); // keeps the thread from being collected
    lua_sethook(box->thread, count_steps, LUA_MASKCOUNT, STEPS_PER_HOOK);
    return 0;
}

bool Sandbox_Setup(sandbox_t *box, lua_CFunction function, err_t *err) {
    lua_settop(box->lua, 0);
    lua_pushcfunction(box->lua, function); // a light C function needs no memory
    if (lua_pcall(box->lua, 0, 0, 0) == LUA_OK) {
        return true;
    }
    const char *reason = lua_tostring(box->lua, -1);
    return Err_Set(err, "Lua state: %s", reason ? reason : "unknown error");
}

bool Sandbox_Create(sandbox_t *box, sandbox_limits_t limits, void *owner, err_t *err) {
    *box = (sandbox_t){.limits = limits, .owner = owner};
    box->lua = lua_newstate(bounded_alloc, box);
    if (!box->lua) {
        return Err_Set(err, "Lua state: not enough memory within the limit of %zu bytes",
                       limits.memory_max);
    }
    *(sandbox_t **)lua_getextraspace(box->lua) = box; // Lua copies this space to new coroutines
    if (!Sandbox_Setup(box, open_libraries, err) || !Sandbox_Setup(box, make_thread, err)) {
        Sandbox_Free(box);
        return false;
    }
    return true;
}

bool Sandbox_Load(sandbox_t *box, const char *name, const char *text, size_t size, err_t *err) {
    ASSERT(!box->started);
    const char *slash = strrchr(name, '/');
    snprintf(box->name, sizeof box->name, "%s", slash ? slash + 1 : name);
    char chunk[sizeof box->name + 1];
    snprintf(chunk, sizeof chunk, "@%s", box->name);
    if (luaL_loadbufferx(box->thread, text, size, chunk, "t") == LUA_OK) {
        return true;
    }
    const char *reason = lua_tostring(box->thread, -1);
    bool named = reason && strncmp(reason, box->name, strlen(box->name)) == 0;
    Err_Set(err, "%s%s%s", named ? "" : box->name, named ? "" : ": ",
            reason ? reason : "does not compile");
    lua_settop(box->thread, 0);
    return false;
}

/// Writes the error of a failed resume to `err`, with file, line and callers. Runs no code of the
/// script.
static void describe_error(sandbox_t *box, int status, err_t *err) {
    lua_State *thread = box->thread;
    char where[128], callers[128] = "";
    Sandbox_Where(box, thread, where, sizeof where);
    lua_Debug ar;
    for (int level = 1, named = 0; named < MAX_CALLERS && lua_getstack(thread, level, &ar);
         level++) {
        lua_getinfo(thread, "l", &ar);
        char here[128];
        snprintf(here, sizeof here, "%s:%d", box->name, ar.currentline);
        if (ar.currentline > 0 && strcmp(here, where) != 0) {
            size_t used = strlen(callers);
            snprintf(callers + used, sizeof callers - used, "%s%d", used ? ", " : "",
                     ar.currentline);
            named++;
        }
    }
    const char *reason = "no reason given";
    char text[64];
    if (status == LUA_ERRMEM) {
        snprintf(text, sizeof text, "not enough memory: a script may use %zu KiB",
                 box->limits.memory_max / 1024);
        reason = text;
    } else if (lua_type(thread, -1) == LUA_TSTRING) {
        reason = lua_tostring(thread, -1);
    } else if (lua_gettop(thread) > 0) {
        snprintf(text, sizeof text, "an error value that is a %s", luaL_typename(thread, -1));
        reason = text;
    }
    size_t name_length = strlen(box->name);
    bool named = strncmp(reason, box->name, name_length) == 0 && reason[name_length] == ':';
    Err_Set(err, "%s%s%s%s%s%s", named ? "" : where, named ? "" : ": ", reason,
            *callers ? " (called from line " : "", callers, *callers ? ")" : "");
}

sandbox_result_t Sandbox_Resume(sandbox_t *box, err_t *err) {
    int results = 0;
    box->started = true;
    box->steps = 0;
    int status = lua_resume(box->thread, NULL, 0, &results);
    if (status == LUA_YIELD) {
        lua_pop(box->thread, results);
        return SANDBOX_WAITING;
    }
    if (status == LUA_OK) {
        return SANDBOX_FINISHED;
    }
    describe_error(box, status, err);
    return SANDBOX_FAILED;
}

void Sandbox_Free(sandbox_t *box) {
    if (box->lua) {
        lua_close(box->lua);
        box->lua = NULL;
        box->thread = NULL;
        ASSERT(box->memory_used == 0);
    }
}
