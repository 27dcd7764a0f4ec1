/* Counts the shells and holes of a surface, so that a simplification can report how many of them it closed. */
#include <string.h>

#include "mesh/join.h"
#include "surface.h"

enum { COLUMNS = 4 };

bool surface_count(const struct surface *surface, struct surface_counts *counts)
{
    cp_context *context = surface->context;
    uint32_t vertices = surface->vertex_count, corners = 3 * surface->triangle_count;
    uint32_t *columns = memory_allocate_zeroed(context, (size_t)COLUMNS * vertices, sizeof *columns);
    uint32_t *next = memory_allocate(context, corners, sizeof *next);
    *counts = (struct surface_counts){.shells = 0};
    if (columns && next) {
        /* shells, rings: sets of vertices that faces connect, and sets that border edges connect. */
        uint32_t *first = columns, *shells = first + vertices, *rings = shells + vertices, *faces = rings + vertices;
        uint64_t edges = 0, used = 0, sides = 0;
        bool crossed = false;
        for (uint32_t vertex = 0; vertex < vertices; vertex++) {
            first[vertex] = CP_NONE;
            shells[vertex] = rings[vertex] = vertex;
        }
        for (uint32_t corner = 0; corner < corners; corner++) {
            const uint32_t *face = surface->triangles[corner / 3];
            next[corner] = first[face[corner % 3]];
            first[face[corner % 3]] = corner;
            sets_join(shells, face[corner % 3], face[(corner + 1) % 3]);
        }
        for (uint32_t vertex = 0; vertex < vertices; vertex++) {
            /* List the faces of each edge to a higher vertex by that vertex; then count each edge once. */
            for (uint32_t corner = first[vertex]; corner != CP_NONE; corner = next[corner])
                for (uint32_t side = 1; side < 3; side++)
                    faces[surface->triangles[corner / 3][(corner % 3 + side) % 3]]++;
            for (uint32_t corner = first[vertex]; corner != CP_NONE; corner = next[corner])
                for (uint32_t side = 1; side < 3; side++) {
                    uint32_t other = surface->triangles[corner / 3][(corner % 3 + side) % 3];
                    if (other > vertex && faces[other] > 0) {
                        edges++;
                        crossed |= faces[other] > 2;
                        if (faces[other] == 1)
                            sets_join(rings, vertex, other);
                    }
                    faces[other] = 0;
                }
        }
        for (uint32_t vertex = 0; vertex < vertices; vertex++) {
            used += first[vertex] != CP_NONE;
            counts->shells += first[vertex] != CP_NONE && shells[vertex] == vertex;
            faces[set_leader(rings, vertex)]++;
        }
        for (uint32_t vertex = 0; vertex < vertices; vertex++)
            sides += faces[vertex] > 1;
        /* An oriented surface has vertices - edges + faces = 2 shells - 2 tunnels - rings (Euler, Poincare). */
        int64_t twice = 2 * (int64_t)counts->shells - (int64_t)sides -
                        ((int64_t)used - (int64_t)edges + (int64_t)surface->triangle_count);
        counts->holes = (uint32_t)sides + (!crossed && twice > 0 ? (uint32_t)(twice / 2) : 0);
        counts->crossed = crossed;
    }
    bool good = columns && next;
    memory_free(context, columns, (size_t)COLUMNS * vertices, sizeof *columns);
    memory_free(context, next, corners, sizeof *next);
    return good;
}
