// A live cell behind nginx, whose configuration is that of docs/live.md, and through ssh -L: a page in Chromium, cookies,
// foreign pages, those who guess passwords, a page where nothing moves, and an nginx that is started anew.
// It needs nginx, openssl, ssh, sshd and chromium; it makes servers of its own on 127.0.0.1, and touches no others.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { findChromium, hasPackages, launch } from './browser.mjs';
import { makeValidator } from './json_schema.mjs';
import { ask, connect, logIn, makeChecks, start } from './live_client.mjs';

process.env.PATH += ':/usr/sbin:/sbin';
const program = path.resolve(process.argv[2]), root = path.resolve(import.meta.dirname, '../..');
const findProgram = name => process.env.PATH.split(':').map(place => path.join(place, name)).find(place => fs.existsSync(place));
const missing = ['nginx', 'openssl', 'ssh', 'sshd', 'ssh-keygen', 'setpriv'].filter(name => !findProgram(name));
if (!findChromium() || !hasPackages()) missing.push('chromium and playwright-core');
if (missing.length > 0) {
    console.log(`skipped: consumers/test_live_proxy needs ${missing.join(', ')}`);
    process.exit(77);
}

const { check, end: endChecks } = makeChecks();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'proxy-')), inFolder = name => path.join(folder, name);
const page = fs.readFileSync(path.join(root, 'docs/live.md'), 'utf8');
const schema = JSON.parse(/^```json\n([^]*?)^```/m.exec(page)[1]);
const children = [];

// ---- programs ----

// Debian's nginx is another user than the server; here it is 65534, if we are root.
const isRoot = process.getuid() === 0;
const asNginx = words => isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...words] : words;
const withGroup = words => isRoot ? ['setpriv', '--regid=65534', '--clear-groups', ...words] : words;

async function freePort() {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => server.on('listening', resolve));
    const { port } = server.address();
    await new Promise(resolve => server.close(resolve));
    return port;
}

async function untilListens(port, child) {
    for (let tries = 0; tries < 300; tries++) {
        const good = await new Promise(resolve => {
            const socket = net.connect(port, '127.0.0.1');
            socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
            socket.on('connect', () => socket.destroy());
        });
        if (good) return;
        if (child.exitCode !== null) break;
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    throw new Error(`nothing listens at ${port}: ${child.complained}`);
}

function run(words, options = {}) {
    const child = spawn(words[0], words.slice(1), { stdio: ['ignore', 'ignore', 'pipe'], ...options });
    child.complained = '';
    child.stderr.on('data', text => (child.complained += text));
    child.ended = new Promise(resolve => child.on('exit', resolve));
    children.push(child);
    return child;
}

async function endOf(child, signal = 'SIGTERM') {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await child.ended;
}

// A server of the cell; words: its options.
async function serveCell(words, fits = /at http:\/\/127\.0\.0\.1:(\d+)\//) {
    const [first, ...rest] = withGroup([program, 'serve', path.join(root, 'samples/demo.wu'), ...words]);
    const child = start(first, rest, fits);
    children.push(child);
    child.port = Number((await child.found)[1]);
    return child;
}

// ---- nginx ----

// The server of docs/live.md, for our ports and files: nothing else of it is changed.
function nginxServer(port, upstream) {
    const block = /^ {4}server \{\n(?: {5}.*\n)* {4}\}\n/m.exec(page);
    check('docs/live.md has a server of nginx', block);
    let text = block[0].replace(/^ {4}/gm, '');
    const changes = {
        'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
        'server_name cell.example;': 'server_name localhost;',
        'ssl_certificate /etc/ssl/certs/cell.pem;': `ssl_certificate ${inFolder('cell.pem')};`,
        'ssl_certificate_key /etc/ssl/private/cell.key;': `ssl_certificate_key ${inFolder('cell.key')};`,
        'proxy_pass http://127.0.0.1:8080;': `proxy_pass ${upstream};`,
    };
    for (const [theirs, ours] of Object.entries(changes)) {
        check(`docs/live.md has "${theirs}"`, text.includes(theirs));
        text = text.replace(theirs, ours);
    }
    return text;
}

async function startNginx(port, upstream) {
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${inFolder(`nginx/${name}`)};`);
    fs.mkdirSync(inFolder('nginx'), { recursive: true });
    if (isRoot) fs.chownSync(inFolder('nginx'), 65534, 65534);
    fs.writeFileSync(inFolder('nginx.conf'), `daemon off;\npid ${inFolder('nginx/pid')};\nworker_processes 1;\n` +
        `events { worker_connections 256; }\nhttp {\naccess_log off;\n${places.join('\n')}\n${nginxServer(port, upstream)}}\n`);
    const child = run(asNginx(['nginx', '-p', inFolder('nginx'), '-e', inFolder('nginx/errors'), '-c', inFolder('nginx.conf')]));
    await untilListens(port, child);
    return child;
}

function makeCertificate() {
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
        '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', inFolder('cell.key'),
        '-out', inFolder('cell.pem')], { stdio: 'pipe' });
    if (isRoot) fs.chownSync(inFolder('cell.key'), 65534, 65534);
}

// ---- what goes through the proxy ----

let port, ca; // of nginx
const origin = () => `https://localhost:${port}`;
// from: an address of this machine, so that nginx sees several clients.
const way = from => ({ ca, servername: 'localhost', localAddress: from ?? '127.0.0.1' });
const request = (method, name, headers = {}, from) =>
    ask(port, method, name, { headers: { host: `localhost:${port}`, ...headers }, way: way(from) });
const enter = (user, password, from, headers = {}) =>
    logIn(port, user, password, { headers: { host: `localhost:${port}`, ...headers }, way: way(from) });
const open = (cookie, options = {}) =>
    connect(port, { cookie, origin: origin(), host: `localhost:${port}`,
        socket: tls.connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }), ...options });

