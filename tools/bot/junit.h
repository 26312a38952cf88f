/// bot/junit.h - writes results as JUnit XML, which CI servers read.

#ifndef EDICTD_BOT_JUNIT_H
#define EDICTD_BOT_JUNIT_H

#include "bot/squad.h"

/// Writes a JUnit file with one test case per bot. `problem`: the reason why no bot ran, or "".
bool Junit_Write(const char *path, const char *script, const squad_t *squad, const char *problem,
                 err_t *err);

#endif
