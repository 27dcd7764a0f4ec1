/* Size, area and volume of what a scene places. Area and volume are those of the faces as they are: half of Newell's
 * sum (for faces that are not flat, the area seen along their normal) and the cones from the world's origin, in double
 * with compensated sums. Primitives are measured as they are tessellated on the way out. */
#include "../context.h"
#include "../motion/motion.h"
#include "../pose.h"
#include "../report.h"
#include "mesh.h"
#include "sum.h"
#include "tessellate.h"

#include <math.h>
#include <string.h>

struct measuring {
    cp_measures *measures;
    struct sum area, volume; /* twice and six times */
    double side;             /* -1 where the pose mirrors: its faces are then seen from their other side */
    bool box_only;
};

static void vertex_point(const cp_mesh *mesh, const cp_pose *pose, uint32_t vertex, double point[3])
{
    const float *position = mesh->positions + 3 * (size_t)vertex;
    const double from[3] = {(double)position[0], (double)position[1], (double)position[2]};
    pose_point(pose, from, point);
}

static void extend_bounds(cp_measures *measures, const double point[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (!measures->any || point[axis] < measures->lower[axis])
            measures->lower[axis] = point[axis];
        if (!measures->any || point[axis] > measures->upper[axis])
            measures->upper[axis] = point[axis];
    }
    measures->any = true;
}

/* The cone from the world's origin has a third of the triangle's area times its height over the origin. */
static void add_triangle(struct measuring *measuring, const double points[3][3], double normal[3])
{
    double p[3], q[3];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = points[1][axis] - points[0][axis];
        q[axis] = points[2][axis] - points[0][axis];
    }
    const double cross[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] += cross[axis];
        sum_add(&measuring->volume, measuring->side * points[0][axis] * cross[axis]);
    }
}

/* As a fan from the first corner. */
static void measure_face(struct measuring *measuring, const cp_mesh *mesh, const cp_pose *pose, uint32_t face)
{
    uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
    double points[3][3], normal[3] = {0, 0, 0};
    for (uint32_t i = 0; i < size; i++) {
        double *point = points[i < 2 ? i : 2];
        vertex_point(mesh, pose, mesh->corners[first + i], point);
        extend_bounds(measuring->measures, point);
        if (i < 2)
            continue;
        add_triangle(measuring, (const double(*)[3])points, normal);
        memcpy(points[1], points[2], sizeof points[1]);
    }
    sum_add(&measuring->area, sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]));
}

/* Vertices that come in the order of their first use are looked at once. */
static void measure_box(struct measuring *measuring, const cp_mesh *mesh, const cp_pose *pose)
{
    uint32_t next = 0; /* all vertices before have been looked at */
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++) {
        uint32_t vertex = mesh->corners[corner];
        if (vertex < next)
            continue;
        next += vertex == next;
        double point[3];
        vertex_point(mesh, pose, vertex, point);
        extend_bounds(measuring->measures, point);
    }
}

static void measure_mesh(struct measuring *measuring, const cp_mesh *mesh, const cp_pose *pose)
{
    measuring->measures->triangles += mesh_triangle_count(mesh);
    measuring->side = pose_determinant(pose) < 0 ? -1 : 1;
    if (mesh->kind == CP_MESH_LINES || measuring->box_only) {
        measure_box(measuring, mesh, pose);
        return;
    }
    for (uint32_t face = 0; face < mesh->face_count; face++)
        measure_face(measuring, mesh, pose, face);
}

static cp_status measure_primitive(cp_context *context, struct measuring *measuring, const cp_mesh *mesh,
                                   const cp_pose *pose)
{
    struct arena *arena = arena_new(context);
    if (!arena)
        return CP_LIMIT;
    cp_mesh faces = *mesh;
    cp_status status = tessellate_in(context, arena, &faces);
    if (status == CP_OK)
        measure_mesh(measuring, &faces, pose);
    arena_free(arena);
    return status;
}

static cp_status measure_placed(cp_context *context, struct measuring *measuring, const cp_mesh *mesh,
                                const cp_pose *pose)
{
    if (mesh->kind >= CP_MESH_BOX)
        return measure_primitive(context, measuring, mesh, pose);
    measure_mesh(measuring, mesh, pose);
    return CP_OK;
}

static void finish_sums(struct measuring *measuring)
{
    measuring->measures->area = sum_value(&measuring->area) / 2;
    measuring->measures->volume = sum_value(&measuring->volume) / 6;
}

