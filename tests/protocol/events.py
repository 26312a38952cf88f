"""Events: sounds and effects."""
from math import floor

from bits import check, float_bits, float_of, signed32

USUAL_RANGE = (1024, 4096)  # of a sound, of an effect
MAX_ORIGIN = 524288         # 1/8 qu


def eighths(bits):
    """Returns a coordinate in 1/8 qu: floor(8 x + 0.5) in single precision."""
    return floor(float_of(float_bits(8 * float_of(bits) + 0.5)))


def event(bits, reference):
    """Reads an event. The reference is a point in 1/8 qu."""
    values = {"kind": bits.flag(), "number": bits.u(10)}
    check(values["number"] > 0, "an event without number")
    if bits.flag():
        values["entity"] = bits.var(5) + 1
        check(values["entity"] <= 65535, "an edict beyond 65535")
    if bits.flag():
        place = [at + bits.signed(k) for at, k in zip(reference, (11, 11, 9))]
        check(all(abs(at) <= MAX_ORIGIN for at in place), "an event outside the world")
        values.update(has_origin=1, origin=[float_bits(at / 8) for at in place])
    values.update(range=USUAL_RANGE[values["kind"]], volume=255)
    if bits.flag():
        values.update(range=bits.var(9), volume=bits.u(8))
        check(values["range"] <= 262144, "a range beyond the world")
        check((values["range"], values["volume"]) != (USUAL_RANGE[values["kind"]], 255), "usual values sent")
    if bits.flag():
        values["args"] = [signed32(bits.signed(4)) for _ in range(bits.u(2) + 1)]
    return values


def snapshot_events(bits, tick, origin):
    """Reads the events of a snapshot. `origin`: the player's, as the bits of floats."""
    reference = [eighths(at) for at in origin]
    events = []
    while bits.flag():
        check(len(events) < 128, "more than 128 events")
        if events:
            step = bits.signed(0)
            check(-32768 <= step <= 32767, "a sequence number out of range")
            seq = (events[-1]["seq"] + 1 + step) & 0xFFFF
        else:
            seq = bits.u(16)
        age = bits.var(1)
        check(age <= 1 << 20 and age < tick, "an event out of its time")
        events.append({"seq": seq, "tick": tick - age, **event(bits, reference)})
    return events
