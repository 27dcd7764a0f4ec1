/* web=yes: what is packed is what is written without packing; the search for a budget; meshes of links; the same bytes
 * for any number of threads. */
#include <math.h>
#include <meshoptimizer.h>

#include "scene_fixture.h"

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
    static float positions[3 * (SIDE + 1) * SIDE];
    static uint32_t corners[6 * SIDE * SIDE];
    uint32_t at = 0;
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
    return add_mesh_of(scene, &mesh);
}

static void add_sphere(void)
{
    (void)add_instance_of(scene, 0, make_sphere(), CP_USE_DRAWN, NULL);
    finish_scene();
}

static cp_scene *read_back(const struct file *file)
{
    cp_scene *read;
    assert_int_equal(cp_read_memory(context, file->bytes, file->size, "web.glb", NULL, NULL, 0, &read), CP_OK);
    assert_int_equal(count_meshes(read), 1);
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
    meshopt_encodeIndexVersion(1);
    struct file packed = write_glb(options, 1), plain = write_glb(options, 2);
    assert_true(packed.size < plain.size / 2);
    cp_scene *scenes[] = {read_back(&packed), read_back(&plain)};
    const cp_mesh *one = cp_meshes(scenes[0], NULL), *other = cp_meshes(scenes[1], NULL);
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

static void add_box(uint32_t node, double size)
{
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {size, size, size}};
    (void)add_instance_of(scene, node, add_mesh_of(scene, &box), CP_USE_DRAWN, NULL);
}

/* Two equal spheres stay one mesh with two places; the boxes of the frames on each side of the joint become one
 * each. */
static void links_become_meshes(void **state)
{
    const char *options[] = {"web=yes"};
    const cp_pose moved = plain_translation(5, 0, 0);
    (void)state;
    uint32_t table = add_node_at(scene, 0, "Table", NULL), leg = add_node_at(scene, table, "Leg", NULL),
             arm = add_node_at(scene, leg, "Arm", NULL);
    uint32_t tool = add_node_at(scene, arm, "Tool", NULL), left = add_node_at(scene, tool, "Left", NULL),
             right = add_node_at(scene, tool, "Right", NULL);
    add_box(table, 1);
    add_box(leg, 0.5);
    add_box(arm, 0.25);
    add_box(tool, 0.125);
    (void)add_instance_of(scene, left, make_sphere(), CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, right, make_sphere(), CP_USE_DRAWN, &moved);
    (void)add_joint_of(scene, arm, CP_JOINT_REVOLUTE, "turn");
    finish_scene();
    struct file file = write_glb(options, 1);
    assert_int_equal(count_words(&file, "\"primitives\""), 3);
    assert_int_equal(count_words(&file, "\"mesh\":"), 4);
    for (uint32_t i = 0; i < count_nodes(scene); i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "\"id\":\"%s\"", cp_nodes(scene, NULL)[i].id);
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
        TEST(packed_meshes_come_back),
        TEST(budgets_are_met),
        TEST(threads_do_not_show),
        TEST(links_become_meshes),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
