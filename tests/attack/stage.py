"""Server, players and measurements that all rows share."""
import mmap
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time

from tokens import Keys

BUILD = os.environ.get("BUILD", "build")
os.environ.setdefault("EDICTD_USER", "root")  # as root: the folders of the tests are private
EDICTD = f"{BUILD}/edictd"
ATTACK, PLAYERS = f"{BUILD}/tests/attack/attack", f"{BUILD}/tests/attack/players"
CLOCK = os.path.abspath(f"{BUILD}/tests/attack/clock.so")
MAPS = f"{BUILD}/maps"
MAP = f"{MAPS}/arena.bsp"
NUM_PLAYERS = int(os.environ.get("PLAYERS") or (256 if os.environ.get("EDICTD_LONG") else 16))
SPARE_SLOTS = 16  # for visitors and attackers
GRACE = ("+set", "sv_grace_ms", "1000")  # the next row finds free slots
CROWD = ("+set", "sv_snapshot_ticks", "3")  # of a server with more than 64 players
TICK_MS = 16
GUEST = 23456  # uid of a user with the role watch; GUEST + 1 has none
PLAYERS_AT, VISITOR_AT, VICTIMS_AT, INTRUDERS_AT = "127.76.0.1", "127.77.0.1", "127.88.1.1", "127.55.0.1"


def now_ms():
    return time.monotonic() * 1000.0


class Lines:
    """The lines of a program's output, as they come."""

    def __init__(self, stream, take):
        self.thread = threading.Thread(target=self.read, args=(stream, take), daemon=True)
        self.thread.start()

    @staticmethod
    def read(stream, take):
        for line in stream:
            take(line.rstrip("\n"))


