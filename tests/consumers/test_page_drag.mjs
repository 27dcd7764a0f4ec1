// Links of pages are dragged by a mouse in headless Chromium, each joint by a link of its own, on to a place that the
// library's poses (tests/tools/poses.c) give, far on to its limit, and back. The place that was taken hold of stays
// under the pointer as near as the joint lets it, one joint moves and keeps within its limits, all poses are the
// library's, and loops stay closed. An ordinary run takes two cells; CELLPIPE_LONG all samples. Joints that no link
// shows are named.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findChromium } from './browser.mjs';
import { convert, fail, finish, multiply, program, readScene, root, skip, workFile } from './lib.mjs';
import { framePoses, hasPlaywright, launchPages, openPage } from './page_browser.mjs';
import { askPoses, farthest, gapOf, readLoops, sizeOf } from './page_oracle.mjs';

const chromium = findChromium();
if (!chromium) skip('consumers/test_page_drag needs chromium (apt-get install chromium)');
if (!hasPlaywright()) skip('consumers/test_page_drag needs playwright-core (npm install in tests/consumers)');

const samples = path.join(root, 'samples');
const browser = await launchPages(chromium);
const worst = { pose: 0, gap: 0, along: 0 },
    counts = { checks: 0, joints: 0, stops: 0, shared: 0 },
    unseen = [];

function check(what, holds, ...shown) {
    counts.checks++;
    if (!holds) fail([what, ...shown.map(value => JSON.stringify(value))].join(' '));
}

// ---- geometry: rows of 3 x 4 for poses, columns of 4 x 4 for the camera ----

