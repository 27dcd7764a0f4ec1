/* The filter repair, against the definitions by comparing all with all. */
#include "mesh_builder.h"

#include "scene_fixture.h"

/* ---- oracles ---- */

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

enum way { SAME, ANY, WALLS, NEITHER };

static bool is_repeated(const cp_mesh *mesh, uint32_t face, enum way way)
{
    for (uint32_t other = 0; way != NEITHER && other < mesh->face_count; other++)
        if (other != face && face_spans_three(mesh, other) &&
            ((other < face && same_round(mesh, face, other, false)) ||
             (((way == ANY && other < face) || way == WALLS) && same_round(mesh, face, other, true))))
            return true;
    return false;
}

static double face_area(const cp_mesh *mesh, uint32_t face)
{
    double sum[3] = {0, 0, 0};
    const float *origin = position_at(mesh, face_corner(mesh, face, 0));
    for (uint32_t i = 2; i < face_size(mesh, face); i++)
        for (int axis = 0; axis < 3; axis++) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            const float *a = position_at(mesh, face_corner(mesh, face, i - 1)),
                        *b = position_at(mesh, face_corner(mesh, face, i));
            sum[axis] += ((double)a[u] - origin[u]) * ((double)b[v] - origin[v]) -
                         ((double)a[v] - origin[v]) * ((double)b[u] - origin[u]);
        }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / 2;
}

static double area(const cp_mesh *mesh)
{
    double sum = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        sum += face_area(mesh, face);
    return sum;
}

static uint32_t flat_faces(const cp_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        count += !(face_area(mesh, face) > 0);
    return count;
}

static cp_mesh given; /* what the filter got, with the arrays of the scene */

/* The mesh after the filter, in a scene of its own with material 0. */
static const cp_mesh *repair(const cp_mesh *mesh, const char *const *options, size_t count)
{
    static const double grey[4] = {0.5, 0.5, 0.5, 1};
    fresh_scene();
    cp_report_clear(context);
    (void)add_colour(scene, "grey", grey, true);
    (void)add_mesh_of(scene, mesh);
    finish_scene();
    given = cp_meshes(scene, NULL)[0];
    assert_int_equal(cp_apply(context, scene, "repair", options, count), CP_OK);
    return cp_meshes(scene, NULL);
}

/* ---- random faces ---- */

/* Places in general position, so that only repeated corners take a face's area. */
static void make_faces(struct builder *builder, struct random *random)
{
    uint32_t vertices = 5 + random_bits(random) % 9, faces = random_bits(random) % 20;
    for (uint32_t i = 0; i < vertices; i++)
        if (i > 2 && random_bits(random) % 3 == 0)
            (void)add_vertex(builder, 0, random_bits(random) % 2 ? 0.0 : -0.0, 1);
        else
            (void)add_vertex(builder, random_unit(random), random_unit(random), random_unit(random));
    for (uint32_t face = 0; face < faces; face++) {
        uint32_t corners[5], size = 3 + random_bits(random) % 3;
        for (uint32_t i = 0; i < size; i++)
            corners[i] = random_bits(random) % vertices;
        add_face(builder, corners, size);
        cp_mesh mesh = mesh_of(builder);
        if (face_spans_three(&mesh, builder->faces - 1) && !(face_area(&mesh, builder->faces - 1) > 0)) {
            builder->faces--; /* such as a b a c */
            continue;
        }
        while (random_bits(random) % 3 == 0) {
            uint32_t again[5], shift = random_bits(random) % size, back = random_bits(random) % 2;
            for (uint32_t i = 0; i < size; i++)
                again[i] = corners[(back ? size - i + shift : i + shift) % size];
            add_face(builder, again, size);
        }
    }
}

static uint32_t make_groups(const struct builder *builder, struct random *random, cp_group *groups)
{
    uint32_t count = 0;
    for (uint32_t face = 0; face < builder->faces; count++) {
        uint32_t size = random_bits(random) % 4;
        size = size < builder->faces - face ? size : builder->faces - face;
        groups[count] = (cp_group){face, size, random_bits(random) % 2 ? 0 : CP_NONE};
        face += size;
    }
    return count;
}

static uint32_t material_of(const cp_mesh *mesh, uint32_t face)
{
    for (uint32_t i = 0; i < mesh->group_count; i++)
        if (face - mesh->groups[i].first_face < mesh->groups[i].face_count)
            return mesh->groups[i].material;
    return CP_NONE;
}

