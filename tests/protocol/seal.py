#!/usr/bin/python3
"""The seal, written from common/net/README.md with PyNaCl.

usage: seal.py [VECTORS]

Checks VECTORS (seal_vectors.txt beside this file) and ends with `N passed, N failed`.
"""
import os
import struct
import sys

from nacl import bindings as sodium
from nacl.exceptions import CryptoError
from nacl.hash import blake2b
from nacl.encoding import RawEncoder

OOB = b"\xff\xff\xff\xff"
FLAG = 0x4000
WINDOW = 256


def agree(secret, server_key, epoch_key):
    """Returns es and ee of a client. PyNaCl refuses a result of zeros."""
    return sodium.crypto_scalarmult(secret, server_key), sodium.crypto_scalarmult(secret, epoch_key)


def session_keys(shared, client_key, epoch_key, server_key, cookie, connect_id):
    """Returns the keys to the server and to the client."""
    data = (b"edictd seal 1" + b"".join(shared) + client_key + epoch_key + server_key
            + struct.pack(">II", cookie, connect_id))
    keys = blake2b(data, digest_size=64, encoder=RawEncoder)
    return keys[:32], keys[32:]


def nonce(seq):
    return bytes(16) + struct.pack(">Q", seq)


class Sender:
    def __init__(self, key):
        self.key, self.next = key, 0

    def encrypt(self, head, plain):
        seq, self.next = self.next, self.next + 1
        return head + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, head, nonce(seq), self.key)

    def seal(self, plain):
        first = struct.unpack(">H", plain[:2])[0] | FLAG
        return self.encrypt(struct.pack(">HI", first, self.next & 0xFFFFFFFF), plain[2:])

    def connect(self, epoch, cookie, connect_id, client_key, plain):
        head = (OOB + b"sealed" + struct.pack(">BBII", 1, epoch, cookie, connect_id) + client_key + bytes(18)
                + struct.pack(">I", self.next))
        return self.encrypt(head, plain)


class Receiver:
    def __init__(self, key):
        self.key, self.top, self.opened = key, -1, set()

    def decrypt(self, seq, head, rest):
        """Returns the plain bytes, or None for a datagram to drop."""
        if seq in self.opened or seq < 0 or self.top - seq >= WINDOW:
            return None
        try:
            plain = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(rest, head, nonce(seq), self.key)
        except CryptoError:
            return None
        self.opened.add(seq)
        self.top = max(self.top, seq)
        return plain

    def open(self, data):
        if len(data) < 22:
            return None
        first, low = struct.unpack(">HI", data[:6])
        if not first & FLAG:
            return None
        top = max(self.top, 0)
        near = top & ~0xFFFFFFFF | low
        seq = min(near - (1 << 32), near, near + (1 << 32), key=lambda n: abs(n - top))
        plain = self.decrypt(seq, data[:6], data[6:])
        return None if plain is None else struct.pack(">H", first & ~FLAG) + plain

    def open_connect(self, data):
        return self.decrypt(struct.unpack(">I", data[70:74])[0], data[:74], data[74:])


def read_vectors(path):
    """Returns the values of the session, and a list of (kind, sequence number, plain, sealed)."""
    session, datagrams = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, value = line.strip().partition(" ")
            if name in ("connect", "to_server", "to_client"):
                datagrams.append([name, int(value)])
            elif name in ("plain", "sealed"):
                datagrams[-1].append(bytes.fromhex(value))
            elif name in ("epoch", "cookie", "connect_id"):
                session[name] = int(value)
            elif name and name != "#":
                session[name] = bytes.fromhex(value)
    return session, datagrams


def check_keys(s):
    """Yields (what, whether the page gives what the file says)."""
    for end in ("server", "epoch", "client"):
        yield f"{end} key", sodium.crypto_scalarmult_base(s[f"{end}_secret"]) == s[f"{end}_public"]
    es, ee = agree(s["client_secret"], s["server_public"], s["epoch_public"])
    yield "es and ee", (es, ee) == (s["es"], s["ee"])
    keys = session_keys((es, ee), s["client_public"], s["epoch_public"], s["server_public"], s["cookie"],
                        s["connect_id"])
    yield "keys", keys == (s["key_to_server"], s["key_to_client"])


def check_datagrams(s, datagrams):
    ends = {"to_server": (Sender(s["key_to_server"]), Receiver(s["key_to_server"])),
            "to_client": (Sender(s["key_to_client"]), Receiver(s["key_to_client"]))}
    ends["connect"] = ends["to_server"]
    for kind, seq, plain, sealed in datagrams:
        sender, receiver = ends[kind]
        sender.next = seq
        if kind == "connect":
            made = sender.connect(s["epoch"], s["cookie"], s["connect_id"], s["client_public"], plain)
            read = receiver.open_connect
        else:
            made, read = sender.seal(plain), receiver.open
        yield f"{kind} {seq}: sealed", made == sealed
        for at in range(len(sealed)):
            changed = bytearray(sealed)
            changed[at] ^= 1 << at % 8
            if read(bytes(changed)) is not None:
                yield f"{kind} {seq}: changed byte {at} is refused", False
        yield f"{kind} {seq}: opened", read(sealed) == plain
        yield f"{kind} {seq}: opened once", read(sealed) is None


def main(argv):
    path = argv[1] if len(argv) > 1 else os.path.join(os.path.dirname(__file__), "seal_vectors.txt")
    session, datagrams = read_vectors(path)
    results = [*check_keys(session), *check_datagrams(session, datagrams)]
    for what, good in results:
        if not good:
            print(f"{path}: {what}: differs from the page", file=sys.stderr)
    failed = sum(not good for _, good in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    sys.exit(failed > 0 or len(datagrams) < 10)


if __name__ == "__main__":
    main(sys.argv)
