#!/usr/bin/env python3
"""Runs test programs and adds up what they count.

usage: run.py [--jobs N] [--label TEXT] PROGRAM...
A program counts by its runner's closing lines (cmocka's PASSED and FAILED, or a plain
`N passed, N failed`, with `, N skipped` behind it). One that dies, hangs or counts nothing is a
failure. Prints failed programs' output whole; the totals are added to the file $EDICTD_TALLY.
"""
import argparse
import concurrent.futures
import contextlib
import os
import re
import signal
import subprocess
import sys
import time

IS_LONG = os.environ.get("EDICTD_LONG") == "1"
TIME_LIMIT_S = int(os.environ.get("EDICTD_TEST_LIMIT_S", "3600" if IS_LONG else "600"))


def count(text):
    plain = re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", text, re.M)
    if plain:
        return tuple(int(n or 0) for n in plain[-1])
    passed = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", text))
    failed = sum(int(n) for n in re.findall(r"\[  FAILED  \] (\d+) test", text))
    skipped = sum(int(n) for n in re.findall(r"\[  SKIPPED \] (\d+) test", text))
    return passed, failed, skipped


running = set()  # process groups: a test's own daemons end with it


def kill_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def be_nice(pid):
    """Gives a program that starts a session the share of the CPU that the nice value of this one asks for: where
    the kernel groups processes by session (sched_autogroup), `nice` counts within a session only."""
    if os.nice(0) > 0:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/autogroup", "w") as file:
            file.write(str(os.nice(0)))


def run(program):
    start = time.monotonic()
    try:
        process = subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
    except OSError as error:
        return program, str(error), (0, 1, 0), 0.0
    running.add(process.pid)
    be_nice(process.pid)
    try:
        output, _ = process.communicate(timeout=TIME_LIMIT_S)
        code, text = process.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        kill_group(process.pid)
        output, _ = process.communicate()
        code, text = -1, output.decode(errors="replace") + f"\nran over {TIME_LIMIT_S} s\n"
    finally:
        running.discard(process.pid)
    passed, failed, skipped = count(text)
    if code != 0 and failed == 0 or passed + failed + skipped == 0:
        failed += 1
    return program, text, (passed, failed, skipped), time.monotonic() - start


def stop(number, _frame):
    """Ends the tests on Ctrl-C, which does not reach them because they run in sessions of their own."""
    for group in list(running):
        kill_group(group)
    os._exit(128 + number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--label", default="")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    total = [0, 0, 0]
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, text, counts, seconds in pool.map(run, options.programs):
            total = [a + b for a, b in zip(total, counts)]
            word = "FAILED" if counts[1] else "ok"
            print(f"{word:6} {program} ({counts[0]} passed, {counts[1]} failed, "
                  f"{counts[2]} skipped, {seconds:.1f} s)", flush=True)
            if counts[1]:
                print(text, flush=True)
            for line in text.splitlines():
                if re.match(r"\s*(skipp?ed|SKIP)\b", line, re.I) and not counts[1]:
                    print(f"       {line.strip()}", flush=True)
    print(f"{options.label or 'tests'}: {total[0]} passed, {total[1]} failed, {total[2]} skipped")
    tally = os.environ.get("EDICTD_TALLY")
    if tally:
        with open(tally, "a") as out:
            out.write(f"{total[0]} {total[1]} {total[2]}\n")
    return 1 if total[1] else 0


sys.exit(main())
