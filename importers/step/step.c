/* STEP, IGES and BREP: boundary representations of CAD, tessellated by Open CASCADE.
 *
 * Specification: ISO 10303-21 (the text of STEP) with the schemas AP203, AP214 and AP242; IGES 5.3; the BREP of Open
 * CASCADE. Reading and tessellation are Open CASCADE's (7.6.3 in Debian 12); kernel.cpp has it behind plain data.
 *
 * Behaviour and limitations
 * - An instance of a product is a node with the instance's name, or the product's where that one says nothing; the
 * other is metadata. A product is one mesh, however often it is used. Shapes without a product belong to the node
 * above.
 * - All lengths come in millimetres, whatever the file's unit is. Z is up, since no file says.
 * - Colours: a face's before its shell's, its solid's, the instance's, the product's, and that of the instance above.
 *   An instance of another colour is a mesh of its own, which shares all arrays.
 * - What the kernel complains of is told with its entity; faces that it leaves without triangles are a loss. */
#include "step.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { SCORE_SURE = 100 };

/* Finds the text; NULL if it is not there. */
static const char *find_text(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    for (; (size_t)(end - at) >= length; at++)
        if (memcmp(at, text, length) == 0)
            return at;
    return NULL;
}

#ifdef HAVE_OCCT

LATE_LIBRARY(step_kernel, FILE_OF_OCCT, 64 << 20, KERNEL_CALLS);

/* The encodings that the kernel knows, by the names that people use and by its own. */
#define ENCODINGS                                                                                                      \
    "auto|utf-8|shift-jis|euc-jp|gb2312|cp850|windows-1250|windows-1251|windows-1252|windows-1253|windows-1254|"       \
    "iso-8859-1|iso-8859-2|iso-8859-5|iso-8859-7|iso-8859-9"
static const char *const codepages[] = {NULL,        "UTF8",      "SJIS",      "EUC",      "GB",     "CP850",
                                        "CP1250",    "CP1251",    "CP1252",    "CP1253",   "CP1254", "iso8859-1",
                                        "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9"};

static const cp_option step_options[] = {
    {"deflection", "greatest distance between triangles and surface; % of the diagonal of each part", CP_OPTION_EXTENT,
     offsetof(struct step_settings, deflection), .initial = "0.1%"},
    {"angle", "greatest angle between the directions of neighbouring pieces of a curve", CP_OPTION_ANGLE,
     offsetof(struct step_settings, angle), "20deg", .minimum = 0.001, .maximum = PI / 2},
    {"error", "as few triangles as are nowhere farther than this from the surface", CP_OPTION_LENGTH,
     offsetof(struct step_settings, error), .minimum = 1e-10, .maximum = 1e9},
    {"edges", "curves as lines: those without a face (free), borders of faces, too (all)", CP_OPTION_CHOICE,
     offsetof(struct step_settings, edges), "no", .choices = "no|free|all"},
    {"normals", "those of the surfaces", CP_OPTION_BOOLEAN, offsetof(struct step_settings, normals), .initial = "yes"},
    {"names", "of nodes: the instance's, where it says something, or the product's", CP_OPTION_CHOICE,
     offsetof(struct step_settings, names), "instance", .choices = "instance|product"},
    {"encoding", "of texts; auto: UTF-8, or else Windows-1252", CP_OPTION_CHOICE,
     offsetof(struct step_settings, encoding), "auto", .choices = ENCODINGS},
    {"unit", "length of the unit of BREP, which names none (mm when not given)", CP_OPTION_UNIT,
     .offset = offsetof(struct step_settings, unit)},
    {"up", "the file's axis that points up", CP_OPTION_CHOICE, offsetof(struct step_settings, up), "z",
     .choices = "z|y"},
    {"hidden", "reads what the file hides, too", CP_OPTION_BOOLEAN, offsetof(struct step_settings, hidden),
     .initial = "no"},
    CP_OPTIONS_END,
};

static cp_status load_kernel(cp_context *context)
{
    return library_load(context, &step_kernel_library);
}

/* ---- reading ---- */

