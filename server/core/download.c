#include "core/download.h"

#include "base/hash.h"
#include "core/server_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL          3      // of zstd: 5 MB take about 25 ms
#define LOG_WINDOW_MS  5000   // between two log lines of a kind
#define MAX_TICK_BYTES 131072 // pieces of all clients in one tick
#define LATE_MS        100    // delay above the least one that is a queue on the path
#define BURST_MS       100    // credit of a client at most
#define PIECE_COST     (CTL_PIECE_BYTES + RATE_HEADERS)

_Static_assert(DOWNLOAD_MAX_WINDOW * 2 <= NET_MAX_QUEUED_BYTES &&
                   DOWNLOAD_MAX_WINDOW / CTL_PIECE_BYTES * 2 <= NET_MAX_QUEUED_MESSAGES,
               "half of a client's queue stays free for other messages");

// ---- the pack ----

void Download_Free(server_t *server) {
    free(server->pack.data);
    server->pack = (download_pack_t){0};
}

// Compresses the files. Returns NULL if out of memory.
static uint8_t *compress(const map_pack_t *files, int32_t *packed) {
    const size_t room = ZSTD_compressBound(files->size);
    uint8_t *data = malloc(room);
    const size_t size = data ? ZSTD_compress(data, room, files->data, files->size, LEVEL) : 0;
    if (!data || ZSTD_isError(size) || size > MAX_DOWNLOAD_BYTES) {
        free(data);
        return NULL;
    }
    uint8_t *exact = realloc(data, size);
    *packed = (int32_t)size;
    return exact ? exact : data;
}

void Download_StartMap(server_t *server, const map_pack_t *files) {
    download_pack_t *pack = &server->pack;
    const char *name = CM_Info(server->map).name;
    const uint64_t hash = Hash_Bytes(files->data, files->data ? files->size : 0, 0);
    if (pack->data && files->data && pack->hash == hash && (size_t)pack->size == files->size) {
        return; // the same map again
    }
    Download_Free(server);
    if (!files->data && !files->fault) {
        return; // downloads are off
    }
    packed_file_t first;
    size_t at = 0;
    const char *fault = files->fault;
    if (!fault) {
        pack->data = compress(files, &pack->packed);
        fault = pack->data ? NULL : "there is no memory to compress it";
    }
    if (!pack->data || !MapPack_Next(files->data, files->size, &at, &first)) {
        Log_Print(server->config.log, LOG_WARN, "map %s: clients cannot download it: %s", name,
                  fault);
        return;
    }
    pack->size = (int32_t)files->size;
    pack->hash = hash;
    if (at == files->size) {
        memcpy(pack->file, first.path, sizeof pack->file);
    }
}

void Download_Describe(const server_t *server, ctl_map_t *map) {
    const download_pack_t *pack = &server->pack;
    map->packed = pack->packed;
    map->size = pack->size;
    map->pack_hash = pack->hash;
    if (pack->file[0] != '\0' && server->download_url[0] != '\0') {
        int length = snprintf(map->url, sizeof map->url, "%s%s", server->download_url, pack->file);
        if (length < 0 || (size_t)length >= sizeof map->url || !CTL_UrlIsSafe(map->url)) {
            map->url[0] = '\0'; // Download_CheckUrl leaves room for every name
        }
    }
}

bool Download_CheckUrl(const char *url, err_t *err) {
    const size_t max = MAX_URL_BYTES - MAX_MAP_NAME_BYTES - sizeof ".emesh";
    return url[0] == '\0' || (strlen(url) <= max && CTL_UrlIsSafe(url)) ||
           Err_Set(err,
                   "sv_downloadurl: expected http:// or https:// and at most %zu visible "
                   "characters, found \"%.200s\"",
                   max, url);
}

void Server_SetDownload(server_t *server, bool is_allowed, int32_t rate, const char *url) {
    const size_t length = Download_CheckUrl(url, NULL) ? strlen(url) : 0;
    server->config.allow_download = is_allowed;
    server->config.download_rate = Q_ClampI(rate, DOWNLOAD_MIN_RATE, DOWNLOAD_MAX_RATE);
    snprintf(server->download_url, sizeof server->download_url, "%.*s%s", (int)length, url,
             length > 0 && url[length - 1] != '/' ? "/" : "");
}

// ---- clients ----

static void refuse(server_t *server, const session_t *session, int32_t offset) {
    server->stats.downloads_refused++;
    if (Log_BurstAllows(&server->download_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "slot %d (%s) asks for byte %d of the map at the wrong time; ignored%s",
                  session->slot, session->name, offset, server->download_burst.more);
    }
}

