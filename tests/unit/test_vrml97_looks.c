/* Tests what people see of a world first: normals of curved parts, a ground under a robot, a floor that does nothing,
 * and numbers without tails. */
#include <math.h>

#include "fixture.h"
#include "vrml97_reader.h"

struct world {
    cp_context *context;
    cp_scene *scene;
    char *text;
};

static struct world start(void)
{
    struct world world = {.context = cp_context_new(NULL)};
    world.scene = cp_scene_new(world.context);
    assert_non_null(world.scene);
    return world;
}

static struct vrml_file *write_world_with(struct world *world, const char *const *options, size_t count)
{
    void *bytes;
    size_t size;
    assert_int_equal(cp_scene_finish(world->scene), CP_OK);
    expect_status(world->context,
                  cp_write_memory(world->context, world->scene, "vrml97", options, count, &bytes, &size), CP_OK);
    world->text = reader_allocate(size + 1);
    memcpy(world->text, bytes, size);
    cp_free(world->context, bytes, size);
    struct vrml_file *file = vrml_read(world->text);
    vrml_check(file);
    return file;
}

static struct vrml_file *write_world(struct world *world, const char *option)
{
    return write_world_with(world, &option, option != NULL);
}

static void finish(struct world *world)
{
    cp_scene_free(world->scene);
    cp_context_free(world->context);
    reader_free();
}

/* The first node of the type below one, or NULL. */
static struct vnode *first_of(struct vnode *node, const char *type)
{
    if (strcmp(node->type, type) == 0)
        return node;
    for (size_t i = 0; i < node->field_count; i++)
        for (size_t k = 0; k < node->fields[i].node_count; k++) {
            struct vnode *found = first_of(node->fields[i].nodes[k], type);
            if (found)
                return found;
        }
    return NULL;
}

static struct vnode *first_in(struct vrml_file *file, const char *type)
{
    for (size_t i = 0; i < file->root_count; i++) {
        struct vnode *found = first_of(file->roots[i], type);
        if (found)
            return found;
    }
    return NULL;
}

/* ---- normals ---- */

enum { SIDES = 24 };

/* A tube's wall and its lid, as STL joined at its vertices: around Z, from 0 to 1, of radius 2. */
static uint32_t add_drum(cp_scene *scene)
{
    static float positions[3 * 2 * SIDES];
    static uint32_t corners[3 * 2 * SIDES + 3 * (SIDES - 2)];
    uint32_t at = 0;
    for (uint32_t i = 0; i < 2 * SIDES; i++) {
        positions[3 * i] = (float)(2 * cos(2 * PI * (i % SIDES) / SIDES));
        positions[3 * i + 1] = (float)(2 * sin(2 * PI * (i % SIDES) / SIDES));
        positions[3 * i + 2] = i < SIDES ? 0 : 1;
    }
    for (uint32_t i = 0; i < SIDES; i++) {
        uint32_t next = (i + 1) % SIDES;
        const uint32_t two[6] = {i, next, SIDES + next, i, SIDES + next, SIDES + i};
        memcpy(corners + at, two, sizeof two);
        at += 6;
    }
    for (uint32_t i = 1; i + 1 < SIDES; i++) {
        const uint32_t one[3] = {SIDES, SIDES + i, SIDES + i + 1};
        memcpy(corners + at, one, sizeof one);
        at += 3;
    }
    return add_mesh_of(scene, &(cp_mesh){.name = "drum",
                                         .vertex_count = 2 * SIDES,
                                         .face_count = at / 3,
                                         .corner_count = at,
                                         .positions = positions,
                                         .corners = corners});
}

static void curved_parts_have_normals(void **state)
{
    (void)state;
    struct world world = start();
    (void)add_instance_of(world.scene, 0, add_drum(world.scene), CP_USE_DRAWN, NULL);
    struct vnode *faces = first_in(write_world(&world, NULL), "IndexedFaceSet");
    struct vfield *points = vfield_of(child_of(faces, "coord"), "point"), *corners = vfield_of(faces, "coordIndex");
    struct vfield *normals = vfield_of(child_of(faces, "normal"), "vector"), *index = vfield_of(faces, "normalIndex");
    assert_true(number_of(faces, "creaseAngle", 0, 0) == 0);
    assert_int_equal(points->number_count, 3 * 2 * SIDES); /* edges do not tear the mesh */
    assert_int_equal(index->number_count, corners->number_count);
    for (size_t i = 0; i < corners->number_count; i++) {
        if (corners->numbers[i] < 0)
            continue;
        const double *point = points->numbers + 3 * (size_t)corners->numbers[i];
        const double *normal = normals->numbers + 3 * (size_t)index->numbers[i];
        bool lid = i >= 4 * 2 * SIDES;
        double expected[3] = {lid ? 0 : point[0] / 2, lid ? 0 : point[1] / 2, lid};
        for (int k = 0; k < 3; k++)
            assert_true(fabs(normal[k] - expected[k]) < 1e-3);
    }
    assert_null(vfield_of(first_in(write_world(&world, "crease=0"), "IndexedFaceSet"), "normal"));
    finish(&world);
}

