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
    if (fmin(fmin(width, depth), fmin(x_step, z_step)) < 0) {
        cp_status status = report_lenient(wrl->context, wrl->settings->common.strict, "vrml97-geometry",
                                          wrl_place(node), "ElevationGrid has a size below zero, and is left out");
        return status == CP_OK ? CP_NO : status;
    }
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

/* ---- Extrusion: the axes of its cross-sections ---- */

struct extrusion {
    const struct wrl_node *node;
    uint32_t spine_count, section_count;
    bool spine_is_closed, section_is_closed;
    bool joins_rings;  /* the last cross-section is the first one again */
    bool splits_seams; /* a texture ends where cross-sections come back to their first points, and at caps */
    double (*spine)[3];
    /* Points of the spine that differ from those before them, and the axes of the cross-section there: points at one
     * place have the same. */
    uint32_t way_count, *of_way; /* of_way: of each point of the spine */
    double (*way)[3], (*x)[3], (*y)[3], (*z)[3];
};

static bool normalise(double vector[3])
{
    double length = hypot(hypot(vector[0], vector[1]), vector[2]);
    for (int axis = 0; axis < 3 && length > 0; axis++)
        vector[axis] /= length;
    return length > 0;
}

/* Finds the points before and behind one of the way; at the ends of an open one, itself. */
static void neighbours(const struct extrusion *extrusion, uint32_t i, uint32_t *before, uint32_t *behind)
{
    uint32_t last = extrusion->way_count - 1;
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

/* Returns how far numbers of the spine may be off, as files have six digits of them. */
static double spine_noise(const struct extrusion *extrusion)
{
    double largest = 0;
    for (uint32_t i = 0; i < extrusion->way_count; i++)
        for (int axis = 0; axis < 3; axis++)
            largest = fmax(largest, fabs(extrusion->way[i][axis]));
    return 1e-5 * largest;
}

/* Tells whether all points lie on a line but for the noise. */
static bool is_straight(const struct extrusion *extrusion, double noise)
{
    double longest = 0, direction[3] = {0, 1, 0}, across[3], to[3];
    for (uint32_t i = 1; i < extrusion->way_count; i++) {
        subtract(extrusion->way[i], extrusion->way[0], to);
        double length = hypot(hypot(to[0], to[1]), to[2]);
        if (length > longest)
            memcpy(direction, to, sizeof direction);
        longest = fmax(longest, length);
    }
    (void)normalise(direction);
    for (uint32_t i = 1; i < extrusion->way_count; i++) {
        subtract(extrusion->way[i], extrusion->way[0], to);
        cross_product(direction, to, across);
        if (hypot(hypot(across[0], across[1]), across[2]) > noise)
            return false;
    }
    return true;
}

/* Finds the Z axis at a point where the spine bends by more than the noise explains. */
static bool find_bend(const struct extrusion *extrusion, uint32_t i, double noise, double z[3])
{
    uint32_t before, behind;
    double forwards[3], backwards[3];
    neighbours(extrusion, i, &before, &behind);
    subtract(extrusion->way[behind], extrusion->way[i], forwards);
    subtract(extrusion->way[before], extrusion->way[i], backwards);
    double length = fmin(hypot(hypot(forwards[0], forwards[1]), forwards[2]),
                         hypot(hypot(backwards[0], backwards[1]), backwards[2]));
    if (!normalise(forwards) || !normalise(backwards))
        return false;
    cross_product(forwards, backwards, z);
    double sine = hypot(hypot(z[0], z[1]), z[2]);
    return sine > 1e-6 && sine * length > noise && normalise(z);
}

/* Finds the Z axes. Where the spine does not bend, that of the point before counts; at its begin, that of the first
 * bend. Returns the first bend; CP_NONE if there is none. */
static uint32_t find_bends(struct extrusion *extrusion, double noise)
{
    uint32_t first = CP_NONE;
    for (uint32_t i = 0; i < extrusion->way_count; i++) {
        double *z = extrusion->z[i];
        bool bends = find_bend(extrusion, i, noise, z);
        if (bends && first == CP_NONE)
            first = i;
        if (!bends && first != CP_NONE)
            memcpy(z, extrusion->z[i - 1], sizeof *extrusion->z);
        else if (bends && first != i && dot_product(z, extrusion->z[i - 1]) < 0)
            for (int axis = 0; axis < 3; axis++)
                z[axis] = -z[axis];
    }
    for (uint32_t i = 0; first != CP_NONE && i < first; i++)
        memcpy(extrusion->z[i], extrusion->z[first], sizeof *extrusion->z);
    return first;
}

/* Finds the Y axes: along the spine. Where it turns back, that of the point before counts. */
static void find_ways(struct extrusion *extrusion)
{
    double way[3] = {0, 1, 0};
    bool found = false;
    for (uint32_t i = 0; i < extrusion->way_count; i++) {
        uint32_t before, behind;
        neighbours(extrusion, i, &before, &behind);
        subtract(extrusion->way[behind], extrusion->way[before], extrusion->y[i]);
        bool good = normalise(extrusion->y[i]);
        memcpy(good ? way : extrusion->y[i], good ? extrusion->y[i] : way, sizeof way);
        for (uint32_t k = 0; good && !found && k < i; k++)
            memcpy(extrusion->y[k], way, sizeof way);
        found = found || good;
    }
}

/* Finds the axes of the cross-sections: Y along the spine, Z across the plane of its neighbours. A straight spine has
 * the same everywhere, and so have both ends of a closed one. */
static void find_axes(struct extrusion *extrusion)
{
    uint32_t count = extrusion->way_count;
    double noise = spine_noise(extrusion);
    find_ways(extrusion);
    uint32_t first = find_bends(extrusion, noise);
    if (first == CP_NONE && !is_straight(extrusion, noise)) /* many short steps, each of them almost straight */
        first = find_bends(extrusion, 0);
    for (uint32_t i = 0; i < count && first == CP_NONE; i++) {
        memcpy(extrusion->y[i], extrusion->y[0], sizeof *extrusion->y);
        turn_from_y(extrusion->y[0], extrusion->z[i]);
    }
    if (extrusion->spine_is_closed)
        memcpy(extrusion->z[count - 1], extrusion->z[0], sizeof *extrusion->z);
    for (uint32_t i = 0; i < count; i++)
        cross_product(extrusion->y[i], extrusion->z[i], extrusion->x[i]);
}

/* ---- its points and faces ---- */

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
    for (uint32_t i = 0; i < extrusion->spine_count; i++) {
        uint32_t way = extrusion->of_way[i];
        double scale[2] = {1, 1}, r[4] = {0, 0, 1, 0};
        read_at(scales, i, 2, scale);
        read_at(turns, i, 4, r);
        cp_pose turn = normalise(r) ? pose_rotation(r, r[3]) : POSE_IDENTITY;
        for (uint32_t k = 0; k < extrusion->section_count; k++) {
            const double flat[3] = {scale[0] * wrl_item(section, 2 * k), 0, scale[1] * wrl_item(section, 2 * k + 1)};
            double turned[3];
            pose_point(&turn, flat, turned);
            float *point = made->points + 3 * (size_t)made->point_count,
                  *st = made->coordinates + 2 * (size_t)made->point_count;
            for (int axis = 0; axis < 3; axis++)
                point[axis] = (float)(extrusion->spine[i][axis] + turned[0] * extrusion->x[way][axis] +
                                      turned[1] * extrusion->y[way][axis] + turned[2] * extrusion->z[way][axis]);
            st[0] = (float)k / (float)(extrusion->section_count - 1);
            st[1] = (float)i / (float)(extrusion->spine_count - 1);
            made->point_count++;
        }
    }
}

