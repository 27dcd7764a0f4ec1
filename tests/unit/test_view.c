/* Views of a scene: what they show, from where, and how large planes are drawn. */
#include "fixture.h"
#include "model/model.h"
#include "view/view.h"
#include "vrml97_scenes.h"

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

struct stage {
    cp_context *context;
    cp_scene *scene;
    struct arena *arena;
    struct views views;
};

static struct stage start(void)
{
    struct stage stage = {.context = cp_context_new(NULL)};
    stage.scene = scene_new(stage.context);
    stage.arena = arena_new(stage.context);
    return stage;
}

static void look(struct stage *stage)
{
    assert_int_equal(scene_finish(stage->scene), CP_OK);
    assert_int_equal(views_find(stage->context, stage->scene, stage->arena, &stage->views), CP_OK);
}

static void end(struct stage *stage)
{
    arena_free(stage->arena);
    cp_scene_free(stage->scene);
    cp_context_free(stage->context);
}

/* Tells where a camera shows a point: right and up as parts of half a window, and how far before it. */
static void see(const struct viewpoint *view, double aspect, const double point[3], double seen[3])
{
    const double *m = view->camera.m;
    double d[3] = {point[0] - m[3], point[1] - m[7], point[2] - m[11]}, along[3];
    for (int axis = 0; axis < 3; axis++)
        along[axis] = d[0] * m[axis] + d[1] * m[4 + axis] + d[2] * m[8 + axis];
    seen[0] = along[0] / -along[2] / tan(FIELD_OF_VIEW / 2) / (aspect > 1 ? aspect : 1);
    seen[1] = along[1] / -along[2] / tan(FIELD_OF_VIEW / 2) * (aspect < 1 ? aspect : 1);
    seen[2] = -along[2];
}

/* The corners of the box are within 0.9 of the window, one of each end of the larger side at it, those of the other
 * side as far from its one end as from the other, and all between near and far. */
static void assert_fills(const struct viewpoint *view, double aspect, const double lower[3], const double upper[3])
{
    double low[2] = {9, 9}, high[2] = {-9, -9};
    for (int i = 0; i < 8; i++) {
        double point[3] = {i & 1 ? lower[0] : upper[0], i & 2 ? lower[1] : upper[1], i & 4 ? lower[2] : upper[2]};
        double seen[3];
        see(view, aspect, point, seen);
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], seen[axis]);
            high[axis] = fmax(high[axis], seen[axis]);
        }
        assert_true(seen[2] >= view->near * (1 - 1e-6) && seen[2] <= view->far * (1 + 1e-6));
    }
    int larger = high[1] - low[1] > high[0] - low[0];
    assert_near(low[larger], -0.9, 1e-6);
    assert_near(high[larger], 0.9, 1e-6);
    assert_near(low[!larger], -high[!larger], 1e-6);
    assert_true(high[!larger] <= 0.9 + 1e-6);
}

static void assert_axes(const struct viewpoint *view, const double right[3], const double up[3], const double back[3])
{
    for (int row = 0; row < 3; row++) {
        assert_near(view->camera.m[4 * row], right[row], 1e-12);
        assert_near(view->camera.m[4 * row + 1], up[row], 1e-12);
        assert_near(view->camera.m[4 * row + 2], back[row], 1e-12);
    }
}

static void test_sides(void **unused)
{
    (void)unused;
    struct stage stage = start();
    uint32_t box = add_box(stage.scene, "box", 3, 1, 2);
    place_mesh(stage.scene, add_node(stage.scene, 0, "a", pose_translation(10, -20, 5)), box);
    look(&stage);
    const struct views *views = &stage.views;
    assert_int_equal(views->count, 4);
    assert_string_equal(views->items[0].title, "whole cell");
    assert_string_equal(views->items[1].title, "front");
    assert_string_equal(views->items[2].title, "left");
    assert_string_equal(views->items[3].title, "top");
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}, before[3] = {0, -1, 0};
    assert_axes(&views->items[1], y, z, x);      /* looks along -X */
    assert_axes(&views->items[2], x, z, before); /* along +Y */
    assert_axes(&views->items[3], x, y, z);      /* along -Z, Y up */
    const double lower[3] = {10, -20, 5}, upper[3] = {13, -19, 7};
    for (int i = 0; i < 3; i++)
        assert_true(views->lower[i] == lower[i] && views->upper[i] == upper[i]);
    assert_near(views->radius, sqrt(14) / 2, 1e-12);
    for (uint32_t i = 0; i < views->count; i++)
        assert_fills(&views->items[i], 4 / 3.0, lower, upper);
    static const double aspects[] = {16 / 9.0, 1, 0.5, 20};
    for (uint32_t i = 0; i < views->count; i++)
        for (size_t k = 0; k < sizeof aspects / sizeof *aspects; k++) {
            views_aim(views, &views->items[i], aspects[k]);
            assert_fills(&views->items[i], aspects[k], lower, upper);
        }
    views_aim(views, &views->items[0], 4 / 3.0);
    /* From the right, before and above. */
    const double *m = views->items[0].camera.m;
    assert_true(m[3] > 13 && m[7] < -20 && m[11] > 7);
    end(&stage);
}

