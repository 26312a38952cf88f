#include "net/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_key(int fd, const char *path, uint8_t key[KEY_BYTES], err_t *err) {
    char text[KEY_TEXT_BYTES + 2]; // a longer file is noticed
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return Err_Set(err, "%s: expected a file with a key", path);
    }
    if ((info.st_mode & 077) != 0) {
        return Err_Set(err,
                       "%s: mode %04o lets other users reach the key; run \"chmod 600 %s\", and "
                       "make a new key if they may have read it",
                       path, (unsigned)info.st_mode & 07777, path);
    }
    ssize_t got = read(fd, text, sizeof text - 1);
    size_t length = got > 0 ? (size_t)got : 0;
    length -= length > 0 && text[length - 1] == '\n' ? 1 : 0;
    text[length] = '\0';
    bool good = Key_Parse(path, text, key, err);
    sodium_memzero(text, sizeof text);
    return good;
}

bool KeyFile_Read(const char *path, uint8_t key[KEY_BYTES], err_t *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return Err_Set(err, "%s: %s", path, strerror(errno));
    }
    bool good = read_key(fd, path, key, err);
    close(fd);
    return good;
}

bool KeyFile_Make(const char *path, const uint8_t key[KEY_BYTES], err_t *err) {
    char text[KEY_TEXT_BYTES];
    int fd = sodium_init() >= 0 ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0) {
        return Err_Set(err, "%s: %s", path, strerror(errno));
    }
    Key_Format(key, text);
    text[KEY_TEXT_BYTES - 1] = '\n';
    bool good = write(fd, text, sizeof text) == (ssize_t)sizeof text && fsync(fd) == 0;
    good = close(fd) == 0 && good;
    sodium_memzero(text, sizeof text);
    if (!good) {
        Err_Set(err, "%s: %s", path, strerror(errno));
        unlink(path);
    }
    return good;
}
