// What a live cell does with clients that do not behave: foreign pages, other hosts, methods and paths, guessing of
// passwords, frames that no browser sends, connections that never say anything. Docs: docs/live.md, "Threats".
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ask, connect, frame, logIn, makeChecks, serve } from './live_client.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..'), cell = path.join(root, 'samples/demo.wu');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-')), people = path.join(folder, 'people');
const { check, end: endChecks } = makeChecks();

execFileSync(program, ['users', people, 'add', 'tina', 'teacher'], { input: 'may teach it\n' });
const { child, port } = await serve(program, [cell, '--users', people]);
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
const here = `127.0.0.1:${port}`;

async function tryRequests() {
    const page = await ask(port, 'GET', '/');
    check('the page', page.status === 200 && page.body.length > 100000);
    check('its policy', page.headers['content-security-policy'].includes("frame-ancestors 'none'") &&
        page.headers['x-content-type-options'] === 'nosniff');
    check('nothing of the cell in it', !/Gripper|Fence|demo/.test(page.body.toString('latin1')));
    const rows = [
        ['GET', '/cell.glb', {}, 401], ['GET', '/session', {}, 401], ['GET', '/', { host: 'evil.example' }, 403],
        ['GET', '/cell.glb', { host: `evil.example:${port}` }, 403], ['GET', '/../etc/passwd', {}, 404],
        ['GET', '/%2e%2e/%2e%2e/etc/passwd', {}, 404], ['GET', '/people', {}, 404], ['GET', '//people', {}, 404],
        ['PUT', '/', {}, 405], ['DELETE', '/cell.glb', {}, 405], ['POST', '/', {}, 405], ['POST', '/cell.glb', {}, 405],
        ['POST', '/login', { origin: 'http://evil.example' }, 403], ['POST', '/login', {}, 400],
    ];
    for (const [method, name, headers, status] of rows) {
        const answer = await ask(port, method, name, { headers }).catch(error => ({ status: error.code }));
        check(`${method} ${name} ${JSON.stringify(headers)}`, answer.status === status, answer.status, status);
    }
    check('health', JSON.parse((await ask(port, 'GET', '/health')).body).controller === 'ok');
}

async function tryLogins() {
    const good = await ask(port, 'POST', '/login', { body: JSON.stringify({ user: 'tina', password: 'may teach it' }) });
    const cookie = good.headers['set-cookie'][0];
    check('a login', good.status === 204 && /HttpOnly/.test(cookie) && /SameSite=Strict/.test(cookie) && /^cellpipe=[0-9a-f]{32};/.test(cookie));
    check('a session sees the cell', (await ask(port, 'GET', '/cell.glb', { headers: { cookie: cookie.split(';')[0] } })).status === 200);
    check('a cookie of another does not', (await ask(port, 'GET', '/cell.glb', { headers: { cookie: `cellpipe=${'0'.repeat(32)}` } })).status === 401);
    for (const body of ['x', '{}', '{"user":"tina"}', '{"user":"tina","password":7}', '[1]', `{"user":"${'a'.repeat(1000)}","password":"b"}`])
        check(`no login: ${body.slice(0, 30)}`, (await ask(port, 'POST', '/login', { body })).status === 400);
    for (let i = 0; i < 5; i++)
        check(`wrong password ${i}`, (await logIn(port, i % 2 ? 'nobody' : 'tina', 'wrong words')).status === 401);
    check('the sixth try', (await logIn(port, 'tina', 'may teach it')).status === 429);
    const out = await ask(port, 'POST', '/logout', { headers: { cookie: cookie.split(';')[0] } });
    check('logging out', out.status === 204 && (await ask(port, 'GET', '/cell.glb', { headers: { cookie: cookie.split(';')[0] } })).status === 401);
}

async function tryUpgrades(cookie) {
    const rows = [
        ['no session', { cookie: '' }, 401], ['a foreign page', { cookie, origin: 'http://evil.example' }, 403],
        ['no origin', { cookie, origin: '' }, 403], ['another host', { cookie, host: 'evil.example', origin: 'http://evil.example' }, 403],
        ['another path', { cookie, path: '/cell.glb' }, 404], ['our page', { cookie }, 101],
    ];
    for (const [name, options, status] of rows) {
        const client = connect(port, options), got = await client.opened;
        check(`upgrade from ${name}`, got === status, got, status);
        client.socket.destroy();
    }
}

