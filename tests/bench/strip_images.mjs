// strip_images.mjs IN.glb OUT.glb: the same file without images, textures and all that names them.
import fs from 'node:fs';

const bytes = fs.readFileSync(process.argv[2]), size = bytes.readUInt32LE(12);
const document = JSON.parse(bytes.subarray(20, 20 + size).toString('utf8'));

// Members that hold a texture: { "index": ..., ... } under a key that ends in Texture.
function strip(object) {
    for (const [key, value] of Object.entries(object)) {
        if (key.endsWith('Texture'))
            delete object[key];
        else if (value && typeof value === 'object')
            strip(value);
    }
}
strip(document.materials ?? []);
for (const key of ['images', 'textures', 'samplers'])
    delete document[key];
const json = Buffer.from(JSON.stringify(document)), padding = Buffer.alloc(-json.length & 3, 0x20), rest = bytes.subarray(20 + size);
const head = Buffer.alloc(20);
head.write('glTF');
[2, 20 + json.length + padding.length + rest.length, json.length + padding.length, 0x4e4f534a].forEach((word, i) => head.writeUInt32LE(word, 4 + 4 * i));
fs.writeFileSync(process.argv[3], Buffer.concat([head, json, padding, rest]));
