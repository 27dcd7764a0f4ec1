/* A model part: metadata, resources and the build, into the tables of the file. */
#include "model/model.h"
#include "3mf.h"
#include "base/text/text.h"

#ifdef HAVE_3MF

#include <math.h>
#include <stdio.h>

/* ---- errors and values ---- */

static struct place here(const struct model_reader *model)
{
    return AT_LINE(model->source->name, model->xml.line);
}

cp_status model_error(struct model_reader *model, const char *code, const char *what, const char *value)
{
    return model->status = report_error(model->file->context, CP_INPUT, code, here(model), "%s%.80s%s", what,
                                        value ? value : "", value ? "\"" : "");
}

/* Returns a copy that lives as long as the reading; "" for NULL. NULL when out of memory, with the status set. */
static const char *keep(struct model_reader *model, const char *text)
{
    const char *copy = text && *text ? arena_copy_text(model->file->arena, text, strlen(text)) : "";
    if (!copy)
        model->status = CP_LIMIT;
    return copy;
}

static const char *skip_blanks(const char *text)
{
    while (is_blank(*text))
        text++;
    return text;
}

bool model_float(struct model_reader *model, const char *name, const char *text, float *value)
{
    const char *start = skip_blanks(text), *end = parse_float(start, start + strlen(start), value);
    if (end && !*skip_blanks(end) && isfinite(*value))
        return true;
    model->status = report_error(model->file->context, CP_INPUT, "3mf-number", here(model),
                                 "%s is no number that single precision holds: \"%.40s\"", name, text);
    return false;
}

bool model_text_index(struct model_reader *model, const char *name, const char *text, uint32_t *index)
{
    const char *at = skip_blanks(text);
    uint64_t value = 0;
    bool any = false;
    for (; is_digit(*at) && value < UINT32_MAX; at++, any = true)
        value = 10 * value + (uint64_t)(*at - '0');
    *index = (uint32_t)value;
    if (any && !*skip_blanks(at) && value < UINT32_MAX)
        return true;
    model->status = report_error(model->file->context, CP_INPUT, "3mf-number", here(model),
                                 "%s is no whole number from 0: \"%.40s\"", name, text);
    return false;
}

/* Reads twelve numbers, the matrix column by column for row vectors; its translation is in the part's unit. */
static bool read_transform(struct model_reader *model, cp_pose *pose)
{
    *pose = POSE_IDENTITY;
    const char *text = xml_attribute(&model->xml, "transform");
    if (!text)
        return true;
    const char *at = text, *end = text + strlen(text);
    double unit = model->file->parts[model->part].unit;
    for (int i = 0; i < 12 && at; i++) {
        double *entry = &pose->m[4 * (i % 3) + i / 3];
        at = skip_blanks(at);
        at = parse_double(at, end, entry);
        if (at && *at && !is_blank(*at))
            at = NULL;
        if (i >= 9)
            *entry *= unit;
    }
    if (at && !*skip_blanks(at) && pose_is_finite(pose))
        return true;
    (void)model_error(model, "3mf-transform", "a transform needs 12 numbers: \"", text);
    return false;
}

/* Reads a colour: #RRGGBB or #RRGGBBAA. */
static bool read_colour(struct model_reader *model, const char *text, double rgba[4])
{
    size_t size = text ? strlen(text) : 0;
    bool good = (size == 7 || size == 9) && *text == '#';
    rgba[3] = 1;
    for (size_t i = 0; good && 2 * i + 1 < size; i++) {
        int high = hex_digit(text[1 + 2 * i]), low = hex_digit(text[2 + 2 * i]);
        good = high >= 0 && low >= 0;
        rgba[i] = (16 * high + low) / 255.0;
    }
    if (!good)
        (void)model_error(model, "3mf-colour", "a colour is #RRGGBB or #RRGGBBAA, not \"", text ? text : "");
    return good;
}

/* ---- namespaces ---- */

static const struct {
    const char *prefix; /* the specifications' prefix, which means the namespace if nothing declares it */
    const char *uri;
} extensions[] = {{"m", MATERIAL_URI}, {"p", PRODUCTION_URI}, {"s", SLICE_URI}, {"t", TRIANGLE_SETS_URI}};

/* Returns the namespace of a name: a URI, or a prefix that nothing declares. */
static const char *namespace_of(const char *uri)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(uri, extensions[i].prefix) == 0)
            return extensions[i].uri;
    return uri;
}

/* ---- elements of others ---- */

