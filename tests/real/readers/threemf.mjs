// 3MF: core, materials and production. Textures are read, too: the program says that it drops them.
import { Look, Refused, identity, imageOf, mirrors, multiply, place, scaling, toLinear } from './look.mjs';
import { Archive, textOf } from './files.mjs';
import { parseXml } from './xml.mjs';

const units = { micron: 1e-6, millimeter: 0.001, centimeter: 0.01, inch: 0.0254, foot: 0.3048, meter: 1 };
const required = /\/(material|production|slice|trianglesets)\//;

// #RRGGBB or #RRGGBBAA as numbers from 0 to 1.
function colourOf(text) {
    const hex = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(text ?? '');
    if (!hex)
        return null;
    return [...hex[1].match(/../g), hex[2] ?? 'ff'].map(pair => parseInt(pair, 16) / 255);
}

const transformOf = text => {
    if (text === undefined)
        return identity;
    const m = text.trim().split(/\s+/).map(Number);
    if (m.length !== 12 || !m.every(Number.isFinite))
        throw new Refused(`a transform of ${text}`);
    return [m[0], m[1], m[2], 0, m[3], m[4], m[5], 0, m[6], m[7], m[8], 0, m[9], m[10], m[11], 1];
};

const number = text => {
    const value = Number(text);
    if (text === undefined || text.trim() === '' || !Number.isFinite(value))
        throw new Refused(`the number ${text}`);
    return value;
};

class Package {
    parts = new Map();
    constructor(archive, look) {
        Object.assign(this, { archive, look });
    }

    part(name) {
        const key = name.replaceAll('\\', '/').replace(/^\/+/, '');
        if (!this.parts.has(key))
            this.parts.set(key, this.#readPart(key));
        return this.parts.get(key);
    }

    #readPart(name) {
        const bytes = this.archive.read(name);
        if (!bytes)
            throw new Refused(`the part ${name} is not there`);
        const model = parseXml(textOf(bytes));
        const extensions = (model.attributes.requiredextensions ?? '').split(/\s+/).filter(prefix => prefix)
            .map(prefix => model.attributes[`xmlns:${prefix}`] ?? '/material/');
        const other = extensions.find(uri => !required.test(uri));
        if (other)
            throw new Refused(`the extension ${other} is required`);
        const part = { name, model, scale: units[model.attributes.unit ?? 'millimeter'] ?? 0.001, groups: new Map(), objects: new Map() };
        for (const resource of model.first('resources')?.children ?? []) {
            const { id } = resource.attributes;
            if (resource.name === 'object')
                part.objects.set(id, resource);
            else
                part.groups.set(id, this.#group(resource, part, name));
        }
        return part;
    }

    // Paints of a group of properties.
    #group(resource, part, name) {
        if (resource.name === 'basematerials')
            return resource.all('base').map(base => {
                const [r, g, b, a] = colourOf(base.attributes.displaycolor) ?? [0.6, 0.6, 0.6, 1];
                if (a === 0)
                    this.look.says.add('transparent');
                return { colour: [r, g, b, a || 1] };
            });
        if (resource.name === 'colorgroup')
            return resource.all('color').map(color => ({ colour: colourOf(color.attributes.color) }));
        if (resource.name === 'texture2d') {
            const bytes = this.archive.read(resource.attributes.path?.replace(/^\//, '') ?? '');
            return { image: bytes ? imageOf(bytes) : null };
        }
        if (resource.name === 'texture2dgroup')
            return resource.all('tex2coord').map(({ attributes }) => ({ image: part.groups.get(resource.attributes.texid)?.image,
                uv: [Number(attributes.u), 1 - Number(attributes.v)] }));
        return [];
    }

    draw(object, part, matrix, trail) {
        if (trail.includes(object))
            throw new Refused('an object contains itself');
        for (const component of object.first('components')?.all('component') ?? []) {
            const { objectid, transform, 'p:path': other } = withPath(component.attributes);
            const from = other ? this.part(other) : part;
            this.#place(from, objectid, multiply(matrix, inMetres(transformOf(transform), part.scale)), [...trail, object]);
        }
        const mesh = object.first('mesh');
        if (mesh)
            this.#drawMesh(mesh, object.attributes, part, multiply(matrix, scaling(part.scale)));
    }

    #place(part, id, matrix, trail) {
        const object = part.objects.get(id);
        if (!object)
            throw new Refused(`no object ${id}`);
        this.draw(object, part, matrix, trail);
    }

    #drawMesh(mesh, { pid, pindex }, part, matrix) {
        const vertices = (mesh.first('vertices')?.all('vertex') ?? [])
            .map(({ attributes: { x, y, z } }) => place(matrix, [x, y, z].map(number))), turned = mirrors(matrix);
        for (const { attributes } of mesh.first('triangles')?.all('triangle') ?? []) {
            const corners = [attributes.v1, attributes.v2, attributes.v3].map(number);
            if (corners.some(corner => !vertices[corner]))
                throw new Refused(`a vertex of ${vertices.length} is not there`);
            const group = part.groups.get(attributes.pid ?? pid), first = attributes.p1 ?? pindex ?? 0;
            const used = [first, attributes.p2 ?? first, attributes.p3 ?? first].map(index => group?.[index] ?? {});
            if (turned)
                for (const list of [corners, used])
                    list.reverse();
            this.look.face(corners.map(corner => vertices[corner]), paintOf(used));
        }
    }

    build() {
        const relations = this.archive.read('_rels/.rels'), found = relations && [...parseXml(textOf(relations)).below('Relationship')]
            .find(({ attributes }) => /3dmodel$/.test(attributes.Type ?? ''))?.attributes.Target;
        const root = this.part(found ?? '3D/3dmodel.model');
        for (const item of root.model.first('build')?.all('item') ?? []) {
            const { objectid, transform, 'p:path': other } = withPath(item.attributes);
            this.#place(other ? this.part(other) : root, objectid, inMetres(transformOf(transform), root.scale), []);
        }
    }
}

// The prefix of the production extension is p almost always.
const withPath = attributes => ({ ...attributes,
    'p:path': Object.entries(attributes).find(([name]) => /(^|:)path$/.test(name))?.[1] });

// A transform's translation is in the unit of the part that has it.
const inMetres = (m, scale) => [...m.slice(0, 12), m[12] * scale, m[13] * scale, m[14] * scale, 1];

function paintOf(used) {
    if (used[0].image)
        return { rgb: [1, 1, 1], image: used[0].image, uv: used.map(each => each.uv ?? [0, 0]) };
    const colours = used.map(each => each.colour ?? null);
    if (!colours.some(colour => colour))
        return {};
    if (colours.every(colour => colour?.[3] > 0 && colour.every((value, i) => value === colours[0][i])))
        return { rgb: colours[0].slice(0, 3), alpha: colours[0][3] };
    return { colours: colours.map(colour => colour ? [...colour.slice(0, 3).map(toLinear), colour[3]] : [1, 1, 1, 1]) };
}

export function read3mf(bytes) {
    const look = new Look();
    const archive = bytes.toString('latin1', 0, 2) === 'PK' ? new Archive(bytes)
        : { read: name => name === '3D/3dmodel.model' ? bytes : null };
    new Package(archive, look).build();
    return look;
}
