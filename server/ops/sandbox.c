#include "ops/sandbox.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIST_BYTES 1024 // of the folders in the log line

// ---- Landlock: files ----

// Rights and fields that are newer than Debian 12's header.
#define RIGHT_REFER     (UINT64_C(1) << 13)
#define RIGHT_TRUNCATE  (UINT64_C(1) << 14)
#define RIGHT_IOCTL_DEV (UINT64_C(1) << 15)
#define RIGHTS_NET      UINT64_C(3) // to bind and connect TCP sockets
#define SCOPES          UINT64_C(3) // abstract UNIX sockets and signals

#define RIGHTS_READ  (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RIGHTS_FILE  (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE)
#define RIGHTS_LOG   (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG)
#define RIGHTS_WRITE (RIGHTS_READ | RIGHTS_LOG | LANDLOCK_ACCESS_FS_REMOVE_FILE | RIGHT_TRUNCATE)

typedef struct {
    uint64_t files, net, scopes;
} ruleset_attributes_t;

typedef struct {
    int fd;           // ruleset; -1 = this kernel has no Landlock
    int abi;          // version of Landlock
    uint64_t handled; // rights that need a rule
    char reads[LIST_BYTES], writes[LIST_BYTES];
} rules_t;

// The rights of each version of Landlock that limits files.
static uint64_t rights_of(int abi) {
    uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    rights |= abi >= 2 ? RIGHT_REFER : 0;
    rights |= abi >= 3 ? RIGHT_TRUNCATE : 0;
    rights |= abi >= 5 ? RIGHT_IOCTL_DEV : 0;
    return rights;
}

static bool open_rules(rules_t *rules) {
    *rules = (rules_t){.fd = -1};
    rules->abi =
        (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (rules->abi < 1) {
        return false;
    }
    rules->handled = rights_of(rules->abi);
    const ruleset_attributes_t attributes = {.files = rules->handled,
                                             .net = rules->abi >= 4 ? RIGHTS_NET : 0,
                                             .scopes = rules->abi >= 6 ? SCOPES : 0};
    rules->fd = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    return rules->fd >= 0;
}

static bool is_listed(const char *list, const char *path) {
    const size_t length = strlen(path);
    for (const char *at = list; (at = strstr(at, path)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

// Allows `rights` for a path and all below. Names it in `list`, which may be NULL.
static void allow(rules_t *rules, const char *path, uint64_t rights, char *list) {
    struct stat info;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights & rules->handled};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0 || fstat(rule.parent_fd, &info) != 0) {
        return;
    }
    if (!S_ISDIR(info.st_mode)) {
        rule.allowed_access &= RIGHTS_FILE;
    }
    bool good =
        syscall(SYS_landlock_add_rule, rules->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    if (good && list && !is_listed(list, path)) {
        strlcat(list, list[0] ? ", " : "", LIST_BYTES);
        strlcat(list, path, LIST_BYTES);
    }
}

// Allows `rights` for the folder of a file. If the file is a link, also for its target's folder.
static void allow_folder_of(rules_t *rules, const char *file, uint64_t rights, char *list) {
    char path[MAX_PATH_BYTES], target[PATH_MAX];
    strlcpy(path, file, sizeof path);
    allow(rules, dirname(path), rights, list);
    if (readlink(file, target, sizeof target) > 0 && realpath(file, target)) {
        allow(rules, dirname(target), rights, list);
    }
}

static void allow_folders(rules_t *rules, const sandbox_paths_t *paths) {
    char list[MAX_PATH_BYTES];
    struct stat info;
    strlcpy(list, paths->map_path, sizeof list);
    for (char *rest = list, *name; (name = strsep(&rest, ":"));) {
        if (*name) {
            allow(rules, name, RIGHTS_READ, rules->reads);
        }
    }
    for (size_t i = 0; i < COUNTOF(paths->readable); i++) {
        if (paths->readable[i] && paths->readable[i][0]) {
            allow_folder_of(rules, paths->readable[i], RIGHTS_READ, rules->reads);
        }
    }
    if (paths->log_file[0] && stat(paths->log_file, &info) == 0 && !S_ISREG(info.st_mode)) {
        allow(rules, paths->log_file, RIGHTS_LOG, rules->writes);
    } else if (paths->log_file[0]) {
        allow_folder_of(rules, paths->log_file, RIGHTS_LOG, rules->writes);
    }
    if (paths->ban_file[0]) {
        allow_folder_of(rules, paths->ban_file, RIGHTS_WRITE, rules->writes);
    }
    for (size_t i = 0; i < COUNTOF(paths->removable); i++) {
        if (paths->removable[i] && paths->removable[i][0]) {
            allow_folder_of(rules, paths->removable[i], LANDLOCK_ACCESS_FS_REMOVE_FILE, NULL);
        }
    }
}

// Limits the files that this process may open. Returns false, with errno, if the kernel cannot.
static bool limit_files(rules_t *rules, const sandbox_paths_t *paths) {
    static const char *const system[] = {"/lib",
                                         "/lib64",
                                         "/usr/lib",
                                         "/usr/lib64",
                                         "/usr/local/lib",
                                         "/etc/ld.so.cache", // modules
                                         "/proc/self"};      // is_traced in crash.c
    if (!open_rules(rules)) {
        return false;
    }
    allow_folders(rules, paths);
    for (size_t i = 0; i < COUNTOF(system); i++) {
        allow(rules, system[i], LANDLOCK_ACCESS_FS_READ_FILE, NULL);
    }
    // Kept open: otherwise the kernel may forget the folder, and the rule with it.
    int self = open("/proc/self", O_PATH | O_CLOEXEC);
    (void)self;
    bool good = syscall(SYS_landlock_restrict_self, rules->fd, 0) == 0;
    int why = errno;
    close(rules->fd);
    errno = why;
    return good;
}

// ---- seccomp: system calls ----

// System calls without conditions: files, memory, time, network, signals, the process.
static const char calls[] =
    "read pread64 write writev open openat close lseek stat fstat lstat newfstatat statx access "
    "faccessat faccessat2 readlink readlinkat getdents64 getcwd rename renameat renameat2 unlink "
    "unlinkat fsync ftruncate fchmod fchown flock dup2 dup3 memfd_create "
    "brk munmap mremap madvise mlock munlock futex "
    "clock_gettime gettimeofday time nanosleep clock_nanosleep setitimer "
    "poll ppoll recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg accept4 getsockname getpeername "
    "getsockopt setsockopt shutdown "
    "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall "
    "exit exit_group wait4 setsid getpid gettid getuid geteuid getgid getegid sysinfo getrandom";

typedef struct {
    const char *name;
    uint32_t count;
    struct scmp_arg_cmp args[2];
} condition_t;

// Adds one rule; a call that this CPU does not have is skipped. Returns 0 or a negative errno.
static int add_rule(scmp_filter_ctx filter, const char *name, uint32_t count,
                    const struct scmp_arg_cmp *args) {
    int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) {
        return 0;
    }
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, count, args);
}

// Adds the calls whose arguments matter.
static int add_conditions(scmp_filter_ctx filter) {
    const uint64_t both = PROT_WRITE | PROT_EXEC;
    const uint64_t pid = (uint64_t)getpid();
    const condition_t conditions[] = {
        // Memory is never writable and executable; what is executable comes from a file.
        {"mmap", 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)}},
        {"mmap",
         2,
         {SCMP_A2(SCMP_CMP_MASKED_EQ, both, PROT_EXEC),
          SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0)}},
        {"mprotect", 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)}},
        {"tgkill", 1, {SCMP_A0(SCMP_CMP_EQ, pid, 0)}}, // abort and raise
        {"prlimit64", 2, {SCMP_A0(SCMP_CMP_EQ, 0, 0), SCMP_A2(SCMP_CMP_EQ, 0, 0)}}, // reads limits
        {"fcntl",
         1,
         {SCMP_A1(SCMP_CMP_LE, F_SETLKW, 0)}}, // flags and locks, no signals to an owner
        {"fcntl", 1, {SCMP_A1(SCMP_CMP_EQ, F_DUPFD_CLOEXEC, 0)}},
        {"ioctl", 1, {SCMP_A1(SCMP_CMP_EQ, TCGETS, 0)}}, // isatty
        {"ioctl", 1, {SCMP_A1(SCMP_CMP_EQ, FIONBIO, 0)}},
        {"ioctl", 1, {SCMP_A1(SCMP_CMP_EQ, FIONREAD, 0)}},
    };
    int fault = 0;
    for (size_t i = 0; i < COUNTOF(conditions) && fault == 0; i++) {
        fault = add_rule(filter, conditions[i].name, conditions[i].count, conditions[i].args);
    }
    return fault;
}

