// X_ITE in headless Chromium: a page with one world, over a server of our own; nothing else is on the network.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules');
export const size = { width: 640, height: 480 };

// Without the style sheet's type X_ITE's canvas grows out of the window.
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm',
    '.html': 'text/html', '.png': 'image/png' };

const page = `<!doctype html><link rel="icon" href="data:,"><style>html,body{margin:0}
x3d-canvas{width:${size.width}px;height:${size.height}px;display:block}</style>
<script src="/x_ite/x_ite.min.js"></script>
<x3d-canvas splashScreen="false" notifications="false" timings="false" contextMenu="false"></x3d-canvas>`;

export function findChromium() {
    const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];
    return places.find(place => place && fs.existsSync(place));
}

export const hasPackages = () => ['x_ite', 'playwright-core'].every(name => fs.existsSync(path.join(modules, name)));

// A server of a page, and of files: fileOf gives the path of a name that begins with '/'.
export async function serveFiles(html, fileOf) {
    const server = http.createServer((request, response) => {
        const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
        if (name === '/') {
            response.writeHead(200, { 'content-type': 'text/html' });
            return response.end(html);
        }
        const file = fileOf(name);
        if (!fs.existsSync(file)) {
            response.writeHead(404);
            return response.end();
        }
        response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
        fs.createReadStream(file).pipe(response);
    });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

// The files of one folder, and X_ITE's.
export const serve = folder => serveFiles(page, name =>
    name.startsWith('/x_ite/') ? path.join(modules, 'x_ite/dist', name.slice(7)) : path.join(folder, name));

export async function launch(executablePath) {
    const { chromium } = await import('playwright-core');
    return chromium.launch({
        executablePath,
        args: ['--headless=new', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
            '--ignore-gpu-blocklist', '--disable-background-networking', '--disable-component-update', '--disable-sync',
            '--disable-default-apps', '--disable-extensions', '--no-first-run', '--no-proxy-server'],
    });
}

// A page that shows the world; complaints of X_ITE and the browser go to `complaints`.
export async function open(browser, url, world, complaints) {
    const tab = await browser.newPage({ viewport: size });
    tab.on('console', message => {
        if (['error', 'warning'].includes(message.type()) && !/GPU stall|WebGL|swiftshader/i.test(message.text()))
            complaints.push(message.text().slice(0, 300));
    });
    tab.on('pageerror', error => complaints.push(error.message));
    tab.on('requestfailed', request => complaints.push(`not loaded: ${request.url()}`));
    await tab.goto(url);
    await tab.evaluate(async address => {
        await X3D();
        window.world = X3D.getBrowser(document.querySelector('x3d-canvas'));
        await window.world.loadURL(new X3D.MFString(address));
        await window.world.nextFrame();
    }, url + world);
    return tab;
}

// The pixels of a page as it is shown: { width, height, at(x, y): [r, g, b] }, from a PNG of 8 bits without interlacing (ISO/IEC 15948).
export async function shoot(tab) {
    const png = await tab.screenshot({ type: 'png' }), parts = [];
    let width, height, depth;
    for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
        const kind = png.toString('latin1', at + 4, at + 8), data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
        if (kind === 'IHDR')
            [width, height, depth] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9] === 6 ? 4 : 3];
        if (kind === 'IDAT')
            parts.push(data);
    }
    const raw = zlib.inflateSync(Buffer.concat(parts)), row = width * depth, bytes = new Uint8Array(row * height);
    const paeth = (a, b, c) => {
        const [p, q, r] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
        return p <= q && p <= r ? a : q <= r ? b : c;
    };
    for (let y = 0; y < height; y++)
        for (let x = 0; x < row; x++) {
            const to = y * row + x, a = x >= depth ? bytes[to - depth] : 0, b = y > 0 ? bytes[to - row] : 0;
            const c = x >= depth && y > 0 ? bytes[to - row - depth] : 0;
            const guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][raw[y * (row + 1)]];
            bytes[to] = raw[y * (row + 1) + 1 + x] + guess;
        }
    return { width, height, at: (x, y) => bytes.subarray((y * width + x) * depth, (y * width + x) * depth + 3) };
}

export async function press(tab, { x, y }) {
    await tab.mouse.move(x - 2, y);
    await tab.mouse.move(x, y);
    await tab.waitForTimeout(150);
    await tab.mouse.down();
    await tab.mouse.up();
}

// What is shown in each frame while the recording plays, or nothing when it has not begun in time: window.cell is what prepare (xite.mjs) made.
export const watch = (tab, seconds) => tab.evaluate(async limit => {
    const { timer, look } = window.cell, seen = [], begun = performance.now();
    while (!timer.isActive && performance.now() - begun < 1000 * limit)
        await window.world.nextFrame();
    for (let active = timer.isActive; active;) {
        active = timer.isActive;
        seen.push([timer.fraction_changed, look()]);
        await window.world.nextFrame();
    }
    return seen;
}, seconds);