/* How far a mesh of 700 vertices reaches is what trying all of them says, wherever in the mesh the farthest one is. */
static void test_reach(void **unused)
{
    (void)unused;
    enum { VERTICES = 700, DIRECTIONS = 20 };
    struct stage stage = start();
    static float positions[VERTICES][3];
    static uint32_t corners[3 * VERTICES];
    for (uint32_t i = 0; i < VERTICES; i++) {
        for (uint32_t k = 0; k < 3; k++)
            positions[i][k] = (float)sin(i * (0.7 + k) + k) * (float)(1 + i % 7 * k);
        for (uint32_t k = 0; k < 3; k++) /* some are used again, much later */
            corners[3 * i + k] = k == 2 ? i * 13 % VERTICES : (i + k) % VERTICES;
    }
    const cp_mesh mesh = {.name = "cloud",
                          .source = "",
                          .vertex_count = VERTICES,
                          .corner_count = 3 * VERTICES,
                          .face_count = VERTICES,
                          .positions = positions[0],
                          .corners = corners};
    uint32_t node = add_node(stage.scene, 0, "a", pose_translation(4, -2, 1));
    place_mesh(stage.scene, node, scene_add_mesh(stage.scene, &mesh));
    look(&stage);
    for (int n = 0; n < DIRECTIONS; n++) {
        const double direction[1][3] = {{cos(n), sin(n) * cos(3 * n), sin(n) * sin(3 * n)}};
        double most[1] = {-INFINITY}, expected = -INFINITY;
        shown_reach(&stage.views.shown, 0, direction, most, 1);
        for (int i = 0; i < VERTICES; i++) {
            const double at[3] = {(double)positions[i][0] + 4, (double)positions[i][1] - 2,
                                  (double)positions[i][2] + 1};
            expected = fmax(expected, direction[0][0] * at[0] + direction[0][1] * at[1] + direction[0][2] * at[2]);
        }
        assert_near(most[0], expected, 1e-12);
    }
    end(&stage);
}

static void test_nothing(void **unused)
{
    (void)unused;
    struct stage stage = start();
    look(&stage);
    assert_int_equal(stage.views.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(stage.views.items[i].near > 0 && stage.views.items[i].far > stage.views.items[i].near);
        for (int k = 0; k < 12; k++)
            assert_true(isfinite(stage.views.items[i].camera.m[k]));
    }
    end(&stage);
}

/* A turning block, 0.4 wide, and a wall 1 m before it, 10 m wide and 6 m high: it hides the block from both corners
 * before it, above and below. */
static uint32_t hide_block(cp_scene *scene)
{
    uint32_t block = add_node(scene, 0, "block", pose_translation(-0.2, -0.2, 0));
    add_joint(scene, joint_of(block, CP_JOINT_REVOLUTE, -1, 1));
    place_mesh(scene, block, add_box(scene, "block", 0.4, 0.4, 0.4));
    place_mesh(scene, add_node(scene, 0, "wall", pose_translation(-5, -1.1, -3)), add_box(scene, "wall", 10, 0.1, 6));
    return block;
}

