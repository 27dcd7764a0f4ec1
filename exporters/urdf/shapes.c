/* Decides whether instances are shapes that URDF has, or meshes in files. */
#include <math.h>

#include "base/text/text.h"
#include "robot.h"

enum { FEWEST_SIDES = 12 }; /* a cylinder or sphere of fewer is not round */

/* ---- shapes of URDF's own ---- */

static bool agree(double one, double other)
{
    return fabs(one - other) <= ROBOT_COARSE * fmax(fabs(one), fabs(other));
}

/* Finds rotation and scale of a pose; false if it shears. A mirrored one has its minus where it turns least. */
static bool find_scale(const cp_pose *pose, cp_pose *rigid, double scale[3])
{
    cp_pose rest;
    robot_split(pose, rigid, &rest);
    bool is_unscaled = robot_is_unscaled(&rest);
    for (int i = 0; i < 3; i++)
        scale[i] = is_unscaled ? 1 : rest.m[5 * i];
    for (int i = 0; i < 12; i++)
        if (i % 5 != 0 && !(fabs(rest.m[i]) <= ROBOT_COARSE * pose_largest_entry(&rest)))
            return false;
    if (pose_determinant(pose) >= 0)
        return true;
    const double *m = rigid->m, diagonal[3] = {m[0], m[5], m[10]}, sum = m[0] + m[5] + m[10];
    int kept = -1; /* the axis that two half turns of the others leave, so that it alone is mirrored */
    for (int i = 0; i < 3; i++)
        if (2 * diagonal[i] - sum > (kept < 0 ? sum : 2 * diagonal[kept] - sum))
            kept = i;
    for (int i = 0; i < 3 && kept >= 0; i++) {
        double sign = i == kept ? 1 : -1;
        scale[i] *= sign;
        for (int row = 0; row < 3; row++)
            rigid->m[4 * row + i] *= sign;
    }
    return true;
}

/* Finds the shape of URDF that a primitive is; ROBOT_MESH if there is none. */
static enum robot_shape_kind own_shape(const struct robot *robot, const cp_mesh *mesh, const double scale[3],
                                       double size[3])
{
    double x = fabs(scale[0]), y = fabs(scale[1]), z = fabs(scale[2]);
    bool is_round = mesh->sides >= FEWEST_SIDES && agree(x, y);
    memcpy(size, (const double[3]){0}, 3 * sizeof *size);
    if (mesh->kind == CP_MESH_BOX) {
        for (int i = 0; i < 3; i++)
            size[i] = mesh->size[i] * fabs(scale[i]);
        return ROBOT_BOX;
    }
    size[0] = mesh->size[0] * x;
    size[1] = mesh->size[1] * z;
    if (mesh->kind == CP_MESH_CYLINDER && is_round)
        return ROBOT_CYLINDER;
    if (mesh->kind == CP_MESH_SPHERE && is_round && agree(x, z))
        return ROBOT_SPHERE;
    if (mesh->kind == CP_MESH_CAPSULE && is_round && agree(x, z) && robot->settings->version == ROBOT_VERSION_12)
        return ROBOT_CAPSULE;
    return ROBOT_MESH;
}

/* ---- all ---- */

/* Tells whether the instance is in the file. Lines are only in GLB. */
static bool is_written(const struct robot *robot, const cp_instance *instance)
{
    const cp_mesh *mesh = &robot->scene->meshes[instance->mesh];
    bool is_lines = mesh->kind == CP_MESH_LINES;
    return (instance->use & CP_USE_BOTH) &&
           (is_lines ? robot->settings->meshes == ROBOT_MESHES_GLB && (instance->use & CP_USE_DRAWN)
                     : mesh_triangle_count(mesh) > 0);
}

