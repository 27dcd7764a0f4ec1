// A library of made parts, and its gallery in headless Chromium.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { program } from './lib.mjs';

// A box of 12 triangles as a binary STL file.
export function makeBox(width, depth, height) {
    const corner = i => [(i & 1) * width, ((i >> 1) & 1) * depth, (i >> 2) * height];
    const faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    const bytes = Buffer.alloc(84 + 50 * 12);
    bytes.writeUInt32LE(12, 80);
    faces
        .flatMap(([a, b, c, d]) => [
            [a, b, c],
            [a, c, d],
        ])
        .forEach((triangle, i) =>
            triangle.forEach((index, k) =>
                corner(index).forEach((value, axis) => bytes.writeFloatLE(value, 84 + 50 * i + 12 + 12 * k + 4 * axis))
            )
        );
    return bytes;
}

export const words = ['bracket', 'flange', 'cover', 'housing', 'shaft', 'plate', 'bolt', 'gear', 'lever', 'clamp'];

// Writes so many parts, no two alike, a thousand in a folder.
export function makeLibrary(folder, count) {
    for (let i = 0; i < count; i++) {
        const place = path.join(folder, words[i % 10], String(Math.floor(i / 10000)));
        if (i % 10000 < 10) fs.mkdirSync(place, { recursive: true });
        fs.writeFileSync(path.join(place, `${words[i % 10]}-${i}.stl`), makeBox(10 + i, 20 + (i % 7), 30 + (i % 11)));
    }
}

// Converts a library with a gallery; returns what the program prints.
export function runBatch(folder, out, ...more) {
    const { stdout, status } = spawnSync(
        program,
        ['batch', folder, '--out-dir', out, '--gallery', '--in', 'stl.unit=mm', '--progress', 'none', ...more],
        { encoding: 'utf8', maxBuffer: 1 << 28 }
    );
    if (status !== 0 && status !== 1) throw new Error(`batch ends with ${status}`);
    return stdout;
}

export const report = (out, ...words) =>
    execFileSync(program, ['report', out, ...words], { encoding: 'utf8', maxBuffer: 1 << 28 });

const isOver = () => document.documentElement.dataset.ready || document.documentElement.dataset.failed;

// Opens a page: { page, problems, requests, metrics, close }. metrics() are Chromium's, after garbage was collected.
export async function openIndex(browser, url, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage(),
        problems = [],
        requests = [];
    page.on('pageerror', error => problems.push(`error: ${error.message}`));
    page.on('console', message => problems.push(`${message.type()}: ${message.text()}`));
    page.on('requestfailed', request => {
        const why = request.failure()?.errorText; // a part that is left before it is there
        if (why !== 'net::ERR_ABORTED') problems.push(`not loaded: ${request.url()} ${why}`);
    });
    page.on('request', request => requests.push(request.url()));
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    const metrics = async collect => {
        if (collect) await session.send('HeapProfiler.collectGarbage');
        const { metrics: list } = await session.send('Performance.getMetrics');
        return Object.fromEntries(list.map(({ name, value }) => [name, value]));
    };
    await page.goto(url);
    await page.waitForFunction(isOver);
    return { page, problems, requests, metrics, close: () => context.close() };
}

// The frame of the part that is open, once it is ready.
export async function waitForPart(page) {
    const frame = await (await page.waitForSelector('#view iframe')).contentFrame();
    await frame.waitForFunction(isOver);
    return frame;
}

// Types words as a user does, and waits until the list is drawn.
export const search = (page, text) =>
    page.evaluate(async wanted => {
        const field = document.getElementById('search');
        field.value = wanted;
        field.dispatchEvent(new Event('input'));
        await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
        return globalThis.cellpipe.list.rows.length;
    }, text);
