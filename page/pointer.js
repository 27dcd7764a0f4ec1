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

        // How far a place of an object goes in the picture while a joint moves by a thousandth of its range.
        function speedOf(joint, object, local) {
            const q = joint.q,
                [lower, upper] = page.rangeOf(joint),
                unit = 1e-3 * (upper - lower);
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

        // The joint that a link hangs on; a dependent one is moved by its masters, one in a loop by those that drive
        // the loop. Of several the one that moves the place most.
        function jointToDrag(frame, object, local) {
            while (frame && !frame.joints.some(joint => joint.type !== 'fixed')) frame = frame.parent;
            const joints = (frame ? frame.joints : [])
                .flatMap(joint => (joint.dependent ? joint.inputs : [joint]))
                .flatMap(joint => (joint.passive ? joint.loopMates : [joint]))
                .filter(page.isFree);
            if (joints.length < 2) return joints[0];
            const speeds = joints.map(joint => speedOf(joint, object, local));
            return joints[speeds.indexOf(Math.max(...speeds))];
        }

        function beginDrag(x, y) {
            const hit = view.pick(x, y),
                frame = hit && page.frameOf(cell, hit.object);
            if (!frame) return false;
            const object = hit.object,
                local = object.worldToLocal(hit.point.clone()),
                joint = jointToDrag(frame, object, local);
            if (!joint) return false;
            // a joint that a clip has taken beyond its limits may stay there
            const lower = Math.min(joint.lower, joint.q),
                upper = Math.max(joint.upper, joint.q);
            drag = { joint, object, local, lower, upper, first: joint.q };
            app.choose(frame);
            return true;
        }

        // Moves the joint so that the place that was taken hold of is as near to the pointer as it gets.
        function dragTo(x, y) {
            const { joint, object, local, lower, upper, first } = drag,
                scale = joint.type === 'revolute' ? 1 : view.radius,
                unit = 1e-4 * scale;
            const within = value => Math.max(lower, Math.min(upper, value));
            // Where the place is at a value, or at the nearest one that loops let the joint have.
            const look = value => {
                page.setJoint(cell, joint, value);
                view.place();
                const at = view.project(local.clone().applyMatrix4(object.matrixWorld));
                return { q: joint.q, x: at.x, y: at.y, off: Math.hypot(at.x - x, at.y - y) };
            };
            // Newton's steps, shorter ones where they lead away.
            const settle = value => {
                let at = look(value);
                for (let i = 0; i < 4; i++) {
                    const side = at.q + unit <= upper ? unit : -unit;
                    let beside = look(at.q + side);
                    if (Math.abs(beside.q - at.q) < unit / 2) beside = look(at.q - side);
                    const way = beside.q - at.q,
                        ux = (beside.x - at.x) / way,
                        uy = (beside.y - at.y) / way,
                        speed = Math.hypot(ux, uy);
                    if (Math.abs(way) < unit / 2 || speed < 1e-5) break;
                    const wanted = ((x - at.x) * ux + (y - at.y) * uy) / speed / speed;
                    let step = within(at.q + Math.max(-0.3 * scale, Math.min(0.3 * scale, wanted))) - at.q;
                    let next = at;
                    while (Math.abs(step) * speed > 0.05 && next.off >= at.off) {
                        next = look(at.q + step);
                        step /= 4;
                    }
                    if (next.off >= at.off) break;
                    at = next;
                }
                return at;
            };
            app.pause();
            let best = settle(joint.q);
            if (best.off > 5) {
                // it may have gone round to where no short way leads back
                const other = settle(first);
                if (other.off < best.off) best = other;
            }
            look(best.q);
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
                    if (from && !app.isLive && (event.shiftKey || isPressed('hand')) && beginDrag(x, y)) {
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
