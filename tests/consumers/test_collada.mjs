// COLLADA against an independent reader of the same files (../shared/reference/dae): triangles, areas, boxes, colours,
// opacity, textures, names and poses; and against small files with values by hand, where each has one rule to show.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { imageOf, measureGlb } from './glb_measures.mjs';
import { fail, finish, multiply, program, readScene, root, skip, workFile, worldPoses } from './lib.mjs';

const corpus = path.join(root, '../shared/corpus/dae'),
    reference = path.join(root, '../shared/reference/dae');
if (!fs.existsSync(reference)) skip('consumers/test_collada needs ../shared/reference/dae');

let checks = 0;
function check(holds, text) {
    checks++;
    if (!holds) fail(text);
}
const isNear = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
const srgb = value => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
const sum = (list, key) => list.reduce((total, entry) => total + entry[key], 0);

// ---- our output ----

function read(file) {
    const glb = workFile('out.glb'),
        report = workFile('report.json');
    const run = spawnSync(program, ['convert', '-q', '--confine=no', file, glb, '--report', report]);
    const entries = fs.existsSync(report) ? JSON.parse(fs.readFileSync(report)).entries ?? [] : [];
    const measured = run.status === 0 ? measureGlb(glb) : null;
    return { status: run.status, stderr: String(run.stderr), entries, ...measured };
}

const rgbOf = material => {
    const factor = material?.pbrMetallicRoughness?.baseColorFactor ?? [1, 1, 1, 1];
    return factor.slice(0, 3).map(srgb);
};
const alphaOf = material => (material?.alphaMode === 'BLEND' ? material.pbrMetallicRoughness?.baseColorFactor?.[3] ?? 1 : 1);
const sameColour = (a, b) => a.every((value, i) => isNear(value, b[i], 1e-3));

function checkBox(file, parts, box, size) {
    for (let side = 0; side < 2; side++)
        for (let axis = 0; axis < 3; axis++) {
            const found = (side ? Math.max : Math.min)(...parts.map(part => part.box[side][axis]));
            check(isNear(found, box[side][axis], 2e-6 * size + 1e-9), `${file}: box ${found}, not ${box[side][axis]}`);
        }
}

const sizeOf = box => Math.max(...box[0].map((low, axis) => Math.max(box[1][axis] - low, Math.abs(low), Math.abs(box[1][axis]))), 1e-9);

// ---- files with values by hand ----

// What the words of the list say of the report.
const codes = {
    number: 'comma', unit: 'unit', scene: 'scene', id: 'id', count: 'count', alpha: /transparent|vertex-alpha/, material: 'symbol',
    image: /sampler|image-path/, blank: 'blanks', zero: 'end', end: 'end', encoding: 'encoding', normal: 'normals', accessor: 'accessor',
    manifest: 'manifest', skew: 'skew', file: 'file', scenes: 'scenes', hull: 'hull', spline: 'spline', coordinates: 'coordinates',
    skin: 'skin', animation: 'animation', camera: 'camera',
};

function checkReport(file, entries, severity, word) {
    const wanted = codes[word],
        found = entries.filter(entry => entry.severity === severity).map(entry => entry.code);
    check(found.some(code => (typeof wanted === 'string' ? code === `collada-${wanted}` : wanted.test(code))),
        `${file}: no ${severity} "${word}" among ${found}`);
}

function matches(part, wanted) {
    if (wanted.emission) return sameColour((part.material?.emissiveFactor ?? [0, 0, 0]).map(srgb), wanted.emission);
    if (wanted.rgb === null) return part.material === undefined || part.material.extras?.cellpipe?.made === 'default';
    if (wanted.rgb) return sameColour(rgbOf(part.material), wanted.rgb);
    return true;
}

