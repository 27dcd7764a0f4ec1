/* Boxes, spheres, cylinders and cones, which the scene has as such; and as faces where a part of them is missing, or
 * they have a texture. Axis Y, faces counterclockwise as seen from outside (ISO/IEC 14772-1, 6.7, 6.10, 6.14, 6.42). */

#include "mesh/mesh.h"
#include "vrml97.h"

enum {
    SIDES = 32,                       /* round shapes have as many as in other cells */
    BANDS = SIDES / 2,                /* a sphere has as many from pole to pole */
    RING = SIDES + 1,                 /* points of a ring: the texture begins and ends at the same place */
    MOST_POINTS = RING * (BANDS + 1), /* a sphere has the most */
    MOST_CORNERS = 5 * SIDES * BANDS
};

/* Faces of a shape that is turned about Y. */
struct turned {
    float points[3 * MOST_POINTS], normals[3 * MOST_POINTS], coordinates[2 * MOST_POINTS];
    int32_t corners[MOST_CORNERS];
    uint32_t point_count, corner_count;
};

/* Adds a point at a part of a turn; its normal leans outwards and up. The turn begins at the back, and goes
 * counterclockwise as seen from above, as textures do. */
static void add_point(struct turned *turned, double part, const double place[2], const double lean[2])
{
    const cp_pose turn = pose_rotation_degrees(1, 180 + 360 * part);
    float *point = turned->points + 3 * (size_t)turned->point_count;
    float *normal = turned->normals + 3 * (size_t)turned->point_count++;
    for (int k = 0; k < 3; k++) {
        point[k] = (float)(k == 1 ? place[1] : place[0] * turn.m[4 * k + 2]);
        normal[k] = (float)(k == 1 ? lean[1] : lean[0] * turn.m[4 * k + 2]);
    }
}

/* Adds a ring at a radius and height, and returns its first point. Those of a tip, one for each face, differ by what
 * they show alone. */
static uint32_t add_ring(struct turned *turned, const double place[2], const double lean[2], double t, bool is_tip)
{
    uint32_t first = turned->point_count;
    for (int i = 0; i < (is_tip ? SIDES : RING); i++) {
        double part = (i + (is_tip ? 0.5 : 0)) / SIDES;
        float *st = turned->coordinates + 2 * (size_t)turned->point_count;
        st[0] = (float)part;
        st[1] = (float)t;
        add_point(turned, part, place, lean);
    }
    return first;
}

static void add_corner(struct turned *turned, uint32_t corner)
{
    turned->corners[turned->corner_count++] = (int32_t)corner;
}

/* Adds the faces between two rings, of which one may be a tip. */
static void add_band(struct turned *turned, uint32_t lower, uint32_t upper, bool tip_below, bool tip_above)
{
    for (uint32_t i = 0; i < SIDES; i++) {
        add_corner(turned, lower + i);
        if (!tip_below)
            add_corner(turned, lower + i + 1);
        if (!tip_above)
            add_corner(turned, upper + i + 1);
        add_corner(turned, upper + i);
        turned->corners[turned->corner_count++] = -1;
    }
}

/* Adds a cap. The texture stands upright for those who see it with X to the right: with -Z up from above, and Z from
 * below. */
static void add_cap(struct turned *turned, double radius, double height)
{
    const double place[2] = {radius, height}, lean[2] = {0, height < 0 ? -1 : 1};
    for (int i = 0; i < SIDES; i++) {
        double part = (double)i / SIDES;
        const cp_pose turn = pose_rotation_degrees(1, 180 + 360 * part);
        float *st = turned->coordinates + 2 * (size_t)turned->point_count;
        st[0] = (float)((1 + turn.m[2]) / 2);
        st[1] = (float)((1 - lean[1] * turn.m[10]) / 2);
        add_corner(turned, turned->point_count);
        add_point(turned, part, place, lean);
    }
    int32_t *corners = turned->corners + turned->corner_count - SIDES;
    for (int i = 0; i < SIDES / 2 && height < 0; i++) { /* a face seen from below goes the other way round */
        int32_t corner = corners[i];
        corners[i] = corners[SIDES - 1 - i];
        corners[SIDES - 1 - i] = corner;
    }
    turned->corners[turned->corner_count++] = -1;
}

