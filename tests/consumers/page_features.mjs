// A grid of squares, each of which uses one feature of glTF, and clips of every kind of keys. Tests of pages show it.
import zlib from 'node:zlib';
import { Maker } from './gltf_make.mjs';

const corners = Float32Array.of(-0.4, -0.4, 0, 0.4, -0.4, 0, 0.4, 0.4, 0, -0.4, 0.4, 0);
const columns = 7;

// A PNG of 8 bits with alpha (ISO/IEC 15948) whose pixels a function gives.
function png(size, colour) {
    const rows = Buffer.alloc(size * (4 * size + 1)),
        head = Buffer.alloc(13);
    for (let y = 0; y < size; y++)
        for (let x = 0; x < size; x++) rows.set(colour(x, y), y * (4 * size + 1) + 1 + 4 * x);
    head.writeUInt32BE(size, 0);
    head.writeUInt32BE(size, 4);
    head.set([8, 6, 0, 0, 0], 8);
    const chunk = (kind, data) => {
        const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]),
            out = Buffer.alloc(body.length + 8);
        out.writeUInt32BE(data.length, 0);
        body.copy(out, 4);
        out.writeUInt32BE(zlib.crc32(body), body.length + 4);
        return out;
    };
    const begin = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return Buffer.concat([
        begin,
        chunk('IHDR', head),
        chunk('IDAT', zlib.deflateSync(rows)),
        chunk('IEND', Buffer.alloc(0)),
    ]);
}

