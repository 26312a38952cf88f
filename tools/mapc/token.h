/// mapc/token.h - splits the text of a .map file into tokens.
//
// Memory:  tokens point into the text.
// Errors:  none; the parser checks the kind of each token.

#ifndef EDICTD_MAPC_TOKEN_H
#define EDICTD_MAPC_TOKEN_H

#include "base/types.h"

typedef enum {
    TOKEN_END,      ///< the end of the text
    TOKEN_MARK,     ///< one of { } ( ) [ ]
    TOKEN_WORD,     ///< a number or a bare name
    TOKEN_STRING,   ///< text in quotes; `text` and `length` leave out the quotes
    TOKEN_UNCLOSED, ///< text after a quote that is not closed on the same line
    TOKEN_BAD_BYTE  ///< text with a control character
} token_kind_t;

typedef struct {
    token_kind_t kind;
    const char *text;
    size_t length;
    int32_t line; ///< from 1
} token_t;

typedef struct {
    const char *at, *end;
    int32_t line;
} lexer_t;

void MC_StartLexer(lexer_t *lexer, const char *text, size_t size);

/// Returns the next token. Skips blanks and // comments.
token_t MC_NextToken(lexer_t *lexer);

/// Returns the next token as a texture name, which may contain { } ( ) [ ].
token_t MC_NextTexture(lexer_t *lexer);

/// Returns the next token without consuming it.
token_t MC_PeekToken(const lexer_t *lexer);

/// Returns true if the token is the mark `mark`.
bool MC_IsMark(const token_t *token, char mark);

#endif
