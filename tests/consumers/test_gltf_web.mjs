// web=yes as three.js shows it, beside the plain file: every triangle within the bound that the file itself tells, normals too, at rest
// and while clips play; names, articulations, metadata and clips are the same; and our own reader reads it without a loss.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import * as THREE from 'three';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { convert, fail, finish, info, inputs, program, shortName, workFile } from './lib.mjs';

globalThis.self ??= globalThis;
await MeshoptDecoder.ready;

async function load(file) {
    const bytes = fs.readFileSync(file);
    const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
    return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
}

const ours = thing => thing.extras?.cellpipe ?? {};

// ---- triangles in the world ----

// Zeros where the corners are in line.
function ownNormal(corners) {
    const [a, b, c] = [0, 3, 6].map(i => new THREE.Vector3(...corners.slice(i, i + 3)));
    const area = 1e-6 * Math.max(b.sub(a).lengthSq(), c.sub(a).lengthSq()), normal = b.cross(c);
    return normal.length() > area ? normal.normalize() : normal.set(0, 0, 0);
}

// { count, points and normals: 9 numbers each, colours: 4 each and corner }
function triangles(root) {
    const points = [], normals = [], colours = [], point = new THREE.Vector3(), turn = new THREE.Matrix3();
    root.updateMatrixWorld(true);
    root.traverse(object => {
        if (!object.isMesh)
            return;
        const { position, normal, color } = object.geometry.attributes, index = object.geometry.index;
        turn.getNormalMatrix(object.matrixWorld);
        const flip = object.matrixWorld.determinant() < 0; // drawn the other way round, as glTF says
        for (let i = 0; i < index.count; i++) {
            const at = index.getX(flip ? i - i % 3 + (3 - i % 3) % 3 : i), base = object.material.color;
            points.push(...point.fromBufferAttribute(position, at).applyMatrix4(object.matrixWorld));
            const tint = color ? [color.getX(at), color.getY(at), color.getZ(at), color.itemSize > 3 ? color.getW(at) : 1] : [1, 1, 1, 1];
            if (normal)
                normals.push(...point.fromBufferAttribute(normal, at).applyMatrix3(turn).normalize());
            else if (i % 3 === 2) // the triangle's own, as glTF says of meshes without normals
                for (let k = 0; k < 3; k++)
                    normals.push(...ownNormal(points.slice(-9)));
            colours.push(base.r * tint[0], base.g * tint[1], base.b * tint[2], object.material.opacity * tint[3]);
        }
    });
    return { count: points.length / 9, points, normals, colours };
}

const centre = (points, i) => [0, 1, 2].map(k => (points[9 * i + k] + points[9 * i + 3 + k] + points[9 * i + 6 + k]) / 3);

// Triangles by the cell that their centre lies in.
function cellsOf(points, count, size) {
    const cells = new Map();
    for (let i = 0; i < count; i++) {
        const key = centre(points, i).map(value => Math.floor(value / size)).join();
        cells.has(key) ? cells.get(key).push(i) : cells.set(key, [i]);
    }
    return cells;
}

const apart = (a, i, b, j) => Math.hypot(a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]);

// How triangle i of a is triangle j of b: { turn, off }, the turn with the least distance of the corner that is farthest off.
function fit(a, i, b, j) {
    let best = { off: Infinity };
    for (let turn = 0; turn < 3; turn++) {
        const off = Math.max(...[0, 1, 2].map(k => apart(a.points, 9 * i + 3 * k, b.points, 9 * j + 3 * ((k + turn) % 3))));
        if (off < best.off)
            best = { turn, off };
    }
    return best;
}

const angle = (a, i, b, j) => 2 * Math.asin(Math.min(1, apart(a, i, b, j) / 2)) * 180 / Math.PI;

// A triangle without area has none of its own.
const hasNormal = (triangles, i) => triangles.normals.slice(i, i + 3).some(value => value !== 0);

function looksLike(a, i, b, j, turn, bounds) {
    for (let k = 0; k < 3; k++) {
        const one = 3 * i + k, other = 3 * j + (k + turn) % 3;
        if (hasNormal(b, 3 * other) && angle(a.normals, 3 * one, b.normals, 3 * other) > bounds.normal)
            return false;
        for (let c = 0; c < 4; c++)
            if (Math.abs(a.colours[4 * one + c] - b.colours[4 * other + c]) > 1 / 510 + 1e-6)
                return false;
    }
    return true;
}

// Every triangle of a is one of b, within the bounds, but for those that a step of the positions swallowed.
function compare(a, b, bounds, what) {
    const cells = cellsOf(b.points, b.count, bounds.cell);
    let missing = 0, off = 0;
    for (let i = 0; i < a.count; i++) {
        const home = centre(a.points, i).map(value => Math.floor(value / bounds.cell));
        let best = Infinity;
        for (let n = 0; n < 27; n++)
            for (const j of cells.get([home[0] + n % 3 - 1, home[1] + Math.floor(n / 3) % 3 - 1, home[2] + Math.floor(n / 9) - 1].join()) ?? []) {
                const { turn, off: distance } = fit(a, i, b, j);
                if (distance <= Math.min(bounds.position, best) && looksLike(a, i, b, j, turn, bounds))
                    best = distance;
            }
        if (best < Infinity)
            off = Math.max(off, best);
        else
            missing++;
    }
    if (missing > bounds.missing)
        fail(`${what}: ${missing} of ${a.count} triangles have no like within ${bounds.position} m and ${bounds.normal} degrees`);
    return off;
}