cp_status step_outcome(cp_context *context, const struct step_model *model, enum cad_outcome outcome, const char *text)
{
    struct place place = IN_FILE(model->source->name);
    switch (outcome) {
    case CAD_READ:
        return CP_OK;
    case CAD_EMPTY:
        return report_error(context, CP_INPUT, "step-empty", place,
                            model->facts.tessellated
                                ? "its shapes are triangles (AP242), which Open CASCADE does not read: export surfaces"
                                : "nothing in it becomes a shape");
    case CAD_NO_MEMORY:
        return report_error(context, CP_LIMIT, "step-memory", place,
                            "Open CASCADE ran out of memory; it takes some 50 times the file's size");
    case CAD_TOO_LARGE:
        return report_error(context, CP_LIMIT, "step-large", place,
                            "its tree of parts is more than 60 deep, or has more than a million of them");
    case CAD_REFUSED:
        break;
    }
    /* "**** ERR StepFile : Undefined Parsing: Line 107: Incorrect syntax: unexpected end of file    ****" */
    const char *line = strstr(text, "Line "), *reason = line ? strchr(line, ':') : NULL;
    if (!reason)
        return report_error(context, CP_INPUT, "step-failed", place, "Open CASCADE cannot read it: %s",
                            *text ? text : "it does not say why");
    reason += strspn(reason, ": ");
    size_t size = strcspn(reason, "*");
    while (size > 0 && is_space(reason[size - 1]))
        size--;
    place.line = strtoull(line + 5, NULL, 10);
    return report_error(context, CP_INPUT, "step-failed", place, "%.*s", (int)size, reason);
}

static enum cad_format format_of(const char *head, size_t size);

/* Chooses the encoding of the texts. */
static const char *choose_codepage(const struct step *step, const struct step_model *model)
{
    const struct source *source = model->source;
    const char *wanted = codepages[step->settings->encoding];
    if (wanted)
        return wanted;
    if (utf8_valid(source->data, source->size))
        return "UTF8";
    if (model->format == CAD_STEP)
        report_note(step->context, "step-encoding", IN_FILE(model->path),
                    "its texts are not UTF-8; they are read as Windows-1252 (encoding=)");
    return "CP1252";
}

/* Files of STEP and IGES say their unit, which the kernel makes millimetres of; BREP says none. */
static double choose_unit(const struct step *step, const struct step_model *model)
{
    double unit = step->settings->unit;
    if (model->format == CAD_BREP)
        return unit > 0 ? unit : 0.001;
    if (unit > 0)
        report_warning(step->context, "step-unit", IN_FILE(model->path),
                       "unit= is for BREP alone: this file says its unit itself");
    return 0.001;
}

static cp_status read_model(struct step *step, struct step_model *model)
{
    const struct source *source = model->source;
    const char *bytes = text_after_mark(source->data, source->size);
    size_t size = source->size - (size_t)(bytes - source->data);
    model->format = format_of(source->data, source->size);
    model->unit = choose_unit(step, model);
    struct cad_request request = {.format = model->format,
                                  .bytes = bytes,
                                  .size = size,
                                  .codepage = choose_codepage(step, model),
                                  .keeps_hidden = step->settings->hidden};
    char text[CAD_TEXT];
    cp_status status = model->format == CAD_STEP ? step_scan(step->context, bytes, size, &model->facts) : CP_OK;
    if (status == CP_OK)
        status = step_outcome(step->context, model, step_kernel.cad_read(&request, &model->cad, text), text);
    if (status == CP_OK && model->facts.densities)
        status = step_find_densities(step, model, bytes, size);
    if (status == CP_OK)
        status = step_model_start(step, model);
    for (uint32_t i = 0; status == CP_OK && i < model->cad->product_count; i++)
        status = step_make_product(step, model, i);
    if (model->cad)
        step_kernel.cad_forget(model->cad);
    return status;
}

/* Adds a model, which the source belongs to from now on. */
static cp_status add_model(struct step *step, struct source *source)
{
    struct step_model *model = arena_allocate(step->scene->arena, 1, sizeof *model);
    if (!model || !array_reserve(step->context, &step->models, &step->model_room, step->model_count + UINT64_C(1),
                                 sizeof(struct step_model *))) {
        if (step->model_count)
            source_close(source);
        return CP_LIMIT;
    }
    *model = (struct step_model){.path = source->name, .source = source};
    step->models[step->model_count] = model;
    if (!name_map_add(&step->known, model->path, step->model_count++, NULL))
        return CP_LIMIT;
    return read_model(step, model);
}

