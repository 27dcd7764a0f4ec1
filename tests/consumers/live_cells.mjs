// Live cells of any kind, for tests: a cell is served, a teacher comes and takes over, the model is read as the page reads
// it, and what the server says is compared with other ways to the same answers.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { ask, connect, logIn, serve } from './live_client.mjs';
import { loadModules } from './page_modules.mjs';

const page = loadModules('meshopt', 'formula', 'motion', 'loops');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-cells-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
export const inFolder = name => path.join(folder, name);
export const word = 'may teach it';

export function makePeople(program) {
    execFileSync(program, ['users', inFolder('people'), 'add', 'tina', 'teacher'], { input: `${word}\n` });
    return inFolder('people');
}

// A name of a frame in the cell's own axes: glTF's Y is up.
function turnBack(cell, m) {
    return cell.up === 'y'
        ? [m[0], m[4], m[8], m[12], -m[2], -m[6], -m[10], -m[14], m[1], m[5], m[9], m[13]]
        : [m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14]];
}

// Serves a cell; throws what the server complains of if it does not begin.
export async function openCell(program, file, words = []) {
    const { child, port } = await serve(program, [file, ...words, '--users', inFolder('people')]);
    const { cookie } = await logIn(port, 'tina', word);
    const answer = await ask(port, 'GET', '/cell.glb', { headers: { cookie } });
    const bytes = zlib.gunzipSync(answer.body);
    const model = page.readCell(
        page.readJson(page.unpackMeshopt(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)))
    );
    const client = connect(port, { cookie });
    await client.opened;
    const it = { program, file, child, port, cookie, client, model, modelSize: answer.body.length };
    it.hello = await client.until(message => message.type === 'hello');
    await Promise.all(['state', 'mode', 'near'].map(type => client.until(message => message.type === type)));
    await client.answer({ type: 'take' });
    const alive = setInterval(() => client.say({ type: 'alive' }), 500);
    it.last = type => client.messages.findLast(message => message.type === type);
    // Waits until the cell is in this mode.
    it.comesTo = async mode => {
        if (it.last('mode').mode !== mode)
            await client.until(message => message.type === 'mode' && message.mode === mode, client.messages.length);
        return it.last('mode');
    };
    // Says a word that moves the cell, and waits until it has moved; the answer.
    it.move = async message => {
        const answered = await client.answer(message), from = client.messages.indexOf(answered);
        if (answered.type === 'done') {
            await client.until(({ type }) => type === 'mode', from); // the way may be none: then it is ready again
            await it.comesTo('ready');
        }
        return answered;
    };
    it.close = async () => {
        clearInterval(alive);
        client.socket.destroy();
        child.kill('SIGINT');
        await child.ended;
    };
    return it;
}

// The values of all joints of the model in the last state, with those that the page itself closes and follows.
export function values(it) {
    const { model, hello } = it, q = model.joints.map(joint => joint.q), loops = page.makeLoops(model);
    const rest = loops.start(q.slice()).q;
    hello.joints.forEach((id, i) => {
        rest[model.joints.find(joint => joint.id === id).index] = it.last('state').q[i];
    });
    return { asked: rest, q: loops.solve(rest).q };
}

// How far the page's frames are from where the library has them, in metres (where the cell is larger, in parts of its
// size) and parts of directions; poses: as a page in a
// browser has them, by id, in place of those that its scripts compute here.
export function posesOff(it, poses) {
    const { asked, q } = values(it), worlds = page.forward(it.model, q), frames = it.model.nodes.filter(node => node.isFrame);
    const got = frames.flatMap(node => poses?.[node.id] ?? turnBack(it.model, worlds[node.tail]));
    const tool = path.join(path.dirname(it.program), 'tests/poses');
    const { stdout } = spawnSync(tool, [it.file], { input: `joints ${asked.join(' ')}\n`, encoding: 'utf8', maxBuffer: 1 << 28 });
    const want = stdout.trim().split(/\s+/).map(Number);
    const size = want.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    return got.length === want.length ? want.reduce((most, value, i) => Math.max(most, Math.abs(value - got[i])), 0) / size : Infinity;
}

