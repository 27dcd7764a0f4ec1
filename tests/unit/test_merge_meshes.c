/* merge-meshes: the same faces in the world before and after, by a routine of the tests' own; what is joined, and what
 * is not. */
#include "world_faces.h"

#include "scene_fixture.h" /* behind those whose arguments have its names */

static struct random dice = {5};

static double random_between(double low, double high)
{
    return low + (high - low) * random_unit(&dice);
}

static cp_pose random_pose(bool wild)
{
    const double axis[3] = {0.6, 0, 0.8};
    cp_pose turn = plain_rotation(axis, random_between(-3, 3));
    cp_pose tilt = plain_turn((int)(random_bits(&dice) % 3), 90);
    cp_pose move = plain_translation(random_between(-3, 3), random_between(-3, 3), random_between(-3, 3));
    double size = wild ? random_between(0.5, 2) : 1, side = random_bits(&dice) % 2 ? size : -size;
    cp_pose scale = plain_scaling(wild ? side : 1, 1, 1);
    move = plain_product(&move, &turn);
    move = plain_product(&move, &tilt);
    return plain_product(&move, &scale);
}

enum { MOST_VERTICES = 9, MOST_FACES = 5 };

/* Two to five quads and triangles on random points, in random groups. */
static uint32_t add_random_mesh(const char *name, bool normals, bool colours)
{
    uint32_t faces = 2 + random_bits(&dice) % 4, vertices = 4 + random_bits(&dice) % 6, count = 0;
    float positions[3 * MOST_VERTICES], directions[3 * MOST_VERTICES], tints[4 * MOST_VERTICES];
    uint32_t corners[4 * MOST_FACES], offsets[MOST_FACES + 1];
    cp_group groups[MOST_FACES];
    for (uint32_t i = 0; i < vertices; i++) {
        for (uint32_t k = 0; k < 3; k++)
            positions[3 * i + k] = (float)random_between(-1, 1);
        double angle = random_between(0, 6);
        directions[3 * i] = (float)cos(angle);
        directions[3 * i + 1] = 0;
        directions[3 * i + 2] = (float)sin(angle);
        for (uint32_t k = 0; k < 4; k++)
            tints[4 * i + k] = (float)random_unit(&dice);
    }
    bool triangles = random_bits(&dice) % 2;
    offsets[0] = 0;
    for (uint32_t f = 0; f < faces; f++) {
        uint32_t size = triangles ? 3 : 3 + random_bits(&dice) % 2;
        for (uint32_t i = 0; i < size; i++)
            corners[count++] = (random_bits(&dice) % vertices + i) % vertices;
        offsets[f + 1] = count;
        groups[f] = (cp_group){f, 1, random_bits(&dice) % 3};
        groups[f].material = groups[f].material == 2 ? CP_NONE : groups[f].material;
    }
    const cp_mesh mesh = {.name = name,
                          .kind = CP_MESH_FACES,
                          .vertex_count = vertices,
                          .face_count = faces,
                          .corner_count = count,
                          .group_count = random_bits(&dice) % 3 ? faces : 0,
                          .positions = positions,
                          .normals = normals ? directions : NULL,
                          .colours = colours ? tints : NULL,
                          .face_offsets = triangles ? NULL : offsets,
                          .corners = corners,
                          .groups = groups};
    return add_mesh_of(scene, &mesh);
}

static void add_materials(void)
{
    const double red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
    (void)add_colour(scene, "red", red, true);
    (void)add_colour(scene, "blue", blue, false);
}

