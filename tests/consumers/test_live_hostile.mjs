// What a live cell does with requests that break the rules of HTTP or the server's own, and with people whose rights end
// while they are connected. Docs: docs/live.md, "Threats" and "Users".
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ask, connect, frame, logIn, makeChecks, serve, start } from './live_client.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..'), cell = path.join(root, 'samples/demo.wu');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-')), people = path.join(folder, 'people');
const { check, end: endChecks } = makeChecks();
const users = (...words) => execFileSync(program, ['users', people, ...words], { input: 'may teach it\n' });
const waitFor = async (holds, tries = 400) => {
    while (!holds() && tries-- > 0) await pause(25);
};
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

for (const [name, role] of [['tina', 'teacher'], ['otto', 'operator'], ['vera', 'viewer']]) users('add', name, role);
const { child, port } = await serve(program, [cell, '--users', people]);
const here = `127.0.0.1:${port}`;

// Sends bytes as they are. `statuses` of all answers until it closes, or a moment after `wanted` have come.
function send(text, { wanted = 1, most = 20000, drip = false } = {}) {
    return new Promise(resolve => {
        const socket = net.connect(port, '127.0.0.1'), begun = Date.now();
        let got = '';
        const end = closed => {
            socket.destroy();
            resolve({ statuses: [...got.matchAll(/HTTP\/1\.[01] (\d+)/g)].map(it => Number(it[1])), closed, after: Date.now() - begun });
        };
        socket.on('error', () => {});
        socket.on('close', () => end(true));
        socket.on('data', piece => {
            const before = got.includes('HTTP/');
            got += piece.toString('latin1');
            if (!before && wanted > 0) setTimeout(() => end(false), 200);
        });
        setTimeout(() => end(false), most);
        socket.write(text, 'latin1');
        const timer = drip && setInterval(() => socket.write(' '), 1000);
        socket.on('close', () => clearInterval(timer));
    });
}

async function tryRows(rows) {
    await Promise.all(rows.map(async ([name, text, expected, options]) => {
        const { statuses, closed, after } = await send(text, options);
        check(name, JSON.stringify(statuses) === JSON.stringify(expected), statuses, expected);
        if (options?.closes) check(`${name} is closed`, closed, after);
    }));
}

const get = (headers, name = '/session') => `GET ${name} HTTP/1.1\r\n${headers}\r\n`;
const body = '{"user":"otto","password":"may teach it"}', sized = `Content-Length: ${body.length}\r\n`;
const post = (headers, text, name = '/login') => `POST ${name} HTTP/1.1\r\nHost: ${here}\r\n${headers}\r\n${text}`;

async function tryHosts(cookie) {
    const hosts = [`localhost.:${port}`, `LOCALHOST:${port}`, `a@${here}`, `${here}:${port}`, `127.0.0.1:`, '127.0.0.1:8x', `evil.${here}`,
        `${here}.evil.example`, `127.0.0.2:${port}`, `[::1]evil:${port}`];
    const origins = ['null', `https://${here}`, 'http://127.0.0.1:1', `http://localhost:${port}`, `http://${here}/`, `http://${here}.evil.example`];
    await tryRows([
        ...hosts.map(host => [`host ${host}`, get(`Host: ${host}\r\n`), [403]]),
        // ssh -L gives this machine's browsers another port than ours.
        ...[`127.0.0.1:${port + 1}`, '127.0.0.1', `localhost:1`].map(host => [`host ${host}`, get(`Host: ${host}\r\n`), [401]]),
        ...origins.map(origin => [`origin ${origin}`, post(`Origin: ${origin}\r\n${sized}`, body), [403]]),
        ['no host', get(''), [403]], ['two hosts', get(`Host: ${here}\r\nHost: ${here}\r\n`), [403]],
        ['another host first', get(`Host: evil\r\nHost: ${here}\r\n`), [403]], ['a folded host', get(`Host: evil\r\n ${here}\r\n`), [403]],
        ['two origins', post(`Origin: http://${here}\r\nOrigin: http://evil\r\n${sized}`, body), [403]],
        ['another host in the path', `GET http://evil/session HTTP/1.1\r\nHost: ${here}\r\n\r\n`, [403]],
        ['our host', get(`Host: localhost:${port}\r\n`), [401]], ['HTTP/1.0', `GET /session HTTP/1.0\r\nHost: ${here}\r\n\r\n`, [401]],
        ['two cookies', get(`Host: ${here}\r\nCookie: ${cookie}\r\nCookie: cellpipe=${'0'.repeat(32)}\r\n`), [401]],
        ['a cookie in quotes', get(`Host: ${here}\r\nCookie: cellpipe="${cookie.slice(9)}"\r\n`), [401]],
        ['many other cookies', get(`Host: ${here}\r\nCookie: a=${'x'.repeat(3000)}; ${cookie}\r\n`), [200]],
        ['too many cookies', get(`Host: ${here}\r\nCookie: a=${'x'.repeat(20000)}; ${cookie}\r\n`), [], { closes: true }],
        ['NUL in a path', `GET /session\0x HTTP/1.1\r\nHost: ${here}\r\n\r\n`, [], { closes: true }],
        ['no HTTP', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [403]], ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [403]],
    ]);
}

