/* Colours in binary files, none of them in the specification (5 bits a channel, sRGB):
 *   VisCAM, SolidView  bit 15 set: the facet has a colour; red is in bits 10-14, green 5-9, blue 0-4
 *   Materialise Magics "COLOR=" and RGBA bytes in the header are the part's colour, ",MATERIAL=" and diffuse, specular and
 *                      ambient RGBA go before it; bit 15 clear: the facet has a colour of its own; red is in bits 0-4,
 *                      green 5-9, blue 10-14
 *   MeshLab (vcglib)   "COLOR=" RGB " MATERIAL=" in the header, channels as Materialise, but bit 15 set: the facet has a
 *                      colour of its own. Written for uncoloured meshes too, with attributes 0
 * Attributes that are 0 throughout are no colours in any of them. An alpha of 0 is taken as opaque: it is left unset. */
#include "stl.h"

enum { COLOUR_KINDS = 32768, COLOUR_VALID = 0x8000 };

struct colours {
    bool low_red;       /* Materialise's order of channels */
    uint32_t own_bit;   /* the value of bit 15 that says "a colour of its own" */
    uint32_t part;      /* material of facets without, or CP_NONE */
    uint32_t *material; /* by colour, CP_NONE where not met yet */
};

/* ---- header ---- */

const char *stl_find_in_header(const char *header, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= 80; i++)
        if (memcmp(header + i, word, size) == 0)
            return header + i + size;
    return NULL;
}

static uint32_t add_colour(struct stl_reader *reader, const unsigned bytes[3], double alpha)
{
    char name[8];
    static const char digits[] = "0123456789abcdef";
    name[0] = '#';
    for (int i = 0; i < 3; i++) {
        name[1 + 2 * i] = digits[bytes[i] >> 4 & 15];
        name[2 + 2 * i] = digits[bytes[i] & 15];
    }
    name[7] = '\0';
    double rgba[4] = {bytes[0] / 255.0, bytes[1] / 255.0, bytes[2] / 255.0, alpha};
    return scene_add_material(reader->scene, name, rgba, true);
}

static bool add_part_colour(struct stl_reader *reader, const char *rgba, bool has_alpha, struct colours *colours)
{
    const unsigned char *bytes = (const unsigned char *)rgba;
    unsigned rgb[3] = {bytes[0], bytes[1], bytes[2]};
    colours->part = add_colour(reader, rgb, has_alpha && bytes[3] ? bytes[3] / 255.0 : 1);
    return colours->part != CP_NONE;
}

/* Which convention the header announces, and the part's colour. */
static bool read_header(struct stl_reader *reader, struct colours *colours)
{
    const char *header = reader->source->data, *colour = stl_find_in_header(header, "COLOR=");
    *colours = (struct colours){.own_bit = COLOUR_VALID, .part = CP_NONE};
    if (!colour || colour + 4 > header + 80)
        return true;
    colours->low_red = true;
    const char *material = stl_find_in_header(header, "MATERIAL=");
    if (material == colour + 4 + strlen("MATERIAL="))
        return add_part_colour(reader, colour, false, colours);
    colours->own_bit = 0;
    if (material && material + 12 <= header + 80) {
        colour = material;
        report_loss(reader->context, "stl-material", IN_FILE(reader->source->name), 1,
                    "specular and ambient colour of the header");
    }
    return add_part_colour(reader, colour, true, colours);
}

static uint32_t attributes_of(const struct stl_reader *reader, uint32_t facet)
{
    return stl_attributes(stl_record(reader, facet));
}

/* ---- facets ---- */

static unsigned channel_of(uint32_t attributes, int shift)
{
    return ((attributes >> shift & 31) * 255 + 15) / 31;
}

