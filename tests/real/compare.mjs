// compare.mjs OUT: what run.sh has made of a folder. Reads the status files of the four batches and the outputs, by
// readers of its own for the little that cellpipe writes, and asks assimp's command line and Khronos' validator where
// they are installed. Needs no packages.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const out = process.argv[2];
const kinds = ['glb', 'web', 'wrl', 'stl'];

// ---- what is measured: triangles, lines, area, volume, bounds ----

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]; // columns, as glTF has them
const multiply = (a, b) => identity.map((_, i) => {
    const row = i % 4, column = i - row;
    return a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
});
const place = (m, p) => [0, 1, 2].map(i => m[i] * p[0] + m[i + 4] * p[1] + m[i + 8] * p[2] + m[i + 12]);

class Measure {
    triangles = 0; lines = 0; area = 0; fans = 0; volume = 0; // fans: the area of faces as fans
    lower = [Infinity, Infinity, Infinity]; upper = [-Infinity, -Infinity, -Infinity];
    point(p) {
        for (let i = 0; i < 3; i++) {
            this.lower[i] = Math.min(this.lower[i], p[i]);
            this.upper[i] = Math.max(this.upper[i], p[i]);
        }
    }
    // A face of any shape, by Newell's sum: its area is exact if it is flat. Of one that is not, the fan may come nearer
    // to the triangles that others make of it.
    face(points) {
        const a = points[0], sum = [0, 0, 0];
        for (let k = 1; k + 1 < points.length; k++) {
            const u = [0, 1, 2].map(i => points[k][i] - a[i]), v = [0, 1, 2].map(i => points[k + 1][i] - a[i]);
            const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            this.triangles++;
            this.volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
            this.fans += Math.hypot(...n) / 2;
            n.forEach((value, i) => { sum[i] += value; });
        }
        this.polygons |= points.length > 3;
        this.area += Math.hypot(...sum) / 2;
        points.forEach(p => this.point(p));
    }
    get size() { return [0, 1, 2].map(i => Math.max(0, this.upper[i] - this.lower[i])); }
}

function readStl(file) {
    const bytes = fs.readFileSync(file), measure = new Measure();
    const count = bytes.length < 84 ? 0 : bytes.readUInt32LE(80);
    for (let i = 0; i < count; i++) {
        const corner = k => [0, 4, 8].map(axis => bytes.readFloatLE(84 + 50 * i + 12 * k + axis));
        measure.face([corner(1), corner(2), corner(3)]);
    }
    return measure;
}

function readGlb(file) {
    const bytes = fs.readFileSync(file), size = bytes.readUInt32LE(12), measure = new Measure();
    const gltf = JSON.parse(bytes.toString('utf8', 20, 20 + size)), start = 28 + size;
    const types = { 5120: ['readInt8', 1, 127], 5121: ['readUInt8', 1, 255], 5122: ['readInt16LE', 2, 32767],
        5123: ['readUInt16LE', 2, 65535], 5125: ['readUInt32LE', 4, 1], 5126: ['readFloatLE', 4, 1] };
    const known = new Map(); // many primitives may share an accessor
    const read = index => {
        if (!known.has(index))
            known.set(index, decode(index));
        return known.get(index);
    };
    const decode = index => {
        const accessor = gltf.accessors[index], view = gltf.bufferViews[accessor.bufferView];
        const [method, width, most] = types[accessor.componentType], parts = { SCALAR: 1, VEC3: 3 }[accessor.type];
        const stride = view.byteStride ?? width * parts, from = start + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
        return Array.from({ length: accessor.count }, (_, i) => Array.from({ length: parts }, (_, k) => {
            const value = bytes[method](from + i * stride + k * width);
            return accessor.normalized ? Math.max(value / most, -1) : value;
        }));
    };
    const draw = (mesh, m) => {
        const mirrors = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) +
            m[8] * (m[1] * m[6] - m[2] * m[5]) < 0;
        for (const primitive of mesh.primitives) {
            const points = read(primitive.attributes.POSITION);
            const corners = primitive.indices === undefined ? points.map((_, i) => i) : read(primitive.indices).map(c => c[0]);
            const mode = primitive.mode ?? 4;
            if (mode < 4)
                measure.lines += corners.length;
            for (let i = 0; mode === 4 && i + 2 < corners.length; i += 3)
                measure.face((mirrors ? [0, 2, 1] : [0, 1, 2]).map(k => place(m, points[corners[i + k]])));
        }
    };
    const visit = (index, above) => {
        const node = gltf.nodes[index], s = node.scale ?? [1, 1, 1], t = node.translation ?? [0, 0, 0];
        const [x, y, z, w] = node.rotation ?? [0, 0, 0, 1];
        const matrix = multiply(above, node.matrix ?? [
            (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
            2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
            2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0, ...t, 1]);
        if (node.mesh !== undefined)
            draw(gltf.meshes[node.mesh], matrix);
        for (const child of node.children ?? [])
            visit(child, matrix);
    };
    for (const node of gltf.scenes?.[gltf.scene ?? 0]?.nodes ?? [])
        visit(node, identity);
    return measure;
}

