/* The filter orient. What it does is judged by the definitions, in quadratic time: neighbours by comparing all edges,
 * sides by counting what a line from just above a face crosses. */
#include "mesh_builder.h"

#include "scene_fixture.h"

/* ---- turning faces ---- */

static void turn_face(struct builder *builder, uint32_t face)
{
    uint32_t first = builder->offsets[face], size = builder->offsets[face + 1] - first;
    for (uint32_t i = 1, k = size - 1; i < k; i++, k--) {
        uint32_t kept = builder->corners[first + i];
        builder->corners[first + i] = builder->corners[first + k];
        builder->corners[first + k] = kept;
    }
}

static void turn_some(struct builder *builder, struct random *random, double part)
{
    for (uint32_t face = 0; face < builder->faces; face++)
        if (random_unit(random) < part)
            turn_face(builder, face);
}

/* ---- oracles ---- */

/* Crossings of the line from a point along a direction that meets no edge, faces as fans; convex faces only. */
static int crossings(const cp_mesh *mesh, const double from[3], const double along[3])
{
    int count = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t i = 2; i < face_size(mesh, face); i++) {
            const float *p[3] = {position_at(mesh, face_corner(mesh, face, 0)),
                                 position_at(mesh, face_corner(mesh, face, i - 1)),
                                 position_at(mesh, face_corner(mesh, face, i))};
            double e[3], f[3], g[3];
            for (int axis = 0; axis < 3; axis++) {
                e[axis] = (double)p[1][axis] - p[0][axis];
                f[axis] = (double)p[2][axis] - p[0][axis];
                g[axis] = from[axis] - p[0][axis];
            }
            const double h[3] = {along[1] * f[2] - along[2] * f[1], along[2] * f[0] - along[0] * f[2],
                                 along[0] * f[1] - along[1] * f[0]};
            const double k[3] = {g[1] * e[2] - g[2] * e[1], g[2] * e[0] - g[0] * e[2], g[0] * e[1] - g[1] * e[0]};
            double scale = e[0] * h[0] + e[1] * h[1] + e[2] * h[2];
            double u = (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]) / scale;
            double v = (along[0] * k[0] + along[1] * k[1] + along[2] * k[2]) / scale;
            double t = (f[0] * k[0] + f[1] * k[1] + f[2] * k[2]) / scale;
            count += u >= 0 && v >= 0 && u + v <= 1 && t > 0;
        }
    return count;
}

/* All faces show their outside where an even number of shells is round: outward, and cavities inward. */
static void expect_outside(const cp_mesh *mesh)
{
    const double along[3] = {0.5430931, 0.7310417, 0.4130519};
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        double above[3] = {0, 0, 0}, e[3], f[3];
        uint32_t size = face_size(mesh, face);
        for (int axis = 0; axis < 3; axis++) {
            for (uint32_t i = 0; i < size; i++)
                above[axis] += (0.6 * (i == 0) + 0.4 / size) * position_at(mesh, face_corner(mesh, face, i))[axis];
            e[axis] = (double)position_at(mesh, face_corner(mesh, face, 1))[axis] -
                      position_at(mesh, face_corner(mesh, face, 0))[axis];
            f[axis] = (double)position_at(mesh, face_corner(mesh, face, 2))[axis] -
                      position_at(mesh, face_corner(mesh, face, 0))[axis];
        }
        const double normal[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
        double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        for (int axis = 0; axis < 3; axis++)
            above[axis] += 0.01 * normal[axis] / length;
        if (crossings(mesh, above, along) % 2)
            fail_msg("face %u shows its inside", face);
    }
}

/* Each edge is run through as often one way as the other. */
static void expect_balanced(const cp_mesh *mesh)
{
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t i = 0; i < face_size(mesh, face); i++) {
            uint32_t a = face_corner(mesh, face, i), b = face_corner(mesh, face, i + 1);
            int balance = 0;
            for (uint32_t other = 0; other < mesh->face_count; other++)
                for (uint32_t k = 0; k < face_size(mesh, other); k++) {
                    uint32_t c = face_corner(mesh, other, k), d = face_corner(mesh, other, k + 1);
                    balance += same_place(mesh, a, c) && same_place(mesh, b, d);
                    balance -= same_place(mesh, a, d) && same_place(mesh, b, c);
                }
            assert_int_equal(balance, 0);
        }
}

