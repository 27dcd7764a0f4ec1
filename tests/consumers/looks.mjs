// What three.js shows of a GLB in headless Chromium: pixels from one side, under the same light.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveFiles } from './browser.mjs';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules');
const size = 256;
const page = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<style>body{margin:0}</style><script type="module">
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(${size}, ${size});
document.body.append(renderer.domElement);
const environment = new THREE.PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture;
window.show = async url => {
    const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).loadAsync(url);
    const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
    scene.background = new THREE.Color(0x8090a0);
    scene.environment = environment;
    scene.environmentIntensity = 0.6;
    scene.add(gltf.scene);
    const box = new THREE.Box3().setFromObject(gltf.scene, true), sphere = box.getBoundingSphere(new THREE.Sphere());
    camera.position.copy(sphere.center).add(new THREE.Vector3(0.6, 0.5, 0.8).normalize().multiplyScalar(sphere.radius * 4));
    camera.near = sphere.radius / 10;
    camera.far = sphere.radius * 10;
    camera.lookAt(sphere.center);
    camera.updateProjectionMatrix();
    renderer.render(scene, camera);
    const gl = renderer.getContext(), pixels = new Uint8Array(4 * ${size} * ${size});
    gl.readPixels(0, 0, ${size}, ${size}, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return Array.from(pixels);
};
window.ready = true;
</script>`;

// A browser's page with show(file): the pixels, and the picture in `picture` if a path is given.
export async function openLooks(browser, complaints) {
    const files = new Map();
    const server = await serveFiles(page, name => files.get(name) ?? path.join(modules, name));
    const tab = await browser.newPage({ viewport: { width: size, height: size } });
    tab.on('console', message => {
        if (['error', 'warning'].includes(message.type()) && !/GPU stall|WebGL|swiftshader/i.test(message.text()))
            complaints.push(message.text().slice(0, 300));
    });
    tab.on('pageerror', error => complaints.push(error.message));
    await tab.goto(server.url);
    await tab.waitForFunction('window.ready');
    const show = async (file, picture) => {
        const name = `/file${files.size}.glb`;
        files.set(name, file);
        const pixels = await tab.evaluate(url => window.show(url), name);
        if (picture)
            await tab.screenshot({ path: picture });
        return pixels;
    };
    return { show, close: () => server.close() };
}

// The mean difference of two pictures' channels, 0 to 255.
export const difference = (a, b) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
