#!/usr/bin/env python3
"""A bot that runs to the nearest player and shoots. Usage: bot.py HOST[:PORT] [SECONDS]"""
import math
import sys
import time

import edict


def nearest(client, me):
    """The vector from us to the nearest other player, or None."""
    players = [e.number for e in client.entities() if e.type == edict.lib.CL_ENTITY_PLAYER]
    places = [pose[0] for pose in map(client.shown, players) if pose]
    vectors = [(x - me.origin.x, y - me.origin.y, z - me.origin.z) for x, y, z in places]
    return min(vectors, key=lambda vector: math.hypot(*vector), default=None)


if len(sys.argv) < 2:
    sys.exit(__doc__)
with edict.Client() as client:
    client.connect(sys.argv[1], "python")
    end = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 60)
    while client.alive() and time.monotonic() < end:
        for event in client.frame():
            print(event.type, event.text, flush=True)
        me = client.predicted()
        to = nearest(client, me) if me else None
        yaw = math.degrees(math.atan2(to[1], to[0])) if to else client.now_ms / 10
        shot = edict.lib.CL_BUTTON_ATTACK if to else 0
        client.input(forward=320, yaw=yaw, buttons=shot)
    print("end", client.reason())
