#include "bot/args.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>
#include <sys/stat.h>

/// The position in argv.
typedef struct {
    int argc, next;
    char *const *argv;
    const char *word; ///< the one just read: "-n8" or "-n"
} walk_t;

/// Returns the value of the option just read: the rest of its word, or the next word.
static const char *option_value(walk_t *walk, err_t *err) {
    if (walk->word[2] != '\0') {
        return walk->word + 2;
    }
    if (walk->next < walk->argc) {
        return walk->argv[walk->next++];
    }
    Err_Set(err, "%s: expected a value after it, found the end of the line", walk->word);
    return NULL;
}

static bool number_option(walk_t *walk, int64_t lo, int64_t hi, int64_t *out, err_t *err) {
    const char *text = option_value(walk, err);
    if (!text) {
        return false;
    }
    if (!Str_ToInt(text, lo, hi, out)) {
        return Err_Set(err, "%.2s: expected a number in %lld..%lld, found \"%s\"", walk->word,
                       (long long)lo, (long long)hi, text);
    }
    return true;
}

/// Reads an option with a value: -c, -n, -t, -S, -m or -j.
static bool value_option(walk_t *walk, bot_args_t *out, bool *have_server, err_t *err) {
    int64_t number = 0;
    const char *text;
    switch (walk->word[1]) {
    case 'c':
        text = option_value(walk, err);
        *have_server = text != NULL;
        return text && Net_ParseAddress(text, BOT_DEFAULT_PORT, &out->server, err);
    case 'n':
        if (!number_option(walk, 1, BOT_MAX_COUNT, &number, err)) {
            return false;
        }
        out->count = (int32_t)number;
        return true;
    case 't':
        if (!number_option(walk, 1, BOT_MAX_LIMIT_S, &number, err)) {
            return false;
        }
        out->limit_s = (int32_t)number;
        return true;
    case 'S':
        return number_option(walk, 0, INT64_MAX, &out->seed, err);
    case 'm':
        out->maps = option_value(walk, err);
        return out->maps != NULL;
    case 'j':
        out->junit = option_value(walk, err);
        return out->junit != NULL;
    default:
        return Err_Set(err, "expected an option, found \"%s\"", walk->word);
    }
}

bool Args_Parse(int argc, char *const *argv, bot_args_t *out, err_t *err) {
    *out = (bot_args_t){.count = 1, .limit_s = 60, .seed = 1};
    walk_t walk = {.argc = argc, .next = 1, .argv = argv};
    bool have_server = false, options = true;
    while (walk.next < argc) {
        const char *word = walk.word = argv[walk.next++];
        if (!options || word[0] != '-' || word[1] == '\0') {
            if (out->script) {
                return Err_Set(err, "expected one script, found \"%s\" and \"%s\"", out->script,
                               word);
            }
            out->script = word;
        } else if (strcmp(word, "--") == 0) {
            options = false;
        } else if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
            out->help = true;
            return true;
        } else if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0) {
            out->version = true;
            return true;
        } else if (strcmp(word, "-q") == 0) {
            out->quiet = true;
        } else if (strcmp(word, "--status") == 0) {
            out->status = true;
        } else if (strcmp(word, "--junit") == 0) {
            walk.word = "-j";
            if (!value_option(&walk, out, &have_server, err)) {
                return false;
            }
        } else if (!value_option(&walk, out, &have_server, err)) {
            return false;
        }
    }
    if (!have_server) {
        return Err_Set(err, "expected a server: -c HOST:PORT");
    }
    return out->script ? true : Err_Set(err, "expected a script, found the end of the line");
}

bool Args_CheckFolders(const char *folders, err_t *err) {
    for (const char *at = folders; at && *at != '\0';) {
        char path[MAX_PATH_BYTES];
        struct stat info;
        size_t length = strcspn(at, ":");
        if (length >= sizeof path) {
            return Err_Set(err, "-m: expected folders, found a path that is too long");
        }
        strlcpy(path, at, length + 1);
        if (length > 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))) {
            return Err_Set(
                err, "-m: expected folders with maps, separated by ':', found no folder \"%.400s\"",
                path);
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return true;
}
