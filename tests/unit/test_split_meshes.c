/* split-meshes: the pieces against the definition by comparing all faces with all; what is in the world stays. */
#include "world_faces.h"

#include "scene_fixture.h"

enum { MOST_FACES = 40 };

static struct random dice = {17};

static cp_status apply(const char *filter, const char *first, const char *second)
{
    return apply_filter(context, scene, filter, first, second, NULL);
}

static void start_again(void)
{
    cp_scene_free(scene);
    cp_report_clear(context);
    scene = cp_scene_new(context);
}

/* Faces on few positions, many of which lie on the same place as others, and zeros of both signs. */
static uint32_t add_random_mesh(void)
{
    uint32_t faces = 1 + random_bits(&dice) % MOST_FACES, vertices = 5 + random_bits(&dice) % 150, count = 0;
    uint32_t places = 5 + random_bits(&dice) % 150;
    float *positions = scratch(3 * vertices, sizeof(float));
    float *normals = scratch(3 * vertices, sizeof(float));
    float *colours = scratch(4 * vertices, sizeof(float));
    uint32_t *corners = scratch(5 * faces, sizeof(uint32_t));
    uint32_t *offsets = scratch(faces + 1, sizeof(uint32_t));
    cp_group *groups = scratch(faces, sizeof(cp_group));
    for (uint32_t i = 0; i < vertices; i++) {
        uint32_t place = random_bits(&dice) % places;
        positions[3 * i] = (float)place;
        positions[3 * i + 1] = random_bits(&dice) % 2 ? 0.0f : -0.0f;
        positions[3 * i + 2] = (float)(place % 7);
        for (uint32_t k = 0; k < 3; k++)
            normals[3 * i + k] = k == i % 3 ? 1 : 0;
        for (uint32_t k = 0; k < 4; k++)
            colours[4 * i + k] = (float)random_unit(&dice);
    }
    bool triangles = random_bits(&dice) % 2;
    offsets[0] = 0;
    for (uint32_t f = 0; f < faces; f++) {
        uint32_t size = triangles ? 3 : 3 + random_bits(&dice) % 3, near = random_bits(&dice) % vertices;
        for (uint32_t i = 0; i < size; i++)
            corners[count++] = random_bits(&dice) % 8 ? (near + i) % vertices : random_bits(&dice) % vertices;
        offsets[f + 1] = count;
        uint32_t material = random_bits(&dice) % 3;
        groups[f] = (cp_group){f, 1, material == 2 ? CP_NONE : material};
    }
    const cp_mesh mesh = {.name = "part",
                          .vertex_count = vertices,
                          .face_count = faces,
                          .corner_count = count,
                          .group_count = random_bits(&dice) % 3 ? faces : 0,
                          .positions = positions,
                          .normals = random_bits(&dice) % 2 ? normals : NULL,
                          .colours = random_bits(&dice) % 2 ? colours : NULL,
                          .face_offsets = triangles ? NULL : offsets,
                          .corners = corners,
                          .groups = groups};
    return add_mesh_of(scene, &mesh);
}

static bool faces_meet(const cp_mesh *mesh, uint32_t a, uint32_t b, int by)
{
    if (by > 0 && world_material(mesh, a) != world_material(mesh, b))
        return false;
    for (uint32_t i = 0; i < face_size(mesh, a); i++)
        for (uint32_t k = 0; k < face_size(mesh, b); k++)
            if (same_place(mesh, face_corner(mesh, a, i), face_corner(mesh, b, k)))
                return true;
    return by == 1;
}

/* The definition: the lowest label spreads until nothing changes. Returns how many pieces. */
static uint32_t plain_pieces(const cp_mesh *mesh, int by, uint32_t *labels)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++)
        labels[f] = f;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < mesh->face_count; a++)
            for (uint32_t b = 0; b < mesh->face_count; b++)
                if (labels[a] < labels[b] && faces_meet(mesh, a, b, by)) {
                    labels[b] = labels[a];
                    changed = true;
                }
    }
    for (uint32_t f = 0; f < mesh->face_count; f++)
        labels[f] = labels[f] == f ? count++ : labels[labels[f]];
    return count;
}

