// glTF as other tools write it: every layout of buffers, kind of primitive, transform and clip, read by cellpipe as
// three.js reads it (gltf_oracle.mjs), and what cannot be kept told with its count.
import fs from 'node:fs';
import path from 'node:path';
import { exponential, glb, Maker, octahedral, quaternion } from './gltf_make.mjs';
import { compareWithThree } from './gltf_oracle.mjs';
import { fail, finish, program, run, workFile } from './lib.mjs';

// ---- geometry ----

// A torus of n x m quads: vertices, normals, triangles.
function torus(n, m) {
    const positions = [], normals = [], indices = [];
    for (let i = 0; i < n; i++)
        for (let j = 0; j < m; j++) {
            const a = 2 * Math.PI * i / n, b = 2 * Math.PI * j / m, r = 2 + 0.7 * Math.cos(b);
            positions.push(r * Math.cos(a), r * Math.sin(a), 0.7 * Math.sin(b));
            normals.push(Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b));
            const p = i * m + j, q = (i + 1) % n * m + j, up = (j + 1) % m - j;
            indices.push(p, q, q + up, p, q + up, p + up);
        }
    return { positions: Float32Array.from(positions), normals: Float32Array.from(normals), indices, count: n * m };
}
const ring = torus(9, 7), big = torus(40, 30);
const turn = (axis, degrees) => [...axis.map(value => value * Math.sin(degrees * Math.PI / 360) / Math.hypot(...axis)), Math.cos(degrees * Math.PI / 360)];
const rainbow = (count, width, most) => Array.from({ length: count * width }, (_, i) => (i * 37 + (i % width) * 11) % (most + 1));

const shape = (maker, more = {}, attributes = {}) => ({ attributes: { POSITION: maker.positions(ring.positions), ...attributes },
    indices: maker.accessor(Uint16Array.from(ring.indices), 'SCALAR'), ...more });
const place = { translation: [1, -2, 3], rotation: turn([1, 2, 3], 77), scale: [0.5, 2, 1.25] };

// Positions in 16 or 8 bits, with the scale and offset that the node has.
const quantised = (Type, most, normalized) => {
    const scale = 2.7 / most, values = Type.from(ring.positions, value => Math.round((Type.BYTES_PER_ELEMENT && Type.name[0] === 'U' ? (value + 2.7) / 2 : value) / scale));
    const factor = (Type.name[0] === 'U' ? 2 : 1) * (normalized ? 2.7 : scale), shift = Type.name[0] === 'U' ? -2.7 : 0;
    return { values, node: { scale: [factor, factor, factor], translation: [shift, shift, shift] } };
};

function quantisedFile(maker, Type, most, normalized) {
    const { values, node } = quantised(Type, most, normalized);
    maker.use('KHR_mesh_quantization', true);
    const position = maker.positions(values, { stride: Type.BYTES_PER_ELEMENT === 1 ? 4 : 8, ...(normalized ? { normalized } : {}) });
    const normal = maker.accessor(Int8Array.from(ring.normals, value => Math.round(value * 127)), 'VEC3', { stride: 4, normalized: true });
    const root = maker.node({ ...place });
    maker.node({ ...node, mesh: maker.mesh(shape(maker, {}, { POSITION: position, NORMAL: normal })) }, root);
}

// A strip along a row of quads, with a stitch to the next row.
const strip = () => {
    const out = [];
    for (let i = 0; i < 3; i++) {
        const row = Array.from({ length: 7 }, (_, j) => [i * 7 + j, (i + 1) * 7 + j]).flat();
        if (i > 0)
            out.push(out.at(-1), row[0]);
        out.push(...row);
    }
    return out;
};

// ---- animations ----

const times = [0, 0.5, 1.25, 2];
const rotations = [0, 80, 200, 340].map(degrees => turn([1, 2, 3], degrees));
const places = [[0, 0, 0], [1, 0, 2], [1, 3, -1], [0, 1, 0]], sizes = [[1, 1, 1], [2, 1, 0.5], [1, 3, 1], [1, 1, 2]];
const cubic = rows => rows.flatMap((row, i) => [row.map(value => 0.3 * value - 0.1 * i), row, row.map(value => 0.2 - 0.4 * value)]).flat();

function moving(maker, interpolation, wrap = rows => rows.flat()) {
    const root = maker.node({ ...place }), child = maker.node({ ...place, mesh: maker.mesh(shape(maker)) }, root);
    const tracks = node => [['rotation', rotations], ['translation', places], ['scale', sizes]]
        .map(([path, rows]) => ({ node, path, times, values: wrap(rows), interpolation }));
    maker.animation(tracks(root), 'root');
    maker.animation(tracks(child), 'child');
}

