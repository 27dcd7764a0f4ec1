/* Chooses what is shown of a scene, and measures how far it reaches in given directions. */
#include "view.h"

#include <math.h>

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

cp_status shown_open(struct shown *shown, cp_context *context, const cp_scene *scene, struct arena *arena)
{
    *shown = (struct shown){.context = context, .scene = scene, .arena = arena};
    choose_use(shown);
    cp_pose *nodes = memory_allocate(context, scene->node_count, sizeof *nodes);
    shown->worlds = arena_allocate(arena, scene->instance_count, sizeof *shown->worlds);
    shown->faces = arena_allocate_zeroed(arena, scene->mesh_count, sizeof *shown->faces);
    cp_status status =
        nodes && shown->worlds && shown->faces ? scene_world_poses(context, scene, NULL, nodes) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &scene->instances[i];
        const cp_mesh *mesh = &scene->meshes[instance->mesh];
        shown->worlds[i] = pose_multiply(&nodes[instance->node], &instance->transform);
        if (!is_shown(shown, i) || shown->faces[instance->mesh])
            continue;
        cp_mesh *faces = arena_copy(arena, mesh, 1, sizeof *mesh);
        status = !faces ? CP_LIMIT : mesh->kind >= CP_MESH_BOX ? tessellate_in(context, arena, faces) : CP_OK;
        shown->faces[instance->mesh] = faces;
    }
    memory_free(context, nodes, scene->node_count, sizeof *nodes);
    return status;
}

void shown_reach(const struct shown *shown, uint32_t instance, const double (*directions)[3], double *most,
                 uint32_t count)
{
    enum { MOST_DIRECTIONS = 32 };
    const double *m = shown->worlds[instance].m;
    const cp_mesh *mesh = shown->faces[shown->scene->instances[instance].mesh];
    double local[MOST_DIRECTIONS][3], offset[MOST_DIRECTIONS], reach[MOST_DIRECTIONS];
    for (uint32_t i = 0; i < count; i++) {
        const double *d = directions[i];
        for (int axis = 0; axis < 3; axis++)
            local[i][axis] = d[0] * m[axis] + d[1] * m[4 + axis] + d[2] * m[8 + axis];
        offset[i] = d[0] * m[3] + d[1] * m[7] + d[2] * m[11];
        reach[i] = -INFINITY;
    }
    /* Vertices in the order of their first use are read once: all before `next` have been. */
    for (uint32_t corner = 0, next = 0; corner < mesh->corner_count; corner++) {
        uint32_t vertex = mesh->corners[corner];
        if (vertex < next)
            continue;
        next += vertex == next;
        const float *at = mesh->positions + 3 * (size_t)vertex;
        double x = (double)at[0], y = (double)at[1], z = (double)at[2];
        for (uint32_t i = 0; i < count; i++) {
            double value = local[i][0] * x + local[i][1] * y + local[i][2] * z;
            reach[i] = value > reach[i] ? value : reach[i];
        }
    }
    for (uint32_t i = 0; i < count; i++)
        most[i] = fmax(most[i], reach[i] + offset[i]);
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
