/* DXF: drawings of CAD programs, as text or in the binary form.
 *
 * Specification: Autodesk's "DXF Reference", R12 to 2018. docs/dxf.md says what is read.
 *
 * Behaviour and limitations:
 * - Faces (3DFACE, SOLID, TRACE, polygon meshes, polyface meshes, MESH) and lines (LINE, polylines) of the model space
 *   and of the blocks that it inserts. Solids of ACIS, curves, texts, hatches and all else are losses, counted by type.
 * - The drawing is a node, each insert is one below it. A block is one mesh of faces and one of lines, which its
 * inserts share. Places stay as they are; unit and axes go into the transforms of instances.
 * - Colours are those of AutoCAD on a dark ground: colour 7 is white. Layers become names of materials. */
#include "dxf.h"

#include "../importers.h"
#include "base/text/text.h"
#include "mesh/mesh.h"

/* ---- probe ---- */

static int probe_dxf(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return dxf_is_binary(head, size) ? 100 : dxf_begins(head, size) ? 95 : 0;
}

/* ---- sections ---- */

/* Skips to the next group of code 0. */
static cp_status next_word(struct dxf *dxf)
{
    cp_status status;
    do
        status = dxf_next(dxf);
    while (status == CP_OK && dxf->group.code != 0);
    return status;
}

/* Reads the variables of the header that matter. */
static cp_status read_header(struct dxf *dxf)
{
    struct dxf_text variable = {"", 0};
    cp_status status;
    while ((status = dxf_next(dxf)) == CP_OK && dxf->group.code != 0) {
        const struct dxf_group *group = &dxf->group;
        double number;
        if (group->code == 9) {
            variable = group->text;
        } else if (group->code == 70 && dxf_text_is(variable, "$INSUNITS")) {
            if ((status = dxf_number(dxf, &number)) != CP_OK)
                return status;
            dxf->unit = dxf_to_integer(number);
        } else if (group->code == 3 && dxf_text_is(variable, "$DWGCODEPAGE")) {
            dxf->code_page = group->text;
            dxf->is_latin = !dxf_text_is(group->text, "ANSI_1252") && !dxf_text_is(group->text, "ansi_1252");
        }
    }
    dxf->again = status == CP_OK;
    return status;
}

/* Opens the block whose first group is the current one. */
static cp_status open_block(struct dxf *dxf)
{
    const struct dxf_entity *entity = &dxf->entity;
    enum { IS_EXTERNAL = 4, IS_OVERLAID = 8 };
    cp_status status = dxf_read_entity(dxf, false);
    if (status == CP_OK)
        status = dxf_find_block(dxf, entity->name, &dxf->block);
    if (status == CP_OK && dxf->block == 0) /* the model space may stand among the blocks, too */
        return CP_OK;
    if (status == CP_OK && dxf->blocks[dxf->block].is_defined) {
        status =
            report_lenient(dxf->context, dxf->settings->import.strict, "dxf-block-twice", dxf_place(dxf, entity->line),
                           "a second block \"%s\": the first one counts", dxf_show(entity->name).text);
        if (status == CP_OK)
            status = dxf_add_block(dxf, entity->name, &dxf->block);
    }
    if (status != CP_OK)
        return status;
    struct dxf_block *block = &dxf->blocks[dxf->block];
    block->is_external = dxf_integer(entity, 70, 0) & (IS_EXTERNAL | IS_OVERLAID);
    block->is_defined = !block->is_external;
    for (int axis = 0; axis < 3; axis++)
        block->base[axis] = entity->numbers[10 + 10 * axis];
    return CP_OK;
}

/* Takes what begins at the current group, of code 0, in a section. */
static cp_status take_word(struct dxf *dxf, struct dxf_text section)
{
    const struct dxf_group *group = &dxf->group;
    bool blocks = dxf_text_is(section, "BLOCKS");
    if (blocks && dxf_is(group, 0, "BLOCK"))
        return open_block(dxf);
    if (blocks && dxf_is(group, 0, "ENDBLK")) {
        dxf->block = CP_NONE;
        return CP_OK;
    }
    if ((blocks && dxf->block != CP_NONE) || dxf_text_is(section, "ENTITIES"))
        return dxf_take_entity(dxf);
    if (dxf_text_is(section, "TABLES") && dxf_is(group, 0, "LAYER"))
        return dxf_read_layer(dxf);
    return CP_OK;
}

