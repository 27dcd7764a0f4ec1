// Castle's converter (package view3dscene) reads every .wrl without a word: it always exits with 0, so only an empty
// standard error counts.
import fs from 'node:fs';
import path from 'node:path';
import { available, convert, fail, finish, inputs, run, shortName, skip, workFile } from './lib.mjs';

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
}

for (const input of inputs()) {
    read(convert(input, workFile('single.wrl')), shortName(input));
    const folder = workFile('inline');
    fs.mkdirSync(folder);
    read(convert(input, path.join(folder, 'cell.wrl'), 'layout=inline'), `${shortName(input)} (inline)`);
    for (const part of fs.readdirSync(folder, { recursive: true }).filter(name => /\/.*\.wrl$/.test(name)))
        read(path.join(folder, part), `${shortName(input)}: ${part}`);
    fs.rmSync(folder, { recursive: true });
}
for (const name of ['packed.wrz', 'packed.wrl.gz'])
    read(convert(inputs()[0], workFile(name)), name);
finish(`${count} files`);
