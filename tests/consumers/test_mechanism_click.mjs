// A real mouse click on the base of a parallel machine in X_ITE (headless Chromium) plays its recording: in every frame that it shows, and at
// 100 exact moments afterwards, the legs reach from base to platform and are as long as their drives say.
import fs from 'node:fs';
import path from 'node:path';
import { findPixels } from './aim.mjs';
import { findChromium, hasPackages, launch, open, press, serve, watch } from './browser.mjs';
import { convert, fail, finish, skip, workFile } from './lib.mjs';
import { check, machines, readRecording, samples, shownPoses, worst } from './machines.mjs';
import { prepare } from './xite.mjs';

const chromium = findChromium();
if (!chromium)
    skip('consumers/test_mechanism_click needs chromium (apt-get install chromium)');
if (!hasPackages())
    skip('consumers/test_mechanism_click needs x_ite and playwright-core (npm install in tests/consumers)');

// Shapes of the base's part, by what they are called.
const isBase = /^mesh_(seat_\d+|rail_\d+|beam)$/;
let frames = 0;
const browser = await launch(chromium);
// Each machine takes its time of play; an ordinary run has the first and the last.
const played = process.env.CELLPIPE_LONG ? machines : [machines[0], machines.at(-1)];
for (const machine of played) {
    const recording = readRecording(machine.name), complaints = [];
    const file = convert(path.join(samples, `${machine.name}.dcr`), workFile('m.wrl'), 'tolerance=5e-7m', 'cycle=3');
    const server = await serve(path.dirname(file)), tab = await open(browser, server.url, path.basename(file), complaints);
    const tree = await tab.evaluate(`(window.cell = (${prepare})(window.world)).tree`);
    const pixel = findPixels(fs.readFileSync(file, 'utf8'), object => {
        while (object && !/^mesh_/.test(object.name))
            object = object.parent;
        return isBase.test(object?.name ?? '') ? 'base' : object?.name;
    }).get('base');
    if (!pixel)
        fail(`${machine.name}: no base is seen`);
    await press(tab, pixel);
    const seen = await watch(tab, 10);
    if (seen.length < 5 || seen.at(-1)[0] !== 1)
        fail(`${machine.name}: ${seen.length} frames only, to ${seen.at(-1)?.[0]}`);
    const see = (what, fraction, values) => {
        const time = fraction * recording.last;
        check(`${machine.name}, ${what}`, machine, time, recording.at(time), shownPoses(machine, tree, values));
    };
    for (const [fraction, values] of seen)
        see('clicked', fraction, values);
    frames += seen.length;
    const fractions = Array.from({ length: 100 }, (_, i) => (i + 0.5) / 100);
    (await tab.evaluate(list => window.cell.drive(list), fractions)).forEach((values, i) => see('told', fractions[i], values));
    complaints.forEach(complaint => fail(`${machine.name}: X_ITE says ${complaint}`));
    await tab.close();
    server.close();
}
await browser.close();
finish(`${frames} frames after clicks on ${played.length} machines, within ${worst.toExponential(1)} of their size`);
