// Joints by device: a slider and a number for each.
(function (page) {
    'use strict';

    const { byId, make, plain, unitOf } = page.widgets;

    page.addJoints = function (app) {
        const { cell, view } = app;

        const rows = new Map(); // from a joint to its row
        const mayMove = joint => page.isFree(joint) && !app.isLive;

        function makeJointRow(joint) {
            const unit = unitOf(joint),
                [lower, upper] = page.rangeOf(joint),
                shown = value => value / unit.size;
            const text = value => (Number.isFinite(value) ? plain(shown(value), joint.type === 'scale' ? 3 : 1) : '∞');
            const box = make('input', {
                type: 'number',
                step: unit.step,
                id: `box-${joint.id}`,
                disabled: !mayMove(joint),
            });
            const slider = make('input', {
                type: 'range',
                min: shown(lower),
                max: shown(upper),
                step: 'any',
                id: `slider-${joint.id}`,
                disabled: !mayMove(joint),
            });
            const name = make('label', { className: 'name', text: joint.name, title: joint.id, htmlFor: box.id });
            slider.setAttribute('aria-label', `${joint.name}, slider`);
            const home = () => move(joint, joint.home);
            const range = make(
                'div',
                { className: 'range' },
                make('span', { text: text(joint.lower) }),
                slider,
                make('span', { text: text(joint.upper) })
            );
            const element = make(
                'div',
                { className: `joint${page.isFree(joint) ? '' : ' dependent'}` },
                name,
                make('div', { className: 'value' }, box, make('span', { className: 'unit', text: unit.name })),
                range
            );
            if (joint.dependent)
                name.title = `${joint.id}: follows ${joint.inputs.map(input => input.name).join(', ')}`;
            if (joint.passive) name.title = `${joint.id}: moved through a closed loop`;
            slider.addEventListener('input', () => move(joint, Number(slider.value) * unit.size));
            box.addEventListener('change', () => move(joint, Number(box.value) * unit.size));
            if (mayMove(joint)) element.addEventListener('dblclick', event => event.target !== box && home());
            rows.set(joint, { element, box, slider, unit });
            return element;
        }

        function makeGroup(title, joints) {
            const free = joints.filter(page.isFree);
            const button = make('button', { text: 'Home', title: 'all joints of it to their home values (H: all)' });
            button.addEventListener('click', () => goHome(free));
            button.hidden = app.isLive;
            if (free.length === 0)
                return make(
                    'details',
                    { className: 'device' },
                    make('summary', { text: `${title}, moved by others (${joints.length})` }),
                    ...joints.map(makeJointRow)
                );
            return make(
                'section',
                { className: 'device' },
                make('h2', {}, make('span', { text: title }), button),
                ...joints.map(makeJointRow)
            );
        }

        function fillJoints() {
            const groups = cell.devices.map(device => makeGroup(device.name, device.joints));
            if (cell.otherJoints.length > 0)
                groups.push(makeGroup(cell.devices.length > 0 ? 'Other joints' : 'Joints', cell.otherJoints));
            byId('panel-joints').append(...groups);
            byId('tab-joints').hidden = groups.length === 0;
        }

        function showValues() {
            for (const [joint, row] of rows) {
                const value = joint.q / row.unit.size,
                    text = plain(value, joint.type === 'scale' ? 4 : 2);
                if (row.text === text && row.value === value) continue;
                row.text = text;
                row.value = value;
                if (document.activeElement !== row.box || app.running) row.box.value = text;
                row.slider.value = value;
                row.element.classList.toggle('beyond', page.isBeyond(joint));
            }
        }

        function changed() {
            showValues();
            view.invalidate();
            app.keepAddress();
        }

        function move(joint, value) {
            if (!Number.isFinite(value)) return showValues();
            app.pause();
            const free = page.setJoint(cell, joint, value);
            if (!free) app.say(`${joint.name} cannot go on: the loops do not close there`);
            else if (byId('says').textContent.includes('do not close')) app.say('');
            return changed();
        }

        function goHome(joints) {
            app.pause();
            if (
                !page.setPose(
                    cell,
                    joints.map(joint => [joint.id, joint.home])
                )
            )
                app.say('the loops do not close on the way home');
            changed();
        }

        const jointRow = joint => rows.get(joint);

        Object.assign(app, { fillJoints, changed, goHome, jointRow });
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
