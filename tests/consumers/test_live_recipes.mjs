// Controllers that others wrote: ../shared/recipes/live/fake_ur.py, against which the Python client of Universal Robots was
// run, and fake_simple.py in both byte orders. Needs python3. Every sample is recorded in its order; after a kill the cell
// comes back.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { connect, makeChecks, serve } from './live_client.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..');
const recipes = path.resolve(root, '../shared/recipes/live'), folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recipes-'));
const { check, end: endChecks } = makeChecks();

if (!fs.existsSync(path.join(recipes, 'fake_ur.py'))) {
    console.log(`skipped: this test needs ${recipes}/fake_ur.py`);
    process.exit(77);
}
try {
    execFileSync('python3', ['-c', 'pass']);
} catch {
    console.log('skipped: this test needs python3 (apt-get install python3)');
    process.exit(77);
}

const freePort = () =>
    new Promise(resolve => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });

const begin = (name, port, words) => spawn('python3', [path.join(recipes, name), String(port), ...words], { stdio: 'ignore' });

// Values of joint i are sin(t + i), where t is the robot's clock.
function isRight(line, tolerance, lastTime) {
    const q = [1, 2, 3, 4, 5, 6].map(i => line.q[`Arm.J${i}`]);
    const t = Math.atan2(q[0], (q[1] - q[0] * Math.cos(1)) / Math.sin(1));
    const ahead = (((t - lastTime) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    return { t, ahead, good: q.every((value, i) => Math.abs(value - Math.sin(t + i)) <= tolerance) };
}

async function tryRecipe(name, script, words, protocol, rate, tolerance) {
    const port = await freePort(), record = path.join(folder, `${name}.jsonl`);
    let robot = begin(script, port, words);
    const server = await serve(program, [path.join(root, 'samples/demo.wu'), '--controller', `${protocol}:127.0.0.1:${port}`, '--map', path.join(folder, 'map'), '--record', record]);
    const client = connect(server.port);
    await client.opened;
    const state = n => client.until(it => it.type === 'state' && it.n >= n);
    await state(rate * 2);
    robot.kill('SIGKILL');
    const from = client.messages.length;
    await client.until(it => it.type === 'mode' && it.mode === 'offline', from);
    robot = begin(script, port, words);
    const back = await client.until(it => it.type === 'mode' && it.mode !== 'offline', from + 1);
    check(`${name}: back after a kill`, back !== undefined);
    await state(client.messages.filter(it => it.type === 'state').at(-1).n + rate);
    client.socket.destroy();
    server.child.kill();
    await server.child.ended;
    robot.kill();
    const lines = fs.readFileSync(record, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));
    check(`${name}: enough`, lines.length > 2.5 * rate, lines.length);
    let last = 0, gaps = 0, wrong = 0;
    lines.forEach((line, k) => {
        const { t, ahead, good } = isRight(line, tolerance, last);
        wrong += !good;
        gaps += k > 0 && !(ahead > 0 && ahead < 4 / rate + 0.05); // one jump where the robot begins anew
        last = t;
    });
    check(`${name}: right`, wrong === 0, wrong);
    check(`${name}: in order`, gaps <= 1, gaps);
    check(`${name}: times ascend`, lines.every((line, k) => k === 0 || line.t > lines[k - 1].t));
}

try {
    fs.writeFileSync(path.join(folder, 'map'), [1, 2, 3, 4, 5, 6].map(i => `${i} Arm.J${i}\n`).join(''));
    await tryRecipe('fake_ur.py', 'fake_ur.py', [], 'rtde', 125, 1e-12);
    await tryRecipe('fake_simple.py big', 'fake_simple.py', ['big'], 'simple', 50, 1e-6);
    await tryRecipe('fake_simple.py little', 'fake_simple.py', ['little'], 'simple', 50, 1e-6);
} finally {
    fs.rmSync(folder, { recursive: true });
}
endChecks();