/* The faces that should be left, in their order, with their corners, materials and normals. */
static void expect_faces(const cp_mesh *before, const cp_mesh *after, bool degenerate, enum way way)
{
    uint32_t next = 0;
    for (uint32_t face = 0; face < before->face_count; face++) {
        if ((degenerate && !face_spans_three(before, face)) ||
            (face_spans_three(before, face) && is_repeated(before, face, way)))
            continue;
        assert_true(next < after->face_count);
        assert_int_equal(face_size(before, face), face_size(after, next));
        assert_int_equal(material_of(before, face), material_of(after, next));
        for (uint32_t i = 0; i < face_size(before, face); i++) {
            uint32_t was = face_corner(before, face, i), is = face_corner(after, next, i);
            assert_memory_equal(position_at(before, was), position_at(after, is), 12);
            assert_memory_equal(before->normals + 3 * was, after->normals + 3 * is, 12);
        }
        next++;
    }
    assert_int_equal(after->face_count, next);
    for (uint32_t i = 0; i < after->group_count; i++)
        assert_true(after->groups[i].face_count > 0 || after->face_count == before->face_count);
}

static void expect_vertices(const cp_mesh *before, const cp_mesh *after, bool unreferenced)
{
    uint32_t used = 0;
    for (uint32_t vertex = 0; vertex < after->vertex_count; vertex++) {
        bool uses = false;
        for (uint32_t corner = 0; corner < after->corner_count; corner++)
            uses |= after->corners[corner] == vertex;
        used += uses;
    }
    if (unreferenced)
        assert_int_equal(after->vertex_count, used);
    else
        assert_int_equal(after->vertex_count, before->vertex_count);
}

static void test_random_faces(void **unused)
{
    (void)unused;
    static const char *const words[] = {"duplicates=same", "duplicates=any", "duplicates=walls", "duplicates=no"};
    struct random random = {21};
    for (int round = 0; round < 500; round++) {
        struct builder builder = {0};
        cp_group groups[256];
        float normals[3 * 16] = {0};
        make_faces(&builder, &random);
        if (builder.faces == 0) {
            free_builder(&builder);
            continue;
        }
        cp_mesh mesh = mesh_of(&builder);
        mesh.group_count = round % 2 ? make_groups(&builder, &random, groups) : 0;
        mesh.groups = groups;
        for (uint32_t vertex = 0; vertex < builder.vertices; vertex++)
            normals[3 * vertex + random_bits(&random) % 3] = 1;
        mesh.normals = normals;
        bool degenerate = random_bits(&random) % 4 > 0, unreferenced = random_bits(&random) % 4 > 0;
        uint32_t way = random_bits(&random) % 4;
        const char *const options[] = {degenerate ? "degenerate=yes" : "degenerate=no",
                                       unreferenced ? "unreferenced=yes" : "unreferenced=no", words[way]};
        const cp_mesh *after = repair(&mesh, options, 3);
        expect_faces(&mesh, after, degenerate, (enum way)way);
        expect_vertices(&mesh, after, unreferenced);
        free_builder(&builder);
    }
}

static void test_what_is_whole_stays(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube(), empty = {0}, box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    const cp_mesh *after = repair(&cube, NULL, 0);
    assert_ptr_equal(after->corners, given.corners);
    assert_ptr_equal(after->positions, given.positions);
    assert_ptr_equal(after->face_offsets, given.face_offsets);
    assert_int_equal(repair(&empty, NULL, 0)->face_count, 0);
    assert_int_equal(repair(&box, NULL, 0)->kind, CP_MESH_BOX);
    size_t count;
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);
}

static void test_counts_are_told(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    for (uint32_t i = 0; i < 5; i++)
        (void)add_vertex(&builder, i, i * i, 0);
    add_face(&builder, (const uint32_t[]){0, 1, 2}, 3);
    add_face(&builder, (const uint32_t[]){0, 1, 1}, 3);
    add_face(&builder, (const uint32_t[]){1, 2, 0}, 3);
    add_face(&builder, (const uint32_t[]){2, 0, 1}, 3);
    add_face(&builder, (const uint32_t[]){2, 1, 0}, 3);
    cp_mesh mesh = mesh_of(&builder);
    const cp_mesh *after = repair(&mesh, NULL, 0);
    assert_int_equal(after->face_count, 2);
    assert_true(was_said(context, "1 faces without area are removed"));
    assert_true(was_said(context, "2 duplicate faces are removed"));
    assert_true(was_said(context, "1 faces lie back to back with another and stay"));
    assert_true(was_said(context, "2 unused vertices are removed"));
    free_builder(&builder);
}

