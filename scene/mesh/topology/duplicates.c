/* Finds equal faces. Each face's places are written from the start, forward or in reverse, that comes first in the
 * order of words. Equal faces are then equal rows, which are found by their hashes and compared. */
#include "topology.h"

#include <string.h>

#include "mesh/join.h"

struct face_key {
    uint32_t hash[2];
    uint32_t reversed; /* 2 for faces that bound nothing, whose hash is their number */
};

struct search {
    const struct mesh_edges *edges;
    uint32_t *rows; /* the places of all faces, each face in its normal form */
    struct face_key *keys;
    uint32_t *scratch; /* for the places of one face */
    uint32_t largest;
};

/* Returns the start of the least of all rotations. Of two candidates, the one that is greater at its k-th word skips k
 * + 1. */
static uint32_t least_rotation(const uint32_t *row, uint32_t count)
{
    uint32_t one = 0, two = 1, same = 0;
    while (one < count && two < count && same < count) {
        uint32_t a = row[((uint64_t)one + same) % count], b = row[((uint64_t)two + same) % count];
        if (a == b) {
            same++;
            continue;
        }
        if (a > b)
            one += same + 1;
        else
            two += same + 1;
        two += one == two;
        same = 0;
    }
    return one < two ? one : two;
}

static void rotate(const uint32_t *row, uint32_t count, uint32_t *out)
{
    uint32_t start = least_rotation(row, count);
    memcpy(out, row + start, (count - start) * sizeof *out);
    memcpy(out + count - start, row, start * sizeof *out);
}

/* Writes the face's row, and its key. */
static void set_key(const struct search *search, uint32_t face)
{
    const cp_mesh *mesh = search->edges->mesh;
    struct face_key *key = &search->keys[face];
    *key = (struct face_key){{face, 0}, 2};
    if (!face_bounds(search->edges, face))
        return;
    uint32_t first = mesh_face_first(mesh, face), count = mesh_face_size(mesh, face), same = 0;
    uint32_t *row = search->rows + first, *back = search->scratch, *turned = back + search->largest;
    for (uint32_t i = 0; i < count; i++)
        back[i] = edge_start(search->edges, first + i);
    rotate(back, count, row);
    for (uint32_t i = 0; i < count; i++)
        back[i] = edge_start(search->edges, first + count - 1 - i);
    rotate(back, count, turned);
    while (same < count && turned[same] == row[same])
        same++;
    key->reversed = same < count && turned[same] < row[same];
    if (key->reversed)
        memcpy(row, turned, count * sizeof *row);
    uint64_t hash = hash_bytes(search->edges->context, row, count * sizeof *row);
    key->hash[0] = (uint32_t)hash;
    key->hash[1] = (uint32_t)(hash >> 32);
}

/* Compares the rows, so that different rows of one hash do not count as equal. */
static bool join_faces(const struct search *search, uint32_t *first)
{
    const cp_mesh *mesh = search->edges->mesh;
    const size_t words = sizeof *search->keys / sizeof(uint32_t);
    if (!join_rows(search->edges->context, search->keys, words, words, mesh->face_count, first))
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t size = mesh_face_size(mesh, face);
        if (size != mesh_face_size(mesh, first[face]) ||
            memcmp(search->rows + mesh_face_first(mesh, face), search->rows + mesh_face_first(mesh, first[face]),
                   size * sizeof *search->rows) != 0)
            first[face] = face;
    }
    return true;
}

bool mesh_duplicates_find(const struct mesh_edges *edges, uint32_t *same, uint32_t *either)
{
    cp_context *context = edges->context;
    const cp_mesh *mesh = edges->mesh;
    struct search search = {.edges = edges, .largest = 3};
    for (uint32_t face = 0; mesh->face_offsets && face < mesh->face_count; face++)
        if (mesh_face_size(mesh, face) > search.largest)
            search.largest = mesh_face_size(mesh, face);
    search.rows = memory_allocate_zeroed(context, mesh->corner_count, sizeof *search.rows);
    search.keys = memory_allocate(context, mesh->face_count, sizeof *search.keys);
    search.scratch = memory_allocate(context, search.largest, 2 * sizeof *search.scratch);
    bool good = search.rows && search.keys && search.scratch;
    for (uint32_t face = 0; good && face < mesh->face_count; face++)
        set_key(&search, face);
    good = good && join_faces(&search, same);
    for (uint32_t face = 0; good && face < mesh->face_count; face++)
        search.keys[face].reversed &= 2;
    good = good && join_faces(&search, either);
    memory_free(context, search.rows, mesh->corner_count, sizeof *search.rows);
    memory_free(context, search.keys, mesh->face_count, sizeof *search.keys);
    memory_free(context, search.scratch, search.largest, 2 * sizeof *search.scratch);
    return good;
}
