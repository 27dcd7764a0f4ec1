/* Meshes: the primitives of a glTF mesh as few scene meshes (glTF 2.0, section 3.7).
 *
 * Primitives of one kind - faces or lines, with or without normals, tangents and the coordinates of their textures -
 * share a scene mesh. Those that name
 * the same accessors share its vertices; others follow one after the other. A primitive is a group. Meshes that differ
 * only in materials share all arrays. */
#include "gltf.h"

#include <string.h>

#include "base/text/digits.h"
#include "base/text/text.h"

enum { MODE_POINTS, MODE_LINES, MODE_LOOP, MODE_LINE_STRIP, MODE_TRIANGLES, MODE_STRIP, MODE_FAN, MODE_COUNT };

enum {
    WITH_NORMALS = 1,
    WITH_LINES = 2,
    WITH_TANGENTS = 4,
    LACKS_SET = 8, /* of coordinates, which its material shows and other primitives have; it has these: */
    WITH_FIRST_SET = 16,
    WITH_SECOND_SET = 32,
    KIND_COUNT = 64
};

struct primitive {
    uint32_t value;
    uint32_t mode, kind;
    uint32_t attributes[PURPOSE_COUNT], indices; /* accessors, or CP_NONE */
    uint32_t material;                           /* of the scene */
    uint32_t vertex_count;                       /* of its accessors */
    uint32_t first_vertex;                       /* in the scene mesh */
    bool first_use;                              /* brings its vertices */
    bool quantised;                              /* they are integers */
    const struct gltf_accessor *index_accessor;
    bool polygons;     /* FB_ngon_encoding */
    uint32_t elements; /* the number of indices, or of vertices when there are none */
};

/* The primitives of one kind, becoming a scene mesh. */
struct batch {
    struct primitive **primitives;
    uint32_t count;
    cp_mesh mesh;
    uint32_t *offsets, *corners; /* the mesh's, while they are filled */
    cp_group *groups;
    uint64_t vertices;
    bool all_triangles; /* no offsets are needed */
};

/* ---- reading primitives ---- */

static void check_same_count(struct gltf *gltf, struct gltf_buffers *buffers, const struct primitive *primitive,
                             uint32_t index, const char *word)
{
    const struct gltf_accessor *accessor = index == CP_NONE ? NULL : gltf_accessor(gltf, buffers, index);
    uint32_t count = accessor ? accessor->count : primitive->vertex_count;
    if (count != primitive->vertex_count)
        gltf_error(gltf, primitive->value, "gltf-count", "%lu positions, but %lu elements of %s",
                   (unsigned long)primitive->vertex_count, (unsigned long)count, word);
}

/* Returns the tangents if they can be used, that is, with normals only. Those that do not fit the positions are left
 * out, as viewers make them. */
static uint32_t usable_tangents(struct gltf *gltf, struct gltf_buffers *buffers, struct gltf_mended *mended,
                                const struct primitive *primitive)
{
    uint32_t tangents = primitive->attributes[PURPOSE_TANGENT];
    if (tangents == CP_NONE)
        return CP_NONE;
    const struct gltf_accessor *accessor = gltf_accessor(gltf, buffers, tangents);
    bool fits = accessor && accessor->count == primitive->vertex_count && accessor->components == 4;
    bool lit = primitive->attributes[PURPOSE_NORMAL] != CP_NONE;
    mended->odd_tangents += accessor && !fits;
    gltf_loss(gltf, LOSS_TANGENTS, fits && !lit);
    return fits && lit ? tangents : CP_NONE;
}

static bool has_bytes(struct gltf *gltf, uint32_t accessor)
{
    const struct json_document *json = &gltf->json;
    uint32_t value = accessor == CP_NONE ? JSON_NONE : gltf->lists.accessors.items[accessor];
    return value == JSON_NONE || json_member(json, value, "bufferView") != JSON_NONE ||
           json_member(json, value, "sparse") != JSON_NONE;
}