// Nodes as { type, fields }; a node of an unknown type is walked through for the nodes in it.
function parseVrml(text) {
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|#[^\n]*|[{}[\]]|[^\s,{}[\]"#]+/g).filter(token => token[0] !== '#');
    const named = new Map();
    let at = 0;
    const value = () => {
        const token = tokens[at++];
        if (token === '[') {
            const list = [];
            while (at < tokens.length && tokens[at] !== ']')
                list.push(value());
            at++;
            return list;
        }
        if (token === 'USE')
            return named.get(tokens[at++]);
        if (token === 'DEF') {
            const name = tokens[at++], node = value();
            named.set(name, node);
            return node;
        }
        if (tokens[at] !== '{')
            return token;
        const node = { type: token, fields: {} };
        at++;
        while (at < tokens.length && tokens[at] !== '}') {
            const name = tokens[at++], parts = [];
            if (name === 'ROUTE') {
                at += 3;
                continue;
            }
            if (/^(eventIn|eventOut|field|exposedField)$/.test(name)) { // of a Script or a PROTO
                at += 2;
                if (name.startsWith('event'))
                    continue;
            }
            do
                parts.push(value());
            while (at < tokens.length && (/^[-+.\d]/.test(tokens[at]) && typeof parts[0] === 'string' && /^[-+.\d]/.test(parts[0])));
            node.fields[name] = parts.length > 1 ? parts : parts[0];
        }
        at++;
        return node;
    };
    const nodes = [];
    while (at < tokens.length) {
        const token = tokens[at];
        if (token === 'ROUTE')
            at += 4;
        else
            nodes.push(value());
    }
    return nodes;
}

function turn(rotation) {
    const [x0, y0, z0, angle] = rotation, length = Math.hypot(x0, y0, z0) || 1;
    const [x, y, z] = [x0 / length, y0 / length, z0 / length], c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
    return [x * x * d + c, y * x * d + z * s, z * x * d - y * s, 0, x * y * d - z * s, y * y * d + c, z * y * d + x * s, 0,
        x * z * d + y * s, y * z * d - x * s, z * z * d + c, 0, 0, 0, 0, 1];
}

