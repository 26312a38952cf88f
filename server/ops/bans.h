/// ops/bans.h - the ban list: which addresses may connect, for how long, and why.
//
// Units:   times are seconds since 1970 (UTC); the caller sets `now_s`.
// Memory:  fixed, except for bans_t.kept, which Bans_Free frees.
// Rule:    the entry with the longest prefix decides. To admit only some addresses, write
//          "ban 0.0.0.0/0" and an "allow" line for each of them.
//
// A line of the file, with an expiry as "2026-12-24T18:00:00Z" or "forever":
//
//     ban 192.0.2.0/24 forever floods the chat
//     allow 192.0.2.7 2026-12-24T18:00:00Z

#ifndef EDICTD_OPS_BANS_H
#define EDICTD_OPS_BANS_H

#include "base/log.h"
#include "net/transport.h"

#define MAX_BANS       4096
#define BAN_REASON     128               // bytes of a reason with its NUL
#define BAN_LINE_BYTES 256               // one line of the file
#define MAX_BAN_BYTES  (4 * 1024 * 1024) // the file

typedef struct {
    uint32_t host;   ///< host byte order; the bits after the prefix are 0
    int32_t bits;    ///< length of the prefix, 0..32
    bool is_allowed; ///< an entry of `allow`, which exempts from shorter prefixes
    bool is_saved;   ///< the file contains the entry
    bool is_removed; ///< no effect, but hides the same line of the file until Bans_Save
    int64_t until_s; ///< 0 = forever
    char reason[BAN_REASON];
} ban_t;

typedef struct {
    int64_t now_s;    ///< clock for expiry
    uint64_t lengths; ///< bit n: an entry has a prefix of n bits
    const char *path; ///< the file; "" = the list is not saved
    char *kept;       ///< comments and faulty lines of the file, which Bans_Save writes back
    bool is_unread;   ///< the file could not be read, so it is not overwritten
    bool is_unsaved;  ///< the last change could not be written
    int32_t count;
    ban_t list[MAX_BANS]; ///< sorted by prefix length, then host
} bans_t;

/// Parses "a.b.c.d" or "a.b.c.d/bits" into host and bits. Clears the bits after the prefix.
bool Ban_ParseRange(const char *text, ban_t *ban, err_t *err);

/// Writes "a.b.c.d" or "a.b.c.d/bits".
void Ban_FormatRange(const ban_t *ban, char text[24]);

/// Returns true if an address is within the range of an entry.
bool Ban_Contains(const ban_t *ban, uint32_t host);

/// Parses a time span such as "90s", "30m", "12h", "7d" or "2w"; at most 99,999 units.
bool Ban_ParseSpan(const char *text, int64_t *seconds);

/// Writes "2026-12-24T18:00:00Z", or "forever" for 0.
void Ban_FormatTime(int64_t until_s, char text[32]);

/// Parses one line of the file, without its newline.
bool Ban_ParseLine(const char *line, ban_t *ban, err_t *err);
void Ban_FormatLine(const ban_t *ban, char line[BAN_LINE_BYTES]);

/// Adds an entry, or replaces the entry of the same range. Returns false if the list is full.
bool Bans_Set(bans_t *bans, const ban_t *ban);

/// Removes the entry of exactly this range. Returns false if there is none.
bool Bans_Remove(bans_t *bans, uint32_t host, int32_t bits);

/// Returns true unless the entry has expired or was removed.
bool Bans_InForce(const bans_t *bans, const ban_t *ban);

/// Returns the entry that applies to an address, or NULL.
const ban_t *Bans_Find(const bans_t *bans, uint32_t host);

/// Returns NET_REASON_BANNED for a banned address, otherwise NET_REASON_NONE (a net_allow_fn).
net_reason_t Bans_Allow(void *bans, netaddr_t from);

/// Replaces the list by the lines of a text. Keeps entries that are not saved yet. Logs at most 20
/// faulty lines. Returns false, and changes nothing, if out of memory.
bool Bans_Parse(bans_t *bans, const char *text, const log_t *log);

/// Returns the text of the file: the kept lines, then the entries. The caller frees the text.
/// Returns NULL if out of memory.
char *Bans_Text(const bans_t *bans);

/// Reads the file. A missing file is an empty one. If it cannot be read, the list in memory stays,
/// and Bans_Save refuses to overwrite the file.
bool Bans_Load(bans_t *bans, const log_t *log, err_t *err);

/// Replaces the whole file; on failure the old file stays. Discards removed and expired entries. A
/// new file is readable only by its owner.
bool Bans_Save(bans_t *bans, err_t *err);

void Bans_Free(bans_t *bans);

#endif
