// A live cell whose names are markup, quotes, letters that turn the order of others, or 10,000 characters: its page makes no
// element of them, asks for nothing, and its buttons stay where they are.
import fs from 'node:fs';
import path from 'node:path';
import { findChromium, hasPackages, launch } from './browser.mjs';
import { makeChecks } from './live_client.mjs';
import { makePeople, openHall, take, until, visit } from './live_pages.mjs';

const program = process.argv[2], chromium = findChromium();
if (!chromium || !hasPackages()) {
    console.log('skipped: consumers/test_live_names needs chromium and playwright-core');
    process.exit(77);
}
const { check, end: endChecks } = makeChecks();

const markup = '<img src=x onerror="window.evil=1">', turned = '\u202etfel\u202e"\'`</b><b>', long = `<evil-tag>${'É'.repeat(9990)}`;
const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const link = (name, z) => `<link name="${escape(name)}"><visual><origin xyz="0 0 ${z}"/><geometry><box size="0.1 0.1 0.1"/></geometry></visual>
<collision><origin xyz="0 0 ${z}"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>`;
const joint = (name, parent, child, axis) => `<joint name="${escape(name)}" type="prismatic"><parent link="${escape(parent)}"/>
<child link="${escape(child)}"/><axis xyz="${axis}"/><limit lower="-1" upper="1" velocity="0.5" effort="1"/></joint>`;
const urdf = `<robot name="${escape(markup)}">${link(markup, 0)}${link(turned, 0.106)}${link(long, 0.108)}
${joint(`${markup} 1`, markup, turned, '0 0 1')}${joint(`${long} 2`, turned, long, '1 0 0')}</robot>`;

const viewer = '<img src=y onerror=evil=2>', operator = '\u202erotarepo</bdi><evil-tag>';
const { folder, people } = makePeople(program, { [viewer]: 'viewer', [operator]: 'operator', tina: 'teacher' });
const cell = path.join(folder, '<img src=z onerror=evil=3>.urdf');
fs.writeFileSync(cell, urdf);
const browser = await launch(chromium), hall = await openHall(program, [cell, '--users', people], browser);

const harmless = async (tab, where) =>
    check(`${where}: no element is made of a name`, await tab.evaluate(() => window.evil === undefined &&
        document.querySelectorAll('img, evil-tag, b').length === 0));
const inReach = (tab, where) => tab.evaluate(() => ['live-emergency', 'live-out'].every(id => {
    const box = document.getElementById(id).getBoundingClientRect();
    return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.id === id;
})).then(good => check(`${where}: STOP NOW and Log out are in reach`, good));

try {
    const tina = await visit(hall, 'tina'), small = { width: 390, height: 700 };
    check('the names are there', await tina.title() === path.basename(cell) && await tina.evaluate(() =>
        cellpipe.live.joints.some(id => id.startsWith('<img')) && document.getElementById('live-near').textContent.includes('<evil-tag>')));
    await take(tina);
    const minus = tina.locator('.jog').first().getByText('−', { exact: true });
    await minus.focus();
    await tina.keyboard.down(' ');
    await tina.waitForFunction(() => /would touch/.test(document.getElementById('live').textContent + document.getElementById('says').textContent));
    await tina.keyboard.up(' ');
    await until(tina, 'ready');
    await tina.locator('#live-program').fill(`PRINT "${markup}"\n${markup} 1\n`);
    await take(tina);
    await tina.locator('#live-send').click();
    await tina.locator('#live-errors li').first().waitFor();
    for (const panel of ['tree', 'pairs', 'more', 'joints'])
        if (await tina.locator(`#tab-${panel}`).isVisible()) await tina.locator(`#tab-${panel}`).click();
    await tina.evaluate(() => cellpipe.cell.frames.forEach(frame => cellpipe.choose(frame)));
    await tina.evaluate(name => cellpipe.live.ask({ type: 'program', name, text: 'END\n' }), markup);
    await harmless(tina, 'a teacher');
    await inReach(tina, 'a teacher');
    await tina.locator('#live-take').click();
    const otto = await visit(hall, operator, { viewport: small });
    await take(otto);
    await harmless(otto, 'an operator');
    await inReach(otto, 'an operator');
    await tina.waitForFunction(() => document.getElementById('live-line').textContent.includes('rotarepo</bdi><evil-tag> has taken over'));
    check('a name turns no other words', await tina.evaluate(() =>
        getComputedStyle(document.querySelector('#live-line bdi')).unicodeBidi === 'isolate'));
    const vera = await visit(hall, viewer, { viewport: small });
    await vera.locator('#live-emergency').click();
    await until(tina, 'emergency');
    check('who it was is told as text', (await tina.locator('#live-line').textContent()).includes(`STOP NOW by ${viewer}`));
    await harmless(tina, 'all');
    await harmless(vera, 'a viewer');
    if (process.env.SHOTS) {
        await tina.screenshot({ path: `${process.env.SHOTS}/names.png` });
        await otto.screenshot({ path: `${process.env.SHOTS}/names_phone.png` });
    }
    check('nothing was asked for, and nothing went wrong', hall.complaints.length === 0, hall.complaints);
} finally {
    await browser.close();
    hall.child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true });
}
endChecks();
