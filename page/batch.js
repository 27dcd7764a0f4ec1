// The page of a batch: reads its data, fills the sums, and listens to the search, the filters and the keys.
(function (page) {
    'use strict';

    const { root, byId, make, count } = page.widgets;

    function fail(text) {
        byId('why').hidden = false;
        byId('why').textContent = text;
        root.dataset.failed = text;
    }

    // ---- sums ----

    // A cell is a number, a text of ours, or an element.
    function makeTable(title, lines) {
        const cell = value => make('td', {}, typeof value === 'number' ? value.toLocaleString('en') : value);
        return make(
            'table',
            {},
            make('caption', { text: title }),
            ...lines.map(line => make('tr', {}, ...line.map(cell)))
        );
    }

    const text = value => make('bdi', { text: page.shown(value) });

    function fillSums({ report, rows }, choose) {
        const states = Object.entries(report.states).filter(([, number]) => number > 0),
            { time } = report;
        const sums = [
            ['inputs', report.inputs],
            ...states,
            ...(report.missing.length > 0 ? [['missing', report.missing.length]] : []),
            ...(report.new_failures + report.mended + report.failures_as_before > 0
                ? [
                      ['new failures', report.new_failures],
                      ['mended', report.mended],
                      ['failures as before', report.failures_as_before],
                  ]
                : []),
            ['bytes in', page.bytesText(report.bytes_in)],
            ['bytes out', page.bytesText(report.bytes_out)],
            ['triangles in', report.triangles_in],
            ['triangles out', report.triangles_out],
            ['equal outputs would save', page.bytesText(report.spare_bytes)],
            ...Object.entries(report.passed_over).map(([what, number]) => [`passed over: ${page.shown(what)}`, number]),
            ...report.isolation.map(words => ['isolation', words]),
        ];
        byId('sums').append(makeTable('Sums', sums));
        if (time.ms > 0)
            byId('sums').append(
                makeTable('Times', [
                    ['work', page.timeText(time.ms)],
                    ['processors', page.timeText(time.cpu_ms)],
                    ['memory of a file at most', page.bytesText(time.max_rss)],
                ]),
                makeTable(
                    'Slowest',
                    time.slowest.map(one => [text(one.in), page.timeText(one.ms)])
                )
            );
        for (const [kind, title] of [
            ['failures', 'Failures'],
            ['losses', 'Losses'],
            ['warnings', 'Warnings'],
        ]) {
            const lines = report[kind].map(group => {
                const message = `${group.code}: ${group.message}`,
                    button = make('button', { title: 'show these alone' }, text(message));
                button.addEventListener('click', () => choose(message, page.saying(kind, page.patternOf(message))));
                return [group.count, button];
            });
            if (lines.length > 0) byId('sums').append(makeTable(title, lines));
        }
        byId('about').open = rows.length === 0;
    }

    // ---- filters ----

    function makeFilters(rows, changed) {
        const chosen = { keeps: page.filters.all, words: '' };
        function press(button) {
            for (const one of byId('filters').children) one.setAttribute('aria-pressed', String(one === button));
        }
        function add(name, keeps, number) {
            const button = make('button', { text: `${name} ${number.toLocaleString('en')}` });
            button.dataset.filter = name;
            button.addEventListener('click', () => {
                chosen.keeps = keeps;
                press(button);
                changed();
            });
            byId('filters').append(button);
            return button;
        }
        for (const [name, keeps] of Object.entries(page.filters)) {
            const number = rows.filter(keeps).length;
            if (number > 0 || name === 'all') add(name, keeps, number);
        }
        press(byId('filters').firstElementChild);
        // One more button for a message: that of the last one that was chosen.
        chosen.choose = (message, keeps) => {
            document.querySelector('[data-filter=message]')?.remove();
            const button = add('message', keeps, rows.filter(keeps).length);
            button.title = page.shown(message);
            button.click();
        };
        return chosen;
    }

    // ---- beginning ----

    function setDark(dark) {
        root.dataset.theme = dark ? 'dark' : 'light';
        byId('dark').setAttribute('aria-pressed', String(dark));
    }

    function listenToKeys(actions) {
        addEventListener('keydown', event => {
            const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
            if (inField || byId('part').open || event.ctrlKey || event.metaKey || event.altKey) return;
            const action = actions[event.key.toLowerCase()];
            if (!action) return;
            event.preventDefault();
            action();
        });
    }

    function start(batch) {
        const folder = batch.folder || '',
            list = page.makeList(byId('list'), folder, index => dialog.open(index)),
            dialog = page.makeDialog(folder, list),
            filters = makeFilters(batch.rows, update);
        let kind = folder ? 'cards' : 'lines';
        function update() {
            const found = page.find(batch.rows, byId('search').value, filters.keeps, byId('sort').value);
            byId('counts').textContent =
                found.length === batch.rows.length
                    ? count(found.length, 'input', 'inputs')
                    : `${found.length.toLocaleString('en')} of ${count(batch.rows.length, 'input', 'inputs')}`;
            list.set(found);
        }
        function setKind(word) {
            kind = word;
            byId('cards').setAttribute('aria-pressed', String(kind === 'cards'));
            list.setKind(kind);
        }
        const toggleKind = () => folder && setKind(kind === 'cards' ? 'lines' : 'cards'),
            toggleDark = () => setDark(root.dataset.theme !== 'dark');
        byId('sort').append(...Object.keys(page.sorts).map(name => make('option', { text: name, value: name })));
        byId('app').hidden = false;
        byId('cards').hidden = !folder;
        setDark(matchMedia('(prefers-color-scheme: dark)').matches);
        fillSums(batch, filters.choose);
        setKind(kind);
        update();
        byId('search').addEventListener('input', update);
        byId('sort').addEventListener('change', update);
        byId('cards').addEventListener('click', toggleKind);
        byId('dark').addEventListener('click', toggleDark);
        listenToKeys({ '/': () => byId('search').focus(), v: toggleKind, d: toggleDark });
        const wanted = decodeURIComponent(location.hash.slice(1)),
            index = wanted ? list.rows.findIndex(row => page.shown(row.input) === wanted) : -1;
        if (index >= 0) dialog.open(index);
        globalThis.cellpipe = { batch, list, dialog };
        root.dataset.ready = 'yes';
    }

    document.addEventListener('DOMContentLoaded', () => {
        if (typeof DecompressionStream === 'undefined') return fail(page.tooOld);
        if (!byId('end'))
            return fail('This page is cut short: a part of the file is missing. Copy or download it again.');
        return page
            .gunzip(page.takeBytes('packed-data'))
            .then(bytes => start(page.readBatch(new TextDecoder().decode(bytes))))
            .catch(error => fail(`This page cannot be shown. The file may be damaged. (${error.message})`));
    });
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