/* Tells whether a primitive is there only as Draco compressed it. Its accessors have bytes if its exporter wrote it
 * uncompressed, too. */
static bool has_only_draco(struct gltf *gltf, const struct primitive *primitive)
{
    if (gltf_extension(gltf, primitive->value, "KHR_draco_mesh_compression") == JSON_NONE)
        return false;
    bool whole = has_bytes(gltf, primitive->indices);
    for (int i = 0; i < PURPOSE_COUNT; i++)
        whole = whole && has_bytes(gltf, primitive->attributes[i]);
    return !whole;
}

/* Reads a primitive. False: nothing to keep, or an error. */
static bool read_primitive(struct gltf *gltf, struct gltf_buffers *buffers, const struct gltf_materials *materials,
                           struct gltf_mended *mended, uint32_t value, bool keep_normals, struct primitive *primitive)
{
    const struct json_document *json = &gltf->json;
    *primitive = (struct primitive){.value = value, .material = CP_NONE};
    uint64_t mode = gltf_integer(gltf, value, "mode", MODE_TRIANGLES);
    uint32_t material = gltf_index(gltf, value, "material", gltf->lists.materials.count);

    /* Check the accessors: all attributes must have as many elements as there are positions. */
    uint32_t attributes = gltf_object(gltf, value, "attributes"), limit = gltf->lists.accessors.count;
    primitive->attributes[PURPOSE_POSITION] = gltf_index(gltf, attributes, "POSITION", limit);
    primitive->attributes[PURPOSE_NORMAL] = gltf_index(gltf, attributes, "NORMAL", limit);
    primitive->attributes[PURPOSE_TANGENT] = gltf_index(gltf, attributes, "TANGENT", limit);
    primitive->attributes[PURPOSE_COLOUR] = gltf_index(gltf, attributes, "COLOR_0", limit);
    primitive->attributes[PURPOSE_COORDINATES] = gltf_index(gltf, attributes, "TEXCOORD_0", limit);
    primitive->attributes[PURPOSE_COORDINATES + 1] = gltf_index(gltf, attributes, "TEXCOORD_1", limit);
    primitive->indices = gltf_index(gltf, value, "indices", limit);
    bool any = gltf->status == CP_OK && primitive->attributes[PURPOSE_POSITION] != CP_NONE;
    if (any && has_only_draco(gltf, primitive))
        gltf_error(gltf, value, "gltf-draco",
                   "KHR_draco_mesh_compression is not supported, and there is no uncompressed fallback");
    const struct gltf_accessor *positions =
        any ? gltf_accessor(gltf, buffers, primitive->attributes[PURPOSE_POSITION]) : NULL;
    if (positions) {
        primitive->elements = primitive->vertex_count = positions->count;
        primitive->quantised = positions->type != COMPONENT_FLOAT;
        check_same_count(gltf, buffers, primitive, primitive->attributes[PURPOSE_NORMAL], "NORMAL");
        primitive->attributes[PURPOSE_TANGENT] = usable_tangents(gltf, buffers, mended, primitive);
        check_same_count(gltf, buffers, primitive, primitive->attributes[PURPOSE_COLOUR], "COLOR_0");
        check_same_count(gltf, buffers, primitive, primitive->attributes[PURPOSE_COORDINATES], "TEXCOORD_0");
        check_same_count(gltf, buffers, primitive, primitive->attributes[PURPOSE_COORDINATES + 1], "TEXCOORD_1");
        if (primitive->indices != CP_NONE)
            primitive->index_accessor = gltf_accessor(gltf, buffers, primitive->indices);
        if (primitive->index_accessor)
            primitive->elements = primitive->index_accessor->count;
    }
    if (mode >= MODE_COUNT)
        gltf_error(gltf, value, "gltf-mode", "mode %llu of 0 to 6", (unsigned long long)mode);
    if (gltf->status != CP_OK)
        return false;

