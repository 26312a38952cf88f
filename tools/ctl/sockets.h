/// ctl/sockets.h - finds the control sockets of the servers of this machine.

#ifndef EDICTD_CTL_SOCKETS_H
#define EDICTD_CTL_SOCKETS_H

#include "ctl/link.h"

/// Opens `path` if it is not NULL, otherwise the server on `port`, or (0) the only server there is.
/// `err` receives what was tried, or the sockets to choose from.
link_open_t Sockets_Open(link_t *link, const char *path, uint16_t port, const char *role,
                         err_t *err);

#endif
