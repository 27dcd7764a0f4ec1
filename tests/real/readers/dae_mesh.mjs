// Geometry of COLLADA: sources, inputs, and primitives as faces and lines of corners.
import { Refused, toLinear } from './look.mjs';
import { numbersOf } from './xml.mjs';

const clamp = value => Math.min(1, Math.max(0, value));

// Rows of a source: the values of the named params of its accessor, in order.
function readSource(dae, mesh, id) {
    const source = mesh.all('source').find(each => each.attributes.id === id) ?? dae.byId('source', id);
    const accessor = source?.first('technique_common', 'accessor');
    if (!accessor)
        throw new Refused(`the source ${id} has no accessor`);
    const arrayId = (accessor.attributes.source ?? '').replace(/^#/, '');
    const array = source.children.find(child => /_array$/.test(child.name) && child.attributes.id === arrayId) ??
        dae.byId('float_array', arrayId) ?? source.children.find(child => child.name === 'float_array');
    if (!array)
        throw new Refused(`the array ${arrayId} is not there`);
    const values = numbersOf(array.text), stride = Number(accessor.attributes.stride ?? 1);
    const offset = Number(accessor.attributes.offset ?? 0), params = accessor.all('param');
    const columns = params.map((param, k) => param.attributes.name || params.length === 1 ? k : -1).filter(k => k >= 0);
    if (params.length > stride && values.length)
        throw new Refused(`${params.length} params in a stride of ${stride}`);
    const count = values.length ? Math.min(Number(accessor.attributes.count), Math.floor((values.length - offset) / stride)) : 0;
    return { count, row: i => columns.map(k => values[offset + i * stride + k]) };
}

export class Mesh {
    #sources = new Map();
    constructor(dae, element) {
        Object.assign(this, { dae, element });
    }

    source(reference) {
        const id = (reference ?? '').replace(/^#/, '');
        if (!this.#sources.has(id))
            this.#sources.set(id, readSource(this.dae, this.element, id));
        return this.#sources.get(id);
    }

    /* Pieces { material, corners, holes, isLine }: corners have point, and functions uv(set) and colours of the whole
     * primitive are given with it. */
    *primitives() {
        for (const primitive of this.element.children) {
            const cut = cutters[primitive.name];
            if (!cut || !primitive.all('input').length)
                continue;
            yield { material: primitive.attributes.material, ...this.#inputs(primitive), pieces: cut(primitive),
                isLine: /^line/.test(primitive.name) };
        }
    }

    // Readers of the inputs, by the index of a corner in <p> times the stride.
    #inputs(primitive) {
        const inputs = primitive.all('input').map(({ attributes }) => ({ ...attributes, offset: Number(attributes.offset ?? 0),
            set: Number(attributes.set ?? 0) }));
        const vertex = inputs.find(input => input.semantic === 'VERTEX');
        const vertices = this.element.all('vertices').find(each => `#${each.attributes.id}` === vertex?.source) ??
            this.element.first('vertices');
        const inner = (vertices?.all('input') ?? []).map(({ attributes }) => ({ ...attributes, offset: vertex?.offset ?? 0,
            set: Number(attributes.set ?? 0) }));
        const position = inner.find(input => input.semantic === 'POSITION');
        if (!vertex || !position)
            throw new Refused('a primitive without positions');
        const all = [...inputs, ...inner];
        const get = input => {
            const source = this.source(input.source);
            return corner => {
                const index = corner[input.offset];
                if (!(index >= 0 && index < source.count))
                    throw new Refused(`index ${index} of ${source.count}`);
                return source.row(index);
            };
        };
        const at = get(position);
        const colour = all.filter(input => input.semantic === 'COLOR').sort((a, b) => a.set - b.set)[0];
        const tone = colour && get(colour);
        const sets = all.filter(input => input.semantic === 'TEXCOORD');
        return {
            point: corner => {
                const point = at(corner).slice(0, 3);
                if (point.length < 3 || !point.every(Number.isFinite))
                    throw new Refused(`a position of ${point}`);
                return point;
            },
            colour: colour ? corner => [...tone(corner).slice(0, 3).map(value => toLinear(clamp(value))), 1] : null,
            // Coordinates of the set that is bound; without such a set the only one, else the lowest.
            uv: bound => {
                const input = sets.find(each => each.set === bound) ?? [...sets].sort((a, b) => a.set - b.set)[0];
                if (!input)
                    return null;
                const row = get(input);
                return corner => {
                    const [u, v = 0] = row(corner);
                    return [u, 1 - v];
                };
            },
        };
    }
}

// Corners of a <p>: an array of indices each.
function cornersOf(primitive, p) {
    const width = Math.max(...primitive.all('input').map(({ attributes }) => Number(attributes.offset ?? 0))) + 1;
    const indices = numbersOf(p.text), count = Math.floor(indices.length / width);
    return Array.from({ length: count }, (_, i) => indices.slice(i * width, i * width + width));
}
const loops = primitive => primitive.all('p').map(p => cornersOf(primitive, p));
const inThrees = (list, at) => list.slice(0, Math.max(0, list.length - 2)).map((_, i) => at(list, i));

// How each primitive becomes faces { corners, holes } or lines.
const cutters = {
    triangles: primitive => loops(primitive).flatMap(list => Array.from({ length: Math.floor(list.length / 3) }, (_, i) =>
        ({ corners: list.slice(3 * i, 3 * i + 3) }))),
    tristrips: primitive => loops(primitive).flatMap(list => inThrees(list, (all, i) =>
        ({ corners: i % 2 ? [all[i + 1], all[i], all[i + 2]] : [all[i], all[i + 1], all[i + 2]] }))),
    trifans: primitive => loops(primitive).flatMap(list => inThrees(list, (all, i) =>
        ({ corners: [all[0], all[i + 1], all[i + 2]] }))),
    polylist: primitive => {
        const list = loops(primitive).flat(), counts = numbersOf(primitive.first('vcount')?.text ?? '');
        let at = 0;
        const faces = counts.map(count => ({ corners: list.slice(at, at += count) }));
        if (at !== list.length)
            throw new Refused(`vcount names ${at} corners of ${list.length}`);
        return faces;
    },
    polygons: primitive => [...loops(primitive).map(corners => ({ corners })),
        ...primitive.all('ph').map(ph => ({ corners: cornersOf(primitive, ph.first('p')),
            holes: ph.all('h').map(h => cornersOf(primitive, h)) }))],
    lines: primitive => loops(primitive).flatMap(list => Array.from({ length: Math.floor(list.length / 2) }, (_, i) =>
        ({ corners: list.slice(2 * i, 2 * i + 2) }))),
    linestrips: primitive => loops(primitive).map(corners => ({ corners })),
};