    gltf_loss(gltf, LOSS_TARGETS, json_member(json, value, "targets") != JSON_NONE);
    gltf_loss(gltf, LOSS_PRIMITIVE_EXTRAS, json_member(json, value, "extras") != JSON_NONE);
    gltf_loss(gltf, LOSS_COLOURS, json_member(json, attributes, "COLOR_1") != JSON_NONE);
    gltf_loss(gltf, LOSS_FURTHER_SETS, json_member(json, attributes, "TEXCOORD_2") != JSON_NONE);
    gltf_loss(gltf, LOSS_POSITIONS, primitive->attributes[PURPOSE_POSITION] == CP_NONE);
    gltf_loss(gltf, LOSS_POINTS, mode == MODE_POINTS ? primitive->elements : 0);
    if (!keep_normals)
        primitive->attributes[PURPOSE_NORMAL] = primitive->attributes[PURPOSE_TANGENT] = CP_NONE;
    primitive->mode = (uint32_t)mode;
    primitive->polygons = mode == MODE_TRIANGLES && gltf_extension(gltf, value, "FB_ngon_encoding") != JSON_NONE;
    primitive->material = material == CP_NONE ? CP_NONE : materials->items[material];
    primitive->kind = (mode < MODE_TRIANGLES ? WITH_LINES : 0U) |
                      (primitive->attributes[PURPOSE_NORMAL] == CP_NONE ? 0U : WITH_NORMALS) |
                      (primitive->attributes[PURPOSE_TANGENT] == CP_NONE ? 0U : WITH_TANGENTS);
    return mode != MODE_POINTS && primitive->attributes[PURPOSE_POSITION] != CP_NONE;
}

/* Tells whether the primitive's material shows a texture by a set of coordinates that the primitive does not have. */
static bool lacks_set(const cp_scene *scene, const struct primitive *primitive, uint32_t set)
{
    if (primitive->material == CP_NONE || primitive->attributes[PURPOSE_COORDINATES + set] != CP_NONE)
        return false;
    const cp_material *material = &scene->materials[primitive->material];
    for (uint32_t k = 0; k < material->texture_count; k++)
        if (material->textures[k].texture != CP_NONE && material->textures[k].set == set)
            return true;
    return false;
}

/* Gives primitives without the coordinates of their textures a kind of their own: among others that have some, zeros
 * would stand for theirs. Those with the second set alone show their textures by that one. */
static void part_by_coordinates(struct gltf_reading *reading, struct primitive *primitives, uint32_t count)
{
    bool any[2] = {false, false};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t set = 0; set < 2; set++)
            any[set] |= primitives[i].attributes[PURPOSE_COORDINATES + set] != CP_NONE;
    for (uint32_t i = 0; i < count; i++) {
        struct primitive *primitive = &primitives[i];
        bool lacks[2] = {lacks_set(reading->scene, primitive, 0), lacks_set(reading->scene, primitive, 1)};
        bool first = primitive->attributes[PURPOSE_COORDINATES] != CP_NONE;
        bool second = primitive->attributes[PURPOSE_COORDINATES + 1] != CP_NONE;
        reading->mended.other_sets += lacks[0] && second;
        if ((lacks[0] && (any[0] || any[1])) || (lacks[1] && any[1]))
            primitive->kind |= LACKS_SET | (first ? WITH_FIRST_SET : 0U) | (second ? WITH_SECOND_SET : 0U);
    }
}

/* Gives a material to primitives that have none, but colours with an alpha below 1. */
static void make_opaque(struct gltf_reading *reading, struct primitive *primitive)
{
    struct gltf *gltf = &reading->gltf;
    uint32_t colours = primitive->attributes[PURPOSE_COLOUR];
    if (colours == CP_NONE || json_member(&gltf->json, primitive->value, "material") != JSON_NONE)
        return;
    const float *values = gltf_attribute(gltf, &reading->buffers, colours, PURPOSE_COLOUR);
    for (uint32_t i = 0; values && i < primitive->vertex_count; i++)
        if (values[(size_t)i * 4 + 3] < 1) {
            primitive->material = gltf_opaque_material(gltf, reading->scene, &reading->materials);
            return;
        }
}

