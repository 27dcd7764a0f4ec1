/* cp_mesh_topology, each of its numbers by its definition, in quadratic time and worse. */
#include "mesh_builder.h"

#include "scene_fixture.h"

/* ---- oracles ---- */

struct plain {
    const cp_mesh *mesh;
    bool bounds[64]; /* for each face */
};

static uint32_t find_leader(const uint32_t *leaders, uint32_t item)
{
    while (leaders[item] != item)
        item = leaders[item];
    return item;
}

static bool runs(const cp_mesh *mesh, uint32_t face, uint32_t i, uint32_t a, uint32_t b)
{
    return same_place(mesh, face_corner(mesh, face, i), a) && same_place(mesh, face_corner(mesh, face, i + 1), b);
}

/* How many times faces that bound something run through the edge, either way. */
static uint32_t count_uses(const struct plain *plain, uint32_t a, uint32_t b)
{
    uint32_t uses = 0;
    for (uint32_t face = 0; face < plain->mesh->face_count; face++)
        for (uint32_t i = 0; plain->bounds[face] && i < face_size(plain->mesh, face); i++)
            uses += runs(plain->mesh, face, i, a, b) || runs(plain->mesh, face, i, b, a);
    return uses;
}

static bool share_edge(const struct plain *plain, uint32_t one, uint32_t other)
{
    for (uint32_t i = 0; i < face_size(plain->mesh, one); i++)
        for (uint32_t k = 0; k < face_size(plain->mesh, other); k++) {
            uint32_t a = face_corner(plain->mesh, one, i), b = face_corner(plain->mesh, one, i + 1);
            if (!same_place(plain->mesh, a, b) &&
                (runs(plain->mesh, other, k, a, b) || runs(plain->mesh, other, k, b, a)))
                return true;
        }
    return false;
}

static void plain_components(const struct plain *plain, cp_topology *topology)
{
    const cp_mesh *mesh = plain->mesh;
    uint32_t leaders[64];
    bool open[64] = {0};
    for (uint32_t face = 0; face < mesh->face_count; face++)
        leaders[face] = face;
    for (uint32_t one = 0; one < mesh->face_count; one++)
        for (uint32_t other = 0; other < one; other++)
            if (plain->bounds[one] && plain->bounds[other] && share_edge(plain, one, other))
                leaders[find_leader(leaders, one)] = find_leader(leaders, other);
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t i = 0; plain->bounds[face] && i < face_size(mesh, face); i++) {
            uint32_t a = face_corner(mesh, face, i), b = face_corner(mesh, face, i + 1);
            open[find_leader(leaders, face)] |= !same_place(mesh, a, b) && count_uses(plain, a, b) % 2;
        }
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        topology->components += plain->bounds[face] && leaders[face] == face;
        topology->closed_components += plain->bounds[face] && leaders[face] == face && !open[face];
    }
}

/* A corner, with the places that its face comes from and goes to. */
struct fan_corner {
    uint32_t face, index, ends[2];
};

static bool hang_together(const cp_mesh *mesh, const struct fan_corner *one, const struct fan_corner *other,
                          uint32_t vertex)
{
    uint32_t size = face_size(mesh, one->face);
    for (int i = 0; i < 4; i++)
        if (same_place(mesh, one->ends[i / 2], other->ends[i % 2]) && !same_place(mesh, one->ends[i / 2], vertex))
            return true;
    return one->face == other->face &&
           ((one->index + 1) % size == other->index || (other->index + 1) % size == one->index);
}

/* The corners at the place, joined where faces share an edge that ends there, and where a face repeats the place. */
static bool touches(const struct plain *plain, uint32_t vertex)
{
    const cp_mesh *mesh = plain->mesh;
    struct fan_corner corners[256];
    uint32_t leaders[256], count = 0, fans = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t i = 0; plain->bounds[face] && i < face_size(mesh, face); i++) {
            if (!same_place(mesh, face_corner(mesh, face, i), vertex))
                continue;
            uint32_t before = face_corner(mesh, face, i + face_size(mesh, face) - 1);
            corners[count] = (struct fan_corner){face, i, {before, face_corner(mesh, face, i + 1)}};
            leaders[count] = count;
            count++;
        }
    for (uint32_t one = 0; one < count; one++)
        for (uint32_t other = 0; other < one; other++)
            if (hang_together(mesh, &corners[one], &corners[other], vertex))
                leaders[find_leader(leaders, one)] = find_leader(leaders, other);
    for (uint32_t i = 0; i < count; i++)
        fans += leaders[i] == i;
    return fans > 1;
}

