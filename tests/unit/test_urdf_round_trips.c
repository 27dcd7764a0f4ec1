/* Samples to URDF and back: frames are where they were at random joint values, and limits, masses, colours, triangles
 * and bounds are those of before. What cannot come back is a loss that the test names. */
#include <math.h>

#include "fixture.h"

enum { STATES = 20 };

/* A scene, and what the reader makes of the file that was written of it. */
struct pair {
    const char *name;
    cp_context *context, *reader;
    cp_scene *before, *after;
};

/* Returns the joint that was written of the joint: the second of a name has _2 in the file, the third _3. */
static uint32_t joint_again(const struct pair *pair, uint32_t joint)
{
    const cp_joint *joints = cp_joints(pair->before, NULL);
    char name[512];
    int number = 1;
    for (uint32_t i = 0; i < joint; i++)
        number += !strcmp(joints[i].name, joints[joint].name);
    (void)snprintf(name, sizeof name, number > 1 ? "%s_%d" : "%s", joints[joint].name, number);
    return only_joint(pair->after, name);
}

/* Chooses values. Where a joint stands still in the file, so does what moves it; loops stay as they are. */
static void choose_values(const cp_scene *scene, double *q)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        q[i] = joints[i].type == CP_JOINT_SCALE || joints[i].type == CP_JOINT_FIXED ? joints[i].home
               : count_loops(scene)                                                 ? joints[i].q
                                    : random_number(fmax(joints[i].lower, -3), fmin(joints[i].upper, 3));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; joints[i].expression && k < joints[i].expression->input_count; k++)
            q[joints[i].expression->inputs[k]] = joints[joints[i].expression->inputs[k]].home;
}

static void check_near(const struct pair *pair, const char *what, const char *name, double got, double expected,
                       double within)
{
    if (got != expected && !(fabs(got - expected) <= within))
        fail_msg("%s: %s of %s is %.17g, not %.17g", pair->name, what, name, got, expected);
}

/* ---- what must be there again ---- */

static void check_joints(const struct pair *pair)
{
    uint32_t count;
    const cp_joint *before = cp_joints(pair->before, &count), *after = cp_joints(pair->after, NULL);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = joint_again(pair, i);
        bool stands = before[i].type == CP_JOINT_FIXED || before[i].type == CP_JOINT_SCALE || before[i].expression;
        if (stands || only_joint(pair->before, before[i].name) == CP_NONE) {
            assert_true(index == CP_NONE || !stands);
            continue;
        }
        if (index == CP_NONE)
            fail_msg("%s: no joint %s", pair->name, before[i].name);
        const cp_joint *joint = &after[index], *was = &before[i];
        bool slides = was->type == CP_JOINT_PRISMATIC;
        assert_int_equal(joint->type, was->type);
        for (int k = 0; k < 3; k++)
            check_near(pair, "axis", was->name, joint->axis[k], was->axis[k], 1e-15);
        check_near(pair, "lower", was->name, joint->lower, slides && isinf(was->lower) ? -1e6 : was->lower, 0);
        check_near(pair, "upper", was->name, joint->upper, slides && isinf(was->upper) ? 1e6 : was->upper, 0);
        check_near(pair, "velocity", was->name, joint->velocity, was->velocity, 0);
        check_near(pair, "effort", was->name, joint->effort, was->effort, 0);
        check_near(pair, "damping", was->name, joint->damping, was->damping, 0);
        check_near(pair, "friction", was->name, joint->friction, was->friction, 0);
        assert_int_equal(joint->master == CP_NONE, was->master == CP_NONE);
        if (was->master == CP_NONE)
            continue;
        assert_string_equal(after[joint->master].name, before[was->master].name);
        check_near(pair, "multiplier", was->name, joint->scale, was->scale, 0);
        check_near(pair, "offset", was->name, joint->offset, was->offset, 0);
    }
}

static bool is_rigid(const cp_pose *pose)
{
    const double *m = pose->m;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (fabs(m[i] * m[k] + m[4 + i] * m[4 + k] + m[8 + i] * m[8 + k] - (i == k)) > 1e-9)
                return false;
    return plain_determinant(pose) > 0;
}