/* ---- vertices ---- */

/* Returns the map's entry for the numbers: `index` if they are new. NULL is an error already noted. Each number is
 * printed one larger, so that CP_NONE, the most frequent, takes one digit. */
static const uint32_t *add_numbers(struct gltf *gltf, struct name_map *map, const uint32_t *numbers, size_t count,
                                   uint32_t index, bool *added)
{
    struct buffer text = {.context = gltf->context};
    for (size_t i = 0; i < count; i++) {
        char digits[NUMBER_SIZE], *end = put_whole(digits, numbers[i] + 1);
        *end++ = ' ';
        buffer_append(&text, digits, (size_t)(end - digits));
    }
    const char *key = text.failed ? NULL : arena_copy_text(gltf->arena, text.data, text.size);
    const uint32_t *entry = key ? name_map_add(map, key, index, added) : NULL;
    buffer_free(&text);
    if (!entry)
        gltf_no_memory(gltf);
    return entry;
}

/* Gives each primitive its place among the vertices: the same accessors get the same vertices. */
static void place_vertices(struct gltf *gltf, struct batch *batch)
{
    struct name_map seen = {.context = gltf->context};
    for (uint32_t i = 0; i < batch->count && gltf->status == CP_OK; i++) {
        struct primitive *primitive = batch->primitives[i];
        uint32_t next = (uint32_t)batch->vertices;
        primitive->first_use = true;
        const uint32_t *first = batch->count > 1 ? add_numbers(gltf, &seen, primitive->attributes, PURPOSE_COUNT, next,
                                                               &primitive->first_use)
                                                 : &next;
        primitive->first_vertex = first ? *first : next;
        batch->vertices += primitive->first_use ? primitive->vertex_count : 0;
        if (batch->vertices >= UINT32_MAX)
            gltf_limit(gltf, primitive->value, "gltf-vertices", "a mesh of more than 4 294 967 295 vertices");
    }
    name_map_free(&seen);
    batch->mesh.vertex_count = (uint32_t)batch->vertices;
}

/* Gathers an attribute of all vertices; NULL is an error already noted. A single set of vertices is the accessor
 * itself, shared with other meshes that name it. Several follow one after the other. A missing colour is white (section
 * 3.7.2.1: colours are factors); missing texture coordinates are zero, as no material of theirs uses them. */
static const float *gather(struct gltf *gltf, struct gltf_buffers *buffers, struct batch *batch,
                           enum gltf_purpose purpose)
{
    const struct primitive *first = batch->primitives[0];
    size_t width = vertex_arrays[purpose].width;
    if (first->vertex_count == batch->vertices && first->attributes[purpose] != CP_NONE)
        return gltf_attribute(gltf, buffers, first->attributes[purpose], purpose);
    if (!gltf_take_room(gltf, first->value, batch->vertices))
        return NULL;
    float *all = gltf_scene_array(gltf, batch->vertices * width, sizeof *all);
    for (uint32_t i = 0; i < batch->count && gltf->status == CP_OK; i++) {
        const struct primitive *primitive = batch->primitives[i];
        if (!primitive->first_use)
            continue;
        float *out = all + primitive->first_vertex * width;
        size_t count = primitive->vertex_count * width;
        uint32_t accessor = primitive->attributes[purpose];
        const float *values = accessor == CP_NONE ? NULL : gltf_attribute(gltf, buffers, accessor, purpose);
        for (size_t k = 0; !values && k < count; k++)
            out[k] = purpose == PURPOSE_COLOUR ? 1 : 0;
        if (values)
            memcpy(out, values, count * sizeof *out);
    }
    return all;
}

/* ---- corners ---- */

