/// ctl/input.h - reads commands from a terminal or a pipe.

#ifndef EDICTD_CTL_INPUT_H
#define EDICTD_CTL_INPUT_H

#include "ctl/session.h"

/// Runs lines of standard input until it ends, or "exit". The connection is open.
void Input_Run(session_t *session);

#endif
