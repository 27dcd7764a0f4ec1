#include "solids.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

void *allocate(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        exit(CP_LIMIT);
    }
    return block;
}

/* ---- pieces of surface ---- */

struct solid_place {
    float point[3];
    uint32_t vertex;
};

static int compare_places(const void *a, const void *b)
{
    const struct solid_place *one = a, *other = b;
    for (int axis = 0; axis < 3; axis++)
        if (one->point[axis] < other->point[axis] || one->point[axis] > other->point[axis])
            return one->point[axis] < other->point[axis] ? -1 : 1;
    return 0;
}

static uint32_t root_of(uint32_t *parents, uint32_t index)
{
    while (parents[index] != index)
        index = parents[index] = parents[parents[index]];
    return index;
}

/* Vertices at one place are one. */
static void join_places(const cp_mesh *mesh, uint32_t *parents)
{
    struct solid_place *places = allocate(mesh->vertex_count, sizeof *places);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        memcpy(places[i].point, mesh->positions + 3 * (size_t)i, sizeof places[i].point);
        places[i].vertex = i;
    }
    qsort(places, mesh->vertex_count, sizeof *places, compare_places);
    for (uint32_t i = 1; i < mesh->vertex_count; i++)
        if (compare_places(&places[i - 1], &places[i]) == 0)
            parents[root_of(parents, places[i].vertex)] = root_of(parents, places[i - 1].vertex);
    free(places);
}

static void find_pieces(struct solid *solid, const cp_mesh *mesh, const cp_pose *pose)
{
    uint32_t *parents = allocate(mesh->vertex_count, sizeof *parents);
    bool *taken = allocate(mesh->vertex_count, sizeof *taken);
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        parents[i] = i;
    join_places(mesh, parents);
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        parents[root_of(parents, mesh->corners[i])] = root_of(parents, mesh->corners[i - i % 3]);
    for (uint32_t i = 0; i < mesh->corner_count; i += 3) {
        uint32_t root = root_of(parents, mesh->corners[i]);
        const float *position = mesh->positions + 3 * (size_t)mesh->corners[i];
        if (!taken[root])
            pose_point(pose, (const double[]){(double)position[0], (double)position[1], (double)position[2]},
                       solid->pieces[solid->piece_count++]);
        taken[root] = true;
    }
    free(taken);
    free(parents);
}

/* ---- a tree of boxes ---- */

struct centre {
    double at;
    uint32_t triangle;
};

static int compare_centres(const void *a, const void *b)
{
    const struct centre *one = a, *other = b;
    if (one->at < other->at || one->at > other->at)
        return one->at < other->at ? -1 : 1;
    return one->triangle < other->triangle ? -1 : one->triangle > other->triangle;
}

static void fill_box(const struct solid *solid, struct box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = INFINITY;
        box->high[axis] = -INFINITY;
    }
    for (uint32_t i = box->first; i < box->first + box->count; i++)
        for (int corner = 0; corner < 3; corner++)
            for (int axis = 0; axis < 3; axis++) {
                double at = solid->triangles[solid->order[i]][corner][axis];
                box->low[axis] = fmin(box->low[axis], at);
                box->high[axis] = fmax(box->high[axis], at);
            }
}

/* Sorts the triangles of a box along its longest side. */
static void sort_box(struct solid *solid, const struct box *box, struct centre *centres)
{
    int longest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (box->high[axis] - box->low[axis] > box->high[longest] - box->low[longest])
            longest = axis;
    for (uint32_t i = 0; i < box->count; i++) {
        uint32_t triangle = solid->order[box->first + i];
        const double(*corners)[3] = (const double(*)[3])solid->triangles[triangle];
        centres[i] = (struct centre){corners[0][longest] + corners[1][longest] + corners[2][longest], triangle};
    }
    qsort(centres, box->count, sizeof *centres, compare_centres);
    for (uint32_t i = 0; i < box->count; i++)
        solid->order[box->first + i] = centres[i].triangle;
}

/* Boxes wait in the array itself: each is parted into two at its end. */
static void make_boxes(struct solid *solid)
{
    struct centre *centres = allocate(solid->triangle_count, sizeof *centres);
    solid->order = allocate(solid->triangle_count, sizeof *solid->order);
    solid->boxes = allocate(2 * (size_t)solid->triangle_count, sizeof *solid->boxes);
    for (uint32_t i = 0; i < solid->triangle_count; i++)
        solid->order[i] = i;
    solid->boxes[0].count = solid->triangle_count;
    solid->box_count = solid->triangle_count > 0;
    for (uint32_t i = 0; i < solid->box_count; i++) {
        struct box *box = &solid->boxes[i], *halves = &solid->boxes[solid->box_count];
        fill_box(solid, box);
        if (box->count == 1)
            continue;
        sort_box(solid, box, centres);
        halves[0].first = box->first;
        halves[0].count = box->count / 2;
        halves[1].first = box->first + halves[0].count;
        halves[1].count = box->count - halves[0].count;
        box->first = solid->box_count;
        box->count = 0;
        solid->box_count += 2;
    }
    free(centres);
}

/* ---- making ---- */

static bool collides(const cp_mesh *mesh, const cp_instance *instance)
{
    return instance->use & CP_USE_COLLISION && mesh->kind == CP_MESH_FACES;
}

static cp_status add_part(struct solid *solid, cp_context *context, const cp_mesh *mesh, const cp_pose *pose)
{
    cp_topology topology = {.size = sizeof topology};
    cp_status status = cp_mesh_topology(context, mesh, &topology);
    struct part *part = &solid->parts[solid->part_count++];
    *part = (struct part){solid->triangle_count, mesh->corner_count / 3, status == CP_OK && topology.closed};
    for (uint32_t i = 0; i < mesh->corner_count; i++) {
        const float *at = mesh->positions + 3 * (size_t)mesh->corners[i];
        pose_point(pose, (const double[]){(double)at[0], (double)at[1], (double)at[2]},
                   solid->triangles[solid->triangle_count + i / 3][i % 3]);
    }
    solid->triangle_count += mesh->corner_count / 3;
    find_pieces(solid, mesh, pose);
    return status;
}

cp_status solid_make(struct solid *solid, cp_context *context, const cp_scene *scene, uint32_t node)
{
    const cp_node *it = &cp_nodes(scene, &(uint32_t){0})[node];
    const cp_instance *instances = cp_instances(scene, &(uint32_t){0});
    const cp_mesh *meshes = cp_meshes(scene, &(uint32_t){0});
    size_t triangles = 0;
    cp_status status = CP_OK;
    *solid = (struct solid){0};
    for (uint32_t i = it->first_instance; i < it->first_instance + it->instance_count; i++)
        if (collides(&meshes[instances[i].mesh], &instances[i]))
            triangles += meshes[instances[i].mesh].corner_count / 3;
    solid->triangles = allocate(triangles, sizeof *solid->triangles);
    solid->pieces = allocate(triangles, sizeof *solid->pieces);
    solid->parts = allocate(it->instance_count, sizeof *solid->parts);
    for (uint32_t i = it->first_instance; i < it->first_instance + it->instance_count && status == CP_OK; i++)
        if (collides(&meshes[instances[i].mesh], &instances[i]))
            status = add_part(solid, context, &meshes[instances[i].mesh], &instances[i].transform);
    make_boxes(solid);
    return status;
}

void solid_free(struct solid *solid)
{
    free(solid->triangles);
    free(solid->parts);
    free(solid->pieces);
    free(solid->order);
    free(solid->boxes);
    *solid = (struct solid){0};
}
