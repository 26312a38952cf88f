#include "mapc/token.h"

#include <string.h>

static const char MARKS[] = "{}()[]";

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_control(char c) {
    unsigned char u = (unsigned char)c;
    return u < 0x20 || u == 0x7f;
}

static bool is_mark(char c) {
    return c != 0 && strchr(MARKS, c) != NULL;
}

void MC_StartLexer(lexer_t *lexer, const char *text, size_t size) {
    *lexer = (lexer_t){.at = text, .end = text + size, .line = 1};
    // Editors on Windows may write a byte order mark.
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        lexer->at += 3;
    }
}

static void skip_blanks(lexer_t *lexer) {
    while (lexer->at < lexer->end) {
        if (*lexer->at == '\n') {
            lexer->line++;
            lexer->at++;
        } else if (is_blank(*lexer->at)) {
            lexer->at++;
        } else if (lexer->end - lexer->at >= 2 && memcmp(lexer->at, "//", 2) == 0) {
            while (lexer->at < lexer->end && *lexer->at != '\n') {
                lexer->at++;
            }
        } else {
            return;
        }
    }
}

static token_t read_string(lexer_t *lexer) {
    const char *start = ++lexer->at;
    token_t token = {.kind = TOKEN_STRING, .text = start, .line = lexer->line};
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n') {
        if (is_control(*lexer->at) && *lexer->at != '\t' && *lexer->at != '\r') {
            token.kind = TOKEN_BAD_BYTE;
        }
        lexer->at++;
    }
    token.length = (size_t)(lexer->at - start);
    if (lexer->at == lexer->end || *lexer->at != '"') {
        token.kind = TOKEN_UNCLOSED;
        return token;
    }
    lexer->at++;
    return token;
}

static token_t read_token(lexer_t *lexer, bool marks_are_text) {
    skip_blanks(lexer);
    token_t token = {.kind = TOKEN_END, .text = lexer->at, .line = lexer->line};
    if (lexer->at == lexer->end) {
        return token;
    }
    if (*lexer->at == '"') {
        return read_string(lexer);
    }
    if (!marks_are_text && is_mark(*lexer->at)) {
        token.kind = TOKEN_MARK;
        token.length = 1;
        lexer->at++;
        return token;
    }
    token.kind = TOKEN_WORD;
    while (lexer->at < lexer->end && !is_blank(*lexer->at) && *lexer->at != '"' &&
           (marks_are_text || !is_mark(*lexer->at))) {
        if (is_control(*lexer->at)) {
            token.kind = TOKEN_BAD_BYTE;
        }
        lexer->at++;
    }
    token.length = (size_t)(lexer->at - token.text);
    return token;
}

token_t MC_NextToken(lexer_t *lexer) {
    return read_token(lexer, false);
}

token_t MC_NextTexture(lexer_t *lexer) {
    return read_token(lexer, true);
}

token_t MC_PeekToken(const lexer_t *lexer) {
    lexer_t copy = *lexer;
    return read_token(&copy, false);
}

bool MC_IsMark(const token_t *token, char mark) {
    return token->kind == TOKEN_MARK && token->text[0] == mark;
}
