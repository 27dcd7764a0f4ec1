// glTF 2.0: what is drawn at rest. Skins and morphs are left out: their meshes stand as they are at their nodes. What has no
// material is grey, as in all formats, and white beside colours by vertex; glTF's own default is white metal.
import path from 'node:path';
import { createRequire } from 'node:module';
import { Look, Refused, identity, imageOf, mirrors, multiply, place, toSrgb, white, yUp } from './look.mjs';
import { textOf } from './files.mjs';

let decoder = null; // of EXT_meshopt_compression, if tests/consumers has its packages
try {
    decoder = createRequire(path.join(import.meta.dirname, '../../consumers/package.json'))('meshoptimizer').MeshoptDecoder;
    await decoder.ready;
} catch {
    decoder = null;
}

const componentTypes = { 5120: ['readInt8', 1, 127], 5121: ['readUInt8', 1, 255], 5122: ['readInt16LE', 2, 32767],
    5123: ['readUInt16LE', 2, 65535], 5125: ['readUInt32LE', 4, 1], 5126: ['readFloatLE', 4, 1] };
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
const meshopt = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];
const known = new Set([...meshopt, 'KHR_mesh_quantization', 'KHR_texture_transform', 'EXT_mesh_gpu_instancing',
    'EXT_texture_webp', 'KHR_texture_basisu', 'EXT_texture_avif', 'MSFT_texture_dds', 'KHR_lights_punctual',
    'KHR_animation_pointer', 'AGI_articulations', 'KHR_materials_variants', 'FB_ngon_encoding']);
const isKnown = name => known.has(name) || (name.startsWith('KHR_materials_') && name !== 'KHR_materials_pbrSpecularGlossiness');

class Document {
    #accessors = new Map(); #views = new Map(); #paints = new Map();

    constructor(json, body, { files, folder }, look) {
        Object.assign(this, { json, body, files, folder, look });
        if (!/^2(\.|$)/.test(json.asset?.version ?? ''))
            throw new Refused(`version ${json.asset?.version}`);
        for (const name of json.extensionsRequired ?? [])
            if (!isKnown(name))
                throw new Refused(`the extension ${name} is required`);
    }

    // The bytes of a URI, or null.
    uri(uri) {
        const data = /^data:[^,]*?(;base64)?,/.exec(uri);
        if (!data)
            return this.files.find(uri, this.folder);
        const text = uri.slice(data[0].length);
        return data[1] ? Buffer.from(text, 'base64') : Buffer.from(decodeURIComponent(text), 'latin1');
    }

    buffer(index) {
        const { uri } = this.json.buffers?.[index] ?? {};
        const bytes = uri === undefined ? this.body : this.uri(uri);
        if (!bytes)
            throw new Refused(`buffer ${index} is not there`);
        return bytes;
    }

    view(index) {
        if (!this.#views.has(index))
            this.#views.set(index, this.#readView(index));
        return this.#views.get(index);
    }

    #readView(index) {
        const view = this.json.bufferViews?.[index];
        if (!view)
            throw new Refused(`bufferView ${index} is not there`);
        const packed = meshopt.map(name => view.extensions?.[name]).find(each => each);
        if (!packed) {
            const from = view.byteOffset ?? 0, bytes = this.buffer(view.buffer);
            if (from + view.byteLength > bytes.length)
                throw new Refused(`bufferView ${index} ends behind its buffer`);
            return bytes.subarray(from, from + view.byteLength);
        }
        if (!decoder)
            throw new Error('meshoptimizer is missing: npm install in tests/consumers');
        const source = this.buffer(packed.buffer), target = new Uint8Array(packed.count * packed.byteStride);
        const from = packed.byteOffset ?? 0;
        decoder.decodeGltfBuffer(target, packed.count, packed.byteStride, source.subarray(from, from + packed.byteLength),
            packed.mode, packed.filter);
        return Buffer.from(target.buffer);
    }

