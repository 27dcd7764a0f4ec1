// Frames and joints of a GLB that cellpipe delivered (docs/stage-format.md), and where they are at values of the
// joints. Nothing here knows the page or three.js. Matrices have 16 numbers, column by column, as in glTF.
(function (page) {
    'use strict';

    // ---- matrices, whose last row is 0 0 0 1 ----

    // out = a b; out is none of them.
    function multiply(a, b, out) {
        for (let column = 0; column < 16; column += 4) {
            const x = b[column], y = b[column + 1], z = b[column + 2];
            for (let row = 0; row < 3; row++)
                out[column + row] = a[row] * x + a[4 + row] * y + a[8 + row] * z + (column === 12 ? a[12 + row] : 0);
            out[column + 3] = column === 12 ? 1 : 0;
        }
        return out;
    }

    function compose({ translation, rotation: [x, y, z, w], scale }) {
        const out = new Float64Array(16);
        setTurn(out, x, y, z, w);
        for (let column = 0; column < 3; column++)
            for (let row = 0; row < 3; row++)
                out[4 * column + row] *= scale[column];
        out.set(translation, 12);
        return out;
    }

    // Sets the first three columns to the rotation of a quaternion, and the last row.
    function setTurn(out, x, y, z, w) {
        out[0] = 1 - 2 * (y * y + z * z);
        out[1] = 2 * (x * y + z * w);
        out[2] = 2 * (x * z - y * w);
        out[4] = 2 * (x * y - z * w);
        out[5] = 1 - 2 * (x * x + z * z);
        out[6] = 2 * (y * z + x * w);
        out[8] = 2 * (x * z + y * w);
        out[9] = 2 * (y * z - x * w);
        out[10] = 1 - 2 * (x * x + y * y);
        out[3] = out[7] = out[11] = 0;
        out[15] = 1;
    }

    // A pose of the extras has 12 numbers, row by row; absent, it is the identity.
    function fromRows(m = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]) {
        return Float64Array.of(m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, m[3], m[7], m[11], 1);
    }

    page.multiply = multiply;

    // ---- reading ----

    const extrasOf = thing => (thing && thing.extras && thing.extras.cellpipe) || {};
    const isTrue = value => value === true || (typeof value === 'number' && value !== 0);
    const orElse = (value, other) => (value === undefined || value === null ? other : value);

    function readNode(node) {
        const extras = extrasOf(node);
        return {
            name: orElse(extras.name, orElse(node.name, '')), id: extras.id, made: extras.made,
            flags: extras.flags || [], isWorld: isTrue(extras.world), isFrame: extras.id !== undefined,
            scope: extras.scope, parent: -1, joint: -1, tail: -1, children: node.children || [],
            matrix: node.matrix, translation: node.translation || [0, 0, 0], rotation: node.rotation || [0, 0, 0, 1],
            scale: node.scale || [1, 1, 1],
        };
    }

    function readJoint(it, node, aligned, index) {
        const limit = (value, other) => (typeof value === 'number' ? value : other);
        const dependent = it.master !== undefined || it.expression !== undefined;
        return {
            index, node, id: it.id, name: it.name, type: it.type, direction: aligned ? [0, 0, 1] : it.axis || [0, 0, 1],
            lower: limit(it.lower, -Infinity), upper: limit(it.upper, Infinity), home: orElse(it.home, 0),
            q: orElse(it.q, 0),
            velocity: limit(it.velocity, Infinity), acceleration: limit(it.acceleration, Infinity),
            driven: isTrue(it.driven), dependent, master: it.master, scale: orElse(it.scale, 1),
            offset: orElse(it.offset, 0),
            expression: it.expression, range: [0, 0],
        };
    }

    // Finds parents, and an order with parents before children; nodes that no root reaches are last.
    function orderNodes(nodes, roots) {
        const order = [], seen = new Uint8Array(nodes.length);
        nodes.forEach((node, i) => node.children.forEach(child => {
            nodes[child].parent = i;
        }));
        const others = nodes.map((node, i) => i).filter(i => nodes[i].parent < 0);
        for (const root of [...roots, ...others])
            for (const stack = [root]; stack.length > 0;) {
                const at = stack.pop();
                if (seen[at])
                    continue;
                seen[at] = 1;
                order.push(at);
                for (let i = nodes[at].children.length; i-- > 0;)
                    stack.push(nodes[at].children[i]);
            }
        return order;
    }

    // The last node of a frame's chain, which all that hangs on the frame is below: its joints' nodes, and made ones
    // between.
    function findTail(nodes, frame) {
        for (let at = frame; ; at = nodes[at].children[0]) {
            const only = nodes[at].children.length === 1 ? nodes[nodes[at].children[0]] : undefined;
            if (!only || !(only.joint >= 0 || only.made === 'shear' || only.made === 'axis'))
                return at;
        }
    }

    // Finds the range of a joint without limits, or of a dependent one, which articulations tell: relative to the
    // present value, in degrees or metres. Joints of one frame may be stages of one articulation, which is at the first
    // one's node.
    function readRanges(cell, json) {
        const extension = json.extensions && json.extensions.AGI_articulations;
        const all = new Map(((extension && extension.articulations) || []).map(it => [it.name, it.stages || []]));
        const values = page.jointValues(cell, cell.joints.map(joint => joint.q));
        let stages = [], next = 0;
        for (const joint of cell.joints) {
            const it = (json.nodes[joint.node].extensions || {}).AGI_articulations;
            const named = it && all.get(it.articulationName);
            stages = named || (next < stages.length ? stages : []);
            next = named ? 0 : next;
            const stage = stages[next++], now = values[joint.index], usual = joint.type === 'revolute' ? Math.PI : 1;
            const absolute = relative => (joint.type === 'scale' ? now * relative
                : now + (joint.type === 'revolute' ? relative * Math.PI / 180 : relative));
            const told = stage ? [absolute(stage.minimumValue), absolute(stage.maximumValue)]
                : [now - usual, now + usual];
            const isKnown = !joint.dependent;
            joint.range = [isKnown && joint.lower > -Infinity ? joint.lower : Math.min(told[0], told[1]),
                isKnown && joint.upper < Infinity ? joint.upper : Math.max(told[0], told[1])];
        }
        for (const joint of cell.joints.filter(it => it.evaluate && !(it.range[0] < it.range[1])))
            joint.range = sampleFormula(cell, joint, values);
    }

    // What a formula reaches while its inputs go through their ranges, one at a time. Files without made clips do not
    // tell.
    function sampleFormula(cell, joint, values) {
        const reached = joint.expression.inputs.flatMap(input => Array.from({ length: 65 }, (_, i) => {
            const [low, high] = cell.joints[input].range, changed = values.slice();
            changed[input] = low + i / 64 * (high - low);
            return page.jointValue(joint, changed);
        }));
        return [Math.min(values[joint.index], ...reached), Math.max(values[joint.index], ...reached)];
    }

    // Reads the JSON document of a GLB:
    //   nodes    of glTF, by their index: name, id and the like of the extras, parent (-1: none), children,
    //            translation, rotation, scale (or matrix), joint (that moves it, or -1), isFrame (it is a frame of the
    //            scene, not made), tail (of a frame: what hangs on it is below)
    //   order    indices of all nodes, parents first
    //   joints   in the scene's order: index, node, id, name, type, direction (its axis at the node), lower and upper
    //            (they may be infinite), range (for a slider: always finite), home, q, driven, dependent, master
    //            (index or -1), scale, offset, expression: { text, inputs (indices), factors, angle }, evaluate (the
    //            compiled formula), isFree (loops determine it, if it is in one)
    //   loops    id, name, type, tails: [node, node], poses: [matrix, matrix], length
    //   devices  id, name, kind, base, ends (nodes), joints (indices), home, scope
    //   pairs    first, second (nodes), verdict, reason, evidence, finding, whose witness has joint indices
    //   clips    index, name, made (true: a sweep), joint (that it moves, or -1), marks, attachments (nodes)
    // What the extras refer to and the file does not have is left out. A GLB of other tools has nodes and clips.
    page.readCell = function (json) {
        const scene = (json.scenes || [])[json.scene || 0] || {}, extras = extrasOf(scene);
        const nodes = (json.nodes || []).map(readNode), order = orderNodes(nodes, scene.nodes || []);
        const joints = [], frames = new Map();
        const mark = extrasOf(json.asset);
        nodes.forEach((node, i) => {
            const it = extrasOf(json.nodes[i]).joint;
            if (node.id !== undefined)
                frames.set(node.id, i);
            if (!it)
                return;
            node.joint = joints.length;
            joints.push(readJoint(it, i, node.parent >= 0 && nodes[node.parent].made === 'axis', joints.length));
        });
        for (const i of frames.values())
            nodes[i].tail = findTail(nodes, i);
        const byId = new Map(joints.map(joint => [joint.id, joint.index]));
        const frameOf = id => orElse(frames.get(id), -1), jointOf = id => orElse(byId.get(id), -1);
        const isThere = index => index >= 0;
        for (const joint of joints) {
            if (joint.expression) {
                joint.expression = { ...joint.expression, inputs: joint.expression.inputs.map(jointOf) };
                joint.evaluate = page.compileFormula(joint.expression.text, joint.expression);
            }
            joint.master = joint.master === undefined ? -1 : jointOf(joint.master);
            joint.dependent = joint.expression !== undefined || joint.master >= 0;
            joint.isFree = !joint.driven && !joint.dependent && joint.type !== 'fixed' && joint.lower < joint.upper;
        }
        const cell = { nodes, order, joints, up: mark.up || 'z', source: mark.source || {} };
        cell.loops = (extras.loops || []).map(it => ({
            id: it.id, name: it.name, type: it.type, frames: [frameOf(it.first), frameOf(it.second)],
            poses: [fromRows(it.first_pose), fromRows(it.second_pose)], length: orElse(it.length, 0),
        })).filter(it => it.frames.every(isThere));
        for (const loop of cell.loops)
            loop.tails = loop.frames.map(i => nodes[i].tail);
        cell.devices = (extras.devices || []).map(it => ({
            ...it, base: frameOf(it.base), ends: (it.ends || []).map(frameOf).filter(isThere),
            joints: (it.joints || []).map(jointOf).filter(isThere),
        }));
        const readWitness = values => { // it goes as a whole
            const witness = (values || []).map(({ joint, value }) => ({ joint: jointOf(joint), value }));
            return witness.length > 0 && witness.every(({ joint }) => isThere(joint)) ? witness : undefined;
        };
        cell.pairs = (extras.pairs || []).map(it => ({
            ...it, verdict: it.verdict || 'excluded', first: frameOf(it.first), second: frameOf(it.second),
            finding: it.finding && { ...it.finding, witness: readWitness(it.finding.witness) },
        })).filter(it => isThere(it.first) && isThere(it.second));
        const readAttachment = ({ time, node, host }) => ({ time, node: frameOf(node), host: frameOf(host) });
        cell.clips = (json.animations || []).map((it, index) => {
            const own = extrasOf(it), attachments = (own.attachments || []).map(readAttachment);
            return {
                index, name: it.name || '', made: own.made === 'sweep', joint: jointOf(own.joint),
                marks: own.marks || [],
                attachments: attachments.filter(({ node, host }) => isThere(node) && isThere(host)),
            };
        });
        readRanges(cell, json);
        return cell;
    };

    // ---- motion ----

    // The value of one joint, where independent ones have the values q.
    page.jointValue = function (joint, q) {
        if (!joint.dependent)
            return q[joint.index];
        return joint.scale * (joint.evaluate ? joint.evaluate(q) : q[joint.master]) + joint.offset;
    };

    // The values of all joints: dependent ones follow.
    page.jointValues = (cell, q) => cell.joints.map(joint => page.jointValue(joint, q));

    // The translation, rotation and scale of a joint's node at a value.
    page.jointMotion = function (joint, q) {
        const motion = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] }, { direction } = joint;
        if (joint.type === 'revolute')
            motion.rotation = [...direction.map(part => part * Math.sin(q / 2)), Math.cos(q / 2)];
        else if (joint.type === 'prismatic')
            motion.translation = direction.map(part => part * q);
        else if (joint.type === 'scale')
            motion.scale = direction.map(part => 1 + (q - 1) * part);
        return motion;
    };

    // The same as a matrix, into out: loops ask for it so often that no memory is taken.
    page.jointMatrix = function (joint, q, out) {
        const [x, y, z] = joint.direction, sine = joint.type === 'revolute' ? Math.sin(q / 2) : 0;
        setTurn(out, x * sine, y * sine, z * sine, joint.type === 'revolute' ? Math.cos(q / 2) : 1);
        const way = joint.type === 'prismatic' ? q : 0, more = joint.type === 'scale' ? q - 1 : 0;
        out[12] = way * x;
        out[13] = way * y;
        out[14] = way * z;
        out[0] += more * x;
        out[5] += more * y;
        out[10] += more * z;
        return out;
    };

    // The matrix in its parent of a node that no joint moves.
    page.restMatrix = node => (node.matrix ? Float64Array.from(node.matrix) : compose(node));

    // The world matrices of all nodes at values of the joints: dependent ones follow, free ones stay (loops.js closes
    // loops).
    page.forward = function (cell, q) {
        const values = page.jointValues(cell, q), worlds = new Array(cell.nodes.length);
        for (const i of cell.order) {
            const { parent, joint } = cell.nodes[i];
            const local = joint >= 0 ? page.jointMatrix(cell.joints[joint], values[joint], new Float64Array(16))
                : page.restMatrix(cell.nodes[i]);
            worlds[i] = parent < 0 ? local : multiply(worlds[parent], local, new Float64Array(16));
        }
        return worlds;
    };
})(globalThis.cellpipe_page = globalThis.cellpipe_page || {});