static void check_poses(const struct pair *pair)
{
    uint32_t count, nodes;
    (void)cp_joints(pair->before, &count);
    const cp_node *frames = cp_nodes(pair->before, &nodes);
    double *q = calloc(count + 1, sizeof *q), *values = calloc(count + 1, sizeof *q),
           *again = calloc(count_joints(pair->after) + 1, sizeof *q);
    cp_pose *worlds = calloc(nodes, sizeof *worlds), *places = calloc(count_nodes(pair->after), sizeof *places);
    for (int state = 0; state < STATES; state++) {
        choose_values(pair->before, q);
        assert_int_equal(cp_joint_values(pair->context, pair->before, q, values), CP_OK);
        assert_int_equal(cp_world_poses(pair->context, pair->before, q, worlds), CP_OK);
        for (uint32_t i = 0; i < count; i++)
            if (joint_again(pair, i) != CP_NONE)
                again[joint_again(pair, i)] = values[i];
        assert_int_equal(cp_world_poses(pair->context, pair->after, again, places), CP_OK);
        for (uint32_t i = 1; i < nodes; i++) {
            uint32_t frame = only_node(pair->after, frames[i].name);
            if (only_node(pair->before, frames[i].name) == CP_NONE || (frames[i].flags & CP_NODE_PLACEHOLDER))
                continue;
            if (frame == CP_NONE)
                fail_msg("%s: no frame %s", pair->name, frames[i].name);
            for (int k = 0; k < 12; k++)
                if (k % 4 == 3 || is_rigid(&worlds[i])) /* links have no scale */
                    check_near(pair, "the pose", frames[i].name, places[frame].m[k], worlds[i].m[k], 1e-9);
        }
    }
    free(q);
    free(values);
    free(again);
    free(worlds);
    free(places);
}

static void check_inertia(const struct pair *pair)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(pair->before, &count);
    for (uint32_t i = 1; i < count; i++) {
        if (!nodes[i].inertia)
            continue;
        const cp_inertia *was = nodes[i].inertia, *is = node_called(pair->after, nodes[i].name)->inertia;
        assert_non_null(is);
        check_near(pair, "mass", nodes[i].name, is->mass, was->mass, 0);
        for (int k = 0; k < 3; k++)
            check_near(pair, "centre", nodes[i].name, is->centre[k], was->centre[k], 0);
        for (int k = 0; k < 6; k++)
            check_near(pair, "moment", nodes[i].name, is->moments[k], was->moments[k], 0);
    }
}

/* Brings the scene that was read to where the other one stands: the file has no joint values. */
static void bring_along(struct pair *pair)
{
    uint32_t count = count_joints(pair->before);
    double *values = calloc(count + 1, sizeof *values);
    assert_int_equal(cp_joint_values(pair->context, pair->before, NULL, values), CP_OK);
    cp_context *reader = pair->reader;
    struct draft draft = draft_of(pair->after);
    for (uint32_t i = 0; i < count; i++)
        if (joint_again(pair, i) != CP_NONE)
            draft.joints[joint_again(pair, i)].q = values[i];
    pair->after = built_again(&draft, reader);
    expect_status(reader, cp_scene_finish(pair->after), CP_OK);
    free(values);
}

static bool is_round(const cp_mesh *mesh)
{
    return (mesh->kind == CP_MESH_CYLINDER || mesh->kind == CP_MESH_SPHERE) && mesh->sides >= 12;
}

/* Returns how many triangles come back: round shapes have 32 sides then. *other: some had another number. */
static uint64_t expected_triangles(const cp_scene *scene, uint32_t use, bool *other)
{
    uint32_t count;
    const cp_instance *instances = cp_instances(scene, &count);
    uint64_t triangles = 0;
    *other = false;
    for (uint32_t i = 0; i < count; i++) {
        cp_mesh mesh = cp_meshes(scene, NULL)[instances[i].mesh];
        *other = *other || (is_round(&mesh) && mesh.sides != 32);
        mesh.sides = is_round(&mesh) ? 32 : mesh.sides;
        triangles += instances[i].use & use ? cp_mesh_triangles(&mesh) : 0;
    }
    return triangles;
}

