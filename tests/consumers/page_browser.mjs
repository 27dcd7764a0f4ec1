// Pages of the exporter html in headless Chromium, from file://: what they ask for and say is collected, and should be nothing.
import fs from 'node:fs';
import path from 'node:path';
import { launch } from './browser.mjs';

const modules = path.join(import.meta.dirname, 'node_modules');
export const hasPlaywright = () => fs.existsSync(path.join(modules, 'playwright-core'));

// Two kinds of browsers: one that draws by software, and one without WebGL.
export const launchPages = (executablePath, withGl = true) =>
    withGl
        ? launch(executablePath)
        : import('playwright-core').then(({ chromium }) =>
              chromium.launch({
                  executablePath,
                  args: [
                      '--headless=new',
                      '--no-sandbox',
                      '--disable-gpu',
                      '--disable-3d-apis',
                      '--disable-background-networking',
                      '--no-proxy-server',
                  ],
              })
          );

// Opens a page: { page, problems, close }. It waits until the page is ready or says that it cannot be.
export async function openPage(
    browser,
    file,
    { width = 1280, height = 800, dark = false, touch = false, scripts = true, hash = '', before = null } = {}
) {
    const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        hasTouch: touch,
        isMobile: touch,
        javaScriptEnabled: scripts,
    });
    const page = await context.newPage(),
        problems = [];
    page.on('pageerror', error => problems.push(`error: ${error.message}`));
    page.on('console', message => problems.push(`${message.type()}: ${message.text()}`));
    page.on('request', request => {
        if (request.url().split('#')[0] !== `file://${file}` && !/^(blob|data):/.test(request.url()))
            problems.push(`request: ${request.url()}`);
    });
    if (before)
        // runs in the page before its own scripts
        await page.addInitScript(before);
    await page.goto(`file://${file}${hash}`);
    if (scripts)
        await page.waitForFunction(
            () => document.documentElement.dataset.ready || document.documentElement.dataset.failed
        );
    return { page, context, problems, close: () => context.close() };
}

// Sets a slider or a box as a user does.
export const setInput = (page, id, value, event = 'input') =>
    page.evaluate(
        ([name, text, kind]) => {
            const input = document.getElementById(name);
            input.value = text;
            input.dispatchEvent(new Event(kind, { bubbles: true }));
        },
        [id, String(value), event]
    );

// The poses of all frames as the page has them, in the cell's own axes: rows of 12 numbers by id.
export const framePoses = page =>
    page.evaluate(() => {
        const { cell } = globalThis.cellpipe,
            found = {};
        cell.root.updateMatrixWorld(true);
        for (const frame of cell.frames) {
            let tail = frame.node;
            for (;;) {
                const next = cell.nodes.find(
                    node => node.parent === tail && (node.own.joint || ['shear', 'axis'].includes(node.own.made))
                );
                if (!next) break;
                tail = next;
            }
            const e = tail.object.matrixWorld.elements,
                row = i => [e[i], e[4 + i], e[8 + i], e[12 + i]];
            found[frame.id] = [...row(0), ...row(2).map(x => -x), ...row(1)];
        }
        return found;
    });

// How many pictures a page draws while nothing changes, in 120 turns of its loop: two seconds where nothing else takes
// time. What is under way may take two turns before.
export const drawnAtRest = page =>
    page.evaluate(async () => {
        const turn = () => new Promise(done => requestAnimationFrame(done));
        await turn();
        await turn();
        const before = cellpipe.view.frames;
        for (let i = 0; i < 120; i++) await turn();
        return cellpipe.view.frames - before;
    });

// Bytes as they stand in a page: docs/html.md says how.
export function packBytes(bytes) {
    const digit = value => String.fromCharCode(35 + value + (value >= 25 ? 1 : 0));
    let text = '',
        bits = 0,
        held = 0;
    const put = (value, pair) => (text += pair ? digit(Math.floor(value / 91)) + digit(value % 91) : digit(value));
    for (const byte of bytes) {
        bits = ((bits << 8) | byte) & 0xfffff;
        held += 8;
        if (held < 13) continue;
        held -= 13;
        put((bits >> held) & 8191, true);
    }
    if (held > 6) put((bits << (13 - held)) & 8191, true);
    else if (held > 0) put((bits << (6 - held)) & 63, false);
    return text;
}
