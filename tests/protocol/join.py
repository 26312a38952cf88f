#!/usr/bin/python3
"""A client written from the pages, with PyNaCl: joins the real daemon sealed and plain, plays, and leaves.

usage: join.py [TEST]...     (default: all of them)
Environment: BUILD (default build). Ends with `N passed, N failed`.
"""
import base64
import os
import secrets
import socket
import struct
import sys
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "e2e"))  # behind: both have a control.py
import daemon  # noqa: E402
import tokens  # noqa: E402
from bits import Bits, Writer  # noqa: E402
from decode import decode  # noqa: E402
from enet import OWN, Peer, Plain, DISCONNECT  # noqa: E402
from nacl import bindings as sodium  # noqa: E402
from seal import Receiver, Sender, agree, session_keys  # noqa: E402
from snapshots import Client  # noqa: E402

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "common", "proto", "README.md")
with open(PAGE, encoding="utf-8") as page:
    VERSION = int(page.readline().split("version ")[1])  # tools/lint/lint.py compares it with PROTO_VERSION
OFF, OFFERED, REQUIRED = range(3)
REASON_SEAL = 13  # net_reason_t
LIMIT_S = 20


class Sealed:
    """Seals what ENet writes, with a new key pair."""

    def __init__(self, reply):
        self.reply = reply
        self.client_key, secret = sodium.crypto_box_keypair()
        shared = agree(secret, reply["server_key"], reply["epoch_key"])
        keys = session_keys(shared, self.client_key, reply["epoch_key"], reply["server_key"], reply["cookie"],
                            reply["connect_id"])
        self.sender, self.receiver = Sender(keys[0]), Receiver(keys[1])

    def write_connect(self, data):
        return self.sender.connect(self.reply["epoch"], self.reply["cookie"], self.reply["connect_id"],
                                   self.client_key, data)

    def write(self, data):
        return self.sender.seal(data)

    def read(self, data):
        return self.receiver.open(data)


def ask_cookie(sock):
    """Sends cookie requests until a reply comes. Returns its fields."""
    nonce = secrets.token_bytes(4)
    sock.settimeout(0.25)
    for _ in range(40):
        sock.send((b"\xff\xff\xff\xffgetcookie\x02" + nonce).ljust(96, b"\0"))
        try:
            data = sock.recv(4096)
        except (TimeoutError, ConnectionRefusedError):
            continue
        if len(data) == 88 and data[:14] == b"\xff\xff\xff\xffcookie" + nonce:
            cookie, connect_id, seal, epoch = struct.unpack(">IIBB", data[14:24])
            return {"cookie": cookie, "connect_id": connect_id, "seal": seal, "epoch": epoch,
                    "epoch_key": data[24:56], "server_key": data[56:88]}
    raise AssertionError("no cookie")


class Player:
    """A client in the game."""

    def __init__(self, port, is_sealed):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.connect(("127.0.0.1", port))
        self.reply = ask_cookie(self.sock)
        wire = Sealed(self.reply) if is_sealed else Plain()
        self.peer = Peer(self.sock, self.reply["cookie"], struct.pack(">I", self.reply["connect_id"]), wire)
        self.decoder = Client()
        self.got = {}  # the last message of each type
        self.snapshots = []
        self.downloads = False
        self.pieces = b""  # the received part of the map

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def until(self, reached):
        """Handles messages until `reached()` is true."""
        end = time.monotonic() + LIMIT_S
        while not reached():
            assert time.monotonic() < end, f"got only {list(self.got)}, {len(self.snapshots)} snapshots"
            self.peer.service(0.05)
            for channel, data in self.peer.messages:
                self.take(channel, data)
            self.peer.messages.clear()

    def take(self, channel, data):
        values = decode({"hex": data.hex(), "channel": channel, "from": "server"}, self.decoder)
        self.got[values["type"]] = values
        if values["type"] == "SNAPSHOT":
            self.snapshots.append(values)
            self.send_usercmd(values["tick"])
        elif values["type"] == "NAMES" and "READY" not in self.got:
            self.got["READY"] = True  # this client plays without the map
            if self.downloads:
                self.send_get()
            else:
                self.send_ready()
        elif values["type"] == "PIECE":
            assert values["offset"] == len(self.pieces), values["offset"]
            self.pieces += bytes(values["data"])
            self.send_get()
            if len(self.pieces) == self.got["MAP"]["packed"]:
                self.send_ready()

    def send_ready(self):
        self.peer.send_reliable(0, Writer().u(2, 8).u(self.got["MAP"]["epoch"], 32).u(0, 1).bytes())

    def send_get(self):
        """Asks for the map, or confirms what has come of it."""
        get = Writer().u(7, 8).u(self.got["MAP"]["epoch"], 32).u(len(self.pieces), 28)
        self.peer.send_reliable(0, get.bytes())

    def send_usercmd(self, tick):
        """Sends a command that stands still for 1 ms, and acknowledges the snapshot of `tick`."""
        packet = Writer().u(self.got["MAP"]["epoch"] & 0xFF, 8).u(len(self.snapshots) & 0xFFFF, 16).u(0, 5)
        packet.tick(tick).u(1, 1).var(0, 3)
        self.peer.send_unreliable(1, packet.var(0, 3).u(0, 3).bytes())

    def join(self, token=""):
        self.until(lambda: self.peer.is_connected)
        hello = Writer().u(1, 8).u(0x54434445, 32).u(VERSION, 16).u(0, 1).text("page").text("").text(token).u(0, 128)
        self.peer.send_reliable(0, hello.bytes())
        self.play(4)

    def play(self, count):
        """Receives `count` more snapshots."""
        target = len(self.snapshots) + count
        self.until(lambda: len(self.snapshots) >= target)

    def leave(self):
        self.peer.send_reliable(0, Writer().u(5, 8).bytes())
        self.until(lambda: self.peer.is_over)


