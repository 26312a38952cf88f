#!/usr/bin/env python3
"""edict-ctl with a server of this file, which sends what a real one never would: in pipes, and in a
pseudo terminal as a person uses it. One test runs the real server.

usage: ctl.py [TEST]...     (default: all of them)
Environment: BUILD (default build). Ends with `N passed, N failed`.
"""
import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback

BUILD = os.environ.get("BUILD", "build")
CTL = BUILD + "/edict-ctl"
LIMIT_S = 30  # of a wait; only a fault needs it
ANSWERS = {
    "status": "= map arena\n.\n",
    "cmdlist": "= set NAME VALUE: sets a cvar\n= say TEXT: sends a line\n= kick WHO [REASON]: drops\n"
               "= map NAME: starts a map\n= status: shows the map\n= quit: ends the server\n.\n",
    "cvarlist": '= sv_gravity = "800": gravity\n= sv_friction = "4": friction\n.\n',
    "maps": "= arena (maps/arena.bsp)\n= foundry (maps/foundry.bsp)\n.\n",
    "json status": '= {"ok":true,"clients":[{"slot":0,"name":"ann"},{"slot":1,"name":"big bob"}]}\n.\n',
    "escape": b"= red \x1b[31m, bell \x07, \xff, \xc2\x9b and \xc3\xa4\n! \x1b]0;title\x07\n",
    "endless": b"= " + b"x" * 300000 + b"\n.\n",
    "empty": "=\n= \n.\n",
    "leave": None,  # closes the connection
    "stuck": "",
}


class Fake:
    """Answers on a control socket and keeps the commands that it read."""

    def __init__(self, folder, name="27500.sock", greeting="edictd 0.0.0 27500 admin\n"):
        self.path = os.path.join(folder, name)
        self.greeting = greeting
        self.numbers = False  # each good answer ends with a line "#N"
        self.commands = []
        self.news = threading.Condition()
        self.connections = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError):
            connection.sendall(self.greeting.encode())
            for line in connection.makefile("rb"):
                command = line.decode().rstrip("\n")
                with self.news:
                    self.commands.append(command)
                    self.news.notify_all()
                answer = ANSWERS.get(command, ".\n")
                if command.startswith("follow"):
                    answer = "> first \x1b[2J\n"
                elif command.startswith("bad"):
                    answer = "! unknown command\n"
                if answer is None or command == "quit":
                    connection.shutdown(socket.SHUT_RDWR)
                    return
                if self.numbers and answer == ".\n":
                    answer = f"= #{len(self.commands)}.\n.\n"
                connection.sendall(answer if isinstance(answer, bytes) else answer.encode())

    def wait_for(self, command):
        """Returns the number of the command, from 1."""
        with self.news:
            assert self.news.wait_for(lambda: command in self.commands, LIMIT_S), \
                f"expected the command {command!r}, found {self.commands}"
            return self.commands.index(command) + 1

    def send(self, text):
        self.connections[-1].sendall(text.encode())

    def end(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self.listener.close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def fake(**kwargs):
    with tempfile.TemporaryDirectory(prefix="edictd-ctl.") as folder:
        server = Fake(folder, **kwargs)
        server.folder = folder
        try:
            yield server
        finally:
            server.end()


def ctl(*args, text=None):
    done = subprocess.run([CTL, *args], input=text, capture_output=True, timeout=LIMIT_S,
                          stdin=subprocess.DEVNULL if text is None else None)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Terminal:
    """edict-ctl in a pseudo terminal."""

    def __init__(self, server, *args, term="vt100"):
        env = dict(os.environ, TERM=term, HOME=server.folder, LC_ALL="C.UTF-8")
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(CTL, [CTL, "-s", server.path, *args], env)
        self.server = server
        server.numbers = True
        self.expect("> ")

    def read(self, limit_s):
        if not select.select([self.fd], [], [], limit_s)[0]:
            return False
        try:
            data = os.read(self.fd, 4096)
        except OSError:  # the program has ended
            data = b""
        self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode(errors="replace"))
        return bool(data)

    def expect(self, text):
        """Waits until the terminal has shown `text`, and forgets all up to it."""
        end = time.monotonic() + LIMIT_S
        while text not in self.seen:
            assert time.monotonic() < end and self.read(end - time.monotonic()), \
                f"expected {text!r}, found {self.seen!r}"
        self.seen = self.seen[self.seen.index(text) + len(text):]

    def type(self, text):
        os.write(self.fd, text.encode())

    def run(self, typed, command):
        """Types a line and waits for the next prompt: what is typed before it is not edited."""
        self.type(typed + "\r")
        self.expect(f"#{self.server.wait_for(command)}.")
        self.expect("> ")

    def end(self, typed="\x04"):  # Ctrl-D
        self.type(typed)
        return self.wait()

    def wait(self):
        """Returns the exit status. A program that does not end is killed."""
        limit = threading.Timer(LIMIT_S, os.kill, (self.pid, signal.SIGKILL))
        limit.start()
        while self.read(LIMIT_S):
            pass
        _, status = os.waitpid(self.pid, 0)
        limit.cancel()
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_one_command():
    with fake() as server:
        assert ctl("-s", server.path, "status") == (0, "map arena\n", "")
        assert ctl("-s", server.path, "kick", "big bob", "a;b", "c//d", "", "now") == (0, "", "")
        assert server.commands[-1] == 'kick "big bob" "a;b" "c//d" "" now', server.commands
        assert ctl("-s", server.path, "say hi; status") == (0, "", "")
        assert server.commands[-1] == "say hi; status", server.commands
        assert ctl("-s", server.path, "-r", "watch", "--json", "maps") == (0, "", "")
        assert server.commands[-2:] == ["role watch", "json maps"], server.commands
        assert ctl("-s", server.path, "bad") == (1, "", "error: unknown command\n")
        assert ctl("-s", server.path, "say", "x" * 1100)[0] == 1
        assert ctl("-s", server.path, "say", 'a "b')[0] == 1
        assert ctl("-s", server.path, "empty") == (0, "\n\n", "")
        status, _, err = ctl("-s", server.path, "leave")
        assert status == 2 and "closed the connection" in err, (status, err)
        assert ctl("-s", server.path, "quit") == (0, "", "")


