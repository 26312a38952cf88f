#!/usr/bin/env python3
"""The server as another user and in its sandbox: all that it does later works, all else is refused.

usage: sandbox.py [TEST]...     (default: all of them)
As root, makes the user _edictd if it is missing; otherwise runs only what needs no root.
Environment: BUILD (default build). Ends with `N passed, N failed, N skipped`.
"""
import contextlib
import ctypes
import errno
import os
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
import daemon  # noqa: E402

BUILD = os.path.abspath(daemon.BUILD)
MODULES = ["tiny_one", "tiny_two", "tiny_crash", "escape"]
USER = "_edictd"
IS_ROOT = os.geteuid() == 0
PLAIN_ENV = {k: v for k, v in os.environ.items() if k != "EDICTD_USER"}


def lacks():
    """Returns what this system lacks for a server in its sandbox as another user; "" = nothing."""
    if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:  # landlock_create_ruleset: its version
        return "needs Landlock"
    if not os.path.exists("/proc/sys/kernel/seccomp"):
        return "needs seccomp"
    if IS_ROOT and subprocess.run(["setpriv", f"--reuid={USER}", "true"], capture_output=True).returncode != 0:
        return "needs the right to become another user"
    return ""


class Place:
    """Programs and maps that every user can read, and folders of the server's user."""

    def __init__(self, folder):
        self.folder, self.build = folder, f"{folder}/build"
        self.uid = pwd.getpwnam(USER).pw_uid if IS_ROOT else os.geteuid()
        for name in ["build/maps", "examples", "etc", "log", "var"]:
            os.makedirs(f"{folder}/{name}")
        for name in ["edictd", "edict-bot", "maps/walk1.bsp"]:
            shutil.copy(f"{BUILD}/{name}", f"{self.build}/{name}")
        for name in MODULES:
            shutil.copy(f"{BUILD}/tests/modules/{name}.so", self.build)
        shutil.copy("examples/fighter.lua", f"{folder}/examples")
        for name in ["log", "var"]:
            os.chown(f"{folder}/{name}", self.uid, -1)
        os.chmod(folder, 0o755)
        daemon.EDICTD, daemon.MAPS = f"{self.build}/edictd", f"{self.build}/maps"

    def users(self):
        """Yields how a server starts: as root that becomes another user, and as that user."""
        if IS_ROOT:
            yield {"env": PLAIN_ENV}
            yield {"env": PLAIN_ENV, "user": USER, "group": pwd.getpwnam(USER).pw_gid, "extra_groups": []}
        else:
            yield {"env": PLAIN_ENV}

    @contextlib.contextmanager
    def server(self, *args, **how):
        with daemon.server("+set", "net_control", f"{self.folder}/var/ctl.sock", *args,
                           map=f"{self.build}/maps/walk1.bsp", **how) as running:
            yield running


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def wait_for(condition, why):
    end = time.monotonic() + daemon.LIMIT_S
    while not condition():
        assert time.monotonic() < end, why()
        time.sleep(0.02)


