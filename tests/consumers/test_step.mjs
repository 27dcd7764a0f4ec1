// STEP, IGES and BREP against what Open CASCADE and an independent reader of the text say of the same files
// (../shared/reference/step): names and places of all nodes, exact areas and volumes, and colours.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { identity, multiply, program, root, workFile } from './lib.mjs';

const corpus = path.join(root, '../shared/corpus/step'), expected = path.join(root, '../shared/reference/step');
if (!fs.existsSync(expected)) {
    console.log('skipped: consumers/test_step needs ../shared/reference/step');
    process.exit(77);
}
let checks = 0, failures = 0;
function check(what, holds) {
    checks++;
    if (!holds && ++failures <= 40) console.log(`FAILED: ${what}`);
}
const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

// A name of an instance that programs make up says less than the product's.
const saysSomething = name => !/^\s*$|^(NAUO)?[\d\s]*$|^\*/.test(name);

// Nodes and the shapes at them, as cellpipe shall have them: a shape without a product belongs to the node above.
function expectedTree(kernel, stem) {
    const nodes = [];
    kernel.tree.forEach((entry, index) => {
        const product = kernel.products[entry.product], above = nodes[entry.parent];
        const matrix = entry.matrix ?? identity, world = above ? multiply(above.world, matrix) : matrix;
        const hidden = above?.hidden || entry.hidden || product.hidden;
        const isNode = !above || !product.anonymous;
        nodes.push({
            hidden, world, product,
            node: isNode ? index : above.node,
            name: saysSomething(entry.name) ? entry.name : product.name || stem,
        });
    });
    return nodes;
}

function compareTree(file, kernel, info) {
    const nodes = expectedTree(kernel, path.basename(file).replace(/\.[^.]*$/, '')).filter(node => !node.hidden);
    const wanted = nodes.filter((node, index) => node.node === kernel.tree.indexOf(kernel.tree[node.node]) && nodes.findIndex(other => other.node === node.node) === index);
    check(`${file}: ${wanted.length} nodes, not ${info.frames.length - 1}`, wanted.length === info.frames.length - 1);
    wanted.forEach((node, i) => {
        const frame = info.frames[i + 1];
        const clean = node.name.replace(/[\n\t]/g, ' ');
        check(`${file}: node ${i} is ${JSON.stringify(node.name)}, not ${JSON.stringify(frame?.name)}`,
            frame && frame.name.replace(/[\n\t]/g, ' ') === clean);
        const size = Math.max(1, ...node.world.map(Math.abs));
        for (let k = 0; frame && k < 12; k++)
            check(`${file}: ${node.name} is elsewhere`,
                near(frame.world[k] * (k % 4 === 3 ? 1000 : 1), node.world[k], 1e-8 * size));
    });
}

function compareShapes(file, kernel, info) {
    const shown = kernel.products.filter(product => product.mesh);
    const total = kind => kernel.products.reduce((sum, product) => sum + (product.hidden ? 0 : product.uses * (product[kind] ?? 0)), 0);
    const lost = shown.some(product => product.mesh.faces_without);
    if (lost || /own_mapped|own_layers_hidden|own_mirrored/.test(file)) return;
    const volume = total('volume_mm3') * 1e-9, area = total('area_mm2') * 1e-6;
    const worst = Math.max(0, ...shown.map(product => Math.abs(product.mesh.volume_error ?? 0)));
    check(`${file}: area ${info.area}, not ${area}`, near(info.area, area, 0.02 * area + 1e-12));
    if (volume && shown.every(product => product.mesh.volume_error !== undefined))
        check(`${file}: volume ${info.volume}, not ${volume}`, near(info.volume, volume, (1.2 * worst + 0.001) * Math.abs(volume)));
}

const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

function compareColours(file, kernel, dump) {
    const colours = new Set();
    for (const product of kernel.products)
        if (!product.hidden)
            for (const colour of Object.keys(product.face_colours ?? {})) colours.add(colour);
    const hex = value => Math.round(255 * value).toString(16).padStart(2, '0');
    const found = new Set((dump.materials ?? []).map(material => {
        const factor = material.pbrMetallicRoughness.baseColorFactor ?? [1, 1, 1, 1];
        const srgb = factor.slice(0, 3).map(value => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
        return '#' + [...srgb, factor[3]].map(hex).join('');
    }));
    // An instance's colour may replace its product's everywhere, so those are not asked for.
    const instance = kernel.tree.some(entry => entry.colour);
    for (const colour of colours)
        if (colour !== 'none' && !instance) check(`${file}: no ${colour} in ${[...found]}`, found.has(colour));
    for (const entry of kernel.tree)
        if (entry.colour && !entry.hidden) check(`${file}: no ${entry.colour} in ${[...found]}`, found.has(entry.colour));
}

for (const name of fs.readdirSync(expected).filter(entry => entry.endsWith('.json')).sort()) {
    const { kernel } = JSON.parse(fs.readFileSync(path.join(expected, name)));
    const file = name.slice(0, -5).replace('s1-c5-214_', 's1-c5-214/');
    const run = spawnSync(program, ['info', '--json', path.join(corpus, file)], { maxBuffer: 1 << 28 });
    const isRead = kernel?.read ?? false;
    check(`${file}: exit ${run.status} ${run.stderr}`, (run.status === 0) === isRead);
    if (run.status !== 0 || !isRead) continue;
    const info = JSON.parse(run.stdout);
    compareTree(file, kernel, info);
    compareShapes(file, kernel, info);
    const glb = workFile('out.gltf');
    if (spawnSync(program, ['convert', '-q', path.join(corpus, file), glb]).status === 0)
        compareColours(file, kernel, JSON.parse(fs.readFileSync(glb)));
}
console.log(`${checks} checks, ${failures} failures`);
process.exit(failures ? 1 : 0);
