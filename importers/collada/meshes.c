/* A geometry as meshes: one of all its faces, one of all its lines. Corners with the same indices share a vertex.
 * Positions that no primitive uses are not part of a mesh. */
#include "mesh/mesh.h"

#include "inputs.h"

enum { MOST_COMPARED = 64 };

struct vertex {
    uint32_t position, layout, next; /* next: of the same position */
    uint32_t indices[CHANNELS];      /* CP_NONE: it has none */
};

struct build {
    struct collada *collada;
    struct collada_document *document;
    const struct collada_geometry *geometry;
    struct collada_body *body;
    struct collada_faces faces;
    struct channel positions; /* the same for all primitives */
    struct vertex *vertices;
    struct layout *layouts;
    uint32_t *marks; /* the last vertex of each position */
    uint32_t vertex_count, vertex_room, layout_count, layout_room;
};

/* ---- layouts ---- */

/* Finds the number of the layout among those before. */
static cp_status find_layout(struct build *build, const struct layout *layout, uint32_t *number)
{
    for (*number = 0; *number < build->layout_count && *number < MOST_COMPARED; (*number)++) {
        const struct channel *channels = build->layouts[*number].channels;
        int same = 0;
        while (same < CHANNELS && channels[same].offset == layout->channels[same].offset &&
               (channels[same].offset == CP_NONE || channels[same].source == layout->channels[same].source))
            same++;
        if (same == CHANNELS)
            return CP_OK;
    }
    *number = build->layout_count;
    return array_add(build->collada->context, &build->layouts, &build->layout_room, &build->layout_count, layout,
                     sizeof *layout)
               ? CP_OK
               : CP_LIMIT;
}

/* ---- vertices ---- */

/* Compares the indices one by one: memcmp would have to wait until all those of `wanted` are in the cache. */
static bool has_indices(const struct vertex *vertex, const struct vertex *wanted)
{
    int same = 0;
    while (same < CHANNELS && vertex->indices[same] == wanted->indices[same])
        same++;
    return same == CHANNELS;
}

/* Finds or makes the vertex of a corner's indices; CP_NONE when out of memory. */
static uint32_t find_vertex(struct build *build, const struct vertex *wanted)
{
    uint32_t *mark = &build->marks[wanted->position], at = *mark;
    for (int i = 0; i < MOST_COMPARED && at != CP_NONE; i++, at = build->vertices[at].next) {
        const struct vertex *vertex = &build->vertices[at];
        if (vertex->layout == wanted->layout && has_indices(vertex, wanted))
            return at;
    }
    if (build->vertex_count == build->vertex_room &&
        !array_reserve(build->collada->context, &build->vertices, &build->vertex_room,
                       build->vertex_count + UINT64_C(1), sizeof *build->vertices))
        return CP_NONE;
    build->vertices[build->vertex_count] = *wanted;
    build->vertices[build->vertex_count].next = *mark;
    *mark = build->vertex_count;
    return build->vertex_count++;
}

/* Replaces the corners from `first` on, which are numbers in the text, by vertices. */
static cp_status number_corners(struct build *build, const struct picked *picked, uint32_t layout, uint32_t first)
{
    struct vertex wanted = {.layout = layout};
    for (uint32_t i = first; i < build->faces.corners.count; i++) {
        const uint32_t *indices =
            picked->primitive->indices.items + (size_t)build->faces.corners.items[i] * picked->stride;
        wanted.position = indices[picked->position.offset];
        for (int channel = 0; channel < CHANNELS; channel++) {
            uint32_t offset = picked->layout.channels[channel].offset;
            wanted.indices[channel] = offset == CP_NONE ? CP_NONE : indices[offset];
        }
        build->faces.corners.items[i] = find_vertex(build, &wanted);
        if (build->faces.corners.items[i] == CP_NONE)
            return CP_LIMIT;
    }
    return CP_OK;
}

/* ---- groups ---- */

