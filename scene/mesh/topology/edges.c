/* Finds which faces meet at which edges: places by a hash table, edges in buckets by their lower place. So it takes
 * linear time on any mesh. */
#include "topology.h"

#include <string.h>

#include "mesh/join.h"

bool mesh_edges_find(struct mesh_edges *edges, cp_context *context, const cp_mesh *mesh)
{
    uint32_t place_count = mesh->vertex_count, count = mesh->corner_count, sum = 0;
    *edges = (struct mesh_edges){.context = context, .mesh = mesh};
    edges->places = memory_allocate(context, place_count, sizeof *edges->places);
    edges->ends = memory_allocate(context, count, sizeof *edges->ends);
    edges->first = memory_allocate(context, count, sizeof *edges->first);
    if (!edges->places || !edges->ends || !edges->first ||
        !join_positions(context, mesh->positions, place_count, edges->places))
        return false;
    uint32_t *starts = memory_allocate_zeroed(context, place_count, sizeof *starts);
    uint32_t *order = memory_allocate(context, count, sizeof *order);
    bool good = starts && order;
    for (uint32_t face = 0; good && face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        for (uint32_t i = 0; i < size; i++) {
            uint32_t a = edge_start(edges, first + i), b = edge_start(edges, i + 1 < size ? first + i + 1 : first);
            edges->ends[first + i][0] = a < b ? a : b;
            edges->ends[first + i][1] = a < b ? b : a;
        }
    }
    /* Sort edges by their lower place; those of one place keep their order. */
    for (uint32_t edge = 0; good && edge < count; edge++)
        starts[edges->ends[edge][0]]++;
    for (uint32_t place = 0; good && place < place_count; place++) {
        uint32_t here = starts[place];
        starts[place] = sum;
        sum += here;
    }
    for (uint32_t edge = 0; good && edge < count; edge++)
        order[starts[edges->ends[edge][0]]++] = edge;
    /* The last edge that came to a place is equal to this one if it has the bucket's lower place, too. */
    uint32_t *last = starts;
    if (good)
        memset(last, 0xff, place_count * sizeof *last);
    for (uint32_t i = 0; good && i < count; i++) {
        uint32_t edge = order[i], low = edges->ends[edge][0], high = edges->ends[edge][1], equal = last[high];
        if (equal == CP_NONE || edges->ends[equal][0] != low)
            last[high] = equal = edge;
        edges->first[edge] = equal;
    }
    memory_free(context, starts, place_count, sizeof *starts);
    memory_free(context, order, count, sizeof *order);
    return good;
}

void mesh_edges_free(struct mesh_edges *edges)
{
    if (!edges->mesh)
        return;
    memory_free(edges->context, edges->places, edges->mesh->vertex_count, sizeof *edges->places);
    memory_free(edges->context, edges->ends, edges->mesh->corner_count, sizeof *edges->ends);
    memory_free(edges->context, edges->first, edges->mesh->corner_count, sizeof *edges->first);
}

bool face_bounds(const struct mesh_edges *edges, uint32_t face)
{
    uint32_t first = mesh_face_first(edges->mesh, face), size = mesh_face_size(edges->mesh, face);
    uint32_t one = size > 0 ? edge_start(edges, first) : 0, other = one;
    for (uint32_t i = 1; i < size; i++) {
        uint32_t place = edge_start(edges, first + i);
        if (place == one || place == other)
            continue;
        if (other != one)
            return true;
        other = place;
    }
    return false;
}
