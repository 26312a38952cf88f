/// ops/options.h - the command line of edictd.

#ifndef EDICTD_OPS_OPTIONS_H
#define EDICTD_OPS_OPTIONS_H

#include "base/types.h"

typedef struct {
    bool check_only, debug, read_stdin, print_fgd, background;
    const char *config;
    const char *game;
    const char *port;
    const char *pidfile;
    const char *user;  ///< NULL = the default
    int32_t num_words; ///< words of all "+COMMAND [ARGUMENT]...", in order
    char **words;      ///< part of argv
} options_t;

/// Parses the command line into a zeroed struct. For --help, --version or an error, prints a text
/// and exits.
void Options_Parse(options_t *options, int argc, char **argv);

#endif