// What is behind a body before its answer, sizes that are none, and bodies that do not end.
async function tryBodies() {
    const second = get(`Host: ${here}\r\n`).padEnd(70);
    await tryRows([
        ['a login', post(sized, body), [204]], ['two logins at once', post(sized, body) + post(sized, body), [], { closes: true }],
        ['more than its size', post('Content-Length: 5\r\n', body), [400], { closes: true, wanted: 0 }],
        ['both sizes', post(`${sized}Transfer-Encoding: chunked\r\n`, `29\r\n${body}\r\n0\r\n\r\n`), [], { closes: true }],
        ['chunks', post('Transfer-Encoding: chunked\r\n', `29\r\n${body}\r\n0\r\n\r\n`), [], { closes: true }],
        ...['-5', '+41', '0x29', '4 1', '41, 41', '41\r\nContent-Length: 5'].map(size =>
            [`a size of ${JSON.stringify(size)}`, post(`Content-Length: ${size}\r\n`, body), [], { closes: true }]),
        ...['', '99999', '16385', '99999999999999999999'].map(size =>
            [`a size of ${JSON.stringify(size)}`, post(`Content-Length: ${size}\r\n`, body), [413]]),
        ['a request in the body of a logout', post('Content-Length: 70\r\n', second, '/logout'), [204]],
        ['a request in the body of what takes none', post('Content-Length: 70\r\n', second, '/x'), [405]],
        ['a request in the body of a GET', `GET /session HTTP/1.1\r\nHost: ${here}\r\nContent-Length: 70\r\n\r\n${second}`, [401]],
        ['half a login', post('Content-Length: 1000\r\n', body), [], { closes: true, wanted: 0 }],
        ['no request', '', [], { closes: true, wanted: 0 }],
        ['a login, a byte each second', post('Content-Length: 1000\r\n', ''), [], { closes: true, wanted: 0, drip: true }],
    ]);
}

