// Stages through three.js and back: GLTFLoader, GLTFExporter, cellpipe. What the robot is - frames, joints, devices, pairs,
// clips - and how much is drawn comes back as it was; what is damaged is told (docs/gltf.md, "Other tools in a pipe").
import fs from 'node:fs';
import { GLTFExporter } from 'three/examples/jsm/exporters/GLTFExporter.js';
import { loadThree } from './gltf_oracle.mjs';
import { convert, distance, fail, finish, inputs, program, run, shortName, workFile } from './lib.mjs';

console.warn = () => {}; // the exporter's opinion of materials
globalThis.FileReader ??= class { // all that the exporter wants of it
    readAsArrayBuffer(blob) {
        blob.arrayBuffer().then(result => {
            this.result = result;
            this.onloadend();
        });
    }
};

async function throughThree(file) {
    const gltf = await loadThree(file), out = workFile('out.glb');
    gltf.scene.traverse(({ material }) => { // without a canvas the exporter cannot write images
        for (const [key, value] of Object.entries(material ?? {}))
            if (value?.isTexture)
                material[key] = null;
    });
    const bytes = await new GLTFExporter().parseAsync(gltf.scene, { binary: true, animations: gltf.animations, onlyVisible: false });
    fs.writeFileSync(out, Buffer.from(bytes));
    return out;
}

function read(file) {
    const report = workFile('report.json'), { code, stdout, stderr } = run(program, 'info', '--json', '--report', report, file);
    if (code)
        return { stderr };
    return { ...JSON.parse(stdout), codes: JSON.parse(fs.readFileSync(report)).entries.map(entry => entry.code) };
}

const once = frames => frames.filter(({ name }) => frames.filter(other => other.name === name).length === 1);
// three writes the nodes in another order; pairs are told in that of their frames.
const sorted = value => value?.[0]?.first === undefined ? value : value.map(({ first, second, reason }) => [...[first, second].sort(), reason].join('\n')).sort();
const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function compare(where, before, after) {
    const frames = new Map(after.frames.map(frame => [frame.name, frame]));
    for (const { name, world } of once(before.frames)) {
        const off = frames.has(name) ? distance(frames.get(name).world, world) : Infinity;
        if (!(off <= 1e-9))
            fail(`${where}: frame "${name}" is off by ${off}`);
    }
    for (const key of ['joints', 'devices', 'exclusions', 'clips', 'triangles'])
        if (!same(after[key], before[key]))
            fail(`${where}: ${key} differ`);
    if (before.bounds && distance(after.bounds.flat(), before.bounds.flat()) > 1e-6)
        fail(`${where}: bounds differ`);
    if (!after.codes.includes('gltf-mark') || !after.codes.includes('gltf-moved-tree'))
        fail(`${where}: not told that another tool was here`);
    if (before.meshes > 0 && !after.codes.some(code => /^gltf-(changed-mesh|gone-meshes)$/.test(code)))
        fail(`${where}: not told that the meshes' extras are gone`);
}

let count = 0;
for (const file of inputs().filter(name => /\.(wu|gltf|dae|ac)$/.test(name)))
    for (const profile of ['stage', 'deliver']) {
        const stage = convert(file, workFile('stage.glb'), `profile=${profile}`), before = read(stage), after = read(await throughThree(stage));
        const where = `${shortName(file)} ${profile}`;
        if (after.stderr)
            fail(`${where}: ${after.stderr}`);
        else
            compare(where, before, after);
        count++;
    }
finish(`${count} stages through three`);
