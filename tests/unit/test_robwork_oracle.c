/* The tag importer against numbers that another reader of these cells has computed (../shared/reference). */
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "fixture.h"

static json_t *oracle;

/* One cell of the oracle beside the scene that we make of it. */
struct cell {
    const char *key;
    json_t *expected;
    cp_context *context;
    cp_scene *scene;
    const cp_node *nodes;
    const cp_joint *joints;
    uint32_t node_count, joint_count;
};

static struct cell open_cell(const char *key)
{
    struct cell cell = {.key = key, .expected = json_object_get(oracle, key), .context = cp_context_new(NULL)};
    char path[4096];
    snprintf(path, sizeof path, "%s/corpus/%s", SHARED, key);
    assert_non_null(cell.expected);
    if (cp_read(cell.context, path, NULL, NULL, 0, &cell.scene) != CP_OK) {
        show_report(cell.context);
        fail_msg("%s", key);
    }
    assert_int_equal(cp_validate(cell.context, cell.scene), CP_OK);
    cell.nodes = cp_nodes(cell.scene, &cell.node_count);
    cell.joints = cp_joints(cell.scene, &cell.joint_count);
    return cell;
}

static void close_cell(struct cell *cell)
{
    cp_scene_free(cell->scene);
    cp_context_free(cell->context);
}

static void for_each_cell(void (*check)(struct cell *))
{
    const char *key;
    json_t *value;
    assert_int_equal(json_object_size(oracle), 9);
    json_object_foreach(oracle, key, value)
    {
        struct cell cell = open_cell(key);
        check(&cell);
        close_cell(&cell);
    }
}

static bool is_real(const cp_node *node)
{
    return !(node->flags & CP_NODE_PLACEHOLDER);
}

static uint32_t frame_called(const struct cell *cell, const char *name)
{
    for (uint32_t i = 0; i < cell->node_count; i++)
        if (!strcmp(cell->nodes[i].name, name))
            return i;
    fail_msg("%s: no frame %s", cell->key, name);
    return CP_NONE;
}

static json_int_t integer(const struct cell *cell, const char *key)
{
    return json_integer_value(json_object_get(cell->expected, key));
}

static bool holds_string(const json_t *array, const char *text)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!strcmp(json_string_value(json_array_get(array, i)), text))
            return true;
    return false;
}

/* ---- frames ---- */

static const char *kind_of(const struct cell *cell, uint32_t node)
{
    const cp_node *it = &cell->nodes[node];
    if (it->joint_count)
        return cell->joints[it->first_joint].type == CP_JOINT_REVOLUTE ? "Revolute" : "Prismatic";
    return node == 0 ? "World" : it->flags & CP_NODE_MOVABLE ? "Movable" : "Fixed";
}

static void check_frames(struct cell *cell)
{
    json_t *kinds = json_object(), *dafs = json_object_get(cell->expected, "dafs");
    json_int_t frames = 0, attachable = 0;
    for (uint32_t i = 0; i < cell->node_count; i++) {
        if (!is_real(&cell->nodes[i]))
            continue;
        const char *kind = kind_of(cell, i);
        frames++;
        json_object_set_new(kinds, kind, json_integer(json_integer_value(json_object_get(kinds, kind)) + 1));
        if (cell->nodes[i].flags & CP_NODE_ATTACHABLE) {
            attachable++;
            assert_true(holds_string(dafs, cell->nodes[i].name));
        }
    }
    assert_int_equal(frames, integer(cell, "frames"));
    assert_int_equal(attachable, json_array_size(dafs));
    assert_true(json_equal(kinds, json_object_get(cell->expected, "frame_kinds")));
    json_decref(kinds);
}

static void test_frames(void **state)
{
    (void)state;
    for_each_cell(check_frames);
}

static void check_pose(const char *name, const cp_pose *pose, const json_t *expected)
{
    for (size_t row = 0; row < 3; row++) {
        double p = json_number_value(json_array_get(json_object_get(expected, "p"), row));
        if (fabs(pose->m[4 * row + 3] - p) > 2e-9)
            fail_msg("%s: p[%zu] is %.12g, not %.12g", name, row, pose->m[4 * row + 3], p);
        for (size_t column = 0; column < 3; column++) {
            const json_t *line = json_array_get(json_object_get(expected, "R"), row);
            double r = json_number_value(json_array_get(line, column));
            if (fabs(pose->m[4 * row + column] - r) > 2e-9)
                fail_msg("%s: R[%zu][%zu] is %.12g, not %.12g", name, row, column, pose->m[4 * row + column], r);
        }
    }
}