async function tryPage(browser, restart) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true }), tab = await context.newPage(), complaints = [];
    tab.on('pageerror', error => complaints.push(error.message));
    const said = makeValidator(schema, 'said'), heard = makeValidator(schema, 'heard'), counts = { said: 0, heard: 0 };
    const fits = (name, isValid) => ({ payload }) => {
        counts[name]++;
        if (isValid(JSON.parse(payload))) complaints.push(`${name} ${payload}: ${isValid(JSON.parse(payload))}`);
    };
    tab.on('websocket', socket => socket.on('framesent', fits('said', said)).on('framereceived', fits('heard', heard)));
    await tab.goto(`${origin()}/`);
    const logInPage = async () => {
        await tab.locator('#login input[name=user]').fill('tina');
        await tab.locator('#login input[name=password]').fill('may teach it');
        await tab.locator('#login button').click();
        await tab.waitForFunction(() => globalThis.cellpipe?.live?.mode && cellpipe.live.state);
    };
    await logInPage();
    const [cookie] = await context.cookies();
    check('the cookie is for TLS alone', cookie.secure && cookie.httpOnly && cookie.sameSite === 'Strict', cookie);
    const until = mode => tab.waitForFunction(wanted => cellpipe.live.mode.mode === wanted, mode, { timeout: 10000 });
    const say = message => tab.evaluate(it => cellpipe.live.ask(it), message);
    check('take over', (await say({ type: 'take' })).type === 'done');
    const before = await tab.evaluate(() => cellpipe.live.state.q[0]);
    check('jog', (await say({ type: 'jog', joint: 'Arm.J1', speed: 0.2 })).type === 'done');
    await tab.waitForFunction(q => cellpipe.live.state.q[0] > q, before);
    await until('ready');
    await tab.locator('#live-emergency').click();
    await until('emergency');
    check('reset', (await say({ type: 'reset' })).type === 'done');
    await until('ready');
    await restart(() => until('offline'));
    await until('ready'); // within 10 s
    check('the page is back, and knows its user', await tab.evaluate(() => cellpipe.live.hello.user) === 'tina');
    await tab.locator('#live-out').click();
    await tab.locator('#login input[name=user]').waitFor();
    check('logged out', (await context.cookies()).length === 0);
    check('nothing went wrong in the page, and its messages fit the schema', complaints.length === 0, complaints);
    check('it said and heard something', counts.said > 3 && counts.heard > 10, counts);
    await context.close();
}

async function tryStrangers() {
    const { status, cookie } = await enter('tina', 'may teach it');
    check('a login', status === 204);
    check('a session sees the cell', (await request('GET', '/cell.glb', { cookie })).status === 200);
    check('another host', (await request('GET', '/', { host: 'evil.example' })).status === 403);
    check('a login at another host', (await enter('tina', 'may teach it', undefined, { host: 'evil.example' })).status === 403);
    check('a foreign page logs in', (await enter('tina', 'may teach it', undefined, { origin: 'https://evil.example' })).status === 403);
    const rows = [
        ['our page', {}, 101], ['a foreign page', { origin: 'https://evil.example' }, 403], ['no origin', { origin: '' }, 403],
        ['our page without TLS', { origin: `http://localhost:${port}` }, 403],
        ['another host', { host: 'evil.example', origin: 'https://evil.example' }, 403], ['no session', { cookie: '' }, 401],
    ];
    for (const [name, options, wanted] of rows) {
        const client = open(cookie, options), got = await client.opened;
        check(`a WebSocket of ${name}`, got === wanted, got, wanted);
        client.socket.destroy();
    }
    const client = open(cookie);
    await client.until(it => it.type === 'mode');
    client.say('nonsense');
    check('nonsense is closed', await client.closed === 1008, client.code);
    check('logging out', (await request('POST', '/logout', { cookie })).status === 204 &&
        (await request('GET', '/cell.glb', { cookie })).status === 401);
}

