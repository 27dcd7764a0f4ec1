// Pages of the exporter html in headless Chromium, opened as files: they ask for nothing and say nothing on the
// console. Every joint by slider and box, clips and witnesses are compared with the library's own poses
// (tests/tools/poses.c); the rest of what a page can do is done once as a user does it: orbit, wheel, drag of a link,
// play, scrub, search, hide, pairs, measure, section, keys, touch, dark, and what a page says where it cannot be shown.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findChromium } from './browser.mjs';
import { convert, fail, finish, program, readScene, root, skip, workFile } from './lib.mjs';
import { load, startClip, stopClip } from './three_play.mjs';
import { drawnAtRest, framePoses, hasPlaywright, launchPages, openPage, setInput } from './page_browser.mjs';
import { askLines, askPoses, farthest } from './page_oracle.mjs';

const chromium = findChromium();
if (!chromium) skip('consumers/test_page needs chromium (apt-get install chromium)');
if (!hasPlaywright()) skip('consumers/test_page needs playwright-core (npm install in tests/consumers)');

const samples = path.join(root, 'samples');
const browser = await launchPages(chromium);
let checks = 0,
    witnesses = 0,
    worst = 0,
    worstThree = 0;

function check(what, holds, ...shown) {
    checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

async function close(what, tab) {
    check(`${what}: no request, no console message`, tab.problems.length === 0, tab.problems.slice(0, 5));
    await tab.close();
}

// ---- the library's poses ----

function ask(file, ids, questions) {
    const answers = askPoses(file, ids, questions);
    if (answers.includes(undefined)) throw new Error(`poses of ${file}: loops do not close`);
    return answers;
}

function compare(what, got, wanted, bound) {
    const [off, id] = farthest(got, wanted);
    worst = Math.max(worst, off);
    check(`${what}: ${id} is off by ${off} of the size`, off <= bound);
}

// ---- joints: each by slider and by box, from where all are; in loops, a little way that they can follow ----

async function tryJoints(file, html) {
    const scene = readScene(file),
        ids = [...scene.nodes.keys()],
        tab = await openPage(browser, html),
        questions = [],
        shown = [];
    const joints = await tab.page.evaluate(() =>
        cellpipe.cell.joints.map(joint => ({
            id: joint.id,
            free: cellpipe_page.isFree(joint),
            turns: joint.type === 'revolute',
            slides: joint.type === 'prismatic',
            range: cellpipe_page.rangeOf(joint),
        }))
    );
    const unit = joint => (joint.turns ? Math.PI / 180 : joint.slides ? 0.001 : 1);
    check(
        `${html}: has joints`,
        joints.some(joint => joint.free)
    );
    for (const joint of joints.filter(one => one.free))
        for (const [kind, event, part] of [
            ['slider', 'input', scene.loops ? 0.45 : 0.3],
            ['box', 'change', scene.loops ? 0.55 : 0.8],
        ]) {
            const [lower, upper] = joint.range,
                wanted = Number(((lower + part * (upper - lower)) / unit(joint)).toFixed(3));
            await setInput(tab.page, `${kind}-${joint.id}`, wanted, event);
            const values = await tab.page.evaluate(() =>
                Object.fromEntries(cellpipe.cell.joints.map(one => [one.id, one.q]))
            );
            check(
                `${html}: ${joint.id} by ${kind}`,
                Math.abs(values[joint.id] - wanted * unit(joint)) <= 1e-9 * Math.max(1, Math.abs(wanted * unit(joint))),
                values[joint.id],
                wanted
            );
            questions.push(`joints ${[...scene.joints.keys()].map(id => values[id]).join(' ')}`);
            shown.push([`${path.basename(html)}, ${joint.id} by ${kind}`, await framePoses(tab.page)]);
        }
    const answers = ask(file, ids, questions);
    shown.forEach(([what, poses], i) => compare(what, poses, answers[i], 1e-6));
    await close(html, tab);
}

// ---- the scene's own clips, 13 times each ----

async function tryClips(file, html, bound) {
    const scene = readScene(file),
        tab = await openPage(browser, html),
        questions = [],
        shown = [];
    const clips = await tab.page.evaluate(() =>
        cellpipe.cell.clips.filter(clip => !clip.made).map(clip => clip.length)
    );
    check(`${html}: has clips`, clips.length > 0);
    for (const [index, length] of clips.entries())
        for (let i = 0; i <= 12; i++) {
            const time = ((length * i) / 12) * 0.999;
            await tab.page.evaluate(([k, t]) => cellpipe_page.showClip(cellpipe.cell, k, t), [index, time]);
            questions.push(`clip ${index} ${time}`);
            shown.push([`${path.basename(html)}, clip ${index} at ${time}`, await framePoses(tab.page)]);
        }
    const answers = ask(file, [...scene.nodes.keys()], questions);
    shown.forEach(([what, poses], i) => compare(what, poses, answers[i], bound));
    await close(html, tab);
}

// ---- all clips, sweeps too, 13 times each, against three.js r187 on the same GLB ----

async function tryThree(file, ...settings) {
    const glb = await load(convert(file, workFile('three.glb'), 'profile=deliver', ...settings));
    const tab = await openPage(browser, convert(file, workFile('three.html'), ...settings)),
        objects = [];
    glb.scene.traverse(object => {
        const index = glb.parser.associations.get(object)?.nodes;
        if (index !== undefined && objects[index] === undefined) objects[index] = object;
    });
    const clips = await tab.page.evaluate(() => cellpipe.cell.clips.map(({ index, length }) => ({ index, length })));
    check(`${file}: has clips`, clips.length > 0);
    for (const [k, { index, length }] of clips.entries()) {
        const mixer = startClip(glb, glb.animations[index]);
        for (let i = 0; i <= 12; i++) {
            const time = ((length * i) / 12) * 0.999;
            const got = await tab.page.evaluate(
                ([clip, t]) => {
                    cellpipe_page.showClip(cellpipe.cell, clip, t);
                    cellpipe.cell.root.updateMatrixWorld(true);
                    return cellpipe.cell.nodes.map(node => node.object.matrixWorld.elements.slice());
                },
                [k, time]
            );
            mixer.setTime(time);
            glb.scene.updateMatrixWorld(true);
            for (const [at, elements] of got.entries()) {
                if (!objects[at]) continue;
                const wanted = objects[at].matrixWorld.elements,
                    most = Math.max(1, ...wanted.map(Math.abs));
                const off = Math.max(...wanted.map((value, e) => Math.abs(value - elements[e]))) / most;
                worstThree = Math.max(worstThree, off);
                check(
                    `${path.basename(file)}, animation ${index} at ${time}: node ${at} is off from three.js by ${off}`,
                    off <= 1e-6
                );
            }
        }
        stopClip(glb, mixer);
    }
    await close(`${file} against three.js`, tab);
}

// ---- one page, as a user uses it ----

const valueOf = (page, id) => page.evaluate(name => cellpipe.cell.byId.get(`joint ${name}`).q, id);
const camera = page =>
    page.evaluate(() => [...cellpipe.view.camera.position.toArray(), ...cellpipe.view.controls.target.toArray()]);
const distance = page => page.evaluate(() => cellpipe.view.camera.position.distanceTo(cellpipe.view.controls.target));
const says = page => page.locator('#says').textContent();
const frames = page => page.evaluate(() => cellpipe.view.frames);
const twoFrames = page =>
    page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

// A place of the picture, in pixels of the page, where a frame is seen.
async function find(page, pattern) {
    const { x, y } = await page.locator('#scene').boundingBox();
    const found = await page.evaluate(text => {
        const { view, cell } = cellpipe,
            wanted = new RegExp(text);
        for (const step of [18, 5])
            for (let row = 10; row < view.height; row += step)
                for (let column = 10; column < view.width; column += step) {
                    const hit = view.pick(column, row),
                        frame = hit && cellpipe_page.frameOf(cell, hit.object);
                    if (frame && wanted.test(frame.id)) return [column, row];
                }
        return null;
    }, pattern);
    check(`a place where ${pattern} is seen`, found);
    return found ? [x + found[0], y + found[1]] : [x, y];
}

async function tryViews(page) {
    const [x, y] = await find(page, '^Floor$'),
        before = await camera(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y - 20, { steps: 4 });
    await page.mouse.up();
    check('a drag turns the view', String(await camera(page)) !== String(before));
    const far = await distance(page);
    await page.mouse.wheel(0, -300);
    await twoFrames(page);
    check('the wheel zooms', (await distance(page)) < far);
    check('and does not scroll', await page.evaluate(() => scrollY === 0));
    await page.keyboard.press('4');
    const [at, to] = [await camera(page), await page.evaluate(() => document.getElementById('views').value)];
    check('4 is the corner', to === 'corner' && at.every((value, i) => Math.abs(value - before[i]) < 1e-6), at, before);
    for (const key of ['1', '2', '3', 'ArrowLeft', 'ArrowUp', '+', '-']) {
        const last = await camera(page);
        await page.keyboard.press(key);
        check(`the key ${key} moves the camera`, String(await camera(page)) !== String(last));
    }
    await page.keyboard.press('o');
    check('o is parallel', await page.evaluate(() => cellpipe.view.camera.isOrthographicCamera === true));
    await page.keyboard.press('o');
    await page.keyboard.press('4');
    await page.keyboard.press('e');
    check(
        'e draws edges',
        await page.evaluate(() =>
            cellpipe.cell.meshes.every(mesh => mesh.children.some(child => child.isLineSegments && child.visible))
        )
    );
    await page.keyboard.press('e');
    const drawn = await drawnAtRest(page);
    check('nothing is drawn at rest', drawn === 0, drawn);
}

// Keys press buttons, and none does where a text is written.
async function tryKeys(page) {
    const pressed = name =>
        page.evaluate(one => document.querySelector(`[data-do=${one}]`).getAttribute('aria-pressed') === 'true', name);
    for (const [key, name] of Object.entries({
        e: 'edges',
        m: 'measure',
        d: 'dark',
        j: 'hand',
        l: 'loop',
        ' ': 'play',
    })) {
        const before = await pressed(name);
        await page.keyboard.press(key);
        check(`the key ${key} presses ${name}`, (await pressed(name)) !== before);
        await page.keyboard.press(key);
        check(`the key ${key} frees ${name}`, (await pressed(name)) === before);
    }
    await page.keyboard.press('m');
    await page.keyboard.press('j');
    await page.keyboard.press(' ');
    await page.keyboard.press('Escape');
    check('Escape ends all', !(await pressed('measure')) && !(await pressed('hand')) && !(await pressed('play')));
    await page.click('#tab-tree');
    await page.focus('#find');
    await page.keyboard.type('md4');
    check(
        'a field keeps its letters',
        (await page.inputValue('#find')) === 'md4' && !(await pressed('measure')) && !(await pressed('dark'))
    );
    await page.fill('#find', '');
    await page.evaluate(() => document.activeElement.blur());
    await page.click('#tab-joints');
    await page.keyboard.press('h');
}

async function tryDragging(page) {
    const [x, y] = await find(page, '^Arm\\.UpperArm$'),
        q = await page.evaluate(() => cellpipe.cell.joints.map(joint => joint.q)),
        before = await camera(page);
    await page.keyboard.down('Shift');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 10, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const now = await page.evaluate(() => cellpipe.cell.joints.map(joint => joint.q)),
        moved = now.map((value, i) => Math.abs(value - q[i]) > 1e-3);
    check('a drag with Shift moves J2 alone', String(moved) === String(q.map((value, i) => i === 1)), now, q);
    check('and not the camera', String(await camera(page)) === String(before));
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('h');
    const homes = await page.evaluate(() =>
        cellpipe.cell.joints.filter(cellpipe_page.isFree).every(joint => Math.abs(joint.q - joint.home) < 1e-12)
    );
    check('H takes all joints home', homes);
}

// A platform that closed loops carry follows the pointer: a driven joint moves it, and the loops stay closed.
async function tryPlatform(file, html) {
    const scene = readScene(file);
    const tab = await openPage(browser, html),
        { page } = tab;
    const values = () =>
        page.evaluate(() => Object.fromEntries(cellpipe.cell.joints.map(joint => [joint.id, joint.q])));
    const [x, y] = await find(page, 'platform'),
        before = await values();
    await page.click('[data-do=hand]');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 6, y - 12, { steps: 2 });
    await page.mouse.up();
    const after = await values(),
        driven = [...scene.joints.values()].filter(joint => joint.driven).map(joint => joint.id);
    const moved = driven.filter(id => Math.abs(after[id] - before[id]) > 1e-5);
    check('a drag of a platform moves one driven joint', moved.length === 1, moved);
    const [poses] = ask(
        file,
        [...scene.nodes.keys()],
        [`joints ${[...scene.joints.keys()].map(id => after[id]).join(' ')}`]
    );
    compare('a dragged platform', await framePoses(page), poses, 1e-6);
    await close('a dragged platform', tab);
}