static void check_poses(struct cell *cell)
{
    json_t *expected = json_object_get(cell->expected, "world_transforms");
    cp_pose *worlds = calloc(cell->node_count, sizeof *worlds);
    size_t checked = 0;
    pose_scene(cell->scene, NULL, worlds);
    for (uint32_t i = 0; i < cell->node_count; i++) {
        json_t *pose = json_object_get(expected, cell->nodes[i].name);
        assert_int_equal(pose != NULL, is_real(&cell->nodes[i]));
        if (pose)
            check_pose(cell->nodes[i].name, &worlds[i], pose);
        checked += pose != NULL;
    }
    assert_int_equal(checked, json_object_size(expected));
    free(worlds);
}

static void test_poses(void **state)
{
    (void)state;
    for_each_cell(check_poses);
}

/* ---- joints and devices ---- */

static void check_value(const char *name, double value, const json_t *expected)
{
    if (!expected || json_is_null(expected))
        assert_true(isinf(value));
    else if (fabs(value - json_number_value(expected)) > 1e-9)
        fail_msg("%s: %.12g, not %.12g", name, value, json_number_value(expected));
}

static void check_joints(struct cell *cell)
{
    json_t *expected = json_object_get(cell->expected, "joints");
    assert_int_equal(cell->joint_count, json_array_size(expected));
    for (uint32_t i = 0; i < cell->joint_count; i++) {
        const cp_joint *joint = &cell->joints[i];
        const json_t *it = json_array_get(expected, i), *limits = json_object_get(it, "pos");
        assert_string_equal(joint->name, json_string_value(json_object_get(it, "name")));
        assert_string_equal(cell->nodes[joint->node].name, joint->name);
        assert_string_equal(kind_of(cell, joint->node), json_string_value(json_object_get(it, "type")));
        assert_string_equal(cell->nodes[cell->nodes[joint->node].parent].name,
                            json_string_value(json_object_get(it, "parent")));
        assert_true(joint->driven && joint->master == CP_NONE);
        check_value(joint->name, joint->home, json_object_get(it, "home"));
        check_value(joint->name, joint->q, json_object_get(it, "home"));
        check_value(joint->name, joint->lower, json_array_get(limits, 0));
        check_value(joint->name, joint->upper, json_array_get(limits, 1));
        check_value(joint->name, joint->velocity, json_object_get(it, "vel"));
        check_value(joint->name, joint->acceleration, json_object_get(it, "acc"));
    }
}

static void test_joints(void **state)
{
    (void)state;
    for_each_cell(check_joints);
}

static void check_device(const struct cell *cell, const cp_device *device, const json_t *expected)
{
    json_t *joints = json_object_get(expected, "joints"), *home = json_object_get(expected, "home");
    assert_int_equal(device->kind, CP_DEVICE_SERIAL);
    assert_string_equal(device->name, json_string_value(json_object_get(expected, "name")));
    assert_string_equal(cell->nodes[device->base].name, json_string_value(json_object_get(expected, "base")));
    assert_int_equal(device->end_count, 1);
    assert_string_equal(cell->nodes[device->ends[0]].name, json_string_value(json_object_get(expected, "end")));
    assert_int_equal(device->joint_count, json_integer_value(json_object_get(expected, "dof")));
    assert_int_equal(device->joint_count, json_array_size(joints));
    for (uint32_t i = 0; i < device->joint_count; i++) {
        const cp_joint *joint = &cell->joints[device->joints[i]];
        assert_string_equal(joint->name, json_string_value(json_array_get(joints, i)));
        check_value(joint->name, device->home ? device->home[i] : joint->home, json_array_get(home, i));
    }
}

static void check_devices(struct cell *cell)
{
    json_t *expected = json_object_get(cell->expected, "devices");
    json_t *ends = json_object_get(cell->expected, "device_end_world");
    uint32_t count;
    const cp_device *devices = cp_devices(cell->scene, &count);
    cp_pose *worlds = calloc(cell->node_count, sizeof *worlds);
    pose_scene(cell->scene, NULL, worlds);
    assert_int_equal(json_array_size(json_object_get(cell->expected, "composites")), 0);
    assert_int_equal(count, json_array_size(expected));
    for (uint32_t i = 0; i < count; i++) {
        check_device(cell, &devices[i], json_array_get(expected, i));
        check_pose(devices[i].name, &worlds[devices[i].ends[0]], json_object_get(ends, devices[i].name));
    }
    free(worlds);
}

static void test_devices(void **state)
{
    (void)state;
    for_each_cell(check_devices);
}