// Makes all other system calls fail with EPERM. Returns 0 or a negative errno.
static int limit_calls(void) {
    char list[sizeof calls];
    memcpy(list, calls, sizeof list);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int fault = filter ? add_conditions(filter) : -ENOMEM;
    for (char *rest = list, *name; fault == 0 && (name = strsep(&rest, " "));) {
        fault = add_rule(filter, name, 0, NULL);
    }
    if (fault == 0) {
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); // a binary tree
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1); // otherwise slow on kernels before 5.16
        fault = seccomp_load(filter);
    }
    if (filter) {
        seccomp_release(filter);
    }
    return fault;
}

// ---- both ----

void Sandbox_Enter(const sandbox_paths_t *paths, const log_t *log) {
    rules_t rules;
    char files[2 * LIST_BYTES + 64] = "files are not limited";
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (limit_files(&rules, paths)) {
        snprintf(files, sizeof files, "Landlock %d: reads %s, writes %s", rules.abi,
                 rules.reads[0] ? rules.reads : "nothing",
                 rules.writes[0] ? rules.writes : "nothing");
    } else {
        Log_Print(log, LOG_WARN,
                  "sandbox: no Landlock here (%s): files are limited by the user's "
                  "rights alone",
                  strerror(errno));
    }
    int fault = limit_calls();
    if (fault != 0) {
        Log_Print(log, LOG_WARN, "sandbox: no seccomp here (%s): system calls are not limited",
                  strerror(-fault));
    }
    Log_Print(log, LOG_INFO, "sandbox: %s; %s", files,
              fault == 0 ? "seccomp: no new programs or sockets" : "all system calls");
}

bool Sandbox_AllowsFolder(const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_refused = fd < 0 && errno == EACCES && access(folder, R_OK) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return !is_refused;
}
