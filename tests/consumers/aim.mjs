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

// For each name that nameOf gives a shape: the pixel that is farthest from the edges of what has this name.
export function findPixels(text, nameOf) {
    const world = new VRMLLoader().parse(text, ''), camera = readCamera(text), step = 2, pixels = new Map();
    world.updateMatrixWorld(true);
    const columns = Math.floor(size.width / step), rows = Math.floor(size.height / step);
    const seen = Array.from({ length: rows }, (_, row) =>
        Array.from({ length: columns }, (_, column) => seenAt(world, camera, nameOf, column * step, row * step)));
    const margin = (row, column) => {
        for (let reach = 1; ; reach++)
            for (let r = row - reach; r <= row + reach; r++)
                for (let c = column - reach; c <= column + reach; c++)
                    if (seen[r]?.[c] !== seen[row][column])
                        return reach;
    };
    seen.forEach((line, row) => line.forEach((name, column) => {
        const found = name && { x: column * step, y: row * step, margin: margin(row, column) };
        if (name && found.margin > 1 && !(pixels.get(name)?.margin >= found.margin))
            pixels.set(name, found);
    }));
    return pixels;
}
