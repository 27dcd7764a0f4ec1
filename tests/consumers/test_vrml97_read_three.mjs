// VRML97 files as three's VRMLLoader reads them, beside the GLB that they become: the same shapes, each with as many
// square metres in the same place and with the same colours. It reads by recursion, so it has a thread with more stack.
import fs from 'node:fs';
import path from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';
import { Box3, Triangle, Vector3 } from 'three';
import { VRMLLoader } from 'three/examples/jsm/loaders/VRMLLoader.js';
import { measureGlb } from './glb_measures.mjs';
import { corpusFiles, fail, finish, near, program, root, run, shortName, workFile } from './lib.mjs';

console.warn = console.error = () => {};

// What three does not read, or reads in another way than the standard says. Coin agrees with cellpipe on the boxes of
// the grids and extrusions.
const exemptWords = [
    [/\b(Inline|EXTERNPROTO|PROTO)\b/, 'three has neither further files nor prototypes'],
    [/\b(Switch|LOD|Billboard)\b/, 'three leaves these groups out'],
    [/\b(center|scaleOrientation)\b/, 'three leaves out these fields of a Transform'],
    [/\b(proxy|collide)\b/, 'three shows what only collides'],
    [/Material\s*\{(?![^}]*diffuseColor)/, 'three takes white for the diffuseColor of 0.8 that is not given'],
    [/ElevationGrid/, 'three takes the rows of an ElevationGrid for columns'],
];
const exemptNames = {
    'below_zero.wrl': 'three shows a sphere of a radius below zero',
    'colour_few.wrl': 'three shows colours that are not there',
    'corner_gone.wrl': 'three makes points that are not there of indices that are too high',
    'extrusion_across.wrl': 'three does not turn the cross-section along the spine',
    'extrusion_bend.wrl': 'three does not turn the cross-section along the spine',
    'extrusion_ring.wrl': 'three does not turn the cross-section along the spine',
    'extrusion_zigzag.wrl': 'three does not turn the cross-section along the spine',
    'extrusion_turned.wrl': 'three makes no points of a single orientation for all of the spine',
    'grid_range.wrl': 'numbers that are out of range, an error',
    'no_string.wrl': 'a number for a string, an error',
    'number.wrl': 'a word for a number, an error',
    'returns.wrl': 'a number that is missing, an error',
    'tessellatewcombine.wrl': 'three cuts a concave face with colours into a fan',
};

// The shape of a mesh of three: area, box and the mean colour, in light. Colours of vertices take the place of the
// material's, which three multiplies; without a Material a shape is white, and not black as in three.
function shapeOf(mesh) {
    const { index, attributes: { position, color } } = mesh.geometry, corners = index ? index.count : position.count;
    const { color: whole } = mesh.material, box = new Box3(), sum = [0, 0, 0], triangle = new Triangle(), points = [0, 0, 0];
    let area = 0;
    for (let i = 0; i < corners; i += 3) {
        const rows = [0, 1, 2].map(k => (index ? index.getX(i + k) : i + k));
        rows.forEach((row, k) => {
            points[k] = new Vector3().fromBufferAttribute(position, row).applyMatrix4(mesh.matrixWorld);
            box.expandByPoint(points[k]);
        });
        const own = triangle.set(...points).getArea();
        area += own;
        for (const row of rows)
            ['r', 'g', 'b'].forEach((channel, k) => {
                sum[k] += own * (color ? color.getComponent(row, k) : mesh.material.isMeshBasicMaterial ? 1 : whole[channel]) / 3;
            });
    }
    const [a, b] = [box.min.toArray(), box.max.toArray()]; // Y up
    return { area, box: [[a[0], -b[2], a[1]], [b[0], -a[2], b[1]]], colour: sum.map(value => value / area) };
}

// Faces on a line have no area but for rounding.
const hasArea = ({ area, box }) => area > 1e-12 * Math.max(...box.flat().map(Math.abs)) ** 2;