// Grows the window while confirmations come in time. Shrinks it when a queue on the path delays
// them, so that the queue does not overflow.
static void judge_window(download_t *download, int32_t confirmed, int64_t now_ms) {
    if (download->mark == 0 || confirmed < download->mark) {
        return;
    }
    const int32_t ms = (int32_t)(now_ms - download->mark_ms) + 1;
    download->mark = 0;
    if (download->least_ms == 0 || ms < download->least_ms) {
        download->least_ms = ms;
    }
    const int32_t quarter = download->window / 4;
    const bool is_late = ms > download->least_ms + LATE_MS;
    download->window = Q_ClampI(download->window + (is_late ? -quarter : quarter),
                                DOWNLOAD_MIN_WINDOW, DOWNLOAD_MAX_WINDOW);
}

static void begin(server_t *server, session_t *session, int32_t offset) {
    session->download = (download_t){.is_on = true,
                                     .sent = offset,
                                     .confirmed = offset,
                                     .step = offset,
                                     .window = DOWNLOAD_MIN_WINDOW,
                                     .filled_ms = server->now_ms};
    server->stats.downloads++;
    if (Log_BurstAllows(&server->downloads_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_INFO, "slot %d (%s) downloads map %s, %d bytes%s",
                  session->slot, session->name, CM_Info(server->map).name,
                  server->pack.packed - offset, server->downloads_burst.more);
    }
}

void Download_Get(server_t *server, int32_t peer, const ctl_get_t *get) {
    session_t *session = &server->sessions[peer];
    download_t *download = &session->download;
    if (session->state != SESSION_LOADING || get->epoch != server->epoch) {
        server->stats.stale_packets++;
        return;
    }
    if (get->offset > server->pack.packed || server->pack.packed == 0 ||
        (download->is_on && (get->offset <= download->confirmed || get->offset > download->sent))) {
        refuse(server, session, get->offset);
        return;
    }
    if (!download->is_on) {
        begin(server, session, get->offset);
        return;
    }
    download->confirmed = get->offset;
    judge_window(download, get->offset, server->now_ms);
    if (get->offset - download->step >= DOWNLOAD_STEP || get->offset == server->pack.packed) {
        download->step = get->offset;
        session->since_ms = server->now_ms; // the time to load begins anew
    }
}

// Returns the rate of a client's download: sv_download_rate, or less if the client wishes less.
static int32_t rate_of(const server_t *server, const session_t *session) {
    const int32_t wish = Rate_Wish(session->infos[INFO_RATE - 1]);
    const int32_t rate = server->config.download_rate;
    return wish > 0 ? Q_ClampI(wish, DOWNLOAD_MIN_RATE, rate) : rate;
}

static void fill(download_t *download, int32_t rate, int64_t now_ms) {
    const int64_t passed_ms = now_ms - download->filled_ms;
    const int64_t most = Q_MaxI((int32_t)((int64_t)rate * BURST_MS / 1000), PIECE_COST);
    const int64_t more = passed_ms > BURST_MS * 20 ? most : passed_ms * rate / 1000;
    if (more > 0) { // otherwise the rest would be lost in short ticks
        const int64_t credit = download->credit + more;
        download->credit = (int32_t)(credit < most ? credit : most);
        download->filled_ms = now_ms;
    }
}

// Sends a client the pieces that its rate and its window allow. Returns their bytes.
static int32_t send_pieces(server_t *server, int32_t peer, int32_t max_bytes) {
    download_t *download = &server->sessions[peer].download;
    const download_pack_t *pack = &server->pack;
    control_msg_t msg = {.type = CTL_PIECE};
    ctl_piece_t *piece = &msg.u.piece;
    int32_t bytes = 0;
    fill(download, rate_of(server, &server->sessions[peer]), server->now_ms);
    while (download->sent < pack->packed && download->credit >= PIECE_COST && bytes < max_bytes &&
           download->sent - download->confirmed < download->window) {
        piece->offset = download->sent;
        piece->size = Q_MinI(pack->packed - download->sent, CTL_PIECE_BYTES);
        memcpy(piece->data, pack->data + piece->offset, (size_t)piece->size);
        Session_Send(server, peer, &msg);
        download->sent += piece->size;
        download->credit -= piece->size + RATE_HEADERS;
        bytes += piece->size + RATE_HEADERS;
        server->stats.download_bytes += (uint64_t)piece->size;
    }
    if (download->mark == 0 && bytes > 0) {
        download->mark = download->sent;
        download->mark_ms = server->now_ms;
    }
    return bytes;
}

void Download_Send(server_t *server) {
    int32_t left = MAX_TICK_BYTES;
    const int32_t count = server->num_sessions;
    for (int32_t i = 0; i < count && server->pack.data; i++) {
        // Another client is first in each tick, so that none waits for the others.
        const int32_t peer = (int32_t)((server->world->tick + i) % count);
        const session_t *session = &server->sessions[peer];
        if (session->state == SESSION_LOADING && session->download.is_on && left > 0) {
            left -= send_pieces(server, peer, left);
        }
    }
}
