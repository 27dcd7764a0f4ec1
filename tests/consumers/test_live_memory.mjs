// A live cell while one allocation fails, its own or a library's: each 401st of those of a visit, or with CELLPIPE_LONG
// each. Whatever a visitor is told, the server lives, and the next visit is as usual. (tools/fail_allocation.c)
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ask, connect, makeChecks, start } from './live_client.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..'), cell = path.join(root, 'samples/demo.wu');
const library = path.join(path.dirname(path.resolve(program)), 'tests/libfail_allocation.so');
if (!fs.existsSync(library)) {
    console.log(`skipped: no ${library}`);
    process.exit(77);
}
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-')), people = path.join(folder, 'people'), shared = path.join(folder, 'numbers');
const { check, end: endChecks } = makeChecks();
const step = Number(process.env.CELLPIPE_STEP ?? (process.env.CELLPIPE_LONG ? 1 : 401));
execFileSync(program, ['users', people, 'add', 'tina', 'teacher'], { input: 'may teach it\n' });
fs.writeFileSync(shared, Buffer.alloc(16));
const numbers = fs.openSync(shared, 'r+');
function count() {
    const bytes = Buffer.alloc(8);
    fs.readSync(numbers, bytes, 0, 8, 0);
    return Number(bytes.readBigInt64LE());
}
function failAt(number) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(number));
    fs.writeSync(numbers, bytes, 0, 8, 8);
}

// Without the preloaded library in this process: `env` loads it into the server.
const child = start('env', [`LD_PRELOAD=${library}`, `FAIL_NUMBERS=${shared}`, path.resolve(program), 'serve', cell, '--users', people,
    '--listen', '127.0.0.1:0'], /http:\/\/127\.0\.0\.1:(\d+)\//);
const [, number] = await child.found, port = Number(number);
const within = (promise, what) => Promise.race([promise, new Promise((_, reject) => setTimeout(reject, 20000, new Error(`no end: ${what}`)))]);

// All ends where it begins, so that visits are alike.
const taught = { type: 'program', name: 'a', text: 'IMOV 0,0,2\nIMOV 0,0,-2\nWAIT 5\nEND\n' };
// A visit, as far as it gets: what was the last thing that went well.
async function visit() {
    let cookie = '', client, done = 'nothing';
    try {
        await within(ask(port, 'GET', '/health'), 'health');
        const login = await within(ask(port, 'POST', '/login', { body: '{"user":"tina","password":"may teach it"}' }), 'login');
        if (login.status !== 204) return `login ${login.status}`;
        cookie = login.headers['set-cookie'][0].split(';')[0];
        const seen = await within(ask(port, 'GET', '/cell.glb', { headers: { cookie } }), 'cell');
        if (seen.status !== 200) return `cell ${seen.status}`;
        client = connect(port, { cookie });
        if (await within(client.opened, 'upgrade') !== 101) return `upgrade ${client.status}`;
        await within(client.until(it => it.type === 'near'), 'near');
        const { q } = await client.until(it => it.type === 'state');
        for (const message of [{ type: 'take' }, { type: 'emergency' }, { type: 'reset' }, { type: 'move', q, speed: 1 }, { type: 'teach', name: 'P1' }, taught, { type: 'download', name: 'a' },
            { type: 'run' }, { type: 'stop' }, { type: 'emergency' }, { type: 'reset' }, { type: 'jog', joint: 'Arm.J1', speed: 0 }, { type: 'give' }]) {
            const answer = await within(client.answer(message), message.type);
            if (answer.type === 'refused' || answer.good === false) return `${message.type}: ${answer.why}`;
            if (message.type === 'move') await within(client.until(it => it.type === 'mode' && it.mode === 'ready', client.messages.indexOf(answer)), 'the end of a move');
            done = message.type;
        }
        return '';
    } catch (error) {
        return `${error.message}, after ${done}`;
    } finally {
        if (client) {
            client.socket.destroy();
            await client.closed;
        }
        if (cookie) await within(ask(port, 'POST', '/logout', { headers: { cookie } }).catch(() => {}), 'logout');
    }
}

const rest = async () => { // what the last visit began has ended
    for (let i = 0; i < 400 && !(await visit() === ''); i++) await new Promise(resolve => setTimeout(resolve, 50));
};
let runs = 0;
try {
    await rest();
    let before = count();
    check('a visit without failures', await visit() === '');
    const most = Math.ceil((count() - before) * 1.1);
    for (let at = Number(process.env.CELLPIPE_FROM ?? 1); at <= Number(process.env.CELLPIPE_TO ?? most) && child.exitCode === null && child.signalCode === null; at += step, runs++) {
        failAt(count() + at);
        const told = await visit();
        failAt(0);
        check(`allocation ${at}: it ends`, !told.includes('no end'), told);
        if (process.env.CELLPIPE_TELL) console.log(at, told);
        let after = 'not tried';
        for (let i = 0; i < 20 && after; i++) {
            after = await visit();
            if (after) await new Promise(resolve => setTimeout(resolve, 100));
        }
        check(`allocation ${at}: the next visit`, after === '', told, 'then', after);
        if (after) break;
    }
    check('it lives', child.exitCode === null && child.signalCode === null, child.exitCode, child.signalCode, child.complained);
    console.log(`${runs} allocations of ${most}`);
} finally {
    child.kill('SIGTERM');
    await child.ended;
    fs.rmSync(folder, { recursive: true });
}
endChecks();
