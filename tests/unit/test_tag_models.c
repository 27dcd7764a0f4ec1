/* The models of tag cells, and cells that are large, odd or read without memory. */
#include <unistd.h>

#include "cellpipe_tool.h"
#include "tag_support.h"

/* ---- models ---- */

static const cp_instance *instance(const char *name, uint32_t which)
{
    const cp_node *it = node(name);
    assert_true(which < it->instance_count);
    return &cp_instances(scene, NULL)[it->first_instance + which];
}

static void expect_instance(const char *name, uint32_t which, const char *source, uint32_t use)
{
    const cp_instance *it = instance(name, which);
    assert_string_equal(cp_meshes(scene, NULL)[it->mesh].source, source);
    assert_int_equal(it->use, use);
}

static void expect_sizes(const char *name, cp_mesh_kind kind, uint32_t sides, double a, double b, double c)
{
    const cp_mesh *mesh = &cp_meshes(scene, NULL)[instance(name, 0)->mesh];
    assert_int_equal(mesh->kind, kind);
    assert_int_equal(mesh->sides, sides);
    assert_true(mesh->size[0] == a && mesh->size[1] == b && mesh->size[2] == c);
}

static void test_primitives(void **state)
{
    (void)state;
    read_sample("tag_primitives.wu");
    expect_sizes("Box", CP_MESH_BOX, 0, 0.1, 0.2, 0.3);
    expect_sizes("Cylinder", CP_MESH_CYLINDER, 6, 0.1, 0.4, 0);
    expect_sizes("Empty", CP_MESH_CYLINDER, 0, 0.1, 0.4, 0);
    expect_sizes("Sphere", CP_MESH_SPHERE, 32, 0.125, 0, 0);
    expect_sizes("Cone", CP_MESH_CONE, 32, 0, 0.1, 0.3); /* the tip is down */
    expect_sizes("Tube", CP_MESH_TUBE, 24, 0.1, 0.02, 0.5);
    expect_sizes("Plane", CP_MESH_PLANE, 0, 100, 100, 0);
    expect_sizes("Pyramid", CP_MESH_PYRAMID, 0, 0.2, 0.3, 0.4);
    expect_instance("Box", 0, "#Box 0.1 0.2 0.3", CP_USE_BOTH);
    expect_instance("Plane", 0, "#Plane", CP_USE_DRAWN);
    assert_int_equal(node("Sphere")->flags, CP_NODE_HIGHLIGHT);
    assert_int_equal(node("Tube")->flags, CP_NODE_WIRE);
    assert_int_equal(count_meshes(scene), 8); /* the same words are the same mesh */
    assert_int_equal(instance("Twice", 0)->mesh, instance("Box", 0)->mesh);
    assert_true(instance("Twice", 0)->transform.m[5] == 2.5 && instance("Nothing", 0)->transform.m[5] == 0);
}

static void test_bad_primitives(void **state)
{
    static const char *const bad[] = {"#Ball 1",     "#Box 1 2",    "#Cylinder 1 1",   "#Cylinder 1 1 -3",
                                      "#Line 1",     "#",           "#cylinder 1 1 9", "#Sphere -1",
                                      "#Cone 1 1 2", "#Custom x 1", "#Box a b",        "#Cylinder 1 1 1e9"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        const char *strict = "strict=yes";
        cp_scene *none;
        snprintf(text, sizeof text, "{ \"A\"\n GeoID \"%s\"\n}\n{ \"B\"\n DrawableID \"%s\"\n}\n", bad[i], bad[i]);
        read_text(text);
        assert_int_equal(count_instances(scene), 0);
        assert_int_equal(count_entries(context, CP_WARNING, "tag-primitive"), 1);
        assert_int_equal(count_entries(context, CP_LOSS, "tag-model"), 2); /* of both uses, and drawn */
        assert_int_equal(cp_read_memory(context, text, strlen(text), "a.wu", "tag", &strict, 1, &none), CP_INPUT);
    }
}

