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

/* Without coordinates the longest side of the box is S, from 0 to 1, and the second one T. The box is that of the
 * faces. */
static void test_default_coordinates(void **unused)
{
    (void)unused;
    read_world("Shape { appearance Appearance { texture PixelTexture { image 1 1 1 0x80 } } geometry IndexedFaceSet {"
               " coord Coordinate { point [ 1 0 2 1 4 2 1 4 4 1 0 4 9 9 9 ] } coordIndex [ 0 1 2 3 ] } }");
    static const float expected[] = {0, 1, 1, 1, 1, 0.5F, 0, 0.5F};
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    for (int i = 0; i < 8; i++)
        assert_true(mesh->coordinates[0][i] == expected[i]);
    assert_true(cp_materials(scene, NULL)->rgba[0] == 1); /* grey multiplies the white of no Material */
}

/* A texture stands upright on each face of a box that is seen from outside, from above with -Z up, from below with Z
 * (6.7). Coordinates of textures count from the upper edge here. */
static void test_texture_of_box(void **unused)
{
    (void)unused;
    read_world(
        "Shape { appearance Appearance { texture PixelTexture { image 1 1 3 0xFF8000 } } geometry Box { size 1 2 "
        "4 } }");
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    static const double size[3] = {1, 2, 4};
    int seen[3][2] = {{0}};
    assert_int_equal(mesh->face_count, 6);
    assert_int_equal(cp_materials(scene, NULL)->texture_count, 1);
    for (uint32_t face = 0; face < 6; face++) {
        const uint32_t *corners = mesh->corners + mesh->face_offsets[face];
        double at[4][3], out[3], a[3], b[3];
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                at[i][k] = (double)mesh->positions[3 * (size_t)corners[i] + (size_t)k] / size[k];
        for (int k = 0; k < 3; k++) {
            a[k] = at[1][k] - at[0][k];
            b[k] = at[2][k] - at[0][k];
        }
        out[0] = a[1] * b[2] - a[2] * b[1];
        out[1] = a[2] * b[0] - a[0] * b[2];
        out[2] = a[0] * b[1] - a[1] * b[0];
        int axis = out[0] != 0 ? 0 : out[1] != 0 ? 1 : 2, sign = out[axis] > 0 ? 1 : -1;
        seen[axis][sign > 0]++;
        for (int i = 0; i < 4; i++) {
            double s = axis == 0 ? -sign * at[i][2] : axis == 1 ? at[i][0] : sign * at[i][0];
            double t = axis == 1 ? -sign * at[i][2] : at[i][1];
            const float *st = mesh->coordinates[0] + 2 * (size_t)corners[i];
            assert_true(at[i][axis] == sign * 0.5);
            assert_true((double)st[0] == s + 0.5 && (double)st[1] == 1 - (t + 0.5));
        }
    }
    for (int i = 0; i < 6; i++)
        assert_int_equal(seen[i / 2][i % 2], 1);
}

/* Returns the texture coordinates of the corner at a place in a face that looks up, down or outwards; or fails. */
static void coordinates_at(const double place[3], int up, double st[2])
{
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const float *at = mesh->positions + 3 * (size_t)i, *normal = mesh->normals + 3 * (size_t)i;
        bool same = up == (normal[1] > 0.99F) - (normal[1] < -0.99F);
        for (int k = 0; k < 3; k++)
            same = same && fabs((double)at[k] - place[k]) < 1e-6;
        if (same) {
            st[0] = (double)mesh->coordinates[0][2 * (size_t)i];
            st[1] = 1 - (double)mesh->coordinates[0][2 * (size_t)i + 1];
            return;
        }
    }
    fail_msg("no corner at %g %g %g", place[0], place[1], place[2]);
}

/* A texture begins at the back of a round shape and goes counterclockwise as seen from above; on caps it is a circle
 * that stands upright with X to the right, and -Z up from above, Z from below (6.10, 6.14, 6.42). */
