// STL: text and its spellings, binary and its three dialects of colour.
import { Look, Refused } from './look.mjs';
import { textOf } from './files.mjs';

const bits = (word, low) => (word >> low & 31) / 31;
const viscam = word => [bits(word, 10), bits(word, 5), bits(word, 0)];
const magics = word => [bits(word, 0), bits(word, 5), bits(word, 10)];

// The part's colour and what an attribute word says, by the header.
function dialectOf(header) {
    const text = header.toString('latin1'), at = text.indexOf('COLOR=');
    if (at < 0)
        return { part: {}, own: word => word & 0x8000 ? { rgb: viscam(word) } : null };
    const bytesAt = from => [0, 1, 2].map(i => header[from + i] / 255);
    const meshlab = text.startsWith(' MATERIAL=', at + 9), material = text.indexOf(',MATERIAL=');
    const alpha = meshlab ? 255 : header[at + 9];
    const part = { rgb: bytesAt(material >= 0 ? material + 10 : at + 6), alpha: (alpha || 255) / 255 };
    const isOwn = meshlab ? word => word & 0x8000 : word => !(word & 0x8000);
    return { part, own: word => isOwn(word) ? { rgb: magics(word) } : null };
}

function readBinary(bytes, look) {
    const said = bytes.readUInt32LE(80), whole = Math.floor((bytes.length - 84) / 50);
    if (said > whole && said !== 0xffffffff)
        throw new Refused(`${whole} facets of ${said}`);
    const count = said > 0 && said <= whole && (bytes.length - 84) % 50 !== 0 ? said : whole;
    const dialect = dialectOf(bytes.subarray(0, 80)), word = i => bytes.readUInt16LE(84 + 50 * i + 48);
    let none = true;
    for (let i = 0; i < count && none; i++)
        none = word(i) === 0;
    for (let i = 0; i < count; i++) {
        const corner = k => [0, 4, 8].map(axis => bytes.readFloatLE(84 + 50 * i + 12 * k + axis));
        const points = [corner(1), corner(2), corner(3)];
        if (points.some(point => !point.every(Number.isFinite)))
            throw new Refused(`facet ${i} is not finite`);
        look.face(points, (none ? null : dialect.own(word(i))) ?? dialect.part);
    }
}

const number = text => Number(text.replace(/,$/, '').replace(/^([-+.\d]+)d([-+]?\d+)$/i, '$1e$2'));

function readText(text, look) {
    const words = text.replace(/\r\n?/g, '\n').split('\n').map(line => line.replace(/(^|\s)(#|;|\/\/).*$/, ''))
        .join(' \n ').replace(/[\0\x1a]+\s*$/, '').match(/\n|[^\s]+/g) ?? [];
    let points = null, facets = 0, ended = false;
    for (let at = 0; at < words.length; at++) {
        const word = words[at].toLowerCase();
        if (word === 'outer' || (word === 'loop' && !points)) {
            points = [];
        } else if (word === 'vertex') {
            const values = [];
            while (values.length < 3 && ++at < words.length)
                if (words[at] !== '\n')
                    values.push(number(words[at]));
            if (values.length < 3 || !values.every(Number.isFinite) || !points)
                throw new Refused(`no vertex: ${values}`);
            points.push(values);
        } else if (word === 'endloop' || (word === 'end' && /^loop$/i.test(words[at + 1]))) {
            if (!points || points.length < 3)
                throw new Refused('a loop of fewer than three vertices');
            look.face(points);
            points = null;
            facets++;
            at += Number(word === 'end');
        } else if (/^endsolid/.test(word) || (word === 'end' && /^solid$/i.test(words[at + 1]))) {
            ended = true;
            at += Number(word === 'end');
        }
    }
    if (points)
        throw new Refused('the text ends within a facet');
    if (!ended && !facets)
        throw new Refused('neither a facet nor an end');
}

export function readStl(bytes) {
    const look = new Look(), head = bytes.toString('latin1', 0, 2000);
    const fits = bytes.length >= 84 && bytes.length === 84 + 50 * bytes.readUInt32LE(80);
    const inner = bytes.toString('latin1').replace(/[\0\x1a]+\s*$/, '');
    const isText = !fits && (/\b(facet|endsolid)/i.test(head) && !inner.includes('\0') || (bytes[0] >= 0xfe && bytes[1] >= 0xfe));
    if (isText)
        readText(textOf(bytes), look);
    else if (bytes.length >= 84)
        readBinary(bytes, look);
    else
        throw new Refused('too short');
    return look;
}