static cp_mesh given; /* what the filter got, with the arrays of the scene */

/* The mesh after the filter, in the scene's memory. */
static const cp_mesh *orient(const cp_mesh *mesh)
{
    fresh_scene();
    cp_report_clear(context);
    (void)add_mesh_of(scene, mesh);
    finish_scene();
    given = cp_meshes(scene, NULL)[0];
    assert_int_equal(cp_apply(context, scene, "orient", NULL, 0), CP_OK);
    const cp_mesh *result = cp_meshes(scene, NULL);
    assert_int_equal(result->face_count, mesh->face_count);
    assert_int_equal(result->vertex_count, mesh->vertex_count);
    return result;
}

static void expect_corners(const cp_mesh *mesh, const uint32_t *corners)
{
    assert_memory_equal(mesh->corners, corners, mesh->corner_count * sizeof *corners);
}

static uint64_t flipped(const cp_mesh *mesh)
{
    cp_topology topology = {.size = sizeof topology};
    assert_int_equal(cp_mesh_topology(context, mesh, &topology), CP_OK);
    return topology.flipped_faces;
}

/* ---- tests ---- */

/* A turned face keeps its first corner, so that all corners must come back as they were. */
static void test_turned_faces_are_turned_back(void **unused)
{
    (void)unused;
    struct random random = {1};
    for (int round = 0; round < 40; round++) {
        struct builder builder = {0};
        if (round % 4 == 0)
            add_box(&builder, (const double[]){-1, -2, 0}, (const double[]){1, 0, 3});
        else if (round % 4 == 1)
            add_octahedron(&builder, (const double[]){0, 0, 0}, (const double[]){1, 2, 3});
        else
            add_torus(&builder, 7, 5);
        if (round % 3 == 0)
            unweld(&builder, &random);
        cp_mesh right = mesh_of(&builder);
        assert_true(plain_volume(&right) > 0);
        uint32_t *corners = malloc(right.corner_count * sizeof *corners);
        memcpy(corners, right.corners, right.corner_count * sizeof *corners);
        turn_some(&builder, &random, round < 4 ? 1.5 : random_unit(&random));
        cp_mesh wrong = mesh_of(&builder);
        const cp_mesh *result = orient(&wrong);
        expect_corners(result, corners);
        expect_balanced(result);
        assert_true(result->positions == given.positions);
        assert_int_equal(flipped(result), 0);
        free(corners);
        free_builder(&builder);
    }
}

static void test_what_is_right_stays(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube();
    const cp_mesh *result = orient(&cube);
    assert_ptr_equal(result->corners, given.corners);
    assert_false(was_reported(context, "orient-turned"));
    cp_mesh empty = {0}, box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    assert_int_equal(orient(&empty)->face_count, 0);
    assert_int_equal(orient(&box)->kind, CP_MESH_BOX);
}

/* Boxes in boxes: each space is cut by planes of a grid, so that corners lie above edges and corners of others. */
static void nest(struct builder *builder, struct random *random, const double low[3], const double high[3], int depth)
{
    if (random_bits(random) % 2)
        add_octahedron(builder, low, high);
    else
        add_box(builder, low, high);
    if (depth == 0)
        return;
    /* The octahedron holds the third in its middle. */
    double inner_low[3], inner_high[3];
    for (int axis = 0; axis < 3; axis++) {
        double size = high[axis] - low[axis];
        inner_low[axis] = low[axis] + size * 0.375;
        inner_high[axis] = high[axis] - size * 0.375;
    }
    uint32_t ways = random_bits(random) % 3;
    if (ways == 0) {
        nest(builder, random, inner_low, inner_high, depth - 1);
        return;
    }
    for (int side = 0; side < 2; side++) {
        double part_low[3], part_high[3];
        memcpy(part_low, inner_low, sizeof part_low);
        memcpy(part_high, inner_high, sizeof part_high);
        double size = inner_high[ways] - inner_low[ways];
        (side ? part_low : part_high)[ways] = side ? inner_high[ways] - size / 4 : inner_low[ways] + size / 4;
        nest(builder, random, part_low, part_high, depth - 1);
    }
}

