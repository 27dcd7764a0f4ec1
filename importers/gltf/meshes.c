/* Meshes: the primitives of a glTF mesh as few scene meshes (glTF 2.0, section 3.7).
 *
 * Primitives of one kind - faces or lines, with or without normals - share a scene mesh. Those that name the same
 * accessors share its vertices; others follow one after the other. A primitive is a group. Meshes that differ only in
 * materials share all arrays. */
#include "gltf.h"

#include <string.h>

#include "../../scene/text/digits.h"

enum { MODE_POINTS, MODE_LINES, MODE_LOOP, MODE_LINE_STRIP, MODE_TRIANGLES, MODE_STRIP, MODE_FAN, MODE_COUNT };

enum { WITH_NORMALS = 1, WITH_LINES = 2, KIND_COUNT = 4 };

struct primitive {
    uint32_t value;
    uint32_t mode, kind;
    uint32_t positions, normals, colours, indices; /* accessors, or CP_NONE */
    uint32_t material;                             /* of the scene */
    uint32_t vertex_count;                         /* of its accessors */
    uint32_t first_vertex;                         /* in the scene mesh */
    bool first_use;                                /* brings its vertices */
    bool quantised;                                /* they are integers */
    const struct gltf_accessor *index_accessor;
    bool polygons;     /* FB_ngon_encoding */
    uint32_t elements; /* indices, or vertices when there are none */
};

/* The primitives of one kind, becoming a scene mesh. */
struct batch {
    struct gltf *gltf;
    struct primitive **primitives;
    uint32_t count;
    cp_mesh mesh;
    uint32_t *offsets, *corners; /* of the mesh, while they are filled */
    cp_group *groups;
    uint64_t vertices;
    bool all_triangles; /* no offsets are needed */
};

/* ---- reading primitives ---- */

static void check_same_count(struct gltf *gltf, const struct primitive *primitive, uint32_t index, const char *word)
{
    const struct gltf_accessor *accessor = index == CP_NONE ? NULL : gltf_accessor(gltf, index);
    uint32_t count = accessor ? accessor->count : primitive->vertex_count;
    if (count != primitive->vertex_count)
        gltf_error(gltf, primitive->value, "gltf-count", "%lu positions, but %lu elements of %s",
                   (unsigned long)primitive->vertex_count, (unsigned long)count, word);
}

static void read_accessors(struct gltf *gltf, struct primitive *primitive)
{
    uint32_t attributes = gltf_object(gltf, primitive->value, "attributes"), limit = gltf->accessor_list.count;
    primitive->positions = gltf_index(gltf, attributes, "POSITION", limit);
    primitive->normals = gltf_index(gltf, attributes, "NORMAL", limit);
    primitive->colours = gltf_index(gltf, attributes, "COLOR_0", limit);
    primitive->indices = gltf_index(gltf, primitive->value, "indices", limit);
    if (gltf->status != CP_OK || primitive->positions == CP_NONE)
        return;
    const struct gltf_accessor *positions = gltf_accessor(gltf, primitive->positions);
    if (!positions)
        return;
    primitive->vertex_count = positions->count;
    primitive->quantised = positions->type != COMPONENT_FLOAT;
    check_same_count(gltf, primitive, primitive->normals, "NORMAL");
    check_same_count(gltf, primitive, primitive->colours, "COLOR_0");
    primitive->elements = primitive->vertex_count;
    if (primitive->indices != CP_NONE)
        primitive->index_accessor = gltf_accessor(gltf, primitive->indices);
    if (primitive->index_accessor)
        primitive->elements = primitive->index_accessor->count;
}

static void count_primitive_losses(struct gltf *gltf, const struct primitive *primitive)
{
    const struct json_document *json = &gltf->json;
    gltf_loss(gltf, LOSS_TARGETS, json_member(json, primitive->value, "targets") != JSON_NONE);
    gltf_loss(gltf, LOSS_PRIMITIVE_EXTRAS, json_member(json, primitive->value, "extras") != JSON_NONE);
    uint32_t attributes = json_member(json, primitive->value, "attributes");
    bool more = json_member(json, attributes, "COLOR_1") != JSON_NONE;
    gltf_loss(gltf, LOSS_COLOURS, more);
}

