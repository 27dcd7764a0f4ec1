// Cells of Deneb-style text with recordings, made from a plain simulation that also tells where everything is at any
// time. Matrices here are 4 x 4 for ROW vectors, as in these files: v * part * ... * world, lengths in mm.
import fs from 'node:fs';
import path from 'node:path';

// ---- matrices ----

export const one = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

export function product(...factors) {
    return factors.reduce((a, b) => a.map((_, i) => {
        const row = i - i % 4, column = i % 4;
        return a[row] * b[column] + a[row + 1] * b[column + 4] + a[row + 2] * b[column + 8] + a[row + 3] * b[column + 12];
    }));
}

export const move = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];

export function turn(axis, degrees) {
    const angle = degrees * Math.PI / 180, c = Math.cos(angle), s = Math.sin(angle);
    const [i, k] = { X: [1, 2], Y: [2, 0], Z: [0, 1] }[axis], m = one.slice();
    m[5 * i] = m[5 * k] = c;
    m[4 * i + k] = s;
    m[4 * k + i] = -s;
    return m;
}

// Of a matrix whose rows are orthogonal; a reflection may be among them.
function inverse(m) {
    const out = one.slice();
    for (let row = 0; row < 3; row++) {
        const square = m[4 * row] ** 2 + m[4 * row + 1] ** 2 + m[4 * row + 2] ** 2;
        for (let column = 0; column < 3; column++)
            out[4 * column + row] = m[4 * row + column] / square;
    }
    for (let column = 0; column < 3; column++)
        out[12 + column] = -(m[12] * out[column] + m[13] * out[4 + column] + m[14] * out[8 + column]);
    return out;
}

// ---- turning from one matrix to another: at a constant speed about one axis, the shorter way ----

function turned(m, to, part) {
    const way = product(inverse(m), to); // its rotation
    const cosine = (way[0] + way[5] + way[10] - 1) / 2;
    const axis = [way[6] - way[9], way[8] - way[2], way[1] - way[4]].map(value => value / 2), sine = Math.hypot(...axis);
    const angle = Math.atan2(sine, cosine) * part;
    if (sine < 1e-12)
        return m;
    const [x, y, z] = axis.map(value => value / sine), c = Math.cos(angle), s = Math.sin(angle), r = 1 - c;
    return product(m, [x * x * r + c, x * y * r + z * s, x * z * r - y * s, 0, y * x * r - z * s, y * y * r + c,
        y * z * r + x * s, 0, z * x * r + y * s, z * y * r - x * s, z * z * r + c, 0, 0, 0, 0, 1]);
}

const between = (a, b, part) => a + (b - a) * part;

function matrixBetween(a, b, part) {
    const linear = m => [...m.slice(0, 12), 0, 0, 0, 1], out = turned(linear(a), linear(b), part).slice();
    for (let i = 12; i < 15; i++)
        out[i] = between(a[i], b[i], part);
    return out;
}

// ---- the simulation ----

const freeJoints = device => device.joints.filter(joint => !joint.follows);

// A device: { name, matrix, host, parts: [{ name, on, matrix, box }], joints: [{ part, axis, slides, init, lower, upper, follows, formula }] };
// host is the name of a part, on that of a part of the device; follows is the formula as a function of the free joints' values. A change of a step, by device: { q, world, grip, host, keeps }:
// joint values; where it is, in the world or in the frame of its host before the step; what it hangs on from then on, null for the world.
export class Cell {
    constructor(name, devices, { frame = 'world' } = {}) {
        Object.assign(this, { name, devices, frame, steps: [], jumps: [] });
        this.parts = devices.flatMap(device => device.parts.map(part => ({ ...part, device })));
        this.state = new Map(devices.map(device => [device.name,
            { q: freeJoints(device).map(joint => joint.init ?? 0), host: device.host ?? null, grip: device.matrix }]));
    }

    partsOf = device => this.parts.filter(part => part.device === device);
    part = name => this.parts.find(part => part.name === name);

