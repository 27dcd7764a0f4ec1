// What three.js' GLTFLoader makes of a glTF file of another tool against what cellpipe reads: names, world poses, every
// corner of every face and line with its normal, colour and material, the measures of `info`, the facets of the STL, clips.
import fs from 'node:fs';
import path from 'node:path';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { convert, distance, fields, info, multiply, posesAt, readScene, words, workFile, worldPoses } from './lib.mjs';

globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= Event; // of its loader for files
const zUp = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0]; // (x, y, z) -> (x, -z, y)
const rows = e => [e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]]; // of a column-major 4 x 4
const apply = (m, [x, y, z]) => [0, 4, 8].map(r => m[r] * x + m[r + 1] * y + m[r + 2] * z + m[r + 3]);

// ---- three ----

// Files beside it, read by hand: node has no fetch for them. Pictures are not looked at.
class Manager extends THREE.LoadingManager {
    constructor(folder) {
        super();
        this.setURLModifier(url => url.startsWith('data:') || url.startsWith('blob:') ? url
            : `data:application/octet-stream;base64,${fs.readFileSync(path.join(folder, decodeURIComponent(url))).toString('base64')}`);
    }
}

export async function loadThree(file) {
    await MeshoptDecoder.ready;
    const bytes = fs.readFileSync(file), text = bytes.subarray(0, 4).toString('latin1') !== 'glTF';
    const loader = new GLTFLoader(new Manager(path.dirname(file))).setMeshoptDecoder(MeshoptDecoder);
    loader.register(parser => ({ name: 'no-pictures', loadTexture: () => Promise.resolve(new THREE.Texture()), parser }));
    const gltf = await loader.parseAsync(text ? bytes.toString('utf8').replace(/^\ufeff/, '') : bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
    keepMatrices(gltf);
    gltf.scene.updateMatrixWorld(true);
    return gltf;
}

// three takes a node's matrix apart, and drops shear; the file's own matrix is the truth.
function keepMatrices(gltf) {
    gltf.scene.traverse(object => {
        const index = gltf.parser.associations.get(object)?.nodes, matrix = gltf.parser.json.nodes?.[index]?.matrix;
        if (matrix && object.parent && gltf.parser.associations.get(object.parent)?.nodes !== index) {
            object.matrixAutoUpdate = false;
            object.matrix.fromArray(matrix);
        }
    });
}

const nodeOf = (gltf, object) => {
    for (let at = object; at; at = at.parent) {
        const index = gltf.parser.associations.get(at)?.nodes;
        if (index !== undefined)
            return index;
    }
    return undefined;
};

function* corners(object) {
    const { index, attributes } = object.geometry, count = index ? index.count : attributes.position.count;
    const get = (attribute, i, width) => attribute && [attribute.getX(i), attribute.getY(i), attribute.getZ(i), attribute.itemSize > 3 ? attribute.getW(i) : 1].slice(0, width);
    for (let k = 0; k < count; k++) {
        const i = index ? index.getX(k) : k;
        yield { position: get(attributes.position, i, 3), normal: get(attributes.normal, i, 3), colour: get(attributes.color, i, 4) };
    }
}

const pieces = (list, size) => Array.from({ length: Math.floor(list.length / size) }, (_, i) => list.slice(size * i, size * i + size));

// Faces and segments of a drawn thing, in its node's frame.
function shapesOf(object) {
    const all = [...corners(object)], { color, opacity, transparent } = object.material;
    const material = { rgb: [color.r, color.g, color.b], alpha: transparent ? opacity : undefined };
    const segments = object.isLineSegments ? pieces(all, 2)
        : [...all.slice(1).map((corner, i) => [all[i], corner]), ...(object.isLineLoop && all.length > 1 ? [[all.at(-1), all[0]]] : [])];
    const list = object.isLine ? segments : pieces(all, 3);
    return { lines: Boolean(object.isLine), normals: Boolean(object.geometry.attributes.normal), list: list.map(piece => ({ corners: piece, material })) };
}

// By name of node: world pose and shapes; primitives of one kind together, as docs/gltf.md has it.
function threeNodes(gltf, turn) {
    const nodes = new Map(), json = gltf.parser.json;
    gltf.scene.traverse(object => {
        const index = nodeOf(gltf, object);
        if (index === undefined)
            return;
        const name = json.nodes[index].name ?? '';
        const node = nodes.get(name) ?? { world: multiply(turn, rows(object.matrixWorld.elements)), parts: [] };
        nodes.set(name, node);
        if (object.isMesh || object.isLine)
            node.parts.push(shapesOf(object));
    });
    const kind = part => 2 * part.lines + part.normals;
    for (const node of nodes.values())
        node.shapes = [0, 1, 2, 3].map(k => node.parts.filter(part => kind(part) === k).flatMap(part => part.list));
    return nodes;
}

// ---- cellpipe ----

function readMeshes(file) {
    const meshes = new Map(), instances = [], materials = new Map();
    let mesh;
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
        const [word] = line.split(' ', 1), numbers = () => line.split(' ').slice(1).map(Number);
        if (word === 'vertex' || word === 'normal' || word === 'colour')
            mesh[word].push(numbers().map(Math.fround));
        else if (word === 'face' || word === 'line')
            mesh.faces.push(numbers());
        else if (word === 'group') {
            const tokens = words(line);
            mesh.groups.push({ faces: Number(tokens[2].word), material: tokens[4].text });
        } else if (word === 'mesh') {
            mesh = { vertex: [], normal: [], colour: [], faces: [], groups: [] };
            meshes.set(words(line)[1].text, mesh);
        } else if (word === 'instance') {
            const found = fields(words(line), ['node', 'mesh', 'use', 'transform']);
            instances.push({ node: found.node[0].text, mesh: found.mesh[0].text, transform: found.transform.slice(0, 12).map(token => Number(token.word)) });
        } else if (word === 'material') {
            const tokens = words(line), found = fields(tokens, ['rgba']);
            materials.set(tokens[1].text, found.rgba.slice(0, 4).map(token => Number(token.word)));
        }
    }
    return { meshes, instances, materials };
}

