/* web=yes from inside: integers and orders against brute force; what is packed is what is written without packing; the
 * search for a budget; the same bytes for any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <meshoptimizer.h>

#include "../../exporters/gltf/web/web.h"
#include "base/text/text.h"
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

/* As many bits as it takes, unless they are given. */
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

/* ---- whole files ---- */

struct file {
    void *bytes;
    size_t size;
};

static struct file write_glb(const char *const *options, size_t count)
{
    struct file file;
    cp_status status = cp_write_memory(context, scene, "glb", options, count, &file.bytes, &file.size);
    assert_int_equal(status, CP_OK);
    return file;
}

/* A bumpy sphere of 2 * SIDE^2 triangles. */
enum { SIDE = 120 };

static uint32_t make_sphere(void)
{
    float *positions = scene_allocate(scene, (size_t)(SIDE + 1) * SIDE, 3 * sizeof *positions);
    uint32_t *corners = scene_allocate(scene, (size_t)SIDE * SIDE, 6 * sizeof *corners), at = 0;
    for (int i = 0; i <= SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            double a = PI * i / SIDE, b = 2 * PI * k / SIDE, r = 1 + 0.05 * sin(7 * b) * sin(a) * sin(5 * a);
            float *out = positions + 3 * (size_t)(i * SIDE + k);
            out[0] = (float)(r * sin(a) * cos(b));
            out[1] = (float)(r * sin(a) * sin(b));
            out[2] = (float)(r * cos(a));
        }
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t k = 0; k < SIDE; k++) {
            uint32_t a = i * SIDE + k, b = i * SIDE + (k + 1) % SIDE;
            const uint32_t two[6] = {a, a + SIDE, b, b, a + SIDE, b + SIDE};
            memcpy(corners + at, two, sizeof two);
            at += 6;
        }
    cp_mesh mesh = {.vertex_count = (SIDE + 1) * SIDE,
                    .face_count = at / 3,
                    .corner_count = at,
                    .positions = positions,
                    .corners = corners};
    return scene_add_mesh(scene, &mesh);
}

static void add_sphere(void)
{
    assert_true(scene_add_instance(scene, 0, make_sphere(), CP_USE_DRAWN, &POSE_IDENTITY) != CP_NONE);
    assert_int_equal(scene_finish(scene), CP_OK);
}

static cp_scene *read_back(const struct file *file)
{
    cp_scene *read;
    assert_int_equal(cp_read_memory(context, file->bytes, file->size, "web.glb", NULL, NULL, 0, &read), CP_OK);
    assert_int_equal(read->mesh_count, 1);
    return read;
}

static bool is_turned(const uint32_t *a, const uint32_t *b)
{
    for (int turn = 0; turn < 3; turn++)
        if (a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3])
            return true;
    return false;
}

/* Whatever codecs the program around us uses. */
static void packed_meshes_come_back(void **state)
{
    const char *options[] = {"web=yes", "compression=none"};
    (void)state;
    add_sphere();
    struct file packed = write_glb(options, 1), plain = write_glb(options, 2);
    assert_true(packed.size < plain.size / 2);
    cp_scene *scenes[] = {read_back(&packed), read_back(&plain)};
    const cp_mesh *one = &scenes[0]->meshes[0], *other = &scenes[1]->meshes[0];
    assert_int_equal(one->vertex_count, other->vertex_count);
    assert_memory_equal(one->positions, other->positions, 3 * sizeof *one->positions * one->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)one->vertex_count; i++)
        assert_true(fabsf(one->normals[i] - other->normals[i]) < 1.5F / 127);
    assert_int_equal(one->corner_count, other->corner_count);
    for (uint32_t i = 0; i < one->corner_count; i += 3)
        assert_true(is_turned(one->corners + i, other->corners + i));
    meshopt_encodeIndexVersion(0);
    struct file again = write_glb(options, 1);
    assert_int_equal(again.size, packed.size);
    assert_memory_equal(again.bytes, packed.bytes, packed.size);
    const struct file files[] = {packed, plain, again};
    for (int i = 0; i < 3; i++)
        cp_free(context, files[i].bytes, files[i].size);
    for (int i = 0; i < 2; i++)
        cp_scene_free(scenes[i]);
}

