#include "net/key_text.h"

#include <sodium/utils.h>
#include <string.h>

_Static_assert(KEY_TEXT_BYTES ==
                   sodium_base64_ENCODED_LEN(KEY_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING),
               "KEY_TEXT_BYTES must hold a key");

bool Key_Parse(const char *what, const char *text, uint8_t key[KEY_BYTES], err_t *err) {
    size_t length = strlen(text), size = 0;
    bool is_good = length == KEY_TEXT_BYTES - 1 &&
                   sodium_base642bin(key, KEY_BYTES, text, length, NULL, &size, NULL,
                                     sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
                   size == KEY_BYTES;
    return is_good || Err_Set(err,
                              "%s: expected %d characters of base64url (A-Z, a-z, 0-9, - and _), "
                              "found %zu or others",
                              what, KEY_TEXT_BYTES - 1, length);
}

void Key_Format(const uint8_t key[KEY_BYTES], char text[KEY_TEXT_BYTES]) {
    sodium_bin2base64(text, KEY_TEXT_BYTES, key, KEY_BYTES,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}
