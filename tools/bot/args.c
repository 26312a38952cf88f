#include "bot/args.h"

#include "base/limits.h"
#include "base/option.h"
#include "base/str.h"
#include "edict/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: edict-bot -c HOST:PORT [-n COUNT] [-t SECONDS] [-S SEED] [-m FOLDERS] [-j FILE] [-q]\n"
    "                 [-b ADDRESS] [-i FIRST] [-P PASSWORD] [-k KEY] [-T FILE] [--no-seal] "
    "[--status]\n"
    "                 [--until-eof] [--network CONDITIONS] [--reconnect] [--download FOLDER] "
    "script.lua\n"
    "       edict-bot [OPTIONS] script.lua -- ARGUMENTS\n"
    "                 starts edictd with ARGUMENTS; bot:console() sends it commands\n"
    "       edict-bot -c HOST:PORT --load N [--seconds S] [--join-seconds S] [--burst] [OPTIONS]\n"
    "                 measures a server with N clients without scripts; prints CSV\n"
    "  -c HOST:PORT  the server: an IPv4 address or a host name (default port 27500)\n"
    "  -n COUNT      number of bots; each runs the script (default 1)\n"
    "  -t SECONDS    time limit; a script that runs longer fails (default 60; 0 = none)\n"
    "  -S SEED       base of each bot's random seed (default 1)\n"
    "  -i FIRST      number of the first bot (default 1)\n"
    "  -m FOLDERS    folders with maps for bot:predicted(), separated by ':'\n"
    "  --download FOLDER  maps that -m lacks are downloaded from the server to this folder\n"
    "  -j, --junit FILE  also write the results as JUnit XML\n"
    "  -b ADDRESS    IPv4 address of this machine to send from (default any)\n"
    "  -k, --key KEY  public key that the server must have, from its status\n"
    "  -T FILE       tokens: the first line for the first client, and so on; needs -k\n"
    "  --network CONDITIONS  a bad network, such as mobile or wifi,loss=5; seeded by -S\n"
    "  --no-seal     join without encryption\n"
    "  --reconnect   return to the player after a lost connection; otherwise the script fails\n"
    "  -P PASSWORD   password for joins that give none (default: EDICT_PASSWORD of the "
    "environment)\n"
    "  --control SOCKET|PORT  with -c: control socket of that server, for bot:console()\n"
    "  --load N      number of clients of a load; above 32, the server must be in 127.0.0.0/8\n"
    "  --seconds S   duration of the measurement with --load (default 60)\n"
    "  --join-seconds S  time over which the clients of --load join (default 5)\n"
    "  --burst       send the commands of all clients of --load at once, not spread over the tick\n"
    "  -q            print only failures and the summary (not valid TAP)\n"
    "  --status      print a status line to stderr every second\n"
    "  --until-eof   end as soon as standard input ends\n"
    "  -h, --help    print this text\n"
    "  -V, --version  print the version\n"
    "exit status: 0 all scripts passed\n"
    "             1 a script failed\n"
    "             2 wrong arguments, or a bot could not join\n";

static const program_t program = {
    "edict-bot", help, "c:n:t:S:m:j:b:i:k:P:T:qhV",
    (const struct option[]){{"junit", required_argument, NULL, 'j'},
                            {"key", required_argument, NULL, 'k'},
                            {"no-seal", no_argument, NULL, 'u'},
                            {"reconnect", no_argument, NULL, 'R'},
                            {"network", required_argument, NULL, 'N'},
                            {"download", required_argument, NULL, 'D'},
                            {"control", required_argument, NULL, 'C'},
                            {"status", no_argument, NULL, 's'},
                            {"until-eof", no_argument, NULL, 'e'},
                            {"load", required_argument, NULL, 'L'},
                            {"seconds", required_argument, NULL, 't'},
                            {"join-seconds", required_argument, NULL, 'J'},
                            {"burst", no_argument, NULL, 'B'},
                            OPTION_END},
    2};

/// Converts the value of the option just parsed (optarg).
static bool read_number(int option, int64_t lo, int64_t hi, int64_t *out, err_t *err) {
    return Str_ToInt(optarg, lo, hi, out) ||
           Err_Set(err, "-%c: expected a number in %lld..%lld, found \"%s\"", option, (long long)lo,
                   (long long)hi, optarg);
}

static bool read_number32(int option, int32_t lo, int32_t hi, int32_t *out, err_t *err) {
    int64_t number = 0;
    bool good = read_number(option, lo, hi, &number, err);
    *out = good ? (int32_t)number : *out;
    return good;
}

/// Checks the conditions and the key as the bots will use them. NULL = none.
static bool check_network(const char *network, const char *key, err_t *err) {
    cl_transport_t *net = CL_NetCreate(&(cl_net_config_t){.network = network}, err);
    cl_t *cl = net ? CL_Create(&(cl_config_t){.net = net}) : NULL;
    bool is_good = net && (!key || (cl && CL_SetSeal(cl, CL_SEAL_REQUIRED, key, err)));
    CL_Destroy(cl);
    if (net) {
        net->destroy(net);
    }
    return is_good;
}

