// AMF (ISO/ASTM 52915), plain or in a ZIP archive: volumes, colours and constellations.
import { Look, Refused, grey, identity, multiply, place, scaling, toLinear } from './look.mjs';
import { Archive, textOf } from './files.mjs';
import { parseXml } from './xml.mjs';

const units = { millimeter: 0.001, inch: 0.0254, feet: 0.3048, foot: 0.3048, meter: 1, micron: 1e-6, micrometer: 1e-6 };

const number = (element, name, or) => {
    const text = element?.first(name)?.text.trim();
    if (text === undefined)
        return or;
    const value = Number(text);
    if (text === '' || !Number.isFinite(value))
        throw new Refused(`the number ${text}`);
    return value;
};

// r g b a as numbers, or null: also where the colour is a formula.
function colourOf(element) {
    const color = element?.first('color');
    const list = color && ['r', 'g', 'b'].map(name => Number(color.first(name)?.text)).concat(Number(color.first('a')?.text ?? 1));
    return list?.every(Number.isFinite) ? list : null;
}

const linear = colour => [...(colour ?? grey).slice(0, 3).map(toLinear), colour?.[3] ?? 1];

// Turned about x, then y, then z, in degrees; then moved.
function instanceMatrix(instance) {
    const turn = (name, i, j) => {
        const angle = number(instance, name, 0) * Math.PI / 180, m = [...identity];
        m[5 * i] = m[5 * j] = Math.cos(angle);
        m[4 * i + j] = Math.sin(angle);
        m[4 * j + i] = -Math.sin(angle);
        return m;
    };
    const move = [...identity.slice(0, 12), ...['deltax', 'deltay', 'deltaz'].map(name => number(instance, name, 0)), 1];
    return [move, turn('rz', 0, 1), turn('ry', 2, 0), turn('rx', 1, 2)].reduce(multiply);
}

class Model {
    look = new Look();
    constructor(root) {
        const byId = name => new Map(root.all(name).map(element => [element.attributes.id, element]));
        Object.assign(this, { objects: byId('object'), materials: byId('material'), constellations: byId('constellation') });
    }

    // Of a triangle's colour, that of a corner, and those of volume, object and material, the first counts.
    draw(object, matrix) {
        const mesh = object.first('mesh'), vertices = mesh?.first('vertices')?.all('vertex') ?? [];
        const points = vertices.map(vertex => place(matrix, ['x', 'y', 'z']
            .map(axis => number(vertex.first('coordinates'), axis))));
        const byCorner = vertices.map(colourOf);
        for (const volume of mesh?.all('volume') ?? []) {
            const own = colourOf(volume) ?? colourOf(object) ?? colourOf(this.materials.get(volume.attributes.materialid));
            for (const triangle of volume.all('triangle')) {
                const corners = ['v1', 'v2', 'v3'].map(name => number(triangle, name));
                if (corners.some(corner => !points[corner]?.every(Number.isFinite)))
                    throw new Refused(`a vertex of ${points.length} is not there`);
                const listed = colourOf(triangle), colours = corners.map(corner => byCorner[corner]);
                const one = listed ?? own, mixes = !listed && colours.some(colour => colour);
                this.look.face(corners.map(corner => points[corner]), mixes ? { colours: colours.map(colour => linear(colour ?? own)) }
                    : one ? { rgb: one.slice(0, 3), alpha: one[3] } : {});
            }
        }
    }

    show(id, matrix, trail) {
        if (this.objects.has(id)) {
            this.draw(this.objects.get(id), matrix);
            return;
        }
        const constellation = this.constellations.get(id);
        if (!constellation || trail.includes(id))
            throw new Refused(`the object ${id} is not there, or in itself`);
        for (const instance of constellation.all('instance'))
            this.show(instance.attributes.objectid, multiply(matrix, instanceMatrix(instance)), [...trail, id]);
    }
}

export function readAmf(bytes) {
    let text = bytes;
    if (bytes.toString('latin1', 0, 2) === 'PK') {
        const archive = new Archive(bytes);
        text = archive.read([...archive.entries.keys()].find(name => /\.amf$/i.test(name)) ?? '');
    }
    const root = text && parseXml(textOf(text));
    if (root?.name !== 'amf')
        throw new Refused('no <amf>');
    const model = new Model(root), matrix = scaling(units[root.attributes.unit ?? 'millimeter'] ?? 0.001);
    // What is in a constellation is shown there alone; constellations of others, too.
    const inside = new Set(root.all('constellation').flatMap(each => each.all('instance').map(({ attributes }) => attributes.objectid)));
    for (const id of [...model.constellations.keys(), ...model.objects.keys()])
        if (!inside.has(id))
            model.show(id, matrix, []);
    return model.look;
}
