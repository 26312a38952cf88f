"""Tests the Python package: a client sees the bot of examples/bot.py run to it, and errors have reasons.

usage: python_client.py HOST:PORT MAPS BOT   (tests/e2e/install.sh runs it with the installed files)
"""
import math
import subprocess
import sys
import time

import edict

SERVER, MAPS, BOT = sys.argv[1:]


def refused(call, *words):
    try:
        call()
    except edict.Error as error:
        return all(word in str(error) for word in words)
    return False


def bot_of(client):
    """The edict number of the bot's player, or None."""
    for entity in client.entities():
        name = edict.text_of(edict.lib.CL_PlayerName(client.cl, entity.owner - 1))
        if entity.type == edict.lib.CL_ENTITY_PLAYER and name == "python":
            return entity.number
    return None


def state(bot, client, events):
    """Describes both clients, for the message of a test that failed."""
    bot.terminate()
    return f"reason {client.reason()!r}, events {events}, the bot printed {bot.stdout.read()!r}"


assert refused(lambda: edict.Client(network="3g"), "expected KEY=VALUE or one of")
with subprocess.Popen([sys.executable, BOT, SERVER], stdout=subprocess.PIPE, text=True) as bot, \
        edict.Client(maps=MAPS, network="delay=20,jitter=5", seed=3) as client:
    assert refused(lambda: client.connect("1.2.3.4:x", "a"), "port")
    assert refused(lambda: client.connect(SERVER, "n" * 32), "at most 31 bytes")
    client.connect(SERVER, "watcher")
    start, first, moved, ran, events = None, None, 0, 0, []
    end = time.monotonic() + 60
    while (moved < 32 or ran < 32) and client.alive() and bot.poll() is None and \
            time.monotonic() < end:
        events += [(event.type, event.text) for event in client.frame()]
        client.input(forward=320, yaw=90)
        me, number = client.predicted(), bot_of(client)
        if me:
            start = start or (me.origin.x, me.origin.y)
            ran = max(ran, math.dist(start, (me.origin.x, me.origin.y)))
        if number and client.shown(number):
            place = client.shown(number)[0]
            first = first or place
            moved = max(moved, math.dist(place, first))
    assert bot.poll() is None, state(bot, client, events)
    assert moved >= 32, f"the bot moved {moved}: {state(bot, client, events)}"
    assert ran >= 32, f"the own player ran {ran}: {state(bot, client, events)}"
    assert {"connected", "map", "active"} <= {kind for kind, _ in events}, events
    assert client.stats().predictions > 0
    assert edict.lib.CL_HasMap(client.cl)
    bot.terminate()
