// Colours and texture coordinates of VRML97 files, beside those that Coin makes of the same file. The GLB that a file
// becomes is measured by hand, so that our own writer of VRML97 has no part in it.
import fs from 'node:fs';
import path from 'node:path';
import { measureGlb } from './glb_measures.mjs';
import { corpusFiles, fail, finish, program, root, run, shortName, skip, workFile } from './lib.mjs';

const coin = path.join(path.dirname(program), 'tests', 'coin_check');
if (!fs.existsSync(coin))
    skip('consumers/test_vrml97_coin_looks needs libcoin-dev and a C++ compiler when the tests are built');

const subtract = (a, b) => a.map((value, k) => value - b[k]);
const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const apart = (a, b) => Math.max(...a.map((value, k) => Math.abs(value - b[k])));
const displayed = value => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

// The triangles of a file as Coin shows them: { type, textured, corners: [{ place, colour, st }] }; a colour is red, green,
// blue and opacity.
function coinTriangles(file) {
    const { code, stdout } = run(coin, '--looks', file);
    if (code === 3)
        return []; // its grammar is smaller
    return stdout.split('\n').filter(line => line).map(line => {
        const [type, ...words] = line.split(' '), [transparency, textured, ...numbers] = words.map(Number);
        const corners = [0, 8, 16].map(i => ({ place: numbers.slice(i, i + 3),
            colour: [...numbers.slice(i + 3, i + 6).map(value => Math.min(1, Math.max(0, value))), 1 - transparency], st: numbers.slice(i + 6, i + 8) }));
        return { type, textured: textured === 1, corners };
    });
}

// The same of a GLB. Its place (x, y, z) with Z up is (x, z, -y) of the file; colours become numbers as displayed.
function ownTriangles(input) {
    const glb = workFile('looks.glb');
    const { code, stderr } = run(program, 'convert', '-q', input, glb, '--in', 'up=y', '--out', 'normals=none');
    if (code !== 0)
        throw new Error(`exit ${code} ${stderr.slice(0, 200)}`);
    return measureGlb(glb).parts.filter(part => part.mode === 4).flatMap(part => {
        const base = part.material?.pbrMetallicRoughness?.baseColorFactor ?? [1, 1, 1, 1];
        const corner = row => {
            const [x, y, z] = part.points[row], own = part.colours ? part.colours(row) : [1, 1, 1, 1];
            const [s, v] = part.coordinates?.[row] ?? [0, 0];
            return { place: [x, z, -y], colour: base.map((value, k) => (k < 3 ? displayed(value * own[k]) : value * own[k])), st: [s, 1 - v] };
        };
        return Array.from({ length: part.corners.length / 3 }, (_, i) =>
            ({ textured: Boolean(part.texture), corners: [0, 1, 2].map(k => corner(part.corners[3 * i + k])) }));
    });
}

// ---- colours ----

// Names places by cells of a grid. Coin's matrices have single precision, so a place may be in the next cell.
const cell = (place, step) => place.map(value => Math.floor(value / step) + 0).join(' ');
const cellsNear = (place, step) => [0, 1, 2, 3, 4, 5, 6, 7].map(bits => cell(place.map((value, k) => value + (bits >> k & 1 ? step : -step) / 2), step));

// Names a triangle by its corners, beginning with the one whose name comes first.
function keyed({ corners }, step) {
    const names = corners.map(({ place }) => cell(place, step));
    const first = names.indexOf(names.slice().sort()[0]), order = [0, 1, 2].map(i => (first + i) % 3);
    return { key: order.map(i => names[i]).join(','), colours: order.map(i => corners[i].colour) };
}

function add(map, key, value) {
    if (map.has(key))
        map.get(key).push(value);
    else
        map.set(key, [value]);
}

const farthest = (candidates, wish) => Math.min(...candidates.map(candidate => apart(candidate.flat(), wish.flat())));

// Compares the colours of each triangle of Coin, but for textures, for round shapes, which have other corners, and for
// ElevationGrids, whose colours Coin does not look up here. Where Coin cuts a polygon in another way, each corner must be
// there with its colour.
function compareColours(file) {
    const wanted = coinTriangles(file).filter(({ type, textured }) => !/Sphere|Cylinder|Cone|Text|ElevationGrid/.test(type) && !textured);
    if (wanted.length === 0)
        return null;
    const size = Math.max(...wanted.flatMap(({ corners }) => corners.flatMap(({ place }) => place.map(Math.abs))));
    const step = 1.0371e-4 * size, triangles = new Map(), places = new Map();
    for (const triangle of ownTriangles(file)) {
        const { key, colours } = keyed(triangle, step);
        add(triangles, key, colours);
        triangle.corners.forEach(({ place, colour }) => add(places, cell(place, step), colour));
    }
    const seen = { triangles: wanted.length, cut: 0, worst: 0, colours: new Set() };
    for (const triangle of wanted) {
        const { key, colours } = keyed(triangle, step), same = triangles.get(key);
        colours.forEach(colour => seen.colours.add(colour.join()));
        seen.cut += same ? 0 : 1;
        if (same)
            seen.worst = Math.max(seen.worst, farthest(same, colours));
        for (const { place, colour } of same ? [] : triangle.corners) {
            const candidates = cellsNear(place, step).flatMap(name => places.get(name) ?? []);
            seen.worst = Math.max(seen.worst, candidates.length ? farthest(candidates, colour) : Infinity);
        }
    }
    return seen;
}