static void add_face(struct batch *batch, const uint32_t *corners, uint32_t count)
{
    cp_mesh *mesh = &batch->mesh;
    memmove(batch->corners + mesh->corner_count, corners, count * sizeof *corners);
    mesh->corner_count += count;
    mesh->face_count++;
    if (!batch->all_triangles)
        batch->offsets[mesh->face_count] = mesh->corner_count;
}

/* Adds a corner to the last face. */
static void add_corner(struct batch *batch, uint32_t corner)
{
    cp_mesh *mesh = &batch->mesh;
    batch->corners[mesh->corner_count++] = corner;
    batch->offsets[mesh->face_count] = mesh->corner_count;
}

/* Adds the faces or lines of a primitive from the vertices of its elements (section 3.7.2.1). */
static void add_faces(struct batch *batch, const struct primitive *primitive, const uint32_t *elements)
{
    uint32_t count = primitive->elements;
    switch (primitive->mode) {
    case MODE_LINES:
        for (uint32_t i = 0; count - i >= 2; i += 2)
            add_face(batch, elements + i, 2);
        break;
    case MODE_LOOP:
    case MODE_LINE_STRIP:
        if (count < 2)
            break;
        add_face(batch, elements, count);
        if (primitive->mode == MODE_LOOP)
            add_corner(batch, elements[0]);
        break;
    case MODE_STRIP: /* triangles that name a vertex twice only connect parts of a strip */
        for (uint32_t i = 0; i + 2 < count; i++) {
            const uint32_t corners[] = {elements[i], elements[i + 1 + i % 2], elements[i + 2 - i % 2]};
            if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
                add_face(batch, corners, 3);
        }
        break;
    case MODE_FAN:
        for (uint32_t i = 1; i + 1 < count; i++) {
            const uint32_t corners[] = {elements[i], elements[i + 1], elements[0]};
            add_face(batch, corners, 3);
        }
        break;
    default: /* FB_ngon_encoding: consecutive triangles that begin at the same vertex are the fan of one polygon */
        for (uint32_t i = 0; count - i >= 3; i += 3) {
            const uint32_t *triangle = elements + i;
            if (primitive->polygons && i > 0 && triangle[0] == triangle[-3] && triangle[1] == triangle[-1])
                add_corner(batch, triangle[2]);
            else
                add_face(batch, triangle, 3);
        }
    }
}

static void fill_group(struct gltf *gltf, struct gltf_buffers *buffers, struct batch *batch,
                       const struct primitive *primitive, cp_group *group)
{
    static const uint32_t pieces[MODE_COUNT] = {1, 2, 1, 1, 3, 1, 1}, least[MODE_COUNT] = {0, 0, 2, 2, 0, 3, 3};
    cp_mesh *mesh = &batch->mesh;
    uint32_t count = primitive->elements;
    *group = (cp_group){.first_face = mesh->face_count, .material = primitive->material};

    /* Whole triangles are read straight into the corners; other elements need memory of their own. */
    bool as_they_are = batch->all_triangles && primitive->mode == MODE_TRIANGLES && count % 3 == 0;
    uint32_t *elements =
        as_they_are ? batch->corners + mesh->corner_count : memory_allocate(gltf->context, count, sizeof *elements);
    if (!elements) {
        gltf_no_memory(gltf);
        return;
    }
    uint32_t rest = count < least[primitive->mode] ? count : count % pieces[primitive->mode];
    if (rest > 0 && gltf->status == CP_OK &&
        report_lenient(gltf->context, gltf->settings->common.strict, "gltf-remainder", IN_FILE(gltf->source->name),
                       "a primitive of mode %lu has %lu corners too many or too few", (unsigned long)primitive->mode,
                       (unsigned long)rest) != CP_OK)
        gltf->status = CP_INPUT;

    for (uint32_t i = 0; primitive->indices == CP_NONE && i < count; i++)
        elements[i] = i;
    bool loaded = primitive->indices == CP_NONE || gltf_indices(gltf, buffers, primitive->index_accessor,
                                                                json_member(&gltf->json, primitive->value, "indices"),
                                                                primitive->vertex_count, elements);
    for (uint32_t i = 0; loaded && i < count; i++)
        elements[i] += primitive->first_vertex;
    if (as_they_are && loaded) {
        mesh->corner_count += count;
        mesh->face_count += count / 3;
    } else if (loaded) {
        add_faces(batch, primitive, elements);
    }
    if (!as_they_are)
        memory_free(gltf->context, elements, count, sizeof *elements);
    group->face_count = mesh->face_count - group->first_face;
}

