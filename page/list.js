// The list of a batch's page, as cards with pictures or as lines: only those that are seen are elements. One of them is
// the present one, which Tab comes to and arrows move.
(function (page) {
    'use strict';

    const { make, count } = page.widgets;
    const sizes = { cards: { width: 184, height: 200 }, lines: { width: Infinity, height: 30 } }; // at least so wide

    function wordOf(row) {
        if (row.failed || row.state === 'gone') return row.state;
        const told = row.losses.length + row.warnings.length;
        if (told > 0) return count(told, 'message', 'messages');
        return row.alike.length > 1 ? `${row.alike.length} alike` : '';
    }

    function fillCard(element, row, folder) {
        if (row.hasPicture)
            element.append(make('img', { src: `${folder}${row.key}.png`, alt: '', width: 192, height: 144 }));
        else element.append(make('span', { className: 'blank', text: row.failed ? '✕' : '' }));
    }

    function makeItem(row, kind, folder) {
        const element = make('button', { className: kind });
        if (kind === 'cards') fillCard(element, row, folder);
        element.append(
            make('bdi', { className: 'name', text: page.shown(row.input), title: page.shown(row.input) }),
            make('span', { className: 'number', text: row.trianglesOut ? `${row.trianglesOut.toLocaleString('en')} △` : '' }),
            make('span', { className: 'number', text: row.bytesOut ? page.bytesText(row.bytesOut) : '' })
        );
        if (kind === 'lines')
            element.append(make('span', { className: 'number', text: row.ms ? page.timeText(row.ms) : '' }));
        element.append(
            make('span', {
                className: row.failed || row.state === 'gone' ? 'word bad' : 'word',
                text: kind === 'lines' && row.error ? page.shown(row.error) : wordOf(row),
            })
        );
        return element;
    }

    // element: the scrolling one, with one child; open: called with a row that is chosen.
    page.makeList = function (element, folder, open) {
        const inner = element.firstElementChild,
            made = new Map();
        let rows = [],
            kind = 'lines',
            columns = 1,
            current = 0;

        function show() {
            const { width, height } = sizes[kind],
                room = element.clientWidth - 8;
            columns = Math.max(1, Math.floor(room / width));
            const step = Math.floor(room / columns);
            const seen = Math.ceil((element.clientHeight || 600) / height) + 1,
                first = Math.max(0, Math.floor(element.scrollTop / height) - 1) * columns,
                last = Math.min(rows.length, first + (seen + 2) * columns);
            inner.style.height = `${Math.ceil(rows.length / columns) * height}px`;
            const wanted = new Set(rows.slice(first, last));
            for (const [row, item] of made)
                if (!wanted.has(row) && item !== document.activeElement) {
                    item.remove();
                    made.delete(row);
                }
            const stop = current >= first && current < last ? current : first;
            for (let i = first; i < last; i++) {
                const row = rows[i];
                let item = made.get(row);
                if (!item) {
                    item = makeItem(row, kind, folder);
                    item.addEventListener('click', () => open(rows.indexOf(row)));
                    item.addEventListener('focus', () => (current = rows.indexOf(row)));
                    made.set(row, item);
                    inner.append(item);
                }
                item.tabIndex = i === stop ? 0 : -1;
                item.style.top = `${Math.floor(i / columns) * height}px`;
                item.style.left = `${8 + (i % columns) * step}px`;
                item.style.width = `${step - 8}px`;
            }
        }

        function clear() {
            inner.replaceChildren();
            made.clear();
        }

        // Makes the row the present one, and brings it into sight.
        function goTo(index) {
            const { height } = sizes[kind],
                top = Math.floor(index / columns) * height;
            current = index;
            if (top < element.scrollTop) element.scrollTop = top;
            if (top + height > element.scrollTop + element.clientHeight)
                element.scrollTop = top + height - element.clientHeight;
            show();
            made.get(rows[index])?.focus();
        }

        element.addEventListener('keydown', event => {
            const screen = columns * Math.max(1, Math.floor(element.clientHeight / sizes[kind].height));
            const steps = {
                ArrowLeft: -1,
                ArrowRight: 1,
                ArrowUp: -columns,
                ArrowDown: columns,
                PageUp: -screen,
                PageDown: screen,
                Home: -rows.length,
                End: rows.length,
            };
            if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey || rows.length === 0) return;
            event.preventDefault();
            goTo(Math.min(rows.length - 1, Math.max(0, current + steps[event.key])));
        });
        element.addEventListener('scroll', show);
        new ResizeObserver(show).observe(element);
        return {
            get rows() {
                return rows;
            },
            set(list) {
                rows = list;
                current = 0;
                element.scrollTop = 0;
                clear();
                show();
            },
            setKind(word) {
                kind = word;
                element.dataset.kind = word;
                clear();
                show();
            },
            goTo,
        };
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
