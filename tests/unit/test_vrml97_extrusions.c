/* Extrusions (ISO/IEC 14772-1, 6.18) whose spine is straight, turns back, stays in its place or is closed: where the
 * cross-sections stand, which caps there are, and what a texture shows on them. */
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

/* Reads an Extrusion of a square, whose corners are those of the default, in the axes of the file. look: of its Shape.
 */
static const cp_mesh *read_extrusion(const char *look, const char *fields)
{
    static const char *const options[] = {"up=z"};
    size_t room = strlen(fields) + strlen(look) + 128;
    char *world = malloc(room);
    assert_non_null(world);
    int size = snprintf(world, room, "#VRML V2.0 utf8\nShape { %s geometry Extrusion { %s } }\n", look, fields);
    cp_scene_free(scene);
    scene = NULL;
    if (cp_read_memory(context, world, (size_t)size, "world.wrl", NULL, options, 1, &scene) != CP_OK)
        show_report(context);
    free(world);
    assert_non_null(scene);
    return cp_meshes(scene, NULL);
}

/* Returns a corner of a face. */
static const float *point_of(const cp_mesh *mesh, uint32_t face, uint32_t corner)
{
    uint32_t begin = mesh->face_offsets ? mesh->face_offsets[face] : 3 * face;
    return mesh->positions + 3 * (size_t)mesh->corners[begin + corner];
}

/* Finds a point of the cross-section at a point of the spine; the sides come first, four at a step. */
static const float *ring_point(const cp_mesh *mesh, uint32_t step, uint32_t k)
{
    return step == 0 ? point_of(mesh, k, 0) : point_of(mesh, 4 * (step - 1) + k, 3);
}

/* Checks that the corners of all cross-sections stand off their points of the spine as those of the first one do. */
static void check_same_rings(const cp_mesh *mesh, const double (*spine)[3], uint32_t count, double within)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 4; k++)
            for (int axis = 0; axis < 3; axis++) {
                double first = (double)ring_point(mesh, 0, k)[axis] - spine[0][axis],
                       here = (double)ring_point(mesh, i, k)[axis] - spine[i][axis];
                if (!(fabs(first - here) <= within))
                    fail_msg("point %u of cross-section %u, axis %d: %g, not %g", k, i, axis, here, first);
            }
}

/* Numbers of six digits, as files have them, are a line all the same. */
static void test_straight(void **unused)
{
    (void)unused;
    static const double spine[5][3] = {{0.123457, -0.765432, 1.41421},
                                       {0.700684, -0.188205, 1.99144},
                                       {1.27791, 0.389023, 2.56867},
                                       {1.85514, 0.966251, 3.1459},
                                       {2.43237, 1.54348, 3.72313}};
    const cp_mesh *mesh = read_extrusion("", "spine [ 0.123457 -0.765432 1.41421 0.700684 -0.188205 1.99144 1.27791 "
                                             "0.389023 2.56867 1.85514 0.966251 3.1459 2.43237 1.54348 3.72313 ]");
    assert_int_equal(mesh->face_count, 18);
    check_same_rings(mesh, spine, 5, 1e-5);
    /* The turn from Y to (1, 1, 1) is about (1, 0, -1), which stays as it is. */
    double a = (double)ring_point(mesh, 0, 1)[0] - spine[0][0], c = (double)ring_point(mesh, 0, 1)[2] - spine[0][2];
    assert_true(fabs(a - 1) < 1e-5 && fabs(c + 1) < 1e-5);
}

/* A spine that goes back on itself is one line, with one direction. */
static void test_turning_back(void **unused)
{
    (void)unused;
    static const double spine[5][3] = {{0, 0, 0}, {1, 0, 2}, {2, 0, 4}, {1, 0, 2}, {0.5, 0, 1}};
    check_same_rings(read_extrusion("", "spine [ 0 0 0 1 0 2 2 0 4 1 0 2 0.5 0 1 ]"), spine, 5, 1e-6);
}

/* Points at one place have the same axes, so that their cross-sections are one; here the bend at (0, 2, 0). */
static void test_one_place(void **unused)
{
    (void)unused;
    const cp_mesh *twice = read_extrusion("", "spine [ 0 0 0 0 2 0 0 2 0 2 2 0 ]");
    for (uint32_t k = 0; k < 4; k++)
        assert_memory_equal(ring_point(twice, 1, k), ring_point(twice, 2, k), 3 * sizeof(float));
    /* Y halves the angle there, and Z is (2, 0, 0) x (0, -2, 0): the corner (1, 1) is Z + Y x Z. */
    const float *corner = ring_point(twice, 1, 0);
    assert_true(fabs((double)corner[0] + sqrt(0.5)) < 1e-6 && fabs((double)corner[1] - 2 - sqrt(0.5)) < 1e-6 &&
                fabs((double)corner[2] + 1) < 1e-6);
    /* A spine that stays in its place, and turns there: a surface of revolution. */
    const cp_mesh *turned = read_extrusion(
        "", "spine [ 0 5 0 0 5 0 0 5 0 ] orientation [ 0 1 0 0 1 0 0 1.5707963 1 0 0 3.1415927 ] beginCap FALSE");
    assert_int_equal(turned->face_count, 9);
    const float *quarter = ring_point(turned, 1, 0); /* (1, 0, 1), a quarter of a turn about X */
    assert_true(fabs((double)quarter[0] - 1) < 1e-6 && fabs((double)quarter[1] - 4) < 1e-6 &&
                fabs((double)quarter[2]) < 1e-6);
}