function checkMadeMaterial(file, made, wanted) {
    const parts = made.parts.filter(part => part.mode === 4 && matches(part, wanted));
    check(isNear(sum(parts, 'area'), wanted.area, 1e-5), `${file}: ${JSON.stringify(wanted)}: area ${sum(parts, 'area')}`);
    for (const part of parts) {
        if (wanted.alpha !== undefined) check(isNear(alphaOf(part.material), wanted.alpha, 1e-6), `${file}: alpha of ${wanted.rgb}`);
        if (wanted.double_sided) check(part.material.doubleSided === true, `${file}: ${wanted.rgb} has one side`);
        if (wanted.texture === null) check(!part.texture, `${file}: a texture`);
        if (!wanted.uv_max) continue;
        check(part.texture && part.coordinates, `${file}: no texture`);
        if (!part.coordinates) continue;
        const most = [Math.max(...part.coordinates.map(uv => uv[0])), Math.max(...part.coordinates.map(uv => 1 - uv[1]))];
        check(isNear(most[0], wanted.uv_max[0], 1e-6) && isNear(most[1], wanted.uv_max[1], 1e-6), `${file}: coordinates to ${most}`);
        check(sameColour(rgbOf(part.material), [1, 1, 1]), `${file}: the texture is tinted`);
    }
    if (wanted.sampler) {
        const { sampler } = imageOf(made.glb, parts[0].texture);
        check(sampler.wrapS === 33071 && sampler.wrapT === 33648 && sampler.minFilter === 9728 && sampler.magFilter === 9729,
            `${file}: sampler ${JSON.stringify(sampler)}`);
    }
}

function checkImage(file, made, image) {
    if (file === 't17_uri_model.dae') return; // model:// is looked up here, as Gazebo does
    const textured = made.parts.filter(part => part.texture);
    if (image === null) {
        check(textured.length === 0 && made.entries.some(entry => entry.code === 'collada-image'), `${file}: an image`);
        return;
    }
    check(textured.length > 0, `${file}: no image`);
    const inArchive = file.endsWith('.zae');
    if (textured.length === 0) return;
    const { bytes } = imageOf(made.glb, textured[0].texture);
    const wanted = fs.readFileSync(path.join(corpus, 'made', inArchive ? 'tex/red.png' : image));
    check(inArchive ? bytes.length > 0 : wanted.equals(bytes), `${file}: another image`);
}

function checkMade(file, wanted) {
    const made = read(path.join(corpus, 'made', file));
    if (wanted.error || (wanted.error_or_loss && made.status) || (wanted.error_or_same && made.status)) {
        check(made.status === 3, `${file}: exit ${made.status}, ${made.stderr}`);
        const error = made.entries.find(entry => entry.severity === 'error');
        check(error?.line > 0, `${file}: an error without its line`);
        return;
    }
    check(made.status === 0, `${file}: ${made.stderr}`);
    if (made.status !== 0) return;
    const faces = made.parts.filter(part => part.mode === 4);
    check(sum(faces, 'triangles') === wanted.triangles, `${file}: ${sum(faces, 'triangles')} triangles, not ${wanted.triangles}`);
    for (const key of ['area', 'volume'])
        if (wanted[key] !== undefined)
            check(isNear(sum(faces, key), wanted[key], 1e-5 * wanted[key]) || /far/.test(file), `${file}: ${key} ${sum(faces, key)}`);
    if (wanted.box) checkBox(file, made.parts, wanted.box, sizeOf(wanted.box));
    if (wanted.lines !== undefined)
        check(sum(made.parts, 'segments') === wanted.lines, `${file}: ${sum(made.parts, 'segments')} lines`);
    if (wanted.vector_area)
        wanted.vector_area.forEach((v, k) => check(isNear(sum(faces.map(part => ({ v: part.vector[k] })), 'v'), v, 1e-6), `${file}: vector area`));
    if (wanted.warning) checkReport(file, made.entries, 'warning', wanted.warning);
    if (wanted.loss) checkReport(file, made.entries, 'loss', wanted.loss);
    for (const material of wanted.materials ?? []) checkMadeMaterial(file, made, material);
    if (wanted.uv) check(faces.every(part => part.hasCoordinates), `${file}: no coordinates`);
    if (wanted.image !== undefined) checkImage(file, made, wanted.image);
    if (wanted.vertex_colour) {
        const area = sum(faces, 'area');
        const mean = [0, 1, 2].map(k => srgb(sum(faces.map(part => ({ c: part.colour[k] })), 'c') / area));
        check(sameColour(mean, wanted.vertex_colour), `${file}: colour ${mean}`);
        check(faces.every(part => part.alpha === 1), `${file}: alpha of vertices`);
    }
    const names = (wanted.nodes ?? []).filter(name => name !== null);
    for (const name of names) check(made.nodes.some(node => node.name === name), `${file}: no node ${name}`);
}

