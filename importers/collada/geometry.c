/* Geometries: meshes with their primitives, and controllers, which show geometries. */
#include "collada.h"

#include "base/text/text.h"

/* ---- primitives ---- */

static cp_status read_sizes(struct collada_document *document, void *into)
{
    return collada_read_indices(document, &document->primitives[*(const uint32_t *)into].sizes);
}

/* Makes room for the indices that triangles of this count take. */
static bool reserve_indices(struct collada_document *document, struct collada_primitive *primitive)
{
    uint64_t stride = 1;
    for (uint32_t i = primitive->first_input; i < document->input_count; i++)
        stride = document->inputs[i].offset >= stride ? document->inputs[i].offset + UINT64_C(1) : stride;
    uint64_t count =
        primitive->kind == COLLADA_TRIANGLES ? collada_give_room(document, 3 * primitive->said * stride) : 0;
    return count == 0 || array_reserve(document->collada->context, &primitive->indices.items, &primitive->indices.room,
                                       count, sizeof(uint32_t));
}

/* Reads a text of indices, whose size is noted. hole: COLLADA_HOLE, or 0. */
static cp_status read_text(struct collada_document *document, uint32_t row, uint32_t hole)
{
    struct collada_primitive *primitive = &document->primitives[row];
    uint32_t before = primitive->indices.count;
    if (before == 0) {
        primitive->line = document->xml.line;
        if (!reserve_indices(document, primitive))
            return CP_LIMIT;
    }
    cp_status status = collada_read_indices(document, &primitive->indices);
    uint32_t size = (primitive->indices.count - before) | hole;
    bool has_sizes =
        primitive->kind != COLLADA_POLYLIST && primitive->kind != COLLADA_TRIANGLES && primitive->kind != COLLADA_LINES;
    if (status == CP_OK && has_sizes &&
        !array_add(document->collada->context, &primitive->sizes.items, &primitive->sizes.room, &primitive->sizes.count,
                   &size, sizeof size))
        return CP_LIMIT;
    return status;
}

static cp_status read_p(struct collada_document *document, void *into)
{
    return read_text(document, *(const uint32_t *)into, 0);
}

static cp_status read_h(struct collada_document *document, void *into)
{
    return read_text(document, *(const uint32_t *)into, COLLADA_HOLE);
}

static cp_status read_ph(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"p", read_p}, {"h", read_h}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static const char *const primitive_names[] = {
    [COLLADA_TRIANGLES] = "triangles",   [COLLADA_POLYLIST] = "polylist",   [COLLADA_POLYGONS] = "polygons",
    [COLLADA_TRIFANS] = "trifans",       [COLLADA_TRISTRIPS] = "tristrips", [COLLADA_LINES] = "lines",
    [COLLADA_LINESTRIPS] = "linestrips",
};

static cp_status read_primitive(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"input", collada_read_input}, {"vcount", read_sizes}, {"p", read_p}, {"ph", read_ph}, {NULL, NULL}};
    (void)into;
    uint32_t row = document->primitive_count, said;
    size_t kind = 0;
    while (strcmp(document->xml.name, primitive_names[kind]) != 0)
        kind++;
    cp_status status = collada_whole(document, "count", CP_NONE / 2, &said);
    if (status != CP_OK)
        return status;
    struct collada_primitive *primitive = collada_add_row(document, &document->primitives, &document->primitive_room,
                                                          &document->primitive_count, sizeof *primitive);
    if (!primitive)
        return CP_LIMIT;
    const char *material = xml_attribute(&document->xml, "material") ? collada_attribute(document, "material") : NULL;
    *primitive = (struct collada_primitive){.kind = (enum collada_primitive_kind)kind,
                                            .material = material,
                                            .line = document->xml.line,
                                            .said = said,
                                            .first_input = document->input_count};
    if (!material && xml_attribute(&document->xml, "material"))
        return CP_LIMIT;
    status = collada_read_children(document, elements, &row);
    primitive = &document->primitives[row];
    primitive->input_count = document->input_count - primitive->first_input;
    return status;
}

/* ---- meshes ---- */

