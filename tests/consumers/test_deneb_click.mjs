// A real mouse click on a device's base in X_ITE (headless Chromium) plays the recording: in every frame that it shows all parts are where
// a plain simulation has them, whatever joints were clicked before. A joint that begins stops the recording, and the other way round. With
// play=auto or loop it begins by itself. And the page's X_ITE, told 100 exact moments, does as the one in node.
import fs from 'node:fs';
import path from 'node:path';
import { findPixels } from './aim.mjs';
import { findChromium, hasPackages, launch, open, press, serve, watch } from './browser.mjs';
import { cells, distanceOf, sampleTimes } from './deneb_cells.mjs';
import { convert, fail, finish, info, skip, workFile } from './lib.mjs';
import { prepare, visiblePoses } from './xite.mjs';

const chromium = findChromium();
if (!chromium)
    skip('consumers/test_deneb_click needs chromium (apt-get install chromium)');
if (!hasPackages())
    skip('consumers/test_deneb_click needs x_ite and playwright-core (npm install in tests/consumers)');

let worst = 0, frames = 0;
const fractionOf = (cell, time) => (time - cell.first) / (cell.last - cell.first);
const timeOf = (cell, fraction) => cell.first + fraction * (cell.last - cell.first);

function compare(what, cell, tree, values, time, bound) {
    const wanted = cell.at(time), poses = visiblePoses(tree, values);
    for (const part of cell.parts) {
        const copies = poses.get(`shape_${part.name}`) ?? [];
        const off = copies.length === 1 ? distanceOf(part, wanted.get(part.name), copies[0]) : `${copies.length} copies`;
        if (!(off <= bound))
            fail(`${what} at ${time}: ${part.name} is off by ${off} m`);
        else
            worst = Math.max(worst, off);
    }
}

// The part that a shape is of.
const partOf = object => {
    while (object && !object.name.startsWith('mesh_shape_'))
        object = object.parent;
    return object?.name.slice('mesh_shape_'.length);
};

function compareFrames(seen, cell, tree, what, bound) {
    if (seen.length < 5 || seen.at(-1)[0] !== 1)
        fail(`${what}: ${seen.length} frames only, to ${seen.at(-1)?.[0]}`);
    for (const [fraction, values] of seen) {
        const time = timeOf(cell, fraction);
        if (cell.changeTimes.every(moment => Math.abs(moment - time) > 1e-6))
            compare(what, cell, tree, values, time, bound);
    }
    frames += seen.length;
}

async function clickParts(tab, tree, cell, pixels, what, bound) {
    const moved = cell.parts.find(part => part.device.joints.some(joint => joint.part === part.name) && pixels.has(part.name));
    const base = cell.parts.find(part => part.name.endsWith('_base') && pixels.has(part.name));
    const activeTimers = () => tab.evaluate(() => [...window.world.currentScene.namedNodes].map(entry => entry.node ?? entry)
        .filter(node => node.getNodeTypeName() === 'TimeSensor' && node.isActive).map(node => node.getNodeName()));
    const expectActive = async expected => {
        let active = await activeTimers();
        for (let waited = 0; waited < 10 && !expected(active); waited += 0.05) {
            await tab.waitForTimeout(50);
            active = await activeTimers();
        }
        if (!expected(active))
            fail(`${what}: active are ${active}`);
    };
    const isRecording = name => name.startsWith('play_'), onlyRecording = active => active.length === 1 && isRecording(active[0]);
    const onlyJoint = active => active.length === 1 && !isRecording(active[0]);
    const begin = name => tab.evaluate(wanted => { window.world.currentScene.getNamedNode(wanted).startTime = Date.now() / 1000; }, name);
    await press(tab, pixels.get(moved.name));
    await expectActive(onlyJoint);
    const [joint] = await activeTimers(), recording = await tab.evaluate(() => window.cell.timer.getNodeName());
    await expectActive(active => active.length === 0);
    await press(tab, pixels.get(base.name));
    compareFrames(await watch(tab, 10), cell, tree, `${what}, clicked`, bound);
    await begin(recording);
    await expectActive(onlyRecording);
    await begin(joint);
    await expectActive(onlyJoint);
    await begin(recording);
    await expectActive(onlyRecording);
    compareFrames(await watch(tab, 10), cell, tree, `${what}, begun again`, bound);
}

async function playCell(browser, cell) {
    const [, recording] = cell.write(workFile(cell.name)), what = cell.name, [lower, upper] = info(recording).bounds;
    const bound = 2e-6 * Math.hypot(...upper.map((value, i) => value - lower[i])), complaints = [];
    const file = convert(recording, workFile('cell.wrl'), 'tolerance=0', 'cycle=3');
    const plain = fs.readFileSync(file, 'utf8');
    const server = await serve(path.dirname(file)), tab = await open(browser, server.url, path.basename(file), complaints);
    const tree = await tab.evaluate(`(window.cell = (${prepare})(window.world)).tree`), times = sampleTimes(cell, 100);
    await clickParts(tab, tree, cell, findPixels(plain, partOf), what, bound);
    const seen = await tab.evaluate(fractions => window.cell.drive(fractions), times.map(time => fractionOf(cell, time)));
    times.forEach((time, i) => compare(what, cell, tree, seen[i], time, bound));
    complaints.forEach(complaint => fail(`${what}: X_ITE says ${complaint}`));
    await tab.close();
    server.close();
}

// Without a click: once, or over and over from its first moment.
async function playByItself(browser, cell, way) {
    const [, recording] = cell.write(workFile(cell.name)), complaints = [];
    const file = convert(recording, workFile('cell.wrl'), `play=${way}`, 'cycle=1.5'), server = await serve(path.dirname(file));
    const tab = await open(browser, server.url, path.basename(file), complaints);
    await tab.evaluate(`window.cell = (${prepare})(window.world)`);
    const seen = await tab.evaluate(async () => {
        const { timer } = window.cell, begun = performance.now(), fractions = [];
        while (performance.now() - begun < 4000) {
            fractions.push(timer.isActive ? timer.fraction_changed : -1);
            await window.world.nextFrame();
        }
        return fractions;
    });
    if (!seen.some(fraction => fraction > 0) || (seen.at(-1) >= 0) !== (way === 'loop'))
        fail(`${cell.name}, play=${way}: ${seen.filter(fraction => fraction > 0).length} of ${seen.length} frames move, the last is at ${seen.at(-1)}`);
    complaints.forEach(complaint => fail(`${cell.name}, play=${way}: X_ITE says ${complaint}`));
    await tab.close();
    server.close();
}

// Each cell takes its time of play.
const played = ['nistir', 'two_at_once', ...process.env.CELLPIPE_LONG ? ['thrice'] : []];
const browser = await launch(chromium);
for (const cell of cells.filter(({ name }) => played.includes(name)))
    await playCell(browser, cell);
for (const way of ['auto', 'loop'])
    await playByItself(browser, cells.find(({ name }) => name === 'nistir'), way);
await browser.close();
if (frames === 0)
    fail('nothing was played');
finish(`${frames} frames after clicks; ${worst.toExponential(1)} m`);
