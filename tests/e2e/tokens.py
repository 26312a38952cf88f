#!/usr/bin/env python3
"""Tokens and tickets on the real daemon: joins, refusals, a restart, rotation of keys, kicks and bans by id.

usage: tokens.py [TEST]...     (default: all of them)
Environment: BUILD (default build). Ends with `N passed, N failed`.
"""
import base64
import contextlib
import hashlib
import os
import re
import subprocess
import sys
import tempfile

import daemon

CTL = f"{daemon.BUILD}/edict-ctl"
EXAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "make_token.py")
JOIN = 'assert(bot:join("visitor")) bot:wait(10)\n'
TICKET = """assert(bot:join("visitor")) bot:wait(10)
for _, event in ipairs(bot:events()) do if event.type == "ticket" then print("TICKET " .. event.text) end end
bot:leave() bot:wait(10)
assert(bot:join("visitor"))
"""


def ctl(*args):
    done = subprocess.run([CTL, *args], capture_output=True, text=True, timeout=daemon.LIMIT_S)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Keys:
    """Key files of a server and of signers."""

    def __init__(self, folder):
        self.folder = folder
        self.server_file = f"{folder}/server.key"
        self.server = ctl("key", "new", self.server_file)
        self.signers = [ctl("key", "sign", f"{folder}/signer{i}.key") for i in range(2)]

    def token(self, player, *args, signer=0):
        return ctl("token", "--key", f"{self.folder}/signer{signer}.key", "--sub", player, "--ttl", "600", *args,
                   "--server", self.server)

    def options(self):
        return ["+set", "sv_auth", "token", "+set", "sv_keyfile", self.server_file, "+set", "sv_authkeys",
                self.signers[0]]

    def bot(self, running, token, script=JOIN, *args):
        path = f"{self.folder}/token"
        with open(path, "w") as file:
            file.write(token + "\n")
        return daemon.bots(running.port, script, "-t", "60", "-k", self.server, "-T", path, *args)

    def refused(self, running, token, why):
        done = self.bot(running, token)
        assert done.returncode == 2 and why in done.stdout, f'expected "{why}": {done.stdout}{done.stderr}'


@contextlib.contextmanager
def new_keys():
    with tempfile.TemporaryDirectory() as folder:
        yield Keys(folder)


def must_join(done):
    assert done.returncode == 0, done.stdout + done.stderr


def test_start_needs_keys():
    with new_keys() as keys:
        def fails(why, *args):
            done = daemon.run("-p", "0", *args, "+map", daemon.MAP)
            assert done.returncode == 1 and why in done.stdout + done.stderr, done.stdout + done.stderr

        signer = ["+set", "sv_authkeys", keys.signers[0]]
        server = ["+set", "sv_keyfile", keys.server_file]
        for check in ([], ["-n"]):
            fails("sv_auth token: expected sv_authkeys", *check, *server, "+set", "sv_auth", "token")
            fails("sv_auth token: expected sv_keyfile", *check, *signer, "+set", "sv_auth", "token")
        fails("sv_authkeys: expected 43 characters", *server, "+set", "sv_authkeys", "secret")
        fails("sv_auth: expected open|password|token", "+set", "sv_auth", "none")
        os.chmod(keys.server_file, 0o644)
        fails("run \"chmod 600", *server, *signer, "+set", "sv_auth", "token")


def test_tokens_and_tickets():
    with new_keys() as keys:
        ticket = play_and_refuse(keys)
        with daemon.server(*keys.options()) as running:
            must_join(keys.bot(running, ticket))  # the ticket outlives the server
            running.ask("status", r"seal required  server key " + re.escape(keys.server))


def play_and_refuse(keys):
    """Joins with a token, then lets joins be refused. Returns the ticket."""
    with daemon.server(*keys.options(), "+set", "sv_seal", "offered") as running:
        assert running.ready.endswith(" -k KEY -T FILE\n"), running.ready
        token = keys.token("steam:1", "--name", "Ann")
        done = keys.bot(running, token, TICKET)
        must_join(done)
        ticket = re.search(r"TICKET (ticket1\S+)", done.stdout).group(1)
        assert len(re.findall(r'join slot=0 name="Ann" .* id="steam:1"', running.log())) == 2, running.log()
        keys.refused(running, token, "the token was used before")
        keys.refused(running, keys.token("bob", signer=1), "unknown signer")
        keys.refused(running, ticket[:-1], "malformed ticket")
        done = daemon.bots(running.port, JOIN, "-t", "60", "-k", keys.signers[0])
        assert "the server has another key than expected" in done.stdout, done.stdout
        done = daemon.bots(running.port, JOIN, "-t", "60")
        assert "this server needs a token" in done.stdout, done.stdout
        done = daemon.bots(running.port, JOIN, "-t", "60", "--no-seal")
        assert "this server needs a sealed session" in done.stdout, done.stdout
        running.ask("status", r"password 0  token 4  rate 0")
        return ticket