function ownShapes(mesh, materials, transform) {
    const corner = i => ({ position: apply(transform, mesh.vertex[i]), normal: mesh.normal[i], colour: mesh.colour[i] });
    const owners = mesh.groups.length ? mesh.groups.flatMap(group => new Array(group.faces).fill(materials.get(group.material))) : [];
    const lines = mesh.faces.length && mesh.lines;
    return mesh.faces.flatMap((face, f) => {
        const all = face.map(corner), material = { rgba: owners[f] ?? [1, 1, 1, 1] };
        if (lines)
            return all.slice(1).map((last, i) => ({ corners: [all[i], last], material }));
        return all.slice(2).map((last, i) => ({ corners: [all[0], all[i + 1], last], material }));
    });
}

function cellpipeNodes(file) {
    const dump = workFile('peer.dump');
    convert(file, dump);
    const { meshes, instances, materials } = readMeshes(dump), scene = readScene(file), worlds = worldPoses(scene, new Map());
    for (const line of fs.readFileSync(dump, 'utf8').split('\n'))
        if (line.startsWith('mesh '))
            meshes.get(words(line)[1].text).lines = fields(words(line), ['kind']).kind[0].word === 'lines';
    const nodes = new Map([...scene.nodes.values()].map(node => [node.name, { id: node.id, world: worlds.get(node.id), shapes: [[], [], [], []] }]));
    const byId = new Map([...nodes.values()].map(node => [node.id, node]));
    for (const { node, mesh, transform } of instances) {
        const read = meshes.get(mesh);
        byId.get(node).shapes[2 * read.lines + (read.normal.length > 0)].push(...ownShapes(read, materials, transform));
    }
    return { scene, nodes };
}

// ---- comparing ----

const off = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
const unit = v => v.map(value => value / (Math.hypot(...v) || 1));
const distinct = ({ corners: [a, b, c] }) => [[a, b], [b, c], [c, a]].every(([p, q]) => p.position.some((value, i) => value !== q.position[i]));

