// The gallery of 50 parts in headless Chromium, opened as a file and from a static server: it lists, searches, sorts and
// filters, opens each part, by mouse and keys, in light and dark, and frees what it opened; names that try to be markup
// stay names. Nothing is asked of a network, and nothing is said on the console. The page of report --html does the
// same without pictures.
import fs from 'node:fs';
import path from 'node:path';
import { findChromium, serveFiles } from './browser.mjs';
import { makeBox, makeLibrary, openIndex, report, runBatch, search, waitForPart } from './gallery_page.mjs';
import { fail, finish, skip, workFile } from './lib.mjs';
import { hasPlaywright, launchPages } from './page_browser.mjs';

const chromium = findChromium();
if (!chromium) skip('consumers/test_gallery needs chromium (apt-get install chromium)');
if (!hasPlaywright()) skip('consumers/test_gallery needs playwright-core (npm install in tests/consumers)');

let checks = 0;
function check(what, holds, ...shown) {
    checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

// ---- the library: 40 plain names, 8 that are none, a copy and a failure ----

const library = workFile('library'),
    out = workFile('out');
makeLibrary(library, 40);
const evil = [
    "</script><script>window.evil=1</script>.stl",
    '"><img src=x onerror="window.evil=2">.stl',
    "it's {{cell}} & <b>.stl",
    'javascript:alert(1)//.stl'.replace('//', ''),
    'a?b#c%41 d.stl',
    'right\u202egnp.stl',
    'new\nline\tand \u2028.stl',
    `${'long '.repeat(48)}.stl`,
];
evil.forEach((name, i) => {
    const safe = name.replaceAll('/', '\u2215'); // no file has a slash in its name; the folder below has one
    fs.writeFileSync(path.join(library, safe), makeBox(500 + i, 5, 5));
});
fs.mkdirSync(path.join(library, '<', 'script><script>window.evil=3<'), { recursive: true });
fs.writeFileSync(path.join(library, '<', 'script><script>window.evil=3<', 'script>.stl'), makeBox(600, 5, 5));
fs.writeFileSync(Buffer.concat([Buffer.from(`${library}/latin`), Buffer.of(0xe9), Buffer.from('.stl')]), makeBox(700, 5, 5));
fs.writeFileSync(path.join(library, 'broken.stl'), 'solid x\nfacet normal oops');
const parts = 50;
runBatch(library, out, '--to', 'stl'); // which has no name of the input in it: equal parts are equal outputs
fs.copyFileSync(path.join(library, 'bolt/0/bolt-6.stl'), path.join(library, 'copy of a bolt.stl'));
const told = runBatch(library, out, '--to', 'stl');
check('a copy is not made anew', told.includes(`${parts + 1} outputs, 0 new, 0 of these without a model`), told);

const browser = await launchPages(chromium);
const index = `file://${out}/index.html`;

function checkQuiet(what, tab, place) {
    check(`${what}: no message`, tab.problems.length === 0, tab.problems.slice(0, 5));
    const others = tab.requests.filter(url => !url.startsWith(place) && !/^(blob|data):/.test(url));
    check(`${what}: no request elsewhere`, others.length === 0, others.slice(0, 5));
}

const names = page => page.evaluate(() => globalThis.cellpipe.list.rows.map(row => row.input));

// ---- the list ----

async function tryList() {
    const tab = await openIndex(browser, index),
        { page } = tab;
    check('it is ready', await page.evaluate(() => document.documentElement.dataset.ready === 'yes'));
    const all = await names(page);
    check('all inputs', all.length === parts + 2, all.length);
    check('the failure is first', all[0].endsWith('/broken.stl'), all[0]);
    const alive = await page.locator('#list button').count();
    check('only what is seen is there', alive >= 12 && alive <= 48, alive);
    const pictures = await page.evaluate(() =>
        Array.from(document.querySelectorAll('#list img'), image => [image.complete, image.naturalWidth])
    );
    check('pictures', pictures.length >= 11 && pictures.every(([, width]) => width === 192), pictures.slice(0, 3));
    check('a search', (await search(page, 'bolt')) === 5); // 4, and the copy
    check('all words', (await search(page, 'BOLT copy')) === 1);
    check('a message', (await search(page, 'facet outer loop')) === 1);
    check('what nobody has', (await search(page, 'zebra')) === 0);
    check('nothing is shown', (await page.locator('#list button').count()) === 0);
    check('all again', (await search(page, '')) === parts + 2);
    const filter = async name => {
        await page.locator(`[data-filter="${name}"]`).click();
        return names(page);
    };
    check('failures', (await filter('failed')).length === 1);
    check('duplicates', (await filter('duplicates')).length === 2);
    await filter('all');
    await page.locator('#about summary').click();
    await page.locator('#sums button').first().click();
    check('inputs of a message', (await names(page)).length === 1);
    await filter('all');
    await page.locator('#about summary').click();
    await page.locator('#sort').selectOption('name');
    const sorted = (await names(page)).filter(name => /gear-\d+/.test(name)).map(name => Number(name.match(/gear-(\d+)/)[1]));
    check('numbers in names count', sorted.join() === [...sorted].sort((a, b) => a - b).join(), sorted);
    await page.locator('#cards').click();
    check('lines', (await page.locator('#list .lines').count()) > 12);
    check('without pictures', (await page.locator('#list img').count()) === 0);
    checkQuiet('list', tab, `file://${out}/`);
    await tab.close();
}

// ---- names ----

async function tryNames() {
    const tab = await openIndex(browser, index),
        { page } = tab;
    const rows = await page.evaluate(() => globalThis.cellpipe.list.rows.map((row, i) => [i, row.output, row.state]));
    let links = 0;
    for (const [i, output, state] of rows) {
        await page.evaluate(at => globalThis.cellpipe.dialog.open(at), i);
        const seen = await page.evaluate(() => ({
            href: document.querySelector('#facts a')?.href,
            name: document.getElementById('part-name').textContent,
            elements: document.querySelectorAll('#part-name *, #facts bdi *, #list bdi *').length,
        }));
        check('a name has no elements', seen.elements === 0, output);
        check('nor control characters', !/[\p{Cc}\p{Cs}\u2028\u202e]/u.test(seen.name), seen.name);
        if (state !== 'ok') continue;
        const place = new URL(seen.href).pathname.replace(/%([0-9a-f]{2})/gi, (all, hex) => String.fromCharCode(parseInt(hex, 16)));
        check('a link leads to the output', fs.existsSync(Buffer.from(place, 'latin1')), seen.href);
        links++;
    }
    check('links of all', links === parts + 1, links);
    check('no name has run', await page.evaluate(() => globalThis.evil === undefined));
    check('no name is an element', await page.evaluate(() => document.querySelectorAll('script, b').length === 3));
    checkQuiet('names', tab, `file://${out}/`);
    await tab.close();
}

// ---- parts ----

async function tryParts(url, place, count) {
    const tab = await openIndex(browser, url),
        { page } = tab;
    await search(page, 'stl');
    await page.locator('#list button').nth(1).click();
    const before = await tab.metrics(true);
    for (let i = 0; i < count; i++) {
        if (i > 0) await page.locator('#after').click();
        const frame = await waitForPart(page),
            seen = await frame.evaluate(() => [
                document.documentElement.dataset.failed,
                globalThis.cellpipe.cell?.triangles,
                globalThis.cellpipe.view?.frames > 0,
            ]);
        check('a part is drawn', seen[0] === undefined && seen[1] === 12 && seen[2], i, seen);
    }
    await page.locator('#close').click();
    await page.waitForSelector('iframe', { state: 'detached' });
    const after = await tab.metrics(true);
    check('what was open is freed', after.Documents <= before.Documents + 1, before.Documents, after.Documents);
    check('the heap', after.JSHeapUsedSize <= 60e6, after.JSHeapUsedSize);
    checkQuiet(url, tab, place);
    await tab.close();
    return after.JSHeapUsedSize;
}

// ---- keys ----

async function tryKeys() {
    const tab = await openIndex(browser, index, { colorScheme: 'dark' }),
        { page } = tab;
    const focused = () => page.evaluate(() => document.activeElement.title || document.activeElement.querySelector('.name')?.title);
    check('dark', await page.evaluate(() => document.documentElement.dataset.theme === 'dark'));
    await page.keyboard.press('/');
    await page.keyboard.type('gear');
    check('/ searches', (await names(page)).length === 4);
    for (let i = 0; i < 20 && !(await page.evaluate(() => document.activeElement.closest('#list'))); i++)
        await page.keyboard.press('Tab');
    const [first, second] = await names(page);
    check('Tab comes to the list', (await focused()) === first, await focused());
    await page.keyboard.press('ArrowRight');
    check('an arrow goes on', (await focused()) === second, await focused());
    await page.keyboard.press('Enter');
    const frame = await waitForPart(page);
    check('Enter opens', (await page.evaluate(() => document.getElementById('part').open)) === true);
    check('the viewer is dark, too', await frame.evaluate(() => document.documentElement.dataset.theme === 'dark'));
    await frame.locator('#scene').focus();
    await page.keyboard.press('m');
    await page.keyboard.press('Escape');
    check('Esc ends a measure first', await page.evaluate(() => document.getElementById('part').open));
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.getElementById('part').open);
    check('and then the part', (await focused()) === second, await focused());
    await page.keyboard.press('End');
    check('End', (await focused()) === (await names(page)).at(-1));
    await page.keyboard.press('d');
    check('D', await page.evaluate(() => document.documentElement.dataset.theme === 'light'));
    checkQuiet('keys', tab, `file://${out}/`);
    await tab.close();
}

