// The page's joints and loops (page/motion.js, formula.js, loops.js, without a browser) against the library's own poses: forward kinematics
// of all samples, formulas, and closed loops, which the page follows from slider to slider.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { convert, fail, finish, inputs, program, root, run, shortName, skip, workFile } from './lib.mjs';
import { loadModules, readBuffer } from './page_modules.mjs';

const page = loadModules('meshopt', 'formula', 'motion', 'loops');
const tool = path.join(path.dirname(program), 'tests/poses');
if (!fs.existsSync(tool))
    skip('the page\'s motion needs the tool poses (cmake --build ... --target poses)');

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

function checkForward(name, file, cell, tolerance) {
    const questions = Array.from({ length: 20 }, () => cell.joints.map(({ range: [low, high] }) => low + random() * (high - low)));
    askPoses(file, questions).forEach((want, i) => {
        const off = want ? apart(posesOf(cell, questions[i]), want, sizeOf(want)) : Infinity;
        note('open', off);
        if (!(off <= tolerance))
            fail(`${name}: poses are ${off} off`);
    });
    return questions.length;
}

// ---- loops ----

const isDriven = ({ driven, dependent, type }) => driven && !dependent && type !== 'fixed';

// Questions, each asked from the cell's own pose or from where the page is; the library always goes from the cell's own.
function compareLoops(name, file, cell, asked) {
    const answers = asked.map(({ answer }) => answer), stops = [];
    askPoses(file, asked.map(({ q }) => q)).forEach((want, i) => {
        const { q, closed, residual } = answers[i];
        note('gap', residual);
        if (!(residual <= 1e-6))
            fail(`${name}: loops are open by ${residual}`);
        if (closed !== (want !== undefined))
            fail(`${name}: ${closed ? 'followed' : 'not followed'}, unlike the library: question ${i}, ${asked[i].q}`);
        if (!closed)
            stops.push(answers[i]);
        const off = want && closed ? apart(posesOf(cell, q), want, sizeOf(want)) : 0;
        note('closed', off);
        if (!(off <= 1e-6))
            fail(`${name}: question ${i}: poses are ${off} off`);
    });
    return stops;
}

// Each driven joint goes from its value to its lower limit, through its range and back, the others as they are; then all go at once. Where
// the page cannot go on, the library cannot either: it comes within a
// hundredth of the joint's range to the page's stop, and not so far behind it.
function checkLoops(name, file, cell) {
    const loops = page.makeLoops(cell), rest = loops.start(cell.joints.map(joint => joint.q)), asked = [], ends = [];
    const movers = cell.joints.filter(isDriven);
    const ask = (q, changed) => {
        asked.push({ q, answer: loops.solve(q, changed) });
        return asked.at(-1).answer;
    };
    if (!rest.closed)
        fail(`${name}: does not close as it stands: ${rest.residual}`);
    for (const joint of movers) {
        const [low, high] = joint.range;
        for (let i = 0; i < 13; i++) {
            const q = rest.q.slice();
            q[joint.index] = low + i / 12 * (high - low);
            const answer = ask(q, joint.index), stop = answer.q[joint.index], behind = Math.sign(q[joint.index] - stop) * 1e-2 * (high - low);
            if (!answer.closed && (q[joint.index] - stop - behind) / behind > 0) // else the end is nearer
                for (const isBehind of [false, true]) {
                    const there = answer.q.slice();
                    there[joint.index] += isBehind ? behind : -behind;
                    ends.push({ q: there, isBehind });
                }
        }
        const home = loops.solve(rest.q, joint.index);
        if (!home.closed || home.q.some((value, i) => Math.abs(value - rest.q[i]) > 1e-6))
            fail(`${name}: joint ${joint.name} does not come back`);
    }
    for (let i = 0; i < 13; i++) {
        loops.solve(rest.q);
        ask(rest.q.map((value, k) => {
            const { range: [low, high] } = cell.joints[k];
            return movers.includes(cell.joints[k]) ? Math.min(high, Math.max(low, value + 0.3 * (random() - 0.5) * (high - low))) : value;
        }));
    }
    const stops = compareLoops(name, file, cell, asked);
    askPoses(file, ends.map(({ q }) => q)).forEach((want, i) => {
        if ((want === undefined) !== ends[i].isBehind)
            fail(`${name}: the library ${want ? 'goes on behind the end' : 'does not reach the end'} at ${ends[i].q}`);
    });
    return { count: asked.length, stops: stops.length };
}

