// A live cell in browsers: a viewer, an operator and a teacher with pages of their own. Rights, the lease, a program that is
// taught, saved, downloaded and run, stops, jogs, what is near, and a page that comes back after the server was killed.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findChromium, hasPackages, launch } from './browser.mjs';
import { makeChecks, serve, start as startProgram } from './live_client.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..');
const chromium = findChromium();
if (!chromium || !hasPackages()) {
    console.log('skipped: consumers/test_live needs chromium and playwright-core');
    process.exit(77);
}

const { check, end: endChecks } = makeChecks();

// ---- the server ----

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-'));
const words = { vera: ['viewer', 'only looks on'], otto: ['operator', 'may move it'], tina: ['teacher', 'may teach it'] };
const people = path.join(folder, 'people');
for (const [name, [role, word]] of Object.entries(words))
    execFileSync(program, ['users', people, 'add', name, role], { input: `${word}\n` });

let server, url;
function start(port) {
    server = spawn(program, ['serve', path.join(root, 'samples/demo.wu'), '--users', people, '--listen', `127.0.0.1:${port}`]);
    return new Promise((resolve, reject) => {
        server.stderr.on('data', text => console.log(String(text)));
        server.on('exit', code => reject(new Error(`the server ended with ${code}`)));
        server.stdout.on('data', text => {
            const found = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(String(text));
            if (found) resolve(found);
        });
    }).then(([address, number]) => {
        url = address;
        return number;
    });
}

// ---- people ----

const complaints = [];
async function come(browser, name) {
    const context = await browser.newContext({ viewport: name === 'tina' ? { width: 700, height: 520 } : { width: 400, height: 300 } }), tab = await context.newPage();
    tab.on('pageerror', error => complaints.push(`${name}: ${error.message}`));
    tab.on('request', request => {
        if (!request.url().startsWith(url) && !/^(data|blob|ws):/.test(request.url()))
            complaints.push(`${name} asks ${request.url()}`);
    });
    await tab.goto(url);
    await logIn(tab, name);
    return tab;
}
async function logIn(tab, name) {
    await tab.locator('#login input[name=user]').fill(name);
    await tab.locator('#login input[name=password]').fill(words[name][1]);
    await tab.locator('#login button').click();
    await tab.waitForFunction(() => globalThis.cellpipe?.live?.mode && globalThis.cellpipe.live.state);
}
const until = (tab, mode) => tab.waitForFunction(wanted => cellpipe.live.mode.mode === wanted, mode);
const modeOf = tab => tab.evaluate(() => cellpipe.live.mode.mode);
const valueOf = (tab, id) => tab.evaluate(name => cellpipe.cell.byId.get(`joint ${name}`).q, id);
const refusal = async (tab, message) => {
    const answer = await tab.evaluate(it => cellpipe.live.ask(it), message);
    return answer.type === 'refused' ? answer.why : answer.type;
};

// A page that has no time for its words, on a busy machine, loses the lease: it takes over again before it asks.
async function take(tab) {
    for (let tries = 0; tries < 20 && !await tab.evaluate(() => cellpipe.live.has()); tries++) {
        await tab.evaluate(() => cellpipe.live.ask({ type: 'take' }));
        await tab.waitForFunction(() => cellpipe.live.has(), null, { timeout: 2000 }).catch(() => {});
    }
}
async function click(tab, name) {
    for (let tries = 0; tries < 10; tries++) {
        await take(tab);
        if (await tab.locator(name).click({ timeout: 1500 }).then(() => true, () => false)) return;
    }
    check(`${name} can be clicked`, false);
}

async function tryRights(vera, otto, tina) {
    check('a viewer has STOP NOW alone', await vera.locator('#live-emergency').isVisible() && await vera.locator('#live-run').isHidden());
    check('an operator has no program', await otto.locator('#teach').isHidden() && await otto.locator('#live-run').isVisible());
    check('a teacher has one', await tina.locator('#teach').isVisible());
    check('a viewer may not run', await refusal(vera, { type: 'run' }) === 'rights');
    check('an operator may not jog', await refusal(otto, { type: 'jog', joint: 'Arm.J1', speed: 0.1 }) === 'rights');
    check('nobody runs without the lease', await refusal(otto, { type: 'run' }) === 'lease');
    await take(tina);
    check('a second one cannot take over', await refusal(otto, { type: 'take' }) === 'lease');
    check('all see who has taken over', (await vera.locator('#live-line').textContent()).includes('tina has taken over'));
}

