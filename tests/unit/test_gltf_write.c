/* glb and gltf: buffers, meshes, materials, extras and refusals. */
#include "gltf_written.h"

static void empty_scene(void **state)
{
    (void)state;
    struct written file = start();
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    assert_int_equal(file.binary_size, 0);
    static const char *const absent[] = {"meshes",    "accessors",  "bufferViews",    "buffers",
                                         "materials", "animations", "extensionsUsed", "extensions"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_null(json_object_get(file.json, absent[i]));
    json_t *mark = ours(get(file.json, "asset"));
    assert_string_equal(text(mark, "version"), "1.0");
    assert_string_equal(text(mark, "profile"), "stage");
    json_t *world = at(file.json, "nodes", 0);
    assert_true(json_is_true(get(ours(world), "world")));
    assert_int_equal(json_integer_value(at(at(file.json, "scenes", 0), "nodes", 0)), 0);
    drop_file(&file);
    write_with(&file, NULL, NULL);
    json_t *up = at(file.json, "nodes", (size_t)json_integer_value(at(at(file.json, "scenes", 0), "nodes", 0)));
    assert_string_equal(text(ours(up), "made"), "up");
    cp_pose y_up = {{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0}};
    assert_maps(up, NULL, &y_up);
    assert_ptr_equal(child(&file, up, 0), node_of(&file, "WORLD"));
    finish(&file);
}

static void stage_keeps_vertices_and_faces(void **state)
{
    (void)state;
    struct written file = start();
    uint32_t node = add_node(&file, 0, "a");
    add_instance(&file, node, add_mesh(&file, triangles()), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    json_t *mesh = at(file.json, "meshes", 0), *primitive = at(mesh, "primitives", 0);
    assert_int_equal(json_array_size(get(mesh, "primitives")), 1);
    json_t *position = get(get(primitive, "attributes"), "POSITION");
    const unsigned char *bytes = accessor_bytes(&file, position, sizeof corner_positions);
    for (size_t i = 0; i < 18; i++) {
        uint32_t bits;
        memcpy(&bits, &corner_positions[i], sizeof bits);
        assert_int_equal(word(bytes + 4 * i), bits); /* -0 and denormals too */
    }
    bytes = accessor_bytes(&file, get(primitive, "indices"), 18);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(bytes[2 * i] | bytes[2 * i + 1] << 8, triangle_corners[i]);
    json_t *accessor = at(file.json, "accessors", (size_t)json_integer_value(position));
    assert_true((float)element(get(accessor, "max"), 2) == 9.0f && element(get(accessor, "min"), 0) == 0);
    assert_null(json_object_get(ours(mesh), "faces"));
    assert_null(json_object_get(ours(mesh), "groups"));
    assert_int_equal(json_integer_value(get(node_of(&file, "a"), "mesh")), 0);
    assert_string_equal(text(ours(node_of(&file, "a")), "use"), "both");
    json_t *material = at(file.json, "materials", (size_t)json_integer_value(get(primitive, "material")));
    assert_string_equal(text(ours(material), "made"), "default");
    assert_true(json_is_true(get(material, "doubleSided")));
    finish(&file);
}

/* A concave quadrilateral, a triangle and a pentagon. */
static const uint32_t polygon_corners[] = {0, 1, 3, 4, 0, 1, 2, 5, 2, 1, 0, 4};
static const uint32_t polygon_offsets[] = {0, 4, 7, 12};

static cp_mesh polygons(void)
{
    return (cp_mesh){.name = "n",
                     .source = "",
                     .vertex_count = 6,
                     .face_count = 3,
                     .corner_count = 12,
                     .positions = corner_positions,
                     .corners = polygon_corners,
                     .face_offsets = polygon_offsets};
}

static void stage_keeps_polygons(void **state)
{
    (void)state;
    struct written file = start();
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, polygons()), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    json_t *mesh = at(file.json, "meshes", 0), *faces = get(ours(mesh), "faces");
    const unsigned char *sizes = named_view(&file, text(faces, "sizes"), 12);
    assert_int_equal(word(sizes), 4);
    assert_int_equal(word(sizes + 4), 3);
    assert_int_equal(word(sizes + 8), 5);
    const unsigned char *corners = named_view(&file, text(faces, "corners"), sizeof polygon_corners);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(word(corners + 4 * i), polygon_corners[i]);
    assert_int_equal(number(faces, "drawn"), 3 * (2 + 1 + 3));
    drop_file(&file);
    write_with(&file, NULL, NULL); /* deliver: triangles alone, and a loss */
    assert_null(json_object_get(ours(at(file.json, "meshes", 0)), "faces"));
    size_t count;
    const cp_entry *entries = cp_report(file.context, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].code, "loss-ngons");
    assert_int_equal(entries[0].count, 2);
    finish(&file);
}

