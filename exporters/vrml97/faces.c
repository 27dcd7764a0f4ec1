/* Meshes as IndexedFaceSet and IndexedLineSet: a Shape a group of faces. */
#include <math.h>

#include "vrml97.h"

/* A mesh on its way out. */
struct part {
    const cp_mesh *mesh;
    const struct rest *rest;
    bool lines, concave, closed;
    bool shared;                            /* several Shapes on the same points */
    const char *points, *normals, *colours; /* DEF names once written, where shared */
};

/* ---- vertices ---- */

/* Mirrored vertices are exact; flat ones are rounded once. */
static void write_point(struct vrml *v, const struct rest *rest, const float *at)
{
    const double *m = rest->linear;
    for (int i = 0; i < 3; i++) {
        sink_text(v->out, i ? " " : "");
        if (rest->kind == REST_NONE)
            vrml_float(v, at[i]);
        else if (rest->kind == REST_MIRRORED)
            vrml_float(v, -at[i]);
        else
            vrml_number(v, (double)(float)(m[3 * i] * (double)at[0] + m[3 * i + 1] * (double)at[1] +
                                           m[3 * i + 2] * (double)at[2]));
    }
    sink_text(v->out, "\n");
}

static void write_colour(struct vrml *v, const float *linear)
{
    for (int i = 0; i < 3; i++) {
        sink_text(v->out, i ? " " : "");
        vrml_float(v, (float)vrml_shown_colour(v, (double)linear[i]));
    }
    v->alphas += linear[3] < 1;
    sink_text(v->out, "\n");
}

/* "field DEF name Type { list [", or "field USE name" and false when the name stands for it already. prefix: of the
 * name. */
static bool open_list(struct vrml *v, const struct part *part, const char **name, const char *const words[4])
{
    vrml_indent(v);
    sink_text(v->out, words[0]);
    if (*name) {
        sink_text(v->out, " USE ");
        sink_text(v->out, *name);
        sink_text(v->out, "\n");
        return false;
    }
    if (part->shared)
        *name = vrml_name(v, words[3], part->mesh->name);
    sink_text(v->out, " ");
    vrml_define(v, *name);
    sink_text(v->out, words[1]);
    sink_text(v->out, " { ");
    sink_text(v->out, words[2]);
    sink_text(v->out, " [\n");
    return true;
}

static void write_points(struct vrml *v, struct part *part)
{
    if (!open_list(v, part, &part->points, (const char *[]){"coord", "Coordinate", "point", "points_"}))
        return;
    for (size_t i = 0; i < part->mesh->vertex_count; i++)
        write_point(v, part->rest, part->mesh->positions + 3 * i);
    vrml_line(v, "] }");
}

static bool has_normals(const struct part *part)
{
    return part->mesh->normals && !part->lines && part->rest->kind != REST_FLAT;
}

static void write_normals(struct vrml *v, struct part *part)
{
    if (!open_list(v, part, &part->normals, (const char *[]){"normal", "Normal", "vector", "normals_"}))
        return;
    for (size_t i = 0; i < part->mesh->vertex_count; i++)
        write_point(v, part->rest, part->mesh->normals + 3 * i);
    vrml_line(v, "] }");
}

static void write_colours(struct vrml *v, struct part *part)
{
    if (!open_list(v, part, &part->colours, (const char *[]){"color", "Color", "color", "colours_"}))
        return;
    for (size_t i = 0; i < part->mesh->vertex_count; i++)
        write_colour(v, part->mesh->colours + 4 * i);
    vrml_line(v, "] }");
}

/* ---- faces ---- */

static void write_index(struct vrml *v, uint32_t index)
{
    char digits[12];
    size_t at = sizeof digits;
    digits[--at] = ' ';
    do {
        digits[--at] = (char)('0' + index % 10);
        index /= 10;
    } while (index);
    sink_write(v->out, digits + at, sizeof digits - at);
}

/* A mirrored face runs the other way round from the same first corner. */
static void write_face(struct vrml *v, const struct part *part, uint32_t face)
{
    const uint32_t *corners = part->mesh->corners + mesh_face_first(part->mesh, face);
    uint32_t size = mesh_face_size(part->mesh, face);
    bool reversed = part->rest->kind == REST_MIRRORED && !part->lines;
    for (uint32_t i = 0; i < size; i++)
        write_index(v, corners[reversed && i ? size - i : i]);
    sink_text(v->out, "-1\n");
}

