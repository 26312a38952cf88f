"""Channel 2: the player part of a snapshot."""
from bits import check, float_bits, signed32

VECTOR = ("x", "y", "z")


def vector(name):
    return [f"{name}.{axis}" for axis in VECTOR]


PLAYER_PARTS = (
    vector("origin"), vector("velocity"), vector("angles"), vector("mins") + vector("maxs"),
    ["pm_type", "flags", "groundentity", "waterlevel", "watertype", "waterjump_ms", "jump_ms", "step_ms",
     "step_buttons", "delta_yaw", "gravity"] + vector("basevelocity") +
    ["carrier", "duck_ms", "heading", "steer", "health", "movetype"])
XORED = {"flags", "step_buttons", "gravity", "heading", "steer"}
XORED.update(vector("origin") + vector("velocity") + vector("mins") + vector("maxs") + vector("basevelocity"))


def first_player():
    player = {name: 0 for part in PLAYER_PARTS for name in part}
    for corner, numbers in (("mins", (-16, -16, -24)), ("maxs", (16, 16, 32))):
        player.update({f"{corner}.{axis}": float_bits(n) for axis, n in zip(VECTOR, numbers)})
    player.update(movetype=2, groundentity=-1, watertype=-1, health=100)
    return player


def differing(bits, old):
    top = bits.u(5)
    return (old & 0xFFFFFFFF) ^ (1 << top | bits.u(top))


def player_word(bits, name, old):
    if name.startswith("angles"):
        return float_bits(bits.u(16) * 360 / 65536) if bits.flag() else differing(bits, old)
    if name in XORED:
        return differing(bits, old)
    step = bits.signed(3)
    check(step != 0, "a changed word that is equal")
    return signed32(old + step)


def read_player(bits, old):
    player = dict(old)
    for part in PLAYER_PARTS:
        if bits.flag():
            for name in part:
                if bits.flag():
                    player[name] = player_word(bits, name, player[name])
            check(any(player[name] != old[name] for name in part), "a changed part that is equal")
    return player
