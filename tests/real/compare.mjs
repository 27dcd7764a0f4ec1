/* compare.mjs OUT FOLDER [JSON]: what run.sh has made of a folder. Reads the logs of the four batches, and inputs
 * and outputs by readers of its own (readers/), which share nothing with cellpipe. Asks Khronos' validator where it is
 * installed, and assimp's command line for the shape of what has no reader here. JSON gets a line for each file. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { familyOf, isReadable, readGlbLook, readLook, readStlLook, readVrml97Look } from './readers/index.mjs';
import { Refused } from './readers/look.mjs';
import { isTold, lookDiffers, shapeDiffers, untold } from './verdict.mjs';

const [out, folder, json] = process.argv.slice(2);
const outputs = { glb: readGlbLook, web: readGlbLook, wrl: readVrml97Look, stl: readStlLook };
const kinds = Object.keys(outputs);

// ---- who else is asked ----

const has = program => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const hasAssimp = has('assimp');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cellpipe-real-'));

// The look of what assimp writes as STL, or null. Its unit and axes may be others: the caller compares shapes.
function askAssimp(input) {
    const file = path.join(work, 'peer.stl');
    fs.rmSync(file, { force: true });
    if (!hasAssimp || /\.gz$/i.test(input))
        return null;
    spawnSync('assimp', ['export', input, file, '-fstlb'], { timeout: 30000, stdio: 'ignore' });
    try {
        const look = readStlLook(file);
        return look.triangles > 0 ? look : null;
    } catch {
        return null;
    }
}

let validator = null;
try {
    validator = createRequire(path.join(import.meta.dirname, '../consumers/package.json'))('gltf-validator');
} catch {
    console.log('without the validator: npm install in tests/consumers');
}
async function errorsOf(file) {
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 1000 });
    return issues.messages.filter(message => message.severity === 0);
}

// An error of the output that a glTF input has not, too, or nothing.
async function validate(file, input) {
    if (!validator)
        return '';
    const errors = await errorsOf(file);
    const before = errors.length && /\.(gltf|glb)$/i.test(input) ? await errorsOf(input).catch(() => []) : [];
    const own = errors.find(error => !before.some(({ code }) => code === error.code));
    return own ? `${own.code} ${own.message}` : '';
}

// ---- comparisons ----

const sizeOf = look => look.upper.map((value, i) => Math.max(0, value - look.lower[i])).sort((a, b) => a - b);

// By shape: the peer may take another unit and other axes.
function comparePeer(ours, peer) {
    const a = sizeOf(ours), b = sizeOf(peer), unit = b[2] / a[2];
    const say = text => [{ part: 'area', text: `assimp: ${text}` }];
    if (a.some((size, i) => Math.abs(size * unit - b[i]) > 2e-3 * b[2]))
        return say(`size ${b}, ours ${a}`);
    return Math.abs(ours.area * unit * unit - peer.area) <= 5e-3 * peer.area ? []
        : say(`${peer.triangles} triangles of area ${peer.area / unit / unit}, ours ${ours.triangles} of ${ours.area}`);
}

// STL holds 5 bits of a channel and nothing else, VRML97 no colours below textures; a web GLB has vertex
// colours of 8 bits in linear light, which are coarse where it is dark.
const lookOptions = { web: { tones: 0.1, exact: false }, wrl: { tones: 0.01, under: false, exact: false },
    stl: { tones: 0.19, only: ['colours'] } };

// Colours of faces become materials of 8 bits a channel: half a step in three channels moves that much of the area.
const inputOptions = { OFF: { tones: 0.024 }, PLY: { tones: 0.024 } };

/* Where outputs differ from one another: shapes and looks. STL carries whole coordinates in its own unit; its bounds are
 * those of the scene all the same, in the unit of the source. */