def check_game(player):
    assert player.got["WELCOME"]["version"] == VERSION
    assert player.got["MAP"]["name"] == "walk1", player.got["MAP"]
    player.until(lambda: player.snapshots[-1]["cmd_tick"] > player.snapshots[0]["tick"])  # a command ran


def test_downloads_the_map():
    with daemon.server() as running, Player(running.port, False) as player:
        player.downloads = True
        player.join()
        assert len(player.pieces) == player.got["MAP"]["packed"] > 1024
        assert player.pieces[:4] == b"\x28\xb5\x2f\xfd"  # a zstd frame
        player.leave()


def test_joins_sealed():
    with daemon.server("+set", "sv_seal", "offered") as running, Player(running.port, True) as player:
        assert player.reply["seal"] == OFFERED
        player.join()
        check_game(player)
        status = running.ask("status", "sealed|plain")
        key = base64.urlsafe_b64encode(player.reply["server_key"]).decode().rstrip("=")
        assert " sealed " in status and f"server key {key}" in status, status
        player.leave()


def test_joins_plain():
    for value, seal in (("offered", OFFERED), ("off", OFF)):
        with daemon.server("+set", "sv_seal", value) as running, Player(running.port, False) as player:
            assert player.reply["seal"] == seal
            assert (player.reply["server_key"] == bytes(32)) == (seal == OFF)
            player.join()
            check_game(player)
            player.leave()


def test_required_refuses_a_plain_connect():
    with daemon.server("+set", "sv_seal", "required") as running:
        with Player(running.port, False) as plain:
            assert plain.reply["seal"] == REQUIRED
            plain.sock.settimeout(LIMIT_S)
            refusal = plain.sock.recv(4096)
            assert refusal[:11] == b"\xff\xff\xff\xffrefused" and len(refusal) == 17, refusal
            assert struct.unpack(">IH", refusal[11:]) == (plain.reply["connect_id"], REASON_SEAL)
        with Player(running.port, True) as sealed:
            sealed.join()
            sealed.leave()


def test_joins_with_a_token_and_again_with_a_ticket():
    with tokens.new_keys() as keys, daemon.server(*keys.options()) as running:
        with Player(running.port, True) as player:
            assert player.reply["seal"] == REQUIRED
            assert base64.urlsafe_b64encode(player.reply["server_key"]).decode().rstrip("=") == keys.server
            player.join(keys.token("steam:1", "--name", "Ann"))
            ticket = player.got["TICKET"]["text"]
            player.leave()
        with Player(running.port, True) as player:
            player.join(ticket)
            assert player.got["TICKET"]["text"].startswith("ticket1.")
            running.ask("status", "Ann .* sealed .* id steam:1")
            player.leave()


def forge_disconnects(player):
    """Sends the disconnects that somebody can write who saw all datagrams of the session."""
    for head in (DISCONNECT | 0x80, DISCONNECT | 0x40):  # acknowledged, unsequenced
        for number in (0, *range(1, 5)):
            data = player.peer.datagram(struct.pack(">BBHI", head, OWN, number, 1))
            player.sock.send(data)
            player.sock.send(bytes([data[0] | 0x40]) + data[1:])  # with the flag of a sealed one


def test_forged_disconnects_end_a_plain_session_only():
    with daemon.server() as running:
        with Player(running.port, False) as plain:
            plain.join()
            forge_disconnects(plain)
            assert running.logs('leave .*name="page"'), running.log()
        with Player(running.port, True) as sealed:
            sealed.join()
            forge_disconnects(sealed)
            sealed.play(50)
            sealed.leave()


if __name__ == "__main__":
    sys.exit(daemon.main(globals()))
