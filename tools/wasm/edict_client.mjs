// edict_client.mjs - loads the client library as WebAssembly (edict_client.wasm) and calls it.
// Runs in browsers and Node.js. The program brings the transport and the maps; docs/client.md.
//
//     const edict = await load(wasmBytes, layout);     // edict_client.wasm, edict_client.json
//     const client = edict.client(transport, (path) => bytesOrNull, { cmd_ms: 8 });
//     client.connect('127.0.0.1', 27500, 'name');
//     client.frame(performance.now()).forEach(show);   // once per drawn frame
//
// A transport is an object with the functions of cl_transport_t:
//     poll(nowMs)                          returns null, or { type, peer, channel, reason, data }
//     send(peer, channel, reliable, data)  returns false if the message is not queued
//     connect(host, port)                  returns the peer; throws an Error with the reason
//     drop(peer, reason), flush(), rttMs(peer), silenceMs(peer)
//     setSeal(seal, key), isSealed(peer), traffic()     may be missing
// `type` is CL_NET_CONNECTED, CL_NET_MESSAGE or CL_NET_LEFT of edict.constants.

const BAD_FILE = 8; // WASI: the C library finds no folder, and uses no standard stream

const READERS = {
    u8: (view, at) => view.getUint8(at), u16: (view, at) => view.getUint16(at, true),
    i32: (view, at) => view.getInt32(at, true), u32: (view, at) => view.getUint32(at, true),
    i64: (view, at) => Number(view.getBigInt64(at, true)),
    u64: (view, at) => Number(view.getBigUint64(at, true)),
    f32: (view, at) => view.getFloat32(at, true), bool: (view, at) => view.getUint8(at) !== 0,
    pointer: (view, at) => view.getUint32(at, true),
};
const WRITERS = {
    u8: (view, at, n) => view.setUint8(at, n), u16: (view, at, n) => view.setUint16(at, n, true),
    i32: (view, at, n) => view.setInt32(at, n, true),
    u32: (view, at, n) => view.setUint32(at, n, true),
    i64: (view, at, n) => view.setBigInt64(at, BigInt(n), true),
    u64: (view, at, n) => view.setBigUint64(at, BigInt(n), true),
    f32: (view, at, n) => view.setFloat32(at, n, true),
    bool: (view, at, n) => view.setUint8(at, n ? 1 : 0),
    pointer: (view, at, n) => view.setUint32(at, n, true),
};
const SIZES = { u8: 1, u16: 2, i32: 4, u32: 4, i64: 8, u64: 8, f32: 4, bool: 1, pointer: 4 };

