// A real mouse click on a link in X_ITE (headless Chromium) turns that link's joint through its limits and back, the
// joints that depend on it with it, and no other. The pixels to click are found by casting rays through the Viewpoint
// with three; every motion seen is compared, as a matrix, with what the time that has gone asks for. Links that the whole
// cell hides are clicked in a world of the device alone.
import fs from 'node:fs';
import path from 'node:path';
import { findPixels } from './aim.mjs';
import { findChromium, hasPackages, launch, open, serve } from './browser.mjs';
import {
    distance, fail, finish, info, inputs, jointMotion, jointValue, program, readScene, rotation, run, shortName, skip, workFile,
} from './lib.mjs';

const chromium = findChromium();
if (!chromium)
    skip('consumers/test_vrml97_click needs chromium (apt-get install chromium)');
if (!hasPackages())
    skip('consumers/test_vrml97_click needs x_ite and playwright-core (npm install in tests/consumers)');

const devices = { 'samples/demo.wu': 'Arm', 'samples/joints.gltf': undefined, 'robwork-snippets/workcell.wu': 'Device' };
const cells = Object.entries(devices)
    .flatMap(([name, device]) => inputs().filter(file => file.endsWith(`/${name}`)).map(file => [file, device]));

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

// Seconds and values of a driving joint's way: home, lower, upper, home at one speed in 4 s, each leg at least half a second.
// Without limits a joint turns 180 degrees each way or slides half the cell's diagonal.
function sweepOf({ type, lower, upper, home }, diagonal) {
    const reach = type === 'revolute' ? Math.PI : diagonal / 2;
    const values = [home, Number.isFinite(lower) ? lower : home - reach, Number.isFinite(upper) ? upper : home + reach, home];
    const legs = [1, 2, 3].map(i => Math.abs(values[i] - values[i - 1])), way = legs[0] + legs[1] + legs[2], times = [0];
    legs.forEach((leg, i) => times.push(times[i] + Math.max(4 * leg / way, 0.5)));
    return { times, values };
}

function valueAt({ times, values }, time) {
    const at = Math.min(Math.max(time, 0), times[3]), i = at <= times[1] ? 1 : at <= times[2] ? 2 : 3;
    return values[i - 1] + (values[i] - values[i - 1]) * (at - times[i - 1]) / (times[i] - times[i - 1]);
}

// The value of a joint when that part of its part's play has gone: the joints of a part move one after the other.
function expectedValue(scene, joint, fraction) {
    const driver = driverOf(scene, joint);
    const sweeps = scene.nodes.get(driver.node).joints.filter(it => it === driverOf(scene, it) && canMove(scene, it))
        .map(it => ({ it, sweep: sweepOf(it, scene.diagonal) }));
    const seconds = fraction * sweeps.reduce((sum, { sweep }) => sum + sweep.times[3], 0), q = new Map();
    let start = 0;
    for (const { it, sweep } of sweeps) {
        q.set(it.id, valueAt(sweep, seconds - start));
        start += sweep.times[3];
    }
    return jointValue(scene, joint, q);
}

// ---- where to click ----

// The DEF name of the innermost joint above a shape, or undefined.
function jointAbove(object) {
    while (object && !object.name.startsWith('motion_'))
        object = object.parent;
    return object?.name;
}

// ---- what a click does ----

const fields = { revolute: 'rotation', prismatic: 'translation', scale: 'scale' };

// Watches all timers, and the Transforms of the joints, [[DEF name, field]]: each event is [fraction gone, name, values].
// A play takes a third of its time: what counts is the fraction that has gone.
const watch = (tab, names) => tab.evaluate(list => {
    const scene = window.world.currentScene;
    window.events = [];
    window.fraction = 0;
    for (const node of [...scene.namedNodes].map(entry => entry.node ?? entry))
        if (node.getNodeTypeName() === 'TimeSensor') {
            node.cycleInterval /= 3;
            node.addFieldCallback('test', 'fraction_changed', value => { window.fraction = value; });
        }
    for (const [name, field] of list)
        scene.getNamedNode(name).addFieldCallback('test', field,
            value => window.events.push([window.fraction, name, [...value]]));
}, names);

const timersRun = tab => tab.evaluate(() => [...window.world.currentScene.namedNodes].map(entry => entry.node ?? entry)
    .some(node => node.getNodeTypeName() === 'TimeSensor' && node.isActive));

async function click(tab, pixel) {
    await tab.evaluate(() => { window.events.length = 0; });
    await tab.mouse.move(pixel.x - 2, pixel.y);
    await tab.mouse.move(pixel.x, pixel.y);
    await tab.waitForTimeout(150);
    await tab.mouse.down();
    await tab.mouse.up();
    for (let waited = 0; waited < 5 && !await timersRun(tab); waited += 0.05)
        await tab.waitForTimeout(50);
    for (let waited = 0; waited < 60 && await timersRun(tab); waited += 0.25)
        await tab.waitForTimeout(250);
    await tab.waitForTimeout(200);
    return tab.evaluate(() => window.events.slice());
}

