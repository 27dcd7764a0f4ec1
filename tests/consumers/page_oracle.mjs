// What the tests of pages compare with: the library's own poses (tests/tools/poses.c), and how far loops are from
// closed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { convert, fields, identity, multiply, program, workFile, words } from './lib.mjs';

const tool = path.join(path.dirname(program), 'tests/poses');

// The answers, a line each, to questions of poses.c.
export function askLines(file, questions) {
    const { stdout, status } = spawnSync(tool, [file], {
        input: questions.join('\n') + '\n',
        encoding: 'utf8',
        maxBuffer: 1 << 28,
    });
    const lines = stdout.trim().split('\n');
    if (status !== 0 || lines.length !== questions.length)
        throw new Error(`poses of ${file}: status ${status}, ${lines.length} of ${questions.length} answers`);
    return lines;
}

// Poses by id at each question: "joints Q..." or "clip INDEX TIME"; undefined where loops do not close. The tool ends
// at the first of those, so it is asked again for the rest.
export function askPoses(file, ids, questions) {
    const answers = [];
    while (answers.length < questions.length) {
        const { stdout, status } = spawnSync(tool, [file], {
            input: questions.slice(answers.length).join('\n') + '\n',
            encoding: 'utf8',
            maxBuffer: 1 << 30,
        });
        const lines = stdout.split('\n').slice(0, -1);
        if (lines.length === 0 || (status === 0 && lines.length < questions.length - answers.length))
            throw new Error(
                `poses of ${file}: status ${status}, ${lines.length} lines for ${questions.length} questions`
            );
        for (const line of lines) {
            const numbers = line.trim().split(/\s+/).map(Number);
            answers.push(
                line.trim() ? new Map(ids.map((id, i) => [id, numbers.slice(12 * i, 12 * i + 12)])) : undefined
            );
        }
    }
    return answers;
}

// The size of the cell: the longest way between frames, at least 0.1 m.
export function sizeOf(poses) {
    const at = [...poses.values()].map(m => [m[3], m[7], m[11]]);
    return Math.max(
        0.1,
        ...[0, 1, 2].map(k => Math.max(...at.map(point => point[k])) - Math.min(...at.map(point => point[k])))
    );
}

// The largest difference between the poses of a page (an object by id) and those wanted (a Map): places in parts of the
// cell's size, directions as they are. Returns [difference, id].
export function farthest(got, wanted) {
    const size = sizeOf(wanted);
    let most = [0, ''];
    for (const [id, pose] of wanted) {
        const off = got[id]
            ? Math.max(...pose.map((value, i) => Math.abs(value - got[id][i]) / (i % 4 === 3 ? size : 1)))
            : Infinity;
        if (!(off <= most[0])) most = [off, id];
    }
    return most;
}

// ---- loops: cp_loop_type in scene/cellpipe.h says what coincides in each ----

export function readLoops(file) {
    const dump = workFile('loops.dump');
    convert(file, dump, 'summary=yes');
    const lines = fs.readFileSync(dump, 'utf8').split('\n');
    return lines
        .filter(line => line.startsWith('loop '))
        .map(line => {
            const tokens = words(line),
                found = fields(tokens, ['type', 'nodes', 'first', 'second', 'length']);
            const pose = key => (found[key] ? found[key].slice(0, 12).map(token => Number(token.word)) : identity);
            return {
                id: tokens[1].text,
                type: found.type[0].word,
                nodes: found.nodes.slice(0, 2).map(token => token.text),
                poses: [pose('first'), pose('second')],
                length: found.length ? Number(found.length[0].word) : 0,
            };
        });
}

const column = (m, k) => [m[k], m[4 + k], m[8 + k]];
const minus = (a, b) => a.map((value, i) => value - b[i]);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

// How far a loop is from closed at the poses of a page: metres in parts of `size`, and lengths of differences of axes.
export function gapOf({ type, nodes, poses, length }, shown, size) {
    const [one, other] = nodes.map((id, i) => multiply(shown[id], poses[i]));
    const way = minus(column(other, 3), column(one, 3)),
        [x, y, z] = [0, 1, 2].map(k => Math.hypot(...minus(column(one, k), column(other, k))));
    const along = dot(way, column(one, 2)),
        apart = Math.hypot(...way) / size,
        aside = Math.hypot(...way.map((value, k) => value - along * one[4 * k + 2])) / size;
    switch (type) {
        case 'spherical':
            return apart;
        case 'revolute':
            return Math.max(apart, z);
        case 'universal':
            return Math.max(apart, Math.abs(dot(column(one, 2), column(other, 2))));
        case 'cylindrical':
            return Math.max(aside, z);
        case 'prismatic':
            return Math.max(aside, z, x);
        case 'fixed':
            return Math.max(apart, x, y, z);
        default:
            return Math.abs(Math.hypot(...way) - length) / size;
    }
}
