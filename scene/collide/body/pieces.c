#include "pieces.h"

#include <stdlib.h>
#include <string.h>

bool collides(const cp_scene *scene, const cp_instance *instance)
{
    return instance->use & CP_USE_COLLISION && scene->meshes[instance->mesh].kind != CP_MESH_LINES;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_faces(const cp_mesh *a, const cp_mesh *b)
{
    int order = compare_numbers(a->vertex_count, b->vertex_count);
    if (order == 0)
        order = compare_numbers(a->corner_count, b->corner_count);
    if (order == 0)
        order = compare_numbers(a->face_count, b->face_count);
    if (order == 0 && a->vertex_count > 0)
        order = memcmp(a->positions, b->positions, 3 * (size_t)a->vertex_count * sizeof *a->positions);
    if (order == 0 && a->corner_count > 0)
        order = memcmp(a->corners, b->corners, a->corner_count * sizeof *a->corners);
    return order;
}

/* Equal ones are the same, but for n-gons of the same corners. */
static int compare_pieces(const void *one, const void *other)
{
    const struct piece *a = one, *b = other;
    int order = compare_numbers(a->mesh->kind, b->mesh->kind);
    if (order == 0)
        order = compare_numbers(a->mesh->sides, b->mesh->sides);
    if (order == 0)
        order = memcmp(a->mesh->size, b->mesh->size, sizeof a->mesh->size);
    if (order == 0)
        order = memcmp(&a->instance->transform, &b->instance->transform, sizeof a->instance->transform);
    if (order == 0 && a->mesh != b->mesh && a->mesh->kind == CP_MESH_FACES)
        order = compare_faces(a->mesh, b->mesh);
    return order ? order : compare_numbers(a->instance > b->instance, a->instance < b->instance);
}

uint32_t list_pieces(const cp_scene *scene, const cp_node *node, struct piece *pieces)
{
    uint32_t count = 0;
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        if (collides(scene, instance))
            pieces[count++] = (struct piece){instance, &scene->meshes[instance->mesh]};
    }
    if (count > 1)
        qsort(pieces, count, sizeof *pieces, compare_pieces);
    return count;
}
