// What cellpipe hears of controllers, checked by robots of the test's own (robots.mjs): every sample in its order, however
// the network cuts or joins packages, and a reason for all that is nonsense.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { makeChecks } from './live_client.mjs';
import { greetRtde, listen, rtdeData, rtdePackage, simpleMessage, simplePosition, simpleStatus } from './robots.mjs';

const hearer = path.join(path.dirname(path.resolve(process.argv[2])), 'tests/hear_controller');
const { check, end: endChecks } = makeChecks();

const sampleOf = k => ({ t: k / 500, q: Array.from({ length: 6 }, (_, i) => Math.sin(0.37 * k + i)) });

// Waits a round of the event loop, so that the system sends what was written.
const breathe = () => new Promise(resolve => setImmediate(resolve));

const ways = {
    'one by one': async (socket, packages) => {
        for (const bytes of packages) socket.write(bytes);
    },
    'all at once': async (socket, packages) => socket.write(Buffer.concat(packages)),
    'a byte at a time': async (socket, packages) => {
        for (const byte of Buffer.concat(packages)) {
            socket.write(Buffer.from([byte]));
            await breathe();
        }
    },
    'in pieces of 7': async (socket, packages) => {
        const all = Buffer.concat(packages);
        for (let at = 0; at < all.length; at += 7) {
            socket.write(all.subarray(at, at + 7));
            await breathe();
        }
    },
    '500 a second': async (socket, packages) => {
        const begin = performance.now();
        for (const [k, bytes] of packages.entries()) {
            while (performance.now() - begin < 2 * k) await breathe();
            socket.write(bytes);
        }
    },
};

// What the hearer prints of a protocol whose robot does `talk` once it may.
async function hear(protocol, talk, asked = [], options = {}) {
    const robot = await listen(async socket => {
        if (protocol === 'rtde') {
            greetRtde(socket, asked, options);
            if (options.early) socket.write(options.early);
            await new Promise(resolve => socket.once('started', resolve));
        }
        await talk(socket);
        socket.end();
    });
    const said = await new Promise(resolve => execFile(hearer, [protocol, String(robot.port)], (error, text) => resolve(text)));
    robot.close();
    const lines = said.trimEnd().split('\n');
    return { samples: lines.slice(0, -1).filter(line => line.includes('=')), last: lines.at(-1), said };
}

function expectSamples(name, heard, count, first, tolerance) {
    check(`${name}: ends well`, heard.last === 'end', heard.last);
    check(`${name}: all samples`, heard.samples.length === count, heard.samples.length, count);
    const wrong = heard.samples.findIndex((line, k) => {
        const values = line.split(' ').slice(3).map(word => word.split('='));
        return !sampleOf(first + k).q.every((value, i) => values[i][0] === String(i + 1) && Math.abs(values[i][1] - value) <= tolerance);
    });
    check(`${name}: in order, and right`, wrong < 0, wrong, heard.samples[wrong]);
}

const range = count => Array.from({ length: count }, (_, k) => k);

async function tryRtde() {
    for (const [name, send] of Object.entries(ways)) {
        const count = name.startsWith('500') ? 250 : 40, asked = [];
        const heard = await hear('rtde', socket => send(socket, range(count).map(k => rtdeData(sampleOf(k)))), asked);
        expectSamples(`RTDE, ${name}`, heard, count, 0, 0);
        check('RTDE: times are the controller’s', heard.samples.every((line, k) => Number(line.split(' ')[0]) === k / 500));
        check('RTDE: three requests', asked.map(one => one.type).join('') === 'VOS', asked);
        check('RTDE: version 2', asked[0].body.equals(Buffer.from([0, 2])), asked[0].body);
        check('RTDE: 125 Hz', asked[1].body.readDoubleBE(0) === 125);
        check('RTDE: what it asks for', asked[1].body.toString('latin1', 8) === 'timestamp,actual_q,safety_mode,runtime_state');
        check('RTDE: the start is empty', asked[2].body.length === 0);
    }
    const good = rtdeData(sampleOf(0)), text = size => rtdePackage('M', Buffer.alloc(size - 3, 65));
    // Text messages of any size are passed over, also between the answers.
    let heard = await hear('rtde', async socket => socket.write(Buffer.concat([text(3), good, text(65535), rtdeData(sampleOf(1)), text(4)])), [],
        { early: text(20) });
    expectSamples('RTDE, text between', heard, 2, 0, 0);
    const refusals = [
        ['a length of 0', Buffer.from([0, 0, 85]), /0 bytes, fewer than its header/],
        ['a length of 2', Buffer.from([0, 2, 85]), /2 bytes, fewer than its header/],
        ['data of length 3', rtdePackage('U'), /has 3 bytes, not 68/],
        ['data of length 65535', rtdePackage('U', Buffer.alloc(65532, 1)), /has 65535 bytes, not 68/],
        ['data with a byte more', rtdePackage('U', good.subarray(3), Buffer.alloc(1)), /has 69 bytes, not 68/],
        ['another recipe', rtdeData(sampleOf(0), 2), /another recipe/],
        ['no type that there is', rtdePackage('?', Buffer.alloc(4)), /unexpected package of type 63/],
        ['a second start', rtdePackage('S', Buffer.from([1])), /unexpected package of type 83/],
        ['an end in the midst', good.subarray(0, 30), /ends in the midst/],
        ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(2000)), /unexpected package of type 84/],
        ['a time that is none', rtdeData({ ...sampleOf(0), t: NaN }), /timestamp is no finite number/],
    ];
    for (const [name, bytes, expected] of refusals) {
        heard = await hear('rtde', async socket => socket.write(Buffer.concat([good, bytes])));
        check(`RTDE, ${name}: a reason`, expected.test(heard.last), heard.last);
        check(`RTDE, ${name}: what came before counts`, heard.samples.length === 1);
    }
    heard = await hear('rtde', async () => {}, [], { version: 1 });
    check('RTDE: the wrong version', /does not speak version 2/.test(heard.last), heard.last);
    heard = await hear('rtde', async () => {}, [], { early: good });
    check('RTDE: data before the start', /unexpected package of type 85/.test(heard.last) && heard.samples.length === 0, heard.last);
}

