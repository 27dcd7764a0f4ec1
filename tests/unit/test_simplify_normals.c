/* Normals and tangents of simplified meshes: they are those of the original, of shapes where both are known
 * everywhere. */
#include "simplify_shapes.h"

/* Replaces the mesh by what the filter makes of it, which is valid until the next call. */
static void simplify_to(cp_mesh *mesh, uint32_t triangles, bool free)
{
    char goal[32];
    const char *options[] = {goal, "error=1e9", free ? "topology=free" : "topology=keep"};
    (void)snprintf(goal, sizeof goal, "triangles=%u", (unsigned)triangles);
    *mesh = *simplify_shown(mesh, CP_USE_BOTH, 0, options, 3);
    assert_true(mesh->face_count < 2 * triangles);
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
    return acos(fmin(1, along / sqrt(squares[0] * squares[1]))) * 180 / PI;
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
    float *normals = scratch(rows * columns, 3 * sizeof *normals);
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
    float *normals = scratch(mesh.vertex_count, 3 * sizeof *normals);
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double flat[3];
        face_normal(&mesh, face, flat);
        double length = sqrt(dot(flat, flat));
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
        double flat[3];
        face_normal(&mesh, face, flat);
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
    (void)add_mesh_of(scene, &mesh);
    finish_scene();
    assert_int_equal(apply_filter(context, scene, "normals", "crease=38deg", NULL, NULL), CP_OK);
    mesh = *cp_meshes(scene, NULL);
    simplify_to(&mesh, 300, true);
    double most = 0, sum = 0;
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double points[3][3], flat[3];
        face_points(&mesh, face, points);
        face_normal(&mesh, face, flat);
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
    float *first = NULL;
    uint32_t count = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        cp_mesh mesh = plain_torus(96, 50);
        assert_int_equal(cp_set_threads(context, (uint32_t)threads), CP_OK);
        simplify_to(&mesh, 2000, true);
        assert_true(!first || mesh.vertex_count == count);
        if (first)
            assert_memory_equal(mesh.normals, first, 3 * sizeof *first * count);
        count = mesh.vertex_count;
        first = memcpy(scratch(count, 3 * sizeof *first), mesh.normals, 3 * sizeof *first * count);
    }
}

/* ---- tangents ---- */

/* A sphere with coordinates by longitude and latitude, cut where they begin anew. Tangents go east. */
static cp_mesh make_globe(uint32_t rows, uint32_t columns)
{
    uint32_t count = (rows + 1) * (columns + 1);
    struct shape shape = shape_new(count, 2 * rows * columns);
    float *normals = scratch(count, 12), *tangents = scratch(count, 16), *uv = scratch(count, 8);
    for (uint32_t i = 0; i <= rows; i++)
        for (uint32_t k = 0; k <= columns; k++) {
            double a = PI * i / rows, b = 2 * PI * (k % columns) / columns;
            const double n[3] = {sin(a) * cos(b), sin(a) * sin(b), cos(a)};
            size_t at = add_point(&shape, n[0], n[1], n[2]);
            for (size_t axis = 0; axis < 3; axis++)
                normals[3 * at + axis] = (float)n[axis];
            memcpy(tangents + 4 * at, (const float[]){(float)-sin(b), (float)cos(b), 0, 1}, 16);
            memcpy(uv + 2 * at, (const float[]){(float)k / (float)columns, (float)i / (float)rows}, 8);
        }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            uint32_t a = i * (columns + 1) + k, b = a + columns + 1;
            if (i + 1 < rows)
                add_triangle(&shape, a, b, b + 1);
            if (i > 0)
                add_triangle(&shape, a, b + 1, a + 1);
        }
    cp_mesh mesh = mesh_of(&shape);
    mesh.normals = normals;
    mesh.tangents = tangents;
    mesh.coordinates[0] = uv;
    return mesh;
}

/* Away from the poles, where east turns as fast as one likes, tangents are those of the sphere; all are unit vectors
 * square to the normals. */
