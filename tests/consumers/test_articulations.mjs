// AGI_articulations, which no viewer here drives: the block itself, and what a reader would make of TRS and stages at
// lower, home and upper, against forward kinematics.
import fs from 'node:fs';
import { convert, distance, fail, finish, identity, inputs, jointValue, multiply, readScene, rotation, shortName, workFile, worldPoses } from './lib.mjs';

const axes = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

function readGlb(file) {
    const bytes = fs.readFileSync(file);
    return JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString('utf8'));
}

const ours = thing => thing.extras?.cellpipe ?? {};

function trsMatrix({ translation: t = [0, 0, 0], rotation: [x, y, z, w] = [0, 0, 0, 1], scale: s = [1, 1, 1] }) {
    return [(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y - z * w) * s[1], 2 * (x * z + y * w) * s[2], t[0],
        2 * (x * y + z * w) * s[0], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z - x * w) * s[2], t[1],
        2 * (x * z - y * w) * s[0], 2 * (y * z + x * w) * s[1], (1 - 2 * (x * x + y * y)) * s[2], t[2]];
}

function stageMatrix({ type }, value) {
    const axis = axes[type[0]];
    if (type.endsWith('Rotate'))
        return rotation(axis, value * Math.PI / 180);
    if (type.endsWith('Translate'))
        return [1, 0, 0, value * axis[0], 0, 1, 0, value * axis[1], 0, 0, 1, value * axis[2]];
    return [1 + (value - 1) * axis[0], 0, 0, 0, 0, 1 + (value - 1) * axis[1], 0, 0, 0, 0, 1 + (value - 1) * axis[2], 0];
}

// ---- the block ----

function checkBlock(json, complain) {
    const articulations = json.extensions?.AGI_articulations?.articulations ?? [];
    const names = articulations.map(articulation => articulation.name);
    const used = json.nodes.flatMap(node => node.extensions?.AGI_articulations?.articulationName ?? []);
    if (new Set(names).size !== names.length || names.some(name => /[\s\x00-\x20]/.test(name) || name === ''))
        complain('names are not unique or have blanks');
    if (names.slice().sort().join() !== used.slice().sort().join())
        complain(`nodes use ${used}, defined are ${names}`);
    if ((json.extensionsUsed ?? []).includes('AGI_articulations') !== names.length > 0)
        complain('extensionsUsed is wrong');
    for (const { name, stages } of articulations)
        for (const stage of stages) {
            const { minimumValue: low, maximumValue: high, initialValue: initial, type } = stage;
            if (!/^[xyz](Rotate|Translate|Scale)$/.test(type) || !(low <= initial && initial <= high))
                complain(`${name}: ${JSON.stringify(stage)}`);
        }
    return new Map(articulations.map(articulation => [articulation.name, articulation.stages]));
}

// ---- what a reader makes of it ----

// What a script sets: "articulation stage" (names without blanks here).
const stageName = (articulation, stage) => `${articulation} ${stage.name}`;

// World poses of the scene nodes' tails, with values by stageName.
function glbPoses(json, articulations, values) {
    const worlds = new Map(), stack = [[json.scenes[0].nodes[0], identity, null]];
    while (stack.length) {
        const [index, parent, owner] = stack.pop();
        const node = json.nodes[index], own = ours(node), id = own.id ?? owner;
        let pose = multiply(parent, trsMatrix(node));
        const name = node.extensions?.AGI_articulations?.articulationName;
        for (const stage of articulations.get(name) ?? [])
            pose = multiply(pose, stageMatrix(stage, values.get(stageName(name, stage)) ?? stage.initialValue));
        if (own.made !== 'instance')
            worlds.set(id, pose); // the last of the chain stays
        for (const child of node.children ?? [])
            if (ours(json.nodes[child]).made !== 'instance')
                stack.push([child, pose, id]);
    }
    return worlds;
}

// The stage's value that brings the joint from where it is to q.
function stageValue(joint, from, q) {
    if (joint.type === 'scale')
        return q / from;
    return (q - from) * (joint.type === 'revolute' ? 180 / Math.PI : 1);
}

// By joint: its articulation and stage. The stages after the first are those of the joint nodes below.
function stagesOfJoints(json, articulations) {
    const found = new Map();
    for (const start of json.nodes) {
        const name = start.extensions?.AGI_articulations?.articulationName;
        let node = start;
        for (const stage of name ? articulations.get(name) : []) {
            found.set(ours(node).joint.id, [name, stage]);
            node = json.nodes[node.children?.[0]];
        }
    }
    return found;
}

// Written TRS may differ from a pose by 5e-7 (the exact one is in extras); along a chain that adds up.
function looseness(json) {
    const off = json.nodes.filter(node => ours(node).pose && ours(node).made !== 'instance').map(node => {
        const shear = node.children?.map(child => json.nodes[child]).find(child => ours(child).made === 'shear');
        return distance(shear ? multiply(trsMatrix(node), trsMatrix(shear)) : trsMatrix(node), ours(node).pose);
    });
    return 1e-9 + 100 * Math.max(0, ...off);
}

let joints = 0, files = 0;
function checkMotion(json, articulations, scene, complain) {
    const tolerance = looseness(json), staged = stagesOfJoints(json, articulations);
    const check = (q, what) => {
        const values = new Map();
        for (const joint of scene.joints.values()) {
            if (!staged.has(joint.id))
                continue;
            const [name, stage] = staged.get(joint.id);
            const value = stageValue(joint, jointValue(scene, joint, new Map()), jointValue(scene, joint, q));
            if (value < stage.minimumValue - 1e-9 || value > stage.maximumValue + 1e-9)
                complain(`${what}: ${joint.id} needs ${value}, outside its stage`);
            values.set(stageName(name, stage), value);
        }
        const got = glbPoses(json, articulations, values);
        for (const [id, wanted] of worldPoses(scene, q))
            if (!(distance(got.get(id), wanted) <= tolerance))
                return complain(`${what}: ${id} is off by ${distance(got.get(id), wanted)}`);
    };
    const driven = [...scene.joints.values()].filter(joint => joint.master === undefined && joint.type !== 'fixed');
    const reach = { lower: joint => joint.lower ?? joint.home, home: joint => joint.home, upper: joint => joint.upper ?? joint.home };
    check(new Map(), 'at rest');
    for (const [what, at] of Object.entries(reach)) {
        for (const joint of driven)
            check(new Map([[joint.id, at(joint)]]), `${joint.id} ${what}`);
        check(new Map(driven.map(joint => [joint.id, at(joint)])), `all ${what}`);
    }
    joints += driven.length;
}

for (const file of inputs()) {
    const complain = text => fail(`${shortName(file)}: ${text}`);
    const scene = readScene(file), json = readGlb(convert(file, workFile('o.glb'), 'profile=stage'));
    const articulations = checkBlock(json, complain);
    checkMotion(json, articulations, scene, complain);
    files++;
}
if (joints === 0)
    fail('no joint was looked at');
finish(`${files} files, ${joints} joints`);
