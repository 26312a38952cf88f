#include "ctl/sockets.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LISTED 64 // sockets that are tried, without those of servers that crashed

// A search for servers.
typedef struct {
    link_t *link;
    int32_t tried, live;
    char only[CONTROL_PATH_BYTES]; // the first that answers
    char tried_text[384];          // folders or paths
    char live_text[400];
    err_t refusal; // the last
} search_t;

static void append(char *text, size_t bytes, const char *more) {
    strlcat(text, text[0] ? ", " : "", bytes);
    strlcat(text, more, bytes);
}

// Returns false for a folder in /tmp that another user made, to read the commands of this one.
static bool is_trusted(const char *folder) {
    struct stat info;
    return strncmp(folder, "/tmp/", strlen("/tmp/")) != 0 ||
           (lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid());
}

static void try_socket(search_t *search, const char *folder, uint16_t port) {
    char path[CONTROL_PATH_BYTES];
    err_t why;
    if (search->tried >= MAX_LISTED || !ControlPath_Socket(folder, port, path)) {
        return;
    }
    link_open_t got = Link_Open(search->link, path, NULL, &why);
    Link_Close(search->link);
    search->tried += got != LINK_ABSENT ? 1 : 0;
    if (got == LINK_OPEN) {
        search->live++;
        memcpy(search->only, path, sizeof path);
        append(search->live_text, sizeof search->live_text, path);
    } else if (got == LINK_REFUSED) {
        search->refusal = why;
    }
}

static void try_folder(search_t *search, const char *folder) {
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        int32_t port = ControlPath_Port(entry->d_name);
        if (port > 0) {
            try_socket(search, folder, (uint16_t)port);
        }
    }
    if (open) {
        closedir(open);
    }
}

static link_open_t fail(const search_t *search, err_t *err) {
    if (search->live > 1) {
        Err_Set(err, "%d servers run; choose one with -p PORT or -s SOCKET: %s", search->live,
                search->live_text);
        return LINK_ABSENT;
    }
    if (search->refusal.text[0] != '\0') {
        *err = search->refusal;
        return LINK_REFUSED;
    }
    Err_Set(err,
            "no server found in %s; if it runs as another user or with its own net_control, name "
            "its socket with -s",
            search->tried_text);
    return LINK_ABSENT;
}

link_open_t Sockets_Open(link_t *link, const char *path, uint16_t port, const char *role,
                         err_t *err) {
    search_t search = {.link = link};
    char folder[CONTROL_PATH_BYTES];
    if (path) {
        return Link_Open(link, path, role, err);
    }
    for (int32_t i = 0; ControlPath_Folder(i, folder); i++) {
        char tried[CONTROL_PATH_BYTES];
        if (!is_trusted(folder)) {
            continue;
        }
        if (port == 0) {
            append(search.tried_text, sizeof search.tried_text, folder);
            try_folder(&search, folder);
        } else if (search.live == 0 && ControlPath_Socket(folder, port, tried)) {
            append(search.tried_text, sizeof search.tried_text, tried);
            try_socket(&search, folder, port);
        }
    }
    return search.live == 1 ? Link_Open(link, search.only, role, err) : fail(&search, err);
}
