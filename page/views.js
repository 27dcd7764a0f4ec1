// Where the camera looks from, section, exploded view, and what is told about the cell.
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const { root, byId, make, millimetres, makeList } = page.widgets;

    page.addViews = function (app) {
        const { cell, view } = app;

        const directions = {
            corner: new THREE.Vector3(-0.62, -0.45, -0.64),
            front: new THREE.Vector3(0, 0, -1),
            top: new THREE.Vector3(0, -1, 0),
            left: new THREE.Vector3(1, 0, 0),
        };
        const names = { corner: 'Corner', front: 'Front', top: 'Top', left: 'Left' };

        function fillViews() {
            view.place();
            const select = byId('views');
            for (const node of cell.views) {
                // the exporter's views turn ours, so that they show the robot
                const kind = { 'whole cell': 'corner', front: 'front', top: 'top', left: 'left' }[node.json.name];
                if (kind) directions[kind] = new THREE.Vector3(0, 0, -1).transformDirection(node.object.matrixWorld);
            }
            Object.keys(names).forEach(kind => select.append(make('option', { value: kind, text: names[kind] })));
            for (const device of cell.devices)
                if (device.base && cell.devices.length <= 30)
                    select.append(make('option', { value: `device ${device.id}`, text: device.name }));
            select.append(make('option', { value: '', text: 'Own', hidden: true }));
            select.addEventListener('change', () => goTo(select.value));
            view.controls.addEventListener('start', () => (select.value = ''));
        }

        function goTo(kind) {
            byId('views').value = kind;
            if (kind.startsWith('device ')) {
                const device = cell.devices.find(one => one.id === kind.slice(7));
                const meshes = page.meshesBelow(device.base);
                view.fit(meshes.length > 0 ? meshes : null, directions.corner);
            } else if (directions[kind]) {
                view.fit(null, directions[kind]);
            }
            app.keepAddress();
        }

        // ---- section, explode, about ----

        function showSection() {
            const on = byId('cut').checked,
                { min, max } = view.box;
            const ranges = { x: [min.x, max.x], y: [-max.z, -min.z], z: [min.y, max.y] };
            const heights = ['x', 'y', 'z'].map(axis => {
                const value = Number(byId(`cut-${axis}`).value),
                    [low, high] = ranges[axis];
                return on && value < 1 ? low + value * (high - low) : null;
            });
            view.cut(...heights);
        }

        function fillMore() {
            byId('cut').addEventListener('change', () => {
                if (byId('cut').checked && ['x', 'y', 'z'].every(axis => Number(byId(`cut-${axis}`).value) === 1))
                    byId('cut-y').value = 0.5;
                showSection();
            });
            for (const axis of ['x', 'y', 'z'])
                byId(`cut-${axis}`).addEventListener('input', () => {
                    byId('cut').checked = true;
                    showSection();
                });
            const deepest = cell.frames.reduce(
                (most, frame) => Math.max(most, frame.meshes.length > 0 ? frame.depth : 0),
                0
            );
            byId('level').max = Math.max(1, deepest);
            const explode = () => view.explode(Number(byId('level').value), Number(byId('explode').value));
            byId('level').addEventListener('input', explode);
            byId('explode').addEventListener('input', explode);
            byId('explode').closest('fieldset').hidden = deepest < 1;
            byId('parallel').addEventListener('change', () => view.setParallel(byId('parallel').checked));
            const size = view.box.getSize(new THREE.Vector3()),
                source = cell.own.source || {};
            const unit =
                { 1: 'm', 0.001: 'mm', 0.01: 'cm', 0.0254: 'inch', 0.3048: 'foot' }[source.unit] ||
                (source.unit ? `${source.unit} m` : '');
            const rows = [
                ['size', `${millimetres(size.x)} × ${millimetres(size.z)} × ${millimetres(size.y)} mm`],
                ['source', source.file],
                ['format', source.format],
                ['unit', unit && `of the source: ${unit}`],
                ['up', source.up && `of the source: ${source.up}`],
                ['frames', cell.frames.length.toLocaleString('en')],
                ['triangles', cell.triangles.toLocaleString('en')],
                ['made by', cell.json.asset.generator],
            ];
            const notes = cell.metadata
                .filter(item => item.value.length <= 200 && !item.key.startsWith('program '))
                .slice(0, 20)
                .map(item => [item.key, item.value]);
            byId('about').replaceWith(Object.assign(makeList([...rows, ...notes]), { id: 'about' }));
        }

        function savePicture() {
            view.draw();
            const copy = make('canvas', { width: view.canvas.width, height: view.canvas.height }),
                pen = copy.getContext('2d');
            pen.fillStyle = getComputedStyle(root).getPropertyValue('--sky-2');
            pen.fillRect(0, 0, copy.width, copy.height);
            pen.drawImage(view.canvas, 0, 0);
            copy.toBlob(blob => {
                const link = make('a', {
                    href: URL.createObjectURL(blob),
                    download: `${document.title.replace(/[^\w.-]+/g, '_')}.png`,
                });
                link.click();
                setTimeout(() => URL.revokeObjectURL(link.href), 1000);
            });
        }

        Object.assign(app, { fillViews, goTo, fillMore, savePicture });
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
