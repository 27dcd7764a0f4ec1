// A small writer of glTF for the tests, in the ways of other tools: every layout of buffers that the specification
// allows, and the codecs of EXT_meshopt_compression (its appendices A and B) in their simplest legal form.

const componentTypes = new Map([[Int8Array, 5120], [Uint8Array, 5121], [Int16Array, 5122], [Uint16Array, 5123], [Uint32Array, 5125],
    [Float32Array, 5126]]);
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const bytesOf = array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const padded = (bytes, filler = 0) => {
    const out = new Uint8Array(Math.ceil(bytes.length / 4) * 4).fill(filler);
    out.set(bytes);
    return out;
};

// Rows of elements, each `stride` bytes from the last.
function spread(array, rowBytes, stride) {
    const bytes = bytesOf(array), rows = bytes.length / rowBytes, out = new Uint8Array(rows * stride).fill(0xa5);
    for (let i = 0; i < rows; i++)
        out.set(bytes.subarray(i * rowBytes, (i + 1) * rowBytes), i * stride);
    return out;
}

export class Maker {
    json = { asset: { version: '2.0', generator: 'peers' }, scene: 0, scenes: [{ nodes: [] }], nodes: [], meshes: [], accessors: [],
        bufferViews: [], buffers: [] };
    buffers = [[]]; // pieces of each buffer

    use(extension, required = false) {
        for (const key of required ? ['extensionsUsed', 'extensionsRequired'] : ['extensionsUsed'])
            if (!(this.json[key] ??= []).includes(extension))
                this.json[key].push(extension);
    }

    // A bufferView of the bytes, in buffer `buffer`.
    view(bytes, more = {}, buffer = 0) {
        const pieces = this.buffers[buffer] ??= [], offset = pieces.reduce((sum, piece) => sum + piece.length, 0);
        pieces.push(padded(bytes));
        return this.json.bufferViews.push({ buffer, byteOffset: offset, byteLength: bytes.length, ...more }) - 1;
    }

    accessor(array, type, { view, stride, lead = 0, buffer = 0, codec, ...more } = {}) {
        const rowBytes = array.BYTES_PER_ELEMENT * widths[type], count = array.length / widths[type];
        if (view === undefined && codec)
            view = this.packedView(array, rowBytes, codec);
        else if (view === undefined) {
            const bytes = stride ? spread(array, rowBytes, stride) : bytesOf(array), all = new Uint8Array(lead + bytes.length);
            all.set(bytes, lead);
            view = this.view(all, stride ? { byteStride: stride } : {}, buffer);
        }
        const accessor = { componentType: componentTypes.get(array.constructor), count, type, ...more };
        if (view !== null)
            Object.assign(accessor, { bufferView: view, byteOffset: more.byteOffset ?? lead });
        return this.json.accessors.push(accessor) - 1;
    }

    positions(array, options = {}) {
        const columns = [0, 1, 2].map(k => [...array].filter((_, i) => i % 3 === k));
        return this.accessor(array, 'VEC3', { min: columns.map(column => Math.min(...column)), max: columns.map(column => Math.max(...column)), ...options });
    }

    // Several attributes, element by element in one bufferView: [array, type, options] each.
    interleaved(...attributes) {
        const sizes = attributes.map(([array, type]) => Math.ceil(array.BYTES_PER_ELEMENT * widths[type] / 4) * 4);
        const stride = sizes.reduce((a, b) => a + b), rows = attributes[0][0].length / widths[attributes[0][1]];
        const all = new Uint8Array(rows * stride), view = this.view(all, { byteStride: stride }), out = this.buffers[0].at(-1);
        let offset = 0;
        return attributes.map(([array, type, options = {}], k) => {
            const at = offset, rowBytes = array.BYTES_PER_ELEMENT * widths[type];
            for (let i = 0; i < rows; i++)
                out.set(bytesOf(array).subarray(i * rowBytes, (i + 1) * rowBytes), i * stride + at);
            offset += sizes[k];
            return this.accessor(array, type, { ...options, view, byteOffset: at });
        });
    }

    // Elements of a sparse accessor: `indices` get `values`, over `base` (an array) or zeros.
    sparse(base, count, type, indices, values, options = {}) {
        const sparse = { count: indices.length, indices: { bufferView: this.view(bytesOf(indices)), componentType: componentTypes.get(indices.constructor) },
            values: { bufferView: this.view(bytesOf(values)) } };
        if (base)
            return this.accessor(base, type, { ...options, sparse });
        this.json.accessors.push({ componentType: componentTypes.get(values.constructor), count, type, sparse, ...options });
        return this.json.accessors.length - 1;
    }