async function tryLimits(page) {
    await setInput(page, 'box-Arm.J1', 175, 'change');
    const red = () =>
        page.evaluate(() => document.getElementById('box-Arm.J1').closest('.joint').classList.contains('beyond'));
    check('a joint beyond its limits is red', await red());
    await page.locator('label[for="box-Arm.J1"]').dblclick();
    check('a double click takes it home', Math.abs((await valueOf(page, 'Arm.J1')) - 0.45) < 1e-9 && !(await red()));
    await setInput(page, 'slider-Arm.Gripper.Left', 20);
    check('a dependent joint goes along', Math.abs(Math.abs(await valueOf(page, 'Arm.Gripper.Right')) - 0.02) < 1e-9);
    check(
        'and is shown, grey',
        await page.evaluate(() => {
            const box = document.getElementById('box-Arm.Gripper.Right');
            return (
                box.disabled &&
                Math.abs(Number(box.value)) === 20 &&
                box.closest('.joint').classList.contains('dependent')
            );
        })
    );
}

async function tryFrames(page) {
    await page.click('#tab-tree');
    await page.fill('#find', 'rail');
    check('a search finds the rails', (await page.locator('.row').count()) === 8);
    await page.fill('#find', 'FenceRail-4');
    await page.locator('.row').first().locator('button').last().click();
    check(
        'a frame is hidden',
        await page.evaluate(() => !cellpipe.cell.byId.get('node FenceRail-4').node.object.visible)
    );
    await page.locator('.row').first().locator('button').last().click();
    await page.fill('#find', '');
    const [x, y] = await find(page, '^TableTop$');
    await page.mouse.click(x, y);
    check(
        'a click names the frame and the place',
        /^TableTop: -?[\d.]+, -?[\d.]+, 680 mm$/.test(await says(page)),
        await says(page)
    );
    const far = await distance(page);
    await page.keyboard.press('f');
    check('F fits what is chosen', (await distance(page)) < far);
    await page.keyboard.press('Escape');
    await page.keyboard.press('4');
}

