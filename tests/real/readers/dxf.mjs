// DXF, as text and in the binary form: faces, meshes, lines and inserts.
import { Look, Refused, identity, mirrors, multiply, place, scaling } from './look.mjs';

// ---- groups: pairs of a code and a value ----

const kinds = [[0, 9, 'text'], [10, 59, 'double'], [60, 79, 'int16'], [90, 99, 'int32'], [100, 109, 'text'], [110, 149, 'double'],
    [160, 169, 'int64'], [170, 179, 'int16'], [210, 239, 'double'], [270, 289, 'int16'], [290, 299, 'byte'], [300, 309, 'text'],
    [310, 319, 'chunk'], [320, 369, 'text'], [370, 389, 'int16'], [390, 399, 'text'], [400, 409, 'int16'], [410, 419, 'text'],
    [420, 429, 'int32'], [430, 439, 'text'], [440, 459, 'int32'], [460, 469, 'double'], [470, 481, 'text'], [999, 1003, 'text'],
    [1004, 1004, 'chunk'], [1005, 1009, 'text'], [1010, 1059, 'double'], [1060, 1070, 'int16'], [1071, 1071, 'int32']];
const kindOf = code => kinds.find(([from, to]) => code >= from && code <= to)?.[2] ?? 'text';

function finite(value) {
    if (!Number.isFinite(value))
        throw new Refused(`${value} is no number`);
    return value;
}

function numberOf(text) {
    if (!/^[-+]?(\d+\.?\d*|\.\d+)([ed][-+]?\d+)?$/i.test(text))
        throw new Refused(`${text} is no number`);
    return finite(Number(text.replace(/d/i, 'e')));
}

function textGroups(text) {
    const lines = text.split(/\r\n|\n|\r/), groups = [];
    for (let i = 0; i + 1 < lines.length; i += 2) {
        if (!/^\s*-?\d{1,4}\s*$/.test(lines[i]))
            throw new Refused(`line ${i + 1} holds no code`);
        const code = Number(lines[i]), value = lines[i + 1].trim(), kind = kindOf(code);
        groups.push([code, kind === 'text' || kind === 'chunk' ? value : numberOf(value)]);
        if (code === 0 && value === 'EOF')
            break;
    }
    return groups;
}

const sentinel = 'AutoCAD Binary DXF\r\n\x1a\0';

// Codes have two bytes, or before release 13 one, and 255 before codes of two.
function binaryGroups(bytes) {
    const groups = [], isWide = bytes[sentinel.length + 1] === 0;
    let at = sentinel.length;
    const take = size => {
        if (at + size > bytes.length)
            throw new Refused('it ends within a value');
        return (at += size) - size;
    };
    const text = () => bytes.toString('latin1', at, (at = bytes.indexOf(0, at) + 1) - 1);
    const values = { text, double: () => finite(bytes.readDoubleLE(take(8))), int16: () => bytes.readInt16LE(take(2)),
        int32: () => bytes.readInt32LE(take(4)), int64: () => Number(bytes.readBigInt64LE(take(8))), byte: () => bytes[take(1)],
        chunk: () => take(bytes[take(1)]) };
    while (at < bytes.length) {
        const code = isWide || bytes[at] === 255 ? bytes.readUInt16LE(isWide ? take(2) : take(3) + 1) : bytes[take(1)];
        groups.push([code, values[kindOf(code)]()]);
        if (code === 0 && groups.at(-1)[1] === 'EOF')
            break;
    }
    return groups;
}

// ---- entities ----

// What begins with a group 0: its type, its groups, and of a polyline or insert what follows until SEQEND.
class Entity {
    groups = []; parts = [];
    constructor(type) { this.type = type; }
    all(code) { return this.groups.filter(group => group[0] === code).map(group => group[1]); }
    get(code, otherwise = 0) { return this.groups.find(group => group[0] === code)?.[1] ?? otherwise; }
    name(code) { return String(this.get(code, '0')).toUpperCase(); }
    point(code) { return [this.get(code), this.get(code + 10), this.get(code + 20)]; }
}

