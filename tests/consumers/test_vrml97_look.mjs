// What people see of a cell at first, measured in a picture of X_ITE (headless Chromium): how much of the window it fills,
// how bright it is, that every robot is seen, and that a drag turns it about its middle. What belongs to the cell is what
// changes when it is hidden.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findChromium, hasPackages, launch, open, serve, shoot, size } from './browser.mjs';
import { convert, fail, finish, shortName, skip, workFile } from './lib.mjs';

const chromium = findChromium();
if (!chromium)
    skip('consumers/test_vrml97_look needs chromium (apt-get install chromium)');
if (!hasPackages())
    skip('consumers/test_vrml97_look needs x_ite and playwright-core (npm install in tests/consumers)');

const root = path.resolve(import.meta.dirname, '../..');
// DEF names of frames that hold a robot each.
const cells = {
    'samples/demo.wu': ['Arm', 'Arm_Gripper'],
    'samples/deneb/welding/weld.dcr': ['robot_left', 'robot_right'],
    'samples/deneb/assembly/saw.dcr': ['robot', 'gantry', 'gripper'],
    '../shared/corpus/robwork-pa10-2009/PA10.wu': ['Robot'],
};

// Hides or shows a node by its DEF name; y_up is the whole cell.
const show = (tab, name, visible) => tab.evaluate(async ([name, visible]) => {
    window.world.currentScene.getNamedNode(name).visible = visible;
    await window.world.nextFrame();
    await window.world.nextFrame();
}, [name, visible]);

// Colours of the cell, in steps of 16 levels a channel; what takes fewer than 20 pixels is an edge.
function colours(picture, empty) {
    const counts = new Map();
    for (let y = 0; y < size.height; y++)
        for (let x = 0; x < size.width; x++) {
            const a = picture.at(x, y), b = empty.at(x, y);
            if (Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) <= 12)
                continue;
            const key = (a[0] >> 4) << 8 | (a[1] >> 4) << 4 | a[2] >> 4;
            counts.set(key, (counts.get(key) ?? 0) + 1);
        }
    return [...counts.values()].filter(count => count >= 20).length;
}

function changed(before, after) {
    const found = { count: 0, left: size.width, right: -1, top: size.height, bottom: -1, light: 0 };
    for (let y = 0; y < size.height; y++)
        for (let x = 0; x < size.width; x++) {
            const a = before.at(x, y), b = after.at(x, y);
            if (Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) <= 12)
                continue;
            found.count++;
            found.light += (0.2126 * a[0] + 0.7152 * a[1] + 0.0722 * a[2]) / 255;
            found.left = Math.min(found.left, x);
            found.right = Math.max(found.right, x);
            found.top = Math.min(found.top, y);
            found.bottom = Math.max(found.bottom, y);
        }
    return { ...found, light: found.light / found.count, middle: [(found.left + found.right) / 2, (found.top + found.bottom) / 2],
        // of the largest part of the window that is 4 by 3
        share: Math.max((found.right - found.left + 1) / Math.min(size.width, size.height * 4 / 3),
            (found.bottom - found.top + 1) / Math.min(size.height, size.width * 3 / 4)) };
}

const folder = workFile('worlds');
fs.mkdirSync(folder);
const server = await serve(folder), browser = await launch(chromium), complaints = [], told = [];
try {
    for (const [name, robots] of Object.entries(cells)) {
        const input = path.join(root, name);
        if (!fs.existsSync(input))
            continue;
        convert(input, path.join(folder, 'cell.wrl'));
        const tab = await open(browser, server.url, 'cell.wrl', complaints);
        await show(tab, 'y_up', true);
        const whole = await shoot(tab);
        if (process.env.PICTURES)
            await tab.screenshot({ path: path.join(process.env.PICTURES, `${path.basename(name)}.png`) });
        await show(tab, 'y_up', false);
        const empty = await shoot(tab), cell = changed(whole, empty), shades = colours(whole, empty);
        await show(tab, 'y_up', true);
        told.push(`${path.basename(name)} ${(100 * cell.share).toFixed(1)} % wide, light ${cell.light.toFixed(2)}, ${shades} colours`);
        if (!(shades >= 12)) // one colour, lit from one side, has fewer
            fail(`${shortName(input)}: ${shades} colours`);
        if (!(cell.share >= 0.85 && cell.share <= 0.95))
            fail(`${shortName(input)}: the larger side fills ${(100 * cell.share).toFixed(1)} % of the window`);
        if (!(cell.light >= 0.25 && cell.light <= 0.8))
            fail(`${shortName(input)}: mean brightness ${cell.light.toFixed(2)}`);
        for (const robot of robots) {
            await show(tab, robot, false);
            const { count } = changed(whole, await shoot(tab));
            await show(tab, robot, true);
            if (count < 100)
                fail(`${shortName(input)}: ${robot} takes ${count} pixels`);
        }
        // A drag turns the cell about its middle: it stays in the window.
        await tab.mouse.move(20, 20); // where nothing is that a click plays
        await tab.mouse.down();
        await tab.mouse.move(170, 20, { steps: 8 });
        await tab.mouse.up();
        await tab.waitForTimeout(700);
        const turned = await shoot(tab);
        await show(tab, 'y_up', false);
        const after = changed(turned, await shoot(tab));
        if (changed(whole, turned).count < 2000)
            fail(`${shortName(input)}: a drag does not turn it`);
        if (Math.hypot(after.middle[0] - cell.middle[0], after.middle[1] - cell.middle[1]) > 0.15 * size.height)
            fail(`${shortName(input)}: a drag moves the middle from ${cell.middle} to ${after.middle}`);
        await tab.close();
    }
    // A world on standard output has its images in it, and looks like the one that has them beside it.
    const textured = path.join(root, 'samples/gltf_textures.gltf'), pictures = [];
    convert(textured, path.join(folder, 'files.wrl'));
    fs.writeFileSync(path.join(folder, 'stream.wrl'), execFileSync(process.argv[2], ['convert', '-q', textured, '-', '--to', 'vrml97']));
    for (const name of ['files.wrl', 'stream.wrl']) {
        const tab = await open(browser, server.url, name, complaints);
        await tab.waitForTimeout(500);
        pictures.push(await shoot(tab));
        await show(tab, 'y_up', false);
        pictures.push(await shoot(tab));
        await tab.close();
    }
    if (changed(pictures[0], pictures[2]).count > 20) // of edges; a texture upside down is 1,000 and more
        fail(`${changed(pictures[0], pictures[2]).count} pixels differ between ImageTexture and PixelTexture`);
    told.push(`textures ${colours(pictures[0], pictures[1])} colours`);
} finally {
    await browser.close();
    server.close();
}
if (complaints.length > 0)
    fail(complaints[0]);
finish(told.join(', '));