/* ---- robots and floors ---- */

static const cp_mesh cube = {.name = "box", .kind = CP_MESH_BOX, .size = {0.2, 0.2, 0.2}};
static const cp_mesh slab = {.name = "slab", .kind = CP_MESH_BOX, .size = {3, 3, 0.02}};

/* A robot of one joint whose base is drawn, 0.1 above the origin. */
static void add_robot(struct world *world)
{
    static const cp_pose up = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.1}};
    uint32_t base = add_node_at(world->scene, 0, "base", &up), link = add_node_at(world->scene, base, "link", &up);
    uint32_t mesh = add_mesh_of(world->scene, &cube);
    (void)add_instance_of(world->scene, base, mesh, CP_USE_DRAWN, NULL);
    (void)add_instance_of(world->scene, link, mesh, CP_USE_DRAWN, NULL);
    uint32_t joint = add_limited_joint(world->scene, link, CP_JOINT_REVOLUTE, "turn", -1, 1);
    uint32_t device = add_device_of(world->scene, "robot", base, link, 1, &joint);
    for (uint32_t node = base; node <= link; node++) {
        cp_node row = cp_nodes(world->scene, NULL)[node];
        row.scope = device;
        assert_int_equal(cp_set_node(world->scene, node, &row), CP_OK);
    }
}

static void add_floor(struct world *world)
{
    uint32_t node = add_node_at(world->scene, 0, "ground floor", NULL);
    (void)add_instance_of(world->scene, node, add_mesh_of(world->scene, &slab), CP_USE_DRAWN, NULL);
}

/* The ground, or NULL; the rest is boxes. */
static struct vnode *find_ground(struct world *world, const char *option)
{
    const char *const options[] = {"primitives=yes", option};
    return first_in(write_world_with(world, options, 2), "IndexedFaceSet");
}

static void a_robot_stands_on_a_ground(void **state)
{
    (void)state;
    struct world world = start();
    add_robot(&world);
    assert_null(find_ground(&world, "ground=no")); /* the default */
    struct vnode *ground = find_ground(&world, "ground=yes");
    struct vfield *points = vfield_of(child_of(ground, "coord"), "point");
    for (size_t i = 0; i < 4; i++) { /* Y is up: below the base, whose lower side is at 0 */
        assert_true(points->numbers[3 * i + 1] < 0 && points->numbers[3 * i + 1] > -0.01);
        assert_true(fabs(points->numbers[3 * i]) > 0.1 && fabs(points->numbers[3 * i + 2]) > 0.1);
    }
    finish(&world);

    world = start();
    add_robot(&world);
    add_floor(&world);
    assert_null(find_ground(&world, "ground=yes"));
    finish(&world);

    world = start(); /* a part is no robot */
    (void)add_instance_of(world.scene, 0, add_mesh_of(world.scene, &cube), CP_USE_DRAWN, NULL);
    assert_null(find_ground(&world, "ground=yes"));
    finish(&world);
}

/* A click on the robot's base plays the recording, a click on the floor nothing. */
static void floors_do_nothing(void **state)
{
    static const double times[] = {0, 2}, values[] = {0, 0.5};
    (void)state;
    struct world world = start();
    add_robot(&world);
    add_floor(&world);
    const cp_track track = {0, CP_PATH_JOINT, CP_LINEAR, 2, times, values};
    (void)add_clip_of(world.scene, "work", 1, &track);
    assert_non_null(find_def(write_world(&world, NULL), "touch_base"));
    assert_null(strstr(world.text, "touch_ground"));
    finish(&world);
}

/* ---- numbers ---- */

static void numbers_have_no_tails(void **state)
{
    (void)state;
    struct world world = start();
    const cp_pose place = {{1, 0, 0, 0.1 + 0.2, 0, 1, 0, 4 - 4.44e-16, 0, 0, 1, 1 / 3.0}};
    uint32_t node = add_node_at(world.scene, 0, "a", &place);
    (void)add_instance_of(world.scene, node, add_mesh_of(world.scene, &cube), CP_USE_DRAWN, NULL);
    (void)write_world(&world, "up=z");
    assert_non_null(strstr(world.text, "translation 0.3 4 0.3333333333333333\n"));
    finish(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curved_parts_have_normals),
        cmocka_unit_test(a_robot_stands_on_a_ground),
        cmocka_unit_test(floors_do_nothing),
        cmocka_unit_test(numbers_have_no_tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
