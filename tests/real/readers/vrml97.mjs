// VRML97, as far as cellpipe writes it.
import { Look, identity, imageOf, multiply, place, toLinear, white } from './look.mjs';
import { textOf } from './files.mjs';

// Nodes as { type, fields }; a node of an unknown type is walked through for the nodes in it.
function parse(text) {
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|#[^\n]*|[{}[\]]|[^\s,{}[\]"#]+/g).filter(token => token[0] !== '#');
    const named = new Map();
    let at = 0;
    const value = () => {
        const token = tokens[at++];
        if (token === '[') {
            const list = [];
            while (at < tokens.length && tokens[at] !== ']')
                list.push(value());
            at++;
            return list;
        }
        if (token === 'USE')
            return named.get(tokens[at++]);
        if (token === 'DEF') {
            const name = tokens[at++], node = value();
            named.set(name, node);
            return node;
        }
        if (tokens[at] !== '{')
            return token;
        const node = { type: token, fields: {} };
        at++;
        while (at < tokens.length && tokens[at] !== '}') {
            const name = tokens[at++], parts = [];
            if (name === 'ROUTE') {
                at += 3;
                continue;
            }
            if (/^(eventIn|eventOut|field|exposedField)$/.test(name)) { // of a Script or a PROTO
                at += 2;
                if (name.startsWith('event'))
                    continue;
            }
            do
                parts.push(value());
            while (at < tokens.length && (/^[-+.\d]/.test(tokens[at]) && typeof parts[0] === 'string' && /^[-+.\d]/.test(parts[0])));
            node.fields[name] = parts.length > 1 ? parts : parts[0];
        }
        at++;
        return node;
    };
    const nodes = [];
    while (at < tokens.length) {
        const token = tokens[at];
        if (token === 'ROUTE')
            at += 4;
        else
            nodes.push(value());
    }
    return nodes;
}

function turn([x0, y0, z0, angle]) {
    const length = Math.hypot(x0, y0, z0) || 1;
    const [x, y, z] = [x0 / length, y0 / length, z0 / length], c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
    return [x * x * d + c, y * x * d + z * s, z * x * d - y * s, 0, x * y * d - z * s, y * y * d + c, z * y * d + x * s, 0,
        x * z * d + y * s, y * z * d - x * s, z * z * d + c, 0, 0, 0, 0, 1];
}

const numbers = (list, or) => list === undefined ? or : [list].flat().map(Number);
const rows = (list, width) => Array.from({ length: Math.floor(list.length / width) }, (_, i) =>
    list.slice(width * i, width * i + width));

function transformOf(f) {
    const shift = (p, sign) => [...identity.slice(0, 12), sign * p[0], sign * p[1], sign * p[2], 1];
    const s = numbers(f.scale, [1, 1, 1]), o = numbers(f.scaleOrientation, [0, 0, 1, 0]);
    const centre = numbers(f.center, [0, 0, 0]);
    return [shift(numbers(f.translation, [0, 0, 0]), 1), shift(centre, 1), turn(numbers(f.rotation, [0, 0, 1, 0])),
        turn(o), [s[0], 0, 0, 0, 0, s[1], 0, 0, 0, 0, s[2], 0, 0, 0, 0, 1], turn([o[0], o[1], o[2], -o[3]]),
        shift(centre, -1)].reduce(multiply, identity);
}

// Where a TextureTransform moves coordinates to: moved first, then turned and scaled about its centre.
function moveOf(node) {
    if (!node)
        return uv => uv;
    const f = node.fields, [cx, cy] = numbers(f.center, [0, 0]), angle = numbers(f.rotation, [0])[0];
    const [sx, sy] = numbers(f.scale, [1, 1]), [tx, ty] = numbers(f.translation, [0, 0]);
    const c = Math.cos(angle), s = Math.sin(angle);
    return ([u, v]) => {
        const x = u + tx + cx, y = v + ty + cy;
        return [sx * (c * x - s * y) - cx, sy * (s * x + c * y) - cy];
    };
}

class World {
    look = new Look();
    constructor(context) {
        Object.assign(this, context);
    }

    paint(shape) {
        const appearance = shape?.fields.appearance?.fields ?? {}, material = appearance.material?.fields ?? {};
        const url = [appearance.texture?.fields.url].flat()[0]?.slice(1, -1);
        const bytes = url ? this.files.find(url, this.folder) : null;
        const image = bytes ? imageOf(bytes) : null;
        return { rgb: image || !appearance.material ? white : numbers(material.diffuseColor, [0.8, 0.8, 0.8]), image,
            alpha: 1 - numbers(material.transparency, [0])[0],
            emission: numbers(material.emissiveColor, [0, 0, 0]).map(toLinear), move: moveOf(appearance.textureTransform) };
    }

    // Corners of each face, with what is listed for them.
    draw(node, matrix, shape) {
        const f = node.fields, index = numbers(f.coordIndex, []), { move, ...paint } = this.paint(shape);
        const points = rows(numbers(f.coord?.fields.point, []), 3).map(point => place(matrix, point));
        const colours = rows(numbers(f.color?.fields.color, []), 3).map(rgb => [...rgb.map(toLinear), 1]);
        const coordinates = rows(numbers(f.texCoord?.fields.point, []), 2).map(move).map(([u, v]) => [u, 1 - v]);
        const byCorner = (list, own) => at => list[numbersAt(own, index, at)];
        const colourIndex = numbers(f.colorIndex, []), coordinateIndex = numbers(f.texCoordIndex, []);
        for (let from = 0, i = 0, face = 0; i <= index.length; i++) {
            if (i < index.length && index[i] >= 0)
                continue;
            const places = Array.from({ length: i - from }, (_, k) => from + k), corners = places.map(at => points[index[at]]);
            if (node.type === 'IndexedFaceSet' && corners.length > 2) {
                const byFace = () => colours[colourIndex.length ? colourIndex[face] : face];
                const own = { ...paint, uv: coordinates.length ? places.map(byCorner(coordinates, coordinateIndex)) : null,
                    colours: colours.length ? places.map(f.colorPerVertex === 'FALSE' ? byFace : byCorner(colours, colourIndex))
                        : null };
                if (own.colours)
                    own.rgb = white; // the colours take the material's place
                if (f.ccw === 'FALSE')
                    for (const list of [corners, own.uv, own.colours])
                        list?.reverse();
                this.look.face(corners, own);
                face++;
            }
            if (node.type === 'IndexedLineSet' && corners.length > 1)
                this.look.line(corners);
            from = i + 1;
        }
    }

    visit(node, above, shape) {
        if (!node || typeof node === 'string')
            return;
        if (Array.isArray(node)) {
            node.forEach(child => this.visit(child, above, shape));
            return;
        }
        const f = node.fields, matrix = node.type === 'Transform' ? multiply(above, transformOf(f)) : above;
        if (node.type === 'IndexedFaceSet' || node.type === 'IndexedLineSet')
            this.draw(node, matrix, shape);
        else if (node.type === 'Switch') // what it shows at first
            this.visit([f.choice].flat()[Number(f.whichChoice ?? -1)], matrix, shape);
        else if (node.type === 'LOD')
            this.visit([f.level].flat()[0], matrix, shape);
        else
            for (const name of ['children', 'geometry'])
                this.visit(f[name], matrix, node.type === 'Shape' ? node : shape);
    }
}

const numbersAt = (own, index, at) => own.length ? own[at] : index[at];

// The world's Y is up: its Z here.
export function readVrml97(bytes, context) {
    const world = new World(context);
    world.visit(parse(textOf(bytes)), [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1], null);
    return world.look;
}
