// pipe.mjs - a transport for edict_client.mjs: the frames of bridge.c, over the pipes of a child.
import { spawn } from 'node:child_process';

export class PipeTransport {
    constructor(program) {
        this.child = spawn(program, [], { stdio: ['pipe', 'pipe', 'inherit'] });
        this.rest = Buffer.alloc(0);
        this.events = [];
        this.peers = 0;
        this.status = { rttMs: 0, silenceMs: 0, atMs: 0 };
        this.child.stdout.on('data', (data) => this.#received(data));
        this.child.stdin.on('error', () => {}); // the bridge has ended: silence says it
    }

    #received(data) {
        this.rest = Buffer.concat([this.rest, data]);
        while (this.rest.length >= 4 && this.rest.length >= 4 + this.rest.readUInt32LE(0)) {
            const size = 4 + this.rest.readUInt32LE(0);
            const frame = this.rest.subarray(4, size);
            this.rest = this.rest.subarray(size);
            if (frame[0] === 'e'.charCodeAt(0)) {
                this.events.push({ type: frame.readUInt32LE(1), peer: frame.readInt32LE(5),
                    channel: frame[9], reason: frame.readUInt32LE(10), data: frame.subarray(14) });
            } else if (frame.readInt32LE(1) === this.peers - 1) {
                this.status = { rttMs: frame.readInt32LE(5), silenceMs: frame.readInt32LE(9),
                    atMs: performance.now() };
            }
        }
    }

    #put(type, size, fill, data = Buffer.alloc(0)) {
        const head = Buffer.alloc(5 + size);
        head.writeUInt32LE(1 + size + data.length, 0);
        head.write(type, 4);
        fill(head.subarray(5));
        this.child.stdin.write(Buffer.concat([head, data]));
    }

    poll() { return this.events.shift() ?? null; }

    send(peer, channel, reliable, data) {
        this.#put('s', 6, (head) => {
            head.writeInt32LE(peer, 0);
            head[4] = channel;
            head[5] = reliable ? 1 : 0;
        }, data);
        return true;
    }

    connect(host, port) {
        const peer = this.peers++;
        this.status = { rttMs: 0, silenceMs: 0, atMs: performance.now() };
        this.#put('c', 10, (head) => {
            head.writeInt32LE(peer, 0);
            host.split('.').reverse().forEach((part, i) => { head[4 + i] = Number(part); });
            head.writeUInt16LE(port, 8);
        });
        return peer;
    }

    drop(peer, reason) {
        this.#put('d', 8, (head) => {
            head.writeInt32LE(peer, 0);
            head.writeUInt32LE(reason, 4);
        });
    }

    flush() {}
    rttMs() { return this.status.rttMs; }
    silenceMs() { return this.status.silenceMs + performance.now() - this.status.atMs; }

    /// Ends the bridge; resolves when it has ended.
    close() {
        return new Promise((resolve) => {
            this.child.on('close', resolve);
            this.child.stdin.end();
        });
    }
}
