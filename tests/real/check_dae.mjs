// check_dae.mjs CORPUS REFERENCE: our reader of COLLADA against values that another reader has found, one JSON a file
// (REFERENCE/*.json, and made.json with values by hand). Neither folder is part of this repository.
import fs from 'node:fs';
import path from 'node:path';
import { readLook } from './readers/index.mjs';
import { Refused } from './readers/look.mjs';

const [corpus, reference] = process.argv.slice(2);
const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b), 1e-12);
const json = name => JSON.parse(fs.readFileSync(path.join(reference, name), 'utf8'));
const sum = list => list.reduce((total, value) => total + value, 0);
let checked = 0, wrong = 0;

function shapeFaults(look, want) {
    const faults = [], longest = want.box ? Math.max(...[0, 1, 2].map(i => want.box[1][i] - want.box[0][i])) : 0;
    for (const [key, found] of [['triangles', look.triangles], ['lines', look.lines], ['line_segments', look.lines]])
        if (want[key] !== undefined && want[key] !== found)
            faults.push(`${key} ${found} for ${want[key]}`);
    if (want.area !== undefined && !near(look.area, want.area, 1e-5) && Math.abs(look.area - want.area) > 1e-9)
        faults.push(`area ${look.area} for ${want.area}`);
    if (want.volume !== undefined && Math.abs(look.volume - want.volume) > 1e-5 * Math.max(want.area * longest, 1e-12))
        faults.push(`volume ${look.volume} for ${want.volume}`);
    if (want.box && look.triangles + look.lines > 0)
        for (const [k, found] of [look.lower, look.upper].entries())
            if (found.some((value, i) => Math.abs(value - want.box[k][i]) > 1e-6 * longest + 1e-9))
                faults.push(`box ${found} for ${want.box[k]}`);
    return faults;
}

// Areas by a key of the materials, as shares of the whole.
function sharesOf(materials, keyOf) {
    const whole = sum(materials.map(material => material.area)), shares = {};
    for (const material of materials) {
        const key = keyOf(material);
        if (key !== null && material.area > 0)
            shares[key] = (shares[key] ?? 0) + material.area / whole;
    }
    return shares;
}
const sameShares = (a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .every(key => Math.abs((a[key] ?? 0) - (b[key] ?? 0)) < 1e-4);

function lookFaults(look, want) {
    const faults = [], materials = want.materials ?? [];
    if (!materials.length)
        return faults;
    const isTextured = material => material.texture && material.texture_found !== 'missing' && material.uv_triangles !== 0 &&
        want.loss !== 'coordinates';
    const textured = sum(Object.values(sharesOf(materials.filter(isTextured), () => 'all'))) === 0 ? 0
        : sharesOf(materials, material => isTextured(material) ? 'yes' : 'no').yes ?? 0;
    if (Math.abs(sum(Object.values(look.images)) - textured) > 1e-4)
        faults.push(`textured ${sum(Object.values(look.images))} for ${textured}`);
    // What the reference has no colour for (no material, or no diffuse colour) is told apart by it alone.
    if (!look.coloured && materials.every(material => material.rgb && !material.texture)) {
        const base = sharesOf(materials, material => material.rgb.map(value => value.toFixed(3)).join(' '));
        if (!sameShares(base, look.base))
            faults.push(`colours ${JSON.stringify(look.base)} for ${JSON.stringify(base)}`);
    }
    if (materials.every(material => material.alpha !== undefined)) {
        const alpha = sum(Object.entries(sharesOf(materials, material => String(material.alpha)))
            .map(([value, share]) => value * share)), found = sum(Object.entries(look.alphas).map(([level, share]) => level / 4 * share));
        if (Math.abs(alpha - found) > 1e-4)
            faults.push(`alpha ${found} for ${alpha}`);
    }
    if (want.vertex_colours && look.vertexColours?.some((value, i) => Math.abs(value - want.vertex_colours.mean_linear[i]) > 1e-4))
        faults.push(`vertex colours ${look.vertexColours} for ${want.vertex_colours.mean_linear}`);
    return faults;
}

function check(file, want) {
    checked++;
    let faults;
    try {
        const look = readLook(file, corpus);
        const skewed = fs.readFileSync(file).includes('<skew'); // readers do not agree on what it means
        faults = want.error ? ['read, and to be refused'] : [...skewed ? [] : shapeFaults(look, want), ...lookFaults(look, want)];
    } catch (error) {
        const mayRefuse = want.error || want.error_or_same || want.error_or_loss;
        faults = error instanceof Refused && mayRefuse ? [] : [`${error.constructor.name}: ${error.message}`];
    }
    if (faults.length) {
        wrong++;
        console.log(`wrong ${path.relative(corpus, file)}: ${faults.join('; ')}`);
    }
}

for (const [name, want] of Object.entries(json('made.json')))
    check(path.join(corpus, 'made', name), want);
for (const name of fs.readdirSync(reference).filter(each => /\.json$/.test(each) && !each.startsWith('made'))) {
    const want = json(name), file = [want.file, path.join('real', want.file)].map(each => path.join(corpus, each)).find(fs.existsSync);
    if (file)
        check(file, want);
}
console.log(`${checked} files, ${wrong} wrong`);
process.exit(checked > 0 && wrong === 0 ? 0 : 1);