    // Rows of numbers.
    accessor(index) {
        if (!this.#accessors.has(index))
            this.#accessors.set(index, this.#readAccessor(index));
        return this.#accessors.get(index);
    }

    #readAccessor(index) {
        const accessor = this.json.accessors?.[index];
        if (!accessor)
            throw new Refused(`accessor ${index} is not there`);
        const rows = this.#rows(accessor, accessor.bufferView, accessor.byteOffset, accessor.count, accessor.componentType,
            widths[accessor.type]);
        if (accessor.sparse) {
            const { count, indices, values } = accessor.sparse;
            const at = this.#rows({}, indices.bufferView, indices.byteOffset, count, indices.componentType, 1);
            this.#rows(accessor, values.bufferView, values.byteOffset, count, accessor.componentType, widths[accessor.type])
                .forEach((row, i) => { rows[at[i][0]] = row; });
        }
        return rows;
    }

    #rows({ normalized }, view, offset = 0, count, type, width) {
        if (!componentTypes[type] || !width)
            throw new Refused(`component type ${type}`);
        if (view === undefined)
            return Array.from({ length: count }, () => new Array(width).fill(0));
        const [method, size, most] = componentTypes[type], bytes = this.view(view);
        const packed = meshopt.map(name => this.json.bufferViews[view].extensions?.[name]).find(each => each);
        const stride = packed?.byteStride ?? this.json.bufferViews[view].byteStride ?? size * width;
        if (count > 0 && offset + (count - 1) * stride + size * width > bytes.length)
            throw new Refused('an accessor ends behind its view');
        return Array.from({ length: count }, (_, i) => Array.from({ length: width }, (_, k) => {
            const value = bytes[method](offset + i * stride + k * size);
            if (!Number.isFinite(value))
                throw new Refused('a number that is not finite');
            return normalized && type !== 5126 ? Math.max(value / most, -1) : value;
        }));
    }

    image(texture) {
        const of = this.json.textures?.[texture], extensions = of?.extensions ?? {};
        const source = ['EXT_texture_webp', 'EXT_texture_avif', 'KHR_texture_basisu', 'MSFT_texture_dds']
            .map(name => extensions[name]?.source).find(each => each !== undefined) ?? of?.source;
        const image = this.json.images?.[source];
        const bytes = !image ? null : image.uri !== undefined ? this.uri(image.uri) : this.view(image.bufferView);
        if (!bytes)
            this.look.says.add('image');
        return bytes ? imageOf(bytes) : null;
    }

    // How a material paints; coordinates() of a corner's attributes gives its place in the texture.
    paint(index) {
        if (!this.#paints.has(index))
            this.#paints.set(index, this.#readPaint(this.json.materials?.[index] ?? {}));
        return this.#paints.get(index);
    }

    #readPaint(material) {
        const pbr = material.pbrMetallicRoughness ?? {};
        for (const object of [material, pbr, ...[pbr.baseColorTexture, material.normalTexture].filter(each => each)])
            if (typeof object !== 'object' || Array.isArray(object))
                throw new Refused('a material, or a part of it, is no object');
        const textures = [pbr.baseColorTexture, material.normalTexture].filter(each => each);
        if (textures.some(texture => !(Number.isInteger(texture.index) && texture.index >= 0)))
            throw new Refused('a texture without an index');
        if (textures.some(({ extensions }) => typeof (extensions?.KHR_texture_transform ?? {}) !== 'object'))
            throw new Refused('a KHR_texture_transform that is no object');
        const factor = (pbr.baseColorFactor ?? [1, 1, 1, 1])
            .map(value => Math.min(1, Math.max(0, value)));
        const mode = material.alphaMode ?? 'OPAQUE', cutoff = material.alphaCutoff ?? 0.5;
        const texture = pbr.baseColorTexture, image = texture ? this.image(texture.index) : null;
        const { offset = [0, 0], rotation = 0, scale = [1, 1], texCoord } = texture?.extensions?.KHR_texture_transform ?? {};
        if (material.emissiveTexture)
            this.look.says.add('emissive texture');
        const c = Math.cos(rotation), s = Math.sin(rotation), strength = material.extensions?.KHR_materials_emissive_strength;
        return { rgb: factor.slice(0, 3).map(toSrgb), image, solid: mode !== 'BLEND',
            alpha: mode === 'OPAQUE' ? 1 : mode === 'MASK' ? Number(factor[3] >= cutoff) : factor[3],
            emission: (material.emissiveFactor ?? [0, 0, 0]).map(value => value * (strength?.emissiveStrength ?? 1)),
            set: texCoord ?? texture?.texCoord ?? 0,
            move: ([u, v]) => [c * scale[0] * u + s * scale[1] * v + offset[0],
                c * scale[1] * v - s * scale[0] * u + offset[1]] };
    }

    // The coordinates of a texture: those of the set that it names, or of the second one where the first is not there.
    set(attributes, { set, image }) {
        const named = attributes[`TEXCOORD_${set}`];
        if (named !== undefined || !image || set !== 0 || attributes.TEXCOORD_1 === undefined)
            return named;
        this.look.says.add('set');
        return attributes.TEXCOORD_1;
    }

    draw(mesh, m) {
        const turned = mirrors(m), coloured = mesh.primitives.some(({ attributes }) => attributes.COLOR_0 !== undefined);
        for (const primitive of mesh.primitives) {
            const mode = primitive.mode ?? 4, { attributes } = primitive;
            if (mode === 0 || attributes.POSITION === undefined)
                continue;
            const points = this.accessor(attributes.POSITION).map(point => place(m, point));
            const corners = primitive.indices === undefined ? points.map((_, i) => i)
                : this.accessor(primitive.indices).map(row => row[0]);
            const none = { rgb: coloured ? white : null, solid: true, set: 0, move: uv => uv };
            const paint = primitive.material === undefined ? none : this.paint(primitive.material);
            const coordinates = this.set(attributes, paint), colour = attributes.COLOR_0;
            const uv = coordinates === undefined ? null : this.accessor(coordinates).map(paint.move);
            const colours = colour === undefined ? null : this.accessor(colour);
            for (const piece of piecesOf(mode, corners)) {
                if (piece.some(i => i >= points.length))
                    throw new Refused(`a corner of ${points.length} vertices is not there`);
                if (piece.length === 2) {
                    this.look.line(piece.map(i => points[i]));
                    continue;
                }
                const order = turned ? [piece[0], piece[2], piece[1]] : piece;
                this.look.face(order.map(i => points[i]), { ...paint, uv: uv && order.map(i => uv[i]),
                    colours: colours && order.map(i => colours[i]) });
            }
        }
    }

    // The places of a node's mesh: one, or those of EXT_mesh_gpu_instancing.
    copies(node) {
        const attributes = node.extensions?.EXT_mesh_gpu_instancing?.attributes;
        if (!attributes)
            return [identity];
        const lists = ['TRANSLATION', 'ROTATION', 'SCALE'].map(name => attributes[name] === undefined ? null
            : this.accessor(attributes[name]));
        const count = Math.max(...lists.map(list => list?.length ?? 0));
        return Array.from({ length: count }, (_, i) => matrixOf({ translation: lists[0]?.[i], rotation: lists[1]?.[i],
            scale: lists[2]?.[i] }));
    }

    // Where the stages of an articulation put a node at first.
    articulated(node) {
        const name = node.extensions?.AGI_articulations?.articulationName;
        const all = this.json.extensions?.AGI_articulations?.articulations ?? [];
        const stages = all.find(articulation => articulation.name === name)?.stages ?? [];
        return stages.map(stageMatrix).reduce(multiply, identity);
    }

    visit(index, above, depth) {
        const node = this.json.nodes?.[index];
        if (!node || depth > 10000)
            throw new Refused(`node ${index} is not there, or within itself`);
        const matrix = multiply(multiply(above, node.matrix ?? matrixOf(node)), this.articulated(node));
        if (node.mesh !== undefined)
            for (const copy of this.copies(node))
                this.draw(this.json.meshes[node.mesh], multiply(matrix, copy));
        for (const child of node.children ?? [])
            this.visit(child, matrix, depth + 1);
    }

    roots() {
        const { scenes, scene, nodes = [] } = this.json;
        if (scenes?.length)
            return scenes[scene ?? 0]?.nodes ?? [];
        const children = new Set(nodes.flatMap(node => node.children ?? []));
        return nodes.map((_, i) => i).filter(i => !children.has(i));
    }
}

