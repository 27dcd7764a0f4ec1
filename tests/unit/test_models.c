/* Models are read once and placed often, through the interface and by the importers. */
#include "base/bytes/bytes.h"
#include "base/text/text.h"
#include "fixture.h"
#include "model/model.h"
#include "package_tree.h"
#include "plugins/models.h"

static const char part[] =
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
    "endfacet\nendsolid s\n";

/* A top file beside a part, in a scene that the models are for. */
struct cell {
    struct source *top;
    cp_scene *scene;
    struct arena *arena;
    struct models models;
};

static void open_cell(struct cell *cell)
{
    write_file("ws/arm/urdf/part.stl", part);
    write_file("ws/arm/meshes/part.stl", part);
    cell->top = open_robot();
    cell->scene = scene_new(context);
    cell->arena = arena_new(context);
    assert_true(cell->scene && cell->arena);
    models_start(&cell->models, cell->scene, cell->arena);
}

static void close_cell(struct cell *cell)
{
    models_free(&cell->models);
    arena_free(cell->arena);
    cp_scene_free(cell->scene);
    source_close(cell->top);
}

static uint32_t must_find(struct cell *cell, struct model_request request)
{
    uint32_t model;
    request.from = cell->top;
    cp_status status = models_find(&cell->models, &request, &model);
    if (status != CP_OK || model == CP_NONE) {
        show_report(context);
        fail_msg("%s: status %d", request.name, (int)status);
    }
    return model;
}

static void test_read_once(void **state)
{
    static const char *const spellings[] = {"part.stl",
                                            "./part.stl",
                                            ".//./part.stl",
                                            "file://part.stl",
                                            "file://~/ws/arm/urdf/part.stl",
                                            "~/ws/arm/urdf/part.stl",
                                            "~/ws//arm/./urdf/part.stl"};
    (void)state;
    struct cell cell;
    open_cell(&cell);
    cp_pose pose = pose_scaling(0.5, 2, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t node = scene_add_node(cell.scene, 0, "n", 1);
        const char *name = expand(spellings[i % (sizeof spellings / sizeof *spellings)]);
        uint32_t model = must_find(&cell, (struct model_request){.name = name});
        assert_int_equal(model, 0);
        assert_int_equal(models_place(&cell.models, model, node, CP_USE_DRAWN, &pose), CP_OK);
    }
    assert_int_equal(cell.scene->mesh_count, 1);
    assert_int_equal(cell.scene->instance_count, 1000);
    assert_true(cell.scene->instances[999].transform.m[5] == 2);
    uint32_t opened = source_inputs(cell.top)->count;
    assert_true(opened <= 1 + sizeof spellings / sizeof *spellings); /* to see that it is known */
    must_find(&cell, (struct model_request){.name = "part.stl"});
    assert_int_equal(source_inputs(cell.top)->count, opened);

    /* Another file, and the same one by another format. */
    assert_int_equal(must_find(&cell, (struct model_request){.name = "package://arm/meshes/part.stl"}), 1);
    assert_int_equal(must_find(&cell, (struct model_request){.name = "../meshes/part.stl"}),
                     2); /* ".." may be a link */
    assert_int_equal(must_find(&cell, (struct model_request){.name = "part.stl", .format = "stl"}), 3);
    assert_int_equal(must_find(&cell, (struct model_request){.name = "./part.stl", .format = "stl"}), 3);
    close_cell(&cell);
}

static void test_placing(void **state)
{
    (void)state;
    struct cell cell;
    open_cell(&cell);
    cp_pose plain = POSE_IDENTITY, moved = pose_translation(1, 0, 0), vast = pose_scaling(1e308, 1e308, 1e308);
    uint32_t model = must_find(&cell, (struct model_request){.name = "part.stl"}), twice;
    uint32_t first = scene_add_node(cell.scene, 0, "a", 1), second = scene_add_node(cell.scene, 0, "b", 1);
    const cp_scene *scene = cell.scene;
    assert_int_equal(models_place(&cell.models, model, first, CP_USE_DRAWN, &plain), CP_OK);
    assert_int_equal(models_place(&cell.models, model, first, CP_USE_COLLISION, &plain), CP_OK);
    assert_int_equal(scene->instance_count, 1); /* one for both */
    assert_int_equal(scene->instances[0].use, CP_USE_BOTH);
    assert_int_equal(models_place(&cell.models, model, first, CP_USE_COLLISION, &plain), CP_OK);
    assert_int_equal(models_place(&cell.models, model, first, CP_USE_DRAWN, &moved), CP_OK);
    assert_int_equal(scene->instance_count, 3);
    assert_int_equal(scene->instances[1].use, CP_USE_COLLISION);
    assert_int_equal(scene->instances[2].use, CP_USE_DRAWN);
    assert_true(scene->instances[2].transform.m[3] == 1);
    assert_int_equal(models_place(&cell.models, model, second, CP_USE_COLLISION, &moved), CP_OK);
    assert_int_equal(scene->instances[3].node, second);
    assert_int_equal(scene->instances[2].use, CP_USE_DRAWN);

    /* A model of our own, as large as numbers go. */
    cp_instance *parts = scene_allocate(cell.scene, 1, sizeof *parts);
    *parts = (cp_instance){.mesh = 0, .transform = vast};
    assert_int_equal(models_add(&cell.models, parts, 1, &twice), CP_OK);
    assert_int_equal(models_place(&cell.models, twice, second, CP_USE_BOTH, &plain), CP_OK);
    assert_int_equal(models_place(&cell.models, twice, second, CP_USE_BOTH, &vast), CP_NO);
    close_cell(&cell);
}

