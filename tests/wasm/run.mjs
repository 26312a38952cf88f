// Runs a WebAssembly program that prints text: node run.mjs PROGRAM.wasm [ARGUMENT]...
// Has only the WASI functions that such a program calls, so that any version of Node.js runs it.
import { readFileSync, writeSync } from 'node:fs';

const [path, ...args] = process.argv.slice(2);
const BAD_FILE = 8;
const encoded = [path, ...args].map((text) => Buffer.from(text + '\0'));
let memory;
const words = () => new DataView(memory.buffer);
const bytes = (at, size) => new Uint8Array(memory.buffer, at, size);

function fd_write(fd, list, count, written) {
    let total = 0;
    if (fd !== 1 && fd !== 2) {
        return BAD_FILE;
    }
    for (let i = 0; i < count; i++) {
        let part = bytes(words().getUint32(list + 8 * i, true), words().getUint32(list + 8 * i + 4, true));
        total += part.length;
        while (part.length > 0) {
            part = part.subarray(writeSync(fd, part));
        }
    }
    words().setUint32(written, total, true);
    return 0;
}

function args_sizes_get(count, size) {
    words().setUint32(count, encoded.length, true);
    words().setUint32(size, Buffer.concat(encoded).length, true);
    return 0;
}

function args_get(list, text) {
    for (const [i, part] of encoded.entries()) {
        words().setUint32(list + 4 * i, text, true);
        bytes(text, part.length).set(part);
        text += part.length;
    }
    return 0;
}

const wasi = {
    fd_write, args_get, args_sizes_get,
    fd_close: () => 0,
    fd_seek: () => BAD_FILE,
    fd_fdstat_get: () => BAD_FILE,
    fd_prestat_get: () => BAD_FILE,
    proc_exit: (status) => process.exit(status),
};
const module = new WebAssembly.Module(readFileSync(path));
const edict = { bug: (text) => { throw new Error(`bug at ${text}`); } };
const program = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi, edict });
memory = program.exports.memory;
program.exports._start();