function compareOutputs(of, looks) {
    const shape = [], look = [];
    for (const kind of kinds.slice(1)) {
        const web = kind === 'web', scale = kind === 'stl' ? stlUnit(of, looks) : 1;
        const options = web ? { slack: 2e-3, tolerance: 0.01, fewer: true } : {};
        const named = faults => faults.filter(fault => !isTold(fault.part, of[kind]))
            .map(fault => ({ ...fault, text: `${kind}: ${fault.text}` }));
        const faults = shapeDiffers(looks.glb, scaled(looks[kind], scale), options)
            .filter(fault => fault.part !== 'lines' || kind === 'wrl');
        shape.push(...named(faults));
        look.push(...named(lookDiffers(looks.glb, looks[kind], lookOptions[kind])));
    }
    return { shape, look };
}

// An STL may be in the unit of the STL that was read: known by the ratio of sizes.
function stlUnit(of, looks) {
    const a = sizeOf(looks.glb)[2], b = sizeOf(looks.stl)[2], ratio = b > 0 ? a / b : 1;
    return [1, 0.001, 0.01, 0.0254, 0.3048].find(unit => Math.abs(ratio - unit) < 1e-3 * unit) ?? 1;
}
const scaled = (look, s) => s === 1 ? look : { ...look, area: look.area * s * s, fans: look.fans * s * s,
    volume: look.volume * s ** 3, lower: look.lower.map(value => value * s), upper: look.upper.map(value => value * s) };

// What its own record tells of an output without triangles.
function isSilent(record, look) {
    const isEmptyCell = record.triangles_in === 0 && /^(tag|deneb-)/.test(record.formats?.[0] ?? '');
    const told = record.losses.some(text => text.startsWith('nothing-drawn'));
    return look.triangles + look.lines === 0 && !isEmptyCell && !told;
}

// The look of an input, by our readers: { look }, { refused } or { failed } with the reason, or nothing without a reader.
function readInput(input) {
    if (!isReadable(input))
        return {};
    try {
        return { look: readLook(input, folder) };
    } catch (error) {
        return error instanceof Refused ? { refused: error.message } : { failed: error.stack.split('\n').slice(0, 2).join(' ') };
    }
}

// ---- the verdict on one file ----

let asked = 0, valid = 0;

function judgeFailure(of, failed, input) {
    const record = of[failed[0]], text = `${failed.length < 4 ? failed.join(' ') + ': ' : ''}${record.code}: ${record.message}`;
    const drawn = input.look && input.look.triangles + input.look.lines > 0;
    if (drawn)
        return { verdict: 'needless', text };
    return { verdict: input.failed || !('look' in input || 'refused' in input) ? 'unjudged' : 'refused', text };
}

async function judgeOutputs(name, of, input) {
    const looks = Object.fromEntries(kinds.map(kind => [kind, outputs[kind](of[kind].out)]));
    const silent = kinds.filter(kind => isSilent(of[kind], looks[kind]));
    const result = { verdict: 'agree', text: '', input: input.look, glb: looks.glb, shape: [], look: [], told: [] };
    if (silent.length)
        return { ...result, verdict: 'empty', text: `${silent.join(' ')}: nothing is drawn, and nothing says so` };
    Object.assign(result, compareOutputs(of, looks));
    for (const kind of ['glb', 'web']) {
        const issue = await validate(of[kind].out, name);
        valid += validator ? 1 : 0;
        if (issue)
            result.shape.push({ part: 'validity', text: `${kind} is not valid: ${issue}` });
    }
    if (input.look) {
        const faults = { shape: shapeDiffers(input.look, looks.glb),
            look: lookDiffers(input.look, looks.glb, inputOptions[familyOf(name)]) };
        for (const part of ['shape', 'look'])
            for (const fault of faults[part])
                (isTold(fault.part, of.glb) ? result.told : result[part]).push({ ...fault, text: `input: ${fault.text}` });
        result.look.push(...untold(input.look, of.glb).map(key => ({ part: 'words', text: `no word of: ${key}` })));
    } else if (input.refused || input.failed) {
        return { ...result, verdict: 'unjudged', text: `read, but our reader says: ${input.refused ?? input.failed}` };
    } else if (looks.glb.triangles && !of.stl.losses.some(text => text.startsWith('assimp-subdivision'))) {
        const peer = askAssimp(name);
        asked += peer ? 1 : 0;
        result.shape.push(...peer ? comparePeer(looks.stl, peer) : []);
    }
    const clean = input.look ? 'agree' : 'outputs';
    const worst = result.shape.length ? 'wrong' : result.look.length ? 'look' : result.told.length ? 'told' : clean;
    return { ...result, verdict: worst, text: [...result.shape, ...result.look, ...result.told].map(fault => fault.text).join('; ') };
}

