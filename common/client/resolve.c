#include "edict/client.h"
#include "net/transport.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define MAX_HOST_NAME 253 // characters, the maximum of DNS

/// Returns 0, or the error of getaddrinfo. Writes the first address if it is of IPv4.
static int look_up(const char *name, int family, uint32_t *host) {
    const struct addrinfo wanted = {.ai_family = family, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    int fault = getaddrinfo(name, NULL, &wanted, &found);
    if (fault == 0) {
        struct sockaddr_in first;
        if (family == AF_INET) {
            memcpy(&first, found->ai_addr, sizeof first);
            *host = ntohl(first.sin_addr.s_addr);
        }
        freeaddrinfo(found);
    }
    return fault;
}

static bool resolve_name(const char *name, uint32_t *host, err_t *err) {
    int fault = look_up(name, AF_INET, host);
    if (fault == 0) {
        return true;
    }
    if (fault == EAI_AGAIN) {
        return Err_Set(
            err, "host \"%s\": no name server answered; try again, or give the IPv4 address", name);
    }
    if (look_up(name, AF_INET6, NULL) == 0) {
        return Err_Set(err, "host \"%s\" has only IPv6 addresses; expected a host with IPv4", name);
    }
    return Err_Set(err, "host \"%s\": %s; expected an IPv4 address or the name of a host with one",
                   name, fault == EAI_NONAME ? "unknown host" : gai_strerror(fault));
}

bool CL_Resolve(const char *text, uint16_t default_port, netaddr_t *server, err_t *err) {
    char name[MAX_HOST_NAME + 1], with_port[32];
    netaddr_t found;
    size_t length = strcspn(text, ":");
    bool is_name = length > 0 && text[0] != '[' && strspn(text, "0123456789.") < length &&
                   strchr(text, ':') == strrchr(text, ':');
    if (Net_ParseAddress(text, default_port, server, err)) {
        return true;
    }
    if (!is_name) {
        return false;
    }
    if (length > MAX_HOST_NAME) {
        return Err_Set(err, "host name of %zu characters: expected at most %d", length,
                       MAX_HOST_NAME);
    }
    snprintf(with_port, sizeof with_port, "0.0.0.0%s", text + length);
    if (!Net_ParseAddress(with_port, default_port, &found, NULL)) {
        return Err_Set(err, "address \"%.300s\": expected a port 1..65535 after the colon", text);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!resolve_name(name, &found.host, err)) {
        return false;
    }
    *server = found;
    return true;
}
