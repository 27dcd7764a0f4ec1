/* Draws planes without borders at a size that suits the rest of the scene. Collision tests treat them as unbounded in
 * any case. */
#include "view.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "model/model.h"

static const double MOST_SIZE = 2; /* times the largest side of the rest */

static bool is_drawn_plane(const struct shown *shown, uint32_t instance)
{
    const cp_instance *it = &shown->scene->instances[instance];
    return shown->scene->meshes[it->mesh].kind == CP_MESH_PLANE && it->use & CP_USE_DRAWN;
}

/* Chooses the size at which each mesh of kind plane is drawn: at most `side` in the world, where it is stretched
 * least. */
static void choose_sizes(const struct shown *shown, double side, double (*sizes)[2])
{
    for (uint32_t i = 0; i < shown->scene->instance_count; i++) {
        uint32_t index = shown->scene->instances[i].mesh;
        for (int axis = 0; axis < 2 && is_drawn_plane(shown, i); axis++) {
            const double *m = shown->worlds[i].m + axis;
            double stretch = sqrt(m[0] * m[0] + m[4] * m[4] + m[8] * m[8]);
            double most = shown->scene->meshes[index].size[axis];
            sizes[index][axis] = fmax(sizes[index][axis], stretch > 0 ? fmin(most, side / stretch) : most);
        }
    }
}

/* Chooses the plane's middle in its own coordinates: below that of the scene, within its borders. */
static void choose_middle(const cp_mesh *mesh, const double size[2], const cp_pose *world, const double middle[3],
                          double at[3])
{
    cp_pose inverse;
    if (!pose_inverse(world, &inverse)) {
        at[0] = at[1] = at[2] = 0;
        return;
    }
    pose_point(&inverse, middle, at);
    for (int axis = 0; axis < 2; axis++) {
        double room = (mesh->size[axis] - size[axis]) / 2;
        at[axis] = fmax(-room, fmin(room, at[axis]));
    }
    at[2] = 0;
}

static cp_status limit_planes(const struct shown *shown, cp_scene **changed, uint64_t *count)
{
    const cp_scene *scene = shown->scene;
    double lower[3], upper[3], middle[3], at[3], side = 0;
    double(*sizes)[2] = arena_allocate_zeroed(shown->arena, scene->mesh_count, sizeof *sizes);
    if (!sizes)
        return CP_LIMIT;
    if (shown->planes || !shown_box(shown, lower, upper))
        return CP_OK;
    for (int i = 0; i < 3; i++) {
        middle[i] = (lower[i] + upper[i]) / 2;
        side = fmax(side, MOST_SIZE * (upper[i] - lower[i]));
    }
    choose_sizes(shown, side, sizes);
    for (uint32_t i = 0; i < scene->instance_count && side > 0; i++) {
        const cp_instance *instance = &scene->instances[i];
        const cp_mesh *mesh = &scene->meshes[instance->mesh];
        const double *size = sizes[instance->mesh];
        if (!is_drawn_plane(shown, i) || (size[0] == mesh->size[0] && size[1] == mesh->size[1]))
            continue;
        if (!*changed && !(*changed = scene_copy(scene)))
            return CP_LIMIT;
        choose_middle(mesh, size, &shown->worlds[i], middle, at);
        cp_pose shift = pose_translation(at[0], at[1], 0);
        (*changed)->instances[i].transform = pose_multiply(&instance->transform, &shift);
        memcpy((*changed)->meshes[instance->mesh].size, size, 2 * sizeof *size);
        *count += 1;
    }
    return CP_OK;
}

cp_status view_limit_planes(cp_context *context, const cp_scene *scene, cp_scene **changed)
{
    struct shown shown;
    uint64_t count = 0;
    bool any = false;
    *changed = NULL;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        any |= scene->meshes[scene->instances[i].mesh].kind == CP_MESH_PLANE;
    if (!any)
        return CP_OK;
    struct arena *arena = arena_new(context);
    cp_status status = arena ? shown_open(&shown, context, scene, arena) : CP_LIMIT;
    if (status == CP_OK)
        status = limit_planes(&shown, changed, &count);
    arena_free(arena);
    if (count > 0 && status == CP_OK)
        report_note(context, "planes-limited", NOWHERE,
                    "planes without borders are drawn at twice the size of the rest: %llu", (unsigned long long)count);
    return status;
}