/// Applies the option just parsed. *has_server becomes true at -c.
static bool read_option(int option, bot_args_t *out, bool *has_server, err_t *err) {
    switch (option) {
    case 'c':
        *has_server = true;
        return CL_Resolve(optarg, BOT_DEFAULT_PORT, &out->server, err);
    case 'b':
        return CL_Resolve(optarg, 0, &out->local, err);
    case 'n':
        return read_number32(option, 1, BOT_MAX_COUNT, &out->count, err);
    case 't':
        return read_number32(option, 0, BOT_MAX_LIMIT_S, &out->limit_s, err);
    case 'S':
        return read_number(option, 0, INT64_MAX, &out->seed, err);
    case 'i':
        return read_number32(option, 1, BOT_MAX_COUNT, &out->first, err);
    case 'L':
        return read_number32(option, 1, PROTO_MAX_CLIENTS, &out->load, err);
    case 'J':
        return read_number32(option, 0, BOT_MAX_LIMIT_S, &out->join_s, err);
    case 'B':
        out->burst = true;
        break;
    case 'P':
        out->password = optarg;
        break;
    case 'k':
        out->server_key = optarg;
        return check_network(NULL, optarg, err) || Err_Set(err, "-k: %.400s", err->text);
    case 'T':
        out->tokens = optarg;
        break;
    case 'u':
        out->seal = CL_SEAL_OFF;
        break;
    case 'R':
        out->reconnects = true;
        break;
    case 'N':
        out->network = optarg;
        return check_network(optarg, NULL, err);
    case 'm':
        out->maps = optarg;
        break;
    case 'D':
        out->download = optarg;
        break;
    case 'j':
        out->junit = optarg;
        break;
    case 'C':
        out->control = optarg;
        break;
    case 's':
        out->status = true;
        break;
    case 'e':
        out->until_eof = true;
        break;
    default:
        out->quiet = true;
    }
    return true;
}

/// Checks the arguments of a load, which must not disturb the servers of others.
static bool check_load(const bot_args_t *args, bool has_server, int32_t words, err_t *err) {
    if (!has_server || words > 0) {
        return Err_Set(err, "--load: expected -c HOST:PORT and no script");
    }
    if (args->server_key || args->tokens || args->maps || args->junit || args->control ||
        args->download || args->network || args->count > 1) {
        return Err_Set(err, "--load: leave out -k, -T, -m, -j, -n, --control, --download and "
                            "--network: they need a script");
    }
    if (args->limit_s == 0) {
        return Err_Set(err, "--load: expected at least 1 s to measure (--seconds), found 0");
    }
    if (args->load > BOT_MAX_REMOTE && args->server.host >> 24 != 127) {
        return Err_Set(err,
                       "--load %d: expected a server in 127.0.0.0/8; on another machine, at most "
                       "%d clients are allowed",
                       args->load, BOT_MAX_REMOTE);
    }
    return true;
}

bool Args_Parse(int argc, char *const *argv, bot_args_t *out, err_t *err) {
    bool has_server = false, good = true;
    *out = (bot_args_t){.seed = 1,
                        .count = 1,
                        .first = 1,
                        .limit_s = 60,
                        .join_s = 5,
                        .password = getenv("EDICT_PASSWORD")};
    for (int option; good && (option = Option_Next(&program, argc, argv)) != -1;) {
        good = read_option(option, out, &has_server, err);
    }
    if (!good) {
        return false;
    }
    if (out->server_key && out->seal == CL_SEAL_OFF) {
        return Err_Set(err, "-k: a session with a known server is sealed; leave out --no-seal");
    }
    if (out->tokens && !out->server_key) {
        return Err_Set(err, "-T: expected -k with the key of the server that the tokens are for");
    }
    int32_t words = argc - optind;
    if (out->load > 0) {
        return check_load(out, has_server, words, err);
    }
    if (!has_server && words < 2) {
        return Err_Set(err, "expected a server: -c HOST:PORT, or its arguments after the script");
    }
    if (out->control && !has_server) {
        return Err_Set(err,
                       "--control: expected -c HOST:PORT as well; a server that edict-bot starts "
                       "needs neither");
    }
    if (words < 1 || (has_server && words > 1)) {
        return Err_Set(err, "expected one script, found %d", words);
    }
    out->server_args = has_server ? NULL : argv + optind + 1;
    out->num_server_args = has_server ? 0 : words - 1;
    out->script = argv[optind];
    return true;
}

bool Args_CheckFolders(const char *folders, err_t *err) {
    for (const char *at = folders; at && *at != '\0';) {
        char path[MAX_PATH_BYTES];
        struct stat info;
        size_t length = strcspn(at, ":");
        if (length >= sizeof path) {
            return Err_Set(err, "-m: expected paths below %d bytes, found %zu bytes",
                           MAX_PATH_BYTES, length);
        }
        strlcpy(path, at, length + 1);
        if (length > 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))) {
            return Err_Set(err, "-m: \"%.400s\" is no folder; expected folders separated by ':'",
                           path);
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return true;
}
