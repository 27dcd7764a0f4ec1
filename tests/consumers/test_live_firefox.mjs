// The page of a live cell in Firefox: a teacher logs in, runs a program, jogs by a key and a finger, and sees an error.
import fs from 'node:fs';
import path from 'node:path';
import { missing, openFirefox } from './firefox.mjs';
import { skip } from './lib.mjs';
import { makeChecks, serve } from './live_client.mjs';
import { makePeople } from './live_pages.mjs';

if (missing) skip(`consumers/test_live_firefox needs ${missing}`);

const program = process.argv[2], cell = path.resolve(import.meta.dirname, '../../samples/demo.wu');
const { check, end: endChecks } = makeChecks();
const { folder, people } = makePeople(program, { tina: 'teacher' });
const { child, port } = await serve(program, [cell, '--users', people]);
const { call, evaluate, context, problems, capabilities, close } = await openFirefox(folder, /^(blob|data|moz-extension|chrome|resource):|:\/\/127\.0\.0\.1:/);

// Waits until an expression is true in the page.
const until = async expression =>
    check(expression, await evaluate(`new Promise(done => {
        const end = performance.now() + 30000;
        const look = () => { let good = false; try { good = ${expression}; } catch {} good || performance.now() > end ? done(good) : setTimeout(look, 30); };
        look();
    })`));
const click = id => evaluate(`document.getElementById('${id}').click()`);
const fill = (selector, text) => evaluate(`(() => {
    const field = document.querySelector(${JSON.stringify(selector)});
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
})()`);
async function take() {
    await evaluate(`cellpipe.live.has() || cellpipe.live.ask({ type: 'take' }).then(answer => answer.type)`);
    await until('cellpipe.live.has()');
}
const value = () => evaluate('cellpipe.live.state.q[1]');

await call('browsingContext.navigate', { context, url: `http://127.0.0.1:${port}/`, wait: 'complete' });
await until(`document.getElementById('login')`);
await fill('#login input[name=user]', 'tina');
await fill('#login input[name=password]', 'password of tina');
await evaluate(`document.querySelector('#login button').click()`);
await until('globalThis.cellpipe.live.state && cellpipe.live.mode.mode === "ready"');
await take();
await fill('#live-program', 'SPEED 250\nIMOV 0, 0, 120\nFLY\nEND\n');
await click('live-send');
await until(`document.querySelector('#live-errors li').textContent.startsWith('line 3, column 1')`);
check('what is wrong is selected', await evaluate(`(text => text.value.slice(text.selectionStart, text.selectionEnd))(document.getElementById('live-program'))`) === 'FLY');
await fill('#live-program', 'SPEED 250\nIMOV 0, 0, 120\nEND\n');
await take();
await click('live-download');
await until(`document.getElementById('says').textContent.includes('is loaded')`);
await take();
const low = await value();
await click('live-run');
await until(`cellpipe.live.mode.mode === 'ready' && Math.abs(cellpipe.live.state.q[1] - ${low}) > 0.01`);

// Holds the minus of a joint for a while, by a key or a finger.
const minus = `[...document.querySelectorAll('.jog')].find(row => row.textContent.includes('J2')).querySelector('button')`;
async function hold(name, source) {
    await take();
    await evaluate(`${minus}.scrollIntoView({ block: 'center' })`);
    await evaluate(`${minus}.focus()`);
    const before = await value();
    await call('input.performActions', { context, actions: [source] });
    check(`${name} jogs`, (await value()) < before - 0.005, before, await value());
    check(`${name} is let go`, await evaluate('cellpipe.live.jog === null'));
    await until('cellpipe.live.mode.mode === "ready"');
}
const pause = { type: 'pause', duration: 600 };
await hold('a key', { type: 'key', id: 'k', actions: [{ type: 'keyDown', value: ' ' }, pause, { type: 'keyUp', value: ' ' }] });
await evaluate(`${minus}.scrollIntoView({ block: 'center' })`);
const [x, y] = await evaluate(`(box => [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)])(${minus}.getBoundingClientRect())`);
await hold('a finger', { type: 'pointer', id: 'f', parameters: { pointerType: 'touch' },
    actions: [{ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, pause, { type: 'pointerUp', button: 0 }] });
if (process.env.SHOTS)
    fs.writeFileSync(`${process.env.SHOTS}/firefox.png`, Buffer.from((await call('browsingContext.captureScreenshot', { context })).data, 'base64'));
await click('live-emergency');
await until('cellpipe.live.mode.mode === "emergency"');
check('nothing was asked for elsewhere, and nothing went wrong', problems.filter(text => !/^request: about:|401/.test(text)).length === 0, problems);
console.log(`${capabilities.browserName} ${capabilities.browserVersion}`);
await close();
child.kill('SIGKILL');
fs.rmSync(folder, { recursive: true });
endChecks();
