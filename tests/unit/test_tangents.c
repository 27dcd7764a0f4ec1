/* Tangents through the filters merge-meshes, weld, orient, normals and instances. Judged by the definition: the second
 * axis of a normal map is the sign times normal x tangent, and goes where the surface goes. */
#include "vectors.h"
#include "world_faces.h"

#include "scene_fixture.h" /* behind those whose arguments have its names */

static const char brushed[] = "{\"KHR_materials_anisotropy\":{\"anisotropyStrength\":0.5}}";

/* A material that looks at tangents, or not. */
static uint32_t add_material(const char *extensions)
{
    cp_material material = cp_new_material();
    material.extensions = extensions;
    return cp_add_material(scene, &material);
}

static void normalise(double v[3])
{
    double length = sqrt(dot(v, v));
    for (int axis = 0; axis < 3; axis++)
        v[axis] /= length;
}

static double degrees_between(const double a[3], const double b[3])
{
    return acos(fmin(1, dot(a, b) / sqrt(dot(a, a) * dot(b, b)))) * 180 / PI;
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
    cross(n, t, axis);
    for (int i = 0; i < 3; i++)
        axis[i] *= (double)mesh->tangents[4 * vertex + 3];
}

static void multiply(const cp_pose *pose, const double v[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = dot(&pose->m[4 * row], v);
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
        double along = dot(n, t);
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
    } while (fabs(plain_determinant(&pose)) < 0.5 || (plain_determinant(&pose) < 0) != mirror);
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
    cross(old_n, old_t, old_b);
    for (int i = 0; i < 3; i++)
        old_b[i] *= (double)patch->tangents[4 * from + 3];
    multiply(pose, old_t, moved_t);
    multiply(pose, old_b, moved_b);
    cross(n, t, b);
    assert_true(degrees_between(t, moved_t) < 1e-3);
    assert_true(fabs(sqrt(dot(t, t)) - 1) < 1e-6);
    assert_true(fabs(dot(n, t)) < 1e-5); /* still square to the normal */
    assert_true(sign == 1 || sign == -1);
    assert_true(sign * dot(b, moved_b) > 0);
    assert_true(fabs(dot(n, moved_b)) < 1e-4 * sqrt(dot(moved_b, moved_b)));
}

/* merge-meshes bakes poses: in the world, each corner has the frame that its own pose gives it. Returns the mesh. */
static const cp_mesh *expect_merged(const struct patch *patch, const cp_pose *poses, uint32_t count, bool flat)
{
    fresh_scene();
    cp_group group = {0, 1, add_material(brushed)};
    cp_mesh mesh = patch_mesh(patch, &group);
    uint32_t index = add_mesh_of(scene, &mesh);
    for (uint32_t i = 0; i < count; i++)
        (void)add_instance_of(scene, 0, index, CP_USE_BOTH, &poses[i]);
    finish_scene();
    assert_int_equal(apply("merge-meshes", "shared=merge", NULL), CP_OK);
    assert_int_equal(count_instances(scene), 1);
    const cp_mesh *merged = &cp_meshes(scene, NULL)[cp_instances(scene, NULL)->mesh];
    const cp_pose *base = &cp_instances(scene, NULL)->transform;
    assert_int_equal(merged->vertex_count, 3 * count);
    for (size_t vertex = 0; vertex < 3 * (size_t)count && !flat; vertex++) {
        double point[3], n[3], t[3], moved[3], place[3];
        widen(merged->positions + 3 * vertex, point);
        plain_point(base, point, point);
        size_t from = 0, pose = 0, found = 0;
        for (size_t k = 0; k < 3 * (size_t)count; k++) {
            widen(patch->positions + 3 * (k % 3), place);
            plain_point(&poses[k / 3], place, place);
            if (fabs(place[0] - point[0]) + fabs(place[1] - point[1]) + fabs(place[2] - point[2]) < 1e-3)
                from = k % 3, pose = k / 3, found++;
        }
        assert_int_equal(found, 1);
        world_normal(base->m, merged->normals + 3 * vertex, n);
        widen(merged->tangents + 4 * vertex, t);
        assert_true(fabs(sqrt(dot(t, t)) - 1) < 1e-6);
        multiply(base, t, moved);
        normalise(moved);
        double sign = (double)merged->tangents[4 * vertex + 3] * (plain_determinant(base) < 0 ? -1 : 1);
        expect_moved(patch, from, &poses[pose], n, moved, sign);
    }
    return merged;
}