/* The material of a facet's own colour, made when first met. */
static uint32_t own_material(struct stl_reader *reader, struct colours *colours, uint32_t attributes)
{
    uint32_t *material = &colours->material[attributes & (COLOUR_KINDS - 1)];
    if (*material == CP_NONE) {
        int red = colours->low_red ? 0 : 10;
        unsigned rgb[3] = {channel_of(attributes, red), channel_of(attributes, 5), channel_of(attributes, 10 - red)};
        *material = add_colour(reader, rgb, 1);
        if (*material == CP_NONE)
            return CP_NONE;
        double *rgba = reader->scene->materials[*material].rgba;
        rgba[0] = (attributes >> red & 31) / 31.0;
        rgba[1] = (attributes >> 5 & 31) / 31.0;
        rgba[2] = (attributes >> (10 - red) & 31) / 31.0;
    }
    return *material;
}

/* Consecutive facets of one colour are a group. */
static cp_status fill_groups(struct stl_reader *reader, struct colours *colours)
{
    struct stl_solid *solid = &reader->solid;
    cp_group *group = solid->groups;
    for (uint32_t facet = 0; facet < solid->facet_count; facet++) {
        uint32_t attributes = attributes_of(reader, facet), material = colours->part;
        if ((attributes & COLOUR_VALID) == colours->own_bit) {
            material = own_material(reader, colours, attributes);
            if (material == CP_NONE)
                return CP_LIMIT;
        }
        if (facet == 0 || group->material != material) {
            group += facet != 0;
            *group = (cp_group){.first_face = facet, .material = material};
        }
        group->face_count++;
    }
    solid->group_count = (uint32_t)(group - solid->groups) + 1;
    return CP_OK;
}

/* At most so many groups as the attributes change. */
static uint32_t count_runs(const struct stl_reader *reader)
{
    uint32_t runs = reader->solid.facet_count > 0;
    for (uint32_t facet = 1; facet < reader->solid.facet_count; facet++)
        runs += attributes_of(reader, facet) != attributes_of(reader, facet - 1);
    return runs;
}

static cp_status colour_facets(struct stl_reader *reader, struct colours *colours)
{
    if (reader->solid.facet_count == 0)
        return CP_OK;
    reader->solid.groups = scene_allocate(reader->scene, count_runs(reader), sizeof(cp_group));
    colours->material = memory_allocate(reader->context, COLOUR_KINDS, sizeof(uint32_t));
    cp_status status = reader->solid.groups && colours->material ? CP_OK : CP_LIMIT;
    if (status == CP_OK) {
        memset(colours->material, 0xff, COLOUR_KINDS * sizeof(uint32_t)); /* CP_NONE */
        status = fill_groups(reader, colours);
    }
    memory_free(reader->context, colours->material, COLOUR_KINDS, sizeof(uint32_t));
    return status;
}

struct survey {
    uint32_t own, meaningless; /* facets with a colour of their own; with attributes that are no colour */
};

static struct survey survey_attributes(const struct stl_reader *reader, const struct colours *colours)
{
    struct survey survey = {0};
    for (uint32_t facet = 0; facet < reader->solid.facet_count; facet++) {
        uint32_t attributes = attributes_of(reader, facet);
        bool own = (attributes & COLOUR_VALID) == colours->own_bit;
        survey.own += own;
        survey.meaningless += attributes != 0 && !own && colours->own_bit == COLOUR_VALID;
    }
    return survey;
}

cp_status stl_read_colours(struct stl_reader *reader)
{
    struct colours colours;
    if (!read_header(reader, &colours))
        return CP_LIMIT;
    struct survey survey = {0};
    if (reader->attributes)
        survey = survey_attributes(reader, &colours);
    if (survey.meaningless)
        report_loss(reader->context, "stl-attributes", IN_FILE(reader->source->name), survey.meaningless,
                    "attribute bytes that are no colour");
    if (!reader->attributes)
        colours.own_bit = COLOUR_VALID;
    return survey.own > 0 || colours.part != CP_NONE ? colour_facets(reader, &colours) : CP_OK;
}