// One slider moves all legs of a hexapod, and its platform.
function checkHexapod() {
    const cell = readCell(convert(path.join(samples, 'mechanisms/hexapod.dcr'), workFile('hexapod.glb'))), loops = page.makeLoops(cell);
    const joint = cell.joints.find(({ name }) => name === 'J1'), before = loops.start(cell.joints.map(({ q }) => q)), q = before.q.slice();
    q[joint.index] += 0.01;
    const after = loops.solve(q, joint.index), still = cell.joints.filter(({ isFree, index }) => isFree && Math.abs(after.q[index] - before.q[index]) < 1e-4);
    if (!after.closed || after.q[joint.index] !== q[joint.index] || still.length > 0)
        fail(`the hexapod does not follow: ${still.map(({ name }) => name)}`);
    q[joint.index] = 1;
    const stop = loops.solve(q, joint.index);
    if (stop.closed || stop.residual > 1e-6 || !(stop.q[joint.index] > 0.02 && stop.q[joint.index] < 0.06))
        fail(`the hexapod does not stop: J1 at ${stop.q[joint.index]}`);
}

// Four bars of random lengths, parallelograms, parallelograms whose sides cross, and such as are nearly one or the other. The crank goes to
// random angles: over the places where all pins are in a line, too, or past those where two assemblies come near each other.
function checkLinkages() {
    const matrix = (x, y) => `MATRIX 1 0 0 0  0 1 0 0  0 0 1 0  ${x} ${y} 0 1`, degrees = angle => angle * 180 / Math.PI;
    let count = 0, stops = 0;
    for (let number = 0; number < 40; number++) {
        const kind = ['any', 'parallel', 'crossed', 'nearly parallel', 'nearly crossed'][number % 5], turn = 0.4 + 2 * random(), a = 60 + 100 * random(), d = a + 60 + 100 * random();
        const crank = [a * Math.cos(turn), a * Math.sin(turn)];
        let tip = [crank[0] + d, crank[1]];
        if (kind === 'any')
            tip = [50 + 300 * random(), 50 + 200 * random()];
        if (kind.endsWith('crossed')) { // the mirror image beside the diagonal
            const along = [crank[0] - d, crank[1]], square = along[0] ** 2 + along[1] ** 2, part = ((tip[0] - d) * along[0] + tip[1] * along[1]) / square;
            tip = [2 * (d + part * along[0]) - tip[0], 2 * part * along[1] - tip[1]];
        }
        if (kind.startsWith('nearly'))
            tip = tip.map(value => value + 0.5 * (random() - 0.5)); // mm
        const b = Math.hypot(tip[0] - crank[0], tip[1] - crank[1]), c = Math.hypot(tip[0] - d, tip[1]);
        const coupler = Math.atan2(tip[1] - crank[1], tip[0] - crank[0]) - turn, rocker = Math.atan2(tip[1], tip[0] - d), file = workFile('linkage.dcd');
        fs.writeFileSync(file, ['DCT DEVICE 1.1', 'UNIT mm', 'ANGLE deg', 'DEVICE "four bar"', 'PART "base" ATTACH 1', 'PART "crank" ATTACH 1',
            `PART "coupler" ATTACH 001 ${matrix(a, 0)}`, `PART "rocker" ATTACH 00 ${matrix(d, 0)}`,
            `JOINT "drive" PART 1 TYPE ROTATE_Z INIT ${degrees(turn)}`, `JOINT "coupler" PART 2 TYPE ROTATE_Z INIT ${degrees(coupler)} FREE`,
            `JOINT "rocker" PART 3 TYPE ROTATE_Z INIT ${degrees(rocker)} FREE`,
            `LOOP "pin" TYPE REVOLUTE PART 2 ${matrix(b, 0)}`, `PART 3 ${matrix(c, 0)}`, 'END', ''].join('\n'));
        const cell = readCell(convert(file, workFile('linkage.glb'), 'clips=none')), loops = page.makeLoops(cell), asked = [];
        const rest = loops.start(cell.joints.map(joint => joint.q));
        for (let i = 0; i < 12; i++) {
            const q = [i % 4 === 3 ? [0, Math.PI, -Math.PI][i >> 2] : rest.q[0] + 10 * (random() - 0.5), 0, 0];
            loops.start(rest.q);
            asked.push({ q, answer: loops.solve(q, 0) });
        }
        stops += compareLoops(`${kind} linkage ${number}`, file, cell, asked).length;
        count += asked.length;
    }
    return { count, stops };
}

