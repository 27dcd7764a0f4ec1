// The pose, the clip and the camera stand behind # in the address, so that a link shows the same.
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const { byId, plain } = page.widgets;

    page.addAddress = function (app) {
        const { cell, view } = app;

        // The pose, the clip and the camera stand behind # in the address: j=ID:VALUE,... c=six numbers t=clip:seconds.
        const atFirst = new Map(cell.joints.map(joint => [joint, joint.q]));
        let addressTimer = 0;

        function addressOf() {
            const parts = [],
                moved = app.isLive
                    ? [] // the pose is the cell's own
                    : cell.joints.filter(joint => !joint.dependent && Math.abs(joint.q - atFirst.get(joint)) > 1e-9);
            if (cell.shown) parts.push(`t=${encodeURIComponent(cell.shown.name)}:${plain(cell.time, 3)}`);
            else if (moved.length > 0)
                parts.push(`j=${moved.map(joint => `${encodeURIComponent(joint.id)}:${plain(joint.q, 9)}`).join(',')}`);
            if (byId('views').value === '')
                parts.push(
                    `c=${[...view.camera.position.toArray(), ...view.controls.target.toArray()].map(x => plain(x, 5)).join(',')}`
                );
            return parts.length > 0 ? `#${parts.join('&')}` : '';
        }

        function keepAddress() {
            clearTimeout(addressTimer);
            addressTimer = setTimeout(() => {
                if (app.running) return keepAddress();
                const hash = addressOf();
                if (hash !== location.hash) history.replaceState(null, '', hash || location.href.replace(/#.*/, ''));
                return undefined;
            }, 300);
        }

        function readAddress() {
            for (const part of location.hash.slice(1).split('&')) {
                const [key, text] = [part.slice(0, 2), part.slice(2)];
                try {
                    if (key === 'j=' && !app.isLive)
                        page.setPose(
                            cell,
                            text
                                .split(',')
                                .map(item => item.split(':'))
                                .map(([id, value]) => [decodeURIComponent(id), Number(value)]),
                            true
                        );
                    if (key === 't=') {
                        const [name, at] = text.split(':'),
                            found = cell.clips.findIndex(one => one.name === decodeURIComponent(name));
                        if (found >= 0 && Number.isFinite(Number(at))) {
                            app.chooseClip(found);
                            app.showAt(Number(at));
                        }
                    }
                    const numbers = key === 'c=' ? text.split(',').map(Number) : [];
                    if (numbers.length === 6 && numbers.every(Number.isFinite)) {
                        view.look(new THREE.Vector3(...numbers.slice(0, 3)), new THREE.Vector3(...numbers.slice(3)));
                        byId('views').value = '';
                    }
                } catch (error) {
                    // a % that stands for nothing: the address is somebody's own text
                    app.say('the address is not understood');
                }
            }
            app.changed();
        }

        Object.assign(app, { keepAddress, readAddress, addressOf });
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
