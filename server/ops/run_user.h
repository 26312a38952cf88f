/// ops/run_user.h - the user that a server started by root becomes.
//
// Errors:  a user that does not exist or cannot be taken on is a reason not to start.

#ifndef EDICTD_OPS_RUN_USER_H
#define EDICTD_OPS_RUN_USER_H

#include "base/err.h"

#include <sys/types.h>

#define RUN_USER_DEFAULT "_edictd"
#define RUN_USER_BYTES   33 // longest name on Linux, and a NUL

typedef struct {
    char name[RUN_USER_BYTES];
    uid_t uid;
    gid_t gid;
    bool changes; ///< the process is root's, and will become this user
} run_user_t;

/// Finds the user to become. `wanted`: a name, or NULL = $EDICTD_USER or RUN_USER_DEFAULT. Without
/// root, the process keeps its user and accepts no other name.
bool RunUser_Find(run_user_t *user, const char *wanted, err_t *err);

/// Becomes the user with all of its groups, for good. Does nothing if !user->changes.
bool RunUser_Become(const run_user_t *user, err_t *err);

#endif