/* False: nothing to keep, or an error. */
static bool read_primitive(struct gltf *gltf, uint32_t value, bool keep_normals, struct primitive *primitive)
{
    *primitive = (struct primitive){.value = value, .material = CP_NONE};
    uint64_t mode = gltf_integer(gltf, value, "mode", MODE_TRIANGLES);
    uint32_t material = gltf_index(gltf, value, "material", gltf->material_list.count);
    read_accessors(gltf, primitive);
    if (mode >= MODE_COUNT)
        gltf_error(gltf, value, "gltf-mode", "mode %llu of 0 to 6", (unsigned long long)mode);
    if (gltf->status != CP_OK)
        return false;
    count_primitive_losses(gltf, primitive);
    gltf_loss(gltf, LOSS_POSITIONS, primitive->positions == CP_NONE);
    gltf_loss(gltf, LOSS_POINTS, mode == MODE_POINTS ? primitive->elements : 0);
    if (!keep_normals)
        primitive->normals = CP_NONE;
    primitive->mode = (uint32_t)mode;
    primitive->polygons = mode == MODE_TRIANGLES && gltf_extension(gltf, value, "FB_ngon_encoding") != JSON_NONE;
    primitive->material = material == CP_NONE ? CP_NONE : gltf->materials[material];
    primitive->kind = (mode < MODE_TRIANGLES ? WITH_LINES : 0U) | (primitive->normals == CP_NONE ? 0U : WITH_NORMALS);
    return mode != MODE_POINTS && primitive->positions != CP_NONE;
}

/* ---- vertices ---- */

/* A number and a blank, as part of a key; NUMBER_SIZE bytes must be free. One more than it is: no index, which most
 * often there is, takes one digit then. */
static char *put_key_number(char *at, uint32_t number)
{
    at = put_whole(at, number + 1);
    *at = ' ';
    return at + 1;
}

/* The same text for the same vertices; NULL when out of memory. */
static const char *vertices_key(struct gltf *gltf, const struct primitive *primitive)
{
    char key[3 * NUMBER_SIZE], *end = put_key_number(key, primitive->positions);
    end = put_key_number(end, primitive->normals);
    end = put_key_number(end, primitive->colours);
    return arena_copy_text(gltf->arena, key, (size_t)(end - key));
}

/* Where the primitive's vertices begin: those of an earlier one with the same accessors, or behind all. */
static void find_vertices(struct batch *batch, struct name_map *seen, struct primitive *primitive)
{
    const char *key = vertices_key(batch->gltf, primitive);
    uint32_t *first = key ? name_map_add(seen, key, primitive->first_vertex, &primitive->first_use) : NULL;
    if (first)
        primitive->first_vertex = *first;
    else
        gltf_no_memory(batch->gltf);
}

/* Gives each primitive its place among the vertices: the same accessors, the same vertices. */
static void place_vertices(struct batch *batch)
{
    struct gltf *gltf = batch->gltf;
    struct name_map seen = {.context = gltf->context};
    for (uint32_t i = 0; i < batch->count && gltf->status == CP_OK; i++) {
        struct primitive *primitive = batch->primitives[i];
        primitive->first_vertex = (uint32_t)batch->vertices;
        primitive->first_use = true;
        if (batch->count > 1)
            find_vertices(batch, &seen, primitive);
        batch->vertices += primitive->first_use ? primitive->vertex_count : 0;
        if (batch->vertices >= UINT32_MAX)
            gltf_limit(gltf, primitive->value, "gltf-vertices", "a mesh of more than 4 294 967 295 vertices");
    }
    name_map_free(&seen);
    batch->mesh.vertex_count = (uint32_t)batch->vertices;
}

