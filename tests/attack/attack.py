#!/usr/bin/env python3
"""Attacks a real edictd on loopback and measures what 16 players notice.

usage: attack.py [--long] [--list] [ROW]...     (default: all rows)
Environment: BUILD (default build), EDICTD_LONG=1 as --long. Prints TAP and a table; ends with
`N passed, N failed, N skipped`.

Each row: players join and are measured undisturbed, then during the attack, then the attack runs
again and SIGTERM must end the server. Without --long each row takes about a second, on one server.
"""
import argparse
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.environ.get("BUILD", "build")
EDICTD = f"{BUILD}/edictd"
ATTACK, PLAYERS = f"{BUILD}/tests/attack/attack", f"{BUILD}/tests/attack/players"
MAPS = f"{BUILD}/maps"
MAP = f"{MAPS}/arena.bsp"
NUM_PLAYERS = 16
TICK_MS = 16
PLAYERS_AT, VISITOR_AT, VICTIMS_AT = "127.76.0.1", "127.77.0.1", "127.88.1.1"
TRIES = 3  # the machine may be busy: a row that fails once must then be good twice

# Requirements of every row.
MIN_SHARE = 0.99  # of the snapshots of the undisturbed players
MAX_GAP_MS = 100  # between two snapshots, more than undisturbed
MAX_JOIN_MS = 2000  # until the first snapshot of somebody honest
MAX_FILLED = 0.05  # of the time without a usercmd of a player, more than undisturbed
MAX_RATIO = 1.0  # bytes out per byte in, for addresses that have proven nothing
MAX_STOP_S = 1.0  # from SIGTERM to the end
MAX_ANSWER_S = 1.0  # of the console
MAX_GROWTH_MB = 8  # of the process, 2 s after the attack: the sessions of 8 silent peers
MAX_POOL_BYTES = 256 * 1024  # more than before in ENet's pool: 8 silent peers may hold 32 KiB each
MAX_NOTICE_S = 3.0  # until a client notices that its server is dead


class Row:
    def __init__(self, name, short=True, long=True, ratio=False, visitors=1, delay_ms=0, polite=False,
                 args=(), victims=False, ports=False, check=None):
        self.name, self.short, self.long = name, short, long
        self.ratio, self.visitors, self.delay_ms, self.polite = ratio, visitors, delay_ms, polite
        self.args, self.victims, self.ports, self.check = args, victims, ports, check


def largest_is_small(result):
    if result.attacker.get("largest", 0) > 1400:
        return f"a datagram of {result.attacker['largest']} bytes, at most 1400"
    return None


def chat_is_limited(result):
    # 8 peers, each 4 lines at once and then one in 1.5 s
    lines, most = result.window.chat, 8 * (4 + result.window.seconds / 1.5)
    return f"everybody reads {lines} lines, at most {most:.0f}" if lines > most else None


