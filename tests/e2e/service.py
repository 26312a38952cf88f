#!/usr/bin/env python3
"""How edictd runs as a service: background, pid file, title, service manager, and how its programs
are linked. Needs no root.

usage: service.py [TEST]...     (default: all of them)
Environment: BUILD (default build). Ends with `N passed, N failed, N skipped`.
"""
import contextlib
import glob
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("BUILD", "build")
os.environ.setdefault("EDICTD_USER", "root")  # as root: the folders of the tests are private
EDICTD, BOT = f"{BUILD}/edictd", f"{BUILD}/edict-bot"
MAP = f"{BUILD}/maps/walk1.bsp"


class Skip(Exception):
    pass


def run(*args, **kwargs):
    return subprocess.run([EDICTD, "-p", "0", *args], capture_output=True, text=True, timeout=60, **kwargs)


def wait_until(what, act, limit_s=30):
    end = time.monotonic() + limit_s
    while not act():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def title(pid):
    with open(f"/proc/{pid}/cmdline") as file:
        return file.read().rstrip("\0")


def descriptors(pid):
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            found[int(number)] = os.readlink(f"/proc/{pid}/fd/{number}")
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z" # nobody reaps it in some containers
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def background(folder, *args, **kwargs):
    """Runs a server with -b and --pidfile FOLDER/pid."""
    done = run("-b", "--pidfile", f"{folder}/pid", *args, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(f"{folder}/pid") as file:
        pid = int(file.read())
    try:
        yield pid, done
        os.kill(pid, signal.SIGTERM)
        wait_until("the server did not end after SIGTERM", lambda: not is_alive(pid))
        assert not os.path.exists(f"{folder}/pid"), "the pid file was left"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_background():
    """Tests that -b returns when clients can join, keeps no descriptor, and shows map and players."""
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/inherited", "w") as inherited:
        with background(folder, "+set", "log_file", f"{folder}/log", "+map", MAP,
                        pass_fds=[inherited.fileno()]) as (pid, done):
            port = re.search(r"listening on [^:]+:(\d+)", done.stdout).group(1)
            held = descriptors(pid)
            assert f"{folder}/inherited" not in held.values(), held
            assert {held[n] for n in (0, 1, 2)} == {"/dev/null"}, held
            assert os.getsid(pid) == pid
            wait_until(title(pid), lambda: title(pid) == "edictd: walk1 0/32")
            script = f"{folder}/wait.lua"
            with open(script, "w") as file:
                file.write('assert(bot:join("x")) bot:wait(100000)')
            bot = subprocess.Popen([BOT, "-q", "-c", f"127.0.0.1:{port}", "-t", "60", script],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_until("a title with the player", lambda: title(pid) == "edictd: walk1 1/32")
            finally:
                bot.kill()
                bot.wait()
            second = run("--pidfile", f"{folder}/pid", "+map", MAP)
            assert second.returncode == 1 and f"the server with pid {pid} has this file" in second.stderr, second
        with open(f"{folder}/log") as file:
            assert "shutting down" in file.read()


def test_background_that_fails():
    with tempfile.TemporaryDirectory() as folder:
        done = run("-b", "--pidfile", f"{folder}/pid", "+map", "no_such_map")
        assert done.returncode == 1 and "error: map no_such_map" in done.stderr, done
        assert not os.path.exists(f"{folder}/pid")
        done = run("--pidfile", f"{folder}/none/pid", "+map", MAP)
        assert done.returncode == 1 and "choose a file in an existing folder" in done.stderr, done
        done = run("-n", "-b", "--pidfile", f"{folder}/pid", "+map", MAP)
        assert done.returncode == 0 and not os.path.exists(f"{folder}/pid"), done
        done = run("-b", "-i", "+map", MAP)
        assert done.returncode != 0 and "exclude each other" in done.stderr, done


def test_closed_standard_streams():
    """Tests that no socket takes the number of a standard stream, which log lines would reach."""
    process = subprocess.Popen(f"exec {EDICTD} -p 0 +map {MAP} 0<&- 1>&- 2>&-", shell=True)
    try:
        wait_until("a title", lambda: title(process.pid) == "edictd: walk1 0/32")
        held = descriptors(process.pid)
        assert {held[n] for n in (0, 1, 2)} == {"/dev/null"}, held
    finally:
        process.terminate()
        assert process.wait(30) == 0


def test_service_manager():
    """Runs the server as mk/edictd.service does: a user without rights, a folder of systemd for the control socket."""
    with tempfile.TemporaryDirectory(prefix="edictd-service.") as folder, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        os.chmod(folder, 0o755)
        os.mkdir(f"{folder}/bin", 0o755)
        shutil.copy(EDICTD, f"{folder}/bin/edictd")  # another user may not be able to read the build
        shutil.copy(MAP, folder)
        os.mkdir(f"{folder}/edictd", 0o755)
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if user:
            os.chown(f"{folder}/edictd", 65534, 65534)
        manager.bind(f"{folder}/notify")
        os.chmod(f"{folder}/notify", 0o666)
        manager.settimeout(30)
        with open(f"{folder}/log", "w+") as log:
            process = subprocess.Popen([f"{folder}/bin/edictd", "-p", "0", "+map", f"{folder}/walk1.bsp"], stderr=log,
                                       stdout=subprocess.PIPE, text=True, cwd="/", **user,
                                       env={"NOTIFY_SOCKET": f"{folder}/notify", "XDG_RUNTIME_DIR": folder})
            try:
                assert manager.recv(100) == b"READY=1"
                port = re.search(r"listening on [^:]+:(\d+)", process.stdout.readline()).group(1)
                assert manager.recv(100) == b"STATUS=walk1 0/32"
                assert title(process.pid) == "edictd: walk1 0/32"  # shorter than the path of the program
                log.seek(0)
                assert os.listdir(f"{folder}/edictd") == [f"{port}.sock"], log.read()
            finally:
                process.terminate()
                assert process.wait(30) == 0
            assert os.listdir(f"{folder}/edictd") == []


def test_unit():
    """Tests the score of the installed unit, and that systemd understands each line."""
    if not shutil.which("systemd-analyze"):
        raise Skip("systemd-analyze is not installed (make deps)")
    with tempfile.TemporaryDirectory() as folder, open("mk/edictd.service") as source:
        unit = f"{folder}/edictd.service"
        with open(unit, "w") as file:
            file.write(source.read().replace("@bindir@", os.path.abspath(BUILD)))
        verify = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
        own = [line for line in verify.stderr.splitlines() if "edictd.service" in line]
        assert not own, verify.stderr
        score = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", unit],
                               capture_output=True, text=True)
        assert score.returncode == 0, score.stdout + score.stderr
        assert float(re.search(r"Overall exposure level for \S+ ([\d.]+)", score.stdout).group(1)) <= 1.5


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True, text=True, check=True).stdout


