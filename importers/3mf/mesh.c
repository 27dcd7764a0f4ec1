/* A <mesh>: vertices, triangles and the colours of their corners. */
#include "3mf.h"

#include "mesh/join.h"
#include "mesh/mesh.h"
#include "model/model.h"

#ifdef HAVE_3MF

#include <math.h>
#include <stdio.h>

/* The colours of a triangle's corners: indices, or CP_NONE. */
struct paint {
    uint32_t colours[3];
};

static const struct paint unpainted = {{CP_NONE, CP_NONE, CP_NONE}};

struct builder {
    struct model_reader *model;
    float *positions;
    double *places; /* the same as the text gives them, while they may be far from the origin */
    uint32_t *corners;
    struct paint *paints; /* NULL as long as no triangle has a colour */
    uint32_t place_room;
    bool is_near; /* they cannot be */
    uint32_t vertex_count, vertex_room, face_count, face_room, paint_room;
    const char *pid;   /* the resource of triangles that name none; or NULL */
    uint32_t plain[3]; /* its colours of triangles that have none of their own, as numbers in it */
    uint64_t unknown, unknown_line, degenerate, degenerate_line;
};

static void set_status(struct builder *builder, cp_status status)
{
    builder->model->status = status;
}

/* ---- reading ---- */

static void refuse_size(struct builder *builder)
{
    set_status(builder, report_error(builder->model->file->context, CP_LIMIT, "3mf-size",
                                     AT_LINE(builder->model->source->name, builder->model->xml.line),
                                     "more vertices or triangles than the limit of %llu (--limit vertices=)",
                                     (unsigned long long)limit_vertices(builder->model->file->context)));
}

/* Keeps the place as the text gives it. Ordinary meshes stop early: see find_far_origin. */
static bool keep_place(struct builder *builder, const double place[3])
{
    enum { FIRST_TEST = 256 };
    uint32_t count = builder->vertex_count;
    double origin[3];
    if (count >= FIRST_TEST && (count & (count - 1)) == 0 && !builder->is_near)
        builder->is_near = !find_far_origin(builder->positions, count, origin);
    if (builder->is_near)
        return true;
    if (!array_reserve(builder->model->file->context, &builder->places, &builder->place_room, count + UINT64_C(1),
                       3 * sizeof *place))
        return false;
    memcpy(builder->places + 3 * (size_t)count, place, 3 * sizeof *place);
    return true;
}

static void read_vertex(struct builder *builder)
{
    struct model_reader *model = builder->model;
    float position[3] = {0};
    double place[3] = {0};
    unsigned found = 0;
    for (uint32_t i = 0; i < model->xml.attribute_count; i++) {
        const struct xml_attribute *attribute = &model->xml.attributes[i];
        int axis = *attribute->name - 'x';
        if (axis < 0 || axis > 2 || attribute->name[1] || *attribute->uri)
            continue;
        if (!model_float(model, attribute->name, attribute->value, &position[axis]))
            return;
        if (!builder->is_near)
            (void)text_is_number(attribute->value, &place[axis]);
        found |= 1u << axis;
    }
    if (found != 7) {
        (void)model_error(model, "3mf-vertex", "a vertex needs x, y and z", NULL);
        return;
    }
    if (builder->vertex_count == UINT32_MAX - 1 || ++model->file->vertices > limit_vertices(model->file->context)) {
        refuse_size(builder);
        return;
    }
    if (!array_reserve(model->file->context, &builder->positions, &builder->vertex_room,
                       builder->vertex_count + UINT64_C(1), sizeof position) ||
        !keep_place(builder, place)) {
        set_status(builder, CP_LIMIT);
        return;
    }
    memcpy(builder->positions + 3 * (size_t)builder->vertex_count++, position, sizeof position);
}

/* Finds the colours of numbers p[] in the resource; all corners have one, or none has. A triangle is counted if its
 * resource is missing or has no such number, or if something other than colours paints it. */
