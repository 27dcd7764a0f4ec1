// Live cells whose controllers are elsewhere: programs that speak RTDE, simple_message in both byte orders, and JSON lines.
// Every sample comes in its order; a cut, nonsense and silence are seen, and the controller comes back.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connect, makeChecks, serve, start } from './live_client.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..');
const tools = path.join(path.dirname(path.resolve(program)), 'tests'), folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-'));
const cell = path.join(root, 'samples/demo.wu');
const { check, end: endChecks } = makeChecks();

async function fake(name, words) {
    const child = start(path.join(tools, name), ['0', ...words], /port (\d+)/);
    child.port = (await child.found)[1];
    return child;
}

async function end(...children) {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map(child => child.ended));
}

// What the fakes send: see fake_server.h.
const expected = (k, i) => 0.5 * Math.sin(0.01 * k + i);

function checkRecording(name, file, count, first, tolerance) {
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));
    check(`${name}: every sample is recorded`, lines.length === count, lines.length, count);
    const ids = ['Arm.J1', 'Arm.J2', 'Arm.J3', 'Arm.J4', 'Arm.J5', 'Arm.J6'];
    const wrong = lines.findIndex((line, k) => ids.some((id, i) => !(Math.abs(line.q[id] - expected(first + k, i)) <= tolerance)));
    check(`${name}: in order, and right`, wrong < 0, wrong, lines[wrong]);
    check(`${name}: times ascend`, lines.every((line, k) => k === 0 || line.t > lines[k - 1].t));
}

async function tryProtocol(name, tool, words, tolerance) {
    const count = 150, robot = await fake(tool, [`count=${count}`, 'clients=2', ...words]);
    const record = path.join(folder, `${name}.jsonl`);
    const server = await serve(program, [cell, '--controller', `${name.split('-')[0]}:127.0.0.1:${robot.port}`, '--record', record]);
    const client = connect(server.port);
    check(`${name}: a guest may look`, await client.opened === 101);
    const isMode = offline => it => it.type === 'mode' && (it.mode === 'offline') === offline;
    await client.next(isMode(false));
    await client.next(isMode(true));
    await client.next(isMode(false));
    check(`${name}: after a cut it comes back`, true);
    await client.next(isMode(true));
    const refused = await client.answer({ type: 'run' });
    check(`${name}: a guest may not run`, refused.why === 'rights');
    const states = client.messages.filter(it => it.type === 'state');
    check(`${name}: states ascend`, states.every((state, i) => i === 0 || state.n > states[i - 1].n));
    await end(server.child, robot);
    const lines = fs.readFileSync(record, 'utf8').trimEnd().split('\n');
    check(`${name}: two connections are recorded`, lines.length === 2 * count, lines.length);
    fs.writeFileSync(`${record}.first`, lines.slice(0, count).join('\n'));
    fs.writeFileSync(`${record}.second`, lines.slice(count).join('\n'));
    checkRecording(`${name} 1`, `${record}.first`, count, 0, tolerance);
    checkRecording(`${name} 2`, `${record}.second`, count, 0, tolerance);
    const glb = path.join(folder, `${name}.glb`);
    execFileSync(program, ['convert', cell, glb, '!', 'recording', `file=${record}`, '-q']);
    check(`${name}: what was recorded becomes a clip`, JSON.parse(execFileSync(program, ['info', glb, '--json'])).clips === 1);
}

async function tryNonsense() {
    const robot = await fake('fake_rtde', ['count=400', 'emergency=50', 'nonsense=150', 'clients=3']);
    const server = await serve(program, [cell, '--controller', `rtde:127.0.0.1:${robot.port}`]), client = connect(server.port);
    await client.until(it => it.mode === 'emergency');
    const lost = await client.until(it => it.mode === 'offline' && it.why && !it.why.includes('not said anything'));
    check('nonsense has a reason', lost.why.length > 0, lost.why);
    await client.until(it => it.type === 'mode' && it.mode !== 'offline', client.messages.length);
    await end(server.child, robot);
}

async function trySilence() {
    const robot = await fake('fake_json', ['count=400', 'silent=60']);
    const server = await serve(program, [cell, '--controller', `jsonl:127.0.0.1:${robot.port}`]), client = connect(server.port);
    await client.until(it => it.type === 'mode' && it.mode !== 'offline');
    const silent = await client.until(it => it.mode === 'offline' && /silent/.test(it.why));
    check('silence is seen', silent !== undefined);
    await end(server.child, robot);
}

// Standard input, and a recording that is played.
async function tryOthers() {
    const child = start(program, ['serve', cell, '--controller', 'stdin', '--listen', '127.0.0.1:0'], /:(\d+)\//, 'pipe');
    const client = connect(Number((await child.found)[1]));
    await client.opened;
    child.stdin.write('{"t":0,"q":{"Arm.J1":0.25}}\n');
    const state = await client.until(it => it.type === 'state' && Math.abs(it.q[0] - 0.25) < 1e-12);
    check('standard input', state.q[0] === 0.25);
    child.stdin.write('{"t":1,"q":{"Arm.J1":99}}\n');
    const lost = await client.until(it => it.mode === 'offline' && /J1/.test(it.why));
    check('a value far beyond its limit is no pose', lost !== undefined);
    await end(child);

    const glb = path.join(folder, 'played.glb');
    execFileSync(program, ['program', cell, glb, `file=${path.join(root, 'samples/demo/first.prg')}`, 'device=Arm', '-q']);
    const server = await serve(program, [glb, '--controller', 'recording']), guest = connect(server.port);
    await guest.until(it => it.type === 'state' && it.t > 0.5);
    check('a recording is played', guest.messages.filter(it => it.type === 'state').length > 10);
    await end(server.child);
}

try {
    await Promise.all([
        tryProtocol('rtde', 'fake_rtde', [], 1e-12),
        tryProtocol('simple-big', 'fake_simple', ['order=big'], 1e-6),
        tryProtocol('simple-little', 'fake_simple', ['order=little'], 1e-6),
        tryProtocol('jsonl', 'fake_json', ['joints=Arm.J1,Arm.J2,Arm.J3,Arm.J4,Arm.J5,Arm.J6', 'cuts=yes'], 1e-12),
        tryNonsense(),
        trySilence(),
        tryOthers(),
    ]);
} finally {
    fs.rmSync(folder, { recursive: true });
}
endChecks();
