// Recordings in VRML97, played by X_ITE without a page: its own timer's ROUTEs and interpolators say where all parts are at 100 times,
// which a plain simulation knows. All keys or those that the tolerance leaves.
import fs from 'node:fs';
import { cells, distanceOf, leapOf, sampleTimes } from './deneb_cells.mjs';
import { convert, fail, finish, info, skip, workFile } from './lib.mjs';
import { hasNode, startNode, visiblePoses } from './xite.mjs';

if (!hasNode())
    skip('consumers/test_deneb_play needs x_ite-node (npm install in tests/consumers)');
const complaints = [], worst = new Map(), leaps = new Map();
const { load } = await startNode(complaints);
const fractionOf = (cell, time) => (time - cell.first) / (cell.last - cell.first);

function compareParts(what, cell, poses, time, up, bound) {
    const wanted = cell.at(time);
    let farthest = 0;
    for (const part of cell.parts) {
        const copies = poses.get(`shape_${part.name}`) ?? [];
        if (copies.length !== 1) {
            fail(`${what} at ${time}: ${part.name} is seen ${copies.length} times`);
            continue;
        }
        const off = distanceOf(part, wanted.get(part.name), copies[0], up);
        farthest = Math.max(farthest, off);
        if (!(off <= bound))
            fail(`${what} at ${time}: ${part.name} is off by ${off} m`);
    }
    return farthest;
}

// Just before and just after a moment: further from it than single precision can tell from it, and no more. In between, and at the moment
// itself, there is one copy of each part, in one of the two places.
function compareChange(what, cell, tree, drive, moment, up, bound, kind) {
    const fraction = fractionOf(cell, moment), step = 2e-7, seconds = step * (cell.last - cell.first);
    const times = [moment - seconds, moment + seconds];
    const frames = drive([fraction - step, fraction + step, fraction, Math.fround(fraction)]).map(values => visiblePoses(tree, values));
    times.forEach((time, i) => compareParts(`${what}, change at ${moment}`, cell, frames[i], time, up, bound));
    for (const part of cell.parts) {
        const [before, after] = times.map((time, i) => [cell.at(time).get(part.name), frames[i].get(`shape_${part.name}`)?.[0]]);
        const leap = before[1] && after[1] ? leapOf(part, before, after, up) : Infinity;
        leaps.set(kind, Math.max(leaps.get(kind) ?? 0, leap));
        if (!(leap <= 1e-6))
            fail(`${what}, change at ${moment}: ${part.name} leaps by ${leap} m`);
        for (const poses of frames.slice(2)) {
            const copies = poses.get(`shape_${part.name}`) ?? [];
            const off = copies.map(copy => Math.min(...times.map(time => distanceOf(part, cell.at(time).get(part.name), copy, up))));
            if (!(off.length === 1 && off[0] <= bound + 1e-6))
                fail(`${what}, change at ${moment}: ${part.name} is off by ${off} m right then`);
        }
    }
}

async function play(what, cell, file, bound, { up = 'y', kind } = {}) {
    const { tree, drive } = await load(file), times = sampleTimes(cell, 100);
    const frames = drive(times.map(time => fractionOf(cell, time)));
    times.forEach((time, i) => {
        const farthest = compareParts(what, cell, visiblePoses(tree, frames[i]), time, up, bound);
        worst.set(kind, Math.max(worst.get(kind) ?? 0, farthest));
    });
    for (const moment of cell.changeTimes)
        if (moment > cell.first && moment < cell.last)
            compareChange(what, cell, tree, drive, moment, up, bound, kind);
    complaints.splice(0).forEach(complaint => fail(`${what}: X_ITE says ${complaint}`));
}

for (const cell of cells) {
    const [, recording] = cell.write(workFile(cell.name)), [lower, upper] = info(recording).bounds;
    const exact = 2e-6 * Math.hypot(...upper.map((value, i) => value - lower[i]));
    for (const [tolerance, bound] of [['tolerance=0', exact], ['tolerance=0.1mm', exact + 1e-4]])
        await play(`${cell.name} ${tolerance}`, cell, convert(recording, workFile('o.wrl'), tolerance), bound, { kind: tolerance });
    await play(`${cell.name} up=z`, cell, convert(recording, workFile('o.wrl'), 'up=z', 'tolerance=0'), exact, { up: 'z', kind: 'up=z' });
    await play(`${cell.name} layout=inline`, cell, convert(recording, workFile('o.wrl'), 'layout=inline', 'tolerance=0'), exact,
        { kind: 'layout=inline' });
    const glb = convert(recording, workFile('o.glb'), 'tolerance=0');
    await play(`${cell.name} by glb`, cell, convert(glb, workFile('o.wrl'), 'tolerance=0'), 2 * exact, { kind: 'by glb' });
}

// ---- a joint from -165 to 165 degrees ----

const spindle = cells.find(cell => cell.name === 'turning'), angles = [];
const spun = await load(convert(spindle.write(workFile('turning'))[1], workFile('o.wrl'), 'up=z'));
for (const values of spun.drive(Array.from({ length: 101 }, (_, i) => i / 100))) {
    const [pose] = visiblePoses(spun.tree, values).get('shape_spindle_arm');
    angles.push(Math.atan2(pose[4], pose[0]));
}
if (!(Math.abs(angles[50]) < 1e-6))
    fail(`at half time the joint is at ${angles[50]}`);
if (!angles.every((angle, i) => i === 0 || angle > angles[i - 1]))
    fail('the joint does not turn one way only');

// ---- options ----

const [, recording] = cells[0].write(workFile('options'));

async function timers(...settings) {
    const file = convert(recording, workFile('o.wrl'), ...settings), text = fs.readFileSync(file, 'utf8'), { timer } = await load(file);
    const touched = [...text.matchAll(/ROUTE (\w+)\.touchTime TO (\w+)\./g)].map(([, touch, to]) => [touch.replace(/^touch_/, ''), to]);
    return { cycle: timer.cycleInterval, touched, sensors: text.match(/TouchSensor/g).length };
}

const starts = ['device_1_base', 'device_3_base']; // not device 2, which has no joints
const slow = await timers('cycle=10'), clicks = await timers(), none = await timers('clicks=no');
if (none.cycle !== 3.5 || slow.cycle !== 10)
    fail(`cycles of ${none.cycle} s and ${slow.cycle} s`);
if (none.sensors !== 2 || JSON.stringify(none.touched.sort()) !== JSON.stringify(starts.map(start => [start, 'play_nistir'])))
    fail(`with clicks=no clicks start ${JSON.stringify(none.touched)}`);
if (clicks.touched.filter(([, timer]) => timer === 'play_nistir').length !== 2 || clicks.touched.filter(([touch]) => /_j\d$/.test(touch)).length !== 4)
    fail(`clicks start ${JSON.stringify(clicks.touched)}`);
finish([...worst].map(([kind, off]) => `${kind}: ${off.toExponential(1)} m, at changes ${leaps.get(kind).toExponential(1)} m`).join('; '));
