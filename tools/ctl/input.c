#include "ctl/input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Reads a line without an editor. Returns false at the end of the input or on Ctrl-C.
static bool read_plain(session_t *session, char line[LINK_COMMAND_MAX + 1]) {
    size_t used = 0;
    char byte = '\0';
    for (;;) {
        session_event_t event = Session_Wait(session, true, -1);
        if (event != EVENT_INPUT) {
            return false;
        }
        if (read(STDIN_FILENO, &byte, 1) != 1) {
            line[used] = '\0';
            return used > 0;
        }
        if (byte == '\n') {
            line[used] = '\0';
            return true;
        }
        if (used < LINK_COMMAND_MAX) {
            line[used++] = byte;
        }
    }
}

void Input_Run(session_t *session) {
    char line[LINK_COMMAND_MAX + 1];
    while (session->link.fd >= 0 && read_plain(session, line)) {
        Session_RunLine(session, line);
    }
}
