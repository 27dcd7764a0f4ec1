// The page of a live cell as people use it: jogs by keys, fingers and a pointer that is lost, errors in a program, files and
// programs of the server, texts that are in no file, two tabs of a user, colours of what is near, a phone, a server that is
// silent, and one that comes back with another cell.
import fs from 'node:fs';
import path from 'node:path';
import { findChromium, hasPackages, launch } from './browser.mjs';
import { makeChecks } from './live_client.mjs';
import { give, isThere, logIn, makePeople, openHall, take, until, visit } from './live_pages.mjs';

const program = process.argv[2], samples = path.resolve(import.meta.dirname, '../../samples');
const chromium = findChromium();
if (!chromium || !hasPackages()) {
    console.log('skipped: consumers/test_live_page needs chromium and playwright-core');
    process.exit(77);
}
const { check, end: endChecks } = makeChecks();

const says = (tab, words) => tab.waitForFunction(text => document.getElementById('says').textContent.includes(text), words);
const modeOf = tab => tab.evaluate(() => cellpipe.live.mode.mode);
const jogButton = (tab, joint, sign = '−') => tab.locator('.jog', { hasText: joint }).getByText(sign, { exact: true });

// A jog goes as far as the machine is slow: what follows would begin near a link, or at a limit.
async function goBack(tab, q) {
    for (let tries = 0; tries < 20; tries++) {
        await take(tab);
        const answer = await tab.evaluate(to => cellpipe.live.ask({ type: 'move', q: to, speed: 1 }), q);
        if (answer.type === 'done') break;
    }
    await tab.waitForFunction(to => cellpipe.live.mode.mode === 'ready' &&
        cellpipe.live.state.q.every((value, i) => Math.abs(value - to[i]) < 1e-6), q);
}

// Begins a jog by `begin`, ends it by `end`: then the cell rests, though no button was let go otherwise.
async function tryJog(tab, name, begin, end) {
    await take(tab);
    const from = await tab.evaluate(() => cellpipe.live.state.q);
    await begin();
    await tab.waitForFunction(q => cellpipe.live.state.q[1] < q - 0.002, from[1]);
    await end();
    check(`${name} ends the jog`, await tab.evaluate(() => cellpipe.live.jog === null && !document.querySelector('.held')));
    await until(tab, 'ready');
    await goBack(tab, from);
}

// The gripper stands around a part at first: up, where it is free.
async function lift(tina) {
    await tina.locator('#live-program').fill('SPEED 250\nIMOV 0, 0, 120\nEND\n');
    await take(tina);
    await tina.locator('#live-download').click();
    await says(tina, 'is loaded');
    await take(tina);
    await tina.locator('#live-run').click();
    await until(tina, 'running');
    await until(tina, 'ready');
}

async function jog(tina, otto) {
    const button = jogButton(tina, 'Arm.J2');
    const press = async () => {
        await button.scrollIntoViewIfNeeded();
        const box = await button.boundingBox();
        await tina.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await tina.mouse.down();
    };
    const hold = async () => {
        await button.focus();
        await tina.keyboard.down(' ');
    };
    const tell = (type, at = 'window') => tina.evaluate(([event, target]) =>
        (target === 'window' ? window : document.querySelector('.held')).dispatchEvent(new Event(event)), [type, at]);
    await tryJog(tina, 'the space bar let go', hold, () => tina.keyboard.up(' '));
    await tryJog(tina, 'Escape', hold, () => tina.keyboard.press('Escape'));
    await tina.keyboard.up(' ');
    await tryJog(tina, 'a window without the focus', press, () => tell('blur'));
    await tina.mouse.up();
    await tryJog(tina, 'a pointer that is lost', press, () => tell('lostpointercapture', 'button'));
    await tina.mouse.up();
    await tryJog(tina, 'the stop of another', press, async () => {
        await otto.locator('#live-stop').click();
        await until(tina, 'ready');
    });
    await tina.mouse.up();
    const here = await tina.evaluate(() => cellpipe.live.state.q[1]);
    await tina.waitForTimeout(300);
    check('nothing moves then', await tina.evaluate(() => cellpipe.live.state.q[1]) === here);
    check('sliders, Home and Drag are not for a live cell', await tina.locator('.joint input:enabled').count() === 0 &&
        await tina.locator('.device h2 button:visible').count() === 0 && await tina.locator('[data-do=hand]').isHidden());
    await tina.locator('#scene').focus();
    await tina.keyboard.press('h');
    check('nor is the key of Home', await tina.evaluate(() => cellpipe.cell.byId.get('joint Arm.J2').q) === here);
}

