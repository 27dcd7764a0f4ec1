// What pages draw by the three.js that they have in them, against a current three.js, in headless Chromium: the same
// GLB, camera and lights, without the room that metal mirrors. A grid of squares, each with one feature of glTF, is
// compared pixel by pixel, and its clips by poses: as it is, and as the exporter has written it.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { findChromium, serveFiles } from './browser.mjs';
import { convert, fail, finish, skip, workFile } from './lib.mjs';
import { hasPlaywright, launchPages, openPage, packBytes } from './page_browser.mjs';
import { makeFeatures } from './page_features.mjs';

const chromium = findChromium(),
    modules = path.join(import.meta.dirname, 'node_modules');
if (!chromium) skip('consumers/test_page_pixels needs chromium (apt-get install chromium)');
if (!hasPlaywright()) skip('consumers/test_page_pixels needs playwright-core (npm install in tests/consumers)');

const bound = 3; // of 255
const size = { width: 900, height: 640 };
let checks = 0,
    worstPixel = 0,
    worstPose = 0;

function check(what, holds, ...shown) {
    checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

// ---- the current three.js ----

const current = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<style>body{margin:0}</style><script type="module">
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
let gltf, objects;
window.load = async url => {
    gltf = await new GLTFLoader().loadAsync(url);
    objects = [];
    gltf.scene.traverse(object => {
        const index = gltf.parser.associations.get(object)?.nodes;
        if (index !== undefined && !objects[index])
            objects[index] = object;
    });
};
window.draw = ({ width, height, world, projection, sun, sky }) => {
    const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    renderer.setSize(width, height);
    const scene = new THREE.Scene(), camera = new THREE.Camera();
    const colour = values => new THREE.Color().setRGB(...values, THREE.LinearSRGBColorSpace);
    const bright = new THREE.DirectionalLight(colour(sun.colour), sun.intensity);
    bright.position.fromArray(sun.at);
    bright.target.position.fromArray(sun.to);
    camera.matrixWorld.fromArray(world);
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
    camera.matrixWorldAutoUpdate = camera.matrixAutoUpdate = false;
    camera.projectionMatrix.fromArray(projection);
    camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
    const above = new THREE.HemisphereLight(colour(sky.colour), colour(sky.ground), sky.intensity);
    scene.add(gltf.scene, bright, bright.target, above);
    renderer.render(scene, camera);
    const gl = renderer.getContext(), pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let text = ''; // arrays of numbers take longer to send
    for (let i = 0; i < pixels.length; i += 1 << 14)
        text += String.fromCharCode(...pixels.subarray(i, i + (1 << 14)));
    return text;
};
window.pose = (clip, time) => {
    const mixer = new THREE.AnimationMixer(gltf.scene), action = mixer.clipAction(gltf.animations[clip]);
    action.play();
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const poses = objects.map(object => object.matrixWorld.elements.slice());
    mixer.stopAllAction();
    mixer.uncacheRoot(gltf.scene);
    return poses;
};
window.clips = () => gltf.animations.map(clip => clip.duration);
window.ready = true;
</script>`;

// ---- the page ----

// Takes the room and the ground away, looks at the grid from its front, and tells camera, lights and pixels.
const drawPage = page =>
    page.evaluate(() => {
        const { view, cell } = cellpipe,
            { gl, scene } = view;
        for (const mesh of cell.meshes) {
            if (mesh.material.envMap !== undefined) mesh.material.envMap = null;
            mesh.material.needsUpdate = true;
        }
        for (const object of scene.children) if (object.isMesh) object.visible = false;
        view.fit(null, new THREE.Vector3(0, 0, -1));
        view.draw();
        const { drawingBufferWidth: width, drawingBufferHeight: height } = gl,
            pixels = new Uint8Array(4 * width * height);
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        let text = '';
        for (let i = 0; i < pixels.length; i += 1 << 14)
            text += String.fromCharCode(...pixels.subarray(i, i + (1 << 14)));
        const sun = scene.children.find(object => object.isDirectionalLight),
            sky = scene.children.find(object => object.isHemisphereLight);
        return {
            camera: {
                width,
                height,
                world: view.camera.matrixWorld.elements.slice(),
                projection: view.camera.projectionMatrix.elements.slice(),
                sun: {
                    at: sun.position.toArray(),
                    to: sun.target.position.toArray(),
                    colour: sun.color.toArray(),
                    intensity: sun.intensity,
                },
                sky: { colour: sky.color.toArray(), ground: sky.groundColor.toArray(), intensity: sky.intensity },
            },
            pixels: text,
            places: cell.nodes.map(node =>
                node.object.getWorldPosition(new THREE.Vector3()).project(view.camera).toArray()
            ),
            names: cell.nodes.map(node => node.json.name),
        };
    });

const posePage = (page, clip, time) =>
    page.evaluate(
        ([index, at]) => {
            const { cell } = cellpipe;
            cellpipe_page.showClip(
                cell,
                cell.clips.findIndex(one => one.index === index),
                at
            );
            cell.root.updateMatrixWorld(true);
            return cell.nodes.map(node => node.object.matrixWorld.elements.slice());
        },
        [clip, time]
    );

// ---- the comparison ----

async function compare(what, html, glb, squares) {
    const tab = await openPage(browser, html, size),
        other = await browser.newPage({ viewport: size });
    const complaints = [];
    other.on('pageerror', error => complaints.push(error.message));
    files.set('/features.glb', glb);
    await other.goto(server.url);
    await other.waitForFunction('window.ready');
    await other.evaluate(() => window.load('/features.glb'));

    const { camera, places, names, ...shown } = await drawPage(tab.page),
        pixels = Buffer.from(shown.pixels, 'latin1'),
        wanted = Buffer.from(await other.evaluate(all => window.draw(all), camera), 'latin1');
    const { width, height } = camera;
    const placeOf = name => {
        const [x, y] = places[names.indexOf(name)];
        return [((x + 1) / 2) * width, ((y + 1) / 2) * height]; // from below, as pixels are read
    };
    const middle = placeOf(squares[0].name),
        reach = Math.floor(Math.abs(placeOf(squares[1].name)[0] - middle[0]) / 2) - 1;
    check(`${what}: squares are large enough`, reach > 30, reach);
    for (const { name, unlike } of squares) {
        const isJudged = unlike !== 'always' && unlike !== what;
        const [left, low] = placeOf(name).map(value => Math.round(value) - reach);
        let most = 0,
            drawn = 0,
            at = [];
        for (let y = low; y < low + 2 * reach; y++)
            for (let x = left; x < left + 2 * reach; x++) {
                const i = 4 * (y * width + x);
                drawn += wanted[i + 3] > 0;
                for (let k = 0; k < 4; k++)
                    if (Math.abs(pixels[i + k] - wanted[i + k]) > most) {
                        most = Math.abs(pixels[i + k] - wanted[i + k]);
                        at = [
                            x - left - reach,
                            y - low - reach,
                            [...pixels.subarray(i, i + 4)],
                            [...wanted.subarray(i, i + 4)],
                        ];
                    }
            }
        check(`${what}, ${name}: is drawn`, drawn >= 4 || !isJudged, drawn);
        if (isJudged) worstPixel = Math.max(worstPixel, most);
        check(`${what}, ${name}: a pixel is off by ${most}`, !isJudged || most <= bound, at);
        if (process.argv[3])
            console.log(`${what}, ${name}: ${most}${isJudged ? '' : ' (not judged)'}`, JSON.stringify(at));
    }

    const lengths = await other.evaluate(() => window.clips());
    check(`${what}: has its clips`, lengths.length >= 4, lengths);
    for (const [clip, length] of lengths.entries())
        for (let i = 0; i <= 12; i++) {
            const time = ((length * i) / 12) * 0.999;
            const got = await posePage(tab.page, clip, time),
                poses = await other.evaluate(([k, t]) => window.pose(k, t), [clip, time]);
            const off = Math.max(
                ...poses.flatMap((pose, node) => (pose ? pose.map((value, e) => Math.abs(value - got[node][e])) : []))
            );
            worstPose = Math.max(worstPose, off);
            check(`${what}, clip ${clip} at ${time}: a pose is off by ${off}`, off <= 1e-6);
        }
    check(`${what}: no request, no console message`, tab.problems.length === 0, tab.problems.slice(0, 5));
    check(`${what}: the current three.js is content`, complaints.length === 0, complaints);
    await tab.close();
    await other.close();
}

const browser = await launchPages(chromium),
    files = new Map();
const server = await serveFiles(current, name => files.get(name) ?? path.join(modules, name));
const { glb, squares } = makeFeatures(),
    raw = workFile('features.glb');
fs.writeFileSync(raw, glb);

const html = convert(raw, workFile('features.html'), 'clips=no'),
    delivered = convert(raw, workFile('delivered.glb'), 'profile=deliver', 'clips=none');
await compare('delivered', html, delivered, squares);

// The same page with the GLB as it was made: features that the exporter itself never writes.
const text = fs.readFileSync(html, 'utf8'),
    whole = workFile('whole.html'),
    packed = packBytes(zlib.gzipSync(glb));
fs.writeFileSync(
    whole,
    text.replace(/(id="packed-cell">)[^<]*/, (all, head) => head + packed)
);
await compare('as made', whole, raw, squares);

server.close();
await browser.close();
finish(`${checks} checks, pixels off by at most ${worstPixel} of 255, poses by ${worstPose.toExponential(1)}`);
