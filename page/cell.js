// The cell of a page: frames, joints, clips and pairs of the GLB that the exporter has put into it. Nothing here knows
// the DOM. The GLB is one of ours (profile deliver), and docs/stage-format.md says what its extras mean.
(function (page) {
    'use strict';

    const oursOf = thing => (thing && thing.extras && thing.extras.cellpipe) || {};

    // ---- nodes and frames ----

    // What a node's pose is while no clip plays.
    function restOf(object) {
        return {
            position: object.position.toArray(),
            quaternion: object.quaternion.toArray(),
            scale: object.scale.toArray(),
        };
    }

    function toRest(node) {
        node.object.position.fromArray(node.rest.position);
        node.object.quaternion.fromArray(node.rest.quaternion);
        node.object.scale.fromArray(node.rest.scale);
    }

    page.toRest = toRest;

    // A node of the page is one of glTF's; `frame` is the scene's frame that it belongs to.
    async function readNodes(cell, parser) {
        cell.nodes = [];
        for (let i = 0; i < (cell.json.nodes || []).length; i++) {
            const json = cell.json.nodes[i],
                object = await parser.getDependency('node', i);
            cell.nodes.push({
                index: i,
                json,
                own: oursOf(json),
                object,
                parent: null,
                frame: null,
                rest: restOf(object),
            });
            cell.nodeOf.set(object, cell.nodes[i]);
        }
        for (const node of cell.nodes) for (const child of node.json.children || []) cell.nodes[child].parent = node;
    }

    // Frames in the order of a walk through the tree, so that a parent comes before its children.
    function readFrames(cell) {
        const roots = cell.nodes.filter(node => !node.parent),
            stack = roots.map(node => [node, null]).reverse();
        while (stack.length > 0) {
            const [node, above] = stack.pop();
            let frame = above;
            if (node.own.id !== undefined) {
                const name = node.own.name !== undefined ? node.own.name : node.json.name || '';
                frame = {
                    index: cell.frames.length,
                    id: node.own.id,
                    name: name || node.own.id,
                    node,
                    parent: above,
                    depth: above ? above.depth + 1 : 0,
                    children: [],
                    meshes: [],
                    joints: [],
                    hidden: false,
                };
                cell.frames.push(frame);
                cell.byId.set(`node ${frame.id}`, frame);
                if (above) above.children.push(frame);
            }
            node.frame = frame;
            for (const child of (node.json.children || []).slice().reverse()) stack.push([cell.nodes[child], frame]);
        }
    }

    // Meshes belong to the frame of their node. Objects that GLTFLoader adds below a node have no node of their own.
    function readMeshes(cell) {
        for (const node of cell.nodes) {
            const stack = [node.object];
            while (stack.length > 0) {
                const object = stack.pop();
                if (object.isMesh || object.isLine || object.isPoints) {
                    object.cellNode = node;
                    cell.meshes.push(object);
                    if (node.frame) node.frame.meshes.push(object);
                    if (object.isMesh) {
                        const geometry = object.geometry;
                        cell.triangles += (geometry.index || geometry.attributes.position).count / 3;
                    }
                }
                stack.push(...object.children.filter(child => !cell.nodeOf.has(child)));
            }
        }
    }

    // What GLTFLoader of r111 leaves out of materials: which set of texture coordinates their textures use, if it is the
    // same of all but occlusion's, and the strength of emission; and the colour of parts that have none. three.js draws
    // occlusion by the attribute uv2, and all else by uv.
    function finishMaterials(THREE, cell) {
        for (const node of cell.nodes) {
            const mesh = node.json.mesh === undefined ? null : cell.json.meshes[node.json.mesh];
            const objects = node.object.isGroup
                ? node.object.children.filter(child => !cell.nodeOf.has(child))
                : [node.object];
            (mesh ? mesh.primitives : []).forEach((primitive, i) => {
                const json = (cell.json.materials || [])[primitive.material],
                    object = objects[i];
                if (!json || !object || !object.material) return;
                const base = json.pbrMetallicRoughness || {},
                    strength = ((json.extensions || {}).KHR_materials_emissive_strength || {}).emissiveStrength;
                const maps = [
                    base.baseColorTexture,
                    base.metallicRoughnessTexture,
                    json.normalTexture,
                    json.emissiveTexture,
                ].filter(Boolean);
                if (oursOf(json).made === 'default')
                    // a part without colours: a light steel, on which edges show
                    object.material.color.setRGB(0.42, 0.46, 0.52);
                if (strength !== undefined) object.material.emissiveIntensity = strength;
                if (primitive.attributes.TEXCOORD_1 === undefined) return;
                const { uv, uv2 } = object.geometry.attributes,
                    own = maps.length > 0 && maps.every(map => map.texCoord === 1) ? uv2 : uv,
                    occlusion = json.occlusionTexture && !json.occlusionTexture.texCoord ? uv : uv2;
                if (own === uv && occlusion === uv2) return;
                const geometry = new THREE.BufferGeometry();
                geometry.setIndex(object.geometry.index);
                Object.entries(object.geometry.attributes).forEach(([name, values]) =>
                    geometry.setAttribute(name, values)
                );
                geometry.setAttribute('uv', own);
                geometry.setAttribute('uv2', occlusion);
                object.geometry = geometry;
            });
        }
    }

    page.frameOf = function (cell, object) {
        while (object && !object.cellNode && !cell.nodeOf.has(object)) object = object.parent;
        const node = object && (object.cellNode || cell.nodeOf.get(object));
        return node ? node.frame : null;
    };

    // ---- joints ----

    const axes = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
    const finite = (value, other) => (typeof value === 'number' ? value : other);

    function readJoints(cell) {
        for (const node of cell.nodes) {
            const own = node.own.joint;
            if (!own) continue;
            const turned = node.parent && node.parent.own.made === 'axis'; // the joint then moves about its local Z
            const joint = {
                index: cell.joints.length,
                id: own.id,
                name: own.name || own.id,
                type: own.type,
                node,
                frame: node.frame,
                axis: turned ? axes.z : own.axis || axes.z,
                lower: finite(own.lower, -Infinity),
                upper: finite(own.upper, Infinity),
                velocity: finite(own.velocity, Infinity),
                home: own.home || 0,
                q: own.q || 0,
                stored: own.q || 0,
                driven: own.driven === true,
                master: own.master,
                scale: finite(own.scale, 1),
                offset: own.offset || 0,
                expression: own.expression,
                device: null,
                followers: [],
            };
            joint.dependent = joint.master !== undefined || joint.expression !== undefined;
            joint.passive = false; // moved by others through a loop
            cell.joints.push(joint);
            cell.byId.set(`joint ${joint.id}`, joint);
            if (joint.frame) joint.frame.joints.push(joint);
        }
        for (const joint of cell.joints) {
            const masters =
                joint.master !== undefined ? [joint.master] : joint.expression ? joint.expression.inputs : [];
            joint.inputs = masters.map(id => cell.byId.get(`joint ${id}`)).filter(Boolean);
            joint.inputs.forEach(input => input.followers.push(joint));
            if (joint.expression && page.compileFormula)
                joint.formula = page.compileFormula(joint.expression.text, {
                    inputs: joint.inputs.map(input => input.index),
                    factors: joint.expression.factors,
                    angle: joint.expression.angle,
                });
            if (joint.dependent) {
                joint.q = dependentValue(cell, joint);
                narrow(joint);
            }
        }
    }

    function dependentValue(cell, joint) {
        if (joint.inputs.length === 0) return joint.q;
        const value = joint.formula
            ? joint.formula(cell.joints.map(one => one.q))
            : joint.expression
              ? joint.q
              : joint.inputs[0].q;
        return joint.expression && !joint.formula ? joint.q : joint.scale * value + joint.offset;
    }

    function readDevices(cell, extras) {
        cell.devices = (extras.devices || []).map(own => ({
            id: own.id,
            name: own.name || own.id,
            kind: own.kind,
            base: cell.byId.get(`node ${own.base}`),
            joints: [],
            own: own.joints.map(id => cell.byId.get(`joint ${id}`)).filter(Boolean),
        }));
        for (const device of cell.devices) device.own.forEach(joint => (joint.device = joint.device || device));
        for (const joint of cell.joints) {
            // a dependent joint stands where its master does
            const master = joint.inputs.find(input => input.device);
            joint.device = joint.device || (master ? master.device : null);
            if (joint.device && joint.type !== 'fixed') joint.device.joints.push(joint);
        }
        cell.devices = cell.devices.filter(device => device.joints.length > 0);
        cell.otherJoints = cell.joints.filter(joint => !joint.device && joint.type !== 'fixed');
    }

    function placeJoint(joint) {
        const { object } = joint.node,
            [x, y, z] = joint.axis,
            q = joint.q;
        if (joint.type === 'revolute') {
            const length = Math.hypot(x, y, z) || 1,
                sine = Math.sin(q / 2) / length;
            object.quaternion.set(x * sine, y * sine, z * sine, Math.cos(q / 2));
        } else if (joint.type === 'prismatic') {
            object.position.set(x * q, y * q, z * q);
        } else if (joint.type === 'scale') {
            object.scale.set(1 + (q - 1) * x * x, 1 + (q - 1) * y * y, 1 + (q - 1) * z * z);
        }
    }

    // The value that the pose of the joint's node shows; of the turns that show the same, the one nearest to `near`.
    function shownValue(joint, near) {
        const { object } = joint.node,
            [x, y, z] = joint.axis;
        if (joint.type === 'prismatic')
            return (object.position.x * x + object.position.y * y + object.position.z * z) / (x * x + y * y + z * z);
        if (joint.type === 'scale') return object.scale.x * x * x + object.scale.y * y * y + object.scale.z * z * z;
        const { quaternion } = object,
            length = Math.hypot(x, y, z) || 1;
        const angle = 2 * Math.atan2((quaternion.x * x + quaternion.y * y + quaternion.z * z) / length, quaternion.w);
        return angle + 2 * Math.PI * Math.round((near - angle) / (2 * Math.PI));
    }

    function followAll(cell) {
        for (const joint of cell.joints) if (joint.dependent) joint.q = dependentValue(cell, joint);
    }

    page.placeJoints = function (cell) {
        for (const joint of cell.joints) placeJoint(joint);
    };

    // The joints of loops.js are its own; they have the same ids.
    function makeSolver(cell) {
        const model = page.readCell(cell.json),
            loops = page.makeLoops(model);
        const here = model.joints.map(joint => cell.byId.get(`joint ${joint.id}`)),
            there = new Map(here.map((joint, i) => [joint, i]));
        const take = solved => {
            if (solved.residual <= 1e-6) here.forEach((joint, i) => (joint.q = solved.q[i]));
            return solved.closed;
        };
        const values = () => here.map(joint => joint.q);
        for (const { columns, freeCount } of loops.groups)
            // the first columns are what the others move
            columns.forEach((column, i) =>
                Object.assign(here[column], {
                    passive: i < freeCount,
                    loopMates: columns.slice(freeCount).map(other => here[other]),
                })
            );
        cell.loops = {
            start: () => take(loops.start(values())),
            goal: () => take(loops.solve(values())),
            solve: (joint, before) => {
                const wanted = values();
                joint.q = before; // stays if the loops do not close at all
                return take(loops.solve(wanted, there.get(joint)));
            },
        };
        cell.loops.start();
    }

    // Sets a joint and moves what depends on it. Where loops do not close on the way to the value, the joint stops
    // before, and the answer is false.
    page.setJoint = function (cell, joint, value) {
        page.endClip(cell);
        const before = joint.q;
        joint.q = value;
        followAll(cell);
        const closed = cell.loops ? cell.loops.solve(joint, before) : true;
        page.placeJoints(cell);
        return closed;
    };

    // Sets all joints of a list of [id, value] at once. If it is a whole pose, loops close near to it; else they are
    // walked there from the present pose.
    page.setPose = function (cell, values, isWhole) {
        page.endClip(cell);
        for (const [id, value] of values) {
            const joint = cell.byId.get(`joint ${id}`);
            if (joint && !joint.dependent && Number.isFinite(value)) joint.q = value;
        }
        followAll(cell);
        const closed = !cell.loops || (isWhole ? cell.loops.start() : cell.loops.goal());
        page.placeJoints(cell);
        return closed;
    };

    // Goes to the joint values of a witness. Loops are walked from the cell's own pose, as exclude did: the values of
    // their driven joints belong to several poses. Returns false where the loops do not close on the way.
    page.showWitness = function (cell, witness) {
        if (cell.loops)
            page.setPose(
                cell,
                cell.joints.map(joint => [joint.id, joint.stored]),
                true
            );
        return page.setPose(
            cell,
            witness.map(({ joint, value }) => [joint, value]),
            false
        );
    };

    page.isBeyond = joint => joint.q < joint.lower - 1e-9 || joint.q > joint.upper + 1e-9;

    page.isFree = joint => !joint.dependent && !joint.passive && joint.type !== 'fixed';

    // The range of a dependent joint is what its master gives it.
    function narrow(joint) {
        const [master] = joint.inputs;
        if (
            joint.inputs.length !== 1 ||
            joint.lower > -Infinity ||
            joint.upper < Infinity ||
            !(master.upper - master.lower < Infinity)
        )
            return;
        const values = [];
        for (let i = 0; i <= 64; i++) {
            const one = master.lower + ((master.upper - master.lower) * i) / 64,
                all = [];
            all[master.index] = one;
            values.push(joint.scale * (joint.formula ? joint.formula(all) : one) + joint.offset);
        }
        if (values.every(Number.isFinite) && (joint.formula || !joint.expression))
            Object.assign(joint, { lower: Math.min(...values), upper: Math.max(...values) });
    }

    // The range of a slider: the limits, or so much that the value and a way to both sides are in it.
    page.rangeOf = function (joint) {
        const wide = joint.type === 'revolute' ? Math.PI : joint.type === 'scale' ? 1 : 1;
        const lower = Number.isFinite(joint.lower) ? joint.lower : Math.min(joint.q, joint.home, 0) - wide;
        const upper = Number.isFinite(joint.upper) ? joint.upper : Math.max(joint.q, joint.home, 0) + wide;
        return [Math.min(lower, upper), Math.max(lower, upper)];
    };

    // ---- clips ----

    const sizes = { translation: 3, rotation: 4, scale: 3 };
    const members = { translation: 'position', rotation: 'quaternion', scale: 'scale' };

    async function readChannel(cell, parser, animation, channel) {
        const sampler = animation.samplers[channel.sampler];
        const input = await parser.getDependency('accessor', sampler.input);
        const output = await parser.getDependency('accessor', sampler.output);
        const types = { Int8Array: 127, Uint8Array: 255, Int16Array: 32767, Uint16Array: 65535 };
        const most = output.normalized && types[output.array.constructor.name];
        return {
            node: cell.nodes[channel.target.node],
            path: channel.target.path,
            size: sizes[channel.target.path],
            times: input.array,
            values: most ? Float32Array.from(output.array, value => Math.max(-1, value / most)) : output.array,
            mode: sampler.interpolation || 'LINEAR',
        };
    }

    async function readClips(cell, parser) {
        for (const [index, animation] of (cell.json.animations || []).entries()) {
            const own = oursOf(animation);
            const channels = await Promise.all(
                animation.channels
                    .filter(channel => sizes[channel.target.path])
                    .map(channel => readChannel(cell, parser, animation, channel))
            );
            const ends = channels.map(channel => channel.times[channel.times.length - 1]);
            cell.clips.push({
                index,
                name: animation.name || 'clip',
                made: own.made === 'sweep',
                channels,
                length: ends.reduce((longest, end) => Math.max(longest, end), 0),
                marks: own.marks || [],
                attachments: own.attachments || [],
                joints: cell.joints.filter(joint => channels.some(channel => channel.node === joint.node)),
            });
        }
        cell.clips.sort((a, b) => Number(a.made) - Number(b.made)); // own clips first
    }

    // The last key whose time is not after t, or 0.
    function keyAt(times, t) {
        let low = 0,
            high = times.length;
        while (low + 1 < high) {
            const middle = (low + high) >> 1;
            if (times[middle] <= t) low = middle;
            else high = middle;
        }
        return low;
    }

    // Turns by the short way from a to b (quaternions at offsets of an array), as glTF's specification has it.
    function slerp(values, a, b, s, out) {
        let dot = 0;
        for (let i = 0; i < 4; i++) dot += values[a + i] * values[b + i];
        const sign = dot < 0 ? -1 : 1,
            angle = Math.acos(Math.min(1, Math.abs(dot))),
            sine = Math.sin(angle);
        const first = sine < 1e-6 ? 1 - s : Math.sin((1 - s) * angle) / sine,
            second = sign * (sine < 1e-6 ? s : Math.sin(s * angle) / sine);
        for (let i = 0; i < 4; i++) out[i] = first * values[a + i] + second * values[b + i];
    }

    function cubic(channel, key, s, span, out) {
        const { values, size } = channel,
            from = 3 * size * key,
            to = from + 3 * size,
            s2 = s * s,
            s3 = s2 * s;
        for (let i = 0; i < size; i++)
            out[i] =
                (2 * s3 - 3 * s2 + 1) * values[from + size + i] +
                (s3 - 2 * s2 + s) * span * values[from + 2 * size + i] +
                (3 * s2 - 2 * s3) * values[to + size + i] +
                (s3 - s2) * span * values[to + i];
    }

    function sample(channel, t, out) {
        const { times, values, size, mode } = channel,
            key = keyAt(times, t),
            next = Math.min(key + 1, times.length - 1);
        const span = times[next] - times[key],
            s = span > 0 ? Math.min(1, Math.max(0, (t - times[key]) / span)) : 0;
        const row = mode === 'CUBICSPLINE' ? 3 * size : size,
            middle = mode === 'CUBICSPLINE' ? size : 0;
        if (mode === 'STEP' || s === 0) for (let i = 0; i < size; i++) out[i] = values[row * key + middle + i];
        else if (mode === 'CUBICSPLINE') cubic(channel, key, s, span, out);
        else if (size === 4) slerp(values, 4 * key, 4 * next, s, out);
        else
            for (let i = 0; i < size; i++)
                out[i] = values[size * key + i] + s * (values[size * next + i] - values[size * key + i]);
    }

    // Shows a clip (by index) at a time; joints read their values back, whole turns kept as the last value has them.
    page.showClip = function (cell, index, time) {
        const clip = cell.clips[index],
            out = [0, 0, 0, 0];
        if (cell.shown !== clip) {
            cell.nodes.forEach(toRest);
            cell.shown = clip;
        }
        cell.time = time;
        for (const channel of clip.channels) {
            const target = channel.node.object[members[channel.path]];
            sample(channel, time, out);
            if (channel.path === 'rotation') {
                // cubic keys and rounded ones are not of length 1
                const length = Math.hypot(...out) || 1;
                target.set(out[0] / length, out[1] / length, out[2] / length, out[3] / length);
            } else {
                target.set(out[0], out[1], out[2]);
            }
        }
        for (const joint of cell.joints) if (joint.type !== 'fixed') joint.q = shownValue(joint, near(joint));
    };

    // A value within the limits whose turns are meant: the last one, unless the limits are narrow.
    function near(joint) {
        const middle = (joint.lower + joint.upper) / 2;
        return joint.upper - joint.lower < 2 * Math.PI + 1e-6 ? middle : joint.q;
    }

    // Joints keep the values that the clip has given them; what it moved besides goes back to rest.
    page.endClip = function (cell) {
        if (!cell.shown) return;
        cell.shown = null;
        cell.nodes.forEach(toRest);
        followAll(cell);
        if (cell.loops) cell.loops.start();
        page.placeJoints(cell);
    };

    // The frames that hang on another one than their parent at a time: what is held.
    page.heldAt = function (cell, clip, time) {
        const hosts = new Map();
        for (const { time: at, node, host } of clip.attachments) if (at <= time + 1e-6) hosts.set(node, host);
        return [...hosts]
            .map(([node, host]) => [cell.byId.get(`node ${node}`), cell.byId.get(`node ${host}`)])
            .filter(([frame, host]) => frame && host && host !== frame.parent && host.parent)
            .map(([frame]) => frame);
    };

    // The mark of a kind ("line") that holds at a time: the last one not after it.
    page.markAt = function (clip, name, time) {
        let found = null;
        for (const mark of clip.marks) if (mark.name === name && mark.time <= time + 1e-6) found = mark;
        return found;
    };

    // ---- the whole ----

    function readPairs(cell, extras) {
        for (const own of extras.pairs || []) {
            const first = cell.byId.get(`node ${own.first}`),
                second = cell.byId.get(`node ${own.second}`);
            if (first && second)
                cell.pairs.push({
                    index: cell.pairs.length,
                    first,
                    second,
                    verdict: own.verdict || 'excluded',
                    reason: own.reason || '',
                    evidence: own.evidence || '',
                    finding: own.finding || null,
                });
        }
    }

    // Loads a GLB. Where the loader fails, it is tried again without the pictures that the browser cannot read.
    async function loadGlb(THREE, bytes) {
        const load = glb => new Promise((resolve, reject) => new THREE.GLTFLoader().parse(glb, '', resolve, reject));
        if (page.lacksPictures(page.readJson(bytes))) return load(await page.keepReadablePictures(bytes));
        return load(bytes).catch(async () => load(await page.keepReadablePictures(bytes)));
    }

    // Reads a GLB by GLTFLoader into { json, root, nodes, frames, joints, devices, otherJoints, clips, pairs, views,
    // byId ... }.
    page.openCell = async function (THREE, bytes) {
        const gltf = await loadGlb(THREE, bytes);
        const cell = {
            json: gltf.parser.json,
            root: gltf.scene,
            nodeOf: new Map(),
            byId: new Map(),
            frames: [],
            joints: [],
            meshes: [],
            clips: [],
            pairs: [],
            views: [],
            triangles: 0,
            shown: null,
            time: 0,
            loops: null,
        };
        const scene = cell.json.scenes[cell.json.scene || 0],
            extras = oursOf(scene);
        await readNodes(cell, gltf.parser);
        readFrames(cell);
        finishMaterials(THREE, cell);
        readMeshes(cell);
        readJoints(cell);
        readDevices(cell, extras);
        readPairs(cell, extras);
        await readClips(cell, gltf.parser);
        cell.own = oursOf(cell.json.asset);
        cell.metadata = extras.metadata || [];
        cell.views = cell.nodes.filter(node => node.own.made === 'view' && node.json.camera !== undefined);
        if ((extras.loops || []).length > 0 && page.makeLoops) makeSolver(cell);
        return cell;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
