/* Cuts a mesh into pieces: finds them by union-find over what their faces share, then fills all arrays at once, so that
 * a million pieces need no allocation each. */
#include "merge.h"

#include <string.h>

#include "mesh/join.h"
#include "mesh/mesh.h"

/* ---- which face belongs to which piece ---- */

/* Finds elements[corner], a number that is equal for two corners which keep their faces together. It is below
 * vertex_count, or below corner_count with materials. */
static bool find_elements(cp_context *context, const cp_mesh *mesh, bool materials, uint32_t *elements)
{
    uint32_t count = mesh->corner_count;
    struct arena *scratch = arena_new(context);
    uint32_t *places = arena_allocate(scratch, mesh->vertex_count, sizeof *places);
    uint32_t *of_face = materials ? arena_allocate(scratch, mesh->face_count, sizeof *of_face) : NULL;
    uint32_t(*keys)[2] = materials ? arena_allocate(scratch, count, sizeof *keys) : NULL;
    bool good = !arena_failed(scratch) && join_positions(context, mesh->positions, mesh->vertex_count, places);
    for (uint32_t i = 0; good && i < count; i++)
        elements[i] = places[mesh->corners[i]];
    if (good && materials) {
        mesh_face_materials(mesh, NULL, of_face);
        for (uint32_t face = 0; face < mesh->face_count; face++)
            for (uint32_t i = 0; i < mesh_face_size(mesh, face); i++) {
                uint32_t corner = mesh_face_first(mesh, face) + i;
                keys[corner][0] = elements[corner];
                keys[corner][1] = of_face[face];
            }
        good = join_rows(context, keys, 2, 2, count, elements);
    }
    arena_free(scratch);
    return good;
}

bool mesh_find_pieces(cp_context *context, const cp_mesh *mesh, enum split_by by, uint32_t *pieces, uint32_t *count)
{
    uint32_t faces = mesh->face_count, corners = mesh->corner_count;
    uint32_t sets = mesh->vertex_count > corners ? mesh->vertex_count : corners;
    bool meeting = by != SPLIT_MATERIALS;
    struct arena *scratch = arena_new(context);
    uint32_t *first = arena_allocate(scratch, faces, sizeof *first);
    uint32_t *elements = meeting ? arena_allocate(scratch, corners, sizeof *elements) : NULL;
    bool good = !arena_failed(scratch) && (!meeting || find_elements(context, mesh, by == SPLIT_BOTH, elements));
    uint32_t *parents = good && meeting ? arena_allocate(scratch, sets, sizeof *parents) : NULL;
    good = good && !arena_failed(scratch);
    if (good && meeting) {
        /* Each face's first element leads to its piece's root. */
        for (uint32_t i = 0; i < sets; i++)
            parents[i] = i;
        for (uint32_t face = 0; face < faces; face++)
            for (uint32_t i = 1, at = mesh_face_first(mesh, face); i < mesh_face_size(mesh, face); i++)
                sets_join(parents, elements[at], elements[at + i]);
        for (uint32_t face = 0; face < faces; face++)
            pieces[face] = set_leader(parents, elements[mesh_face_first(mesh, face)]);
    } else if (good) {
        mesh_face_materials(mesh, NULL, pieces);
    }
    good = good && join_rows(context, pieces, 1, 1, faces, first);
    if (good) {
        *count = join_number(first, faces);
        for (uint32_t face = 0; face < faces; face++)
            pieces[face] = first[face];
    }
    arena_free(scratch);
    return good;
}

/* ---- the pieces ---- */

/* The begin of a piece in the arrays of all pieces. */
struct piece {
    uint32_t face;
    uint32_t corner;
    uint64_t vertex, group, offset;
};

struct cut {
    cp_scene *scene;
    cp_mesh from;
    const uint32_t *pieces;
    uint32_t count;
    struct piece *starts; /* count + 1 */
    uint32_t *order;      /* faces, piece by piece */
    uint32_t *materials;  /* one for each face; NULL without groups */
    uint32_t *stamps;     /* indexed by vertex: 1 + the piece that used it last */
    uint32_t *numbers;    /* and its number there */
    cp_mesh all;          /* its arrays hold the vertices of all pieces */
    uint32_t *offsets, *corners;
    cp_group *groups;
};

static bool begins_group(const struct cut *cut, uint32_t at, uint32_t first)
{
    return cut->materials && (at == first || cut->materials[cut->order[at]] != cut->materials[cut->order[at - 1]]);
}