/* Two boxes that share a side become one without the wall. */
static void test_walls(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_box(&builder, (const double[]){0, 0, 0}, (const double[]){1, 1, 1});
    add_box(&builder, (const double[]){1, 0, 0}, (const double[]){2, 1, 1});
    cp_mesh mesh = mesh_of(&builder);
    assert_int_equal(plain_topology(&mesh).non_manifold_edges, 4);
    assert_int_equal(repair(&mesh, (const char *[]){"duplicates=any"}, 1)->face_count, 11);
    const cp_mesh *after = repair(&mesh, (const char *[]){"duplicates=walls"}, 1);
    assert_true(was_said(context, "1 pairs of faces back to back are removed"));
    assert_int_equal(after->face_count, 10);
    assert_true(plain_topology(after).closed);
    assert_true(fabs(plain_volume(after) - 2) < 1e-9);
    free_builder(&builder);
}

/* ---- caps ---- */

/* Both triangles of each quad. */
static void add_triangle_box(struct builder *builder, double size)
{
    uint32_t base = builder->vertices;
    for (int i = 0; i < 8; i++)
        (void)add_vertex(builder, size * cube_positions[3 * i], size * cube_positions[3 * i + 1],
                         size * cube_positions[3 * i + 2]);
    for (int face = 0; face < 6; face++)
        for (int half = 0; half < 2; half++)
            add_face(builder,
                     (const uint32_t[]){base + cube_corners[4 * face], base + cube_corners[4 * face + 1 + half],
                                        base + cube_corners[4 * face + 2 + half]},
                     3);
}

/* A triangle s t o becomes s m o and m t o, with m on s t at a place that is not taken, and a cap s t m closes the
 * gap. */
static void split_with_cap(struct builder *builder, uint32_t face, uint32_t turn, double part)
{
    uint32_t *corners = builder->corners + 3 * face;
    const uint32_t s = corners[turn], t = corners[(turn + 1) % 3], o = corners[(turn + 2) % 3];
    double at[3];
    for (uint32_t axis = 0; axis < 3; axis++)
        at[axis] = (1 - part) * builder->positions[3 * s + axis] + part * builder->positions[3 * t + axis];
    uint32_t m = add_vertex(builder, at[0], at[1], at[2]);
    cp_mesh mesh = mesh_of(builder);
    if (place_of(&mesh, m) != m) {
        builder->vertices--;
        return;
    }
    corners[0] = s;
    corners[1] = m;
    corners[2] = o;
    add_face(builder, (const uint32_t[]){m, t, o}, 3);
    add_face(builder, (const uint32_t[]){s, t, m}, 3);
}

/* On a box all coordinates are exact, and so the caps have exactly no area. Caps of caps are split, too. */
static void test_caps_share_their_neighbours_area(void **unused)
{
    (void)unused;
    struct random random = {31};
    uint64_t left = 0;
    for (int round = 0; round < 200; round++) {
        struct builder builder = {0};
        add_triangle_box(&builder, 1024);
        uint32_t splits = 1 + random_bits(&random) % 8;
        for (uint32_t i = 0; i < splits; i++)
            split_with_cap(&builder, random_bits(&random) % builder.faces, random_bits(&random) % 3,
                           (1 + random_bits(&random) % 7) / 8.0);
        cp_mesh mesh = mesh_of(&builder);
        assert_true(plain_topology(&mesh).closed && flat_faces(&mesh) > 0);
        const cp_mesh *after = repair(&mesh, (const char *[]){"duplicates=no"}, 1);
        assert_true(plain_topology(after).closed);
        left += flat_faces(after);
        assert_true(fabs(plain_volume(after) - 1073741824.0) < 1);
        assert_true(fabs(area(after) - 6 * 1048576.0) < 1);
        assert_int_equal(after->vertex_count, mesh.vertex_count);
        free_builder(&builder);
    }
    assert_int_equal(left, 0);
}