def starts_with_landing_pad(path):
    """Returns whether functions in tables start with endbr64: those of a program that is optimised as a whole need no
    other. Debian 12's crt1.o has no mark, so the linker marks no program."""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True).stdout
    starts = dict(re.findall(r"^0*([0-9a-f]+) <[A-Za-z]\w+(?:\.\w+)*>:\n\s*[0-9a-f]+:\s+(\S+)", code, re.M))
    targets = re.findall(r"R_X86_64_RELATIVE\s+([0-9a-f]+)", readelf(path, "-r"))
    found = [starts[target] for target in targets if target in starts]
    return found and set(found) == {"endbr64"}


def test_programs_are_hardened():
    programs = [path for path in glob.glob(f"{BUILD}/edict*") if os.path.isfile(path) and os.access(path, os.X_OK)]
    libraries = glob.glob(f"{BUILD}/game_*.so") + glob.glob(f"{BUILD}/libedict_client.so.*")
    assert f"{BUILD}/edictd" in programs and len(programs) >= 5 and len(libraries) >= 3, programs + libraries
    for path in programs + libraries:
        segments, dynamic, symbols = readelf(path, "-l"), readelf(path, "-d"), readelf(path, "--dyn-syms")
        if path in programs:
            assert re.search(r"FLAGS_1.*\bPIE\b", dynamic), f"{path}: not position-independent"
        assert "GNU_RELRO" in segments and "BIND_NOW" in dynamic, f"{path}: no full RELRO"
        assert re.search(r"GNU_STACK.* RW ", segments), f"{path}: executable stack"
        assert "__stack_chk_fail" in symbols, f"{path}: no stack protector"
        assert re.search(r"__\w+_chk\b(?<!__stack_chk)", symbols), f"{path}: no _FORTIFY_SOURCE"
        if platform.machine() == "x86_64":
            assert starts_with_landing_pad(path), f"{path}: no -fcf-protection"


def main():
    counts = {"ok": 0, "not ok": 0, "skipped:": 0}
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (sys.argv[1:] and name not in sys.argv[1:]):
            continue
        result, reason = "ok", ""
        try:
            test()
        except Skip as why:
            result, reason = "skipped:", f": {why}"
        except Exception as error:
            result, reason = "not ok", f": {type(error).__name__}: {error}"
        counts[result] += 1
        print(f"{result} {name}{reason}", flush=True)
    passed, failed, skipped = counts.values()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
