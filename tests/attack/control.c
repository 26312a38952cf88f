/// attack/control.c - local users who flood the control socket: a user with the role watch, and one
/// without any role. Without root, the server's own user, who leaves connections for the operator.
//
// The environment variable ATTACK_CONTROL has the path of the socket.

#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LINKS          200
#define OWN_LINKS      8     // without root
#define GUEST          23456 // uid; as in stage.py. The next uid has no role
#define CONNECTS_S     2000
#define NUM_BEHAVIOURS 4

static const char lines[] = "status\ncounters\ncvarlist\necho x\njson status\nhelp\n";
static const char denied[] =
    "quit\njson quit\necho; quit\nset sv_gravity 1\nsv_gravity 1\nkick 0\n"
    "exec /etc/passwd\nbots 5\nsay x\nmap walk1\nrole admin\ngame reload\n";

typedef struct {
    int fd; ///< -1 = closed
    bool has_role;
    int behaviour;
} link_t;

static void close_link(link_t *link) {
    if (link->fd >= 0) {
        close(link->fd);
    }
    link->fd = -1;
}

static void send_text(attack_t *attack, link_t *link, const char *text) {
    ssize_t sent = send(link->fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
        attack->sent++;
        attack->sent_bytes += (uint64_t)sent;
    } else if (errno != EAGAIN) {
        attack->dropped++;
        close_link(link);
    }
}

static void read_all(attack_t *attack, link_t *link) {
    static char text[65536];
    ssize_t got;
    while (link->fd >= 0 && (got = recv(link->fd, text, sizeof text, MSG_DONTWAIT)) != -1) {
        attack->received_bytes += (uint64_t)got;
        if (got == 0) {
            close_link(link);
        }
    }
}

static void open_link(attack_t *attack, link_t *link) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char *path = getenv("ATTACK_CONTROL");
    bool is_root = getuid() == 0;
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path ? path : "");
    link->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->fd < 0 || (is_root && seteuid(link->has_role ? GUEST : GUEST + 1) != 0)) {
        perror("attack: control");
        exit(2);
    }
    if (connect(link->fd, (struct sockaddr *)&name, sizeof name) == 0) {
        attack->connected++;
        send_text(attack, link, "role watch\n"); // without root, it is the server's user: admin
    } else {
        close_link(link);
    }
    if (is_root && seteuid(0) != 0) {
        exit(2);
    }
}

// Counts a greeting to somebody without a role as reason 0.
static void read_refusal(attack_t *attack, link_t *link) {
    char text[400];
    ssize_t got = recv(link->fd, text, sizeof text, MSG_DONTWAIT);
    if (got >= 0) {
        attack->reasons[0] += got > 0 && text[0] != '!' ? 1 : 0;
        close_link(link);
    }
}

static void step(attack_t *attack, link_t *link, uint32_t turn) {
    if (!link->has_role) {
        read_refusal(attack, link);
        return;
    }
    switch (link->behaviour) {
    case 0: // enters commands as fast as they are read
        send_text(attack, link, turn % 4 ? lines : denied);
        read_all(attack, link);
        break;
    case 1: // a line that never ends
        send_text(attack, link, "half a line ");
        break;
    case 2: // follows the log, and reads nothing
        send_text(attack, link, turn % 2 ? "follow\n" : lines);
        break;
    default: // reads no answers
        send_text(attack, link, lines);
        break;
    }
}

static void flood_control(attack_t *attack) {
    static link_t links[LINKS];
    pace_t connects = {.per_s = CONNECTS_S};
    int count = getuid() == 0 ? LINKS : OWN_LINKS;
    int next = 0;
    for (int i = 0; i < count; i++) {
        links[i] = (link_t){.fd = -1,
                            .has_role = i % 2 == 0 || count == OWN_LINKS,
                            .behaviour = i / 2 % NUM_BEHAVIOURS};
    }
    for (uint32_t turn = 0; Attack_Runs(attack, 1); turn++) {
        for (uint32_t due = Pace_Take(&connects, attack, 50); due > 0; due--) {
            for (int tries = 0; tries < count && links[next].fd >= 0; tries++) {
                next = (next + 1) % count;
            }
            if (links[next].fd < 0) {
                open_link(attack, &links[next]);
            }
            next = (next + 1) % count;
        }
        for (int i = 0; i < count; i++) {
            if (links[i].fd >= 0) {
                step(attack, &links[i], turn);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        close_link(&links[i]);
    }
}

const attack_row_t control_rows[] = {{"control", flood_control}, {0}};
