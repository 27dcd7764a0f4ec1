// The edges of a mesh at which its faces bend, and its borders. Vertices count as one where their positions are equal,
// since creases split them. Nothing here knows the page or three.js.
(function (page) {
    'use strict';

    function powerAbove(count) {
        let size = 16;
        while (size < count) size *= 2;
        return size;
    }

    const mix = (a, b, c) => (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)) | 0;
    const spread = hash => hash ^ (hash >>> 15) ^ (hash >>> 7);

    // For each vertex the first one at its place. positions: three numbers a vertex.
    function joinVertices(positions) {
        const count = positions.length / 3,
            first = new Uint32Array(count),
            size = powerAbove(2 * count);
        const table = new Int32Array(size).fill(-1),
            bits = new Int32Array(Float32Array.from(positions, value => value + 0).buffer); // -0 is 0
        for (let i = 0; i < count; i++) {
            const [x, y, z] = [bits[3 * i], bits[3 * i + 1], bits[3 * i + 2]];
            let at = spread(mix(x, y, z)) & (size - 1);
            while (
                table[at] >= 0 &&
                (bits[3 * table[at]] !== x || bits[3 * table[at] + 1] !== y || bits[3 * table[at] + 2] !== z)
            )
                at = (at + 1) & (size - 1);
            if (table[at] < 0) table[at] = i;
            first[i] = table[at];
        }
        return first;
    }

    function makeNormals(positions, corners) {
        const normals = new Float32Array(corners.length);
        for (let i = 0; i < corners.length; i += 3) {
            const a = 3 * corners[i],
                b = 3 * corners[i + 1],
                c = 3 * corners[i + 2];
            const ux = positions[b] - positions[a],
                uy = positions[b + 1] - positions[a + 1],
                uz = positions[b + 2] - positions[a + 2];
            const vx = positions[c] - positions[a],
                vy = positions[c + 1] - positions[a + 1],
                vz = positions[c + 2] - positions[a + 2];
            const x = uy * vz - uz * vy,
                y = uz * vx - ux * vz,
                z = ux * vy - uy * vx,
                length = Math.hypot(x, y, z) || 1;
            normals[i] = x / length;
            normals[i + 1] = y / length;
            normals[i + 2] = z / length;
        }
        return normals;
    }

    // Returns positions of the ends of edges, six numbers an edge. corners: three vertices a triangle; crease: radians.
    page.findEdges = function (positions, corners, crease) {
        const first = joinVertices(positions),
            joined = Uint32Array.from(corners, corner => first[corner]);
        const normals = makeNormals(positions, joined),
            size = powerAbove(2 * joined.length),
            least = Math.cos(crease);
        // Of each edge: its vertices, its first face (-1: none), and whether further faces have made it smooth.
        const low = new Uint32Array(size),
            high = new Uint32Array(size),
            face = new Int32Array(size).fill(-1),
            smooth = new Uint8Array(size);
        let count = 0;
        for (let i = 0; i < joined.length; i++) {
            const start = i - (i % 3),
                a = joined[i],
                b = joined[start + ((i + 1) % 3)];
            if (a === b) continue;
            const [one, other] = a < b ? [a, b] : [b, a];
            let at = spread(mix(one, other, 0)) & (size - 1);
            while (face[at] >= 0 && (low[at] !== one || high[at] !== other)) at = (at + 1) & (size - 1);
            if (face[at] < 0) {
                low[at] = one;
                high[at] = other;
                face[at] = start;
                count++;
            } else if (!smooth[at]) {
                const f = face[at],
                    dot =
                        normals[f] * normals[start] +
                        normals[f + 1] * normals[start + 1] +
                        normals[f + 2] * normals[start + 2];
                smooth[at] = dot >= least ? 1 : 0;
                count -= smooth[at];
            }
        }
        const ends = new Float32Array(6 * count);
        let out = 0;
        for (let at = 0; at < size; at++)
            if (face[at] >= 0 && !smooth[at])
                for (const vertex of [low[at], high[at]])
                    for (let k = 0; k < 3; k++) ends[out++] = positions[3 * vertex + k];
        return ends;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
