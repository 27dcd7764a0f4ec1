/* ElevationGrid and Extrusion as faces (ISO/IEC 14772-1, 6.17 and 6.18). */

#include "vrml97.h"

/* Points, corners and texture coordinates of what is made, in the scene's memory and the context's. */
struct made {
    float *points, *coordinates;
    int32_t *corners;
    uint32_t point_count, corner_count, corner_room, face_room;
};

static cp_status make_room(struct wrl *wrl, const struct wrl_node *node, uint64_t points, uint64_t corners,
                           struct made *made)
{
    cp_status status = wrl_check_size(wrl, node, points);
    if (status == CP_OK)
        status = wrl_check_size(wrl, node, corners);
    if (status != CP_OK)
        return status;
    made->corner_room = (uint32_t)corners;
    made->points = scene_allocate(wrl->scene, points, 3 * sizeof *made->points);
    made->coordinates = scene_allocate(wrl->scene, points, 2 * sizeof *made->coordinates);
    made->corners = memory_allocate(wrl->context, made->corner_room, sizeof *made->corners);
    return made->points && made->coordinates && made->corners ? CP_OK : CP_LIMIT;
}

static cp_status finish(struct wrl *wrl, struct wrl_look *look, struct made *made, cp_status status, cp_mesh *mesh)
{
    struct wrl_value points = {.store = WRL_AS_FLOATS, .count = 3 * made->point_count, .floats = made->points};
    struct wrl_value coordinates = {.store = WRL_AS_FLOATS, .count = 2 * made->point_count};
    struct wrl_value corners = {.store = WRL_AS_INTEGERS, .count = made->corner_count};
    coordinates.floats = made->coordinates;
    corners.integers = made->corners;
    if (status == CP_OK)
        status = wrl_make_indexed(wrl, look, &points, &corners, NULL, &coordinates, mesh);
    memory_free(wrl->context, made->corners, made->corner_room, sizeof *made->corners);
    return status;
}

static void add_quad(struct made *made, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const int32_t corners[] = {(int32_t)a, (int32_t)b, (int32_t)c, (int32_t)d, -1};
    memcpy(made->corners + made->corner_count, corners, sizeof corners);
    made->corner_count += 5;
}

cp_status wrl_make_grid(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh)
{
    const struct wrl_node *node = look->geometry;
    const struct wrl_value *heights = wrl_value(node, "height");
    double width = wrl_number(node, "xDimension", 0), depth = wrl_number(node, "zDimension", 0);
    double x_step = wrl_number(node, "xSpacing", 1), z_step = wrl_number(node, "zSpacing", 1);
    struct made made = {0};
    if (width < 2 || depth < 2)
        return CP_NO;
    if (!heights || heights->store != WRL_AS_DOUBLES || width * depth > heights->count) {
        return report_error(wrl->context, CP_INPUT, "vrml97-grid", wrl_place(node),
                            "ElevationGrid of %.0f x %.0f points has %u heights", width, depth,
                            heights ? heights->count : 0);
    }
    uint32_t columns = (uint32_t)width, rows = (uint32_t)depth;
    cp_status status = make_room(wrl, node, (uint64_t)columns * rows, 5 * (uint64_t)(columns - 1) * (rows - 1), &made);
    made.point_count = columns * rows;
    for (uint32_t k = 0; k < rows && status == CP_OK; k++)
        for (uint32_t i = 0; i < columns; i++) {
            size_t at = (size_t)k * columns + i;
            made.points[3 * at] = (float)(i * x_step);
            made.points[3 * at + 1] = (float)heights->doubles[at];
            made.points[3 * at + 2] = (float)(k * z_step);
            made.coordinates[2 * at] = (float)i / (float)(columns - 1);
            made.coordinates[2 * at + 1] = (float)k / (float)(rows - 1);
        }
    for (uint32_t k = 0; k + 1 < rows && status == CP_OK; k++)
        for (uint32_t i = 0; i + 1 < columns; i++) {
            uint32_t at = k * columns + i;
            add_quad(&made, at, at + columns, at + columns + 1, at + 1);
        }
    return finish(wrl, look, &made, status, mesh);
}

/* ---- Extrusion ---- */

struct extrusion {
    const struct wrl_node *node;
    uint32_t spine_count, section_count;
    bool spine_is_closed, section_is_closed;
    double (*spine)[3], (*x)[3], (*y)[3], (*z)[3]; /* axes of the cross-section at each point of the spine */
};