/* The piece has exactly the faces with its label, in order, bit for bit. */
static void expect_piece(const cp_mesh *whole, const uint32_t *labels, uint32_t label, const cp_mesh *piece)
{
    uint32_t at = 0;
    bool used[200] = {0};
    for (uint32_t f = 0; f < whole->face_count; f++) {
        if (labels[f] != label)
            continue;
        assert_int_equal(face_size(piece, at), face_size(whole, f));
        for (uint32_t i = 0; i < face_size(whole, f); i++) {
            uint32_t from = face_corner(whole, f, i), to = face_corner(piece, at, i);
            used[to] = true;
            assert_memory_equal(position_at(whole, from), position_at(piece, to), 12);
            assert_true(!whole->normals == !piece->normals && !whole->colours == !piece->colours);
            if (whole->normals)
                assert_memory_equal(whole->normals + 3 * from, piece->normals + 3 * to, 12);
            if (whole->colours)
                assert_memory_equal(whole->colours + 4 * from, piece->colours + 4 * to, 16);
        }
        assert_int_equal(world_material(whole, f), world_material(piece, at));
        at++;
    }
    assert_int_equal(at, piece->face_count);
    for (uint32_t i = 0; i < piece->vertex_count; i++)
        assert_true(used[i]);
}

static void add_materials(void)
{
    const double red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
    (void)add_colour(scene, "red", red, true);
    (void)add_colour(scene, "blue", blue, false);
}

static void test_pieces_are_as_defined(void **unused)
{
    (void)unused;
    static const char *const words[] = {"by=component", "by=material", "by=both"};
    const cp_pose pose = {{0, 0.001, 0, 3, -0.001, 0, 0, 1, 0, 0, 0.001, 2}};
    uint32_t cut = 0, labels[MOST_FACES];
    for (int round = 0; round < 600; round++) {
        int by = round % 3;
        add_materials();
        uint32_t node = add_node_at(scene, 0, "cell", NULL), mesh = add_random_mesh();
        (void)add_instance_of(scene, node, mesh, CP_USE_BOTH, &pose);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        const cp_mesh whole = cp_meshes(scene, NULL)[mesh];
        uint32_t count = plain_pieces(&whole, by, labels);
        struct world_faces before = world_faces(scene);
        assert_int_equal(apply("split-meshes", words[by], round % 2 ? "nodes=no" : "nodes=yes"), CP_OK);
        assert_true(world_faces_equal(before, world_faces(scene), 0));
        assert_int_equal(count_meshes(scene), count);
        assert_int_equal(count_instances(scene), count);
        assert_int_equal(count_nodes(scene), round % 2 || count == 1 ? 2 : 2 + count);
        for (uint32_t i = 0; i < count && count > 1; i++)
            expect_piece(&whole, labels, i, &cp_meshes(scene, NULL)[cp_instances(scene, NULL)[i].mesh]);
        if (count == 1)
            assert_memory_equal(&whole, &cp_meshes(scene, NULL)[0], sizeof whole);
        cut += count > 1;
        start_again();
    }
    assert_true(cut > 300);
}

/* Split, then merged again at equal poses: the same faces, bit for bit. */
static void test_split_and_merge_lose_nothing(void **unused)
{
    (void)unused;
    const cp_pose pose = {{0, 0.001, 0, 3, -0.001, 0, 0, 1, 0, 0, 0.001, 2}};
    for (int round = 0; round < 100; round++) {
        add_materials();
        uint32_t mesh = add_random_mesh();
        (void)add_instance_of(scene, add_node_at(scene, 0, "cell", NULL), mesh, CP_USE_BOTH, &pose);
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        struct world_faces before = world_faces(scene);
        assert_int_equal(apply("split-meshes", "by=both", NULL), CP_OK);
        assert_int_equal(apply("merge-meshes", "materials=groups", NULL), CP_OK);
        assert_int_equal(count_meshes(scene), 1);
        assert_true(world_faces_equal(before, world_faces(scene), 0));
        start_again();
    }
}

