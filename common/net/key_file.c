#include "net/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIANT    sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define TEXT_BYTES sodium_base64_ENCODED_LEN(KEY_FILE_BYTES, VARIANT) // with a NUL

static bool read_key(int fd, const char *path, uint8_t key[KEY_FILE_BYTES], err_t *err) {
    char text[TEXT_BYTES + 2]; // above a line feed, to notice a longer file
    struct stat info;
    size_t size = 0;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return Err_Set(err, "%s: expected a file with a key", path);
    }
    if ((info.st_mode & 077) != 0) {
        return Err_Set(err,
                       "%s: mode %04o lets other users reach the key; run \"chmod 600 %s\", and "
                       "make a new key if they may have read it",
                       path, (unsigned)info.st_mode & 07777, path);
    }
    ssize_t got = read(fd, text, sizeof text);
    size_t length = got > 0 ? (size_t)got : 0;
    length -= length > 0 && text[length - 1] == '\n' ? 1 : 0;
    bool good =
        length == TEXT_BYTES - 1 &&
        sodium_base642bin(key, KEY_FILE_BYTES, text, length, NULL, &size, NULL, VARIANT) == 0 &&
        size == KEY_FILE_BYTES;
    sodium_memzero(text, sizeof text);
    return good || Err_Set(err,
                           "%s: expected one line of %d letters, digits, - and _; \"edict-ctl key "
                           "new FILE\" makes such a file",
                           path, (int)TEXT_BYTES - 1);
}

bool KeyFile_Read(const char *path, uint8_t key[KEY_FILE_BYTES], err_t *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return Err_Set(err, "%s: %s", path, strerror(errno));
    }
    bool good = read_key(fd, path, key, err);
    close(fd);
    return good;
}

bool KeyFile_Make(const char *path, uint8_t key[KEY_FILE_BYTES], err_t *err) {
    char text[TEXT_BYTES];
    int fd = sodium_init() >= 0 ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0) {
        return Err_Set(err, "%s: %s", path, strerror(errno));
    }
    randombytes_buf(key, KEY_FILE_BYTES);
    sodium_bin2base64(text, sizeof text, key, KEY_FILE_BYTES, VARIANT);
    text[TEXT_BYTES - 1] = '\n';
    bool good = write(fd, text, sizeof text) == (ssize_t)sizeof text && fsync(fd) == 0;
    good = close(fd) == 0 && good;
    sodium_memzero(text, sizeof text);
    if (!good) {
        Err_Set(err, "%s: %s", path, strerror(errno));
        unlink(path);
    }
    return good;
}