const made = JSON.parse(fs.readFileSync(path.join(reference, 'made.json')));
for (const [file, wanted] of Object.entries(made)) checkMade(file, wanted);

// ---- real files, and those of conformance ----

// The worlds of the reference have the file's axes and unit in them; ours are turned back by those of the root.
function checkNodes(file, wanted, found) {
    const names = new Map();
    const nameOf = node => (wanted.nodes.some(one => one.name === node.name) ? node.name : node.name?.replace(/_\d+$/, '')); // names are made unique
    for (const node of found.nodes) names.set(nameOf(node), [...(names.get(nameOf(node)) ?? []), node]);
    for (const node of wanted.nodes) {
        const name = node.name || node.id;
        if (!name) continue;
        const place = [3, 7, 11].map(i => node.world[i]),
            size = Math.max(1, ...place.map(Math.abs));
        const there = (names.get(name) ?? []).some(one => [3, 7, 11].every((i, k) => isNear(one.world[i], place[k], 1e-5 * size)));
        check(there, `${file}: node "${name}" is not at ${place}`);
    }
}

// The corpus has some of the pictures.
const pictures = new Set(fs.readdirSync(corpus, { recursive: true }).filter(name => /\.(png|jpe?g)$/i.test(name))
    .map(name => path.basename(name)));
const hasPicture = name => !/tga$/.test(name) && pictures.has(path.basename(decodeURIComponent(name.replaceAll('\\', '/'))));

function checkMaterials(file, wanted, faces) {
    const total = new Map();
    for (const material of wanted.materials) {
        if (!material.rgb || material.texture || material.bound === 'none') continue;
        const key = JSON.stringify([material.rgb, material.alpha]);
        total.set(key, (total.get(key) ?? 0) + material.area);
    }
    for (const [key, area] of total) {
        const [rgb, alpha] = JSON.parse(key);
        const parts = faces.filter(part => part.material && !part.texture && sameColour(rgbOf(part.material), rgb.map(v => Math.min(1, Math.max(0, v)))) &&
            isNear(alphaOf(part.material), alpha, 1e-4));
        check(sum(parts, 'area') >= area * (1 - 1e-2) - 1e-12, `${file}: area of ${key} is ${sum(parts, 'area')}, not ${area}`);
    }
    const isPacked = file.endsWith('.zae'); // with its pictures
    const textured = wanted.materials.filter(material => material.texture && material.uv_triangles &&
        (isPacked || hasPicture(material.texture)));
    const area = sum(textured, 'area');
    const found = sum(faces.filter(part => part.texture), 'area');
    const tolerance = wanted.area_if_fanned || wanted.ngons ? 1e-2 : 1e-3;
    check(isNear(found, area, tolerance * area + 1e-12), `${file}: textured area ${found}, not ${area}`);
    for (const material of textured) {
        if (!material.uv_min) continue;
        const uv = faces.filter(part => part.texture).flatMap(part => Array.from(part.corners, corner => part.coordinates?.[corner] ?? [0, 0]));
        for (let axis = 0; axis < 2 && textured.length === 1; axis++) {
            const values = uv.map(pair => (axis ? 1 - pair[1] : pair[0]));
            const least = values.reduce((a, b) => Math.min(a, b), Infinity), most = values.reduce((a, b) => Math.max(a, b), -Infinity);
            check(isNear(least, material.uv_min[axis], 1e-4 * (1 + Math.abs(least))) && isNear(most, material.uv_max[axis], 1e-4 * (1 + Math.abs(most))),
                `${file}: coordinates from ${least} to ${most}, not ${material.uv_min[axis]} to ${material.uv_max[axis]}`);
        }
    }
}

