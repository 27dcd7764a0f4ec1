/* A mesh instance: its vertices where the scene has them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stl.h"

/* What takes the mesh's vertices to the output's unit and axes. Dividing by the unit, not multiplying by its inverse, undoes
 * an importer's scaling exactly. */
static cp_pose part_pose(const struct writer *writer, const cp_instance *instance)
{
    cp_pose pose = pose_multiply(&writer->worlds[instance->node], &instance->transform);
    if (writer->up_y) {
        cp_pose turn = pose_y_up_from_z_up();
        pose = pose_multiply(&turn, &pose);
    }
    for (int i = 0; i < 12; i++)
        pose.m[i] /= writer->unit;
    return pose;
}

static cp_status place_vertex(const struct writer *writer, const cp_instance *instance, const cp_pose *pose,
                              float *vertex)
{
    double point[3] = {(double)vertex[0], (double)vertex[1], (double)vertex[2]}, placed[3];
    pose_point(pose, point, placed);
    for (int i = 0; i < 3; i++) {
        if (!(fabs(placed[i]) <= (double)FLT_MAX))
            return report_error(writer->context, CP_OUTPUT, "stl-range",
                                (struct place){.node = writer->scene->nodes[instance->node].name},
                                "a coordinate of %s is beyond single precision", show_number(placed[i]).text);
        vertex[i] = (float)placed[i];
    }
    return CP_OK;
}

cp_status stl_write_part(struct writer *writer, const cp_instance *instance)
{
    const cp_mesh *mesh = &writer->scene->meshes[instance->mesh];
    cp_pose pose = part_pose(writer, instance);
    struct part part = {mesh, mesh->positions, pose_determinant(&pose) < 0};
    if (pose_is_identity(&pose) || mesh->vertex_count == 0)
        return stl_write_facets(writer, &part);
    float *placed = memory_allocate(writer->context, mesh->vertex_count, 3 * sizeof(float));
    if (!placed)
        return CP_LIMIT;
    memcpy(placed, mesh->positions, mesh->vertex_count * 3 * sizeof(float));
    cp_status status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && i < mesh->vertex_count; i++)
        status = place_vertex(writer, instance, &pose, placed + 3 * (size_t)i);
    part.positions = placed;
    if (status == CP_OK)
        status = stl_write_facets(writer, &part);
    memory_free(writer->context, placed, mesh->vertex_count, 3 * sizeof(float));
    return status;
}