async function writeProgram(tina, tom) {
    const errors = tina.locator('#live-errors li'), selected = () => tina.evaluate(() => {
        const text = document.getElementById('live-program');
        return text.value.slice(text.selectionStart, text.selectionEnd);
    });
    await tina.locator('#live-program').fill('SPEED 100\nIMOV 0, 0, 30\n  PRINT "éé", FLY(1)\nJUMP\nEND\n');
    await take(tina);
    await tina.locator('#live-send').click();
    await errors.first().waitFor();
    const first = await errors.first().textContent(), word = await selected();
    check('an error has its line and column, and is selected', /^line 3, column \d+: /.test(first) && word.length > 0 &&
        first.includes(word.replace(/"/g, '')), first, word);
    await errors.nth(1).locator('button').click();
    check('a click selects another', await selected() === 'JUMP', await selected());
    check('columns are bytes', await tina.evaluate(() => ['é€𝄞x', 1, 3, 6, 10, 99].map((column, i, [line]) =>
        (i ? cellpipe_page.placeOf(line, column) : 0)).join() === '0,0,1,2,4,5'));
    await tina.locator('#live-program').fill('SPEED 100\nIMOV 0, 0, -400\nEND\n');
    await take(tina);
    await tina.locator('#live-download').click();
    await errors.first().filter({ hasText: 'would touch' }).waitFor();
    check('a line that would touch is selected', await selected() === 'IMOV 0, 0, -400', await selected());
    await tina.locator('#live-program').fill('SPEED 100\nIMOV 0, 0, 30\nEND\n');
    check('it is in no file', await tina.locator('#live-unkept').isVisible());
    await take(tina);
    await tina.locator('#live-simulate').click();
    await says(tina, 'the cell itself does not move');
    await tina.keyboard.press('Escape');
    check('a simulation ends with the cell as it is', await tina.evaluate(() =>
        cellpipe.cell.byId.get('joint Arm.J2').q === cellpipe.live.state.q[1]));
    check('the program of another', await tom.locator('#live-known option').allTextContents().then(list => list.includes('program.prg')));
    await tom.locator('#live-known').selectOption('program.prg');
    await says(tom, 'program.prg is open');
    check('is opened', (await tom.locator('#live-program').inputValue()) === 'SPEED 100\nIMOV 0, 0, 30\nEND\n' &&
        await tom.locator('#live-unkept').isHidden());
}

async function keepFiles(tina, folder) {
    const [download] = await Promise.all([tina.waitForEvent('download'), tina.locator('#live-save-file').click()]);
    const saved = path.join(folder, 'saved.prg');
    await download.saveAs(saved);
    check('a file has the text', download.suggestedFilename() === 'program.prg' && fs.readFileSync(saved, 'utf8') === 'SPEED 100\nIMOV 0, 0, 30\nEND\n');
    check('it is in a file', await tina.locator('#live-unkept').isHidden());
    await tina.locator('#live-program').fill('; not yet done\nEND\n');
    await tina.locator('#live-open-file').click();
    await says(tina, 'in no file');
    fs.writeFileSync(path.join(folder, 'b c.prg'), Buffer.from('; gr\xfcn\nEND\n', 'latin1'));
    const [chooser] = await Promise.all([tina.waitForEvent('filechooser'), tina.locator('#live-open-file').click()]);
    await chooser.setFiles(path.join(folder, 'b c.prg'));
    await tina.waitForFunction(() => document.getElementById('live-program').value === '; grün\nEND\n');
    check('a file of the disk', await tina.locator('#live-name').inputValue() === 'b_c.prg');
    await says(tina, 'no UTF-8');
    await tina.locator('#live-program').fill('; a draft\nEND\n');
    await tina.locator('#live-out').click();
    await says(tina, 'to log out');
    let asked = '';
    tina.once('dialog', dialog => (asked = dialog.type()));
    await tina.reload();
    await isThere(tina);
    check('the browser warns', asked === 'beforeunload', asked);
    check('a reload keeps a draft', await tina.locator('#live-program').inputValue() === '; a draft\nEND\n' &&
        await tina.locator('#live-unkept').isVisible());
}

// Two tabs of a user are two: one has the lease.
async function openTwice(tina) {
    const other = await tina.context().newPage();
    await other.goto(tina.url());
    await isThere(other);
    await take(tina);
    await other.waitForFunction(() => /you have taken over in another window/.test(document.getElementById('live-line').textContent));
    check('the other one cannot move it', await other.locator('#live-run').isDisabled() && !await other.evaluate(() => cellpipe.live.has()));
    check('nor take over', await other.evaluate(() => cellpipe.live.ask({ type: 'take' })).then(answer => answer.why === 'lease'));
    await says(other, 'tina has taken over');
    await tina.evaluate(() => (cellpipe.live.has = () => false)); // it forgets to say that it lives
    await other.waitForFunction(() => cellpipe.live.mode.lease === '');
    await other.close();
    await tina.reload();
    await isThere(tina);
    await take(tina);
    await tina.evaluate(() => {
        for (const end = performance.now() + 2300; performance.now() < end; );
    });
    await says(tina, 'The lease is lost');
    check('a page that slept has lost the lease, and knows it', await tina.locator('#live-run').isDisabled());
}

// What is near has a colour of its own, and gets the old one back exactly.
async function colour(tina) {
    const colours = () => tina.evaluate(() => Object.fromEntries(['Part', 'Arm.Gripper.LeftFinger', 'Table'].map(id =>
        [id, (cellpipe.cell.byId.get(`node ${id}`)?.meshes ?? []).map(mesh => `${mesh.material.uuid} ${mesh.material.color.getHexString()}`)])));
    const tell = pairs => tina.evaluate(list => {
        const { live } = cellpipe;
        live.socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ type: 'near', pairs: list }) }));
    }, pairs);
    await tell([]);
    const before = JSON.stringify(await colours());
    await tell([['Part', 'Arm.Gripper.LeftFinger', 0.004]]);
    const near = await colours(), marked = JSON.stringify(near), finger = 'Arm.Gripper.LeftFinger', hue = list => list[finger].map(one => one.split(' ')[1]).join();
    await tina.evaluate(() => cellpipe.choose(cellpipe.cell.byId.get('node Part')));
    check('a choice does not hide what is near', hue(await colours()) === hue(near) && marked !== before);
    await tell([['Part', 'Arm.Gripper.LeftFinger', 0]]);
    check('touching has another colour', JSON.stringify(await colours()) !== marked && marked !== before);
    check('the nearest stands first', await tina.locator('#live-near li').first().textContent() === 'Part – Arm.Gripper.LeftFingertouch');
    await tina.evaluate(() => cellpipe.choose(null));
    await tell([]);
    check('colours are given back exactly', JSON.stringify(await colours()) === before, before, await colours());
}