void model_skip(struct model_reader *model)
{
    const struct xml *xml = &model->xml;
    bool own = strcmp(xml->uri, model->core) == 0;
    report_loss(model->file->context, "3mf-element", IN_FILE(model->file->source->name), 1,
                "elements <%.60s>%s%.100s%s", xml->name, own ? "" : " of ",
                own         ? ""
                : *xml->uri ? xml->uri
                            : "no namespace",
                "");
}

bool model_child(struct model_reader *model, uint32_t depth)
{
    while (model->status == CP_OK && xml_child(&model->xml, depth)) {
        if (strcmp(model->xml.uri, model->core) == 0)
            return true;
        model_skip(model);
    }
    return false;
}

/* ---- parts and references ---- */

uint32_t model_add_part(struct threemf *file, const char *name)
{
    const uint32_t *known = name_map_find(&file->part_names, name);
    if (known)
        return *known;
    const char *copy = arena_copy_text(file->arena, name, strlen(name));
    if (!copy ||
        !array_reserve(file->context, &file->parts, &file->part_room, file->part_count + UINT64_C(1),
                       sizeof *file->parts) ||
        !name_map_add(&file->part_names, copy, file->part_count, NULL))
        return CP_NONE;
    file->parts[file->part_count] =
        (struct threemf_part){.name = copy, .unit = 0.001, .names = {.context = file->context}};
    return file->part_count++;
}

/* Reads the attribute objectid, and p:path of the production extension. */
static bool read_reference(struct model_reader *model, struct reference *to)
{
    const struct xml *xml = &model->xml;
    const char *id = xml_attribute(xml, "objectid"), *path = NULL;
    for (uint32_t i = 0; i < xml->attribute_count; i++)
        if (strcmp(xml->attributes[i].name, "path") == 0 &&
            strcmp(namespace_of(xml->attributes[i].uri), PRODUCTION_URI) == 0)
            path = xml->attributes[i].value;
    if (!id) {
        (void)model_error(model, "3mf-reference", "objectid is missing", NULL);
        return false;
    }
    *to = (struct reference){.part = model->part, .id = keep(model, id), .line = xml->line, .in = model->part};
    if (path) {
        path += *path == '/' || *path == '\\';
        if (!package_has(model->file, path)) {
            if (arena_failed(model->file->arena))
                model->status = CP_LIMIT;
            else
                (void)model_error(model, "3mf-part", "the package has no part \"", path);
            return false;
        }
        to->part = model_add_part(model->file, path);
        if (to->part == CP_NONE)
            model->status = CP_LIMIT;
    }
    return model->status == CP_OK;
}

/* Reads <item> or <component> into the table. */
static void read_placement(struct model_reader *model, struct component **table, uint32_t *count, uint32_t *room)
{
    struct component component = {.object = CP_NONE};
    if (!read_reference(model, &component.to) || !read_transform(model, &component.local))
        return;
    component.part_number = keep(model, xml_attribute(&model->xml, "partnumber"));
    if (model->status == CP_OK && !array_add(model->file->context, table, room, count, &component, sizeof component))
        model->status = CP_LIMIT;
}

/* ---- resources ---- */

static bool add_resource(struct model_reader *model, const struct resource *resource)
{
    struct threemf *file = model->file;
    const char *id = xml_attribute(&model->xml, "id");
    if (!id)
        return resource->kind == RESOURCE_OTHER ||
               model_error(model, "3mf-id", "the resource has no id", NULL) == CP_OK;
    bool added = false;
    id = keep(model, id);
    if (!id ||
        !array_reserve(file->context, &file->resources, &file->resource_room, file->resource_count + UINT64_C(1),
                       sizeof *file->resources) ||
        !name_map_add(&file->parts[model->part].names, id, file->resource_count, &added)) {
        model->status = CP_LIMIT;
        return false;
    }
    if (!added)
        return model_error(model, "3mf-id", "a second resource with the id \"", id) == CP_OK;
    file->resources[file->resource_count++] = *resource;
    return true;
}

struct resource *model_resource(const struct model_reader *model, const char *id)
{
    const uint32_t *index = name_map_find(&model->file->parts[model->part].names, id);
    return index ? &model->file->resources[*index] : NULL;
}

