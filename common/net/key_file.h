/// net/key_file.h - files with one secret key each: a line of 43 base64url characters, mode 0600.
//
// A server's key (X25519) and a signer's seed (Ed25519) look alike: 32 random bytes.
// Memory:  the caller erases keys with sodium_memzero.

#ifndef EDICTD_NET_KEY_FILE_H
#define EDICTD_NET_KEY_FILE_H

#include "net/key_text.h"

EXTERN_C_BEGIN

/// Reads a secret key. Rejects a file that others may read.
bool KeyFile_Read(const char *path, uint8_t key[KEY_BYTES], err_t *err);

/// Writes a secret key to a new file. Fails if the file exists.
bool KeyFile_Make(const char *path, const uint8_t key[KEY_BYTES], err_t *err);

EXTERN_C_END

#endif