async function tryMeasuring(page) {
    const { x, y } = await page.locator('#scene').boundingBox();
    const corners = await page.evaluate(() => {
        // two corners of the table's top that are seen
        const { view, cell } = cellpipe,
            mesh = cell.byId.get('node TableTop').meshes[0],
            box = new THREE.Box3().setFromObject(mesh);
        const all = [];
        for (let i = 0; i < 4; i++) {
            const corner = new THREE.Vector3(i & 1 ? box.max.x : box.min.x, box.max.y, i & 2 ? box.max.z : box.min.z);
            const inside = corner.clone().lerp(box.getCenter(new THREE.Vector3()).setY(box.max.y), 0.005),
                at = view.project(inside),
                hit = view.pick(at.x, at.y);
            if (hit && hit.object === mesh) all.push([at.x, at.y, corner.toArray()]);
        }
        return all.slice(0, 2);
    });
    check('two corners of the table are seen', corners.length === 2);
    await page.keyboard.press('m');
    for (const corner of corners) await page.mouse.click(x + corner[0], y + corner[1]);
    const wanted = 1000 * Math.hypot(...corners[0][2].map((value, i) => value - corners[1][2][i])),
        text = await says(page);
    check(
        'two corners measure the table',
        Math.abs(Number.parseFloat(text) - wanted) <= 0.06 && /from corner to corner/.test(text),
        text,
        wanted
    );
    await page.keyboard.press('Escape');
}

async function trySection(page) {
    await page.click('#tab-more');
    const seen = () =>
        page.evaluate(() => {
            const { view, cell } = cellpipe,
                ids = new Set();
            for (let row = 10; row < view.height; row += 24)
                for (let column = 10; column < view.width; column += 24) {
                    const hit = view.pick(column, row);
                    if (hit) ids.add(cellpipe_page.frameOf(cell, hit.object).id);
                }
            return [...ids];
        });
    const all = await seen();
    await setInput(page, 'cut-z', 0.3);
    const below = await seen();
    check(
        'a section takes the table top away',
        all.includes('TableTop') && !below.includes('TableTop') && below.includes('Floor')
    );
    await page.click('#cut');
    check('and gives it back', (await seen()).includes('TableTop'));
    const way = () =>
        page.evaluate(() => {
            // from the cabinet to the table
            const { view, cell } = cellpipe;
            view.place();
            const [one, other] = ['Cabinet', 'Table'].map(id =>
                view.boxOf(cellpipe_page.meshesBelow(cell.byId.get(`node ${id}`))).getCenter(new THREE.Vector3())
            );
            return one.distanceTo(other);
        });
    const before = await way();
    await setInput(page, 'explode', 0.5);
    check('exploding takes the frames apart', Math.abs((await way()) - 1.5 * before) < 1e-9 * before);
    await setInput(page, 'explode', 0);
    check('and together', Math.abs((await way()) - before) < 1e-9);
}

// The page keeps its pose in the address; another tab shows the same.
async function tryAddress(html, page) {
    await page.click('#tab-joints');
    await setInput(page, 'box-Arm.J3', 33, 'change');
    await page.waitForFunction(() => location.hash.includes('Arm.J3'));
    const hash = await page.evaluate(() => location.hash),
        other = await openPage(browser, html, { hash });
    check(
        'the address has the pose',
        Math.abs((await valueOf(other.page, 'Arm.J3')) - (33 * Math.PI) / 180) < 1e-8,
        hash
    );
    await close('a page with an address', other);
    const odd = await openPage(browser, html, { hash: '#j=Arm.J1:nan,%E0%A4%A:1,Arm.J2:1e999&t=__proto__:1&c=1,2,x' });
    check('an odd address does no harm', Math.abs((await valueOf(odd.page, 'Arm.J1')) - 0.45) < 1e-9);
    await close('a page with an odd address', odd);
}

async function tryUser(html) {
    const tab = await openPage(browser, html),
        { page } = tab;
    check(
        'the first view shows the robot',
        await page.evaluate(() => {
            const { view, cell } = cellpipe;
            for (let row = 0; row < view.height; row += 8)
                for (let column = 0; column < view.width; column += 8) {
                    const hit = view.pick(column, row);
                    if (hit && cellpipe_page.frameOf(cell, hit.object).id.startsWith('Arm.')) return true;
                }
            return false;
        })
    );
    await tryViews(page);
    await tryKeys(page);
    await tryDragging(page);
    await tryLimits(page);
    await tryFrames(page);
    await tryMeasuring(page);
    await trySection(page);
    await tryAddress(html, page);
    await close('a page in use', tab);
}

// ---- a program's clip: plays, marks, the text with its line, what is held ----