// { glb, squares: [{ name, unlike }] }: their middles are one apart; unlike says where a page may not show what glTF
// means: 'always', or 'delivered': where the exporter has written it.
export function makeFeatures() {
    const maker = new Maker(),
        squares = [];
    const { json } = maker;
    for (const name of [
        'KHR_texture_transform',
        'KHR_materials_unlit',
        'KHR_materials_emissive_strength',
        'KHR_materials_clearcoat',
    ])
        maker.use(name);
    maker.use('KHR_mesh_quantization', true);

    const positions = maker.positions(corners),
        normals = maker.accessor(Float32Array.from([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]), 'VEC3');
    const uv = maker.accessor(Float32Array.of(0, 1, 1, 1, 1, 0, 0, 0), 'VEC2'),
        half = maker.accessor(Float32Array.of(0, 0.5, 0.5, 0.5, 0.5, 0, 0, 0), 'VEC2');
    const indices = maker.accessor(Uint16Array.of(0, 1, 2, 0, 2, 3), 'SCALAR');
    const plain = { POSITION: positions, NORMAL: normals },
        textured = { ...plain, TEXCOORD_0: uv },
        twice = { ...textured, TEXCOORD_1: half };

    const images = [
        (x, y) => [255 * ((x >> 2) & 1), 255 * ((y >> 2) & 1), 128, 255],
        (x, y) => [200, 80, 40, Math.hypot(x - 16, y - 16) < 13 ? 255 : 0],
        (x, y) => [8 * x, 8 * y, 60, 255],
    ].map(colour => png(32, colour));
    json.images = images.map(bytes => ({ bufferView: maker.view(bytes), mimeType: 'image/png' }));
    json.samplers = [
        { magFilter: 9728, minFilter: 9728, wrapS: 33071, wrapT: 33071 },
        { magFilter: 9728, minFilter: 9728, wrapS: 33648, wrapT: 10497 },
    ];
    json.textures = [
        { source: 0, sampler: 0 },
        { source: 1, sampler: 0 },
        { source: 2, sampler: 0 },
        { source: 0, sampler: 1 },
    ];
    json.materials = [];
    const material = (properties, more = {}) =>
        json.materials.push({
            name: `m${json.materials.length}`,
            pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1, ...properties },
            ...more,
        }) - 1;
    const transform = values => ({ extensions: { KHR_texture_transform: values } });

    function square(name, primitives, pose = {}, unlike = 'never') {
        const x = squares.length % columns,
            y = -Math.floor(squares.length / columns);
        const place = pose.matrix
            ? { matrix: [...pose.matrix.slice(0, 12), x, y, 0, 1] }
            : { translation: [x, y, 0], ...pose };
        maker.node({ name, mesh: maker.mesh(...primitives), ...place });
        squares.push({ name, unlike });
    }
    const with_ = (attributes, of, more = { indices }) => ({ attributes, material: of, ...more });
    const brown = material({ baseColorFactor: [0.5, 0.2, 0.1, 1] }),
        white = material({});

    square('colour', [with_(plain, brown)]);
    square('texture', [with_(textured, material({ baseColorTexture: { index: 0 } }))]);
    square('texture moved', [
        with_(
            textured,
            material({ baseColorTexture: { index: 3, ...transform({ offset: [0.25, 0.125], scale: [2, 1.5] }) } })
        ),
    ]);
    square('second coordinates', [with_(twice, material({ baseColorTexture: { index: 2, texCoord: 1 } }))]);
    square('emission', [
        with_(plain, material({ baseColorFactor: [0, 0, 0, 1] }, { emissiveFactor: [0.1, 0.5, 0.2] })),
    ]);
    square('emission by a texture', [
        with_(
            textured,
            material({ baseColorFactor: [0, 0, 0, 1] }, { emissiveFactor: [1, 1, 1], emissiveTexture: { index: 2 } })
        ),
    ]);
    square('strong emission', [
        with_(
            plain,
            material(
                { baseColorFactor: [0, 0, 0, 1] },
                {
                    emissiveFactor: [0.1, 0.2, 0.3],
                    extensions: { KHR_materials_emissive_strength: { emissiveStrength: 3 } },
                }
            )
        ),
    ]);
    square('mask', [
        with_(textured, material({ baseColorTexture: { index: 1 } }, { alphaMode: 'MASK', alphaCutoff: 0.5 })),
    ]);
    square('blend', [with_(plain, material({ baseColorFactor: [0.2, 0.4, 0.9, 0.4] }, { alphaMode: 'BLEND' }))]);
    square('opaque', [with_(plain, material({ baseColorFactor: [0.2, 0.4, 0.9, 0.4] }))]);
    square('opaque texture', [with_(textured, material({ baseColorTexture: { index: 1 } }))]);
    square('unlit', [
        with_(
            textured,
            material(
                { baseColorTexture: { index: 2 }, baseColorFactor: [0.5, 1, 1, 1] },
                { extensions: { KHR_materials_unlit: {} } }
            )
        ),
    ]);

    const colours = [
        [1, 0, 0, 1],
        [0, 0.5, 0, 1],
        [0, 0, 0.2, 1],
        [0.5, 0.5, 0.5, 1],
    ];
    const floats = maker.accessor(Float32Array.from(colours.flat()), 'VEC4');
    square('colours of floats', [with_({ ...plain, COLOR_0: floats }, white)]);
    square('colours of bytes', [
        with_(
            {
                ...plain,
                COLOR_0: maker.accessor(
                    Uint8Array.from(colours.flat(), c => Math.round(255 * c)),
                    'VEC4',
                    { normalized: true }
                ),
            },
            white
        ),
    ]);
    square('colours of shorts', [
        with_(
            {
                ...plain,
                COLOR_0: maker.accessor(
                    Uint16Array.from(
                        colours.flatMap(c => c.slice(0, 3)),
                        c => Math.round(65535 * c)
                    ),
                    'VEC3',
                    { normalized: true, stride: 8 }
                ),
            },
            white
        ),
    ]);
    square(
        'integers',
        [
            with_(
                {
                    POSITION: maker.positions(
                        Int16Array.from(corners, c => Math.round(40000 * c)),
                        { stride: 8 }
                    ),
                    NORMAL: maker.accessor(Int8Array.of(0, 0, 127, 0, 0, 127, 0, 0, 127, 0, 0, 127), 'VEC3', {
                        normalized: true,
                        stride: 4,
                    }),
                },
                brown
            ),
        ],
        { scale: [1 / 40000, 1 / 40000, 1 / 40000] }
    );
    const tops = Float32Array.of(0.4, 0.1, 0, -0.4, 0.1, 0),
        low = { min: [-0.4, -0.4, 0], max: [0.4, 0.1, 0] };
    square('sparse', [
        with_({ ...plain, POSITION: maker.sparse(corners, 4, 'VEC3', Uint16Array.of(2, 3), tops, low) }, brown),
    ]);
    square('sparse alone', [
        with_(
            {
                ...plain,
                POSITION: maker.sparse(null, 4, 'VEC3', Uint16Array.of(0, 1, 2, 3), corners, {
                    min: [-0.4, -0.4, 0],
                    max: [0.4, 0.4, 0],
                }),
            },
            brown
        ),
    ]);
    square('strip', [with_(plain, brown, { indices: maker.accessor(Uint16Array.of(0, 1, 3, 2), 'SCALAR'), mode: 5 })]);
    square('fan', [with_(plain, brown, { mode: 6 })]);
    square('indices of bytes', [
        with_(plain, brown, { indices: maker.accessor(Uint8Array.of(0, 1, 2, 0, 2, 3), 'SCALAR') }),
    ]);
    const triangles = maker.positions(
        Float32Array.of(...[0, 1, 2, 0, 2, 3].flatMap(i => [...corners.slice(3 * i, 3 * i + 3)]))
    );
    square('no indices, no normals', [with_({ POSITION: triangles }, brown, {})]);
    square('no normals', [with_({ POSITION: positions }, brown)]);
    square('lines', [
        with_({ POSITION: positions }, brown, {
            indices: maker.accessor(Uint16Array.of(0, 1, 2, 3), 'SCALAR'),
            mode: 1,
        }),
    ]);
    square('loop', [with_({ POSITION: positions }, brown, { mode: 2 })]);
    square('line of colours', [with_({ POSITION: positions, COLOR_0: floats }, white, { mode: 3 })]);
    square('points', [with_({ POSITION: positions }, brown, { mode: 0 })], {}, 'delivered'); // a loss of the importer
    square('both sides', [with_(plain, material({ baseColorFactor: [0.5, 0.2, 0.1, 1] }, { doubleSided: true }))], {
        rotation: [0, 1, 0, 0],
    });
    square('mirrored', [with_(plain, brown)], { scale: [-1, 1, 1] });
    square(
        'matrix, two primitives',
        [
            with_(plain, brown, { indices: maker.accessor(Uint16Array.of(0, 1, 2), 'SCALAR') }),
            with_(plain, white, { indices: maker.accessor(Uint16Array.of(0, 2, 3), 'SCALAR') }),
        ],
        { matrix: [0.6, 0.6, 0, 0, -0.6, 0.6, 0, 0, 0, 0, 1, 0] }
    );
    square('no material', [{ attributes: plain, indices }], {}, 'always'); // the exporter's grey; else metal
    square(
        'metal',
        [with_(plain, material({ metallicFactor: 1, roughnessFactor: 0.4, baseColorFactor: [0.9, 0.7, 0.3, 1] }))],
        {},
        'always'
    );
    square(
        'clear coat',
        [
            with_(
                plain,
                material(
                    { baseColorFactor: [0.5, 0, 0, 1] },
                    { extensions: { KHR_materials_clearcoat: { clearcoatFactor: 1 } } }
                )
            ),
        ],
        {},
        'always'
    );

    // ---- clips: two of the same name, keys of floats, shorts and bytes, straight, held, and cubic ----

    const s = Math.SQRT1_2,
        turns = [0, 0, 0, 1, 0, 0, s, s, 0, 0.6, 0, 0.8, 0.5, 0.5, 0.5, 0.5],
        times = [0, 0.5, 0.75, 1.2];
    const moves = [0, 0, 0, 0, 0.2, 0, 0, 0.4, 0, 0.3, 0, 0.3];
    const cubic = (values, size) =>
        Array.from({ length: values.length / size }, (_, key) => [
            ...Array(size).fill(0.1 * key),
            ...values.slice(size * key, size * key + size),
            ...Array(size).fill(0.3 - 0.1 * key),
        ]).flat();
    for (const interpolation of ['LINEAR', 'STEP'])
        maker.animation(
            [
                { node: 0, path: 'translation', times, values: moves, interpolation },
                { node: 1, path: 'rotation', times, values: turns, interpolation },
            ],
            'same'
        );
    maker.animation(
        [
            { node: 0, path: 'translation', times, values: cubic(moves, 3), interpolation: 'CUBICSPLINE' },
            { node: 2, path: 'rotation', times, values: cubic(turns, 4), interpolation: 'CUBICSPLINE' },
            {
                node: 3,
                path: 'scale',
                times,
                values: cubic(
                    moves.map(value => 1 + value),
                    3
                ),
                interpolation: 'CUBICSPLINE',
            },
        ],
        'cubic'
    );
    // Four squares that add up to 127 * 127, and to 32767 * 32767: turns of length 1.
    const bytes = Int8Array.of(0, 0, 0, 127, -8, -2, 94, 85, 13, 74, 22, 100, 64, 66, 69, 54);
    const shorts = Int16Array.from(
        [
            [0, 0, 0, 1, 32767],
            [2, 0, 3, 6, 4681],
            [5, 6, 0, 30, 1057],
            [3, 6, 16, 150, 217],
        ].flatMap(([x, y, z, w, unit]) => [x * unit, y * unit, z * unit, w * unit])
    );
    maker.animation(
        [
            { node: 4, path: 'rotation', times, values: shorts, options: { normalized: true } },
            { node: 5, path: 'rotation', times, values: bytes, options: { normalized: true } },
        ],
        'small'
    );
    return { glb: maker.glb(), squares };
}
