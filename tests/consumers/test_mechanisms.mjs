// Parallel machines with closed loops, played by three.js and by X_ITE (in node): at 100 times of their recordings each leg reaches from its
// joint in the base to its joint in the platform, and is as long as its drive says.
import path from 'node:path';
import { convert, fail, finish, workFile } from './lib.mjs';
import { check, machines, readRecording, samples, shownPoses, worst } from './machines.mjs';
import { load, poseOf, startClip, stopClip, tails } from './three_play.mjs';
import { hasNode, startNode } from './xite.mjs';

const ids = machine => machine.to.map((_, i) => `${machine.leg} ${i + 1}`);
const complaints = [], node = hasNode() ? await startNode(complaints) : undefined;
for (const machine of machines) {
    const recording = readRecording(machine.name), file = path.join(samples, `${machine.name}.dcr`);
    const times = Array.from({ length: 100 }, (_, i) => recording.last * (i + 0.5) / 100);
    const gltf = await load(convert(file, workFile('m.glb'), 'tolerance=1e-6m')), objects = tails(gltf);
    const mixer = startClip(gltf, gltf.animations.find(clip => clip.name === machine.name));
    for (const time of times) {
        mixer.setTime(time);
        gltf.scene.updateMatrixWorld(true);
        const poses = [...ids(machine), 'platform', 'base'].map(id => poseOf(objects.get(id).tail));
        check(`${machine.name}, three`, machine, time, recording.at(time), { legs: poses.slice(0, -2), platform: poses.at(-2), base: poses.at(-1) });
    }
    stopClip(gltf, mixer);
    // Sweeps, of which nobody tells the drives.
    for (const clip of gltf.animations.filter(clip => clip.name !== machine.name)) {
        const sweep = startClip(gltf, clip);
        for (let i = 0; i < 10; i++) {
            sweep.setTime(clip.duration * (i + 0.37) / 10);
            gltf.scene.updateMatrixWorld(true);
            const poses = [...ids(machine), 'platform', 'base'].map(id => poseOf(objects.get(id).tail));
            check(`${clip.name}, three`, machine, clip.duration * (i + 0.37) / 10, undefined, { legs: poses.slice(0, -2), platform: poses.at(-2), base: poses.at(-1) });
        }
        stopClip(gltf, sweep);
    }
    if (!node)
        continue;
    const { tree, drive } = await node.load(convert(file, workFile('m.wrl'), 'tolerance=1e-6m'));
    drive(times.map(time => time / recording.last)).forEach((values, i) =>
        check(`${machine.name}, X_ITE`, machine, times[i], recording.at(times[i]), shownPoses(machine, tree, values)));
}
if (complaints.length > 0)
    fail(complaints[0]);
finish(`${machines.length} machines, within ${worst.toExponential(1)} of their size`);
