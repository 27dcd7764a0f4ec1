/* Meshes of web=yes before they are packed: normals, integers and orders against brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <meshoptimizer.h>

#include "../../exporters/gltf/web/web.h"
#include "model/model.h"
#include "scene_fixture.h"

/* The same numbers on every machine. */
static uint32_t random_bits(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static uint32_t below(uint32_t *state, uint32_t limit)
{
    return random_bits(state) % limit;
}

static float random_float(uint32_t *state)
{
    return (float)random_bits(state) / 4294967296.0F;
}

/* ---- normals ---- */

static double degrees_between(const float a[3], const signed char b[3])
{
    double along = 0, length = 0, other = 0;
    for (int i = 0; i < 3; i++) {
        along += (double)a[i] * b[i];
        length += (double)a[i] * (double)a[i];
        other += (double)b[i] * b[i];
    }
    return radians_to_degrees(acos(fmin(1, along / sqrt(length * other))));
}

static void normals_decode_as_the_library_does(void **state)
{
    uint32_t random = 3;
    double most = 0;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        float normal[3];
        for (int k = 0; k < 3; k++)
            normal[k] = below(&random, 5) ? random_float(&random) * 2 - 1 : (float)below(&random, 3) - 1;
        if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
            normal[2] = -1;
        uint32_t code = web_encode_normal(normal);
        signed char ours[3], theirs[4] = {(signed char)(code & 0xff), (signed char)(code >> 8), 127, 0};
        web_decode_normal(code, ours);
        meshopt_decodeFilterOct(theirs, 1, 4);
        for (int k = 0; k < 3; k++)
            assert_true(abs(ours[k] - theirs[k]) <= 1);
        most = fmax(most, degrees_between(normal, ours));
    }
    assert_true(
        most <
        0.9); /* a step of 127 is 0.45 degrees; half of it each way on the octahedron and once more on the sphere */
    const float none[3] = {0, 0, 0};
    signed char up[3];
    web_decode_normal(web_encode_normal(none), up);
    assert_true(up[0] == 0 && up[1] == 0 && up[2] == 127);
}

/* ---- integers ---- */

enum { VERTICES = 400, FACES = 700 };

static cp_mesh make_mesh(uint32_t *random, float *positions, uint32_t *corners)
{
    for (size_t i = 0; i < 3 * (size_t)VERTICES; i++)
        positions[i] = (random_float(random) - 0.3F) * (i % 3 == 1 ? 5.0F : 1.0F) + 1000.0F;
    for (size_t i = 0; i < 3 * (size_t)FACES; i++)
        corners[i] = below(random, VERTICES - 10);
    return (cp_mesh){.vertex_count = VERTICES,
                     .face_count = FACES,
                     .corner_count = 3 * FACES,
                     .positions = positions,
                     .corners = corners};
}

static void place_of(const struct web_mesh *web, uint32_t vertex, double out[3])
{
    const uint32_t *words = web_vertex(web, vertex);
    const double point[3] = {words[0] & 0xffff, words[0] >> 16, words[1] & 0xffff};
    pose_point(&web->grid, point, out);
}

static double corner_distance(const struct web_mesh *web, const cp_mesh *mesh, uint32_t a, uint32_t b)
{
    double place[3], sum = 0;
    place_of(web, a, place);
    for (size_t i = 0; i < 3; i++) {
        double off = place[i] - (double)mesh->positions[3 * (size_t)b + i];
        sum += off * off;
    }
    return sqrt(sum);
}

static bool face_is_near(const struct web_mesh *web, const uint32_t *a, const cp_mesh *mesh, const uint32_t *b,
                         double bound)
{
    for (size_t turn = 0; turn < 3; turn++) {
        double off = 0;
        for (size_t i = 0; i < 3; i++)
            off = fmax(off, corner_distance(web, mesh, a[i], b[(i + turn) % 3]));
        if (off <= bound)
            return true;
    }
    return false;
}

/* Every face of the one has one of the other, used once. */
static void assert_same_faces(const struct web_mesh *web, const cp_mesh *mesh, double bound)
{
    bool used[FACES] = {false};
    for (uint32_t face = 0; face < web->corner_count / 3; face++) {
        uint32_t other = 0;
        while (other < FACES && (used[other] || !face_is_near(web, web->corners + 3 * (size_t)face, mesh,
                                                              mesh->corners + 3 * (size_t)other, bound)))
            other++;
        assert_true(other < FACES);
        used[other] = true;
    }
}

static uint32_t repeated_corners(const cp_mesh *mesh)
{
    uint32_t count = 0;
    for (size_t i = 0; i < FACES; i++) {
        const uint32_t *c = mesh->corners + 3 * i;
        count += c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
    }
    return count;
}