static struct paint find_paint(struct builder *builder, const char *pid, const uint32_t p[3])
{
    struct paint paint = unpainted;
    struct resource *resource = model_resource(builder->model, pid);
    if (resource && resource->kind == RESOURCE_OTHER) {
        resource->uses++;
        return paint;
    }
    bool known = resource && resource->kind == RESOURCE_COLOURS;
    for (int i = 0; i < 3; i++) {
        uint32_t index = p[i] == CP_NONE ? p[0] : p[i];
        known = known && index < resource->count;
        paint.colours[i] = known ? resource->first + index : CP_NONE;
    }
    if (known)
        return paint;
    if (builder->unknown++ == 0)
        builder->unknown_line = builder->model->xml.line;
    return unpainted;
}

static bool is_painted(const struct paint *paint)
{
    return paint->colours[0] != CP_NONE;
}

/* Keeps the paint of the next triangle, and of those before it if it is the first one with any. */
static bool add_paint(struct builder *builder, const struct paint *paint)
{
    if (!builder->paints && !is_painted(paint))
        return true;
    uint32_t first = builder->paints ? builder->face_count : 0;
    if (!array_reserve(builder->model->file->context, &builder->paints, &builder->paint_room,
                       builder->face_count + UINT64_C(1), sizeof *paint))
        return false;
    for (uint32_t i = first; i < builder->face_count; i++)
        builder->paints[i] = unpainted;
    builder->paints[builder->face_count] = *paint;
    return true;
}

static void read_triangle(struct builder *builder)
{
    struct model_reader *model = builder->model;
    uint32_t v[3] = {CP_NONE, CP_NONE, CP_NONE}, p[3] = {CP_NONE, CP_NONE, CP_NONE};
    const char *pid = NULL;
    for (uint32_t i = 0; i < model->xml.attribute_count; i++) {
        const struct xml_attribute *attribute = &model->xml.attributes[i];
        const char *name = attribute->name;
        if (*attribute->uri)
            continue;
        uint32_t *numbers = *name == 'v' ? v : *name == 'p' ? p : NULL;
        if (numbers && name[1] >= '1' && name[1] <= '3' && !name[2]) {
            if (!model_text_index(model, name, attribute->value, &numbers[name[1] - '1']))
                return;
        } else if (strcmp(name, "pid") == 0) {
            pid = attribute->value;
        }
    }
    for (int i = 0; i < 3; i++)
        if (v[i] >= builder->vertex_count) {
            set_status(builder, report_error(model->file->context, CP_INPUT, "3mf-index",
                                             AT_LINE(model->source->name, model->xml.line),
                                             v[i] == CP_NONE ? "the triangle has no v%d" : "v%d is vertex %u of %u",
                                             i + 1, v[i], builder->vertex_count));
            return;
        }
    if ((v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) && builder->degenerate++ == 0)
        builder->degenerate_line = model->xml.line;
    if (builder->face_count == UINT32_MAX / 3 - 1 || builder->face_count > limit_vertices(model->file->context)) {
        refuse_size(builder);
        return;
    }
    pid = p[0] == CP_NONE ? builder->pid : pid ? pid : builder->pid;
    struct paint paint = pid ? find_paint(builder, pid, p[0] == CP_NONE ? builder->plain : p) : unpainted;
    if (!add_paint(builder, &paint) || !array_reserve(model->file->context, &builder->corners, &builder->face_room,
                                                      builder->face_count + UINT64_C(1), sizeof v)) {
        set_status(builder, CP_LIMIT);
        return;
    }
    memcpy(builder->corners + 3 * (size_t)builder->face_count++, v, sizeof v);
}

static void read_list(struct builder *builder, const char *element, void (*read)(struct builder *))
{
    struct model_reader *model = builder->model;
    uint32_t depth = model->xml.depth;
    while (model_child(model, depth))
        if (strcmp(model->xml.name, element) == 0)
            read(builder);
        else
            model_skip(model);
}

