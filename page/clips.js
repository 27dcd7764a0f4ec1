// The play bar, marks of programs as ticks, and the program's text beside.
(function (page) {
    'use strict';

    const { root, byId, make, plain, press, isPressed } = page.widgets;

    page.addClips = function (app) {
        const { cell } = app;

        const time = byId('time'),
            clips = byId('clips'),
            clock = byId('clock'),
            ticks = byId('ticks');
        let clip = 0,
            last = 0;

        function showAt(seconds) {
            page.showClip(cell, clip, Math.min(cell.clips[clip].length, Math.max(0, seconds)));
            time.value = cell.time;
            showClock();
            app.changed();
        }

        function showClock() {
            const one = cell.clips[clip],
                line = page.markAt(one, 'line', cell.time);
            const held = cell.shown === one ? page.heldAt(cell, one, cell.time).map(frame => frame.name) : [];
            clock.textContent = `${cell.time.toFixed(2)} / ${one.length.toFixed(2)} s`;
            if (one.marks.length + one.attachments.length > 0)
                app.say(
                    cell.shown !== one
                        ? ''
                        : [
                              ...(line
                                  ? [`line ${line.value}${app.hasText ? `: ${programText[line.value - 1]}` : ''}`]
                                  : []),
                              ...(held.length > 0 ? [`holds ${held.join(', ')}`] : []),
                          ].join(' · ')
                );
            showLine();
        }

        function step(now) {
            if (!app.running) return;
            const one = cell.clips[clip],
                speed = Number(byId('speed').value);
            let at = cell.time + (speed * (now - last)) / 1000;
            last = now;
            if (at >= one.length) {
                if (isPressed('loop') && one.length > 0) at %= one.length;
                else pause();
            }
            showAt(at);
            if (app.running) requestAnimationFrame(step);
        }

        function pause() {
            app.running = false;
            press('play', false);
            document.querySelector('[data-do=play]').textContent = 'Play';
        }

        function play() {
            if (cell.clips.length === 0) return;
            if (app.running) return pause();
            app.running = true;
            press('play', true);
            document.querySelector('[data-do=play]').textContent = 'Pause';
            last = performance.now();
            if (cell.shown !== cell.clips[clip] || cell.time >= cell.clips[clip].length)
                showAt(cell.shown === cell.clips[clip] ? 0 : Number(time.value) % cell.clips[clip].length || 0);
            requestAnimationFrame(step);
        }

        function drawTicks() {
            const one = cell.clips[clip],
                scale = Math.min(2, devicePixelRatio || 1),
                marks = one ? one.marks : [];
            ticks.hidden = marks.length === 0;
            if (ticks.hidden || !ticks.clientWidth) return;
            ticks.width = ticks.clientWidth * scale;
            ticks.height = ticks.clientHeight * scale;
            const pen = ticks.getContext('2d'),
                colours = getComputedStyle(root);
            for (const mark of marks) {
                const x = 8 * scale + (mark.time / (one.length || 1)) * (ticks.width - 16 * scale),
                    isLine = mark.name === 'line';
                pen.fillStyle = colours.getPropertyValue(isLine ? '--soft' : '--accent');
                pen.fillRect(x - scale / 2, isLine ? ticks.height / 2 : 0, (isLine ? 1 : 2) * scale, ticks.height);
            }
        }

        const nameOf = mark =>
            mark.name === 'line'
                ? `line ${mark.value}`
                : /^(grab|release) /.test(mark.name)
                  ? mark.name
                  : `${mark.name} = ${plain(Number(mark.value))}`;

        function markNear(x) {
            const one = cell.clips[clip],
                at = ((x - 8) / Math.max(1, ticks.clientWidth - 16)) * one.length;
            let best = null;
            for (const mark of one.marks) if (!best || Math.abs(mark.time - at) < Math.abs(best.time - at)) best = mark;
            return best;
        }

        // The text of a program stands in the scene's metadata, where a file has it; else its lines are numbers.
        let programRows = [],
            programNow = null,
            programText = [];
        function fillProgram() {
            const one = cell.clips[clip],
                list = byId('program'),
                marks = one ? one.marks : [];
            programRows = [];
            programNow = null;
            byId('tab-program').hidden = marks.length === 0;
            const source = cell.metadata.find(item => item.key === `program ${one && one.name}`);
            const text = source && !one.made ? source.value.trimEnd().split(/\r\n|\r|\n/) : [];
            const add = (at, words, line) => {
                const button = make(
                    'button',
                    {},
                    make('span', { className: 'at', text: line || at.toFixed(2) }),
                    make('span', { text: words })
                );
                button.disabled = at < 0; // a line that is not carried out
                button.addEventListener('click', () => (pause(), showAt(at)));
                const row = make('li', {}, button);
                programRows.push({ row, at, line: Number(line) });
                list.append(row);
            };
            list.replaceChildren();
            if (text.length > 0)
                text.slice(0, 20000).forEach((words, i) => {
                    const times = marks
                        .filter(mark => mark.name === 'line' && mark.value === i + 1)
                        .map(mark => mark.time);
                    add(times.length > 0 ? times[0] : -1, words, String(i + 1));
                });
            else marks.slice(0, 5000).forEach(mark => add(mark.time, nameOf(mark)));
            app.hasText = text.length > 0;
            programText = text;
        }

        function showLine() {
            const one = cell.clips[clip];
            if (programRows.length === 0) return;
            const line = page.markAt(one, 'line', cell.time);
            let now = null;
            if (cell.shown === one)
                for (const row of programRows)
                    if (app.hasText ? line && row.line === line.value : row.at <= cell.time + 1e-6) now = row;
            if (now === programNow) return;
            if (programNow) programNow.row.className = '';
            programNow = now;
            if (now) {
                now.row.className = 'now';
                const panel = byId('panel-program');
                if (!panel.hidden) panel.scrollTop = now.row.offsetTop - panel.offsetTop - panel.clientHeight / 2;
            }
        }

        function chooseClip(index) {
            pause();
            page.endClip(cell);
            clip = index;
            clips.value = String(index);
            time.max = cell.clips[index].length || 1;
            time.value = 0;
            cell.time = 0;
            fillProgram();
            drawTicks();
            showClock();
            app.changed();
        }

        function fillClips() {
            byId('player').hidden = cell.clips.length === 0;
            byId('tab-program').hidden = true;
            if (cell.clips.length === 0) return;
            cell.clips.forEach((one, i) =>
                clips.append(make('option', { value: String(i), text: one.made ? `sweep: ${one.name}` : one.name }))
            );
            clips.addEventListener('change', () => chooseClip(Number(clips.value)));
            time.addEventListener('input', () => (pause(), showAt(Number(time.value))));
            ticks.addEventListener('click', event => {
                const mark = markNear(event.offsetX);
                pause();
                if (mark) showAt(mark.time);
            });
            ticks.addEventListener('pointermove', event => {
                const mark = markNear(event.offsetX);
                ticks.title = mark ? `${mark.time.toFixed(2)} s: ${nameOf(mark)}` : '';
            });
            new ResizeObserver(drawTicks).observe(ticks.parentElement);
            chooseClip(0);
        }

        Object.assign(app, { fillClips, pause, play, showAt, chooseClip, drawTicks });
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
