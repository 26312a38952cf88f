/// probe/probe.h - the commands of edict-probe: each asks the engine's own code a table of questions.
//
// Floor:   tools.
// Each gets its own arguments (argv[0] is the command's name), reads stdin or files, writes stdout,
// says what is wrong on stderr, and returns one of the exit statuses.

#ifndef EDICTD_PROBE_PROBE_H
#define EDICTD_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#define PROBE_OK    0
#define PROBE_FAIL  1 ///< bad data: said on stderr as "file:line: expected, found"
#define PROBE_USAGE 2 ///< wrong arguments: main prints the command's usage line

/// A coordinate of a question lies within +- this (qu).
#define PROBE_MAX_COORD 1048576.0f

/// "trace MAP [--solids auto|hulls|brushes] < queries.csv > answers.csv": sweeps through a model.
int Probe_Trace(int argc, char **argv);

/// "contents MAP < points.csv > answers.csv": contents and leafs of points.
int Probe_Contents(int argc, char **argv);

/// "move MAP STARTS.csv CMDS.csv [--pm-step MS] [--solids ...]": runs usercmds through pmove.
int Probe_Move(int argc, char **argv);

/// "draw ...": a picture of a map, and of sweeps through it.
int Probe_Draw(int argc, char **argv);

/// "view ...": the map as a camera sees it, with sweeps and players' paths.
int Probe_View(int argc, char **argv);

/// What has to be true of a command's arguments, and how it is said when it is not.
typedef struct {
    bool holds;
    const char *expected;
} probe_rule_t;

/// What the first rule that does not hold expects; NULL: all hold.
const char *Probe_BrokenRule(const probe_rule_t *rules, size_t count);

/// Says of a command's arguments what is expected; `found` is the word instead, NULL = none. Returns
/// PROBE_USAGE.
int Probe_Usage(const char *command, const char *expected, const char *found);

/// Says "edict-probe: TEXT" on stderr. Returns PROBE_FAIL.
int Probe_Fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
