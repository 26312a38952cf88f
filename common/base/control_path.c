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
    bool has_runtime = runtime && runtime[0] == '/' &&
                       strlen(runtime) + sizeof "/edictd" + NAME_BYTES <= CONTROL_PATH_BYTES;
    if (uid == 0 || i == (has_runtime ? 2 : 1)) {
        snprintf(folder, CONTROL_PATH_BYTES, "%s", ROOT_FOLDER);
        return uid != 0 || i == 0;
    }
    if (i == 0 && has_runtime) {
        snprintf(folder, CONTROL_PATH_BYTES, "%s/edictd", runtime);
    } else {
        snprintf(folder, CONTROL_PATH_BYTES, "/tmp/edictd-%u", (unsigned)uid);
    }
    return i <= (has_runtime ? 1 : 0);
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