/* Any affine map keeps what is inside of what. */
static void map(struct builder *builder, struct random *random)
{
    double matrix[9];
    for (int i = 0; i < 9; i++)
        matrix[i] = (i % 4 == 0 ? 2 : 0) + random_unit(random) - 0.5;
    for (uint32_t vertex = 0; vertex < builder->vertices; vertex++) {
        float *at = builder->positions + 3 * vertex;
        const double x = at[0], y = at[1], z = at[2];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = (float)(matrix[3 * axis] * x + matrix[3 * axis + 1] * y + matrix[3 * axis + 2] * z);
    }
}

static void test_cavities_point_inward(void **unused)
{
    (void)unused;
    struct random random = {2};
    for (int round = 0; round < 60; round++) {
        struct builder builder = {0};
        for (int tree = 0; tree < 3; tree++) {
            const double low[3] = {0, 0, 5000.0 * tree}, high[3] = {4096, 4096, 5000.0 * tree + 4096};
            nest(&builder, &random, low, high, 3);
        }
        if (round % 2)
            map(&builder, &random);
        if (round % 3 == 0)
            unweld(&builder, &random);
        turn_some(&builder, &random, random_unit(&random));
        cp_mesh mesh = mesh_of(&builder);
        const cp_mesh *result = orient(&mesh);
        expect_outside(result);
        assert_int_equal(flipped(result), 0);
        assert_false(was_reported(context, "orient-unplaced"));
        free_builder(&builder);
    }
}

/* Open sheets between solids in solids enclose nothing, whatever stood in the memory. */
static void test_sheets_beside_cavities(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    for (int i = 0; i < 50; i++) {
        const double low = i, high = 200.0 - i, z = 300.0 + i;
        add_box(&builder, (const double[]){low, low, low}, (const double[]){high, high, high});
        const uint32_t sheet[4] = {add_vertex(&builder, 0, 0, z), add_vertex(&builder, 200, 0, z),
                                   add_vertex(&builder, 200, 200, z), add_vertex(&builder, 0, 200, z)};
        add_face(&builder, sheet, 4);
    }
    cp_mesh mesh = mesh_of(&builder);
    const cp_mesh *result = orient(&mesh);
    for (uint32_t i = 0; i < 50; i++) {
        cp_mesh box = *result;
        box.face_offsets += 7 * i; /* six faces and a sheet */
        box.face_count = 6;
        assert_true(i % 2 ? plain_volume(&box) < 0 : plain_volume(&box) > 0);
    }
    free_builder(&builder);
}

static void add_strip(struct builder *builder, uint32_t length, bool twisted)
{
    uint32_t base = builder->vertices;
    for (uint32_t i = 0; i < length; i++) {
        double u = 2 * PI * i / length, half = twisted ? u / 2 : 0;
        for (int side = -1; side <= 1; side += 2)
            (void)add_vertex(builder, (4 + side * cos(half)) * cos(u), (4 + side * cos(half)) * sin(u),
                             side * sin(half));
    }
    for (uint32_t i = 0; i < length; i++) {
        uint32_t next = i + 1 < length ? 2 * i + 2 : 0, cross = twisted && next == 0;
        add_face(builder, (const uint32_t[]){base + 2 * i, base + 2 * i + 1, base + next + !cross, base + next + cross},
                 4);
    }
}

/* A box with a hole through it and a box in the hole: above the one in the hole is nothing but sky. */
static void test_in_a_hole_is_not_inside(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_torus(&builder, 12, 8);
    add_box(&builder, (const double[]){-0.5, -0.5, -0.5}, (const double[]){0.5, 0.5, 0.5});
    add_box(&builder, (const double[]){2.9, -0.1, -0.1}, (const double[]){3.1, 0.1, 0.1}); /* in the ring itself */
    add_box(&builder, (const double[]){2.5, -0.5, -5}, (const double[]){3.5, 0.5, -4});    /* below it */
    add_strip(&builder, 30, false); /* an open shell among them */
    add_strip(&builder, 31, true);
    struct random random = {3};
    turn_some(&builder, &random, 0.5);
    cp_mesh mesh = mesh_of(&builder);
    const cp_mesh *result = orient(&mesh);
    cp_mesh part = *result;
    part.face_offsets += 96;
    part.face_count = 6;
    assert_true(plain_volume(&part) > 0.99);
    part.face_offsets += 6;
    assert_true(plain_volume(&part) < -0.007);
    part.face_offsets += 6;
    assert_true(plain_volume(&part) > 0.99);
    free_builder(&builder);
}

