/* N-gons to triangles. */
#include "../../report.h"
#include "../mesh.h"
#include "../polygon.h"
#include "ears.h"

struct triangulation {
    const cp_mesh *mesh;
    uint32_t *corners;
    uint32_t written; /* corners */
    uint32_t crossing_faces;
    struct ears ears;
};

static void write_fan(struct triangulation *work, const uint32_t *corners, uint32_t count)
{
    for (uint32_t corner = 2; corner < count; corner++) {
        work->corners[work->written++] = corners[0];
        work->corners[work->written++] = corners[corner - 1];
        work->corners[work->written++] = corners[corner];
    }
}

static cp_status write_ears(struct triangulation *work, const struct polygon *polygon)
{
    for (uint32_t corner = 0; corner < polygon->count; corner++)
        polygon_point(polygon, corner, work->ears.points[corner]);
    uint32_t *triangles = work->corners + work->written;
    uint32_t size = 3 * (polygon->count - 2);
    cp_status status = ears_clip(&work->ears, polygon->count, triangles);
    if (status == CP_LIMIT)
        return status;
    work->crossing_faces += status == CP_NO;
    for (uint32_t i = 0; i < size; i++)
        triangles[i] = polygon->corners[triangles[i]];
    work->written += size;
    return CP_OK;
}

static cp_status write_face(struct triangulation *work, uint32_t face)
{
    uint32_t count = mesh_face_size(work->mesh, face);
    if (count <= 3) {
        write_fan(work, work->mesh->corners + mesh_face_first(work->mesh, face), count);
        return CP_OK;
    }
    struct polygon polygon = polygon_of(work->mesh, face);
    if (!polygon_is_fan(&polygon))
        return write_ears(work, &polygon);
    write_fan(work, polygon.corners, count);
    return CP_OK;
}

/* The groups with the triangles of their faces; those without any vanish. */
static cp_group *triangle_groups(cp_scene *scene, const cp_mesh *mesh, uint32_t *group_count)
{
    cp_group *groups = scene_allocate(scene, mesh->group_count, sizeof *groups);
    if (!groups)
        return NULL;
    uint32_t first = 0, kept = 0;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        uint32_t triangles = 0;
        for (uint32_t face = group->first_face; face < group->first_face + group->face_count; face++)
            triangles += mesh_face_size(mesh, face) > 2 ? mesh_face_size(mesh, face) - 2 : 0;
        if (triangles > 0)
            groups[kept++] = (cp_group){first, triangles, group->material};
        first += triangles;
    }
    *group_count = kept;
    return groups;
}

static uint32_t largest_face(const cp_mesh *mesh)
{
    uint32_t largest = 3;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        if (mesh_face_size(mesh, face) > largest)
            largest = mesh_face_size(mesh, face);
    return largest;
}

static cp_status write_triangles(cp_scene *scene, struct triangulation *work, uint32_t triangle_count)
{
    work->corners = scene_allocate(scene, 3 * (size_t)triangle_count, sizeof *work->corners);
    if (!work->corners || !ears_reserve(&work->ears, scene->context, largest_face(work->mesh)))
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (uint32_t face = 0; face < work->mesh->face_count && status == CP_OK; face++)
        status = write_face(work, face);
    if (work->crossing_faces > 0)
        report_warning(scene->context, "mesh-crossing-faces", NOWHERE,
                       "mesh \"%s\": %u faces cross themselves; their triangles overlap", mesh_title(work->mesh),
                       work->crossing_faces);
    return status;
}

cp_status mesh_triangulate(cp_scene *scene, cp_mesh *mesh)
{
    if (mesh->kind != CP_MESH_FACES || !mesh->face_offsets)
        return CP_OK;
    uint64_t triangle_count = mesh_triangle_count(mesh);
    if (3 * triangle_count >= UINT32_MAX)
        return report_error(scene->context, CP_LIMIT, "mesh-too-large", NOWHERE,
                            "mesh \"%s\" has %llu triangles, more than a mesh can hold", mesh_title(mesh),
                            (unsigned long long)triangle_count);
    struct triangulation work = {.mesh = mesh, .ears = {.context = scene->context}};
    uint32_t group_count = 0;
    cp_group *groups = triangle_groups(scene, mesh, &group_count);
    cp_status status = groups ? write_triangles(scene, &work, (uint32_t)triangle_count) : CP_LIMIT;
    ears_free(&work.ears);
    if (status != CP_OK)
        return status;
    mesh->groups = groups;
    mesh->group_count = group_count;
    mesh->corners = work.corners;
    mesh->corner_count = work.written;
    mesh->face_count = (uint32_t)triangle_count;
    mesh->face_offsets = NULL;
    return CP_OK;
}