cp_status step_open(struct step *step, const struct step_model *from, const char *name, struct step_model **model)
{
    struct source *source = NULL;
    cp_status status = source_open_near(from->source, name, NULL, &source);
    if (status == CP_NO) {
        report_loss(step->context, "step-file", IN_FILE(from->path), 1,
                    "the part in the file \"%s\", which is not there", name);
        return CP_OK;
    }
    if (status != CP_OK)
        return status;
    const uint32_t *known = name_map_find(&step->known, source->name);
    if (known) {
        source_close(source);
        *model = step->models[*known];
        return CP_OK;
    }
    status = add_model(step, source);
    *model = status == CP_OK ? step->models[step->model_count - 1] : NULL;
    return status;
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct step step = {
        .context = context, .settings = settings, .scene = scene, .known = {.context = context}, .border = CP_NONE};
    cp_status status = load_kernel(context);
    scene->source.up = (cp_up)step.settings->up;
    if (status == CP_OK)
        status = add_model(&step, source);
    if (status == CP_OK)
        status = step_fill(&step);
    for (uint32_t i = 0; i < step.model_count && status == CP_OK; i++)
        step_report(context, step.models[i]);
    if (status == CP_OK)
        scene->source.unit = step.models[0]->unit;
    scene->source.deviation = step.deviation;
    for (uint32_t i = 0; i < step.model_count; i++) {
        struct step_model *model = step.models[i];
        step_model_end(&step, model);
        step_kernel.cad_free(model->cad);
        if (i > 0)
            source_close(model->source);
    }
    memory_free(context, step.models, step.model_room, sizeof(struct step_model *));
    name_map_free(&step.known);
    return status == CP_OK ? scene_finish(scene) : status;
}

#endif

/* ---- probe ---- */

static bool has_text(const char *head, size_t size, const char *text)
{
    enum { FIRST = 200 }; /* marks stand at the beginning, behind blanks or a byte order mark */
    return find_text(head, head + (size < FIRST ? size : FIRST), text);
}

/* Recognises IGES by its first line of 80 columns: the 73rd has the letter of the section, S for the first, and the
 * line's number follows. */
static bool is_iges(const char *head, size_t size)
{
    if (size < 80 || head[72] != 'S' || head[79] != '1')
        return false;
    for (int i = 0; i < 72; i++)
        if ((unsigned char)head[i] < ' ')
            return false;
    for (int i = 73; i < 79; i++)
        if (head[i] != ' ' && head[i] != '0')
            return false;
    return true;
}

/* Recognises IFC, which assimp reads: the header names a schema of IFC as the first one. The words in strings and
 * comments before it do not count. */
static bool is_ifc(const char *at, const char *end)
{
    bool named = false;
    while (at && at < end && !(named && *at == ';')) {
        if (end - at > 1 && memcmp(at, "/*", 2) == 0) {
            at = find_text(at, end, "*/");
        } else if (*at != '\'') {
            named |= end - at > 11 && memcmp(at, "FILE_SCHEMA", 11) == 0;
            at++;
        } else if (named) {
            return end - at > 4 && (at[1] | 0x20) == 'i' && (at[2] | 0x20) == 'f' && (at[3] | 0x20) == 'c';
        } else {
            at = find_text(at + 1, end, "'");
            at = at ? at + 1 : NULL;
        }
        if (at && end - at > 6 && memcmp(at, "ENDSEC", 6) == 0)
            return false;
    }
    return false;
}

static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    bool is_step = has_text(head, size, "ISO-10303-21;") && !is_ifc(head, head + size);
    return is_step || is_iges(head, size) || has_text(head, size, "DBRep_DrawableShape") ||
                   has_text(head, size, "CASCADE Topology V") || has_text(head, size, "Open CASCADE Binary")
               ? SCORE_SURE
               : 0;
}

#ifdef HAVE_OCCT

static enum cad_format format_of(const char *head, size_t size)
{
    return has_text(head, size, "ISO-10303-21;") ? CAD_STEP : is_iges(head, size) ? CAD_IGES : CAD_BREP;
}

#endif

const struct importer step_importer = {
    .plugin =
        {
            .name = "step",
            .title = "STEP, IGES and BREP of CAD, through Open CASCADE",
            .settings_size = sizeof(struct step_settings),
#ifdef HAVE_OCCT
            .options = step_options,
            .version = "1, Open CASCADE " VERSION_OF_OCCT,
#else
            .package = "libocct-data-exchange-dev",
#endif
        },
    .suffixes = ".step .stp .p21 .iges .igs .brep .brp",
    .probe = probe,
    .sign = "ISO-10303-21;, an S in column 73, or DBRep_DrawableShape",
#ifdef HAVE_OCCT
    .third_party = true,
    .load = load_kernel,
    .read = read,
#endif
};
