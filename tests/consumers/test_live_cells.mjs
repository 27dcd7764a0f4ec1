// Cells that differ, live: with loops, followers, several devices, without joints. A program that is stopped and continued
// does the same as without a network, step by step; stops and emergencies end as the published system has them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inFolder, makePeople, openCell, tryCell } from './live_cells.mjs';
import { makeChecks } from './live_client.mjs';

const program = process.argv[2], samples = path.resolve(import.meta.dirname, '../../samples');
const { check, end: endChecks } = makeChecks();
makePeople(program);
setTimeout(() => {
    console.log('FAILED: it does not end');
    process.exit(1);
}, 60000).unref();

async function tryKinds() {
    const kinds = { 'mechanisms/hexapod.dcd': 6, 'urdf_picker.urdf': 4, 'deneb/welding/welding.dcw': 16, 'stl_solids.stl': 0 };
    for (const [name, joints] of Object.entries(kinds)) {
        const it = await openCell(program, path.join(samples, name)), { wrong, jogged } = await tryCell(it, 2);
        check(`${name} has its joints`, it.hello.joints.length === joints && jogged === Math.min(2, joints), it.hello.joints, jogged);
        check(`${name} moves as it should`, wrong.length === 0, wrong.slice(0, 5));
        await it.close();
    }
}

// What --record has, in order, against the clip that the command makes of the same text.
async function compareRecording() {
    const text = 'SPEED 250, 1000\nIMOV 0, 0, 150\nPTP POSE(430, 200, 620, 0, 180, 0)\nIMOV 0, 20, 0\nEND\n';
    const file = inFolder('p.prg'), record = inFolder('live.jsonl'), want = inFolder('clip.jsonl');
    fs.writeFileSync(file, text);
    execFileSync(program, ['program', '-q', path.join(samples, 'demo.wu'), want, `file=${file}`, 'device=Arm', '--out', 'period=0.01']);
    const it = await openCell(program, path.join(samples, 'demo.wu'), ['--record', record]), { client } = it;
    await client.answer({ type: 'program', name: 'p.prg', text });
    await client.answer({ type: 'download', name: 'p.prg' });
    check('it runs', (await client.answer({ type: 'run' })).type === 'done');
    await client.until(message => message.type === 'state');
    await client.answer({ type: 'stop' });
    await it.comesTo('stopped');
    check('it goes on', (await client.answer({ type: 'continue' })).type === 'done');
    await it.comesTo('ready');
    await it.close();
    const rows = name => fs.readFileSync(name, 'utf8').trim().split('\n').map(line => JSON.parse(line));
    const clip = rows(want).slice(1), live = rows(record);
    // the step in which a stopped program finds that it has ended moves nothing
    const steps = live.filter((row, i) => i === 0 || JSON.stringify(row.q) !== JSON.stringify(live[i - 1].q));
    const clipSteps = clip.filter((row, i) => i === 0 || JSON.stringify(row.q) !== JSON.stringify(clip[i - 1].q));
    check('as many steps as the clip has', steps.length === clipSteps.length && steps.length > 60, steps.length, clipSteps.length);
    const off = Math.max(...steps.map((row, i) => Math.max(...Object.entries(clipSteps[i]?.q ?? {}).map(([name, value]) => Math.abs(row.q[name] - value)))));
    check('the same values in each step', off <= 1e-9, off);
    check('times ascend by steps', live.every((row, i) => i === 0 || row.t > live[i - 1].t));
}

// A line of 203.3 mm at 50 mm/s and 100 mm/s2, in steps of 10 ms by the published rule: how far the tool is after each.
function ways(length, most, acceleration, period) {
    const ramp = Math.floor(most / acceleration / period + 1e-9), step = i => acceleration * period * period * (i + 0.5);
    const up = Array.from({ length: ramp }, (_, i) => step(i)), down = up.slice().reverse(), even = most * period;
    const sum = list => list.reduce((all, value) => all + value, 0), count = Math.floor((length - 2 * sum(up)) / even + 1e-9);
    const rest = length - 2 * sum(up) - count * even, at = down.findIndex(value => value < rest - 1e-12);
    down.splice(at < 0 ? down.length : at, 0, rest);
    let all = 0;
    return [...up, ...Array(count).fill(even), ...down].map(value => (all += value));
}

async function tryStops() {
    const it = await openCell(program, path.join(samples, 'demo.wu')), { client } = it;
    const text = 'SPEED 50, 100\nIMOV 0, 0, 203.3\nIMOV 0, 0, -50\nEND\n';
    const where = async () => {
        const { text: line } = await client.answer({ type: 'teach', name: 'P' });
        return /POSE\((.*)\)/.exec(line)[1].split(',').map(Number);
    };
    const home = it.last('state').q, begin = await where(), far = to => Math.hypot(...[0, 1, 2].map(i => to[i] - begin[i]));
    await client.answer({ type: 'program', name: 'a', text });
    await client.answer({ type: 'download', name: 'a' });
    await client.answer({ type: 'run' });
    const from = client.messages.length;
    await client.until(({ type, q }) => type === 'state' && Math.abs(q[1] - home[1]) > 0.01, from);
    await client.answer({ type: 'emergency' });
    await it.comesTo('emergency');
    const states = client.messages.filter(({ type }) => type === 'state').length, there = it.last('state').q;
    await client.answer({ type: 'reset' });
    check('an emergency is the last step', client.messages.filter(({ type }) => type === 'state').length === states);
    const ended = far(await where()), published = ways(203.3, 50, 100, 0.01);
    check('203.3 mm take 457 steps', published.length === 457 && Math.abs(published.at(-1) - 203.3) < 1e-9, published.length);
    check('it ends where one of the steps ends', published.some(way => Math.abs(way - ended) < 2e-4), ended);
    check('which is early', ended > 1 && ended < 60, ended);
    await it.move({ type: 'move', q: home, speed: 1 });
    check('and back', it.last('state').q.every((value, i) => Math.abs(value - home[i]) < 1e-12) && there[1] !== home[1]);
    await client.answer({ type: 'program', name: 'a', text: text.replace('50, 100', '400, 2000') });
    await client.answer({ type: 'download', name: 'a' });
    await client.answer({ type: 'run' });
    await client.answer({ type: 'stop' });
    await it.comesTo('stopped');
    check('a stop lets the move end', Math.abs(far(await where()) - 203.3) < 2e-4, far(await where()));
    await client.answer({ type: 'reset' });
    await it.close();
}

await Promise.all([tryKinds(), compareRecording(), tryStops()]);
endChecks();