static cp_status read_vertices(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"input", collada_read_input}, {NULL, NULL}};
    struct collada_geometry *geometry = &document->geometries[*(const uint32_t *)into];
    geometry->first_input = document->input_count;
    cp_status status = collada_read_children(document, elements, NULL);
    geometry->input_count = document->input_count - geometry->first_input;
    return status;
}

static cp_status read_mesh(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"source", collada_read_source}, {"vertices", read_vertices},
        {"triangles", read_primitive},   {"polylist", read_primitive},
        {"polygons", read_primitive},    {"trifans", read_primitive},
        {"tristrips", read_primitive},   {"lines", read_primitive},
        {"linestrips", read_primitive},  {NULL, NULL},
    };
    struct collada_geometry *geometry = &document->geometries[*(const uint32_t *)into];
    bool is_convex = strcmp(document->xml.name, "convex_mesh") == 0;
    geometry->kind = !is_convex                                        ? COLLADA_MESH
                     : xml_attribute(&document->xml, "convex_hull_of") ? COLLADA_HULL
                                                                       : COLLADA_CONVEX;
    geometry->first_primitive = document->primitive_count;
    name_map_free(&document->mesh_sources);
    document->mesh_sources = (struct name_map){.context = document->collada->context};
    cp_status status = collada_read_children(document, elements, into);
    geometry->primitive_count = document->primitive_count - geometry->first_primitive;
    return status;
}

static cp_status read_other(struct collada_document *document, void *into)
{
    document->geometries[*(const uint32_t *)into].kind =
        strcmp(document->xml.name, "brep") == 0 ? COLLADA_BREP : COLLADA_SPLINE;
    return CP_OK;
}

static cp_status read_geometry(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"mesh", read_mesh}, {"convex_mesh", read_mesh}, {"spline", read_other}, {"brep", read_other}, {NULL, NULL}};
    (void)into;
    uint32_t row = document->geometry_count;
    struct collada_geometry geometry = {.id = collada_attribute(document, "id"),
                                        .name = collada_attribute(document, "name"),
                                        .line = document->xml.line};
    if (!geometry.id || !geometry.name ||
        !array_add(document->collada->context, &document->geometries, &document->geometry_room,
                   &document->geometry_count, &geometry, sizeof geometry))
        return CP_LIMIT;
    cp_status status = collada_note_id(document, COLLADA_GEOMETRIES, geometry.id, row);
    return status == CP_OK ? collada_read_children(document, elements, &row) : status;
}

cp_status collada_read_geometries(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"geometry", read_geometry}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

/* ---- controllers ---- */

static cp_status read_bind_shape(struct collada_document *document, void *into)
{
    double numbers[16];
    cp_status status = collada_read_exactly(document, 16, numbers);
    if (status == CP_OK)
        memcpy(document->controllers[*(const uint32_t *)into].bind_shape.m, numbers, sizeof(cp_pose));
    return status;
}

static cp_status read_skin(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"bind_shape_matrix", read_bind_shape}, {NULL, NULL}};
    struct collada_controller *controller = &document->controllers[*(const uint32_t *)into];
    controller->kind = strcmp(document->xml.name, "skin") == 0 ? COLLADA_SKIN : COLLADA_MORPH;
    controller->shows = collada_attribute(document, "source");
    return controller->shows ? collada_read_children(document, elements, into) : CP_LIMIT;
}

static cp_status read_controller(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"skin", read_skin}, {"morph", read_skin}, {NULL, NULL}};
    (void)into;
    uint32_t row = document->controller_count;
    struct collada_controller controller = {
        .id = collada_attribute(document, "id"), .shows = "", .line = document->xml.line, .bind_shape = POSE_IDENTITY};
    if (!controller.id || !array_add(document->collada->context, &document->controllers, &document->controller_room,
                                     &document->controller_count, &controller, sizeof controller))
        return CP_LIMIT;
    cp_status status = collada_note_id(document, COLLADA_CONTROLLERS, controller.id, row);
    return status == CP_OK ? collada_read_children(document, elements, &row) : status;
}

cp_status collada_read_controllers(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"controller", read_controller}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}