    packedView(array, rowBytes, { mode = 'ATTRIBUTES', filter, bytes = bytesOf(array), stride = rowBytes }) {
        const count = bytes.length / stride, indices = mode === 'ATTRIBUTES' ? [] : [...array];
        const packed = mode === 'TRIANGLES' ? packTriangles(indices) : mode === 'INDICES' ? packIndices(indices) : packVertices(bytes, stride);
        const extension = { buffer: 0, byteOffset: this.buffers[0].reduce((sum, piece) => sum + piece.length, 0), byteLength: packed.length,
            byteStride: stride, count, mode, ...(filter ? { filter } : {}) };
        this.buffers[0].push(padded(packed));
        this.fallback = (this.fallback ?? 0) + Math.ceil(bytes.length / 4) * 4;
        this.use('EXT_meshopt_compression', true);
        const view = { buffer: 'fallback', byteOffset: this.fallback - Math.ceil(bytes.length / 4) * 4, byteLength: bytes.length,
            extensions: { EXT_meshopt_compression: extension } };
        if (mode === 'ATTRIBUTES')
            view.byteStride = stride;
        return this.json.bufferViews.push(view) - 1;
    }

    mesh(...primitives) {
        return this.json.meshes.push({ primitives }) - 1;
    }

    // A node below another, or a root of the first scene.
    node(properties, parent) {
        const index = this.json.nodes.push({ name: `n${this.json.nodes.length}`, ...properties }) - 1;
        if (parent === undefined)
            this.json.scenes[0].nodes.push(index);
        else
            (this.json.nodes[parent].children ??= []).push(index);
        return index;
    }

    animation(channels, name = 'clip') {
        const animation = { name, samplers: [], channels: [] };
        for (const { node, path, times, values, interpolation, options = {} } of channels) {
            const input = typeof times === 'number' ? times : this.accessor(Float32Array.from(times), 'SCALAR', { min: [times[0]], max: [times.at(-1)] });
            const output = typeof values === 'number' ? values
                : this.accessor(Array.isArray(values) ? Float32Array.from(values) : values, path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3', options);
            animation.samplers.push({ input, output, ...(interpolation ? { interpolation } : {}) });
            animation.channels.push({ sampler: animation.samplers.length - 1, target: { node, path } });
        }
        (this.json.animations ??= []).push(animation);
    }

    // The whole JSON with its buffers: uris[i] names buffer i, the first without one is a GLB's own.
    document(uris = []) {
        const json = structuredClone(this.json), blobs = this.buffers.map(pieces => Buffer.concat(pieces));
        json.buffers = blobs.map((blob, i) => ({ byteLength: blob.length, ...(uris[i] ? { uri: uris[i](blob) } : {}) }));
        for (const view of json.bufferViews)
            if (view.buffer === 'fallback')
                view.buffer = json.buffers.length;
        if (this.fallback)
            json.buffers.push({ byteLength: this.fallback, extensions: { EXT_meshopt_compression: { fallback: true } } });
        for (const key of Object.keys(json))
            if (Array.isArray(json[key]) && !json[key].length)
                delete json[key];
        return { json, blobs };
    }

    glb(more = []) {
        const { json, blobs } = this.document();
        return glb(json, blobs[0], more);
    }
}

function chunk(type, bytes, filler) {
    const data = padded(bytes, filler), head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 0);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, data]);
}

export function glb(json, binary, more = []) {
    const chunks = [chunk('JSON', Buffer.from(JSON.stringify(json)), 0x20)];
    if (binary.length)
        chunks.push(chunk('BIN\0', binary, 0));
    chunks.push(...more.map(([type, bytes]) => chunk(type, bytes, 0)));
    const head = Buffer.alloc(12);
    head.write('glTF', 0, 'latin1');
    head.writeUInt32LE(2, 4);
    head.writeUInt32LE(12 + chunks.reduce((sum, piece) => sum + piece.length, 0), 8);
    return Buffer.concat([head, ...chunks]);
}

// ---- EXT_meshopt_compression ----

const zigzag8 = value => (value & 0x80 ? (~value << 1) | 1 : value << 1) & 0xff; // of a signed byte