// What differs between the near pairs of the last message and those of the command collide; pairs that touch and rest are
// not told by the server.
export function nearDiffers(it) {
    const at = it.hello.joints.map((id, i) => `id:${id}=${it.last('state').q[i]}`);
    const { stdout, stderr } = spawnSync(it.program, ['collide', it.file, ...at, ...(at.length ? [] : ['home=yes']), '--clearance', '0.05', '--json'],
        { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (/does not close/.test(stderr)) return []; // the command goes there in one step, and may not arrive
    const want = new Map(!stdout ? [] : JSON.parse(stdout).contacts.map(contact =>
        [`${contact.first_id} ${contact.second_id}`, contact.collides ? 0 : contact.distance]));
    const got = new Map(it.last('near').pairs.map(([, , distance, first, second]) => [`${first} ${second}`, distance]));
    const differs = [];
    for (const [pair, distance] of got)
        if (!(Math.abs(distance - want.get(pair)) <= 1e-6)) differs.push(`${pair} ${distance} ${want.get(pair)}`);
    for (const [pair, distance] of want)
        if (!got.has(pair) && distance > 0) differs.push(`${pair} ${distance} is not told`);
    return differs;
}

// Jogs joints for a moment each, and makes one move; facts of it, and what is wrong.
export async function tryCell(it, mostJoints) {
    const { hello, model } = it, wrong = [], ids = new Map(model.joints.map(joint => [joint.id, joint]));
    if (!hello.joints.every(id => ids.has(id)) || new Set(hello.joints).size !== hello.joints.length)
        wrong.push('the joints are not those of the model');
    if (it.last('state').q.some((value, i) => Math.abs(value - ids.get(hello.joints[i])?.q) > 1e-9))
        wrong.push('the first state is not that of the model');
    let jogged = 0;
    for (const [i, joint] of hello.joints.slice(0, mostJoints).entries()) {
        const before = it.last('state').q.slice();
        const sign = (await it.move({ type: 'jog', joint, speed: 0.1 })).type === 'done' ? 1 : -1;
        if (sign < 0 && (await it.move({ type: 'jog', joint, speed: -0.1 })).type !== 'done') continue;
        const after = it.last('state').q;
        jogged++;
        if ((after[i] - before[i]) * sign < 0 || after.some((value, k) => k !== i && value !== before[k]))
            wrong.push(`a jog of ${joint} goes from ${before} to ${after}`);
    }
    const to = it.last('state').q.map((value, i) => {
        const { lower, upper } = ids.get(hello.joints[i]);
        return value >= lower && value <= upper ? Math.min(upper, Math.max(lower, value + 0.02)) : value;
    });
    const moved = await it.move({ type: 'move', q: to, speed: 1 });
    if (moved.type === 'done' && !it.last('mode').why && it.last('state').q.some((value, i) => Math.abs(value - to[i]) > 1e-12))
        wrong.push(`a move to ${to} ends at ${it.last('state').q}`);
    if (moved.type !== 'done' && !/^(near|limits): /.test(moved.why)) wrong.push(`a move is refused: ${moved.why}`);
    const off = posesOff(it);
    if (!(off <= 1e-5)) wrong.push(`frames are ${off} off`);
    // The last look at what is near comes a moment after the last step; on a busy machine that may be long.
    let differs = nearDiffers(it);
    for (let i = 0; i < 20 && differs.length > 0; i++) {
        await new Promise(resolve => setTimeout(resolve, 100));
        differs = nearDiffers(it);
    }
    wrong.push(...differs.map(pair => `near: ${pair}`));
    return { jogged, off, wrong, moved: moved.type === 'done' ? 'moved' : moved.why };
}
