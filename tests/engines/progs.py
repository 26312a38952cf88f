"""Writes progs.dat, the smallest game that Quake's engines accept: brush entities show their model,
and a player stands still at a given place until a command ends the engine."""
import struct

# Operations and types of the format.
DONE, ADD_F, EQ_F, LOAD_S, ADDRESS, STORE_V, STORE_S, STORE_ENT, STOREP_F, STOREP_V, IFNOT, CALL1, CALL2 = (
    0, 6, 10, 26, 30, 32, 33, 34, 37, 38, 50, 52, 53)
STRING, FLOAT, VECTOR, ENTITY, FIELD, FUNCTION = 1, 2, 3, 4, 5, 6
TYPES = {"": FLOAT, "v": VECTOR, "s": STRING, "e": ENTITY, "f": FUNCTION}
PARM0, PARM1 = 4, 7  # globals that hold a call's arguments
SET_MODEL, PRECACHE_MODEL, LOCAL_COMMAND = 3, 20, 46  # built-in functions

CALLBACKS = ("main StartFrame PlayerPreThink PlayerPostThink ClientKill ClientConnect "
             "PutClientInServer ClientDisconnect SetNewParms SetChangeParms").split()
REST = ("serverflags total_secrets total_monsters found_secrets killed_monsters "
        + " ".join(f"parm{n}" for n in range(1, 17)) +
        " v_forward:v v_up:v v_right:v trace_allsolid trace_startsolid trace_fraction "
        "trace_endpos:v trace_plane_normal:v trace_plane_dist trace_ent:e trace_inopen "
        "trace_inwater msg_entity:e " + " ".join(name + ":f" for name in CALLBACKS))
GLOBALS = {
    "quake": "self:e other:e world:e time frametime force_retouch mapname:s deathmatch coop "
             "teamplay " + REST,
    "quakeworld": "self:e other:e world:e time frametime newmis:e force_retouch mapname:s " + REST,
}
FIELDS = ("modelindex absmin:v absmax:v ltime {quakeworld} movetype solid origin:v oldorigin:v "
          "velocity:v angles:v avelocity:v {quake} classname:s model:s frame skin effects mins:v "
          "maxs:v size:v touch:f use:f think:f blocked:f nextthink groundentity:e health frags "
          "weapon weaponmodel:s weaponframe currentammo ammo_shells ammo_nails ammo_rockets "
          "ammo_cells items takedamage chain:e deadflag view_ofs:v button0 button1 button2 impulse "
          "fixangle v_angle:v {pitch} netname:s enemy:e flags colormap team max_health "
          "teleport_time armortype armorvalue waterlevel watertype ideal_yaw yaw_speed aiment:e "
          "goalentity:e spawnflags target:s targetname:s dmg_take dmg_save dmg_inflictor:e owner:e "
          "movedir:v message:s sounds noise:s noise1:s noise2:s noise3:s")
ONLY = {"quake": {"quakeworld": "", "quake": "punchangle:v", "pitch": "idealpitch"},
        "quakeworld": {"quakeworld": "lastruntime", "quake": "", "pitch": ""}}
CHECKSUM = {"quake": 5927, "quakeworld": 54730}