static void test_behind_a_wall(void **unused)
{
    (void)unused;
    struct stage stage = start();
    hide_block(stage.scene);
    look(&stage);
    const double *m = stage.views.items[0].camera.m;
    assert_true(m[3] > 0 && m[7] > 0 && m[11] > 0); /* the first corner behind it */
    assert_fills(&stage.views.items[0], 4 / 3.0, (const double[]){-5, -1.1, -3},
                 (const double[]){5, -1, 3}); /* the wall */
    end(&stage);
}

/* A device has a view of its own parts, from a corner where they are seen. */
static void test_device(void **unused)
{
    (void)unused;
    struct stage stage = start();
    uint32_t block = hide_block(stage.scene), device = scene_add_device(stage.scene, "Turner", block);
    uint32_t joint = 0, bare = scene_add_device(stage.scene, "bare", 0);
    stage.scene->devices[device].joints = &joint;
    stage.scene->devices[device].joint_count = 1;
    stage.scene->devices[device].ends = &block;
    stage.scene->devices[device].end_count = 1;
    (void)bare;
    stage.scene->nodes[block].scope = device;
    look(&stage);
    assert_int_equal(stage.views.count, 5);
    const struct viewpoint *view = &stage.views.items[4];
    assert_string_equal(view->title, "Turner");
    assert_fills(view, 4 / 3.0, (const double[]){-0.2, -0.2, 0}, (const double[]){0.2, 0.2, 0.4});
    assert_true(view->camera.m[7] > 0);
    end(&stage);
}

static uint32_t add_plane(cp_scene *scene)
{
    return scene_add_mesh(scene, &(cp_mesh){.name = "floor", .source = "", .kind = CP_MESH_PLANE, .size = {100, 100}});
}

static void test_planes(void **unused)
{
    (void)unused;
    struct stage stage = start();
    place_mesh(stage.scene, add_node(stage.scene, 0, "a", pose_translation(10, 0, 0)),
               add_box(stage.scene, "box", 1, 2, 3));
    place_mesh(stage.scene, add_node(stage.scene, 0, "b", pose_translation(0, 0, -1)), add_plane(stage.scene));
    look(&stage);
    assert_true(stage.views.lower[2] == 0 && stage.views.upper[0] == 11); /* without the plane */
    cp_scene *limited;
    assert_int_equal(view_limit_planes(stage.context, stage.scene, &limited), CP_OK);
    assert_non_null(limited);
    assert_true(limited->meshes[1].size[0] == 6 && limited->meshes[1].size[1] == 6); /* twice the 3 m */
    const double *m = limited->instances[1].transform.m;
    assert_near(m[3], 10.5, 1e-12);
    assert_near(m[7], 1, 1e-12);
    assert_true(m[11] == 0);
    assert_true(stage.scene->meshes[1].size[0] == 100);
    const cp_entry *note = find_entry(stage.context, "planes-limited");
    assert_non_null(note);
    assert_int_equal(note->severity, CP_NOTE);
    assert_non_null(strstr(note->text, ": 1"));
    cp_scene_free(limited);
    end(&stage);
}

/* A plane that ends before it is below the middle stays within its borders; one that is small enough, or alone, as it
 * is. */
static void test_planes_that_stay(void **unused)
{
    (void)unused;
    struct stage stage = start();
    uint32_t far = add_node(stage.scene, 0, "a", pose_translation(60, 0, 0));
    place_mesh(stage.scene, far, add_box(stage.scene, "box", 1, 1, 1));
    place_mesh(stage.scene, add_node(stage.scene, 0, "b", POSE_IDENTITY), add_plane(stage.scene));
    look(&stage);
    cp_scene *limited;
    assert_int_equal(view_limit_planes(stage.context, stage.scene, &limited), CP_OK);
    assert_true(limited->meshes[1].size[0] == 2);
    assert_near(limited->instances[1].transform.m[3], 49, 1e-12);
    cp_scene_free(limited);
    end(&stage);
    stage = start();
    place_mesh(stage.scene, add_node(stage.scene, 0, "b", POSE_IDENTITY), add_plane(stage.scene));
    look(&stage);
    assert_true(stage.views.upper[0] == 50);
    assert_int_equal(view_limit_planes(stage.context, stage.scene, &limited), CP_OK);
    assert_null(limited);
    assert_null(find_entry(stage.context, "planes-limited"));
    end(&stage);
}

/* ---- colours ---- */

/* A robot with a bare tool on it, a workpiece, and things that stand; the robot, the tool and the block share a mesh.
 */