// STOP NOW can be seen and reached on a phone, as a viewer, whichever tab is open.
async function usePhone(hall, name) {
    const tab = await visit(hall, name, { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true });
    for (const panel of ['joints', 'tree', 'more']) {
        await tab.locator(`#tab-${panel}`).tap();
        check(`${name}: STOP NOW is there with ${panel}`, await tab.evaluate(() => {
            const box = document.getElementById('live-emergency').getBoundingClientRect();
            const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return found.id === 'live-emergency' && box.right <= innerWidth && box.height >= 40;
        }));
    }
    check(`${name}: nothing is wider than the phone`, await tab.evaluate(() =>
        document.documentElement.scrollWidth <= innerWidth && document.getElementById('panel-joints').scrollWidth <= innerWidth));
    check(`${name}: the page says what STOP NOW is not`, await tab.locator('#live-warning').isVisible());
    await tab.locator('#live-emergency').tap();
    await until(tab, 'emergency');
    check(`${name}: all see who it was`, (await tab.locator('#live-line').textContent()).includes(`STOP NOW by ${name}`));
    await tab.context().close();
}

// A server that is silent without an end, then one that is dead, then one with another cell.
async function lose(hall, vera, guest) {
    await vera.evaluate(() => (cellpipe.live.silence = 300));
    await vera.context().setOffline(true);
    await until(vera, 'offline');
    check('a page that hears nothing is grey', await vera.evaluate(() =>
        getComputedStyle(document.getElementById('scene')).filter.includes('grayscale') &&
        getComputedStyle(document.querySelector('.joint input[type=number]')).textDecorationLine === 'line-through'));
    await vera.locator('#live-emergency').click();
    await says(vera, 'STOP NOW did not reach the controller');
    await vera.context().setOffline(false);
    await until(vera, 'ready');
    check('it comes back', await vera.evaluate(() => getComputedStyle(document.getElementById('scene')).filter) === 'none');
}

