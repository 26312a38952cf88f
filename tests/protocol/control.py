"""Channel 0: control messages."""
from bits import check, float_of
from events import event


def infos(bits):
    return {bits.text(32): bits.text(64) for _ in range(bits.range(0, 16))}


def movevars(bits):
    return [bits.u(32) for _ in range(bits.left // 32)]  # they are the last field of a message


def hello(bits):
    check(bits.u(32) == 0x54434445, "no HELLO")
    return {"version": bits.u(16), "spectator": bits.flag(), "name": bits.text(32), "password": bits.text(64),
            "token": bits.text(1025), "rejoin": [bits.u(64), bits.u(64)]}


def welcome(bits):
    return {"version": bits.u(16), "slot": bits.range(0, 1023), "max_clients": bits.range(1, 1024),
            "server": bits.text(256), "is_back": bits.flag(), "grace_ms": bits.range(0, 600000),
            "rejoin": [bits.u(64), bits.u(64)]}


def map_message(bits):
    return {"epoch": bits.u(32), "hash": bits.u(64), "tick": bits.tick(), "rate": bits.range(20000, 128000),
            "name": bits.text(64), "packed": bits.range(0, 1 << 27), "size": bits.range(0, 1 << 27),
            "pack_hash": bits.u(64), "url": bits.text(256), "movevars": movevars(bits)}


def piece(bits):
    values = {"offset": bits.range(0, 1 << 27)}
    values["data"] = [bits.u(8) for _ in range(bits.range(1, 1024))]
    return values


def player_info(bits):
    values = {"slot": bits.range(0, 1023), "inuse": bits.flag()}
    if values["inuse"]:
        values.update(spectator=bits.flag(), is_lost=bits.flag(), name=bits.text(32), infos=infos(bits))
    return values


INT, FLOAT, STEPS, TEXT, EDICT = range(5)
SCOPES = ("edict", "client", "world")


def field(bits):
    row = {"name": bits.text(32), "type": bits.range(0, 4), "flags": bits.u(8)}
    if row["type"] in (INT, STEPS):
        row.update(lo=bits.i32(), hi=bits.i32())
        check(row["lo"] <= row["hi"], "an empty range")
    if row["type"] == STEPS:
        row["step"] = bits.u(32)
        check(0 < float_of(row["step"]) < float("inf"), "a step that is not above 0")
    check(row["name"] != "", "a field without name")
    return row


def fields_message(bits):
    return {scope: [field(bits) for _ in range(bits.range(0, 32))] for scope in SCOPES}


def skeletons(bits):
    return {"list": [{"hash": bits.u(64), "name": bits.text(32)} for _ in range(bits.range(0, 15))]}


def names(bits):
    values = {"table": bits.range(0, 4), "first": bits.range(1, 1023)}
    values["names"] = [bits.text(64) for _ in range(bits.range(1, 1023))]
    check("" not in values["names"] or values["table"] >= 3, "an empty name of a table without placeholders")
    check(values["first"] + len(values["names"]) <= 1024, "extra names")
    check(sum(cost(name) for name in values["names"]) <= 1100, "too many names at once")
    return values


def cost(name):
    return len(name.encode()) + 2


CONTROL = {
    1: ("HELLO", "client", hello),
    2: ("READY", "client", lambda b: {"epoch": b.u(32), "has_map": b.flag()}),
    3: ("SAY", "client", lambda b: {"team": b.flag(), "text": b.text(256)}),
    4: ("COMMAND", "client", lambda b: {"text": b.text(256)}),
    5: ("LEAVE", "client", lambda b: {}),
    6: ("USERINFO", "client", lambda b: {"infos": infos(b)}),
    7: ("GET", "client", lambda b: {"epoch": b.u(32), "offset": b.range(0, 1 << 27)}),
    16: ("WELCOME", "server", welcome),
    17: ("REFUSED", "server", lambda b: {"version": b.u(16), "text": b.text(256)}),
    18: ("MAP", "server", map_message),
    19: ("MOVEVARS", "server", lambda b: {"tick": b.tick(), "movevars": movevars(b)}),
    20: ("PRINT", "server", lambda b: {"text": b.text(256)}),
    21: ("CHAT", "server", lambda b: {"slot": b.range(-1, 1023), "team": b.flag(), "text": b.text(256)}),
    23: ("PLAYER_INFO", "server", player_info),
    24: ("GOODBYE", "server", lambda b: {"text": b.text(256)}),
    25: ("CENTER", "server", lambda b: {"text": b.text(256, allowed="\n")}),
    27: ("TICKET", "server", lambda b: {"text": b.text(256)}),
    28: ("SKELETONS", "server", skeletons),
    29: ("NAMES", "server", names),
    30: ("FIELDS", "server", fields_message),
    31: ("EVENT", "server", lambda b: {"tick": b.tick(), **event(b, [0, 0, 0])}),
    32: ("PIECE", "server", piece),
}


def control(bits, sender):
    number = bits.u(8)
    check(number in CONTROL and CONTROL[number][1] == sender, f"type {number} from a {sender}")
    name, _, decode = CONTROL[number]
    return {"type": name, **decode(bits)}
