/* Reads cells with the tag importer, and looks at what came of them, for its tests. */
#ifndef TAG_SUPPORT_H
#define TAG_SUPPORT_H

#include <math.h>

#include "scene_fixture.h"

/* ---- reading ---- */

/* Further files are found beside the samples. */
static inline void read_text(const char *text)
{
    cp_scene_free(scene);
    cp_report_clear(context);
    if (cp_read_memory(context, text, strlen(text), SAMPLES "/memory.wu", "tag", NULL, 0, &scene) != CP_OK) {
        show_report(context);
        fail();
    }
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

static inline void read_sample(const char *name)
{
    cp_scene_free(scene);
    cp_report_clear(context);
    scene = read_sample_of(context, SAMPLES, name);
}

static inline void expect_error(const char *text, const char *code, uint64_t line, uint64_t column)
{
    cp_scene *none;
    cp_report_clear(context);
    assert_int_equal(cp_read_memory(context, text, strlen(text), "bad.wu", "tag", NULL, 0, &none), CP_INPUT);
    assert_null(none);
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    assert_true(count > 0);
    const cp_entry *last = &entries[count - 1];
    if (strcmp(last->code, code) || last->line != line || last->column != column)
        fail_msg("%s, not %s:%d:%d", last->message, code, (int)line, (int)column);
}

/* ---- looking ---- */

static inline uint32_t node_of(const char *name)
{
    for (uint32_t i = 0; i < count_nodes(scene); i++)
        if (!strcmp(cp_nodes(scene, NULL)[i].name, name))
            return i;
    fail_msg("no frame %s", name);
    return 0;
}

static inline const cp_node *node(const char *name)
{
    return &cp_nodes(scene, NULL)[node_of(name)];
}

static inline const cp_joint *joint(const char *name)
{
    const cp_node *it = node(name);
    assert_int_equal(it->joint_count, 1);
    assert_string_equal(cp_joints(scene, NULL)[it->first_joint].name, name);
    return &cp_joints(scene, NULL)[it->first_joint];
}

static inline const cp_device *device(const char *name)
{
    for (uint32_t i = 0; i < count_devices(scene); i++)
        if (!strcmp(cp_devices(scene, NULL)[i].name, name))
            return &cp_devices(scene, NULL)[i];
    fail_msg("no device %s", name);
    return NULL;
}

static inline void expect_parent(const char *name, const char *parent)
{
    assert_string_equal(cp_nodes(scene, NULL)[node(name)->parent].name, parent);
}

static inline void expect_device(const char *name, const char *end, const char *joints)
{
    const cp_device *it = device(name);
    char text[1000] = "";
    for (uint32_t i = 0; i < it->joint_count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, cp_joints(scene, NULL)[it->joints[i]].name);
    }
    assert_string_equal(text, joints);
    assert_int_equal(it->end_count, 1);
    assert_string_equal(cp_nodes(scene, NULL)[it->ends[0]].name, end);
}

static inline cp_pose world(const char *name)
{
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    pose_scene(scene, NULL, worlds);
    cp_pose pose = worlds[node_of(name)];
    free(worlds);
    return pose;
}

static inline const cp_metadata_entry *metadata(cp_owner owner, uint32_t index, const char *key)
{
    for (uint32_t i = 0; i < count_metadata(scene); i++) {
        const cp_metadata_entry *it = &cp_metadata(scene, NULL)[i];
        if (it->owner == owner && it->index == index && !strcmp(it->key, key))
            return it;
    }
    return NULL;
}

static inline void expect_metadata(const char *name, const char *key, cp_value_type type, const char *value)
{
    const cp_metadata_entry *it = metadata(CP_OWNER_NODE, node_of(name), key);
    assert_non_null(it);
    assert_int_equal(it->type, type);
    assert_string_equal(it->value, value);
}

static inline bool has_pair(const char *first, const char *second)
{
    for (uint32_t i = 0; i < count_pairs(scene); i++)
        if (cp_pairs(scene, NULL)[i].first == node_of(first) && cp_pairs(scene, NULL)[i].second == node_of(second))
            return true;
    return false;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