def test_wrong_arguments():
    for args, why in [(["-p", "0"], "expected a port"), (["-p", "x"], "expected a port"),
                      (["-r", "admin"], "expected watch or operate"),
                      (["-s", "a", "-p", "1"], "found both"), (["-x"], "invalid")]:
        status, out, err = ctl(*args, "status")
        assert status == 2 and why in err and out == "", (args, status, err)
    assert ctl("--help")[0] == 0 and "usage:" in ctl("--help")[1]


def test_no_server_lists_what_was_tried():
    with fake() as server:
        gone = os.path.join(server.folder, "gone")
        assert ctl("-s", gone, "status") == (2, "", f"edict-ctl: {gone}: No such file or directory; no server listens there\n")
        status, _, err = ctl("-p", "1", "status")
        assert status == 2 and "/1.sock" in err and "-s" in err, err
        server.end()
        status, _, err = ctl("-s", server.path, "status")
        assert status == 2 and "Connection refused" in err, err
        with open(gone, "w"):
            pass
        assert ctl("-s", gone, "status")[0] == 2


def test_finds_the_server():
    with tempfile.TemporaryDirectory(prefix="edictd-ctl.") as folder:
        os.chmod(folder, 0o755)
        program = shutil.copy(CTL, folder)  # another user may not be able to read the build
        os.mkdir(f"{folder}/edictd")
        user = {"user": 65534} if os.geteuid() == 0 else {}  # root's folder is that of the machine

        def find(*args):
            return subprocess.run([program, *args, "status"], capture_output=True, text=True, timeout=LIMIT_S,
                                  env={"XDG_RUNTIME_DIR": folder}, **user)

        servers = [Fake(f"{folder}/edictd", f"{port}.sock") for port in (1, 2)]
        for server in servers:
            os.chmod(server.path, 0o666)
        if user:
            os.chown(f"{folder}/edictd", 65534, 65534)
        done = find()
        assert done.returncode == 2 and "servers run" in done.stderr, done
        assert all(server.path in done.stderr for server in servers), done
        for port in "1", "2":
            assert find("-p", port).stdout == "map arena\n"
        servers[0].end()  # leaves its socket behind
        assert find("-p", "1").returncode == 2
        done = find("-p", "3")
        assert done.returncode == 2 and f"in {folder}/edictd/3.sock, " in done.stderr, done
        assert ", /run/edictd/3.sock;" in done.stderr, done
        os.chmod(servers[1].path, 0)
        done = find("-p", "2")
        assert user == {} or done.returncode == 1 and "Permission denied; try it as root" in done.stderr, done
        servers[1].end()


