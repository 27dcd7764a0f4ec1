// Further files as real models name them, and ZIP archives.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { Refused } from './look.mjs';

const decode = name => {
    try {
        return decodeURIComponent(name);
    } catch {
        return name;
    }
};

// A place where names are looked for: a folder of the disk, or an archive. list gives all names of a folder.
class Place {
    // The bytes of the file that is meant, or null.
    find(name, folder = '') { return this.locate(name, folder)?.bytes ?? null; }

    /* The file that is meant as { bytes, folder }, or null: as written, percent decoded, with slashes for backslashes, the
     * last part beside the file that names it; then each of these in another case. */
    locate(name, folder = '') {
        name = name.trim();
        if (!name)
            return null;
        const package_ = /^(?:package|model):\/\/(.*)$/.exec(name);
        if (package_)
            return this.#above(package_[1], folder);
        if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name) && !/^file:/i.test(name))
            return null;
        const plain = name.replace(/^file:\/*(?=[a-z]:)/i, '').replace(/^file:\/\//i, '');
        const spellings = [plain, decode(plain), plain.replaceAll('\\', '/'), decode(plain).replaceAll('\\', '/')];
        spellings.push(...spellings.slice(2).map(spelling => path.posix.basename(spelling)));
        const places = spellings.filter(spelling => !path.posix.isAbsolute(spelling))
            .map(spelling => path.posix.join(folder, spelling));
        for (const look of [at => this.#exact(at), at => this.#anyCase(at)])
            for (const at of places) {
                const found = look(at);
                if (found)
                    return found;
            }
        return null;
    }

    #exact(at) {
        const bytes = this.read(at);
        return bytes && { bytes, folder: path.posix.dirname(at) };
    }

    #above(name, folder) {
        for (let at = folder; ; at = path.posix.dirname(at)) {
            const found = this.#exact(path.posix.join(at, name)) ?? this.#exact(path.posix.join(at, decode(name)));
            if (found || at === '.' || at === '')
                return found;
        }
    }

    #anyCase(wanted) {
        const folder = path.posix.dirname(wanted), name = path.posix.basename(wanted).toLowerCase();
        const same = this.list(folder).filter(entry => entry.toLowerCase() === name).sort();
        return same.length ? this.#exact(path.posix.join(folder, same[0])) : null;
    }
}

// Below root alone: what lies above is not the model's.
export class Disk extends Place {
    constructor(root) {
        super();
        this.root = path.resolve(root);
    }
    #inside(name) {
        const file = path.resolve(this.root, name);
        return file === this.root || file.startsWith(this.root + path.sep) ? file : null;
    }
    read(name) {
        const file = this.#inside(name);
        return file && fs.existsSync(file) && fs.statSync(file).isFile() ? fs.readFileSync(file) : null;
    }
    list(name) {
        const folder = this.#inside(name);
        return folder && fs.existsSync(folder) && fs.statSync(folder).isDirectory() ? fs.readdirSync(folder) : [];
    }
}

export class Archive extends Place {
    entries = new Map();
    constructor(bytes) {
        super();
        let end = bytes.length - 22;
        while (end >= 0 && bytes.readUInt32LE(end) !== 0x06054b50)
            end--;
        if (end < 0)
            throw new Refused('no ZIP archive: its directory is not there');
        let at = bytes.readUInt32LE(end + 16);
        for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
            if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50)
                throw new Refused('the directory of the ZIP archive is damaged');
            const [nameLength, extra, comment] = [28, 30, 32].map(offset => bytes.readUInt16LE(at + offset));
            const name = bytes.toString('utf8', at + 46, at + 46 + nameLength).replaceAll('\\', '/').replace(/^\/+/, '');
            this.entries.set(name, { method: bytes.readUInt16LE(at + 10), packed: bytes.readUInt32LE(at + 20),
                start: bytes.readUInt32LE(at + 42) });
            at += 46 + nameLength + extra + comment;
        }
        this.bytes = bytes;
    }
    read(name) {
        const entry = this.entries.get(path.posix.normalize(name));
        if (!entry)
            return null;
        const { bytes } = this, data = entry.start + 30 + bytes.readUInt16LE(entry.start + 26) +
            bytes.readUInt16LE(entry.start + 28);
        const packed = bytes.subarray(data, data + entry.packed);
        return entry.method === 0 ? packed : zlib.inflateRawSync(packed);
    }
    list(folder) {
        const before = folder === '.' || folder === '' ? '' : folder + '/';
        return [...this.entries.keys()].filter(name => name.startsWith(before)).map(name => name.slice(before.length))
            .filter(name => name && !name.includes('/'));
    }
}

// Text by its byte order mark; without one UTF-8, and Latin-1 where that does not fit.
export function textOf(bytes) {
    if (bytes[0] === 0xff && bytes[1] === 0xfe)
        return bytes.toString('utf16le', 2);
    if (bytes[0] === 0xfe && bytes[1] === 0xff)
        return Buffer.from(bytes.subarray(2, bytes.length - bytes.length % 2)).swap16().toString('utf16le');
    try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // leaves a mark out
    } catch {
        return bytes.toString('latin1');
    }
}
