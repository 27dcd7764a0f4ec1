// three.js' GLTFLoader in node: names, rest poses, and each clip played to the poses of the scene's own kinematics.
import { convert, distance, fail, finish, info, inputs, multiply, posesAt, readScene, shortName, workFile, worldPoses } from './lib.mjs';
import { load, ours, poseOf, startClip, stopClip, tails } from './three_play.mjs';

const tolerance = 5e-6; // keys are floats, along chains of metres
const yUp = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0]; // (x, y, z) -> (x, z, -y)

function compare(file, root, nodes, poses, what, bound = tolerance) {
    root.updateMatrixWorld(true);
    for (const [id, wanted] of poses) {
        const off = distance(poseOf(nodes.get(id).tail), multiply(yUp, wanted));
        if (!(off <= bound))
            return fail(`${shortName(file)} ${what}: ${id} is off by ${off}`);
    }
}

// Home, lower, upper, home in 4 s at one speed, no leg shorter than half a second.
function sweepOf(joint, half) {
    const reach = joint.type === 'revolute' ? Math.PI : half;
    const lower = joint.lower ?? (joint.type === 'scale' ? joint.home / 2 : joint.home - reach);
    const upper = joint.upper ?? (joint.type === 'scale' ? joint.home * 2 : joint.home + reach);
    const values = [joint.home, lower, upper, joint.home], times = [0];
    const legs = [1, 2, 3].map(i => Math.abs(values[i] - values[i - 1])), total = legs[0] + legs[1] + legs[2];
    legs.forEach((leg, i) => times.push(times[i] + Math.max(4 * leg / total, 0.5)));
    return { times, values };
}

function valueAt({ times, values }, t) {
    const i = Math.min(2, Math.max(0, times.findLastIndex(time => time <= t)));
    return values[i] + (values[i + 1] - values[i]) * Math.min(1, (t - times[i]) / (times[i + 1] - times[i]));
}

let clips = 0, files = 0;
function playSweeps(file, gltf, scene, nodes, half) {
    const moving = [...scene.joints.values()].filter(joint => joint.driven && joint.master === undefined && joint.type !== 'fixed');
    const json = gltf.parser.json.animations ?? [];
    const made = new Map(json.map((animation, i) => [animation.extras.cellpipe.joint, gltf.animations[i]]));
    for (const joint of moving) {
        const sweep = sweepOf(joint, half), clip = made.get(joint.id);
        if (joint.lower === joint.upper && joint.lower === joint.home)
            continue;
        if (!clip) {
            fail(`${shortName(file)}: no clip for ${joint.id}`);
            continue;
        }
        clips++;
        if (!joint.name.endsWith(clip.name.replace(/^.*\//, '').replace(/_\d+$/, '')))
            fail(`${shortName(file)}: the clip of ${joint.id} is called ${clip.name}`);
        const mixer = startClip(gltf, clip), end = sweep.times[3];
        for (const t of [0, 0.1, 0.35, 0.5, 0.62, 0.81, 0.97].map(part => part * end).concat(sweep.times.slice(1, 3))) {
            mixer.setTime(t);
            compare(file, gltf.scene, nodes, worldPoses(scene, new Map([[joint.id, valueAt(sweep, t)]])), `${clip.name} at ${t}`);
        }
        stopClip(gltf, mixer);
    }
}

// ---- the scene's own clips ----

// Away from jumps, where floats cannot tell before from after, and from rotations between keys (slerp is not ours to judge).
function sampleTimes(clip) {
    const times = [...new Set(clip.tracks.flatMap(track => track.times))].sort((a, b) => a - b);
    const turns = clip.tracks.some(track => track.path === 'rotation');
    const steps = clip.tracks.filter(track => track.interpolation === 'step').flatMap(track => track.times);
    const between = turns ? [] : times.slice(1).flatMap((time, i) => [0.2, 0.7].map(part => times[i] + part * (time - times[i])));
    return times.concat(between).sort((a, b) => a - b) // a clip that has ended does not go back
        .filter(t => !steps.some(step => Math.abs(step - t) < 1e-5));
}

function playClips(file, gltf, scene, nodes) {
    const played = gltf.animations.filter((_, i) => !gltf.parser.json.animations[i].extras.cellpipe.made);
    const wanted = scene.clips.filter(clip => clip.tracks.some(track => track.times.length));
    if (played.length !== wanted.length)
        fail(`${shortName(file)}: ${played.length} clips, not ${wanted.length}`);
    wanted.forEach((clip, i) => {
        clips++;
        const mixer = startClip(gltf, played[i]);
        const shift = -Math.min(0, ...clip.tracks.flatMap(track => track.times));
        // turning cubics are played in straight pieces
        const curved = clip.tracks.some(track => track.interpolation === 'cubic' && scene.joints.get(track.target)?.type === 'revolute');
        for (const t of sampleTimes(clip)) {
            mixer.setTime(t + shift);
            compare(file, gltf.scene, nodes, posesAt(scene, clip, t), `${clip.name} at ${t}`, curved ? 5e-3 : tolerance);
        }
        stopClip(gltf, mixer);
    });
}

for (const file of inputs()) {
    const scene = readScene(file), gltf = await load(convert(file, workFile('o.glb')));
    const nodes = tails(gltf);
    files++;
    for (const node of scene.nodes.values()) {
        const head = nodes.get(node.id)?.head;
        if (!head || (ours(head).name ?? head.userData.name ?? '') !== node.name)
            fail(`${shortName(file)}: node ${node.id} is called ${head?.userData.name}`);
    }
    compare(file, gltf.scene, nodes, worldPoses(scene, new Map()), 'at rest');
    const unlimited = [...scene.joints.values()].some(joint => joint.type === 'prismatic' && (joint.lower ?? joint.upper) === undefined);
    const bounds = unlimited && info(file).bounds;
    const half = bounds ? Math.hypot(...bounds[0].map((low, i) => bounds[1][i] - low)) / 2 || 0.5 : 0.5;
    playSweeps(file, gltf, scene, nodes, half);
    playClips(file, gltf, scene, nodes);
}
if (clips === 0)
    fail('no clip was played');
finish(`${files} files, ${clips} clips`);