class Server:
    """A running edictd with commands on its standard input. `has_clock`: clock[0] is what its system
    clock is ahead, s; clock[1] counts how often it was read."""

    def __init__(self, *args, has_clock=False):
        self.clock_file = tempfile.NamedTemporaryFile()
        self.clock_file.truncate(16)
        self.clock = memoryview(mmap.mmap(self.clock_file.fileno(), 16)).cast("q")
        clock = {"LD_PRELOAD": CLOCK, "ATTACK_CLOCK": self.clock_file.name} if has_clock else {}
        self.err = tempfile.TemporaryFile("w+")
        self.lines = queue.Queue()
        self.asked = 0
        self.process = subprocess.Popen(
            [EDICTD, "-p", "0", "-i", "+set", "net_ip", "127.0.0.1", "+set", "sv_mappath", MAPS,
             *args, "+map", MAP],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True,
            env={**os.environ, **clock})
        match = re.search(r"listening on [^:]+:(\d+)", self.process.stdout.readline())
        if not match:
            raise AssertionError("did not start: " + self.log())
        self.port = int(match.group(1))
        self.reader = Lines(self.process.stdout, self.lines.put)

    def ask(self, command, limit_s=5.0):
        """Sends a command and returns its whole answer; "" if it does not come in time."""
        self.asked += 1
        mark = f"end_of_answer_{self.asked}"  # no such command: the error ends the answer
        end, answer = time.monotonic() + limit_s, []
        try:
            self.process.stdin.write(f"{command}\n{mark}\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise AssertionError("the server has ended: " + self.log()[-300:]) from error
        while time.monotonic() < end:
            try:
                answer.append(self.lines.get(timeout=max(0.01, end - time.monotonic())))
            except queue.Empty:
                break
            if mark in answer[-1]:
                return "\n".join(answer)
        return ""

    def network(self):
        """Bytes received and sent so far, and bytes that ENet holds now."""
        match = re.search(r"received \d+ packets \((\d+) bytes\), sent \d+ packets \((\d+) bytes\)"
                          r".*^memory (\d+)", self.ask("counters"), re.M | re.S)
        return [int(n) for n in match.groups()] if match else [0, 0, 0]

    def rss_mb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            match = re.search(r"^VmRSS:\s+(\d+)", status.read(), re.M)
        assert match, "the server has ended: " + self.log()[-300:]
        return int(match.group(1)) / 1024

    def log(self):
        # A seek would move the offset at which the server writes.
        return os.pread(self.err.fileno(), os.fstat(self.err.fileno()).st_size, 0).decode()

    def stop(self):
        """Seconds from SIGTERM to the end; None if it took more than 30."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            return None
        return time.monotonic() - begun

    def kill(self):
        self.process.kill()
        self.process.wait()


class Window:
    """The players between two times: snapshots, gaps, round trips, chat."""

    def __init__(self, shares, gaps, rtts, chats, filled, seconds):
        self.share = sum(shares) / len(shares)
        self.worst_share, self.gap_ms, self.rtt_ms = min(shares), max(gaps), max(rtts)
        self.chat, self.seconds, self.filled = max(chats), seconds, max(filled)


class Players:
    """Clients of the real library in a process of their own."""

    def __init__(self, port, count, address, seconds, *words, delay_ms=0):
        self.seen = [[] for _ in range(count)]
        self.joined, self.lost, self.why = {}, {}, set()
        self.process = subprocess.Popen(
            [PLAYERS, str(port), str(count), address, str(seconds), str(delay_ms),
             *words],
            stdout=subprocess.PIPE, text=True)
        self.reader = Lines(self.process.stdout, self.take)

    def take(self, line):
        kind, index, at, *rest = line.split(" ", 3)
        if kind == "joined":
            self.joined[int(index)] = int(rest[0])
        elif kind == "seen":
            self.seen[int(index)].append((int(at), *(int(n) for n in rest[0].split())))
        else:
            self.lost[int(index)] = (int(at), rest[0] if rest else "?")
            self.why.add(self.lost[int(index)][1])

    def wait_joined(self, limit_s):
        end = time.monotonic() + limit_s
        while time.monotonic() < end and len(self.joined) + len(self.lost) < len(self.seen):
            time.sleep(0.01)
        return len(self.joined) == len(self.seen)

    def wait_past(self, at_ms, limit_s):
        """Waits until each player has reported something later than a time."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end and not all(s and s[-1][0] >= at_ms for s in self.seen):
            time.sleep(0.01)

    def window(self, start_ms, end_ms):
        self.wait_past(end_ms, 5.0)
        shares, gaps, rtts, chats, filled = [], [], [], [], []
        for reports in (list(s) for s in self.seen):
            before = [r for r in reports if r[0] <= start_ms] or reports[:1]
            after = [r for r in reports if r[0] >= end_ms][:1]
            if not before or not after:  # it never came back
                last = reports[-1][0] if reports else start_ms
                shares.append(0.0)
                gaps.append(now_ms() - last)
                continue
            inside = [r for r in reports if before[-1][0] < r[0] <= after[0][0]]
            took_ms = after[0][0] - before[-1][0]
            shares.append((after[0][1] - before[-1][1]) * TICK_MS / max(1, took_ms))
            gaps.append(max(r[2] for r in inside))
            rtts.append(max(r[3] for r in inside))
            chats.append(after[0][4] - before[-1][4])
            filled.append((after[0][5] - before[-1][5]) / max(1, took_ms))
        return Window(shares, gaps, rtts or [0], chats or [0], filled or [1.0],
                      (end_ms - start_ms) / 1000)

    def stop(self):
        """Tells them to leave; they need about 0.1 s."""
        self.process.terminate()


class Stage:
    """A server with players in it, and one who comes back until it is measured. Half of the players are sealed, or
    all if they need tokens."""

    def __init__(self, row, seconds, has_clock=False):
        self.keys = Keys() if row.tokens else None
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        self.control = f"{self.folder.name}/control"
        many = ("+set", "sv_maxclients", str(NUM_PLAYERS + SPARE_SLOTS), *(CROWD if NUM_PLAYERS > 64 else ()))
        self.server = Server(*many, *GRACE, *row.args, "+set", "net_control", self.control, "+set", "ctl_users", f"{GUEST}=watch",
                             *(self.keys.options() if self.keys else ()), has_clock=has_clock)
        self.players = Players(self.server.port, NUM_PLAYERS, PLAYERS_AT, seconds, "spread",
                               *(self.words(NUM_PLAYERS) or ["mixed"]))
        if not self.players.wait_joined(10.0):
            self.close()
            raise AssertionError(f"players did not join: {self.players.lost} {self.server.log()}")
        time.sleep(0.5)

    def words(self, count):
        """Arguments that so many players need to join."""
        return self.keys.words(count) if self.keys else []

    def player_addresses(self):
        found = re.findall(r"127\.76\.\d+\.\d+:\d+", self.server.ask("status"))
        assert len(found) == NUM_PLAYERS, f"found {len(found)} addresses in the answer of status"
        return found

    def close(self):
        self.players.stop()
        self.players.process.wait(5)
        self.server.kill()
        self.folder.cleanup()


def start_attack(stage, row, seconds, polite=False):
    more = ["polite"] * polite + (stage.player_addresses() if row.ports else [])
    return subprocess.Popen([ATTACK, row.name, str(stage.server.port), str(seconds), *more],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "ATTACK_CONTROL": stage.control})
