/// world/running.h - which function of the game runs now, for the report of a crash or a hang.
//
// Memory:  one record per server, outside the world.
// Repeat:  the simulation only writes the record; only log lines read it.

#ifndef EDICTD_WORLD_RUNNING_H
#define EDICTD_WORLD_RUNNING_H

#include "world/world.h"

/// The function of the game that runs now. A signal handler reads this record.
typedef struct sv_running_s {
    const char *kind; ///< "think", "touch", "use", "blocked", "spawn" or a hook; NULL = engine code
    const char *name; ///< name of the callback or class; "" for a hook
    int32_t edict;    ///< number of the edict that the call is for; -1 = none
    const char *classname; ///< class of that edict; "" = none
    uint32_t entries;      ///< odd while the simulation runs; counts entries and exits
    int64_t tick;          ///< tick that runs, or ran last
    const char *fault;     ///< last fault logged in this tick (faults.h); NULL = none
} sv_running_t;

/// Records that the server starts to run the game: for a tick, or to spawn a map, for example.
static inline void SV_BeginRun(const sv_context_t *sv) {
    if (sv->running) {
        *sv->running = (sv_running_t){
            .edict = -1, .entries = (sv->running->entries | 1u), .tick = sv->world->tick};
    }
}

/// Restarts the watchdog's time limit. Call regularly in long work, such as spawning a map.
static inline void SV_MarkProgress(const sv_context_t *sv) {
    if (sv->running) {
        sv->running->entries += 2;
    }
}

void GameCheck_EndTick(const sv_context_t *sv); // gamecheck.h

/// Reports what sv_gamecheck finds at the end of a tick, if it is on.
static inline void SV_EndGameCheck(const sv_context_t *sv) {
    if (sv->check) {
        GameCheck_EndTick(sv);
    }
}

/// Records the end of what SV_BeginRun started.
static inline void SV_EndRun(const sv_context_t *sv) {
    if (sv->running) {
        sv->running->entries++;
    }
}

void GameCheck_Look(const sv_context_t *sv); // gamecheck.h

/// Records that a function of the game is called now. `edict` may be NULL. Returns the previous
/// record: pass it to SV_LeaveGame after the call.
static inline sv_running_t SV_EnterGame(const sv_context_t *sv, const char *kind, const char *name,
                                        const edict_t *edict) {
    sv_running_t outer = {.kind = NULL};
    if (sv->check) {
        GameCheck_Look(sv);
    }
    if (sv->running) {
        outer = *sv->running;
        sv->running->kind = kind;
        sv->running->name = name;
        sv->running->edict = edict ? World_EdictNumber(sv->world, edict) : -1;
        sv->running->classname = edict ? World_Text(sv->world, edict->classname) : "";
    }
    return outer;
}

/// Restores the record that SV_EnterGame returned. Call when the function has returned.
static inline void SV_LeaveGame(const sv_context_t *sv, sv_running_t outer) {
    if (sv->check) {
        GameCheck_Look(sv);
    }
    if (sv->running) {
        outer.entries = sv->running->entries; // progress made inside is not undone
        outer.fault = sv->running->fault;
        *sv->running = outer;
    }
}

#endif
