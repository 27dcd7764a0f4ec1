// The sample cells with their recordings: X_ITE (in node), Castle, Coin, three and Khronos' validator read all of them without a word, and
// X_ITE plays them.
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
        const { stdout, stderr } = run(coin, file);
        if (stderr !== '' || !(JSON.parse(stdout || '{}').triangles > 0))
            fail(`${what}: Coin says ${stderr.slice(0, 300)}`);
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
}

for (const recording of recordings) {
    const what = path.basename(recording), file = convert(recording, workFile('o.wrl')), folder = workFile('inline');
    await play(file, what);
    readByPrograms(file, what);
    new VRMLLoader().parse(fs.readFileSync(file, 'utf8'), '');
    expectSilence(`${what}: three`);
    fs.mkdirSync(folder, { recursive: true });
    readByPrograms(convert(recording, path.join(folder, 'o.wrl'), 'layout=inline'), `${what} layout=inline`);
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(convert(recording, workFile('o.glb')))), { maxIssues: 0 });
    if (issues.numErrors || issues.numWarnings)
        fail(`${what}: ${JSON.stringify(issues.messages.slice(0, 3))}`);
}
finish(`${recordings.length} recordings; ${castle ? '' : 'without tovrmlx3d; '}${fs.existsSync(coin) ? '' : 'without Coin'}`);
