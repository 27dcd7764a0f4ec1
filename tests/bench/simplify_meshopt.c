/* simplify_meshopt IN.stl OUT.stl TRIANGLES: meshoptimizer's simplifier alone, on joined vertices in the order of their
 * first corner, which is what a program that welds hands it. Prints the seconds that it took. */
#include "timing.h"
#include "topology.h"

#include "write_mesh.h"
#include <meshoptimizer.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    if (count != 4)
        fail("usage: simplify_meshopt IN.stl OUT.stl TRIANGLES");
    struct mesh mesh = read_stl(arguments[1]);
    size_t corners = 3 * mesh.triangle_count, target = 3 * (size_t)strtoull(arguments[3], NULL, 10);
    unsigned int *simplified = allocate(corners, sizeof *simplified);
    mesh.vertex_count = meshopt_optimizeVertexFetch(mesh.positions, mesh.corners, corners, mesh.positions,
                                                    mesh.vertex_count, 3 * sizeof(float));
    double begin = wall_seconds();
    size_t left = meshopt_simplify(simplified, mesh.corners, corners, mesh.positions, mesh.vertex_count,
                                   3 * sizeof(float), target, 1, 0, NULL);
    printf("%.4f\n", wall_seconds() - begin);
    free(mesh.corners);
    mesh.corners = simplified;
    mesh.triangle_count = left / 3;
    write_binary_stl(&mesh, arguments[2]);
    mesh_free(&mesh);
    return 0;
}