def test_a_folder_of_somebody_else():
    if os.geteuid() != 0:
        return
    uid = 60000 + os.getpid() % 5000
    folder = f"/tmp/edictd-{uid}"
    os.mkdir(folder)
    try:
        program = shutil.copy(CTL, folder)
        server = Fake(folder, "1.sock")
        os.chmod(server.path, 0o666)
        for owner, status in (0, 2), (uid, 0):
            os.chown(folder, owner, owner)
            done = subprocess.run([program, "-p", "1", "status"], capture_output=True, timeout=LIMIT_S, env={}, user=uid)
            assert done.returncode == status, done
        assert server.commands == ["status"], server.commands
        server.end()
    finally:
        shutil.rmtree(folder)


def test_other_servers():
    for greeting, why in [("SSH-2.0\n", "not the control socket"), ("! no right for bob\n", "no right"),
                          ("edictd\n", "not the control socket"), ("x" * 300000, "closed"),
                          ("edictd 1 2 \x1b[2J\n", "not the control socket")]:
        with fake(greeting=greeting) as server:
            status, out, err = ctl("-s", server.path, "status")
            assert status == 1 and why in err and out == "" and "\x1b" not in err, (greeting, status, err)


def test_lines_of_a_pipe():
    with fake() as server:
        lines = f"status\r\n\n  // nothing\nbad\n  say  hi \nsay {'x' * 2000}\nstatus".encode()
        status, out, err = ctl("-s", server.path, text=lines)
        assert out == "map arena\nmap arena\n" and status == 1, (status, out)
        assert "error: unknown command\n" in err and "at most 1023 bytes" in err, err
        assert server.commands == ["status", "bad", "say  hi", "status"], server.commands
        assert ctl("-s", server.path, text=b"status\nexit\nbad\n") == (0, "map arena\n", "")
        assert ctl("-s", server.path, text=b"say bye; quit\nstatus\n")[0] == 0
        status, out, err = ctl("-s", server.path, text=b"leave\nstatus\n")
        assert status == 2 and "closed the connection" in err and out == "", (status, out, err)


def test_hostile_answers():
    with fake() as server:
        status, out, err = ctl("-s", server.path, "escape")
        assert status == 1 and out == "red \\u001b[31m, bell \\u0007, �, �� and ä\n", out
        assert "\x1b" not in err and "\x07" not in err and "title" in err, err
        status, out, err = ctl("-s", server.path, "endless")
        assert status == 2 and out == "" and "too long" in err, (status, out[:80], err)


