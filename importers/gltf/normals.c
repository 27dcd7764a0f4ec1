/* Mends normals that are no unit vectors, which glTF 2.0 demands (section 3.7.2.1): one without length gets the
 * direction of the faces around its vertex, others keep theirs. Mends tangents that are no unit vectors with a sign:
 * one without length becomes square to its normal. All others of the mesh keep their bits. */
#include "gltf.h"

#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "model/model.h"

enum normal { UNIT, LONG, ZERO };

/* The tolerance of lengths is that of exporters: normals that differ less from 1 are left as they are. */
static const double unit_tolerance = 0.005, zero_length = 1e-6;

static enum normal kind_of(const float n[3])
{
    double length = sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] + (double)n[2] * (double)n[2]);
    return length < zero_length ? ZERO : fabs(length - 1) > unit_tolerance ? LONG : UNIT;
}

/* Adds twice the area of each face, as a vector, to the sums of its vertices. */
static void add_areas(const cp_mesh *mesh, double *sums)
{
    for (uint32_t face = 0; mesh->kind == CP_MESH_FACES && face < mesh->face_count; face++) {
        struct polygon polygon = polygon_of(mesh, face);
        for (uint32_t corner = 0; corner < polygon.count; corner++)
            for (size_t i = 0; i < 3; i++)
                sums[3 * (size_t)polygon.corners[corner] + i] += polygon.normal[i];
    }
}

/* Sets a normal of unit length; it is +z if there is no direction. */
static void set_normal(float normal[3], const double direction[3])
{
    double largest = fmax(fabs(direction[0]), fmax(fabs(direction[1]), fabs(direction[2])));
    bool any = largest > 0 && isfinite(largest);
    double v[3] = {0, 0, 1};
    for (int i = 0; any && i < 3; i++)
        v[i] = direction[i] / largest;
    double length = sqrt(dot_product(v, v));
    for (int i = 0; i < 3; i++)
        normal[i] = (float)(v[i] / length);
}

void gltf_mend_normals(struct gltf *gltf, struct gltf_mended *mended, uint32_t value, cp_mesh *mesh)
{
    uint64_t counts[3] = {0};
    size_t vertices = mesh->vertex_count;
    for (size_t i = 0; i < vertices; i++)
        counts[kind_of(mesh->normals + 3 * i)]++;
    if (counts[UNIT] == vertices || !gltf_take_room(gltf, value, vertices))
        return;
    float *normals = gltf_scene_array(gltf, vertices, 3 * sizeof *normals);
    double *sums = counts[ZERO] > 0 ? memory_allocate_zeroed(gltf->context, vertices, 3 * sizeof *sums) : NULL;
    if (!normals || (counts[ZERO] > 0 && !sums)) {
        gltf_no_memory(gltf);
        return;
    }
    if (sums)
        add_areas(mesh, sums);
    memcpy(normals, mesh->normals, vertices * 3 * sizeof *normals);
    for (size_t i = 0; i < vertices; i++) {
        float *n = normals + 3 * i;
        enum normal kind = kind_of(n);
        if (kind == LONG)
            set_normal(n, (const double[]){(double)n[0], (double)n[1], (double)n[2]});
        else if (kind == ZERO && sums)
            set_normal(n, sums + 3 * i);
    }
    mesh->normals = normals;
    mended->zero_normals += counts[ZERO];
    mended->long_normals += counts[LONG];
    memory_free(gltf->context, sums, sums ? vertices : 0, 3 * sizeof *sums);
}

static bool is_tangent(const float t[4])
{
    return kind_of(t) == UNIT && fabsf(t[3]) == 1;
}

void gltf_mend_tangents(struct gltf *gltf, struct gltf_mended *mended, uint32_t value, cp_mesh *mesh)
{
    size_t vertices = mesh->vertex_count;
    uint64_t good = 0, any = 0;
    for (size_t i = 0; i < vertices; i++) {
        good += is_tangent(mesh->tangents + 4 * i);
        any += kind_of(mesh->tangents + 4 * i) != ZERO;
    }
    if (good == vertices)
        return;
    mended->bad_tangents += vertices - good;
    if (any == 0 || !gltf_take_room(gltf, value, vertices)) {
        mesh->tangents = NULL;
        return;
    }
    float *tangents = gltf_scene_array(gltf, vertices, 4 * sizeof *tangents);
    if (!tangents)
        return;
    memcpy(tangents, mesh->tangents, vertices * 4 * sizeof *tangents);
    for (size_t i = 0; i < vertices; i++) {
        float *t = tangents + 4 * i;
        const double direction[3] = {(double)t[0], (double)t[1], (double)t[2]};
        if (kind_of(t) == ZERO)
            mesh_square_tangent(mesh->normals + 3 * i, (const double[]){0, 0, 0}, t);
        else if (kind_of(t) == LONG)
            set_normal(t, direction);
        t[3] = t[3] < 0 ? -1.0F : 1.0F;
    }
    mesh->tangents = tangents;
}

void gltf_report_normals(struct gltf *gltf, const struct gltf_mended *mended)
{
    struct place place = IN_FILE(gltf->source->name);
    bool strict = gltf->settings->common.strict;
    if (gltf->status == CP_OK && mended->zero_normals > 0)
        gltf->status = report_lenient(gltf->context, strict, "gltf-normal-zero", place,
                                      "%llu normals have no length: they get the direction of their faces",
                                      (unsigned long long)mended->zero_normals);
    if (gltf->status == CP_OK && mended->long_normals > 0)
        gltf->status = report_lenient(gltf->context, strict, "gltf-normal-length", place,
                                      "%llu normals do not have length 1: they are made so",
                                      (unsigned long long)mended->long_normals);
    if (gltf->status == CP_OK && mended->bad_tangents > 0)
        gltf->status =
            report_lenient(gltf->context, strict, "gltf-tangent", place,
                           "%llu tangents are not a unit vector and a sign of 1 or -1: they are mended, or left "
                           "out where a mesh has no others",
                           (unsigned long long)mended->bad_tangents);
    if (gltf->status == CP_OK && mended->odd_tangents > 0)
        gltf->status = report_lenient(gltf->context, strict, "gltf-tangent-count", place,
                                      "tangents of %llu primitives are not four numbers a position: they are left out",
                                      (unsigned long long)mended->odd_tangents);
    if (gltf->status == CP_OK && mended->other_sets > 0)
        gltf->status = report_lenient(
            gltf->context, strict, "gltf-other-set", place,
            "textures of %llu primitives name coordinates of set 0, and there is set 1 alone: that one is "
            "taken",
            (unsigned long long)mended->other_sets);
}
