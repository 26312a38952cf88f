#include "net/ranges.h"

#include "base/str.h"
#include "net/transport.h"

#include <stdio.h>
#include <string.h>

#define RANGE_EXAMPLE "expected an IPv4 address or range such as 192.0.2.7 or 192.0.2.0/24"
#define LOOPBACK      0x7f000001u // 127.0.0.1: programs on this machine, such as bots
#define LIST_BYTES    1024

bool Net_ParseRange(const char *text, netrange_t *range, err_t *err) {
    char host[32];
    netaddr_t address;
    int64_t bits = 32;
    size_t length = strcspn(text, "/");
    bool has_prefix = text[length] == '/';
    snprintf(host, sizeof host, "%.*s", (int)(length < sizeof host ? length : 0), text);
    if (strspn(host, "0123456789.") != length || !Net_ParseAddress(host, 0, &address, NULL) ||
        (has_prefix && (text[length + 1] == '+' || text[length + 1] == '-' ||
                        !Str_ToInt(text + length + 1, 0, 32, &bits)))) {
        return Err_Set(err, RANGE_EXAMPLE ", found \"%.64s\"", text);
    }
    range->bits = (int32_t)bits;
    range->host = address.host & Net_RangeMask(range->bits);
    return true;
}

void Net_FormatRange(netrange_t range, char text[NET_RANGE_BYTES]) {
    char prefix[8] = "";
    if (range.bits < 32) {
        snprintf(prefix, sizeof prefix, "/%d", range.bits);
    }
    snprintf(text, NET_RANGE_BYTES, "%u.%u.%u.%u%s", range.host >> 24, range.host >> 16 & 255u,
             range.host >> 8 & 255u, range.host & 255u, prefix);
}

bool Net_ParseRanges(const char *text, netranges_t *ranges, err_t *err) {
    netranges_t found = {.count = 0};
    char list[LIST_BYTES];
    if (strlcpy(list, text, sizeof list) >= sizeof list) {
        return Err_Set(err, "expected at most %d characters, found %zu", LIST_BYTES - 1,
                       strlen(text));
    }
    for (char *rest = list, *entry = NULL; (entry = strsep(&rest, " \t"));) {
        if (entry[0] == '\0') {
            continue;
        }
        if (found.count == NET_MAX_RANGES) {
            return Err_Set(err, "expected at most %d ranges; \"%.64s\" is one too many",
                           NET_MAX_RANGES, entry);
        }
        if (!Net_ParseRange(entry, &found.list[found.count++], err)) {
            return false;
        }
    }
    *ranges = found;
    return true;
}

bool Net_IsExempt(const netranges_t *exempt, uint32_t host) {
    static const netranges_t local = {.count = 1, .list = {{LOOPBACK, 32}}};
    const netranges_t *ranges = exempt ? exempt : &local;
    for (int32_t i = 0; i < ranges->count; i++) {
        if (Net_InRange(ranges->list[i], host)) {
            return true;
        }
    }
    return false;
}