/* Finds where each piece begins, and the order of the faces. Returns how many vertices no piece uses. */
static uint32_t count_pieces(struct cut *cut)
{
    /* A counting sort, so that faces keep their order. */
    for (uint32_t face = 0; face < cut->from.face_count; face++)
        cut->starts[cut->pieces[face] + 1].face++;
    for (uint32_t piece = 0; piece < cut->count; piece++)
        cut->starts[piece + 1].face += cut->starts[piece].face;
    for (uint32_t face = cut->from.face_count; face-- > 0;)
        cut->order[--cut->starts[cut->pieces[face] + 1].face] = face;
    for (uint32_t piece = 0; piece < cut->count; piece++)
        cut->starts[piece].face = cut->starts[piece + 1].face;
    cut->starts[cut->count].face = cut->from.face_count;
    for (uint32_t piece = 0; piece < cut->count; piece++) {
        const struct piece *start = &cut->starts[piece];
        struct piece *next = &cut->starts[piece + 1];
        next->corner = start->corner;
        next->vertex = start->vertex;
        next->group = start->group;
        next->offset = start->offset + next->face - start->face + 1;
        for (uint32_t at = start->face; at < next->face; at++) {
            uint32_t first = mesh_face_first(&cut->from, cut->order[at]);
            uint32_t size = mesh_face_size(&cut->from, cut->order[at]);
            for (uint32_t i = first; i < first + size; i++) {
                uint32_t *stamp = &cut->stamps[cut->from.corners[i]];
                next->vertex += *stamp != piece + 1;
                *stamp = piece + 1;
            }
            next->corner += size;
            next->group += begins_group(cut, at, start->face);
        }
    }
    uint32_t unused = 0;
    for (uint32_t vertex = 0; vertex < cut->from.vertex_count; vertex++)
        unused += cut->stamps[vertex] == 0;
    return unused;
}

static bool allocate_arrays(struct cut *cut)
{
    cp_scene *scene = cut->scene;
    const cp_mesh *from = &cut->from;
    const struct piece *end = &cut->starts[cut->count];
    bool good = mesh_make_arrays(scene, &cut->all, from, (size_t)end->vertex);
    cut->offsets = from->face_offsets ? scene_allocate(scene, (size_t)end->offset, sizeof(uint32_t)) : NULL;
    cut->corners = scene_allocate(scene, from->corner_count, sizeof(uint32_t));
    cut->groups = end->group ? scene_allocate(scene, (size_t)end->group, sizeof(cp_group)) : NULL;
    return good && cut->corners && (cut->offsets || !from->face_offsets) && (cut->groups || !end->group);
}

static uint32_t add_piece(struct cut *cut, uint32_t piece)
{
    const struct piece *start = &cut->starts[piece];
    const cp_mesh *from = &cut->from;
    cp_mesh mesh = {.kind = CP_MESH_FACES,
                    .source = from->source,
                    .face_offsets = cut->offsets ? cut->offsets + start->offset : NULL,
                    .corners = cut->corners + start->corner,
                    .groups = cut->groups ? cut->groups + start->group : NULL};
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        if (mesh_array(from, i))
            mesh_set_array(&mesh, i, mesh_array(&cut->all, i) + vertex_arrays[i].width * start->vertex);
    if (cut->offsets)
        cut->offsets[start->offset] = 0;
    for (uint32_t at = start->face; at < cut->starts[piece + 1].face; at++) {
        uint32_t face = cut->order[at], first = mesh_face_first(from, face), size = mesh_face_size(from, face);
        if (begins_group(cut, at, start->face))
            cut->groups[start->group + mesh.group_count++] = (cp_group){mesh.face_count, 0, cut->materials[face]};
        if (cut->groups)
            cut->groups[start->group + mesh.group_count - 1].face_count++;
        for (uint32_t i = first; i < first + size; i++) {
            uint32_t vertex = from->corners[i];
            if (cut->stamps[vertex] != piece + 1) {
                mesh_copy_vertex(&mesh, mesh.vertex_count, from, vertex);
                cut->stamps[vertex] = piece + 1;
                cut->numbers[vertex] = mesh.vertex_count++;
            }
            cut->corners[start->corner + mesh.corner_count++] = cut->numbers[vertex];
        }
        mesh.face_count++;
        if (cut->offsets)
            cut->offsets[start->offset + mesh.face_count] = mesh.corner_count;
    }
    return scene_add_mesh(cut->scene, &mesh);
}

cp_status mesh_cut(cp_scene *scene, uint32_t mesh, const uint32_t *pieces, uint32_t count, uint32_t *first,
                   uint32_t *unused)
{
    cp_context *context = scene->context;
    struct cut cut = {.scene = scene, .from = scene->meshes[mesh], .pieces = pieces, .count = count};
    uint32_t faces = cut.from.face_count, vertices = cut.from.vertex_count;
    struct arena *scratch = arena_new(context);
    cut.starts = arena_allocate_zeroed(scratch, (size_t)count + 1, sizeof *cut.starts);
    cut.order = arena_allocate(scratch, faces, sizeof *cut.order);
    cut.stamps = arena_allocate_zeroed(scratch, vertices, sizeof *cut.stamps);
    cut.numbers = arena_allocate(scratch, vertices, sizeof *cut.numbers);
    cut.materials = cut.from.group_count ? arena_allocate(scratch, faces, sizeof *cut.materials) : NULL;
    bool good = !arena_failed(scratch);
    if (good) {
        if (cut.materials)
            mesh_face_materials(&cut.from, NULL, cut.materials);
        *unused = count_pieces(&cut);
        good = allocate_arrays(&cut);
    }
    if (good && vertices > 0)
        memset(cut.stamps, 0, vertices * sizeof *cut.stamps);
    *first = scene->mesh_count;
    for (uint32_t piece = 0; good && piece < count; piece++)
        good = add_piece(&cut, piece) != CP_NONE;
    arena_free(scratch);
    return good ? CP_OK : CP_LIMIT;
}