/* <basematerials> of <base name displaycolor>, or <colorgroup> of <color color>. */
static void read_colours(struct model_reader *model, bool bases)
{
    struct threemf *file = model->file;
    uint32_t depth = model->xml.depth, own = file->resource_count;
    if (!add_resource(model, &(struct resource){.kind = RESOURCE_COLOURS, .first = file->colour_count}))
        return;
    uint64_t unseen = 0, line = 0;
    while (model->status == CP_OK && xml_child(&model->xml, depth)) {
        if (strcmp(model->xml.name, bases ? "base" : "color") != 0) {
            model_skip(model);
            continue;
        }
        struct colour colour = {.material = CP_NONE};
        if (!read_colour(model, xml_attribute(&model->xml, bases ? "displaycolor" : "color"), colour.rgba))
            return;
        colour.name = keep(model, bases ? xml_attribute(&model->xml, "name") : NULL);
        if (bases && colour.rgba[3] == 0) {
            colour.rgba[3] = 1;
            line = unseen++ ? line : model->xml.line;
        }
        if (model->status == CP_OK &&
            !array_add(file->context, &file->colours, &file->colour_room, &file->colour_count, &colour, sizeof colour))
            model->status = CP_LIMIT;
        if (model->status != CP_OK)
            return;
        file->resources[own].count++;
    }
    report_opaque(file->context, OPAQUE_3MF_BASE, AT_LINE(model->source->name, line), unseen);
}

static void read_components(struct model_reader *model, struct threemf_object *object)
{
    struct threemf *file = model->file;
    uint32_t depth = model->xml.depth;
    while (model_child(model, depth))
        if (strcmp(model->xml.name, "component") != 0)
            model_skip(model);
        else
            read_placement(model, &file->components, &file->component_count, &file->component_room);
    object->component_count = file->component_count - object->first_component;
}

static void read_object(struct model_reader *model)
{
    struct threemf *file = model->file;
    const struct xml *xml = &model->xml;
    uint32_t depth = xml->depth, pindex = 0;
    struct threemf_object object = {.part = model->part, .mesh = CP_NONE, .first_component = file->component_count};
    object.name = keep(model, xml_attribute(xml, "name"));
    object.part_number = keep(model, xml_attribute(xml, "partnumber"));
    object.type = keep(model, xml_attribute(xml, "type"));
    object.id = keep(model, xml_attribute(xml, "id"));
    const char *pid = xml_attribute(xml, "pid") ? keep(model, xml_attribute(xml, "pid")) : NULL;
    const char *number = xml_attribute(xml, "pindex");
    if (model->status != CP_OK || (number && !model_text_index(model, "pindex", number, &pindex)) ||
        !add_resource(model, &(struct resource){.kind = RESOURCE_OBJECT, .first = file->object_count}))
        return;
    while (model_child(model, depth))
        if (strcmp(xml->name, "mesh") == 0 && object.mesh == CP_NONE && object.component_count == 0)
            model->status = mesh_read(model, &object, pid, pindex);
        else if (strcmp(xml->name, "components") == 0 && object.mesh == CP_NONE && object.component_count == 0)
            read_components(model, &object);
        else
            model_skip(model);
    if (model->status == CP_OK &&
        !array_add(file->context, &file->objects, &file->object_room, &file->object_count, &object, sizeof object))
        model->status = CP_LIMIT;
}

static void read_resources(struct model_reader *model)
{
    const struct xml *xml = &model->xml;
    uint32_t depth = xml->depth, first = model->file->resource_count;
    while (model->status == CP_OK && xml_child(&model->xml, depth)) {
        bool core = strcmp(xml->uri, model->core) == 0;
        if (core && strcmp(xml->name, "object") == 0) {
            read_object(model);
        } else if (core && strcmp(xml->name, "basematerials") == 0) {
            read_colours(model, true);
        } else if (strcmp(xml->name, "colorgroup") == 0 && strcmp(namespace_of(xml->uri), MATERIAL_URI) == 0) {
            read_colours(model, false);
        } else {
            model_skip(model);
            (void)add_resource(model, &(struct resource){.kind = RESOURCE_OTHER, .element = keep(model, xml->name)});
        }
    }
    for (uint32_t i = first; i < model->file->resource_count; i++) {
        const struct resource *resource = &model->file->resources[i];
        if (resource->uses)
            report_loss(model->file->context, "3mf-paint", IN_FILE(model->file->source->name), resource->uses,
                        "what <%.60s> gives triangles", resource->element);
    }
}

/* ---- the part ---- */

static void read_unit(struct model_reader *model)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"micron", 1e-6}, {"millimeter", 0.001}, {"centimeter", 0.01},
                 {"inch", 0.0254}, {"foot", 0.3048},      {"meter", 1}};
    struct threemf *file = model->file;
    const char *word = xml_attribute(&model->xml, "unit");
    double unit = word ? 0 : 0.001;
    for (size_t i = 0; word && i < sizeof units / sizeof *units; i++)
        unit = strcmp(units[i].name, word) == 0 ? units[i].metres : unit;
    if (unit == 0)
        model->status = report_lenient(file->context, file->settings->common.strict, "3mf-unit", here(model),
                                       "the unit \"%.40s\" is not known; millimetres are taken", word);
    unit = file->settings->unit > 0 ? file->settings->unit : unit > 0 ? unit : 0.001;
    file->parts[model->part].unit = unit;
    if (model->part == 0)
        file->scene->source.unit = unit;
}

