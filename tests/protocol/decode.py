#!/usr/bin/env python3
"""Decodes a recorded match by common/proto/README.md alone, and compares every value with the C code's.

usage: decode.py [--print] RECORDING

A line of RECORDING is a JSON object of tests/lib/recording_fixture.h. Ends with `N messages, N differ`
and exit status 1 if any differs. Floats are the unsigned number of their 32 bits.
"""
import json
import sys

from bits import Bad, Bits
from control import SCOPES, control
from snapshots import Client
from usercmds import usercmds


def joined(values):
    """Joins words such as origin.x, .y, .z into one list, as the recording has them."""
    out = {}
    for name, value in values.items():
        if name.endswith((".x", ".y", ".z")):
            out.setdefault(name[:-2], []).append(value & 0xFFFFFFFF)
        else:
            out[name] = value
    return out


def numbered(states):
    return [{"number": number, **states[number]} for number in sorted(states)]


def shown(values):
    """Returns decoded values in the form of the recording: without zeros and empty texts."""
    if values.get("type") == "SNAPSHOT":
        values = {**values, "player": joined(values["player"]), "entities": numbered(values["entities"]),
                  "infos": numbered(values["infos"])}
        del values["sent"]
    return pruned(values)


def pruned(value):
    if isinstance(value, dict):
        small = {k: pruned(v) for k, v in value.items()}
        return {k: v for k, v in small.items() if v not in (0, "", [], {}, [0, 0, 0])}
    if isinstance(value, list):
        return [pruned(v) for v in value]
    return value


def difference(ours, theirs, path=""):
    """Returns the path and the values of the first difference, or None."""
    if type(ours) is not type(theirs) or not isinstance(ours, (dict, list)):
        return None if ours == theirs else f"{path or '/'}: decoded {ours!r}, the C code {theirs!r}"
    if isinstance(ours, list):
        if len(ours) != len(theirs):
            return f"{path}: decoded {len(ours)} items, the C code {len(theirs)}"
        pairs = [(f"{path}/{i}", a, b) for i, (a, b) in enumerate(zip(ours, theirs))]
    else:
        pairs = [(f"{path}/{k}", ours.get(k), theirs.get(k)) for k in sorted(set(ours) | set(theirs))]
    return next((d for p, a, b in pairs for d in [difference(a, b, p)] if d), None)


def decode(line, client):
    data = bytes.fromhex(line["hex"])
    bits = Bits(data)
    if line["channel"] == 2:
        return {"type": "BUSY"} if len(data) == 1 else client.read(bits)
    values = control(bits, line["from"]) if line["channel"] == 0 else usercmds(bits)
    bits.end()
    if values["type"] == "FIELDS":
        client.schema = {scope: values[scope] for scope in SCOPES}
    elif values["type"] == "MAP":
        client.reset(values["epoch"], values["rate"])
    elif values["type"] == "NAMES":
        client.add_names(values)
    return values


def main(argv):
    printing = "--print" in argv
    paths = [arg for arg in argv if arg != "--print"]
    if len(paths) != 1:
        sys.exit(__doc__)
    client = Client()
    count = wrong = 0
    with open(paths[0], encoding="utf-8") as recording:
        for at, text in enumerate(recording, 1):
            line = json.loads(text)
            count += 1
            try:
                ours = shown(decode(line, client))
                fault = difference(ours, pruned(line["values"]))
            except Bad as bad:
                ours, fault = None, f"the page calls it an error: {bad}"
            if printing:
                print(json.dumps(ours))
            if fault:
                wrong += 1
                if wrong <= 10:
                    print(f"line {at}: {line['values']['type']}: {fault}", file=sys.stderr)
    print(f"{count} messages, {wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
