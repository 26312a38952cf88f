#!/usr/bin/env python3
"""Measures the real daemon on one core under the clients of edict-bot --load on another.

usage: load.py [CASE]...     city-N, hall-N, rooms, peers; default: all below
Prints CSV lines bench,case,value,unit,peer,peer_value, as the other benches do.
Environment: BUILD (build), SECONDS_MEASURED (35), ROUNDS (3, of comparisons), MAP (for peers),
QWLOAD (folder of a QuakeWorld load client and its load.cfg; needs the packages mvdsv and ktx),
REALTIME=1 (server and clients go before all other programs of a busy machine).
"""
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("BUILD", "build")
SECONDS = int(os.environ.get("SECONDS_MEASURED", 35))
ROUNDS = int(os.environ.get("ROUNDS", 3))
QWLOAD = os.environ.get("QWLOAD", "")
KTX = "/usr/lib/quakeworld/ktx/qwprogs.so"
MAP = os.environ.get("MAP", "../shared/data/bsp/lqdm12.bsp")
FRONT = ["chrt", "-f", "20"] if os.environ.get("REALTIME") else []
CASES = ["city-32", "city-128", "city-512", "city-1000", "city_8-1000", "hall-1000", "rooms", "peers"]
HZ = os.sysconf("SC_CLK_TCK")
os.environ.setdefault("EDICTD_USER", "root")  # as root: the folder of the socket is private


def on_core(core, *command):
    """Returns a command that runs on a core of its own, if there are two."""
    return [*FRONT, "taskset", "-c", str(core % os.cpu_count()), *map(str, command)]


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / HZ


def resident_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024


def row(case, name, value, unit, peer="", peer_value=""):
    print(f"load,{case} {name},{value:.4g},{unit},{peer},{peer_value}", flush=True)


