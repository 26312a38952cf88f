// fuzz_ctl.c - any bytes as the answer of a server, and its last line as what a user completes.
//
// Invariants: the lines are the bytes between the newlines; candidates are printable and begin with
//             what was typed; the completion starts with it and fits.

#include "base/assert.h"
#include "base/str.h"
#include "ctl/complete.h"
#include "ctl/link.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_SENT 60000 // bytes that a socket takes at once

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static link_t link_;
static words_t words;

static void check_completion(const char *line) {
    char text[WORD_BYTES];
    complete_t at = Complete_Parse(line, strlen(line));
    ASSERT(at.start <= strlen(line) && at.prefix <= at.end && at.end == line + strlen(line));
    size_t typed = strlen(at.prefix);
    Words_Keep(&words, &at);
    for (int32_t i = 0; i < words.count; i++) {
        const char *word = words.list[i];
        ASSERT(strncmp(word, at.prefix, typed) == 0);
        ASSERT(i == 0 || strcmp(words.list[i - 1], word) < 0);
        for (size_t length = 0; *word != '\0'; word += length) {
            length = Str_CharBytes(word, strlen(word));
            ASSERT(length > 0);
        }
    }
    if (words.count > 0) {
        Words_Common(&words, &at, text);
        ASSERT(strlen(text) + 1 < sizeof text);
        ASSERT(words.count > 1 ||
               strncmp(text + (text[0] == '"' && !at.quoted ? 1 : 0), line + at.start,
                       strlen(line + at.start)) == 0 ||
               words.list[0][0] == '"');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int fds[2];
    char *line = NULL;
    size_t at = 0;
    size = size < MAX_SENT ? size : MAX_SENT;
    ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    ASSERT(size == 0 || send(fds[1], data, size, 0) == (ssize_t)size);
    close(fds[1]);
    link_.fd = fds[0];
    link_.start = link_.end = 0;
    words.count = 0;
    words.used = 0;
    while (Link_Read(&link_, &line) == LINK_LINE) {
        const uint8_t *newline = memchr(data + at, '\n', size - at);
        ASSERT(newline && memcmp(line, data + at, (size_t)(newline - data) - at) == 0);
        Words_Add(&words, line, strcspn(line, " :"));
        at = (size_t)(newline - data) + 1;
    }
    ASSERT(!memchr(data + at, '\n', size - at) && link_.end - link_.start == size - at);
    link_.bytes[link_.end] = '\0';
    check_completion(link_.bytes + link_.start);
    Link_Close(&link_);
    return 0;
}