static void add_sphere(struct turned *turned, double radius)
{
    for (uint32_t i = 0, below = 0, ring; i <= BANDS; i++, below = ring) {
        const cp_pose turn = pose_rotation_degrees(0, 90 - 180.0 * i / BANDS); /* it climbs from the lower pole */
        const double lean[2] = {turn.m[10], turn.m[6]}, place[2] = {radius * lean[0], radius * lean[1]};
        ring = add_ring(turned, place, lean, (double)i / BANDS, i == 0 || i == BANDS);
        if (i > 0)
            add_band(turned, below, ring, i == 1, i == BANDS);
    }
}

static void add_wall(struct turned *turned, double radius, double height, bool is_cone)
{
    double length = hypot(radius, height);
    bool leans = is_cone && length > 0;
    const double lean[2] = {leans ? height / length : 1, leans ? radius / length : 0};
    const double ends[2][2] = {{radius, -height / 2}, {is_cone ? 0 : radius, height / 2}};
    uint32_t lower = add_ring(turned, ends[0], lean, 0, false), upper = add_ring(turned, ends[1], lean, 1, is_cone);
    add_band(turned, lower, upper, false, is_cone);
}

/* Makes the faces of a sphere, cylinder or cone, or of what is there of it. */
static cp_status make_turned(struct wrl *wrl, struct wrl_look *look, const double size[3], cp_mesh *mesh)
{
    const struct wrl_node *node = look->geometry;
    bool is_cone = wrl_is(node, "Cone"), is_sphere = wrl_is(node, "Sphere");
    double height = is_cone ? size[2] : size[1];
    struct turned turned;
    turned.point_count = turned.corner_count = 0;
    if (is_sphere)
        add_sphere(&turned, size[0]);
    if (!is_sphere && wrl_truth(node, "side", true))
        add_wall(&turned, size[0], height, is_cone);
    if (!is_sphere && wrl_truth(node, "bottom", true))
        add_cap(&turned, size[0], -height / 2);
    if (!is_sphere && !is_cone && wrl_truth(node, "top", true))
        add_cap(&turned, size[0], height / 2);
    uint32_t count = turned.point_count;
    float *points = arena_copy(wrl->scene->arena, turned.points, count, 3 * sizeof *points);
    struct wrl_value point = {.store = WRL_AS_FLOATS, .count = 3 * count, .floats = points};
    struct wrl_value normal = {.store = WRL_AS_FLOATS, .count = 3 * count, .floats = turned.normals};
    struct wrl_value place = {.store = WRL_AS_FLOATS, .count = 2 * count, .floats = turned.coordinates};
    struct wrl_value corner = {.store = WRL_AS_INTEGERS, .count = turned.corner_count, .integers = turned.corners};
    return points ? wrl_make_indexed(wrl, look, &point, &corner, &normal, &place, mesh) : CP_LIMIT;
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
    return wrl_make_indexed(wrl, look, &point, &corner, NULL, &place, mesh);
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
    look->two_sided = look->two_sided || !whole; /* the inside is seen */
    if (!is_box && (look->texture || !whole))
        return make_turned(wrl, look, size, mesh);
    if (look->texture)
        return make_textured_box(wrl, look, size, mesh);
    mesh->kind = is_box ? CP_MESH_BOX : is_sphere ? CP_MESH_SPHERE : is_cone ? CP_MESH_CONE : CP_MESH_CYLINDER;
    mesh->sides = is_box ? 0 : SIDES;
    memcpy(mesh->size, size, sizeof mesh->size);
    if (!is_box && !is_sphere) /* Z of the primitive is Y here */
        look->pose = pose_rotation_degrees(0, -90);
    return CP_OK;
}