function cornerDiffers(ours, theirs, { size, normals }) {
    if (off(ours.position, theirs.position) > 1e-6 * size)
        return `position ${ours.position} not ${theirs.position}`;
    if (ours.normal && off(unit(ours.normal), unit(theirs.normal)) > normals)
        return `normal ${ours.normal} not ${theirs.normal}`;
    if ((ours.colour || theirs.colour) && off(ours.colour, theirs.colour ?? [1, 1, 1, 1]) > 1e-6)
        return `colour ${ours.colour} not ${theirs.colour}`;
    return '';
}

function shapeDiffers(ours, theirs, bounds) {
    const { rgba } = ours.material, { rgb, alpha } = theirs.material;
    if (off(rgba.slice(0, 3), rgb) > 1e-6 || (alpha !== undefined && Math.abs(rgba[3] - alpha) > 1e-6))
        return `material ${rgba} not ${rgb} ${alpha}`;
    const turns = ours.corners.map((_, turn) => ours.corners.length === 3 ? turn : 0);
    const differences = [...new Set(turns)].map(turn => theirs.corners.map((_, i) =>
        cornerDiffers(ours.corners[(i + turn) % ours.corners.length], theirs.corners[i], bounds)).find(text => text));
    return differences.some(text => !text) ? '' : differences[0];
}

function compareShapes(ours, theirs, bounds, where) {
    for (const kind of [0, 1, 2, 3]) {
        const [a, b] = [ours, theirs].map(shapes => kind < 2 ? shapes[kind].filter(distinct) : shapes[kind]);
        if (a.length !== b.length)
            return [`${where}: ${a.length} shapes of kind ${kind}, not ${b.length}`];
        for (let i = 0; i < a.length; i++) {
            const text = shapeDiffers(a[i], b[i], bounds);
            if (text)
                return [`${where}: shape ${i} of kind ${kind}: ${text}`];
        }
    }
    return [];
}

// Corners in the world, of all triangles that three draws; a mirror turns them over (section 3.7.4).
const worldFaces = nodes => nodes.flatMap(({ world, shapes }) => {
    const points = [...shapes[0], ...shapes[1]].map(face => face.corners.map(corner => apply(world, corner.position)));
    return determinant(world) < 0 ? points.map(([a, b, c]) => [a, c, b]) : points;
});
const determinant = m => m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
const cross = ([a, b, c]) => {
    const u = b.map((value, i) => value - a[i]), v = c.map((value, i) => value - a[i]);
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
};

function compareMeasures(file, nodes) {
    const report = info(file), faces = worldFaces(nodes), wanted = { area: 0, lower: [Infinity, Infinity, Infinity], upper: [-Infinity, -Infinity, -Infinity] };
    for (const face of faces) {
        wanted.area += Math.hypot(...cross(face)) / 2;
        for (const point of face)
            point.forEach((value, i) => {
                wanted.lower[i] = Math.min(wanted.lower[i], value);
                wanted.upper[i] = Math.max(wanted.upper[i], value);
            });
    }
    if (!faces.length)
        return [];
    const size = Math.max(...wanted.lower.map(Math.abs), ...wanted.upper.map(Math.abs)), wrong = [];
    const lines = nodes.some(({ shapes }) => shapes[2].length + shapes[3].length);
    if (!lines && (off(report.bounds[0], wanted.lower) > 1e-6 * size || off(report.bounds[1], wanted.upper) > 1e-6 * size))
        wrong.push(`bounds ${JSON.stringify(report.bounds)} not ${wanted.lower} ${wanted.upper}`);
    if (!(Math.abs(report.area - wanted.area) <= 1e-5 * wanted.area))
        wrong.push(`area ${report.area} not ${wanted.area}`);
    return [...wrong, ...compareStl(file, faces, size)];
}

