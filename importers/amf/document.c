/* The document: objects, constellations and metadata, into the tables of the file. */
#include <math.h>

#include "amf.h"
#include "base/text/text.h"
#include "model/model.h"

/* ---- errors and values ---- */

struct place amf_here(const struct amf *file)
{
    return AT_LINE(file->source->name, file->xml.line);
}

void amf_error(struct amf *file, const char *code, const char *what, const char *value)
{
    file->status = report_error(file->context, CP_INPUT, code, amf_here(file), "%s%.80s%s", what, value ? value : "",
                                value ? "\"" : "");
}

bool amf_child(struct amf *file, uint32_t depth)
{
    return file->status == CP_OK && xml_child(&file->xml, depth);
}

void amf_skip(struct amf *file)
{
    report_loss(file->context, "amf-element", IN_FILE(file->source->name), 1, "elements <%.60s>", file->xml.name);
}

void amf_count(struct amf *file, struct amf_oddity *oddity)
{
    if (oddity->count++ == 0)
        oddity->line = file->xml.line;
}

const char *amf_keep(struct amf *file, const char *text)
{
    const char *copy = text && *text ? arena_copy_text(file->arena, text, strlen(text)) : "";
    if (!copy)
        file->status = CP_LIMIT;
    return copy;
}

bool amf_number(struct amf *file, double *value, float *single)
{
    const char *name = file->xml.name, *text = xml_text(&file->xml), *start = text;
    while (start && is_blank(*start))
        start++;
    if (text && text_is_number(text, value) && parse_float(start, start + strlen(start), single) && isfinite(*single))
        return true;
    if (text)
        file->status = report_error(file->context, CP_INPUT, "amf-number", amf_here(file),
                                    "<%.40s> is no number that single precision holds: \"%.40s\"", name, text);
    return false;
}

/* ---- metadata ---- */

/* Returns the type and the text of a <metadata>, both kept; *text is NULL for one without either. */
static const char *read_metadata(struct amf *file, const char **text)
{
    const char *key = amf_keep(file, xml_attribute(&file->xml, "type"));
    const char *value = key ? xml_text(&file->xml) : NULL;
    *text = value && *value && *key ? amf_keep(file, value) : NULL;
    return key;
}

void amf_read_note(struct amf *file, struct amf_notes *notes)
{
    struct amf_note note;
    note.key = read_metadata(file, &note.value);
    if (!note.value)
        return;
    if (strcmp(note.key, "name") == 0 && !*notes->name) {
        notes->name = note.value;
        return;
    }
    notes->count++;
    if (!array_add(file->context, &file->notes, &file->note_room, &file->note_count, &note, sizeof note))
        file->status = CP_LIMIT;
}

/* PrusaSlicer marks its files so, and writes angles of instances in radians. */
static void read_scene_metadata(struct amf *file)
{
    const char *value, *key = read_metadata(file, &value);
    if (!value)
        return;
    file->radians |= strcmp(key, "slic3rpe_amf_version") == 0;
    if (!scene_add_metadata(file->scene, CP_OWNER_SCENE, 0, key, CP_VALUE_STRING, value))
        file->status = CP_LIMIT;
}

/* ---- objects and constellations ---- */

/* Adds the object, which takes the id; its arrays are the table's even on failure. */
static void add_object(struct amf *file, const struct amf_object *object)
{
    bool added = true;
    if (!array_add(file->context, &file->objects, &file->object_room, &file->object_count, object, sizeof *object)) {
        file->status = CP_LIMIT;
        return;
    }
    struct name_map *names = object->is_constellation ? &file->constellation_names : &file->object_names;
    if (*object->id && !name_map_add(names, object->id, file->object_count - 1, &added))
        file->status = CP_LIMIT;
    else if (!added)
        amf_error(file, "amf-id",
                  object->is_constellation ? "a second constellation with the id \"" : "a second object with the id \"",
                  object->id);
}

static void read_object(struct amf *file)
{
    uint32_t depth = file->xml.depth;
    struct amf_object object = {.id = amf_keep(file, xml_attribute(&file->xml, "id")),
                                .notes = {.name = "", .first = file->note_count},
                                .colour = CP_NONE,
                                .painted = {.context = file->context, .size_code = "amf-size"},
                                .mesh = CP_NONE};
    object.painted.vertices = &file->vertices;
    if (!object.id)
        return;
    add_object(file, &object);
    bool has_mesh = false;
    while (amf_child(file, depth)) {
        struct amf_object *own = &file->objects[file->object_count - 1];
        if (strcmp(file->xml.name, "mesh") == 0 && !has_mesh) {
            has_mesh = true;
            amf_read_mesh(file, own);
        } else if (strcmp(file->xml.name, "color") == 0) {
            own->colour = amf_read_colour(file);
        } else if (strcmp(file->xml.name, "metadata") == 0) {
            amf_read_note(file, &own->notes);
        } else {
            amf_skip(file);
        }
    }
}

