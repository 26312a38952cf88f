#include "base/str.h"
#include "probe/probe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int Probe_Fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("edict-probe: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return PROBE_FAIL;
}

static bool refuse(const char *command, const char *expected, const char *found) {
    fprintf(stderr, "edict-probe: %s: expected %s", command, expected);
    if (found) {
        fprintf(stderr, ", found \"%s\"", found);
    }
    fputc('\n', stderr);
    return false;
}

static const probe_option_t *find_option(const probe_option_t *options, size_t count,
                                         const char *word) {
    for (size_t i = 0; i < count; i++) {
        const probe_option_t *option = &options[i];
        bool is_word = option->name[0] != '-';
        if (is_word ? word[0] != '-' && !*option->text : strcmp(word, option->name) == 0) {
            return option;
        }
    }
    return NULL;
}

/// Parses an option's values from argv[*next] on. If a value is missing or wrong, returns false
/// with *next at that value.
static bool read_values(const probe_option_t *option, int argc, char **argv, int *next) {
    if (option->text) {
        *option->text = *next < argc ? argv[(*next)++] : NULL;
    }
    for (int32_t i = 0; i < option->count; i++) {
        float *value = &option->numbers[i];
        if (*next == argc || !Str_ToFloat(argv[*next], value) ||
            !(fabsf(*value) <= PROBE_MAX_COORD)) {
            return false;
        }
        ++*next;
    }
    if (option->given) {
        *option->given = true;
    }
    return !option->text || *option->text;
}

bool Probe_ReadOptions(const probe_option_t *options, size_t count, int argc, char **argv) {
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        const probe_option_t *option = find_option(options, count, word);
        i += option && option->name[0] == '-';
        if (!option) {
            return refuse(argv[0], "an option (see --help)", word);
        }
        if (!read_values(option, argc, argv, &i)) {
            return i < argc ? refuse(word, "a number in -1048576..1048576", argv[i])
                            : refuse(word, "one more value after it", NULL);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (options[i].name[0] != '-' && !*options[i].text) {
            return refuse(argv[0], options[i].name, NULL);
        }
    }
    return true;
}

bool Probe_CheckRules(const probe_rule_t *rules, size_t count, const char *command) {
    for (size_t i = 0; i < count; i++) {
        if (!rules[i].holds) {
            return refuse(command, rules[i].expected, NULL);
        }
    }
    return true;
}
