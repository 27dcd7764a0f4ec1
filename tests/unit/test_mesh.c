/* Mesh algorithms: joined rows, concave faces, primitives as faces, solids, transforms, normals. */
#include "base/context.h"
#include "model/model.h"

#include "mesh/join.h"
#include "mesh_support.h"
#include "mesh_transform.h"
#include "scene_fixture.h"

/* ---- joined rows ---- */

static void test_rows_are_joined_as_by_comparing_all(void **unused)
{
    (void)unused;
    enum { COUNT = 900, STRIDE = 4 };
    static const float values[] = {0.0f, -0.0f, 1.0f, 1e-45f, -1.5f, 3e38f};
    float corners[COUNT * STRIDE];
    struct random random = {1};
    for (int i = 0; i < COUNT * STRIDE; i++)
        corners[i] = values[random_bits(&random) % 6];
    uint32_t indices[2][COUNT];
    for (unsigned seed = 0; seed < 2; seed++) {
        context->seed = seed * 12345 + 7;
        assert_true(join_rows(context, corners, STRIDE, 3, COUNT, indices[seed]));
    }
    assert_memory_equal(indices[0], indices[1], sizeof indices[0]);
    uint32_t next = 0, count = join_number(indices[0], COUNT);
    for (int i = 0; i < COUNT; i++) {
        int first = 0;
        while (memcmp(corners + first * STRIDE, corners + i * STRIDE, 12) != 0)
            first++;
        uint32_t expected = first == i ? next++ : indices[0][first];
        assert_int_equal(indices[0][i], expected);
    }
    assert_int_equal(count, next);
}

static void test_rows_of_nothing(void **unused)
{
    (void)unused;
    assert_true(join_rows(context, NULL, 3, 3, 0, NULL));
    assert_int_equal(join_number(NULL, 0), 0);
}

/* ---- concave faces ---- */

static void expect_concave(bool expected, const float points[][3], uint32_t count)
{
    uint32_t corners[16], offsets[] = {0, count};
    for (uint32_t i = 0; i < count; i++)
        corners[i] = i;
    cp_mesh mesh = {.vertex_count = count,
                    .face_count = 1,
                    .corner_count = count,
                    .positions = points[0],
                    .face_offsets = offsets,
                    .corners = corners};
    assert_int_equal(mesh_has_concave_faces(&mesh), expected);
}

static void test_concave_faces_are_found(void **unused)
{
    (void)unused;
    const float square[][3] = {{0, 0, 7}, {1, 0, 7}, {1, 1, 7}, {0, 1, 7}};
    const float arrow[][3] = {{0, 0, 0}, {4, 0, -3}, {1, 0, 0}, {4, 0, 3}};
    const float bulged[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 1e-4f}, {0, 1, 0}};
    const float nearly_flat[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 1e-7f}, {0, 1, 0}};
    const float collinear[][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    const float hidden[][3] = {{0, 0, 0}, {4, -3, 0}, {1, 0, 0}, {1, 0, 0}, {4, 3, 0}}; /* a repeated reflex corner */
    float pentagram[5][3] = {{0}};
    for (int i = 0; i < 5; i++) {
        pentagram[i][0] = (float)cos(4 * PI * i / 5);
        pentagram[i][1] = (float)sin(4 * PI * i / 5);
    }
    expect_concave(false, square, 4);
    expect_concave(true, arrow, 4);
    expect_concave(true, bulged, 4);
    expect_concave(false, nearly_flat, 4);
    expect_concave(false, collinear, 5);
    expect_concave(true, hidden, 5);
    expect_concave(true, (const float(*)[3])pentagram, 5);
    expect_concave(false, square, 3);
}

/* ---- primitives ---- */

/* A regular polygon of radius 1. */
static double unit_area(uint32_t sides)
{
    return sides / 2.0 * sin(2 * PI / sides);
}

static double frustum_volume(uint32_t sides, double a, double b, double height)
{
    return unit_area(sides) * height / 3 * (a * a + a * b + b * b);
}

static double sphere_volume(uint32_t sides, double radius)
{
    uint32_t bands = sides / 2;
    double sum = 0;
    for (uint32_t i = 0; i < bands; i++) {
        double a = PI * i / bands, b = PI * (i + 1) / bands;
        sum += frustum_volume(sides, radius * sin(a), radius * sin(b), radius * (cos(a) - cos(b)));
    }
    return sum;
}