// ---- the variants: each adds to a Maker; expect: losses {code: count} ----

const simple = primitive => maker => maker.node({ ...place, mesh: maker.mesh(primitive(maker)) });
const indexed = (Type, options = {}) => simple(maker => shape(maker, { indices: maker.accessor(Type.from(ring.indices), 'SCALAR', options) }));
const elements = (mode, list) => simple(maker => shape(maker, { mode, indices: list ? maker.accessor(Uint16Array.from(list), 'SCALAR') : undefined }));
const coloured = (Type, type, most) => simple(maker => shape(maker, {}, {
    COLOR_0: maker.accessor(Type.from(rainbow(ring.count, type === 'VEC4' ? 4 : 3, most), value => most === 1000 ? value / 1000 : value), type,
        { ...(most === 1000 ? {} : { normalized: true }), stride: Type.BYTES_PER_ELEMENT === 1 ? 4 : type === 'VEC3' && most !== 1000 ? 8 : undefined }) }));

const variants = {
    'indices of 8 bits': indexed(Uint8Array),
    'indices of 16 bits': indexed(Uint16Array),
    'indices of 32 bits': indexed(Uint32Array),
    'indices behind other bytes': indexed(Uint16Array, { lead: 12 }),
    'no indices': simple(maker => shape(maker, { indices: undefined })),
    'a strip with stitches': elements(5, strip()),
    'a strip without indices': elements(5),
    'a fan': elements(6, [0, 1, 2, 9, 16, 15, 14, 7]),
    'lines, loop and line strip': maker => {
        maker.node({ mesh: maker.mesh(...[[1, 10], [2, 7], [3, 9]].map(([mode, count]) =>
            shape(maker, { mode, indices: maker.accessor(Uint8Array.from(ring.indices.slice(0, count)), 'SCALAR') }))), ...place });
    },
    'strided positions': simple(maker => shape(maker, {}, { POSITION: maker.positions(ring.positions, { stride: 32, lead: 8 }) })),
    'interleaved attributes': simple(maker => {
        const [POSITION, NORMAL, COLOR_0] = maker.interleaved([ring.positions, 'VEC3', { min: [-3, -3, -1], max: [3, 3, 1] }], [ring.normals, 'VEC3'],
            [Uint8Array.from(rainbow(ring.count, 4, 255)), 'VEC4', { normalized: true }]);
        return shape(maker, {}, { POSITION, NORMAL, COLOR_0 });
    }),
    'sparse positions': simple(maker => shape(maker, {}, { POSITION: maker.sparse(ring.positions, ring.count, 'VEC3', Uint8Array.of(1, 8, 60),
        Float32Array.of(9, 8, 7, 6, 5, 4, 3, 2, 1), { min: [-3, -3, -1], max: [9, 8, 7] }) })),
    'sparse over nothing': simple(maker => shape(maker, { indices: maker.accessor(Uint8Array.of(0, 1, 2, 3, 4, 5), 'SCALAR') }, {
        POSITION: maker.sparse(null, 6, 'VEC3', Uint16Array.of(1, 2, 4, 5), Float32Array.from(rainbow(4, 3, 9)), { min: [0, 0, 0], max: [9, 9, 9] }) })),
    'sparse indices': simple(maker => shape(maker, { indices: maker.sparse(Uint16Array.from(ring.indices), 0, 'SCALAR', Uint32Array.of(0, 7), Uint16Array.of(5, 6)) })),
    'positions of signed 16 bits': maker => quantisedFile(maker, Int16Array, 32767, true),
    'positions of unsigned 16 bits': maker => quantisedFile(maker, Uint16Array, 65535, true),
    'positions of signed 8 bits': maker => quantisedFile(maker, Int8Array, 127, true),
    'positions of unsigned 8 bits': maker => quantisedFile(maker, Uint8Array, 255, true),
    'positions of whole numbers': maker => quantisedFile(maker, Int16Array, 1000, false),
    'colours of 8 bits': coloured(Uint8Array, 'VEC4', 255),
    'colours of 8 bits without alpha': coloured(Uint8Array, 'VEC3', 255),
    'colours of 16 bits': coloured(Uint16Array, 'VEC4', 65535),
    'colours of 16 bits without alpha': coloured(Uint16Array, 'VEC3', 65535),
    'colours as floats': coloured(Float32Array, 'VEC3', 1000),
    'primitives that share vertices': maker => {
        maker.json.materials = [0.2, 0.5, 0.9].map((value, i) => ({ pbrMetallicRoughness: { baseColorFactor: [value, 1 - value, 0.1 * i, 0.25], metallicFactor: 0 },
            alphaMode: ['OPAQUE', 'BLEND', 'OPAQUE'][i] }));
        const POSITION = maker.positions(ring.positions), cut = [0, 99, 150, 378];
        maker.node({ ...place, mesh: maker.mesh(...[0, 1, 2].map(i => ({ attributes: { POSITION }, material: i,
            indices: maker.accessor(Uint16Array.from(ring.indices.slice(cut[i], cut[i + 1])), 'SCALAR') }))) });
    },
    'primitives of every kind': maker => {
        const NORMAL = maker.accessor(ring.normals, 'VEC3'), COLOR_0 = maker.accessor(Float32Array.from(rainbow(ring.count, 4, 1000), value => value / 1000), 'VEC4');
        maker.node({ ...place, mesh: maker.mesh(shape(maker, {}, { NORMAL }), shape(maker, { mode: 1 }), shape(maker, {}, { COLOR_0 }), shape(maker),
            shape(maker, { mode: 3 }, { NORMAL }), shape(maker, { mode: 5, indices: maker.accessor(Uint16Array.from(strip()), 'SCALAR') }, { NORMAL, COLOR_0 })) });
    },
    'matrices, with mirrors and shear': maker => {
        const mesh = maker.mesh(shape(maker)), root = maker.node({ mesh, matrix: [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 4, 5, 6, 1] });
        const mirror = maker.node({ mesh, matrix: [-1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1] }, root);
        maker.node({ mesh, matrix: [1, 0.25, 0, 0, 0.5, 1, 0, 0, 0, 0.125, 1, 0, 0, 1, 0, 1] }, mirror);
        maker.node({ mesh, scale: [1, -1, 1], rotation: turn([0, 1, 1], 30) }, root);
    },
    'scales of zero': maker => {
        const mesh = maker.mesh(shape(maker)), flat = maker.node({ mesh, scale: [1, 0, 1] });
        maker.node({ mesh, scale: [0, 0, 0], translation: [1, 2, 3] }, flat);
    },
    'a mesh at many nodes': maker => {
        const mesh = maker.mesh(shape(maker));
        for (let i = 0; i < 20; i++)
            maker.node({ mesh, translation: [i, i % 3, 0], rotation: turn([i, 1, 2], 31 * i) }, i % 4 ? i - 1 : undefined);
    },
    'children before their parents': maker => {
        const mesh = maker.mesh(shape(maker));
        maker.json.nodes = [{ name: 'leaf', mesh, ...place }, { name: 'root', children: [2], ...place }, { name: 'mid', children: [0], ...place }];
        maker.json.scenes[0].nodes = [1];
    },
    'another scene': maker => {
        const mesh = maker.mesh(shape(maker));
        maker.node({ mesh });
        maker.node({ mesh, translation: [5, 0, 0] }, 0);
        maker.json.nodes.push({ name: 'second', mesh, scale: [2, 2, 2] });
        maker.json.scenes.push({ nodes: [2] });
        maker.json.scene = 1;
        return { losses: { 'gltf-scenes': 2 } };
    },
    'clips in straight lines': maker => moving(maker, 'LINEAR'),
    'clips in steps': maker => moving(maker, 'STEP'),
    'clips in curves': maker => moving(maker, 'CUBICSPLINE', cubic),
    'clips of normalised integers': maker => {
        const node = maker.node({ ...place, mesh: maker.mesh(shape(maker)) }, maker.node({}));
        const shorts = Int16Array.from(rotations.flat(), value => Math.round(32767 * value)), bytes = Int8Array.from(rotations.flat(), value => Math.round(127 * value));
        maker.animation([{ node, path: 'rotation', times, values: shorts, options: { normalized: true } }], 'shorts');
        maker.animation([{ node, path: 'rotation', times, values: bytes, options: { normalized: true } }], 'bytes');
    },
    'clips that share samplers': maker => {
        const nodes = [0, 1, 2].map(() => maker.node({ mesh: maker.mesh(shape(maker)) }));
        maker.animation(nodes.map(node => ({ node, path: 'translation', times, values: places.flat() })));
        for (const channel of maker.json.animations[0].channels)
            channel.sampler = 1;
    },
    'packed vertices and triangles': simple(maker => ({ attributes: { POSITION: maker.positions(big.positions, { codec: {} }), NORMAL: maker.accessor(big.normals, 'VEC3', { codec: {} }) },
        indices: maker.accessor(Uint16Array.from(big.indices), 'SCALAR', { codec: { mode: 'TRIANGLES' } }) })),
    'packed indices of lines': simple(maker => ({ mode: 1, attributes: { POSITION: maker.positions(big.positions, { codec: {} }) },
        indices: maker.accessor(Uint32Array.from(big.indices.slice(0, 600)), 'SCALAR', { codec: { mode: 'INDICES' } }) })),
    'packed by exponents': simple(maker => {
        const { stored, meant } = exponential([...big.positions]);
        return { attributes: { POSITION: maker.positions(meant, { codec: { filter: 'EXPONENTIAL', bytes: new Uint8Array(stored.buffer), stride: 12 } }) },
            indices: maker.accessor(Uint32Array.from(big.indices), 'SCALAR', { codec: { mode: 'TRIANGLES' } }) };
    }),
    'packed normals on an octahedron': maker => {
        maker.use('KHR_mesh_quantization', true);
        const bytes = octahedral([...big.normals]), view = maker.packedView(bytes, 4, { filter: 'OCTAHEDRAL' });
        const NORMAL = maker.json.accessors.push({ componentType: 5120, normalized: true, count: big.count, type: 'VEC3', bufferView: view }) - 1;
        maker.node({ mesh: maker.mesh({ attributes: { POSITION: maker.positions(big.positions), NORMAL }, indices: maker.accessor(Uint16Array.from(big.indices), 'SCALAR') }) });
        return { normals: 1.5 / 127 }; // decoders round the last bit as they like
    },
    'packed rotations of a clip': maker => {
        const node = maker.node({ mesh: maker.mesh(shape(maker)) }), stored = quaternion(rotations.flat());
        maker.animation([{ node, path: 'rotation', times, values: stored, options: { normalized: true, codec: { filter: 'QUATERNION' } } }]);
    },
    'skins, morphs, cameras, lights, textures': maker => {
        const zeros = Float32Array.from({ length: ring.count * 3 }, () => 0.25), { json } = maker;
        const joints = maker.accessor(new Uint8Array(ring.count * 4), 'VEC4'), weights = maker.accessor(Float32Array.from({ length: ring.count * 4 }, (_, i) => i % 4 ? 0 : 1), 'VEC4');
        const uv = maker.accessor(new Float32Array(ring.count * 2), 'VEC2'), target = maker.positions(zeros);
        json.images = [{ uri: 'data:image/png;base64,AAAA' }];
        json.textures = [{ source: 0 }, { source: 0 }];
        maker.use('KHR_texture_transform');
        maker.use('KHR_lights_punctual');
        maker.use('KHR_materials_emissive_strength');
        json.materials = [{ pbrMetallicRoughness: { baseColorTexture: { index: 0, extensions: { KHR_texture_transform: { scale: [2, 2] } } }, metallicFactor: 0.5 },
            alphaMode: 'MASK', extensions: { KHR_materials_emissive_strength: { emissiveStrength: 2 } } }];
        json.cameras = [{ type: 'perspective', perspective: { yfov: 1, znear: 0.1 } }, { type: 'orthographic', orthographic: { xmag: 1, ymag: 1, znear: 0, zfar: 1 } }];
        json.extensions = { KHR_lights_punctual: { lights: [{ type: 'point' }, { type: 'directional' }, { type: 'spot', spot: {} }] } };
        const lamp = maker.node({ ...place, camera: 0, extensions: { KHR_lights_punctual: { light: 0 } } });
        const mesh = maker.mesh({ ...shape(maker, {}, { JOINTS_0: joints, WEIGHTS_0: weights, TEXCOORD_0: uv }), material: 0, targets: [{ POSITION: target }, { POSITION: target }] });
        json.meshes[mesh].weights = [0, 0];
        const bone = maker.node({}, lamp);
        const node = maker.node({ mesh, skin: 0 });
        json.skins = [{ joints: [bone] }];
        maker.animation([{ node, path: 'weights', times, values: new Float32Array(8) }], 'morph');
        maker.animation([{ node: lamp, path: 'translation', times, values: places.flat() }], 'lamp');
        return { losses: { 'gltf-skins': 1, 'gltf-cameras': 2, 'gltf-lights': 2, 'gltf-targets': 1, 'gltf-weights': 1 }, clips: false };
    },
    'points': maker => {
        maker.node({ mesh: maker.mesh(shape(maker, { mode: 0, indices: undefined })) });
        return { losses: { 'gltf-points': ring.count } };
    },
    'names of any kind': maker => {
        const mesh = maker.mesh(shape(maker));
        for (const name of ['a.b[c]:d/e', 'é "ü" \\ \u{1f916}', 'x\ty\n', ' '])
            maker.node({ name, mesh, ...place });
    },
    'a chunk of another kind': simple(maker => shape(maker)),
};

