#!/usr/bin/env python3
"""Attacks a real edictd on loopback and measures what its players notice.

usage: attack.py [--long] [--list] [ROW]...     (default: all rows)
Environment: BUILD (default build), PLAYERS (default 16; 256 with EDICTD_LONG), EDICTD_LONG=1 as --long. Prints TAP and a table; ends with
`N passed, N failed, N skipped`.

Each row: players join and are measured undisturbed, then during the attack, then the attack runs
again and SIGTERM must end the server. Without --long each row takes about a second, on one server.
"""
import argparse
import os
import re
import signal
import sys
import time

sys.dont_write_bytecode = True

from rows import HAZARDS, ROWS, Row
from stage import (NUM_PLAYERS, TICK_MS, VICTIMS_AT, VISITOR_AT, Players, Stage, now_ms,
                   start_attack)

TRIES = 3  # the machine may be busy: a row that fails once must then be good twice,
AGAIN = 3  # and for so many times as long: in 0.6 s, a snapshot that is 6 ms late is 1 % of them

# Requirements of every row.
MIN_SHARE = 0.99  # of the snapshots of the undisturbed players
MAX_GAP_MS = 100  # between two snapshots, more than undisturbed
MAX_JOIN_MS = 2000  # until the first snapshot of somebody honest
MAX_FILLED = 0.05  # of the time without a usercmd of a player, more than undisturbed
MAX_RATIO = 1.0  # bytes out per byte in, for addresses that have proven nothing
MAX_STOP_S = 1.0  # from SIGTERM to the end
MAX_ANSWER_S = 1.0  # of the console
MAX_GROWTH_MB = 7 + NUM_PLAYERS / 16  # of the process, 2 s after the attack: 8 silent peers, and the players' own
MAX_AGAIN_MB = 1 + NUM_PLAYERS / 128  # of a second attack, if the first one used the pool of states more than ever
STATE_BYTES = 520  # of an edict in one tick, in that pool; it keeps 128 ticks for clients without acknowledgements
MAX_POOL_BYTES = 256 * 1024 + (NUM_PLAYERS - 16) * 4096  # more than before in ENet's pool: 8 silent peers, 32 KiB each
MAX_NOTICE_S = 3.0  # until a client notices that its server is dead


class Result:
    """One run of a row: what was measured, and what was wrong with it."""

    def __init__(self, row):
        self.row, self.faults, self.skipped = row, [], None
        self.attacker, self.window, self.calm = {}, None, None
        self.server_in = self.server_out = self.pool = 0
        self.said, self.safe_ms, self.half_open = "", 0.0, 0  # of Row.act: lines of the attacker, a time
        self.slots = "-"
        self.rss = [0.0, 0.0, 0.0]
        self.first_use_mb, self.again_mb = 0.0, None
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
        if self.again_mb is None and not self.has_grown():
            return
        if self.again_mb is None or self.has_grown(self.first_use_mb) or self.again_mb > MAX_AGAIN_MB:
            again = "" if self.again_mb is None else f", {self.again_mb:.1f} MB more after the second attack"
            self.faults.append(f"memory {self.rss[0]:.0f} MB before, {self.rss[2]:.0f} MB after{again}")

    def has_grown(self, first_use_mb=0.0):
        return self.rss[2] > self.rss[0] + MAX_GROWTH_MB + self.row.grows_mb + first_use_mb

    def judge_stop(self, server):
        if self.stop_s is None or self.stop_s > MAX_STOP_S:
            self.faults.append(f"SIGTERM took {self.stop_s or 99:.1f} s")
        elif server.process.returncode != 0:
            self.faults.append(f"exit status {server.process.returncode}: {server.log()[-500:]}")


def read_attacker(process, result):
    text, _ = process.communicate()
    words = (result.said + text).strip().split("\n")[-1].split()
    if words[:1] == ["skipped:"]:
        result.skipped = " ".join(words[1:])
    else:
        result.attacker = {k: int(v) for k, v in zip(words[::2], words[1::2])}


def watch(stage, process, result, end_s):
    """Samples memory until a time; asks the console once, in the middle; runs Row.act."""
    act = result.row.act(stage, process, result) if result.row.act else iter(())
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
        next(act, None)
        time.sleep(0.02)
    if result.row.act:
        act.close()