static void test_globe(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_globe(48, 96);
    simplify_to(&mesh, 900, false);
    assert_true(mesh.face_count <= 1000);
    assert_non_null(mesh.tangents);
    double most = 0, sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh.corner_count; i++) {
        uint32_t vertex = mesh.corners[i];
        const float *p = position_at(&mesh, vertex), *n = mesh.normals + 3 * (size_t)vertex,
                    *t = mesh.tangents + 4 * (size_t)vertex;
        double off = degrees_between(t, (const double[]){-(double)p[1], (double)p[0], 0}), along = 0;
        for (int axis = 0; axis < 3; axis++)
            along += (double)n[axis] * (double)t[axis];
        assert_true(fabs(along) < 1e-5 && t[3] == 1);
        if (fabsf(p[2]) > 0.7F)
            continue;
        most = fmax(most, off);
        sum += off;
        count++;
    }
    print_message("globe: tangents are off by %.2f degrees, at most %.2f\n", sum / count, most);
    assert_true(count > 300);
    assert_true(sum / count < 1);
    assert_true(most < 4);
}

/* A bumpy sheet of two charts, one mirrored: at the seam each side keeps its own tangents and signs. */
static void test_charts(void **unused)
{
    (void)unused;
    enum { N = 40, ROW = N / 2 + 1 };
    struct shape shape = shape_new(2 * (N + 1) * ROW, 2 * N * N);
    uint32_t count = 2 * (N + 1) * ROW;
    float *normals = scratch(count, 12), *tangents = scratch(count, 16), *uv = scratch(count, 8);
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i <= N; i++)
            for (uint32_t k = 0; k < ROW; k++) {
                double x = (half ? 1 : -1) * (double)k / N;
                size_t at = add_point(&shape, x, (double)i / N, 0);
                memcpy(normals + 3 * at, (const float[]){0, 0, 1}, 12);
                memcpy(tangents + 4 * at, (const float[]){half ? 1 : -1, 0, 0, half ? 1 : -1}, 16);
                memcpy(uv + 2 * at, (const float[]){(float)fabs(x) + (half ? 0 : 3.0F), (float)i / N}, 8);
            }
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t k = 0; k + 1 < ROW; k++) {
                uint32_t a = (half * (N + 1) + i) * ROW + k, b = a + 1, c = a + ROW;
                add_triangle(&shape, a, half ? b : c, c + 1);
                add_triangle(&shape, a, c + 1, half ? c : b);
            }
    cp_mesh mesh = mesh_of(&shape);
    mesh.normals = normals;
    mesh.tangents = tangents;
    mesh.coordinates[0] = uv;
    simplify_to(&mesh, 100, false);
    assert_true(mesh.face_count <= 200 && mesh.face_count > 0);
    assert_non_null(mesh.tangents);
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double middle = 0;
        for (uint32_t i = 0; i < 3; i++)
            middle += (double)position_at(&mesh, face_corner(&mesh, face, i))[0];
        for (uint32_t i = 0; i < 3; i++) {
            const float *t = mesh.tangents + 4 * (size_t)face_corner(&mesh, face, i);
            float side = middle > 0 ? 1 : -1;
            assert_true(t[0] == side && t[1] == 0 && t[2] == 0 && t[3] == side);
        }
    }
}

/* Nothing changes where nothing is simplified, and a mesh without tangents gets none. */
static void test_unchanged(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_globe(8, 12), before = mesh;
    simplify_to(&mesh, 100000, false);
    assert_int_equal(mesh.face_count, before.face_count);
    assert_int_equal(mesh.vertex_count, before.vertex_count);
    assert_memory_equal(mesh.positions, before.positions, 12 * (size_t)mesh.vertex_count);
    assert_memory_equal(mesh.normals, before.normals, 12 * (size_t)mesh.vertex_count);
    assert_memory_equal(mesh.tangents, before.tangents, 16 * (size_t)mesh.vertex_count);
    assert_memory_equal(mesh.coordinates[0], before.coordinates[0], 8 * (size_t)mesh.vertex_count);
    assert_memory_equal(mesh.corners, before.corners, 4 * (size_t)mesh.corner_count);
    mesh = make_globe(24, 48);
    mesh.tangents = NULL;
    simplify_to(&mesh, 300, false);
    assert_true(mesh.normals && !mesh.tangents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_torus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cube, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_thin_plate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_globe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_charts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unchanged, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
