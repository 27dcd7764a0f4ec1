/* Colours and materials. */
#include "amf.h"
#include "base/text/text.h"
#include "model/model.h"

/* Adds a colour to the table; CP_NONE when out of memory, with the status set. */
static uint32_t add_colour(struct amf *file, const char *name, const double rgba[4])
{
    struct colour colour = {.name = name, .material = CP_NONE};
    memcpy(colour.rgba, rgba, sizeof colour.rgba);
    if (array_add(file->context, &file->colours, &file->colour_room, &file->colour_count, &colour, sizeof colour))
        return file->colour_count - 1;
    file->status = CP_LIMIT;
    return CP_NONE;
}

/* Returns the row of the colour without a name that has these numbers, a new one if need be. */
static uint32_t find_colour(struct amf *file, const double rgba[4])
{
    char key[4 * NUMBER_SIZE];
    size_t size = 0;
    for (int i = 0; i < 4; i++) {
        size += print_double(rgba[i], key + size);
        key[size++] = i < 3 ? ' ' : '\0';
    }
    const uint32_t *known = name_map_find(&file->known_colours, key);
    if (known)
        return *known;
    uint32_t colour = add_colour(file, "", rgba);
    const char *copy = amf_keep(file, key);
    if (colour != CP_NONE && copy && !name_map_add(&file->known_colours, copy, colour, NULL))
        file->status = CP_LIMIT;
    return file->status == CP_OK ? colour : CP_NONE;
}

/* Notes a profile other than sRGB, the default. */
static void check_profile(struct amf *file)
{
    const char *profile = xml_attribute(&file->xml, "profile");
    if (profile && *profile && !text_equal_nocase(profile, "sRGB"))
        amf_count(file, &file->profiles);
}

/* Reads <r>, <g>, <b> and <a>. False for a formula, and after an error. The standard calls <a> a transparency, of
 * which 0 is opaque; the programs that write it mean an opacity, of which 1 is. 0 would not be seen. */
static bool read_channels(struct amf *file, double rgba[4])
{
    static const char channels[] = "rgba";
    uint32_t depth = file->xml.depth;
    bool formula = false, clipped = false;
    while (amf_child(file, depth)) {
        const char *channel = strchr(channels, *file->xml.name);
        if (!channel || !*channel || file->xml.name[1]) {
            amf_skip(file);
            continue;
        }
        const char *text = xml_text(&file->xml);
        double value = 0;
        formula |= !text || !text_is_number(text, &value);
        clipped |= value != within_unit(value);
        rgba[channel - channels] = within_unit(value);
    }
    if (file->status != CP_OK)
        return false;
    file->losses[LOSS_FORMULAS] += formula;
    if (!formula && clipped)
        amf_count(file, &file->clipped);
    if (!formula && rgba[3] == 0) {
        rgba[3] = 1;
        amf_count(file, &file->transparent);
    }
    return !formula;
}

uint32_t amf_read_colour(struct amf *file)
{
    double rgba[4] = {0, 0, 0, 1};
    check_profile(file);
    return read_channels(file, rgba) ? find_colour(file, rgba) : CP_NONE;
}

static bool add_material(struct amf *file, const struct amf_material *material)
{
    bool added = false;
    if (!array_add(file->context, &file->materials, &file->material_room, &file->material_count, material,
                   sizeof *material) ||
        !name_map_add(&file->material_names, material->id, file->material_count - 1, &added)) {
        file->status = CP_LIMIT;
        return false;
    }
    if (!added)
        amf_error(file, "amf-id", "a second material with the id \"", material->id);
    return added;
}

void amf_read_material(struct amf *file)
{
    uint32_t depth = file->xml.depth;
    struct amf_material material = {.id = amf_keep(file, xml_attribute(&file->xml, "id")),
                                    .notes = {.name = "", .first = file->note_count},
                                    .colour = CP_NONE};
    double rgba[4] = {PLAIN_GREY, PLAIN_GREY, PLAIN_GREY, 1};
    bool coloured = false;
    while (amf_child(file, depth))
        if (strcmp(file->xml.name, "metadata") == 0) {
            amf_read_note(file, &material.notes);
        } else if (strcmp(file->xml.name, "color") == 0) {
            uint32_t colour = amf_read_colour(file);
            coloured |= colour != CP_NONE;
            if (colour != CP_NONE)
                memcpy(rgba, file->colours[colour].rgba, sizeof rgba);
        } else if (strcmp(file->xml.name, "composite") == 0) {
            file->losses[LOSS_COMPOSITES]++;
        } else {
            amf_skip(file);
        }
    if (file->status == CP_OK && (coloured || *material.notes.name))
        material.colour = add_colour(file, material.notes.name, rgba);
    if (file->status == CP_OK)
        (void)add_material(file, &material);
}