function checkReal(wanted) {
    const folder = wanted.file.startsWith('cts/') ? corpus : path.join(corpus, 'real'),
        file = wanted.file.replace(/^.*\//, '');
    const found = read(path.join(folder, wanted.file));
    if (wanted.error) {
        check(found.status === 3 || sum(found.parts, 'triangles') === 0, `${file}: exit ${found.status}`);
        return;
    }
    check(found.status === 0, `${wanted.file}: ${found.stderr}`);
    if (found.status !== 0) return;
    if (/skew/.test(file)) { // readers do not agree; a loss
        checkReport(file, found.entries, 'loss', 'skew');
        return;
    }
    const faces = found.parts.filter(part => part.mode === 4);
    check(sum(faces, 'triangles') === wanted.triangles, `${file}: ${sum(faces, 'triangles')} triangles, not ${wanted.triangles}`);
    check(sum(found.parts, 'segments') === wanted.line_segments, `${file}: ${sum(found.parts, 'segments')} lines, not ${wanted.line_segments}`);
    const tolerance = wanted.area_if_fanned || wanted.ngons ? 1e-2 : 1e-5;
    check(isNear(sum(faces, 'area'), wanted.area, tolerance * wanted.area), `${file}: area ${sum(faces, 'area')}, not ${wanted.area}`);
    // The reference cuts the angle 147,423584 of one file at its comma.
    if (wanted.box && found.parts.length && !/earthCylindrical/.test(file)) checkBox(file, found.parts, wanted.box, sizeOf(wanted.box));
    checkMaterials(file, wanted, faces);
    checkNodes(file, wanted, found);
    if (wanted.vertex_colours) {
        const coloured = faces.filter(part => part.coloured), area = sum(coloured, 'area');
        check(isNear(area, wanted.vertex_colours.area, 1e-3 * area), `${file}: coloured area ${area}`);
        const mean = [0, 1, 2].map(k => sum(coloured.map(part => ({ c: part.colour[k] })), 'c') / area);
        check(mean.every((v, k) => isNear(v, wanted.vertex_colours.mean_linear[k], 1e-3)), `${file}: mean colour ${mean}, not ${wanted.vertex_colours.mean_linear}`);
    }
}

let count = 0;
for (const name of fs.readdirSync(reference).filter(entry => entry.endsWith('.json') && !/^made/.test(entry)).sort()) {
    checkReal(JSON.parse(fs.readFileSync(path.join(reference, name))));
    count++;
}

// ---- joints and clips ----

const degrees = radians => radians * 180 / Math.PI;
const dot = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);

// Where a joint is in the world, and its axis, with all joints at home.
function placeOf(scene, worlds, joint) {
    const world = worlds.get(joint.node), before = worlds.get(scene.nodes.get(joint.node).parent);
    const turn = multiply(before, scene.nodes.get(joint.node).local);
    return { at: [world[3], world[7], world[11]], axis: [0, 4, 8].map(row => dot(turn.slice(row, row + 3), joint.axis)) };
}

