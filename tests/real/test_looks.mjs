// test_looks.mjs PROGRAM: the comparer of real files agrees with the program on small inputs of each format, and finds each
// fault that is put into an output: a comparer that finds nothing wrong must be able to.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readGlbLook, readLook, readVrml97Look } from './readers/index.mjs';
import { isTold, lookDiffers, shapeDiffers, untold } from './verdict.mjs';

const program = process.argv[2], tests = path.dirname(import.meta.dirname), samples = path.join(tests, '../samples');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cellpipe-looks-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));
let failures = 0;
const check = (name, good, text) => {
    if (!good) {
        failures++;
        console.log(`FAILED ${name}: ${text}`);
    }
};
const partsOf = (a, b) => [...shapeDiffers(a, b), ...lookDiffers(a, b)].map(fault => fault.part);

function convert(input, suffix) {
    const output = path.join(work, path.basename(input) + suffix);
    const done = spawnSync(program, ['convert', '-q', '--confine=no', input, output, '--out', 'planes=keep'],
        { encoding: 'utf8' });
    check(input, done.status === 0, done.stderr);
    return output;
}

// ---- inputs of each format look like their outputs ----

const inputs = ['obj_plate.obj', 'obj_ramp.obj', 'obj_lines.obj', 'ply_roof.ply', 'off_tent.off', 'stl_viscam.stl',
    'stl_materialise.stl', 'stl_solids.stl', '3mf_gripper.3mf', 'gltf_textures.gltf', 'collada_arm.dae', 'dxf_shed.dxf']
    .map(name => path.join(samples, name))
    .concat(['obj/textured.obj', 'obj/bare.obj', 'gltf/coordinates.gltf'].map(name => path.join(tests, 'cases', name)));
const outputs = new Map();
for (const input of inputs) {
    const look = readLook(input, path.dirname(input)), glb = convert(input, '.glb'), own = readGlbLook(glb);
    outputs.set(path.basename(input), glb);
    check(input, look.area > 0 || look.lines > 0, 'its look is empty');
    const faults = [...shapeDiffers(look, own), ...lookDiffers(look, own)];
    check(input, faults.length === 0, faults.map(fault => fault.text).join('; '));
    const world = readVrml97Look(convert(input, '.wrl'));
    const inWorld = lookDiffers(own, world, { under: false, exact: false, tones: 0.01 })
        .filter(({ part }) => part !== 'alpha' || !own.coloured); // its colours by vertex have no alpha
    check(input, inWorld.length === 0, `VRML97: ${inWorld.map(fault => fault.text).join('; ')}`);
}

// ---- faults are found ----

// A copy of a GLB with other JSON.
function changed(name, change) {
    const bytes = fs.readFileSync(outputs.get(name)), size = bytes.readUInt32LE(12), file = path.join(work, 'changed.glb');
    const gltf = JSON.parse(bytes.toString('utf8', 20, 20 + size));
    change(gltf);
    const text = Buffer.from(JSON.stringify(gltf)), json = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
    const head = Buffer.from(bytes.subarray(0, 20));
    head.writeUInt32LE(json.length, 12);
    head.writeUInt32LE(20 + json.length + bytes.length - 20 - size, 8);
    fs.writeFileSync(file, Buffer.concat([head, json, bytes.subarray(20 + size)]));
    return readGlbLook(file);
}
const materials = gltf => gltf.materials.filter(material => material.pbrMetallicRoughness);
const attributes = gltf => gltf.meshes.flatMap(mesh => mesh.primitives.map(primitive => primitive.attributes));
const textured = gltf => materials(gltf).map(material => material.pbrMetallicRoughness).filter(pbr => pbr.baseColorTexture);

