/* What the tests of the tag importer share: reading cells, and looking at what came of them. */
#ifndef TAG_SUPPORT_H
#define TAG_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report_support.h"

/* ---- reading ---- */

static cp_context *context;
static cp_scene *scene;

static inline int set_up(void **state)
{
    (void)state;
    context = cp_context_new(NULL);
    scene = NULL;
    return context ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

/* Further files are found beside the samples. */
static inline void read_text(const char *text)
{
    cp_scene_free(scene);
    cp_report_clear(context);
    if (cp_read_memory(context, text, strlen(text), SAMPLES "/memory.wu", "tag", NULL, 0, &scene) != CP_OK) {
        print_report(context);
        fail();
    }
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

static inline void read_sample(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    cp_scene_free(scene);
    cp_report_clear(context);
    if (cp_read(context, path, NULL, NULL, 0, &scene) != CP_OK) {
        print_report(context);
        fail();
    }
    assert_int_equal(cp_validate(context, scene), CP_OK);
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
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!strcmp(scene->nodes[i].name, name))
            return i;
    fail_msg("no frame %s", name);
    return 0;
}

static inline const cp_node *node(const char *name)
{
    return &scene->nodes[node_of(name)];
}

static inline const cp_joint *joint(const char *name)
{
    const cp_node *it = node(name);
    assert_int_equal(it->joint_count, 1);
    assert_string_equal(scene->joints[it->first_joint].name, name);
    return &scene->joints[it->first_joint];
}

static inline const cp_device *device(const char *name)
{
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (!strcmp(scene->devices[i].name, name))
            return &scene->devices[i];
    fail_msg("no device %s", name);
    return NULL;
}

static inline void expect_parent(const char *name, const char *parent)
{
    assert_string_equal(scene->nodes[node(name)->parent].name, parent);
}

static inline void expect_device(const char *name, const char *end, const char *joints)
{
    const cp_device *it = device(name);
    char text[1000] = "";
    for (uint32_t i = 0; i < it->joint_count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, scene->joints[it->joints[i]].name);
    }
    assert_string_equal(text, joints);
    assert_int_equal(it->end_count, 1);
    assert_string_equal(scene->nodes[it->ends[0]].name, end);
}

static inline cp_pose world(const char *name)
{
    cp_pose *worlds = calloc(scene->node_count, sizeof *worlds);
    pose_scene(scene, NULL, worlds);
    cp_pose pose = worlds[node_of(name)];
    free(worlds);
    return pose;
}

static inline void expect_pose(const cp_pose *pose, const double expected[12], double tolerance)
{
    for (int i = 0; i < 12; i++)
        if (!(fabs(pose->m[i] - expected[i]) <= tolerance))
            fail_msg("entry %d is %.17g, not %.17g", i, pose->m[i], expected[i]);
}

static inline const cp_metadata_entry *metadata(cp_owner owner, uint32_t index, const char *key)
{
    for (uint32_t i = 0; i < scene->metadata_count; i++) {
        const cp_metadata_entry *it = &scene->metadata[i];
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
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (scene->pairs[i].first == node_of(first) && scene->pairs[i].second == node_of(second))
            return true;
    return false;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
