/* The shape of a whole scene: a fingerprint of all that it shows. It finds parts that were exported in several
 * places. */
#include "base/context.h"

#include <math.h>
#include <string.h>

#include "copies.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "motion/motion.h"

/* Lists all instances at their places; primitives as faces in the arena. *most: the most vertices of a mesh. */
static cp_status place_meshes(cp_context *context, const cp_scene *scene, struct arena *arena,
                              struct placed_mesh *placed, uint32_t *most)
{
    cp_pose *worlds = memory_allocate(context, scene->node_count, sizeof *worlds);
    cp_status status = worlds ? scene_world_poses(context, scene, NULL, worlds) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_mesh *faces = (cp_mesh *)&scene->meshes[instance->mesh];
        placed[i].pose = pose_multiply(&worlds[instance->node], &instance->transform);
        if (faces->kind >= CP_MESH_BOX) {
            faces = arena_copy(arena, faces, 1, sizeof *faces);
            status = faces ? tessellate_in(context, arena, faces) : CP_LIMIT;
        }
        placed[i].mesh = faces;
        if (status == CP_OK && faces->vertex_count > *most)
            *most = faces->vertex_count;
    }
    memory_free(context, worlds, scene->node_count, sizeof *worlds);
    return status;
}

cp_status cp_find_shape(cp_context *context, const cp_scene *scene, cp_shape *shape)
{
    uint32_t count = scene->instance_count, most = 0;
    struct arena *arena = arena_new(context);
    struct placed_mesh *placed = memory_allocate(context, count, sizeof *placed);
    *shape = (cp_shape){0};
    cp_status status = arena && placed ? place_meshes(context, scene, arena, placed, &most) : CP_LIMIT;
    double *squares = status == CP_OK ? memory_allocate(context, most, sizeof *squares) : NULL;
    if (status == CP_OK && !squares)
        status = CP_LIMIT;
    if (status == CP_OK && most > 0) {
        struct fingerprint print = fingerprint_find(placed, count, NULL, squares);
        shape->kind = print.shape >> 11 | 1;
        shape->tolerance = fingerprint_tolerance(&print);
        shape->values[0] = print.radius;
        memcpy(shape->values + 1, print.values, sizeof print.values);
        bool is_finite = isfinite(shape->tolerance);
        for (int i = 0; i < CP_SHAPE_VALUES; i++)
            is_finite &= isfinite(shape->values[i]) != 0;
        if (!is_finite) /* something lies so far away that its squares overflow */
            *shape = (cp_shape){0};
    }
    memory_free(context, squares, most, sizeof *squares);
    memory_free(context, placed, count, sizeof *placed);
    arena_free(arena);
    return context_finish(context, status);
}

/* Gives each shape of a cluster its group. The first of each group is a shape that agrees with no earlier first one;
 * any other shape joins the one from which it differs least. So a shape that was rounded more than others, and agrees
 * with both of two mirror images, gets the right one. */
static void match_shapes(const struct fingerprint *prints, uint32_t count, uint32_t *first)
{
    enum { MOST_LEADERS = 64 };
    uint32_t leaders[MOST_LEADERS], leader_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        double least = INFINITY;
        if (i > 0 && prints[i].cluster != prints[i - 1].cluster)
            leader_count = 0;
        for (uint32_t k = 0; k < leader_count; k++) {
            double difference = fingerprint_difference(&prints[leaders[k]], &prints[i]);
            if (difference <= 1 && difference < least) {
                least = difference;
                first[prints[i].mesh] = prints[leaders[k]].mesh;
            }
        }
        if (least > 1 && leader_count < MOST_LEADERS)
            leaders[leader_count++] = i;
    }
}

/* Returns the fingerprint of a shape, which is that of a mesh of this number. */
static struct fingerprint print_of(const cp_shape *shape, uint32_t mesh)
{
    struct fingerprint print = {
        .mesh = mesh, .shape = shape->kind, .radius = shape->values[0], .tolerance = shape->tolerance};
    memcpy(print.values, shape->values + 1, sizeof print.values);
    return print;
}

void cp_shape_range(const cp_shape *shape, double *low, double *high)
{
    const struct fingerprint print = print_of(shape, 0);
    fingerprint_radius_range(&print, low, high);
}

cp_status cp_find_alike(cp_context *context, const cp_shape *shapes, uint32_t count, uint32_t *first)
{
    struct fingerprint *prints = memory_allocate(context, count, sizeof *prints);
    cp_status status = prints ? CP_OK : CP_LIMIT;
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++) {
        first[i] = i;
        if (!prints || shapes[i].kind == 0)
            continue;
        prints[known++] = print_of(&shapes[i], i);
    }
    if (status == CP_OK && !fingerprint_cluster(context, prints, known, FINGERPRINT_VALUES, false))
        status = CP_LIMIT;
    if (status == CP_OK)
        match_shapes(prints, known, first);
    memory_free(context, prints, count, sizeof *prints);
    return context_finish(context, status);
}