static void plain_vertices(const struct plain *plain, cp_topology *topology)
{
    const cp_mesh *mesh = plain->mesh;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
        bool used = false, bounds = false;
        for (uint32_t face = 0; face < mesh->face_count; face++)
            for (uint32_t i = 0; i < face_size(mesh, face); i++) {
                used |= face_corner(mesh, face, i) == vertex;
                bounds |= plain->bounds[face] && same_place(mesh, face_corner(mesh, face, i), vertex);
            }
        topology->unused_vertices += !used;
        if (place_of(mesh, vertex) != vertex)
            continue;
        topology->vertices += bounds;
        topology->touching_vertices += bounds && touches(plain, vertex);
    }
}

static bool same_round(const cp_mesh *mesh, uint32_t one, uint32_t other, bool back)
{
    uint32_t size = face_size(mesh, one);
    if (size != face_size(mesh, other))
        return false;
    for (uint32_t shift = 0; shift < size; shift++) {
        bool same = true;
        for (uint32_t i = 0; i < size; i++)
            same &= same_place(mesh, face_corner(mesh, one, i),
                               face_corner(mesh, other, back ? 2 * size + shift - i : shift + i));
        if (same)
            return true;
    }
    return false;
}

static void plain_duplicates(const struct plain *plain, cp_topology *topology)
{
    for (uint32_t face = 0; face < plain->mesh->face_count; face++) {
        bool same = false, opposite = false;
        for (uint32_t other = 0; plain->bounds[face] && other < face; other++) {
            same |= same_round(plain->mesh, face, other, false);
            opposite |= same_round(plain->mesh, face, other, true);
        }
        topology->duplicate_faces += same;
        topology->opposite_faces += opposite && !same;
    }
}

static cp_topology expect_all(const cp_mesh *mesh)
{
    struct plain plain = {.mesh = mesh};
    cp_topology found = {.size = sizeof found}, expected = found;
    assert_true(mesh->face_count <= 64);
    for (uint32_t face = 0; face < mesh->face_count; face++)
        plain.bounds[face] = face_spans_three(mesh, face);
    plain_components(&plain, &expected);
    plain_vertices(&plain, &expected);
    plain_duplicates(&plain, &expected);
    expect_topology(context, mesh);
    assert_int_equal(cp_mesh_topology(context, mesh, &found), CP_OK);
    assert_int_equal(found.components, expected.components);
    assert_int_equal(found.closed_components, expected.closed_components);
    assert_int_equal(found.vertices, expected.vertices);
    assert_int_equal(found.unused_vertices, expected.unused_vertices);
    assert_int_equal(found.touching_vertices, expected.touching_vertices);
    assert_int_equal(found.duplicate_faces, expected.duplicate_faces);
    assert_int_equal(found.opposite_faces, expected.opposite_faces);
    return found;
}

/* ---- tests ---- */

/* Few places, so that everything meets everything; with repeated corners, and both zeros. */
static void test_random_faces(void **unused)
{
    (void)unused;
    struct random random = {11};
    uint64_t touching = 0, duplicates = 0, opposite = 0, components = 0, closed = 0;
    for (int round = 0; round < 600; round++) {
        struct builder builder = {0};
        uint32_t vertices = 4 + random_bits(&random) % 9, faces = 1 + random_bits(&random) % 16;
        for (uint32_t i = 0; i < vertices; i++)
            (void)add_vertex(&builder, random_bits(&random) % 2 ? 0.0 : -0.0, random_bits(&random) % 3,
                             random_bits(&random) % 4);
        for (uint32_t face = 0; face < faces; face++) {
            uint32_t corners[5], size = 3 + random_bits(&random) % 7 / 4 + random_bits(&random) % 9 / 8;
            for (uint32_t i = 0; i < size; i++)
                corners[i] = random_bits(&random) % vertices;
            add_face(&builder, corners, size);
            if (random_bits(&random) % 4 == 0 && face++ < faces) { /* once more, turned or shifted */
                uint32_t again[5], shift = random_bits(&random) % size, back = random_bits(&random) % 2;
                for (uint32_t i = 0; i < size; i++)
                    again[i] = corners[(back ? size - i + shift : i + shift) % size];
                add_face(&builder, again, size);
            }
        }
        cp_mesh mesh = mesh_of(&builder);
        cp_topology found = expect_all(&mesh);
        touching += found.touching_vertices;
        duplicates += found.duplicate_faces;
        opposite += found.opposite_faces;
        components += found.components;
        closed += found.closed_components;
        free_builder(&builder);
    }
    assert_true(touching > 100 && duplicates > 100 && opposite > 100 && components > 700 && closed > 10);
}