// ---- what the files tell ----

function boundsOf(json, size, collapsed) {
    const told = json.extensionsUsed?.includes('KHR_mesh_quantization') ? json.meshes?.map(mesh => ours(mesh).quantised) ?? [] : [];
    const position = Math.max(0, ...told.map(mesh => mesh?.position ?? Infinity)) + 1e-6 * size; // plain files: floats
    return { position, normal: Math.max(0, ...told.map(mesh => mesh?.normal ?? 0)) + 0.05, cell: Math.max(4 * position, size / 100), missing: collapsed };
}

const nodeFacts = json => (json.nodes ?? []).filter(node => ours(node).id !== undefined || ours(node).joint).map(node =>
    JSON.stringify([node.name ?? '', ours(node).id, ours(node).joint, ours(node).metadata, node.extensions])).sort();
const clipFacts = json => JSON.stringify((json.animations ?? []).map(clip => // the keys may be others
    [clip.name, ours(clip).made, ours(clip).joint, ours(clip).tracks?.length, ours(clip).attachments, clip.channels.length]));

function compareFacts(file, plain, web) {
    const same = (what, a, b) => JSON.stringify(a) === JSON.stringify(b) || fail(`${shortName(file)}: ${what} differ`);
    same('frames, joints or metadata', nodeFacts(plain), nodeFacts(web));
    same('articulations', plain.extensions, web.extensions);
    same('clips', clipFacts(plain), clipFacts(web));
    const beside = json => Object.entries(ours(json.scenes[0])).filter(([key]) => !['holds', 'meshes'].includes(key)); // other meshes
    same('the scene\'s extras', beside(plain), beside(web));
}

function poseAt(gltf, clip, t) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[clip]).play();
    mixer.setTime(t);
    const shown = triangles(gltf.scene);
    mixer.stopAllAction();
    mixer.uncacheRoot(gltf.scene);
    return shown;
}

// ---- our own reader ----

function readBack(file, web, plain, size) {
    const report = workFile('report.json');
    execFileSync(program, ['convert', '-q', web, workFile('back.stl'), '--report', report], { stdio: 'ignore' });
    const told = JSON.parse(fs.readFileSync(report)).entries.filter(entry => /^gltf-/.test(entry.code) && entry.severity !== 'note');
    if (told.length)
        fail(`${shortName(file)}: reading it back says ${told[0].message}`);
    const a = info(plain), b = info(web);
    if (Math.abs(a.area - b.area) > 1e-3 * Math.max(a.area, size * size))
        fail(`${shortName(file)}: read back, the area is ${b.area}, not ${a.area}`);
    const off = a.bounds ? Math.max(...a.bounds.flat().map((value, i) => Math.abs(value - b.bounds.flat()[i]))) : 0;
    return off;
}

// ---- each file ----

function notesOf(file, ...settings) {
    const report = workFile('notes.json');
    execFileSync(program, ['convert', '-q', file, workFile('w.glb'), '--report', report, ...settings.flatMap(setting => ['--out', setting])],
        { stdio: 'ignore' });
    return JSON.parse(fs.readFileSync(report)).entries;
}

let files = 0, most = 0, clips = 0, shown = 0;
async function check(file, ...settings) {
    const plain = await load(convert(file, workFile('p.glb'), 'normals=smooth'));
    const entries = notesOf(file, 'web=yes', ...settings), web = await load(workFile('w.glb'));
    const { bounds: box } = info(workFile('p.glb')), size = box ? Math.hypot(...box[0].map((low, i) => box[1][i] - low)) || 1 : 1;
    const reach = box ? Math.max(...box.flat().map(Math.abs), size) : 1;
    const collapsed = Number(entries.find(entry => entry.code === 'gltf-collapsed')?.text.match(/\d+$/)[0] ?? 0);
    const bounds = boundsOf(web.parser.json, reach, collapsed), what = `${shortName(file)} ${settings}`;
    const a = triangles(plain.scene), b = triangles(web.scene);
    files++, shown += b.count;
    if (a.count !== b.count + collapsed)
        fail(`${what}: ${b.count} triangles, not ${a.count} less ${collapsed}`);
    most = Math.max(most, compare(a, b, bounds, what) / bounds.position);
    compareFacts(file, plain.parser.json, web.parser.json);
    const moved = { ...bounds, position: bounds.position + Math.max(1e-4, size / 65536), normal: bounds.normal + 0.05 };
    const played = Math.min(plain.animations.length, a.count > 20000 ? 1 : 3);
    for (let clip = 0; clip < played; clip++, clips++)
        compare(poseAt(plain, clip, 1.3), poseAt(web, clip, 1.3), moved, `${what}, clip ${plain.animations[clip].name}`);
    if (readBack(file, workFile('w.glb'), workFile('p.glb'), size) > bounds.position && !collapsed)
        fail(`${what}: read back, the bounds are off by more than ${bounds.position}`);
}

for (const file of inputs()) {
    await check(file);
    await check(file, 'bits=16', 'compression=none');
}
if (!(most > 0.5))
    fail(`the bound is not what happens: at most ${most} of it`);
if (clips === 0 || shown === 0)
    fail('nothing was shown');
finish(`${files} files, ${shown} triangles, ${clips} clips, up to ${most.toFixed(3)} of the bound`);