static cp_mesh tessellate(cp_mesh_kind kind, uint32_t sides, double x, double y, double z)
{
    cp_mesh mesh = {.kind = kind, .name = "p", .sides = sides, .size = {x, y, z}};
    uint64_t triangles = mesh_triangle_count(&mesh);
    assert_int_equal(mesh_tessellate(scene, &mesh), CP_OK);
    assert_int_equal(mesh.kind, CP_MESH_FACES);
    assert_int_equal(mesh_triangle_count(&mesh), triangles);
    return mesh;
}

static void expect_solid(const cp_mesh *mesh, double volume)
{
    cp_topology topology = plain_topology(mesh);
    assert_true(topology.closed);
    expect_topology(context, mesh);
    assert_true(fabs(plain_volume(mesh) - volume) <= 1e-6 * volume);
    assert_false(mesh_has_concave_faces(mesh));
}

static void test_primitives_are_closed_and_wound_outward(void **unused)
{
    (void)unused;
    cp_mesh box = tessellate(CP_MESH_BOX, 0, 1, 2, 3);
    expect_solid(&box, 6);
    assert_int_equal(box.vertex_count, 8);
    cp_mesh pyramid = tessellate(CP_MESH_PYRAMID, 0, 2, 3, 4);
    expect_solid(&pyramid, 8);
    for (uint32_t sides = 3; sides < 40; sides++) {
        cp_mesh cylinder = tessellate(CP_MESH_CYLINDER, sides, 2, 5, 0);
        expect_solid(&cylinder, unit_area(sides) * 4 * 5);
        assert_int_equal(cylinder.face_count, sides + 2);
        cp_mesh frustum = tessellate(CP_MESH_CONE, sides, 2, 1, 3), up = tessellate(CP_MESH_CONE, sides, 2, 0, 3),
                down = tessellate(CP_MESH_CONE, sides, 0, 1, 3);
        expect_solid(&frustum, frustum_volume(sides, 2, 1, 3));
        expect_solid(&up, frustum_volume(sides, 2, 0, 3));
        expect_solid(&down, frustum_volume(sides, 0, 1, 3));
        cp_mesh tube = tessellate(CP_MESH_TUBE, sides, 2, 0.5, 3);
        expect_solid(&tube, unit_area(sides) * (2.5 * 2.5 - 2 * 2) * 3);
    }
    for (uint32_t sides = 4; sides < 20; sides++) {
        cp_mesh sphere = tessellate(CP_MESH_SPHERE, sides, 3, 0, 0);
        expect_solid(&sphere, sphere_volume(sides, 3));
    }
    /* A capsule is the two halves of a sphere, and a cylinder between them. */
    for (uint32_t sides = 4; sides < 40; sides += 4) {
        cp_mesh capsule = tessellate(CP_MESH_CAPSULE, sides, 3, 5, 0);
        expect_solid(&capsule, sphere_volume(sides, 3) + unit_area(sides) * 3 * 3 * 5);
    }
    assert_int_equal(tessellate(CP_MESH_CAPSULE, 3, 1, 1, 0).face_count, 3 * 3);
    cp_mesh ball = tessellate(CP_MESH_SPHERE, 0, 1, 0, 0), ball32 = tessellate(CP_MESH_SPHERE, 32, 1, 0, 0);
    assert_int_equal(ball.face_count, ball32.face_count);
}

static void test_quarter_turns_are_exact(void **unused)
{
    (void)unused;
    const float expected[4][2] = {{2, 0}, {0, 2}, {-2, 0}, {0, -2}};
    for (uint32_t sides = 4; sides <= 64; sides += 4) {
        cp_mesh cylinder = tessellate(CP_MESH_CYLINDER, sides, 2, 1, 0);
        for (uint32_t quarter = 0; quarter < 4; quarter++)
            for (int axis = 0; axis < 2; axis++) {
                float value = position_at(&cylinder, quarter * sides / 4)[axis];
                assert_memory_equal(&value, &expected[quarter][axis], sizeof value);
            }
    }
    cp_mesh seven = tessellate(CP_MESH_CYLINDER, 7, 1, 1, 0);
    for (uint32_t i = 0; i < 7; i++) {
        assert_true(position_at(&seven, i)[0] == (float)cos(2 * PI * i / 7));
        assert_true(fabs((double)position_at(&seven, i)[1] - sin(2 * PI * i / 7)) < 1e-7);
        assert_true(position_at(&seven, i)[2] == -0.5f);
    }
}

