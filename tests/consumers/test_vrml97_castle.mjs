// Castle's converter (package view3dscene) reads every .wrl without a word: it always exits with 0, so only an empty
// standard error counts. Of the corpus' robot it reads all faces, in the place where the STL files' own bytes have them.
import fs from 'node:fs';
import path from 'node:path';
import { available, convert, fail, finish, inputs, near, run, shortName, skip, workFile } from './lib.mjs';

if (!available('tovrmlx3d'))
    skip('consumers/test_vrml97_castle needs tovrmlx3d (apt-get install view3dscene)');
let count = 0;

function read(file, what) {
    count++;
    const { stdout, stderr } = run('tovrmlx3d', file, '--encoding', 'xml');
    if (stderr !== '')
        fail(`${what}: ${stderr.slice(0, 300)}`);
    if (!stdout.includes('<Scene>'))
        fail(`${what}: nothing came out`);
    return stdout;
}

const numbers = (text, name) => [...text.matchAll(new RegExp(`\\b${name}="([^"]*)"`, 'g'))].flatMap(match => match[1].trim().split(/[\s,]+/).map(Number));

function boundsOf(points) {
    const columns = [0, 1, 2].map(k => points.filter((_, i) => i % 3 === k));
    return [columns.map(column => column.reduce((a, b) => Math.min(a, b))), columns.map(column => column.reduce((a, b) => Math.max(a, b)))];
}

// The corners of a binary STL file, read by nothing of ours.
function cornersOf(file) {
    const bytes = fs.readFileSync(file), count = bytes.readUInt32LE(80), corners = [];
    if (bytes.length !== 84 + 50 * count)
        fail(`${shortName(file)} is not binary STL`);
    for (let facet = 0; facet < count; facet++)
        for (let i = 0; i < 9; i++)
            corners.push(bytes.readFloatLE(84 + 50 * facet + 12 + 4 * i));
    return corners;
}

let partCount = 0, faceCount = 0;

function comparePart(file, text) {
    const corners = cornersOf(file), faces = numbers(text, 'coordIndex').filter(index => index === -1).length;
    const want = boundsOf(corners), got = boundsOf(numbers(text, 'point')), size = Math.max(...want.flat().map(Math.abs));
    if (faces !== corners.length / 9)
        fail(`${shortName(file)}: ${faces} faces, not ${corners.length / 9}`);
    if (!near(got, want, 1e-6 * size))
        fail(`${shortName(file)}: from ${got}, not ${want}`);
    partCount++;
    faceCount += faces;
}

for (const input of inputs()) {
    const text = read(convert(input, workFile('single.wrl')), shortName(input));
    if (input.includes('abb_irb120'))
        comparePart(input, text);
    const folder = workFile('inline');
    fs.mkdirSync(folder);
    read(convert(input, path.join(folder, 'cell.wrl'), 'layout=inline'), `${shortName(input)} (inline)`);
    for (const part of fs.readdirSync(folder, { recursive: true }).filter(name => /\/.*\.wrl$/.test(name)))
        read(path.join(folder, part), `${shortName(input)}: ${part}`);
    fs.rmSync(folder, { recursive: true });
}
for (const name of ['packed.wrz', 'packed.wrl.gz'])
    read(convert(inputs()[0], workFile(name)), name);
if (partCount > 0 && (partCount !== 14 || faceCount !== 40718))
    fail(`the IRB120 has ${partCount} parts and ${faceCount} faces, not 14 and 40718`);
finish(`${count} files, ${faceCount} faces compared`);
