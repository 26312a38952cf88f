/// net/key_text.h - keys as text: base64url without padding, 43 characters for 32 bytes.

#ifndef EDICTD_NET_KEY_TEXT_H
#define EDICTD_NET_KEY_TEXT_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

#define KEY_BYTES      32
#define KEY_TEXT_BYTES 44 // with the NUL

/// Parses a key. `what` names it in the error. The text itself, which may be a secret, is not part
/// of the error.
bool Key_Parse(const char *what, const char *text, uint8_t key[KEY_BYTES], err_t *err);

/// Writes a key as text.
void Key_Format(const uint8_t key[KEY_BYTES], char text[KEY_TEXT_BYTES]);

EXTERN_C_END

#endif