/* ---- colours ---- */

/* Returns the material of the colour, made when it is first met. */
static uint32_t material_of(struct threemf *file, uint32_t index)
{
    struct colour *colour = index == CP_NONE ? NULL : &file->colours[index];
    if (!colour || colour->material != CP_NONE)
        return colour ? colour->material : CP_NONE;
    char number[10];
    unsigned bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned)(colour->rgba[i] * 255 + 0.5) & 0xff;
    (void)snprintf(number, sizeof number, bytes[3] == 255 ? "#%02x%02x%02x" : "#%02x%02x%02x%02x", bytes[0], bytes[1],
                   bytes[2], bytes[3]);
    colour->material = scene_add_material(file->scene, *colour->name ? colour->name : number, colour->rgba, true);
    return colour->material;
}

static bool is_flat(const struct paint *paint)
{
    return paint->colours[0] == paint->colours[1] && paint->colours[0] == paint->colours[2];
}

/* Makes groups of consecutive triangles of one colour. */
static bool add_groups(struct builder *builder, cp_mesh *mesh)
{
    struct threemf *file = builder->model->file;
    uint32_t runs = 1;
    for (uint32_t i = 1; i < mesh->face_count; i++)
        runs += builder->paints[i].colours[0] != builder->paints[i - 1].colours[0];
    cp_group *groups = scene_allocate(file->scene, runs, sizeof *groups), *group = groups;
    for (uint32_t i = 0; groups && i < mesh->face_count; i++) {
        uint32_t colour = builder->paints[i].colours[0];
        if (i == 0 || colour != builder->paints[i - 1].colours[0]) {
            group = i == 0 ? groups : group + 1;
            *group = (cp_group){.first_face = i, .material = material_of(file, colour)};
            if (colour != CP_NONE && group->material == CP_NONE)
                return false;
        }
        group->face_count++;
    }
    mesh->groups = groups;
    mesh->group_count = runs;
    return groups != NULL;
}

/* Gives the colours to corners, each with a vertex of its own, as some triangle goes from one colour to another.
 * Triangles without a colour are grey there, as they are in meshes without colours. */
static bool add_vertex_colours(struct builder *builder, cp_mesh *mesh)
{
    struct threemf *file = builder->model->file;
    uint32_t count = 3 * mesh->face_count, *rows = memory_allocate(file->context, count, 2 * sizeof *rows);
    uint32_t *numbers = scene_allocate(file->scene, count, sizeof *numbers);
    bool done = rows && numbers;
    for (uint32_t i = 0; done && i < count; i++) {
        rows[2 * (size_t)i] = builder->corners[i];
        rows[2 * (size_t)i + 1] = builder->paints[i / 3].colours[i % 3];
    }
    done = done && join_rows(file->context, rows, 2, 2, count, numbers);
    uint32_t vertices = done ? join_number(numbers, count) : 0;
    float *positions = done ? scene_allocate(file->scene, vertices, 3 * sizeof *positions) : NULL;
    float *colours = done ? scene_allocate(file->scene, vertices, 4 * sizeof *colours) : NULL;
    done = positions && colours;
    for (uint32_t i = 0; done && i < count; i++) {
        uint32_t colour = rows[2 * (size_t)i + 1];
        float *rgba = colours + 4 * (size_t)numbers[i];
        memcpy(positions + 3 * (size_t)numbers[i], builder->positions + 3 * (size_t)rows[2 * (size_t)i],
               3 * sizeof *positions);
        for (int k = 0; k < 4; k++) {
            double plain = k == 3 ? 1 : PLAIN_GREY, c = colour == CP_NONE ? plain : file->colours[colour].rgba[k];
            rgba[k] = (float)(k == 3 ? c : linear_from_srgb(c));
        }
    }
    memory_free(file->context, rows, count, 2 * sizeof *rows);
    mesh->vertex_count = vertices;
    mesh->positions = positions;
    mesh->colours = colours;
    mesh->corners = numbers;
    return done;
}

