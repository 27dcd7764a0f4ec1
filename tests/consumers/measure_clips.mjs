// measure_clips.mjs PLAIN.glb OTHER.glb [REACH]: how far the first clip of another file is off, in metres, as three.js plays both: of the
// origins of all nodes without meshes that have a name in both, and of points REACH (0.1) away from them. Not a test: for tests/bench/sizes.sh.
import { load, poseOf, startClip, stopClip } from './three_play.mjs';

const [plain, other] = [await load(process.argv[2]), await load(process.argv[3])], reach = Number(process.argv[4] ?? 0.1);

// Nodes by name. Those with meshes may hold the grid of quantised positions.
async function objects(gltf) {
    const found = new Map();
    for (const [i, { name, mesh }] of gltf.parser.json.nodes.entries())
        if (name && mesh === undefined)
            found.set(name, await gltf.parser.getDependency('node', i));
    return found;
}

const at = (m, [x, y, z]) => [0, 4, 8].map(row => m[row] * x + m[row + 1] * y + m[row + 2] * z + m[row + 3]);
const points = [[0, 0, 0], [reach, 0, 0], [0, reach, 0], [0, 0, reach]], one = await objects(plain), two = await objects(other);
const mixers = [plain, other].map(gltf => startClip(gltf, gltf.animations[0])), end = plain.animations[0].duration;
let most = 0, count = 0;
for (let i = 0; i < 400; i++) {
    [plain, other].forEach((gltf, k) => {
        mixers[k].setTime(end * (i + 0.2371) / 400.5);
        gltf.scene.updateMatrixWorld(true);
    });
    for (const [name, object] of one)
        if (two.has(name)) {
            const a = poseOf(object), b = poseOf(two.get(name));
            const off = Math.max(...points.map(point => Math.hypot(...at(a, point).map((value, k) => value - at(b, point)[k]))));
            most = Math.max(most, off), count++;
        }
}
[plain, other].forEach((gltf, k) => stopClip(gltf, mixers[k]));
console.log(`${most.toPrecision(3)} m, ${count / 400} nodes`);
