#!/usr/bin/env python3
"""The control socket of the real daemon: commands, roles, followers, slow readers, floods, and the file.

usage: control.py [TEST]...     (default: all of them)
Environment: BUILD (default build). Ends with `N passed, N failed`.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

import daemon
from daemon import MAP, Server, can_join, run

CTL = f"{daemon.BUILD}/edict-ctl"
LIMIT_S = 30  # of a wait; only a fault needs it
STRANGER = 65534  # nobody


class Link:
    """A connection to a control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT_S)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw", newline="\n")
        self.greeting = self.file.readline()

    def ask(self, line):
        """Returns the answer up to its end, without log lines."""
        self.file.write(line + "\n")
        self.file.flush()
        answer = ""
        for text in self.file:
            if not text.startswith("> "):
                answer += text
            if text[0] in ".!":
                return answer
        raise AssertionError(f"{line}: the connection ended after {answer}")

    def ask_until(self, line, pattern):
        end = time.monotonic() + LIMIT_S
        while not re.search(pattern, self.ask(line)):
            assert time.monotonic() < end, f"{line}: no answer matches {pattern}"
            time.sleep(0.01)

    def follow_until(self, pattern):
        for text in self.file:
            if re.search(pattern, text):
                return text
        raise AssertionError(f"no log line matches {pattern}")