@contextlib.contextmanager
def running(command, **options):
    process = subprocess.Popen(command, text=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


class Result:
    """Figures of one run: of the clients by name, the server's CPU in % of a core."""

    def __init__(self):
        self.load, self.cpu, self.mib, self.status = {}, 0.0, 0.0, ""


def run(map_file, clients, *settings, load=(), seconds=SECONDS):
    """Runs a server with clients and returns a Result."""
    result = Result()
    with tempfile.TemporaryDirectory() as work, contextlib.ExitStack() as stack:
        control, log = f"{work}/control", stack.enter_context(open(f"{work}/log", "w+", encoding="utf-8"))
        server = stack.enter_context(running(on_core(
            0, f"{BUILD}/edictd", "-p", 0, "+set", "net_control", control, "+set", "sv_maxclients", clients,
            "+set", "sv_proxies", "127.0.0.0/8", *settings, "+map", map_file), stdout=subprocess.PIPE, stderr=log))
        line = server.stdout.readline()
        port = re.search(r"listening on \S+:(\d+),", line)
        if not port:
            log.seek(0)
            sys.exit(f"load.py: edictd did not start: {line}{log.read()}")
        bots = stack.enter_context(running(on_core(
            1, f"{BUILD}/edict-bot", "-c", f"127.0.0.1:{port.group(1)}", "--load", clients, "--seconds", seconds,
            *load), stdout=subprocess.PIPE))
        for line in bots.stdout:
            if "time to join" in line:  # the measurement begins
                before, began = cpu_s(server.pid), time.monotonic()
                time.sleep(seconds - 0.5)
                result.cpu = 100 * (cpu_s(server.pid) - before) / (time.monotonic() - began)
                result.mib = resident_mib(server.pid)
                result.status = subprocess.run([f"{BUILD}/edict-ctl", "-s", control, "status; counters"], text=True,
                                               stdout=subprocess.PIPE, check=False).stdout
            name, value = line.split(",")[1:3]
            result.load[name] = float(value)
        if bots.wait() != 0:
            print(f"load.py: {clients} clients on {map_file}: edict-bot ended with {bots.returncode}", file=sys.stderr)
        if not result.status:
            sys.exit("load.py: nothing was measured")
    return result


def number(text, pattern):
    found = re.search(pattern, text)
    return float(found.group(1)) if found else None


def report(case, clients, hz, result):
    load, status = result.load, result.status
    row(case, "clients in", load["clients in"], "")
    row(case, "time to join", load["time to join"], "s")
    for name in ("p50", "p99", "max"):
        row(case, f"tick {name}", number(status, rf"tick time ms:.*?{name} ([\d.]+)"), "ms")
    row(case, "ticks skipped", number(status, r"skipped (\d+)"), "")
    row(case, "CPU", result.cpu, "% of a core")
    row(case, "CPU per client", result.cpu / clients, "% of a core")
    row(case, "resident", result.mib, "MiB")
    for name, unit in (("sent", "B/s per client"), ("received", "B/s per client"), ("snapshots", "1/s per client"),
                       ("snapshots of the last client", "1/s"), ("bytes of a snapshot", "B"),
                       ("entities of a snapshot", ""), ("commands", "1/s per client")):
        row(case, f"clients: {name}", load[name], unit)
    for name in ("p50", "p99", "p99.9", "max"):
        late = load[f"interval {name}"] - 1000 / hz
        row(case, f"spacing {name} less {1000 / hz:.0f} ms", late, "ms", "bare timer", load[f"timer lateness {name}"])
    row(case, "own delay of the clients p99.9", load["own delay p99.9"], "ms")
    wait = number(status, r"longest_wait_ms (\d+)")
    if wait is not None:
        row(case, "longest wait of an entity", wait, "ms")
    row(case, "clients' CPU", load["CPU"], "% of a core")
    row(case, "clients lost", load["clients lost"], "")
    row(case, "decode errors", load["decode errors"], "")


def measure(name, clients):
    ticks = 3 if clients >= 128 else 1
    report(f"{name} {clients}", clients, 62.5 / ticks,
           run(f"{BUILD}/crowd/{name}.bsp", clients, "+set", "sv_snapshot_ticks", ticks,
               load=("--join-seconds", max(1, clients // 100))))


def rooms():
    """Prints the cost per client of four rooms that cannot see each other, against one."""
    one, four = [], []
    for _ in range(ROUNDS):
        one.append(run(f"{BUILD}/crowd/rooms_1.bsp", 64, seconds=10).cpu / 64)
        four.append(run(f"{BUILD}/crowd/rooms_4.bsp", 256, seconds=10).cpu / 256)
    row("four rooms of 64", "CPU per client", statistics.median(four), "% of a core", "one room",
        f"{statistics.median(one):.4g}")
    row("four rooms of 64", "CPU per client", statistics.median(f / o for f, o in zip(four, one)), "of one room's")


# ---- peers ----

def echo_cpu(clients, seconds):
    """Returns the CPU of a bare ENet echo, % of a core per client."""
    program = f"{BUILD}/tests/bench/echo"
    with running(on_core(0, program, "serve"), stdout=subprocess.PIPE) as server:
        port = server.stdout.readline().strip()
        with running(on_core(1, program, "load", port, clients, seconds + 2), stdout=subprocess.DEVNULL):
            time.sleep(1)
            before, began = cpu_s(server.pid), time.monotonic()
            time.sleep(seconds)
            return 100 * (cpu_s(server.pid) - before) / (time.monotonic() - began) / clients


def mvdsv_folder(work):
    """Makes a game folder of mvdsv with ktx."""
    os.makedirs(f"{work}/id1/maps")
    os.makedirs(f"{work}/qw")
    shutil.copy(MAP, f"{work}/id1/maps/dm3.bsp")
    with open(f"{work}/id1/pak0.pak", "wb") as file:
        file.write(b"PACK\x0c\0\0\0\0\0\0\0")
    shutil.copytree("/usr/share/games/quake/ktx", f"{work}/ktx", symlinks=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(f"{work}/ktx/qwprogs.so")
    shutil.copy(KTX, f"{work}/ktx/qwprogs.so")
    shutil.copy(f"{QWLOAD}/load.cfg", f"{work}/ktx/load.cfg")
    for name, text in (("server.cfg", "exec mvdsv.cfg\nexec ktx.cfg\nexec load.cfg\n"),
                       ("configs/usermodes/ffa/default.cfg", "set k_mode 3\ntimelimit 0\nmaxclients 32\n")):
        path = f"{work}/ktx/{name}"
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)


def mvdsv_cpu(clients, seconds):
    """Returns the CPU of mvdsv, % of a core per client."""
    port = 27590 + os.getpid() % 64
    with tempfile.TemporaryDirectory() as work:
        mvdsv_folder(work)
        with running(on_core(0, "/usr/games/mvdsv", "-basedir", work, "-game", "ktx", "-ip", "127.0.0.1", "-port", port,
                             "+exec", "load.cfg", "+map", "dm3"),
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=work) as server:
            time.sleep(2)
            done = subprocess.run(on_core(1, f"{QWLOAD}/qwload", "-n", clients, "-z", 62.5, "-t", seconds, "-s", 3, "-f",
                                          0.4, "-p", port, "-P", server.pid), text=True, stdout=subprocess.PIPE, check=False)
            found = re.search(r"server cpu\D*([\d.]+) ?%", done.stdout)
            if not found:
                print(f"load.py: qwload: {done.stdout[-500:]}", file=sys.stderr)
            return float(found.group(1)) / clients if found else None


def peers():
    """Compares with mvdsv and a bare echo; all take turns."""
    has_mvdsv = QWLOAD and os.path.exists(f"{QWLOAD}/qwload") and os.path.exists(KTX)
    if not has_mvdsv:
        print("load.py: without mvdsv: set QWLOAD to the folder of qwload, install mvdsv and ktx", file=sys.stderr)
    map_file = MAP if os.path.exists(MAP) else f"{BUILD}/maps/arena.bsp"
    for clients in (24, 32):
        costs = {"plain": [], "sealed": [], "mvdsv": [], "echo": []}
        for _ in range(ROUNDS):
            costs["plain"].append(run(map_file, clients, load=["--no-seal"], seconds=10).cpu / clients)
            costs["mvdsv"].append(mvdsv_cpu(clients, 10) if has_mvdsv else None)
            costs["sealed"].append(run(map_file, clients, seconds=10).cpu / clients)
            costs["echo"].append(echo_cpu(clients, 10))
        for peer in ("mvdsv", "echo"):
            for seal in ("plain", "sealed"):
                pairs = [(a, b) for a, b in zip(costs[seal], costs[peer]) if b]
                if pairs:
                    row(f"peers {clients} {seal}", "CPU per client", statistics.median(a for a, _ in pairs),
                        "% of a core", peer, f"{statistics.median(b for _, b in pairs):.4g}")
                    row(f"peers {clients} {seal}", f"CPU per client of {peer}'s",
                        statistics.median(a / b for a, b in pairs), "times")


def main():
    for case in sys.argv[1:] or CASES:
        name, _, clients = case.partition("-")
        if clients:
            measure(name, int(clients))
        elif name in ("rooms", "peers"):
            globals()[name]()
        else:
            sys.exit(f"load.py: case {case}: expected city-N, hall-N, rooms or peers")


main()