/* Reads the section whose name is the current group. */
static cp_status read_section(struct dxf *dxf)
{
    struct dxf_text section = dxf->group.text;
    uint64_t line = dxf->group.line;
    dxf->block = dxf_text_is(section, "ENTITIES") ? 0 : CP_NONE;
    dxf->in_section = true;
    cp_status status = dxf_text_is(section, "HEADER") ? read_header(dxf) : CP_OK;
    while (status == CP_OK && (status = next_word(dxf)) == CP_OK && !dxf_is(&dxf->group, 0, "ENDSEC")) {
        if (dxf_is(&dxf->group, 0, "SECTION") || dxf_is(&dxf->group, 0, "EOF"))
            return dxf_error(dxf, dxf->group.line, "dxf-section", "the section %s of line %llu has no ENDSEC",
                             dxf_show(section).text, (unsigned long long)line);
        status = take_word(dxf, section);
    }
    dxf->in_section = false;
    return status;
}

static cp_status read_sections(struct dxf *dxf)
{
    cp_status status;
    while ((status = dxf_next(dxf)) == CP_OK && !dxf_is(&dxf->group, 0, "EOF")) {
        if (!dxf_is(&dxf->group, 0, "SECTION"))
            return dxf_error(dxf, dxf->group.line, "dxf-section",
                             "expected \"0 SECTION\" or \"0 EOF\", found \"%d %s\"", dxf->group.code,
                             dxf_show(dxf->group.text).text);
        status = dxf_next(dxf);
        if (status == CP_OK && dxf->group.code != 2)
            return dxf_error(dxf, dxf->group.line, "dxf-section", "expected \"2\" and the section's name, found \"%d\"",
                             dxf->group.code);
        if (status == CP_OK)
            status = read_section(dxf);
        if (status != CP_OK)
            break;
    }
    return status == CP_NO ? CP_OK : status; /* partial=yes: what came before counts */
}

/* ---- reports ---- */

static void report_counts(struct dxf *dxf)
{
    for (uint32_t i = 0; i < dxf->count_count; i++) {
        const struct dxf_count *row = &dxf->counts[i];
        bool is_type = strcmp(row->code, "dxf-unread") == 0;
        if (dxf->blocks[row->block].state == DXF_DONE)
            report_loss(dxf->context, row->code, dxf_place(dxf, row->line), row->count, "%s%s",
                        is_type ? "entities of type " : "", row->words);
    }
    struct place place = IN_FILE(dxf->source->name);
    if (dxf->hidden > 0)
        report_loss(dxf->context, "dxf-hidden", place, dxf->hidden, "faces and lines on layers that are off or frozen");
    if (dxf->frozen > 0)
        report_loss(dxf->context, "dxf-hidden", place, dxf->frozen, "inserts on layers that are frozen");
}

/* Reports inserts of blocks that are in other files, or nowhere. */
static cp_status report_missing(const struct dxf *dxf)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < dxf->block_count && status == CP_OK; i++) {
        const struct dxf_block *block = &dxf->blocks[i];
        struct place place = dxf_place(dxf, block->line);
        if (block->wanted == 0)
            continue;
        if (block->is_external)
            report_loss(dxf->context, "dxf-external", place, block->wanted,
                        "inserts of \"%s\", which is a drawing of its own", dxf_show(block->name).text);
        else if (dxf->settings->import.strict)
            status = report_error(dxf->context, CP_INPUT, "dxf-block", place, "there is no block \"%s\"",
                                  dxf_show(block->name).text);
        else
            report_loss(dxf->context, "dxf-block", place, block->wanted, "inserts of \"%s\": there is no such block",
                        dxf_show(block->name).text);
    }
    return status;
}