/* One after the other; a missing colour is white (section 3.7.2.1: colours are factors). */
static const float *gather(struct batch *batch, enum gltf_purpose purpose, size_t width)
{
    struct gltf *gltf = batch->gltf;
    float *all = NULL;
    if (gltf_take_room(gltf, batch->primitives[0]->value, batch->vertices)) {
        all = scene_allocate(gltf->scene, batch->vertices * width, sizeof *all);
        if (!all)
            gltf_no_memory(gltf);
    }
    for (uint32_t i = 0; i < batch->count && gltf->status == CP_OK; i++) {
        const struct primitive *primitive = batch->primitives[i];
        const uint32_t accessors[] = {primitive->positions, primitive->normals, primitive->colours};
        if (!primitive->first_use)
            continue;
        float *out = all + primitive->first_vertex * width;
        size_t count = primitive->vertex_count * width;
        const float *values = accessors[purpose] == CP_NONE ? NULL : gltf_attribute(gltf, accessors[purpose], purpose);
        for (size_t k = 0; !values && k < count; k++)
            out[k] = 1;
        if (values)
            memcpy(out, values, count * sizeof *out);
    }
    return all;
}

/* A single set of vertices is the accessor itself, shared with other meshes that name it. */
static const float *attribute(struct batch *batch, enum gltf_purpose purpose, size_t width)
{
    const struct primitive *first = batch->primitives[0];
    const uint32_t accessors[] = {first->positions, first->normals, first->colours};
    if (first->vertex_count == batch->vertices && accessors[purpose] != CP_NONE)
        return gltf_attribute(batch->gltf, accessors[purpose], purpose);
    return gather(batch, purpose, width);
}

static void fill_vertices(struct batch *batch)
{
    bool colours = false;
    for (uint32_t i = 0; i < batch->count; i++)
        colours = colours || batch->primitives[i]->colours != CP_NONE;
    batch->mesh.positions = attribute(batch, PURPOSE_POSITION, 3);
    if (batch->primitives[0]->normals != CP_NONE)
        batch->mesh.normals = attribute(batch, PURPOSE_NORMAL, 3);
    if (colours)
        batch->mesh.colours = attribute(batch, PURPOSE_COLOUR, 4);
}

/* ---- corners ---- */

/* Room for the corners and faces of a primitive, at most. */
static uint64_t most_corners(const struct primitive *primitive)
{
    uint64_t elements = primitive->elements;
    switch (primitive->mode) {
    case MODE_LOOP:
        return elements + 1;
    case MODE_STRIP:
    case MODE_FAN:
        return elements < 3 ? 0 : 3 * (elements - 2);
    default:
        return elements;
    }
}

static uint64_t most_faces(const struct primitive *primitive)
{
    switch (primitive->mode) {
    case MODE_LINES:
        return primitive->elements / 2;
    case MODE_LOOP:
    case MODE_LINE_STRIP:
        return 1;
    default:
        return most_corners(primitive) / 3;
    }
}

static bool allocate_corners(struct batch *batch)
{
    struct gltf *gltf = batch->gltf;
    uint64_t corners = 0, faces = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        corners += most_corners(batch->primitives[i]);
        faces += most_faces(batch->primitives[i]);
    }
    if (!gltf_take_room(gltf, batch->primitives[0]->value, corners))
        return false;
    if (corners >= UINT32_MAX) {
        gltf_limit(gltf, batch->primitives[0]->value, "gltf-corners", "a mesh of more than 4 294 967 295 corners");
        return false;
    }
    batch->all_triangles = batch->mesh.kind != CP_MESH_LINES;
    for (uint32_t i = 0; i < batch->count; i++)
        batch->all_triangles = batch->all_triangles && !batch->primitives[i]->polygons;
    batch->corners = scene_allocate(gltf->scene, corners, sizeof *batch->corners);
    batch->offsets = scene_allocate(gltf->scene, batch->all_triangles ? 1 : faces + 1, sizeof *batch->offsets);
    batch->groups = scene_allocate(gltf->scene, batch->count, sizeof *batch->groups);
    if (batch->corners && batch->offsets && batch->groups)
        return true;
    gltf_no_memory(gltf);
    return false;
}

