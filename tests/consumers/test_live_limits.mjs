// The limits of a live cell: no more descriptors, addresses and sockets, signals, a full disk, a clock of the system that
// leaps, and a machine that was asleep. test_live_limits.mjs PROGRAM [tryDescriptors]: that part alone.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { ask, connect, logIn, makeChecks, serve, start } from './live_client.mjs';

const program = path.resolve(process.argv[2]), root = path.resolve(import.meta.dirname, '../..');
const cell = path.join(root, 'samples/demo.wu'), folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-'));
const { check, end: endChecks } = makeChecks();
const people = path.join(folder, 'people');
execFileSync(program, ['users', people, 'add', 'tina', 'teacher'], { input: 'may teach it\n' });

const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
// The server as a shell's last command: { child, port }.
async function serveBy(shell, words) {
    const child = start('/bin/sh', ['-c', `${shell} "$0" "$@"`, program, 'serve', cell, ...words, '--listen', '127.0.0.1:0'],
        /http:\/\/127\.0\.0\.1:(\d+)\//);
    return { child, port: Number((await child.found)[1]) };
}
async function end(child, signal = 'SIGTERM') {
    child.kill(signal);
    const code = await child.ended;
    check(`${signal} ends it`, code === signal, code, child.complained);
}
// Milliseconds of the processor that a process has taken.
function busy(process) {
    const words = fs.readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(words[11]) + Number(words[12])) * 10;
}
const count = (text, part) => text.split(part).length - 1;

// ---- no more descriptors ----

async function tryDescriptors() {
    const { child, port } = await serveBy('ulimit -n 30; exec', ['--users', people, '--public-view']);
    const { cookie } = await logIn(port, 'tina', 'may teach it');
    const member = connect(port, { cookie });
    await member.opened;
    const guests = Array.from({ length: 60 }, () => connect(port));
    await Promise.all(guests.slice(0, 40).map(guest => guest.closed));
    const page = await ask(port, 'GET', '/health');
    check('the page comes while there are no more descriptors', page.status === 200);
    check('who has logged in stays', (await member.answer({ type: 'take' })).type === 'done');
    guests.forEach(guest => guest.socket.destroy());
    // Now of people who may stay: nobody goes for those who come, who wait until there is room.
    const members = Array.from({ length: 40 }, () => connect(port, { cookie }));
    await members[5].opened;
    const before = busy(child.pid);
    await sleep(1500);
    const took = busy(child.pid) - before, open = members.filter(one => one.status === 101).length;
    check('it does not spin', took <= 300, took);
    check('some wait', open >= 5 && open < 20, open);
    check('all are served, one after another', await (async () => {
        for (const one of members) {
            if (await one.opened !== 101) return false;
            one.socket.destroy();
        }
        return true;
    })());
    check('it serves as before', (await ask(port, 'GET', '/')).status === 200 && (await member.answer({ type: 'take' })).type === 'done');
    check('it says so once', count(child.complained, 'no more connections') === 1 && count(child.complained, '\n') === 1, child.complained);
    const last = Array.from({ length: 40 }, () => connect(port, { cookie }));
    await last[5].opened;
    await end(child); // while some wait
}

// ---- addresses ----

async function refused(words, expression, code = 4) {
    const child = start(program, ['serve', cell, '--listen', ...words], /never/);
    check(`--listen ${words}: the status`, await child.ended === code, await child.ended);
    check(`--listen ${words}: the reason`, expression.test(child.complained), child.complained);
}
const health = options => new Promise(resolve => {
    http.get({ path: '/health', agent: false, ...options }, answer => resolve(answer.resume().statusCode)).on('error', error => resolve(error.code));
});

async function tryNetworks() {
    const has6 = Object.values(os.networkInterfaces()).flat().some(one => one.address === '::1');
    const hosts = [['127.1.2.3', '127.1.2.3'], ['localhost', 'localhost'], ...(has6 ? [['[::1]', '::1']] : [])];
    for (const [host, address] of hosts) {
        const child = start(program, ['serve', cell, '--listen', `${host}:0`], /at http:\/\/(.*):(\d+)\/\n/);
        const [, shown, port] = await child.found;
        check(`${host}: its address`, shown === host, shown);
        check(`${host}: it answers`, await health({ host: address, port }) === 200);
        check(`${host}: not as another one`, await health({ host: address, port, headers: { host: `evil.example:${port}` } }) === 403);
        await refused([`${host}:${port}`], /cannot listen at .*: Address already in use\n$/);
        await end(child, 'SIGINT');
    }
    await refused(['[::]:0'], /unprotected/, 2);
}

