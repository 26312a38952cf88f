/// ops/ban_file.c - reads and writes the file of a ban list.

#include "ops/bans.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FAULTS 20 // maximum faulty lines logged per file

static const char head[] =
    "# The bans of edictd. A change of a ban writes this file again, with all comments on top.\n"
    "# ban|allow ADDRESS[/BITS]|id:PLAYER forever|YYYY-MM-DDTHH:MM:SSZ [REASON]\n";

// Adds the entry of a line. Returns false, with the reason, if the line must stay in the file.
static bool add_line(bans_t *bans, const char *line, err_t *err) {
    ban_t ban;
    if (!Ban_ParseLine(line, &ban, err)) {
        return false;
    }
    ban.is_saved = true;
    return !Bans_InForce(bans, &ban) || Bans_Set(bans, &ban) ||
           Err_Set(err, "expected at most %d entries, found more; this one has no effect",
                   MAX_BANS);
}

// Removes all saved entries from the list.
static void drop_saved(bans_t *bans) {
    int32_t used = 0;
    bans->lengths = 0;
    for (int32_t i = 0; i < bans->count; i++) {
        if (!bans->list[i].is_saved) {
            bans->list[used++] = bans->list[i];
            bans->lengths |= UINT64_C(1) << bans->list[i].range.bits;
        }
    }
    bans->count = used;
}

bool Bans_Parse(bans_t *bans, const char *text, const log_t *log) {
    size_t used = 0;
    int32_t number = 0, faults = 0;
    char *kept = malloc(strlen(text) + 2); // + 2: a newline, if the last line lacks one, and a NUL
    if (!kept) {
        return false;
    }
    drop_saved(bans);
    for (const char *at = text; *at != '\0';) {
        char line[BAN_LINE_BYTES + 1]; // + 1 keeps a line that is too long invalid
        err_t why = {{0}};
        size_t length = strcspn(at, "\n");
        size_t blanks = strspn(at, " \t\r");
        bool is_comment = at[blanks] == '#' || blanks >= length;
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1),
                 at);
        number++;
        if (is_comment || !add_line(bans, line, &why)) {
            memcpy(kept + used, at, length);
            used += length;
            kept[used++] = '\n';
        }
        if (why.text[0] != '\0' && faults++ < MAX_FAULTS) {
            Log_Print(log, LOG_ERROR, "%s:%d: %.400s", bans->path, number, why.text);
        }
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    if (faults > 0) {
        Log_Print(log, LOG_ERROR, "%s: %d faulty line%s no effect; %s in the file", bans->path,
                  faults, faults > 1 ? "s have" : " has", faults > 1 ? "they stay" : "it stays");
    }
    bans->faults = faults;
    kept[used] = '\0';
    free(bans->kept);
    bans->kept = kept;
    return true;
}

char *Bans_Text(const bans_t *bans) {
    const char *kept = bans->kept ? bans->kept : head;
    size_t used = strlen(kept);
    char *text = malloc(used + (size_t)bans->count * BAN_LINE_BYTES + 1);
    if (!text) {
        return NULL;
    }
    memcpy(text, kept, used + 1);
    for (int32_t i = 0; i < bans->count; i++) {
        if (Bans_InForce(bans, &bans->list[i])) {
            Ban_FormatLine(&bans->list[i], text + used);
            used += strlen(text + used);
            text[used++] = '\n';
        }
    }
    text[used] = '\0';
    return text;
}

bool Bans_Load(bans_t *bans, const log_t *log, err_t *err) {
    size_t size = 0;
    if (bans->path[0] == '\0') {
        return true;
    }
    bool is_missing = access(bans->path, F_OK) != 0 && errno == ENOENT;
    bans->is_missing = is_missing;
    bans->faults = 0;
    uint8_t *text = is_missing ? NULL : File_Read(bans->path, MAX_BAN_BYTES, &size, err);
    bans->is_unread = !is_missing && !text;
    if (is_missing) {
        free(bans->kept);
        bans->kept = NULL;
        drop_saved(bans);
    } else if (text && strlen((const char *)text) < size) {
        bans->is_unread = true;
        Err_Set(err, "%s: expected text, found a NUL byte at byte %zu", bans->path,
                strlen((const char *)text));
    } else if (text && !Bans_Parse(bans, (const char *)text, log)) {
        bans->is_unread = true;
        Err_Set(err, "%s: out of memory while reading %zu bytes", bans->path, size);
    }
    free(text);
    return !bans->is_unread;
}

bool Bans_Check(const bans_t *bans, err_t *err) {
    char folder[PATH_MAX];
    if (bans->path[0] == '\0') {
        return true;
    }
    if (bans->faults > 0) {
        return Err_Set(err, "sv_banfile %s: correct the lines above", bans->path);
    }
    snprintf(folder, sizeof folder, "%s", bans->path);
    if (access(dirname(folder), W_OK | X_OK) != 0) {
        return Err_Set(err, "sv_banfile %s: edictd cannot write into the folder: %s", bans->path,
                       strerror(errno));
    }
    return true;
}

static bool write_file(const bans_t *bans, err_t *err) {
    if (bans->is_unread) {
        return Err_Set(err,
                       "%s: not written, because it could not be read; correct the file, then send "
                       "SIGHUP",
                       bans->path);
    }
    int fd = open(bans->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd); // File_Write keeps the mode of this empty file
    }
    char *text = Bans_Text(bans);
    size_t size = text ? strlen(text) : 0;
    bool good = !text ? Err_Set(err, "%s: not written, out of memory", bans->path)
                : size > MAX_BAN_BYTES
                    ? Err_Set(err, "%s: not written, expected at most %d bytes, found %zu",
                              bans->path, MAX_BAN_BYTES, size)
                    : File_Write(bans->path, text, size, err);
    free(text);
    return good;
}

bool Bans_Save(bans_t *bans, err_t *err) {
    int32_t used = 0;
    bans->is_unsaved = bans->path[0] != '\0' && !write_file(bans, err);
    for (int32_t i = 0; !bans->is_unsaved && i < bans->count; i++) {
        if (Bans_InForce(bans, &bans->list[i])) {
            bans->list[used] = bans->list[i];
            bans->list[used++].is_saved = true;
        }
    }
    bans->count = bans->is_unsaved ? bans->count : used;
    return !bans->is_unsaved;
}

void Bans_Free(bans_t *bans) {
    free(bans->kept);
    bans->kept = NULL;
}
