"""Tokens for the honest players of a row, and all kinds of tokens that no server must accept."""
import base64
import ctypes
import datetime
import itertools
import json
import os
import struct
import subprocess
import tempfile

BUILD = os.environ.get("BUILD", "build")
CTL = f"{BUILD}/edict-ctl"
sodium = ctypes.CDLL("libsodium.so.23")

# Kinds of bad tokens, and what the refusal says.
WHY = {
    "forged": "unknown signer", "changed": "unknown signer", "cut": "malformed token",
    "footer": "unknown signer", "empty": "needs a token", "long": "malformed token",
    "expired": "expired", "later": "not valid for another", "forever": "more than 24 h",
    "foreign": "not for this server", "nobody": "not for this server", "reused": "used before",
    "ticket": "malformed ticket", "other-ticket": "not of this server",
    "no-json": "malformed token: claims", "twice": "malformed token: claims", "nul": "malformed token",
    "deep": "malformed token: claims", "utf-8": "malformed token: claims", "array": "a JSON object",
    "number": "expected sub", "blanks": "visible ASCII", "long-id": "expected sub",
    "escapes": "expected name", "exp-number": "expected exp", "exp-huge": "expected exp",
    "no-jti": "expected jti",
}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def ctl(*args):
    return subprocess.run([CTL, *args], capture_output=True, text=True, timeout=20, check=True).stdout.strip()


def sign(message, seed, footer=b""):
    """A PASETO v4.public without help of the product."""
    public, secret, signature = (ctypes.create_string_buffer(n) for n in (32, 64, 64))
    sodium.crypto_sign_seed_keypair(public, secret, seed)
    parts = (b"v4.public.", message, footer, b"")
    signed = struct.pack("<Q", 4) + b"".join(struct.pack("<Q", len(part)) + part for part in parts)
    sodium.crypto_sign_detached(signature, None, signed, ctypes.c_ulonglong(len(signed)), secret)
    return "v4.public." + base64url(message + signature.raw) + ("." + base64url(footer) if footer else "")


def after(seconds):
    time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


class Keys:
    """The key files of a server and of its signer."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        self.server = ctl("key", "new", f"{self.path}/server.key")
        self.signer = ctl("key", "sign", f"{self.path}/signer.key")
        with open(f"{self.path}/signer.key") as file:
            self.seed = base64.urlsafe_b64decode(file.read().strip() + "=")
        self.used, self.counter = [], itertools.count()

    def options(self):
        return ("+set", "sv_auth", "token", "+set", "sv_keyfile", f"{self.path}/server.key",
                "+set", "sv_authkeys", self.signer)

    def words(self, count):
        """Arguments with which so many players may join."""
        first = ctl("token", "--key", f"{self.path}/signer.key", "--sub", f"ctl{next(self.counter)}",
                    "--server", self.server)
        tokens = [first] + [self.token() for _ in range(count - 1)]
        self.used += tokens
        return self.arguments(tokens)

    def arguments(self, tokens):
        path = f"{self.path}/tokens{next(self.counter)}"
        with open(path, "w") as file:
            file.write("\n".join(tokens) + "\n")
        return [f"key={self.server}", f"tokens={path}"]

    def claims(self, **more):
        number = next(self.counter)
        claims = {"sub": f"id{number}", "jti": f"jti{number}", "exp": after(300), "aud": self.server, **more}
        return json.dumps({key: value for key, value in claims.items() if value is not None})

    def token(self, **more):
        return sign(self.claims(**more).encode(), self.seed)

    def bad(self):
        """One token of each kind."""
        good, message = self.token(), self.claims().encode()
        middle = len(good) // 2
        bad = {
            "forged": sign(message, os.urandom(32)),
            "changed": good[:middle] + ("A" if good[middle] != "A" else "B") + good[middle + 1:],
            "cut": good[:40],
            "footer": sign(message, self.seed, b"a footer").rsplit(".", 1)[0] + "." + base64url(b"another"),
            "empty": "",
            "long": "v4.public." + 1014 * "=",
            "expired": self.token(exp=after(-1)),
            "later": self.token(nbf=after(600)),
            "forever": self.token(exp=after(25 * 3600)),
            "foreign": self.token(aud=base64url(os.urandom(32))),
            "nobody": self.token(aud=[None, 1, {"a": self.server}, self.server[:-1], self.server + "A"]),
            "reused": self.used[-1],
            "ticket": "ticket1.",
            "other-ticket": "ticket1." + base64url(os.urandom(24 + 8 + 64 + 32 + 16)),
            "number": self.token(sub=7),
            "blanks": self.token(sub="two words"),
            "long-id": self.token(sub=64 * "x"),
            "escapes": self.token(name="\n\u001b[2J edictd: INFO: all is well"),
            "exp-number": self.token(exp=2 ** 60),
            "exp-huge": self.token(exp="999999999-12-31T00:00:00Z"),
            "no-jti": self.token(jti=None),
        }
        texts = {
            "no-json": b"{" + message, "twice": message[:-1] + b', "sub": "root"}', "utf-8": message[:-1] + b', "a": "\xff\xfe"}',
            "nul": self.claims(sub="root\0x").encode(), "deep": 600 * b"[", "array": b"[" + message + b"]",
        }
        bad.update((kind, sign(text, self.seed)) for kind, text in texts.items())
        assert bad.keys() == WHY.keys()
        return bad