static void test_solids_that_share_an_edge(void **unused)
{
    (void)unused;
    struct random random = {4};
    for (int round = 0; round < 20; round++) {
        struct builder builder = {0};
        add_box(&builder, (const double[]){0, 0, 0}, (const double[]){1, 1, 1});
        add_box(&builder, (const double[]){1, 1, 0}, (const double[]){2, 2, 1});
        turn_some(&builder, &random, 0.5);
        cp_mesh mesh = mesh_of(&builder);
        const cp_mesh *result = orient(&mesh);
        assert_true(was_said(context, "1 edges have more than two"));
        expect_balanced(result);
        expect_outside(result);
        free_builder(&builder);
    }
}

static void test_one_sided_strips_stay(void **unused)
{
    (void)unused;
    struct random random = {5};
    struct builder builder = {0};
    add_strip(&builder, 12, true);
    add_box(&builder, (const double[]){-1, -1, -1}, (const double[]){1, 1, 1});
    turn_some(&builder, &random, 0.5);
    for (uint32_t face = 12; face < 18; face++)
        turn_face(&builder, face);
    cp_mesh mesh = mesh_of(&builder);
    const cp_mesh *result = orient(&mesh);
    assert_memory_equal(result->corners, mesh.corners, 48 * sizeof(uint32_t));
    cp_mesh box = *result;
    box.face_offsets += 12;
    box.face_count = 6;
    assert_true(plain_volume(&box) > 7.9);
    assert_true(was_said(context, "warning: 1 shells have only one side and cannot be oriented: their 12 faces"));
    free_builder(&builder);
}

/* The side that most faces have; the first one's when as many have either. */
static void test_open_shells_follow_most_faces(void **unused)
{
    (void)unused;
    struct random random = {6};
    for (int round = 0; round < 30; round++) {
        enum { LENGTH = 20 };
        struct builder builder = {0};
        uint32_t right[4 * LENGTH], turned = 0;
        add_strip(&builder, LENGTH, false);
        memcpy(right, builder.corners, sizeof right);
        bool first = false;
        while (turned < (uint32_t)round % LENGTH) {
            uint32_t face = random_bits(&random) % LENGTH;
            if (builder.corners[4 * face + 1] != right[4 * face + 1])
                continue;
            turn_face(&builder, face);
            first |= face == 0;
            turned++;
        }
        bool opposite = turned > LENGTH / 2 || (turned == LENGTH / 2 && first);
        cp_mesh mesh = mesh_of(&builder);
        const cp_mesh *result = orient(&mesh);
        for (uint32_t face = 0; face < LENGTH; face++)
            assert_int_equal(result->corners[4 * face + 1], right[4 * face + (opposite ? 3 : 1)]);
        assert_true(was_reported(context, "orient-open"));
        free_builder(&builder);
    }
}

/* ---- small random meshes, against all ways to wind them ---- */

enum { SMALL = 9 };

/* How many faces have the edge a b, and how much more often it is run from a to b than back, with the faces of bits
 * turned. */
static int edge_uses(const cp_mesh *mesh, uint32_t a, uint32_t b, uint32_t bits, int *balance)
{
    int uses = 0;
    *balance = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t c = face_corner(mesh, face, k), d = face_corner(mesh, face, k + 1);
            int way = same_place(mesh, a, c) && same_place(mesh, b, d)   ? 1
                      : same_place(mesh, a, d) && same_place(mesh, b, c) ? -1
                                                                         : 0;
            uses += way != 0;
            *balance += bits >> face & 1 ? -way : way;
        }
    return uses;
}