/* Gives the groups to the mesh; a single group without a material is left out. */
static void give_groups(struct batch *batch)
{
    bool lone = batch->count == 1 && batch->groups[0].material == CP_NONE;
    batch->mesh.groups = batch->groups;
    batch->mesh.group_count = lone ? 0 : batch->count;
}

static void fill_corners(struct gltf *gltf, struct gltf_buffers *buffers, struct batch *batch)
{
    cp_mesh *mesh = &batch->mesh;
    uint64_t corners = 0, faces = 0;
    batch->all_triangles = mesh->kind != CP_MESH_LINES;
    for (uint32_t i = 0; i < batch->count; i++) { /* the most corners of a primitive */
        const struct primitive *primitive = batch->primitives[i];
        uint32_t mode = primitive->mode;
        bool strip = mode == MODE_STRIP || mode == MODE_FAN, line = mode == MODE_LOOP || mode == MODE_LINE_STRIP;
        uint64_t elements = primitive->elements, most = elements + (mode == MODE_LOOP);
        if (strip)
            most = elements < 3 ? 0 : 3 * (elements - 2);
        corners += most;
        faces += mode == MODE_LINES ? elements / 2 : line ? 1 : most / 3;
        batch->all_triangles = batch->all_triangles && !primitive->polygons;
    }
    if (!gltf_take_room(gltf, batch->primitives[0]->value, corners))
        return;
    if (corners >= UINT32_MAX) {
        gltf_limit(gltf, batch->primitives[0]->value, "gltf-corners", "a mesh of more than 4 294 967 295 corners");
        return;
    }
    batch->corners = gltf_scene_array(gltf, corners, sizeof *batch->corners);
    batch->offsets = gltf_scene_array(gltf, batch->all_triangles ? 1 : faces + 1, sizeof *batch->offsets);
    batch->groups = gltf_scene_array(gltf, batch->count, sizeof *batch->groups);
    if (gltf->status != CP_OK)
        return;
    batch->offsets[0] = 0;
    for (uint32_t i = 0; i < batch->count && gltf->status == CP_OK; i++)
        fill_group(gltf, buffers, batch, batch->primitives[i], &batch->groups[i]);
    mesh->corners = batch->corners;
    mesh->face_offsets = batch->all_triangles ? NULL : batch->offsets;
    give_groups(batch);
}

/* ---- meshes ---- */

/* Makes the mesh of a batch. Its shape is the geometry of its primitives without materials: a later mesh of the same
 * shape has the same arrays, with groups of its own. */