/* Checks an extension. A program that does not know one which the model requires must not read the model. */
static void check_extension(struct model_reader *model, const char *prefix, size_t size)
{
    const struct xml *xml = &model->xml;
    const char *uri = NULL;
    for (uint32_t i = 0; i < xml->namespace_count; i++)
        if (strlen(xml->namespaces[i].prefix) == size && memcmp(xml->namespaces[i].prefix, prefix, size) == 0)
            uri = xml->namespaces[i].uri;
    bool known = uri && strcmp(uri, CORE_URI) == 0;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        known |= uri ? strcmp(uri, extensions[i].uri) == 0 : size == 1 && *prefix == *extensions[i].prefix;
    if (known && !uri)
        model->status = report_lenient(model->file->context, model->file->settings->common.strict, "3mf-namespace",
                                       here(model), "the prefix %c of a required extension is not declared", *prefix);
    if (known)
        return;
    int shown = size < 40 ? (int)size : 40;
    if (model->file->settings->common.partial)
        report_loss(model->file->context, "3mf-extension", IN_FILE(model->source->name), 1,
                    "what the required extension %.*s (%.100s) says", shown, prefix, uri ? uri : "not declared");
    else
        model->status =
            report_error(model->file->context, CP_INPUT, "3mf-extension", here(model),
                         "it requires the extension %.*s (%.100s), which is not read (--in partial=yes reads the rest)",
                         shown, prefix, uri ? uri : "not declared");
}

static void read_root(struct model_reader *model)
{
    struct xml *xml = &model->xml;
    if (strcmp(xml->name, "model") != 0) {
        (void)model_error(model, "3mf-root", "expected <model>, found <\"", xml->name);
        return;
    }
    model->core = xml->uri;
    if (strcmp(xml->uri, CORE_URI) != 0)
        model->status =
            report_lenient(model->file->context, model->file->settings->common.strict, "3mf-namespace", here(model),
                           "the namespace of <model> is \"%.100s\", not \"%s\"", xml->uri, CORE_URI);
    const char *at = xml_attribute(xml, "requiredextensions");
    at = at ? skip_blanks(at) : "";
    for (size_t size; model->status == CP_OK && *at; at = skip_blanks(at + size)) {
        size = strcspn(at, " \t\r\n");
        check_extension(model, at, size);
    }
    if (model->status == CP_OK)
        read_unit(model);
}

/* <metadata name="Title">...</metadata>, of the root part. */
static void read_metadata(struct model_reader *model)
{
    struct threemf *file = model->file;
    const char *name = xml_attribute(&model->xml, "name"), *key = keep(model, name);
    if (model->part > 0 || !key || !*key)
        return;
    const char *text = xml_text(&model->xml);
    if (text && *text && !scene_add_metadata(file->scene, CP_OWNER_SCENE, 0, key, CP_VALUE_STRING, text))
        model->status = CP_LIMIT;
}

static void read_build(struct model_reader *model)
{
    struct threemf *file = model->file;
    uint32_t depth = model->xml.depth;
    while (model->part == 0 && model_child(model, depth)) /* the builds of other parts do not count (production
                                                           * extension) */
        if (strcmp(model->xml.name, "item") != 0)
            model_skip(model);
        else
            read_placement(model, &file->items, &file->item_count, &file->item_room);
}

cp_status model_read(struct threemf *file, uint32_t part, const struct source *source)
{
    static const struct xml_codes codes = XML_CODES("3mf");
    struct model_reader model = {.file = file, .source = source, .part = part, .core = CORE_URI};
    struct xml *xml = &model.xml;
    (void)xml_open(xml, source, file->settings->common.strict, &codes);
    xml_allow_prefixes(xml);
    if (xml_child(xml, 0))
        read_root(&model);
    while (model_child(&model, 1))
        if (strcmp(xml->name, "resources") == 0)
            read_resources(&model);
        else if (strcmp(xml->name, "build") == 0)
            read_build(&model);
        else if (strcmp(xml->name, "metadata") == 0)
            read_metadata(&model);
        else
            model_skip(&model);
    cp_status parsed = xml_close(xml);
    return model.status == CP_OK ? parsed : model.status;
}

#endif
