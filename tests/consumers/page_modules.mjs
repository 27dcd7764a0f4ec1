// The page's scripts without a browser: they put what they offer into globalThis.cellpipe_page.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { root } from './lib.mjs';

export function loadModules(...names) {
    for (const name of names) {
        const file = path.join(root, 'page', `${name}.js`);
        vm.runInThisContext(fs.readFileSync(file, 'utf8'), { filename: file });
    }
    return globalThis.cellpipe_page;
}

// The bytes of a file, in a buffer of their own.
export function readBuffer(file) {
    const bytes = fs.readFileSync(file);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
