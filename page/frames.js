// The tree of frames, and the frame that is chosen: marked in the picture, and told of on a card.
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const { byId, make, millimetres, inCell, makeRows, makeList, blue } = page.widgets;

    page.addFrames = function (app) {
        const { cell, view } = app;

        function choose(frame) {
            app.chosen = frame;
            view.mark(frame ? [[page.meshesBelow(frame).length <= 2000 ? ownMeshes(frame) : frame.meshes, blue]] : []);
            showCard(frame);
            tree.show();
            for (const row of document.querySelectorAll('.joint.chosen')) row.classList.remove('chosen');
            const joint = frame && jointAbove(frame),
                row = joint && app.jointRow(joint);
            if (row) row.element.classList.add('chosen');
        }

        // The meshes that move as one with a frame: down to the next joints.
        function ownMeshes(frame) {
            const meshes = [],
                stack = [frame];
            while (stack.length > 0) {
                const one = stack.pop();
                meshes.push(...one.meshes);
                stack.push(...one.children.filter(child => child.joints.length === 0));
            }
            return meshes;
        }

        function jointAbove(frame) {
            for (let at = frame; at; at = at.parent) {
                const joint = at.joints.find(one => one.type !== 'fixed');
                if (joint) return joint;
            }
            return null;
        }

        const open = new Set(cell.frames.filter(frame => frame.depth < 2 && frame.children.length <= 100));

        function treeRows() {
            const wanted = byId('find').value.trim().toLowerCase();
            if (wanted)
                return cell.frames.filter(
                    frame => frame.name.toLowerCase().includes(wanted) || frame.id.toLowerCase().includes(wanted)
                );
            const list = [],
                stack = cell.frames.filter(frame => !frame.parent).reverse();
            while (stack.length > 0) {
                const frame = stack.pop();
                list.push(frame);
                if (open.has(frame)) stack.push(...frame.children.slice().reverse());
            }
            return list;
        }

        const isHidden = frame => {
            for (let at = frame; at; at = at.parent) if (at.hidden) return true;
            return false;
        };

        const tree = makeRows(byId('tree'), frame => {
            const leaf = frame.children.length === 0,
                searching = byId('find').value.trim() !== '';
            const fold = make('button', {
                className: 'fold',
                text: leaf || searching ? '' : open.has(frame) ? '▾' : '▸',
                disabled: leaf || searching,
            });
            const name = make('button', { className: 'name', text: frame.name, title: frame.id });
            const hide = make('button', { text: frame.hidden ? 'show' : 'hide' });
            const row = make(
                'div',
                { className: `row${frame === app.chosen ? ' chosen' : ''}${isHidden(frame) ? ' off' : ''}` },
                fold,
                name,
                hide
            );
            fold.setAttribute('aria-label', `${open.has(frame) ? 'close' : 'open'} ${frame.name}`);
            hide.setAttribute('aria-label', `${frame.hidden ? 'show' : 'hide'} ${frame.name}`);
            row.style.paddingLeft = `${searching ? 4 : 4 + 14 * Math.min(frame.depth, 12)}px`;
            fold.addEventListener(
                'click',
                () => (open.has(frame) ? open.delete(frame) : open.add(frame), tree.set(treeRows()))
            );
            name.addEventListener('click', event => (event.detail > 1 ? fitFrame(frame) : choose(frame)));
            hide.addEventListener('click', () => toggleFrame(frame));
            return row;
        });

        function toggleFrame(frame) {
            frame.hidden = !frame.hidden;
            frame.node.object.visible = !frame.hidden;
            tree.show();
            showCard(app.chosen);
            view.invalidate();
        }

        function fitFrame(frame) {
            choose(frame);
            view.fit(page.meshesBelow(frame));
        }

        function showCard(frame) {
            const card = byId('frame-card');
            card.replaceChildren();
            if (!frame) return;
            view.place();
            const meshes = page.meshesBelow(frame),
                box = view.boxOf(meshes),
                size = box.getSize(new THREE.Vector3());
            const at = new THREE.Vector3().setFromMatrixPosition(frame.node.object.matrixWorld);
            const triangles = meshes.reduce(
                (sum, mesh) =>
                    sum + (mesh.isMesh ? (mesh.geometry.index || mesh.geometry.attributes.position).count / 3 : 0),
                0
            );
            const fit = make('button', { text: 'Fit' }),
                hide = make('button', { text: frame.hidden ? 'Show' : 'Hide' });
            fit.addEventListener('click', () => fitFrame(frame));
            hide.addEventListener('click', () => toggleFrame(frame));
            card.append(
                make('h3', { text: frame.id }),
                makeList([
                    ['at', inCell(at)],
                    [
                        'size',
                        box.isEmpty()
                            ? ''
                            : `${millimetres(size.x)} × ${millimetres(size.z)} × ${millimetres(size.y)} mm`,
                    ],
                    ['triangles', triangles ? triangles.toLocaleString('en') : ''],
                    ['joints', frame.joints.map(joint => joint.name).join(', ')],
                    ['flags', (frame.node.own.flags || []).join(', ')],
                ]),
                fit,
                ' ',
                hide
            );
        }

        function showFrames() {
            tree.set(treeRows());
        }

        function revealFrame(frame) {
            open.add(frame.parent);
            if (!byId('panel-tree').hidden) {
                tree.set(treeRows());
                tree.reveal(frame);
            }
        }

        byId('find').addEventListener('input', showFrames);

        Object.assign(app, { choose, ownMeshes, jointAbove, fitFrame, showFrames, revealFrame });
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
