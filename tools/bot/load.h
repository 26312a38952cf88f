/// bot/load.h - the load program: many clients without scripts, for measuring a server.

#ifndef EDICTD_BOT_LOAD_H
#define EDICTD_BOT_LOAD_H

#include "bot/args.h"

#define LOAD_SOCKETS 32 // each has its own address in 127.0.0.0/8, and its moment in the tick

/// Joins with all clients, measures, prints the result as CSV and leaves. `signals`: readable after
/// a signal, which ends the run. Returns the exit status.
int Load_Run(const bot_args_t *args, int signals);

#endif