static void add_face(struct batch *batch, const uint32_t *corners, uint32_t count)
{
    cp_mesh *mesh = &batch->mesh;
    memmove(batch->corners + mesh->corner_count, corners, count * sizeof *corners);
    mesh->corner_count += count;
    mesh->face_count++;
    if (!batch->all_triangles)
        batch->offsets[mesh->face_count] = mesh->corner_count;
}

static void add_pieces(struct batch *batch, const uint32_t *elements, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; count - i >= size; i += size)
        add_face(batch, elements + i, size);
}

/* FB_ngon_encoding: triangles in a row that begin at the same vertex are the fan of one polygon. */
static void add_polygons(struct batch *batch, const uint32_t *elements, uint32_t count)
{
    cp_mesh *mesh = &batch->mesh;
    for (uint32_t i = 0; count - i >= 3; i += 3) {
        const uint32_t *triangle = elements + i;
        if (i > 0 && triangle[0] == triangle[-3] && triangle[1] == triangle[-1]) {
            batch->corners[mesh->corner_count++] = triangle[2];
            batch->offsets[mesh->face_count] = mesh->corner_count;
        } else {
            add_face(batch, triangle, 3);
        }
    }
}

/* Triangles of a strip that name a vertex twice only lead the strip elsewhere. */
static void add_strip(struct batch *batch, const uint32_t *elements, uint32_t count)
{
    for (uint32_t i = 0; i + 2 < count; i++) {
        const uint32_t corners[] = {elements[i], elements[i + 1 + i % 2], elements[i + 2 - i % 2]};
        if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
            add_face(batch, corners, 3);
    }
}

static void add_fan(struct batch *batch, const uint32_t *elements, uint32_t count)
{
    for (uint32_t i = 1; i + 1 < count; i++) {
        const uint32_t corners[] = {elements[i], elements[i + 1], elements[0]};
        add_face(batch, corners, 3);
    }
}

static void add_line(struct batch *batch, const uint32_t *elements, uint32_t count, bool closed)
{
    if (count < 2)
        return;
    add_face(batch, elements, count);
    if (closed) {
        batch->corners[batch->mesh.corner_count++] = elements[0];
        batch->offsets[batch->mesh.face_count] = batch->mesh.corner_count;
    }
}

static void add_faces(struct batch *batch, const struct primitive *primitive, const uint32_t *elements)
{
    uint32_t count = primitive->elements;
    switch (primitive->mode) {
    case MODE_LINES:
        add_pieces(batch, elements, count, 2);
        break;
    case MODE_LOOP:
    case MODE_LINE_STRIP:
        add_line(batch, elements, count, primitive->mode == MODE_LOOP);
        break;
    case MODE_STRIP:
        add_strip(batch, elements, count);
        break;
    case MODE_FAN:
        add_fan(batch, elements, count);
        break;
    default:
        if (primitive->polygons)
            add_polygons(batch, elements, count);
        else
            add_pieces(batch, elements, count, 3);
    }
}

/* The vertex of each element, in the scene mesh. */
static bool load_elements(struct batch *batch, const struct primitive *primitive, uint32_t *elements)
{
    struct gltf *gltf = batch->gltf;
    if (primitive->indices == CP_NONE) {
        for (uint32_t i = 0; i < primitive->elements; i++)
            elements[i] = i;
    } else {
        uint32_t value = json_member(&gltf->json, primitive->value, "indices");
        if (!gltf_indices(gltf, primitive->index_accessor, value, primitive->vertex_count, elements))
            return false;
    }
    for (uint32_t i = 0; i < primitive->elements; i++)
        elements[i] += primitive->first_vertex;
    return true;
}