static void make_mesh(struct gltf *gltf, struct gltf_buffers *buffers, struct gltf_meshes *meshes,
                      struct gltf_mended *mended, struct batch *batch)
{
    enum { PARTS = PURPOSE_COUNT + 3 };
    uint32_t *shape = gltf_allocate(gltf, batch->count, PARTS * sizeof *shape);
    for (uint32_t i = 0; shape && i < batch->count; i++) {
        const struct primitive *primitive = batch->primitives[i];
        uint32_t *parts = shape + (size_t)i * PARTS;
        memcpy(parts, primitive->attributes, sizeof primitive->attributes);
        parts[PURPOSE_COUNT] = primitive->indices;
        parts[PURPOSE_COUNT + 1] = primitive->mode;
        parts[PURPOSE_COUNT + 2] = primitive->polygons;
    }
    bool added = false;
    const uint32_t *first =
        shape ? add_numbers(gltf, &meshes->shapes, shape, (size_t)batch->count * PARTS, meshes->count, &added) : NULL;
    if (!first)
        return;
    if (added) {
        place_vertices(gltf, batch);
        for (enum gltf_purpose purpose = 0; purpose < PURPOSE_COUNT; purpose++) {
            bool any = false;
            for (uint32_t i = 0; i < batch->count; i++)
                any = any || batch->primitives[i]->attributes[purpose] != CP_NONE;
            if (any)
                mesh_set_array(&batch->mesh, purpose, gather(gltf, buffers, batch, purpose));
        }
        if (!batch->mesh.coordinates[0]) /* glTF demands them in order (section 3.7.2.1) */
            batch->mesh.coordinates[0] = batch->mesh.coordinates[1];
        if (gltf->status == CP_OK)
            fill_corners(gltf, buffers, batch);
        if (gltf->status == CP_OK && batch->mesh.normals)
            gltf_mend_normals(gltf, mended, batch->primitives[0]->value, &batch->mesh);
        if (gltf->status == CP_OK && batch->mesh.tangents)
            gltf_mend_tangents(gltf, mended, batch->primitives[0]->value, &batch->mesh);
        return;
    }
    const struct gltf_mesh *other = &meshes->items[*first];
    const cp_mesh *same = other->drawn ? other->drawn : &other->mesh, own = batch->mesh;
    batch->groups = gltf_scene_array(gltf, batch->count, sizeof *batch->groups);
    if (!batch->groups)
        return;
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->groups[i] = same->groups[i];
        batch->groups[i].material = batch->primitives[i]->material;
    }
    batch->mesh = *same;
    batch->mesh.id = own.id;
    batch->mesh.name = own.name;
    batch->mesh.source = own.source;
    give_groups(batch);
}

static void add_mesh(struct gltf *gltf, struct gltf_meshes *meshes, const struct gltf_mesh *mesh)
{
    if (gltf->status == CP_OK &&
        !array_add(gltf->context, &meshes->items, &meshes->room, &meshes->count, mesh, sizeof *mesh))
        gltf_no_memory(gltf);
}

static bool has_same_arrays(const cp_mesh *a, const cp_mesh *b)
{
    bool same = a->kind == b->kind && a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
                a->corner_count == b->corner_count && a->group_count == b->group_count &&
                a->face_offsets == b->face_offsets && a->corners == b->corners && a->groups == b->groups;
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        same = same && mesh_array(a, i) == mesh_array(b, i);
    return same;
}