static cp_topology topology_of(const struct builder *builder)
{
    cp_topology topology = {.size = sizeof topology};
    cp_mesh mesh = mesh_of(builder);
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    return topology;
}

static void turn_faces(struct builder *builder, uint32_t first, uint32_t count)
{
    for (uint32_t face = first; face < first + count; face++) {
        uint32_t *corners = builder->corners + builder->offsets[face],
                 size = builder->offsets[face + 1] - builder->offsets[face];
        for (uint32_t i = 0, k = size - 1; i < k; i++, k--) {
            uint32_t kept = corners[i];
            corners[i] = corners[k];
            corners[k] = kept;
        }
    }
}

static void test_shells(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_box(&builder, (const double[]){0, 0, 0}, (const double[]){9, 9, 9});
    add_box(&builder, (const double[]){1, 1, 1}, (const double[]){8, 8, 8});
    add_box(&builder, (const double[]){2, 2, 2}, (const double[]){3, 3, 3});
    cp_topology topology = topology_of(&builder);
    assert_true(topology.closed);
    assert_int_equal(topology.components, 3);
    assert_int_equal(topology.closed_components, 3);
    assert_int_equal(topology.cavities, 1);
    assert_int_equal(topology.inside_out_shells, 1); /* the cavity looks outward */
    assert_int_equal(topology.flipped_faces, 6);
    turn_faces(&builder, 6, 6);
    topology = topology_of(&builder);
    assert_int_equal(topology.inside_out_shells, 0);
    assert_int_equal(topology.flipped_faces, 0);
    turn_faces(&builder, 0, 1);
    turn_faces(&builder, 12, 6);
    topology = topology_of(&builder);
    assert_int_equal(topology.inside_out_shells, 1);
    assert_int_equal(topology.flipped_faces, 7);
    assert_int_equal(topology.misoriented_edges, 4);
    assert_int_equal(topology.flat_shells, 0);
    assert_int_equal(topology.one_sided_shells, 0);
    free_builder(&builder);
}

/* Two triangles back to back; a strip that is joined to itself with a turn; two cubes at one corner. */
static void test_flat_one_sided_and_touching(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    for (uint32_t i = 0; i < 3; i++)
        (void)add_vertex(&builder, i, i * i, 0);
    add_face(&builder, (const uint32_t[]){0, 1, 2}, 3);
    add_face(&builder, (const uint32_t[]){2, 1, 0}, 3);
    cp_topology topology = topology_of(&builder);
    assert_true(topology.closed);
    assert_int_equal(topology.flat_shells, 1);
    assert_int_equal(topology.opposite_faces, 1);
    free_builder(&builder);
    for (uint32_t i = 0; i < 5; i++)
        (void)add_vertex(&builder, i, i * i, i * i * i);
    for (uint32_t i = 0; i < 5; i++)
        add_face(&builder, (const uint32_t[]){i, (i + 1) % 5, (i + 2) % 5}, 3);
    topology = topology_of(&builder);
    assert_int_equal(topology.one_sided_shells, 1);
    assert_int_equal(topology.flipped_faces, 0);
    free_builder(&builder);
    add_box(&builder, (const double[]){0, 0, 0}, (const double[]){1, 1, 1});
    add_box(&builder, (const double[]){1, 1, 1}, (const double[]){2, 2, 2});
    topology = topology_of(&builder);
    assert_int_equal(topology.touching_vertices, 1);
    assert_int_equal(topology.components, 2);
    assert_int_equal(topology.vertices, 15);
    free_builder(&builder);
}

static void test_primitives_and_lines(void **unused)
{
    (void)unused;
    cp_topology topology = {.size = sizeof topology};
    cp_mesh tube = {.kind = CP_MESH_TUBE, .sides = 6, .size = {1, 0.5, 2}};
    assert_int_equal(cp_mesh_topology(context, &tube, &topology), CP_OK);
    assert_true(topology.closed);
    assert_int_equal(topology.vertices, 24);
    assert_int_equal(topology.components, 1);
    assert_int_equal(topology.flipped_faces, 0);
    cp_mesh lines = {.kind = CP_MESH_LINES};
    assert_int_equal(cp_mesh_topology(context, &lines, &topology), CP_OK);
    assert_int_equal(topology.components, 0);
}

