/* Finds meshes that are far from their origin. */
#include "mesh.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

struct mesh_extent {
    double lower[3], upper[3];
};

static void extend_box(struct mesh_extent *box, const float *position)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lower[axis] = fmin(box->lower[axis], (double)position[axis]);
        box->upper[axis] = fmax(box->upper[axis], (double)position[axis]);
    }
}

bool box_is_far(const double lower[3], const double upper[3])
{
    double square = 0, most = 0;
    for (int axis = 0; axis < 3; axis++) {
        double side = upper[axis] - lower[axis];
        square += side * side;
        most = fmax(most, fmax(fabs(lower[axis]), fabs(upper[axis])));
    }
    return most > FAR_SIZES * sqrt(square);
}

/* A near box stays near when it grows: its size grows by at least as much as its distance. So the search ends there. */
bool find_far_origin(const float *positions, uint32_t count, double origin[3])
{
    enum { VERTICES_AT_ONCE = 256 };
    struct mesh_extent box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const float *first = NULL;
    bool far = true;
    memset(origin, 0, 3 * sizeof *origin);
    for (uint32_t i = 0; i < count && far; i++) {
        const float *position = positions + 3 * (size_t)i;
        if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
            continue;
        first = first ? first : position;
        extend_box(&box, position);
        if (i % VERTICES_AT_ONCE == VERTICES_AT_ONCE - 1)
            far = box_is_far(box.lower, box.upper);
    }
    if (!first || !far || !box_is_far(box.lower, box.upper))
        return false;
    for (int axis = 0; axis < 3; axis++)
        origin[axis] = (double)first[axis];
    return true;
}

void place_near_origin(const double *places, uint32_t count, float *positions, double origin[3])
{
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        positions[i] = (float)places[i];
    if (!find_far_origin(positions, count, origin))
        return;
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        positions[i] = near_origin(places[i], origin[i % 3]);
}

cp_pose pose_from_origin(const cp_pose *pose, const double origin[3])
{
    cp_pose translation = pose_translation(origin[0], origin[1], origin[2]);
    return pose_multiply(pose, &translation);
}
