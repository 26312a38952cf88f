/// edict/client.h - the client library: join a server, send input, read snapshots, predict.
//
// Link with the flags of `pkg-config edict_client`.

#ifndef EDICT_CLIENT_H
#define EDICT_CLIENT_H

#include "base/version.h"
#include "client/client.h"
#include "net/enet_transport.h"

#endif
