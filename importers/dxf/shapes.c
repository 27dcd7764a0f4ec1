/* Meshes of blocks. A block's elements, sorted by their looks, are one mesh of faces and one of lines. Inserts that
 * give it other colours show further meshes, which share its arrays and have materials of their own. */
#include "dxf.h"

#include <stdio.h>

#include "mesh/join.h"
#include "mesh/mesh.h"

/* A mesh on its way: the elements of a part that are seen. */
struct build {
    struct dxf *dxf;
    const struct dxf_block *block;
    const struct dxf_part *part;
    struct dxf_shape *shape;
    uint32_t *order; /* rows of the part's elements, as the mesh has them */
};

static uint32_t first_corner(const struct dxf_part *part, uint32_t element)
{
    return element > 0 ? part->ends[element - 1] : 0;
}

/* ---- the order of elements ---- */

static bool is_hidden(const struct dxf *dxf, uint32_t look, bool hides_zero)
{
    uint32_t layer = dxf->looks[look].layer;
    return layer == 0 ? hides_zero : dxf->layers[layer].is_off || dxf->layers[layer].is_frozen;
}

/* Makes a run for each look, in order of first use, and counts its elements. */
static cp_status find_runs(struct build *build, bool hides_zero)
{
    struct dxf *dxf = build->dxf;
    const struct dxf_part *part = build->part;
    struct dxf_shape *shape = build->shape;
    struct dxf_run *runs = NULL;
    uint32_t count = 0, room = 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < part->count && status == CP_OK; i++) {
        uint32_t *mark = &dxf->marks[part->looks[i]];
        struct dxf_run run = {.look = part->looks[i]};
        if (is_hidden(dxf, run.look, hides_zero)) {
            dxf->hidden++;
            continue;
        }
        if (*mark == CP_NONE) {
            *mark = count;
            status = array_add(dxf->context, &runs, &room, &count, &run, sizeof run) ? CP_OK : CP_LIMIT;
        }
        if (status == CP_OK)
            runs[*mark].count++;
        shape->mesh.face_count++;
        shape->mesh.corner_count += part->ends[i] - first_corner(part, i);
    }
    shape->run_count = count;
    shape->runs = status == CP_OK ? arena_copy(dxf->arena, runs, count, sizeof *runs) : NULL;
    memory_free(dxf->context, runs, room, sizeof *runs);
    return shape->runs ? CP_OK : CP_LIMIT;
}

/* Lists the elements run by run; within one they stay in order. */
static cp_status sort_elements(struct build *build, bool hides_zero)
{
    struct dxf *dxf = build->dxf;
    const struct dxf_part *part = build->part;
    const struct dxf_shape *shape = build->shape;
    uint32_t *starts = memory_allocate(dxf->context, shape->run_count, sizeof *starts);
    if (!starts)
        return CP_LIMIT;
    for (uint32_t i = 0, start = 0; i < shape->run_count; start += shape->runs[i++].count)
        starts[i] = start;
    for (uint32_t i = 0; i < part->count; i++)
        if (!is_hidden(dxf, part->looks[i], hides_zero))
            build->order[starts[dxf->marks[part->looks[i]]]++] = i;
    memory_free(dxf->context, starts, shape->run_count, sizeof *starts);
    return CP_OK;
}

/* ---- vertices ---- */

/* Makes corners and offsets; corners are rows of the block's places. */
static cp_status copy_corners(struct build *build)
{
    const struct dxf_part *part = build->part;
    cp_mesh *mesh = &build->shape->mesh;
    uint32_t *corners = scene_allocate(build->dxf->scene, mesh->corner_count, sizeof *corners), next = 0;
    uint32_t *offsets = scene_allocate(build->dxf->scene, (size_t)mesh->face_count + 1, sizeof *offsets);
    if (!corners || !offsets)
        return CP_LIMIT;
    bool triangles = mesh->kind == CP_MESH_FACES;
    for (uint32_t i = 0; i < mesh->face_count; i++) {
        uint32_t element = build->order[i], first = first_corner(part, element), size = part->ends[element] - first;
        offsets[i] = next;
        memcpy(corners + next, part->corners + first, size * sizeof *corners);
        next += size;
        triangles = triangles && size == 3;
    }
    offsets[mesh->face_count] = next;
    mesh->corners = corners;
    mesh->face_offsets = triangles ? NULL : offsets;
    return CP_OK;
}

/* Writes the places that the corners name as positions, each once, and numbers the corners anew. */
static cp_status join_places(struct build *build, uint32_t *corners)
{
    cp_context *context = build->dxf->context;
    cp_mesh *mesh = &build->shape->mesh;
    uint32_t count = mesh->corner_count, kept = 0;
    double *places = memory_allocate(context, count, 3 * sizeof *places);
    float *positions = memory_allocate(context, count, 3 * sizeof *positions);
    uint32_t *first = memory_allocate(context, count, sizeof *first);
    bool done = places && positions && first;
    for (uint32_t i = 0; done && i < count; i++)
        memcpy(places + 3 * (size_t)i, build->block->places + 3 * (size_t)corners[i], 3 * sizeof *places);
    if (done)
        place_near_origin(places, count, positions, build->shape->origin);
    done = done && join_positions(context, positions, count, first);
    for (uint32_t i = 0; done && i < count; i++) {
        if (first[i] == i) {
            memmove(positions + 3 * (size_t)kept, positions + 3 * (size_t)i, 3 * sizeof *positions);
            corners[i] = kept++;
        } else {
            corners[i] = corners[first[i]];
        }
    }
    mesh->vertex_count = kept;
    mesh->positions = done ? arena_copy(build->dxf->scene->arena, positions, kept, 3 * sizeof *positions) : NULL;
    memory_free(context, places, count, 3 * sizeof *places);
    memory_free(context, positions, count, 3 * sizeof *positions);
    memory_free(context, first, count, sizeof *first);
    return mesh->positions ? CP_OK : CP_LIMIT;
}

