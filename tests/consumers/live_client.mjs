// A client of a live cell without a browser: WebSocket (RFC 6455) over a socket of our own, so that tests can also send what
// no browser would.
import { spawn } from 'node:child_process';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

// Counts what holds and what does not; `end` prints the sum, and ends the test.
export function makeChecks() {
    let checks = 0,
        failed = 0;
    return {
        check(name, good, ...facts) {
            checks++;
            if (good) return;
            failed++;
            console.log('FAILED:', name, ...facts);
        },
        end() {
            console.log(`${checks} checks, ${failed} failed`);
            process.exit(failed > 0 ? 1 : 0);
        },
    };
}

// What a test that fails has started ends with it.
const started = [];
process.on('exit', () => started.forEach(child => child.kill('SIGKILL')));

// Starts a program and waits until a line of its standard output fits; fails if it ends before.
export function start(program, words, fits, input) {
    const child = spawn(program, words, { stdio: [input ?? 'ignore', 'pipe', 'pipe'] });
    started.push(child);
    child.said = '';
    child.complained = '';
    child.ended = new Promise(resolve => child.on('close', (code, signal) => resolve(code ?? signal)));
    child.stderr.on('data', text => (child.complained += text));
    child.found = new Promise((resolve, reject) => {
        child.stdout.on('data', text => {
            child.said += text;
            const found = fits.exec(child.said);
            if (found) resolve(found);
        });
        child.ended.then(code => reject(new Error(`${program} ended with ${code}: ${child.complained}`)));
    });
    child.found.catch(() => {});
    return child;
}

// The server of a cell: { child, port }.
export async function serve(program, words, at = 0) {
    const child = start(program, ['serve', ...words, '--listen', `127.0.0.1:${at}`], /http:\/\/127\.0\.0\.1:(\d+)\//);
    const [, port] = await child.found;
    return { child, port: Number(port) };
}

// One request; the answer's { status, headers, body }. way: options of node's request, such as `ca` for TLS.
export function ask(port, method, path, { body, headers = {}, way = {} } = {}) {
    return new Promise((resolve, reject) => {
        const all = { host: '127.0.0.1', port, method, path, headers, agent: false, ...way };
        const request = (way.ca ? https : http).request(all, response => {
            const pieces = [];
            response.on('data', piece => pieces.push(piece));
            response.on('end', () =>
                resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) })
            );
        });
        request.on('error', reject);
        request.end(body);
    });
}

// A frame from a client: opcode 1 is text, 2 binary, 8 an end.
export function frame(opcode, payload, { masked = true, bits = 0x80 } = {}) {
    const bytes = Buffer.from(payload),
        size = bytes.length;
    const head =
        size < 126
            ? Buffer.from([bits | opcode, size])
            : size < 65536
              ? Buffer.from([bits | opcode, 126, size >> 8, size & 255])
              : Buffer.from([bits | opcode, 127, 0, 0, 0, 0, size >>> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255]);
    if (!masked) return Buffer.concat([head, bytes]);
    head[1] |= 0x80;
    const key = Buffer.from([1, 2, 3, 4]);
    return Buffer.concat([head, key, bytes.map((byte, i) => byte ^ key[i & 3])]);
}

// Opens a connection; `messages` are all that came, `until` waits for one that fits, `closed` is the code of the end.
export function connect(port, {
    cookie = '', origin = `http://127.0.0.1:${port}`, path = '/live', host = `127.0.0.1:${port}`,
    socket = net.connect(port, '127.0.0.1'),
} = {}) {
    const client = { socket, messages: [], status: 0, code: 0, waiting: [] };
    let bytes = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
            `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: cellpipe\r\n` +
            `${origin ? `Origin: ${origin}\r\n` : ''}${cookie ? `Cookie: ${cookie}\r\n` : ''}\r\n`
    );
    const look = () => {
        for (const one of client.waiting.slice()) {
            const found = client.messages.slice(one.from).find(one.fits);
            if (!found) continue;
            client.waiting.splice(client.waiting.indexOf(one), 1);
            one.resolve(found);
        }
    };
    function takeFrames() {
        for (;;) {
            if (bytes.length < 2) return;
            let size = bytes[1] & 127,
                at = 2;
            if (size === 126 && bytes.length >= 4) [size, at] = [bytes.readUInt16BE(2), 4];
            else if (size === 127 && bytes.length >= 10) [size, at] = [Number(bytes.readBigUInt64BE(2)), 10];
            else if (size > 125) return;
            if (bytes.length < at + size) return;
            const opcode = bytes[0] & 15,
                payload = bytes.subarray(at, at + size);
            if (opcode === 1) client.messages.push(JSON.parse(payload.toString()));
            if (opcode === 8) {
                client.code = size >= 2 ? payload.readUInt16BE(0) : 1005;
                socket.end(frame(8, payload)); // else the server waits for it
            }
            if (opcode === 9) socket.write(frame(10, payload));
            bytes = bytes.subarray(at + size);
        }
    }
    client.opened = new Promise(resolve => {
        socket.on('data', piece => {
            bytes = Buffer.concat([bytes, piece]);
            const end = client.status ? -1 : bytes.indexOf('\r\n\r\n');
            if (!client.status && end >= 0) {
                client.status = Number(bytes.toString('latin1', 9, 12));
                bytes = bytes.subarray(end + 4);
                resolve(client.status);
            }
            if (client.status === 101) takeFrames();
            look();
        });
        socket.on('close', () => resolve(client.status));
    });
    client.closed = new Promise(resolve => socket.on('close', () => resolve(client.code)));
    client.say = message => socket.write(frame(1, typeof message === 'string' ? message : JSON.stringify(message)));
    client.until = (fits, from = 0) =>
        new Promise((resolve, reject) => {
            client.waiting.push({ fits, from, resolve });
            client.closed.then(code => reject(new Error(`closed (${code}) before ${fits}`)));
            look();
        });
    // The next one that fits, behind those that `next` has found before.
    let passed = 0;
    client.next = async fits => {
        const found = await client.until(fits, passed);
        passed = client.messages.indexOf(found, passed) + 1;
        return found;
    };
    client.number = 0;
    // The answer to a message.
    client.answer = message => {
        const id = ++client.number,
            from = client.messages.length;
        client.say({ ...message, id });
        return client.until(it => it.id === id, from);
    };
    return client;
}

export async function logIn(port, user, password, options = {}) {
    const answer = await ask(port, 'POST', '/login', { body: JSON.stringify({ user, password }), ...options });
    return { status: answer.status, cookie: (answer.headers['set-cookie'] ?? [''])[0].split(';')[0] };
}
