// wasm/platform.c - replaces common/ files that need what WebAssembly lacks: files, standard error,
// libsodium. The program brings maps by a storage (CL_MapsCreateFrom).

#include "base/assert.h"
#include "base/file.h"
#include "net/key_text.h"
#include "wasm/glue.h"

#include <stdio.h>
#include <string.h>

void Q_AssertFail(const char *condition, const char *file, int line) {
    char text[512];
    snprintf(text, sizeof text, "bug: %s:%d: ASSERT(%s) failed", file, line, condition);
    Js_Bug(text);
    __builtin_trap();
}

uint8_t *File_Read(const char *path, size_t max_bytes, size_t *size, err_t *err) {
    (void)max_bytes;
    (void)size;
    Err_Set(err, "%s: WebAssembly has no files; use CL_MapsCreateFrom", path);
    return NULL;
}

uint8_t *File_ReadFrom(const file_reader_t *files, const char *path, size_t max_bytes, size_t *size,
                       err_t *err) {
    return files ? files->read(files->context, path, max_bytes, size, err)
                 : File_Read(path, max_bytes, size, err);
}

bool File_Exists(const char *path) {
    (void)path;
    return false;
}

bool File_Write(const char *path, const void *data, size_t size, err_t *err) {
    (void)data;
    (void)size;
    return Err_Set(err, "%s: WebAssembly has no files; use CL_MapsDownloadTo", path);
}

/// Returns the 6 bits of a character of base64url, or -1.
static int32_t bits_of(char c) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int32_t)(at - letters) : -1;
}

bool Key_Parse(const char *what, const char *text, uint8_t key[KEY_BYTES], err_t *err) {
    uint32_t bits = 0, num_bits = 0, used = 0;
    bool is_good = strlen(text) == KEY_TEXT_BYTES - 1;
    for (size_t i = 0; is_good && text[i]; i++) {
        int32_t six = bits_of(text[i]);
        is_good = six >= 0;
        bits = bits << 6 | ((uint32_t)six & 63u);
        num_bits += 6;
        if (num_bits >= 8 && used < KEY_BYTES) {
            num_bits -= 8;
            key[used++] = (uint8_t)(bits >> num_bits);
        }
    }
    is_good = is_good && used == KEY_BYTES && (bits & ((1u << num_bits) - 1u)) == 0;
    return is_good || Err_Set(err,
                              "%s: expected %d characters of base64url (A-Z, a-z, 0-9, - and _), "
                              "found %zu or others",
                              what, KEY_TEXT_BYTES - 1, strlen(text));
}