static void test_small_and_flat_primitives(void **unused)
{
    (void)unused;
    cp_mesh none = tessellate(CP_MESH_CYLINDER, 0, 1, 1, 0);
    assert_int_equal(none.face_count + none.vertex_count, 0);
    cp_mesh two = tessellate(CP_MESH_CYLINDER, 2, 1, 1, 0);
    assert_int_equal(two.face_count, 2); /* no caps */
    assert_int_equal(tessellate(CP_MESH_CYLINDER, 1, 1, 1, 0).face_count, 1);
    assert_int_equal(tessellate(CP_MESH_CONE, 8, 0, 0, 1).face_count, 0);
    assert_int_equal(tessellate(CP_MESH_SPHERE, 1, 1, 0, 0).face_count, 6);
    cp_mesh plane = tessellate(CP_MESH_PLANE, 0, 4, 2, 0);
    assert_int_equal(plane.face_count, 1);
    const float expected[] = {-2, -1, 0, 2, -1, 0, 2, 1, 0, -2, 1, 0};
    assert_memory_equal(plane.positions, expected, sizeof expected);
    cp_mesh red = {.kind = CP_MESH_BOX, .size = {1, 1, 1}, .groups = &(cp_group){0, 0, 3}, .group_count = 1};
    assert_int_equal(mesh_tessellate(scene, &red), CP_OK);
    assert_int_equal(red.groups[0].face_count, 6);
    assert_int_equal(red.groups[0].material, 3);
}

static void test_primitives_out_of_range(void **unused)
{
    (void)unused;
    cp_mesh many = {.kind = CP_MESH_CYLINDER, .name = "m", .sides = UINT32_MAX, .size = {1, 1, 0}};
    assert_int_equal(mesh_tessellate(scene, &many), CP_LIMIT);
    assert_true(was_reported(context, "mesh-too-large"));
    many = (cp_mesh){.kind = CP_MESH_SPHERE, .name = "m", .sides = 4000000, .size = {1, 1, 0}};
    assert_int_equal(mesh_tessellate(scene, &many), CP_LIMIT);
    cp_mesh huge = {.kind = CP_MESH_BOX, .name = "m", .size = {1e300, 1, 1}};
    assert_int_equal(mesh_tessellate(scene, &huge), CP_LIMIT);
    assert_true(was_reported(context, "mesh-range"));
}

static bool is_cancelled(void *user)
{
    int *left = user;
    return --*left < 0;
}

static void test_many_triangles_of_a_primitive(void **unused)
{
    (void)unused;
    cp_mesh ball = {.kind = CP_MESH_SPHERE, .name = "ball", .sides = 2000, .size = {1, 1, 0}}, small = ball;
    small.sides = 100;
    assert_int_equal(mesh_tessellate(scene, &ball), CP_LIMIT);
    assert_true(was_reported(context, "mesh-too-large"));
    assert_int_equal(cp_set_limit(context, "primitive-triangles=9799"), CP_OK); /* 100 * (100 - 2) - 1 */
    assert_int_equal(mesh_tessellate(scene, &small), CP_LIMIT);
    assert_int_equal(cp_set_limit(context, "primitive-triangles=9800"), CP_OK);
    assert_int_equal(mesh_tessellate(scene, &small), CP_OK);

    /* Asked between its rings. */
    int left = 20;
    assert_int_equal(cp_set_limit(context, "primitive-triangles=1000000000"), CP_OK);
    cp_set_cancel(context, is_cancelled, &left);
    ball.sides = 200;
    assert_int_equal(mesh_tessellate(scene, &ball), CP_LIMIT);
    assert_true(was_reported(context, "cancelled"));
    cp_set_cancel(context, NULL, NULL);
    assert_int_equal(context_finish(context, CP_LIMIT), CP_CANCELLED);
    assert_int_equal(mesh_tessellate(scene, &ball), CP_OK);
}

/* ---- solids ---- */

enum { SOLID_CORNERS = 48 };

/* The boundaries of up to four tetrahedra on eight points; one face more turned or left out of every second mesh. Zeros
 * have either sign; vertices are shared or each corner's own. */