/* A random tree of frames, some with joints, with random meshes, some shared. */
static void make_random_cell(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    add_materials();
    for (uint32_t i = 1; i <= 8; i++) {
        cp_node node = {.name = names[i - 1], .scope = CP_NONE, .parent = random_bits(&dice) % i};
        node.local = random_pose(random_bits(&dice) % 4 == 0);
        node.flags = random_bits(&dice) % 4 == 0 ? CP_NODE_MOVABLE : 0;
        assert_int_equal(cp_add_node(scene, &node), i);
    }
    uint32_t meshes[6];
    for (uint32_t i = 0; i < 6; i++)
        meshes[i] = add_random_mesh(names[i], i % 2 && random_bits(&dice) % 2, i % 3 == 0 && random_bits(&dice) % 2);
    for (uint32_t node = 0; node <= 8; node++)
        for (uint32_t i = random_bits(&dice) % 4; i > 0; i--) {
            cp_pose pose = random_bits(&dice) % 3 ? random_pose(true) : PLAIN_IDENTITY;
            (void)add_instance_of(scene, node, meshes[random_bits(&dice) % 6], 1 + random_bits(&dice) % 3, &pose);
        }
    for (uint32_t node = 1; node <= 8; node++)
        if (random_bits(&dice) % 4 == 0) {
            cp_joint joint = cp_new_joint();
            joint.node = node;
            joint.home = random_between(-1, 1);
            (void)cp_add_joint(scene, &joint);
        }
    finish_scene();
}

static cp_status apply(const char *first, const char *second, const char *third)
{
    return apply_filter(context, scene, "merge-meshes", first, second, third);
}

static const cp_instance *instance_at(uint32_t index)
{
    return &cp_instances(scene, NULL)[index];
}

static const cp_mesh *mesh_of(uint32_t instance)
{
    return &cp_meshes(scene, NULL)[instance_at(instance)->mesh];
}

/* How many instances a frame has. */
static uint32_t placed_at(uint32_t node)
{
    return cp_nodes(scene, NULL)[node].instance_count;
}

static void start_again(void)
{
    fresh_scene();
    cp_report_clear(context);
}

/* The topmost of the frames of a random cell that never move against this one. */
static uint32_t head_of(uint32_t node)
{
    const cp_node *at = &cp_nodes(scene, NULL)[node];
    return node == 0 || at->joint_count > 0 || at->flags & CP_NODE_MOVABLE ? node : head_of(at->parent);
}

/* A bit for each of the frames at the top that shows something. */
static uint32_t shown_heads(void)
{
    uint32_t heads = 0;
    for (uint32_t i = 0; i < count_instances(scene); i++)
        heads |= 1U << head_of(instance_at(i)->node);
    return heads;
}

/* How many pairs of instances could still be one: by comparing all. */
static uint32_t count_left(bool groups)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_instances(scene); i++)
        for (uint32_t k = i + 1; k < count_instances(scene); k++) {
            const cp_instance *a = instance_at(i), *b = instance_at(k);
            const cp_mesh *p = mesh_of(i), *q = mesh_of(k);
            bool alike = head_of(a->node) == head_of(b->node) && a->use == b->use && !p->normals == !q->normals &&
                         !p->colours == !q->colours;
            for (uint32_t f = 0; f < p->face_count && alike; f++)
                for (uint32_t g = 0; g < q->face_count; g++)
                    if (groups || world_material(p, f) == world_material(q, g)) {
                        count++;
                        f = p->face_count - 1;
                        break;
                    }
        }
    return count;
}

static void test_random_cells_look_the_same(void **unused)
{
    (void)unused;
    static const char *const by[] = {"by=link", "by=node", "by=scene"};
    for (int round = 0; round < 300; round++) {
        make_random_cell();
        bool groups = round / 3 % 2;
        uint32_t nodes = count_nodes(scene), heads = shown_heads();
        struct world_faces before = world_faces(scene);
        assert_int_equal(apply(by[round % 3], groups ? "materials=groups" : "materials=split", "shared=merge"), CP_OK);
        assert_true(world_faces_equal(before, world_faces(scene), 1e-5));
        assert_int_equal(count_nodes(scene), nodes);
        if (round % 3 == 0)
            assert_true(count_left(groups) == 0 && shown_heads() == heads);
        before = world_faces(scene);
        assert_int_equal(apply(by[round % 3], groups ? "materials=groups" : "materials=split", "shared=merge"), CP_OK);
        assert_false(was_reported(context, "merge-joined")); /* nothing is left to do */
        assert_true(world_faces_equal(before, world_faces(scene), 0));
        start_again();
    }
}