async function tryUpgrades(cookie) {
    const upgrade = (headers, lines = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13']) =>
        get(`Host: ${here}\r\nOrigin: http://${here}\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n` +
            `Cookie: ${cookie}\r\n${lines.join('\r\n')}\r\n${headers}`, '/live');
    const ours = 'Sec-WebSocket-Protocol: cellpipe\r\n';
    await tryRows([
        ['our protocol', upgrade(ours), [101]], ['no protocol', upgrade(''), [400]],
        ...['http', 'controller', 'chat', '', 'controller, cellpipe', 'cellpipe, http', 'CELLPIPE'].map(name =>
            [`protocol ${name}`, upgrade(`Sec-WebSocket-Protocol: ${name}\r\n`), [400]]),
        ['an old version', upgrade(ours, ['Upgrade: websocket', 'Sec-WebSocket-Version: 8']), [400]],
        ['HTTP/2', upgrade(ours, ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']), [400]],
        ['a POST', upgrade(ours).replace('GET', 'POST'), [404]],
    ]);
    const deflated = await new Promise(resolve => {
        const socket = net.connect(port, '127.0.0.1');
        socket.write(upgrade(`${ours}Sec-WebSocket-Extensions: permessage-deflate\r\n`));
        socket.once('data', piece => resolve(piece.toString('latin1')));
        socket.on('error', () => {});
    });
    check('nothing is packed', / 101 /.test(deflated) && !/permessage/i.test(deflated));
}

const open = async cookie => {
    const client = connect(port, { cookie });
    check('it opens', await client.opened === 101);
    await client.until(it => it.type === 'mode');
    return client;
};

// Frames that no browser sends end the connection; those that few send do not.
async function tryFrames(cookie) {
    const alive = '{"type":"alive","id":1}', text = frame(1, alive), unmasked = frame(1, alive, { masked: false });
    const part = (opcode, bytes, bits = 0) => frame(opcode, bytes, { bits });
    const ends = [
        ['no mask', [unmasked], 1002], ['no mask behind one that has it', [Buffer.concat([text, unmasked])], 1002],
        ['no mask after one that has it', [text, unmasked], 1002], ['a ping without a mask', [frame(9, '', { masked: false })], 1002],
        ['an end without a mask', [frame(8, '', { masked: false })], 1002], ['no mask in the midst of a message', [part(1, 'x'), frame(0, 'x', { masked: false })], 1002],
        ['no mask, byte by byte', [...unmasked].map(byte => Buffer.from([byte])), 1002],
        ['a part without a beginning', [part(0, 'x')], 1002], ['two beginnings', [part(1, 'x'), part(1, 'x')], 1002],
        ['a text in the midst of a message', [part(1, 'x'), text], 1002], ['a ping in parts', [part(9, 'x')], 1002],
        ['a long ping', [frame(9, Buffer.alloc(126))], 1002], ['opcode 11', [frame(11, '')], 1002], ['opcode 7', [frame(7, '')], 1002],
        ['a length in too many bytes', [Buffer.concat([Buffer.from([0x81, 0xfe, 0, 5, 0, 0, 0, 0]), Buffer.from('hello')])], 1002],
        ['a length in far too many bytes', [Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0])], 1002],
        ['2^63 bytes', [Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])], 1009],
        ['many parts that are too long', Array.from({ length: 70 }, (_, i) => part(i ? 0 : 1, Buffer.alloc(4096, 32))), 1009],
        ['binary in parts', [part(2, 'x')], 1003], ['too many pings', [Buffer.concat(Array.from({ length: 2500 }, () => frame(9, '')))], 1008],
        ['too many empty parts', [part(1, 'x'), Buffer.concat(Array.from({ length: 2500 }, () => part(0, '')))], 1008],
        ...[1000, 1001, 999, 1005, 1006, 1015, 5000, 65535].map(code => [`an end with ${code}`, [frame(8, Buffer.from([code >> 8, code & 255]))], 1000]),
        ['an end with one byte', [frame(8, 'x')], 1000], ['an end with a text', [frame(8, Buffer.alloc(125))], 1000],
    ];
    await Promise.all(ends.map(async ([name, pieces, code]) => {
        const client = await open(cookie);
        for (const piece of pieces) {
            client.socket.write(piece);
            if (pieces.length > 1) await new Promise(setImmediate);
        }
        const got = await Promise.race([client.closed, pause(20000).then(() => 'open')]);
        check(`${name} is closed`, got === code, got, code);
    }));
    const client = await open(cookie), pong = `\x8a\x0eare you there?`;
    let heard = ''; // several frames may come in one piece
    client.socket.on('data', piece => (heard += piece.toString('latin1')));
    for (const piece of [part(1, alive.slice(0, 3)), frame(9, 'are you there?'), part(0, ''), part(0, alive.slice(3, 9)), frame(10, 'yes'), frame(0, alive.slice(9))])
        for (const byte of piece) client.socket.write(Buffer.from([byte]));
    check('a message in parts, with a ping between', (await client.until(it => it.id === 1)).why === 'lease');
    await waitFor(() => heard.includes(pong));
    check('the answer to a ping', heard.includes(pong), heard);
    const from = client.messages.length; // a masked key of zeros, and a long length
    client.socket.write(Buffer.concat([Buffer.from([0x81, 0xfe, 0, 126, 0, 0, 0, 0]), Buffer.from('{"type":"alive","id":2}'.padEnd(126))]));
    check('a key of zeros is one', (await client.until(it => it.id === 2, from)).why === 'lease');
    client.socket.destroy();
}

// A session ends: its pages are closed, its lease is lost, and others stay.
async function tryEnds() {
    const cookies = {};
    for (const name of ['tina', 'otto', 'vera']) cookies[name] = (await logIn(port, name, 'may teach it')).cookie;
    const other = (await logIn(port, 'tina', 'may teach it')).cookie;
    const [tina, again, otto, vera] = [await open(cookies.tina), await open(other), await open(cookies.otto), await open(cookies.vera)];
    check('take', (await tina.answer({ type: 'take' })).type === 'done');
    await otto.until(it => it.type === 'mode' && it.lease === 'tina');
    const seen = otto.messages.length;
    await ask(port, 'POST', '/logout', { headers: { cookie: cookies.tina } });
    check('a logout closes the page', await tina.closed === 1008);
    await otto.until(it => it.type === 'mode' && it.lease === '', seen);
    check('the other session stays', (await again.answer({ type: 'take' })).type === 'done');

    users('remove', 'vera');
    check('who is removed is out', await vera.closed === 1008);
    check('and does not come back', await connect(port, { cookie: cookies.vera }).opened === 401);
    check('nor logs in', (await logIn(port, 'vera', 'may teach it')).status === 401);
    execFileSync(program, ['users', people, 'passwd', 'tina'], { input: 'another one\n' });
    check('a new password ends sessions', await again.closed === 1008);
    check('the old one is none', (await logIn(port, 'tina', 'may teach it')).status === 401);
    check('the new one is one', (await logIn(port, 'tina', 'another one')).status === 204);
    users('add', 'vera', 'viewer');
    check('who is added logs in', (await logIn(port, 'vera', 'may teach it')).status === 204);
    check('who has not changed stays', (await otto.answer({ type: 'take' })).type === 'done');

    fs.writeFileSync(people, 'nonsense\n');
    await waitFor(() => child.said.includes('the users stay'));
    check('a file that is none changes nothing', otto.code === 0 && !otto.socket.destroyed);
    check('and is told', child.said.includes('the users stay as they were'), child.said);
    check('users are as before', (await logIn(port, 'otto', 'may teach it')).status === 204);
    otto.socket.destroy();
}

