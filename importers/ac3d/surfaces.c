/* Vertices and surfaces of an AC3D object. */
#include "ac3d.h"

enum { SURFACE_POLYGON, SURFACE_CLOSED_LINE, SURFACE_LINE, SURFACE_STRIP = 4, SURFACE_TYPES = 0xf };
enum { SURFACE_SHADED = 0x10, SURFACE_TWO_SIDED = 0x20 };

/* The present surface, up to its last reference. */
struct surface {
    unsigned flags;
    uint32_t material; /* of the scene */
    uint32_t count;    /* of references */
};

cp_status ac3d_read_vertices(struct ac3d *reader, struct ac3d_object *object)
{
    enum { SHORTEST = 6 }; /* "0 0 0", and the line's end */
    uint32_t count;
    cp_status status = ac3d_expect_count(reader, &count, "the number of vertices");
    if (status == CP_OK)
        status = ac3d_check_count(reader, &count, SHORTEST, "vertices");
    if (status != CP_OK || reader->cut)
        return status;
    reader->vertices += count;
    if (reader->vertices > limit_vertices(reader->context))
        return report_error(reader->context, CP_LIMIT, "ac3d-large", ac3d_place(reader),
                            "more vertices than the limit of %llu (--limit vertices=)",
                            (unsigned long long)limit_vertices(reader->context));
    if (!array_reserve(reader->context, &object->vertices, &object->vertex_room, count, sizeof *object->vertices) ||
        !array_reserve(reader->context, &object->normals, &object->normal_room, count, sizeof *object->normals))
        return CP_LIMIT;
    uint32_t normals = 0;
    object->vertex_count = 0;
    while (object->vertex_count < count && !reader->cut) {
        double numbers[6];
        if (!ac3d_next_line(reader))
            return ac3d_ends_early(reader, "a vertex");
        int found = ac3d_numbers(reader, numbers, 6);
        if (found < 3)
            return ac3d_fail(reader, "three numbers of a vertex");
        status = ac3d_check_floats(reader, numbers, found);
        if (status != CP_OK)
            return status;
        memcpy(object->vertices[object->vertex_count], numbers, sizeof *object->vertices);
        for (int i = 0; found == 6 && i < 3; i++)
            object->normals[object->vertex_count][i] = (float)numbers[3 + i];
        normals += found == 6;
        ac3d_count(reader, AC3D_MORE, (found > 3 && found < 6) || !ac3d_line_ends(reader), reader->line);
        object->vertex_count++;
    }
    if (normals < count) {
        memory_free(reader->context, object->normals, object->normal_room, sizeof *object->normals);
        object->normals = NULL;
        object->normal_room = 0;
    }
    return CP_OK;
}

/* Makes room for an element of so many corners, and ends it behind them. */
static cp_status add_element(struct ac3d *reader, const struct ac3d_object *object, struct ac3d_elements *elements,
                             const uint32_t *corners, const float (*places)[2], uint32_t count, uint32_t material)
{
    cp_context *context = reader->context;
    uint64_t all = (uint64_t)elements->corner_count + count;
    if (all > UINT32_MAX - 1)
        return report_error(context, CP_LIMIT, "ac3d-large", ac3d_place(reader), "more than %u corners of surfaces",
                            UINT32_MAX - 1);
    bool mapped = object->texture.path != NULL;
    if (!array_reserve(context, &elements->corners, &elements->corner_room, all, sizeof *elements->corners) ||
        (mapped && !array_reserve(context, &elements->places, &elements->place_room, all, sizeof *elements->places)) ||
        !array_reserve(context, &elements->ends, &elements->end_room, elements->count + UINT64_C(1),
                       sizeof *elements->ends) ||
        !array_reserve(context, &elements->materials, &elements->material_room, elements->count + UINT64_C(1),
                       sizeof *elements->materials))
        return CP_LIMIT;
    memcpy(elements->corners + elements->corner_count, corners, count * sizeof *corners);
    if (mapped)
        memcpy(elements->places + elements->corner_count, places, count * sizeof *places);
    elements->corner_count = (uint32_t)all;
    elements->ends[elements->count] = elements->corner_count;
    elements->materials[elements->count++] = material;
    return CP_OK;
}