/* Bit i: the faces hang together over edges of two faces. */
static uint32_t shell_around(const cp_mesh *mesh, uint32_t face)
{
    uint32_t shell = 1u << face, before = 0;
    int balance;
    while (shell != before) {
        before = shell;
        for (uint32_t one = 0; one < mesh->face_count; one++)
            for (uint32_t k = 0; (shell >> one & 1) && k < 3; k++) {
                uint32_t a = face_corner(mesh, one, k), b = face_corner(mesh, one, k + 1);
                for (uint32_t two = 0; two < mesh->face_count; two++)
                    for (uint32_t m = 0; m < 3; m++) {
                        uint32_t c = face_corner(mesh, two, m), d = face_corner(mesh, two, m + 1);
                        bool meets = (same_place(mesh, a, c) && same_place(mesh, b, d)) ||
                                     (same_place(mesh, a, d) && same_place(mesh, b, c));
                        if (meets && edge_uses(mesh, a, b, 0, &balance) == 2)
                            shell |= 1u << two;
                    }
            }
    }
    return shell;
}

/* With the faces of bits turned, all neighbours in the shell are wound alike. */
static bool is_consistent(const cp_mesh *mesh, uint32_t shell, uint32_t bits)
{
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t k = 0; (shell >> face & 1) && k < 3; k++) {
            int balance;
            if (edge_uses(mesh, face_corner(mesh, face, k), face_corner(mesh, face, k + 1), bits, &balance) == 2 &&
                balance != 0)
                return false;
        }
    return true;
}

static uint32_t turned_bits(const cp_mesh *before, const cp_mesh *after)
{
    uint32_t bits = 0;
    for (uint32_t face = 0; face < before->face_count; face++) {
        assert_int_equal(before->corners[3 * face], after->corners[3 * face]);
        bool turned = before->corners[3 * face + 1] != after->corners[3 * face + 1];
        assert_int_equal(before->corners[3 * face + 1], after->corners[3 * face + (turned ? 2 : 1)]);
        bits |= (uint32_t)turned << face;
    }
    return bits;
}

static void judge_shell(const cp_mesh *mesh, uint32_t shell, uint32_t bits)
{
    bool possible = false;
    for (uint32_t way = 0; way < 1u << mesh->face_count && !possible; way++)
        possible = (way & ~shell) == 0 && is_consistent(mesh, shell, way);
    if (possible)
        assert_true(is_consistent(mesh, shell, bits));
    else
        assert_int_equal(bits & shell, 0);
}

static void leave_out_thin_faces(cp_mesh *mesh, uint32_t *corners)
{
    for (uint32_t face = mesh->face_count; face-- > 0;) {
        if (face_spans_three(mesh, face))
            continue;
        mesh->face_count--;
        mesh->corner_count -= 3;
        memmove(corners + 3 * face, corners + 3 * face + 3, (mesh->face_count - face) * 3 * sizeof *corners);
    }
}

static void test_random_faces_against_all_ways(void **unused)
{
    (void)unused;
    struct random random = {8};
    uint32_t impossible = 0;
    for (int round = 0; round < 400; round++) {
        float positions[3 * 7];
        uint32_t corners[3 * SMALL], vertices = 4 + random_bits(&random) % 4;
        for (int i = 0; i < 21; i++)
            positions[i] = (float)(random_bits(&random) % 16);
        for (uint32_t face = 0; face < SMALL; face++) /* mostly a strip, so that some come back twisted */
            for (uint32_t i = 0; i < 3; i++)
                corners[3 * face + i] = random_bits(&random) % 25 ? (face + i) % vertices : random_bits(&random) % 7;
        uint32_t faces = vertices < SMALL ? vertices + random_bits(&random) % 3 : SMALL;
        cp_mesh mesh = {.vertex_count = 7,
                        .face_count = faces,
                        .corner_count = 3 * faces,
                        .positions = positions,
                        .corners = corners};
        leave_out_thin_faces(&mesh, corners);
        for (uint32_t face = 0; face < mesh.face_count; face++)
            if (random_bits(&random) % 2)
                memcpy(corners + 3 * face,
                       (const uint32_t[]){corners[3 * face + 2], corners[3 * face + 1], corners[3 * face]}, 12);
        const cp_mesh *result = orient(&mesh);
        uint32_t bits = turned_bits(&mesh, result);
        for (uint32_t face = 0; face < mesh.face_count; face++)
            judge_shell(&mesh, shell_around(&mesh, face), bits);
        impossible += was_reported(context, "orient-twisted");
    }
    assert_true(impossible > 20 && impossible < 380);
}

/* ---- normals ---- */

