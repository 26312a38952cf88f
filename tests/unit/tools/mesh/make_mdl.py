#!/usr/bin/env python3
"""make_mdl.py DIR: writes small studio models of Half-Life byte by byte, and the poses of their bones.

The layout is the published one (github.com/malortie/assimp/wiki/MDL:-Half-Life-1-file-format). The poses in
DIR/poses.txt are products of 4 x 4 matrices, computed here without the reader's quaternions and extra bones.
"""
import math
import struct
import sys
from pathlib import Path

X, Y, Z, XR, YR, ZR = range(6)
PLACE, ANGLE = 1 / 64, 1 / 4096  # scales of the numbers in animations
LOOPS = 1


class Bone:
    def __init__(self, name, parent, value):
        self.name, self.parent, self.value = name, parent, value
        self.controllers = [-1] * 6


class Sequence:
    """blends: for each blend {(bone, channel): a number for each frame}; group > 0: in another file."""

    def __init__(self, label, frames, blends, fps=25.0, flags=0, motion=(0, 0), group=0, limits=(0.0, 0.0)):
        self.label, self.frames, self.blends, self.fps, self.flags = label, frames, blends, fps, flags
        self.motion, self.group, self.limits = motion, group, limits


class Model:
    def __init__(self, bones, controllers=(), boxes=(), sequences=(), groups=1):
        self.bones, self.boxes, self.sequences, self.groups = bones, boxes, sequences, groups
        self.controllers = controllers  # (bone, channel, start, end, number)
        for number, (bone, channel, *_) in enumerate(controllers):
            bones[bone].controllers[channel] = number


def spans(numbers):
    """Run-length codes a channel: up to three numbers, then repeats of the last one."""
    out, i = b"", 0
    while i < len(numbers):
        valid = min(3, len(numbers) - i)
        total = valid
        while i + total < len(numbers) and numbers[i + total] == numbers[i + valid - 1] and total < 255:
            total += 1
        out += struct.pack("<BB%dh" % valid, valid, total, *numbers[i : i + valid])
        i += total
    return out


def animation(model, blend):
    """The tracks of all bones in one blend, and their spans after `room` bytes."""
    return [[spans(blend[b, c]) if (b, c) in blend else None for c in range(6)] for b in range(len(model.bones))]


def text(value, size):
    return value.encode().ljust(size, b"\0")


def write(model):
    at = {"bones": 244}
    body = b"".join(
        text(b.name, 32)
        + struct.pack("<2i6i6f6f", b.parent, 0, *b.controllers, *b.value, *[PLACE] * 3, *[ANGLE] * 3)
        for b in model.bones
    )
    at["controllers"] = 244 + len(body)
    for bone, channel, start, end, number in model.controllers:
        body += struct.pack("<2i2f2i", bone, 1 << channel, start, end, 0, number)
    at["boxes"] = 244 + len(body)
    for bone, group, mins, maxs in model.boxes:
        body += struct.pack("<2i6f", bone, group, *mins, *maxs)
    at["sequences"] = 244 + len(body)
    places = []
    data = b""
    start = at["sequences"] + 176 * len(model.sequences) + 104 * model.groups
    for sequence in model.sequences:
        places.append(start + len(data))
        tracks = [t for blend in sequence.blends for t in animation(model, blend)]
        room = 12 * len(tracks)
        head, tail = b"", b""
        for number, track in enumerate(tracks):
            offsets = []
            for channel in track:
                offsets.append(room - 12 * number + len(tail) if channel else 0)
                tail += channel or b""
            head += struct.pack("<6H", *offsets)
        data += head + tail if sequence.group == 0 else b""
    for sequence, place in zip(model.sequences, places):
        body += text(sequence.label, 32)
        body += struct.pack("<f", sequence.fps)
        body += struct.pack("<10i", sequence.flags, 0, 0, 0, 0, sequence.frames, 0, 0, *sequence.motion)
        body += struct.pack("<3f2i6f", *[0.0] * 3, 0, 0, *[0.0] * 6)
        body += struct.pack("<2i2i", len(sequence.blends), place, 1 << XR, 0)
        body += struct.pack("<4f", sequence.limits[0], 0, sequence.limits[1], 0)
        body += struct.pack("<6i", 0, sequence.group, 0, 0, 0, 0)
    at["groups"] = 244 + len(body)
    for number in range(model.groups):
        body += text("group%d" % number, 32) + text("walk%02d.mdl" % number if number else "", 64)
        body += struct.pack("<2i", 0, 0)
    head = b"IDST" + struct.pack("<i", 10) + text("test", 64) + struct.pack("<i", 244 + len(body) + len(data))
    head += struct.pack("<15fi", *[0.0] * 15, 0)
    head += struct.pack("<2i", len(model.bones), at["bones"])
    head += struct.pack("<2i", len(model.controllers), at["controllers"])
    head += struct.pack("<2i", len(model.boxes), at["boxes"])
    head += struct.pack("<2i", len(model.sequences), at["sequences"])
    head += struct.pack("<2i", model.groups, at["groups"]) + struct.pack("<16i", *[0] * 16)
    assert len(head) == 244
    return head + body + data