/* ---- the mesh ---- */

static cp_status report_oddities(const struct builder *builder)
{
    const struct model_reader *model = builder->model;
    cp_context *context = model->file->context;
    bool strict = model->file->settings->common.strict;
    cp_status status = CP_OK;
    if (builder->degenerate)
        status =
            report_lenient(context, strict, "3mf-degenerate", AT_LINE(model->source->name, builder->degenerate_line),
                           "triangles that name a vertex twice, kept: %llu of %u",
                           (unsigned long long)builder->degenerate, builder->face_count);
    if (builder->unknown && status == CP_OK)
        status = report_lenient(context, strict, "3mf-property", AT_LINE(model->source->name, builder->unknown_line),
                                "triangles whose property is not there, without a colour: %llu",
                                (unsigned long long)builder->unknown);
    return status;
}

/* Reads the coordinates of a mesh far from the origin again from the text, from an origin of its own. */
static void move_near(struct builder *builder, double origin[3])
{
    if (builder->is_near || !find_far_origin(builder->positions, builder->vertex_count, origin))
        return;
    for (size_t i = 0; i < 3 * (size_t)builder->vertex_count; i++)
        builder->positions[i] = near_origin(builder->places[i], origin[i % 3]);
}

static bool add_mesh(struct builder *builder, struct threemf_object *object)
{
    struct threemf *file = builder->model->file;
    cp_scene *scene = file->scene;
    cp_mesh mesh = {.name = scene_text(scene, object->name),
                    .source = file->scene->source.file,
                    .kind = CP_MESH_FACES,
                    .vertex_count = builder->vertex_count,
                    .face_count = builder->face_count,
                    .corner_count = 3 * builder->face_count};
    move_near(builder, object->origin);
    bool flat = true;
    for (uint32_t i = 0; builder->paints && flat && i < builder->face_count; i++)
        flat = is_flat(&builder->paints[i]);
    if (!mesh.name || (builder->paints && flat && !add_groups(builder, &mesh)))
        return false;
    if (!flat) {
        if (!add_vertex_colours(builder, &mesh))
            return false;
    } else {
        mesh.positions = scene_keep_array(scene, &builder->positions, &builder->vertex_room, builder->vertex_count,
                                          3 * sizeof(float));
        mesh.corners =
            scene_keep_array(scene, &builder->corners, &builder->face_room, builder->face_count, 3 * sizeof(uint32_t));
        if (!mesh.positions || !mesh.corners)
            return false;
    }
    object->mesh = scene_add_mesh(scene, &mesh);
    return object->mesh != CP_NONE;
}

cp_status mesh_read(struct model_reader *model, struct threemf_object *object, const char *pid, uint32_t pindex)
{
    struct builder builder = {.model = model, .pid = pid, .plain = {pindex, pindex, pindex}};
    cp_context *context = model->file->context;
    uint32_t depth = model->xml.depth;
    while (model_child(model, depth))
        if (strcmp(model->xml.name, "vertices") == 0)
            read_list(&builder, "vertex", read_vertex);
        else if (strcmp(model->xml.name, "triangles") == 0)
            read_list(&builder, "triangle", read_triangle);
        else
            model_skip(model);
    cp_status status = model->status != CP_OK ? model->status : model->xml.status;
    if (status == CP_OK)
        status = report_oddities(&builder);
    if (status == CP_OK && builder.face_count > 0 && !add_mesh(&builder, object))
        status = CP_LIMIT;
    memory_free(context, builder.positions, builder.vertex_room, 3 * sizeof(float));
    memory_free(context, builder.places, builder.place_room, 3 * sizeof(double));
    memory_free(context, builder.corners, builder.face_room, 3 * sizeof(uint32_t));
    memory_free(context, builder.paints, builder.paint_room, sizeof *builder.paints);
    return status;
}

#endif