/* A closed spine ends as it begins, but for the scale there; caps are inside only where the ends are the same. */
static void test_closed(void **unused)
{
    (void)unused;
#define RING "spine [ 4 0 4 4 0 -4 -4 0 -4 -4 0 4 4 0 4 ] "
    static const struct {
        const char *fields;
        uint32_t faces;
        double end; /* the size of the last cross-section in parts of the first */
    } cases[] = {{RING, 16, 1},
                 {RING "scale [ 1 1 1 1 1 1 1 1 0.5 0.5 ]", 18, 0.5},
                 {RING "scale [ 1 1 1 1 1 1 1 1 0.5 0.5 ] endCap FALSE", 17, 0.5},
                 {RING "crossSection [ 1 1 1 -1 -1 -1 -1 1 ]", 14, 1},
                 {RING "crossSection [ 1 1 1 -1 -1 -1 -1 1 ] beginCap FALSE endCap FALSE", 12, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cp_mesh *mesh = read_extrusion("", cases[i].fields);
        assert_int_equal(mesh->face_count, cases[i].faces);
        const uint32_t sides = strstr(cases[i].fields, "crossSection") ? 3 : 4;
        for (int axis = 0; axis < 3; axis++) {
            const double middle[3] = {4, 0, 4};
            double first = (double)point_of(mesh, 0, 0)[axis] - middle[axis],
                   last = (double)point_of(mesh, 3 * sides, 3)[axis] - middle[axis];
            assert_true(fabs(last - cases[i].end * first) < 1e-6);
        }
    }
}

/* A ring of very many steps is round, though each of them is almost straight: its volume is that of Pappus. */
static void test_many_steps(void **unused)
{
    (void)unused;
    enum { STEPS = 20000 };
    char *fields = malloc(STEPS * 64 + 256);
    assert_non_null(fields);
    int size = snprintf(fields, 256, "crossSection [ .1 .1 .1 -.1 -.1 -.1 -.1 .1 .1 .1 ] spine [ ");
    for (int i = 0; i <= STEPS; i++) {
        double angle = 2 * PI * (i % STEPS) / STEPS;
        size += snprintf(fields + size, 64, "%.0fe-9 0 %.0fe-9, ", 1e9 * cos(angle), 1e9 * sin(angle));
    }
    (void)snprintf(fields + size, 8, "]");
    (void)read_extrusion("", fields);
    free(fields);
    cp_measures measures = {.size = sizeof measures};
    assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &measures), CP_OK);
    assert_true(fabs(fabs(measures.volume) - 0.04 * 2 * PI) < 1e-4);
}

/* A texture goes once round the cross-section and once along the spine, up to its far edge; on the caps the longer side
 * of the cross-section is the image's. Coordinates of textures count from the upper edge here. */
static void test_texture(void **unused)
{
    (void)unused;
    static const char look[] = "appearance Appearance { texture PixelTexture { image 1 1 3 0xFF8000 } }";
    static const char *const spines[] = {"spine [ 0 0 0 0 1 0 0 3 0 ]", RING};
    for (int spine = 0; spine < 2; spine++) {
        const cp_mesh *mesh = read_extrusion(look, spines[spine]);
        uint32_t steps = spine ? 4 : 2;
        for (uint32_t i = 0; i < steps; i++)
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t *corners = mesh->corners + mesh->face_offsets[4 * i + k];
                for (uint32_t corner = 0; corner < 4; corner++) {
                    float s = (float)(k + (corner == 1 || corner == 2)) / 4,
                          t = (float)(i + (corner > 1)) / (float)steps;
                    const float *st = mesh->coordinates[0] + 2 * (size_t)corners[corner];
                    assert_true(fabsf(st[0] - s) < 1e-6F && fabsf(1 - st[1] - t) < 1e-6F);
                }
            }
    }
    const cp_mesh *mesh =
        read_extrusion(look, "crossSection [ 0 0 0 -1 -2 -1 -2 0 0 0 ] scale 3 1 spine [ 0 0 0 0 1 0 ]");
    assert_int_equal(mesh->face_count, 6);
    for (uint32_t face = 4; face < 6; face++)
        for (uint32_t i = mesh->face_offsets[face]; i < mesh->face_offsets[face + 1]; i++) {
            const float *at = mesh->positions + 3 * (size_t)mesh->corners[i],
                        *st = mesh->coordinates[0] + 2 * (size_t)mesh->corners[i];
            assert_true(at[1] == (face == 4 ? 0 : 1));
            assert_true(fabsf(st[0] - (at[0] / 3 + 2) / 2) < 1e-6F && fabsf(1 - st[1] - (at[2] + 1) / 2) < 1e-6F);
        }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_straight), TEST(test_turning_back), TEST(test_one_place),
        TEST(test_closed),   TEST(test_many_steps),   TEST(test_texture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