/* The two poses that the documentation and RobWork's own test give. */
static void test_known_ends(void **state)
{
    static const struct {
        const char *key, *end;
        double at[3], tolerance;
    } ends[] = {
        {"robwork-snippets/workcell.wu", "Device.J6", {-0.955355795, 0.107484821, 0.161678860}, 1e-9},
        {"robwork-pa10-2018/PA10.wu", "Robot.Tool", {0.195, 0, 1.581}, 1e-12},
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct cell cell = open_cell(ends[i].key);
        cp_pose *worlds = calloc(cell.node_count, sizeof *worlds);
        pose_scene(cell.scene, NULL, worlds);
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs(worlds[frame_called(&cell, ends[i].end)].m[4 * axis + 3] - ends[i].at[axis]) <=
                        ends[i].tolerance);
        free(worlds);
        close_cell(&cell);
    }
}

/* ---- geometry ---- */

/* The oracle's names are relative to the corpus folder of the cell, ours to the top file's folder. */
static void oracle_name(const struct cell *cell, const char *source, char *out, size_t size)
{
    const char *folder = strchr(cell->key, '/') + 1, *end = strrchr(folder, '/');
    bool file = source[0] != '#' && end;
    snprintf(out, size, "%.*s%s", file ? (int)(end + 1 - folder) : 0, folder, source);
}

/* The sources of a frame's instances for one use, each file once. */
static json_t *sources_of(const struct cell *cell, const cp_node *node, uint32_t use)
{
    uint32_t count;
    const cp_instance *instances = cp_instances(cell->scene, &count);
    const cp_mesh *meshes = cp_meshes(cell->scene, &count);
    json_t *sources = json_array();
    for (uint32_t i = 0; i < node->instance_count; i++) {
        const cp_instance *instance = &instances[node->first_instance + i];
        char name[4096];
        oracle_name(cell, meshes[instance->mesh].source, name, sizeof name);
        if ((instance->use & use) && !holds_string(sources, name))
            json_array_append_new(sources, json_string(name));
    }
    return sources;
}

static void check_geometry(struct cell *cell)
{
    json_t *expected = json_object_get(cell->expected, "geometry");
    assert_int_equal(json_array_size(json_object_get(cell->expected, "geometry_unresolved")), 0);
    size_t with_geometry = 0;
    for (uint32_t i = 0; i < cell->node_count; i++) {
        json_t *frame = json_object_get(expected, cell->nodes[i].name);
        assert_int_equal(frame != NULL, cell->nodes[i].instance_count > 0);
        if (!frame)
            continue;
        with_geometry++;
        json_t *drawn = sources_of(cell, &cell->nodes[i], CP_USE_DRAWN);
        json_t *collision = sources_of(cell, &cell->nodes[i], CP_USE_COLLISION);
        assert_true(json_equal(drawn, json_object_get(frame, "display")));
        assert_true(json_equal(collision, json_object_get(frame, "collision")));
        json_decref(drawn);
        json_decref(collision);
    }
    assert_int_equal(with_geometry, json_object_size(expected));
}

static void test_geometry(void **state)
{
    (void)state;
    for_each_cell(check_geometry);
}

/* ---- exclusions ---- */

static bool is_candidate(const struct cell *cell, uint32_t node)
{
    uint32_t count;
    const cp_instance *instances = cp_instances(cell->scene, &count);
    const cp_node *it = &cell->nodes[node];
    bool candidate = it->flags & CP_NODE_VOLATILE;
    for (uint32_t i = 0; i < it->instance_count; i++)
        candidate |= (instances[it->first_instance + i].use & CP_USE_COLLISION) != 0;
    return candidate && is_real(it);
}

static bool is_excluded(const struct cell *cell, uint32_t a, uint32_t b)
{
    uint32_t count;
    const cp_pair *pairs = cp_pairs(cell->scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if ((pairs[i].first == a && pairs[i].second == b) || (pairs[i].first == b && pairs[i].second == a))
            return true;
    return false;
}

/* The head of a frame's static group: upwards as long as the frame is fixed. */
static uint32_t static_head(const struct cell *cell, uint32_t node)
{
    const cp_node *it = &cell->nodes[node];
    while (node != 0 && !it->joint_count && !(it->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE))) {
        node = it->parent;
        it = &cell->nodes[node];
    }
    return node;
}

struct brute_force {
    json_int_t candidates, all, statically_linked, checked, checked_static;
    json_t *list;
};

static struct brute_force count_by_force(const struct cell *cell)
{
    struct brute_force counts = {.list = json_array()};
    for (uint32_t a = 0; a < cell->node_count; a++) {
        counts.candidates += is_candidate(cell, a);
        for (uint32_t b = 0; b < a; b++) {
            if (!is_candidate(cell, a) || !is_candidate(cell, b))
                continue;
            bool linked = static_head(cell, a) == static_head(cell, b), excluded = is_excluded(cell, a, b);
            char text[4096];
            const char *x = cell->nodes[a].name, *y = cell->nodes[b].name;
            bool in_order = strcmp(x, y) < 0;
            snprintf(text, sizeof text, "%s|%s", in_order ? x : y, in_order ? y : x);
            counts.all++;
            counts.statically_linked += linked;
            counts.checked += !excluded;
            counts.checked_static += !excluded && !linked;
            if (!excluded)
                json_array_append_new(counts.list, json_string(text));
        }
    }
    return counts;
}

