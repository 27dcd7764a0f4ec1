/* Takes the normals of a simplified mesh from the original, so that smooth parts still look smooth, however few faces
 * are left. */
#include <math.h>
#include <string.h>

#include "nearest.h"
#include "simplify.h"

enum { SHADED_AT_ONCE = 256 }; /* faces */

/* ALIKE is the cosine of 13 degrees: normals of faces at a vertex that differ by less become one. INSIDE is how far
 * inside its face a corner's normal is taken, as a part of the way to the middle. Both are tuned by how real parts look
 * (the row looks of the benchmark): with fewer vertices there are more faces for the same bytes. */
static const double ALIKE = 0.9744, INSIDE = 0.2, MOST_INSIDE = 0.3;

struct shading {
    const cp_mesh *mesh, *original;
    struct surface surface; /* the original's faces as they are */
    struct face_map map;
    float (*normals)[3];  /* of the mesh's corners */
    float (*tangents)[4]; /* of the same; NULL if the original has none */
};

/* Finds the tangent of a place in a face of the original, with the sign of the nearest corner. All corners have the
 * same sign, unless the texture of the face mirrors within it. */
static void blend_tangents(const cp_mesh *original, const uint32_t corners[3], const double shares[3], float tangent[4])
{
    int nearest = shares[1] > shares[0] ? 1 : 0;
    nearest = shares[2] > shares[nearest] ? 2 : nearest;
    double sum[3] = {0, 0, 0};
    for (int corner = 0; corner < 3; corner++)
        for (size_t axis = 0; axis < 3; axis++)
            sum[axis] += shares[corner] * (double)original->tangents[4 * (size_t)corners[corner] + axis];
    double length = sqrt(dot_product(sum, sum));
    for (int axis = 0; axis < 3; axis++)
        tangent[axis] = (float)(length > 0 ? sum[axis] / length : 0);
    tangent[3] = original->tangents[4 * (size_t)corners[nearest] + 3];
}

/* Finds the normal of the original at the nearest place, and the tangent unless that is NULL. Returns the distance of
 * the place. */
static double take_normal(const struct shading *work, const double point[3], double normal[3], float *tangent)
{
    struct face_search search = search_begin(&work->map, point);
    uint32_t boxes = UINT32_MAX;
    search_all(&search, &boxes);
    const uint32_t *corners = work->original->corners + 3 * (size_t)search.face;
    const double shares[] = {search.shares[0], search.shares[1], 1 - search.shares[0] - search.shares[1]};
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = 0;
        for (int corner = 0; corner < 3; corner++)
            normal[axis] +=
                shares[corner] * (double)work->original->normals[3 * (size_t)corners[corner] + (size_t)axis];
    }
    double length = sqrt(dot_product(normal, normal));
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = length > 0 ? normal[axis] / length : 0;
    if (tangent)
        blend_tangents(work->original, corners, shares, tangent);
    return sqrt(search.distance);
}

/* Finds the normal of a corner a little inside the face: the vertex itself may lie on a crease, or where a plane ends
 * and a fillet begins. If the nearest face of the original looks elsewhere, as the other side of a thin plate does, the
 * search begins again outside the face. */
static void shade_corner(const struct shading *work, const double points[3][3], const double flat[3], int corner,
                         float normal[3], float *tangent)
{
    double at[3], inside[3], taken[3], way = 0;
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = points[corner][axis];
        inside[axis] = (points[0][axis] + points[1][axis] + points[2][axis]) / 3 - at[axis];
        way += inside[axis] * inside[axis];
    }
    double off = take_normal(work, at, taken, NULL);
    double part = fmax(INSIDE, fmin(MOST_INSIDE, way > 0 ? 3 * off / sqrt(way) : 0));
    for (int axis = 0; axis < 3; axis++)
        at[axis] += part * inside[axis];
    off = take_normal(work, at, taken, tangent);
    if (dot_product(taken, flat) < 0) {
        for (int axis = 0; axis < 3; axis++)
            at[axis] += 2 * off * flat[axis];
        (void)take_normal(work, at, taken, tangent);
    }
    bool good = dot_product(taken, flat) >= 0;
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = (float)(good ? taken[axis] : flat[axis]);
}

