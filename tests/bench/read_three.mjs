// read_three.mjs FILE: reads a file with three's VRMLLoader, and prints the processor's seconds that parsing takes. For
// vrml97.sh; node needs a stack of 60 MB for a list of millions of numbers.
import { readFileSync } from 'node:fs';
import { VRMLLoader } from '../consumers/node_modules/three/examples/jsm/loaders/VRMLLoader.js';

const text = readFileSync(process.argv[2], 'utf8');
const begin = process.cpuUsage();
new VRMLLoader().parse(text, '');
const used = process.cpuUsage(begin);
console.log('- ' + (used.user + used.system) / 1e6);
