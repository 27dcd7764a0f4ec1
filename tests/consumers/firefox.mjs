// Firefox under Xvfb: without a display it has no WebGL. It is driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi).
import { spawn } from 'node:child_process';
import { available } from './lib.mjs';

const firefox = ['firefox-esr', 'firefox'].find(available);
const Socket =
    globalThis.WebSocket ??
    (await import('ws').then(
        ({ default: own }) => own,
        () => undefined
    )); // node 22, or jsdom's

// What is missing here for Firefox, or "".
export const missing = !firefox
    ? 'Firefox (apt-get install firefox-esr)'
    : !available('xvfb-run')
      ? 'xvfb-run (apt-get install xvfb xauth)'
      : !Socket
        ? 'node 22, or the package ws'
        : '';

// Starts it as a process group of its own. What it asks for outside of `own` addresses, and says on the console, is in
// `problems`; `complaint` is fulfilled by the first word on the console.
export async function openFirefox(profile, own) {
    const browser = spawn(
        'xvfb-run',
        ['-a', firefox, '--no-remote', '--profile', profile, '--remote-debugging-port=0'],
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
        if (message.method === 'network.beforeRequestSent' && !own.test(message.params.request.url))
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
    async function evaluate(expression, where = context) {
        const { result, exceptionDetails } = await call('script.evaluate', {
            expression: `Promise.resolve(${expression}).then(JSON.stringify)`,
            target: { context: where },
            awaitPromise: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return JSON.parse(result.value ?? 'null');
    }

    const { capabilities } = await call('session.new', { capabilities: {} });
    await call('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
    const [{ context }] = (await call('browsingContext.getTree', {})).contexts;
    async function close() {
        const end = new Promise(done => browser.on('exit', done));
        await call('browser.close', {});
        await end; // xvfb-run then takes its files away
    }
    return { call, evaluate, context, problems, complaint, capabilities, close };
}
