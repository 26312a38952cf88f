#include "base/control_path.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT_FOLDER "/run/edictd"
#define SUFFIX      ".sock"
#define NAME_BYTES  sizeof "/65535" SUFFIX

bool ControlPath_Folder(int32_t i, char folder[CONTROL_PATH_BYTES]) {
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    uid_t uid = geteuid();
    if (i == 0 && uid != 0) {
        bool is_usable = runtime && runtime[0] == '/' &&
                         strlen(runtime) + sizeof "/edictd" + NAME_BYTES <= CONTROL_PATH_BYTES;
        if (is_usable) {
            snprintf(folder, CONTROL_PATH_BYTES, "%s/edictd", runtime);
        } else {
            snprintf(folder, CONTROL_PATH_BYTES, "/tmp/edictd-%u", (unsigned)uid);
        }
        return true;
    }
    snprintf(folder, CONTROL_PATH_BYTES, "%s", ROOT_FOLDER);
    return i == (uid == 0 ? 0 : 1);
}

bool ControlPath_Socket(const char *folder, uint16_t port, char path[CONTROL_PATH_BYTES]) {
    return snprintf(path, CONTROL_PATH_BYTES, "%s/%u" SUFFIX, folder, port) < CONTROL_PATH_BYTES;
}

int32_t ControlPath_Port(const char *name) {
    char digits[8];
    int64_t port = -1;
    size_t length = strcspn(name, ".");
    if (length >= sizeof digits || strcmp(name + length, SUFFIX) != 0) {
        return -1;
    }
    snprintf(digits, sizeof digits, "%.*s", (int)length, name);
    return Str_ToInt(digits, 1, UINT16_MAX, &port) ? (int32_t)port : -1;
}
