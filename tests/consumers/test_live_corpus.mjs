// Every sample, and real cells, robots and parts of the corpus beside the checkout, live: joints by the ids of the model, jogs
// and a move, where the page and the library have the frames, what is near. Then pages in Chromium: what a jog moves there,
// what is coloured, and a part that a program holds.
import fs from 'node:fs';
import path from 'node:path';
import { findChromium, hasPackages, launch } from './browser.mjs';
import { inFolder, makePeople, openCell, posesOff, tryCell, word } from './live_cells.mjs';
import { makeChecks } from './live_client.mjs';
import { framePoses } from './page_browser.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..'), samples = path.join(root, 'samples');
const corpus = path.join(root, '../shared/corpus'), chosen = process.argv.slice(3);
const { check, end: endChecks } = makeChecks();
makePeople(program);

const suffixes = ['.wu', '.wc.xml', '.urdf', '.xacro', '.wrl', '.gltf', '.dae', '.stl', '.stl.gz', '.obj', '.ply', '.off', '.dcp', '.dcd',
    '.dcw', '.dcr', '.pdb', '.dxf', '.ac', '.msh', '.tri', '.step', '.3mf', '.amf'];
const real = ['robwork-simple-wc/SimpleWorkcell.wc.xml', 'robwork-simple-wc/PA10/PA10.wu', 'robwork-snippets/environment.wu',
    'robwork-snippets/geometric-primitives.wu', 'robwork-snippets/workcell.wu', 'robwork-pa10-2018/PA10.wu', 'robwork-pa10-2009/PA10.wu',
    'robots/vrml97/choreonoid_robots/PA10/PA10.wrl', 'robots/vrml97/choreonoid_robots/SR1/SR1.wrl', 'robots/vrml97/assimp/Wuson.wrl',
    'khronos/Duck.glb', 'khronos/2CylinderEngine.glb', 'khronos/CesiumMilkTruck.glb', 'robots/urdf/moveit_panda/panda_description/urdf/panda.urdf',
    'robots/urdf/moveit_fanuc/fanuc_description/urdf/fanuc.urdf', 'robots/urdf/robotiq/robotiq_description/urdf/robotiq_2f_85_gripper.urdf.xacro',
    'robots/urdf/franka_fr3/franka_description/robots/fr3/fr3.urdf.xacro', 'robots/urdf/dialects/mimic_joint.urdf',
    'robots/urdf/dialects/fixed_floating_joints.urdf', 'robots/urdf/dialects/fixed_continuous_joints.urdf',
    'robots/urdf/dialects/joint_mimic_rack_pinion.urdf', 'step/as1-oc-214.stp', 'step/voron_minisb.step'];
const broken = ['robots/urdf/dialects/error_xml_syntax.urdf', 'step/broken_truncated.step', 'robots/urdf/dialects/prismatic_joints.urdf'];

// A chain of so many links, whose joints turn, slide, and turn without limits by turns.
function writeChain(count) {
    const links = Array.from({ length: count }, (_, i) => {
        const type = ['revolute', 'prismatic', 'continuous'][i % 3], box = '<geometry><box size="0.02 0.02 0.02"/></geometry>';
        return `<link name="l${i}"><visual>${box}</visual><collision>${box}</collision></link><joint name="j${i}" type="${type}">
            <parent link="${i ? `l${i - 1}` : 'base'}"/><child link="l${i}"/><origin xyz="0.05 0 0"/><axis xyz="0 ${1 - i % 2} ${i % 2}"/>
            ${type === 'continuous' ? '' : '<limit lower="-0.5" upper="0.5" effort="1" velocity="1"/>'}</joint>`;
    });
    fs.writeFileSync(inFolder('chain.urdf'), `<robot name="chain"><link name="base"/>${links.join('\n')}</robot>`);
    return inFolder('chain.urdf');
}

// Two balls of so many triangles together, which turn past each other.
function writeBalls(count) {
    const rings = Math.round(Math.sqrt(count / 8)), facets = [];
    const at = (i, j) => [Math.sin(Math.PI * i / rings) * Math.cos(Math.PI * j / rings), Math.sin(Math.PI * i / rings) * Math.sin(Math.PI * j / rings),
        Math.cos(Math.PI * i / rings)].map(value => 0.1 * value);
    for (let i = 0; i < rings; i++)
        for (let j = 0; j < 2 * rings; j++)
            for (const facet of [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]) facets.push(facet);
    const bytes = Buffer.alloc(84 + 50 * facets.length);
    bytes.writeUInt32LE(facets.length, 80);
    facets.forEach((facet, i) => facet.flat().forEach((value, k) => bytes.writeFloatLE(value, 84 + 50 * i + 12 + 4 * k)));
    fs.writeFileSync(inFolder('ball.stl'), bytes);
    const mesh = '<geometry><mesh filename="ball.stl"/></geometry>', link = name => `<link name="${name}"><visual>${mesh}</visual><collision>${mesh}</collision></link>`;
    fs.writeFileSync(inFolder('balls.urdf'), `<robot name="balls"><link name="base"/>${link('a')}${link('b')}
        <joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/></joint>
        <joint name="jb" type="continuous"><parent link="base"/><child link="b"/><origin xyz="0.21 0 0"/><axis xyz="1 0 0"/></joint></robot>`);
    return inFolder('balls.urdf');
}

