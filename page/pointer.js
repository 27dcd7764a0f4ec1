// What a pointer does in the picture beside turning it: choosing, measuring, dragging links.
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const { byId, plain, isPressed, unitOf, millimetres, inCell } = page.widgets;

    page.addPointer = function (app) {
        const { cell, view } = app;

        // ---- pointing and measuring ----

        let points = [];

        // The corner or edge of the triangle that is nearest to the pointer, within some pixels; else the point itself.
        function snap(hit, x, y) {
            const mesh = hit.object,
                position = mesh.geometry.attributes.position;
            const corners = [hit.face.a, hit.face.b, hit.face.c].map(i =>
                new THREE.Vector3().fromBufferAttribute(position, i).applyMatrix4(mesh.matrixWorld)
            );
            const off = point => {
                const at = view.project(point);
                return Math.hypot(at.x - x, at.y - y);
            };
            const corner = corners.reduce((best, point) => (off(point) < off(best) ? point : best));
            if (off(corner) <= 9) return { point: corner, what: 'corner' };
            const onEdge = [0, 1, 2]
                .map(i => {
                    const line = new THREE.Line3(corners[i], corners[(i + 1) % 3]);
                    return {
                        point: line.closestPointToPoint(hit.point, true, new THREE.Vector3()),
                        length: line.distance(),
                        i,
                    };
                })
                .reduce((best, edge) => (off(edge.point) < off(best.point) ? edge : best));
            if (off(onEdge.point) <= 7 && isCrease(mesh, hit, onEdge.i))
                return { point: onEdge.point, what: `edge of ${millimetres(onEdge.length)} mm` };
            return { point: hit.point, what: 'point' };
        }

        // Whether the faces at an edge of the triangle bend there, or it has no other one.
        function isCrease(mesh, hit, edge) {
            const {
                    index,
                    attributes: { position },
                } = mesh.geometry,
                total = (index || position).count;
            const cornerOf = i => (index ? index.getX(i) : i);
            const read = i => new THREE.Vector3().fromBufferAttribute(position, i);
            const own = [hit.face.a, hit.face.b, hit.face.c],
                a = read(own[edge]),
                b = read(own[(edge + 1) % 3]);
            const same = (i, point) =>
                position.getX(i) === point.x && position.getY(i) === point.y && position.getZ(i) === point.z;
            for (let i = 0; i < total; i += 3) {
                const three = [cornerOf(i), cornerOf(i + 1), cornerOf(i + 2)];
                if (i / 3 === hit.faceIndex || !three.some(one => same(one, a)) || !three.some(one => same(one, b)))
                    continue;
                const [p, q, r] = three.map(read),
                    normal = new THREE.Vector3().crossVectors(q.sub(p), r.sub(p)).normalize();
                return normal.dot(hit.face.normal) < Math.cos(Math.PI / 12);
            }
            return true;
        }

        function showRuler() {
            const ruler = byId('ruler'),
                on = points.length > 0 && isPressed('measure');
            ruler.classList.toggle('on', on);
            if (!on) return;
            const [a, b] = [points[0], points[points.length - 1]].map(point => view.project(point.point));
            const set = (id, values) =>
                Object.entries(values).forEach(([name, value]) => byId(id).setAttribute(name, value));
            set('ruler-line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y });
            set('ruler-a', { cx: a.x, cy: a.y });
            set('ruler-b', { cx: b.x, cy: b.y });
        }
        view.onDraw.push(showRuler);

        function measure(hit, x, y) {
            if (!hit) return;
            if (points.length === 2) points = [];
            points.push(snap(hit, x, y));
            if (points.length === 1) {
                app.say(`${points[0].what} at ${inCell(points[0].point)}; now the second one`);
            } else {
                const [a, b] = points,
                    way = b.point.clone().sub(a.point);
                app.say(
                    `${millimetres(way.length())} mm from ${a.what} to ${b.what} (x ${millimetres(way.x)}, y ${millimetres(-way.z)}, z ${millimetres(way.y)})`
                );
            }
            view.invalidate();
        }

        function point(x, y) {
            const hit = view.pick(x, y);
            if (isPressed('measure')) return measure(hit, x, y);
            const frame = hit && page.frameOf(cell, hit.object);
            app.choose(frame);
            app.say(frame ? `${frame.id}: ${inCell(hit.point)}` : '');
            if (frame) app.revealFrame(frame);
            return undefined;
        }

        // ---- dragging links ----

        let drag = null;

        // How far a place of an object goes in the picture while a joint moves a little.
        function speedOf(joint, object, local) {
            const q = joint.q,
                unit = joint.type === 'revolute' ? 1e-3 : 1e-3 * view.radius;
            const seen = value => {
                page.setJoint(cell, joint, value);
                view.place();
                return view.project(local.clone().applyMatrix4(object.matrixWorld));
            };
            const here = seen(q),
                there = seen(q + unit);
            page.setJoint(cell, joint, q);
            return Math.hypot(there.x - here.x, there.y - here.y);
        }

        function beginDrag(x, y) {
            const hit = view.pick(x, y),
                frame = hit && page.frameOf(cell, hit.object);
            let joint = frame && app.jointAbove(frame);
            while (joint && joint.dependent) joint = joint.inputs[0];
            const object = hit && hit.object,
                local = hit && object.worldToLocal(hit.point.clone());
            if (joint && joint.passive) {
                // of the joints that move it through the loop, the one that moves it most
                const reach = new Map(
                    joint.loopMates.filter(page.isFree).map(mate => [mate, speedOf(mate, object, local)])
                );
                joint = [...reach.keys()].reduce(
                    (best, mate) => (best && reach.get(best) >= reach.get(mate) ? best : mate),
                    null
                );
            }
            if (!joint || !page.isFree(joint)) return false;
            drag = { joint, object, local };
            app.choose(frame);
            return true;
        }

        // Newton's steps until the place that was taken hold of is under the pointer, as near as the joint lets it.
        function dragTo(x, y) {
            const { joint, object, local } = drag,
                unit = joint.type === 'revolute' ? 1e-4 : 1e-4 * view.radius;
            const lower = Number.isFinite(joint.lower) ? joint.lower : -Infinity,
                upper = Number.isFinite(joint.upper) ? joint.upper : Infinity;
            const within = value => Math.min(Math.max(value, Math.min(lower, joint.q)), Math.max(upper, joint.q));
            const seen = value => {
                if (!page.setJoint(cell, joint, value)) return null;
                view.place();
                return view.project(local.clone().applyMatrix4(object.matrixWorld));
            };
            app.pause();
            for (let i = 0; i < 4; i++) {
                const q = joint.q,
                    here = seen(q),
                    there = here && seen(q + unit);
                if (!there) {
                    page.setJoint(cell, joint, q);
                    break;
                }
                const ux = (there.x - here.x) / unit,
                    uy = (there.y - here.y) / unit,
                    size = ux * ux + uy * uy;
                const reach = joint.type === 'revolute' ? 0.3 : 0.3 * view.radius;
                const step = size > 1e-9 ? ((x - here.x) * ux + (y - here.y) * uy) / size : 0;
                if (seen(within(q + Math.max(-reach, Math.min(reach, step)))) === null) {
                    page.setJoint(cell, joint, q);
                    break;
                }
            }
            app.say(`${joint.name}: ${plain(joint.q / unitOf(joint).size, 1)} ${unitOf(joint).name}`);
            app.changed();
        }

        function listenToPointer() {
            let from = null;
            const at = event => {
                const rectangle = view.canvas.getBoundingClientRect();
                return [event.clientX - rectangle.left, event.clientY - rectangle.top];
            };
            view.canvas.addEventListener(
                'pointerdown',
                event => {
                    const [x, y] = at(event);
                    from = event.isPrimary && event.button === 0 ? [x, y] : null;
                    if (from && (event.shiftKey || isPressed('hand')) && beginDrag(x, y)) {
                        view.controls.enabled = false;
                        view.canvas.setPointerCapture(event.pointerId);
                    }
                },
                true
            );
            view.canvas.addEventListener('pointermove', event => drag && event.isPrimary && dragTo(...at(event)));
            const end = event => {
                const [x, y] = at(event);
                if (from && !drag && event.type === 'pointerup' && Math.hypot(x - from[0], y - from[1]) < 5)
                    point(x, y);
                from = drag = null;
                view.controls.enabled = true;
            };
            view.canvas.addEventListener('pointerup', end);
            view.canvas.addEventListener('pointercancel', end);
            view.canvas.addEventListener('dblclick', event => {
                const hit = view.pick(...at(event)),
                    frame = hit && page.frameOf(cell, hit.object);
                if (frame && !isPressed('measure')) app.fitFrame(frame);
            });
        }

        function clearPoints() {
            points = [];
        }

        Object.assign(app, { listenToPointer, clearPoints });
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