static void lines_stay_polylines(void **state)
{
    (void)state;
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5}, offsets[] = {0, 4, 6};
    struct written file = start();
    cp_mesh mesh = {.name = "l",
                    .source = "",
                    .kind = CP_MESH_LINES,
                    .vertex_count = 6,
                    .face_count = 2,
                    .corner_count = 6,
                    .positions = corner_positions,
                    .corners = corners,
                    .face_offsets = offsets};
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, mesh), CP_USE_DRAWN, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, NULL, NULL);
    json_t *written = at(file.json, "meshes", 0), *primitive = at(written, "primitives", 0);
    assert_int_equal(json_integer_value(get(primitive, "mode")), 1);
    static const int segments[] = {0, 1, 1, 2, 2, 3, 4, 5};
    const unsigned char *bytes = accessor_bytes(&file, get(primitive, "indices"), 16);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(bytes[2 * i], segments[i]);
    assert_string_equal(text(ours(written), "kind"), "lines");
    assert_int_equal(word(named_view(&file, "l:sizes", 8)), 4);
    finish(&file);
}

static void undrawn_things_are_kept(void **state)
{
    (void)state;
    struct written file = start();
    cp_mesh empty = {.name = "empty", .source = "e.stl"};
    cp_mesh cloud = {.name = "cloud", .source = "", .vertex_count = 6, .positions = corner_positions};
    cp_mesh cylinder = {.name = "c", .source = "", .kind = CP_MESH_CYLINDER, .size = {1, 2, 0}};
    uint32_t first = add_mesh(&file, empty), drawn = add_mesh(&file, triangles());
    add_mesh(&file, cloud);
    uint32_t round = add_mesh(&file, cylinder), node = add_node(&file, 0, "a");
    add_instance(&file, node, first, CP_USE_BOTH, PLAIN_IDENTITY);
    add_instance(&file, node, drawn, CP_USE_DRAWN, PLAIN_IDENTITY);
    add_instance(&file, node, round, CP_USE_COLLISION, plain_translation(1, 2, 3));
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    json_t *scene = ours(at(file.json, "scenes", 0));
    static const int positions[] = {0, 2, 3};
    static const char *const names[] = {"empty", "cloud", "c"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(number(at(scene, "meshes", i), "position"), positions[i]);
        assert_string_equal(text(at(scene, "meshes", i), "name"), names[i]);
    }
    assert_near(float_at(named_view(&file, "cloud:positions", 72) + 68), 9, 0);
    json_t *own = ours(node_of(&file, "a"));
    assert_int_equal(number(own, "position"), 1); /* the drawn one came second */
    assert_string_equal(text(at(own, "instances", 0), "use"), "both");
    assert_int_equal(number(at(own, "instances", 0), "position"), 0);
    assert_null(json_object_get(at(own, "instances", 1), "use"));
    assert_int_equal(element(get(at(own, "instances", 1), "pose"), 7), 2);
    finish(&file);
}

static void deliver_leaves_collision_out(void **state)
{
    (void)state;
    struct written file = start();
    uint32_t node = add_node(&file, 0, "a"), hull = add_mesh(&file, triangles()), part = add_mesh(&file, triangles());
    add_instance(&file, node, hull, CP_USE_COLLISION, PLAIN_IDENTITY);
    add_instance(&file, node, part, CP_USE_DRAWN, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_int_equal(json_array_size(get(file.json, "meshes")), 1);
    assert_null(json_object_get(ours(node_of(&file, "a")), "instances"));
    size_t count;
    const cp_entry *entries = cp_report(file.context, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].code, "gltf-collision");
    drop_file(&file);
    write_with(&file, "collision=yes", NULL);
    assert_int_equal(json_array_size(get(file.json, "meshes")), 2);
    assert_string_equal(text(at(ours(node_of(&file, "a")), "instances", 0), "mesh"), "part");
    finish(&file);
}

