/* Simplifying meshes with texture coordinates, of shapes whose coordinates are known everywhere: what a face shows at a
 * point is compared with what belongs there. */
#include "plain_numbers.h"
#include "simplify_shapes.h"

enum { TEXELS = 256, SIDES = 96, ROWS = 40 };

struct result {
    uint64_t triangles;
    double shift; /* by how many texels the texture is said to be off */
};

/* Replaces the mesh by what the filter makes of it, which is valid until the next call. texels 0: no bound. */
static struct result simplify_within(cp_mesh *mesh, uint32_t triangles, double texels, bool free)
{
    char goal[40], bound[40];
    const char *options[] = {goal, bound, "error=1e9", free ? "topology=free" : "topology=keep"};
    (void)plain_snprintf(goal, sizeof goal, "triangles=%u", (unsigned)triangles);
    (void)plain_snprintf(bound, sizeof bound, "texels=%g", texels > 0 ? texels : 1e9);
    *mesh = *simplify_shown(mesh, CP_USE_BOTH, TEXELS, options, 4);
    return (struct result){mesh->face_count, number_told(context, "simplify-shift", "at most about ")};
}

/* A set of coordinates for all vertices, each made of its position. */
static float *map_vertices(const cp_mesh *mesh, void (*map)(const float position[3], float coordinates[2]))
{
    float *coordinates = scratch(mesh->vertex_count, 2 * sizeof *coordinates);
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        map(position_at(mesh, vertex), coordinates + 2 * (size_t)vertex);
    return coordinates;
}

static void from_above(const float position[3], float coordinates[2])
{
    coordinates[0] = position[0];
    coordinates[1] = position[1];
}

static void turned(const float position[3], float coordinates[2])
{
    coordinates[0] = position[1] / 2;
    coordinates[1] = 1 - position[0];
}

/* The most that a corner is off, in texels. The map is linear, so that no point of a face is off by more. */
static double most_off(const cp_mesh *mesh, uint32_t set, void (*map)(const float position[3], float coordinates[2]))
{
    double most = 0;
    assert_non_null(mesh->coordinates[set]);
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
        float should[2];
        const float *is = mesh->coordinates[set] + 2 * (size_t)vertex;
        map(position_at(mesh, vertex), should);
        most = fmax(most, TEXELS * hypot((double)is[0] - (double)should[0], (double)is[1] - (double)should[1]));
    }
    return most;
}

/* A plane keeps its texture exactly, however few triangles are left, in both sets. */
static void test_flat(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_sheet(16, 0, false);
    mesh.coordinates[0] = map_vertices(&mesh, from_above);
    mesh.coordinates[1] = map_vertices(&mesh, turned);
    assert_true(most_off(&mesh, 0, turned) > 100);
    struct result result = simplify_within(&mesh, 2, 1, true);
    assert_int_equal(result.triangles, 2);
    assert_int_equal(mesh.vertex_count, 4);
    assert_true(most_off(&mesh, 0, from_above) < 0.001);
    assert_true(most_off(&mesh, 1, turned) < 0.001);
}

/* Seen from above, a wavy sheet shows the same texture as before, within the bound; less of it is left for a lower
 * bound, and without one the goal is reached. */
static void test_waves(void **unused)
{
    (void)unused;
    const double bounds[] = {0.25, 1, 4, 0};
    uint64_t left = UINT64_MAX;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        cp_mesh mesh = make_sheet(48, 0.05, false);
        mesh.coordinates[0] = map_vertices(&mesh, from_above);
        struct result result = simplify_within(&mesh, 60, bounds[i], true);
        assert_null(mesh.coordinates[1]);
        assert_true(result.triangles <= left);
        left = result.triangles;
        double off = most_off(&mesh, 0, from_above);
        print_message("waves, at most %g texels: %llu triangles, told %.3f, are %.3f\n", bounds[i],
                      (unsigned long long)left, result.shift, off);
        assert_true(bounds[i] == 0 || (result.shift <= bounds[i] && off <= bounds[i]));
        assert_true(off <= 1.01 * result.shift + 0.001);
    }
    assert_int_equal(left, 60);
}

