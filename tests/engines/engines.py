#!/usr/bin/env python3
"""Loads every compiled map in mvdsv and in darkplaces. Fails on any line of theirs that reports a
fault, and if darkplaces draws another picture than `edict-probe view` from the same place.

usage: engines.py [MAP]...     (default: all of BUILD/maps, and arena as BSP2 and BSP30)
Environment: BUILD (default build); KEEP=DIR keeps the pictures there.
Engines whose Debian package is not installed are skipped. Ends with `N passed, N failed, N skipped`.
"""
import collections
import glob
import math
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import zlib

import progs

BUILD = os.environ.get("BUILD", "build")
LIMIT_S = 180  # for one engine and one map; they take about 3
WIDTH, HEIGHT = 640, 480
FAULT = re.compile(r"error|warning|invalid|bad |corrupt|funny|missing|unsupported|unknown|exceed|overflow|"
                   r"can't|couldn't|failed|not found|no such|is not a field|no spawn function|Mod_|Host_", re.I)
# Lines about data of the original game, which is not there; and about triggers, which have no faces.
EXPECTED = re.compile(r"couldn't exec (quake|default|config|autoexec|server)\.|couldn't load gfx/|"
                      r"init SDL joystick|^failed\.$|empty submodel", re.I)
LUMP_ENTITIES, LUMP_PLANES, LUMP_FACES = 0, 1, 7


def entities_of(bsp):
    start, size = struct.unpack_from("<2I", bsp, 4 + 8 * LUMP_ENTITIES)
    text = bsp[start:start + size].rstrip(b"\0").decode(errors="replace")
    return [dict(re.findall(r'"([^"]*)"\s+"([^"]*)"', block)) for block in re.findall(r"\{([^{}]*)\}", text)]


def camera_of(entities):
    """Returns the eye and yaw of the first player start."""
    for entity in entities:
        if entity.get("classname", "").startswith("info_player"):
            x, y, z = (float(word) for word in entity["origin"].split())
            return (x, y, z + 22), float(entity.get("angle", 0)) + 20
    return (0, 0, 0), 0


def faults_in(output):
    lines = [re.sub(r"\x1b\[[\d;]*m|^\[[\d -:]*\] ", "", line).strip() for line in output.splitlines()]
    return [line for line in lines if FAULT.search(line) and not EXPECTED.search(line)]


def run(command, folder, text="", **environment):
    """Runs an engine. Returns its output and faults."""
    try:
        done = subprocess.run(command, cwd=folder, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT_S, encoding="utf-8", errors="replace", env={**os.environ, **environment})
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace"), [f"did not end within {LIMIT_S} s"]
    status = [f"exit status {done.returncode}"] if done.returncode != 0 else []
    return done.stdout, faults_in(done.stdout) + status


def base_folder(work, name, bsp, game):
    """Makes the data folder of an engine with one map."""
    folder = os.path.join(work, "base")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(f"{folder}/id1/maps")
    os.makedirs(f"{folder}/user")
    with open(f"{folder}/id1/maps/{name}.bsp", "wb") as file:
        file.write(bsp)
    with open(f"{folder}/id1/pak0.pak", "wb") as file:
        file.write(b"PACK" + struct.pack("<2i", 12, 0))  # without files; mvdsv looks for one
    with open(f"{folder}/id1/{'qwprogs.dat' if game[1] else 'progs.dat'}", "wb") as file:
        file.write(game[0])
    return folder


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def try_mvdsv(program, work, _path, name, bsp):
    entities = entities_of(bsp)
    game = progs.make("quakeworld", entities, (0, 0, 0), 0, "")
    folder = base_folder(work, name, bsp, (game, True))
    output, faults = run([program, "-basedir", folder, "-ip", "127.0.0.1", "-port", free_port(), "+map", name],
                         folder, "serverinfo\nquit\n")
    if not re.search(r"^\S+ \S+\] map +\n\S+ \S+\] " + re.escape(name) + "$", output, re.M):
        faults.append(f'expected "map {name}" in its serverinfo')
    return faults


# ---- pictures ----

def read_tga(path):
    with open(path, "rb") as file:
        data = file.read()
    width, height, bits = struct.unpack_from("<2HB", data, 12)
    assert (data[2], width, height, bits) == (2, WIDTH, HEIGHT, 24), f"{path}: not the picture that was ordered"
    rows = [data[18 + 3 * width * y:18 + 3 * width * (y + 1)] for y in range(height)]
    return [tuple(row[x + 2 - k] for k in range(3)) for row in reversed(rows) for x in range(0, 3 * width, 3)]


