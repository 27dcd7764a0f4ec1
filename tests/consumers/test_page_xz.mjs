// The page's decoder of xz against xz itself: bytes of many kinds and sizes, with all kinds of settings that a block may have; and the
// viewer in a page is the text whose hash its policy names.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { convert, fail, finish, root, skip, workFile } from './lib.mjs';
import { loadModules } from './page_modules.mjs';

if (spawnSync('xz', ['--version']).status !== 0) skip('consumers/test_page_xz needs xz (apt-get install xz-utils)');
const page = loadModules('xz');
let checks = 0;

function compare(name, bytes, ...settings) {
    const packed = execFileSync('xz', ['-c', '-T1', ...settings], { input: bytes, maxBuffer: 1 << 28 });
    checks++;
    let own = null;
    try {
        own = page.unpackXz(new Uint8Array(packed));
    } catch (error) {
        fail(`${name} ${settings}: ${error.message}`);
    }
    if (own && Buffer.compare(Buffer.from(own), bytes) !== 0) fail(`${name} ${settings}: other bytes`);
}

let state = 1;
const random = below => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % below;
const make = (size, next) => {
    const bytes = Buffer.alloc(size);
    for (let i = 0; i < size; i++) bytes[i] = next(i, bytes);
    return bytes;
};
const inputs = {
    'one byte': Buffer.from('x'),
    zeros: Buffer.alloc(3 << 20), // more than a chunk holds
    noise: make(300000, () => random(1 << 24) >> 16), // chunks that are not packed
    'noise and text': Buffer.concat([make(100000, () => random(1 << 24) >> 16), fs.readFileSync(path.join(root, 'page/loops.js'))]),
    'few letters': make(200000, () => 97 + random(1 << 20) % 3),
    records: make(400000, (i, bytes) => (i < 24 || random(1 << 20) % 9 === 0 ? random(1 << 24) >> 16 : bytes[i - 24])),
    'far copies': make(1 << 20, (i, bytes) => (i < 70000 ? random(1 << 24) >> 16 : bytes[i - 70000 + (i >> 15)])),
    text: fs.readFileSync(path.join(root, 'page/cell.js')),
};
for (const [name, bytes] of Object.entries(inputs))
    for (const settings of ['preset=0', 'preset=6', 'preset=9e', 'preset=6,lc=0,lp=4,pb=4', 'preset=6,lc=4,lp=0,pb=0', 'preset=6,lc=1,lp=2,pb=1'])
        compare(name, bytes, `--lzma2=${settings}`);
for (let size = 1; size < 70; size++) compare(`${size} bytes`, make(size, () => 97 + random(1 << 20) % 2));

const html = fs.readFileSync(convert(path.join(root, 'samples/demo.wu'), workFile('page.html')), 'utf8'),
    digits = Array.from({ length: 92 }, (_, i) => String.fromCharCode(35 + i)).filter(digit => digit !== '<'),
    text = /id="packed-code">([^<]*)</.exec(html)[1];
let bits = '';
for (let i = 0; i < text.length; i += 2)
    bits +=
        i + 1 < text.length
            ? (91 * digits.indexOf(text[i]) + digits.indexOf(text[i + 1])).toString(2).padStart(13, '0')
            : digits.indexOf(text[i]).toString(2).padStart(6, '0');
const packed = Buffer.alloc(bits.length >> 3);
for (let i = 0; i < packed.length; i++) packed[i] = parseInt(bits.substr(8 * i, 8), 2);
const script = page.unpackXz(new Uint8Array(packed));
if (Buffer.compare(Buffer.from(script), execFileSync('xz', ['-dc'], { input: packed, maxBuffer: 1 << 28 })) !== 0)
    fail('the viewer in a page: other bytes than xz unpacks');
if (!html.includes(`'sha256-${createHash('sha256').update(script).digest('base64')}'`)) fail('the policy names another script');
finish(`${checks} packed files byte by byte, and the viewer in a page`);
