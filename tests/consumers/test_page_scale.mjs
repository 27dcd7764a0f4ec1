// Large pages in headless Chromium: 10,000 frames, and a million triangles. All is there, a pick finds the right place,
// and a page at rest draws nothing. With CELLPIPE_LONG the time to the first picture is compared with a current
// three.js that shows the same cell in the same run; on a busy machine only such ratios mean anything.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { findChromium, serveFiles } from './browser.mjs';
import { Maker } from './gltf_make.mjs';
import { convert, fail, finish, skip, workFile } from './lib.mjs';
import { drawnAtRest, hasPlaywright, launchPages, openPage } from './page_browser.mjs';

const chromium = findChromium(),
    modules = path.join(import.meta.dirname, 'node_modules');
if (!chromium) skip('consumers/test_page_scale needs chromium (apt-get install chromium)');
if (!hasPlaywright()) skip('consumers/test_page_scale needs playwright-core (npm install in tests/consumers)');

const browser = await launchPages(chromium);
let checks = 0,
    told = '';

function check(what, holds, ...shown) {
    checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

// ---- 10,000 frames: a hundred groups of 99 tetrahedra, in rows one metre apart ----

const groups = 100,
    members = 99;
const placeOf = (group, member) => [
    (group % 10) + 0.1 * (member % 10),
    0.1 * Math.floor(member / 10),
    Math.floor(group / 10),
];

function makeCell() {
    const maker = new Maker(),
        size = 0.06;
    const mesh = maker.mesh({
        attributes: {
            POSITION: maker.positions(Float32Array.of(0, 0, 0, size, 0, 0, 0, size, 0, 0, 0, size)),
        },
        indices: maker.accessor(Uint16Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3), 'SCALAR'),
    });
    for (let group = 0; group < groups; group++) {
        const [x, , z] = placeOf(group, 0),
            parent = maker.node({ name: `group ${group}`, translation: [x, 0, z] });
        for (let member = 0; member < members; member++) {
            const [px, py] = placeOf(group, member);
            maker.node({ name: `part ${group} ${member}`, mesh, translation: [px - x, py, 0] }, parent);
        }
    }
    return maker.glb();
}