static void check_remainder(struct gltf *gltf, const struct primitive *primitive)
{
    static const uint32_t pieces[MODE_COUNT] = {1, 2, 1, 1, 3, 1, 1}, least[MODE_COUNT] = {0, 0, 2, 2, 0, 3, 3};
    uint32_t rest = primitive->elements % pieces[primitive->mode];
    if (primitive->elements < least[primitive->mode])
        rest = primitive->elements;
    if (rest > 0 && gltf->status == CP_OK &&
        report_lenient(gltf->context, gltf->settings->common.strict, "gltf-remainder", IN_FILE(gltf->source->name),
                       "a primitive of mode %lu has %lu corners too many or too few", (unsigned long)primitive->mode,
                       (unsigned long)rest) != CP_OK)
        gltf->status = CP_INPUT;
}

/* Whether the elements are the corners as they are. */
static bool is_list_of_triangles(const struct batch *batch, const struct primitive *primitive)
{
    return batch->all_triangles && primitive->mode == MODE_TRIANGLES && primitive->elements % 3 == 0;
}

static void load_triangles(struct batch *batch, const struct primitive *primitive)
{
    cp_mesh *mesh = &batch->mesh;
    if (!load_elements(batch, primitive, batch->corners + mesh->corner_count))
        return;
    mesh->corner_count += primitive->elements;
    mesh->face_count += primitive->elements / 3;
}

static void load_faces(struct batch *batch, const struct primitive *primitive)
{
    struct gltf *gltf = batch->gltf;
    uint32_t *elements = memory_allocate(gltf->context, primitive->elements, sizeof *elements);
    if (!elements) {
        gltf_no_memory(gltf);
        return;
    }
    check_remainder(gltf, primitive);
    if (load_elements(batch, primitive, elements))
        add_faces(batch, primitive, elements);
    memory_free(gltf->context, elements, primitive->elements, sizeof *elements);
}

static void fill_group(struct batch *batch, const struct primitive *primitive, cp_group *group)
{
    group->first_face = batch->mesh.face_count;
    group->material = primitive->material;
    if (is_list_of_triangles(batch, primitive))
        load_triangles(batch, primitive);
    else
        load_faces(batch, primitive);
    group->face_count = batch->mesh.face_count - group->first_face;
}

static void give_groups(struct batch *batch)
{
    batch->mesh.groups = batch->groups;
    batch->mesh.group_count = batch->count;
    if (batch->count == 1 && batch->groups[0].material == CP_NONE)
        batch->mesh.group_count = 0;
}

static void fill_corners(struct batch *batch)
{
    cp_mesh *mesh = &batch->mesh;
    if (!allocate_corners(batch))
        return;
    batch->offsets[0] = 0;
    for (uint32_t i = 0; i < batch->count && batch->gltf->status == CP_OK; i++)
        fill_group(batch, batch->primitives[i], &batch->groups[i]);
    mesh->corners = batch->corners;
    mesh->face_offsets = batch->all_triangles ? NULL : batch->offsets;
    give_groups(batch);
}

/* ---- shapes: what the primitives of a mesh draw, whatever their materials ---- */

/* The same text for the same shape; NULL when out of memory. */
static const char *shape_key(struct batch *batch)
{
    struct buffer text = {.context = batch->gltf->context};
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct primitive *primitive = batch->primitives[i];
        const uint32_t parts[] = {primitive->positions, primitive->normals, primitive->colours,
                                  primitive->indices,   primitive->mode,    primitive->polygons};
        char numbers[6 * NUMBER_SIZE], *end = numbers;
        for (size_t k = 0; k < 6; k++)
            end = put_key_number(end, parts[k]);
        buffer_append(&text, numbers, (size_t)(end - numbers));
    }
    const char *key = text.failed ? NULL : arena_copy_text(batch->gltf->arena, text.data, text.size);
    buffer_free(&text);
    return key;
}