static cp_mesh random_solid(struct random *random, float positions[3 * SOLID_CORNERS], uint32_t corners[SOLID_CORNERS])
{
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    uint32_t count = 0, places[4], tetrahedra = 1 + random_bits(random) % 4;
    bool shared = random_bits(random) % 2;
    for (uint32_t i = 0; i < tetrahedra; i++) {
        for (int k = 0; k < 4; k++)
            places[k] = random_bits(random) % 8;
        for (int face = 0; face < 4; face++)
            for (int k = 0; k < 3; k++)
                corners[count++] = places[faces[face][k]];
    }
    uint32_t face = 3 * (random_bits(random) % (count / 3)), first = corners[face];
    if (random_bits(random) % 4 == 0) {
        corners[face] = corners[face + 1];
        corners[face + 1] = first;
    } else if (random_bits(random) % 4 == 0) {
        count -= 3;
    }
    uint32_t vertices = shared ? 8 : count;
    for (uint32_t vertex = 0; vertex < vertices; vertex++) {
        uint32_t place = shared ? vertex : corners[vertex];
        for (uint32_t axis = 0; axis < 3; axis++)
            positions[3 * vertex + axis] = place >> axis & 1 ? 1.0f : random_bits(random) % 2 ? 0.0f : -0.0f;
        if (!shared)
            corners[vertex] = vertex;
    }
    return (cp_mesh){.source = "",
                     .vertex_count = vertices,
                     .positions = positions,
                     .face_count = count / 3,
                     .corner_count = count,
                     .corners = corners};
}

static int octant_of(const cp_mesh *mesh, uint32_t corner)
{
    const float *at = position_at(mesh, mesh->corners[corner]);
    return (at[0] > 0) | (at[1] > 0) << 1 | (at[2] > 0) << 2;
}

static bool is_solid_by_counting(const cp_mesh *mesh)
{
    int edges[8][8] = {{0}}, volume = 0;
    bool balanced = true;
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        edges[octant_of(mesh, corner)][octant_of(mesh, corner % 3 == 2 ? corner - 2 : corner + 1)]++;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            balanced = balanced && edges[a][b] == edges[b][a];
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const float *p = position_at(mesh, mesh->corners[3 * face]),
                    *q = position_at(mesh, mesh->corners[3 * face + 1]),
                    *r = position_at(mesh, mesh->corners[3 * face + 2]);
        volume += (int)(p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) +
                        p[2] * (q[0] * r[1] - q[1] * r[0]));
    }
    return balanced && volume > 0;
}

static void test_solids_as_by_counting(void **unused)
{
    (void)unused;
    enum { COUNT = 20000 };
    struct random random = {23};
    uint32_t solids = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        float positions[3 * SOLID_CORNERS];
        uint32_t corners[SOLID_CORNERS];
        cp_mesh mesh = random_solid(&random, positions, corners);
        bool solid = false, expected = is_solid_by_counting(&mesh);
        assert_int_equal(mesh_bounds_solid(context, &mesh, &solid), CP_OK);
        assert_int_equal(solid, expected);
        solids += expected;
    }
    assert_in_range(solids, COUNT / 10, COUNT / 2);
}

/* ---- transforms ---- */

static void round_three(double point[3])
{
    for (int axis = 0; axis < 3; axis++)
        point[axis] = float_round(point[axis]);
}

/* Doubles side by side, as an optimising compiler likes them: see float_round. The floats nearest to 0.1, 1.1 and 1/3
 * in full. */
static void test_neighbours_are_rounded_to_floats(void **unused)
{
    (void)unused;
    static const double expected[3] = {0.100000001490116119384765625, 1.10000002384185791015625,
                                       0.3333333432674407958984375};
    void (*volatile rounding)(double[3]) = round_three; /* so that nothing is computed by the compiler */
    double point[3] = {0.1, 1.1, 1.0 / 3};
    rounding(point);
    for (int axis = 0; axis < 3; axis++)
        assert_true(point[axis] == expected[axis]);
}

/* What merge-meshes says of how far rounding moved a vertex. */
static void test_moved_positions_tell_their_rounding(void **unused)
{
    (void)unused;
    cp_pose tenth = {.m = {0.1, 0, 0, 0, 0, 1.1, 0, 0, 0, 0, 1.0 / 3, 0}};
    float to[3];
    double off[3];
    assert_true(mesh_move_position(&tenth, (const float[3]){1, 1, 1}, to, off));
    assert_true(off[0] == 0.100000001490116119384765625 - 0.1 && off[1] == 1.10000002384185791015625 - 1.1 &&
                off[2] == 0.3333333432674407958984375 - 1.0 / 3);
}