// Five failures of an address, which nginx tells, and nobody else is shut out. What a client says of its address does not
// count: neither alone, nor twice, nor at length.
async function tryGuessers() {
    const lies = {
        '127.0.0.2': () => ({}),
        '127.0.0.3': i => ({ 'x-forwarded-for': `10.0.0.${i}` }),
        '127.0.0.4': i => ({ 'x-forwarded-for': [`10.0.1.${i}`, `10.0.2.${i}`] }),
        '127.0.0.5': i => ({ 'x-forwarded-for': `10.0.3.${i}, `.repeat(300) }),
        '127.0.0.6': i => ({ 'x-forwarded-for': `10.0.4.${i}`, 'x-real-ip': `10.0.5.${i}`, forwarded: `for=10.0.6.${i}` }),
    };
    for (const [from, headers] of Object.entries(lies)) {
        const got = [];
        for (let i = 0; i < 6; i++) got.push((await enter('tina', 'a wrong one', from, headers(i))).status);
        check(`guesses from ${from}`, got.join(' ') === '401 401 401 401 401 429', got.join(' '));
        check(`${from} is shut out`, (await enter('tina', 'may teach it', from)).status === 429);
    }
    for (const from of ['127.0.0.1', '127.0.0.9'])
        check(`${from} is not`, (await enter('tina', 'may teach it', from)).status === 204);
    check('nor by a lie of others', (await enter('tina', 'may teach it', '127.0.0.8', { 'x-forwarded-for': '127.0.0.2' })).status === 204);
}

// Proxies of other makes add a line of their own, or ports; one network of IPv6 is one client.
async function tryOtherProxies() {
    const server = await serveCell(['--users', inFolder('people'), '--behind-proxy', 'https://Cell.Example:443', '--listen', '127.0.0.1:0']);
    const guess = async (name, list) => {
        const got = [];
        for (let i = 0; i < 6; i++)
            got.push((await logIn(server.port, 'tina', 'a wrong one', { headers: { host: 'cell.example', 'x-forwarded-for': list(i) } })).status);
        check(`guesses from ${name}`, got.join(' ') === '401 401 401 401 401 429', got.join(' '));
    };
    await guess('a line of its own', i => [`10.0.0.${i}`, '192.0.2.1']);
    await guess('a network', i => `2001:db8::${i}`);
    await guess('a mapped address', i => (i % 2 ? '::ffff:192.0.2.2' : '192.0.2.2'));
    await endOf(server);
}

// A header that no proxy has written says nothing.
async function tryWithoutProxy() {
    const server = await serveCell(['--users', inFolder('people'), '--listen', '127.0.0.1:0']), got = [];
    for (let i = 0; i < 6; i++)
        got.push((await logIn(server.port, 'tina', 'a wrong one', { headers: { 'x-forwarded-for': `10.0.0.${i}` } })).status);
    check('without a proxy nobody says who he is', got.join(' ') === '401 401 401 401 401 429', got.join(' '));
    await endOf(server);
}

// nginx ends a connection that says nothing for 60 s.
async function tryIdle(cookie) {
    const client = open(cookie);
    await client.until(it => it.type === 'near');
    const count = client.messages.length;
    const ended = await Promise.race([client.closed.then(() => true), new Promise(resolve => setTimeout(resolve, 70000, false))]);
    check('a page where nothing moves stays', !ended);
    check('nothing was said meanwhile', client.messages.length === count, client.messages.slice(count));
    check('and is heard', (await client.answer({ type: 'take' })).type === 'done');
    client.socket.destroy();
}

async function trySocket() {
    for (const words of ['--listen unix:/run/cell/socket', 'proxy_pass http://unix:/run/cell/socket;'])
        check(`docs/live.md has "${words}"`, page.includes(words));
    const words = ['--users', inFolder('people'), '--behind-proxy', origin(), '--listen', `unix:${inFolder('socket')}`];
    const server = await serveCell(words, /at the socket (.*)\n/);
    const nginx = await startNginx(port, `http://unix:${inFolder('socket')}`);
    const { status, cookie } = await enter('tina', 'may teach it');
    check('a login through a socket', status === 204, status);
    const client = open(cookie);
    check('a WebSocket through a socket', await client.opened === 101);
    check('which is heard', (await client.answer({ type: 'take' })).type === 'done');
    const got = [];
    for (let i = 0; i < 6; i++) got.push((await enter('tina', 'a wrong one', '127.0.0.7')).status);
    check('guesses through a socket', got.join(' ') === '401 401 401 401 401 429', got.join(' '));
    check('others are not shut out', (await enter('tina', 'may teach it', '127.0.0.9')).status === 204);
    await endOf(nginx);
    await endOf(server);
}