/// The module: its exported functions, `call`, and its memory as structs and texts.
export class Edict {
    constructor(module, layout) {
        this.structs = layout.structs;
        this.constants = layout.constants;
        this.transports = [];
        this.storages = [];
        const wasi = new Proxy({}, { get: () => () => BAD_FILE });
        const instance = new WebAssembly.Instance(module,
            { edict: this.#imports(), wasi_snapshot_preview1: wasi });
        this.call = instance.exports;
        this.memory = instance.exports.memory;
        this.call._initialize();
        this.eventType = Object.fromEntries(Object.entries(this.constants)
            .filter(([name]) => name.startsWith('CL_EVENT_') && name !== 'CL_EVENT_ARGS')
            .map(([name, number]) => [number, name.slice('CL_EVENT_'.length).toLowerCase()]));
    }

    get view() { // the memory moves when it grows
        return new DataView(this.memory.buffer);
    }

    bytes(at, size) {
        return new Uint8Array(this.memory.buffer, at, size);
    }

    text(at) {
        const all = new Uint8Array(this.memory.buffer, at);
        return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
    }

    writeText(at, size, text) {
        const encoded = new TextEncoder().encode(text).subarray(0, size - 1);
        this.bytes(at, size).fill(0).set(encoded);
    }

    alloc(size) {
        const at = this.call.malloc(size);
        if (at === 0) {
            throw new Error(`out of memory: ${size} bytes`);
        }
        this.bytes(at, size).fill(0);
        return at;
    }

    /// Calls `use` with the places of zeroed structs, and frees them.
    with(names, use) {
        const places = names.map((name) => this.alloc(this.structs[name].size));
        try {
            return use(...places);
        } finally {
            places.forEach((at) => this.call.free(at));
        }
    }

    /// The same with a text.
    withText(text, use) {
        const size = new TextEncoder().encode(text).length + 1;
        const at = this.alloc(size);
        this.writeText(at, size, text);
        try {
            return use(at);
        } finally {
            this.call.free(at);
        }
    }

    /// Returns a struct as an object. Numbers of 64 bits are exact up to 2^53.
    read(name, at) {
        const read = {};
        const view = this.view;
        for (const [field, [place, type, count]] of Object.entries(this.structs[name].fields)) {
            if (type === 'char') {
                read[field] = this.text(at + place);
            } else {
                const size = SIZES[type] ?? this.structs[type].size;
                const one = (i) => (READERS[type] ? READERS[type](view, at + place + i * size)
                    : this.read(type, at + place + i * size));
                read[field] = count === 1 ? one(0) : Array.from({ length: count }, (_, i) => one(i));
            }
        }
        return read;
    }

    /// Writes the fields of an object into a struct.
    write(name, at, fields) {
        for (const [field, number] of Object.entries(fields)) {
            const known = this.structs[name].fields[field];
            if (!known || !WRITERS[known[1]]) {
                throw new Error(`${name} has no number "${field}"`);
            }
            WRITERS[known[1]](this.view, at + known[0], number);
        }
    }

    /// Creates a client. `open(path)` returns the bytes of "arena.bsp", or null; `config`: numbers
    /// of cl_config_t.
    client(transport, open, config = {}) {
        return new Client(this, transport, open, config);
    }

    #imports() {
        const net = (id) => this.transports[id];
        return {
            bug: (text) => { throw new Error(this.text(text)); },
            poll: (id, nowMs, event, data, room) => this.#poll(net(id), nowMs, event, data, room),
            send: (id, peer, channel, reliable, data, size) =>
                (net(id).send(peer, channel, reliable !== 0, this.bytes(data, size).slice()) ? 1 : 0),
            drop: (id, peer, reason) => net(id).drop(peer, reason),
            flush: (id) => net(id).flush(),
            connect: (id, host, port, err) => {
                try {
                    const parts = [24, 16, 8, 0].map((shift) => (host >>> shift) & 255);
                    return net(id).connect(parts.join('.'), port);
                } catch (error) {
                    this.writeText(err, this.structs.cl_err_t.size, error.message);
                    return -1;
                }
            },
            rtt_ms: (id, peer) => net(id).rttMs(peer),
            silence_ms: (id, peer) => net(id).silenceMs(peer),
            set_seal: (id, seal, key) => net(id).setSeal?.(seal, key && this.bytes(key, 32).slice()),
            is_sealed: (id, peer) => (net(id).isSealed?.(peer) ? 1 : 0),
            traffic: (id, at) => this.write('cl_traffic_t', at, net(id).traffic?.() ?? {}),
            open: (id, path, size) => {
                const data = this.storages[id](this.text(path));
                const at = data && this.call.malloc(data.length + 1);
                if (!at) {
                    return 0;
                }
                this.bytes(at, data.length).set(data);
                this.view.setUint32(size, data.length, true);
                return at;
            },
        };
    }

    #poll(net, nowMs, event, place, room) {
        const found = net.poll(nowMs);
        if (!found) {
            return 0;
        }
        const data = found.data ?? new Uint8Array(0);
        if (data.length > room) {
            throw new Error(`a message of ${data.length} bytes: expected at most ${room}`);
        }
        this.write('cl_net_event_t', event, { type: found.type, peer: found.peer,
            channel: found.channel ?? 0, reason: found.reason ?? 0 });
        this.bytes(place, data.length).set(data);
        return data.length;
    }
}