static void test_transform_reverses_mirrored_faces(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_cube();
    const cp_pose identity = POSE_IDENTITY;
    assert_int_equal(mesh_transform(scene, &mesh, &identity), CP_OK);
    assert_ptr_equal(mesh.positions, cube_positions);
    const cp_pose mirror = {{-2, 0, 0, 5, 0, 1, 1, 0, 0, 0, 3, 0}};
    assert_int_equal(mesh_transform(scene, &mesh, &mirror), CP_OK);
    assert_true(plain_volume(&mesh) == 6);
    assert_true(plain_topology(&mesh).closed);
    for (uint32_t face = 0; face < 6; face++)
        assert_int_equal(mesh.corners[4 * face], cube_corners[4 * face]);
    assert_true(position_at(&mesh, 1)[0] == 3);
    cp_mesh box = {.kind = CP_MESH_BOX, .name = "b", .size = {1, 1, 1}};
    assert_int_equal(mesh_transform(scene, &box, &mirror), CP_OK);
    assert_true(plain_volume(&box) == 6);
}

static void test_transformed_normals_stay_upright(void **unused)
{
    (void)unused;
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 1}, root = 0.70710678f;
    const float normals[] = {0, -root, root, 0, -root, root, 0, -root, root};
    const uint32_t corners[] = {0, 1, 2};
    const cp_pose poses[] = {{{1, 2, 0, 0, 0, 1, 0.5, 0, 0, 0, 3, 0}}, {{-1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 1, 4}}};
    for (int i = 0; i < 2; i++) {
        cp_mesh mesh = {.vertex_count = 3,
                        .face_count = 1,
                        .corner_count = 3,
                        .positions = positions,
                        .normals = normals,
                        .corners = corners};
        assert_int_equal(mesh_transform(scene, &mesh, &poses[i]), CP_OK);
        const float *a = position_at(&mesh, mesh.corners[0]), *b = position_at(&mesh, mesh.corners[1]),
                    *c = position_at(&mesh, mesh.corners[2]), *n = mesh.normals;
        double p[3], q[3];
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = (double)b[axis] - (double)a[axis];
            q[axis] = (double)c[axis] - (double)a[axis];
        }
        const double cross[] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        double length = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs((double)n[axis] - cross[axis] / length) < 1e-6);
    }
}

static void test_transform_to_nothing_and_out_of_range(void **unused)
{
    (void)unused;
    const float normals[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t corners[] = {0, 1, 2};
    cp_mesh mesh = {.name = "m",
                    .vertex_count = 3,
                    .face_count = 1,
                    .corner_count = 3,
                    .positions = cube_positions,
                    .normals = normals,
                    .corners = corners};
    cp_mesh far_away = mesh;
    const cp_pose nothing = {{0}}, huge = {{1e39, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    assert_int_equal(mesh_transform(scene, &mesh, &nothing), CP_OK);
    for (int i = 0; i < 9; i++) {
        assert_true(mesh.positions[i] == 0);
        assert_true(mesh.normals[i] == (i % 3 == 2 ? 1.0f : 0.0f));
    }
    assert_int_equal(mesh_transform(scene, &far_away, &huge), CP_LIMIT);
}

/* ---- normals ---- */

static double normal_length(const float *normal)
{
    return sqrt((double)normal[0] * (double)normal[0] + (double)normal[1] * (double)normal[1] +
                (double)normal[2] * (double)normal[2]);
}

static void test_cube_normals(void **unused)
{
    (void)unused;
    cp_mesh hard = make_cube(), soft = make_cube();
    assert_int_equal(mesh_smooth_normals(scene, &hard, PI / 6), CP_OK);
    assert_int_equal(hard.vertex_count, 24);
    assert_int_equal(hard.face_count, 6);
    assert_memory_equal(hard.positions, cube_positions, sizeof cube_positions);
    for (uint32_t i = 0; i < 24; i++) { /* face 0 is the bottom, and so on */
        static const float expected[6][3] = {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}};
        const float *normal = hard.normals + 3 * (size_t)hard.corners[i];
        for (int axis = 0; axis < 3; axis++)
            assert_true(normal[axis] == expected[i / 4][axis]);
        assert_memory_equal(position_at(&hard, hard.corners[i]), cube_positions + 3 * cube_corners[i], 12);
    }
    assert_int_equal(hard.corners[4], 4); /* a vertex's first set keeps its place */
    assert_int_equal(mesh_smooth_normals(scene, &soft, PI * 0.6), CP_OK);
    assert_int_equal(soft.vertex_count, 8);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            double expected = (2 * (double)cube_positions[3 * i + axis] - 1) / sqrt(3);
            assert_true(fabs((double)soft.normals[3 * i + axis] - expected) < 1e-6);
        }
}

/* Triangles or quads, the diagonals' angles do not matter: weights are the corners' angles. */
static void test_normals_do_not_depend_on_the_cut(void **unused)
{
    (void)unused;
    cp_mesh quads = make_cube(), triangles = make_cube();
    assert_int_equal(mesh_triangulate(scene, &triangles), CP_OK);
    assert_int_equal(mesh_smooth_normals(scene, &quads, PI), CP_OK);
    assert_int_equal(mesh_smooth_normals(scene, &triangles, PI), CP_OK);
    assert_int_equal(triangles.vertex_count, 8);
    for (int i = 0; i < 24; i++)
        assert_true(fabsf(quads.normals[i] - triangles.normals[i]) < 1e-6f);
}

/* A roof of two right angles at the origin: one three times as large as the other, 1 to 1 by angle, 3 to 1 by area. */
static void test_normals_by_area(void **unused)
{
    (void)unused;
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1};
    static const uint32_t corners[] = {0, 1, 2, 0, 3, 1};
    cp_mesh roof = {.vertex_count = 4, .face_count = 2, .corner_count = 6, .positions = positions, .corners = corners};
    for (int by_area = 0; by_area < 2; by_area++) {
        cp_mesh mesh = roof;
        cp_status status =
            by_area ? mesh_smooth_normals_by_area(scene, &mesh, PI) : mesh_smooth_normals(scene, &mesh, PI);
        double y = 1, z = by_area ? 3 : 1, length = sqrt(y * y + z * z);
        assert_int_equal(status, CP_OK);
        assert_true(fabs((double)mesh.normals[0]) < 1e-7);
        assert_true(fabs((double)mesh.normals[1] - y / length) < 1e-6);
        assert_true(fabs((double)mesh.normals[2] - z / length) < 1e-6);
    }
}

