/// base/assert.h - ASSERT for bugs in this program, always on; VALIDATE for heavy checks in CI.
//
// Report invalid data from outside in an err_t, never by an ASSERT.

#ifndef EDICTD_BASE_ASSERT_H
#define EDICTD_BASE_ASSERT_H

#include "base/types.h"

/// A build with VALIDATE=N checks the whole world block in every Nth tick; 0 = never.
#ifndef VALIDATE
#define VALIDATE 0
#endif

/// Prints the condition with file and line to stderr, and aborts. Call ASSERT instead.
EXTERN_C_BEGIN
__attribute__((noreturn)) void Q_AssertFail(const char *condition, const char *file, int line);
EXTERN_C_END

/// Aborts if an invariant of this program is false. Never compiled out.
#define ASSERT(condition) ((condition) ? (void)0 : Q_AssertFail(#condition, __FILE__, __LINE__))

#endif