static cp_status report_oddities(struct dxf *dxf)
{
    struct place place = IN_FILE(dxf->source->name);
    const struct {
        const char *code, *words;
        uint64_t count;
    } oddities[] = {{"dxf-bulge", "arcs of polylines that become straight", dxf->bulges},
                    {"dxf-thickness", "entities with a thickness or width, which they lose", dxf->thick},
                    {"dxf-colour", "colour numbers out of range, taken as the layer's", dxf->odd_colours},
                    {"dxf-extrusion", "extrusion directions of no length, taken as 0 0 1", dxf->flat},
                    {"dxf-scale", "scale factors of 0, taken as 1", dxf->turned},
                    {"dxf-code-page", "names in a code page other than 1252, read as Latin-1", dxf->misread}};
    bool strict = dxf->settings->import.strict;
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities && status == CP_OK; i++)
        if (oddities[i].count > 0)
            status = report_lenient(dxf->context, strict, oddities[i].code, place, "%s: %llu", oddities[i].words,
                                    (unsigned long long)oddities[i].count);
    return status;
}

/* ---- the file ---- */

/* Finds the metres of $INSUNITS, which the DXF reference lists; 0: none. */
static cp_status find_unit(struct dxf *dxf, double *unit)
{
    static const double metres[] = {0,
                                    0.0254,
                                    0.3048,
                                    1609.344,
                                    1e-3,
                                    1e-2,
                                    1,
                                    1e3,
                                    2.54e-8,
                                    2.54e-5,
                                    0.9144,
                                    1e-10,
                                    1e-9,
                                    1e-6,
                                    0.1,
                                    10,
                                    100,
                                    1e9,
                                    149597870700,
                                    9460730472580800,
                                    3.0856775814913673e16,
                                    1200.0 / 3937,
                                    100.0 / 3937,
                                    3600.0 / 3937,
                                    6336000.0 / 3937};
    bool known = dxf->unit >= 0 && dxf->unit < (int)(sizeof metres / sizeof *metres);
    *unit = dxf->settings->unit > 0 ? dxf->settings->unit : known ? metres[dxf->unit] : 0;
    if (known || dxf->settings->unit > 0)
        return CP_OK;
    return report_lenient(dxf->context, dxf->settings->import.strict, "dxf-unit", IN_FILE(dxf->source->name),
                          "$INSUNITS is %d, which is no unit: metres are meant, or unit= names it", dxf->unit);
}

static cp_status make_scene(struct dxf *dxf)
{
    double unit;
    cp_scene *scene = dxf->scene;
    cp_status status = find_unit(dxf, &unit);
    scene->source.unit = unit > 0 ? unit : 1;
    scene->source.up = (cp_up)dxf->settings->up;
    dxf->marks = memory_allocate(dxf->context, dxf->look_count, sizeof *dxf->marks);
    if (!dxf->marks)
        return CP_LIMIT;
    memset(dxf->marks, 0xff, dxf->look_count * sizeof *dxf->marks);
    if (status == CP_OK)
        status = dxf_place_all(dxf);
    memory_free(dxf->context, dxf->marks, dxf->look_count, sizeof *dxf->marks);
    if (status == CP_OK) {
        report_counts(dxf);
        status = report_missing(dxf);
    }
    if (status == CP_OK)
        status = report_oddities(dxf);
    if (status == CP_OK && !dxf->any)
        status = report_error(dxf->context, CP_INPUT, "dxf-empty", IN_FILE(dxf->source->name),
                              "the model space shows neither faces nor lines that can be read");
    if (status == CP_OK)
        report_size_without_unit(dxf->source, scene, unit);
    return status;
}

static void free_blocks(struct dxf *dxf)
{
    cp_context *context = dxf->context;
    for (uint32_t i = 0; i < dxf->block_count; i++) {
        struct dxf_block *block = &dxf->blocks[i];
        for (int kind = 0; kind < DXF_KINDS; kind++) {
            struct dxf_part *part = &block->parts[kind];
            memory_free(context, part->corners, part->corner_room, sizeof *part->corners);
            memory_free(context, part->ends, part->end_room, sizeof *part->ends);
            memory_free(context, part->looks, part->look_room, sizeof *part->looks);
        }
        memory_free(context, block->places, block->place_room, 3 * sizeof *block->places);
        memory_free(context, block->inserts, block->insert_room, sizeof *block->inserts);
    }
    memory_free(context, dxf->blocks, dxf->block_room, sizeof *dxf->blocks);
}

