// STEP, IGES and BREP against what Open CASCADE and an independent reader of the text say of the same files
// (../shared/reference/step): names and places of all nodes, exact areas and volumes, and colours.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { readGlbLook } from '../real/readers/index.mjs';
import { fail, finish, identity, multiply, program, root, skip, workFile } from './lib.mjs';

const corpus = path.join(root, '../shared/corpus/step'),
    expected = path.join(root, '../shared/reference/step');
if (!fs.existsSync(expected)) skip('consumers/test_step needs ../shared/reference/step');

let checks = 0;
function check(holds, text) {
    checks++;
    if (!holds) fail(text);
}
const isNear = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

// ---- the tree ----

// A name of an instance that programs make up says less than the product's.
const saysSomething = name => !/^\s*$|^(NAUO)?[\d\s]*$|^\*/.test(name);

// The kernel reads bytes of Latin-1 as UTF-8; the reader of the text does not.
const misread = { 'Geh㴳e': 'Gehäuse' };

// The nodes that the scene shall have: a shape without a product belongs to the node above.
function expectedNodes(kernel, stem) {
    const nodes = [];
    for (const entry of kernel.tree) {
        const product = kernel.products[entry.product],
            above = nodes[entry.parent],
            matrix = entry.matrix ?? identity,
            name = saysSomething(entry.name) ? entry.name : product.name || stem;
        nodes.push({
            name: misread[name] ?? name,
            world: above ? multiply(above.world, matrix) : matrix,
            isHidden: above?.isHidden || entry.hidden || product.hidden,
            isLoose: above && product.anonymous,
        });
    }
    // Loose faces of IGES are one part.
    const isSoup = kernel.format === 'iges' && kernel.tree.every(entry => entry.parent < 0);
    return nodes.filter((node, i) => !node.isHidden && !node.isLoose && !(isSoup && i > 0));
}

const withoutBreaks = text => text.replace(/[\n\t]/g, ' ');

function compareTree(file, kernel, info) {
    const nodes = expectedNodes(kernel, path.basename(file).replace(/\.[^.]*$/, ''));
    check(nodes.length === info.frames.length - 1, `${file}: ${info.frames.length - 1} nodes, not ${nodes.length}`);
    nodes.forEach((node, i) => {
        const frame = info.frames[i + 1];
        if (!frame) return;
        check(withoutBreaks(frame.name) === withoutBreaks(node.name), `${file}: "${frame.name}", not "${node.name}"`);
        const size = Math.max(1, ...node.world.map(Math.abs));
        for (let k = 0; k < 12; k++)
            check(
                isNear(frame.world[k] * (k % 4 === 3 ? 1000 : 1), node.world[k], 1e-8 * size),
                `${file}: ${node.name} is elsewhere`
            );
    });
}

// ---- shapes ----

// Mapped items are placed wrongly by the kernel, and so is its volume of a mirrored solid.
const isMisplaced = file => /own_mapped|own_mirrored/.test(file);

function compareShapes(file, kernel, info) {
    const shown = kernel.products.filter(product => product.mesh && !product.hidden);
    const total = key => shown.reduce((sum, product) => sum + product.uses * (product[key] ?? 0), 0);
    const area = total('area_mm2') * 1e-6,
        volume = total('volume_mm3') * 1e-9;
    if (isMisplaced(file) || kernel.tree.some(entry => entry.hidden)) return;
    check(isNear(info.area, area, 0.01 * area + 1e-12), `${file}: area ${info.area}, not ${area}`);
    // Faces that the mesher leaves out in the reference are there here, so that exact volumes count for them, too.
    if (volume && shown.every(product => product.mesh.volume_error !== undefined))
        check(isNear(info.volume, volume, 0.01 * volume), `${file}: volume ${info.volume}, not ${volume}`);
}

// ---- colours ----

const byte = value => Math.round(255 * value).toString(16).padStart(2, '0');
const srgb = value => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

function compareColours(file, kernel, gltf) {
    const found = new Set(
        (gltf.materials ?? []).map(material => {
            const factor = material.pbrMetallicRoughness.baseColorFactor ?? [1, 1, 1, 1];
            return `#${[...factor.slice(0, 3).map(srgb), factor[3]].map(byte).join('')}`;
        })
    );
    const wanted = kernel.tree.filter(entry => entry.colour && !entry.hidden).map(entry => entry.colour);
    // The colour of an instance may replace that of its product everywhere.
    if (wanted.length === 0)
        for (const product of kernel.products)
            if (!product.hidden) wanted.push(...Object.keys(product.face_colours ?? {}).filter(one => one !== 'none'));
    for (const colour of wanted) check(found.has(colour), `${file}: no ${colour} among ${[...found]}`);
}