// ---- files beside the JSON ----

const files = {
    'buffers.gltf': maker => maker.document([() => 'part%201.bin', () => 'sub/%C3%A9.bin']),
    'embedded.gltf': maker => maker.document([blob => `data:application/octet-stream;base64,${blob.toString('base64')}`,
        blob => `data:application/gltf-buffer;base64,${blob.toString('base64')}`]),
};

function writeText(name, maker) {
    maker.node({ ...place, mesh: maker.mesh({ attributes: { POSITION: maker.positions(ring.positions, { buffer: 1 }) },
        indices: maker.accessor(Uint16Array.from(ring.indices), 'SCALAR') }) });
    const { json, blobs } = files[name](maker);
    fs.mkdirSync(workFile('sub'), { recursive: true });
    blobs.forEach((blob, i) => {
        if (!json.buffers[i].uri.startsWith('data:'))
            fs.writeFileSync(workFile(decodeURIComponent(json.buffers[i].uri)), blob);
    });
    fs.writeFileSync(workFile(name), '\ufeff' + JSON.stringify(json, null, 4).replaceAll('\n', '\r\n'));
    return workFile(name);
}

// ---- running ----

const slug = name => `${name.replace(/[^a-z0-9]+/gi, '_')}.glb`;
let shapes = 0, count = 0;