/* The text of the note with this code, or NULL. */
static const char *note(const char *code)
{
    const cp_entry *entry = find_last_entry(context, code);
    return entry ? entry->text : NULL;
}

static void budgets_are_met(void **state)
{
    static const double budgets[] = {40000, 100000, 15000};
    (void)state;
    add_sphere();
    for (size_t i = 0; i < usual_or_long(1, 3); i++) {
        char budget[64];
        (void)snprintf(budget, sizeof budget, "budget=%.0f", budgets[i]);
        const char *options[] = {"web=yes", budget};
        struct file file = write_glb(options, 2);
        assert_true((double)file.size <= budgets[i] && (double)file.size >= 0.7 * budgets[i]);
        assert_non_null(note("gltf-simplified"));
        cp_free(context, file.bytes, file.size);
        cp_report_clear(context);
    }
    const char *options[] = {"web=yes", "budget=1GB"};
    struct file file = write_glb(options, 2);
    assert_non_null(strstr(note("gltf-simplified"), "not simplified"));
    cp_free(context, file.bytes, file.size);
}

/* How often the file says a word. */
static int count_words(const struct file *file, const char *word)
{
    int count = 0;
    for (size_t i = 0; i + strlen(word) <= file->size; i++)
        count += memcmp((const char *)file->bytes + i, word, strlen(word)) == 0;
    return count;
}

static uint32_t add_frame(uint32_t parent, const char *name)
{
    uint32_t node = scene_add_node(scene, parent, name, strlen(name));
    assert_true(node != CP_NONE);
    return node;
}

static void add_box(uint32_t node, double size)
{
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {size, size, size}};
    uint32_t mesh = scene_add_mesh(scene, &box);
    assert_true(scene_add_instance(scene, node, mesh, CP_USE_DRAWN, &POSE_IDENTITY) != CP_NONE);
}

/* Two equal spheres stay one mesh with two places; the boxes of the frames on each side of the joint become one
 * each. */
static void links_become_meshes(void **state)
{
    const char *options[] = {"web=yes"};
    const cp_pose moved = pose_translation(5, 0, 0);
    (void)state;
    uint32_t table = add_frame(0, "Table"), leg = add_frame(table, "Leg"), arm = add_frame(leg, "Arm");
    uint32_t tool = add_frame(arm, "Tool"), left = add_frame(tool, "Left"), right = add_frame(tool, "Right");
    add_box(table, 1);
    add_box(leg, 0.5);
    add_box(arm, 0.25);
    add_box(tool, 0.125);
    assert_true(scene_add_instance(scene, left, make_sphere(), CP_USE_DRAWN, &POSE_IDENTITY) != CP_NONE);
    assert_true(scene_add_instance(scene, right, make_sphere(), CP_USE_DRAWN, &moved) != CP_NONE);
    assert_true(scene_add_joint(scene, arm, CP_JOINT_REVOLUTE, "turn") != CP_NONE);
    assert_int_equal(scene_finish(scene), CP_OK);
    struct file file = write_glb(options, 1);
    assert_int_equal(count_words(&file, "\"primitives\""), 3);
    assert_int_equal(count_words(&file, "\"mesh\":"), 4);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "\"id\":\"%s\"", scene->nodes[i].id);
        assert_true(count_words(&file, id) >= 1);
    }
    cp_free(context, file.bytes, file.size);
}

static void threads_do_not_show(void **state)
{
    const char *options[] = {"web=yes"};
    (void)state;
    add_sphere();
    struct file one = write_glb(options, 1);
    for (uint32_t threads = 2; threads <= 5; threads++) {
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        struct file other = write_glb(options, 1);
        assert_int_equal(one.size, other.size);
        assert_memory_equal(one.bytes, other.bytes, one.size);
        cp_free(context, other.bytes, other.size);
    }
    cp_free(context, one.bytes, one.size);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(faces_keep_their_places),  TEST(normals_decode_as_the_library_does),
        TEST(a_material_is_one_group),  TEST(bits_follow_the_error),
        TEST(hostile_fans_are_ordered), TEST(packed_meshes_come_back),
        TEST(budgets_are_met),          TEST(threads_do_not_show),
        TEST(links_become_meshes),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
