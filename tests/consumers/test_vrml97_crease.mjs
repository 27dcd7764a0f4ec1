// Normals that are made by the creaseAngle of IndexedFaceSets, beside those that Coin makes of the same file. Coin adds
// up the faces at a point that are within the angle of the corner's face, each as much as the other; here they are joined
// across edges, by position, and weighted by angle. So directions differ a little where faces are unlike.
import fs from 'node:fs';
import path from 'node:path';
import { convert, corpusFiles, fail, finish, program, root, run, shortName, skip, workFile } from './lib.mjs';

const coin = path.join(path.dirname(program), 'tests', 'coin_check');
if (!fs.existsSync(coin))
    skip('consumers/test_vrml97_crease needs libcoin-dev and a C++ compiler when the tests are built');

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const degrees = (a, b) => Math.acos(Math.max(-1, Math.min(1, dot(a, b)))) * 180 / Math.PI;

// The triangles of a file as Coin shows them.
function triangles(file) {
    const { code, stdout } = run(coin, '--normals', file);
    if (code === 3)
        throw new Error(`coin_check: exit ${code}`);
    return stdout.split('\n').filter(line => line).map(line => {
        const [angle, own, ...numbers] = line.split(' ').map(Number);
        const corners = [0, 1, 2].map(i => ({ place: numbers.slice(6 * i, 6 * i + 3), normal: numbers.slice(6 * i + 3, 6 * i + 6) }));
        return { angle, own: own === 1, corners };
    });
}

// Names a triangle by its corners, beginning with the one whose name comes first.
function keyed({ corners }, step) {
    const names = corners.map(({ place }) => place.map(value => Math.round(value / step) + 0).join(' '));
    const first = names.indexOf(names.slice().sort()[0]);
    const order = [0, 1, 2].map(i => (first + i) % 3);
    return { key: order.map(i => names[i]).join(','), normals: order.map(i => corners[i].normal) };
}

// Writes the file as Coin needs it: with a header, which files that others inline may lack; and without normalPerVertex
// FALSE, by which Coin makes faces flat though it says only how the normals of the field are meant.
function prepare(file) {
    const text = fs.readFileSync(file, 'latin1').replace(/normalPerVertex\s+FALSE/g, '');
    const copy = workFile('prepared.wrl');
    fs.writeFileSync(copy, text.startsWith('#VRML') ? text : `#VRML V2.0 utf8\n${text}`, 'latin1');
    return copy;
}

// The angles between Coin's normals and ours; and how many triangles have no partner.
function compare(input) {
    const file = prepare(input), wanted = triangles(file).filter(({ angle, own }) => angle > 0 && !own);
    if (wanted.length === 0)
        return null;
    const got = triangles(convert(file, workFile('world.wrl'), 'up=y', 'scenery=no', 'clicks=no'));
    const size = Math.max(...wanted.flatMap(({ corners }) => corners.flatMap(({ place }) => place.map(Math.abs))));
    const known = new Map(got.map(triangle => keyed(triangle, 1e-4 * size)).map(({ key, normals }) => [key, normals]));
    const angles = [];
    let alone = 0;
    for (const triangle of wanted) {
        const { key, normals } = keyed(triangle, 1e-4 * size), ours = known.get(key);
        if (!ours)
            alone++;
        else // Coin has none for faces without area
            angles.push(...normals.map((normal, i) => (dot(normal, normal) > 0.5 ? degrees(normal, ours[i]) : 0)));
    }
    return { triangles: wanted.length, alone, angles: angles.sort((a, b) => a - b) };
}

const exempt = {
    'house.wrl': 'creaseAngle 3.14159 over thin plates and small lamps, where the weights alone decide the direction',
};
// Of two triangles on one side of an edge of 30 degrees and one on the other, Coin's sum is 5.1 degrees off the middle;
// flat faces would be 15 degrees off, everywhere.
const limits = { median: 4, most: 13, alone: 0.1 };

const files = [path.join(root, 'tests/cases/vrml97/crease.wrl'), ...corpusFiles('robots/vrml97', '.wrl')];
let compared = 0, corners = 0, most = 0;
for (const file of files) {
    const text = fs.readFileSync(file, 'latin1');
    if (!text.includes('creaseAngle') || text.startsWith('#VRML V1') || exempt[path.basename(file)])
        continue;
    const seen = compare(file);
    if (!seen)
        continue;
    const { angles, alone } = seen, median = angles[angles.length >> 1], last = angles[angles.length - 1];
    compared++;
    corners += angles.length;
    most = Math.max(most, last);
    if (alone > limits.alone * seen.triangles)
        fail(`${shortName(file)}: ${alone} of ${seen.triangles} triangles are not there`);
    if (!(median <= limits.median && last <= limits.most))
        fail(`${shortName(file)}: normals are ${median} degrees apart in the median, ${last} at most`);
}
finish(`${compared} files, ${corners} corners, at most ${most.toFixed(1)} degrees apart`);
