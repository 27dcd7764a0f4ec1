// The page's decoder of EXT_meshopt_compression against meshoptimizer's own, byte by byte: on all samples with web=yes and on a mesh of a
// million triangles. Damaged files give an Error, and nothing else.
import fs from 'node:fs';
import path from 'node:path';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { convert, fail, finish, inputs, root, shortName, workFile } from './lib.mjs';
import { loadModules, readBuffer } from './page_modules.mjs';

const page = loadModules('meshopt'), extension = 'EXT_meshopt_compression', used = new Map();
await MeshoptDecoder.ready;

const binaryOf = buffer => new Uint8Array(buffer, 28 + new DataView(buffer).getUint32(12, true));
const bytesOf = (binary, view) => binary.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);

// Compares the file that the page makes with what the library unpacks of each view.
function compare(name, buffer) {
    const before = page.readJson(buffer), after = page.unpackMeshopt(buffer), json = page.readJson(after);
    if (!before.extensionsUsed?.includes(extension))
        return after === buffer || fail(`${name}: a file without the extension is written anew`);
    if (JSON.stringify(json).includes(extension) || json.buffers.length !== 1 || json.buffers[0].byteLength !== binaryOf(after).length)
        fail(`${name}: the extension is left, or the buffer is another`);
    before.bufferViews.forEach((view, i) => {
        const packed = view.extensions?.[extension], got = bytesOf(binaryOf(after), json.bufferViews[i]);
        let want = bytesOf(binaryOf(buffer), packed ?? view);
        if (packed) {
            const key = `${packed.mode} ${packed.filter ?? ''} ${packed.byteStride}`;
            used.set(key, (used.get(key) ?? 0) + 1);
            const source = want;
            want = new Uint8Array(packed.count * packed.byteStride);
            MeshoptDecoder.decodeGltfBuffer(want, packed.count, packed.byteStride, source, packed.mode, packed.filter);
        }
        if (Buffer.compare(got, want))
            fail(`${name}: view ${i}, ${packed ? `${packed.mode} ${packed.filter} of ${packed.count}` : 'plain'}, differs from byte ${want.findIndex((value, k) => value !== got[k])} on`);
    });
    return true;
}

// ---- damaged files: the same numbers each time ----

let seed = 1;
const random = most => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;

function damage(name, buffer) {
    const first = buffer.byteLength - binaryOf(buffer).length;
    const outcomes = { thrown: 0, unpacked: 0 };
    const attempt = (damaged, mustThrow) => {
        try {
            page.unpackMeshopt(damaged);
            outcomes.unpacked++;
            if (mustThrow)
                fail(`${name}: a cut file is unpacked`);
        } catch (error) {
            outcomes.thrown++;
            if (!(error instanceof Error))
                fail(`${name}: what is thrown is no Error`);
        }
    };
    for (let i = 0; i < 150; i++)
        attempt(buffer.slice(0, random(buffer.byteLength)), true);
    for (let i = 0; i < 300; i++) {
        const copy = buffer.slice(0), bytes = new Uint8Array(copy);
        for (let k = 0; k < 3; k++)
            bytes[i % 3 ? first + random(copy.byteLength - first) : random(copy.byteLength)] = random(256);
        attempt(copy, false);
    }
    if (outcomes.thrown === 0)
        fail(`${name}: no damage is found`);
    return outcomes;
}

// A view that ends early, whose JSON still fits.
function shorten(name, buffer) {
    const json = page.readJson(buffer), binary = binaryOf(buffer);
    for (const [i, view] of json.bufferViews.entries()) {
        const packed = view.extensions?.[extension];
        if (!packed || i > 40)
            continue;
        const source = bytesOf(binary, packed);
        for (const size of [0, 1, 17, source.length >> 1, source.length - 1])
            for (const changed of [{ ...packed }, { ...packed, count: packed.count + 3 }, { ...packed, count: 2 ** 31 + packed.count }]) {
                if (size === source.length)
                    continue;
                let thrown = false;
                try {
                    page.unpackView(source.slice(0, size), changed);
                } catch (error) {
                    thrown = error instanceof Error && !(error instanceof RangeError); // no memory asked for
                }
                if (!thrown)
                    fail(`${name}: view ${i} of ${source.length} bytes is unpacked from ${size}`);
            }
    }
}

// ---- streams made here, as our files do not have all that the extension allows ----

// Bytes that both decoders unpack, or both refuse. Returns whether they unpack them.
function compareStreams(name, source, packed) {
    const want = new Uint8Array(packed.count * packed.byteStride);
    let got, accepted = true;
    try {
        MeshoptDecoder.decodeGltfBuffer(want, packed.count, packed.byteStride, source, packed.mode, packed.filter);
    } catch {
        accepted = false;
    }
    try {
        got = page.unpackView(source, packed);
    } catch {
        got = undefined;
    }
    if ((got !== undefined) !== accepted)
        fail(`${name}: ${accepted ? 'refused' : 'unpacked'}, unlike the library`);
    else if (accepted && Buffer.compare(got, want))
        fail(`${name}: unpacked to others than by the library, from byte ${want.findIndex((value, i) => value !== got[i])} on`);
    return accepted;
}

// Packs vertices, all groups as they are. The first vertex's predecessor is zero.
function packVertices(values, count, stride) {
    const blockSize = Math.min(Math.floor(8192 / stride) & ~15, 256), parts = [0xa0];
    for (let first = 0; first < count; first += blockSize) {
        const groups = Math.ceil(Math.min(blockSize, count - first) / 16);
        for (let byte = 0; byte < stride; byte++) {
            parts.push(...new Array(Math.ceil(groups / 4)).fill(255));
            for (let i = first; i < first + 16 * groups; i++) {
                const delta = i < count ? values[i * stride + byte] - (i > 0 ? values[(i - 1) * stride + byte] : 0) << 24 >> 24 : 0;
                parts.push((delta << 1 ^ delta >> 7) & 255);
            }
        }
    }
    return Uint8Array.from([...parts, ...new Array(Math.max(stride, 32)).fill(0)]);
}