def command(path, line):
    """Sends a command to the control socket and returns the answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        stream = connection.makefile("rw")
        stream.readline()
        stream.write(line + "\n")
        stream.flush()
        answer = []
        while not answer or answer[-1][0] not in ".!":
            answer.append(stream.readline() or "!")
        return "".join(answer)


def test_what_a_server_does_later(place):
    log, bans, game = f"{place.folder}/log/log", f"{place.folder}/var/bans", f"{place.build}/game.so"
    config = f"{place.folder}/etc/server.cfg"
    for how in place.users():
        shutil.copy(f"{place.build}/tiny_one.so", game)
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"set log_file {log}\nset sv_banfile {bans}\nset sv_gravity 700\n")
        with place.server("-c", config, "-g", game, **how) as running:
            status = status_of(running.process.pid)
            assert set(status["Uid"].split()) == {str(place.uid)}, status["Uid"]
            assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2"), status
            assert re.search("sandbox: Landlock [0-9]+: reads .*maps.*, writes .*/log, .*/var; seccomp: ",
                             running.log()), running.log()
            later = f"{place.build}/maps/later.bsp"
            shutil.copy(f"{BUILD}/maps/stairs.bsp", later)
            running.ask("map later; status", "^map later")
            os.rename(log, log + ".1")
            os.rename(config, config + ".1")  # editors replace a file
            with open(config, "w", encoding="utf-8") as file:
                file.write(f"set log_file {log}\nset sv_banfile {bans}\nset sv_gravity 600\n")
            running.process.send_signal(signal.SIGHUP)
            assert running.logs(f"SIGHUP: {config} was read again"), running.log()
            wait_for(lambda: os.path.exists(log) and "was read again" in open(log).read(), running.log)
            assert os.stat(log).st_uid == place.uid
            assert '"600"' in running.ask("sv_gravity", "sv_gravity =")
            running.ask("ban 192.0.2.7 forever x", "^ban 192.0.2.7")
            running.ask("unban 192.0.2.7", "^unban")
            running.ask("ban 192.0.2.8 forever y", "^ban 192.0.2.8")
            with open(bans, encoding="utf-8") as file:
                assert "192.0.2.7" not in (text := file.read()) and "192.0.2.8" in text, text
            assert "map later" in command(f"{place.folder}/var/ctl.sock", "status")
            running.ask("tiny_ask", "the first build")
            shutil.copy(f"{place.build}/tiny_two.so", game + ".new")
            os.rename(game + ".new", game)
            running.ask("game reload; tiny_ask", "the second build")
            running.ask("set sv_mappath /tmp", "error: sv_mappath: the sandbox does not allow /tmp: set it before the start")
            assert "outside of the folders that the sandbox allows" in running.ask("exec /etc/passwd", "^error")
        assert not os.path.exists(f"{place.folder}/var/ctl.sock")
        for path in (log, log + ".1", bans, later):
            os.remove(path)


def test_bots_start_from_inside(place):
    for how in place.users():
        with place.server("+set", "bots", "2", **how) as running:
            for pid in daemon.expect_players(running, 2, 0):
                assert set(status_of(pid)["Uid"].split()) == {str(place.uid)}


def test_a_crash_is_reported_from_inside(place):
    log = f"{place.folder}/log/crash"
    for how in place.users():
        running = daemon.Server("-g", f"{place.build}/tiny_crash.so", "+set", "log_file", log, **how)
        with daemon.victim(running.port):
            status = running.process.wait(daemon.LIMIT_S)
        with open(log, encoding="utf-8") as file:
            text = file.read()
        if "AddressSanitizer" not in running.log():
            assert status == -signal.SIGSEGV, f"{status} {text}"
            daemon.expect_place(text, "tiny_crash")
        os.remove(log)


def test_all_else_is_refused(place):
    everything = ("read list create parent mkdir symlink chmod execve fork ptrace kill owner process_vm_readv unshare "
                  "io_uring mmap mprotect tcp udp unix netlink")
    for how in place.users():
        with place.server("-g", f"{place.build}/escape.so", **how) as running:
            assert "not refused:\n" in (text := running.ask("tiny_ask", "not refused")), text
    with place.server("-g", f"{place.build}/escape.so", "+set", "sv_sandbox", "0", **how) as running:
        text = running.ask("tiny_ask", "not refused")
        allowed = set(text.split(":")[1].split())
        by_containers = {"io_uring", "parent", "netlink", "unshare", "ptrace", "process_vm_readv"}  # refused by some
        missing = set(everything.split()) - allowed - by_containers
        assert not missing, missing
        assert running.logs(r"warn: sandbox: off \(sv_sandbox 0\)"), running.log()


def refused(place, *args, **how):
    how = {"env": PLAIN_ENV, **how}
    done = subprocess.run([f"{place.build}/edictd", "-p", "0", "+set", "net_control", "off", "+set", "sv_mappath",
                           f"{place.build}/maps", *args, "+map", "walk1"], capture_output=True, text=True, timeout=daemon.LIMIT_S, **how)
    assert done.returncode == 1, done
    return done.stderr


def forbid(*calls):
    """Makes system calls fail in this process, as an old kernel or a container does: (number, first argument
    or None, errno)."""
    load, jump_unless, give, allow = 0x20, 0x15, 0x06, 0x7fff0000  # classic BPF; offset 0: number, 16: argument
    code = []
    for number, argument, error in calls:
        code += [(load, 0, 0, 0), (jump_unless, 0, 1 if argument is None else 3, number)]
        code += [(load, 0, 0, 16), (jump_unless, 0, 1, argument)] if argument is not None else []
        code += [(give, 0, 0, 0x50000 | error)]
    code += [(give, 0, 0, allow)]
    block = b"".join(struct.pack("HBBI", *step) for step in code)
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(buffer := ctypes.create_string_buffer(block)))
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    assert buffer and libc.prctl(22, 2, program, 0, 0) == 0  # PR_SET_SECCOMP


def test_a_kernel_without(place):
    numbers = {"x86_64": (317, 157), "aarch64": (277, 167)}.get(os.uname().machine)
    if not numbers:
        return "needs the numbers of this CPU's system calls"
    seccomp, prctl = numbers
    how = list(place.users())[-1]
    with place.server(**how, preexec_fn=lambda: forbid((444, None, errno.ENOSYS))) as running:
        assert ("warn: sandbox: no Landlock here (Function not implemented): files are limited by the user's rights "
                "alone\n") in running.log(), running.log()
        assert "info: sandbox: files are not limited; seccomp: no new programs or sockets\n" in running.log()
    with place.server(**how, preexec_fn=lambda: forbid((seccomp, None, errno.EPERM), (prctl, 22, errno.EPERM))) as running:
        assert re.search(r"warn: sandbox: no seccomp here \(.*\): system calls are not limited\n", running.log()), running.log()
        assert re.search("info: sandbox: Landlock .*; all system calls\n", running.log()), running.log()


def test_a_log_that_is_a_link(place):
    os.symlink("/dev/null", f"{place.folder}/log/link")
    text = refused(place, "+set", "log_file", f"{place.folder}/log/link")
    assert f"log_file {place.folder}/log/link: expected a file, found a symbolic link" in text, text


def test_a_user_that_cannot_run_the_server(place):
    if not IS_ROOT:
        assert "-u root: only root can start a server as another user" in refused(place, "-u", "root")
        return
    assert ('error: user "nosuch" does not exist: create it with "useradd --system --no-create-home --shell '
            '/usr/sbin/nologin nosuch", or name another with -u\n') in refused(place, "-u", "nosuch")
    assert 'user "nosuch2" does not exist' in refused(place, env={**PLAIN_ENV, "EDICTD_USER": "nosuch2"})
    os.chmod(f"{place.build}/maps", 0o700)
    text = refused(place)
    os.chmod(f"{place.build}/maps", 0o755)
    assert (f'error: user "{USER}" cannot read the maps in {place.build}/maps: make it readable (chmod o+rx, also '
            'the folders above), or name another user with -u\n') in text, text
    os.chmod(f"{place.folder}/log", 0o700)
    os.chown(f"{place.folder}/log", 0, 0)
    log, config = f"{place.folder}/log/log", f"{place.folder}/log/cfg"
    for path in (config, log):  # a new log file would be given to the user
        open(path, "w").close()
    with place.server("-c", config, "+set", "log_file", log, "+set", "sv_banfile", log + ".bans",
                      env=PLAIN_ENV) as running:
        for line in [f'warn: user "{USER}" cannot read {config}: SIGHUP will not read it again\n',
                     f'warn: user "{USER}" cannot read {log}.bans: SIGHUP will not read it again\n',
                     f'warn: user "{USER}" cannot write {log}: SIGHUP will not open it again; give the file and its '
                     'folder to this user\n',
                     f'warn: user "{USER}": sv_banfile {log}.bans: edictd cannot write into the folder: Permission '
                     'denied; new bans end with the server\n']:
            assert line in running.log(), f"{line}{running.log()}"
    with place.server("-u", "root", env=PLAIN_ENV) as running:
        assert "warn: the server runs as root: name a user without rights with -u\n" in running.log()


def test_a_user_namespace_without_other_users(place):
    unshare = ["unshare", "-r", "true"]
    if not IS_ROOT or subprocess.run(unshare, check=False).returncode != 0:
        return "needs root and user namespaces"
    done = subprocess.run(["unshare", "-r", f"{place.build}/edictd", "-p", "0", "+map", f"{place.build}/maps/walk1.bsp"],
                          env=PLAIN_ENV, capture_output=True, text=True, timeout=daemon.LIMIT_S)
    assert done.returncode == 1, done
    assert re.search(f'cannot become user "{USER}": .*; -u root keeps root, as a user namespace', done.stderr), done


def main():
    counts = {"ok": 0, "not ok": 0, "skipped": 0}
    if IS_ROOT and subprocess.run(["getent", "passwd", USER], stdout=subprocess.DEVNULL).returncode != 0:
        subprocess.run(["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", USER], check=True)
    if lacks():
        print(f"SKIPPED: sandbox.py {lacks()}\n0 passed, 0 failed, 1 skipped")
        return 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (sys.argv[1:] and name not in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # TMPDIR may be private
            try:
                reason = test(Place(folder))
                result = "skipped" if reason else "ok"
            except Exception as error:
                result, reason = "not ok", f"{type(error).__name__}: {error}"
        counts[result] += 1
        print(f"{result} {name}{': ' + reason if reason else ''}", flush=True)
    print("{} passed, {} failed, {} skipped".format(*counts.values()))
    return 1 if counts["not ok"] else 0


sys.exit(main())
