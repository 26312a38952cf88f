"""The numbers of the protocol: a message as a stream of bits."""
import struct


class Bad(Exception):
    """A message that the page calls an error."""


def check(good, what):
    if not good:
        raise Bad(what)


class Bits:
    """A message as a stream of bits, lowest first."""

    def __init__(self, data):
        self.value = int.from_bytes(data, "little")
        self.left = len(data) * 8

    def u(self, bits):
        check(bits <= self.left, "the message is cut off")
        value = self.value & ((1 << bits) - 1)
        self.value >>= bits
        self.left -= bits
        return value

    def flag(self):
        return self.u(1)

    def i32(self):
        return signed32(self.u(32))

    def range(self, low, high):
        value = low + self.u((high - low).bit_length())
        check(value <= high, f"{value} is beyond {high}")
        return value

    def tick(self):
        value = shift = 0
        while True:
            group = self.u(7)
            value |= group << shift
            if not self.flag():
                break
            shift += 7
        check(value <= 1 << 42, "a tick beyond 2^42")
        check(shift == 0 or group != 0, "a last group of zeros")
        return value

    def var(self, k):
        top = k
        while self.flag():
            top += 1
            check(top <= 32, "a number beyond 32 bits")
        value = (1 << top) + self.u(top) - (1 << k)
        check(value < 1 << 32, "a number beyond 32 bits")
        return value

    def signed(self, k):
        value = self.var(k)
        return -(value + 1) // 2 if value % 2 else value // 2

    def text(self, limit, allowed=""):
        length = self.u(16)
        check(length < limit, "a text that is too long")
        raw = bytes(self.u(8) for _ in range(length))
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise Bad("a text that is no UTF-8") from None
        controls = [c for c in text if ord(c) < 0x20 or 0x7F <= ord(c) <= 0x9F]
        check(all(c in allowed for c in controls), "a control character")
        return text

    def real(self):
        if not self.flag():
            bits = self.u(32)
            check(whole(bits) is None, "a whole number in 32 bits")
            return bits
        number = self.signed(6)
        check(abs(number) <= 1 << 20, "a whole number beyond 2^20")
        return float_bits(float(number))

    def end(self):
        check(self.left < 8 and self.value == 0, "bits follow after the last field")


def signed32(value):
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def float_bits(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]


def whole(bits):
    """Returns the whole number within +-2^20 that these bits are, or None."""
    number = float_of(bits)
    if not abs(number) <= 1 << 20 or number != int(number) or float_bits(float(int(number))) != bits:
        return None
    return int(number)


class Writer:
    """A message to write, lowest bit first."""

    def __init__(self):
        self.value = self.count = 0

    def u(self, value, bits):
        self.value |= value << self.count
        self.count += bits
        return self

    def text(self, text):
        data = text.encode()
        return self.u(len(data), 16).u(int.from_bytes(data, "little"), len(data) * 8)

    def tick(self, tick):
        while tick >= 128:
            self.u(tick & 127, 7).u(1, 1)
            tick >>= 7
        return self.u(tick, 7).u(0, 1)

    def var(self, value, k):
        x = value + (1 << k)
        top = x.bit_length() - 1
        return self.u((1 << (top - k)) - 1, top - k + 1).u(x - (1 << top), top)

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")
