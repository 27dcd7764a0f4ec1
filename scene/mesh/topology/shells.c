/* Shells: a flood over the edges of two faces, whose other face is wound alike when it runs through the edge the other
 * way. */
#include "shells.h"

#include <math.h>

#include "../polygon.h"
#include "../sum.h"

/* ---- edges ---- */

static bool set_faces(struct mesh_shells *shells)
{
    const cp_mesh *mesh = shells->edges.mesh;
    if (!mesh->face_offsets)
        return true;
    shells->faces = memory_allocate(shells->edges.context, mesh->corner_count, sizeof *shells->faces);
    for (uint32_t face = 0; shells->faces && face < mesh->face_count; face++)
        for (uint32_t corner = mesh->face_offsets[face]; corner < mesh->face_offsets[face + 1]; corner++)
            shells->faces[corner] = face;
    return shells->faces;
}

/* lowest: for the first of all equal edges, the first one that bounds something. */
static void link_edge(struct mesh_shells *shells, uint32_t edge, uint32_t *lowest)
{
    uint32_t *lead = &lowest[shells->edges.first[edge]];
    if (*lead == CP_NONE) {
        *lead = edge;
        shells->ring[edge] = edge;
    } else {
        shells->ring[edge] = shells->ring[*lead];
        shells->ring[*lead] = edge;
    }
}

static void link_edges(struct mesh_shells *shells, uint32_t *lowest)
{
    const cp_mesh *mesh = shells->edges.mesh;
    for (uint32_t edge = 0; edge < mesh->corner_count; edge++)
        shells->ring[edge] = lowest[edge] = CP_NONE;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        if (!face_bounds(&shells->edges, face))
            continue;
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        for (uint32_t edge = first; edge < first + size; edge++)
            if (!edge_is_empty(&shells->edges, edge))
                link_edge(shells, edge, lowest);
    }
    for (uint32_t edge = 0; edge < mesh->corner_count; edge++)
        shells->edges.first[edge] = shells->ring[edge] == CP_NONE ? CP_NONE : lowest[shells->edges.first[edge]];
}

static bool make_rings(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    uint32_t count = shells->edges.mesh->corner_count;
    shells->ring = memory_allocate(context, count, sizeof *shells->ring);
    uint32_t *lowest = memory_allocate(context, count, sizeof *lowest);
    bool good = shells->ring && lowest && set_faces(shells);
    if (good)
        link_edges(shells, lowest);
    memory_free(context, lowest, count, sizeof *lowest);
    return good;
}

/* ---- the flood ---- */

struct flood {
    struct mesh_shells *shells;
    uint32_t *stack; /* faces that have been reached, with their neighbours to be seen */
    uint32_t depth;
};

static void reach(struct flood *flood, uint32_t index, uint32_t face, bool against)
{
    struct mesh_shells *shells = flood->shells;
    shells->shell_of[face] = index;
    shells->against[face] = against;
    shells->shells[index].face_count++;
    shells->shells[index].against_count += against;
    flood->stack[flood->depth++] = face;
}

static void see_neighbours(struct flood *flood, uint32_t index, uint32_t face)
{
    struct mesh_shells *shells = flood->shells;
    uint32_t first = mesh_face_first(shells->edges.mesh, face), size = mesh_face_size(shells->edges.mesh, face);
    for (uint32_t edge = first; edge < first + size; edge++) {
        uint32_t partner = shells_partner(shells, edge);
        if (partner == CP_NONE)
            continue;
        uint32_t other = shells_face(shells, partner);
        bool same_way = edge_start(&shells->edges, edge) == edge_start(&shells->edges, partner);
        bool against = shells->against[face] != same_way;
        if (shells->shell_of[other] == CP_NONE)
            reach(flood, index, other, against);
        else if (shells->against[other] != against)
            shells->shells[index].orientable = false;
    }
}

static bool flood_shells(struct flood *flood)
{
    struct mesh_shells *shells = flood->shells;
    const cp_mesh *mesh = shells->edges.mesh;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        if (shells->shell_of[face] != CP_NONE || !face_bounds(&shells->edges, face))
            continue;
        if (!array_reserve(shells->edges.context, &shells->shells, &shells->room, (uint64_t)shells->count + 1,
                           sizeof *shells->shells))
            return false;
        shells->shells[shells->count++] = (struct shell){
            .first_face = face, .orientable = true, .highest = mesh->corners[mesh_face_first(mesh, face)]};
        reach(flood, shells->count - 1, face, false);
        while (flood->depth > 0)
            see_neighbours(flood, shells->count - 1, flood->stack[--flood->depth]);
    }
    return true;
}

static bool make_shells(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    uint32_t count = shells->edges.mesh->face_count;
    shells->shell_of = memory_allocate(context, count, sizeof *shells->shell_of);
    shells->against = memory_allocate_zeroed(context, count, sizeof *shells->against);
    struct flood flood = {.shells = shells, .stack = memory_allocate(context, count, sizeof *flood.stack)};
    for (uint32_t face = 0; shells->shell_of && face < count; face++)
        shells->shell_of[face] = CP_NONE;
    bool good = shells->shell_of && shells->against && flood.stack && flood_shells(&flood);
    memory_free(context, flood.stack, count, sizeof *flood.stack);
    return good;
}

/* ---- what is closed ---- */

static bool runs_forth(const struct mesh_shells *shells, uint32_t edge)
{
    bool forth = edge_start(&shells->edges, edge) == shells->edges.ends[edge][0];
    return forth != shells->against[shells_face(shells, edge)];
}