def test_follow():
    with fake() as server:
        for args, command in [(["follow"], "follow"), (["-j", "follow"], "follow json"),
                              (["follow", "json"], "follow json")]:
            for stop in [lambda process: process.send_signal(signal.SIGINT), lambda _: server.end_one()]:
                server.end_one = lambda: server.connections[-1].shutdown(socket.SHUT_RDWR)
                process = subprocess.Popen([CTL, "-s", server.path, *args], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
                assert process.stdout.readline() == b"first \\u001b[2J\n"
                assert server.commands[-1] == command, server.commands
                server.send("> second\n")
                assert process.stdout.readline() == b"second\n"
                stop(process)
                rest, _ = process.communicate(timeout=LIMIT_S)
                assert process.returncode == 0 and rest == b"", (process.returncode, rest)


def test_history():
    with fake() as server:
        for command in ["say one", " say secret", "set sv_password secret"]:
            terminal = Terminal(server)
            terminal.run(command, command.strip())
            assert terminal.end() == 0
        history = os.path.join(server.folder, ".edictd_history")
        assert stat.S_IMODE(os.stat(history).st_mode) == 0o600
        with open(history) as file:
            assert "secret" not in file.read()
        terminal = Terminal(server)
        terminal.run("\x10 more", "say one more")  # Ctrl-P: the line before
        terminal.run("\x12say on\x05 two", "say one more two")  # Ctrl-R: searches; Ctrl-E: ends it
        terminal.type("exit\r")
        assert terminal.wait() == 0


def test_completion():
    with fake() as server:
        terminal = Terminal(server)
        for typed, command in [("se\tsv_g\t700", "set sv_gravity 700"), ("say x;map fo\t", "say x;map foundry"),
                               ("kick a\tbye", "kick ann bye"), ('kick "big\tbye', 'kick "big bob" bye'),
                               ("sv_fr\t5", "sv_friction 5"), ("say ä st\tx", "say ä stx")]:
            terminal.run(typed, command)
        terminal.type("s\t")
        terminal.expect("say  set  status  sv_friction  sv_gravity")
        terminal.expect("> ")
        assert terminal.end("\x15\x04") == 0


def test_interrupts():
    with fake() as server:
        terminal = Terminal(server)
        terminal.type("rubbish\x03")
        terminal.expect("> ")
        terminal.run("say first", "say first")
        terminal.type("follow\r")
        terminal.expect("first")
        terminal.type("\x03")
        terminal.expect("> ")
        terminal.run("say again", "say again")
        assert "rubbish" not in server.commands, server.commands
        assert terminal.end() == 0


def test_stop_and_continue():
    with fake() as server:
        terminal = Terminal(server)
        for _ in range(2):
            terminal.type("say\x1a")  # Ctrl-Z
            end = time.monotonic() + LIMIT_S
            while ") T " not in open(f"/proc/{terminal.pid}/stat").read():
                assert time.monotonic() < end
                time.sleep(0.01)
            os.kill(terminal.pid, signal.SIGCONT)
            terminal.type("\x15")
        terminal.run("say back", "say back")
        assert terminal.end() == 0


def test_a_server_that_does_not_answer():
    with fake() as server:
        terminal = Terminal(server)
        terminal.type("stuck\r")
        server.wait_for("stuck")
        terminal.type("\x03")
        terminal.expect("> ")
        maps, ANSWERS["maps"] = ANSWERS["maps"], ""
        try:
            terminal.type("map a\t")
            server.wait_for("maps")
            terminal.type("\x03")
            terminal.expect("> ")
        finally:
            ANSWERS["maps"] = maps
        terminal.run("say back", "say back")
        ANSWERS["maps"] = None
        try:
            terminal.type("map a\t")
            terminal.expect("closed the connection")
            assert terminal.wait() == 2
        finally:
            ANSWERS["maps"] = maps


def test_quit_needs_a_repetition():
    with fake() as server:
        terminal = Terminal(server)
        terminal.type("quit\r")
        terminal.expect("again")
        assert "quit" not in server.commands
        terminal.type("quit\r")
        assert terminal.wait() == 0
        assert server.commands == ["quit"], server.commands


def test_long_lines():
    with fake() as server:
        terminal = Terminal(server)
        terminal.run("say " + "x" * 600, "say " + "x" * 600)
        for _ in range(15):  # a terminal's queue is bounded
            terminal.type("y" * 100)
            terminal.expect("y" * 50)
        terminal.type("\r")
        terminal.expect("at most 1023 bytes")
        terminal.expect("> ")
        terminal.run("say done", "say done")
        assert len(server.commands) == 2, [len(command) for command in server.commands]
        assert terminal.end() == 0


def test_the_server_dies():
    for term in ["vt100", "dumb"]:
        with fake() as server:
            terminal = Terminal(server, term=term)
            terminal.type("stat")
            terminal.expect("stat")
            server.end()
            terminal.expect("closed the connection")
            assert terminal.wait() == 2


def test_dumb_terminal():
    with fake() as server:
        for term in ["dumb", "", "nosuch"]:
            terminal = Terminal(server, term=term)
            terminal.run(f"say {term}", f"say {term}".strip())
            terminal.type("bad\r")
            terminal.expect("unknown command")
            terminal.expect("> ")
            terminal.type("rubbish\x03")
            terminal.expect("> ")
            status = terminal.end()
            assert status == 0, (term, status, terminal.seen)


def test_signals_restore_the_terminal():
    with fake() as server:
        master, slave = pty.openpty()
        before = termios.tcgetattr(slave)
        process = subprocess.Popen([CTL, "-s", server.path], stdin=slave, stdout=slave, stderr=slave,
                                   start_new_session=True, env=dict(os.environ, TERM="vt100", HOME=server.folder))
        shown = b""
        while b"admin> " not in shown:
            assert select.select([master], [], [], LIMIT_S)[0], shown
            shown += os.read(master, 4096)
        end = time.monotonic() + LIMIT_S
        while termios.tcgetattr(slave)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.01)
        assert not termios.tcgetattr(slave)[3] & termios.ICANON
        process.send_signal(signal.SIGWINCH)
        process.terminate()
        assert process.wait(LIMIT_S) == 0
        assert termios.tcgetattr(slave) == before
        os.close(slave)
        os.close(master)


