/* Looking at what a context has reported. */
#ifndef CELLPIPE_TESTS_REPORT_SUPPORT_H
#define CELLPIPE_TESTS_REPORT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

/* cp_world_poses, where nothing can fail. */
static inline void pose_scene(const cp_scene *scene, const double *q, cp_pose *worlds)
{
    cp_context *context = cp_context_new(NULL);
    assert_int_equal(cp_world_poses(context, scene, q, worlds), CP_OK);
    cp_context_free(context);
}

static inline double joint_value(const cp_scene *scene, uint32_t joint, const double *q)
{
    double values[256];
    uint32_t count;
    cp_joints(scene, &count);
    assert_true(count <= sizeof values / sizeof *values);
    cp_context *context = cp_context_new(NULL);
    assert_int_equal(cp_joint_values(context, scene, q, values), CP_OK);
    cp_context_free(context);
    return values[joint];
}

static inline void print_report(const cp_context *context)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        print_message("%s\n", entries[i].message);
}

/* The first entry with this code, or NULL. */
static inline const cp_entry *find_entry(const cp_context *context, const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].code, code) == 0)
            return &entries[i];
    return NULL;
}

/* The last one, which is what has just happened. */
static inline const cp_entry *find_last_entry(const cp_context *context, const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    while (count-- > 0)
        if (strcmp(entries[count].code, code) == 0)
            return &entries[count];
    return NULL;
}

static inline bool was_reported(const cp_context *context, const char *code)
{
    return find_entry(context, code) != NULL;
}

/* What the first entry with this code counts; 0 without one. */
static inline uint64_t count_of(const cp_context *context, const char *code)
{
    const cp_entry *entry = find_entry(context, code);
    return entry ? entry->count : 0;
}

/* How many entries have this severity and this code. */
static inline size_t count_entries(const cp_context *context, cp_severity severity, const char *code)
{
    size_t count, found = 0;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        found += entries[i].severity == severity && strcmp(entries[i].code, code) == 0;
    return found;
}

/* How much was lost, by all losses with this code. */
static inline uint64_t count_lost(const cp_context *context, const char *code)
{
    size_t count;
    uint64_t sum = 0;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        sum += entries[i].severity == CP_LOSS && strcmp(entries[i].code, code) == 0 ? entries[i].count : 0;
    return sum;
}

#endif