static cp_status add_group(struct build *build, const struct picked *picked, uint32_t first, uint32_t count)
{
    struct collada_body *body = build->body;
    struct collada_group *last = body->group_count > 0 ? &body->groups[body->group_count - 1] : NULL;
    struct collada_group group = {.symbol = picked->primitive->material,
                                  .first_face = first,
                                  .face_count = count,
                                  .set_count = picked->set_count,
                                  .is_coloured = picked->layout.channels[CHANNEL_COLOUR].offset != CP_NONE};
    memcpy(group.sets, picked->sets, sizeof group.sets);
    bool same =
        last && (last->symbol && group.symbol ? strcmp(last->symbol, group.symbol) == 0 : last->symbol == group.symbol);
    if (same && last->set_count == group.set_count && memcmp(last->sets, group.sets, sizeof group.sets) == 0 &&
        last->is_coloured == group.is_coloured) {
        last->face_count += count;
        return CP_OK;
    }
    return array_add(build->collada->context, &body->groups, &body->group_room, &body->group_count, &group,
                     sizeof group)
               ? CP_OK
               : CP_LIMIT;
}

/* ---- primitives ---- */

static cp_status start_marks(struct build *build, const struct picked *picked)
{
    uint32_t count = picked->position.view.count;
    if (build->marks && picked->position.source != build->positions.source)
        return collada_error(build->document, "collada-input", picked->primitive->line,
                             "the positions are not those of the primitives before");
    if (build->marks)
        return CP_OK;
    build->positions = picked->position;
    build->marks = memory_allocate(build->collada->context, count + (size_t)1, sizeof *build->marks);
    if (build->marks)
        memset(build->marks, 0xff, count * sizeof *build->marks);
    return build->marks ? CP_OK : CP_LIMIT;
}

static cp_status add_primitive(struct build *build, const struct collada_primitive *primitive)
{
    struct picked picked;
    uint32_t layout, first_face = build->faces.ends.count, first_corner = build->faces.corners.count;
    if (primitive->indices.count == 0)
        return CP_OK;
    cp_status status = collada_find_inputs(build->document, build->geometry, primitive, &picked);
    if (status == CP_OK)
        status = start_marks(build, &picked);
    if (status == CP_OK)
        status = find_layout(build, &picked.layout, &layout);
    struct collada_texts texts = {build->document, primitive, picked.stride, picked.position.offset,
                                  picked.position.view};
    if (status == CP_OK)
        status = collada_add_faces(&texts, &build->faces);
    if (status == CP_OK)
        status = number_corners(build, &picked, layout, first_corner);
    uint32_t count = build->faces.ends.count - first_face;
    return status == CP_OK && count > 0 ? add_group(build, &picked, first_face, count) : status;
}

/* ---- arrays ---- */

/* Writes the positions as they are seen from the origin; false if one is no finite number then. */
static bool write_positions(const struct build *build, const double origin[3], uint32_t count, float *positions)
{
    const struct collada_view *view = &build->positions.view;
    bool is_finite = true;
    for (uint32_t i = 0; i < count; i++) {
        const double *from = view->numbers + (size_t)build->vertices[i].position * view->stride;
        for (size_t axis = 0; axis < 3; axis++) {
            float *to = &positions[3 * (size_t)i + axis];
            *to = near_origin(from[view->columns[axis]], origin[axis]);
            is_finite &= isfinite(*to) != 0;
        }
    }
    return is_finite;
}

static cp_status fill_positions(struct build *build, cp_mesh *mesh)
{
    double *origin = build->body->origin;
    float *positions = scene_allocate(build->collada->scene, mesh->vertex_count, 3 * sizeof *positions);
    if (!positions)
        return CP_LIMIT;
    mesh->positions = positions;
    bool is_finite = write_positions(build, origin, mesh->vertex_count, positions);
    if (is_finite && find_far_origin(positions, mesh->vertex_count, origin))
        is_finite = write_positions(build, origin, mesh->vertex_count, positions);
    return is_finite
               ? CP_OK
               : collada_error(build->document, "collada-position", build->geometry->line,
                               "a position of \"%.100s\" is no finite number in single precision", build->geometry->id);
}

/* Returns the numbers of a vertex in a channel, and the view that they are of; NULL if it has none. */
static const double *numbers_of(const struct build *build, uint32_t vertex, int channel, const uint32_t **columns)
{
    const struct vertex *from = &build->vertices[vertex];
    const struct collada_view *view = &build->layouts[from->layout].channels[channel].view;
    *columns = view->columns;
    return from->indices[channel] == CP_NONE ? NULL : view->numbers + (size_t)from->indices[channel] * view->stride;
}

static bool has_channel(const struct build *build, int channel)
{
    bool has = false;
    for (uint32_t i = 0; i < build->layout_count; i++)
        has |= build->layouts[i].channels[channel].offset != CP_NONE;
    return has;
}