static bool normalise(double vector[3])
{
    double length = hypot(hypot(vector[0], vector[1]), vector[2]);
    for (int axis = 0; axis < 3 && length > 0; axis++)
        vector[axis] /= length;
    return length > 0;
}

/* Finds the points before and behind one of the spine; at the ends of an open one, itself. */
static void neighbours(const struct extrusion *extrusion, uint32_t i, uint32_t *before, uint32_t *behind)
{
    uint32_t last = extrusion->spine_count - 1;
    *before = i > 0 ? i - 1 : extrusion->spine_is_closed ? last - 1 : 0;
    *behind = i < last ? i + 1 : extrusion->spine_is_closed ? 1 : last;
}

/* Finds the turn that takes Y to the direction, for a spine that is straight: its Z axis. */
static void turn_from_y(const double direction[3], double z[3])
{
    const double up[3] = {0, 1, 0};
    double axis[3];
    cross_product(up, direction, axis);
    double sine = hypot(hypot(axis[0], axis[1]), axis[2]), cosine = direction[1];
    z[0] = z[1] = 0;
    z[2] = 1;
    if (!normalise(axis)) {
        z[2] = cosine < 0 ? -1 : 1; /* half a turn about X */
        return;
    }
    cp_pose turn = pose_rotation(axis, atan2(sine, cosine));
    for (int row = 0; row < 3; row++)
        z[row] = turn.m[4 * row + 2];
}

/* Finds the axes of the cross-section: Y along the spine, Z across the plane of its neighbours. */
static void find_axes(struct extrusion *extrusion)
{
    uint32_t count = extrusion->spine_count, first = CP_NONE;
    double way[3] = {0, 1, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before, behind;
        double forwards[3], backwards[3];
        neighbours(extrusion, i, &before, &behind);
        subtract(extrusion->spine[behind], extrusion->spine[before], extrusion->y[i]);
        if (!normalise(extrusion->y[i]))
            memcpy(extrusion->y[i], way, sizeof way);
        memcpy(way, extrusion->y[i], sizeof way);
        subtract(extrusion->spine[behind], extrusion->spine[i], forwards);
        subtract(extrusion->spine[before], extrusion->spine[i], backwards);
        (void)normalise(forwards);
        (void)normalise(backwards);
        cross_product(forwards, backwards, extrusion->z[i]);
        bool bends = dot_product(extrusion->z[i], extrusion->z[i]) > 1e-12 && normalise(extrusion->z[i]);
        if (bends && first == CP_NONE)
            first = i;
        if (!bends && first != CP_NONE)
            memcpy(extrusion->z[i], extrusion->z[i - 1], sizeof *extrusion->z);
        else if (bends && first != i && dot_product(extrusion->z[i], extrusion->z[i - 1]) < 0)
            for (int axis = 0; axis < 3; axis++)
                extrusion->z[i][axis] = -extrusion->z[i][axis];
    }
    for (uint32_t i = 0; i < (first == CP_NONE ? count : first); i++)
        if (first == CP_NONE)
            turn_from_y(extrusion->y[0], extrusion->z[i]);
        else
            memcpy(extrusion->z[i], extrusion->z[first], sizeof *extrusion->z);
    for (uint32_t i = 0; i < count; i++)
        cross_product(extrusion->y[i], extrusion->z[i], extrusion->x[i]);
}

/* Reads the numbers that a list has for a point of the spine: its only ones, or the last if there are too few. */
static void read_at(const struct wrl_value *list, uint32_t i, uint32_t width, double *numbers)
{
    uint32_t count = list ? list->count / width : 0;
    i = i < count ? i : count - 1;
    for (uint32_t k = 0; count > 0 && k < width; k++)
        numbers[k] = wrl_item(list, i * width + k);
}