    // Where a part is, from the states of the devices and the worlds of those that are told.
    world(name, state, told = new Map()) {
        const part = this.part(name), { device } = part, { q } = state.get(device.name);
        let pose = one;
        for (const joint of device.joints) {
            const value = joint.follows ? joint.follows(...q) : q[freeJoints(device).indexOf(joint)];
            if (joint.part === name)
                pose = product(pose, joint.slides ? move(...['X', 'Y', 'Z'].map(axis => axis === joint.axis ? value : 0))
                    : turn(joint.axis, value));
        }
        return product(pose, part.matrix ?? one, part.on ? this.world(part.on, state, told) : this.deviceWorld(device.name, state, told));
    }

    deviceWorld(name, state, told = new Map()) {
        const { host, grip } = state.get(name);
        return told.get(name) ?? (host ? product(grip, this.world(host, state, told)) : grip);
    }

    step(time, changes = {}) {
        const entries = Object.entries(changes), start = new Map(this.state), told = new Map(), after = new Map(this.state);
        for (const [name, { q, grip }] of entries)
            start.set(name, { ...start.get(name), ...(q && { q }), ...(grip && { grip }) });
        entries.forEach(([name, { world }]) => world && told.set(name, world));
        const worlds = new Map(this.devices.map(({ name }) => [name, this.deviceWorld(name, start, told)]));
        const relative = (name, host) => host ? product(worlds.get(name), inverse(this.world(host, start, told))) : worlds.get(name);
        const before = new Map(this.devices.map(({ name }) => {
            const state = start.get(name);
            return [name, told.has(name) ? { ...state, grip: relative(name, state.host) } : state];
        }));
        for (const [name, state] of before) {
            const host = changes[name]?.host;
            after.set(name, host === undefined ? state : { ...state, host, grip: relative(name, host) });
        }
        this.steps.push({ time, before, after, changes, worlds });
        this.state = after;
        return this;
    }

    get first() { return this.steps[0].time; }
    get last() { return this.steps.at(-1).time; }
    // Moments at which something hangs elsewhere or jumps.
    get changeTimes() {
        return [...new Set(this.steps.filter(({ time, changes }, i) =>
            time === this.steps[i - 1]?.time || Object.values(changes).some(change => change.host !== undefined)).map(step => step.time))];
    }

    // Worlds of all parts at a time that is no step's: rows of 4 x 4, in mm, z up.
    at(time) {
        const next = this.steps.findIndex(step => step.time >= time);
        const a = this.steps[next < 0 ? this.steps.length - 1 : Math.max(0, next - 1)], b = next < 0 ? a : this.steps[next];
        const part = b.time > a.time ? (time - a.time) / (b.time - a.time) : 0, state = new Map();
        for (const [name, from] of a.after) {
            const to = b === a ? from : b.before.get(name);
            state.set(name, { host: from.host, q: from.q.map((value, i) => between(value, to.q[i], part)),
                grip: matrixBetween(from.grip, to.grip, part) });
        }
        return new Map(this.parts.map(({ name }) => [name, this.world(name, state)]));
    }

    // ---- as text ----

    write(folder) {
        fs.mkdirSync(folder, { recursive: true });
        for (const part of this.parts)
            fs.writeFileSync(path.join(folder, `${part.name}.dcp`), partText(part));
        fs.writeFileSync(path.join(folder, `${this.name}.dcw`), this.cellText());
        fs.writeFileSync(path.join(folder, `${this.name}.dcr`), this.recordingText());
        return [path.join(folder, `${this.name}.dcw`), path.join(folder, `${this.name}.dcr`)];
    }

    number = host => host ? this.parts.findIndex(part => part.name === host) : -1;

    cellText() {
        const devices = this.devices.map(device => `  DEVICE "${device.name}"\n    MATRIX ${matrixText(device.matrix)}\n` +
            this.partsOf(device).map((part, i, all) => partLine(part, i, all)).join('') +
            device.joints.map((joint, i) => `    JOINT "${device.name}_j${i + 1}" PART ${device.parts.findIndex(part => part.name === joint.part)} ` +
                `TYPE ${joint.slides ? 'TRANS' : 'ROTATE'}_${joint.axis} ` + (joint.follows ? `VALUE "${joint.formula}"\n`
                : `INIT ${joint.init ?? 0} LOWER ${joint.lower ?? -720} UPPER ${joint.upper ?? 720}\n`)).join('') + '  END\n').join('');
        return `DCT WORKCELL 1.0\nHEAD\n  NAME "${this.name}"  UNIT mm  ANGLE deg\nEND\nDEVICES\n${devices}` +
            `  ATTACHMENTS ${this.devices.length}\n    ${this.devices.map(device => this.number(device.host)).join(' ')}\nEND\n`;
    }