/* The rounding that is told bounds what happened: each vertex against the exact place of its origin. */
static void test_rounding_is_told(void **unused)
{
    (void)unused;
    for (int round = 0; round < 50; round++) {
        make_random_cell();
        struct world_faces before = world_faces(scene), again = world_faces(scene);
        assert_int_equal(apply("by=scene", "shared=merge", NULL), CP_OK);
        double rounded = number_told(context, "merge-joined", "more than ") / 1000; /* 0 where nothing was joined */
        assert_true(rounded < 2e-6);
        assert_true(world_faces_equal(before, world_faces(scene), rounded + 1e-13));
        bool less = world_faces_equal(again, world_faces(scene), 0.99 * rounded - 1e-13);
        assert_true(!less || rounded < 1e-12);
        start_again();
    }
}

/* Parts of a metre at three places, in turn: where these are so far apart that floats would take away more than one
 * part in 2048 of a shape, each place gets its own mesh. */
static void test_far_parts(void **unused)
{
    (void)unused;
    enum { PLACES = 3, EACH = 5 };
    static const double directions[PLACES][3] = {{0, 0, 0}, {0.8, -0.6, 0.01}, {-0.3, 0.1, 0.9}};
    for (int power = 0; power <= 7; power++)
        for (int turn = 0; turn < PLACES; turn++) {
            for (uint32_t i = 0; i < PLACES * EACH; i++) {
                const double *way = directions[(i + (uint32_t)turn) % PLACES], far = pow(10, power);
                cp_pose own = random_pose(false), above = PLAIN_IDENTITY;
                for (int k = 0; k < 3; k++)
                    own.m[4 * k + 3] += far * way[k];
                uint32_t parent = i % 2 ? i : 0;
                for (uint32_t at = parent; at != 0; at = cp_nodes(scene, NULL)[at].parent)
                    above = plain_product(&cp_nodes(scene, NULL)[at].local, &above);
                above = plain_inverse(&above);
                above = plain_product(&above, &own);
                uint32_t node = add_node_at(scene, parent, "part", &above);
                cp_mesh cube = make_cube();
                cube.id = NULL;
                (void)add_instance_of(scene, node, add_mesh_of(scene, &cube), CP_USE_BOTH, NULL);
            }
            finish_scene();
            struct world_faces before = world_faces(scene);
            assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
            assert_true(world_faces_equal(before, world_faces(scene), 1.0 / 1024));
            assert_int_equal(count_instances(scene), power <= 4 ? 1 : PLACES);
            assert_int_equal(count_meshes(scene), count_instances(scene));
            start_again();
        }
}

