/// base/assert.h - ASSERT: our own bugs, always on; VALIDATE: the heavy checks of debug and CI builds.
//
// Floor:   base.
// Bad data from outside (packets, maps, scripts, configs) never meets an ASSERT: it gets an err_t.

#ifndef EDICTD_BASE_ASSERT_H
#define EDICTD_BASE_ASSERT_H

/// N in builds with VALIDATE=N: the whole block is checked in every Nth tick; 0 = never. Use it as
/// `if (VALIDATE && ...)`.
#ifndef VALIDATE
#define VALIDATE 0
#endif

/// Prints where and what to stderr and aborts. Called by ASSERT only.
_Noreturn void Q_AssertFail(const char *condition, const char *file, int line);

/// States an invariant of our own code. Never compiled out.
#define ASSERT(condition) ((condition) ? (void)0 : Q_AssertFail(#condition, __FILE__, __LINE__))

#endif
