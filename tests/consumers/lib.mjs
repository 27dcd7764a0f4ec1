// Shared by the consumer tests: the inputs, running the program, a reader of its dump, and forward kinematics in
// JavaScript. Nothing here knows glTF.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const program = process.argv[2];
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const suffixes = ['.wu', '.dev', '.stl', '.stl.gz', '.xml', '.gltf', '.glb', '.obj', '.ply', '.dae', '.ac', '.3ds'];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cellpipe-consumers-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
export const workFile = name => path.join(folder, name);

function filesBelow(folderPath) {
    return fs.readdirSync(folderPath, { withFileTypes: true, recursive: true })
        .filter(entry => entry.isFile()).map(entry => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
}

// Top-level files of samples/, and the robot cells and parts of the corpus beside the checkout, if it is there.
export function inputs() {
    const samples = fs.readdirSync(path.join(root, 'samples')).filter(name => suffixes.some(suffix => name.endsWith(suffix)))
        .sort().map(name => path.join(root, 'samples', name));
    const corpus = path.join(root, '../shared/corpus');
    if (!fs.existsSync(corpus)) {
        console.log('skipped: the corpus (../shared is not there)');
        return samples;
    }
    const cells = filesBelow(corpus).filter(file => file.endsWith('.wu'));
    const parts = filesBelow(path.join(corpus, 'abb_irb120')).filter(file => file.endsWith('.stl'));
    return [...samples, ...cells, ...parts];
}

// Files of a folder of the corpus, if it is there.
export function corpusFiles(name, suffix) {
    const place = path.join(root, '../shared/corpus', name);
    return fs.existsSync(place) ? filesBelow(place).filter(file => file.endsWith(suffix)) : [];
}

export const shortName = file => path.relative(path.join(root, '..'), file);

// Converts, and fails loudly; what the program says on stderr (losses, warnings) is not our business here.
export function convert(input, output, ...settings) {
    const outs = settings.flatMap(setting => ['--out', setting]);
    execFileSync(program, ['convert', '-q', input, output, ...outs], { stdio: ['ignore', 'ignore', 'pipe'] });
    return output;
}

export const info = input =>
    JSON.parse(execFileSync(program, ['info', '--json', input], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }));

// ---- matrices: 12 numbers, rows of 3 x 4 ----

export const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

export function multiply(a, b) {
    const out = new Array(12).fill(0);
    for (let row = 0; row < 3; row++)
        for (let column = 0; column < 4; column++) {
            for (let k = 0; k < 3; k++)
                out[4 * row + column] += a[4 * row + k] * b[4 * k + column];
            if (column === 3)
                out[4 * row + 3] += a[4 * row + 3];
        }
    return out;
}

export function rotation([x, y, z], angle) {
    const c = Math.cos(angle), s = Math.sin(angle), r = 1 - c;
    return [x * x * r + c, x * y * r - z * s, x * z * r + y * s, 0, y * x * r + z * s, y * y * r + c, y * z * r - x * s, 0,
        z * x * r - y * s, z * y * r + x * s, z * z * r + c, 0];
}

// The largest difference of entries, relative to the larger of 1 and the entry.
export const distance = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i]) / Math.max(1, Math.abs(b[i]))));

// ---- the scene, from the dump ----

export function words(line) {
    const unescape = text => text.replace(/\\(x..|.)/g, (_, code) =>
        code === 'n' ? '\n' : code === 't' ? '\t' : code.length === 3 ? String.fromCharCode(parseInt(code.slice(1), 16)) : code);
    return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)]
        .map(match => match[1] === undefined ? { word: match[2] } : { text: unescape(match[1]) });
}

export function fields(tokens, keys) {
    const found = {};
    tokens.forEach((token, i) => {
        if (keys.includes(token.word) && !(token.word in found))
            found[token.word] = tokens.slice(i + 1);
    });
    return found;
}

function readNode(tokens) {
    const found = fields(tokens, ['name', 'parent', 'local']);
    return { id: tokens[1].text, name: found.name[0].text, parent: found.parent[0].text,
        local: found.local.slice(0, 12).map(token => Number(token.word)), joints: [] };
}

function readJoint(tokens) {
    const keys = ['name', 'node', 'type', 'axis', 'lower', 'upper', 'home', 'q', 'driven', 'master', 'scale', 'offset'];
    const found = fields(tokens, keys);
    const number = key => found[key] && found[key][0].word !== 'none' ? Number(found[key][0].word) : undefined;
    return { id: tokens[1].text, name: found.name[0].text, node: found.node[0].text, type: found.type[0].word,
        axis: found.axis.slice(0, 3).map(token => Number(token.word)), lower: number('lower'), upper: number('upper'),
        home: number('home'), q: number('q'), driven: found.driven[0].word === 'yes', master: found.master[0].text,
        scale: number('scale'), offset: number('offset') };
}

// A line of a clip: "clip NAME", "track TARGET path ... interpolation ...", "key TIME : VALUES".
function readClipLine(clips, tokens) {
    const clip = clips.at(-1), track = clip?.tracks.at(-1);
    if (tokens[0].word === 'clip')
        clips.push({ name: tokens[1].text, tracks: [] });
    else if (tokens[0].word === 'track')
        clip.tracks.push({ target: tokens[1].text, path: tokens[3].word, interpolation: tokens[5].word, times: [], values: [] });
    else if (tokens[0].word === 'key') {
        track.times.push(Number(tokens[1].word));
        track.values.push(tokens.slice(3).map(token => Number(token.word)));
    }
}

