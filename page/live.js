// The page of a live cell: it logs in, gets the cell from its server, shows what the controller does, and says what people
// ask for. docs/live.md has the messages.
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const { root, byId, make, plain } = page.widgets;
    const red = 0xd03a2b,
        orange = 0xe08a00,
        upright = new THREE.Matrix4().set(1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1), // the page is Y up
        jogEvery = 100, // ms; the server ends a jog 250 ms after the last word
        aliveEvery = 700; // the lease is lost after 2 s without a word

    // ---- logging in ----

    async function logIn(user, password) {
        const answer = await fetch('login', { method: 'POST', body: JSON.stringify({ user, password }) });
        if (answer.ok) return '';
        return answer.status === 401
            ? 'Wrong name or password.'
            : answer.status === 429
              ? 'Too many failures. Wait a minute.'
              : `The server refuses (${answer.status}).`;
    }

    // Asks for name and password until the server takes them.
    function askWho() {
        const user = make('input', { name: 'user', autocomplete: 'username', required: true });
        const password = make('input', {
            name: 'password',
            type: 'password',
            autocomplete: 'current-password',
            required: true,
        });
        const says = make('p', { id: 'login-says' });
        says.setAttribute('role', 'alert');
        const form = make(
            'form',
            { id: 'login', className: 'why' },
            make('h1', { text: 'Live cell' }),
            make('label', { text: 'Name ' }, user),
            make('label', { text: 'Password ' }, password),
            make('button', { text: 'Log in' }),
            says
        );
        document.body.append(form);
        user.focus();
        return new Promise(resolve => {
            form.addEventListener('submit', async event => {
                event.preventDefault();
                says.textContent = 'Checking …';
                try {
                    says.textContent = await logIn(user.value, password.value);
                } catch {
                    says.textContent = 'The server does not answer.';
                }
                password.value = '';
                if (says.textContent) return;
                form.remove();
                resolve();
            });
        });
    }

    async function fetchCell() {
        for (;;) {
            const answer = await fetch('cell.glb');
            if (answer.ok) return answer.arrayBuffer();
            if (answer.status !== 401) throw new Error(`the server answers ${answer.status}`);
            byId('wait').hidden = true;
            await askWho();
            byId('wait').hidden = false;
        }
    }

    // ---- what stands in the page ----

    function makeButton(id, text, title, act) {
        const button = make('button', { id, text, title });
        button.addEventListener('click', act);
        return button;
    }

    function makeBar(live) {
        const say = type => () => live.send({ type });
        live.chip = make('output', { id: 'live-mode', text: 'offline' });
        live.line = make('span', { id: 'live-line' });
        live.buttons = {
            take: makeButton('live-take', 'Take over', 'only who has taken over may move the cell', () => {
                live.send({ type: live.has() ? 'give' : 'take' });
            }),
            run: makeButton('live-run', 'Run', 'run the program that is loaded', say('run')),
            step: makeButton('live-step', 'Step', 'run one move of it', say('step')),
            continue: makeButton('live-continue', 'Continue', 'go on after a stop', say('continue')),
            stop: makeButton('live-stop', 'Stop', 'stop at the end of the move', say('stop')),
            reset: makeButton('live-reset', 'Reset', 'ready again, after a stop or STOP NOW', say('reset')),
        };
        live.emergency = makeButton(
            'live-emergency',
            'STOP NOW',
            'stops the controller at once. This is no safety function: use the emergency stop of the machine',
            say('emergency')
        );
        live.out = makeButton('live-out', 'Log out', '', async () => {
            await fetch('logout', { method: 'POST' });
            location.reload();
        });
        return make(
            'div',
            { id: 'live' },
            live.chip,
            live.line,
            ...Object.values(live.buttons),
            live.emergency,
            live.out
        );
    }

    // Jogs, points, the program and what is near.
    function makePanel(live) {
        live.jogs = make('div', { id: 'live-jogs' });
        live.speed = make('input', { id: 'live-speed', type: 'range', min: 1, max: 100, value: 20 });
        live.near = make('ul', { id: 'live-near' });
        live.errors = make('ul', { id: 'live-errors' });
        live.name = make('input', { id: 'live-name', value: 'program.prg', maxLength: 64 });
        live.text = make('textarea', { id: 'live-program', rows: 12, spellcheck: false });
        live.point = make('input', { id: 'live-point', value: 'P1', maxLength: 32 });
        live.teach = make(
            'fieldset',
            { id: 'teach' },
            make('legend', { text: 'Teach' }),
            make('label', { text: 'Speed of jogs ' }, live.speed),
            live.jogs,
            make('label', { text: 'Point ' }, live.point, makeButton('live-teach', 'Teach', '', () => teach(live))),
            make('label', { text: 'Program ' }, live.name),
            live.text,
            makeButton('live-send', 'Save', 'keep the program on the server, and check it', () => save(live)),
            makeButton('live-simulate', 'Simulate', 'save it, and show here what it would do', () => simulate(live)),
            makeButton('live-download', 'Download', 'load it into the controller', () => download(live)),
            live.errors
        );
        return make(
            'div',
            { id: 'live-panel' },
            live.teach,
            make('fieldset', {}, make('legend', { text: 'Near' }), live.near)
        );
    }

    // ---- teaching ----

    async function teach(live) {
        const answer = await live.ask({ type: 'teach', name: live.point.value });
        if (!answer.text) return;
        const rest = live.text.value
            .split('\n')
            .filter(line => !line.trimStart().startsWith(`${answer.name} =`))
            .join('\n');
        live.text.value = `${answer.text}\n${rest}`;
        const number = /^(.*?)(\d+)$/.exec(live.point.value);
        if (number) live.point.value = number[1] + (Number(number[2]) + 1);
    }

    function save(live) {
        return live.ask({ type: 'program', name: live.name.value, text: live.text.value });
    }

    async function download(live) {
        const saved = await save(live);
        if (saved.good) await live.ask({ type: 'download', name: live.name.value });
    }

    // Shows the way that the check has found, here alone: the controller does not move.
    async function simulate(live) {
        const { path, seconds, good, joints = live.joints } = await save(live);
        if (!good || path.length === 0) return;
        const begun = performance.now();
        live.simulates = true;
        live.app.say('simulation: the cell itself does not move');
        const show = () => {
            const part = Math.min(1, (performance.now() - begun) / 1000 / seconds || 1);
            const at = part * (path.length - 1),
                low = Math.floor(at),
                high = Math.min(low + 1, path.length - 1);
            page.setPose(
                live.app.cell,
                joints.map((id, i) => [id, path[low][i] + (at - low) * (path[high][i] - path[low][i])]),
                false
            );
            live.app.changed();
            if (part < 1 && live.mode.mode === 'ready') return requestAnimationFrame(show);
            live.simulates = false;
            live.app.say('');
            return showState(live, live.state);
        };
        show();
    }

    function showErrors(live, answer) {
        const errors = (answer.errors || []).map(
            error => `line ${error.line}${error.column ? `, column ${error.column}` : ''}: ${error.text}`
        );
        if (errors.length === 0 && answer.why) errors.push(answer.why);
        live.errors.replaceChildren(...errors.map(text => make('li', { text })));
        if (answer.good) live.app.say(`saved; it takes ${plain(answer.seconds, 1)} s, and nothing touches`);
    }

    // A jog goes on as long as its button is held.
    function makeJog(live, joint) {
        const fastest = joint.type === 'revolute' ? 1 : 0.25;
        const row = make('div', { className: 'jog' }, make('span', { className: 'name', text: joint.name }));
        for (const sign of [-1, 1]) {
            const button = make('button', { text: sign < 0 ? '−' : '+' });
            button.setAttribute('aria-label', `jog ${joint.name} ${sign < 0 ? 'down' : 'up'}`);
            const jog = () =>
                live.send({ type: 'jog', joint: joint.id, speed: (sign * fastest * Number(live.speed.value)) / 100 });
            let timer = 0;
            const end = () => {
                if (timer) clearInterval(timer);
                timer = 0;
            };
            button.addEventListener('pointerdown', event => {
                if (button.disabled || timer) return;
                button.setPointerCapture(event.pointerId);
                jog();
                timer = setInterval(jog, jogEvery);
            });
            for (const name of ['pointerup', 'pointercancel', 'lostpointercapture', 'blur'])
                button.addEventListener(name, end);
            row.append(button);
        }
        return row;
    }

    // ---- what the server says ----

    // Parts that a program has moved stand where the server has them: rows of 3 by 4, in the axes of the cell.
    function placeMoved(live, moved) {
        const { cell } = live.app;
        for (const [id, node] of live.moved)
            if (!moved[id]) {
                page.toRest(node);
                live.moved.delete(id);
            }
        for (const [id, rows] of Object.entries(moved)) {
            const frame = cell.byId.get(`node ${id}`);
            if (!frame) continue;
            const { object } = frame.node,
                world = upright.clone().multiply(new THREE.Matrix4().set(...rows, 0, 0, 0, 1));
            live.moved.set(id, frame.node);
            object.parent.updateWorldMatrix(true, false);
            const local = new THREE.Matrix4().getInverse(object.parent.matrixWorld).multiply(world);
            local.decompose(object.position, object.quaternion, object.scale);
        }
    }

    // The newest state is shown when the browser draws next, however many come before.
    function takeState(live, message) {
        live.state = message;
        if (live.onstate) live.onstate(message);
        if (live.drawn) return;
        live.drawn = requestAnimationFrame(() => {
            live.drawn = 0;
            if (!live.simulates) showState(live, live.state);
        });
    }

    function showState(live, message) {
        const { app } = live;
        page.setPose(
            app.cell,
            live.joints.map((id, i) => [id, message.q[i]]),
            false
        );
        if (message.moved || live.moved.size > 0) placeMoved(live, message.moved || {});
        app.changed();
    }

    function showMode(live, message) {
        const offline = message.mode === 'offline';
        live.mode = message;
        live.chip.textContent = message.stopping ? `${message.mode}, stopping` : message.mode;
        live.chip.dataset.mode = message.mode;
        root.dataset.offline = offline ? 'yes' : 'no';
        const parts = [];
        if (message.program) parts.push(`${message.program} ${message.line}/${message.lines}`);
        if (message.lease) parts.push(`${message.lease} has taken over`);
        if (message.why) parts.push(message.why);
        live.line.textContent = parts.join(' · ');
        live.buttons.take.textContent = live.has() ? 'Give back' : 'Take over';
        const rest = { run: ['ready'], step: ['ready', 'stopped'], continue: ['stopped'], reset: ['stopped', 'emergency'] };
        for (const [name, modes] of Object.entries(rest))
            live.buttons[name].disabled = !live.has() || !modes.includes(message.mode);
        live.teach.disabled = !live.has();
    }

    function showNear(live, message) {
        const { cell, view } = live.app;
        const meshes = id => {
            const frame = cell.byId.get(`node ${id}`);
            return frame ? frame.meshes : [];
        };
        live.pairs = message.pairs;
        live.near.replaceChildren(
            ...message.pairs.map(([first, second, distance]) =>
                make('li', {
                    className: distance === 0 ? 'touch' : '',
                    text: `${first} – ${second}: ${distance === 0 ? 'touch' : `${plain(1000 * distance, 1)} mm`}`,
                })
            )
        );
        const touching = message.pairs.filter(pair => pair[2] === 0);
        const close = message.pairs.filter(pair => pair[2] > 0 && pair[2] < 0.01);
        view.mark([
            ...touching.map(pair => [[...meshes(pair[3]), ...meshes(pair[4])], red]),
            ...close.map(pair => [[...meshes(pair[3]), ...meshes(pair[4])], orange]),
        ]);
    }

    function showHello(live, message) {
        const { app } = live;
        if (live.hello && live.hello.cell !== message.cell) location.reload();
        live.hello = message;
        document.title = byId('title').textContent = message.name || 'Live cell';
        live.joints = message.joints;
        const may = ['guest', 'viewer', 'operator', 'teacher'].indexOf(message.role);
        for (const button of Object.values(live.buttons)) button.hidden = may < 2;
        live.emergency.hidden = may < 1;
        live.out.hidden = may < 1;
        live.teach.hidden = may < 3;
        live.jogs.replaceChildren(
            ...(may < 3
                ? []
                : message.joints.map(id => app.cell.byId.get(`joint ${id}`)).map(joint => joint && makeJog(live, joint)))
        );
        for (const input of document.querySelectorAll('#panel-joints input')) input.disabled = true;
    }

    function hear(live, message) {
        const shows = { hello: showHello, state: takeState, mode: showMode, near: showNear };
        if (shows[message.type]) return shows[message.type](live, message);
        if (message.type === 'refused') {
            live.refused = message;
            live.app.say(message.why);
        }
        const waiting = live.asked.get(message.id);
        live.asked.delete(message.id);
        if (waiting) waiting(message);
        return undefined;
    }

    // ---- the connection ----

    function connect(live) {
        const address = new URL('live', location.href);
        address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
        address.hash = '';
        const socket = new WebSocket(address, 'cellpipe');
        live.socket = socket;
        socket.addEventListener('open', () => (live.tries = 0));
        socket.addEventListener('message', event => hear(live, JSON.parse(event.data)));
        socket.addEventListener('close', () => {
            showMode(live, { mode: 'offline', why: 'the server does not answer', line: 0, lines: 0 });
            live.asked.clear();
            setTimeout(() => comeBack(live), Math.min(3000, 250 * 2 ** live.tries++));
        });
    }

    // A server that was started anew knows nobody, and may have another cell: then the page begins again.
    async function comeBack(live) {
        try {
            const answer = await fetch('session');
            if (answer.status === 401) return location.reload();
        } catch {
            live.line.textContent = 'the server does not answer';
        }
        return connect(live);
    }

    page.startLive = async function (options, fail) {
        const bytes = await fetchCell(),
            app = await page.start(bytes, options, fail);
        if (!app) return null;
        const live = { app, asked: new Map(), moved: new Map(), joints: [], tries: 0, mode: null, last: 0, drawn: 0 };
        app.live = live;
        app.keepAddress = () => {};
        live.has = () => Boolean(live.mode && live.hello && live.hello.user && live.mode.lease === live.hello.user);
        live.send = message => {
            if (live.socket.readyState === WebSocket.OPEN) live.socket.send(JSON.stringify(message));
        };
        live.ask = message =>
            new Promise(resolve => {
                live.last++;
                live.asked.set(live.last, answer => {
                    showErrors(live, answer);
                    resolve(answer);
                });
                live.send({ ...message, id: live.last });
            });
        document.querySelector('header').append(makeBar(live));
        byId('panel-joints').prepend(makePanel(live));
        connect(live);
        setInterval(() => live.has() && live.send({ type: 'alive' }), aliveEvery);
        return app;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