static void check_measures(const struct pair *pair)
{
    for (uint32_t use = CP_USE_DRAWN; use <= CP_USE_COLLISION; use++) {
        cp_measures was = {.size = sizeof was}, is = {.size = sizeof is};
        bool other;
        uint64_t triangles = expected_triangles(pair->before, use, &other);
        assert_int_equal(cp_measure(pair->context, pair->before, use, &was), CP_OK);
        assert_int_equal(cp_measure(pair->context, pair->after, use, &is), CP_OK);
        if (is.triangles != triangles)
            fail_msg("%s: %d triangles, not %d", pair->name, (int)is.triangles, (int)triangles);
        for (int k = 0; k < 3 && was.any; k++) {
            double within = other ? 0.02 * (was.upper[k] - was.lower[k]) : 1e-6;
            check_near(pair, "bounds", cp_use_name(use), is.lower[k], was.lower[k], within);
            check_near(pair, "bounds", cp_use_name(use), is.upper[k], was.upper[k], within);
        }
        check_near(pair, "area", cp_use_name(use), is.area, was.area, (other ? 0.02 : 1e-6) * was.area);
    }
}

/* A channel as it is displayed, by the formula of sRGB. */
static double displayed(const cp_material *material, int channel)
{
    double value = material->rgba[channel];
    if (material->srgb || channel == 3)
        return value;
    return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

/* Sums the colours of a node's triangles, and counts those without one. */
static void sum_colours(const cp_scene *scene, uint32_t node, double sums[5])
{
    const cp_node *it = &cp_nodes(scene, NULL)[node];
    const cp_instance *instances = cp_instances(scene, NULL);
    const cp_mesh *meshes = cp_meshes(scene, NULL);
    const cp_material *materials = cp_materials(scene, NULL);
    memset(sums, 0, 5 * sizeof *sums);
    for (uint32_t i = it->first_instance; i < it->first_instance + it->instance_count; i++) {
        const cp_mesh *mesh = &meshes[instances[i].mesh];
        if (!(instances[i].use & CP_USE_DRAWN))
            continue;
        cp_group whole = {0, mesh->face_count, CP_NONE};
        for (uint32_t g = 0; g < mesh->group_count || g == 0; g++) {
            const cp_group *group = mesh->group_count ? &mesh->groups[g] : &whole;
            double triangles = mesh->kind == CP_MESH_BOX || is_round(mesh) ? 1 /* stays such a shape */
                               : mesh->kind > CP_MESH_BOX                  ? (double)cp_mesh_triangles(mesh)
                                                                           : 0;
            for (uint32_t f = group->first_face; f < group->first_face + group->face_count; f++)
                triangles += face_size(mesh, f) - 2;
            for (int k = 0; k < 4 && group->material != CP_NONE; k++)
                sums[k] += triangles * displayed(&materials[group->material], k);
            sums[4] += group->material == CP_NONE ? triangles : 0;
        }
    }
}

static void check_colours(const struct pair *pair)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(pair->before, &count);
    for (uint32_t i = 1; i < count; i++) {
        double was[5], is[5];
        uint32_t node = only_node(pair->after, nodes[i].name);
        if (node == CP_NONE || only_node(pair->before, nodes[i].name) == CP_NONE)
            continue;
        sum_colours(pair->before, i, was);
        sum_colours(pair->after, node, is);
        for (int k = 0; k < 5; k++)
            check_near(pair, "the colour", nodes[i].name, is[k], was[k], 1e-9 * (1 + was[k]));
    }
}

/* ---- samples ---- */

/* Losses are listed by their codes. */
static void check_losses(const struct pair *pair, const char *expected)
{
    size_t count;
    const cp_entry *entries = cp_report(pair->context, &count);
    char found[1024] = "";
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity == CP_LOSS && !strstr(found, entries[i].code))
            (void)snprintf(found + strlen(found), sizeof found - strlen(found), "%s ", entries[i].code);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: losses \"%s\", not \"%s\"", pair->name, found, expected);
}

