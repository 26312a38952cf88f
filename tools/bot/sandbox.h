/// bot/sandbox.h - a Lua state with bounded memory and a bounded number of instructions between two
/// waits, without access to files, processes, bytecode or the debug library.
//
// Floor:   tools; independent of bots.
// Units:   memory in bytes; steps are instructions of the Lua machine.
// Memory:  owns one lua_State; all its memory counts against limits.memory_max.
// Repeat:  `seed` seeds math.random. The order of pairs() differs from run to run, as in any Lua.
//
// A script that never waits fails after steps_max instructions; pcall cannot catch that. Scripts
// cannot set finalizers, because the counting hook does not run inside them. Steps inside a library
// call (a hostile string pattern) are not counted; the watchdog ends such calls.

#ifndef EDICTD_BOT_SANDBOX_H
#define EDICTD_BOT_SANDBOX_H

#include "base/err.h"
#include "base/types.h"

#include <lua.h>

typedef struct {
    size_t memory_max; ///< bytes
    int64_t steps_max; ///< instructions from one resume to the next wait
    int64_t seed;      ///< seed of math.random
} sandbox_limits_t;

typedef struct {
    lua_State *lua;    ///< the state; NULL if there is none
    lua_State *thread; ///< the script's own coroutine
    sandbox_limits_t limits;
    size_t memory_used;
    int64_t steps;
    bool overrun;  ///< out of steps; errors are no longer caught by the script
    bool started;  ///< the script has been resumed once
    void *owner;   ///< for functions of the host
    char name[60]; ///< name of the script in messages
} sandbox_t;

typedef enum {
    SANDBOX_WAITING,  ///< the script yielded
    SANDBOX_FINISHED, ///< the script ran to its end
    SANDBOX_FAILED    ///< an error; err says "script.lua:LINE: what"
} sandbox_result_t;

/// Creates a state with the safe parts of the base, coroutine, math, string and table libraries.
/// False with the reason if memory_max is too small. *box must not move afterwards.
bool Sandbox_Create(sandbox_t *box, sandbox_limits_t limits, void *owner, err_t *err);

/// Calls `function` with an empty stack to add globals. False with the reason if it raises an
/// error.
bool Sandbox_Setup(sandbox_t *box, lua_CFunction function, err_t *err);

/// Compiles a script; bytecode is refused. Messages use `name`. False with "name:LINE: reason".
bool Sandbox_Load(sandbox_t *box, const char *name, const char *text, size_t size, err_t *err);

/// Runs the script until it waits, ends or fails.
sandbox_result_t Sandbox_Resume(sandbox_t *box, err_t *err);

/// Returns the sandbox of a state or of one of its coroutines.
sandbox_t *Sandbox_Of(lua_State *lua);

/// Writes the current position of the script, "script.lua:12", as seen from a C function it called
/// or while it waits; "script.lua" if it is not running.
void Sandbox_Where(const sandbox_t *box, lua_State *lua, char *text, size_t size);

/// Frees a sandbox. A zeroed sandbox_t may be freed.
void Sandbox_Free(sandbox_t *box);

#endif
