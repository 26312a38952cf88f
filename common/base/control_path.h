/// base/control_path.h - where servers have their control sockets.
//
// Read by edictd, which makes the socket, and by edict-ctl, which finds it.

#ifndef EDICTD_BASE_CONTROL_PATH_H
#define EDICTD_BASE_CONTROL_PATH_H

#include "base/types.h"

EXTERN_C_BEGIN

#define CONTROL_PATH_BYTES 108 // a path that fits in sockaddr_un, with its NUL

/// Writes folder `i` of control sockets. Folder 0 is that of this user: /run/edictd for root,
/// otherwise $XDG_RUNTIME_DIR/edictd or /tmp/edictd-UID. Others follow that edict-ctl searches.
/// Returns false after the last.
bool ControlPath_Folder(int32_t i, char folder[CONTROL_PATH_BYTES]);

/// Writes FOLDER/PORT.sock. Returns false if it does not fit.
bool ControlPath_Socket(const char *folder, uint16_t port, char path[CONTROL_PATH_BYTES]);

/// Returns the port in a name such as "27500.sock", or -1.
int32_t ControlPath_Port(const char *name);

EXTERN_C_END

#endif