# ---- poses ----


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def turn(axis, radians):
    c, s = math.cos(radians), math.sin(radians)
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    m = [[float(r == k) for k in range(4)] for r in range(4)]
    m[i][i], m[i][j], m[j][i], m[j][j] = c, -s, s, c
    return m


def move(x, y, z):
    return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]


def scaled(m, scale):
    return [[v * scale if k == 3 and r < 3 else v for k, v in enumerate(row)] for r, row in enumerate(m)]


def pose(model, sequence, frame, weights, settings, root, scale):
    """The matrix of each bone. weights: of the blends; angles of all blends must be about one axis."""
    out = []
    for number, bone in enumerate(model.bones):
        channels = list(bone.value)
        for c in range(6):
            step = PLACE if c < 3 else ANGLE
            for blend, weight in zip(sequence.blends if sequence else (), weights):
                channels[c] += weight * step * blend.get((number, c), [0] * sequence.frames)[frame]
            if sequence and sequence.motion[1] == number and sequence.motion[0] & 1 << c and c < 3:
                channels[c] = 0.0
            for (b, channel, *_), value in zip(model.controllers, settings):
                if b == number and channel == c:
                    channels[c] += value if c < 3 else math.radians(value)
        local = move(*channels[:3])
        for axis in (2, 1, 0):
            local = times(local, turn(axis, channels[3 + axis]))
        local = scaled(local, scale)
        out.append(times(out[bone.parent] if bone.parent >= 0 else root, local))
    return out


class Poses:
    def __init__(self):
        self.lines = []

    def model(self, name, model, scale=1.0, yaw=0.0, offset=(0.0, 0.0, 0.0)):
        self.of, self.scale = model, scale
        self.root = times(move(*offset), turn(2, math.radians(yaw)))
        self.lines.append("model %s %r %r %r %r %r" % (name, scale, yaw, *offset))

    def add(self, sequence, frame, weights=(1.0,), settings=()):
        model = self.of
        label = sequence.label if sequence else "-"
        first = 1 if weights[0] == 0 else 0
        second = "%s.2" % label if len(weights) > 1 else "-"
        self.lines.append("pose %s %d %s %r" % (label, frame, second, weights[1] if len(weights) > 1 else 0.0))
        names = "xyz"
        for (bone, channel, *_), value in zip(model.controllers, settings):
            kind = "move" if channel < 3 else "turn"
            unit = self.scale if channel < 3 else 1.0
            self.lines.append("set %s.%s_%s %r" % (model.bones[bone].name, kind, names[channel % 3], value * unit))
        matrices = pose(model, sequence, frame, weights, settings, self.root, self.scale)
        for bone, m in zip(model.bones, matrices):
            numbers = [m[r][3] for r in range(3)] + [m[r][c] for c in range(3) for r in range(3)]
            self.lines.append("bone %s %s" % (bone.name, " ".join("%.9g" % n for n in numbers)))
        for number, (bone, group, mins, maxs) in enumerate(model.boxes):
            # A shot along the bone's x axis, from 1 qu in front of the box to its middle.
            m = matrices[bone]
            middle = [(a + b) / 2 * self.scale for a, b in zip(mins, maxs)]
            front = [maxs[0] * self.scale + 1, *middle[1:]]
            ends = [[sum(m[r][c] * p[c] for c in range(3)) + m[r][3] for r in range(3)] for p in (front, middle)]
            share = 1 / (front[0] - middle[0])
            self.lines.append(
                "shot %d %s %d %s %.9g" % (number, model.bones[bone].name, group if group < 8 else 0,
                                           " ".join("%.9g" % n for n in ends[0] + ends[1]), share))
        self.lines.append("end")