async function trySimple(big) {
    const order = big ? 'big' : 'little', name = `simple_message, ${order}-endian`;
    const positions = (from, count) => range(count).map(k => simplePosition(big, sampleOf(from + k), k));
    for (const [way, send] of Object.entries(ways)) {
        const count = way.startsWith('500') ? 250 : 40;
        const heard = await hear('simple', socket => send(socket, positions(0, count)));
        expectSamples(`${name}, ${way}`, heard, count, 0, 1e-7);
    }
    // Others are passed over by their length: up to the longest one.
    const long = simpleMessage(big, 4711, Buffer.alloc(65535 - 12, 7));
    let heard = await hear('simple', async socket =>
        socket.write(Buffer.concat([long, ...positions(0, 2), simpleMessage(big, 4711, Buffer.alloc(0)), ...positions(2, 1)])));
    expectSamples(`${name}, others between`, heard, 3, 0, 1e-7);
    heard = await hear('simple', async socket => socket.write(simpleStatus(big, [1, 1, 0, 0, 0, 2, 0])));
    check(`${name}: the emergency stop`, /^\S+ emergency 0$/m.test(heard.said), heard.said);
    const refusals = [
        ['a length of 0', simpleMessage(big, 10, Buffer.alloc(0), { length: 0 }), /length of 0; there are 12 to 65535/],
        ['a length of 3', simpleMessage(big, 10, Buffer.alloc(0), { length: 3 }), /length of 3; there/],
        ['a length of 65536', simpleMessage(big, 10, Buffer.alloc(0), { length: 65536 }), /length of 65536; there/],
        ['a length below 0', simpleMessage(big, 10, Buffer.alloc(0), { length: -1 }), /length of 4294967295; there/],
        ['a position that is too short', simpleMessage(big, 10, Buffer.alloc(40)), /JOINT_POSITION .* length of 52/],
        ['the other byte order', simplePosition(!big, sampleOf(1)), /there are 12 to 65535/],
        ['no communication that there is', simpleMessage(big, 10, Buffer.alloc(44), { communication: 9 }), /communication type 9/],
        ['an end in the midst', positions(1, 1)[0].subarray(0, 20), /ends in the midst/],
    ];
    for (const [what, bytes, expected] of refusals) {
        heard = await hear('simple', async socket => socket.write(Buffer.concat([...positions(0, 1), bytes])));
        check(`${name}, ${what}: a reason`, expected.test(heard.last), heard.last);
        check(`${name}, ${what}: what came before counts`, heard.samples.length === 1, heard.samples.length);
    }
}

async function tryLines() {
    const line = k => Buffer.from(`{"t":${k / 500},"q":{${sampleOf(k).q.map((value, i) => `"${i + 1}":${value}`).join()}}}\n`);
    for (const [way, send] of Object.entries(ways)) {
        const count = way.startsWith('500') ? 250 : 40;
        expectSamples(`JSON lines, ${way}`, await hear('jsonl', socket => send(socket, range(count).map(line))), count, 0, 0);
    }
    for (const [what, bytes] of [
        ['the longest line', Buffer.from(`{"x":"${'y'.repeat(65536 - 8)}"}\r\n`.replace('\r', ''))],
        ['CR LF', Buffer.from('\r\n  \r\n{"other":[1,{"2":null}]}\r\n')],
    ])
        expectSamples(`JSON lines, ${what}`, await hear('jsonl', async socket => socket.write(Buffer.concat([line(0), bytes, line(1)]))), 2, 0, 0);
    for (const [what, text, expected] of [
        ['a line too long', `{"x":"${'y'.repeat(65536)}"}\n`, /more than 65536 bytes/],
        ['a zero byte', '{"q":{"1":0\0}}\n', /no JSON/],
        ['NaN', '{"q":{"1":NaN}}\n', /no JSON/],
        ['UTF-16', '\ufeff{\0"\0q', /no JSON/],
    ]) {
        const heard = await hear('jsonl', async socket => socket.write(Buffer.concat([line(0), Buffer.from(text)])));
        check(`JSON lines, ${what}: a reason`, expected.test(heard.last), heard.last);
        check(`JSON lines, ${what}: what came before counts`, heard.samples.length === 1);
    }
}

await Promise.all([tryRtde(), trySimple(true), trySimple(false), tryLines()]);
endChecks();
