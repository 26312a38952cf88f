// record.mjs - records what a client received, sent and predicted; replay.c reads it.
//
// Records: u8 type, u16 bytes that follow, little-endian. In the order of the calls:
//   'C' peer i32, name: CL_Connect        'F' now_ms f64: CL_Frame begins
//   'E' event: type u32, channel u8, reason u32, message; 'N': the poll found none
//   'R' i32, 'S' f64: answers of rtt_ms and silence_ms
//   'W' channel u8, message: was sent     'D' reason u32: drop
//   'I' forward, side, pitch, yaw f32, buttons u8: CL_SetInput
//   'P' cl_player_state_t, or nothing: CL_Predicted      'X': CL_Disconnect
export class Recorder {
    constructor(edict) {
        this.edict = edict;
        this.parts = [];
        this.inFrame = false;
    }

    #put(type, ...parts) {
        const body = Buffer.concat(parts);
        const head = Buffer.alloc(3);
        head.write(type);
        head.writeUInt16LE(body.length, 1);
        this.parts.push(head, body);
    }

    static #number(kind, value) {
        const bytes = { UInt8: 1, Int32LE: 4, UInt32LE: 4, FloatLE: 4, DoubleLE: 8 };
        const part = Buffer.alloc(bytes[kind]);
        part[`write${kind}`](value);
        return part;
    }

    /// Returns a transport that records the calls of another.
    around(net) {
        const number = Recorder.#number;
        const put = this.#put.bind(this);
        return {
            poll: (nowMs) => {
                const event = net.poll(nowMs);
                if (event) {
                    put('E', number('UInt32LE', event.type), number('UInt8', event.channel),
                        number('UInt32LE', event.reason), event.data);
                } else {
                    put('N');
                }
                return event;
            },
            send: (peer, channel, reliable, data) => {
                put('W', number('UInt8', channel), data);
                return net.send(peer, channel, reliable, data);
            },
            connect: (host, port) => {
                const peer = net.connect(host, port);
                put('C', number('Int32LE', peer));
                return peer;
            },
            drop: (peer, reason) => {
                put('D', number('UInt32LE', reason));
                net.drop(peer, reason);
            },
            flush: () => net.flush(),
            rttMs: (peer) => {
                const rtt = net.rttMs(peer);
                if (this.inFrame) { // CL_Stats asks, too; replay.c does not call it
                    put('R', number('Int32LE', rtt));
                }
                return rtt;
            },
            silenceMs: (peer) => {
                const silence = Math.floor(net.silenceMs(peer));
                put('S', number('DoubleLE', silence));
                return silence;
            },
        };
    }

    frame(nowMs) {
        this.inFrame = true;
        this.#put('F', Recorder.#number('DoubleLE', nowMs));
    }

    disconnect() { this.#put('X'); }

    predicted(state) {
        this.inFrame = false;
        this.#put('P', state ?? Buffer.alloc(0));
    }

    input({ forward = 0, side = 0, pitch = 0, yaw = 0, buttons = 0 }) {
        this.#put('I', ...[forward, side, pitch, yaw].map((n) => Recorder.#number('FloatLE', n)),
            Recorder.#number('UInt8', buttons));
    }

    bytes() { return Buffer.concat(this.parts); }
}