/// A client: the usual calls. All others are edict.call.CL_...(client.cl, ...).
export class Client {
    constructor(edict, transport, open, config) {
        this.edict = edict;
        this.id = edict.transports.push(transport) - 1;
        edict.storages[this.id] = open;
        this.net = edict.call.Js_TransportCreate(this.id);
        this.maps = edict.call.Js_MapsCreate(this.id);
        this.cl = edict.with(['cl_config_t'], (at) => {
            edict.write('cl_config_t', at, { ...config, net: this.net, maps: this.maps });
            return this.net && this.maps ? edict.call.CL_Create(at) : 0;
        });
        if (!this.cl) {
            throw new Error('out of memory');
        }
        this.event = edict.alloc(edict.structs.cl_event_t.size);
    }

    connect(host, port, name, spectator = false) {
        const { edict } = this;
        const number = host.split('.').reduce((all, part) => all * 256 + Number(part), 0);
        edict.with(['cl_address_t', 'cl_err_t'], (address, err) => edict.withText(name, (text) => {
            edict.write('cl_address_t', address, { host: number, port });
            if (!edict.call.CL_Connect(this.cl, address, text, spectator ? 1 : 0, err)) {
                throw new Error(edict.text(err));
            }
        }));
    }

    /// Receives, sends due commands, and returns the events since the last frame. `type` is the
    /// name of a CL_EVENT_*, such as "chat".
    frame(nowMs) {
        const { edict, event } = this;
        const events = [];
        edict.call.CL_Frame(this.cl, BigInt(Math.floor(nowMs)));
        while (edict.call.CL_NextEvent(this.cl, event)) {
            const read = edict.read('cl_event_t', event);
            events.push({ ...read, type: edict.eventType[read.type] });
        }
        return events;
    }

    /// Sets forward, side, up (qu/s), pitch, yaw (degrees), buttons and impulse; the rest is 0.
    input(wished) {
        this.edict.with(['cl_input_t'], (at) => {
            this.edict.write('cl_input_t', at, wished);
            this.edict.call.CL_SetInput(this.cl, at);
        });
    }

    #player(call) {
        return this.edict.with(['cl_player_state_t'], (at) =>
            (call(this.cl, at) ? this.edict.read('cl_player_state_t', at) : null));
    }

    predicted() { return this.#player(this.edict.call.CL_Predicted); }
    smoothed() { return this.#player(this.edict.call.CL_Smoothed); }
    self() { return this.#player(this.edict.call.CL_Self); }

    entities(max = 1024) {
        const { edict } = this;
        const { size } = edict.structs.cl_entity_state_t;
        const list = edict.alloc(size * max);
        const count = edict.call.CL_Entities(this.cl, list, max);
        const found = Array.from({ length: count }, (_, i) =>
            edict.read('cl_entity_state_t', list + i * size));
        edict.call.free(list);
        return found;
    }

    stats() {
        return this.edict.with(['cl_stats_t'], (at) => {
            this.edict.call.CL_Stats(this.cl, at);
            return this.edict.read('cl_stats_t', at);
        });
    }

    get state() { return this.edict.call.CL_State(this.cl); }
    get slot() { return this.edict.call.CL_Slot(this.cl); }
    get hasMap() { return this.edict.call.CL_HasMap(this.cl) !== 0; }
    get mapFault() { return this.edict.text(this.edict.call.CL_MapFault(this.cl)); }
    get reason() { return this.edict.text(this.edict.call.CL_Reason(this.cl)); }

    command(text) {
        return this.edict.withText(text, (at) => this.edict.call.CL_Command(this.cl, at) !== 0);
    }

    /// Leaves; the next frame sends it.
    disconnect() {
        this.edict.call.CL_Disconnect(this.cl);
    }

    destroy() {
        const { call } = this.edict;
        call.CL_Destroy(this.cl);
        call.CL_MapsDestroy(this.maps);
        call.Js_TransportDestroy(this.net);
        call.free(this.event);
        this.edict.transports[this.id] = this.edict.storages[this.id] = null;
    }
}

/// Loads the module. `bytes`: edict_client.wasm; `layout`: edict_client.json, parsed.
export async function load(bytes, layout) {
    return new Edict(await WebAssembly.compile(bytes), layout);
}
