/* Filling holes: border edges are followed from place to place. */
#include "topology.h"

#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

/* The border edges that end at a place, either way. */
struct joint_place {
    uint32_t edges[2];
    uint32_t count;
};

/* A face that fills a hole: its corners from `first` on, and a face beside it. */
struct filler {
    uint32_t first, size;
    uint32_t beside;
};

struct filling {
    cp_context *context;
    const cp_mesh *mesh;
    struct mesh_shells shells;
    struct joint_place *places; /* one for each vertex that leads its place */
    bool *seen;                 /* for each edge */
    double *areas;              /* for each shell, twice */
    uint32_t *corners;          /* corners of the fillers; border edges at most */
    uint32_t corner_count;
    struct filler *fillers;
    uint32_t count, room;
    uint32_t border_edges;
    uint32_t most;
};

static bool is_border(const struct filling *filling, uint32_t edge)
{
    return filling->shells.ring[edge] == edge;
}

/* Returns twice the area. */
static double area_of(const cp_mesh *mesh, uint32_t face)
{
    struct polygon polygon = polygon_of(mesh, face);
    const double *n = polygon.normal;
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static uint32_t edge_end(const struct filling *filling, uint32_t edge)
{
    return edge_start(&filling->shells.edges, shells_next(&filling->shells, edge));
}

/* Follows the border from an edge that has not been seen. True when it comes back, having met no more than two edges at
 * any place. Its vertices are the corners from corner_count on. *against: the number of edges that were followed
 * against their faces. */
static bool follow_ring(struct filling *filling, uint32_t edge, uint32_t *size, uint32_t *against)
{
    const struct mesh_edges *edges = &filling->shells.edges;
    uint32_t start = edge_start(edges, edge), at = start;
    *size = *against = 0;
    while (!filling->seen[edge]) {
        bool forth = edge_start(edges, edge) == at;
        uint32_t begin = forth ? edge : shells_next(&filling->shells, edge);
        filling->seen[edge] = true;
        filling->corners[filling->corner_count + (*size)++] = filling->mesh->corners[begin];
        *against += !forth;
        at = forth ? edge_end(filling, edge) : edge_start(edges, edge);
        const struct joint_place *place = &filling->places[at];
        if (place->count != 2)
            return false;
        edge = place->edges[place->edges[0] == edge];
    }
    return at == start;
}

static bool fill_ring(struct filling *filling, uint32_t edge)
{
    uint32_t size, against, *corners = filling->corners + filling->corner_count;
    uint32_t face = shells_face(&filling->shells, edge);
    if (!follow_ring(filling, edge, &size, &against) || size > filling->most)
        return true;
    /* A ring with at least half of the shell's area is its outline. */
    const uint32_t offsets[2] = {0, size};
    const cp_mesh view = {.positions = filling->mesh->positions, .corners = corners, .face_offsets = offsets};
    if (2 * area_of(&view, 0) >= filling->areas[filling->shells.shell_of[face]])
        return true;
    for (uint32_t i = 0, k = size - 1; 2 * (uint64_t)against <= size && i < k; i++, k--) {
        uint32_t kept = corners[i];
        corners[i] = corners[k];
        corners[k] = kept;
    }
    if (!array_reserve(filling->context, &filling->fillers, &filling->room, (uint64_t)filling->count + 1,
                       sizeof *filling->fillers))
        return false;
    filling->fillers[filling->count++] = (struct filler){filling->corner_count, size, face};
    filling->corner_count += size;
    return true;
}

static bool find_fillers(struct filling *filling)
{
    const cp_mesh *mesh = filling->mesh;
    const struct mesh_shells *shells = &filling->shells;
    if (!mesh_shells_find(&filling->shells, filling->context, mesh))
        return false;
    filling->places = memory_allocate_zeroed(filling->context, mesh->vertex_count, sizeof *filling->places);
    filling->seen = memory_allocate_zeroed(filling->context, mesh->corner_count, sizeof *filling->seen);
    filling->areas = memory_allocate_zeroed(filling->context, shells->count, sizeof *filling->areas);
    filling->corners = memory_allocate(filling->context, mesh->corner_count, sizeof *filling->corners);
    bool good = filling->places && filling->seen && filling->areas && filling->corners;
    for (uint32_t edge = 0; good && edge < mesh->corner_count; edge++) {
        if (!is_border(filling, edge))
            continue;
        const uint32_t ends[2] = {edge_start(&shells->edges, edge), edge_end(filling, edge)};
        filling->border_edges++;
        for (int end = 0; end < 2; end++) {
            struct joint_place *at = &filling->places[ends[end]];
            if (at->count < 2)
                at->edges[at->count] = edge;
            at->count++;
        }
    }
    for (uint32_t face = 0; good && face < mesh->face_count; face++)
        if (shells->shell_of[face] != CP_NONE)
            filling->areas[shells->shell_of[face]] += area_of(mesh, face);
    for (uint32_t edge = 0; good && edge < mesh->corner_count; edge++)
        if (is_border(filling, edge) && !filling->seen[edge])
            good = fill_ring(filling, edge);
    return good;
}

/* ---- the mesh with its fillers ---- */

static uint32_t material_of(const cp_mesh *mesh, uint32_t face)
{
    uint32_t low = 0, high = mesh->group_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (mesh->groups[middle].first_face <= face)
            low = middle;
        else
            high = middle;
    }
    return mesh->groups[low].material;
}

