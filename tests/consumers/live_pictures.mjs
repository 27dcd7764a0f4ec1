// live_pictures.mjs PROGRAM FOLDER: the pictures of docs/live.md, live_teach.png and live_near.png, of samples/demo.wu.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { findChromium, launch, shoot } from './browser.mjs';
import { makePeople, openHall, take, until, visit } from './live_pages.mjs';

const [program, folder] = process.argv.slice(2), samples = path.resolve(import.meta.dirname, '../../samples');

// ---- a PNG of 256 colours, by the median cut ----

// The box of colours that are farthest apart in one channel is cut where half of its pixels are on each side.
function findPalette(counts) {
    const channel = (colour, c) => (colour >> (12 - 6 * c)) & 63;
    const measure = list => {
        const spans = [0, 1, 2].map(c => Math.max(...list.map(([colour]) => channel(colour, c))) - Math.min(...list.map(([colour]) => channel(colour, c))));
        return { list, c: spans.indexOf(Math.max(...spans)), span: Math.max(...spans) };
    };
    const boxes = [measure([...counts])];
    while (boxes.length < 256) {
        boxes.sort((a, b) => a.span - b.span);
        const { list, c, span } = boxes.pop();
        if (span === 0) break;
        list.sort((a, b) => channel(a[0], c) - channel(b[0], c));
        const half = list.reduce((sum, one) => sum + one[1].count, 0) / 2;
        let sum = 0, at = 0;
        while (at < list.length - 1 && (at === 0 || sum < half)) sum += list[at++][1].count;
        boxes.push(measure(list.slice(0, at)), measure(list.slice(at)));
    }
    const palette = new Uint8Array(768), indices = new Map();
    boxes.forEach(({ list }, i) => {
        const count = list.reduce((all, one) => all + one[1].count, 0);
        for (let c = 0; c < 3; c++) palette[3 * i + c] = Math.round(list.reduce((all, one) => all + one[1].sum[c], 0) / count);
        for (const [colour] of list) indices.set(colour, i);
    });
    return { palette, indices };
}

function chunk(kind, data) {
    const body = Buffer.concat([Buffer.from(kind), data]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    let crc = -1;
    for (const byte of body) {
        crc ^= byte;
        for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    out.writeUInt32BE(~crc >>> 0, out.length - 4);
    return out;
}

function packPicture({ width, height, at }) {
    const counts = new Map(), keyOf = ([r, g, b]) => ((r >> 2) << 12) | ((g >> 2) << 6) | (b >> 2);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const pixel = at(x, y), key = keyOf(pixel);
            if (!counts.has(key)) counts.set(key, { count: 0, sum: [0, 0, 0] });
            const one = counts.get(key);
            one.count++;
            for (let c = 0; c < 3; c++) one.sum[c] += pixel[c];
        }
    const { palette, indices } = findPalette(counts), rows = Buffer.alloc((width + 1) * height), head = Buffer.alloc(13);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indices.get(keyOf(at(x, y)));
    head.writeUInt32BE(width);
    head.writeUInt32BE(height, 4);
    head.set([8, 3, 0, 0, 0], 8);
    return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('PLTE', Buffer.from(palette)),
        chunk('IDAT', zlib.deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

async function keep(tab, name) {
    await tab.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const bytes = packPicture(await shoot(tab));
    fs.writeFileSync(path.join(folder, name), bytes);
    console.log(`${name}: ${bytes.length} bytes`);
}

// ---- what they show ----

async function showTeaching(tina) {
    await tina.locator('#live-program').fill('SPEED 250\nIMOV 0, 0, 80\nEND\n');
    await take(tina);
    await tina.locator('#live-teach').click();
    await tina.waitForFunction(() => document.getElementById('live-point').value === 'P2');
    await tina.locator('#live-download').click();
    await tina.waitForFunction(() => /is loaded/.test(document.getElementById('says').textContent));
    await take(tina);
    await tina.locator('#live-run').click();
    await until(tina, 'running');
    await until(tina, 'ready');
    await take(tina);
    await tina.locator('#live-teach').click();
    await tina.waitForFunction(() => document.getElementById('live-point').value === 'P3');
    await tina.evaluate(() => {
        const text = document.getElementById('live-program'), points = text.value.split('\n').filter(line => line.startsWith('P')).sort();
        text.value = [...points, 'SPEED 250', 'LPTP P2', 'LPTP P1', 'GRIP PART', 'LPTP P2', 'END', ''].join('\n');
        text.dispatchEvent(new Event('input'));
    });
    await take(tina);
    await tina.locator('#live-send').click();
    await tina.locator('#live-errors li').first().waitFor();
    await keep(tina, 'live_teach.png');
}

// A jog that would touch is refused, as a viewer sees it.
async function showNear(tina, vera) {
    for (let why = ''; !/would touch/.test(why); why = await vera.locator('#live-line').textContent()) {
        await take(tina);
        await tina.evaluate(() => cellpipe.live.ask({ type: 'jog', joint: 'Arm.J1', speed: 0.1 }));
        await vera.waitForTimeout(300);
    }
    await vera.evaluate(() => {
        const { cell, view } = cellpipe, ids = ['Arm.Wrist', 'Arm.Gripper.LeftFinger', 'Arm.Gripper.RightFinger', 'Part'];
        document.getElementById('views').value = '';
        view.fit(ids.flatMap(id => cell.byId.get(`node ${id}`).meshes));
    });
    await keep(vera, 'live_near.png');
}

const { folder: own, people } = makePeople(program, { tina: 'teacher', vera: 'viewer' });
const browser = await launch(findChromium()), hall = await openHall(program, [path.join(samples, 'demo.wu'), '--users', people], browser);
const size = { viewport: { width: 1100, height: 690 } };
await showTeaching(await visit(hall, 'tina', size));
await hall.end();
await hall.start();
await showNear(await visit(hall, 'tina', size), await visit(hall, 'vera', size));
await browser.close();
await hall.end();
fs.rmSync(own, { recursive: true });