static void test_crease_angle_is_a_bound(void **unused)
{
    (void)unused;
    cp_mesh twelve = tessellate(CP_MESH_CYLINDER, 12, 1, 1, 0), thirty = tessellate(CP_MESH_CYLINDER, 30, 1, 1, 0);
    assert_int_equal(mesh_smooth_normals(scene, &twelve, PI / 6), CP_OK);
    assert_int_equal(twelve.vertex_count, 6 * 12); /* 30 degrees itself is an edge, all round */
    assert_int_equal(mesh_smooth_normals(scene, &thirty, PI / 6), CP_OK);
    assert_int_equal(thirty.vertex_count, 4 * 30);
    for (uint32_t i = 0; i < 4 * 30; i++) {
        const float *normal = thirty.normals + 3 * (size_t)i, *position = position_at(&thirty, i);
        bool side = fabsf(normal[2]) < 0.5f;
        for (int axis = 0; axis < 2; axis++)
            assert_true(fabsf(normal[axis] - (side ? position[axis] : 0)) < 1e-5f);
    }
}

static cp_mesh make_round(cp_mesh_kind kind, double x, double y, double z)
{
    cp_mesh mesh = {.kind = kind, .name = "p", .sides = 12, .size = {x, y, z}}, plain = mesh;
    assert_int_equal(mesh_tessellate_round(scene, &mesh), CP_OK);
    assert_int_equal(mesh_tessellate(scene, &plain), CP_OK);
    assert_non_null(mesh.normals);
    assert_int_equal(mesh.corner_count, plain.corner_count);
    for (uint32_t i = 0; i < plain.corner_count; i++)
        assert_memory_equal(position_at(&mesh, mesh.corners[i]), position_at(&plain, plain.corners[i]), 12);
    return mesh;
}

