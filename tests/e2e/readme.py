#!/usr/bin/env python3
"""Runs every command of README.md, in the checkout and again with an installed tree.

usage: readme.py [checkout|installed]...     (default: both)
Environment: BUILD (default build). Ends with `N passed, N failed`.

A command is a line of an indented block. It runs in bash, as pasted. A command that starts a server
keeps running until the next server starts, so that the lines after it can join. Two kinds of lines
run in one of the two places only: `make ...` in the checkout; lines after "After `make install`:" in
the installed tree. `make test` is left out, as it runs this test.

The test runs in a network and mount namespace of its own: UDP port 27500 is free there, and the
installed tree is mounted over /usr/local. Where namespaces are not allowed, it is skipped.
"""
import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.append("tools/lint")
from files import listed  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
os.environ.setdefault("EDICTD_USER", "root")  # as root: the folders of the tests are private
LIMIT_S = 120  # for a command that ends
DEMO_S = "5"   # make demo
AFTER_INSTALL = "After `make install`:"


def commands():
    """Yields (line of README.md, command, only_installed)."""
    after_install = False
    fenced = False
    with open("README.md", encoding="utf-8") as readme:
        for number, line in enumerate(readme, 1):
            fenced ^= line.startswith("```")
            if fenced or not line.strip():
                continue
            if not line.startswith("    "):
                after_install = line.rstrip().endswith(AFTER_INSTALL)
                continue
            yield number, re.sub(r"\s{2,}#.*", "", line.strip()), after_install


def starts_server(command):
    return command == "make run" or re.match(r"(\S*/)?edictd ", command) and " -n " not in command


class Place:
    """Runs commands in one folder; at most one server runs at a time."""

    def __init__(self, name, folder, env):
        self.name, self.folder, self.env = name, folder, env
        self.server, self.log = None, None

    def env_of(self, command):
        """`make run` chooses the server's user itself."""
        return {k: v for k, v in self.env.items() if k != "EDICTD_USER" or not command.startswith("make ")}

    def start(self, command):
        self.stop()
        self.log = tempfile.TemporaryFile("w+")
        self.server = subprocess.Popen(["bash", "-c", command], cwd=self.folder, env=self.env_of(command),
                                       stdout=self.log, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and self.server.poll() is None:
            if "listening on" in self.text():
                return self.join_command()
            time.sleep(0.05)
        raise AssertionError("the server did not start:\n" + self.text())

    def text(self):
        # A seek would move the offset at which the server writes.
        descriptor = self.log.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")

    def join_command(self):
        """Tests that the command printed by the server works, too."""
        command = re.search(r"join with: (.*)", self.text())
        if "-g" in str(self.server.args):
            return  # the script expects players that can walk; other games decide that themselves
        assert command, "no command to join:\n" + self.text()
        self.run(command.group(1).replace(" -c ", " -t 6 -c ", 1))

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.env_of(command), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False)
        assert done.returncode == 0, f"exit status {done.returncode}:\n{done.stdout[-2000:]}"

    def stop(self):
        if self.server:
            os.killpg(self.server.pid, signal.SIGTERM)
            status, is_make = self.server.wait(LIMIT_S), "make" in self.server.args[2]
            self.server = None
            assert is_make or status == 0, f"the server ended with {status}:\n{self.text()}"


def run_all(place, is_installed):
    passed = failed = 0
    for number, command, only_installed in commands():
        if command == "make test" or (command.startswith("make ") if is_installed else only_installed):
            continue
        if is_installed:
            command = command.replace("build/", "")
        try:
            if starts_server(command):
                place.start(command)
            else:
                place.run(command)
            passed += 1
            print(f"ok {place.name}: {command}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"not ok {place.name}: README.md:{number}: {command}: {error}", flush=True)
    place.stop()
    return passed, failed


def in_checkout(work):
    """Copies the files of the checkout and its build, so that the test leaves no file behind."""
    folder = f"{work}/checkout"
    os.mkdir(folder)
    subprocess.run(["cp", "-a", "--parents", *listed(), folder],
                   check=True)
    os.mkdir(f"{folder}/build")
    keep = [n for n in os.listdir(BUILD) if n not in ("san", "clang", "fuzz", "across", "tests") and
            not n.startswith("flags.")]  # the new stamp of another make
    subprocess.run(["cp", "-a", *[f"{BUILD}/{n}" for n in keep], f"{folder}/build/"], check=True)
    env = dict(os.environ, DEMO_S=DEMO_S)
    env.pop("BUILD", None)
    return Place("checkout", folder, env)


def in_installed(work):
    root = f"{work}/root"
    subprocess.run(["make", "-s", "install", f"DESTDIR={root}", f"BUILD={BUILD}"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o",
                    f"lowerdir={root}/usr/local:/usr/local", "/usr/local"], check=True)
    folder = f"{work}/copy"
    shutil.copytree("/usr/local/share/edictd", folder)
    env = dict(os.environ, LD_LIBRARY_PATH="/usr/local/lib", PATH="/usr/local/bin:/usr/bin:/bin")
    env.pop("BUILD", None)
    return Place("installed", folder, env)


def enter_namespaces():
    """Starts this script again in new namespaces, or reports that they are not allowed."""
    unshare = ["unshare", "-mn"] if os.geteuid() == 0 else ["unshare", "-rmn"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: readme.py needs namespaces, which this system does not allow")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    os.execvp("unshare", [*unshare, sys.executable, *sys.argv, "--inside"])


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        siocsifflags, iff_up, iff_running = 0x8914, 1, 0x40
        fcntl.ioctl(sock, siocsifflags, struct.pack("16sH14x", b"lo", iff_up | iff_running))


def main():
    if "--inside" not in sys.argv:
        enter_namespaces()
    loopback_up()
    wanted = [a for a in sys.argv[1:] if a != "--inside"] or ["checkout", "installed"]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in wanted:
            place = in_checkout(work) if name == "checkout" else in_installed(work)
            counts = run_all(place, name == "installed")
            passed, failed = passed + counts[0], failed + counts[1]
        subprocess.run(["umount", "/usr/local"], capture_output=True, check=False)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
