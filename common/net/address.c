#include "base/str.h"
#include "net/transport.h"

#include <stdio.h>
#include <string.h>

#define ADDRESS_EXAMPLE "expected a.b.c.d[:port] or localhost[:port]"

/// Parses a decimal number. Rejects leading zeros, which some programs read as octal.
static bool parse_number(const char *text, int64_t hi, int64_t *out) {
    if (text[0] < '0' || text[0] > '9' || (text[0] == '0' && text[1] != '\0')) {
        return false;
    }
    return Str_ToInt(text, 0, hi, out);
}

static bool parse_host(char *text, uint32_t *out) {
    if (strcmp(text, "localhost") == 0) {
        *out = 0x7f000001u;
        return true;
    }
    uint32_t host = 0;
    char *rest = text;
    for (int32_t part = 0; part < 4; part++) {
        int64_t value = 0;
        const char *number = strsep(&rest, ".");
        if (!number || !parse_number(number, 255, &value)) {
            return false;
        }
        host = host << 8 | (uint32_t)value;
    }
    *out = host;
    return rest == NULL;
}

bool Net_ParseAddress(const char *text, uint16_t default_port, netaddr_t *out, err_t *err) {
    const char *colon = strchr(text, ':');
    if (text[0] == '[' || (colon && strchr(colon + 1, ':'))) {
        return Err_Set(err, "address \"%s\": IPv6 is not supported, only IPv4: " ADDRESS_EXAMPLE,
                       text);
    }
    char copy[32];
    if (strlcpy(copy, text, sizeof copy) >= sizeof copy) {
        return Err_Set(err, "address \"%s\" has more than 31 characters: " ADDRESS_EXAMPLE, text);
    }
    int64_t port = default_port;
    if (colon) {
        copy[colon - text] = '\0';
        if (!parse_number(copy + (colon - text) + 1, 65535, &port) || port == 0) {
            return Err_Set(err, "address \"%s\": expected a port 1..65535 after the colon", text);
        }
    }
    uint32_t host = 0;
    if (!parse_host(copy, &host)) {
        return Err_Set(err, "address \"%s\" is not an IPv4 address: " ADDRESS_EXAMPLE, text);
    }
    *out = (netaddr_t){.host = host, .port = (uint16_t)port};
    return true;
}

void Net_FormatAddress(netaddr_t address, char *text, size_t size) {
    snprintf(text, size, "%u.%u.%u.%u:%u", address.host >> 24, address.host >> 16 & 255u,
             address.host >> 8 & 255u, address.host & 255u, (unsigned)address.port);
}

const char *Net_ReasonText(net_reason_t reason) {
    switch (reason) {
    case NET_REASON_NONE:
        return "connection lost";
    case NET_REASON_LEFT:
        return "left";
    case NET_REASON_SHUTDOWN:
        return "the server shut down";
    case NET_REASON_FULL:
        return "the server is full";
    case NET_REASON_BAD_DATA:
        return "sent bytes that do not decode";
    case NET_REASON_KICKED:
        return "kicked";
    case NET_REASON_TIMEOUT:
        return "timed out";
    case NET_REASON_OVERFLOW:
        return "did not keep up with reliable messages";
    case NET_REASON_VERSION:
        return "speaks another version of the protocol";
    case NET_REASON_ADDRESS:
        return "too many connections from one address";
    case NET_REASON_IDLE:
        return "was idle, and another player joined";
    case NET_REASON_BANNED:
        return "banned from this server";
    case NET_REASON_PASSWORD:
        return "a wrong password, or none";
    case NET_REASON_SEAL:
        return "this server needs a sealed session";
    case NET_REASON_TOKEN:
        return "a wrong token or ticket, or none";
    case NET_REASON_NO_SEAL:
        return "the server does not seal sessions";
    case NET_REASON_KEY:
        return "the server has another key than expected";
    case NET_REASON_COUNT:
        break;
    }
    return "unknown reason";
}
