// Recordings in glb, played by three.js: where all parts are at 100 times, which a plain simulation knows.
import fs from 'node:fs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { cells, distanceOf, sampleTimes } from './deneb_cells.mjs';
import { convert, fail, finish, info, multiply, workFile } from './lib.mjs';

globalThis.self ??= globalThis;
const millimetres = [0.001, 0, 0, 0, 0, 0.001, 0, 0, 0, 0, 0.001, 0], worst = new Map();

const ours = object => object.userData.cellpipe ?? {};
const goesOn = object => ours(object).joint || ['shear', 'axis'].includes(ours(object).made);

// The object that moves with a part: the end of the chain of its node and its joints.
function partObject(gltf, name) {
    let found;
    gltf.scene.traverse(object => {
        if (ours(object).id !== undefined && (ours(object).name ?? object.userData.name) === name && gltf.parser.associations.get(object)?.nodes !== undefined)
            found = object;
    });
    for (let next = found; next; next = next.children.find(goesOn))
        found = next;
    return found;
}

async function load(file, cell) {
    const bytes = fs.readFileSync(file);
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
    const index = gltf.parser.json.animations.findIndex(animation => !animation.extras?.cellpipe?.made);
    const mixer = new THREE.AnimationMixer(gltf.scene), action = mixer.clipAction(gltf.animations[index]).setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    if (!(Math.abs(gltf.animations[index].duration - (cell.last - cell.first)) < 1e-5))
        fail(`${cell.name}: the clip takes ${gltf.animations[index].duration} s`);
    return { gltf, mixer, parts: cell.parts.map(part => ({ part, object: partObject(gltf, part.name) })) };
}

function poseOf({ matrixWorld: { elements: e } }) {
    return multiply([e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]], millimetres);
}

function seek({ gltf, mixer }, cell, time) {
    mixer.setTime(time - cell.first);
    gltf.scene.updateMatrixWorld(true);
}

function compareParts(what, cell, shown, time, bound) {
    const wanted = cell.at(time);
    seek(shown, cell, time);
    return Math.max(...shown.parts.map(({ part, object }) => {
        const off = distanceOf(part, wanted.get(part.name), poseOf(object));
        if (!(off <= bound))
            fail(`${what} at ${time}: ${part.name} is off by ${off} m`);
        return off;
    }));
}

// Times hold no more than single precision in a glb.
const leastStep = cell => 2 ** -22 * Math.max(1, cell.last - cell.first);

for (const cell of cells) {
    const [, recording] = cell.write(workFile(cell.name)), [lower, upper] = info(recording).bounds;
    const exact = 2e-6 * Math.hypot(...upper.map((value, i) => value - lower[i]));
    for (const [settings, bound] of [[[], exact], [['tolerance=0.1mm'], exact + 1e-4], [['profile=deliver'], exact]]) {
        const what = `${cell.name} ${settings}`, shown = await load(convert(recording, workFile('o.glb'), ...settings), cell);
        const times = sampleTimes(cell, 100), moments = cell.changeTimes.filter(moment => moment > cell.first && moment < cell.last);
        const around = moments.flatMap(moment => [moment - leastStep(cell), moment + leastStep(cell)]);
        for (const time of times.concat(around).sort((a, b) => a - b)) {
            const off = compareParts(what, cell, shown, time, bound);
            worst.set(String(settings), Math.max(worst.get(String(settings)) ?? 0, off));
        }
    }
}

// ---- a joint from -165 to 165 degrees ----

const spindle = cells.find(cell => cell.name === 'turning');
const spun = await load(convert(spindle.write(workFile('turning'))[1], workFile('o.glb')), spindle), angles = [];
for (let i = 0; i <= 100; i++) {
    seek(spun, spindle, spindle.first + (spindle.last - spindle.first) * i / 100);
    const pose = poseOf(spun.parts[1].object); // y is up
    angles.push(Math.atan2(-pose[8], pose[0]));
}
if (!(Math.abs(angles[50]) < 1e-6))
    fail(`at half time the joint is at ${angles[50]}`);
if (!angles.every((angle, i) => i === 0 || angle > angles[i - 1]))
    fail('the joint does not turn one way only');
finish([...worst].map(([kind, off]) => `${kind || 'as it is'}: ${off.toExponential(1)} m`).join(', '));
