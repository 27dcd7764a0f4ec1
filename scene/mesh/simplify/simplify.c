/* Fewer triangles for the same shape: the mesh becomes a surface, the surface is simplified, and becomes the mesh again. */
#include "simplify.h"

#include <string.h>

#include "../mesh.h"
#include "surface.h"

/* The triangles' groups: their classes. NULL when there is one at most. */
static uint32_t *find_classes(cp_context *context, const cp_mesh *mesh)
{
    uint32_t *classes = memory_allocate_zeroed(context, mesh->face_count, sizeof *classes);
    for (uint32_t group = 0; classes && group < mesh->group_count; group++)
        for (uint32_t i = 0; i < mesh->groups[group].face_count; i++)
            classes[mesh->groups[group].first_face + i] = group;
    return classes;
}

/* The groups that still have triangles; starts[group]: where its first one goes. */
static cp_status write_groups(cp_scene *scene, cp_mesh *mesh, const struct surface *surface, uint32_t *starts)
{
    cp_group *groups = scene_allocate(scene, mesh->group_count, sizeof *groups);
    if (!groups)
        return CP_LIMIT;
    uint32_t kept = 0, first = 0;
    memset(starts, 0, mesh->group_count * sizeof *starts);
    for (uint32_t triangle = 0; triangle < surface->triangle_count; triangle++)
        starts[tag_class(surface->tags[triangle])]++;
    for (uint32_t group = 0; group < mesh->group_count; group++) {
        uint32_t count = starts[group];
        if (count > 0)
            groups[kept++] = (cp_group){first, count, mesh->groups[group].material};
        starts[group] = first;
        first += count;
    }
    mesh->groups = groups;
    mesh->group_count = kept;
    return CP_OK;
}

static cp_status write_faces(cp_scene *scene, cp_mesh *mesh, const struct surface *surface)
{
    uint32_t group_count = mesh->group_count;
    uint32_t *corners = scene_allocate(scene, 3 * (size_t)surface->triangle_count, sizeof *corners);
    uint32_t *starts = memory_allocate(scene->context, group_count + (size_t)1, sizeof *starts);
    cp_status status = corners && starts ? CP_OK : CP_LIMIT;
    if (status == CP_OK && group_count > 0)
        status = write_groups(scene, mesh, surface, starts);
    else if (status == CP_OK)
        starts[0] = 0;
    for (uint32_t triangle = 0; status == CP_OK && triangle < surface->triangle_count; triangle++)
        memcpy(corners + 3 * (size_t)starts[tag_class(surface->tags[triangle])]++, surface->triangles[triangle],
               3 * sizeof *corners);
    memory_free(scene->context, starts, group_count + (size_t)1, sizeof *starts);
    mesh->corners = corners;
    mesh->corner_count = 3 * surface->triangle_count;
    mesh->face_count = surface->triangle_count;
    mesh->face_offsets = NULL;
    return status;
}

static cp_status write_mesh(cp_scene *scene, cp_mesh *mesh, const struct surface *surface)
{
    float(*positions)[3] = scene_allocate(scene, surface->vertex_count, sizeof *positions);
    if (!positions)
        return CP_LIMIT;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        to_mesh_unit(surface, surface->points[vertex], positions[vertex]);
    cp_mesh written = *mesh;
    if (surface->colours) {
        written.colours = scene_allocate(scene, 4 * (size_t)surface->vertex_count, sizeof *written.colours);
        if (!written.colours)
            return CP_LIMIT;
        memcpy((float *)written.colours, surface->colours, surface->vertex_count * sizeof *surface->colours);
    }
    written.positions = positions[0];
    written.normals = NULL;
    written.vertex_count = surface->vertex_count;
    cp_status status = write_faces(scene, &written, surface);
    if (status == CP_OK)
        *mesh = written;
    return status;
}

/* A mesh on its way. */
struct simplification {
    cp_scene *scene;
    const struct simplify_goal *goal;
    struct simplify_result *result;
    const uint32_t *classes;
    uint8_t *far, try; /* see surface.h */
    uint32_t far_room;
};

