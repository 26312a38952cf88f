// A game that tries what a server in its sandbox must not do. Its command tiny_ask replies with the
// attempts that the kernel did not refuse with EPERM or EACCES.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char answer[512];
static const char *escape(void);
#define TINY_ANSWER escape()
#include "modules/tiny.h"

static void note(const char *name, long result) {
    bool is_refused = result == -1 && (errno == EPERM || errno == EACCES);
    if (!is_refused) {
        strncat(answer, " ", sizeof answer - strlen(answer) - 1);
        strncat(answer, name, sizeof answer - strlen(answer) - 1);
    }
    errno = 0;
}

static void try_file(const char *name, const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC, 0600);
    note(name, fd);
    if (fd >= 0) {
        close(fd);
    }
}

static void try_socket(const char *name, int family, int kind) {
    int fd = socket(family, kind, 0);
    note(name, fd);
    if (fd >= 0) {
        close(fd);
    }
}

static void try_files(void) {
    char path[64]; // of this process: a file that another one left there would be refused, too
    snprintf(path, sizeof path, "/tmp/edictd-escape.%d", (int)getpid());
    try_file("read", "/etc/passwd", O_RDONLY);
    try_file("list", "/tmp", O_RDONLY | O_DIRECTORY);
    note("mkdir", mkdir(path, 0700));
    rmdir(path);
    note("symlink", symlink("/etc", path));
    unlink(path);
    try_file("create", path, O_WRONLY | O_CREAT);
    note("chmod", chmod(path, 0777));
    unlink(path);
    try_file("parent", "/proc/1/stat", O_RDONLY);
}

static void try_processes(void) {
    char *argv[] = {NULL};
    note("execve", execve("/no/such/program", argv, argv));
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    note("fork", child);
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    note("ptrace", ptrace(PTRACE_PEEKDATA, 1, NULL, NULL));
    note("kill", kill(getpid(), 0));
    note("owner", fcntl(STDIN_FILENO, F_SETOWN, getpid()));
    note("process_vm_readv", syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0));
    note("unshare", unshare(CLONE_FS));
    note("io_uring", syscall(SYS_io_uring_setup, 0, NULL));
}

static void try_memory(void) {
    void *block =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    note("mmap", block == MAP_FAILED ? -1 : 0);
    block = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    note("mprotect", mprotect(block, 4096, PROT_READ | PROT_EXEC));
    munmap(block, 4096);
}

static const char *escape(void) {
    snprintf(answer, sizeof answer, "not refused:");
    try_files();
    try_processes();
    try_memory();
    try_socket("tcp", AF_INET, SOCK_STREAM);
    try_socket("udp", AF_INET, SOCK_DGRAM);
    try_socket("unix", AF_UNIX, SOCK_STREAM);
    try_socket("netlink", AF_NETLINK, SOCK_RAW);
    return answer;
}
