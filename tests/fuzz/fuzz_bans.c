// fuzz_bans.c - any bytes as the file of a ban list, and then an address.
//
// Input:      u32 address, u16 clock (added to the year 2001), then the text of the file.
// Invariants: the list is sorted, within its bounds and without expired entries; the entry that
//             decides contains the address; each line that is written is read again as it was; the
//             written file has the same entries and keeps the same other lines.

#include "base/assert.h"
#include "ops/bans.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 6
#define YEAR_2001  INT64_C(978307200)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entries(const bans_t *bans) {
    for (int32_t i = 0; i < bans->count; i++) {
        const ban_t *ban = &bans->list[i];
        char line[BAN_LINE_BYTES];
        ban_t again;
        ASSERT(i == 0 || ban[-1].range.bits < ban->range.bits ||
               (ban[-1].range.bits == ban->range.bits &&
                (ban[-1].range.host < ban->range.host ||
                 (ban->id[0] != '\0' && strcmp(ban[-1].id, ban->id) < 0))));
        ASSERT(ban->range.bits >= 0 && ban->range.bits <= (ban->id[0] != '\0' ? BAN_ID_BITS : 32));
        ASSERT(ban->id[0] == '\0' || Bans_AllowId((void *)(uintptr_t)bans, ban->id));
        ASSERT(ban->range.bits >= 32 || (ban->range.host & UINT32_MAX >> ban->range.bits) == 0);
        ASSERT(ban->until_s == 0 || ban->until_s > bans->now_s);
        Ban_FormatLine(ban, line);
        ASSERT(strlen(line) < sizeof line - 1);
        bool good = Ban_ParseLine(line, &again, NULL);
        again.is_saved = ban->is_saved;
        ASSERT(good && memcmp(&again, ban, sizeof again) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bans_t bans, again; // too large for the stack; both start empty each time
    uint32_t host = 0;
    uint16_t days = 0;
    if (size < HEAD_BYTES) {
        return 0;
    }
    memcpy(&host, data, sizeof host);
    memcpy(&days, data + sizeof host, sizeof days);
    char *text = malloc(size - HEAD_BYTES + 1);
    ASSERT(text);
    memcpy(text, data + HEAD_BYTES, size - HEAD_BYTES);
    text[size - HEAD_BYTES] = '\0';
    bans.now_s = again.now_s = YEAR_2001 + days * INT64_C(86400);
    bans.path = again.path = "bans";
    bans.count = again.count = 0;
    bool good = Bans_Parse(&bans, text, NULL);
    ASSERT(good);
    check_entries(&bans);
    const ban_t *ban = Bans_Find(&bans, host);
    ASSERT(!ban || ban->range.bits == 0 ||
           host >> (32 - ban->range.bits) == ban->range.host >> (32 - ban->range.bits));
    char *written = Bans_Text(&bans);
    good = written && Bans_Parse(&again, written, NULL);
    ASSERT(good && again.count == bans.count && strcmp(again.kept, bans.kept) == 0);
    ASSERT(memcmp(again.list, bans.list, (size_t)bans.count * sizeof bans.list[0]) == 0);
    free(written);
    free(text);
    Bans_Free(&bans);
    Bans_Free(&again);
    return 0;
}