static cp_status measure_instances(cp_context *context, const cp_scene *scene, uint32_t use, const cp_pose *worlds,
                                   struct measuring *measuring)
{
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        if (!(instance->use & use))
            continue;
        cp_pose pose = pose_multiply(&worlds[instance->node], &instance->transform);
        cp_status status = measure_placed(context, measuring, &scene->meshes[instance->mesh], &pose);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

static cp_status measure_scene(cp_context *context, const cp_scene *scene, uint32_t use, struct measuring *measuring)
{
    cp_pose *worlds = memory_allocate(context, scene->node_count, sizeof *worlds);
    if (!worlds)
        return CP_LIMIT;
    cp_status status = scene_world_poses(context, scene, NULL, worlds);
    if (status == CP_OK)
        status = measure_instances(context, scene, use, worlds, measuring);
    memory_free(context, worlds, scene->node_count, sizeof *worlds);
    return status;
}

cp_status cp_measure(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures)
{
    *measures = (cp_measures){0};
    struct measuring measuring = {.measures = measures};
    cp_status status = measure_scene(context, scene, use, &measuring);
    finish_sums(&measuring);
    return context_finish(context, status);
}

cp_status measure_boxes(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures)
{
    *measures = (cp_measures){0};
    struct measuring measuring = {.measures = measures, .box_only = true};
    return measure_scene(context, scene, use, &measuring);
}

static void extend_by_box(cp_measures *measures, const cp_pose *pose, const cp_measures *box)
{
    for (int corner = 0; corner < 8; corner++) {
        double from[3], point[3];
        for (int i = 0; i < 3; i++)
            from[i] = corner >> i & 1 ? box->upper[i] : box->lower[i];
        pose_point(pose, from, point);
        extend_bounds(measures, point);
    }
}

cp_status measure_node_boxes(cp_context *context, const cp_scene *scene, bool own, cp_measures *boxes)
{
    memset(boxes, 0, scene->node_count * sizeof *boxes);
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        struct measuring measuring = {.measures = &boxes[instance->node], .box_only = true};
        cp_status status = measure_placed(context, &measuring, &scene->meshes[instance->mesh], &instance->transform);
        if (status != CP_OK)
            return status;
    }
    if (own)
        return CP_OK;
    cp_mechanism mechanism;
    cp_status status = mechanism_open(&mechanism, context, scene);
    for (uint32_t i = scene->node_count; i-- > 1 && status == CP_OK;) {
        cp_pose pose = node_pose(&mechanism, i, &scene->nodes[i].local);
        if (boxes[i].any)
            extend_by_box(&boxes[scene->nodes[i].parent], &pose, &boxes[i]);
    }
    mechanism_close(&mechanism);
    return status;
}

double measured_diagonal(const cp_measures *measures)
{
    double squares = 0;
    for (int i = 0; measures->any && i < 3; i++)
        squares += (measures->upper[i] - measures->lower[i]) * (measures->upper[i] - measures->lower[i]);
    return sqrt(squares);
}

/* Instances go from the last to the first, so that the first stays. */
static void place_meshes(const cp_scene *scene, const cp_pose *worlds, cp_pose *poses)
{
    const cp_pose identity = POSE_IDENTITY;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        poses[i] = identity;
    for (uint32_t i = scene->instance_count; i-- > 0;) {
        const cp_instance *instance = &scene->instances[i];
        poses[instance->mesh] = pose_multiply(&worlds[instance->node], &instance->transform);
    }
}

cp_status cp_measure_meshes(cp_context *context, const cp_scene *scene, cp_measures *measures)
{
    cp_pose *worlds = memory_allocate(context, scene->node_count, sizeof *worlds);
    cp_pose *poses = memory_allocate(context, scene->mesh_count, sizeof *poses);
    cp_status status = worlds && poses ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = scene_world_poses(context, scene, NULL, worlds);
    if (status == CP_OK)
        place_meshes(scene, worlds, poses);
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        measures[i] = (cp_measures){0};
        struct measuring measuring = {.measures = &measures[i]};
        status = measure_placed(context, &measuring, &scene->meshes[i], &poses[i]);
        finish_sums(&measuring);
    }
    memory_free(context, worlds, scene->node_count, sizeof *worlds);
    memory_free(context, poses, scene->mesh_count, sizeof *poses);
    return context_finish(context, status);
}
