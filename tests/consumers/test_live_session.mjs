// A live session becomes a GLB, a VRML world and a Deneb recording, by the commands of docs/live.md. A teacher runs a program
// that picks a part: where the part is in the files is compared with where the interpreter had it, as the server's states
// said it meanwhile; three.js plays the GLB. Then a controller outside tells of a part in a gun's jaws.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connect, logIn, makeChecks, serve } from './live_client.mjs';
import { multiply } from './lib.mjs';
import { listen } from './robots.mjs';
import { load, poseOf, startClip, tails } from './three_play.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..');
const poses = path.join(path.dirname(path.resolve(program)), 'tests/poses');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'session-')), at = name => path.join(folder, name);
const { check, end: endChecks } = makeChecks();
const run = (...words) => execFileSync(program, words, { encoding: 'utf8' });

// The three commands. By a tolerance, keys are left out that move nothing farther.
function convert(cell, session, suffixes, ...rest) {
    for (const suffix of suffixes) {
        const done = spawnSync(program, ['convert', cell, at(`${session}.${suffix}`), ...rest, '!', 'recording', `file=${at(`${session}.jsonl`)}`], { encoding: 'utf8' });
        check(`${session}.${suffix} is made`, done.status === 0, done.stderr);
        check(`${session}.${suffix}: nothing of the motion is lost`, !/loss: (motion|poses)/.test(done.stderr), done.stderr);
    }
}

// Where the nodes of these names are at times of a file's clip, by our own evaluation: rows of 3 by 4.
function posesOf(file, times, names) {
    const text = run('info', file, '--dump');
    const nodes = [...text.matchAll(/^node "[^\n]*?" name "([^\n]*?)" parent/gm)].map(match => match[1]);
    const answer = spawnSync(poses, [file], { input: times.map(time => `clip 0 ${time}\n`).join(''), maxBuffer: 1 << 30, encoding: 'utf8' });
    return answer.stdout.trimEnd().split('\n').map(line => {
        const numbers = line.split(' ').map(Number);
        return names.map(name => numbers.slice(12 * nodes.indexOf(name), 12 * nodes.indexOf(name) + 12));
    });
}

const off = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