const faults = [
    ['a wrong colour', 'obj_plate.obj', 'colours', gltf => { materials(gltf)[0].pbrMetallicRoughness.baseColorFactor[0] += 0.05; }],
    ['colours swapped', 'stl_viscam.stl', 'colours', gltf => {
        const [a, b] = materials(gltf).map(material => material.pbrMetallicRoughness);
        [a.baseColorFactor, b.baseColorFactor] = [b.baseColorFactor, a.baseColorFactor];
    }],
    ["an insert's colour lost", 'dxf_shed.dxf', 'colours', gltf => {
        const pbrOf = ([r, g, b]) => materials(gltf).map(material => material.pbrMetallicRoughness)
            .find(({ baseColorFactor: c }) => c[0] === r && c[1] === g && c[2] === b);
        pbrOf([1, 1, 0]).baseColorFactor = [1, 1, 1, 1];
    }],
    ['grey for a colour', 'collada_arm.dae', 'colours', gltf => {
        materials(gltf)[0].pbrMetallicRoughness.baseColorFactor = [0.319, 0.319, 0.319, 1];
    }],
    ['alpha 0', 'collada_arm.dae', 'alpha', gltf => {
        Object.assign(materials(gltf)[0], { alphaMode: 'BLEND' }).pbrMetallicRoughness.baseColorFactor[3] = 0;
    }],
    ['alpha lost', 'obj_plate.obj', 'alpha', gltf => materials(gltf).forEach(material => { delete material.alphaMode; })],
    ['a lost texture', 'gltf_textures.gltf', 'images', gltf => { delete textured(gltf)[0].baseColorTexture; }],
    ['another image', 'gltf_textures.gltf', 'images', gltf => gltf.textures.forEach(texture => { texture.source = 0; })],
    ['lost coordinates', 'gltf_textures.gltf', 'images', gltf => attributes(gltf).forEach(each => {
        delete each.TEXCOORD_0;
        delete each.TEXCOORD_1;
    })],
    ['a texture upside down', 'gltf_textures.gltf', 'coordinates', gltf => textured(gltf).forEach(pbr => {
        pbr.baseColorTexture.extensions = { KHR_texture_transform: { scale: [1, -1], offset: [0, 1] } };
    })],
    ['lost vertex colours', 'obj_ramp.obj', 'colours', gltf => attributes(gltf).forEach(each => { delete each.COLOR_0; })],
    ['lost vertex colours', 'ply_roof.ply', 'colours', gltf => attributes(gltf).forEach(each => { delete each.COLOR_0; })],
    ['lost emission', 'gltf_textures.gltf', 'emission', gltf => materials(gltf).forEach(material => { delete material.emissiveFactor; })],
    ['a part that moved', 'stl_viscam.stl', 'bounds', gltf => gltf.nodes.forEach(node => {
        node.translation = [0, 0, 1e-3];
        delete node.matrix;
    })],
];
for (const [fault, name, part, change] of faults) {
    const parts = partsOf(readGlbLook(outputs.get(name)), changed(name, change));
    check(fault, parts.includes(part), `in ${name}: found ${parts.join(', ') || 'nothing'}, not ${part}`);
}

// A loss tells of its own part alone, and a warning of its own reason.
const record = { losses: ['obj-textures: 1'], warnings: ['obj-transparent: 2'] };
check('losses', isTold('images', record) && !isTold('colours', record) && !isTold('area', record), 'told by another loss');
check('warnings', untold({ says: ['transparent', 'black', 'hidden'] }, record).join() === 'black,hidden', 'untold');

// ---- the whole, with an output that somebody else has changed ----

const folder = path.join(work, 'in'), kept = path.join(work, 'out');
fs.mkdirSync(folder);
fs.mkdirSync(kept);
fs.copyFileSync(path.join(samples, 'off_tent.off'), path.join(folder, 'tent.off'));
const lines = path.join(work, 'lines.jsonl'), environment = { ...process.env, KEEP: kept, JSON: lines };
const whole = spawnSync(path.join(import.meta.dirname, 'run.sh'), [folder, program], { encoding: 'utf8', env: environment });
check('run.sh', whole.status === 0 && /\| OFF \| 1 \| 1 \|/.test(whole.stdout), whole.stdout + whole.stderr);
const glb = path.join(kept, 'glb/tent.off.glb');
outputs.set('kept', glb);
changed('kept', gltf => { materials(gltf)[0].pbrMetallicRoughness.baseColorFactor = [0, 0, 0, 1]; });
fs.copyFileSync(path.join(work, 'changed.glb'), glb);
const again = spawnSync('node', [path.join(import.meta.dirname, 'compare.mjs'), kept, folder, lines], { encoding: 'utf8' });
check('compare.mjs', again.status === 1 && /^look .*tent\.off: .*input: colours/m.test(again.stdout), again.stdout + again.stderr);
const line = JSON.parse(fs.readFileSync(lines, 'utf8').split('\n')[0]);
check('JSON', line.file === 'tent.off' && line.format === 'OFF' && line.verdict === 'look' && line.input.area > 0, JSON.stringify(line));

console.log(`${inputs.length} inputs, ${faults.length} faults; ${failures} failures`);
process.exit(failures ? 1 : 0);
