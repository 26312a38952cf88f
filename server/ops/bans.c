#include "ops/bans.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define TIME_BYTES 20 // "2026-12-24T18:00:00Z"

// ---- text ----

bool Ban_ParseSpan(const char *text, int64_t *seconds) {
    static const char units[] = "smhdw";
    static const int64_t lengths[] = {1, 60, 3600, 86400, 7 * 86400};
    char number[8];
    int64_t count = 0;
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] != '\0' ? strchr(units, text[digits]) : NULL;
    if (digits == 0 || digits >= sizeof number || !unit || text[digits + 1] != '\0') {
        return false;
    }
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    if (!Str_ToInt(number, 1, 99999, &count)) {
        return false;
    }
    *seconds = count * lengths[unit - units];
    return true;
}

void Ban_FormatTime(int64_t until_s, char text[32]) {
    struct tm parts;
    time_t when = (time_t)until_s;
    if (until_s == 0 || !gmtime_r(&when, &parts) ||
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        snprintf(text, 32, "forever");
    }
}

// Parses a time exactly as Ban_FormatTime writes it.
static bool parse_time(const char *text, int64_t *until_s) {
    struct tm parts = {0};
    char again[32];
    *until_s = 0;
    if (strcmp(text, "forever") == 0) {
        return true;
    }
    if (strlen(text) != TIME_BYTES ||
        sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
               &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6) {
        return false;
    }
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    *until_s = (int64_t)timegm(&parts);
    Ban_FormatTime(*until_s, again);
    return *until_s > 0 && strcmp(again, text) == 0; // false for a date such as February 31
}

// Copies the next word of *line to `word`, cut to size - 1 bytes, and advances *line past it.
static void take_word(const char **line, char *word, size_t size) {
    static const char blank[] = " \t\r";
    *line += strspn(*line, blank);
    size_t length = strcspn(*line, blank);
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), *line);
    *line += length;
    *line += strspn(*line, blank);
}

bool Ban_ParseWho(const char *text, ban_t *ban, err_t *err) {
    const char *id = text + strlen(BAN_ID);
    memset(ban->id, 0, sizeof ban->id);
    if (strncmp(text, BAN_ID, strlen(BAN_ID)) != 0) {
        return Net_ParseRange(text, &ban->range, err);
    }
    if (!Token_IsId(id)) {
        return Err_Set(err, "expected a player id of 1 to %d visible characters after \"%s\"",
                       PLAYER_ID_BYTES - 1, BAN_ID);
    }
    ban->range = (netrange_t){.bits = BAN_ID_BITS};
    memcpy(ban->id, id, strlen(id));
    return true;
}

void Ban_FormatWho(const ban_t *ban, char text[BAN_WHO_BYTES]) {
    if (ban->id[0] != '\0') {
        snprintf(text, BAN_WHO_BYTES, BAN_ID "%s", ban->id);
    } else {
        Net_FormatRange(ban->range, text);
    }
}

bool Ban_ParseLine(const char *line, ban_t *ban, err_t *err) {
    char kind[BAN_LINE_BYTES], who[BAN_LINE_BYTES], until[BAN_LINE_BYTES]; // any word fits
    char reason[BAN_REASON];
    memset(ban, 0, sizeof *ban);
    if (strlen(line) >= BAN_LINE_BYTES) {
        return Err_Set(err, "expected a line of at most %d bytes, found %zu", BAN_LINE_BYTES - 1,
                       strlen(line));
    }
    take_word(&line, kind, sizeof kind);
    ban->is_allowed = strcmp(kind, "allow") == 0;
    if (!ban->is_allowed && strcmp(kind, "ban") != 0) {
        return Err_Set(err, "expected \"ban\" or \"allow\", found \"%s\"", kind);
    }
    take_word(&line, who, sizeof who);
    if (!Ban_ParseWho(who, ban, err)) {
        return false;
    }
    if (ban->is_allowed && ban->id[0] != '\0') {
        return Err_Set(err, "expected an address or range after \"allow\", found \"%s\"", who);
    }
    take_word(&line, until, sizeof until);
    if (!parse_time(until, &ban->until_s)) {
        return Err_Set(err,
                       "expected \"forever\" or a time such as 2026-12-24T18:00:00Z, "
                       "found \"%s\"",
                       until);
    }
    snprintf(reason, sizeof reason, "%s", line);
    Str_Clean(reason);
    snprintf(ban->reason, sizeof ban->reason, "%s", reason);
    return true;
}

