// Silhouettes of pictures against f3d's, with the same camera: the shared pixels are at least 98 % of those of either.
// The camera is the one that the docs describe, found here by bisection: what is seen fills 90 % of the tighter side.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { convert, corpusFiles, root, shortName, workFile } from './lib.mjs';

for (const tool of ['f3d', 'xvfb-run'])
    if (spawnSync('which', [tool]).status !== 0) {
        console.log(`skipped: consumers/test_png_f3d needs ${tool} (apt-get install f3d xvfb)`);
        process.exit(77);
    }

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => a.map(x => x / Math.sqrt(dot(a, a)));

// The corners of a binary STL file.
function readCorners(file) {
    const bytes = fs.readFileSync(file), corners = [];
    for (let i = 0, count = bytes.readUInt32LE(80); i < count; i++)
        for (let k = 0; k < 3; k++) {
            const at = 84 + 50 * i + 12 + 12 * k;
            corners.push([bytes.readFloatLE(at), bytes.readFloatLE(at + 4), bytes.readFloatLE(at + 8)]);
        }
    return corners;
}

function findCamera(corners, width, height) {
    const back = unit([0.6, -1, 0.55]), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
    const points = corners.map(p => [dot(p, right), dot(p, up), dot(p, back)]);
    const slope = 0.9 * Math.tan(Math.PI / 8) / Math.min(width, height);
    const size = 4 * Math.max(...points.map(p => Math.hypot(...p))), at = [0, 0, 0];
    // The least and the largest slope to a side, from a place on it.
    const sides = axis => points.reduce(([low, high], p) => {
        const value = at[2] > p[2] ? (p[axis] - at[axis]) / (at[2] - p[2]) : NaN;
        return [Math.min(low, value), Math.max(high, value)];
    }, [Infinity, -Infinity]);
    const fits = (axis, most) => {
        let low = -size, high = size;
        for (let i = 0; i < 50; i++) {
            at[axis] = (low + high) / 2;
            const [least, largest] = sides(axis);
            if (largest + least > 0) low = at[axis]; else high = at[axis];
        }
        const [least, largest] = sides(axis);
        return Math.max(-least, largest) <= most;
    };
    let near = -size, far = 4 * size;
    for (let i = 0; i < 50; i++) {
        at[2] = (near + far) / 2;
        if (fits(0, slope * width) && fits(1, slope * height)) far = at[2]; else near = at[2];
    }
    at[2] = far;
    fits(0, slope * width);
    fits(1, slope * height);
    const world = [0, 1, 2].map(i => at[0] * right[i] + at[1] * up[i] + at[2] * back[i]);
    return { position: world, focus: world.map((x, i) => x - size * back[i]), up };
}

// Rows of RGB or RGBA of a PNG file of 8 bits.
function readPng(file) {
    const bytes = fs.readFileSync(file), parts = [];
    const width = bytes.readUInt32BE(16), height = bytes.readUInt32BE(20), channels = bytes[25] === 6 ? 4 : 3;
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
        if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
            parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
    const raw = zlib.inflateSync(Buffer.concat(parts)), row = width * channels, pixels = new Uint8Array(row * height);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < row; x++) {
            const left = x < channels ? 0 : pixels[y * row + x - channels], above = y ? pixels[(y - 1) * row + x] : 0;
            const corner = y && x >= channels ? pixels[(y - 1) * row + x - channels] : 0;
            const guess = left + above - corner, off = [left, above, corner].map(value => Math.abs(guess - value));
            const paeth = off[0] <= off[1] && off[0] <= off[2] ? left : off[1] <= off[2] ? above : corner;
            pixels[y * row + x] = raw[y * (row + 1) + 1 + x] + [0, left, above, (left + above) >> 1, paeth][raw[y * (row + 1)]];
        }
    return { width, height, channels, pixels };
}

// What is not of the background's magenta, nor of its shadow.
const silhouette = ({ width, height, channels, pixels }) =>
    Array.from({ length: width * height }, (_, i) => pixels[channels * i + 1] > 60);

const arm = path.join(root, 'samples/dh_arm');
const files = [...corpusFiles('abb_irb120', '.stl').filter(file => file.includes('visual')),
    ...fs.readdirSync(arm).filter(name => name.endsWith('.stl')).map(name => path.join(arm, name))];
const pictures = files.flatMap((file, number) => [[300, 300], [400, 225]].map(([width, height]) => {
    // f3d reads the corners that cellpipe has written: a binary file in metres.
    const part = convert(file, workFile(`${number}.stl`)), camera = findCamera(readCorners(part), width, height);
    const name = `${number}_${width}.png`, theirs = workFile(`f3d_${name}`);
    const ours = convert(part, workFile(name), `size=${width}x${height}`, 'background=#f0f', 'view=corner');
    const command = ['f3d', part, `--output=${theirs}`, '--dry-run', `--resolution=${width},${height}`, '--bg-color=1,0,1',
        '--up=+Z', `--camera-position=${camera.position}`, `--camera-focal-point=${camera.focus}`,
        `--camera-view-up=${camera.up}`, '--camera-view-angle=45'];
    return { title: `${shortName(file)} ${width}x${height}`, ours, theirs, command };
}));
// One display for all.
fs.writeFileSync(workFile('all.sh'), pictures.map(picture => picture.command.join(' ')).join('\n'));
const said = spawnSync('xvfb-run', ['-a', 'sh', workFile('all.sh')], { encoding: 'utf8' });
if (!fs.existsSync(pictures[0].theirs)) {
    console.log(`skipped: f3d draws nothing here: ${said.stderr.trim().split('\n').pop()}`);
    process.exit(77);
}
let failed = 0, worst = 1;
for (const picture of pictures) {
    const ours = silhouette(readPng(picture.ours)), theirs = silhouette(readPng(picture.theirs));
    const both = ours.filter((inside, i) => inside && theirs[i]).length;
    const either = ours.filter((inside, i) => inside || theirs[i]).length;
    worst = Math.min(worst, both / either);
    if (!(both / either >= 0.98)) {
        failed++;
        console.log(`FAILED: ${picture.title}: ${both} of ${either} pixels are of both silhouettes`);
    }
}
console.log(`${pictures.length} silhouettes, the worst shares ${(100 * worst).toFixed(2)} % with f3d's, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
