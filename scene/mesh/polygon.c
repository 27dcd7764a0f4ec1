/* One face as a polygon. */
#include "mesh.h"

#include <math.h>

struct polygon polygon_of(const cp_mesh *mesh, uint32_t face)
{
    struct polygon polygon = polygon_view(mesh, face);
    double *normal = polygon.normal, p[3], q[3];
    for (uint32_t corner = 2; corner < polygon.count; corner++) {
        const float *origin = polygon_position(&polygon, 0);
        const float *a = polygon_position(&polygon, corner - 1), *b = polygon_position(&polygon, corner);
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = (double)a[axis] - (double)origin[axis];
            q[axis] = (double)b[axis] - (double)origin[axis];
        }
        normal[0] += p[1] * q[2] - p[2] * q[1];
        normal[1] += p[2] * q[0] - p[0] * q[2];
        normal[2] += p[0] * q[1] - p[1] * q[0];
    }
    /* Drop the axis along which the normal is longest; take the other two in the order that keeps the winding. */
    int drop = 2;
    for (int axis = 0; axis < 2; axis++)
        if (fabs(normal[axis]) > fabs(normal[drop]))
            drop = axis;
    bool reversed = normal[drop] < 0;
    polygon.u = (drop + (reversed ? 2 : 1)) % 3;
    polygon.v = (drop + (reversed ? 1 : 2)) % 3;
    return polygon;
}

bool mesh_face_has_area(const cp_mesh *mesh, uint32_t face)
{
    struct polygon polygon = polygon_of(mesh, face);
    return polygon.normal[0] != 0 || polygon.normal[1] != 0 || polygon.normal[2] != 0;
}

struct edge2 {
    double x, y;
};

static struct edge2 edge_from(const struct polygon *polygon, uint32_t corner)
{
    float a[2], b[2];
    polygon_point(polygon, corner, a);
    polygon_point(polygon, corner + 1 < polygon->count ? corner + 1 : 0, b);
    return (struct edge2){(double)b[0] - (double)a[0], (double)b[1] - (double)a[1]};
}

double polygon_reflex_depth(const struct polygon *polygon)
{
    struct edge2 last = {0, 0};
    for (uint32_t corner = polygon->count; corner-- > 0 && last.x == 0 && last.y == 0;)
        last = edge_from(polygon, corner);
    double depth = 0;
    uint32_t flips = 0; /* changes between upward and downward: two for each time round */
    for (uint32_t corner = 0; corner < polygon->count; corner++) {
        struct edge2 edge = edge_from(polygon, corner);
        if (edge.x == 0 && edge.y == 0)
            continue;
        double turn = last.x * edge.y - last.y * edge.x;
        if (turn < 0) {
            double chord = hypot(last.x + edge.x, last.y + edge.y);
            depth += chord > 0 ? -turn / chord : hypot(last.x, last.y);
        }
        bool up = edge.y > 0 || (edge.y == 0 && edge.x > 0), was_up = last.y > 0 || (last.y == 0 && last.x > 0);
        flips += up != was_up;
        last = edge;
    }
    return depth == 0 && flips > 2 ? INFINITY : depth;
}

bool polygon_is_fan(const struct polygon *polygon)
{
    float first[2], second[2], third[2];
    polygon_point(polygon, 0, first);
    for (uint32_t corner = 2; corner < polygon->count; corner++) {
        polygon_point(polygon, corner - 1, second);
        polygon_point(polygon, corner, third);
        if (!(triangle_area(first, second, third) > 0))
            return false;
    }
    return polygon_reflex_depth(polygon) == 0;
}

double polygon_size(const struct polygon *polygon)
{
    double squares = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t corner = 0; corner < polygon->count; corner++) {
            double value = (double)polygon_position(polygon, corner)[axis];
            low = fmin(low, value);
            high = fmax(high, value);
        }
        squares += (high - low) * (high - low);
    }
    return sqrt(squares);
}

double polygon_bulge(const struct polygon *polygon)
{
    const double *normal = polygon->normal;
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(length > 0))
        return 0;
    const float *origin = polygon_position(polygon, 0);
    double low = 0, high = 0;
    for (uint32_t corner = 1; corner < polygon->count; corner++) {
        double height = 0;
        for (int axis = 0; axis < 3; axis++)
            height += normal[axis] * ((double)polygon_position(polygon, corner)[axis] - (double)origin[axis]);
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return (high - low) / (2 * length);
}