async function check(name, file, { losses = {}, ...options } = {}) {
    const report = workFile('report.json'), { code, stderr } = run(program, 'convert', '-q', '--report', report, file, workFile('peer.out.glb'), '--out', 'profile=stage');
    if (code)
        return fail(`${name}: exit ${code}: ${stderr}`);
    const found = Object.fromEntries(JSON.parse(fs.readFileSync(report)).entries.filter(entry => entry.severity === 'loss').map(entry => [entry.code, entry.count]));
    if (JSON.stringify(Object.entries(found).sort()) !== JSON.stringify(Object.entries(losses).sort()))
        fail(`${name}: losses ${JSON.stringify(found)}, not ${JSON.stringify(losses)}`);
    const result = await compareWithThree(file, options);
    for (const text of result.wrong.slice(0, 4))
        fail(`${name}: ${text}`);
    shapes += result.shapes;
    count++;
}

for (const [name, make] of Object.entries(variants)) {
    const maker = new Maker(), options = make(maker);
    const more = name === 'a chunk of another kind' ? [['WHAT', Buffer.from('ever')]] : [];
    fs.writeFileSync(workFile(slug(name)), maker.glb(more));
    await check(name, workFile(slug(name)), more.length ? { losses: { 'gltf-unknown-chunk': 1 } } : typeof options === 'object' ? options : {});
}
for (const name of Object.keys(files))
    await check(name, writeText(name, new Maker()));