// A ball as three turns, whose second one is at 90 degrees: a tilt across it needs a quarter turn of both others before.
function checkBall(isLocked) {
    const file = workFile('ball.dcd');
    fs.writeFileSync(file, ['DCT DEVICE 1.1', 'UNIT mm', 'ANGLE deg', 'DEVICE "ball"', 'PART "base" ATTACH 1', 'PART "crank" ATTACH 01', 'PART "body" ATTACH 00',
        `JOINT "drive" PART 1 TYPE ROTATE_Y INIT ${isLocked ? 90 : 0}`, 'JOINT "side" PART 1 TYPE ROTATE_Z', 'JOINT "x" PART 2 TYPE ROTATE_Z FREE',
        `JOINT "y" PART 2 TYPE ROTATE_Y INIT ${isLocked ? 90 : 0} FREE`, 'JOINT "z" PART 2 TYPE ROTATE_X FREE', 'LOOP "held" TYPE FIXED PART 1', 'PART 2', 'END', ''].join('\n'));
    const cell = readCell(convert(file, workFile('ball.glb'), 'clips=none')), loops = page.makeLoops(cell), frames = cell.nodes.filter(node => node.isFrame);
    const [crank, body] = ['crank', 'body'].map(name => frames.findIndex(node => node.name.startsWith(name)));
    const start = loops.start(cell.joints.map(joint => joint.q)).q;
    for (const [side, drive] of [[0, 90], [10, 90], [10, 120], [-40, 90], [170, 90], [170, -90], [0, 0]]) {
        const q = start.slice(), [first, second] = ['drive', 'side'].map(name => cell.joints.findIndex(joint => joint.name === name));
        q[first] = drive * Math.PI / 180;
        q[second] = side * Math.PI / 180;
        const answer = loops.solve(q), poses = posesOf(cell, answer.q), poseOf = frame => poses.slice(12 * frame, 12 * frame + 12);
        if (!answer.closed || !(apart(poseOf(body), poseOf(crank), 1) <= 1e-6) || answer.q[first] !== q[first] || answer.q[second] !== q[second])
            fail(`a ball is not turned to ${side} and ${drive} degrees`);
    }
}

// ---- formulas ----

const formulas = ['dof(1)', '-2^2', '2^-1', '2^3^2', '1-2-3', '48/4/2', '2*-3', '-dof(1)*-dof(2)', '+3-+4', '.5*dof(1)', '1.e1', '2.5E-1+1e+1',
    'SIN(dof(1))*cos(DOF(2))', 'tan(dof(1)/3)', 'asin(dof(2)/200)', 'acos(dof(2)/200)', 'atan(dof(1))', 'atan2(dof(2), dof(1)+400)',
    'sqrt(dof(2)+200)', 'abs(dof(1))', 'min(dof(1), dof(2), 7)', 'max(1,dof(1),dof(2),-5)', 'pi*dof(1)', '((dof(1)))', 'min(1, 2)^max(2,3)',
    'dof( 1 )\t+ dof(2)', '100/dof(2)', 'sqrt(dof(1))', '1/(1/(dof(2)-dof(1)))', 'dof(2)^0.5', '(dof(1)-dof(2))^3', '10^(dof(1)*10)', '-(3)^-2',
    '-dof(2)^2/100', '2*3^2*2', '5*(4-(3-(2-1)))', 'atan2(-1,-1)', '4-2*3/4+1', '1e-3*dof(2)^2', 'abs(-dof(1))^.5'];
const faulty = ['', '1+', '1 2', '2pi', 'sine(1)', 'sin 1', 'sin(1', 'sin(1,2)', 'min(1)', 'atan2(1,2,3)', 'dof(x)', 'dof(0)', 'dof(3)', 'dof(1',
    'dof(1.5)', '(1', '1)', '--1', '1*/2', '1e', '..5', '2**3', '&', `${'('.repeat(70)}1${')'.repeat(70)}`, `1${'+1'.repeat(600)}`, 'dof1', 'pi()'];

// A device with a joint a formula: how far it slides is the value. Two joints turn and slide by themselves.
function writeDevice(name, texts) {
    const lines = ['DCT DEVICE 1.1', 'UNIT mm', 'ANGLE deg', 'DEVICE "d"', 'PART "base" ATTACH 1', 'PART "turning" ATTACH 01', 'PART "sliding" ATTACH 01',
        ...texts.map((_, i) => `PART "p${i}" ATTACH ${i + 1 < texts.length ? '01' : '00'}`),
        'JOINT "a" PART 1 TYPE ROTATE_Z INIT 20 LOWER -180 UPPER 180', 'JOINT "b" PART 2 TYPE TRANS_X INIT 30 LOWER -100 UPPER 100',
        ...texts.map((text, i) => `JOINT "f${i}" PART ${i + 3} TYPE TRANS_Z VALUE "=${text}"`), 'END', ''];
    fs.writeFileSync(workFile(name), lines.join('\n'));
    return workFile(name);
}