const exempt = {
    'Wuson.wrl': 'Coin multiplies the colour by that of the texture, whose image it cannot read',
    'touch_and_fan_in.wrl': 'Coin plays it: a ROUTE moves the boxes',
};
const caseFile = name => path.join(root, 'tests/cases/vrml97', name);

// Files that others inline may lack the header that Coin needs.
function prepare(file) {
    const text = fs.readFileSync(file, 'latin1'), copy = workFile('prepared.wrl');
    if (text.startsWith('#VRML V2'))
        return file;
    fs.writeFileSync(copy, `#VRML V2.0 utf8\n${text}`, 'latin1');
    return copy;
}

// A shape without a Material is white by the standard, and 0.8 in Coin; no file here has one.
let compared = 0, triangles = 0, colours = 0;
const cases = ['colour_faces.wrl', 'colour_vertices.wrl', 'colour_index.wrl', 'colour_glass.wrl', 'proto_appearance.wrl'];
for (const file of [...cases.map(caseFile), ...corpusFiles('robots/vrml97', '.wrl')]) {
    const text = fs.readFileSync(file, 'latin1');
    if (text.startsWith('#VRML V1') || exempt[path.basename(file)])
        continue;
    const seen = compareColours(prepare(file));
    if (!seen)
        continue;
    compared++;
    triangles += seen.triangles;
    colours += seen.colours.size;
    if (!(seen.worst < 1e-5))
        fail(`${shortName(file)}: colours are ${seen.worst} apart`);
}

// ---- texture coordinates ----

// Returns the weights of the corners at the foot of a place on the triangle's plane, and how far away that is.
function footOn([a, b, c], place) {
    const u = subtract(b, a), v = subtract(c, a), w = subtract(place, a), normal = cross(u, v), square = dot(normal, normal);
    const beta = dot(cross(w, v), normal) / square, gamma = dot(cross(u, w), normal) / square;
    const outside = Math.max(0, -beta, -gamma, beta + gamma - 1);
    return { weights: [1 - beta - gamma, beta, gamma], far: Math.abs(dot(w, normal)) / Math.sqrt(square) + outside, normal };
}

// Compares the coordinates within each triangle of Coin with those of the triangle here that is nearest and looks the
// same way. Round shapes have other corners in Coin.
function compareCoordinates(file) {
    const own = ownTriangles(file), worst = {};
    for (const { type, corners } of coinTriangles(file)) {
        const points = corners.map(({ place }) => place), { normal } = footOn(points, points[0]);
        const looksAlike = other => dot(other, normal) > 0.9 * Math.hypot(...other) * Math.hypot(...normal);
        for (const weights of [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]) {
            const at = key => corners[0][key].map((_, k) => weights.reduce((sum, weight, i) => sum + weight * corners[i][key][k], 0));
            let best = { far: Infinity };
            for (const triangle of own) {
                const foot = footOn(triangle.corners.map(({ place }) => place), at('place'));
                if (foot.far < best.far && looksAlike(foot.normal))
                    best = { ...foot, triangle };
            }
            const st = [0, 1].map(k => best.weights.reduce((sum, weight, i) => sum + weight * best.triangle.corners[i].st[k], 0));
            const wanted = at('st');
            if (type === 'VRMLCone' && Math.abs(normal[1]) < 0.9 * Math.hypot(...normal))
                wanted[0] = 1 - wanted[0]; // the texture is mirrored on the side of Coin's cones
            worst[type] = Math.max(worst[type] ?? 0, apart(st, wanted));
        }
    }
    return worst;
}

const worst = compareCoordinates(caseFile('picture_solids.wrl')), limits = { VRMLBox: 1e-6, VRMLCylinder: 0.01, VRMLCone: 0.03, VRMLSphere: 0.03 };
for (const [type, limit] of Object.entries(limits))
    if (!(worst[type] <= limit))
        fail(`${type}: texture coordinates are ${worst[type]} apart`);
if (compared > 10 && compared < 50) // else there is no corpus
    fail(`Coin shows colours of only ${compared} files`);
finish(`${compared} files, ${triangles} triangles, ${colours} colours; texture coordinates ${JSON.stringify(worst)}`);
