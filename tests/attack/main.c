/// attack/main.c - edict-attack: runs one attack on a server of this machine for some seconds.
//
// usage: attack NAME PORT SECONDS [polite] [ADDRESS:PORT]...   or: attack list
// The addresses are those of players, for forged senders.
// Prints one line of counters, as seen by the attacker. attack.py runs it and measures the server.

#include "attack.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECONDS 60

// For rows in which only attack.py does something.
static void nothing(attack_t *attack) {
    while (Attack_Runs(attack, 10)) {
    }
}

static const attack_row_t other_rows[] = {
    {"clock", nothing}, {"join-burst", nothing}, {"tokens", nothing}, {0}};
static const attack_row_t *const tables[] = {flood_rows, order_rows, crowd_rows,   abuse_rows,
                                             spoof_rows, proxy_rows, control_rows, other_rows};

static const attack_row_t *find(const char *name, bool list) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const attack_row_t *row = tables[i]; row->name; row++) {
            if (list) {
                puts(row->name);
            } else if (strcmp(row->name, name) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    attack_t attack = {0};
    const attack_row_t *row = argc > 1 ? find(argv[1], strcmp(argv[1], "list") == 0) : NULL;
    if (argc == 2 && !row && strcmp(argv[1], "list") == 0) {
        return 0;
    }
    double seconds = argc > 3 ? strtod(argv[3], NULL) : 0.0;
    if (!row || !(seconds > 0.0 && seconds <= MAX_SECONDS)) {
        fputs("usage: attack NAME PORT SECONDS [polite] [ADDRESS:PORT]..., or attack list\n",
              stderr);
        return 2;
    }
    attack.port = (uint16_t)strtoul(argv[2], NULL, 10);
    attack.polite = argc > 4 && strcmp(argv[4], "polite") == 0;
    for (int i = attack.polite ? 5 : 4; i < argc && attack.victims < 64; i++) {
        struct sockaddr_in *victim = &attack.victim[attack.victims++];
        char *port = strchr(argv[i], ':');
        if (!port || port[1] == '\0') {
            return 2;
        }
        *port++ = '\0';
        victim->sin_family = AF_INET;
        victim->sin_addr.s_addr = inet_addr(argv[i]);
        victim->sin_port = htons((uint16_t)strtoul(port, NULL, 10));
    }
    attack.start_ns = Clock_Ns();
    attack.end_ns = attack.start_ns + (int64_t)(seconds * 1e9);
    row->run(&attack);
    printf(
        "sent %llu sent_bytes %llu received %llu received_bytes %llu largest %llu connected %llu "
        "dropped %llu first_drop_ms %lld",
        (unsigned long long)attack.sent, (unsigned long long)attack.sent_bytes,
        (unsigned long long)attack.received, (unsigned long long)attack.received_bytes,
        (unsigned long long)attack.largest, (unsigned long long)attack.connected,
        (unsigned long long)attack.dropped, (long long)attack.first_drop_ms);
    for (int i = 0; i < ATTACK_REASONS; i++) {
        if (attack.reasons[i] > 0) {
            printf(" reason%d %llu", i, (unsigned long long)attack.reasons[i]);
        }
    }
    putchar('\n');
    return 0;
}
