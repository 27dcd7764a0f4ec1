/* Sources: arrays, accessors, and the inputs that name them. */
#include "collada.h"

#include "base/text/text.h"

/* ---- arrays ---- */

static cp_status read_number_array(struct collada_document *document, void *into)
{
    uint32_t row = *(const uint32_t *)into, said;
    const char *id = collada_attribute(document, "id");
    cp_status status = collada_note_id(document, COLLADA_ARRAYS, id, row);
    if (status == CP_OK)
        status = collada_whole(document, "count", 0, &said);
    if (status != CP_OK)
        return status;
    struct collada_source *source = &document->sources[row];
    source->array = id;
    bool is_given = xml_attribute(&document->xml, "count");
    status = collada_read_numbers(document, &source->numbers, said);
    document->collada->counts[COLLADA_TOLD_ARRAYS] += is_given && source->numbers.count != said;
    return status;
}

static cp_status read_word_array(struct collada_document *document, void *into)
{
    uint32_t row = *(const uint32_t *)into;
    struct collada_source *source = &document->sources[row];
    const char *id = collada_attribute(document, "id");
    cp_status status = collada_note_id(document, COLLADA_ARRAYS, id, row);
    const char *text = status == CP_OK ? xml_text(&document->xml) : NULL;
    source->array = id ? id : "";
    if (status == CP_OK && !text)
        status = document->xml.status;
    for (const char *at = text; status == CP_OK && at && *at;) {
        while (is_blank(*at))
            at++;
        size_t size = strcspn(at, " \t\r\n");
        const char *word = size > 0 ? arena_copy_text(document->collada->arena, at, size) : NULL;
        if (size > 0 && (!word || !array_add(document->collada->context, &source->words.items, &source->words.room,
                                             &source->words.count, &word, sizeof word)))
            status = CP_LIMIT;
        at += size;
    }
    return status;
}

/* ---- accessors ---- */

static uint32_t width_of(const char *type)
{
    static const struct {
        const char *type;
        uint32_t width;
    } types[] = {{"float4x4", 16}, {"float3x3", 9}, {"float2x2", 4}, {"float4", 4}, {"float3", 3}, {"float2", 2}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type && strcmp(type, types[i].type) == 0)
            return types[i].width;
    return 1;
}

/* Reads a <param>. One without a name is passed over by the specification, unless no param has a name: those are
 * columns[] of `unnamed`. */
struct columns {
    struct collada_source source; /* its columns alone */
    uint32_t unnamed[COLLADA_COLUMNS], unnamed_count, param_count;
};

static cp_status read_column(struct collada_document *document, void *into)
{
    struct columns *columns = into;
    const char *name = xml_attribute(&document->xml, "name");
    uint32_t width = width_of(xml_attribute(&document->xml, "type")), at = columns->source.width;
    bool is_named = name && *name;
    uint32_t *count = is_named ? &columns->source.column_count : &columns->unnamed_count;
    uint32_t *list = is_named ? columns->source.columns : columns->unnamed;
    columns->source.width += width;
    columns->param_count++;
    /* A vector's numbers are columns of their own; a matrix' first one leads to all of it. */
    for (uint32_t i = 0; i < (width <= COLLADA_COLUMNS ? width : 1) && *count < COLLADA_COLUMNS; i++)
        list[(*count)++] = at + i;
    return columns->source.width < INT32_MAX / 2
               ? CP_OK
               : collada_error(document, "collada-accessor", document->xml.line, "an accessor of too many params");
}

static cp_status read_accessor(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"param", read_column}, {NULL, NULL}};
    struct collada_source *source = &document->sources[*(const uint32_t *)into];
    struct columns columns = {.source = {.width = 0}};
    source->reads = collada_attribute(document, "source");
    bool has_stride = xml_attribute(&document->xml, "stride");
    cp_status status = source->reads ? collada_whole(document, "count", 0, &source->count) : CP_LIMIT;
    if (status == CP_OK)
        status = collada_whole(document, "offset", 0, &source->offset);
    if (status == CP_OK)
        status = collada_whole(document, "stride", 1, &source->stride);
    if (status == CP_OK)
        status = collada_read_children(document, elements, &columns);
    if (status != CP_OK)
        return status;
    bool is_named = columns.source.column_count > 0;
    source->column_count = is_named ? columns.source.column_count : columns.unnamed_count;
    memcpy(source->columns, is_named ? columns.source.columns : columns.unnamed, sizeof source->columns);
    source->width = columns.source.width > 0 ? columns.source.width : source->stride;
    if (columns.param_count == 1 && !has_stride) /* a matrix, of which programs say no more */
        source->stride = source->width;
    return CP_OK;
}