function readWrl(file) {
    const measure = new Measure();
    const numbers = (list, or) => list === undefined ? or : [list].flat().map(Number);
    const draw = (node, matrix) => {
        const f = node.fields, index = numbers(f.coordIndex, []), flat = numbers(f.coord?.fields.point, []);
        const points = Array.from({ length: flat.length / 3 }, (_, i) => place(matrix, flat.slice(3 * i, 3 * i + 3)));
        for (let from = 0, i = 0; i <= index.length; i++) {
            if (i < index.length && index[i] >= 0)
                continue;
            const corners = index.slice(from, i).map(corner => points[corner]);
            if (node.type === 'IndexedFaceSet' && corners.length > 2)
                measure.face(f.ccw === 'FALSE' ? corners.reverse() : corners);
            if (node.type === 'IndexedLineSet')
                measure.lines += i - from;
            from = i + 1;
        }
    };
    const visit = (node, above) => {
        if (!node || typeof node === 'string')
            return;
        if (Array.isArray(node))
            return node.forEach(child => visit(child, above));
        const f = node.fields;
        let matrix = above;
        if (node.type === 'Transform') {
            const shift = (p, sign) => [...identity.slice(0, 12), sign * p[0], sign * p[1], sign * p[2], 1];
            const s = numbers(f.scale, [1, 1, 1]), o = numbers(f.scaleOrientation, [0, 0, 1, 0]);
            const centre = numbers(f.center, [0, 0, 0]);
            matrix = [shift(numbers(f.translation, [0, 0, 0]), 1), shift(centre, 1), turn(numbers(f.rotation, [0, 0, 1, 0])),
                turn(o), [s[0], 0, 0, 0, 0, s[1], 0, 0, 0, 0, s[2], 0, 0, 0, 0, 1], turn([o[0], o[1], o[2], -o[3]]),
                shift(centre, -1)].reduce(multiply, above);
        }
        if (node.type === 'IndexedFaceSet' || node.type === 'IndexedLineSet')
            draw(node, matrix);
        else if (node.type === 'Switch') // what it shows at first
            visit([f.choice].flat()[Number(f.whichChoice ?? -1)], matrix);
        else if (node.type === 'LOD')
            visit([f.level].flat()[0], matrix);
        else
            for (const name of ['children', 'geometry'])
                visit(f[name], matrix);
    };
    visit(parseVrml(fs.readFileSync(file, 'utf8')), identity);
    return measure;
}

const readers = { glb: readGlb, web: readGlb, wrl: readWrl, stl: readStl };

// ---- who else is asked ----

const has = program => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const hasAssimp = has('assimp');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cellpipe-real-'));

/* Its unit and axes may be others: the caller compares shapes. NULL where it cannot read the file. assimp 5.2 reads the
 * faces of OFF a line each, and of 3MF the first model of a package alone. */
function askAssimp(input) {
    const file = path.join(work, 'peer.stl');
    fs.rmSync(file, { force: true });
    if (!hasAssimp || /\.(gz|off|3mf)$/i.test(input))
        return null;
    spawnSync('assimp', ['export', input, file, '-fstlb'], { timeout: 30000, stdio: 'ignore' });
    try {
        const measure = readStl(file);
        return measure.triangles > 0 ? measure : null;
    } catch {
        return null;
    }
}

let validator = null;
try {
    validator = createRequire(path.join(import.meta.dirname, '../consumers/package.json'))('gltf-validator');
} catch {
    console.log('without the validator: npm install in tests/consumers');
}
async function validate(file) {
    if (!validator)
        return '';
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 3 });
    return issues.numErrors ? issues.messages[0].code + ' ' + issues.messages[0].message : '';
}

// ---- the verdict ----

const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b)) || a === b;
const longest = measure => Math.max(...measure.size);

// The four of one file. glTF and VRML97 have Y up, STL has Z up: bounds are compared by their sorted sizes.
function compareOutputs(all) {
    const first = all.glb, wrong = [];
    for (const kind of kinds.slice(1)) {
        const other = all[kind], web = kind === 'web', tolerance = web || other.polygons ? 0.01 : 2e-4;
        const sizes = [first, other].map(measure => measure.size.toSorted((a, b) => a - b));
        if (web ? other.triangles > first.triangles : other.triangles !== first.triangles)
            wrong.push(`${kind} has ${other.triangles} triangles, glb ${first.triangles}`);
        const flat = first.area < 1e-9 * longest(first) ** 2;
        if (!flat && !near(first.area, other.area, tolerance) && !near(first.area, other.fans, tolerance))
            wrong.push(`${kind} has an area of ${other.area}, glb ${first.area}`);
        if (Math.abs(first.volume - other.volume) > tolerance * Math.max(first.area * longest(first), 1e-30))
            wrong.push(`${kind} has a volume of ${other.volume}, glb ${first.volume}`);
        if (first.triangles && other.triangles && !(web && flat) &&
            sizes[0].some((size, i) => Math.abs(size - sizes[1][i]) > (web ? 2e-3 : 1e-5) * longest(first)))
            wrong.push(`${kind} is ${sizes[1]} large, glb ${sizes[0]}`);
    }
    return wrong;
}