/* Adds the triangles of a strip; every other one is wound the other way. */
static cp_status add_strip(struct ac3d *reader, struct ac3d_object *object, const struct surface *surface,
                           const uint32_t *corners, const float (*places)[2])
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && i + 2 < surface->count; i++) {
        const uint32_t order[3] = {i, i + 1 + i % 2, i + 2 - i % 2};
        uint32_t triangle[3];
        float mapped[3][2];
        for (int k = 0; k < 3; k++) {
            triangle[k] = corners[order[k]];
            memcpy(mapped[k], places[order[k]], sizeof mapped[k]);
        }
        status = add_element(reader, object, &object->faces, triangle, (const float(*)[2])mapped, 3, surface->material);
    }
    return status;
}

/* Takes the references, of which there is room for one more. */
static cp_status add_surface(struct ac3d *reader, struct ac3d_object *object, const struct surface *surface)
{
    uint32_t *corners = reader->corners;
    float(*places)[2] = reader->places;
    unsigned type = surface->flags & SURFACE_TYPES;
    uint32_t count = surface->count;
    const float(*mapped)[2] = (const float(*)[2])places;
    bool is_line = type == SURFACE_CLOSED_LINE || type == SURFACE_LINE;
    if (count < 2 || (!is_line && count < 3)) {
        ac3d_count(reader, count < 2 ? AC3D_POINTS : AC3D_EDGES, 1, reader->line);
        return CP_OK;
    }
    if (type == SURFACE_STRIP) {
        object->shaded += surface->flags & SURFACE_SHADED ? count - 2 : 0;
        return add_strip(reader, object, surface, corners, mapped);
    }
    if (!is_line) {
        object->shaded += (surface->flags & SURFACE_SHADED) != 0;
        return add_element(reader, object, &object->faces, corners, mapped, count, surface->material);
    }
    if (type == SURFACE_CLOSED_LINE && count > 2) {
        corners[count] = corners[0];
        memcpy(places[count++], places[0], sizeof *places);
    }
    return add_element(reader, object, &object->lines, corners, mapped, count, surface->material);
}

static cp_status read_reference(struct ac3d *reader, const struct ac3d_object *object, uint32_t *corner, float place[2])
{
    double numbers[2] = {0, 0};
    if (!ac3d_next_line(reader))
        return ac3d_ends_early(reader, "a reference to a vertex");
    cp_status status = ac3d_expect_count(reader, corner, "the number of a vertex");
    if (status != CP_OK || reader->cut)
        return status;
    if (*corner >= object->vertex_count)
        return report_error(reader->context, CP_INPUT, "ac3d-index", ac3d_place(reader),
                            "a surface names vertex %u, and the object has %u", *corner, object->vertex_count);
    if (object->texture.path && ac3d_numbers(reader, numbers, 2) < 2)
        return ac3d_fail(reader, "two coordinates of the texture");
    status = ac3d_check_floats(reader, numbers, 2);
    for (int i = 0; status == CP_OK && i < 2; i++)
        place[i] = (float)numbers[i];
    return status;
}