void Ban_FormatLine(const ban_t *ban, char line[BAN_LINE_BYTES]) {
    char who[BAN_WHO_BYTES], until[32];
    Ban_FormatWho(ban, who);
    Ban_FormatTime(ban->until_s, until);
    snprintf(line, BAN_LINE_BYTES, "%s %s %s%s%s", ban->is_allowed ? "allow" : "ban", who, until,
             ban->reason[0] != '\0' ? " " : "", ban->reason);
}

// ---- the list ----

// Compares two entries in the order of the list.
static int32_t compare(const ban_t *a, const ban_t *b) {
    return a->range.bits != b->range.bits   ? a->range.bits - b->range.bits
           : a->range.host != b->range.host ? (a->range.host < b->range.host ? -1 : 1)
                                            : strcmp(a->id, b->id);
}

// Returns the index of the first entry that is not sorted before `which`.
static int32_t lower_bound(const bans_t *bans, const ban_t *which) {
    int32_t low = 0, high = bans->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (compare(&bans->list[middle], which) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const bans_t *bans, int32_t index, const ban_t *which) {
    return index < bans->count && compare(&bans->list[index], which) == 0;
}

bool Bans_Set(bans_t *bans, const ban_t *ban) {
    int32_t at = lower_bound(bans, ban);
    if (!is_at(bans, at, ban)) {
        if (bans->count == MAX_BANS) {
            return false;
        }
        memmove(&bans->list[at + 1], &bans->list[at],
                (size_t)(bans->count - at) * sizeof bans->list[0]);
        bans->count++;
        bans->lengths |= UINT64_C(1) << ban->range.bits;
    } else if (ban->is_saved && !bans->list[at].is_saved) {
        return true;
    }
    bans->list[at] = *ban;
    return true;
}

bool Bans_Remove(bans_t *bans, const ban_t *which) {
    int32_t at = lower_bound(bans, which);
    if (!is_at(bans, at, which) || bans->list[at].is_removed) {
        return false;
    }
    bans->list[at].is_removed = true;
    bans->list[at].is_saved = false;
    return true;
}

bool Bans_InForce(const bans_t *bans, const ban_t *ban) {
    return !ban->is_removed && (ban->until_s == 0 || ban->until_s > bans->now_s);
}

const ban_t *Bans_Find(const bans_t *bans, uint32_t host) {
    for (int32_t bits = 32; bits >= 0; bits--) {
        if (bans->lengths & UINT64_C(1) << bits) {
            const ban_t which = {.range = {host & Net_RangeMask(bits), bits}};
            int32_t at = lower_bound(bans, &which);
            if (is_at(bans, at, &which) && Bans_InForce(bans, &bans->list[at])) {
                return &bans->list[at];
            }
        }
    }
    return NULL;
}

net_reason_t Bans_Allow(void *bans, netaddr_t from) {
    const ban_t *ban = Bans_Find(bans, from.host);
    return ban && !ban->is_allowed ? NET_REASON_BANNED : NET_REASON_NONE;
}

net_reason_t Bans_AllowId(void *context, const char *id) {
    const bans_t *bans = context;
    ban_t which = {.range.bits = BAN_ID_BITS};
    snprintf(which.id, sizeof which.id, "%s", id);
    int32_t at = lower_bound(bans, &which);
    return is_at(bans, at, &which) && Bans_InForce(bans, &bans->list[at]) ? NET_REASON_BANNED
                                                                          : NET_REASON_NONE;
}