static void tell(const struct simplification *work, const struct surface *surface, double error)
{
    work->result->triangles = surface->triangle_count;
    work->result->error = error * surface->scale;
    work->result->whole = surface->original_faces != NULL;
    work->result->cut_edges = surface->cut_edges;
    work->result->cut_vertices = surface->cut_vertices;
    work->result->flat_faces = surface->flat_faces;
    work->result->mixed_colours = surface->mixed_colours;
}

static bool take_marks(struct simplification *work, struct surface *surface)
{
    if (!work->far) {
        work->far_room = surface->original_count + surface->original_face_count;
        work->far = memory_allocate_zeroed(work->scene->context, work->far_room, 1);
    }
    surface->far = work->far;
    surface->try = work->try;
    return work->far != NULL;
}

static bool is_whole(const struct simplify_goal *goal, const struct surface *surface)
{
    const uint32_t many = 131072;
    return goal->whole || (!goal->fast && surface->triangle_count < many);
}

/* bound: of the collapses, by the planes. The mesh changes when the outcome is good enough. */
static cp_status try_bound(struct simplification *work, cp_mesh *mesh, double bound)
{
    const struct simplify_goal *goal = work->goal;
    struct surface surface;
    uint32_t triangles = goal->triangles < UINT32_MAX ? (uint32_t)goal->triangles : UINT32_MAX;
    double error = 0;
    bool good = surface_make(&surface, work->scene->context, mesh, work->classes);
    surface.far = work->far;
    good = good && surface_sample(&surface, goal->fast, is_whole(goal, &surface)) && take_marks(work, &surface) &&
           surface_collapse(&surface, triangles, bound / surface.scale, goal->fast) &&
           surface_fit(&surface, goal->fast ? 0 : 1, goal->error / surface.scale, &error);
    cp_status status = good ? CP_OK : CP_LIMIT;
    if (good)
        tell(work, &surface, error);
    if (good && work->result->error <= goal->error)
        status = write_mesh(work->scene, mesh, &surface);
    surface_free(&surface);
    return status;
}

/* What was too far for the first time. */
static uint32_t count_marks(const struct simplification *work)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->far_room; i++)
        count += work->far[i] == work->try;
    return count;
}

static void drop_marks(const struct simplification *work)
{
    for (uint32_t i = 0; i < work->far_room; i++)
        if (work->far[i] == work->try)
            work->far[i] = 0;
}

/* The planes' error is a mean over faces: what is measured may be larger. Where it is so in few places, these stay as they are in the
 * next try; where in many, the bound is lowered. A lower one does not help where planes see no error at all. */
static cp_status simplify_faces(struct simplification *work, cp_mesh *mesh)
{
    enum { MOST_TRIES = 24, MOST_LOWERED = 3 };
    const double few = 0.3; /* of the triangles that are left */
    double wanted = work->goal->error, bound = work->goal->bound > 0 ? fmin(wanted, work->goal->bound) : wanted;
    int lowered = 0;
    for (work->try = 1; work->try <= MOST_TRIES; work->try++) {
        cp_status status = try_bound(work, mesh, bound);
        if (status != CP_OK || work->result->error <= wanted)
            return status;
        if (lowered == MOST_LOWERED || count_marks(work) <= few * (double)work->result->triangles)
            continue;
        drop_marks(work);
        bound *= fmax(0.5, 0.9 * wanted / work->result->error);
        lowered++;
    }
    *work->result = (struct simplify_result){
        .before = work->result->before, .triangles = work->result->before, .whole = work->result->whole};
    return CP_OK;
}

cp_status mesh_simplify(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                        struct simplify_result *result)
{
    *result = (struct simplify_result){.before = 0};
    cp_status status = mesh_triangulate(scene, mesh);
    result->before = result->triangles = mesh_triangle_count(mesh);
    if (status != CP_OK || mesh->kind != CP_MESH_FACES || result->before <= goal->triangles)
        return status;
    uint32_t *classes = find_classes(scene->context, mesh), face_count = mesh->face_count;
    struct simplification work = {.scene = scene, .goal = goal, .result = result, .classes = classes};
    status = classes ? simplify_faces(&work, mesh) : CP_LIMIT;
    memory_free(scene->context, work.far, work.far_room, 1);
    memory_free(scene->context, classes, face_count, sizeof *classes);
    return status;
}
