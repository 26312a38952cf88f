// A whole session of the WebAssembly client library in Node.js, on a real edictd over UDP: joins,
// loads the map from a storage, sees another player, walks and jumps without a misprediction, leaves.
// Then replay.c runs the recorded session natively: the same bytes sent, the same bits predicted.
//
// usage: node session.mjs [BUILD]      ends with `N passed, N failed`
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PipeTransport } from './pipe.mjs';
import { Recorder } from './record.mjs';

const build = process.argv[2] ?? 'build';
const { load } = await import(pathToFileURL(resolve(build, 'wasm/edict_client.mjs')));
const FRAME_MS = 7;
const WALK_MS = 3000;
const LIMIT_MS = 30000;
const MIN_PREDICTIONS = 30; // a slow server sends a snapshot every fourth tick: 46 in a walk
const SPACE_BYTES = 64 * 1048576; // of which a client reserves half
const PAGE_BYTES = 4096;
const TRIES = 8; // a busy machine may delay commands, which the server then fills in

const layout = JSON.parse(readFileSync(`${build}/wasm/edict_client.json`, 'utf8'));
const edict = await load(readFileSync(`${build}/wasm/edict_client.wasm`), layout);
const { constants } = edict;
const nap = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

async function startServer() {
    const server = spawn(`${build}/edictd`, ['-p', '0', '-i', '+set', 'sv_mappath', `${build}/maps`,
        '+set', 'net_ip', '127.0.0.1', '+map', `${build}/maps/walk1.bsp`]);
    let log = '';
    server.stdout.on('data', (data) => { log += data; });
    server.stderr.on('data', (data) => { log += data; });
    for (const end = Date.now() + LIMIT_MS; Date.now() < end; await nap(10)) {
        const found = /listening on [^:]+:(\d+)/.exec(log);
        if (found) {
            return { process: server, port: Number(found[1]), log: () => log };
        }
    }
    throw new Error(`the server did not start: ${log}`);
}

const opened = [];
function open(path) {
    opened.push(path);
    const file = `${build}/maps/${path}`;
    return existsSync(file) ? readFileSync(file) : null;
}

class Player {
    constructor(name, recorder = null) {
        this.pipe = new PipeTransport(`${build}/tests/wasm/bridge`);
        this.name = name;
        this.recorder = recorder;
        this.client = edict.client(recorder ? recorder.around(this.pipe) : this.pipe, open);
        this.events = [];
    }

    frame() {
        const nowMs = Math.floor(performance.now());
        this.recorder?.frame(nowMs);
        this.events.push(...this.client.frame(nowMs));
        return edict.with(['cl_player_state_t'], (at) => {
            const good = edict.call.CL_Predicted(this.client.cl, at) !== 0;
            const { size } = edict.structs.cl_player_state_t;
            this.recorder?.predicted(good ? edict.bytes(at, size).slice() : null);
            return good ? edict.read('cl_player_state_t', at) : null;
        });
    }

    input(wished) {
        this.recorder?.input(wished);
        this.client.input(wished);
    }

    saw(type) { return this.events.find((event) => event.type === type); }
}

/// Runs frames of all players until a condition is true.
async function until(what, players, condition, limitMs = LIMIT_MS) {
    for (const end = Date.now() + limitMs; Date.now() < end; await nap(FRAME_MS)) {
        players.forEach((player) => player.frame());
        if (condition()) {
            return;
        }
    }
    throw new Error(`${what}: ${players.map(({ name, client }) =>
        `${name}: state ${client.state} ${client.reason} ${client.mapFault}`)}`);
}

const random = (() => { // the same walk in every run
    let state = 7;
    return () => { state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; return state / 0x7fffffff; };
})();

/// Walks and jumps; returns the distance covered and the highest jump.
async function walk(player) {
    let last = null, covered = 0, jumped = 0, wished = {}, floor = Infinity;
    const end = performance.now() + WALK_MS;
    for (let frame = 0; performance.now() < end; frame++) {
        if (frame % 50 === 0) {
            wished = { forward: 320, side: random() * 200 - 100, yaw: random() * 360, pitch: 5 };
        }
        player.input({ ...wished, buttons: frame % 100 > 60 ? constants.CL_BUTTON_JUMP : 0 });
        const { origin } = player.frame();
        covered += last ? Math.hypot(origin.x - last.x, origin.y - last.y) : 0;
        floor = Math.min(floor, origin.z);
        jumped = Math.max(jumped, origin.z - floor);
        last = origin;
        await nap(FRAME_MS);
    }
    return { covered, jumped };
}

