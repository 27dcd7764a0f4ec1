/* Fewer triangles for the same shape: the mesh becomes a surface, the surface is simplified, and becomes the mesh
 * again. */
#include "simplify.h"

#include <string.h>

#include "../mesh.h"
#include "surface.h"

static cp_status write_mesh(cp_scene *scene, cp_mesh *mesh, const struct surface *surface)
{
    cp_mesh written = *mesh;
    uint32_t triangles = surface->triangle_count;
    size_t group_count = mesh->group_count;
    float(*positions)[3] = scene_allocate(scene, surface->vertex_count, sizeof *positions);
    if (!positions)
        return CP_LIMIT;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        to_mesh_unit(surface, surface->points[vertex], positions[vertex]);
    written.positions = positions[0];
    written.normals = NULL;
    written.vertex_count = surface->vertex_count;
    if (surface->colours) {
        written.colours = scene_allocate(scene, 4 * (size_t)surface->vertex_count, sizeof *written.colours);
        if (!written.colours)
            return CP_LIMIT;
        memcpy((float *)written.colours, surface->colours, surface->vertex_count * sizeof *surface->colours);
    }
    /* Triangles by group, a counting sort; starts[group]: where its next triangle goes. Empty groups vanish. */
    uint32_t *corners = scene_allocate(scene, 3 * (size_t)triangles, sizeof *corners);
    uint32_t *starts = memory_allocate_zeroed(scene->context, group_count + 1, sizeof *starts);
    cp_group *groups = group_count > 0 ? scene_allocate(scene, group_count, sizeof *groups) : NULL;
    bool good = corners && starts && (groups || group_count == 0);
    if (good && group_count > 0) {
        uint32_t first = 0;
        for (uint32_t triangle = 0; triangle < triangles; triangle++)
            starts[tag_class(surface->tags[triangle])]++;
        written.groups = groups;
        written.group_count = 0;
        for (uint32_t group = 0; group < group_count; group++) {
            uint32_t count = starts[group];
            if (count > 0)
                groups[written.group_count++] = (cp_group){first, count, mesh->groups[group].material};
            starts[group] = first;
            first += count;
        }
    }
    for (uint32_t triangle = 0; good && triangle < triangles; triangle++)
        memcpy(corners + 3 * (size_t)starts[tag_class(surface->tags[triangle])]++, surface->triangles[triangle],
               3 * sizeof *corners);
    memory_free(scene->context, starts, group_count + 1, sizeof *starts);
    written.corners = corners;
    written.corner_count = 3 * triangles;
    written.face_count = triangles;
    written.face_offsets = NULL;
    if (good)
        *mesh = written;
    return good ? CP_OK : CP_LIMIT;
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

/* bound: of the collapses, by the planes. The mesh changes when the outcome is good enough. */
static cp_status try_bound(struct simplification *work, cp_mesh *mesh, double bound)
{
    const uint32_t many = 131072;
    const struct simplify_goal *goal = work->goal;
    struct simplify_result *result = work->result;
    struct surface surface;
    uint32_t triangles = goal->triangles < UINT32_MAX ? (uint32_t)goal->triangles : UINT32_MAX;
    double error = 0;
    bool good = surface_make(&surface, work->scene->context, mesh, work->classes);
    bool whole = goal->whole || (!goal->fast && surface.triangle_count < many);
    surface.far = work->far;
    good = good && surface_sample(&surface, goal->fast, whole);
    if (good && !work->far) {
        work->far_room = surface.original_count + surface.original_face_count;
        work->far = memory_allocate_zeroed(work->scene->context, work->far_room, 1);
    }
    surface.far = work->far;
    surface.try = work->try;
    good = good && work->far && surface_collapse(&surface, triangles, bound / surface.scale, goal->fast) &&
           surface_fit(&surface, goal->fast ? 0 : 1, goal->error / surface.scale, &error);
    cp_status status = good ? CP_OK : CP_LIMIT;
    if (good) {
        *result = (struct simplify_result){.before = result->before,
                                           .triangles = surface.triangle_count,
                                           .error = error * surface.scale,
                                           .whole = surface.original_faces != NULL,
                                           .cut_edges = surface.cut_edges,
                                           .cut_vertices = surface.cut_vertices,
                                           .flat_faces = surface.flat_faces,
                                           .mixed_colours = surface.mixed_colours};
        if (result->error <= goal->error)
            status = write_mesh(work->scene, mesh, &surface);
    }
    surface_free(&surface);
    return status;
}

/* The planes' error is a mean over faces: what is measured may be larger. Where it is so in few places, these stay as
 * they are in the next try; where in many, the bound is lowered. A lower one does not help where planes see no error at
 * all. */
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
        uint32_t marks = 0; /* what was too far for the first time */
        for (uint32_t i = 0; i < work->far_room; i++)
            marks += work->far[i] == work->try;
        if (lowered == MOST_LOWERED || marks <= few * (double)work->result->triangles)
            continue;
        for (uint32_t i = 0; i < work->far_room; i++)
            if (work->far[i] == work->try)
                work->far[i] = 0;
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
    /* The triangles' groups are their classes. */
    uint32_t face_count = mesh->face_count,
             *classes = memory_allocate_zeroed(scene->context, face_count, sizeof *classes);
    for (uint32_t group = 0; classes && group < mesh->group_count; group++)
        for (uint32_t i = 0; i < mesh->groups[group].face_count; i++)
            classes[mesh->groups[group].first_face + i] = group;
    struct simplification work = {.scene = scene, .goal = goal, .result = result, .classes = classes};
    status = classes ? simplify_faces(&work, mesh) : CP_LIMIT;
    memory_free(scene->context, work.far, work.far_room, 1);
    memory_free(scene->context, classes, face_count, sizeof *classes);
    return status;
}
