// The page's joints and loops (page/motion.js, formula.js, loops.js, without a browser) against the library's own poses: forward kinematics
// of all samples, formulas, and closed loops, which the page follows from slider to slider.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { convert, fail, finish, inputs, program, root, shortName, workFile } from './lib.mjs';
import { loadModules, readBuffer } from './page_modules.mjs';

const page = loadModules('meshopt', 'formula', 'motion', 'loops');
const tool = path.join(path.dirname(program), 'tests/poses');

let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;

// ---- the library's answers ----

// World poses, 12 numbers a node, at each of many values of all joints; undefined where loops do not close. The tool ends at the first of
// those, so it is asked again for the rest.
function askPoses(file, questions) {
    const answers = [];
    while (answers.length < questions.length) {
        const rest = questions.slice(answers.length);
        const lines = rest.map(q => `joints ${Array.from(q).map(value => String(value)).join(' ')}\n`).join('');
        const { stdout, status, error } = spawnSync(tool, [file], { input: lines, encoding: 'utf8', maxBuffer: 1 << 30 });
        if (error)
            throw error;
        const rows = stdout.split('\n').slice(0, -1).map(line => (line.trim() ? line.trim().split(/\s+/).map(Number) : undefined));
        if (rows.length === 0 || (status === 0 && rows.length < rest.length))
            throw new Error(`poses ${file}: status ${status}`);
        answers.push(...rows);
    }
    return answers;
}

// ---- the page's ----

const readCell = file => page.readCell(page.readJson(page.unpackMeshopt(readBuffer(file))));

// Y up to Z up, if the file has a made up root.
function turnBack(cell, m) {
    return cell.up === 'y' ? [m[0], m[4], m[8], m[12], -m[2], -m[6], -m[10], -m[14], m[1], m[5], m[9], m[13]]
        : [m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14]];
}

function posesOf(cell, q) {
    const worlds = page.forward(cell, q);
    return cell.nodes.filter(node => node.isFrame).flatMap(node => turnBack(cell, worlds[node.tail]));
}

// The size of a cell: of a box around its frames, at least 0.1 m.
function sizeOf(poses) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < poses.length; i += 12)
        for (let k = 0; k < 3; k++) {
            low[k] = Math.min(low[k], poses[i + 4 * k + 3]);
            high[k] = Math.max(high[k], poses[i + 4 * k + 3]);
        }
    return Math.max(0.1, Math.hypot(...high.map((value, k) => value - low[k])));
}

// The largest difference: places in parts of the size, directions as they are.
function apart(got, want, size) {
    if (got.length !== want.length)
        return Infinity;
    return want.reduce((most, value, i) => Math.max(most, Math.abs(got[i] - value) / (i % 4 === 3 ? size : 1)), 0);
}

const worst = { open: 0, closed: 0, gap: 0, formula: 0 };
const note = (kind, value) => {
    worst[kind] = Math.max(worst[kind], value);
};

const samples = path.join(root, 'samples');
const devices = ['deneb/welding/weld.dcr', 'deneb/assembly/assembly.dcw', 'deneb/assembly/saw.dcr', 'deneb/hexapod/contour.dcr',
    'mechanisms/exechon.dcr', 'mechanisms/flexapod.dcr', 'mechanisms/gantry_tau.dcr', 'mechanisms/gantry_tau_six.dcw',
    'mechanisms/hexapod.dcr'].map(name => path.join(samples, name));

// ---- forward kinematics at random values ----

function checkForward(file, cell) {
    const questions = Array.from({ length: 20 }, () => cell.joints.map(({ range: [low, high] }) => low + random() * (high - low)));
    askPoses(file, questions).forEach((want, i) => {
        const off = want ? apart(posesOf(cell, questions[i]), want, sizeOf(want)) : Infinity;
        note('open', off);
        if (!(off <= 1e-6))
            fail(`${shortName(file)}: poses are ${off} off`);
    });
    return questions.length;
}

// ---- loops ----

const limitsOf = joint => [Math.max(joint.lower, joint.range[0]), Math.min(joint.upper, joint.range[1])];

// Each driven joint goes from its value to its lower limit, through its range and back, the others as they are. Where the page cannot go on,
// the library cannot either.
function checkLoops(file, cell) {
    const loops = page.makeLoops(cell), questions = [], answers = [];
    const rest = loops.start(cell.joints.map(joint => joint.q));
    if (!rest.closed)
        fail(`${shortName(file)}: does not close as it stands: ${rest.residual}`);
    for (const joint of cell.joints.filter(({ driven, dependent, type }) => driven && !dependent && type !== 'fixed')) {
        const [low, high] = limitsOf(joint);
        for (let i = 0; i < 13; i++) {
            const q = rest.q.slice();
            q[joint.index] = low + i / 12 * (high - low);
            questions.push(q);
            answers.push(loops.solve(q, joint.index));
        }
        const home = loops.solve(rest.q, joint.index);
        if (!home.closed || home.q.some((value, i) => Math.abs(value - rest.q[i]) > 1e-6))
            fail(`${shortName(file)}: joint ${joint.name} does not come back`);
    }
    let stopped = 0;
    askPoses(file, questions).forEach((want, i) => {
        const { q, closed, residual } = answers[i];
        note('gap', residual);
        if (!(residual <= 1e-6))
            fail(`${shortName(file)}: loops are open by ${residual}`);
        if (closed !== (want !== undefined))
            fail(`${shortName(file)}: ${closed ? 'followed' : 'not followed'}, unlike the library: question ${i}`);
        stopped += closed ? 0 : 1;
        const off = want && closed ? apart(posesOf(cell, q), want, sizeOf(want)) : 0;
        note('closed', off);
        if (!(off <= 1e-6))
            fail(`${shortName(file)}: question ${i}: poses are ${off} off`);
    });
    return { count: questions.length, stopped };
}

let poses = 0, solved = 0, stopped = 0;
for (const input of [...inputs(), ...devices])
    for (const settings of [[], ['web=yes']]) {
        const cell = readCell(convert(input, workFile('cell.glb'), ...settings));
        if (cell.joints.length === 0)
            continue;
        if (cell.loops.length === 0) {
            poses += checkForward(input, cell);
        } else {
            const start = performance.now(), found = checkLoops(input, cell);
            solved += found.count;
            stopped += found.stopped;
            console.log(`${shortName(input)} ${settings}: ${found.count} poses, ${found.stopped} not followed, ${Math.round(performance.now() - start)} ms`);
        }
    }
finish(`${poses} poses within ${worst.open.toExponential(1)}; ${solved} of loops within ${worst.closed.toExponential(1)}, closed within ` +
    `${worst.gap.toExponential(1)}, ${stopped} not followed`);
