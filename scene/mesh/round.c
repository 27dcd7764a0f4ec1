/* Exact normals of round primitives: a vertex has one for each surface that it lies on. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "join.h"
#include "mesh.h"

/* A vertex of the faces and its normal. */
struct row {
    uint32_t vertex;
    float normal[3];
};

static bool is_level(const struct polygon *polygon)
{
    for (uint32_t i = 1; i < polygon->count; i++)
        if (polygon_position(polygon, i)[2] != polygon_position(polygon, 0)[2])
            return false;
    return true;
}

/* Finds the direction of a side's normal at a corner: outward, but inward on the inner side of a tube, and as steep as
 * the side. At the tip of a cone it is that of the face. */
static void side_direction(const cp_mesh *primitive, const struct polygon *polygon, uint32_t corner, double normal[3])
{
    const float *at = polygon_position(polygon, corner);
    bool tip = at[0] == 0 && at[1] == 0, cone = primitive->kind == CP_MESH_CONE;
    double out[2] = {tip ? polygon->normal[0] : (double)at[0], tip ? polygon->normal[1] : (double)at[1]};
    double length = hypot(out[0], out[1]), height = cone ? primitive->size[2] : 1;
    bool inner = out[0] * polygon->normal[0] + out[1] * polygon->normal[1] < 0;
    for (int axis = 0; axis < 2; axis++)
        normal[axis] = length > 0 ? (inner ? -1 : 1) * height * out[axis] / length : 0;
    normal[2] = cone ? primitive->size[0] - primitive->size[1] : 0;
}

/* Finds the direction from the nearest point of a capsule's middle line. */
static void capsule_direction(const cp_mesh *capsule, const float *at, double normal[3])
{
    double half = capsule->size[1] / 2, z = (double)at[2];
    normal[0] = (double)at[0];
    normal[1] = (double)at[1];
    normal[2] = z - fmin(fmax(z, -half), half);
}

static void corner_normal(const cp_mesh *primitive, const struct polygon *polygon, uint32_t corner, float normal[3])
{
    const float *at = polygon_position(polygon, corner);
    double direction[3];
    if (primitive->kind == CP_MESH_SPHERE)
        for (int axis = 0; axis < 3; axis++)
            direction[axis] = (double)at[axis];
    else if (primitive->kind == CP_MESH_CAPSULE)
        capsule_direction(primitive, at, direction);
    else if (is_level(polygon))
        memcpy(direction, polygon->normal, sizeof direction);
    else
        side_direction(primitive, polygon, corner, direction);
    double length = sqrt(dot_product(direction, direction));
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = length > 0 ? (float)(direction[axis] / length) + 0.0F : axis == 2 ? 1.0F : 0.0F;
}

/* Splits vertices that have several normals, in the order of the corners. */
static cp_status split_rows(cp_scene *scene, cp_mesh *mesh, const struct row *rows, const uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        count += first[corner] == corner;
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners);
    float *positions = scene_allocate(scene, count, 3 * sizeof *positions);
    float *normals = scene_allocate(scene, count, 3 * sizeof *normals);
    if (!corners || !positions || !normals)
        return CP_LIMIT;
    count = 0;
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++) {
        corners[corner] = first[corner] == corner ? count : corners[first[corner]];
        if (first[corner] != corner)
            continue;
        memcpy(positions + 3 * (size_t)count, mesh->positions + 3 * (size_t)rows[corner].vertex, 3 * sizeof *positions);
        memcpy(normals + 3 * (size_t)count, rows[corner].normal, 3 * sizeof *normals);
        count++;
    }
    mesh->vertex_count = count;
    mesh->corners = corners;
    mesh->positions = positions;
    mesh->normals = normals;
    return CP_OK;
}

cp_status mesh_tessellate_round(cp_scene *scene, cp_mesh *mesh)
{
    const cp_mesh primitive = *mesh;
    bool round = mesh->kind == CP_MESH_CYLINDER || mesh->kind == CP_MESH_SPHERE || mesh->kind == CP_MESH_CONE ||
                 mesh->kind == CP_MESH_TUBE || mesh->kind == CP_MESH_CAPSULE;
    cp_status status = mesh_tessellate(scene, mesh);
    if (status != CP_OK || !round || mesh->corner_count == 0)
        return status;
    cp_context *context = scene->context;
    uint32_t count = mesh->corner_count;
    struct row *rows = memory_allocate(context, count, sizeof *rows);
    uint32_t *first = memory_allocate(context, count, sizeof *first);
    for (uint32_t face = 0; face < mesh->face_count && rows && first; face++) {
        struct polygon polygon = polygon_of(mesh, face);
        for (uint32_t i = 0; i < polygon.count; i++) {
            struct row *row = &rows[mesh_face_first(mesh, face) + i];
            row->vertex = mesh->corners[mesh_face_first(mesh, face) + i];
            corner_normal(&primitive, &polygon, i, row->normal);
        }
    }
    bool good = rows && first && join_rows(context, rows, sizeof *rows / sizeof(uint32_t), 4, count, first);
    status = good ? split_rows(scene, mesh, rows, first) : CP_LIMIT;
    memory_free(context, rows, count, sizeof *rows);
    memory_free(context, first, count, sizeof *first);
    return status;
}
