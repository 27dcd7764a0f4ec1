/* Leaving faces and vertices out. */
#include "compact.h"

#include <string.h>

/* ---- faces ---- */

static uint32_t keep_groups(const cp_mesh *mesh, const bool *drop, cp_group *groups)
{
    uint32_t kept = 0, first = 0;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        uint32_t faces = 0;
        for (uint32_t face = group->first_face; face < group->first_face + group->face_count; face++)
            faces += !drop[face];
        if (faces > 0)
            groups[kept++] = (cp_group){first, faces, group->material};
        first += faces;
    }
    return kept;
}

/* offsets NULL for triangles. */
static void keep_faces(cp_mesh *mesh, const bool *drop, uint32_t *corners, uint32_t *offsets)
{
    uint32_t faces = 0, written = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        if (drop[face])
            continue;
        if (offsets)
            offsets[faces] = written;
        memcpy(corners + written, mesh->corners + first, size * sizeof *corners);
        written += size;
        faces++;
    }
    if (offsets)
        offsets[faces] = written;
    mesh->corners = corners;
    mesh->face_offsets = offsets;
    mesh->face_count = faces;
    mesh->corner_count = written;
}

cp_status mesh_drop_faces(cp_scene *scene, cp_mesh *mesh, const bool *drop)
{
    cp_group *groups = scene_allocate(scene, mesh->group_count, sizeof *groups);
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners), *offsets = NULL;
    if (mesh->face_offsets)
        offsets = scene_allocate(scene, (size_t)mesh->face_count + 1, sizeof *offsets);
    if (!groups || !corners || (mesh->face_offsets && !offsets))
        return CP_LIMIT;
    mesh->group_count = keep_groups(mesh, drop, groups);
    mesh->groups = groups;
    keep_faces(mesh, drop, corners, offsets);
    return CP_OK;
}

/* ---- vertices ---- */

/* numbers: for each vertex its new number, or CP_NONE. */
static uint32_t number_used(const cp_mesh *mesh, uint32_t *numbers)
{
    uint32_t next = 0;
    memset(numbers, 0xff, mesh->vertex_count * sizeof *numbers);
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        numbers[mesh->corners[corner]] = 0;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        if (numbers[vertex] != CP_NONE)
            numbers[vertex] = next++;
    return next;
}

static const float *keep_rows(cp_scene *scene, const float *rows, size_t width, const uint32_t *numbers,
                              const uint32_t counts[2])
{
    float *kept = scene_allocate(scene, width * counts[1], sizeof *kept);
    for (uint32_t vertex = 0; kept && vertex < counts[0]; vertex++)
        if (numbers[vertex] != CP_NONE)
            memcpy(kept + width * numbers[vertex], rows + width * vertex, width * sizeof *kept);
    return kept;
}

static cp_status renumber(cp_scene *scene, cp_mesh *mesh, const uint32_t *numbers, uint32_t count)
{
    const uint32_t counts[2] = {mesh->vertex_count, count};
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners);
    const float *positions = keep_rows(scene, mesh->positions, 3, numbers, counts);
    const float *normals = mesh->normals ? keep_rows(scene, mesh->normals, 3, numbers, counts) : NULL;
    const float *colours = mesh->colours ? keep_rows(scene, mesh->colours, 4, numbers, counts) : NULL;
    if (!corners || !positions || (mesh->normals && !normals) || (mesh->colours && !colours))
        return CP_LIMIT;
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        corners[corner] = numbers[mesh->corners[corner]];
    mesh->vertex_count = count;
    mesh->positions = positions;
    mesh->normals = normals;
    mesh->colours = colours;
    mesh->corners = corners;
    return CP_OK;
}

cp_status mesh_drop_unused_vertices(cp_scene *scene, cp_mesh *mesh, uint32_t *dropped)
{
    cp_context *context = scene->context;
    uint32_t before = mesh->vertex_count;
    uint32_t *numbers = memory_allocate(context, before, sizeof *numbers);
    *dropped = 0;
    if (!numbers)
        return CP_LIMIT;
    uint32_t used = number_used(mesh, numbers);
    cp_status status = used < before ? renumber(scene, mesh, numbers, used) : CP_OK;
    memory_free(context, numbers, before, sizeof *numbers);
    if (status == CP_OK)
        *dropped = before - used;
    return status;
}
