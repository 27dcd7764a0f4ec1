/* Tangents through what changes meshes: poses, weld, orient, normals, instances, simplify. Judged by the definition:
 * the second axis of a normal map is the sign times normal x tangent, and goes where the surface goes. */
#include "simplify_shapes.h"

#include "model/model.h"

static const char brushed[] = "{\"KHR_materials_anisotropy\":{\"anisotropyStrength\":0.5}}";

/* A material that looks at tangents. */
static uint32_t add_brushed(void)
{
    uint32_t material = scene_add_material(scene, "brushed", (const double[]){1, 1, 1, 1}, false);
    assert_true(material != CP_NONE);
    scene->materials[material].extensions = brushed;
    return material;
}

static void normalise(double v[3])
{
    double length = sqrt(dot_product(v, v));
    for (int axis = 0; axis < 3; axis++)
        v[axis] /= length;
}

static double degrees_between(const double a[3], const double b[3])
{
    return radians_to_degrees(acos(fmin(1, dot_product(a, b) / sqrt(dot_product(a, a) * dot_product(b, b)))));
}

static void widen(const float *from, double to[3])
{
    for (int axis = 0; axis < 3; axis++)
        to[axis] = (double)from[axis];
}

/* The second axis at a vertex. */
static void second_axis(const cp_mesh *mesh, size_t vertex, double axis[3])
{
    double n[3], t[3];
    widen(mesh->normals + 3 * vertex, n);
    widen(mesh->tangents + 4 * vertex, t);
    cross_product(n, t, axis);
    for (int i = 0; i < 3; i++)
        axis[i] *= (double)mesh->tangents[4 * vertex + 3];
}