static cp_status count_and_refuse(const struct model_request *request, const struct source *source)
{
    ++*(int *)(uintptr_t)request->user;
    return text_ends_nocase(source->name, "near.stl")   ? CP_NO
           : text_ends_nocase(source->name, "part.stl") ? CP_OK
                                                        : CP_INPUT;
}

static void test_missing_and_refused(void **state)
{
    static const char *const suffixes[] = {"near.stl", "part.stl", NULL}, *const plain[] = {"", NULL};
    static const struct file_search both = {.suffixes = suffixes}, one = {.suffixes = plain};
    (void)state;
    struct cell cell;
    uint32_t model;
    int asked = 0;
    open_cell(&cell);
    struct model_request missing = {.from = cell.top, .name = "package://arm/none.stl"};
    assert_int_equal(models_find(&cell.models, &missing, &model), CP_NO);
    assert_int_equal(model, CP_NONE);
    assert_int_equal(models_find(&cell.models, &missing, &model), CP_OK); /* has been said */
    assert_int_equal(model, CP_NONE);
    const char *places = models_places(&cell.models, &missing);
    assert_memory_equal(places, "; looked at arm/none.stl, /", strlen("; looked at arm/none.stl, /"));
    assert_non_null(strstr(places, expand("~/ws/arm/none.stl")));
    missing.name = "none.stl";
    assert_int_equal(models_find(&cell.models, &missing, &model), CP_NO);
    assert_string_equal(models_places(&cell.models, &missing), "");

    /* The importer passes a file over for the next spelling, once. */
    struct model_request request = {
        .from = cell.top, .name = "./", .search = &both, .check = count_and_refuse, .user = &asked};
    assert_int_equal(models_find(&cell.models, &request, &model), CP_OK);
    assert_int_equal(model, 0);
    assert_int_equal(asked, 2);
    request.name = ".//./";
    assert_int_equal(models_find(&cell.models, &request, &model), CP_OK);
    assert_int_equal(model, 0);
    request.search = &one; /* other rules are another question, a known file no other */
    request.name = "near.stl";
    assert_int_equal(models_find(&cell.models, &request, &model), CP_NO);
    assert_int_equal(asked, 2);
    request.name = "two words.stl";
    assert_int_equal(models_find(&cell.models, &request, &model), CP_INPUT);
    close_cell(&cell);
}

/* ---- importers ---- */

/* The files that a scene was read from, which is the record of what was opened. */
static void expect_inputs(const cp_scene *scene, uint32_t count)
{
    if (scene->inputs.count == count)
        return;
    for (uint32_t i = 0; i < scene->inputs.count; i++)
        print_message("%s\n", scene->inputs.items[i].path);
    fail_msg("%u files were opened, not %u", (unsigned)scene->inputs.count, (unsigned)count);
}

/* A workcell and a device that show a package's model a thousand times: drawn and for collision, with and without
 * suffix. */
