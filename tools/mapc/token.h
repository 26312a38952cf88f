/// mapc/token.h - cuts the text of a .map file into words.
//
// Floor:   tool.
// Memory:  views of the text; nothing is copied.
// Errors:  none here; the token's kind tells the parser what it got.

#ifndef EDICTD_MAPC_TOKEN_H
#define EDICTD_MAPC_TOKEN_H

#include "base/types.h"

typedef enum {
    TOKEN_END,      ///< no more text
    TOKEN_MARK,     ///< one of { } ( ) [ ]
    TOKEN_WORD,     ///< a number or a bare name
    TOKEN_STRING,   ///< "quoted"; the view is without the quotes
    TOKEN_UNCLOSED, ///< a quote that its line does not close
    TOKEN_BAD_BYTE  ///< a control character where text should be
} token_kind_t;

typedef struct {
    token_kind_t kind;
    const char *text;
    size_t length;
    int32_t line; ///< 1 is the first
} token_t;

typedef struct {
    const char *at, *end;
    int32_t line;
} lexer_t;

/// Starts at the front of a text.
void MC_StartLexer(lexer_t *lexer, const char *text, size_t size);

/// The next token. Blanks and // comments are skipped.
token_t MC_NextToken(lexer_t *lexer);

/// The next token when a texture name is due: a bare one may hold any of { } ( ) [ ].
token_t MC_NextTexture(lexer_t *lexer);

/// Looks at the next token without taking it.
token_t MC_PeekToken(const lexer_t *lexer);

/// True when the token is that mark.
bool MC_IsMark(const token_t *token, char mark);

#endif