static void shade_slice(void *user, uint32_t slice, uint32_t worker)
{
    const struct shading *work = user;
    const cp_mesh *mesh = work->mesh;
    (void)worker;
    for (uint32_t face = slice * SHADED_AT_ONCE; face < mesh->face_count && face / SHADED_AT_ONCE == slice; face++) {
        double points[3][3], flat[3];
        for (int corner = 0; corner < 3; corner++)
            from_mesh_unit(&work->surface,
                           mesh->positions + 3 * (size_t)mesh->corners[3 * (size_t)face + (size_t)corner],
                           points[corner]);
        triangle_normal(points[0], points[1], points[2], flat);
        double length = sqrt(dot_product(flat, flat));
        for (int axis = 0; axis < 3; axis++)
            flat[axis] = length > 0 ? flat[axis] / length : 0;
        for (int corner = 0; corner < 3; corner++) {
            size_t at = 3 * (size_t)face + (size_t)corner;
            shade_corner(work, (const double(*)[3])points, flat, corner, work->normals[at],
                         work->tangents ? work->tangents[at] : NULL);
        }
    }
}

/* ---- vertices ---- */

/* A vertex of the result: it comes from one of the mesh, and sums the normals of corners that look alike. */
struct facet_fan {
    uint32_t next; /* of the same vertex, or CP_NONE */
    float sum[3];
};

struct fans {
    struct facet_fan *list;
    float (*tangents)[4]; /* sums of the tangents, and their sign; or NULL */
    uint32_t count;
};

static bool is_alike(const float sum[3], const float direction[3])
{
    double along = 0, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        along += (double)sum[axis] * (double)direction[axis];
        square += (double)sum[axis] * (double)sum[axis];
    }
    return along >= ALIKE * sqrt(square);
}

/* Returns the vertex that the corner becomes, one of those that its own has become so far; a new one if none looks
 * alike. */
static uint32_t find_fan(struct fans *fans, uint32_t *first, const float normal[3], const float *tangent)
{
    uint32_t at = *first;
    while (at != CP_NONE &&
           !(is_alike(fans->list[at].sum, normal) &&
             (!tangent || (fans->tangents[at][3] == tangent[3] && is_alike(fans->tangents[at], tangent)))))
        at = fans->list[at].next;
    if (at == CP_NONE) {
        at = fans->count++;
        fans->list[at] = (struct facet_fan){*first, {0, 0, 0}};
        if (tangent)
            memcpy(fans->tangents[at], (const float[]){0, 0, 0, tangent[3]}, sizeof *fans->tangents);
        *first = at;
    }
    for (int axis = 0; axis < 3; axis++) {
        fans->list[at].sum[axis] += normal[axis];
        if (tangent)
            fans->tangents[at][axis] += tangent[axis];
    }
    return at;
}

/* Turns the sums into directions: normals, and tangents square to them. */
static void finish_directions(const struct fans *fans, float (*normals)[3], float (*tangents)[4])
{
    for (uint32_t vertex = 0; vertex < fans->count; vertex++) {
        const float *sum = fans->list[vertex].sum;
        double length =
            sqrt((double)sum[0] * (double)sum[0] + (double)sum[1] * (double)sum[1] + (double)sum[2] * (double)sum[2]);
        for (int axis = 0; axis < 3; axis++)
            normals[vertex][axis] = length > 0 ? (float)((double)sum[axis] / length) : (float)(axis == 2);
        if (!tangents)
            continue;
        const float *along = fans->tangents[vertex];
        const double direction[3] = {(double)along[0], (double)along[1], (double)along[2]};
        mesh_square_tangent(normals[vertex], direction, tangents[vertex]);
        tangents[vertex][3] = along[3];
    }
}