// ---- what is not there ----

async function tryMissing() {
    const viewer = `file://${out}/.gallery/viewer.html`;
    for (const words of ['', '?evil', '?../../x', '?//evil.example/x', `?${'0'.repeat(33)}`]) {
        const tab = await openIndex(browser, viewer + words);
        check('it says why', await tab.page.evaluate(() => document.documentElement.dataset.failed.includes('open the gallery')));
        check('and asks for nothing', tab.requests.length === 1, tab.requests);
        await tab.close();
    }
    const tab = await openIndex(browser, `${viewer}?${'0'.repeat(32)}`);
    check('no such part', await tab.page.evaluate(() => document.documentElement.dataset.failed.includes('no model')));
    await tab.close();
    const cut = workFile('cut.html');
    fs.writeFileSync(cut, fs.readFileSync(`${out}/index.html`).subarray(0, -300));
    const short = await openIndex(browser, `file://${cut}`);
    check('a page that is cut short says so', await short.page.evaluate(() => document.documentElement.dataset.failed.includes('cut short')));
    await short.close();
}

async function tryReport() {
    const file = workFile('report.html');
    try {
        fs.writeFileSync(file, report(out, '--html'));
    } catch (error) {
        fs.writeFileSync(file, error.stdout); // it ends with 1, as an input failed
    }
    const tab = await openIndex(browser, `file://${file}`),
        { page } = tab;
    check('a report has lines', (await page.locator('#list .lines').count()) > 12);
    check('of all', (await names(page)).length === parts + 2);
    await page.locator('#list button').first().click();
    check('and the facts of each', await page.evaluate(() => document.getElementById('facts').textContent.includes('stl-')));
    await page.locator('#close').click();
    check('no pictures', (await page.locator('#cards').isVisible()) === false);
    check('it asks for nothing', tab.requests.length === 1, tab.requests);
    checkQuiet('report', tab, 'file:///');
    await tab.close();
}

await tryList();
await tryNames();
const heap = await tryParts(index, `file://${out}/`, parts);
const server = await serveFiles(fs.readFileSync(`${out}/index.html`), name => path.join(out, name));
await tryParts(server.url, server.url, 3);
server.close();
await tryKeys();
await tryMissing();
await tryReport();
await browser.close();
finish(`${checks} checks, heap after ${parts} parts ${(heap / 1e6).toFixed(1)} MB`);
