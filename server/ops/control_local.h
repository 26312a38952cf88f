/// ops/control_local.h - declarations that the files of the control socket share.

#ifndef EDICTD_OPS_CONTROL_LOCAL_H
#define EDICTD_OPS_CONTROL_LOCAL_H

#include "base/control_path.h"
#include "ops/control.h"

#include <sys/stat.h>

#define CONTROL_USERS 16

typedef struct {
    int64_t uid;
    role_t role;
    char name[CONTROL_USER_BYTES];
} control_user_t;

typedef struct {
    int32_t count;
    control_user_t list[CONTROL_USERS];
} control_users_t;

/// A socket that listens, and how to recognise it at the end.
typedef struct {
    int fd;
    dev_t device;
    ino_t inode;
    char path[CONTROL_PATH_BYTES];
} control_socket_t;

/// Parses ctl_users. A user is a name or a number.
bool ControlUsers_Parse(const char *text, control_users_t *users, err_t *err);

/// Makes the socket, with mode 0666 if `is_shared`, otherwise 0600. `path`: "auto" or a path.
bool ControlSocket_Open(control_socket_t *socket, const char *path, uint16_t port, bool is_shared,
                        err_t *err);

/// Gives the file to a user. Fails if another file has replaced it, such as a hard link to a file
/// of root's. Sets errno.
bool ControlSocket_GiveTo(const control_socket_t *socket, uid_t uid, gid_t gid);

/// Closes the socket and removes its file, unless another server has replaced it.
void ControlSocket_Close(control_socket_t *socket);

#endif
