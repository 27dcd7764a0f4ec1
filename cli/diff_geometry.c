/* diff: the meshes on a frame, as they are placed there. */
#include "diff.h"

#include <inttypes.h>
#include <math.h>

void differ(struct diff *diff, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(diff->cli, format, list);
    va_end(list);
    printf("\n");
    diff->differences++;
}

bool near(const struct diff *diff, double a, double b)
{
    return a == b || fabs(a - b) <= diff->tolerance;
}

struct point_text point_text(double x, double y, double z)
{
    struct point_text point;
    char digits[3][CP_NUMBER_SIZE];
    cp_print_double(x, digits[0]);
    cp_print_double(y, digits[1]);
    cp_print_double(z, digits[2]);
    (void)snprintf(point.text, sizeof point.text, "(%s %s %s)", digits[0], digits[1], digits[2]);
    return point;
}

static void place_vertex(const cp_instance *instance, const cp_mesh *mesh, uint32_t vertex, double out[3])
{
    const float *at = &mesh->positions[3 * (size_t)vertex];
    const double *m = instance->transform.m;
    for (int row = 0; row < 3; row++)
        out[row] = m[4 * row] * (double)at[0] + m[4 * row + 1] * (double)at[1] + m[4 * row + 2] * (double)at[2] +
                   m[4 * row + 3];
}

static uint32_t face_end(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face + 1] : 3 * (face + 1);
}

/* Two meshes placed on frames of one name. Of vertices, faces and corners the first that differ are told. */
static void diff_mesh(struct diff *diff, const char *frame, const cp_instance *in_a, const cp_instance *in_b)
{
    const cp_mesh *a = &cp_meshes(diff->a.scene, &(uint32_t){0})[in_a->mesh];
    const cp_mesh *b = &cp_meshes(diff->b.scene, &(uint32_t){0})[in_b->mesh];
    const char *name = mesh_name(a), *kind = cp_mesh_kind_name(a->kind);
    if (in_a->use != in_b->use)
        differ(diff, "frame \"%s\": mesh \"%s\" is for %s, not %s", frame, name, cp_use_name(in_a->use),
               cp_use_name(in_b->use));
    if (a->kind != b->kind) {
        differ(diff, "frame \"%s\": mesh \"%s\" is a %s, not a %s", frame, name, kind, cp_mesh_kind_name(b->kind));
        return;
    }
    if (a->kind >= CP_MESH_BOX) {
        bool same = a->sides == b->sides, there = true;
        for (int i = 0; i < 3; i++)
            same &= near(diff, a->size[i], b->size[i]);
        for (int i = 0; i < 12; i++)
            there &= near(diff, in_a->transform.m[i], in_b->transform.m[i]);
        if (!same)
            differ(diff, "frame \"%s\": %s \"%s\" has other sizes", frame, kind, name);
        if (!there)
            differ(diff, "frame \"%s\": %s \"%s\" lies elsewhere", frame, kind, name);
        return;
    }
    const struct {
        const char *what;
        uint32_t a, b;
    } counts[] = {{"vertices", a->vertex_count, b->vertex_count},
                  {"faces", a->face_count, b->face_count},
                  {"corners", a->corner_count, b->corner_count}};
    uint64_t before = diff->differences;
    for (int i = 0; i < 3; i++)
        if (counts[i].a != counts[i].b)
            differ(diff, "frame \"%s\": mesh \"%s\" has %" PRIu32 " %s, not %" PRIu32, frame, name, counts[i].a,
                   counts[i].what, counts[i].b);
    if (diff->differences > before)
        return;
    for (uint32_t vertex = 0; vertex < a->vertex_count; vertex++) {
        double at[3], other[3];
        place_vertex(in_a, a, vertex, at);
        place_vertex(in_b, b, vertex, other);
        if (near(diff, at[0], other[0]) && near(diff, at[1], other[1]) && near(diff, at[2], other[2]))
            continue;
        differ(diff, "frame \"%s\": mesh \"%s\": vertex %" PRIu32 " lies at %s, not %s", frame, name, vertex,
               point_text(at[0], at[1], at[2]).text, point_text(other[0], other[1], other[2]).text);
        break;
    }
    for (uint32_t face = 0; face < a->face_count; face++)
        if (face_end(a, face) != face_end(b, face)) {
            differ(diff, "frame \"%s\": mesh \"%s\": face %" PRIu32 " has another number of corners", frame, name,
                   face);
            return;
        }
    for (uint32_t corner = 0; corner < a->corner_count; corner++)
        if (a->corners[corner] != b->corners[corner]) {
            differ(diff, "frame \"%s\": mesh \"%s\": corner %" PRIu32 " is vertex %" PRIu32 ", not %" PRIu32, frame,
                   name, corner, a->corners[corner], b->corners[corner]);
            return;
        }
}

void diff_geometry(struct diff *diff, uint32_t node_a, uint32_t node_b)
{
    const cp_node *a = &diff->a.nodes[node_a], *b = &diff->b.nodes[node_b];
    const cp_instance *in_a = cp_instances(diff->a.scene, &(uint32_t){0});
    const cp_instance *in_b = cp_instances(diff->b.scene, &(uint32_t){0});
    if (a->instance_count != b->instance_count)
        differ(diff, "frame \"%s\": %" PRIu32 " meshes, not %" PRIu32, a->name, a->instance_count, b->instance_count);
    for (uint32_t i = 0; i < a->instance_count && a->instance_count == b->instance_count; i++)
        diff_mesh(diff, a->name, &in_a[a->first_instance + i], &in_b[b->first_instance + i]);
}
