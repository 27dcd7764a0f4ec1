// A real mouse click on a link in X_ITE (headless Chromium) turns that link's joint through its limits and back, the
// joints that depend on it with it, and no other. The pixels to click are found by casting rays through the Viewpoint
// with three; rotations are compared as matrices.
import fs from 'node:fs';
import path from 'node:path';
import { PerspectiveCamera, Quaternion, Raycaster, Vector2, Vector3 } from 'three';
import { VRMLLoader } from 'three/examples/jsm/loaders/VRMLLoader.js';
import { findChromium, hasPackages, launch, open, serve, size } from './browser.mjs';
import { convert, distance, fail, finish, inputs, jointValue, readScene, rotation, shortName, skip, workFile } from './lib.mjs';

const chromium = findChromium();
if (!chromium)
    skip('consumers/test_vrml97_click needs chromium (apt-get install chromium)');
if (!hasPackages())
    skip('consumers/test_vrml97_click needs x_ite and playwright-core (npm install in tests/consumers)');

const cells = inputs().filter(file => /samples\/demo\.wu$|robwork-snippets\/workcell\.wu$/.test(file));

// ---- what a click should do, from the scene ----

const driverOf = (scene, joint) => joint.master === undefined ? joint : scene.joints.get(joint.master);

function canMove(scene, joint) {
    const driver = driverOf(scene, joint), still = driver.lower === driver.upper && driver.upper === driver.home;
    return joint.type !== 'fixed' && driver.driven && !still;
}

// The joints that a click on a shape below `nearest` moves: those that its part's joints drive.
function expectedJoints(scene, nearest) {
    const part = scene.nodes.get(driverOf(scene, nearest).node);
    return [...scene.joints.values()].filter(joint => canMove(scene, joint) && part.joints.includes(driverOf(scene, joint)));
}

function range(scene, joint) {
    const driver = driverOf(scene, joint), ends = [driver.lower, driver.upper, driver.home]
        .map((value, i) => Number.isFinite(value) ? value : driver.home + [-Math.PI, Math.PI][i])
        .map(value => jointValue(scene, joint, new Map([[driver.id, value]])));
    return { lower: Math.min(...ends), upper: Math.max(...ends), home: ends[2] };
}

// ---- where to click ----

function readCamera(text) {
    const numbers = field => text.match(new RegExp(`Viewpoint \\{[^}]*\\b${field} ([^\\n]*)`))[1].split(' ').map(Number);
    const camera = new PerspectiveCamera(0.785398 * 180 / Math.PI, size.width / size.height, 0.001, 1000);
    camera.position.fromArray(numbers('position'));
    const [x, y, z, angle] = numbers('orientation');
    camera.quaternion.setFromAxisAngle(new Vector3(x, y, z), angle);
    camera.updateMatrixWorld(true);
    return camera;
}

// The DEF name of the innermost joint above what is seen at a pixel, or undefined.
function seenAt(world, camera, x, y) {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((x + 0.5) / size.width * 2 - 1, 1 - (y + 0.5) / size.height * 2), camera);
    let object = ray.intersectObject(world, true)[0]?.object;
    while (object && !object.name.startsWith('motion_'))
        object = object.parent;
    return object?.name;
}

// For each joint the pixel that is farthest from the edges of what belongs to it.
function findPixels(text) {
    const world = new VRMLLoader().parse(text, ''), camera = readCamera(text), step = 2, pixels = new Map();
    world.updateMatrixWorld(true);
    const columns = Math.floor(size.width / step), rows = Math.floor(size.height / step);
    const seen = Array.from({ length: rows }, (_, row) =>
        Array.from({ length: columns }, (_, column) => seenAt(world, camera, column * step, row * step)));
    const margin = (row, column) => {
        for (let reach = 1; ; reach++)
            for (let r = row - reach; r <= row + reach; r++)
                for (let c = column - reach; c <= column + reach; c++)
                    if (seen[r]?.[c] !== seen[row][column])
                        return reach;
    };
    seen.forEach((line, row) => line.forEach((name, column) => {
        const found = name && { x: column * step, y: row * step, margin: margin(row, column) };
        if (name && found.margin > 1 && !(pixels.get(name)?.margin >= found.margin))
            pixels.set(name, found);
    }));
    return pixels;
}

// ---- what a click does ----

const fields = { revolute: 'rotation', prismatic: 'translation', scale: 'scale' };

// Watches the Transforms of the joints: [[DEF name, field]].
const watch = (tab, names) => tab.evaluate(list => {
    window.events = [];
    for (const [name, field] of list) {
        const node = window.world.currentScene.getNamedNode(name);
        node.addFieldCallback('test', field, value => window.events.push([name, [...value]]));
    }
}, names);

const readFields = (tab, names) => tab.evaluate(list => list.map(([name, field]) =>
    [...window.world.currentScene.getNamedNode(name)[field]]), names);