static void index_width(void **state)
{
    (void)state;
    static float positions[65536 * 3];
    static const uint32_t corners[] = {0, 1, 65534, 0, 1, 65535};
    for (size_t i = 0; i < 65536; i++)
        positions[3 * i] = (float)i;
    for (uint32_t vertices = 65535; vertices <= 65536; vertices++) {
        struct written file = start();
        cp_mesh mesh = {.name = "m",
                        .source = "",
                        .vertex_count = vertices,
                        .positions = positions,
                        .face_count = vertices - 65534,
                        .corner_count = 3 * (vertices - 65534),
                        .corners = corners};
        add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, mesh), CP_USE_BOTH, PLAIN_IDENTITY);
        complete(&file);
        write_with(&file, "profile=stage", NULL);
        json_t *index = get(at(at(file.json, "meshes", 0), "primitives", 0), "indices");
        json_t *accessor = at(file.json, "accessors", (size_t)json_integer_value(index));
        assert_int_equal(number(accessor, "componentType"), vertices == 65535 ? 5123 : 5125);
        finish(&file);
    }
}

/* A tetrahedron, wound outward or inward. */
static void sides_by_topology(void **state)
{
    (void)state;
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t outward[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
                          inward[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    const uint32_t *windings[] = {outward, inward};
    for (size_t i = 0; i < 2; i++) {
        struct written file = start();
        static const double rgba[4] = {1, 0.5, 0, 0.5};
        uint32_t material = add_colour(file.scene, "glass", rgba, true);
        cp_group group = {0, 4, material};
        cp_mesh mesh = {.name = "t",
                        .source = "",
                        .vertex_count = 4,
                        .positions = positions,
                        .face_count = 4,
                        .corner_count = 12,
                        .corners = windings[i],
                        .group_count = 1,
                        .groups = &group};
        add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, mesh), CP_USE_BOTH, PLAIN_IDENTITY);
        complete(&file);
        write_with(&file, NULL, NULL);
        json_t *written = at(file.json, "materials", 0);
        assert_int_equal(json_is_true(json_object_get(written, "doubleSided")), i == 1);
        assert_string_equal(text(written, "alphaMode"), "BLEND");
        json_t *surface = get(written, "pbrMetallicRoughness");
        assert_near(element(get(surface, "baseColorFactor"), 1), 0.21404114048223255, 1e-15);
        assert_true(element(get(surface, "baseColorFactor"), 3) == 0.5);
        assert_true(number(surface, "metallicFactor") == 0 && number(surface, "roughnessFactor") == 0.8);
        assert_true(element(get(ours(written), "rgba"), 1) == 0.5 && json_is_true(get(ours(written), "srgb")));
        finish(&file);
    }
}

/* Four views of a part, on nodes behind all others, below the made root; a reader finds the part alone. */
static void views_are_cameras(void **state)
{
    (void)state;
    static const char *const names[] = {"whole cell", "front", "left", "top"};
    struct written file = start();
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, triangles()), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_null(json_object_get(file.json, "cameras")); /* it is no cell */
    drop_file(&file);
    write_with(&file, "cameras=yes", NULL);
    assert_int_equal(json_array_size(get(file.json, "cameras")), 4);
    size_t count = json_array_size(get(file.json, "nodes"));
    json_t *up = at(file.json, "nodes", count - 5);
    assert_string_equal(text(ours(up), "made"), "up");
    for (size_t i = 0; i < 4; i++) {
        json_t *node = at(file.json, "nodes", count - 4 + i), *lens = get(at(file.json, "cameras", i), "perspective");
        assert_string_equal(text(node, "name"), names[i]);
        assert_string_equal(text(ours(node), "made"), "view");
        assert_int_equal(json_integer_value(get(node, "camera")), i);
        assert_ptr_equal(child(&file, up, 1 + i), node);
        assert_near(number(lens, "yfov"), 0.785398, 1e-6); /* an eighth of a turn */
        assert_true(number(lens, "znear") > 0 && number(lens, "zfar") > number(lens, "znear"));
    }
    for (size_t i = 0; i < 4; i++) /* front: from -z, y to -x, z */
        assert_near(element(get(at(file.json, "nodes", count - 3), "rotation"), i), 0.5, 1e-6);
    cp_scene *back;
    assert_int_equal(cp_read_memory(file.context, file.bytes, file.size, "a.glb", NULL, NULL, 0, &back), CP_OK);
    assert_int_equal(count_nodes(back), 2);
    assert_false(was_reported(file.context, "gltf-cameras"));
    cp_scene_free(back);
    const char *options[] = {"profile=stage", "cameras=yes"};
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(file.context, file.scene, "glb", options, 2, &bytes, &size), CP_USAGE);
    assert_true(was_reported(file.context, "gltf-profile"));
    finish(&file);
}