async function trySockets() {
    const name = path.join(folder, 'socket'), words = ['serve', cell, '--listen', `unix:${name}`], fits = /at the socket/;
    const first = start(program, words, fits);
    await first.found;
    check('a socket', await health({ socketPath: name }) === 200);
    check('others may not connect', (fs.statSync(name).mode & 0o777) === 0o660);
    await refused([`unix:${name}`], /Address already in use/);
    check('the first one lives on', await health({ socketPath: name }) === 200);
    await end(first, 'SIGKILL');
    check('it leaves its socket', fs.existsSync(name));
    const second = start(program, words, fits);
    await second.found;
    check('it does not matter to the next', await health({ socketPath: name }) === 200);
    await end(second, 'SIGHUP');
    check('its socket is gone', !fs.existsSync(name));
    fs.writeFileSync(name, 'mine');
    await refused([`unix:${name}`], /Address already in use/);
    check('a file is kept', fs.readFileSync(name, 'utf8') === 'mine');
    await refused([`unix:${folder}/${'a'.repeat(120)}`], /at most 107 bytes/, 2);
}

// ---- ends ----

async function trySignals() {
    await Promise.all(['SIGTERM', 'SIGINT'].map(async signal => {
        const record = path.join(folder, `${signal}.jsonl`);
        const child = start(program, ['serve', cell, '--controller', 'stdin', '--record', record, '--listen', '127.0.0.1:0'], /:(\d+)\//, 'pipe');
        const client = connect(Number((await child.found)[1]));
        await client.opened;
        child.stdin.write(Array.from({ length: 50 }, (_, k) => `{"t":${k / 100},"q":{"Arm.J1":${k / 100}}}\n`).join(''));
        await client.until(it => it.type === 'state' && it.q[0] === 0.49);
        client.socket.destroy(); // in the middle of what it is sent
        const begin = performance.now();
        await end(child, signal);
        console.log(`${signal}: ${(performance.now() - begin).toFixed(0)} ms`);
        const lines = fs.readFileSync(record, 'utf8').split('\n');
        check(`${signal}: the recording is whole`, lines.length === 51 && lines.slice(0, 50).every(line => JSON.parse(line)), lines.length);
    }));
}

// Nobody reads what it says, or it cannot say anything.
async function tryOutputs() {
    for (const shell of ['exec 1>&-; exec 2>&-; exec', 'exec 0<&-; exec 1>&-; exec']) {
        const name = path.join(folder, `quiet${shell.length}`);
        const child = start('/bin/sh', ['-c', `${shell} "$0" "$@"`, program, 'serve', cell, '--listen', `unix:${name}`], /never/);
        for (let tries = 0; tries < 3000 && await health({ socketPath: name }) !== 200; tries++) await sleep(10);
        check('without an output it serves', await health({ socketPath: name }) === 200, shell, child.complained);
        await end(child);
    }
    const { child, port } = await serve(program, [cell]);
    child.stdout.destroy();
    child.stderr.destroy();
    const client = connect(port);
    await client.opened;
    client.socket.resetAndDestroy();
    check('without a reader it serves', (await ask(port, 'GET', '/')).status === 200);
    await end(child);
}

async function tryFullDisk() {
    const record = path.join(folder, 'full.jsonl');
    const child = start('/bin/sh', ['-c', `ulimit -f 4; exec "$0" "$@"`, program, 'serve', cell, '--controller', 'stdin', '--record', record,
        '--listen', '127.0.0.1:0'], /:(\d+)\//, 'pipe');
    const client = connect(Number((await child.found)[1]));
    await client.opened;
    for (let k = 0; !/recording ends/.test(child.complained) && k < 1000; k++) {
        child.stdin.write(`{"t":${k / 10},"q":{"Arm.J1":${(k % 90) / 100}}}\n`);
        await sleep(10);
    }
    child.stdin.write('{"t":1000,"q":{"Arm.J1":0.95}}\n');
    await client.until(it => it.type === 'state' && it.q[0] === 0.95);
    check('a full disk is told once', count(child.complained, 'recording ends after') === 1 && count(child.complained, '\n') === 1, child.complained);
    const lines = fs.readFileSync(record, 'utf8').trimEnd().split('\n');
    check('its recording is whole', lines.length > 3 && lines.every(line => JSON.parse(line)), lines.length);
    await end(child);
}

// ---- time ----

const dance = 'SPEED 100\nFOR I = 1, 100\nIMOV 0, 0, 30\nIMOV 0, 0, -30\nNEXT\nEND\n';
const rise = 'SPEED 100\nIMOV 0, 0, 100\nSPEED 10\nIMOV 0, 0, 100\nEND\n';
// A teacher who has taken over, and whose page says so again and again.
async function teach(port, text) {
    const { cookie } = await logIn(port, 'tina', 'may teach it'), tina = connect(port, { cookie });
    await tina.opened;
    tina.cookie = cookie;
    check('tina takes over', (await tina.answer({ type: 'take' })).type === 'done');
    tina.timer = setInterval(() => tina.say({ type: 'alive' }), 300);
    tina.closed.then(() => clearInterval(tina.timer));
    const saved = await tina.answer({ type: 'program', name: 'dance', text });
    check('a program', saved.good, saved.why);
    check('it is loaded', (await tina.answer({ type: 'download', name: 'dance' })).type === 'done');
    return tina;
}

async function tryLeaps() {
    const leap = path.join(folder, 'leap'), record = path.join(folder, 'leap.jsonl'), day = 86400;
    const shift = seconds => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigInt64LE(BigInt(seconds));
        fs.writeFileSync(leap, bytes, { flag: 'r+' });
    };
    fs.writeFileSync(leap, Buffer.alloc(8));
    const clock = path.join(path.dirname(program), 'tests', 'libleap_clock.so');
    check('the clock that leaps is there', fs.existsSync(clock));
    const { child, port } = await serveBy(`exec env LEAP_CLOCK=${leap} LD_PRELOAD=${clock}`, ['--users', people, '--record', record]);
    const tina = await teach(port, dance);
    check('its clock can leap', fs.readFileSync(`/proc/${child.pid}/maps`, 'utf8').includes('leap_clock'));
    check('it runs', (await tina.answer({ type: 'run' })).type === 'done');
    for (const seconds of [day, -day, 0]) {
        const from = tina.messages.length;
        shift(seconds);
        await tina.until(it => /ready|stopped/.test(it.mode) || (it.type === 'state' && tina.messages.length > from + 50), from);
        check(`it goes on after a leap to ${seconds} s`, !tina.messages.slice(from).some(it => it.type === 'mode' && it.mode !== 'running'),
            tina.messages.slice(from).filter(it => it.type === 'mode'));
        check('tina has the lease', (await tina.answer({ type: 'alive' })).type === 'done');
        check('and the session', (await ask(port, 'GET', '/cell.glb', { headers: { cookie: tina.cookie } })).status === 200);
    }
    const dated = await ask(port, 'GET', '/health');
    check('it serves', dated.status === 200);
    const states = tina.messages.filter(it => it.type === 'state');
    check('no time goes back or leaps', states.every((it, i) => i === 0 || (it.t > states[i - 1].t && it.t - states[i - 1].t < 10)));
    tina.socket.destroy();
    await end(child);
    const times = fs.readFileSync(record, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line).t);
    check('nor in the recording', times.length > 50 && times.every((t, i) => i === 0 || (t > times[i - 1] && t - times[i - 1] < 10)), times.length);
}