/* The arrays of an earlier mesh with groups of its own. */
static void share_shape(struct batch *batch, const cp_mesh *shape)
{
    const cp_mesh own = batch->mesh;
    batch->groups = scene_allocate(batch->gltf->scene, batch->count, sizeof *batch->groups);
    if (!batch->groups) {
        gltf_no_memory(batch->gltf);
        return;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->groups[i] = shape->groups[i];
        batch->groups[i].material = batch->primitives[i]->material;
    }
    batch->mesh = *shape;
    batch->mesh.id = own.id;
    batch->mesh.name = own.name;
    batch->mesh.source = own.source;
    give_groups(batch);
}

static void make_shape(struct batch *batch)
{
    struct gltf *gltf = batch->gltf;
    bool added = true;
    const char *key = shape_key(batch);
    const uint32_t *mesh = key ? name_map_add(&gltf->maps[MAP_SHAPES], key, gltf->meshes_count, &added) : NULL;
    if (!mesh) {
        gltf_no_memory(gltf);
        return;
    }
    if (!added) {
        const struct gltf_mesh *first = &gltf->meshes[*mesh];
        share_shape(batch, first->drawn ? first->drawn : &first->mesh);
        return;
    }
    place_vertices(batch);
    if (gltf->status == CP_OK)
        fill_vertices(batch);
    if (gltf->status == CP_OK)
        fill_corners(batch);
}

/* ---- meshes ---- */

static void add_mesh(struct gltf *gltf, const struct gltf_mesh *mesh)
{
    void *items = gltf->meshes;
    if (gltf->status != CP_OK)
        return;
    if (!array_reserve(gltf->context, &items, &gltf->meshes_room, (uint64_t)gltf->meshes_count + 1, sizeof *mesh)) {
        gltf_no_memory(gltf);
        return;
    }
    gltf->meshes = items;
    gltf->meshes[gltf->meshes_count++] = *mesh;
}

static uint64_t drawn_elements(const struct batch *batch)
{
    uint64_t drawn = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        drawn += batch->primitives[i]->elements;
    return drawn;
}

static bool has_same_shape(const cp_mesh *a, const cp_mesh *b)
{
    return a->kind == b->kind && a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           a->corner_count == b->corner_count && a->group_count == b->group_count && a->positions == b->positions &&
           a->normals == b->normals && a->colours == b->colours && a->face_offsets == b->face_offsets &&
           a->corners == b->corners && a->groups == b->groups;
}

static void keep_drawn(const struct batch *batch, struct gltf_mesh *mesh)
{
    mesh->drawn = arena_copy(batch->gltf->arena, &batch->mesh, 1, sizeof batch->mesh);
    if (!mesh->drawn)
        gltf_no_memory(batch->gltf);
}

static void add_batch(struct batch *batch, uint32_t value, uint32_t own)
{
    struct gltf *gltf = batch->gltf;
    make_shape(batch);
    struct gltf_mesh mesh = {.mesh = batch->mesh, .own = own, .value = value, .position = CP_NONE};
    for (uint32_t i = 0; i < batch->count; i++)
        mesh.requantised = mesh.requantised || batch->primitives[i]->quantised;
    if (gltf->status == CP_OK && own != JSON_NONE)
        own_read_mesh(gltf, &mesh, drawn_elements(batch));
    if (gltf->status == CP_OK && !has_same_shape(&mesh.mesh, &batch->mesh))
        keep_drawn(batch, &mesh);
    add_mesh(gltf, &mesh);
}

/* Room for the primitives of any mesh, used for one after the other. */
struct scratch {
    struct primitive *primitives, **chosen;
};

