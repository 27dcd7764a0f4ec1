/* RobWork's XML: cells (.wc.xml) and devices (.dev.xml, .xml) with frames, joints, models and setups of collisions.
 *
 * Specification: none was published; the rules are those of RobWork's own loader of 2018 (src/rw/loaders/rwxml), and
 * docs/rwxml.md has them all. The file is read into rows of frames and devices, as later elements may name earlier ones
 * and the other way round; then the scene is made of them.
 *
 * Behaviour and limitations: docs/rwxml.md. */
#include "rwxml.h"

#include "../importers.h"
#include "base/text/text.h"

/* ---- the probe ---- */

static const char *const roots[] = {"WorkCell",     "SerialDevice",    "TreeDevice",      "ParallelDevice",
                                    "MobileDevice", "DynamicWorkcell", "DynamicWorkCell", NULL};

/* Returns the name of the first element; "" if the head ends before. *size is its length. */
static const char *first_element(const char *at, const char *end, size_t *size)
{
    static const struct {
        const char *open, *close;
    } marks[] = {{"<!--", "-->"}, {"<?", "?>"}};
    *size = 0;
    for (bool skipped = true; skipped;) {
        skipped = false;
        while (at < end && is_space(*at))
            at++;
        for (int i = 0; i < 2 && !skipped; i++) {
            size_t open = strlen(marks[i].open), close = strlen(marks[i].close);
            if ((size_t)(end - at) < open || memcmp(at, marks[i].open, open) != 0)
                continue;
            for (at += open; at < end && ((size_t)(end - at) < close || memcmp(at, marks[i].close, close) != 0);)
                at++;
            at = (size_t)(end - at) < close ? end : at + close;
            skipped = true;
        }
    }
    if (at == end || *at != '<')
        return "";
    const char *name = ++at;
    while (at < end && (is_letter(*at) || is_digit(*at)))
        at++;
    *size = at < end ? (size_t)(at - name) : 0;
    return name;
}

/* Is surer than those who look for an element anywhere in the head: devices name setups of collisions. */
static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    size_t length;
    const char *end = head + size, *name = first_element(text_after_mark(head, size), end, &length);
    for (size_t i = 0; roots[i]; i++)
        if (strlen(roots[i]) == length && memcmp(name, roots[i], length) == 0)
            return 98;
    bool prepares = (length == 6 && memcmp(name, "Define", 6) == 0) || (length == 7 && memcmp(name, "Include", 7) == 0);
    for (size_t i = 0; roots[i] && prepares; i++)
        if (xml_probe(head, size, roots[i]) > 0)
            return 97;
    return 0;
}

/* ---- the reading ---- */

/* Reads the cell that a dynamic one names; the rest of that is lost. */
static cp_status read_static_cell(struct rwxml *rwxml, const struct xml_node *dynamic)
{
    const char *name = rwxml_attribute(rwxml, dynamic, "workcell");
    uint64_t lost = 0;
    if (!name)
        return CP_INPUT;
    for (const struct xml_node *child = xml_node_child(dynamic, NULL); child; child = xml_node_next(child, NULL))
        lost++;
    if (lost > 0)
        report_loss(rwxml->context, "rwxml-dynamic", IN_FILE(dynamic->file), lost,
                    "elements about masses, bodies and controllers");
    struct xml_item *item = arena_copy(rwxml->arena, &(struct xml_item){"file", name}, 1, sizeof *item);
    struct xml_node *include = arena_allocate_zeroed(rwxml->arena, 1, sizeof *include);
    if (!item || !include)
        return CP_LIMIT;
    *include = (struct xml_node){
        .name = "Include", .file = dynamic->file, .line = dynamic->line, .attributes = item, .attribute_count = 1};
    return rwxml_include(rwxml, include);
}

