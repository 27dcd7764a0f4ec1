/* A document: its text, its elements by the table of their readers, its ids, and references into it and others. */
#include "animation.h"
#include "kinematics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/text.h"

/* ---- help for all readers of elements ---- */

cp_status collada_error(const struct collada_document *document, const char *code, uint64_t line, const char *format,
                        ...)
{
    char text[300];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return report_error(document->collada->context, CP_INPUT, code, AT_LINE(document->source->name, line), "%s", text);
}

cp_status collada_read_children(struct collada_document *document, const struct collada_element *elements, void *into)
{
    struct xml *xml = &document->xml;
    uint32_t depth = xml->depth;
    cp_status status = CP_OK;
    while (status == CP_OK && xml_child(xml, depth))
        for (const struct collada_element *element = elements; element->name; element++)
            if (strcmp(xml->name, element->name) == 0) {
                status = element->read(document, into);
                break;
            }
    return status == CP_OK ? xml->status : status;
}

void *collada_add_row(struct collada_document *document, void *rows, uint32_t *room, uint32_t *count, size_t size)
{
    char *items;
    if (*count == CP_NONE - 1 || !array_reserve(document->collada->context, rows, room, *count + UINT64_C(1), size))
        return NULL;
    memcpy(&items, rows, sizeof items);
    return memset(items + size * (*count)++, 0, size);
}

void collada_link(struct collada_list *list, uint32_t number, uint32_t *next)
{
    if (next)
        *next = number;
    else
        list->first = number;
    list->last = number;
}

const char *collada_trim(struct arena *arena, const char *text)
{
    while (is_blank(*text))
        text++;
    size_t size = strlen(text);
    while (size > 0 && is_blank(text[size - 1]))
        size--;
    return size > 0 ? arena_copy_text(arena, text, size) : "";
}

const char *collada_attribute(struct collada_document *document, const char *name)
{
    const char *value = xml_attribute(&document->xml, name);
    return value ? collada_trim(document->collada->arena, value) : "";
}

const char *collada_text(struct collada_document *document)
{
    const char *text = xml_text(&document->xml);
    return text ? collada_trim(document->collada->arena, text) : NULL;
}

cp_status collada_read_text(struct collada_document *document, const char **copy)
{
    const char *text = collada_text(document);
    *copy = text ? text : "";
    return text ? CP_OK : document->xml.status != CP_OK ? document->xml.status : CP_LIMIT;
}

cp_status collada_whole(struct collada_document *document, const char *name, uint32_t missing, uint32_t *number)
{
    const char *text = xml_attribute(&document->xml, name);
    double value = missing;
    if (text && (!text_is_number(text, &value) || value < 0 || value >= INT32_MAX || value != floor(value)))
        return collada_error(document, "collada-number", document->xml.line, "%s=\"%.40s\" is no number of 0 to %d",
                             name, text, INT32_MAX - 1);
    *number = (uint32_t)value;
    return CP_OK;
}

cp_status collada_note_id(struct collada_document *document, enum collada_kind kind, const char *id, uint32_t row)
{
    bool added = true;
    if (!id || (*id && !name_map_add(&document->ids[kind], id, row, &added)))
        return CP_LIMIT;
    document->collada->counts[COLLADA_TOLD_IDS] += !added;
    return CP_OK;
}

/* ---- asset and scene ---- */

static cp_status read_unit(struct collada_document *document, void *into)
{
    (void)into;
    const char *text = xml_attribute(&document->xml, "meter");
    double unit = 1;
    if (!text)
        return CP_OK;
    char copy[40] = "", *comma;
    (void)strncpy(copy, text, sizeof copy - 1);
    if ((comma = strchr(copy, ',')) != NULL) {
        *comma = '.';
        document->collada->counts[COLLADA_TOLD_COMMAS]++;
    }
    if (text_is_number(copy, &unit) && unit > 0) {
        document->unit = unit;
        return CP_OK;
    }
    return report_lenient(document->collada->context, document->collada->settings->common.strict, "collada-unit",
                          AT_LINE(document->source->name, document->xml.line),
                          "a unit of \"%.40s\" m makes no sense; 1 m is taken", text);
}

static cp_status read_up(struct collada_document *document, void *into)
{
    static const char *const words[] = {[COLLADA_UP_Z] = "Z_UP", [COLLADA_UP_Y] = "Y_UP", [COLLADA_UP_X] = "X_UP"};
    (void)into;
    uint64_t line = document->xml.line;
    const char *text = collada_text(document);
    if (!text)
        return document->xml.status == CP_OK ? CP_LIMIT : document->xml.status;
    for (enum collada_up up = COLLADA_UP_Z; up <= COLLADA_UP_X; up++)
        if (strcmp(text, words[up]) == 0) {
            document->up = up;
            return CP_OK;
        }
    return report_lenient(document->collada->context, document->collada->settings->common.strict, "collada-up",
                          AT_LINE(document->source->name, line),
                          "the up_axis \"%.40s\" is not X_UP, Y_UP or Z_UP; Y_UP is taken", text);
}

