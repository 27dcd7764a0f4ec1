// The page as a whole: it reads the cell, makes the view and what stands around it, and listens to buttons and keys.
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const { root, byId, count, press, isPressed } = page.widgets;

    // ---- buttons and keys ----

    function makeActions(app) {
        const { view } = app;
        return {
            fit() {
                view.fit(app.chosen ? page.meshesBelow(app.chosen) : null);
            },
            edges() {
                press('edges', !isPressed('edges'));
                view.edges(isPressed('edges'));
            },
            measure() {
                app.clearPoints();
                press('measure', !isPressed('measure'));
                view.canvas.classList.toggle('measure', isPressed('measure'));
                app.say(isPressed('measure') ? 'measure: choose the first point' : '');
                view.invalidate();
            },
            hand() {
                if (app.isLive) return;
                press('hand', !isPressed('hand'));
                view.canvas.classList.toggle('hand', isPressed('hand'));
                app.say(isPressed('hand') ? 'drag a link to move its joint' : '');
            },
            dark() {
                setDark(app, !isPressed('dark'));
            },
            loop() {
                press('loop', !isPressed('loop'));
            },
            play: app.play,
            picture: app.savePicture,
            address() {
                const text = location.href.replace(/#.*/, '') + app.addressOf();
                navigator.clipboard.writeText(text).then(
                    () => app.say('copied'),
                    () => app.say(text)
                );
            },
        };
    }

    function setDark(app, dark) {
        root.dataset.theme = dark ? 'dark' : 'light';
        press('dark', dark);
        app.view.setDark(dark);
        app.drawTicks();
        if (app.cell.pairs.length > 0) app.drawMatrix();
    }

    function makeKeys(app, actions) {
        const { cell, view } = app;
        function escape() {
            if (isPressed('measure')) actions.measure();
            if (isPressed('hand')) actions.hand();
            app.pause();
            app.choose(null);
            app.say('');
        }
        return {
            ArrowLeft: () => view.turn(-0.1, 0),
            ArrowRight: () => view.turn(0.1, 0),
            ArrowUp: () => view.turn(0, -0.1),
            ArrowDown: () => view.turn(0, 0.1),
            '+': () => view.zoom(0.9),
            '=': () => view.zoom(0.9),
            '-': () => view.zoom(1 / 0.9),
            f: actions.fit,
            1: () => app.goTo('front'),
            2: () => app.goTo('top'),
            3: () => app.goTo('left'),
            4: () => app.goTo('corner'),
            o: () => byId('parallel').click(),
            m: actions.measure,
            d: actions.dark,
            e: actions.edges,
            j: actions.hand,
            l: actions.loop,
            ' ': app.play,
            h: () => !app.isLive && app.goHome(cell.joints.filter(page.isFree)),
            Escape: escape,
        };
    }

    function listenToKeys(actions, keys) {
        for (const button of document.querySelectorAll('[data-do]'))
            button.addEventListener('click', () => actions[button.dataset.do]());
        document.addEventListener('keydown', event => {
            const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
            const onButton = event.target.tagName === 'BUTTON' && (event.key === ' ' || event.key === 'Enter');
            const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
            if (
                event.ctrlKey ||
                event.metaKey ||
                event.altKey ||
                onButton ||
                !keys[key] ||
                (inField && event.key !== 'Escape')
            )
                return;
            event.preventDefault();
            if (key.startsWith('Arrow') || key === '+' || key === '-' || key === '=') byId('views').value = '';
            keys[key]();
        });
    }

    function listenToTabs(app) {
        const tabs = ['joints', 'program', 'tree', 'pairs', 'more'],
            { cell } = app;
        const select = name => {
            for (const one of tabs) {
                byId(`panel-${one}`).hidden = one !== name;
                byId(`tab-${one}`).setAttribute('aria-selected', String(one === name));
            }
            if (name === 'tree') app.showFrames();
        };
        tabs.forEach(name => byId(`tab-${name}`).addEventListener('click', () => select(name)));
        const moves = cell.joints.some(joint => joint.type !== 'fixed');
        select(moves ? 'joints' : cell.frames.length > 2 ? 'tree' : 'more');
    }

    // The picture keeps its view when the window changes its size.
    function listenToSize({ view, goTo }) {
        new ResizeObserver(() => {
            if (view.canvas.clientWidth === view.width && view.canvas.clientHeight === view.height) return;
            view.resize();
            if (byId('views').value) goTo(byId('views').value);
        }).observe(view.canvas);
    }

    // ---- beginning ----

    function showCounts({ cell }, driven) {
        const parts = [count(cell.frames.length, 'frame', 'frames')];
        if (driven) parts.push(count(driven, 'joint', 'joints'));
        parts.push(count(Math.round(cell.triangles), 'triangle', 'triangles'));
        byId('counts').textContent = parts.join(' · ');
    }

    // In a gallery's frame, the gallery takes Esc if the page has nothing to end by it; and what the graphics card has of
    // a part goes with it.
    function bePart(app) {
        root.dataset.part = 'yes';
        addEventListener('pagehide', () => app.view.renderer.forceContextLoss());
        const isIdle = () => !isPressed('measure') && !isPressed('hand') && !app.running && !app.chosen;
        addEventListener('keydown', event => event.key === 'Escape' && isIdle() && parent.postMessage('close', '*'), true);
    }

    // bytes: the GLB; options: of the exporter; fail: tells why there is nothing to see.
    page.start = async function (bytes, options, fail) {
        const started = performance.now(),
            cell = await page.openCell(THREE, page.unpackMeshopt(bytes));
        const parsed = performance.now(),
            driven = cell.joints.filter(joint => joint.type !== 'fixed').length;
        byId('wait').hidden = byId('picture').hidden = true;
        byId('app').hidden = false;
        const view = page.makeView(byId('scene'), cell);
        if (!view)
            return fail(
                'This browser cannot draw in 3D here: WebGL is switched off or missing, so there is no cell to see.'
            );
        // A live page shows where the cell is: nothing in the page moves a joint of it.
        const app = {
            cell,
            view,
            running: false,
            begun: globalThis.cellpipe.begun,
            chosen: null,
            isLive: Boolean(options.live),
        };
        globalThis.cellpipe = app;
        app.say = text => (byId('says').textContent = text);
        const parts = [
            page.addFrames,
            page.addJoints,
            page.addClips,
            page.addPairs,
            page.addPointer,
            page.addViews,
            page.addAddress,
        ];
        parts.forEach(add => add(app));
        const actions = makeActions(app);

        showCounts(app, driven);
        app.fillJoints();
        app.fillViews();
        app.fillPairs();
        app.fillMore();
        listenToTabs(app);
        app.fillClips();
        app.listenToPointer();
        listenToKeys(actions, makeKeys(app, actions));
        const { theme } = root.dataset; // a gallery has said it
        setDark(app, theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);
        if (options.part) bePart(app);
        document.querySelector('[data-do=hand]').hidden = driven === 0 || app.isLive;
        if (options.edges) actions.edges();
        view.resize();
        app.goTo('corner');
        app.readAddress();
        view.controls.addEventListener('change', app.keepAddress);
        addEventListener('hashchange', app.readAddress);
        listenToSize(app);
        view.draw();
        app.startTimes = { unpacked: started - app.begun, parsed: parsed - started, drawn: performance.now() - parsed };
        root.dataset.ready = 'yes';
        return app;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