static void multiply(const cp_pose *pose, const double v[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = dot_product(&pose->m[4 * row], v);
}

static cp_status apply(const char *filter, const char *first, const char *second)
{
    return apply_filter(context, scene, filter, first, second, NULL);
}

/* ---- moved ---- */

/* A triangle in space whose corners have different orthonormal frames of both hands. */
struct patch {
    float positions[9], normals[9], tangents[12];
};

static struct patch make_patch(struct random *random)
{
    struct patch patch;
    for (size_t i = 0; i < 3; i++) {
        double n[3], t[3];
        for (size_t axis = 0; axis < 3; axis++) {
            patch.positions[3 * i + axis] = (float)random_unit(random) + (i == axis ? 3.0F : 0.0F);
            n[axis] = random_unit(random) - 0.5;
            t[axis] = random_unit(random) - 0.5;
        }
        normalise(n);
        double along = dot_product(n, t);
        for (int axis = 0; axis < 3; axis++)
            t[axis] -= along * n[axis];
        normalise(t);
        for (size_t axis = 0; axis < 3; axis++) {
            patch.normals[3 * i + axis] = (float)n[axis];
            patch.tangents[4 * i + axis] = (float)t[axis];
        }
        patch.tangents[4 * i + 3] = random_bits(random) % 2 ? 1 : -1;
    }
    return patch;
}

static cp_mesh patch_mesh(const struct patch *patch, cp_group *group)
{
    static const uint32_t corners[] = {0, 1, 2};
    return (cp_mesh){.name = "patch",
                     .kind = CP_MESH_FACES,
                     .vertex_count = 3,
                     .face_count = 1,
                     .corner_count = 3,
                     .positions = patch->positions,
                     .normals = patch->normals,
                     .tangents = patch->tangents,
                     .corners = corners,
                     .groups = group,
                     .group_count = 1};
}

/* Turned, sheared, unevenly scaled and, every other time, mirrored. */
static cp_pose wild_pose(struct random *random, bool mirror)
{
    cp_pose pose;
    do {
        for (int i = 0; i < 12; i++)
            pose.m[i] = 4 * random_unit(random) - 2;
    } while (fabs(pose_determinant(&pose)) < 0.5 || (pose_determinant(&pose) < 0) != mirror);
    return pose;
}

/* The tangent goes by the pose A itself; the second axis is square to tangent and normal, on the side where A takes the
 * old one. */
static void expect_moved(const struct patch *patch, size_t from, const cp_pose *pose, const double n[3],
                         const double t[3], double sign)
{
    double old_n[3], old_t[3], old_b[3], moved_t[3], moved_b[3], b[3];
    widen(patch->normals + 3 * from, old_n);
    widen(patch->tangents + 4 * from, old_t);
    cross_product(old_n, old_t, old_b);
    for (int i = 0; i < 3; i++)
        old_b[i] *= (double)patch->tangents[4 * from + 3];
    multiply(pose, old_t, moved_t);
    multiply(pose, old_b, moved_b);
    cross_product(n, t, b);
    assert_true(degrees_between(t, moved_t) < 1e-3);
    assert_true(fabs(sqrt(dot_product(t, t)) - 1) < 1e-6);
    assert_true(fabs(dot_product(n, t)) < 1e-5); /* still square to the normal */
    assert_true(sign == 1 || sign == -1);
    assert_true(sign * dot_product(b, moved_b) > 0);
    assert_true(fabs(dot_product(n, moved_b)) < 1e-4 * sqrt(dot_product(moved_b, moved_b)));
}

static void test_function(void **unused)
{
    (void)unused;
    struct random random = {3};
    for (int i = 0; i < 400; i++) {
        struct patch patch = make_patch(&random);
        cp_pose pose = wild_pose(&random, i % 2);
        double matrix[3][3], n[3], t[3];
        float normal[3], tangent[4];
        mesh_normal_matrix(&pose, matrix);
        mesh_move_normal((const double(*)[3])matrix, patch.normals, normal);
        mesh_move_tangent(&pose, normal, patch.tangents, tangent);
        widen(normal, n);
        widen(tangent, t);
        expect_moved(&patch, 0, &pose, n, t, (double)tangent[3]);
    }
    /* What a pose flattens stays a unit vector, square to the normal. */
    const cp_pose flat = {{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const float normal[3] = {1, 0, 0}, along[4] = {1, 0, 0, -1};
    float tangent[4];
    mesh_move_tangent(&flat, normal, along, tangent);
    double t[3];
    widen(tangent, t);
    assert_true(fabs(dot_product(t, t) - 1) < 1e-6 && t[0] == 0);
}

/* merge-meshes bakes poses: in the world, each corner has the frame that its own pose gives it. */
static void test_merged(void **unused)
{
    (void)unused;
    struct random random = {8};
    for (int times = 0; times < 40; times++) {
        fresh_scene();
        struct patch patch = make_patch(&random);
        cp_group group = {0, 1, add_brushed()};
        cp_mesh mesh = patch_mesh(&patch, &group);
        uint32_t index = scene_add_mesh(scene, &mesh);
        cp_pose poses[3];
        for (int i = 0; i < 3; i++) {
            poses[i] = wild_pose(&random, (times + i) % 2);
            poses[i].m[3] += 100 * i; /* apart */
            assert_true(scene_add_instance(scene, 0, index, CP_USE_BOTH, &poses[i]) != CP_NONE);
        }
        finish_scene();
        assert_int_equal(apply("merge-meshes", "shared=merge", NULL), CP_OK);
        assert_int_equal(scene->instance_count, 1);
        const cp_mesh *merged = &scene->meshes[scene->instances[0].mesh];
        const cp_pose *base = &scene->instances[0].transform;
        assert_int_equal(merged->vertex_count, 9);
        double matrix[3][3];
        mesh_normal_matrix(base, matrix);
        for (size_t vertex = 0; vertex < 9; vertex++) {
            double point[3], n[3], t[3], moved[3], place[3];
            float normal[3];
            widen(merged->positions + 3 * vertex, point);
            pose_point(base, point, point);
            size_t from = 0, pose = 0, found = 0;
            for (size_t k = 0; k < 9; k++) {
                widen(patch.positions + 3 * (k % 3), place);
                pose_point(&poses[k / 3], place, place);
                if (fabs(place[0] - point[0]) + fabs(place[1] - point[1]) + fabs(place[2] - point[2]) < 1e-3)
                    from = k % 3, pose = k / 3, found++;
            }
            assert_int_equal(found, 1);
            mesh_move_normal((const double(*)[3])matrix, merged->normals + 3 * vertex, normal);
            widen(normal, n);
            widen(merged->tangents + 4 * vertex, t);
            multiply(base, t, moved);
            normalise(moved);
            double sign = (double)merged->tangents[4 * vertex + 3] * (pose_determinant(base) < 0 ? -1 : 1);
            expect_moved(&patch, from, &poses[pose], n, moved, sign);
        }
    }
}

/* ---- weld ---- */

/* Vertices that differ in tangents alone stay apart, with a tolerance too. */
static void test_weld(void **unused)
{
    (void)unused;
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const float tangents[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1, 0, 1, 0, 1};
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5}, expected[] = {0, 1, 2, 0, 3, 4};
    for (int near = 0; near < 2; near++) {
        fresh_scene();
        cp_mesh mesh = {.name = "m",
                        .kind = CP_MESH_FACES,
                        .vertex_count = 6,
                        .face_count = 2,
                        .corner_count = 6,
                        .positions = positions,
                        .normals = normals,
                        .tangents = tangents,
                        .corners = corners};
        (void)scene_add_mesh(scene, &mesh);
        finish_scene();
        assert_int_equal(apply("weld", near ? "tolerance=1mm" : NULL, NULL), CP_OK);
        const cp_mesh *welded = &scene->meshes[0];
        assert_int_equal(welded->vertex_count, 5);
        assert_memory_equal(welded->corners, expected, sizeof expected);
        for (size_t i = 0; i < 6; i++)
            assert_memory_equal(welded->tangents + 4 * (size_t)expected[i], tangents + 4 * i, 16);
    }
}

/* ---- orient ---- */

/* A turned face's normals turn; both axes of its normal map stay. */
static void test_orient(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube();
    float normals[24], tangents[32];
    uint32_t *corners = scene_allocate(scene, cube.corner_count, sizeof *corners);
    assert_non_null(corners);
    memcpy(corners, cube.corners, cube.corner_count * sizeof *corners);
    for (uint32_t face = 0; face < cube.face_count; face++) { /* inside out */
        uint32_t first = mesh_face_first(&cube, face), size = mesh_face_size(&cube, face);
        for (uint32_t i = 1; i < size; i++)
            corners[first + i] = cube.corners[first + size - i];
    }
    cube.corners = corners;
    for (size_t i = 0; i < 8; i++) {
        double n[3], t[3] = {1, 0, 0};
        for (size_t axis = 0; axis < 3; axis++)
            n[axis] = cube.positions[3 * i + axis] > 0.5F ? -1 : 1; /* to the middle */
        normalise(n);
        double along = dot_product(n, t);
        for (int axis = 0; axis < 3; axis++)
            t[axis] -= along * n[axis];
        normalise(t);
        for (size_t axis = 0; axis < 3; axis++) {
            normals[3 * i + axis] = (float)n[axis];
            tangents[4 * i + axis] = (float)t[axis];
        }
        tangents[4 * i + 3] = i % 2 ? 1 : -1;
    }
    cube.normals = normals;
    cube.tangents = tangents;
    (void)scene_add_mesh(scene, &cube);
    finish_scene();
    const cp_mesh before = scene->meshes[0];
    assert_int_equal(apply("orient", NULL, NULL), CP_OK);
    const cp_mesh *after = &scene->meshes[0];
    for (size_t i = 0; i < 8; i++) {
        double had[3], has[3];
        assert_true(after->normals[3 * i] == -before.normals[3 * i]);
        assert_memory_equal(after->tangents + 4 * i, before.tangents + 4 * i, 12);
        second_axis(&before, i, had);
        second_axis(after, i, has);
        assert_true(degrees_between(had, has) < 1e-3);
    }
    assert_memory_equal(before.tangents, tangents, sizeof tangents); /* shared with other scenes */
}

/* ---- normals ---- */

/* New normals, or none, leave no tangents: a loss where a material looks at them. */
static void test_normals(void **unused)
{
    (void)unused;
    static const char *const modes[] = {"mode=smooth", "mode=none", "mode=keep"};
    for (int mode = 0; mode < 3; mode++)
        for (int shows = 0; shows < 2; shows++) {
            fresh_scene();
            struct random random = {1};
            struct patch patch = make_patch(&random);
            cp_group group = {0, 1, add_brushed()};
            scene->materials[0].extensions = shows ? brushed : NULL;
            cp_mesh mesh = patch_mesh(&patch, &group);
            (void)scene_add_mesh(scene, &mesh);
            finish_scene();
            assert_int_equal(apply("normals", modes[mode], NULL), CP_OK);
            assert_true((scene->meshes[0].tangents != NULL) == (mode == 2));
            assert_int_equal(count_lost(context, "normals-tangents"), shows && mode < 2);
        }
}

/* ---- instances ---- */

/* Moved copies have moved tangents; others are no copies. */
static void test_instances(void **unused)
{
    (void)unused;
    for (int change = 0; change < 4; change++) { /* 1: another direction; 2: another sign; 3: no tangents */
        fresh_scene();
        enum { COUNT = 40 };
        struct random random = {7};
        float positions[3 * COUNT], normals[3 * COUNT], tangents[4 * COUNT], moved[3][4 * COUNT];
        uint32_t corners[3 * COUNT];
        const double axis[3] = {0.6, 0, 0.8};
        cp_pose pose = pose_rotation(axis, 1);
        pose.m[3] = 5;
        double matrix[3][3];
        mesh_normal_matrix(&pose, matrix);
        for (size_t i = 0; i < COUNT; i++) {
            struct patch patch = make_patch(&random);
            memcpy(positions + 3 * i, patch.positions, 12);
            memcpy(normals + 3 * i, patch.normals, 12);
            memcpy(tangents + 4 * i, patch.tangents, 16);
            assert_true(mesh_move_position(&pose, positions + 3 * i, moved[0] + 3 * i, NULL));
            mesh_move_normal((const double(*)[3])matrix, normals + 3 * i, moved[1] + 3 * i);
            double t[3], turned[3];
            widen(tangents + 4 * i, t);
            multiply(&pose, t, turned);
            for (size_t k = 0; k < 3; k++)
                moved[2][4 * i + k] = (float)turned[k];
            moved[2][4 * i + 3] = tangents[4 * i + 3];
            for (size_t k = 0; k < 3; k++)
                corners[3 * i + k] = (uint32_t)((i + k * k) % COUNT);
        }
        if (change == 1)
            memcpy(moved[2] + 8, (const float[]){1, 0, 0}, 12);
        if (change == 2)
            moved[2][11] *= -1;
        cp_mesh mesh = {.name = "m",
                        .kind = CP_MESH_FACES,
                        .vertex_count = COUNT,
                        .face_count = COUNT,
                        .corner_count = 3 * COUNT,
                        .positions = positions,
                        .normals = normals,
                        .tangents = tangents,
                        .corners = corners};
        for (int i = 0; i < 2; i++) {
            assert_true(scene_add_instance(scene, 0, scene_add_mesh(scene, &mesh), CP_USE_BOTH, &POSE_IDENTITY) !=
                        CP_NONE);
            mesh.positions = moved[0];
            mesh.normals = moved[1];
            mesh.tangents = change == 3 ? NULL : moved[2];
        }
        finish_scene();
        assert_int_equal(apply("instances", NULL, NULL), CP_OK);
        assert_int_equal(scene->mesh_count, change == 0 ? 1 : 2);
    }
}

/* ---- simplify ---- */

/* A sphere with coordinates by longitude and latitude, cut where they begin anew. Tangents go east. */
static cp_mesh make_globe(uint32_t rows, uint32_t columns)
{
    uint32_t count = (rows + 1) * (columns + 1);
    struct shape shape = shape_new(count, 2 * rows * columns);
    float *normals = scene_allocate(scene, count, 3 * sizeof *normals);
    float *tangents = scene_allocate(scene, count, 4 * sizeof *tangents);
    float *uv = scene_allocate(scene, count, 2 * sizeof *uv);
    assert_true(normals && tangents && uv);
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
    (void)simplify(&mesh, 900, INFINITY);
    assert_true(mesh.face_count <= 1000);
    assert_non_null(mesh.tangents);
    double most = 0, sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh.corner_count; i++) {
        size_t vertex = mesh.corners[i];
        double p[3], n[3], t[3];
        widen(mesh.positions + 3 * vertex, p);
        widen(mesh.normals + 3 * vertex, n);
        widen(mesh.tangents + 4 * vertex, t);
        assert_true(fabs(dot_product(t, t) - 1) < 1e-5 && fabs(dot_product(n, t)) < 1e-5);
        assert_true(mesh.tangents[4 * vertex + 3] == 1);
        if (fabs(p[2]) > 0.7)
            continue;
        double off = degrees_between(t, (const double[]){-p[1], p[0], 0});
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
    float *normals = scene_allocate(scene, count, 3 * sizeof *normals);
    float *tangents = scene_allocate(scene, count, 4 * sizeof *tangents);
    float *uv = scene_allocate(scene, count, 2 * sizeof *uv);
    assert_true(normals && tangents && uv);
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
    (void)simplify(&mesh, 100, INFINITY);
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

/* Two squares that meet at y = 0, of four faces, or of as many as a sheet has. Tangents go along x on both; a texture
 * mirrored there has two signs and the same coordinates. */
static cp_mesh make_fold(uint32_t n, float *normals, float *tangents)
{
    struct shape shape = shape_new(2 * (n + 1) * (n + 1), 4 * n * n);
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i <= n; i++)
            for (uint32_t k = 0; k <= n; k++) {
                size_t at = add_point(&shape, (double)k / n, half ? (double)i / n : -(double)i / n, 0);
                memcpy(normals + 3 * at, (const float[]){0, 0, 1}, 12);
                memcpy(tangents + 4 * at, (const float[]){1, 0, 0, half ? 1 : -1}, 16);
            }
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                uint32_t a = (half * (n + 1) + i) * (n + 1) + k, b = a + 1, c = a + n + 1;
                add_triangle(&shape, a, half ? b : c, c + 1);
                add_triangle(&shape, a, c + 1, half ? c : b);
            }
    cp_mesh mesh = mesh_of(&shape);
    mesh.normals = normals;
    mesh.tangents = tangents;
    return mesh;
}

/* Faces that share their vertices at the fold part there, where signs differ. */
static void test_fold(void **unused)
{
    (void)unused;
    enum { N = 10 };
    float normals[6 * (N + 1) * (N + 1)], tangents[8 * (N + 1) * (N + 1)], unused_normals[24], unused_tangents[32];
    cp_mesh original = make_fold(N, normals, tangents), mesh = make_fold(1, unused_normals, unused_tangents);
    uint32_t *corners = (uint32_t *)mesh.corners;
    for (uint32_t i = 0; i < mesh.corner_count; i++)
        corners[i] = corners[i] == 4 ? 0 : corners[i] == 5 ? 1 : corners[i];
    mesh.normals = mesh.tangents = NULL;
    assert_int_equal(mesh_shade_like(scene, &mesh, &original), CP_OK);
    assert_int_equal(mesh.vertex_count, 8); /* 6 places, 2 of them on the fold */
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double middle = 0;
        for (uint32_t i = 0; i < 3; i++)
            middle += (double)position_at(&mesh, face_corner(&mesh, face, i))[1];
        for (uint32_t i = 0; i < 3; i++) {
            const float *t = mesh.tangents + 4 * (size_t)face_corner(&mesh, face, i);
            assert_true(t[0] == 1 && t[1] == 0 && t[2] == 0 && t[3] == (middle > 0 ? 1 : -1));
        }
    }
}

/* Nothing changes where nothing is simplified, and a mesh without tangents gets none. */
static void test_unchanged(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_globe(8, 12), before = mesh;
    (void)simplify(&mesh, 100000, INFINITY);
    assert_memory_equal(&mesh, &before, sizeof mesh);
    mesh = make_globe(24, 48);
    mesh.tangents = NULL;
    (void)simplify(&mesh, 300, INFINITY);
    assert_true(mesh.normals && !mesh.tangents);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_function),  TEST(test_merged), TEST(test_weld),   TEST(test_orient), TEST(test_normals),
        TEST(test_instances), TEST(test_globe),  TEST(test_charts), TEST(test_fold),   TEST(test_unchanged),
    };
    return cmocka_run_group_tests_name("tangents", tests, NULL, NULL);
}
