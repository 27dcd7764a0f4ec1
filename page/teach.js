// Jogs, points and programs in the page of a live cell. The text of a program is the visitor's: it is kept in files of
// their own, and over reloads of the tab.
(function (page) {
    'use strict';

    const { root, make, plain, unitOf } = page.widgets;
    const jogEvery = 100, // ms; the server ends a jog 250 ms after the last word
        sureFor = 6000, // ms in which a second click does what would lose a text
        longest = 256 << 10, // bytes of a message: the server ends the connection after a longer one
        fastest = { revolute: 1, prismatic: 0.25 }; // of a jog, in radians and metres a second

    // ---- jogs ----

    function endJog(live) {
        const { jog } = live;
        if (!jog) return;
        live.jog = null;
        clearInterval(jog.timer);
        jog.button.classList.remove('held');
        // It would go on for another 250 ms; a controller outside may take a stop for more than the end of a jog.
        const may = live.has() && ['ready', 'jogging'].includes(live.mode.mode);
        if (live.hello.controller === 'simulated' && may) live.send({ type: 'stop' });
    }

    // One jog at a time goes on for as long as its button is held.
    function beginJog(live, joint, sign, button) {
        endJog(live);
        const speed = (sign * (fastest[joint.type] || 0.25) * Number(live.speed.value)) / 100;
        const word = () => (live.has() ? live.send({ type: 'jog', joint: joint.id, speed }) : endJog(live));
        live.tell('');
        live.jog = { button, timer: setInterval(word, jogEvery) };
        button.classList.add('held');
        word();
    }

    function makeJogButton(live, joint, sign) {
        const button = make('button', { type: 'button', text: sign < 0 ? '−' : '+' });
        button.setAttribute('aria-label', `jog ${joint.name} ${sign < 0 ? 'down' : 'up'}`);
        const end = () => live.jog && live.jog.button === button && endJog(live);
        const isHold = event => event.key === ' ' || event.key === 'Enter';
        button.addEventListener('pointerdown', event => {
            if (event.button !== 0) return;
            button.setPointerCapture(event.pointerId);
            beginJog(live, joint, sign, button);
        });
        button.addEventListener('keydown', event => {
            if (!isHold(event)) return;
            event.preventDefault();
            if (!event.repeat) beginJog(live, joint, sign, button);
        });
        button.addEventListener('keyup', event => isHold(event) && end());
        button.addEventListener('contextmenu', event => event.preventDefault()); // of a finger that stays
        for (const name of ['pointerup', 'pointercancel', 'lostpointercapture', 'blur'])
            button.addEventListener(name, end);
        return button;
    }

    // A row for each joint: its name, its value, and two buttons.
    function fillJogs(live) {
        const { cell } = live.app,
            joints = live.joints.map(id => cell.byId.get(`joint ${id}`)).filter(Boolean);
        live.jogRows = joints.map(joint => {
            const value = make('output', { className: 'value' });
            return { joint, value, unit: unitOf(joint) };
        });
        live.jogs.replaceChildren(
            ...live.jogRows.map(({ joint, value }) =>
                make(
                    'div',
                    { className: 'jog' },
                    make('bdi', { className: 'name', text: joint.name, title: joint.id }),
                    value,
                    makeJogButton(live, joint, -1),
                    makeJogButton(live, joint, 1)
                )
            )
        );
        showJogs(live);
    }

    function showJogs(live) {
        for (const { joint, value, unit } of live.jogRows || [])
            value.textContent = `${plain(joint.q / unit.size, 1)} ${unit.name}`;
    }

    // ---- the text of the program ----

    // What a tab remembers over a reload; a browser may forbid it.
    const nameOfDraft = live => `cellpipe, program of ${live.hello.user}`;
    function keepDraft(live) {
        const draft = { name: live.name.value, text: live.text.value, kept: live.kept };
        try {
            sessionStorage.setItem(nameOfDraft(live), JSON.stringify(draft));
        } catch {
            // then a reload loses it, after the browser's question
            live.forgets = true;
        }
        live.unkept.hidden = !isUnkept(live);
    }
    function findDraft(live) {
        try {
            const draft = JSON.parse(sessionStorage.getItem(nameOfDraft(live)));
            if (!draft || live.text.value) return;
            live.name.value = draft.name;
            live.text.value = draft.text;
            live.kept = draft.kept;
        } catch {
            // there is none that can be read
        }
        live.unkept.hidden = !isUnkept(live);
    }
    function dropDraft(live) {
        live.kept = live.text.value;
        try {
            sessionStorage.removeItem(nameOfDraft(live));
        } catch {
            // it was never kept
        }
    }

    const isUnkept = live => live.text.value !== live.kept;

    // What would lose a text asks for a second click: a dialog would keep people from STOP NOW.
    function mayLose(live, what) {
        const sure = live.sure === what && performance.now() < live.sureUntil;
        live.sure = what;
        live.sureUntil = performance.now() + sureFor;
        if (!isUnkept(live) || sure) return true;
        live.tell(`The program is in no file. Save it, or do it again to ${what} without it.`);
        return false;
    }

    function setText(live, name, text) {
        live.name.value = name;
        live.text.value = text;
        live.kept = live.text.value;
        live.errors.replaceChildren();
        keepDraft(live);
    }

    // ---- files, and programs that the server keeps ----

    function saveFile(live) {
        const link = make('a', { href: URL.createObjectURL(new Blob([live.text.value])), download: live.name.value });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        live.kept = live.text.value;
        keepDraft(live);
    }

    async function openFile(live) {
        const [file] = live.file.files;
        live.file.value = '';
        if (!file) return;
        if (file.size > longest) return live.tell(`${file.name} is too long for the server: 256 KiB at most.`);
        const bytes = await file.arrayBuffer();
        let text, note = '';
        try {
            text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        } catch {
            text = new TextDecoder('windows-1252').decode(bytes);
            note = `${file.name} is no UTF-8: its characters were taken for those of Windows-1252.`;
        }
        setText(live, file.name.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 64), text);
        live.tell(note);
    }

    async function openKnown(live) {
        const name = live.known.value;
        live.known.value = '';
        if (!name || !mayLose(live, `open ${name}`)) return;
        const answer = await live.ask({ type: 'open', name });
        if (answer.type !== 'done') return;
        setText(live, name, answer.text);
        live.tell(`${name} is open. Download it to run it.`);
    }

    function showPrograms(live, { names }) {
        const first = make('option', { value: '', text: 'on server' });
        live.known.replaceChildren(first, ...names.map(name => make('option', { value: name, text: name })));
        live.known.hidden = names.length === 0;
    }

    // ---- teaching, simulating, loading ----

    async function teach(live) {
        live.tell('');
        const answer = await live.ask({ type: 'teach', name: live.point.value });
        if (!answer.text) return;
        const rest = live.text.value
            .split('\n')
            .filter(line => !line.trimStart().startsWith(`${answer.name} =`))
            .join('\n');
        live.text.value = `${answer.text}\n${rest}`;
        keepDraft(live);
        live.tell(`${answer.name} is where the tool is now: LPTP ${answer.name} goes there.`);
        const number = /^(.*?)(\d+)$/.exec(live.point.value);
        if (number) live.point.value = number[1] + (Number(number[2]) + 1);
    }

    // Keeps the program on the server, which checks it.
    async function save(live) {
        const message = { type: 'program', name: live.name.value, text: live.text.value };
        if (new TextEncoder().encode(JSON.stringify(message)).length > longest - 100) {
            live.tell('The program is too long for the server: 256 KiB at most.');
            return {};
        }
        live.tell('Checking …');
        const answer = await live.ask(message);
        showErrors(live, answer);
        if (answer.good) live.tell(`It takes ${plain(answer.seconds, 1)} s, and nothing touches.`);
        else if (answer.type === 'checked') live.tell('The program cannot run: see below it.');
        return answer;
    }

    async function download(live) {
        const { good } = await save(live);
        if (!good) return;
        const answer = await live.ask({ type: 'download', name: live.name.value });
        if (answer.type === 'done') live.tell(`${live.name.value} is loaded: Run runs it.`);
    }

    // Where a column of bytes, from 1, is in a line.
    function placeOf(line, column) {
        let bytes = 1,
            at = 0;
        for (const character of line) {
            if (bytes >= column) break;
            bytes += new TextEncoder().encode(character).length;
            at += character.length;
        }
        return at;
    }

    // Selects the word at a line and a column; without a column the whole line.
    function selectPlace(live, { line, column }) {
        const lines = live.text.value.split('\n'),
            here = lines[line - 1];
        if (here === undefined) return;
        const begin = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0),
            at = column ? Math.min(placeOf(here, column), here.length) : 0;
        const word = column ? /^(\w+|.)?/u.exec(here.slice(at))[0].length : here.length;
        live.text.focus({ preventScroll: true });
        live.text.setSelectionRange(begin + at, begin + at + word);
        live.text.scrollTop = (line - 4) * parseFloat(getComputedStyle(live.text).lineHeight);
    }

    function showErrors(live, answer) {
        const errors = [...(answer.errors || [])];
        if (errors.length === 0 && answer.why && answer.type === 'checked') {
            const [, line] = /\bin line (\d+)/.exec(answer.why) || [];
            errors.push({ why: true, line: Number(line || 0), text: answer.why.replace(/^near: /, '') });
        }
        const rows = errors.map(({ line, column, text, why }) => {
            const place = line && !why ? `line ${line}${column ? `, column ${column}` : ''}: ` : '';
            const button = make('button', { type: 'button', text: `${place}${text}` });
            button.addEventListener('click', () => selectPlace(live, { line, column }));
            return make('li', {}, button);
        });
        live.errors.replaceChildren(...rows);
        if (errors.length === 0) return;
        selectPlace(live, errors[0]);
        live.errors.scrollIntoView({ block: 'nearest' });
    }

    // Shows the way that the check has found, here alone: the controller does not move.
    async function simulate(live) {
        if (live.simulation) return endSimulation(live);
        const { path, seconds, good } = await save(live);
        if (!good || path.length === 0 || live.mode.mode !== 'ready') return;
        const own = { begun: performance.now() };
        live.simulation = own;
        root.dataset.simulation = 'yes';
        live.simulateButton.textContent = 'End simulation';
        live.tell(`Simulation, ${plain(seconds, 1)} s: the cell itself does not move.`);
        const show = () => {
            if (live.simulation !== own) return;
            const part = Math.min(1, (performance.now() - own.begun) / 1000 / seconds || 1),
                at = part * (path.length - 1),
                low = Math.floor(at),
                high = Math.min(low + 1, path.length - 1);
            page.setPose(
                live.app.cell,
                live.joints.map((id, i) => [id, path[low][i] + (at - low) * (path[high][i] - path[low][i])]),
                false
            );
            live.app.changed();
            if (part === 1) setTimeout(() => live.simulation === own && endSimulation(live), 500);
            else requestAnimationFrame(show);
        };
        show();
    }

    function endSimulation(live) {
        if (!live.simulation) return;
        live.simulation = null;
        root.dataset.simulation = 'no';
        live.simulateButton.textContent = 'Simulate';
        live.tell('The simulation has ended: this is the cell.');
        live.showState();
    }

    // ---- the panel ----

    function makeControls(live) {
        live.jogs = make('div', { id: 'live-jogs' });
        live.speed = make('input', { id: 'live-speed', type: 'range', min: 1, max: 100, value: 20 });
        live.errors = make('ul', { id: 'live-errors' });
        const field = (id, value, maxLength) =>
            make('input', { id, type: 'text', value, maxLength, spellcheck: false });
        live.name = field('live-name', 'program.prg', 64);
        live.text = make('textarea', { id: 'live-program', rows: 9, spellcheck: false, wrap: 'off' });
        live.text.setAttribute('aria-label', 'text of the program');
        live.point = field('live-point', 'P1', 32);
        live.known = make('select', { id: 'live-known', hidden: true, title: 'open a program that the server keeps' });
        live.known.setAttribute('aria-label', 'programs of the server');
        live.file = make('input', { type: 'file', hidden: true, id: 'live-file' });
        live.unkept = make('span', { id: 'live-unkept', text: 'in no file', hidden: true });
        live.hint = make('p', { id: 'live-hint' });
        live.kept = '';
        live.text.addEventListener('input', () => keepDraft(live));
        live.name.addEventListener('input', () => keepDraft(live));
        live.file.addEventListener('change', () => openFile(live));
        live.known.addEventListener('change', () => openKnown(live));
    }

    function makeTeachPanel(live) {
        const percent = make('output', { text: '20 %' });
        const button = (id, text, title, act) => {
            const one = make('button', { type: 'button', id, text, title });
            one.addEventListener('click', act);
            return one;
        };
        makeControls(live);
        live.speed.addEventListener('input', () => (percent.textContent = `${live.speed.value} %`));
        live.teachButton = button('live-teach', 'Teach', 'put the place of the tool into the program', () =>
            teach(live)
        );
        live.sendButton = button('live-send', 'Save', 'keep it on the server while that runs, and check it', () =>
            save(live)
        );
        live.simulateButton = button('live-simulate', 'Simulate', 'save it, and show here what it would do', () =>
            simulate(live)
        );
        live.downloadButton = button('live-download', 'Download', 'save it, and load it into the controller', () =>
            download(live)
        );
        const openButton = button('live-open-file', 'Open file', 'of your disk', () => {
            if (mayLose(live, 'open a file')) live.file.click();
        });
        const saveButton = button('live-save-file', 'Save as file', 'on your disk', () => saveFile(live));
        live.teach = make(
            'fieldset',
            { id: 'teach' },
            make('legend', { text: 'Teach' }),
            live.hint,
            make('label', { className: 'speed' }, make('span', { text: 'Speed' }), live.speed, percent),
            live.jogs,
            make('label', {}, make('span', { text: 'Point' }), live.point, live.teachButton),
            make('label', {}, make('span', { text: 'Program' }), live.name, live.known),
            make('div', { className: 'buttons' }, openButton, live.file, saveButton, live.unkept),
            live.text,
            make('div', { className: 'buttons' }, live.sendButton, live.simulateButton, live.downloadButton),
            live.errors
        );
        return live.teach;
    }

    // What may be done now.
    function showTeaching(live) {
        const { mode } = live.mode,
            has = live.has(),
            rests = mode === 'ready' || mode === 'stopped';
        if (live.jog && (!has || (live.jog.moves && mode !== 'jogging'))) endJog(live);
        else if (live.jog && mode === 'jogging') live.jog.moves = true;
        if (live.simulation && mode !== 'ready') endSimulation(live);
        for (const button of live.jogs.querySelectorAll('button'))
            button.disabled = !(has && (mode === 'ready' || mode === 'jogging'));
        live.teachButton.disabled = live.downloadButton.disabled = !(has && rests);
        live.sendButton.disabled = !has;
        live.simulateButton.disabled = !(has && mode === 'ready');
        live.hint.textContent = has ? '' : 'Take over to jog, teach, check and load programs.';
    }

    page.addTeaching = function (live) {
        const panel = makeTeachPanel(live),
            end = () => endJog(live);
        addEventListener('blur', end);
        addEventListener('pagehide', end);
        document.addEventListener('visibilitychange', end);
        document.addEventListener('keydown', event => {
            if (event.key !== 'Escape') return;
            endJog(live);
            endSimulation(live);
        });
        addEventListener('beforeunload', event => {
            if (!live.hello || live.leaves || !isUnkept(live)) return;
            event.preventDefault();
            event.returnValue = '';
        });
        Object.assign(live, {
            endJog: end,
            fillJogs: () => fillJogs(live),
            showJogs: () => showJogs(live),
            showTeaching: () => showTeaching(live),
            showPrograms: message => showPrograms(live, message),
            mayLose: what => mayLose(live, what),
            findDraft: () => findDraft(live),
            dropDraft: () => dropDraft(live),
        });
        return panel;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