/* Two cubes and a third that moves against them: the vertices of equal poses stay bit for bit. */
static void test_links_and_exactness(void **unused)
{
    (void)unused;
    static const float small[] = {-0.0f, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.9f};
    static const uint32_t corners[] = {0, 1, 2};
    const cp_pose millimetres = {{0, 0.001, 0, 3, -0.001, 0, 0, 1, 0, 0, 0.001, 2}};
    cp_mesh cube = make_cube();
    cube.id = NULL;
    const cp_mesh triangle = {
        .name = "t", .vertex_count = 3, .face_count = 1, .corner_count = 3, .positions = small, .corners = corners};
    const cp_pose moved = plain_translation(1, 2, 3);
    uint32_t base = add_node_at(scene, 0, "base", NULL), table = add_node_at(scene, base, "table", &moved);
    uint32_t arm = add_node_at(scene, table, "arm", NULL), clamp = add_node_at(scene, base, "clamp", NULL);
    uint32_t meshes[5];
    for (int i = 0; i < 5; i++)
        meshes[i] = add_mesh_of(scene, i % 2 ? &triangle : &cube);
    (void)add_instance_of(scene, base, meshes[0], CP_USE_BOTH, &millimetres);
    (void)add_instance_of(scene, base, meshes[1], CP_USE_BOTH, &millimetres);
    (void)add_instance_of(scene, table, meshes[2], CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, arm, meshes[3], CP_USE_BOTH, &millimetres);
    (void)add_instance_of(scene, clamp, meshes[4], CP_USE_BOTH, NULL);
    (void)add_joint_of(scene, table, CP_JOINT_FIXED, NULL);
    (void)add_joint_of(scene, arm, CP_JOINT_REVOLUTE, NULL);
    (void)add_pair_of(scene, table, arm, "near");
    add_metadata_of(scene, CP_OWNER_MESH, meshes[1], "key", CP_VALUE_STRING, "value");
    struct draft draft = draft_of(scene);
    draft.nodes[clamp].flags = CP_NODE_ATTACHABLE;
    change_scene(&draft);
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
    assert_int_equal(count_instances(scene), 3); /* one of the static ones at WORLD, arm, clamp */
    assert_int_equal(instance_at(0)->node, 0);
    assert_int_equal(placed_at(base) + placed_at(table), 0);
    const cp_mesh *joined = mesh_of(0);
    assert_string_equal(joined->name, "WORLD");
    assert_int_equal(joined->vertex_count, 8 + 3 + 8);
    assert_memory_equal(joined->positions + 3 * 8, small, sizeof small);
    assert_true(was_reported(context, "merge-names") && was_said(context, "(3)"));
    assert_true(was_reported(context, "merge-metadata") && was_reported(context, "merge-pairs"));
    assert_true(was_said(context, "3 placed meshes became 1"));
    assert_int_equal(count_metadata(scene), 0);
    for (uint32_t i = 0; i < count_nodes(scene); i++)
        assert_non_null(cp_nodes(scene, NULL)[i].name);
}

static void test_clips_wires_and_shared(void **unused)
{
    (void)unused;
    static const double times[] = {0, 1}, values[] = {0, 0, 0, 1, 1, 1};
    cp_mesh cube = make_cube();
    cube.id = NULL;
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 2, 3}};
    uint32_t still = add_node_at(scene, 0, "still", NULL), flown = add_node_at(scene, 0, "flown", NULL),
             wire = add_node_at(scene, 0, "wire", NULL);
    uint32_t one = add_mesh_of(scene, &cube), two = add_mesh_of(scene, &cube), three = add_mesh_of(scene, &cube);
    uint32_t shared = add_mesh_of(scene, &cube), boxes[2] = {add_mesh_of(scene, &box), add_mesh_of(scene, &box)};
    uint32_t wired[2] = {add_mesh_of(scene, &cube), add_mesh_of(scene, &cube)};
    (void)add_instance_of(scene, 0, one, CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, still, two, CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, still, shared, CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, still, boxes[0], CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, flown, three, CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, flown, shared, CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, flown, boxes[1], CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, wire, wired[0], CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, wire, wired[1], CP_USE_DRAWN, NULL);
    static const cp_track track = {2, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values};
    (void)add_clip_of(scene, "fly", 1, &track);
    struct draft draft = draft_of(scene);
    draft.nodes[wire].flags = CP_NODE_WIRE;
    change_scene(&draft);
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
    assert_int_equal(placed_at(0), 1);     /* one + two */
    assert_int_equal(placed_at(still), 2); /* the shared one and the box stay */
    assert_int_equal(placed_at(flown), 3);
    assert_int_equal(placed_at(wire), 1); /* joined, but not with the world's */
    struct world_faces before;
    assert_int_equal(apply("primitives=yes", "shared=merge", NULL), CP_OK);
    assert_int_equal(placed_at(0), 1);
    assert_int_equal(placed_at(still), 0);
    assert_int_equal(placed_at(flown), 1);
    before = world_faces(scene);
    assert_int_equal(apply("by=scene", NULL, NULL), CP_OK);
    assert_true(world_faces_equal(before, world_faces(scene), 0));
    assert_true(was_reported(context, "merge-frozen"));
    assert_int_equal(count_instances(scene), 2); /* the wires stay wires */
}

