/* A <mesh>: vertices, and volumes of triangles. */
#include <math.h>

#include "amf.h"
#include "base/text/text.h"
#include "model/model.h"

/* The largest number of a vertex that a triangle names, since volumes may come before the vertices. */
struct largest {
    uint32_t vertex;
    int corner;
    uint64_t line;
};

/* ---- vertices ---- */

/* Reads three numbers, such as <x>, <y> and <z>, whose names end in these letters. Returns how many were found, as
 * bits. */
static unsigned read_vector(struct amf *file, const char *first, double place[3], float position[3])
{
    uint32_t depth = file->xml.depth;
    size_t letter = strlen(first) - 1;
    unsigned found = 0;
    while (amf_child(file, depth)) {
        const char *name = file->xml.name;
        int axis = strncmp(name, first, letter) == 0 && name[letter] ? name[letter] - 'x' : -1;
        if (axis < 0 || axis > 2 || name[letter + 1])
            amf_skip(file);
        else if (amf_number(file, &place[axis], &position[axis]))
            found |= 1u << axis;
    }
    return found;
}

/* Keeps the normal of the next vertex, if those before it have one, too. */
static void read_normal(struct amf *file, struct amf_object *object)
{
    double normal[3] = {0};
    float given[3], unit[3];
    (void)read_vector(file, "nx", normal, given);
    double length = sqrt(dot_product(normal, normal));
    file->losses[LOSS_NORMALS]++; /* amf_read_mesh takes it back if all vertices have one */
    if (file->status != CP_OK || !(length > 0) || !isfinite(length) ||
        object->normal_count != object->painted.vertex_count)
        return;
    for (int i = 0; i < 3; i++)
        unit[i] = (float)(normal[i] / length);
    if (!array_add(file->context, &object->normals, &object->normal_room, &object->normal_count, unit, sizeof unit))
        file->status = CP_LIMIT;
}

/* Keeps the colour of the vertex that was added last. */
static void keep_vertex_colour(struct amf *file, struct amf_object *object, uint32_t colour)
{
    uint32_t count = object->painted.vertex_count;
    if (!object->vertex_colours && colour == CP_NONE)
        return;
    uint32_t first = object->vertex_colours ? count - 1 : 0;
    if (!array_reserve(file->context, &object->vertex_colours, &object->vertex_colour_room, count, sizeof colour)) {
        file->status = CP_LIMIT;
        return;
    }
    for (uint32_t i = first; i < count; i++)
        object->vertex_colours[i] = CP_NONE;
    object->vertex_colours[count - 1] = colour;
}

static void read_vertex(struct amf *file, struct amf_object *object)
{
    uint32_t depth = file->xml.depth, colour = CP_NONE;
    struct place at = amf_here(file);
    double place[3];
    float position[3];
    unsigned found = 0;
    while (amf_child(file, depth))
        if (strcmp(file->xml.name, "coordinates") == 0)
            found = read_vector(file, "x", place, position);
        else if (strcmp(file->xml.name, "normal") == 0)
            read_normal(file, object);
        else if (strcmp(file->xml.name, "color") == 0)
            colour = amf_read_colour(file);
        else
            amf_skip(file);
    if (file->status == CP_OK && file->xml.status == CP_OK && found != 7)
        amf_error(file, "amf-vertex", "a vertex needs <coordinates> with <x>, <y> and <z>", NULL);
    if (file->status == CP_OK && file->xml.status == CP_OK)
        file->status = painted_add_vertex(&object->painted, position, place, at);
    if (file->status == CP_OK && file->xml.status == CP_OK)
        keep_vertex_colour(file, object, colour);
}

static void read_vertices(struct amf *file, struct amf_object *object)
{
    uint32_t depth = file->xml.depth;
    while (amf_child(file, depth))
        if (strcmp(file->xml.name, "vertex") == 0)
            read_vertex(file, object);
        else if (strcmp(file->xml.name, "edge") == 0)
            file->losses[LOSS_CURVES]++;
        else
            amf_skip(file);
}

/* ---- volumes ---- */

static bool read_corner(struct amf *file, uint32_t *vertex)
{
    double value;
    float single;
    if (!amf_number(file, &value, &single))
        return false;
    if (value < 0 || value >= CP_NONE || value != floor(value)) {
        amf_error(file, "amf-number", "the number of a vertex is whole and not negative, not \"",
                  show_number(value).text);
        return false;
    }
    *vertex = (uint32_t)value;
    return true;
}