static void extras_of_the_scene(void **state)
{
    (void)state;
    struct written file = start();
    uint32_t a = add_node(&file, 0, "a \"b\"\\\n\x01"), b = add_node(&file, a, "b");
    uint32_t raw = add_node(&file, 0, "J\xe9"), joint = add_joint_of(file.scene, b, CP_JOINT_REVOLUTE, NULL);
    uint32_t robot = add_device_of(file.scene, "R", a, b, 1, &joint);
    static const double home[] = {-0.0};
    cp_exclude_static_pairs(file.scene, true);
    add_pair_of(file.scene, a, b, "given");
    uint32_t kept = add_pair_of(file.scene, a, raw, "always");
    add_metadata_of(file.scene, CP_OWNER_JOINT, joint, "k", CP_VALUE_NUMBER, "1e5");
    add_metadata_of(file.scene, CP_OWNER_SCENE, 0, "k", CP_VALUE_JSON, "{\"x\":1}");
    struct draft draft = draft_of(file.scene);
    draft.devices[robot].home = home;
    draft.nodes[b].scope = robot;
    draft.nodes[raw].flags = CP_NODE_MOVABLE | CP_NODE_WIRE;
    draft.pairs[kept].verdict = CP_PAIR_KEPT;
    file.scene = built_again(&draft, file.context);
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    json_t *scene = ours(at(file.json, "scenes", 0)), *written = at(scene, "devices", 0);
    assert_true(json_is_true(get(scene, "exclude_static_pairs")));
    assert_string_equal(text(written, "base"), "a \"b\"\\\n\x01");
    assert_string_equal(json_string_value(at(written, "ends", 0)), "b");
    assert_string_equal(json_string_value(at(written, "joints", 0)), "b");
    assert_true(signbit(element(get(written, "home"), 0)));
    assert_string_equal(text(at(scene, "pairs", 1), "verdict"), "kept");
    assert_null(json_object_get(at(scene, "pairs", 0), "verdict"));
    assert_string_equal(text(at(scene, "metadata", 0), "value"), "{\"x\":1}");
    assert_string_equal(text(at(ours(joint_node_of(&file, "b")), "metadata", 0), "type"), "number");
    assert_string_equal(text(ours(node_of(&file, "b")), "scope"), "R");
    json_t *latin = ours(node_of(&file, "J\xc3\xa9"));
    assert_string_equal(text(latin, "raw_name"), "4ae9");
    assert_string_equal(json_string_value(at(latin, "flags", 0)), "movable");
    assert_string_equal(json_string_value(at(latin, "flags", 1)), "wire");
    json_t *limits = get(ours(joint_node_of(&file, "b")), "joint");
    assert_true(json_is_null(get(limits, "lower")) && json_is_null(get(limits, "velocity")));
    finish(&file);
}

static void bad_attributes_stay_outside(void **state)
{
    (void)state;
    static const float normals[18] = {0, 0, 2}, colours[24] = {1, 1, 1, 1, 3};
    struct written file = start();
    cp_mesh mesh = triangles();
    mesh.normals = normals, mesh.colours = colours;
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, mesh), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    json_t *written = at(file.json, "meshes", 0);
    assert_int_equal(json_object_size(get(at(written, "primitives", 0), "attributes")), 1);
    assert_near(float_at(named_view(&file, text(ours(written), "normals"), 72) + 8), 2, 0);
    assert_near(float_at(named_view(&file, text(ours(written), "colours"), 96) + 16), 3, 0);
    finish(&file);
}

static void assert_binary_in_uri(const struct written *file, const char *uri)
{
    static const char mark[] = "data:application/octet-stream;base64,";
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t k = 0;
    assert_memory_equal(uri, mark, sizeof mark - 1);
    uri += sizeof mark - 1;
    for (size_t i = 0; uri[i] && uri[i] != '='; i += 4) {
        uint32_t bits = 0;
        for (size_t d = 0; d < 4; d++) {
            const char *digit = uri[i + d] == '=' ? digits : strchr(digits, uri[i + d]);
            assert_non_null(digit);
            bits = bits << 6 | (uint32_t)(digit - digits);
        }
        for (int shift = 16; shift >= 0 && k < file->binary_size; shift -= 8)
            assert_int_equal(bits >> shift & 0xff, file->binary[k++]);
    }
    assert_int_equal(k, file->binary_size);
}