/* Adds the points of a cross-section again for a cap: the longer side of the section's box is the texture's. Returns
 * the first one. */
static uint32_t add_cap_points(const struct extrusion *extrusion, const struct wrl_value *section, uint32_t ring,
                               struct made *made)
{
    uint32_t first = made->point_count;
    double low[2] = {INFINITY, INFINITY}, size = 0;
    for (uint32_t i = 0; i < 2 * extrusion->section_count; i++)
        low[i % 2] = fmin(low[i % 2], wrl_item(section, i));
    for (uint32_t i = 0; i < 2 * extrusion->section_count; i++)
        size = fmax(size, wrl_item(section, i) - low[i % 2]);
    for (uint32_t k = 0; k < extrusion->section_count; k++) {
        float *st = made->coordinates + 2 * (size_t)made->point_count;
        memcpy(made->points + 3 * (size_t)made->point_count, made->points + 3 * (size_t)(ring + k),
               3 * sizeof *made->points);
        for (uint32_t axis = 0; axis < 2; axis++)
            st[axis] = size > 0 ? (float)((wrl_item(section, 2 * k + axis) - low[axis]) / size) : 0;
        made->point_count++;
    }
    return first;
}

static void write_sides(const struct extrusion *extrusion, struct made *made)
{
    uint32_t n = extrusion->section_count, m = extrusion->spine_count;
    bool joins_section = extrusion->section_is_closed && !extrusion->splits_seams;
    bool joins_rings = extrusion->joins_rings && !extrusion->splits_seams;
    for (uint32_t i = 0; i + 1 < m; i++)
        for (uint32_t k = 0; k + 1 < n; k++) {
            uint32_t next = joins_rings && i + 2 == m ? 0 : i + 1;
            uint32_t other = joins_section && k + 2 == n ? 0 : k + 1;
            add_quad(made, i * n + k, i * n + other, next * n + other, next * n + k);
        }
}