/* Keeps what the file says of itself. */
static cp_status keep_text(struct collada_document *document, void *into)
{
    struct collada *collada = document->collada;
    (void)into;
    const char *key = arena_print(collada->arena, "collada.%s", document->xml.name), *text = collada_text(document);
    if (!key || !text)
        return document->xml.status == CP_OK ? CP_LIMIT : document->xml.status;
    bool is_kept = !*text || collada->document_count > 1 ||
                   scene_add_metadata(collada->scene, CP_OWNER_SCENE, 0, key, CP_VALUE_STRING, text);
    return is_kept ? CP_OK : CP_LIMIT;
}

static cp_status read_contributor(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"author", keep_text}, {"authoring_tool", keep_text}, {"copyright", keep_text}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_asset(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"contributor", read_contributor},
                                                      {"created", keep_text},
                                                      {"modified", keep_text},
                                                      {"title", keep_text},
                                                      {"unit", read_unit},
                                                      {"up_axis", read_up},
                                                      {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static cp_status read_shown(struct collada_document *document, void *into)
{
    (void)into;
    document->shown = collada_attribute(document, "url");
    return document->shown ? CP_OK : CP_LIMIT;
}

static cp_status read_scene(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"instance_visual_scene", read_shown}, {"instance_kinematics_scene", collada_read_bindings}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

static const struct collada_element libraries[] = {
    {"asset", read_asset},
    {"library_images", collada_read_images},
    {"library_effects", collada_read_effects},
    {"library_materials", collada_read_materials},
    {"library_geometries", collada_read_geometries},
    {"library_controllers", collada_read_controllers},
    {"library_animations", collada_read_animations},
    {"library_animation_clips", collada_read_clips},
    {"library_articulated_systems", collada_read_systems},
    {"library_joints", collada_read_joints},
    {"library_kinematics_models", collada_read_models},
    {"library_kinematics_scenes", collada_read_systems},
    {"library_formulas", collada_count_unread},
    {"library_physics_models", collada_count_unread},
    {"library_physics_scenes", collada_count_unread},
    {"library_force_fields", collada_count_unread},
    {"library_nodes", collada_read_nodes},
    {"library_visual_scenes", collada_read_scenes},
    {"scene", read_scene},
    {NULL, NULL},
};

/* ---- the text ---- */

/* Cuts an XML declaration whose encoding is none that is read: UTF-16 that is UTF-8 by now, or a wrong name. */
static void skip_declaration(struct source *text)
{
    static const char *const known[] = {"utf-8", "ascii", "us-ascii", "iso-8859-1", "windows-1252"};
    static const char word[] = "encoding";
    const char *end = text->size > 5 && memcmp(text->data, "<?xml", 5) == 0 ? strstr(text->data, "?>") : NULL;
    const char *at = end ? strstr(text->data, word) : NULL;
    if (!at || at > end)
        return;
    at += sizeof word - 1;
    at += strspn(at, " \t\r\n=\"'");
    char name[16] = "";
    size_t size = strcspn(at, "\"' ?");
    memcpy(name, at, size < sizeof name ? size : sizeof name - 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (text_equal_nocase(name, known[i]))
            return;
    end += 2;
    text->size -= (size_t)(end - text->data);
    text->data = end;
}

/* Cuts what stands before and behind the XML: blanks, and zero bytes that follow the end of the root, with whatever is
 * behind them (programs write over longer files). */
static cp_status find_text(struct collada_document *document, struct source *text)
{
    struct collada *collada = document->collada;
    struct place place = IN_FILE(document->source->name);
    bool strict = collada->settings->common.strict;
    cp_status status = CP_OK;
    const char *start = text_after_mark(text->data, text->size), *end = text->data + text->size;
    const char *blank = start;
    while (start < end && is_blank(*start))
        start++;
    if (start > blank && end - start > 5 && memcmp(start, "<?xml", 5) == 0)
        status = report_lenient(collada->context, strict, "collada-blanks", place, "blanks before <?xml");
    text->data = start;
    text->size = (size_t)(end - start);
    const char *zero = memchr(start, '\0', text->size), *last = zero;
    while (last && last > start && is_blank(last[-1]))
        last--;
    if (status != CP_OK || !last || last - start < 10 || memcmp(last - 8, "COLLADA>", 8) != 0)
        return status;
    text->size = (size_t)(last - start);
    return report_lenient(collada->context, strict, "collada-end", place,
                          "zero bytes behind </COLLADA>, and all that follows, are ignored");
}

/* ---- documents ---- */

static cp_status check_root(struct collada_document *document)
{
    const struct xml *xml = &document->xml;
    const char *version = xml_attribute(xml, "version");
    if (strcmp(xml->name, "COLLADA") != 0)
        return collada_error(document, "collada-root", xml->line, "the document is <%.40s>, not <COLLADA>", xml->name);
    if (!(version && strncmp(version, "1.3", 3) == 0) && !strstr(xml->uri, "/2005/COLLADASchema"))
        return CP_OK;
    return collada_error(document, "collada-version", xml->line,
                         "COLLADA %.20s is not read, only 1.4 and 1.5: export the model anew",
                         version ? version : "1.3");
}

/* Warns if something follows the root: it is not read, and may be the rest of an older, longer file. */
static cp_status check_end(const struct collada_document *document)
{
    const struct source *text = &document->text;
    const char *end = text->data + text->size;
    while (end > text->data && is_blank(end[-1]))
        end--;
    size_t size = (size_t)(end - text->data);
    if (size > 8 && (memcmp(end - 8, "COLLADA>", 8) == 0 || memcmp(end - 3, "-->", 3) == 0 || end[-2] == '?' ||
                     end[-2] == '/' || is_blank(end[-2])))
        return CP_OK;
    return report_lenient(document->collada->context, document->collada->settings->common.strict, "collada-end",
                          IN_FILE(document->source->name), "what follows </COLLADA> is ignored");
}

static cp_status read_document(struct collada_document *document)
{
    static const struct xml_codes codes = XML_CODES("collada");
    struct xml *xml = &document->xml;
    cp_status status = xml_open(xml, &document->text, document->collada->settings->common.strict, &codes);
    xml_allow_prefixes(xml);
    if (status == CP_OK && xml_child(xml, 0))
        status = check_root(document);
    if (status == CP_OK && xml->status == CP_OK)
        status = collada_read_children(document, libraries, NULL);
    cp_status parsed = xml_close(xml);
    status = status == CP_OK ? parsed : status;
    return status == CP_OK ? check_end(document) : status;
}

cp_status collada_open(struct collada *collada, struct source *source, struct collada_document **opened)
{
    cp_context *context = collada->context;
    struct collada_document *document = memory_allocate_zeroed(context, 1, sizeof *document);
    if (!document || !array_add(context, &collada->documents, &collada->document_room, &collada->document_count,
                                &document, sizeof(struct collada_document *))) {
        memory_free(context, document, 1, sizeof *document);
        if (source != collada->top)
            source_close(source);
        return CP_LIMIT;
    }
    *document = (struct collada_document){.collada = collada, .source = source, .unit = 1, .up = COLLADA_UP_Y};
    document->mesh_sources.context = context;
    for (int i = 0; i < COLLADA_KINDS; i++)
        document->ids[i].context = context;
    *opened = document;
    cp_status status = source_decode(source);
    document->text = *source;
    if (status == CP_OK)
        status = find_text(document, &document->text);
    skip_declaration(&document->text);
    return status == CP_OK ? read_document(document) : status;
}

void collada_close(struct collada_document *document)
{
    cp_context *context = document->collada->context;
    for (uint32_t i = 0; i < document->source_count; i++) {
        struct collada_source *source = &document->sources[i];
        memory_free(context, source->numbers.items, source->numbers.room, sizeof *source->numbers.items);
        memory_free(context, source->words.items, source->words.room, sizeof *source->words.items);
    }
    for (uint32_t i = 0; i < document->primitive_count; i++) {
        struct collada_primitive *primitive = &document->primitives[i];
        memory_free(context, primitive->indices.items, primitive->indices.room, sizeof(uint32_t));
        memory_free(context, primitive->sizes.items, primitive->sizes.room, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < document->geometry_count; i++)
        if (document->geometries[i].shape)
            collada_free_shape(document->collada, document->geometries[i].shape);
#define FREE(rows, room) memory_free(context, document->rows, document->room, sizeof *document->rows)
    FREE(sources, source_room);
    FREE(inputs, input_room);
    FREE(primitives, primitive_room);
    FREE(geometries, geometry_room);
    FREE(controllers, controller_room);
    FREE(params, param_room);
    FREE(effects, effect_room);
    FREE(materials, material_room);
    FREE(images, image_room);
    FREE(transforms, transform_room);
    FREE(sets, set_room);
    FREE(bindings, binding_room);
    FREE(instances, instance_room);
    FREE(nodes, node_room);
    FREE(scenes, scene_room);
#undef FREE
    for (int i = 0; i < COLLADA_KINDS; i++)
        name_map_free(&document->ids[i]);
    name_map_free(&document->mesh_sources);
    if (document->source != document->collada->top)
        source_close(document->source);
    memory_free(context, document, 1, sizeof *document);
}
