#include "ops/options.h"

#include "base/option.h"

static const char help[] =
    "usage: edictd [-bdhinV] [-c FILE] [-g GAME] [-p PORT] [-u USER] [--fgd] [--pidfile FILE]\n"
    "              [+COMMAND [ARGUMENT]...]...\n"
    "  -b       run in the background, once clients can join\n"
    "  -c FILE  run the commands of a configuration file first; SIGHUP runs it again\n"
    "  -d       also log debug lines\n"
    "  -g GAME  load a game module, by name (koth) or path (./game.so)\n"
    "  --fgd    print the entity definitions of the game for map editors, then exit\n"
    "  -i       read commands from standard input, answer on standard output\n"
    "  -n       check the configuration and the map, then exit\n"
    "  -p PORT  UDP port (default 27500; 0 = any free port)\n"
    "  --pidfile FILE  write the process id to a locked file; a second server is refused\n"
    "  -u USER  if started as root, run as this user (default _edictd)\n"
    "  -V       print the version, then exit\n"
    "  +map NAME starts a map by name or path; +set NAME VALUE sets a cvar; +cmdlist and\n"
    "  +cvarlist list the commands and cvars. The server logs to standard error. SIGTERM and\n"
    "  SIGINT disconnect the clients and end it; SIGUSR1 logs the status.\n";

// The plus sign makes getopt_long stop at each "+command".
static const program_t program = {"edictd", help, "+bc:dg:hinp:u:V",
                                  (const struct option[]){{"fgd", no_argument, NULL, 'f'},
                                                          {"pidfile", required_argument, NULL, 'P'},
                                                          OPTION_END},
                                  1};

static bool starts_option(const char *word) {
    char letter = word[0] != '-' ? '\0' : word[word[1] == '-' ? 2 : 1];
    return (letter >= 'a' && letter <= 'z') || (letter == 'V' && word[1] == 'V');
}

// Swaps one "+COMMAND [ARGUMENT]..." from argv[optind] to the end of options->words.
static void take_plus_command(options_t *options, int argc, char **argv) {
    if (optind < argc && argv[optind][0] != '+') {
        Option_Fail(&program, "unexpected argument \"%s\"", argv[optind]);
    }
    while (optind < argc && !starts_option(argv[optind])) {
        char *word = argv[optind];
        argv[optind++] = options->words[options->num_words]; // kept: setproctitle_init allocated it
        options->words[options->num_words++] = word;
    }
}

void Options_Parse(options_t *options, int argc, char **argv) {
    options->words = argv + 1; // commands take the places of words that were parsed before
    while (optind < argc) {
        switch (Option_Next(&program, argc, argv)) {
        case 'b':
            options->background = true;
            break;
        case 'c':
            options->config = optarg;
            break;
        case 'd':
            options->debug = true;
            break;
        case 'f':
            options->print_fgd = true;
            break;
        case 'g':
            options->game = optarg;
            break;
        case 'i':
            options->read_stdin = true;
            break;
        case 'n':
            options->check_only = true;
            break;
        case 'p':
            options->port = optarg;
            break;
        case 'P':
            options->pidfile = optarg;
            break;
        case 'u':
            options->user = optarg;
            break;
        default:
            take_plus_command(options, argc, argv);
        }
    }
    if (options->background && options->read_stdin) {
        Option_Fail(&program, "-b and -i exclude each other: in the background, nothing is read");
    }
}
