/* Finds shells: a flood over the edges of two faces. The other face is wound alike if it runs through the edge the
 * other way. */
#include "topology.h"

#include <math.h>
#include <string.h>

#include "mesh/box_tree.h"
#include "mesh/mesh.h"
#include "model/model.h"

/* ---- edges ---- */

static bool make_rings(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    const cp_mesh *mesh = shells->edges.mesh;
    uint32_t count = mesh->corner_count;
    shells->ring = memory_allocate(context, count, sizeof *shells->ring);
    if (mesh->face_offsets)
        shells->faces = memory_allocate(context, count, sizeof *shells->faces);
    /* lowest: for the first of all equal edges, the first one of a face that bounds something. */
    uint32_t *lowest = memory_allocate(context, count, sizeof *lowest);
    bool good = shells->ring && lowest && (shells->faces || !mesh->face_offsets);
    for (uint32_t edge = 0; good && edge < count; edge++)
        shells->ring[edge] = lowest[edge] = CP_NONE;
    for (uint32_t face = 0; good && face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), end = first + mesh_face_size(mesh, face);
        bool bounds = face_bounds(&shells->edges, face);
        for (uint32_t edge = first; edge < end; edge++) {
            if (shells->faces)
                shells->faces[edge] = face;
            if (!bounds || edge_is_empty(&shells->edges, edge))
                continue;
            uint32_t *lead = &lowest[shells->edges.first[edge]];
            if (*lead == CP_NONE)
                *lead = shells->ring[edge] = edge;
            shells->ring[edge] = shells->ring[*lead];
            shells->ring[*lead] = edge;
        }
    }
    for (uint32_t edge = 0; good && edge < count; edge++)
        shells->edges.first[edge] = shells->ring[edge] == CP_NONE ? CP_NONE : lowest[shells->edges.first[edge]];
    memory_free(context, lowest, count, sizeof *lowest);
    return good;
}

/* ---- the flood ---- */

static void reach(struct mesh_shells *shells, uint32_t index, uint32_t face, bool against)
{
    shells->shell_of[face] = index;
    shells->against[face] = against;
    shells->shells[index].face_count++;
    shells->shells[index].against_count += against;
}

static bool make_shells(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    const cp_mesh *mesh = shells->edges.mesh;
    uint32_t count = mesh->face_count, depth = 0;
    shells->shell_of = memory_allocate(context, count, sizeof *shells->shell_of);
    shells->against = memory_allocate_zeroed(context, count, sizeof *shells->against);
    /* The stack has the faces that have been reached, and whose neighbours have not. */
    uint32_t *stack = memory_allocate(context, count, sizeof *stack);
    for (uint32_t face = 0; shells->shell_of && face < count; face++)
        shells->shell_of[face] = CP_NONE;
    bool good = shells->shell_of && shells->against && stack;
    for (uint32_t seed = 0; good && seed < count; seed++) {
        if (shells->shell_of[seed] != CP_NONE || !face_bounds(&shells->edges, seed))
            continue;
        uint32_t index = shells->count;
        good = array_reserve(context, &shells->shells, &shells->room, (uint64_t)index + 1, sizeof *shells->shells);
        if (!good)
            break;
        shells->shells[shells->count++] = (struct shell){
            .first_face = seed, .orientable = true, .highest = mesh->corners[mesh_face_first(mesh, seed)]};
        reach(shells, index, seed, false);
        for (stack[depth++] = seed; depth > 0;) {
            uint32_t face = stack[--depth], first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
            for (uint32_t edge = first; edge < first + size; edge++) {
                uint32_t partner = shells_partner(shells, edge);
                if (partner == CP_NONE)
                    continue;
                uint32_t other = shells_face(shells, partner);
                bool same_way = edge_start(&shells->edges, edge) == edge_start(&shells->edges, partner);
                bool against = shells->against[face] != same_way;
                if (shells->shell_of[other] == CP_NONE) {
                    reach(shells, index, other, against);
                    stack[depth++] = other;
                } else if (shells->against[other] != against) {
                    shells->shells[index].orientable = false;
                }
            }
        }
    }
    memory_free(context, stack, count, sizeof *stack);
    return good;
}

/* ---- what is closed ---- */