static cp_status make_shape(struct dxf *dxf, const struct dxf_block *block, enum dxf_kind kind, bool hides_zero,
                            struct dxf_shape *shape)
{
    struct build build = {.dxf = dxf, .block = block, .part = &block->parts[kind], .shape = shape};
    shape->is_made = true;
    shape->mesh = (cp_mesh){.kind = kind == DXF_FACES ? CP_MESH_FACES : CP_MESH_LINES};
    cp_status status = find_runs(&build, hides_zero);
    if (status == CP_OK && shape->run_count > 0) {
        build.order = memory_allocate(dxf->context, shape->mesh.face_count, sizeof *build.order);
        status = build.order ? sort_elements(&build, hides_zero) : CP_LIMIT;
        if (status == CP_OK)
            status = copy_corners(&build);
        if (status == CP_OK)
            status = join_places(&build, (uint32_t *)(uintptr_t)shape->mesh.corners);
        memory_free(dxf->context, build.order, shape->mesh.face_count, sizeof *build.order);
    }
    for (uint32_t i = 0; status == CP_OK && i < shape->run_count; i++)
        dxf->marks[shape->runs[i].look] = CP_NONE;
    return status;
}

/* ---- meshes ---- */

/* Bounds the meshes that differ by their materials alone: a file may ask for as many as it has inserts. */
static cp_status charge(struct dxf *dxf, struct dxf_shape *shape)
{
    uint64_t most = limit_nodes(dxf->context);
    if (shape->uses++ > 0)
        dxf->repeats += (uint64_t)shape->mesh.corner_count + shape->mesh.vertex_count;
    return dxf->repeats <= most
               ? CP_OK
               : report_error(dxf->context, CP_LIMIT, "dxf-colours", IN_FILE(dxf->source->name),
                              "blocks that inserts show in several colours have more than %llu corners (%s)",
                              (unsigned long long)most, limit_of_nodes(dxf->context));
}

static cp_status make_mesh(struct dxf *dxf, struct dxf_shape *shape, const char *name,
                           const struct dxf_paint *inherited, uint32_t *number)
{
    cp_status status = charge(dxf, shape);
    if (status != CP_OK)
        return status;
    cp_group *groups = scene_allocate(dxf->scene, shape->run_count, sizeof *groups);
    uint32_t face = 0;
    for (uint32_t i = 0; groups && i < shape->run_count; i++) {
        struct dxf_paint paint = dxf_resolve(dxf, shape->runs[i].look, inherited);
        groups[i] = (cp_group){face, shape->runs[i].count, dxf_find_material(dxf, &paint)};
        if (groups[i].material == CP_NONE)
            return CP_LIMIT;
        face += shape->runs[i].count;
    }
    cp_mesh mesh = shape->mesh;
    mesh.name = name;
    mesh.source = dxf->scene->source.file;
    mesh.groups = groups;
    mesh.group_count = shape->run_count;
    *number = groups ? scene_add_mesh(dxf->scene, &mesh) : CP_NONE;
    return *number == CP_NONE ? CP_LIMIT : CP_OK;
}

/* Finds or makes the mesh of the shape in the colours of the insert. */
static cp_status find_mesh(struct dxf *dxf, uint32_t block, enum dxf_kind kind, struct dxf_shape *shape,
                           const struct dxf_paint *inherited, const char *name, uint32_t *mesh)
{
    char key[64];
    bool added;
    const struct dxf_paint same = {0};
    const struct dxf_paint *paint = dxf->blocks[block].inherits ? inherited : &same;
    int size =
        snprintf(key, sizeof key, "%x %x %x %x %x", block, (unsigned)kind, paint->layer, paint->rgb, paint->alpha);
    const uint32_t *found =
        dxf_find_name(dxf, &dxf->mesh_names, (struct dxf_text){key, (size_t)size}, dxf->scene->mesh_count, &added);
    if (!found)
        return CP_LIMIT;
    *mesh = *found;
    return added ? make_mesh(dxf, shape, name, inherited, mesh) : CP_OK;
}

cp_status dxf_add_meshes(struct dxf *dxf, uint32_t number, const struct dxf_paint *inherited, uint32_t node)
{
    struct dxf_block *block = &dxf->blocks[number];
    const struct dxf_layer *layer = &dxf->layers[inherited->layer];
    bool hides_zero = layer->is_off || layer->is_frozen;
    if (!block->shapes)
        block->shapes = arena_allocate_zeroed(dxf->arena, 2 * (size_t)DXF_KINDS, sizeof *block->shapes);
    cp_status status = block->shapes ? CP_OK : CP_LIMIT;
    for (enum dxf_kind kind = 0; kind < DXF_KINDS && status == CP_OK; kind++) {
        struct dxf_shape *shape = &block->shapes[DXF_KINDS * hides_zero + kind];
        uint32_t mesh;
        if (!shape->is_made)
            status = make_shape(dxf, block, kind, hides_zero, shape);
        if (status != CP_OK || shape->run_count == 0)
            continue;
        status = find_mesh(dxf, number, kind, shape, inherited, dxf->scene->nodes[node].name, &mesh);
        if (status == CP_OK && !mesh_file_place(dxf->scene, node, mesh, shape->origin))
            status = CP_LIMIT;
        dxf->any = true;
    }
    return status;
}
