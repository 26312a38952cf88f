/// mapc/token.h - splits the text of a .map file into tokens.
//
// Memory:  tokens point into the text.
// Errors:  none; the parser checks the kind of the token.

#ifndef EDICTD_MAPC_TOKEN_H
#define EDICTD_MAPC_TOKEN_H

#include "base/types.h"

typedef enum {
    TOKEN_END,      ///< no more text
    TOKEN_MARK,     ///< one of { } ( ) [ ]
    TOKEN_WORD,     ///< a number or a bare name
    TOKEN_STRING,   ///< "quoted"; the view is without the quotes
    TOKEN_UNCLOSED, ///< a quote without a closing quote on its line
    TOKEN_BAD_BYTE  ///< a control character
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

/// Starts at the beginning of a text.
void MC_StartLexer(lexer_t *lexer, const char *text, size_t size);

/// Returns the next token. Blanks and // comments are skipped.
token_t MC_NextToken(lexer_t *lexer);

/// Returns the next token as a texture name, which may contain { } ( ) [ ] without quotes.
token_t MC_NextTexture(lexer_t *lexer);

/// Returns the next token without consuming it.
token_t MC_PeekToken(const lexer_t *lexer);

/// True if the token is that mark.
bool MC_IsMark(const token_t *token, char mark);

#endif