static cp_status plan_shape(struct robot *robot, uint32_t index)
{
    const cp_instance *instance = &robot->scene->instances[index];
    const cp_mesh *mesh = &robot->scene->meshes[instance->mesh];
    struct robot_shape *shape = &robot->shapes[index];
    cp_pose pose = pose_multiply(&robot->links[instance->node].rest, &instance->transform), baked = POSE_IDENTITY;
    double scale[3], size[3];
    if (!is_written(robot, instance))
        return CP_OK;
    if (!pose_is_finite(&pose))
        return report_error(robot->context, CP_OUTPUT, "urdf-range",
                            (struct place){.node = robot->scene->nodes[instance->node].name},
                            "a shape is out of the range of numbers");
    bool sheared = !find_scale(&pose, &shape->origin, scale);
    shape->material = mesh->group_count > 0 ? mesh->groups[0].material : CP_NONE;
    shape->kind = sheared || mesh->kind < CP_MESH_BOX ? ROBOT_MESH : own_shape(robot, mesh, scale, size);
    memcpy(shape->size, shape->kind == ROBOT_MESH ? scale : size, sizeof shape->size);
    if (shape->kind != ROBOT_MESH) {
        robot->other_sides += shape->kind != ROBOT_BOX && mesh->sides != ROBOT_SIDES;
        return CP_OK;
    }
    if (sheared) {
        robot_split(&pose, &shape->origin, &baked);
        memcpy(shape->size, (const double[3]){1, 1, 1}, sizeof shape->size);
    }
    robot->losses[LOST_BAKED] += sheared;
    robot->losses[LOST_SHAPES] += mesh->kind >= CP_MESH_BOX;
    return robot_find_parts(robot, instance, &baked, shape) ? CP_OK : CP_LIMIT;
}

/* Marks the materials that visuals have, by a name that may be another's, too. */
static void find_materials(struct robot *robot, bool *is_used)
{
    const cp_scene *scene = robot->scene;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct robot_shape *shape = &robot->shapes[i];
        bool is_drawn = shape->kind != ROBOT_NOTHING && (scene->instances[i].use & CP_USE_DRAWN);
        if (is_drawn && shape->material != CP_NONE)
            is_used[shape->material] = true;
    }
    for (uint32_t i = 0; i < robot->part_count; i++)
        if (robot->parts[i].material != CP_NONE)
            is_used[robot->parts[i].material] = true;
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const cp_material *material = &scene->materials[i];
        double *rgba = robot->materials[i].rgba;
        for (int k = 0; k < 3; k++) {
            double value = within_unit(material->rgba[k]);
            rgba[k] = material->srgb ? value : srgb_from_linear(value);
        }
        rgba[3] = material->alpha == CP_ALPHA_OPAQUE ? 1 : within_unit(material->rgba[3]);
    }
}

/* Gives the material its name, if it is the first that is called so, or has the colour of the first. */
static bool share_name(struct robot *robot, struct name_map *first, struct name_map *taken, uint32_t index,
                       const char *name)
{
    struct robot_material *material = &robot->materials[index];
    const uint32_t *known = name_map_add(first, name, index, NULL);
    if (!known || !name_map_add(taken, name, 1, NULL))
        return false;
    const struct robot_material *shared = &robot->materials[*known];
    material->is_copy = *known != index && memcmp(shared->rgba, material->rgba, sizeof material->rgba) == 0;
    material->name = *known == index || material->is_copy ? name : NULL;
    return true;
}

static cp_status name_materials(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    struct name_map first = {.context = robot->context}, taken = {.context = robot->context};
    bool *is_used = arena_allocate_zeroed(robot->arena, scene->material_count, sizeof *is_used);
    bool good = is_used;
    if (good)
        find_materials(robot, is_used);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < scene->material_count && good; i++) {
            const char *name = *scene->materials[i].name ? scene->materials[i].name : scene->materials[i].id;
            struct robot_material *material = &robot->materials[i];
            if (!is_used[i] || material->name)
                continue;
            if (pass == 0) {
                good = share_name(robot, &first, &taken, i, name);
                continue;
            }
            material->name = unique_name(robot->arena, &taken, name);
            robot->losses[LOST_NAMES]++;
            good = material->name;
        }
    name_map_free(&first);
    name_map_free(&taken);
    return good ? CP_OK : CP_LIMIT;
}

cp_status robot_plan_shapes(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    cp_status status = CP_OK;
    robot->shapes = arena_allocate_zeroed(robot->arena, scene->instance_count, sizeof *robot->shapes);
    robot->materials = arena_allocate_zeroed(robot->arena, scene->material_count, sizeof *robot->materials);
    robot->seen = arena_allocate_zeroed(robot->arena, (size_t)scene->material_count + 1, sizeof *robot->seen);
    robot->faces_keys = arena_allocate_zeroed(robot->arena, scene->mesh_count, sizeof *robot->faces_keys);
    robot->copies = arena_allocate(robot->arena, scene->material_count, sizeof *robot->copies);
    if (arena_failed(robot->arena))
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++)
        status = plan_shape(robot, i);
    return status == CP_OK ? name_materials(robot) : status;
}
