#include "base/file.h"

#include "base/limits.h"
#include "base/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, uint8_t *data, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, data + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? EIO : errno;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const uint8_t *data, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t put = write(fd, data + done, size - done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return false;
        }
        done += (size_t)put;
    }
    return true;
}

static uint8_t *read_open_file(int fd, const char *path, size_t max_bytes, size_t *size,
                               err_t *err) {
    struct stat info;
    if (fstat(fd, &info) != 0) {
        Err_Set(err, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(info.st_mode)) {
        Err_Set(err, "%s: not a regular file", path);
        return NULL;
    }
    if ((uint64_t)info.st_size > max_bytes) {
        Err_Set(err, "%s: %lld bytes, at most %zu are allowed", path, (long long)info.st_size,
                max_bytes);
        return NULL;
    }
    size_t bytes = (size_t)info.st_size;
    void *block = NULL;
    uint8_t *data = posix_memalign(&block, FILE_ALIGN, bytes + 1) == 0 ? block : NULL;
    Pages_PreferLarge(data, data ? bytes : 0);
    if (!data || !read_all(fd, data, bytes)) {
        Err_Set(err, "%s: %s", path, strerror(data ? errno : ENOMEM));
        free(data);
        return NULL;
    }
    data[bytes] = 0;
    *size = bytes;
    return data;
}

uint8_t *File_Read(const char *path, size_t max_bytes, size_t *size, err_t *err) {
    // O_NONBLOCK, because opening a FIFO would hang before the check for a regular file.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        bool is_refused = errno == EACCES && access(path, R_OK) == 0; // by Landlock
        Err_Set(err, "%s: %s", path,
                is_refused ? "outside of the folders that the sandbox allows" : strerror(errno));
        return NULL;
    }
    uint8_t *data = read_open_file(fd, path, max_bytes, size, err);
    close(fd);
    return data;
}

bool File_Exists(const char *path) {
    return access(path, F_OK) == 0;
}

// Follows the links of `path` to a regular file, which need not exist. Returns false for another
// kind of file.
static bool find_target(const char *path, char target[PATH_MAX], struct stat *old) {
    *old = (struct stat){0};
    if (!realpath(path, target) || stat(target, old) != 0) {
        snprintf(target, PATH_MAX, "%s", path);
        return true;
    }
    return S_ISREG(old->st_mode);
}

// Gives a new file the mode and, if allowed, the owner of the old file.
static bool copy_mode(int fd, const struct stat *old) {
    struct stat info;
    if (old->st_mode == 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return true; // there is no old file, or `fd` is a device
    }
    bool is_same_owner = old->st_uid == info.st_uid && old->st_gid == info.st_gid;
    if (!is_same_owner && fchown(fd, old->st_uid, old->st_gid) != 0) {
        errno = 0; // not allowed: the new file belongs to this process
    }
    return fchmod(fd, old->st_mode & 07777) == 0;
}

// Writes a folder to the disk, so that a rename survives a power cut.
static bool sync_folder(const char *path) {
    char folder[MAX_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = fd < 0 || fsync(fd) == 0 || errno == EINVAL; // some file systems cannot
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

bool File_Write(const char *path, const void *data, size_t size, err_t *err) {
    char temporary[MAX_PATH_BYTES];
    char target[PATH_MAX];
    struct stat old;
    if (!find_target(path, target, &old)) {
        return Err_Set(err, "%s: not a regular file", path);
    }
    path = target;
    int length = snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        return Err_Set(err, "%s: the path is too long", path);
    }
    unlink(temporary); // left by a crash, or a link to a file that is not ours
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return Err_Set(err, "%s: %s", temporary, strerror(errno));
    }
    bool good = copy_mode(fd, &old) && write_all(fd, data, size) && fsync(fd) == 0;
    int why = errno;
    if (close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && (rename(temporary, path) != 0 || !sync_folder(path))) {
        good = false;
        why = errno;
    }
    if (!good) {
        unlink(temporary);
        return Err_Set(err, "%s: %s", path, strerror(why));
    }
    return true;
}

bool File_IsSame(const char *a, const char *b) {
    struct stat one;
    struct stat other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

uint8_t *File_ReadFrom(const file_reader_t *files, const char *path, size_t max_bytes, size_t *size,
                       err_t *err) {
    return files ? files->read(files->context, path, max_bytes, size, err)
                 : File_Read(path, max_bytes, size, err);
}