async function judge(name, of) {
    const dead = kinds.filter(kind => /crashed|timeout|memory|missing/.test(of[kind]?.state ?? 'missing'));
    const failed = kinds.filter(kind => of[kind]?.state === 'failed');
    if (dead.length)
        return { verdict: 'crashed', text: `${dead[0]}: ${of[dead[0]]?.state} ${of[dead[0]]?.message ?? ''}` };
    const input = readInput(name);
    if (failed.length)
        return judgeFailure(of, failed, input);
    try {
        return await judgeOutputs(name, of, input);
    } catch (error) {
        return { verdict: 'wrong', text: `cannot be compared: ${error.stack.split('\n').slice(0, 2).join(' ')}` };
    }
}

// ---- all files, and the table ----

const records = new Map();
for (const kind of kinds) {
    for (const line of fs.readFileSync(path.join(out, `${kind}.jsonl`), 'utf8').split('\n')) {
        const record = line.startsWith('{"root"') ? JSON.parse(line) : { state: 'skipped' };
        if (record.state === 'skipped') // of a kept folder: the line of an earlier run tells more
            continue;
        const input = path.join(folder, record.name);
        record.out = path.join(out, kind, record.out);
        records.set(input, { ...records.get(input), [kind]: record });
    }
}

const verdicts = ['agree', 'outputs', 'told', 'look', 'wrong', 'needless', 'refused', 'unjudged', 'crashed', 'empty'];
const none = () => Object.fromEntries(verdicts.map(verdict => [verdict, 0]));
const table = new Map(), counts = none(), lines = [];
for (const [input, of] of [...records].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
    const family = familyOf(input), result = await judge(input, of);
    if (!table.has(family))
        table.set(family, none());
    table.get(family)[result.verdict]++;
    counts[result.verdict]++;
    lines.push(JSON.stringify({ file: path.relative(folder, input), format: family, ...result }));
    if (!/agree|outputs/.test(result.verdict))
        console.log(`${result.verdict.padEnd(8)} ${input}: ${result.text}`);
}
fs.rmSync(work, { recursive: true });
if (json)
    fs.writeFileSync(json, lines.map(line => line + '\n').join(''));

const columns = ['format', 'files', 'shape and look agree', 'outputs agree, no reader of the input', 'differs, and says so',
    'look wrong', 'shape wrong', 'needless refusal', 'refused rightly', 'not judged', 'crashed', 'empty'];
console.log(`\n| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
for (const [family, row] of [...table].sort((a, b) => a[0] < b[0] ? -1 : 1))
    console.log(`| ${family} | ${verdicts.reduce((sum, verdict) => sum + row[verdict], 0)} | ` +
        verdicts.map(verdict => row[verdict]).join(' | ') + ' |');
console.log(`\n${records.size} files: ${counts.agree} agree, of ${counts.outputs} the outputs agree, ` +
    `${counts.told} differ and say so, ${counts.look} look wrong, ${counts.wrong} have a wrong shape, ${counts.needless} ` +
    `refused without need, ${counts.refused + counts.unjudged} refused or not judged, ${counts.crashed} crashed, ${counts.empty} empty without a word; ${asked} compared with assimp, ` +
    `${valid} GLB validated`);
process.exit(records.size > 0 && counts.wrong + counts.look + counts.crashed === 0 &&
    counts.empty <= Number(process.env.EMPTY ?? 0) ? 0 : 1);
