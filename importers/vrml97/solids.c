/* Boxes, spheres, cylinders and cones, which the scene has as such; and as faces where a part of them is missing, or a
 * box has a texture. Axis Y, faces counterclockwise as seen from outside (ISO/IEC 14772-1, 6.7, 6.10, 6.13, 6.42). */

#include "mesh/mesh.h"
#include "vrml97.h"

enum { SIDES = 32 }; /* round shapes have as many as in other cells */

/* Faces of a turned shape: points are rings of SIDES, and perhaps a tip. */
struct turned {
    float points[(2 * SIDES + 1) * 3];
    int32_t corners[SIDES * 5 + 2 * (SIDES + 1)];
    uint32_t point_count, corner_count;
};

static void add_ring(struct turned *turned, double radius, double height)
{
    for (int i = 0; i < SIDES; i++) {
        cp_pose turn = pose_rotation_degrees(1, i * 360.0 / SIDES);
        float *point = turned->points + 3 * (size_t)turned->point_count++;
        point[0] = (float)(radius * turn.m[2]);
        point[1] = (float)height;
        point[2] = (float)(radius * turn.m[10]);
    }
}

static void add_corner(struct turned *turned, int corner)
{
    turned->corners[turned->corner_count++] = corner;
}

static void add_cap(struct turned *turned, int first, bool forwards)
{
    for (int i = 0; i < SIDES; i++)
        add_corner(turned, first + (forwards ? i : SIDES - 1 - i));
    add_corner(turned, -1);
}

static void add_sides(struct turned *turned, bool is_cone)
{
    for (int i = 0; i < SIDES; i++) {
        int next = (i + 1) % SIDES;
        add_corner(turned, i);
        add_corner(turned, next);
        add_corner(turned, is_cone ? SIDES : SIDES + next);
        if (!is_cone)
            add_corner(turned, SIDES + i);
        add_corner(turned, -1);
    }
}

/* Makes a cylinder or cone without one of its parts. */
static cp_status make_turned(struct wrl *wrl, struct wrl_look *look, const double size[3], cp_mesh *mesh)
{
    const struct wrl_node *node = look->geometry;
    bool is_cone = wrl_is(node, "Cone");
    struct turned turned = {.point_count = 0};
    double half = (is_cone ? size[2] : size[1]) / 2;
    add_ring(&turned, size[0], -half);
    if (!is_cone) {
        add_ring(&turned, size[0], half);
    } else {
        turned.points[3 * turned.point_count + 1] = (float)half;
        turned.point_count++;
    }
    if (wrl_truth(node, "side", true))
        add_sides(&turned, is_cone);
    if (wrl_truth(node, "bottom", true))
        add_cap(&turned, 0, false);
    if (!is_cone && wrl_truth(node, "top", true))
        add_cap(&turned, SIDES, true);
    float *points = arena_copy(wrl->scene->arena, turned.points, turned.point_count, 3 * sizeof *points);
    struct wrl_value point = {.store = WRL_AS_FLOATS, .count = 3 * turned.point_count};
    struct wrl_value corners = {.store = WRL_AS_INTEGERS, .count = turned.corner_count};
    if (!points)
        return CP_LIMIT;
    point.floats = points;
    corners.integers = turned.corners;
    look->two_sided = true; /* its inside is seen */
    return wrl_make_indexed(wrl, look, &point, &corners, NULL, mesh);
}

/* Makes the faces of a box with a texture. On each it stands upright for those who see it from outside, with Y up; with
 * -Z up from above, and Z from below. */
static cp_status make_textured_box(struct wrl *wrl, struct wrl_look *look, const double size[3], cp_mesh *mesh)
{
    static const double sides[6][2][3] = {/* the way out, and up */
                                          {{0, 0, 1}, {0, 1, 0}},  {{0, 0, -1}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}},
                                          {{-1, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {0, 0, -1}}, {{0, -1, 0}, {0, 0, 1}}};
    static const float places[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    float coordinates[2 * 24], *points = scene_allocate(wrl->scene, 24, 3 * sizeof *points);
    int32_t corners[6 * 5];
    if (!points)
        return CP_LIMIT;
    for (int side = 0; side < 6; side++) {
        const double *out = sides[side][0], *up = sides[side][1];
        double right[3];
        cross_product(up, out, right);
        for (int i = 0; i < 4; i++) {
            int row = 4 * side + i;
            double s = 2 * (double)places[i][0] - 1, t = 2 * (double)places[i][1] - 1;
            for (int k = 0; k < 3; k++)
                points[3 * row + k] = (float)(size[k] / 2 * (out[k] + s * right[k] + t * up[k]));
            memcpy(coordinates + 2 * (size_t)row, places[i], sizeof places[i]);
            corners[5 * side + i] = row;
        }
        corners[5 * side + 4] = -1;
    }
    struct wrl_value point = {.store = WRL_AS_FLOATS, .count = 3 * 24, .floats = points};
    struct wrl_value place = {.store = WRL_AS_FLOATS, .count = 2 * 24, .floats = coordinates};
    struct wrl_value corner = {.store = WRL_AS_INTEGERS, .count = 6 * 5, .integers = corners};
    return wrl_make_indexed(wrl, look, &point, &corner, &place, mesh);
}

cp_status wrl_make_solid(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh)
{
    const struct wrl_node *node = look->geometry;
    bool is_box = wrl_is(node, "Box"), is_sphere = wrl_is(node, "Sphere"), is_cone = wrl_is(node, "Cone");
    double size[3] = {2, 2, 2};
    if (is_box) {
        wrl_numbers(node, "size", 3, size);
    } else if (is_sphere) {
        size[0] = wrl_number(node, "radius", 1);
        size[1] = size[2] = 0;
    } else {
        size[0] = wrl_number(node, is_cone ? "bottomRadius" : "radius", 1);
        size[1] = is_cone ? 0 : wrl_number(node, "height", 2);
        size[2] = is_cone ? wrl_number(node, "height", 2) : 0;
    }
    if (!(fmin(size[0], fmin(size[1], size[2])) >= 0)) {
        cp_status status =
            report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-geometry", wrl_place(node),
                           "%s has a size below zero, and is left out", node->kind->name);
        return status == CP_OK ? CP_NO : status;
    }
    bool whole = wrl_truth(node, "side", true) && wrl_truth(node, "bottom", true) && wrl_truth(node, "top", true);
    if (!is_box && !is_sphere && !whole)
        return make_turned(wrl, look, size, mesh);
    if (is_box && look->texture)
        return make_textured_box(wrl, look, size, mesh);
    mesh->kind = is_box ? CP_MESH_BOX : is_sphere ? CP_MESH_SPHERE : is_cone ? CP_MESH_CONE : CP_MESH_CYLINDER;
    mesh->sides = is_box ? 0 : SIDES;
    memcpy(mesh->size, size, sizeof mesh->size);
    if (!is_box && !is_sphere) /* Z of the primitive is Y here */
        look->pose = pose_rotation_degrees(0, -90);
    return CP_OK;
}
