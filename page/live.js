// The page of a live cell: it logs in, gets the cell from its server, shows what the controller does, and says what
// people ask for. docs/live.md has the messages; teach.js has jogs and programs.
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const { root, byId, make, plain } = page.widgets;
    const touching = 0xe0002a,
        close = 0x8a2be2, // no colour of robots and fences
        closest = 0.01, // metres within which a pair is close
        mostPairs = 30, // in the list
        upright = new THREE.Matrix4().set(1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1), // the page is Y up
        fitModes = {
            run: ['ready'],
            step: ['ready', 'stopped'],
            continue: ['stopped'],
            reset: ['stopped', 'emergency'],
        },
        lost = 'The lease is lost: take over again.',
        aliveEvery = 700, // ms; the lease is lost after 2 s without a word
        patience = 1000, // ms after which an answer to STOP NOW is missed
        silence = 10000, // ms after which the page asks whether the server is still there
        answerTime = 4000; // ms that it waits then

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
            make('button', { className: 'main', text: 'Log in' }),
            says
        );
        root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
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
                if (says.textContent) return password.focus();
                form.remove();
                return resolve();
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
        const button = make('button', { type: 'button', id, text, title });
        button.addEventListener('click', act);
        return button;
    }

    // Nobody may believe that it was sent when it was not.
    async function stopNow(live) {
        const other = 'Use the emergency stop of the machine.',
            late = setTimeout(() => live.tell(`STOP NOW has no answer yet. ${other}`), patience);
        live.tell('');
        const answer = await live.ask({ type: 'emergency' });
        clearTimeout(late);
        if (answer.type === 'done') live.tell('');
        else live.tell(`STOP NOW did not reach the controller. ${other} `, reasonOf(live, answer.why));
    }

    async function logOut(live) {
        if (!live.mayLose('log out')) return;
        try {
            await fetch('logout', { method: 'POST' });
        } catch {
            live.tell('The server does not answer: you are not logged out.');
            return;
        }
        live.dropDraft();
        reload(live);
    }

    function makeBar(live) {
        const say = type => {
            live.tell('');
            live.ask({ type });
        };
        const word = type => () => say(type);
        live.chip = make('output', { id: 'live-mode', text: 'offline' });
        live.line = make('span', { id: 'live-line' });
        live.buttons = {
            take: makeButton('live-take', 'Take over', 'only who has taken over may move the cell', () => {
                say(live.has() ? 'give' : 'take');
            }),
            run: makeButton('live-run', 'Run', 'run the program that is loaded', word('run')),
            step: makeButton('live-step', 'Step', 'run one move of it', word('step')),
            continue: makeButton('live-continue', 'Continue', 'go on after a stop', word('continue')),
            stop: makeButton('live-stop', 'Stop', 'stop at the end of the move', word('stop')),
            reset: makeButton('live-reset', 'Reset', 'ready again, after a stop or STOP NOW', word('reset')),
        };
        live.emergency = makeButton('live-emergency', 'STOP NOW', 'stops the controller at once', () => stopNow(live));
        live.warning = make('small', {
            id: 'live-warning',
            text: 'no safety function',
            title: 'It goes through a browser and a network. Use the emergency stop of the machine.',
        });
        live.emergency.setAttribute('aria-describedby', live.warning.id);
        return make(
            'div',
            { id: 'live' },
            live.chip,
            live.line,
            make('div', { id: 'live-buttons' }, ...Object.values(live.buttons)),
            live.warning,
            live.emergency
        );
    }

    // Who this is, at the end of the first row.
    function makeVisitor(live) {
        live.who = make('span', { id: 'live-who' });
        live.out = makeButton('live-out', 'Log out', '', () => logOut(live));
        return [live.who, live.out];
    }

    function makePanel(live) {
        live.near = make('ul', { id: 'live-near' });
        return make(
            'div',
            { id: 'live-panel' },
            page.addTeaching(live),
            make('fieldset', {}, make('legend', { text: 'Near' }), live.near)
        );
    }

    // Keys that move joints are not for a live page.
    function tellKeys() {
        byId('keys').textContent =
            'Drag turns, right button or two fingers move, wheel zooms. Arrows turn, + and − zoom, F fits, ' +
            '1 front, 2 top, 3 left, 4 corner, O parallel, E edges, M measure, D dark. The space bar holds the ' +
            '+ or − of a joint that has the focus; Esc ends a jog and a simulation.';
        document.querySelector('[data-do=address]').hidden = true;
    }

    // ---- refusals ----

    // Why something was not done, in words: what the page's parts are made of.
    function reasonOf(live, why) {
        const { mode, lease } = live.mode;
        if (why === 'lease' && (!lease || live.has())) return 'Take over first.';
        if (why === 'lease') return make('span', {}, make('bdi', { text: lease }), ' has taken over.');
        if (why === 'mode') return mode === 'emergency' ? 'Reset it first.' : `Not while the cell is ${mode}.`;
        const known = {
            rights: 'Your role does not allow this.',
            offline: 'The controller is offline.',
            limits: 'It would go beyond the limits of a joint.',
        };
        return known[why] || plainReason(why);
    }

    // "near: A and B would touch" has its kind for programs before what people read.
    const plainReason = why => why.replace(/^(near|format|rate|full): /, '');

    // ---- what the server says ----

    // Parts that a program has moved stand where the server has them: rows of 3 by 4, in the axes of the cell.
    function placeMoved(live, moved) {
        const { cell } = live.app;
        for (const [id, node] of live.moved)
            if (!Object.hasOwn(moved, id)) {
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
            if (!live.simulation) showState(live);
        });
    }

    function showState(live) {
        const { app, state } = live;
        if (!state) return;
        page.setPose(
            app.cell,
            live.joints.map((id, i) => [id, state.q[i]]),
            false
        );
        if (state.moved || live.moved.size > 0) placeMoved(live, state.moved || {});
        app.changed();
        live.showJogs();
    }

    // What stands beside the mode: the program, who has taken over, and why the last motion ended.
    function describe(live, { mode, by, program, line, lines, lease, why }) {
        const parts = [];
        if (mode === 'emergency' && by) parts.push(['STOP NOW by ', make('bdi', { text: by })]);
        if (program) parts.push([make('bdi', { text: program }), line ? `, line ${line} of ${lines}` : ' is loaded']);
        if (lease && live.has()) parts.push(['you have taken over']);
        else if (lease === live.hello.user) parts.push(['you have taken over in another window']);
        else if (lease) parts.push([make('bdi', { text: lease }), ' has taken over']);
        else if (mode !== 'offline' && live.role > 1) parts.push(['nobody has taken over']);
        if (why) parts.push([make('bdi', { text: plainReason(why) })]);
        return parts.flatMap((part, i) => (i > 0 ? [' · ', ...part] : part));
    }

    function showMode(live, message) {
        const { mode, lease } = message,
            had = live.had;
        live.mode = message;
        if (!lease || lease !== live.hello.user) live.holds = false;
        const has = (live.had = live.has());
        live.chip.textContent = message.stopping ? `${mode}, stopping` : mode;
        live.chip.dataset.mode = mode;
        root.dataset.offline = mode === 'offline' ? 'yes' : 'no';
        live.line.replaceChildren(...describe(live, message));
        live.line.title = live.line.textContent;
        live.buttons.take.textContent = has ? 'Give back' : 'Take over';
        live.buttons.take.disabled = !live.socket || (Boolean(lease) && !has);
        for (const [name, fit] of Object.entries(fitModes)) live.buttons[name].disabled = !has || !fit.includes(mode);
        live.showTeaching();
        if (had && !has && !live.gives && mode !== 'offline') live.tell(lost);
        live.gives = false;
    }

    function showNear(live, { pairs }) {
        const { cell, view } = live.app,
            sorted = [...pairs].sort((a, b) => a[2] - b[2]);
        live.pairs = pairs;
        const rows = sorted.slice(0, mostPairs).map(([first, second, distance]) =>
            make(
                'li',
                { className: distance === 0 ? 'touch' : distance < closest ? 'close' : '' },
                make(
                    'span',
                    { title: `${first} – ${second}` },
                    make('bdi', { text: first }),
                    ' – ',
                    make('bdi', { text: second })
                ),
                make('output', { text: distance === 0 ? 'touch' : `${plain(1000 * distance, 1)} mm` })
            )
        );
        if (pairs.length > mostPairs) rows.push(make('li', { text: `and ${pairs.length - mostPairs} more` }));
        if (pairs.length === 0) rows.push(make('li', { text: 'nothing within 50 mm' }));
        live.near.replaceChildren(...rows);
        // Colours change when another pair touches or is close, not with each distance.
        const marked = sorted.filter(pair => pair[2] < closest).map(([a, b, distance]) => [a, b, distance === 0]),
            key = JSON.stringify(marked);
        if (key === live.markedKey) return;
        live.markedKey = key;
        const meshes = id => (cell.byId.get(`node ${id}`) || { meshes: [] }).meshes;
        live.marks = marked.map(([first, second, touch]) => [
            [...meshes(first), ...meshes(second)],
            touch ? touching : close,
        ]);
        view.mark(live.chosen);
    }

    // What is near keeps its colour when a frame or a pair is chosen.
    function shareMarks(live) {
        const { view } = live.app,
            { mark } = view;
        live.marks = live.chosen = [];
        view.mark = groups => {
            live.chosen = groups;
            mark([...live.marks, ...groups]);
        };
    }

    function showHello(live, message) {
        if (live.hello && live.hello.cell !== message.cell) return reload(live);
        live.hello = message;
        document.title = byId('title').textContent = byId('title').title = message.name || 'Live cell';
        live.joints = message.joints;
        live.role = ['guest', 'viewer', 'operator', 'teacher'].indexOf(message.role);
        for (const button of Object.values(live.buttons)) button.hidden = live.role < 2;
        live.emergency.hidden = live.warning.hidden = live.who.hidden = live.out.hidden = live.role < 1;
        live.teach.hidden = live.role < 3;
        live.who.replaceChildren(make('bdi', { text: message.user }), `, ${message.role}`);
        live.who.title = message.user;
        live.showPrograms({ names: [] });
        if (live.role < 3) return undefined;
        live.fillJogs();
        live.findDraft();
        return undefined;
    }

    // An answer goes to whoever asked; a refusal is told, but for words that nobody has said by hand.
    function takeAnswer(live, message) {
        const { asked, done } = live.asked.get(message.id) || {};
        live.asked.delete(message.id);
        if (message.type === 'done' && asked && asked.type === 'take') live.holds = true;
        if (message.type === 'done' && asked && asked.type === 'give') live.gives = true;
        if (message.type === 'refused') {
            if (message.why === 'lease') live.holds = false;
            live.refused = message;
            live.tell(message.why === 'lease' && !asked ? lost : reasonOf(live, message.why));
            live.endJog();
        }
        if (done) done(message);
    }

    function hear(live, message) {
        const shows = { hello: showHello, state: takeState, mode: showMode, near: showNear };
        live.heard = performance.now();
        if (live.heard - live.alive > aliveEvery) stayAlive(live);
        if (shows[message.type]) shows[message.type](live, message);
        else if (message.type === 'programs') live.showPrograms(message);
        else takeAnswer(live, message);
    }

    // ---- the connection ----

    // The page goes away by itself: nothing is lost that the tab remembers.
    function reload(live) {
        live.leaves = !live.forgets;
        location.reload();
    }

    function connect(live) {
        const address = new URL('live', location.href);
        address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
        address.hash = '';
        const socket = new WebSocket(address, 'cellpipe');
        live.socket = socket;
        live.heard = performance.now();
        socket.addEventListener('open', () => (live.tries = 0));
        socket.addEventListener('message', event => live.socket === socket && hear(live, JSON.parse(event.data)));
        socket.addEventListener('close', () => lose(live, socket));
    }

    // The connection has ended, or the server is silent.
    function lose(live, socket) {
        if (live.socket !== socket) return;
        live.socket = null;
        socket.close();
        live.holds = false;
        if (live.hello) showMode(live, { mode: 'offline', why: 'the server does not answer' });
        const lost = [...live.asked.values()];
        live.asked.clear();
        for (const { done } of lost) done({ type: 'refused', why: 'The server does not answer.' });
        setTimeout(() => comeBack(live), Math.min(3000, 250 * 2 ** live.tries++));
    }

    // A server that was started anew knows nobody, and may have another cell: then the page begins again.
    async function comeBack(live) {
        try {
            const answer = await fetch('session');
            if (answer.status === 401) return reload(live);
        } catch {
            // it is not there yet: connecting fails, and the next try follows
        }
        return connect(live);
    }

    // A page in a tab that is not seen has its clock slowed down, but hears what the server says.
    function stayAlive(live) {
        if (!live.has()) return;
        live.alive = performance.now();
        live.send({ type: 'alive' });
    }

    // A cable that is cut says nothing: without this a cell at rest would look the same.
    async function watch(live) {
        const { socket } = live;
        if (!socket || live.asks || document.hidden || performance.now() - live.heard < live.silence) return;
        live.asks = true;
        try {
            await fetch('health', { signal: AbortSignal.timeout(answerTime) });
            live.heard = performance.now();
        } catch {
            lose(live, socket);
        }
        live.asks = false;
    }

    function makeLive(app) {
        const live = {
            app,
            asked: new Map(),
            moved: new Map(),
            joints: [],
            tries: 0,
            mode: null,
            last: 0,
            drawn: 0,
            alive: 0,
            silence,
            holds: false,
        };
        live.has = () => Boolean(live.holds && live.socket && live.mode && live.mode.lease === live.hello.user);
        live.tell = (...parts) => byId('says').replaceChildren(...parts);
        live.showState = () => showState(live);
        live.send = message => {
            if (live.socket && live.socket.readyState === WebSocket.OPEN) live.socket.send(JSON.stringify(message));
        };
        // The answer to a message; a refusal if it cannot be sent.
        live.ask = message =>
            new Promise(done => {
                live.last++;
                if (!live.socket || live.socket.readyState !== WebSocket.OPEN) {
                    live.tell('The server does not answer: that was not sent.');
                    done({ type: 'refused', why: 'The server does not answer.' });
                    return;
                }
                live.asked.set(live.last, { asked: message, done });
                live.send({ ...message, id: live.last });
            });
        return live;
    }

    page.startLive = async function (options, fail) {
        const bytes = await fetchCell(),
            app = await page.start(bytes, options, fail);
        if (!app) return null;
        const live = makeLive(app);
        app.live = live;
        shareMarks(live);
        root.dataset.live = 'yes';
        document.querySelector('header').append(...makeVisitor(live), makeBar(live));
        // A phone's keyboard makes the page smaller: it does not push STOP NOW out of sight.
        document.querySelector('meta[name=viewport]').content += ', interactive-widget=resizes-content';
        byId('panel-joints').prepend(makePanel(live));
        tellKeys();
        connect(live);
        setInterval(() => stayAlive(live), aliveEvery);
        setInterval(() => watch(live), 1000);
        return app;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
