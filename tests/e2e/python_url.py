"""Tests the Python package: a client loads the map from the address that the server names, or else from the server.

usage: python_url.py    (tests/e2e/install.sh runs it with the installed files; BUILD: default build)

The web server is Python's own, on 127.0.0.1.
"""
import http.server
import pathlib
import tempfile
import threading
import time

import daemon
import edict

MAP = pathlib.Path(daemon.MAP).read_bytes()
LIMIT_S = 30


class Web(http.server.BaseHTTPRequestHandler):
    """Answers each request as `mode` says, and counts the requests."""
    mode, paths = "map", []

    def do_GET(self):  # pylint: disable=invalid-name
        self.paths.append(self.path)
        if self.mode == "no http":
            self.wfile.write(b"\xff\xfe\n\n")
            return
        body = {"map": MAP, "other": b"\0" + MAP[1:], "long": MAP + b"\0", "cut": MAP[:-1000]}.get(self.mode, b"")
        self.send_response(404 if self.mode == "missing" else 200)
        self.send_header("Content-Length", str(len(MAP) if self.mode == "cut" else len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def play(port, folder):
    """Joins until active. Returns the address of the event and the bytes that the server sent of the map."""
    url_ms = 1000 * LIMIT_S if Web.mode == "map" else 600  # then the client takes the map from the server
    with edict.Client(download=folder, url_ms=url_ms) as client:
        client.connect(f"127.0.0.1:{port}", "loader")
        address, end = "", time.monotonic() + LIMIT_S
        while not client.active():
            assert client.alive() and time.monotonic() < end, f"{Web.mode}: {client.reason()}"
            for event in client.frame():
                address = event.text if event.type == "download" else address
        assert edict.lib.CL_HasMap(client.cl), Web.mode
        stored = list(pathlib.Path(folder).glob("*/*.bsp"))
        assert [path.read_bytes() for path in stored] == [MAP], f"{Web.mode}: {stored}"
        return address, client.stats().download_bytes


threads = []
threading.excepthook = threads.append  # of a thread that failed
web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
threading.Thread(target=web.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{web.server_port}/maps/"
with daemon.server("+set", "sv_downloadurl", base) as running:
    for Web.mode in ("map", "missing", "other", "long", "cut", "no http"):
        Web.paths.clear()
        with tempfile.TemporaryDirectory() as maps:
            named, from_server = play(running.port, maps)
        assert named.startswith(base) and named.endswith("/walk1.bsp"), named
        assert Web.paths == [named[len(base) - len("/maps/"):]], Web.paths
        assert (from_server == 0) == (Web.mode == "map"), f"{Web.mode}: {from_server} bytes from the server"
web.shutdown()
assert not threads, threads