/* A tube that a texture is wrapped around once: from 0 to 1, with two vertices at each place of the seam. */
static cp_mesh wrapped_tube(void)
{
    struct shape shape = shape_new((SIDES + 1) * (ROWS + 1), 2 * SIDES * ROWS);
    float *coordinates = scratch((size_t)(SIDES + 1) * (ROWS + 1), 2 * sizeof *coordinates);
    for (uint32_t row = 0; row <= ROWS; row++)
        for (uint32_t side = 0; side <= SIDES; side++) {
            double angle = 2 * PI * (side % SIDES) / SIDES, z = (double)row / ROWS;
            uint32_t vertex = add_point(&shape, cos(angle) * (1 + 0.1 * z), sin(angle) * (1 + 0.1 * z), z);
            coordinates[2 * (size_t)vertex] = (float)side / SIDES;
            coordinates[2 * (size_t)vertex + 1] = (float)z;
        }
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t side = 0; side < SIDES; side++) {
            uint32_t a = row * (SIDES + 1) + side, b = a + SIDES + 1;
            add_triangle(&shape, a, a + 1, b + 1);
            add_triangle(&shape, a, b + 1, b);
        }
    cp_mesh mesh = mesh_of(&shape);
    mesh.coordinates[0] = coordinates;
    return mesh;
}

/* Points of all faces: what they show is what the tube has in that direction and at that height. */
static void test_seam(void **unused)
{
    (void)unused;
    enum { STEPS = 8 };
    for (int free = 0; free < 2; free++) {
        cp_mesh mesh = wrapped_tube();
        struct result result = simplify_within(&mesh, 160, 2, free);
        double most = 0;
        uint32_t at_seam[2] = {0, 0};
        for (uint32_t face = 0; face < mesh.face_count; face++) {
            double points[3][3], low = 1, high = 0;
            face_points(&mesh, face, points);
            const float *uv[3];
            for (uint32_t corner = 0; corner < 3; corner++) {
                uv[corner] = mesh.coordinates[0] + 2 * (size_t)mesh.corners[3 * (size_t)face + corner];
                low = fmin(low, (double)uv[corner][0]);
                high = fmax(high, (double)uv[corner][0]);
                at_seam[0] += (double)uv[corner][0] < 1e-3;
                at_seam[1] += (double)uv[corner][0] > 1 - 1e-3;
            }
            assert_true(high - low < 0.5); /* no face shows all of the texture backwards */
            for (int i = 0; i <= STEPS; i++)
                for (int k = 0; k <= STEPS - i; k++) {
                    double shares[3] = {(double)i / STEPS, (double)k / STEPS, (double)(STEPS - i - k) / STEPS};
                    double p[3] = {0, 0, 0}, shown[2] = {0, 0};
                    for (int corner = 0; corner < 3; corner++) {
                        for (int axis = 0; axis < 3; axis++)
                            p[axis] += shares[corner] * points[corner][axis];
                        for (int axis = 0; axis < 2; axis++)
                            shown[axis] += shares[corner] * (double)uv[corner][axis];
                    }
                    double should = atan2(p[1], p[0]) / (2 * PI), off = shown[0] - should;
                    off -= floor(off + 0.5); /* the same direction once more round */
                    most = fmax(most, TEXELS * hypot(off, shown[1] - p[2]));
                }
        }
        print_message("tube, %s: %llu triangles, told %.3f, are %.3f\n", free ? "free" : "kept",
                      (unsigned long long)result.triangles, result.shift, most);
        assert_true(result.triangles < SIDES * ROWS);
        assert_true(at_seam[0] >= 2 && at_seam[1] >= 2);
        /* In the middle of a side of a polygon the direction is off, beside what the simplification does. */
        assert_true(most <= 3);
    }
}

/* 0 to 2: the side of the cube at 0 of that axis; 3 to 5: those at 1. */
static float side_of(const cp_mesh *cube, uint32_t face)
{
    double points[3][3];
    face_points(cube, face, points);
    for (int axis = 0; axis < 3; axis++)
        if (points[0][axis] == points[1][axis] && points[1][axis] == points[2][axis])
            return (float)(axis + (points[0][axis] > 0.5 ? 3 : 0));
    fail_msg("face %u is on no side", (unsigned)face);
    return 0;
}

