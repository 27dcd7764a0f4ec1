// The dialog of one input: its facts, and its part in the one viewer, a page of its own in a frame. The frame is made
// anew for each part and takes all its memory with it.
(function (page) {
    'use strict';

    const { byId, make, count } = page.widgets;

    function makeFacts(row, choose) {
        const list = make('dl'),
            add = (name, ...values) => list.append(make('dt', { text: name }), make('dd', {}, ...values)),
            text = value => make('bdi', { text: page.shown(value) });
        add('Input', text(row.input));
        if (row.output)
            add('Output', row.state === 'ok' ? make('a', { href: page.addressOf(row.output) }, text(row.output)) : text(row.output));
        const gone = 'gone: the output is not there, or not as it was written; batch makes it anew';
        add('State', row.state === 'gone' ? gone : row.state);
        if (row.error) add('Error', text(row.error));
        const from = (out, into) => (into ? `${out} from ${into}` : out);
        if (row.trianglesOut)
            add('Triangles', from(row.trianglesOut.toLocaleString('en'), row.trianglesIn.toLocaleString('en')));
        if (row.bytesOut) add('Bytes', from(page.bytesText(row.bytesOut), row.bytesIn && page.bytesText(row.bytesIn)));
        if (row.ms) add('Time', page.timeText(row.ms));
        for (const [name, messages] of [
            ['Losses', row.losses],
            ['Warnings', row.warnings],
        ])
            if (messages.length > 0) add(name, ...messages.map(message => make('p', {}, text(message))));
        if (row.alike.length > 1) {
            const most = 50,
                others = row.alike.filter(other => other !== row);
            add(
                'Equal outputs',
                ...others.slice(0, most).map(other => {
                    const button = make('button', {}, text(other.input));
                    button.addEventListener('click', () => choose(other));
                    return button;
                }),
                others.length > most ? `and ${count(others.length - most, 'other', 'others')}` : ''
            );
        }
        return list;
    }

    // list: of makeList; folder: that of the viewer and its parts, or '' if there are none.
    page.makeDialog = function (folder, list) {
        const dialog = byId('part'),
            view = byId('view');
        let at = -1;

        function showPart(row) {
            view.hidden = !row.hasModel;
            view.replaceChildren();
            if (!row.hasModel) return;
            const theme = document.documentElement.dataset.theme;
            view.append(make('iframe', { title: 'the part in 3D', src: `${folder}viewer.html?${row.key}&${theme}` }));
        }

        function showRow(row) {
            byId('part-name').textContent = page.shown(row.input);
            byId('facts').replaceChildren(makeFacts(row, showRow));
            at = list.rows.indexOf(row);
            byId('before').disabled = at <= 0;
            byId('after').disabled = at < 0 || at >= list.rows.length - 1;
            showPart(row);
            history.replaceState(null, '', `#${encodeURIComponent(page.shown(row.input))}`);
        }

        function open(index) {
            showRow(list.rows[index]);
            if (!dialog.open) dialog.showModal();
        }

        byId('before').addEventListener('click', () => open(at - 1));
        byId('after').addEventListener('click', () => open(at + 1));
        byId('close').addEventListener('click', () => dialog.close());
        dialog.addEventListener('close', () => {
            view.replaceChildren();
            history.replaceState(null, '', location.pathname + location.search);
            if (at >= 0) list.goTo(at);
        });
        // The viewer has the keys while it has the focus: it says when Esc is for the dialog.
        addEventListener('message', event => {
            if (event.source === view.firstElementChild?.contentWindow && event.data === 'close') dialog.close();
        });
        return { open, showRow };
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
