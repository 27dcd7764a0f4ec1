/* Chooses what is shown of a scene, and measures how far it reaches in given directions. */
#include "view.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "motion/motion.h"

static bool is_shown(const struct shown *shown, uint32_t instance)
{
    return (shown->scene->instances[instance].use & shown->use) != 0;
}

bool shown_is_framed(const struct shown *shown, uint32_t instance)
{
    bool plane = shown->scene->meshes[shown->scene->instances[instance].mesh].kind == CP_MESH_PLANE;
    return is_shown(shown, instance) && (!plane || shown->planes);
}

/* Chooses what is shown: drawn geometry, or else that for collision; planes if there is nothing else. */
static void choose_use(struct shown *shown)
{
    const cp_scene *scene = shown->scene;
    uint32_t any = 0, bounded = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        any |= scene->instances[i].use;
        if (scene->meshes[scene->instances[i].mesh].kind != CP_MESH_PLANE)
            bounded |= scene->instances[i].use;
    }
    shown->use = any & CP_USE_DRAWN ? CP_USE_DRAWN : CP_USE_COLLISION;
    shown->planes = !(bounded & shown->use);
}

/* Finds the points of the vertices that faces use: the mesh's own array, unless others lie between them. */
static cp_status find_points(const struct shown *shown, struct shown_mesh *mesh)
{
    const cp_mesh *faces = mesh->faces;
    bool *used = memory_allocate_zeroed(shown->context, faces->vertex_count, sizeof *used);
    if (!used)
        return CP_LIMIT;
    for (uint32_t corner = 0; corner < faces->corner_count; corner++)
        used[faces->corners[corner]] = true;
    for (uint32_t i = 0; i < faces->vertex_count; i++)
        mesh->point_count += used[i];
    mesh->points = faces->positions;
    float *points = NULL;
    if (mesh->point_count < faces->vertex_count)
        mesh->points = points = arena_allocate(shown->arena, mesh->point_count, 3 * sizeof *points);
    for (uint32_t i = 0, next = 0; points && i < faces->vertex_count; i++)
        if (used[i])
            memcpy(points + 3 * (size_t)next++, faces->positions + 3 * (size_t)i, 3 * sizeof *points);
    memory_free(shown->context, used, faces->vertex_count, sizeof *used);
    return mesh->points || faces->vertex_count == 0 ? CP_OK : CP_LIMIT;
}

/* Measures the boxes around runs of points. */
static cp_status make_blocks(const struct shown *shown, struct shown_mesh *mesh)
{
    uint32_t count = mesh->point_count / BLOCK_POINTS + (mesh->point_count % BLOCK_POINTS > 0);
    mesh->blocks = arena_allocate(shown->arena, count, sizeof *mesh->blocks);
    if (!mesh->blocks)
        return CP_LIMIT;
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        const float *at = mesh->points + 3 * (size_t)i;
        float(*ends)[3] = mesh->blocks[i / BLOCK_POINTS].ends;
        for (int axis = 0; axis < 3; axis++) {
            bool first = i % BLOCK_POINTS == 0;
            ends[0][axis] = first || at[axis] < ends[0][axis] ? at[axis] : ends[0][axis];
            ends[1][axis] = first || at[axis] > ends[1][axis] ? at[axis] : ends[1][axis];
        }
    }
    return CP_OK;
}

static cp_status show_mesh(const struct shown *shown, const cp_mesh *mesh, struct shown_mesh *made)
{
    cp_mesh *faces = arena_copy(shown->arena, mesh, 1, sizeof *mesh);
    cp_status status = !faces                      ? CP_LIMIT
                       : mesh->kind >= CP_MESH_BOX ? tessellate_in(shown->context, shown->arena, faces)
                                                   : CP_OK;
    made->faces = faces;
    if (status == CP_OK)
        status = find_points(shown, made);
    return status == CP_OK ? make_blocks(shown, made) : status;
}

cp_status shown_open(struct shown *shown, cp_context *context, const cp_scene *scene, struct arena *arena)
{
    *shown = (struct shown){.context = context, .scene = scene, .arena = arena};
    choose_use(shown);
    cp_pose *nodes = memory_allocate(context, scene->node_count, sizeof *nodes);
    shown->worlds = arena_allocate(arena, scene->instance_count, sizeof *shown->worlds);
    shown->meshes = arena_allocate_zeroed(arena, scene->mesh_count, sizeof *shown->meshes);
    cp_status status =
        nodes && shown->worlds && shown->meshes ? scene_world_poses(context, scene, NULL, nodes) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &scene->instances[i];
        shown->worlds[i] = pose_multiply(&nodes[instance->node], &instance->transform);
        if (is_shown(shown, i) && !shown->meshes[instance->mesh].faces)
            status = show_mesh(shown, &scene->meshes[instance->mesh], &shown->meshes[instance->mesh]);
    }
    memory_free(context, nodes, scene->node_count, sizeof *nodes);
    return status;
}

