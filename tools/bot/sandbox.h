/// bot/sandbox.h - a Lua state that can hurt nobody: bounded memory, bounded instructions between
/// two waits, and no way to files, processes, bytecode or the debug library.
//
// Floor:   tools. Knows nothing of bots.
// Units:   memory in bytes; steps are instructions of the Lua machine.
// Memory:  owns one lua_State; everything in it counts against limits.memory_max.
// Repeat:  math.random is seeded with `seed`. The order of pairs() is Lua's and differs from run to
//          run.
//
// What a script cannot do: run on without waiting (Sandbox_Resume fails at steps_max, and no pcall
// catches that), or keep a finalizer (setmetatable refuses __gc, whose code no hook reaches).
// A single library call (a hostile string pattern) is not counted in steps; edict-bot's watchdog is
// for that.

#ifndef EDICTD_BOT_SANDBOX_H
#define EDICTD_BOT_SANDBOX_H

#include "base/err.h"
#include "base/types.h"

#include <lua.h>

typedef struct {
    size_t memory_max; ///< bytes
    int64_t steps_max; ///< instructions from one resume to the next wait
    int64_t seed;      ///< of math.random
} sandbox_limits_t;

typedef struct {
    lua_State *lua;    ///< the state; NULL when there is none
    lua_State *thread; ///< the script's own coroutine
    sandbox_limits_t limits;
    size_t memory_used;
    int64_t steps;
    bool overrun;  ///< ran out of steps: errors are no longer caught inside
    bool started;  ///< the script has been resumed once
    void *owner;   ///< whose script it is, for functions given to it
    char name[60]; ///< of the script, as in messages
} sandbox_t;

typedef enum {
    SANDBOX_WAITING,  ///< it yielded
    SANDBOX_FINISHED, ///< it ran to its end
    SANDBOX_FAILED    ///< an error; err says "script.lua:LINE: what"
} sandbox_result_t;

/// Makes a state with the safe parts of the base, coroutine, math, string and table libraries.
/// False with the reason when memory_max is too small for it. *box must not move afterwards.
bool Sandbox_Create(sandbox_t *box, sandbox_limits_t limits, void *owner, err_t *err);

/// Calls `function` with nothing on its stack, errors caught; to add globals.
bool Sandbox_Setup(sandbox_t *box, lua_CFunction function, err_t *err);

/// Compiles the script, text only. `name` is what messages call it. False with "name:LINE: reason".
bool Sandbox_Load(sandbox_t *box, const char *name, const char *text, size_t size, err_t *err);

/// Runs the script until it waits, ends or fails.
sandbox_result_t Sandbox_Resume(sandbox_t *box, err_t *err);

/// The sandbox that `lua` (any coroutine of it) belongs to.
sandbox_t *Sandbox_Of(lua_State *lua);

/// Where the script is, "script.lua:12", as seen from a C function it called or while it waits;
/// "script.lua" when it is nowhere.
void Sandbox_Where(const sandbox_t *box, lua_State *lua, char *text, size_t size);

/// Frees it. A zeroed sandbox_t may be freed.
void Sandbox_Free(sandbox_t *box);

#endif
