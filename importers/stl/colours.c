/* Colours in binary files, none of them in the specification (5 bits a channel, sRGB):
 *   VisCAM, SolidView  bit 15 set: the facet has a colour; red is in bits 10-14, green 5-9, blue 0-4
 *   Materialise Magics "COLOR=" and RGBA bytes in the header are the part's colour, ",MATERIAL=" and diffuse, specular
 *                      and ambient RGBA go before it; bit 15 clear: the facet has a colour of its own; red is in
 *                      bits 0-4, green 5-9, blue 10-14
 *   MeshLab (vcglib)   "COLOR=" RGB " MATERIAL=" in the header, channels as Materialise, but bit 15 set: the facet has
 *                      a colour of its own. Written for uncoloured meshes too, with attributes 0
 * Attributes that are 0 throughout are no colours in any of them. An alpha of 0 is taken as opaque: it is left
 * unset. */
#include "stl.h"

#include <stdio.h>

enum { HEADER_TEXT = 80, COLOUR_KINDS = 32768, COLOUR_VALID = 0x8000 };

/* Returns the text behind the word in the header, or NULL. */
static const char *find_in_header(const char *header, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= HEADER_TEXT; i++)
        if (memcmp(header + i, word, size) == 0)
            return header + i + size;
    return NULL;
}

static uint32_t attributes_of(const struct stl_reader *reader, uint32_t facet)
{
    return stl_attributes(stl_record(reader, facet));
}

/* A material named by its colour, "#rrggbb". */
static uint32_t add_colour(struct stl_reader *reader, const unsigned rgb[3], const double rgba[4])
{
    char name[8];
    (void)snprintf(name, sizeof name, "#%02x%02x%02x", rgb[0] & 0xff, rgb[1] & 0xff, rgb[2] & 0xff);
    return scene_add_material(reader->scene, name, rgba, true);
}

/* Makes consecutive facets of one colour a group of the solid: at most as many groups as runs of equal attributes.
 * part: the material of facets without a colour of their own, or CP_NONE. */
static cp_status colour_facets(struct stl_reader *reader, uint32_t runs, bool low_red, uint32_t own_bit, uint32_t part)
{
    struct stl_solid *solid = &reader->solid;
    cp_group *group = solid->groups = scene_allocate(reader->scene, runs, sizeof(cp_group));
    uint32_t *materials = memory_allocate(reader->context, COLOUR_KINDS, sizeof *materials);
    cp_status status = group && materials ? CP_OK : CP_LIMIT;
    if (materials)
        memset(materials, 0xff, COLOUR_KINDS * sizeof *materials); /* CP_NONE: not met yet */
    for (uint32_t facet = 0; status == CP_OK && facet < solid->facet_count; facet++) {
        uint32_t attributes = attributes_of(reader, facet), material = part;
        if ((attributes & COLOUR_VALID) == own_bit) {
            uint32_t *known = &materials[attributes & (COLOUR_KINDS - 1)];
            if (*known == CP_NONE) {
                unsigned rgb[3];
                double rgba[4] = {0, 0, 0, 1};
                for (int i = 0; i < 3; i++) {
                    unsigned channel = attributes >> (low_red ? 5 * i : 10 - 5 * i) & 31;
                    rgb[i] = (channel * 255 + 15) / 31;
                    rgba[i] = channel / 31.0;
                }
                *known = add_colour(reader, rgb, rgba);
                if (*known == CP_NONE)
                    status = CP_LIMIT;
            }
            material = *known;
        }
        if (facet == 0 || group->material != material) {
            group += facet != 0;
            *group = (cp_group){.first_face = facet, .material = material};
        }
        group->face_count++;
    }
    if (status == CP_OK)
        solid->group_count = (uint32_t)(group - solid->groups) + 1;
    memory_free(reader->context, materials, COLOUR_KINDS, sizeof *materials);
    return status;
}

cp_status stl_read_colours(struct stl_reader *reader)
{
    const struct stl_solid *solid = &reader->solid;
    const char *header = reader->source->data, *colour = find_in_header(header, "COLOR=");

    /* Text before the header's colours is a comment. */
    int size = 0, most = colour ? (int)(colour - header) - (int)strlen("COLOR=") : HEADER_TEXT;
    while (size < most && header[size] >= ' ' && header[size] <= '~')
        size++;
    while (size > 0 && header[size - 1] == ' ')
        size--;
    if (size > 0)
        report_note(reader->context, "stl-header", IN_FILE(reader->source->name),
                    "the header's text is not kept: \"%.*s\"", size, header);

    /* Find the convention that the header announces, and the part's colour. */
    bool low_red = colour && colour + 4 <= header + HEADER_TEXT; /* Materialise's order of channels */
    uint32_t own_bit = COLOUR_VALID;                             /* the value of bit 15 in facets with a colour of their
                                                                  * own */
    uint32_t part = CP_NONE;
    if (low_red) {
        const char *material = find_in_header(header, "MATERIAL=");
        bool is_meshlab = material == colour + 4 + strlen("MATERIAL=");
        own_bit = is_meshlab ? COLOUR_VALID : 0;
        if (!is_meshlab && material && material + 12 <= header + HEADER_TEXT) {
            colour = material;
            report_loss(reader->context, "stl-material", IN_FILE(reader->source->name), 1,
                        "specular and ambient colour of the header");
        }
        const unsigned char *bytes = (const unsigned char *)colour;
        unsigned rgb[3] = {bytes[0], bytes[1], bytes[2]};
        part = add_colour(reader, rgb,
                          (double[]){rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0,
                                     is_meshlab || bytes[3] == 0 ? 1 : bytes[3] / 255.0});
        if (part == CP_NONE)
            return CP_LIMIT;
    }
    if (!reader->attributes)
        own_bit = COLOUR_VALID; /* attributes that are 0 throughout are no colours */

    /* Count facets with a colour of their own, facets with attributes that are no colour, and runs of facets of equal
     * attributes. */
    uint32_t own = 0, meaningless = 0, runs = 1;
    for (uint32_t facet = 0; reader->attributes && facet < solid->facet_count; facet++) {
        uint32_t attributes = attributes_of(reader, facet);
        bool is_own = (attributes & COLOUR_VALID) == own_bit;
        own += is_own;
        meaningless += attributes != 0 && !is_own && own_bit == COLOUR_VALID;
        runs += facet > 0 && attributes != attributes_of(reader, facet - 1);
    }
    if (meaningless)
        report_loss(reader->context, "stl-attributes", IN_FILE(reader->source->name), meaningless,
                    "attribute bytes that are not a colour");
    bool any = solid->facet_count > 0 && (own > 0 || part != CP_NONE);
    return any ? colour_facets(reader, runs, low_red, own_bit, part) : CP_OK;
}
