/* What the tests of these parts share: cells, read and ready to be looked at. */
#ifndef CELLS_SUPPORT_H
#define CELLS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check.h"

static cp_context *context;
static cp_scene *scene;
static struct check check;

static int set_up(void **unused)
{
    (void)unused;
    context = cp_context_new(NULL);
    return context ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    check_end(&check);
    cp_scene_free(scene);
    scene = NULL;
    cp_context_free(context);
    return 0;
}

static inline void begin(cp_status status)
{
    if (status == CP_OK)
        status = check_begin(&check, context, scene);
    assert_int_equal(status, CP_OK);
}

/* A cell of tests/cells. */
static inline void read_cell(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, CELLS "/%s", name);
    begin(cp_read(context, path, NULL, NULL, 0, &scene));
}

static inline void read_text(const char *text)
{
    begin(cp_read_memory(context, text, strlen(text), "cell.wu", "tag", NULL, 0, &scene));
}

static inline uint32_t node_of(const char *name)
{
    for (uint32_t i = 0; i < check.node_count; i++)
        if (!strcmp(cp_nodes(scene, &(uint32_t){0})[i].name, name))
            return i;
    fail_msg("no frame %s", name);
    return 0;
}

static inline void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g, not %.17g", value, expected);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