def read_png(path):
    """Reads a PNG of 8 bits RGB without interlace."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    raw, stride, pixels, above = zlib.decompress(packed), 3 * WIDTH, [], bytearray(3 * WIDTH)
    for y in range(HEIGHT):
        mode, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left, up, corner = (row[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda value: abs(guess - value))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[mode]) & 255
        pixels += [tuple(row[i:i + 3]) for i in range(0, stride, 3)]
        above = row
    return pixels


def agreement(theirs, ours):
    """Returns which share of the pixels has the same surface in both pictures. darkplaces draws each
    plain texture in one colour; edict-probe shades it, which keeps the hue."""
    groups = collections.defaultdict(list)
    for colour, (r, g, b) in zip(theirs, ours):
        r, g, b = r * r, g * g, b * b
        total = r + g + b + 1
        groups[colour].append((r / total, g / total))
    same = 0
    for hues in groups.values():
        middle = [sorted(values)[len(hues) // 2] for values in zip(*hues)]
        same += sum(abs(hue[0] - middle[0]) + abs(hue[1] - middle[1]) < 0.06 for hue in hues)
    return same / len(ours), max(len(hues) for hues in groups.values()) / len(ours)


def try_darkplaces(program, work, path, name, bsp, display):
    entities = entities_of(bsp)
    eye, yaw = camera_of(entities)
    game = progs.make("quake", entities, eye, yaw, "wait;" * 20 + "screenshot ours.tga;wait;quit\n")
    folder = base_folder(work, name, bsp, (game, False))
    settings = {"net_address_ipv6": "::1", "vid_fullscreen": "0", "vid_width": str(WIDTH), "vid_height": str(HEIGHT),
                "r_fullbright": "1", "crosshair": "0", "viewsize": "120", "con_notifytime": "0", "scr_conbrightness": "0",
                "fov": "90", "scr_screenshot_jpeg": "0", "scr_screenshot_png": "0"}
    output, faults = run([program, "-basedir", folder, "-userdir", f"{folder}/user", "-ip", "127.0.0.1", "-nosound",
                          *(word for pair in settings.items() for word in (f"+{pair[0]}", pair[1])), "+map", name],
                         folder, DISPLAY=display)
    pictures = glob.glob(f"{folder}/user/id1/**/*.tga", recursive=True)
    if not pictures:
        return faults + ["took no picture: " + " | ".join(output.splitlines()[-4:])]
    ours = f"{folder}/ours.png"
    angle = math.radians(yaw)
    at = (eye[0] + 100 * math.cos(angle), eye[1] + 100 * math.sin(angle), eye[2])
    subprocess.run([f"{BUILD}/edict-probe", "view", path, "--eye", *map(str, eye), "--at",
                    *map(str, at), "--fov", "90", "--size", str(WIDTH), str(HEIGHT), "-o", ours], check=True)
    if os.environ.get("KEEP"):
        os.makedirs(os.environ["KEEP"], exist_ok=True)
        shutil.copy(pictures[0], f"{os.environ['KEEP']}/{name}.tga")
        shutil.copy(ours, f"{os.environ['KEEP']}/{name}.png")
    share, largest = agreement(read_tga(pictures[0]), read_png(ours))
    print(f"# {name}: {100 * share:.1f} % of the pixels agree, {100 * largest:.0f} % in one colour")
    return faults + ([f"only {100 * share:.1f} % of the picture agrees with edict-probe view"] if share < 0.9 else [])


# ---- all maps ----

def broken(bsp, lump):
    """Returns the map with a lump that ends within a record."""
    at = 8 + 8 * lump
    size = struct.unpack_from("<I", bsp, at)[0]
    return bsp[:at] + struct.pack("<I", size - 3) + bsp[at + 4:]


def other_formats(work):
    """Compiles a map as BSP2 and as BSP30."""
    paths = [f"{work}/arena_bsp2.bsp", f"{work}/arena_hl.bsp"]
    for path, option in zip(paths, ("--bsp2", "--hl")):
        subprocess.run([f"{BUILD}/edict-mapc", "-q", option, "maps/arena.map", "-o", path], check=True)
    return paths


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/games")


class Display:
    """An X server without a screen, on a free number, that ends with the `with` block."""

    def __enter__(self):
        self.process = subprocess.Popen([find("Xvfb"), "-displayfd", "1", "-screen", "0", f"{WIDTH}x{HEIGHT}x24",
                                         "-nolisten", "tcp"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return ":" + self.process.stdout.readline().decode().strip()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def try_maps(label, paths, attempt, lump):
    """Calls attempt(path, name, bytes) for each map, and for one with a broken lump, which must be refused."""
    passed = failed = 0
    for path in paths:
        name = os.path.basename(path).removesuffix(".bsp")
        with open(path, "rb") as file:
            faults = attempt(path, name, file.read())
        print(f"{'not ok' if faults else 'ok'} {label} {name}", *faults[:8], sep="\n  ", flush=True)
        passed, failed = passed + (not faults), failed + bool(faults)
    with open(paths[0], "rb") as file:
        faults = attempt(paths[0], "broken", broken(file.read(), lump))
    print(f"{'ok' if faults else 'not ok'} {label} refuses a broken map: {(faults or ['no fault'])[0]}")
    return passed + bool(faults), failed + (not faults)


def main():
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="edictd-engines.") as work:
        paths = sys.argv[1:] or sorted(glob.glob(f"{BUILD}/maps/*.bsp")) + other_formats(work)
        for label in ("mvdsv", "darkplaces"):
            program, screen = find(label), find("Xvfb")
            if not program or (label == "darkplaces" and not screen):
                print(f"SKIPPED: {label}: {'Xvfb' if program else label} is not installed (tools/deps.sh engines)")
                skipped += 1
                continue
            if label == "mvdsv":
                counts = try_maps(label, paths, lambda *map: try_mvdsv(program, work, *map), LUMP_PLANES)
            else:
                with Display() as display:
                    counts = try_maps(label, paths, lambda *map: try_darkplaces(program, work, *map, display),
                                      LUMP_FACES)
            passed, failed = passed + counts[0], failed + counts[1]
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
