/// bot/sandbox.h - runs a Lua script with limited memory and time, and without access to files or
/// processes.
//
// Units:   memory in bytes; steps are Lua instructions.
// Memory:  owns one lua_State, which allocates at most limits.memory_max.
// Repeat:  the order of pairs() differs between runs.
//
// A script that never waits fails after steps_max instructions. pcall cannot catch that error.
// Scripts cannot set finalizers (__gc). steps_max does not limit a library call, the watchdog does.

#ifndef EDICTD_BOT_SANDBOX_H
#define EDICTD_BOT_SANDBOX_H

#include "base/err.h"
#include "base/types.h"

#include <lua.h>

typedef struct {
    size_t memory_max; ///< bytes that the state may allocate
    int64_t steps_max; ///< instructions from one resume to the next wait
    int64_t seed;      ///< seed of math.random
} sandbox_limits_t;

typedef struct {
    lua_State *lua;    ///< the state; NULL if there is none
    lua_State *thread; ///< coroutine that runs the script
    sandbox_limits_t limits;
    size_t memory_used;
    int64_t steps;
    bool overrun;  ///< steps_max was exceeded; pcall no longer catches errors
    bool started;  ///< the script has been resumed at least once
    void *owner;   ///< pointer for the caller's use
    char name[60]; ///< name of the script in messages
} sandbox_t;

typedef enum {
    SANDBOX_WAITING,  ///< the script waits: it yielded
    SANDBOX_FINISHED, ///< the script ended
    SANDBOX_FAILED    ///< the script raised an error; err has "script.lua:LINE: REASON"
} sandbox_result_t;

/// Creates a Lua state with the safe library functions. Do not move *box afterwards. Returns false
/// if memory_max is too small.
bool Sandbox_Create(sandbox_t *box, sandbox_limits_t limits, void *owner, err_t *err);

/// Calls `function` to add globals to the Lua state. Returns false if `function` raises an error.
bool Sandbox_Setup(sandbox_t *box, lua_CFunction function, err_t *err);

/// Compiles a script. `name` appears in messages. Returns false if the text has a syntax error or
/// is bytecode.
bool Sandbox_Load(sandbox_t *box, const char *name, const char *text, size_t size, err_t *err);

/// Runs the script until it waits, ends or raises an error.
sandbox_result_t Sandbox_Resume(sandbox_t *box, err_t *err);

/// Returns the sandbox of a Lua state or coroutine.
sandbox_t *Sandbox_Of(lua_State *lua);

/// Writes the script's current line as "script.lua:12", or "script.lua" if the script does not run.
/// `lua`: state of the running C function; NULL while the script waits.
void Sandbox_Where(const sandbox_t *box, lua_State *lua, char *text, size_t size);

/// Frees a sandbox. A zeroed sandbox_t is allowed.
void Sandbox_Free(sandbox_t *box);

#endif
