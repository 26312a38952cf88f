/// client/download.c - downloads the server's map, if the client lacks it and may store it.
//
//   MAP -> wait for CL_GiveMap, if there is an address -> GET -> pieces -> one zstd frame -> files
//
// Errors:  a piece that does not continue the last one ends the session. If the whole download is
//          not what MAP announced, or if it stops, the client plays without the map.

#include "base/hash.h"
#include "base/unpack.h"
#include "bsp/map.h"
#include "bsp/map_pack.h"
#include "client/cl_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STALL_MS      30000        // maximum time between two pieces; a loss of 40 % takes 10 s
#define CONFIRM_BYTES 4096         // received bytes per GET
#define MAX_LATE      (256 * 1024) // bytes on the path after the client has given up
#define MIN_ROOM      65536

void Client_EndDownload(cl_t *cl) {
    free(cl->download.data);
    cl->download = (cl_download_state_t){0};
}

static void send_get(cl_t *cl) {
    control_msg_t msg = {.type = CTL_GET};
    msg.u.get.epoch = cl->map.epoch;
    msg.u.get.offset = cl->download.received;
    cl->download.confirmed = cl->download.received;
    (void)Client_Send(cl, &msg); // fails only if the connection is lost
}

static void set_phase(cl_t *cl, download_phase_t phase, int32_t ms) {
    cl->download.phase = phase;
    cl->download.deadline_ms = cl->now_ms + ms;
    cl->deadline_ms = cl->now_ms + ms + SNAPSHOT_TIMEOUT_MS;
}

// Ends the download of this map. READY follows.
static void finish(cl_t *cl, const cmap_t *map) {
    cl_download_state_t *download = &cl->download;
    free(download->data);
    download->data = NULL;
    download->room = 0;
    // After the last piece, none may follow. Otherwise, some may be on the path.
    download->late = download->received == download->packed ? MAX_LATE : 0;
    set_phase(cl, DOWNLOAD_ENDED, 0);
    cl->cmap = map;
    Client_MapFound(cl);
}

static void give_up(cl_t *cl, const char *why) {
    Err_Set(&cl->map_fault, "map %s: not downloaded: %.300s", cl->map.name, why);
    finish(cl, NULL);
}

bool Client_StartDownload(cl_t *cl) {
    const ctl_map_t *map = &cl->map;
    cl_download_state_t *download = &cl->download;
    const bool is_same = download->phase == DOWNLOAD_RUNS && download->hash == map->pack_hash &&
                         download->packed == map->packed && download->size == map->size;
    if (!is_same) {
        Client_EndDownload(cl);
    }
    if (!cl->config.maps || !CL_MapsCanStore(cl->config.maps) || !Unpack_IsBuilt() ||
        map->packed == 0) {
        Client_EndDownload(cl);
        return false;
    }
    download->hash = map->pack_hash;
    download->packed = map->packed;
    download->size = map->size;
    const bool waits = !is_same && map->url[0] != '\0' && cl->config.url_ms > 0;
    set_phase(cl, waits ? DOWNLOAD_WAITS : DOWNLOAD_RUNS, waits ? cl->config.url_ms : STALL_MS);
    Client_Event(cl, CL_EVENT_DOWNLOAD, map->packed, map->url);
    if (!waits) {
        send_get(cl);
    }
    return true;
}

// Checks the files against MAP, loads and stores them. Returns NULL with the reason.
static const cmap_t *take(cl_t *cl, const uint8_t *pack, size_t size, err_t *err) {
    cl_maps_t *maps = cl->config.maps;
    if (size != (size_t)cl->map.size || Hash_Bytes(pack, size, 0) != cl->map.pack_hash) {
        Err_Set(err, "the files are not those that the server announced");
        return NULL;
    }
    cmap_t *map =
        MapPack_Check(pack, size, cl->map.name, err) ? MapPack_Load(pack, size, err) : NULL;
    if (map && CM_Info(map).hash != cl->map.hash) {
        Err_Set(err, "the files are of another map than the server's");
        Map_Free(map);
        map = NULL;
    }
    if (!map) {
        return NULL;
    }
    (void)CL_MapsStore(maps, cl->map.hash, pack, size, &cl->download.fault);
    return CL_MapsAdd(maps, map, err);
}

