/// base/option.h - reads the command line of a program with getopt_long.
//
// For main files only: the functions print and end the process.

#ifndef EDICTD_BASE_OPTION_H
#define EDICTD_BASE_OPTION_H

#include "base/types.h"

#include <getopt.h>

EXTERN_C_BEGIN

/// Ends a table of long options. The short options must include "hV".
// clang-format off
#define OPTION_END {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'}, \
                   {NULL, 0, NULL, 0}
// clang-format on

typedef struct {
    const char *name;           ///< name of the program
    const char *help;           ///< text of --help
    const char *letters;        ///< short options, as getopt expects them
    const struct option *longs; ///< ends with OPTION_END
    int failure;                ///< exit status after a wrong command line
} program_t;

/// Like getopt_long. Prints the text of --help or --version and exits with 0. After an invalid
/// option, prints the reason and exits with `failure`.
int Option_Next(const program_t *program, int argc, char *const *argv);

/// Prints "PROGRAM: TEXT" and a hint to use --help. Exits with `failure`.
_Noreturn void Option_Fail(const program_t *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

EXTERN_C_END

#endif
