/* A mesh is closed if its faces are passed as often one way as the other. It may still have no inside: shells that are
 * there twice, once from either side, cancel, and so do shells that lie in each other and are wound against each other.
 * So each set of connected faces must bound a volume; and those that bound a negative volume must be cavities. */
#include "body.h"

#include <math.h>

#include "mesh/join.h"
#include "mesh/mesh.h"

/* The measures of a set of connected faces. sum: six times the volume that they bound with one of their vertices;
 * sizes: the sum of its triangles' shares without signs; area: twice their area; reach: their largest distance from
 * that vertex. */
struct volume {
    double sum, sizes, area, reach;
};

static void take_position(const cp_mesh *mesh, uint32_t vertex, double position[3])
{
    for (int axis = 0; axis < 3; axis++)
        position[axis] = (double)mesh->positions[3 * (size_t)vertex + (size_t)axis];
}

/* Adds the volume of a triangle to that of its shell. leaders[vertex] is the lowest vertex that is connected with it,
 * by their positions; volumes[leader] is the shell's. */
static void add_triangle(const cp_mesh *mesh, uint32_t *leaders, struct volume *volumes, const uint32_t corners[3])
{
    uint32_t leader = set_leader(leaders, corners[0]);
    double origin[3], points[3][3], normal[3];
    take_position(mesh, leader, origin);
    for (int i = 0; i < 3; i++)
        take_position(mesh, corners[i], points[i]);
    triangle_normal(points[0], points[1], points[2], normal);
    for (int i = 0; i < 3; i++)
        subtract(points[i], origin, points[i]);
    double volume = dot_product(points[0], normal);
    struct volume *shell = &volumes[leader];
    shell->sum += volume;
    shell->sizes += fabs(volume);
    shell->area += sqrt(dot_product(normal, normal));
    for (int i = 0; i < 3; i++)
        shell->reach = fmax(shell->reach, sqrt(dot_product(points[i], points[i])));
}

/* Judges how the shells of a closed mesh are wound. */
static cp_status judge_shells(cp_context *context, const cp_mesh *mesh, bool *sound)
{
    uint32_t count = mesh->vertex_count, *leaders = memory_allocate(context, count, sizeof *leaders);
    struct volume *volumes = memory_allocate_zeroed(context, count, sizeof *volumes);
    bool room = leaders && volumes && join_positions(context, mesh->positions, count, leaders);
    bool outward = false, inward = false;
    *sound = true;
    for (uint32_t face = 0; face < mesh->face_count && room; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        for (uint32_t i = 1; i < mesh_face_size(mesh, face); i++)
            sets_join(leaders, corners[0], corners[i]);
    }
    for (uint32_t face = 0; face < mesh->face_count && room; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        for (uint32_t i = 2; i < mesh_face_size(mesh, face); i++)
            add_triangle(mesh, leaders, volumes, (const uint32_t[]){corners[0], corners[i - 1], corners[i]});
    }
    for (uint32_t i = 0; i < count && room; i++) {
        const struct volume *shell = &volumes[i];
        if (shell->sizes <= 1e-5 * shell->area * shell->reach)
            continue; /* flat, but for the rounding of floats: bounds nothing and does no harm */
        *sound = *sound && !(fabs(shell->sum) <= 1e-6 * shell->sizes);
        outward = outward || shell->sum > 0;
        inward = inward || shell->sum < 0;
    }
    memory_free(context, leaders, count, sizeof *leaders);
    memory_free(context, volumes, count, sizeof *volumes);
    if (!room)
        return CP_LIMIT;
    if (!*sound || !(outward && inward))
        return CP_OK;
    cp_topology topology = {.size = sizeof topology};
    cp_status status = cp_mesh_topology(context, mesh, &topology);
    bool nested = topology.inside_out_shells == 0 || topology.flipped_faces == mesh->face_count;
    *sound = status == CP_OK && nested && topology.opposite_faces == 0;
    return status;
}

cp_status find_solidity(cp_context *context, const cp_mesh *mesh, enum solidity *solidity)
{
    bool solid = false;
    cp_status status = CP_OK;
    if (mesh->kind >= CP_MESH_BOX) {
        bool flat = mesh->size[0] == 0 && mesh->size[1] == 0,
             round = mesh->kind != CP_MESH_CYLINDER || mesh->sides >= 3;
        solid = mesh->kind != CP_MESH_PLANE && !flat && round;
    } else {
        status = mesh_is_closed(context, mesh, &solid);
        if (status == CP_OK && solid)
            status = judge_shells(context, mesh, &solid);
    }
    *solidity = solid ? SOLID : OPEN;
    return status;
}
