// A page in Firefox under Xvfb (without a display Firefox has no WebGL): it gets ready, draws the cell, picks a link,
// and asks for nothing and says nothing. Firefox is driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi).
import { spawn } from 'node:child_process';
import path from 'node:path';
import { available, convert, fail, finish, root, skip, workFile } from './lib.mjs';

const firefox = ['firefox-esr', 'firefox'].find(available);
if (!firefox) skip('consumers/test_page_firefox needs Firefox (apt-get install firefox-esr)');
if (!available('xvfb-run')) skip('consumers/test_page_firefox needs xvfb-run (apt-get install xvfb xauth)');
const Socket =
    globalThis.WebSocket ??
    (await import('ws').then(
        ({ default: own }) => own,
        () => undefined
    )); // node 22, or jsdom's
if (!Socket) skip('consumers/test_page_firefox needs node 22, or the package ws');

let checks = 0;
function check(what, holds, ...shown) {
    checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

// ---- the browser: a process group of its own, and a socket ----

const browser = spawn(
    'xvfb-run',
    ['-a', firefox, '--no-remote', '--profile', workFile('.'), '--remote-debugging-port=0'],
    {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
    }
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
process.on('exit', () => {
    try {
        process.kill(-browser.pid);
    } catch {
        // it has ended
    }
});
const address = await new Promise((resolve, reject) => {
    let said = '';
    const listen = data => {
        said += data;
        const [, url] = said.match(/BiDi listening on (ws:\S+)/) ?? [];
        if (url) resolve(url);
    };
    browser.stdout.on('data', listen);
    browser.stderr.on('data', listen);
    browser.on('exit', code => reject(new Error(`${firefox} ends with ${code}: ${said.slice(-500)}`)));
});
const socket = new Socket(`${address}/session`),
    answers = new Map(),
    problems = [];
let complain;
const complaint = new Promise(done => (complain = done));
await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
});
socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    answers.get(message.id)?.(message);
    if (message.method === 'log.entryAdded') complain(problems.push(`${message.params.level}: ${message.params.text}`));
    if (message.method === 'network.beforeRequestSent' && !/^(file|blob|data):/.test(message.params.request.url))
        problems.push(`request: ${message.params.request.url}`);
};
async function call(method, params) {
    const id = answers.size + 1;
    const message = await new Promise(done => {
        answers.set(id, done);
        socket.send(JSON.stringify({ id, method, params }));
    });
    if (message.type !== 'success') throw new Error(`${method}: ${message.error} ${message.message}`);
    return message.result;
}
async function evaluate(expression) {
    const { result, exceptionDetails } = await call('script.evaluate', {
        expression: `Promise.resolve(${expression}).then(JSON.stringify)`,
        target: { context },
        awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return JSON.parse(result.value ?? 'null');
}

// ---- the page ----

const { capabilities } = await call('session.new', { capabilities: {} });
await call('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
const [{ context }] = (await call('browsingContext.getTree', {})).contexts;
const html = convert(path.join(root, 'samples/demo.wu'), workFile('firefox.html'));
await call('browsingContext.navigate', { context, url: `file://${html}`, wait: 'complete' });
const ready = evaluate(`new Promise(done => {
    const { dataset } = document.documentElement;
    const look = () => (dataset.ready || dataset.failed ? done(1) : requestAnimationFrame(look));
    look();
})`);
await Promise.race([ready, complaint]); // a page whose scripts are refused complains, and is never ready
const [failed, colours, picked] = await evaluate(`(() => {
    const { dataset } = document.documentElement;
    if (!dataset.ready) return [dataset.failed || 'not ready', 0, []];
    const { view, cell } = cellpipe, { gl } = view, seen = new Set(), names = new Set();
    view.draw();
    const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (let i = 0; i < pixels.length; i += 4) seen.add(pixels[i] + 256 * pixels[i + 1] + 65536 * pixels[i + 2]);
    for (let y = 5; y < view.height; y += 20)
        for (let x = 5; x < view.width; x += 20) {
            const hit = view.pick(x, y);
            if (hit) names.add(cellpipe_page.frameOf(cell, hit.object).id);
        }
    return ['', seen.size, [...names]];
})()`);
check('the page is ready', failed === '', failed);
check('it draws', colours > 100, colours);
check(
    'a link of the robot is picked',
    picked.some(name => name.startsWith('Arm.')),
    picked
);
check('no request, no console message', problems.length === 0, problems.slice(0, 5));
const end = new Promise(done => browser.on('exit', done));
await call('browser.close', {});
await end; // xvfb-run then takes its files away
finish(`${capabilities.browserName} ${capabilities.browserVersion}: ${checks} checks, ${colours} colours`);