function checkFormulas() {
    const file = writeDevice('formulas.dcd', formulas), cell = readCell(convert(file, workFile('formulas.glb'))), [turning, sliding] = cell.joints;
    if (cell.joints.filter(joint => joint.evaluate).length < formulas.length - 12) // what has no dof is a number, not a formula
        fail('formulas are lost on the way to the page');
    const questions = Array.from({ length: 50 }, () => cell.joints.map(joint => (joint === turning ? 6 * random() - 3 : joint === sliding ? 0.2 * random() - 0.1 : 0)));
    questions[1][sliding.index] = questions[2][turning.index] = 0;
    let undefinedOnes = 0;
    askPoses(file, questions).forEach((want, i) => {
        const frames = cell.nodes.filter(node => node.isFrame), values = page.jointValues(cell, questions[i]);
        formulas.forEach((text, k) => {
            const joint = cell.joints.find(({ name }) => name === `f${k}`), frame = frames.findIndex(node => node.tail === joint.node);
            const value = want[12 * frame + 11], off = Math.abs(values[joint.index] - value) / Math.max(1, Math.abs(value));
            note('formula', off);
            undefinedOnes += value === 0 && joint.evaluate ? 1 : 0;
            if (!(off <= 1e-9))
                fail(`${text} at ${questions[i].slice(0, 2)}: ${values[joint.index]}, not ${value}`);
        });
    });
    if (undefinedOnes < 10)
        fail('no formula is without a value somewhere');
}

// The page refuses what the program refuses, with the same words.
function checkFaults() {
    for (const text of faulty) {
        let fault = 'nothing';
        try {
            page.compileFormula(text, { inputs: [0, 1], factors: [1, 1] });
        } catch (error) {
            fault = error.message.replace(/, at character .*/, '');
        }
        const { stderr } = run(program, 'info', writeDevice('faulty.dcd', [text]));
        if (fault === 'nothing' || !stderr.includes(` ${fault}`))
            fail(`the fault of "${text.slice(0, 80)}" is ${fault}, not that of ${stderr}`);
    }
}

// The range of a formula's joint is what its sweeps reach, with these clips in the file and without.
function checkRanges() {
    const file = path.join(samples, 'deneb/welding/weld.dcr');
    const [told, sampled] = [[], ['clips=none']].map(settings => readCell(convert(file, workFile('ranges.glb'), ...settings)).joints);
    const following = told.filter(joint => joint.evaluate);
    for (const { index, name, range: [low, high] } of following) {
        const [least, most] = sampled[index].range;
        if (!(high - low > 0.1) || !(Math.abs(least - low) + Math.abs(most - high) < 0.01 * (high - low)))
            fail(`${name} goes from ${low} to ${high}, or from ${least} to ${most}`);
    }
    if (following.length !== 4)
        fail(`${following.length} joints of the welding cell follow formulas`);
}

checkFormulas();
checkFaults();
checkRanges();
checkHexapod();
checkBall(false);
checkBall(true);
let { count: solved, stops } = checkLinkages(), poses = 0;
for (const input of [...inputs(), ...devices])
    for (const settings of process.env.CELLPIPE_LONG || input.includes('hexapod') ? [[], ['web=yes']] : [[]]) {
        const file = convert(input, workFile('cell.glb'), ...settings), cell = readCell(file), name = `${shortName(input)} ${settings}`;
        const isExact = settings.length === 0 && !fs.readFileSync(file, 'latin1').includes('"pose":'); // TRS says all
        if (cell.joints.length > 0 && cell.loops.length === 0)
            poses += checkForward(name, input, cell, isExact ? 1e-9 : 1e-6);
        if (cell.loops.length === 0 || (settings.length > 0 && !input.includes('hexapod')))
            continue;
        const found = checkLoops(name, input, cell);
        solved += found.count;
        stops += found.stops;
    }
finish(`${poses} poses within ${worst.open.toExponential(1)}; ${solved} of loops within ${worst.closed.toExponential(1)}, closed within ` +
    `${worst.gap.toExponential(1)}, ${stops} stops; ${formulas.length} formulas within ${worst.formula.toExponential(1)}, ${faulty.length} faults`);