static void check_dangling(const struct cell *cell)
{
    json_t *dangling = json_object_get(cell->expected, "exclude_dangling_names");
    size_t placeholders = 0;
    for (uint32_t i = 0; i < cell->node_count; i++) {
        if (is_real(&cell->nodes[i]))
            continue;
        placeholders++;
        assert_true(holds_string(dangling, cell->nodes[i].name));
    }
    assert_int_equal(placeholders, json_array_size(dangling));
    assert_int_equal(count_entries(cell->context, CP_WARNING, "collision-setup-dangling"), json_array_size(dangling));
}

static json_int_t count_valid_pairs(const struct cell *cell)
{
    uint32_t count;
    const cp_pair *pairs = cp_pairs(cell->scene, &count);
    json_t *valid = json_object();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = pairs[i].first, b = pairs[i].second;
        char text[64];
        snprintf(text, sizeof text, "%u %u", a < b ? a : b, a < b ? b : a);
        assert_string_equal(pairs[i].reason, "given");
        if (is_real(&cell->nodes[a]) && is_real(&cell->nodes[b]))
            json_object_set_new(valid, text, json_true());
    }
    json_int_t result = (json_int_t)json_object_size(valid);
    json_decref(valid);
    return result;
}

static void check_pairs(struct cell *cell)
{
    json_t *list = json_object_get(cell->expected, "pairs_checked_2009_list");
    uint32_t pair_count;
    cp_pairs(cell->scene, &pair_count);
    check_dangling(cell);
    assert_int_equal(pair_count, integer(cell, "exclude_entries"));
    assert_int_equal(count_valid_pairs(cell), integer(cell, "exclude_pairs_valid"));
    assert_int_equal(cp_excludes_static_pairs(cell->scene),
                     json_is_true(json_object_get(cell->expected, "exclude_static_pairs_flag")));

    struct brute_force force = count_by_force(cell);
    assert_int_equal(force.candidates, integer(cell, "collision_candidates"));
    assert_int_equal(force.all, integer(cell, "pairs_all"));
    assert_int_equal(force.statically_linked, integer(cell, "pairs_statically_linked"));
    assert_int_equal(force.checked, integer(cell, "pairs_checked_2009"));
    assert_int_equal(force.checked_static, integer(cell, "pairs_checked_if_static_excluded"));
    assert_int_equal(json_array_size(force.list), json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++)
        assert_true(holds_string(force.list, json_string_value(json_array_get(list, i))));

    cp_pair_counts counts = {.size = sizeof counts};
    assert_int_equal(cp_count_pairs(cell->context, cell->scene, &counts), CP_OK);
    assert_int_equal(counts.candidates, force.candidates);
    assert_int_equal(counts.all, force.all);
    assert_int_equal(counts.checked, force.checked);
    cp_exclude_static_pairs(cell->scene, true);
    assert_int_equal(cp_count_pairs(cell->context, cell->scene, &counts), CP_OK);
    assert_int_equal(counts.checked, force.checked_static);
    json_decref(force.list);
}

static void test_pairs(void **state)
{
    (void)state;
    for_each_cell(check_pairs);
}

/* A setup that is missing upstream is a loss; a strict reader refuses the cell. */
static void test_missing_setups(void **state)
{
    const char *key;
    json_t *value;
    (void)state;
    json_object_foreach(oracle, key, value)
    {
        struct cell cell = open_cell(key);
        size_t missing = json_array_size(json_object_get(value, "collision_setup_missing"));
        assert_int_equal(count_entries(cell.context, CP_LOSS, "tag-setup"), missing);
        close_cell(&cell);

        char path[4096];
        const char *strict = "strict=yes";
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene;
        snprintf(path, sizeof path, "%s/corpus/%s", SHARED, key);
        assert_int_equal(cp_read(context, path, NULL, &strict, 1, &scene), missing ? CP_INPUT : CP_OK);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),     cmocka_unit_test(test_poses),          cmocka_unit_test(test_joints),
        cmocka_unit_test(test_devices),    cmocka_unit_test(test_geometry),       cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_known_ends), cmocka_unit_test(test_missing_setups),
    };
    json_error_t error;
    if (access(SHARED, R_OK)) {
        puts("skipped: " SHARED " is not there");
        return 77;
    }
    oracle = json_load_file(SHARED "/reference/robwork_oracle.json", 0, &error);
    if (!oracle) {
        fprintf(stderr, "robwork_oracle.json: %s\n", error.text);
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(oracle);
    return failed;
}
