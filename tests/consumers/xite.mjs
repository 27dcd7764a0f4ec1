// X_ITE: what its world shows at moments of a recording, in node (x_ite-node, without drawing) or in a page.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { identity, multiply, rotation } from './lib.mjs';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules');
export const hasNode = () => fs.existsSync(path.join(modules, 'x_ite-node'));

// Loads worlds without a page; complaints go to `complaints`.
export async function startNode(complaints) {
    const require = createRequire(import.meta.url);
    globalThis.Float16Array ??= class Float16Array extends Uint16Array {}; // node before 24 has none, X_ITE wants it to exist
    require('nogl').prototype.deleteVertexArray = () => {};
    const X3D = require('x_ite-node'), world = X3D.createBrowser().browser;
    for (const kind of ['warn', 'error'])
        console[kind] = (...words) => complaints.push(words.map(String).join(' ').slice(0, 300));
    await world.loadComponents(world.getProfile('Full'));
    const load = async file => {
        await world.loadURL(new X3D.MFString(pathToFileURL(path.resolve(file)).href));
        return prepare(world);
    };
    return { world, load };
}

// The shapes of a world with all above them, and the means to look at them at any moment. It stands alone, since it also runs in a page.
export function prepare(world) {
    const scene = world.currentScene, tree = [], watched = [];
    const visit = (node, parent) => {
        if (!node)
            return;
        const type = node.getNodeTypeName(), index = tree.length;
        if (!['Transform', 'Group', 'Collision', 'Shape', 'Inline'].includes(type))
            return;
        tree.push({ name: node.getNodeName(), type, parent });
        watched.push(node);
        for (const child of (['Shape', 'Inline'].includes(type) ? [] : node.children))
            visit(child, index);
    };
    for (const root of scene.rootNodes)
        visit(root, -1);
    const all = [...scene.namedNodes].map(entry => entry.node ?? entry);
    const timer = all.find(node => node.getNodeTypeName() === 'TimeSensor' && node.getNodeName().startsWith('play_'));
    const look = () => watched.map((node, i) => tree[i].type === 'Transform'
        ? [...node.translation].slice(0, 3).concat([...node.rotation].slice(0, 4), [...node.scale].slice(0, 3), [...node.scaleOrientation].slice(0, 4))
        : []);
    // What follows when so much of the recording has gone: the timer says it to all that listens.
    const process = Symbol.for('X_ITE.X3DRoutingContext.processEvents');
    const drive = fractions => fractions.map(fraction => {
        timer.getField('fraction_changed').setValue(fraction);
        world[process]();
        world[process]();
        return look();
    });
    return { tree, timer, look, drive };
}

const mirror = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0];

function turnOf([x, y, z, angle]) {
    const length = Math.hypot(x, y, z);
    return length > 0 ? rotation([x / length, y / length, z / length], angle) : identity;
}

function transformOf(values) {
    const [x, y, z] = values, [a, b, c] = values.slice(7), stretched = turnOf(values.slice(10));
    const back = turnOf([values[10], values[11], values[12], -values[13]]);
    const scale = [a, 0, 0, 0, 0, b, 0, 0, 0, 0, c, 0];
    return [turnOf(values.slice(3)), stretched, scale, back].reduce(multiply, [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z]);
}

// Calls see(name, type, pose) for all that is visible; what is shrunk to a hundred-thousandth is not.
function walk(tree, values, see) {
    const poses = [];
    tree.forEach(({ name, type, parent }, i) => {
        const above = parent < 0 ? identity : poses[parent];
        let pose = above;
        if (pose && type === 'Transform') {
            pose = multiply(pose, transformOf(values[i]));
            if (values[i][7] < 1e-5)
                pose = undefined;
        }
        poses.push(pose);
        if (pose)
            see(name, type, pose);
    });
}

// Map from the name of a mesh to the world poses of its visible copies, in which a mesh that is mirrored at its origin is turned back.
export function visiblePoses(tree, values) {
    const found = new Map();
    walk(tree, values, (name, type, pose) => {
        const [, kind, mesh] = ['Shape', 'Inline'].includes(type) && name.match(/^(mesh|mirrored)_(.*)/) || [];
        if (mesh)
            found.set(mesh, [...found.get(mesh) ?? [], kind === 'mesh' ? pose : multiply(pose, mirror)]);
    });
    return found;
}

// Map from the name of a Transform to its world pose, of those that are visible.
export function visibleFrames(tree, values) {
    const found = new Map();
    walk(tree, values, (name, type, pose) => type === 'Transform' && found.set(name, pose));
    return found;
}