async function tryProgram() {
    const cell = path.join(root, 'samples/demo.wu'), people = at('people'), home = [1, 0, 0, 0.4632, 0, 1, 0, 0.2237, 0, 0, 1, 0.71];
    execFileSync(program, ['users', people, 'add', 'tina', 'teacher'], { input: 'may teach it\n' });
    const server = await serve(program, [cell, '--users', people, '--record', at('live.jsonl')]);
    const client = connect(server.port, await logIn(server.port, 'tina', 'may teach it'));
    await client.opened;
    const alive = setInterval(() => client.say({ type: 'alive' }), 500);
    await client.answer({ type: 'take' });
    const text = 'SPEED 400, 2000\nLMOV 463.2, 223.7, 410\nHANDLE CLOSE Part\nIMOV 0, 0, 80\nCMOV 450, 0, 520, 463.2, -50, 490\n' +
        'IMOV 0, 0, -80\nHANDLE OPEN\nIMOV 0, 0, 80\nEND\n';
    const checked = await client.answer({ type: 'program', name: 'pick.prg', text });
    check('the program is good', checked.good, checked);
    await client.answer({ type: 'download', name: 'pick.prg' });
    const done = await client.answer({ type: 'run' });
    check('it runs', done.type === 'done', done);
    const from = client.messages.length;
    await client.until(it => it.type === 'mode' && it.mode === 'ready', from);
    clearInterval(alive);
    client.socket.destroy();
    server.child.kill();
    await server.child.ended;

    const lines = fs.readFileSync(at('live.jsonl'), 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));
    check('only the part is told of', lines.every(line => !line.moved || Object.keys(line.moved).join() === 'Part'));
    const states = client.messages.filter(it => it.type === 'state' && it.n > 1), told = states.filter(it => it.moved);
    // The recording began at this time of the server's clock: a state and the only line that has its values tell it.
    const twins = told.map(state => [state, lines.filter(line => String(Object.values(line.q)) === String(state.q))]);
    const [state, [line]] = twins.find(([, same]) => same.length === 1), begin = state.t - line.t;
    check('states of the way', told.length > 30 && states.length > told.length, states.length, told.length);
    // What is grabbed jumps by one step: where that is, formats with times of 32 bits are between the two.
    const shown = states.filter(state => state !== told[0]);
    const times = shown.map(state => state.t - begin), wanted = shown.map(state => state.moved?.Part ?? home);
    for (const [tolerance, most] of [['1e-4', 1.5e-4], ['0', 1e-6]]) {
        convert(cell, 'live', ['glb', 'wrl'], '--out', `tolerance=${tolerance}`);
        for (const file of ['live.glb', 'live.wrl']) {
            const found = posesOf(at(file), times, ['Part']).map(row => row[0]);
            const worst = Math.max(...found.map((pose, i) => off(pose, wanted[i])));
            check(`${file}: the part is where it was`, found.length === times.length && worst <= most, tolerance, worst);
        }
    }
    const gltf = await load(at('live.glb')), mixer = startClip(gltf, gltf.animations.find(it => it.name === 'live'));
    const { tail } = tails(gltf).get('Part');
    let worst = 0;
    times.forEach((time, i) => {
        mixer.setTime(time);
        gltf.scene.updateMatrixWorld(true);
        worst = Math.max(worst, off(poseOf(tail), multiply([1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0], wanted[i]))); // Y is up
    });
    check('three.js has the part there', worst <= 2e-6, worst);
    const none = spawnSync(program, ['convert', cell, at('none.dcr'), '!', 'recording', `file=${at('live.jsonl')}`], { encoding: 'utf8' });
    check('a cell that is none of Deneb is a loss with a count', none.status === 0 && /loss: no device is of a Deneb workcell.*\(2\)/.test(none.stderr), none.stderr);

    // It is played in a live cell of its own.
    const player = await serve(program, [at('live.glb'), '--controller', 'recording']), guest = connect(player.port);
    const seen = await guest.until(it => it.type === 'state' && it.moved && it.moved.Part[7] < 0.1);
    const near = posesOf(at('live.glb'), [seen.t], ['Part'])[0][0];
    check('a recording is played with the part', off(near, seen.moved.Part) < 1e-6, near, seen.moved.Part);
    guest.socket.destroy();
    player.child.kill();
}

async function tryWorkcell() {
    const cell = path.join(root, 'samples/deneb/welding/welding.dcw');
    fs.writeFileSync(at('grab.prg'), 'MOVE 20,10,10,0,40,0\nGRAB "gun left"\nMOVE 60,10,10,0,40,0\nHANDLE OPEN\nHOME\nEND\n');
    run('program', cell, at('grab.glb'), `file=${at('grab.prg')}`, 'device=robot left', 'reach=5', 'frame=id:flange', '-q', '--out', 'profile=stage');
    run('convert', at('grab.glb'), at('grab.jsonl'), '-q', '--out', 'period=0.01');
    const sent = fs.readFileSync(at('grab.jsonl'), 'utf8');
    const robot = await listen(socket => socket.write(sent), at('robot'));
    const server = await serve(program, [cell, '--controller', `jsonl:unix:${at('robot')}`, '--record', at('weld.jsonl')]);
    const client = connect(server.port), lines = sent.trimEnd().split('\n').map(line => JSON.parse(line)), last = lines.at(-1);
    await client.until(it => it.type === 'state' && it.t === last.t);
    client.socket.destroy();
    server.child.kill();
    await server.child.ended;
    robot.close();
    const written = fs.readFileSync(at('weld.jsonl'), 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));
    check('each line is recorded', written.length === lines.length, written.length, lines.length);
    convert(cell, 'weld', ['glb', 'wrl', 'dcr']);
    run('convert', at('weld.dcr'), at('read.glb'), '-q', '--in', `workcell=${cell}`, '--out', 'profile=stage');
    const times = lines.map(line => line.t), names = ['gun left', 'flange', 'turret'];
    const wanted = posesOf(at('grab.glb'), times, names);
    check('the gun moves', off(wanted[0][0], wanted.at(-1)[0]) > 0.1);
    for (const [file, most] of [['weld.glb', 1e-6], ['weld.wrl', 5e-4], ['read.glb', 1e-9]]) {
        const found = posesOf(at(file), times, names);
        const worst = Math.max(...found.map((row, k) => Math.max(...row.map((pose, i) => off(pose, wanted[k][i])))));
        check(`${file}: the gun is where it was`, found.length === times.length && worst <= most, worst);
    }
}