static void make_cell(struct stage *stage)
{
    cp_scene *scene = stage->scene;
    static uint32_t joint, end;
    joint = 0;
    uint32_t box = add_box(scene, "box", 0.4, 0.4, 0.4);
    uint32_t base = add_node(scene, 0, "base", POSE_IDENTITY), link = add_node(scene, base, "link", POSE_IDENTITY);
    uint32_t tool = add_node(scene, link, "hand", POSE_IDENTITY);
    uint32_t piece = add_node(scene, 0, "piece", pose_translation(1, 0, 0));
    uint32_t floor = add_node(scene, 0, "Shop Floor", pose_translation(-3, -3, -0.5));
    uint32_t fence = add_node(scene, 0, "panel", pose_translation(-3, 3, -0.5));
    uint32_t block = add_node(scene, 0, "block", pose_translation(2, 0, 0));
    uint32_t device = scene_add_device(scene, "Robot", base);
    end = link;
    scene->devices[device].joints = &joint;
    scene->devices[device].joint_count = 1;
    scene->devices[device].ends = &end;
    scene->devices[device].end_count = 1;
    scene->nodes[base].scope = scene->nodes[link].scope = device;
    scene->nodes[piece].flags = CP_NODE_MOVABLE;
    add_joint(scene, joint_of(link, CP_JOINT_REVOLUTE, -1, 1));
    place_mesh(scene, base, box);
    place_mesh(scene, link, box);
    place_mesh(scene, tool, box);
    place_mesh(scene, piece, add_box(scene, "part", 0.1, 0.1, 0.1));
    place_mesh(scene, floor, add_box(scene, "plate", 6, 6, 0.1));
    place_mesh(scene, fence, add_box(scene, "mesh", 6, 0.05, 2));
    place_mesh(scene, block, box);
    assert_int_equal(scene_finish(scene), CP_OK);
}

/* The name of the material of an instance, "" for none. */
static const char *colour_of(const cp_scene *scene, uint32_t instance)
{
    const cp_mesh *mesh = &scene->meshes[scene->instances[instance].mesh];
    return mesh->group_count ? scene->materials[mesh->groups[0].material].name : "";
}

static void test_colours(void **unused)
{
    (void)unused;
    struct stage stage = start();
    make_cell(&stage);
    cp_scene *painted = NULL;
    assert_int_equal(view_paint(stage.context, stage.scene, &painted), CP_OK);
    static const char *const names[] = {"robot 1", "robot 1", "tool", "workpiece", "floor", "fence", ""};
    assert_int_equal(painted->instance_count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_string_equal(colour_of(painted, i), names[i]);
    assert_int_equal(painted->mesh_count, 6); /* the box in three colours */
    assert_int_equal(stage.scene->mesh_count, 4);
    assert_int_equal(stage.scene->material_count, 0);
    assert_int_equal(cp_validate(stage.context, painted), CP_OK);
    const cp_entry *note = find_entry(stage.context, "colours-made");
    assert_int_equal(note->severity, CP_NOTE);
    assert_non_null(strstr(note->text, "robots 1, tools 1, workpieces 1, floors 1, fences 1"));
    cp_scene_free(painted);
    end(&stage);
}

static void test_no_colours(void **unused)
{
    (void)unused;
    struct stage stage = start();
    make_cell(&stage);
    cp_scene *painted = NULL;
    static cp_group group;
    group = (cp_group){0, 6, scene_add_material(stage.scene, "red", (double[]){1, 0, 0, 1}, true)};
    stage.scene->meshes[1].groups = &group;
    stage.scene->meshes[1].group_count = 1;
    assert_int_equal(view_paint(stage.context, stage.scene, &painted), CP_OK);
    assert_null(painted); /* one colour is enough */
    end(&stage);
    stage = start();
    place_mesh(stage.scene, add_node(stage.scene, 0, "a", POSE_IDENTITY), add_box(stage.scene, "box", 1, 1, 1));
    look(&stage);
    assert_int_equal(view_paint(stage.context, stage.scene, &painted), CP_OK);
    assert_null(painted); /* a part */
    assert_null(find_entry(stage.context, "colours-made"));
    end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_behind_a_wall),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_planes_that_stay),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_no_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