/* embed=yes: the same JSON and bytes as the GLB that was written before. */
static void assert_embedded_is_the_same(struct written *file)
{
    const char *options[] = {"embed=yes"};
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(file->context, file->scene, "gltf", options, 1, &bytes, &size), CP_OK);
    json_t *json = json_loadb(bytes, size, 0, NULL);
    assert_non_null(json);
    assert_binary_in_uri(file, text(at(json, "buffers", 0), "uri"));
    json_object_del(at(json, "buffers", 0), "uri");
    assert_true(json_equal(json, file->json));
    json_decref(json);
    cp_free(file->context, bytes, size);
}

static void embedded_is_the_same_buffer(void **state)
{
    (void)state;
    struct written file = start();
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, triangles()), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_embedded_is_the_same(&file);
    finish(&file);
}

/* A text that is too long to be held until its size is known. */
static void long_text(void **state)
{
    (void)state;
    enum { NODES = 40000, MOST_HELD = 4 << 20 };
    struct written file = start();
    char name[160];
    for (int i = 0; i < NODES; i++) {
        (void)snprintf(name, sizeof name, "%0100d", i);
        add_node(&file, 0, name);
    }
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, triangles()), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_true(word(file.bytes + 12) > 2 * MOST_HELD);
    assert_int_equal(json_array_size(get(file.json, "nodes")), NODES + 3);
    for (int i = 0; i < NODES; i++) {
        (void)snprintf(name, sizeof name, "%0100d", i);
        assert_string_equal(text(at(file.json, "nodes", (size_t)i + 1), "name"), name);
    }
    assert_non_null(child(&file, node_of(&file, "WORLD"), NODES));
    assert_embedded_is_the_same(&file);
    finish(&file);
}

static void expect_error(const cp_context *context, const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    assert_int_equal(count, 1);
    assert_int_equal(entries[0].severity, CP_ERROR);
    assert_string_equal(entries[0].code, code);
}

/* A track that would need more numbers than glTF counts is refused before it is looked at. */
static void too_many_to_count(void **state)
{
    (void)state;
    enum { KEYS = 1050000 }; /* a gap is played in 4096 pieces at most */
    static double times[KEYS], values[KEYS];
    void *bytes;
    size_t size;
    for (size_t i = 0; i < KEYS; i++) {
        times[i] = (double)i;
        values[i] = i % 2 ? 1e6 : 0;
    }
    struct written file = start();
    add_joint_of(file.scene, add_node(&file, 0, "a"), CP_JOINT_REVOLUTE, NULL);
    const cp_track track = {0, CP_PATH_JOINT, CP_LINEAR, KEYS, times, values};
    add_clip_of(file.scene, "c", 1, &track);
    complete(&file);
    assert_int_equal(cp_write_memory(file.context, file.scene, "glb", NULL, 0, &bytes, &size), CP_LIMIT);
    expect_error(file.context, "gltf-keys");
    finish(&file);
}

static void smooth_normals_need_deliver(void **state)
{
    (void)state;
    struct written file = start();
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, triangles()), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    const char *options[] = {"profile=stage", "normals=smooth"};
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(file.context, file.scene, "glb", options, 2, &bytes, &size), CP_USAGE);
    assert_null(bytes);
    expect_error(file.context, "gltf-profile");
    write_with(&file, "normals=smooth", NULL);
    json_t *mesh = at(file.json, "meshes", 0);
    assert_string_equal(text(ours(mesh), "made"), "normals");
    get(get(at(mesh, "primitives", 0), "attributes"), "NORMAL");
    finish(&file);
}

/* Made normals split the two vertices of an edge; the extras tell which they were. When they tell nonsense, the faces
 * stay as they are drawn, and that is said. */