// The time from the beginning to the first picture, in a current three.js; its room would take longer than all the
// rest.
const current = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<style>body{margin:0}</style><script type="module">
window.time = async () => {
    const packed = await (await fetch('/cell.glb.gz')).arrayBuffer(), begun = performance.now();
    const THREE = await import('three'), { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const bytes = await new Response(stream).arrayBuffer();
    const { scene } = await new GLTFLoader().parseAsync(bytes, '');
    const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    renderer.setSize(innerWidth, innerHeight);
    document.body.append(renderer.domElement);
    const all = new THREE.Scene(), camera = new THREE.PerspectiveCamera(30, innerWidth / innerHeight, 0.1, 200);
    all.add(scene, new THREE.DirectionalLight(0xffffff, 1.4), new THREE.HemisphereLight(0xffffff, 0x9a948c, 1.5));
    const sphere = new THREE.Box3().setFromObject(scene).getBoundingSphere(new THREE.Sphere());
    camera.position.copy(sphere.center).add(new THREE.Vector3(0.62, 0.45, 0.64).multiplyScalar(3.9 * sphere.radius));
    camera.lookAt(sphere.center);
    renderer.render(all, camera);
    renderer.getContext().readPixels(0, 0, 1, 1, 6408, 5121, new Uint8Array(4));
    return performance.now() - begun;
};
window.ready = true;
</script>`;

async function timeCurrent(url) {
    const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
    await page.goto(url);
    await page.waitForFunction('window.ready');
    const time = await page.evaluate(() => window.time());
    await page.close();
    return time;
}

async function tryFrames() {
    const file = workFile('many.glb');
    fs.writeFileSync(file, makeCell());
    const html = convert(file, workFile('many.html'), 'clips=no'),
        glb = convert(file, workFile('delivered.glb'), 'profile=deliver', 'clips=none');
    const packed = workFile('cell.glb.gz');
    fs.writeFileSync(packed, zlib.gzipSync(fs.readFileSync(glb)));
    const server = await serveFiles(current, name => (name === '/cell.glb.gz' ? packed : path.join(modules, name)));
    const own = [],
        others = [];
    for (let round = 0; round < (process.env.CELLPIPE_LONG ? 3 : 1); round++) {
        const tab = await openPage(browser, html, { width: 900, height: 640 }),
            { page } = tab;
        own.push(
            await page.evaluate(() => {
                const { gl } = cellpipe.view,
                    { unpacked, parsed, drawn } = cellpipe.startTimes,
                    before = performance.now();
                gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
                return unpacked + parsed + drawn + performance.now() - before;
            })
        );
        if (process.env.CELLPIPE_LONG) others.push(await timeCurrent(server.url));
        if (round === 0) {
            const counts = await page.evaluate(() => [cellpipe.cell.frames.length, cellpipe.cell.meshes.length]);
            check(
                'all frames are there',
                counts[0] >= groups * (members + 1) && counts[1] === groups * members,
                counts
            );
            // Frames that are seen at pixels, and the places where the rays meet them.
            const hits = await page.evaluate(() => {
                const { view, cell } = cellpipe,
                    found = [];
                for (let y = 7; y < view.height; y += 30)
                    for (let x = 7; x < view.width; x += 30) {
                        const hit = view.pick(x, y);
                        if (hit) found.push([cellpipe_page.frameOf(cell, hit.object).id, hit.point.toArray()]);
                    }
                return found;
            });
            check('parts are seen', hits.length > 10, hits.length);
            for (const [id, point] of hits) {
                const place = placeOf(...id.split(' ').slice(1).map(Number)),
                    inside = point.map((value, k) => value - place[k]);
                check(
                    `${id} is where it is picked`,
                    inside.every(value => value > -1e-5) && inside.reduce((sum, value) => sum + value, 0) <= 0.06001,
                    point,
                    place
                );
            }
            const drawn = await drawnAtRest(page);
            check('nothing is drawn at rest', drawn === 0, drawn);
        }
        check('no request, no console message', tab.problems.length === 0, tab.problems.slice(0, 5));
        await tab.close();
    }
    server.close();
    if (!process.env.CELLPIPE_LONG) return;
    const middle = list => list.sort((a, b) => a - b)[list.length >> 1];
    told = `, ready in ${middle(own).toFixed(0)} ms (a current three.js: ${middle(others).toFixed(0)} ms)`;
    check('ready within 1.3 times of a current three.js', middle(own) <= 1.3 * middle(others), own, others);
}

// ---- a million triangles: a wavy sheet of 2 m, whose height is known everywhere ----

const cells = 707,
    height = (x, y) => 0.2 * Math.sin(3 * x) * Math.cos(2 * y);

function makeSheet() {
    const bytes = Buffer.alloc(84 + 50 * 2 * cells * cells);
    bytes.writeUInt32LE(2 * cells * cells, 80);
    let at = 84;
    const write = corners => {
        corners.forEach(([i, j], k) => {
            const x = (2 * i) / cells - 1,
                y = (2 * j) / cells - 1;
            [x, y, height(x, y)].forEach((value, axis) => bytes.writeFloatLE(value, at + 12 + 12 * k + 4 * axis));
        });
        at += 50;
    };
    for (let i = 0; i < cells; i++)
        for (let j = 0; j < cells; j++) {
            write([
                [i, j],
                [i + 1, j],
                [i + 1, j + 1],
            ]);
            write([
                [i, j],
                [i + 1, j + 1],
                [i, j + 1],
            ]);
        }
    return bytes;
}

async function tryTriangles() {
    const file = workFile('sheet.stl');
    fs.writeFileSync(file, makeSheet());
    const tab = await openPage(browser, convert(file, workFile('sheet.html')), { width: 900, height: 640 }),
        { page } = tab;
    const { count, hits } = await page.evaluate(() => {
        const { view, cell } = cellpipe,
            hits = [];
        for (let y = 20; y < view.height; y += 90)
            for (let x = 20; x < view.width; x += 90) {
                const hit = view.pick(x, y);
                if (hit) hits.push({ pixel: [x, y], back: view.project(hit.point), point: hit.point.toArray() });
            }
        return { count: cell.triangles, hits };
    });
    check('all triangles are there', count === 2 * cells * cells, count);
    check('the sheet is seen', hits.length > 5, hits.length);
    for (const { pixel, back, point } of hits) {
        const [x, y, z] = [point[0], -point[2], point[1]],
            off = Math.abs(z - height(x, y));
        check(`a pick at ${pixel} is ${off} beside the sheet`, off < 2e-4, point); // whole steps of 2 m / 16,383
        check('and on its ray', Math.hypot(back.x - pixel[0], back.y - pixel[1]) < 0.01, back);
    }
    const drawn = await drawnAtRest(page);
    check('nothing is drawn at rest', drawn === 0, drawn);
    check('no request, no console message', tab.problems.length === 0, tab.problems.slice(0, 5));
    await tab.close();
}

await tryFrames();
await tryTriangles();
await browser.close();
finish(`${checks} checks${told}`);