// Values as an encoder makes them, before the filter.
function filtered(filter, count, stride) {
    const bytes = Uint8Array.from({ length: count * stride }, () => random(256));
    const most = stride === 4 ? 127 : 32767, values = stride === 4 ? new Int8Array(bytes.buffer) : new Int16Array(bytes.buffer);
    for (let i = 0; filter === 'OCTAHEDRAL' && i < values.length; i += 4) {
        values[i] = random(2 * most + 1) - most;
        values[i + 1] = random(2 * most + 1) - most;
        values[i + 2] = most;
    }
    for (let i = 0; filter === 'QUATERNION' && i < values.length; i += 4) {
        const parts = [0, 1, 2, 3].map(() => random(20001) - 10000), length = Math.hypot(...parts, 1);
        const largest = parts.reduce((best, value, k) => (Math.abs(value) > Math.abs(parts[best]) ? k : best), 0);
        for (let k = 0; k < 3; k++)
            values[i + k] = Math.round(2047 * Math.SQRT2 * Math.sign(parts[largest] + 0.5) * parts[largest + 1 + k & 3] / length);
        values[i + 3] = 2047 & ~3 | largest;
    }
    for (let i = 3; filter === 'EXPONENTIAL' && i < bytes.length; i += 4)
        bytes[i] = random(150) - 80;
    return bytes;
}

// Codes and data at random; the data are as many as the codes take where both decoders accept them.
function randomIndices(mode, head, tail) {
    const count = 3 * (1 + random(40)), codes = mode === 'TRIANGLES' ? count / 3 : 0, table = Array.from({ length: tail }, () => random(240));
    const body = Array.from({ length: codes }, () => random(4) ? random(256) : 0xfd + random(3));
    const data = Array.from({ length: 5 * count }, () => (random(20) ? random(128) : random(256)));
    for (let size = 0; size <= data.length; size++)
        if (compareStreams(mode, Uint8Array.from([head, ...body, ...data.slice(0, size), ...table]), { count, byteStride: 2 + 2 * random(2), mode }))
            return 1;
    return 0;
}

function compareMade() {
    for (const [filter, strides] of [['NONE', [4, 12, 20, 64, 256]], ['OCTAHEDRAL', [4, 8]], ['QUATERNION', [8]], ['EXPONENTIAL', [4, 12, 16]]])
        for (const byteStride of strides)
            for (const count of [0, 1, 16, 17, 255, 257, 3000])
                if (!compareStreams(`${filter} of ${byteStride}`, packVertices(filtered(filter, count, byteStride), count, byteStride),
                    { count, byteStride, mode: 'ATTRIBUTES', filter }))
                    fail(`${filter} of ${byteStride}: the library refuses ${count}`);
    let accepted = 0;
    for (let i = 0; i < 300; i++)
        accepted += randomIndices('TRIANGLES', 0xe1, 16) + randomIndices('INDICES', 0xd1, 4);
    if (accepted < 300)
        fail(`only ${accepted} streams of indices are unpacked`);
    return accepted;
}

// ---- a wavy square: a million triangles in a long run ----

function writeSquare(file, side) {
    const bytes = Buffer.alloc(84 + 50 * side * side), height = (x, y) => 40 * Math.sin(x / 30) * Math.cos(y / 47) + Math.sin(x * y);
    bytes.writeUInt32LE(side * side, 80);
    let at = 84;
    for (let y = 0; y < side; y++)
        for (let x = 0; x < side / 2; x++)
            for (const corners of [[[x, y], [x + 1, y], [x + 1, y + 1]], [[x, y], [x + 1, y + 1], [x, y + 1]]]) {
                corners.forEach(([u, v], k) => [u, v, height(u, v)].forEach((value, i) => bytes.writeFloatLE(value, at + 12 + 12 * k + 4 * i)));
                at += 50;
            }
    fs.writeFileSync(file, bytes);
    return file;
}

const made = compareMade();
let files = 0, outcomes = { thrown: 0, unpacked: 0 };
const folders = ['mechanisms/hexapod.dcr', 'deneb/hexapod/contour.dcr', 'deneb/welding/weld.dcr', 'deneb/assembly/saw.dcr'];
for (const input of [...inputs(), ...folders.map(name => path.join(root, 'samples', name))]) {
    const buffer = readBuffer(convert(input, workFile('web.glb'), 'web=yes'));
    compare(shortName(input), buffer);
    files++;
    if (page.readJson(buffer).extensionsUsed?.includes(extension) && buffer.byteLength < 300000) {
        const found = damage(shortName(input), buffer);
        outcomes = { thrown: outcomes.thrown + found.thrown, unpacked: outcomes.unpacked + found.unpacked };
        shorten(shortName(input), buffer);
    }
}
const side = process.env.CELLPIPE_LONG ? 1000 : 200;
const big = readBuffer(convert(writeSquare(workFile('big.stl'), side), workFile('big.glb'), 'web=yes')), times = [];
compare('a wavy square', big);
for (let i = 0; i < 5; i++) {
    const start = performance.now();
    page.unpackMeshopt(big);
    times.push(performance.now() - start);
}
console.log([...used].map(([key, count]) => `${key}: ${count} views`).join('\n'));
finish(`${files} files and ${side * side} triangles (${Math.round(times.sort((a, b) => a - b)[2])} ms) byte by byte; ` +
    `${outcomes.thrown} damaged files refused, ${outcomes.unpacked} read; ${made} streams of indices made here`);
