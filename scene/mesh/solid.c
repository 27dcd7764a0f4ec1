/* Tells whether faces bound a solid, in one pass and without a table of edges.
 *
 * A surface is closed and wound alike throughout if each edge is passed as often one way as the other. So every vertex
 * gets a pseudo-random place in a plane, and each edge adds the area of its triangle with the origin there. A closed
 * surface leaves exactly 0; another one leaves the area that its border encloses, which is 0 in one case of 2^31 at
 * most (J. Schwartz, "Fast probabilistic algorithms for verification of polynomial identities", 1980). Sums in integers
 * do not depend on the order, so threads may add up their parts in any.
 *
 * At first, places are computed from the numbers of the vertices: a surface that is closed by numbers is closed. If it
 * is not, vertices may share positions, so places are computed from the positions. */
#include "join.h"

#include "mesh.h"
#include "model/model.h"

enum { PART_FACES = 1 << 15 };

struct part {
    uint64_t open; /* 0 when the surface is closed */
    double volume; /* six times the volume that the faces bound with the first vertex */
};

struct search {
    const cp_mesh *mesh;
    bool by_position;
    double origin[3]; /* the first vertex */
    struct part *parts;
};

static const float *corner_position(const cp_mesh *mesh, uint32_t corner)
{
    return mesh->positions + 3 * (size_t)mesh->corners[corner];
}

/* Returns the place of a corner's vertex: x in the low half, y in the high one. */
static uint64_t find_place(const struct search *search, uint32_t corner)
{
    if (search->by_position) {
        const float *position = corner_position(search->mesh, corner);
        const float values[3] = {position[0] + 0.0f, position[1] + 0.0f, position[2] + 0.0f}; /* -0 is 0 */
        return hash_words(UINT64_C(0x452821E638D01377), values, 3);                           /* digits of pi */
    }
    uint64_t hash = (search->mesh->corners[corner] + UINT64_C(1)) * UINT64_C(0x9FB21C651E98DF25);
    return (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

static void add_part(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct search *search = user;
    const cp_mesh *mesh = search->mesh;
    uint32_t first_face = item * PART_FACES;
    uint32_t end = mesh->face_count - first_face < PART_FACES ? mesh->face_count : first_face + PART_FACES;
    struct part part = {0, 0};
    for (uint32_t face = first_face; face < end; face++) {
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        uint64_t start = find_place(search, first), from = start;
        for (uint32_t i = 1; i <= size; i++) {
            /* twice the area of the triangle of the origin and the edge, modulo 2^64 */
            uint64_t to = i < size ? find_place(search, first + i) : start;
            part.open += (from & UINT32_MAX) * (to >> 32) - (to & UINT32_MAX) * (from >> 32);
            from = to;
        }
        for (uint32_t i = 1; i + 1 < size; i++) {
            const uint32_t corners[3] = {first, first + i, first + i + 1};
            double p[3][3], across[3];
            for (int k = 0; k < 3; k++)
                for (int axis = 0; axis < 3; axis++)
                    p[k][axis] = (double)corner_position(mesh, corners[k])[axis] - search->origin[axis];
            cross_product(p[1], p[2], across);
            part.volume += dot_product(p[0], across);
        }
    }
    search->parts[item] = part;
}

static bool add_parts(cp_context *context, struct search *search, uint32_t count, struct part *sum)
{
    if (!parallel_for(context, count, add_part, search))
        return false;
    *sum = (struct part){0, 0};
    for (uint32_t i = 0; i < count; i++) {
        sum->open += search->parts[i].open;
        sum->volume += search->parts[i].volume;
    }
    return true;
}

static cp_status add_up(cp_context *context, const cp_mesh *mesh, struct part *sum)
{
    *sum = (struct part){1, 0};
    if (mesh->kind != CP_MESH_FACES || mesh->face_count == 0)
        return CP_OK;
    uint32_t count = (mesh->face_count - 1) / PART_FACES + 1;
    struct search search = {.mesh = mesh, .parts = memory_allocate(context, count, sizeof *search.parts)};
    for (int axis = 0; axis < 3; axis++)
        search.origin[axis] = (double)mesh->positions[axis];
    bool done = search.parts && add_parts(context, &search, count, sum);
    if (done && sum->open != 0) {
        search.by_position = true;
        done = add_parts(context, &search, count, sum);
    }
    memory_free(context, search.parts, count, sizeof *search.parts);
    return done ? CP_OK : CP_LIMIT;
}

cp_status mesh_bounds_solid(cp_context *context, const cp_mesh *mesh, bool *solid)
{
    struct part sum;
    cp_status status = add_up(context, mesh, &sum);
    *solid = status == CP_OK && sum.open == 0 && sum.volume > 0;
    return status;
}

cp_status mesh_is_closed(cp_context *context, const cp_mesh *mesh, bool *closed)
{
    struct part sum;
    cp_status status = add_up(context, mesh, &sum);
    *closed = status == CP_OK && sum.open == 0;
    return status;
}