def one():
    value = (1.0, 2.0, 3.0, 0.3, -0.8, 1.9)
    idle = Sequence("idle", 1, [{}])
    return Model([Bone("root", -1, value)], boxes=[(0, 1, (-2, -3, -4), (5, 6, 7))], sequences=[idle])


def arm():
    bones = [
        Bone("body", -1, (0.0, 0.0, 40.0, 0.1, 0.2, 0.3)),
        Bone("upper", 0, (0.0, -9.0, 14.0, -0.5, 1.1, 0.7)),
        Bone("hand", 1, (17.0, 1.0, -2.0, 1.4, 0.2, -2.0)),
    ]
    controllers = [
        (2, XR, -60.0, 60.0, 2),
        (1, ZR, 45.0, -45.0, 0),
        (1, YR, -30.0, 30.0, 1),
        (0, X, -8.0, 8.0, 3),
        (0, XR, 0.0, 20.0, 4),  # the mouth
    ]
    wave = {
        (0, Z): [0, 64, 128, 64, 0],
        (1, ZR): [0, 900, 900, 900, 0],
        (1, XR): [0, -700, 1300, 21, 0],
        (2, YR): [5, 5, 5, 5, 5],
        (2, X): [0, 1, 2, 1, 0],
    }
    boxes = [(0, 2, (-4, -6, -10), (4, 6, 10)), (1, 4, (-1, -2, -2), (12, 2, 2)), (2, 5, (0, -1, -1), (4, 1, 1))]
    point = Sequence("point", 40, [{(2, ZR): [i * i for i in range(17)] + [256] * 20 + [7, 8, 9]}], fps=31.25)
    return Model(bones, controllers, boxes, [Sequence("wave", 5, [wave], flags=LOOPS), point])


def walker():
    bones = [
        Bone("hips", -1, (0.0, 0.0, 36.0, 0.0, 0.0, 0.0)),
        Bone("spine", 0, (0.0, 0.0, 10.0, 0.0, 0.0, 0.0)),
        Bone("head", 1, (2.0, 0.0, 20.0, 0.0, 0.0, 0.4)),
    ]
    step = {(0, X): [0, 640, 1280], (0, Z): [0, -64, 0]}
    left = {**step, (1, ZR): [3000, 3100, 3200], (2, Y): [64, 64, 128]}
    right = {**step, (1, ZR): [-3000, -2900, -2800], (2, Y): [-64, -64, -128]}
    look = Sequence("look", 3, [left, right], fps=12.5, motion=(1 << X, 0), limits=(-45.0, 45.0))
    run = Sequence("run", 3, [step], group=1)
    boxes = [(0, 3, (-6, -8, -4), (6, 8, 6)), (1, 2, (-6, -9, 1), (6, 9, 14)), (2, 11, (-4, -4, -2), (5, 4, 8))]
    return Model(bones, (), boxes, [look, run, Sequence("look", 1, [{}])], groups=2)


def main():
    folder = Path(sys.argv[1])
    models = {"one.mdl": one(), "arm.mdl": arm(), "walk.mdl": walker()}
    for name, model in models.items():
        (folder / name).write_bytes(write(model))
    poses = Poses()
    poses.model("one.mdl", models["one.mdl"])
    poses.add(None, 0)
    poses.add(models["one.mdl"].sequences[0], 0)
    poses.model("one.mdl", models["one.mdl"], 2.5, 30.0, (1.0, -2.0, 3.0))
    poses.add(models["one.mdl"].sequences[0], 0)
    for setup in ((), (2.0, 90.0, (0.0, 5.0, -36.0))):
        model = models["arm.mdl"]
        poses.model("arm.mdl", model, *setup)
        wave, point = model.sequences
        poses.add(None, 0)
        for frame in range(4):
            poses.add(wave, frame)
            poses.add(wave, frame, settings=(55.0, -20.0, 29.0, 7.0))
            poses.add(wave, frame, settings=(-10.0 * frame, 45.0, -30.0, -8.0))
        for frame in (0, 3, 16, 17, 30, 36, 37, 39):
            poses.add(point, frame)
    model = models["walk.mdl"]
    poses.model("walk.mdl", model)
    for frame in range(3):
        for weight in (0.0, 0.5, 1.0):
            poses.add(model.sequences[0], frame, (1 - weight, weight))
    (folder / "poses.txt").write_text("\n".join(poses.lines) + "\n")


main()