static cp_status read_references(struct ac3d *reader, struct ac3d_object *object, struct surface *surface)
{
    enum { SHORTEST = 2 }; /* a digit, and the line's end */
    cp_status status = ac3d_expect_count(reader, &surface->count, "the number of references");
    if (status == CP_OK)
        status = ac3d_check_count(reader, &surface->count, SHORTEST, "references");
    if (status != CP_OK || reader->cut)
        return status;
    uint64_t room = surface->count + UINT64_C(1); /* a closed line ends where it began */
    if (!array_reserve(reader->context, &reader->corners, &reader->corner_room, room, sizeof *reader->corners) ||
        !array_reserve(reader->context, &reader->places, &reader->place_room, room, sizeof *reader->places))
        return CP_LIMIT;
    for (uint32_t i = 0; i < surface->count && status == CP_OK && !reader->cut; i++)
        status = read_reference(reader, object, &reader->corners[i], reader->places[i]);
    return status == CP_OK && !reader->cut ? add_surface(reader, object, surface) : status;
}

static cp_status read_flags(struct ac3d *reader, unsigned *flags)
{
    const char *at = reader->at;
    while (at < reader->line_end && is_space(*at))
        at++;
    reader->at = at;
    if (reader->line_end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        at += 2;
    const char *start = at;
    for (*flags = 0; at < reader->line_end && hex_digit(*at) >= 0 && at - start < 8; at++)
        *flags = *flags << 4 | (unsigned)hex_digit(*at);
    if (at == start || (at < reader->line_end && !is_space(*at)))
        return ac3d_fail(reader, "the flags of a surface, such as 0x20");
    unsigned type = *flags & SURFACE_TYPES;
    if (type > SURFACE_LINE && type != SURFACE_STRIP)
        return report_lenient(reader->context, reader->settings->import.strict, "ac3d-surface", ac3d_place(reader),
                              "surfaces of type %u are unknown; this one is read as a polygon", type);
    return CP_OK;
}

/* Finds the scene's material. A number that the palette does not have is none. */
static cp_status take_material(struct ac3d *reader, const struct ac3d_object *object, struct surface *surface,
                               uint32_t number, bool is_told)
{
    bool two_sided = (surface->flags & SURFACE_TWO_SIDED) != 0;
    surface->material = CP_NONE;
    if (number < reader->material_count)
        return ac3d_find_material(reader, number, two_sided, &object->texture, &surface->material);
    if (!is_told)
        return CP_OK;
    ac3d_count(reader, AC3D_COLOURLESS, 1, reader->line);
    return report_lenient(reader->context, reader->settings->import.strict, "ac3d-material", ac3d_place(reader),
                          "material %u, of %u: the surface gets none", number, reader->material_count);
}

/* Reads a surface, whose line SURF has just begun, up to its references. */
static cp_status read_surface(struct ac3d *reader, struct ac3d_object *object)
{
    struct surface surface = {.material = CP_NONE};
    uint32_t number = 0;
    bool is_told = false;
    cp_status status = read_flags(reader, &surface.flags);
    while (status == CP_OK && !reader->cut) {
        if (!ac3d_next_line(reader))
            return ac3d_ends_early(reader, "the references of a surface");
        if (ac3d_accept(reader, "mat")) {
            is_told = true;
            status = ac3d_expect_count(reader, &number, "the number of a material");
        } else if (ac3d_accept(reader, "refs")) {
            status = take_material(reader, object, &surface, number, is_told);
            return status == CP_OK ? read_references(reader, object, &surface) : status;
        } else {
            status = ac3d_fail(reader, "mat or refs");
        }
    }
    return status;
}

cp_status ac3d_read_surfaces(struct ac3d *reader, struct ac3d_object *object)
{
    enum { SHORTEST = 14 }; /* "SURF 0", "refs 0", and the ends of these lines */
    uint32_t count;
    cp_status status = ac3d_expect_count(reader, &count, "the number of surfaces");
    if (status == CP_OK)
        status = ac3d_check_count(reader, &count, SHORTEST, "surfaces");
    for (uint32_t i = 0; i < count && status == CP_OK && !reader->cut; i++) {
        if (!ac3d_next_line(reader))
            return ac3d_ends_early(reader, "a surface");
        status = ac3d_accept(reader, "SURF") ? read_surface(reader, object) : ac3d_fail(reader, "SURF");
    }
    return status;
}
