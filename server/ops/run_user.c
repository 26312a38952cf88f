#include "ops/run_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

bool RunUser_Find(run_user_t *user, const char *wanted, err_t *err) {
    bool is_root = geteuid() == 0;
    const char *preset = is_root ? getenv("EDICTD_USER") : NULL;
    const char *name = wanted ? wanted : preset && preset[0] ? preset : RUN_USER_DEFAULT;
    *user = (run_user_t){.uid = geteuid(), .gid = getegid()};
    if (!is_root && !wanted) {
        return true;
    }
    const struct passwd *entry = getpwnam(name);
    if (!entry || strlen(name) >= sizeof user->name) {
        return Err_Set(
            err,
            "user \"%.64s\" does not exist: create it with \"useradd --system "
            "--no-create-home --shell /usr/sbin/nologin %.64s\", or name another with -u",
            name, name);
    }
    if (!is_root && entry->pw_uid != user->uid) {
        return Err_Set(err, "-u %s: only root can start a server as another user", name);
    }
    strlcpy(user->name, name, sizeof user->name);
    user->uid = entry->pw_uid;
    user->gid = entry->pw_gid;
    user->changes = user->uid != geteuid();
    return true;
}

static bool is_now(const run_user_t *user) {
    uid_t uids[3];
    gid_t gids[3];
    return getresuid(&uids[0], &uids[1], &uids[2]) == 0 && uids[0] == user->uid &&
           uids[1] == user->uid && uids[2] == user->uid &&
           getresgid(&gids[0], &gids[1], &gids[2]) == 0 && gids[0] == user->gid &&
           gids[1] == user->gid && gids[2] == user->gid && setuid(0) != 0;
}

bool RunUser_Become(const run_user_t *user, err_t *err) {
    if (!user->changes) {
        return true;
    }
    errno = 0;
    bool good = initgroups(user->name, user->gid) == 0 &&
                setresgid(user->gid, user->gid, user->gid) == 0 &&
                setresuid(user->uid, user->uid, user->uid) == 0 && is_now(user);
    if (!good) {
        return Err_Set(err,
                       "cannot become user \"%s\": %s; -u root keeps root, as a user namespace "
                       "without other users needs",
                       user->name, errno ? strerror(errno) : "the system kept another user");
    }
    prctl(PR_SET_DUMPABLE, 1); // otherwise no core dump, and no /proc/self/fd for game modules
    return true;
}
