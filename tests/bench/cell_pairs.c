#include "collide_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/body/body.h"
#include "collide/proof/chain.h"
#include "shapes.h"

/* Neighbours, which touch at their joint, have one joint between them. */
enum { LEAST_JOINTS = 2 };

struct cell {
    cp_scene *scene;
    struct bodies bodies;
    struct frame_chain chain;
    bool *movables;
};

static void open_cell(struct cell *cell, cp_context *context, const char *file)
{
    uint32_t count;
    *cell = (struct cell){0};
    cp_set_flag(context, CP_FLAG_CONFINE, false);
    if (cp_read(context, file, NULL, NULL, 0, &cell->scene) != CP_OK ||
        bodies_find(&cell->bodies, context, cell->scene) != CP_OK)
        fail("%s: cannot be read, or out of memory", file);
    cp_nodes(cell->scene, &count);
    cell->movables = allocate(count, sizeof *cell->movables);
    memset(cell->movables, 0, count * sizeof *cell->movables);
    if (!chain_open(&cell->chain, context, cell->scene, cell->movables))
        fail("out of memory");
}

static void close_cell(struct cell *cell)
{
    chain_close(&cell->chain);
    bodies_free(&cell->bodies);
    free(cell->movables);
    cp_scene_free(cell->scene);
}

static void copy_body(struct collide_body *out, const struct body *body, const char *name)
{
    const struct bvh *from = &body->bvh;
    struct bvh *bvh = &out->bvh;
    *bvh = (struct bvh){.vertex_count = from->vertex_count, .triangle_count = from->triangle_count};
    bvh->vertices = allocate(from->vertex_count, sizeof *bvh->vertices);
    bvh->triangles = allocate(from->triangle_count, sizeof *bvh->triangles);
    memcpy(bvh->vertices, from->vertices, from->vertex_count * sizeof *bvh->vertices);
    memcpy(bvh->triangles, from->triangles, from->triangle_count * sizeof *bvh->triangles);
    (void)snprintf(out->name, sizeof out->name, "%s", name);
}

/* Whether joints enough lie between the two; the chain is then of them. */
static bool is_wanted(struct cell *cell, uint32_t one, uint32_t other)
{
    chain_find(&cell->chain, cell->bodies.items[one].node, cell->bodies.items[other].node);
    return cell->chain.motion_count >= LEAST_JOINTS;
}

static cp_pose random_place(const struct frame_chain *chain, struct random *random, double *values)
{
    cp_pose ends[2], back;
    for (uint32_t i = 0; i < chain->variable_count; i++) {
        const struct variable *variable = &chain->variables[i];
        values[i] = variable->lower + random_unit(random) * (variable->upper - variable->lower);
    }
    for (int side = 0; side < 2; side++)
        branch_poses(chain, side, values, NULL, &ends[side]);
    if (!pose_inverse(&ends[0], &back))
        fail("a place has no inverse");
    return pose_multiply(&back, &ends[1]);
}

void make_cell_pairs(struct collide_set *set, cp_context *context, const char *file, size_t states)
{
    struct cell cell;
    struct random random = random_begin();
    open_cell(&cell, context, file);
    const char *slash = strrchr(file, '/');
    uint32_t bodies = cell.bodies.count;
    size_t pairs = 0;
    for (uint32_t one = 0; one < bodies; one++)
        for (uint32_t other = one + 1; other < bodies; other++)
            pairs += is_wanted(&cell, one, other);
    collide_set_begin(set, slash ? slash + 1 : file, bodies, pairs * states);
    set->pair_count = pairs;
    for (uint32_t i = 0; i < bodies; i++)
        copy_body(&set->bodies[i], &cell.bodies.items[i], cell.scene->nodes[cell.bodies.items[i].node].name);
    double *values = allocate(cell.chain.most, sizeof *values);
    struct collide_query *query = set->queries;
    for (uint32_t one = 0; one < bodies; one++)
        for (uint32_t other = one + 1; other < bodies; other++)
            for (size_t i = 0; i < states && is_wanted(&cell, one, other); i++)
                *query++ = (struct collide_query){one, other, random_place(&cell.chain, &random, values)};
    free(values);
    close_cell(&cell);
}