static void test_models(void **state)
{
    (void)state;
    read_sample("tag_models.wu");
    assert_int_equal(count_meshes(scene), 4); /* part, hull, lamp, box */
    assert_int_equal(node("Same")->instance_count, 1);
    expect_instance("Same", 0, "tag/part.stl", CP_USE_BOTH);
    assert_int_equal(node("Apart")->instance_count, 2);
    expect_instance("Apart", 0, "tag/part.stl", CP_USE_DRAWN);
    expect_instance("Apart", 1, "tag/hull.STLA", CP_USE_COLLISION);
    expect_instance("Drawn", 0, "tag/part.stl", CP_USE_DRAWN);
    expect_instance("Drawn", 1, "tag/lamp.STL", CP_USE_DRAWN);
    assert_int_equal(instance("Hull", 0)->mesh, instance("Apart", 1)->mesh);
    expect_instance("Hull", 0, "tag/hull.STLA", CP_USE_COLLISION);
    assert_int_equal(node("Mixed")->instance_count, 3);
    expect_instance("Mixed", 0, "#Box 0.1 0.1 0.1", CP_USE_DRAWN);
    expect_instance("Mixed", 1, "tag/part.stl", CP_USE_COLLISION);
    expect_instance("Mixed", 2, "tag/hull.STLA", CP_USE_BOTH);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(instance("Mixed", i)->transform.m[0] == 0.5);
    assert_true(instance("Same", 0)->transform.m[0] == 1);
    assert_int_equal(count_entries(context, CP_WARNING, "tag-model"), 0);
}

/* The scale of the first frame that shows a model is not that of the next. */
static void test_scale_of_shared_models(void **state)
{
    (void)state;
    read_text("{ \"A\"\n GeoID \"tag/part\"\n GeoScale 0\n}\n{ \"B\"\n DrawableID \"tag/part\" \"tag/part\"\n"
              " GeoScale 2\n}\n");
    assert_int_equal(count_meshes(scene), 1);
    assert_true(instance("A", 0)->transform.m[0] == 0 && instance("B", 0)->transform.m[0] == 2);
    assert_int_equal(node("B")->instance_count, 2);
}

/* Of models that differ in the suffix alone RobWork takes the first of its list: .AC before .OBJ before .STL; only STL
 * for collision. */
static void test_order_of_suffixes(void **state)
{
    static const char *const suffixes[] = {"m.stl", "m.obj", "m.ac"};
    (void)state;
    for (int i = 0; i < 3; i++)
        write_file(suffixes[i], "solid\nendsolid\n");
    write_file("cell.wu", "{ \"A\"\n GeoID \"m\"\n}\n");
    cp_scene_free(scene);
    scene = read_path(context, path_of("cell.wu"));
    expect_instance("A", 0, "m.ac", CP_USE_DRAWN);
    expect_instance("A", 1, "m.stl", CP_USE_COLLISION);
}

static void test_missing_models(void **state)
{
    (void)state;
    read_text("{ \"A\"\n GeoID \"tag/nothing\"\n}\n{ \"B\"\n GeoID \"tag/nothing\"\n}\n{ \"C\"\n GeoID \"tag\"\n}\n");
    assert_int_equal(count_instances(scene), 0);
    assert_int_equal(count_entries(context, CP_LOSS, "tag-model"), 2); /* two names */
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity == CP_LOSS && strstr(entries[i].text, "nothing"))
            assert_int_equal(entries[i].count, 2);
}

/* Drawn from the .ac beside the .stl that nobody has; each object of the file is a mesh with its name, at its place. */
static void test_model_with_objects(void **state)
{
    (void)state;
    read_text("{ \"A\"\n DrawableID \"ac3d_desk\"\n GeoScale 2\n}\n");
    assert_int_equal(count_nodes(scene), 2);
    assert_int_equal(node("A")->instance_count, 2);
    expect_instance("A", 0, "ac3d_desk.ac", CP_USE_DRAWN);
    assert_string_equal(cp_meshes(scene, NULL)[instance("A", 0)->mesh].name, "top");
    assert_string_equal(cp_meshes(scene, NULL)[instance("A", 1)->mesh].name, "lamp");
    assert_true(instance("A", 0)->transform.m[3] == 0 && instance("A", 0)->transform.m[11] == 1.5);
    assert_true(instance("A", 1)->transform.m[3] == 1 && instance("A", 1)->transform.m[11] == 1.5);
}

/* ---- large and odd ---- */

static void test_chain(void **state)
{
    (void)state;
    read_sample("tag_chain.wu");
    assert_int_equal(count_nodes(scene), 301);
    /* Four steps of 90 degrees go round a square: after 300 = 4 x 75 frames the last is where it began, exactly. */
    cp_pose last = world("F299");
    assert_true(last.m[0] == 1 && last.m[1] == 0 && last.m[4] == 0 && last.m[5] == 1);
    assert_true(fabs(last.m[3]) < 1e-12 && fabs(last.m[7]) < 1e-12 && last.m[11] == 0);
}

