/* Cylinders, cones and extrusions of X3D as sets of faces: assimp 5.2.5 winds some of their caps inwards, and leaves
 * cylinders and cones open. ISO/IEC 19775-1, 13.3.2 to 13.3.5: axis Y, faces counterclockwise as seen from outside. */
#include "base/text/xml.h"

#include "assimp.h"
#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <string.h>

#include "model/model.h"

enum { SIDES = 32 };

/* Numbers of an attribute, in the memory of a context. */
struct numbers {
    double *items;
    uint32_t count, room;
};

/* Reads the numbers of an attribute, or else those of `missing`. CP_NO if there are other words. */
static cp_status read_numbers(cp_context *context, const struct xml *xml, const char *name, const char *missing,
                              struct numbers *numbers)
{
    const char *text = xml_attribute(xml, name);
    text = text ? text : missing;
    const char *end = text + strlen(text);
    for (;;) {
        double number;
        while (is_space(*text) || *text == ',')
            text++;
        if (text == end)
            return CP_OK;
        const char *after = parse_double(text, end, &number);
        if (!after || !isfinite(number) || (*after && !is_space(*after) && *after != ','))
            return CP_NO;
        text = after;
        if (!array_add(context, &numbers->items, &numbers->room, &numbers->count, &number, sizeof number))
            return CP_LIMIT;
    }
}

static bool is_true(const struct xml *xml, const char *name)
{
    const char *value = xml_attribute(xml, name);
    return !value || !text_equal_nocase(value, "false");
}

static double size_of(const struct xml *xml, const char *name, double missing)
{
    const char *value = xml_attribute(xml, name);
    double size;
    return value && text_is_number(value, &size) && size >= 0 ? size : missing;
}

static void write_point(struct buffer *out, double x, double y, double z)
{
    const double point[3] = {x, y, z};
    for (int axis = 0; axis < 3; axis++) {
        buffer_double(out, point[axis] + 0); /* no -0 */
        buffer_text(out, " ");
    }
}

/* ---- cylinders and cones ---- */

/* Writes a cap: the points first .. first + SIDES - 1, forwards or backwards. */
static void write_cap(struct buffer *out, int first, bool forwards)
{
    for (int i = 0; i < SIDES; i++)
        buffer_print(out, "%d ", first + (forwards ? i : SIDES - 1 - i));
    buffer_text(out, "-1 ");
}

/* A turned shape: a ring of points at the bottom, and one at the top or a tip. Rings go round Y counterclockwise as
 * seen from above. */
static void write_turned(const struct xml *xml, bool is_cone, struct buffer *out)
{
    double radius = size_of(xml, is_cone ? "bottomRadius" : "radius", 1), half = size_of(xml, "height", 2) / 2;
    buffer_text(out, " coordIndex=\"");
    for (int i = 0; is_true(xml, "side") && i < SIDES; i++) {
        int next = (i + 1) % SIDES;
        if (is_cone)
            buffer_print(out, "%d %d %d -1 ", i, next, SIDES);
        else
            buffer_print(out, "%d %d %d %d -1 ", i, next, SIDES + next, SIDES + i);
    }
    if (is_true(xml, "bottom"))
        write_cap(out, 0, false);
    if (!is_cone && is_true(xml, "top"))
        write_cap(out, SIDES, true);
    buffer_text(out, "\"><Coordinate point=\"");
    for (int ring = 0; ring < (is_cone ? 1 : 2); ring++)
        for (int i = 0; i < SIDES; i++) {
            cp_pose turn = pose_rotation_degrees(1, i * 360.0 / SIDES);
            write_point(out, radius * turn.m[2], ring ? half : -half, radius * turn.m[10]);
        }
    if (is_cone)
        write_point(out, 0, half, 0);
    buffer_text(out, "\"/>");
}

/* ---- extrusions ---- */

struct extrusion {
    struct numbers section, spine, scale, orientation;
    uint32_t section_count, spine_count;
    bool section_is_closed, spine_is_closed;
};

static bool normalise(double vector[3])
{
    double length = hypot(hypot(vector[0], vector[1]), vector[2]);
    for (int axis = 0; axis < 3 && length > 0; axis++)
        vector[axis] /= length;
    return length > 0;
}

static bool is_same(const double *a, const double *b, int count)
{
    bool same = true;
    for (int i = 0; i < count; i++)
        same = same && a[i] == b[i];
    return same;
}

