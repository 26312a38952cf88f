/// ops/control_socket.c - the file of the control socket, and the users who may connect.

#include "base/str.h"
#include "ops/control_local.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 16 // connections that wait for accept

// ---- users ----

// Finds a user by name or number.
static bool find_user(const char *text, control_user_t *user) {
    int64_t uid = 0;
    if (Str_ToInt(text, 0, UINT32_MAX - 1, &uid)) {
        user->uid = uid;
        ControlUsers_Name(uid, user->name);
        return true;
    }
    const struct passwd *entry = getpwnam(text);
    if (!entry) {
        return false;
    }
    user->uid = entry->pw_uid;
    strlcpy(user->name, text, sizeof user->name);
    return true;
}

void ControlUsers_Name(int64_t uid, char name[CONTROL_USER_BYTES]) {
    const struct passwd *entry = getpwuid((uid_t)uid);
    if (entry) {
        strlcpy(name, entry->pw_name, CONTROL_USER_BYTES);
    } else {
        snprintf(name, CONTROL_USER_BYTES, "%lld", (long long)uid);
    }
}

bool ControlUsers_Parse(const char *text, control_users_t *users, err_t *err) {
    char copy[CVAR_STRING_BYTES];
    strlcpy(copy, text, sizeof copy);
    users->count = 0;
    for (char *rest = copy, *word = NULL; (word = strsep(&rest, " \t"));) {
        char *name = strsep(&word, "=");
        control_user_t user = {.role = word ? Role_Parse(word) : ROLE_NONE};
        if (name[0] == '\0' && !word) {
            continue;
        }
        if (user.role == ROLE_NONE) {
            return Err_Set(err,
                           "ctl_users: expected USER=watch, USER=operate or USER=admin, found "
                           "\"%.64s%s%.64s\"",
                           name, word ? "=" : "", word ? word : "");
        }
        if (!find_user(name, &user)) {
            return Err_Set(err,
                           "ctl_users: this machine has no user \"%.64s\"; add it or correct "
                           "the name",
                           name);
        }
        if (users->count == CONTROL_USERS) {
            return Err_Set(err, "ctl_users: expected at most %d users, found more", CONTROL_USERS);
        }
        users->list[users->count++] = user;
    }
    return true;
}

bool Control_CheckUsers(const char *users, err_t *err) {
    control_users_t parsed;
    return ControlUsers_Parse(users, &parsed, err);
}

// ---- the file ----

// Makes the folder for "auto". Others must not be able to put a file or a symbolic link there.
static bool make_folder(const char *folder, err_t *err) {
    struct stat info;
    bool is_root = geteuid() == 0;
    if (mkdir(folder, is_root ? 0755 : 0700) != 0 && errno != EEXIST) {
        return Err_Set(err, "%s: %s", folder, strerror(errno));
    }
    if (lstat(folder, &info) != 0) {
        return Err_Set(err, "%s: %s", folder, strerror(errno));
    }
    bool is_safe =
        S_ISDIR(info.st_mode) && (info.st_mode & 022) == 0 && (is_root || info.st_uid == geteuid());
    return is_safe ||
           Err_Set(err, "%s: expected a folder that only this user may write, found %s; remove it",
                   folder,
                   !S_ISDIR(info.st_mode)     ? "no folder"
                   : info.st_uid != geteuid() ? "a folder of another user"
                                              : "one that others may write");
}

// Writes the path of the socket and makes its folder if needed.
static bool choose_path(control_socket_t *at, const char *path, uint16_t port, err_t *err) {
    char folder[CONTROL_PATH_BYTES];
    size_t used = 0;
    if (strcmp(path, "auto") == 0) {
        bool fits = ControlPath_Folder(0, folder) && ControlPath_Socket(folder, port, at->path);
        return fits && make_folder(folder, err);
    }
    if (path[0] != '/' && getcwd(at->path, sizeof at->path)) { // stays valid after a chdir
        used = strlcat(at->path, "/", sizeof at->path);
    }
    used += strlen(path);
    if (used >= sizeof at->path || (path[0] != '/' && at->path[0] != '/')) {
        return Err_Set(err, "%.200s: expected a path of at most %zu bytes, found %zu", path,
                       sizeof at->path - 1, used);
    }
    strlcat(at->path, path, sizeof at->path);
    return true;
}

// Removes the socket of a server that has ended. Fails if a server answers, or at another file.
static bool remove_stale(const struct sockaddr_un *name, err_t *err) {
    struct stat info;
    if (lstat(name->sun_path, &info) != 0) {
        return errno == ENOENT || Err_Set(err, "%s: %s", name->sun_path, strerror(errno));
    }
    if (!S_ISSOCK(info.st_mode)) {
        return Err_Set(err, "%s: expected a socket or nothing, found another file; remove it",
                       name->sun_path);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_stale = fd >= 0 && connect(fd, (const struct sockaddr *)name, sizeof *name) != 0 &&
                    errno == ECONNREFUSED;
    if (fd >= 0) {
        close(fd);
    }
    if (!is_stale) {
        return Err_Set(err, "%s: another server uses it; end that server or choose another path",
                       name->sun_path);
    }
    return unlink(name->sun_path) == 0 || Err_Set(err, "%s: %s", name->sun_path, strerror(errno));
}

bool ControlSocket_Open(control_socket_t *at, const char *path, uint16_t port, bool is_shared,
                        err_t *err) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct stat info;
    err_t why = {{0}};
    *at = (control_socket_t){.fd = -1};
    if (!choose_path(at, path, port, &why)) {
        return Err_Set(err, "net_control: %s", why.text);
    }
    strlcpy(name.sun_path, at->path, sizeof name.sun_path);
    if (!remove_stale(&name, &why)) {
        return Err_Set(err, "net_control: %s", why.text);
    }
    at->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(is_shared ? 0111 : 0177); // the file never has another mode
    bool good = at->fd >= 0 && bind(at->fd, (const struct sockaddr *)&name, sizeof name) == 0;
    umask(mask);
    good = good && listen(at->fd, BACKLOG) == 0 && lstat(at->path, &info) == 0;
    if (!good) {
        Err_Set(err, "net_control: %s: %s", at->path, strerror(errno));
        if (at->fd >= 0) {
            close(at->fd);
        }
        return false;
    }
    at->device = info.st_dev;
    at->inode = info.st_ino;
    return true;
}

bool ControlSocket_GiveTo(const control_socket_t *at, uid_t uid, gid_t gid) {
    struct stat info;
    int fd = open(at->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &info) == 0;
    if (good && (info.st_dev != at->device || info.st_ino != at->inode)) {
        errno = ESTALE;
        good = false;
    }
    good = good && fchownat(fd, "", uid, gid, AT_EMPTY_PATH) == 0;
    if (fd >= 0) {
        int fault = errno;
        close(fd);
        errno = fault;
    }
    return good;
}

void ControlSocket_Close(control_socket_t *at) {
    struct stat info;
    close(at->fd);
    if (lstat(at->path, &info) == 0 && info.st_dev == at->device && info.st_ino == at->inode) {
        unlink(at->path);
    }
}
