// The clip of a program that picks a part and puts it down, as X_ITE plays it after a real click on the robot's base (headless Chromium), as
// three.js plays the GLB, and as the table of joint values has it: a plain simulation takes the values of the table, the times of grabs
// from the marks, and says where the arm's frames and the part are. The part goes with the hand while it is held.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findPixels } from './aim.mjs';
import { findChromium, hasPackages, launch, open, press, serve, watch } from './browser.mjs';
import { convert, fail, finish, info, multiply, program, readScene, trackValues, workFile, worldPoses } from './lib.mjs';
import { load, poseOf, startClip, stopClip, tails } from './three_play.mjs';
import { prepare, visibleFrames } from './xite.mjs';

const samples = path.resolve(import.meta.dirname, '../../samples'), cell = path.join(samples, 'demo.wu');
const motion = workFile('pick.glb');
execFileSync(program, ['program', cell, motion, `file=${samples}/demo/pick.prg`, 'device=Arm']);
const frames = ['Arm.Base', 'Arm.UpperArm', 'Arm.Forearm', 'Arm.TCP', 'Part'], [lower, upper] = info(cell).bounds;
const bound = 2e-6 * Math.hypot(...upper.map((value, i) => value - lower[i])), reach = 0.1; // metres
let worst = 0, held = 0, shown = 0;

// ---- the simulation ----

const scene = readScene(cell), [head, ...rows] = fs.readFileSync(convert(motion, workFile('pick.csv')), 'utf8').trim().split('\n');
const table = rows.map(row => row.split(',').map(Number)), times = table.map(row => row[0]), last = times.at(-1);
const jointOf = title => [...scene.joints.values()].find(({ name }) => title === `${name}[rad]` || title === `${name}[m]`)?.id;
const tracks = head.split(',').slice(1).map((title, i) =>
    ({ joint: jointOf(title), interpolation: 'linear', times, values: table.map(row => [row[i + 1]]) }));
const marks = info(motion).clip_list[0].marks, timeOf = name => marks.find(mark => mark.name === name).time;
const grab = timeOf('grab Part'), release = timeOf('release Part');
if (tracks.some(({ joint }) => joint === undefined) || tracks.length < 6 || !(0 < grab && grab < release && release < last))
    fail(`the table has ${head}, the part is held from ${grab} to ${release} s of ${last}`);

function inverse(m) {
    const turn = [m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0];
    return multiply(turn, [1, 0, 0, -m[3], 0, 1, 0, -m[7], 0, 0, 1, -m[11]]);
}

const posesAt = time => worldPoses(scene, new Map(tracks.map(track => [track.joint, trackValues(track, time)[0]])));
const rest = posesAt(0).get('Part'), grip = multiply(inverse(posesAt(grab).get('Arm.TCP')), rest);

function simulate(time) {
    const poses = posesAt(time);
    if (time >= grab)
        poses.set('Part', multiply(posesAt(Math.min(time, release)).get('Arm.TCP'), grip));
    return poses;
}

function compare(what, time, poseOfFrame) {
    const wanted = simulate(time), at = (m, [x, y, z]) => [0, 4, 8].map(row => m[row] * x + m[row + 1] * y + m[row + 2] * z + m[row + 3]);
    for (const frame of frames) {
        const pose = poseOfFrame(frame), points = [[0, 0, 0], [reach, 0, 0], [0, reach, 0], [0, 0, reach]];
        const off = pose ? Math.max(...points.map(point => Math.hypot(...at(pose, point).map((value, i) => value - at(wanted.get(frame), point)[i]))))
            : 'not there';
        if (!(off <= bound))
            fail(`${what} at ${time}: ${frame} is off by ${off} m`);
        else
            worst = Math.max(worst, off);
    }
    held += time > grab && time < release;
    shown++;
}

const zUp = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0]; // (x, y, z) -> (x, -z, y)
const moments = Array.from({ length: 200 }, (_, i) => last * (i + 0.2371) / 200);

// ---- three.js ----

for (const settings of [[], ['profile=deliver']]) {
    const gltf = await load(convert(motion, workFile('o.glb'), ...settings)), nodes = tails(gltf), mixer = startClip(gltf, gltf.animations[0]);
    for (const time of moments) {
        mixer.setTime(time);
        gltf.scene.updateMatrixWorld(true);
        compare(`three ${settings}`, time, frame => multiply(zUp, poseOf(nodes.get(frame).tail)));
    }
    stopClip(gltf, mixer);
}

// ---- X_ITE ----

// Where the robot's base is seen.
function findBase() {
    const pixel = findPixels(fs.readFileSync(convert(motion, workFile('plain.wrl')), 'utf8'), object => {
        while (object && object.name !== 'Floor' && !object.name.startsWith('Arm'))
            object = object.parent;
        return object?.name ?? 'else';
    }).get('Arm_Base');
    if (!pixel)
        fail('no base is seen');
    return pixel;
}

async function click(browser, pixel) {
    const file = convert(motion, workFile('pick.wrl'), 'tolerance=0', 'cycle=3'), complaints = [];
    const server = await serve(path.dirname(file)), tab = await open(browser, server.url, path.basename(file), complaints);
    const tree = await tab.evaluate(`(window.cell = (${prepare})(window.world)).tree`);
    await press(tab, pixel);
    const seen = await watch(tab, 10);
    if (seen.length < 5 || seen.at(-1)[0] !== 1)
        fail(`${seen.length} frames only, to ${seen.at(-1)?.[0]}`);
    const see = (what, fraction, values) => {
        const visible = visibleFrames(tree, values), pose = frame => visible.get(frame.replace(/[^A-Za-z0-9]/g, '_'));
        compare(`X_ITE, ${what}`, fraction * last, frame => pose(frame) && multiply(zUp, pose(frame)));
    };
    seen.forEach(([fraction, values]) => see('clicked', fraction, values));
    const fractions = moments.map(time => time / last);
    (await tab.evaluate(list => window.cell.drive(list), fractions)).forEach((values, i) => see('told', fractions[i], values));
    complaints.forEach(complaint => fail(`X_ITE says ${complaint}`));
    await tab.close();
    server.close();
}

const chromium = findChromium(), clicks = chromium && hasPackages();
if (clicks) {
    const browser = await launch(chromium), pixel = findBase();
    await click(browser, pixel);
    await browser.close();
}
if (held < 100)
    fail(`the part was held at ${held} moments only`);
finish(`${shown} moments, at ${held} of them the part is held; ${worst.toExponential(1)} m of ${bound.toExponential(1)}` +
    (clicks ? '' : '; without X_ITE (chromium, x_ite and playwright-core are not there)'));