async function tryProgram(html) {
    const tab = await openPage(browser, html),
        { page } = tab;
    await page.click('[data-do=play]');
    await page.waitForFunction(() => Number(document.getElementById('time').value) > 0.02);
    await page.click('[data-do=play]');
    check(
        'play moves the sliders',
        await page.evaluate(
            () =>
                (Number(document.getElementById('slider-Arm.J1').value) / 180) * Math.PI ===
                    cellpipe.cell.byId.get('joint Arm.J1').q ||
                Math.abs(
                    (Number(document.getElementById('slider-Arm.J1').value) / 180) * Math.PI -
                        cellpipe.cell.byId.get('joint Arm.J1').q
                ) < 1e-9
        )
    );
    const drawn = await drawnAtRest(page);
    check('at most one picture is drawn after play', drawn <= 1, drawn);
    await page.click('#tab-program');
    await setInput(page, 'time', 3);
    const text = fs.readFileSync(path.join(samples, 'demo/pick.prg'), 'utf8').split('\n');
    const now = await page.evaluate(() =>
        [...document.querySelectorAll('#program .now span')].map(span => span.textContent)
    );
    check('the current line of the program is lit', now[0] === '11' && now[1] === text[10], now);
    check('and what is held is told', /holds Part$/.test(await says(page)), await says(page));
    await page.locator('#program button').nth(14).click(); // HANDLE OPEN
    check(
        'a click on a line goes to its time',
        Math.abs((await page.evaluate(() => cellpipe.cell.time)) - 5.08) < 1e-6
    );
    const before = await valueOf(page, 'Arm.J1');
    await page.click('#tab-joints');
    await setInput(page, 'slider-Arm.J6', 10);
    check(
        'a slider ends the clip and the other joints stay',
        (await page.evaluate(() => cellpipe.cell.shown === null)) &&
            Math.abs((await valueOf(page, 'Arm.J1')) - before) < 1e-9
    );
    await close('a program', tab);
}

// ---- pairs: the matrix says what exclude says, and each witness is a pose in which the two collide ----

// Judges a cell: the list's evidence, as its file and as its pairs.
function judge(file, name, ...settings) {
    const list = workFile(`${name}.xml`);
    execFileSync(program, ['exclude', '-q', file, list, ...settings, '--out', 'evidence=yes'], { stdio: 'pipe' });
    return { evidence: `${list}.json`, pairs: JSON.parse(fs.readFileSync(`${list}.json`, 'utf8')).pairs };
}

const pairKey = (first, second) => [first, second].sort().join('\n');

// Each cell of the matrix, by the mouse: the title that it shows and the colour that it has. Colours of the legend, by text.
const readMatrix = page =>
    page.evaluate(() => {
        const matrix = document.getElementById('matrix'),
            { data } = matrix.getContext('2d').getImageData(0, 0, matrix.width, matrix.height),
            box = matrix.getBoundingClientRect();
        const n = new Set(cellpipe.cell.pairs.flatMap(pair => [pair.first, pair.second])).size,
            cells = [];
        const colourOf = patch => getComputedStyle(patch).backgroundColor.match(/\d+/g).join(' ');
        for (let x = 0; x < n; x++)
            for (let y = 0; y < n; y++) {
                matrix.dispatchEvent(
                    new PointerEvent('pointermove', {
                        clientX: box.left + ((x + 0.5) * box.width) / n,
                        clientY: box.top + ((y + 0.5) * box.height) / n,
                    })
                );
                const edge = matrix.width / n,
                    at = 4 * (y * edge * matrix.width + x * edge),
                    [r, g, b, a] = data.slice(at, at + 4);
                if (matrix.title || a > 0) cells.push({ title: matrix.title, colour: `${r} ${g} ${b}` });
            }
        const legend = [...document.querySelectorAll('#legend button')].map(button => ({
            text: button.textContent,
            colour: colourOf(button.querySelector('i')),
        }));
        return { cells, legend };
    });

// All that the page has of its pairs is what the evidence says: the matrix by title and colour, the legend, the numbers.
async function tryMatrix(what, page, pairs) {
    const own = await page.evaluate(() =>
        cellpipe.cell.pairs.map(({ first, second, verdict, reason, evidence, finding }) => ({
            first: first.id,
            second: second.id,
            verdict,
            reason,
            evidence,
            finding,
        }))
    );
    const wanted = new Map(pairs.map(pair => [pairKey(pair.first_id, pair.second_id), pair]));
    check(`${what}: all pairs`, own.length === pairs.length && wanted.size === pairs.length, own.length, pairs.length);
    for (const pair of own) {
        const listed = wanted.get(pairKey(pair.first, pair.second)),
            finding = pair.finding || {};
        check(
            `${what}: ${pair.first}, ${pair.second}`,
            listed &&
                pair.verdict === listed.verdict &&
                pair.reason === listed.status &&
                pair.evidence === (listed.evidence || '') &&
                ['margin', 'touch', 'clearance', 'work', 'samples', 'descents', 'hits', 'key'].every(
                    name => finding[name] === listed[name]
                ) &&
                JSON.stringify(finding.witness || []) ===
                    JSON.stringify((listed.witness || []).map(({ joint_id: joint, value }) => ({ joint, value }))),
            pair,
            listed
        );
    }
    const { cells, legend } = await readMatrix(page),
        words = await page.evaluate(() => cellpipe_page.reasons),
        kindOf = ({ verdict, status }) => `${verdict}: ${words[status] || status}`, // a stage may have words of its own
        counts = new Map();
    for (const pair of pairs) {
        const text = kindOf(pair);
        counts.set(text, (counts.get(text) || 0) + 1);
    }
    check(
        `${what}: the legend`,
        String(legend.map(({ text }) => text).sort()) ===
            String([...counts].map(([text, count]) => `${text} ${count.toLocaleString('en')}`).sort()),
        legend,
        [...counts]
    );
    check(`${what}: a colour for each kind`, new Set(legend.map(({ colour }) => colour)).size === legend.length, legend);
    const titles = pairs.flatMap(pair => {
        const found = own.find(one => pairKey(one.first, one.second) === pairKey(pair.first_id, pair.second_id));
        const kind = kindOf(pair),
            { colour } = legend.find(({ text }) => text.startsWith(`${kind} `)) || {};
        const cell = `${found?.first} – ${found?.second}: ${kind}, ${colour}`;
        return pair.first_id === pair.second_id ? [cell] : [cell, cell];
    });
    const shown = cells.map(({ title, colour }) => `${title}, ${colour}`).sort();
    const off = titles.sort().filter((title, i) => title !== shown[i]);
    check(`${what}: each cell of the matrix`, shown.length === titles.length && off.length === 0, off.slice(0, 3));
}

