// X_ITE in headless Chromium: a page with one world, over a server of our own; nothing else is on the network.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules');
export const size = { width: 640, height: 480 };

// Without the style sheet's type X_ITE's canvas grows out of the window.
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

const page = `<!doctype html><link rel="icon" href="data:,"><style>html,body{margin:0}
x3d-canvas{width:${size.width}px;height:${size.height}px;display:block}</style>
<script src="/x_ite/x_ite.min.js"></script>
<x3d-canvas splashScreen="false" notifications="false" timings="false" contextMenu="false"></x3d-canvas>`;

export function findChromium() {
    const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];
    return places.find(place => place && fs.existsSync(place));
}

export const hasPackages = () => ['x_ite', 'playwright-core'].every(name => fs.existsSync(path.join(modules, name)));

function fileOf(url, folder) {
    const name = decodeURIComponent(new URL(url, 'http://localhost').pathname);
    return name.startsWith('/x_ite/') ? path.join(modules, 'x_ite/dist', name.slice(7)) : path.join(folder, name);
}

// A server of the files of one folder, of X_ITE's, and of the page.
export async function serve(folder) {
    const server = http.createServer((request, response) => {
        if (request.url === '/') {
            response.writeHead(200, { 'content-type': 'text/html' });
            return response.end(page);
        }
        const file = fileOf(request.url, folder);
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
