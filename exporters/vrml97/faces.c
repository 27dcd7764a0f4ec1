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
    vrml_write_vectors(v, part->rest, part->mesh->positions, part->mesh->vertex_count);
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
    vrml_write_vectors(v, part->rest, part->mesh->normals, part->mesh->vertex_count);
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
    vrml_write_corners(v, part->mesh, group, part->rest->kind == REST_MIRRORED && !part->lines);
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

static cp_status inspect(struct vrml *v, struct part *part)
{
    if (part->lines)
        return CP_OK;
    part->concave = mesh_has_concave_faces(part->mesh);
    return part->rest->kind == REST_FLAT ? CP_OK : mesh_bounds_solid(v->context, part->mesh, &part->closed);
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
