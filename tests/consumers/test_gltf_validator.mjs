// Khronos' validator: no error and no warning on any output of glb and gltf, of any profile.
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';
import { convert, corpusFiles, fail, finish, inputs, shortName, workFile } from './lib.mjs';

const variants = [
    ['o.glb', 'profile=stage'], ['o.glb', 'profile=deliver'],
    ['o.glb', 'collision=yes', 'ngons=fb', 'normals=smooth', 'up=z'],
    ['o.glb', 'web=yes'], ['o.glb', 'web=yes', 'compression=none', 'error=1'], ['w.gltf', 'web=yes', 'bits=8', 'normals=keep'],
    ['o.gltf', 'web=yes', 'embed=yes', 'bits=16', 'budget=2MB'], ['a b é#.gltf', 'profile=stage'], ['o.gltf', 'profile=deliver', 'embed=yes', 'clips=none', 'normals=none'],
];

async function validate(file) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
        uri: path.basename(file), maxIssues: 0, ignoredIssues: ['MESH_PRIMITIVE_GENERATED_TANGENT_SPACE'], // tangents are a loss that is told
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
for (const file of [...inputs(), ...corpusFiles('khronos', '.glb')])
    for (const [name, ...settings] of variants) {
        const issues = await validate(convert(file, workFile(name), ...settings));
        count++;
        if (issues.numErrors || issues.numWarnings)
            fail(`${shortName(file)} ${settings}: ${issues.messages.filter(message => message.severity < 2).slice(0, 3)
                .map(message => `${message.code} ${message.pointer} ${message.message}`).join('; ')}`);
    }
finish(`${count} files validated`);
