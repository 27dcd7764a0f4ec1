// Delivered files in three.js: loading, the objects that scene nodes become, clips at a time.
import fs from 'node:fs';
import * as THREE from 'three';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

globalThis.self ??= globalThis;
await MeshoptDecoder.ready;

export async function load(file) {
    const bytes = fs.readFileSync(file), loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
    return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
}

export const ours = object => object.userData.cellpipe ?? {};
const goesOn = object => ours(object).joint || ['shear', 'axis'].includes(ours(object).made);

// The objects at the ends of the scene nodes' chains, by node id. (Extras of a mesh become userData too, on children.)
export function tails(gltf) {
    const found = new Map();
    gltf.scene.traverse(object => {
        if (gltf.parser.associations.get(object)?.nodes === undefined || ours(object).id === undefined)
            return;
        let tail = object;
        for (let next = tail; next; next = next.children.find(goesOn))
            tail = next;
        found.set(ours(object).id, { head: object, tail });
    });
    return found;
}

// Where an object is: 3 rows of 4.
export function poseOf({ matrixWorld: { elements: e } }) { // column-major 4 x 4
    return [e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]];
}

// A mixer that plays the clip once, and stays at its end.
export function startClip(gltf, clip) {
    const mixer = new THREE.AnimationMixer(gltf.scene), action = mixer.clipAction(clip).setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    return mixer;
}

export function stopClip(gltf, mixer) {
    mixer.stopAllAction();
    mixer.uncacheRoot(gltf.scene);
}
