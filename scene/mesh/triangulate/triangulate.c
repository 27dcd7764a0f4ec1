/* N-gons to triangles. */
#include "triangulate.h"

/* Finds the triangles of a polygon that is no fan, as corner numbers. CP_NO if it crosses itself. */
static cp_status cut_polygon(struct ears *ears, const struct polygon *polygon, bool bent, uint32_t *triangles)
{
    if (bent && bent_cut(polygon, triangles) == CP_OK)
        return CP_OK;
    for (uint32_t corner = 0; corner < polygon->count; corner++)
        polygon_point(polygon, corner, ears->points[corner]);
    cp_status status = ears_clip(ears, polygon->count, triangles);
    return status == CP_OK && bent ? bent_turn_diagonals(ears->context, polygon, triangles) : status;
}

/* Finds the triangles of all faces; *crossing_faces: how many of these cross themselves. A quadrangle is cut from its
 * first corner, as all programs do, since either diagonal is as good as the other. */
static cp_status write_triangles(struct ears *ears, const cp_mesh *mesh, uint32_t *corners, uint32_t *crossing_faces)
{
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t count = mesh_face_size(mesh, face), size = count > 2 ? 3 * (count - 2) : 0;
        struct polygon polygon = count > 3 ? polygon_of(mesh, face) : polygon_view(mesh, face);
        bool bent = count > 4 && polygon_is_bent(&polygon);
        if (bent || (count > 3 && !polygon_is_fan(&polygon))) {
            cp_status status = cut_polygon(ears, &polygon, bent, corners);
            if (status == CP_LIMIT)
                return status;
            *crossing_faces += status == CP_NO;
            for (uint32_t i = 0; i < size; i++)
                corners[i] = polygon.corners[corners[i]];
            corners += size;
            continue;
        }
        for (uint32_t corner = 2; corner < count; corner++) {
            *corners++ = polygon.corners[0];
            *corners++ = polygon.corners[corner - 1];
            *corners++ = polygon.corners[corner];
        }
    }
    return CP_OK;
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
    cp_group *groups = scene_allocate(scene, mesh->group_count, sizeof *groups);
    uint32_t *corners = scene_allocate(scene, 3 * (size_t)triangle_count, sizeof *corners);
    if (!groups || !corners)
        return CP_LIMIT;
    uint32_t largest = 3, group_count = 0, first = 0, crossing_faces = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        if (mesh_face_size(mesh, face) > largest)
            largest = mesh_face_size(mesh, face);
    struct ears ears;
    cp_status status = ears_reserve(&ears, scene->context, largest) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = write_triangles(&ears, mesh, corners, &crossing_faces);
    ears_free(&ears);
    if (crossing_faces > 0)
        report_warning(scene->context, "mesh-crossing-faces", NOWHERE,
                       "mesh \"%s\": %u faces cross themselves; their triangles overlap", mesh_title(mesh),
                       crossing_faces);
    if (status != CP_OK)
        return status;
    /* Make the groups of the triangles of their faces; groups without any vanish. */
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        uint32_t triangles = 0;
        for (uint32_t face = group->first_face; face < group->first_face + group->face_count; face++)
            triangles += mesh_face_size(mesh, face) > 2 ? mesh_face_size(mesh, face) - 2 : 0;
        if (triangles > 0)
            groups[group_count++] = (cp_group){first, triangles, group->material};
        first += triangles;
    }
    mesh->groups = groups;
    mesh->group_count = group_count;
    mesh->corners = corners;
    mesh->corner_count = 3 * (uint32_t)triangle_count;
    mesh->face_count = (uint32_t)triangle_count;
    mesh->face_offsets = NULL;
    return CP_OK;
}