// Round shapes are counted: three has them with other sides. Its Background is spheres as large as a world.
function shapesOfThree(text) {
    const scene = new VRMLLoader().parse(text, ''), shapes = [];
    let round = 0;
    scene.updateMatrixWorld(true);
    scene.traverse(object => {
        if (!object.isMesh)
            return;
        if (/^(Cylinder|Cone|Sphere)Geometry$/.test(object.geometry.type))
            round += object.geometry.parameters.radius !== 1e4;
        else
            shapes.push(shapeOf(object));
    });
    return { shapes: shapes.filter(hasArea), round };
}

function shapesOfGlb(file) {
    return measureGlb(file).parts.filter(part => part.mode === 4 && hasArea(part)).map(part => {
        const base = part.material?.pbrMetallicRoughness?.baseColorFactor ?? [1, 1, 1, 1];
        const colour = base.slice(0, 3).map((value, k) => value * (part.coloured ? part.colour[k] / part.area : 1));
        return { area: part.area, box: part.box, colour };
    });
}

function compare(input, text, { shapes, round }) {
    const file = workFile('bare.wrl'), glb = workFile('bare.glb');
    fs.writeFileSync(file, text, 'latin1');
    const { code, stderr } = run(program, 'convert', '-q', file, glb, '--in', 'up=y', '--out', 'normals=none');
    if (code !== 0)
        return fail(`${shortName(input)}: exit ${code} ${stderr.slice(0, 200)}`);
    const rest = shapesOfGlb(glb);
    for (const shape of shapes) {
        const room = 1e-5 * Math.max(...shape.box.flat().map(Math.abs)), beside = other => near(other.box, shape.box, room);
        const same = rest.findIndex(other => beside(other) && near(other.area, shape.area, 1e-4 * shape.area) &&
            near(other.colour, shape.colour, 0.003));
        if (same >= 0)
            rest.splice(same, 1);
        else
            fail(`${shortName(input)}: ${JSON.stringify(shape)} is not there, but ${JSON.stringify(rest.find(beside))}`);
    }
    if (rest.length !== round)
        fail(`${shortName(input)}: ${rest.length} more shapes, not ${round}`);
}

// The text without textures, for which three needs a browser, and with the header that inlined files may lack.
function readText(file) {
    const text = fs.readFileSync(file, 'latin1')
        .replace(/texture\s+(USE\s+\w+|(DEF\s+\w+\s+)?(Image|Pixel)Texture\s*\{[^}]*\})/g, '');
    return text.startsWith('#') ? text : `#VRML V2.0 utf8\n${text}`;
}

function compareAll() {
    const cases = path.join(root, 'tests/cases/vrml97');
    const own = fs.readdirSync(cases).filter(name => name.endsWith('.wrl')).sort().map(name => path.join(cases, name));
    const samples = fs.readdirSync(path.join(root, 'samples')).filter(name => name.endsWith('.wrl')).sort()
        .map(name => path.join(root, 'samples', name));
    let count = 0, shapes = 0, refused = 0;
    for (const file of [...own, ...samples, ...corpusFiles('robots/vrml97', '.wrl')]) {
        const name = path.basename(file), text = readText(file);
        if (/bomb|huge/.test(name) || exemptNames[name] || exemptWords.some(([words]) => words.test(text)))
            continue;
        let seen;
        try {
            seen = shapesOfThree(text);
        } catch { // its grammar is smaller
            refused++;
            continue;
        }
        compare(file, text, seen);
        count++;
        shapes += seen.shapes.length;
    }
    if (count < 60)
        fail(`three reads only ${count} files`);
    finish(`${count} files, ${shapes} shapes; three refuses ${refused}`);
}

if (isMainThread)
    new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), resourceLimits: { stackSizeMb: 200 } })
        .on('exit', code => process.exit(code));
else
    compareAll();