static bool split_vertices(cp_scene *scene, cp_mesh *mesh, const struct shading *work)
{
    cp_context *context = scene->context;
    uint32_t count = mesh->corner_count, had = mesh->vertex_count, tangents = work->tangents ? count : 0;
    uint32_t *first = memory_allocate(context, had, sizeof *first);
    uint32_t *sources = memory_allocate(context, count, sizeof *sources);
    struct fans fans = {.list = memory_allocate(context, count, sizeof *fans.list),
                        .tangents = tangents ? memory_allocate(context, tangents, sizeof *fans.tangents) : NULL};
    uint32_t *corners = scene_allocate(scene, count, sizeof *corners);
    bool good = first && sources && fans.list && corners && (fans.tangents || !tangents);
    if (good)
        memset(first, 0xff, had * sizeof *first);
    for (uint32_t corner = 0; good && corner < count; corner++) {
        uint32_t vertex = mesh->corners[corner];
        corners[corner] =
            find_fan(&fans, &first[vertex], work->normals[corner], tangents ? work->tangents[corner] : NULL);
        sources[corners[corner]] = vertex;
    }
    float(*normals)[3] = good ? scene_allocate(scene, fans.count, sizeof *normals) : NULL;
    float(*along)[4] = good && tangents ? scene_allocate(scene, fans.count, sizeof *along) : NULL;
    good = normals && (along || !tangents) && mesh_take_vertices(scene, mesh, sources, fans.count);
    if (good) {
        finish_directions(&fans, normals, along);
        mesh->normals = normals[0];
        mesh->tangents = along ? along[0] : NULL;
        mesh->corners = corners;
    }
    memory_free(context, first, had, sizeof *first);
    memory_free(context, sources, count, sizeof *sources);
    memory_free(context, fans.list, count, sizeof *fans.list);
    memory_free(context, fans.tangents, tangents, sizeof *fans.tangents);
    return good;
}

/* Takes the original's faces as they are, without joining vertices. */
static bool take_faces(struct surface *surface, const cp_mesh *mesh)
{
    cp_context *context = surface->context;
    surface->scale = 1;
    surface->vertex_count = mesh->vertex_count;
    surface->triangle_count = surface->triangle_room = mesh->face_count;
    surface->points = memory_allocate(context, mesh->vertex_count, sizeof *surface->points);
    surface->triangles = memory_allocate(context, mesh->face_count, sizeof *surface->triangles);
    if (!surface->points || !surface->triangles)
        return false;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        from_mesh_unit(surface, mesh->positions + 3 * (size_t)vertex, surface->points[vertex]);
    memcpy(surface->triangles, mesh->corners, mesh->face_count * sizeof *surface->triangles);
    return true;
}

cp_status mesh_shade_like(cp_scene *scene, cp_mesh *mesh, const cp_mesh *original)
{
    cp_context *context = scene->context;
    struct shading work = {.mesh = mesh, .original = original, .surface = {.context = context}};
    uint32_t corners = mesh->corner_count, tangents = original->tangents ? corners : 0;
    if (mesh->face_count == 0)
        return CP_OK;
    work.normals = memory_allocate(context, corners, sizeof *work.normals);
    work.tangents = tangents ? memory_allocate(context, tangents, sizeof *work.tangents) : NULL;
    bool good = work.normals && (work.tangents || !tangents) && take_faces(&work.surface, original) &&
                face_map_make(&work.map, &work.surface) &&
                parallel_for(context, (mesh->face_count - 1) / SHADED_AT_ONCE + 1, shade_slice, &work) &&
                split_vertices(scene, mesh, &work);
    face_map_free(&work.map);
    surface_free(&work.surface);
    memory_free(context, work.normals, corners, sizeof *work.normals);
    memory_free(context, work.tangents, tangents, sizeof *work.tangents);
    return good ? CP_OK : CP_LIMIT;
}
