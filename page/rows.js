// The rows of a batch: what is known of each input, how people see names, and which rows a search finds. No elements.
(function (page) {
    'use strict';

    const failures = ['failed', 'timeout', 'memory', 'crashed', 'missing'];

    // Control characters, marks that change the direction of text, and bytes that are no text (\udcXX) are shown as
    // escapes, so that no name looks like another one.
    page.shown = text =>
        text.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, character => {
            const code = character.codePointAt(0),
                isByte = code >= 0xdc80 && code <= 0xdcff;
            return isByte ? `\\x${(code & 255).toString(16)}` : `\\u${code.toString(16).padStart(4, '0')}`;
        });

    // The address of a file below the page's folder.
    const codeOf = character => {
        const code = character.codePointAt(0);
        if (code >= 0xdc80 && code <= 0xdcff) return `%${(code & 255).toString(16)}`;
        return code >= 0xd800 && code <= 0xdfff ? '%EF%BF%BD' : encodeURIComponent(character);
    };
    page.addressOf = path =>
        `./${path
            .split('/')
            .map(name => Array.from(name, codeOf).join(''))
            .join('/')}`;

    // Messages are alike that differ by numbers and quoted words alone: cli/state/said.c has the same rule.
    page.patternOf = message => message.replace(/"[^"]*"|\d(?:\d|\.(?=\d))*/g, '#');

    // The order of the values is that of cli/report/page.c.
    function readRow(
        [input, output, state, key, has, trianglesIn, trianglesOut, bytesIn, bytesOut, ms, error, losses, warnings],
        place
    ) {
        const failed = failures.includes(state);
        return {
            place,
            input,
            output,
            state,
            key,
            hasModel: (has & 1) > 0,
            hasPicture: (has & 2) > 0,
            trianglesIn,
            trianglesOut,
            bytesIn,
            bytesOut,
            ms,
            error,
            losses,
            warnings,
            failed,
            weight: failed ? 3e9 : state === 'gone' ? 2e9 : losses.length + warnings.length,
            alike: [], // other rows whose outputs are equal byte for byte
            text: [input, output, error, ...losses, ...warnings].join('\n').toLowerCase(),
        };
    }

    // Links rows of equal outputs: a key is of the output's bytes.
    function linkAlike(rows) {
        const byKey = new Map();
        for (const row of rows) {
            if (!row.key) continue;
            const alike = byKey.get(row.key);
            if (alike) alike.push(row);
            else byKey.set(row.key, [row]);
        }
        for (const alike of byKey.values()) if (alike.length > 1) for (const row of alike) row.alike = alike;
    }

    page.readBatch = function (text) {
        const { rows: lines, ...batch } = JSON.parse(text),
            rows = lines.map(readRow);
        linkAlike(rows);
        const { compare } = new Intl.Collator('en', { numeric: true });
        [...rows].sort((a, b) => compare(a.input, b.input)).forEach((row, place) => (row.place = place));
        return { ...batch, rows };
    };

    // ---- sorting, filters ----

    const by = value => (a, b) => value(b) - value(a) || a.place - b.place;
    page.sorts = {
        'problems first': by(row => row.weight),
        name: (a, b) => a.place - b.place,
        'triangles out': by(row => row.trianglesOut),
        'triangles in': by(row => row.trianglesIn),
        'bytes out': by(row => row.bytesOut),
        'bytes in': by(row => row.bytesIn),
        time: by(row => row.ms),
    };

    page.filters = {
        all: () => true,
        failed: row => row.failed,
        gone: row => row.state === 'gone',
        'with losses': row => row.losses.length > 0,
        'with warnings': row => row.warnings.length > 0,
        duplicates: row => row.alike.length > 1,
        'without a picture': row => row.hasModel && !row.hasPicture,
    };

    // Rows of a kind of message: 'failures', 'losses' or 'warnings'.
    page.saying = (kind, pattern) => row =>
        (kind === 'failures' ? [row.error] : row[kind]).some(message => page.patternOf(message) === pattern);

    page.find = function (rows, words, keeps, sort) {
        const wanted = words
            .toLowerCase()
            .split(/\s+/)
            .filter(word => word);
        return rows
            .filter(row => keeps(row) && wanted.every(word => row.text.includes(word)))
            .sort(page.sorts[sort]);
    };

    // ---- numbers ----

    page.bytesText = function (bytes) {
        const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
        let unit = 0;
        for (; bytes >= 9999.5 && unit < units.length - 1; unit++) bytes /= 1000;
        return `${Math.round(bytes).toLocaleString('en')} ${units[unit]}`;
    };
    page.timeText = ms => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
