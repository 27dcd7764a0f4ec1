// The JSON Schema of docs/live.md: every message of a session fits it, in both directions, and has no member that it does
// not name; and the server takes and refuses the same messages as the schema does, valid ones and changed ones.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeValidator } from './json_schema.mjs';
import { connect, logIn, makeChecks, serve } from './live_client.mjs';

const program = process.argv[2], root = path.resolve(import.meta.dirname, '../..'), cell = path.join(root, 'samples/demo.wu');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'schema-'));
const { check, end: endChecks } = makeChecks();
const page = fs.readFileSync(path.join(root, 'docs/live.md'), 'utf8');
const schema = JSON.parse(/^```json\n([^]*?)^```/m.exec(page)[1]);
const isSaid = makeValidator(schema, 'said'), isHeard = makeValidator(schema, 'heard'), isMessage = makeValidator(schema);

// ---- a session ----

// The members of a variant that a message has, and whether the schema knows them all.
const seen = new Map();
function note(direction, message) {
    const variants = schema.$defs[direction].oneOf.map(one => ({ ...schema.$defs[direction].properties, ...one.properties }));
    const variant = variants.find(one => one.type.const === message.type || one.type.enum?.includes(message.type));
    check(`${message.type} is known`, variant, message);
    const names = seen.get(message.type) ?? new Set();
    for (const name of Object.keys(message)) {
        check(`"${name}" of ${message.type} is in the schema`, variant && name in variant);
        names.add(name);
    }
    seen.set(message.type, names);
}
function checkSaid(message) {
    check(`said: ${JSON.stringify(message)}`, !isSaid(message) && !isMessage(message), isSaid(message));
    note('said', message);
}

function watch(client) {
    const say = client.say;
    client.say = message => {
        checkSaid(message);
        say(message);
    };
    client.checkHeard = () => {
        for (const message of client.messages) {
            check(`heard: ${JSON.stringify(message).slice(0, 300)}`, !isHeard(message) && !isMessage(message), isHeard(message));
            note('heard', message);
        }
    };
    return client;
}

// A teacher teaches a program that takes a part along, and does all that there is to say; a guest looks.
async function playSession(port) {
    const { cookie } = await logIn(port, 'tina', 'may teach it');
    const client = watch(connect(port, { cookie })), ask = message => client.answer(message);
    const guest = watch(connect(port)), hello = await client.until(it => it.type === 'hello');
    const first = await client.until(it => it.type === 'state'), gripper = hello.joints.indexOf('Arm.Gripper.Left');
    const alive = setInterval(() => client.say({ type: 'alive' }), 500);
    // Does what a message asks for, until the newest mode is this, or a message fits.
    const isNewest = mode => () => client.messages.findLast(it => it.type === 'mode').mode === mode;
    const reach = async (wanted, message) => {
        const from = client.messages.length, answer = await ask(message);
        check(`done: ${message.type}`, answer.type === 'done', answer);
        await client.until(typeof wanted === 'string' ? isNewest(wanted) : wanted, from);
    };
    const moveTo = async q => {
        await reach(it => it.type === 'state' && it.q.every((value, i) => Math.abs(value - q[i]) < 1e-9), { type: 'move', q, speed: 1 });
        await client.until(isNewest('ready'));
    };
    await guest.until(it => it.type === 'near');
    check('a guest may not', (await guest.answer({ type: 'stop' })).why === 'rights');
    check('taken', (await ask({ type: 'take' })).type === 'done');
    check('taught', /^P1 = /.test((await ask({ type: 'teach', name: 'P1' })).text));
    await moveTo(first.q.map((q, i) => (i === gripper ? 0.01 : q)));
    await reach('jogging', { type: 'jog', joint: hello.joints[gripper], speed: 0.01 });
    await client.until(isNewest('ready'));
    await moveTo(first.q);
    const bad = await ask({ type: 'program', name: 'bad.prg', text: 'SPEED 100\nFLY 3\n' });
    check('a program with an error', bad.type === 'checked' && !bad.good && bad.errors.length === 1, bad);
    check('the server keeps it', (await ask({ type: 'open', name: 'bad.prg' })).text === 'SPEED 100\nFLY 3\n');
    const refused = await ask({ type: 'download', name: 'bad.prg' });
    check('which is not loaded', refused.type === 'refused', refused);
    const text = 'SPEED 1000\nLMOV 463.2, 223.7, 490\nLMOV 463.2, 223.7, 410\nHANDLE CLOSE Part\nIMOV 0, 0, 80\nIMOV 0, -200, 0\nEND\n';
    const good = await ask({ type: 'program', name: 'good.prg', text });
    check('a good program', good.type === 'checked' && good.good && good.path.length > 1, good.why, good.errors);
    check('which is kept', (await ask({ type: 'open', name: 'good.prg' })).text === text);
    await reach('ready', { type: 'download', name: 'good.prg' });
    await reach('stopped', { type: 'step' });
    await reach(it => it.moved, { type: 'continue' });
    await reach('stopped', { type: 'stop' });
    await reach('emergency', { type: 'emergency' });
    await reach('ready', { type: 'reset' });
    await reach('running', { type: 'run' });
    await reach('emergency', { type: 'emergency' });
    check('given', (await ask({ type: 'give' })).type === 'done');
    clearInterval(alive);
    client.checkHeard();
    guest.checkHeard();
    client.socket.destroy();
    guest.socket.destroy();
    return { hello, state: first };
}