/* Reads a mesh. `primitives` and `chosen` have room for the primitives of any mesh. */
static void read_mesh(struct gltf_reading *reading, uint32_t value, struct primitive *primitives,
                      struct primitive **chosen)
{
    struct gltf *gltf = &reading->gltf;
    struct gltf_list list = gltf_items(gltf, value, "primitives", true);
    uint32_t own = gltf_own(gltf, value), count = 0;
    bool keep_normals = !gltf_made(gltf, own, "normals");
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        count += read_primitive(gltf, &reading->buffers, &reading->materials, &reading->mended, list.items[i],
                                keep_normals, &primitives[count]);
    part_by_coordinates(reading, primitives, count);
    for (uint32_t i = 0; i < count && !reading->extras.ours; i++)
        make_opaque(reading, &primitives[i]);
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < count; i++)
        kinds |= UINT64_C(1) << primitives[i].kind;
    if (reading->extras.ours) {
        gltf_loss(gltf, LOSS_CHANGED_MESHES, own == JSON_NONE);
        reading->extras.held[HELD_MESHES]++;
    }
    /* A scene mesh for each kind that occurs. Only the first has the extras: ids are for one mesh. */
    const char *name = gltf_mesh_name(gltf, value);
    for (uint32_t kind = 0; kind < KIND_COUNT && gltf->status == CP_OK; kind++) {
        if (!(kinds >> kind & 1))
            continue;
        struct batch batch = {.primitives = chosen};
        struct gltf_mesh mesh = {.own = own, .value = value, .position = CP_NONE};
        uint64_t drawn = 0;
        batch.mesh = (cp_mesh){.name = name, .kind = kind & WITH_LINES ? CP_MESH_LINES : CP_MESH_FACES};
        for (uint32_t i = 0; i < count; i++)
            if (primitives[i].kind == kind) {
                chosen[batch.count++] = &primitives[i];
                drawn += primitives[i].elements;
                mesh.requantised = mesh.requantised || primitives[i].quantised;
            }
        make_mesh(gltf, &reading->buffers, &reading->meshes, &reading->mended, &batch);
        mesh.mesh = batch.mesh;
        if (gltf->status == CP_OK && own != JSON_NONE)
            own_read_mesh(gltf, &reading->ids, &reading->buffers, &mesh, drawn);
        if (gltf->status == CP_OK && !has_same_arrays(&mesh.mesh, &batch.mesh)) {
            mesh.drawn = arena_copy(gltf->arena, &batch.mesh, 1, sizeof batch.mesh);
            if (!mesh.drawn)
                gltf_no_memory(gltf);
        }
        add_mesh(gltf, &reading->meshes, &mesh);
        own = JSON_NONE;
    }
}

void gltf_read_meshes(struct gltf_reading *reading)
{
    struct gltf *gltf = &reading->gltf;
    uint32_t count = gltf->lists.meshes.count, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = json_count(&gltf->json, json_member(&gltf->json, gltf->lists.meshes.items[i], "primitives"));
        most = size > most ? size : most;
    }
    struct primitive *primitives = gltf_allocate(gltf, most, sizeof *primitives);
    struct primitive **chosen = gltf_allocate(gltf, most, sizeof *chosen);
    reading->meshes.first = gltf_allocate(gltf, (size_t)count + 1, sizeof *reading->meshes.first);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        reading->meshes.first[i] = reading->meshes.count;
        read_mesh(reading, gltf->lists.meshes.items[i], primitives, chosen);
    }
    if (gltf->status == CP_OK)
        reading->meshes.first[count] = reading->meshes.count;
    gltf_report_normals(gltf, &reading->mended);
    struct gltf_list undrawn = gltf_items(gltf, reading->extras.scene, "meshes", true);
    reading->extras.held[HELD_MESHES] += undrawn.count;
    for (uint32_t i = 0; i < undrawn.count && gltf->status == CP_OK; i++) {
        struct gltf_mesh mesh = own_undrawn_mesh(gltf, &reading->ids, &reading->buffers, undrawn.items[i]);
        add_mesh(gltf, &reading->meshes, &mesh);
    }
}

void gltf_place_meshes(struct gltf *gltf, cp_scene *scene, struct gltf_ids *ids, struct gltf_meshes *meshes)
{
    const uint32_t *sequence =
        gltf_arrange(gltf, meshes->items, offsetof(struct gltf_mesh, position), sizeof *meshes->items, meshes->count);
    for (uint32_t i = 0; i < meshes->count && gltf->status == CP_OK; i++) {
        struct gltf_mesh *mesh = &meshes->items[sequence[i]];
        mesh->target = scene_add_mesh(scene, &mesh->mesh);
        if (mesh->target == CP_NONE) {
            gltf_no_memory(gltf);
            return;
        }
        if (mesh->mesh.id)
            own_name(gltf, &ids->of[TABLE_MESHES], mesh->mesh.id, mesh->target);
        own_read_metadata(gltf, scene, mesh->own, CP_OWNER_MESH, mesh->target);
        gltf_keep_extras(gltf, scene, mesh->value, CP_OWNER_MESH, mesh->target, "extras");
    }
}
