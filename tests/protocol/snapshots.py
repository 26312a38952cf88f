"""Channel 2: snapshots, and what a client keeps to decode them."""
from bits import check, signed32
from control import EDICT, FLOAT, SCOPES, TEXT, cost
from events import snapshot_events
from player import first_player, read_player, vector

REPORT = ("report_tick", "report_snapshots", "report_cmd_packets", "report_next_cmd", "report_tick_mean", "report_tick_worst")


def pose(name):
    return vector(f"{name}.origin") + vector(f"{name}.angles")


def words(names, code, *more):
    return [(name, code, *more) for name in names]


def axes(name):
    return [f"{name}[{i}]" for i in range(3)]


def first_groups(orders):
    return {"velocity": list(zip(axes("velocity"), orders[0])), "origin": list(zip(axes("origin"), orders[1])),
            "angles": list(zip(axes("angles"), ("turn",) * 3, orders[2]))}


FIRST_GROUPS = first_groups(((4, 4, 0), (3, 3, 0), (9, 11, 9)))
OLD_GROUPS = first_groups(((7, 7, 4), (9, 9, 6), (11, 13, 11)))
# A row: name, code, order of the code.
REST_GROUPS = {
    "box": words(axes("mins") + axes("maxs"), "diff", 8),
    "what": [("generation", "diff", 4), ("type", "diff", 1), ("model", "diff", 4), ("solid", "diff", 1),
             ("effects", "xor", 4), ("owner", "diff", 3), ("classname", "diff", 4), ("ground", "diff", 5)],
    "motion": [("contents", "diff", 2)] + words(vector("surface_velocity") + ["friction"], "real") +
              [("motion", "diff", 0), ("duration_ms", "diff", 11), ("start_lo", "diff", 14), ("start_hi", "diff", 0)] +
              words(pose("base") + vector("delta") + vector("delta_angles") + vector("bend"), "real") +
              [("parent", "diff", 5)] + words(pose("parent_base"), "real") + [("bone", "diff", 4)],
    "next": words(["next_wait_ms", "next_duration_ms"], "diff", 11) +
            words(vector("next_delta") + vector("next_delta_angles") + vector("next_bend"), "real"),
    "bones": words(["animations[0]", "animations[1]"], "diff", 2) +
             words(["anim_start_lo[0]", "anim_start_lo[1]"], "diff", 12) +
             words(["anim_start_hi[0]", "anim_start_hi[1]"], "diff", 0) + [("anim_blend", "diff", 5)] +
             words([f"controllers[{i}]" for i in range(4)], "diff", 7),
}


def word(bits, row, old):
    code = row[1]
    if code == "real":
        return signed32(bits.real())
    if code == "xor":
        return signed32(old ^ bits.var(row[2]))
    step = bits.signed(row[2])
    if code == "turn":
        check(-32768 <= step <= 32767, "a turn out of range")
        return (old + step) & 0xFFFF
    return signed32(old + step)


def group(bits, rows, state, old):
    for row in rows:
        if bits.flag():
            state[row[0]] = word(bits, row, old.get(row[0], 0))
            check(state[row[0]] != old.get(row[0], 0), f"{row[0]} changed and equal")
    check(any(state.get(row[0], 0) != old.get(row[0], 0) for row in rows), "a changed group that is equal")


def game_fields(bits, schema, state, old):
    rows = [("." + row["name"], "real" if row["type"] == FLOAT else "diff", 4) for row in schema]
    group(bits, rows, state, old)
    for row in schema:
        value = state.get("." + row["name"], 0)
        low, high = {TEXT: (0, 1023), EDICT: (0, 65535)}.get(row["type"], (row.get("lo"), row.get("hi")))
        check(value == 0 or row["type"] == FLOAT or low <= value <= high, f"{row['name']} is {value}")


def towards_zero(number, divisor):
    return number // divisor if number >= 0 else -(-number // divisor)


def expected_origin(old, new, elapsed_ms):
    """The origin that the mean of the old and the new velocity leads to. A motion record has none."""
    out = {}
    for axis, name in enumerate(axes("origin")):
        twice = old.get(f"velocity[{axis}]", 0) + new.get(f"velocity[{axis}]", 0)
        shift = 0 if old.get("motion", 0) else towards_zero(twice * 16 * elapsed_ms, 2000)
        out[name] = max(-1048576, min(1048576, old.get(name, 0) + shift))
    return out


def entity(bits, old, elapsed_ms, schema, is_new):
    state = dict(old)
    rows = OLD_GROUPS if is_new or elapsed_ms == 200 else FIRST_GROUPS
    flags = [bits.flag()]
    if flags[0]:
        for name, k in rows["velocity"]:
            state[name] = old.get(name, 0) + bits.signed(k)
        check(any(state[n] != old.get(n, 0) for n, _ in rows["velocity"]), "velocity changed and equal")
    state.update(expected_origin(old, state, elapsed_ms))
    flags.append(bits.flag())
    if flags[1]:
        steps = [bits.signed(k) for _, k in rows["origin"]]
        check(any(steps), "origin changed and as expected")
        state.update((name, state[name] + step) for (name, _), step in zip(rows["origin"], steps))
    flags.append(bits.flag())
    if flags[2]:
        group(bits, rows["angles"], state, old)
    flags.append(bits.flag())
    if flags[3]:
        read_rest(bits, state, old, schema)
    check(any(flags) or is_new, "a record that says nothing new")
    return state


