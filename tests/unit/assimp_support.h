/* Reading with the assimp importer, and what the tests of it compare. */
#ifndef CELLPIPE_TESTS_ASSIMP_SUPPORT_H
#define CELLPIPE_TESTS_ASSIMP_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plain_numbers.h"
#include "report_support.h"

static inline int make_context(void **state)
{
    *state = cp_context_new(NULL);
    return *state ? 0 : -1;
}

static inline int free_context(void **state)
{
    cp_context_free(*state);
    return 0;
}

static inline cp_scene *read_text(cp_context *context, const char *text, const char *name, const char *option)
{
    cp_scene *scene;
    cp_status status = cp_read_memory(context, text, strlen(text), name, NULL, &option, option ? 1 : 0, &scene);
    if (status != CP_OK)
        print_report(context);
    assert_int_equal(status, CP_OK);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    return scene;
}

static inline const cp_node *find_node(const cp_scene *scene, const char *name)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(nodes[i].name, name) == 0)
            return &nodes[i];
    fail_msg("no node %s", name);
    return NULL;
}

static inline void assert_pose(const cp_pose *pose, const double expected[12], double tolerance)
{
    for (int i = 0; i < 12; i++)
        if (!(fabs(pose->m[i] - expected[i]) <= tolerance))
            fail_msg("entry %d is %.17g, not %.17g", i, pose->m[i], expected[i]);
}

static inline void assert_positions(const cp_mesh *mesh, const float *expected, uint32_t count)
{
    assert_int_equal(mesh->vertex_count, count);
    assert_memory_equal(mesh->positions, expected, 3 * sizeof(float) * count);
}

static inline void assert_corners(const cp_mesh *mesh, const uint32_t *expected, uint32_t count)
{
    assert_int_equal(mesh->corner_count, count);
    assert_memory_equal(mesh->corners, expected, sizeof(uint32_t) * count);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_context, free_context)

#endif
