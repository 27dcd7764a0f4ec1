/* diff: the meshes on a frame, as they are placed there. */
#include "diff.h"

#include <inttypes.h>
#include <string.h>

/* Two meshes placed on frames of one name. */
struct placed {
    const char *frame;
    const cp_instance *instance;
    const cp_mesh *mesh;
};

static uint32_t face_end(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face + 1] : 3 * (face + 1);
}

static void diff_faces(struct diff *diff, const struct placed *a, const struct placed *b)
{
    for (uint32_t face = 0; face < a->mesh->face_count; face++)
        if (face_end(a->mesh, face) != face_end(b->mesh, face)) {
            differ(diff, "frame \"%s\": mesh \"%s\": face %" PRIu32 " has another number of corners", a->frame,
                   mesh_name(a->mesh), face);
            return;
        }
    for (uint32_t corner = 0; corner < a->mesh->corner_count; corner++)
        if (a->mesh->corners[corner] != b->mesh->corners[corner]) {
            differ(diff, "frame \"%s\": mesh \"%s\": corner %" PRIu32 " is vertex %" PRIu32 ", not %" PRIu32, a->frame,
                   mesh_name(a->mesh), corner, a->mesh->corners[corner], b->mesh->corners[corner]);
            return;
        }
}

static void place_vertex(const struct placed *placed, uint32_t vertex, double out[3])
{
    const float *at = &placed->mesh->positions[3 * (size_t)vertex];
    const double *m = placed->instance->transform.m;
    for (int row = 0; row < 3; row++)
        out[row] = m[4 * row] * (double)at[0] + m[4 * row + 1] * (double)at[1] + m[4 * row + 2] * (double)at[2] +
                   m[4 * row + 3];
}

static void diff_vertices(struct diff *diff, const struct placed *a, const struct placed *b)
{
    for (uint32_t vertex = 0; vertex < a->mesh->vertex_count; vertex++) {
        double at_a[3], at_b[3];
        place_vertex(a, vertex, at_a);
        place_vertex(b, vertex, at_b);
        if (near(diff, at_a[0], at_b[0]) && near(diff, at_a[1], at_b[1]) && near(diff, at_a[2], at_b[2]))
            continue;
        differ(diff, "frame \"%s\": mesh \"%s\": vertex %" PRIu32 " lies at %s, not %s", a->frame, mesh_name(a->mesh),
               vertex, point_text(at_a[0], at_a[1], at_a[2]).text, point_text(at_b[0], at_b[1], at_b[2]).text);
        return;
    }
}

static void diff_primitive(struct diff *diff, const struct placed *a, const struct placed *b)
{
    bool same = a->mesh->sides == b->mesh->sides, placed_same = true;
    for (int i = 0; i < 3; i++)
        same &= near(diff, a->mesh->size[i], b->mesh->size[i]);
    for (int i = 0; i < 12; i++)
        placed_same &= near(diff, a->instance->transform.m[i], b->instance->transform.m[i]);
    if (!same)
        differ(diff, "frame \"%s\": %s \"%s\" has other sizes", a->frame, cp_mesh_kind_name(a->mesh->kind),
               mesh_name(a->mesh));
    if (!placed_same)
        differ(diff, "frame \"%s\": %s \"%s\" lies elsewhere", a->frame, cp_mesh_kind_name(a->mesh->kind),
               mesh_name(a->mesh));
}

static bool diff_count(struct diff *diff, const struct placed *a, const char *what, uint32_t in_a, uint32_t in_b)
{
    if (in_a != in_b)
        differ(diff, "frame \"%s\": mesh \"%s\" has %" PRIu32 " %s, not %" PRIu32, a->frame, mesh_name(a->mesh), in_a,
               what, in_b);
    return in_a == in_b;
}

static void diff_placed(struct diff *diff, const struct placed *a, const struct placed *b)
{
    if (a->instance->use != b->instance->use)
        differ(diff, "frame \"%s\": mesh \"%s\" is for %s, not %s", a->frame, mesh_name(a->mesh),
               cp_use_name(a->instance->use), cp_use_name(b->instance->use));
    if (a->mesh->kind != b->mesh->kind) {
        differ(diff, "frame \"%s\": mesh \"%s\" is a %s, not a %s", a->frame, mesh_name(a->mesh),
               cp_mesh_kind_name(a->mesh->kind), cp_mesh_kind_name(b->mesh->kind));
        return;
    }
    if (a->mesh->kind >= CP_MESH_BOX) {
        diff_primitive(diff, a, b);
        return;
    }
    bool same = diff_count(diff, a, "vertices", a->mesh->vertex_count, b->mesh->vertex_count);
    same &= diff_count(diff, a, "faces", a->mesh->face_count, b->mesh->face_count);
    same &= diff_count(diff, a, "corners", a->mesh->corner_count, b->mesh->corner_count);
    if (!same)
        return;
    diff_vertices(diff, a, b);
    diff_faces(diff, a, b);
}

static struct placed placed_at(const struct side *side, const cp_node *node, uint32_t index)
{
    const cp_instance *instance = &cp_instances(side->scene, &(uint32_t){0})[node->first_instance + index];
    return (struct placed){node->name, instance, &cp_meshes(side->scene, &(uint32_t){0})[instance->mesh]};
}

void diff_geometry(struct diff *diff, uint32_t node_a, uint32_t node_b)
{
    const cp_node *a = &diff->a.nodes[node_a], *b = &diff->b.nodes[node_b];
    if (a->instance_count != b->instance_count) {
        differ(diff, "frame \"%s\": %" PRIu32 " meshes, not %" PRIu32, a->name, a->instance_count, b->instance_count);
        return;
    }
    for (uint32_t i = 0; i < a->instance_count; i++) {
        struct placed in_a = placed_at(&diff->a, a, i), in_b = placed_at(&diff->b, b, i);
        diff_placed(diff, &in_a, &in_b);
    }
}