// Clicks the cell of a pair in the matrix, then "pose that shows it". Returns the joint values; null without the button.
const applyWitness = (page, first, second) =>
    page.evaluate(
        ([one, other]) => {
            const { pairs, joints } = cellpipe.cell,
                pair = pairs.find(it => it.first.id === one && it.second.id === other),
                matrix = document.getElementById('matrix'),
                box = matrix.getBoundingClientRect(),
                n = new Set(pairs.flatMap(it => [it.first, it.second])).size;
            matrix.dispatchEvent(
                new MouseEvent('click', {
                    clientX: box.left + ((pair.x + 0.5) * box.width) / n,
                    clientY: box.top + ((pair.y + 0.5) * box.height) / n,
                })
            );
            const button = document.getElementById('witness');
            if (!button) return null;
            button.click();
            return Object.fromEntries(joints.map(joint => [joint.id, joint.q]));
        },
        [first, second]
    );

async function tryWitnesses(name, file, page) {
    const scene = readScene(file),
        ids = [...scene.nodes.keys()];
    const pairs = await page.evaluate(() =>
        cellpipe.cell.pairs.map(({ first, second, reason, finding }) => ({
            first: first.id,
            second: second.id,
            isJudged: reason in cellpipe_page.reasons, // by exclude: a stage may say anything
            finding,
        }))
    );
    const poses = [],
        contacts = [],
        shown = [];
    // Each takes a picture: an ordinary run takes some twenty of a cell's.
    const shownOf = pairs.filter(pair => pair.finding?.witness?.length > 0),
        step = process.env.CELLPIPE_LONG ? 1 : Math.ceil(shownOf.length / 20);
    for (const { first, second, isJudged, finding } of shownOf.filter((pair, i) => i % step === 0)) {
        const { witness } = finding;
        const values = await applyWitness(page, first, second);
        check(`${name}: ${first}, ${second} has a pose`, values);
        if (!values) continue;
        for (const { joint, value } of witness)
            check(
                `${name}: the witness of ${first}, ${second} sets ${joint}`,
                Math.abs(values[joint] - value) <= (scene.loops ? 1e-9 : 0) * Math.max(1, Math.abs(value)),
                values[joint],
                value
            );
        const q = [...scene.joints.keys()].map(id => values[id]).join(' ');
        const what = `${name}: the witness of ${first}, ${second}`,
            near = Math.max(finding.margin, finding.touch);
        poses.push(`joints ${q}`);
        shown.push([what, await framePoses(page)]);
        if (isJudged)
            contacts.push([what, `contact ${ids.indexOf(first)} ${ids.indexOf(second)} ${near} ${q}`]);
    }
    witnesses += shown.length;
    if (shown.length === 0) return;
    ask(file, ids, poses).forEach((wanted, i) => compare(shown[i][0], shown[i][1], wanted, 1e-6));
    if (contacts.length === 0) return;
    askLines(
        file,
        contacts.map(([, question]) => question)
    ).forEach((answer, i) => check(`${contacts[i][0]}: they collide`, answer.trim() === '1'));
}

// The pairs of a cell by --out evidence=FILE, and the same pairs that the cell itself carries.
async function tryEvidence(file, name, ...settings) {
    const { evidence, pairs } = judge(file, name, ...settings),
        what = path.basename(file);
    const tab = await openPage(browser, convert(file, workFile(`${name}.html`), `evidence=${evidence}`));
    await tab.page.click('#tab-pairs');
    await tryMatrix(what, tab.page, pairs);
    await tryWitnesses(what, file, tab.page);
    await close(what, tab);
    return { evidence, pairs };
}

// A list keeps pairs of frames that share a name, which it cannot tell apart; the cell itself has the verdict of the reason.
const excluding = ['given', 'user', 'static', 'adjacent', 'always-proved', 'never-proved', 'never-sampled'];

async function tryOwnPairs(file, name, pairs, ...settings) {
    const html = workFile(`${name}-own.html`);
    execFileSync(program, ['convert', '-q', file, html, '!', 'exclude', ...settings], { stdio: 'pipe' });
    const tab = await openPage(browser, html);
    await tab.page.click('#tab-pairs');
    await tryMatrix(
        `${path.basename(file)} with its own pairs`,
        tab.page,
        pairs.map(pair => ({ ...pair, verdict: excluding.includes(pair.status) ? 'excluded' : 'kept' }))
    );
    await close(html, tab);
}

// Each reason that the library can give has words in the page, and no other has.
async function tryReasons(html) {
    const source = fs.readFileSync(path.join(root, 'scene/model/words.c'), 'utf8'),
        known = [...source.match(/reason_words\[\] = \{([^}]*)NULL\}/)[1].matchAll(/"([a-z-]+)"/g)].map(found => found[1]);
    const tab = await openPage(browser, html),
        words = await tab.page.evaluate(() => cellpipe_page.reasons);
    check('words for each reason', String(Object.keys(words).sort()) === String(known.sort()), words, known);
    check(
        'words of a sentence',
        Object.values(words).every(text => / /.test(text)) && new Set(Object.values(words)).size === known.length,
        words
    );
    await close('reasons', tab);
}

async function tryPairs(html) {
    const tab = await openPage(browser, html),
        { page } = tab;
    await page.click('#tab-pairs');
    const pair = await page.evaluate(() => {
        const { first, second, reason } = cellpipe.cell.pairs.find(one => one.finding?.witness?.length > 0);
        return { first: first.id, second: second.id, words: cellpipe_page.reasons[reason] };
    });
    await page.fill('#find-pair', pair.first);
    await page.evaluate(({ first, second }) => {
        // the row of this pair, wherever it is in the list
        [...document.querySelectorAll('.pair')].find(row => row.title.startsWith(`${first} – ${second}:`)).click();
    }, pair);
    check('both frames are marked', await page.evaluate(() => cellpipe.view.marked.length >= 2));
    check('the card says why', (await page.locator('#pair-card').textContent()).includes(pair.words));
    const ofKind = () =>
        page.evaluate(
            words => [...document.querySelectorAll('.pair')].filter(row => row.title.endsWith(words)).length,
            pair.words
        );
    check('pairs of the kind are listed', (await ofKind()) > 0);
    await page.locator('#legend button', { hasText: pair.words }).click();
    check('a kind can be left out', (await ofKind()) === 0);
    await close('pairs', tab);
}

// ---- phones, dark, names, and where a page cannot be shown ----