ROWS = [
    # from senders that have proven nothing
    Row("cookies", ratio=True),
    Row("victim-cookies", ratio=True, visitors=4, victims=True),
    Row("victim-connects", ratio=True, visitors=4, victims=True),
    Row("connects", ratio=True),
    Row("blind-handshake", ratio=True),
    Row("garbage", ratio=True),
    Row("empty", ratio=True),
    Row("oversize", ratio=True),
    Row("compressed", ratio=True),
    Row("queries", ratio=True),
    Row("strangers", ratio=True),
    Row("port-zero", ratio=True),
    Row("martians", ratio=True),
    Row("forged-disconnect", ratio=True, ports=True),
    Row("framed", ratio=True, ports=True),
    Row("framed-large", ratio=True, ports=True),
    # from a connected peer
    Row("sort-reliable"),
    Row("sort-unreliable"),
    Row("sort-unjoined", short=False),
    Row("sort-in-window"),
    Row("exhaust"),
    Row("exhaust-unjoined", short=False),
    Row("exhaust-unreliable", short=False),
    Row("fragments-open"),
    Row("half-open-one", visitors=8, delay_ms=40),
    Row("half-open-ten", visitors=8, delay_ms=40),
    Row("half-open-fast", visitors=8, delay_ms=40),
    Row("idle"),
    Row("idle-many", short=False, polite=True, args=("+set", "sv_idle_s", "1")),
    Row("silent", short=False),
    Row("deaf"),
    Row("churn"),
    Row("chat", check=chat_is_limited),
    Row("texts", check=chat_is_limited),
    Row("edge"),
    Row("edge-many", short=False, polite=True),
    Row("messages", polite=True),
    Row("pings", ratio=True),
    Row("acks"),
    Row("throttle"),
    Row("bandwidth", short=False),
    Row("mtu", short=False, check=largest_is_small),
    Row("stale"),
    Row("unsequenced", short=False),
    Row("commands"),
    Row("usercmds"),
    Row("large"),
    Row("replay", short=False, visitors=4),
    Row("memory", long=False),
    Row("kill"),
    Row("sigterm"),
]


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
    """A running edictd with commands on its standard input."""

    def __init__(self, *args):
        self.err = tempfile.TemporaryFile("w+")
        self.lines = queue.Queue()
        self.asked = 0
        self.process = subprocess.Popen(
            [EDICTD, "-p", "0", "-i", "+set", "net_ip", "127.0.0.1", "+set", "sv_mappath", MAPS,
             *args, "+map", MAP],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True)
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
        self.process.stdin.write(f"{command}\n{mark}\n")
        self.process.stdin.flush()
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
            return int(re.search(r"^VmRSS:\s+(\d+)", status.read(), re.M).group(1)) / 1024

    def log(self):
        self.err.seek(0)
        return self.err.read()

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

    def __init__(self, port, count, address, seconds, spread=False, delay_ms=0):
        self.seen = [[] for _ in range(count)]
        self.joined, self.lost = {}, {}
        self.process = subprocess.Popen(
            [PLAYERS, str(port), str(count), address, str(seconds), str(delay_ms),
             *(["spread"] if spread else [])],
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


class Result:
    """One run of a row: what was measured, and what was wrong with it."""

    def __init__(self, row):
        self.row, self.faults, self.skipped = row, [], None
        self.attacker, self.window, self.calm = {}, None, None
        self.server_in = self.server_out = self.pool = 0
        self.slots = "-"
        self.rss = [0.0, 0.0, 0.0]
        self.tick = ("-", "-")
        self.join_ms = self.answer_s = self.stop_s = None

    def ratio(self):
        return self.attacker.get("received_bytes", 0) / max(1, self.attacker.get("sent_bytes", 0))

    def judge_players(self, lost):
        for index, (_, reason) in lost.items():
            self.faults.append(f"player {index} was lost: {reason}")
        wanted = MIN_SHARE * min(1.0, self.calm.share)
        if self.window.share < wanted:
            self.faults.append(f"{self.window.share:.1%} of the snapshots, at least {wanted:.1%}")
        if self.window.gap_ms > self.calm.gap_ms + MAX_GAP_MS:
            self.faults.append(f"a gap of {self.window.gap_ms:.0f} ms between snapshots, undisturbed "
                               f"{self.calm.gap_ms:.0f} ms")
        if self.window.filled > self.calm.filled + MAX_FILLED:
            self.faults.append(f"a player had no usercmd for {self.window.filled:.0%} of the time")
        if self.answer_s is None or self.answer_s > MAX_ANSWER_S:
            self.faults.append("the console did not answer within a second")
        if self.row.ratio and self.ratio() > MAX_RATIO:
            self.faults.append(f"{self.ratio():.2f} bytes out per byte in")
        fault = self.row.check and self.row.check(self)
        if fault:
            self.faults.append(fault)

    def judge_join(self, visitors):
        late = [i for i in range(len(visitors.seen)) if visitors.joined.get(i, 1e9) > MAX_JOIN_MS]
        self.join_ms = max(visitors.joined.get(i, 99999) for i in range(len(visitors.seen)))
        if late:
            reasons = {visitors.lost[i][1] for i in late if i in visitors.lost}
            self.faults.append(f"{len(late)} of {len(visitors.seen)} honest joins took over "
                               f"{MAX_JOIN_MS} ms {' '.join(reasons)}")

    def judge_memory(self):
        if self.pool > MAX_POOL_BYTES:
            self.faults.append(f"ENet still holds {self.pool} bytes more than before")
        if self.rss[2] > self.rss[0] + MAX_GROWTH_MB:
            self.faults.append(f"memory {self.rss[0]:.0f} MB before, {self.rss[2]:.0f} MB after")

    def judge_stop(self, server):
        if self.stop_s is None or self.stop_s > MAX_STOP_S:
            self.faults.append(f"SIGTERM took {self.stop_s or 99:.1f} s")
        elif server.process.returncode != 0:
            self.faults.append(f"exit status {server.process.returncode}: {server.log()[-500:]}")


class Stage:
    """A server with players in it, and one who comes back until it is measured."""

    def __init__(self, row, seconds):
        self.server = Server(*row.args)
        self.players = Players(self.server.port, NUM_PLAYERS, PLAYERS_AT, seconds, spread=True)
        if not self.players.wait_joined(10.0):
            raise AssertionError(f"players did not join: {self.players.lost} {self.server.log()}")
        time.sleep(0.5)

    def player_addresses(self):
        found = re.findall(r"127\.76\.0\.\d+:\d+", self.server.ask("status"))
        assert len(found) == NUM_PLAYERS, f"found {len(found)} addresses in the answer of status"
        return found

    def close(self):
        self.players.stop()
        self.players.process.wait(5)
        self.server.kill()


def start_attack(stage, row, seconds, polite=False):
    more = ["polite"] * polite + (stage.player_addresses() if row.ports else [])
    return subprocess.Popen([ATTACK, row.name, str(stage.server.port), str(seconds), *more],
                            stdout=subprocess.PIPE, text=True)


def read_attacker(process, result):
    text, _ = process.communicate()
    words = text.strip().split("\n")[-1].split()
    if words[:1] == ["skipped:"]:
        result.skipped = " ".join(words[1:])
    else:
        result.attacker = {k: int(v) for k, v in zip(words[::2], words[1::2])}


def watch(stage, result, end_s):
    """Samples memory until a time; asks the console once, in the middle."""
    asks_at = time.monotonic() + (end_s - time.monotonic()) / 2
    while time.monotonic() < end_s:
        result.rss[1] = max(result.rss[1], stage.server.rss_mb())
        if time.monotonic() >= asks_at and result.answer_s is None:
            begun = time.monotonic()
            text = stage.server.ask("status")
            result.answer_s = time.monotonic() - begun if text else 99.0
            match = re.search(r"clients (\d+ of \d+)", text)
            result.slots = match.group(1).replace(" of ", "/") if match else "-"
            match = re.search(r"p50 ([\d.]+)  p99 ([\d.]+)", text)
            result.tick = match.groups() if match else ("-", "-")
        time.sleep(0.02)


def disturb(stage, row, result, seconds, calm, polite=False):
    """Runs the attack once and measures."""
    result.calm = calm
    result.rss[0] = result.rss[1] = stage.server.rss_mb()
    net = stage.server.network()
    result.pool = net[2]
    port = stage.server.port
    process = start_attack(stage, row, seconds, polite)
    if row.name == "replay":
        port = int(process.stdout.readline().split()[1])
    start_ms = now_ms()
    end_s = time.monotonic() + seconds
    time.sleep(0.2 * seconds)
    visitors = Players(port, row.visitors, VICTIMS_AT if row.victims else VISITOR_AT,
                       0.75 * seconds + MAX_JOIN_MS / 1000, spread=row.name != "replay", delay_ms=row.delay_ms)
    watch(stage, result, end_s)
    read_attacker(process, result)
    if result.skipped:
        visitors.stop()
        return
    visitors.wait_joined(MAX_JOIN_MS / 1000)
    result.judge_join(visitors)
    result.window = stage.players.window(start_ms, end_s * 1000)
    after = stage.server.network()
    result.server_in, result.server_out = after[0] - net[0], after[1] - net[1]
    result.judge_players(stage.players.lost)
    if row.name == "replay":
        judge_replayed(visitors, result)
    visitors.stop()


def judge_replayed(visitors, result):
    """Players whose own datagrams are sent again must notice nothing either."""
    filled = max((s[-1][5] - s[5][5]) / max(1, s[-1][0] - s[5][0]) for s in visitors.seen if len(s) > 6)
    if filled > MAX_FILLED:
        result.faults.append(f"a replayed player had no usercmd for {filled:.0%} of the time")
    rtt_ms = max((r[3] for s in visitors.seen for r in s), default=99999)
    gap_ms = max((r[2] for s in visitors.seen for r in s[5:]), default=99999)
    if visitors.lost:
        result.faults.append(f"replayed players were lost: {visitors.lost}")
    if rtt_ms > 200 or gap_ms > result.calm.gap_ms + MAX_GAP_MS:
        result.faults.append(f"replayed players: round trip {rtt_ms} ms, gap {gap_ms} ms")


def calm_window(stage, seconds):
    start_ms = now_ms()
    time.sleep(seconds)
    return stage.players.window(start_ms, now_ms())


def stop_in_the_middle(stage, row, result):
    process = start_attack(stage, row, 3)
    time.sleep(1.0)
    result.stop_s = stage.server.stop()
    result.judge_stop(stage.server)
    process.kill()
    process.wait()


def run_kill(row, seconds):
    """kill -9: how long clients need to notice."""
    result = Result(row)
    stage = Stage(row, 60)
    try:
        time.sleep(seconds / 4)
        begun_ms = now_ms()
        stage.server.kill()
        while len(stage.players.lost) < NUM_PLAYERS and now_ms() < begun_ms + 15000:
            time.sleep(0.02)
        took_s = max([at - begun_ms for at, _ in stage.players.lost.values()] or [99000]) / 1000
        if len(stage.players.lost) < NUM_PLAYERS or took_s > MAX_NOTICE_S:
            result.faults.append(f"{len(stage.players.lost)} of {NUM_PLAYERS} clients noticed, the "
                                 f"last after {took_s:.1f} s; expected at most {MAX_NOTICE_S:.0f} s")
    finally:
        stage.close()
    return result


def run_sigterm(row, seconds):
    """SIGTERM in the middle of the attack that costs the server most."""
    result = Result(row)
    stage = Stage(row, 60)
    try:
        stop_in_the_middle(stage, Row("sort-unreliable"), result)
    finally:
        stage.close()
    return result


SPECIAL = {"kill": run_kill, "sigterm": run_sigterm}  # have a server of their own


def run_long(row, seconds):
    """A row with a server of its own."""
    if row.name in SPECIAL:
        return SPECIAL[row.name](row, seconds)
    result = Result(row)
    stage = Stage(row, 3 * seconds + 40)
    try:
        calm = calm_window(stage, seconds / 2)
        disturb(stage, row, result, seconds, calm, row.polite)
        if not result.skipped:
            time.sleep(2.0)
            result.rss[2] = stage.server.rss_mb()
            result.pool = stage.server.network()[2] - result.pool
            result.judge_memory()
            stop_in_the_middle(stage, row, result)
    finally:
        stage.close()
    return result


def print_header():
    print(f"# {'row':18} {'sent':>8} {'back':>8} {'ratio':>5} {'srv in':>8} {'srv out':>8} "
          f"{'slots':>6} {'RSS MB':>14} {'tick ms p50/p99':>15} {'gap/calm':>9} {'snap/s':>6} "
          f"{'share':>6} {'join':>5} {'ask':>5} {'stop':>5}", flush=True)


def print_result(number, result):
    row, window = result.row, result.window
    if window:
        a = result.attacker
        print(f"# {row.name:18} {a.get('sent_bytes', 0) / 1024:7.0f}k {a.get('received_bytes', 0) / 1024:7.0f}k "
              f"{result.ratio():5.2f} {result.server_in / 1024:7.0f}k {result.server_out / 1024:7.0f}k "
              f"{result.slots:>6} {result.rss[0]:4.0f}/{result.rss[1]:4.0f}/{result.rss[2]:4.0f} "
              f"{result.tick[0]:>7}/{result.tick[1]:>7} {window.gap_ms:5.0f}/{result.calm.gap_ms:3.0f} "
              f"{window.share * 1000 / TICK_MS:6.1f} {window.share:6.1%} {result.join_ms or 0:5.0f} "
              f"{result.answer_s or 0:5.2f} {result.stop_s or 0:5.2f}")
    if result.skipped:
        print(f"ok {number} - {row.name} # SKIP {result.skipped}", flush=True)
    elif not result.faults:
        print(f"ok {number} - {row.name}", flush=True)
    else:
        print(f"not ok {number} - {row.name}: {'; '.join(result.faults)}", flush=True)


class Short:
    """All rows on one server, one after the other; a row that fails gets a new one."""

    def __init__(self):
        self.stage, self.calm = None, None

    def open(self, row):
        self.close()
        self.stage = Stage(row, 300)
        self.calm = calm_window(self.stage, 1.0)
        self.rss_mb, self.pool = self.stage.server.rss_mb(), self.stage.server.network()[2]

    def close(self):
        if self.stage:
            self.stage.close()
            self.stage = None

    def run_memory(self, row):
        """The memory of the server that all rows ran on, 2 s after the last."""
        result = Result(row)
        if self.stage:
            time.sleep(2.0)
            result.rss = [self.rss_mb, 0.0, self.stage.server.rss_mb()]
            result.pool = self.stage.server.network()[2] - self.pool
            result.judge_memory()
        return result

    def run(self, row, seconds):
        if row.name == "memory":
            return self.run_memory(row)
        if row.name in SPECIAL:
            self.close()
            return SPECIAL[row.name](row, seconds)
        if not self.stage:
            self.open(row)
        result = Result(row)
        disturb(self.stage, row, result, seconds, self.calm, polite=True)
        result.rss[2] = self.stage.server.rss_mb()
        if result.faults:
            self.close()
        else:
            time.sleep(0.1)
        return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true", default=bool(os.environ.get("EDICTD_LONG")))
    parser.add_argument("--seconds", type=float, help="of each attack; default 0.6, long 8")
    parser.add_argument("--tries", type=int, default=TRIES)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("rows", nargs="*")
    options = parser.parse_args()
    rows = [r for r in ROWS if (r.name in options.rows if options.rows else
                                r.long if options.long else r.short)]
    if options.list:
        print("\n".join(row.name for row in ROWS))
        return 0
    seconds = options.seconds or (8.0 if options.long else 0.6)
    short = Short()
    run = run_long if options.long else short.run
    passed = failed = skipped = 0
    print(f"1..{len(rows)}")
    print_header()
    for number, row in enumerate(rows, 1):
        good = bad = 0
        while good <= bad < min(2, options.tries):
            try:
                result = run(row, seconds)
            except (AssertionError, OSError) as error:
                result = Result(row)
                result.faults.append(f"{type(error).__name__}: {error}".replace("\n", " ")[:300])
                short.close()
            good, bad = good + (not result.faults), bad + bool(result.faults)
            if result.faults and bad < min(2, options.tries):
                print(f"# again: {row.name}: {'; '.join(result.faults)}", flush=True)
        print_result(number, result)
        passed += not result.faults and not result.skipped
        skipped += bool(result.skipped)
        failed += bool(result.faults)
    short.close()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