async function changeCell(hall, words, tina) {
    const { port } = hall;
    await hall.end();
    await until(tina, 'offline');
    await hall.start([path.join(samples, 'dh_arm.wu'), ...words], port);
    await tina.locator('#login').waitFor();
    await logIn(tina, 'tina');
    check('the page has the new cell', await tina.title() === 'dh_arm.wu' && await tina.evaluate(() =>
        cellpipe.live.joints.every(id => cellpipe.cell.byId.has(`joint ${id}`))));
    check('the draft is still there', await tina.locator('#live-program').inputValue() === '; a draft\nEND\n');
    await tina.locator('#live-out').click();
    await tina.locator('#live-out').click();
    await tina.locator('#login').waitFor();
    await logIn(tina, 'tina');
    check('but not after somebody has logged out', await tina.locator('#live-program').inputValue() === '');
    await hall.end();
    await tina.context().close();
    await hall.start([path.join(samples, 'dh_arm.wu')]);
    const guest = await visit(hall, '');
    check('a guest looks', await guest.locator('#live-emergency').isHidden() && await guest.locator('#live-mode').textContent() === 'ready' &&
        await guest.locator('#live-line').textContent() === '');
    const { port: second } = hall;
    await hall.end();
    await hall.start([path.join(samples, 'demo.wu')], second);
    await guest.waitForFunction(() => document.title === 'demo.wu' && globalThis.cellpipe?.live?.state);
    check('a guest sees the new cell, too', await guest.evaluate(() => cellpipe.cell.byId.has('node Part')));
}

const { folder, people } = makePeople(program, { vera: 'viewer', otto: 'operator', tina: 'teacher', tom: 'teacher' });
const words = ['--users', people], browser = await launch(chromium);
const hall = await openHall(program, [path.join(samples, 'demo.wu'), ...words], browser);
try {
    const tina = await visit(hall, 'tina'), otto = await visit(hall, 'otto', { viewport: { width: 500, height: 300 } });
    await lift(tina);
    await jog(tina, otto);
    await give(tina);
    await otto.context().close();
    const tom = await visit(hall, 'tom', { viewport: { width: 500, height: 300 } });
    await writeProgram(tina, tom);
    await tom.context().close();
    await keepFiles(tina, folder);
    await colour(tina);
    await openTwice(tina);
    await usePhone(hall, 'vera');
    await take(tina);
    await tina.locator('#live-reset').click();
    await until(tina, 'ready');
    const vera = await visit(hall, 'vera', { viewport: { width: 500, height: 300 } });
    await lose(hall, vera);
    await vera.context().close();
    await changeCell(hall, words, tina);
    check('nothing else was asked for, and nothing went wrong', hall.complaints.length === 0, hall.complaints);
} finally {
    await browser.close();
    hall.child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true });
}
endChecks();
