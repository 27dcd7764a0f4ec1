/* FB_ngon_encoding (Vendor extension, draft): each polygon is a run of triangles that begin with the same vertex, and
 * the next polygon begins with another one. A polygon that is no fan from any corner tried stays the triangles it was
 * cut into, which other readers take for faces of their own. */
#include "writer.h"

#include <string.h>

enum { MOST_APEXES = 4 };

/* Twice the area of a triangle of the mesh, as a vector. */
static void corners_normal(const cp_mesh *mesh, const uint32_t vertices[3], double out[3])
{
    double a[3], b[3];
    for (size_t i = 0; i < 3; i++) {
        double origin = (double)mesh->positions[3 * (size_t)vertices[0] + i];
        a[i] = (double)mesh->positions[3 * (size_t)vertices[1] + i] - origin;
        b[i] = (double)mesh->positions[3 * (size_t)vertices[2] + i] - origin;
    }
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

struct ring {
    const cp_mesh *mesh;
    const uint32_t *corners;
    uint32_t size;
    double normal[3]; /* sum over a fan: the whole polygon's, whatever its shape */
};

static uint32_t corner(const struct ring *polygon, uint32_t index)
{
    return polygon->corners[index % polygon->size];
}

/* The side that the triangle of three corners shows, as the polygon sees it. */
static double turn(const struct ring *polygon, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t vertices[3] = {corner(polygon, a), corner(polygon, b), corner(polygon, c)};
    double normal[3];
    corners_normal(polygon->mesh, vertices, normal);
    return normal[0] * polygon->normal[0] + normal[1] * polygon->normal[1] + normal[2] * polygon->normal[2];
}

/* The corner of a fan that does not begin with `previous`, or CP_NONE. A concave polygon is most likely a fan from one
 * of its inward corners; of those a few are tried, so that the work stays linear. */
static uint32_t find_apex(const struct ring *polygon, uint32_t previous)
{
    uint32_t inward = 0, size = polygon->size;
    for (uint32_t i = 0; i < size; i++) {
        if (turn(polygon, i, i + 1, i + 2) >= 0)
            continue;
        uint32_t apex = (i + 1) % size;
        bool fan = inward++ < MOST_APEXES && corner(polygon, apex) != previous;
        for (uint32_t k = 1; k + 1 < size && fan; k++)
            fan = !(turn(polygon, apex, apex + k, apex + k + 1) < 0);
        if (fan)
            return apex;
    }
    for (uint32_t i = 0; inward == 0 && i < size; i++)
        if (corner(polygon, i) != previous)
            return i;
    return CP_NONE;
}

/* Rewrites the size - 2 triangles of one face; returns true when they are a fan now. */
static bool encode_face(const struct ring *polygon, uint32_t *triangles, uint32_t *previous)
{
    uint32_t apex = polygon->size > 3 ? find_apex(polygon, *previous) : CP_NONE;
    for (uint32_t i = 0; i + 2 < polygon->size; i++) {
        uint32_t *triangle = triangles + 3 * (size_t)i;
        if (apex != CP_NONE) {
            triangle[0] = corner(polygon, apex);
            triangle[1] = corner(polygon, apex + i + 1);
            triangle[2] = corner(polygon, apex + i + 2);
            continue;
        }
        /* A polygon of its own: turned until it does not begin with the one before. */
        for (int k = 0; k < 2 && triangle[0] == *previous; k++) {
            uint32_t first = triangle[0];
            triangle[0] = triangle[1];
            triangle[1] = triangle[2];
            triangle[2] = first;
        }
        *previous = triangle[0];
    }
    if (apex != CP_NONE)
        *previous = corner(polygon, apex);
    return apex != CP_NONE;
}

bool encode_polygons(struct writer *writer, const cp_mesh *mesh, struct mesh_plan *plan)
{
    /* The triangulation has size - 2 triangles a face, in face order; anything else is left alone. */
    uint64_t total = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        total += mesh_face_size(mesh, face) > 2 ? mesh_face_size(mesh, face) - UINT64_C(2) : 0;
    if (plan->index_count == 0 || total * 3 != plan->index_count)
        return true;
    uint32_t *indices = scene_allocate(writer->work, plan->index_count, sizeof *indices);
    if (!indices)
        return false;
    memcpy(indices, plan->indices, plan->index_count * sizeof *indices);
    uint32_t at = 0, previous = CP_NONE;
    struct primitive *primitive = plan->primitives;
    const struct primitive *end = primitive + plan->primitive_count;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        struct ring polygon = {mesh, mesh->corners + mesh_face_first(mesh, face), mesh_face_size(mesh, face), {0}};
        if (polygon.size < 3)
            continue;
        for (uint32_t i = 1; i + 1 < polygon.size; i++) {
            const uint32_t vertices[3] = {polygon.corners[0], polygon.corners[i], polygon.corners[i + 1]};
            double normal[3];
            corners_normal(mesh, vertices, normal);
            for (int k = 0; k < 3; k++)
                polygon.normal[k] += normal[k];
        }
        while (primitive + 1 < end && at >= primitive->first_index + primitive->index_count)
            primitive++;
        if (encode_face(&polygon, indices + at, &previous))
            primitive->polygons = writer->has_polygons = true;
        at += 3 * (polygon.size - 2);
    }
    plan->indices = indices;
    return true;
}