static cp_status write_fillers(cp_scene *scene, cp_mesh *mesh, const struct filling *filling)
{
    uint64_t corner_count = (uint64_t)mesh->corner_count + filling->corner_count;
    uint64_t face_count = (uint64_t)mesh->face_count + filling->count;
    if (filling->count == 0)
        return CP_OK;
    if (corner_count >= CP_NONE || face_count >= CP_NONE)
        return report_error(scene->context, CP_LIMIT, "mesh-too-large", NOWHERE,
                            "mesh \"%s\" has too many corners to fill its holes", filling->mesh->name);
    uint32_t *corners = scene_allocate(scene, (size_t)corner_count, sizeof *corners);
    uint32_t *offsets = scene_allocate(scene, (size_t)face_count + 1, sizeof *offsets);
    cp_group *groups = scene_allocate(scene, (size_t)mesh->group_count + filling->count, sizeof *groups);
    if (!corners || !offsets || !groups)
        return CP_LIMIT;
    memcpy(corners, mesh->corners, mesh->corner_count * sizeof *corners);
    memcpy(corners + mesh->corner_count, filling->corners, filling->corner_count * sizeof *corners);
    for (uint32_t face = 0; face < mesh->face_count; face++)
        offsets[face] = mesh_face_first(mesh, face);
    for (uint32_t i = 0; i < filling->count; i++)
        offsets[mesh->face_count + i] = mesh->corner_count + filling->fillers[i].first;
    offsets[face_count] = (uint32_t)corner_count;
    uint32_t count = mesh->group_count;
    if (count > 0)
        memcpy(groups, mesh->groups, count * sizeof *groups);
    /* Add a group for each filler whose material is not that of the group before. */
    for (uint32_t i = 0; count > 0 && i < filling->count; i++) {
        uint32_t material = material_of(mesh, filling->fillers[i].beside);
        if (groups[count - 1].material != material)
            groups[count++] = (cp_group){mesh->face_count + i, 0, material};
        groups[count - 1].face_count++;
    }
    mesh->group_count = count;
    mesh->groups = groups;
    mesh->corners = corners;
    mesh->face_offsets = offsets;
    mesh->corner_count = (uint32_t)corner_count;
    mesh->face_count = (uint32_t)face_count;
    return CP_OK;
}

cp_status mesh_fill_holes(cp_scene *scene, cp_mesh *mesh, uint32_t most, struct hole_counts *counts)
{
    const cp_mesh before = *mesh;
    cp_context *context = scene->context;
    struct filling filling = {.context = context, .mesh = &before, .most = most};
    cp_status status = find_fillers(&filling) ? write_fillers(scene, mesh, &filling) : CP_LIMIT;
    counts->filled += filling.count;
    counts->border_edges += filling.border_edges - filling.corner_count;
    memory_free(context, filling.places, before.vertex_count, sizeof *filling.places);
    memory_free(context, filling.seen, before.corner_count, sizeof *filling.seen);
    memory_free(context, filling.areas, filling.shells.count, sizeof *filling.areas);
    memory_free(context, filling.corners, before.corner_count, sizeof *filling.corners);
    memory_free(context, filling.fillers, filling.room, sizeof *filling.fillers);
    mesh_shells_free(&filling.shells);
    return status;
}
