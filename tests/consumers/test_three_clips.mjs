// Every sample's clips, plain and for the web, played by three.js and by our own evaluation: all nodes are in the same places. No two
// nodes have the same name, as three.js sees it.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PropertyBinding } from 'three';
import { convert, fail, finish, info, multiply, program, readScene, workFile } from './lib.mjs';
import { load, ours, poseOf, startClip, stopClip, tails } from './three_play.mjs';

const samples = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../samples');
const poses = path.join(path.dirname(program), 'tests/poses');
const yUp = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0]; // (x, y, z) -> (x, z, -y)
// Metres from a node's origin at which it is compared. With a tolerance, what is farther from it than its mesh may be off by more.
const plainReach = 0.1, webReach = 0.01;

// ---- names that three.js takes for one another ----

// Two-joint arms whose frames, joints and parts are called alike; each moves otherwise.
function writeAlike(file) {
    const frames = ['block', 'block 1', 'block_1', 'block', 'a.b', 'ab', 'a b', 'a\u00a0b', 'box', 'box_1', 'box_instance_0', 'mesh_0_1',
        'Y up', 'constructor', 'constructor'];
    const node = (name, i) => ({ name, translation: [i, 0, 0], mesh: i % 2, children: [frames.length + i] });
    const times = [0, 1, 2], values = frames.map((_, i) => [0, 0, 0, 0.1 * (i + 1), 0, 0, 0, 0.2 * (i + 1), 0]);
    const triangle = [0, 0, 0, 1, 0, 0, 0, 1, 0];
    const numbers = new Float32Array([...triangle, ...times, ...values.flat()]);
    const accessor = (byteOffset, count, type, rest) => ({ bufferView: 0, byteOffset, componentType: 5126, count, type, ...rest });
    const document = {
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: frames.map((_, i) => i) }],
        nodes: [...frames.map(node), ...frames.map((_, i) => ({ mesh: 1, translation: [0, 0, i] }))],
        materials: [{ name: 'one' }, { name: 'two' }],
        meshes: [{ name: 'block', primitives: [0, 1].map(material => ({ attributes: { POSITION: 0 }, material })) },
            { name: 'box', primitives: [{ attributes: { POSITION: 0 } }] }],
        animations: [{ name: 'slide', samplers: values.map((_, i) => ({ input: 1, output: 2 + i })),
            channels: values.map((_, i) => ({ sampler: i, target: { node: i, path: 'translation' } })) }],
        accessors: [accessor(0, 3, 'VEC3', { min: [0, 0, 0], max: [1, 1, 0] }), accessor(36, 3, 'SCALAR', { min: [0], max: [2] }),
            ...values.map((_, i) => accessor(48 + 36 * i, 3, 'VEC3'))],
        bufferViews: [{ buffer: 0, byteLength: numbers.byteLength }],
        buffers: [{ byteLength: numbers.byteLength, uri: `data:application/octet-stream;base64,${Buffer.from(numbers.buffer).toString('base64')}` }],
    };
    fs.writeFileSync(file, JSON.stringify(document));
    return file;
}

function compareNames(what, gltf, scene) {
    const names = gltf.parser.json.nodes.map(node => node.name).filter(Boolean).map(name => PropertyBinding.sanitizeNodeName(name));
    const twice = names.filter((name, i) => names.indexOf(name) !== i);
    if (twice.length > 0)
        fail(`${what}: three.js sees twice: ${twice.slice(0, 5).join(', ')}`);
    // None is an object's that is no node, and what our extras say is as it was.
    gltf.scene.traverse(object => {
        if (gltf.parser.associations.get(object)?.nodes === undefined && names.includes(object.name))
            fail(`${what}: a part of a mesh is called ${object.name}, like a node`);
    });
    for (const [id, { head }] of tails(gltf))
        if ((ours(head).name ?? head.userData.name ?? '') !== scene.nodes.get(id).name)
            fail(`${what}: node ${id} is called ${head.userData.name}`);
}

// ---- clips ----

// One line of poses for each question.
function ask(file, questions) {
    if (questions.length === 0)
        return [];
    const { stdout, status, stderr } = spawnSync(poses, [file], { input: questions.join('\n') + '\n', encoding: 'utf8', maxBuffer: 1 << 30 });
    if (status !== 0)
        throw new Error(`poses ${file}: ${stderr}`);
    return stdout.trimEnd().split('\n').map(line => line.split('\t').map(pose => pose.trim().split(' ').map(Number)));
}

// Metres between two poses, of the origin and of points in reach.
function distanceBetween(a, b, reach) {
    const points = [[0, 0, 0], [reach, 0, 0], [0, reach, 0], [0, 0, reach]];
    const at = (m, [x, y, z]) => [0, 4, 8].map(row => m[row] * x + m[row + 1] * y + m[row + 2] * z + m[row + 3]);
    return Math.max(...points.map(point => Math.hypot(...at(a, point).map((value, i) => value - at(b, point)[i]))));
}