static void check_sample(const char *name, const char *losses)
{
    struct pair pair = {.name = name, .context = cp_context_new(NULL)};
    char path[1024];
    (void)snprintf(path, sizeof path, SAMPLES "/%s", name);
    pair.before = read_path(pair.context, path);
    empty_folder();
    cp_report_clear(pair.context);
    expect_status(pair.context, cp_write(pair.context, pair.before, path_of("again.urdf"), NULL, NULL, 0), CP_OK);
    check_losses(&pair, losses);
    pair.reader = cp_context_new(NULL);
    pair.after = read_path(pair.reader, path_of("again.urdf"));
    check_joints(&pair);
    check_poses(&pair);
    check_inertia(&pair);
    check_colours(&pair);
    bring_along(&pair);
    check_measures(&pair);
    cp_scene_free(pair.after);
    cp_context_free(pair.reader);
    cp_scene_free(pair.before);
    cp_context_free(pair.context);
}

static void robots_come_back(void **state)
{
    (void)state;
    check_sample("urdf_picker.urdf", "urdf-metadata ");
}

static void cells_come_back(void **state)
{
    (void)state;
    check_sample("demo.wu", "urdf-pairs urdf-devices urdf-movable urdf-flags urdf-metadata urdf-homes urdf-ranges "
                            "urdf-shapes ");
    check_sample("dh_arm.wu", "urdf-metadata ");
    check_sample("tag_arm.wu", "loss-placeholders urdf-pairs urdf-devices urdf-metadata urdf-homes urdf-ranges "
                               "urdf-acceleration ");
    check_sample("tag_chain.wu", "");
    check_sample("tag_robots.wu", "urdf-devices urdf-homes ");
    check_sample("tag_joints.wu", "urdf-metadata urdf-homes urdf-fixed urdf-ranges ");
    check_sample("tag_models.wu", "urdf-baked ");
}

static void deneb_comes_back(void **state)
{
    (void)state;
    check_sample("deneb/welding/robot_left.dcd", "loss-ngons urdf-homes urdf-dependence ");
    check_sample("deneb/welding/gun.dcd", "loss-ngons urdf-homes ");
    check_sample("deneb/hexapod/strut.dcd", "loss-ngons urdf-homes ");
    check_sample("mechanisms/hexapod.dcw", "loss-ngons loss-loops urdf-metadata urdf-homes ");
}

/* Written again, a file is the same: names, links, joints and all that was kept. */
static void a_file_comes_back_as_it_was(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_sample_of(context, SAMPLES, "urdf_picker.urdf");
    empty_folder();
    expect_status(context, cp_write(context, scene, path_of("robot.urdf"), NULL, NULL, 0), CP_OK);
    cp_scene *again = read_path(context, path_of("robot.urdf"));
    cp_context *writer = cp_context_new(NULL);
    write_file("other/mark", "");
    cp_scene *other = read_path(writer, path_of("robot.urdf"));
    expect_status(writer, cp_write(writer, other, path_of("other/robot.urdf"), NULL, NULL, 0), CP_OK);
    char *first = read_whole(path_of("robot.urdf"), NULL), *second = read_whole(path_of("other/robot.urdf"), NULL);
    assert_string_equal(first, second);
    size_t size, copied;
    char *mesh = read_whole(path_of("meshes/robot_finger.stl"), &size),
         *copy = read_whole(path_of("other/meshes/robot_finger.stl"), &copied);
    assert_non_null(mesh);
    assert_non_null(copy);
    assert_int_equal(size, copied);
    assert_memory_equal(mesh, copy, size);
    free(first);
    free(second);
    free(mesh);
    free(copy);
    cp_scene_free(other);
    cp_context_free(writer);
    cp_scene_free(again);
    cp_scene_free(scene);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots_come_back), cmocka_unit_test(cells_come_back),
                                       cmocka_unit_test(deneb_comes_back),
                                       cmocka_unit_test(a_file_comes_back_as_it_was)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