// A machine that was asleep does not make up for it: a program goes on by some steps at most, and a jog is over.
async function trySleep() {
    const { child, port } = await serve(program, [cell, '--users', people]);
    const tina = await teach(port, rise), most = 0.25; // seconds of motion at once
    const states = () => tina.messages.filter(it => it.type === 'state');
    // Stops the machine while it moves; what comes then until `over`.
    const wake = async (what, over, jog) => {
        const before = states().length;
        await tina.until(() => states().length > before + 10);
        child.kill('SIGSTOP');
        clearInterval(jog);
        await sleep(3000);
        const from = states().length, next = tina.messages.length;
        child.kill('SIGCONT');
        await tina.until(it => over(it, states().length - from), next);
        const [first, last, ...later] = [states()[from - 11], ...states().slice(from - 1)];
        const way = (a, b) => Math.max(...a.q.map((q, i) => Math.abs(b.q[i] - q)));
        const speed = way(first, last) / (last.t - first.t), step = later.length > 0 ? way(last, later[0]) : 0;
        check(`${what}: it moves`, speed > 0.01, speed);
        check(`${what}: no leap`, step <= speed * most, step, speed);
        return (later.length > 0 ? way(last, later.at(-1)) : 0) / speed;
    };
    check('it runs', (await tina.answer({ type: 'run' })).type === 'done');
    await tina.until(it => it.type === 'mode' && it.line > 3); // away from the part
    await wake('a program', (it, later) => later > 10 || /ready|stopped/.test(it.mode));
    check('STOP NOW', (await tina.answer({ type: 'emergency' })).type === 'done');
    for (const type of ['take', 'reset']) check(type, (await tina.answer({ type })).type === 'done');
    const jog = setInterval(() => tina.say({ type: 'jog', joint: 'Arm.J3', speed: 0.3 }), 100);
    await tina.until(it => it.mode === 'jogging', tina.messages.length);
    const far = await wake('a jog', it => it.type === 'mode' && it.mode === 'ready', jog);
    check('the jog is over', far <= 2 * most, far);
    tina.socket.destroy();
    await end(child);
}

try {
    const tests = [tryDescriptors, tryNetworks, trySockets, trySignals, tryOutputs, tryFullDisk, tryLeaps, trySleep];
    await Promise.all(tests.filter(test => (process.argv[3] ?? test.name) === test.name).map(test => test()));
} finally {
    fs.rmSync(folder, { recursive: true });
}
endChecks();
