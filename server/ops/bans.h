/// ops/bans.h - the ban list: banned and allowed ranges of addresses and banned player ids, with
/// expiry and reason.
//
// Units:   seconds since 1970 (UTC). The caller sets `now_s`.
// Memory:  fixed, except for bans_t.kept, which Bans_Free frees.
// Rule:    the entry with the longest prefix decides. "ban 0.0.0.0/0" admits only addresses with
//          an "allow" line.
//
// Lines of the file:
//
//     ban 192.0.2.0/24 forever floods the chat
//     allow 192.0.2.7 2026-12-24T18:00:00Z
//     ban id:steam:1 forever

#ifndef EDICTD_OPS_BANS_H
#define EDICTD_OPS_BANS_H

#include "base/log.h"
#include "core/token.h"
#include "net/ranges.h"
#include "net/transport.h"

#define MAX_BANS       4096
#define BAN_REASON     128 // bytes of a reason, with the NUL
#define BAN_WHO_BYTES  72  // a range, or "id:" and a player id
#define BAN_ID         "id:"
#define BAN_ID_BITS    33                // range.bits of a player id
#define BAN_LINE_BYTES 256               // one line of the file
#define MAX_BAN_BYTES  (4 * 1024 * 1024) // the file

typedef struct {
    netrange_t range;         ///< bits is BAN_ID_BITS: only `id` counts
    char id[PLAYER_ID_BYTES]; ///< "" = a range
    bool is_allowed;          ///< an entry of `allow`
    bool is_saved;            ///< the file contains the entry
    bool is_removed;          ///< no effect; Bans_Save removes the entry from the file
    int64_t until_s;          ///< 0 = forever
    char reason[BAN_REASON];
} ban_t;

typedef struct {
    int64_t now_s;    ///< clock for expiry
    uint64_t lengths; ///< bit n: an entry has a prefix of n bits
    const char *path; ///< the file; "" = the list is not saved
    char *kept;       ///< comments and faulty lines of the file, which Bans_Save writes back
    bool is_unread;   ///< the file could not be read, so it is not overwritten
    bool is_unsaved;  ///< the file lacks the last change
    bool is_missing;  ///< the file does not exist
    int32_t faults;   ///< faulty lines of the file
    int32_t count;
    ban_t list[MAX_BANS]; ///< sorted by prefix length, then host, then id
} bans_t;

/// Parses a time span such as "90s", "30m", "12h", "7d" or "2w"; at most 99,999 units.
bool Ban_ParseSpan(const char *text, int64_t *seconds);

/// Writes "2026-12-24T18:00:00Z", or "forever" for 0.
void Ban_FormatTime(int64_t until_s, char text[32]);

/// Parses a range, or "id:" and a player id. Changes only these members of *ban.
bool Ban_ParseWho(const char *text, ban_t *ban, err_t *err);
void Ban_FormatWho(const ban_t *ban, char text[BAN_WHO_BYTES]);

/// Parses one line of the file, without the newline.
bool Ban_ParseLine(const char *line, ban_t *ban, err_t *err);
void Ban_FormatLine(const ban_t *ban, char line[BAN_LINE_BYTES]);

/// Adds an entry, or replaces the entry of the same range. Returns false if the list is full.
bool Bans_Set(bans_t *bans, const ban_t *ban);

/// Removes the entry of exactly this range or id. Returns false if there is none.
bool Bans_Remove(bans_t *bans, const ban_t *which);

/// Returns true unless the entry has expired or was removed.
bool Bans_InForce(const bans_t *bans, const ban_t *ban);

/// Returns the entry that applies to an address, or NULL.
const ban_t *Bans_Find(const bans_t *bans, uint32_t host);

/// Returns NET_REASON_BANNED for a banned player id, otherwise NET_REASON_NONE (a server_allow_fn).
net_reason_t Bans_AllowId(void *bans, const char *id);

/// Returns NET_REASON_BANNED for a banned address, otherwise NET_REASON_NONE (a net_allow_fn).
net_reason_t Bans_Allow(void *bans, netaddr_t from);

/// Replaces the list by the lines of a text. Keeps unsaved entries. Logs at most 20 faulty lines.
/// If out of memory, changes nothing and returns false.
bool Bans_Parse(bans_t *bans, const char *text, const log_t *log);

/// Returns the text of the file: the kept lines, then the entries. The caller frees the text. NULL
/// = out of memory.
char *Bans_Text(const bans_t *bans);

/// Reads the file. A missing file counts as empty. If the file cannot be read, keeps the list, and
/// Bans_Save fails.
bool Bans_Load(bans_t *bans, const log_t *log, err_t *err);

/// Replaces the whole file. On failure the old file stays. Discards removed and expired entries.
bool Bans_Save(bans_t *bans, err_t *err);

/// Checks that the file has no faulty line and that Bans_Save can write it.
bool Bans_Check(const bans_t *bans, err_t *err);

void Bans_Free(bans_t *bans);

#endif