    recordingText() {
        const line = (step, [name, change]) => {
            const matrix = this.frame === 'world' ? step.worlds.get(name) : step.after.get(name).grip;
            return `  DEV ${this.devices.findIndex(device => device.name === name)}` +
                (change.world || change.grip ? ` MATRIX ${matrixText(matrix)}` : '') +
                (change.q ? ` JOINTS ${change.q.length} ${change.q.join(' ')}` : '') +
                (change.host === undefined ? '' : ` ATTACH ${this.number(change.host)}`) + '\n';
        };
        return `DCT RECORDING 1.0\nWORKCELL "${this.name}"  DEVICES ${this.devices.length}  FRAME ${this.frame}\n` +
            this.steps.map(step => `STEP ${step.time}\n${Object.entries(step.changes).map(entry => line(step, entry)).join('')}`).join('') +
            'END\n';
    }
}

const matrixText = m => m.join(' ');

// The corners of a part, which are no box around its origin.
export function cornersOf({ box: [x, y, z] }) {
    return [0, 1, 2, 3, 4, 5, 6, 7].map(i => [i & 1 ? x : -0.4 * x, i & 2 ? y : -0.3 * y, i & 4 ? z : 0]);
}

function partText(part) {
    return `DCT PART 1.0\nUNIT mm\nNAME "${part.name}"\nOBJECT "shape_${part.name}"\n  POINTS 8\n` +
        cornersOf(part).map(corner => `    ${corner.join(' ')}\n`).join('') +
        '  POLYGONS 6\n    4 0 2 3 1\n    4 4 5 7 6\n    4 0 1 5 4\n    4 2 6 7 3\n    4 0 4 6 2\n    4 1 3 7 5\nEND\n';
}

// The flags after a part close as many layers as the next part, or the end, is above it.
function partLine(part, i, all) {
    const depth = it => it ? 1 + depth(all.find(other => other.name === it.on)) : 0;
    const next = all[i + 1], flags = next ? '0'.repeat(depth(part) - depth(next) + 1) + '1' : '0'.repeat(depth(part));
    return `    PART "${part.name}" FILE "${part.name}" ATTACH ${flags}\n` + (part.matrix ? `      MATRIX ${matrixText(part.matrix)}\n` : '');
}

// ---- the cells ----

// A robot: base, upper arm and hand; turns about z, then y, then x.
export function robot(name, matrix, init = [0, 0, 0]) {
    const part = suffix => `${name}_${suffix}`;
    return { name, matrix,
        parts: [{ name: part('base'), box: [300, 300, 250] },
            { name: part('arm'), on: part('base'), matrix: move(0, 0, 260), box: [700, 90, 120] },
            { name: part('hand'), on: part('arm'), matrix: product(turn('Z', 15), move(720, 20, 60)), box: [150, 110, 60] }],
        joints: [{ part: part('arm'), axis: 'Z', init: init[0] }, { part: part('arm'), axis: 'Y', init: init[1] },
            { part: part('hand'), axis: 'X', init: init[2] }] };
}

export const block = (name, matrix, host) => ({ name, matrix, host, joints: [], parts: [{ name: `${name}_body`, box: [160, 240, 120] }] });