/* Fills normals; those that a primitive lacks, though others have some, and those without direction come from the faces
 * around. */
static cp_status fill_normals(struct build *build, cp_mesh *mesh)
{
    uint64_t missing = 0, mended;
    const uint32_t *columns;
    if (!has_channel(build, CHANNEL_NORMAL) || mesh->kind != CP_MESH_FACES)
        return CP_OK;
    float *normals = scene_allocate(build->collada->scene, mesh->vertex_count, 3 * sizeof *normals);
    for (uint32_t i = 0; normals && i < mesh->vertex_count; i++) {
        const double *from = numbers_of(build, i, CHANNEL_NORMAL, &columns);
        for (size_t axis = 0; axis < 3; axis++)
            normals[3 * (size_t)i + axis] = from ? (float)from[columns[axis]] : 0;
        missing += !from;
    }
    cp_status status = normals ? mesh_mend_normals(build->collada->context, mesh, normals, &mended) : CP_LIMIT;
    if (status == CP_OK)
        build->collada->counts[COLLADA_TOLD_NORMALS] += mended - missing;
    mesh->normals = status == CP_OK && mended < mesh->vertex_count ? normals : NULL;
    return status;
}

/* Fills texture coordinates, whose origin is the lower left corner in COLLADA. */
static cp_status fill_coordinates(struct build *build, cp_mesh *mesh, int set)
{
    const uint32_t *columns;
    if (!has_channel(build, CHANNEL_COORDINATES + set) || mesh->kind != CP_MESH_FACES)
        return CP_OK;
    float *coordinates = scene_allocate(build->collada->scene, mesh->vertex_count, 2 * sizeof *coordinates);
    for (uint32_t i = 0; coordinates && i < mesh->vertex_count; i++) {
        const double *from = numbers_of(build, i, CHANNEL_COORDINATES + set, &columns);
        float u = from ? (float)from[columns[0]] : 0, v = from ? (float)(1 - from[columns[1]]) : 0;
        coordinates[2 * (size_t)i] = isfinite(u) ? u : 0;
        coordinates[2 * (size_t)i + 1] = isfinite(v) ? v : 0;
        build->collada->counts[COLLADA_TOLD_COORDINATES] += !isfinite(u) || !isfinite(v);
    }
    mesh->coordinates[set] = coordinates;
    return coordinates ? CP_OK : CP_LIMIT;
}

/* Fills colours. Their alpha is not opacity: programs leave it 0 for what is solid. */
static cp_status fill_colours(struct build *build, cp_mesh *mesh)
{
    const uint32_t *columns;
    uint64_t *counts = build->collada->counts;
    double last = -1, linear = 0; /* neighbours often have the same colour */
    if (!has_channel(build, CHANNEL_COLOUR))
        return CP_OK;
    float *colours = scene_allocate(build->collada->scene, mesh->vertex_count, 4 * sizeof *colours);
    for (uint32_t i = 0; colours && i < mesh->vertex_count; i++) {
        const double *from = numbers_of(build, i, CHANNEL_COLOUR, &columns);
        bool has_alpha =
            from && build->layouts[build->vertices[i].layout].channels[CHANNEL_COLOUR].view.column_count > 3;
        bool in_range = true;
        for (size_t k = 0; k < 3; k++) {
            double value = from ? from[columns[k]] : 1;
            in_range &= value >= 0 && value <= 1;
            if (value != last) {
                last = value;
                linear = linear_from_srgb(within_unit(value));
            }
            colours[4 * (size_t)i + k] = (float)linear;
        }
        colours[4 * (size_t)i + 3] = 1;
        counts[COLLADA_TOLD_RANGES] += !in_range;
        counts[COLLADA_TOLD_ALPHAS] += has_alpha && from[columns[3]] != 1;
    }
    mesh->colours = colours;
    return colours ? CP_OK : CP_LIMIT;
}

