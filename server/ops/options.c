#include "ops/options.h"

#include "base/option.h"

static const char help[] =
    "usage: edictd [-dhinV] [-c FILE] [-g GAME] [-p PORT] [--fgd] [+COMMAND [ARGUMENT]...]...\n"
    "  -c FILE  run the commands of a configuration file first; SIGHUP runs it again\n"
    "  -d       also log debug lines\n"
    "  -g GAME  load a game module, by name (koth) or path (./game.so)\n"
    "  --fgd    print the entity definitions of the game for map editors, then exit\n"
    "  -i       read commands from standard input, answer on standard output\n"
    "  -n       check the configuration and the map, then exit\n"
    "  -p PORT  UDP port (default 27500; 0 = any free port)\n"
    "  -V       print the version, then exit\n"
    "  +map NAME starts a map by name or path; +set NAME VALUE sets a cvar; +cmdlist and\n"
    "  +cvarlist list the commands and cvars. The server stays in the foreground and logs to\n"
    "  standard error. SIGTERM and SIGINT disconnect the clients and end it; SIGUSR1 logs the\n"
    "  status.\n";

// The plus sign makes getopt_long stop at each "+command".
static const program_t program = {
    "edictd", help, "+c:dg:hinp:V",
    (const struct option[]){{"fgd", no_argument, NULL, 'f'}, OPTION_END}, 1};

static bool starts_option(const char *word) {
    char letter = word[0] != '-' ? '\0' : word[word[1] == '-' ? 2 : 1];
    return (letter >= 'a' && letter <= 'z') || (letter == 'V' && word[1] == 'V');
}

// Moves one "+COMMAND [ARGUMENT]..." from argv[optind] to the end of options->words.
static void take_plus_command(options_t *options, int argc, char **argv) {
    if (optind < argc && argv[optind][0] != '+') {
        Option_Fail(&program, "unexpected argument \"%s\"", argv[optind]);
    }
    while (optind < argc && !starts_option(argv[optind])) {
        options->words[options->num_words++] = argv[optind++];
    }
}

void Options_Parse(options_t *options, int argc, char **argv) {
    options->words = argv + 1; // commands are moved to the front of argv, over words already parsed
    while (optind < argc) {
        switch (Option_Next(&program, argc, argv)) {
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
        default:
            take_plus_command(options, argc, argv);
        }
    }
}
