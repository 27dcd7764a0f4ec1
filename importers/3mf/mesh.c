/* A <mesh>: vertices, triangles and the colours of their corners. */
#include "3mf.h"

#include "base/text/text.h"
#include "model/model.h"

#ifdef HAVE_3MF

struct builder {
    struct model_reader *model;
    struct painted painted;
    const char *pid;   /* the resource of triangles that name none; or NULL */
    uint32_t plain[3]; /* its colours of triangles that have none of their own, as numbers in it */
    uint64_t unknown, unknown_line;
};

/* ---- reading ---- */

static struct place here(const struct model_reader *model)
{
    return AT_LINE(model->source->name, model->xml.line);
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
        if (!builder->painted.is_near)
            (void)text_is_number(attribute->value, &place[axis]);
        found |= 1u << axis;
    }
    if (found != 7)
        (void)model_error(model, "3mf-vertex", "a vertex needs x, y and z", NULL);
    else
        model->status = painted_add_vertex(&builder->painted, position, place, here(model));
}

/* Finds the colours of numbers p[] in the resource; all corners have one, or none has. A triangle is counted if its
 * resource is missing or has no such number, or if something other than colours paints it. */
static struct paint find_paint(struct builder *builder, const char *pid, const uint32_t p[3])
{
    struct paint paint = UNPAINTED;
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
    return UNPAINTED;
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
        if (v[i] >= builder->painted.vertex_count) {
            model->status = report_error(model->file->context, CP_INPUT, "3mf-index", here(model),
                                         v[i] == CP_NONE ? "the triangle has no v%d" : "v%d is vertex %u of %u", i + 1,
                                         v[i], builder->painted.vertex_count);
            return;
        }
    pid = p[0] == CP_NONE ? builder->pid : pid ? pid : builder->pid;
    struct paint paint = pid ? find_paint(builder, pid, p[0] == CP_NONE ? builder->plain : p) : UNPAINTED;
    model->status = painted_add_triangle(&builder->painted, v, here(model));
    if (model->status == CP_OK && paint.colours[0] != CP_NONE &&
        !painted_set_paint(&builder->painted, builder->painted.face_count - 1, &paint))
        model->status = CP_LIMIT;
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

/* ---- the mesh ---- */

static cp_status report_oddities(const struct builder *builder)
{
    const struct model_reader *model = builder->model;
    cp_context *context = model->file->context;
    bool strict = model->file->settings->common.strict;
    cp_status status = CP_OK;
    const struct painted *painted = &builder->painted;
    if (painted->degenerate)
        status =
            report_lenient(context, strict, "3mf-degenerate", AT_LINE(model->source->name, painted->degenerate_line),
                           "triangles that name a vertex twice, kept: %llu of %u",
                           (unsigned long long)painted->degenerate, painted->face_count);
    if (builder->unknown && status == CP_OK)
        status = report_lenient(context, strict, "3mf-property", AT_LINE(model->source->name, builder->unknown_line),
                                "triangles whose property is not there, without a colour: %llu",
                                (unsigned long long)builder->unknown);
    return status;
}

cp_status mesh_read(struct model_reader *model, struct threemf_object *object, const char *pid, uint32_t pindex)
{
    struct threemf *file = model->file;
    struct builder builder = {
        .model = model,
        .painted = {.context = file->context, .size_code = "3mf-size", .vertices = &file->vertices},
        .pid = pid,
        .plain = {pindex, pindex, pindex}};
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
    if (status == CP_OK && builder.painted.face_count > 0) {
        const char *name = scene_text(file->scene, object->name);
        object->mesh =
            name ? painted_finish(&builder.painted, file->scene, file->colours, name, object->origin) : CP_NONE;
        status = object->mesh == CP_NONE ? CP_LIMIT : CP_OK;
    }
    painted_free(&builder.painted);
    return status;
}

#endif
