#!/usr/bin/python3
"""Prints a connect token. A service of your own calls token() after a player has logged in.

usage: make_token.py SIGNER_KEY_FILE PLAYER_ID SERVER_PUBLIC_KEY [NAME]
"""
import base64
import datetime
import json
import secrets
import struct
import sys

from nacl.signing import SigningKey  # pip install pynacl, or Debian's python3-nacl


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(signer, player, servers, name=None, seconds=60):
    """signer: a SigningKey. servers: public keys of servers, as text."""
    now = datetime.datetime.now(datetime.timezone.utc)
    claims = {"sub": player, "jti": secrets.token_hex(16), "aud": servers,
              "iat": now.isoformat(), "exp": (now + datetime.timedelta(seconds=seconds)).isoformat()}
    if name:
        claims["name"] = name
    message = json.dumps(claims).encode()
    parts = (b"v4.public.", message, b"", b"")  # no footer, no implicit assertion
    signed = struct.pack("<Q", 4) + b"".join(struct.pack("<Q", len(part)) + part for part in parts)
    return (b"v4.public." + base64url(message + signer.sign(signed).signature)).decode()


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        seed = base64.urlsafe_b64decode(file.read().strip() + "=")
    print(token(SigningKey(seed), sys.argv[2], [sys.argv[3]], *sys.argv[4:5]))