// A file without anybody is a file of users, too; an address of this machine that is not the usual one; a socket's path
// that is another file.
async function tryStarts() {
    const empty = path.join(folder, 'empty'), precious = path.join(folder, 'precious');
    fs.writeFileSync(empty, '', { mode: 0o600 });
    fs.writeFileSync(precious, 'precious');
    const nobody = await serve(program, [cell, '--users', empty]);
    check('nobody logs in', (await logIn(nobody.port, 'tina', 'may teach it')).status === 401);
    check('it is still there', (await ask(nobody.port, 'GET', '/health')).status === 200);
    nobody.child.kill('SIGTERM');
    const other = start(program, ['serve', cell, '--listen', '127.0.0.2:0'], /http:\/\/127\.0\.0\.2:(\d+)\//);
    const [, number] = await other.found;
    const answer = await fetch(`http://127.0.0.2:${number}/session`);
    check('another address of this machine', answer.status === 200 && await answer.text() === 'guest', answer.status);
    other.kill('SIGTERM');
    const socket = start(program, ['serve', cell, '--listen', `unix:${precious}`], /serving/);
    check('no file is removed for a socket', await socket.found.catch(() => 'refused') === 'refused' &&
        fs.readFileSync(precious, 'utf8') === 'precious' && /in use|exists/.test(socket.complained), socket.complained);
    const name = start(program, ['serve', cell, '--listen', '127.evil.example:0'], /serving/);
    check('a name that looks like this machine', await name.found.catch(() => 'refused') === 'refused' &&
        /unprotected|not known/.test(name.complained), name.complained);
}

// Behind a proxy, which tells who asks: guesses from a network of IPv6 are those of one, and an unknown name takes as
// long as a wrong password, in processor time.
async function tryGuesses() {
    const others = path.join(folder, 'others');
    execFileSync(program, ['users', others, 'add', 'tina', 'teacher'], { input: 'may teach it\n' });
    const { child: behind, port: there } = await serve(program, [cell, '--users', others, '--behind-proxy', 'https://cell.example']);
    const guess = async (user, address) => (await ask(there, 'POST', '/login', { headers: { host: 'cell.example', 'x-forwarded-for': `6.6.6.6, ${address}` },
        body: JSON.stringify({ user, password: 'wrong words' }) })).status;
    const used = () => {
        const words = fs.readFileSync(`/proc/${behind.pid}/stat`, 'latin1').split(') ')[1].split(' ');
        return Number(words[11]) + Number(words[12]);
    };
    for (let i = 1; i <= 5; i++) check(`guess ${i} of a network`, await guess('tina', `2001:db8:1:2::${i}`) === 401);
    check('the sixth of another address there', await guess('tina', '2001:db8:1:2:ffff::1') === 429);
    check('the first of another network', await guess('tina', '2001:db8:1:3::1') === 401);
    check('an address of IPv4', await guess('tina', '::ffff:1.2.3.4') === 401);
    const times = { tina: 0, nobody: 0 };
    for (let i = 0; i < (process.env.CELLPIPE_LONG ? 40 : 12); i++) {
        const name = i % 2 ? 'tina' : 'nobody', before = used();
        await guess(name, `10.0.0.${i}`);
        times[name] += used() - before;
    }
    check('an unknown name takes as long', Math.abs(times.tina - times.nobody) < 0.2 * times.tina, times);
    behind.kill('SIGTERM');
}

try {
    const { cookie } = await logIn(port, 'otto', 'may teach it');
    await tryHosts(cookie);
    await tryFrames(cookie);
    await tryUpgrades(cookie);
    await Promise.all([tryBodies(), tryStarts(), tryGuesses(), tryEnds()]); // fewer than 64 at a time have no session
} finally {
    child.kill('SIGTERM');
    const code = await child.ended;
    check('it ends when it is told to', code === 'SIGTERM' || code === 0 || code === 143, code, child.complained);
    fs.rmSync(folder, { recursive: true });
}
endChecks();