/* Three triangles apart from each other, the last with a vertex to spare. */
static const float apart[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0, 9, 9, 9, 7, 0, 0, 8, 0, 0, 7, 1, 0};
static const uint32_t apart_corners[] = {0, 1, 2, 3, 4, 5, 7, 8, 9};

static uint32_t add_apart(const char *name)
{
    const cp_mesh mesh = {.name = name,
                          .source = "cell.stl",
                          .vertex_count = 10,
                          .face_count = 3,
                          .corner_count = 9,
                          .positions = apart,
                          .corners = apart_corners};
    return add_mesh_of(scene, &mesh);
}

static void expect_node(uint32_t index, const char *name, uint32_t parent)
{
    assert_string_equal(cp_nodes(scene, NULL)[index].name, name);
    assert_int_equal(cp_nodes(scene, NULL)[index].parent, parent);
    expect_pose(&cp_nodes(scene, NULL)[index].local, PLAIN_IDENTITY.m, 0);
}

static void test_frames_and_names(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY, up = plain_translation(0, 0, 2);
    cp_mesh cube = make_cube(), box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    cube.id = NULL;
    uint32_t table = add_node_at(scene, 0, "table", NULL), lamp = add_node_at(scene, table, "lamp", NULL);
    uint32_t parts = add_apart("parts"), other = add_apart(""), solid = add_mesh_of(scene, &cube);
    uint32_t primitive = add_mesh_of(scene, &box);
    (void)add_instance_of(scene, 0, other, CP_USE_BOTH, &identity);
    (void)add_instance_of(scene, table, solid, CP_USE_BOTH, &identity);
    (void)add_instance_of(scene, table, parts, CP_USE_DRAWN, &up);
    (void)add_instance_of(scene, table, parts, CP_USE_COLLISION, &identity);
    (void)add_instance_of(scene, table, primitive, CP_USE_BOTH, &identity);
    (void)add_instance_of(scene, lamp, parts, CP_USE_BOTH, &up);
    (void)add_pair_of(scene, 0, lamp, "near");
    add_metadata_of(scene, CP_OWNER_MESH, parts, "key", CP_VALUE_STRING, "value");
    struct draft draft = draft_of(scene);
    draft.nodes[table].flags |= CP_NODE_WIRE | CP_NODE_MOVABLE;
    draft.nodes[table].scope = 0;
    scene = built_again(&draft, context);
    cp_device device = cp_new_device();
    device.name = "Table";
    device.base = table;
    assert_int_equal(cp_add_device(scene, &device), 0);
    finish_scene();
    struct world_faces before = world_faces(scene);
    assert_int_equal(apply("split-meshes", NULL, NULL), CP_OK);
    assert_true(world_faces_equal(before, world_faces(scene), 0));
    assert_int_equal(count_meshes(scene), 2 + 3 + 3);
    assert_string_equal(cp_meshes(scene, NULL)[2].name, "parts_1");
    assert_string_equal(cp_meshes(scene, NULL)[7].name, "mesh_3");
    assert_string_equal(cp_meshes(scene, NULL)[2].source, "cell.stl");
    assert_int_equal(count_nodes(scene), 3 + 4 * 3);
    expect_node(3, "mesh_1", 0);
    expect_node(6, "table_1", table);
    expect_node(9, "table_4", table); /* the second instance goes on counting */
    expect_node(11, "table_6", table);
    expect_node(12, "lamp_1", lamp);
    assert_int_equal(cp_nodes(scene, NULL)[table].instance_count, 2);
    assert_int_equal(cp_nodes(scene, NULL)[6].flags, CP_NODE_WIRE);
    assert_int_equal(cp_nodes(scene, NULL)[6].scope, 0);
    expect_pose(&cp_instances(scene, NULL)[cp_nodes(scene, NULL)[6].first_instance].transform, up.m, 0);
    assert_true(was_reported(context, "split-pairs") && was_reported(context, "split-metadata"));
    assert_true(was_said(context, "2 meshes became 6 pieces") && was_said(context, "2 vertices that no face uses"));
    assert_int_equal(apply("split-meshes", NULL, NULL), CP_OK);
    assert_false(was_reported(context, "split-pieces"));
}