static void test_caps_that_have_to_stay(void **unused)
{
    (void)unused;
    const float positions[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 3, 0, 2, 3, 0};
    const uint32_t corners[] = {0, 1, 2, /* */ 2, 4, 3, 0}, offsets[] = {0, 3, 7};
    cp_mesh mesh = {.vertex_count = 5,
                    .face_count = 1,
                    .corner_count = 3,
                    .positions = positions,
                    .face_offsets = offsets,
                    .corners = corners};
    assert_int_equal(repair(&mesh, NULL, 0)->face_count, 0); /* alone it closes nothing */
    assert_true(was_said(context, "1 faces without area are removed"));
    mesh.face_count = 2;
    mesh.corner_count = 7;
    assert_int_equal(repair(&mesh, NULL, 0)->face_count, 2); /* its neighbour is no triangle */
    assert_true(was_said(context, "warning: 1 faces without area stay: without them the mesh would open"));
    const uint32_t triangles[] = {0, 1, 2, 2, 3, 0};
    const cp_group groups[] = {{0, 1, CP_NONE}, {1, 1, 0}};
    mesh.face_offsets = NULL;
    mesh.corners = triangles;
    mesh.corner_count = 6;
    mesh.groups = groups;
    mesh.group_count = 2;
    assert_int_equal(flat_faces(repair(&mesh, NULL, 0)), 1); /* of another colour */
    mesh.group_count = 0;
    const cp_mesh *after = repair(&mesh, NULL, 0);
    assert_int_equal(flat_faces(after), 0);
    assert_int_equal(after->face_count, 2);
    assert_true(was_said(context, "1 triangles without area share the area of a neighbour now"));
    assert_int_equal(flat_faces(repair(&mesh, (const char *[]){"degenerate=no"}, 1)), 1);
}

/* ---- holes ---- */

static void drop_face(struct builder *builder, uint32_t face)
{
    uint32_t first = builder->offsets[face], size = builder->offsets[face + 1] - first,
             all = builder->offsets[builder->faces];
    memmove(builder->corners + first, builder->corners + first + size, (all - first - size) * sizeof(uint32_t));
    for (uint32_t i = face; i < builder->faces; i++)
        builder->offsets[i] = builder->offsets[i + 1] - size;
    builder->faces--;
}

static bool meets_hole(const cp_mesh *mesh, uint32_t face)
{
    for (uint32_t i = 0; i < face_size(mesh, face); i++)
        for (uint32_t other = 0, fans = 0; other < mesh->face_count; other++) {
            for (uint32_t k = 0; k < face_size(mesh, other); k++)
                fans += same_place(mesh, face_corner(mesh, face, i), face_corner(mesh, other, k));
            if (other + 1 == mesh->face_count && fans < 4)
                return true;
        }
    return false;
}

/* Faces taken out of a torus, none beside another, come back: closed, wound alike, as large as before. */
static void test_holes_are_filled(void **unused)
{
    (void)unused;
    struct random random = {41};
    for (int round = 0; round < 60; round++) {
        struct builder builder = {0};
        uint32_t holes = 0;
        add_torus(&builder, 9, 7);
        cp_mesh mesh = mesh_of(&builder);
        double volume = plain_volume(&mesh), whole = area(&mesh);
        for (int i = 0; i < 8; i++) {
            uint32_t face = random_bits(&random) % builder.faces;
            mesh = mesh_of(&builder);
            if (meets_hole(&mesh, face))
                continue;
            drop_face(&builder, face);
            holes++;
        }
        if (round % 3 == 0)
            unweld(&builder, &random);
        mesh = mesh_of(&builder);
        const cp_mesh *after = repair(&mesh, (const char *[]){"holes=3"}, 1);
        assert_int_equal(after->face_count, mesh.face_count);
        after = repair(&mesh, (const char *[]){"holes=4"}, 1);
        assert_int_equal(after->face_count, mesh.face_count + holes);
        assert_true(plain_topology(after).closed);
        assert_true(fabs(plain_volume(after) - volume) < 0.2 && fabs(area(after) - whole) < 0.2);
        assert_false(was_reported(context, "repair-open"));
        assert_int_equal(cp_scene_finish(scene), CP_OK);
        free_builder(&builder);
    }
}

/* Without its lid a box has a hole; a sheet has an outline. What is wound against its neighbours is outvoted. */
static void test_outlines_stay(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_box(&builder, (const double[]){0, 0, 0}, (const double[]){1, 1, 1});
    drop_face(&builder, 3);
    uint32_t *turned = builder.corners + 4, kept = turned[1];
    turned[1] = turned[3];
    turned[3] = kept;
    cp_mesh mesh = mesh_of(&builder);
    const cp_mesh *after = repair(&mesh, (const char *[]){"holes=10"}, 1);
    assert_int_equal(after->face_count, 6);
    assert_int_equal(plain_topology(after).border_edges, 0);
    assert_int_equal(plain_topology(after).misoriented_edges, 4); /* those of the turned face alone */
    free_builder(&builder);
    for (uint32_t i = 0; i < 9; i++)
        (void)add_vertex(&builder, i % 3, i / 3, 0);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t a = i % 2 + i / 2 * 3;
        add_face(&builder, (const uint32_t[]){a, a + 1, a + 4, a + 3}, 4);
    }
    mesh = mesh_of(&builder);
    assert_int_equal(repair(&mesh, (const char *[]){"holes=100"}, 1)->face_count, 4);
    assert_true(was_said(context, "warning: 8 border edges stay"));
    drop_face(&builder, 1);
    drop_face(&builder, 1); /* two quads that touch in the middle: four borders meet */
    mesh = mesh_of(&builder);
    assert_int_equal(repair(&mesh, (const char *[]){"holes=100"}, 1)->face_count, 2);
    free_builder(&builder);
}