async function tryFile(file) {
    const begun = Date.now(), it = await openCell(program, file), up = Date.now() - begun, { wrong, jogged, off, moved } = await tryCell(it, 6);
    const { user, system } = { user: 0, system: 0, ...cpuOf(it.child.pid) };
    await it.close();
    check(path.relative(path.dirname(root), file), wrong.length === 0, wrong.slice(0, 4));
    if (chosen.length || process.env.VERBOSE)
        console.log(`${path.basename(file)}: ${up} ms, ${it.modelSize} bytes, ${jogged} of ${it.hello.joints.length} joints, ${off}, ${moved}, cpu ${user + system} ms`);
}

// Milliseconds of a processor.
function cpuOf(pid) {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return { user: 10 * Number(fields[11]), system: 10 * Number(fields[12]) };
}

// ---- pages ----

async function comeIn(browser, it) {
    const tab = await (await browser.newContext({ viewport: { width: 500, height: 400 } })).newPage();
    tab.complaints = [];
    tab.on('pageerror', error => tab.complaints.push(error.message));
    await tab.goto(`http://127.0.0.1:${it.port}/`);
    await tab.locator('#login input[name=user]').fill('tina');
    await tab.locator('#login input[name=password]').fill(word);
    await tab.locator('#login button').click();
    await tab.waitForFunction(() => globalThis.cellpipe?.live?.mode && globalThis.cellpipe.live.state, null, { timeout: 20000 });
    return tab;
}

async function tryPage(browser, file) {
    const it = await openCell(program, file), tab = await comeIn(browser, it), name = path.basename(file);
    const before = await framePoses(tab), joint = it.hello.joints[0];
    const first = it.last('state').q[0];
    await it.move({ type: 'jog', joint, speed: -0.05 });
    if (it.last('state').q[0] === first) await it.move({ type: 'jog', joint, speed: 0.05 }); // it was at its limit
    const n = it.last('state').n;
    await tab.waitForFunction(number => cellpipe.live.state.n >= number && !cellpipe.live.drawn, n, { timeout: 20000 });
    const poses = await framePoses(tab), moved = Object.keys(poses).filter(id => poses[id].some((value, i) => Math.abs(value - before[id][i]) > 1e-4));
    check(`${name}: a jog moves the picture`, it.hello.joints.length === 0 || moved.length > 0);
    const off = posesOff(it, poses);
    check(`${name}: the picture's nodes are where the library has them`, off <= 1e-5, off);
    const near = await tab.evaluate(() => cellpipe.live.pairs.map(([, , , first, second]) => [first, second].map(id => cellpipe.cell.byId.get(`node ${id}`)?.meshes.length ?? -1)));
    check(`${name}: all that is near has a picture`, near.every(counts => counts.every(count => count > 0)), near);
    check(`${name}: nothing went wrong`, tab.complaints.length === 0, tab.complaints);
    await tab.context().close();
    await it.close();
}

// A part that a program holds moves in the picture, too, and no other frame with it.
async function tryHolding(browser) {
    const it = await openCell(program, path.join(samples, 'demo.wu')), { client } = it, tab = await comeIn(browser, it);
    const text = 'LMOV 463.2, 223.7, 490\nLMOV 463.2, 223.7, 410\nHANDLE CLOSE Part\nIMOV 0, 0, 80\nEND\n';
    const before = await framePoses(tab);
    check('it is good', (await client.answer({ type: 'program', name: 'a', text })).good);
    await client.answer({ type: 'download', name: 'a' });
    await it.move({ type: 'run' });
    await tab.waitForFunction(number => cellpipe.live.state.n >= number && !cellpipe.live.drawn, it.last('state').n, { timeout: 20000 });
    const poses = await framePoses(tab), up = poses.Part[11] - before.Part[11], server = it.last('state').moved.Part;
    check('the part is 80 mm up', Math.abs(up - 0.08) < 1e-5, up);
    check('where the server has it', poses.Part.every((value, i) => Math.abs(value - server[i]) < 1e-5));
    check('its picture moves', await tab.evaluate(() => cellpipe.cell.byId.get('node Part').meshes.length > 0));
    check('the table stays', poses.TableTop.every((value, i) => value === before.TableTop[i]));
    await tab.context().close();
    await it.close();
}

// ---- all ----

const files = chosen.length ? chosen : fs.readdirSync(samples, { recursive: true }).filter(name => suffixes.some(suffix => name.endsWith(suffix)) &&
    (!name.includes('/') || /\.dc[dwr]$/.test(name))).sort().map(name => path.join(samples, name));
if (!chosen.length) {
    if (fs.existsSync(corpus)) files.push(...real.map(name => path.join(corpus, name)));
    else console.log('skipped: the corpus (../shared is not there)');
    files.push(writeChain(1000), writeBalls(1e5), path.join(samples, 'demo.wu'));
}
for (const file of files)
    await tryFile(file).catch(error => check(file, false, error.message));
for (const name of chosen.length || !fs.existsSync(corpus) ? [] : broken)
    check(`${name} is refused`, await openCell(program, path.join(corpus, name)).then(() => false, error => /error: /.test(error.message)));
const chromium = findChromium();
if (chosen.length) endChecks();
if (!chromium || !hasPackages()) {
    console.log('skipped: pages of consumers/test_live_corpus need chromium and playwright-core');
    process.exit(77);
}
const browser = await launch(chromium);
try {
    for (const name of ['demo.wu', 'mechanisms/hexapod.dcd', 'urdf_picker.urdf', 'deneb/welding/welding.dcw', 'vrml97_picker.wrl', 'rwxml_gripper.wc.xml'])
        await tryPage(browser, path.join(samples, name)).catch(error => check(name, false, error.message));
    await tryHolding(browser);
} finally {
    await browser.close();
}
endChecks();