static void write_points(const struct extrusion *extrusion, const struct wrl_value *section, struct made *made)
{
    const struct wrl_value *scales = wrl_value(extrusion->node, "scale");
    const struct wrl_value *turns = wrl_value(extrusion->node, "orientation");
    static const float square[] = {1, 1, 1, -1, -1, -1, -1, 1, 1, 1};
    for (uint32_t i = 0; i < extrusion->spine_count; i++) {
        double scale[2] = {1, 1}, r[4] = {0, 0, 1, 0};
        read_at(scales, i, 2, scale);
        read_at(turns, i, 4, r);
        cp_pose turn = normalise(r) ? pose_rotation(r, r[3]) : POSE_IDENTITY;
        for (uint32_t k = 0; k < extrusion->section_count; k++) {
            double flat[3] = {section ? wrl_item(section, 2 * k) : (double)square[2 * k], 0,
                              section ? wrl_item(section, 2 * k + 1) : (double)square[2 * k + 1]};
            double turned[3];
            flat[0] *= scale[0];
            flat[2] *= scale[1];
            pose_point(&turn, flat, turned);
            float *point = made->points + 3 * (size_t)made->point_count,
                  *st = made->coordinates + 2 * (size_t)made->point_count;
            for (int axis = 0; axis < 3; axis++)
                point[axis] = (float)(extrusion->spine[i][axis] + turned[0] * extrusion->x[i][axis] +
                                      turned[1] * extrusion->y[i][axis] + turned[2] * extrusion->z[i][axis]);
            st[0] = extrusion->section_count > 1 ? (float)k / (float)(extrusion->section_count - 1) : 0;
            st[1] = (float)i / (float)(extrusion->spine_count - 1);
            made->point_count++;
        }
    }
}

static void write_faces(const struct extrusion *extrusion, struct made *made)
{
    uint32_t n = extrusion->section_count, m = extrusion->spine_count, ends = n - extrusion->section_is_closed;
    for (uint32_t i = 0; i + 1 < m; i++)
        for (uint32_t k = 0; k + 1 < n; k++) {
            /* A closed spine and a closed section come back to their first points. */
            uint32_t next = extrusion->spine_is_closed && i + 2 == m ? 0 : i + 1;
            uint32_t other = extrusion->section_is_closed && k + 2 == n ? 0 : k + 1;
            add_quad(made, i * n + k, i * n + other, next * n + other, next * n + k);
        }
    for (int end = 0; end < 2; end++) {
        if (extrusion->spine_is_closed || ends < 3 || !wrl_truth(extrusion->node, end ? "endCap" : "beginCap", true))
            continue;
        for (uint32_t k = 0; k < ends; k++)
            made->corners[made->corner_count++] = (int32_t)(end ? (m - 1) * n + k : ends - 1 - k);
        made->corners[made->corner_count++] = -1;
    }
}

static bool same(const struct wrl_value *list, uint32_t width)
{
    for (uint32_t k = 0; k < width; k++)
        if (wrl_item(list, k) != wrl_item(list, list->count - width + k))
            return false;
    return true;
}

cp_status wrl_make_extrusion(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh)
{
    static const double upright[] = {0, 0, 0, 0, 1, 0};
    static const struct wrl_value usual = {.store = WRL_AS_DOUBLES, .count = 6, .doubles = upright};
    const struct wrl_node *node = look->geometry;
    const struct wrl_value *spine = wrl_value(node, "spine"), *section = wrl_value(node, "crossSection");
    spine = spine ? spine : &usual;
    struct extrusion extrusion = {
        .node = node, .spine_count = spine->count / 3, .section_count = section ? section->count / 2 : 5};
    if (extrusion.spine_count < 2 || extrusion.section_count < 2)
        return CP_NO;
    extrusion.spine_is_closed = extrusion.spine_count > 3 && same(spine, 3);
    extrusion.section_is_closed = !section || (extrusion.section_count > 3 && same(section, 2));
    uint64_t points = (uint64_t)extrusion.spine_count * extrusion.section_count;
    struct made made = {0};
    cp_status status = make_room(wrl, node, points, 5 * points + 2 * (uint64_t)extrusion.section_count, &made);
    double(*axes)[3] = arena_allocate(wrl->arena, 4 * (size_t)extrusion.spine_count, sizeof *axes);
    if (status == CP_OK && !axes)
        status = CP_LIMIT;
    if (status == CP_OK) {
        extrusion.spine = axes;
        extrusion.x = axes + extrusion.spine_count;
        extrusion.y = extrusion.x + extrusion.spine_count;
        extrusion.z = extrusion.y + extrusion.spine_count;
        for (uint32_t i = 0; i < 3 * extrusion.spine_count; i++)
            extrusion.spine[i / 3][i % 3] = wrl_item(spine, i);
        find_axes(&extrusion);
        write_points(&extrusion, section, &made);
        write_faces(&extrusion, &made);
    }
    return finish(wrl, look, &made, status, mesh);
}