// By shape: the peer may take another unit and other axes.
function comparePeer(ours, peer) {
    const a = ours.size.toSorted((x, y) => x - y), b = peer.size.toSorted((x, y) => x - y), unit = b[2] / a[2];
    if (a.some((size, i) => Math.abs(size * unit - b[i]) > 2e-3 * b[2]))
        return [`assimp: size ${b}, ours ${a}`];
    return near(ours.area * unit * unit, peer.area, 5e-3) ? []
        : [`assimp: ${peer.triangles} triangles of area ${peer.area / unit / unit}, ours ${ours.triangles} of ${ours.area}`];
}

// What its own record tells of an output without triangles.
function isSilent(record, measure) {
    const isEmptyCell = record.triangles_in === 0 && /^(tag|deneb-)/.test(record.formats?.[0] ?? '');
    const told = record.losses.some(text => text.startsWith('nothing-drawn'));
    return measure.triangles + measure.lines === 0 && !isEmptyCell && !told;
}

const records = new Map();
for (const kind of kinds) {
    const folder = path.join(out, kind, '.cellpipe/status');
    for (const file of fs.readdirSync(folder))
        for (const line of fs.readFileSync(path.join(folder, file), 'utf8').split('\n'))
            if (line.startsWith('{"in"')) {
                const record = JSON.parse(line);
                records.set(record.in, { ...records.get(record.in), [kind]: record });
            }
}

const counts = { agree: 0, wrong: 0, refused: 0, crashed: 0, empty: 0 };
let asked = 0, valid = 0;
const tell = (verdict, input, text) => {
    counts[verdict]++;
    console.log(`${verdict.padEnd(8)} ${input}: ${text}`);
};
for (const [input, of] of [...records].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
    const states = kinds.map(kind => of[kind]?.state ?? 'missing');
    const dead = kinds.filter((_, i) => /crashed|timeout|memory|missing/.test(states[i]));
    const failed = kinds.filter((_, i) => states[i] === 'failed');
    if (dead.length) {
        tell('crashed', input, dead.map(kind => `${kind}: ${of[kind]?.state} ${of[kind]?.message ?? ''}`)[0]);
        continue;
    }
    if (failed.length) {
        tell('refused', input, `${failed.length < 4 ? failed.join(' ') + ': ' : ''}${of[failed[0]].code}: ${of[failed[0]].message}`);
        continue;
    }
    try {
        const all = Object.fromEntries(kinds.map(kind => [kind, readers[kind](of[kind].out)]));
        const silent = kinds.filter(kind => isSilent(of[kind], all[kind]));
        if (silent.length) {
            tell('empty', input, `${silent.join(' ')}: nothing is drawn, and nothing says so`);
            continue;
        }
        const wrong = compareOutputs(all);
        for (const kind of ['glb', 'web']) {
            const issue = await validate(of[kind].out);
            valid += validator ? 1 : 0;
            if (issue)
                wrong.push(`${kind} is not valid: ${issue}`);
        }
        const rounded = of.stl.losses.some(text => text.startsWith('assimp-subdivision')); // by assimp's command line alone
        const peer = all.glb.triangles && !rounded ? askAssimp(input) : null;
        if (peer) {
            asked++;
            wrong.push(...comparePeer(all.stl, peer));
        }
        if (wrong.length)
            tell('wrong', input, wrong.join('; '));
        else
            counts.agree++;
    } catch (error) {
        tell('wrong', input, `cannot be compared: ${error.message}`);
    }
}
fs.rmSync(work, { recursive: true });
console.log(`${records.size} files: ${counts.agree} agree, ${counts.wrong} wrong, ${counts.refused} refused, ` +
    `${counts.crashed} crashed, ${counts.empty} empty without a word; ${asked} compared with assimp, ${valid} GLB validated`);
process.exit(records.size > 0 && counts.wrong + counts.crashed === 0 &&
    counts.empty <= Number(process.env.EMPTY ?? 0) ? 0 : 1);
