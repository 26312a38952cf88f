/// bot/sandbox.h - runs a Lua script with bounded memory and a bounded number of instructions
/// between two waits, without access to files, processes, bytecode or the debug library.
//
// Floor:   tools; includes nothing else of the bots.
// Units:   memory in bytes; steps are instructions of the Lua machine.
// Memory:  owns one lua_State; all its memory counts against limits.memory_max.
// Repeat:  `seed` seeds math.random. The order of pairs() differs from run to run, as in any Lua.
//
// A script that never waits fails after steps_max instructions, and pcall cannot catch that error.
// Scripts cannot set finalizers (__gc), because the counting hook does not run inside them.
// Instructions inside a library call (a hostile string pattern) are not counted; the watchdog ends
// such a call.

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
    void *owner;   ///< for functions of the host program
    char name[60]; ///< name of the script in messages
} sandbox_t;

typedef enum {
    SANDBOX_WAITING,  ///< the script waits: it yielded
    SANDBOX_FINISHED, ///< the script ran to its end
    SANDBOX_FAILED    ///< the script raised an error; err has "script.lua:LINE: REASON"
} sandbox_result_t;

/// Creates a state with the safe functions of the base, coroutine, math, string and table
/// libraries. *box must keep its address afterwards. Returns false with the reason if memory_max is
/// too small.
bool Sandbox_Create(sandbox_t *box, sandbox_limits_t limits, void *owner, err_t *err);

/// Calls `function` with an empty stack, so that it can add globals. Returns false with the reason
/// if `function` raises an error.
bool Sandbox_Setup(sandbox_t *box, lua_CFunction function, err_t *err);

/// Compiles a script; bytecode is refused. `name` appears in messages. Returns false with
/// "name:LINE: REASON".
bool Sandbox_Load(sandbox_t *box, const char *name, const char *text, size_t size, err_t *err);

/// Runs the script until it waits, ends or raises an error.
sandbox_result_t Sandbox_Resume(sandbox_t *box, err_t *err);

/// Returns the sandbox that a Lua state or one of its coroutines belongs to.
sandbox_t *Sandbox_Of(lua_State *lua);

/// Writes the current line of the script as "script.lua:12", or "script.lua" if the script is not
/// running. `lua`: the state that a C function was called with; NULL while the script waits.
void Sandbox_Where(const sandbox_t *box, lua_State *lua, char *text, size_t size);

/// Frees a sandbox. A zeroed sandbox_t is allowed.
void Sandbox_Free(sandbox_t *box);

#endif
