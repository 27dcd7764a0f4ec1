// Unpacks EXT_meshopt_compression: the page's GLB becomes one without the extension, so that any loader reads it.
// Written from the extension's specification: vertices in codec version 0, triangles in version 1, sequences of
// indices, and the three filters. Every read is checked, and sizes are checked before memory is taken.
(function (page) {
    'use strict';

    const name = 'EXT_meshopt_compression';

    function check(holds, fault) {
        if (!holds)
            throw new Error(`${name}: ${fault}`);
    }

    // ---- vertices ----

    // Unpacks a group of 16 bytes to values[first], [first + step] ... Returns where the next group begins.
    function unpackGroup(source, at, end, mode, deltas, first) {
        if (mode === 0) {
            deltas.fill(0, first, first + 16);
            return at;
        }
        check(at + (mode === 3 ? 16 : 4 * mode) <= end, 'vertices end too early');
        if (mode === 3) {
            for (let i = 0; i < 16; i++)
                deltas[first + i] = source[at + i];
            return at + 16;
        }
        const bits = 2 * mode, perByte = 8 / bits, all = (1 << bits) - 1; // all ones: the value follows
        let further = at + 4 * mode;
        for (let i = 0; i < 16; i++) {
            let value = source[at + Math.floor(i / perByte)] >> (8 - bits - bits * (i % perByte)) & all;
            if (value === all) {
                check(further < end, 'vertices end too early');
                value = source[further++];
            }
            deltas[first + i] = value;
        }
        return further;
    }

    function unpackVertices(source, count, stride) {
        check(stride > 0 && stride <= 256 && stride % 4 === 0, 'a stride that is no multiple of 4 up to 256');
        const tail = Math.max(stride, 32), end = source.length - tail;
        const blockSize = Math.min(Math.floor(8192 / stride) & ~15, 256);
        check(end >= 1 && source[0] === 0xa0, 'vertices of another version');
        check(stride * count / 64 <= end, 'vertices end too early'); // each group takes two bits
        const values = new Uint8Array(count * stride), deltas = new Uint8Array(256);
        const previous = source.slice(source.length - stride);
        let at = 1;
        for (let first = 0; first < count; first += blockSize) {
            const size = Math.min(blockSize, count - first);
            const groups = Math.ceil(size / 16), heads = Math.ceil(groups / 4);
            for (let byte = 0; byte < stride; byte++) {
                const head = at;
                at += heads;
                check(at <= end, 'vertices end too early');
                for (let group = 0; group < groups; group++) {
                    const mode = source[head + (group >> 2)] >> 2 * (group & 3) & 3;
                    at = unpackGroup(source, at, end, mode, deltas, 16 * group);
                }
                let value = previous[byte];
                for (let i = 0, to = first * stride + byte; i < size; i++, to += stride) {
                    const delta = deltas[i];
                    value = value + (delta >> 1 ^ -(delta & 1)) & 255;
                    values[to] = value;
                }
                previous[byte] = value;
            }
        }
        check(at === end, 'vertices do not end where they should');
        return values;
    }

    // ---- triangles and indices ----

    // Reads numbers of 7 bits a byte, the lowest first; as a difference, the lowest bit is the sign.
    function makeReader(source, first, end) {
        let at = first;
        const byte = () => {
            check(at < end, 'indices end too early');
            return source[at++];
        };
        const number = () => {
            let value = 0;
            for (let shift = 0; shift < 35; shift += 7) {
                const next = byte();
                value |= (next & 127) << shift;
                if (next < 128)
                    return value >>> 0;
            }
            return check(false, 'a number that is too long');
        };
        const isAtEnd = () => at === end;
        return { byte, number, isAtEnd };
    }
    const difference = value => value >>> 1 ^ -(value & 1);

    function makeIndices(count, stride) {
        check(stride === 2 || stride === 4, 'indices of neither 2 nor 4 bytes');
        return stride === 2 ? new Uint16Array(count) : new Uint32Array(count);
    }

    function unpackTriangles(source, count, stride) {
        const codes = count / 3, end = source.length - 16; // behind it, a table of 16 bytes
        check(source[0] === 0xe1, 'triangles of another version');
        check(count % 3 === 0 && 1 + codes <= end, 'triangles end too early');
        const indices = makeIndices(count, stride), reader = makeReader(source, 1 + codes, end);
        // Rings of the last ones used.
        const edges = new Uint32Array(32).fill(-1), vertices = new Uint32Array(16).fill(-1);
        let edgeAt = 0, vertexAt = 0, next = 0, last = 0;
        const pushVertex = vertex => {
            vertices[vertexAt++ & 15] = vertex;
        };
        const pushEdge = (a, b) => {
            edges[2 * (edgeAt & 15)] = a;
            edges[2 * (edgeAt & 15) + 1] = b;
            edgeAt++;
        };
        const readVertex = () => (last = last + difference(reader.number()) >>> 0);
        // place: 0 is a new vertex, 1 to 14 one of the last, 15 is none of them and read later.
        const takeVertex = place => (place === 0 ? next++ : vertices[vertexAt - place & 15]);
        for (let i = 0; i < count; i += 3) {
            const code = source[1 + i / 3], low = code & 15;
            let a, b, c;
            if (code < 0xf0) { // a triangle at an edge
                const edge = edgeAt - 1 - (code >> 4) & 15;
                a = edges[2 * edge];
                b = edges[2 * edge + 1];
                if (low < 13)
                    c = low === 0 ? next++ : vertices[vertexAt - 1 - low & 15];
                else
                    c = low === 15 ? readVertex() : (last = last + (low === 13 ? -1 : 1) >>> 0);
                if (low === 0 || low >= 13)
                    pushVertex(c);
            } else { // a triangle of its own
                const places = code < 0xfe ? source[end + low] : reader.byte();
                const first = code === 0xff ? 15 : 0, second = places >> 4, third = places & 15;
                if (code >= 0xfe && places === 0)
                    next = 0;
                a = takeVertex(first);
                b = takeVertex(second);
                c = takeVertex(third);
                if (code >= 0xfe) {
                    a = first === 15 ? readVertex() : a;
                    b = second === 15 ? readVertex() : b;
                    c = third === 15 ? readVertex() : c;
                }
                pushVertex(a);
                if (second === 0 || (code >= 0xfe && second === 15))
                    pushVertex(b);
                if (third === 0 || (code >= 0xfe && third === 15))
                    pushVertex(c);
                pushEdge(b, a);
            }
            pushEdge(c, b);
            pushEdge(a, c);
            indices[i] = a;
            indices[i + 1] = b;
            indices[i + 2] = c;
        }
        check(reader.isAtEnd(), 'triangles do not end where they should');
        return new Uint8Array(indices.buffer);
    }

    function unpackIndices(source, count, stride) {
        const end = source.length - 4; // behind it, 4 bytes of zeros
        check(source[0] === 0xd1, 'indices of another version');
        check(1 + count <= end, 'indices end too early');
        const indices = makeIndices(count, stride), reader = makeReader(source, 1, end), last = [0, 0];
        for (let i = 0; i < count; i++) {
            const value = reader.number(), which = value & 1;
            indices[i] = last[which] = last[which] + difference(value >>> 1) >>> 0;
        }
        check(reader.isAtEnd(), 'indices do not end where they should');
        return new Uint8Array(indices.buffer);
    }

    // ---- filters: they work in single precision, and round to the nearest, halves to even, as other decoders do ----

    const round = Math.fround;
    const whole = 12582912; // 1.5 * 2^23: floats of this size are whole numbers
    const toWhole = value => round(round(value) + whole) - whole;

    function unpackDirections(bytes, stride) {
        check(stride === 4 || stride === 8, 'directions of neither 4 nor 8 bytes');
        const values = stride === 4 ? new Int8Array(bytes.buffer) : new Int16Array(bytes.buffer);
        const most = stride === 4 ? 127 : 32767;
        for (let i = 0; i < values.length; i += 4) {
            let x = values[i], y = values[i + 1];
            const z = values[i + 2] - Math.abs(x) - Math.abs(y), fold = Math.min(z, 0);
            x += x >= 0 ? fold : -fold;
            y += y >= 0 ? fold : -fold;
            const square = round(round(x * x) + round(round(y * y) + round(z * z)));
            const scale = round(most / round(Math.sqrt(square)));
            values[i] = toWhole(x * scale);
            values[i + 1] = toWhole(y * scale);
            values[i + 2] = toWhole(z * scale);
        }
    }

    function unpackRotations(bytes, stride) {
        check(stride === 8, 'rotations that are not of 8 bytes');
        const values = new Int16Array(bytes.buffer);
        for (let i = 0; i < values.length; i += 4) {
            const largest = values[i + 3] & 3, unit = values[i + 3] | 3;
            const scale = round(round(32767 * Math.SQRT1_2) / unit);
            const [x, y, z] = values.subarray(i, i + 3);
            const rest = round(round(round(2 * unit * unit) - round(x * x)) - round(round(y * y) + round(z * z)));
            values[i + (largest + 1 & 3)] = toWhole(x * scale);
            values[i + (largest + 2 & 3)] = toWhole(y * scale);
            values[i + (largest + 3 & 3)] = toWhole(z * scale);
            values[i + largest] = toWhole(round(Math.sqrt(Math.max(rest, 0))) * scale);
        }
    }

    function unpackFloats(bytes, stride) {
        check(stride % 4 === 0, 'numbers that are not of 4 bytes');
        const packed = new Int32Array(bytes.buffer), values = new Float32Array(bytes.buffer);
        for (let i = 0; i < packed.length; i++)
            values[i] = (packed[i] << 8 >> 8) * Math.pow(2, packed[i] >> 24);
    }

    // ---- files ----

    const modes = { ATTRIBUTES: unpackVertices, TRIANGLES: unpackTriangles, INDICES: unpackIndices };
    const filters = { NONE() {}, OCTAHEDRAL: unpackDirections, QUATERNION: unpackRotations, EXPONENTIAL: unpackFloats };
    const own = (table, key) => (Object.prototype.hasOwnProperty.call(table, key) ? table[key] : undefined);
    const isCount = value => Number.isInteger(value) && value >= 0;

    // Unpacks the bytes of one bufferView. packed: the extension's object in it.
    page.unpackView = function (source, packed) {
        const { count, byteStride: stride, mode, filter = 'NONE' } = packed;
        const unpack = own(modes, mode), apply = own(filters, filter);
        check(unpack && apply, 'an unknown mode or filter');
        check(isCount(count) && isCount(stride), 'a bad count or stride');
        const bytes = unpack(source, count, stride);
        apply(bytes, stride);
        return bytes;
    };

    page.readChunks = readChunks;
    page.writeChunks = writeChunks;

    function readChunks(buffer) {
        const view = new DataView(buffer);
        check(buffer.byteLength >= 20 && view.getUint32(0, true) === 0x46546c67 && view.getUint32(4, true) === 2,
            'this is no GLB');
        const size = view.getUint32(12, true), end = 20 + size;
        check(view.getUint32(16, true) === 0x4e4f534a && end <= buffer.byteLength, 'the GLB is cut');
        const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 20, size)));
        if (end === buffer.byteLength)
            return { json, binary: new Uint8Array(0) };
        const binarySize = end + 8 <= buffer.byteLength ? view.getUint32(end, true) : Infinity;
        check(end + 8 + binarySize <= buffer.byteLength, 'the GLB is cut');
        return { json, binary: new Uint8Array(buffer, end + 8, binarySize) };
    }

    // Writes a GLB of a document and of parts of its buffer, each at a multiple of 4.
    function writeChunks(json, parts, size) {
        const text = new TextEncoder().encode(JSON.stringify(json)), textSize = text.length + 3 & ~3;
        const bytes = new Uint8Array(28 + textSize + size), view = new DataView(bytes.buffer);
        [0x46546c67, 2, bytes.length, textSize, 0x4e4f534a].forEach((value, i) => view.setUint32(4 * i, value, true));
        bytes.fill(0x20, 20, 20 + textSize);
        bytes.set(text, 20);
        view.setUint32(20 + textSize, size, true);
        view.setUint32(24 + textSize, 0x004e4942, true);
        for (const { at, part } of parts)
            bytes.set(part, 28 + textSize + at);
        return bytes.buffer;
    }

    // Returns the JSON document of a GLB.
    page.readJson = buffer => readChunks(buffer).json;

    // Returns a GLB without the extension: all views unpacked, one after the other in one buffer. Another GLB is
    // returned as it is. Throws an Error where the input is damaged.
    page.unpackMeshopt = function (buffer) {
        const { json, binary } = readChunks(buffer);
        if (!(json.extensionsUsed || []).includes(name))
            return buffer;
        const parts = [];
        let size = 0;
        check(Array.isArray(json.bufferViews) && Array.isArray(json.buffers), 'the document lacks bufferViews');
        for (const view of json.bufferViews) {
            const packed = view.extensions && view.extensions[name], from = packed || view;
            const first = from.byteOffset || 0, end = first + from.byteLength;
            check(from.buffer === 0 && isCount(first) && isCount(from.byteLength) && end <= binary.length,
                'a bufferView outside of the file');
            const source = binary.subarray(first, end), part = packed ? page.unpackView(source, packed) : source;
            check(part.length === view.byteLength, 'a bufferView of another size');
            parts.push({ at: size, part });
            view.buffer = 0;
            view.byteOffset = size;
            size += part.length + 3 & ~3;
            if (packed)
                delete view.extensions[name];
            if (packed && Object.keys(view.extensions).length === 0)
                delete view.extensions;
        }
        json.buffers = [{ byteLength: size }];
        for (const list of ['extensionsUsed', 'extensionsRequired']) {
            json[list] = (json[list] || []).filter(other => other !== name);
            if (json[list].length === 0)
                delete json[list];
        }
        return writeChunks(json, parts, size);
    };
})(globalThis.cellpipe_page = globalThis.cellpipe_page || {});