// { nodes: Map by id, in order; joints: Map by id; clips; loops: how many }. Nothing here solves loops.
export function readScene(input) {
    const file = workFile('scene.dump');
    convert(input, file, 'summary=yes');
    const nodes = new Map(), joints = new Map(), clips = [];
    let loops = 0;
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
        const tokens = words(line);
        if (tokens[0]?.word === 'node') {
            const node = readNode(tokens);
            nodes.set(node.id, node);
        } else if (tokens[0]?.word === 'joint') {
            const joint = readJoint(tokens);
            joints.set(joint.id, joint);
            nodes.get(joint.node).joints.push(joint);
        } else if (tokens[0]?.word === 'loop') {
            loops++;
        } else if (tokens.length) {
            readClipLine(clips, tokens);
        }
    }
    return { nodes, joints, clips, loops };
}

// ---- forward kinematics: world = parent's world * local * motions ----

export function jointValue(scene, joint, q) {
    if (joint.master === undefined)
        return q.get(joint.id) ?? joint.q;
    return joint.scale * jointValue(scene, scene.joints.get(joint.master), q) + joint.offset;
}

export function jointMotion(joint, q) {
    const [x, y, z] = joint.axis, s = q - 1;
    switch (joint.type) {
    case 'revolute': return rotation(joint.axis, q);
    case 'prismatic': return [1, 0, 0, q * x, 0, 1, 0, q * y, 0, 0, 1, q * z];
    case 'scale': return [1 + s * x * x, s * x * y, s * x * z, 0, s * x * y, 1 + s * y * y, s * y * z, 0, s * x * z, s * y * z, 1 + s * z * z, 0];
    default: return identity;
    }
}

// Map from node id to world pose at joint values q (Map from joint id; others are current) and with the given locals.
export function worldPoses(scene, q, locals = new Map()) {
    const worlds = new Map();
    for (const node of scene.nodes.values()) {
        let pose = locals.get(node.id) ?? node.local;
        for (const joint of node.joints)
            pose = multiply(pose, jointMotion(joint, jointValue(scene, joint, q)));
        worlds.set(node.id, node.parent === undefined ? pose : multiply(worlds.get(node.parent), pose));
    }
    return worlds;
}

// ---- other programs ----

export const available = command => spawnSync('sh', ['-c', `command -v "${command}"`]).status === 0;

// Runs a command: its exit code and what it printed.
export function run(command, ...options) {
    const done = spawnSync(command, options, { encoding: 'utf8', maxBuffer: 1 << 30 });
    if (done.error)
        throw done.error;
    return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

// Numbers, or arrays of them, that are as near as the tolerance.
export function near(got, want, tolerance) {
    if (!Array.isArray(want))
        return Math.abs(got - want) <= tolerance;
    return Array.isArray(got) && got.length === want.length && want.every((value, i) => near(got[i], value, tolerance));
}

// ---- clips ----

// The values of a track at time t.
export function trackValues({ interpolation, times, values }, t) {
    const last = times.length - 1, width = values[0].length / (interpolation === 'cubic' ? 3 : 1);
    const part = (key, which) => interpolation === 'cubic' ? values[key].slice(which * width, (which + 1) * width) : values[key];
    const i = times.findLastIndex(time => time <= t);
    if (i < 0 || i === last || interpolation === 'step')
        return part(Math.max(i, 0), 1);
    const d = times[i + 1] - times[i], u = (t - times[i]) / d, u2 = u * u, u3 = u2 * u;
    const a = part(i, 1), b = part(i + 1, 1);
    if (interpolation === 'linear')
        return a.map((value, k) => value + (b[k] - value) * u);
    const out = part(i, 2), into = part(i + 1, 0);
    return a.map((value, k) => (2 * u3 - 3 * u2 + 1) * value + d * (u3 - 2 * u2 + u) * out[k] + (3 * u2 - 2 * u3) * b[k] +
        d * (u3 - u2) * into[k]);
}

function determinant(m) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
}

// A node's local with parts of it replaced; it has no shear. A mirrored one has three negative scales.
function localAt(node, tracks, t) {
    const m = node.local, sign = determinant(m) < 0 ? -1 : 1,
        scale = [0, 1, 2].map(column => sign * Math.hypot(m[column], m[4 + column], m[8 + column]));
    let turn = [0, 1, 2].flatMap(row => [0, 1, 2].map(column => m[4 * row + column] / scale[column]).concat(0));
    let place = [m[3], m[7], m[11]], size = scale;
    for (const track of tracks) {
        const values = trackValues(track, t);
        if (track.path === 'rotation') {
            const [x, y, z, w] = values.map(value => value / Math.hypot(...values));
            turn = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0, 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
                2 * (y * z - x * w), 0, 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0];
        } else if (track.path === 'translation') {
            place = values;
        } else {
            size = values;
        }
    }
    return turn.map((value, i) => i % 4 === 3 ? place[(i - 3) / 4] : value * size[i % 4]);
}

// World poses at time t of a clip.
export function posesAt(scene, clip, t) {
    const q = new Map(), locals = new Map();
    for (const track of clip.tracks)
        if (track.path === 'joint')
            q.set(track.target, trackValues(track, t)[0]);
        else
            locals.set(track.target, localAt(scene.nodes.get(track.target),
                clip.tracks.filter(other => other.target === track.target && other.path !== 'joint'), t));
    return worldPoses(scene, q, locals);
}

// ---- outcome ----

// A test that cannot run here.
export function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(77);
}

let failures = 0;
export function fail(text) {
    failures++;
    if (failures <= 20)
        console.log(`FAILED ${text}`);
}
export function finish(summary) {
    console.log(`${summary}; ${failures} failures`);
    process.exit(failures ? 1 : 0);
}
