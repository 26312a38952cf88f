/// probe/probe.h - the commands of edict-probe.
//
// A command receives its arguments; argv[0] is the command's name. A command reads stdin or files,
// writes to stdout, reports errors on stderr and returns an exit status.

#ifndef EDICTD_PROBE_PROBE_H
#define EDICTD_PROBE_PROBE_H

#include "base/types.h"

#include <stddef.h>

#define PROBE_OK    0
#define PROBE_FAIL  1 ///< bad data; the reason is on stderr
#define PROBE_USAGE 2 ///< wrong arguments; main prints the usage line of the command

/// Maximum absolute coordinate in a table, qu.
#define PROBE_MAX_COORD 1048576.0f

/// Runs "trace MAP [--solids auto|hulls|brushes] < queries.csv > answers.csv": sweeps boxes.
int Probe_Trace(int argc, char **argv);

/// Runs "contents MAP < points.csv > answers.csv": contents and leafs at points.
int Probe_Contents(int argc, char **argv);

/// Runs "move MAP STARTS.csv CMDS.csv [--pm-step MS] [--solids ...]": usercmds through pmove.
int Probe_Move(int argc, char **argv);

/// Runs "draw ...": writes a picture of a map with sweeps and paths as SVG.
int Probe_Draw(int argc, char **argv);

/// Runs "view ...": writes the view of a camera in a map, with sweeps and paths, as PNG.
int Probe_View(int argc, char **argv);

/// An option with values, or a required word such as MAP.
typedef struct {
    const char *name;  ///< "--at", or "MAP"
    const char **text; ///< receives a first value that is a text; NULL = only numbers
    float *numbers;    ///< receives the numbers, within PROBE_MAX_COORD
    int32_t count;     ///< number of `numbers`
    bool *given;       ///< set to true if the option is given; may be NULL
} probe_option_t;

/// Parses the arguments after the command's name. Reports the first wrong argument and returns
/// false.
bool Probe_ReadOptions(const probe_option_t *options, size_t count, int argc, char **argv);

/// A condition on the arguments. `expected`: the message if `holds` is false.
typedef struct {
    bool holds;
    const char *expected;
} probe_rule_t;

/// Reports the first rule that does not hold and returns false. Returns true if all rules hold.
bool Probe_CheckRules(const probe_rule_t *rules, size_t count, const char *command);

/// Prints "edict-probe: TEXT" to stderr. Returns PROBE_FAIL.
int Probe_Fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
