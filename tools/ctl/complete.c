#include "ctl/complete.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns what the first argument of a command is.
static complete_kind_t kind_of_argument(const char *command, size_t length) {
    static const struct {
        const char *command;
        complete_kind_t kind;
    } kinds[] = {
        {"set", COMPLETE_CVAR},     {"cvarlist", COMPLETE_CVAR}, {"help", COMPLETE_NAME},
        {"cmdlist", COMPLETE_NAME}, {"map", COMPLETE_MAP},       {"maps", COMPLETE_MAP},
        {"kick", COMPLETE_PLAYER},  {"ban", COMPLETE_PLAYER},    {"allow", COMPLETE_PLAYER},
        {"mute", COMPLETE_PLAYER},  {"unmute", COMPLETE_PLAYER}};
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        if (strlen(kinds[i].command) == length && strncmp(kinds[i].command, command, length) == 0) {
            return kinds[i].kind;
        }
    }
    return COMPLETE_NOTHING;
}

complete_t Complete_Parse(const char *line, size_t cursor) {
    complete_t at = {.kind = COMPLETE_NAME, .end = line + cursor};
    const char *command = NULL; // first word of the command with the cursor
    size_t command_length = 0;
    int32_t index = 0; // of the word, in its command
    for (const char *c = line;;) {
        while (c < at.end && (*c == ' ' || *c == '\t')) {
            c++;
        }
        at.start = (size_t)(c - line);
        at.quoted = c < at.end && *c == '"';
        at.prefix = c + (at.quoted ? 1 : 0);
        for (c = at.prefix; c < at.end && (at.quoted ? *c != '"' : !strchr(" \t;", *c));) {
            c++;
        }
        if (c >= at.end) {
            break;
        }
        if (index == 0) {
            command = at.prefix;
            command_length = (size_t)(c - at.prefix);
        }
        index++;
        c += at.quoted ? 1 : 0;
        if (c < at.end && *c == ';') {
            index = 0;
            c++;
        }
    }
    if (index > 0) {
        at.kind = index == 1 ? kind_of_argument(command, command_length) : COMPLETE_NOTHING;
    }
    return at;
}

static bool is_printable(const char *word, size_t length) {
    size_t bytes = 1;
    for (size_t i = 0; i < length && bytes > 0; i += bytes) {
        bytes = Str_CharBytes(word + i, length - i);
    }
    return bytes > 0;
}

void Words_Add(words_t *words, const char *word, size_t length) {
    if (length == 0 || length >= WORD_BYTES - sizeof "\"\" " ||
        length >= sizeof words->text - words->used || words->count == WORDS_MAX ||
        !is_printable(word, length)) {
        return;
    }
    char *to = words->text + words->used;
    memcpy(to, word, length);
    to[length] = '\0';
    words->used += length + 1;
    words->list[words->count++] = to;
}

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void Words_Keep(words_t *words, const complete_t *at) {
    size_t length = (size_t)(at->end - at->prefix);
    int32_t kept = 0;
    qsort(words->list, (size_t)words->count, sizeof words->list[0], compare);
    for (int32_t i = 0; i < words->count; i++) {
        const char *word = words->list[i];
        bool is_new = kept == 0 || strcmp(words->list[kept - 1], word) != 0;
        bool can_quote = !at->quoted || !strchr(word, '"');
        if (strncmp(word, at->prefix, length) == 0 && is_new && can_quote) {
            words->list[kept++] = word;
        }
    }
    words->count = kept;
}

void Words_Common(const words_t *words, const complete_t *at, char text[WORD_BYTES]) {
    const char *first = words->list[0];
    size_t length = strlen(first);
    bool quoted = at->quoted;
    for (int32_t i = 0; i < words->count; i++) {
        size_t same = 0;
        while (same < length && words->list[i][same] == first[same]) {
            same++;
        }
        length = same;
        quoted = quoted || strpbrk(words->list[i], " ;") || strstr(words->list[i], "//");
    }
    while (length > 0 && ((uint8_t)first[length] & 0xc0) == 0x80) {
        length--; // only whole characters
    }
    snprintf(text, WORD_BYTES, "%s%.*s%s", quoted ? "\"" : "", (int)length, first,
             words->count > 1 ? ""
             : quoted         ? "\" "
                              : " ");
}