static struct shell *shell_at(const struct mesh_shells *shells, uint32_t edge)
{
    return &shells->shells[shells->shell_of[shells_face(shells, edge)]];
}

/* balance: 0 for each shell, before and after. */
static void open_unbalanced(struct mesh_shells *shells, uint32_t lead, int64_t *balance)
{
    uint32_t edge = lead;
    do {
        balance[shell_at(shells, edge) - shells->shells] += runs_forth(shells, edge) ? 1 : -1;
        edge = shells->ring[edge];
    } while (edge != lead);
    do {
        int64_t *own = &balance[shell_at(shells, edge) - shells->shells];
        if (*own != 0)
            shell_at(shells, edge)->closed = false;
        *own = 0;
        edge = shells->ring[edge];
    } while (edge != lead);
}

static bool find_closed(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    int64_t *balance = memory_allocate_zeroed(context, shells->count, sizeof *balance);
    if (!balance)
        return false;
    for (uint32_t i = 0; i < shells->count; i++)
        shells->shells[i].closed = shells->shells[i].orientable;
    for (uint32_t edge = 0; edge < shells->edges.mesh->corner_count; edge++)
        if (shells->edges.first[edge] == edge && shells_partner(shells, edge) == CP_NONE)
            open_unbalanced(shells, edge, balance);
    memory_free(context, balance, shells->count, sizeof *balance);
    return true;
}

/* ---- volumes ---- */

struct volume {
    struct sum sum; /* six times */
    double size;    /* of what is summed, without signs: rounding is far less than size * 2^-40 */
};

static void subtract(const float *a, const float *b, double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (double)a[axis] - (double)b[axis];
}

static double triple(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static double triple_size(const double a[3], const double b[3], const double c[3])
{
    const double p[3] = {fabs(a[0]), fabs(a[1]), fabs(a[2])}, q[3] = {fabs(b[0]), fabs(b[1]), fabs(b[2])},
                 r[3] = {fabs(c[0]), fabs(c[1]), fabs(c[2])};
    return p[0] * (q[1] * r[2] + q[2] * r[1]) + p[1] * (q[2] * r[0] + q[0] * r[2]) + p[2] * (q[0] * r[1] + q[1] * r[0]);
}

/* The cones over the shell's first corner, faces as fans. */
static void add_cones(const struct mesh_shells *shells, uint32_t face, struct volume *volume)
{
    const cp_mesh *mesh = shells->edges.mesh;
    const struct shell *shell = &shells->shells[shells->shell_of[face]];
    const float *top = mesh->positions + 3 * (size_t)mesh->corners[mesh_face_first(mesh, shell->first_face)];
    struct polygon polygon = polygon_view(mesh, face);
    double side = shells->against[face] ? -1 : 1, a[3], b[3], c[3];
    subtract(polygon_position(&polygon, 0), top, a);
    subtract(polygon_position(&polygon, 1), top, b);
    for (uint32_t i = 2; i < polygon.count; i++) {
        subtract(polygon_position(&polygon, i), top, c);
        sum_add(&volume->sum, side * triple(a, b, c));
        volume->size += triple_size(a, b, c);
        for (int axis = 0; axis < 3; axis++)
            b[axis] = c[axis];
    }
}

static void raise_highest(const struct mesh_shells *shells, uint32_t face)
{
    const cp_mesh *mesh = shells->edges.mesh;
    uint32_t *highest = &shells->shells[shells->shell_of[face]].highest;
    uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
    for (uint32_t corner = first; corner < first + size; corner++)
        if (mesh->positions[3 * (size_t)mesh->corners[corner] + 2] > mesh->positions[3 * (size_t)*highest + 2])
            *highest = mesh->corners[corner];
}

static bool measure_shells(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    struct volume *volumes = memory_allocate_zeroed(context, shells->count, sizeof *volumes);
    if (!volumes)
        return false;
    for (uint32_t face = 0; face < shells->edges.mesh->face_count; face++) {
        uint32_t index = shells->shell_of[face];
        if (index == CP_NONE || !shells->shells[index].closed)
            continue;
        add_cones(shells, face, &volumes[index]);
        raise_highest(shells, face);
    }
    for (uint32_t i = 0; i < shells->count; i++) {
        struct shell *shell = &shells->shells[i];
        shell->volume = sum_value(&volumes[i].sum) / 6;
        shell->solid = shell->closed && fabs(shell->volume) > ldexp(volumes[i].size, -40);
    }
    memory_free(context, volumes, shells->count, sizeof *volumes);
    return true;
}

/* ---- all of it ---- */

static void choose_sides(struct mesh_shells *shells)
{
    for (uint32_t i = 0; i < shells->count; i++) {
        struct shell *shell = &shells->shells[i];
        if (shell->solid && !shell->unplaced)
            shell->turn = (shell->volume < 0) != shell->inner;
        else
            shell->turn = shell->against_count > shell->face_count - shell->against_count;
    }
}

bool mesh_shells_find(struct mesh_shells *shells, cp_context *context, const cp_mesh *mesh)
{
    *shells = (struct mesh_shells){0};
    if (!mesh_edges_find(&shells->edges, context, mesh) || !make_rings(shells) || !make_shells(shells) ||
        !find_closed(shells) || !measure_shells(shells) || !shells_place(shells))
        return false;
    choose_sides(shells);
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