/* Of each vertex: what the surface's formula says. */
static void test_round_primitives_have_exact_normals(void **unused)
{
    (void)unused;
    cp_mesh ball = make_round(CP_MESH_SPHERE, 2, 0, 0), can = make_round(CP_MESH_CYLINDER, 1, 2, 0);
    cp_mesh pipe = make_round(CP_MESH_TUBE, 0.5, 0.5, 2), hat = make_round(CP_MESH_CONE, 1, 0, 2);
    assert_int_equal(ball.vertex_count, 2 + 12 * 5);
    assert_int_equal(can.vertex_count, 4 * 12);
    assert_int_equal(pipe.vertex_count, 8 * 12);
    assert_int_equal(hat.vertex_count, 2 * 12 + 12); /* the tip has one for each face */
    for (uint32_t i = 0; i < 3 * ball.vertex_count; i++)
        assert_true(fabsf(ball.normals[i] - ball.positions[i] / 2) < 1e-6f);
    cp_mesh pill = make_round(CP_MESH_CAPSULE, 2, 3, 0);
    assert_int_equal(pill.vertex_count, 2 + 12 * 6);
    for (uint32_t i = 0; i < pill.vertex_count; i++) {
        const float *normal = pill.normals + 3 * (size_t)i, *at = position_at(&pill, i);
        float middle = at[2] > 1.5f ? 1.5f : at[2] < -1.5f ? -1.5f : at[2];
        assert_true(fabsf(normal[0] - at[0] / 2) < 1e-6f && fabsf(normal[1] - at[1] / 2) < 1e-6f);
        assert_true(fabsf(normal[2] - (at[2] - middle) / 2) < 1e-6f);
    }
    const cp_mesh *walls[] = {&can, &pipe};
    for (int m = 0; m < 2; m++)
        for (uint32_t i = 0; i < walls[m]->vertex_count; i++) {
            const float *normal = walls[m]->normals + 3 * (size_t)i, *at = position_at(walls[m], i);
            float radius = hypotf(at[0], at[1]), out = radius > 0.75f ? 1 : -1; /* inner walls look inwards */
            bool cap = normal[2] != 0;
            assert_true(fabsf(normal[0] - (cap ? 0 : out * at[0] / radius)) < 1e-6f);
            assert_true(fabsf(normal[1] - (cap ? 0 : out * at[1] / radius)) < 1e-6f);
            assert_true(!cap || normal[2] == at[2]); /* half of the height is 1 */
        }
    for (uint32_t i = 0; i < hat.vertex_count; i++) {
        const float *normal = hat.normals + 3 * (size_t)i, *at = position_at(&hat, i);
        bool base = normal[2]<0, tip = at[2]> 0;
        assert_true(fabsf(normal[2] - (base ? -1 : 1 / sqrtf(5))) < 1e-6f);
        assert_true(base || tip || fabsf(normal[0] - at[0] * 2 / sqrtf(5)) < 1e-6f);
        assert_true(!tip || fabsf(hypotf(normal[0], normal[1]) - 2 / sqrtf(5)) < 1e-6f);
    }
    cp_mesh box = {.kind = CP_MESH_BOX, .name = "p", .size = {1, 2, 3}};
    assert_int_equal(mesh_tessellate_round(scene, &box), CP_OK);
    assert_null(box.normals);
}

static void test_flat_meshes_stay_without_normals(void **unused)
{
    (void)unused;
    cp_mesh box = tessellate(CP_MESH_BOX, 0, 1, 2, 3), can = tessellate(CP_MESH_CYLINDER, 12, 1, 1, 0);
    assert_int_equal(mesh_smooth_curved(scene, &box, CREASE_RADIANS), CP_OK);
    assert_null(box.normals);
    assert_int_equal(box.vertex_count, 8);
    assert_int_equal(mesh_smooth_curved(scene, &can, CREASE_RADIANS), CP_OK);
    assert_int_equal(can.vertex_count, 4 * 12); /* 12 sides are round by default */
    assert_non_null(can.normals);
}

/* A said angle of 20 degrees leaves the edges of 12 sides sharp, though the usual angle would round them. */
static void test_said_angles_leave_no_choice(void **unused)
{
    (void)unused;
    cp_mesh box = tessellate(CP_MESH_BOX, 0, 1, 2, 3), can = tessellate(CP_MESH_CYLINDER, 12, 1, 1, 0);
    cp_mesh six = tessellate(CP_MESH_CYLINDER, 6, 1, 1, 0), soft = six;
    assert_int_equal(mesh_smooth_as_said(scene, &box, 0), CP_OK);
    assert_null(box.normals);
    assert_int_equal(mesh_smooth_as_said(scene, &can, 20 * PI / 180), CP_OK);
    assert_int_equal(can.vertex_count, 6 * 12);
    assert_non_null(can.normals);
    assert_int_equal(mesh_smooth_as_said(scene, &six, 20 * PI / 180), CP_OK);
    assert_null(six.normals); /* sharp either way */
    assert_int_equal(mesh_smooth_as_said(scene, &soft, 61 * PI / 180), CP_OK);
    assert_int_equal(soft.vertex_count, 4 * 6);
    assert_non_null(soft.normals);
}