// Times of a clip away from its jumps: nearly even parts, and none of anybody's keys.
function timesOf(clip) {
    const times = clip.tracks.flatMap(track => track.times), first = Math.min(...times), last = Math.max(...times);
    return Array.from({ length: 41 }, (_, i) => first + (last - first) * (i + 0.2371) / 41.3);
}

const sweeps = joint => joint.driven && joint.master === undefined && joint.type !== 'fixed' &&
    !(joint.lower === joint.home && joint.upper === joint.home);

// The value of a swept joint: home, lower, upper, home at one speed in 4 s, no leg shorter than half a second.
function sweepAt(joint, time) {
    const { home, lower = home - Math.PI, upper = home + Math.PI } = joint, values = [home, lower, upper, home];
    const legs = [home - lower, upper - lower, upper - home].map(Math.abs), sum = legs[0] + legs[1] + legs[2];
    for (let i = 0, begin = 0; i < 3; i++) {
        const length = Math.max(4 * legs[i] / sum, 0.5);
        if (time < begin + length)
            return values[i] + (values[i + 1] - values[i]) * (time - begin) / length;
        begin += length;
    }
    return home;
}

// What each animation of the file shows: questions at times.
function questionsOf(animation, index, scene) {
    const own = animation.extras.cellpipe;
    if (own.made !== 'sweep') {
        const clip = scene.clips.filter(one => one.tracks.some(track => track.times.length > 0))[index];
        const shift = -Math.min(0, ...clip.tracks.flatMap(track => track.times));
        return timesOf(clip).map(time => ({ time: time + shift, text: `clip ${scene.clips.indexOf(clip)} ${time}` }));
    }
    const joints = [...scene.joints.values()], moved = own.joint === undefined ? joints.filter(sweeps) : [scene.joints.get(own.joint)];
    if (!moved.every(joint => joint.type === 'revolute' || joint.upper - joint.lower < Infinity)) // how far it slides, test_three knows
        return [];
    return Array.from({ length: 12 }, (_, i) => 0.1237 + 0.401 * i).map(time => {
        const q = joints.map(joint => moved.includes(joint) ? sweepAt(joint, time) : joint.q);
        return { time, text: `joints ${q.join(' ')}` };
    });
}

let played = 0, worst = 0;
async function play(file, what, scene, bound, reach, ...settings) {
    const gltf = await load(convert(file, workFile('o.glb'), ...settings)), nodes = tails(gltf), ids = [...scene.nodes.keys()];
    compareNames(what, gltf, scene);
    const animations = gltf.parser.json.animations ?? [];
    let own = 0;
    const shows = animations.map(animation => questionsOf(animation, animation.extras.cellpipe.made ? 0 : own++, scene));
    const answers = ask(file, shows.flat().map(question => question.text));
    // Without a tolerance, joints that turn by cubics are played in 16 straight pieces a key.
    const isCurved = name => scene.clips.some(clip => clip.name === name && clip.tracks.some(track => track.interpolation === 'cubic'));
    shows.forEach((questions, i) => {
        const mixer = startClip(gltf, gltf.animations[i]), allowed = bound + (settings.length === 0 && isCurved(gltf.animations[i].name) ? 1e-3 : 0);
        played += questions.length > 0;
        for (const { time } of questions) {
            mixer.setTime(time);
            gltf.scene.updateMatrixWorld(true);
            const poses = answers.shift(), offs = ids.map((id, k) => distanceBetween(poseOf(nodes.get(id).tail), multiply(yUp, poses[k]), reach));
            const off = Math.max(...offs);
            worst = Math.max(worst, off / allowed);
            if (!(off <= allowed))
                fail(`${what}, ${gltf.animations[i].name} at ${time}: ${ids[offs.indexOf(off)]} is off by ${off} m`);
        }
        stopClip(gltf, mixer);
    });
}

const files = fs.readdirSync(samples, { withFileTypes: true, recursive: true }).filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath ?? entry.path, entry.name)).filter(file => /\.(wu|dev|dcr|dcw|gltf|glb|dae)$/.test(file)).sort();
// Some are for others to name, and nothing alone.
const isWhole = file => spawnSync(program, ['info', file]).status === 0;

for (const file of [...files.filter(isWhole), writeAlike(workFile('alike.gltf'))]) {
    const scene = readScene(file), name = path.basename(file);
    if (scene.loops > 0) // test_mechanisms plays these
        continue;
    const [low, high] = info(file).bounds ?? [[0, 0, 0], [1, 1, 1]];
    const exact = 4e-6 * Math.max(1, Math.hypot(...high.map((value, i) => value - low[i])));
    await play(file, name, scene, exact, plainReach);
    await play(file, `${name} web=yes`, scene, exact + 1e-4, webReach, 'web=yes', 'tolerance=0.1mm');
}
if (played === 0)
    fail('no clip was played');
finish(`${files.length} files, ${played} clips, at most ${worst.toFixed(2)} of the bound`);