static void damaged_splits_are_told(void **state)
{
    (void)state;
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t corners[] = {0, 1, 2, 1, 0, 3};
    const cp_mesh fold = {.name = "fold",
                          .source = "",
                          .vertex_count = 4,
                          .face_count = 2,
                          .corner_count = 6,
                          .positions = positions,
                          .corners = corners};
    struct written file = start();
    add_instance(&file, add_node(&file, 0, "a"), add_mesh(&file, fold), CP_USE_BOTH, PLAIN_IDENTITY);
    complete(&file);
    write_with(&file, "normals=smooth", NULL);
    json_t *faces = get(ours(at(file.json, "meshes", 0)), "faces");
    assert_int_equal(number(faces, "vertices"), 4);
    unsigned char *split = (unsigned char *)(uintptr_t)named_view(&file, text(faces, "split"), 8);
    for (int damaged = 0; damaged < 2; damaged++) {
        split[0] = damaged ? 4 : split[0]; /* not one of the four */
        cp_scene *read;
        cp_report_clear(file.context);
        assert_int_equal(cp_read_memory(file.context, file.bytes, file.size, "a.glb", NULL, NULL, 0, &read), CP_OK);
        assert_int_equal(cp_meshes(read, NULL)[0].vertex_count, damaged ? 6 : 4);
        assert_int_equal(cp_meshes(read, NULL)[0].face_count, 2);
        size_t count;
        const cp_entry *entries = cp_report(file.context, &count);
        assert_int_equal(count, damaged);
        if (damaged)
            assert_string_equal(entries[0].code, "gltf-changed-mesh");
        cp_scene_free(read);
    }
    finish(&file);
}

static bool fill_busy_scene(cp_scene *scene)
{
    static const double times[] = {0, 1}, values[] = {0, 9};
    static const cp_track track = {0, CP_PATH_JOINT, CP_LINEAR, 2, times, values};
    cp_mesh mesh = polygons(), box = {.name = "b", .source = "", .kind = CP_MESH_BOX, .size = {1, 1, 1}};
    cp_pose moved = plain_translation(1, 0, 0);
    uint32_t node = add_node_at(scene, 0, "a", NULL);
    add_metadata_of(scene, CP_OWNER_NODE, node, "k", CP_VALUE_STRING, "v");
    return node != CP_NONE && add_mesh_of(scene, &mesh) != CP_NONE && add_mesh_of(scene, &box) != CP_NONE &&
           add_joint_of(scene, node, CP_JOINT_REVOLUTE, NULL) != CP_NONE &&
           add_instance_of(scene, node, 0, CP_USE_BOTH, &moved) != CP_NONE &&
           add_instance_of(scene, node, 1, CP_USE_COLLISION, &moved) != CP_NONE &&
           add_clip_of(scene, "c", 1, &track) != CP_NONE && cp_scene_finish(scene) == CP_OK;
}

/* Every allocation of the writer fails once: exit 6, nothing leaks (the sanitizer looks). */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *options[] = {"collision=yes", "normals=smooth"};
    bool written = false;
    for (long n = 0; !written; n++) {
        long left = LONG_MAX;
        cp_allocator allocator = {failing_resize, &left};
        cp_context *context = cp_context_new(&allocator);
        cp_scene *scene = cp_scene_new(context);
        assert_true(fill_busy_scene(scene));
        left = n;
        void *bytes;
        size_t size;
        cp_status status = cp_write_memory(context, scene, "glb", options, 2, &bytes, &size);
        written = status == CP_OK;
        assert_true(written || status == CP_LIMIT);
        left = LONG_MAX;
        cp_free(context, bytes, size);
        cp_scene_free(scene);
        cp_context_free(context);
        assert_true(n < 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_scene),
        cmocka_unit_test(stage_keeps_vertices_and_faces),
        cmocka_unit_test(stage_keeps_polygons),
        cmocka_unit_test(lines_stay_polylines),
        cmocka_unit_test(undrawn_things_are_kept),
        cmocka_unit_test(deliver_leaves_collision_out),
        cmocka_unit_test(index_width),
        cmocka_unit_test(sides_by_topology),
        cmocka_unit_test(views_are_cameras),
        cmocka_unit_test(extras_of_the_scene),
        cmocka_unit_test(bad_attributes_stay_outside),
        cmocka_unit_test(embedded_is_the_same_buffer),
        cmocka_unit_test(long_text),
        cmocka_unit_test(too_many_to_count),
        cmocka_unit_test(smooth_normals_need_deliver),
        cmocka_unit_test(damaged_splits_are_told),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
