// Draws the cell: renderer, light, camera, edges, section, picking. All that depends on the version of three.js is here
// and in cell.js' call of GLTFLoader. A frame is drawn only when something has changed: invalidate().
(function (page) {
    'use strict';

    const { THREE } = globalThis;
    const crease = Math.PI / 6; // faces that bend by more have an edge between them

    // three.js r111 writes colours by a plain power; this is the curve of sRGB.
    const srgb =
        'return vec4(mix(pow(value.rgb, vec3(1.0 / 2.4)) * 1.055 - vec3(0.055), value.rgb * 12.92, ' +
        'vec3(lessThanEqual(value.rgb, vec3(0.0031308)))), value.a);';
    THREE.ShaderChunk.encodings_pars_fragment = THREE.ShaderChunk.encodings_pars_fragment.replace(
        /(vec4 LinearToGamma\([^)]*\)\s*\{)[^}]*\}/,
        (all, head) => `${head} ${srgb} }`
    );

    // It warns at every frame of a mesh that is flat or a point, which a scale of 0 makes, and then takes the identity.
    const { getInverse } = THREE.Matrix3.prototype;
    THREE.Matrix3.prototype.getInverse = function (matrix) {
        return matrix.determinant() === 0 ? this.identity() : getInverse.call(this, matrix);
    };

    // ---- light ----

    // A bright room, seen in six directions, that metal mirrors.
    function makeRoom(renderer) {
        const room = new THREE.Scene(),
            box = new THREE.BoxBufferGeometry(1, 1, 1);
        const add = (shade, size, place, side) => {
            const mesh = new THREE.Mesh(
                box,
                new THREE.MeshBasicMaterial({ color: new THREE.Color(shade, shade, shade), side })
            );
            mesh.scale.set(...size);
            mesh.position.set(...place);
            room.add(mesh);
        };
        add(0.42, [20, 12, 20], [0, 2, 0], THREE.BackSide);
        add(1, [14, 0.2, 14], [0, 7.8, 0], THREE.FrontSide); // lamps: one above, and four at the walls
        add(0.9, [0.2, 5, 8], [-9.8, 3, 2], THREE.FrontSide);
        add(0.75, [8, 5, 0.2], [3, 3, 9.8], THREE.FrontSide);
        add(0.7, [0.2, 4, 5], [9.8, 3, -3], THREE.FrontSide);
        add(0.65, [5, 4, 0.2], [-3, 3, -9.8], THREE.FrontSide);
        add(0.3, [20, 0.2, 20], [0, -3.9, 0], THREE.FrontSide);
        const camera = new THREE.CubeCamera(0.1, 50, 128, {
            format: THREE.RGBAFormat,
            magFilter: THREE.LinearFilter,
            minFilter: THREE.LinearMipmapLinearFilter,
            generateMipmaps: true,
        });
        const gamma = renderer.gammaOutput;
        renderer.gammaOutput = false;
        camera.update(renderer, room);
        renderer.gammaOutput = gamma;
        room.children.forEach(mesh => mesh.material.dispose());
        box.dispose();
        return camera.renderTarget.texture;
    }

    // ---- materials ----

    // glTF ignores alpha where a material does not blend; three.js r111 would let the page show through.
    function closeShader(shader) {
        shader.fragmentShader = shader.fragmentShader.replace('outgoingLight, diffuseColor.a', 'outgoingLight, 1.0');
    }

    function prepareMaterials(cell, environment) {
        const seen = new Set();
        for (const mesh of cell.meshes) {
            const material = mesh.material;
            if (seen.has(material)) continue;
            seen.add(material);
            material.userData.side = material.side;
            if (material.transparent) material.depthWrite = false;
            else material.onBeforeCompile = closeShader;
            if (material.isMeshStandardMaterial) material.envMap = environment;
        }
        return [...seen];
    }

    // A material of one colour that keeps the sides of the one in whose place it is.
    function markMaterial(colour, from) {
        const linear = new THREE.Color(colour).convertSRGBToLinear();
        return new THREE.MeshStandardMaterial({
            color: linear,
            roughness: 0.7,
            metalness: 0,
            envMap: from.envMap || null,
            emissive: linear,
            emissiveIntensity: 0.12,
            side: from.side,
            flatShading: from.flatShading === true,
        });
    }

    // ---- the view ----

    // Makes a disc that shades the ground below a box, dark in its middle, so that a robot does not float. It is no part
    // of the cell: nothing picks, fits or measures it, and it is not seen from below.
    function makeGround(box, radius) {
        const size = 128,
            picture = document.createElement('canvas');
        picture.width = picture.height = size;
        const paint = picture.getContext('2d'),
            shade = paint.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2);
        shade.addColorStop(0, 'rgba(0, 0, 0, 0.3)');
        shade.addColorStop(0.5, 'rgba(0, 0, 0, 0.16)');
        shade.addColorStop(1, 'rgba(0, 0, 0, 0)');
        paint.fillStyle = shade;
        paint.fillRect(0, 0, size, size);
        const ground = new THREE.Mesh(
            new THREE.PlaneBufferGeometry(2, 2),
            new THREE.MeshBasicMaterial({
                color: 0x000000,
                map: new THREE.CanvasTexture(picture),
                transparent: true,
                depthWrite: false,
            })
        );
        const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
        ground.rotation.x = -Math.PI / 2;
        ground.scale.set(1.2 * half.x + 0.25 * radius, 1.2 * half.z + 0.25 * radius, 1);
        box.getCenter(ground.position);
        ground.position.y = box.min.y - 0.002 * radius;
        return ground;
    }

    page.makeView = function (canvas, cell) {
        const attributes = { alpha: true, antialias: true, powerPreference: 'high-performance' };
        const gl = canvas.getContext('webgl2', attributes) || canvas.getContext('webgl', attributes);
        if (!gl) return null;
        const renderer = new THREE.WebGLRenderer({ canvas, context: gl, alpha: true, antialias: true });
        const scene = new THREE.Scene();
        const perspective = new THREE.PerspectiveCamera(30, 1, 0.1, 100),
            parallel = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.1, 100);
        const controls = new THREE.OrbitControls(perspective, canvas);
        const sun = new THREE.DirectionalLight(0xffffff, 0.46 * Math.PI);
        const sky = new THREE.HemisphereLight(0xffffff, 0x9a948c, 0.48 * Math.PI); // the room lights by mirroring alone
        const view = {
            gl,
            renderer,
            scene,
            canvas,
            controls,
            camera: perspective,
            frames: 0,
            marked: [],
            box: new THREE.Box3(),
            radius: 1,
            width: 1,
            height: 1,
            onDraw: [],
        };
        let waiting = 0,
            environment = null,
            materials = [];

        renderer.gammaOutput = true;
        renderer.physicallyCorrectLights = true;
        renderer.localClippingEnabled = false;
        scene.autoUpdate = false; // places() does it, and moves what is exploded
        scene.add(cell.root, sun, sun.target, sky);
        controls.enableKeys = false;
        controls.screenSpacePanning = true;
        controls.rotateSpeed = 0.9;

        view.invalidate = function () {
            if (!waiting) waiting = requestAnimationFrame(view.draw);
        };

        // ---- places ----

        const shifts = new Map(); // from the object of an exploded frame to its way in the world

        view.place = function () {
            scene.updateMatrixWorld(true);
            for (const [object, way] of shifts)
                object.traverse(below => {
                    const e = below.matrixWorld.elements;
                    e[12] += way.x;
                    e[13] += way.y;
                    e[14] += way.z;
                });
        };

        // Which vertices of a geometry belong to a triangle, a line or a point (null: all of them), and their box. One
        // that nothing uses is not seen, and shall not make the picture smaller.
        const known = new WeakMap();
        function usedVertices(geometry) {
            if (known.has(geometry)) return known.get(geometry);
            const { position } = geometry.attributes,
                used = geometry.index ? new Uint8Array(position.count) : null,
                box = new THREE.Box3(),
                point = new THREE.Vector3();
            if (used) for (const i of geometry.index.array) used[i] = 1;
            for (let i = 0; i < position.count; i++)
                if (!used || used[i]) box.expandByPoint(point.fromBufferAttribute(position, i));
            known.set(geometry, { used, box });
            return known.get(geometry);
        }

        // Calls back with the vertices of meshes, in the world; where there are millions, with the corners of their
        // boxes.
        const vertex = new THREE.Vector3(),
            millions = 2e6;
        function eachVertex(meshes, callback) {
            const shown = meshes.filter(isShown);
            const total = shown.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
            for (const mesh of shown) {
                const { position } = mesh.geometry.attributes,
                    { used, box } = usedVertices(mesh.geometry);
                if (total <= millions) {
                    for (let i = 0; i < position.count; i++)
                        if (!used || used[i]) callback(vertex.fromBufferAttribute(position, i).applyMatrix4(mesh.matrixWorld));
                    continue;
                }
                const { min, max } = box;
                for (let i = 0; i < 8; i++)
                    callback(
                        vertex
                            .set(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z)
                            .applyMatrix4(mesh.matrixWorld)
                    );
            }
        }

        function isShown(object) {
            for (let at = object; at; at = at.parent) if (!at.visible) return false;
            return true;
        }

        view.boxOf = function (meshes) {
            const box = new THREE.Box3();
            eachVertex(meshes, point => box.expandByPoint(point));
            return box;
        };

        // ---- camera ----

        // Looks along a direction at meshes so that they just fill the picture.
        view.fit = function (meshes, direction) {
            const list = meshes && meshes.length > 0 ? meshes : cell.meshes,
                camera = view.camera;
            view.place();
            const forward = direction ? direction.clone().normalize() : camera.getWorldDirection(new THREE.Vector3());
            const up =
                Math.abs(forward.y) > 0.999
                    ? new THREE.Vector3(0, 0, forward.y > 0 ? 1 : -1)
                    : new THREE.Vector3(0, 1, 0);
            const right = new THREE.Vector3().crossVectors(forward, up).normalize();
            const above = new THREE.Vector3().crossVectors(right, forward);
            const centre = view.boxOf(list).getCenter(new THREE.Vector3()),
                at = new THREE.Vector3();
            if (!Number.isFinite(centre.x)) centre.set(0, 0, 0);
            const tanV = Math.tan((perspective.fov * Math.PI) / 360) * 0.94,
                tanH = (tanV * view.width) / view.height;
            const most = [-Infinity, -Infinity, -Infinity, -Infinity],
                flat = camera.isOrthographicCamera ? 0 : 1;
            eachVertex(list, point => {
                at.subVectors(point, centre);
                const x = at.dot(right),
                    y = at.dot(above),
                    z = at.dot(forward) * flat;
                most[0] = Math.max(most[0], x - z * tanH);
                most[1] = Math.max(most[1], -x - z * tanH);
                most[2] = Math.max(most[2], y - z * tanV);
                most[3] = Math.max(most[3], -y - z * tanV);
            });
            if (!Number.isFinite(most[0])) most.fill(1);
            const distance = Math.max((most[0] + most[1]) / (2 * tanH), (most[2] + most[3]) / (2 * tanV), 1e-6);
            centre.addScaledVector(right, (most[0] - most[1]) / 2).addScaledVector(above, (most[2] - most[3]) / 2);
            if (flat) {
                look(centre.clone().addScaledVector(forward, -distance), centre);
            } else {
                parallel.zoom = parallel.top / ((distance * tanV) / 0.94);
                look(centre.clone().addScaledVector(forward, -Math.max(view.radius * 2, distance)), centre);
            }
        };

        function look(from, to) {
            view.camera.position.copy(from);
            controls.target.copy(to);
            controls.update();
            view.invalidate();
        }
        view.look = look;

        view.setParallel = function (on) {
            const before = view.camera,
                camera = on ? parallel : perspective,
                distance = before.position.distanceTo(controls.target);
            if (before === camera) return;
            const tan = Math.tan((perspective.fov * Math.PI) / 360),
                direction = before.getWorldDirection(new THREE.Vector3());
            if (on) parallel.zoom = parallel.top / (distance * tan);
            const away = on ? distance : parallel.top / parallel.zoom / tan;
            camera.position.copy(controls.target).addScaledVector(direction, -away);
            view.camera = controls.object = camera;
            view.resize();
            controls.update();
        };

        view.zoom = function (factor) {
            if (view.camera.isOrthographicCamera) {
                view.camera.zoom /= factor;
                view.camera.updateProjectionMatrix();
            } else {
                view.camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
            }
            controls.update();
            view.invalidate();
        };

        view.turn = function (across, upwards) {
            const offset = view.camera.position.clone().sub(controls.target),
                angles = new THREE.Spherical().setFromVector3(offset);
            angles.theta -= across;
            angles.phi = Math.min(Math.PI - 0.001, Math.max(0.001, angles.phi - upwards));
            view.camera.position.setFromSpherical(angles).add(controls.target);
            controls.update();
            view.invalidate();
        };

        // The wheel zooms to the place under the pointer: it stays where it is in the picture.
        canvas.parentElement.addEventListener(
            'wheel',
            event => {
                // before OrbitControls, which has no such zoom
                event.stopPropagation();
                const rectangle = canvas.getBoundingClientRect(),
                    x = event.clientX - rectangle.left,
                    y = event.clientY - rectangle.top;
                const factor = Math.pow(
                    1.0015,
                    Math.max(-200, Math.min(200, event.deltaY * (event.deltaMode ? 30 : 1)))
                );
                event.preventDefault();
                const hit = view.pick(x, y),
                    direction = view.camera.getWorldDirection(new THREE.Vector3());
                const anchor = hit
                    ? hit.point
                    : placeAt(x, y, direction.dot(controls.target.clone().sub(view.camera.position)));
                if (view.camera.isOrthographicCamera) {
                    const across = anchor.sub(controls.target);
                    across.addScaledVector(direction, -across.dot(direction)).multiplyScalar(1 - factor);
                    controls.target.add(across);
                    view.camera.position.add(across);
                    view.camera.zoom /= factor;
                    view.camera.updateProjectionMatrix();
                } else {
                    view.camera.position.sub(anchor).multiplyScalar(factor).add(anchor);
                    controls.target.sub(anchor).multiplyScalar(factor).add(anchor);
                }
                controls.update();
                view.invalidate();
            },
            { passive: false, capture: true }
        );

        view.resize = function () {
            const width = Math.max(1, canvas.clientWidth),
                height = Math.max(1, canvas.clientHeight);
            view.width = width;
            view.height = height;
            renderer.setPixelRatio(Math.min(2, globalThis.devicePixelRatio || 1));
            renderer.setSize(width, height, false);
            perspective.aspect = width / height;
            perspective.updateProjectionMatrix();
            parallel.right = (parallel.top * width) / height;
            parallel.left = -parallel.right;
            parallel.updateProjectionMatrix();
            view.invalidate();
        };

        function setDepths() {
            const camera = view.camera,
                distance = camera.position.distanceTo(view.centre),
                reach = view.radius * (1 + 2 * exploded);
            camera.far = distance + 1.6 * reach; // the ground's, too
            camera.near = camera.isOrthographicCamera
                ? distance - 1.2 * reach
                : Math.max(distance - 1.2 * reach, camera.far / 5000);
            camera.updateProjectionMatrix();
        }

        // ---- drawing ----

        view.draw = function () {
            if (waiting) cancelAnimationFrame(waiting);
            waiting = 0;
            view.frames++;
            view.place();
            setDepths();
            view.camera.updateMatrixWorld(true);
            sun.position
                .copy(view.camera.position)
                .sub(controls.target)
                .normalize()
                .multiplyScalar(0.6)
                .add(sunny)
                .add(controls.target);
            sun.target.position.copy(controls.target);
            sun.updateMatrixWorld(true);
            sun.target.updateMatrixWorld(true);
            renderer.render(scene, view.camera);
            view.onDraw.forEach(call => call());
        };
        const sunny = new THREE.Vector3(-0.35, 0.9, 0.25); // the sun stands above, and a little behind who looks

        // ---- picking ----

        const caster = new THREE.Raycaster();

        function aim(x, y) {
            caster.setFromCamera({ x: (2 * x) / view.width - 1, y: 1 - (2 * y) / view.height }, view.camera);
        }

        function placeAt(x, y, depth) {
            aim(x, y);
            const direction = view.camera.getWorldDirection(new THREE.Vector3());
            return caster.ray.origin
                .clone()
                .addScaledVector(caster.ray.direction, depth / Math.max(1e-9, caster.ray.direction.dot(direction)));
        }

        // What is seen at a place of the canvas: { object, point, face, faceIndex, distance }, or null.
        view.pick = function (x, y) {
            view.place();
            view.camera.updateMatrixWorld(true);
            aim(x, y);
            const meshes = cell.meshes.filter(mesh => mesh.isMesh && isShown(mesh));
            const cut = renderer.clippingPlanes;
            return (
                caster
                    .intersectObjects(meshes, false)
                    .find(hit => cut.every(plane => plane.distanceToPoint(hit.point) >= 0)) || null
            );
        };

        // Pixels of a place in the world.
        view.project = function (point) {
            const at = point.clone().project(view.camera);
            return { x: ((at.x + 1) / 2) * view.width, y: ((1 - at.y) / 2) * view.height, behind: at.z > 1 };
        };

        // ---- marks ----

        const marks = new Map(), // from a mesh to its own material
            made = new Map(); // from a material to its marks by their colours

        // A mark is kept: with a new one for each state of a live cell, the browser would compile its shader again and
        // again.
        function markOf(colour, from) {
            if (!made.has(from)) made.set(from, new Map());
            const own = made.get(from),
                mark = own.get(colour) || markMaterial(colour, from);
            own.set(colour, mark);
            if (mark.side !== from.side) mark.needsUpdate = true;
            mark.side = from.side;
            mark.envMap = from.envMap || null;
            return mark;
        }

        // Colours meshes: a list of [meshes, colour].
        view.mark = function (groups) {
            for (const [mesh, material] of marks) mesh.material = material;
            marks.clear();
            view.marked = [];
            for (const [meshes, colour] of groups)
                for (const mesh of meshes)
                    if (mesh.isMesh && !marks.has(mesh)) {
                        marks.set(mesh, mesh.material);
                        mesh.material = markOf(colour, mesh.material);
                        view.marked.push(mesh);
                    }
            view.invalidate();
        };

        // ---- edges ----

        const edges = new Map(),
            lines = []; // geometry -> its edges
        const edgeMaterial = new THREE.LineBasicMaterial({ color: 0x20262e, transparent: true, opacity: 0.65 });

        function makeEdges(geometry) {
            const {
                    index,
                    attributes: { position },
                } = geometry,
                plain = new THREE.BufferGeometry();
            const positions = new Float32Array(3 * position.count);
            for (let i = 0; i < position.count; i++) {
                positions[3 * i] = position.getX(i);
                positions[3 * i + 1] = position.getY(i);
                positions[3 * i + 2] = position.getZ(i);
            }
            const corners = index ? index.array : Uint32Array.from({ length: position.count }, (_, i) => i);
            plain.setAttribute('position', new THREE.BufferAttribute(page.findEdges(positions, corners, crease), 3));
            return plain;
        }

        view.edges = function (on) {
            if (on && lines.length === 0)
                for (const mesh of cell.meshes) {
                    if (!mesh.isMesh) continue;
                    if (!edges.has(mesh.geometry)) edges.set(mesh.geometry, makeEdges(mesh.geometry));
                    const line = new THREE.LineSegments(edges.get(mesh.geometry), edgeMaterial);
                    line.renderOrder = 1;
                    mesh.add(line);
                    lines.push(line);
                }
            lines.forEach(line => (line.visible = on));
            for (const material of materials) {
                // faces stand a little behind their edges
                material.polygonOffset = on;
                material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
            }
            view.invalidate();
        };

        view.setDark = function (dark) {
            edgeMaterial.color.set(dark ? 0x05070a : 0x20262e);
            view.invalidate();
        };

        // ---- section ----

        // Keeps what is below the heights, given in the world of the cell (Z up); null: all.
        view.cut = function (x, y, z) {
            const planes = [];
            const add = (normal, at) => at !== null && planes.push(new THREE.Plane(normal, at));
            add(new THREE.Vector3(-1, 0, 0), x);
            add(new THREE.Vector3(0, 0, 1), y); // the page's z is the cell's -y
            add(new THREE.Vector3(0, -1, 0), z);
            const changed = planes.length > 0 !== renderer.clippingPlanes.length > 0;
            renderer.clippingPlanes = planes;
            if (changed)
                for (const material of materials) {
                    material.side = planes.length > 0 ? THREE.DoubleSide : material.userData.side;
                    material.needsUpdate = true;
                }
            view.invalidate();
        };

        // ---- exploding ----

        let exploded = 0;
        view.explode = function (level, factor) {
            shifts.clear();
            exploded = factor;
            view.place();
            if (factor > 0)
                for (const frame of cell.frames) {
                    if (frame.depth !== level) continue;
                    const meshes = page.meshesBelow(frame),
                        box = view.boxOf(meshes);
                    if (!box.isEmpty())
                        shifts.set(
                            frame.node.object,
                            box.getCenter(new THREE.Vector3()).sub(view.centre).multiplyScalar(factor)
                        );
                }
            view.invalidate();
        };

        // ---- beginning, and beginning again after the context was lost ----

        function light() {
            environment = makeRoom(renderer);
            materials = prepareMaterials(cell, environment);
        }
        view.relight = function () {
            light();
            view.invalidate();
        };
        canvas.addEventListener('webglcontextrestored', () => view.relight());
        controls.addEventListener('change', view.invalidate);

        light();
        view.place();
        const box = view.boxOf(cell.meshes);
        view.box = box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : box;
        view.centre = view.box.getCenter(new THREE.Vector3());
        view.radius = Math.max(1e-9, view.box.getSize(new THREE.Vector3()).length() / 2);
        parallel.top = view.radius;
        parallel.bottom = -view.radius;
        scene.add(makeGround(view.box, view.radius));
        view.resize();
        return view;
    };

    page.meshesBelow = function (frame) {
        const meshes = [],
            stack = [frame];
        while (stack.length > 0) {
            const one = stack.pop();
            meshes.push(...one.meshes);
            stack.push(...one.children);
        }
        return meshes;
    };
})((globalThis.cellpipe_page = globalThis.cellpipe_page || {}));
