// Khronos' validator: no error and no warning on any output of glb and gltf, of any profile.
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';
import { convert, corpusFiles, fail, finish, inputs, root, shortName, workFile } from './lib.mjs';

const variants = [
    ['o.glb', 'profile=stage'], ['o.glb', 'profile=deliver'],
    ['o.glb', 'collision=yes', 'normals=smooth', 'up=z'],
    ['o.glb', 'web=yes'], ['o.glb', 'web=yes', 'compression=none', 'error=1'], ['w.gltf', 'web=yes', 'bits=8', 'normals=keep'],
    ['o.gltf', 'web=yes', 'embed=yes', 'bits=16', 'budget=2MB'], ['a b é#.gltf', 'profile=stage'], ['o.gltf', 'profile=deliver', 'embed=yes', 'clips=none', 'normals=none'],
];

// Normal maps without tangents stay so, since viewers make them; whoever asks for no normals gets no tangents either.
const noTangents = ['MESH_PRIMITIVE_GENERATED_TANGENT_SPACE', 'MESH_PRIMITIVE_NO_TANGENT_SPACE'];
const cases = ['tests/cases/gltf/tangents.gltf', '../shared/cases/gltf/anisotropy_texture.gltf']
    .map(name => path.join(root, name)).filter(file => fs.existsSync(file));

async function validate(file, ...ignoredIssues) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
        uri: path.basename(file), maxIssues: 0, ignoredIssues,
        externalResourceFunction: async uri => new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
    });
    return report.issues;
}

// The validator itself is at work: a bound that does not fit is an error.
const input = inputs().find(file => file.endsWith('one_facet.stl'));
const broken = fs.readFileSync(convert(input, workFile('broken.glb')), 'latin1');
const spoilt = broken.replace(/"max":\[[^\]]*\]/, bounds => bounds.replace(/[0-9]/, digit => digit === '9' ? '8' : '9'));
fs.writeFileSync(workFile('broken.glb'), spoilt, 'latin1');
if (spoilt === broken || !(await validate(workFile('broken.glb'))).numErrors)
    fail('a spoilt file passes');

let count = 0;
for (const file of [...inputs(), ...corpusFiles('khronos', '.glb'), ...cases]) {
    const had = /\.gl(b|tf)$/.test(file) ? (await validate(file)).messages : [];
    for (const [name, ...settings] of variants) {
        const bare = settings.includes('normals=none');
        const ignored = noTangents.filter(code => bare || had.some(message => message.code === code));
        const issues = await validate(convert(file, workFile(name), ...settings), ...ignored);
        count++;
        if (issues.numErrors || issues.numWarnings)
            fail(`${shortName(file)} ${settings}: ${issues.messages.filter(message => message.severity < 2).slice(0, 3)
                .map(message => `${message.code} ${message.pointer} ${message.message}`).join('; ')}`);
    }
}
// Tangents that are there stay there, packed and simplified too.
for (const file of cases)
    for (const settings of [['profile=stage'], ['web=yes', 'compression=none'], ['web=yes', 'error=0.1']]) {
        const bytes = fs.readFileSync(convert(file, workFile('t.glb'), ...settings));
        const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)));
        count++;
        if (!json.meshes.every(mesh => mesh.primitives.every(primitive => 'TANGENT' in primitive.attributes)))
            fail(`${shortName(file)} ${settings}: a primitive has lost its tangents`);
    }
finish(`${count} files validated`);
