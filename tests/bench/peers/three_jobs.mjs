// three_jobs.mjs JOB IN OUT: what the benchmark asks of three.js.
import fs from 'node:fs';
import path from 'node:path';

const three = name => import(new URL(`../../consumers/node_modules/three/${name}`, import.meta.url));
const { Mesh, MeshStandardMaterial } = await three('build/three.module.js');
const { STLLoader } = await three('examples/jsm/loaders/STLLoader.js');
const { GLTFExporter } = await three('examples/jsm/exporters/GLTFExporter.js');

// The one class of browsers that the exporter needs and node lacks.
globalThis.FileReader ??= class {
    readAsArrayBuffer(blob) {
        blob.arrayBuffer().then(buffer => {
            this.result = buffer;
            this.onloadend();
        });
    }
};

function read(file) {
    const bytes = fs.readFileSync(file);
    return new STLLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

async function writeGlb(geometry, file) {
    const glb = await new GLTFExporter().parseAsync(new Mesh(geometry, new MeshStandardMaterial()), { binary: true });
    fs.writeFileSync(file, Buffer.from(glb));
}

const jobs = {
    glb: (source, target) => writeGlb(read(source), target),
    async welded(source, target) {
        const { mergeVertices } = await three('examples/jsm/utils/BufferGeometryUtils.js');
        const geometry = read(source);
        geometry.deleteAttribute('normal');
        await writeGlb(mergeVertices(geometry, 0), target);
    },
    async stl(source, target) {
        const { STLExporter } = await three('examples/jsm/exporters/STLExporter.js');
        fs.writeFileSync(target, new STLExporter().parse(new Mesh(read(source)), { binary: true }));
    },
    async collada(source, target) {
        const { JSDOM } = await import(new URL('../../consumers/node_modules/jsdom/lib/api.js', import.meta.url));
        const { ColladaLoader } = await three('examples/jsm/loaders/ColladaLoader.js');
        globalThis.DOMParser = new JSDOM('').window.DOMParser; // of browsers
        const { scene } = new ColladaLoader().parse(fs.readFileSync(source, 'utf8'), '');
        const glb = await new GLTFExporter().parseAsync(scene, { binary: true });
        fs.writeFileSync(target, Buffer.from(glb));
    },
    async library(source, target) {
        for (const name of fs.readdirSync(source).sort())
            await writeGlb(read(path.join(source, name)), path.join(target, `${path.parse(name).name}.glb`));
    },
};

const [job, ...files] = process.argv.slice(2);
await jobs[job](...files);
