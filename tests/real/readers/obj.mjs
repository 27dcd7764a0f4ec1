// OBJ and MTL.
import { Look, Refused, grey, imageOf, toLinear, white } from './look.mjs';
import { textOf } from './files.mjs';

const linesOf = bytes => textOf(bytes).replace(/\\[ \t]*(\r\n|\n|\r)/g, ' ').split(/\r\n|\n|\r/)
    .map(line => line.replace(/[\0]+$/, '').trim());
const partsOf = line => {
    const space = line.search(/\s/);
    return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space).trim()];
};
const numbers = text => text.split(/\s+/).map(Number);
const withoutComment = text => text.replace(/(^|\s)#.*$/, '').trim();

// How many words an option of an image takes; those of -o, -s and -t are one to three numbers.
const optionWords = { blendu: 1, blendv: 1, boost: 1, cc: 1, clamp: 1, imfchan: 1, texres: 1, bm: 1, mm: 2, type: 1,
    colorspace: 1 };

function imageStatement(text) {
    const words = text.split(/\s+/), found = { offset: [0, 0], scale: [1, 1] };
    while (words.length > 1 && words[0][0] === '-') {
        const option = words.shift().slice(1), list = [];
        if (option === 'o' || option === 's' || option === 't')
            while (list.length < 3 && words.length > 1 && Number.isFinite(Number(words[0])))
                list.push(Number(words.shift()));
        else
            words.splice(0, optionWords[option] ?? 1);
        if (option === 'o')
            list.forEach((value, i) => { found.offset[i] = value; });
        if (option === 's')
            list.forEach((value, i) => { found.scale[i] = value; });
    }
    return { ...found, name: words.join(' ').replace(/^"(.*)"$/, '$1') };
}

function readMaterials(bytes, folder, materials) {
    let material = null;
    for (const line of linesOf(bytes)) {
        const [word, rest] = partsOf(line), values = numbers(rest).filter(Number.isFinite);
        if (word === 'newmtl') {
            material = { folder };
            if (!materials.has(rest))
                materials.set(rest, material);
        } else if (material && (word === 'Kd' || word === 'Ke') && values.length && !/^[a-z]/i.test(rest)) { // no spectra
            material[word] = [0, 1, 2].map(i => values[i] ?? values[0]);
        } else if (material && word === 'd') {
            material.d = values[0];
        } else if (material && word === 'Tr') {
            material.Tr = values[0];
        } else if (material && (word === 'map_Kd' || word === 'map_d')) {
            material[word] = imageStatement(withoutComment(rest));
        }
    }
}

// Opacity: d, or else 1 - Tr; but Tr 1 alone was written for opaque surfaces.
function paintOf(material, files, look) {
    const paint = { emission: (material.Ke ?? [0, 0, 0]).map(toLinear), map: material.map_Kd ?? null };
    const black = material.Kd?.every(value => value === 0);
    paint.rgb = material.Kd && !(black && paint.map) ? material.Kd : paint.map ? white : grey;
    paint.alpha = material.d ?? (material.Tr === undefined ? 1 : 1 - material.Tr);
    if (material.d === undefined && material.Tr === 1) {
        paint.alpha = 1;
        look.says.add('transparent');
    }
    if (black && paint.map)
        look.says.add('black');
    const bytes = paint.map && files.find(paint.map.name, material.folder);
    paint.image = bytes ? imageOf(bytes) : null;
    if (paint.map && !bytes)
        look.says.add('image');
    return paint;
}

// r g b behind a position: from 0 to 1, or to 255 where one is above 2.
function colourTable(vertices) {
    const coloured = vertices.filter(vertex => vertex.length >= 6 && vertex.slice(3, 6).every(Number.isFinite));
    if (!coloured.length)
        return null;
    const most = coloured.some(vertex => vertex.slice(3, 6).some(value => value > 2)) ? 255 : 1;
    return vertices.map(vertex => coloured.length && vertex.length >= 6 && vertex.slice(3, 6).every(Number.isFinite)
        ? [...vertex.slice(3, 6).map(value => toLinear(Math.min(1, Math.max(0, value / most)))), (vertex[6] ?? most) / most]
        : [1, 1, 1, 1]);
}

export function readObj(bytes, { files, folder }) {
    const vertices = [], coordinates = [], faces = [], polylines = [], materials = new Map(), look = new Look();
    let material = null;
    for (const line of linesOf(bytes)) {
        const [word, rest] = partsOf(line);
        if (word === 'v') {
            const vertex = numbers(withoutComment(rest));
            if (vertex.length < 3 || vertex.slice(0, 3).some(value => !Number.isFinite(value)))
                throw new Refused(`no vertex: ${line}`);
            vertices.push(vertex);
        } else if (word === 'vt') {
            coordinates.push(numbers(withoutComment(rest)).slice(0, 2));
        } else if (word === 'f' || word === 'fo' || word === 'l') {
            const corners = withoutComment(rest).split(/\s+/).map(corner => {
                const [v, t] = corner.split('/').map(text => text === '' ? 0 : Number(text));
                return { v: v < 0 ? vertices.length + v : v - 1, t: t < 0 ? coordinates.length + t : (t || 0) - 1 };
            });
            (word === 'l' ? polylines : faces).push({ corners, material });
        } else if (word === 'usemtl') {
            material = rest;
        } else if (word === 'mtllib') {
            const whole = files.locate(rest.replace(/^"(.*)"$/, '$1'), folder);
            for (const found of whole ? [whole] : rest.split(/\s+/).map(name => files.locate(name, folder)))
                if (found)
                    readMaterials(found.bytes, found.folder, materials);
        }
    }
    if (!vertices.length && !faces.length)
        throw new Refused('neither a vertex nor a face');
    const colours = colourTable(vertices), paints = new Map();
    const paint = name => {
        if (!paints.has(name))
            paints.set(name, materials.has(name) ? paintOf(materials.get(name), files, look) : {});
        return paints.get(name);
    };
    const pointsOf = corners => corners.map(({ v }) => {
        if (!(v >= 0 && v < vertices.length))
            throw new Refused(`vertex ${v + 1} of ${vertices.length}`);
        return vertices[v].slice(0, 3);
    });
    for (const { corners, material: name } of faces) {
        if (corners.length < 3)
            continue;
        const points = pointsOf(corners), { map, ...own } = paint(name);
        const { offset, scale } = map ?? { offset: [0, 0], scale: [1, 1] };
        const has = corners.some(({ t }) => coordinates[t]?.every(Number.isFinite));
        const uv = has ? corners.map(({ t }) => {
            const [u, v] = coordinates[t] ?? [0, 1];
            return [u * scale[0] + offset[0], 1 - ((v ?? 0) * scale[1] + offset[1])];
        }) : null;
        look.face(points, { ...own, uv, colours: colours && corners.map(({ v }) => colours[v]) });
    }
    for (const { corners } of polylines)
        if (corners.length > 1)
            look.line(pointsOf(corners));
    return look;
}