function checkJoint(file, scene, worlds, joint, wanted) {
    const found = placeOf(scene, worlds, joint), text = `${file}: joint ${joint.name}`;
    check(wanted.at.every((value, i) => isNear(value, found.at[i], 1e-9)), `${text} at ${found.at}, not ${wanted.at}`);
    check(wanted.axis.every((value, i) => isNear(value, found.axis[i], 1e-9)), `${text}: axis ${found.axis}, not ${wanted.axis}`);
}

function checkLimits(file, joint, wanted) {
    const limit = value => (joint.type === 'revolute' ? degrees(value) : value);
    check(joint.type === wanted.type, `${file}: joint ${joint.name} is ${joint.type}`);
    check(isNear(limit(joint.lower), wanted.min, 1e-9) && isNear(limit(joint.upper), wanted.max, 1e-9),
        `${file}: joint ${joint.name} goes from ${limit(joint.lower)} to ${limit(joint.upper)}`);
}

// The reader of the reference does not follow instance_joint; it then has the places in the order of the bindings.
function checkKinematics({ file, kinematics }) {
    const scene = readScene(path.join(corpus, 'real', file)), worlds = worldPoses(scene, new Map()), joints = [...scene.joints.values()];
    check(joints.length === kinematics.joints.length, `${file}: ${joints.length} joints, not ${kinematics.joints.length}`);
    kinematics.bind_joint_axis.forEach((wanted, i) => {
        const joint = wanted.joint ? joints.find(entry => entry.name === wanted.joint) : joints[i];
        check(joint, `${file}: no joint ${wanted.joint}`);
        if (!joint) return;
        checkJoint(file, scene, worlds, joint, wanted);
        check(isNear(degrees(joint.home), wanted.value, 1e-9), `${file}: joint ${joint.name} is at ${joint.home}`);
        checkLimits(file, joint, kinematics.joints.find(entry => entry.name === joint.name));
    });
}

let robots = 0;
for (const name of fs.readdirSync(reference).filter(entry => entry.endsWith('.json') && !/^made/.test(entry)).sort()) {
    const wanted = JSON.parse(fs.readFileSync(path.join(reference, name)));
    if (!wanted.kinematics) continue;
    checkKinematics(wanted);
    robots++;
}
for (const [file, { joints: wanted }] of Object.entries(made).filter(entry => entry[1].joints)) {
    const scene = readScene(path.join(corpus, 'made', file)), worlds = worldPoses(scene, new Map());
    check(scene.joints.size === wanted.length, `${file}: ${scene.joints.size} joints`);
    for (const entry of wanted) {
        const joint = [...scene.joints.values()].find(one => one.name === entry.name);
        check(joint && scene.nodes.get(joint.node).name === entry.node, `${file}: joint ${entry.name} is not at ${entry.node}`);
        if (!joint) continue;
        checkJoint(file, scene, worlds, joint, entry);
        checkLimits(file, joint, entry);
    }
}
check(robots >= 3, `${robots} files with kinematics`);

// The made clips: an angle about z, or a way along x.
for (const [file, { animation }] of Object.entries(made).filter(entry => entry[1].animation?.at)) {
    const [track] = readScene(path.join(corpus, 'made', file)).clips[0].tracks;
    check(track.times.at(-1) === animation.end, `${file}: ends at ${track.times.at(-1)}`);
    for (const [time, wanted] of Object.entries(animation.at)) {
        const key = track.times.findLastIndex(entry => entry <= Number(time)), rest = Number(time) - track.times[key];
        check(rest === 0, `${file}: no key at ${time}`); // so that no interpolation of ours stands between
        const value = track.values[key];
        const found = track.path === 'rotation' ? degrees(2 * Math.atan2(value[2], value[3])) : value[0];
        const off = track.path === 'rotation' ? ((found - wanted) % 360 + 540) % 360 - 180 : found - wanted;
        check(isNear(off, 0, 1e-9), `${file}: ${found} at ${time} s, not ${wanted}`);
    }
}

finish(`${Object.keys(made).length} made files, ${count} others, ${robots} robots, ${checks} checks`);