// The sections by name: lists of entities, of which each block has its own.
function sectionsOf(groups) {
    const sections = { HEADER: [], TABLES: [], ENTITIES: [] }, blocks = new Map();
    let section = '', list = null, entity = null, polyline = null;
    for (const [code, value] of groups) {
        if (code !== 0) {
            if (entity)
                entity.groups.push([code, value]);
            if (entity?.type === 'SECTION' && code === 2)
                list = sections[section = value] ?? null;
            continue;
        }
        entity = new Entity(value);
        if (value === 'SEQEND' || value === 'ENDSEC' || value === 'ENDBLK')
            polyline = null;
        else if (polyline && (value === 'VERTEX' || value === 'ATTRIB'))
            polyline.parts.push(entity);
        else if (section === 'BLOCKS' && value === 'BLOCK')
            list = [entity];
        else
            list?.push(entity);
        if (value === 'ENDBLK' && list) {
            const name = list[0].name(2);
            if (!blocks.has(name))
                blocks.set(name, { head: list[0], entities: list.slice(1) });
            list = null;
        }
        if (value === 'POLYLINE' || value === 'INSERT')
            polyline = entity;
        if (value === 'ENDSEC')
            section = '', list = null;
    }
    if (section)
        throw new Refused('it ends within a section');
    return { ...sections, blocks };
}

// ---- units, colours, layers ----

const units = [1, 0.0254, 0.3048, 1609.344, 1e-3, 1e-2, 1, 1e3, 2.54e-8, 2.54e-5, 0.9144, 1e-10, 1e-9, 1e-6, 0.1, 10, 100, 1e9,
    149597870700, 9460730472580800, 30856775814913673, 1200 / 3937, 100 / 3937, 3600 / 3937, 6336000 / 3937];

function unitOf(groups) {
    const at = groups.findIndex(([code, value]) => code === 9 && value === '$INSUNITS');
    return at < 0 ? 1 : units[groups[at + 1][1]] ?? 1;
}

const plain = [null, [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1], [1, 1, 1], [128, 128, 128].map(c => c / 255),
    [192, 192, 192].map(c => c / 255)];

// Of AutoCAD's index of colours: 24 hues in ten shades each, then greys.
function indexed(index) {
    if (index < 10)
        return plain[index];
    if (index >= 250)
        return new Array(3).fill([51, 91, 132, 173, 214, 255][index - 250] / 255);
    const hue = Math.floor(index / 10 - 1) / 4, value = [1, 0.65, 0.5, 0.3, 0.15][index % 10 >> 1], pale = index % 2;
    return [0, 2, 4].map(turn => {
        const full = Math.min(1, Math.max(0, Math.abs((hue - turn + 6) % 6 - 3) - 1)); // 1 where the hue is of this channel
        return Math.floor(255 * value * (pale ? (1 + full) / 2 : full)) / 255;
    });
}
const trueColour = value => [value >> 16 & 255, value >> 8 & 255, value & 255].map(c => c / 255);

// 440 and the extended data of layers: the lowest byte is alpha if bit 25 is set.
const opacity = value => value & 0x02000000 ? (value & 255) / 255 : 1;

function layersOf(tables) {
    const layers = new Map();
    for (const layer of tables.filter(({ type }) => type === 'LAYER')) {
        const index = layer.get(62, 7), own = layer.get(420, null);
        const at = layer.groups.findIndex(([code, value]) => code === 1001 && value === 'AcCmTransparency');
        const transparency = at < 0 ? 0 : layer.groups.slice(at).find(([code]) => code === 1071)?.[1] ?? 0;
        layers.set(layer.name(2), { rgb: own === null ? indexed(Math.abs(index)) ?? plain[7] : trueColour(own),
            alpha: opacity(layer.get(440, transparency)), isOff: index < 0, isFrozen: (layer.get(70) & 1) === 1 });
    }
    return layers;
}
const unknown = { rgb: plain[7], alpha: 1, isOff: false, isFrozen: false };

// ---- places ----

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = v => v.map(value => value / Math.hypot(...v));
const moved = ([x, y, z]) => [...identity.slice(0, 12), x, y, z, 1];

// Of the extrusion direction, by the arbitrary axis algorithm.
function axesOf(entity) {
    const direction = [entity.get(210), entity.get(220), entity.get(230, 1)];
    const z = Math.hypot(...direction) > 0 ? unit(direction) : [0, 0, 1];
    const x = unit(cross(Math.abs(z[0]) < 1 / 64 && Math.abs(z[1]) < 1 / 64 ? [0, 1, 0] : [0, 0, 1], z));
    return [...x, 0, ...cross(z, x), 0, ...z, 0, 0, 0, 0, 1];
}

const countOf = (insert, code) => Math.max(1, insert.get(code, 1)); // of columns or rows