// Mode 0: blocks of vertices; each byte of them as deltas, groups of 16 in whole bytes (or none, when all are zero).
function packVertices(bytes, stride) {
    const count = bytes.length / stride, block = Math.min(Math.floor(8192 / stride) & ~15, 256), out = [0xa0];
    let last = bytes.slice(0, stride);
    for (let first = 0; first < count; first += block) {
        const rows = Math.min(block, count - first), groups = Math.ceil(rows / 16);
        for (let k = 0; k < stride; k++) {
            const deltas = new Uint8Array(groups * 16);
            for (let i = 0, before = last[k]; i < rows; i++) {
                const value = bytes[(first + i) * stride + k];
                deltas[i] = zigzag8(value - before & 0xff);
                before = value;
            }
            const heads = new Uint8Array(Math.ceil(groups / 4)), body = [];
            for (let g = 0; g < groups; g++) {
                const group = deltas.subarray(16 * g, 16 * g + 16);
                if (group.some(delta => delta)) {
                    heads[g >> 2] |= 3 << (g & 3) * 2;
                    body.push(...group);
                }
            }
            out.push(...heads, ...body);
        }
        last = bytes.slice((first + rows - 1) * stride, (first + rows) * stride);
    }
    const tail = new Uint8Array(Math.max(stride, 32));
    tail.set(bytes.subarray(0, stride), tail.length - stride);
    return Uint8Array.from([...out, ...tail]);
}

function pushVarint(out, value) {
    for (; value > 127; value = Math.floor(value / 128))
        out.push(value % 128 | 128);
    out.push(value);
}
const zigzag = delta => delta < 0 ? -2 * delta - 1 : 2 * delta;

// Mode 1: every triangle "free": a code of its own, three deltas.
function packTriangles(indices) {
    const codes = [], data = [];
    let last = 0;
    for (let i = 0; i < indices.length; i += 3) {
        codes.push(0xff);
        data.push(0xff);
        for (const index of indices.slice(i, i + 3)) {
            pushVarint(data, zigzag(index - last));
            last = index;
        }
    }
    return Uint8Array.from([0xe1, ...codes, ...data, ...new Uint8Array(16)]);
}

// Mode 2: deltas to one of two baselines.
function packIndices(indices) {
    const out = [0xd1], last = [0, 0];
    indices.forEach((index, i) => {
        const line = i % 2;
        pushVarint(out, zigzag(index - last[line]) * 2 + line);
        last[line] = index;
    });
    return Uint8Array.from([...out, 0, 0, 0, 0]);
}

// Filter EXPONENTIAL: each float as a mantissa of 24 bits and a power of two. What it stands for, and how it is stored.
export function exponential(values, bits = 15) {
    const stored = new Int32Array(values.length), meant = new Float32Array(values.length);
    values.forEach((value, i) => {
        const power = value === 0 ? -100 : Math.max(-100, Math.ceil(Math.log2(Math.abs(value))) - bits + 1);
        const mantissa = Math.round(value / 2 ** power);
        stored[i] = power << 24 | mantissa & 0xffffff;
        meant[i] = mantissa * 2 ** power;
    });
    return { stored, meant };
}

// Filter OCTAHEDRAL: unit vectors in 4 bytes.
export function octahedral(normals) {
    const out = new Int8Array(normals.length / 3 * 4);
    for (let i = 0; i < normals.length / 3; i++) {
        let [x, y, z] = normals.slice(3 * i, 3 * i + 3);
        const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
        [x, y, z] = [x / sum, y / sum, z / sum];
        const u = z >= 0 ? x : (1 - Math.abs(y)) * (x >= 0 ? 1 : -1), v = z >= 0 ? y : (1 - Math.abs(x)) * (y >= 0 ? 1 : -1);
        out.set([Math.round(u * 127), Math.round(v * 127), 127, 0], 4 * i);
    }
    return out;
}

// Filter QUATERNION: the three smaller components, and in the last two bits which one is left out.
export function quaternion(rotations) {
    const out = new Int16Array(rotations.length), scale = 32767;
    for (let i = 0; i < rotations.length; i += 4) {
        const q = rotations.slice(i, i + 4), largest = q.reduce((best, value, k) => Math.abs(value) > Math.abs(q[best]) ? k : best, 0);
        const sign = q[largest] < 0 ? -1 : 1;
        for (let k = 1; k < 4; k++)
            out[i + k - 1] = Math.round(q[(largest + k) % 4] * sign * Math.SQRT2 * scale);
        out[i + 3] = scale & ~3 | largest;
    }
    return out;
}