static void test_importers_read_once(void **state)
{
    (void)state;
    char *text = malloc(1000 * 80), *end = text;
    cp_scene *scene;
    assert_non_null(text);
    write_file("ws/hand/box.stl", part);
    for (int i = 0; i < 1000; i++)
        end += sprintf(end, "{ \"F%d\"\n GeoID \"package://hand/box%s\"\n}\n", i, i % 2 ? ".stl" : "");
    write_file("ws/arm/urdf/cell.wu", text);
    assert_int_equal(cp_read(context, expand("~/ws/arm/urdf/cell.wu"), NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(scene->mesh_count, 1);
    assert_int_equal(scene->instance_count, 1000);
    assert_int_equal(scene->instances[999].use, CP_USE_BOTH);
    assert_string_equal(scene->meshes[0].source, "package://hand/box.stl");
    expect_inputs(scene, 2);
    cp_scene_free(scene);

    end = text + sprintf(text, "DCT DEVICE 1.0\nDEVICE d\n");
    for (int i = 0; i < 1000; i++)
        end += sprintf(end, "PART p FILE \"package://hand/%s\" ATTACH %s\n", i % 2 ? "box.stl" : "BOX.STL",
                       i == 0    ? "1"
                       : i < 999 ? "01"
                                 : "00");
    (void)strcpy(end, "END\n");
    write_file("ws/arm/urdf/device.dcd", text);
    assert_int_equal(cp_read(context, expand("~/ws/arm/urdf/device.dcd"), NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(scene->mesh_count, 1);
    assert_int_equal(scene->instance_count, 1000);
    expect_inputs(scene, 2);
    cp_scene_free(scene);
    free(text);
}

/* ---- memory ---- */

/* Reads the cell with so many allocations, counted down. */
static cp_status read_with(long *left, bool confine)
{
    cp_allocator poor = {failing_resize, left};
    cp_context *weak = cp_context_new(&poor);
    cp_scene *scene = NULL;
    if (!weak)
        return CP_LIMIT;
    cp_set_flag(weak, CP_FLAG_CONFINE, confine);
    cp_status status = cp_add_package_folder(weak, "other=/nowhere");
    if (status == CP_OK)
        status = cp_add_include_folder(weak, expand("~/lib"));
    if (status == CP_OK)
        status = cp_read(weak, expand("~/ws/arm/urdf/cell.wu"), NULL, NULL, 0, &scene);
    cp_scene_free(scene);
    cp_context_free(weak);
    return status;
}

/* Failing at each allocation is an error, and nothing is lost; so on until all succeed. */
static void test_failed_allocations(void **state)
{
    (void)state;
    write_file("ws/hand/box.stl", part);
    write_file("ws/arm/urdf/cell.wu", "{ \"A\"\n GeoID \"package://hand/box\" \"file://none\" \"#Box 1 1 1\"\n}\n"
                                      "{ \"B\"\n GeoID \"package://hand/box.stl\" \"package://none/a\"\n}\n");
    for (int confine = 0; confine < 2; confine++) {
        const long plenty = 1000000000;
        cp_status status = CP_LIMIT;
        long enough = 0, left = plenty;
        assert_int_equal(read_with(&left, confine), confine ? CP_INPUT : CP_OK);
        for (; status == CP_LIMIT; enough++) {
            long few = enough;
            status = read_with(&few, confine);
        }
        assert_int_equal(status, confine ? CP_INPUT : CP_OK);
        if (!confine)                                    /* whose error may lack the memory for its text */
            assert_int_equal(enough - 1, plenty - left); /* none that failed was passed over */
    }
}

/* A frame that lacks its model for collisions is counted, since it has pairs in the cell that the file describes; one
 * that lacks a drawn model, or has another one for collisions, is not. */
static void test_frames_without_their_models(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } cells[] = {
        {"cell.wu", "{ \"A\"\n GeoID \"#Box 1 1 1\"\n}\n{ \"B\"\n CollisionModelID \"gone\"\n}\n{ \"C\"\n DrawableID "
                    "\"gone\"\n}\n{ \"D\"\n CollisionModelID \"gone\" \"#Box 1 1 1\"\n}\n"},
        {"cell.wc.xml",
         "<WorkCell name='w'><Frame name='A'><Drawable name='g'><Box x='1' y='1' z='1'/></Drawable></Frame>"
         "<Frame name='B'><CollisionModel name='g'><Polytope file='gone'/></CollisionModel></Frame>"
         "<Frame name='C'><Drawable name='g' colmodel='Disabled'><Polytope file='gone'/></Drawable></Frame>"
         "<Frame name='D'><CollisionModel name='g'><Polytope file='gone'/><Box x='1' y='1' z='1'/></CollisionModel>"
         "</Frame><CollisionSetup file='none.xml'/></WorkCell>"},
        {"cell.urdf",
         "<robot name='r'><link name='A'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
         "<link name='B'><collision><geometry><mesh filename='gone.stl'/></geometry></collision></link>"
         "<link name='C'><visual><geometry><mesh filename='gone.stl'/></geometry></visual></link>"
         "<link name='D'><collision><geometry><mesh filename='gone.stl'/></geometry></collision>"
         "<collision><geometry><box size='1 1 1'/></geometry></collision></link>"
         "<joint name='b' type='fixed'><parent link='A'/><child link='B'/></joint>"
         "<joint name='c' type='fixed'><parent link='A'/><child link='C'/></joint>"
         "<joint name='d' type='fixed'><parent link='A'/><child link='D'/></joint></robot>"},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        cp_pair_counts counts = {.size = sizeof counts};
        cp_scene *scene = read_scene(context, cells[i].text, cells[i].name, NULL);
        assert_true(node_called(scene, "B")->flags & CP_NODE_MISSING);
        assert_false(node_called(scene, "C")->flags & CP_NODE_MISSING);
        assert_int_equal(cp_count_pairs(context, scene, &counts), CP_OK);
        assert_int_equal(counts.candidates, 2);
        assert_int_equal(counts.missing, 1);
        assert_int_equal(counts.all, 1);
        assert_int_equal(counts.declared, 3);
        assert_int_equal(counts.checked, 1);
        assert_int_equal(counts.declared_checked, 3);
        cp_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_read_once),
        TEST(test_placing),
        TEST(test_missing_and_refused),
        TEST(test_importers_read_once),
        TEST(test_frames_without_their_models),
        TEST(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
