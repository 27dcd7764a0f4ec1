/* Mends normals of files: those without a direction are made from the faces round their vertex. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "mesh.h"

/* Scales the normal to unit length; one that is a unit to float's precision keeps its bits. False when it has no
 * direction. */
static bool make_unit(float normal[3])
{
    const double wide[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
    double square = dot_product(wide, wide), length = sqrt(square);
    if (!(length > 0) || !isfinite(length))
        return false;
    for (int axis = 0; axis < 3 && fabs(square - 1) > 2e-6; axis++)
        normal[axis] = (float)(wide[axis] / length);
    return true;
}

/* Sums up the normals of the faces, weighted by area, at the vertices whose normals are not set. */
static void add_faces(const cp_mesh *mesh, const bool *set, double (*sums)[3])
{
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), end = first + mesh_face_size(mesh, face), corner = first;
        while (corner < end && set[mesh->corners[corner]])
            corner++;
        if (corner == end)
            continue;
        struct polygon polygon = polygon_of(mesh, face);
        for (; corner < end; corner++)
            for (int axis = 0; axis < 3 && !set[mesh->corners[corner]]; axis++)
                sums[mesh->corners[corner]][axis] += polygon.normal[axis];
    }
}

cp_status mesh_mend_normals(cp_context *context, const cp_mesh *mesh, float *normals, uint64_t *mended)
{
    size_t count = mesh->vertex_count;
    bool *set = memory_allocate(context, count, sizeof *set);
    *mended = 0;
    for (size_t i = 0; set && i < count; i++) {
        set[i] = make_unit(normals + 3 * i);
        *mended += !set[i];
    }
    double(*sums)[3] = set ? memory_allocate_zeroed(context, *mended ? count : 1, sizeof *sums) : NULL;
    if (sums && *mended)
        add_faces(mesh, set, sums);
    for (size_t i = 0; sums && *mended && i < count; i++) {
        float *normal = normals + 3 * i;
        double length = sqrt(dot_product(sums[i], sums[i]));
        if (set[i])
            continue;
        for (int axis = 0; axis < 3; axis++)
            normal[axis] = length > 0 && isfinite(length) ? (float)(sums[i][axis] / length) : axis == 2;
    }
    bool good = sums != NULL;
    memory_free(context, sums, *mended ? count : 1, sizeof *sums);
    memory_free(context, set, count, sizeof *set);
    return good ? CP_OK : CP_LIMIT;
}
