#!/usr/bin/env python3
"""make lint: the rules of the house that a machine can check. Run from the repository's root.

usage: lint.py [--build DIR] [--no-tidy]
Prints one line per fault as file:line: rule: what, and ends with `N faults`; exit status 1 if any.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

import files
import rooms
import totals
import words

# A folder is a floor; a file includes its own folder and lower floors, never a sibling of the same
# number. `sees` narrows it further: the only other folders that may be included.
FLOORS = {
    "include/types": -1, "common/base": 0, "common/math": 1, "common/state": 2, "common/net": 2, "common/collide": 3,
    "common/collide/hull": 3, "common/collide/brush": 3, "common/collide/mesh": 3,
    "common/move": 3, "common/proto": 3, "common/model": 4, "common/bsp": 5, "common/client": 6,
    "server/world": 6, "server/physics": 7, "server/core": 8, "server/ops": 9, "server/game": 9,
    "server/app": 10,
}
# Rooms are folders on the floor of the folder around them: they include that folder and are included
# by it, never by one another.
ROOMS = {"common/collide/hull", "common/collide/brush", "common/collide/mesh"}
HIDDEN = {  # floor order alone would allow these
    "server/world": {"common/proto", "common/net", "common/client"},
    "server/physics": {"common/proto", "common/net", "common/client"},
    "server/core": {"common/client"},
    "server/ops": {"common/client", "server/game"},
    "server/app": {"common/client"},
    "common/collide": {"common/net"}, "common/move": {"common/net"}, "common/proto": {"common/net"},
    "common/model": {"common/net", "common/move", "common/proto"},
    "common/bsp": {"common/net", "common/move", "common/proto"},
}
# Headers of include/ as if in these folders.
PUBLIC = {"include/edict/types.h": "include/types", "include/edict/client.h": "common/client"}
# edict-bot plays by the client library alone.
BOT_SEES = ("base/", "math/", "bot/", "ctl/", "edict/")
GAME_SEES = {"core/game_api.h"}  # and common/base, math, state
# Headers whose fields only these folders may see, by any chain of includes.
PRIVATE = {"common/collide/cmap.h": ("common/collide/", "common/bsp/", "tests/")}
MAX_FUNCTION_LINES = 70
MAX_PARAMETERS = 6
CLASSIC_SIGNATURES = {"SV_Move", "SV_MoveUnlagged", "CM_BoxTrace", "Import_Trace",
                      "Import_TraceUnlagged"}  # the field's own, plus a context
PROCESS_WIDE = {"enet_memory.o", "enet_seam.o"}  # callbacks of ENet that carry no context
MAX_FILE_LINES = 600
CHECK_FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-DLIBBSD_OVERLAY", "-DVALIDATE=0", "-isystem",
               "/usr/include/bsd", "-isystem", "/usr/include/lua5.4", "-Icommon", "-Iserver",
               "-Itools", "-Itests", "-Iinclude"]


def sources(*suffixes):
    return [path for path in files.listed() if path.endswith(suffixes)]


def folder_of(path):
    parts = pathlib.PurePath(path).parts
    room = "/".join(parts[:3])
    if room in ROOMS:
        return room
    return PUBLIC.get(path) or ("/".join(parts[:2]) if len(parts) > 2 else None)


def resolve(include):
    for root in ("common", "server", "tools", "include"):
        if pathlib.Path(root, include).exists():
            return f"{root}/{include}"
    return None


def check_json(fault):
    """Level editors say no more than that a configuration is wrong."""
    for path in sources(".json", ".cfg"):
        if path.endswith(".json") or path.startswith("maps/trenchbroom/"):
            try:
                json.loads(pathlib.Path(path).read_text())
            except ValueError as error:
                fault(path, getattr(error, "lineno", 1), "json", str(error))


def check_shell(fault):
    for path in sources(".sh"):
        shell = "bash" if "bash" in pathlib.Path(path).read_text().split("\n", 1)[0] else "sh"
        code, text = run([shell, "-n", path])
        if code != 0:
            fault(path, 1, "shell", text.splitlines()[0])


def check_version(fault):
    """tests/protocol/join.py joins with the version of the page."""
    page = pathlib.Path("common/proto/README.md").read_text().splitlines()[0]
    header = pathlib.Path("common/proto/control.h").read_text()
    version = re.search(r"^#define PROTO_VERSION (\d+)$", header, re.M)
    if not version or page != f"# The protocol, version {version[1]}":
        fault("common/proto/README.md", 1, "version", "differs from PROTO_VERSION of control.h")


def check_floors(path, text, fault):
    here = folder_of(path)
    if here not in FLOORS:
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        target = match and resolve(match.group(1))
        if match and not target:
            fault(path, number, "floors", f'"{match.group(1)}" is not below common/ or server/')
        if not target:
            continue
        there = folder_of(target)
        if there == here or there is None:
            continue
        around = str(pathlib.PurePath(here).parent) if here in ROOMS else here
        ok = there in FLOORS and FLOORS[there] < FLOORS[here] and \
            there not in HIDDEN.get(around, set())
        if here in ROOMS or there in ROOMS:
            ok = ok or there == around or pathlib.PurePath(there).parent.as_posix() == here
        if here == "server/game":
            ok = match.group(1) in GAME_SEES or there in ("common/base", "common/math",
                                                          "common/state")
        if not ok:
            fault(path, number, "floors", f"{here} may not include {target}")


def check_bot(path, text, fault):
    if not path.startswith("tools/bot/"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'#include "([^"]+)"', line)
        if match and not match.group(1).startswith(BOT_SEES):
            fault(path, number, "bot", f'may not include "{match.group(1)}": edict/client.h is for it')


def check_private(path, fault):
    for header in PRIVATE.keys() & totals.own_headers(path):
        if not path.startswith(PRIVATE[header]):
            fault(path, 1, "private", f"must not include {header}, directly or not: it is for "
                                      f"{', '.join(PRIVATE[header])} only")


def check_sizes(path, text, fault):
    lines = text.splitlines()
    if len(lines) > MAX_FILE_LINES:
        fault(path, len(lines), "size", f"{len(lines)} lines, at most {MAX_FILE_LINES}")
    start = None
    for number, line in enumerate(lines, 1):
        if len(line) > 100:
            fault(path, number, "size", f"{len(line)} columns, at most 100")
        if re.match(r"[A-Za-z_].*[^;]\{$", line) and "(" in "".join(lines[max(0, number - 4):number]) \
                and not re.match(r"(typedef|struct|enum|union|static const|const)\b", line):
            start = number
        elif line == "}" and start:
            if number - start + 1 > MAX_FUNCTION_LINES:
                fault(path, start, "size",
                      f"function of {number - start + 1} lines, at most {MAX_FUNCTION_LINES}")
            start = None
    for match in re.finditer(r"^[A-Za-z_][\w \*]*?\b(\w+)\(([^;{}()]*)\)\s*\{", text, re.M):
        if match.group(2).count(",") + 1 > MAX_PARAMETERS and \
                match.group(1) not in CLASSIC_SIGNATURES:
            fault(path, text[:match.start()].count("\n") + 1, "size",
                  f"{match.group(1)} has more than {MAX_PARAMETERS} parameters")


def check_words(path, text, fault):
    if path.startswith("tests/"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line):
            fault(path, number, "words", "unfinished work has an issue, not a comment")
        if re.search(r"\b(strcpy|strcat|sprintf|gets|atoi|atof|strtok)\s*\(", line):
            fault(path, number, "words", "unbounded or unchecked libc function")
        if path.startswith(("common/state", "common/math", "common/move", "common/collide",
                            "server/world", "server/physics", "server/core", "server/game")) and \
                re.search(r"(?<![>.])\b(sinf?|cosf?|tanf?|powf?|expf?|logf?|atan2f?|fmodf?|rand|time)\s*\(",
                          line) and "///" not in line and "//" not in line:
            fault(path, number, "words", "not bit-identical everywhere: use math/ and rng.h")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).strip()


def check_header_alone(path):
    code, text = run(["gcc", *CHECK_FLAGS, "-Wall", "-Wextra", "-fsyntax-only", "-x", "c", path])
    return [] if code == 0 else [(path, 1, "alone", text.splitlines()[0])]


def check_format(paths):
    """Many files a call: starting clang-format takes longer than what it does."""
    code, text = run(["clang-format", "--dry-run", "-Werror", *paths])
    first = {}
    for path, number in re.findall(r"^([^:\s]+):(\d+):\d+: error", text, re.M):
        first.setdefault(path, int(number))
    if code != 0 and not first:
        return [(paths[0], 1, "format", text.splitlines()[0] if text else "clang-format failed")]
    return [(path, number, "format", "clang-format disagrees") for path, number in first.items()]


def check_tidy(path):
    code, text = run(["clang-tidy", "--quiet", path, "--", *CHECK_FLAGS])
    found = [line for line in text.splitlines() if re.search(r": (error|warning):", line)]
    return [] if code == 0 and not found else \
        [(path, 1, "tidy", line) for line in (found or text.splitlines())[:8]]


def check_writable_symbols(build):
    """No mutable globals: objects of common/ and server/ (but main.c) have no data, no bss; nor have
    those of game modules (pic/): what a game remembers outside of the world block is lost by a
    reload, and no replay knows of it."""
    faults = []
    objects = [o for floor in ("common", "server") for top in ("obj", "pic")
               for o in pathlib.Path(build, top, floor).glob("*/**/*.o")]
    checked = sorted(str(o) for o in objects if o.name not in PROCESS_WIDE)
    for line in run(["nm", "-A", *checked])[1].splitlines() if checked else []:
        obj, _, symbol = line.partition(":")
        kind, name = (["", ""] + symbol.split())[-2:]
        if kind in set("bBdDC") and ".rel.ro" not in name:
            faults.append((obj, 1, "globals", name))
    return faults


def is_relro(obj, name):
    """Const tables of pointers land in .data.rel.ro and are written by the loader only."""
    text = run(["objdump", "-t", obj])[1]
    return any(name == l.split()[-1] and ".data.rel.ro" in l for l in text.splitlines() if l.split())


def check_man_pages(build):
    pages = sorted(str(path) for path in pathlib.Path(build, "man").glob("*.[158]"))
    if not pages or not shutil.which("mandoc"):
        return []
    out = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True,
                         text=True, check=False).stdout
    return [(*re.match(r"mandoc: (\S+?):(\d+)", line).groups(), "man", line.split(": ", 2)[2])
            for line in out.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--no-tidy", action="store_true")
    options = parser.parse_args()
    faults = []
    c_files, h_files = sources(".c"), sources(".h")
    every = c_files + h_files
    for path in every:
        text = pathlib.Path(path).read_text()
        fault = lambda *what: faults.append(what)
        check_floors(path, text, fault)
        check_bot(path, text, fault)
        check_private(path, fault)
        check_sizes(path, text, fault)
        check_words(path, text, fault)
    for path in sources(".cpp"):
        check_sizes(path, pathlib.Path(path).read_text(), lambda *what: faults.append(what))
    check_json(lambda *what: faults.append(what))
    check_shell(lambda *what: faults.append(what))
    check_version(lambda *what: faults.append(what))
    jobs = [(check_header_alone, h) for h in h_files]
    jobs += [(check_format, every[i:i + 50]) for i in range(0, len(every), 50)]
    if not options.no_tidy:
        jobs += [(check_tidy, c) for c in c_files if not c.startswith("tests/")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda job: job[0](job[1]), jobs):
            faults += found
    faults += [f for f in check_writable_symbols(options.build) if not is_relro(f[0], f[3])]
    faults += check_man_pages(options.build)
    for path in words.texts([]):
        words.check_file(path, lambda *what: faults.append(what))
    rooms.check_circles(options.build, lambda *what: faults.append(what))
    totals.print_table()
    for path, number, rule, what in faults:
        print(f"{path}:{number}: {rule}: {what}")
    print(f"lint: {len(c_files)} sources, {len(h_files)} headers, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