static void test_pieces_without_frames(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY;
    cp_mesh cube = make_cube();
    cube.id = NULL;
    uint32_t table = add_node_at(scene, 0, "table", NULL), parts = add_apart("parts"),
             solid = add_mesh_of(scene, &cube);
    (void)add_instance_of(scene, 0, parts, CP_USE_BOTH, &identity);
    (void)add_instance_of(scene, table, solid, CP_USE_BOTH, &identity);
    (void)add_instance_of(scene, table, parts, CP_USE_BOTH, &identity);
    (void)add_pair_of(scene, 0, table, "near");
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("split-meshes", "nodes=no", NULL), CP_OK);
    assert_int_equal(count_nodes(scene), 2);
    assert_int_equal(cp_nodes(scene, NULL)[0].instance_count, 3);
    assert_int_equal(cp_nodes(scene, NULL)[table].instance_count, 4);
    assert_int_equal(cp_instances(scene, NULL)[3].mesh, 0); /* the cube */
    assert_false(was_reported(context, "split-pairs"));
}

static void test_limit_of_places(void **unused)
{
    (void)unused;
    const cp_pose identity = PLAIN_IDENTITY;
    uint32_t parts = add_apart("parts");
    for (int i = 0; i < 4; i++)
        (void)add_instance_of(scene, 0, parts, CP_USE_BOTH, &identity);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(cp_set_limit(context, "nodes=11"), CP_OK);
    assert_int_equal(apply("split-meshes", "nodes=no", NULL), CP_LIMIT);
    assert_true(was_reported(context, "split-places"));
    assert_int_equal(count_meshes(scene), 1);
    assert_int_equal(cp_set_limit(context, "nodes=12"), CP_OK);
    assert_int_equal(apply("split-meshes", "nodes=no", NULL), CP_OK);
    assert_int_equal(count_instances(scene), 12);
}

/* A fan round one vertex, a chain, and as many triangles apart: nothing is slower than it has to be. */
static void test_long_and_many(void **unused)
{
    (void)unused;
    enum { COUNT = 200000 };
    const cp_pose identity = PLAIN_IDENTITY;
    float *positions = scratch(3 * 3 * COUNT, sizeof(float));
    uint32_t *corners[3];
    for (uint32_t i = 0; i < 9 * COUNT; i++)
        positions[i] = (float)(i % 3 ? i % 5 : i);
    for (uint32_t k = 0; k < 3; k++) {
        corners[k] = scratch(3 * COUNT, sizeof(uint32_t));
        for (uint32_t i = 0; i < 3 * COUNT; i++)
            corners[k][i] = k == 0 ? i : k == 1 ? 3 * COUNT - 1 - i / 3 - i % 3 : i % 3 ? i : 0;
        const cp_mesh mesh = {.name = "m",
                              .vertex_count = 3 * COUNT,
                              .face_count = COUNT,
                              .corner_count = 3 * COUNT,
                              .positions = positions,
                              .corners = corners[k]};
        (void)add_instance_of(scene, 0, add_mesh_of(scene, &mesh), CP_USE_BOTH, &identity);
    }
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("split-meshes", NULL, NULL), CP_OK);
    assert_int_equal(count_meshes(scene), COUNT + 2);
    assert_int_equal(count_nodes(scene), COUNT + 1);
    assert_string_equal(cp_nodes(scene, NULL)[COUNT].name, "m_200000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pieces_are_as_defined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_split_and_merge_lose_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_frames_and_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pieces_without_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit_of_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_and_many, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