const timersRun = tab => tab.evaluate(() => [...window.world.currentScene.namedNodes].map(entry => entry.node ?? entry)
    .some(node => node.getNodeTypeName() === 'TimeSensor' && node.isActive));

async function click(tab, pixel) {
    await tab.evaluate(() => { window.events.length = 0; });
    await tab.mouse.move(pixel.x - 2, pixel.y);
    await tab.mouse.move(pixel.x, pixel.y);
    await tab.waitForTimeout(150);
    await tab.mouse.down();
    await tab.mouse.up();
    await tab.waitForTimeout(400);
    for (let waited = 0; waited < 30 && await timersRun(tab); waited += 0.25)
        await tab.waitForTimeout(250);
    await tab.waitForTimeout(200);
    return tab.evaluate(() => window.events.slice());
}

function matrixOf([x, y, z, angle]) {
    const length = Math.hypot(x, y, z);
    return length > 0 ? rotation([x / length, y / length, z / length], angle) : rotation([0, 0, 1], 0);
}

// The joint value that a Transform's field shows, near `last`; undefined when it shows none.
function valueShown(joint, numbers, last) {
    if (joint.type === 'prismatic') {
        const q = numbers.reduce((sum, value, i) => sum + value * joint.axis[i], 0);
        return numbers.every((value, i) => Math.abs(value - q * joint.axis[i]) < 1e-5) ? q : undefined;
    }
    const axis = new Vector3(...joint.axis), [x, y, z, angle] = numbers;
    const across = (Math.abs(axis.x) < 0.6 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0)).cross(axis).normalize();
    const turned = across.clone().applyQuaternion(new Quaternion().setFromAxisAngle(new Vector3(x, y, z).normalize(), angle));
    let q = Math.atan2(turned.dot(axis.clone().cross(across)), turned.dot(across));
    q += 2 * Math.PI * Math.round((last - q) / (2 * Math.PI));
    return distance(matrixOf(numbers), rotation(joint.axis, q)) < 1e-4 ? q : undefined;
}

function compareJoint(what, scene, joint, events) {
    const { lower, upper, home } = range(scene, joint), reach = 0.1 * (upper - lower), slack = 1e-4 * (1 + upper - lower);
    let last = home;
    const values = events.map(numbers => last = valueShown(joint, numbers, last) ?? NaN);
    if (values.length < 10)
        return fail(`${what}: ${joint.name} moved ${values.length} times only`);
    const least = Math.min(...values), most = Math.max(...values);
    if (!(least >= lower - slack && most <= upper + slack && least <= lower + reach && most >= upper - reach))
        fail(`${what}: ${joint.name} went from ${least} to ${most}, not from ${lower} to ${upper}`);
    if (!(Math.abs(last - home) <= slack))
        fail(`${what}: ${joint.name} ended at ${last}, not at ${home}`);
}

let clicks = 0;

async function clickLink(tab, scene, names, nearest, pixel, what) {
    const list = [...names].map(([name, joint]) => [name, fields[joint.type]]);
    const events = await click(tab, pixel), expected = expectedJoints(scene, nearest), after = await readFields(tab, list);
    clicks++;
    list.forEach(([name], i) => {
        const joint = names.get(name), own = events.filter(event => event[0] === name).map(event => event[1]);
        if (expected.includes(joint))
            compareJoint(what, scene, joint, [...own, after[i]]);
        else if (own.length > 0)
            fail(`${what}: ${joint.name} moved too`);
    });
}

// DEF names of the joints' Transforms: from the strings in the WorldInfo.
function jointNames(text, scene) {
    const names = new Map();
    for (const [, name, original] of text.matchAll(/"joint (motion_\w+) [^"]*name=([^"]*)"/g))
        names.set(name, [...scene.joints.values()].find(joint => joint.name === original));
    return names;
}

async function testCell(browser, input) {
    const file = convert(input, workFile('cell.wrl')), text = fs.readFileSync(file, 'utf8'), complaints = [];
    const scene = readScene(input), names = jointNames(text, scene), pixels = findPixels(text);
    const server = await serve(path.dirname(file));
    const tab = await open(browser, server.url, path.basename(file), complaints);
    await watch(tab, [...names].map(([name, joint]) => [name, fields[joint.type]]));
    for (const [name, joint] of names) {
        const pixel = pixels.get(name), what = `${shortName(input)}: a click on ${joint.name}`;
        if (!canMove(scene, joint) || !pixel)
            console.log(`${what}: ${pixel ? 'it does not move' : 'nothing of it is seen'}`);
        else
            await clickLink(tab, scene, names, joint, pixel, what);
    }
    complaints.forEach(complaint => fail(`${shortName(input)}: X_ITE says ${complaint}`));
    await tab.close();
    server.close();
}

const browser = await launch(chromium);
for (const input of cells)
    await testCell(browser, input);
await browser.close();
if (clicks < 3 * cells.length)
    fail(`only ${clicks} links could be clicked`);
finish(`${cells.length} cells, ${clicks} clicks`);
