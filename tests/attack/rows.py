"""The rows of attack.py: the attacks, what runs beside them, and what must be true afterwards."""
import itertools
import re
import select
import subprocess
import time

from stage import CROWD, INTRUDERS_AT, NUM_PLAYERS, Players, now_ms
from tokens import CTL, WHY

MAX_QUEUED_BYTES = 256 * 1024  # NET_MAX_QUEUED_BYTES: of reliable messages for one peer
NUM_JOINS = max(40, 216 - NUM_PLAYERS)  # of the row join-burst
MAX_JOINS_S = 10.0  # until all are in
FILL_S = 1.3 if NUM_PLAYERS <= 64 else 13.0  # for fill_queues, which goes slowly with many players
OVERFLOW, BANNED = "reason7", "reason11"  # in what the attacker prints: net_reason_t

# Known weaknesses of ENet 1.3.17 (docs/enet.md) and of Quake's queries, and the rows that try them.
HAZARDS = {
    "A4 the handshake proves no address": "blind-handshake connects",
    "A5 forged CONNECTs hold slots": "connects victim-connects half-open-one half-open-ten half-open-fast",
    "A6 slots without a token; reflection": "connects blind-handshake cookies leave-half-open",
    "A7 forged DISCONNECT": "forged-disconnect strangers",
    "A8 oversize, source port 0, martians": "oversize port-zero martians framed-large",
    "A9 compressed": "compressed",
    "A10 waiting data": "stale",
    "A11 MTU of the client": "mtu",
    "A12 throttle": "throttle",  # its settings stay: tests/unit/common/net/test_enet_transport.c
    "A13 the clock steps": "clock pause",
    "A14 load": "cookies garbage messages edge-many",
    "A15 cookies": "cookies victim-cookies connects",
    "A16 bytes before the proof": "blind-handshake connects half-open-fast",
    "B5 queries": "queries",
}


class Row:
    """An attack. `act(stage, process, result)` runs beside it, in steps: a generator. `check(result)`
    returns a fault or None. The attack lasts at least `least_s`."""

    def __init__(self, name, short=True, long=True, ratio=False, visitors=1, delay_ms=0, polite=False,
                 args=(), victims=False, ports=False, proxy=False, tokens=False, act=None, check=None, least_s=0.0,
                 grows_mb=0):
        self.name, self.short, self.long = name, short, long
        self.ratio, self.visitors, self.delay_ms, self.polite = ratio, visitors, delay_ms, polite
        self.args, self.victims, self.ports = args, victims, ports
        self.tokens = tokens  # the server needs tokens
        self.proxy = proxy  # the attack stands between the visitors and the server
        self.act, self.check, self.least_s = act, check, least_s
        self.grows_mb = grows_mb  # of slots that had no player before


def largest_is_small(result):
    if result.attacker.get("largest", 0) > 1400:
        return f"a datagram of {result.attacker['largest']} bytes, at most 1400"
    return None


def chat_is_limited(result):
    # 8 peers, each 4 lines at once and then one in 1.5 s
    lines, most = result.window.chat, 8 * (4 + result.window.seconds / 1.5)
    return f"everybody reads {lines} lines, at most {most:.0f}" if lines > most else None


def step_clock(stage, process, result):
    """Steps the system clock of the server 50 times a second, by 5 s to 10 years."""
    del process
    clock = stage.server.clock
    begun = clock[1]
    try:
        for step_s in itertools.cycle((3600, -3600, 86400, 5, -5, 315360000, 0)):
            clock[0] = step_s
            yield
    finally:
        clock[0] = 0
        if clock[1] == begun:
            result.faults.append("nothing in the server has read the clock that was stepped")


def join_burst(stage, process, result):
    """Lets honest players of as many addresses join at one moment."""
    del process
    end = time.monotonic() + MAX_JOINS_S
    crowd = Players(stage.server.port, NUM_JOINS, "127.99.0.1", 60, "spread", "mixed")
    try:
        while True:
            yield
    finally:
        if not crowd.wait_joined(max(0.1, end - time.monotonic())):
            result.faults.append(f"{len(crowd.joined)} of {NUM_JOINS} are in after {MAX_JOINS_S:.0f} s; "
                                 f"lost: {crowd.why or 'none'}")
        crowd.stop()
        crowd.process.wait(10)


