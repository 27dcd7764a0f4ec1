// The gallery of 20,000 made parts in headless Chromium: how large its page is, and what the list, a search and a part
// cost. Time is that of the page's process on processors, which a busy machine does not change much; what a person
// waited is told, too. With a number behind the program, that many parts; with a folder, its gallery is kept there.
import fs from 'node:fs';
import { findChromium } from './browser.mjs';
import { makeLibrary, openIndex, runBatch, search, waitForPart } from './gallery_page.mjs';
import { fail, finish, skip, workFile } from './lib.mjs';
import { hasPlaywright, launchPages } from './page_browser.mjs';

const chromium = findChromium();
if (!chromium) skip('consumers/test_gallery_many needs chromium (apt-get install chromium)');
if (!hasPlaywright()) skip('consumers/test_gallery_many needs playwright-core (npm install in tests/consumers)');

const count = Number(process.argv[3] ?? 20000),
    library = workFile('library'),
    out = process.argv[4] ?? workFile('out');
let checks = 0;
function check(what, holds, ...shown) {
    checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

makeLibrary(library, count);
const told = runBatch(library, out, '-q');
check('nothing is told', told === '', told);
const bytes = fs.statSync(`${out}/index.html`).size;
check('the page has at most 57 bytes a part', bytes <= 57 * count + 50000, bytes);
check('nothing is new', runBatch(library, out).includes(`${count} outputs, 0 new`));
check('the page stays', fs.statSync(`${out}/index.html`).size === bytes);

const browser = await launchPages(chromium);
const tab = await openIndex(browser, `file://${out}/index.html`),
    { page } = tab;
const said = [];

// Measures processor and clock, in seconds, of something that is done with the page.
async function measure(work) {
    const from = (await tab.metrics()).ProcessTime,
        begun = performance.now();
    const result = await work();
    const clock = (performance.now() - begun) / 1000;
    return { result, processor: (await tab.metrics()).ProcessTime - from, clock };
}
const tell = (what, processor, clock) => said.push(`${what} ${processor.toFixed(2)} s (clock ${clock.toFixed(2)} s)`);

const { ProcessTime } = await tab.metrics(),
    shown = await page.evaluate(() => performance.now() / 1000);
tell('list', ProcessTime, shown);
check('list: 1 s', ProcessTime <= 1, ProcessTime);

let worst = { processor: 0, clock: 0 };
for (const [words, found] of [
    ['gear', count / 10],
    ['gear-7', null],
    ['bolt 99', null],
    ['nobody', 0],
    ['', count],
]) {
    const one = await measure(() => search(page, words));
    check(`search: ${words}`, found === null ? one.result > 0 : one.result === found, one.result);
    check('search: 0.5 s', one.processor <= 0.5, one.processor);
    if (one.processor > worst.processor) worst = one;
}
tell('search', worst.processor, worst.clock);
const alive = await page.locator('#list button').count();
check('only what is seen is there', alive <= 48, alive);
await page.evaluate(() => (document.getElementById('list').scrollTop = 1e9));
await page.waitForFunction(() => document.querySelectorAll('#list button').length > 0);
check('the end is seen', await page.evaluate(() => {
    const { rows } = globalThis.cellpipe.list,
        last = rows[rows.length - 1].input;
    return [...document.querySelectorAll('#list .name')].some(name => name.title === last);
}));
await page.evaluate(() => (document.getElementById('list').scrollTop = 0));

const parts = [];
await page.locator('#list button').first().waitFor();
for (let i = 0; i < 50; i++)
    parts.push(
        await measure(async () => {
            await (i === 0 ? page.locator('#list button').first() : page.locator('#after')).click();
            return waitForPart(page);
        })
    );
const middle = key => parts.map(one => one[key]).sort((a, b) => a - b)[parts.length >> 1];
tell('part', middle('processor'), middle('clock'));
check('part: 1 s', middle('processor') <= 1, middle('processor'));
const open = await tab.metrics(true);
await page.locator('#close').click();
const closed = await tab.metrics(true);
said.push(`heap ${(closed.JSHeapUsedSize / 1e6).toFixed(1)} MB, ${(open.JSHeapUsedSize / 1e6).toFixed(1)} MB with the 50th part open`);
check('heap: 60 MB', open.JSHeapUsedSize <= 60e6 && closed.JSHeapUsedSize <= 60e6, open.JSHeapUsedSize);
check('no message', tab.problems.length === 0, tab.problems.slice(0, 3));
await browser.close();
finish(`${checks} checks; page ${bytes} bytes, ${said.join(', ')}`);
