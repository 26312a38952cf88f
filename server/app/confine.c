/// app/confine.c - takes away from the process what it does not need once it serves: root's rights,
/// other files, other programs.

#include "app/app.h"
#include "net/enet_transport.h"
#include "ops/sandbox.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Checks that the new user can read the folders of maps that exist. Runs as that user.
static bool check_maps(const app_t *app, err_t *err) {
    char list[CVAR_STRING_BYTES];
    strlcpy(list, app->console.host.sv_mappath, sizeof list);
    for (char *rest = list, *name; (name = strsep(&rest, ":"));) {
        if (*name && access(name, R_OK | X_OK) != 0 && errno == EACCES) {
            return Err_Set(err,
                           "user \"%s\" cannot read the maps in %s: make it readable (chmod o+rx, "
                           "also the folders above), or name another user with -u",
                           app->user.name, name);
        }
    }
    return true;
}

// Warns if the new user cannot read or write what SIGHUP and a ban will need.
static void check_later_files(const app_t *app) {
    const char *read_again[] = {app->options.config, app->console.host.sv_banfile};
    const char *log_file = app->console.host.log_file;
    err_t err;
    for (size_t i = 0; i < COUNTOF(read_again); i++) {
        const char *path = read_again[i];
        if (path && path[0] && access(path, R_OK) != 0 && errno != ENOENT) {
            Log_Print(&app->log, LOG_WARN,
                      "user \"%s\" cannot read %s: SIGHUP will not read it again", app->user.name,
                      path);
        }
    }
    if (log_file[0] && access(log_file, W_OK) != 0) {
        Log_Print(&app->log, LOG_WARN,
                  "user \"%s\" cannot write %s: SIGHUP will not open it again; give the file and "
                  "its folder to this user",
                  app->user.name, log_file);
    }
    if (app->bans.faults == 0 && !Bans_Check(&app->bans, &err)) { // faulty lines stay in the file
        Log_Print(&app->log, LOG_WARN, "user \"%s\": %s; new bans end with the server",
                  app->user.name, err.text);
    }
}

static bool become_user(app_t *app, err_t *err) {
    const run_user_t *user = &app->user;
    if (!user->changes) {
        if (geteuid() == 0) {
            Log_Print(&app->log, LOG_WARN,
                      "the server runs as root: name a user without rights with -u");
        }
        return true;
    }
    LogSink_GiveTo(&app->sink, user->uid, user->gid);
    Control_GiveTo(app->control, user->uid, user->gid);
    if (!RunUser_Become(user, err) || !check_maps(app, err)) {
        return false;
    }
    check_later_files(app);
    Log_Print(&app->log, LOG_INFO, "the server now runs as user \"%s\"", user->name);
    return true;
}

bool App_Confine(app_t *app, err_t *err) {
    const host_cvars_t *host = &app->console.host;
    if (!become_user(app, err)) {
        return false;
    }
    Bots_Setup(&app->bots, &app->console, &app->user, EnetTransport_Port(app->net));
    if (host->sv_sandbox == 0) {
        Log_Print(&app->log, LOG_WARN, "sandbox: off (sv_sandbox 0)");
        return true;
    }
    const sandbox_paths_t paths = {
        .map_path = host->sv_mappath,
        .readable = {app->options.config, app->options.game ? app->module.path : NULL,
                     strpbrk(app->console.start_map, "./") ? app->console.start_map : NULL},
        .log_file = host->log_file,
        .ban_file = host->sv_banfile,
        .removable = {Control_Path(app->control), app->options.pidfile}};
    Sandbox_Enter(&paths, &app->log);
    return true;
}