def test_the_real_server():
    with tempfile.TemporaryDirectory(prefix="edictd-ctl.") as folder:
        socket_path = f"{folder}/control"
        server = subprocess.Popen(
            [BUILD + "/edictd", "-p", "0", "+set", "net_control", socket_path, "+map", f"{BUILD}/maps/walk1.bsp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={"EDICTD_USER": "root", **os.environ})  # as root: the folder is private
        try:
            line = server.stdout.readline()
            assert "commands by edict-ctl" in line, line
            assert ctl("-s", socket_path, "set sv_gravity 700") == (0, "", "")
            status, out, _ = ctl("-s", socket_path, text=b"sv_gravity\necho a  b\nnonsense\nstatus\n")
            assert status == 1 and out.startswith('sv_gravity = "700"') and "map walk1 " in out, out
            status, out, _ = ctl("-s", socket_path, "--json", "maps", "no_such")
            assert status == 1 and json.loads(out)["ok"] is False, out
            assert json.loads(ctl("-s", socket_path, "--json", "status")[1])["clients"] == []
            status, _, err = ctl("-s", socket_path, "-r", "watch", "set", "sv_gravity", "100")
            assert status == 1 and "role" in err, err
            follower = subprocess.Popen([CTL, "-s", socket_path, "follow"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
            seen = threading.Event()  # a follower sees what is logged after it came
            threading.Thread(target=lambda: (follower.stdout.readline(), seen.set()), daemon=True).start()
            end = time.monotonic() + LIMIT_S
            while not seen.wait(0.02) and time.monotonic() < end:
                assert ctl("-s", socket_path, "say", "hello")[0] == 0
            assert seen.is_set()
            assert ctl("-s", socket_path, "quit") == (0, "", "")
            assert follower.wait(LIMIT_S) == 0 and server.wait(LIMIT_S) == 0
            assert ctl("-s", socket_path, "status")[0] == 2
        finally:
            server.kill()
            server.wait()


def main():
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
    failed = 0
    wanted = sys.argv[1:] or list(tests)
    for name in wanted:
        try:
            tests[name]()
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