// The comparison itself is at work: a world turned another way is not the same.
if ((await compareWithThree(workFile(slug('a fan')), { turn: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] })).wrong.length < 3)
    fail('a world that is not turned passes');

// ---- refusals ----

function refuse(name, change, wanted) {
    const maker = new Maker();
    maker.node({ mesh: maker.mesh(shape(maker)) });
    const { json, blobs } = maker.document();
    change(json);
    fs.writeFileSync(workFile('refused.glb'), glb(json, blobs[0]));
    const { code, stderr } = run(program, 'info', workFile('refused.glb'));
    if (code !== 3 || !wanted.test(stderr))
        fail(`${name}: exit ${code}: ${stderr}`);
}

const require = extension => json => { json.extensionsUsed = json.extensionsRequired = [extension]; };
refuse('Draco', require('KHR_draco_mesh_compression'), /required extension "KHR_draco_mesh_compression"/);
refuse('an unknown extension', require('ACME_magic'), /required extension "ACME_magic"/);
refuse('a circle', json => { json.nodes.push({ children: [2] }, { children: [1] }); }, /own ancestors/);
refuse('glTF 1', json => { json.asset.version = '1.0'; }, /"1\.0" is not supported/);

finish(`${count} files of ${path.basename(program)} against three, ${shapes} triangles and segments`);