// NISTIR 6076: device_2 hangs on device_1 until time_grab, on device_3 from then on.
function nistir() {
    const cell = new Cell('nistir', [robot('device_1', one), block('device_2', product(turn('Y', 20), move(120, 30, 40)), 'device_1_hand'),
        robot('device_3', product(turn('Z', 130), move(1900, 100, 0)))]);
    return cell.step(0, { device_1: { q: [0, 0, 0] }, device_2: { host: 'device_1_hand' }, device_3: { q: [0, 0, 0] } })
        .step(0.7, { device_1: { q: [35, -12, 20] }, device_3: { q: [20, 10, 0] } })
        .step(1.4, { device_1: { q: [10, 18, 75] }, device_3: { q: [45, -5, -30] } })
        .step(1.9, { device_1: { q: [-15, 14, 80] }, device_3: { q: [50, 4, -50] }, device_2: { host: 'device_3_hand' } })
        .step(2.6, { device_1: { q: [-80, 0, 0] }, device_3: { q: [-30, 25, 40] } })
        .step(3.5, { device_1: { q: [0, 0, 0] }, device_3: { q: [60, -20, 10] } });
}

// One block that two robots grab three times, turn in their hands, let go, and that lies and is pushed in between.
function thrice() {
    const cell = new Cell('thrice', [robot('left', one), robot('right', product(turn('Z', 170), move(1700, -200, 50))),
        block('block', move(850, 250, 200)), block('still', product(turn('X', 40), move(300, -700, 0)))]);
    const held = grip => product(turn('Z', 50), turn('X', -70), move(...grip));
    cell.step(0, { left: { q: [0, 0, 0] }, right: { q: [0, 0, 0] }, block: { world: move(850, 250, 200) } })
        .step(0.5, { left: { q: [16, -4, 0] }, block: { world: product(turn('Z', 100), move(900, 200, 230)) } })
        .step(1, { left: { q: [20, 0, 10] }, right: { q: [20, 6, -40] }, block: { host: 'left_hand' } })
        .step(1.6, { left: { q: [-25, -30, 60] } })
        .step(2.3, { left: { q: [-10, 5, -20] }, right: { q: [-15, -8, 70] }, block: { grip: held([140, 60, 30]) } })
        .step(2.5, { left: { q: [-8, 4, -25] }, block: { host: 'right_hand' } })
        .step(3.1, { right: { q: [30, 22, -90] } })
        .step(3.7, { right: { q: [5, 9, 30] }, block: { host: null } })
        .step(4.2, { left: { q: [12, 0, 40] } })
        .step(4.4, { left: { q: [15, -2, 45] }, right: { q: [80, 0, 0] }, block: { host: 'left_hand' } })
        .step(5.3, { left: { q: [95, -35, 130] }, right: { q: [0, 0, 0] } })
        .step(6, { left: { q: [40, -5, 100] }, block: { host: null } })
        .step(6.5, { left: { q: [0, 0, 0] } });
    return cell;
}

// Two robots grab two blocks at the same moment; a tray is grabbed with what lies on it, and handed over.
function twoAtOnce() {
    const cell = new Cell('two_at_once', [robot('left', one), robot('right', product(turn('Z', -175), move(1800, 300, 0))),
        block('red', move(800, 300, 150)), block('blue', product(turn('Z', 33), move(1000, -100, 100))),
        block('tray', move(900, 600, 0)), block('cargo', product(turn('Z', -25), move(20, 40, 125)), 'tray_body')]);
    return cell.step(0, { left: { q: [0, 0, 0] }, right: { q: [0, 0, 0] }, cargo: { host: 'tray_body' } })
        .step(0.6, { left: { q: [20, 5, 0] }, right: { q: [-10, 0, 90] } })
        .step(0.9, { left: { q: [22, 6, 0] }, right: { q: [-20, 0, 120] }, red: { host: 'left_hand' }, blue: { host: 'right_hand' } })
        .step(1.5, { left: { q: [-40, -20, 70] }, right: { q: [35, -25, 10] } })
        .step(2.1, { left: { q: [5, 0, 20] }, right: { q: [10, 5, 0] }, red: { host: 'right_hand' }, blue: { host: 'left_hand' } })
        .step(2.6, { left: { q: [60, -10, -45] }, right: { q: [-30, 15, 60] } })
        .step(3, { red: { host: 'tray_body' }, blue: { host: null } })
        .step(3.3, { left: { q: [45, 8, 0] }, tray: { host: 'left_hand' } })
        .step(4, { left: { q: [-20, -25, -80] }, right: { q: [0, 10, 0] } })
        .step(4.4, { left: { q: [0, 0, -40] }, right: { q: [15, 0, 15] }, tray: { host: 'right_hand' }, cargo: { host: 'left_hand' } })
        .step(5, { left: { q: [50, 10, 30] }, right: { q: [-45, -30, 100] } });
}

