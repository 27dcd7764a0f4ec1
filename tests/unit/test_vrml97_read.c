/* The numbers that VRML97 files become: places of moving Transforms, texture coordinates, colours and normals of
 * corners, pixels, masses. Expected values are computed by the formulas of ISO/IEC 14772-1 here. */
#include <math.h>

#include "fixture.h"

static cp_context *context;
static cp_scene *scene;

static int set_up(void **unused)
{
    (void)unused;
    context = cp_context_new(NULL);
    return context ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    scene = NULL;
    cp_context_free(context);
    return 0;
}

/* Reads a file of the cases, or text behind the header, with Z up. */
static void read_case(const char *name)
{
    static const char *const options[] = {"up=z"};
    char path[4096];
    (void)snprintf(path, sizeof path, SAMPLES "/../tests/cases/vrml97/%s", name);
    if (cp_read(context, path, NULL, options, 1, &scene) != CP_OK)
        show_report(context);
    assert_non_null(scene);
}

static void read_world(const char *text)
{
    static const char *const options[] = {"up=z"};
    char world[8192];
    int size = snprintf(world, sizeof world, "#VRML V2.0 utf8\n%s\n", text);
    if (cp_read_memory(context, world, (size_t)size, "world.wrl", NULL, options, 1, &scene) != CP_OK)
        show_report(context);
    assert_non_null(scene);
}

static void check_numbers(const char *what, const double *got, const double *expected, int count, double within)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(got[i] - expected[i]) <= within))
            fail_msg("%s[%d] is %.17g, not %.17g", what, i, got[i], expected[i]);
}

/* ---- clips ---- */

/* Turns a vector about an axis through the origin. */
static void turn(const double axis[3], double angle, double v[3])
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), c = cos(angle), s = sin(angle);
    const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    double along = (x * v[0] + y * v[1] + z * v[2]) * (1 - c);
    const double turned[3] = {v[0] * c + (y * v[2] - z * v[1]) * s + x * along,
                              v[1] * c + (z * v[0] - x * v[2]) * s + y * along,
                              v[2] * c + (x * v[1] - y * v[0]) * s + z * along};
    memcpy(v, turned, sizeof turned);
}

/* Returns where the clip has a point of the only mesh. */
static void point_at(double time, const double point[3], double world[3])
{
    uint32_t count;
    const cp_instance *instance = cp_instances(scene, &count);
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    double in_node[3];
    assert_int_equal(count, 1);
    assert_int_equal(cp_clip_poses(context, scene, 0, time, worlds), CP_OK);
    for (int k = 0; k < 3; k++) {
        const double *m = instance->transform.m + 4 * k;
        in_node[k] = m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3];
    }
    for (int k = 0; k < 3; k++) {
        const double *m = worlds[instance->node].m + 4 * k;
        world[k] = m[0] * in_node[0] + m[1] * in_node[1] + m[2] * in_node[2] + m[3];
    }
    free(worlds);
}

/* The keys of the cases: a place that jumps in the middle, and a turn of a radian about Z. */
static void test_clip(void **unused)
{
    (void)unused;
    read_case("clip.wrl");
    static const double times[] = {0, 1, 1.999999, 2.000001, 3, 4}, places[] = {0, 0.5, 1, 2, 2.5, 3};
    for (int i = 0; i < 6; i++) {
        double corner[3] = {0.5, 0.5, 0.5}, expected[3] = {0.5, 0.5, 0.5};
        const double z[3] = {0, 0, 1};
        turn(z, times[i] / 4, expected);
        expected[0] += places[i];
        point_at(times[i], (const double[]){0.5, 0.5, 0.5}, corner);
        check_numbers("corner", corner, expected, 3, 1e-5);
    }
}

/* T C R SR S -SR -C with R and SR that turn and S that grows. */
static void test_moving_center(void **unused)
{
    (void)unused;
    read_case("clip_centre.wrl");
    static const double z[3] = {0, 0, 1};
    for (int i = 1; i < 4; i++) {
        double time = i * 0.9, place = time < 2 ? time / 2 : 2 + (time - 2) / 2, angle = time / 4;
        double expected[3] = {0.5 - 1, 0.5, 0.5}, corner[3];
        turn(z, -angle, expected);
        expected[0] *= place; /* the keys of scale are those of the place: (x, 0, 0) */
        expected[1] = expected[2] = 0;
        turn(z, angle, expected);
        turn(z, angle, expected);
        expected[0] += 1 + place;
        point_at(time, (const double[]){0.5, 0.5, 0.5}, corner);
        check_numbers("corner", corner, expected, 3, 1e-5);
    }
}

/* ---- faces ---- */