/* Each side of a cube has a texture of its own: its corners stay, and so do the four corners of each texture. */
static void test_sides(void **unused)
{
    (void)unused;
    const uint32_t n = 12;
    cp_mesh cube = cube_of_squares(n);
    uint32_t corners = cube.corner_count;
    float *positions = scratch(corners, 3 * sizeof *positions),
          *coordinates = scratch(corners, 2 * sizeof *coordinates);
    uint32_t *numbers = scratch(corners, sizeof *numbers);
    for (uint32_t face = 0; face < cube.face_count; face++) {
        float side = side_of(&cube, face);
        size_t axis = (size_t)side % 3;
        for (uint32_t i = 3 * face; i < 3 * face + 3; i++) {
            const float *p = position_at(&cube, cube.corners[i]);
            memcpy(positions + 3 * (size_t)i, p, 3 * sizeof *p);
            coordinates[2 * (size_t)i] = p[(axis + 1) % 3] + 3 * side;
            coordinates[2 * (size_t)i + 1] = p[(axis + 2) % 3];
            numbers[i] = i;
        }
    }
    cube.positions = positions;
    cube.coordinates[0] = coordinates;
    cube.corners = numbers;
    cube.vertex_count = corners;
    struct result result = simplify_within(&cube, 12, 1, true);
    assert_int_equal(result.triangles, 12);
    assert_int_equal(cube.vertex_count, 24);
    for (uint32_t face = 0; face < cube.face_count; face++) {
        float side = side_of(&cube, face);
        size_t axis = (size_t)side % 3;
        for (uint32_t i = 3 * face; i < 3 * face + 3; i++) {
            const float *p = position_at(&cube, cube.corners[i]);
            const float *uv = cube.coordinates[0] + 2 * (size_t)cube.corners[i];
            assert_float_equal(uv[0], p[(axis + 1) % 3] + 3 * side, 1e-5);
            assert_float_equal(uv[1], p[(axis + 2) % 3], 1e-5);
        }
    }
}

/* Every face has a part of the texture to itself, as lightmaps have: no vertex can go, and all stay as they are. */
static void test_parts_alone(void **unused)
{
    (void)unused;
    cp_mesh torus = make_torus(12, 8, 0, 1);
    uint32_t corners = torus.corner_count;
    float *positions = scratch(corners, 3 * sizeof *positions),
          *coordinates = scratch(corners, 2 * sizeof *coordinates);
    uint32_t *numbers = scratch(corners, sizeof *numbers);
    for (uint32_t i = 0; i < corners; i++) {
        memcpy(positions + 3 * (size_t)i, position_at(&torus, torus.corners[i]), 3 * sizeof *positions);
        coordinates[2 * (size_t)i] = (float)(i % 3) / 3;
        coordinates[2 * (size_t)i + 1] = (float)(i / 3);
        numbers[i] = i;
    }
    torus.positions = positions;
    torus.coordinates[0] = coordinates;
    torus.corners = numbers;
    torus.vertex_count = corners;
    for (int free = 0; free < 2; free++) {
        cp_mesh mesh = torus;
        assert_int_equal(simplify_within(&mesh, 10, 1, free).triangles, torus.face_count);
        for (uint32_t i = 0; i < mesh.corner_count; i++) {
            const float *uv = mesh.coordinates[0] + 2 * (size_t)mesh.corners[i];
            uint32_t was = 3 * (uint32_t)uv[1] + (uint32_t)(3 * uv[0] + 0.5f);
            for (int axis = 0; axis < 3; axis++)
                assert_float_equal(position_at(&mesh, mesh.corners[i])[axis], position_at(&torus, was)[axis], 1e-6);
        }
    }
}

/* As large as takes passes, parts and threads. */
static void test_many_threads(void **unused)
{
    (void)unused;
    float *first = NULL;
    uint32_t count = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        cp_mesh mesh = make_sheet(150, 0.05, false);
        mesh.coordinates[0] = map_vertices(&mesh, from_above);
        assert_int_equal(cp_set_threads(context, (uint32_t)threads), CP_OK);
        struct result result = simplify_within(&mesh, 4500, 1, true);
        assert_int_equal(result.triangles, 4500);
        assert_true(most_off(&mesh, 0, from_above) <= 1);
        if (first)
            assert_true(mesh.vertex_count == count &&
                        memcmp(mesh.coordinates[0], first, 2 * (size_t)count * sizeof *first) == 0);
        count = mesh.vertex_count;
        first = scratch(count, 2 * sizeof *first);
        memcpy(first, mesh.coordinates[0], 2 * (size_t)count * sizeof *first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_flat, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_seam, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_parts_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_threads, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
