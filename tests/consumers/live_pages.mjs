// Pages of a live cell in headless Chromium: a server with users, and people who come to it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serve } from './live_client.mjs';

// Makes a folder with the file `people`; users are { name: role }.
export function makePeople(program, users) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'live-')), people = path.join(folder, 'people');
    for (const [name, role] of Object.entries(users))
        execFileSync(program, ['users', people, 'add', name, role], { input: `password of ${name}\n` });
    return { folder, people };
}

// A hall has a server, which can be started anew, and visitors; what they ask for elsewhere, and what goes wrong in their
// pages, is in `complaints`.
export async function openHall(program, words, browser) {
    const hall = { complaints: [], browser };
    hall.start = async (others = words, port = 0) => {
        const { child, port: found } = await serve(program, others, port);
        child.stderr.on('data', text => hall.complaints.push(`server: ${text}`));
        Object.assign(hall, { child, port: found, url: `http://127.0.0.1:${found}/` });
    };
    hall.end = async () => {
        hall.child.kill('SIGKILL');
        await hall.child.ended;
    };
    await hall.start();
    return hall;
}

export async function visit(hall, name, options = {}) {
    const context = await hall.browser.newContext({ viewport: { width: 900, height: 600 }, ...options }), tab = await context.newPage();
    tab.on('pageerror', error => hall.complaints.push(`${name}: ${error.message}`));
    tab.on('dialog', dialog => dialog.accept());
    tab.on('request', request => {
        if (!request.url().startsWith(hall.url) && !/^(data|blob|ws):/.test(request.url()))
            hall.complaints.push(`${name} asks ${request.url()}`);
    });
    await tab.goto(hall.url);
    if (name) await logIn(tab, name);
    else await isThere(tab);
    return tab;
}

export const isThere = tab => tab.waitForFunction(() => globalThis.cellpipe?.live?.mode && globalThis.cellpipe.live.state);
export async function logIn(tab, name) {
    await tab.locator('#login input[name=user]').fill(name);
    await tab.locator('#login input[name=password]').fill(`password of ${name}`);
    await tab.locator('#login button').click();
    await isThere(tab);
}

export const until = (tab, mode) => tab.waitForFunction(wanted => cellpipe.live.mode.mode === wanted, mode);

// A page that has no time for its words, on a busy machine, loses the lease: it takes over again.
export async function take(tab) {
    for (let tries = 0; tries < 20 && !await tab.evaluate(() => cellpipe.live.has()); tries++) {
        await tab.evaluate(() => cellpipe.live.ask({ type: 'take' }));
        await tab.waitForFunction(() => cellpipe.live.has(), null, { timeout: 2000 }).catch(() => {});
    }
}
export const give = tab => tab.evaluate(() => cellpipe.live.ask({ type: 'give' }));
