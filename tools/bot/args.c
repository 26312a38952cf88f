#include "bot/args.h"

#include "base/str.h"

#include <string.h>

/// A walk through argv; `value` is what belongs to the option just read.
typedef struct {
    int argc, next;
    char *const *argv;
} walk_t;

/// The value of option `name`: the rest of its own word, or the next word.
static const char *option_value(walk_t *walk, const char *rest, const char *name, err_t *err) {
    if (*rest != '\0') {
        return rest;
    }
    if (walk->next < walk->argc) {
        return walk->argv[walk->next++];
    }
    Err_Set(err, "%s: expected a value behind it, found the end of the line", name);
    return NULL;
}

static bool number_option(walk_t *walk, const char *rest, const char *name, int64_t lo, int64_t hi,
                          int64_t *out, err_t *err) {
    const char *text = option_value(walk, rest, name, err);
    if (!text) {
        return false;
    }
    if (!Str_ToInt(text, lo, hi, out)) {
        return Err_Set(err, "%s: expected a number in %lld..%lld, found \"%s\"", name,
                       (long long)lo, (long long)hi, text);
    }
    return true;
}

/// One option with a value: -c, -n, -t, -S or -m. `word` is the whole word, "-n8" or "-n".
static bool value_option(walk_t *walk, const char *word, bot_args_t *out, bool *have_server,
                         err_t *err) {
    const char name[3] = {'-', word[1], '\0'};
    int64_t number = 0;
    const char *text;
    switch (word[1]) {
    case 'c':
        text = option_value(walk, word + 2, name, err);
        *have_server = text != NULL;
        return text && Net_ParseAddress(text, BOT_DEFAULT_PORT, &out->server, err);
    case 'n':
        if (!number_option(walk, word + 2, name, 1, BOT_MAX_COUNT, &number, err)) {
            return false;
        }
        out->count = (int32_t)number;
        return true;
    case 't':
        if (!number_option(walk, word + 2, name, 1, BOT_MAX_LIMIT_S, &number, err)) {
            return false;
        }
        out->limit_s = (int32_t)number;
        return true;
    case 'S':
        return number_option(walk, word + 2, name, 0, INT64_MAX, &out->seed, err);
    case 'm':
        out->maps = option_value(walk, word + 2, name, err);
        return out->maps != NULL;
    default:
        return Err_Set(err, "expected an option, found \"%s\"", word);
    }
}

bool Args_Parse(int argc, char *const *argv, bot_args_t *out, err_t *err) {
    *out = (bot_args_t){.count = 1, .limit_s = 60, .seed = 1};
    walk_t walk = {argc, 1, argv};
    bool have_server = false, options = true;
    while (walk.next < argc) {
        const char *word = argv[walk.next++];
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
        } else if (strcmp(word, "-q") == 0) {
            out->quiet = true;
        } else if (strcmp(word, "--status") == 0) {
            out->status = true;
        } else if (!value_option(&walk, word, out, &have_server, err)) {
            return false;
        }
    }
    if (!have_server) {
        return Err_Set(err, "expected a server: -c HOST:PORT");
    }
    return out->script ? true : Err_Set(err, "expected a script, found the end of the line");
}