def test_an_open_server_ignores_its_password():
    with daemon.server("+set", "sv_auth", "open", "+set", "sv_password", "sesame") as running:
        assert running.ready.endswith("patrol.lua\n"), running.ready
        must_join(daemon.bots(running.port, JOIN, "-t", "60"))


def test_the_example_in_python():
    with new_keys() as keys, daemon.server(*keys.options()) as running:
        token = subprocess.run(["/usr/bin/python3", EXAMPLE, f"{keys.folder}/signer0.key", "steam:1", keys.server,
                                "Änne"], capture_output=True, text=True, timeout=daemon.LIMIT_S, check=True).stdout.strip()
        must_join(keys.bot(running, token))
        assert running.logs(r'join slot=0 name="Änne" address="[^"]*" id="steam:1"')


def test_rotation_of_keys():
    with new_keys() as keys, daemon.server(*keys.options()) as running:
        old = keys.token("ann")
        running.ask(f'set sv_authkeys "{keys.signers[0]} {keys.signers[1]}"; sv_authkeys', "sv_authkeys = ")
        must_join(keys.bot(running, keys.token("bob", signer=1)))
        running.ask("set sv_authkeys nonsense", "error: sv_authkeys: expected 43 characters")
        running.ask('set sv_authkeys ""', "error: sv_authkeys: expected a public key")
        running.ask(f"set sv_authkeys {keys.signers[1]}; sv_authkeys", f'sv_authkeys = "{keys.signers[1]}"')
        keys.refused(running, old, "unknown signer")


def test_a_token_for_each_bot():
    with new_keys() as keys, daemon.server(*keys.options()) as running:
        tokens = "\n".join(keys.token(f"bot{i}") for i in range(3))
        must_join(keys.bot(running, tokens, JOIN, "-n", "3"))
        done = keys.bot(running, tokens, JOIN, "-n", "4")
        assert done.returncode == 2 and "expected 4 lines with a token each" in done.stdout + done.stderr, done.stdout + done.stderr


def test_bans_of_ids_last():
    with new_keys() as keys:
        options = [*keys.options(), "+set", "sv_banfile", f"{keys.folder}/bans"]
        with daemon.server(*options) as running:
            running.ask("ban id:ann cheats", "ban id:ann forever cheats")
            keys.refused(running, keys.token("ann"), "you are banned from this server")
        with daemon.server(*options) as running:
            keys.refused(running, keys.token("ann"), "you are banned from this server")
            running.ask("unban id:ann", "unban id:ann")
            must_join(keys.bot(running, keys.token("ann")))


def places_in_memory(pid, secrets):
    """Yields the name of each secret that the memory of a process holds, and whether a core dump would have it."""
    with open(f"/proc/{pid}/smaps") as smaps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        text = smaps.read()
        for first, last, flags in re.findall(r"^([0-9a-f]+)-([0-9a-f]+) r.*\n(?:[A-Z].*\n)*?VmFlags:(.*)", text, re.M):
            with contextlib.suppress(OSError, OverflowError):  # pages of the kernel
                memory.seek(int(first, 16))
                data = memory.read(int(last, 16) - int(first, 16))
                yield from ((name, " dd" not in flags) for name, secret in secrets.items() if secret in data)


def test_core_dumps_hold_no_keys():
    with new_keys() as keys, daemon.server(*keys.options()) as running:
        must_join(keys.bot(running, keys.token("ann")))
        with open(keys.server_file) as file:
            text = file.read().strip()
        secret = base64.urlsafe_b64decode(text + "=")
        ticket_key = hashlib.blake2b(b"edictd ticket 1", digest_size=32, key=secret).digest()
        found = set(places_in_memory(running.process.pid, {"text": text[:20].encode(), "secret": secret[1:31],
                                                           "ticket key": ticket_key}))  # clamping changes both ends
        assert found == {("secret", False), ("ticket key", False)}, found


if __name__ == "__main__":
    sys.exit(daemon.main(globals()))
