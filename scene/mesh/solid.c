/* Whether faces bound a solid, in one pass and without a table of edges.
 *
 * A surface is closed and wound alike throughout when each edge is gone through as often one way as the other. So a function of the
 * edge's two ends is added up over all edges, and the same function of the ends exchanged is taken away: what is left of
 * a closed surface is exactly 0, and of another one, the function being as good as random, it is not but for one case in 2^64
 * (the idea of Zobrist's hashing). Sums in integers have no order, so the parts may be added up in any. */
#include "join.h"
#include "mesh.h"

#include "../parallel.h"

enum { PART_FACES = 1 << 15 };

struct part {
    uint64_t open; /* 0 when the surface is closed */
    double volume; /* six times what the faces bound with the first vertex */
};

struct search {
    const cp_mesh *mesh;
    struct part *parts;
};

static const float *corner_position(const cp_mesh *mesh, uint32_t corner)
{
    return mesh->positions + 3 * (size_t)mesh->corners[corner];
}

static uint64_t hash_position(const float *position)
{
    const float values[3] = {position[0] + 0.0f, position[1] + 0.0f, position[2] + 0.0f}; /* -0 is 0 */
    return hash_words(UINT64_C(0x452821E638D01377), values, 3);                           /* digits of pi */
}

static uint64_t hash_edge(uint64_t from, uint64_t to)
{
    uint64_t hash = (from ^ (to << 32 | to >> 32)) * UINT64_C(0x9E3779B97F4A7C15) + from;
    return (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

static double facet_volume(const float *origin, const float *const corners[3])
{
    double p[3][3];
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++)
            p[k][axis] = (double)corners[k][axis] - (double)origin[axis];
    return p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) - p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
}

static void add_face(const cp_mesh *mesh, uint32_t first, uint32_t size, struct part *part)
{
    uint64_t start = hash_position(corner_position(mesh, first)), from = start;
    for (uint32_t i = 1; i <= size; i++) {
        uint64_t to = i < size ? hash_position(corner_position(mesh, first + i)) : start;
        part->open += hash_edge(from, to) - hash_edge(to, from);
        from = to;
    }
    for (uint32_t i = 1; i + 1 < size; i++)
        part->volume += facet_volume(mesh->positions, (const float *const[3]){corner_position(mesh, first),
                                                                              corner_position(mesh, first + i),
                                                                              corner_position(mesh, first + i + 1)});
}

static void add_part(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct search *search = user;
    const cp_mesh *mesh = search->mesh;
    uint32_t first = item * PART_FACES;
    uint32_t end = mesh->face_count - first < PART_FACES ? mesh->face_count : first + PART_FACES;
    struct part part = {0, 0};
    for (uint32_t face = first; face < end; face++)
        add_face(mesh, mesh_face_first(mesh, face), mesh_face_size(mesh, face), &part);
    search->parts[item] = part;
}

cp_status mesh_bounds_solid(cp_context *context, const cp_mesh *mesh, bool *solid)
{
    *solid = false;
    if (mesh->kind != CP_MESH_FACES || mesh->face_count == 0)
        return CP_OK;
    uint32_t count = (mesh->face_count - 1) / PART_FACES + 1;
    struct search search = {mesh, memory_allocate(context, count, sizeof *search.parts)};
    bool done = search.parts && parallel_for(context, count, add_part, &search);
    struct part sum = {0, 0};
    for (uint32_t i = 0; done && i < count; i++) {
        sum.open += search.parts[i].open;
        sum.volume += search.parts[i].volume;
    }
    memory_free(context, search.parts, count, sizeof *search.parts);
    *solid = done && sum.open == 0 && sum.volume > 0;
    return done ? CP_OK : CP_LIMIT;
}