/* Reads <instance>: where it is by the standard, and the scales and mirrors of PrusaSlicer. */
static void read_instance(struct amf *file)
{
    static const char *const names[MOVE_COUNT] = {"deltax", "deltay", "deltaz",  "rx",      "ry",      "rz",   "scalex",
                                                  "scaley", "scalez", "mirrorx", "mirrory", "mirrorz", "scale"};
    uint32_t depth = file->xml.depth;
    const char *id = xml_attribute(&file->xml, "objectid");
    struct amf_instance instance = {.line = file->xml.line, .object = CP_NONE};
    for (int i = MOVE_SCALE; i < MOVE_COUNT; i++)
        instance.move[i] = 1;
    if (!id) {
        amf_error(file, "amf-reference", "objectid is missing", NULL);
        return;
    }
    instance.id = amf_keep(file, id);
    while (amf_child(file, depth)) {
        int i = 0;
        float single;
        while (i < MOVE_COUNT && strcmp(file->xml.name, names[i]) != 0)
            i++;
        if (i < MOVE_COUNT)
            (void)amf_number(file, &instance.move[i], &single);
        else
            amf_skip(file);
    }
    if (file->status == CP_OK && !array_add(file->context, &file->instances, &file->instance_room,
                                            &file->instance_count, &instance, sizeof instance))
        file->status = CP_LIMIT;
}

static void read_constellation(struct amf *file)
{
    uint32_t depth = file->xml.depth;
    struct amf_object constellation = {.id = amf_keep(file, xml_attribute(&file->xml, "id")),
                                       .is_constellation = true,
                                       .notes = {.name = "", .first = file->note_count},
                                       .first_instance = file->instance_count,
                                       .painted = {.context = file->context},
                                       .mesh = CP_NONE};
    while (amf_child(file, depth))
        if (strcmp(file->xml.name, "instance") == 0)
            read_instance(file);
        else if (strcmp(file->xml.name, "metadata") == 0)
            amf_read_note(file, &constellation.notes);
        else
            amf_skip(file);
    constellation.instance_count = file->instance_count - constellation.first_instance;
    if (file->status == CP_OK)
        add_object(file, &constellation);
}

/* ---- the document ---- */

static void read_unit(struct amf *file)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"millimeter", 0.001}, {"inch", 0.0254}, {"feet", 0.3048},
                 {"meter", 1},          {"micron", 1e-6}, {"micrometer", 1e-6}};
    const char *word = xml_attribute(&file->xml, "unit");
    double unit = word ? 0 : 0.001;
    for (size_t i = 0; word && i < sizeof units / sizeof *units; i++)
        unit = strcmp(units[i].name, word) == 0 ? units[i].metres : unit;
    if (unit == 0)
        file->status = report_lenient(file->context, file->settings->common.strict, "amf-unit", amf_here(file),
                                      "the unit \"%.40s\" is not known; millimetres are taken", word);
    file->unit = file->settings->unit > 0 ? file->settings->unit : unit > 0 ? unit : 0.001;
    file->scene->source.unit = file->unit;
}

cp_status amf_read_document(struct amf *file)
{
    static const struct xml_codes codes = XML_CODES("amf");
    struct xml *xml = &file->xml;
    (void)xml_open(xml, file->source, file->settings->common.strict, &codes);
    xml_allow_prefixes(xml);
    if (xml_child(xml, 0)) {
        if (strcmp(xml->name, "amf") == 0)
            read_unit(file);
        else
            amf_error(file, "amf-root", "expected <amf>, found \"", xml->name);
    }
    while (amf_child(file, 1))
        if (strcmp(xml->name, "object") == 0)
            read_object(file);
        else if (strcmp(xml->name, "constellation") == 0)
            read_constellation(file);
        else if (strcmp(xml->name, "material") == 0)
            amf_read_material(file);
        else if (strcmp(xml->name, "metadata") == 0)
            read_scene_metadata(file);
        else if (strcmp(xml->name, "texture") == 0)
            file->losses[LOSS_TEXTURES]++;
        else
            amf_skip(file);
    cp_status parsed = xml_close(xml);
    return file->status == CP_OK ? parsed : file->status;
}
