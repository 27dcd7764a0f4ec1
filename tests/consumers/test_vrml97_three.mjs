// three's VRMLLoader reads every single-file .wrl: as many triangles, in the same place.
// It reads by recursion: a chain of 300 frames needs more stack than node gives, so the test runs in a thread with more.
import fs from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import { Box3 } from 'three';
import { VRMLLoader } from 'three/examples/jsm/loaders/VRMLLoader.js';
import { convert, fail, finish, info, inputs, near, shortName, workFile } from './lib.mjs';

const complaints = [];
for (const kind of ['warn', 'error'])
    console[kind] = (...words) => complaints.push(words.map(String).join(' '));

function measure(scene) {
    let triangles = 0;
    const box = new Box3();
    scene.updateMatrixWorld(true);
    scene.traverse(object => {
        if (!object.isMesh)
            return;
        triangles += (object.geometry.index ?? object.geometry.attributes.position).count / 3;
        box.expandByObject(object, true);
    });
    return { triangles, bounds: [box.min.toArray(), box.max.toArray()] };
}

function compare(input) {
    const facts = info(input), text = fs.readFileSync(convert(input, workFile('cell.wrl'), 'up=z', 'scenery=no', 'planes=keep'), 'utf8');
    const bare = text.replace(/texture (USE \w+|DEF \w+ ImageTexture \{[^}]*\})/g, '');
    const { triangles, bounds } = measure(new VRMLLoader().parse(bare, ''));
    if (triangles !== facts.triangles)
        fail(`${shortName(input)}: ${triangles} triangles, not ${facts.triangles}`);
    if (text.includes('scaleOrientation')) // three leaves it out
        return;
    if (triangles > 0 && !near(bounds, facts.bounds, 1e-5 * Math.max(...facts.bounds.flat().map(Math.abs))))
        fail(`${shortName(input)}: from ${bounds}, not ${facts.bounds}`);
}

function compareAll() {
    for (const input of inputs()) {
        try {
            compare(input);
        } catch (error) {
            fail(`${shortName(input)}: ${error.message.slice(0, 300)}`);
        }
        if (complaints.length > 0)
            fail(`${shortName(input)}: ${complaints.splice(0)[0]}`);
    }
    finish(`${inputs().length} inputs`);
}

if (isMainThread)
    new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), resourceLimits: { stackSizeMb: 200 } })
        .on('exit', code => process.exit(code));
else
    compareAll();