// ---- ssh ----

async function startSshd() {
    for (const name of ['host_key', 'key']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', inFolder(name)]);
    if (isRoot) fs.mkdirSync('/run/sshd', { recursive: true });
    const sshd = { port: await freePort() };
    sshd.child = run([findProgram('sshd'), '-D', '-e', '-f', '/dev/null', '-p', String(sshd.port), '-h', inFolder('host_key'),
        '-o', 'ListenAddress=127.0.0.1', '-o', `AuthorizedKeysFile=${inFolder('key.pub')}`, '-o', 'StrictModes=no', '-o', 'PidFile=none',
        '-o', 'UsePAM=no', '-o', 'PasswordAuthentication=no', '-o', 'PermitRootLogin=yes']);
    await untilListens(sshd.port, sshd.child);
    return sshd;
}

// docs/live.md's line; the ports are ours.
function startSsh(sshd, here, there) {
    const line = /^ {4}ssh -L 8080:127\.0\.0\.1:8080 robot-pc/m.exec(page);
    check('docs/live.md has a line of ssh', line);
    const words = line[0].trim().replace('8080:127.0.0.1:8080', `${here}:${there}`).replace('robot-pc', '127.0.0.1').split(' ');
    return run([...words, '-N', '-F', '/dev/null', '-p', String(sshd.port), '-i', inFolder('key'), '-o', 'IdentitiesOnly=yes', '-o',
        'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR', '-o', 'ExitOnForwardFailure=yes']);
}

async function trySsh(browser) {
    const sshd = await startSshd(), people = ['--users', inFolder('people')];
    const server = await serveCell([...people, '--listen', '127.0.0.1:0']);
    const hidden = await serveCell([...people, '--listen', `unix:${inFolder('hidden')}`], /at the socket (.*)\n/);
    for (const [name, there] of [['a port', `127.0.0.1:${server.port}`], ['a socket', inFolder('hidden')]]) {
        const here = await freePort(), ssh = startSsh(sshd, here, there);
        await untilListens(here, ssh);
        const context = await browser.newContext(), tab = await context.newPage();
        const shown = await tab.goto(`http://127.0.0.1:${here}/`);
        check(`the page through ssh to ${name}`, shown.status() === 200, shown.status());
        await tab.locator('#login input[name=user]').fill('tina', { timeout: 5000 });
        await tab.locator('#login input[name=password]').fill('may teach it');
        await tab.locator('#login button').click();
        const came = await tab.waitForFunction(() => globalThis.cellpipe?.live?.mode?.mode === 'ready').then(() => true, () => false);
        check(`a page through ssh to ${name}`, came);
        check('take over', came && (await tab.evaluate(() => cellpipe.live.ask({ type: 'take' }))).type === 'done');
        await context.close();
        const { cookie } = await logIn(here, 'tina', 'may teach it');
        for (const options of [{ host: 'evil.example' }, { origin: 'http://evil.example' }, { origin: `http://127.0.0.1:${here + 1}` },
            { host: `evil.example:${here}`, origin: `http://evil.example:${here}` }]) {
            const client = connect(here, { cookie, ...options });
            check(`through ssh ${JSON.stringify(options)}`, await client.opened === 403, client.status);
        }
        await endOf(ssh);
    }
    await Promise.all([endOf(server), endOf(hidden), endOf(sshd.child)]);
}

// ---- all ----

const browser = await launch(findChromium());
try {
    execFileSync(program, ['users', inFolder('people'), 'add', 'tina', 'teacher'], { input: 'may teach it\n' });
    fs.chmodSync(folder, 0o755);
    makeCertificate();
    ca = fs.readFileSync(inFolder('cell.pem'));
    port = await freePort();
    check('docs/live.md says how to serve it', page.includes('cellpipe serve cell.wu --users people --behind-proxy https://cell.example'));
    const server = await serveCell(['--users', inFolder('people'), '--behind-proxy', origin(), '--listen', '127.0.0.1:0']);
    let nginx = await startNginx(port, `http://127.0.0.1:${server.port}`);
    await tryPage(browser, async untilSeen => {
        await endOf(nginx);
        await untilSeen();
        nginx = await startNginx(port, `http://127.0.0.1:${server.port}`);
    });
    await tryStrangers();
    const idle = tryIdle((await enter('tina', 'may teach it')).cookie);
    await tryGuessers();
    await tryOtherProxies();
    await tryWithoutProxy();
    await trySsh(browser);
    await idle;
    await endOf(nginx);
    await endOf(server);
    await trySocket();
} finally {
    await browser.close();
    await Promise.all(children.map(child => endOf(child))); // nginx would leave its workers after SIGKILL
    fs.rmSync(folder, { recursive: true });
}
endChecks();