async function tryPhone(html) {
    const tab = await openPage(browser, html, { width: 390, height: 844, touch: true }),
        { page } = tab,
        session = await tab.context.newCDPSession(page);
    const touch = (type, points) =>
        session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const before = await camera(page);
    await touch('touchStart', [[150, 300]]);
    for (let i = 1; i <= 5; i++) await touch('touchMove', [[150 + 10 * i, 300]]);
    await touch('touchEnd', []);
    check('one finger turns', String(await camera(page)) !== String(before));
    const far = await distance(page);
    await touch('touchStart', [
        [150, 300],
        [200, 300],
    ]);
    for (let i = 1; i <= 5; i++)
        await touch('touchMove', [
            [150 - 10 * i, 300],
            [200 + 10 * i, 300],
        ]);
    await touch('touchEnd', []);
    check('two fingers zoom', (await distance(page)) < 0.7 * far, far, await distance(page));
    check('nothing scrolls sideways', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    for (const tabName of ['joints', 'tree', 'more']) {
        await page.click(`#tab-${tabName}`);
        const small = await page.evaluate(() =>
            [...document.querySelectorAll('button, select, input:not([type=checkbox])')]
                .filter(one => one.offsetParent && one.getBoundingClientRect().height < 40)
                .map(one => one.id || one.textContent)
        );
        check('targets are 40 px high', small.length === 0, tabName, small);
    }
    check(
        'the picture is high enough',
        await page.evaluate(() => document.getElementById('scene').clientHeight >= 0.38 * innerHeight)
    );
    await close('a phone', tab);
}

// Each text against what is behind it (WCAG 2.1): 4.5 to 1, in light and in dark.
async function tryContrast(html, dark) {
    const tab = await openPage(browser, html, { dark }),
        { page } = tab;
    for (const name of ['joints', 'tree', 'pairs', 'more', 'program']) {
        await page.evaluate(one => document.getElementById(`tab-${one}`).click(), name);
        const poor = await page.evaluate(() => {
            const read = text => text.match(/[\d.]+/g).map(Number);
            const light = colour =>
                colour
                    .slice(0, 3)
                    .map(c => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
                    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
            const behind = element => {
                for (let at = element; at; at = at.parentElement) {
                    const colour = read(getComputedStyle(at).backgroundColor);
                    if (colour.length === 3 || colour[3] === 1) return colour;
                }
                return [255, 255, 255];
            };
            const found = [];
            for (const element of document.querySelectorAll('body *')) {
                const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
                if (
                    (!own && !element.matches('input[type=number]')) ||
                    !element.offsetParent ||
                    element.closest('option')
                )
                    continue;
                const one = light(read(getComputedStyle(element).color)),
                    other = light(behind(element));
                const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
                if (ratio < 4.5)
                    found.push(
                        `${element.tagName} ${element.className} ${element.textContent.slice(0, 20)} ${ratio.toFixed(2)}`
                    );
            }
            return found;
        });
        check(`contrast, ${dark ? 'dark' : 'light'}, ${name}`, poor.length === 0, poor.slice(0, 4));
    }
    check(
        'dark by the system',
        (await page.evaluate(() => document.documentElement.dataset.theme)) === (dark ? 'dark' : 'light')
    );
    const names = await page.evaluate(() =>
        [...document.querySelectorAll('button, select, input, canvas')]
            .filter(
                one =>
                    !one.closest('[hidden]') &&
                    !(
                        one.getAttribute('aria-label') ||
                        one.textContent.trim() ||
                        one.labels?.length ||
                        one.id === 'ticks'
                    )
            )
            .map(one => one.id || one.outerHTML.slice(0, 80))
    );
    check('every control has a name', names.length === 0, names);
    await close(`contrast ${dark}`, tab);
}

function evilCell() {
    const evil = n => `<img src=x onerror="window.hit=${n}"></script><script>window.hit=${n}</script>`;
    const document = JSON.parse(fs.readFileSync(path.join(samples, 'joints.gltf'), 'utf8'));
    document.nodes.forEach((node, i) => (node.name = evil(i) + node.name));
    (document.meshes ?? []).forEach((mesh, i) => (mesh.name = evil(i)));
    (document.materials ?? []).forEach((material, i) => (material.name = evil(i)));
    (document.animations ?? []).forEach((clip, i) => (clip.name = evil(i)));
    document.asset.generator = evil('generator');
    const file = workFile('evil.gltf');
    fs.writeFileSync(file, JSON.stringify(document));
    for (const { uri } of [...(document.buffers ?? []), ...(document.images ?? [])])
        if (uri && !uri.startsWith('data:')) fs.copyFileSync(path.join(samples, uri), workFile(uri));
    return file;
}

async function tryEvil() {
    const html = convert(evilCell(), workFile('evil.html'), 'title=<img src=x onerror="window.hit=1">'),
        tab = await openPage(browser, html),
        { page } = tab;
    const before = await page.evaluate(() => document.scripts.length);
    for (const name of ['tree', 'pairs', 'more', 'joints', 'program'])
        await page.evaluate(one => document.getElementById(`tab-${one}`).click(), name);
    await page.click('#tab-tree');
    await page.locator('.row .name').nth(1).click();
    await page.evaluate(() => cellpipe_page.showClip(cellpipe.cell, 0, 0));
    check(
        'names with markup make no element and run nothing',
        await page.evaluate(
            n =>
                window.hit === undefined &&
                document.querySelectorAll('img:not(#picture > img)').length === 0 &&
                document.scripts.length === n,
            before
        )
    );
    check('and are shown as they are', (await page.locator('#tree').textContent()).includes('<img src=x'));
    await close('names with markup', tab);
}

async function tryLosses(html) {
    const text = fs.readFileSync(html, 'utf8'),
        damaged = workFile('damaged.html');
    fs.writeFileSync(damaged, text.replace(/(id="packed-cell">.{200}).{60}/, '$1' + 'A'.repeat(60)));
    const reason = async (file, options, pattern, own = browser) => {
        const tab = await openPage(own, file, options);
        const shown = await tab.page.evaluate(() => document.body.innerText);
        check(`${path.basename(file)} says why`, pattern.test(shown), shown.slice(0, 200));
        check(
            'and nothing is asked for, and no error is left',
            tab.problems.every(problem => !/^(request|error)/.test(problem)),
            tab.problems
        );
        if (/WebGL/.test(pattern.source) && text.includes('<img alt='))
            check(
                'and its picture is seen',
                await tab.page.evaluate(() => {
                    const picture = document.querySelector('#picture img');
                    return (
                        picture.complete && picture.naturalWidth > 100 && picture.getBoundingClientRect().height > 100
                    );
                })
            );
        await tab.close();
    };
    // Cut in the picture, the viewer, the cell, and the options.
    for (const sign of ['<img alt=', 'id="packed-code">', 'id="packed-cell">', 'id="options">']) {
        const cut = workFile('cut.html'),
            at = text.indexOf(sign);
        check(`a page has ${sign}`, at > 0 || sign === '<img alt=');
        if (at < 0) continue; // a build that draws no pictures
        fs.writeFileSync(cut, text.slice(0, at + sign.length + (sign.includes('options') ? 1 : 4000)));
        await reason(cut, {}, sign.includes('options') ? /damaged/ : /cut short/);
    }
    await reason(damaged, {}, /damaged/);
    await reason(html, { scripts: false }, /Scripts are switched off/);
    const without = await launchPages(chromium, false);
    await reason(html, {}, /WebGL is switched off or missing/, without);
    await without.close();
}

// The picture after the graphics card has taken its memory away and given it back is the one before.
async function tryContextLoss(html) {
    const tab = await openPage(browser, html),
        { page } = tab;
    const same = await page.evaluate(async () => {
        const { view } = cellpipe,
            { gl } = view;
        const shoot = () => {
            view.draw();
            const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
            gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            return pixels;
        };
        const before = shoot(),
            extension = gl.getExtension('WEBGL_lose_context');
        const event = name =>
            new Promise(done => view.canvas.addEventListener(name, () => setTimeout(done, 0), { once: true }));
        const lost = event('webglcontextlost');
        extension.loseContext();
        await lost;
        const back = event('webglcontextrestored');
        extension.restoreContext();
        await back;
        const after = shoot();
        return [before.some(value => value > 0), after.every((value, i) => value === before[i])];
    });
    check('a lost context comes back with the same picture', same[0] && same[1], same);
    check(
        'three.js may tell of it, and nothing else',
        tab.problems.every(problem => /context/i.test(problem)),
        tab.problems
    );
    await tab.close();
}

// A square of a colour without light, which a clip turns by cubics; between the keys these are not of length 1.
function writeSquare(file, colour) {
    const corners = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0],
        none = [0, 0, 0, 0];
    const numbers = new Float32Array([
        ...corners,
        0,
        1,
        ...none,
        0,
        0,
        0,
        1,
        ...none,
        ...none,
        0,
        0,
        Math.sin(1),
        Math.cos(1),
        ...none,
    ]);
    const accessor = (byteOffset, count, type, rest) => ({
        bufferView: 0,
        byteOffset,
        componentType: 5126,
        count,
        type,
        ...rest,
    });
    fs.writeFileSync(
        file,
        JSON.stringify({
            asset: { version: '2.0' },
            scene: 0,
            scenes: [{ nodes: [0] }],
            nodes: [{ name: 'square', mesh: 0 }],
            meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
            extensionsUsed: ['KHR_materials_unlit'],
            materials: [
                {
                    pbrMetallicRoughness: { baseColorFactor: [...colour, 1] },
                    extensions: { KHR_materials_unlit: {} },
                    doubleSided: true,
                },
            ],
            animations: [
                {
                    name: 'turn',
                    samplers: [{ input: 1, output: 2, interpolation: 'CUBICSPLINE' }],
                    channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
                },
            ],
            accessors: [
                accessor(0, 6, 'VEC3', { min: [0, 0, 0], max: [1, 1, 0] }),
                accessor(72, 2, 'SCALAR', { min: [0], max: [1] }),
                accessor(80, 6, 'VEC4'),
            ],
            bufferViews: [{ buffer: 0, byteLength: numbers.byteLength }],
            buffers: [
                {
                    byteLength: numbers.byteLength,
                    uri: `data:application/octet-stream;base64,${Buffer.from(numbers.buffer).toString('base64')}`,
                },
            ],
        })
    );
    return file;
}

// A colour without light is the file's, by the curve of sRGB.
async function tryColours() {
    const linear = [0.2, 0.01, 0.7],
        file = writeSquare(workFile('square.gltf'), linear);
    await tryThree(file);
    const tab = await openPage(browser, convert(file, workFile('colour.html'))),
        wanted = linear.map(value =>
            Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055))
        );
    const got = await tab.page.evaluate(() => {
        const { view } = cellpipe,
            { gl } = view,
            pixel = new Uint8Array(4);
        view.draw();
        gl.readPixels(gl.drawingBufferWidth / 2, gl.drawingBufferHeight / 2, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        return [...pixel];
    });
    check(
        'a colour is that of sRGB',
        wanted.every((value, i) => Math.abs(value - got[i]) <= 1),
        got,
        wanted
    );
    await close('a colour', tab);
}