/* Finds the spine's points before and after one; at the ends of an open spine they are those of the neighbour. */
static void find_neighbours(const struct extrusion *from, uint32_t i, const double *around[3])
{
    uint32_t last = from->spine_count - 1;
    if (from->spine_is_closed && (i == 0 || i == last)) {
        around[0] = from->spine.items + 3 * (size_t)(last - 1);
        around[1] = from->spine.items;
        around[2] = from->spine.items + 3;
        return;
    }
    i = i == 0 ? 1 : i == last ? last - 1 : i;
    for (uint32_t k = 0; k < 3; k++)
        around[k] = from->spine.items + 3 * (size_t)(i + k - 1);
}

/* Computes the plane's Y axis at a point of the spine; false where the points are the same. */
static bool find_y(const struct extrusion *from, uint32_t i, double y[3])
{
    const double *points = from->spine.items;
    uint32_t last = from->spine_count - 1;
    uint32_t before = i > 0 ? i - 1 : from->spine_is_closed ? last - 1 : 0;
    uint32_t after = i < last ? i + 1 : from->spine_is_closed ? 1 : last;
    subtract(points + 3 * (size_t)after, points + 3 * (size_t)before, y);
    return normalise(y);
}

/* Computes the plane's Z axis; false where the spine is straight. */
static bool find_z(const struct extrusion *from, uint32_t i, double z[3])
{
    const double *around[3];
    double forth[3], back[3];
    if (from->spine_count < 3)
        return false;
    find_neighbours(from, i, around);
    subtract(around[2], around[1], forth);
    subtract(around[0], around[1], back);
    cross_product(forth, back, z);
    return normalise(z);
}

/* Computes Z of a spine that is straight: the least rotation from +Y to its direction turns +Z. */
static void find_straight_z(const double y[3], double z[3])
{
    const double up[3] = {0, 1, 0};
    double axis[3];
    cross_product(up, y, axis);
    double sine = sqrt(dot_product(axis, axis));
    z[0] = z[1] = 0;
    z[2] = y[1] < 0 && sine == 0 ? -1 : 1;
    if (!normalise(axis))
        return;
    cp_pose turn = pose_rotation(axis, atan2(sine, y[1]));
    for (int row = 0; row < 3; row++)
        z[row] = turn.m[4 * row + 2];
}

/* Computes the axes of all planes: y and z of each. A plane without an axis of its own has that of the plane before it;
 * the first ones have that of the first one that has it. */
static void find_planes(const struct extrusion *from, double (*ys)[3], double (*zs)[3])
{
    uint32_t count = from->spine_count, with_y = CP_NONE, with_z = CP_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (find_y(from, i, ys[i]))
            with_y = with_y == CP_NONE ? i : with_y;
        else if (with_y != CP_NONE)
            memcpy(ys[i], ys[i - 1], sizeof *ys);
        if (find_z(from, i, zs[i]))
            with_z = with_z == CP_NONE ? i : with_z;
        else if (with_z != CP_NONE)
            memcpy(zs[i], zs[i - 1], sizeof *zs);
        for (int axis = 0; axis < 3 && i > 0 && with_z < i && dot_product(zs[i], zs[i - 1]) < 0;)
            for (; axis < 3; axis++)
                zs[i][axis] = -zs[i][axis];
    }
    static const double up[3] = {0, 1, 0};
    for (uint32_t i = 0; i < count && (with_y == CP_NONE || i < with_y); i++)
        memcpy(ys[i], with_y == CP_NONE ? up : ys[with_y], sizeof *ys);
    for (uint32_t i = 0; i < count && (with_z == CP_NONE || i < with_z); i++) {
        if (with_z == CP_NONE)
            find_straight_z(ys[with_y == CP_NONE ? 0 : with_y], zs[i]);
        else
            memcpy(zs[i], zs[with_z], sizeof *zs);
    }
}

/* Returns the row of a list for a plane: its own, or the last one. */
static const double *row_of(const struct numbers *list, uint32_t width, uint32_t plane)
{
    uint32_t count = list->count / width;
    return list->items + width * (size_t)(plane < count ? plane : count - 1);
}

static void write_section(const struct extrusion *from, uint32_t plane, const double y[3], const double z[3],
                          struct buffer *out)
{
    const double *scale = row_of(&from->scale, 2, plane), *turn = row_of(&from->orientation, 4, plane);
    const double *centre = from->spine.items + 3 * (size_t)plane;
    double x[3], axis[3] = {turn[0], turn[1], turn[2]};
    cp_pose rotation = normalise(axis) ? pose_rotation(axis, turn[3]) : POSE_IDENTITY;
    cross_product(y, z, x);
    uint32_t count = from->section_count - from->section_is_closed;
    for (uint32_t i = 0; i < count; i++) {
        const double *point = from->section.items + 2 * (size_t)i;
        double flat[3] = {point[0] * scale[0], 0, point[1] * scale[1]}, turned[3], at[3];
        pose_point(&rotation, flat, turned);
        for (int k = 0; k < 3; k++)
            at[k] = centre[k] + turned[0] * x[k] + turned[1] * y[k] + turned[2] * z[k];
        write_point(out, at[0], at[1], at[2]);
    }
}