static void test_names(void **state)
{
    (void)state;
    read_sample("tag_names.wu");
    assert_int_equal(count_nodes(scene), 16);
    assert_int_equal(count_entries(context, CP_WARNING, "collision-setup-dangling"), 0);
    assert_int_equal(count_pairs(scene), 14);
    assert_true(has_pair("per%cent & <angle>", "it's"));
    assert_true(has_pair("it's", "line\nbreak"));
    expect_parent("caf\xc3\xa9", "dot.inside");
    assert_true(node("  blanks  ")->flags & CP_NODE_VOLATILE);
    assert_int_equal(strlen(cp_nodes(scene, NULL)[13].name), 300);
}

static void test_latin1_names(void **state)
{
    (void)state;
    read_sample("tag_latin1.wu");
    assert_string_equal(node("T\xc3\xbcr")->raw_name, "T\xfcr");
    assert_null(node("Griff")->raw_name);
    expect_parent("Griff", "T\xc3\xbcr");
}

/* Work is linear: a hundred thousand frames, each looked up by the next. */
static void test_many_frames(void **state)
{
    enum { COUNT = 100000 };
    struct buffer text = {.context = context};
    (void)state;
    for (int i = 0; i < COUNT; i++)
        buffer_print(&text, "{ \"F%d\"\nReferenceFrame \"%s%d\"\nGeoID \"#Box 1 1 1\"\nNote 1\n}\n", i,
                     i % 100 ? "F" : "", i % 100 ? i - 1 : 0);
    for (char *at = text.data; (at = strstr(at, "\"0\"")) != NULL; at += 3)
        memcpy(at, "\"\" ", 3);
    buffer_append(&text, "", 1);
    read_text(text.data);
    assert_int_equal(count_nodes(scene), COUNT + 1);
    assert_int_equal(count_meshes(scene), 1);
    buffer_free(&text);
}

static void test_probe(void **state)
{
    static const char *const tags[] = {"! only\n\n{ \"A\"\n}\n", "{\n\"A\"  ! x\n}", "File \"tag/room.wu\"\n",
                                       "NameOfData \"x\"\n", "\xef\xbb\xbf{ \"A\"\r\n}\r\n"};
    static const char json[] = "{ \"asset\": {}\n}";
    cp_scene *other;
    (void)state;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        cp_scene_free(scene);
        assert_int_equal(cp_read_memory(context, tags[i], strlen(tags[i]), SAMPLES "/noname", NULL, NULL, 0, &scene),
                         CP_OK);
        assert_string_equal(cp_scene_source(scene)->format, "tag");
    }
    if (cp_read_memory(context, json, sizeof json - 1, "noname", NULL, NULL, 0, &other) == CP_OK) {
        assert_string_not_equal(cp_scene_source(other)->format, "tag");
        cp_scene_free(other);
    }
}

/* ---- memory ---- */

/* Reads the file with only so many allocations; true when it came through. */
static bool read_failing(const char *name, long allocations)
{
    struct counter memory = {.limit = (size_t)allocations + 1, .goes_on = true};
    cp_allocator allocator = {counted_resize, &memory};
    char path[4096];
    cp_scene *result = NULL;
    snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    cp_context *own = cp_context_new(&allocator);
    cp_status status = own ? cp_read(own, path, NULL, NULL, 0, &result) : CP_LIMIT;
    assert_true(status == CP_OK || status == CP_LIMIT);
    assert_int_equal(status == CP_OK, result != NULL);
    cp_scene_free(result);
    cp_context_free(own);
    if (memory.bytes != 0)
        fail_msg("%s: %zu bytes left after %ld allocations", name, memory.bytes, allocations);
    return status == CP_OK;
}

static void test_failing_allocator(void **state)
{
    static const char *const names[] = {"tag_arm.wu", "tag_robots.wu", "tag_models.wu", "exclusions.xml"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        long allocations = 0;
        while (!read_failing(names[i], allocations))
            allocations++;
        assert_true(allocations > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_primitives),
        TEST(test_bad_primitives),
        TEST(test_models),
        TEST(test_scale_of_shared_models),
        TEST(test_order_of_suffixes),
        TEST(test_missing_models),
        TEST(test_model_with_objects),
        TEST(test_chain),
        TEST(test_names),
        TEST(test_latin1_names),
        TEST(test_many_frames),
        TEST(test_probe),
        TEST(test_failing_allocator),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