static cp_status read_common(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"accessor", read_accessor}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

/* ---- sources ---- */

cp_status collada_read_source(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"float_array", read_number_array}, {"int_array", read_number_array},
        {"Name_array", read_word_array},    {"IDREF_array", read_word_array},
        {"SIDREF_array", read_word_array},  {"bool_array", read_word_array},
        {"technique_common", read_common},  {NULL, NULL},
    };
    (void)into;
    uint32_t row = document->source_count;
    const char *id = collada_attribute(document, "id");
    struct collada_source *source =
        collada_add_row(document, &document->sources, &document->source_room, &document->source_count, sizeof *source);
    if (!id || !source)
        return CP_LIMIT;
    *source = (struct collada_source){.id = id, .array = "", .reads = "", .line = document->xml.line, .stride = 1};
    cp_status status = collada_note_id(document, COLLADA_SOURCES, id, row);
    if (status == CP_OK && *id && !name_map_add(&document->mesh_sources, id, row, NULL))
        status = CP_LIMIT;
    return status == CP_OK ? collada_read_children(document, elements, &row) : status;
}

uint32_t collada_find_source(const struct collada_document *document, const char *reference)
{
    const uint32_t *row = name_map_find(&document->ids[COLLADA_SOURCES], reference + (*reference == '#'));
    return row ? *row : CP_NONE;
}

/* Finds the source whose array this one reads: mostly its own. */
static const struct collada_source *array_of(const struct collada_document *document,
                                             const struct collada_source *source)
{
    const char *id = source->reads + (*source->reads == '#');
    if (!*id || strcmp(id, source->array) == 0)
        return source;
    const uint32_t *row = name_map_find(&document->ids[COLLADA_ARRAYS], id);
    return row ? &document->sources[*row] : NULL;
}

cp_status collada_view_source(struct collada_document *document, uint32_t row, struct collada_view *view)
{
    struct collada_source *source = &document->sources[row];
    const struct collada_source *array = array_of(document, source);
    *view = (struct collada_view){
        .stride = source->stride, .columns = source->columns, .column_count = source->column_count};
    if (!array)
        return collada_error(document, "collada-source", source->line,
                             "the source \"%.100s\" reads \"%.100s\", which "
                             "is no array",
                             source->id, source->reads);
    if (source->stride == 0 || source->width > source->stride)
        return collada_error(document, "collada-accessor", source->line,
                             "an accessor with a stride of %u and %u values", (unsigned)source->stride,
                             (unsigned)source->width);
    uint64_t numbers = array->numbers.count, needed = (uint64_t)source->offset + source->width;
    uint64_t there = numbers >= needed ? (numbers - needed) / source->stride + 1 : 0;
    document->collada->counts[COLLADA_TOLD_ACCESSORS] += there < source->count && !source->is_short;
    source->is_short |= there < source->count;
    view->count = there < source->count ? (uint32_t)there : source->count;
    if (view->count > 0)
        view->numbers = array->numbers.items + source->offset;
    return CP_OK;
}

/* ---- inputs ---- */

cp_status collada_read_input(struct collada_document *document, void *into)
{
    (void)into;
    struct collada_input input = {.semantic = collada_attribute(document, "semantic"),
                                  .reference = collada_attribute(document, "source"),
                                  .source = CP_NONE,
                                  .line = document->xml.line};
    if (!input.semantic || !input.reference)
        return CP_LIMIT;
    if (!*input.semantic || !*input.reference)
        return collada_error(document, "collada-input", input.line, "an <input> without semantic or source");
    cp_status status = collada_whole(document, "offset", 0, &input.offset);
    if (status == CP_OK)
        status = collada_whole(document, "set", 0, &input.set);
    const uint32_t *own = name_map_find(&document->mesh_sources, input.reference + (*input.reference == '#'));
    input.source = own ? *own : CP_NONE;
    if (status == CP_OK && !array_add(document->collada->context, &document->inputs, &document->input_room,
                                      &document->input_count, &input, sizeof input))
        status = CP_LIMIT;
    return status;
}

cp_status collada_view_input(struct collada_document *document, const struct collada_input *input,
                             struct collada_view *view, uint32_t *source)
{
    uint32_t row = input->source != CP_NONE ? input->source : collada_find_source(document, input->reference);
    *source = row;
    if (row == CP_NONE)
        return collada_error(document, "collada-source", input->line,
                             "the input %.40s names \"%.100s\", which is no source", input->semantic, input->reference);
    return collada_view_source(document, row, view);
}