/* A corner on an edge of two other triangles: the gap has no area, and its filler goes to the neighbour. */
static void test_gaps_at_edges_close(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_triangle_box(&builder, 4);
    split_with_cap(&builder, 5, 1, 0.25);
    drop_face(&builder, builder.faces - 1);
    cp_mesh mesh = mesh_of(&builder);
    assert_int_equal(plain_topology(&mesh).border_edges, 3);
    const cp_mesh *after = repair(&mesh, (const char *[]){"holes=3"}, 1);
    assert_true(plain_topology(after).closed);
    assert_int_equal(flat_faces(after), 0);
    assert_true(fabs(plain_volume(after) - 64) < 1e-9 && fabs(area(after) - 96) < 1e-9);
    free_builder(&builder);
}

static void test_fillers_have_their_neighbours_material(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_torus(&builder, 9, 7);
    const cp_group groups[] = {{0, 20, 0}, {20, 42, CP_NONE}};
    drop_face(&builder, 40);
    cp_mesh mesh = mesh_of(&builder);
    mesh.groups = groups;
    mesh.group_count = 2;
    const cp_mesh *after = repair(&mesh, (const char *[]){"holes=4"}, 1);
    assert_int_equal(material_of(after, 62), CP_NONE);
    assert_int_equal(after->group_count, 2);
    drop_face(&builder, 10);
    const cp_group less[] = {{0, 19, 0}, {19, 42, CP_NONE}};
    mesh = mesh_of(&builder);
    mesh.groups = less;
    mesh.group_count = 2;
    after = repair(&mesh, (const char *[]){"holes=4"}, 1);
    assert_int_equal(after->face_count, 63);
    assert_int_equal(material_of(after, 61) == 0 ? material_of(after, 62) : material_of(after, 61), CP_NONE);
    assert_true(material_of(after, 61) == 0 || material_of(after, 62) == 0);
    free_builder(&builder);
}

/* ---- size and malice: what is not linear does not end ---- */

static void test_hostile_shapes_end(void **unused)
{
    (void)unused;
    enum { MANY = 200000 };
    struct builder builder = {0};
    for (uint32_t i = 0; i < MANY; i++)
        (void)add_vertex(&builder, i, 0, 0);
    (void)add_vertex(&builder, 0, 5, 0);
    for (uint32_t i = 2; i < MANY; i++) /* a fan of caps over a long side, and one triangle that has an area */
        add_face(&builder, (const uint32_t[]){0, i - 1, i}, 3);
    add_face(&builder, (const uint32_t[]){0, MANY - 1, MANY}, 3);
    cp_mesh mesh = mesh_of(&builder);
    const cp_mesh *after = repair(&mesh, NULL, 0);
    assert_int_equal(after->face_count, MANY - 1);
    free_builder(&builder);
    for (uint32_t i = 0; i < 2 * MANY; i++)
        (void)add_vertex(&builder, i, i % 7, i % 5);
    uint32_t *corners = malloc(MANY * sizeof *corners);
    for (uint32_t i = 0; i < MANY; i++)
        corners[i] = i == MANY / 2 ? 9 : 8; /* rotations that are alike for long */
    for (int i = 0; i < 3; i++) {
        corners[MANY / 3 * i] = 7;
        add_face(&builder, corners, MANY);
        corners[MANY / 3 * i] = 8;
    }
    for (uint32_t i = 0; i < MANY; i++)
        add_face(&builder, (const uint32_t[]){1, 2, 3}, 3);
    mesh = mesh_of(&builder);
    assert_int_equal(repair(&mesh, (const char *[]){"degenerate=no"}, 1)->face_count, 4);
    free(corners);
    free_builder(&builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_faces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_whole_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_walls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_caps_share_their_neighbours_area, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_caps_that_have_to_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_holes_are_filled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_outlines_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gaps_at_edges_close, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fillers_have_their_neighbours_material, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hostile_shapes_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