static void write_flag(struct vrml *v, const char *line, bool when)
{
    if (when)
        vrml_line(v, line);
}

static bool is_two_sided(const struct vrml *v, const cp_group *group)
{
    return group->material != CP_NONE && v->scene->materials[group->material].two_sided;
}

static void write_set(struct vrml *v, struct part *part, const cp_group *group)
{
    sink_text(v->out, part->lines ? "IndexedLineSet {\n" : "IndexedFaceSet {\n");
    v->depth++;
    if (!part->lines) {
        write_flag(v, "solid FALSE", !part->closed || is_two_sided(v, group));
        write_flag(v, "convex FALSE", part->concave);
        if (!has_normals(part) && v->settings->crease > 0) {
            vrml_indent(v);
            sink_text(v->out, "creaseAngle ");
            vrml_number(v, v->settings->crease);
            sink_text(v->out, "\n");
        }
    }
    write_points(v, part);
    if (has_normals(part))
        write_normals(v, part);
    if (part->mesh->colours)
        write_colours(v, part);
    vrml_line(v, "coordIndex [");
    for (uint32_t i = 0; i < group->face_count; i++)
        write_face(v, part, group->first_face + i);
    vrml_line(v, "]");
    vrml_close(v, "}");
}

static void write_shape(struct vrml *v, struct part *part, const cp_group *group, const char *name)
{
    vrml_open(v, name, "Shape {");
    vrml_write_look(v, group->material, part->lines);
    vrml_indent(v);
    sink_text(v->out, "geometry ");
    write_set(v, part, group);
    vrml_close(v, "}");
}

/* Positive where the faces look outwards: a mesh turned inside out would vanish as a solid. */
static double signed_volume(const cp_mesh *mesh)
{
    double volume = 0;
    const float *base = mesh->positions;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        uint32_t size = mesh_face_size(mesh, face);
        for (uint32_t i = 2; i < size; i++) {
            const uint32_t triangle[3] = {corners[0], corners[i - 1], corners[i]};
            double p[3][3];
            for (int c = 0; c < 9; c++)
                p[c / 3][c % 3] =
                    (double)mesh->positions[3 * (size_t)triangle[c / 3] + (size_t)(c % 3)] - (double)base[c % 3];
            volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                      p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                      p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        }
    }
    return volume;
}

static cp_status inspect(struct vrml *v, struct part *part)
{
    if (part->lines)
        return CP_OK;
    cp_topology topology;
    cp_status status = mesh_topology(v->context, part->mesh, &topology);
    if (status != CP_OK)
        return status;
    part->concave = mesh_has_concave_faces(part->mesh);
    part->closed = topology.closed && part->rest->kind != REST_FLAT && signed_volume(part->mesh) > 0;
    return CP_OK;
}

static void write_groups(struct vrml *v, struct part *part, const char *name)
{
    const cp_mesh *mesh = part->mesh;
    const cp_group whole = {0, mesh->face_count, CP_NONE};
    const cp_group *groups = mesh->group_count ? mesh->groups : &whole, *only = NULL;
    uint32_t count = mesh->group_count ? mesh->group_count : 1, shapes = 0;
    for (uint32_t i = 0; i < count; i++)
        if (groups[i].face_count > 0) {
            shapes++;
            only = &groups[i];
        }
    part->shared = shapes > 1;
    if (shapes == 1) {
        write_shape(v, part, only, name);
        return;
    }
    vrml_open(v, name, "Group {");
    vrml_open(v, NULL, "children [");
    for (uint32_t i = 0; i < count && !v->failed; i++)
        if (groups[i].face_count > 0)
            write_shape(v, part, &groups[i], NULL);
    vrml_close(v, "]");
    vrml_close(v, "}");
}

cp_status vrml_write_faces(struct vrml *v, const cp_mesh *mesh, const struct rest *rest, const char *name)
{
    struct part part = {.mesh = mesh, .rest = rest, .lines = mesh->kind == CP_MESH_LINES};
    cp_status status = inspect(v, &part);
    if (status == CP_OK)
        write_groups(v, &part, name);
    return status;
}
