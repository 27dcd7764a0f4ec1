/* Reads with the assimp importer, and compares what its tests compare. */
#ifndef CELLPIPE_TESTS_ASSIMP_SUPPORT_H
#define CELLPIPE_TESTS_ASSIMP_SUPPORT_H

#include <math.h>

#include "fixture.h"
#include "plain_numbers.h"

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