/* A flat pose, a sheared one, a mirrored one and a tiny one first in line. */
static void test_odd_poses(void **unused)
{
    (void)unused;
    static const cp_pose poses[] = {{{0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3}},
                                    {{1, 0.5, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3}},
                                    {{-1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3}},
                                    {{1e-3, 0, 0, 1, 0, 1e-3, 0, 2, 0, 0, 1e-3, 3}},
                                    {{1e-42, 0, 0, 1, 0, 1e-42, 0, 2, 0, 0, 1e-42, 3}}};
    for (int first = 0; first < 5; first++) {
        cp_mesh cube = make_cube();
        cube.id = NULL;
        for (int i = 0; i < 5; i++)
            (void)add_instance_of(scene, 0, add_mesh_of(scene, &cube), CP_USE_BOTH, &poses[(first + i) % 5]);
        finish_scene();
        struct world_faces before = world_faces(scene);
        assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
        assert_int_equal(count_instances(scene), 1);
        assert_true(world_faces_equal(before, world_faces(scene), 1e-5));
        start_again();
    }
}

static void test_limits(void **unused)
{
    (void)unused;
    const cp_pose far = plain_scaling(3e38, 1, 1);
    static const float wide[] = {0, 0, 0, 2, 0, 0, 0, 1, 0};
    static const uint32_t corners[] = {0, 1, 2};
    const cp_mesh triangle = {
        .name = "t", .vertex_count = 3, .face_count = 1, .corner_count = 3, .positions = wide, .corners = corners};
    uint32_t mesh = add_mesh_of(scene, &triangle);
    (void)add_instance_of(scene, 0, mesh, CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, 0, mesh, CP_USE_BOTH, NULL);
    finish_scene();
    assert_int_equal(cp_set_limit(context, "vertices=5"), CP_OK);
    assert_int_equal(apply("shared=merge", NULL, NULL), CP_LIMIT);
    assert_true(was_reported(context, "merge-size"));
    assert_int_equal(cp_set_limit(context, "vertices=6"), CP_OK);
    cp_instance second = *instance_at(1);
    second.transform = far;
    assert_int_equal(cp_set_instance(scene, 1, &second), CP_OK);
    assert_int_equal(apply("shared=merge", NULL, NULL), CP_LIMIT);
    assert_true(was_reported(context, "mesh-range"));
    second.transform = PLAIN_IDENTITY;
    assert_int_equal(cp_set_instance(scene, 1, &second), CP_OK);
    assert_int_equal(apply("shared=merge", NULL, NULL), CP_OK);
    assert_int_equal(count_meshes(scene), 1);
}

static void test_unused_vertices_are_told(void **unused)
{
    (void)unused;
    static const float positions[] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t corners[] = {1, 2, 3};
    const cp_mesh mesh = {
        .name = "t", .vertex_count = 4, .face_count = 1, .corner_count = 3, .positions = positions, .corners = corners};
    const cp_mesh empty = {.name = "empty"};
    (void)add_instance_of(scene, 0, add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, 0, add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, 0, add_mesh_of(scene, &empty), CP_USE_BOTH, NULL);
    (void)add_mesh_of(scene, &mesh); /* nobody shows it: stays */
    finish_scene();
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
    assert_true(was_said(context, "2 vertices that no face uses"));
    assert_int_equal(count_instances(scene), 2);
    assert_int_equal(count_meshes(scene), 3);
    assert_string_equal(mesh_of(1)->name, "t"); /* all parts' name */
}

static void test_planes_get_borders(void **unused)
{
    (void)unused;
    const cp_mesh plane = {.name = "", .source = "", .kind = CP_MESH_PLANE, .size = {1, 1}};
    (void)add_instance_of(scene, 0, add_mesh_of(scene, &plane), CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, 0, add_mesh_of(scene, &plane), CP_USE_BOTH, NULL);
    finish_scene();
    assert_int_equal(apply(NULL, NULL, NULL), CP_OK);
    assert_int_equal(count_lost(context, "plane-borders"), 0);
    assert_int_equal(apply("primitives=yes", NULL, NULL), CP_OK);
    assert_int_equal(count_lost(context, "plane-borders"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_cells_look_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_planes_get_borders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rounding_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_and_exactness, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clips_wires_and_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_poses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unused_vertices_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
