// A part that a controller outside tells to be elsewhere stands there in the page, and a recording with a part is played
// there; without it, it is where the cell has it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findChromium, hasPackages, launch } from './browser.mjs';
import { makeChecks, serve } from './live_client.mjs';
import { listen } from './robots.mjs';

const program = process.argv[2], cell = path.resolve(import.meta.dirname, '../../samples/demo.wu');
const chromium = findChromium();
if (!chromium || !hasPackages()) {
    console.log('skipped: consumers/test_live_parts needs chromium and playwright-core');
    process.exit(77);
}
const { check, end: endChecks } = makeChecks();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parts-')), at = name => path.join(folder, name);
const browser = await launch(chromium);

// Where the part is in the page's world, whose Y is up.
async function open(port) {
    const tab = await browser.newPage({ viewport: { width: 400, height: 300 } });
    await tab.goto(`http://127.0.0.1:${port}/`);
    await tab.waitForFunction(() => globalThis.cellpipe?.live?.state);
    return tab;
}
// Waits until its coordinates are in ranges.
const near = (value, room = 1e-6) => [value - room, value + room], any = [-9, 9];
const until = (tab, ranges) =>
    tab.waitForFunction(wanted => {
        const { object } = cellpipe.cell.byId.get('node Part').node, e = object.matrixWorld.elements;
        return [e[12], -e[14], e[13]].every((value, i) => value >= wanted[i][0] && value <= wanted[i][1]);
    }, ranges, { timeout: 20000 }).then(() => true, () => false);
try {
    const robot = await listen(null, at('robot'));
    let server = await serve(program, [cell, '--controller', `jsonl:unix:${at('robot')}`]);
    await robot.until(1);
    const again = setInterval(() => robot.raw('{"mode":"ready"}\n'), 200);
    robot.raw('{"q":{"Arm.J1":0.45}}\n');
    const tab = await open(server.port);
    check('it is where the cell has it', await until(tab, [near(0.4632), near(0.2237), near(0.71)]));
    robot.raw('{"q":{"Arm.J1":0.5},"moved":{"Part":[0,-1,0,0.1,1,0,0,-0.4,0,0,1,1.25]}}\n');
    check('it is where it is told to be', await until(tab, [near(0.1), near(-0.4), near(1.25)]));
    robot.raw('{"q":{"Arm.J1":0.55}}\n');
    await tab.waitForFunction(() => Math.abs(cellpipe.cell.byId.get('joint Arm.J1').q - 0.55) < 1e-6);
    check('it stays', await until(tab, [near(0.1), near(-0.4), near(1.25)]));
    robot.raw('{"moved":{"Part":null}}\n');
    check('it is back', await until(tab, [near(0.4632), near(0.2237), near(0.71)]));
    clearInterval(again);
    server.child.kill();
    robot.close();

    execFileSync(program, ['program', cell, at('pick.glb'), `file=${path.resolve(cell, '../demo/pick.prg')}`, 'device=Arm', '-q']);
    server = await serve(program, [at('pick.glb'), '--controller', 'recording']);
    const other = await open(server.port);
    check('the recording lifts it', await until(other, [any, [-9, 0.2], [0.75, 9]]));
    check('and puts it down', await until(other, [any, near(-0.05, 0.01), near(0.71, 1e-4)]));
    check('and begins anew', await until(other, [near(0.4632), near(0.2237), near(0.71)]));
    server.child.kill();
} finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
}
endChecks();
