// What a GLB shows, measured by hand: nodes with their world matrices, and for each primitive its triangles, lines, area,
// volume, box, colours and texture coordinates. All in metres, Z up. Nothing here is of cellpipe.
import fs from 'node:fs';
import { identity, multiply } from './lib.mjs';

const sizes = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const arrays = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const zUp = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0]; // (x, y, z) -> (x, -z, y)

export function openGlb(file) {
    const bytes = fs.readFileSync(file);
    const length = bytes.readUInt32LE(12);
    const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
    return { json, binary: bytes.subarray(28 + length) };
}

// The numbers of an accessor, row after row.
function numbersOf({ json, binary }, index) {
    const accessor = json.accessors[index],
        view = json.bufferViews[accessor.bufferView],
        width = sizes[accessor.type],
        Type = arrays[accessor.componentType];
    const stride = view.byteStride ?? width * Type.BYTES_PER_ELEMENT,
        start = binary.byteOffset + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const numbers = new Float64Array(accessor.count * width);
    const scale = accessor.normalized ? 2 ** (8 * Type.BYTES_PER_ELEMENT) - 1 : 1;
    for (let i = 0; i < accessor.count; i++) {
        const row = new Type(binary.buffer.slice(start + i * stride, start + i * stride + width * Type.BYTES_PER_ELEMENT));
        for (let k = 0; k < width; k++) numbers[i * width + k] = row[k] / scale;
    }
    return { numbers, width, count: accessor.count };
}

function localOf(node) {
    if (node.matrix) return [0, 1, 2].flatMap(row => [0, 4, 8, 12].map(column => node.matrix[row + column]));
    const [x, y, z, w] = node.rotation ?? [0, 0, 0, 1],
        s = node.scale ?? [1, 1, 1],
        t = node.translation ?? [0, 0, 0];
    return [
        (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y - z * w) * s[1], 2 * (x * z + y * w) * s[2], t[0],
        2 * (x * y + z * w) * s[0], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z - x * w) * s[2], t[1],
        2 * (x * z - y * w) * s[0], 2 * (y * z + x * w) * s[1], (1 - 2 * (x * x + y * y)) * s[2], t[2],
    ];
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const determinant = m => dot([m[0], m[4], m[8]], cross([m[1], m[5], m[9]], [m[2], m[6], m[10]]));

// The coordinates of a texture's vertices, as the picture has them.
function coordinatesOf(glb, primitive, texture) {
    const key = `TEXCOORD_${texture?.texCoord ?? 0}`;
    if (!texture || primitive.attributes[key] === undefined) return null;
    const place = texture.extensions?.KHR_texture_transform ?? {},
        [su, sv] = place.scale ?? [1, 1],
        [ou, ov] = place.offset ?? [0, 0];
    const { numbers, count } = numbersOf(glb, primitive.attributes[key]);
    return Array.from({ length: count }, (_, i) => [ou + su * numbers[2 * i], ov + sv * numbers[2 * i + 1]]);
}

function measurePrimitive(glb, primitive, world) {
    const { numbers, count } = numbersOf(glb, primitive.attributes.POSITION),
        material = glb.json.materials?.[primitive.material],
        texture = material?.pbrMetallicRoughness?.baseColorTexture;
    const corners =
        primitive.indices === undefined ? Float64Array.from({ length: count }, (_, i) => i) : numbersOf(glb, primitive.indices).numbers;
    const points = Array.from({ length: count }, (_, i) =>
        [0, 4, 8].map(r => world[r] * numbers[3 * i] + world[r + 1] * numbers[3 * i + 1] + world[r + 2] * numbers[3 * i + 2] + world[r + 3])
    );
    const colours = primitive.attributes.COLOR_0 === undefined ? null : numbersOf(glb, primitive.attributes.COLOR_0);
    const part = { material, texture, mode: primitive.mode ?? 4, triangles: 0, segments: 0, area: 0, volume: 0, vector: [0, 0, 0],
        box: [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]], colour: [0, 0, 0], alpha: 1, corners, points,
        coloured: colours !== null, colours: colours && (row => Array.from({ length: 4 }, (_, k) => (k < colours.width ? colours.numbers[row * colours.width + k] : 1))),
        hasCoordinates: primitive.attributes.TEXCOORD_0 !== undefined,
        coordinates: coordinatesOf(glb, primitive, texture), normals: primitive.attributes.NORMAL !== undefined };
    for (const corner of corners)
        for (let axis = 0; axis < 3; axis++) {
            part.box[0][axis] = Math.min(part.box[0][axis], points[corner][axis]);
            part.box[1][axis] = Math.max(part.box[1][axis], points[corner][axis]);
        }
    if (part.mode === 1) part.segments = corners.length / 2;
    if (part.mode === 3) part.segments = corners.length - 1;
    if (part.mode !== 4) return part;
    const sign = determinant(world) < 0 ? -1 : 1; // glTF turns the faces of a mirrored mesh
    for (let i = 0; i < corners.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map(k => points[corners[i + k]]);
        const normal = cross(b.map((v, k) => v - a[k]), c.map((v, k) => v - a[k])),
            area = Math.hypot(...normal) / 2;
        part.triangles++;
        part.area += area;
        part.volume += (sign * dot(a, cross(b, c))) / 6;
        part.vector = part.vector.map((v, k) => v + (sign * normal[k]) / 2);
        for (let k = 0; k < 3 && colours; k++) {
            const row = corners[i + k] * colours.width;
            part.colour = part.colour.map((v, channel) => v + (area * colours.numbers[row + channel]) / 3);
            if (colours.width > 3) part.alpha = Math.min(part.alpha, colours.numbers[row + 3]);
        }
    }
    return part;
}

// { nodes: [{ name, world }], parts }: all that the scene shows, in the order of a walk.
export function measureGlb(file) {
    const glb = openGlb(file),
        nodes = [],
        parts = [];
    const walk = (index, above) => {
        const node = glb.json.nodes[index],
            world = multiply(above, localOf(node));
        nodes.push({ name: node.name, world });
        for (const primitive of node.mesh === undefined ? [] : glb.json.meshes[node.mesh].primitives)
            parts.push(measurePrimitive(glb, primitive, world));
        for (const child of node.children ?? []) walk(child, world);
    };
    for (const root of glb.json.scenes?.[glb.json.scene ?? 0]?.nodes ?? []) walk(root, multiply(zUp, identity));
    return { glb, nodes, parts };
}

// The bytes of a texture's image, and its sampler.
export function imageOf({ json, binary }, texture) {
    const { source, sampler } = json.textures[texture.index],
        image = json.images[source],
        view = json.bufferViews[image.bufferView];
    const start = view.byteOffset ?? 0;
    return { bytes: binary.subarray(start, start + view.byteLength), sampler: json.samplers?.[sampler] ?? {} };
}