static void test_texture_of_round_shapes(void **unused)
{
    (void)unused;
    static const struct {
        const char *shape;
        double place[3];
        int up;
        double st[2];
    } cases[] = {{"Sphere { radius 2 }", {0, 0, 2}, 0, {0.5, 0.5}},
                 {"Sphere { radius 2 }", {-2, 0, 0}, 0, {0.25, 0.5}},
                 {"Sphere { radius 2 }", {2, 0, 0}, 0, {0.75, 0.5}},
                 {"Sphere { radius 2 }", {0, 1.414213562, 1.414213562}, 0, {0.5, 0.75}},
                 {"Sphere { radius 2 }", {-1.414213562, -1.414213562, 0}, 0, {0.25, 0.25}},
                 {"Cylinder { radius 2 height 6 }", {0, 3, 2}, 0, {0.5, 1}},
                 {"Cylinder { radius 2 height 6 }", {-2, -3, 0}, 0, {0.25, 0}},
                 {"Cylinder { radius 2 height 6 }", {2, 3, 0}, 0, {0.75, 1}},
                 {"Cylinder { radius 2 height 6 }", {2, 3, 0}, 1, {1, 0.5}},
                 {"Cylinder { radius 2 height 6 }", {0, 3, -2}, 1, {0.5, 1}},
                 {"Cylinder { radius 2 height 6 }", {2, -3, 0}, -1, {1, 0.5}},
                 {"Cylinder { radius 2 height 6 }", {0, -3, 2}, -1, {0.5, 1}},
                 {"Cylinder { radius 2 height 6 top FALSE }", {2, 3, 0}, 0, {0.75, 1}},
                 {"Cone { bottomRadius 2 height 2 }", {0, -1, 2}, 0, {0.5, 0}},
                 {"Cone { bottomRadius 2 height 2 }", {-2, -1, 0}, 0, {0.25, 0}},
                 {"Cone { bottomRadius 2 height 2 }", {0, -1, 2}, -1, {0.5, 1}},
                 {"Cone { bottomRadius 2 height 2 }", {-2, -1, 0}, -1, {0, 0.5}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        double st[2] = {0};
        (void)snprintf(text, sizeof text,
                       "Shape { appearance Appearance { texture PixelTexture { image 1 1 3 0xFF8000 } } geometry %s }",
                       cases[i].shape);
        cp_scene_free(scene);
        read_world(text);
        assert_false(was_reported(context, "vrml97-textures"));
        assert_int_equal(cp_materials(scene, NULL)->texture_count, 1);
        coordinates_at(cases[i].place, cases[i].up, st);
        check_numbers(cases[i].shape, st, cases[i].st, 2, 1e-6);
    }
}

/* The seam is an edge: no face shows the texture backwards from its end to its beginning. Normals are exact, faces are
 * those of the shape without a texture, and the shape is closed. */
static void test_faces_of_textured_shapes(void **unused)
{
    (void)unused;
    static const char *const shapes[] = {"Sphere { radius 2 }", "Cylinder { radius 2 height 6 }",
                                         "Cone { bottomRadius 2 height 4 }"};
    for (size_t i = 0; i < 3; i++) {
        cp_measures measures[2] = {{.size = sizeof *measures}, {.size = sizeof *measures}};
        for (int textured = 0; textured < 2; textured++) {
            char text[512];
            (void)snprintf(text, sizeof text, "Shape { appearance Appearance { %s } geometry %s }",
                           textured ? "texture PixelTexture { image 1 1 3 0xFF8000 }" : "", shapes[i]);
            cp_scene_free(scene);
            read_world(text);
            assert_int_equal(cp_measure(context, scene, CP_USE_BOTH, &measures[textured]), CP_OK);
        }
        assert_true(measures[0].triangles == measures[1].triangles);
        assert_true(fabs(measures[0].area - measures[1].area) < 1e-5 * measures[0].area);
        assert_true(fabs(measures[0].volume - measures[1].volume) < 1e-5 * measures[0].volume);
        const cp_mesh *mesh = cp_meshes(scene, NULL);
        for (uint32_t face = 0; face < mesh->face_count; face++) {
            double low = 1, high = 0;
            for (uint32_t c = mesh->face_offsets[face]; c < mesh->face_offsets[face + 1]; c++) {
                const float *at = mesh->positions + 3 * (size_t)mesh->corners[c];
                const float *n = mesh->normals + 3 * (size_t)mesh->corners[c];
                low = fmin(low, (double)mesh->coordinates[0][2 * (size_t)mesh->corners[c]]);
                high = fmax(high, (double)mesh->coordinates[0][2 * (size_t)mesh->corners[c]]);
                for (int k = 0; k < 3 && i == 0; k++)
                    assert_true(fabs((double)n[k] - (double)at[k] / 2) < 1e-6);
                if (i == 2 && n[1] > -0.99F) /* 2 up for 4 outwards */
                    assert_true(fabs((double)n[1] - sqrt(0.2)) < 1e-6);
            }
            assert_true(high - low < 0.04 || mesh->face_offsets[face + 1] - mesh->face_offsets[face] == 32);
        }
    }
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

/* ---- normals by the crease angle ---- */

/* A cube from -1 to 1. */
#define CUBE                                                                                                           \
    "coord Coordinate { point [ -1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1 ] }"                       \
    "coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 2 3 7 6 -1 1 2 6 5 -1 0 4 7 3 ]"

/* Faces meet at a right angle: below 1.6 the cube is round, its normals are diagonals; below 1.5 it is flat all over,
 * and by any other angle that a writer takes, too. */
static void test_crease_of_cube(void **unused)
{
    (void)unused;
    read_world("Shape { geometry IndexedFaceSet { creaseAngle 1.6 " CUBE " } }");
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    assert_int_equal(mesh->vertex_count, 8);
    assert_non_null(mesh->normals);
    for (size_t i = 0; i < 24; i++)
        assert_true(fabs((double)mesh->normals[i] - (double)mesh->positions[i] / sqrt(3)) < 1e-6);
    static const char *const flat[] = {"creaseAngle 1.5", "creaseAngle 0", ""};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "Shape { geometry IndexedFaceSet { %s " CUBE " } }", flat[i]);
        cp_scene_free(scene);
        read_world(text);
        assert_null(cp_meshes(scene, NULL)->normals);
        assert_int_equal(cp_meshes(scene, NULL)->vertex_count, 8);
    }
}

