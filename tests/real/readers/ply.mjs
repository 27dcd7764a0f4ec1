// PLY, text and binary.
import { Look, Refused, imageOf, toLinear } from './look.mjs';
import { textOf } from './files.mjs';

const types = { char: 'Int8', uchar: 'Uint8', short: 'Int16', ushort: 'Uint16', int: 'Int32', uint: 'Uint32', float: 'Float32',
    double: 'Float64', int8: 'Int8', uint8: 'Uint8', int16: 'Int16', uint16: 'Uint16', int32: 'Int32', uint32: 'Uint32',
    float32: 'Float32', float64: 'Float64' };
const most = { Uint8: 255, Int8: 255, Uint16: 65535, Float32: 1, Float64: 1 };

function readHeader(bytes) {
    const end = /end_header[ \t]*(\r\n|\n|\r)/.exec(bytes.toString('latin1', 0, 100000));
    if (!end || !/^ply\s/.test(bytes.toString('latin1', 0, 4)))
        throw new Refused('no header');
    const header = { elements: [], body: end.index + end[0].length, image: null };
    for (const line of bytes.toString('latin1', 0, end.index).split(/\r\n|\n|\r/)) {
        const words = line.trim().split(/\s+/);
        if (words[0] === 'format')
            header.format = words[1];
        else if (words[0] === 'element')
            header.elements.push({ name: words[1], count: Number(words[2]), properties: [] });
        else if (words[0] === 'property')
            header.elements.at(-1).properties.push(words[1] === 'list'
                ? { name: words[4], of: types[words[2]], type: types[words[3]] } : { name: words[2], type: types[words[1]] });
        else if (words[0] === 'comment' && words[1] === 'TextureFile')
            header.image = words.slice(2).join(' ');
    }
    if (header.elements.some(element => !(element.count >= 0) || element.properties.some(property => !property.type)))
        throw new Refused('an element without a count, or a property of an unknown type');
    return header;
}

const numberOf = word => /^[-+]?(nan|inf(inity)?)$/i.test(word) ? NaN : Number(word.replace(/^$/, 'x'));

/* The next value of the rows, by its type, and the end of a row: in text, what else is in the row's line belongs to
 * nobody. */
function reader(bytes, header) {
    if (header.format === 'ascii') {
        const lines = textOf(bytes.subarray(header.body)).split(/\r\n|\n|\r/).map(line => line.trim().split(/\s+/))
            .filter(words => words[0] !== '');
        let line = 0, word = 0;
        const next = () => {
            while (line < lines.length && word >= lines[line].length) {
                line++;
                word = 0;
            }
            const text = lines[line]?.[word++], value = numberOf(text ?? '');
            if (text === undefined || (Number.isNaN(value) && !/nan|inf/i.test(text)))
                throw new Refused('the rows end early, or a word is no number');
            return value;
        };
        const end = () => {
            if (word > 0) {
                line++;
                word = 0;
            }
        };
        return { next, end };
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), little = header.format === 'binary_little_endian';
    let at = header.body;
    const next = type => {
        const size = Number(/\d+/.exec(type)[0]) / 8;
        if (at + size > bytes.length)
            throw new Refused('the rows end early');
        at += size;
        return view[`get${type}`](at - size, little);
    };
    return { next, end: () => {} };
}

function readRow(element, next) {
    return Object.fromEntries(element.properties.map(property => {
        if (!property.of)
            return [property.name, next(property.type)];
        const count = next(property.of);
        if (count < 0)
            throw new Refused('a list of negative length');
        return [property.name, Array.from({ length: count }, () => next(property.type))];
    }));
}

// The names of the colour channels that an element has, and what a value of 1 is.
function colourNames(element) {
    for (const names of [['red', 'green', 'blue', 'alpha'], ['r', 'g', 'b', 'a'],
        ['diffuse_red', 'diffuse_green', 'diffuse_blue', 'diffuse_alpha']]) {
        const found = names.map(name => element?.properties.find(property => property.name === name && !property.of));
        if (found[0] && found[1] && found[2])
            return { names: names.filter((_, i) => found[i]), most: most[found[0].type] ?? 255 };
    }
    return null;
}

export function readPly(bytes, { files, folder }) {
    const header = readHeader(bytes), { next, end } = reader(bytes, header), rows = {}, look = new Look();
    for (const element of header.elements) {
        rows[element.name] = [];
        for (let i = 0; i < element.count; i++) {
            rows[element.name].push(readRow(element, next));
            end();
        }
    }
    const element = name => header.elements.find(each => each.name === name);
    const vertices = rows.vertex;
    if (!vertices)
        throw new Refused('no vertices');
    const tone = (row, { names, most: whole }, asLinear) => names.map((name, i) => {
        const value = Math.min(1, Math.max(0, row[name] / whole));
        return i < 3 && asLinear ? toLinear(value) : value;
    });
    const ofVertices = colourNames(element('vertex')), ofFaces = colourNames(element('face'));
    const colours = ofVertices && vertices.map(vertex => tone(vertex, ofVertices, true));
    const found = header.image && files.find(header.image, folder), image = found ? imageOf(found) : null;
    const [s, t] = [['s', 't'], ['u', 'v'], ['texture_u', 'texture_v']].find(([name]) => vertices[0]?.[name] !== undefined) ?? [];
    const draw = (corners, face) => {
        const points = corners.map(i => {
            const vertex = vertices[i];
            if (!vertex || ![vertex.x, vertex.y, vertex.z].every(Number.isFinite))
                throw new Refused(`vertex ${i} of ${vertices.length}`);
            return [vertex.x, vertex.y, vertex.z];
        });
        const own = ofFaces && !colours ? tone(face, ofFaces) : [], listed = face.texcoord;
        const uv = s ? corners.map(i => [vertices[i][s], 1 - vertices[i][t]])
            : listed?.length === 2 * corners.length ? corners.map((_, k) => [listed[2 * k], 1 - listed[2 * k + 1]]) : null;
        look.face(points, { rgb: own.length ? own.slice(0, 3) : null, alpha: own[3] ?? 1, image: uv ? image : null, uv,
            colours: colours && corners.map(i => colours[i]) });
    };
    for (const face of rows.face ?? []) {
        const corners = face.vertex_indices ?? face.vertex_index;
        if (!corners)
            throw new Refused('a face without vertices');
        if (corners.length > 2)
            draw(corners, face);
    }
    for (const strip of rows.tristrips ?? []) {
        const list = strip.vertex_indices ?? strip.vertex_index;
        for (let from = 0, i = 0; i < list.length; i++) {
            if (list[i] < 0)
                from = i + 1;
            else if (i - from >= 2)
                draw((i - from) % 2 ? [list[i - 1], list[i - 2], list[i]] : [list[i - 2], list[i - 1], list[i]], {});
        }
    }
    return look;
}