static void test_normals_of_unwelded_and_coloured_meshes(void **unused)
{
    (void)unused;
    float positions[72], colours[96];
    uint32_t corners[24];
    for (uint32_t i = 0; i < 24; i++) {
        memcpy(positions + 3 * i, cube_positions + 3 * cube_corners[i], 12);
        for (uint32_t k = 0; k < 4; k++)
            colours[4 * i + k] = (float)(i * 4 + k);
        corners[i] = i;
    }
    cp_mesh mesh = make_cube();
    mesh.vertex_count = 24;
    mesh.positions = positions;
    mesh.corners = corners;
    mesh.colours = colours;
    assert_int_equal(mesh_smooth_normals(scene, &mesh, PI), CP_OK);
    assert_int_equal(mesh.vertex_count, 24);
    assert_true(fabs((double)mesh.normals[0] + 1 / sqrt(3)) < 1e-6); /* joined by position */
    assert_memory_equal(mesh.colours, colours, sizeof colours);
    cp_mesh welded = make_cube();
    welded.colours = colours;
    assert_int_equal(mesh_smooth_normals(scene, &welded, 0.1), CP_OK);
    for (uint32_t i = 0; i < 24; i++)
        assert_memory_equal(welded.colours + 4 * (size_t)welded.corners[i], colours + 4 * cube_corners[i], 16);
}

static void test_normals_of_degenerate_faces_are_unit(void **unused)
{
    (void)unused;
    const float positions[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 9, 9, 9};
    const uint32_t corners[] = {0, 1, 2, 0, 0, 0, 0, 1, 3, 3, 1, 0};
    cp_mesh mesh = {.name = "m",
                    .vertex_count = 5,
                    .face_count = 4,
                    .corner_count = 12,
                    .positions = positions,
                    .corners = corners};
    for (int round = 0; round < 3; round++) {
        cp_mesh copy = mesh;
        assert_int_equal(mesh_smooth_normals(scene, &copy, round * PI / 2), CP_OK);
        for (uint32_t i = 0; i < copy.vertex_count; i++)
            assert_true(fabs(normal_length(copy.normals + 3 * (size_t)i) - 1) < 1e-6);
    }
    cp_mesh empty = {0};
    assert_int_equal(mesh_smooth_normals(scene, &empty, 1), CP_OK);
    assert_int_equal(empty.vertex_count, 0);
    cp_mesh lines = {.kind = CP_MESH_LINES, .vertex_count = 5, .positions = positions};
    assert_int_equal(mesh_smooth_normals(scene, &lines, 1), CP_OK);
    assert_null(lines.normals);
}

/* A cone tip of 20,000 faces: each corner looks at its own edges only. */
static void test_many_faces_at_one_vertex(void **unused)
{
    (void)unused;
    cp_mesh cone = tessellate(CP_MESH_CONE, 20000, 1, 0, 1);
    assert_int_equal(mesh_smooth_normals(scene, &cone, PI / 6), CP_OK);
    assert_int_equal(cone.vertex_count, 2 * 20000 + 1);
    cp_mesh flat = tessellate(CP_MESH_CONE, 20000, 1, 0, 1);
    assert_int_equal(mesh_smooth_normals(scene, &flat, 0), CP_OK);
    assert_int_equal(flat.vertex_count, 4 * 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_are_joined_as_by_comparing_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rows_of_nothing, set_up, tear_down),
        cmocka_unit_test(test_concave_faces_are_found),
        cmocka_unit_test_setup_teardown(test_primitives_are_closed_and_wound_outward, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quarter_turns_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_small_and_flat_primitives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_primitives_out_of_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_triangles_of_a_primitive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_solids_as_by_counting, set_up, tear_down),
        cmocka_unit_test(test_neighbours_are_rounded_to_floats),
        cmocka_unit_test(test_moved_positions_tell_their_rounding),
        cmocka_unit_test_setup_teardown(test_transform_reverses_mirrored_faces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_transformed_normals_stay_upright, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_transform_to_nothing_and_out_of_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cube_normals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_normals_do_not_depend_on_the_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_normals_by_area, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_crease_angle_is_a_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_round_primitives_have_exact_normals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flat_meshes_stay_without_normals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_said_angles_leave_no_choice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_normals_of_unwelded_and_coloured_meshes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_normals_of_degenerate_faces_are_unit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_faces_at_one_vertex, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