// The recording itself jumps: at 1 s the block leaves one hand and is elsewhere in the other, at 2 s it moves within it.
function jumping() {
    const cell = new Cell('jumping', [robot('left', one), robot('right', product(turn('Z', 170), move(1700, -200, 50))),
        block('block', move(30, 40, 50), 'left_hand')]);
    const first = product(turn('Z', 60), move(900, 0, 700)), second = product(turn('Y', 80), move(150, 0, 20));
    return cell.step(0, { left: { q: [0, 0, 0] }, right: { q: [0, 0, 0] }, block: { host: 'left_hand' } })
        .step(1, { left: { q: [50, -10, 30] }, right: { q: [20, -8, 0] } })
        .step(1, { left: { q: [65, -10, 30] }, block: { world: first, host: 'right_hand' } })
        .step(2, { left: { q: [0, 0, 0] }, right: { q: [-30, 12, 60] } })
        .step(2, { block: { grip: second } })
        .step(3, { right: { q: [0, 0, 0] } });
}

// Matrices in the frames of hosts.
function inFrames() {
    const cell = new Cell('in_frames', [robot('left', one), block('block', move(700, 100, 400))], { frame: 'parent' });
    return cell.step(0, { left: { q: [0, 0, 0] }, block: { grip: move(700, 100, 400) } })
        .step(1, { left: { q: [15, -10, 0] }, block: { grip: product(turn('Z', 25), move(750, 200, 420)), host: 'left_hand' } })
        .step(2, { left: { q: [-70, 20, 110] }, block: { grip: product(turn('X', 95), turn('Z', 30), move(60, -30, 20)) } })
        .step(2.5, { left: { q: [0, 0, 0] } });
}

// Steps so dense that most keys can be left out, but not those at which the block changes hands.
function dense() {
    const cell = new Cell('dense', [robot('left', one), robot('right', product(turn('Z', 170), move(1700, -200, 50))), block('block', move(850, 250, 200))]);
    for (let i = 0; i <= 800; i++)
        cell.step(i / 200, { left: { q: [60 * Math.sin(i / 180), 25 * Math.cos(i / 140), 40 * Math.sin(i / 100)] },
            right: { q: [50 * Math.cos(i / 160), 20 * Math.sin(i / 120), 30 * Math.sin(i / 220)] },
            ...(i % 200 === 63 && { block: { host: i % 400 === 63 ? 'left_hand' : 'right_hand' } }) });
    return cell;
}

// A mirrored robot takes a block from a plain one; a mirrored block is moved in the world, turned in a hand and let go.
function mirrored() {
    const mirror = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const cell = new Cell('mirrored', [robot('left', one), robot('right', product(mirror, turn('Z', -20), move(1800, 100, 0))),
        block('plain', move(800, 100, 300)), block('other', product(mirror, turn('Y', 30), move(900, 500, 100)))]);
    return cell.step(0, { left: { q: [0, 0, 0] }, right: { q: [0, 0, 0] } })
        .step(0.5, { left: { q: [10, 5, 40] }, plain: { host: 'left_hand' },
            other: { world: product(mirror, turn('Y', 30), turn('X', 80), move(900, 400, 200)) } })
        .step(1.2, { left: { q: [-20, -15, -30] }, right: { q: [15, 0, 70] }, plain: { host: 'right_hand' }, other: { host: 'left_hand' } })
        .step(2, { left: { q: [30, 10, 0] }, right: { q: [-25, 20, 0] }, other: { grip: product(mirror, turn('Z', 70), move(200, 50, 10)) } })
        .step(2.6, { left: { q: [0, 0, 0] }, right: { q: [0, 0, -60] }, plain: { host: null }, other: { host: 'right_hand' } })
        .step(3.2, { right: { q: [20, -10, 0] } });
}