static void write_extruded_faces(const struct xml *xml, const struct extrusion *from, struct buffer *out)
{
    uint32_t count = from->section_count - from->section_is_closed, planes = from->spine_count;
    uint32_t edges = from->section_is_closed ? count : count - 1;
    for (uint32_t plane = 0; plane + 1 < planes; plane++)
        for (uint32_t i = 0; i < edges; i++) {
            uint32_t lower = plane * count, upper = lower + count, next = (i + 1) % count;
            buffer_print(out, "%u %u %u %u -1 ", lower + i, lower + next, upper + next, upper + i);
        }
    for (uint32_t i = 0; count > 2 && is_true(xml, "beginCap") && !from->spine_is_closed && i < count; i++)
        buffer_print(out, i + 1 < count ? "%u " : "%u -1 ", count - 1 - i);
    for (uint32_t i = 0; count > 2 && is_true(xml, "endCap") && !from->spine_is_closed && i < count; i++)
        buffer_print(out, i + 1 < count ? "%u " : "%u -1 ", (planes - 1) * count + i);
}

static cp_status write_extruded(cp_context *context, const struct xml *xml, const struct extrusion *from,
                                struct buffer *out)
{
    double(*ys)[3] = memory_allocate(context, from->spine_count, sizeof *ys);
    double(*zs)[3] = memory_allocate(context, from->spine_count, sizeof *zs);
    if (ys && zs) {
        find_planes(from, ys, zs);
        buffer_text(out, " coordIndex=\"");
        write_extruded_faces(xml, from, out);
        buffer_text(out, "\" convex=\"false\"><Coordinate point=\"");
        for (uint32_t i = 0; i < from->spine_count; i++)
            write_section(from, i, ys[i], zs[i], out);
        buffer_text(out, "\"/>");
    }
    bool done = ys && zs;
    memory_free(context, ys, from->spine_count, sizeof *ys);
    memory_free(context, zs, from->spine_count, sizeof *zs);
    return done ? CP_OK : CP_LIMIT;
}

static cp_status write_extrusion(cp_context *context, const struct xml *xml, size_t most, struct buffer *out)
{
    enum { BYTES_A_POINT = 64 }; /* about what a point and its face take as text */
    struct extrusion from = {0};
    cp_status status = read_numbers(context, xml, "crossSection", "1 1 1 -1 -1 -1 -1 1 1 1", &from.section);
    if (status == CP_OK)
        status = read_numbers(context, xml, "spine", "0 0 0 0 1 0", &from.spine);
    if (status == CP_OK)
        status = read_numbers(context, xml, "scale", "1 1", &from.scale);
    if (status == CP_OK)
        status = read_numbers(context, xml, "orientation", "0 0 1 0", &from.orientation);
    from.section_count = from.section.count / 2;
    from.spine_count = from.spine.count / 3;
    if (status == CP_OK &&
        (from.section_count < 2 || from.spine_count < 2 || from.scale.count < 2 || from.orientation.count < 4))
        status = CP_NO;
    if (status == CP_OK && (uint64_t)from.section_count * from.spine_count > most / BYTES_A_POINT)
        status = CP_INPUT;
    if (status == CP_OK) {
        from.section_is_closed =
            is_same(from.section.items, from.section.items + 2 * (size_t)(from.section_count - 1), 2);
        from.spine_is_closed =
            from.spine_count > 2 && is_same(from.spine.items, from.spine.items + 3 * (size_t)(from.spine_count - 1), 3);
        status = from.section_count > 2 || !from.section_is_closed ? write_extruded(context, xml, &from, out) : CP_NO;
    }
    struct numbers *lists[] = {&from.section, &from.spine, &from.scale, &from.orientation};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        memory_free(context, lists[i]->items, lists[i]->room, sizeof *lists[i]->items);
    return status;
}

bool x3d_is_shape(const char *name)
{
    return strcmp(name, "Cylinder") == 0 || strcmp(name, "Cone") == 0 || strcmp(name, "Extrusion") == 0;
}

cp_status write_x3d_shape(cp_context *context, const struct xml *xml, size_t most, struct buffer *out)
{
    if (strcmp(xml->name, "Extrusion") == 0)
        return write_extrusion(context, xml, most, out);
    write_turned(xml, strcmp(xml->name, "Cone") == 0, out);
    return CP_OK;
}

#endif
