#!/usr/bin/env python3
"""Mutation test: changes the code in small ways and checks that some test notices.

usage: mutate.py [--seed N] [--count N] [--jobs N] [--build DIR] [--list FILE] [FILE.c ...]

FILE.c: sources to change; default: all of server/physics and common/move.
Draws COUNT mutants at random (seeded), compiles each, and runs the unit and simulation tests that
can reach the changed code, nearest first, until one fails. A mutant that all tests accept has
survived: either a test is missing, or the change has no effect (write down which).
Mutants whose machine code equals the original's are skipped and not counted.
Prints one line for each survivor and, last, `N mutants, N killed, N survived`. Always exits 0 unless
the unchanged code fails its own tests.
"""
import argparse
import concurrent.futures
import os
import pathlib
import queue
import random
import re
import subprocess
import sys
import time

DEFAULT_SOURCES = ["server/physics", "common/move"]
TEST_FOLDERS = {  # folders of tests that can reach the code, nearest first
    "common/move": ["unit/common/move", "unit/common/client", "unit/server/physics", "unit/server/core", "sim"],
    "server/physics": ["unit/server/physics", "unit/server/world", "unit/server/core", "unit/server/game", "sim"],
}
ALL_FOLDERS = ["unit/common/move", "unit/server/physics", "unit/server/world", "unit/server/core",
               "unit/common/client", "unit/server/game", "sim"]
SLOWEST_S = 15.0      # tests that take longer on the unchanged code are left out
COMPILE = ["-D_GNU_SOURCE", "-DLIBBSD_OVERLAY", "-DVALIDATE=4", "-isystem", "/usr/include/bsd",
           "-isystem", "/usr/include/lua5.4", "-Iinclude", "-Icommon", "-Iserver", "-Itools", "-Itests",
           "-std=c17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-fno-common", "-fPIC",
           "-pthread", "-w"]
LIBS = ["-lenet", "-lbsd", "-lsodium", "-lxxhash", "-lzstd", "-ljansson", "-lseccomp", "-lm", "-lcmocka", "-llua5.4", "-lpng"]

REPLACEMENTS = [  # (name, pattern, replacements); replaces the pattern's first group
    ("relation", r"(?<![<>=!\-])(<=|>=|==|!=|<(?![<=])|(?<!-)>(?![>=]))(?=\s)", {
        "<": ["<=", ">="], ">": [">=", "<="], "<=": ["<", ">"], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}),
    ("logic", r"(&&|\|\|)", {"&&": ["||"], "||": ["&&"]}),
    ("arithmetic", r"(?<=[\w\])] )([+\-])(?= [\w(])", {"+": ["-"], "-": ["+"]}),
    ("factor", r"(?<=[\w\])] )(\*)(?= [\w(])", {"*": ["+"]}),
    ("constant", r"\b(\d+\.\d+f)\b", None),
    ("boolean", r"\b(true|false)\b(?=[;,)])", {"true": ["false"], "false": ["true"]}),
    ("accumulate", r"(\+=|-=)", {"+=": ["-="], "-=": ["+="]}),
]


def strip_comment(line):
    return re.sub(r"//.*$", "", line)


def constant_of(text):
    value = float(text[:-1])
    return ["1.0f"] if value == 0.0 else ["0.0f", f"{value * 2.0!r}f"]


def candidates(path):
    """Returns all mutants of a file: (path, line number from 1, kind, new line)."""
    found = []
    depth, in_macro = 0, False
    for number, raw in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        line = strip_comment(raw)
        was_macro = in_macro
        in_macro = raw.rstrip().endswith("\\")
        opened = depth
        depth += line.count("{") - line.count("}")
        skip = was_macro or line.lstrip().startswith(("#", "ASSERT", "_Static_assert", "*"))
        if opened == 0 or skip or not line.strip() or '"' in line:
            continue
        for kind, pattern, table in REPLACEMENTS:
            for match in re.finditer(pattern, line):
                token = match.group(1)
                for new in (constant_of(token) if table is None else table[token]):
                    found.append((path, number, kind, line[:match.start(1)] + new + line[match.end(1):]))
        whole = re.fullmatch(r"(\s+)(if|while) \((.*)\) \{", line)
        if whole:
            found.append((path, number, "negate", f"{whole[1]}{whole[2]} (!({whole[3]})) {{"))
        if re.fullmatch(r"\s+(\(void\))?[A-Za-z_][\w>.\-\[\]*()]*( [-+*/|&]?= .*|\(.*\));", line) or \
                re.fullmatch(r"\s+(break|continue|[\w>.\-]+\+\+);", line):
            if not re.match(r"\s+(return|const|static|goto|ASSERT)\b", line):
                found.append((path, number, "delete", re.match(r"\s+", line)[0] + ";"))
    return found


