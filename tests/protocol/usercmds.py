"""Channel 1: usercmds."""
from bits import check


def changed(bits, old, width):
    if not bits.flag():
        return old
    value = bits.u(width)
    check(value != old, "a changed value that is equal")
    return value


def usercmds(bits):
    packet = {"type": "USERCMDS", "epoch": bits.u(8), "first": bits.u(16)}
    count = bits.u(5) + 1
    tick = bits.tick()
    packet["ack"] = tick - bits.signed(3) if bits.flag() else 0
    cmd = dict(view_frac=0, view_span=0, msec=1, pitch=0, yaw=0, forward=0, side=0, up=0, buttons=0, impulse=0)
    packet["cmds"] = []
    for i in range(count):
        if i == 0:
            cmd.update(tick=tick, view_tick=tick - bits.var(3))
        else:
            step = bits.signed(0) + 1
            view_step = bits.signed(0) + step
            cmd.update(tick=cmd["tick"] + step, view_tick=cmd["view_tick"] + view_step)
        cmd["view_frac"] = changed(bits, cmd["view_frac"], 16)
        cmd["view_span"] = changed(bits, cmd["view_span"], 8)
        cmd["msec"] = changed(bits, cmd["msec"] - 1, 7) + 1
        if bits.flag():
            for name in ("pitch", "yaw"):
                cmd[name] = changed(bits, cmd[name], 16)
            for name in ("forward", "side", "up"):
                cmd[name] = changed(bits, cmd[name] + 8191, 14) - 8191
            for name in ("buttons", "impulse"):
                cmd[name] = changed(bits, cmd[name], 8)
        check(0 <= cmd["view_tick"] <= cmd["tick"] and 1 <= cmd["msec"] <= 100, "a command out of range")
        packet["cmds"].append(dict(cmd))
    return packet