static void read_triangle(struct amf *file, struct amf_object *object, struct largest *largest)
{
    uint32_t depth = file->xml.depth, v[3] = {CP_NONE, CP_NONE, CP_NONE}, colour = CP_NONE;
    struct place at = amf_here(file);
    while (amf_child(file, depth)) {
        const char *name = file->xml.name;
        if (*name == 'v' && name[1] >= '1' && name[1] <= '3' && !name[2])
            (void)read_corner(file, &v[name[1] - '1']);
        else if (strcmp(name, "color") == 0)
            colour = amf_read_colour(file);
        else if (strcmp(name, "texmap") == 0 || strcmp(name, "map") == 0)
            file->losses[LOSS_TEXTURE_MAPS]++;
        else
            amf_skip(file);
    }
    if (file->status != CP_OK || file->xml.status != CP_OK)
        return;
    for (int i = 0; i < 3; i++) {
        if (v[i] == CP_NONE) {
            file->status = report_error(file->context, CP_INPUT, "amf-index", at, "the triangle has no <v%d>", i + 1);
            return;
        }
        if (v[i] >= largest->vertex)
            *largest = (struct largest){v[i], i + 1, at.line};
    }
    file->status = painted_add_triangle(&object->painted, v, at);
    const struct paint paint = {{colour, colour, colour}};
    if (file->status == CP_OK && colour != CP_NONE &&
        !painted_set_paint(&object->painted, object->painted.face_count - 1, &paint))
        file->status = CP_LIMIT;
}

static void read_volume(struct amf *file, struct amf_object *object, struct largest *largest)
{
    uint32_t depth = file->xml.depth;
    const char *material = xml_attribute(&file->xml, "materialid"), *type = xml_attribute(&file->xml, "type");
    struct amf_volume volume = {.first_face = object->painted.face_count, .colour = CP_NONE, .line = file->xml.line};
    volume.material = material ? amf_keep(file, material) : NULL;
    file->losses[LOSS_VOLUME_TYPES] += type && strcmp(type, "solid") != 0 && strcmp(type, "object") != 0;
    while (amf_child(file, depth))
        if (strcmp(file->xml.name, "triangle") == 0)
            read_triangle(file, object, largest);
        else if (strcmp(file->xml.name, "color") == 0)
            volume.colour = amf_read_colour(file);
        else if (strcmp(file->xml.name, "metadata") == 0)
            file->losses[LOSS_VOLUME_METADATA]++;
        else
            amf_skip(file);
    volume.face_count = object->painted.face_count - volume.first_face;
    if (file->status == CP_OK &&
        !array_add(file->context, &file->volumes, &file->volume_room, &file->volume_count, &volume, sizeof volume))
        file->status = CP_LIMIT;
}

/* ---- the mesh ---- */

static void check_mesh(struct amf *file, struct amf_object *object, const struct largest *largest)
{
    const struct painted *painted = &object->painted;
    if (painted->face_count > 0 && largest->vertex >= painted->vertex_count)
        file->status = report_error(file->context, CP_INPUT, "amf-index", AT_LINE(file->source->name, largest->line),
                                    "v%d is vertex %u of %u", largest->corner, largest->vertex, painted->vertex_count);
    else if (painted->degenerate)
        file->status = report_lenient(file->context, file->settings->common.strict, "amf-degenerate",
                                      AT_LINE(file->source->name, painted->degenerate_line),
                                      "triangles that name a vertex twice, kept: %llu of %u",
                                      (unsigned long long)painted->degenerate, painted->face_count);
}

void amf_read_mesh(struct amf *file, struct amf_object *object)
{
    uint32_t depth = file->xml.depth;
    uint64_t normals = file->losses[LOSS_NORMALS];
    struct largest largest = {0};
    object->first_volume = file->volume_count;
    while (amf_child(file, depth))
        if (strcmp(file->xml.name, "vertices") == 0)
            read_vertices(file, object);
        else if (strcmp(file->xml.name, "volume") == 0)
            read_volume(file, object, &largest);
        else
            amf_skip(file);
    object->volume_count = file->volume_count - object->first_volume;
    if (object->normal_count == object->painted.vertex_count)
        file->losses[LOSS_NORMALS] = normals;
    if (file->status == CP_OK && file->xml.status == CP_OK)
        check_mesh(file, object, &largest);
}