/* The texture is moved, turned and scaled about a place: -C S R C T. */
static void test_texture_transform(void **unused)
{
    (void)unused;
    read_world("Shape { appearance Appearance { texture PixelTexture { image 1 1 3 0xFF8000 }"
               "  textureTransform TextureTransform { center 0.5 0.25 rotation 1.5707963267948966 scale 2 3 "
               "translation 1 0 } }"
               " geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] }"
               "  texCoord TextureCoordinate { point [ 0 0 1 0 0 1 ] } coordIndex [ 0 1 2 ] } }");
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    static const double points[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    assert_non_null(mesh->coordinates[0]);
    for (int i = 0; i < 3; i++) {
        double s = points[i][0] + 1 + 0.5, t = points[i][1] + 0.25;
        const double expected[2] = {2 * -t - 0.5, 1 - (3 * s - 0.25)};
        const double got[2] = {(double)mesh->coordinates[0][2 * i], (double)mesh->coordinates[0][2 * i + 1]};
        check_numbers("coordinate", got, expected, 2, 1e-6);
    }
}

/* Without coordinates the longest side of the box is S, from 0 to 1, and the second one T. */
static void test_default_coordinates(void **unused)
{
    (void)unused;
    read_world("Shape { appearance Appearance { texture PixelTexture { image 1 1 1 0x80 } } geometry IndexedFaceSet {"
               " coord Coordinate { point [ 1 0 2 1 4 2 1 4 4 1 0 4 ] } coordIndex [ 0 1 2 3 ] } }");
    static const float expected[] = {0, 1, 1, 1, 1, 0.5F, 0, 0.5F};
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    for (int i = 0; i < 8; i++)
        assert_true(mesh->coordinates[0][i] == expected[i]);
    assert_true(cp_materials(scene, NULL)->rgba[0] == 1); /* grey multiplies the white of no Material */
}

/* Each corner shows the colour and the normal of its face; the file has numbers as displayed. */
static void test_faces(void **unused)
{
    (void)unused;
    read_world("Shape { geometry IndexedFaceSet { colorPerVertex FALSE normalPerVertex FALSE"
               " coord Coordinate { point [ 0 0 0 1 0 0 1 1 0 0 1 0 ] } coordIndex [ 0 1 2 -1 9 1 2 -1 0 2 3 ]"
               " color Color { color [ 1 0 0 0 0.5 0 0 0 1 ] } colorIndex [ 1 0 2 ] normal Normal { vector [ 0 0 2 0 3 "
               "0 1 0 0 ] } } }");
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    double half = pow((0.5 + 0.055) / 1.055, 2.4);
    assert_int_equal(mesh->face_count, 2);
    for (uint32_t c = 0; c < 6; c++) {
        const float *colour = mesh->colours + 4 * (size_t)mesh->corners[c],
                    *normal = mesh->normals + 3 * (size_t)mesh->corners[c];
        assert_true(fabs((double)colour[1] - (c < 3 ? half : 0)) < 1e-6 && colour[2] == (c < 3 ? 0 : 1) &&
                    colour[3] == 1);
        assert_true(normal[2] == (c < 3 ? 1 : 0) && normal[0] == (c < 3 ? 0 : 1)); /* the face in between is no face */
    }
    assert_int_equal(mesh->vertex_count, 6);
}

/* Corners that go clockwise are turned round, and keep what they show. */
static void test_clockwise(void **unused)
{
    (void)unused;
    read_world("Shape { geometry IndexedFaceSet { ccw FALSE coord Coordinate { point [ 0 0 0 0 1 0 1 0 0 ] } "
               "coordIndex [ 0 1 2 ]"
               " color Color { color [ 1 0 0 0 1 0 ] } colorIndex [ 0 1 0 ] } }");
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    for (uint32_t c = 0; c < 3; c++) {
        const float *p = mesh->positions + 3 * (size_t)mesh->corners[c];
        assert_true(p[0] == (c == 1) && p[1] == (c == 2));
        assert_true(mesh->colours[4 * (size_t)mesh->corners[c] + 1] == (c == 2));
    }
}

/* ---- robots ---- */

static void test_robot(void **unused)
{
    (void)unused;
    read_case("robot.wrl");
    const cp_joint *joint = joint_called(scene, "J1");
    const double axis[3] = {0, 1, 0};
    check_numbers("axis", joint->axis, axis, 3, 0);
    assert_true(joint->lower == -1 && joint->upper == 2 && joint->velocity == 3 && joint->driven);
    assert_false(joint_called(scene, "J3")->driven);
    assert_true(node_called(scene, "BASE")->flags & CP_NODE_MOVABLE);
    /* Two of 1 kg at x = 1 and -1, the second with moments of its own. */
    const cp_inertia *inertia = node_called(scene, "J1")->inertia;
    const double centre[3] = {0, 0, 0}, moments[6] = {1, 0, 0, 1 + 2, 0, 1 + 2};
    assert_true(inertia->mass == 2);
    check_numbers("centre", inertia->centre, centre, 3, 1e-15);
    check_numbers("moments", inertia->moments, moments, 6, 1e-15);
}

static void test_loop(void **unused)
{
    (void)unused;
    read_case("robot_loop.wrl");
    uint32_t count;
    const cp_loop *loops = cp_loops(scene, &count);
    assert_int_equal(count, 1);
    assert_int_equal(loops[0].type, CP_LOOP_SPHERICAL);
    assert_true(loops[0].poses[0].m[3] == 1 && loops[0].poses[1].m[3] == 0);
}

/* ---- metadata ---- */

static void test_metadata(void **unused)
{
    (void)unused;
    read_world("WorldInfo { title \"t\" info [ \"a\" \"b\" ] } DEF N Transform { children Viewpoint { description "
               "\"v\" position 1 2 3 } }");
    uint32_t count;
    const cp_metadata_entry *entries = cp_metadata(scene, &count);
    assert_int_equal(count, 4);
    assert_string_equal(entries[3].key, "Viewpoint");
    assert_int_equal(entries[3].owner, CP_OWNER_NODE);
    assert_non_null(strstr(entries[3].value, "\"position\":[1,2,3]"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_clip),
        TEST(test_moving_center),
        TEST(test_texture_transform),
        TEST(test_default_coordinates),
        TEST(test_faces),
        TEST(test_clockwise),
        TEST(test_robot),
        TEST(test_loop),
        TEST(test_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
