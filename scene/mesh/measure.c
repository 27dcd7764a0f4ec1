/* Measures the size, area and volume of what a scene places. Area and volume are those of the faces as they are: half
 * of Newell's sum (for faces that are not flat, the area seen along their normal) and the cones from the world's
 * origin, in double with compensated sums. Primitives are measured as they are tessellated on the way out. */
#include "base/context.h"

#include <math.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "box_tree.h"
#include "mesh.h"
#include "model/model.h"
#include "motion/motion.h"

struct measuring {
    cp_measures *measures;
    struct sum area, volume; /* twice and six times */
    double side;             /* -1 if the pose mirrors: its faces then show their other side */
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

/* Adds a face as a fan from its first corner. The cone from the world's origin over a triangle has a third of its area
 * times its height over the origin. */
static void measure_face(struct measuring *measuring, const cp_mesh *mesh, const cp_pose *pose, uint32_t face)
{
    uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
    double points[3][3], triangle[3], normal[3] = {0, 0, 0};
    for (uint32_t i = 0; i < size; i++) {
        double *point = points[i < 2 ? i : 2];
        vertex_point(mesh, pose, mesh->corners[first + i], point);
        extend_bounds(measuring->measures, point);
        if (i < 2)
            continue;
        triangle_normal(points[0], points[1], points[2], triangle);
        for (int axis = 0; axis < 3; axis++) {
            normal[axis] += triangle[axis];
            sum_add(&measuring->volume, measuring->side * points[0][axis] * triangle[axis]);
        }
        memcpy(points[1], points[2], sizeof points[1]);
    }
    sum_add(&measuring->area, sqrt(dot_product(normal, normal)));
}

static void measure_mesh(struct measuring *measuring, const cp_mesh *mesh, const cp_pose *pose)
{
    measuring->measures->triangles += mesh_triangle_count(mesh);
    measuring->side = pose_determinant(pose) < 0 ? -1 : 1;
    bool box_only = mesh->kind == CP_MESH_LINES || measuring->box_only;
    for (uint32_t face = 0; !box_only && face < mesh->face_count; face++)
        measure_face(measuring, mesh, pose, face);
    /* Vertices in the order of their first use are read once: all before `next` have been. */
    for (uint32_t corner = 0, next = 0; box_only && corner < mesh->corner_count; corner++) {
        uint32_t vertex = mesh->corners[corner];
        if (vertex < next)
            continue;
        next += vertex == next;
        double point[3];
        vertex_point(mesh, pose, vertex, point);
        extend_bounds(measuring->measures, point);
    }
}

static cp_status measure_placed(cp_context *context, struct measuring *measuring, const cp_mesh *mesh,
                                const cp_pose *pose)
{
    if (mesh->kind < CP_MESH_BOX) {
        measure_mesh(measuring, mesh, pose);
        return CP_OK;
    }
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

static void finish_sums(struct measuring *measuring)
{
    measuring->measures->area = sum_value(&measuring->area) / 2;
    measuring->measures->volume = sum_value(&measuring->volume) / 6;
}

static cp_status measure_scene(cp_context *context, const cp_scene *scene, uint32_t use, struct measuring *measuring)
{
    cp_pose *worlds = memory_allocate(context, scene->node_count, sizeof *worlds);
    cp_status status = worlds ? scene_world_poses(context, scene, NULL, worlds) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &scene->instances[i];
        if (!(instance->use & use))
            continue;
        cp_pose pose = pose_multiply(&worlds[instance->node], &instance->transform);
        status = measure_placed(context, measuring, &scene->meshes[instance->mesh], &pose);
    }
    memory_free(context, worlds, scene->node_count, sizeof *worlds);
    return status;
}

cp_status cp_measure(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures)
{
    cp_measures found = {.size = sizeof found};
    struct measuring measuring = {.measures = &found};
    cp_status status = struct_check(context, measures);
    if (status == CP_OK)
        status = measure_scene(context, scene, use, &measuring);
    finish_sums(&measuring);
    struct_give(measures, &found, sizeof found);
    return context_finish(context, status);
}

cp_status measure_boxes(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures)
{
    *measures = (cp_measures){0};
    struct measuring measuring = {.measures = measures, .box_only = true};
    return measure_scene(context, scene, use, &measuring);
}

/* Returns the largest side of the box around all meshes, as they are; -INFINITY without a vertex. used: of those
 * vertices alone that faces have. */
static double largest_side(const cp_scene *scene, bool used)
{
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    double side = -INFINITY;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        uint32_t count = used ? mesh->corner_count : mesh->vertex_count;
        for (uint32_t k = 0; k < count && mesh->positions; k++) {
            const float *at = mesh->positions + 3 * (size_t)(used ? mesh->corners[k] : k);
            for (int axis = 0; axis < 3; axis++) {
                lower[axis] = at[axis] < lower[axis] ? at[axis] : lower[axis];
                upper[axis] = at[axis] > upper[axis] ? at[axis] : upper[axis];
            }
        }
    }
    for (int axis = 0; axis < 3; axis++)
        side = fmax(side, (double)upper[axis] - (double)lower[axis]);
    return side;
}

static bool is_odd_in_metres(double size)
{
    return size > 5 || (size > 0 && size < 0.001);
}

void report_size_without_unit(const struct source *source, const cp_scene *scene, double unit)
{
    if (source->parent || unit > 0)
        return;
    double size = largest_side(scene, false);
    if (is_odd_in_metres(size)) /* rarely: vertices in order are read faster than corners */
        size = largest_side(scene, true);
    const struct shown_number shown = show_three_digits(size);
    if (size > 5)
        report_warning(source->context, "unit-guess", IN_FILE(source->name), "%s m across: in mm? --in unit=mm",
                       shown.text);
    else if (is_odd_in_metres(size))
        report_warning(source->context, "unit-guess", IN_FILE(source->name),
                       "%s m across: in another unit than m? --in unit= names it", shown.text);
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
        for (int corner = 0; boxes[i].any && corner < 8; corner++) {
            double point[3];
            for (int axis = 0; axis < 3; axis++)
                point[axis] = corner >> axis & 1 ? boxes[i].upper[axis] : boxes[i].lower[axis];
            pose_point(&pose, point, point);
            extend_bounds(&boxes[scene->nodes[i].parent], point);
        }
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

cp_status cp_measure_meshes(cp_context *context, const cp_scene *scene, cp_measures *measures)
{
    cp_pose *worlds = memory_allocate(context, scene->node_count, sizeof *worlds);
    cp_pose *poses = memory_allocate(context, scene->mesh_count, sizeof *poses);
    cp_status status = scene->mesh_count > 0 ? struct_check(context, measures) : CP_OK;
    if (status == CP_OK)
        status = worlds && poses ? scene_world_poses(context, scene, NULL, worlds) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++)
        poses[i] = POSE_IDENTITY;
    /* Take the instances from the last to the first, so that the first stays. */
    for (uint32_t i = scene->instance_count; i-- > 0 && status == CP_OK;) {
        const cp_instance *instance = &scene->instances[i];
        poses[instance->mesh] = pose_multiply(&worlds[instance->node], &instance->transform);
    }
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        cp_measures found = {.size = sizeof found};
        struct measuring measuring = {.measures = &found};
        status = measure_placed(context, &measuring, &scene->meshes[i], &poses[i]);
        finish_sums(&measuring);
        struct_give((char *)measures + i * measures->size, &found, sizeof found);
    }
    memory_free(context, worlds, scene->node_count, sizeof *worlds);
    memory_free(context, poses, scene->mesh_count, sizeof *poses);
    return context_finish(context, status);
}
