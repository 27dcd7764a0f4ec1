/* Simplification by the function itself, which tells more than the filter and takes other goals. */
#ifndef SIMPLIFY_INSIDE_H
#define SIMPLIFY_INSIDE_H

#include "mesh/mesh.h"
#include "mesh/simplify/simplify.h"
#include "model/model.h"
#include "simplify_shapes.h"

static inline struct simplify_result simplify(cp_mesh *mesh, uint64_t triangles, double error)
{
    struct simplify_goal goal = {.triangles = triangles, .error = error};
    struct simplify_result result;
    assert_int_equal(mesh_simplify(scene, mesh, &goal, &result), CP_OK);
    assert_int_equal(result.triangles, mesh_triangle_count(mesh));
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        assert_true(mesh->corners[i] < mesh->vertex_count);
    return result;
}

#endif
