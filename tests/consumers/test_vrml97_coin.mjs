// Coin reads every .wrl, in both layouts, without a complaint: as many triangles, in the same place.
import fs from 'node:fs';
import path from 'node:path';
import { convert, fail, finish, info, inputs, near, program, run, shortName, skip, workFile } from './lib.mjs';

const coin = path.join(path.dirname(program), 'tests', 'coin_check');
if (!fs.existsSync(coin))
    skip('consumers/test_vrml97_coin needs libcoin-dev and a C++ compiler when the tests are built');
let count = 0;

function compare(input, layout, facts) {
    const what = `${shortName(input)} (${layout})`;
    const { code, stdout, stderr } = run(coin, convert(input, workFile('cell.wrl'), `layout=${layout}`, 'up=z', 'planes=keep'));
    if (code !== 0 || stderr !== '')
        return fail(`${what}: exit ${code} ${stderr.slice(0, 300)}`);
    const seen = JSON.parse(stdout), size = facts.bounds ? Math.max(...facts.bounds.flat().map(Math.abs)) : 0;
    if (seen.triangles !== facts.triangles)
        fail(`${what}: ${seen.triangles} triangles, not ${facts.triangles}`);
    if (facts.bounds ? !near(seen.bounds, facts.bounds, 1e-5 * size) : seen.bounds !== null)
        fail(`${what}: from ${seen.bounds}, not ${facts.bounds}`);
}

for (const input of inputs()) {
    const facts = info(input);
    compare(input, 'single', facts);
    compare(input, 'inline', facts);
    count++;
}
finish(`${count} inputs`);