static bool find_closed(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    int64_t *balance = memory_allocate_zeroed(context, shells->count, sizeof *balance);
    if (!balance)
        return false;
    for (uint32_t i = 0; i < shells->count; i++)
        shells->shells[i].closed = shells->shells[i].orientable;
    for (uint32_t lead = 0; lead < shells->edges.mesh->corner_count; lead++) {
        if (shells->edges.first[lead] != lead || shells_partner(shells, lead) != CP_NONE)
            continue;
        /* Go round the ring once to count how often each shell runs forth more than back, and once more to judge. */
        uint32_t edge = lead;
        do {
            uint32_t face = shells_face(shells, edge);
            bool forth = edge_start(&shells->edges, edge) == shells->edges.ends[edge][0];
            balance[shells->shell_of[face]] += forth != shells->against[face] ? 1 : -1;
            edge = shells->ring[edge];
        } while (edge != lead);
        do {
            uint32_t shell = shells->shell_of[shells_face(shells, edge)];
            if (balance[shell] != 0)
                shells->shells[shell].closed = false;
            balance[shell] = 0;
            edge = shells->ring[edge];
        } while (edge != lead);
    }
    memory_free(context, balance, shells->count, sizeof *balance);
    return true;
}

/* ---- volumes ---- */

struct volume {
    struct sum sum; /* six times */
    double size;    /* the sum without signs: rounding is far less than size * 2^-40 */
};

static void side_from(const float *from, const float *to, double side[3])
{
    for (int axis = 0; axis < 3; axis++)
        side[axis] = (double)to[axis] - (double)from[axis];
}

static double triple_size(const double a[3], const double b[3], const double c[3])
{
    const double p[3] = {fabs(a[0]), fabs(a[1]), fabs(a[2])}, q[3] = {fabs(b[0]), fabs(b[1]), fabs(b[2])},
                 r[3] = {fabs(c[0]), fabs(c[1]), fabs(c[2])};
    return p[0] * (q[1] * r[2] + q[2] * r[1]) + p[1] * (q[2] * r[0] + q[0] * r[2]) + p[2] * (q[0] * r[1] + q[1] * r[0]);
}

static bool measure_shells(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    const cp_mesh *mesh = shells->edges.mesh;
    struct volume *volumes = memory_allocate_zeroed(context, shells->count, sizeof *volumes);
    if (!volumes)
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t index = shells->shell_of[face];
        if (index == CP_NONE || !shells->shells[index].closed)
            continue;
        /* Sum the cones over the shell's first corner, faces as fans. */
        struct shell *shell = &shells->shells[index];
        const float *top = mesh->positions + 3 * (size_t)mesh->corners[mesh_face_first(mesh, shell->first_face)];
        struct polygon polygon = polygon_view(mesh, face);
        double side = shells->against[face] ? -1 : 1, a[3], b[3], c[3], across[3];
        side_from(top, polygon_position(&polygon, 0), a);
        side_from(top, polygon_position(&polygon, 1), b);
        for (uint32_t i = 2; i < polygon.count; i++) {
            side_from(top, polygon_position(&polygon, i), c);
            cross_product(b, c, across);
            sum_add(&volumes[index].sum, side * dot_product(a, across));
            volumes[index].size += triple_size(a, b, c);
            memcpy(b, c, sizeof b);
        }
        for (uint32_t i = 0; i < polygon.count; i++)
            if (polygon_position(&polygon, i)[2] > mesh->positions[3 * (size_t)shell->highest + 2])
                shell->highest = polygon.corners[i];
    }
    for (uint32_t i = 0; i < shells->count; i++) {
        struct shell *shell = &shells->shells[i];
        shell->volume = sum_value(&volumes[i].sum) / 6;
        shell->solid = shell->closed && fabs(shell->volume) > ldexp(volumes[i].size, -40);
    }
    memory_free(context, volumes, shells->count, sizeof *volumes);
    return true;
}

bool mesh_shells_find(struct mesh_shells *shells, cp_context *context, const cp_mesh *mesh)
{
    *shells = (struct mesh_shells){0};
    if (!mesh_edges_find(&shells->edges, context, mesh) || !make_rings(shells) || !make_shells(shells) ||
        !find_closed(shells) || !measure_shells(shells) || !shells_place(shells))
        return false;
    for (uint32_t i = 0; i < shells->count; i++) {
        struct shell *shell = &shells->shells[i];
        bool most = shell->against_count > shell->face_count - shell->against_count;
        shell->turn = shell->solid && !shell->unplaced ? (shell->volume < 0) != shell->inner : most;
    }
    return true;
}

void mesh_shells_free(struct mesh_shells *shells)
{
    const cp_mesh *mesh = shells->edges.mesh;
    cp_context *context = shells->edges.context;
    if (!mesh)
        return;
    memory_free(context, shells->ring, mesh->corner_count, sizeof *shells->ring);
    memory_free(context, shells->faces, mesh->corner_count, sizeof *shells->faces);
    memory_free(context, shells->shell_of, mesh->face_count, sizeof *shells->shell_of);
    memory_free(context, shells->against, mesh->face_count, sizeof *shells->against);
    memory_free(context, shells->shells, shells->room, sizeof *shells->shells);
    mesh_edges_free(&shells->edges);
}