/* Makes the caps; also of a closed spine, unless they lie inside where it joins. */
static void write_caps(const struct extrusion *extrusion, const struct wrl_value *section, struct made *made)
{
    uint32_t n = extrusion->section_count, m = extrusion->spine_count, ends = n - extrusion->section_is_closed;
    if ((extrusion->joins_rings && extrusion->section_is_closed) || ends < 3)
        return;
    for (int end = 0; end < 2; end++) {
        if (!wrl_truth(extrusion->node, end ? "endCap" : "beginCap", true))
            continue;
        uint32_t first = end && !(extrusion->joins_rings && !extrusion->splits_seams) ? (m - 1) * n : 0;
        if (extrusion->splits_seams)
            first = add_cap_points(extrusion, section, first, made);
        for (uint32_t k = 0; k < ends; k++)
            made->corners[made->corner_count++] = (int32_t)(first + (end ? k : ends - 1 - k));
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

/* Reads the spine, and finds its points that differ from those before them. */
static bool read_spine(struct wrl *wrl, const struct wrl_value *spine, struct extrusion *extrusion)
{
    uint32_t count = extrusion->spine_count;
    double(*rows)[3] = arena_allocate(wrl->arena, 5 * (size_t)count, sizeof *rows);
    extrusion->of_way = arena_allocate(wrl->arena, count, sizeof *extrusion->of_way);
    if (!rows || !extrusion->of_way)
        return false;
    extrusion->spine = rows;
    extrusion->way = rows + count;
    extrusion->x = extrusion->way + count;
    extrusion->y = extrusion->x + count;
    extrusion->z = extrusion->y + count;
    for (uint32_t i = 0; i < count; i++) {
        double *point = extrusion->spine[i];
        for (uint32_t axis = 0; axis < 3; axis++)
            point[axis] = wrl_item(spine, 3 * i + axis);
        const double *last = extrusion->way[i == 0 ? 0 : extrusion->way_count - 1];
        if (i == 0 || point[0] != last[0] || point[1] != last[1] || point[2] != last[2])
            memcpy(extrusion->way[extrusion->way_count++], point, sizeof *extrusion->way);
        extrusion->of_way[i] = extrusion->way_count - 1;
    }
    extrusion->spine_is_closed = extrusion->way_count > 3 && same(spine, 3);
    return true;
}

cp_status wrl_make_extrusion(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh)
{
    static const double upright[] = {0, 0, 0, 0, 1, 0}, square[] = {1, 1, 1, -1, -1, -1, -1, 1, 1, 1};
    static const struct wrl_value usual_spine = {.store = WRL_AS_DOUBLES, .count = 6, .doubles = upright},
                                  usual_section = {.store = WRL_AS_DOUBLES, .count = 10, .doubles = square};
    const struct wrl_node *node = look->geometry;
    const struct wrl_value *spine = wrl_value(node, "spine"), *section = wrl_value(node, "crossSection");
    spine = spine ? spine : &usual_spine;
    section = section ? section : &usual_section;
    struct extrusion extrusion = {.node = node,
                                  .spine_count = spine->count / 3,
                                  .section_count = section->count / 2,
                                  .splits_seams = look->texture != NULL};
    if (extrusion.spine_count < 2 || extrusion.section_count < 2)
        return CP_NO;
    extrusion.section_is_closed = extrusion.section_count > 3 && same(section, 2);
    uint64_t n = extrusion.section_count, points = extrusion.spine_count * n;
    struct made made = {0};
    cp_status status = wrl_count_made(wrl, node, points);
    if (status == CP_OK)
        status = make_room(wrl, node, points + 2 * n, 5 * points + 2 * (n + 1), &made);
    if (status == CP_OK && !read_spine(wrl, spine, &extrusion))
        status = CP_LIMIT;
    if (status == CP_OK) {
        find_axes(&extrusion);
        write_points(&extrusion, section, &made);
        extrusion.joins_rings = extrusion.spine_is_closed &&
                                memcmp(made.points, made.points + 3 * (points - n), 3 * n * sizeof *made.points) == 0;
        write_sides(&extrusion, &made);
        write_caps(&extrusion, section, &made);
    }
    return finish(wrl, look, &made, status, mesh);
}
