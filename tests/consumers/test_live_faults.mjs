// What a controller outside may do wrong, the same of each protocol and each way to it: numbers that are none, values beyond
// limits, silence. The cell is offline then, where it was, and comes back ready.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connect, makeChecks, serve, start } from './live_client.mjs';
import { greetRtde, listen, rtdeData, simplePosition } from './robots.mjs';

const program = process.argv[2], cell = path.resolve(import.meta.dirname, '../../samples/demo.wu');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'faults-'));
const { check, end: endChecks } = makeChecks();

// The limits of the first joint: 170 degrees.
const upper = (170 * Math.PI) / 180, range = 2 * upper;

const json = q => `{"q":{${q.map((value, i) => `"Arm.J${i + 1}":${Math.abs(value) === Infinity ? `${value < 0 ? '-' : ''}1e999` : value}`).join()}}}\n`;

// Each: how a robot meets a connection, what says where joints are, and what --controller says.
const sources = {
    rtde: { word: robot => `rtde:127.0.0.1:${robot.port}`, bytes: q => rtdeData({ t: 0, q, runtime: 1 }),
        meet: socket => new Promise(resolve => { greetRtde(socket, []); socket.once('started', resolve); }) },
    'simple, big-endian': { word: robot => `simple:127.0.0.1:${robot.port}`, bytes: q => simplePosition(true, { q }) },
    'simple, little-endian': { word: robot => `simple:127.0.0.1:${robot.port}`, bytes: q => simplePosition(false, { q }) },
    'JSON lines': { word: robot => `jsonl:127.0.0.1:${robot.port}`, bytes: json },
    'a Unix socket': { word: robot => `jsonl:unix:${robot.path}`, bytes: json, path: path.join(folder, 'robot') },
};

async function tryFaults(name, client, send) {
    const pose = (first, more = 0) => [first, 0.2, 0.3, more, 1, 0.4];
    let passed = 0;
    const next = async fits => {
        const found = await client.until(fits, passed);
        passed = client.messages.indexOf(found, passed) + 1;
        return found;
    };
    const comesBack = async value => {
        let done = false;
        const state = next(it => it.type === 'state' && Math.abs(it.q[0] - value) < 1e-6).finally(() => (done = true));
        while (!done) {
            await send(pose(value));
            await new Promise(resolve => setTimeout(resolve, 20));
        }
        await state;
        const mode = client.messages.filter(it => it.type === 'mode').at(-1);
        check(`${name}: ready`, mode.mode === 'ready' && !mode.why, mode);
    };
    await comesBack(0.3);
    await comesBack(upper + 0.049 * range); // sensors and rounding are no faults
    await comesBack(0.25);
    const faults = [[NaN, /no finite number|no JSON/], [Infinity, /no finite number/], [-Infinity, /no finite number/],
        [upper + 0.051 * range, /"Arm.J1" is 3.\d+, far beyond its limits -2.96706 to 2.96706/]];
    for (const [i, [value, why]] of faults.entries()) {
        await send(pose(i % 2 ? value : 0.2, i % 2 ? 0 : value)); // the first joint, or the fourth
        if (i === 3) await send(pose(0.9)); // what follows nonsense is nonsense
        const lost = await next(it => it.type === 'mode' && it.mode === 'offline');
        check(`${name}, ${value}: why`, why.test(lost.why), lost.why);
        const last = client.messages.filter(it => it.type === 'state').at(-1).q[0];
        check(`${name}, ${value}: nothing moves`, Math.abs(last - (i === 0 ? 0.25 : 0.3 + 0.01 * (i - 1))) < 1e-6, last);
        await comesBack(0.3 + 0.01 * i);
    }
    const silent = await next(it => it.type === 'mode' && it.mode === 'offline');
    check(`${name}: silence`, silent.why === 'the controller is silent', silent.why);
    await comesBack(0.5);
}

async function tryServer(name, source) {
    const robot = await listen(async (socket, it) => {
        if (source.meet) await source.meet(socket);
        it.ready = socket;
    }, source.path);
    robot.path = source.path;
    const server = await serve(program, [cell, '--controller', source.word(robot)]);
    const client = connect(server.port);
    await client.opened;
    await tryFaults(name, client, async q => robot.ready?.write(source.bytes(q)));
    client.socket.destroy();
    server.child.kill();
    robot.close();
}

async function tryStandardInput() {
    const child = start(program, ['serve', cell, '--controller', 'stdin', '--listen', '127.0.0.1:0'], /:(\d+)\//, 'pipe');
    const client = connect(Number((await child.found)[1]));
    await client.opened;
    let half = '';
    await tryFaults('standard input', client, q => { // a line and a half at a time
        const text = half + json(q), cut = text.length - 9;
        half = '';
        child.stdin.write(text.slice(0, cut));
        return new Promise(resolve => child.stdin.write(text.slice(cut), resolve));
    });
    child.stdin.end();
    const last = await client.until(it => it.type === 'mode' && it.mode === 'offline' && /has ended/.test(it.why));
    check('standard input has an end', last !== undefined);
    client.socket.destroy();
    child.kill();
}

try {
    const limits = JSON.parse(execFileSync(program, ['info', cell, '--json', '-q']));
    check('the cell is the one that is meant', limits.joints !== undefined);
    await Promise.all([...Object.entries(sources).map(([name, source]) => tryServer(name, source)), tryStandardInput()]);
} finally {
    fs.rmSync(folder, { recursive: true });
}
endChecks();
