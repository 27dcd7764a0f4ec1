// Pairs of frames: a matrix and a list by verdict and reason, and what is known of the pair that is chosen.
(function (page) {
    'use strict';

    const { root, byId, make, millimetres, makeRows, makeList, blue, magenta } = page.widgets;

    // The reasons that exclude gives (docs/exclusion.md), in words.
    page.reasons = {
        given: 'a file says so, without a reason',
        user: 'the user says so',
        static: 'cannot move against each other',
        adjacent: 'neighbours, with one joint between',
        'always-proved': 'always touch, which is proved',
        'always-sampled': 'touched in all samples, without a proof',
        'never-proved': 'never touch, which is proved',
        'never-sampled': 'touched in no sample, without a proof',
        sometimes: 'touch in some poses',
        movable: 'one may be put elsewhere',
        undecided: 'neither proved nor seen to touch',
    };
    const wordsOf = reason => page.reasons[reason] || reason;

    page.addPairs = function (app) {
        const { cell, view } = app;

        const kinds = new Map(); // "verdict: reason in words" -> { verdict, colour, count, on }
        const palette = {
            excluded: ['#3f9b5f', '#8bc34a', '#00897b', '#9ccc65', '#4db6ac', '#c0ca33'],
            kept: ['#e08a1e', '#d95f5f', '#b565c9', '#f2c037', '#8d6e63', '#7986cb'],
        };
        let pairFrames = [],
            chosenPair = null;

        function sortKinds() {
            for (const pair of cell.pairs) {
                const name = pair.reason ? `${pair.verdict}: ${wordsOf(pair.reason)}` : pair.verdict;
                if (!kinds.has(name)) {
                    const colours = palette[pair.verdict] || palette.kept,
                        used = [...kinds.values()].filter(kind => kind.verdict === pair.verdict).length;
                    kinds.set(name, {
                        name,
                        verdict: pair.verdict,
                        colour: colours[used % colours.length],
                        count: 0,
                        on: true,
                    });
                }
                pair.kind = kinds.get(name);
                pair.kind.count++;
            }
        }

        function shownPairs() {
            const wanted = byId('find-pair').value.trim().toLowerCase();
            return cell.pairs.filter(
                pair =>
                    pair.kind.on &&
                    (!wanted ||
                        pair.first.name.toLowerCase().includes(wanted) ||
                        pair.second.name.toLowerCase().includes(wanted))
            );
        }

        const pairRows = makeRows(byId('pairs'), pair => {
            const patch = make('i'),
                row = make(
                    'button',
                    { className: `pair${pair === chosenPair ? ' chosen' : ''}` },
                    patch,
                    make('span', { text: `${pair.first.name} – ${pair.second.name}` })
                );
            patch.style.background = pair.kind.colour;
            row.title = `${pair.first.id} – ${pair.second.id}: ${pair.kind.name}`;
            row.addEventListener('click', () => choosePair(pair));
            return row;
        });

        function drawMatrix() {
            const matrix = byId('matrix'),
                n = pairFrames.length,
                scale = Math.min(2, devicePixelRatio || 1);
            const width = Math.max(1, Math.round(matrix.clientWidth * scale)),
                size = n * Math.max(1, Math.floor(width / n));
            matrix.width = matrix.height = size;
            const pen = matrix.getContext('2d'),
                edge = size / n,
                gap = edge > 5 ? 1 : 0;
            for (const pair of cell.pairs) {
                if (!pair.kind.on) continue;
                pen.fillStyle = pair.kind.colour;
                for (const [x, y] of [
                    [pair.x, pair.y],
                    [pair.y, pair.x],
                ])
                    pen.fillRect(x * edge, y * edge, edge - gap, edge - gap);
            }
            if (chosenPair) {
                pen.strokeStyle = getComputedStyle(root).getPropertyValue('--text');
                pen.lineWidth = 2;
                for (const [x, y] of [
                    [chosenPair.x, chosenPair.y],
                    [chosenPair.y, chosenPair.x],
                ])
                    pen.strokeRect(x * edge - 1, y * edge - 1, edge + 2, edge + 2);
            }
        }

        function pairAt(event) {
            const matrix = byId('matrix'),
                n = pairFrames.length,
                rectangle = matrix.getBoundingClientRect();
            const x = Math.floor(((event.clientX - rectangle.left) / rectangle.width) * n),
                y = Math.floor(((event.clientY - rectangle.top) / rectangle.height) * n);
            return cell.pairs.find(
                pair => pair.kind.on && ((pair.x === x && pair.y === y) || (pair.x === y && pair.y === x))
            );
        }

        function choosePair(pair) {
            chosenPair = pair;
            app.chosen = null;
            view.mark([
                [pair.first.meshes, blue],
                [pair.second.meshes, magenta],
            ]);
            pairRows.show();
            drawMatrix();
            const card = byId('pair-card'),
                finding = pair.finding || {},
                witness = finding.witness || [];
            card.replaceChildren(
                make('h3', { text: `${pair.first.id} – ${pair.second.id}` }),
                makeList([
                    ['verdict', pair.verdict],
                    ['reason', pair.reason && wordsOf(pair.reason)],
                    ['status', pair.reason],
                    ['evidence', pair.evidence],
                    ['margin', finding.margin > 0 ? `${millimetres(finding.margin)} mm: what is nearer counts as touching` : ''],
                    ['clearance', finding.clearance === undefined ? '' : `${millimetres(finding.clearance)} mm`],
                    [
                        'samples',
                        finding.samples
                            ? `${finding.samples.toLocaleString('en')}, of which ${(finding.hits || 0).toLocaleString('en')} touch`
                            : '',
                    ],
                ])
            );
            if (witness.length > 0 && !app.isLive) {
                const button = make('button', { text: 'Pose that shows it', id: 'witness' });
                button.addEventListener('click', () => {
                    app.pause();
                    const closed = page.showWitness(cell, witness);
                    app.changed();
                    app.say(closed ? '' : 'the loops do not close on the way to this pose');
                });
                card.append(button);
            }
            const fit = make('button', { text: 'Fit' });
            fit.addEventListener('click', () => view.fit([...pair.first.meshes, ...pair.second.meshes]));
            card.append(' ', fit);
        }

        function fillPairs() {
            byId('tab-pairs').hidden = cell.pairs.length === 0;
            if (cell.pairs.length === 0) return;
            sortKinds();
            const inPairs = new Set(cell.pairs.flatMap(pair => [pair.first, pair.second])),
                places = new Map();
            pairFrames = cell.frames.filter(frame => inPairs.has(frame));
            pairFrames.forEach((frame, i) => places.set(frame, i));
            cell.pairs.forEach(pair => Object.assign(pair, { x: places.get(pair.first), y: places.get(pair.second) }));
            for (const kind of kinds.values()) {
                const patch = make('i'),
                    button = make(
                        'button',
                        {},
                        patch,
                        make('span', { text: `${kind.name} ${kind.count.toLocaleString('en')}` })
                    );
                patch.style.background = kind.colour;
                button.setAttribute('aria-pressed', 'true');
                button.addEventListener('click', () => {
                    kind.on = !kind.on;
                    button.setAttribute('aria-pressed', String(kind.on));
                    drawMatrix();
                    pairRows.set(shownPairs());
                });
                byId('legend').append(button);
            }
            const matrix = byId('matrix');
            matrix.addEventListener('click', event => {
                const pair = pairAt(event);
                if (pair) {
                    choosePair(pair);
                    pairRows.reveal(pair);
                }
            });
            matrix.addEventListener('pointermove', event => {
                const pair = pairAt(event);
                matrix.title = pair ? `${pair.first.id} – ${pair.second.id}: ${pair.kind.name}` : '';
            });
            byId('find-pair').addEventListener('input', () => pairRows.set(shownPairs()));
            new ResizeObserver(drawMatrix).observe(byId('panel-pairs'));
            pairRows.set(shownPairs());
        }

        Object.assign(app, { fillPairs, drawMatrix });
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