/// Walks until the machine disturbs no command. Returns the last walk.
async function walkUndisturbed(player) {
    for (let i = 0; ; i++) {
        const before = player.client.stats();
        const result = await walk(player);
        await until('quiet', [player], () => true);
        const after = player.client.stats();
        const of = (name) => after[name] - before[name];
        const disturbed = of('filled_ms') + of('dropped_cmds') + of('cmds_skipped');
        if (disturbed === 0 || i === TRIES - 1) {
            return { ...result, disturbed, predictions: of('predictions'),
                mispredictions: of('mispredictions'), error: after.error_max };
        }
        console.log(`walk ${i}: ${disturbed} ms or commands were late: again`);
    }
}

async function session(server, recorder) {
    const one = new Player('one', recorder), two = new Player('two');
    const both = [one, two];
    both.forEach(({ client, name }) => client.connect('127.0.0.1', server.port, name));
    await until('join', both, () => both.every(({ client }) => client.state === constants.CL_ACTIVE));
    one.client.stats(); // may ask the transport for its round trip, outside of a frame
    assert(both.every(({ client }) => client.hasMap), one.client.mapFault);
    assert(opened.includes('walk1.bsp'), `opened ${opened}`);
    const sees = (player, other) => player.client.entities().some(({ type, owner }) =>
        type === constants.CL_ENTITY_PLAYER && owner === other.client.slot + 1);
    await until('the players see each other', both, () => sees(one, two) && sees(two, one));
    assert.throws(() => one.client.connect('127.0.0.1', server.port, 'x'), /already connected/);

    two.client.disconnect();
    await until('the other player left', both, () => one.saw('left'));
    assert.equal(one.saw('left').text, 'two');
    const closed = two.pipe.close();

    const walked = await walkUndisturbed(one);
    console.log(JSON.stringify(walked));
    assert.equal(walked.disturbed, 0, 'the machine was too busy');
    assert(walked.covered > 150 && walked.jumped > 20, JSON.stringify(walked));
    assert(walked.predictions > MIN_PREDICTIONS, JSON.stringify(walked));
    assert.equal(walked.mispredictions, 0, JSON.stringify(walked));

    recorder.disconnect();
    one.client.disconnect();
    one.frame();
    assert.equal(one.client.reason, 'left');
    await Promise.all([closed, one.pipe.close()]);
    both.forEach(({ client }) => client.destroy());
}

let failed = 0;
const folder = mkdtempSync(join(tmpdir(), 'edict-wasm-'));
const server = await startServer();
const recorder = new Recorder(edict);
const check = async (name, test) => {
    try {
        await test();
        console.log(`ok: ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAILED: ${name}: ${error.stack}\n${server.log()}`);
    }
};
await check('a client takes little memory before it plays', () => {
    const space = edict.call.malloc(SPACE_BYTES); // which the client then takes its memory from
    assert(space > 0);
    edict.bytes(space, SPACE_BYTES).fill(0xa5);
    edict.call.free(space);
    const client = edict.client({}, () => null);
    assert(client.cl >= space && client.event < space + SPACE_BYTES, 'the client is elsewhere');
    const pages = Array.from({ length: SPACE_BYTES / PAGE_BYTES }, (_, i) => space + i * PAGE_BYTES);
    const written = pages.filter((at) => edict.bytes(at, PAGE_BYTES).some((byte) => byte !== 0xa5));
    const mib = written.length * PAGE_BYTES / 1048576;
    console.log(`a client writes ${mib.toFixed(2)} MiB`);
    assert(mib > 0.1 && mib < 4, `a client writes ${mib} MiB, expected 0.1 to 4`);
    client.destroy();
});
await check('a session of two clients', () => session(server, recorder));
await check('the server saw them leave', async () => {
    server.process.stdin.write('quit\n');
    await once(server.process, 'close');
    assert.equal(server.log().match(/leave .*reason="goodbye"/g)?.length, 2, 'expected two to leave');
});
await check('the native library repeats the session bit for bit', () => {
    const path = join(folder, 'session.rec');
    writeFileSync(path, recorder.bytes());
    const done = spawnSync(`${build}/tests/wasm/replay`, [path, `${build}/maps`], { encoding: 'utf8' });
    console.log(done.stdout.trim());
    assert.equal(done.status, 0, done.stdout + done.stderr);
});
await check('a key of the server is read without libsodium', () => {
    const player = edict.client({ setSeal(_, key) { this.key = key; } }, () => null);
    const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 8 + 3));
    const set = (text) => edict.with(['cl_err_t'], (err) => edict.withText(text, (at) =>
        (edict.call.CL_SetSeal(player.cl, constants.CL_SEAL_REQUIRED, at, err) ? '' : edict.text(err))));
    assert.equal(set(key.toString('base64url')), '');
    assert.deepEqual(Buffer.from(edict.transports[player.id].key), key);
    assert.match(set(`${key.toString('base64url').slice(1)}!`), /43 characters of base64url/);
    player.destroy();
});
server.process.kill();
rmSync(folder, { recursive: true });
console.log(`${5 - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