function matrixOf({ translation: t = [0, 0, 0], rotation: [x, y, z, w] = [0, 0, 0, 1], scale: s = [1, 1, 1] }) {
    return [(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
        2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
        2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0, ...t, 1];
}

function stageMatrix({ type, initialValue: value }) {
    const axis = 'xyz'.indexOf(type[0]), along = [0, 1, 2].map(i => Number(i === axis));
    if (/Translate$/.test(type))
        return matrixOf({ translation: along.map(one => one * value) });
    if (/Rotate$/.test(type))
        return matrixOf({ rotation: [...along.map(one => one * Math.sin(value * Math.PI / 360)), Math.cos(value * Math.PI / 360)] });
    return matrixOf({ scale: along.map(one => one || axis < 0 ? value : 1) });
}

// Triangles and segments of a list of corners. Stitches of a strip are no triangles.
function piecesOf(mode, corners) {
    const pieces = [], count = corners.length;
    if (mode === 1)
        for (let i = 0; i + 1 < count; i += 2)
            pieces.push([corners[i], corners[i + 1]]);
    if (mode === 2 || mode === 3)
        for (let i = 0; i + 1 < count + Number(mode === 2); i++)
            pieces.push([corners[i], corners[(i + 1) % count]]);
    if (mode === 4)
        for (let i = 0; i + 2 < count; i += 3)
            pieces.push([corners[i], corners[i + 1], corners[i + 2]]);
    if (mode === 5)
        for (let i = 0; i + 2 < count; i++)
            pieces.push(i % 2 ? [corners[i + 1], corners[i], corners[i + 2]] : [corners[i], corners[i + 1], corners[i + 2]]);
    if (mode === 6)
        for (let i = 1; i + 1 < count; i++)
            pieces.push([corners[0], corners[i], corners[i + 1]]);
    return mode === 5 ? pieces.filter(([a, b, c]) => a !== b && b !== c && a !== c) : pieces;
}

export function readGltf(bytes, context) {
    const look = new Look();
    let json, body = null;
    if (bytes.toString('latin1', 0, 4) === 'glTF') {
        const size = bytes.readUInt32LE(12);
        if (bytes.readUInt32LE(4) !== 2 || size + 20 > bytes.length)
            throw new Refused('no GLB of version 2, or one that ends early');
        json = bytes.subarray(20, 20 + size);
        body = bytes.subarray(28 + size);
    }
    try {
        json = JSON.parse(textOf(json ?? bytes));
    } catch (error) {
        throw new Refused(error.message);
    }
    if (context.isInput && json.asset?.extras?.cellpipe)
        return null;
    const document = new Document(json, body, context, look);
    for (const root of document.roots())
        document.visit(root, yUp, 0);
    return look;
}
