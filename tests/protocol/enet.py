"""A client's end of ENet 1.3, as far as edictd needs it: <enet/protocol.h> with a checksum.

A datagram passes a `wire` on its path: `Plain`, or `Sealed` in join.py.
"""
import select
import struct
import time
import zlib

ACK, CONNECT, VERIFY, DISCONNECT, PING, RELIABLE, UNRELIABLE, FRAGMENT = range(1, 9)
BANDWIDTH, THROTTLE = 10, 11
FIXED = {ACK: 8, CONNECT: 48, VERIFY: 44, DISCONNECT: 8, PING: 4, RELIABLE: 6, UNRELIABLE: 8, FRAGMENT: 24,
         BANDWIDTH: 12, THROTTLE: 16}
MUST_ACK = 0x80
NO_PEER = 0xFFF
OWN = 0xFF  # the channel of ENet's own commands
RESEND_S = 0.5


class Plain:
    """Datagrams as ENet writes them."""

    def write_connect(self, data):
        return data

    write = read = write_connect


def now_ms():
    return int(time.monotonic() * 1000) & 0xFFFF


class Peer:
    """A connection to a server over a connected UDP socket."""

    def __init__(self, sock, cookie, connect_id, wire):
        self.sock, self.cookie, self.connect_id, self.wire = sock, cookie, connect_id, wire
        self.peer, self.session = NO_PEER, 0
        self.is_connected = self.is_over = False
        self.reason = None
        self.sent = {}  # of each channel: the last reliable number
        self.sent_loose = {}
        self.waiting = {}  # (channel, number): [time of the next repetition, command]
        self.got = {}  # of each channel: the last reliable number that was delivered
        self.early = {}  # (channel, number): commands that wait for an earlier one
        self.parts = {}
        self.messages = []  # (channel, bytes)
        self.reliable(OWN, CONNECT, struct.pack(">HBB8I", 0, 0xFF, 0xFF, 1232, 65536, 3, 0, 0, 5000, 2, 2)
                      + connect_id + struct.pack(">I", cookie))

    # --- sending ---

    def datagram(self, commands):
        """Returns a datagram, without the seal."""
        peer = self.peer if self.peer == NO_PEER else self.peer | self.session << 12
        head = struct.pack(">HH", peer | 0x8000, now_ms())
        seed = bytes(4) if self.peer == NO_PEER else self.connect_id
        return head + struct.pack(">I", zlib.crc32(head + seed + commands)) + commands

    def send(self, commands):
        data = self.datagram(commands)
        self.sock.send(self.wire.write_connect(data) if self.peer == NO_PEER else self.wire.write(data))

    def reliable(self, channel, command, body):
        number = self.sent[channel] = self.sent.get(channel, 0) + 1
        data = struct.pack(">BBH", command | MUST_ACK, channel, number) + body
        self.waiting[channel, number] = [time.monotonic() + RESEND_S, data]
        self.send(data)

    def send_reliable(self, channel, message):
        self.reliable(channel, RELIABLE, struct.pack(">H", len(message)) + message)

    def send_unreliable(self, channel, message):
        number = self.sent_loose[channel] = self.sent_loose.get(channel, 0) + 1
        self.send(struct.pack(">BBHHH", UNRELIABLE, channel, self.sent.get(channel, 0), number, len(message))
                  + message)

    def disconnect(self):
        self.reliable(OWN, DISCONNECT, struct.pack(">I", 1))

    # --- receiving ---

    def service(self, wait_s):
        """Waits for datagrams, at most `wait_s`, and handles them."""
        for entry in list(self.waiting.values()):
            if time.monotonic() >= entry[0]:
                entry[0] += RESEND_S
                self.send(entry[1])
        while select.select([self.sock], [], [], wait_s)[0]:
            wait_s = 0
            data = self.wire.read(self.sock.recv(4096))
            if data:
                self.read(data)

    def read(self, data):
        first, sent_ms, at = struct.unpack(">H", data[:2])[0], 0, 2
        if first & 0x8000:
            sent_ms, at = struct.unpack(">H", data[2:4])[0], 4
        sum_at, at = at, at + 4
        if struct.unpack(">I", data[sum_at:at])[0] != zlib.crc32(data[:sum_at] + self.connect_id + data[at:]):
            raise ValueError("a wrong checksum")
        acks = b""
        while at < len(data):
            head, channel, number = struct.unpack(">BBH", data[at:at + 4])
            kind, size = head & 15, FIXED[head & 15]
            if kind in (RELIABLE, UNRELIABLE):
                size += struct.unpack(">H", data[at + size - 2:at + size])[0]
            elif kind == FRAGMENT:
                size += struct.unpack(">H", data[at + 6:at + 8])[0]
            self.command(kind, channel, number, data[at:at + size])
            if head & MUST_ACK:
                acks += struct.pack(">BBHHH", ACK, channel, number, number, sent_ms)
            at += size
        if acks and self.peer != NO_PEER:
            self.send(acks)

    def command(self, kind, channel, number, data):
        if kind == ACK:
            self.waiting.pop((channel, struct.unpack(">H", data[4:6])[0]), None)
        elif kind == VERIFY:
            self.peer, _, self.session = struct.unpack(">HBB", data[4:8])
            self.waiting.pop((OWN, 1), None)
            self.is_connected = True
        elif kind == DISCONNECT:
            self.reason, self.is_over = struct.unpack(">I", data[4:8])[0], True
        elif kind == UNRELIABLE:
            self.messages.append((channel, data[8:]))
        elif kind in (RELIABLE, FRAGMENT):
            self.early[channel, number] = (kind, data)
            while (following := (channel, self.got.get(channel, 0) + 1)) in self.early:
                self.got[channel] = following[1]
                self.deliver(channel, *self.early.pop(following))

    def deliver(self, channel, kind, data):
        if kind == RELIABLE:
            self.unpack(channel, data[6:])
            return
        part, total = struct.unpack(">I", data[12:16])[0], struct.unpack(">I", data[16:20])[0]
        self.parts[channel] = (b"" if part == 0 else self.parts[channel]) + data[24:]
        if len(self.parts[channel]) == total:
            self.unpack(channel, self.parts.pop(channel))

    def unpack(self, channel, data):
        """Takes apart a bundle of control messages."""
        while data:
            end = 2 + struct.unpack(">H", data[:2])[0]
            self.messages.append((channel, data[2:end]))
            data = data[end:]