/* The last 400 are a group: the first pose is the identity, in whose frame the others' vertices come. */
static void test_merged(void **unused)
{
    (void)unused;
    struct random random = {8};
    for (int times = 0; times < 440; times++) {
        struct patch patch = make_patch(&random);
        cp_pose poses[3];
        for (int i = 0; i < 3; i++) {
            poses[i] = times >= 40 && i == 0 ? PLAIN_IDENTITY : wild_pose(&random, (times + i) % 2);
            poses[i].m[3] += 100 * i; /* apart */
        }
        (void)expect_merged(&patch, poses, 3, false);
    }
}

/* A vector that a pose flattens stays a unit vector, square to the normal. */
static void test_flattened(void **unused)
{
    (void)unused;
    struct random random = {3};
    struct patch patch = make_patch(&random);
    for (size_t i = 0; i < 3; i++) {
        memcpy(patch.normals + 3 * i, (const float[]){1, 0, 0}, 12);
        memcpy(patch.tangents + 4 * i, (const float[]){1, 0, 0, -1}, 16);
    }
    const cp_pose poses[] = {PLAIN_IDENTITY, {{0, 0, 0, 50, 0, 1, 0, 0, 0, 0, 1, 0}}};
    const cp_mesh *merged = expect_merged(&patch, poses, 2, true);
    uint32_t found = 0;
    for (uint32_t vertex = 0; vertex < 6; vertex++) {
        double t[3];
        widen(merged->tangents + 4 * (size_t)vertex, t);
        if (position_at(merged, vertex)[0] == 50) {
            assert_true(fabs(dot(t, t) - 1) < 1e-6 && t[0] == 0);
            found++;
        }
    }
    assert_int_equal(found, 3);
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
        (void)add_mesh_of(scene, &mesh);
        finish_scene();
        assert_int_equal(apply("weld", near ? "tolerance=1mm" : NULL, NULL), CP_OK);
        const cp_mesh *welded = cp_meshes(scene, NULL);
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
    uint32_t corners[24];
    memcpy(corners, cube.corners, sizeof corners);
    for (uint32_t face = 0; face < cube.face_count; face++) { /* inside out */
        uint32_t first = face_first(&cube, face), size = face_size(&cube, face);
        for (uint32_t i = 1; i < size; i++)
            corners[first + i] = cube.corners[first + size - i];
    }
    cube.corners = corners;
    for (size_t i = 0; i < 8; i++) {
        double n[3], t[3] = {1, 0, 0};
        for (size_t axis = 0; axis < 3; axis++)
            n[axis] = cube.positions[3 * i + axis] > 0.5F ? -1 : 1; /* to the middle */
        normalise(n);
        double along = dot(n, t);
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
    (void)add_mesh_of(scene, &cube);
    finish_scene();
    const cp_mesh before = *cp_meshes(scene, NULL);
    assert_int_equal(apply("orient", NULL, NULL), CP_OK);
    const cp_mesh *after = cp_meshes(scene, NULL);
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
            cp_group group = {0, 1, add_material(shows ? brushed : NULL)};
            cp_mesh mesh = patch_mesh(&patch, &group);
            (void)add_mesh_of(scene, &mesh);
            finish_scene();
            assert_int_equal(apply("normals", modes[mode], NULL), CP_OK);
            assert_true((cp_meshes(scene, NULL)->tangents != NULL) == (mode == 2));
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
        cp_pose pose = plain_rotation(axis, 1);
        pose.m[3] = 5;
        for (size_t i = 0; i < COUNT; i++) {
            struct patch patch = make_patch(&random);
            memcpy(positions + 3 * i, patch.positions, 12);
            memcpy(normals + 3 * i, patch.normals, 12);
            memcpy(tangents + 4 * i, patch.tangents, 16);
            double place[3], n[3], t[3];
            widen(patch.positions, place);
            plain_point(&pose, place, place);
            widen(patch.normals, t);
            multiply(&pose, t, n);
            for (size_t k = 0; k < 3; k++) {
                moved[0][3 * i + k] = (float)place[k];
                moved[1][3 * i + k] = (float)n[k];
            }
            widen(patch.tangents, n);
            multiply(&pose, n, t);
            for (size_t k = 0; k < 3; k++)
                moved[2][4 * i + k] = (float)t[k];
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
            (void)add_instance_of(scene, 0, add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
            mesh.positions = moved[0];
            mesh.normals = moved[1];
            mesh.tangents = change == 3 ? NULL : moved[2];
        }
        finish_scene();
        assert_int_equal(apply("instances", NULL, NULL), CP_OK);
        assert_int_equal(count_meshes(scene), change == 0 ? 1 : 2);
    }
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_merged), TEST(test_flattened), TEST(test_weld),
        TEST(test_orient), TEST(test_normals),   TEST(test_instances),
    };
    return cmocka_run_group_tests_name("tangents", tests, NULL, NULL);
}
