/// ctl/main.c - edict-ctl: runs commands on a server of this machine through its control socket.

#include "base/option.h"
#include "base/str.h"
#include "ctl/input.h"
#include "ctl/token.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: edict-ctl [-s SOCKET | -p PORT] [-r ROLE] [--json] [COMMAND...]\n"
    "       edict-ctl [OPTIONS] follow   prints the log until Ctrl-C\n"
    "       edict-ctl key | token        makes keys and tokens without a server: key --help\n"
    "Without COMMAND, reads one command per line. \"help\" lists the commands of the server.\n"
    "  -s SOCKET      path of the server's control socket\n"
    "  -p PORT        the server of this user or of root on that port (default: the only one)\n"
    "  -r ROLE        give up rights: watch or operate (default: all that the user has)\n"
    "  -j, --json     print answers as JSON, one object a line\n"
    "  -h, --help     print this text\n"
    "  -V, --version  print the version\n"
    "exit status: 0 done\n"
    "             1 a command failed, or access was denied\n"
    "             2 wrong arguments, or no server\n";

static const program_t program = {
    "edict-ctl", help, "+s:p:r:jhV",
    (const struct option[]){{"json", no_argument, NULL, 'j'}, OPTION_END}, SESSION_NO_SERVER};

// Commands that need no server.
typedef struct {
    const char *name; ///< NULL ends the table
    int (*run)(int argc, char **argv);
} local_command_t;

static const local_command_t local_commands[] = {
    {"key", CtlToken_RunKey},
    {"token", CtlToken_RunToken},
    {NULL, NULL},
};

static void read_options(session_t *session, int argc, char **argv) {
    int64_t port = 0;
    for (int option; (option = Option_Next(&program, argc, argv)) != -1;) {
        if (option == 's') {
            session->path = optarg;
        } else if (option == 'p' && !Str_ToInt(optarg, 1, UINT16_MAX, &port)) {
            Option_Fail(&program, "-p: expected a port in 1..65535, found \"%s\"", optarg);
        } else if (option == 'r') {
            session->role = optarg;
        } else if (option == 'j') {
            session->json = true;
        }
    }
    if (session->path && port != 0) {
        Option_Fail(&program, "expected -s or -p, found both");
    }
    if (session->role && strcmp(session->role, "watch") != 0 &&
        strcmp(session->role, "operate") != 0) {
        Option_Fail(&program, "-r: expected watch or operate, found \"%s\"", session->role);
    }
    session->port = (uint16_t)port;
}

int main(int argc, char **argv) {
    session_t session;
    err_t err;
    memset(&session, 0, sizeof session);
    setlocale(LC_CTYPE, "");
    read_options(&session, argc, argv);
    argc -= optind;
    argv += optind;
    for (const local_command_t *local = local_commands; argc > 0 && local->name; local++) {
        if (strcmp(argv[0], local->name) == 0) {
            return local->run(argc, argv);
        }
    }
    if (!Session_Open(&session, &err)) {
        fprintf(stderr, "edict-ctl: %s\n", err.text);
        return session.status;
    }
    if (argc > 0) {
        Session_RunWords(&session, argc, argv);
    } else {
        Input_Run(&session);
    }
    Session_Close(&session);
    return session.status;
}