/* Finds the cell or device among the top elements. */
static cp_status find_top(struct rwxml *rwxml, bool within_dynamic, const struct xml_node **top)
{
    *top = NULL;
    for (const struct xml_node *child = xml_node_child(rwxml->document.root, NULL); child;
         child = xml_node_next(child, NULL))
        if (!*top && rwxml_is_one_of(child, roots))
            *top = child;
        else
            rwxml_lose(rwxml, child);
    if (!*top)
        return report_error(rwxml->context, CP_INPUT, "rwxml-root", IN_FILE(rwxml->source->name),
                            "the file has no <WorkCell>, and no device");
    bool is_dynamic = strncmp((*top)->name, "Dynamic", 7) == 0;
    if (!is_dynamic)
        return CP_OK;
    if (within_dynamic)
        return report_error(rwxml->context, CP_INPUT, "rwxml-root", xml_node_place(*top),
                            "the cell of a dynamic one is dynamic, too");
    cp_status status = read_static_cell(rwxml, *top);
    return status == CP_OK ? find_top(rwxml, true, top) : status;
}

static cp_status read_cell(struct rwxml *rwxml)
{
    const struct xml_node *top;
    cp_status status = rwxml_read_document(rwxml);
    if (status == CP_OK)
        status = find_top(rwxml, false, &top);
    if (status == CP_OK)
        status = rwxml_read_rows(rwxml, top);
    if (status == CP_OK)
        status = rwxml_resolve(rwxml);
    if (status == CP_OK)
        status = rwxml_build(rwxml);
    if (status == CP_OK)
        status = rwxml_add_devices(rwxml);
    if (status == CP_OK)
        status = rwxml_close_legs(rwxml);
    return status == CP_OK ? rwxml_apply_setups(rwxml) : status;
}

static void free_all(struct rwxml *rwxml)
{
    cp_context *context = rwxml->context;
    struct rwxml_list *const lists[] = {&rwxml->limits,    &rwxml->models, &rwxml->configurations,
                                        &rwxml->junctions, &rwxml->setups, &rwxml->properties};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        memory_free(context, lists[i]->items, lists[i]->room, sizeof *lists[i]->items);
    for (uint32_t i = rwxml->document.source_count; i-- > 0;)
        source_close(rwxml->document.sources[i]);
    memory_free(context, rwxml->document.sources, rwxml->document.source_room, sizeof(struct source *));
    memory_free(context, rwxml->frames, rwxml->frame_room, sizeof *rwxml->frames);
    memory_free(context, rwxml->devices, rwxml->device_room, sizeof *rwxml->devices);
    memory_free(context, rwxml->placed, rwxml->placed_room, sizeof *rwxml->placed);
    name_map_free(&rwxml->document.files);
    name_map_free(&rwxml->names);
    name_map_free(&rwxml->device_names);
    name_map_free(&rwxml->nodes);
    name_map_free(&rwxml->primitives);
    models_free(&rwxml->files_of_models);
    arena_free(rwxml->arena);
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    const struct name_map empty = {.context = context};
    struct rwxml rwxml = {.context = context,
                          .source = source,
                          .settings = settings,
                          .scene = scene,
                          .arena = arena_new(context),
                          .document = {.files = empty},
                          .names = empty,
                          .device_names = empty,
                          .nodes = empty,
                          .primitives = empty,
                          .last_frame = CP_NONE};
    models_start(&rwxml.files_of_models, scene, rwxml.arena);
    cp_status status = rwxml.arena ? read_cell(&rwxml) : CP_LIMIT;
    free_all(&rwxml);
    return status == CP_OK ? scene_finish(scene) : status;
}

static const cp_option options[] = {
    {"loops", "close loops where the legs of parallel devices meet", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct rwxml_settings, loops), .initial = "yes"},
    CP_OPTIONS_END,
};

const struct importer rwxml_importer = {
    .plugin = {.name = "rwxml",
               .title = "RobWork XML workcell",
               .package = XML_PACKAGE,
               .options = options,
               .settings_size = sizeof(struct rwxml_settings)},
    .suffixes = ".wc.xml .dev.xml .dwc.xml",
    .is_cell = true,
    .probe = probe,
    .sign = "XML with <WorkCell> or a device first",
    .read = read,
};