// Textures use the set of coordinates that the material names: all of one, and occlusion its own.
async function trySets() {
    const numbers = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0.5, 0, 0, 0.5]),
        view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength }),
        accessor = (bufferView, type) => ({ bufferView, componentType: 5126, count: 3, type }),
        png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC';
    for (const [base, occlusion] of [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
    ]) {
        const file = workFile('sets.gltf');
        fs.writeFileSync(
            file,
            JSON.stringify({
                asset: { version: '2.0' },
                scenes: [{ nodes: [0] }],
                nodes: [{ mesh: 0 }],
                meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1, TEXCOORD_1: 2 }, material: 0 }] }],
                materials: [
                    {
                        pbrMetallicRoughness: { baseColorTexture: { index: 0, texCoord: base } },
                        occlusionTexture: { index: 0, texCoord: occlusion },
                    },
                ],
                textures: [{ source: 0 }],
                images: [{ uri: `data:image/png;base64,${png}` }],
                accessors: [{ ...accessor(0, 'VEC3'), min: [0, 0, 0], max: [1, 1, 0] }, accessor(1, 'VEC2'), accessor(2, 'VEC2')],
                bufferViews: [view(0, 36), view(36, 24), view(60, 24)],
                buffers: [
                    {
                        byteLength: numbers.byteLength,
                        uri: `data:application/octet-stream;base64,${Buffer.from(numbers.buffer).toString('base64')}`,
                    },
                ],
            })
        );
        const tab = await openPage(browser, convert(file, workFile('sets.html')));
        const got = await tab.page.evaluate(() => {
            const { attributes } = cellpipe.cell.meshes[0].geometry,
                largest = values => Math.max(...values.array);
            return [largest(attributes.uv), largest(attributes.uv2)];
        });
        const wanted = [base, occlusion].map(set => [1, 0.5][set]);
        check(`sets ${base} and ${occlusion}`, got[0] === wanted[0] && got[1] === wanted[1], got, wanted);
        await close('sets of coordinates', tab);
    }
}

// A vertex that no face uses does not count for the size; textures of WebP are shown; a damaged one is left out.
async function tryUnused() {
    const tab = await openPage(browser, convert(path.join(samples, 'ply_roof.ply'), workFile('roof.html')));
    const size = await tab.page.evaluate(() => cellpipe.view.box.getSize(new THREE.Vector3()).toArray());
    check('a vertex that no face uses', String(size.map(value => value.toFixed(6) - 0)) === '2,1,2', size); // Y up
    await close('an unused vertex', tab);
}