// All at once, since the server waits some seconds for an answer to its own end: the result waits for the ends.
async function tryFrames(cookie) {
    const rows = [
        ['binary', client => client.socket.write(frame(2, 'x')), [1003]],
        ['too long', client => client.socket.write(frame(1, Buffer.alloc(300000, 32))), [1009]],
        ['too many', client => client.socket.write(Buffer.concat(Array.from({ length: 150 }, () => frame(1, '{"type":"alive"}')))), [1008]],
        ['no JSON', client => client.say('hello'), [1008]],
        ['an unknown type', client => client.say({ type: 'fly' }), [1008]],
        ['unmasked', client => client.socket.write(frame(1, '{"type":"alive"}', { masked: false })), [1002]],
        ['a reserved opcode', client => client.socket.write(frame(3, 'abcd')), [0, 1002]],
        ['reserved bits', client => client.socket.write(frame(1, 'abcd', { bits: 0xf0 })), [0, 1002]],
        ['a ping of 256 bytes', client => client.socket.write(frame(9, Buffer.alloc(256))), [0, 1002]],
        ['invalid UTF-8', client => client.socket.write(frame(1, Buffer.from([0xff, 0xfe]))), [0, 1007, 1008]],
        ['2^40 bytes', client => {
            client.socket.write(Buffer.from([0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4]));
            for (let i = 0; i < 50; i++) client.socket.write(Buffer.alloc(65536, 120));
        }, [0, 1009]],
    ];
    const clients = rows.map(() => connect(port, { cookie }));
    for (const [i, [name, act]] of rows.entries()) {
        check(`before ${name}`, await clients[i].opened === 101);
        await clients[i].until(it => it.type === 'mode');
        act(clients[i]);
    }
    const ends = rows.map(async ([name, , codes], i) => {
        const code = await clients[i].closed;
        check(`${name} is closed`, codes.includes(code), code);
    });
    return { ends: Promise.all(ends) };
}

async function tryBombs(cookie) {
    const client = connect(port, { cookie });
    await client.until(it => it.type === 'mode');
    check('take', (await client.answer({ type: 'take' })).type === 'done');
    const bombs = {
        'an endless loop': ['A = 1\nagain: A = A + 1\nGOTO again\n', /endless loop/],
        'many lines': ['A = 1\n'.repeat(30000), /./],
        'deep formulas': [`A = ${'('.repeat(5000)}1${')'.repeat(5000)}\nEND\n`, /./],
        'a long wait': ['WAIT 1e12\nEND\n', /./],
    };
    for (const [name, [text, why]] of Object.entries(bombs)) {
        const answer = client.answer({ type: 'program', name: 'bomb', text });
        const alive = setInterval(() => client.say({ type: 'alive' }), 500);
        const result = await answer;
        clearInterval(alive);
        check(`${name} does not hold up the server`, result.type === 'checked' && (result.good || why.test(result.why)), result.why);
    }
    client.socket.destroy();
}

// Three hundred connections that never end their headers: the page is served before their time is over, and they go. It is
// a matter of which comes when, so it is tried several times.
async function trySlow() {
    const before = memory();
    let slow = [];
    for (let tries = 0; tries < 5; tries++) {
        slow.forEach(socket => socket.destroy());
        slow = Array.from({ length: 300 }, () => {
            const socket = net.connect(port, '127.0.0.1');
            socket.on('error', () => {});
            socket.gone = new Promise(resolve => socket.on('close', resolve));
            socket.write('GET / HTTP/1.1\r\nX: ');
            return socket;
        });
        const page = await ask(port, 'GET', '/').catch(error => ({ status: error.code }));
        check('the page comes meanwhile', page.status === 200, tries, page.status);
        check('the latest are still there', slow.filter(socket => !socket.destroyed).length >= 60);
    }
    const timer = setInterval(() => slow.forEach(socket => socket.write('a')), 500);
    const rows = [`GET /${'a'.repeat(100000)} HTTP/1.1\r\n\r\n`, `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(5000)}\r\n`,
        'POST /login HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\nx', crypto.randomBytes(300)];
    const odd = rows.map(text => {
        const socket = net.connect(port, '127.0.0.1');
        socket.on('error', () => {});
        socket.on('data', () => {});
        socket.write(text);
        return new Promise(resolve => socket.on('close', resolve));
    });
    await Promise.all([...odd, ...slow.map(socket => socket.gone)]);
    clearInterval(timer);
    check('the slow ones are gone', true);
    check('memory stays', memory() - before < 8000, before, memory());
    check('and it still serves', (await ask(port, 'GET', '/')).status === 200);
}

try {
    const { cookie } = await logIn(port, 'tina', 'may teach it');
    await tryRequests();
    await tryUpgrades(cookie);
    const { ends } = await tryFrames(cookie);
    await tryBombs(cookie);
    await tryLogins();
    await trySlow();
    await ends;
} finally {
    child.kill('SIGTERM');
    const code = await child.ended;
    check('it ends when it is told to', code === 'SIGTERM' || code === 0 || code === 143, code, child.complained);
    fs.rmSync(folder, { recursive: true });
}
endChecks();
