/// core/download.h - sends the running map to clients that lack it.
//
//   map load -> pack: the files that were loaded -> zstd -> GET -> pieces -> GET confirms -> pieces
//
// A client names nothing but an offset, so it can ask for no other file. Only a client that loads
// the map may ask, and such a client receives no snapshots that pieces could delay.
//
// Memory:  one compressed copy of the map for all clients; at most DOWNLOAD_MAX_WINDOW unconfirmed
//          bytes of a client wait in the transport.
// Errors:  a GET that no honest client sends is ignored and counted.

#ifndef EDICTD_CORE_DOWNLOAD_H
#define EDICTD_CORE_DOWNLOAD_H

#include "bsp/map_pack.h"

#define DOWNLOAD_MIN_RATE   1000     // bytes/s of a client
#define DOWNLOAD_MAX_RATE   10000000 // bytes/s of a client
#define DOWNLOAD_MIN_WINDOW 8192     // bytes that a client has not confirmed
#define DOWNLOAD_MAX_WINDOW 131072   // fits in NET_MAX_QUEUED_BYTES with other messages
/// A client must confirm so many bytes, or the last ones, within the time to load a map. A slower
/// client is dropped.
#define DOWNLOAD_STEP 65536

/// The running map, compressed.
typedef struct {
    uint8_t *data; ///< owned; NULL = no download
    int32_t packed, size;
    uint64_t hash;
    char file[MAP_PACK_MAX_PATH]; ///< the map's only file; "" = it has several
} download_pack_t;

/// The download of one client.
typedef struct {
    bool is_on;
    int32_t sent, confirmed; ///< bytes of the pack
    int32_t step;            ///< confirmed bytes when the time to load began anew
    int32_t window;          ///< bytes that may await a confirmation
    int32_t credit;          ///< bytes that the rate allows now
    int64_t filled_ms;       ///< time of the last change of the credit
    int32_t mark;            ///< the window is judged when this byte is confirmed; 0 = none
    int64_t mark_ms;         ///< time at which it was sent
    int32_t least_ms;        ///< least delay of a confirmation; 0 = unknown
} download_t;

struct server_s;

/// Compresses the files of a map that starts. Logs why a map cannot be downloaded.
void Download_StartMap(struct server_s *server, const map_pack_t *files);

/// Checks sv_downloadurl: "", or a folder's address that leaves room for a file name.
bool Download_CheckUrl(const char *url, err_t *err);

/// Frees the compressed map.
void Download_Free(struct server_s *server);

/// Sends the pieces that are due to all clients.
void Download_Send(struct server_s *server);

#endif
