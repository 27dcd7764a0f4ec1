/* Normals of simplified meshes: they are those of the original, of shapes whose normals are known everywhere. */
#include "simplify_shapes.h"

#include "model/model.h"

static void simplify_to(cp_mesh *mesh, uint64_t triangles, bool free)
{
    struct simplify_goal goal = {.triangles = triangles, .error = INFINITY, .free = free};
    struct simplify_result result;
    assert_int_equal(mesh_simplify(scene, mesh, &goal, &result), CP_OK);
    assert_true(result.triangles < 2 * triangles);
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        assert_true(mesh->corners[i] < mesh->vertex_count);
}

static double degrees_between(const float *a, const double b[3])
{
    double along = 0, squares[2] = {0, 0};
    for (int axis = 0; axis < 3; axis++) {
        along += (double)a[axis] * b[axis];
        squares[0] += (double)a[axis] * (double)a[axis];
        squares[1] += b[axis] * b[axis];
    }
    assert_true(fabs(squares[0] - 1) < 1e-5);
    return radians_to_degrees(acos(fmin(1, along / sqrt(squares[0] * squares[1]))));
}

/* The normal of a torus without waves at a place near it. */
static void torus_normal(const float *p, double out[3])
{
    double round = hypot((double)p[0], (double)p[1]);
    for (int axis = 0; axis < 2; axis++)
        out[axis] = (double)p[axis] * (1 - 3 / round);
    out[2] = (double)p[2];
}

static cp_mesh plain_torus(uint32_t rows, uint32_t columns)
{
    struct shape shape = shape_new(rows * columns, 2 * rows * columns);
    float *normals = scene_allocate(scene, rows * columns, 3 * sizeof *normals);
    assert_non_null(normals);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            double u = 2 * PI * i / rows, v = 2 * PI * k / columns;
            float *normal =
                normals + 3 * (size_t)add_point(&shape, (3 + cos(v)) * cos(u), (3 + cos(v)) * sin(u), sin(v));
            normal[0] = (float)(cos(v) * cos(u));
            normal[1] = (float)(cos(v) * sin(u));
            normal[2] = (float)sin(v);
        }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            uint32_t i2 = (i + 1) % rows, k2 = (k + 1) % columns;
            add_triangle(&shape, i * columns + k, i2 * columns + k, i2 * columns + k2);
            add_triangle(&shape, i * columns + k, i2 * columns + k2, i * columns + k2);
        }
    cp_mesh mesh = mesh_of(&shape);
    mesh.normals = normals;
    return mesh;
}

/* A torus of 9,600 triangles as 500: faces turn by some 20 degrees from one to the next, normals hardly. */
static void test_torus(void **unused)
{
    (void)unused;
    for (int free = 0; free < 2; free++) {
        cp_mesh mesh = plain_torus(96, 50);
        simplify_to(&mesh, 500, free);
        assert_non_null(mesh.normals);
        double most = 0, sum = 0;
        for (uint32_t i = 0; i < mesh.corner_count; i++) {
            double should[3];
            torus_normal(position_at(&mesh, mesh.corners[i]), should);
            double off = degrees_between(mesh.normals + 3 * (size_t)mesh.corners[i], should);
            most = fmax(most, off);
            sum += off;
        }
        print_message("torus: normals are off by %.2f degrees, at most %.2f\n", sum / mesh.corner_count, most);
        assert_true(sum / mesh.corner_count < 5);
        assert_true(most < 15);
    }
}

/* The sides of a cube stay flat, although they meet in its vertices. */
static void test_cube(void **unused)
{
    (void)unused;
    cp_mesh mesh = cube_of_squares(12);
    float *normals = scene_allocate(scene, mesh.vertex_count, 3 * sizeof *normals);
    assert_non_null(normals);
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double points[3][3], flat[3];
        face_points(&mesh, face, points);
        triangle_normal(points[0], points[1], points[2], flat);
        double length = sqrt(dot_product(flat, flat));
        for (int corner = 0; corner < 3; corner++)
            for (int axis = 0; axis < 3; axis++)
                normals[3 * (size_t)mesh.corners[3 * face + (uint32_t)corner] + (size_t)axis] =
                    (float)(flat[axis] / length);
    }
    mesh.normals = normals;
    simplify_to(&mesh, 12, true);
    assert_int_equal(mesh.face_count, 12);
    assert_int_equal(mesh.vertex_count, 24);
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double points[3][3], flat[3];
        face_points(&mesh, face, points);
        triangle_normal(points[0], points[1], points[2], flat);
        for (uint32_t corner = 0; corner < 3; corner++)
            assert_true(degrees_between(mesh.normals + 3 * (size_t)mesh.corners[3 * face + corner], flat) < 0.1);
    }
}

/* A plate that is thinner than its sides may move: neither side takes the other's normals. */
static void test_thin_plate(void **unused)
{
    (void)unused;
    struct shape shape = shape_new(2 * 21 * 21, 4 * 20 * 20);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i <= 20; i++)
            for (uint32_t k = 0; k <= 20; k++)
                add_point(&shape, i / 20.0, k / 20.0, 0.05 * sin(i * 0.4) * cos(k * 0.3) + 1e-3 * side);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < 20; i++)
            for (uint32_t k = 0; k < 20; k++) {
                uint32_t a = side * 441 + i * 21 + k, b = side ? a + 21 : a + 1, c = side ? a + 1 : a + 21;
                add_triangle(&shape, a, b, a + 22);
                add_triangle(&shape, a, a + 22, c);
            }
    cp_mesh mesh = mesh_of(&shape);
    assert_int_equal(mesh_smooth_normals(scene, &mesh, degrees_to_radians(38)), CP_OK);
    simplify_to(&mesh, 300, true);
    double most = 0, sum = 0;
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double points[3][3], flat[3];
        face_points(&mesh, face, points);
        triangle_normal(points[0], points[1], points[2], flat);
        for (uint32_t corner = 0; corner < 3; corner++) {
            double x = 8 * points[corner][0], y = 6 * points[corner][1], up = flat[2] > 0 ? 1 : -1;
            const double should[] = {-up * 0.4 * cos(x) * cos(y), up * 0.3 * sin(x) * sin(y), up};
            double off = degrees_between(mesh.normals + 3 * (size_t)mesh.corners[3 * face + corner], should);
            most = fmax(most, off);
            sum += off;
        }
    }
    print_message("plate: normals are off by %.2f degrees, at most %.2f\n", sum / mesh.corner_count, most);
    assert_true(sum / mesh.corner_count < 5);
    assert_true(most < 45);
}

/* The same for any number of threads. */
static void test_many_threads(void **unused)
{
    (void)unused;
    const float *first = NULL;
    uint32_t count = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        cp_mesh mesh = plain_torus(96, 50);
        assert_int_equal(cp_set_threads(context, (uint32_t)threads), CP_OK);
        simplify_to(&mesh, 2000, true);
        assert_true(!first || mesh.vertex_count == count);
        if (first)
            assert_memory_equal(mesh.normals, first, 3 * sizeof *first * count);
        first = mesh.normals;
        count = mesh.vertex_count;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_torus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cube, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_thin_plate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_threads, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
