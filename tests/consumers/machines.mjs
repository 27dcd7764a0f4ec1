// The parallel machines of samples/mechanisms: places of their joints, lengths and axes as the publications have them, what
// their recordings say, and whether the poses of legs, platform and base agree with that. Nothing here solves a loop.
import fs from 'node:fs';
import path from 'node:path';
import { fail, multiply } from './lib.mjs';
import { visiblePoses } from './xite.mjs';

export const samples = path.resolve(import.meta.dirname, '../../samples/mechanisms');
export const machines = [{
    name: 'hexapod', size: 0.6, leg: 'rod', platform: 'pin', base: 'seat_1',
    from: [[31, 118.156, 40.205], [-31, 118.156, 40.205], [-117.826, -32.231, 40.205], [-86.826, -85.925, 40.205], [86.826, -85.925, 40.205], [117.826, -32.231, 40.205]],
    to: [[31, 48.799, -31.45], [-31, 48.799, -31.45], [-57.761, 2.447, -31.45], [-26.761, -51.246, -31.45], [26.761, -51.246, -31.45], [57.761, 2.447, -31.45]],
    rest: Array(6).fill(376.5), axes: [],
}, {
    name: 'flexapod', size: 0.6, leg: 'rod', platform: 'pin', base: 'seat_1',
    from: [[-132.5, 26, 58.5], [43.733, 127.748, 58.5], [88.767, 101.748, 58.5], [88.767, -101.748, 58.5], [43.733, -127.748, 58.5], [-132.5, -26, 58.5]],
    to: [[-48.767, 32.466, -75], [-3.733, 58.466, -75], [52.5, 26, -75], [52.5, -26, -75], [-3.733, -58.466, -75], [-48.767, -32.466, -75]],
    rest: Array(6).fill(376.5), axes: [1, 2, 3, 4, 5].map(leg => ({ leg, own: 0, other: 1, cosine: 0 })), // the crosses
}, {
    name: 'exechon', size: 1.9, leg: 'rod', platform: 'spindle', base: 'seat_1',
    from: [[420, 0, 0], [-420, 0, 0], [0, 670, 0]], to: [[173, -50, 485], [-173, -50, 485], [0, 173, 485]],
    rest: [803.887, 803.887, 886.021],
    axes: [{ leg: 0, own: 1, other: 1, cosine: -1 }, { leg: 1, own: 1, other: 1, cosine: -1 }, { leg: 2, own: 0, other: 0, cosine: 1 }],
}, { // carts in place of legs: a link of constant length reaches from each
    name: 'gantry_tau', size: 3.5, leg: 'cart', platform: 'tool', base: 'rail_1', links: [1500, 1500, 1499.775],
    from: [[-96.569, 185, 400], [0, 322.843, 173.726], [96.569, 0, 400]],
    to: [[224.999, -240.001, 171.568], [0, 39.705, 336.862], [-182.574, -80, 213.994]], axes: [],
}];

const point = (m, [x, y, z]) => [0, 4, 8].map(r => m[r] * x / 1000 + m[r + 1] * y / 1000 + m[r + 2] * z / 1000 + m[r + 3]);
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const axis = (m, i) => [m[i], m[4 + i], m[8 + i]];
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

// Times, and what the drives' values are at a time, millimetres.
export function readRecording(name) {
    const steps = [...fs.readFileSync(path.join(samples, `${name}.dcr`), 'utf8').matchAll(/STEP (\S+)\n +DEV 0 JOINTS \d+ ([^\n]+)/g)]
        .map(([, time, values]) => ({ time: Number(time), values: values.split(' ').map(Number) }));
    const at = time => {
        const next = Math.max(1, steps.findIndex(step => step.time >= time)), [a, b] = [steps[next - 1], steps[next]];
        return a.values.map((value, i) => value + (b.values[i] - value) * (time - a.time) / (b.time - a.time));
    };
    return { last: steps.at(-1).time, at };
}

export let worst = 0;
export function check(what, machine, time, drives, { legs, platform, base }) {
    // In sweeps joints turn farther, and what hangs on five of them may be off by as many tolerances.
    const bound = (drives ? 2e-6 : 1e-5) * machine.size, note = (off, leg, kind) => {
        worst = Math.max(worst, drives ? off / machine.size : 0);
        if (!(off <= bound))
            fail(`${what} at ${time.toFixed(3)} s, leg ${leg + 1}: ${kind} is off by ${off}`);
    };
    machine.to.forEach((to, i) => {
        const end = point(platform, to), start = point(machine.links ? legs[i] : base, machine.from[i]);
        if (machine.links)
            note(Math.abs(apart(start, end) - machine.links[i] / 1000), i, 'the length of the link');
        else {
            note(apart(point(legs[i], [0, 0, 0]), end), i, 'its end');
            if (drives)
                note(Math.abs(apart(start, end) - (machine.rest[i] + drives[i]) / 1000), i, 'its length');
        }
    });
    for (const { leg, own, other, cosine } of machine.axes)
        note(Math.abs(dot(axis(legs[leg], own), axis(platform, other)) - cosine) * machine.size, leg, 'the direction of its joint');
}

// Meshes of the worlds are in millimetres, below a Transform that says so.
const metres = [1000, 0, 0, 0, 0, 1000, 0, 0, 0, 0, 1000, 0];

// What a world in X_ITE shows.
export function shownPoses(machine, tree, values) {
    const shapes = visiblePoses(tree, values), poses = name => shapes.get(name).map(pose => multiply(pose, metres));
    return { legs: poses(machine.leg), platform: poses(machine.platform)[0], base: poses(machine.base)[0] };
}