/* Tells how the normals of a wall around Y stand: along the radius of their corner, or along the middle of their face;
 * caps have their own. */
static void check_wall(const cp_mesh *mesh, bool is_round)
{
    assert_non_null(mesh->normals);
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh->face_offsets[face], end = mesh->face_offsets[face + 1];
        double middle[2] = {0, 0}, low = 1, high = -1;
        for (uint32_t c = first; c < end; c++) {
            const float *at = mesh->positions + 3 * (size_t)mesh->corners[c];
            middle[0] += (double)at[0] / (end - first);
            middle[1] += (double)at[2] / (end - first);
            low = fmin(low, (double)at[1]);
            high = fmax(high, (double)at[1]);
        }
        for (uint32_t c = first; c < end; c++) {
            const float *at = mesh->positions + 3 * (size_t)mesh->corners[c];
            double x = is_round ? (double)at[0] : middle[0], z = is_round ? (double)at[2] : middle[1];
            bool cap = low == high;
            const double length = hypot(x, z), up = low > 0 ? 1 : -1;
            const double expected[3] = {cap ? 0 : x / length, cap ? up : 0, cap ? 0 : z / length};
            const float *n = mesh->normals + 3 * (size_t)mesh->corners[c];
            check_numbers("normal", (const double[]){(double)n[0], (double)n[1], (double)n[2]}, expected, 3, 1e-5);
        }
    }
}

/* An Extrusion of twelve sides: 30 degrees (0.5236) at an edge. Without the field nothing is said. */
static void test_crease_of_extrusion(void **unused)
{
    (void)unused;
    static const struct {
        const char *field;
        bool is_made, is_round;
    } cases[] = {{"creaseAngle 0.53", true, true},
                 {"creaseAngle 0.52", true, false},
                 {"creaseAngle 0", true, false},
                 {"creaseAngle -1", true, false},
                 {"", false, false},
                 {"creaseAngle 1.5", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        int size = snprintf(text, sizeof text, "Shape { geometry Extrusion { spine [ 0 -1 0 0 1 0 ] %s crossSection [ ",
                            cases[i].field);
        for (int k = 0; k <= 12; k++)
            size += snprintf(text + size, sizeof text - (size_t)size,
                             "%.0fe-9 %.0fe-9 ", /* without the point of the locale */
                             1e9 * cos(k % 12 * PI / 6), -1e9 * sin(k % 12 * PI / 6));
        (void)snprintf(text + size, sizeof text - (size_t)size, "] } }");
        cp_scene_free(scene);
        read_world(text);
        if (cases[i].is_made)
            check_wall(cp_meshes(scene, NULL), cases[i].is_round);
        else
            assert_null(cp_meshes(scene, NULL)->normals);
    }
}

/* A roof of two slopes of 45 degrees, whose ridge is softened by 1.6, but not by 1.5; ccw FALSE looks below it. The
 * node's own normals come first. */
static void test_crease_of_grid(void **unused)
{
    (void)unused;
    static const struct {
        const char *fields;
        double ridge[3];
    } cases[] = {{"creaseAngle 1.6", {0, 1, 0}},
                 {"creaseAngle 1.6 ccw FALSE", {0, -1, 0}},
                 {"creaseAngle 1.6 normal Normal { vector [ 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 ] }", {1, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "Shape { geometry ElevationGrid { xDimension 3 zDimension 2 height [ 0 1 0 0 1 0 ] %s } }",
                       cases[i].fields);
        cp_scene_free(scene);
        read_world(text);
        const cp_mesh *mesh = cp_meshes(scene, NULL);
        assert_non_null(mesh->normals);
        const float *n = mesh->normals + 3; /* of the second point, on the ridge */
        check_numbers("normal", (const double[]){(double)n[0], (double)n[1], (double)n[2]}, cases[i].ridge, 3, 1e-6);
    }
    cp_scene_free(scene);
    read_world("Shape { geometry ElevationGrid { xDimension 3 zDimension 2 height [ 0 1 0 0 1 0 ] creaseAngle 1.5 } }");
    assert_null(cp_meshes(scene, NULL)->normals);
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
        TEST(test_texture_of_box),
        TEST(test_texture_of_round_shapes),
        TEST(test_faces_of_textured_shapes),
        TEST(test_faces),
        TEST(test_clockwise),
        TEST(test_crease_of_cube),
        TEST(test_crease_of_extrusion),
        TEST(test_crease_of_grid),
        TEST(test_robot),
        TEST(test_loop),
        TEST(test_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
