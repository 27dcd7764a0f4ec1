#include "topology.h"
#include <stdlib.h>
#include <string.h>

/* ---- joining ---- */

struct position {
    float at[3];
    uint32_t vertex;
};

static int compare_positions(const void *first, const void *second)
{
    const struct position *a = first, *b = second;
    for (int k = 0; k < 3; k++)
        if (a->at[k] != b->at[k])
            return a->at[k] < b->at[k] ? -1 : 1;
    return 0;
}

static struct position *sorted_positions(const struct mesh *mesh)
{
    struct position *positions = allocate(mesh->vertex_count, sizeof *positions);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        memcpy(positions[i].at, mesh->positions + 3 * i, sizeof positions[i].at);
        positions[i].vertex = (uint32_t)i;
    }
    qsort(positions, mesh->vertex_count, sizeof *positions, compare_positions);
    return positions;
}

void mesh_join_vertices(struct mesh *mesh)
{
    struct position *positions = sorted_positions(mesh);
    uint32_t *joined = allocate(mesh->vertex_count, sizeof *joined);
    size_t used = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (i == 0 || compare_positions(positions + i - 1, positions + i) != 0)
            memcpy(mesh->positions + 3 * used++, positions[i].at, sizeof positions[i].at);
        joined[positions[i].vertex] = (uint32_t)(used - 1);
    }
    mesh->vertex_count = used;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        mesh->corners[i] = joined[mesh->corners[i]];
    free(positions);
    free(joined);
}

/* ---- sets of corners, or of vertices, that hang together ---- */

static uint32_t find_root(uint32_t *parents, uint32_t item)
{
    while (parents[item] != item)
        item = parents[item] = parents[parents[item]];
    return item;
}

static void unite(uint32_t *parents, uint32_t a, uint32_t b)
{
    parents[find_root(parents, a)] = find_root(parents, b);
}

static uint32_t *single_sets(size_t count)
{
    uint32_t *parents = allocate(count, sizeof *parents);
    for (size_t i = 0; i < count; i++)
        parents[i] = (uint32_t)i;
    return parents;
}

/* ---- edges ---- */

struct edge {
    uint32_t low, high; /* vertices */
    uint32_t corner;    /* where a face's edge begins */
};

static int compare_edges(const void *first, const void *second)
{
    const struct edge *a = first, *b = second;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static int is_face(const struct mesh *mesh, size_t triangle)
{
    const uint32_t *c = mesh->corners + 3 * triangle;
    return c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
}

static int has_area(const struct mesh *mesh, size_t triangle)
{
    float normal[3];
    mesh_triangle_normal(mesh, triangle, normal);
    return normal[0] != 0 || normal[1] != 0 || normal[2] != 0;
}

static struct edge *sorted_edges(const struct mesh *mesh, size_t *count)
{
    struct edge *edges = allocate(3 * mesh->triangle_count, sizeof *edges);
    *count = 0;
    for (uint32_t corner = 0; corner < 3 * mesh->triangle_count; corner++) {
        if (!is_face(mesh, corner / 3))
            continue;
        uint32_t a = mesh->corners[corner], b = mesh->corners[next_corner(corner)];
        edges[(*count)++] = (struct edge){a < b ? a : b, a < b ? b : a, corner};
    }
    qsort(edges, *count, sizeof *edges, compare_edges);
    return edges;
}

/* The corner of the edge's face at one of its vertices. */
static uint32_t corner_at(const struct mesh *mesh, const struct edge *edge, uint32_t vertex)
{
    return mesh->corners[edge->corner] == vertex ? edge->corner : next_corner(edge->corner);
}

/* Counts one edge of `faces` faces, and unites the corners that meet at its two ends. */
static void count_edge(const struct mesh *mesh, const struct edge *edge, size_t faces, uint32_t *fans,
                       struct topology *topology)
{
    topology->edges++;
    topology->border_edges += faces == 1;
    topology->non_manifold_edges += faces > 2;
    topology->misoriented_edges += faces == 2 && mesh->corners[edge[0].corner] == mesh->corners[edge[1].corner];
    for (size_t i = 1; i < faces; i++) {
        unite(fans, corner_at(mesh, edge, edge->low), corner_at(mesh, edge + i, edge->low));
        unite(fans, corner_at(mesh, edge, edge->high), corner_at(mesh, edge + i, edge->high));
    }
}

/* ---- vertices ---- */

/* fans: sets of corners. A vertex is not manifold when its corners are in more than one. */
static void count_vertices(const struct mesh *mesh, uint32_t *fans, struct topology *topology)
{
    uint32_t *fan_counts = allocate(mesh->vertex_count, sizeof *fan_counts);
    memset(fan_counts, 0, mesh->vertex_count * sizeof *fan_counts);
    for (uint32_t corner = 0; corner < 3 * mesh->triangle_count; corner++)
        if (is_face(mesh, corner / 3))
            fan_counts[mesh->corners[corner]] += find_root(fans, corner) == corner;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        topology->vertices += fan_counts[i] > 0;
        topology->non_manifold_vertices += fan_counts[i] > 1;
    }
    free(fan_counts);
}

static void count_components(const struct mesh *mesh, struct topology *topology)
{
    uint32_t *sets = single_sets(mesh->vertex_count);
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (size_t k = 1; k < 3 && is_face(mesh, i); k++)
            unite(sets, mesh->corners[3 * i], mesh->corners[3 * i + k]);
    size_t unused = mesh->vertex_count - topology->vertices; /* each a set of its own */
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        topology->components += find_root(sets, i) == i;
    topology->components -= unused;
    free(sets);
}

struct topology mesh_topology(const struct mesh *mesh)
{
    if (mesh->triangle_count > UINT32_MAX / 3)
        fail("too many triangles");
    struct topology topology = {0};
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        topology.faces += (size_t)is_face(mesh, i);
        topology.degenerate += !has_area(mesh, i);
    }
    size_t count;
    struct edge *edges = sorted_edges(mesh, &count);
    uint32_t *fans = single_sets(3 * mesh->triangle_count);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && compare_edges(edges + begin, edges + end) == 0;)
            end++;
        count_edge(mesh, edges + begin, end - begin, fans, &topology);
    }
    count_vertices(mesh, fans, &topology);
    count_components(mesh, &topology);
    free(edges);
    free(fans);
    return topology;
}
