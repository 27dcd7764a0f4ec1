// The pages of docs/examples in headless Chromium, with the sample cells beside them: they load without a complaint, show
// the cell, offer its clips or views, and move it.
import fs from 'node:fs';
import path from 'node:path';
import { findChromium, launch, serveFiles, shoot, size } from './browser.mjs';
import { convert, fail, finish, root, skip, workFile } from './lib.mjs';

const modules = path.join(import.meta.dirname, 'node_modules');
const needed = ['@google/model-viewer', 'meshoptimizer', 'x_ite', 'playwright-core'];
const missing = needed.filter(name => !fs.existsSync(path.join(modules, name)));
const chromium = findChromium();
if (!chromium)
    skip('consumers/test_example_pages needs chromium (apt-get install chromium)');
if (missing.length)
    skip(`consumers/test_example_pages needs ${missing.join(', ')} (npm install in tests/consumers)`);

// What a reader copies beside the page.
const copies = {
    '/model-viewer.min.js': path.join(modules, '@google/model-viewer/dist/model-viewer.min.js'),
    '/meshopt_decoder.cjs': path.join(modules, 'meshoptimizer/meshopt_decoder.cjs'),
    '/cell.glb': workFile('cell.glb'),
    '/cell.wrl': workFile('cell.wrl'),
};
const fileOf = name => copies[name] ??
    (name.startsWith('/x_ite/') ? path.join(modules, 'x_ite/dist', name.slice(7)) : workFile(`none${name}`));

async function open(browser, name, complaints) {
    const html = fs.readFileSync(path.join(root, 'docs/examples', name), 'utf8');
    const server = await serveFiles(html.replace('<head>', '<head><link rel="icon" href="data:,">'), fileOf);
    const tab = await browser.newPage({ viewport: size });
    tab.on('console', message => {
        // model-viewer complains of a machine that draws slowly
        if (['error', 'warning'].includes(message.type()) && !/GPU stall|WebGL|swiftshader|rAF timed out/i.test(message.text()))
            complaints.push(`${name}: ${message.text().slice(0, 300)}`);
    });
    tab.on('pageerror', error => complaints.push(`${name}: ${error.message}`));
    tab.on('requestfailed', request => complaints.push(`${name}: not loaded: ${request.url()}`));
    await tab.goto(server.url);
    return { tab, server };
}

const keep = (tab, name) => process.env.PICTURES ? tab.screenshot({ path: path.join(process.env.PICTURES, name) }) : null;

// How many pixels two pictures have otherwise.
function difference(a, b) {
    let count = 0;
    for (let y = 0; y < a.height; y++)
        for (let x = 0; x < a.width; x++) {
            const [p, q] = [a.at(x, y), b.at(x, y)];
            count += Math.abs(p[0] - q[0]) + Math.abs(p[1] - q[1]) + Math.abs(p[2] - q[2]) > 30;
        }
    return count;
}

async function tryModelViewer(browser, complaints) {
    const { tab, server } = await open(browser, 'model_viewer.html', complaints);
    await tab.waitForFunction(() => document.querySelector('model-viewer').loaded && document.querySelector('#clips').length > 0);
    const clips = await tab.$$eval('#clips option', options => options.map(option => option.value));
    if (clips[0] !== 'all joints' || !clips.includes('Arm/J2'))
        fail(`model_viewer.html: clips ${clips.join(', ')}`);
    const still = await shoot(tab);
    await keep(tab, 'model_viewer.png');
    await tab.selectOption('#clips', 'Arm/J2');
    await tab.evaluate(async () => {
        const viewer = document.querySelector('model-viewer');
        viewer.pause();
        viewer.currentTime = viewer.duration / 4;
        for (let frame = 0; frame < 10; frame++)
            await new Promise(requestAnimationFrame);
    });
    await tab.waitForTimeout(300);
    const moved = difference(still, await shoot(tab));
    if (!(moved > 500))
        fail(`model_viewer.html: the clip changes ${moved} pixels`);
    server.close();
}

async function tryXite(browser, complaints) {
    const { tab, server } = await open(browser, 'x_ite.html', complaints);
    await tab.waitForFunction(() => document.querySelectorAll('#views button').length > 0);
    const views = await tab.$$eval('#views button', buttons => buttons.map(button => button.textContent));
    for (const view of ['whole cell', 'front', 'left', 'top', 'Arm'])
        if (!views.includes(view))
            fail(`x_ite.html: no view ${view} among ${views.join(', ')}`);
    await tab.waitForTimeout(500);
    const whole = await shoot(tab);
    await keep(tab, 'x_ite.png');
    await tab.click('#views button:text-is("top")');
    await tab.waitForTimeout(1500);
    const moved = difference(whole, await shoot(tab));
    if (!(moved > 5000))
        fail(`x_ite.html: the view "top" changes ${moved} pixels`);
    server.close();
}

convert(path.join(root, 'samples/demo.wu'), copies['/cell.glb'], 'web=yes');
convert(path.join(root, 'samples/demo.wu'), copies['/cell.wrl'], 'descriptions=yes');
const browser = await launch(chromium), complaints = [];
try {
    await tryModelViewer(browser, complaints);
    await tryXite(browser, complaints);
} finally {
    await browser.close();
}
for (const complaint of complaints)
    fail(complaint);
finish('model_viewer.html and x_ite.html show samples/demo.wu');