async function tryPictures() {
    const drawer = await browser.newPage();
    const [webp, png] = await drawer.evaluate(() => {
        const canvas = document.createElement('canvas'),
            context = canvas.getContext('2d');
        canvas.width = canvas.height = 8;
        context.fillStyle = '#ff0000';
        context.fillRect(0, 0, 8, 8);
        return ['image/webp', 'image/png'].map(type => canvas.toDataURL(type, 1));
    });
    await drawer.close();
    const numbers = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1]);
    for (const [what, uri, kind, wanted] of [
        ['WebP', webp, 'EXT_texture_webp', true],
        ['PNG', png, null, true],
        ['a damaged PNG', png.slice(0, 60) + 'A'.repeat(png.length - 60), null, false],
    ]) {
        const file = workFile('pictures.gltf');
        const scene = {
            asset: { version: '2.0' },
            scenes: [{ nodes: [0] }],
            nodes: [{ mesh: 0 }],
            meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
            materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
            textures: [kind ? { extensions: { [kind]: { source: 0 } } } : { source: 0 }],
            images: [{ uri }],
            accessors: [
                { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
                { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' },
            ],
            bufferViews: [
                { buffer: 0, byteLength: 36 },
                { buffer: 0, byteOffset: 36, byteLength: 24 },
            ],
            buffers: [
                {
                    byteLength: 60,
                    uri: `data:application/octet-stream;base64,${Buffer.from(numbers.buffer).toString('base64')}`,
                },
            ],
        };
        if (kind) scene.extensionsUsed = scene.extensionsRequired = [kind];
        fs.writeFileSync(file, JSON.stringify(scene));
        const tab = await openPage(browser, convert(file, workFile('pictures.html')));
        const width = await tab.page.evaluate(() => {
            const { map } = cellpipe.cell.meshes[0].material;
            return map ? map.image.width : 0;
        });
        check(`the picture of ${what}`, width === (wanted ? 8 : 0), width);
        if (wanted) await close(what, tab); // Chromium itself may complain of the damaged one
        else await tab.close();
    }
}

// Browsers without WebGL 2 draw the same with WebGL 1.
async function tryWebGl1(html) {
    const tab = await openPage(browser, html, {
        before: () => {
            const { getContext } = HTMLCanvasElement.prototype;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind === 'webgl2' ? null : getContext.call(this, kind, ...rest);
            };
        },
    });
    const other = await openPage(browser, html);
    const draw = ({ page }) =>
        page.evaluate(() => {
            const { gl } = cellpipe.view;
            cellpipe.view.draw();
            const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
            gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            let text = ''; // arrays of numbers take longer to send
            for (let i = 0; i < pixels.length; i += 1 << 14)
                text += String.fromCharCode(...pixels.subarray(i, i + (1 << 14)));
            return [gl.constructor.name, text];
        });
    const pixelsOf = ([name, text]) => [name, Buffer.from(text, 'latin1')];
    const [kind, pixels] = pixelsOf(await draw(tab)),
        [usual, wanted] = pixelsOf(await draw(other));
    check('WebGL 1 is used', kind === 'WebGLRenderingContext' && usual === 'WebGL2RenderingContext', kind, usual);
    const off = wanted.filter((value, i) => Math.abs(value - pixels[i]) > 3).length / wanted.length;
    check('WebGL 1 draws the same', off < 1e-3 && new Set(pixels).size > 20, off);
    await close('WebGL 1', tab);
    await close('WebGL 2', other);
}

// ---- all of it ----

const demo = path.join(samples, 'demo.wu'),
    html = convert(demo, workFile('demo.html'));
await tryUser(html);
await tryJoints(demo, html);
for (const name of ['joints.gltf', 'mechanisms/hexapod.dcw']) {
    const file = path.join(samples, name);
    await tryJoints(file, convert(file, workFile(`${path.basename(name)}.html`)));
}
const hexapod = path.join(samples, 'mechanisms/hexapod.dcw');
await tryPlatform(hexapod, convert(hexapod, workFile('hexapod.html')));
const weld = path.join(samples, 'deneb/welding/weld.dcr');
await tryClips(weld, convert(weld, workFile('weld.html'), 'clips=no'), 5e-6);

await tryThree(path.join(samples, 'joints.gltf'));
for (const name of ['poses.gltf', 'gltf_textures.gltf', 'stl_viscam.stl'])
    // scales of 0, pictures, a part
    await close(name, await openPage(browser, convert(path.join(samples, name), workFile('sample.html'))));
await tryThree(demo);
if (process.env.CELLPIPE_LONG) {
    // every joint and clip of all samples
    const files = fs
        .readdirSync(samples, { withFileTypes: true, recursive: true })
        .filter(entry => entry.isFile())
        .map(entry => path.join(entry.parentPath ?? entry.path, entry.name))
        .filter(name => /\.(wu|dev|dcr|dcw|gltf|glb|dae)$/.test(name))
        .sort();
    for (const file of files) {
        if (spawnSync(program, ['info', file]).status !== 0)
            // some are for others to name, and nothing alone
            continue;
        const scene = readScene(file),
            out = convert(file, workFile('sample.html'));
        if ([...scene.joints.values()].some(joint => joint.type !== 'fixed' && joint.driven))
            await tryJoints(file, out);
        if (scene.clips.length > 0 || scene.joints.size > 0) await tryThree(file);
        if (spawnSync(program, ['exclude', '-q', file, workFile('any.xml'), 'work=0', 'descents=0']).status === 0) {
            const sample = await tryEvidence(file, 'sample', 'work=2000', 'margin=2mm');
            await tryOwnPairs(file, 'sample', sample.pairs, 'work=2000', 'margin=2mm');
        }
    }
}

const pick = workFile('pick.glb');
execFileSync(program, ['program', '-q', demo, pick, `file=${path.join(samples, 'demo/pick.prg')}`, 'device=Arm']);
const pickPage = convert(pick, workFile('pick.html'));
await tryClips(pick, pickPage, 5e-6);
await tryProgram(pickPage);

// demo.wu excludes pairs by a setup of its own; the machine's witnesses are poses of closed loops.
const judged = await tryEvidence(demo, 'judged', 'work=20000'),
    judgedPage = workFile('judged.html');
await tryReasons(judgedPage);
await tryPairs(judgedPage);
await tryEvidence(path.join(samples, 'mechanisms/exechon.dcd'), 'machine', 'work=2000');
await tryPhone(pickPage);
await tryContrast(judgedPage, false);
await tryContrast(pickPage, true);
await tryEvil();
await tryLosses(html);
await tryContextLoss(html);
await tryWebGl1(html);
await tryColours();
await trySets();
await tryUnused();
await tryPictures();
await browser.close();
finish(
    `${checks} checks, ${witnesses} witnesses, poses off by at most ${worst.toExponential(1)} of the size, from three.js by ${worstThree.toExponential(1)}`
);
