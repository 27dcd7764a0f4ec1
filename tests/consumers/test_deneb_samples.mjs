// The sample cells with their recordings: X_ITE (in node), Castle, Coin, three and Khronos' validator read all of them without a word, in
// every form of grab that they know, and X_ITE plays them.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';
import { VRMLLoader } from 'three/examples/jsm/loaders/VRMLLoader.js';
import { available, convert, fail, finish, program, run, skip, workFile } from './lib.mjs';
import { hasNode, startNode, visiblePoses } from './xite.mjs';

if (!hasNode())
    skip('consumers/test_deneb_samples needs x_ite-node (npm install in tests/consumers)');
const samples = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../samples/deneb');
const recordings = ['welding/weld.dcr', 'hexapod/contour.dcr', 'assembly/saw.dcr'].map(name => path.join(samples, name));
const coin = path.join(path.dirname(program), 'tests/coin_check'), castle = available('tovrmlx3d');
const noScripts = 'Coin warning in SoVRMLScript::initialize(): No script language evaluation engine available.'; // as Debian has it
const complaints = [];
const { load } = await startNode(complaints);

function expectSilence(what) {
    complaints.splice(0).forEach(complaint => fail(`${what}: ${complaint.slice(0, 300)}`));
}

function readByPrograms(file, what) {
    if (castle) {
        const { stdout, stderr } = run('tovrmlx3d', file, '--encoding', 'xml');
        if (stderr !== '' || !stdout.includes('<Scene>'))
            fail(`${what}: Castle says ${stderr.slice(0, 300)}`);
    }
    if (fs.existsSync(coin)) {
        const { stdout, stderr } = run(coin, file), rest = stderr.split('\n').filter(line => line !== '' && line !== noScripts);
        if (rest.length > 0 || !(JSON.parse(stdout || '{}').triangles > 0))
            fail(`${what}: Coin says ${rest.join(' ').slice(0, 300)}`);
    }
}

const tenths = Array.from({ length: 11 }, (_, i) => i / 10);

// Where all is seen at tenths of the time; nothing is seen twice as often at one time as at another.
async function play(file, what) {
    const { tree, drive } = await load(file), shown = drive(tenths).map(values => visiblePoses(tree, values));
    expectSilence(`${what}: X_ITE`);
    const count = poses => [...poses.values()].reduce((sum, copies) => sum + copies.length, 0);
    if (shown.some(poses => count(poses) !== count(shown[0])))
        fail(`${what}: ${shown.map(count)} shapes are seen`);
    return shown;
}

// Metres between two poses of a shape whose numbers are mm: of its origin, and of points 100 mm away.
function distanceBetween(a, b) {
    const points = [[0, 0, 0], [100, 0, 0], [0, 100, 0], [0, 0, 100]];
    const at = (m, [x, y, z]) => [0, 4, 8].map(row => m[row] * x + m[row + 1] * y + m[row + 2] * z + m[row + 3]);
    return Math.max(...points.map(point => Math.hypot(...at(a, point).map((value, i) => value - at(b, point)[i]))));
}

// The same shapes in the same places, whatever the form of the grabs: each form is within the tolerance.
function compareForms(what, one, other) {
    for (const [i, poses] of one.entries())
        for (const [name, copies] of poses)
            for (const copy of copies) {
                const off = Math.min(...(other[i].get(name) ?? []).map(pose => distanceBetween(copy, pose)));
                if (!(off <= 2.1e-4))
                    fail(`${what}: ${name} is off by ${off} m at ${tenths[i]}`);
            }
}

for (const recording of recordings) {
    const forms = new Map();
    for (const grab of ['bake', 'switch']) {
        const what = `${path.basename(recording)} grab=${grab}`, file = convert(recording, workFile('o.wrl'), `grab=${grab}`);
        forms.set(grab, await play(file, what));
        readByPrograms(file, what);
        if (grab !== 'switch') // three reads no Script
            new VRMLLoader().parse(fs.readFileSync(file, 'utf8'), '');
        expectSilence(`${what}: three`);
        const folder = workFile(`inline_${grab}`);
        fs.mkdirSync(folder, { recursive: true });
        readByPrograms(convert(recording, path.join(folder, 'o.wrl'), `grab=${grab}`, 'layout=inline'), `${what} layout=inline`);
    }
    compareForms(`${path.basename(recording)} grab=switch`, forms.get('bake'), forms.get('switch'));
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(convert(recording, workFile('o.glb')))), { maxIssues: 0 });
    if (issues.numErrors || issues.numWarnings)
        fail(`${path.basename(recording)}: ${JSON.stringify(issues.messages.slice(0, 3))}`);
}
finish(`${recordings.length} recordings; ${castle ? '' : 'without tovrmlx3d; '}${fs.existsSync(coin) ? '' : 'without Coin'}`);
