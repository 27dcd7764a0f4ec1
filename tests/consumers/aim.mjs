// Where to click in a world: rays through its Viewpoint, cast with three.
import { PerspectiveCamera, Raycaster, Vector2, Vector3 } from 'three';
import { VRMLLoader } from 'three/examples/jsm/loaders/VRMLLoader.js';
import { size } from './browser.mjs';

function readCamera(text) {
    const numbers = field => text.match(new RegExp(`Viewpoint \\{[^}]*\\b${field} ([^\\n]*)`))[1].split(' ').map(Number);
    const camera = new PerspectiveCamera(0.785398 * 180 / Math.PI, size.width / size.height, 0.001, 1000);
    const middle = text.match(/translation ([^\n]*)\s+children \[\s+Viewpoint/)?.[1].split(' ').map(Number) ?? [0, 0, 0];
    camera.position.fromArray(numbers('position').map((value, i) => value + middle[i]));
    const [x, y, z, angle] = numbers('orientation');
    camera.quaternion.setFromAxisAngle(new Vector3(x, y, z), angle);
    camera.updateMatrixWorld(true);
    return camera;
}

// The name of what is seen at a pixel; undefined where there is nothing, or where faces of two names lie in one another.
function seenAt(world, camera, nameOf, x, y) {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((x + 0.5) / size.width * 2 - 1, 1 - (y + 0.5) / size.height * 2), camera);
    const hits = ray.intersectObject(world, true).filter((hit, i, all) => hit.distance < 1.001 * all[0].distance);
    const names = hits.map(hit => nameOf(hit.object));
    return names.every(name => name === names[0]) ? names[0] : undefined;
}

const around = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];

// For each place of a table: how many steps away the nearest other name is; 1 at an edge. The distance of the king in chess, in two sweeps.
function marginsOf(seen) {
    const margins = seen.map((line, row) => line.map((name, column) =>
        around.every(([r, c]) => seen[row + r]?.[column + c] === name) ? Infinity : 1));
    const sweep = (row, column) => {
        if (margins[row][column] > 1)
            margins[row][column] = 1 + Math.min(...around.map(([r, c]) => margins[row + r]?.[column + c] ?? Infinity));
    };
    seen.forEach((line, row) => line.forEach((_, column) => sweep(row, column)));
    for (let row = seen.length - 1; row >= 0; row--)
        for (let column = seen[row].length - 1; column >= 0; column--)
            sweep(row, column);
    return margins;
}

// For each name that nameOf gives a shape: the pixel that is farthest from the edges of what has this name.
export function findPixels(text, nameOf) {
    const world = new VRMLLoader().parse(text, ''), camera = readCamera(text), step = 2, pixels = new Map();
    world.updateMatrixWorld(true);
    const columns = Math.floor(size.width / step), rows = Math.floor(size.height / step), coarse = 3;
    const table = (height, width, value) => Array.from({ length: height }, (_, row) => Array.from({ length: width }, (_, column) => value(row, column)));
    const nameAt = (row, column) => seenAt(world, camera, nameOf, column * step, row * step);
    const first = table(Math.ceil(rows / coarse), Math.ceil(columns / coarse), (row, column) => nameAt(row * coarse, column * coarse));
    const near = table(first.length, first[0].length, (row, column) => first[row][column] ?? around.map(([r, c]) => first[row + r]?.[column + c]).find(Boolean));
    // Rays cost much: they are dense only where a few of them have met something that has a name.
    const seen = table(rows, columns, (row, column) => near[Math.floor(row / coarse)][Math.floor(column / coarse)] && nameAt(row, column));
    const margins = marginsOf(seen);
    seen.forEach((line, row) => line.forEach((name, column) => {
        const margin = margins[row][column];
        if (name && margin > 1 && !(pixels.get(name)?.margin >= margin))
            pixels.set(name, { x: column * step, y: row * step, margin });
    }));
    return pixels;
}