function inverse(m) {
    const [a, b, c, , d, e, f, , g, h, i] = m,
        det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    const rows = [
        [e * i - f * h, c * h - b * i, b * f - c * e],
        [f * g - d * i, a * i - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ].map(row => row.map(value => value / det));
    return rows.flatMap(row => [...row, -(row[0] * m[3] + row[1] * m[7] + row[2] * m[11])]);
}

const carry = (m, [x, y, z]) => [0, 4, 8].map(row => m[row] * x + m[row + 1] * y + m[row + 2] * z + m[row + 3]);

// The pixel of a point of the cell, by the camera's two matrices. The page's axes are the cell's with Y up.
function project({ world, projection, width, height }, [x, y, z]) {
    const times = (m, v) => [0, 1, 2, 3].map(row => [0, 1, 2, 3].reduce((sum, k) => sum + m[4 * k + row] * v[k], 0));
    const clip = times(projection, times(world, [x, z, -y, 1]));
    return [((clip[0] / clip[3] + 1) / 2) * width, ((1 - clip[1] / clip[3]) / 2) * height];
}

const between = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

// ---- in the page ----

const readJoints = page =>
    page.evaluate(() =>
        cellpipe.cell.joints.map(joint => ({
            id: joint.id,
            frame: joint.frame.id,
            type: joint.type,
            lower: joint.lower,
            upper: joint.upper,
            range: cellpipe_page.rangeOf(joint),
            q: joint.q,
            free: cellpipe_page.isFree(joint),
            inputs: joint.inputs.map(input => input.id),
            mates: (joint.loopMates ?? []).filter(cellpipe_page.isFree).map(mate => mate.id),
            passive: joint.passive,
        }))
    );

const readCamera = page =>
    page.evaluate(() => {
        const { camera, width, height } = cellpipe.view;
        camera.updateMatrixWorld(true);
        return {
            world: camera.matrixWorldInverse.elements.slice(),
            projection: camera.projectionMatrix.elements.slice(),
            width,
            height,
        };
    });

const readValues = page =>
    page.evaluate(() => Object.fromEntries(cellpipe.cell.joints.map(joint => [joint.id, joint.q])));

// Looks from a direction at all, or at the link of a frame.
const lookAt = (page, direction, frame) =>
    page.evaluate(
        ([way, id]) => {
            const { view, cell } = cellpipe;
            view.fit(id ? cellpipe_page.meshesBelow(cell.byId.get(`node ${id}`)) : null, new THREE.Vector3(...way));
            view.draw();
        },
        [direction, frame]
    );

// Pixels at which links are seen: for each frame of the list some { frame, pixel, point }. Middles of triangles are
// tried, then a grid; the point is where the page's ray meets the link, in the cell's axes.
const findPixels = (page, frames, most) =>
    page.evaluate(
        ([ids, limit]) => {
            const { view, cell } = cellpipe,
                found = new Map(ids.map(id => [id, []]));
            const seen = new Set();
            function tryPixel(x, y) {
                const column = Math.round(x),
                    row = Math.round(y),
                    key = `${column} ${row}`;
                if (seen.has(key) || column < 4 || row < 4 || column > view.width - 4 || row > view.height - 4) return;
                seen.add(key);
                const hit = view.pick(column, row),
                    frame = hit && cellpipe_page.frameOf(cell, hit.object),
                    list = frame && found.get(frame.id);
                if (!list || list.length >= limit) return;
                if (!list.some(one => Math.hypot(one.pixel[0] - column, one.pixel[1] - row) < 8))
                    list.push({
                        frame: frame.id,
                        pixel: [column, row],
                        point: [hit.point.x, -hit.point.z, hit.point.y],
                    });
            }
            for (const [id, list] of found) {
                for (const mesh of cell.byId.get(`node ${id}`).meshes) {
                    const { index, attributes } = mesh.geometry,
                        total = (index ?? attributes.position).count / 3,
                        step = Math.max(1, Math.floor(total / 60));
                    for (let i = 0; i < total && list.length < limit; i += step) {
                        const middle = new THREE.Vector3();
                        for (let k = 0; k < 3; k++)
                            middle.add(
                                new THREE.Vector3().fromBufferAttribute(
                                    attributes.position,
                                    index ? index.getX(3 * i + k) : 3 * i + k
                                )
                            );
                        const at = view.project(middle.divideScalar(3).applyMatrix4(mesh.matrixWorld));
                        tryPixel(at.x, at.y);
                    }
                }
            }
            return [...found.values()].flat();
        },
        [frames, most]
    );

// ---- a cell ----

const directions = [
    [-0.62, -0.45, -0.64], // as the page begins, from the left, from the right, from above, from behind ...
    [1, 0, 0],
    [-1, 0, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [0.62, -0.45, 0.64],
    [0.62, -0.45, -0.64],
    [-0.62, -0.45, 0.64],
    [0.3, 0.9, 0.3],
];

async function dragAll(file) {
    const name = path.relative(samples, file),
        scene = readScene(file),
        loops = readLoops(file),
        html = convert(file, workFile('drag.html'), 'clips=no'),
        tab = await openPage(browser, html, { width: 900, height: 600 }),
        { page } = tab;
    const ids = [...scene.nodes.keys()],
        joints = await readJoints(page),
        byId = new Map(joints.map(joint => [joint.id, joint])),
        start = await readValues(page);
    const question = values => `joints ${[...scene.joints.keys()].map(id => values[id]).join(' ')}`;
    const box = await page.locator('#scene').boundingBox();
    await page.click('[data-do=hand]');
    await page.evaluate(() => (cellpipe.view.invalidate = () => {})); // pictures would take most of the time

    // The joints that a drag of a frame may move.
    function movers(frame) {
        for (let at = scene.nodes.get(frame); at; at = scene.nodes.get(at.parent)) {
            const own = at.joints.filter(joint => joint.type !== 'fixed').map(joint => byId.get(joint.id));
            if (own.length === 0) continue;
            const masters = own.flatMap(joint => (joint.inputs.length > 0 ? joint.inputs : [joint.id]));
            return [...new Set(masters.flatMap(id => (byId.get(id).passive ? byId.get(id).mates : [id])))];
        }
        return [];
    }
    const framesOf = new Map(joints.filter(joint => joint.free).map(joint => [joint.id, { own: [], shared: [] }]));
    const withMeshes = await page.evaluate(() =>
        cellpipe.cell.frames.filter(frame => frame.meshes.some(mesh => mesh.isMesh)).map(frame => frame.id)
    );
    for (const frame of withMeshes) {
        const all = movers(frame);
        for (const id of all) framesOf.get(id)?.[all.length === 1 ? 'own' : 'shared'].push(frame);
    }

    // Values on both sides of the present one, and the poses there.
    const goals = new Map();
    for (const joint of joints.filter(one => one.free)) {
        const wide =
                joint.type === 'revolute'
                    ? 0.5
                    : joint.type === 'scale'
                      ? 0.5
                      : 0.2 * sizeOf(askPoses(file, ids, [question(start)])[0]),
            values = [0.9, 0.25, 0.05].flatMap(part =>
                [1, -1].map(sign => Math.min(joint.upper, Math.max(joint.lower, joint.q + sign * part * wide)))
            );
        const poses = askPoses(
            file,
            ids,
            values.map(value => question({ ...start, [joint.id]: value }))
        );
        goals.set(
            joint.id,
            values.map((value, i) => ({ value, poses: poses[i] })).filter(goal => goal.poses)
        );
    }
    const [rest] = askPoses(file, ids, [question(start)]);

    // Whether a joint moves a place more than the others that may move its frame, each by a thousandth of its range.
    const nearby = new Map();
    function isFastest(joint, { frame, point }, camera) {
        if (!nearby.has(frame)) {
            const list = movers(frame).map(id => byId.get(id));
            const poses = askPoses(
                file,
                ids,
                list.map(one => question({ ...start, [one.id]: one.q + 1e-3 * (one.range[1] - one.range[0]) }))
            );
            nearby.set(
                frame,
                list.map((one, i) => [one.id, poses[i]])
            );
        }
        const local = carry(inverse(rest.get(frame)), point),
            here = project(camera, point);
        const speeds = new Map(
            nearby
                .get(frame)
                .map(([id, poses]) => [id, poses ? between(here, project(camera, carry(poses.get(frame), local))) : 0])
        );
        return [...speeds].every(([id, speed]) => id === joint.id || speed < 0.9 * speeds.get(joint.id));
    }

    // A view, a pixel and a value there such that the pixel moves enough, and not out of the picture.
    async function findDrag(joint, frames) {
        for (const frame of [null, ...frames.slice(0, 3)])
            for (const direction of frames.length > 0 ? directions : []) {
                await lookAt(page, direction, frame);
                const camera = await readCamera(page),
                    seen = await findPixels(page, frames, 6);
                for (const goal of goals.get(joint.id))
                    for (const place of seen) {
                        const local = carry(inverse(rest.get(place.frame)), place.point);
                        const to = project(camera, carry(goal.poses.get(place.frame), local)),
                            way = between(to, place.pixel);
                        const isInside =
                            to[0] > 3 && to[1] > 3 && to[0] < camera.width - 3 && to[1] < camera.height - 3;
                        if (way >= 12 && way < 400 && isInside && isFastest(joint, place, camera))
                            return { ...place, local, camera, to };
                    }
            }
        return null;
    }

    // Where the place is at values of joints, and how it goes on with one.
    function look(drag, values, joint) {
        const step = joint.type === 'revolute' ? 1e-4 : 1e-4 * sizeOf(rest);
        const [here, after, before] = askPoses(
            file,
            ids,
            [0, step, -step].map(change => question({ ...values, [joint.id]: values[joint.id] + change }))
        ).map(poses => poses && project(drag.camera, carry(poses.get(drag.frame), drag.local)));
        const there = after ?? before; // one side may be closed
        return { here, speed: there && here.map((value, i) => ((there[i] - value) / step) * (after ? 1 : -1)) };
    }

    // How far the pointer is from the place, along the way on which the joint moves it.
    function along(drag, values, joint, pointer) {
        const { here, speed } = look(drag, values, joint);
        if (!here || !speed) return Infinity;
        return Math.abs((pointer[0] - here[0]) * speed[0] + (pointer[1] - here[1]) * speed[1]) / Math.hypot(...speed);
    }

    async function judge(what, drag, joint, wanted) {
        const values = await readValues(page),
            [poses] = askPoses(file, ids, [question(values)]),
            shown = await framePoses(page);
        const moved = joints
            .filter(one => one.free && Math.abs(values[one.id] - start[one.id]) > 1e-9)
            .map(one => one.id);
        check(
            `${what}: moves one joint`,
            moved.every(id => id === joint.id),
            moved
        );
        const { lower, upper, q } = joint;
        check(
            `${what}: within the limits`,
            values[joint.id] >= Math.min(lower, q) - 1e-9 && values[joint.id] <= Math.max(upper, q) + 1e-9,
            [lower, values[joint.id], upper]
        );
        const [off, id] = poses ? farthest(shown, poses) : [Infinity, 'all'];
        worst.pose = Math.max(worst.pose, off);
        check(`${what}: ${id} is off by ${off} of the size`, off <= 1e-6);
        for (const loop of loops) {
            const gap = gapOf(loop, shown, sizeOf(rest));
            worst.gap = Math.max(worst.gap, gap);
            check(`${what}: the loop ${loop.id} is open by ${gap}`, gap <= 1e-6);
        }
        if (wanted && poses) {
            const error = along(drag, values, joint, wanted);
            worst.along = Math.max(worst.along, error);
            check(`${what}: the place is ${error} px beside the pointer`, error <= 0.5);
        }
        return values;
    }

    async function dragOne(what, drag, joint) {
        const at = ([x, y]) => [Math.round(x + box.x), Math.round(y + box.y)],
            inPicture = ([x, y]) => [x - box.x, y - box.y];
        const from = at(drag.pixel),
            to = at(drag.to),
            far = at(drag.to.map((value, i) => value + 40 * (value - drag.pixel[i])));
        await page.mouse.move(...from);
        await page.mouse.down();
        await page.mouse.move(...to, { steps: 3 });
        const { [joint.id]: value } = await judge(what, drag, joint, inPicture(to));
        check(`${what}: moves`, Math.abs(value - joint.q) > 1e-9, joint.q, value);
        // To the limit, if it gets there; then back.
        await page.mouse.move(...far, { steps: 3 });
        const end = await judge(`${what}, far on`, drag, joint);
        if ([joint.lower, joint.upper].some(limit => Math.abs(end[joint.id] - limit) < 1e-9)) counts.stops++;
        await page.mouse.move(...to, { steps: 3 });
        await page.mouse.move(...from, { steps: 3 });
        await judge(`${what}, back`, drag, joint, inPicture(from));
        await page.mouse.up();
        check(`${what}: the camera stays`, String((await readCamera(page)).world) === String(drag.camera.world));
        await page.evaluate(values => {
            cellpipe_page.setPose(cellpipe.cell, Object.entries(values), true);
            cellpipe.changed();
        }, start);
    }

    for (const joint of joints.filter(one => one.free && one.type !== 'fixed')) {
        const { own, shared } = framesOf.get(joint.id);
        let isDragged = false;
        for (const [what, frames] of [
            [`${name}, ${joint.id}`, own],
            [`${name}, ${joint.id} by a link of several joints`, shared],
        ]) {
            const drag = await findDrag(joint, frames);
            if (!drag) continue;
            await dragOne(what, drag, joint);
            isDragged = true;
            counts.shared += frames === shared;
        }
        counts.joints += isDragged;
        if (!isDragged)
            unseen.push(
                `${name}, ${joint.id}: ` +
                    (own.length + shared.length > 0 ? 'no view shows its link move' : 'no mesh moves with it alone')
            );
    }
    check(`${name}: no request, no console message`, tab.problems.length === 0, tab.problems.slice(0, 5));
    await tab.close();
}

let files = ['joints.gltf', 'mechanisms/exechon.dcd'].map(name => path.join(samples, name));
if (process.env.CELLPIPE_LONG)
    files = fs
        .readdirSync(samples, { withFileTypes: true, recursive: true })
        .filter(entry => entry.isFile())
        .map(entry => path.join(entry.parentPath ?? entry.path, entry.name))
        .filter(name => /\.(wu|dev|dcr|dcw|dcd|gltf|glb|dae|3mf)$/.test(name))
        .filter(name => spawnSync(program, ['info', name]).status === 0) // some are for others to name
        .sort();
for (const file of files) if ([...readScene(file).joints.values()].some(joint => joint.driven)) await dragAll(file);
await browser.close();
for (const text of unseen) console.log(`not dragged: ${text}`);
check('some joint stops at a limit', counts.stops > 0);
finish(
    `${counts.joints} joints dragged, ${unseen.length} not; ${counts.shared} drags by links of several joints, ` +
        `${counts.stops} to a limit; ${counts.checks} checks, poses off by at most ` +
        `${worst.pose.toExponential(1)} of the size, loops by ${worst.gap.toExponential(1)}, places by ${worst.along.toFixed(2)} px`
);
