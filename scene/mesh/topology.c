/* Which faces meet at which edges. */
#include "edges.h"
#include "../context.h"
#include "mesh.h"
#include "polygon.h"
#include "tessellate.h"

#include <string.h>

struct edge_uses {
    uint32_t faces, forward; /* forward: from the lower place to the higher */
};

/* A face on fewer than 3 places runs each of its edges forth and back: it bounds nothing. */
static bool face_has_three_places(const struct mesh_edges *edges, uint32_t face)
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

static bool face_has_area(const cp_mesh *mesh, uint32_t face)
{
    struct polygon polygon = polygon_of(mesh, face);
    return polygon.normal[0] != 0 || polygon.normal[1] != 0 || polygon.normal[2] != 0;
}

static void count_uses(const struct mesh_edges *edges, struct edge_uses *uses, cp_topology *topology)
{
    const cp_mesh *mesh = edges->mesh;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        bool bounds = face_has_three_places(edges, face);
        topology->degenerate_faces += !bounds || !face_has_area(mesh, face);
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        for (uint32_t edge = first; bounds && edge < first + size; edge++) {
            if (edge_is_empty(edges, edge))
                continue;
            struct edge_uses *use = &uses[edges->first[edge]];
            use->faces++;
            use->forward += edge_start(edges, edge) == edges->ends[edge][0];
        }
    }
}

static void judge_edges(const struct edge_uses *uses, uint32_t count, cp_topology *topology)
{
    for (uint32_t edge = 0; edge < count; edge++) {
        topology->edges += uses[edge].faces > 0;
        topology->border_edges += uses[edge].faces == 1;
        topology->non_manifold_edges += uses[edge].faces > 2;
        topology->misoriented_edges += uses[edge].faces == 2 && uses[edge].forward != 1;
    }
    topology->closed = topology->edges > 0 && topology->border_edges == 0 && topology->non_manifold_edges == 0 &&
                       topology->misoriented_edges == 0;
}

static cp_status faces_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology)
{
    struct mesh_edges edges;
    bool found = mesh_edges_find(&edges, context, mesh);
    struct edge_uses *uses = found ? memory_allocate_zeroed(context, mesh->corner_count, sizeof *uses) : NULL;
    if (uses) {
        count_uses(&edges, uses, topology);
        judge_edges(uses, mesh->corner_count, topology);
    }
    memory_free(context, uses, mesh->corner_count, sizeof *uses);
    mesh_edges_free(&edges);
    return uses ? CP_OK : CP_LIMIT;
}

static cp_status primitive_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology)
{
    struct arena *arena = arena_new(context);
    if (!arena)
        return CP_LIMIT;
    cp_mesh faces = *mesh;
    cp_status status = tessellate_in(context, arena, &faces);
    if (status == CP_OK)
        status = faces_topology(context, &faces, topology);
    arena_free(arena);
    return status;
}

cp_status mesh_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology)
{
    memset(topology, 0, sizeof *topology);
    if (mesh->kind == CP_MESH_LINES)
        return CP_OK;
    if (mesh->kind == CP_MESH_FACES)
        return faces_topology(context, mesh, topology);
    return primitive_topology(context, mesh, topology);
}

cp_status cp_mesh_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology)
{
    return context_finish(context, mesh_topology(context, mesh, topology));
}