static void faces_keep_their_places(void **state)
{
    static float positions[3 * VERTICES];
    static uint32_t corners[3 * FACES];
    uint32_t random = 4;
    (void)state;
    cp_mesh mesh = make_mesh(&random, positions, corners);
    assert_true(scene_add_instance(scene, 0, scene_add_mesh(scene, &mesh), CP_USE_DRAWN,
                                   &(cp_pose){{0, 2, 0, 5, -2, 0, 0, 0, 0, 0, 2, 0}}) != CP_NONE);
    for (uint32_t bits = 8; bits <= 16; bits += 4) {
        struct web_place *places = web_place_meshes(scene, bits, 0);
        struct web_mesh web;
        assert_non_null(places);
        assert_true(fabs(places[0].stretch - 2) < 1e-6);
        assert_true(web_quantise(scene, &mesh, &places[0], NULL, &web));
        /* half the diagonal of a cube of 1 / (2^bits - 1) of the largest side, and what a grid of few digits adds */
        double side = 0;
        for (size_t i = 0; i < 3; i++) {
            double low = INFINITY, high = -INFINITY;
            for (size_t k = 0; k < 3 * (size_t)FACES; k++) {
                low = fmin(low, (double)positions[3 * (size_t)corners[k] + i]);
                high = fmax(high, (double)positions[3 * (size_t)corners[k] + i]);
            }
            side = fmax(side, high - low);
        }
        double expected = side / (double)((1U << bits) - 1) * sqrt(3) / 2;
        assert_true(places[0].cell >= expected * (1 - 1e-6) && places[0].cell <= expected * 1.001);
        assert_true(fabs(web.position - 2 * places[0].cell) <= 1e-6 * web.position);
        assert_int_equal(web.corner_count / 3 + web.collapsed, FACES);
        assert_true(web.collapsed >= repeated_corners(&mesh));
        assert_same_faces(&web, &mesh, places[0].cell * (1 + 1e-9));
        /* first use in order; nothing unused */
        uint32_t next = 0;
        for (uint32_t i = 0; i < web.corner_count; i++) {
            assert_true(web.corners[i] <= next);
            next += web.corners[i] == next;
        }
        assert_int_equal(next, web.vertex_count);
    }
}

/* Faces of three materials by turns become three groups, in the order of first use; the height of a face tells its
 * material. */
static void a_material_is_one_group(void **state)
{
    enum { COUNT = 90 };
    static const uint32_t materials[3] = {1, CP_NONE, 0};
    float points[9 * COUNT];
    uint32_t points_of[3 * COUNT];
    cp_group groups[COUNT];
    (void)state;
    for (uint32_t face = 0; face < COUNT; face++) {
        groups[face] = (cp_group){face, 1, materials[face % 3]};
        for (uint32_t corner = 0; corner < 3; corner++) {
            float *point = points + 9 * face + 3 * corner;
            point[0] = (float)(face + (corner == 1));
            point[1] = (float)(corner == 2);
            point[2] = (float)(face % 3);
            points_of[3 * face + corner] = 3 * face + corner;
        }
    }
    cp_mesh mesh = {.name = "turns", .vertex_count = 3 * COUNT, .face_count = COUNT, .corner_count = 3 * COUNT};
    mesh.group_count = COUNT;
    mesh.positions = points;
    mesh.corners = points_of;
    mesh.groups = groups;
    for (int i = 0; i < 2; i++)
        (void)scene_add_material(scene, "m", (const double[]){i, 0, 0, 1}, false);
    assert_true(scene_add_instance(scene, 0, scene_add_mesh(scene, &mesh), CP_USE_DRAWN, &POSE_IDENTITY) != CP_NONE);
    struct web_mesh web;
    assert_true(web_quantise(scene, &mesh, &web_place_meshes(scene, 14, 0)[0], NULL, &web));
    assert_int_equal(web.group_count, 3);
    for (uint32_t group = 0, next = 0; group < 3; group++) {
        assert_int_equal(web.groups[group].material, materials[group]);
        assert_int_equal(web.groups[group].first_face, next);
        assert_int_equal(web.groups[group].face_count, COUNT / 3);
        next += COUNT / 3;
        for (uint32_t corner = 3 * next - COUNT; corner < 3 * next; corner++) {
            double z = web.grid.m[10] * (double)(web_vertex(&web, web.corners[corner])[1] & 0xffff) + web.grid.m[11];
            assert_true(fabs(z - group) < 0.01);
        }
    }
}

/* Positions have as many bits as it takes, unless they are given. */
static void bits_follow_the_error(void **state)
{
    static float positions[3 * VERTICES];
    static uint32_t corners[3 * FACES];
    uint32_t random = 5;
    (void)state;
    cp_mesh mesh = make_mesh(&random, positions, corners);
    assert_true(scene_add_instance(scene, 0, scene_add_mesh(scene, &mesh), CP_USE_DRAWN, &POSE_IDENTITY) != CP_NONE);
    assert_int_equal(web_place_meshes(scene, 0, 0)[0].bits, 14);
    assert_int_equal(web_place_meshes(scene, 0, 1)[0].bits, 14);
    assert_int_equal(web_place_meshes(scene, 0, 2e-4)[0].bits, 15);
    assert_int_equal(web_place_meshes(scene, 0, 1e-9)[0].bits, 16);
    assert_int_equal(web_place_meshes(scene, 12, 1e-9)[0].bits, 12);
}

/* ---- order ---- */

/* Triangles round one vertex, each at a random place of its ring; how the work grows is counted by work/test_work.c. */
static void hostile_fans_are_ordered(void **state)
{
    enum { COUNT = 300000 };
    (void)state;
    struct web_mesh web = {.vertex_count = COUNT + 2, .corner_count = 6 * COUNT, .group_count = 1, .words = 2};
    cp_group group = {0, 2 * COUNT, CP_NONE};
    web.groups = &group;
    web.vertices = calloc(web.vertex_count, web.words * sizeof *web.vertices);
    web.corners = calloc(web.corner_count, sizeof *web.corners);
    assert_true(web.vertices && web.corners);
    uint32_t random = 6;
    for (uint32_t i = 0; i < web.corner_count; i += 3) {
        uint32_t at = 1 + below(&random, COUNT);
        const uint32_t triangle[3] = {0, at, at + 1};
        memcpy(web.corners + i, triangle, sizeof triangle);
    }
    assert_true(web_order(context, &web));
    for (uint32_t i = 0; i < web.corner_count; i++)
        assert_true(web.corners[i] < web.vertex_count);
    free(web.vertices);
    free(web.corners);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(faces_keep_their_places), TEST(normals_decode_as_the_library_does), TEST(a_material_is_one_group),
        TEST(bits_follow_the_error),   TEST(hostile_fans_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