static void test_normals_follow(void **unused)
{
    (void)unused;
    float normals[24];
    for (int i = 0; i < 24; i++)
        normals[i] = (float)((2 * cube_positions[i] - 1) / sqrt(3));
    struct builder builder = {0};
    add_box(&builder, (const double[]){0, 0, 0}, (const double[]){1, 1, 1});
    turn_face(&builder, 1);
    cp_mesh mesh = mesh_of(&builder);
    mesh.normals = normals;
    const cp_mesh *result = orient(&mesh);
    assert_memory_equal(result->normals, normals, sizeof normals); /* they were right already */
    assert_true(was_said(context, "1 faces are turned, and 0 normals with them"));
    for (uint32_t face = 0; face < 6; face++)
        if (face != 1)
            turn_face(&builder, face);
    for (int i = 0; i < 24; i++)
        normals[i] = -normals[i];
    mesh = mesh_of(&builder);
    mesh.normals = normals;
    result = orient(&mesh);
    for (int i = 0; i < 24; i++)
        assert_true(result->normals[i] == -normals[i]);
    assert_true(was_said(context, "6 faces are turned, and 8 normals with them"));
    free_builder(&builder);
}

/* ---- size and malice: what is not linear does not end ---- */

static void test_hostile_shapes_end(void **unused)
{
    (void)unused;
    enum { MANY = 200000 };
    struct builder builder = {0};
    for (uint32_t i = 0; i < MANY; i++) { /* one edge with all faces */
        (void)add_vertex(&builder, i == 1, cos(i), i < 2 ? 0 : sin(i));
        if (i > 1)
            add_face(&builder, (const uint32_t[]){0, 1, i}, 3);
    }
    cp_mesh mesh = mesh_of(&builder);
    expect_corners(orient(&mesh), mesh.corners);
    for (uint32_t vertex = 0; vertex < builder.vertices; vertex++) /* one place */
        memset(builder.positions + 3 * vertex, 0, 12);
    expect_corners(orient(&mesh), mesh.corners);
    free_builder(&builder);
    for (uint32_t i = 0; i < MANY / 8; i++) /* a pile of shells in one line */
        add_octahedron(&builder, (const double[]){0, 0, i}, (const double[]){1, 1, i + 1});
    mesh = mesh_of(&builder);
    expect_corners(orient(&mesh), mesh.corners);
    free_builder(&builder);
    for (uint32_t i = 0; i < 4000; i++) { /* each in the next */
        const double size = 1 + i;
        add_box(&builder, (const double[]){-size, -size, -size}, (const double[]){size, size, size});
        if (i % 2 == 0)
            for (uint32_t face = 6 * i; face < 6 * i + 6; face++)
                turn_face(&builder, face);
    }
    for (uint32_t face = 0; face < builder.faces; face++)
        turn_face(&builder, face);
    mesh = mesh_of(&builder);
    const cp_mesh *result = orient(&mesh);
    assert_true(was_said(context, "24000 faces are turned"));
    assert_true(plain_volume(result) > 0);
    free_builder(&builder);
}

/* An onion of so many slanted skins that each ray would look at thousands. What is not told is left as it is, as a
 * whole. */
static void test_too_close_to_tell(void **unused)
{
    (void)unused;
    enum { SKINS = 8000 };
    struct builder builder = {0};
    for (uint32_t i = 1; i <= SKINS; i++)
        add_octahedron(&builder, (const double[]){-1.0 * i, -1.0 * i, -1.0 * i}, (const double[]){i, i, i});
    cp_mesh mesh = mesh_of(&builder);
    const cp_mesh *result = orient(&mesh);
    assert_true(was_said(context, "closed shells lie too close among others to tell cavities"));
    uint32_t turned = 0;
    for (uint32_t i = 0; i < SKINS; i++) {
        size_t changed = 0;
        for (uint32_t corner = 24 * i; corner < 24 * i + 24; corner++)
            changed += result->corners[corner] != mesh.corners[corner];
        assert_true(changed == 0 || changed == 16);
        turned += changed > 0;
    }
    assert_true(turned < SKINS / 2); /* with all told, it would be every second */
    free_builder(&builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turned_faces_are_turned_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_right_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cavities_point_inward, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sheets_beside_cavities, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_in_a_hole_is_not_inside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_solids_that_share_an_edge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_sided_strips_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_open_shells_follow_most_faces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_faces_against_all_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_normals_follow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hostile_shapes_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_close_to_tell, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