class Progs:
    """A game under construction: tables of the file, and the numbers of named globals."""

    def __init__(self, kind):
        self.kind = kind
        self.strings = bytearray(1)
        self.statements = [(DONE, 0, 0, 0)]
        self.functions = [(0, 0)]
        self.values = [0] * 28
        self.global_defs, self.field_defs = [(0, 0, 0)], [(0, 0, 0)]
        self.at = {}
        self.num_fields = 0
        for word in GLOBALS[kind].split():
            name, _, what = word.partition(":")
            self.variable(name, TYPES[what])
        for word in FIELDS.format(**ONLY[kind]).split():
            name, _, what = word.partition(":")
            self.field(name, TYPES[what])

    def string(self, text):
        at = len(self.strings)
        self.strings += text.encode(errors="replace") + b"\0"
        return at

    def variable(self, name, what, values=None):
        self.at[name] = len(self.values)
        self.global_defs.append((what, len(self.values), self.string(name)))
        self.values += values or [0] * (3 if what == VECTOR else 1)
        return self.at[name]

    def floats(self, name, *values):
        what = VECTOR if len(values) == 3 else FLOAT
        return self.variable(name, what, list(struct.unpack(f"<{len(values)}i", struct.pack(f"<{len(values)}f", *values))))

    def text(self, name, value):
        return self.variable(name, STRING, [self.string(value)])

    def field(self, name, what):
        self.field_defs.append((what, self.num_fields, self.string(name)))
        self.variable("." + name, FIELD, [self.num_fields])
        self.num_fields += 3 if what == VECTOR else 1

    def function(self, name, *statements):
        """Adds a function of these statements."""
        self.add(name, len(self.statements))
        self.statements += list(statements) + [(DONE, 0, 0, 0)]

    def builtin(self, name, number):
        """Adds a built-in function of the engine, and returns the global that holds it."""
        self.add(name, -number)
        return self.variable("call " + name, FUNCTION, [len(self.functions) - 1])

    def add(self, name, first):
        self.functions.append((first, self.string(name)))
        if name in CALLBACKS:
            self.values[self.at[name]] = len(self.functions) - 1

    def store(self, field, operation, value):
        """Returns the statements of self.field = value."""
        pointer = self.at["pointer"]
        return [(ADDRESS, self.at["self"], self.at["." + field], pointer), (operation, value, pointer, 0)]

    def bytes(self):
        tables = [
            (b"".join(struct.pack("<H3h", *s) for s in self.statements), len(self.statements)),
            (b"".join(struct.pack("<HHi", *d) for d in self.global_defs), len(self.global_defs)),
            (b"".join(struct.pack("<HHi", *d) for d in self.field_defs), len(self.field_defs)),
            (b"".join(struct.pack("<7i8x", f[0], 0, 0, 0, f[1], 0, 0) for f in self.functions), len(self.functions)),
            (bytes(self.strings), len(self.strings)),
            (struct.pack(f"<{len(self.values)}i", *self.values), len(self.values)),
        ]
        header, body = struct.pack("<2i", 6, CHECKSUM[self.kind]), b""
        for data, count in tables:
            header += struct.pack("<2i", 60 + len(body), count)
            body += data + bytes(-len(data) % 4)
        return header + struct.pack("<i", self.num_fields) + body


def make(kind, entities, eye, yaw, command):
    """Returns the game for a map's entities, a list of dicts. The player's eye is at `eye`; after 30
    ticks the engine executes `command`. kind: "quake" or "quakeworld"."""
    p = Progs(kind)
    known = {word.partition(":")[0] for word in FIELDS.format(**ONLY[kind]).split()}
    for key in sorted({key for entity in entities for key in entity} - known - {"light"} | {"light_lev"}):
        p.field(key, STRING)  # engines rename the key "light"
    me = p.at["self"]
    p.variable("pointer", FLOAT)
    here, there, still = p.floats("here", *eye), p.floats("there", 0, yaw, 0), p.floats("still", 0, 0, 0)
    one, limit, ticks, is_due = p.floats("one", 1), p.floats("limit", 30), p.floats("ticks", 0), p.floats("is_due", 0)
    text, execute = p.text("command", command), p.builtin("localcmd", LOCAL_COMMAND)
    p.function("PutClientInServer", *p.store("origin", STOREP_V, here), *p.store("angles", STOREP_V, there),
               *p.store("fixangle", STOREP_F, one), *p.store("health", STOREP_F, one))
    p.function("PlayerPostThink", (ADD_F, ticks, one, ticks), (EQ_F, ticks, limit, is_due), (IFNOT, is_due, 3, 0),
               (STORE_S, text, PARM0, 0), (CALL1, execute, 0, 0))
    for name in CALLBACKS:
        if name not in ("PutClientInServer", "PlayerPostThink"):
            p.function(name)
    precache = p.builtin("precache_model", PRECACHE_MODEL)
    calls = []
    for name in ["progs/player.mdl", "progs/eyes.mdl"] if kind == "quakeworld" else []:
        calls += [(STORE_S, p.text(name, name), PARM0, 0), (CALL1, precache, 0, 0)]
    p.function("worldspawn", *calls)
    set_model = p.builtin("setmodel", SET_MODEL)
    shows = {entity.get("classname") for entity in entities if entity.get("model", "").startswith("*")}
    for name in sorted({entity.get("classname", "none") for entity in entities} - {"worldspawn"}):
        p.function(name, *([*p.store("angles", STOREP_V, still), (STORE_ENT, me, PARM0, 0),
                            (LOAD_S, me, p.at[".model"], PARM1), (CALL2, set_model, 0, 0)] if name in shows else []))
    return p.bytes()