static double along(const double direction[3], const float at[3])
{
    return direction[0] * (double)at[0] + direction[1] * (double)at[1] + direction[2] * (double)at[2];
}

/* Returns at least the largest product of the direction with a point of the block, in rounded numbers, too. */
static double bound_of_block(const struct block *block, const double direction[3])
{
    const float far[3] = {block->ends[direction[0] > 0][0], block->ends[direction[1] > 0][1],
                          block->ends[direction[2] > 0][2]};
    return along(direction, far);
}

static double reach_of_block(const struct shown_mesh *mesh, uint32_t block, const double direction[3], double reach)
{
    uint32_t first = block * BLOCK_POINTS, left = mesh->point_count - first;
    const float *at = mesh->points + 3 * (size_t)first;
    for (uint32_t i = 0; i < (left < BLOCK_POINTS ? left : BLOCK_POINTS); i++, at += 3) {
        double value = along(direction, at);
        reach = value > reach ? value : reach;
    }
    return reach;
}

/* Returns the largest product of the direction with a point. The block with the largest bound comes first: few others
 * can reach farther than its points. */
static double reach_of_mesh(const struct shown_mesh *mesh, const double direction[3])
{
    double reach = -INFINITY, best = -INFINITY;
    uint32_t count = mesh->point_count / BLOCK_POINTS + (mesh->point_count % BLOCK_POINTS > 0), first = 0;
    for (uint32_t i = 0; i < count; i++) {
        double bound = bound_of_block(&mesh->blocks[i], direction);
        first = bound > best ? i : first;
        best = bound > best ? bound : best;
    }
    if (count > 0)
        reach = reach_of_block(mesh, first, direction, reach);
    for (uint32_t i = 0; i < count; i++)
        if (bound_of_block(&mesh->blocks[i], direction) > reach)
            reach = reach_of_block(mesh, i, direction, reach);
    return reach;
}

void shown_reach(const struct shown *shown, uint32_t instance, const double (*directions)[3], double *most,
                 uint32_t count)
{
    const double *m = shown->worlds[instance].m;
    const struct shown_mesh *mesh = &shown->meshes[shown->scene->instances[instance].mesh];
    for (uint32_t i = 0; i < count; i++) {
        const double *d = directions[i];
        double local[3], offset = d[0] * m[3] + d[1] * m[7] + d[2] * m[11];
        for (int axis = 0; axis < 3; axis++)
            local[axis] = d[0] * m[axis] + d[1] * m[4 + axis] + d[2] * m[8 + axis];
        most[i] = fmax(most[i], reach_of_mesh(mesh, local) + offset);
    }
}

static const double outwards[6][3] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static bool box_of_reach(const double most[6], double lower[3], double upper[3])
{
    bool any = most[0] != -INFINITY;
    for (int i = 0; i < 3; i++) {
        lower[i] = any ? 0 - most[i] : 0;
        upper[i] = any ? most[i + 3] : 0;
    }
    return any;
}

void shown_bounds(const struct shown *shown, uint32_t instance, double lower[3], double upper[3])
{
    double most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    shown_reach(shown, instance, outwards, most, 6);
    (void)box_of_reach(most, lower, upper);
}

bool shown_box(const struct shown *shown, double lower[3], double upper[3])
{
    double most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < shown->scene->instance_count; i++)
        if (shown_is_framed(shown, i))
            shown_reach(shown, i, outwards, most, 6);
    return box_of_reach(most, lower, upper);
}

bool shown_is_floor(const struct shown *shown, uint32_t instance, const double lower[3], const double upper[3])
{
    const double flat = 0.05, covers = 0.5, low = 0.1; /* parts of its length, of the area, of the height */
    double from[3], to[3], side[3], whole[3];
    if (!is_shown(shown, instance))
        return false;
    if (shown->scene->meshes[shown->scene->instances[instance].mesh].kind == CP_MESH_PLANE)
        return true;
    shown_bounds(shown, instance, from, to);
    for (int i = 0; i < 3; i++) {
        side[i] = to[i] - from[i];
        whole[i] = upper[i] - lower[i];
    }
    return to[2] <= lower[2] + low * whole[2] && side[2] <= flat * fmax(side[0], side[1]) &&
           side[0] * side[1] >= covers * whole[0] * whole[1];
}