async function teachAndRun(vera, otto, tina) {
    await tina.locator('#live-program').fill('SPEED 100\nIMOV 0, 0, 40\nFLY 3\n');
    await click(tina, '#live-download');
    await tina.waitForFunction(() => document.querySelector('#live-errors li'));
    check('errors stand at their lines', (await tina.locator('#live-errors').textContent()).includes('line 3'),
        await tina.locator('#live-errors').textContent());
    await tina.locator('#live-program').fill('SPEED 100\nIMOV 0, 0, 100\nFOR I = 1, 1000\nIMOV 0, 0, 5\nIMOV 0, 0, -5\nNEXT\nLPTP P1\nEND\n');
    await click(tina, '#live-teach');
    await tina.waitForFunction(() => document.getElementById('live-program').value.startsWith('P1 = POSE('));
    await click(tina, '#live-download');
    await tina.waitForFunction(() => cellpipe.live.mode.program === 'program.prg' && !document.querySelector('#live-errors li'));
    const before = await valueOf(tina, 'Arm.J2');
    await click(tina, '#live-run');
    await Promise.all([until(vera, 'running'), until(otto, 'running')]);
    await vera.waitForFunction(q => Math.abs(cellpipe.cell.byId.get('joint Arm.J2').q - q) > 0.01, before);
    await otto.locator('#live-stop').click();
    await until(vera, 'stopped');
    const stopped = await vera.evaluate(() => cellpipe.live.mode.line);
    check('a stop lets the move end', stopped >= 3 && stopped <= 6, stopped);
    await click(tina, '#live-continue');
    await until(vera, 'running');
    await vera.waitForTimeout(200);
    await vera.locator('#live-emergency').click();
    await Promise.all([until(tina, 'emergency'), until(otto, 'emergency')]);
    const here = await vera.evaluate(() => cellpipe.live.state.n);
    await take(tina);
    check('no run before a reset', await refusal(tina, { type: 'run' }) === 'mode');
    check('STOP NOW stops', await vera.evaluate(() => cellpipe.live.state.n) <= here + 1);
    await click(tina, '#live-reset');
    await until(vera, 'ready');
}

async function jogAndTouch(vera, tina) {
    const before = await valueOf(tina, 'Arm.J3');
    const plus = tina.locator('.jog', { hasText: 'J3' }).locator('button').last();
    await plus.scrollIntoViewIfNeeded();
    const box = await plus.boundingBox();
    await take(tina);
    await tina.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await tina.mouse.down();
    await until(vera, 'jogging');
    await tina.waitForFunction(q => cellpipe.cell.byId.get('joint Arm.J3').q > q + 0.05, before);
    await tina.mouse.up();
    await until(vera, 'ready');
    await take(tina);
    check('one jog without another ends by itself', await refusal(tina, { type: 'jog', joint: 'Arm.J1', speed: 0.2 }) === 'done');
    await until(vera, 'jogging');
    await until(vera, 'ready');
    check('too fast', await refusal(tina, { type: 'jog', joint: 'Arm.J1', speed: 9 }) === 'limits');
    check('unknown joint', (await refusal(tina, { type: 'jog', joint: 'Arm.J9', speed: 0.1 })).startsWith('format'));
    const here = await tina.evaluate(() => cellpipe.live.state.q);
    const lower = await tina.evaluate(() => cellpipe.live.joints.map(id => cellpipe.cell.byId.get(`joint ${id}`)).map(joint =>
        joint.id === 'Arm.J2' ? joint.upper : joint.q));
    await take(tina);
    const far = await refusal(tina, { type: 'move', q: lower, speed: 1 });
    check('a move that would touch is refused', /^near: .* would touch$/.test(far), far);
    const away = here.map((q, i) => i === 0 ? q + 0.1 : q);
    await take(tina);
    check('another one is made', await refusal(tina, { type: 'move', q: away, speed: 1 }) === 'done');
    await until(vera, 'ready');
    await vera.waitForFunction(q => Math.abs(cellpipe.live.state.q[0] - q) < 1e-9, away[0]);
    let answer = 'done';
    for (let i = 0; i < 400 && answer === 'done'; i++) {
        await take(tina);
        answer = await refusal(tina, { type: 'jog', joint: 'Arm.J2', speed: 0.5 });
    }
    if (answer === 'done' || answer === 'lease')
        await vera.waitForFunction(() => /would touch/.test(cellpipe.live.mode.why));
    else
        check('a jog that would touch is refused', /^near: .* would touch$/.test(answer), answer);
    await vera.waitForFunction(() => document.querySelectorAll('#live-near li').length > 0);
}