/* Hands the corners and the ends of faces over to the mesh. */
static cp_status fill_faces(struct build *build, cp_mesh *mesh)
{
    struct collada_faces *faces = &build->faces;
    cp_scene *scene = build->collada->scene;
    bool all_triangles = mesh->kind == CP_MESH_FACES;
    for (uint32_t i = 0; all_triangles && i < faces->ends.count; i++)
        all_triangles = faces->ends.items[i] == 3 * (i + 1);
    mesh->face_count = faces->ends.count;
    mesh->corner_count = faces->corners.count;
    mesh->corners = scene_keep_array(scene, &faces->corners.items, &faces->corners.room, faces->corners.count,
                                     sizeof *faces->corners.items);
    uint32_t *offsets = all_triangles ? NULL : scene_allocate(scene, faces->ends.count + (size_t)1, sizeof *offsets);
    if (offsets) {
        offsets[0] = 0;
        memcpy(offsets + 1, faces->ends.items, faces->ends.count * sizeof *offsets);
    }
    mesh->face_offsets = offsets;
    return mesh->corners && (all_triangles || offsets) ? CP_OK : CP_LIMIT;
}

static cp_status fill_mesh(struct build *build)
{
    cp_mesh *mesh = &build->body->mesh;
    struct collada *collada = build->collada;
    mesh->vertex_count = build->vertex_count;
    collada->vertices += build->vertex_count + (uint64_t)build->faces.corners.count;
    if (build->faces.corners.count == CP_NONE || collada->vertices > limit_vertices(collada->context))
        return report_error(collada->context, CP_LIMIT, "collada-size",
                            AT_LINE(build->document->source->name, build->geometry->line),
                            "more vertices and corners than the limit of %llu (--limit vertices=)",
                            (unsigned long long)limit_vertices(collada->context));
    cp_status status = fill_faces(build, mesh);
    if (status == CP_OK)
        status = fill_positions(build, mesh);
    if (status == CP_OK)
        status = fill_normals(build, mesh);
    for (int set = 0; status == CP_OK && set < CP_COORDINATE_SETS; set++)
        status = fill_coordinates(build, mesh, set);
    return status == CP_OK ? fill_colours(build, mesh) : status;
}

/* ---- shapes ---- */

/* Makes the faces of a geometry, or its lines. */
static cp_status make_body(struct collada_document *document, const struct collada_geometry *geometry,
                           cp_mesh_kind kind, struct collada_body *body)
{
    struct collada *collada = document->collada;
    cp_context *context = collada->context;
    struct build build = {.collada = collada, .document = document, .geometry = geometry, .body = body};
    body->mesh.kind = kind;
    body->mesh.name = scene_text(collada->scene, *geometry->name ? geometry->name : geometry->id);
    body->mesh.source = collada->scene->source.file;
    cp_status status = body->mesh.name ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; status == CP_OK && i < geometry->primitive_count; i++) {
        const struct collada_primitive *primitive = &document->primitives[geometry->first_primitive + i];
        bool is_line = primitive->kind == COLLADA_LINES || primitive->kind == COLLADA_LINESTRIPS;
        if (is_line == (kind == CP_MESH_LINES))
            status = add_primitive(&build, primitive);
    }
    if (status == CP_OK && build.faces.ends.count > 0)
        status = fill_mesh(&build);
    memory_free(context, build.faces.corners.items, build.faces.corners.room, sizeof(uint32_t));
    memory_free(context, build.faces.ends.items, build.faces.ends.room, sizeof(uint32_t));
    memory_free(context, build.vertices, build.vertex_room, sizeof *build.vertices);
    memory_free(context, build.layouts, build.layout_room, sizeof *build.layouts);
    if (build.marks)
        memory_free(context, build.marks, build.positions.view.count + (size_t)1, sizeof *build.marks);
    return status;
}

cp_status collada_make_shape(struct collada_document *document, uint32_t row)
{
    struct collada_geometry *geometry = &document->geometries[row];
    if (geometry->shape)
        return CP_OK;
    geometry->shape = arena_allocate_zeroed(document->collada->arena, 1, sizeof *geometry->shape);
    if (!geometry->shape)
        return CP_LIMIT;
    geometry->shape->variants.context = document->collada->context;
    cp_status status = make_body(document, geometry, CP_MESH_FACES, &geometry->shape->faces);
    return status == CP_OK ? make_body(document, geometry, CP_MESH_LINES, &geometry->shape->lines) : status;
}

void collada_free_shape(struct collada *collada, struct collada_shape *shape)
{
    name_map_free(&shape->variants);
    memory_free(collada->context, shape->faces.groups, shape->faces.group_room, sizeof *shape->faces.groups);
    memory_free(collada->context, shape->lines.groups, shape->lines.group_room, sizeof *shape->lines.groups);
}