/* A batch for each kind that occurs. Only the first has the name's extras: ids are for one mesh. */
static void add_batches(struct gltf *gltf, uint32_t value, const struct scratch *scratch, uint32_t count)
{
    const char *name = gltf_text(gltf, value, "name");
    uint32_t own = gltf_own(gltf, value);
    struct primitive *primitives = scratch->primitives;
    for (uint32_t kind = 0; kind < KIND_COUNT && gltf->status == CP_OK; kind++) {
        struct batch batch = {.gltf = gltf, .primitives = scratch->chosen};
        batch.mesh = (cp_mesh){.name = name, .kind = kind & WITH_LINES ? CP_MESH_LINES : CP_MESH_FACES};
        for (uint32_t i = 0; i < count; i++)
            if (primitives[i].kind == kind)
                scratch->chosen[batch.count++] = &primitives[i];
        if (batch.count == 0)
            continue;
        add_batch(&batch, value, own);
        own = JSON_NONE;
    }
}

static void read_mesh(struct gltf *gltf, uint32_t value, const struct scratch *scratch)
{
    struct gltf_list list = gltf_items(gltf, value, "primitives", true);
    bool keep_normals = !gltf_made(gltf, gltf_own(gltf, value), "normals");
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        count += read_primitive(gltf, list.items[i], keep_normals, &scratch->primitives[count]);
    if (gltf->ours) {
        gltf_loss(gltf, LOSS_CHANGED_MESHES, gltf_own(gltf, value) == JSON_NONE);
        gltf->held[HELD_MESHES]++;
    }
    if (gltf->status == CP_OK)
        add_batches(gltf, value, scratch, count);
}

static struct scratch allocate_scratch(struct gltf *gltf)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < gltf->mesh_list.count; i++) {
        uint32_t count = json_count(&gltf->json, json_member(&gltf->json, gltf->mesh_list.items[i], "primitives"));
        most = count > most ? count : most;
    }
    return (struct scratch){gltf_allocate(gltf, most, sizeof(struct primitive)),
                            gltf_allocate(gltf, most, sizeof(struct primitive *))};
}

void gltf_read_meshes(struct gltf *gltf)
{
    uint32_t count = gltf->mesh_list.count;
    struct scratch scratch = allocate_scratch(gltf);
    gltf->mesh_first = gltf_allocate(gltf, (size_t)count + 1, sizeof *gltf->mesh_first);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        gltf->mesh_first[i] = gltf->meshes_count;
        read_mesh(gltf, gltf->mesh_list.items[i], &scratch);
    }
    if (gltf->status == CP_OK)
        gltf->mesh_first[count] = gltf->meshes_count;
    struct gltf_list undrawn = gltf_items(gltf, gltf->scene_own, "meshes", true);
    gltf->held[HELD_MESHES] += undrawn.count;
    for (uint32_t i = 0; i < undrawn.count && gltf->status == CP_OK; i++) {
        struct gltf_mesh mesh = own_undrawn_mesh(gltf, undrawn.items[i]);
        add_mesh(gltf, &mesh);
    }
}

static void place_mesh(struct gltf *gltf, struct gltf_mesh *mesh)
{
    mesh->target = scene_add_mesh(gltf->scene, &mesh->mesh);
    if (mesh->target == CP_NONE) {
        gltf_no_memory(gltf);
        return;
    }
    if (mesh->mesh.id)
        own_name(gltf, MAP_MESHES, mesh->mesh.id, mesh->target);
    own_read_metadata(gltf, mesh->own, CP_OWNER_MESH, mesh->target);
    gltf_keep_extras(gltf, mesh->value, CP_OWNER_MESH, mesh->target);
}

void gltf_place_meshes(struct gltf *gltf)
{
    uint32_t count = gltf->meshes_count;
    uint32_t *positions = gltf_allocate(gltf, count, sizeof *positions);
    uint32_t *sequence = gltf_allocate(gltf, count, sizeof *sequence);
    for (uint32_t i = 0; i < count && sequence; i++)
        positions[i] = gltf->meshes[i].position;
    if (!sequence || !gltf_arrange(gltf, positions, count, sequence))
        return;
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        place_mesh(gltf, &gltf->meshes[sequence[i]]);
}
