/* The triangles of a product: how fine the kernel makes them, how far they are from the surface, and what is left out.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "step.h"

#ifdef HAVE_OCCT

/* A face with its triangles: the kernel's, or those between its borders. */
struct mesh_part {
    const struct cad_face *face;
    uint32_t index;
    uint32_t colour;
    const uint32_t (*triangles)[3];
    uint32_t count;
};

struct mesh_work {
    cp_context *context;
    struct step_model *model;
    uint32_t product;
    double deflection;
    const struct cad_mesh *mesh;
    struct mesh_part *parts; /* one a face, in the order of colours */
    uint32_t (*cut)[3];      /* triangles between borders */
    size_t cut_room;
    struct step_triangles *made;
};

/* ---- deviation ---- */

double step_distance(const struct step_model *model, uint32_t face, const double point[3], const double place[2],
                     double most)
{
    double nearest = DBL_MAX, at[2] = {place[0], place[1]};
    int steps = step_kernel.cad_project(model->cad, face, point, at) ? 1 : 6;
    for (int i = 0; i < steps; i++) {
        double on[3], u[3], v[3], way[3];
        if (!step_kernel.cad_evaluate(model->cad, face, at, on, u, v))
            break;
        subtract(point, on, way);
        double distance = sqrt(dot_product(way, way)), before = nearest;
        double uu = dot_product(u, u), uv = dot_product(u, v), vv = dot_product(v, v);
        double determinant = uu * vv - uv * uv, along_u = dot_product(u, way), along_v = dot_product(v, way);
        nearest = fmin(nearest, distance);
        if (nearest <= most || !(distance < before) || !(determinant > 1e-12 * uu * vv))
            break;
        at[0] += (vv * along_u - uv * along_v) / determinant;
        at[1] += (uu * along_v - uv * along_u) / determinant;
    }
    return nearest;
}

/* Returns `most`, or the largest distance from the surface of the middles of edges and triangles of a face. */
static double deviation_of(const struct mesh_work *work, const struct mesh_part *part, double most)
{
    static const double weights[4][3] = {{.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}, {1. / 3, 1. / 3, 1. / 3}};
    for (uint32_t i = 0; i < part->count && part->face->may_deviate; i++)
        for (int k = 0; k < 4; k++) {
            double point[3] = {0}, place[2] = {0};
            for (int corner = 0; corner < 3; corner++) {
                uint32_t at = part->triangles[i][corner];
                for (int axis = 0; axis < 3; axis++)
                    point[axis] += weights[k][corner] * work->mesh->points[at][axis];
                for (int axis = 0; axis < 2; axis++)
                    place[axis] += weights[k][corner] * work->mesh->places[at][axis];
            }
            most = fmax(most, step_distance(work->model, part->index, point, place, most));
        }
    return most;
}

/* ---- faces ---- */

static cp_status tessellate(struct mesh_work *work, double deflection, double angle)
{
    char text[CAD_TEXT];
    uint32_t count = work->model->cad->products[work->product].face_count;
    cp_status status = step_outcome(
        work->context, work->model,
        step_kernel.cad_tessellate(work->model->cad, work->product, deflection, angle, &work->mesh, text), text);
    work->made->deviation = 0;
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        const struct cad_face *face = &work->mesh->faces[i];
        work->parts[i] = (struct mesh_part){.face = face, .index = i, .colour = face->colour};
        work->parts[i].count = face->triangle_count;
        if (face->triangle_count > 0) /* there may be no array at all */
            work->parts[i].triangles = work->mesh->triangles + face->first_triangle;
        work->made->deviation = deviation_of(work, &work->parts[i], work->made->deviation);
    }
    return status;
}

/* Gives faces that got no triangles those between their borders, unless these are too far from the surface. */
static cp_status mend(struct mesh_work *work)
{
    uint32_t(*cut)[3];
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < work->mesh->face_count; i++)
        if (work->parts[i].count == 0)
            work->cut_room += step_most_triangles(work->parts[i].face);
    cut = work->cut = memory_allocate(work->context, work->cut_room, sizeof *work->cut);
    if (!cut)
        return CP_LIMIT;
    for (uint32_t i = 0; i < work->mesh->face_count && status == CP_OK; i++) {
        struct mesh_part *part = &work->parts[i];
        if (part->count > 0)
            continue;
        status = step_cut_face(work->context, work->model, work->mesh, i, cut, &part->count);
        part->triangles = (const uint32_t(*)[3])cut;
        double deviation = deviation_of(work, part, 0);
        if (part->count == 0 || !(deviation <= fmin(work->deflection, STEP_FARTHEST))) {
            part->count = 0;
            work->made->lost_faces++;
            work->made->lost_area += part->face->area;
        } else {
            cut += part->count;
            work->made->mended_faces++;
            work->made->deviation = fmax(work->made->deviation, deviation);
        }
    }
    return status;
}

