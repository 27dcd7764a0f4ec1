/* A face's key is the places of its corners, begun at the least rotation. The faces of one mesh are in a hash table,
 * and each of the other's takes one out. */
#include "copies.h"

#include <string.h>

#include "base/context.h"
#include "mesh/join.h"
#include "mesh/mesh.h"

/* One mesh, its faces read in one direction. */
struct view {
    const cp_mesh *mesh;
    const uint32_t *places;
    uint32_t *materials; /* for each face */
    bool backward;
};

struct table {
    const struct reorder_search *search;
    struct view from, to;
    uint32_t *starts; /* one for each face of `to`: the corner where its least rotation begins */
    uint32_t *heads;  /* slots */
    uint32_t *next;   /* one for each face of `to`: the next in its slot */
    size_t slot_count;
    const cp_pose *motion;
    double matrix[3][3]; /* of its normals */
};

static uint32_t corner_at(const struct view *view, uint32_t face, uint32_t start, uint32_t i)
{
    uint32_t size = mesh_face_size(view->mesh, face), at = (uint32_t)(((uint64_t)start + i) % size);
    return mesh_face_first(view->mesh, face) + (view->backward ? size - 1 - at : at);
}

static uint32_t place_at(const struct view *view, uint32_t face, uint32_t start, uint32_t i)
{
    return view->places[view->mesh->corners[corner_at(view, face, start, i)]];
}

/* Returns the corner at which the rotation begins that comes first in the order of a dictionary. Two candidates are
 * compared, and the greater one is skipped together with all that it excludes. */
static uint32_t least_rotation(const struct view *view, uint32_t face)
{
    uint32_t size = mesh_face_size(view->mesh, face), a = 0, b = 1, run = 0;
    while (a < size && b < size && run < size) {
        uint32_t p = place_at(view, face, a, run), q = place_at(view, face, b, run);
        if (p == q) {
            run++;
            continue;
        }
        if (p > q)
            a += run + 1;
        else
            b += run + 1;
        b += a == b;
        run = 0;
    }
    return a < b ? a : b;
}

/* Tells whether two faces have the same places and material. */
static bool faces_meet(const struct table *table, uint32_t from, uint32_t start, uint32_t to)
{
    uint32_t size = mesh_face_size(table->from.mesh, from);
    if (mesh_face_size(table->to.mesh, to) != size || table->from.materials[from] != table->to.materials[to])
        return false;
    for (uint32_t i = 0; i < size; i++)
        if (place_at(&table->from, from, start, i) != place_at(&table->to, to, table->starts[to], i))
            return false;
    return true;
}

/* Tells whether all corners have the same colours, texture coordinates, normals and tangents. */
static bool corners_agree(const struct table *table, uint32_t from, uint32_t start, uint32_t to)
{
    const cp_mesh *a = table->from.mesh, *b = table->to.mesh;
    for (uint32_t i = 0; i < mesh_face_size(a, from); i++) {
        size_t p = a->corners[corner_at(&table->from, from, start, i)];
        size_t q = b->corners[corner_at(&table->to, to, table->starts[to], i)];
        for (size_t k = ARRAY_COLOURS; k < ARRAY_COUNT; k++) {
            const float *one = mesh_array(a, k), *other = mesh_array(b, k);
            const size_t width = vertex_arrays[k].width;
            if (one && memcmp(one + width * p, other + width * q, width * sizeof *one) != 0)
                return false;
        }
        if (!mesh_directions_agree(table->motion, (const double(*)[3])table->matrix, a, p, b, q))
            return false;
    }
    return true;
}

static uint32_t *slot_of(const struct table *table, const struct view *view, uint32_t face, uint32_t start)
{
    uint64_t hash = hash_words(table->search->context->seed, &view->materials[face], 1);
    for (uint32_t i = 0; i < mesh_face_size(view->mesh, face); i++) {
        uint32_t place = place_at(view, face, start, i);
        hash = hash_words(hash, &place, 1);
    }
    return &table->heads[(size_t)hash & (table->slot_count - 1)];
}

/* Takes the partner of a face out of the table. Of many faces on the same places, only some are compared. */
static bool take_partner(struct table *table, uint32_t face)
{
    enum { MOST_TWINS = 64 };
    uint32_t start = least_rotation(&table->from, face);
    uint32_t *link = slot_of(table, &table->from, face, start);
    for (int twins = 0; *link != CP_NONE && twins < MOST_TWINS; link = &table->next[*link]) {
        if (!faces_meet(table, face, start, *link))
            continue;
        if (corners_agree(table, face, start, *link)) {
            *link = table->next[*link];
            return true;
        }
        twins++;
    }
    return false;
}

bool reorder_faces_match(const struct reorder_search *search, const uint32_t *from_places, const uint32_t *to_places,
                         const cp_pose *motion, cp_status *status)
{
    uint32_t faces = search->to->face_count;
    struct table table = {.search = search,
                          .motion = motion,
                          .from = {.mesh = search->from, .places = from_places, .backward = search->mirrored},
                          .to = {.mesh = search->to, .places = to_places},
                          .slot_count = 64};
    while (table.slot_count < 2 * (uint64_t)faces)
        table.slot_count *= 2;
    struct arena *scratch = arena_new(search->context);
    table.from.materials = arena_allocate(scratch, faces, sizeof *table.from.materials);
    table.to.materials = arena_allocate(scratch, faces, sizeof *table.to.materials);
    table.starts = arena_allocate(scratch, faces, sizeof *table.starts);
    table.heads = arena_allocate(scratch, table.slot_count, sizeof *table.heads);
    table.next = arena_allocate(scratch, faces, sizeof *table.next);
    bool match = !arena_failed(scratch);
    *status = match ? CP_OK : CP_LIMIT;
    if (match) {
        mesh_face_materials(search->from, search->materials, table.from.materials);
        mesh_face_materials(search->to, search->materials, table.to.materials);
        mesh_normal_matrix(motion, table.matrix);
        memset(table.heads, 0xff, table.slot_count * sizeof *table.heads);
    }
    for (uint32_t face = 0; match && face < faces; face++) {
        table.starts[face] = least_rotation(&table.to, face);
        uint32_t *head = slot_of(&table, &table.to, face, table.starts[face]);
        table.next[face] = *head;
        *head = face;
    }
    for (uint32_t face = 0; match && face < faces; face++)
        match = take_partner(&table, face);
    arena_free(scratch);
    return match;
}
