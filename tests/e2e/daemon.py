#!/usr/bin/env python3
"""How the real daemon behaves: refusals, configs, floods, a full disk, a map change, idle cost. What
needs bots only is in the Lua scripts and cases.sh. Needs no root.

usage: daemon.py [TEST]...     (default: all of them)
Environment: BUILD (default build). Ends with `N passed, N failed`.
"""
import contextlib
import ctypes
import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.environ.get("BUILD", "build")
os.environ.setdefault("EDICTD_USER", "root")  # as root: the folders of the tests are private
EDICTD, BOT = f"{BUILD}/edictd", f"{BUILD}/edict-bot"
MAPS = f"{BUILD}/maps"
MAP = f"{MAPS}/walk1.bsp"
LIMIT_S = 60  # of a wait; only a fault needs it
JOIN = 'assert(bot:join("visitor")) bot:wait(30) bot:expect(bot:self() ~= nil, "no state") bot:leave()\n'


class Server:
    """A running edictd with commands on its standard input."""

    def __init__(self, *args, map=MAP, err=None, **process):
        self.err = err or tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [EDICTD, "-p", "0", "-i", "+set", "sv_mappath", MAPS, *args, "+map", map],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True, **process)
        line = self.process.stdout.readline()
        match = re.search(r"listening on [^:]+:(\d+), map ([^\s,]+)", line)
        if not match:
            raise AssertionError(f"did not start: {line}{self.log()}")
        self.port = int(match.group(1))
        self.ready = line

    def ask(self, command, until):
        """Sends a command, reads answers up to the line that matches `until`. Ends the server after LIMIT_S."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        limit = threading.Timer(LIMIT_S, self.process.kill)
        limit.start()
        try:
            for line in self.process.stdout:
                lines.append(line)
                if re.search(until, line):
                    return "".join(lines)
        finally:
            limit.cancel()
        raise AssertionError(f"no line matches {until}, or the server ended: {''.join(lines)}{self.log()}")

    def log(self):
        # A seek would move the offset at which the server writes.
        descriptor = self.err.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode()

    def logs(self, pattern):
        """Returns true if the log has a line with the pattern, or gets one: it may follow an answer."""
        end = time.monotonic() + LIMIT_S
        while not re.search(pattern, self.log()) and time.monotonic() < end:
            time.sleep(0.02)
        return re.search(pattern, self.log()) is not None

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(LIMIT_S)


@contextlib.contextmanager
def server(*args, **kwargs):
    running = Server(*args, **kwargs)
    try:
        yield running
        assert running.process.poll() is None, "the server died: " + running.log()
        assert running.stop() == 0, running.log()
    finally:
        running.process.kill()


def run(*args):
    return subprocess.run([EDICTD, *args], capture_output=True, text=True, timeout=LIMIT_S)


def bots(port, script, *args):
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        return subprocess.run([BOT, "-c", f"127.0.0.1:{port}", "-m", MAPS, *args, file.name],
                              capture_output=True, text=True, timeout=2 * LIMIT_S)


def wait_until(reached, why):
    """Waits until `reached()` is true. `why()`: what to report otherwise."""
    end = time.monotonic() + LIMIT_S
    while not reached():
        assert time.monotonic() < end, why()
        time.sleep(0.05)


def can_join(port):
    done = bots(port, JOIN, "-t", "60")
    assert done.returncode == 0, done.stdout + done.stderr


def test_refusals_say_why():
    for args, why in [
            (["+map", "no_such_map"], "no no_such_map.bsp or no_such_map.emesh in the folders"),
            (["+map", "./nowhere.bsp"], "No such file"),
            (["+map", "/etc/passwd"], "expected BSP29"),
            ([], "no map"),
            (["+map", MAP, "+set", "sv_tickrate", "19.999"], "expected a number in 20..128 Hz"),
            (["+map", MAP, "+set", "sv_tickrate", "nan"], "expected a number in 20..128 Hz"),
            (["+map", MAP, "+set", "no_such_cvar", "1"], "no such cvar"),
            (["+map", MAP, "+set", "net_ip", "::1"], "net_ip: "),
            (["+map", MAP, "+set", "net_ip", "::1"], "IPv4"),
            (["+map", MAP, "+set", "net_ip", "127.0.0.1:5556"], "without a port"),
            (["-g", "nosuch", "+map", MAP], 'game module "nosuch"'),
            (["-n", "+map", MAP, "+set", "sv_maplist", "nosuch"], "error: map nosuch"),
            (["-n", "+map", MAP, "+set", "net_ip", "300.1.1.1"], "net_ip: "),
            (["+map", MAP, "-c"], "option requires an argument -- 'c'"),
            (["+map", MAP, "+nonsense"], "unknown command"),
            (["-c", "/no/such/file", "+map", MAP], "No such file"),
            (["+map", MAP, "+set", "log_file", "/no/such/folder/log"], "No such file"),
            (["--bogus"], "unrecognized option '--bogus'"),
            (["-n", "--"], "no map"),
            (["+map", MAP, "--bogus"], "unrecognized option '--bogus'"),
            (["bogus"], "unexpected argument \"bogus\""),
            (["+map", MAP, "-dx"], "invalid option -- 'x'")]:
        done = run("-p", "0", *args)
        text = done.stderr.strip()
        assert done.returncode == 1 and why in text, f"{args}: {done.returncode} {text}"
    for maxedicts, text in [("32", "sv_maxedicts 32: expected 33..65536 (sv_maxclients is 32)"),
                            ("1", "sv_maxedicts: expected a whole number in 2..65536")]:
        done = run("-n", "+set", "sv_maxedicts", maxedicts, "+map", MAP)
        assert text in done.stderr, done.stderr


def test_config_errors_have_lines():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write("// fine\nset sv_maxclients 8\nset sv_gravity heavy\n")
        file.flush()
        done = run("-n", "-c", file.name, "+map", MAP)
        assert done.returncode == 1 and f"{file.name}:3: sv_gravity: expected" in done.stderr


def test_every_fault_of_a_start_is_reported():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write('set sv_gravity heavy\nset sv_hostname "open // quote\nset sv_levity 1\nmap nowhere\n')
        file.flush()
        done = run("-n", "-c", file.name, "+set", "sv_friction", "much",
                   "+set", "log_file", "/no/such/folder/log", "+set", "net_ip", "192.0.2.1")
        assert done.returncode == 1
        for text in [f"{file.name}:1: sv_gravity: expected a number in",
                     f'{file.name}:2: expected a closing " for the one after "sv_hostname"',
                     f"{file.name}:3: sv_levity: no such cvar", "sv_friction: expected a number",
                     "log_file /no/such/folder/log: No such file",
                     "net_ip, net_port: 192.0.2.1:27500 cannot be bound: Cannot assign",
                     "map nowhere: no nowhere.bsp"]:
            assert done.stderr.count(text) == 1, f"{text}: {done.stderr}"


def test_errors_print_once():
    """Tests -i: an error once went both to standard output and to the log."""
    with server() as running:
        answer = running.ask("nonsense", "^error: unknown command")
        answer += running.ask("status", "^tick time")
        assert answer.count("nonsense") == 1 and "nonsense" not in running.log(), running.log()


def test_config_that_executes_itself():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(f"exec {file.name}\n")
        file.flush()
        done = run("-n", "-c", file.name, "+map", MAP)
        assert done.returncode == 1 and "deep" in done.stderr, done.stderr


def test_full_disk_for_the_log():
    with server("+set", "log_file", "/dev/full", "+set", "log_level", "3") as full:
        can_join(full.port)
        text = full.log()
        assert "the server continues" in text and text.count("log lines lost") == 1, text


def test_hangup_reads_the_config_again():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write("set sv_gravity 700\nset sv_maxclients 4\n")
        file.flush()
        with server("-c", file.name) as running:
            assert '"700"' in running.ask("sv_gravity", "sv_gravity =")
            file.seek(0)
            file.write("set sv_gravity 600\nset sv_maxclients 4\n")
            file.flush()
            running.process.send_signal(signal.SIGHUP)
            wait_until(lambda: '"600"' in running.ask("sv_gravity", "sv_gravity ="), running.log)
            file.seek(0)
            file.truncate()
            file.write("set sv_gravity nonsense\n")
            file.flush()
            running.process.send_signal(signal.SIGHUP)
            assert running.logs(":1: sv_gravity: expected"), running.log()
            assert '"600"' in running.ask("sv_gravity", "sv_gravity =")


def test_hangup_with_a_config_that_the_command_line_overruled():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write("set net_port 1\nset sv_maxclients 9\nmap stairs\nset sv_gravity 650\n")
        file.flush()
        with server("-c", file.name, "+set", "sv_maxclients", "4") as running:  # and -p 0, +map
            running.ask("set sv_gravity 100\nsv_gravity", '"100"')
            running.process.send_signal(signal.SIGHUP)
            wait_until(lambda: '"650"' in running.ask("sv_gravity", "sv_gravity ="),
                       lambda: "the rest of the config was not read: " + running.log())
            assert "map walk1" in running.ask("status", "^map ")  # the game goes on
            assert 'sv_maxclients stays "4"' in running.log(), running.log()


def test_commands_on_standard_input():
    with server() as running:
        running.ask("nonsense", 'error: unknown command "nonsense"')
        running.ask("x" * 1024, "error: standard input: a line of more than 1023 bytes is skipped")
        running.ask("sv_hostname " + "y" * 200 + " ; status", "^tick time")
        running.ask("set log_level 3; log_level", '"3"')
        can_join(running.port)
        running.ask("match_end; match_end", "^the match is over already")
        running.process.stdin.write("set sv_gravity 5; sv_gravity")  # no newline: the end is one
        running.process.stdin.close()
        answer = running.process.stdout.readline()
        assert 'sv_gravity = "5"' in answer, answer


def test_quit():
    running = Server()
    running.process.stdin.write("quit\n")
    running.process.stdin.flush()
    assert running.process.wait(LIMIT_S) == 0, running.log()


def test_options_follow_commands():
    for option in ("-V", "--fgd", "-h"):
        done = run("+map", "no_such_map", option)
        assert done.returncode == 0 and done.stdout, f"{option}: {done.stderr}"


def test_check_only_takes_no_port_and_no_log():
    with server() as running, tempfile.TemporaryDirectory() as folder:
        done = run("-n", "-p", str(running.port), "+set", "log_file", f"{folder}/log", "+map", MAP)
        assert done.returncode == 0 and "are good" in done.stdout, done.stderr
        assert not os.listdir(folder)


@contextlib.contextmanager
def victim(port):
    """A bot that stays in a server until the end of the block."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write('assert(bot:join("victim")) bot:wait(100000)\n')
        file.flush()
        bot = subprocess.Popen([BOT, "-c", f"127.0.0.1:{port}", "-m", MAPS, "-t", "120", file.name],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            bot.kill()
            bot.wait()


def run_faulty_module(name, *args):
    """Plays on a module until the server ends. Returns its exit status and its log."""
    running = Server("-g", f"{BUILD}/tests/modules/{name}.so", *args)
    with victim(running.port):
        try:
            return running.process.wait(LIMIT_S), running.log()
        finally:
            running.process.kill()


def expect_place(text, module):
    assert re.search(r'in the game module \S+/' + module +
                     r'\.so, think "tiny_think", edict \d+ \(tiny_clock\), tick \d+$', text, re.M), text
    assert re.search(r"#\d+ \S+/" + module + r"\.so\+0x[0-9a-f]+", text), text
    assert re.search(r"#\d+ \S+edictd\+0x[0-9a-f]+", text), text


def test_a_crash_says_where():
    """Tests a crash: the server once ended with status 139 and no message."""
    with tempfile.TemporaryDirectory() as folder:
        status, text = run_faulty_module("tiny_crash", "+set", "log_file", f"{folder}/log")
        if "AddressSanitizer" in text:  # it has its own handler, which is kept
            assert "tiny_crash" in text and status == 1, text
            return
        assert status == -signal.SIGSEGV, f"{status} {text}"
        assert "crash: SIGSEGV at address 0x8 in the game module" in text, text
        expect_place(text, "tiny_crash")
        with open(f"{folder}/log") as log:
            expect_place(log.read(), "tiny_crash")


def test_a_hang_ends_with_a_status_of_its_own():
    started = time.monotonic()
    status, text = run_faulty_module("tiny_hang", "+set", "sv_watchdog_ms", "1000")
    assert status == 3, f"{status} {text}"
    assert "hang: no progress for 1000 ms (sv_watchdog_ms) in the game module" in text, text
    expect_place(text, "tiny_hang")
    assert time.monotonic() - started < 30


def test_the_watchdog_waits_for_a_debugger():
    """Tests a debugger: a server stopped by it does not hang; after it detaches, a hang counts again."""
    libc = ctypes.CDLL(None)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    seize, cont, detach, any_child = 0x4206, 7, 17, 0x40000000
    running = Server("-g", f"{BUILD}/tests/modules/tiny_hang.so", "+set", "sv_watchdog_ms", "400")
    pid = running.process.pid
    assert libc.ptrace(seize, pid, 0, 0) == 0
    with victim(running.port):
        try:
            end = time.monotonic() + 4
            while time.monotonic() < end:
                got, status = os.waitpid(pid, os.WNOHANG | any_child)
                assert not got or os.WIFSTOPPED(status), "it ended: " + running.log()
                if got:
                    libc.ptrace(cont, pid, 0, os.WSTOPSIG(status))
                time.sleep(0.01)
            assert "hang" not in running.log()
            os.kill(pid, signal.SIGSTOP)
            os.waitpid(pid, any_child)
            assert libc.ptrace(detach, pid, 0, 0) == 0
            os.kill(pid, signal.SIGCONT)
            assert running.process.wait(LIMIT_S) == 3, running.log()
        finally:
            running.process.kill()


def test_a_stopped_process_gets_its_whole_time():
    """Tests SIGSTOP in the middle of a tick: the stopped seconds do not count as a hang."""
    running = Server("-g", f"{BUILD}/tests/modules/tiny_hang.so", "+set", "sv_watchdog_ms", "3000")
    with victim(running.port):
        try:
            assert running.logs("info: join "), running.log()
            time.sleep(0.2)
            running.process.send_signal(signal.SIGSTOP)
            time.sleep(4)
            running.process.send_signal(signal.SIGCONT)
            begun = time.monotonic()
            assert running.process.wait(LIMIT_S) == 3, running.log()
            assert time.monotonic() - begun > 0.8, "ended at once: " + running.log()
        finally:
            running.process.kill()


def fill(writer):
    """Fills a pipe through a non-blocking file description of its own."""
    full = os.open(f"/proc/self/fd/{writer}", os.O_WRONLY | os.O_NONBLOCK)
    for size in (4096, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(full, b"x" * size)
    os.close(full)


def test_a_full_standard_error():
    """Tests a full pipe: a log line outside of a tick once waited for ever for room in it."""
    reader, writer = os.pipe()
    try:
        with server("+set", "log_level", "3", err=writer) as running:
            fill(writer)
            can_join(running.port)
            assert "sv_gravity" in running.ask("sv_gravity", "sv_gravity")
            while len(os.read(reader, 65536)) == 65536:
                pass
            can_join(running.port)
            text = os.read(reader, 65536).decode()
            found = re.search(r"warn: (\d+) log lines were not written here", text)
            assert found and int(found.group(1)) > 1 and "info: join " in text, text
    finally:
        os.close(reader)
        os.close(writer)


def test_a_hang_ends_though_nobody_reads_its_report():
    """Tests a full pipe: the watchdog once waited for ever for room in it."""
    reader, writer = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [EDICTD, "-p", "0", "-g", f"{BUILD}/tests/modules/tiny_hang.so", "+set", "sv_watchdog_ms",
             "1000", "+set", "log_file", f"{folder}/log", "+map", MAP],
            stdout=subprocess.PIPE, stderr=writer, text=True)
        try:
            port = int(re.search(r":(\d+), map", process.stdout.readline()).group(1))
            with victim(port):
                text = b""
                while b"info: join " not in text:
                    text = os.read(reader, 65536)
                    assert b"info: leave " not in text, text
                time.sleep(0.4)  # the tick hangs; a write outside of a tick is not watched
                fill(writer)
                assert process.wait(LIMIT_S) == 3
            with open(f"{folder}/log") as log:
                expect_place(log.read(), "tiny_hang")
        finally:
            process.kill()
            os.close(reader)
            os.close(writer)


def test_the_watchdog_leaves_others_alone():
    """Tests that the watchdog ends neither a busy server nor an idle one."""
    with server("+set", "sv_watchdog_ms", "100") as running:
        can_join(running.port)
        time.sleep(0.5)
        can_join(running.port)


def test_the_join_command_is_a_shell_command():
    """Tests a path with an apostrophe, which was once written without escaping."""
    with tempfile.TemporaryDirectory(suffix=" it's") as folder:
        os.makedirs(f"{folder}/build")
        os.makedirs(f"{folder}/examples")
        shutil.copy("examples/patrol.lua", f"{folder}/examples")
        for program in (EDICTD, BOT):
            shutil.copy(program, f"{folder}/build")
        process = subprocess.Popen([f"{folder}/build/edictd", "-p", "0", "+map", os.path.abspath(MAP)],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            words = shlex.split(process.stdout.readline().split("join with: ")[1])
            assert os.path.exists(words[0]) and os.path.exists(words[-1]), words
        finally:
            process.kill()
            process.wait()


def test_random_bytes_to_the_port():
    with server() as target:
        rng = random.Random(1)
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for n in range(30000):
            size = rng.choice([0, 1, 2, 3, 4, 8, 16, 48, 52, 60, 200, 1400, 5000])
            data = rng.randbytes(size)
            if n % 3 == 0:
                data = b"\xff\xff\xff\xff" + data
            if n % 7 == 0:
                data = b"\x8f\xff" + data  # looks like a connection
            sock.sendto(data, ("127.0.0.1", target.port))
            if n % 500 == 0:
                time.sleep(0.005)
        can_join(target.port)
        counters = target.ask("counters", "^network:")
        assert re.search("rejected before ENet [1-9]", counters), counters


def test_connect_flood_from_one_address():
    """Tests joins without a cookie: they take no slot, and an honest client can join."""
    with server("+set", "sv_maxclients", "4") as target:
        connect = bytes.fromhex("8fff0000 00000000".replace(" ", "")) + \
            bytes.fromhex("82ff0001") + bytes(40)
        for _ in range(5000):
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.sendto(connect, ("127.0.0.1", target.port))
            sock.close()
        can_join(target.port)
        assert re.search(r"clients 0 of 4|clients 1 of 4", target.ask("status", "clients"))


FLOOD = """
import random, socket, sys, time
socks = []
for n in range(50):
    socks.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    socks[-1].bind((f"127.0.{1 + n // 20}.{1 + n % 20}", 0))
request = b"\\xff\\xff\\xff\\xffgetcookie\\x02abcd" + bytes(78)
kinds = [request, b"", b"\\xcf\\xff", b"\\x8f\\xff" + bytes(60), b"\\x80\\x01" + bytes(30)]
end = time.time() + float(sys.argv[2])
n = 0
while time.time() < end:
    for _ in range(200):
        n += 1
        try:
            socks[n % 50].sendto(kinds[n % 5], ("127.0.0.1", int(sys.argv[1])))
        except OSError:
            pass
"""


def within(seconds, what, act):
    begun = time.time()
    result = act()
    taken = time.time() - begun
    assert taken <= seconds, f"{what} took {taken:.2f} s"
    return result


def test_operator_acts_during_a_flood():
    """Tests a flood from two processes: joins, console, SIGHUP and SIGTERM still work."""
    target = Server()
    floods = [subprocess.Popen([sys.executable, "-c", FLOOD, str(target.port), "60"])
              for _ in range(2)]
    try:
        time.sleep(0.5)
        can_join(target.port)
        within(5, "status", lambda: target.ask("status", "tick time"))
        counters = within(5, "counters", lambda: target.ask("counters", "^drains_cut"))
        assert int(re.search(r"^empty (\d+)", counters, re.M).group(1)) > 0, counters
        target.process.send_signal(signal.SIGHUP)
        assert within(5, "SIGHUP", lambda: target.logs("SIGHUP")), target.log()
        assert within(5, "SIGTERM", target.stop) == 0
    finally:
        for process in [*floods, target.process]:
            process.kill()
            process.wait()


def test_a_killed_server_is_noticed():
    target = Server()
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write('assert(bot:join("witness")) while true do bot:wait(10) end\n')
        file.flush()
        playing = subprocess.Popen([BOT, "-c", f"127.0.0.1:{target.port}", "-m", MAPS, "-t", "120",
                                    file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True)
        wait_until(lambda: "clients 1 of" in target.ask("status", "tick time"), target.log)
        time.sleep(0.5)
        target.process.kill()
        target.process.wait()
        out, _ = within(10, "noticing it", lambda: playing.communicate(timeout=LIMIT_S))
        assert "the server sent nothing for" in out, out


RETURN = """bot:move{forward = 1, yaw = 90} bot:wait(20) bot:move{}
repeat bot:wait(10) until bot:self().velocity.y == 0
local before, mine = bot:self(), bot:player()
print("ready")
local seen = {}
while not seen.active do
    bot:wait(1)
    for _, event in ipairs(bot:events()) do
        if seen.reconnecting or event.type == "reconnecting" then
            seen[event.type] = true print(event.type)
        end
    end
end
bot:wait(10)
bot:expect(seen.returned and not seen.connected, "another player")
bot:expect_eq(bot:player().slot, mine.slot)
bot:expect_eq(bot:self().origin, before.origin)
bot:move{forward = 1, yaw = 270} bot:wait(30)
bot:expect(bot:self().origin.y < before.origin.y - 50, "does not walk")
"""


def read_until(process, text):
    """Reads a bot's output up to the line with the text. Returns the lines."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if text in line:
            return "".join(lines)
    raise AssertionError(f"no line with {text}: {lines}")


def test_a_lost_client_returns_to_its_player():
    with server() as running, player(running, "ann", RETURN, ["--reconnect"]) as bot:
        read_until(bot, "ready")
        running.process.send_signal(signal.SIGSTOP)
        try:
            read_until(bot, "reconnecting")
        finally:
            running.process.send_signal(signal.SIGCONT)
        out, _ = bot.communicate(timeout=LIMIT_S)
        assert bot.returncode == 0, out + running.log()
        log = running.log()
        assert re.search(r'lost slot=0 name="ann".*\n(.*\n)*.*back slot=0 name="ann"', log), log
        assert log.count("join slot=") == 1, log


def test_map_change_in_mid_session():
    with server() as running:
        script = ('assert(bot:join("stayer")) local first = bot:map() '
                  'for i = 1, 1500 do bot:wait(2) if bot:map() ~= first then break end end '
                  'bot:expect(bot:map() == "stairs", "no new map: " .. tostring(bot:map())) '
                  'bot:wait(60) bot:expect(bot:self().onground, "not standing on it") bot:leave()\n')
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script)
            file.flush()
            playing = subprocess.Popen([BOT, "-c", f"127.0.0.1:{running.port}", "-n", "4", "-m", MAPS,
                                        "-t", "120", file.name], stdout=subprocess.PIPE, text=True)
            wait_until(lambda: "clients 4 of" in running.ask("status", "tick time"), running.log)
            time.sleep(0.5)
            running.ask("map no_such_map\nstatus", "map walk1")  # the old one goes on
            running.ask("map stairs\nstatus", "map stairs")
            out, _ = playing.communicate(timeout=LIMIT_S)
            assert playing.returncode == 0, out


def join_fails(port, why, *args, options="{}"):
    """Expects that a join is refused with a reason."""
    script = f'local good, why = bot:join("visitor", {options}) ' \
             f'bot:expect(not good and why == "{why}", "not refused: " .. tostring(why))\n'
    done = bots(port, script, "-t", "60", *args)
    assert done.returncode == 0, done.stdout + done.stderr


def test_password():
    with server("+set", "sv_password", "open sesame", "+set", "sv_proxies", "192.0.2.0/24") as running:
        assert running.ready.endswith("patrol.lua -P PASSWORD\n"), running.ready
        join_fails(running.port, "this server needs a password")
        join_fails(running.port, "wrong password", options='{password="open"}')
        join_fails(running.port, "wrong password", "-P", "open sesame!")
        for args, options in [(["-P", "open sesame"], "{}"), ([], '{password="open sesame"}')]:
            done = bots(running.port, f'assert(bot:join("visitor", {options})) bot:leave()\n', *args)
            assert done.returncode == 0, done.stdout + done.stderr
        text = running.ask("cvarlist; status", "joins refused: banned 0  full 0  same address 0  password 3")
        running.process.send_signal(signal.SIGUSR1)
        text += running.ask("set sv_password open sesame", "error: sv_password")
        assert "(hidden)" in text and "sesame" not in text + running.log(), text
        assert re.search(r"a join from 127.0.0.1:\d+ was refused: this server needs", running.log())
        for _ in range(2):
            join_fails(running.port, "wrong password", "-P", "guess")
        join_fails(running.port, "too many wrong passwords from your address; wait a minute",
                   "-P", "open sesame")
        running.ask('set sv_password ""; sv_password', '""')
        can_join(running.port)


@contextlib.contextmanager
def player(running, name, script, options=(), seconds=120):
    """Starts a bot, waits until it has joined, and runs its script during the block. Yields its process."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(f'assert(bot:join("{name}"))\n{script}\n')
        file.flush()
        bot = subprocess.Popen([BOT, "-c", f"127.0.0.1:{running.port}", "-m", MAPS, "-t", str(seconds), *options,
                                file.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            wait_until(lambda: f"  {name} " in running.ask("status; bans", "^ban|^allow|^no bans|^error"), running.log)
            yield bot
        finally:
            bot.kill()
            bot.wait()


def test_seal():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/key"
        with open(path, "w", encoding="utf-8") as file:
            file.write("A" * 43 + "\n")
        for mode, why in [(0o640, f'{path}: mode 0640 .*"chmod 600 {path}"'), (0o600, None)]:
            os.chmod(path, mode)
            done = run("-n", "+map", MAP, "+set", "sv_mappath", MAPS, "+set", "sv_keyfile", path)
            assert (done.returncode == 0) == (not why) and re.search(why or "", done.stderr), done.stderr
        keys = set()
        for start in range(2):
            with server("+set", "sv_keyfile", path) as running:
                status = running.ask("status", "^joins refused")
                key = re.search(r"^seal offered  server key (\S{43})$", status, re.M).group(1)
                assert running.logs(f"info: network: seal offered, server key {key}\n")
                keys.add(key)
                for options, shown in [(["-k", key], "sealed"), (["--no-seal"], "plain")] * (start == 0):
                    name = f"otto{len(options)}"
                    with player(running, name, "bot:wait(100000)", options):
                        running.ask("status", f"^slot +[0-9]+  {name} +[0-9.:]+ +{shown} ")
        assert len(keys) == 1, keys
    with server("+set", "sv_seal", "required") as running:
        assert running.logs(f"info: network: seal required, server key .*; set sv_keyfile")
        can_join(running.port)
        join_fails(running.port, "this server needs a sealed session", "--no-seal")
        join_fails(running.port, "the server has another key than expected", "-k", key)


def test_bans_are_kept():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/bans"
        args = ["+set", "sv_banfile", path]
        with server(*args) as running:
            with player(running, "eve", "bot:wait(100000)") as eve:
                running.ask("ban ev 2h floods the chat", r"^ban 127\.0\.0\.1 .*Z floods the chat \(clients dropped: 1\)")
                out, _ = eve.communicate(timeout=LIMIT_S)
                assert re.search(r"banned until \S+Z: floods the chat", out), out
            join_fails(running.port, "banned from this server")
            running.ask("status", "joins refused: banned [1-9]")
        with server(*args) as running:
            join_fails(running.port, "banned from this server")
            with open(path, "a", encoding="utf-8") as file:
                file.write("allow 127.0.0.1 forever tests\nbann 10.0.0.1 forever\n")
            running.process.send_signal(signal.SIGHUP)
            can_join(running.port)
            assert f'{path}:5: expected "ban" or "allow", found "bann"' in running.log(), running.log()
            os.mkdir(path + ".tmp")  # where the server writes first
            running.ask("ban 10.0.0.2", "error: in force, but not saved: .*File exists")
            running.ask("bans", "^ban 10.0.0.2 forever")
            os.rmdir(path + ".tmp")
            running.ask("unban 127.0.0.1; bans", "^ban 10.0.0.2 forever")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            assert "bann 10.0.0.1 forever\n" in text and "127.0.0.1" not in text, text
            can_join(running.port)


def test_bans_at_the_start():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/bans"
        with open(f"{folder}/cfg", "w", encoding="utf-8") as file:
            file.write(f"ban 127.0.0.0/8 5m x\nset sv_banfile {path}\n")
        with server("-c", f"{folder}/cfg", "+allow", "127.0.0.9") as running:
            join_fails(running.port, "banned from this server")
            running.ask("bans", "^ban 127.0.0.0/8 .*Z x")
            running.ask("unban 127.0.0.0/8", "^unban 127.0.0.0/8$")
            assert running.logs("info: unban 127.0.0.0/8"), running.log()  # with -i, too
            running.process.send_signal(signal.SIGUSR1)
            running.ask("say x; bans", "^allow")
            assert running.logs(r"info: map \S+  tick .*clients 0 of"), running.log()
            can_join(running.port)
        with open(path, "a", encoding="utf-8") as file:
            file.write("ban x\n")
        for banfile, why in [(path, "correct the lines above"), (f"{folder}/no/bans", "cannot write into the folder")]:
            done = run("-n", "+map", MAP, "+set", "sv_banfile", banfile)
            assert done.returncode == 1 and why in done.stderr, done.stderr
    done = run("-n", "-c", "/nonexistent")
    assert done.returncode == 1 and "no map" not in done.stderr, done.stderr


def test_an_empty_server_keeps_no_messages():
    """Tests that nobody reads who left before."""
    with server() as running:
        for _ in range(4):
            can_join(running.port)
            time.sleep(0.3)
            done = bots(running.port, 'assert(bot:join("late")) bot:wait(20) for _, e in ipairs(bot:events()) do '
                                      'bot:expect(not tostring(e.text):find("left"), e.text) end bot:leave()\n')
            assert done.returncode == 0, done.stdout + done.stderr


def test_kick_and_mute():
    """A line that eve says while she is muted is not heard; those before and after are."""
    hears = 'while true do bot:wait(5) for _, e in ipairs(bot:events()) do print(e.type, e.text) end end'
    says = ('while true do bot:wait(5) for _, e in ipairs(bot:events()) do print(e.type, e.text) '
            'if e.type == "chat" and e.slot == 0 then bot:say(e.text) end end end')  # repeats what the operator says
    with server() as running:
        running.ask("ban 192.0.2.1", "^ban")  # a line that ends `player`'s lists
        with player(running, "old bob", hears) as bob, player(running, "eve", says) as eve:
            running.ask("say line 1; bans", "^ban")
            out = read_until(bob, "line 1") + read_until(bob, "line 1")
            running.ask("mute eve; status", "  eve .*  muted")
            running.ask("say line 2; bans", "^ban")
            read_until(eve, "not sent: you are muted")
            text = running.ask("unmute 1; status; kick nobody", "^error: kick")
            assert "  muted" not in text and "players: 0 old bob, 1 eve" in text, text
            running.ask("say line 3; bans", "^ban")
            out += read_until(bob, "line 3") + read_until(bob, "line 3")
            running.ask("kick eve too loud; bans", "^ban")
            assert "kicked by the operator: too loud" in eve.communicate(timeout=LIMIT_S)[0]
            running.ask("kick 127.0.0.0/8; bans", "^ban")
            out += bob.communicate(timeout=LIMIT_S)[0]
            assert "kicked by the operator" in out, out
            assert re.findall(r"line (\d+)", out) == ["1", "1", "2", "3", "3"], out
        assert re.search(r'join slot=1 name="eve" address="127\.0\.0\.1:\d+"', running.log()), running.log()
        # the goodbye waits for its acknowledgement, or 2 s
        wait_until(lambda: "every connection has joined" in running.ask("peers; bans", "^ban"),
                   lambda: "a kicked client is still connected")


def test_a_crowd_that_floods_the_chat():
    """Tests eight players who chat ten lines per second: others get as much as eight people can type."""
    script = ('assert(bot:join("talker" .. bot.index)) local heard = 0 bot:meet("all", 9, 2000) bot:events() '
              'local begun = bot:tick() '
              'for i = 1, 60 do if bot.index > 1 then bot:say("buy " .. i) end bot:wait(6) '
              'for _, e in ipairs(bot:events()) do heard = heard + (e.type == "chat" and 1 or 0) end end '
              'local took_s = (bot:tick() - begun) * bot:tick_ms() / 1000 '
              'bot:expect(heard >= 56 and heard <= 8 * (4 + 1 + took_s / 1.5), "heard " .. heard) '
              'bot:meet("all have heard", 9, 2000) bot:leave()\n')
    with server() as running:
        done = bots(running.port, script, "-n", "9", "-t", "90")
        assert done.returncode == 0, done.stdout + done.stderr
        text = running.ask("counters", "^network:")
        assert int(re.search(r"^floods (\d+)", text, re.M).group(1)) > 300, text


def test_json_log():
    """Tests that each line is one strict JSON object, whatever players write."""
    script = ('assert(bot:join([[eve \\]])) bot:say([[" } \\ {"event":"kill"}]]) bot:say_team("to us") bot:command("kill") bot:wait(20) '
              'bot:set_info("name", [[a"b\\]]) bot:wait(20) bot:leave()\n')
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/log"
        with server("+set", "log_format", "json", "+set", "log_file", path) as running:
            running.ask("ban 192.0.2.1; log_format xml", "error: log_format: expected text|json, found")
            done = bots(running.port, script)
            assert done.returncode == 0 and running.logs('"leave"'), done.stdout + running.log()
            running.ask('say so "it" is; map stairs; set log_format text; log_format', 'log_format = "text"')
            running.ask("say plain; log_level", "log_level")
            assert running.logs('info: say text="plain"'), running.log()
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        json_lines = [json.loads(line) for line in lines if line[0] == "{"]
        assert all(list(line) == ["time", "level", "event", "fields"] for line in json_lines), lines
        found = {line["event"]: line["fields"] for line in json_lines}
        assert found["chat"] == {"slot": 0, "name": "eve \\", "text": '" } \\ {"event":"kill"}'}, lines
        assert found["team_chat"]["text"] == "to us" and found["say"] == {"text": "so it is"}, lines
        assert found["death"] == {"slot": 0, "name": "eve \\", "cause": "gave up", "weapon": ""}, lines
        assert found["rename"]["before"] == "eve \\" and found["leave"]["name"] == 'a"b\\', lines
        assert re.fullmatch(r"127\.0\.0\.1:\d+", found["join"]["address"]), lines
        assert found["map_start"]["name"] == "stairs" and found["map_end"]["name"] == "walk1", lines
        assert running.log().startswith('{"time":'), running.log()
        assert re.match(r"\S+Z info: ", lines[-1]), lines


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{pid}/status") as status:
        switches = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read(), re.M).group(1))
    return int(fields[11]) + int(fields[12]), switches


def test_idle_costs_nothing():
    with server() as idle:
        for last in (False, True):  # on a busy machine, the first 3 s may contain a rest of the start
            time.sleep(0.3)
            before, switches_before = cpu_ticks(idle.process.pid)
            time.sleep(3)
            after, switches_after = cpu_ticks(idle.process.pid)
            is_cheap = after - before <= 2 and switches_after - switches_before <= 10
            if is_cheap or last:
                break
        assert is_cheap, f"{after - before} clock ticks and {switches_after - switches_before} wake-ups in 3 s"


def children(pid):
    """Returns the state of each bot, by pid: children of the server's only child."""
    found = {}
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        starter = file.read().strip()
    with open(f"/proc/{starter}/task/{starter}/children") as file:
        for child in file.read().split():
            with contextlib.suppress(FileNotFoundError), open(f"/proc/{child}/stat") as stat:
                found[int(child)] = stat.read().rsplit(")", 1)[1].split()[0]
    return found


def expect_players(running, bots, people):
    """Waits until so many bots and people play. Returns the children."""
    end = time.monotonic() + LIMIT_S
    while True:
        text = running.ask("status; bans", "^ban|^allow|^no bans|^error")
        slots = re.findall(r"^slot .*", text, re.M)
        found = sum("  bot" in slot for slot in slots)
        alive = children(running.process.pid)
        if (found, len(slots) - found) == (bots, people) and len(alive) == bots and "Z" not in alive.values():
            return alive
        assert time.monotonic() < end, f"expected {bots} bots, {people} people: {text}{alive}{running.log()}"
        time.sleep(0.1)


def test_bots_fill_a_server_until_people_come():
    """A full server with a password, where each address has one connection: a bot leaves for a person, and returns."""
    with server("+set", "sv_maxclients", "3", "+set", "bots", "3", "+set", "sv_password", "open sesame", "+set",
                "sv_proxies", "", "+set", "sv_maxperaddress", "1") as running:
        first = expect_players(running, 3, 0)
        for pid in first: # nothing inherited: only standard input and output, sockets and a pipe of its own
            with open(f"/proc/{pid}/environ") as file:
                names = [pair.split("=")[0] for pair in file.read().split("\0") if pair]
            assert names == ["EDICT_PASSWORD"], names
            with open(f"/proc/{pid}/cmdline") as file:
                assert "sesame" not in file.read()
        os.environ["EDICT_PASSWORD"] = "open sesame"
        with player(running, "anna", "bot:wait(100000)") as anna:
            del os.environ["EDICT_PASSWORD"]
            expect_players(running, 2, 1)
            victim_pid = next(iter(children(running.process.pid)))
            os.kill(victim_pid, signal.SIGTERM) # a goodbye: its slot is free at once
            assert running.logs("bots: a bot ended with status 1: .*interrupted; the next one starts in . s"), running.log()
            assert victim_pid not in expect_players(running, 2, 1)
            running.ask("set bots 0;bots", "^bots = ")
            expect_players(running, 0, 1)
            running.ask("set bots 2;bots", "^bots = ")
            expect_players(running, 1, 1)
            anna.terminate()
            anna.wait(LIMIT_S)
        expect_players(running, 2, 0)
        last = children(running.process.pid)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in last), last


def test_bots_end_with_a_server_that_is_killed():
    running = Server("+set", "bots", "1", "+set", "net_ip", "127.0.0.9")
    pids = expect_players(running, 1, 0)
    running.stop(signal.SIGKILL)
    end = time.monotonic() + LIMIT_S
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        assert time.monotonic() < end, pids
        time.sleep(0.05)


def test_a_bot_script_that_fails_is_reported_and_tried_again_later():
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write('bot:join("x") error("broken on purpose")')
        file.flush()
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN) # which the server inherits
        with server("+set", "bots", "2", "+set", "sv_botscript", file.name) as running:
            signal.signal(signal.SIGCHLD, before)
            assert running.logs("bots: a bot ended with status 1: .*broken on purpose.* starts in 1 s"), running.log()
            assert running.logs("bots: a bot ended .* starts in 2 s"), running.log()
    with server("+set", "bots", "2", "+set", "sv_botscript", "/no/such.lua") as running:
        assert running.logs("bots: cannot start a bot: expected edict-bot beside edictd, and the script"), running.log()


def main(tests):
    passed = failed = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_") or (sys.argv[1:] and name not in sys.argv[1:]):
            continue
        try:
            test()
            passed += 1
            print(f"ok {name}", flush=True)
        except Exception as error:
            failed += 1
            print(f"not ok {name}: {type(error).__name__}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(globals()))
