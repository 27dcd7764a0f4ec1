/* Counts how the faces of a mesh are connected. */
#include "base/context.h"

#include <string.h>

#include "mesh/join.h"
#include "mesh/mesh.h"
#include "topology.h"

/* ---- faces ---- */

static bool judge_duplicates(const struct mesh_shells *shells, cp_topology *topology)
{
    cp_context *context = shells->edges.context;
    uint32_t count = shells->edges.mesh->face_count;
    uint32_t *same = memory_allocate(context, count, sizeof *same);
    uint32_t *either = memory_allocate(context, count, sizeof *either);
    bool good = same && either && mesh_duplicates_find(&shells->edges, same, either);
    for (uint32_t face = 0; good && face < count; face++) {
        topology->duplicate_faces += same[face] != face;
        topology->opposite_faces += same[face] == face && either[face] != face;
    }
    memory_free(context, same, count, sizeof *same);
    memory_free(context, either, count, sizeof *either);
    return good;
}

/* ---- shells and components ---- */

static bool judge_components(const struct mesh_shells *shells, cp_topology *topology)
{
    cp_context *context = shells->edges.context;
    uint32_t *leaders = memory_allocate(context, shells->count, sizeof *leaders);
    bool *open = memory_allocate_zeroed(context, shells->count, sizeof *open);
    bool good = leaders && open;
    for (uint32_t i = 0; good && i < shells->count; i++)
        leaders[i] = i;
    for (uint32_t edge = 0; good && edge < shells->edges.mesh->corner_count; edge++) {
        if (shells->edges.first[edge] != edge || shells_partner(shells, edge) != CP_NONE)
            continue;
        /* Join the shells at the edge, which is open if its number of faces is odd. */
        bool odd = false;
        uint32_t at = edge, shell = shells->shell_of[shells_face(shells, edge)];
        do {
            sets_join(leaders, shell, shells->shell_of[shells_face(shells, at)]);
            odd = !odd;
            at = shells->ring[at];
        } while (at != edge);
        open[shell] |= odd;
    }
    for (uint32_t i = 0; good && i < shells->count; i++)
        open[set_leader(leaders, i)] |= open[i];
    for (uint32_t i = 0; good && i < shells->count; i++) {
        topology->components += leaders[i] == i;
        topology->closed_components += leaders[i] == i && !open[i];
    }
    memory_free(context, leaders, shells->count, sizeof *leaders);
    memory_free(context, open, shells->count, sizeof *open);
    return good;
}

/* ---- vertices ---- */

static bool judge_vertices(const struct mesh_shells *shells, cp_topology *topology)
{
    const struct mesh_edges *edges = &shells->edges;
    const cp_mesh *mesh = edges->mesh;
    cp_context *context = edges->context;
    const uint32_t several = CP_NONE - 1;
    uint32_t *leaders = memory_allocate(context, mesh->corner_count, sizeof *leaders);
    uint32_t *seen = memory_allocate(context, mesh->vertex_count, sizeof *seen);
    bool good = leaders && seen;
    /* Give corners of faces that are connected over the edges at their place the same leader. */
    for (uint32_t corner = 0; good && corner < mesh->corner_count; corner++)
        leaders[corner] = corner;
    for (uint32_t edge = 0; good && edge < mesh->corner_count; edge++) {
        uint32_t next = shells_next(shells, edge), other = edges->first[edge];
        if (edge_is_empty(edges, edge))
            sets_join(leaders, edge, next);
        if (other == CP_NONE || other == edge)
            continue;
        uint32_t other_next = shells_next(shells, other);
        bool same_way = edge_start(edges, edge) == edge_start(edges, other);
        sets_join(leaders, edge, same_way ? other : other_next);
        sets_join(leaders, next, same_way ? other_next : other);
    }
    /* seen: for each place the leader of its first corner, then `several` when another one has come. */
    if (good)
        memset(seen, 0xff, mesh->vertex_count * sizeof *seen);
    for (uint32_t corner = 0; good && corner < mesh->corner_count; corner++) {
        uint32_t *at = &seen[edge_start(edges, corner)];
        if (shells->shell_of[shells_face(shells, corner)] == CP_NONE || *at == several)
            continue;
        uint32_t leader = set_leader(leaders, corner);
        topology->vertices += *at == CP_NONE;
        topology->touching_vertices += *at != CP_NONE && *at != leader;
        *at = *at == CP_NONE || *at == leader ? leader : several;
    }
    if (good)
        memset(seen, 0, mesh->vertex_count * sizeof *seen);
    for (uint32_t corner = 0; good && corner < mesh->corner_count; corner++)
        seen[mesh->corners[corner]] = 1;
    for (uint32_t vertex = 0; good && vertex < mesh->vertex_count; vertex++)
        topology->unused_vertices += !seen[vertex];
    memory_free(context, leaders, mesh->corner_count, sizeof *leaders);
    memory_free(context, seen, mesh->vertex_count, sizeof *seen);
    return good;
}

/* ---- all of it ---- */

static cp_status faces_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology)
{
    struct mesh_shells shells;
    bool good = mesh_shells_find(&shells, context, mesh);
    for (uint32_t edge = 0; good && edge < mesh->corner_count; edge++) {
        if (shells.edges.first[edge] != edge)
            continue;
        uint32_t partner = shells_partner(&shells, edge);
        topology->edges++;
        if (shells.ring[edge] == edge)
            topology->border_edges++;
        else if (partner == CP_NONE)
            topology->non_manifold_edges++;
        else
            topology->misoriented_edges += edge_start(&shells.edges, edge) == edge_start(&shells.edges, partner);
    }
    topology->closed = topology->edges > 0 && topology->border_edges == 0 && topology->non_manifold_edges == 0 &&
                       topology->misoriented_edges == 0;
    for (uint32_t face = 0; good && face < mesh->face_count; face++) {
        topology->degenerate_faces += shells.shell_of[face] == CP_NONE || !mesh_face_has_area(mesh, face);
        topology->flipped_faces += shells_turns(&shells, face);
    }
    for (uint32_t i = 0; good && i < shells.count; i++) {
        const struct shell *shell = &shells.shells[i];
        uint32_t turned = shell->turn ? shell->face_count - shell->against_count : shell->against_count;
        topology->one_sided_shells += !shell->orientable;
        topology->flat_shells += shell->closed && !shell->solid;
        topology->cavities += shell->inner;
        topology->inside_out_shells += shell->solid && !shell->unplaced && turned == shell->face_count;
    }
    good = good && judge_duplicates(&shells, topology) && judge_components(&shells, topology) &&
           judge_vertices(&shells, topology);
    mesh_shells_free(&shells);
    return good ? CP_OK : CP_LIMIT;
}

static cp_status mesh_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology)
{
    memset(topology, 0, sizeof *topology);
    if (mesh->kind == CP_MESH_LINES)
        return CP_OK;
    if (mesh->kind == CP_MESH_FACES)
        return faces_topology(context, mesh, topology);
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

cp_status cp_mesh_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology)
{
    cp_topology found = {.size = sizeof found};
    cp_status status = struct_check(context, topology);
    if (status == CP_OK)
        status = mesh_topology(context, mesh, &found);
    struct_give(topology, &found, sizeof found);
    return context_finish(context, status);
}