def disturb(stage, row, result, seconds, calm, polite=False):
    """Runs the attack once and measures."""
    result.calm = calm
    seconds = max(seconds, row.least_s)
    result.rss[0] = result.rss[1] = stage.server.rss_mb()
    net = stage.server.network()
    result.pool = net[2]
    port = stage.server.port
    process = start_attack(stage, row, seconds, polite)
    if row.proxy:
        port = int(process.stdout.readline().split()[1])
    start_ms = now_ms()
    end_s = time.monotonic() + seconds
    time.sleep(0.2 * seconds)
    stay_s = 0.6 * seconds if row.proxy else 0.75 * seconds + MAX_JOIN_MS / 1000  # to leave through the proxy
    visitors = Players(port, row.visitors, VICTIMS_AT if row.victims else VISITOR_AT, stay_s,
                       *([] if row.proxy else ["spread"]), *stage.words(row.visitors), delay_ms=row.delay_ms)
    watch(stage, process, result, end_s)
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
    if row.proxy:
        judge_proxied(visitors, result)
    visitors.stop()


def judge_proxied(visitors, result):
    """Players whose own wire is attacked must notice nothing either."""
    filled = max(((s[-1][5] - s[5][5]) / max(1, s[-1][0] - s[5][0]) for s in visitors.seen if len(s) > 6),
                 default=1.0)
    if filled > MAX_FILLED:
        result.faults.append(f"a player on the wire had no usercmd for {filled:.0%} of the time")
    rtt_ms = max((r[3] for s in visitors.seen for r in s), default=99999)
    gap_ms = max((r[2] for s in visitors.seen for r in s[5:]), default=99999)
    if visitors.lost:
        result.faults.append(f"players on the wire were lost: {visitors.lost}")
    if rtt_ms > 200 or gap_ms > result.calm.gap_ms + MAX_GAP_MS:
        result.faults.append(f"players on the wire: round trip {rtt_ms} ms, gap {gap_ms} ms")


def attack_again(stage, row, result, seconds):
    """Attacks once more, after the server has ended the peers of the first attack. Pages of the pool of states
    that were used then are used again; memory that is lost grows again."""
    end_s = time.monotonic() + 20
    while f"clients {NUM_PLAYERS} of" not in stage.server.ask("status") and time.monotonic() < end_s:
        time.sleep(0.1)
    edicts = re.search(r"edicts (\d+)", stage.server.ask("status"))
    assert edicts, "no answer of status"
    result.first_use_mb = 128 * STATE_BYTES * int(edicts.group(1)) / 2**20
    again = Result(row)
    disturb(stage, row, again, seconds, result.calm, row.polite)
    result.faults += again.faults
    time.sleep(2.0)
    result.again_mb = stage.server.rss_mb() - result.rss[2]


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


def run_pause(row, seconds):
    """The server is stopped for 2 s and goes on: nobody is lost, and all is as before at once."""
    result = Result(row)
    stage = Stage(row, 60)
    try:
        result.calm = calm_window(stage, seconds / 4)
        stage.server.process.send_signal(signal.SIGSTOP)
        time.sleep(2.0)
        stage.server.process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        result.answer_s = 0.0
        result.window = calm_window(stage, seconds / 4)
        result.judge_players(stage.players.lost)
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


SPECIAL = {"kill": run_kill, "pause": run_pause, "sigterm": run_sigterm}  # have a server of their own


def run_long(row, seconds):
    """A row with a server of its own."""
    if row.name in SPECIAL:
        return SPECIAL[row.name](row, seconds)
    result = Result(row)
    stage = Stage(row, 4 * max(seconds, row.least_s) + 60, has_clock=row.name == "clock")
    try:
        calm = calm_window(stage, seconds / 2)
        disturb(stage, row, result, seconds, calm, row.polite)
        if not result.skipped:
            time.sleep(2.0)
            result.rss[2] = stage.server.rss_mb()
            result.pool = stage.server.network()[2] - result.pool
            if result.has_grown():
                attack_again(stage, row, result, seconds)
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
    """All rows on one server, one after the other; a row that fails or needs tokens gets a new one."""

    def __init__(self):
        self.stage, self.calm = None, None

    def open(self, row):
        self.close()
        self.stage = Stage(row, 300, has_clock=True)
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
        if not self.stage or bool(self.stage.keys) != row.tokens:
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
        print("\n".join(f"{hazard}: {names}" for hazard, names in HAZARDS.items()))
        return 0
    unknown = {name for names in HAZARDS.values() for name in names.split()} - {r.name for r in ROWS}
    assert not unknown, f"hazards name rows that do not exist: {unknown}"
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
                result = run(row, seconds * (AGAIN if bad and not options.long else 1))
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