static void complete(cl_t *cl) {
    cl_download_state_t *download = &cl->download;
    err_t err;
    send_get(cl); // so that the server waits for READY
    uint8_t *pack =
        Unpack_Zstd(download->data, (size_t)download->packed, (size_t)download->size, &err);
    const cmap_t *map = pack ? take(cl, pack, (size_t)download->size, &err) : NULL;
    free(pack);
    if (map) {
        finish(cl, map);
    } else {
        give_up(cl, err.text);
    }
}

// Makes room for a piece. The block grows with what arrives, not with what MAP announces.
static bool make_room(cl_download_state_t *download, size_t size) {
    const size_t needed = (size_t)download->received + size;
    if (needed <= download->room) {
        return true;
    }
    size_t room = download->room * 2 > MIN_ROOM ? download->room * 2 : MIN_ROOM;
    room = room < (size_t)download->packed ? room : (size_t)download->packed;
    uint8_t *data = realloc(download->data, room);
    if (data) {
        download->data = data;
        download->room = room;
    }
    return data != NULL;
}

bool Client_Piece(cl_t *cl, const ctl_piece_t *piece) {
    cl_download_state_t *download = &cl->download;
    if (download->phase == DOWNLOAD_ENDED) {
        download->late += piece->size;
        return download->late <= MAX_LATE;
    }
    if (download->phase != DOWNLOAD_RUNS || cl->state != CL_LOADING ||
        piece->offset != download->received ||
        piece->size > download->packed - download->received) {
        return false;
    }
    if (!make_room(download, (size_t)piece->size)) {
        give_up(cl, "out of memory");
        return true;
    }
    memcpy(download->data + download->received, piece->data, (size_t)piece->size);
    download->received += piece->size;
    cl->stats.download_bytes += (uint64_t)piece->size;
    set_phase(cl, DOWNLOAD_RUNS, STALL_MS);
    if (download->received == download->packed) {
        complete(cl);
    }
    return true;
}

void Client_DownloadFrame(cl_t *cl) {
    cl_download_state_t *download = &cl->download;
    if (cl->state != CL_LOADING || !cl->has_map_info) {
        return;
    }
    if (download->phase == DOWNLOAD_WAITS && cl->now_ms >= download->deadline_ms) {
        set_phase(cl, DOWNLOAD_RUNS, STALL_MS);
        send_get(cl);
    } else if (download->phase == DOWNLOAD_RUNS && cl->now_ms >= download->deadline_ms) {
        give_up(cl, "the server stopped sending it");
    } else if (download->phase == DOWNLOAD_RUNS &&
               download->received - download->confirmed >= CONFIRM_BYTES) {
        send_get(cl);
    }
}

// ---- for the program ----

bool CL_Download(const cl_t *cl, cl_download_t *out) {
    const cl_download_state_t *download = &cl->download;
    const bool is_on = download->phase == DOWNLOAD_WAITS || download->phase == DOWNLOAD_RUNS;
    *out = (cl_download_t){.received = download->received,
                           .total = download->packed,
                           .url = is_on ? cl->map.url : "",
                           .fault = download->fault.text};
    return is_on && cl->state == CL_LOADING;
}

bool CL_GiveMap(cl_t *cl, const void *data, size_t size, err_t *err) {
    const download_phase_t phase = cl->download.phase;
    const char *slash = strrchr(cl->map.url, '/');
    if (cl->state != CL_LOADING || !slash || (phase != DOWNLOAD_WAITS && phase != DOWNLOAD_RUNS)) {
        return Err_Set(err, "no map is downloaded from an address");
    }
    map_pack_t pack = {0};
    MapPack_Add(&pack, slash + 1, data, size);
    const cmap_t *map = NULL;
    if (pack.fault) {
        Err_Set(err, "map %s: %s", cl->map.name, pack.fault);
    } else {
        map = take(cl, pack.data, pack.size, err);
    }
    MapPack_Free(&pack);
    if (map) {
        finish(cl, map);
    }
    return map != NULL;
}