class Bench:
    """Stores the compiled tree: a shared library of all product code, and test programs linked to it."""

    def __init__(self, build, jobs):
        self.build = pathlib.Path(build)
        self.jobs = jobs
        self.lib = self.build / "libedict_all.so"
        self.objects = {}
        self.originals = {}
        self.tests = {}

    def compile(self, source, target, prefix=""):
        target.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["gcc", *COMPILE, f"-fmacro-prefix-map={prefix}=", "-c", str(source), "-o", str(target)],
                              capture_output=True, text=True)
        return done.returncode == 0

    def link_lib(self, objects, target):
        subprocess.run(["gcc", "-shared", "-pthread", *map(str, objects), "-o", str(target), *LIBS], check=True)

    def prepare(self):
        helpers = sorted(pathlib.Path("tests/lib").glob("*.c"))
        tests = [t for f in ALL_FOLDERS for t in sorted(pathlib.Path("tests", f).glob("test_*.c"))]
        tree = self.build / "obj"
        subprocess.run(["make", "-s", f"-j{self.jobs}", f"BUILD={self.build}", "OPT=-O1", "VALIDATE=4",
                        "CFLAGS=-fPIC -w", "programs", "modules",
                        *(str(self.object_of(source)) for source in helpers + tests)],
                       check=True, stdout=subprocess.DEVNULL)
        objects = [o for top in ("common", "server") for o in sorted(tree.glob(f"{top}/**/*.o"))
                   if o.name != "main.o" and "example" not in o.parts and "koth" not in o.parts]
        objects += sorted(tree.glob("*.o")) + sorted((tree / self.build).glob("*.o"))  # generated by make
        self.objects = {str(o.relative_to(tree).with_suffix(".c")): o for o in objects}
        self.link_lib(objects, self.lib)
        helper_objects = [str(self.object_of(h)) for h in helpers]

        def link(test):
            program = self.build / "bin" / test.parent.relative_to("tests") / test.stem
            program.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["gcc", "-pthread", str(self.object_of(test)), *helper_objects, "-o", str(program),
                            f"-L{self.build}", "-ledict_all", *LIBS], check=True)
            return program

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            programs = dict(zip(tests, pool.map(link, tests)))
        for test, program in programs.items():
            started = time.monotonic()
            code = self.run(program, self.build, 120)
            took = time.monotonic() - started
            if code != 0:
                print(f"left out: {program}: fails on the unchanged code", flush=True)
            elif took <= SLOWEST_S:
                self.tests[program] = took
            else:
                print(f"left out: {program}: {took:.0f} s", flush=True)

    def compile_originals(self, sources):
        """Compiles the unchanged sources as mutants are: code is compared with theirs."""
        target = self.build / "original.o"
        for source in sources:
            if not self.compile(source, target):
                sys.exit(f"mutate.py: {source} does not compile unchanged: COMPILE lacks an option of the Makefile")
            self.originals[source] = code_of(target)

    def object_of(self, source):
        return self.build / "obj" / pathlib.Path(source).with_suffix(".o")

    def run(self, program, lib_dir, limit_s):
        environment = dict(os.environ, LD_LIBRARY_PATH=str(lib_dir), EDICTD_MUTATE="1")
        try:
            return subprocess.run([str(program)], env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=limit_s).returncode
        except subprocess.TimeoutExpired:
            return -1

    def order(self, path):
        folders = TEST_FOLDERS.get("/".join(pathlib.PurePath(path).parts[:2]), ALL_FOLDERS)
        ranked = []
        stem = pathlib.PurePath(path).stem
        for program, took in self.tests.items():
            folder = str(program.parent.relative_to(self.build / "bin"))
            if folder in folders:
                near = stem in program.name or "golden" in program.name
                ranked.append((not near, folders.index(folder), took, program))
        return [(p, t) for _, _, t, p in sorted(ranked, key=lambda r: r[:3])]

    def judge(self, mutant, worker):
        """Returns the name of the test that noticed, "" for a survivor, None if it does not count."""
        path, number, _, new = mutant
        room = self.build / f"worker{worker}"
        changed = room / "src" / path
        changed.parent.mkdir(parents=True, exist_ok=True)
        lines = pathlib.Path(path).read_text().splitlines()
        lines[number - 1] = new
        changed.write_text("\n".join(lines) + "\n")
        target = room / "mutant.o"
        if not self.compile(changed, target, f"{room}/src/") or code_of(target) == self.originals[path]:
            return None
        self.link_lib([target if s == path else o for s, o in self.objects.items()], room / self.lib.name)
        for program, took in self.order(path):
            if self.run(program, room, 20 + 10 * took) != 0:
                return program.name
        return ""


def code_of(obj):
    """Returns code, data and relocations as text, without the line that names the file."""
    dump = subprocess.run(["objdump", "-d", "-s", "-r", str(obj)], capture_output=True, text=True).stdout
    return dump.split("\n", 3)[-1]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build", default="build/mutate")
    parser.add_argument("--list", help="file that receives a line for each mutant")
    parser.add_argument("sources", nargs="*")
    options = parser.parse_args()
    sources = options.sources or [str(p) for d in DEFAULT_SOURCES for p in sorted(pathlib.Path(d).glob("*.c"))]
    mutants = [m for s in sources for m in candidates(s)]
    random.Random(options.seed).shuffle(mutants)
    bench = Bench(options.build, options.jobs)
    bench.compile_originals(sources)
    bench.prepare()
    print(f"{len(mutants)} possible mutants, {len(bench.tests)} test programs", flush=True)

    workers = queue.Queue()
    for worker in range(options.jobs):
        workers.put(worker)

    def judge(mutant):
        worker = workers.get()
        try:
            return mutant, bench.judge(mutant, worker)
        finally:
            workers.put(worker)

    killed = survived = 0
    log = open(options.list, "a", encoding="utf-8") if options.list else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, verdict in pool.map(judge, mutants[:options.count]):
            path, number, kind, new = mutant
            if verdict is None:
                continue
            killed += verdict != ""
            survived += verdict == ""
            if verdict == "":
                old = pathlib.Path(path).read_text().splitlines()[number - 1].strip()
                print(f"{path}:{number}: {kind}: survived: {old}  ->  {new.strip()}", flush=True)
            if log:
                print(f"{path}:{number}: {kind}: {verdict or 'SURVIVED'}: {new.strip()}", file=log, flush=True)
    print(f"{killed + survived} mutants, {killed} killed, {survived} survived")
    return 0 if bench.tests else 1


sys.exit(main())