// A hand whose fingers follow formulas, one straight and one bent; it takes a block by the bent one.
function formulas() {
    const hand = { name: 'hand', matrix: move(0, 0, 300),
        parts: [{ name: 'hand_base', box: [300, 200, 100] }, { name: 'hand_palm', on: 'hand_base', matrix: move(0, 0, 120), box: [250, 200, 60] },
            { name: 'hand_slider', on: 'hand_palm', matrix: move(200, 80, 30), box: [200, 30, 50] },
            { name: 'hand_crank', on: 'hand_palm', matrix: move(200, -80, 30), box: [300, 30, 50] }],
        joints: [{ part: 'hand_palm', axis: 'Z' }, { part: 'hand_palm', axis: 'X', slides: true },
            { part: 'hand_slider', axis: 'Y', slides: true, formula: '=20-0.5*dof(2)', follows: (turned, slid) => 20 - 0.5 * slid },
            { part: 'hand_crank', axis: 'Z', formula: '=40*sin(2*dof(1))-dof(2)/10',
                follows: (turned, slid) => 40 * Math.sin(turned * Math.PI / 90) - slid / 10 }] };
    return new Cell('formulas', [hand, block('block', move(600, 200, 350))]).step(0, { hand: { q: [0, 0] } })
        .step(1, { hand: { q: [70, 40] }, block: { host: 'hand_crank' } }).step(2, { hand: { q: [-80, -60] } })
        .step(2.5, { hand: { q: [-10, 100] }, block: { host: null } }).step(3, { hand: { q: [0, 0] } });
}

// One joint from -165 to 165 degrees, which is through 0 and not through 180.
function turning() {
    const device = { name: 'spindle', matrix: one, parts: [{ name: 'spindle_base', box: [300, 300, 100] },
        { name: 'spindle_arm', on: 'spindle_base', matrix: move(0, 0, 120), box: [700, 90, 60] }],
        joints: [{ part: 'spindle_arm', axis: 'Z', init: -165, lower: -165, upper: 165 }] };
    return new Cell('turning', [device]).step(0, { spindle: { q: [-165] } }).step(4, { spindle: { q: [165] } });
}

export const cells = [nistir(), thrice(), twoAtOnce(), jumping(), inFrames(), dense(), mirrored(), formulas(), turning()];

// ---- comparing ----

const yUp = ([x, y, z]) => [x, z, -y];

export function place(m, [x, y, z]) {
    return [0, 1, 2].map(i => (x * m[i] + y * m[4 + i] + z * m[8 + i] + m[12 + i]) / 1000);
}

// For each corner of a part how far it is off, in metres, along x, y and z. `shown` is of rows of 3 x 4 for columns, from the part's mm to
// metres, y up (or z up).
function offsetsOf(part, wanted, shown, up) {
    return cornersOf(part).map(corner => {
        const want = place(wanted, corner), right = up === 'y' ? yUp(want) : want, [x, y, z] = corner;
        return [0, 4, 8].map((row, i) => shown[row] * x + shown[row + 1] * y + shown[row + 2] * z + shown[row + 3] - right[i]);
    });
}

// Metres that a part's farthest corner is off.
export function distanceOf(part, wanted, shown, up = 'y') {
    return Math.max(...offsetsOf(part, wanted, shown, up).map(offset => Math.hypot(...offset)));
}

// Metres that a part's corner leaps from one moment to another, beyond what it should do: two pairs of wanted and shown.
export function leapOf(part, [wanted, shown], [wantedThen, shownThen], up = 'y') {
    const then = offsetsOf(part, wantedThen, shownThen, up);
    return Math.max(...offsetsOf(part, wanted, shown, up).map((offset, i) => Math.hypot(...offset.map((value, k) => value - then[i][k]))));
}

// Times to look at: at random (always the same), no nearer to a change than a millisecond.
export function sampleTimes(cell, count) {
    let seed = 12345;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647, times = [];
    while (times.length < count) {
        const time = between(cell.first, cell.last, random());
        if (cell.changeTimes.every(change => Math.abs(time - change) > 1e-3))
            times.push(time);
    }
    return times.sort((a, b) => a - b);
}