static void free_all(struct dxf *dxf)
{
    cp_context *context = dxf->context;
    struct name_map *maps[] = {&dxf->layer_names, &dxf->block_names,    &dxf->look_names,
                               &dxf->count_names, &dxf->material_names, &dxf->mesh_names};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        name_map_free(maps[i]);
    free_blocks(dxf);
    memory_free(context, dxf->layers, dxf->layer_room, sizeof *dxf->layers);
    memory_free(context, dxf->looks, dxf->look_room, sizeof *dxf->looks);
    memory_free(context, dxf->counts, dxf->count_room, sizeof *dxf->counts);
    memory_free(context, dxf->pairs, dxf->pair_room, sizeof *dxf->pairs);
    memory_free(context, dxf->vertices, dxf->vertex_room, sizeof *dxf->vertices);
    memory_free(context, dxf->list, dxf->list_room, sizeof *dxf->list);
    arena_free(dxf->arena);
}

/* Begins to read: layer "0" and the model space are there in any drawing. */
static cp_status start(struct dxf *dxf)
{
    enum { SENTINEL = 22 };
    const struct source *source = dxf->source;
    uint32_t zero;
    dxf->is_binary = dxf_is_binary(source->data, source->size);
    if (dxf->is_binary) {
        dxf->at = source->data + SENTINEL;
        dxf->end = source->data + source->size;
        dxf->has_wide_codes = dxf->end - dxf->at > 1 && dxf->at[1] == 0; /* "0 SECTION" with a code of two bytes */
    } else {
        const char *nul = memchr(source->data, '\0', source->size); /* zeros that a power loss has left end a text */
        dxf->at = text_after_mark(source->data, source->size);
        dxf->end = nul ? nul : source->data + source->size;
    }
    cp_status status = dxf_find_block(dxf, (struct dxf_text){"*Model_Space", 12}, &zero);
    if (status == CP_OK && !name_map_add(&dxf->block_names, "$model_space", 0, NULL)) /* its name in R12 */
        status = CP_LIMIT;
    if (status != CP_OK)
        return status;
    dxf->blocks[0].is_defined = true;
    return dxf_find_layer(dxf, (struct dxf_text){"0", 1}, &zero);
}

static cp_status read_dxf(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct name_map empty = {.context = context};
    cp_status status = source_decode(source);
    struct dxf dxf = {.context = context,
                      .source = source,
                      .settings = settings,
                      .scene = scene,
                      .arena = arena_new(context),
                      .layer_names = empty,
                      .block_names = empty,
                      .look_names = empty,
                      .count_names = empty,
                      .material_names = empty,
                      .mesh_names = empty};
    if (status == CP_OK)
        status = dxf.arena ? start(&dxf) : CP_LIMIT;
    if (status == CP_OK)
        status = read_sections(&dxf);
    if (status == CP_OK)
        status = make_scene(&dxf);
    free_all(&dxf);
    return status == CP_OK ? scene_finish(scene) : status;
}

static const cp_option options[] = {
    {"unit", "length of the file's unit, instead of what it says; m if it says none", CP_OPTION_UNIT,
     .offset = offsetof(struct mesh_file_settings, unit)},
    {"up", "the file's axis that points up", CP_OPTION_CHOICE, offsetof(struct mesh_file_settings, up), "z",
     .choices = "z|y"},
    CP_OPTIONS_END,
};

const struct importer dxf_importer = {
    .plugin = {.name = "dxf",
               .title = "DXF, faces and lines",
               .options = options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".dxf",
    .probe = probe_dxf,
    .sign = "\"0\" and \"SECTION\"",
    .read = read_dxf,
};
