/// ctl/link.h - a connection to the control socket of a server.
//
//     edictd 0.10.0 27500 admin    the greeting
//     status                 -->
//     = map arena            <--   lines of the answer
//     .                      <--   its end; or "! TEXT", an error that ends it
//
// Units:   ms.
// Memory:  one fixed buffer; a longer line is a fault of the server.

#ifndef EDICTD_CTL_LINK_H
#define EDICTD_CTL_LINK_H

#include "base/control_path.h"
#include "base/err.h"

#include <stddef.h>

#define LINK_LINE_BYTES  (256 * 1024) // a JSON answer is one line
#define LINK_COMMAND_MAX 1023         // bytes of a command that the server reads
#define LINK_GREETING_MS 10000        // maximum wait for the greeting

typedef struct {
    int fd; ///< -1 = closed
    int port;
    char path[CONTROL_PATH_BYTES];
    char role[16];
    size_t start, end; ///< unread bytes of `bytes`
    char bytes[LINK_LINE_BYTES];
} link_t;

typedef enum {
    LINK_LINE, ///< a line was read
    LINK_NONE, ///< no whole line has arrived
    LINK_OVER  ///< the server closed the connection, or sent a line that is too long
} link_read_t;

typedef enum {
    LINK_OPEN,    ///< connected
    LINK_ABSENT,  ///< no server listens on the path
    LINK_REFUSED, ///< a server or the system denies access
} link_open_t;

/// Connects, reads the greeting, and lowers the rights to `role` (NULL: the full ones). `err`
/// receives "PATH: REASON" unless the link is open. Initialises *link in every case.
link_open_t Link_Open(link_t *link, const char *path, const char *role, err_t *err);

/// Sends a command. Returns false with the reason.
bool Link_Send(link_t *link, const char *command, err_t *err);

/// Returns the next line, without its newline and valid until the next call. Never waits: poll
/// link->fd after LINK_NONE.
link_read_t Link_Read(link_t *link, char **line);

/// Closes the connection, if there is one.
void Link_Close(link_t *link);

#endif
