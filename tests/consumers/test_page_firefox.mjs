// A page in Firefox under Xvfb (without a display Firefox has no WebGL): it gets ready, draws the cell, picks a link,
// and asks for nothing and says nothing. A gallery shows its pictures, and a part in its frame.
import path from 'node:path';
import { makeLibrary, runBatch } from './gallery_page.mjs';
import { missing, openFirefox } from './firefox.mjs';
import { convert, fail, finish, root, skip, workFile } from './lib.mjs';

if (missing) skip(`consumers/test_page_firefox needs ${missing}`);

let checks = 0;
function check(what, holds, ...shown) {
    checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

const { call, evaluate, context, problems, complaint, capabilities, close } = await openFirefox(
    workFile('.'),
    /^(file|blob|data):/
);
const html = convert(path.join(root, 'samples/demo.wu'), workFile('firefox.html'));
await call('browsingContext.navigate', { context, url: `file://${html}`, wait: 'complete' });
const ready = evaluate(`new Promise(done => {
    const { dataset } = document.documentElement;
    const look = () => (dataset.ready || dataset.failed ? done(1) : requestAnimationFrame(look));
    look();
})`);
await Promise.race([ready, complaint]); // a page whose scripts are refused complains, and is never ready
const [failed, colours, picked] = await evaluate(`(() => {
    const { dataset } = document.documentElement;
    if (!dataset.ready) return [dataset.failed || 'not ready', 0, []];
    const { view, cell } = cellpipe, { gl } = view, seen = new Set(), names = new Set();
    view.draw();
    const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (let i = 0; i < pixels.length; i += 4) seen.add(pixels[i] + 256 * pixels[i + 1] + 65536 * pixels[i + 2]);
    for (let y = 5; y < view.height; y += 20)
        for (let x = 5; x < view.width; x += 20) {
            const hit = view.pick(x, y);
            if (hit) names.add(cellpipe_page.frameOf(cell, hit.object).id);
        }
    return ['', seen.size, [...names]];
})()`);
check('the page is ready', failed === '', failed);
check('it draws', colours > 100, colours);
check(
    'a link of the robot is picked',
    picked.some(name => name.startsWith('Arm.')),
    picked
);
makeLibrary(workFile('library'), 3);
runBatch(workFile('library'), workFile('gallery'));
await call('browsingContext.navigate', { context, url: `file://${workFile('gallery')}/index.html`, wait: 'complete' });
const isOver = `new Promise(done => {
    const { dataset } = document.documentElement;
    const look = () => (dataset.ready || dataset.failed ? done(dataset.failed || '') : requestAnimationFrame(look));
    look();
})`;
check('a gallery is ready', (await evaluate(isOver)) === '');
const widths = await evaluate(`(async () => {
    const images = [...document.querySelectorAll('#list img')];
    await Promise.all(images.map(image => image.decode()));
    document.querySelector('#list button').click();
    await new Promise(done => document.querySelector('iframe').addEventListener('load', done));
    return images.map(image => image.naturalWidth);
})()`);
check('it has pictures', widths.join() === '192,192,192', widths);
const [{ children }] = (await call('browsingContext.getTree', { root: context })).contexts;
check('its frame shows a part', (await evaluate(isOver, children[0].context)) === '');
check('the part is there', (await evaluate('cellpipe.cell.triangles', children[0].context)) === 12);
check('no request, no console message', problems.length === 0, problems.slice(0, 5));
await close();
finish(`${capabilities.browserName} ${capabilities.browserVersion}: ${checks} checks, ${colours} colours`);
