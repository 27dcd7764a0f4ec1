/* Removes faces and vertices. */
#include "topology.h"

#include <string.h>

cp_status mesh_drop_faces(cp_scene *scene, cp_mesh *mesh, const bool *drop)
{
    cp_group *groups = scene_allocate(scene, mesh->group_count, sizeof *groups);
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners), *offsets = NULL;
    uint32_t kept = 0, first_face = 0, faces = 0, written = 0;
    if (mesh->face_offsets)
        offsets = scene_allocate(scene, (size_t)mesh->face_count + 1, sizeof *offsets);
    if (!groups || !corners || (mesh->face_offsets && !offsets))
        return CP_LIMIT;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        uint32_t count = 0;
        for (uint32_t face = group->first_face; face < group->first_face + group->face_count; face++)
            count += !drop[face];
        if (count > 0)
            groups[kept++] = (cp_group){first_face, count, group->material};
        first_face += count;
    }
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
    mesh->groups = groups;
    mesh->group_count = kept;
    mesh->corners = corners;
    mesh->face_offsets = offsets;
    mesh->face_count = faces;
    mesh->corner_count = written;
    return CP_OK;
}

cp_status mesh_drop_unused_vertices(cp_scene *scene, cp_mesh *mesh, uint32_t *dropped)
{
    cp_context *context = scene->context;
    uint32_t counts[2] = {mesh->vertex_count, 0}; /* before, after */
    uint32_t *numbers = memory_allocate(context, counts[0], sizeof *numbers);
    cp_mesh kept = *mesh;
    *dropped = 0;
    if (!numbers)
        return CP_LIMIT;
    /* numbers becomes the new number of each vertex, or CP_NONE. */
    memset(numbers, 0xff, counts[0] * sizeof *numbers);
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        numbers[mesh->corners[corner]] = 0;
    for (uint32_t vertex = 0; vertex < counts[0]; vertex++)
        if (numbers[vertex] != CP_NONE)
            numbers[vertex] = counts[1]++;
    bool good = true;
    if (counts[1] < counts[0]) {
        uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners);
        for (uint32_t corner = 0; corners && corner < mesh->corner_count; corner++)
            corners[corner] = numbers[mesh->corners[corner]];
        kept.corners = corners;
        uint32_t *used = numbers, count = 0; /* from here on, the vertices that stay */
        for (uint32_t vertex = 0; vertex < counts[0]; vertex++)
            if (numbers[vertex] != CP_NONE)
                used[count++] = vertex;
        good = corners && mesh_take_vertices(scene, &kept, used, counts[1]);
    }
    memory_free(context, numbers, counts[0], sizeof *numbers);
    if (!good)
        return CP_LIMIT;
    *mesh = kept;
    *dropped = counts[0] - counts[1];
    return CP_OK;
}
