// sheet.mjs FOLDER PICTURE: for sheet.sh. Draws the worlds and models named in FOLDER/names by X_ITE, three and
// model-viewer, and puts these pictures and those that are there already into one.
import fs from 'node:fs';
import path from 'node:path';
import { findChromium, hasPackages, launch, open, serve, serveFiles } from './browser.mjs';
import { openLooks } from './looks.mjs';

const [folder, picture] = process.argv.slice(2), chromium = findChromium();
if (!chromium || !hasPackages()) {
    console.log('not installed: chromium, or x_ite and playwright-core (npm install in tests/consumers)');
    process.exit(77);
}
const names = fs.readFileSync(path.join(folder, 'names'), 'utf8').trim().split('\n');
const columns = [['X_ITE', 'x_ite'], ['Castle', 'castle'], ['three', 'three'], ['three, web=yes', 'web'], ['model-viewer, web=yes', 'viewer'], ['Blender', 'blender']];
const complaints = [], browser = await launch(chromium), server = await serve(folder), looks = await openLooks(browser, complaints);
// model-viewer, with its decoder as docs/web.md says.
const modules = path.join(import.meta.dirname, 'node_modules');
const viewer = fs.existsSync(path.join(modules, '@google/model-viewer')) && fs.existsSync(path.join(modules, 'meshoptimizer'));
if (!viewer)
    console.log('not installed: model-viewer or meshoptimizer (of npm)');
const viewerPage = `<!doctype html><link rel="icon" href="data:,"><style>body{margin:0}model-viewer{width:256px;height:256px;background:#8090a0}</style>
<script>self.ModelViewerElement = { meshoptDecoderLocation: '/modules/meshoptimizer/meshopt_decoder.cjs' }</script>
<script type="module" src="/modules/@google/model-viewer/dist/model-viewer.min.js"></script><model-viewer></model-viewer>`;
const viewerServer = await serveFiles(viewerPage, name =>
    name.startsWith('/modules/') ? path.join(modules, name.slice(9)) : path.join(folder, name));
async function drawViewer(name) {
    const tab = await browser.newPage({ viewport: { width: 256, height: 256 } });
    tab.on('pageerror', error => complaints.push(`model-viewer: ${error.message}`));
    await tab.goto(viewerServer.url);
    await tab.evaluate(url => new Promise((done, fail) => {
        const element = document.querySelector('model-viewer');
        element.addEventListener('load', done);
        element.addEventListener('error', event => fail(new Error(event.detail?.sourceError?.message ?? 'not loaded')));
        element.src = url;
    }), `/${name}.web.glb`).catch(error => complaints.push(`model-viewer, ${name}: ${error.message}`));
    await tab.waitForTimeout(1500); // it fades in
    await tab.screenshot({ path: path.join(folder, `${name}.viewer.png`) });
    await tab.close();
}

for (const name of names) {
    const tab = await open(browser, server.url, `${name}.wrl`, complaints);
    await tab.waitForTimeout(300);
    await tab.screenshot({ path: path.join(folder, `${name}.x_ite.png`) });
    await tab.close();
    await looks.show(path.join(folder, `${name}.glb`), path.join(folder, `${name}.three.png`));
    await looks.show(path.join(folder, `${name}.web.glb`), path.join(folder, `${name}.web.png`));
    if (viewer)
        await drawViewer(name);
}
const cell = (name, kind) => fs.existsSync(path.join(folder, `${name}.${kind}.png`)) ? `<img src="/${name}.${kind}.png">` : '';
const html = `<!doctype html><link rel="icon" href="data:,"><style>body{margin:8px;font:14px sans-serif;background:#fff}
td{border:1px solid #ccc;width:240px;height:200px;text-align:center;padding:2px}img{max-width:240px;max-height:200px}</style>
<table><tr><th></th>${columns.map(([title]) => `<th>${title}</th>`).join('')}</tr>
${names.map(name => `<tr><th>${name}</th>${columns.map(([, kind]) => `<td>${cell(name, kind)}</td>`).join('')}</tr>`).join('\n')}</table>`;
const sheet = await serveFiles(html, name => path.join(folder, name)), tab = await browser.newPage({ viewport: { width: 1660, height: 900 } });
await tab.goto(sheet.url, { waitUntil: 'networkidle' });
await tab.screenshot({ path: picture, fullPage: true });
sheet.close();
server.close();
viewerServer.close();
looks.close();
await browser.close();
complaints.forEach(complaint => console.log(complaint));
console.log(`${names.length} samples: ${picture}`);