def fill_queues(peers):
    """Makes the server say so much that the queues of deaf peers overflow."""
    line = "say " + 250 * "x"
    lines = MAX_QUEUED_BYTES / 260
    step = max(4, 640 // NUM_PLAYERS)  # everybody receives the lines

    def say(server, count):
        for n in range(0, int(count), step):
            server.process.stdin.write(step * (line + "\n"))
            server.process.stdin.flush()
            yield

    def act(stage, process, result):
        del process
        while stage.server.ask("status").count("127.54.") < peers:
            yield
        yield from say(stage.server, 0.8 * lines)
        stage.server.ask("status")
        result.safe_ms = now_ms()
        yield
        yield from say(stage.server, 0.4 * lines)

    return act


def count_half_open(stage, process, result):
    """Notes how many connections are half-open, until the attack ends."""
    del process
    while True:
        match = re.search(r"half-open (\d+)", stage.server.ask("status"))
        result.half_open = int(match.group(1)) if match else -1
        for _ in range(3):
            yield


def none_half_open(result):
    """The players have left by now, so only a replayed CONNECT can have made one."""
    return f"{result.half_open} half-open connections at the end" if result.half_open else None


def deaf_are_dropped(peers):
    def check(result):
        dropped, at_ms = (result.attacker.get(key, 0) for key in (OVERFLOW, "first_drop_ms"))
        if dropped != peers:
            return f"{dropped} of {peers} deaf peers were dropped for their full queue"
        if not 0 < result.safe_ms <= at_ms:
            return f"a deaf peer was dropped {result.safe_ms - at_ms:.0f} ms before its queue was full"
        return None
    return check


def ban_in_the_middle(stage, process, result):
    """Bans 16 peers that are in the middle of their handshake, again and again."""
    server, seen = stage.server, ""
    try:
        while True:
            while not select.select([process.stdout], [], [], 0)[0]:
                yield
            line = process.stdout.readline()
            result.said += line
            if line.startswith("verified"):
                if line.split()[1] != "16" and process.poll() is None:
                    result.faults.append(f"peers that could start a handshake: {line.strip()} of 16")
                server.ask("ban 127.64.0.0/24 1h")
            elif line.startswith("completed"):
                seen += server.ask("status") + server.ask("peers")
                server.ask("unban 127.64.0.0/24")
            else:
                break
            process.stdin.write("\n")
            process.stdin.flush()
    except OSError:
        pass  # the attack has ended
    finally:
        if "127.64." in seen:
            result.faults.append("a banned address has joined")
        server.ask("unban 127.64.0.0/24")


def all_are_banned(result):
    came, banned = result.attacker["connected"], result.attacker.get(BANNED, 0)
    return None if came == banned >= 16 else f"{banned} of {came} banned peers received the reason"


def join_with_bad_tokens(stage, process, result):
    """60 clients try one bad token after the other, each time from a new address."""
    del process
    result.log = stage.server.log
    result.intruders = Players(stage.server.port, 60, INTRUDERS_AT, 30, "spread", "again",
                               *stage.keys.arguments(stage.keys.bad().values()))
    while True:
        yield


def nobody_came_in(result):
    """Waits until each kind was tried."""
    missing, end_s = {"-"}, time.monotonic() + 10
    while missing and time.monotonic() < end_s:
        seen = list(result.intruders.why)
        missing = {kind for kind, why in WHY.items() if not any(why in reason for reason in seen)}
        time.sleep(0.02)
    result.intruders.process.kill()
    result.intruders.process.wait()
    came = re.findall(r'join slot=.* address="127\.55\..*', result.log())
    if came or result.intruders.joined:
        return f"{len(came)} came in: {came[:3]}"
    return f"never refused: {missing}; seen {seen}" if missing else None


def count_downloads(stage, process, result):
    """Notes the server's counters of downloads, until the attack ends."""
    del process
    while True:
        found = dict(re.findall(r"^(downloads\w*|download_bytes) (\d+)", stage.server.ask("counters"), re.M))
        result.downloads = {name: int(count) for name, count in found.items()}
        for _ in range(3):
            yield


def downloads_ran(result):
    """8 peers, each at most at sv_download_rate and its burst, from a server that keeps its counters."""
    seen = result.downloads
    if seen["downloads"] < 8 or seen["download_bytes"] < 100000 or seen["downloads_refused"] < 20:
        return f"the attack hardly downloaded: {seen}"
    return None


def operate(stage, process, result):
    """The operator enters commands all the time."""
    del process
    result.answers = []
    while True:
        begun = time.monotonic()
        done = subprocess.run([CTL, "-s", stage.control, "counters"], capture_output=True, text=True, timeout=20)
        result.answers.append((time.monotonic() - begun, done.stdout + done.stderr))
        for _ in range(3):
            yield


def operator_is_answered(result):
    worst_s, _ = max(result.answers)
    if result.attacker.get("reason0"):
        return f"{result.attacker['reason0']} connections of a user without a role"
    bad = [text for _, text in result.answers if "control_" not in text]
    if bad or worst_s > 5.0:  # a busy machine starts edict-ctl late
        return f"{len(bad)} of {len(result.answers)} commands failed: {bad[:1]}; the longest took {worst_s:.2f} s"
    return None


ROWS = [
    # from senders that have proven nothing
    Row("cookies", ratio=True),
    Row("victim-cookies", ratio=True, visitors=4, victims=True),
    Row("seals", ratio=True),
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
    Row("ban-half-open", act=ban_in_the_middle, check=all_are_banned),
    Row("half-open-one", short=False, visitors=8, delay_ms=40),
    Row("half-open-ten", visitors=8, delay_ms=40),
    Row("half-open-fast", short=False, visitors=8, delay_ms=40),
    Row("idle"),
    Row("idle-many", short=False, polite=True, args=("+set", "sv_idle_s", "1")),
    Row("silent", short=False),
    Row("deaf", act=fill_queues(8), check=deaf_are_dropped(8), least_s=FILL_S),
    Row("deaf-one", short=False, act=fill_queues(1), check=deaf_are_dropped(1), least_s=FILL_S),
    Row("frozen", short=False, act=fill_queues(8), check=deaf_are_dropped(8), least_s=FILL_S),
    Row("leave-half-open", visitors=8, delay_ms=40, least_s=1.0),
    Row("churn"),
    Row("join-burst", short=False, act=join_burst, grows_mb=NUM_JOINS // 4,
        args=("+set", "sv_maxclients", str(NUM_PLAYERS + NUM_JOINS + 16), *CROWD)),
    Row("chat", check=chat_is_limited),
    Row("texts", check=chat_is_limited),
    Row("edge"),
    Row("edge-many", short=False, polite=True),
    Row("messages", polite=True),
    Row("downloads", act=count_downloads, check=downloads_ran, least_s=1.0),
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
    # from somebody who reads and writes the wire of sealed players
    Row("replay", short=False, visitors=4, proxy=True),
    Row("wire-change", visitors=4, proxy=True, least_s=1.2),
    Row("wire-forge", visitors=4, proxy=True, least_s=1.2),
    Row("wire-connect", visitors=4, proxy=True, least_s=1.2, act=count_half_open, check=none_half_open),
    # from local users
    Row("control", act=operate, check=operator_is_answered, least_s=0.8),
    # what happens without anybody's malice
    Row("clock", act=step_clock),
    Row("memory", long=False),
    # from clients with bad tokens; after "memory", because it has a server of its own
    Row("tokens", tokens=True, act=join_with_bad_tokens, check=nobody_came_in),
    Row("pause", short=False),
    Row("kill"),
    Row("sigterm"),
]