def read_rest(bits, state, old, schema):
    some = False
    for name in ("box", "what", "motion", "next", "bones", "fields"):
        is_absent = {"bones": state.get("model", 0) >> 16 == 0, "next": state.get("motion", 0) != 2}
        if is_absent.get(name):
            state.update({row[0]: 0 for row in REST_GROUPS[name]})
            continue
        if bits.flag():
            some = True
            if name == "fields":
                game_fields(bits, schema, state, old)
            else:
                group(bits, REST_GROUPS[name], state, old)
    check(some, "a rest without a group")


def records(bits, count, held, first, last, decode):
    """Reads records of one kind. Returns the held ones with their changes."""
    now = dict(held)
    number = first
    for _ in range(count):
        number += bits.var(0) + 1
        check(number <= last, f"record {number} is beyond {last}")
        if number in held and bits.flag():
            del now[number]
            continue
        now[number] = decode(held.get(number, {}), number)
    return now


class Client:
    """The state of a client: the schema, the tables of names, the snapshots."""

    def __init__(self):
        self.schema = {scope: [] for scope in SCOPES}
        self.reset(0, 20000)

    def add_names(self, message):
        table = self.tables[message["table"]]
        check(message["first"] <= len(table) + 1, "names out of order")
        for at, name in enumerate(message["names"], message["first"] - 1):
            check(at == len(table) or (table[at] == "" and name != ""), "a name that is no placeholder")
            table[at : at + 1] = [name]
        check(sum(cost(name) for t in self.tables for name in t) <= 48 * 1024, "more than 48 KiB of names")

    def reset(self, epoch, rate):
        self.epoch = epoch & 0xFF
        self.rate = rate
        self.kept = {}
        self.tables = [[] for _ in range(5)]

    def end_ms(self, tick):
        return tick * 1000 * 1000 // self.rate

    def expect_ms(self, sent, tick):
        return min(self.end_ms(tick) - self.end_ms(sent), 200)

    def entity(self, bits, old, tick):
        """Reads an entity: its record tick and state. `old`: of the baseline, or empty."""
        sent, state = old or (tick, {})
        return tick, entity(bits, state, self.expect_ms(sent, tick), self.schema["edict"], not old)

    def info(self, bits, old, number):
        state = dict(old)
        game_fields(bits, self.schema["world" if number == 1024 else "client"], state, old)
        check(any(state.values()), "an info record of zeros")
        return state

    def read(self, bits):
        epoch = bits.u(8)
        tick = bits.tick()
        back = bits.var(3)
        check(tick >= 1 and back <= 1 << 20 and back < tick, "a header out of range")
        if epoch != self.epoch or tick <= max(self.kept, default=0):
            return {"type": "STALE"}
        if back and tick - back not in self.kept:
            return {"type": "NO_BASE"}
        now = self.body(bits, tick, back)
        bits.end()
        if back:
            self.kept = {t: s for t, s in self.kept.items() if t >= tick - back}
        self.kept[tick] = now
        if len(self.kept) > 128:
            oldest = min(t for t in self.kept if t != tick - back)
            del self.kept[oldest]
        return now

    def body(self, bits, tick, back):
        empty = {"player": first_player(), "sent": {}, "infos": {}, "filled_ms": 0, "dropped_cmds": 0,
                 **dict.fromkeys(REPORT, 0)}
        base = self.kept[tick - back] if back else empty
        now = {"type": "SNAPSHOT", "tick": tick, "cmd_tick": tick - bits.var(1)}
        length_ms = self.end_ms(now["cmd_tick"] + 1) - self.end_ms(now["cmd_tick"])
        now["cmd_ran_ms"] = bits.signed(0) + length_ms
        now["cmd_queued_ms"] = bits.var(4)
        check(0 <= now["cmd_ran_ms"] <= 6400 and now["cmd_queued_ms"] <= 6400, "times out of range")
        now.update({name: base[name] for name in ("filled_ms", "dropped_cmds", *REPORT)})
        if bits.flag():
            for name in ("filled_ms", "dropped_cmds"):
                now[name] = (now[name] + bits.var(5)) & 0xFFFFFFFF
            if bits.flag():
                now["report_tick"] = tick - bits.var(1)
                check(now["report_tick"] > base["report_tick"], "a report that is not newer")
                for name, size in zip(REPORT[1:], (10, 10, 8, 0, 0)):
                    now[name] = bits.u(size) if size else bits.var(6)
                check(max(now["report_tick_mean"], now["report_tick_worst"]) <= 65535, "tick times out of range")
        now["player"] = read_player(bits, base["player"])
        now["events"] = snapshot_events(bits, tick, [now["player"][name] for name in vector("origin")])
        now["sent"] = records(bits, bits.var(4), base["sent"], 0, 65535,
                              lambda old, _: self.entity(bits, old, tick))
        now["entities"] = {n: {**state, **expected_origin(state, state, self.expect_ms(sent, tick))}
                           for n, (sent, state) in now["sent"].items()}
        now["infos"] = records(bits, bits.var(0), base["infos"], -1, 1024, lambda old, n: self.info(bits, old, n))
        now["deferred"] = bits.var(0)
        check(now["deferred"] <= 5121, "too many records that did not fit")
        return now