async function leaveAndReturn(vera, otto, tina, port) {
    await tina.close();
    await otto.waitForFunction(() => cellpipe.live.mode.lease === '');
    await take(otto);
    check('another takes over', await modeOf(vera) !== 'offline');
    server.removeAllListeners('exit');
    server.kill('SIGKILL');
    await until(vera, 'offline');
    await start(port);
    const back = performance.now();
    await Promise.all([logIn(vera, 'vera'), logIn(otto, 'otto')]); // the new server knows nobody
    console.log(`pages are back ${(performance.now() - back).toFixed(0)} ms after a new server, with a login`);
    check('the pages come back', await modeOf(vera) === 'ready' && await modeOf(otto) === 'ready');
}

// A controller outside that is killed, and starts again.
async function loseController(browser) {
    const tool = path.join(path.dirname(path.resolve(program)), 'tests/fake_json');
    const begin = async at => {
        const robot = startProgram(tool, [String(at), 'count=100000'], /port (\d+)/);
        return { robot, at: (await robot.found)[1] };
    };
    let { robot, at } = await begin(0);
    const { child, port } = await serve(program, [path.join(root, 'samples/demo.wu'), '--controller', `jsonl:127.0.0.1:${at}`]);
    const context = await browser.newContext({ viewport: { width: 400, height: 300 } }), tab = await context.newPage();
    await tab.goto(`http://127.0.0.1:${port}/`);
    const moves = async () => {
        await tab.waitForFunction(() => globalThis.cellpipe?.live?.mode?.mode === 'running' && cellpipe.live.state);
        const n = await tab.evaluate(() => cellpipe.live.state.n);
        await tab.waitForFunction(before => cellpipe.live.state.n > before + 5, n);
    };
    await moves();
    robot.kill('SIGKILL');
    await robot.ended;
    await until(tab, 'offline');
    ({ robot } = await begin(at));
    const back = performance.now();
    await moves();
    console.log(`a killed controller is back in the page after ${(performance.now() - back).toFixed(0)} ms`);
    check('the page shows a controller that is back', await modeOf(tab) === 'running');
    await context.close();
    for (const one of [child, robot]) {
        one.kill('SIGTERM');
        await one.ended;
    }
}

const port = await start(0);
const browser = await launch(chromium);
try {
    const [vera, otto, tina] = await Promise.all(['vera', 'otto', 'tina'].map(name => come(browser, name)));
    await tryRights(vera, otto, tina);
    await teachAndRun(vera, otto, tina);
    await jogAndTouch(vera, tina);
    if (process.env.SHOTS) {
        await vera.screenshot({ path: `${process.env.SHOTS}/viewer.png` });
        await tina.screenshot({ path: `${process.env.SHOTS}/teacher.png` });
    }
    await leaveAndReturn(vera, otto, tina, port);
    await loseController(browser);
    check('nothing else was asked for, and nothing went wrong', complaints.length === 0, complaints);
} finally {
    await browser.close();
    server.removeAllListeners('exit');
    server.kill('SIGINT');
    fs.rmSync(folder, { recursive: true });
}
endChecks();
