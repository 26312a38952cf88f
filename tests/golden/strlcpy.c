// For across.sh only: a cross compiler's C library comes without libbsd.

#include <stddef.h>
#include <string.h>

size_t strlcpy(char *to, const char *from, size_t size);

size_t strlcpy(char *to, const char *from, size_t size) {
    size_t length = strlen(from);
    if (size > 0) {
        size_t part = length < size ? length : size - 1;
        memcpy(to, from, part);
        to[part] = '\0';
    }
    return length;
}