function matrixOf([x, y, z, angle]) {
    const length = Math.hypot(x, y, z);
    return length > 0 ? rotation([x / length, y / length, z / length], angle) : rotation([0, 0, 1], 0);
}

function motionShown(joint, numbers) {
    if (joint.type === 'revolute')
        return matrixOf(numbers);
    if (joint.type === 'scale') // one factor along the axis, in the file's own scaleOrientation
        return jointMotion(joint, numbers[0] * numbers[1] * numbers[2]);
    return [1, 0, 0, numbers[0], 0, 1, 0, numbers[1], 0, 0, 1, numbers[2]];
}

function compareJoint(what, scene, joint, events) {
    const wrong = events.find(([fraction, , numbers]) =>
        distance(motionShown(joint, numbers), jointMotion(joint, expectedValue(scene, joint, fraction))) > 1e-3);
    if (wrong)
        fail(`${what}: ${joint.name} is at ${wrong[2]} when ${wrong[0]} of its time has gone`);
    const fractions = events.map(event => event[0]);
    if (events.length < 5 || Math.max(...fractions) !== 1) // a slow machine draws few frames
        fail(`${what}: ${joint.name} moved ${events.length} times only`);
    if (events.length > 0 && distance(motionShown(joint, events.at(-1)[2]), jointMotion(joint, expectedValue(scene, joint, 1))) > 1e-5)
        fail(`${what}: ${joint.name} ended at ${events.at(-1)[2]}, not at home`);
}

// Each click takes a joint's time of play; an ordinary run has a few in each world.
const mostClicks = process.env.CELLPIPE_LONG ? Infinity : 3;
let clicks = 0;

async function clickLink(tab, scene, names, nearest, pixel, what) {
    const events = await click(tab, pixel), expected = expectedJoints(scene, nearest);
    clicks++;
    for (const [name, joint] of names) {
        const own = events.filter(event => event[1] === name);
        if (expected.includes(joint))
            compareJoint(what, scene, joint, own);
        else if (own.length > 0)
            fail(`${what}: ${joint.name} moved too`);
    }
}

// DEF names of the joints' Transforms: from the strings in the WorldInfo.
function jointNames(text, scene) {
    const names = new Map(), left = [...scene.joints.values()];
    for (const [, name, original] of text.matchAll(/"joint (motion_\w+) [^"]*name=([^"]*)"/g))
        names.set(name, left.splice(left.findIndex(joint => joint.name === original), 1)[0]);
    return names;
}

async function clickWorld(browser, scene, file, what, done) {
    const text = fs.readFileSync(file, 'utf8'), complaints = [], server = await serve(path.dirname(file));
    const names = jointNames(text, scene), pixels = findPixels(text, jointAbove);
    const tab = await open(browser, server.url, path.basename(file), complaints);
    await watch(tab, [...names].map(([name, joint]) => [name, fields[joint.type]]));
    let left = mostClicks;
    for (const [name, joint] of names)
        if (canMove(scene, joint) && pixels.has(name) && !done.has(joint) && left-- > 0) {
            scene.nodes.get(joint.node).joints.forEach(it => done.add(it));
            await clickLink(tab, scene, names, joint, pixels.get(name), `${what}: a click on ${joint.name}`);
        }
    complaints.forEach(complaint => fail(`${what}: X_ITE says ${complaint}`));
    await tab.close();
    server.close();
}

function filter(input, name, ...steps) {
    const output = workFile(name), { code, stderr } = run(program, 'convert', '-q', input, output, ...steps);
    if (code !== 0)
        throw new Error(stderr);
    return output;
}

// The pixels hold from click to click because every joint starts where a click leaves it: at home.
async function testCell(browser, input, device) {
    const cell = filter(input, 'home.glb', '--out', 'profile=stage', '!', 'pose', 'home=yes'), what = shortName(input);
    const scene = readScene(cell), done = new Set(), [lower, upper] = info(cell).bounds;
    scene.diagonal = Math.hypot(...upper.map((value, i) => value - lower[i]));
    await clickWorld(browser, scene, filter(cell, 'cell.wrl'), what, done);
    if (device)
        await clickWorld(browser, scene, filter(cell, 'cell.wrl', '!', 'select', `device=${device}`), `${what} (${device})`, done);
    for (const joint of mostClicks === Infinity ? scene.joints.values() : [])
        if (canMove(scene, joint) && !done.has(joint))
            console.log(`${what}: nothing of ${joint.name} is seen`);
}

const browser = await launch(chromium);
for (const [input, device] of cells)
    await testCell(browser, input, device);
await browser.close();
if (clicks < Math.min(4, mostClicks) * cells.length)
    fail(`only ${clicks} links could be clicked`);
finish(`${cells.length} cells, ${clicks} clicks`);
