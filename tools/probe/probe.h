/// probe/probe.h - the commands of edict-probe.
//
// Each command takes its own arguments (argv[0] is its name), reads stdin or files, writes stdout,
// reports errors on stderr, and returns an exit status.

#ifndef EDICTD_PROBE_PROBE_H
#define EDICTD_PROBE_PROBE_H

#include "base/types.h"

#include <stddef.h>

#define PROBE_OK    0
#define PROBE_FAIL  1 ///< bad data; stderr has "file:line: expected, found"
#define PROBE_USAGE 2 ///< wrong arguments: main prints the command's usage line

/// Maximum coordinate in a table, qu.
#define PROBE_MAX_COORD 1048576.0f

/// "trace MAP [--solids auto|hulls|brushes] < queries.csv > answers.csv": sweeps through a model.
int Probe_Trace(int argc, char **argv);

/// "contents MAP < points.csv > answers.csv": contents and leafs of points.
int Probe_Contents(int argc, char **argv);

/// "move MAP STARTS.csv CMDS.csv [--pm-step MS] [--solids ...]": runs usercmds through pmove.
int Probe_Move(int argc, char **argv);

/// "draw ...": a picture of a map with sweeps and paths, as SVG.
int Probe_Draw(int argc, char **argv);

/// "view ...": the view of a camera in a map, with sweeps and paths, as PNG.
int Probe_View(int argc, char **argv);

/// An option with its values, or a word without an option, such as MAP, which must be given.
typedef struct {
    const char *name;  ///< "--at", or "MAP"
    const char **text; ///< receives the first value, which is not a number; NULL = none
    float *numbers;    ///< receives the numbers after it, within PROBE_MAX_COORD
    int32_t count;     ///< of numbers
    bool *given;       ///< becomes true with the option; NULL = none
} probe_option_t;

/// Reads the arguments after the command's name. Reports an unknown or incomplete option, or a
/// missing word, and returns false.
bool Probe_ReadOptions(const probe_option_t *options, size_t count, int argc, char **argv);

/// A condition on a command's arguments, and the message's text if the condition is false.
typedef struct {
    bool holds;
    const char *expected;
} probe_rule_t;

/// Reports the first rule that fails and returns false; true if all hold.
bool Probe_CheckRules(const probe_rule_t *rules, size_t count, const char *command);

/// Prints "edict-probe: TEXT" on stderr. Returns PROBE_FAIL.
int Probe_Fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