@contextlib.contextmanager
def place(*args, **kwargs):
    """A server with its socket in a folder of its own; the path of the socket."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = f"{folder}/control"
        with daemon.server("+set", "net_control", path, *args, **kwargs) as running:
            yield running, path


def test_commands_and_answers():
    with place() as (running, path):
        link = Link(path)
        assert re.fullmatch(rf"edictd [0-9.]+ {running.port} admin\n", link.greeting), link.greeting
        assert link.ask("status").startswith("= map walk1  tick ")
        started = time.monotonic()
        for number in range(50):  # the server is idle and wakes once a second by itself
            assert link.ask(f"echo {number}") == f"= {number}\n.\n"
        assert time.monotonic() - started < 25, "an idle server does not answer at once"
        assert link.ask("set sv_gravity 700; sv_gravity").startswith('= sv_gravity = "700"')
        assert running.logs(r'audit user="\w+" uid=\d+ role="admin" via="socket" ok=1 command="set sv_gravity 700"')
        answer = json.loads(link.ask("json status").splitlines()[0][2:])
        assert answer["ok"] and answer["map"] == "walk1" and answer["clients"] == [], answer
        assert json.loads(link.ask("json echo a").splitlines()[0][2:]) == {"lines": ["a"], "ok": True}
        assert link.ask("map stairs") == ".\n" and "map stairs" in link.ask("status")
        assert link.ask("map nowhere").startswith("! map nowhere: no nowhere.bsp")
        assert '"joins":0,' in link.ask("json counters")


def test_game_commands_answer_with_players():
    with place() as (running, path), daemon.victim(running.port):
        link = Link(path)
        link.ask_until("status", "victim")
        assert link.ask("match_end; match_end; echo done") == "= the match is over already\n= done\n.\n"
        running.process.stdin.write("echo typed\n")
        running.process.stdin.flush()
        assert link.ask("json echo sent") == '= {"lines":["sent"],"ok":true}\n.\n'
        assert running.process.stdout.readline() == "typed\n"
        client = json.loads(link.ask("json status").splitlines()[0][2:])["clients"][0]
        assert client["name"] == "victim" and client["fields"]["frags"] == 0, client


def test_standard_input_is_audited():
    with place("+set", "log_format", "json") as (running, path):
        link = Link(path)
        assert link.ask("follow json") == ".\n"
        running.ask("set sv_password geheim; sv_gravity", "^sv_gravity")
        event = json.loads(link.follow_until("audit")[2:])
        assert event["event"] == "audit" and event["fields"]["via"] == "stdin", event
        assert event["fields"]["command"] == "set sv_password ***" and event["fields"]["ok"] == 1, event
        assert "geheim" not in running.log()


def test_roles():
    with place() as (running, path):
        link = Link(path)
        assert link.ask("role watch") == ".\n"
        for line in ("quit", "set sv_gravity 1", "say hello", "kick 0", "map walk1", "echo; quit", "json quit"):
            assert "needs the role" in link.ask(line), line
        assert link.ask("role admin").startswith("! role: ")
        assert link.ask("status").endswith("\n.\n")
        assert running.logs("denied to .* whose role is watch")


def test_other_users():
    if os.geteuid() != 0:
        return
    with place() as (running, path):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        with as_user(STRANGER):
            try:
                raise AssertionError("connected: " + Link(path).greeting)
            except PermissionError:
                pass
    with place("+set", "ctl_users", f"{STRANGER}=operate") as (running, path):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o666
        with as_user(STRANGER):
            link = Link(path)
        with as_user(STRANGER - 1):
            other = Link(path)
        assert link.greeting.endswith(" operate\n"), link.greeting
        assert other.greeting.startswith(f"! uid {STRANGER - 1} has no role"), other.greeting
        assert other.file.read() == ""
        assert link.ask("say hello") == ".\n" and "needs the role" in link.ask("quit")
        assert running.logs(f'audit user="\\w+" uid={STRANGER} role="operate" via="socket" ok=1 command="say hello"')


@contextlib.contextmanager
def as_user(uid):
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_reader_that_sleeps_stops_nothing():
    with place() as (running, path):
        sleeper, follower, link = Link(path), Link(path), Link(path)
        follower.ask("follow")
        sleeper.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(100000):  # until the server reads no more
                sleeper.socket.send(b"cvarlist\n")
        link.ask_until(f"say {'x' * 200}; " * 4 + "counters", "control_lost [1-9]")
        assert link.ask("echo fine") == "= fine\n.\n"
        follower.follow_until("> [0-9]+ log lines were not sent, because nothing read them")


def test_a_flood_of_lines():
    with place() as (running, path):
        stop = threading.Event()

        def flood():
            link = socket.socket(socket.AF_UNIX)
            link.connect(path)
            link.setblocking(False)
            while not stop.is_set():
                with contextlib.suppress(BlockingIOError):
                    link.send(b"status\ncvarlist\necho x\n" * 20)
                with contextlib.suppress(BlockingIOError):
                    link.recv(1 << 20)

        threads = [threading.Thread(target=flood) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            link = Link(path)
            can_join(running.port)
            assert link.ask("echo fine") == "= fine\n.\n"
            assert link.ask("say hello") == ".\n"
        finally:
            stop.set()
            for thread in threads:
                thread.join()


def test_standard_input_has_its_turn():
    """Commands that wait for the next tick, without end, must not keep the other console waiting."""
    with place("+set", "bots", "1") as (running, path):
        assert running.logs("join slot=0")
        stop = threading.Event()

        def flood():
            link = Link(path)
            while not stop.is_set():
                link.ask("echo x")

        threads = [threading.Thread(target=flood) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                running.ask("status", "map walk1")
        finally:
            stop.set()
            for thread in threads:
                thread.join()


def test_the_file_of_the_socket():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/control"
        args = ["+set", "net_control", path]
        with contextlib.closing(socket.socket(socket.AF_UNIX)):
            killed = Server(*args)
            assert "= map walk1" in Link(path).ask("status")
            done = run("-p", "0", *args, "+map", MAP)
            assert done.returncode == 1 and f"net_control: {path}: another server uses it" in done.stderr, done.stderr
            killed.process.kill()
            killed.process.wait()
        assert os.path.exists(path)
        with daemon.server(*args):
            assert "= map walk1" in Link(path).ask("status")  # a stale socket is replaced
        assert not os.path.exists(path)
        with open(path, "w") as file:
            file.write("mine")
        done = run("-p", "0", *args, "+map", MAP)
        assert done.returncode == 1 and "expected a socket or nothing" in done.stderr, done.stderr
        with open(path) as file:
            assert file.read() == "mine"
        with daemon.server("+set", "net_control", "off") as running:
            assert "control" not in running.log(), running.log()
        if os.geteuid() == 0:  # a start that fails later leaves no socket
            os.remove(path)
            os.chmod(folder, 0o777)
            os.mkdir(f"{folder}/maps", 0o700)
            shutil.copy(MAP, f"{folder}/maps")
            done = run("-u", "nobody", "-p", "0", *args, "+set", "sv_mappath", f"{folder}/maps", "+map", "walk1")
            assert done.returncode == 1 and "nobody" in done.stderr, done.stderr
            assert not os.path.exists(path)
    for value in ("nosuchuser=watch", "root=king"):
        done = run("-n", "+map", MAP, "+set", "ctl_users", value)
        assert done.returncode == 1 and "ctl_users: " in done.stderr, done.stderr


def test_two_servers_have_a_socket_each():
    env = os.environ.get("XDG_RUNTIME_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        try:
            parent = "/run/edictd" if os.geteuid() == 0 else f"{folder}/edictd"
            with daemon.server() as one:
                two = Server()
                for running in (one, two):
                    assert f" {running.port} admin" in Link(f"{parent}/{running.port}.sock").greeting
                done = ctl("-p", str(two.port), "quit")
                assert done.returncode == 0, done.stderr
                assert two.process.wait(LIMIT_S) == 0
            assert not os.path.exists(f"{parent}/{one.port}.sock")
        finally:
            os.environ.pop("XDG_RUNTIME_DIR") if env is None else os.environ.update(XDG_RUNTIME_DIR=env)


def ctl(*args):
    return subprocess.run([CTL, *args], capture_output=True, text=True, timeout=LIMIT_S)


def test_edict_ctl():
    with place() as (running, path):
        done = ctl("-s", path, "status")
        assert done.returncode == 0 and "map walk1" in done.stdout, done.stdout + done.stderr
        done = ctl("-s", path, "--json", "cvarlist", "sv_gravity")
        assert json.loads(done.stdout)["cvars"][0]["value"] == 800.0, done.stdout
        done = ctl("-s", path, "-r", "watch", "quit")
        assert done.returncode == 1 and "needs the role admin" in done.stderr, done.stderr
        follower = subprocess.Popen([CTL, "-s", path, "follow"], stdout=subprocess.PIPE, text=True)
        try:
            link = Link(path)
            limit = threading.Timer(LIMIT_S, follower.kill)
            limit.start()
            stop = threading.Event()
            thread = threading.Thread(target=lambda: [link.ask("say hello") for _ in iter(lambda: stop.wait(0.05), True)])
            thread.start()
            line = follower.stdout.readline()
            stop.set()
            thread.join()
            limit.cancel()
            assert 'say text="hello"' in line or "audit" in line, line
            follower.send_signal(signal.SIGINT)
            assert follower.wait(LIMIT_S) == 0
        finally:
            follower.kill()
    assert ctl("-s", path, "status").returncode == 2


if __name__ == "__main__":
    sys.exit(daemon.main(globals()))