// The places of all copies of an insert, of the block's own coordinates.
function placesOf(insert, base) {
    const [a, b, c] = [41, 42, 43].map(code => insert.get(code, 1) || 1), angle = insert.get(50) * Math.PI / 180;
    const turn = [Math.cos(angle), Math.sin(angle), 0, 0, -Math.sin(angle), Math.cos(angle), 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const places = [];
    for (let row = 0; row < countOf(insert, 71); row++)
        for (let column = 0; column < countOf(insert, 70); column++)
            places.push([axesOf(insert), moved(insert.point(10)), turn, moved([column * insert.get(44), row * insert.get(45), 0]),
                [a, 0, 0, 0, 0, b, 0, 0, 0, 0, c, 0, 0, 0, 0, 1], moved(base.map(value => -value))].reduce(multiply));
    return places;
}

// ---- what is drawn ----

const same = (a, b) => a.every((value, i) => value === b[i]);
const withoutRepeats = points => points.filter((point, i) => i === 0 || !same(point, points[i - 1]));

class Drawing {
    constructor(sections, unit) {
        Object.assign(this, { layers: layersOf(sections.TABLES), blocks: sections.blocks, unit: scaling(unit), look: new Look(), inserts: 0 });
    }

    layer(name) { return this.layers.get(name) ?? unknown; }

    // How an entity looks within an insert (or nothing): { layer, rgb, alpha }, and null if it is hidden.
    paint(entity, insert) {
        const own = entity.name(8), name = own === '0' && insert ? insert.layer : own, layer = this.layer(name);
        if (layer.isFrozen || layer.isOff || entity.get(60) === 1)
            return null;
        return { layer: name, ...this.#coloured(entity, insert, layer) };
    }

    #coloured(entity, insert, layer) {
        const index = entity.get(62, 256), own = entity.get(420, null), transparency = entity.get(440);
        const indexedRgb = index === 0 ? insert?.rgb ?? plain[7] : index > 0 && index < 256 ? indexed(index) : layer.rgb;
        return { rgb: own === null ? indexedRgb : trueColour(own), alpha: transparency === 0x01000000 ? insert?.alpha ?? 1 :
            transparency ? opacity(transparency) : layer.alpha };
    }

    // Faces of two points are lines, of one nothing.
    face(points, at, paint) {
        const corners = withoutRepeats(points);
        while (corners.length > 1 && same(corners[0], corners.at(-1)))
            corners.pop();
        if (corners.length > 2)
            this.look.face((mirrors(at) ? corners.reverse() : corners).map(point => place(at, point)), paint);
        else
            this.line(corners, at);
    }

    line(points, at) {
        const corners = withoutRepeats(points);
        if (corners.length > 1)
            this.look.line(corners.map(point => place(at, point)));
    }

    list(entities, at, insert) {
        for (const entity of entities)
            if (entity.get(67) !== 1)
                this.draw(entity, at, insert);
    }

    draw(entity, at, insert) {
        if (entity.type === 'INSERT')
            return this.insert(entity, at, insert);
        const paint = this.paint(entity, insert), corners = [10, 11, 12, 13].map(code => entity.point(code));
        if (entity.type === 'POLYLINE' && entity.get(70) & 64)
            return this.polyface(entity, at, insert); // each of its faces has a layer of its own
        if (!paint)
            return;
        if (entity.type === '3DFACE')
            this.face(entity.all(13).length ? corners : corners.slice(0, 3), at, paint);
        else if (entity.type === 'SOLID' || entity.type === 'TRACE')
            this.face([corners[0], corners[1], ...entity.all(13).length ? [corners[3]] : [], corners[2]], multiply(at, axesOf(entity)), paint);
        else if (entity.type === 'LINE')
            this.line(corners.slice(0, 2), at);
        else if (entity.type === 'POLYLINE' && entity.get(70) & 16)
            this.grid(entity, at, paint);
        else if (entity.type === 'POLYLINE' || entity.type === 'LWPOLYLINE')
            this.polyline(entity, at);
        else if (entity.type === 'MESH')
            this.mesh(entity, at, paint);
    }

    // Blocks that nothing shows, too: a block within itself makes a broken file.
    refuseRings() {
        const done = new Set(), visit = (name, inside) => {
            if (inside.includes(name))
                throw new Refused(`block ${name} contains itself`);
            for (const entity of done.has(name) ? [] : this.blocks.get(name)?.entities ?? [])
                if (entity.type === 'INSERT')
                    visit(entity.name(2), [...inside, name]);
            done.add(name);
        };
        this.blocks.forEach((_, name) => visit(name, []));
    }

    insert(entity, at, insert) {
        const name = entity.name(2), block = this.blocks.get(name), own = entity.name(8);
        const layer = own === '0' && insert ? insert.layer : own;
        if (this.layer(layer).isFrozen || entity.get(60) === 1 || !block || block.head.get(70) & 4)
            return;
        this.inserts += countOf(entity, 70) * countOf(entity, 71);
        if (this.inserts > 1e5)
            throw new Refused('too many inserts');
        const looks = { layer, ...this.#coloured(entity, insert, this.layer(layer)) };
        for (const pose of placesOf(entity, block.head.point(10)))
            this.list(block.entities, multiply(at, pose), looks);
    }

    polyface(entity, at, insert) {
        const isPosition = part => part.get(70) & 64, positions = entity.parts.filter(isPosition).map(part => part.point(10));
        for (const part of entity.parts.filter(each => !isPosition(each) && each.get(70) & 128)) {
            const paint = this.paint(part, insert), indices = [71, 72, 73, 74].map(code => Math.abs(part.get(code))).filter(index => index);
            if (indices.some(index => index > positions.length))
                throw new Refused(`vertex ${Math.max(...indices)} of ${positions.length}`);
            if (paint)
                this.face(indices.map(index => positions[index - 1]), at, paint);
        }
    }

    // M rows of N vertices; of a smooth surface those that the program has found.
    grid(entity, at, paint) {
        const flags = entity.get(70), isSmooth = flags & 4, rows = entity.get(isSmooth ? 73 : 71), columns = entity.get(isSmooth ? 74 : 72);
        const points = entity.parts.filter(part => !isSmooth || !(part.get(70) & 16)).map(part => part.point(10));
        if (points.length !== rows * columns)
            throw new Refused(`${points.length} vertices of ${rows} x ${columns}`);
        const vertex = (row, column) => points[row % rows * columns + column % columns];
        for (let row = 0; row < (flags & 1 ? rows : rows - 1); row++)
            for (let column = 0; column < (flags & 32 ? columns : columns - 1); column++)
                this.face([vertex(row, column), vertex(row + 1, column), vertex(row + 1, column + 1), vertex(row, column + 1)], at, paint);
    }

    polyline(entity, at) {
        const flags = entity.get(70), isSpatial = flags & 8, elevation = entity.type === 'POLYLINE' ? entity.get(30) : entity.get(38);
        const parts = entity.parts.filter(part => !(flags & 4) || !(part.get(70) & 16)).map(part => part.point(10));
        const heights = entity.all(20), flat = entity.type === 'POLYLINE' ? parts : entity.all(10).map((x, i) => [x, heights[i]]);
        const points = isSpatial ? parts : flat.map(([x, y]) => [x, y, elevation]);
        this.line(flags & 1 ? [...points, ...points.slice(0, 1)] : points, isSpatial ? at : multiply(at, axesOf(entity)));
    }

    mesh(entity, at, paint) {
        const [x, y, z] = [10, 20, 30].map(code => entity.all(code)), from = entity.groups.findIndex(([code]) => code === 93);
        const size = entity.get(93), list = entity.groups.slice(from + 1, from + 1 + size).map(([, value]) => value);
        for (let i = 0; i < size; i += 1 + list[i]) {
            const corners = list.slice(i + 1, i + 1 + list[i]);
            if (!(corners.length >= list[i]) || corners.some(index => !(index >= 0 && index < x.length)))
                throw new Refused('a face names a vertex that is not there, or ends early');
            this.face(corners.map(index => [x[index], y[index], z[index]]), at, paint);
        }
    }
}

export function readDxf(bytes) {
    const isBinary = bytes.toString('latin1', 0, sentinel.length) === sentinel;
    const groups = isBinary ? binaryGroups(bytes) : textGroups(bytes.toString('latin1')), sections = sectionsOf(groups);
    const drawing = new Drawing(sections, unitOf(groups));
    drawing.refuseRings();
    drawing.list(sections.ENTITIES, drawing.unit, null);
    if (drawing.look.triangles + drawing.look.lines === 0)
        throw new Refused('neither faces nor lines');
    if ([...drawing.look.lower, ...drawing.look.upper].some(value => !(Math.abs(value) < 3.4e38)))
        throw new Refused('out of range');
    return drawing.look;
}
