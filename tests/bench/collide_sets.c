#include "collide_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "shapes.h"

/* The set's bodies have their triangles after this, and no tree. Scales from the shapes' millimetres. */
static void take_mesh(struct collide_body *body, struct mesh *mesh)
{
    struct bvh *bvh = &body->bvh;
    bvh->vertex_count = (uint32_t)mesh->vertex_count;
    bvh->triangle_count = (uint32_t)mesh->triangle_count;
    bvh->vertices = allocate(mesh->vertex_count, sizeof *bvh->vertices);
    bvh->triangles = allocate(mesh->triangle_count, sizeof *bvh->triangles);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        bvh->vertices[i / 3][i % 3] = (double)mesh->positions[i] * 1e-3;
    memcpy(bvh->triangles, mesh->corners, mesh->triangle_count * sizeof *bvh->triangles);
    mesh_free(mesh);
}

void collide_set_begin(struct collide_set *set, const char *name, size_t body_count, size_t query_count)
{
    *set = (struct collide_set){.body_count = body_count, .query_count = query_count};
    (void)snprintf(set->name, sizeof set->name, "%s", name);
    set->bodies = allocate(body_count, sizeof *set->bodies);
    set->queries = allocate(query_count, sizeof *set->queries);
    memset(set->bodies, 0, body_count * sizeof *set->bodies);
}

void collide_set_free(struct collide_set *set)
{
    for (size_t i = 0; i < set->body_count; i++) {
        free(set->bodies[i].bvh.vertices);
        free(set->bodies[i].bvh.triangles);
    }
    free(set->bodies);
    free(set->queries);
}

/* ---- tori ---- */

/* A direction, from even points of the ball. */
static void random_direction(struct random *random, double out[3])
{
    double length = 0;
    while (!(length > 0.01 && length <= 1)) {
        length = 0;
        for (int i = 0; i < 3; i++) {
            out[i] = 2 * random_unit(random) - 1;
            length += out[i] * out[i];
        }
    }
    for (int i = 0; i < 3; i++)
        out[i] /= sqrt(length);
}

void make_torus_pairs(struct collide_set *set, size_t triangles, size_t count)
{
    static const double farthest = 0.925; /* of the middles, where 79 % meet */
    struct random random = random_begin();
    collide_set_begin(set, "tori", 2, count);
    for (int i = 0; i < 2; i++) {
        struct mesh mesh = {0};
        part_shapes[0].make(&mesh, triangles);
        take_mesh(&set->bodies[i], &mesh);
    }
    for (size_t i = 0; i < count; i++) {
        double axis[3], away[3], distance = farthest * random_unit(&random);
        random_direction(&random, axis);
        random_direction(&random, away);
        cp_pose placed = pose_rotation(axis, 2 * PI * random_unit(&random));
        for (int k = 0; k < 3; k++)
            placed.m[4 * k + 3] = distance * away[k];
        set->queries[i] = (struct collide_query){0, 1, placed};
    }
}

/* ---- an arm ---- */

enum { BODIES = 8, LEAST_APART = 2, PAIRS = (BODIES - 1) * (BODIES - 2) / 2 };

/* Where the bodies are: joints turn about z and y in turns, 0.2 m after each other. */
static void place_bodies(struct random *random, cp_pose places[BODIES])
{
    static const double axes[2][3] = {{0, 0, 1}, {0, 1, 0}}, ranges[2] = {170 * PI / 180, 150 * PI / 180};
    places[0] = POSE_IDENTITY;
    for (int i = 1; i < BODIES; i++) {
        int kind = (i + 1) % 2;
        cp_pose lift = pose_translation(0, 0, 0.2);
        cp_pose motion = pose_rotation(axes[kind], ranges[kind] * (2 * random_unit(random) - 1));
        cp_pose joint = pose_multiply(&places[i - 1], &lift);
        places[i] = pose_multiply(&joint, &motion);
    }
}

/* The first bodies of the set. */
static void make_links(struct collide_set *set)
{
    for (int i = 0; i < BODIES; i++) {
        struct mesh mesh = {0};
        struct ring ring = {i % 3 == 2 ? RING_GEAR : RING_SHAFT, 32, 15, 8, 110 - 6 * i, 260, 20};
        make_ring(&mesh, &ring);
        take_mesh(&set->bodies[i], &mesh);
        (void)snprintf(set->bodies[i].name, sizeof set->bodies[i].name, "link %d", i);
    }
}

void make_arm_pairs(struct collide_set *set, size_t count)
{
    struct random random = random_begin();
    collide_set_begin(set, "arm", BODIES, count * PAIRS);
    make_links(set);
    struct collide_query *query = set->queries;
    for (size_t i = 0; i < count; i++) {
        cp_pose places[BODIES];
        place_bodies(&random, places);
        for (uint32_t one = 0; one < BODIES; one++)
            for (uint32_t other = one + LEAST_APART; other < BODIES; other++) {
                cp_pose back;
                if (!pose_inverse(&places[one], &back))
                    fail("a place has no inverse");
                *query++ = (struct collide_query){one, other, pose_multiply(&back, &places[other])};
            }
    }
}

/* ---- a plate ---- */

static void make_plate(struct collide_body *body)
{
    static const uint32_t sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const double size[3] = {4, 4, 0.02};
    struct bvh *bvh = &body->bvh;
    *bvh = (struct bvh){.vertex_count = 8, .triangle_count = 12};
    (void)snprintf(body->name, sizeof body->name, "plate");
    bvh->vertices = allocate(8, sizeof *bvh->vertices);
    bvh->triangles = allocate(12, sizeof *bvh->triangles);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            bvh->vertices[i][axis] = ((i >> axis & 1) - 0.5) * size[axis];
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t k = 0; k < 3; k++)
            bvh->triangles[i][k] = sides[i / 2][k == 0 ? 0 : k + i % 2];
}

void make_plate_pairs(struct collide_set *set, size_t count)
{
    struct random random = random_begin();
    collide_set_begin(set, "plate", BODIES + 1, BODIES * count);
    make_links(set);
    make_plate(&set->bodies[BODIES]);
    set->pair_count = BODIES;
    for (uint32_t body = 0; body < BODIES; body++)
        for (size_t i = 0; i < count; i++) {
            double axis[3];
            random_direction(&random, axis);
            cp_pose placed = pose_rotation(axis, 2 * PI * random_unit(&random));
            for (int k = 0; k < 3; k++)
                placed.m[4 * k + 3] = k < 2 ? 2 * random_unit(&random) - 1 : 0.1 + 0.9 * random_unit(&random);
            set->queries[body * count + i] = (struct collide_query){BODIES, body, placed};
        }
}