// A robot that obeys: what would touch does not reach it.
async function tryMotion() {
    const people = at('teachers'), got = [], q = [0.45, 0.2, 0.3, 0, 1.0707963267948966, 0.45];
    execFileSync(program, ['users', people, 'add', 'tina', 'teacher'], { input: 'may teach it\n' });
    const robot = await listen(socket => {
        let text = '';
        socket.on('data', piece => {
            const lines = (text += piece).split('\n');
            text = lines.pop();
            got.push(...lines.map(line => JSON.parse(line)));
        });
    }, at('obedient'));
    const server = await serve(program, [path.join(root, 'samples/demo.wu'), '--users', people, '--controller', `jsonl:unix:${at('obedient')}`, '--allow-motion']);
    const client = connect(server.port, await logIn(server.port, 'tina', 'may teach it'));
    await client.opened;
    await robot.until(1);
    const tell = () => robot.raw(`{"q":{${q.map((value, i) => `"Arm.J${i + 1}":${value + 1e-5 * Math.random()}`).join()}},"mode":"ready"}\n`); // a sensor
    const telling = setInterval(tell, 20), alive = setInterval(() => client.say({ type: 'alive' }), 500);
    await client.until(it => it.type === 'mode' && it.mode === 'ready');
    await client.answer({ type: 'take' });
    const near = /^near: .*Part would touch/;
    const jog = await client.answer({ type: 'jog', joint: 'Arm.J1', speed: 0.2 });
    check('a jog that would touch is refused with the pair', near.test(jog.why), jog);
    const move = await client.answer({ type: 'move', q: [0.7, ...q.slice(1), 0], speed: 0.5 });
    check('so is a move', near.test(move.why), move);
    const bad = await client.answer({ type: 'program', name: 'a', text: 'IMOV 0,0,-300\nEND\n' });
    check('so is a program', bad.good === false && /^near: /.test(bad.why), bad);
    const good = await client.answer({ type: 'program', name: 'a', text: 'IMOV 0,0,50\nIMOV 0,0,-50\nEND\n' });
    check('the robot has got nothing', good.good && got.length === 0, good, got);
    await client.answer({ type: 'download', name: 'a' });
    const run = await client.answer({ type: 'run' });
    check('it runs', run.type === 'done', run);
    q[1] += 0.05; // lower: the way down would touch now
    await client.until(it => it.type === 'state' && Math.abs(it.q[1] - q[1]) < 1e-3);
    const again = await client.answer({ type: 'run' });
    check('from elsewhere it would touch', /^near: /.test(again.why), again);
    q[1] -= 0.3;
    await client.until(it => it.type === 'state' && Math.abs(it.q[1] - q[1]) < 1e-3);
    const free = await client.answer({ type: 'move', q: [0.7, ...q.slice(1), 0], speed: 0.5 });
    check('a move that is free', free.type === 'done', free);
    await client.answer({ type: 'jog', joint: 'Arm.J1', speed: 0.2 });
    for (let waits = 0; got.length < 4 && waits < 500; waits++) await new Promise(resolve => setTimeout(resolve, 10));
    check('the robot has got these', got.map(it => it.type).join() === 'program,run,move,jog', got);
    clearInterval(telling);
    clearInterval(alive);
    client.socket.destroy();
    server.child.kill();
    robot.close();
}

try {
    await Promise.all([tryProgram(), tryWorkcell(), tryMotion()]);
} finally {
    fs.rmSync(folder, { recursive: true });
}
endChecks();
