"""The client library of edictd in Python, through cffi: joins a server, sends input, sees the world.

    with edict.Client(maps="/usr/local/share/edictd/maps") as client:
        client.connect("127.0.0.1:27500", "snake")
        while client.alive():
            for event in client.frame():
                print(event.type, event.text)
            client.input(forward=320, yaw=client.now_ms / 10)

`lib` and `ffi` give the whole interface of edict/client.h. EDICT_CLIENT_LIBRARY and
EDICT_CLIENT_HEADER name other files than the installed ones.
"""
import collections
import http.client
import os
import pathlib
import re
import threading
import time
import urllib.request

import cffi

HEADER = os.environ.get("EDICT_CLIENT_HEADER", pathlib.Path(__file__).with_name("client.h"))
LIBRARY = os.environ.get("EDICT_CLIENT_LIBRARY", "libedict_client.so.0")


def declarations(header):
    """The declarations of the header, without what is for compilers."""
    text = re.sub(r"//.*", "", header)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    return re.sub(r"#(?!define \w+ +\d).*", "", text)


ffi = cffi.FFI()
ffi.cdef(declarations(pathlib.Path(HEADER).read_text()))
lib = ffi.dlopen(LIBRARY)

Event = collections.namedtuple("Event", "type number text name tick team entity origin args")
EVENTS = {number: name[9:].lower() for number, name in
          ffi.typeof("cl_event_type_t").elements.items()}


class Error(Exception):
    """A call of the library failed, for this reason."""


def text_of(chars):
    return ffi.string(chars).decode(errors="replace")


def clock_ms():
    return time.monotonic_ns() // 1_000_000


class Client:
    """One player or spectator. Not for use by two threads at a time."""

    def __init__(self, maps=None, network=None, seed=0, download=None, **config):
        """maps: folders separated by ":", for prediction. network: such as "mobile,loss=5".
        download: folder for maps that the server has; those with an address are loaded from it."""
        self.err = ffi.new("cl_err_t *")
        self.states = ffi.new("cl_entity_state_t[2048]")
        self.now_ms = clock_ms()
        conditions = ffi.new("char[]", network.encode()) if network else ffi.NULL
        net = ffi.new("cl_net_config_t *", {"network": conditions, "seed": seed})
        self.net = lib.CL_NetCreate(net, self.err)
        self.check(self.net != ffi.NULL)
        self.maps = lib.CL_MapsCreate((maps or "").encode()) if maps or download else ffi.NULL
        self.loaded = []  # maps that threads have loaded
        if download:
            self.check(lib.CL_MapsDownload(self.maps, download.encode(), self.err))
            config.setdefault("url_ms", 15000)
        self.cl = lib.CL_Create(ffi.new("cl_config_t *",
                                        {"net": self.net, "maps": self.maps, **config}))
        if self.cl == ffi.NULL:
            self.free()
            raise Error(f"a field of cl_config_t is out of range: {config}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def check(self, good):
        if not good:
            raise Error(text_of(self.err.text))

    def close(self):
        """Leaves the server and frees the client."""
        if self.cl:
            lib.CL_Disconnect(self.cl)
            lib.CL_Frame(self.cl, clock_ms())
            self.free()

    def free(self):
        lib.CL_Destroy(self.cl)
        lib.CL_MapsDestroy(self.maps)
        self.net.destroy(self.net)
        self.cl = None

    def connect(self, server, name, spectator=False):
        """Starts to join "HOST" or "HOST:PORT"."""
        address = ffi.new("cl_address_t *")
        self.check(lib.CL_Resolve(server.encode(), 27500, address, self.err))
        self.check(lib.CL_Connect(self.cl, address[0], name.encode(), spectator, self.err))

    def load_url(self, url, max_bytes=1 << 26):
        """Loads a map in a thread. A later frame gives it to the client, which checks it."""
        def load():
            try:
                with urllib.request.urlopen(url, timeout=10) as answer:
                    self.loaded.append(answer.read(max_bytes))
            except (OSError, ValueError, http.client.HTTPException):
                pass  # the server then sends the map
        threading.Thread(target=load, daemon=True).start()

    def frame(self, nap_s=0.004):
        """Sleeps, receives, sends due commands, and returns the events since the last frame."""
        time.sleep(nap_s)
        self.now_ms = clock_ms()
        while self.loaded:
            data = self.loaded.pop()
            lib.CL_GiveMap(self.cl, ffi.from_buffer(data), len(data), self.err)
        lib.CL_Frame(self.cl, self.now_ms)
        event, events = ffi.new("cl_event_t *"), []
        while lib.CL_NextEvent(self.cl, event):
            origin = (event.origin.x, event.origin.y, event.origin.z)
            events.append(Event(EVENTS[event.type], event.number, text_of(event.text),
                                text_of(event.name), event.tick, event.team, event.entity,
                                origin if event.has_origin else None,
                                list(event.args)[:event.num_args]))
            if event.type == lib.CL_EVENT_DOWNLOAD and event.text[0] != b"\0":
                self.load_url(events[-1].text)
        return events

    def input(self, **wished):
        """Sets the input: forward, side, up (qu/s), pitch, yaw (degrees), buttons, impulse."""
        lib.CL_SetInput(self.cl, ffi.new("cl_input_t *", wished))

    def alive(self):
        return lib.CL_State(self.cl) != lib.CL_DISCONNECTED

    def active(self):
        return lib.CL_State(self.cl) == lib.CL_ACTIVE

    def reason(self):
        return text_of(lib.CL_Reason(self.cl))

    def command(self, text):
        """Sends a command of the game, such as "kill"."""
        return lib.CL_Command(self.cl, text.encode())

    def say(self, text):
        return lib.CL_Say(self.cl, text.encode())

    def predicted(self):
        """The own player as predicted (cl_player_state_t), or None."""
        player = ffi.new("cl_player_state_t *")
        return player if lib.CL_Predicted(self.cl, player) else None

    def entities(self):
        """The entities of the newest snapshot (cl_entity_state_t), without the own player."""
        count = lib.CL_Entities(self.cl, self.states, len(self.states))
        return [ffi.new("cl_entity_state_t *", self.states[i]) for i in range(count)]

    def shown(self, number):
        """Where an entity is shown now: ((x, y, z), (pitch, yaw, roll)), or None."""
        tick, frac, pose = ffi.new("int64_t *"), ffi.new("uint16_t *"), ffi.new("cl_pose_t *")
        if not lib.CL_ViewTime(self.cl, tick, frac) or \
                not lib.CL_EntityPose(self.cl, number, tick[0], frac[0], pose):
            return None
        return tuple((v.x, v.y, v.z) for v in (pose.origin, pose.angles))

    def class_name(self, entity):
        return text_of(lib.CL_ClassName(self.cl, entity))

    def stats(self):
        """Counters (cl_stats_t)."""
        stats = ffi.new("cl_stats_t *")
        lib.CL_Stats(self.cl, stats)
        return stats
