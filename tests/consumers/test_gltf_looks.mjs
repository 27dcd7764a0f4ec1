// Textures and materials: glTF files look in three.js as the files that were read, plain and for the web.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium, hasPackages, launch } from './browser.mjs';
import { convert, corpusFiles, fail, finish, shortName, workFile } from './lib.mjs';
import { difference, openLooks } from './looks.mjs';

const chromium = findChromium();
if (!chromium || !hasPackages()) {
    console.log('skipped: consumers/test_gltf_looks needs chromium and playwright-core');
    process.exit(77);
}
const sample = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../samples/gltf_textures.gltf');
const pictures = process.argv[3]; // a folder to keep them in
// Quantised positions and coordinates shift edges by a part of a pixel. A skin is a loss, so that the Fox stands at rest.
const variants = [['plain', 0.5], ['web', 1.5, 'web=yes']];

const browser = await launch(chromium), complaints = [];
const looks = await openLooks(browser, complaints);
const keep = (file, name) => pictures && path.join(pictures, `${path.parse(file).name}-${name}.png`);
let count = 0;
for (const file of [sample, ...corpusFiles('khronos', '.glb')]) {
    const wanted = await looks.show(file, keep(file, 'input'));
    for (const [name, bound, ...settings] of variants) {
        const off = difference(wanted, await looks.show(convert(file, workFile('o.glb'), ...settings, 'clips=none'), keep(file, name)));
        console.log(`${shortName(file)} ${name}: ${off.toFixed(3)}`);
        count++;
        if (!(off <= bound))
            fail(`${shortName(file)} ${name}: pixels differ by ${off.toFixed(3)} of 255`);
    }
}
for (const complaint of complaints)
    fail(complaint);
looks.close();
await browser.close();
finish(`${count} pictures compared`);