/* ---- edges ---- */

static void test_topology_of_hand_made_meshes(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_cube();
    cp_topology topology = {.size = sizeof topology};
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    assert_true(topology.closed);
    assert_int_equal(topology.edges, 12);
    mesh.face_count = 5;
    mesh.corner_count = 20;
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    assert_false(topology.closed);
    assert_int_equal(topology.border_edges, 4);
    uint32_t corners[28];
    memcpy(corners, cube_corners, sizeof cube_corners);
    const uint32_t fin[] = {0, 1, 6, 7}, flipped[] = {0, 3, 7, 4}, offsets[] = {0, 4, 8, 12, 16, 20, 24, 28};
    memcpy(corners + 20, flipped, sizeof flipped);
    memcpy(corners + 24, fin, sizeof fin);
    mesh = make_cube();
    mesh.face_offsets = offsets;
    mesh.corners = corners;
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    assert_int_equal(topology.misoriented_edges, 4);
    mesh.face_count = 7;
    mesh.corner_count = 28;
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    assert_int_equal(topology.non_manifold_edges, 2);
    assert_int_equal(topology.border_edges, 2);
    mesh.kind = CP_MESH_LINES;
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    assert_false(topology.closed);
    cp_mesh empty = {0};
    assert_int_equal(cp_mesh_topology(context, &empty, &topology), CP_OK);
    assert_false(topology.closed);
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    assert_int_equal(cp_mesh_topology(context, &box, &topology), CP_OK);
    assert_true(topology.closed);
}

/* Unwelded, with both zeros. */
static void test_topology_joins_equal_positions(void **unused)
{
    (void)unused;
    const float soup[] = {0, 0,     0, 0, 1, 0,         1, 0, 0, -0.0f, 0, 0, 1, 0, 0, 0, 0, 1,
                          0, -0.0f, 0, 0, 0, -0.0f + 1, 0, 1, 0, 1,     0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    cp_mesh mesh = {.vertex_count = 12, .face_count = 4, .corner_count = 12, .positions = soup, .corners = corners};
    cp_topology topology = {.size = sizeof topology};
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    assert_true(topology.closed);
    assert_int_equal(topology.edges, 6);
}

static void test_degenerate_faces_are_counted(void **unused)
{
    (void)unused;
    const float line[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 1};
    const uint32_t corners[] = {0, 1, 2, /* no area */ 0, 1, 1, /* two places */ 0, 1, 3, 3, 3, 3};
    cp_mesh mesh = {.vertex_count = 4, .face_count = 4, .corner_count = 12, .positions = line, .corners = corners};
    cp_topology topology = {.size = sizeof topology};
    assert_int_equal(cp_mesh_topology(context, &mesh, &topology), CP_OK);
    assert_int_equal(topology.degenerate_faces, 3);
    expect_topology(context, &mesh);
}

static void test_topology_as_by_comparing_all(void **unused)
{
    (void)unused;
    enum { VERTICES = 30, CORNERS = 200 };
    struct random random = {7};
    for (uint32_t round = 0; round < 40; round++) {
        float positions[3 * VERTICES];
        uint32_t corners[CORNERS], offsets[CORNERS], faces = 0;
        for (int i = 0; i < 3 * VERTICES; i++)
            positions[i] = random_bits(&random) % 2 ? 1.0f : random_bits(&random) % 2 ? 0.0f : -0.0f;
        for (int i = 0; i < CORNERS; i++)
            corners[i] = random_bits(&random) % VERTICES;
        offsets[0] = 0;
        while (offsets[faces] < CORNERS - 6) {
            offsets[faces + 1] = offsets[faces] + 3 + random_bits(&random) % 3;
            faces++;
        }
        cp_mesh mesh = {.vertex_count = VERTICES,
                        .face_count = faces,
                        .corner_count = offsets[faces],
                        .positions = positions,
                        .face_offsets = offsets,
                        .corners = corners};
        expect_topology(context, &mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_faces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flat_one_sided_and_touching, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_primitives_and_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_topology_of_hand_made_meshes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_topology_joins_equal_positions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_degenerate_faces_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_topology_as_by_comparing_all, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