// The area that each colour shall have at least, of parts all of whose faces have one colour; rest: that of all others.
// Faces keep a colour of their own below a coloured instance; the reference only says which colours they have.
function expectedAreas(kernel) {
    const areas = new Map();
    let rest = 0;
    for (const entry of kernel.tree) {
        const product = kernel.products[entry.product],
            faces = Object.keys(product.face_colours ?? {}),
            isPlain = faces.length === 1 && (faces[0] === product.colour || faces[0] === 'none');
        let above = entry;
        while (isPlain && above && !above.colour) above = product.colour ? undefined : kernel.tree[above.parent];
        const colour = isPlain ? (above?.colour ?? faces[0]) : faces.length === 1 && !entry.colour ? faces[0] : undefined;
        if (colour) areas.set(colour.slice(0, 7), (areas.get(colour.slice(0, 7)) ?? 0) + (product.area_mm2 ?? 0) * 1e-6);
        else rest += (product.area_mm2 ?? 0) * 1e-6;
    }
    return { areas, rest };
}

const channelsOf = colour => [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255);

function compareAreas(file, kernel, look) {
    if (isMisplaced(file) || kernel.tree.some(entry => entry.hidden)) return;
    const { areas, rest } = expectedAreas(kernel);
    for (const [colour, area] of areas) {
        const wanted = colour === 'none' ? [0.6, 0.6, 0.6] : channelsOf(colour),
            found = Object.entries(look.base)
                .filter(([base]) => base.split(' ').every((value, i) => isNear(Number(value), wanted[i], 1 / 255)))
                .reduce((sum, [, share]) => sum + share * look.area, 0);
        check(found >= area - 0.01 * look.area && found <= area + rest + 0.01 * look.area,
            `${file}: ${found} m2 of ${colour}, not ${area} and at most ${rest} more`);
    }
}

let count = 0;
for (const name of fs.readdirSync(expected).filter(entry => entry.endsWith('.json')).sort()) {
    const { kernel } = JSON.parse(fs.readFileSync(path.join(expected, name)));
    const file = name.slice(0, -5).replace('s1-c5-214_', 's1-c5-214/');
    const stage = workFile('stage.glb'),
        gltf = workFile('out.gltf');
    const run = spawnSync(program, ['convert', '-q', path.join(corpus, file), stage, '--out', 'profile=stage']);
    check((run.status === 0) === Boolean(kernel?.read), `${file}: exit ${run.status}, ${run.stderr}`);
    count++;
    if (run.status !== 0 || !kernel?.read) continue;
    const info = JSON.parse(spawnSync(program, ['info', '--json', stage], { maxBuffer: 1 << 28 }).stdout);
    compareTree(file, kernel, info);
    compareShapes(file, kernel, info);
    if (spawnSync(program, ['convert', '-q', stage, gltf, '--out', 'colours=none']).status === 0) {
        compareColours(file, kernel, JSON.parse(fs.readFileSync(gltf)));
        compareAreas(file, kernel, readGlbLook(gltf));
    }
}

// A budget for the web: where surfaces that are read with a bound are nearer than simplified ones, they are taken.
function convertWithin(budget, ...options) {
    const out = workFile('budget.glb'),
        words = ['convert', '-v', path.join(corpus, 'as1-oc-214.stp'), out, '--out', 'web=yes', ...options];
    const { stderr } = spawnSync(program, [...words, '--out', `budget=${budget}`], { encoding: 'utf8' });
    const read = Number(/at most ([\d.e-]+) mm from the surface/.exec(stderr)?.[1]) * 1e-3,
        simplified = Number(/point is farther than ([\d.e-]+) m/.exec(stderr)?.[1]);
    return { size: fs.statSync(out).size, error: read + simplified };
}
const near = convertWithin(25000),
    plain = convertWithin(25000, '--in', 'deflection=0.1%');
check(near.size <= 25000 && plain.size <= 25000, `a budget of 25,000 bytes: ${near.size}, ${plain.size}`);
check(near.error < 0.8 * plain.error, `a budget of 25,000 bytes: ${near.error} m off, simplified ${plain.error} m`);

finish(`${count} files, ${checks} checks`);