// A controller that nobody can reach.
async function playOffline() {
    const { child, port } = await serve(program, [cell, '--controller', 'jsonl:127.0.0.1:1']), guest = watch(connect(port));
    await guest.until(it => it.mode === 'offline' && it.why);
    guest.checkHeard();
    guest.socket.destroy();
    child.kill('SIGINT');
    await child.ended;
}

// All but the errors of a refusal: a server that has a thread which checks programs tells them before.
function checkCoverage() {
    for (const direction of ['said', 'heard'])
        for (const one of schema.$defs[direction].oneOf)
            for (const type of [one.properties.type.const ?? one.properties.type.enum].flat())
                for (const name of Object.keys(one.properties).filter(name => type !== 'refused' || name !== 'errors'))
                    check(`the session had "${name}" of ${type}`, seen.get(type)?.has(name));
}

// ---- messages at random ----

// Numbers that are the same in every run.
let seed = 20261130;
function random(count) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 4294967296) * count);
}
const pick = list => list[random(list.length)];

const follow = part => (part.$ref ? follow(schema.$defs[part.$ref.split('/').pop()]) : part);

// A value that fits a part of the schema.
function make(given) {
    const part = follow(given), letters = 'abzAZ_09';
    if ('const' in part) return part.const;
    if (part.enum) return pick(part.enum);
    if (part.pattern) {
        const size = 1 + random(4) * random(17), name = Array.from({ length: Math.min(size, 63) }, () => pick(letters)).join('');
        return part.pattern.includes('.-') ? pick(['', '.', '-']) + name : pick('aZ_') + name;
    }
    if (part.type === 'string') return pick(['', 'a', 'IMOV 0, 0, 1\nEND\n', 'Grün "x" \\ \u2028', '\0']);
    if (part.type === 'integer') return pick([1, 7, 1e3, 9007199254740991]);
    if (part.type === 'number') return pick([0, -1, 0.25, 1e300, -1e-300, 3]);
    return Array.from({ length: part.minItems ?? random(4) }, () => make(part.items));
}
function makeMessage() {
    const variant = pick(schema.$defs.said.oneOf);
    const message = Object.fromEntries(Object.entries(variant.properties).map(([name, part]) => [name, make(part)]));
    if (random(2)) message.id = make(schema.$defs.id);
    if (random(4) === 0) message[pick(['extra', 'q', 'name', 'speed', 'why'])] ??= pick([1, 'x', null, [1], { type: 'jog' }]);
    return message;
}
// The same, perhaps changed at one place or two.
function change(message) {
    const others = [null, true, 0, -1, 0.5, 1e16, '', 'x', 'a b', 'a'.repeat(65), '9a', 'a.b', [], [1, 'x'], {}, 'take', 'jog', 'fly'];
    for (let i = random(3); i > 0; i--) {
        const names = Object.keys(message), name = pick([...names, 'id', 'type']);
        if (random(3) === 0) delete message[name];
        else if (Array.isArray(message[name]) && random(2)) message[name].splice(random(3), random(2), structuredClone(pick(others)));
        else message[name] = structuredClone(pick(others));
    }
    return random(40) === 0 ? pick([[message], 'take', null, 7]) : message;
}

// Says messages one after the other. Returns what became of each: 'closed', 'format' or 'taken'.
async function tell(port, messages) {
    const verdicts = [];
    let client;
    for (const message of messages) {
        client ??= connect(port);
        await client.until(it => it.type === 'mode');
        const from = client.messages.length;
        client.say(message);
        const answer = await client.until(it => it.type === 'done' || it.type === 'refused', from).catch(() => null);
        verdicts.push(!answer ? `closed ${client.code}` : answer.why?.startsWith('format') ? 'format' : 'taken');
        if (!answer) client = undefined;
    }
    client?.socket.destroy();
    return verdicts;
}

async function compare(port, { hello, state }) {
    schema.$defs.joint.enum = hello.joints;
    schema.$defs.q.minItems = schema.$defs.q.maxItems = state.q.length;
    const types = schema.$defs.said.oneOf.flatMap(one => one.properties.type.const ?? one.properties.type.enum);
    const groups = Array.from({ length: 30 }, () => Array.from({ length: 80 }, () => change(makeMessage())));
    const told = (await Promise.all(groups.map(group => tell(port, group)))).flat();
    const counts = { taken: 0, format: 0, 'closed 1008': 0 };
    groups.flat().forEach((message, i) => {
        const wrong = isSaid(message), verdict = told[i];
        const wanted = !wrong ? 'taken' : types.includes(message?.type) && !Array.isArray(message) ? 'format' : 'closed 1008';
        counts[verdict]++;
        check(`the server agrees: ${JSON.stringify(message)}`, verdict === wanted, verdict, wanted, wrong);
    });
    const nested = depth => `{"type":"stop","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    check('nested 8 deep, and deeper', (await tell(port, [nested(8), nested(9)])).join() === 'taken,closed 1008');
    check('there were all verdicts', Object.values(counts).every(count => count > 100), counts);
}

const people = path.join(folder, 'people');
execFileSync(program, ['users', people, 'add', 'tina', 'teacher'], { input: 'may teach it\n' });
const { child, port } = await serve(program, [cell, '--users', people, '--public-view']);
try {
    const facts = await playSession(port);
    await playOffline();
    checkCoverage();
    await compare(port, facts);
} finally {
    child.kill('SIGINT');
    await child.ended;
    fs.rmSync(folder, { recursive: true });
}
endChecks();
