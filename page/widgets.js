// Elements of the page. All texts of the scene go into it by textContent.
(function (page) {
    'use strict';

    const root = document.documentElement,
        byId = id => document.getElementById(id);
    const blue = 0x1668e0,
        magenta = 0xc4288f;

    function make(tag, { text, className, ...rest } = {}, ...children) {
        const element = document.createElement(tag);
        if (text !== undefined) element.textContent = text;
        if (className) element.className = className;
        Object.assign(element, rest);
        element.append(...children);
        return element;
    }

    const plain = (value, digits = 3) => String(Number(value.toFixed(digits)));
    const count = (number, one, many) => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
    const press = (name, on) => document.querySelector(`[data-do=${name}]`).setAttribute('aria-pressed', String(on));
    const isPressed = name => document.querySelector(`[data-do=${name}]`).getAttribute('aria-pressed') === 'true';
    const unitOf = joint =>
        joint.type === 'revolute'
            ? { name: '°', size: Math.PI / 180, step: 0.1 }
            : joint.type === 'prismatic'
              ? { name: 'mm', size: 0.001, step: 0.1 }
              : { name: '×', size: 1, step: 0.01 };
    const millimetres = metres => plain(1000 * metres, 1);
    // The page is Y up; people read the cell's coordinates.
    const inCell = point => `${millimetres(point.x)}, ${millimetres(-point.z)}, ${millimetres(point.y)} mm`;

    // A list of which only the rows that are seen are there: rows of equal height, made by `fill`.
    function makeRows(element, fill) {
        const inner = element.firstElementChild;
        let items = [],
            height = 28;
        function show() {
            height = matchMedia('(pointer: coarse)').matches ? 40 : 28;
            inner.style.height = `${items.length * height}px`;
            const first = Math.max(0, Math.floor(element.scrollTop / height) - 4);
            const last = Math.min(items.length, first + Math.ceil((element.clientHeight || 400) / height) + 8);
            inner.replaceChildren(
                ...items.slice(first, last).map((item, i) => {
                    const row = fill(item);
                    row.style.top = `${(first + i) * height}px`;
                    return row;
                })
            );
        }
        element.addEventListener('scroll', show);
        new ResizeObserver(show).observe(element);
        return {
            set(list) {
                items = list;
                show();
            },
            show,
            reveal(item) {
                const at = items.indexOf(item) * height;
                if (at >= 0 && (at < element.scrollTop || at + height > element.scrollTop + element.clientHeight))
                    element.scrollTop = at - element.clientHeight / 2;
                show();
            },
        };
    }

    function makeList(items) {
        return make(
            'dl',
            {},
            ...items
                .filter(([, text]) => text)
                .flatMap(([name, text]) => [make('dt', { text: name }), make('dd', { text })])
        );
    }

    page.widgets = {
        root,
        byId,
        make,
        plain,
        count,
        press,
        isPressed,
        unitOf,
        millimetres,
        inCell,
        makeRows,
        makeList,
        blue,
        magenta,
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
