// Which reader reads what, by suffix.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { Disk } from './files.mjs';
import { readAmf } from './amf.mjs';
import { read3mf } from './threemf.mjs';
import { readDae } from './dae.mjs';
import { readDxf } from './dxf.mjs';
import { readGltf } from './gltf.mjs';
import { readObj } from './obj.mjs';
import { readOff } from './off.mjs';
import { readPly } from './ply.mjs';
import { readStl } from './stl.mjs';
import { readVrml97 } from './vrml97.mjs';

const readers = { stl: readStl, stla: readStl, stlb: readStl, obj: readObj, ply: readPly, off: readOff, coff: readOff,
    noff: readOff, '3mf': read3mf, gltf: readGltf, glb: readGltf, dae: readDae, zae: readDae, amf: readAmf,
    dxf: readDxf };
const families = { stla: 'STL', stlb: 'STL', coff: 'OFF', noff: 'OFF', gltf: 'glTF', glb: 'glTF', zae: 'DAE' };

const suffixOf = file => /\.([^./]+?)(?:\.gz)?$/i.exec(path.basename(file))?.[1].toLowerCase() ?? '';

// The format's name for people.
export const familyOf = file => families[suffixOf(file)] ?? suffixOf(file).toUpperCase();

export const isReadable = file => suffixOf(file) in readers;

function look(file, root, reader, context) {
    const bytes = fs.readFileSync(file), folder = path.relative(path.resolve(root), path.resolve(path.dirname(file)));
    return reader(bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes) : bytes,
        { files: new Disk(root), folder, ...context })?.summary() ?? null;
}

/* The look of an input, in metres and Z up; null of cellpipe's own stages, whose meaning is in their extras. Further files
 * are those below root alone. Throws Refused where the file is to be refused. */
export const readLook = (file, root) => look(file, root, readers[suffixOf(file)], { isInput: true });

const readOutput = reader => file => look(file, path.dirname(file), reader, {});
export const readGlbLook = readOutput(readGltf);
export const readVrml97Look = readOutput(readVrml97);
export const readStlLook = readOutput(readStl);