// Facet by facet; what is nothing but a point or a line counts only where both have it (stitches of strips).
function compareStl(file, faces, size) {
    const bytes = fs.readFileSync(convert(file, workFile('peer.stl'))), count = bytes.readUInt32LE(80);
    let facets = Array.from({ length: count }, (_, f) => [0, 1, 2].map(c => [0, 1, 2].map(k => bytes.readFloatLE(84 + 50 * f + 12 + 12 * c + 4 * k))));
    if (facets.length !== faces.length)
        [facets, faces] = [facets, faces].map(list => list.filter(face => Math.hypot(...cross(face)) > 1e-12 * size * size));
    if (facets.length !== faces.length)
        return [`${facets.length} facets in the STL, not ${faces.length}`];
    const far = (a, b) => Math.min(...[0, 1, 2].map(turn => Math.max(...[0, 1, 2].map(i => off(a[(i + turn) % 3], b[i])))));
    const wrong = faces.findIndex((face, i) => !(far(facets[i], face) <= 1e-6 * size));
    return wrong < 0 ? [] : [`facet ${wrong} of the STL is ${facets[wrong]}, not ${faces[wrong]}`];
}

// ---- clips ----

// At the keys, and between them where nothing turns in straight steps or jumps.
function times(clip) {
    const keys = [...new Set(clip.tracks.flatMap(track => track.times))].sort((a, b) => a - b);
    const slerps = clip.tracks.some(track => track.path === 'rotation' && track.interpolation === 'linear');
    const between = slerps ? [] : keys.slice(1).flatMap((key, i) => [0.3, 0.8].map(part => keys[i] + part * (key - keys[i])));
    return [...keys, ...between].sort((a, b) => a - b);
}

function compareClips(gltf, scene, ours, turn, tolerance) {
    const wrong = [], played = gltf.animations.filter(clip => clip.tracks.length);
    const wanted = scene.clips.filter(clip => clip.tracks.length);
    if (wanted.length !== played.length)
        return [`${wanted.length} clips, not ${played.length}`];
    wanted.forEach((clip, i) => {
        const mixer = new THREE.AnimationMixer(gltf.scene), action = mixer.clipAction(played[i]).setLoop(THREE.LoopOnce);
        action.clampWhenFinished = true;
        action.play();
        for (const t of times(clip)) {
            mixer.setTime(t);
            gltf.scene.traverse(object => object.quaternion.normalize()); // those of few bits; a rotation is unit
            gltf.scene.updateMatrixWorld(true);
            const poses = posesAt(scene, clip, t), theirs = threeNodes({ parser: gltf.parser, scene: gltf.scene }, turn);
            for (const [name, { world }] of theirs) {
                const far = distance(poses.get(ours.get(name).id), world);
                if (!(far <= tolerance) && wrong.length < 3)
                    wrong.push(`clip ${clip.name} at ${t}: ${name} is off by ${far}`);
            }
        }
        mixer.stopAllAction();
        mixer.uncacheRoot(gltf.scene);
    });
    return wrong;
}

// What differs, as texts; [] is agreement. tolerance: of world poses; normals: of unit normals.
export async function compareWithThree(file, { tolerance = 1e-9, normals = 2e-6, clips = true, turn = zUp, measures = true } = {}) {
    const gltf = await loadThree(file), theirs = threeNodes(gltf, turn), { scene, nodes: ours } = cellpipeNodes(file), wrong = [];
    for (const [name, node] of theirs) {
        const mine = ours.get(name);
        if (!mine) {
            wrong.push(`no node "${name}"`);
            continue;
        }
        const far = distance(mine.world, node.world);
        if (!(far <= tolerance))
            wrong.push(`node "${name}" is off by ${far}`);
        const size = node.shapes.flat().flatMap(shape => shape.corners.flatMap(corner => corner.position))
            .reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30);
        wrong.push(...compareShapes(mine.shapes, node.shapes, { size, normals }, `node "${name}"`));
    }
    if (measures)
        wrong.push(...compareMeasures(file, [...ours.keys()].filter(name => theirs.has(name)).map(name => theirs.get(name)))); // in our order
    if (clips)
        wrong.push(...compareClips(gltf, scene, ours, turn, Math.max(tolerance, 1e-5)));
    return { wrong, shapes: [...theirs.values()].reduce((sum, node) => sum + node.shapes.flat().length, 0) };
}