static int compare_parts(const void *first, const void *second)
{
    const struct mesh_part *a = first, *b = second;
    return a->colour != b->colour ? (a->colour > b->colour) - (a->colour < b->colour)
                                  : (a->index > b->index) - (a->index < b->index);
}

/* ---- arrays ---- */

static bool allocate(const struct mesh_work *work)
{
    struct step_triangles *made = work->made;
    for (uint32_t i = 0; i < work->mesh->face_count; i++)
        if (work->parts[i].count > 0) {
            made->point_count += work->parts[i].face->point_count;
            made->count += work->parts[i].count;
        }
    made->group_room = work->mesh->face_count;
    made->points = memory_allocate(work->context, made->point_count, sizeof *made->points);
    made->normals = memory_allocate(work->context, made->point_count, sizeof *made->normals);
    made->corners = memory_allocate(work->context, made->count, sizeof *made->corners);
    made->groups = memory_allocate(work->context, made->group_room, sizeof *made->groups);
    return made->points && made->normals && made->corners && made->groups;
}

static void write_part(const struct mesh_work *work, const struct mesh_part *part, uint32_t first_point,
                       uint32_t first_triangle)
{
    struct step_triangles *made = work->made;
    uint32_t from = part->face->first_point, turned = part->face->is_turned;
    memcpy(made->points[first_point], work->mesh->points[from], part->face->point_count * sizeof *made->points);
    memcpy(made->normals[first_point], work->mesh->normals[from], part->face->point_count * sizeof *made->normals);
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t *to = made->corners[first_triangle + i];
        for (int k = 0; k < 3; k++)
            to[k] = first_point + part->triangles[i][k] - from;
        if (turned) {
            uint32_t second = to[1];
            to[1] = to[2];
            to[2] = second;
        }
    }
}

/* Writes the faces one after the other, those of one colour as a group. */
static cp_status write_parts(const struct mesh_work *work)
{
    struct step_triangles *made = work->made;
    uint32_t point = 0, triangle = 0;
    qsort(work->parts, work->mesh->face_count, sizeof *work->parts, compare_parts);
    if (!allocate(work))
        return CP_LIMIT;
    for (uint32_t i = 0; i < work->mesh->face_count; i++) {
        const struct mesh_part *part = &work->parts[i];
        if (part->count == 0)
            continue;
        if (made->group_count == 0 || made->groups[made->group_count - 1].material != part->colour)
            made->groups[made->group_count++] = (cp_group){triangle, 0, part->colour};
        write_part(work, part, point, triangle);
        made->groups[made->group_count - 1].face_count += part->count;
        point += part->face->point_count;
        triangle += part->count;
    }
    return CP_OK;
}

/* Computes the volume inside the triangles, by the divergence theorem. */
static double volume_of(const struct step_triangles *made)
{
    double volume = 0, across[3];
    for (uint32_t i = 0; i < made->count; i++) {
        const uint32_t *corners = made->corners[i];
        cross_product(made->points[corners[1]], made->points[corners[2]], across);
        volume += dot_product(made->points[corners[0]], across) / 6;
    }
    return volume;
}

cp_status step_tessellate(struct step *step, struct step_model *model, uint32_t product, double deflection,
                          double angle, struct step_triangles *made)
{
    uint32_t count = model->cad->products[product].face_count;
    struct mesh_work work = {
        .context = step->context, .model = model, .product = product, .deflection = deflection, .made = made};
    *made = (struct step_triangles){.deflection = deflection};
    work.parts = memory_allocate(step->context, count, sizeof *work.parts);
    cp_status status = work.parts ? tessellate(&work, deflection, angle) : CP_LIMIT;
    for (double finer = deflection / 2; status == CP_OK && made->deviation > deflection && finer > deflection / 10;
         finer /= 2)
        status = tessellate(&work, finer, angle);
    if (status == CP_OK)
        status = mend(&work);
    if (status == CP_OK)
        status = write_parts(&work);
    if (status == CP_OK && model->cad->products[product].is_solid && made->lost_faces == 0)
        made->volume = volume_of(made);
    memory_free(step->context, work.cut, work.cut_room, sizeof *work.cut);
    memory_free(step->context, work.parts, count, sizeof *work.parts);
    return status;
}

void step_triangles_free(struct step *step, struct step_triangles *made)
{
    memory_free(step->context, made->points, made->point_count, sizeof *made->points);
    memory_free(step->context, made->normals, made->point_count, sizeof *made->normals);
    memory_free(step->context, made->corners, made->count, sizeof *made->corners);
    memory_free(step->context, made->groups, made->group_room, sizeof *made->groups);
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif
